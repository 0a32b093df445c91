//! Guard of the guard's own settings and those that make hosts call it.

mod agents;
mod arguments;
mod limits;
mod names;
mod outputs;
mod places;
mod samples;
pub(super) mod startup;
mod table;
mod trees;

use tenter_shell::Act;
use tenter_shell::target::PathPart;
use tenter_shell::{Effect, Kind, PathKind, PathTarget, Ran, Role, Source, Target};

use crate::finding::{At, Found};
use crate::guard::{Check, Guard};
use crate::level::Weight;
use crate::places::Zone;
use crate::scene::{PassageKind, Scene};
use samples::{BLOCKS, PASSES};
pub(in crate::guards) use startup::is_everyday;
use trees::Brought;

const SETTINGS: Check = Check {
    id: "settings",
    weight: Weight::Grave,
    title: "changes a host's hook settings, or the guard's policy, state or program",
    instead: "tell the user which change you propose",
    safe: &["cat .cursor/hooks.json", "tenter status", "tenter policy show"],
};

const FOLDER: Check = Check {
    id: "folder",
    weight: Weight::Doubtful,
    title: "deletes, moves or overwrites a folder that may hold hook settings",
    instead: "name the files inside the folder",
    safe: &["ls .cursor", "rm .cursor/rules/old.mdc"],
};

const ARGUMENT: Check = Check {
    id: "argument",
    weight: Weight::Doubtful,
    title: "gives hook settings or the guard to a program that may change them",
    instead: "read the file with `cat`",
    safe: &["jq .hooks ~/.claude/settings.json", "diff .cursor/hooks.json a.json"],
};

const MOD: Check = Check {
    id: "mod",
    weight: Weight::Doubtful,
    title: "writes a hooks file that loads modules into the host",
    instead: "tell the user which module to load",
    safe: &["cat plugin/hooks/hooks.json"],
};

const COMMAND: Check = Check {
    id: "command",
    weight: Weight::Grave,
    title: "runs a command that weakens the guard",
    instead: "",
    safe: &["tenter status", "tenter explain -- 'git status'"],
};

const KILL: Check = Check {
    id: "kill",
    weight: Weight::Grave,
    title: "kills the guard's processes or removes its package",
    instead: "to see what is wrong with it, run `tenter doctor`",
    safe: &["tenter doctor"],
};

const SWITCH: Check = Check {
    id: "switch",
    weight: Weight::Grave,
    title: "starts an agent with its hooks or the guard off",
    instead: "start it with its usual settings",
    safe: &["claude -p 'say hello'"],
};

const MOVED: Check = Check {
    id: "other-settings",
    weight: Weight::Doubtful,
    title: "starts an agent with other settings, without these hooks",
    instead: "start it with its usual settings",
    safe: &["claude -p 'say hello'"],
};

const LASTING: Check = Check {
    id: "startup",
    weight: Weight::Doubtful,
    title: "makes new shells or sessions start agents without these hooks",
    instead: "tell the user which variable or alias you propose",
    safe: &["echo 'export EDITOR=vim' >> ~/.bashrc"],
};

const SHIM: Check = Check {
    id: "shim",
    weight: Weight::Doubtful,
    title: "puts a program in place of an agent or an everyday tool",
    instead: "give the program a name of its own",
    safe: &["ls -l ~/.local/bin"],
};

const LIMITS: Check = Check {
    id: "limits",
    weight: Weight::Doubtful,
    title: "limits or debugs the process that runs the hooks",
    instead: "limit only what you start: `prlimit --nofile=4096 <command>`",
    safe: &["ulimit -a"],
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

A program of which it is not known that it only reads is asked about when it is given such a file; so are start-up
files of shells and sessions that give agents other settings, programs put in an agent's place, plugins that
are installed into an agent, and limits put on the process that runs the hooks. Files are known by device and
inode too, whatever they are called.

Reading all of that passes, and so does everything else in the folders of hosts: rules, commands, skills.

You can do all of it yourself at a terminal; exceptions are made there, not here.",
    checks: &[
        SETTINGS, FOLDER, ARGUMENT, MOD, COMMAND, KILL, SWITCH, MOVED, LASTING, SHIM, LIMITS,
    ],
    options: &[],
    optional: false,
    blocks: BLOCKS,
    passes: PASSES,
    look,
};

