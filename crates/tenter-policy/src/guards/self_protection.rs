//! The guard's own settings and those that make hosts call it.

mod places;

use tenter_shell::{Effect, Kind, PathKind, PathTarget, Ran, Target};

use crate::finding::{At, Found};
use crate::guard::{Check, Guard};
use crate::level::Weight;
use crate::places::Zone;
use crate::sample::Sample;
use crate::scene::Scene;

const SETTINGS: Check = Check {
    id: "settings",
    weight: Weight::Grave,
    title: "hook settings of a host, or the guard's own policy, state or program are changed",
    instead: "tell the user which change you propose and why; a human makes it",
    safe: &["cat .cursor/hooks.json", "tenter status", "tenter policy show"],
};

const FOLDER: Check = Check {
    id: "folder",
    weight: Weight::Doubtful,
    title: "a folder that may hold hook settings is deleted, moved or written over",
    instead: "name what is meant inside of the folder",
    safe: &["ls .cursor", "rm .cursor/rules/old.mdc"],
};

const COMMAND: Check = Check {
    id: "command",
    weight: Weight::Grave,
    title: "the guard is told to stand aside: uninstalled, excepted, trusted, cleared",
    instead: "ask the user to run it",
    safe: &["tenter status", "tenter explain -- 'git status'"],
};

const KILL: Check = Check {
    id: "kill",
    weight: Weight::Grave,
    title: "the guard's processes are killed or its package is removed",
    instead: "ask the user; `tenter doctor` shows whether something is wrong with it",
    safe: &["tenter doctor"],
};

const SWITCH: Check = Check {
    id: "switch",
    weight: Weight::Grave,
    title: "an agent is started with its hooks or this guard switched off",
    instead: "start it as it is set up",
    safe: &["claude -p 'say hello'"],
};

const MOVED: Check = Check {
    id: "other-settings",
    weight: Weight::Doubtful,
    title: "an agent is started with settings from elsewhere, and so without these hooks",
    instead: "start it as it is set up",
    safe: &["claude -p 'say hello'"],
};

pub(super) static GUARD: Guard = Guard {
    id: "self-protection",
    title: "The guard's own settings and those that make hosts call it",
    page: "\
A guard that the guarded can switch off is none. No tool, command or code may change the hook settings
of any host (of the user, the project or the machine), this guard's policy, state, cache or program, nor
delete, move, link over, mount over or lock them. Nor may an agent run `tenter uninstall`,
`tenter install`, `tenter allow` or `tenter trust`, kill the guard's processes, remove its package, or start
another agent with hooks switched off. Asked about: an agent started with another home or settings folder.

Reading all of that passes, and so does everything else in the folders of hosts: rules, commands, skills.

A human at a terminal can do all of it; the exception is asked for there, not here.",
    checks: &[SETTINGS, FOLDER, COMMAND, KILL, SWITCH, MOVED],
    options: &[],
    optional: false,
    blocks: BLOCKS,
    passes: PASSES,
    look,
};

