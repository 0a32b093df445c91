//! Matching of patterns. Every step works on the set of all places that can be reached, so nothing
//! is tried twice and no pattern takes longer than its length times that of the text.

use crate::value::{Field, Part};

/// Steps for one question.
const FUEL: usize = 1 << 15;
/// Groups inside groups.
const MAX_DEPTH: usize = 12;

#[derive(Debug)]
pub(super) struct Pattern {
    tokens: Vec<Token>,
    unknown: bool,
    groups: bool,
}

#[derive(Debug)]
enum Token {
    Text(String),
    One,
    Star,
    Class { negated: bool, items: Vec<Item> },
    Group { kind: char, alternatives: Vec<Vec<Token>> },
}

#[derive(Debug)]
enum Item {
    Range(char, char),
    Named(fn(&char) -> bool),
}

impl Pattern {
    pub(super) fn new(field: &Field) -> Self {
        let mut this = Self { tokens: Vec::new(), unknown: false, groups: false };
        for part in &field.parts {
            match part {
                Part::Text { text, .. } => this.tokens.push(Token::Text(text.clone())),
                Part::Glob(glob) => {
                    let mut reader = Reader { chars: glob.chars().collect(), at: 0 };
                    match reader.tokens(0) {
                        Some(tokens) => this.tokens.extend(tokens),
                        None => {
                            this.tokens.push(Token::Star);
                            this.unknown = true;
                        }
                    }
                }
                Part::Unknown(_) => {
                    this.tokens.push(Token::Star);
                    this.unknown = true;
                }
            }
        }
        this.groups = this.tokens.iter().any(|token| matches!(token, Token::Group { .. }));
        this
    }

    /// All of it can be told, and means the same in every shell.
    pub(super) fn is_certain(&self) -> bool {
        !self.unknown && !self.groups
    }

    pub(super) fn matches(&self, text: &str) -> Option<bool> {
        let found = self.spans(text, 0, &mut { FUEL })?.last() == Some(&text.len());
        // Unknown parts were treated as "anything": only a negative result is certain.
        (!found || !self.unknown).then_some(found)
    }

    /// All places where a match that starts at `from` can end.
    fn spans(&self, text: &str, from: usize, fuel: &mut usize) -> Option<Vec<usize>> {
        ends(&self.tokens, text, vec![from], fuel)
    }

    /// Where the prefix of the text that matches ends. None when out of fuel.
    pub(super) fn prefix(&self, text: &str, longest: bool, fuel: &mut usize) -> Option<Edge> {
        let ends = self.spans(text, 0, fuel)?;
        Some(if longest { ends.last().copied() } else { ends.first().copied() })
    }

    /// Where the suffix of the text that matches starts. None when out of fuel.
    pub(super) fn suffix(&self, text: &str, longest: bool, fuel: &mut usize) -> Option<Edge> {
        if let [Token::Text(known)] = self.tokens.as_slice() {
            return Some(text.ends_with(known.as_str()).then(|| text.len() - known.len()));
        }
        let mut found = None;
        for start in starts(text, 0) {
            if self.spans(text, start, fuel)?.last() == Some(&text.len()) {
                found = Some(start);
                if longest {
                    break;
                }
            }
        }
        Some(found)
    }

    /// The first match from `from` on, and of those the longest. None when out of fuel.
    pub(super) fn find(&self, text: &str, from: usize, fuel: &mut usize) -> Option<MatchSpan> {
        if let [Token::Text(known)] = self.tokens.as_slice() {
            let found = text.get(from..)?.find(known.as_str()).map(|at| from + at);
            return Some(found.map(|start| (start, start + known.len())));
        }
        for start in starts(text, from) {
            if let Some(end) = self.spans(text, start, fuel)?.last() {
                return Some(Some((start, *end)));
            }
        }
        Some(None)
    }

    /// Matches only the empty text.
    pub(super) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }
}

/// Where a match begins or ends, if there is one.
pub(super) type Edge = Option<usize>;
/// Start and end of a match, if there is one.
pub(super) type MatchSpan = Option<(usize, usize)>;

/// Every place in the text, from `from` to its end.
fn starts(text: &str, from: usize) -> impl Iterator<Item = usize> + '_ {
    let rest = text.get(from..).unwrap_or_default();
    rest.char_indices().map(move |(at, _)| from + at).chain(std::iter::once(text.len()))
}

/// All places that are reached from any of `from`; sorted, as `from` is.
fn ends(tokens: &[Token], text: &str, from: Vec<usize>, fuel: &mut usize) -> Option<Vec<usize>> {
    let mut places = from;
    for token in tokens {
        *fuel = fuel.checked_sub(places.len() + 1)?;
        let Some(first) = places.first().copied() else { break };
        places = match token {
            Token::Text(known) => places
                .into_iter()
                .filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(known.as_str())))
                .map(|at| at + known.len())
                .collect(),
            Token::One => step(text, &places, |_| true),
            Token::Class { negated, items } => {
                step(text, &places, |ch| items.iter().any(|item| item.holds(ch)) != *negated)
            }
            Token::Star => {
                *fuel = fuel.checked_sub(text.len() - first)?;
                starts(text, first).collect()
            }
            Token::Group { kind, alternatives } => group(*kind, alternatives, text, &places, fuel)?,
        };
    }
    Some(places)
}

fn step(text: &str, places: &[usize], takes: impl Fn(char) -> bool) -> Vec<usize> {
    let next = |at: &usize| text.get(*at..).and_then(|rest| rest.chars().next());
    places
        .iter()
        .filter_map(|at| next(at).filter(|ch| takes(*ch)).map(|ch| at + ch.len_utf8()))
        .collect()
}

