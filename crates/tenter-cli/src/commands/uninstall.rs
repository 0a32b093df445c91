//! `tenter uninstall`: removes our hooks.

use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

use tenter_engine::diagnostic::printable;
use tenter_setup::Places;
use tenter_setup::files::{self, Change, Ledger};
use tenter_setup::import::{self, Importable, Originals};
use tenter_setup::plan::{self, Events, Leaving};

use super::apply::{self, Way};
use super::which::{self, Hosts, Which};
use super::{init, install};
use crate::error::CommandError;
use crate::guard::folders::Folders;
use crate::guard::policies;

/// Remove tenter's hooks from the hosts' configuration files
///
/// A file unchanged since the install is restored byte for byte, a file tenter created is deleted, and from
/// a changed file only tenter's entries are removed. Files of other projects are listed and keep their
/// hooks.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// Only this scope; all scopes otherwise
    #[arg(long, value_enum)]
    scope: Option<which::Scope>,
    /// Only these events: `usual`, `gates`, `all`, or a list of the host's own event names
    #[arg(long, value_name = "usual|gates|all|LIST", default_value = "all", value_parser = install::events)]
    events: Events,
    /// Only entries with this matcher, as given to `tenter install`; prefix EVENT: for one event
    #[arg(long, value_name = "[EVENT:]PATTERN")]
    matcher: Vec<String>,
    /// Also delete tenter's state, cache, and the policy if unchanged since `tenter init`
    #[arg(long)]
    purge: bool,
    /// Show the changes as a unified diff, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let places = args.which.places()?;
    let Args { dry_run, yes, json, .. } = *args;
    let mut way = Way { dry_run, yes, json, purge: false };
    let lock = apply::begin(&way, &places)?;
    let survey = which::look(&places);
    // The host itself may be gone already.
    let hosts = match &args.which.hosts {
        Hosts::Listed(hosts) => hosts.clone(),
        Hosts::Auto => tenter_model::HostId::ALL.to_vec(),
    };
    let ledger = files::ledger(&places).map_err(CommandError::failed)?;
    let leaving = Leaving {
        hosts,
        scope: args.scope.map(Into::into),
        events: args.events.clone(),
        matchers: args.matcher.iter().map(|text| install::matcher(text)).collect(),
    };
    let mut plan = plan::uninstall(&leaving, &survey, &ledger);
    let folders = Folders::of(|name| std::env::var(name).ok());
    if args.purge {
        plan.own.extend(own_policy(&folders, &ledger));
    }
    for scope in [which::Scope::User, which::Scope::Managed] {
        let back = plan::put_back(&plan, &survey, &ledger);
        let back: Vec<_> = back.into_iter().filter(|one| one.scope == scope.into()).collect();
        let change = keep_to_others(&back, scope, &places);
        let is_new = |change: &Change| plan.own.iter().all(|own| own.path != change.path);
        plan.own.extend(change.filter(is_new));
    }
    let left = plan::left_wired(&plan, &ledger);
    // Backups are needed for hooks that stay installed.
    way.purge = args.purge && left.is_empty() && plan.refusals.is_empty();
    let question = "Take tenter out of them?";
    let applied = apply::carry_out(&way, &plan, &places, question, "not taken out")?;
    apply::tell(&way, &plan, &applied, None);
    drop(lock);
    if way.purge && !args.dry_run {
        purge(&folders, places.home.as_deref())?;
    }
    let some = args.events != Events::All || !args.matcher.is_empty();
    let chosen = args.scope.is_some() || args.which.hosts != Hosts::Auto || some;
    if args.purge || !chosen {
        for path in &left {
            apply::say(&printable(&format!("still wired: {}", hint(path))));
        }
    }
    let kept = args.purge && !way.purge;
    if kept {
        apply::say("our state stays, because what is still wired needs it to come back as it was");
    }
    Ok(ExitCode::from(u8::from(kept || !plan.refusals.is_empty())))
}

/// A file that is still installed, and how to uninstall it.
fn hint(path: &Path) -> String {
    let shown = path.display();
    let Some(folder) = path.parent() else { return shown.to_string() };
    let above = folder.parent().unwrap_or(folder);
    let is_named = |names: &[&str]| names.iter().any(|name| folder.ends_with(name));
    let moved = if path.ends_with("settings.json") { "CLAUDE_CONFIG_DIR" } else { "CODEX_HOME" };
    let how = if is_named(&[".claude", ".cursor", ".codex"]) {
        // `.claude/settings.json` belongs to the parent folder.
        format!("tenter uninstall --cwd {}", above.display())
    } else if is_named(&["etc/claude-code", "etc/cursor", "etc/codex"]) {
        let root = above.parent().unwrap_or(above);
        format!("tenter uninstall --root {}", root.display())
    } else {
        format!("{moved}={} tenter uninstall", folder.display())
    };
    format!("{shown}; {how}")
}

/// The policy with handlers excluded from hosts that run these hooks themselves again.
fn keep_to_others(back: &[Importable], scope: which::Scope, places: &Places) -> Option<Change> {
    let path = init::policy_file(scope, places).ok().filter(|_| !back.is_empty())?;
    let text = files::read(&path).ok()??;
    let after = import::restated(back, &text, Originals::Stay)?;
    Some(Change { path, before: Some(text), after: Some(after) })
}

/// The policy written by `tenter init`, if unchanged.
fn own_policy(folders: &Folders, ledger: &Ledger) -> Option<Change> {
    let path = folders.config.as_ref()?.join(policies::FILE);
    let text = files::read(&path).ok()??;
    let before = ledger.original(&path, &text)?;
    Some(Change { path, before: Some(text), after: before })
}

/// Removes our own folders, and parents in the home that become empty.
fn purge(folders: &Folders, home: Option<&Path>) -> Result<(), CommandError> {
    for folder in [&folders.state, &folders.cache].into_iter().flatten() {
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(CommandError::failed(format!(
                    "cannot remove {}: {error}",
                    folder.display()
                )));
            }
            _ => {}
        }
        let within =
            |around: &&Path| home.is_some_and(|home| *around != home && around.starts_with(home));
        let mut around = folder.ancestors().skip(1).take_while(within);
        // Stop at the first folder that is not empty.
        around.all(|around| std::fs::remove_dir(around).is_ok());
    }
    Ok(())
}
