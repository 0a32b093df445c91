//! Finds secrets in a text: in prompts, commands, files and the output of tools.
//!
//! One pass marks the places worth a second look ([`trigram`]); at each of them the forms that may
//! begin there are tried by hand: tokens with a mark of their own ([`shape`]), names with a value
//! ([`generic`]), addresses, blocks, flags. Nothing is allocated, compiled or decoded before
//! something is found, and every look is bounded, so that the time is linear in the text.

mod assign;
mod base64;
mod context;
mod flags;
mod generic;
mod known;
mod names;
mod pem;
mod placeholder;
mod prose;
mod providers;
mod rules;
mod seed;
mod shape;
mod strings;
mod trigram;
mod urls;
mod value;
mod words;

use std::borrow::Cow;

pub use self::names::secret_name;
use self::rules::{AWS_SECRET, BEARER, ENVIRONMENT, Form, Proof, Word};
pub use self::rules::{RULES, RuleInfo};
use self::value::Traits;

/// How sure it is that something is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    Medium,
    High,
}

/// One secret found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// The id of the rule, as in [`RULES`].
    pub rule: &'static str,
    pub title: &'static str,
    /// Where the secret itself begins and ends, in bytes.
    pub start: usize,
    pub end: usize,
    pub confidence: Confidence,
    /// The variable, where the value of one was found.
    pub name: Option<String>,
}

/// Values from the environment whose names sound secret; matched exactly.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k> {
    /// Name and value, chosen with [`secret_name`] and [`secret_value`].
    pub values: &'k [(&'k str, &'k str)],
}

/// What one of the forms says about a place.
#[derive(Clone, Copy, Debug)]
struct Found {
    label: (&'static str, &'static str),
    start: usize,
    end: usize,
    confidence: Confidence,
    /// Told by its own text; what was only told by a name gives way to it.
    sure: bool,
}

impl Found {
    fn new(
        label: (&'static str, &'static str),
        start: usize,
        end: usize,
        confidence: Confidence,
    ) -> Self {
        Self { label, start, end, confidence, sure: false }
    }

    fn sure(label: (&'static str, &'static str), start: usize, end: usize) -> Self {
        Self { label, start, end, confidence: Confidence::High, sure: true }
    }
}

/// The secrets of a text in their order, at most `limit` of them, none overlapping another.
pub fn scan(text: &str, known: &Known<'_>, limit: usize) -> Vec<Leak> {
    let mut scanner = Scanner { text, leaks: Vec::new(), pending: None, done: 0, limit };
    if known.values.is_empty() {
        scanner.run(&trigram::ROWS, known, None);
        return scanner.leaks;
    }
    // The first values are looked for in the same pass, the others in one more for each batch.
    let mut rows = trigram::ROWS;
    let places = known::Places::new(known, 0, &mut rows);
    scanner.run(&rows, known, Some(&places));
    let mut leaks = scanner.leaks;
    let mut first = known::BATCH;
    while first < known.values.len() {
        leaks = more_values(text, known, first, leaks);
        first = first.saturating_add(known::BATCH);
    }
    leaks.truncate(limit);
    leaks
}

/// Adds the values of one more batch.
fn more_values(text: &str, known: &Known<'_>, first: usize, leaks: Vec<Leak>) -> Vec<Leak> {
    let mut rows = [0; 1024];
    let places = known::Places::new(known, first, &mut rows);
    let bytes = text.as_bytes();
    let mut more = Vec::new();
    let mut at = 0;
    while let Some(third) = trigram::next(&rows, bytes, at) {
        at = third.saturating_add(1);
        let code = trigram::code(bytes, third).unwrap_or_default();
        let here = places.here(known, bytes, third, code);
        if let Some((index, start, end)) = here.filter(|(_, start, _)| *start >= done(&more)) {
            more.push(environment(known, index, start, end));
        }
    }
    if more.is_empty() {
        return leaks;
    }
    let free = |leak: &Leak| !more.iter().any(|new| leak.start < new.end && new.start < leak.end);
    let mut all: Vec<Leak> = leaks.into_iter().filter(free).collect();
    all.append(&mut more);
    all.sort_by_key(|leak| leak.start);
    all
}

