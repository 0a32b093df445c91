//! Replies of an OTLP receiver.

use serde_json::Value;

/// Result of an accepted request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reply {
    /// Number of rejected spans.
    pub(super) rejected: u64,
    pub(super) message: String,
}

/// Parses the body of a successful response. Receivers may leave everything out, and some answer with a page.
pub(super) fn read(body: &[u8]) -> Reply {
    let Ok(value) = serde_json::from_slice::<Value>(body) else { return Reply::default() };
    let part = value.get("partialSuccess").or_else(|| value.get("partial_success"));
    let field = |camel: &str, snake: &str| part?.get(camel).or_else(|| part?.get(snake)).cloned();
    // 64-bit numbers are strings in this JSON, but not every receiver complies.
    let rejected = match field("rejectedSpans", "rejected_spans") {
        Some(Value::String(text)) => text.parse().unwrap_or_default(),
        Some(number) => number.as_u64().unwrap_or_default(),
        None => 0,
    };
    let message = field("errorMessage", "error_message");
    let message = message.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    Reply { rejected, message }
}

/// The message of an error response: that of its status, or the start of the text.
pub(super) fn complaint(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let status = serde_json::from_str::<Value>(&text).ok();
    let message = status.as_ref().and_then(|it| it.get("message")?.as_str());
    message.unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partial_success_is_read_in_every_form() {
        for (body, rejected, message) in [
            ("", 0, ""),
            ("{}", 0, ""),
            ("<html>", 0, ""),
            (r#"{"partialSuccess":{}}"#, 0, ""),
            (r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"old"}}"#, 3, "old"),
            (r#"{"partial_success":{"rejected_spans":4,"error_message":"x"}}"#, 4, "x"),
            (r#"{"partialSuccess":{"errorMessage":"careful"}}"#, 0, "careful"),
        ] {
            let wanted = Reply { rejected, message: message.to_owned() };
            assert_eq!(read(body.as_bytes()), wanted, "{body}");
        }
        assert_eq!(complaint(br#"{"code":3,"message":"bad"}"#), "bad");
        assert_eq!(complaint(b"bad"), "bad");
    }
}
