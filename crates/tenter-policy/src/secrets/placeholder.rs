//! Recognises placeholders, references and documented examples.

use super::strings::{Strings, size};
use super::value::Traits;
use super::words::{Words, count};

/// Parts of keys from vendors' manuals, and of values that protect nothing.
const PIECES: [&str; 23] = [
    "YotnFZFEjr1zCsicM",
    "zv3JOkF0XG5Qx2Tl",
    "ZCaGRSa3F0MzpnWDFmQm",
    "685bd9184jfhq2",
    "d180jjd733klru",
    "HqLyjWDarjtT1zdp7dc",
    "QokikJOvBiI2HlWgH4olfQ",
    "BQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ",
    "IkpvaG4gRG9lIiwiYWRtaW4iOnRydWUsImlhdCI6MTUxNjIzOTAyMn0",
    "6C7e42F292c6912E7710c8",
    "02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6",
    "yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM",
    "k4NjIyNDgzNDcxOTI1MjQ4.C",
    ":AAHdqTcvCH1vGWJxfSeofSAs",
    "d41d8cd98f00b204e98009",
    "98fc1c149afbf4c8996fb9",
    "da39a3ee5e6b4b0d3255bfef",
    "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad",
    "QWxhZGRpbjpvcGVuIHNlc2FtZQ",
    "AnLA7NfeLquW1tJFpx_eQCxoX",
    "OS2zB6NCsk1pCdZ4-P6GBdi_UUPwX7c",
    "4jsPi9ZSHnHMkK7oFL6BqE9hNyrpQsgpTp",
];
static DOCUMENTED: Strings<{ PIECES.len() }, { size(&PIECES) }> = Strings::new(&PIECES);

/// Common non-secret passwords.
const COMMON: &str = "abc admin administrator adminpass adminpassword bar changeit changeme db dbpass dbpassword \
    default demo dev dummy foo foobar guest hello helloworld hunter letmein login master mongo \
    mypass mypassword mysecret mysecretpassword mysql mytoken newpassword oldpassword oracle \
    pass passwd password postgres pw pwd qwerty redis root secret secretpassword string \
    supersecret temp test tester testing testpass testpassword testuser token topsecret user \
    username userpass userpassword welcome wrong wrongpass wrongpassword";
static COMMON_WORDS: Words<{ count(COMMON) }> = Words::new(COMMON);

/// Whether a value is a placeholder.
pub(super) fn is(value: &[u8]) -> bool {
    reference(value) || telling(value) || filler(value) || documented(value) || unsigned(value)
}

/// Whether a web token's signature is too short: `eyJhbGciOiJIUzI1NiJ9.e30.abc`.
fn unsigned(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| *byte == b'.').skip(2);
    value.starts_with(b"eyJ")
        && parts.next().is_some_and(|signature| signature.len() < 16)
        && parts.next().is_none()
}

/// Whether a token of a known form is an example.
pub(super) fn example(token: &[u8], body: &[u8]) -> bool {
    telling(body) || filler(body) || documented(token)
}

fn documented(value: &[u8]) -> bool {
    (0..PIECES.len()).any(|at| contains(value, DOCUMENTED.bytes(at)))
}

/// Whether the value is a variable, a template, or a secret reference.
pub(super) fn reference(value: &[u8]) -> bool {
    let named = |name: &[u8], more: &[u8]| {
        name.iter().all(|byte| byte.is_ascii_alphanumeric() || more.contains(byte))
    };
    let whole = match value {
        [b'$', rest @ ..] => named(rest, b"_:."),
        [b'%', rest @ .., b'%'] | [b'@', rest @ .., b'@'] | [b'_', b'_', rest @ .., b'_', b'_'] => {
            named(rest, b"_.")
        }
        // An SQL parameter.
        [b'@' | b':', rest @ ..]
            if rest.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_') =>
        {
            true
        }
        [] | [b'<', ..] | [b'{', .., b'}'] | [b'[', .., b']'] | [b'(', .., b')'] => true,
        _ => false,
    };
    let open = value.iter().position(|byte| *byte == b'{');
    let filled = open.and_then(|at| value.get(at.saturating_add(1)..)).is_some_and(|rest| {
        let name = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
        rest.get(name.count()) == Some(&b'}')
    });
    whole
        || filled
        || words(b"${ $( (? {{ #{ %{ %( <% :// arn:aws").any(|needle| contains(value, needle))
}

