//! A hook's `matcher`: an ECMAScript regular expression searched in the event's subject.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use regress::Regex;

/// Time limit of a search: backtracking patterns can take practically for ever.
const PATIENCE: Duration = Duration::from_millis(500);

/// Subjects up to this length are searched on the calling thread if the pattern is simple.
const SHORT: usize = 4 * 1024;

/// Selects the events a hook runs for.
#[derive(Clone, Debug)]
pub struct Matcher {
    text: Option<String>,
    pattern: Pattern,
}

#[derive(Clone, Debug)]
enum Pattern {
    All,
    Regex(Arc<Searcher>),
    /// Not a valid regular expression: the hook runs anyway, so that a typo does not disable a guard.
    Invalid(String),
}

#[derive(Debug)]
struct Searcher {
    regex: Regex,
    effort: Effort,
    /// Set once a search has timed out; the pattern is not tried again.
    given_up: AtomicBool,
}

/// Whether a hook runs, with an optional warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub matched: bool,
    pub warning: Option<String>,
}

impl Matcher {
    /// The matcher of a hook without one: matches everything.
    pub const fn all() -> Self {
        Self { text: None, pattern: Pattern::All }
    }

    /// `*` and the empty text match everything; `*` alone is not a regular expression.
    pub fn new(text: &str) -> Self {
        let pattern = if text.is_empty() || text == "*" {
            Pattern::All
        } else {
            match Regex::new(text) {
                Ok(regex) => Pattern::Regex(Arc::new(Searcher {
                    regex,
                    effort: Effort::of(text),
                    given_up: AtomicBool::new(false),
                })),
                Err(error) => Pattern::Invalid(error.text.to_lowercase()),
            }
        };
        Self { text: Some(text.to_owned()), pattern }
    }

    /// The matcher's source text.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The syntax error of an invalid expression.
    pub fn fault(&self) -> Option<&str> {
        match &self.pattern {
            Pattern::Invalid(fault) => Some(fault),
            Pattern::All | Pattern::Regex(_) => None,
        }
    }

    /// Whether every subject matches.
    pub fn is_all(&self) -> bool {
        matches!(self.pattern, Pattern::All)
    }

    /// Tests the subjects in order until one matches.
    pub fn test<'s>(&self, subjects: impl IntoIterator<Item = &'s str>) -> Match {
        let text = self.text.as_deref().unwrap_or_default();
        let searcher = match &self.pattern {
            Pattern::All => return Match { matched: true, warning: None },
            Pattern::Invalid(fault) => {
                let warning =
                    format!("matcher `{text}` is invalid ({fault}): the hook runs anyway");
                return Match { matched: true, warning: Some(warning) };
            }
            Pattern::Regex(searcher) => searcher,
        };
        for subject in subjects {
            match Searcher::search(searcher, subject) {
                Some(false) => {}
                Some(true) => return Match { matched: true, warning: None },
                None => {
                    let warning =
                        format!("matcher `{text}` takes too long to search: the hook runs anyway");
                    return Match { matched: true, warning: Some(warning) };
                }
            }
        }
        Match { matched: false, warning: None }
    }
}

impl Searcher {
    /// `None` when the search timed out, now or earlier.
    fn search(searcher: &Arc<Self>, subject: &str) -> Option<bool> {
        if searcher.given_up.load(Ordering::Relaxed) {
            return None;
        }
        let quick = match searcher.effort {
            Effort::Linear => true,
            Effort::Quadratic => subject.len() <= SHORT,
            Effort::Unbounded => false,
        };
        if quick {
            return Some(searcher.regex.find(subject).is_some());
        }
        // A backtracking search cannot be interrupted, so it runs on a thread that can be abandoned.
        let (sender, found) = mpsc::sync_channel(1);
        let (shared, subject) = (Arc::clone(searcher), subject.to_owned());
        // Sending fails if the search took too long and the receiver is gone.
        let search = move || sender.send(shared.regex.find(&subject).is_some()).unwrap_or_default();
        let started = thread::Builder::new().name("matcher".to_owned()).spawn(search);
        let found = started.ok().and_then(|_| found.recv_timeout(PATIENCE).ok());
        searcher.given_up.fetch_or(found.is_none(), Ordering::Relaxed);
        found
    }
}

/// Worst-case growth of search time with the subject's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    Linear,
    Quadratic,
    /// Exponential backtracking is possible.
    Unbounded,
}

impl Effort {
    /// Judged from the metacharacters in the pattern. Escaped ones count too, which only costs a thread.
    fn of(pattern: &str) -> Self {
        let repeats = pattern.chars().filter(|sign| matches!(sign, '*' | '+' | '{' | '?')).count();
        let refers_back = pattern.as_bytes().windows(2);
        let refers_back =
            refers_back.into_iter().any(|pair| matches!(pair, [b'\\', b'1'..=b'9' | b'k']));
        match repeats {
            _ if refers_back => Self::Unbounded,
            0 => Self::Linear,
            1 if !pattern.contains('(') => Self::Quadratic,
            _ => Self::Unbounded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn matches(pattern: &str, subject: &str) -> bool {
        Matcher::new(pattern).test([subject]).matched
    }

    #[test]
    fn a_matcher_is_searched_for_anywhere_and_minds_capitals() {
        assert!(matches("curl|wget|nc ", "cd /tmp && curl x"));
        assert!(matches("Shell", "Shell"));
        assert!(!matches("shell", "Shell"));
        assert!(matches("^MCP:", "MCP:run_sql"));
        assert!(!matches("^Read$", "TabRead"));
    }

    #[test]
    fn star_empty_and_absent_match_all() {
        assert!(matches("*", "anything"));
        assert!(matches("", "anything"));
        assert!(Matcher::all().test(["anything"]).matched);
        assert!(Matcher::new("*").is_all());
    }

    #[test]
    fn the_dialect_is_ecmascript() {
        assert!(matches(r"^(?!git status)git\b", "git push"), "look-ahead");
        assert!(!matches(r"^(?!git status)git\b", "git status"));
        assert!(matches(r"(?<=--)force", "git push --force"), "look-behind");
        assert!(matches(r"(\w+) \1", "rm rm"), "back-reference");
        assert!(matches(r"(?<verb>rm) \k<verb>", "rm rm"), "named groups in JavaScript's spelling");
        assert!(matches(r"\cJ", "\n"), "control escapes");
        assert!(matches(r"[^]", "\n"), "the class of everything");
        assert!(matches(r"a{,2}", "a{,2}"), "a brace that is no quantifier is itself");
        assert!(matches(r"\u0041", "A"));
        assert!(Matcher::new("(?i)a").fault().is_some(), "not Perl's flags");
    }

    #[test]
    fn an_invalid_matcher_runs_the_hook_and_warns() {
        let found = Matcher::new("curl(").test(["ls"]);
        assert!(found.matched);
        assert!(found.warning.unwrap().contains("`curl(` is invalid"));
    }

    #[test]
    fn a_pattern_that_would_take_for_ever_runs_the_hook_and_warns() {
        let options = format!("^{}{}$", "a?".repeat(40), "a".repeat(40));
        for pattern in ["^(a+)+$", "^(a|a)*$", r"^(\w|-|[a-f])*$", r"^(a*)*\1$", &options] {
            let matcher = Matcher::new(pattern);
            let subject = "a".repeat(39) + "!";
            let start = Instant::now();
            for _ in 0..100 {
                let found = matcher.test([subject.as_str()]);
                assert!(found.matched && found.warning.is_some(), "{pattern}");
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{pattern} is tried once");
        }
    }
}
