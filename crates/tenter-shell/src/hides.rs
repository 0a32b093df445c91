//! Whether a program shows only names of what it reads, as `NAME=value` files have them: names of programs, forms of
//! PowerShell, patterns and scripts that leave the values out.

use crate::analysis::Ran;
use crate::value::Field;

/// Maximum number of stages of a pipeline that are read.
const MAX_STAGES: usize = 8;

/// Settings whose values are no secrets.
const HARMLESS: &[&str] = &[
    "API_URL",
    "APP_ENV",
    "APP_NAME",
    "APP_URL",
    "BACKEND_URL",
    "BASE_URL",
    "CI",
    "DEBUG",
    "ENV",
    "ENVIRONMENT",
    "FRONTEND_URL",
    "HOST",
    "HOSTNAME",
    "LANG",
    "LOCALE",
    "LOG_LEVEL",
    "NODE_ENV",
    "NODE_VERSION",
    "PORT",
    "PUBLIC_URL",
    "PYTHONPATH",
    "RAILS_ENV",
    "RUST_LOG",
    "SITE_URL",
    "STAGE",
    "TZ",
    "WEB_URL",
];

/// Ends of such names, after an underline.
const HARMLESS_ENDS: &[&str] =
    &["ENABLED", "ENV", "HOST", "LEVEL", "LOCALE", "PORT", "REGION", "TIMEOUT", "TIMEZONE"];

/// What PowerShell writes for the name in a line.
const NAME_FORMS: &[&str] = &[
    "($_ -split '=', 2)[0]",
    "($_ -split '=',2)[0]",
    "($_ -split '=')[0]",
    "($_ -split \"=\", 2)[0]",
    "($_ -split \"=\")[0]",
    "$_.Split('=')[0]",
    "$_.Split(\"=\")[0]",
    "$_.Split('=', 2)[0]",
    "$_.Split('=',2)[0]",
    "$_.Split(\"=\", 2)[0]",
    "$_.Length",
    "$_.Substring(0, $_.IndexOf('='))",
    "$_.Substring(0,$_.IndexOf('='))",
];

/// Whether nothing but names or counts comes of what a program prints, by the text of the command behind it:
/// `| ForEach-Object { $_.Split('=')[0] }`, `) -replace '=.*', '=***'`, `).Count`, `>nul`.
pub fn is_hidden_by(behind: &str) -> bool {
    let rest = behind.trim_start_matches([' ', '\t']);
    if is_discarded(rest) {
        return true;
    }
    let closed = rest.strip_prefix(')').map(|rest| rest.trim_start_matches([' ', '\t', ')']));
    if let Some(closed) = closed {
        let counts = [".Count", ".Length"].iter().any(|member| {
            closed.strip_prefix(member).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        });
        if counts || is_replaced(closed) {
            return true;
        }
    }
    let mut rest = closed.unwrap_or(rest);
    let mut matches_names = false;
    for _ in 0..MAX_STAGES {
        let Some(piped) = rest.strip_prefix('|').filter(|rest| !rest.starts_with('|')) else {
            return false;
        };
        let piped = piped.trim_start();
        let end = stage_end(piped);
        let stage = piped.get(..end).unwrap_or_default().trim();
        let word = stage.split([' ', '{']).next().unwrap_or_default().to_ascii_lowercase();
        match word.as_str() {
            "where-object" | "where" | "?" | "sort-object" | "sort" => {
                matches_names |= captures_name(stage);
            }
            "select-object" | "select" if !stage.contains('{') => {}
            "measure-object" | "measure" | "out-null" => return true,
            "foreach-object" | "foreach" | "%" => {
                return names_in_block(stage, matches_names || captures_name(stage));
            }
            _ => return false,
        }
        rest = piped.get(end..).unwrap_or_default();
        // `(... | Where-Object { }) | ForEach-Object { }`
        rest = rest.trim_start_matches([' ', '\t', ')', '\r', '\n']);
    }
    false
}

