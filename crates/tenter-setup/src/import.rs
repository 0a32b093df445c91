//! Converts existing hooks of Cursor and Claude Code to policy handlers, which then run on all hosts.

mod words;
mod write;

use std::path::{Path, PathBuf};

use serde_json::Value;
use tenter_hosts::install::Scope;
use tenter_hosts::takeover::Takeover;
use tenter_model::{EventKind, HostId};

use crate::command;
use crate::edit::FoundHook;
use crate::survey::HookFile;

pub use write::{Originals, handlers, handlers_with, ids, missing, restated};

/// Maximum timeout of a handler in seconds: hosts give us half a minute in total.
const LONGEST: f64 = 25.0;
/// Maximum timeout at the end of a session.
const LONGEST_AT_END: f64 = 2.0;

/// A foreign hook.
#[derive(Clone, Debug, PartialEq)]
pub struct Importable {
    pub host: HostId,
    /// A project's hooks belong into that project's policy, where they need trust.
    pub scope: Scope,
    pub path: PathBuf,
    /// Its file is never written, so the hook always stays.
    pub read_only: bool,
    pub found: FoundHook,
    /// The policy handler, or why it cannot be converted.
    pub handler: Result<Handler, String>,
    /// The project's folder, if the handler is for a policy that is committed.
    pub shared: Option<PathBuf>,
}

/// A future `[[handler]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// Unique among the handlers of the list.
    pub id: String,
    /// Unified events.
    pub on: Vec<String>,
    /// The event by the host's name, where `on` is ambiguous.
    pub event: Option<String>,
    pub matcher: Option<String>,
    pub run: Vec<String>,
    /// Seconds.
    pub timeout: f64,
    /// The hook's own timeout, if longer.
    pub had: Option<f64>,
    pub fail_closed: bool,
    /// Working folder, if its host has a fixed one.
    pub cwd: Option<PathBuf>,
    /// Set if it applies to this project only.
    pub project: Option<PathBuf>,
}

/// Stands for the folder of a project's policy in `run` and `cwd` of its handlers.
pub const PROJECT: &str = "{project}";

impl Importable {
    /// Names the project's files by [`PROJECT`], for a policy that is committed.
    pub fn share(&mut self) {
        let Ok(handler) = &mut self.handler else { return };
        let Some(root) = handler.project.take() else { return };
        let here = root.display().to_string();
        let below = format!("{here}/");
        for word in &mut handler.run {
            *word = word.replace(&below, &format!("{PROJECT}/"));
        }
        if handler.cwd.as_deref() == Some(root.as_path()) {
            handler.cwd = Some(PathBuf::from(PROJECT));
        }
        self.shared = Some(root);
    }

    /// Whether it was made from this entry.
    pub fn is(&self, found: &FoundHook) -> bool {
        let place = |it: &FoundHook| (it.event.clone(), it.group, it.handler);
        place(found) == place(&self.found)
    }
}

/// All foreign hooks of Cursor and Claude Code, in file order.
pub fn existing<'f>(files: impl IntoIterator<Item = &'f HookFile>) -> Vec<Importable> {
    let mut all: Vec<Importable> = Vec::new();
    for file in files {
        let Some(takeover) = tenter_hosts::host(file.host).takeover() else { continue };
        for found in file.hooks().iter().filter(|found| command::ours(found).is_none()) {
            let mut handler = handler(file, found, takeover);
            if let Ok(handler) = &mut handler {
                let others = all.iter().filter_map(|one| one.handler.as_ref().ok());
                let taken: Vec<&str> = others.map(|one| one.id.as_str()).collect();
                handler.id = unlike(&handler.id, &taken);
            }
            all.push(Importable {
                host: file.host,
                scope: file.scope,
                path: file.path.clone(),
                read_only: file.read_only,
                found: found.clone(),
                handler,
                shared: None,
            });
        }
    }
    all
}

/// Makes an id unique by a number.
fn unlike(id: &str, taken: &[&str]) -> String {
    let numbered = (2_u32..).map(|number| format!("{id}-{number}"));
    let mut names = std::iter::once(id.to_owned()).chain(numbered);
    names.find(|name| !taken.contains(&name.as_str())).unwrap_or_else(|| id.to_owned())
}

