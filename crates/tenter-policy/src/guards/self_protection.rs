//! The guard's own settings and those that make hosts call it.

mod agents;
mod outputs;
mod places;
mod table;
mod trees;

use tenter_shell::Act;
use tenter_shell::target::PathPart;
use tenter_shell::{Effect, Kind, PathKind, PathTarget, Ran, Source, Target, is_agent};

use crate::finding::{At, Found};
use crate::guard::{Check, Guard};
use crate::level::Weight;
use crate::places::Zone;
use crate::sample::Sample;
use crate::scene::{PassageKind, Scene};
use trees::Brought;

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

const MOD: Check = Check {
    id: "mod",
    weight: Weight::Doubtful,
    title: "a hooks file that loads modules into the host is written; a module can swallow a verdict",
    instead: "tell the user which module should be loaded and why; a human adds it",
    safe: &["cat plugin/hooks/hooks.json"],
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
delete, move, link over, mount over or lock them. Folders from which a host loads plugins, extensions or
mods count as settings, since what runs inside the host can swallow a verdict: `.claude/plugins`,
`.claude/skills/*/hooks`, `.opencode/plugin`, `.pi/extensions` and the like. Nor may an agent run
`tenter uninstall`, `tenter install`, `tenter allow`, `tenter trust` or any other command of ours that changes
what the guard does, kill the guard's processes, remove its package, or start another agent with hooks
switched off. Asked about: an agent started as another user or with another home or settings folder
(`HOME`, `XDG_CONFIG_HOME`, `CLAUDE_CONFIG_DIR`, `CODEX_HOME` set or unset, `env -i`), and a `hooks.json`
with `modules`, wherever it is.

Reading all of that passes, and so does everything else in the folders of hosts: rules, commands, skills.

A human at a terminal can do all of it; the exception is asked for there, not here.",
    checks: &[SETTINGS, FOLDER, MOD, COMMAND, KILL, SWITCH, MOVED],
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
    (Sample::Shell("ln ~/.claude/settings.json /tmp/x"), "settings"),
    (Sample::Shell("cp -l .cursor/hooks.json x.json"), "settings"),
    (Sample::Shell("rm \"$(realpath .cursor/hooks.json)\""), "settings"),
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
    (Sample::Shell("cp -rT e/c ~/.claude"), "folder"),
    (Sample::Shell("docker cp box:/home/node/.claude ~/"), "folder"),
    (Sample::Shell("tar x -C ~ < dotfiles.tar"), "folder"),
    (Sample::Shell("git worktree add ~/.claude evil"), "folder"),
    (Sample::Shell("cp \"$f\" ~/.claude/"), "folder"),
    (Sample::Shell("go build -o ~/.local/bin/tenter ."), "settings"),
    (Sample::Shell("ssh localhost 'rm .claude/settings.json'"), "settings"),
    (Sample::Shell("scp x.json localhost:.claude/settings.json"), "settings"),
    (
        Sample::Shell("git apply <<< $'--- a/.claude/settings.json\\n+++ b/.claude/settings.json'"),
        "settings",
    ),
    (Sample::Write("/home/me/.claude/skills/x/hooks/hooks.json", "{}"), "settings"),
    (Sample::Write("/home/me/.claude/skills/x/.claude-plugin/plugin.json", "{}"), "settings"),
    (Sample::Shell("cp mod.ts ~/.pi/agent/extensions/mod.ts"), "settings"),
    (Sample::Shell("git clone https://github.com/a/b ~/.claude/plugins/b"), "settings"),
    (Sample::Write("/home/me/shop/p/hooks/hooks.json", "{\"modules\": [\"./a.js\"]}"), "mod"),
    (Sample::Shell("echo '{\"modules\":[\"./a.js\"]}' > p/hooks/hooks.json"), "mod"),
    (Sample::Shell("tenter uninstall cursor"), "command"),
    (Sample::Shell("sudo env -u X tenter allow once abcd"), "command"),
    (Sample::Shell("tenter install --events Stop --yes"), "command"),
    (Sample::Shell("tenter doctor --fix"), "command"),
    (Sample::Shell("tenter policy edit"), "command"),
    (Sample::Shell("tenter harden --undo"), "command"),
    (Sample::Shell("cargo run -p tenter-cli -- uninstall --yes"), "command"),
    (Sample::Shell("tenter export -o ~/.claude/settings.json"), "settings"),
    (Sample::Shell("tenter scan --write-baseline .cursor/hooks.json"), "settings"),
    (Sample::Shell("tenter test --junit=tenter.toml"), "settings"),
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
    (Sample::Shell("export XDG_CONFIG_HOME=$PWD/.cfg; opencode run hi"), "other-settings"),
    (Sample::Shell("unset HOME && claude -p hi"), "other-settings"),
    (Sample::Shell("env -i PATH=/usr/bin codex exec hi"), "other-settings"),
    (Sample::Shell("sudo -u build claude -p hi"), "other-settings"),
];

