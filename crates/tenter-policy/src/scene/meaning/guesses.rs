//! Interprets values under meaningless keys by their content: a path to something protected is a file, and
//! any other text may be a command. Such guesses count only where the policy denies.

use std::borrow::Cow;

use tenter_model::ToolCall;
use tenter_model::json::RawValue;
use tenter_model::leaves::{Leaf, Leaves};
use tenter_shell::syntax::Dialect;
use tenter_shell::{Kind, Language};

use super::keys::Role;
use super::vocabulary::{LOOK, NO_CONTENT, READ, STAGE};
use super::{MAX_PACKED, Meaning, Named, cells, keys, language};
use crate::guards::settings_of;
use crate::sensitive::paths;

/// Maximum length; longer texts are documents.
const LONGEST: usize = 64 * 1024;
/// Maximum number of texts tried per call.
const MOST: usize = 64;

const SHELL: Language = Language::Shell(Dialect::Bash);

/// Tools whose fields are notebook cells.
const NOTEBOOK: &[&str] = &["jupyter", "notebook", "ipython", "colab", "cell", "cells", "kernel"];

/// Tools that only search for texts.
const SEARCH: &[&str] = &["search", "find", "grep", "query", "lookup"];

/// The guesses for values under meaningless keys.
pub(super) fn guesses<'s>(call: &'s ToolCall<'s>, tool: &Named) -> Vec<Meaning<'s>> {
    let mut leaves = Leaves::new();
    for (key, value) in call.input.iter().chain(&call.shadowed) {
        leaves.add(key, value.raw());
    }
    let mut guesses = Guesses::of(tool);
    guesses.all(&leaves, false);
    guesses.found
}

struct Guesses<'n, 's> {
    tool: &'n Named,
    notebook: bool,
    found: Vec<Meaning<'s>>,
    opened: usize,
    tried: usize,
}

impl<'n> Guesses<'n, '_> {
    fn of(tool: &'n Named) -> Self {
        let notebook = tool.is_about(NOTEBOOK);
        Self { tool, notebook, found: Vec::new(), opened: 0, tried: 0 }
    }

    /// `inside` means JSON inside a string, whose fields were not interpreted.
    fn all(&mut self, leaves: &Leaves<'_>, inside: bool) {
        for leaf in &leaves.list {
            let Some(text) = leaf.text() else { continue };
            let key = leaf.key();
            let role = keys::role(&key);
            let is_known = role.is(Role::COMMAND) || keys::role(&leaf.holder()).is(Role::COMMAND);
            let text = text.trim();
            if text.len() < 4 || text.len() > LONGEST || is_known && !inside {
                continue;
            }
            let is_path = !role.is(Role::PATH) || inside;
            if is_path && let Some(path) = path(text) {
                self.file(path);
            } else if text.starts_with(['{', '[']) && !role.is(Role::PACKED) {
                self.open(&key, text);
            } else if !role.is(Role::PATH.or(Role::FOLDER).or(Role::URL).or(Role::CWD)) {
                self.text(&key, text);
            }
        }
        self.lists(leaves);
    }

    fn file(&mut self, path: &str) {
        let looks = [READ, LOOK, NO_CONTENT, SEARCH].iter().any(|words| self.tool.has(words));
        let kinds: &[Kind] = if looks { &[Kind::Read] } else { &[Kind::Read, Kind::Write] };
        for kind in kinds {
            let path = Cow::Owned(path.to_owned());
            self.found.push(Meaning::File { kind: *kind, path, recursive: false, guess: false });
        }
    }

    fn open(&mut self, key: &str, text: &str) {
        if self.opened < MAX_PACKED
            && let Ok(document) = RawValue::from_string(text.to_owned())
        {
            self.opened += 1;
            let mut inner = Leaves::new();
            inner.add(key, &document);
            self.all(&inner, true);
        } else {
            self.text(key, text);
        }
    }

    fn text(&mut self, key: &str, text: &str) {
        let plain = is_plain(key) || self.tool.has(SEARCH) || self.tool.is_about(STAGE);
        if plain && !self.notebook || !text.contains([' ', '\t', '\n', '(', '>', '|', '$']) {
            return;
        }
        if let Some(cell) = cells::read(text) {
            for (code, language) in cell.others {
                self.attempt(code, language);
            }
            self.attempt(cell.python, Language::Python);
            return;
        }
        let named = language(key).filter(|language| *language != SHELL);
        if let Some(language) = named {
            self.attempt(text.to_owned(), language);
        } else if !self.notebook || !plain {
            self.attempt(text.to_owned(), SHELL);
        }
        if named.is_none() && text.contains('(') {
            self.attempt(text.to_owned(), Language::Python);
            self.attempt(text.to_owned(), Language::JavaScript);
        }
    }

    fn attempt(&mut self, text: String, language: Language) {
        if self.tried < MOST {
            self.tried += 1;
            self.found.push(Meaning::Guess { text, language });
        }
    }

    /// `["rm", "-rf", "/"]`
    fn lists(&mut self, leaves: &Leaves<'_>) {
        let in_list = |leaf: &&Leaf<'_>| leaf.list != 0;
        let leaves: Vec<&Leaf<'_>> = leaves.list.iter().filter(in_list).collect();
        for list in leaves.chunk_by(|one, other| one.list == other.list) {
            let [first, _, ..] = list else { continue };
            let key = first.key();
            if is_plain(&key) || !keys::role(&key).is_none() || list.len() > MOST {
                continue;
            }
            let words: Vec<String> =
                list.iter().filter_map(|leaf| Some(super::quoted(&leaf.text()?))).collect();
            let line = words.join(" ");
            if words.len() == list.len() && line.len() <= LONGEST {
                self.attempt(line, SHELL);
            }
        }
    }
}

