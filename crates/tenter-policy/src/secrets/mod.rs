//! Finds secrets in a text: in prompts, commands, files and the output of tools.
//!
//! One pass marks candidate positions (`trigram`); at each of them the possible forms are tried: tokens with
//! a distinctive form (`shape`), names with a value (`generic`), URLs, blocks, flags. Nothing is allocated,
//! compiled or decoded before something is found, and every step is bounded, so that the time is linear in
//! the text.

/// A table of a function's values for every byte.
macro_rules! byte_table {
    ($of:path) => {{
        let mut table = [0; 256];
        let mut byte: u8 = 0;
        loop {
            table[byte as usize] = $of(byte);
            if byte == u8::MAX {
                break table;
            }
            byte += 1;
        }
    }};
}

mod anchors;
mod assign;
mod base64;
mod context;
mod exposed;
mod flags;
mod folded;
mod generic;
mod given;
mod groups;
mod handed;
mod hide;
mod jwk;
mod known;
mod names;
mod pem;
mod pgpass;
mod phrase;
mod placeholder;
mod prose;
mod providers;
mod rules;
mod runs;
mod seed;
mod shape;
mod strings;
mod table;
mod tokens;
mod trigram;
mod urls;
mod value;
mod views;
mod words;

pub use self::exposed::{Exposed, quotable};
pub use self::hide::redact;
pub use self::names::secret_name;
use self::rules::{ENVIRONMENT, Form, Word};
pub use self::rules::{RULES, RuleInfo};
use self::value::Traits;

/// Confidence that something is a secret.
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
    /// Byte range of the secret.
    pub start: usize,
    pub end: usize,
    pub confidence: Confidence,
    /// The variable, where its value was found.
    pub name: Option<String>,
}

/// Environment values with suspicious names; matched exactly.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k> {
    /// Name and value, chosen with [`secret_name`] and [`secret_value`].
    pub values: &'k [(&'k str, &'k str)],
}

/// Match of one form.
#[derive(Clone, Copy, Debug)]
struct SecretMatch {
    label: (&'static str, &'static str),
    start: usize,
    end: usize,
    confidence: Confidence,
    /// Recognised by its own form; a match by name only yields to it.
    sure: bool,
}