const PASSES: &[Sample<'static>] = &[
    Sample::Shell("cat .cursor/hooks.json ~/.claude/settings.json"),
    Sample::Shell("ls -la ~/.cursor .claude"),
    Sample::Shell("cp .claude/settings.json /tmp/settings.bak"),
    Sample::Shell("rm .cursor/rules/old.mdc"),
    Sample::Shell("rm fixtures/cursor/hooks.json"),
    Sample::Shell("cp -r src dst"),
    Sample::Shell("ln build/app bin/app"),
    Sample::Shell("cp -al . ../shop-copy"),
    Sample::Shell("cp -a . ../shop-copy"),
    Sample::Shell("tar xzf release.tgz"),
    Sample::Shell("unzip -q assets.zip -d build"),
    Sample::Shell("rsync -a dist/ ~/site/"),
    Sample::Shell("docker cp box:/app/dist ./dist"),
    Sample::Shell("git worktree add ../shop-topic topic"),
    Sample::Shell("go build -o bin/shop ./cmd/shop"),
    Sample::Shell("git apply fix.patch"),
    Sample::Shell("ssh -p 2222 dev@localhost 'rm .claude/settings.json'"),
    Sample::Shell("mkdir -p .claude/commands && echo hi > .claude/commands/a.md"),
    Sample::Shell("tenter status"),
    Sample::Shell("tenter install --dry-run"),
    Sample::Shell("tenter doctor"),
    Sample::Shell("tenter prove --json"),
    Sample::Shell("tenter policy show"),
    Sample::Shell("tenter trust --list"),
    Sample::Shell("tenter export -o /tmp/record.jsonl"),
    Sample::Shell("tenter test --junit report.xml"),
    Sample::Shell("claude -p hi --setting-sources user,project"),
    Sample::Shell("HOME=/tmp/x npm test"),
    Sample::Shell("env -i PATH=/usr/bin HOME=\"$HOME\" claude -p hi"),
    Sample::Shell("CODEX_HOME=/tmp/x codex --version"),
    Sample::Shell("tenter explain -- 'rm -rf /'"),
    Sample::Shell("tenter check -- 'rm -rf /'"),
    Sample::Shell("git add .cursor/hooks.json tenter.toml"),
    Sample::Shell("echo '{}' > .vscode/settings.json"),
    Sample::Shell("claude -p 'say hello'"),
    Sample::Shell("pgrep -fl tenter"),
    Sample::Shell("grep -rn disableAllHooks docs"),
    Sample::Read("/home/me/.cursor/hooks.json"),
    Sample::Write("/home/me/shop/.claude/agents/helper.md", "hi"),
    Sample::Write("/home/me/.claude/skills/review/SKILL.md", "hi"),
    Sample::Write("/home/me/shop/p/hooks/hooks.json", "{\"hooks\": {}}"),
    Sample::Write("/home/me/shop/src/settings.json", "{}"),
];

