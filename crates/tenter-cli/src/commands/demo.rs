//! `tenter demo`: a scripted session through the bridge, step by step.

use std::fmt::Write;
use std::process::ExitCode;

use tenter_hosts::{Bridge, EncodeOptions, FailMode, Outcome, Payload, host};
use tenter_model::{Action, Decision, Event, EventKind, HostId, Verdict};

use super::host_id;
use crate::table::Table;

/// Play a scripted session through the bridge and show each event, verdict and native answer
///
/// The payloads are real ones in shape; the handler is a small sample. Nothing is executed and no file
/// is touched.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only this host; without it the session is played on Cursor, and its verdicts on all hosts
    #[arg(long, value_name = "cursor|claude|codex", value_parser = host_id)]
    host: Option<HostId>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let first = HostId::ALL.first().copied();
    let mut page = args.host.or(first).map(play).unwrap_or_default();
    if args.host.is_none() {
        page.push_str(&compare());
    }
    super::print(&page)
}

/// A sample handler similar to those in `examples/`.
fn sample(event: &Event<'_>) -> Verdict {
    match event.kind() {
        EventKind::SessionStart => {
            Verdict::context("House rules: no rm -rf, no secrets, ask before you push.")
        }
        EventKind::PreToolUse => judge_call(event),
        EventKind::Stop => match &event.body {
            tenter_model::Body::Stop(info) if info.stop_hook_active != Some(true) => {
                Verdict::deny("The tests have not been run. Run them, then finish.")
            }
            _ => Verdict::none(),
        },
        _ => Verdict::none(),
    }
}

fn judge_call(event: &Event<'_>) -> Verdict {
    let Some(call) = event.tool_call() else {
        return Verdict::none();
    };
    if call.files().any(|file| file.path.rsplit('/').next() == Some(".env")) {
        return Verdict::deny("secrets stay out of the conversation")
            .with_user_message("Kept the agent from a secrets file.");
    }
    match call.command() {
        Some(command) if command.contains("rm -rf") => Verdict::deny("rm -rf is blocked"),
        Some(command) if command.contains("git push") => Verdict::ask("a push leaves this machine"),
        Some(command) if command.starts_with("npm ") => {
            Verdict::none().with_input("command", &command.replacen("npm ", "pnpm ", 1))
        }
        _ => Verdict::none(),
    }
}

struct Step {
    subject: String,
    verdict: String,
    outcome: Outcome,
}

fn step(host: HostId, payload: &str) -> Step {
    let bridge =
        Bridge { host: Some(host), options: EncodeOptions::default(), on_failure: FailMode::Open };
    let payload = Payload::from_bytes(payload.as_bytes().to_vec());
    let decoded = bridge.decode(&payload);
    let (mut subject, mut verdict) = (String::new(), String::new());
    let handled = decoded.event().map(|event| {
        let answer = sample(event);
        (subject, verdict) = (describe(event), describe_verdict(&answer));
        (answer, Vec::new())
    });
    let outcome = bridge.encode(&decoded, &handled);
    Step { subject, verdict, outcome }
}

fn play(id: HostId) -> String {
    let mut table =
        Table::new(&["event", "unified", "what", "verdict", "enforced", "answer to the host"]);
    let mut remarks = String::new();
    for line in host(id).demo().lines() {
        let Step { subject, verdict, outcome } = step(id, line);
        let answer = &outcome.answer;
        let stdout = if answer.stdout.is_empty() { "(nothing)" } else { &answer.stdout };
        table.row(vec![
            outcome.native_event.clone(),
            outcome.kind.to_string(),
            subject,
            verdict,
            answer.enforcement.to_string(),
            stdout.to_owned(),
        ]);
        for line in &outcome.diagnostics {
            let told = line.strip_prefix("tenter: ").unwrap_or(line);
            remarks.write_fmt(format_args!("  {told}\n")).unwrap_or_default();
        }
    }
    let title = id.title();
    let mut page = format!("A session on {title}, with a sample handler\n\n{}", table.render());
    if !remarks.is_empty() {
        page.push_str("\nWhat the host cannot take as it is (on stderr, for the author):\n");
        page.push_str(&remarks);
    }
    page
}

/// The same three verdicts on every host.
fn compare() -> String {
    let titles = HostId::ALL.map(HostId::title);
    let heads: Vec<&str> = std::iter::once("verdict").chain(titles).collect();
    let mut table = Table::new(&heads);
    let find = |id: HostId, wanted: Decision| {
        host(id).demo().lines().map(|line| step(id, line)).find(|step| {
            step.outcome.kind == EventKind::PreToolUse && step.verdict.starts_with(wanted.as_str())
        })
    };
    for wanted in [Decision::Deny, Decision::Ask] {
        let mut row = vec![format!("{wanted} a command")];
        for id in HostId::ALL {
            let step = find(id, wanted);
            row.push(step.map_or_else(String::new, |step| {
                format!("{}: {}", step.outcome.answer.enforcement, step.outcome.answer.stdout)
            }));
        }
        table.row(row);
    }
    format!("\nOne verdict, three dialects\n\n{}", table.render())
}

fn describe(event: &Event<'_>) -> String {
    if let tenter_model::Body::UserPromptSubmit { prompt, .. } = &event.body {
        return prompt.get().into_owned();
    }
    let Some(action) = event.tool_call().and_then(|call| call.actions.first()) else {
        return String::new();
    };
    match action {
        Action::Shell { command, .. } => command.get().into_owned(),
        Action::Mcp(identity) => identity.canonical(),
        Action::Other { name } => name.to_string(),
        other => other
            .file()
            .map(|file| format!("{} {}", file.op.as_str(), file.path))
            .unwrap_or_default(),
    }
}

fn describe_verdict(verdict: &Verdict) -> String {
    let mut parts = Vec::new();
    if let Some(decision) = verdict.decision {
        parts.push(decision.to_string());
    }
    if verdict.modified_input.is_some() {
        parts.push("rewrite".to_owned());
    }
    if verdict.additional_context.is_some() {
        parts.push("context".to_owned());
    }
    let text = parts.join(", ");
    match &verdict.reason {
        Some(reason) => format!("{text}: {reason}"),
        None if text.is_empty() => "no opinion".to_owned(),
        None => text,
    }
}
