//! `tenter init`: complete set-up in one step.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use tenter_engine::diagnostic::printable;
use tenter_hosts::install::Scope;
use tenter_policy::Preset;
use tenter_setup::files::Change;
use tenter_setup::import::{self, Importable, Originals};
use tenter_setup::plan::Request;
use tenter_setup::survey::Survey;
use tenter_setup::{Places, plan};

use super::apply::{self, Way};
use super::prove::{self, Real, Wanted};
use super::{Style, install as wiring, protection, which};
use crate::error::CommandError;
use crate::guard::folders::Folders;
use crate::guard::{human, policies};

/// Protect the agents on this machine, or in this repository, in one step
///
/// Finds the hosts, writes a policy, wires the hosts, proves that the hooks block and ends with one line for each host,
/// also for agents that it cannot guard.
/// Shows what it will change first and asks; `tenter uninstall` undoes it to the byte. Running it again is safe. Exit 0:
/// all was done, though a host may still wait for your approval; 1: a host is not protected.
// Its clap group would have the name of the flattened one.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// The policy to start from; `recommended` if none is named
    #[arg(long, value_name = "NAME", value_parser = preset)]
    preset: Option<Preset>,
    /// Run the hooks that Cursor and Claude Code already have on the other hosts too, as handlers of the policy.
    /// `move` takes their own entries out, so that no host runs one twice; `tenter uninstall` puts them back
    #[arg(long, value_name = "keep|move", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "ask", hide_possible_values = true)]
    import: Option<Import>,
    #[command(flatten)]
    install: wiring::Args,
}

/// Treatment of imported entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Import {
    /// A human is asked, where there is one; otherwise they stay
    Ask,
    /// They stay, and the handlers are for the other hosts
    Keep,
    /// They go, and the handlers are for all hosts
    Move,
}

fn preset(name: &str) -> Result<Preset, CommandError> {
    Preset::ALL.into_iter().find(|preset| preset.as_str() == name).ok_or_else(|| {
        let all: Vec<&str> = Preset::ALL.iter().map(|preset| preset.as_str()).collect();
        CommandError::usage(format!("there is no such preset; there are {}", all.join(", ")))
    })
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let options = &args.install;
    let places = options.which.places()?;
    let way = Way { dry_run: options.dry_run, yes: options.yes, json: options.json, purge: false };
    wiring::needs_home(options, &places)?;
    let lock = apply::begin(&way, &places)?;
    let survey = which::look(&places);
    let hosts = wiring::pick(options, &survey)?;
    let mut request = wiring::request(options, hosts, &places)?;
    // A repository's hooks never get into its user's policy.
    let mut found = import::existing(survey.files().filter(|file| file.scope == request.scope));
    if request.scope == Scope::Project {
        found.iter_mut().for_each(Importable::share);
    }
    request.moves = moves(args, &request, &survey, &found, &places)?;
    let mut plan = plan::install(&request, &survey, &places);
    let is_wired = |one: &&Importable| plan.refusals.iter().all(|refusal| refusal.host != one.host);
    let moved: Vec<Importable> = request.moves.iter().filter(is_wired).cloned().collect();
    plan.own.extend(policy(args, &found, &moved, &places)?);
    let applied = apply::carry_out(&way, &plan, &places, "Make these changes?", "not wired")?;
    if way.dry_run {
        apply::tell(&way, &plan, &applied, None);
        return Ok(ExitCode::from(u8::from(!plan.is_clean())));
    }
    drop(lock);
    let is_trusted = apply::codex(&way, &plan, &survey, &places, options.trust_codex);
    let wanted = Wanted {
        hosts: Some(request.hosts),
        scope: Some(request.scope),
        real: Real::Auto,
        clients: Vec::new(),
        cwd: options.which.folder(),
    };
    let proof = prove::summary(&wanted, &survey.again(&places), &places)?;
    let is_done = plan.is_clean() && is_trusted && proof.is_done;
    let done = ExitCode::from(u8::from(!is_done));
    if way.json {
        apply::tell(&way, &plan, &applied, Some(proof.json));
        return Ok(done);
    }
    apply::say(
        "\nNext:\n  tenter status       show who is protected, and when a hook last fired\n  \
         tenter log -f       watch what agents do, and what is stopped\n  \
         tenter allow once   let a stopped call through, once",
    );
    let others = protection::unsupported(&places, Style::of_stdout());
    let printed = super::print(&format!("\n{}{others}", proof.text));
    Ok(if printed == ExitCode::SUCCESS { done } else { printed })
}