fn done(leaks: &[Leak]) -> usize {
    leaks.last().map_or(0, |leak| leak.end)
}

fn environment(known: &Known<'_>, index: usize, start: usize, end: usize) -> Leak {
    Leak {
        rule: ENVIRONMENT.id,
        title: ENVIRONMENT.title,
        start,
        end,
        confidence: Confidence::High,
        name: known.values.get(index).map(|(name, _)| (*name).to_owned()),
    }
}

/// Replaces every secret by the id of its rule in brackets, for records and messages.
pub fn redact<'t>(text: &'t str, known: &Known<'_>) -> Cow<'t, str> {
    let leaks = scan(text, known, usize::MAX);
    if leaks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for leak in &leaks {
        clean.push_str(text.get(at..leak.start).unwrap_or_default());
        clean.push('[');
        clean.push_str(leak.rule);
        clean.push(']');
        at = leak.end;
    }
    clean.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(clean)
}

/// Whether a value from the environment is worth looking for exactly.
pub fn secret_value(value: &str) -> bool {
    let bytes = value.as_bytes();
    let traits = Traits::of(bytes);
    if value.contains("://") {
        return !scan(value, &Known { values: &[] }, 1).is_empty();
    }
    let path = [b'/', b'.', b'~'].iter().any(|start| bytes.first() == Some(start));
    let words = traits.reads() && traits.digit < 2 && traits.symbol == 0;
    let secret = traits.letters() >= 1 && traits.distinct >= 6 && !words && !path;
    value.len() >= 8
        && secret
        && !placeholder::common(bytes)
        && !placeholder::is(bytes)
        && (traits.kinds() >= 2 || traits.random(16))
}

/// One pass over a text.
struct Scanner<'t> {
    text: &'t str,
    leaks: Vec<Leak>,
    /// Told by a name only: it waits for a token inside it.
    pending: Option<Found>,
    /// Where the last leak ends.
    done: usize,
    limit: usize,
}

impl Scanner<'_> {
    fn run(&mut self, rows: &trigram::Rows, known: &Known<'_>, places: Option<&known::Places>) {
        let bytes = self.text.as_bytes();
        let mut seen = generic::Seen::default();
        let mut at = 0;
        while self.leaks.len() < self.limit {
            let Some(third) = trigram::next(rows, bytes, at) else { break };
            at = third.saturating_add(1);
            let code = trigram::code(bytes, third).unwrap_or_default();
            if let Some(places) = places
                && let Some((index, start, end)) = places.here(known, bytes, third, code)
                && start >= self.done
            {
                self.give_way(start);
                if self.leaks.len() < self.limit {
                    self.done = end;
                    self.leaks.push(environment(known, index, start, end));
                }
                at = end;
                continue;
            }
            let found = look(bytes, third, code, &mut seen);
            if let Some(found) = found.filter(|found| found.start >= self.done) {
                at = self.take(found, at);
            }
        }
        self.give_way(usize::MAX);
    }

    /// Keeps what was found, or lets it wait; says where to go on.
    fn take(&mut self, found: Found, at: usize) -> usize {
        if !found.sure {
            let free = self.pending.is_none_or(|pending| pending.end <= found.start);
            if free {
                self.give_way(usize::MAX);
                self.pending = Some(found);
            }
            return at;
        }
        self.give_way(found.start);
        self.push(found);
        if found.label.0 == "aws-access-key" {
            self.pending = aws_secret(self.text.as_bytes(), found.end);
        }
        found.end.max(at)
    }

    /// What waits becomes a leak, unless it overlaps what begins at `start`.
    fn give_way(&mut self, start: usize) {
        if let Some(pending) = self.pending.take()
            && pending.end <= start
        {
            self.push(pending);
        }
    }

    fn push(&mut self, found: Found) {
        if self.leaks.len() >= self.limit {
            return;
        }
        let end = self.text.floor_char_boundary(found.end);
        self.done = end;
        self.leaks.push(Leak {
            rule: found.label.0,
            title: found.label.1,
            start: self.text.floor_char_boundary(found.start),
            end,
            confidence: found.confidence,
            name: None,
        });
    }
}