/// `>nul`, `> /dev/null 2>&1`, `> $null`
fn is_discarded(rest: &str) -> bool {
    let rest = rest.strip_prefix(['1', '&']).unwrap_or(rest);
    let Some(target) = rest.strip_prefix('>') else { return false };
    let target = target.trim_start().to_ascii_lowercase();
    ["nul", "/dev/null", "$null"].iter().any(|none| {
        target.strip_prefix(none).is_some_and(|rest| {
            !rest.starts_with(|next: char| next.is_alphanumeric() || "./\\:_".contains(next))
        })
    })
}

/// `-replace 'what', 'by'`, where no value is left.
fn is_replaced(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("-replace") else { return false };
    let mut parts = rest.split(['\'', '"']);
    let (Some(before), Some(what), Some(comma)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let by = parts.next().unwrap_or_default();
    before.trim().is_empty() && comma.trim() == "," && hides(what, by)
}

/// Where a stage of a pipeline ends.
fn stage_end(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match quote {
            Some(open) if open == letter => quote = None,
            Some(_) => {}
            None => match letter {
                '\'' | '"' => quote = Some(letter),
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' if depth > 0 => depth -= 1,
                '}' | ')' | ']' => return at,
                '|' | ';' | '\n' if depth == 0 => return at,
                _ => {}
            },
        }
    }
    text.len()
}

/// Whether the only group of every `-match` pattern holds the name: `'^\s*([A-Z_]+)='`.
fn captures_name(stage: &str) -> bool {
    let mut patterns = stage.split("-match").skip(1).peekable();
    patterns.peek().is_some()
        && patterns.all(|rest| {
            let pattern = rest.trim_start().split(['\'', '"']).nth(1).unwrap_or_default();
            let inner = pattern.trim_start_matches('^').trim_start_matches("\\s*");
            let group = inner.strip_prefix('(').and_then(|inner| inner.split_once(')'));
            group.is_some_and(|(name, after)| {
                is_name_class(name) && after.trim_start_matches("\\s*").starts_with('=')
            })
        })
}

/// `[A-Z0-9_]+`, `\w+`, `[^=]+`, `[A-Z][A-Z0-9_]*`
fn is_name_class(class: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"[]_+*?-\\".contains(&byte);
    !class.is_empty()
        && (matches!(class, "[^=]+" | "[^=]*" | "[^=#]+" | "[^=\\s]+") || class.bytes().all(plain))
        && !class.contains("\\S")
}

/// Whether a script block prints only names and literal text.
fn names_in_block(stage: &str, matches_names: bool) -> bool {
    let Some(block) = stage.split_once('{').map(|(_, block)| block) else { return false };
    let mut text = block.to_owned();
    for form in NAME_FORMS {
        text = text.replace(form, "");
    }
    if matches_names {
        text = text.replace("$Matches[1]", "").replace("$matches[1]", "");
    }
    // A condition shows nothing.
    while let Some(at) = text.find("$_ -match").or_else(|| text.find("$_ -notmatch")) {
        text.replace_range(at..at + 2, "");
    }
    let lower = text.to_ascii_lowercase();
    !["$_", "$matches", "$psitem", "$input", "$foreach", "&", "iex", "invoke-"]
        .iter()
        .any(|rest| lower.contains(rest))
}

/// Whether a search shows only lines whose values are no secrets: `grep '^PORT=' .env`.
pub(crate) fn is_harmless_search(ran: &Ran) -> bool {
    let mut pattern = None;
    let words: Option<Vec<&str>> = ran.argv.iter().skip(1).map(Field::exact).collect();
    let Some(words) = words else { return false };
    for word in &words {
        match word.strip_prefix('-') {
            Some("-extended-regexp" | "-color" | "-color=never" | "-no-filename") => {}
            Some(flags) if flags.bytes().all(|flag| b"EhHnwsx".contains(&flag)) => {}
            Some(_) => return false,
            None => pattern = pattern.or(Some(*word)),
        }
    }
    let Some(pattern) = pattern else { return false };
    let whole = words.iter().any(|word| *word == "-w" || *word == "-x");
    let anchored = pattern.starts_with('^');
    let inner = pattern.trim_start_matches('^');
    let closed = inner.ends_with('=');
    let inner = inner.trim_end_matches('=');
    let grouped = inner.trim_start_matches(['(', '\\']).trim_end_matches([')', '\\']);
    let mut names = grouped.split('|').map(|name| name.trim_matches(['^', '=', '\\', '(', ')']));
    names.all(|name| {
        is_harmless(name)
            && (whole
                || closed && (anchored || name.contains('_'))
                || anchored && name.contains('_')
                || name.len() > 7 && name.contains('_'))
    })
}

