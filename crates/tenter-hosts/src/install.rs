//! How a host is wired: where its hook files lie, which events it knows since when, and what an entry
//! of ours looks like in them. All of it is data; nothing here touches a file.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tenter_model::HostId;

/// Whose configuration is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The files of one repository.
    Project,
    /// The files of one person.
    User,
    /// The files of the administrator.
    Managed,
}

impl Scope {
    pub const ALL: [Scope; 3] = [Scope::Project, Scope::User, Scope::Managed];

    pub const fn as_str(self) -> &'static str {
        match self {
            Scope::Project => "project",
            Scope::User => "user",
            Scope::Managed => "managed",
        }
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// The kinds of systems on which files lie elsewhere and commands are quoted otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Linux,
    Mac,
    Windows,
}

impl System {
    /// The system this program was built for.
    pub const HERE: System = if cfg!(windows) {
        System::Windows
    } else if cfg!(target_os = "macos") {
        System::Mac
    } else {
        System::Linux
    };
}

/// Where the files of all scopes start.
#[derive(Clone, Copy)]
pub struct Roots<'r> {
    pub system: System,
    /// What stands for the root of the file system.
    pub root: &'r Path,
    pub home: Option<&'r Path>,
    pub project: Option<&'r Path>,
    /// A variable of the environment: some hosts let one move their folder.
    pub variable: &'r dyn Fn(&str) -> Option<String>,
}

impl std::fmt::Debug for Roots<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { system, root, home, project, variable: _ } = self;
        f.debug_struct("Roots")
            .field("system", system)
            .field("root", root)
            .field("home", home)
            .field("project", project)
            .finish_non_exhaustive()
    }
}

impl Roots<'_> {
    /// A path of the system below the root that was given.
    pub fn system_path(&self, linux: &str, mac: &str, windows: &str) -> PathBuf {
        let path = match self.system {
            System::Linux => linux,
            System::Mac => mac,
            System::Windows => windows,
        };
        if self.root == Path::new("/") || self.system == System::Windows {
            return PathBuf::from(path);
        }
        self.root.join(path.trim_start_matches('/'))
    }

    /// The folder that a variable names, if it names one from the root on.
    pub fn folder_of(&self, variable: &str) -> Option<PathBuf> {
        (self.variable)(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    }
}

/// How hooks stand in a host's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `hooks.<event>` is a list of what is run.
    Entries,
    /// `hooks.<event>` is a list of groups: a matcher and a list of what is run.
    Groups,
}

/// What an event is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Something can be stopped here.
    Gate,
    /// Something can only be seen here.
    Record,
}

/// One event that we can be wired to.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The host's name for it.
    pub event: &'static str,
    pub role: Role,
    /// The first version that knows it; `None` for those that are as old as hooks.
    pub since: Option<[u32; 3]>,
    /// Seconds.
    pub timeout: u32,
    /// Whether the matcher of this event is tested against the name of a tool.
    pub by_tool: bool,
    /// The more general event that sees the same calls: only one of the two is wired.
    pub twin: Option<&'static str>,
}

impl Wire {
    pub const fn gate(event: &'static str) -> Self {
        Self { event, role: Role::Gate, since: None, timeout: 30, by_tool: false, twin: None }
    }

    pub const fn record(event: &'static str) -> Self {
        Self { event, role: Role::Record, since: None, timeout: 30, by_tool: false, twin: None }
    }

    pub const fn by_tool(self) -> Self {
        Self { by_tool: true, ..self }
    }

    pub const fn since(self, version: [u32; 3]) -> Self {
        Self { since: Some(version), ..self }
    }

    pub const fn twin(self, event: &'static str) -> Self {
        Self { twin: Some(event), ..self }
    }

    pub const fn within(self, timeout: u32) -> Self {
        Self { timeout, ..self }
    }
}

/// What is to be written for one event.
#[derive(Clone, Copy, Debug)]
pub struct EntryOptions<'d> {
    pub wire: &'d Wire,
    /// The command, quoted for the host's shell.
    pub command: &'d str,
    /// The version of the host, where it is known.
    pub version: Option<&'d str>,
    /// Whether a call shall be stopped when we cannot be run at all.
    pub fail_closed: bool,
}

/// What a switch must be set to, to silence hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Off {
    /// This value.
    Is(bool),
    /// A list with this word in it, or `true`.
    Has(&'static str),
}

/// A setting that keeps hooks from running.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// The path to it, keys between dots.
    pub key: &'static str,
    pub off: Off,
    /// The only file it counts in, by its name; any file of the host's otherwise.
    pub file: Option<&'static str>,
    /// The scopes whose files are asked, the one that has the last word first.
    pub order: &'static [Scope],
    /// What no longer runs when it is set in a file of this scope.
    pub silences: fn(Scope) -> &'static [Scope],
}

