//! `tenter install`: installs hooks into hosts.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tenter_model::HostId;
use tenter_setup::Places;
use tenter_setup::plan::{self, Events, Given, Request};
use tenter_setup::survey::{HostState, Survey};

use super::apply::{self, Way};
use super::which::{self, Hosts, Which};
use crate::error::{CommandError, ErrorKind};
use crate::guard::human;

/// Add tenter's hooks to the hosts' configuration files
///
/// Shows the changes and asks first. Everything else in a file stays byte for byte: comments, order,
/// layout, other tools' hooks. `tenter uninstall` restores the old file. Running it again changes nothing,
/// or updates entries of an older tenter. Exit 0: installed; 1: refused, or not on every host; 2: usage
/// error.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Configuration scope
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) scope: which::Scope,
    /// `usual`, `gates` (only events that can block), `all`, or a list of the host's event names; default:
    /// those of an earlier install, else `usual`
    #[arg(long, value_name = "usual|gates|all|LIST", value_parser = events)]
    pub(crate) events: Option<Events>,
    /// Only these tools, in the host's matcher syntax; prefix EVENT: for one event. `*` is all tools;
    /// default: the matchers of an earlier install
    #[arg(long, value_name = "[EVENT:]PATTERN")]
    pub(crate) matcher: Vec<String>,
    /// Block calls when tenter is missing or crashes, on hosts that support it: the default, unless an
    /// earlier install used --fail-open
    #[arg(long, conflicts_with = "fail_open")]
    pub(crate) fail_closed: bool,
    /// Allow calls when tenter is missing or crashes
    #[arg(long)]
    pub(crate) fail_open: bool,
    /// Skip Cursor's own file where Claude Code has hooks: Cursor runs those too
    #[arg(long)]
    pub(crate) single_wiring: bool,
    /// Have Codex trust tenter's hooks through its own interface, if Codex is installed
    #[arg(long)]
    pub(crate) trust_codex: bool,
    /// Path of the tenter program to write into the files, if not this one
    #[arg(long, value_name = "PATH")]
    pub(crate) binary: Option<PathBuf>,
    /// Show the changes as a unified diff, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn events(text: &str) -> Result<Events, CommandError> {
    Ok(match text {
        "usual" => Events::Usual,
        "gates" => Events::Gates,
        "all" => Events::All,
        list => {
            let names: Vec<String> = list.split(',').map(|name| name.trim().to_owned()).collect();
            if names.iter().any(String::is_empty) {
                return Err(CommandError::usage("an event has no name"));
            }
            Events::Named(names)
        }
    })
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let places = args.which.places()?;
    let way = Way { dry_run: args.dry_run, yes: args.yes, json: args.json, purge: false };
    needs_home(args, &places)?;
    let _lock = apply::begin(&way, &places)?;
    let survey = which::look(&places);
    let hosts = pick(args, &survey)?;
    let request = request(args, hosts, &places)?;
    let plan = plan::install(&request, &survey, &places);
    let applied = apply::carry_out(&way, &plan, &places, "Wire them?", "not wired")?;
    apply::tell(&way, &plan, &applied, None);
    let mut is_done = plan.is_clean();
    if !args.dry_run {
        is_done &= apply::codex(&way, &plan, &survey, &places, args.trust_codex);
        if !plan.steps.is_empty() && !args.json {
            apply::say(
                "`tenter prove` shows that the hooks fire and block; `tenter uninstall` undoes this",
            );
        }
    }
    Ok(ExitCode::from(u8::from(!is_done)))
}

/// The user's files need a home folder.
pub(crate) fn needs_home(args: &Args, places: &Places) -> Result<(), CommandError> {
    let Some(home) = &places.home else {
        if args.scope != which::Scope::User {
            return Ok(());
        }
        return Err(match std::env::var_os("HOME") {
            Some(home) if !home.is_empty() => CommandError::failed(format!(
                "HOME is `{}`, which is no path from the root on",
                home.to_string_lossy()
            )),
            _ => CommandError::failed(
                "HOME is not set, so it is not known whose files are meant; set it",
            ),
        });
    };
    if args.scope == which::Scope::User && !home.is_dir() {
        return Err(CommandError::failed(format!("the home folder {} is missing", home.display())));
    }
    Ok(())
}

/// The selected hosts, else the detected ones minus those the user deselects.
pub(crate) fn pick(args: &Args, survey: &Survey) -> Result<Vec<HostId>, CommandError> {
    let mut hosts = args.which.pick(survey);
    let all: Vec<&str> = HostId::ALL.iter().map(|host| host.as_str()).collect();
    let asks = args.which.hosts == Hosts::Auto && !args.yes && !args.dry_run && !args.json;
    if asks && human::has_terminal() && !hosts.is_empty() {
        let found: Vec<&str> = hosts.iter().map(|host| host.as_str()).collect();
        let question = format!(
            "Found {}. Press Enter for all, or list some ({}), or ? for help:",
            found.join(", "),
            all.join(",")
        );
        let mut answer = human::line(&question)?;
        while answer.as_deref().is_some_and(|answer| answer.trim() == "?") {
            apply::say(&explained(survey));
            answer = human::line(&question)?;
        }
        if let Some(answer) = answer {
            // A wrong answer is not a wrong command line.
            hosts = which::listed(&answer).map_err(|error| error.of_kind(ErrorKind::Failed))?;
        }
    }
    if hosts.is_empty() {
        return Err(CommandError::failed(format!(
            "none of the hosts is on this machine; name those to be wired all the same with --hosts {}",
            all.join(",")
        )));
    }
    Ok(hosts)
}

