//! Writes the result as `JUnit` XML.

use std::fmt::Write;

use super::cases::{CaseResult, Suite};

pub(super) fn render(results: &[(&Suite, Vec<CaseResult>)]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all: Vec<&CaseResult> = results.iter().flat_map(|(_, outcomes)| outcomes).collect();
    let _ = writeln!(text, "<testsuites name=\"tenter test\" {}>", counts(&all));
    for (suite, outcomes) in results {
        let of_suite: Vec<&CaseResult> = outcomes.iter().collect();
        let name = escaped(&suite.name);
        let _ = writeln!(text, "  <testsuite name=\"{name}\" {}>", counts(&of_suite));
        for outcome in outcomes {
            let name = format!("{}: {}", outcome.place, outcome.title);
            let _ = write!(
                text,
                "    <testcase name=\"{}\" classname=\"{}\" time=\"{:.6}\"",
                escaped(&name),
                escaped(&suite.name),
                outcome.took.as_secs_f64()
            );
            match &outcome.failure {
                None => text.push_str("/>\n"),
                Some(failure) => {
                    let first = failure.lines().next().unwrap_or_default();
                    let _ = writeln!(
                        text,
                        ">\n      <failure type=\"verdict\" message=\"{}\">{}</failure>\n    </testcase>",
                        escaped(first),
                        escaped(failure)
                    );
                }
            }
        }
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

/// The counter attributes of a suite.
fn counts(outcomes: &[&CaseResult]) -> String {
    let failures = outcomes.iter().filter(|outcome| outcome.failure.is_some()).count();
    let took: f64 = outcomes.iter().map(|outcome| outcome.took.as_secs_f64()).sum();
    format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\" time=\"{took:.6}\"",
        outcomes.len()
    )
}

/// Escapes text for XML, which cannot represent most control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            character
                if character.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&character) =>
            {
                out.push('\u{fffd}');
            }
            character => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        assert_eq!(escaped("a<b>&\"\u{1b}\u{0}\n"), "a&lt;b&gt;&amp;&quot;\u{fffd}\u{fffd}\n");
    }
}
