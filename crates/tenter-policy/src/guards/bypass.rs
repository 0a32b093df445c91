//! Guard against switching checks off: version control hooks, certificate checks, system protection, and the
//! guards of other agents.

use tenter_shell::Act;
use tenter_shell::{Effect, Field, Kind, Ran, Role, Target, unattended_option};

use super::rows::{tell, tell_of};
use crate::finding::{At, Found};
use crate::guard::{Check, Guard};
use crate::level::Weight;
use crate::places::Zone;
use crate::sample::Sample;
use crate::scene::{PassageKind, Scene};

const SKIP: Check = Check {
    id: "skip-hooks",
    weight: Weight::Doubtful,
    title: "skips the hooks that check a commit or push",
    instead: "run the hooks and fix what they report",
    safe: &["git commit -m 'fix the lint errors'", "git push origin topic"],
};

const REMOVE: Check = Check {
    id: "remove-hooks",
    weight: Weight::Doubtful,
    title: "deletes, empties, moves or disables hooks",
    instead: "keep the hooks and fix what they report",
    safe: &["git commit -m 'fix the lint errors'", "cat .husky/pre-commit"],
};

const MERGE: Check = Check {
    id: "skip-review",
    weight: Weight::Doubtful,
    title: "merges a pull request past its required checks",
    instead: "merge once the checks pass: `gh pr merge --auto --squash`",
    safe: &["gh pr checks --watch", "gh pr merge --auto --squash"],
};

const CERTIFICATES: Check = Check {
    id: "certificates-off",
    weight: Weight::Doubtful,
    title: "stops verifying server certificates",
    instead: "make the missing certificate trusted, and keep the verification on",
    safe: &["NODE_EXTRA_CA_CERTS=ca.pem node server.js", "git config http.sslCAInfo ca.pem"],
};

const INSECURE: Check = Check {
    id: "insecure-request",
    weight: Weight::Minor,
    title: "sends one request without verifying the server's certificate",
    instead: "",
    safe: &[],
};

const PROTECTION: Check = Check {
    id: "protection-off",
    weight: Weight::Doubtful,
    title: "switches off a protection of the system",
    instead: "",
    safe: &[],
};

const AGENT: Check = Check {
    id: "unguarded-agent",
    weight: Weight::Doubtful,
    title: "starts another agent without permission prompts",
    instead: "start it with its permission prompts on",
    safe: &["claude -p 'summarise the changes'", "codex exec 'explain this'"],
};

const ELSEWHERE: Check = Check {
    id: "hooks-elsewhere",
    weight: Weight::Minor,
    title: "uses another hooks folder",
    instead: "",
    safe: &[],
};

