//! Scripts on disk that a command runs: analysed as code, with a separate budget.
//!
//! Their effects have the span of the words that name the script, and are marked with it, since a policy may
//! judge a file of the project differently from one that the agent has just written.

use std::rc::Rc;

use super::Machine;
use crate::analysis::{Reason, Script};
use crate::budget::Budget;
use crate::effect::Certainty;
use crate::flow::{Flow, Source, Stream};
use crate::span::Span;
use crate::target::PathTarget;
use crate::value::Field;
use crate::world::{Language, Use};

/// Maximum number of files read per command.
const MAX_SCRIPTS: usize = 16;
/// Work limit for each.
const SCRIPT_WORK: u64 = 200_000;

/// A script being read: the outer state and remaining work.
#[derive(Debug)]
pub(super) struct Opened {
    script: u16,
    effects: usize,
    commands: usize,
    unverified: usize,
    budget: Budget,
}

impl Machine<'_> {
    /// The code of a file about to be run: what the command itself wrote there, else the content on disk.
    pub(crate) fn code_of(&mut self, path: &PathTarget, used: Use, span: Span) -> Option<Stream> {
        match self.written(path) {
            Some(content) => Some(content.clone()),
            None => self.on_disk(path, used, span),
        }
    }

    pub(crate) fn on_disk(&mut self, path: &PathTarget, used: Use, span: Span) -> Option<Stream> {
        if path.elsewhere || self.scripts.len() >= MAX_SCRIPTS || self.budget.is_spent() {
            return None;
        }
        let names = match path.real.as_deref().or(path.exact()) {
            Some(name) => vec![name.to_owned()],
            // `find . -name x.sh -exec bash {} \;`, `cd "$DIR"; . ./x.sh`
            None => self.may_stand_for(path),
        };
        let read = |name: String| {
            let text = self.world.facts.text(&name, used)?;
            Some((name, text))
        };
        // A script that runs itself is read once.
        let other = |name: &String| !self.is_running(name);
        let (name, found) = names.into_iter().filter(other).find_map(read)?;
        self.close_script();
        let script = u16::try_from(self.scripts.len()).ok()?;
        self.scripts.push(Script {
            path: name.clone(),
            of_session: found.of_session,
            is_near: matches!(used, Use::Near | Use::Named),
            span,
        });
        self.running.push(script);
        self.opened = Some(Opened {
            script,
            effects: self.effects.len(),
            commands: self.commands.len(),
            unverified: self.unverified.len(),
            budget: std::mem::replace(&mut self.budget, Budget::of(SCRIPT_WORK)),
        });
        if found.of_session && found.cut {
            self.unverified(Reason::TooLong, span);
        }
        let flow = Flow::of(Source::File(Rc::from(name)));
        Some(Stream { text: Some(found.text), partial: None, flow })
    }

    /// Whether the script that was opened last is one of the session.
    pub(crate) fn of_session(&self) -> bool {
        let script = self.opened.as_ref().and_then(|it| self.scripts.get(usize::from(it.script)));
        script.is_some_and(|script| script.of_session)
    }

    /// Marks what a script has said, and goes on with the work of the command.
    pub(super) fn close_script(&mut self) {
        let Some(opened) = self.opened.take() else { return };
        self.running.retain(|script| *script != opened.script);
        for effect in self.effects.iter_mut().skip(opened.effects) {
            effect.script = effect.script.or(Some(opened.script));
        }
        for ran in self.commands.iter_mut().skip(opened.commands) {
            ran.script = ran.script.or(Some(opened.script));
        }
        // Programs are rarely fully analysable; only one too long to be read may hide something on purpose.
        let of_session =
            self.scripts.get(usize::from(opened.script)).is_some_and(|script| script.of_session);
        let mut at = 0_usize;
        self.unverified.retain(|entry| {
            at = at.saturating_add(1);
            let hides = matches!(entry.reason, Reason::TooLong | Reason::TooMuchWork);
            at <= opened.unverified || of_session && hides
        });
        self.budget = opened.budget;
    }

    /// Files whose text is run although another program has read them: `sh < x.sh`, `sed 1d x.sh | sh`,
    /// `eval "$(cat x.sh)"`, `cp x.sh y; sh y`. The file as a whole stands for what came through.
    pub(super) fn run_sources(&mut self, via: &str, language: Language, flow: &Flow, span: Span) {
        let certainty = self.certainty;
        // Nothing but this file: that is what runs, as if it had been named.
        if !matches!(flow.sources(), [Source::File(_)]) {
            self.certainty = certainty.min(Certainty::Possible);
        }
        for source in flow.sources() {
            if let Source::File(file) = source {
                self.run_file(via, file, Some(language), Use::Script, span);
            }
        }
        self.certainty = certainty;
    }

    /// Reads a file on disk as code that may run, in its own language unless one is given.
    pub(super) fn run_file(
        &mut self,
        via: &str,
        file: &str,
        language: Option<Language>,
        used: Use,
        span: Span,
    ) {
        let outer = self.opened.take();
        if let Some(content) = self.on_disk(&PathTarget::absolute(file), used, span) {
            let text = content.text.as_deref().unwrap_or_default();
            let language =
                language.unwrap_or_else(|| crate::wrappers::shells::language_of_file(file, text));
            let code = Field::text(text, span);
            let hidden = !is_read_alone(language) && self.hidden_code(via, &code);
            if language != Language::Other && !hidden {
                self.run_stream(via, language, &content, span, None);
            }
            self.close_script();
        }
        self.opened = outer;
    }

    pub(super) fn is_running(&self, name: &str) -> bool {
        let is = |at: &u16| self.scripts.get(usize::from(*at)).is_some_and(|it| it.path == name);
        self.running.iter().any(is)
    }

    /// The script whose code is being followed.
    pub(super) fn running_script(&self) -> Option<&str> {
        let script = self.scripts.get(usize::from(*self.running.last()?))?;
        Some(script.path.as_str())
    }

    /// Files of the session that a program finds by itself (a test runner its tests, git its hooks), and
    /// those named by words or variables, or loadable because it works in their folder.
    pub(super) fn found_files(&mut self, name: &str, argv: &[Field]) {
        let kind = Finder::of(name, argv);
        // A script that is named by its path is read itself.
        let by_path = argv.first().is_some_and(|first| first.prefix().contains('/'));
        let loads = loads_code(name) && (!by_path || LOADERS.contains(&name));
        if kind.is_none() && !loads {
            return;
        }
        let Some(cwd) = self.shell.cwd.clone().filter(|_| !self.shell.elsewhere) else { return };
        let files = self.world.facts.of_session(&cwd);
        if files.is_empty() {
            return;
        }
        let span = super::span_of(argv);
        let told = self.told(argv);
        let (named, near): (Vec<&String>, Vec<&String>) =
            files.iter().partition(|file| is_named(file, &cwd, name, &told));
        for file in named.into_iter().chain(near) {
            let found = kind.is_some_and(|kind| kind.finds(file));
            let used = if found { Use::Found } else { Use::Near };
            if found || loads && language_near(file) != Some(Language::Other) {
                self.record(name, argv);
                let language = language_near(file).filter(|_| !found);
                self.possibly(|machine| machine.run_file(name, file, language, used, span));
            }
        }
    }

    /// Words and values of variables that a program is given, as far as they are known.
    fn told(&self, argv: &[Field]) -> String {
        let mut told = String::new();
        let values = self.assignments.iter().map(|(_, value)| value);
        for field in argv.iter().skip(1).chain(values) {
            told.push_str(field.exact().unwrap_or_default());
            told.push('\n');
        }
        told
    }

    /// Modules of the session that a script names: `import helper`, `require('./helper')`.
    pub(crate) fn imported(&mut self, via: &str, script: &str, span: Span) {
        let running = self.running.last().and_then(|at| self.scripts.get(usize::from(*at)));
        let is_near = running.is_some_and(|script| script.is_near);
        let used = if is_near { Use::Near } else { Use::Found };
        let path = running.map(|script| script.path.clone()).unwrap_or_default();
        let folder = match path.rsplit_once('/') {
            Some((folder, _)) => folder.to_owned(),
            // Code on the command line.
            None => match self.shell.cwd.as_deref() {
                Some(cwd) if !self.shell.elsewhere => cwd.to_owned(),
                _ => return,
            },
        };
        if !loads_modules(script) {
            return;
        }
        for file in self.world.facts.of_session(&folder) {
            let name = file.rsplit('/').next().unwrap_or_default();
            let stem = name.split('.').next().unwrap_or_default();
            let ending = name.rsplit('.').next().unwrap_or_default();
            let code = matches!(ending, "py" | "rb" | "js" | "mjs" | "cjs" | "ts");
            if file == path || !code || stem.len() < 2 || !mentions(script, stem) {
                continue;
            }
            self.possibly(|machine| machine.run_file(via, &file, None, used, span));
        }
    }
}

