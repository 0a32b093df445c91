//! Install data of a host: paths of its hook files, events by version, and the keys of an entry. Pure data;
//! nothing here touches a file.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tenter_model::HostId;

/// Whose configuration a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Files of one repository.
    Project,
    /// Files of one user.
    User,
    /// Files of the administrator.
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

/// Operating systems that differ in paths and command quoting.
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

/// Base folders for the files of all scopes.
#[derive(Clone, Copy)]
pub struct Roots<'r> {
    pub system: System,
    /// Root of the file system; another folder in tests.
    pub root: &'r Path,
    pub home: Option<&'r Path>,
    pub project: Option<&'r Path>,
    /// Environment lookup: some hosts move their folder by a variable.
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
    /// A system path below `root`.
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

    /// The folder that a variable names, if its path is absolute.
    pub fn folder_of(&self, variable: &str) -> Option<PathBuf> {
        (self.variable)(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    }
}

/// Structure of hooks in a host's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `hooks.<event>` is a list of handlers.
    Entries,
    /// `hooks.<event>` is a list of groups: a matcher and a list of handlers.
    Groups,
}

/// Purpose of an event for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Can block.
    Gate,
    /// Can only observe.
    Record,
}

/// One event that we can install a hook for.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The host's name of the event.
    pub event: &'static str,
    pub role: Role,
    /// First version with the event; `None` if it is as old as hooks.
    pub since: Option<[u32; 3]>,
    /// Timeout in seconds, whatever the host's unit.
    pub timeout: u32,
    /// Whether the event's matcher is tested against a tool name.
    pub by_tool: bool,
    /// A more general event that reports the same calls: only one of the two is installed.
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

/// Parameters of an entry to write.
#[derive(Clone, Copy, Debug)]
pub struct EntryOptions<'d> {
    pub wire: &'d Wire,
    /// The command, quoted for the host's shell.
    pub command: &'d str,
    /// The host's version, if known.
    pub version: Option<&'d str>,
    /// Whether the host shall block when our hook cannot run.
    pub fail_closed: bool,
}

/// The value of a setting that disables hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Off {
    /// This value.
    Is(bool),
    /// A list that contains this word, or `true`.
    Has(&'static str),
    /// A list that names a hook of ours by one of these keys of its entry; the lists of all files count.
    Names(&'static [&'static str]),
}

/// A setting that disables hooks.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Dotted path of the key.
    pub key: &'static str,
    pub off: Off,
    /// Name of the only file it counts in; `None` for any of the host's files.
    pub file: Option<&'static str>,
    /// Scopes that are read, highest precedence first.
    pub order: &'static [Scope],
    /// Scopes whose hooks are disabled when it is set in a file of this scope.
    pub silences: fn(Scope) -> &'static [Scope],
}

/// Managed settings outside the files we read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Description of their location, for people.
    pub what: &'static str,
    /// Command that prints them.
    pub shown_by: String,
    /// File that exists when there are any, if the system has one.
    pub mark: Option<PathBuf>,
}

impl Unread {
    /// Managed preferences of this domain on macOS.
    pub(crate) fn preferences(roots: &Roots<'_>, domain: &str) -> Self {
        let file = format!("/Library/Managed Preferences/{domain}.plist");
        Self {
            what: "the managed preferences of macOS",
            shown_by: format!("defaults read {domain}"),
            mark: Some(roots.system_path("", &file, "")),
        }
    }
}

/// Unit of a handler's `timeout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    Seconds,
    Milliseconds,
    /// Seconds below 1000, milliseconds from there on.
    SecondsBelow1000,
}

impl TimeUnit {
    /// How many of it are a second, in what is written.
    pub const fn per_second(self) -> u32 {
        match self {
            TimeUnit::Seconds => 1,
            TimeUnit::Milliseconds | TimeUnit::SecondsBelow1000 => 1000,
        }
    }

