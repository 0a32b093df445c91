//! The text of an `apply_patch` call: which files it adds, edits, moves and deletes.
//!
//! The parser never fails and errs on the side of naming a file: what a guard needs to know is what
//! may be touched, and Codex itself forgives padding around the markers.

use std::borrow::Cow;

use tenter_model::{Action, Edit, Text};

/// The tool's name.
pub const TOOL: &str = "apply_patch";
/// The line that opens a patch.
pub const BEGIN: &str = "*** Begin Patch";

const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const UPDATE: &str = "*** Update File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// Reads a patch, also one wrapped in a shell heredoc.
pub fn parse(text: &str) -> Vec<Action<'static>> {
    let body = text.split_once(BEGIN).map_or(text, |(_, body)| body);
    let mut parser = Parser::default();
    for line in body.lines() {
        if marker(line).is_some_and(|marker| marker.starts_with(END)) {
            break;
        }
        parser.line(line);
    }
    parser.finish();
    parser.actions
}

/// The line without padding, if it is a marker. Added and removed lines never are.
fn marker(line: &str) -> Option<&str> {
    if line.starts_with(['+', '-']) {
        return None;
    }
    Some(line.trim()).filter(|line| line.starts_with("***"))
}

#[derive(Default)]
struct Parser {
    actions: Vec<Action<'static>>,
    current: Current,
}

#[derive(Default)]
enum Current {
    #[default]
    None,
    Add {
        path: String,
        content: String,
    },
    Update {
        path: String,
        moved_to: Option<String>,
        hunks: Vec<Hunk>,
    },
}

#[derive(Default)]
struct Hunk {
    old: String,
    new: String,
}

impl Parser {
    fn line(&mut self, line: &str) {
        if let Some(marker) = marker(line) {
            return self.marker(marker);
        }
        match &mut self.current {
            Current::None => {}
            Current::Add { content, .. } => {
                if let Some(added) = line.strip_prefix('+') {
                    push_line(content, added);
                }
            }
            Current::Update { hunks, .. } => hunk_line(hunks, line),
        }
    }

    fn marker(&mut self, marker: &str) {
        if let Some(path) = marker.strip_prefix(ADD) {
            self.start(Current::Add { path: path.trim().to_owned(), content: String::new() });
        } else if let Some(path) = marker.strip_prefix(UPDATE) {
            let path = path.trim().to_owned();
            self.start(Current::Update { path, moved_to: None, hunks: Vec::new() });
        } else if let Some(path) = marker.strip_prefix(DELETE) {
            self.start(Current::None);
            self.actions.push(Action::Delete { path: Cow::Owned(path.trim().to_owned()) });
        } else if let Some(path) = marker.strip_prefix(MOVE) {
            if let Current::Update { moved_to, .. } = &mut self.current {
                *moved_to = Some(path.trim().to_owned());
            }
        } else if marker.starts_with(END_OF_FILE) {
            // Says where a hunk applies; changes nothing about what it does.
        }
    }

    fn start(&mut self, next: Current) {
        self.finish();
        self.current = next;
    }

    fn finish(&mut self) {
        match std::mem::take(&mut self.current) {
            Current::None => {}
            Current::Add { path, content } => {
                self.actions
                    .push(Action::Write { path: Cow::Owned(path), content: content.into() });
            }
            Current::Update { path, moved_to, hunks } => {
                let edits = hunks.into_iter().map(|hunk| Edit {
                    old: Text::from(hunk.old),
                    new: Text::from(hunk.new),
                    replace_all: false,
                });
                self.actions.push(Action::Edit {
                    path: Cow::Owned(path),
                    edits: edits.collect(),
                    moved_to: moved_to.map(Cow::Owned),
                });
            }
        }
    }
}

fn hunk_line(hunks: &mut Vec<Hunk>, line: &str) {
    if line.starts_with("@@") {
        hunks.push(Hunk::default());
        return;
    }
    if hunks.is_empty() {
        hunks.push(Hunk::default());
    }
    let Some(hunk) = hunks.last_mut() else { return };
    if let Some(added) = line.strip_prefix('+') {
        push_line(&mut hunk.new, added);
    } else if let Some(removed) = line.strip_prefix('-') {
        push_line(&mut hunk.old, removed);
    } else {
        let context = line.strip_prefix(' ').unwrap_or(line);
        push_line(&mut hunk.old, context);
        push_line(&mut hunk.new, context);
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_adds_edits_moves_and_deletes() {
        let text = "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** Update File: src/b.rs\n\
            *** Move to: src/c.rs\n@@ fn main\n ctx\n-old\n+new\n@@\n-x\n*** End of File\n\
            *** Delete File: d.txt\n*** End Patch\n*** Delete File: not-in-the-patch\n";
        let actions = parse(text);
        assert_eq!(
            actions,
            [
                Action::Write { path: "a.txt".into(), content: "one\ntwo\n".into() },
                Action::Edit {
                    path: "src/b.rs".into(),
                    edits: vec![
                        Edit {
                            old: "ctx\nold\n".into(),
                            new: "ctx\nnew\n".into(),
                            replace_all: false
                        },
                        Edit { old: "x\n".into(), new: "".into(), replace_all: false },
                    ],
                    moved_to: Some("src/c.rs".into()),
                },
                Action::Delete { path: "d.txt".into() },
            ]
        );
    }

    #[test]
    fn forgives_what_codex_forgives() {
        let text = "apply_patch <<'EOF'\r\n*** Begin Patch\r\n  *** Delete File:  x y.txt \r\n*** End Patch\r\nEOF";
        assert_eq!(parse(text), [Action::Delete { path: "x y.txt".into() }]);
    }

    #[test]
    fn a_marker_inside_added_text_is_text() {
        let text = "*** Begin Patch\n*** Add File: a\n+*** Delete File: b\n*** End Patch";
        assert_eq!(
            parse(text),
            [Action::Write { path: "a".into(), content: "*** Delete File: b\n".into() }]
        );
    }

    #[test]
    fn a_patch_cut_short_still_names_its_files() {
        assert_eq!(
            parse("*** Begin Patch\n*** Update File: a\n@@\n-x"),
            [Action::Edit {
                path: "a".into(),
                edits: vec![Edit { old: "x\n".into(), new: "".into(), replace_all: false }],
                moved_to: None
            }]
        );
    }
}
