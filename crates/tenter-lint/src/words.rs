//! Splits a command line into words, like a POSIX shell without context.

use std::ops::Range;

/// One word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Without quotes; a variable is written as `${NAME}`.
    pub(crate) text: String,
    /// Byte range in the command line.
    pub(crate) range: Range<usize>,
    /// Whether some part was quoted or escaped.
    pub(crate) quoted: bool,
    /// Whether it starts with a quote, so that a `~` is literal.
    pub(crate) quoted_start: bool,
    /// Whether the shell expands it in a way that cannot be evaluated here: a substitution, a glob.
    pub(crate) opaque: bool,
}

/// The first simple command of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) words: Vec<Word>,
    /// Whether another command handles its failure: `||`, or a pipe.
    pub(crate) hedged: bool,
}

/// Splits off the first simple command of a line. `None` on a syntax error.
pub(crate) fn split(line: &str) -> Option<Line> {
    let mut reader = Reader { line, at: 0, result: Line::default() };
    reader.read()?;
    Some(reader.result)
}

struct Reader<'a> {
    line: &'a str,
    at: usize,
    result: Line,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.line.get(self.at..)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    fn read(&mut self) -> Option<()> {
        while let Some(character) = self.peek() {
            match character {
                ' ' | '\t' => {
                    self.next();
                }
                '#' => break,
                '\n' | ';' | '&' | '|' | '(' | ')' => {
                    self.end();
                    break;
                }
                '<' | '>' => return self.redirection(),
                _ => {
                    let word = self.word()?;
                    let descriptor = word.text.chars().all(|c| c.is_ascii_digit());
                    if descriptor && !word.quoted && matches!(self.peek(), Some('<' | '>')) {
                        return self.redirection();
                    }
                    self.result.words.push(word);
                }
            }
        }
        Some(())
    }

    /// The terminator of a command tells whether its failure matters.
    fn end(&mut self) {
        let rest = self.line.get(self.at..).unwrap_or_default();
        self.result.hedged = rest.starts_with('|') || rest.starts_with('(');
    }

    /// Words after a redirection do not matter here; a pipe or `||` still does.
    fn redirection(&mut self) -> Option<()> {
        let rest = self.line.get(self.at..)?;
        self.result.hedged = rest.contains('|');
        Some(())
    }

    fn word(&mut self) -> Option<Word> {
        let start = self.at;
        let quoted_start = matches!(self.peek(), Some('"' | '\'' | '\\'));
        let text = String::new();
        let mut word = Word { text, range: 0..0, quoted: false, quoted_start, opaque: false };
        while let Some(character) = self.peek() {
            match character {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    self.next();
                    word.quoted = true;
                    let rest = self.line.get(self.at..)?;
                    let end = rest.find('\'')?;
                    word.text.push_str(rest.get(..end)?);
                    self.at += end + 1;
                }
                '"' => {
                    self.next();
                    word.quoted = true;
                    self.double_quoted(&mut word)?;
                }
                '\\' => {
                    self.next();
                    word.quoted = true;
                    word.text.push(self.next()?);
                }
                '$' => self.variable(&mut word),
                '`' | '*' | '?' | '[' | '{' => {
                    self.next();
                    word.opaque = true;
                }
                _ => {
                    self.next();
                    word.text.push(character);
                }
            }
        }
        word.range = start..self.at;
        Some(word)
    }

    fn double_quoted(&mut self, word: &mut Word) -> Option<()> {
        loop {
            match self.peek()? {
                '"' => {
                    self.next();
                    return Some(());
                }
                '\\' => {
                    self.next();
                    let character = self.next()?;
                    if !matches!(character, '"' | '\\' | '$' | '`') {
                        word.text.push('\\');
                    }
                    word.text.push(character);
                }
                '$' => self.variable(word),
                '`' => {
                    self.next();
                    word.opaque = true;
                }
                character => {
                    self.next();
                    word.text.push(character);
                }
            }
        }
    }

    /// Parses `$NAME` or `${NAME}`; any other expansion is opaque.
    fn variable(&mut self, word: &mut Word) {
        self.next();
        let rest = self.line.get(self.at..).unwrap_or_default();
        let braced = rest.starts_with('{');
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let name_end =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = rest.get(..name_end).unwrap_or_default();
        let closed = !braced || rest.get(name_end..).is_some_and(|rest| rest.starts_with('}'));
        if name.is_empty() || !closed {
            word.opaque = true;
            return;
        }
        self.at += name.len() + if braced { 2 } else { 0 };
        word.text.push_str("${");
        word.text.push_str(name);
        word.text.push('}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        split(line).unwrap().words.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn quotes_are_taken_off() {
        assert_eq!(words("python3 'my hook.py' --a"), ["python3", "my hook.py", "--a"]);
        assert_eq!(words(r#""$CLAUDE_PROJECT_DIR"/x.sh"#), ["${CLAUDE_PROJECT_DIR}/x.sh"]);
        assert_eq!(words(r"my\ hook.sh"), ["my hook.sh"]);
        assert_eq!(words(r#"${A}/b "c\"d""#), ["${A}/b", "c\"d"]);
        assert_eq!(words("  a   # rest"), ["a"]);
        assert!(words("").is_empty());
    }

    #[test]
    fn only_the_first_command_is_read() {
        assert_eq!(words("cd x && ./y"), ["cd", "x"]);
        assert_eq!(words("./x 2>/dev/null"), ["./x"]);
        assert_eq!(words("./x >log 2>&1"), ["./x"]);
        assert!(!split("./x; exit 0").unwrap().hedged);
        assert!(split("./x || true").unwrap().hedged);
        assert!(split("./x 2>/dev/null || true").unwrap().hedged);
        assert!(split("cat | ./x").unwrap().hedged);
    }

    #[test]
    fn what_cannot_be_told_is_marked() {
        assert!(split("$(which x) y").unwrap().words[0].opaque);
        assert!(split("./*.sh").unwrap().words[0].opaque);
        assert!(split("`x`").unwrap().words[0].opaque);
        assert!(split("'never closed").is_none());
        assert!(split("a\\").is_none());
    }

    #[test]
    fn ranges_cover_the_word_as_written() {
        let line = "sh \"a b\".sh";
        let word = split(line).unwrap().words[1].clone();
        assert_eq!(line.get(word.range), Some("\"a b\".sh"));
        assert!(word.quoted);
    }
}
