//! Redaction of secrets in records and messages.
//!
//! Stricter than the guard, which must be precise: values are removed for their name alone
//! ([`super::given`]), and a text is also examined as the receiving program decodes it ([`super::views`],
//! [`super::runs`]).

use std::borrow::Cow;

use super::views::{self, Marks, View};
use super::{Known, Leak, find, folded, groups, handed, runs};

/// Maximum nesting of encodings: base64 in a URL in base64.
const DEEPEST: usize = 3;

/// Replaces every secret by the id of its rule in brackets.
pub fn redact<'t>(text: &'t str, known: &Known<'_>) -> Cow<'t, str> {
    let leaks = hidden(text, known);
    if leaks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for leak in &leaks {
        clean.push_str(text.get(at..leak.start).unwrap_or_default());
        clean.push('[');
        clean.push_str(leak.rule);
        clean.push(']');
        at = leak.end;
    }
    clean.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(clean)
}

/// The ranges to redact, in order and without overlap.
pub(super) fn hidden(text: &str, known: &Known<'_>) -> Vec<Leak> {
    let mut leaks = Vec::new();
    gather(text, known, true, DEEPEST, &mut leaks);
    merged(text, leaks)
}

fn gather(text: &str, known: &Known<'_>, strict: bool, depth: usize, leaks: &mut Vec<Leak>) {
    leaks.extend(find(text, known, usize::MAX, strict));
    let Some(depth) = depth.checked_sub(1) else { return };
    let marks = Marks::of(text);
    if marks.may_join()
        && let Some(view) = views::joined(text, true)
    {
        split(&view, known, depth, leaks);
        if view.has_numbers
            && let Some(view) = views::joined(text, false)
        {
            split(&view, known, depth, leaks);
        }
    }
    let unescaped = marks.may_unescape().then(|| views::unescaped(text)).flatten();
    let folded = marks.may_fold().then(|| folded::folded(text)).flatten();
    for view in unescaped.into_iter().chain(folded) {
        let mut inside = Vec::new();
        gather(&view.text, known, true, depth, &mut inside);
        leaks.extend(inside.into_iter().filter_map(|leak| {
            let (start, end) = view.source(leak.start, leak.end)?;
            Some(Leak { start, end, ..leak })
        }));
    }
    if strict && marks.may_read_here() {
        handed::here(text, leaks);
    }
    if strict && marks.may_pipe() {
        handed::piped(text, leaks);
    }
    let mut decoded = |decoded: &str, start: usize, end: usize| {
        let mut inside = Vec::new();
        gather(decoded, known, true, depth, &mut inside);
        leaks.extend(inside.into_iter().next().map(|leak| Leak { start, end, ..leak }));
    };
    runs::each(text, &mut decoded);
    if marks.may_number() {
        groups::each(text, &mut decoded);
    }
}

/// Secrets that are split in the original text; whole ones were found already.
fn split(view: &View, known: &Known<'_>, depth: usize, leaks: &mut Vec<Leak>) {
    let mut inside = Vec::new();
    // Without quotes, names and values no longer have their structure.
    gather(&view.text, known, false, depth, &mut inside);
    leaks.extend(inside.into_iter().filter_map(|leak| {
        let (start, end) = view.source(leak.start, leak.end)?;
        let was_split = end.saturating_sub(start) > leak.end.saturating_sub(leak.start);
        was_split.then_some(Leak { start, end, ..leak })
    }));
}

/// Sorts the ranges and merges overlapping ones.
fn merged(text: &str, mut leaks: Vec<Leak>) -> Vec<Leak> {
    if leaks.is_empty() {
        return leaks;
    }
    leaks.sort_by_key(|leak| (leak.start, std::cmp::Reverse(leak.end)));
    let mut all: Vec<Leak> = Vec::with_capacity(leaks.len());
    for leak in leaks {
        match all.last_mut() {
            Some(last) if leak.start < last.end => last.end = last.end.max(leak.end),
            _ => all.push(leak),
        }
    }
    for leak in &mut all {
        leak.start = text.floor_char_boundary(leak.start);
        leak.end = text.ceil_char_boundary(leak.end);
    }
    all
}
