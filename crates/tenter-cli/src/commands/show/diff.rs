//! Short diffs of edits.

use serde::Serialize;
use similar::{ChangeTag, TextDiff};
use tenter_audit::record::{Change, Deed, Kept};

/// Change of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct FileDiff {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    pub(super) added: u64,
    pub(super) removed: u64,
    /// Lines starting with `+`, `-` or a space.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) lines: Vec<String>,
    /// Number of lines not shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) more: u64,
    /// The record lacks part of the texts, so the numbers may be too low.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) incomplete: bool,
    #[serde(skip_serializing_if = "is_false")]
    pub(super) deleted: bool,
    /// Length of the new content, where nothing else is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<u64>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

impl FileDiff {
    /// Whether there is anything to show.
    pub(super) fn is_known(&self) -> bool {
        self.added > 0 || self.removed > 0
    }
}

/// The diff lines of one replacement, and the number not shown. `None` if the record lacks one of the sides.
pub(in crate::commands) fn of_change(
    change: &Change<'_>,
    most: usize,
) -> Option<(Vec<String>, u64)> {
    let mut diff = FileDiff::default();
    replace(&mut diff, change, most);
    (diff.is_known() && !diff.incomplete).then_some((diff.lines, diff.more))
}

/// The diffs of a call's actions, with at most `most` lines each.
pub(super) fn of(actions: &[Deed<'_>], most: usize) -> Vec<FileDiff> {
    actions.iter().filter_map(|deed| of_deed(deed, most)).collect()
}

fn of_deed(deed: &Deed<'_>, most: usize) -> Option<FileDiff> {
    let mut diff = FileDiff::default();
    match deed {
        Deed::Edit { path, edits, more, .. } => {
            diff.path = path.as_deref().map(str::to_owned);
            diff.incomplete = *more > 0;
            for change in edits {
                replace(&mut diff, change, most);
            }
        }
        Deed::Write { path, content } => {
            diff.path = path.as_deref().map(str::to_owned);
            diff.bytes = Some(content.bytes());
            diff.incomplete = !content.is_whole();
            for line in content.text().unwrap_or_default().lines() {
                diff.added = diff.added.saturating_add(1);
                keep(&mut diff, '+', line, most);
            }
        }
        Deed::Delete { path } => {
            diff.path = path.as_deref().map(str::to_owned);
            diff.deleted = true;
        }
        _ => return None,
    }
    Some(diff)
}

fn replace(diff: &mut FileDiff, change: &Change<'_>, most: usize) {
    diff.incomplete |= !change.old.is_whole() || !change.new.is_whole();
    let (Some(old), Some(new)) = (side(&change.old), side(&change.new)) else { return };
    let lines = TextDiff::from_lines(old, new);
    let changes: Vec<_> = lines.iter_all_changes().collect();
    for (index, change) in changes.iter().enumerate() {
        let text = change.value().trim_end_matches(['\n', '\r']);
        match change.tag() {
            ChangeTag::Delete => {
                diff.removed = diff.removed.saturating_add(1);
                keep(diff, '-', text, most);
            }
            ChangeTag::Insert => {
                diff.added = diff.added.saturating_add(1);
                keep(diff, '+', text, most);
            }
            // One line of context on each side is enough.
            ChangeTag::Equal => {
                let changed = |index: Option<usize>| {
                    let other = index.and_then(|index| changes.get(index));
                    other.is_some_and(|change| change.tag() != ChangeTag::Equal)
                };
                if changed(index.checked_sub(1)) || changed(index.checked_add(1)) {
                    keep(diff, ' ', text, most);
                }
            }
        }
    }
}

/// A truncated text is compared as far as it goes; a missing one is not.
fn side<'k>(text: &'k Kept<'_>) -> Option<&'k str> {
    text.text()
}

fn keep(diff: &mut FileDiff, mark: char, text: &str, most: usize) {
    if diff.lines.len() < most {
        diff.lines.push(format!("{mark} {text}"));
    } else {
        diff.more = diff.more.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn edit(old: Kept<'static>, new: Kept<'static>) -> Deed<'static> {
        let edits = vec![Change { old, new, all: false }];
        Deed::Edit { path: Some(Cow::Borrowed("a.rs")), edits, more: 0, moved_to: None }
    }

    fn whole(text: &'static str) -> Kept<'static> {
        Kept::Whole(Cow::Borrowed(text))
    }

    #[test]
    fn changed_lines_are_shown_with_one_line_around_them() {
        let deed = edit(whole("a\nb\nc\nd\ne\n"), whole("a\nb\nC\nd\ne\n"));
        let diffs = of(&[deed], 12);
        assert_eq!(diffs[0].lines, ["  b", "- c", "+ C", "  d"]);
        assert_eq!((diffs[0].added, diffs[0].removed, diffs[0].more), (1, 1, 0));
        assert!(!diffs[0].incomplete);
    }

    #[test]
    fn what_is_too_long_is_counted_all_the_same() {
        let deed = edit(whole(""), whole("1\n2\n3\n4\n"));
        let diffs = of(&[deed], 2);
        assert_eq!(diffs[0].lines, ["+ 1", "+ 2"]);
        assert_eq!((diffs[0].added, diffs[0].more), (4, 2));
    }

    #[test]
    fn texts_that_were_not_kept_are_said_to_be_missing() {
        let gone = || Kept::Part { text: None, bytes: 700 };
        let diffs = of(&[edit(gone(), gone())], 12);
        assert!(diffs[0].incomplete && !diffs[0].is_known(), "{diffs:?}");
        let path = Some(Cow::Borrowed("b"));
        let diffs = of(&[Deed::Write { path, content: gone() }], 12);
        assert_eq!((diffs[0].bytes, diffs[0].added), (Some(700), 0));
    }
}