/// Settings of an administrator that are in no file we read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// What holds them, for people.
    pub what: &'static str,
    /// A command that shows them.
    pub shown_by: String,
    /// A file that is there when there are any, where the system has one.
    pub mark: Option<PathBuf>,
}

impl Unread {
    /// What a device management hands out on macOS under this name.
    pub(crate) fn preferences(roots: &Roots<'_>, domain: &str) -> Self {
        let file = format!("/Library/Managed Preferences/{domain}.plist");
        Self {
            what: "the managed preferences of macOS",
            shown_by: format!("defaults read {domain}"),
            mark: Some(roots.system_path("", &file, "")),
        }
    }
}

/// Everything but what the administrator has laid down.
pub const UNMANAGED: &[Scope] = &[Scope::Project, Scope::User];

/// What a handler says, so that the host stops a call when the handler fails.
#[derive(Clone, Copy, Debug)]
pub struct Closing {
    pub key: &'static str,
    /// `true` where there is none.
    pub word: Option<&'static str>,
    /// The first version that heeds it, for people.
    pub since: &'static str,
}

impl Closing {
    /// Whether a handler with these fields fails closed.
    pub fn is_in(&self, fields: &Value) -> bool {
        match (fields.get(self.key), self.word) {
            (Some(value), Some(word)) => value == word,
            (Some(value), None) => value == &Value::Bool(true),
            (None, _) => false,
        }
    }
}

/// The file beside a program that tells its name and version.
#[derive(Clone, Copy, Debug)]
pub enum Described {
    /// The `package.json` of this package.
    Package(&'static str),
    /// The `product.json` of an editor of this name.
    Product(&'static str),
}

/// Code that the host loads into itself and that can come between it and our hook.
#[derive(Clone, Copy, Debug)]
pub struct Mods {
    /// From here on it is loaded without being asked for.
    pub since: [u32; 3],
    /// The setting of an administrator that shuts it out, as a JSON pointer.
    pub shut_out: &'static str,
    /// The folder beside the user's file that it is loaded from.
    pub folder: &'static str,
}

/// A mistake in a hook file, as the linter sees it.
#[derive(Clone, Copy, Debug)]
pub struct Mistake<'m> {
    /// The linter's rule.
    pub rule: &'m str,
    /// The linter takes it for an error.
    pub is_error: bool,
    /// The linter says that nothing of the file is read.
    pub drops_file: bool,
    pub version: Option<[u32; 3]>,
}

/// How a host is wired, as data.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and most hosts share the default"
)]
#[derive(Clone, Copy, Debug)]
pub struct Install {
    /// What the host is called by people.
    pub title: &'static str,
    /// Programs that are the host, the one with hooks of the most kinds first.
    pub programs: &'static [&'static str],
    /// The folder below the home folder, and below a project, that is the host's.
    pub folder: &'static str,
    pub shape: Shape,
    /// Top-level keys, with their JSON, that a file of this host needs to count.
    pub required: &'static [(&'static str, &'static str)],
    /// What we are wired to: no call comes through two of them.
    pub wires: &'static [Wire],
    /// What else there is, for those who ask for it and for versions that lack the more general event.
    pub others: &'static [Wire],
    /// The file of a scope.
    pub file: fn(&Roots<'_>, Scope) -> Option<PathBuf>,
    /// A TOML file of a scope that may hold the hooks instead.
    pub toml: fn(&Roots<'_>, Scope) -> Option<PathBuf>,
    /// Further files of a scope that may hold hooks or switches, the one that has the last word first.
    /// They are read, never written.
    pub more: fn(&Roots<'_>, Scope) -> Vec<PathBuf>,
    pub switches: &'static [Switch],
    /// Settings of an administrator that reach the host past all these files.
    pub unread: fn(&Roots<'_>) -> Option<Unread>,
    /// Whether a version knows an event; `None` when the version is not known.
    pub knows: fn(&Wire, Option<&str>) -> bool,
    /// The keys of one handler, in order, without its matcher.
    pub handler: fn(&EntryOptions<'_>) -> Vec<(&'static str, Value)>,
    /// How a handler is told to fail closed.
    pub closing: Option<Closing>,
    /// A handler may be a program and a list `args`, started without a shell.
    pub arguments: bool,
    /// Hosts whose files of the user and of the project this one runs too.
    pub also_reads: &'static [HostId],
    /// The variable that moves the user's folder.
    pub folder_moved_by: Option<&'static str>,
    /// Variables that move other settings of the host, and perhaps its hooks.
    pub folder_perhaps_moved_by: &'static [&'static str],
    /// Variables with which the host runs no hook of a user or a project.
    pub silenced_by: &'static [&'static str],
    /// Hooks run only after their user has approved them as they stand; the option of `tenter install` that does.
    pub approved_by: Option<&'static str>,
    /// A linked worktree gets the project's hooks of the main checkout.
    pub shares_worktrees: bool,
    /// The project's file is read only by a session that starts in its root.
    pub only_from_root: bool,
    /// Files beside the user's own that are a project's when a session starts in the home folder.
    pub read_in_home: &'static [&'static str],
    /// Events without whose list of hooks nothing of a file is read; elsewhere the event is passed over. All of them
    /// where this is not said.
    pub lists_needed: Option<&'static [&'static str]>,
    /// Hooks of a project run only in a workspace that is trusted, and the host does not say so.
    pub trusts_workspaces: bool,
    /// A handler that stands in several files runs once.
    pub runs_equals_once: bool,
    /// The key of variables that hooks run with.
    pub variables: Option<&'static str>,
    pub mods: Option<Mods>,
    /// Folders below the home folder where the host's own installer puts programs.
    pub program_folders: &'static [&'static str],
    /// Where a program of this name lies inside of an installation.
    pub launchers: fn(&Roots<'_>, &str) -> Vec<PathBuf>,
    /// Programs that may open a window, whatever they are asked.
    pub windows: &'static [&'static str],
    pub described: Option<Described>,
    /// Whether this version drops a whole file for a mistake.
    pub voids: fn(&Mistake<'_>) -> bool,
}

