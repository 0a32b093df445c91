//! Session memory: facts about a session that guards and rules need.
//!
//! There is no daemon: the caller stores one small file per session, one line per fact, and passes its text
//! in. Invalid lines are skipped; a damaged file loses facts but does not fail.

/// Facts about a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    pub denied: Vec<Intent>,
    /// Whether a secret was read.
    pub secret_read: bool,
    counts: Vec<(String, u32)>,
}

/// A denied effect and its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    pub rule: String,
    /// Kind of effect: `delete`, `send`.
    pub kind: String,
    pub target: String,
}

/// One fact to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Memo {
    Denied(Intent),
    SecretRead,
    /// A rule with a limit has matched.
    Counted(String),
}

/// Maximum number of denials stored.
const MOST: usize = 256;

impl Memory {
    pub const fn new() -> Self {
        Self { denied: Vec::new(), secret_read: false, counts: Vec::new() }
    }

    /// Parses a session's file.
    pub fn parse(text: &str) -> Self {
        let mut memory = Self::new();
        for line in text.lines() {
            let mut words = line.split('\t');
            match (words.next(), words.next(), words.next(), words.next()) {
                (Some("denied"), Some(rule), Some(kind), Some(target)) => {
                    let intent = Intent {
                        rule: unescape(rule),
                        kind: unescape(kind),
                        target: unescape(target),
                    };
                    if memory.denied.len() < MOST && !memory.denied.contains(&intent) {
                        memory.denied.push(intent);
                    }
                }
                (Some("secret-read"), ..) => memory.secret_read = true,
                (Some("counted"), Some(rule), ..) => memory.count(&unescape(rule)),
                _ => {}
            }
        }
        memory
    }

    /// Adds one fact.
    pub fn add(&mut self, memo: &Memo) {
        match memo {
            Memo::Denied(intent) if !self.denied.contains(intent) => {
                self.denied.push(intent.clone());
            }
            Memo::Denied(_) => {}
            Memo::SecretRead => self.secret_read = true,
            Memo::Counted(rule) => self.count(rule),
        }
    }

    fn count(&mut self, rule: &str) {
        match self.counts.iter_mut().find(|(name, _)| name == rule) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => self.counts.push((rule.to_owned(), 1)),
        }
    }

    /// Number of matches of a rule with a limit.
    pub fn counted(&self, rule: &str) -> u32 {
        self.counts.iter().find(|(name, _)| name == rule).map_or(0, |(_, count)| *count)
    }
}

impl Memo {
    /// The fact as a line for the session's file.
    pub fn line(&self) -> String {
        match self {
            Memo::Denied(Intent { rule, kind, target }) => {
                format!("denied\t{}\t{}\t{}\n", escape(rule), escape(kind), escape(target))
            }
            Memo::SecretRead => "secret-read\n".to_owned(),
            Memo::Counted(rule) => format!("counted\t{}\n", escape(rule)),
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some('t') => out.push('\t'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_can_be_read_again() {
        let memos = [
            Memo::Denied(Intent {
                rule: "a/b".into(),
                kind: "delete".into(),
                target: "/x\ty\\n\n\\z".into(),
            }),
            Memo::SecretRead,
            Memo::Counted("r".into()),
            Memo::Counted("r".into()),
        ];
        let mut kept = Memory::new();
        for memo in &memos {
            kept.add(memo);
        }
        let text: String = memos.iter().map(Memo::line).collect();
        assert_eq!(Memory::parse(&text), kept);
        assert_eq!(kept.counted("r"), 2);
    }

    #[test]
    fn a_damaged_file_forgets_and_does_not_fail() {
        let memory = Memory::parse("denied\tonly\nnonsense\n\n\tcounted\nsecret-read");
        assert_eq!(memory, Memory { secret_read: true, ..Memory::new() });
    }
}