impl SecretMatch {
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

/// The secrets of a text in order, at most `limit`, without overlap.
pub fn scan(text: &str, known: &Known<'_>, limit: usize) -> Vec<Leak> {
    find(text, known, limit, false)
}

/// The same; `strict` includes values that are secret by their name only.
fn find(text: &str, known: &Known<'_>, limit: usize, strict: bool) -> Vec<Leak> {
    let mut scanner = Scanner { text, leaks: Vec::new(), pending: None, done: 0, limit, strict };
    if known.values.is_empty() {
        scanner.run(&anchors::ROWS, known, None);
        return scanner.leaks;
    }
    // The first values are searched in the same pass, the others in one more pass per batch.
    let mut rows = anchors::ROWS;
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

/// Adds the matches of another batch of values.
fn more_values(text: &str, known: &Known<'_>, first: usize, leaks: Vec<Leak>) -> Vec<Leak> {
    let mut rows = [[0; 32]; 32];
    let places = known::Places::new(known, first, &mut rows);
    let bytes = text.as_bytes();
    let mut more = Vec::new();
    let mut at = 0;
    while let Some(third) = trigram::next(&rows, bytes, at) {
        at = third.saturating_add(1);
        let here = places.here(known, bytes, third);
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

/// Names a token by the variable with the same value.
fn name_value(text: &str, known: &Known<'_>, leak: &mut Leak) {
    let secret = text.get(leak.start..leak.end).unwrap_or_default();
    let held = known::longest(known, |value| value.len() >= 3 && secret.contains(value));
    if let Some((index, _)) = held.filter(|_| leak.name.is_none()) {
        *leak = environment(known, index, leak.start, leak.end);
    }
}

/// Whether an environment value is worth an exact search.
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

/// The value in base64, as a prefix of any longer text: the complete groups of `echo $TOKEN | base64`. `None`
/// if it is too short to be distinctive.
pub fn encoded_secret(value: &str) -> Option<String> {
    let whole = value.len().checked_sub(value.len() % 3)?;
    let bytes = value.as_bytes().get(..whole).filter(|bytes| bytes.len() >= 12)?;
    Some(base64::encoded(bytes))
}

/// The percent-encoded value; `None` if that is unchanged.
pub fn escaped_secret(value: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    if value.bytes().all(is_plain) {
        return None;
    }
    let mut escaped = String::with_capacity(value.len().saturating_mul(3));
    for byte in value.bytes() {
        if is_plain(byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push('%');
            for digit in [byte >> 4, byte & 15] {
                escaped
                    .push(char::from_digit(digit.into(), 16).unwrap_or('0').to_ascii_uppercase());
            }
        }
    }
    Some(escaped)
}

/// One pass over a text.
struct Scanner<'t> {
    text: &'t str,
    leaks: Vec<Leak>,
    /// A match by name only, waiting for a token inside it.
    pending: Option<SecretMatch>,
    /// End of the last leak.
    done: usize,
    limit: usize,
    /// For redaction: see [`given`].
    strict: bool,
}

impl Scanner<'_> {
    fn run(&mut self, rows: &trigram::Rows, known: &Known<'_>, places: Option<&known::Places>) {
        let bytes = self.text.as_bytes();
        let mut seen = generic::Seen::new(self.strict);
        let mut at = 0;
        // The only name too short for the table.
        if let [b'p' | b'P', b'w' | b'W', b':' | b'=' | b' ', ..] = bytes {
            self.pending = generic::named(bytes, 0, &mut seen);
        }
        while let Some(third) = trigram::next(rows, bytes, at) {
            at = third.wrapping_add(1);
            let here = places.and_then(|places| places.here(known, bytes, third));
            if let Some((index, start, end)) = here.filter(|(_, start, _)| *start >= self.done) {
                self.give_way(start);
                self.done = end;
                self.leaks.push(environment(known, index, start, end));
                at = end;
            } else if let Some(found) = look(bytes, third, &mut seen) {
                at = self.take(found).unwrap_or(at);
            }
            if self.leaks.len() >= self.limit {
                break;
            }
        }
        self.give_way(usize::MAX);
        self.leaks.truncate(self.limit);
        for leak in &mut self.leaks {
            name_value(self.text, known, leak);
        }
    }

    /// Stores a match or lets it wait; returns where to continue.
    fn take(&mut self, found: SecretMatch) -> Option<usize> {
        if found.start < self.done {
            return None;
        }
        if !found.sure {
            if self.pending.is_none_or(|pending| pending.end <= found.start) {
                self.give_way(usize::MAX);
                self.pending = Some(found);
            }
            return None;
        }
        let found = if self.strict { self.with_all_around(found) } else { found };
        self.give_way(found.start);
        self.push(found);
        if found.label.0 == "aws-access-key" {
            self.pending = tokens::aws_secret(self.text.as_bytes(), found.end);
        }
        Some(found.end)
    }

    /// A token extended to the whole value that contains it.
    fn with_all_around(&self, found: SecretMatch) -> SecretMatch {
        match self.pending {
            Some(around) if around.start <= found.start && found.end < around.end => {
                SecretMatch { start: around.start, end: around.end, ..found }
            }
            _ => found,
        }
    }

    /// Turns the waiting match into a leak, unless it overlaps a match at `start`.
    fn give_way(&mut self, start: usize) {
        if let Some(pending) = self.pending.take()
            && pending.end <= start
        {
            self.push(pending);
        }
    }

    fn push(&mut self, found: SecretMatch) {
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
fn look(bytes: &[u8], third: usize, seen: &mut generic::Seen) -> Option<SecretMatch> {
    trigram::forms(bytes, third, |index, start| match rules::form(index) {
        Form::Token { index, shape, proof } => {
            tokens::token(bytes, start, index, shape, proof, seen.strict)
        }
        Form::Word { text, word } => {
            // Any separator may precede this one.
            let sign = usize::from(text == b" pw");
            let from = start.saturating_add(sign);
            if !placeholder::starts(bytes.get(from..)?, text.get(sign..)?) {
                return None;
            }
            let end = start.saturating_add(text.len());
            match word {
                Word::Name => {
                    let blank = usize::from(text.starts_with(b" "));
                    generic::named(bytes, start.saturating_add(blank), seen)
                }
                Word::Foreign => prose::foreign(bytes, end),
                Word::Dsn => urls::dsn(bytes, start),
                Word::Bearer => tokens::bearer(bytes, end),
                Word::Url => urls::password(bytes, start, seen.strict),
                Word::Pem => pem::block(bytes, start),
                Word::Putty => pem::putty(bytes, start),
                Word::Flag => flags::password(bytes, start, text, seen.strict),
                Word::Mnemonic => seed::phrase(bytes, end),
                Word::Pgpass => pgpass::line(bytes, start),
                Word::Secure => flags::secure(bytes, end),
                Word::Identified => flags::identified(bytes, end),
                Word::Asked => flags::asked(bytes, start),
                Word::Oracle => flags::oracle(bytes, end),
                Word::Call => flags::call(bytes, end),
                Word::Cookie => seen.strict.then(|| handed::cookie(bytes, end))?,
                Word::Jwk => jwk::private(bytes, start, seen),
            }
        }
    })
}
