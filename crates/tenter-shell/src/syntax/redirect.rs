//! Redirections.

use super::ast::{Fd, Redirect, RedirectKind, Word, WordPart};
use super::cursor::Parser;
use super::dialect::Dialect;

impl Parser<'_, '_> {
    /// The redirection at the cursor, if one starts here.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        if !matches!(self.peek()?, b'<' | b'>' | b'&' | b'{' | b'0'..=b'9') {
            return None;
        }
        let start = self.pos;
        let fd = self.descriptor()?;
        let both = self.peek() == Some(b'&');
        self.pos += usize::from(both);
        let kind = if both {
            self.eat_joined(b'>');
            let append = self.eat_joined(b'>');
            self.eat_clobber();
            RedirectKind::Both { target: self.target(), append }
        } else if self.eat_joined(b'<') {
            self.input()
        } else {
            self.eat_joined(b'>');
            self.output(&fd)
        };
        Some(Redirect { fd, kind, span: self.span(start) })
    }

    /// The descriptor before the operator. `None`, with nothing read, if there is no operator.
    fn descriptor(&mut self) -> Option<Fd> {
        let start = self.pos;
        let fd = match self.peek()? {
            b'&' if self.dialect != Dialect::Posix => {
                return (self.look(start + 1).0 == Some(b'>')).then_some(Fd::Default);
            }
            b'{' if self.dialect.extended() => {
                let end = self.name_end(start + 1);
                if end == start + 1 || self.bytes.get(end) != Some(&b'}') {
                    return None;
                }
                self.pos = end + 1;
                Fd::Variable(self.slice(start + 1, end).to_owned())
            }
            b'0'..=b'9' => {
                while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                    self.pos += 1;
                }
                Fd::Number(self.slice(start, self.pos).parse().unwrap_or(u32::MAX))
            }
            _ => Fd::Default,
        };
        if matches!(self.look(self.pos).0, Some(b'<' | b'>')) && !self.at_process() {
            return Some(fd);
        }
        self.pos = start;
        None
    }

    fn target(&mut self) -> Word {
        self.skip_blanks();
        self.expect_word("the target of the redirection is missing")
    }

    /// `|` and, in zsh, `!` after an operator that writes.
    fn eat_clobber(&mut self) -> bool {
        match self.dialect {
            Dialect::Zsh => self.eat_joined(b'|') || self.eat(b'!'),
            Dialect::Fish => {
                self.eat(b'?');
                false
            }
            Dialect::Bash | Dialect::Posix => self.eat_joined(b'|'),
        }
    }

    fn input(&mut self) -> RedirectKind {
        if self.eat_joined(b'&') {
            return RedirectKind::Duplicate { target: self.target(), output: false };
        }
        if self.eat_joined(b'>') {
            return RedirectKind::ReadWrite(self.target());
        }
        if self.dialect == Dialect::Fish || !self.eat_joined(b'<') {
            return RedirectKind::Read(self.target());
        }
        if self.look(self.pos).0 == Some(b'<') {
            if self.dialect == Dialect::Posix {
                self.unexpected("this shell has no `<<<`");
            }
            self.eat_joined(b'<');
            return RedirectKind::HereString(self.target());
        }
        let tabs = self.eat_joined(b'-');
        self.skip_blanks();
        let (body, quoted) = self.heredoc(tabs);
        RedirectKind::Heredoc { body, quoted }
    }

    fn output(&mut self, fd: &Fd) -> RedirectKind {
        if self.eat_joined(b'>') {
            self.eat_clobber();
            return RedirectKind::Append(self.target());
        }
        if self.eat_joined(b'&') {
            let target = self.target();
            if *fd == Fd::Default && self.dialect.extended() && names_file(&target.parts) {
                return RedirectKind::Both { target, append: false };
            }
            return RedirectKind::Duplicate { target, output: true };
        }
        let clobber = self.eat_clobber();
        RedirectKind::Write { target: self.target(), clobber }
    }
}

/// Whether this cannot be the number of a descriptor, nor `-`: some of its text is neither.
fn names_file(target: &[WordPart]) -> bool {
    target.iter().any(|part| match part {
        WordPart::Literal(text) | WordPart::Quoted(text) => {
            text.text.bytes().any(|byte| !byte.is_ascii_digit() && byte != b'-')
        }
        WordPart::DoubleQuoted(parts) => names_file(parts),
        _ => false,
    })
}
