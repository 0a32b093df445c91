//! `tenter allow`: exceptions made by the user.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Subcommand;
use tenter_engine::diagnostic::printable;
use tenter_policy::Level;
use tenter_policy::policy::{Layer, LayerText, Origin, Policy};

use crate::arguments;
use crate::clock::long_ago;
use crate::error::CommandError;
use crate::guard::once::{self, Stopped};
use crate::guard::{LocalMachine, folders, human, policies};

/// Let something through that was stopped, once or from now on
///
/// Both need a human at a terminal: an agent that could allow what it was denied would not be guarded.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Let one stopped call through, the next time it is made in the same folder
    Once {
        /// The code from the message; without it, the calls that wait are listed
        code: Option<String>,
        /// How long it may take until the call is made
        #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = arguments::duration)]
        lasts: std::time::Duration,
    },
    /// Let a rule's findings through from now on, by an entry in your own policy
    Rule(Rule),
}

#[derive(Debug, clap::Args)]
struct Rule {
    /// guard, guard/check or the id of a rule, as messages name it
    #[arg(value_name = "RULE")]
    name: String,
    /// Only where the command runs this program
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
    /// Only for paths like this: `tests/**`
    #[arg(long, value_name = "PATTERN")]
    path: Option<String>,
    /// Only for work in a folder like this
    #[arg(long, value_name = "PATTERN")]
    cwd: Option<String>,
    /// Why, for whoever reads the policy later; without it, you are asked
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Until when, as 2027-01-31
    #[arg(long, value_name = "DATE")]
    expires: Option<String>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let machine = LocalMachine::read();
    let done = match &args.what {
        What::Once { code: None, .. } => Ok(list(&machine)),
        What::Once { code: Some(code), lasts } => allow_once(&machine, code, lasts.as_secs()),
        What::Rule(rule) => allow_rule(&machine, rule),
    };
    Ok(super::print(&done?))
}

fn list(machine: &LocalMachine) -> String {
    let waiting = once::all(&machine.folders, machine.now);
    if waiting.is_empty() {
        return "no call waits to be allowed\n".to_owned();
    }
    let mut text = String::new();
    for stopped in waiting {
        let _ = writeln!(
            text,
            "{}  {}",
            stopped.code,
            long_ago(stopped.at.saturating_mul(1000), machine.now)
        );
        let _ = writeln!(text, "  in {}", printable(&stopped.cwd));
        let _ = writeln!(text, "  {}", what(&stopped));
    }
    text
}

/// Description of a stopped call, without the hint how to allow it.
fn what(stopped: &Stopped) -> String {
    let (what, _) =
        stopped.message.split_once(" Allow this one call:").unwrap_or((&stopped.message, ""));
    printable(what).into_owned()
}

fn allow_once(machine: &LocalMachine, code: &str, lasts: u64) -> Result<String, CommandError> {
    let Some(code) = once::normal(code) else {
        return Err(CommandError::usage(format!(
            "`{code}` is not a code; they look like K3F9-2QXA"
        )));
    };
    let Some(stopped) = once::find(&machine.folders, &code, machine.now) else {
        return Err(CommandError::failed(format!("no stopped call has the code {code}"))
            .hint("tenter allow once"));
    };
    human::present()?;
    confirm(&stopped, lasts)?;
    human::may_loosen()?;
    let expires = machine.now.saturating_add(lasts);
    once::allow(&machine.folders, &code, expires)?;
    Ok(format!("allowed once, within {}; tell the agent to try again\n", spell(lasts)))
}

fn confirm(stopped: &Stopped, lasts: u64) -> Result<(), CommandError> {
    let question = format!(
        "{}\nin {}\nLet it through once, within {}?",
        what(stopped),
        printable(&stopped.cwd),
        spell(lasts),
    );
    let agreed = human::agree(&question)?;
    if agreed { Ok(()) } else { Err(CommandError::failed("not allowed")) }
}

