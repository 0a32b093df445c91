//! The chain: every line carries the hash of the one before it.
//!
//! A line ends in `,"prev":"<64 hex>","seq":<n>,"hash":"<64 hex>"}`. Its hash covers everything before
//! `,"hash"`, including the hash of the previous line, so changing, removing or inserting a line breaks the
//! chain there. The fixed format of the end lets a writer continue without parsing the whole previous line.

use tenter_model::hash::sha256;

use crate::record::Gap;

/// Previous hash of the first record.
pub const NOTHING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Upper limit for the length of a line's fixed end.
pub const TAIL: usize = 256;

const CLOSED: &str = ",\"closed\":true";
const SIDE: &str = ",\"side\":";

/// The end of a chain, which the next line continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub seq: u64,
    pub hash: String,
}

impl Link {
    /// The link before the first line.
    pub fn start() -> Self {
        Self { seq: 0, hash: NOTHING.to_owned() }
    }
}

/// Fields that a writer knows only while it holds the lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seal {
    pub lost: u64,
    pub gap: Option<Gap>,
    /// Whether the line closes its segment.
    pub closed: bool,
    /// Number of the side file that held the line before.
    pub side: Option<u64>,
}

/// Turns the JSON object of a record into a line linked to the one before.
pub fn seal(mut body: String, before: &Link, seal: Seal) -> (String, Link) {
    if body.ends_with('}') {
        body.pop();
    }
    let mut add = |parts: &[&str]| parts.iter().for_each(|part| body.push_str(part));
    if seal.lost > 0 {
        add(&[",\"lost\":", &seal.lost.to_string()]);
    }
    if let Some(gap) = seal.gap {
        add(&[",\"gap\":{\"torn\":", &gap.torn.to_string(), "}"]);
    }
    if seal.closed {
        add(&[CLOSED]);
    }
    if let Some(side) = seal.side {
        add(&[SIDE, &side.to_string()]);
    }
    let seq = before.seq.saturating_add(1);
    add(&[",\"prev\":\"", &before.hash, "\",\"seq\":", &seq.to_string()]);
    let hash = sha256(body.as_bytes());
    body.push_str(",\"hash\":\"");
    body.push_str(&hash);
    body.push_str("\"}");
    (body, Link { seq, hash })
}

/// The JSON object of a side record: its line without the link.
pub fn body(line: &str) -> Option<String> {
    let end = End::of(line)?;
    let (rest, _) = line.get(..end.covered)?.rsplit_once(",\"prev\":\"")?;
    let (rest, _) = rest.rsplit_once(SIDE).filter(|_| end.side.is_some())?;
    Some(format!("{rest}}}"))
}

/// The parsed fixed end of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End<'l> {
    pub prev: &'l str,
    pub seq: u64,
    pub hash: &'l str,
    pub closed: bool,
    /// Number of the side file that the line comes from.
    pub side: Option<u64>,
    /// Length of the part that the hash covers.
    covered: usize,
}

impl<'l> End<'l> {
    /// Parses the end of a line (without line feed), given the whole line or its last bytes.
    pub fn of(line: &'l str) -> Option<Self> {
        let (rest, hash) = line.strip_suffix("\"}")?.rsplit_once(",\"hash\":\"")?;
        let covered = rest.len();
        let (rest, seq) = rest.rsplit_once("\",\"seq\":")?;
        let (rest, prev) = rest.rsplit_once(",\"prev\":\"")?;
        let is_hash =
            |text: &str| text.len() == 64 && text.bytes().all(|it| it.is_ascii_hexdigit());
        if !is_hash(hash) || !is_hash(prev) || seq.starts_with('+') {
            return None;
        }
        let seq = seq.parse().ok()?;
        let side = rest.rsplit_once(SIDE).and_then(|(_, side)| side.parse().ok());
        Some(Self { prev, seq, hash, closed: rest.ends_with(CLOSED), side, covered })
    }

    pub fn link(&self) -> Link {
        Link { seq: self.seq, hash: self.hash.to_owned() }
    }

    /// Whether the hash matches this line.
    pub fn is_true_of(&self, line: &str) -> bool {
        line.get(..self.covered).is_some_and(|covered| sha256(covered.as_bytes()) == self.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_line_goes_on_from_the_one_before_and_tells_every_change() {
        let (first, link) = seal("{\"v\":1}".to_owned(), &Link::start(), Seal::default());
        let (second, _) = seal(
            "{\"v\":1,\"x\":\"\\\"}\"}".to_owned(),
            &link,
            Seal { lost: 3, gap: Some(Gap { torn: 7 }), closed: true, side: None },
        );
        let end = End::of(&second).unwrap();
        assert_eq!((end.seq, end.prev, end.closed), (2, link.hash.as_str(), true));
        assert!(end.is_true_of(&second) && End::of(&first).unwrap().is_true_of(&first));
        for at in 0..second.len() {
            let mut bytes = second.clone().into_bytes();
            bytes[at] ^= 1;
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            let holds = End::of(&changed).is_some_and(|end| end.is_true_of(&changed));
            assert!(!holds || changed.eq_ignore_ascii_case(&second), "{changed}");
        }
        let record: crate::Record<'static> = serde_json::from_str(&second).unwrap();
        assert_eq!((record.lost, record.gap, record.seq), (3, Some(Gap { torn: 7 }), 2));
    }

    #[test]
    fn a_line_from_beside_the_chain_can_be_taken_apart() {
        let body = "{\"v\":1,\"x\":\",\\\"side\\\":7,\\\"prev\\\":\"}";
        let seal_ = Seal { side: Some(42), ..Seal::default() };
        let (line, _) = seal(body.to_owned(), &Link::start(), seal_);
        assert_eq!(End::of(&line).unwrap().side, Some(42));
        assert_eq!(super::body(&line).as_deref(), Some(body));
        let (plain, _) = seal(body.to_owned(), &Link::start(), Seal::default());
        assert_eq!((End::of(&plain).unwrap().side, super::body(&plain)), (None, None));
    }

    #[test]
    fn the_end_is_known_from_the_last_bytes_alone() {
        let body = format!("{{\"v\":1,\"x\":\"{}\"}}", "y".repeat(5000));
        let before = Link { seq: u64::MAX - 1, hash: "f".repeat(64) };
        let (line, link) = seal(body, &before, Seal { closed: true, ..Seal::default() });
        let end = End::of(line.get(line.len() - TAIL..).unwrap()).unwrap();
        assert_eq!((end.link(), end.closed), (link, true));
        assert_eq!(End::of(""), None);
        assert_eq!(End::of("{\"v\":1}"), None);
    }
}
