//! Finds the marks that redaction leaves in a text.

use tenter_policy::secrets::RULES;

/// Position and text of the first mark.
pub(super) fn mark(text: &str) -> Option<(usize, &str)> {
    // Maximum length of a rule's name.
    const LONGEST: usize = 64;
    let mut from = 0;
    while let Some(open) = text.get(from..)?.find('[') {
        let start = from.saturating_add(open);
        from = start.saturating_add(1);
        let inside = text.get(from..)?;
        let end = inside.bytes().take(LONGEST).position(|byte| byte == b']');
        if let Some(name) = end.and_then(|end| inside.get(..end))
            && (name == "redacted" || RULES.iter().any(|rule| rule.id == name))
        {
            return Some((start, text.get(start..from.saturating_add(name.len() + 1))?));
        }
    }
    None
}

/// The text with marks blanked out, since rules could match them and shells would read them as patterns.
pub(super) fn unmarked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, found)) = mark(rest) {
        out.push_str(rest.get(..at).unwrap_or_default());
        out.push('_');
        rest = rest.get(at.saturating_add(found.len())..).unwrap_or_default();
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use tenter_policy::policy::REDACTED;

    use super::*;

    #[test]
    fn what_was_taken_out_is_seen() {
        let cases = [
            ("echo [0-9] [a]", None, "echo [0-9] [a]"),
            ("[redacted]", Some(0), "_"),
            ("a[[redacted] b", Some(2), "a[_ b"),
            ("T=[github-token] U=[environment-value]", Some(2), "T=_ U=_"),
        ];
        for (text, at, plain) in cases {
            assert_eq!(mark(text).map(|(at, _)| at), at, "{text}");
            assert_eq!(unmarked(text), plain);
        }
        assert!(mark(REDACTED).is_some());
    }
}