/// Whether a language's reader misses no command in it. Wrappers that a compiled program defines are not followed.
fn is_read_alone(language: Language) -> bool {
    !matches!(
        language,
        Language::Other
            | Language::Go
            | Language::Rust
            | Language::C
            | Language::Swift
            | Language::Jvm
            | Language::DotNet
            | Language::Nim
    )
}

/// Whether a text loads anything at all.
fn loads_modules(script: &str) -> bool {
    ["import", "require", "from ", "load"].iter().any(|word| script.contains(word))
}

/// Programs that load code from the folder they work in.
const LOADERS: &[&str] = &[
    "ansible-playbook",
    "bazel",
    "bun",
    "bundle",
    "bunx",
    "cargo",
    "celery",
    "cmake",
    "code",
    "composer",
    "coverage",
    "cursor",
    "deno",
    "docker",
    "docker-compose",
    "flask",
    "go",
    "gradle",
    "gunicorn",
    "hatch",
    "meson",
    "mvn",
    "ninja",
    "node",
    "nox",
    "npm",
    "npx",
    "pdm",
    "php",
    "pipenv",
    "pnpm",
    "podman",
    "poetry",
    "pre-commit",
    "pytest",
    "python",
    "python3",
    "rake",
    "ruby",
    "scons",
    "tox",
    "uv",
    "uvicorn",
    "uvx",
    "yarn",
];
/// Programs whose own recipes are read: only what those name is run.
const READ: &[&str] = &["gmake", "just", "make"];
/// Programs that only look at files, although no table says what they do.
const LOOKERS: &[&str] = &[
    "actionlint",
    "ast-grep",
    "autopep8",
    "bat",
    "black",
    "cloc",
    "clang-format",
    "diff",
    "emacs",
    "flake8",
    "gofmt",
    "hadolint",
    "isort",
    "markdownlint",
    "nano",
    "open",
    "prettier",
    "pyright",
    "ruff",
    "rustfmt",
    "scc",
    "shellcheck",
    "shfmt",
    "stylua",
    "tokei",
    "tree",
    "xdg-open",
    "yamllint",
];

