//! Reads a payload's bytes into an object whose fields can be accessed.

use std::fmt;

use tenter_model::Object;

/// A payload as UTF-8 text.
#[derive(Clone, Debug)]
pub struct Payload {
    text: String,
    replaced_bytes: bool,
    /// Why `text` is only part of the payload.
    incomplete: Option<String>,
}

impl Payload {
    /// Takes a payload's bytes.
    ///
    /// Windows hosts prepend one byte order mark or two; both are removed. Invalid UTF-8 becomes U+FFFD: a
    /// guard must judge such a payload, not fail on it.
    pub fn from_bytes(mut bytes: Vec<u8>) -> Self {
        const BOM: &[u8] = b"\xEF\xBB\xBF";
        let marks = bytes.chunks(BOM.len()).take_while(|chunk| *chunk == BOM).count();
        if marks > 0 {
            bytes.drain(..marks * BOM.len());
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self { text, replaced_bytes: false, incomplete: None },
            Err(error) => Self {
                text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
                replaced_bytes: true,
                incomplete: None,
            },
        }
    }

    /// A truncated payload, and why it is truncated.
    pub fn incomplete(bytes: Vec<u8>, why: String) -> Self {
        Self { incomplete: Some(why), ..Self::from_bytes(bytes) }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the payload contained invalid UTF-8.
    pub fn replaced_bytes(&self) -> bool {
        self.replaced_bytes
    }

    /// Splits the payload. Only malformed or incomplete JSON is an error; unknown content is not.
    pub fn object(&self) -> Result<Object<'_>, PayloadError> {
        if let Some(message) = self.incomplete.clone() {
            return Err(PayloadError { message });
        }
        Object::parse(&self.text).map_err(|error| PayloadError::new(&self.text, &error))
    }
}

/// Why a payload is not one JSON object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadError {
    message: String,
}

impl PayloadError {
    fn new(text: &str, error: &serde_json::Error) -> Self {
        let message = if text.trim_ascii().is_empty() {
            "stdin is empty; a host sends one JSON object".to_owned()
        } else {
            format!("stdin is not one JSON object: {error}")
        };
        Self { message }
    }
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PayloadError {}

/// The event name in a payload that does not parse, so that the answer can still have the right format. Only
/// a top-level name counts: nested ones are arbitrary text.
pub fn sniff_event_name(text: &str) -> Option<&str> {
    let mut rest = text;
    let mut depth = 0_usize;
    while let Some(at) = rest.find(['"', '{', '[', '}', ']']) {
        let (found, after) = rest.get(at..)?.split_at_checked(1)?;
        rest = after;
        match found {
            "{" | "[" => depth += 1,
            "}" | "]" => depth = depth.saturating_sub(1),
            _ => {
                let (content, behind) = string_end(rest)?;
                rest = behind;
                if depth == 1 && content == "hook_event_name" {
                    let value = rest.trim_ascii_start().strip_prefix(':')?.trim_ascii_start();
                    return string_end(value.strip_prefix('"')?).map(|(name, _)| name);
                }
            }
        }
    }
    None
}

/// Splits after the closing quote of a string whose opening quote is already consumed.
fn string_end(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    let end = text.find(|character| {
        let ends = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        ends
    })?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_one_and_two_byte_order_marks() {
        for prefix in ["", "\u{feff}", "\u{feff}\u{feff}"] {
            let payload = Payload::from_bytes(format!("{prefix}{{\"a\":1}}").into_bytes());
            assert_eq!(payload.text(), "{\"a\":1}");
            assert!(payload.object().is_ok());
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced_and_said() {
        let payload = Payload::from_bytes(b"{\"a\":\"\xff\xfe\"}".to_vec());
        assert!(payload.replaced_bytes());
        assert_eq!(payload.object().unwrap().str("a").unwrap(), "\u{fffd}\u{fffd}");
    }

    #[test]
    fn malformed_json_is_an_error_with_line_and_column() {
        let payload = Payload::from_bytes(b"{\n \"a\": }".to_vec());
        let message = payload.object().unwrap_err().to_string();
        assert_eq!(message, "stdin is not one JSON object: expected value at line 2 column 7");
        let empty = Payload::from_bytes(Vec::new()).object().unwrap_err().to_string();
        assert_eq!(empty, "stdin is empty; a host sends one JSON object");
    }

    #[test]
    fn finds_the_event_name_in_broken_json() {
        let text = r#"{"hook_event_name" : "preToolUse", "tool_input": {"#;
        assert_eq!(sniff_event_name(text), Some("preToolUse"));
        assert_eq!(sniff_event_name("{}"), None);
        let nested = r#"{"x":{"hook_event_name":"stop","y":"\"}"},"hook_event_name":"preToolUse""#;
        assert_eq!(sniff_event_name(nested), Some("preToolUse"));
        assert_eq!(sniff_event_name(r#"{"x":{"hook_event_name":"stop","y":"cut off"#), None);
    }
}
