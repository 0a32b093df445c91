//! What cannot be judged: "cannot tell" is a finding of its own, never silence.

use tenter_shell::{Kind, PathTarget, Reason, Source, Span};

use crate::finding::{At, Found};
use crate::guard::{Check, Guard};
use crate::level::Weight;
use crate::places::Zone;
use crate::sample::Sample;
use crate::scene::Scene;

const UNREADABLE: Check = Check {
    id: "unreadable",
    weight: Weight::Doubtful,
    title: "the command is too long, too deep or too involved to follow",
    instead: "split it into shorter commands, or write it into a script that can be read",
    safe: &[],
};

const DYNAMIC_CODE: Check = Check {
    id: "dynamic-code",
    weight: Weight::Doubtful,
    title: "which program or code runs depends on something that cannot be known beforehand",
    instead: "name the program and its arguments in the command itself",
    safe: &[],
};

const LOCAL_CODE: Check = Check {
    id: "local-code",
    weight: Weight::Minor,
    title: "code from a file of the workspace, a known tool or a usual variable is run unseen",
    instead: "",
    safe: &[],
};

const SYNTAX: Check = Check {
    id: "syntax",
    weight: Weight::Minor,
    title: "the text does not follow the shell's grammar",
    instead: "correct the quoting",
    safe: &[],
};

pub(super) static GUARD: Guard = Guard {
    id: "unverified",
    title: "Commands that cannot be judged",
    page: "A guard that cannot tell says so. Text that is too long or too deep to follow, and programs or code that are \
           only known when the command runs, are findings of their own with a level of their own; they are never passed \
           over in silence. What tools print to be evaluated (`ssh-agent`, `direnv`, `brew shellenv`, completions), the \
           usual variables for programs (`$EDITOR`, `$PYTHON`) and scripts of the workspace are only recorded.",
    checks: &[UNREADABLE, DYNAMIC_CODE, LOCAL_CODE, SYNTAX],
    options: &[],
    optional: false,
    blocks: &[
        (Sample::Shell("eval \"$STEPS\""), "dynamic-code"),
        (Sample::Shell("$X -rf /"), "dynamic-code"),
        (Sample::Shell("bash -c \"$(cat /srv/steps)\""), "dynamic-code"),
        (Sample::Shell("eval \"$(ssh-agent -s)\""), "local-code"),
        (Sample::Shell("$EDITOR notes.md"), "local-code"),
        (Sample::Shell("cat scripts/build.sh | bash"), "local-code"),
        (Sample::Shell("f() { f; }; f"), "unreadable"),
        (Sample::Shell("echo 'open"), "syntax"),
    ],
    passes: &[
        Sample::Shell("echo \"$HOME\""),
        Sample::Shell("eval \"$(direnv hook bash)\""),
        Sample::Shell("source <(kubectl completion bash)"),
        Sample::Shell("${PYTHON:-python3} -m pytest -q"),
        Sample::Shell("cat scripts/build.sh | bash"),
    ],
    look,
};

/// Tools whose output is made to be evaluated by the shell.
const GENERATORS: &[&str] = &[
    "asdf",
    "atuin",
    "brew",
    "conda",
    "dircolors",
    "direnv",
    "docker",
    "docker-machine",
    "fnm",
    "gcloud",
    "gh",
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

/// Variables that name a program by custom.
const PROGRAM_VARIABLES: &[&str] = &[
    "AR",
    "AS",
    "BROWSER",
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
    "HELM",
    "JAVA",
    "JAVAC",
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
            Reason::TooLong | Reason::TooDeep | Reason::TooMuchWork | Reason::CutShort(_) => {
                &UNREADABLE
            }
        };
        found.add(check, At::span(doubt.span, ""), doubt.reason.message());
    }
}

/// Whether all that is run unseen here comes from where code usually comes from.
fn is_local(scene: &Scene<'_>, span: Span) -> bool {
    let mut known = false;
    for effect in scene.effects() {
        if effect.kind != Kind::Execute
            || !(span.contains(effect.span) || effect.span.contains(span))
        {
            continue;
        }
        let sources = effect.sources.sources();
        if sources.is_empty()
            || !sources.iter().all(|source| is_usual(scene, effect.action, source))
        {
            return false;
        }
        known = true;
    }
    known
}

fn is_usual(scene: &Scene<'_>, action: &str, source: &Source) -> bool {
    match source {
        Source::Program(name) => GENERATORS.contains(&&**name),
        Source::Variable(name) => {
            action == "dynamic-program" && PROGRAM_VARIABLES.contains(&&**name)
        }
        Source::File(path) => {
            let zone = scene.places.zone(&PathTarget::absolute(path));
            path.starts_with('/') && matches!(zone, Zone::Inside | Zone::Generated)
        }
        // Whether that is bad is the question of the guard `remote-code`.
        Source::Network(_) | Source::Decoded => true,
        Source::Environment | Source::Stdin | Source::Store(_) => false,
    }
}
