//! `tenter check`: the policy's verdict on one or many calls.

mod batch;
mod inquiry;

use std::path::PathBuf;
use std::process::ExitCode;

use tenter_engine::diagnostic::printable;
use tenter_model::{Decision, HostId};
use tenter_policy::scene::Scene;
use tenter_policy::{Policy, Preset};

use self::inquiry::Inquiry;
use super::{Style, apply, host_id, verdict};
use crate::error::CommandError;
use crate::guard::{self, JudgeContext, LocalMachine, Trace, policies};

pub(super) use self::inquiry::decode;

/// Show the policy's answer to a call, without making the call
///
/// The same judge as in `tenter hook`. Handlers run only with `--handlers`; otherwise those that the call would start are
/// named. Exit 0 if the call is let through, 1 if it is denied or asked about.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The command: one quoted text, or words after `--`, which are joined by blanks
    #[arg(value_name = "COMMAND", required_unless_present_any = ["payload", "read", "write", "fetch", "mcp", "prompt", "jsonl"], conflicts_with = "what")]
    command: Vec<String>,
    /// A host's payload, in a file; `-` is standard input
    #[arg(long, value_name = "FILE", group = "what")]
    payload: Option<PathBuf>,
    /// The host of --payload [default: told from the payload]
    #[arg(long, value_parser = host_id, requires = "payload")]
    host: Option<HostId>,
    /// A file that would be read
    #[arg(long, value_name = "PATH", group = "what")]
    read: Option<String>,
    /// A file that would be written; its content comes on standard input
    #[arg(long, value_name = "PATH", group = "what")]
    write: Option<String>,
    /// A page that would be fetched
    #[arg(long, value_name = "URL", group = "what")]
    fetch: Option<String>,
    /// An MCP tool that would be called
    #[arg(long, value_name = "SERVER/TOOL", group = "what")]
    mcp: Option<String>,
    /// A prompt that would be sent to the model
    #[arg(long, value_name = "TEXT", group = "what")]
    prompt: Option<String>,
    /// Many: one JSON object a line on standard input, one answer a line, in order
    #[arg(long, group = "what", conflicts_with_all = ["json"])]
    jsonl: bool,
    /// The folder it would happen in [default: this one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// Judge by a preset alone: minimal, recommended, strict or ci
    #[arg(long, value_name = "PRESET", value_parser = preset)]
    preset: Option<Preset>,
    /// Judge by this policy file alone
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    policy: Option<PathBuf>,
    /// Also run the handlers of the policy; those of a project only if they are trusted
    #[arg(long)]
    handlers: bool,
    /// Print one JSON object; `tenter schema check` describes it
    #[arg(long)]
    json: bool,
}

pub(super) fn preset(name: &str) -> Result<Preset, CommandError> {
    let known = Preset::ALL.map(Preset::as_str).join(", ");
    Preset::from_name(name).ok_or_else(|| CommandError::usage(format!("not one of {known}")))
}

/// The policy to ask.
#[derive(Debug)]
enum By {
    /// The policy files for the folder of the call.
    Files,
    Given(Box<Policy>),
}

impl By {
    fn of(args: &Args) -> Result<Self, CommandError> {
        match (&args.preset, &args.policy) {
            (Some(preset), _) => Ok(By::Given(Box::new(Policy::preset(*preset)))),
            (None, Some(file)) => Ok(By::Given(Box::new(policies::of_file(file)?))),
            (None, None) => Ok(By::Files),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let machine = LocalMachine::at(args.cwd.as_deref())?;
    let by = By::of(args)?;
    if args.jsonl {
        return batch::run(&machine, &by, args.handlers);
    }
    one(&machine, &by, &Inquiry::of(args)?, args)
}

fn one(
    machine: &LocalMachine,
    by: &By,
    inquiry: &Inquiry,
    args: &Args,
) -> Result<ExitCode, CommandError> {
    let (text, decision) = inquiry.with_event(machine, |event| {
        let loaded;
        let policy = match by {
            By::Given(policy) => &**policy,
            By::Files => {
                loaded = policies::load(&machine.folders, &guard::places(machine, event)).policy;
                &loaded
            }
        };
        let context = JudgeContext::new(machine, event, Trace::None);
        let world = context.world();
        let mut scene = Scene::new(event, &world);
        let inquired = guard::inquire(&context, policy, &mut scene, args.handlers);
        let text = if args.json {
            format!("{:#}", verdict::json(&inquired, policy))
        } else {
            verdict::human(&scene, &inquired, policy, Style::of_stdout())
        };
        inquired.warnings.iter().for_each(|warning| apply::say(&printable(warning)));
        (text, inquired.judgement.verdict.decision)
    })?;
    let printed = super::print(&text);
    Ok(match decision {
        _ if printed != ExitCode::SUCCESS => printed,
        Some(Decision::Deny | Decision::Ask) => ExitCode::from(1),
        Some(Decision::Allow) | None => ExitCode::SUCCESS,
    })
}

/// Schema of `tenter check --json`.
pub(crate) fn schema() -> serde_json::Value {
    let mut schema = verdict::schema();
    if let serde_json::Value::Object(object) = &mut schema {
        object.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        object.insert("title".to_owned(), "Check".into());
        object.insert("description".to_owned(), "What the policy says to one call.".into());
    }
    schema
}