/// Whether it contains a word that no random secret would.
fn telling(value: &[u8]) -> bool {
    let mut rest = value;
    let mut before = b' ';
    while let [first, after @ ..] = rest {
        let known: &[u8] = match first.to_ascii_lowercase() {
            b'c' => b"changeme change_me change-me changeit changethis",
            b'd' => b"dummy deadbeef",
            b'e' => b"example environ",
            b'f' => b"foobar",
            b'g' => b"getenv goes-here goes_here",
            b'h' => b"hidden",
            b'i' => b"insert invalid",
            b'k' => b"keyvault key-here key_here",
            b'l' => b"lorem",
            b'm' => b"masked",
            b'n' => b"not-a-real not_a_real notreal not-real",
            b'o' => b"omitted obviously",
            b'p' => b"placeholder process.env",
            b'r' => b"redacted replace removed",
            b's' => b"sample secretsmanager secrets.",
            b't' => b"token-here token_here truncated",
            b'u' => b"undefined",
            b'v' => b"vault:",
            b'y' => b"your- your_ yourapi yourtoken yoursecret yourpass",
            b'.' => b"...",
            b'*' => b"***",
            _ => b"",
        };
        let found = words(known).any(|word| starts(rest, word));
        let fake = !before.is_ascii_alphanumeric() && short(rest);
        if found || fake {
            return true;
        }
        before = *first;
        rest = after;
    }
    // An ellipsis, or bullets.
    value.windows(3).any(|three| matches!(three, [0xE2, 0x80, 0xA6 | 0xA2]))
}

/// A short telling word on its own.
fn short(rest: &[u8]) -> bool {
    let len = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = rest.get(..len).unwrap_or_default();
    // Two letters and a digit may occur by chance.
    let chance = len == 2 && rest.get(len).is_some_and(u8::is_ascii_digit);
    !chance
        && words(b"fake mock test demo foo bar baz your my")
            .any(|known| word.eq_ignore_ascii_case(known))
}

/// The words of a list; an empty list has none.
fn words(list: &'static [u8]) -> impl Iterator<Item = &'static [u8]> {
    list.split(|byte| *byte == b' ').filter(|word| !word.is_empty())
}

fn contains(value: &[u8], piece: &[u8]) -> bool {
    value.windows(piece.len()).any(|part| part == piece)
}

pub(super) fn starts(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Whether it is one byte repeated, or an alphabetic or numeric sequence.
fn filler(value: &[u8]) -> bool {
    let mut same = 1_usize;
    let mut rising = 1_usize;
    let mut in_order = 0_usize;
    for pair in value.windows(2) {
        let [first, second] = pair else { continue };
        same = if first.eq_ignore_ascii_case(second) { same.saturating_add(1) } else { 1 };
        // Zeroes are `A` in base64.
        let most = if second.eq_ignore_ascii_case(&b'x') { 4 } else { 6 };
        if same >= most && *second != b'A' {
            return true;
        }
        let next = first.wrapping_add(1) == *second && second.is_ascii_alphanumeric();
        if next || (*first == b'9' && *second == b'0') {
            rising = rising.saturating_add(1);
        } else {
            in_order = in_order.saturating_add(if rising >= 5 { rising } else { 0 });
            rising = 1;
        }
    }
    in_order = in_order.saturating_add(if rising >= 5 { rising } else { 0 });
    in_order.saturating_mul(10) >= value.len().saturating_mul(6)
}

/// Whether it is a common password, possibly with digits or marks appended, or with digits for letters.
pub(super) fn common(value: &[u8]) -> bool {
    let tail = value.iter().rev().take_while(|byte| !byte.is_ascii_alphabetic()).count();
    let core = value.get(..value.len().saturating_sub(tail)).unwrap_or_default();
    let mut folded = [0; 24];
    for (to, from) in folded.iter_mut().zip(core) {
        *to = fold(*from);
    }
    let Some(word) = folded.get(..core.len()) else { return false };
    let plain = core.iter().all(u8::is_ascii_alphabetic);
    // Too elaborate to be a placeholder.
    if value.len() >= 12 && Traits::of(value).kinds() == 4 {
        return false;
    }
    core.is_empty() || (tail <= if plain { 4 } else { 1 } && COMMON_WORDS.has(word))
}

/// The letter that a digit or mark stands for.
fn fold(byte: u8) -> u8 {
    match byte {
        b'0' => b'o',
        b'1' | b'!' => b'i',
        b'3' => b'e',
        b'4' | b'@' => b'a',
        b'5' | b'$' => b's',
        b'7' => b't',
        other => other.to_ascii_lowercase(),
    }
}