pub(super) static GUARD: Guard = Guard {
    id: "bypass",
    title: "Checks that are switched off",
    page: "\
An agent that meets a failing check should repair what it reports, not switch it off. This guard asks about \
`--no-verify`, `HUSKY=0` and `SKIP=` in front of git, a `core.hooksPath` that leads nowhere, hooks that are \
deleted, emptied or made not to run, `pre-commit uninstall`, `gh pr merge --admin`, certificates that are \
not looked at (`NODE_TLS_REJECT_UNAUTHORIZED=0`, `http.sslVerify false`), SELinux, AppArmor, Gatekeeper and \
Defender switched off, and other agents that are started with all their questions off \
(`--dangerously-skip-permissions`, `--yolo`).

Passes: commits and pushes with their hooks, installing hooks and managers of hooks, `core.hooksPath` set \
to a folder of the project, `HUSKY=0 npm ci`, and agents with their questions on. A single request without \
certificates (`curl -k`) is only recorded.

Option: `allow` lets hook files or agents pass by name.",
    checks: &[SKIP, REMOVE, MERGE, CERTIFICATES, INSECURE, PROTECTION, AGENT, ELSEWHERE],
    options: &[],
    optional: false,
    blocks: &[
        (Sample::Shell("git commit --no-verify -m wip"), "skip-hooks"),
        (Sample::Shell("git commit -anm wip"), "skip-hooks"),
        (Sample::Shell("git push --no-verify origin topic"), "skip-hooks"),
        (Sample::Shell("HUSKY=0 git commit -m wip"), "skip-hooks"),
        (Sample::Shell("export SKIP=eslint; git commit -m wip"), "skip-hooks"),
        (Sample::Shell("git -c core.hooksPath=/dev/null commit -m wip"), "skip-hooks"),
        (Sample::Shell("git config core.hooksPath /dev/null"), "skip-hooks"),
        (Sample::Shell("git config core.hooksPath .nothing"), "skip-hooks"),
        (Sample::Shell("pre-commit uninstall"), "remove-hooks"),
        (Sample::Shell("npx lefthook uninstall"), "remove-hooks"),
        (Sample::Shell("rm -f .git/hooks/pre-commit"), "remove-hooks"),
        (Sample::Shell("mv .husky /tmp/husky"), "remove-hooks"),
        (Sample::Shell("chmod -x .git/hooks/pre-push"), "remove-hooks"),
        (Sample::Shell("echo 'exit 0' > .husky/pre-commit"), "remove-hooks"),
        (Sample::Shell("ln -sf /dev/null .git/hooks/pre-commit"), "remove-hooks"),
        (Sample::Shell("cp /bin/true .git/hooks/pre-commit"), "remove-hooks"),
        (Sample::Write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n"), "remove-hooks"),
        (Sample::Delete(".husky/pre-commit"), "remove-hooks"),
        (Sample::Shell("gh pr merge 7 --squash --admin"), "skip-review"),
        (Sample::Shell("NODE_TLS_REJECT_UNAUTHORIZED=0 npm test"), "certificates-off"),
        (Sample::Shell("export NODE_TLS_REJECT_UNAUTHORIZED=0"), "certificates-off"),
        (Sample::Shell("git config --global http.sslVerify false"), "certificates-off"),
        (Sample::Shell("curl -sk https://shop.example.com"), "insecure-request"),
        (Sample::Shell("sudo setenforce 0"), "protection-off"),
        (Sample::Shell("spctl --master-disable"), "protection-off"),
        (Sample::Shell("systemctl stop auditd"), "protection-off"),
        (Sample::Shell("claude --dangerously-skip-permissions -p 'go on'"), "unguarded-agent"),
        (Sample::Shell("codex --yolo 'go on'"), "unguarded-agent"),
        (Sample::Shell("npx @google/gemini-cli --yolo"), "unguarded-agent"),
        (Sample::Shell("git config core.hooksPath .githooks"), "hooks-elsewhere"),
    ],
    passes: &[
        Sample::Shell("git commit -m 'say why --no-verify is bad'"),
        Sample::Shell("git commit -am wip && git push"),
        Sample::Shell("git log -n 5"),
        Sample::Shell("HUSKY=0 npm ci"),
        Sample::Shell("npx husky init"),
        Sample::Shell("pre-commit install && pre-commit run --all-files"),
        Sample::Shell("git config core.hooksPath .husky"),
        Sample::Shell("chmod +x .husky/pre-commit"),
        Sample::Shell("echo 'npx lint-staged' > .husky/pre-commit"),
        Sample::Shell("cat .git/hooks/pre-commit"),
        Sample::Shell("ln -sf ../../scripts/pre-commit .git/hooks/pre-commit"),
        Sample::Shell("rm .git/hooks/pre-commit.sample"),
        Sample::Write(".husky/pre-commit", "npx lint-staged\n"),
        Sample::Shell("gh pr merge 7 --squash --auto"),
        Sample::Shell("curl -k https://localhost:8443/health"),
        Sample::Shell("git config http.sslVerify true"),
        Sample::Shell("npm ci --no-audit --no-fund"),
        Sample::Shell("claude -p 'review this diff'"),
        Sample::Shell("codex exec --sandbox workspace-write 'run the tests'"),
        Sample::Shell("grep -rn -e --dangerously-skip-permissions docs"),
    ],
    look,
};

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        match effect.kind {
            Kind::HookBypass => bypass(scene, found, effect),
            Kind::Delete | Kind::Move | Kind::Overwrite | Kind::Write | Kind::Permission => {
                hook_file(scene, found, effect);
            }
            Kind::System if effect.action == Act::DisableProtection => {
                tell(found, effect, &PROTECTION, "disables a system protection");
            }
            Kind::System if effect.action == Act::TrustRoot => {
                tell(found, effect, &CERTIFICATES, "makes the machine believe another authority");
            }
            Kind::Service => service(found, effect),
            Kind::Execute if effect.action == Act::LoadLibrary => library(scene, found, effect),
            _ => {}
        }
        if effect.action == Act::Unquarantine {
            let what = "lets a download run without Gatekeeper's check";
            tell(found, effect, &PROTECTION, what);
        }
    }
    for ran in &scene.analysis.commands {
        program(found, ran);
        preloads(scene, found, ran);
    }
}