/// Whether a program may run files that it is told of or finds. One that no table knows may.
fn loads_code(name: &str) -> bool {
    if LOADERS.contains(&name) {
        return true;
    }
    let is_known = crate::tools::find(name).is_some() || crate::wrappers::find(name).is_some();
    !is_known && !LOOKERS.contains(&name) && !READ.contains(&name)
}

/// Whether words name a file: `./a.sh`, `a.py`, `-m a`, `a:app`, `--config=tools/a`; or it is the program itself,
/// found through another `PATH`.
fn is_named(file: &str, cwd: &str, program: &str, told: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or_default();
    let below = file.strip_prefix(cwd).unwrap_or(file).trim_start_matches('/');
    let stem = name.split('.').next().unwrap_or_default();
    let word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    name == program
        || told.contains(below)
        || !stem.is_empty() && told.split(|letter| !word(letter)).any(|it| it == stem)
}

/// The language of a file that is not read as its ending says: settings of tools hold commands, and some programs
/// have scripts without an ending.
fn language_near(file: &str) -> Option<Language> {
    let name = file.rsplit('/').next().unwrap_or_default();
    match name {
        "SConstruct" | "SConscript" | "wscript" | "Snakefile" | "BUCK" => {
            return Some(Language::Python);
        }
        // Their readers know which of their commands run.
        "Makefile" | "makefile" | "GNUmakefile" | "justfile" | "Justfile" => {
            return Some(Language::Other);
        }
        "Rakefile" | "Gemfile" | "Vagrantfile" | "Podfile" | "Fastfile" => {
            return Some(Language::Ruby);
        }
        _ => {}
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_code = matches!(
        ending,
        "" | "sh"
            | "bash"
            | "zsh"
            | "fish"
            | "ps1"
            | "bat"
            | "cmd"
            | "py"
            | "pyw"
            | "js"
            | "mjs"
            | "cjs"
            | "jsx"
            | "ts"
            | "mts"
            | "cts"
            | "tsx"
            | "pl"
            | "pm"
            | "rb"
            | "php"
            | "lua"
            | "envrc"
    );
    (!is_code).then_some(Language::Other)
}

/// Whether a text has a line that loads something of this name.
fn mentions(script: &str, stem: &str) -> bool {
    script.lines().any(|line| {
        let loads = line.contains("import") || line.contains("require") || line.contains("from ");
        loads
            && line
                .split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '-')
                .any(|word| word == stem)
    })
}

