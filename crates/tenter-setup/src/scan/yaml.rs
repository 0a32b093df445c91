//! Extracts key-value lines from YAML: enough to show what runs, whatever else the text contains.

/// A key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Line number, counted from one.
    pub(super) number: usize,
    pub(super) indent: usize,
    pub(super) key: String,
    pub(super) value: String,
}

/// Every `key: value` of a text, with block texts.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    // Inside a block text: indentation of its key.
    let mut block: Option<usize> = None;
    for (index, raw) in text.lines().enumerate() {
        let indent = raw.len() - raw.trim_start().len();
        let content = raw.trim();
        if let Some(key) = block {
            if content.is_empty() || indent > key {
                if let Some(last) = found.last_mut() {
                    if !last.value.is_empty() {
                        last.value.push('\n');
                    }
                    last.value.push_str(content);
                }
                continue;
            }
            block = None;
        }
        if content.starts_with('#') {
            continue;
        }
        let unmarked = content.trim_start_matches("- ").trim_start();
        let inner = indent + (content.len() - unmarked.len());
        let Some((key, value)) = pair(unmarked) else { continue };
        let mut value = value.trim().to_owned();
        if value.starts_with(['|', '>']) && value.len() <= 3 {
            block = Some(inner);
            value.clear();
        }
        found.push(Line { number: index + 1, indent: inner, key, value: plain(&value) });
        flow(index + 1, inner, &value, &mut found);
    }
    found
}

/// Parses `{a: b, c: d}` on one line.
fn flow(number: usize, indent: usize, value: &str, found: &mut Vec<Line>) {
    if !value.starts_with(['{', '[']) {
        return;
    }
    for part in value.split(['{', '}', '[', ']', ',']) {
        if let Some((key, value)) = pair(part.trim()) {
            found.push(Line { number, indent: indent + 1, key, value: plain(value.trim()) });
        }
    }
}

fn pair(text: &str) -> Option<(String, &str)> {
    let (key, value) = text.split_once(':')?;
    if !(value.is_empty() || value.starts_with([' ', '\t'])) {
        return None;
    }
    let key = key.trim().trim_matches(['"', '\'']);
    let is_name = |c: char| c.is_alphanumeric() || "_-.$ ".contains(c);
    (!key.is_empty() && key.len() < 100 && key.chars().all(is_name))
        .then(|| (key.to_owned(), value))
}

fn plain(value: &str) -> String {
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote)
            && let Some(end) = inner.rfind(quote)
        {
            let inner = inner.get(..end).unwrap_or_default();
            return if quote == '"' {
                inner.replace("\\\"", "\"")
            } else {
                inner.replace("''", "'")
            };
        }
    }
    match value.split_once(" #") {
        Some((value, _)) => value.trim().to_owned(),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_at_every_depth() {
        let text = "a: 1\nhooks:\n  Stop:\n    - matcher: \"x\"\n      hooks:\n        - type: command\n          command: \"./x.sh \\\"a\\\"\" # why\nrun: |\n  one\n  two\nend: it's\n";
        let found = lines(text);
        let get = |key: &str| found.iter().find(|line| line.key == key).unwrap();
        assert_eq!(get("command").value, "./x.sh \"a\"");
        assert_eq!((get("command").number, get("command").indent), (7, 10));
        assert_eq!(get("run").value, "one\ntwo");
        assert_eq!(get("end").value, "it's");
        assert_eq!((get("Stop").number, get("Stop").indent), (3, 2));
    }

    #[test]
    fn a_list_in_one_line_is_taken_apart() {
        let found = lines("hooks: {Stop: [{hooks: [{type: command, command: \"./x.sh\"}]}]}");
        assert!(
            found.iter().any(|line| line.key == "command" && line.value == "./x.sh"),
            "{found:?}"
        );
    }
}