/// Whose settings a path holds.
pub(super) fn settings_of(path: &str) -> Option<&'static str> {
    places::holder(path, false)
}

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
                | Kind::Vcs
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
                if effect.action == Act::Uninstall && is_own_name(name) =>
            {
                found.add(&KILL, At::effect(effect, name), format!("removes the package {name}"));
            }
            _ => {}
        }
    }
    for ran in &scene.analysis.commands {
        runs(scene, ran, found);
        outputs::look(scene, ran, found);
    }
    for passage in scene.passages.iter().filter(|it| it.kind == PassageKind::Written) {
        if let Some(path) = passage.path.as_deref()
            && is_hooks_file(path)
            && passage.text.contains("\"modules\"")
        {
            loads(At::subject(path), path, found);
        }
    }
}

/// A file in which Claude Code looks for hooks, and for modules that it loads.
fn is_hooks_file(path: &str) -> bool {
    matches!(path.rsplit(['/', '\\']).next(), Some("hooks.json" | "plugin.json"))
}

fn loads(at: At<'_>, path: &str, found: &mut Found<'_>) {
    found.add(&MOD, at, format!("writes a hooks file that loads modules into the host: {path}"));
}

/// `ln ~/.claude/settings.json x`: another name under which the same file can be changed unnoticed.
fn doubles(scene: &Scene<'_>, effect: &Effect, found: &mut Found<'_>) {
    for source in effect.sources.sources() {
        let Source::File(file) = source else { continue };
        if let Some(holder) = protects(scene, &PathTarget::absolute(file), false) {
            let what = format!("gives the settings of {holder} a second name: {file}");
            found.add(&SETTINGS, At::effect(effect, file), what);
        }
    }
}

fn changes(scene: &Scene<'_>, effect: &Effect, path: &PathTarget, found: &mut Found<'_>) {
    if effect.action == Act::Hardlink {
        doubles(scene, effect, found);
    }
    let arrives = trees::arrives(effect);
    if path.elsewhere
        || effect.kind == Kind::Vcs && !arrives
        || scene.places.zone(path) == Zone::Temporary
    {
        return;
    }
    let shown = path.shown();
    let whole = takes_all(effect);
    if let Some(holder) = protects(scene, path, whole)
        .or_else(|| is_own(scene, effect, path).then_some("this guard"))
        .or_else(|| is_found(path).then_some("this guard"))
    {
        let what = format!("changes the settings of {holder}: {shown}");
        found.add(&SETTINGS, At::effect(effect, &shown), what);
        return;
    }
    if is_hooks_file(&shown)
        && scene.command.as_deref().is_some_and(|command| command.contains("modules"))
    {
        loads(At::effect(effect, &shown), &shown, found);
    }
    if arrives {
        brings(scene, effect, path, found);
    } else if whole {
        takes(scene, effect, &shown, found);
    } else if let Some(holder) = unnamed(path) {
        let what = format!("writes a file of unknown name beside settings of {holder}: {shown}");
        found.add(&FOLDER, At::effect(effect, &shown), what);
    }
}