/// The owner of the settings at a path.
pub(super) fn settings_of(path: &str) -> Option<&'static str> {
    places::holder(path, false)
}

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        match (&effect.kind, &effect.target) {
            (kind, Target::Path(path))
                if changes_file(*kind)
                    || matches!(kind, Kind::System | Kind::Vcs | Kind::VcsWorktree) =>
            {
                changes(scene, effect, path, found);
            }
            (Kind::System, Target::Name(name)) if managed(name) => {
                let what = format!("changes a host's managed settings: {name}");
                found.add(&SETTINGS, At::effect(effect, name), what);
            }
            (Kind::Process | Kind::Service, Target::Name(name))
                if is_own_name(name) || kills_found(scene, effect) =>
            {
                found.add(&KILL, At::effect(effect, name), "kills tenter's processes");
            }
            (Kind::Install, Target::Name(name))
                if effect.action == Act::Uninstall && is_own_name(name) =>
            {
                found.add(&KILL, At::effect(effect, name), format!("removes the package {name}"));
            }
            (Kind::Install, _) => arguments::installs(effect, found),
            _ => {}
        }
    }
    for (at, ran) in scene.analysis.commands.iter().enumerate() {
        runs(scene, ran, found);
        outputs::look(scene, ran, found);
        arguments::look(scene, at, ran, found);
        limits::look(scene, at, ran, found);
    }
    names::through_links(scene, found);
    startup::look(scene, found);
    for passage in scene.passages.iter().filter(|it| it.kind == PassageKind::Written) {
        if let Some(path) = passage.path.as_deref()
            && is_hooks_file(path)
            && passage.text.contains("\"modules\"")
        {
            loads(At::subject(path), path, found);
        }
    }
}

/// Whether an effect of this kind changes the file that it names.
fn changes_file(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Write
            | Kind::Append
            | Kind::Overwrite
            | Kind::Delete
            | Kind::Move
            | Kind::Permission
            | Kind::Owner
    )
}

/// Whether Claude Code reads hooks or modules from this file.
fn is_hooks_file(path: &str) -> bool {
    matches!(path.rsplit(['/', '\\']).next(), Some("hooks.json" | "plugin.json"))
}

fn loads(at: At<'_>, path: &str, found: &mut Found<'_>) {
    found.add(&MOD, at, format!("writes a hooks file that loads modules into the host: {path}"));
}

/// Checks hard links to settings, `ln ~/.claude/settings.json x`: the file could then be changed under
/// another name.
fn doubles(scene: &Scene<'_>, effect: &Effect, found: &mut Found<'_>) {
    for source in effect.sources.sources() {
        let Source::File(file) = source else { continue };
        let path = PathTarget::absolute(file);
        let holder = protects(scene, &path, false).or_else(|| {
            let is_tree = effect.action == Act::Hardlink && effect.recursive;
            names::in_tree(scene, file).filter(|_| is_tree)
        });
        if let Some(holder) = holder {
            let what = format!("links the settings of {holder}: {file}");
            found.add(&SETTINGS, At::effect(effect, file), what);
        }
    }
}

fn changes(scene: &Scene<'_>, effect: &Effect, path: &PathTarget, found: &mut Found<'_>) {
    if matches!(effect.action, Act::Hardlink | Act::Link) {
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
    let whole = takes_all(effect) || closes(scene, effect);
    if let Some(holder) = protects(scene, path, whole)
        .or_else(|| is_own(scene, effect, path).then_some("tenter"))
        .or_else(|| is_found(path).then_some("tenter"))
        .or_else(|| names::by_inode(scene, path))
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
        let what = format!("writes an unknown file beside the settings of {holder}: {shown}");
        found.add(&FOLDER, At::effect(effect, &shown), what);
    }
}

