//! `tenter explain`: the effects of a command line.

mod json;
mod source;
mod tree;

use std::io::Read;
use std::process::ExitCode;

use tenter_engine::diagnostic::printable;
use tenter_policy::Sample;
use tenter_policy::scene::Scene;
use tenter_shell::Language;
use tenter_shell::budget::MAX_BYTES;
use tenter_shell::syntax::Dialect;

use super::{Style, apply, verdict};
use crate::error::CommandError;
use crate::guard::{self, JudgeContext, LocalMachine, Trace, policies};

pub(crate) use json::schema;

/// Show what a command line would do and the policy's answer, without running it
///
/// The verdict comes first, with each finding, the words that cause it and the policy that set its level. The tree below
/// shows which programs run with which arguments in which directory, and what each would delete, overwrite, send, install
/// or execute: words are expanded as a shell would, wrappers are taken off, code inside code is read. A full dot is
/// certain, a hollow one depends on a branch, a pattern or a variable. The end says what each host would make of the
/// verdict. docs/effects.md lists the effects.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    /// The command: one quoted text, or words after `--`, which are joined by blanks
    #[arg(value_name = "COMMAND", required_unless_present_any = ["stdin", "effects"])]
    command: Vec<String>,
    /// Read the command from standard input
    #[arg(long, conflicts_with = "command")]
    stdin: bool,
    /// Working folder of the command [default: this one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// Shell that runs it
    #[arg(long, value_name = "SHELL", default_value = "bash", value_parser = shell)]
    shell: Language,
    /// Also run the handlers of the policy; those of a project only if they are trusted
    #[arg(long)]
    handlers: bool,
    /// Print one JSON object; `tenter schema explain` describes it
    #[arg(long)]
    json: bool,
    /// Print every kind of effect and its actions instead
    #[arg(long, conflicts_with_all = ["command", "stdin", "cwd", "json"])]
    effects: bool,
    /// With --effects: as docs/effects.md
    #[arg(long, requires = "effects")]
    markdown: bool,
}

fn shell(name: &str) -> Result<Language, CommandError> {
    Ok(match name {
        "bash" => Language::Shell(Dialect::Bash),
        "sh" => Language::Shell(Dialect::Posix),
        "zsh" => Language::Shell(Dialect::Zsh),
        "fish" => Language::Shell(Dialect::Fish),
        "powershell" => Language::PowerShell,
        "cmd" => Language::Cmd,
        _ => return Err(CommandError::usage("not one of bash, sh, zsh, fish, powershell, cmd")),
    })
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    if args.effects {
        return Ok(super::print(&effects(args.markdown)));
    }
    let command = if args.stdin { from_stdin()? } else { args.command.join(" ") };
    let mut machine = LocalMachine::at(args.cwd.as_deref())?;
    machine.language = args.shell;
    let event = Sample::Shell(&command).event(machine.cwd.as_deref());
    let policy = policies::load(&machine.folders, &guard::places(&machine, &event)).policy;
    let context = JudgeContext::new(&machine, &event, Trace::None);
    let world = context.world();
    let mut scene = Scene::new(&event, &world);
    let inquired = guard::inquire(&context, &policy, &mut scene, args.handlers);
    inquired.warnings.iter().for_each(|warning| apply::say(&printable(warning)));
    let hosts = verdict::on_hosts(&event, &inquired.judgement.verdict);
    if args.json {
        let report = json::report(&scene, &inquired, &policy, &hosts);
        return Ok(super::print(&format!("{report:#}")));
    }
    let style = Style::of_stdout();
    let mut text = verdict::human(&scene, &inquired, &policy, style);
    text.push('\n');
    text.push_str(&tree::render(&command, &scene, style));
    text.push_str(&verdict::hosts(&hosts, style));
    Ok(super::print(&text))
}

/// Reads one byte more than the limit, to detect longer commands.
fn from_stdin() -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_mul(16);
    std::io::stdin()
        .lock()
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| CommandError::usage(format!("cannot read the command: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}

/// The reference of all effects and actions.
fn effects(markdown: bool) -> String {
    let page = markdown.then(|| PAGE.to_owned());
    let kinds = tenter_shell::Kind::ALL.iter().map(|kind| {
        let (name, meaning) = (kind.name(), kind.meaning());
        let head = if markdown {
            format!("\n## {name}\n\nHappens when {meaning}.\n\n| Action | Meaning |\n|---|---|\n")
        } else {
            format!("{name}: {meaning}\n")
        };
        let actions = tenter_shell::Act::ALL.iter().filter(|action| action.is_of(*kind));
        let rows = actions.map(|action| match (action.name(), action.meaning()) {
            (name, meaning) if markdown => format!("| `{name}` | {meaning} |\n"),
            (name, meaning) => format!("  {name:24} {meaning}\n"),
        });
        head + &rows.collect::<String>()
    });
    page.into_iter().chain(kinds).collect()
}

const PAGE: &str = "\
# Effects and actions

Each effect that `tenter explain` shows has a kind and an action inside it. A rule names the kind, or both:
`effect = \"vcs-worktree\"`, `effect = \"vcs-worktree/reset-hard\"`. A name that is not listed here is refused by
`tenter policy check`.
";