    /// The seconds that a host reads from a value.
    pub fn seconds(self, value: f64) -> f64 {
        match self {
            TimeUnit::SecondsBelow1000 if value < 1000.0 => value,
            unit => value / f64::from(unit.per_second()),
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            TimeUnit::Seconds | TimeUnit::SecondsBelow1000 => "seconds",
            TimeUnit::Milliseconds => "milliseconds",
        }
    }
}

/// All scopes but the managed one.
pub const UNMANAGED: &[Scope] = &[Scope::Project, Scope::User];

/// The key with which a handler asks the host to block when the handler fails.
#[derive(Clone, Copy, Debug)]
pub struct Closing {
    pub key: &'static str,
    /// Its value; `true` where `None`.
    pub word: Option<&'static str>,
    /// The first version that supports it, for people.
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

/// Metadata file beside a program, with its name and version.
#[derive(Clone, Copy, Debug)]
pub enum Described {
    /// The `package.json` of this package.
    Package(&'static str),
    /// The `product.json` of an editor of this name.
    Product(&'static str),
}

/// Mods: code that the host loads and that can bypass our hook.
#[derive(Clone, Copy, Debug)]
pub struct Mods {
    /// Since this version it is loaded by default.
    pub since: [u32; 3],
    /// JSON pointer to the managed setting that disables it.
    pub shut_out: &'static str,
    /// Folder beside the user's settings from which it is loaded.
    pub folder: &'static str,
}

/// A mistake in a hook file, as reported by the linter.
#[derive(Clone, Copy, Debug)]
pub struct Mistake<'m> {
    /// Name of the lint rule.
    pub rule: &'m str,
    /// Whether the linter reports it as an error.
    pub is_error: bool,
    /// Whether the linter says that it voids the file.
    pub drops_file: bool,
    pub version: Option<[u32; 3]>,
}

/// Install data of a host.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and most hosts share the default"
)]
#[derive(Clone, Copy, Debug)]
pub struct Install {
    /// Display name of the host.
    pub title: &'static str,
    /// Executables of the host, the one with most hook events first.
    pub programs: &'static [&'static str],
    /// Name of the host's folder in the home folder and in projects.
    pub folder: &'static str,
    pub shape: Shape,
    /// Top-level keys, with their JSON, that a file needs to be valid.
    pub required: &'static [(&'static str, &'static str)],
    /// Events that are installed by default: no call is reported by two of them.
    pub wires: &'static [Wire],
    /// Further events, for explicit requests and for versions without the more general event.
    pub others: &'static [Wire],
    /// Path of a scope's file.
    pub file: fn(&Roots<'_>, Scope) -> Option<PathBuf>,
    /// Path of a scope's TOML file that may hold the hooks instead.
    pub toml: fn(&Roots<'_>, Scope) -> Option<PathBuf>,
    /// Further files of a scope that may hold hooks or settings, highest precedence first. They are read,
    /// never written.
    pub more: fn(&Roots<'_>, Scope) -> Vec<PathBuf>,
    pub switches: &'static [Switch],
    /// Managed settings outside all these files.
    pub unread: fn(&Roots<'_>) -> Option<Unread>,
    /// Whether a version supports an event; a version of `None` is unknown.
    pub knows: fn(&Wire, Option<&str>) -> bool,
    /// Keys of a handler, in order, without its matcher.
    pub handler: fn(&EntryOptions<'_>) -> Vec<(&'static str, Value)>,
    /// Unit of `timeout` in a handler of this type.
    pub time_unit: fn(&str) -> TimeUnit,
    /// How a handler is configured to fail closed.
    pub closing: Option<Closing>,
    /// A handler may be a program with a list `args`, started without a shell.
    pub arguments: bool,
    /// Hosts whose user and project hooks this one runs too.
    pub also_reads: &'static [HostId],
    /// Environment variable that moves the user's folder.
    pub folder_moved_by: Option<&'static str>,
    /// The user's folder below the one that the variable names; empty if it names the folder itself.
    pub moved_below: &'static str,
    /// Environment variables that move other settings of the host, possibly its hooks.
    pub folder_perhaps_moved_by: &'static [&'static str],
    /// Environment variables that disable hooks of users and projects.
    pub silenced_by: &'static [&'static str],
    /// Option of `tenter install` that approves hooks, where the host requires approval of each version.
    pub approved_by: Option<&'static str>,
    /// Whether a linked worktree uses the project hooks of the main checkout.
    pub shares_worktrees: bool,
    /// Whether the project's file is read only by sessions started in its root.
    pub only_from_root: bool,
    /// Files in the user's folder that count as a project's when a session starts in the home folder.
    pub read_in_home: &'static [&'static str],
    /// Events whose invalid hook list voids the whole file; at other events only that event is skipped.
    /// `None` means all events void it.
    pub lists_needed: Option<&'static [&'static str]>,
    /// Scopes whose hooks silently do not run in an untrusted workspace.
    pub trusts_workspaces: &'static [Scope],
    /// Whether a handler listed in several files runs once.
    pub runs_equals_once: bool,
    /// Key of the environment variables for hooks.
    pub variables: Option<&'static str>,
    pub mods: Option<Mods>,
    /// Folders below the home folder where the host's installer puts programs.
    pub program_folders: &'static [&'static str],
    /// Paths of a program inside an installation.
    pub launchers: fn(&Roots<'_>, &str) -> Vec<PathBuf>,
    /// Programs that may open a window, whatever their arguments.
    pub windows: &'static [&'static str],
    pub described: Option<Described>,
    /// Whether this version drops a whole file for a mistake.
    pub voids: fn(&Mistake<'_>) -> bool,
}

