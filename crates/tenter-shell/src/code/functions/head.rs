//! Heads of functions: parameters, range of the body, and calls.

use super::{Function, Seen};
use crate::code::languages::Blocks;
use crate::code::lex::{Piece, Token, TokenKind};
use crate::code::scan::Scan;
use crate::code::value::{Arguments, Value};

#[derive(Debug)]
pub(super) struct Parameter<'s> {
    pub(super) name: &'s str,
    takes_rest: bool,
    default: Option<Value>,
}

impl<'s> Scan<'s, '_, '_, '_> {
    /// Range of the body of the function whose parameters are next.
    pub(super) fn body_ahead(&self, column: usize) -> Option<(usize, usize)> {
        let mut at = match self.mark_ahead(0) {
            "(" => self.past_group(self.at)?,
            "{" => self.at,
            _ => self.at + 1,
        };
        let mark = |at: usize| self.tokens.get(at).filter(|_| at < self.limit);
        if self.is_compiled() {
            let open = self.opens_body(at)?;
            return Some((open + 1, self.past_group(open)?.saturating_sub(1)));
        }
        match self.language.syntax.blocks {
            Blocks::Indented => {
                while !is_mark(mark(at)?, ":") {
                    at += 1;
                }
                let start = at + 1;
                let short = mark(start)?.kind != TokenKind::Line;
                return Some((start, self.block_end(start, column, short)));
            }
            // `def sh(c) = ...`, or all up to an `end` that stands below the `def`.
            Blocks::Words if !is_mark(mark(at)?, "=") => {
                let ends = |at: &usize| {
                    let end = self.tokens.get(*at).filter(|token| token.text == "end");
                    end.is_some_and(|token| self.column_of(token) == Some(column))
                };
                return Some((at, (at..self.limit).find(ends)?));
            }
            Blocks::Words | Blocks::Braces => {}
        }
        // `function ($x) use ($y): void {`
        if mark(at)?.text == "use" && is_mark(mark(at + 1)?, "(") {
            at = self.past_group(at + 1)?;
        }
        if is_mark(mark(at)?, ":") {
            let opens =
                |at: &usize| mark(*at).is_some_and(|token| matches!(token.text, "{" | "=>"));
            at = (at..at + 8).find(opens).unwrap_or(at);
        }
        if is_mark(mark(at)?, "=>") || is_mark(mark(at)?, "=") {
            at += 1;
        }
        if is_mark(mark(at)?, "{") {
            let end = self.past_group(at)?;
            return Some((at + 1, end.saturating_sub(1)));
        }
        let start = at;
        while let Some(token) = mark(at) {
            let ends =
                token.kind == TokenKind::Mark && matches!(token.text, ";" | "," | ")" | "]" | "}");
            if token.kind == TokenKind::Line || ends {
                break;
            }
            let opens = token.kind == TokenKind::Mark && matches!(token.text, "(" | "[" | "{");
            at = if opens { self.past_group(at)? } else { at + 1 };
        }
        Some((start, at))
    }

    /// End of the lines indented further than `column`; a short body ends with its line.
    fn block_end(&self, start: usize, column: usize, short: bool) -> usize {
        // The end of the line before, if nothing has followed it yet.
        let mut line = None;
        for (at, token) in self.tokens.iter().enumerate().take(self.limit).skip(start) {
            if token.kind == TokenKind::Line {
                line = line.or(Some(at));
                if short {
                    break;
                }
            } else if let Some(line) = line.take()
                && self.column_of(token).is_none_or(|next| next <= column)
            {
                return line;
            }
        }
        line.unwrap_or(self.limit)
    }

    /// The token after the bracket that closes the one at `open`.
    pub(in crate::code) fn past_group(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (index, token) in self.tokens.get(open..self.limit)?.iter().enumerate() {
            if token.kind != TokenKind::Mark {
                continue;
            }
            match token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return Some(open + index + 1);
            }
        }
        None
    }

    /// How a function is used, if it is called anywhere but in itself.
    pub(super) fn uses(&self, name: &str, (from, to): (usize, usize)) -> Option<Seen> {
        let functions = &self.language.syntax.functions;
        let (mut called, mut handed_on) = (false, false);
        for (index, token) in self.tokens.iter().enumerate().take(self.limit) {
            if (from.saturating_sub(1)..to).contains(&index) {
                continue;
            }
            if token.kind == TokenKind::Text && self.language.syntax.callable_texts {
                called |= self.is_text(token, name);
            }
            if token.kind != TokenKind::Name || token.text != name {
                continue;
            }
            if functions.ampersand
                && let Some(reference) = self.ampersand_before(index)
            {
                called |= !reference;
                handed_on |= reference;
                continue;
            }
            match self.tokens.get(index + 1) {
                Some(next) if is_mark(next, "(") => called = true,
                Some(next)
                    if functions.bare
                        && (next.kind == TokenKind::Text || next.text.starts_with(['$', '@'])) =>
                {
                    called = true;
                }
                Some(next) if is_mark(next, "=") => {}
                None => called |= functions.ampersand,
                Some(next) if functions.ampersand => {
                    called |= is_mark(next, ";") || is_mark(next, "}") && !self.is_key(index);
                }
                _ => handed_on = true,
            }
        }
        (called || handed_on && functions.ampersand).then_some(if handed_on {
            Seen::HandedOn
        } else {
            Seen::Ahead
        })
    }

    /// Whether the name at this token is a key: `$x{name}`.
    fn is_key(&self, name: usize) -> bool {
        let before = |back: usize| self.tokens.get(name.checked_sub(back)?);
        before(1).is_some_and(|open| {
            is_mark(open, "{") && before(2).is_none_or(|owner| owner.end == open.start)
        })
    }

    fn is_text(&self, token: &Token<'_>, name: &str) -> bool {
        let (from, to) = token.pieces;
        let pieces = self.pieces.get(from..to);
        matches!(pieces, Some([Piece::Text(text)]) if text == name)
    }

    /// Whether the name at this token follows `\&`, or `&` alone; none if neither.
    pub(in crate::code) fn ampersand_before(&self, name: usize) -> Option<bool> {
        let mark = self.tokens.get(name.checked_sub(1)?)?;
        let adjacent = self.tokens.get(name).is_some_and(|token| token.start == mark.end);
        let before = mark.start.checked_sub(1).and_then(|at| self.code.text.as_bytes().get(at));
        (adjacent && is_mark(mark, "&")).then_some(before == Some(&b'\\'))
    }

    /// `(a, b=1, *rest)` or `a`
    pub(super) fn parameters(&mut self) -> Vec<Parameter<'s>> {
        let mut parameters = Vec::new();
        if !self.take_mark("(") {
            let name = self.name_ahead(0);
            return vec![Parameter { name, takes_rest: false, default: None }];
        }
        if let Some(declares) = self.language.syntax.declares {
            let names = self.declared_parameters(declares).into_iter();
            return names
                .map(|(name, takes_rest)| Parameter { name, takes_rest, default: None })
                .collect();
        }
        let sigils = self.language.syntax.functions.sigils;
        let mut takes_rest = false;
        while let Some(token) = self.token() {
            let before = self.at;
            match (token.kind, token.text) {
                (TokenKind::Mark, ")") => break,
                (TokenKind::Mark, "*" | "**" | "...") => takes_rest = true,
                // `*` alone: only names after it.
                (TokenKind::Mark, ",") => takes_rest = false,
                (TokenKind::Mark, "(" | "[" | "{") => {
                    self.skip_group();
                    parameters.push(Parameter { name: "", takes_rest: false, default: None });
                }
                (TokenKind::Mark, ":") => self.skip_annotation(),
                (TokenKind::Mark, "=" | "//=" | "||=") => {
                    self.at += 1;
                    let value = self.assignment();
                    if let Some(last) = parameters.last_mut() {
                        last.default = Some(value);
                    }
                }
                // `string $path`: a type.
                (TokenKind::Name, name) if sigils && !name.starts_with(['$', '@']) => {}
                (TokenKind::Name, name) => {
                    takes_rest |= sigils && name.starts_with('@');
                    parameters.push(Parameter { name, takes_rest, default: None });
                    takes_rest = false;
                }
                _ => {}
            }
            if self.at == before {
                self.at += 1;
            }
        }
        parameters
    }

    fn skip_annotation(&mut self) {
        self.at += 1;
        while let Some(token) = self.token() {
            match (token.kind, token.text) {
                (TokenKind::Mark, "," | ")" | "=") => return,
                (TokenKind::Mark, "(" | "[" | "{") => self.skip_group(),
                _ => self.at += 1,
            }
        }
    }

    /// Whether the first of its arguments is the thing it is a method of: `my $self = shift;`.
    pub(super) fn takes_itself(&self, function: &Function<'_>) -> bool {
        let (from, to) = function.body;
        let names = self.language.syntax.functions.itself;
        let body = self.tokens.get(from..to).unwrap_or_default();
        body.iter().take(5).any(|token| names.contains(&token.text))
    }
}

pub(super) fn is_mark(token: &Token<'_>, mark: &str) -> bool {
    token.kind == TokenKind::Mark && token.text == mark
}

/// Binds the arguments to the parameters.
pub(super) fn bind<'s: 'p, 'p>(
    parameters: &'p [Parameter<'s>],
    arguments: &'p Arguments,
) -> impl Iterator<Item = (&'s str, Value)> + 'p {
    parameters.iter().enumerate().filter(|(_, parameter)| !parameter.name.is_empty()).map(
        |(index, parameter)| {
            let name = parameter.name.trim_start_matches(['$', '@']);
            let rest = || Value::List(arguments.list.get(index..).unwrap_or_default().to_vec());
            let sigil = name != parameter.name;
            let named = || if sigil { arguments.keyword(name) } else { arguments.option(name) };
            let given = || named().or(arguments.get(index)).cloned();
            let value = if parameter.takes_rest { Some(rest()) } else { given() };
            let value = value.or_else(|| parameter.default.clone());
            let unknown = || Value::unknown(name, arguments.span);
            (parameter.name, value.unwrap_or_else(unknown))
        },
    )
}