/// `LD_PRELOAD=/tmp/h.so ls`: a library from elsewhere is put into a program.
fn preloads(scene: &Scene<'_>, found: &mut Found<'_>, ran: &Ran) {
    let set =
        ran.assignments.iter().map(|(name, value)| (name.as_str(), value.clone(), value.span));
    let exports = ran.is(Role::SetsVariables);
    let exported = ran.argv.iter().skip(1).filter(|_| exports).filter_map(|field| {
        let (name, _) = field.prefix().split_once('=')?;
        let value = field.without_prefix(name.len().saturating_add(1))?;
        Some((field.prefix().split('=').next()?, value, field.span))
    });
    for (name, value, span) in set.chain(exported) {
        let path = value.exact().filter(|path| path.starts_with('/'));
        let Some(path) =
            path.filter(|_| matches!(name, "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES"))
        else {
            continue;
        };
        let zone = scene.places.zone(&tenter_shell::PathTarget::absolute(path));
        if matches!(zone, Zone::Temporary | Zone::Outside | Zone::Personal | Zone::HomeTree) {
            let what = format!("puts a library into the program: {path}");
            found.add(&PROTECTION, At::span(span, name), what);
        }
    }
}

/// `ssh-keygen -D /tmp/x.so`
fn library(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let Some(path) = effect.target.path() else { return };
    let zone = scene.places.zone(path);
    if matches!(zone, Zone::Temporary | Zone::Outside | Zone::Personal | Zone::HomeTree) {
        let what = format!("puts a library into the program: {}", path.shown());
        tell(found, effect, &PROTECTION, &what);
    }
}

fn bypass(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    match effect.action {
        Act::HooksPath => hooks_path(scene, found, effect),
        Act::HooksRemoved => tell(found, effect, &REMOVE, "uninstalls git hooks"),
        Act::TlsOff => {
            tell(found, effect, &CERTIFICATES, "makes git accept any server certificate");
        }
        Act::AdminMerge => tell(found, effect, &MERGE, "merges without the required checks"),
        Act::HooksDisabled => tell(found, effect, &SKIP, "skips hooks with a variable"),
        _ => tell(found, effect, &SKIP, "skips the git hooks"),
    }
}

fn hooks_path(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let kept = scene.program(effect).is_some_and(|ran| ran.argv.iter().any(|it| it.is("config")));
    let real = effect.target.path().is_some_and(|path| {
        !matches!(
            scene.places.zone(path),
            Zone::Nothing | Zone::Temporary | Zone::Workspace | Zone::Unknown
        ) && holds_named_hooks(&path.shown())
    });
    if kept && real {
        tell(found, effect, &ELSEWHERE, "points git at another hooks folder");
    } else {
        tell(found, effect, &SKIP, "points git at a folder without hooks");
    }
}

/// Whether a folder's name suggests hooks, and not the absence of hooks.
fn holds_named_hooks(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    has(&["hook", "husky"]) && !has(&["nohook", "no-hook", "no_hook", "empty", "disabled"])
}

/// Whether the path is a hook folder.
fn holds_hooks(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    if path.ends_with(".sample") {
        return false;
    }
    let below = |folder: &str| {
        path.find(folder).is_some_and(|at| {
            let rest = path.get(at + folder.len()..).unwrap_or_default();
            rest.is_empty() || rest.starts_with('/')
        })
    };
    below("/.git/hooks")
        || below("/.husky")
        || matches!(
            name,
            ".pre-commit-config.yaml" | "lefthook.yml" | ".lefthook.yml" | ".overcommit.yml"
        )
}

fn hook_file(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let Target::Path(path) = &effect.target else { return };
    let shown = path.shown();
    if !holds_hooks(&shown) {
        return;
    }
    let what = match effect.kind {
        Kind::Delete => "deletes hooks",
        Kind::Move => "moves hooks out of place",
        Kind::Permission if takes_execution(scene, effect) => "makes hooks not executable",
        Kind::Overwrite | Kind::Write if writes_nothing(scene, effect, &shown) => "empties a hook",
        _ => return,
    };
    tell_of(found, effect, &REMOVE, what, &shown);
}