/// `10 minutes`
fn spell(seconds: u64) -> String {
    match seconds {
        60 => "1 minute".to_owned(),
        seconds if seconds > 0 && seconds % 60 == 0 => format!("{} minutes", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}

fn allow_rule(machine: &LocalMachine, rule: &Rule) -> Result<String, CommandError> {
    let policy = policies::load(&machine.folders, &machine.here()).policy;
    known(&policy, &rule.name)?;
    if let Some(layer) = kept_above(&policy, &rule.name) {
        let why = format!(
            "`{}` is set by the {layer} policy, so an exception of yours would not count; ask those who \
             keep that policy",
            rule.name
        );
        return Err(CommandError::failed(why));
    }
    if let Some(date) = &rule.expires {
        last_day(date, machine.now)?;
    }
    let entry = entry(rule, &reason(rule)?);
    let Some(config) = &machine.folders.config else {
        return Err(CommandError::internal("no folder for your policy: HOME is not set"));
    };
    let file = config.join(policies::FILE);
    let before = match policies::own(&file) {
        Ok(text) => text,
        Err(error) if folders::missing(&error) => String::new(),
        Err(error) => return Err(CommandError::internal(format!("{}: {error}", file.display()))),
    };
    let after = if before.is_empty() {
        format!("version = 1\nextends = [\"recommended\"]\n\n{entry}")
    } else {
        let gap = if before.ends_with('\n') { "\n" } else { "\n\n" };
        format!("{before}{gap}{entry}")
    };
    check(&file.display().to_string(), &before, &after)?;
    if rule.dry_run {
        return Ok(format!("{}:\n\n{entry}", file.display()));
    }
    human::present()?;
    human::may_loosen()?;
    if tenter_setup::harden::is_immutable(&file) {
        let why = format!("{} is hardened", file.display());
        return Err(CommandError::failed(why).hint("sudo tenter harden --undo"));
    }
    folders::replace(&file, after.as_bytes())
        .map_err(|error| CommandError::internal(format!("{}: {error}", file.display())))?;
    Ok(format!("written to {}:\n\n{entry}", file.display()))
}

/// The given reason, or the answer typed at the terminal.
fn reason(rule: &Rule) -> Result<String, CommandError> {
    if let Some(reason) = &rule.reason {
        return Ok(reason.clone());
    }
    human::present()?;
    let question = format!("Why may `{}` pass from now on?", printable(&rule.name));
    let answer = human::line(&question)?;
    answer.ok_or_else(|| CommandError::failed("not allowed: every exception needs a reason"))
}

/// Rejects a rule name that cannot match anything.
fn known(policy: &Policy, rule: &str) -> Result<(), CommandError> {
    let (id, check) = rule.split_once('/').map_or((rule, None), |(id, check)| (id, Some(check)));
    let guard = tenter_policy::guards::guard(id);
    let found = guard.is_some_and(|guard| check.is_none_or(|check| guard.check(check).is_some()));
    if found || policy.rules.iter().any(|known| known.id == rule) {
        return Ok(());
    }
    let names: Vec<&str> = match (guard, check) {
        (Some(guard), Some(_)) => guard.checks.iter().map(|check| check.id).collect(),
        _ => {
            let guards = tenter_policy::guards::GUARDS.iter().map(|guard| guard.id);
            guards.chain(policy.rules.iter().map(|rule| rule.id.as_str())).collect()
        }
    };
    let word = guard.and(check).unwrap_or(rule);
    let near =
        tenter_policy::policy::nearest(word, &names).map_or(String::new(), |name| match check {
            Some(_) if guard.is_some() => format!("; did you mean `{id}/{name}`?"),
            _ => format!("; did you mean `{name}`?"),
        });
    let why = format!("no guard, check or rule `{rule}`{near}");
    Err(CommandError::usage(why).hint("tenter policy show --all"))
}

/// The higher layer that set this level, if one did.
fn kept_above(policy: &Policy, rule: &str) -> Option<Layer> {
    let above = |origin: Origin| origin.layer().filter(|layer| *layer < Layer::User);
    let (id, check) = rule.split_once('/').unwrap_or((rule, ""));
    let mut guards = tenter_policy::guards::GUARDS.iter().zip(&policy.settings);
    if let Some((guard, setting)) = guards.find(|(guard, _)| guard.id == id) {
        let levels = guard.checks.iter().zip(&setting.levels);
        let meant = levels.filter(|(known, _)| check.is_empty() || known.id == check);
        return meant
            .filter(|(_, (level, _))| *level > Level::Off)
            .find_map(|(_, (_, origin))| above(*origin));
    }
    policy.rules.iter().filter(|known| known.id == rule).find_map(|known| above(known.origin))
}

/// Rejects invalid and past dates.
fn last_day(date: &str, now: u64) -> Result<(), CommandError> {
    let mut parts = date.split('-').map(|part| part.parse::<u64>().ok());
    let day = match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(Some(year)), Some(Some(month)), Some(Some(day)), None) if date.len() == 10 => {
            tenter_model::time::days(year, month, day)
        }
        _ => None,
    };
    match day {
        None => Err(CommandError::usage(format!("`{date}` is no date; write it as 2026-12-31"))),
        Some(day) if day < now / 86_400 => Err(CommandError::usage(format!(
            "{date} is over; the exception would not count for a day"
        ))),
        Some(_) => Ok(()),
    }
}

/// The `[[allow]]` table to add.
fn entry(rule: &Rule, reason: &str) -> String {
    let mut text = format!("[[allow]]\nrule = {}\n", quoted(&rule.name));
    let conditions: Vec<String> =
        [("program", &rule.program), ("path", &rule.path), ("cwd", &rule.cwd)]
            .into_iter()
            .filter_map(|(key, value)| Some(format!("{key} = {}", quoted(value.as_deref()?))))
            .collect();
    if !conditions.is_empty() {
        let _ = writeln!(text, "when = {{ {} }}", conditions.join(", "));
    }
    let _ = writeln!(text, "reason = {}", quoted(reason));
    if let Some(date) = &rule.expires {
        let _ = writeln!(text, "expires = {date}");
    }
    text
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            character if character.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

/// Checks that the file is valid before and after the change.
fn check(file: &str, before: &str, after: &str) -> Result<(), CommandError> {
    let problems = |text: &str| {
        Policy::load(&[LayerText { layer: Layer::User, path: file, text: Ok(text) }]).broken
    };
    if let Some(problem) = problems(before).first().filter(|_| !before.is_empty()) {
        return Err(CommandError::failed(format!("your policy must be mended first: {problem}")));
    }
    match problems(after).first() {
        Some(problem) => Err(CommandError::usage(problem.message.clone())),
        None => Ok(()),
    }
}
