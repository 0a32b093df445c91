//! Which coding agents we speak with.

use std::fmt;
use std::str::FromStr;

/// A coding agent whose hooks we understand.
///
/// Adding a variant makes every exhaustive match refuse to compile until the new host is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HostId {
    Cursor,
    Claude,
    Codex,
}

impl HostId {
    pub const ALL: [HostId; 3] = [HostId::Cursor, HostId::Claude, HostId::Codex];

    /// The name used on the command line, on the wire and in file names.
    pub const fn as_str(self) -> &'static str {
        match self {
            HostId::Cursor => "cursor",
            HostId::Claude => "claude",
            HostId::Codex => "codex",
        }
    }

    /// The product's own name, for people.
    pub const fn title(self) -> &'static str {
        match self {
            HostId::Cursor => "Cursor",
            HostId::Claude => "Claude Code",
            HostId::Codex => "Codex",
        }
    }
}

impl fmt::Display for HostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A host name that is not one of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownHost(pub String);

impl fmt::Display for UnknownHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown host `{}`; known hosts: ", self.0)?;
        for (index, host) in HostId::ALL.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{host}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownHost {}

impl FromStr for HostId {
    type Err = UnknownHost;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        // Its makers call it so, and so do people.
        let name = if name == "claude-code" { "claude" } else { name };
        HostId::ALL
            .into_iter()
            .find(|host| host.as_str() == name)
            .ok_or_else(|| UnknownHost(name.to_owned()))
    }
}
