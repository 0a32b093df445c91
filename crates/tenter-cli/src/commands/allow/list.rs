//! `tenter allow list` and `tenter allow revoke`.

use std::fmt::Write as _;

use tenter_engine::diagnostic::printable;
use tenter_policy::policy::Layer;
use tenter_policy::policy::show::until;

use super::{WIDTH, entries};
use crate::commands::log::text::{cut, tilde};
use crate::error::CommandError;
use crate::guard::{LocalMachine, human, once, policies};

/// The exceptions in force.
pub(super) fn list(machine: &LocalMachine) -> Result<String, CommandError> {
    let (file, text) = entries::own(machine)?;
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{}", cut(&printable(&text), WIDTH)).ok();
    for (number, (at, exception)) in entries::of(&file, &text).iter().enumerate() {
        let end = until(exception.expires);
        let over = exception.expires.filter(|end| machine.now >= *end).map_or("", |_| " (expired)");
        line(format!("{:>2}  {}{end}{over}", number.saturating_add(1), exception.rule));
        if let Some(when) = when(&text, *at) {
            line(format!("    {when}"));
        }
        line(format!("    reason: {}", exception.reason));
    }
    let loaded = policies::load(&machine.folders, &machine.here()).policy;
    for exception in &loaded.exceptions {
        if let Some(layer @ (Layer::Managed | Layer::Team)) = exception.origin.layer() {
            let end = until(exception.expires);
            line(format!(" -  {}{end}, by the {layer} policy", exception.rule));
        }
    }
    for (code, expires) in once::permissions(&machine.folders, machine.now) {
        let left = expires.saturating_sub(machine.now).div_ceil(60);
        line(format!(" -  {code}, one call, for {left} more minutes"));
        if let Some(stopped) = once::find(&machine.folders, &code, machine.now) {
            line(format!("    {}", stopped.call));
            line(format!(
                "    {} in {}",
                stopped.host,
                tilde(&stopped.cwd, machine.variable("HOME"))
            ));
        }
    }
    Ok(if out.is_empty() { "no exceptions\n".to_owned() } else { out })
}

/// The `when` line of a table.
fn when(text: &str, at: u32) -> Option<&str> {
    let (first, last) = entries::table(text, at)?;
    let lines = text.lines().take(last.saturating_add(1)).skip(first);
    lines.map(str::trim).find(|line| line.starts_with("when"))
}

/// Takes an exception back. It only tightens, so a terminal is not needed, but no agent may do it.
pub(super) fn revoke(machine: &LocalMachine, which: &str) -> Result<String, CommandError> {
    human::no_agent()?;
    if let Some(code) = once::normal(which)
        && once::revoke(&machine.folders, &code)
    {
        return Ok(format!("{code} is no longer allowed\n"));
    }
    let (file, text) = entries::own(machine)?;
    let all = entries::of(&file, &text);
    let number = which.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let named: Vec<u32> = match number {
        Some(number) => all.get(number).map(|(at, _)| *at).into_iter().collect(),
        None => all.iter().filter(|(_, it)| it.rule == which).map(|(at, _)| *at).collect(),
    };
    let at = match named.as_slice() {
        [at] => *at,
        [] => {
            return Err(CommandError::failed(format!("no exception `{which}` of yours"))
                .hint("tenter allow list"));
        }
        more => {
            let why = format!("{} exceptions for `{which}`; give the number", more.len());
            return Err(CommandError::usage(why).hint("tenter allow list"));
        }
    };
    let Some(after) = entries::without(&file, &text, at) else {
        let why = format!("cannot cut out the entry at {}:{at}; remove it by hand", file.display());
        return Err(CommandError::failed(why));
    };
    entries::write(machine, &file, &after)?;
    Ok(format!("removed from {}\n", file.display()))
}