/// Programs that run files they find by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finder {
    Python,
    JavaScript,
    Git,
    Cargo,
    Setup,
}

impl Finder {
    fn of(name: &str, argv: &[Field]) -> Option<Self> {
        let verb = argv
            .iter()
            .skip(1)
            .find_map(|field| field.exact().filter(|word| !word.starts_with('-')))
            .unwrap_or_default();
        Some(match name {
            "pytest" | "py.test" | "tox" | "nox" => Self::Python,
            "python" | "python3"
                if argv
                    .iter()
                    .any(|field| matches!(field.exact(), Some("pytest" | "unittest"))) =>
            {
                Self::Python
            }
            "uv" | "poetry" | "pipenv" | "hatch" if argv.iter().any(|field| field.is("pytest")) => {
                Self::Python
            }
            "jest" | "vitest" | "mocha" | "ava" | "playwright" | "webpack" | "vite" | "rollup"
            | "eslint" | "tap" | "npx" | "bunx" => Self::JavaScript,
            "npm" | "pnpm" | "yarn" | "bun" if matches!(verb, "test" | "t" | "run" | "start") => {
                Self::JavaScript
            }
            "git"
                if matches!(
                    verb,
                    "commit" | "push" | "merge" | "rebase" | "checkout" | "switch" | "pull" | "am"
                ) =>
            {
                Self::Git
            }
            "cargo"
                if matches!(verb, "build" | "b" | "run" | "r" | "test" | "t" | "check" | "c") =>
            {
                Self::Cargo
            }
            "pip" | "pip3" | "uv" if verb == "install" || verb == "pip" => Self::Setup,
            _ => return None,
        })
    }

