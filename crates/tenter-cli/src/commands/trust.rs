//! `tenter trust`: let the handlers of a project run.

use std::fmt::Write as _;
use std::io::{BufRead, Write};
use std::process::ExitCode;

use tenter_engine::diagnostic::printable;
use tenter_policy::policy::Handler;

use crate::guard::{Machine, human, policies, trust};

/// Let the handlers of this project's policy run, as they are now
///
/// Trust is bound to the command and to the content of every file in it: a changed script must be looked at again.
/// Needs a human at a terminal.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only show what is trusted and what is not
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let machine = Machine::read();
    let here: Vec<&str> = machine.cwd.as_deref().into_iter().collect();
    let policy = policies::load(&machine.folders, &here).policy;
    let handlers: Vec<&Handler> = policy.handlers.iter().filter(|it| it.project).collect();
    if handlers.is_empty() {
        return super::print("the policies of this project run no handlers\n");
    }
    let unknown: Vec<&Handler> =
        handlers.iter().copied().filter(|it| !trust::is_trusted(it, &machine)).collect();
    let mut text = String::new();
    for handler in &handlers {
        let state =
            if unknown.iter().any(|it| it.id == handler.id) { "not trusted" } else { "trusted" };
        let _ = writeln!(text, "{:12} {}: {}", state, printable(&handler.id), shown(handler));
    }
    if args.list || unknown.is_empty() {
        return super::print(&text);
    }
    let fault = match ask(&text, unknown.len()) {
        Ok(()) => unknown.iter().find_map(|handler| {
            let known = trust::fingerprint(handler, &machine).map_err(|error| error.to_string());
            known.and_then(|hash| trust::add(&hash, &machine)).err()
        }),
        Err(why) => Some(why),
    };
    match fault {
        None => super::print("trusted; a change to any of them must be looked at again\n"),
        Some(why) => {
            drop(writeln!(std::io::stderr(), "tenter trust: {}", printable(&why)));
            ExitCode::from(1)
        }
    }
}

fn shown(handler: &Handler) -> String {
    printable(&handler.run.join(" ")).into_owned()
}

fn ask(text: &str, count: usize) -> Result<(), String> {
    human::present()?;
    let mut terminal = std::io::stderr();
    write!(terminal, "{text}Let {count} of them run from now on? [y/N] ")
        .and_then(|()| terminal.flush())
        .map_err(|error| format!("cannot ask: {error}"))?;
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| format!("cannot ask: {error}"))?;
    if matches!(answer.trim(), "y" | "Y" | "yes") { Ok(()) } else { Err("not trusted".to_owned()) }
}
