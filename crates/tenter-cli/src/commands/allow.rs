//! `tenter allow`: exceptions made by the user.

mod entries;
mod list;
mod rule;

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Subcommand;
use tenter_engine::diagnostic::printable;

use super::log::text::{cut, tilde};
use crate::arguments;
use crate::clock::long_ago;
use crate::error::CommandError;
use crate::guard::once::{self, Stopped};
use crate::guard::{LocalMachine, human};

/// Let blocked calls through, once or always
///
/// `once`, `rule` and `revoke` need you at a terminal: an agent that could allow its own calls would not be
/// guarded.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Let one blocked call through, the next time it is made in the same folder
    Once {
        /// The code from the message; without it, list the blocked calls, newest first
        code: Option<String>,
        /// Time until which the call must be made
        #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = arguments::duration)]
        lasts: std::time::Duration,
    },
    /// Let a rule's findings through, by an entry in your own policy
    ///
    /// Grave findings and those that protect the guard cannot be allowed this way.
    Rule(rule::Rule),
    /// List the exceptions in force: rules, and calls allowed once
    List,
    /// Remove an exception of your own policy, or take back a call allowed once
    Revoke {
        /// The number, rule or code from `tenter allow list`
        #[arg(value_name = "NUMBER|RULE|CODE")]
        which: String,
    },
}

/// Width of lists, which terminals have at least.
const WIDTH: usize = 80;

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let machine = LocalMachine::read();
    let done = match &args.what {
        What::Once { code: None, .. } => Ok(waiting(&machine)),
        What::Once { code: Some(code), lasts } => allow_once(&machine, code, lasts.as_secs()),
        What::Rule(rule) => rule::allow(&machine, rule),
        What::List => list::list(&machine),
        What::Revoke { which } => list::revoke(&machine, which),
    };
    Ok(super::print(&done?))
}

/// The blocked calls, newest first.
fn waiting(machine: &LocalMachine) -> String {
    let waiting = once::all(&machine.folders, machine.now);
    if waiting.is_empty() {
        return "no blocked calls\n".to_owned();
    }
    let mut text = String::new();
    for stopped in waiting {
        let ago = long_ago(stopped.at.saturating_mul(1000), machine.now);
        let folder = tilde(&stopped.cwd, machine.variable("HOME"));
        let first = format!("{}  {ago}  {}  {folder}", stopped.code, stopped.host);
        let lines = [first, format!("  {}", stopped.call), format!("  {}", stopped.why)];
        for line in &lines {
            let _ = writeln!(text, "{}", cut(&printable(line), WIDTH));
        }
    }
    text
}

fn allow_once(machine: &LocalMachine, code: &str, lasts: u64) -> Result<String, CommandError> {
    let Some(code) = once::normal(code) else {
        return Err(CommandError::usage(format!(
            "`{code}` is not a code; they look like K3F9-2QXA"
        )));
    };
    let Some(stopped) = once::find(&machine.folders, &code, machine.now) else {
        return Err(CommandError::failed(format!("no blocked call has the code {code}"))
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
        "{}\n  {}\n  {} in {}\nLet it through once, within {}?",
        printable(&stopped.call),
        printable(&stopped.why),
        stopped.host,
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