fn group(
    kind: char,
    alternatives: &[Vec<Token>],
    text: &str,
    places: &[usize],
    fuel: &mut usize,
) -> Option<Vec<usize>> {
    if kind == '!' {
        let mut all = Vec::new();
        for place in places {
            let taken = any_of(alternatives, text, &[*place], fuel)?;
            *fuel = fuel.checked_sub(text.len() - place)?;
            let free = |at: &usize| taken.binary_search(at).is_err();
            all.extend(starts(text, *place).filter(free));
        }
        return Some(sorted(all));
    }
    let mut reached = any_of(alternatives, text, places, fuel)?;
    if matches!(kind, '*' | '+') {
        loop {
            let mut more = any_of(alternatives, text, &reached, fuel)?;
            more.extend_from_slice(&reached);
            let more = sorted(more);
            if more.len() == reached.len() {
                break;
            }
            reached = more;
        }
    }
    if matches!(kind, '*' | '?') {
        reached.extend_from_slice(places);
    }
    Some(sorted(reached))
}

fn any_of(
    alternatives: &[Vec<Token>],
    text: &str,
    places: &[usize],
    fuel: &mut usize,
) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    for alternative in alternatives {
        all.extend(ends(alternative, text, places.to_vec(), fuel)?);
    }
    Some(sorted(all))
}

fn sorted(mut places: Vec<usize>) -> Vec<usize> {
    places.sort_unstable();
    places.dedup();
    places
}

impl Item {
    fn holds(&self, ch: char) -> bool {
        match self {
            Self::Range(low, high) => (*low..=*high).contains(&ch),
            Self::Named(test) => test(&ch),
        }
    }
}

/// Reads the text of a [`Part::Glob`].
struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let ch = self.peek(0)?;
        self.at += 1;
        Some(ch)
    }

    /// Tokens up to the end, or to a `|` or `)` of the group around. None when nested too deep.
    fn tokens(&mut self, depth: usize) -> Option<Vec<Token>> {
        let mut tokens = Vec::new();
        while let Some(ch) = self.peek(0) {
            if depth > 0 && matches!(ch, '|' | ')') {
                break;
            }
            self.at += 1;
            if matches!(ch, '*' | '?' | '+' | '@' | '!') && self.peek(0) == Some('(') {
                tokens.push(self.group(ch, depth)?);
                continue;
            }
            let token = match ch {
                '*' => Token::Star,
                '?' => Token::One,
                '[' => {
                    let start = self.at;
                    self.class().unwrap_or_else(|| {
                        self.at = start;
                        Token::Text("[".to_owned())
                    })
                }
                '\\' => Token::Text(self.next().unwrap_or('\\').to_string()),
                other => Token::Text(other.to_string()),
            };
            tokens.push(token);
        }
        Some(tokens)
    }

    fn group(&mut self, kind: char, depth: usize) -> Option<Token> {
        if depth >= MAX_DEPTH {
            return None;
        }
        let mut alternatives = Vec::new();
        // Past the bracket first, then past every bar.
        while self.next().is_some_and(|ch| ch != ')') {
            alternatives.push(self.tokens(depth + 1)?);
        }
        Some(Token::Group { kind, alternatives })
    }

    /// After `[`; none when it does not end.
    fn class(&mut self) -> Option<Token> {
        let negated = matches!(self.peek(0), Some('!' | '^'));
        if negated {
            self.at += 1;
        }
        let mut items = Vec::new();
        let first = self.at;
        loop {
            let begin = self.at;
            let mut low = self.next()?;
            if low == ']' && begin > first {
                return Some(Token::Class { negated, items });
            }
            if low == '[' && self.peek(0) == Some(':') && self.named(&mut items) {
                continue;
            }
            if low == '\\' {
                low = self.next()?;
            }
            let mut high = low;
            if self.peek(0) == Some('-') && self.peek(1).is_some_and(|ch| ch != ']') {
                self.at += 1;
                high = self.next()?;
                if high == '\\' {
                    high = self.next()?;
                }
            }
            items.push(Item::Range(low, high));
        }
    }

    fn named(&mut self, items: &mut Vec<Item>) -> bool {
        let rest = self.chars.get(self.at + 1..).unwrap_or_default();
        let Some(length) = rest.iter().position(|ch| !ch.is_ascii_lowercase()) else {
            return false;
        };
        if rest.get(length..length + 2) != Some(&[':', ']']) {
            return false;
        }
        let name: String = rest.iter().take(length).collect();
        self.at += length + 3;
        // An unknown class holds nothing.
        items.push(Item::Named(class_of(&name).unwrap_or(|_| false)));
        true
    }
}

/// The characters of `[:name:]`.
pub(crate) fn class_of(name: &str) -> Option<fn(&char) -> bool> {
    Some(match name {
        "alpha" => |ch| ch.is_alphabetic(),
        "digit" => char::is_ascii_digit,
        "alnum" => |ch| ch.is_alphanumeric(),
        "upper" => |ch| ch.is_uppercase(),
        "lower" => |ch| ch.is_lowercase(),
        "space" => |ch| ch.is_ascii_whitespace() || *ch == '\u{b}',
        "blank" => |ch| matches!(ch, ' ' | '\t'),
        "punct" => char::is_ascii_punctuation,
        "cntrl" => char::is_ascii_control,
        "xdigit" => char::is_ascii_hexdigit,
        "print" => |ch| !ch.is_control(),
        "graph" => |ch| !ch.is_control() && *ch != ' ',
        "word" => |ch| *ch == '_' || ch.is_alphanumeric(),
        _ => return None,
    })
}