fn is_harmless(name: &str) -> bool {
    let end = name.rsplit_once('_').map(|(_, end)| end);
    let public = ["NEXT_PUBLIC_", "VITE_"].iter().any(|start| name.starts_with(start));
    let secret = ["KEY", "SECRET", "TOKEN", "PASS", "PWD", "CREDENTIAL", "DSN", "AUTH"];
    name.len() > 1
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && !secret.iter().any(|word| name.contains(word))
        && (HARMLESS.contains(&name)
            || public
            || end.is_some_and(|end| HARMLESS_ENDS.contains(&end)))
}

/// Whether a replacement removes the values: `s/=.*/=<hidden>/`, `s/^([^=]+)=.*/\1=***/`.
pub(crate) fn hides(what: &str, by: &str) -> bool {
    let plain = what.replace('\\', "");
    let whole = [".*", ".*$", ".+", ".+$"].iter().find_map(|end| plain.strip_suffix(end));
    let kept = by.replace("\\1", "").replace("$1", "").replace("${1}", "");
    let names = |whole: &str| {
        let head = whole.trim_start_matches('^');
        let group =
            head.strip_suffix('=').and_then(|head| head.strip_prefix('(')?.strip_suffix(')'));
        matches!(head, "=" | "(=)") || group.is_some_and(is_name_class)
    };
    whole.is_some_and(names) && !kept.contains(['&', '\\', '$'])
}

/// Whether a script of awk prints first fields, lengths and literal text only.
pub(crate) fn awk_shows_names(script: &str) -> bool {
    let mut text = script.to_owned();
    for field in ["$0", "$2", "$3", "$NF"] {
        text = text.replace(&format!("length({field})"), "length()");
    }
    let first = text.split("$1").skip(1);
    let first = first.filter(|rest| !rest.starts_with(|next: char| next.is_ascii_digit())).count();
    let shows = text.contains("length()") || first > 0;
    shows
        && text.matches('$').count() == first
        && !text.contains("getline")
        && text.split("print").skip(1).all(|rest| {
            let rest = rest.strip_prefix('f').unwrap_or(rest).trim_start();
            rest.starts_with(['$', '"', '(']) || rest.starts_with("length()")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_counts_show_no_values() {
        for text in [
            " | Where-Object { $_ -match '^\\s*([A-Z_]+)=' } | ForEach-Object { $Matches[1] }",
            " | ? { $_ } | % { $_.Split('=')[0] } | sort",
            ") -replace '=.*$', '=***'",
            ") -replace '^(\\w+)=.+$', '$1=<set>'",
            ").Count",
            " | Measure-Object -Line",
            " >nul && echo there",
            " > /dev/null 2>&1",
        ] {
            assert!(is_hidden_by(text), "{text}");
        }
        for text in [
            "",
            " | sort",
            " | % { $_ }",
            " | % { $_.Split('=')[1] }",
            " | ? { $_ -match '(.*)=(.*)' } | % { $Matches[1] }",
            " | ? { $_ -match '^([A-Z]+)=(.*)' } | % { $Matches[2] }",
            " | ? { $_ -match 'KEY=(.*)' } | % { $Matches[1] }",
            ") -replace '^(\\w+)=(.+)$', '$1: $2'",
            ") -replace '^#.*', ''",
            " > nul.txt",
            " > out",
        ] {
            assert!(!is_hidden_by(text), "{text}");
        }
    }

    #[test]
    fn replacements_and_scripts_of_awk() {
        assert!(hides("=.*", "=***") && hides("^([A-Z_]+)=.*", "\\1=") && hides("=.+$", "="));
        assert!(!hides("=\\(.*\\)", "=\\1") && !hides("^#.*", "") && !hides("=.*", "&"));
        assert!(
            awk_shows_names("{print $1, length($2)}")
                && awk_shows_names("/K/{print \"n\", length($2)}")
        );
        assert!(!awk_shows_names("{print length($2), $2}") && !awk_shows_names("{print}"));
    }
}
