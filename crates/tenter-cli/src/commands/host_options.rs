//! Options of the commands that emulate Cursor: layers and version.

use std::path::{Path, PathBuf};

use crate::error::CommandError;
use tenter_engine::layer::{LayerKind, Layers};
use tenter_engine::{Engine, Generation, Precedence, ProgramJudge, RunMode, Settings};

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct HostOptions {
    /// A workspace root; may be repeated [default: the current directory]
    #[arg(long, value_name = "DIR", help_heading = "Layers")]
    project: Vec<PathBuf>,
    /// Trust the workspace: without this its own hooks are not run
    #[arg(long, help_heading = "Layers")]
    trust: bool,
    /// The home directory, for ~/.cursor and ~/.claude
    #[arg(long, value_name = "DIR", help_heading = "Layers")]
    home: Option<PathBuf>,
    /// The directory of the enterprise's hooks.json
    #[arg(long, value_name = "DIR", help_heading = "Layers")]
    enterprise: Option<PathBuf>,
    /// The managed directory of the team's hooks
    #[arg(long, value_name = "DIR", help_heading = "Layers")]
    team: Option<PathBuf>,
    /// A plugin's root; may be repeated
    #[arg(long, value_name = "DIR", help_heading = "Layers")]
    plugin: Vec<PathBuf>,
    /// Only this kind of layer; may be repeated (enterprise, team, project, user, plugin,
    /// claude-local, claude-project, claude-user)
    #[arg(long, value_name = "KIND", help_heading = "Layers")]
    layer: Vec<LayerKind>,
    /// Do not read Claude Code's settings
    #[arg(long, help_heading = "Layers")]
    no_claude: bool,
    /// The version of Cursor to act, such as 3.21.16 or 2026.09.23-86fc751
    #[arg(long, value_name = "V", help_heading = "Cursor")]
    cursor_version: Option<String>,
    /// The text of Cursor's documentation to follow: g1, g2 or g3
    #[arg(long, value_name = "G", default_value = "g3", help_heading = "Cursor")]
    generation: Generation,
    /// How its user lets commands run: allowlist, everything or auto-review
    #[arg(long, value_name = "MODE", default_value = "allowlist", help_heading = "Cursor")]
    run_mode: RunMode,
    /// Of rival fields, take the last in layer order or that of the higher layer: last or priority
    /// [default: as the generation does]
    #[arg(long, value_name = "ORDER", help_heading = "Cursor")]
    merge: Option<Precedence>,
    /// Refuse what is only probably accepted: camelCase keys, unknown keys, nulls
    #[arg(long, help_heading = "Cursor")]
    strict: bool,
    /// The email address of the user who is logged in
    #[arg(long, value_name = "EMAIL", help_heading = "Cursor")]
    user_email: Option<String>,
    /// Act a remote workspace
    #[arg(long, help_heading = "Cursor")]
    remote: bool,
}

impl HostOptions {
    /// The first workspace root.
    pub(crate) fn root(&self) -> PathBuf {
        self.roots().into_iter().next().unwrap_or_default()
    }

    /// Rejects missing folders: a typo would look like a project without hooks.
    pub(crate) fn check(&self) -> Result<(), CommandError> {
        match self.project.iter().chain(&self.plugin).find(|directory| !directory.is_dir()) {
            Some(missing) => {
                Err(CommandError::usage(format!("there is no directory `{}`", missing.display())))
            }
            None => Ok(()),
        }
    }

    /// The workspace roots, primary one first.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        let here = std::env::current_dir().unwrap_or_default();
        if self.project.is_empty() {
            return vec![here];
        }
        self.project.iter().map(|root| absolute(root)).collect()
    }

    fn layers(&self) -> Layers {
        let roots = self.roots();
        // A relative home would turn the project into the user's layer, which needs no trust.
        let own = || std::env::home_dir().filter(|home| home.is_absolute());
        let home = self.home.as_deref().map(absolute).or_else(own);
        let mut layers = Layers::of_workspace(
            roots.first().map_or(Path::new(""), PathBuf::as_path),
            home.as_deref(),
        );
        if self.home.is_none()
            && let Some(data) = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from)
            && data.is_absolute()
        {
            layers.team = Some(data.join("tenter/team"));
        }
        if let Some(directory) = &self.enterprise {
            layers.enterprise = Some(absolute(directory));
        }
        if let Some(directory) = &self.team {
            layers.team = Some(absolute(directory));
        }
        layers.roots = roots;
        layers.trusted = self.trust;
        layers.plugins = self.plugin.iter().map(|root| absolute(root)).collect();
        layers.claude = !self.no_claude;
        layers.only.clone_from(&self.layer);
        layers
    }

    pub(crate) fn settings(&self) -> Settings {
        let mut settings = Settings {
            generation: self.generation,
            run_mode: self.run_mode,
            precedence: self.merge,
            strict: self.strict,
            user_email: self.user_email.clone(),
            remote: self.remote,
            ..Settings::default()
        };
        if let Some(version) = &self.cursor_version {
            settings.cursor_version.clone_from(version);
        }
        settings
    }

    /// The engine, with the mark of its payloads; prompt hooks ask `tenter-server`.
    pub(crate) fn engine(&self, mark: Option<&'static str>) -> Engine {
        let settings = Settings { mark, ..self.settings() };
        let mut engine = Engine::with(self.layers(), settings).heeding_signals();
        if let Some(program) = sibling("tenter-server") {
            engine = engine.judged_by(ProgramJudge { program, arguments: vec!["judge".into()] });
        }
        engine
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Path of another program of ours, never taken from PATH. We may be called through a link, so both the
/// link's folder and ours are searched; if it is in neither, its expected path.
pub(super) fn sibling(name: &str) -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let real = own.canonicalize();
    let beside =
        |own: &Path| own.with_file_name(name).with_extension(std::env::consts::EXE_EXTENSION);
    let places = [Some(beside(&own)), real.ok().map(|real| beside(&real))];
    let found = places.into_iter().flatten().find(|path| tenter_setup::places::is_program(path));
    found.or_else(|| Some(beside(&own)))
}
