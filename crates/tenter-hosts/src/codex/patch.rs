//! Parser for the text of an `apply_patch` call: the files it adds, edits, moves and deletes.
//!
//! The parser never fails and rather names a file too many: a guard needs to know which files may be touched,
//! and Codex itself tolerates padding around the markers.

use std::borrow::Cow;

use tenter_model::{Action, Edit, Text};

/// Name of the tool.
pub const TOOL: &str = "apply_patch";
/// First line of a patch.
pub const BEGIN: &str = "*** Begin Patch";

/// Command names under which Codex extracts a patch from a shell command.
const COMMANDS: &[&str] = &[TOOL, "applypatch"];
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const UPDATE: &str = "*** Update File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";

/// Parses every patch in `text`, also those wrapped in shell heredocs.
pub fn parse(text: &str) -> Vec<Action<'static>> {
    // Without an opening line the whole text is parsed as a patch.
    let mut parser = Parser { inside: !text.contains(BEGIN), ..Parser::default() };
    for line in text.lines() {
        parser.line(line);
    }
    parser.finish();
    parser.actions
}

/// The file actions of patches inside a shell command. Codex executes such a command as the patch itself.
///
/// Paths are made relative to the target of a single leading `cd`; after any other folder change they stay as
/// written.
pub fn parse_command(command: &str) -> Vec<Action<'static>> {
    if !command.contains(BEGIN) || !COMMANDS.iter().any(|name| command.contains(name)) {
        return Vec::new();
    }
    let mut actions = parse(command);
    if actions.is_empty() {
        // On one line, in the shell's `$'...'` quotes.
        actions = parse(&command.replace("\\n", "\n"));
    }
    if let Some(directory) = leading_cd(command) {
        for action in &mut actions {
            move_into(directory, action);
        }
    }
    actions
}

/// The folder in `cd WORD && apply_patch ...`; no other form is recognised.
fn leading_cd(command: &str) -> Option<&str> {
    let rest = command.trim_start().strip_prefix("cd ")?.trim_start();
    let (word, rest) = match rest.strip_prefix(['\'', '"']) {
        Some(quoted) => quoted.split_once(rest.chars().next()?)?,
        None => rest.split_once(' ')?,
    };
    let next = rest.trim_start().strip_prefix("&&")?.trim_start();
    let plain = |c: char| c.is_alphanumeric() || " ._-/+@".contains(c);
    let is_word = !word.is_empty() && !word.starts_with('-') && word.chars().all(plain);
    (is_word && COMMANDS.iter().any(|name| next.starts_with(name))).then_some(word)
}

fn move_into(directory: &str, action: &mut Action<'static>) {
    let join = |path: &mut Cow<'static, str>| {
        if !path.starts_with('/') {
            *path = Cow::Owned(format!("{}/{path}", directory.trim_end_matches('/')));
        }
    };
    match action {
        Action::Write { path, .. } | Action::Delete { path } => join(path),
        Action::Edit { path, moved_to, .. } => {
            join(path);
            if let Some(to) = moved_to {
                join(to);
            }
        }
        _ => {}
    }
}

#[derive(Default)]
struct Parser {
    actions: Vec<Action<'static>>,
    current: Current,
    /// Between the opening and the closing line.
    inside: bool,
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
        if !self.inside {
            // Also after an opening quote, when the patch is an argument.
            self.inside = line.contains(BEGIN);
            return;
        }
        if let Some(marker) = self.marker_in(line) {
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

    /// The marker of a line, without padding. Inside an update every line that starts with a space is
    /// context; elsewhere Codex tolerates padding.
    fn marker_in<'l>(&self, line: &'l str) -> Option<&'l str> {
        let line = match self.current {
            Current::Update { .. } => line.trim_end(),
            _ => line.trim(),
        };
        Some(line).filter(|line| line.starts_with("***"))
    }

    fn marker(&mut self, marker: &str) {
        if let Some(path) = path_after(marker, ADD) {
            self.start(Current::Add { path, content: String::new() });
        } else if let Some(path) = path_after(marker, UPDATE) {
            self.start(Current::Update { path, moved_to: None, hunks: Vec::new() });
        } else if let Some(path) = path_after(marker, DELETE) {
            self.start(Current::None);
            self.actions.push(Action::Delete { path: Cow::Owned(path) });
        } else if marker == END {
            self.start(Current::None);
            self.inside = false;
        } else if let (Some(path), Current::Update { moved_to: to @ None, hunks, .. }) =
            (path_after(marker, MOVE), &mut self.current)
            && hunks.is_empty()
        {
            *to = Some(path);
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

/// The path after a marker and one space; a second space belongs to the path.
fn path_after(line: &str, marker: &str) -> Option<String> {
    let path = line.strip_prefix(marker)?;
    Some(path.strip_prefix(' ').unwrap_or(path).to_owned())
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
        assert_eq!(parse(text), [Action::Delete { path: " x y.txt".into() }]);
    }

    #[test]
    fn context_that_looks_like_a_marker_hides_nothing() {
        let text = "*** Begin Patch\n*** Update File: a\n*** Move to: .git/x\n@@\n *** End Patch\n \
            *** Move to: ok\n-x\n*** Delete File: secret\n*** End Patch";
        let named: Vec<_> = parse(text)
            .iter()
            .filter_map(Action::file)
            .map(|file| (file.path.to_owned(), file.moved_to.map(str::to_owned)))
            .collect();
        assert_eq!(named, [("a".into(), Some(".git/x".into())), ("secret".into(), None)]);
    }

    #[test]
    fn every_patch_in_a_command_is_seen_where_it_applies() {
        let command = "cd 'my src' && applypatch <<A\n*** Begin Patch\n*** Delete File: d\n*** End \
            Patch\nA\napply_patch <<B\n*** Begin Patch\n*** Add File: /abs\n+x\n*** End Patch\nB";
        let actions = parse_command(command);
        let named: Vec<_> = actions.iter().filter_map(Action::file).map(|file| file.path).collect();
        assert_eq!(named, ["my src/d", "/abs"]);
        let odd = "cd docs && cd .. && apply_patch <<A\n*** Begin Patch\n*** Delete File: d\nA";
        assert_eq!(parse_command(odd), [Action::Delete { path: "d".into() }]);
        let quoted = r"apply_patch $'*** Begin Patch\n*** Delete File: d\n*** End Patch'";
        assert_eq!(parse_command(quoted), [Action::Delete { path: "d".into() }]);
        assert_eq!(parse_command("cat <<A\n*** Begin Patch\n*** Delete File: d\nA"), []);
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
