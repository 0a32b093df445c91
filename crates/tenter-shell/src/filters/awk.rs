//! `awk '{print $1}'` and no more of it.

use super::{Options, lines, unlines};

pub(super) fn awk(args: &[&str], stdin: &str) -> Option<String> {
    let options = Options::read(args, "F:", &[("field-separator", 'F')])?;
    let [program] = options.operands.as_slice() else { return None };
    let printed = program.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let printed = printed.trim_end_matches(';').strip_prefix("print")?.trim();
    let items = items(printed)?;
    let separator = options.value('F').unwrap_or(" ");
    // A longer one is a regular expression.
    let mut chars = separator.chars();
    let (Some(mark), None) = (chars.next(), chars.next()) else { return None };
    if mark != ' ' && !mark.is_ascii_alphanumeric() && !",:;/-_=@#%".contains(mark) {
        return None;
    }
    let (all, _) = lines(stdin);
    let output: Vec<String> = all
        .iter()
        .map(|line| {
            let fields: Vec<&str> = match mark {
                ' ' => line.split([' ', '\t']).filter(|field| !field.is_empty()).collect(),
                mark => line.split(mark).collect(),
            };
            items.iter().map(|item| item.of(line, &fields)).collect()
        })
        .collect();
    Some(unlines(&output, true))
}

enum Item<'a> {
    Field(usize),
    Last,
    Text(&'a str),
}

impl<'a> Item<'a> {
    fn of(&self, line: &'a str, fields: &[&'a str]) -> &'a str {
        match self {
            Self::Field(0) => line,
            Self::Field(number) => fields.get(number - 1).copied().unwrap_or_default(),
            Self::Last => fields.last().copied().unwrap_or_default(),
            Self::Text(text) => text,
        }
    }
}

/// `$1, "text" $NF`
fn items(text: &str) -> Option<Vec<Item<'_>>> {
    let mut items = Vec::new();
    let mut rest = text;
    if rest.is_empty() {
        return Some(vec![Item::Field(0)]);
    }
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("$NF") {
            items.push(Item::Last);
            rest = after;
        } else if let Some(after) = rest.strip_prefix('$') {
            let left = after.trim_start_matches(|ch: char| ch.is_ascii_digit());
            items.push(Item::Field(after.get(..after.len() - left.len())?.parse().ok()?));
            rest = left;
        } else if let Some(after) = rest.strip_prefix('"') {
            let (text, left) = after.split_once('"')?;
            if text.contains('\\') {
                return None;
            }
            items.push(Item::Text(text));
            rest = left;
        } else {
            return None;
        }
        // Text that continues without a blank may be an operator: `$1++`.
        let before = rest;
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(',') {
            items.push(Item::Text(" "));
            rest = after.trim_start();
            if rest.is_empty() {
                return None;
            }
        } else if before.len() == rest.len() && !rest.is_empty() && !rest.starts_with(['$', '"']) {
            return None;
        }
    }
    Some(items)
}
