//! Files that tell a program what to run: sources that it builds, tasks, settings with commands.
//!
//! Their languages are not analysed. They are only searched for destructive commands, and only if the session
//! wrote them or the command names them; whether those run is unknown.

use super::Machine;
use super::commands::{in_settings, in_source};
use crate::act::Act;
use crate::effect::Kind;
use crate::flow::{Source, Stream};
use crate::syntax::Dialect;
use crate::target::{PathTarget, Target};
use crate::value::Field;
use crate::world::{Language, Use};

/// Programs and the files that they find by themselves, by name or, with a star, by ending.
type Finds = (&'static [&'static str], &'static [&'static str]);

const FINDS: &[Finds] = &[
    (&["go"], &["*.go"]),
    (&["cargo"], &["*.rs", "Makefile.toml", "config.toml"]),
    (
        &["make", "gmake", "ninja", "cmake", "meson", "bazel", "gcc", "cc", "clang"],
        &["*.c", "*.cc", "*.cpp", "*.mk", "*.cmake", "CMakeLists.txt", "*.ninja", "meson.build"],
    ),
    (&["rake", "bundle"], &["Rakefile", "*.rake"]),
    (&["task", "go-task"], &["Taskfile.yml", "Taskfile.yaml"]),
    (&["mise", "rtx"], &["mise.toml", ".mise.toml"]),
    (&["gradle", "gradlew"], &["*.gradle", "*.kts"]),
    (&["mvn", "mvnw"], &["pom.xml"]),
    (&["composer"], &["composer.json"]),
    (&["pre-commit", "prek"], &[".pre-commit-config.yaml"]),
    (&["lefthook"], &["lefthook.yml", ".lefthook.yml"]),
    (&["tox", "nox"], &["tox.ini", "setup.cfg", "pyproject.toml", "noxfile.py"]),
    (&["pip", "pip3", "uv", "pipx"], &["pyproject.toml", "*.py"]),
    (&["poe", "poetry", "pdm", "hatch", "pipenv"], &["pyproject.toml", "Pipfile"]),
    (&["nix", "nix-shell", "nix-build"], &["*.nix"]),
    (&["direnv"], &[".envrc"]),
    (&["deno"], &["deno.json", "deno.jsonc"]),
    (&["foreman", "honcho", "overmind"], &["Procfile"]),
    (&["docker", "docker-compose", "podman"], &["docker-compose.yml", "compose.yaml"]),
    (&["mix", "elixir"], &["*.ex", "*.exs"]),
    (&["java", "javac"], &["*.java"]),
    (&["swift", "swiftc"], &["*.swift"]),
    (&["zig"], &["*.zig"]),
    (&["dotnet"], &["*.cs"]),
    (&["rustc"], &["*.rs"]),
    (&["g++", "clang++", "c++", "tcc"], &["*.c", "*.cc", "*.cpp", "*.m", "*.mm"]),
    (&["sbt", "scala"], &["*.scala", "*.sbt"]),
    (&["ansible-playbook"], &["*.yml", "*.yaml"]),
    (&["jake", "grunt", "gulp"], &["Jakefile", "Gruntfile", "gulpfile"]),
];

/// Programs, the options and words before a file that they are told of, and endings that say it is one.
type Told = (&'static [&'static str], &'static [&'static str], &'static [&'static str]);

const TOLD: &[Told] = &[
    (&["ssh", "scp", "sftp"], &["-F"], &[]),
    (&["sqlite3"], &["-init", ".read"], &[]),
    (&["psql"], &["-f", "--file", "\\i"], &[]),
    (&["mysql", "mariadb"], &["source"], &[]),
    (&["gdb", "lldb"], &["-x", "--command", "-s"], &[]),
    (&["sed", "gsed"], &["-f", "--file"], &[]),
    (&["tmux"], &["-f", "source-file", "source"], &[]),
    (&["git"], &["include.path"], &[]),
    (&["make", "gmake", "ninja"], &["-f", "--file"], &[".mk"]),
    (&["docker", "docker-compose", "podman"], &["-f", "--file"], &[]),
    (&["nix-shell", "nix-build"], &[], &[".nix"]),
    (&["ansible-playbook"], &[], &[".yml", ".yaml"]),
    (&["curl"], &["-K", "--config"], &[]),
    (&["wget"], &["--config"], &[]),
];

