//! Walks the lines of the spool and checks each.

use std::io;
use std::path::PathBuf;

use serde::Deserialize;

use super::{Break, Missed, Report, Spot, Stand, TornAt, Why};
use crate::anchor::AnchorNote;
use crate::chain::{End, Link, NOTHING};
use crate::record::{Checkpoint, Gap, Kind};
use crate::spool::{Entry, Lines, Segment};

/// Maximum number of torn lines reported with position.
const NAMED: usize = 20;
/// Lines between two progress reports.
const STEP: u64 = 4096;

/// Source of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A whole spool.
    Spool,
    /// Some of its segments.
    Part,
    /// An export of selected records.
    Export,
}

/// Fields of a record that are checked.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Seen {
    at: u64,
    kind: Kind,
    lost: u64,
    gap: Option<Gap>,
    checkpoint: Option<Checkpoint>,
}

/// Lines since the last record that are not records.
struct TornLines {
    /// Position of the first of them, and the line count up to it.
    spot: Spot,
    lines: u64,
    /// Including line feeds.
    bytes: u64,
}

/// The first record of a spool that does not start with number 1.
struct Beginning {
    spot: Spot,
    seq: u64,
    prev: String,
    at: u64,
}

pub(super) struct Walk {
    form: Form,
    report: Report,
    /// Link that the next record must continue; `None` before the first.
    link: Option<Link>,
    file: PathBuf,
    line: u64,
    lines: u64,
    torn: Option<TornLines>,
    /// Time of the last valid record.
    good: Option<u64>,
    beginning: Option<Beginning>,
    /// Last link of each segment, for checkpoints that account for segments that still exist.
    ends: Vec<Link>,
    closed: bool,
    /// Number of lines up to the first break.
    broken_after: u64,
    /// Anchors by number; those before `next_note` were found.
    notes: Vec<AnchorNote>,
    next_note: usize,
}

impl Walk {
    pub(super) fn new(form: Form) -> Self {
        Self {
            form,
            report: Report::default(),
            link: None,
            file: PathBuf::new(),
            line: 0,
            lines: 0,
            torn: None,
            good: None,
            beginning: None,
            ends: Vec::new(),
            closed: false,
            broken_after: 0,
            notes: Vec::new(),
            next_note: 0,
        }
    }

    /// Sets the anchors to look for.
    pub(super) fn look_for(&mut self, notes: &[AnchorNote]) {
        self.notes = notes.to_vec();
        self.notes.sort_by_key(|note| note.anchor.seq);
    }

    /// Compares a record with the anchor of its number.
    fn meet(&mut self, seq: u64, hash: &str) {
        while let Some(note) = self.notes.get(self.next_note).filter(|it| it.anchor.seq <= seq) {
            // Lower numbers may have been pruned, which is known only at the end.
            let is_it = note.anchor.seq == seq && note.anchor.hash == hash;
            if !is_it {
                let is_replaced = note.anchor.seq == seq;
                self.report.missed.push(Missed { note: note.clone(), is_replaced });
            }
            self.next_note = self.next_note.saturating_add(1);
        }
    }

    /// Reports anchors that were not found, unless their records were pruned.
    fn settle_notes(&mut self) {
        let rest = self.notes.iter().skip(self.next_note).cloned();
        let rest = rest.map(|note| Missed { note, is_replaced: false });
        self.report.missed.extend(rest);
        if let Some(cleared) = &self.report.cleared {
            let through = cleared.through;
            self.report.missed.retain(|it| it.is_replaced || it.note.anchor.seq > through);
        }
    }

