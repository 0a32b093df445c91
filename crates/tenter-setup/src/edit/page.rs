//! Edits bracketed lists in a text of any language with brackets, commas and comments: inserts and removes
//! items without moving anything else.

use std::ops::Range;

use tenter_lint::Edit;

/// A comment, and whether it extends to the end of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comment {
    pub(super) range: Range<usize>,
    pub(super) is_line: bool,
}

/// A text and its comments in order.
#[derive(Debug)]
pub(super) struct Page<'t> {
    pub(super) text: &'t str,
    pub(super) comments: Vec<Comment>,
    /// Offsets of line breaks.
    breaks: Vec<usize>,
}

/// A bracketed list: a JSON object or array, a TOML array or inline table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Offset after the opening bracket.
    pub(super) open: usize,
    /// Offset of the closing bracket.
    pub(super) close: usize,
    pub(super) items: Vec<Range<usize>>,
}

/// Layout of the items of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// One item per line.
    pub(super) multi: bool,
    /// Indentation of an item.
    pub(super) indent: String,
    /// Indentation of the closing bracket.
    pub(super) outer: String,
    /// Indentation of one level.
    pub(super) unit: String,
    pub(super) line_end: &'static str,
    /// Whitespace after a comma within a line.
    pub(super) gap: &'static str,
    /// Whitespace after a key's colon.
    pub(super) colon: &'static str,
    /// Padding inside empty brackets on one line.
    pub(super) padding: &'static str,
}

impl Place {
    /// The separator of two items after their comma.
    fn between(&self, multi: bool) -> String {
        if multi { format!("{}{}", self.line_end, self.indent) } else { self.gap.to_owned() }
    }
}

const BREAKS: &[char] = &['\n', '\r'];

impl<'t> Page<'t> {
    pub(super) fn new(text: &'t str, comments: Vec<Comment>) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { text, comments, breaks: breaks.map(|(at, _)| at).collect() }
    }

    /// The line of an offset, counted from one.
    pub(super) fn line(&self, at: usize) -> usize {
        self.breaks.partition_point(|end| *end < at) + 1
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    /// Start of the whitespace before an offset.
    pub(super) fn blank_before(&self, at: usize) -> usize {
        self.slice(0..at).trim_end().len()
    }

    /// End of the whitespace after an offset.
    fn blank_after(&self, at: usize) -> usize {
        let rest = self.slice(at..self.text.len());
        at + (rest.len() - rest.trim_start().len())
    }

    /// The indentation of the first item on its line; `None` if something precedes it.
    pub(super) fn own_line(&self, at: usize) -> Option<&'t str> {
        let start = self.blank_before(at);
        let blank = self.slice(start..at);
        match blank.rfind(BREAKS) {
            Some(last) => blank.get(last + 1..),
            None if start == 0 => Some(blank),
            None => None,
        }
    }

    pub(super) fn comments_in(&self, range: &Range<usize>) -> &[Comment] {
        let from = self.comments.partition_point(|comment| comment.range.start < range.start);
        let to = self.comments.partition_point(|comment| comment.range.start < range.end);
        self.comments.get(from..to).unwrap_or_default()
    }

    fn comment_at(&self, at: usize) -> Option<&Comment> {
        self.comments_in(&(at..at + 1)).first().filter(|comment| comment.range.start == at)
    }

    fn is_behind_line_comment(&self, at: usize) -> bool {
        let next = self.comments.partition_point(|comment| comment.range.start < at);
        let last = next.checked_sub(1).and_then(|last| self.comments.get(last));
        last.is_some_and(|comment| comment.is_line && comment.range.end == at)
    }

    /// Skips whitespace and comments.
    pub(super) fn skip(&self, from: usize) -> usize {
        let mut at = self.blank_after(from);
        while let Some(comment) = self.comment_at(at) {
            at = self.blank_after(comment.range.end);
        }
        at
    }

    fn comma_after(&self, from: usize) -> Option<usize> {
        let at = self.skip(from);
        self.slice(at..self.text.len()).starts_with(',').then_some(at)
    }

    /// The next non-blank on the same line, if any.
    fn next_on_line(&self, from: usize) -> Option<usize> {
        let at = self.blank_after(from);
        let breaks = self.slice(from..at).contains(BREAKS) || at == self.text.len();
        (!breaks).then_some(at)
    }

    /// The next line break after blanks.
    fn line_end(&self, from: usize) -> usize {
        let rest = self.slice(from..self.text.len());
        let is_blank = |character: char| character.is_whitespace() && !BREAKS.contains(&character);
        from + (rest.len() - rest.trim_start_matches(is_blank).len())
    }

