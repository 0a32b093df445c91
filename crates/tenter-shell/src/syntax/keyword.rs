//! Reserved words, and tokens that end a list of commands.

use super::cursor::Parser;
use super::dialect::Dialect;

/// A word that is reserved where a command may start. The discriminant is its bit in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Keyword {
    Then,
    Elif,
    Else,
    Fi,
    Do,
    Done,
    Esac,
    RightBrace,
    End,
    LeftBrace,
    If,
    While,
    Until,
    For,
    Select,
    Case,
    In,
    Function,
    Coproc,
    Time,
    Bang,
    Test,
    Repeat,
    Foreach,
    TestEnd,
}

impl Keyword {
    pub(super) fn bit(self) -> u32 {
        1 << (self as u8)
    }

    /// Whether no command can start with it.
    pub(super) fn closes(self) -> bool {
        self.bit() & CLOSERS != 0
    }

    fn read(word: &[u8], dialect: Dialect) -> Option<Self> {
        Some(match word {
            b"then" => Self::Then,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"fi" => Self::Fi,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"esac" => Self::Esac,
            b"{" => Self::LeftBrace,
            b"}" => Self::RightBrace,
            b"if" => Self::If,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"for" => Self::For,
            b"case" => Self::Case,
            b"in" => Self::In,
            b"!" => Self::Bang,
            _ if dialect == Dialect::Posix => return None,
            b"select" => Self::Select,
            b"function" => Self::Function,
            b"coproc" => Self::Coproc,
            b"time" => Self::Time,
            b"[[" => Self::Test,
            b"]]" => Self::TestEnd,
            _ if dialect != Dialect::Zsh => return None,
            b"repeat" => Self::Repeat,
            b"foreach" => Self::Foreach,
            b"end" => Self::End,
            _ => return None,
        })
    }
}

/// Words that only ever end or divide a construct.
const CLOSERS: u32 = (1 << (Keyword::Then as u8))
    | (1 << (Keyword::Elif as u8))
    | (1 << (Keyword::Else as u8))
    | (1 << (Keyword::Fi as u8))
    | (1 << (Keyword::Do as u8))
    | (1 << (Keyword::Done as u8))
    | (1 << (Keyword::Esac as u8))
    | (1 << (Keyword::RightBrace as u8))
    | (1 << (Keyword::End as u8))
    | (1 << (Keyword::In as u8))
    | (1 << (Keyword::TestEnd as u8));
/// `)`
pub(super) const PAREN: u32 = 1 << 30;
/// The brace that ends `${ ...; }`, whatever follows it.
pub(super) const BRACE: u32 = 1 << 29;
/// `;;`, `;&`, `;;&`
pub(super) const ARM_END: u32 = 1 << 31;

/// The longest reserved word.
const LONGEST: usize = 8;

impl Parser<'_, '_> {
    /// The reserved word at the cursor, and the byte after it.
    pub(super) fn keyword(&self) -> Option<(Keyword, usize)> {
        if !matches!(self.peek(), Some(b'a'..=b'z' | b'{' | b'}' | b'!' | b'[' | b']' | b'\\')) {
            return None;
        }
        let mut word = [0; LONGEST];
        let mut len = 0;
        let mut pos = self.pos;
        loop {
            match self.bytes.get(pos) {
                Some(b'\\') if self.bytes.get(pos + 1) == Some(&b'\n') => pos += 2,
                Some(b'\r') if self.crlf && self.bytes.get(pos + 1) == Some(&b'\n') => break,
                Some(b'<' | b'>')
                    if self.bytes.get(pos + 1) == Some(&b'(') && self.dialect.extended() =>
                {
                    return None;
                }
                Some(&byte) if !super::cursor::is_delimiter(byte) => {
                    *word.get_mut(len)? = byte;
                    len += 1;
                    pos += 1;
                }
                _ => break,
            }
        }
        Some((Keyword::read(word.get(..len)?, self.dialect)?, pos))
    }

    pub(super) fn at_keyword(&self, keyword: Keyword) -> bool {
        self.keyword().is_some_and(|(found, _)| found == keyword)
    }

    pub(super) fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        match self.keyword() {
            Some((found, end)) if found == keyword => {
                self.pos = end;
                true
            }
            _ => false,
        }
    }

    /// The token at the cursor that ends a list of commands: its bit and the byte after it.
    pub(super) fn closer(&self) -> Option<(u32, usize)> {
        match self.peek()? {
            b')' => Some((PAREN, self.pos + 1)),
            b';' => self.arm_end().map(|end| (ARM_END, end)),
            b'}' if self.open & BRACE != 0 && self.keyword().is_none() => {
                Some((BRACE, self.pos + 1))
            }
            _ => {
                let (keyword, end) = self.keyword()?;
                keyword.closes().then_some((keyword.bit(), end))
            }
        }
    }

    /// The byte after `;;`, `;&` or `;;&`.
    fn arm_end(&self) -> Option<usize> {
        let extended = self.dialect.extended();
        match self.look(self.pos + 1) {
            (Some(b';'), second) => match self.look(second + 1) {
                (Some(b'&'), third) if extended => Some(third + 1),
                _ => Some(second + 1),
            },
            (Some(b'&'), second) if extended => Some(second + 1),
            (Some(b'|'), second) if self.dialect == Dialect::Zsh => Some(second + 1),
            _ => None,
        }
    }
}