    /// Walks one segment.
    pub(super) fn segment(
        &mut self,
        segment: &Segment,
        mut lines: Lines,
        progress: &mut dyn FnMut(u64),
    ) -> io::Result<()> {
        self.file.clone_from(&segment.path);
        self.line = 0;
        self.closed = false;
        self.report.segments = self.report.segments.saturating_add(1);
        while let Some(entry) = lines.next_entry()? {
            self.line = self.line.saturating_add(1);
            self.lines = self.lines.saturating_add(1);
            match entry {
                Entry::Line { text, .. } => self.record(&text),
                Entry::Torn { place } => {
                    if lines.is_foreign() {
                        let (spot, lines) = (self.spot(), self.lines);
                        self.foreign(Some(TornLines { spot, lines, bytes: 0 }));
                    }
                    self.torn(u64::from(place.length));
                }
            }
            if self.lines.is_multiple_of(STEP) {
                progress(lines.offset());
            }
        }
        self.report.bytes = self.report.bytes.saturating_add(lines.offset());
        progress(lines.offset());
        if self.form == Form::Export {
            self.end_of_export(lines.offset(), segment.bytes);
        } else if !segment.is_current {
            self.end_of_closed();
        } else {
            // Incomplete data after the last record: its writer was killed, and none has come since.
            let torn = self.torn.take().map_or(0, |torn| torn.bytes);
            let more = segment.bytes.saturating_sub(lines.offset());
            self.report.unfinished = torn.saturating_add(more);
        }
        Ok(())
    }

    /// An export ends with a line feed and has no torn line.
    fn end_of_export(&mut self, read: u64, size: u64) {
        self.foreign_lines();
        if size > read {
            self.line = self.line.saturating_add(1);
            self.lines = self.lines.saturating_add(1);
            let torn = TornLines { spot: self.spot(), lines: self.lines, bytes: 0 };
            self.foreign(Some(torn));
        }
    }

    pub(super) fn finish(mut self) -> Report {
        self.settle_notes();
        if let Some(begin) = self.beginning.take() {
            let first = Break {
                seq: begin.seq,
                spot: begin.spot,
                why: Why::Beginning,
                after: None,
                before: Some(begin.at),
                later: self.lines.saturating_sub(1),
            };
            self.report.breaks = self.report.breaks.saturating_add(1);
            self.report.broken = Some(first);
        } else if let Some(broken) = &mut self.report.broken {
            broken.later = self.lines.saturating_sub(self.broken_after);
        }
        self.report
    }

    fn torn(&mut self, length: u64) {
        let new = TornLines { spot: self.spot(), lines: self.lines, bytes: 0 };
        let torn = self.torn.get_or_insert(new);
        torn.bytes = torn.bytes.saturating_add(length).saturating_add(1);
    }

    fn record(&mut self, text: &str) {
        let Some(end) = End::of(text) else { return self.torn(text.len() as u64) };
        self.report.records = self.report.records.saturating_add(1);
        let is_true = end.is_true_of(text);
        let seen: Option<Seen> = serde_json::from_str(text).ok();
        let here = self.spot();
        self.account_for_torn(&end, seen.as_ref(), is_true);
        if !is_true {
            self.break_at(end.seq, here.clone(), Why::Changed);
        } else if seen.is_none() {
            self.break_at(end.seq, here.clone(), Why::Unreadable);
        }
        // Its number may still be right.
        if let Some((seq, why)) = self.misplaced(&end)
            && is_true
        {
            self.break_at(seq, here.clone(), why);
        }
        let seen = seen.unwrap_or_default();
        let stand = || Stand { seq: end.seq, at: seen.at, hash: end.hash.to_owned() };
        if self.report.first.is_none() {
            self.begin(&end, here, seen.at);
            self.report.first = Some(stand());
        }
        if is_true {
            self.good_line(&seen);
        }
        self.meet(end.seq, end.hash);
        self.report.last = Some(stand());
        if end.side.is_some() {
            self.report.side = self.report.side.saturating_add(1);
        }
        self.closed = end.closed;
        if end.closed {
            self.ends.push(end.link());
        }
        self.link = Some(end.link());
    }

    /// Why a record is misplaced, and the record number concerned.
    fn misplaced(&self, end: &End<'_>) -> Option<(u64, Why)> {
        let link = self.link.as_ref()?;
        let after = link.seq;
        let next = after.saturating_add(1);
        if end.seq <= after {
            return Some((end.seq, Why::Backwards { after }));
        }
        if end.seq > next {
            return (self.form != Form::Export).then_some((next, Why::Missing { after }));
        }
        (end.prev != link.hash).then_some((end.seq, Why::Replaced { after }))
    }

