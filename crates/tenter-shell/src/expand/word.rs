//! Expands the parts of a word.

use super::Scope;
use super::braces::{self, Piece};
use super::build::{Builder, Style};
use super::{Variable, arithmetic};
use crate::flow::Flow;
use crate::span::Span;
use crate::syntax::ast::{ArrayItem, ParameterName, Text, Word, WordPart};
use crate::value::{Field, Part};

/// Context of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    /// Nothing: text stays whole, the results of expansions are split.
    Nothing,
    /// `${x:-...}`: text is split as well.
    Expansion,
    Quotes,
}

pub(super) struct Expander<'a> {
    pub(super) scope: &'a mut dyn Scope,
    pub(super) out: Builder,
    /// In the tree that is expanded, before it is mapped.
    span: Span,
    /// Set once there is no budget left: nothing is asked any more.
    spent: bool,
}

impl<'a> Expander<'a> {
    pub(super) fn new(scope: &'a mut dyn Scope, style: Style, span: Span) -> Self {
        let out = Builder::new(style, scope.globs(), scope.map(span));
        Self { scope, out, span, spent: false }
    }

    pub(super) fn fields(mut self, word: &Word) -> Vec<Field> {
        match braces::expand(&word.parts) {
            None => {
                self.parts(&word.parts, Around::Nothing);
                self.out.end_word();
            }
            Some(expanded) => {
                if expanded.cut {
                    self.scope.gave_up(super::TOO_MANY_WORDS, self.span);
                }
                for pieces in &expanded.words {
                    self.pieces(pieces);
                    self.out.end_word();
                }
            }
        }
        self.report();
        self.out.finish()
    }

    pub(super) fn single(mut self, word: &Word) -> Field {
        self.parts(&word.parts, Around::Nothing);
        self.report();
        self.out.finish_one()
    }

    fn report(&mut self) {
        if let Some(why) = self.out.cut {
            self.scope.gave_up(why, self.span);
        }
    }

    /// A word inside this word, expanded on its own.
    pub(super) fn inner(&mut self, word: &Word, style: Style) -> Field {
        match style {
            Style::Pattern => super::pattern(word, self.scope),
            style => Expander::new(self.scope, style, word.span).single(word),
        }
    }

    /// Charges for the next part; false when the budget is used up.
    fn pay(&mut self, bytes: usize) -> bool {
        if !self.spent && !self.scope.budget().spend(1 + bytes / 16) {
            self.spent = true;
            self.scope.gave_up("too much work", self.span);
            self.out.unknown("…", true);
        }
        !self.spent
    }

    pub(super) fn parts(&mut self, parts: &[WordPart], around: Around) {
        for (index, part) in parts.iter().enumerate() {
            match part {
                WordPart::Literal(text) if around != Around::Quotes => {
                    let at = self.place(text.at);
                    let last = index + 1 == parts.len();
                    self.literal(&text.text, at, around, index == 0, last);
                }
                part => self.part(part, around),
            }
        }
    }

    fn pieces(&mut self, pieces: &[Piece<'_>]) {
        // Letters that a brace put behind `$name` belong to the name: `$a{b,c}` is `$ab $ac`.
        let mut taken = 0;
        for (index, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Literal(text, at) => {
                    let text = text.get(taken..).unwrap_or_default();
                    let at = self.place(at.filter(|_| taken == 0));
                    let last = index + 1 == pieces.len();
                    if !text.is_empty() {
                        self.literal(text, at, Around::Nothing, index == 0, last);
                    }
                    taken = 0;
                }
                Piece::Part(part) => match longer_name(part, pieces.get(index + 1)) {
                    Some((parameter, letters)) => {
                        taken = letters;
                        self.part(&parameter, Around::Nothing);
                    }
                    None => self.part(part, Around::Nothing),
                },
            }
        }
    }

    fn place(&self, at: Option<u32>) -> Option<u32> {
        at.and_then(|at| self.scope.place(at))
    }

    fn literal(&mut self, text: &str, at: Option<u32>, around: Around, first: bool, last: bool) {
        if !self.pay(text.len()) {
            return;
        }
        let tilde = text.contains('~') && self.out.style() != Style::Raw;
        if tilde && (around == Around::Nothing || first && text.starts_with('~')) {
            self.with_tildes(text, at, first, last);
        } else if around == Around::Expansion {
            self.load_separators();
            self.out.unquoted(text, at, &Flow::default(), true);
        } else {
            self.out.active(text, at, true);
        }
    }

    fn quoted(&mut self, text: &Text) {
        if self.pay(text.text.len()) {
            let at = self.place(text.at);
            self.out.quoted(&text.text, at);
        }
    }