fn handler(file: &HookFile, found: &FoundHook, takeover: &Takeover) -> Result<Handler, String> {
    if file.settings.get("disableAllHooks") == Some(&Value::Bool(true)) {
        return Err("its file sets `disableAllHooks`: it does not run".to_owned());
    }
    refused(takeover, &found.fields)?;
    let on = events(file.host, &found.event, takeover)?;
    let base = base(file, takeover);
    let root = root(file);
    let run = command_of(file, found, base.as_deref(), root)?;
    let install = tenter_hosts::host(file.host).install();
    let had = install.seconds(&found.fields).filter(|time| *time > 0.0);
    let at_end = on.iter().any(|event| event == EventKind::SessionEnd.as_str());
    let most = if at_end { LONGEST_AT_END } else { LONGEST };
    let name = words::script_name(found.command().unwrap_or_default());
    let closing = tenter_hosts::host(file.host).install().closing;
    Ok(Handler {
        // A guard may have the script's name, which would make the policy invalid.
        id: format!("{}-{name}", file.host),
        on,
        event: takeover.names_event.then(|| found.event.clone()),
        matcher: found.matcher.clone().filter(|text| !text.is_empty() && text != "*"),
        run,
        timeout: had.map_or(most, |time| time.min(most)),
        had: had.filter(|time| *time > most),
        fail_closed: closing.is_some_and(|closing| closing.is_in(&found.fields)),
        cwd: base.filter(|_| takeover.in_own_folder),
        project: root.map(Path::to_owned),
    })
}

/// Why a handler cannot be converted, by its fields.
fn refused(takeover: &Takeover, fields: &Value) -> Result<(), String> {
    if let Some(why) = (takeover.refused)(fields) {
        return Err(why);
    }
    let command = fields.get("command").and_then(Value::as_str).unwrap_or_default();
    if command.trim().is_empty() {
        return Err("it has no `command`".to_owned());
    }
    Ok(())
}

/// The unified events of the hook.
fn events(host: HostId, event: &str, takeover: &Takeover) -> Result<Vec<String>, String> {
    let kind = tenter_hosts::host(host).events().iter().find(|spec| spec.native == event);
    let Some(kind) = kind.map(|spec| spec.kind) else {
        return Err(format!("`{event}` is no event of its host"));
    };
    let tools = (takeover.tools)(event)?;
    if let Some((_, on)) = takeover.instead.iter().find(|(name, _)| *name == event) {
        return Ok(vec![(*on).to_owned()]);
    }
    let elsewhere = HostId::ALL.into_iter().filter(|other| *other != host);
    let known = elsewhere.flat_map(|other| tenter_hosts::host(other).events());
    if kind == EventKind::Other || !known.into_iter().any(|spec| spec.kind == kind) {
        return Err(format!("no other host has an event like `{event}`"));
    }
    if tools.is_empty() {
        return Ok(vec![kind.to_string()]);
    }
    Ok(tools.iter().map(|tool| format!("{kind}:{tool}")).collect())
}

/// The project root of a file.
fn root(file: &HookFile) -> Option<&Path> {
    if file.scope != Scope::Project {
        return None;
    }
    file.path.parent()?.parent()
}

/// The base folder of relative paths, unless it depends on the session.
fn base(file: &HookFile, takeover: &Takeover) -> Option<PathBuf> {
    match file.scope {
        Scope::Project => root(file).map(Path::to_owned),
        _ if takeover.in_own_folder => file.path.parent().map(Path::to_owned),
        _ => None,
    }
}

fn command_of(
    file: &HookFile,
    found: &FoundHook,
    base: Option<&Path>,
    root: Option<&Path>,
) -> Result<Vec<String>, String> {
    let command = found.command().unwrap_or_default();
    let takes_words = tenter_hosts::host(file.host).install().arguments;
    if takes_words && found.fields.get("args").is_some() {
        let arguments = found.arguments().ok_or("its `args` are no list of words")?;
        let mut all = vec![command.to_owned()];
        all.extend(arguments);
        let filled = all.iter().map(|word| words::filled(word, root)).collect();
        return Ok(words::absolute(filled, base));
    }
    let is_bash = found.fields.get("shell").is_some_and(|shell| shell == "bash");
    if let Some(plain) = words::plain(command, root).filter(|_| !is_bash) {
        // Without a base folder, only the session knows the path.
        let adrift = plain.first().is_some_and(|it| it.contains('/') && !it.starts_with('/'));
        if base.is_some() || !adrift {
            return Ok(words::absolute(plain, base));
        }
    }
    let shell = if is_bash { "bash" } else { "sh" };
    let mut run = vec![shell.to_owned(), "-c".to_owned(), command.to_owned()];
    // Passing it as the shell's `$0` changes nothing, and makes its content part of what is trusted.
    run.extend(words::first_file(command, base, root));
    Ok(run)
}

#[cfg(test)]
mod tests;
