//! Configuration layers (enterprise, team, project, user, plugins) in order of priority.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Kind of layer, highest priority first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerKind {
    /// No file: the guard of the engine.
    Guard,
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
    /// The kinds that files have.
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
            Self::Guard => "guard",
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

    /// Whether the layer comes with the repository, so that its hooks run only in a trusted workspace.
    pub const fn needs_trust(self) -> bool {
        matches!(self, Self::Project | Self::ClaudeLocal | Self::ClaudeProject)
    }

    /// Whether the layer's files have Claude's format.
    pub const fn is_claude(self) -> bool {
        matches!(self, Self::ClaudeLocal | Self::ClaudeProject | Self::ClaudeUser)
    }
}

impl fmt::Display for LayerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that is not a layer.
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

/// One file that may contain hooks, and the folder its commands run in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    pub kind: LayerKind,
    /// Path of the file; it need not exist.
    pub file: PathBuf,
    /// Working directory of its commands.
    pub directory: PathBuf,
    /// The workspace root passed to its commands.
    pub project: Option<PathBuf>,
}

/// The folders to read. Those that are `None` or empty are skipped.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// Folder of the enterprise's `hooks.json`.
    pub enterprise: Option<PathBuf>,
    /// Managed folder with the team's `hooks.json`.
    pub team: Option<PathBuf>,
    /// Workspace roots, the primary one first.
    pub roots: Vec<PathBuf>,
    /// Whether the user trusts the workspace; its hooks run only then.
    pub trusted: bool,
    /// Home folder, for `~/.cursor` and `~/.claude`.
    pub home: Option<PathBuf>,
    pub plugins: Vec<PathBuf>,
    /// Whether to read Claude's settings too, as Cursor does by default.
    pub claude: bool,
    /// If not empty, load only these kinds.
    pub only: Vec<LayerKind>,
}

impl Layers {
    /// The layers that Cursor reads for a workspace on this system.
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

    /// All files to read, highest priority first; plugins locate their own.
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
            // Relative commands in Claude's settings assume the project folder. In an untrusted workspace
            // they would run its files, so they run in the home folder there.
            let directory = self.roots.first().filter(|_| self.trusted).unwrap_or(home);
            files.push(layer(LayerKind::ClaudeUser, home.join(".claude/settings.json"), directory));
        }
        files
    }
}

/// Folder of the enterprise's hooks on this system.
#[cfg(target_os = "macos")]
pub const ENTERPRISE: &str = "/Library/Application Support/Cursor";
/// Folder of the enterprise's hooks on this system.
#[cfg(windows)]
pub const ENTERPRISE: &str = r"C:\ProgramData\Cursor";
/// Folder of the enterprise's hooks on this system.
#[cfg(not(any(target_os = "macos", windows)))]
pub const ENTERPRISE: &str = "/etc/cursor";

/// Folder of the team's hooks, below the home folder.
pub const TEAM: &str = ".local/share/tenter/team";

/// Name of this operating system in a team hook's `os` field.
pub const OS: &str = if cfg!(target_os = "macos") {
    "macos"
} else if cfg!(windows) {
    "windows"
} else {
    "linux"
};
