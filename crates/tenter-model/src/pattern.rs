//! Glob patterns: of policies, for paths, hosts, packages, branches and MCP tools, and of the scan's catalogue.
//!
//! | in a pattern | stands for |
//! |---|---|
//! | `*` | anything but a slash |
//! | `**` | anything; between slashes also no folder at all, at the end also the folder itself |
//! | `?` | one character other than a slash |
//! | `[a-z]`, `[!a-z]` | one of these characters, one of all others |
//! | `{a,b}` | one of these |
//!
//! A pattern without a slash also matches the last component of a path, as in ignore files, and a relative
//! pattern matches an absolute path at any folder. A backslash counts as a slash, so that one pattern works
//! on all systems. There is no escape character: `[*]` is a star.

mod many;

pub use many::Matcher;

/// Whether `pattern` matches all of `text`, or its end where it may begin anywhere. Time is linear in the
/// product of both lengths.
pub fn matches(pattern: &str, text: &str) -> bool {
    // `@scope/name` is one name: a rule for `name` must not match it.
    let floats = !is_absolute(pattern)
        && (is_absolute(text) || (!pattern.contains(is_separator) && !text.starts_with('@')));
    fits(pattern, text, floats)
}

/// Whether `pattern` matches the complete `text`, for texts that are not paths.
pub fn matches_whole(pattern: &str, text: &str) -> bool {
    fits(pattern, text, false)
}

fn fits(pattern: &str, text: &str, floats: bool) -> bool {
    let first = pattern.find(['*', '?', '[', '{']);
    let Some(first) = first else {
        return ends(text, pattern, floats);
    };
    // The text before the first and after the last wildcard must match literally: most patterns fail here.
    let last = pattern.rfind(['*', '?', '[', ']', '{', '}']).map_or(0, |at| at + 1);
    // `**/x` also matches `x`.
    let end = pattern.get(last..).unwrap_or_default().trim_start_matches(is_separator);
    if !ends_with(text, end) {
        return false;
    }
    let start = pattern.get(..first).unwrap_or_default().trim_end_matches(is_separator);
    if !floats && !starts_with(text, start) {
        return false;
    }
    run(&compile(pattern), text, floats)
}

fn is_separator(letter: char) -> bool {
    matches!(letter, '/' | '\\')
}

fn is_absolute(text: &str) -> bool {
    let mut letters = text.chars();
    match letters.next() {
        Some('/' | '\\') => true,
        Some(drive) if drive.is_ascii_alphabetic() => {
            letters.next() == Some(':') && letters.next().is_some_and(is_separator)
        }
        _ => false,
    }
}

fn same(one: char, other: char) -> bool {
    one == other || (is_separator(one) && is_separator(other))
}

fn starts_with(text: &str, start: &str) -> bool {
    let mut letters = text.chars();
    start.chars().all(|one| letters.next().is_some_and(|other| same(one, other)))
}

fn ends_with(text: &str, end: &str) -> bool {
    let mut letters = text.chars().rev();
    end.chars().rev().all(|one| letters.next().is_some_and(|other| same(one, other)))
}

/// A pattern without wildcards: equality, or a suffix where it floats.
fn ends(text: &str, plain: &str, floats: bool) -> bool {
    if !ends_with(text, plain) {
        return false;
    }
    let before = text.len().checked_sub(plain.len()).and_then(|length| text.get(..length));
    before.is_some_and(|before| {
        before.is_empty() || (floats && !plain.is_empty() && before.ends_with(is_separator))
    })
}

/// One step of a compiled pattern.
#[derive(Clone, Copy, Debug)]
enum Step<'p> {
    Letter(char),
    Separator,
    /// Any character except a separator.
    One,
    Class {
        members: &'p str,
        negated: bool,
    },
    /// Any number of characters; `wide` includes separators.
    Many {
        wide: bool,
    },
    /// Continues at the next step or at that one.
    Split(usize),
    Jump(usize),
}

/// An open `{`: start of its last alternative, and the jumps to its end.
#[derive(Debug, Default)]
struct Group {
    split: usize,
    jumps: Vec<usize>,
}

#[derive(Debug)]
struct Compiler<'p> {
    steps: Vec<Step<'p>>,
    groups: Vec<Group>,
}

fn compile(pattern: &str) -> Vec<Step<'_>> {
    let mut compiler =
        Compiler { steps: Vec::with_capacity(pattern.len() + 4), groups: Vec::new() };
    // Surplus `{` are literal, decided from the right.
    let mut closing = pattern.matches('}').count();
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        let used = compiler.step(rest, letter, rest.len() == pattern.len(), &mut closing);
        rest = rest.get(used..).unwrap_or_default();
    }
    // An unclosed `{`: its alternatives lead to the end.
    while !compiler.groups.is_empty() {
        compiler.close();
    }
    compiler.steps
}

