//! A hook file to be linted: its host, layer and the base folder of its commands.

use std::path::{Path, PathBuf};

use tenter_engine::document::{Parsed, Source, SyntaxError};
use tenter_hosts::lint::{Base, FileName, Layer};
use tenter_model::HostId;

use crate::Options;
use crate::vocabulary::{event_names, of};

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Json,
    /// Codex's `config.toml`, of which only `[hooks]` is linted. It is never fixed.
    Toml,
}

impl Form {
    fn of(path: &Path) -> Self {
        let is_toml = path.extension().is_some_and(|extension| extension == "toml");
        if is_toml { Self::Toml } else { Self::Json }
    }

    /// Parses the text into a tree with positions.
    pub fn parse(self, source: &Source) -> Result<Parsed<'_>, SyntaxError> {
        match self {
            Self::Json => source.parse(),
            Self::Toml => crate::toml::parse(source),
        }
    }
}

/// A hook file and its text.
#[derive(Clone, Debug)]
pub struct File {
    /// Absolute path.
    pub path: PathBuf,
    pub host: HostId,
    pub layer: Layer,
    pub form: Form,
    /// Empty when it cannot be read.
    pub text: String,
    /// Why the text could not be read.
    pub unreadable: Option<String>,
}

impl File {
    pub fn new(path: impl Into<PathBuf>, host: HostId, layer: Layer, text: &str) -> Self {
        let (path, form) = (path.into(), Form::Json);
        Self { path, host, layer, form, text: text.to_owned(), unreadable: None }
    }

    /// The same file in another format.
    #[must_use]
    pub fn written_in(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// Reads a file. Host and layer come from its path, else from its content; `host` overrides both. `None`
    /// when the host cannot be determined.
    pub fn read(path: &Path, host: Option<HostId>, options: &Options) -> Option<Self> {
        let (text, unreadable) = match crate::read::whole(path, crate::read::MOST_OF_HOOKS) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => (text, None),
                Err(error) => {
                    let at = error.utf8_error().valid_up_to() + 1;
                    (String::new(), Some(format!("is not UTF-8 text (byte {at})")))
                }
            },
            Err(reason) => (String::new(), Some(reason)),
        };
        let (told, layer) = identify(path, options);
        let form = Form::of(path);
        let toml = || HostId::ALL.into_iter().find(|host| has_toml(*host) && form == Form::Toml);
        // Invalid JSON has the same cost on every host, so a guess does no harm.
        let any = || {
            let broken = crate::edit::is_broken(&text) || unreadable.is_some();
            HostId::ALL.into_iter().next().filter(|_| broken)
        };
        let host = host.or(told).or_else(toml).or_else(|| shape(&text)).or_else(any)?;
        Some(Self { path: path.to_owned(), host, layer, form, text, unreadable })
    }

    /// Whether the path is that of a hook file, whatever it contains.
    pub fn is_named(path: &Path, options: &Options) -> bool {
        path.file_name().is_some_and(|name| name == "hooks.json")
            || identify(path, options).1 != Layer::Unknown
    }

    /// The folder that contains `.cursor`, `.claude` or `.codex`; for a plugin, the plugin's folder.
    pub fn root(&self) -> Option<&Path> {
        let holder = self.path.parent()?.parent()?;
        match self.layer {
            Layer::Project | Layer::Local | Layer::User | Layer::Plugin => Some(holder),
            Layer::Enterprise | Layer::Unknown => None,
        }
    }

    /// The base folder of relative commands, where the host has a fixed one.
    pub fn base(&self) -> Option<&Path> {
        match (of(self.host).base)(self.layer) {
            Base::File => self.path.parent(),
            Base::Root => self.root(),
            Base::Session => None,
        }
    }

    /// Whether other people use the file too.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.layer, Layer::Project | Layer::Plugin | Layer::Enterprise)
    }
}

