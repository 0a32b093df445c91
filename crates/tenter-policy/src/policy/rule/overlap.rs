//! Whether a path with patterns and unknown parts can match a pattern.

use tenter_shell::target::PathPart;

/// One step of a pattern or of a partly unknown path.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Letter(char),
    /// An optional slash.
    MaybeSlash,
    One,
    Star,
    Wide,
}

/// Above this size a match is assumed.
const MAX_STEPS: usize = 1 << 16;

/// Whether some path matches both.
pub(super) fn meets(pattern: &str, parts: &[PathPart], deep: bool, fold: bool) -> bool {
    let mut pattern = pattern_steps(pattern, deep);
    let mut target = target_steps(parts);
    if fold {
        for step in pattern.iter_mut().chain(&mut target) {
            if let Step::Letter(letter) = step {
                *letter = letter.to_ascii_lowercase();
            }
        }
    }
    if pattern.len().saturating_mul(target.len()) > MAX_STEPS {
        return true;
    }
    // `can[i][j]`: the rest of the pattern from i and of the target from j match. Computed from the end, one
    // row at a time.
    let mut after: Vec<bool> = Vec::new();
    for i in (0..=pattern.len()).rev() {
        let mut row = vec![false; target.len() + 1];
        for j in (0..=target.len()).rev() {
            let down = after.get(j).copied().unwrap_or_default();
            let right = row.get(j + 1).copied().unwrap_or_default();
            let both = after.get(j + 1).copied().unwrap_or_default();
            let fits = fit(pattern.get(i), target.get(j), down, right, both);
            if let Some(cell) = row.get_mut(j) {
                *cell = fits;
            }
        }
        after = row;
    }
    after.first().copied().unwrap_or(true)
}

/// One cell: `down` skips a step of the pattern, `right` one of the target.
fn fit(one: Option<&Step>, two: Option<&Step>, down: bool, right: bool, both: bool) -> bool {
    let skips =
        |step: Option<&Step>| matches!(step, Some(Step::Star | Step::Wide | Step::MaybeSlash));
    let takes = |step: Option<&Step>, other: Option<&Step>| match (step, other) {
        (Some(Step::Wide), Some(_)) => true,
        (Some(Step::Star), Some(other)) => *other != Step::Letter('/'),
        _ => false,
    };
    if one.is_none() && two.is_none() {
        return true;
    }
    let single = match (one, two) {
        (Some(Step::Letter(one)), Some(Step::Letter(two))) => one == two,
        (Some(Step::MaybeSlash), Some(Step::Letter(other)))
        | (Some(Step::Letter(other)), Some(Step::MaybeSlash)) => *other == '/',
        (Some(Step::One), Some(Step::Letter(letter)))
        | (Some(Step::Letter(letter)), Some(Step::One)) => *letter != '/',
        (Some(Step::One), Some(Step::One)) => true,
        _ => false,
    };
    (single && both)
        || (skips(one) && down)
        || (skips(two) && right)
        || (takes(one, two) && right)
        || (takes(two, one) && down)
}

fn pattern_steps(pattern: &str, deep: bool) -> Vec<Step> {
    let mut steps = Vec::with_capacity(pattern.len());
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '*' if letters.peek() == Some(&'*') => {
                while letters.peek() == Some(&'*') {
                    letters.next();
                }
                // At the end also the folder itself, if its content is matched; between slashes also no
                // folder.
                if deep && letters.peek().is_none() && steps.last() == Some(&Step::Letter('/')) {
                    steps.pop();
                    steps.push(Step::MaybeSlash);
                }
                steps.push(Step::Wide);
                if letters.peek() == Some(&'/') {
                    letters.next();
                    steps.push(Step::MaybeSlash);
                }
            }
            '*' => steps.push(Step::Star),
            '?' => steps.push(Step::One),
            '[' => {
                steps.push(Step::One);
                letters.by_ref().find(|letter| *letter == ']');
            }
            // Any alternative is possible.
            '{' => {
                steps.push(Step::Wide);
                letters.by_ref().find(|letter| *letter == '}');
            }
            '\\' => steps.push(Step::Letter('/')),
            other => steps.push(Step::Letter(other)),
        }
    }
    // It may begin in any folder.
    if !pattern.starts_with('/') {
        steps.insert(0, Step::MaybeSlash);
        steps.insert(0, Step::Wide);
    }
    steps
}

fn target_steps(parts: &[PathPart]) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in parts {
        match part {
            PathPart::Text(text) => steps.extend(text.chars().map(Step::Letter)),
            PathPart::Unknown(_) => steps.push(Step::Wide),
            PathPart::Glob(glob) => match glob.as_str() {
                "*" if steps.last() == Some(&Step::Star) => steps.push(Step::Wide),
                "*" => steps.push(Step::Star),
                "?" => steps.push(Step::One),
                class if class.starts_with('[') => steps.push(Step::One),
                _ => steps.push(Step::Wide),
            },
        }
    }
    steps
}