/// The owner of the settings at a path, as written or after resolving links.
fn protects(scene: &Scene<'_>, path: &PathTarget, whole: bool) -> Option<&'static str> {
    let held = |path: &str| {
        places::holder(path, whole).or_else(|| {
            let own = |own: &&&str| {
                path.strip_prefix(**own)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            scene.places.own.iter().find(own).map(|_| "tenter")
        })
    };
    held(&path.shown()).or_else(|| path.real.as_deref().and_then(held))
}

/// Checks trees copied to a place by their content.
fn brings(scene: &Scene<'_>, effect: &Effect, path: &PathTarget, found: &mut Found<'_>) {
    let shown = path.shown();
    match trees::look(scene, effect, path) {
        Brought::Nothing => {}
        Brought::Settings(holder, landing) => {
            let what = format!("overwrites the settings of {holder}: {landing}");
            found.add(&SETTINGS, At::effect(effect, &landing), what);
        }
        Brought::Unseen(holder) => {
            let what = format!("writes unknown files beside the settings of {holder}: {shown}");
            found.add(&FOLDER, At::effect(effect, &shown), what);
        }
    }
}

/// Checks folders that are removed or covered with their content.
fn takes(scene: &Scene<'_>, effect: &Effect, shown: &str, found: &mut Found<'_>) {
    let folder = shown.trim_end_matches("/**/*").trim_end_matches("/*");
    for (holder, rest) in places::below(folder) {
        let inside = format!("{}/{rest}", folder.trim_end_matches('/'));
        let check = match scene.world.kind(&inside) {
            Some(PathKind::Missing) => continue,
            Some(_) => &SETTINGS,
            None => &FOLDER,
        };
        let what = format!("changes a folder with settings of {holder}: {shown}");
        found.add(check, At::effect(effect, shown), what);
        return;
    }
}

/// The owner of settings beside an unknown file name: `cp "$f" ~/.claude/`.
fn unnamed(path: &PathTarget) -> Option<&'static str> {
    let [PathPart::Text(folder), PathPart::Unknown(_)] = path.parts.as_slice() else { return None };
    places::below(folder.strip_suffix('/')?).next().map(|(holder, _)| holder)
}

/// Whether an effect on a folder reaches its content.
fn takes_all(effect: &Effect) -> bool {
    match effect.kind {
        Kind::Move => true,
        Kind::Write | Kind::Overwrite | Kind::Vcs => trees::arrives(effect),
        Kind::System => effect.action == Act::Mount,
        _ => effect.recursive,
    }
}

/// Whether a mode locks the owner out of a folder: `chmod 000 ~/.claude`.
fn closes(scene: &Scene<'_>, effect: &Effect) -> bool {
    match (effect.kind, effect.action) {
        (Kind::Owner, Act::Owner)
        | (Kind::Permission, Act::Acl | Act::Immutable | Act::RemoveAccess) => true,
        (Kind::Permission, Act::Mode | Act::WorldWritable) => {
            let words = scene.program(effect).map(|ran| ran.argv.as_slice()).unwrap_or_default();
            words.iter().skip(1).any(|field| limits::takes_rights(field.prefix()))
        }
        _ => false,
    }
}

/// Whether it affects one of the caller's own paths.
fn is_own(scene: &Scene<'_>, effect: &Effect, path: &PathTarget) -> bool {
    // A tree's content is checked separately.
    let takes = (takes_all(effect) || closes(scene, effect))
        && !trees::arrives(effect)
        && tenter_shell::is_absolute(&path.shown());
    // A folder for temporary files is cleaned now and then, even with this program in it.
    let cleaned = |own: &str| scene.places.is_cleaned(own) && path.exact() != Some(own);
    let mut own = scene.places.own.iter();
    takes && own.any(|own| scene.places.reaches(path, own) && !cleaned(own))
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
        (ran.is(Role::FindsProcesses) || ran.is(Role::SearchesText))
            && ran.argv.iter().skip(1).any(|field| field.exact().is_some_and(is_own_name))
    };
    let unknown = matches!(&effect.target, Target::Name(name) if name.starts_with('$'));
    unknown && scene.analysis.commands.iter().any(asks)
}

fn runs(scene: &Scene<'_>, ran: &Ran, found: &mut Found<'_>) {
    let word =
        |at: usize| ran.argv.get(at).and_then(tenter_shell::Field::exact).unwrap_or_default();
    match () {
        () if ran.is(Role::OwnProgram) => {
            let has = |flag: &str| ran.argv.iter().any(|field| field.exact() == Some(flag));
            let shows = has("--help") || has("-h");
            let stands_aside = !shows && stands_aside(word(1), word(2), &has);
            if stands_aside {
                let verb = word(1);
                let what = format!("runs `tenter {verb}`, which only you may run");
                found.add(&COMMAND, At::span(ran.span, verb), what);
            }
        }
        () if ran.is(Role::DefinesAlias) && word(1).starts_with("tenter=") => {
            let what = "replaces tenter with another program";
            found.add(&SWITCH, At::span(ran.span, "tenter"), what);
        }
        () if ran.is(Role::SetsVariablesForOthers) && word(1).starts_with("TENTER_") => {
            let what = "sets a tenter variable for later commands";
            found.add(&SWITCH, At::span(ran.span, word(1)), what);
        }
        () if ran.is(Role::SetsVariablesForOthers)
            && agents::OFF.iter().any(|(name, _)| word(1).split('=').next() == Some(name)) =>
        {
            let what = "disables hooks for later commands";
            found.add(&SWITCH, At::span(ran.span, word(1)), what);
        }
        () if ran.is_agent() => agents::look(scene, ran, found),
        () => agents::lasting(scene, ran, found),
    }
}

/// Whether one of our own commands changes what the guard does, knows or stores.
fn stands_aside(verb: &str, next: &str, has: &impl Fn(&str) -> bool) -> bool {
    match verb {
        "uninstall" | "prune" | "install" | "init" | "approve" | "harden" | "enroll" | "sync"
        | "undo" => !has("--dry-run"),
        "trust" => !has("--list"),
        "allow" => next != "list",
        "policy" => !matches!(next, "" | "show" | "check" | "guards" | "presets" | "help"),
        "mcp" => matches!(next, "trust" | "wrap" | "unwrap"),
        "bundle" => matches!(next, "publish" | "sign"),
        // Without a file it fixes the hook files themselves.
        "doctor" | "lint" => has("--fix"),
        // Trusts a workspace's hooks while it runs.
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

    impl tenter_shell::FileFacts for One {
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
