//! Where configuration comes from, in order of priority.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A kind of layer, the highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerKind {
    Enterprise,
    Team,
    Project,
    User,
    Plugin,
    ClaudeLocal,
    ClaudeProject,
    ClaudeUser,
}

impl LayerKind {
    pub const ALL: [Self; 8] = [
        Self::Enterprise,
        Self::Team,
        Self::Project,
        Self::User,
        Self::Plugin,
        Self::ClaudeLocal,
        Self::ClaudeProject,
        Self::ClaudeUser,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enterprise => "enterprise",
            Self::Team => "team",
            Self::Project => "project",
            Self::User => "user",
            Self::Plugin => "plugin",
            Self::ClaudeLocal => "claude-local",
            Self::ClaudeProject => "claude-project",
            Self::ClaudeUser => "claude-user",
        }
    }

    /// A layer that comes with the repository, and so runs nothing before the workspace is trusted.
    pub const fn needs_trust(self) -> bool {
        matches!(self, Self::Project | Self::ClaudeLocal | Self::ClaudeProject)
    }

    /// A layer in Claude's format.
    pub const fn is_claude(self) -> bool {
        matches!(self, Self::ClaudeLocal | Self::ClaudeProject | Self::ClaudeUser)
    }
}

impl fmt::Display for LayerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLayer;

impl fmt::Display for UnknownLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = LayerKind::ALL.map(LayerKind::as_str).join(", ");
        write!(f, "must be one of: {names}")
    }
}

impl std::error::Error for UnknownLayer {}

impl FromStr for LayerKind {
    type Err = UnknownLayer;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownLayer)
    }
}

/// One file that may hold hooks, and where its commands run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    pub kind: LayerKind,
    /// The file; it need not exist.
    pub file: PathBuf,
    /// The working directory of its commands.
    pub directory: PathBuf,
    /// The workspace root that its commands are told of.
    pub project: Option<PathBuf>,
}

/// The places to look. What is `None` or empty is not looked at.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// The directory of the enterprise's `hooks.json`.
    pub enterprise: Option<PathBuf>,
    /// The managed directory with the team's `hooks.json`.
    pub team: Option<PathBuf>,
    /// The roots of the workspace, the first one first.
    pub roots: Vec<PathBuf>,
    /// Whether the human trusts the workspace: its hooks run only then.
    pub trusted: bool,
    /// The home directory, for `~/.cursor` and `~/.claude`.
    pub home: Option<PathBuf>,
    pub plugins: Vec<PathBuf>,
    /// Whether Claude's settings are read too, as Cursor does by default.
    pub claude: bool,
    /// Only these kinds, if any are named.
    pub only: Vec<LayerKind>,
}

impl Layers {
    /// What Cursor reads for a workspace on this system.
    pub fn of_workspace(root: &Path, home: Option<&Path>) -> Self {
        Self {
            enterprise: Some(PathBuf::from(ENTERPRISE)),
            team: home.map(|home| home.join(TEAM)),
            roots: vec![root.to_owned()],
            trusted: false,
            home: home.map(Path::to_owned),
            plugins: Vec::new(),
            claude: true,
            only: Vec::new(),
        }
    }

    /// Every file to look at, the highest priority first; plugins say for themselves where theirs is.
    pub(crate) fn files(&self) -> Vec<Layer> {
        let main = self.roots.first().cloned();
        let layer = |kind, file: PathBuf, directory: &Path| Layer {
            kind,
            file,
            directory: directory.to_owned(),
            project: main.clone(),
        };
        let mut files = Vec::new();
        for (kind, directory) in
            [(LayerKind::Enterprise, &self.enterprise), (LayerKind::Team, &self.team)]
        {
            files.extend(directory.iter().map(|dir| layer(kind, dir.join("hooks.json"), dir)));
        }
        files.extend(self.roots.iter().map(|root| Layer {
            project: Some(root.clone()),
            ..layer(LayerKind::Project, root.join(".cursor/hooks.json"), root)
        }));
        if let Some(home) = &self.home {
            let directory = home.join(".cursor");
            files.push(layer(LayerKind::User, directory.join("hooks.json"), &directory));
        }
        files.extend(self.plugins.iter().map(|root| layer(LayerKind::Plugin, root.clone(), root)));
        if self.claude {
            files.extend(self.claude_files(&layer));
        }
        files.retain(|layer| self.only.is_empty() || self.only.contains(&layer.kind));
        files
    }

    fn claude_files(&self, layer: &impl Fn(LayerKind, PathBuf, &Path) -> Layer) -> Vec<Layer> {
        let mut files = Vec::new();
        for (kind, name) in [
            (LayerKind::ClaudeLocal, ".claude/settings.local.json"),
            (LayerKind::ClaudeProject, ".claude/settings.json"),
        ] {
            files.extend(self.roots.iter().map(|root| Layer {
                project: Some(root.clone()),
                ..layer(kind, root.join(name), root)
            }));
        }
        if let Some(home) = &self.home {
            // Relative commands in Claude's settings assume the project. In one that is not trusted
            // they would run its files.
            let directory = self.roots.first().filter(|_| self.trusted).unwrap_or(home);
            files.push(layer(LayerKind::ClaudeUser, home.join(".claude/settings.json"), directory));
        }
        files
    }
}

/// Where the system keeps the enterprise's hooks.
#[cfg(target_os = "macos")]
pub const ENTERPRISE: &str = "/Library/Application Support/Cursor";
/// Where the system keeps the enterprise's hooks.
#[cfg(windows)]
pub const ENTERPRISE: &str = r"C:\ProgramData\Cursor";
/// Where the system keeps the enterprise's hooks.
#[cfg(not(any(target_os = "macos", windows)))]
pub const ENTERPRISE: &str = "/etc/cursor";

/// Where the team's hooks are kept, below the home directory.
pub const TEAM: &str = ".local/share/tenter/team";

/// The name of this system in a team's `os` field.
pub const OS: &str = if cfg!(target_os = "macos") {
    "macos"
} else if cfg!(windows) {
    "windows"
} else {
    "linux"
};
