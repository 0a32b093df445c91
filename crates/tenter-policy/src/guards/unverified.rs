//! Guard of commands that cannot be judged: unknown is a finding, never silently accepted.

use tenter_shell::Act;
use tenter_shell::{Field, Kind, PathTarget, Ran, Reason, Role, Source, Span, Target};

use crate::finding::{At, Found};
use crate::guard::{Check, Guard};
use crate::level::Weight;
use crate::places::Zone;
use crate::sample::Sample;
use crate::scene::Scene;

const UNREADABLE: Check = Check {
    id: "unreadable",
    weight: Weight::Doubtful,
    title: "runs a command too long, deep or complex to check",
    instead: "split it into shorter commands",
    safe: &[],
};

const DYNAMIC_CODE: Check = Check {
    id: "dynamic-code",
    weight: Weight::Doubtful,
    title: "runs a program or code that tenter cannot see",
    instead: "name the program and its arguments in the command",
    safe: &[],
};

const PIPED_CODE: Check = Check {
    id: "piped-code",
    weight: Weight::Doubtful,
    title: "lets piped input choose the program that xargs or parallel runs",
    instead: "name the program after xargs and pipe in only its arguments",
    safe: &["git ls-files | xargs wc -l"],
};

const LOCAL_CODE: Check = Check {
    id: "local-code",
    weight: Weight::Minor,
    title: "runs code from a workspace file, a known tool or a usual variable unseen",
    instead: "",
    safe: &[],
};

const SYNTAX: Check = Check {
    id: "syntax",
    weight: Weight::Minor,
    title: "is not valid shell syntax",
    instead: "correct the quoting",
    safe: &[],
};

const MALFORMED: Check = Check {
    id: "malformed",
    weight: Weight::Doubtful,
    title: "lacks a tool name or readable input, or has an unknown event name",
    instead: "call the tool again with its documented input",
    safe: &[],
};

const INTERACTIVE: Check = Check {
    id: "interactive",
    weight: Weight::Doubtful,
    title: "starts a program that takes typed input, which hooks do not see",
    instead: "pass the commands in the call, as `bash -c '<commands>'`",
    safe: &["bash -c 'ls -l'"],
};

