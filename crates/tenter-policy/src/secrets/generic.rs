//! Secrets recognised by a suspicious name and a suspicious value.

use super::assign::{self, Link, Value};
use super::base64;
use super::context;
use super::flags;
use super::given;
use super::names::{Name, Sort};
use super::phrase;
use super::placeholder;
use super::prose;
use super::rules::{BASIC, BEARER, GENERIC, PASSWORD};
use super::table;
use super::value::{self, Traits};
use super::{Confidence, SecretMatch};

/// Positions already examined, so that nothing is parsed repeatedly.
#[derive(Default)]
pub(super) struct Seen {
    /// End of the last name.
    name: usize,
    /// End of the last long value that was not a secret.
    value: usize,
    /// End of the last JSON key.
    pub(super) jwk: usize,
    /// Whether values count by their name alone.
    pub(super) strict: bool,
}

impl Seen {
    pub(super) fn new(strict: bool) -> Self {
        Self { strict, ..Self::default() }
    }
}

/// Minimum length of values that are not parsed twice.
const LONG: usize = 64;

/// The secret whose name contains the word at `word`.
pub(super) fn named(bytes: &[u8], word: usize, seen: &mut Seen) -> Option<SecretMatch> {
    if word < seen.name || word < seen.value {
        return None;
    }
    let first = bytes.get(word)?;
    if (*first == b'p' || assign::before(bytes, word) == b'-')
        && let Some(found) = flags::stdin(bytes, word)
    {
        return Some(found);
    }
    let end = assign::name_end(bytes, word)?;
    seen.name = end;
    let start = assign::name_start(bytes, word);
    if table::may_be(bytes, end)
        && let Some(cells) = table::cells(bytes, start, end)
    {
        return column(bytes, cells, &Name::of(bytes.get(start..end)?));
    }
    let (link, at) = assign::link(bytes, start, end)?;
    // `AWS::IAM::AccessKey` is a type, and text after `://` is an address.
    let typed = link != Link::Sign || bytes.get(start).is_some_and(u8::is_ascii_uppercase);
    match bytes.get(start.saturating_sub(2)..start) {
        Some(b"//") => return None,
        Some(b"d:") if bytes.get(start.saturating_sub(4)..start) == Some(b"did:") => return None,
        Some(b"::") if typed => return None,
        _ => {}
    }
    let name = Name::of(bytes.get(with_word_before(bytes, start, end)..end)?);
    let sort = name.sort()?;
    let written = bytes.get(start..end)?;
    let passes = written.eq_ignore_ascii_case(b"pass")
        || written.ends_with(b".pass")
        || written.ends_with(b"-pass");
    match written {
        b"htpasswd" => return flags::htpasswd(bytes, end),
        b"rootpw" if link == Link::Blank => return flags::installed(bytes, at),
        _ => {}
    }
    if link == Link::Blank && !flag(bytes, start) && !header_line(bytes, at, sort) {
        if let Some(found) = flags::piped(bytes, start, at) {
            return Some(found);
        }
        let told = !passes || prose::hands_over(bytes, start);
        return owned(bytes, at, &name).or_else(|| told.then(|| prose::secret(bytes, at, sort))?);
    }
    // `put password=-` reads from stdin.
    if link == Link::Tight && matches!(bytes.get(at..), Some([b'-'] | [b'-', b' ' | b'\n', ..])) {
        return flags::echoed(bytes, start);
    }
    if link == Link::Argument && (passes || name.looks_up()) {
        return None;
    }
    if name.pairs() {
        let bracket = usize::from(bytes.get(at) == Some(&b'('));
        if let Some(found) = second(bytes, at.saturating_add(bracket)) {
            return Some(found);
        }
    }
    let value = assign::value(bytes, at, link)?;
    let text = bytes.get(value.start..value.end)?;
    let mut found = judge(text, &value, sort, &name);
    if seen.strict {
        found = match found {
            Some(found) => {
                Some(SecretMatch { end: given::word_end(bytes, &value).max(found.end), ..found })
            }
            None => given::hidden(bytes, (start, end), &value, sort),
        };
    }
    if found.is_none() {
        if text.len() >= LONG {
            seen.value = value.end;
        } else if matches!(link, Link::Sign | Link::Blank)
            && text.iter().all(u8::is_ascii_alphabetic)
        {
            return prose::secret(bytes, at, sort);
        }
    }
    found
}

/// The first secret in a table column.
fn column(bytes: &[u8], cells: table::Cells<'_>, name: &Name) -> Option<SecretMatch> {
    let sort = name.sort()?;
    cells.into_iter().find_map(|cell| judge(bytes.get(cell.start..cell.end)?, &cell, sort, name))
}

