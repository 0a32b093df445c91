//! How a host is wired: where its hook files lie, which events it knows since when, and what an entry
//! of ours looks like in them. All of it is data; nothing here touches a file.

use std::path::{Path, PathBuf};

use serde_json::Value;

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

/// How a host is wired, as data.
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
}

impl Install {
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
    use tenter_model::HostId;

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