    fn begin(&mut self, end: &End<'_>, spot: Spot, at: u64) {
        let from_nothing = end.seq == 1 && end.prev == NOTHING;
        if self.form == Form::Spool && !from_nothing {
            self.beginning = Some(Beginning { spot, seq: end.seq, prev: end.prev.to_owned(), at });
        }
    }

    /// Counts a valid line.
    fn good_line(&mut self, seen: &Seen) {
        self.report.lost = self.report.lost.saturating_add(seen.lost);
        self.report.died =
            self.report.died.saturating_add(u64::from(seen.kind == Kind::Unfinished));
        if let Some(broken) = &mut self.report.broken {
            broken.before.get_or_insert(seen.at);
        } else {
            self.good = Some(seen.at);
        }
        if seen.kind == Kind::Checkpoint
            && let Some(checkpoint) = &seen.checkpoint
        {
            self.explain_beginning(checkpoint);
        }
    }

    /// Whether a checkpoint accounts for the records before the first one. It may cover more than is gone:
    /// the prune may have been killed before all segments were deleted.
    fn explain_beginning(&mut self, checkpoint: &Checkpoint) {
        let Some(begin) = &self.beginning else { return };
        let through = Link { seq: checkpoint.through, hash: checkpoint.hash.clone() };
        let before = Link { seq: begin.seq.saturating_sub(1), hash: begin.prev.clone() };
        if through == before || (through.seq > before.seq && self.ends.contains(&through)) {
            self.beginning = None;
            self.report.cleared = Some(checkpoint.clone());
        }
    }

    /// Torn lines are fine if the next record states their length.
    fn account_for_torn(&mut self, end: &End<'_>, seen: Option<&Seen>, is_true: bool) {
        let said = seen.and_then(|seen| seen.gap).map(|gap| gap.torn);
        // The line feed after the last of them was added by the writer that found them.
        let found = self.torn.as_ref().map_or(0, |torn| torn.bytes.saturating_sub(1));
        let Some(said) = said.filter(|_| is_true) else { return self.foreign_lines() };
        let torn = self.torn.take();
        if self.form == Form::Export {
            // Torn bytes are never exported.
            return self.foreign(torn);
        }
        match torn {
            Some(torn) if said == found => {
                self.report.gaps = self.report.gaps.saturating_add(1);
                if self.report.torn.len() < NAMED {
                    self.report.torn.push(TornAt { spot: torn.spot, seq: end.seq, bytes: found });
                }
            }
            _ => {
                let spot = self.spot();
                self.break_at(end.seq, spot, Why::Torn { said, found });
            }
        }
    }

    fn foreign_lines(&mut self) {
        let torn = self.torn.take();
        self.foreign(torn);
    }

    fn foreign(&mut self, torn: Option<TornLines>) {
        if let Some(torn) = torn {
            let seq = self.expected();
            if self.report.broken.is_none() {
                self.broken_after = torn.lines;
            }
            self.break_at(seq, torn.spot, Why::Foreign);
        }
    }

    fn end_of_closed(&mut self) {
        self.foreign_lines();
        if !self.closed {
            let (seq, spot) = (self.expected(), self.spot());
            self.break_at(seq, spot, Why::Open);
        }
    }

    /// The expected number of the next record.
    fn expected(&self) -> u64 {
        self.link.as_ref().map_or(1, |link| link.seq.saturating_add(1))
    }

    fn spot(&self) -> Spot {
        Spot { file: self.file.clone(), line: self.line }
    }

    fn break_at(&mut self, seq: u64, spot: Spot, why: Why) {
        self.report.breaks = self.report.breaks.saturating_add(1);
        if self.report.broken.is_none() {
            if why != Why::Foreign {
                self.broken_after = self.lines;
            }
            let after = self.good;
            self.report.broken = Some(Break { seq, spot, why, after, before: None, later: 0 });
        }
    }
}
