//! String literals of compiled languages: characters, raw and long strings.

use crate::code::lex::{Lexer, Piece, TokenKind};
use crate::code::strings::Style;

/// `'x'`, or the mark before a lifetime or a type: `'a`.
pub(super) fn character(lexer: &mut Lexer<'_, '_>) -> Option<TokenKind> {
    let rest = lexer.rest().strip_prefix('\'')?;
    let mut letters = rest.chars();
    let first = letters.next()?;
    lexer.at += 1;
    if first != '\\' && letters.next() != Some('\'') || first == '\n' {
        return Some(TokenKind::Mark);
    }
    lexer.body("'", None, Style::PLAIN);
    Some(TokenKind::Text)
}

/// `"""text"""`
pub(super) fn long(lexer: &mut Lexer<'_, '_>, style: Style) -> Option<TokenKind> {
    lexer.rest().starts_with("\"\"\"").then(|| {
        lexer.at += 3;
        lexer.body("\"\"\"", None, style);
        TokenKind::Text
    })
}

/// `r"text"`, `r##"text"##`, `#"text"#`: this many bytes before the signs.
pub(super) fn hashed(lexer: &mut Lexer<'_, '_>, skip: usize) -> Option<TokenKind> {
    let rest = lexer.rest().get(skip..)?;
    let level = rest.len() - rest.trim_start_matches('#').len();
    if level > 4 || rest.as_bytes().get(level) != Some(&b'"') {
        return None;
    }
    lexer.at += skip + level + 1;
    let close = "\"####".get(..=level)?;
    lexer.body(close, None, Style::RAW);
    Some(TokenKind::Text)
}

/// `@"text with ""quotes"""`, after the first quote.
pub(super) fn doubled(lexer: &mut Lexer<'_, '_>) -> TokenKind {
    loop {
        lexer.body("\"", None, Style::RAW);
        if lexer.byte(0) != b'"' {
            return TokenKind::Text;
        }
        lexer.at += 1;
        lexer.pieces.push(Piece::Text("\"".to_owned()));
    }
}
