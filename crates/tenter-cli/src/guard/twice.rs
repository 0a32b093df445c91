//! Recognises the same call sent twice.
//!
//! Cursor also runs the hooks in Claude's settings, so on a machine with both installed every call arrives
//! twice, perhaps concurrently. And some hosts send two events about one call. Judging again gives the same
//! verdict, unless the first judgement changed something: a counter, a remembered denial, a permission used
//! up. So a judgement with such effects also leaves a line about itself in the session's file, and for a few
//! seconds a second copy is answered from it. Calls without effects cost nothing. Cursor joins the texts of all
//! answers, so a copy through the other host's hooks repeats the decision alone; handlers run and records are
//! written for the first one only.
//!
//! Effects and the line about them are written together, under a lock, by one rename.

use std::cell::{OnceCell, RefCell};
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};

use tenter_model::hash;
use tenter_model::text;
use tenter_model::{Action, Decision, Event, EventKind, HostId, Verdict};
use tenter_policy::{Judgement, Memo, Memory};

use super::{LocalMachine, once, session};

/// Maximum interval between two copies of a call with an id.
const SAME_ID_MS: u64 = 10_000;
/// Without an id only the payload can be compared, and an agent may well repeat itself.
const SAME_PAYLOAD_MS: u64 = 2_000;

/// Prefix of lines about judgements in a session's file; the memory parser skips them.
const MARK: &str = "judged\t";

/// The answer to the first copy of a call.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) verdict: Verdict,
    /// Whether the first copy came through the hooks of another host: it says why, and is recorded.
    pub(super) is_elsewhere: bool,
}

/// A real call in its session.
pub(super) struct SessionCall<'c> {
    machine: &'c LocalMachine,
    event: &'c Event<'c>,
    wired_as: HostId,
    /// The session's file; `None` if the host sends no session id.
    file: Option<PathBuf>,
    pub(super) memory: Memory,
    /// The answer to the first copy of this call.
    told: Option<Told>,
    identity: OnceCell<Identity>,
    held: RefCell<Option<Held>>,
}

/// The locked session file.
struct Held {
    text: Result<String, String>,
    earlier: Earlier,
    _lock: Option<File>,
}

/// Content of the file about this call.
#[derive(Default)]
struct Earlier {
    /// The answer to its first copy.
    told: Option<Told>,
    /// Facts stored by another event about the call.
    memos: Vec<String>,
    /// The user allowed the call, and the other event used that up.
    allowed: bool,
    /// The call id in the other event.
    id: String,
}

/// A judgement with effects.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct PastJudgement {
    identity: Identity,
    wired_as: String,
    /// The call id, where only another event about the call has one.
    of: String,
    /// Number of preceding lines written with it.
    memos: usize,
    allowed: bool,
    verdict: String,
}

/// Identity of a call within a session.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Identity {
    event: String,
    /// Whether the call has not run yet.
    before: bool,
    /// Hash of the host's call id; empty if there is none.
    id: String,
    /// Fingerprint of the call, or hash of the whole payload for other events.
    call: String,
    /// Without an id: hash of the whole payload.
    payload: String,
    /// Hash of the folder, for comparison.
    cwd: String,
}

impl<'c> SessionCall<'c> {
    /// Reads the session of an event.
    pub(super) fn recall(
        machine: &'c LocalMachine,
        event: &'c Event<'c>,
        wired_as: HostId,
        warnings: &mut Vec<String>,
    ) -> Self {
        let mut call = Self {
            machine,
            event,
            wired_as,
            file: session::file(event, machine),
            memory: Memory::new(),
            told: None,
            identity: OnceCell::new(),
            held: RefCell::new(None),
        };
        match call.file.as_deref().map_or(Ok(String::new()), session::read) {
            Ok(text) if text.is_empty() => {}
            Ok(text) => {
                let (earlier, rest) = call.earlier(&text);
                call.memory = Memory::parse(rest.as_deref().unwrap_or(&text));
                call.told = earlier.told;
            }
            Err(warning) => warnings.push(warning),
        }
        call
    }

    /// The answer to the first copy of this call; then nothing is judged or stored.
    pub(super) fn told(&self) -> Option<&Told> {
        self.told.as_ref()
    }

