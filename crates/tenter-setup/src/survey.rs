//! How things stand: every host, every scope, every hook, every switch that turns hooks off.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tenter_hosts::install::{Install, Off, Scope, Unread};
use tenter_model::HostId;

use crate::Places;
use crate::command::{self, Ours};
use crate::detect::Presence;
use crate::edit::{self, Fault, Format, Found, Style};
use crate::{files, settings};

/// All hosts.
#[derive(Clone, Debug)]
pub struct Survey {
    pub hosts: Vec<HostState>,
}

/// One host.
#[derive(Clone, Debug)]
pub struct HostState {
    pub host: HostId,
    pub here: Presence,
    /// Every file it reads hooks from, also those that are not there; of one scope, the one that we
    /// write first.
    pub files: Vec<HookFile>,
    pub switches: Vec<Switch>,
    /// Settings that it takes from where we do not look.
    pub unread: Option<Unread>,
}

/// One file that a host reads hooks from.
#[derive(Clone, Debug)]
pub struct HookFile {
    pub host: HostId,
    pub scope: Scope,
    /// Claude's `settings.local.json` and drop-ins: read for hooks and switches, never written.
    pub read_only: bool,
    pub path: PathBuf,
    pub format: Format,
    pub content: Content,
    /// All that stands in it, as JSON, where it can be read.
    pub settings: Value,
}

/// What lies there.
#[derive(Clone, Debug)]
pub enum Content {
    Missing,
    Unreadable(String),
    /// It cannot be parsed.
    Broken(Fault),
    Hooks {
        text: String,
        hooks: Vec<Found>,
    },
}

/// Something outside the hook that keeps it from running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    pub host: HostId,
    /// The scopes that no longer run.
    pub silences: Vec<Scope>,
    pub path: PathBuf,
    /// What is set, as it stands there: `disableAllHooks = true`.
    pub what: String,
    /// What to do about it.
    pub fix: String,
}

/// Looks at everything. Nothing is run and nothing is changed.
pub fn survey(places: &Places, presence: &[(HostId, Presence)]) -> Survey {
    let hosts = presence.iter().map(|(host, here)| state(*host, here.clone(), places)).collect();
    Survey { hosts }
}

fn state(host: HostId, here: Presence, places: &Places) -> HostState {
    let install = tenter_hosts::host(host).install();
    let files: Vec<HookFile> =
        Scope::ALL.into_iter().flat_map(|scope| files_of(host, install, scope, places)).collect();
    let switches = install.switches.iter().filter_map(|spec| switch(host, spec, &files)).collect();
    let unread = places.with_roots(|roots| (install.unread)(roots));
    HostState { host, here, files, switches, unread }
}

fn files_of(host: HostId, install: &Install, scope: Scope, places: &Places) -> Vec<HookFile> {
    let mut found: Vec<(PathBuf, bool)> = Vec::new();
    places.with_roots(|roots| {
        let own = [(install.file)(roots, scope), (install.toml)(roots, scope)];
        found.extend(own.into_iter().flatten().map(|path| (path, false)));
        let mut more = (install.more)(roots, scope);
        if scope == Scope::Managed {
            more.extend(found.iter().flat_map(|(path, _)| drop_ins(path)));
        }
        found.extend(more.into_iter().map(|path| (path, true)));
    });
    found.into_iter().map(|(path, read_only)| look(host, scope, path, read_only)).collect()
}