const BLOCKS: &[(Sample<'static>, &str)] = &[
    (Sample::Shell("sed -i s/tenter/true/ ~/.cursor/hooks.json"), "settings"),
    (
        Sample::Shell("jq 'del(.hooks)' .claude/settings.json > x && mv x .claude/settings.json"),
        "settings",
    ),
    (
        Sample::Shell("python3 -c 'import os; os.remove(\"/home/me/.codex/hooks.json\")'"),
        "settings",
    ),
    (Sample::Shell("ln -sf /dev/null ~/.cursor/hooks.json"), "settings"),
    (
        Sample::Shell("sudo mount --bind /dev/null /etc/claude-code/managed-settings.json"),
        "settings",
    ),
    (Sample::Shell("chmod -x ~/.local/bin/tenter"), "settings"),
    (Sample::Shell("echo 'version = 1' > tenter.toml"), "settings"),
    (Sample::Shell("rm -rf ~/.config/tenterhook/*"), "settings"),
    (Sample::Shell("git rm .cursor/hooks.json"), "settings"),
    (Sample::Write("/home/me/shop/.claude/settings.local.json", "{}"), "settings"),
    (Sample::Edit(".cursor/hooks.json", "{}"), "settings"),
    (Sample::Delete("/home/me/.gemini/settings.json"), "settings"),
    (Sample::Shell("rm -rf ~/.config/tenterhook"), "settings"),
    (Sample::Shell("rm \"$(which tenter)\""), "settings"),
    (Sample::Shell("chmod -x \"$(command -v tenter)\""), "settings"),
    (Sample::Shell("rm -rf ~/.cursor"), "folder"),
    (Sample::Shell("mv .claude /tmp/old"), "folder"),
    (Sample::Shell("tar xf a.tgz -C ~/.claude"), "folder"),
    (Sample::Shell("tenter uninstall cursor"), "command"),
    (Sample::Shell("sudo env -u X tenter allow once abcd"), "command"),
    (Sample::Shell("tenter install --events Stop --yes"), "command"),
    (Sample::Shell("tenter doctor --fix"), "command"),
    (Sample::Shell("pkill -f tenter"), "kill"),
    (Sample::Shell("cargo uninstall tenter-cli"), "kill"),
    (Sample::Shell("kill -9 $(pgrep tenter)"), "kill"),
    (Sample::Shell("TENTER_OFF=1 claude -p hi"), "switch"),
    (Sample::Shell("claude --settings '{\"disableAllHooks\":true}' -p hi"), "switch"),
    (Sample::Shell("codex exec -c features.hooks=false hi"), "switch"),
    (Sample::Shell("codex --disable hooks exec hi"), "switch"),
    (Sample::Shell("claude -p hi --setting-sources project"), "switch"),
    (Sample::Shell("CLAUDE_CONFIG_DIR=/tmp/x claude -p hi"), "other-settings"),
    (Sample::Shell("env HOME=/tmp/x codex exec hi"), "other-settings"),
];

const PASSES: &[Sample<'static>] = &[
    Sample::Shell("cat .cursor/hooks.json ~/.claude/settings.json"),
    Sample::Shell("ls -la ~/.cursor .claude"),
    Sample::Shell("cp .claude/settings.json /tmp/settings.bak"),
    Sample::Shell("rm .cursor/rules/old.mdc"),
    Sample::Shell("rm fixtures/cursor/hooks.json"),
    Sample::Shell("mkdir -p .claude/commands && echo hi > .claude/commands/a.md"),
    Sample::Shell("tenter status"),
    Sample::Shell("tenter install --dry-run"),
    Sample::Shell("tenter doctor"),
    Sample::Shell("tenter prove --json"),
    Sample::Shell("claude -p hi --setting-sources user,project"),
    Sample::Shell("HOME=/tmp/x npm test"),
    Sample::Shell("tenter explain -- 'rm -rf /'"),
    Sample::Shell("tenter check -- 'rm -rf /'"),
    Sample::Shell("git add .cursor/hooks.json tenter.toml"),
    Sample::Shell("echo '{}' > .vscode/settings.json"),
    Sample::Shell("claude -p 'say hello'"),
    Sample::Shell("pgrep -fl tenter"),
    Sample::Shell("grep -rn disableAllHooks docs"),
    Sample::Read("/home/me/.cursor/hooks.json"),
    Sample::Write("/home/me/shop/.claude/agents/helper.md", "hi"),
    Sample::Write("/home/me/shop/src/settings.json", "{}"),
];

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        match (&effect.kind, &effect.target) {
            (
                Kind::Write
                | Kind::Append
                | Kind::Overwrite
                | Kind::Delete
                | Kind::Move
                | Kind::Permission
                | Kind::Owner
                | Kind::System
                | Kind::VcsWorktree,
                Target::Path(path),
            ) => changes(scene, effect, path, found),
            (Kind::System, Target::Name(name)) if managed(name) => {
                let what = format!("changes the managed settings of a host: {name}");
                found.add(&SETTINGS, At::effect(effect, name), what);
            }
            (Kind::Process | Kind::Service, Target::Name(name))
                if is_own_name(name) || kills_found(scene, effect) =>
            {
                found.add(&KILL, At::effect(effect, name), "stops the guard's processes");
            }
            (Kind::Install, Target::Name(name))
                if effect.action == "uninstall" && is_own_name(name) =>
            {
                found.add(&KILL, At::effect(effect, name), format!("removes the package {name}"));
            }
            _ => {}
        }
    }
    for ran in &scene.analysis.commands {
        runs(ran, found);
    }
}