pub(super) static GUARD: Guard = Guard {
    id: "unverified",
    title: "Commands that cannot be judged",
    page: "A guard that cannot tell says so. Text that is too long or too deep to follow, and programs or code that are \
           only known when the command runs, are findings of their own with a level of their own; they are never passed \
           over in silence. Output that tools print for `eval` (`ssh-agent`, `direnv`, `brew shellenv`, completions), the \
           usual variables for programs (`$EDITOR`, `$PYTHON`) and scripts of the workspace are only recorded; lines that \
           `xargs`, `parallel` or `awk` take for code one by one are not such a script.\n\n\
           A tool call that lacks its name or its input, or comes under an unknown event, is asked about, too: what it would \
           do cannot be told. And where a host types into running \
           programs without calling a hook (Codex's `write_stdin`, openai/codex#46372), starting a shell, an interpreter, \
           a database client, a debugger or a login without commands of its own is asked about: all that follows would be \
           unseen. With `tty: false` in the call, or with its input redirected, such a program is harmless and passes.",
    checks: &[UNREADABLE, DYNAMIC_CODE, PIPED_CODE, LOCAL_CODE, SYNTAX, MALFORMED, INTERACTIVE],
    options: &[],
    optional: false,
    blocks: &[
        (Sample::Shell("eval \"$STEPS\""), "dynamic-code"),
        (Sample::Shell("$X -rf /"), "dynamic-code"),
        (Sample::Shell("bash -c \"$(cat /srv/steps)\""), "dynamic-code"),
        (Sample::Shell("source \"$SETTINGS\""), "dynamic-code"),
        (Sample::Shell("./t??/r* -rf x"), "dynamic-code"),
        (Sample::Shell("echo date | xargs -I{} bash -c {}"), "piped-code"),
        (Sample::Shell("printf 'ls /srv' | xargs sh -c"), "piped-code"),
        (Sample::Shell("xargs -I{} sh -c '{}' < steps.txt"), "dynamic-code"),
        (Sample::Shell("cat steps.txt | parallel"), "dynamic-code"),
        (Sample::Shell("awk '{ system($0) }' steps.txt"), "dynamic-code"),
        (Sample::Shell("printf 'date' | xargs sh -c 'eval \"$1\"' _"), "piped-code"),
        (Sample::Shell("eval \"$(ssh-agent -s)\""), "local-code"),
        (Sample::Shell("$EDITOR notes.md"), "local-code"),
        (Sample::Shell("cat scripts/build.sh | bash"), "local-code"),
        (Sample::Shell("f() { f; }; f"), "unreadable"),
        (Sample::Shell("echo 'open"), "syntax"),
        (Sample::Malformed("Bash", "lacks the input that this tool needs"), "malformed"),
        (Sample::Terminal("bash"), "interactive"),
        (Sample::Terminal("cd app && exec python3 -q"), "interactive"),
        (Sample::Terminal("ssh -p 2222 deploy@host.example"), "interactive"),
        (Sample::Terminal("docker exec -it web bash"), "interactive"),
        (Sample::Terminal("kubectl exec -it web-0 -- sh"), "interactive"),
        (Sample::Terminal("psql -h db.example shop"), "interactive"),
        (Sample::Terminal("sqlite3 shop.db"), "interactive"),
        (Sample::Terminal("script -q /dev/null"), "interactive"),
        (Sample::Terminal("tmux new -s x"), "interactive"),
    ],
    passes: &[
        Sample::Shell("echo \"$HOME\""),
        Sample::Shell("eval \"$(direnv hook bash)\""),
        Sample::Shell("source <(kubectl completion bash)"),
        Sample::Shell("${PYTHON:-python3} -m pytest -q"),
        Sample::Shell("cat scripts/build.sh | bash"),
        Sample::Shell("source \"$TOOLS/functions.sh\" && prepare"),
        Sample::Shell("./target/debug/deps/cart-* --list"),
        Sample::Shell("for n in $(seq 1 300); do ./poll --round $n; done"),
        Sample::Shell(
            "case $OSTYPE in darwin*) GREP=ggrep ;; *) GREP=grep ;; esac; $GREP -c x a.txt",
        ),
        Sample::Shell("echo 'alias k=kubectl' >> ~/.bashrc && source ~/.bashrc"),
        Sample::Shell("git clone . /tmp/clean && cd /tmp/clean && ./check.sh"),
        Sample::Shell("cp -r ../shop /tmp/copy && bash /tmp/copy/check.sh"),
        Sample::Shell("bash"),
        Sample::Terminal("bash scripts/build.sh --fast"),
        Sample::Terminal("bash -lc 'npm test'"),
        Sample::Terminal("python3 -m pytest -q && node build.js"),
        Sample::Terminal("python3 - <<'E'\nprint(1)\nE"),
        Sample::Terminal("psql shop -c 'select 1'"),
        Sample::Terminal("sqlite3 shop.db 'select 1'"),
        Sample::Terminal("echo '.tables' | sqlite3 shop.db"),
        Sample::Terminal("bash < scripts/build.sh"),
        Sample::Terminal("docker exec web ls /app"),
        Sample::Terminal("tmux ls"),
        Sample::Terminal("python3 < /dev/null"),
    ],
    look,
};

/// Tools whose output is meant to be evaluated by the shell.
const GENERATORS: &[&str] = &[
    "asdf",
    "atuin",
    "bazel",
    "brew",
    "cargo",
    "conda",
    "dircolors",
    "direnv",
    "docker",
    "docker-machine",
    "fnm",
    "gcloud",
    "gh",
    "go",
    "goenv",
    "helm",
    "jenv",
    "keychain",
    "kubectl",
    "lesspipe",
    "lesspipe.sh",
    "luarocks",
    "mamba",
    "micromamba",
    "minikube",
    "mise",
    "nodenv",
    "npm",
    "oh-my-posh",
    "opam",
    "phpenv",
    "pip",
    "pipenv",
    "pnpm",
    "poetry",
    "pyenv",
    "rbenv",
    "register-python-argcomplete",
    "resize",
    "rtx",
    "rustup",
    "scalaenv",
    "ssh-agent",
    "starship",
    "swift",
    "task",
    "tenv",
    "thefuck",
    "tfenv",
    "tset",
    "uv",
    "volta",
    "yarn",
    "zoxide",
];