/// Includes the previous word in names such as `API key` and `client secret`.
fn with_word_before(bytes: &[u8], start: usize, end: usize) -> usize {
    let single = bytes.get(start..end).unwrap_or_default().iter().all(u8::is_ascii_alphabetic);
    if !single || assign::before(bytes, start) != b' ' {
        return start;
    }
    let space = start.saturating_sub(1);
    let before = bytes.get(space.saturating_sub(12)..space).unwrap_or_default();
    let len = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if len == 0 { start } else { space.saturating_sub(len) }
}

/// Whether a blank suffices between this name and its value.
fn flag(bytes: &[u8], start: usize) -> bool {
    let name = bytes.get(start..).unwrap_or_default();
    if name.starts_with(b"-") {
        return true;
    }
    let before = bytes.get(start.saturating_sub(80)..start).unwrap_or_default();
    let mut words = before.rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let last = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    let server = |word: &&[u8]| name.starts_with(word);
    matches!(last, b"ENV" | b"ARG" | b"setx" | b"set" | b"setenv" | b"enable")
        || [b"requirepass ".as_slice(), b"masterauth ", b"bindpw "].iter().any(server)
        || (last == b"stats" && name.starts_with(b"auth "))
        || last.ends_with(b"/:")
        || (second == b"set" && last.starts_with(b"-"))
        || (second == b"login" && name.starts_with(b"password"))
}

/// `mailgun key ...`: the next word has the form of this owner's secrets.
fn owned(bytes: &[u8], at: usize, name: &Name) -> Option<SecretMatch> {
    let value = assign::value(bytes, at, Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    let random = text.len() >= 24 && Traits::of(text).random(24) && !placeholder::is(text);
    let label = random.then(|| context::owner(name.squashed().as_bytes(), text))??;
    Some(SecretMatch::new(label, value.start, value.end, Confidence::High))
}

/// The last of the quoted words that begin at `at`: `BasicAuth("user", "password")`.
fn second(bytes: &[u8], at: usize) -> Option<SecretMatch> {
    let mut last = assign::value(bytes, at, Link::Argument).filter(|user| user.quoted)?;
    let mut count = 1_usize;
    while count < 4 {
        let after = bytes.get(last.end.saturating_add(1)..)?;
        let lead = after.iter().take_while(|byte| matches!(byte, b',' | b' ')).count();
        let next = last.end.saturating_add(1).saturating_add(lead);
        let value = assign::value(bytes, next, Link::Argument);
        match value.filter(|value| value.quoted && after.first() == Some(&b',')) {
            Some(value) => last = value,
            None => break,
        }
        count = count.saturating_add(1);
    }
    let text = bytes.get(last.start..last.end)?;
    let traits = Traits::of(text);
    let typed = traits.symbol > 0 || !traits.reads() || traits.shuffled();
    let secret = count > 1 && typed && traits.password() && weighty(text);
    let label = (BASIC.id, BASIC.title);
    secret.then(|| SecretMatch::new(label, last.start, last.end, Confidence::Medium))
}

/// `Authorization "Basic ..."`, in proxy configurations.
fn header_line(bytes: &[u8], at: usize, sort: Sort) -> bool {
    sort == Sort::Header && matches!(bytes.get(at), Some(b'"' | b'\''))
}

fn judge(text: &[u8], value: &Value, sort: Sort, name: &Name) -> Option<SecretMatch> {
    // Most values of ordinary code are rejected here.
    if dull(text, value) {
        return (sort == Sort::Password).then(|| words(text, value, name))?;
    }
    if sort == Sort::Header {
        return header(text, value);
    }
    let traits = Traits::of(text);
    if traits.distinct < 5 {
        return None;
    }
    let squashed = name.squashed();
    if traits.digit > 0
        && traits.distinct >= 6
        && traits.wordy < traits.len / 2
        && let Some(label) = context::owner(squashed.as_bytes(), text)
        && !placeholder::is(text)
    {
        return Some(SecretMatch::new(label, value.start, value.end, Confidence::High));
    }
    if squashed.as_bytes().ends_with(b"auth")
        && let Some(found) = credentials(text, value).or_else(|| login(text, value))
    {
        return Some(found);
    }
    let confidence = match base64::printable(text) {
        Some(decoded) => secret(decoded.as_bytes(), value, sort)?,
        None => secret(text, value, sort)?,
    };
    let excused = (value::uuid(text) && !opens_with_uuid(value, sort, name))
        || names_one(text, sort)
        || (name.as_bytes() == b"signingkey" && value::hex(text))
        || (!value.quoted && code(text, value.link))
        || harmless(text)
        || replaced(text)
        || (squashed.as_bytes().ends_with(b"credential") && account(text))
        || placeholder::is(text);
    let rule = if sort == Sort::Password { PASSWORD } else { GENERIC };
    let label = (rule.id, rule.title);
    (!excused).then(|| SecretMatch::new(label, value.start, value.end, confidence))
}

/// `DOMAIN\user`: PowerShell asks for the password of an account that is given as a credential.
fn account(text: &[u8]) -> bool {
    let mut parts = text.split(|byte| *byte == b'\\');
    let plain = |part: &[u8]| {
        part.first().is_some_and(u8::is_ascii_alphabetic)
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(byte))
    };
    parts.next().is_some_and(plain) && parts.next().is_some_and(plain) && parts.next().is_none()
}

