//! Words after expansion: text, patterns and unknown parts, in order.

use std::rc::Rc;

use crate::flow::{Flow, Source};
use crate::span::{Origin, Span};

/// One argument of a program, as far as known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    pub parts: Vec<Part>,
    /// The words that it comes from.
    pub span: Span,
    /// Sources of its text.
    pub flow: Flow,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Exact text; with its position in the command if verbatim.
    Text { text: String, at: Option<u32> },
    /// An unquoted pattern: one of `*`, `?`, `[...]`, or an extended one such as `@(a|b)`.
    Glob(String),
    /// Something that cannot be known from the text.
    Unknown(Unknown),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Display name: `$name`, `$(program ...)`, `{}`.
    pub name: Rc<str>,
    /// Unquoted: it may be no field, one or many.
    pub splits: bool,
}

/// Whether a word is a plain name below the current folder, and no program's: whatever uses many of them does
/// to the rest what it does to the first.
pub(crate) fn is_tame(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word.bytes().all(plain)
        && !word.split('/').any(|part| part.starts_with('.'))
        && !crate::is_known(word)
}

impl Field {
    pub fn text(text: impl Into<String>, span: Span) -> Self {
        Self {
            parts: vec![Part::Text { text: text.into(), at: None }],
            span,
            flow: Flow::default(),
        }
    }

    pub fn unknown(name: &str, span: Span) -> Self {
        Self {
            parts: vec![Part::Unknown(Unknown { name: name.into(), splits: false })],
            span,
            flow: Flow::default(),
        }
    }

    /// The whole text, if all of it is known. An empty field is known to be empty.
    pub fn exact(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text { text, .. }] => Some(text),
            _ => None,
        }
    }

    pub fn is(&self, text: &str) -> bool {
        self.exact() == Some(text)
    }

    /// The known text before the first pattern or unknown part.
    pub fn prefix(&self) -> &str {
        match self.parts.first() {
            Some(Part::Text { text, .. }) => text,
            _ => "",
        }
    }

    /// The known text after the last pattern or unknown part.
    pub fn suffix(&self) -> &str {
        match self.parts.last() {
            Some(Part::Text { text, .. }) => text,
            _ => "",
        }
    }

    pub fn has_glob(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Glob(_)))
    }

    pub fn has_unknown(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Unknown(_)))
    }

    /// Text for people and for paths: patterns as written, unknown parts by their name.
    pub fn shown(&self) -> String {
        match self.parts.as_slice() {
            [Part::Text { text, .. }] => text.clone(),
            parts => parts.iter().map(Part::shown).collect(),
        }
    }

    /// The field without its first `bytes` bytes of known text; none when less than that is known.
    pub fn without_prefix(&self, bytes: usize) -> Option<Self> {
        let [Part::Text { text, at }, rest @ ..] = self.parts.as_slice() else {
            return (bytes == 0).then(|| self.clone());
        };
        let left = text.get(bytes..)?;
        let mut parts = Vec::with_capacity(self.parts.len());
        if !left.is_empty() {
            let at = at.map(|at| at.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX)));
            parts.push(Part::Text { text: left.to_owned(), at });
        }
        parts.extend_from_slice(rest);
        Some(Self { parts, span: self.span, flow: self.flow.clone() })
    }

    /// For an option such as `--file=x` or `if=x`: the field after `prefix`.
    pub fn after(&self, prefix: &str) -> Option<Self> {
        self.prefix().starts_with(prefix).then(|| self.without_prefix(prefix.len()))?
    }

    /// Maps spans of code in this field to the command.
    pub fn origin(&self) -> Origin {
        match self.parts.as_slice() {
            [Part::Text { at: Some(at), .. }] => Origin::Verbatim(*at),
            _ => Origin::Computed(self.span),
        }
    }

    /// Moves it behind text that is put before the command.
    pub(crate) fn shift(&mut self, by: u32) {
        self.span.shift(by);
        for part in &mut self.parts {
            if let Part::Text { at: Some(at), .. } = part {
                *at = at.saturating_add(by);
            }
        }
    }

    /// Approximate cost of a copy, in units of work.
    pub fn weight(&self) -> usize {
        self.parts.iter().fold(1, |sum, part| sum + 1 + part.shown().len() / 64)
    }

    /// Adds text at the end, joining it to text that is there.
    pub fn push_text(&mut self, more: &str, at: Option<u32>) {
        if more.is_empty() {
            return;
        }
        if let Some(Part::Text { text, at: place }) = self.parts.last_mut() {
            let joins = matches!((&*place, at), (Some(old), Some(new)) if *old as usize + text.len() == new as usize);
            if !joins {
                *place = None;
            }
            text.push_str(more);
        } else {
            self.parts.push(Part::Text { text: more.to_owned(), at });
        }
    }

    /// Adds a part at the end.
    pub fn push(&mut self, part: Part) {
        match part {
            Part::Text { text, at } => self.push_text(&text, at),
            other => self.parts.push(other),
        }
    }

    /// Data sources of this argument, including unknown variables.
    pub fn sources(&self) -> Flow {
        let mut flow = self.flow.clone();
        for part in &self.parts {
            if let Part::Unknown(unknown) = part
                && let Some(name) = unknown.name.strip_prefix('$')
                && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
            {
                flow.add(Source::Variable(name.into()));
            }
        }
        flow
    }
}

impl Part {
    fn shown(&self) -> &str {
        match self {
            Self::Text { text, .. } => text,
            Self::Glob(pattern) => pattern,
            Self::Unknown(unknown) => &unknown.name,
        }
    }
}