/// Some of them print other data too: from a container, a cluster, a registry.
const SPEAKERS: &[&str] =
    &["docker", "gcloud", "gh", "helm", "kubectl", "npm", "pip", "pnpm", "uv", "yarn"];

/// Variables that name a program by convention.
const PROGRAM_VARIABLES: &[&str] = &[
    "ADB",
    "AR",
    "AS",
    "AWK",
    "BROWSER",
    "BUF",
    "BUN",
    "BUNDLE",
    "CARGO",
    "CC",
    "CLANG",
    "CMAKE",
    "COMPOSE",
    "COMPOSER",
    "CXX",
    "DENO",
    "DIFF",
    "DOCKER",
    "DOCKER_COMPOSE",
    "EDITOR",
    "FC",
    "GCC",
    "GIT",
    "GO",
    "GRADLE",
    "GRADLEW",
    "GREP",
    "HELM",
    "INSTALL",
    "JAVA",
    "JAVAC",
    "JQ",
    "KUBECTL",
    "LD",
    "MAKE",
    "MVN",
    "NINJA",
    "NM",
    "NODE",
    "NPM",
    "NPX",
    "OBJCOPY",
    "OBJDUMP",
    "PAGER",
    "PERL",
    "PHP",
    "PIP",
    "PIP3",
    "PNPM",
    "PODMAN",
    "POETRY",
    "PROTOC",
    "PYTEST",
    "PYTHON",
    "PYTHON3",
    "RAKE",
    "RANLIB",
    "RUBY",
    "RUFF",
    "RUSTC",
    "SED",
    "SHELL",
    "STRIP",
    "TAR",
    "TERRAFORM",
    "TOFU",
    "UV",
    "VISUAL",
    "YARN",
];

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for doubt in &scene.analysis.unverified {
        let check = match doubt.reason {
            Reason::Syntax(_) => &SYNTAX,
            Reason::DynamicProgram | Reason::DynamicCode if is_local(scene, doubt.span) => {
                &LOCAL_CODE
            }
            Reason::DynamicProgram | Reason::DynamicCode => &DYNAMIC_CODE,
            Reason::TooLong
            | Reason::TooDeep
            | Reason::TooMuchWork
            | Reason::TooManyFiles
            | Reason::CutShort(_) => &UNREADABLE,
        };
        found.add(check, At::span(doubt.span, ""), doubt.reason.message());
    }
    for doubt in &scene.doubts {
        found.add(&MALFORMED, At::subject(""), format!("is a call that {doubt}"));
    }
    let types = scene.event.tool_call().is_some_and(|call| call.unhooked_input);
    for ran in scene.analysis.commands.iter().filter(|_| types) {
        if ran.waits_for_commands() {
            let what = format!("starts {ran}, which runs what is typed into it later, unseen");
            found.add(&INTERACTIVE, At::program(ran), what);
        }
    }
    for ran in &scene.analysis.commands {
        // The program's name is in the command, unless it came through a pipe.
        if takes_code(ran) && !scene.words(ran.span).contains(&ran.to_string()) {
            let what = "runs programs named in its piped input";
            found.add(&PIPED_CODE, At::program(ran), what);
        }
    }
}

/// Whether it runs in a shell started by `xargs` or `parallel`.
fn takes_code(ran: &Ran) -> bool {
    // `xargs sh -c 'eval "$1"' _` passes it on once more.
    let via = match ran.via.as_slice() {
        [rest @ .., last] if &*last.name == "eval" => rest,
        all => all,
    };
    let [.., feeder, shell] = via else { return false };
    feeder.is(Role::FeedsLines) && shell.is(Role::Shell)
}