/// The files of an administrator's folder beside a settings file. They are read in the order of their names,
/// so the last of them has the last word and stands first.
fn drop_ins(path: &Path) -> Vec<PathBuf> {
    let folder = path.with_extension("d");
    if path.file_stem().is_none_or(|stem| stem != "managed-settings") {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_settings = |path: &PathBuf| {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        !hidden && path.extension().is_some_and(|extension| extension == "json")
    };
    let mut paths: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(is_settings).collect();
    paths.sort_by(|one, other| other.cmp(one));
    paths
}

fn look(host: HostId, scope: Scope, path: PathBuf, read_only: bool) -> HookFile {
    let format = Format::of(&path);
    let style = Style::of(host, format);
    let (content, settings) = match files::read(&path) {
        Ok(None) => (Content::Missing, Value::Null),
        Err(trouble) => (Content::Unreadable(trouble.to_string()), Value::Null),
        Ok(Some(text)) => match read_as(host, &text, &style) {
            Ok(hooks) => {
                let settings = settings::read(&text, format).unwrap_or(Value::Null);
                (Content::Hooks { text, hooks }, settings)
            }
            Err(fault) => (Content::Broken(fault), Value::Null),
        },
    };
    HookFile { host, scope, read_only, path, format, content, settings }
}

/// The hooks that a host finds.
fn read_as(host: HostId, text: &str, style: &Style<'_>) -> Result<Vec<Found>, Fault> {
    match tenter_hosts::host(host).install().lists_needed {
        Some(events) => edit::read_lists_of(text, style, events),
        None => edit::read(text, style),
    }
}

/// The switch, if the file that has the last word on it turns hooks off.
fn switch(
    host: HostId,
    spec: &tenter_hosts::install::Switch,
    files: &[HookFile],
) -> Option<Switch> {
    let counts = |file: &&HookFile| {
        let name = file.path.file_name().unwrap_or_default();
        spec.file.is_none_or(|wanted| name == wanted)
    };
    let (file, value) = spec.order.iter().find_map(|scope| {
        // What is read beside the main file has the last word within its scope.
        let own = files.iter().filter(|file| file.scope == *scope).filter(counts);
        let (more, main): (Vec<&HookFile>, Vec<&HookFile>) = own.partition(|file| file.read_only);
        more.into_iter().chain(main).find_map(|file| Some((file, at(&file.settings, spec.key)?)))
    })?;
    let is_off = match spec.off {
        Off::Is(off) => value.as_bool() == Some(off),
        Off::Has(word) => {
            let listed = value.as_array().is_some_and(|list| list.iter().any(|it| it == word));
            value.as_bool() == Some(true) || listed
        }
    };
    is_off.then(|| Switch {
        host,
        silences: (spec.silences)(file.scope).to_vec(),
        path: file.path.clone(),
        what: format!("{} = {value}", spec.key),
        fix: match file.scope {
            Scope::Managed => format!(
                "by hand: ask the administrator to take `{}` out of {}",
                spec.key,
                file.path.display()
            ),
            Scope::Project | Scope::User => {
                format!("by hand: take `{}` out of {}", spec.key, file.path.display())
            }
        },
    })
}

/// The value at a dotted path.
fn at<'v>(settings: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(settings, |value, key| value.get(key))
}

impl Survey {
    /// The same hosts, looked at again: their files may have changed, their programs have not.
    #[must_use]
    pub fn again(&self, places: &Places) -> Self {
        let hosts = self.hosts.iter();
        Self { hosts: hosts.map(|old| state(old.host, old.here.clone(), places)).collect() }
    }

    pub fn host(&self, host: HostId) -> Option<&HostState> {
        self.hosts.iter().find(|state| state.host == host)
    }

    /// Every file of every host.
    pub fn files(&self) -> impl Iterator<Item = &HookFile> {
        self.hosts.iter().flat_map(|state| &state.files)
    }
}

impl HostState {
    /// Whether the host is on this machine, as far as can be told.
    pub fn is_here(&self) -> bool {
        self.here.is_here()
    }

    /// The files of one scope.
    pub fn in_scope(&self, scope: Scope) -> impl Iterator<Item = &HookFile> {
        self.files.iter().filter(move |file| file.scope == scope)
    }

    /// What silences the hooks of a scope.
    pub fn silenced(&self, scope: Scope) -> Option<&Switch> {
        self.switches.iter().find(|switch| switch.silences.contains(&scope))
    }
}

impl HookFile {
    pub fn hooks(&self) -> &[Found] {
        match &self.content {
            Content::Hooks { hooks, .. } => hooks,
            _ => &[],
        }
    }

    /// The text, where the file is there and can be parsed.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Hooks { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The hooks that run us.
    pub fn ours(&self) -> impl Iterator<Item = (&Found, Ours)> {
        self.hooks().iter().filter_map(|found| Some((found, command::ours(found)?)))
    }
}