/// Cheap test whether this is no secret: too short, a phrase, a word, or an expression.
fn dull(text: &[u8], value: &Value) -> bool {
    let kinds = value::kinds(text);
    let bare = !value.quoted && value.link != Link::Tight;
    text.len() < 8
        || kinds & (value::BLANK | value::FOREIGN) != 0
        || (bare && kinds & value::BRACKET != 0)
        || (kinds & (value::DIGIT | value::SYMBOL) == 0 && !jumbled(text, kinds))
}

/// Whether the letters are unlikely to be words: long, and if not very long, of both cases.
fn jumbled(text: &[u8], kinds: u8) -> bool {
    let mixed = kinds & value::LOWER != 0 && kinds & value::UPPER != 0;
    let joined = kinds & value::JOINT != 0;
    text.len() >= 16 && (!joined || mixed) || text.len() >= 12 && mixed && !joined
}

/// A password of words only.
fn words(text: &[u8], value: &Value, name: &Name) -> Option<SecretMatch> {
    let called_phrase = name.as_bytes().ends_with(b"passphrase");
    let words = match value::kinds(text) & (value::BLANK | value::JOINT) {
        value::JOINT => phrase::joined(text, 3),
        value::BLANK => value.quoted && called_phrase && phrase::spaced(text),
        0 => value.quoted && phrase::glued(text),
        _ => false,
    };
    let label = (PASSWORD.id, PASSWORD.title);
    (words && !placeholder::is(text))
        .then(|| SecretMatch::new(label, value.start, value.end, Confidence::Medium))
}

/// Whether a UUID is a secret here: in `.netrc`, after `--password`, in `.npmrc`, and as an API key.
fn opens_with_uuid(value: &Value, sort: Sort, name: &Name) -> bool {
    (sort == Sort::Password && value.link == Link::Blank)
        || (value.link != Link::Sign && name.as_bytes() == b"auth_token")
        || name.as_bytes().ends_with(b"api_key")
        || name.as_bytes().ends_with(b"apikey")
        || name.as_bytes().ends_with(b"api_token")
}

/// Confidence that a value with such a name is secret.
fn secret(text: &[u8], value: &Value, sort: Sort) -> Option<Confidence> {
    let traits = Traits::of(text);
    let literal = value.quoted || value.link == Link::Tight || value.link == Link::Tag;
    match sort {
        Sort::Password => {
            let good = traits.password()
                && (literal || traits.symbol > 0 || !traits.reads() || traits.shuffled());
            let words = phrase::joined(text, 3)
                || phrase::capital(text)
                || (value.quoted && phrase::glued(text))
                || (value.link == Link::Tight && phrase::numbered(text));
            let secret = (good || traits.random(16) || words) && !placeholder::common(text);
            secret.then_some(Confidence::Medium)
        }
        Sort::Token => {
            if traits.random(24) {
                return Some(Confidence::High);
            }
            let typed = traits.kinds() >= 3
                && traits.len >= 10
                && traits.password()
                && (traits.symbol > 0 || traits.inner >= 2)
                && (literal || traits.symbol > 0)
                && !text.iter().any(|byte| b"[](){}<>|;,\\".contains(byte))
                && !(traits.reads() && text.contains(&b'%'))
                && !placeholder::common(text);
            let least = match traits.kinds() {
                0..3 => 16,
                _ if traits.inner >= 2 => 10,
                _ => 12,
            };
            (traits.random(least) || typed).then_some(Confidence::Medium)
        }
        Sort::Unsure | Sort::Header => {
            // `key: build-9f86d081` is a cache key.
            let last = text.rsplit(|byte| !byte.is_ascii_alphanumeric()).next();
            let hash = last.is_some_and(|last| value::hex(last) && last.len() >= 8);
            let secret = traits.random(20) && !hash && traits.digit > 0;
            secret.then_some(Confidence::Medium)
        }
    }
}

/// The value of an `Authorization` header.
fn header(text: &[u8], value: &Value) -> Option<SecretMatch> {
    let plain = base64::printable(text);
    if plain.is_some_and(|plain| plain.as_bytes().contains(&b':')) {
        return credentials(text, value);
    }
    let traits = Traits::of(text);
    let bearer = traits.random(16) && !placeholder::is(text);
    bearer.then(|| {
        let label = (BEARER.id, BEARER.title);
        SecretMatch::new(label, value.start, value.end, Confidence::High)
    })
}