/// Whether all unknown code run here comes from a usual source.
fn is_local(scene: &Scene<'_>, span: Span) -> bool {
    let mut known = false;
    for effect in scene.effects() {
        if effect.kind != Kind::Execute
            || !(span.contains(effect.span) || effect.span.contains(span))
        {
            continue;
        }
        let sources = effect.sources.sources();
        // A script is meant to be run; lines read one by one are data.
        if scene.program(effect).is_some_and(reads_lines) {
            return false;
        }
        if is_of_workspace(scene, &effect.target) {
            known = true;
            continue;
        }
        if sources.is_empty()
            || !sources.iter().all(|source| is_usual(scene, effect.action, source))
        {
            return false;
        }
        known = true;
    }
    known
}

/// Whether a program reads code line by line from its input.
fn reads_lines(ran: &Ran) -> bool {
    ran.is(Role::FeedsLines)
        || ran.is(Role::Awk)
        || ran.via.iter().any(|via| via.is(Role::FeedsLines))
}

/// Whether it is a program built in the workspace: `./target/debug/deps/cart-*`, `$(find target -name cart)`.
fn is_of_workspace(scene: &Scene<'_>, target: &Target) -> bool {
    let Target::Name(text) = target else { return false };
    let Some((_, name)) = text.rsplit_once('/') else { return false };
    let pattern = text.contains(['*', '?', '[']);
    // `./$APP`
    if text.starts_with("./$") && !text.contains("..") && !pattern {
        return true;
    }
    let said = name.bytes().take_while(u8::is_ascii_alphanumeric).count() >= 3;
    if !said || text.contains('$') || !pattern {
        return false;
    }
    let path = PathTarget::resolve(&Field::text(text.as_str(), Span::default()), scene.places.cwd);
    matches!(scene.places.zone(&path), Zone::Inside | Zone::Generated)
}

/// Whether a local folder is copied or cloned completely: its scripts could as well be run in the original.
fn is_copied_whole(scene: &Scene<'_>, path: &str) -> bool {
    scene.effects().iter().any(|effect| {
        effect.kind == Kind::Read
            && effect.recursive
            && matches!(effect.action, Act::Clone | Act::Copy)
            && matches!(&effect.target, Target::Path(folder) if folder.shown() == path)
    })
}

/// Whether an archive was unpacked into this folder: where that comes from counts instead.
fn is_unpacked(scene: &Scene<'_>, path: &str) -> bool {
    scene.effects().iter().any(|effect| {
        let into = effect.target.shown();
        effect.action == Act::Extract && into.strip_suffix("/**/*") == Some(path)
    })
}

fn is_usual(scene: &Scene<'_>, action: Act, source: &Source) -> bool {
    match source {
        Source::Program(name) => {
            GENERATORS.contains(&&**name)
                && (action == Act::DynamicProgram
                    || !SPEAKERS.contains(&&**name)
                    || prints_code(scene, name))
        }
        Source::Variable(name) => {
            // `$BIN`, `$APP_BIN`, `$CLOUDSDK_PYTHON`
            let ending = ["BIN", "_EXE", "_PYTHON"].iter().any(|end| name.ends_with(end));
            action == Act::DynamicProgram
                && (ending
                    || PROGRAM_VARIABLES.iter().any(|known| known.eq_ignore_ascii_case(name)))
        }
        Source::File(path) => {
            let zone = scene.places.zone(&PathTarget::absolute(path));
            let inside = matches!(zone, Zone::Inside | Zone::Generated | Zone::Workspace);
            tenter_shell::is_absolute(path) && inside
                || is_copied_whole(scene, path)
                || is_unpacked(scene, path)
        }
        // Whether that is dangerous is decided by the guard `remote-code`.
        Source::Network(_) | Source::Decoded => true,
        Source::Environment | Source::Stdin | Source::Store(_) => false,
    }
}

/// Whether a program prints code by request: `kubectl completion bash`, `gh copilot alias`.
fn prints_code(scene: &Scene<'_>, program: &str) -> bool {
    let asked = |word: &Field| {
        let text = word.prefix();
        text.contains("complet") || matches!(text, "activate" | "alias" | "env" | "hook" | "init")
    };
    scene.analysis.commands.iter().any(|ran| ran.is_named(program) && ran.argv.iter().any(asked))
}