    /// The layout of a frame inside another one.
    pub(super) fn place(&self, frame: &Frame, around: &Place) -> Place {
        let mut multi = around.multi || self.has_break(frame.open..frame.close);
        if !frame.items.is_empty() {
            let ends = frame.items.iter().map(|item| item.end);
            let gaps = std::iter::once(frame.open).chain(ends).zip(&frame.items);
            multi = gaps.into_iter().any(|(end, item)| self.has_break(end..item.start));
        }
        let known = frame.items.iter().rev().find_map(|item| self.own_line(item.start));
        let indent =
            known.map_or_else(|| format!("{}{}", around.indent, around.unit), str::to_owned);
        let unit = indent.strip_prefix(&around.indent).filter(|unit| !unit.is_empty());
        let unit = unit.unwrap_or(&around.unit).to_owned();
        Place { multi, indent, outer: around.indent.clone(), unit, ..*around }
    }

    pub(super) fn has_break(&self, range: Range<usize>) -> bool {
        self.slice(range).contains(BREAKS)
    }

    /// The text that would be left between the brackets without items: nothing, or whitespace that existed
    /// before. `None` if a comment stays.
    pub(super) fn left_over(&self, frame: &Frame) -> Option<&'t str> {
        if !self.comments_in(&(frame.open..frame.close)).is_empty() {
            return None;
        }
        let (Some(first), Some(last)) = (frame.items.first(), frame.items.last()) else {
            return Some(self.slice(frame.open..frame.close));
        };
        let lead = self.slice(frame.open..first.start);
        match lead.rfind('\n') {
            // The last line break and indentation belong to the item.
            Some(at) => {
                let lead = lead.get(..at).unwrap_or_default();
                Some(lead.strip_suffix('\r').unwrap_or(lead))
            }
            None if last.end == frame.close => Some(lead),
            // Blanks at both ends are formatting, not earlier content.
            None => Some(""),
        }
    }

    /// Removes the items `gone` (in order) from a frame and appends the `fresh` ones.
    pub(super) fn change(
        &self,
        frame: &Frame,
        gone: &[usize],
        fresh: &[String],
        place: &Place,
    ) -> Vec<Edit> {
        if gone.is_empty() && fresh.is_empty() {
            return Vec::new();
        }
        let all_gone = gone.len() == frame.items.len();
        let trailing = frame.items.last().and_then(|last| self.comma_after(last.end));
        if all_gone && let Some(left) = self.left_over(frame) {
            let (first, last) = (frame.items.first(), frame.items.last());
            match first.zip(last) {
                None => {}
                Some(_) if fresh.is_empty() => {
                    let range = frame.open + left.len()..frame.close;
                    return vec![Edit { range, text: String::new() }];
                }
                Some((first, last)) => {
                    let end = trailing.map_or(last.end, |comma| comma + 1);
                    let between = place.between(place.multi);
                    let mut text = fresh.join(&format!(",{between}"));
                    text.push_str(if trailing.is_some() { "," } else { "" });
                    return vec![Edit { range: first.start..end, text }];
                }
            }
        }
        let mut edits = self.take_out(frame, gone, place);
        let last_kept =
            (0..frame.items.len()).rev().find(|index| gone.binary_search(index).is_err());
        let kept = last_kept.and_then(|index| frame.items.get(index));
        let comma = kept.and_then(|item| self.comma_after(item.end));
        if fresh.is_empty() {
            let shortened = last_kept.is_some_and(|index| index + 1 < frame.items.len());
            if let (true, None, Some(comma)) = (shortened, trailing, comma) {
                edits.push(Edit { range: comma..comma + 1, text: String::new() });
            }
            return edits;
        }
        if let (Some(kept), None) = (kept, comma) {
            edits.push(Edit { range: kept.end..kept.end, text: ",".to_owned() });
        }
        // A comment left behind by an item must not swallow what follows.
        let last = frame
            .items
            .last()
            .filter(|_| gone.last().map(|last| last + 1) == Some(frame.items.len()));
        let note = last.and_then(|last| self.comments_in(last).last());
        let multi = place.multi || note.is_some_and(|note| note.is_line);
        let place = Place { multi, ..place.clone() };
        let mut new = self.put_in(frame, all_gone, fresh, &place, trailing.is_some());
        let at = new.range.start;
        let around = edits.iter().find(|edit| edit.range.start < at && at < edit.range.end);
        if let Some(around) = around {
            new.range = around.range.end..around.range.end;
        }
        edits.push(new);
        edits
    }

    /// The single edit that appends items to a frame, apart from the comma before them.
    fn put_in(
        &self,
        frame: &Frame,
        is_first: bool,
        fresh: &[String],
        place: &Place,
        trailing: bool,
    ) -> Edit {
        let last = self.blank_before(frame.close).max(frame.open);
        let bare = last == frame.open;
        // Blanks between the brackets stay before the new items.
        let at = if bare { frame.close } else { last };
        let multi = place.multi || self.is_behind_line_comment(at);
        let between = if multi {
            format!("{}{}", place.line_end, place.indent)
        } else {
            place.gap.to_owned()
        };
        let lead = match frame.items.first() {
            _ if multi => between.as_str(),
            Some(first) if is_first => self.slice(self.blank_before(first.start)..first.start),
            None if at > frame.open && bare => "",
            None if bare => place.padding,
            None => " ",
            Some(_) => between.as_str(),
        };
        let mut text = lead.to_owned();
        text.push_str(&fresh.join(&format!(",{between}")));
        if trailing {
            text.push(',');
        }
        if bare && multi {
            text.push_str(place.line_end);
            text.push_str(&place.outer);
        } else if bare && at == frame.open {
            text.push_str(place.padding);
        }
        Edit { range: at..at, text }
    }

    fn take_out(&self, frame: &Frame, gone: &[usize], place: &Place) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut rest = gone;
        while let Some(first) = rest.first() {
            // Adjacent items are removed together: what follows the last decides about blanks.
            let count = rest.iter().zip(*first..).take_while(|(index, at)| *index == at).count();
            let (run, others) = rest.split_at(count);
            rest = others;
            let last = run.last().and_then(|index| frame.items.get(*index));
            let end = last.map_or(frame.close, |last| last.end);
            let end = self.comma_after(end).map_or(end, |comma| comma + 1);
            // The first item passes its position on to the next one.
            let hands_on = *first == 0 && count < frame.items.len();
            let next = if hands_on { Some(end) } else { self.next_on_line(end) };
            let mut is_noted = false;
            for item in run.iter().filter_map(|index| frame.items.get(*index)) {
                let before = self.blank_before(item.start);
                is_noted |= self.is_behind_line_comment(before);
                let is_last = last == Some(item);
                edits.extend(self.take_one(frame, item, next, is_noted && is_last, place));
            }
        }
        edits
    }

    /// Removes one item and its comma. `next` is what follows on the line; `is_noted` if it is the last of
    /// its neighbours and the rest of the line before may end in a comment.
    fn take_one(
        &self,
        frame: &Frame,
        item: &Range<usize>,
        next: Option<usize>,
        is_noted: bool,
        place: &Place,
    ) -> Vec<Edit> {
        let nothing = |range| Edit { range, text: String::new() };
        let comma = self.comma_after(item.end);
        let inner = self.comments_in(item);
        let direct = comma.filter(|comma| self.blank_after(item.end) == *comma && inner.is_empty());
        let mut edits = Vec::new();
        if direct.is_none() {
            edits.extend(comma.map(|comma| nothing(comma..comma + 1)));
        }
        let end = direct.map_or(item.end, |comma| comma + 1);
        if !inner.is_empty() {
            edits.push(Edit { range: item.clone(), text: self.kept_comments(item, place) });
            return edits;
        }
        let behind = self.next_on_line(end);
        let before = self.blank_before(item.start).max(frame.open);
        let is_comment = |at: &usize| self.comment_at(*at).is_some();
        edits.push(nothing(match (behind.filter(is_comment), next) {
            // The comment after the item takes its place.
            (Some(comment), _) => item.start..comment,
            (None, Some(at)) if at != frame.close => item.start..self.blank_after(end),
            // The line break after a comment must stay, and blanks must not become part of it.
            (None, Some(_)) if self.is_behind_line_comment(before) => item.start..end,
            (None, None) if is_noted => before..self.line_end(end),
            (None, _) => before..end,
        }));
        edits
    }

    /// The comments inside a removed text, to be kept.
    pub(super) fn kept_comments(&self, range: &Range<usize>, place: &Place) -> String {
        let comments = self.comments_in(range);
        let mut text = String::new();
        for (index, comment) in comments.iter().enumerate() {
            text.push_str(self.slice(comment.range.clone()));
            let is_last = index + 1 == comments.len();
            let ends_line = self.slice(range.end..self.text.len()).starts_with(BREAKS);
            if comment.is_line && !(is_last && ends_line) {
                text.push_str(place.line_end);
                text.push_str(&place.indent);
            } else if !is_last {
                text.push(' ');
            }
        }
        text
    }
}
