//! Finds personal numbers and addresses by format and check digits.

/// Kind of personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Card,
    Iban,
    SocialSecurity,
    Phone,
    Email,
    Identity,
}

/// Calls `tell` with every match and its position.
pub(super) fn find(text: &str, tell: &mut dyn FnMut(Kind, usize)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut before = b' ';
    while let Some(&byte) = bytes.get(at) {
        let fresh = !joins(before);
        before = byte;
        if byte.is_ascii_digit() || (byte == b'(' && fresh) {
            if fresh && let Some((kind, end)) = number(bytes, at) {
                if let Some(kind) = kind {
                    tell(kind, at);
                }
                before = b'0';
                at = end.max(at + 1);
                continue;
            }
        } else if byte == b'+' && fresh && is_phone(bytes, at) {
            tell(Kind::Phone, at);
        } else if byte == b'@' && is_email(bytes, at) {
            tell(Kind::Email, at);
        } else if fresh && byte.is_ascii_uppercase() && is_iban(bytes, at) {
            tell(Kind::Iban, at);
        } else if fresh && matches!(byte, b'p' | b'P') && is_identity(bytes, at) {
            tell(Kind::Identity, at);
        }
        at += 1;
    }
}

/// Whether a byte makes a number part of something longer: an id, a version, a path.
fn joins(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'#' | b'%' | b'$')
}

/// A run of digits and separators.
struct Run {
    digits: Vec<u8>,
    /// Number of digits in each group.
    groups: Vec<usize>,
    /// Separators between the groups.
    signs: Vec<u8>,
    end: usize,
}

/// Maximum number of digits of a personal number.
const MOST: usize = 24;

fn digits(bytes: &[u8], from: usize) -> Run {
    let mut run = Run { digits: Vec::new(), groups: vec![0], signs: Vec::new(), end: from };
    let mut at = from;
    // Between two digits there are at most `) `.
    let mut gap = 0;
    while let Some(&byte) = bytes.get(at) {
        gap = if byte.is_ascii_digit() { 0 } else { gap + 1 };
        if gap > 2 {
            break;
        }
        let next = bytes.get(at + 1).copied().unwrap_or_default();
        if byte.is_ascii_digit() {
            run.digits.push(byte - b'0');
            if let Some(group) = run.groups.last_mut() {
                *group += 1;
            }
            run.end = at + 1;
        } else if matches!(byte, b' ' | b'-' | b'(' | b')' | b'.') {
            let goes_on = match byte {
                b'(' => true,
                b')' => next == b' ' || next.is_ascii_digit(),
                b' ' => next == b'(' || next.is_ascii_digit(),
                _ => next.is_ascii_digit(),
            };
            if !goes_on {
                break;
            }
            if run.groups.last() != Some(&0) {
                run.groups.push(0);
                run.signs.push(byte);
            }
        } else {
            break;
        }
        if run.digits.len() > MOST {
            break;
        }
        at += 1;
    }
    run.groups.retain(|group| *group > 0);
    run
}

/// Kind of a number, and its end.
fn number(bytes: &[u8], at: usize) -> Option<(Option<Kind>, usize)> {
    let run = digits(bytes, at);
    if run.digits.is_empty() {
        return None;
    }
    let after = bytes.get(run.end).copied().unwrap_or(b' ');
    let follows = bytes.get(run.end + 1).copied().unwrap_or(b' ');
    let whole = !(after.is_ascii_alphanumeric()
        || matches!(after, b'_' | b'%')
        || (matches!(after, b'-' | b'/' | b'.') && follows.is_ascii_alphanumeric()));
    let kind = whole.then(|| {
        let groups = run.groups.as_slice();
        if is_card(&run) {
            Some(Kind::Card)
        } else if groups == [3, 2, 4] && run.signs == b"--" && is_social(&run.digits) {
            Some(Kind::SocialSecurity)
        } else if groups == [3, 3, 4]
            && !run.signs.contains(&b' ')
            && is_national_phone(&run.digits)
            || groups == [3, 3, 4] && bytes.get(at) == Some(&b'(') && is_national_phone(&run.digits)
        {
            Some(Kind::Phone)
        } else {
            None
        }
    });
    Some((kind.flatten(), run.end))
}

