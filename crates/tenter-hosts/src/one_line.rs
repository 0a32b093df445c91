//! Puts JSON on one line, for protocols that separate values by line breaks.

use serde_json::value::RawValue;

/// The same value without line breaks and their surrounding whitespace; other bytes are unchanged.
pub fn one_line(value: Box<RawValue>) -> Box<RawValue> {
    if !value.get().contains(['\n', '\r']) {
        return value;
    }
    let mut text = String::with_capacity(value.get().len());
    let (mut in_string, mut escaped) = (false, false);
    for character in value.get().chars() {
        let blank = matches!(character, ' ' | '\t' | '\n' | '\r');
        if in_string || !blank {
            text.push(character);
        }
        match character {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
    }
    // Whitespace outside strings is insignificant, so this is still the same JSON.
    RawValue::from_string(text).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_means_nothing_goes() {
        let line =
            |json: &str| one_line(RawValue::from_string(json.to_owned()).unwrap()).to_string();
        assert_eq!(line("{\n  \"a b\": [1e999,\r\n\t\"x \\\\\" ]\n}"), r#"{"a b":[1e999,"x \\"]}"#);
        assert_eq!(line(r#"{"q\" \n": 1 }"#), r#"{"q\" \n": 1 }"#, "on one line already");
    }
}