    pub(super) fn part(&mut self, part: &WordPart, around: Around) {
        match part {
            WordPart::Literal(text) | WordPart::Quoted(text) => self.quoted(text),
            WordPart::DoubleQuoted(parts) => self.double_quoted(parts),
            WordPart::Parameter(parameter) => {
                if self.pay(0) {
                    self.parameter(parameter, around);
                }
            }
            WordPart::Command { script, span } => {
                if self.pay(0) {
                    let stream = self.scope.substitute(script, *span);
                    self.out.flow(&stream.flow);
                    match (stream.text, &stream.partial) {
                        (Some(text), _) => self.output(&text, &stream.flow, around),
                        (None, Some(field)) => self.partly(field, &stream.flow, around),
                        (None, None) => self.out.unknown("$(…)", around != Around::Quotes),
                    }
                }
            }
            WordPart::Arithmetic { expression, .. } => {
                if self.pay(0) {
                    let text = self.inner(expression, Style::Raw);
                    self.out.flow(&text.flow);
                    match arithmetic::evaluate(&text, self.scope) {
                        Some(value) => self.text(&value.to_string(), around),
                        None => self.out.unknown("$((…))", around != Around::Quotes),
                    }
                }
            }
            WordPart::Process { script, output, span } => {
                if self.pay(0) {
                    let field = self.scope.process(script, *output, *span);
                    self.value(&field, Around::Quotes);
                }
            }
            WordPart::Array(items) => self.array(items),
        }
    }

    fn double_quoted(&mut self, parts: &[WordPart]) {
        let before = self.out.mark();
        let was_open = self.out.is_open();
        let mut empty_list = false;
        for part in parts {
            match part {
                WordPart::Parameter(parameter) if self.pay(0) => {
                    empty_list |= self.parameter(parameter, Around::Quotes);
                }
                part => self.part(part, Around::Quotes),
            }
        }
        // Next to a "$@" of nothing, empty values make no field.
        if !empty_list {
            self.out.open();
        } else if !was_open && self.out.mark() == before {
            self.out.close();
        }
    }

    /// Adds a command's output without trailing newlines.
    fn output(&mut self, text: &str, flow: &Flow, around: Around) {
        let text = text.trim_end_matches(['\n', '\0']);
        let without;
        let text = if text.contains('\0') {
            without = text.replace('\0', "");
            without.trim_end_matches('\n')
        } else {
            text
        };
        if self.pay(text.len()) {
            self.run(text, None, flow, around);
        }
    }

    /// The same, where some of it is not known.
    fn partly(&mut self, field: &Field, flow: &Flow, around: Around) {
        let last = field.parts.len().saturating_sub(1);
        for (index, part) in field.parts.iter().enumerate() {
            match part {
                Part::Text { text, .. } if index == last => self.output(text, flow, around),
                Part::Text { text, .. } | Part::Glob(text) => {
                    if self.pay(text.len()) {
                        self.run(text, None, flow, around);
                    }
                }
                Part::Unknown(unknown) => {
                    self.out.unknown(&unknown.name, around != Around::Quotes);
                }
            }
        }
    }

    /// Computed text.
    pub(super) fn text(&mut self, text: &str, around: Around) {
        self.run(text, None, &Flow::default(), around);
    }

    fn run(&mut self, text: &str, at: Option<u32>, flow: &Flow, around: Around) {
        if around == Around::Quotes {
            self.out.quoted(text, at);
        } else {
            self.load_separators();
            self.out.unquoted(text, at, flow, false);
        }
    }

    /// The value of a variable or an argument.
    pub(super) fn value(&mut self, field: &Field, around: Around) {
        self.out.flow(&field.flow);
        if around == Around::Quotes {
            self.out.open();
        }
        for part in &field.parts {
            match part {
                Part::Text { text, at } => {
                    if self.pay(text.len()) {
                        self.run(text, *at, &field.flow, around);
                    }
                }
                Part::Glob(_) => self.out.part(part.clone()),
                Part::Unknown(unknown) => {
                    self.out.unknown(&unknown.name, around != Around::Quotes);
                }
            }
        }
    }

    /// Asks for `IFS` once, and only when something is split.
    pub(super) fn load_separators(&mut self) {
        if self.out.separators.is_none() {
            self.out.separators = match self.scope.variable("IFS") {
                Variable::Scalar(field) => field.exact().map(str::to_owned),
                _ => None,
            };
            self.out.separators.get_or_insert_with(|| " \t\n".to_owned());
        }
    }

    /// `name=(...)` as an argument: whoever declares it takes it apart; here it only must not be
    /// lost.
    fn array(&mut self, items: &[ArrayItem]) {
        for item in items {
            for word in item.key.iter().chain(std::iter::once(&item.value)) {
                let field = self.inner(word, Style::Single);
                self.out.flow(&field.flow);
            }
        }
        self.out.unknown("(…)", false);
    }
}

/// `$name` with the letters that come to stand behind it.
fn longer_name(part: &WordPart, next: Option<&Piece<'_>>) -> Option<(WordPart, usize)> {
    let WordPart::Parameter(parameter) = part else { return None };
    let ParameterName::Variable(name) = &parameter.name else { return None };
    let Some(Piece::Literal(text, _)) = next else { return None };
    let bare = parameter.span.range().len() == name.len() + 1;
    let letters = text.bytes().take_while(|byte| *byte == b'_' || byte.is_ascii_alphanumeric());
    let letters = letters.count();
    if !bare || letters == 0 {
        return None;
    }
    let mut longer = parameter.clone();
    longer.name = ParameterName::Variable([name, text.get(..letters)?].concat());
    Some((WordPart::Parameter(longer), letters))
}
