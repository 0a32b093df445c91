//! Whether a path with patterns and unknown stretches can be a given path.
//!
//! The answer leans to yes: what cannot be told may match. What a pattern certainly matches, as in `case` or
//! `${x#y}`, where a star also takes slashes, is computed by `expand/matching.rs`; patterns of policies, with `**`
//! and braces, are another language (`tenter_model::pattern`).

use crate::target::PathPart;

/// One step of a pattern.
#[derive(Clone, Copy)]
enum Step<'p> {
    Byte(u8),
    /// `?`
    Any,
    /// `[...]`, without its brackets.
    Class(&'p str),
    /// `*`: anything but a slash.
    Star,
    /// `**`, an extended pattern or something unknown: anything at all.
    Everything,
}

/// Longer patterns and paths are not compared.
const MAX_STEPS: usize = 1 << 16;

/// True unless it is certain that the parts cannot come to `path`.
pub(crate) fn parts_match(parts: &[PathPart], path: &str) -> bool {
    if let [PathPart::Text(text)] = parts {
        return text == path;
    }
    let mut steps = Vec::new();
    for part in parts {
        match part {
            PathPart::Text(text) => steps.extend(text.bytes().map(Step::Byte)),
            PathPart::Unknown(_) => steps.push(Step::Everything),
            PathPart::Glob(pattern) => steps_of(pattern, &mut steps),
        }
    }
    // No real names are that long; assume a match.
    if steps.len().saturating_mul(path.len()) > MAX_STEPS {
        return true;
    }
    matches(&steps, path.as_bytes(), false)
}

/// Whether a pattern of the shell can stand for a file's name, ignoring case. A star stands for no leading dot.
pub fn name_may_be(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with(['.', '[']) {
        return false;
    }
    let Some(first) = pattern.find(['*', '?', '[']) else {
        return pattern.eq_ignore_ascii_case(name);
    };
    let (start, mut rest) = pattern.split_at_checked(first).unwrap_or(("", pattern));
    // Most names differ before the first wildcard.
    if !name.get(..first).is_some_and(|name| name.eq_ignore_ascii_case(start)) {
        return false;
    }
    let mut steps: Vec<Step<'_>> = start.bytes().map(Step::Byte).collect();
    while let Some(letter) = rest.chars().next() {
        // The first member of a class may be a bracket.
        let class = rest.get(2..).filter(|_| letter == '[').and_then(|rest| rest.find(']'));
        let length = class.map_or(letter.len_utf8(), |end| end + 3);
        let (part, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if class.is_some() || matches!(letter, '*' | '?') {
            steps_of(part, &mut steps);
        } else {
            steps.extend(part.bytes().map(Step::Byte));
        }
        rest = after;
    }
    matches(&steps, name.as_bytes(), true)
}

fn steps_of<'p>(pattern: &'p str, steps: &mut Vec<Step<'p>>) {
    match pattern {
        "*" => {
            // Two stars that stand together cross slashes.
            if matches!(steps.last(), Some(Step::Star)) {
                steps.pop();
                steps.push(Step::Everything);
            } else {
                steps.push(Step::Star);
            }
        }
        "?" => steps.push(Step::Any),
        _ => match pattern.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(class) if !class.is_empty() => steps.push(Step::Class(class)),
            _ => steps.push(Step::Everything),
        },
    }
}

/// Matching with one point to go back to for each kind of star: the last star that can still take
/// more is enough, so the work is at most the product of the two lengths.
fn matches(steps: &[Step<'_>], text: &[u8], any_case: bool) -> bool {
    let (mut at, mut step) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    let mut everything: Option<(usize, usize)> = None;
    loop {
        match steps.get(step) {
            Some(Step::Star) => {
                star = Some((step + 1, at));
                step += 1;
                continue;
            }
            Some(Step::Everything) => {
                everything = Some((step + 1, at));
                star = None;
                step += 1;
                continue;
            }
            Some(one) if text.get(at).is_some_and(|byte| takes(*one, *byte, any_case)) => {
                at += 1;
                step += 1;
                continue;
            }
            None if at == text.len() => return true,
            _ => {}
        }
        // Go back: the nearest star takes one byte more, unless that byte is a slash.
        if let Some((after, from)) = star
            && text.get(from).is_some_and(|byte| *byte != b'/')
        {
            star = Some((after, from + 1));
            (step, at) = (after, from + 1);
        } else if let Some((after, from)) = everything
            && from < text.len()
        {
            everything = Some((after, from + 1));
            star = None;
            (step, at) = (after, from + 1);
        } else {
            return false;
        }
    }
}

fn takes(step: Step<'_>, byte: u8, any_case: bool) -> bool {
    match step {
        Step::Byte(wanted) => wanted == byte || (any_case && wanted.eq_ignore_ascii_case(&byte)),
        Step::Any => byte != b'/',
        Step::Class(class) => in_class(class.as_bytes(), byte),
        Step::Star | Step::Everything => false,
    }
}

fn in_class(class: &[u8], byte: u8) -> bool {
    let (negated, class) = match class {
        [b'!' | b'^', rest @ ..] => (true, rest),
        _ => (false, class),
    };
    // A named class such as [:alpha:] is not read: it may match.
    if class.windows(2).any(|pair| pair == b"[:") {
        return byte != b'/';
    }
    let mut found = false;
    let mut rest = class;
    loop {
        match rest {
            [low, b'-', high, tail @ ..] => {
                found |= (*low..=*high).contains(&byte);
                rest = tail;
            }
            [one, tail @ ..] => {
                found |= *one == byte;
                rest = tail;
            }
            [] => break,
        }
    }
    found != negated && byte != b'/'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glob(pattern: &[&str]) -> Vec<PathPart> {
        pattern
            .iter()
            .map(|part| match *part {
                "*" | "?" => PathPart::Glob((*part).into()),
                class if class.starts_with('[') => PathPart::Glob(class.into()),
                unknown if unknown.starts_with('$') => PathPart::Unknown(unknown.into()),
                text => PathPart::Text(text.into()),
            })
            .collect()
    }

    #[test]
    fn stars_stay_within_a_directory_and_unknown_parts_do_not() {
        assert!(parts_match(&glob(&["/home/", "*", "/.ssh"]), "/home/me/.ssh"));
        assert!(!parts_match(&glob(&["/home/", "*", "/.ssh"]), "/home/a/b/.ssh"));
        assert!(parts_match(&glob(&["/home/", "$x", "/.ssh"]), "/home/a/b/.ssh"));
        assert!(parts_match(&glob(&["/", "*", "b", "*", "c"]), "/abbc"));
        assert!(parts_match(&glob(&["/a", "*", "*", "z"]), "/a/b/z"));
    }

    #[test]
    fn names_are_compared_ignoring_case() {
        for (pattern, name) in [
            ("id_*", "ID_RSA"),
            (".en[v]", ".env"),
            ("[.]env", ".env"),
            ("?.[!x]", "a.b"),
            ("ä*", "ä"),
            ("a[", "a["),
        ] {
            assert!(name_may_be(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("*env", ".env"), ("id_?", "id_rsa"), ("a", "b"), ("abc*", "ab"), ("[!.]env", ".env")]
        {
            assert!(!name_may_be(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn classes_take_what_they_name() {
        assert!(parts_match(&glob(&["/et", "[a-c]"]), "/etc"));
        assert!(!parts_match(&glob(&["/et", "[!c]"]), "/etc"));
        assert!(parts_match(&glob(&["/et", "[!x]"]), "/etc"));
    }
}
