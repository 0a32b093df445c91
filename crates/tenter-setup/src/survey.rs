//! Survey: hosts, scopes, hook files, hooks, and settings that disable hooks.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tenter_hosts::install::{Install, Off, Scope, Unread};
use tenter_model::HostId;

use crate::Places;
use crate::command::{self, Ours};
use crate::detect::Presence;
use crate::edit::{self, Fault, Format, FoundHook, Style};
use crate::{files, settings};

/// State of all hosts.
#[derive(Clone, Debug)]
pub struct Survey {
    pub hosts: Vec<HostState>,
}

/// State of one host.
#[derive(Clone, Debug)]
pub struct HostState {
    pub host: HostId,
    pub here: Presence,
    /// All files it reads hooks from, including missing ones; of each scope, the one that we write comes
    /// first.
    pub files: Vec<HookFile>,
    pub switches: Vec<Switch>,
    /// Settings in places that we do not read.
    pub unread: Option<Unread>,
}

/// One file that a host reads hooks from.
#[derive(Clone, Debug)]
pub struct HookFile {
    pub host: HostId,
    pub scope: Scope,
    /// Claude's `settings.local.json` and drop-ins: read for hooks and settings, never written.
    pub read_only: bool,
    pub path: PathBuf,
    pub format: Format,
    pub content: Content,
    /// Its content as JSON, if it can be parsed.
    pub settings: Value,
}

/// State of the file.
#[derive(Clone, Debug)]
pub enum Content {
    Missing,
    Unreadable(String),
    /// It cannot be parsed.
    Broken(Fault),
    Hooks {
        text: String,
        hooks: Vec<FoundHook>,
    },
}

/// A setting or variable that keeps hooks from running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    pub host: HostId,
    /// The scopes whose hooks do not run.
    pub silences: Vec<Scope>,
    pub path: PathBuf,
    /// The setting as written: `disableAllHooks = true`.
    pub what: String,
    /// The fix.
    pub fix: String,
}

/// Surveys everything. Nothing is run or changed.
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

/// Files of a drop-in folder beside a settings file. The host reads them by name and the last one wins, so it
/// comes first here.
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

/// Hooks that the host reads from a text.
fn read_as(host: HostId, text: &str, style: &Style<'_>) -> Result<Vec<FoundHook>, Fault> {
    match tenter_hosts::host(host).install().lists_needed {
        Some(events) => edit::read_lists_of(text, style, events),
        None => edit::read(text, style),
    }
}

/// The switch, if the file with the highest precedence for it disables hooks.
fn switch(
    host: HostId,
    spec: &tenter_hosts::install::Switch,
    files: &[HookFile],
) -> Option<Switch> {
    let counts = |file: &&HookFile| {
        let name = file.path.file_name().unwrap_or_default();
        spec.file.is_none_or(|wanted| name == wanted)
    };
    if let Off::Names(keys) = spec.off {
        return named(host, spec, keys, files);
    }
    let (file, value) = spec.order.iter().find_map(|scope| {
        // Files beside the main file take precedence within its scope.
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
        Off::Names(_) => false,
    };
    is_off.then(|| found(host, spec, file, value))
}

/// The switch, if a list in any file names one of our hooks.
fn named(
    host: HostId,
    spec: &tenter_hosts::install::Switch,
    keys: &[&str],
    files: &[HookFile],
) -> Option<Switch> {
    let hooks = files.iter().flat_map(HookFile::hooks);
    let ours = hooks.filter(|hook| crate::command::ours(hook).is_some());
    let names: Vec<&Value> =
        ours.flat_map(|hook| keys.iter().filter_map(|key| hook.fields.get(key))).collect();
    files.iter().find_map(|file| {
        let value = at(&file.settings, spec.key)?;
        let is_named = value.as_array()?.iter().any(|it| names.contains(&it));
        is_named.then(|| found(host, spec, file, value))
    })
}

fn found(
    host: HostId,
    spec: &tenter_hosts::install::Switch,
    file: &HookFile,
    value: &Value,
) -> Switch {
    let place = file.path.display();
    Switch {
        host,
        silences: (spec.silences)(file.scope).to_vec(),
        path: file.path.clone(),
        what: format!("{} = {value}", spec.key),
        fix: match file.scope {
            Scope::Managed => {
                format!("by hand: ask the administrator to take `{}` out of {place}", spec.key)
            }
            Scope::Project | Scope::User => {
                format!("by hand: take `{}` out of {place}", spec.key)
            }
        },
    }
}

/// The value at a dotted path.
fn at<'v>(settings: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(settings, |value, key| value.get(key))
}

impl Survey {
    /// Surveys the same hosts again: files may have changed, programs have not.
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
    /// Whether the host is installed, as far as known.
    pub fn is_here(&self) -> bool {
        self.here.is_here()
    }

    /// The files of one scope.
    pub fn in_scope(&self, scope: Scope) -> impl Iterator<Item = &HookFile> {
        self.files.iter().filter(move |file| file.scope == scope)
    }

    /// The switch that disables the hooks of a scope.
    pub fn silenced(&self, scope: Scope) -> Option<&Switch> {
        self.switches.iter().find(|switch| switch.silences.contains(&scope))
    }
}

impl HookFile {
    pub fn hooks(&self) -> &[FoundHook] {
        match &self.content {
            Content::Hooks { hooks, .. } => hooks,
            _ => &[],
        }
    }

    /// The text, if the file exists and can be parsed.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Hooks { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The hooks that run us.
    pub fn ours(&self) -> impl Iterator<Item = (&FoundHook, Ours)> {
        self.hooks().iter().filter_map(|found| Some((found, command::ours(found)?)))
    }
}