impl Install {
    /// Defaults in Claude Code's shape, without names, files and events.
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
        time_unit: |_| TimeUnit::Seconds,
        folder_moved_by: None,
        moved_below: "",
        folder_perhaps_moved_by: &[],
        silenced_by: &[],
        approved_by: None,
        shares_worktrees: false,
        only_from_root: false,
        read_in_home: &[],
        lists_needed: None,
        trusts_workspaces: &[],
        runs_equals_once: false,
        variables: None,
        mods: None,
        program_folders: &[],
        launchers: |_, _| Vec::new(),
        windows: &[],
        described: None,
        voids: |mistake| mistake.drops_file,
    };

    /// The timeout of a handler with these fields in seconds, if it has one.
    pub fn seconds(&self, fields: &Value) -> Option<f64> {
        let kind = fields.get("type").and_then(Value::as_str).unwrap_or("command");
        let unit = (self.time_unit)(kind);
        fields.get("timeout").and_then(Value::as_f64).map(|value| unit.seconds(value))
    }

    /// The event of that name, among all that can be installed.
    pub fn wire(&self, event: &str) -> Option<&'static Wire> {
        self.wires.iter().chain(self.others).find(|wire| wire.event == event)
    }
}

/// Parses three numbers from a program's version output.
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

/// Whether a version is at least `wanted`; `None` when it is unknown.
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
    fn a_timeout_is_written_in_the_unit_of_the_host() {
        for id in HostId::ALL {
            let install = host(id).install();
            for wire in install.wires.iter().chain(install.others) {
                let draft = EntryOptions { wire, command: "x", version: None, fail_closed: false };
                let fields = (install.handler)(&draft).into_iter();
                let fields = fields.map(|(key, value)| (key.to_owned(), value)).collect();
                let seconds = install.seconds(&Value::Object(fields));
                assert_eq!(seconds, Some(f64::from(wire.timeout)), "{id} {}", wire.event);
            }
        }
        let gemini = host(HostId::Gemini).install();
        let claudes = serde_json::json!({ "type": "command", "timeout": 5 });
        assert_eq!(gemini.seconds(&claudes), Some(0.005));
        // Mixed within one host: commands either way, requests in seconds only.
        let qwen = host(HostId::Qwen).install();
        let read = |kind: &str, timeout: u32| {
            qwen.seconds(&serde_json::json!({ "type": kind, "timeout": timeout }))
        };
        assert_eq!((read("command", 5), read("command", 5000)), (Some(5.0), Some(5.0)));
        assert_eq!((read("http", 5), read("prompt", 5000)), (Some(5.0), Some(5000.0)));
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