/// Variables that name such a file.
const VARIABLES: &[(&str, &str)] =
    &[("make", "MAKEFILES"), ("git", "GIT_CONFIG_GLOBAL"), ("git", "GIT_CONFIG_SYSTEM")];

/// Settings of those who fetch that name the file that is written.
const OUTPUTS: &[&str] = &["output", "output_document", "dump-header", "cookie-jar", "logfile"];

/// Files that are read for one program.
const MAX_READ: usize = 12;

impl Machine<'_> {
    /// Reads the instructions for a program in files of the session, and in those that the command names.
    pub(super) fn task_files(&mut self, name: &str, argv: &[Field], stdin: &Stream) {
        for file in self.told_files(name, argv, stdin) {
            self.task_file(name, argv, &file, Use::Named);
        }
        for file in self.files_of_tasks(name, argv).into_iter().take(MAX_READ) {
            self.task_file(name, argv, &file, Use::Near);
        }
        self.built_files(name, argv);
        if matches!(name, "make" | "gmake") {
            let shell = argv.iter().find_map(|word| word.prefix().strip_prefix("SHELL="));
            let path = shell.map(|shell| self.path(&Field::text(shell, super::span_of(argv))));
            if let Some(path) = path.as_ref().and_then(PathTarget::exact) {
                let span = super::span_of(argv);
                self.possibly(|machine| machine.run_file(name, path, None, Use::Script, span));
            }
        }
    }

    /// Sources that this command has written and that the program builds and runs: `go run .`, `cargo test`.
    fn built_files(&mut self, name: &str, argv: &[Field]) {
        let built = match name {
            "go" => Language::Go,
            "cargo" => Language::Rust,
            "dotnet" => Language::DotNet,
            "swift" => Language::Swift,
            "gradle" | "gradlew" | "mvn" | "mvnw" | "sbt" => Language::Jvm,
            _ => return,
        };
        let verbs = ["run", "test", "r", "t", "bench", "exec:java", "bootRun"];
        let runs = argv.iter().skip(1).any(|word| verbs.iter().any(|verb| word.is(verb)));
        // A file that is named is read by the program's own judge.
        let language = |file: &str| crate::wrappers::shells::compiled(ending(file));
        let named = argv.iter().any(|word| language(word.suffix()) == Some(built));
        let Some(cwd) = self.shell.cwd.clone().filter(|_| runs && !named) else { return };
        let below = |file: &str| {
            let rest = file.strip_prefix(&*cwd).is_some_and(|rest| rest.starts_with('/'));
            rest && language(file) == Some(built)
        };
        let found: Vec<Stream> = self
            .files
            .iter()
            .filter(|(file, content)| content.text.is_some() && below(file))
            .map(|(_, content)| content.clone())
            .take(MAX_READ)
            .collect();
        let span = super::span_of(argv);
        for content in found {
            self.record(name, argv);
            self.run_stream(name, built, &content, span, None);
        }
    }

    fn files_of_tasks(&self, name: &str, argv: &[Field]) -> Vec<String> {
        let python = name.starts_with("python");
        let user_unit =
            name == "systemctl" && argv.iter().any(|word| word.is("--user") || word.is("enable"));
        let names = FINDS.iter().filter(|(programs, _)| programs.contains(&name));
        let names: Vec<&str> = names.flat_map(|(_, names)| names.iter().copied()).collect();
        let folder = match self.shell.cwd.as_deref().filter(|_| !self.shell.elsewhere) {
            Some(_) if python || user_unit => "/",
            Some(cwd) if !names.is_empty() => cwd,
            _ => return Vec::new(),
        };
        let mut files = self.world.facts.of_session(folder);
        files.retain(|file| {
            let last = file.rsplit('/').next().unwrap_or_default();
            if python {
                let early = matches!(last, "sitecustomize.py" | "usercustomize.py");
                return early || ending(last) == "pth";
            }
            if user_unit {
                let unit = [".service", ".timer", ".socket", ".path"];
                return file.contains("/systemd/") && unit.iter().any(|end| last.ends_with(end));
            }
            names.iter().any(|name| match name.strip_prefix('*') {
                Some(ending) => last.ends_with(ending),
                None => last == *name || last.split('.').next() == Some(name),
            })
        });
        files
    }

    /// The files named by words, variables and input.
    fn told_files(&self, name: &str, argv: &[Field], stdin: &Stream) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        let Some((_, options, endings)) =
            TOLD.iter().find(|(programs, ..)| programs.contains(&name))
        else {
            return files;
        };
        let mut add = |word: &str| {
            let path = self.path(&Field::text(word, crate::span::Span::default()));
            let known = path.exact().map(str::to_owned).filter(|_| !path.elsewhere);
            files.extend(known.filter(|_| !word.is_empty() && !word.starts_with('-')));
        };
        let words: Vec<&str> = argv.iter().skip(1).filter_map(Field::exact).collect();
        let words: Vec<&str> = words.iter().flat_map(|word| word.split(' ')).collect();
        let mut expects = false;
        for word in words {
            if std::mem::take(&mut expects) || endings.iter().any(|end| word.ends_with(end)) {
                add(word);
                continue;
            }
            for option in *options {
                match word.strip_prefix(option) {
                    Some("") => expects = true,
                    Some(value) if value.starts_with('=') => {
                        add(value.trim_start_matches('='));
                    }
                    Some(value) if option.len() == 2 => add(value),
                    _ => {}
                }
            }
        }
        for (_, value) in self.assignments.iter().filter(|(variable, _)| {
            VARIABLES.iter().any(|(program, known)| *program == name && known == variable)
        }) {
            add(value.exact().unwrap_or_default());
        }
        if matches!(name, "sqlite3" | "psql" | "mysql" | "mariadb" | "gdb")
            && let [Source::File(file)] = stdin.flow.sources()
        {
            add(file);
        }
        files.truncate(MAX_READ);
        files
    }

    fn task_file(&mut self, name: &str, argv: &[Field], file: &str, used: Use) {
        let span = super::span_of(argv);
        let outer = self.opened.take();
        if let Some(content) = self.on_disk(&PathTarget::absolute(file), used, span) {
            let text = content.text.as_deref().unwrap_or_default();
            self.record(name, argv);
            if matches!(ending(file), "pth" | "py") {
                let via = name.to_owned();
                self.possibly(|machine| {
                    machine.run_stream(&via, Language::Python, &content, span, None)
                });
            }
            if let Some(language) = crate::wrappers::shells::compiled(ending(file)) {
                let via = name.to_owned();
                self.possibly(|machine| machine.run_stream(&via, language, &content, span, None));
            }
            if matches!(name, "curl" | "wget") {
                self.outputs_of(text, span);
            }
            let codes = if is_source(file) { in_source(text) } else { in_settings(text) };
            let language = Language::Shell(Dialect::Posix);
            for code in codes {
                let code = Field::text(code, span);
                self.possibly(|machine| {
                    machine.run_code(name, None, language, &code, &Stream::default())
                });
            }
            self.close_script();
        }
        self.opened = outer;
    }

    /// `output = "FILE"` in the settings of curl.
    fn outputs_of(&mut self, text: &str, span: crate::span::Span) {
        for line in text.lines().take(256) {
            let Some((key, value)) = line.trim().split_once(['=', ' ', ':']) else { continue };
            let key = key.trim().trim_start_matches('-');
            let value = value.trim().trim_start_matches(['=', ':']).trim().trim_matches('"');
            if OUTPUTS.contains(&key) {
                let target = Target::Path(self.path(&Field::text(value, span)));
                self.effect(Kind::Overwrite, Act::Download, target, span);
            }
        }
    }
}

fn ending(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Whether a file is written in a language where commands are strings that are handed to a function.
pub(super) fn is_source(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or_default();
    matches!(
        ending(file),
        "go" | "rs"
            | "c"
            | "cc"
            | "cpp"
            | "h"
            | "java"
            | "kt"
            | "kts"
            | "gradle"
            | "groovy"
            | "swift"
            | "zig"
            | "cs"
            | "scala"
            | "sbt"
            | "ex"
            | "exs"
            | "rb"
            | "rake"
            | "py"
            | "js"
            | "ts"
    ) || name == "Rakefile"
}
