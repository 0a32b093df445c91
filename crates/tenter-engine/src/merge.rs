//! Merges the answers of several hooks to one event.

use std::collections::BTreeMap;

use tenter_model::Decision;
use tenter_model::text::first_chars;

use crate::AnswerField;
use crate::layer::LayerKind;
use crate::settings::{Generation, Precedence, Settings};
use crate::{Answer, Given};

/// The merged answer, and which hooks each field came from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merged {
    pub(crate) answer: Answer,
    /// Indices into the list of hooks.
    pub(crate) provenance: BTreeMap<AnswerField, Vec<usize>>,
    pub(crate) warnings: Vec<String>,
}

/// Merges answers, highest layer first, each with its index.
pub(crate) fn merge(answers: &[(usize, LayerKind, &Answer)], settings: &Settings) -> Merged {
    let mut merge = Merge { answers, settings, merged: Merged::default() };
    let winners = merge.decision();
    for field in AnswerField::ALL {
        match field {
            AnswerField::Permission | AnswerField::Continue => {}
            AnswerField::UserMessage | AnswerField::AgentMessage => {
                merge.join(field, "\n", |at| winners.contains(&at));
            }
            AnswerField::AdditionalContext => merge.join(field, "\n\n", |_| true),
            AnswerField::Env => merge.variables(),
            AnswerField::PluginPaths => merge.paths(),
            AnswerField::UpdatedInput
            | AnswerField::UpdatedMcpToolOutput
            | AnswerField::FollowupMessage => merge.one(field),
        }
    }
    merge.drop_unused_input();
    merge.merged
}

struct Merge<'m> {
    answers: &'m [(usize, LayerKind, &'m Answer)],
    settings: &'m Settings,
    merged: Merged,
}

impl Merge<'_> {
    /// Merges `permission` and `continue`; returns the hooks on the winning side.
    fn decision(&mut self) -> Vec<usize> {
        let decided: Vec<(usize, LayerKind, Decision, &Answer)> = self
            .answers
            .iter()
            .filter_map(|(at, layer, answer)| Some((*at, *layer, answer.decision()?, *answer)))
            .collect();
        let highest = decided.first().map(|(_, layer, ..)| *layer);
        // In older generations the highest layer that decides wins.
        let any_layer = self.settings.generation >= Generation::G3;
        let counting = decided.iter().filter(|(_, layer, ..)| any_layer || Some(*layer) == highest);
        let Some((_, _, winning, winner)) = counting.max_by_key(|(_, _, decision, _)| *decision)
        else {
            // No hook decided: every message counts.
            return self.answers.iter().map(|(at, ..)| *at).collect();
        };
        let same_side = decided.iter().filter(|(_, _, decision, _)| decision == winning);
        let winners: Vec<usize> = same_side.map(|(at, ..)| *at).collect();
        for field in [AnswerField::Permission, AnswerField::Continue] {
            if let Some(value) = winner.get(field) {
                self.set(field, value.clone(), winners.clone());
            }
        }
        winners
    }

    fn set(&mut self, field: AnswerField, value: Given, from: Vec<usize>) {
        self.merged.answer.set(field, value);
        self.merged.provenance.insert(field, from);
    }

    /// Concatenates the texts of all hooks.
    fn join(&mut self, field: AnswerField, separator: &str, counts: impl Fn(usize) -> bool) {
        let texts: Vec<(usize, &str)> = self
            .answers
            .iter()
            .filter(|(at, ..)| counts(*at))
            .filter_map(|(at, _, answer)| Some((*at, answer.text(field)?)))
            .filter(|(_, text)| !text.is_empty())
            .collect();
        if texts.is_empty() {
            return;
        }
        let from = texts.iter().map(|(at, _)| *at).collect();
        let joined = texts.iter().map(|(_, text)| *text).collect::<Vec<_>>().join(separator);
        self.set(field, Given::Text(joined), from);
    }

    /// Takes one value: the last, or the one of the higher layer.
    fn one(&mut self, field: AnswerField) {
        let given: Vec<(usize, &Given)> = self
            .answers
            .iter()
            .filter_map(|(at, _, answer)| Some((*at, answer.get(field)?)))
            .filter(|(_, given)| !matches!(given, Given::Text(text) if text.is_empty()))
            .collect();
        let chosen = match self.settings.precedence() {
            Precedence::Last => given.last(),
            Precedence::Higher => given.first(),
        };
        let Some((at, value)) = chosen else { return };
        if given.len() > 1 {
            let text = format!("{} hooks gave `{}`: one counts", given.len(), field.key());
            self.merged.warnings.push(text);
        }
        self.set(field, (*value).clone(), vec![*at]);
    }

    /// Merges key by key; the higher layer wins, so that a lower one cannot override it.
    fn variables(&mut self) {
        let mut merged: BTreeMap<String, String> = BTreeMap::new();
        let mut from = Vec::new();
        for (at, _, answer) in self.answers {
            let Some(Given::Variables(variables)) = answer.get(AnswerField::Env) else { continue };
            from.push(*at);
            for (name, value) in variables {
                if let Some(fault) = unfit(name, value, &merged) {
                    self.merged.warnings.push(fault);
                } else {
                    merged.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
        }
        if !from.is_empty() {
            self.set(AnswerField::Env, Given::Variables(merged), from);
        }
    }

    fn paths(&mut self) {
        let mut merged: Vec<String> = Vec::new();
        let mut from = Vec::new();
        for (at, _, answer) in self.answers {
            let Some(Given::Paths(paths)) = answer.get(AnswerField::PluginPaths) else { continue };
            from.push(*at);
            for path in paths {
                if !merged.contains(path) {
                    merged.push(path.clone());
                }
            }
        }
        if !from.is_empty() {
            self.set(AnswerField::PluginPaths, Given::Paths(merged), from);
        }
    }

    /// Cursor drops a changed input when it asks the user.
    fn drop_unused_input(&mut self) {
        let asks = self.merged.answer.permission() == Some("ask");
        if asks && self.merged.answer.remove(AnswerField::UpdatedInput).is_some() {
            self.merged.provenance.remove(&AnswerField::UpdatedInput);
            let text = "`updated_input` is dropped when the permission is ask";
            self.merged.warnings.push(text.to_owned());
        }
    }
}

/// Maximum length of one variable and of all together: beyond that, no further process could be started.
const MOST_OF_ONE: usize = 64 * 1024;
const MOST_OF_ALL: usize = 256 * 1024;

/// Reason why a variable cannot be passed to later hooks, if so.
fn unfit(name: &str, value: &str, taken: &BTreeMap<String, String>) -> Option<String> {
    let shown = first_chars(name, 40);
    if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
        return Some(format!(
            "variable `{shown}` is not set: it has a name or value no system takes"
        ));
    }
    let size = |name: &str, value: &str| name.len() + value.len();
    let all: usize = taken.iter().map(|(name, value)| size(name, value)).sum();
    let own = size(name, value);
    (own > MOST_OF_ONE || all + own > MOST_OF_ALL).then(|| {
        format!("variable `{shown}` is not set: it is too long, and no later hook could start")
    })
}