    fn finds(self, file: &str) -> bool {
        let name = file.rsplit('/').next().unwrap_or_default();
        match self {
            Self::Python => {
                name == "conftest.py"
                    || name == "noxfile.py"
                    || name.starts_with("test_") && name.rsplit('.').next() == Some("py")
                    || name.ends_with("_test.py")
            }
            Self::JavaScript => {
                let code = [".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx"];
                code.iter().any(|end| name.ends_with(end))
                    && (name.contains(".test.")
                        || name.contains(".spec.")
                        || name.contains(".config."))
            }
            Self::Git => file.contains("/.git/hooks/") || file.contains("/.husky/"),
            Self::Cargo => name == "build.rs",
            Self::Setup => name == "setup.py",
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::world::{FileFacts, FileText, Use};
    use crate::{Surroundings, analyze};

    /// Files of the session, and `repo.sh`, which was there before.
    struct Disk;

    const FILES: &[(&str, &str)] = &[
        ("/shop/x.sh", "rm -rf \"$1\"\n"),
        ("/shop/x.py", "import helper\n"),
        ("/shop/helper.py", "import shutil\nshutil.rmtree('/etc')\n"),
        ("/shop/app.js", "require('fs').rmSync('/etc', {recursive: true})"),
        ("/shop/Makefile", "all:\n\trm -rf /etc\nother:\n\ttrue\n"),
        ("/shop/package.json", "{\"scripts\": {\"x\": \"rm -rf /etc\"}}"),
        ("/shop/tests/conftest.py", "import os\nos.remove('/etc/x')\n"),
        ("/shop/.git/hooks/pre-commit", "#!/bin/sh\nrm -rf /etc\n"),
        ("/shop/build.rs", "fn main() { sh(\"rm -rf /etc\"); }"),
        ("/shop/self.sh", "bash self.sh; rm /etc/y"),
    ];

    impl FileFacts for Disk {
        fn text(&self, path: &str, used: Use) -> Option<FileText> {
            if path == "/shop/repo.sh" && used == Use::Script {
                return Some(FileText { text: "rm /etc/z".into(), of_session: false, cut: false });
            }
            let found = FILES.iter().find(|(name, _)| *name == path)?;
            Some(FileText { text: found.1.into(), of_session: true, cut: false })
        }

        fn of_session(&self, folder: &str) -> Vec<String> {
            let below =
                |name: &&str| name.strip_prefix(folder).is_some_and(|it| it.starts_with('/'));
            FILES.iter().map(|(name, _)| *name).filter(below).map(str::to_owned).collect()
        }
    }

    fn deletions(command: &str, near: bool) -> Vec<String> {
        let world = Surroundings { cwd: Some("/shop"), facts: &Disk, ..Surroundings::default() };
        let analysis = analyze(command, &world);
        let all = analysis.effects.iter().filter(|effect| effect.kind == crate::Kind::Delete);
        let mut deleted: Vec<String> = all
            .filter_map(|effect| {
                let script = effect.script.and_then(|at| analysis.scripts.get(usize::from(at)));
                let path = script.map_or("", |script| script.path.as_str());
                let counts = script.is_some_and(|script| script.is_near) == near;
                counts.then(|| format!("{} {path}", effect.target.shown()))
            })
            .collect();
        deleted.dedup();
        deleted
    }

    fn deleted(command: &str) -> Vec<String> {
        deletions(command, false)
    }

    #[test]
    fn a_file_that_is_run_is_read_by_every_route() {
        for (command, expected) in [
            ("bash x.sh /etc", "/etc /shop/x.sh"),
            ("./x.sh /etc", "/etc /shop/x.sh"),
            (". ./x.sh /etc", "/etc /shop/x.sh"),
            ("env A=1 sh -e x.sh /etc", "/etc /shop/x.sh"),
            ("echo x.sh | xargs -I{} bash {} /etc", "/etc /shop/x.sh"),
            ("python3 x.py", "/etc /shop/helper.py"),
            ("node app.js", "/etc /shop/app.js"),
            ("make", "/etc /shop/Makefile"),
            ("npm run x", "/etc /shop/package.json"),
            ("pytest -q", "/etc/x /shop/tests/conftest.py"),
            ("python -m pytest", "/etc/x /shop/tests/conftest.py"),
            ("git commit -m x", "/etc /shop/.git/hooks/pre-commit"),
            ("cargo build", "/etc /shop/build.rs"),
            ("bash repo.sh", "/etc/z /shop/repo.sh"),
            ("bash self.sh", "/etc/y /shop/self.sh"),
            ("bash < self.sh", "/etc/y /shop/self.sh"),
            ("cat self.sh | sed 1d | sh", "/etc/y /shop/self.sh"),
            ("eval \"$(cat self.sh)\"", "/etc/y /shop/self.sh"),
            ("bash -c \"$(<self.sh)\"", "/etc/y /shop/self.sh"),
            ("cp self.sh z && sh z", "/etc/y /shop/self.sh"),
            ("mv self.sh z; bash z", "/etc/y /shop/self.sh"),
            ("ln -s self.sh z; bash z", "/etc/y /shop/self.sh"),
            ("python3 -c 'import helper'", "/etc /shop/helper.py"),
            ("node < app.js", "/etc /shop/app.js"),
        ] {
            assert_eq!(deleted(command), [expected], "{command}");
        }
    }

    #[test]
    fn a_file_that_a_program_may_load_is_near() {
        for command in [
            "python3 -m helper",
            "flask --app helper run",
            "uvicorn helper:app",
            "coverage run helper.py",
            "RUSTC_WRAPPER=./helper.py cargo build",
            "tox",
        ] {
            let near = deletions(command, true);
            assert_eq!(near.first().map(String::as_str), Some("/etc /shop/helper.py"), "{command}");
        }
        for command in ["cat helper.py", "ruff check helper.py", "shellcheck x.sh", "ls"] {
            assert_eq!(deletions(command, true), [""; 0], "{command}");
        }
    }

    #[test]
    fn a_file_that_is_only_looked_at_is_not_run() {
        for command in ["cat x.sh", "bash -n x.sh", "make other", "git status", "ls; cp x.sh y.sh"]
        {
            assert_eq!(deleted(command), [""; 0], "{command}");
        }
    }

    #[test]
    fn what_the_command_does_itself_belongs_to_no_script() {
        assert_eq!(deleted("bash x.sh /etc; rm y"), ["/etc /shop/x.sh", "/shop/y "]);
    }
}
