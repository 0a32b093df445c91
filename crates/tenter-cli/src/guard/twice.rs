//! The same call, sent twice.
//!
//! Cursor also runs the hooks in Claude's settings, so on a machine that is wired for both every call
//! comes twice, perhaps at the same time. And some hosts send two events about one call. Judging again
//! gives the same verdict, except where the first judgement left something behind: it was counted, its
//! denied effect is remembered, what a human allowed once is used up. So a judgement that leaves
//! something leaves a line about itself too, in the session's file, and for a few seconds a second copy
//! is answered from it. Calls that leave nothing pay nothing.
//!
//! What is remembered and the line about it appear together, under a lock, by one rename.

use std::cell::{OnceCell, RefCell};
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tenter_model::{Action, Event, EventKind, HostId, Verdict};
use tenter_policy::{Judgement, Memo, Memory};

use super::{LocalMachine, once, session};

/// How far apart two copies of a call may be that its host has given an id.
const SAME_ID_MS: u64 = 10_000;
/// Without an id there is only the payload to go by, and an agent may well repeat itself.
const SAME_PAYLOAD_MS: u64 = 2_000;

/// Begins the lines in a session's file that are about judgements. What reads memories skips them.
const MARK: &str = "judged\t";

/// A real call on its way through the guard, in its session.
pub(super) struct SessionCall<'c> {
    machine: &'c LocalMachine,
    event: &'c Event<'c>,
    wired_as: HostId,
    /// The session's file; none if the host does not name the session.
    file: Option<PathBuf>,
    pub(super) memory: Memory,
    /// What a first copy of this call was told.
    told: Option<Verdict>,
    identity: OnceCell<Identity>,
    held: RefCell<Option<Held>>,
}

/// The session's file while nobody else may write it.
struct Held {
    text: Result<String, String>,
    earlier: Earlier,
    _lock: Option<File>,
}

/// What the file says of this call.
#[derive(Default)]
struct Earlier {
    /// What its first copy was told.
    told: Option<Verdict>,
    /// What was remembered when another event told of the call.
    memos: Vec<String>,
    /// A human has allowed the call, and the other event has used that up.
    allowed: bool,
    /// The id that the other event gave it.
    id: String,
}

/// A judgement that left something behind.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct PastJudgement {
    identity: Identity,
    wired_as: String,
    /// The id of the call, where only another event about it gave one.
    of: String,
    /// How many lines before this one were written with it.
    memos: usize,
    allowed: bool,
    verdict: String,
}

/// What tells calls apart within a session.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Identity {
    event: String,
    /// Whether the call is still to come.
    before: bool,
    /// The hash of the host's id of the call; empty if there is none.
    id: String,
    /// The fingerprint of the call, or the hash of the whole payload if it is about none.
    call: String,
    /// Where there is no id: the hash of the whole payload.
    payload: String,
    /// The hash of the folder: it is only compared.
    cwd: String,
}

impl<'c> SessionCall<'c> {
    /// Recalls the session of an event.
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

    /// What a first copy of this call was told. Then nothing is to be judged or remembered.
    pub(super) fn told(&self) -> Option<&Verdict> {
        self.told.as_ref()
    }

    /// Whether a human has allowed what is stopped here; it is used up by that.
    pub(super) fn allowed_once(&self, code: &str) -> bool {
        let take = || once::take(&self.machine.folders, code, self.machine.now);
        let Some(file) = &self.file else { return take() };
        // Of two copies only one can take it, so the other must wait to hear of it.
        let mut held = self.held.borrow_mut();
        let earlier = &held.get_or_insert_with(|| self.hold(file)).earlier;
        earlier.told.is_none() && (earlier.allowed || take())
    }

    /// Remembers what a judgement leaves behind. If a copy of the call was faster, returns what that
    /// was told, which then holds for this one too.
    pub(super) fn settle(
        &self,
        judgement: &Judgement,
        warnings: &mut Vec<String>,
    ) -> Option<Verdict> {
        let leaves = judgement.code.is_some() || !judgement.memos.is_empty();
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

    /// The session's file with what this judgement adds, and without what is past.
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

    /// What a session's file says of this call, and the file without what another event has left
    /// there about it, if one has.
    fn earlier(&self, text: &str) -> (Earlier, Option<String>) {
        let mut earlier = Earlier::default();
        let mut other = None;
        for (at, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with(MARK)) {
            let Some((moment, judged)) = self.concerned(line) else { continue };
            if let Some(verdict) = self.is_same(moment, &judged) {
                earlier.told = Some(verdict);
            } else if self.is_other_event(&judged) {
                // Of several, the last one was about this call: the others had their answers.
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

    /// The judgement a line tells of, with its moment, if that is not too long ago.
    fn concerned(&self, line: &str) -> Option<(u64, PastJudgement)> {
        let (at, judged) = moment(line)?;
        if self.machine.now_ms.abs_diff(at) > SAME_ID_MS {
            return None;
        }
        Some((at, serde_json::from_str(judged).ok()?))
    }

    /// What a first copy of this call was told, if the line is about one.
    fn is_same(&self, at: u64, judged: &PastJudgement) -> Option<Verdict> {
        let (mine, theirs) = (self.identity(), &judged.identity);
        let is_call =
            mine.event == theirs.event && mine.id == theirs.id && mine.call == theirs.call;
        // A relative path means something else in another folder.
        if !is_call || mine.cwd != theirs.cwd {
            return None;
        }
        // The same call through the same wiring, and no id: that is a new try.
        let apart = self.machine.now_ms.abs_diff(at);
        let copied = || {
            apart <= SAME_PAYLOAD_MS
                && mine.payload == theirs.payload
                && judged.wired_as != self.wired_as.as_str()
        };
        // An empty text would be read as no objection.
        if (mine.id.is_empty() && !copied()) || judged.verdict.is_empty() {
            return None;
        }
        Verdict::from_json(&judged.verdict).ok().map(|(verdict, _)| verdict)
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

/// The moment of a line about a judgement, and the rest of it.
fn moment(line: &str) -> Option<(u64, &str)> {
    let (at, rest) = line.strip_prefix(MARK)?.split_once('\t')?;
    Some((at.parse().ok()?, rest))
}

/// The folder a call happens in.
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

/// The text itself if it is as short as ids are; what is longer may be anything.
fn short(text: &str) -> String {
    if text.len() <= session::LONGEST_ID { text.to_owned() } else { short_hash(text) }
}

fn short_hash(text: &str) -> String {
    let mut out = String::new();
    for byte in Sha256::digest(text).iter().take(16) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}