impl Install {
    /// A host in Claude Code's shape; it still lacks its names, its files and its events.
    pub const CLAUDE_SHAPED: Self = Self {
        title: "",
        programs: &[],
        folder: "",
        shape: Shape::Groups,
        required: &[],
        wires: &[],
        others: &[],
        file: |_, _| None,
        toml: |_, _| None,
        more: |_, _| Vec::new(),
        switches: &[],
        unread: |_| None,
        knows: |wire, version| wire.since.is_none_or(|it| at_least(version, it).unwrap_or(false)),
        handler: |draft| {
            vec![
                ("type", "command".into()),
                ("command", draft.command.into()),
                ("timeout", draft.wire.timeout.into()),
            ]
        },
        closing: None,
        arguments: false,
        also_reads: &[],
        folder_moved_by: None,
        folder_perhaps_moved_by: &[],
        silenced_by: &[],
        approved_by: None,
        shares_worktrees: false,
        only_from_root: false,
        read_in_home: &[],
        lists_needed: None,
        trusts_workspaces: false,
        runs_equals_once: false,
        variables: None,
        mods: None,
        program_folders: &[],
        launchers: |_, _| Vec::new(),
        windows: &[],
        described: None,
        voids: |mistake| mistake.drops_file,
    };

    /// The event of that name, among those we can be wired to.
    pub fn wire(&self, event: &str) -> Option<&'static Wire> {
        self.wires.iter().chain(self.others).find(|wire| wire.event == event)
    }
}

/// Three numbers out of what a program prints about its version.
pub fn numbers(version: &str) -> Option<[u32; 3]> {
    let start = version.find(|character: char| character.is_ascii_digit())?;
    let mut parts = version.get(start..)?.split('.');
    let mut number = || {
        let part = parts.next()?;
        let end = part.find(|character: char| !character.is_ascii_digit()).unwrap_or(part.len());
        part.get(..end)?.parse().ok()
    };
    Some([number()?, number()?, number().unwrap_or(0)])
}

/// Whether a version is at least this one; `None` when it is not known.
pub(crate) fn at_least(version: Option<&str>, wanted: [u32; 3]) -> Option<bool> {
    Some(numbers(version?)? >= wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host;

    #[test]
    fn versions_are_read_as_the_programs_print_them() {
        assert_eq!(numbers("2.1.325 (Claude Code)"), Some([2, 1, 325]));
        assert_eq!(numbers("codex-cli 0.166.0"), Some([0, 166, 0]));
        assert_eq!(numbers("2026.09.23-86fc751"), Some([2026, 9, 23]));
        assert_eq!(numbers("3.21"), Some([3, 21, 0]));
        assert_eq!(numbers("nightly"), None);
    }

    #[test]
    fn every_wire_is_an_event_of_its_host_and_in_one_list_only() {
        for id in HostId::ALL {
            let install = host(id).install();
            for wire in install.wires.iter().chain(install.others) {
                assert!(host(id).events().iter().any(|spec| spec.native == wire.event), "{id}");
                let count = install.wires.iter().filter(|it| it.event == wire.event).count();
                let others = install.others.iter().filter(|it| it.event == wire.event).count();
                assert_eq!(count + others, 1, "{id} {}", wire.event);
                let twin = wire.twin.map(|twin| install.wires.iter().any(|it| it.event == twin));
                assert_ne!(twin, Some(false), "{id} {}", wire.event);
            }
        }
    }
}