fn is_card(run: &Run) -> bool {
    let digits = run.digits.as_slice();
    let start = |count: usize| {
        digits.iter().take(count).fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit))
    };
    let brand = match digits.len() {
        15 => matches!(start(2), 34 | 37),
        16 => {
            start(1) == 4
                || (51..=55).contains(&start(2))
                || (2221..=2720).contains(&start(4))
                || start(4) == 6011
                || start(2) == 65
                || (644..=649).contains(&start(3))
                || (3528..=3589).contains(&start(4))
        }
        14 => matches!(start(2), 36 | 38) || (300..=305).contains(&start(3)),
        _ => false,
    };
    let same_signs = run.signs.iter().all(|sign| Some(sign) == run.signs.first());
    let plain = !run.signs.iter().any(|sign| !matches!(sign, b' ' | b'-'));
    let grouped = matches!(run.groups.as_slice(), [_] | [4, 4, 4, 4 | 2] | [4, 6, 5 | 4]);
    brand && same_signs && plain && grouped && luhn(digits) && !is_test_card(digits)
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, u32::from(*digit)) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether it is a payment provider's published test number, which is repetitive or listed.
fn is_test_card(digits: &[u8]) -> bool {
    const KNOWN: &[&[u8]] = &[
        b"4012888888881881",
        b"4000056655665556",
        b"5105105105105100",
        b"5200828282828210",
        b"378282246310005",
        b"371449635398431",
        b"6011000990139424",
        b"3566002020360505",
    ];
    let mut counts = [0_u8; 10];
    for digit in digits {
        if let Some(count) = counts.get_mut(usize::from(*digit)) {
            *count += 1;
        }
    }
    let few = counts.iter().filter(|count| **count > 0).count() <= 3;
    few || KNOWN.iter().any(|known| known.iter().map(|byte| byte - b'0').eq(digits.iter().copied()))
}

fn is_social(digits: &[u8]) -> bool {
    let part = |from: usize, to: usize| {
        let part = digits.get(from..to).unwrap_or_default();
        part.iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit))
    };
    let (area, group, serial) = (part(0, 3), part(3, 5), part(5, 9));
    let example = matches!((area, group, serial), (123, 45, 6789) | (78, 5, 1120) | (219, 9, 9999));
    area != 0 && area != 666 && area < 900 && group != 0 && serial != 0 && !example
}

/// Whether it is a North American phone number; those starting with 555 are fictitious.
fn is_national_phone(digits: &[u8]) -> bool {
    let made_up = digits.get(3..6) == Some(&[5, 5, 5]) || digits.get(..3) == Some(&[5, 5, 5]);
    let starts = digits.first().is_some_and(|first| *first >= 2)
        && digits.get(3).is_some_and(|fourth| *fourth >= 2);
    starts && !made_up
}

/// Whether it is an international phone number, `+49 170 1234567`: with a separator or many digits.
fn is_phone(bytes: &[u8], at: usize) -> bool {
    if !bytes.get(at + 1).is_some_and(|byte| (b'1'..=b'9').contains(byte)) {
        return false;
    }
    let run = digits(bytes, at + 1);
    let after = bytes.get(run.end).copied().unwrap_or(b' ');
    let count = run.digits.len();
    let made_up = run.digits.windows(3).any(|three| three == [5, 5, 5])
        || run.digits.windows(6).any(|six| six == [1, 2, 3, 4, 5, 6]);
    (9..=15).contains(&count)
        && (run.groups.len() > 1 || count >= 11)
        && !after.is_ascii_alphanumeric()
        && !made_up
}

fn is_email(bytes: &[u8], at: usize) -> bool {
    let part =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
    let before = bytes.get(at.saturating_sub(64)..at).unwrap_or_default();
    let length = before.iter().rev().take_while(|byte| part(byte)).count();
    let local = before.get(before.len() - length..).unwrap_or_default();
    let after = bytes.get(at + 1..bytes.len().min(at + 128)).unwrap_or_default();
    let length = after.iter().take_while(|byte| part(byte)).count();
    let domain = after.get(..length).unwrap_or_default();
    let Ok(domain) = std::str::from_utf8(domain) else { return false };
    let domain = domain.trim_end_matches(['.', '-', '_', '+']).to_ascii_lowercase();
    let Some((name, ending)) = domain.rsplit_once('.') else { return false };
    let opens = before.len() == local.len()
        || !matches!(before.get(before.len() - local.len() - 1), Some(b'/' | b':'));
    local.first().is_some_and(u8::is_ascii_alphanumeric)
        && opens
        && !name.is_empty()
        && (2..=12).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !is_nobody(local, &domain)
}

/// Whether an email address belongs to no person.
fn is_nobody(local: &[u8], domain: &str) -> bool {
    let local = local.to_ascii_lowercase();
    let ending = domain.rsplit('.').next().unwrap_or_default();
    let second = domain.rsplit('.').nth(1).unwrap_or_default();
    matches!(ending, "test" | "example" | "invalid" | "local" | "localhost")
        || matches!(second, "example" | "test" | "domain" | "yourdomain" | "company" | "acme")
        || domain.contains("noreply")
        || matches!(
            local.as_slice(),
            b"git"
                | b"noreply"
                | b"no-reply"
                | b"donotreply"
                | b"info"
                | b"support"
                | b"admin"
                | b"root"
                | b"postmaster"
                | b"webmaster"
                | b"security"
                | b"user"
                | b"me"
                | b"you"
        )
}

/// Countries with the length of their IBANs.
const IBANS: &str = "AD24 AE23 AT20 BE16 BG22 BR29 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 \
    GB22 GE22 GI23 GR27 HR21 HU28 IE22 IL23 IS26 IT27 JO30 KW30 LB28 LI21 LT20 LU20 LV21 MC27 MD24 \
    ME22 MK19 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SE24 SI19 SK24 SM27 TN24 \
    TR26 UA29 VG24 XK20";

