//! `[[ ... ]]`

use super::ast::{CommandKind, Text, Word, WordPart};
use super::cursor::Parser;
use super::dialect::Dialect;

/// Expected next token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// A condition.
    Condition,
    /// The operand of an operator with one operand.
    Operand,
    /// An operator, or the end of the condition: a single word has been read.
    Operator,
    /// The second operand.
    Right,
    /// The same, of `=~`.
    Regex,
    /// `&&`, `||`, `)` or the end.
    Connector,
}

impl Parser<'_, '_> {
    /// The words behind `[[`, up to and with `]]`.
    pub(super) fn test_command(&mut self) -> CommandKind {
        let start = self.pos.saturating_sub(2);
        let mut words = Vec::new();
        let mut state = State::Condition;
        let mut open = 0_usize;
        loop {
            self.skip_blanks();
            let Some(byte) = self.peek() else {
                self.error("`[[` is not closed", start);
                break;
            };
            if byte == b'\n' {
                if !matches!(state, State::Condition | State::Connector) {
                    self.unexpected("the condition goes on after this line");
                }
                self.skip_newlines();
                continue;
            }
            if self.at_test_end() && !matches!(state, State::Right | State::Regex) {
                if open > 0 || matches!(state, State::Operand | State::Condition) {
                    self.unexpected("the condition has not ended");
                }
                self.pos += 2;
                break;
            }
            match self.test_operator(byte, state) {
                Some(operator) => {
                    state = self.after_operator(&operator, state, &mut open);
                    words.push(operator);
                }
                None if matches!(byte, b';' | b'&' | b'|' | b')') => {
                    self.unexpected("unexpected in a condition");
                    if byte == b';' {
                        break;
                    }
                    self.pos += 1;
                }
                None => {
                    let word = self.word_from(Vec::new(), self.pos, state == State::Regex);
                    state = self.after_test_word(&word, state);
                    words.push(word);
                }
            }
        }
        CommandKind::Test(words)
    }

    fn at_test_end(&mut self) -> bool {
        if !self.at(b"]]") {
            return false;
        }
        self.pos += 2;
        let end = self.at_delimiter();
        self.pos -= 2;
        end
    }

    /// An operator made of special characters, or a parenthesis.
    fn test_operator(&mut self, byte: u8, state: State) -> Option<Word> {
        let pattern = state == State::Right && self.dialect == Dialect::Zsh;
        if state == State::Regex || pattern {
            return None;
        }
        let len = match (byte, self.peek_at(1)) {
            (b'&', Some(b'&')) | (b'|', Some(b'|')) => 2,
            (b'<' | b'>', next) if next != Some(b'(') || state == State::Operator => 1,
            (b'(' | b')', _) => 1,
            _ => return None,
        };
        let start = self.pos;
        self.pos += len;
        let text = Text { text: self.slice(start, self.pos).to_owned(), at: self.place(start) };
        Some(Word { parts: vec![WordPart::Literal(text)], span: self.span(start) })
    }

    fn after_operator(&mut self, operator: &Word, state: State, open: &mut usize) -> State {
        let text = literal(operator).unwrap_or_default();
        let (right, next) = match text {
            "&&" | "||" => (matches!(state, State::Operator | State::Connector), State::Condition),
            "(" => {
                *open += 1;
                (state == State::Condition, State::Condition)
            }
            ")" => {
                let right = *open > 0 && matches!(state, State::Operator | State::Connector);
                *open = open.saturating_sub(1);
                (right, State::Connector)
            }
            _ => (state == State::Operator, State::Right),
        };
        if !right {
            self.unexpected("the condition does not go on like this");
        }
        next
    }

    fn after_test_word(&mut self, word: &Word, state: State) -> State {
        let text = literal(word).unwrap_or_default();
        match state {
            State::Condition if text == "!" => State::Condition,
            State::Condition if is_unary(text) => State::Operand,
            State::Condition => State::Operator,
            State::Operator if text == "=~" => State::Regex,
            State::Operator if is_binary(text) => State::Right,
            State::Operand | State::Right | State::Regex => State::Connector,
            State::Operator | State::Connector => {
                self.error("an operator is missing before this", word.span.start as usize);
                State::Operator
            }
        }
    }
}

fn literal(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [WordPart::Literal(text)] => Some(&text.text),
        _ => None,
    }
}

fn is_unary(text: &str) -> bool {
    match text.as_bytes() {
        [b'-', letter] => b"abcdefghknoprstuvwxzGLNORS".contains(letter),
        _ => false,
    }
}

fn is_binary(text: &str) -> bool {
    const WORDS: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"];
    matches!(text, "=" | "==" | "!=") || WORDS.contains(&text)
}
