//! Effects: what a program would do, in terms that policies can use.

use crate::act::Act;
use crate::flow::Flow;
use crate::span::Span;
use crate::target::Target;

/// One effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    pub kind: Kind,
    /// Action inside the kind: `reset-hard`, `drop-table`.
    pub action: Act,
    pub target: Target,
    pub certainty: Certainty,
    /// Affects whole trees instead of single things.
    pub recursive: bool,
    /// Skips confirmations and safety checks.
    pub force: bool,
    /// Happens on another machine or in a container.
    pub elsewhere: bool,
    /// Sources of the data that is sent, written or executed.
    pub sources: Flow,
    /// The words that cause it.
    pub span: Span,
    /// Index of its command in [`crate::Analysis::commands`].
    pub command: Option<u32>,
    /// Index of its script on disk in [`crate::Analysis::scripts`].
    pub script: Option<u16>,
}

impl Effect {
    /// Whether both are equal apart from certainty and command.
    pub(crate) fn same_as(&self, other: &Self) -> bool {
        self.span == other.span
            && self.kind == other.kind
            && self.action == other.action
            && self.recursive == other.recursive
            && self.force == other.force
            && self.target == other.target
            && self.sources == other.sources
            && self.script == other.script
    }
}

/// Ordered: the smaller is the weaker claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Cannot be told from the text.
    Unknown,
    /// Depends on a branch, a pattern or a variable.
    Possible,
    /// It happens if the command runs.
    Certain,
}

impl Certainty {
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Possible => "possible",
            Self::Certain => "certain",
        }
    }
}

macro_rules! kinds {
    ($($variant:ident $name:literal $doc:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind { $(#[doc = $doc] $variant,)* }

        impl Kind {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The kind with this name.
            pub const fn named(name: &str) -> Option<Self> {
                Self::find(name.as_bytes())
            }

            #[expect(clippy::indexing_slicing, reason = "the index stays below the length")]
            pub(crate) const fn find(name: &[u8]) -> Option<Self> {
                let mut at = 0;
                while at < Self::ALL.len() {
                    if crate::act::order(Self::ALL[at].name().as_bytes(), name) == 0 {
                        return Some(Self::ALL[at]);
                    }
                    at += 1;
                }
                None
            }

            /// Description, for tables and people.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }
        }
    };
}

kinds! {
    Delete "delete" "files or directories are deleted",
    Overwrite "overwrite" "what a file held is replaced or cut off",
    Write "write" "a file is made or changed",
    Append "append" "something is added to the end of a file",
    Move "move" "a file or directory leaves its place",
    Read "read" "the content of a file is read",
    Permission "permission" "modes, access lists or attributes change",
    Owner "owner" "owner or group change",
    Device "device" "a disk, partition, filesystem or other device is written or reshaped",
    Execute "execute" "code from elsewhere is run: network, standard input, decoded data, a file just written",
    Send "send" "data leaves for the network",
    Receive "receive" "data comes from the network",
    Privilege "privilege" "rights of another user are used or given",
    Process "process" "processes are killed, flooded or traced",
    Service "service" "services of the machine change state",
    System "system" "power, kernel, boot, accounts, network or other settings of the machine change",
    Schedule "schedule" "something is set to run later",
    Install "install" "packages or programs are installed or removed",
    Publish "publish" "packages, images or releases are published or withdrawn",
    VcsHistory "vcs-history" "commits are rewritten or become unreachable",
    VcsWorktree "vcs-worktree" "uncommitted changes or untracked files are lost",
    VcsStash "vcs-stash" "stashed changes are lost",
    VcsRefs "vcs-refs" "branches, tags, reflogs or the repository itself are lost",
    VcsRemote "vcs-remote" "history or refs of a remote are overwritten or deleted, or its address changes",
    Vcs "vcs" "other state of version control changes: commits, pushes, configuration",
    Database "database" "data or schema of a database are lost or changed",
    Cluster "cluster" "an orchestrator's resources change",
    Cloud "cloud" "resources or settings at a cloud or hosting provider change",
    Container "container" "containers, images, volumes or networks change, or gain rights over the host",
    Forge "forge" "repositories, releases or settings of a code forge change",
    EnvironmentDump "environment-dump" "all environment variables are printed or passed on",
    HookBypass "hook-bypass" "checks that guard a step are switched off",
}
