//! The supported coding agents.

use std::fmt;
use std::str::FromStr;

/// Registers the hosts: one line each; everything else about a host is in its folder in `tenter-hosts`.
macro_rules! hosts {
    ($($(#[$meta:meta])* $variant:ident = $name:literal $title:literal $vendor:literal $other:expr, $twice:literal;)+) => {
        /// A supported coding agent.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum HostId {
            $($(#[$meta])* $variant,)+
        }

        impl HostId {
            pub const COUNT: usize = [$($(#[$meta])* HostId::$variant,)+].len();
            pub const ALL: [HostId; Self::COUNT] = [$($(#[$meta])* HostId::$variant,)+];

            /// Whether two events may report one call with only one of them carrying its id, so that calls
            /// are matched by content.
            pub const fn tells_twice(self) -> bool {
                match self {
                    $($(#[$meta])* HostId::$variant => $twice,)+
                }
            }

            /// Name, title, vendor, and an alternative name.
            const fn names(self) -> (&'static str, &'static str, &'static str, Option<&'static str>) {
                match self {
                    $($(#[$meta])* HostId::$variant => ($name, $title, $vendor, $other),)+
                }
            }
        }
    };
}

hosts! {
    Cursor = "cursor" "Cursor" "cursor" None, true;
    Claude = "claude" "Claude Code" "anthropic" Some("claude-code"), false;
    Codex = "codex" "Codex" "openai" None, false;
    Gemini = "gemini" "Gemini CLI" "gcp.gemini" Some("gemini-cli"), false;
    Qwen = "qwen" "Qwen Code" "_OTHER" Some("qwen-code"), false;
    #[cfg(feature = "invented-host")]
    Invented = "invented" "Invented Agent" "_OTHER" None, false;
}

impl HostId {
    /// The name used on the command line, on the wire and in file names.
    pub const fn as_str(self) -> &'static str {
        self.names().0
    }

    /// Product name.
    pub const fn title(self) -> &'static str {
        self.names().1
    }

    /// The maker of the models that the host uses by default, as OpenTelemetry names providers.
    pub const fn vendor(self) -> &'static str {
        self.names().2
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
        HostId::ALL
            .into_iter()
            .find(|host| host.as_str() == name || host.names().3 == Some(name))
            .ok_or_else(|| UnknownHost(name.to_owned()))
    }
}
