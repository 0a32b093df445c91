//! Builder for a small JSON object, set path by path, with fixed key order.

use serde_json::Value;

/// Object in which Claude Code and Codex expect the event's name beside the answer.
const NAMED_BRANCH: &str = "hookSpecificOutput";

/// An answer's stdout under construction. Keys come from our own tables and need no escaping; a dot in a path
/// makes a nested object.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    event: &'static str,
    entries: Vec<(&'static str, Leaf)>,
}

#[derive(Clone, Debug)]
enum Leaf {
    Json(String),
    Text(String),
}

impl Reply {
    pub(crate) fn new(event: &'static str) -> Self {
        Self { event, entries: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.entries.iter().any(|(name, _)| *name == path)
    }

    /// Whether the text at `path` is `text`, or ends with a colon and `text`.
    pub(crate) fn says(&self, path: &str, text: &str) -> bool {
        let says = |said: &str| {
            said.strip_suffix(text)
                .is_some_and(|before| before.is_empty() || before.ends_with(": "))
        };
        let mut leaves = self.entries.iter().filter(|(name, _)| *name == path);
        leaves.any(|(_, leaf)| matches!(leaf, Leaf::Text(said) if says(said)))
    }

    /// Sets JSON at `path`, replacing the old value.
    pub(crate) fn set(&mut self, path: &'static str, json: &str) {
        self.put(path, Leaf::Json(json.to_owned()));
    }

    /// Sets a string at `path`; a second one is appended, so that neither is lost.
    pub(crate) fn text(&mut self, path: &'static str, text: &str) {
        match self.entries.iter_mut().find(|(name, _)| *name == path) {
            Some((_, Leaf::Text(before))) => {
                before.push_str("\n\n");
                before.push_str(text);
            }
            _ => self.put(path, Leaf::Text(text.to_owned())),
        }
    }

    fn put(&mut self, path: &'static str, leaf: Leaf) {
        match self.entries.iter_mut().find(|(name, _)| *name == path) {
            Some(entry) => entry.1 = leaf,
            None => self.entries.push((path, leaf)),
        }
    }

    pub(crate) fn to_json(&self) -> String {
        let mut out = String::with_capacity(128);
        let entries: Vec<_> = self.entries.iter().map(|(path, leaf)| (*path, leaf)).collect();
        write_object(&entries, None, self.event, &mut out);
        out
    }
}

/// Writes the entries of one parent; `branch` is the parent's key.
fn write_object(entries: &[(&str, &Leaf)], branch: Option<&str>, event: &str, out: &mut String) {
    out.push('{');
    let mut written: Vec<&str> = Vec::new();
    if branch == Some(NAMED_BRANCH) {
        out.push_str("\"hookEventName\":");
        write_string(event, out);
        written.push("hookEventName");
    }
    for (path, leaf) in entries {
        let (key, below) = match path.split_once('.') {
            Some((key, rest)) => (key, Some(rest)),
            None => (*path, None),
        };
        if written.contains(&key) {
            continue;
        }
        if !written.is_empty() {
            out.push(',');
        }
        written.push(key);
        write_string(key, out);
        out.push(':');
        if below.is_some() {
            let children: Vec<_> = entries
                .iter()
                .filter_map(|(path, leaf)| {
                    let (parent, rest) = path.split_once('.')?;
                    (parent == key).then_some((rest, *leaf))
                })
                .collect();
            write_object(&children, Some(key), event, out);
        } else {
            match leaf {
                Leaf::Json(json) => out.push_str(json),
                Leaf::Text(text) => write_string(text, out),
            }
        }
    }
    out.push('}');
}

fn write_string(text: &str, out: &mut String) {
    out.push_str(&Value::from(text).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nests_names_and_joins() {
        let mut reply = Reply::new("PreToolUse");
        assert!(reply.is_empty());
        reply.set("hookSpecificOutput.decision.behavior", "\"deny\"");
        reply.text("systemMessage", "a \"b\"");
        reply.text("hookSpecificOutput.decision.message", "no");
        reply.text("systemMessage", "c");
        assert_eq!(
            reply.to_json(),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","decision":{"behavior":"deny","message":"no"}},"systemMessage":"a \"b\"\n\nc"}"#
        );
    }

    #[test]
    fn a_decision_overwrites_the_base() {
        let mut reply = Reply::new("preToolUse");
        reply.set("permission", "\"allow\"");
        reply.set("permission", "\"deny\"");
        assert_eq!(reply.to_json(), r#"{"permission":"deny"}"#);
    }
}
