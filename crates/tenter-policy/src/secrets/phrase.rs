//! Passphrases: unrelated words, as chosen by dice or a password manager.
//!
//! They look like ordinary names, so only a password's name before them makes them one, and words common in
//! names, forms and sentences count against it.

use super::words::{Words, count};

/// Words common in names, forms, placeholders and sentences about passwords.
const TELLING: &str = "about access account admin admins after and any api app apps are auth available aws azure base \
    based basic before bound build cache case change check client clear cloud cluster code column common config \
    confirm contains copy correctly create created credential credentials current custom database default \
    demo deploy dev digits disabled does doc docs east edit email empty enabled encoded encrypted enter entry \
    env error event example expired export external failed false field fields file filled first flag \
    for forgot form format forms from full gcp gen generate generated group handler hash hashed header help \
    here hidden hide hint home host hours icon image import incorrect index info init input inputs internal \
    invalid is item job key keys label last layer left length less letters level link list load local locale \
    locked log login long lower main managed manager max medium message min minimum mode model module \
    name namespace network new node none not null number object off old one only open option optional out page \
    pair param parse pass passphrase password passwords path pattern permission phrase plain please policy pool \
    postgres prefix private process prod production project prompt protected provider proxy public read record \
    redis ref region regex rejected remote remove repeat required reset right role root rotate rule rules same \
    sample save scheme script secret secrets section sensitive sent server service session set settings sha \
    shared short show size source special stage staging start state status step stop storage store stored strength \
    string strong style submit success suffix super symbols sync system tab table tag target team template temp \
    test tests text that the then this title toggle token tool true try two type unset update upper url use \
    used user username users valid validation value values var vault version view visibility visible was weak \
    web west when with without word words write wrong you your";
static TELLING_WORDS: Words<{ count(TELLING) }> = Words::new(TELLING);

/// Whether a part looks like a passphrase word.
fn thrown(part: &[u8]) -> bool {
    let mut folded = [0; 16];
    let Some(word) = folded.get_mut(..part.len()) else { return false };
    word.copy_from_slice(part);
    word.make_ascii_lowercase();
    part.len() >= 3 && part.iter().all(u8::is_ascii_alphabetic) && !TELLING_WORDS.has(word)
}

/// `mumble-carpet-7314-oblong`, `marmalade-otter-42`, `purple-monkey-dishwasher`: at least `least` words if
/// there is no number.
pub(super) fn joined(text: &[u8], least: usize) -> bool {
    let (mut words, mut numbers) = (0_usize, 0_usize);
    for part in text.split(|byte| matches!(byte, b'-' | b'_' | b'.')) {
        if part.len() >= 2 && part.iter().all(u8::is_ascii_digit) {
            numbers = numbers.saturating_add(1);
        } else if thrown(part) {
            words = words.saturating_add(1);
        } else {
            return false;
        }
    }
    // Dots and underscores are typical of code.
    let plain = text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-');
    let dashes = !text.iter().any(|byte| matches!(byte, b'_' | b'.'));
    match numbers {
        0 => words >= least && plain && text.len() >= 15,
        1 => words >= 3 || (words == 2 && dashes && text.len() >= 14),
        _ => false,
    }
}

/// `Lisbon_889`, `Harbor-123`: capitalised words and a number.
pub(super) fn capital(text: &[u8]) -> bool {
    let (mut words, mut numbers) = (0_usize, 0_usize);
    for part in text.split(|byte| matches!(byte, b'-' | b'_')) {
        if part.len() >= 2 && part.iter().all(u8::is_ascii_digit) {
            numbers = numbers.saturating_add(1);
        } else if thrown(part)
            && matches!(part, [first, second, ..] if first.is_ascii_uppercase() && second.is_ascii_lowercase())
        {
            words = words.saturating_add(1);
        } else {
            return false;
        }
    }
    words >= 1 && numbers == 1 && text.len() >= 9
}

/// `SunnyMeadowTurtle`
pub(super) fn glued(text: &[u8]) -> bool {
    let mut words = 0_usize;
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let len = after.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        let word = rest.get(..len.saturating_add(1)).unwrap_or_default();
        if !first.is_ascii_uppercase() || len < 3 || !thrown(word) {
            return false;
        }
        words = words.saturating_add(1);
        rest = after.get(len..).unwrap_or_default();
    }
    words >= 3 && text.len() >= 15
}

/// `ilovecoffee123`: in an environment, where tests use `password123`.
pub(super) fn numbered(text: &[u8]) -> bool {
    let letters = text.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let digits = text.iter().skip(letters).take_while(|byte| byte.is_ascii_digit()).count();
    let said = |word: &&[u8]| text.windows(word.len()).any(|part| part == *word);
    let tells = [
        b"admin".as_slice(),
        b"change",
        b"demo",
        b"dev",
        b"dummy",
        b"key",
        b"local",
        b"pass",
        b"prod",
        b"root",
        b"secret",
        b"temp",
        b"test",
        b"token",
        b"user",
    ];
    letters >= 9
        && (2..=6).contains(&digits)
        && letters.saturating_add(digits) == text.len()
        && !tells.iter().any(said)
}

/// `violet tractor lemon orbit`
pub(super) fn spaced(text: &[u8]) -> bool {
    let mut words = 0_usize;
    for part in text.split(|byte| *byte == b' ') {
        let fits = part.len() <= 9 && part.iter().all(u8::is_ascii_lowercase) && thrown(part);
        if !fits {
            return false;
        }
        words = words.saturating_add(1);
    }
    (4..=8).contains(&words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thrown_words_are_told_from_names() {
        for text in [
            "mumble-carpet-7314-oblong",
            "marmalade-otter-42",
            "purple-monkey-dishwasher",
            "correct-horse-battery-staple",
        ] {
            assert!(joined(text.as_bytes(), 3), "{text}");
        }
        for text in [
            "toggle-password-visibility",
            "login-form-input",
            "prod-db-credentials",
            "release.notes.draft",
            "SUNNY_MEADOW_TURTLE",
            "us-east-2",
            "base-64-encoded",
            "purple-monkey",
        ] {
            assert!(!joined(text.as_bytes(), 3), "{text}");
        }
        assert!(
            numbered(b"ilovecoffee123") && !numbered(b"mytestpass123") && !numbered(b"build123")
        );
        assert!(capital(b"Lisbon_889") && capital(b"Blue-Harbor-2024"));
        assert!(!capital(b"Password_01") && !capital(b"lisbon_889") && !capital(b"Lisbon_8"));
        assert!(glued(b"SunnyMeadowTurtle"));
        assert!(!glued(b"StrongPasswordEncoder") && !glued(b"SunnyMeadow"));
        assert!(spaced(b"violet tractor lemon orbit"));
        assert!(!spaced(b"enter the phrase again") && !spaced(b"violet tractor lemon"));
    }
}