/// Example numbers from documentation.
const EXAMPLES: &[&[u8]] = &[
    b"DE89370400440532013000",
    b"GB82WEST12345698765432",
    b"GB29NWBK60161331926819",
    b"FR1420041010050500013M02606",
    b"NL91ABNA0417164300",
];

fn is_iban(bytes: &[u8], at: usize) -> bool {
    let Some([one, two, check, digit]) = bytes.get(at..at + 4) else { return false };
    if !two.is_ascii_uppercase() || !check.is_ascii_digit() || !digit.is_ascii_digit() {
        return false;
    }
    let wanted = IBANS.split_ascii_whitespace().find_map(|line| {
        let length = line.as_bytes().strip_prefix(&[*one, *two])?;
        std::str::from_utf8(length).ok()?.parse::<usize>().ok()
    });
    let Some(wanted) = wanted else { return false };
    let mut letters = Vec::with_capacity(wanted);
    let mut end = at;
    for (place, byte) in bytes.iter().enumerate().skip(at).take(48) {
        if letters.len() == wanted {
            break;
        }
        if byte.is_ascii_uppercase() || byte.is_ascii_digit() {
            letters.push(*byte);
        } else if *byte != b' ' || letters.len() % 4 != 0 {
            break;
        }
        end = place + 1;
    }
    let after = bytes.get(end).copied().unwrap_or(b' ');
    if letters.len() != wanted || after.is_ascii_alphanumeric() {
        return false;
    }
    let turned = letters.iter().skip(4).chain(letters.iter().take(4));
    let rest = turned.fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    rest == 1 && !EXAMPLES.contains(&letters.as_slice())
}

/// `passport no. C01X00T47`.
fn is_identity(bytes: &[u8], at: usize) -> bool {
    let Some(word) = bytes.get(at..at + 8) else { return false };
    if !word.eq_ignore_ascii_case(b"passport") {
        return false;
    }
    let after = bytes.get(at + 8..bytes.len().min(at + 40)).unwrap_or_default();
    let line = after.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.split(|byte| !byte.is_ascii_alphanumeric()).any(|word| {
        let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
        let plain = word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        (8..=9).contains(&word.len()) && digits >= 5 && plain
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let mut kinds = Vec::new();
        find(text, &mut |kind, _| kinds.push(kind));
        kinds
    }

    #[test]
    fn numbers_of_people_are_found() {
        for (text, kind) in [
            ("card 4539 1488 0343 6467 exp 09/27", Kind::Card),
            ("4539148803436467", Kind::Card),
            ("4539-1488-0343-6467,", Kind::Card),
            ("3714 496353 98439", Kind::Phone),
            ("IBAN: DE75512108001245126199", Kind::Iban),
            ("to GB33 BUKB 2020 1555 5555 55.", Kind::Iban),
            ("ssn 536-90-4399", Kind::SocialSecurity),
            ("call +49 170 9876501", Kind::Phone),
            ("(415) 867-2930", Kind::Phone),
            ("415-867-2930", Kind::Phone),
            ("mail jane.doe@gmail.com today", Kind::Email),
            ("Passport No: C01X00T47", Kind::Identity),
        ] {
            let expected = if text.starts_with("3714") { vec![] } else { vec![kind] };
            assert_eq!(kinds(text), expected, "{text}");
        }
    }

    #[test]
    fn other_numbers_pass() {
        for text in [
            "4111 1111 1111 1111 and 4242424242424242 are for tests",
            "4539148803436468",
            "id 45391488034364670001",
            "v4539148803436467 a-4539148803436467 4539148803436467-b",
            "DE89 3704 0044 0532 0130 00",
            "DE75512108001245126198",
            "123-45-6789 000-12-3456 666-12-3456 1536-90-4399 536-90-43991",
            "+1 (555) 123-4567",
            "a +1234567890",
            "2024-01-15 12:30:45 192.168.100.200 1.2.3",
            "user@example.com git@github.com:me/x.git noreply@github.com foo@1.2.3 @types/node",
            "1700000000000 0xdeadbeef 6f9619ff-8b86-d011-b42d-00cf4fc964ff",
            "passport.js and passport-local 12",
            "10.0.0.1:8080 100-200-3000",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn any_text_can_be_looked_at() {
        for text in [
            "",
            "@",
            "+",
            "(",
            "((((((",
            "1",
            "DE",
            "DE7",
            "é@é.éé",
            "1 1 1 1 1 1 1 1 1",
            "p",
            "passport",
        ] {
            drop(kinds(text));
        }
    }

    #[test]
    fn hostile_texts_take_no_longer_than_others() {
        for piece in ["1 ", "@", "(", "(1", "a@", "+1", "DE00", "passport ", "1-", ") ("] {
            drop(kinds(&piece.repeat(50_000)));
        }
    }
}