/// The hooks whose own entries are removed.
fn moves(
    args: &Args,
    request: &Request,
    survey: &Survey,
    found: &[Importable],
    places: &Places,
) -> Result<Vec<Importable>, CommandError> {
    let ledger = tenter_setup::files::ledger(places).unwrap_or_default();
    let movable = found.iter().filter(|one| plan::can_move(request, survey, &ledger, one));
    let movable: Vec<Importable> = movable.cloned().collect();
    let options = &args.install;
    let unasked = options.yes || options.dry_run || options.json || !human::has_terminal();
    let count = movable.len();
    let goes = match args.import {
        Some(Import::Move) => true,
        None | Some(Import::Keep) => false,
        Some(Import::Ask) if count == 0 => false,
        Some(Import::Ask) if unasked => {
            for host in &request.hosts {
                for other in tenter_hosts::host(*host).install().also_reads {
                    let twice = movable.iter().filter(|one| one.host == *other).count();
                    if twice > 0 {
                        apply::say(&format!(
                            "{} also runs {}'s own entries, so {twice} of these hooks run twice there; \
                             --import=move takes the entries out",
                            host.title(),
                            other.title()
                        ));
                    }
                }
            }
            false
        }
        Some(Import::Ask) => human::agree(&format!(
            "Hooks of Cursor and Claude Code that tenter can run on every host: {count}. Take their own entries \
             out, so that none runs twice? `tenter uninstall` puts them back."
        ))?,
    };
    Ok(if goes { movable } else { Vec::new() })
}

/// The policy to write: a new one, or the existing one with handlers added.
fn policy(
    args: &Args,
    found: &[Importable],
    moved: &[Importable],
    places: &Places,
) -> Result<Option<Change>, CommandError> {
    let path = policy_file(args.install.scope, places)?;
    let before = tenter_setup::files::read(&path).map_err(CommandError::failed)?;
    let wanted = args.preset.unwrap_or(Preset::Recommended);
    // Where nobody can be asked, an ask is a deny.
    let asks = if wanted == Preset::Ci { "deny" } else { "ask" };
    let starter = include_str!("init/policy.toml").replace("{preset}", wanted.as_str());
    let mut text = before.clone().unwrap_or_else(|| starter.replace("{asks}", asks));
    if args.preset.is_some() && !text.contains(&format!("\"{wanted}\"")) {
        apply::say(&format!(
            "{} is there already and is not changed; for this preset write extends = [\"{wanted}\"] in it",
            path.display()
        ));
    }
    let new = import::missing(found, &text);
    if args.import.is_some() {
        text = with_handlers(text, found, &new, moved);
    } else if new.iter().any(|one| one.handler.is_ok()) {
        let (hooks, them) = match new.iter().filter(|one| one.handler.is_ok()).count() {
            1 => ("1 hook of Cursor or Claude Code is".to_owned(), "it"),
            count => (format!("{count} hooks of Cursor or Claude Code are"), "them"),
        };
        apply::say(&format!(
            "{hooks} there already; `tenter init --import` would run {them} on the other hosts too"
        ));
    }
    if let Some(before) = &before {
        policies::of_text(&path, before)?;
    }
    policies::of_text(&path, &text)?;
    let same = before.as_deref() == Some(text.as_str());
    Ok((!same).then_some(Change { path, before, after: Some(text) }))
}

/// A policy with handlers for the found hooks: moved ones run on all hosts.
fn with_handlers(
    mut text: String,
    found: &[Importable],
    new: &[Importable],
    moved: &[Importable],
) -> String {
    for one in new {
        if let Err(why) = &one.handler {
            let place = format!("{}, line {}", one.path.display(), one.found.line);
            apply::say(&printable(&format!("not imported: {place}: {why}")));
        }
    }
    for originals in [Originals::Stay, Originals::Removed] {
        let goes = |one: &&Importable| moved.contains(one) == (originals == Originals::Removed);
        let of_all = |all: &[Importable]| all.iter().filter(goes).cloned().collect::<Vec<_>>();
        if let Some(restated) = import::restated(&of_all(found), &text, originals) {
            text = restated;
        }
        let taken = import::ids(&text);
        let taken: Vec<&str> = taken.iter().map(String::as_str).collect();
        let handlers = import::handlers_with(&of_all(new), originals, &taken);
        if !handlers.is_empty() {
            text.push('\n');
            text.push_str(&handlers);
        }
    }
    text
}

/// Path of the scope's policy.
pub(super) fn policy_file(scope: which::Scope, places: &Places) -> Result<PathBuf, CommandError> {
    let folders = Folders::of(|name| std::env::var(name).ok());
    match scope {
        which::Scope::Project => {
            let project = places
                .project
                .as_ref()
                .ok_or_else(|| CommandError::failed("there is no project here"))?;
            Ok(project.join(policies::PROJECT_FILES[0]))
        }
        which::Scope::User => {
            let config = folders.config.ok_or_else(|| CommandError::failed("HOME is not set"))?;
            Ok(config.join(policies::FILE))
        }
        which::Scope::Managed => Ok(places.with_roots(|roots| {
            roots.system_path(
                "/etc/tenterhook/policy.toml",
                "/Library/Application Support/Tenterhook/policy.toml",
                "C:\\ProgramData\\tenterhook\\policy.toml",
            )
        })),
    }
}
