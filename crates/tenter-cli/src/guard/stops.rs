//! Bounds how often an agent that stops is told to go on. Some hosts have no limit of their own, and a hook
//! that always denies at a stop would keep the agent going without end.
//!
//! The count is a line of the session's file, so it costs nothing at other events.

use std::fmt::Write as _;

use tenter_hosts::{Way, host};
use tenter_model::{Body, Decision, Event, HostId, StopInfo, Verdict};

use super::twice::short_hash;
use super::{LocalMachine, session};

/// Prefix of the lines in a session's file; the memory parser skips them.
const MARK: &str = "went-on\t";
/// Limit for a whole session: a host that reports every stop as the first one must not loop either.
const MOST_IN_SESSION: u32 = 200;

/// How often an agent of a session went on.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    in_a_row: u32,
    in_session: u32,
}

/// Lets the stop stand if the agent went on too often, and says so in the verdict. Returns warnings.
pub(crate) fn bound(
    machine: &LocalMachine,
    event: &Event<'_>,
    wired_as: HostId,
    most: u8,
    verdict: &mut Verdict,
) -> Vec<String> {
    let Some(info) = told_to_go_on(event, verdict) else { return Vec::new() };
    let mut warnings = Vec::new();
    let count = count(machine, event, wired_as, info, most).unwrap_or_else(|error| {
        warnings.extend(error);
        // Without a count of ours the host's is the only one.
        let again = if info.stop_hook_active == Some(true) { u32::MAX } else { 1 };
        let loops = loops(info).map_or(again, |loops| loops.saturating_add(1));
        Count { in_a_row: loops, in_session: 1 }
    });
    let most = u32::from(most);
    if count.in_a_row > most || count.in_session > MOST_IN_SESSION {
        let (times, what) = if count.in_a_row > most {
            (most, "times in a row ([stop] most)")
        } else {
            (MOST_IN_SESSION, "times in this session")
        };
        let told = format!("tenter lets the agent stop: hooks made it go on {times} {what}");
        warnings.push(told.clone());
        verdict.decision = None;
        verdict.reason = None;
        verdict.additional_context = None;
        verdict.user_message = Some(match verdict.user_message.take() {
            Some(message) => format!("{told}\n{message}"),
            None => told,
        });
    } else if count.in_a_row == most {
        let last = format!(
            "(tenter: this was the last of {most} times in a row that a hook keeps you going. \
             Say what is left undone before you stop.)"
        );
        verdict.reason = Some(match verdict.reason.take() {
            Some(reason) => format!("{reason}\n\n{last}"),
            None => last,
        });
    }
    warnings
}

/// The stop of an event whose verdict makes the agent go on.
pub(crate) fn told_to_go_on<'e>(
    event: &'e Event<'_>,
    verdict: &Verdict,
) -> Option<&'e StopInfo<'e>> {
    let (Body::Stop(info) | Body::SubagentStop(info)) = &event.body else { return None };
    let goes_on = match verdict.decision {
        Some(decision) => decision == Decision::Deny,
        None => verdict.reason.is_some(),
    };
    // Codex's `notify` tells of a turn that is over.
    let is_heard = host(event.host).spec_of(event).deny.way != Way::Nowhere;
    (goes_on && is_heard).then_some(info)
}

/// Counts this stop. The error is a warning, if there is anything to say.
fn count(
    machine: &LocalMachine,
    event: &Event<'_>,
    wired_as: HostId,
    info: &StopInfo<'_>,
    most: u8,
) -> Result<Count, Option<String>> {
    let file = session::file(event, machine).ok_or(None)?;
    let _lock = session::lock(&file);
    let before = session::read(&file).map_err(Some)?;
    let agent = event.agent.id.as_deref().map_or_else(String::new, short_hash);
    let key = format!("{MARK}{}\t{agent}\t", event.kind());
    let payload = short_hash(event.native);
    let line = before.lines().find_map(|line| line.strip_prefix(&key));
    let mut words = line.unwrap_or_default().split('\t');
    let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or_default();
    let mut count = Count { in_a_row: number(), in_session: number() };
    let is_copy = words.next().is_some_and(|wired| wired != wired_as.as_str())
        && words.next() == Some(payload.as_str());
    if is_copy {
        return Ok(count);
    }
    // The host says that it is the first stop since a human spoke.
    if info.stop_hook_active == Some(false) || loops(info) == Some(0) {
        count.in_a_row = 0;
    }
    count.in_a_row = count.in_a_row.saturating_add(1);
    // A stop that stands ends the row.
    let goes_on = count.in_a_row <= u32::from(most);
    count.in_session = count.in_session.saturating_add(u32::from(goes_on));
    let mut text = String::with_capacity(before.len().saturating_add(128));
    for line in before.lines().filter(|line| !line.starts_with(&key)) {
        text.push_str(line);
        text.push('\n');
    }
    let Count { in_a_row, in_session } = count;
    let _ = writeln!(text, "{key}{in_a_row}\t{in_session}\t{wired_as}\t{payload}");
    session::write(&file, &text).map_err(Some)?;
    Ok(count)
}

/// The host's own count of follow-ups.
fn loops(info: &StopInfo<'_>) -> Option<u32> {
    info.loop_count.as_ref()?.as_u64().map(|count| u32::try_from(count).unwrap_or(u32::MAX))
}
