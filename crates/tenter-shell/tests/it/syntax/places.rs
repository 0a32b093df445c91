//! Spans and positions of nodes are correct.

use tenter_shell::span::Span;
use tenter_shell::syntax::Parsed;
use tenter_shell::syntax::ast::*;

/// Fails when a place does not hold its text, or a span does not lie in the source and in the span
/// around it.
pub(crate) fn check(source: &str, parsed: &Parsed) {
    let mut checker = Checker { source, texts: 0 };
    let whole = Span::new(0, source.len());
    checker.script(&parsed.script, whole);
    for error in &parsed.errors {
        checker.span(error.span, whole);
    }
}

struct Checker<'a> {
    source: &'a str,
    texts: usize,
}

impl Checker<'_> {
    fn span(&self, span: Span, around: Span) {
        assert!(span.start <= span.end, "{span:?} in {:?}", self.source);
        assert!(self.source.get(span.range()).is_some(), "{span:?} in {:?}", self.source);
        assert!(around.contains(span), "{span:?} not in {around:?} of {:?}", self.source);
    }

    fn text(&mut self, text: &Text, around: Span) {
        if let Some(at) = text.at {
            let span = Span::new(at as usize, at as usize + text.text.len());
            self.span(span, around);
            assert_eq!(self.source.get(span.range()), Some(text.text.as_str()));
            self.texts += 1;
        }
    }

    fn script(&mut self, script: &Script, around: Span) {
        for item in &script.items {
            let rest = item.rest.iter().map(|(_, pipeline)| pipeline);
            for pipeline in std::iter::once(&item.first).chain(rest) {
                self.span(pipeline.span, around);
                assert_eq!(pipeline.with_errors.len() + 1, pipeline.commands.len());
                for command in &pipeline.commands {
                    self.command(command, pipeline.span);
                }
            }
        }
    }

    fn command(&mut self, command: &Command, around: Span) {
        self.span(command.span, around);
        let whole = Span::new(0, self.source.len());
        for redirect in &command.redirects {
            self.span(redirect.span, command.span);
            match &redirect.kind {
                // The body stands on other lines than the command.
                RedirectKind::Heredoc { body, .. } => self.word(body, whole),
                RedirectKind::Read(word)
                | RedirectKind::Write { target: word, .. }
                | RedirectKind::Append(word)
                | RedirectKind::ReadWrite(word)
                | RedirectKind::Both { target: word, .. }
                | RedirectKind::Duplicate { target: word, .. }
                | RedirectKind::HereString(word) => self.word(word, redirect.span),
            }
        }
        let around = command.span;
        match &command.kind {
            CommandKind::Simple(simple) => {
                for assignment in &simple.assignments {
                    self.span(assignment.span, around);
                    match &assignment.value {
                        AssignedValue::Scalar(word) => self.word(word, assignment.span),
                        AssignedValue::Array(items) => self.array(items, assignment.span),
                    }
                }
                self.words(&simple.words, around);
            }
            CommandKind::Subshell(script) | CommandKind::Group(script) => {
                self.script(script, around);
            }
            CommandKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.script(condition, around);
                    self.script(body, around);
                }
                if let Some(script) = otherwise {
                    self.script(script, around);
                }
            }
            CommandKind::While { condition, body, .. } => {
                self.script(condition, around);
                self.script(body, around);
            }
            CommandKind::For { words, body, .. } => {
                if let Some(words) = words {
                    self.words(words, around);
                }
                self.script(body, around);
            }
            CommandKind::ForArithmetic { header, body } => {
                self.words(header, around);
                self.script(body, around);
            }
            CommandKind::Case { subject, arms } => {
                self.word(subject, around);
                for arm in arms {
                    self.words(&arm.patterns, around);
                    self.script(&arm.body, around);
                }
            }
            CommandKind::Function { body, .. } => self.command(body, around),
            CommandKind::Coprocess { body, .. } => self.command(body, around),
            CommandKind::Arithmetic(word) => self.word(word, around),
            CommandKind::Test(words) => self.words(words, around),
        }
    }

    fn array(&mut self, items: &[ArrayItem], around: Span) {
        for item in items {
            if let Some(key) = &item.key {
                self.word(key, around);
            }
            self.word(&item.value, around);
        }
    }

    fn words(&mut self, words: &[Word], around: Span) {
        for word in words {
            self.word(word, around);
        }
    }

    fn word(&mut self, word: &Word, around: Span) {
        self.span(word.span, around);
        self.parts(&word.parts, word.span);
    }

    fn parts(&mut self, parts: &[WordPart], around: Span) {
        for pair in parts.windows(2) {
            let adjacent = matches!(pair, [WordPart::Literal(_), WordPart::Literal(_)]);
            assert!(!adjacent, "unquoted text in two parts in {:?}", self.source);
        }
        for part in parts {
            match part {
                WordPart::Literal(text) | WordPart::Quoted(text) => self.text(text, around),
                WordPart::DoubleQuoted(parts) => {
                    let literal = parts.iter().any(|part| matches!(part, WordPart::Literal(_)));
                    assert!(!literal, "unquoted text in quotes in {:?}", self.source);
                    self.parts(parts, around);
                }
                WordPart::Command { script, span } | WordPart::Process { script, span, .. } => {
                    self.span(*span, around);
                    self.script(script, *span);
                }
                WordPart::Arithmetic { expression, span } => {
                    self.span(*span, around);
                    self.word(expression, *span);
                }
                WordPart::Parameter(parameter) => {
                    self.span(parameter.span, around);
                    self.parameter(parameter);
                }
                WordPart::Array(items) => self.array(items, around),
            }
        }
    }

    fn parameter(&mut self, parameter: &Parameter) {
        let around = parameter.span;
        if let Some(Index::Word(word)) = &parameter.index {
            self.word(word, around);
        }
        match &parameter.operation {
            Operation::Fallback { word, .. } | Operation::Strip { pattern: word, .. } => {
                self.word(word, around);
            }
            Operation::Replace { pattern, with, .. } => {
                self.word(pattern, around);
                if let Some(word) = with {
                    self.word(word, around);
                }
            }
            Operation::Substring { offset, length } => {
                self.word(offset, around);
                if let Some(word) = length {
                    self.word(word, around);
                }
            }
            Operation::Case { pattern, .. } => {
                if let Some(word) = pattern {
                    self.word(word, around);
                }
            }
            Operation::None
            | Operation::Length
            | Operation::Keys
            | Operation::NamesWithPrefix
            | Operation::Transform(_) => {}
        }
    }
}
