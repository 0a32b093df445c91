//! Lengths of functions, read from formatted code: a function ends at the first line that holds only a closing
//! brace as far right as its first line.

/// Lines of each function with a body, signature and braces included. Nested functions count twice.
pub(super) fn lengths<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<usize> {
    let lines: Vec<&str> = lines.collect();
    let starts = lines.iter().enumerate().filter(|(_, line)| is_signature(line));
    starts.filter_map(|(at, line)| length(line, lines.get(at..)?)).collect()
}

/// Lines up to the end of the body; `None` without a body, as in a trait.
fn length(first: &str, lines: &[&str]) -> Option<usize> {
    let margin = first.get(..first.len() - first.trim_start().len())?;
    let opens = lines.iter().position(|line| line.ends_with(['{', ';', '}']))?;
    match lines.get(opens)?.chars().next_back()? {
        '{' => Some(1 + lines.iter().position(|line| line.strip_prefix(margin) == Some("}"))?),
        '}' => Some(opens + 1),
        _ => None,
    }
}

fn is_signature(line: &str) -> bool {
    // `pub(in crate::commands)` is one word without its path.
    let line = line.replacen("(in ", "(", 1);
    let mut words = line.split_whitespace();
    let is_before = |word: &&str| {
        word.starts_with("pub") || ["const", "async", "unsafe", "extern", "\"C\""].contains(word)
    };
    words.find(|word| !is_before(word)) == Some("fn")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_end_at_their_own_brace() {
        let text = "\
pub(crate) const fn one() -> u8 { 1 }
fn two(
    a: u8,
) -> u8 {
    if a > 1 {
        1
    }
}
trait T {
    fn none(&self) -> u8;
    pub(in crate::a) fn three(&self) {
        fn inner() {
        }
    }
}
/// fn in a comment
let f = fn_name();
";
        assert_eq!(lengths(text.lines()), [1, 7, 4, 2]);
    }
}