/// Determines host and layer from a path alone.
pub fn identify(path: &Path, options: &Options) -> (Option<HostId>, Layer) {
    let name = |path: &Path| {
        path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let holder = folder.parent();
    let of_user = holder.is_some() && holder == options.home.as_deref();
    let personal = |layer| match layer {
        Layer::Project | Layer::Local if of_user => Layer::User,
        other => other,
    };
    let name = name(path);
    for host in HostId::ALL {
        let install = tenter_hosts::host(host).install();
        let moved =
            options.moved.iter().find(|(by, _)| Some(by.as_str()) == install.folder_moved_by);
        let here = |file: &&FileName| file.name.is_empty() || file.name == name;
        for file in of(host).files.iter().filter(here) {
            let is_moved = moved.is_some_and(|(_, moved)| moved == folder);
            if is_moved && file.layer == Layer::Project {
                return (Some(host), Layer::User);
            }
            // A folder that is not the host's own needs more than its name to be recognised.
            if file.folder.is_empty() || folder.ends_with(file.folder) {
                return (Some(host), personal(file.layer));
            }
        }
    }
    if name == "hooks.json" && folder.ends_with("hooks") {
        return (holder.and_then(plugin_host), Layer::Plugin);
    }
    (None, Layer::Unknown)
}

/// Whether the host supports hooks in TOML files.
fn has_toml(host: HostId) -> bool {
    of(host)
        .files
        .iter()
        .any(|file| Path::new(file.name).extension().is_some_and(|it| it == "toml"))
}

/// The host whose manifest is in a plugin's folder, if there is exactly one.
fn plugin_host(plugin: &Path) -> Option<HostId> {
    let manifests = HostId::ALL
        .into_iter()
        .filter(|host| plugin.join(format!(".{host}-plugin")).join("plugin.json").is_file());
    let found: Vec<HostId> = manifests.collect();
    match found.as_slice() {
        [host] => Some(*host),
        _ => None,
    }
}

/// Determines the host from event names in the text: camelCase is Cursor's, `PascalCase` Claude's. Codex has no
/// event names of its own, so it is never returned.
pub fn shape(text: &str) -> Option<HostId> {
    let told = HostId::ALL.into_iter().filter(|host| of(*host).told_by_events);
    let count =
        |host| event_names(host).filter(|name| text.contains(&format!("\"{name}\""))).count();
    let mut counts: Vec<(usize, HostId)> = told.map(|host| (count(host), host)).collect();
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    match counts.as_slice() {
        [(first, host), (second, _), ..] if first > second => Some(*host),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str) -> (Option<HostId>, Layer) {
        let options = Options {
            home: Some("/home/ana".into()),
            moved: vec![("CODEX_HOME".to_owned(), "/data/codex".into())],
            ..Options::default()
        };
        identify(Path::new(path), &options)
    }

    #[test]
    fn the_path_tells_host_and_layer() {
        use HostId::{Claude, Codex, Cursor};
        let cases = [
            ("/w/.cursor/hooks.json", Some(Cursor), Layer::Project),
            ("/home/ana/.cursor/hooks.json", Some(Cursor), Layer::User),
            ("/etc/cursor/hooks.json", Some(Cursor), Layer::Enterprise),
            ("/Library/Application Support/Cursor/hooks.json", Some(Cursor), Layer::Enterprise),
            ("/w/.claude/settings.json", Some(Claude), Layer::Project),
            ("/w/.claude/settings.local.json", Some(Claude), Layer::Local),
            ("/home/ana/.claude/settings.json", Some(Claude), Layer::User),
            ("/etc/claude-code/managed-settings.json", Some(Claude), Layer::Enterprise),
            ("/etc/claude-code/managed-settings.d/10-x.json", Some(Claude), Layer::Enterprise),
            ("/w/.codex/hooks.json", Some(Codex), Layer::Project),
            ("/home/ana/.codex/hooks.json", Some(Codex), Layer::User),
            ("/data/codex/hooks.json", Some(Codex), Layer::User),
            ("/w/.codex/config.toml", Some(Codex), Layer::Project),
            ("/data/codex/config.toml", Some(Codex), Layer::User),
            ("/etc/codex/requirements.toml", Some(Codex), Layer::Enterprise),
            ("/w/config.toml", None, Layer::Unknown),
            ("/p/hooks/hooks.json", None, Layer::Plugin),
            ("/w/cursor/hooks.json", None, Layer::Unknown),
            ("/w/x.json", None, Layer::Unknown),
        ];
        for (path, host, layer) in cases {
            assert_eq!(told(path), (host, layer), "{path}");
        }
    }

    #[test]
    fn the_shape_tells_the_host_where_the_path_does_not() {
        assert_eq!(shape(r#"{"hooks": {"preToolUse": []}}"#), Some(HostId::Cursor));
        assert_eq!(shape(r#"{"hooks": {"PreToolUse": []}}"#), Some(HostId::Claude));
        assert_eq!(shape("{}"), None);
    }

    #[test]
    fn commands_start_where_the_host_starts_them() {
        let base =
            |path: &str, host, layer| File::new(path, host, layer, "").base().map(Path::to_owned);
        let of = |path| Some(PathBuf::from(path));
        assert_eq!(base("/w/.cursor/hooks.json", HostId::Cursor, Layer::Project), of("/w"));
        assert_eq!(base("/h/.cursor/hooks.json", HostId::Cursor, Layer::User), of("/h/.cursor"));
        assert_eq!(
            base("/etc/cursor/hooks.json", HostId::Cursor, Layer::Enterprise),
            of("/etc/cursor")
        );
        assert_eq!(base("/p/hooks/hooks.json", HostId::Cursor, Layer::Plugin), of("/p"));
        assert_eq!(base("/w/.claude/settings.json", HostId::Claude, Layer::Project), of("/w"));
        assert_eq!(base("/h/.claude/settings.json", HostId::Claude, Layer::User), None);
        assert_eq!(base("/w/x.json", HostId::Cursor, Layer::Unknown), None);
    }
}