/// Whether a mode removes the executable bit.
fn takes_execution(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Some(ran) = scene.program(effect) else { return false };
    ran.argv.iter().skip(1).filter_map(Field::exact).any(|mode| {
        let number = mode.len() >= 3 && mode.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
        let odd = |byte: u8| byte & 1 == 1;
        mode.contains("-x")
            || mode.contains("-rwx")
            || (number && !mode.bytes().rev().take(3).any(odd))
    })
}

/// Whether a hook is replaced by one that checks nothing.
fn writes_nothing(scene: &Scene<'_>, effect: &Effect, path: &str) -> bool {
    let Some(ran) = scene.program(effect) else {
        return scene.passages.iter().any(|passage| {
            passage.kind == PassageKind::Written
                && passage.path.as_deref().is_some_and(|written| path.ends_with(written))
                && checks_nothing(&passage.text)
        });
    };
    let mut words = ran.argv.iter().skip(1).filter_map(Field::exact);
    match () {
        () if ran.is(Role::Places) => {
            words.any(|text| matches!(text, "/dev/null" | "/bin/true" | "/usr/bin/true"))
        }
        () if ran.is(Role::PrintsNothing) => true,
        () => {
            let says_nothing = |text: &str| checks_nothing(&text.replace("\\n", "\n"));
            ran.is(Role::Prints) && words.all(|text| text.starts_with('-') || says_nothing(text))
        }
    }
}

/// Whether a script contains no effective line.
fn checks_nothing(script: &str) -> bool {
    script.lines().map(str::trim).all(|line| {
        line.is_empty() || line.starts_with('#') || matches!(line, "exit 0" | "exit" | "true" | ":")
    })
}

/// Security and monitoring services.
const WATCHERS: &[&str] = &[
    "apparmor",
    "auditd",
    "clamav-daemon",
    "clamd",
    "crowdstrike",
    "fail2ban",
    "falcon-sensor",
    "mdatp",
    "osqueryd",
    "sentinelone",
    "wazuh-agent",
    "windefend",
];

fn service(found: &mut Found<'_>, effect: &Effect) {
    if !matches!(effect.action, Act::Stop | Act::Disable | Act::Mask | Act::Remove | Act::Delete) {
        return;
    }
    let name = effect.target.shown();
    let bare = name.strip_suffix(".service").unwrap_or(&name);
    if WATCHERS.iter().any(|known| known.eq_ignore_ascii_case(bare)) {
        tell(found, effect, &PROTECTION, "stops a security service");
    }
}

/// Variables that disable certificate checks.
const TRUSTING: &[(&str, &str)] =
    &[("NODE_TLS_REJECT_UNAUTHORIZED", "0"), ("PYTHONHTTPSVERIFY", "0")];

/// Checks programs by their arguments where there is no effect.
fn program(found: &mut Found<'_>, ran: &Ran) {
    for (name, value) in &ran.assignments {
        if TRUSTING.iter().any(|(known, off)| known == name && value.is(off)) {
            let at = At::span(value.span, name);
            found.add(
                &CERTIFICATES,
                at,
                format!("makes the program accept any certificate: `{name}`"),
            );
        }
    }
    if ran.is(Role::SetsVariables) {
        for field in ran.argv.iter().skip(1) {
            let Some((name, value)) = field.exact().and_then(|text| text.split_once('=')) else {
                continue;
            };
            if TRUSTING.iter().any(|(known, off)| *known == name && *off == value) {
                let what = format!("makes all programs accept any certificate: `{name}`");
                found.add(&CERTIFICATES, At::span(field.span, name), what);
            }
        }
    } else if let Some(option) = ran.insecure_option() {
        insecure(found, ran, option);
    } else if let Some(option) = unattended_option(ran) {
        let what = format!("starts `{ran}` without permission prompts");
        found.add(&AGENT, At { span: Some(option.span), ..At::program(ran) }, what);
    }
}

fn insecure(found: &mut Found<'_>, ran: &Ran, option: &Field) {
    let here = |field: &Field| {
        field.prefix().contains("localhost") || field.prefix().contains("127.0.0.1")
    };
    if !ran.argv.iter().any(here) {
        let what = "does not verify the server's certificate";
        found.add(&INSECURE, At::span(option.span, ""), what);
    }
}