impl<'p> Compiler<'p> {
    /// Compiles the start of `rest`; returns the number of bytes consumed.
    fn step(&mut self, rest: &'p str, letter: char, at_start: bool, closing: &mut usize) -> usize {
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            '*' => return self.stars(rest, at_start),
            '?' => self.steps.push(Step::One),
            '[' => {
                if let Some((members, used)) = class(after) {
                    let negated = members.starts_with(['!', '^']);
                    let members = members.get(usize::from(negated)..).unwrap_or_default();
                    self.steps.push(Step::Class { members, negated });
                    return used + 1;
                }
                self.steps.push(Step::Letter('['));
            }
            '{' if *closing > self.groups.len() => {
                self.groups.push(Group { split: self.steps.len(), jumps: Vec::new() });
                self.steps.push(Step::Split(0));
            }
            ',' if !self.groups.is_empty() => self.alternative(),
            '}' => {
                *closing = closing.saturating_sub(1);
                if self.groups.is_empty() {
                    self.steps.push(Step::Letter('}'));
                } else {
                    self.close();
                }
            }
            '/' | '\\' => {
                let stars = after.len() - after.trim_start_matches('*').len();
                let end = after.get(stars..).unwrap_or_default();
                let ends =
                    end.is_empty() || (!self.groups.is_empty() && end.starts_with([',', '}']));
                if stars > 1 && ends && !at_start {
                    // `x/**` also matches `x`.
                    let to = self.steps.len() + 3;
                    self.steps.push(Step::Split(to));
                    self.steps.push(Step::Separator);
                    self.steps.push(Step::Many { wide: true });
                    return stars + 1;
                }
                self.steps.push(Step::Separator);
            }
            other => self.steps.push(Step::Letter(other)),
        }
        letter.len_utf8()
    }

    fn stars(&mut self, rest: &str, at_start: bool) -> usize {
        let after = rest.trim_start_matches('*');
        let stars = rest.len() - after.len();
        let folder = at_start || matches!(self.steps.last(), Some(Step::Separator));
        if stars > 1 && folder && after.starts_with(is_separator) {
            // `a/**/b` also matches `a/b`.
            let to = self.steps.len() + 3;
            self.steps.push(Step::Split(to));
            self.steps.push(Step::Many { wide: true });
            self.steps.push(Step::Separator);
            return stars + 1;
        }
        self.steps.push(Step::Many { wide: stars > 1 });
        stars
    }

    fn alternative(&mut self) {
        let Some(group) = self.groups.last_mut() else { return };
        group.jumps.push(self.steps.len());
        self.steps.push(Step::Jump(0));
        let here = self.steps.len();
        if let Some(split) = self.steps.get_mut(group.split) {
            *split = Step::Split(here);
        }
        group.split = here;
        self.steps.push(Step::Split(0));
    }

    fn close(&mut self) {
        let Some(group) = self.groups.pop() else { return };
        let here = self.steps.len();
        // The last alternative has no successor.
        if let Some(split) = self.steps.get_mut(group.split) {
            *split = Step::Jump(group.split + 1);
        }
        for jump in group.jumps {
            if let Some(step) = self.steps.get_mut(jump) {
                *step = Step::Jump(here);
            }
        }
    }
}

/// The content of `[...]` and its length including the bracket.
fn class(after: &str) -> Option<(&str, usize)> {
    let negation = usize::from(after.starts_with(['!', '^']));
    // A leading `]` is a member.
    let from = negation + usize::from(after.get(negation..)?.starts_with(']'));
    let end = from + after.get(from..)?.find(']')?;
    Some((after.get(..end)?, end + 1))
}

fn is_member(members: &str, letter: char) -> bool {
    let mut rest = members.chars();
    while let Some(first) = rest.next() {
        let mut ahead = rest.clone();
        if ahead.next() == Some('-')
            && let Some(last) = ahead.next()
        {
            if (first..=last).contains(&letter) {
                return true;
            }
            rest = ahead;
        } else if first == letter {
            return true;
        }
    }
    false
}

/// The set of active steps.
#[derive(Debug)]
struct Places {
    list: Vec<usize>,
    known: Vec<bool>,
}

impl Places {
    fn new(steps: usize) -> Self {
        Self { list: Vec::with_capacity(steps + 1), known: vec![false; steps + 1] }
    }

    fn clear(&mut self) {
        for place in self.list.drain(..) {
            if let Some(known) = self.known.get_mut(place) {
                *known = false;
            }
        }
    }

    /// Adds a step and all reachable from it without consuming a character.
    fn add(&mut self, steps: &[Step<'_>], place: usize) {
        let from = self.list.len();
        self.push(place);
        let mut next = from;
        while let Some(&place) = self.list.get(next) {
            next += 1;
            match steps.get(place) {
                Some(Step::Split(to)) => {
                    self.push(place + 1);
                    self.push(*to);
                }
                Some(Step::Jump(to)) => self.push(*to),
                Some(Step::Many { .. }) => self.push(place + 1),
                _ => {}
            }
        }
    }

    fn push(&mut self, place: usize) {
        if let Some(known) = self.known.get_mut(place)
            && !*known
        {
            *known = true;
            self.list.push(place);
        }
    }
}

/// Simulates all alternatives at once.
fn run(steps: &[Step<'_>], text: &str, floats: bool) -> bool {
    follow(steps, text, floats, &mut Places::new(steps.len()), &mut Places::new(steps.len()))
}

fn follow(
    steps: &[Step<'_>],
    text: &str,
    floats: bool,
    now: &mut Places,
    then: &mut Places,
) -> bool {
    now.add(steps, 0);
    for letter in text.chars() {
        let separator = is_separator(letter);
        for &place in &now.list {
            match steps.get(place) {
                Some(Step::Letter(known)) if *known == letter => then.add(steps, place + 1),
                Some(Step::Separator) if separator => then.add(steps, place + 1),
                Some(Step::One) if !separator => then.add(steps, place + 1),
                Some(Step::Class { members, negated })
                    if !separator && is_member(members, letter) != *negated =>
                {
                    then.add(steps, place + 1);
                }
                Some(Step::Many { wide }) if *wide || !separator => then.add(steps, place),
                _ => {}
            }
        }
        if floats && separator {
            then.add(steps, 0);
        }
        if then.list.is_empty() && !floats {
            return false;
        }
        now.clear();
        std::mem::swap(now, then);
    }
    now.known.last().is_some_and(|end| *end)
}

#[cfg(test)]
mod tests;