/// Whether a path leads to settings of hosts or of this guard, or to a secret.
fn path(text: &str) -> Option<&str> {
    let bare = text.strip_prefix("file://").unwrap_or(text);
    let is_whole = bare.starts_with(['/', '~']) || bare.get(1..3) == Some(":\\");
    let is_one = bare.len() < 4096 && !bare.contains(['\n', '\t', '|', ';', '<', '>', '*', '`']);
    if !is_one || bare.contains(' ') && !is_whole {
        return None;
    }
    let leads = settings_of(bare).is_some() || is_whole && paths::of(bare).is_some();
    leads.then_some(bare)
}

/// Parts of keys whose values are for people, or for a search.
const PLAIN: &[&str] = &[
    "answer",
    "body",
    "caption",
    "comment",
    "content",
    "description",
    "detail",
    "doc",
    "example",
    "explanation",
    "feedback",
    "filter",
    "goal",
    "header",
    "headline",
    "html",
    "instruction",
    "justification",
    "keyword",
    "label",
    "markdown",
    "memory",
    "message",
    "needle",
    "note",
    "observation",
    "objective",
    "pattern",
    "plan",
    "prompt",
    "query",
    "question",
    "rationale",
    "reason",
    "regex",
    "replacement",
    "request",
    "response",
    "review",
    "search",
    "string",
    "subject",
    "summary",
    "tag",
    "task",
    "term",
    "text",
    "thought",
    "title",
    "todo",
    "topic",
];

/// Keys too short to be searched for inside others.
const SHORT: &[&str] = &[
    "q", "name", "id", "why", "msg", "new", "old", "md", "data", "value", "fact", "facts",
    "option", "options",
];

fn is_plain(key: &str) -> bool {
    let letters = key.chars().filter(char::is_ascii_alphanumeric);
    let key: String = letters.map(|letter| letter.to_ascii_lowercase()).take(64).collect();
    SHORT.contains(&key.as_str()) || PLAIN.iter().any(|word| key.contains(word))
}