/// User and password in base64.
fn credentials(text: &[u8], value: &Value) -> Option<SecretMatch> {
    let decoded = base64::printable(text)?;
    let plain = decoded.as_bytes();
    let colon = plain.iter().position(|byte| *byte == b':')?;
    let password = plain.get(colon.saturating_add(1)..)?;
    let label = (BASIC.id, BASIC.title);
    let real = weighty(password) && !placeholder::is(text);
    real.then(|| SecretMatch::new(label, value.start, value.end, Confidence::High))
}

/// User and password in plain text.
fn login(text: &[u8], value: &Value) -> Option<SecretMatch> {
    let colon = text.iter().position(|byte| *byte == b':')?;
    let password = text.get(colon.saturating_add(1)..)?;
    let label = (BASIC.id, BASIC.title);
    let real = Traits::of(password).password() && weighty(password) && !password.contains(&b':');
    real.then(|| SecretMatch::new(label, value.start, value.end, Confidence::Medium))
}

/// Whether the text in a password's place is a real one.
pub(super) fn weighty(password: &[u8]) -> bool {
    password.len() >= 5
        && !placeholder::common(password)
        && !placeholder::is(password)
        && !password.iter().all(u8::is_ascii_digit)
}

/// Values that are public by nature, or encrypted.
fn harmless(text: &[u8]) -> bool {
    let starts = |start: &&[u8]| text.starts_with(start);
    [
        b"sha1-".as_slice(),
        b"sha256-",
        b"sha384-",
        b"sha512-",
        b"sha256:",
        b"sha1:",
        b"md5:",
        b"$2a$",
        b"$2b$",
        b"$2y$",
        b"$argon2",
        b"$6$",
        b"$5$",
        b"pbkdf2",
        b"{SHA",
        b"{SSHA",
        b"ssh-",
        b"ecdsa-",
        b"AAAAB3NzaC1",
        b"AAAAC3NzaC1",
        b"AAAAE2VjZH",
        b"ENC[",
        b"{cipher}",
        b"vault:",
        b"$ANSIBLE_VAULT",
        b"./",
        b"../",
        b"~/",
        b"C:\\",
        b"http",
        b"file:",
        b"arn:",
        b"op:",
        b"projects/",
        b"secret:",
        b"secretref:",
        b"data:",
        b"urn:",
        b"age1",
        b"did:",
        b"pk.",
        b"pk_",
        b"phc_",
        b"-----",
    ]
    .iter()
    .any(starts)
        || (text.starts_with(b"/") && !in_base64(text))
        || (text.contains(&b'@') && text.ends_with(b".com"))
        || matches!(text, [b'%', b'A'..=b'F' | b'0'..=b'9', b'A'..=b'F' | b'0'..=b'9', b'%', ..])
        || (text.starts_with(b"0x") && text.len() < 34)
        || text.windows(2).any(|two| two == b"\\x" || two == b"::")
        || (text.len() > 240 && text.starts_with(b"Ag"))
}

/// Whether a path-like value is rather base64: without dots, in groups of four, with a character that paths
/// lack.
fn in_base64(text: &[u8]) -> bool {
    let digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    text.len().is_multiple_of(4)
        && text.iter().all(digit)
        && text.iter().any(|byte| matches!(byte, b'+' | b'='))
        && Traits::of(text).random(20)
}

/// Whether an unquoted value is rather an expression.
pub(super) fn code(text: &[u8], link: Link) -> bool {
    let bracket = text.iter().position(|byte| matches!(byte, b'(' | b'[' | b'{'));
    let called = bracket.and_then(|at| text.get(..at)).is_some_and(|callee| {
        let name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$".contains(byte);
        !callee.is_empty() && callee.iter().all(name)
    });
    let dotted = text.windows(3).any(|three| {
        matches!(three, [before, b'.', after]
            if before.is_ascii_alphabetic() && after.is_ascii_alphabetic())
    });
    called || (bracket.is_some() && link != Link::Tight) || (dotted && reads_as_path(text))
}

fn reads_as_path(text: &[u8]) -> bool {
    let traits = Traits::of(text);
    traits.reads() && traits.symbol == 0
}

/// A sed command: `s/password: .*/password: changeme/`.
fn replaced(text: &[u8]) -> bool {
    if text.starts_with(b".*") {
        return true;
    }
    let with = text.strip_suffix(b"/g").or_else(|| text.strip_suffix(b"/"));
    with.is_some_and(|with| placeholder::common(with) || placeholder::is(with))
}

/// Whether the value is itself the name of a secret.
fn names_one(text: &[u8], sort: Sort) -> bool {
    let name = Name::of(text);
    let word = name.as_bytes().rsplit(|byte| *byte == b'_').next().unwrap_or_default();
    sort != Sort::Password && matches!(word, b"key" | b"token" | b"secret" | b"password")
}
