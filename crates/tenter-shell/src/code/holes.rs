//! Code with unknown parts: `python3 -c "print($a / $b)"`. A part inside a string or used as an operand is a
//! value; one at the start of a statement or in a call would be code.

use super::languages::{Blocks, Definition, definition};
use super::lex::{self, Token, TokenKind};
use crate::run::PLACEHOLDER;
use crate::world::Language;

/// Whether code in this language is read by this module, and not by one for shells or databases.
pub(crate) fn is_script(language: Language) -> bool {
    definition(language).is_some()
}

/// Whether the unknown parts are all values.
pub(crate) fn takes_values(language: Language, text: &str) -> bool {
    let Some(language) = definition(language) else { return false };
    let mut tokens = Vec::new();
    let mut pieces = Vec::new();
    lex::lex(text, (0, text.len()), language, &mut tokens, &mut pieces);
    let mut open: Vec<&str> = Vec::new();
    let mut before: Option<Token<'_>> = None;
    for (index, token) in tokens.iter().enumerate() {
        match (token.kind, token.text) {
            (TokenKind::Mark, "(" | "[" | "{") => open.push(token.text),
            (TokenKind::Mark, ")" | "]" | "}") => _ = open.pop(),
            (TokenKind::Name, name) if name.contains(PLACEHOLDER) => {
                let called = tokens.get(index + 1).is_some_and(|next| is_mark(next, "("));
                if called || is_start(language, before, open.last().copied()) {
                    return false;
                }
            }
            _ => {}
        }
        before = Some(*token);
    }
    true
}

fn is_mark(token: &Token<'_>, mark: &str) -> bool {
    token.kind == TokenKind::Mark && token.text == mark
}

/// Whether a statement starts after this token; `open` is the bracket around it.
fn is_start(language: &Definition, before: Option<Token<'_>>, open: Option<&str>) -> bool {
    let indented = language.syntax.blocks == Blocks::Indented;
    let grouped = match open {
        Some("{") => indented,
        Some(_) => true,
        None => false,
    };
    let Some(before) = before else { return true };
    match (before.kind, before.text) {
        (TokenKind::Line, _) => !grouped,
        (TokenKind::Mark, ";" | "}" | ")" | "]")
        | (TokenKind::Name, "else" | "do" | "then" | "try" | "begin" | "finally" | "ensure") => {
            true
        }
        (TokenKind::Mark, "{") => !indented,
        (TokenKind::Mark, ":") => indented && !grouped,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_from_code() {
        for (language, text, values) in [
            (Language::Python, "print(__tenter_1_ / __tenter_2_)", true),
            (Language::Python, "print('__tenter_1_')", true),
            (Language::Python, "import __tenter_1_", true),
            (Language::Python, "f({'n': __tenter_1_})", true),
            (Language::Python, "f(\n  __tenter_1_\n)", true),
            (Language::Python, "__tenter_1_", false),
            (Language::Python, "x = 1; __tenter_1_", false),
            (Language::Python, "if x:\n    __tenter_1_", false),
            (Language::Python, "if x: __tenter_1_", false),
            (Language::Python, "x = __tenter_1_()", false),
            (Language::JavaScript, "console.log({a: __tenter_1_})", true),
            (Language::JavaScript, "if (x) __tenter_1_", false),
            (Language::JavaScript, "f(() => { __tenter_1_ })", false),
            (Language::Awk, "BEGIN { print __tenter_1_ - 1 }", true),
            (Language::Awk, "NR >= __tenter_1_ && /__tenter_2_/", true),
            (Language::Awk, "BEGIN { __tenter_1_ }", false),
            (Language::Perl, "s/__tenter_1_/__tenter_2_/g", true),
            (Language::Ruby, "puts __tenter_1_", true),
            (Language::Sql, "select __tenter_1_", false),
        ] {
            assert_eq!(takes_values(language, text), values, "{text}");
        }
    }
}
