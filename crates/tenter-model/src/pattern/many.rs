//! A compiled pattern for matching many texts.

use std::cell::RefCell;

use super::{
    Places, Step, compile, ends, ends_with, follow, is_absolute, is_separator, same, starts_with,
};

/// Wildcard characters.
const SIGNS: &[char] = &['*', '?', '[', '{'];

/// A compiled pattern. Equivalent to [`super::matches`], without allocating per text.
#[derive(Debug)]
pub struct Matcher<'p> {
    is_absolute: bool,
    is_name: bool,
    form: Form<'p>,
}

#[derive(Debug)]
enum Form<'p> {
    /// A text without wildcards.
    Plain(&'p str),
    /// `**/x`: a suffix in any folder.
    End(&'p str),
    /// `x/**`: a folder with everything below it.
    Below(&'p str),
    Steps {
        start: &'p str,
        end: &'p str,
        steps: Vec<Step<'p>>,
        places: RefCell<(Places, Places)>,
    },
}

impl<'p> Matcher<'p> {
    pub fn new(pattern: &'p str) -> Self {
        let plain = |text: &&str| {
            !text.is_empty() && !text.contains(SIGNS) && !text.ends_with(is_separator)
        };
        let relative = |text: &&str| plain(text) && !text.starts_with(is_separator);
        let form = match pattern.find(SIGNS) {
            None => Form::Plain(pattern),
            Some(first) => {
                if let Some(end) = pattern.strip_prefix("**/").filter(relative) {
                    Form::End(end)
                } else if let Some(folder) = pattern.strip_suffix("/**").filter(plain) {
                    Form::Below(folder)
                } else {
                    let last = pattern.rfind(['*', '?', '[', ']', '{', '}']).map_or(0, |at| at + 1);
                    let steps = compile(pattern);
                    let places = || Places::new(steps.len());
                    Form::Steps {
                        start: pattern
                            .get(..first)
                            .unwrap_or_default()
                            .trim_end_matches(is_separator),
                        end: pattern
                            .get(last..)
                            .unwrap_or_default()
                            .trim_start_matches(is_separator),
                        places: RefCell::new((places(), places())),
                        steps,
                    }
                }
            }
        };
        Self { is_absolute: is_absolute(pattern), is_name: !pattern.contains(is_separator), form }
    }

    pub fn matches(&self, text: &str) -> bool {
        let floats =
            !self.is_absolute && (is_absolute(text) || (self.is_name && !text.starts_with('@')));
        match &self.form {
            Form::Plain(plain) => ends(text, plain, floats),
            Form::End(end) => ends(text, end, true),
            Form::Below(folder) => lies_in(text, folder, floats),
            Form::Steps { start, end, steps, places } => {
                if !ends_with(text, end) || (!floats && !starts_with(text, start)) {
                    return false;
                }
                let (now, then) = &mut *places.borrow_mut();
                now.clear();
                then.clear();
                follow(steps, text, floats, now, then)
            }
        }
    }
}

/// Whether a path starts with a folder, or contains it where the pattern floats.
fn lies_in(text: &str, folder: &str, floats: bool) -> bool {
    let begins = |text: &str| {
        let mut letters = text.chars();
        folder.chars().all(|one| letters.next().is_some_and(|other| same(one, other)))
            && letters.next().is_none_or(is_separator)
    };
    begins(text)
        || (floats
            && text
                .match_indices(is_separator)
                .any(|(at, _)| begins(text.get(at + 1..).unwrap_or_default())))
}