    /// Whether the user allowed this call; uses up the permission.
    pub(super) fn allowed_once(&self, code: &str) -> bool {
        let take = || once::take(&self.machine.folders, code, self.machine.now);
        let Some(file) = &self.file else { return take() };
        // Only one of two copies can take it, so the other must wait for the result.
        let mut held = self.held.borrow_mut();
        let earlier = &held.get_or_insert_with(|| self.hold(file)).earlier;
        earlier.told.is_none() && (earlier.allowed || take())
    }

    /// Stores the effects of a judgement. If a copy of the call was faster, returns its answer, which then
    /// applies to this one too.
    pub(super) fn settle(
        &self,
        judgement: &Judgement,
        leaves: bool,
        warnings: &mut Vec<String>,
    ) -> Option<Told> {
        let verdict = &judgement.verdict;
        let speaks = verdict.user_message.is_some() || verdict.additional_context.is_some();
        let leaves = leaves || speaks || judgement.code.is_some() || !judgement.memos.is_empty();
        let file = self.file.as_deref().filter(|_| leaves)?;
        let held = self.held.take().unwrap_or_else(|| self.hold(file));
        if held.earlier.told.is_none() {
            let add =
                |text: String| session::write(file, &self.added(&text, &held.earlier, judgement));
            if let Err(warning) = held.text.and_then(add)
                && !warnings.contains(&warning)
            {
                warnings.push(warning);
            }
        }
        held.earlier.told
    }

    fn hold(&self, file: &Path) -> Held {
        let lock = session::lock(file);
        let text = session::read(file);
        let earlier = text.as_deref().map(|text| self.earlier(text).0).unwrap_or_default();
        Held { text, earlier, _lock: lock }
    }

    /// The session's file with this judgement's effects added and expired lines removed.
    fn added(&self, before: &str, earlier: &Earlier, judgement: &Judgement) -> String {
        let mut text = String::with_capacity(before.len().saturating_add(1024));
        for line in before.lines() {
            let past = |at: u64| self.machine.now_ms.abs_diff(at) > SAME_ID_MS;
            if !line.starts_with(MARK) || moment(line).is_some_and(|(at, _)| !past(at)) {
                text.push_str(line);
                text.push('\n');
            }
        }
        let mut known: Vec<&String> = earlier.memos.iter().collect();
        let mut memos = 0_usize;
        for line in judgement.memos.iter().map(Memo::line) {
            let same = known.iter().position(|known| **known == line.trim_end_matches('\n'));
            if let Some(at) = same {
                known.swap_remove(at);
            } else if before.len() <= session::LONGEST {
                text.push_str(&line);
                memos = memos.saturating_add(1);
            }
        }
        let judged = PastJudgement {
            identity: self.identity().clone(),
            wired_as: self.wired_as.to_string(),
            of: earlier.id.clone(),
            memos,
            allowed: judgement.allowed_once,
            verdict: serde_json::to_string(&judgement.verdict).unwrap_or_default(),
        };
        let judged = serde_json::to_string(&judged).unwrap_or_default();
        let _ = writeln!(text, "{MARK}{}\t{judged}", self.machine.now_ms);
        text
    }

    /// The file's content about this call, and the file without what another event about it has stored.
    fn earlier(&self, text: &str) -> (Earlier, Option<String>) {
        let mut earlier = Earlier::default();
        let mut other = None;
        for (at, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with(MARK)) {
            let Some((moment, judged)) = self.concerned(line) else { continue };
            if let Some(verdict) = self.is_same(moment, &judged) {
                earlier.told = Some(verdict);
            } else if self.is_other_event(&judged) {
                // Of several, the last one was about this call: the others were answered.
                other = Some((at, judged));
            }
        }
        let Some((at, judged)) = other else { return (earlier, None) };
        let lines: Vec<&str> = text.lines().collect();
        let (before, after) = lines.split_at_checked(at).unwrap_or_default();
        let kept = before.len().saturating_sub(judged.memos);
        let (before, memos) = before.split_at_checked(kept).unwrap_or_default();
        earlier.memos = memos.iter().map(|line| (*line).to_owned()).collect();
        // The other event may not have known the folder.
        earlier.allowed = judged.allowed && judged.identity.cwd == self.identity().cwd;
        earlier.id = judged.identity.id;
        (earlier, Some([before, after].concat().join("\n")))
    }

