//! Findings, and the collector that rules report them to.

use std::ops::Range;
use std::path::PathBuf;

use tenter_engine::diagnostic::{Severity, excerpt};
use tenter_engine::document::Position;
use tenter_model::HostId;
use tenter_model::text;

use crate::edit::Edit;
use crate::model::FileModel;
use crate::places::{Places, window};
use crate::rule::Rule;

/// One mistake with its position.
#[derive(Clone, Debug)]
pub struct Finding {
    pub rule: &'static Rule,
    pub severity: Severity,
    pub host: HostId,
    pub file: PathBuf,
    pub start: Position,
    /// Position after the last character.
    pub end: Position,
    /// The line with a caret; empty when the file has no such line.
    pub excerpt: String,
    pub message: String,
    /// Its cost on this host, in one line.
    pub cost: String,
    /// How to fix it, in one line.
    pub fix: String,
    /// Whether the host ignores the whole file because of it.
    pub drops_file: bool,
    pub repair: Option<Repair>,
}

/// The automatic fix of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Text edits that together form one fix.
    Edits(Vec<Edit>),
    /// Sets a script's executable bit.
    MakeExecutable(PathBuf),
}

fn one_line(text: &str) -> String {
    text::one_line(text, 400)
}

/// A finding whose position is still a byte range.
#[derive(Debug)]
pub(crate) struct FindingDraft {
    rule: &'static Rule,
    severity: Severity,
    at: Range<usize>,
    message: String,
    cost: String,
    fix: String,
    drops_file: bool,
    repair: Option<Repair>,
}

impl FindingDraft {
    /// Marks the finding as one after which the host still reads the rest of the file.
    pub(crate) fn keeps_file(&mut self) -> &mut Self {
        self.drops_file = false;
        self
    }

    pub(crate) fn cost(&mut self, cost: impl Into<String>) -> &mut Self {
        self.cost = cost.into();
        self
    }

    pub(crate) fn fix(&mut self, fix: impl Into<String>) -> &mut Self {
        self.fix = fix.into();
        self
    }

    pub(crate) fn severity(&mut self, severity: Severity) -> &mut Self {
        self.severity = severity;
        self
    }

    pub(crate) fn repair(&mut self, repair: Option<Repair>) -> &mut Self {
        self.repair = repair;
        self
    }

    pub(crate) fn edits(&mut self, edits: Vec<Edit>) -> &mut Self {
        self.repair(Some(Repair::Edits(edits)))
    }
}

/// The findings of one file.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    model: &'a FileModel<'a>,
    drafts: Vec<FindingDraft>,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(model: &'a FileModel<'a>) -> Self {
        Self { model, drafts: Vec::new() }
    }

    /// Reports a mistake; cost and severity default to the rule's.
    pub(crate) fn add(
        &mut self,
        rule: &'static Rule,
        at: Range<usize>,
        message: impl Into<String>,
    ) -> &mut FindingDraft {
        let drops_file = self.drops_file(rule, at.start);
        let is_note = self.model.lint().notes.contains(&rule.id);
        let draft = FindingDraft {
            rule,
            severity: if is_note { Severity::Note } else { rule.severity },
            at,
            message: message.into(),
            cost: rule.cost_on(self.model.host()).to_owned(),
            fix: String::new(),
            drops_file,
            repair: None,
        };
        let index = self.drafts.len();
        self.drafts.push(draft);
        #[expect(clippy::indexing_slicing, reason = "it was pushed the line before")]
        &mut self.drafts[index]
    }

    /// Whether the host ignores the whole file after such a mistake at this position.
    fn drops_file(&self, rule: &Rule, at: usize) -> bool {
        let mut events = self.model.events.iter();
        let event = events.find(|event| crate::model::at(event.property).contains(&at));
        (self.model.lint().drops_file)(rule.id, event.map(|event| event.name))
    }

    /// Converts byte ranges to lines and columns, in the order of the text.
    pub(crate) fn finish(mut self) -> Vec<Finding> {
        self.drafts.sort_by_key(|draft| draft.at.start);
        let text = self.model.source.text();
        let places =
            Places::new(text, self.drafts.iter().flat_map(|draft| [draft.at.start, draft.at.end]));
        let is_toml = self.model.is_toml();
        let finish = |draft: FindingDraft| {
            let (json, toml) = self.model.lint().dropped;
            let dropped = if is_toml { toml } else { json };
            let is_lost = draft.drops_file && !dropped.is_empty();
            let cost = if is_lost { dropped } else { draft.cost.as_str() };
            // The edits are JSON and do not apply to TOML.
            let edits = matches!(draft.repair, Some(Repair::Edits(_)));
            let repair = draft.repair.filter(|_| !(is_toml && edits));
            let start = places.position(draft.at.start);
            let excerpt = if text.is_empty() {
                String::new()
            } else {
                let (line, column) = window(text, draft.at.start);
                excerpt(line, Position { line: start.line, column })
            };
            Finding {
                rule: draft.rule,
                // A mistake that disables all other hooks is always an error.
                severity: if draft.drops_file { Severity::Error } else { draft.severity },
                host: self.model.host(),
                file: self.model.file.path.clone(),
                start,
                end: places.position(draft.at.end.max(draft.at.start)),
                excerpt,
                message: one_line(&draft.message),
                cost: one_line(cost),
                fix: one_line(&draft.fix),
                drops_file: draft.drops_file,
                repair,
            }
        };
        self.drafts.into_iter().map(finish).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{cursor, findings};
    use tenter_model::HostId;

    #[test]
    fn the_words_of_a_file_stay_on_one_line() {
        let event = format!("a\\u001b[31m\\n{}", "b".repeat(10_000));
        let found = &findings(HostId::Cursor, &cursor(&event, "{}"))[0];
        assert!(!found.message.contains(char::is_control), "{}", found.message);
        assert!(found.message.chars().count() < 500);
    }
}