/// Whose settings a path holds, as it is written or where its links lead.
fn protects(scene: &Scene<'_>, path: &PathTarget, whole: bool) -> Option<&'static str> {
    let held = |path: &str| {
        places::holder(path, whole).or_else(|| {
            let own = |own: &&&str| {
                path.strip_prefix(**own)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            scene.places.own.iter().find(own).map(|_| "this guard")
        })
    };
    held(&path.shown()).or_else(|| path.real.as_deref().and_then(held))
}

/// A tree comes to a place: what is inside counts.
fn brings(scene: &Scene<'_>, effect: &Effect, path: &PathTarget, found: &mut Found<'_>) {
    let shown = path.shown();
    match trees::look(scene, effect, path) {
        Brought::Nothing => {}
        Brought::Settings(holder, landing) => {
            let what = format!("writes a tree that holds settings of {holder}: {landing}");
            found.add(&SETTINGS, At::effect(effect, &landing), what);
        }
        Brought::Unseen(holder) => {
            let what = format!(
                "writes files that tenter cannot list into {shown}, where settings of {holder} are"
            );
            found.add(&FOLDER, At::effect(effect, &shown), what);
        }
    }
}

/// A folder is taken away or covered with all that is in it.
fn takes(scene: &Scene<'_>, effect: &Effect, shown: &str, found: &mut Found<'_>) {
    let folder = shown.trim_end_matches("/**/*").trim_end_matches("/*");
    for (holder, rest) in places::below(folder) {
        let inside = format!("{}/{rest}", folder.trim_end_matches('/'));
        let check = match scene.world.kind(&inside) {
            Some(PathKind::Missing) => continue,
            Some(_) => &SETTINGS,
            None => &FOLDER,
        };
        let what = format!("changes a folder that holds settings of {holder}: {shown}");
        found.add(check, At::effect(effect, shown), what);
        return;
    }
}

/// `cp "$f" ~/.claude/`: whose settings stand beside a file whose name is not known at all.
fn unnamed(path: &PathTarget) -> Option<&'static str> {
    let [PathPart::Text(folder), PathPart::Unknown(_)] = path.parts.as_slice() else { return None };
    places::below(folder.strip_suffix('/')?).next().map(|(holder, _)| holder)
}

/// Whether an effect on a folder reaches what is in it.
fn takes_all(effect: &Effect) -> bool {
    match effect.kind {
        Kind::Move => true,
        Kind::Write | Kind::Overwrite | Kind::Vcs => trees::arrives(effect),
        Kind::System => effect.action == Act::Mount,
        _ => effect.recursive,
    }
}

/// Whether it takes one of the places with it that the caller has named.
fn is_own(scene: &Scene<'_>, effect: &Effect, path: &PathTarget) -> bool {
    // What a tree brings is looked at by itself.
    let takes = takes_all(effect) && !trees::arrives(effect) && path.shown().starts_with('/');
    takes && scene.places.own.iter().any(|own| scene.places.reaches(path, own))
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

fn runs(scene: &Scene<'_>, ran: &Ran, found: &mut Found<'_>) {
    let word =
        |at: usize| ran.argv.get(at).and_then(tenter_shell::Field::exact).unwrap_or_default();
    match ran.program.as_str() {
        "tenter" => {
            let has = |flag: &str| ran.argv.iter().any(|field| field.exact() == Some(flag));
            let shows = has("--help") || has("-h");
            let stands_aside = !shows && stands_aside(word(1), word(2), &has);
            if stands_aside {
                let verb = word(1);
                let what = format!("runs `tenter {verb}`, which only a human may");
                found.add(&COMMAND, At::span(ran.span, verb), what);
            }
        }
        "alias" if word(1).starts_with("tenter=") => {
            let what = "puts another program in place of the guard";
            found.add(&SWITCH, At::span(ran.span, "tenter"), what);
        }
        "export" | "setx" if word(1).starts_with("TENTER_") => {
            let what = "sets a variable of the guard for what is started later";
            found.add(&SWITCH, At::span(ran.span, word(1)), what);
        }
        program if is_agent(program) => agents::look(scene, ran, found),
        _ => {}
    }
}

/// Whether a command of ours changes what the guard does, knows or keeps.
fn stands_aside(verb: &str, next: &str, has: &impl Fn(&str) -> bool) -> bool {
    match verb {
        "uninstall" | "prune" | "install" | "init" | "approve" | "harden" | "enroll" | "sync"
        | "undo" => !has("--dry-run"),
        "trust" => !has("--list"),
        "allow" => next != "list",
        "policy" => !matches!(next, "" | "show" | "check" | "guards" | "presets" | "help"),
        "mcp" => matches!(next, "trust" | "wrap" | "unwrap"),
        "bundle" => matches!(next, "publish" | "sign"),
        // Without a file it repairs the hook files themselves.
        "doctor" | "lint" => has("--fix"),
        // Trusts a workspace's hooks for as long as it runs.
        "fire" | "serve" => has("--trust"),
        _ => false,
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