    /// The judgement in a line with its time, if recent enough.
    fn concerned(&self, line: &str) -> Option<(u64, PastJudgement)> {
        let (at, judged) = moment(line)?;
        if self.machine.now_ms.abs_diff(at) > SAME_ID_MS {
            return None;
        }
        Some((at, serde_json::from_str(judged).ok()?))
    }

    /// The answer to the first copy of this call, if the line is about it.
    fn is_same(&self, at: u64, judged: &PastJudgement) -> Option<Told> {
        let (mine, theirs) = (self.identity(), &judged.identity);
        let is_call =
            mine.event == theirs.event && mine.id == theirs.id && mine.call == theirs.call;
        // A relative path means something else in another folder.
        if !is_call || mine.cwd != theirs.cwd {
            return None;
        }
        // The same call through the same hook without an id is a new attempt.
        let apart = self.machine.now_ms.abs_diff(at);
        let copied = || {
            apart <= SAME_PAYLOAD_MS
                && mine.payload == theirs.payload
                && judged.wired_as != self.wired_as.as_str()
        };
        // An empty text would mean no objection.
        if (mine.id.is_empty() && !copied()) || judged.verdict.is_empty() {
            return None;
        }
        let (verdict, _) = Verdict::from_json(&judged.verdict).ok()?;
        let is_elsewhere = judged.wired_as != self.wired_as.as_str();
        let verdict = if is_elsewhere { without_words(verdict) } else { verdict };
        Some(Told { verdict, is_elsewhere })
    }

    /// Whether the line is about another event of this call: Cursor fires `preToolUse` and
    /// `beforeShellExecution` for one command.
    fn is_other_event(&self, judged: &PastJudgement) -> bool {
        let (mine, theirs) = (self.identity(), &judged.identity);
        let id = if theirs.id.is_empty() { &judged.of } else { &theirs.id };
        mine.event != theirs.event
            && mine.before == theirs.before
            && mine.call == theirs.call
            && (mine.id == *id || mine.id.is_empty() || id.is_empty())
    }

    fn identity(&self) -> &Identity {
        self.identity.get_or_init(|| {
            let event = self.event;
            let payload = || short_hash(event.native);
            let id = event.call_id.as_deref().filter(|id| !id.is_empty());
            let id = id.map_or_else(String::new, short_hash);
            Identity {
                event: short(&event.native_event),
                before: matches!(
                    event.kind(),
                    EventKind::PreToolUse | EventKind::PermissionRequest
                ),
                call: event.fingerprint().map_or_else(payload, |call| call.to_string()),
                payload: if id.is_empty() { payload() } else { String::new() },
                cwd: short_hash(folder(event, self.machine)),
                id,
            }
        })
    }
}

/// The decision with a pointer to the first answer: hosts do not heed a denial without a reason.
fn without_words(verdict: Verdict) -> Verdict {
    let stops = verdict.decision.is_some_and(|decision| decision != Decision::Allow);
    let reason = stops.then(|| "the same call, stopped for the reason given".to_owned());
    Verdict { reason, user_message: None, additional_context: None, ..verdict }
}

/// Time of a line about a judgement, and the rest of it.
fn moment(line: &str) -> Option<(u64, &str)> {
    let (at, rest) = line.strip_prefix(MARK)?.split_once('\t')?;
    Some((at.parse().ok()?, rest))
}

/// The folder of a call.
fn folder<'e>(event: &'e Event<'_>, machine: &'e LocalMachine) -> &'e str {
    let own = event.tool_call().and_then(|call| {
        call.actions.iter().find_map(|action| match action {
            Action::Shell { cwd, .. } => cwd.as_deref(),
            _ => None,
        })
    });
    let named = |cwd: &&str| !cwd.is_empty();
    own.filter(named)
        .or_else(|| event.cwd.as_deref().filter(named))
        .or(machine.cwd.as_deref())
        .unwrap_or_default()
}

/// The text itself if it is as short as ids are; longer text is hashed.
fn short(text: &str) -> String {
    if text.len() <= session::LONGEST_ID { text.to_owned() } else { short_hash(text) }
}

pub(super) fn short_hash(text: &str) -> String {
    text::first_chars(&hash::sha256(text.as_bytes()), 32).to_owned()
}