/// Tries the forms that may be where the three bytes end.
fn look(bytes: &[u8], third: usize, code: u16, seen: &mut generic::Seen) -> Option<Found> {
    let second = third.checked_sub(2)?;
    trigram::forms(code).find_map(|anchor| {
        let start = second.checked_sub(usize::from(anchor.at))?;
        match rules::form(usize::from(anchor.target)) {
            Form::Token { index, shape, proof } => token(bytes, start, index, shape, proof),
            Form::Word { text, word } => {
                if !placeholder::starts(bytes.get(start..)?, text) {
                    return None;
                }
                let end = start.saturating_add(text.len());
                match word {
                    Word::Name => generic::named(bytes, start, seen),
                    Word::Bearer => bearer(bytes, end),
                    Word::Url => urls::password(bytes, start),
                    Word::Pem => pem::block(bytes, start),
                    Word::Putty => pem::putty(bytes, start),
                    Word::Flag => flags::password(bytes, start, text),
                    Word::Mnemonic => seed::phrase(bytes, end),
                }
            }
        }
    })
}

/// A token of a known form at `start`.
fn token(bytes: &[u8], start: usize, index: usize, shape: &[u8], proof: Proof) -> Option<Found> {
    if !begins(bytes, start) {
        return None;
    }
    let span = shape::matched(shape, bytes, start)?;
    let whole = bytes.get(span.start..span.end)?;
    let body = bytes.get(span.body..span.end)?;
    let traits = Traits::of(body);
    let enough = match body.len() {
        0..12 => 4,
        12..24 => 6,
        _ => 8,
    };
    let random = proof != Proof::Random || traits.random(body.len().min(20));
    if traits.distinct < enough || !random || placeholder::example(whole, body) {
        return None;
    }
    let mut found = Found::sure(rules::label(index), span.start, span.end);
    if proof == Proof::Weak {
        found.confidence = Confidence::Medium;
    }
    Some(found)
}

/// Whether a token may begin here: not in the middle of a word.
fn begins(bytes: &[u8], start: usize) -> bool {
    let behind = |by: usize| start.checked_sub(by).and_then(|at| bytes.get(at)).copied();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let inside = bytes.get(start).is_some_and(|byte| word(*byte)) && behind(1).is_some_and(word);
    // `\nghp_...` in a string, `%3Dghp_...` in an address.
    let escaped = behind(2) == Some(b'\\') && matches!(behind(1), Some(b'n' | b'r' | b't'));
    let encoded = behind(3) == Some(b'%') && behind(1).is_some_and(|b| b.is_ascii_hexdigit());
    (!inside || escaped || encoded) && !in_blob(bytes, start)
}

/// Whether this is the middle of some base64.
fn in_blob(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(24)..start).unwrap_or_default();
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    matches!(before.last(), Some(b'+' | b'/')) && before.len() == 24 && before.iter().all(part)
}

/// `Bearer` and a token, anywhere.
fn bearer(bytes: &[u8], end: usize) -> Option<Found> {
    let start = assign::skip(bytes, end, 2, |byte| byte == b' ' || byte == b':');
    let value = assign::value(bytes, start, assign::Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    let secret = start > end
        && Traits::of(text).random(20)
        && !value::uuid(text)
        && !placeholder::is(text)
        && !text.iter().any(|byte| matches!(byte, b'(' | b'[' | b'{'));
    let label = (BEARER.id, BEARER.title);
    secret.then(|| Found::new(label, value.start, value.end, Confidence::Medium))
}

/// The secret half of an AWS key, soon after the other half.
fn aws_secret(bytes: &[u8], end: usize) -> Option<Found> {
    let rest = bytes.get(end..)?;
    let rest = rest.get(..rest.len().min(200))?;
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'/' || *byte == b'+';
    let mut at = 0;
    for word in rest.split(|byte| !part(byte)) {
        let traits = Traits::of(word);
        if word.len() == 40 && traits.kinds() >= 3 && traits.random(40) && !placeholder::is(word) {
            let start = end.saturating_add(at);
            let label = (AWS_SECRET.id, AWS_SECRET.title);
            let mut found = Found::new(label, start, start.saturating_add(40), Confidence::High);
            found.sure = true;
            return Some(found);
        }
        at = at.saturating_add(word.len()).saturating_add(1);
    }
    None
}