/// The hosts, for who is asked to choose.
fn explained(survey: &Survey) -> String {
    let line = |state: &HostState| {
        let install = tenter_hosts::host(state.host).install();
        let here = match (&state.here.version, state.is_here()) {
            (Some(version), _) => format!("version {version}"),
            (None, true) => "on this machine".to_owned(),
            (None, false) => "not on this machine".to_owned(),
        };
        format!("  {:8} {}, {here}; hooks in ~/{}\n", state.host, install.title, install.folder)
    };
    let lines: String = survey.hosts.iter().map(line).collect();
    format!("{lines}  tenter writes its hooks into the files of the hosts you choose")
}

/// A matcher, with its event if given.
pub(crate) fn matcher(text: &str) -> (Option<String>, String) {
    let known = |event: &str| {
        HostId::ALL.iter().any(|host| tenter_hosts::host(*host).install().wire(event).is_some())
    };
    match text.split_once(':') {
        Some((event, pattern)) if known(event) => (Some(event.to_owned()), pattern.to_owned()),
        _ => (None, text.to_owned()),
    }
}

/// The planner's request.
pub(crate) fn request(
    args: &Args,
    hosts: Vec<HostId>,
    places: &Places,
) -> Result<Request, CommandError> {
    Ok(Request {
        hosts,
        scope: args.scope.into(),
        given: given(args),
        program: known(program(args, places)?)?,
        options: Vec::new(),
        single: args.single_wiring,
        moves: Vec::new(),
    })
}

/// Options given on the command line; others keep their earlier values.
fn given(args: &Args) -> Given {
    let is_all = |(event, pattern): &(Option<String>, String)| event.is_none() && pattern == "*";
    let matchers = args.matcher.iter().map(|text| matcher(text)).filter(|it| !is_all(it)).collect();
    Given {
        events: args.events.clone(),
        matchers: (!args.matcher.is_empty()).then_some(matchers),
        fail_open: (args.fail_closed || args.fail_open).then_some(args.fail_open),
    }
}

/// Our hooks are recognised by the program's name.
fn known(program: PathBuf) -> Result<PathBuf, CommandError> {
    if tenter_setup::command::is_known(&program.to_string_lossy()) {
        return Ok(program);
    }
    Err(CommandError::failed(format!(
        "{} is not called `tenter`, and by that name hooks are known as ours again; rename it, or give \
         --binary a link that is called so",
        program.display()
    )))
}

/// The program to install. A link that survives upgrades is preferred to its target: the command then stays
/// byte for byte the same. A project's file is shared, so it gets the name alone where PATH has it.
fn program(args: &Args, places: &Places) -> Result<PathBuf, CommandError> {
    if let Some(wanted) = args.binary.as_deref() {
        let program = if wanted.components().count() == 1 {
            places.find_program(&wanted.to_string_lossy()).unwrap_or_else(|| wanted.to_owned())
        } else {
            wanted.to_owned()
        };
        if !program.is_absolute() {
            return Err(CommandError::failed(format!(
                "--binary {}: hosts start hooks anywhere, so give the path from the root on",
                wanted.display()
            )));
        }
        return Ok(program);
    }
    let program = running(places)?;
    if let Some(what) = tenter_setup::doctor::passing(&program) {
        apply::say(&format!(
            "this program lies in {what}, and with it goes the guard; better copy it to ~/.local/bin first"
        ));
    }
    if args.scope != which::Scope::Project {
        return Ok(program);
    }
    let name = PathBuf::from("tenter");
    if places.find_program("tenter").is_some_and(|named| is_same(&named, &program)) {
        return Ok(name);
    }
    let is_at_home = places.home.as_deref().is_some_and(|home| program.starts_with(home));
    if is_at_home {
        apply::say(&format!(
            "the project's files name {}, which others do not have, since `tenter` is not on PATH; put it there \
             and run this again before you commit them",
            program.display()
        ));
    }
    Ok(program)
}

/// Whether two paths lead to the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some() && real(one) == real(other)
}

/// This program's most stable path.
fn running(places: &Places) -> Result<PathBuf, CommandError> {
    let running = std::env::current_exe().map_err(|error| {
        CommandError::failed(format!("cannot tell where this program is: {error}; give --binary"))
    })?;
    let named = places.find_program("tenter").filter(|named| is_same(named, &running));
    Ok(named.unwrap_or(running))
}
