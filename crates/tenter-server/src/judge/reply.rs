//! Parses the model's text strictly: anything but the agreed JSON object is not a judgement.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// Reason used when the model gave none.
const NO_REASON: &str = "the model gave no reason";

const FENCE: &str = "```";

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    Ok,
    NotOk { reason: String },
}

impl Judgement {
    pub(super) fn map_reason(self, change: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Ok => Self::Ok,
            Self::NotOk { reason } => Self::NotOk { reason: change(&reason) },
        }
    }

    pub(super) fn to_json(&self) -> String {
        match self {
            Self::Ok => json!({ "ok": true }),
            Self::NotOk { reason } => json!({ "ok": false, "reason": reason }),
        }
        .to_string()
    }
}

/// The derived deserializer rejects duplicate keys: of two `ok` neither can be trusted.
#[derive(Deserialize)]
struct Reply {
    ok: bool,
    reason: Option<String>,
}

pub(super) fn read(text: &str) -> Option<Judgement> {
    let Reply { ok, reason } = object(unfence(text.trim()))?.ok()?;
    if ok {
        return Some(Judgement::Ok);
    }
    let given = reason.filter(|reason| !reason.trim().is_empty());
    Some(Judgement::NotOk { reason: given.unwrap_or_else(|| NO_REASON.to_owned()) })
}

/// Strips the Markdown fence around JSON, if it encloses the whole text.
fn unfence(text: &str) -> &str {
    let inside = text.strip_prefix(FENCE).and_then(|text| text.strip_suffix(FENCE));
    match inside {
        Some(inside) => inside.strip_prefix("json").unwrap_or(inside).trim(),
        None => text,
    }
}

/// Parses a JSON object; `None` for any other text. Serde alone would accept an array for a struct.
pub(super) fn object<T: DeserializeOwned>(text: &str) -> Option<serde_json::Result<T>> {
    text.trim_start().starts_with('{').then(|| serde_json::from_str(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn not_ok(reason: &str) -> Judgement {
        Judgement::NotOk { reason: reason.to_owned() }
    }

    #[test]
    fn the_agreed_object() {
        assert_eq!(read(r#"{"ok":true}"#), Some(Judgement::Ok));
        assert_eq!(read(" \n{\"ok\": true, \"reason\": \"fine\"}\n"), Some(Judgement::Ok));
        assert_eq!(read(r#"{"reason":"no","ok":false}"#), Some(not_ok("no")));
        assert_eq!(read(r#"{"ok":false,"reason":"no","confidence":1}"#), Some(not_ok("no")));
    }

    #[test]
    fn a_missing_reason_is_named_as_such() {
        for text in
            [r#"{"ok":false}"#, r#"{"ok":false,"reason":null}"#, r#"{"ok":false,"reason":" \n"}"#]
        {
            assert_eq!(read(text), Some(not_ok("the model gave no reason")), "{text}");
        }
    }

    #[test]
    fn one_fence_is_taken_off() {
        for text in [
            "```json\n{\"ok\":true}\n```",
            "```\n{\"ok\":true}\n```",
            "```json {\"ok\":true}```",
            "  ```json\r\n{\"ok\":true}\r\n```  ",
        ] {
            assert_eq!(read(text), Some(Judgement::Ok), "{text}");
        }
        let fence_inside = "```json\n{\"ok\":false,\"reason\":\"```\"}\n```";
        assert_eq!(read(fence_inside), Some(not_ok("```")));
    }

    #[test]
    fn everything_else_is_no_judgement() {
        for text in [
            "",
            "ok",
            "true",
            "{}",
            "Yes, this is fine.",
            "Sure! {\"ok\":true}",
            "{\"ok\":true} as asked",
            "{\"ok\":true}{\"ok\":true}",
            "{\"ok\":true,\"ok\":false}",
            "{\"ok\":false,\"ok\":true}",
            "{\"ok\":\"true\"}",
            "{\"ok\":1}",
            "{\"ok\":null}",
            "{\"OK\":true}",
            "{\"ok\":true,\"reason\":5}",
            "{\"ok\":true",
            "[true,\"x\"]",
            "[{\"ok\":true}]",
            "\"{\\\"ok\\\":true}\"",
            "```json\n{\"ok\":true}",
            "{\"ok\":true}\n```",
            "```",
            "````",
            "``````",
            "```yaml\n{\"ok\":true}\n```",
            "```json\n{\"ok\":true}\n```\n```json\n{\"ok\":true}\n```",
            "Here:\n```json\n{\"ok\":true}\n```",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn judgements_are_printed_on_one_line() {
        assert_eq!(Judgement::Ok.to_json(), r#"{"ok":true}"#);
        let judgement = not_ok("a\n\"b\"");
        assert_eq!(judgement.to_json(), r#"{"ok":false,"reason":"a\n\"b\""}"#);
    }

    /// A naive second implementation of the check for ok.
    fn says_ok(text: &str) -> bool {
        let whole = text.trim();
        let inside = whole.trim_matches('`').trim();
        let inside = inside.strip_prefix("json").unwrap_or(inside);
        let parsed = [whole, inside].into_iter().filter_map(|text| serde_json::from_str(text).ok());
        parsed.into_iter().any(|value: Value| value.is_object() && value["ok"] == true)
    }

    /// Fragments that resemble an answer when concatenated.
    fn near_answers() -> impl Strategy<Value = String> {
        let pieces = [
            "{",
            "}",
            "\"ok\"",
            ":",
            "true",
            "false",
            ",",
            "\"reason\"",
            "\"x\"",
            "null",
            "[",
            "]",
            "```",
            "json",
            "\n",
            " ",
            "Yes",
            "{\"ok\":true}",
            "{\"ok\":false}",
            "\"ok\":true",
        ];
        prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..9)
            .prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn ok_is_never_made_up(text in prop_oneof![near_answers(), any::<String>()]) {
            if read(&text) == Some(Judgement::Ok) {
                prop_assert!(says_ok(&text), "{text:?}");
            }
        }

        #[test]
        fn a_plain_answer_is_read(ok in any::<bool>(), reason in any::<String>(), fenced in any::<bool>()) {
            let answer = json!({ "ok": ok, "reason": reason }).to_string();
            let text = if fenced { format!("```json\n{answer}\n```") } else { answer };
            prop_assert_eq!(read(&text).is_some_and(|it| it == Judgement::Ok), ok);
            prop_assert!(read(&text).is_some());
        }
    }
}
