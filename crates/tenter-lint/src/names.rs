//! Suggests the intended name for a misspelt one.

use tenter_engine::nearest;

/// A suggestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meant<'n> {
    pub(crate) name: &'n str,
    /// Whether no other name can have been intended.
    pub(crate) certain: bool,
}

/// The known name closest to `word`, if any is close.
pub(crate) fn meant<'n>(
    word: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> Option<Meant<'n>> {
    let plain = plain(word);
    if let Some(name) = known.clone().find(|name| self::plain(name) == plain) {
        return Some(Meant { name, certain: true });
    }
    if let Some(name) = only(known.clone().filter(|name| one_slip_apart(word, name))) {
        return Some(Meant { name, certain: name.len() > 4 });
    }
    let starts =
        known.clone().filter(|name| word.len() > 7 && self::plain(name).starts_with(&plain));
    if let Some(name) = only(starts) {
        return Some(Meant { name, certain: true });
    }
    nearest(word, known).map(|name| Meant { name, certain: false })
}

/// Normalises a name: no case, underscores, hyphens, blanks.
pub(crate) fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

/// Whether the names differ by one inserted, deleted, changed or swapped letter.
fn one_slip_apart(one: &str, other: &str) -> bool {
    let one: Vec<char> = one.chars().flat_map(char::to_lowercase).collect();
    let other: Vec<char> = other.chars().flat_map(char::to_lowercase).collect();
    if one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let same = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (rest, other_rest) = (one.get(same..), other.get(same..));
    let (Some(rest), Some(other_rest)) = (rest, other_rest) else { return false };
    match (rest, other_rest) {
        ([], [_]) | ([_], []) => true,
        ([a, b, tail @ ..], [c, d, other_tail @ ..]) if a == d && b == c && a != b => {
            tail == other_tail
        }
        ([_, tail @ ..], [_, other_tail @ ..]) if tail == other_tail => true,
        ([_, tail @ ..], _) if tail == other_rest => true,
        (_, [_, other_tail @ ..]) => rest == other_tail,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(word: &str) -> Option<(&'static str, bool)> {
        let known = ["failClosed", "loop_limit", "timeout", "beforeShellExecution", "stop"];
        meant(word, known.into_iter()).map(|meant| (meant.name, meant.certain))
    }

    #[test]
    fn spellings_and_single_slips_are_certain() {
        assert_eq!(of("fail_closed"), Some(("failClosed", true)));
        assert_eq!(of("failclosed"), Some(("failClosed", true)));
        assert_eq!(of("loopLimit"), Some(("loop_limit", true)));
        assert_eq!(of("tiemout"), Some(("timeout", true)));
        assert_eq!(of("timout"), Some(("timeout", true)));
        assert_eq!(of("timeoute"), Some(("timeout", true)));
        assert_eq!(of("beforeShellExec"), Some(("beforeShellExecution", true)));
    }

    #[test]
    fn anything_further_off_is_a_guess_or_nothing() {
        assert_eq!(of("stob"), Some(("stop", false)), "too short to be sure");
        assert_eq!(of("timeoutMs"), Some(("timeout", false)));
        assert_eq!(of("description"), None);
    }
}