fn changes(scene: &Scene<'_>, effect: &Effect, path: &PathTarget, found: &mut Found<'_>) {
    if path.elsewhere || scene.places.zone(path) == Zone::Temporary {
        return;
    }
    let shown = path.shown();
    let real = path.real.as_deref();
    let whole = takes_all(effect);
    let holder = places::holder(&shown, whole);
    let holder = holder.or_else(|| real.and_then(|real| places::holder(real, whole)));
    let holder = holder.or_else(|| is_own(scene, effect, path).then_some("this guard"));
    let holder = holder.or_else(|| is_found(path).then_some("this guard"));
    if let Some(holder) = holder {
        let what = format!("changes the settings of {holder}: {shown}");
        found.add(&SETTINGS, At::effect(effect, &shown), what);
        return;
    }
    if !whole {
        return;
    }
    let folder = shown.trim_end_matches("/**/*").trim_end_matches("/*");
    for (holder, rest) in places::below(folder) {
        let inside = format!("{}/{rest}", folder.trim_end_matches('/'));
        let check = match scene.world.kind(&inside) {
            Some(PathKind::Missing) => continue,
            Some(_) => &SETTINGS,
            None => &FOLDER,
        };
        let what = format!("changes a folder that holds settings of {holder}: {shown}");
        found.add(check, At::effect(effect, &shown), what);
        return;
    }
}

/// Whether an effect on a folder reaches what is in it.
fn takes_all(effect: &Effect) -> bool {
    match effect.kind {
        Kind::Move => true,
        Kind::Write | Kind::Overwrite => matches!(effect.action, "extract" | "rsync" | "mirror"),
        Kind::System => effect.action == "mount",
        _ => effect.recursive,
    }
}

