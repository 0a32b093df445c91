//! Minimal diff: shows the first place where two texts differ.

/// Number of lines shown before the difference, and of each side.
const CONTEXT: usize = 2;
const SHOWN: usize = 6;

/// A hint in unified diff style; `None` when the texts are equal.
pub(crate) fn first_difference(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let common = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let before = old.get(common.saturating_sub(CONTEXT)..common).unwrap_or_default();
    let mut hint = format!("@@ line {} @@\n", common + 1);
    let mut push = |mark: char, lines: &[&str]| {
        for line in lines.iter().take(SHOWN) {
            hint.push(mark);
            hint.push_str(line);
            hint.push('\n');
        }
    };
    push(' ', before);
    let (removed, added) = changed(&old, &new, common);
    push('-', removed);
    push('+', added);
    if removed.is_empty() && added.is_empty() {
        hint.push_str("(only the end of the last line differs)\n");
    }
    Some(hint)
}

/// The differing middle of both texts, after removing the common end.
fn changed<'a, 'b>(
    old: &'a [&'a str],
    new: &'b [&'b str],
    common: usize,
) -> (&'a [&'a str], &'b [&'b str]) {
    let old = old.get(common..).unwrap_or_default();
    let new = new.get(common..).unwrap_or_default();
    let same_end =
        old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let cut = |len: usize| len.saturating_sub(same_end);
    (old.get(..cut(old.len())).unwrap_or_default(), new.get(..cut(new.len())).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
    }

    #[test]
    fn the_first_change_is_shown_with_what_stands_before_it() {
        let hint = first_difference("a\nb\nc\nd\nz\n", "a\nb\nc\nx\ny\nz\n").unwrap();
        assert_eq!(hint, "@@ line 4 @@\n b\n c\n-d\n+x\n+y\n");
    }

    #[test]
    fn a_missing_file_is_all_new() {
        assert_eq!(first_difference("", "a\n").unwrap(), "@@ line 1 @@\n+a\n");
    }

    #[test]
    fn a_missing_last_newline_is_named() {
        assert!(first_difference("a", "a\n").unwrap().contains("only the end"));
    }
}
