//! `tenter allow rule`.

use std::fmt::Write as _;

use clap::ValueEnum;
use tenter_engine::diagnostic::printable;
use tenter_model::{HostId, time};
use tenter_policy::policy::{Layer, LayerText, Origin, Policy};
use tenter_policy::{Level, Weight};

use super::entries;
use crate::clock::When;
use crate::error::CommandError;
use crate::guard::{LocalMachine, human, policies};

#[derive(Debug, clap::Args)]
pub(super) struct Rule {
    /// Guard, guard/check or rule id, as messages name it
    #[arg(value_name = "RULE")]
    name: String,
    /// Where it applies: everywhere you work, or only in this project
    #[arg(long, value_enum, default_value_t = Scope::User, conflicts_with = "cwd")]
    scope: Scope,
    /// Only for calls of this host
    #[arg(long, value_name = "HOST")]
    host: Option<HostId>,
    /// Only where the command runs this program
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
    /// Only for paths like this: `tests/**`
    #[arg(long, value_name = "PATTERN")]
    path: Option<String>,
    /// Only for work in a folder like this
    #[arg(long, value_name = "PATTERN")]
    cwd: Option<String>,
    /// Reason, kept in the policy; without it, you are asked
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Expire after this time, in whole days: 7d, 2w
    #[arg(long = "for", value_name = "TIME", conflicts_with = "expires")]
    lasts: Option<String>,
    /// Last day, as 2027-01-31
    #[arg(long, value_name = "DATE")]
    expires: Option<String>,
    /// Show the entry without writing it
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scope {
    User,
    Project,
}

impl Rule {
    /// The last day of the exception.
    fn last_day(&self, now: u64) -> Result<Option<String>, CommandError> {
        if let Some(date) = &self.expires {
            last_day(date, now)?;
        }
        let Some(lasts) = &self.lasts else { return Ok(self.expires.clone()) };
        match When::parse(lasts) {
            Ok(When::Ago(time)) if time.as_secs() >= DAY => {
                let end = now.saturating_add(time.as_secs()).saturating_mul(1000);
                let (year, month, day) = time::date(end);
                Ok(Some(format!("{year:04}-{month:02}-{day:02}")))
            }
            _ => Err(CommandError::usage(format!(
                "`{lasts}` is not a number of days; write it as 7d or 2w"
            ))
            .hint("tenter allow once CODE --for 30m lets one call through")),
        }
    }

    /// The conditions of the entry.
    fn conditions<'r>(
        &'r self,
        machine: &'r LocalMachine,
    ) -> Result<Vec<(&'static str, &'r str)>, CommandError> {
        let project = match self.scope {
            Scope::User => None,
            Scope::Project => Some(project(machine)?),
        };
        let all = [
            ("host", self.host.map(HostId::as_str)),
            ("program", self.program.as_deref()),
            ("path", self.path.as_deref()),
            ("cwd", self.cwd.as_deref().or(project)),
        ];
        Ok(all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect())
    }
}

const DAY: u64 = 86_400;

/// The folder of the project that we are in: the nearest with a repository, else the current one.
fn project(machine: &LocalMachine) -> Result<&str, CommandError> {
    let Some(cwd) = machine.cwd.as_deref() else {
        return Err(CommandError::failed("the current folder is not known"));
    };
    let mut folders = std::path::Path::new(cwd).ancestors();
    let root = folders.find(|folder| folder.join(".git").exists());
    let root = root.and_then(std::path::Path::to_str).unwrap_or(cwd);
    if root.contains(['*', '?', '[', '{']) {
        return Err(CommandError::usage(format!("`{root}` reads as a pattern; use --cwd")));
    }
    Ok(root)
}

/// `tenter allow rule`.
pub(super) fn allow(machine: &LocalMachine, rule: &Rule) -> Result<String, CommandError> {
    // The cached image keeps rules packed.
    let policy = policies::load(&machine.folders, &machine.here()).policy.unpacked();
    known(&policy, &rule.name)?;
    if let Some(layer) = kept_above(&policy, &rule.name) {
        let why = format!(
            "`{}` is set by the {layer} policy, which yours cannot loosen; ask its maintainers",
            rule.name
        );
        return Err(CommandError::failed(why));
    }
    refuse_grave(&rule.name)?;
    let expires = rule.last_day(machine.now)?;
    let conditions = rule.conditions(machine)?;
    let entry = entry(&rule.name, &conditions, &reason(rule)?, expires.as_deref());
    let (file, before) = entries::own(machine)?;
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
    if !human::agree(&format!("{}:\n\n{entry}\nAdd this exception?", file.display()))? {
        return Err(CommandError::failed("not allowed"));
    }
    human::may_loosen()?;
    entries::write(machine, &file, &after)?;
    Ok(format!(
        "added to {}; take it back with: tenter allow revoke {}\n",
        file.display(),
        rule.name
    ))
}

/// Refuses what must not be switched off for good.
fn refuse_grave(rule: &str) -> Result<(), CommandError> {
    let (id, check) = rule.split_once('/').unwrap_or((rule, ""));
    let Some(guard) = tenter_policy::guards::guard(id) else { return Ok(()) };
    let why = if id == "self-protection" {
        "it protects the guard itself".to_owned()
    } else {
        let covered = guard.checks.iter().filter(|known| check.is_empty() || known.id == check);
        let grave: Vec<&str> =
            covered.filter(|known| known.weight == Weight::Grave).map(|known| known.id).collect();
        match grave.as_slice() {
            [] => return Ok(()),
            [_] if !check.is_empty() => "it cannot be undone and is never ordinary work".to_owned(),
            grave => format!("it covers grave checks ({}); name one other check", grave.join(", ")),
        }
    };
    Err(CommandError::failed(format!("`{rule}` cannot be allowed always: {why}"))
        .hint("tenter allow once CODE lets one call through"))
}

/// The given reason, or the answer typed at the terminal.
fn reason(rule: &Rule) -> Result<String, CommandError> {
    if let Some(reason) = &rule.reason {
        return Ok(reason.clone());
    }
    human::present()?;
    let question = format!("Why may `{}` pass from now on?", printable(&rule.name));
    let answer = human::line(&question)?;
    answer.ok_or_else(|| CommandError::failed("not allowed: an exception needs a reason"))
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
        None => Err(CommandError::usage(format!("`{date}` is not a date; write it as 2026-12-31"))),
        Some(day) if day < now / 86_400 => {
            Err(CommandError::usage(format!("{date} has passed; the exception would never apply")))
        }
        Some(_) => Ok(()),
    }
}

/// The `[[allow]]` table to add.
fn entry(rule: &str, conditions: &[(&str, &str)], reason: &str, expires: Option<&str>) -> String {
    let mut text = format!("[[allow]]\nrule = {}\n", quoted(rule));
    let conditions: Vec<String> =
        conditions.iter().map(|(key, value)| format!("{key} = {}", quoted(value))).collect();
    if !conditions.is_empty() {
        let _ = writeln!(text, "when = {{ {} }}", conditions.join(", "));
    }
    let _ = writeln!(text, "reason = {}", quoted(reason));
    if let Some(date) = expires {
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
        return Err(CommandError::failed(format!("fix your policy first: {problem}")));
    }
    match problems(after).first() {
        Some(problem) => Err(CommandError::usage(problem.message.clone())),
        None => Ok(()),
    }
}