/// Whether it is one of the places the caller has named, or lies in one, or takes one with it.
fn is_own(scene: &Scene<'_>, effect: &Effect, path: &PathTarget) -> bool {
    let shown = path.shown();
    scene.places.own.iter().any(|own| {
        let inside = |path: &str| {
            path.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        inside(&shown)
            || path.real.as_deref().is_some_and(inside)
            || takes_all(effect)
                // What is in an archive is mostly something else.
                && effect.action != "extract"
                && shown.starts_with('/')
                && scene.places.reaches(path, own)
    })
}

fn managed(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["policies\\claudecode", "com.anthropic.claudecode", "policies\\cursor", "com.openai.codex"]
        .iter()
        .any(|known| name.contains(known))
}

fn is_own_name(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or_default();
    name.starts_with("tenter-") || matches!(name, "tenter" | "tenterhook" | "tenter.exe")
}

/// `rm "$(which tenter)"`
fn is_found(path: &PathTarget) -> bool {
    let shown = path.shown();
    shown.starts_with("$(") && shown.rsplit_once('/').is_some_and(|(_, name)| is_own_name(name))
}

/// `kill $(pgrep tenter)`
fn kills_found(scene: &Scene<'_>, effect: &Effect) -> bool {
    let asks = |ran: &Ran| {
        matches!(ran.program.as_str(), "pgrep" | "pidof" | "ps" | "grep")
            && ran.argv.iter().skip(1).any(|field| field.exact().is_some_and(is_own_name))
    };
    let unknown = matches!(&effect.target, Target::Name(name) if name.starts_with('$'));
    unknown && scene.analysis.commands.iter().any(asks)
}

fn runs(ran: &Ran, found: &mut Found<'_>) {
    let word =
        |at: usize| ran.argv.get(at).and_then(tenter_shell::Field::exact).unwrap_or_default();
    match ran.program.as_str() {
        "tenter" => {
            let has = |flag: &str| ran.argv.iter().any(|field| field.exact() == Some(flag));
            let stands_aside = match word(1) {
                "uninstall" | "allow" | "trust" | "prune" => true,
                "install" | "init" => !has("--dry-run") && !has("--help"),
                "doctor" => has("--fix"),
                _ => false,
            };
            if stands_aside {
                let verb = word(1);
                let what = format!("runs `tenter {verb}`, which only a human may");
                found.add(&COMMAND, At::span(ran.span, verb), what);
            }
        }
        agent @ ("claude" | "codex" | "cursor-agent" | "gemini" | "copilot" | "qwen" | "droid") => {
            started(ran, agent, found);
        }
        "alias" if word(1).starts_with("tenter=") => {
            let what = "puts another program in place of the guard";
            found.add(&SWITCH, At::span(ran.span, "tenter"), what);
        }
        "export" | "setx" if word(1).starts_with("TENTER_") => {
            let what = "sets a variable of the guard for what is started later";
            found.add(&SWITCH, At::span(ran.span, word(1)), what);
        }
        _ => {}
    }
}

/// Variables that move the settings an agent reads.
const MOVERS: &[&str] =
    &["HOME", "USERPROFILE", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CURSOR_CONFIG_DIR"];

/// An agent is started: with the hooks it is set up with?
fn started(ran: &Ran, agent: &str, found: &mut Found<'_>) {
    let word =
        |at: usize| ran.argv.get(at).and_then(tenter_shell::Field::exact).unwrap_or_default();
    let given = ran.assignments.iter().any(|(name, _)| name.starts_with("TENTER"));
    let mut before = "";
    let mut says_off = false;
    for field in ran.argv.iter().skip(1) {
        let text = field.prefix();
        let sources = text.strip_prefix("--setting-sources=");
        let sources = sources.or((before == "--setting-sources").then_some(text));
        says_off |= matches!(text, "--bare" | "--safe-mode")
            || text.contains("disableAllHooks")
            || text.contains("features.hooks=false")
            || text.contains("features.codex_hooks=false")
            || (before == "--disable" && matches!(text, "hooks" | "codex_hooks"))
            || sources.is_some_and(|sources| !sources.split(',').any(|it| it.trim() == "user"));
        before = text;
    }
    let verb = word(1) == "hooks" && matches!(word(2), "disable" | "disable-all");
    if given || verb || says_off {
        let what = format!("starts {agent} with hooks switched off");
        found.add(&SWITCH, At::span(ran.span, agent), what);
    } else if let Some((name, _)) =
        ran.assignments.iter().find(|(name, _)| MOVERS.contains(&name.as_ref()))
    {
        let what = format!("starts {agent} with other settings: {name} is set for it");
        found.add(&MOVED, At::span(ran.span, agent), what);
    }
}

#[cfg(test)]
mod tests {
    use tenter_shell::PathKind;

    use crate::{Facts, Policy, Preset, Sample, World, judge};

    /// A machine on which only this file exists.
    #[derive(Debug)]
    struct One(&'static str);

    impl tenter_shell::Facts for One {
        fn kind(&self, path: &str) -> Option<PathKind> {
            Some(if path == self.0 { PathKind::File } else { PathKind::Missing })
        }
    }

    impl Facts for One {}

    fn found(world: World<'_>, command: &str) -> Vec<String> {
        let world = World { home: Some("/home/me"), cwd: Some("/home/me/shop"), ..world };
        let policy = Policy::preset(Preset::Recommended);
        let findings = judge(&policy, &Sample::Shell(command).event(world.cwd), &world).findings;
        let own = findings.iter().filter_map(|found| found.rule.strip_prefix("self-protection/"));
        own.map(str::to_owned).collect()
    }

    #[test]
    fn places_that_the_caller_names_are_protected_with_what_holds_them() {
        let world = World { own: &["/opt/guard/state"], ..World::default() };
        for command in [
            "rm /opt/guard/state/a.jsonl",
            "rm -rf /opt/guard",
            "mv /opt/guard /opt/x",
            "echo x > /opt/guard/state/b",
            "chmod -R 000 /opt/guard/state",
        ] {
            assert_eq!(found(world, command), ["settings"], "{command}");
        }
        for command in [
            "tar -xf a.tgz -C /opt",
            "rm -rf /opt/guards",
            "ls /opt/guard/state",
            "rm /opt/guard/readme",
        ] {
            assert_eq!(found(world, command), [""; 0], "{command}");
        }
    }

    #[test]
    fn a_folder_counts_for_what_is_known_to_be_in_it() {
        let there = One("/home/me/.cursor/hooks.json");
        let world = World { facts: &there, ..World::default() };
        assert_eq!(found(world, "rm -rf ~/.cursor"), ["settings"]);
        assert_eq!(found(world, "rm -rf ~/.claude"), [""; 0]);
    }
}
