//! `fd`: the commands that it runs on the files it finds.
//!
//! Actions: none of its own; the programs it runs speak for themselves.

use super::files::{inside, only_shows, pattern_parts, relative};
use super::find::run;
use crate::call::{Call, Programs};
use crate::effect::Certainty;
use crate::flow::Stream;
use crate::options::{Options, Spec};
use crate::value::{Field, Part};

pub(super) const PROGRAMS: Programs = &[("fd", fd), ("fdfind", fd)];

const SPEC: Spec = Spec::new(
    "d:t:e:S:o:E:c:j:C:",
    "and= base-directory= batch-size= changed-after= changed-before= changed-within= \
     change-newer-than= change-older-than= newer= older= color= exact-depth= exclude= \
     extension= format= gen-completions=? glob hyperlink=? ignore-file= max-buffer-time= \
     max-depth= max-results= min-depth= owner= path-separator= search-path= size= \
     strip-cwd-prefix=? threads= type= help version",
);

fn fd(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    call.stdout = Stream::default();
    let Some((before, mut template, after)) = command(arguments) else {
        return;
    };
    let mut plain = before;
    plain.extend_from_slice(after);
    let options = crate::options::parse(&plain, &SPEC);
    if only_shows(&options) || options.has(&["h", "V"]) || template.is_empty() {
        return;
    }
    if !template.iter().any(|field| field.exact().is_some_and(has_placeholder)) {
        let span = call.span;
        template.push(Field::text("{}", span));
    }
    // The folder of what was found has any name.
    let of_folders = template.iter().any(|field| field.prefix().contains("{//}"));
    for field in &mut template {
        if let Some(text) = field.exact()
            && has_placeholder(text)
        {
            field.parts = vec![Part::Text { text: plain_placeholder(text), at: None }];
        }
    }
    let files = found(&options, !of_folders);
    let certain = call.machine.certainty;
    call.machine.certainty = certain.min(Certainty::Possible);
    call.stdout = run(call, &template, &files, false);
    call.machine.certainty = certain;
}

/// The arguments before `-x`, the command after it, and what follows its `;`.
fn command(arguments: &[Field]) -> Option<(Vec<Field>, Vec<Field>, &[Field])> {
    let mut skip = false;
    for (index, field) in arguments.iter().enumerate() {
        let text = field.prefix();
        if std::mem::take(&mut skip) {
            continue;
        }
        if text == "--" {
            return None;
        }
        let mut template = Vec::new();
        let long = text.strip_prefix("--exec-batch").or_else(|| text.strip_prefix("--exec"));
        let starts = match long {
            Some("") => true,
            Some(rest) if rest.starts_with('=') => {
                template.extend(field.without_prefix(text.len() - rest.len() + 1));
                true
            }
            Some(_) => false,
            None => is_short_exec(text, &mut skip),
        };
        if !starts {
            continue;
        }
        let rest = arguments.get(index + 1..).unwrap_or_default();
        let length = rest.iter().position(|field| field.is(";")).unwrap_or(rest.len());
        template.extend_from_slice(rest.get(..length).unwrap_or_default());
        let before = arguments.get(..index).unwrap_or_default().to_vec();
        return Some((before, template, rest.get(length + 1..).unwrap_or_default()));
    }
    None
}

/// `-x`, also at the end of other letters. A letter that takes a value eats what follows.
fn is_short_exec(text: &str, skip: &mut bool) -> bool {
    let Some(letters) = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return false;
    };
    for (index, letter) in letters.char_indices() {
        if letter == 'x' || letter == 'X' {
            return true;
        }
        if SPEC.short.contains(letter) {
            *skip = index + 1 == letters.len();
            return false;
        }
    }
    false
}

const PLACEHOLDERS: &[&str] = &["{//}", "{/.}", "{/}", "{.}", "{}"];

fn has_placeholder(text: &str) -> bool {
    PLACEHOLDERS.iter().any(|placeholder| text.contains(placeholder))
}

fn plain_placeholder(text: &str) -> String {
    PLACEHOLDERS.iter().fold(text.to_owned(), |text, placeholder| text.replace(placeholder, "{}"))
}

/// Where it looks, narrowed by an extension, a glob or a simple expression if the names count.
fn found(options: &Options<'_>, named: bool) -> Vec<Field> {
    let (pattern, paths) = match options.operands.split_first() {
        Some((pattern, paths)) => (Some(*pattern), paths),
        None => (None, [].as_slice()),
    };
    let base = options.value(&["C", "base-directory"]);
    let mut starts: Vec<Field> = paths.iter().map(|path| (*path).clone()).collect();
    starts.extend(options.values(&["search-path"]).cloned());
    if starts.is_empty() {
        starts.push(Field::text(".", base.map(|base| base.span).unwrap_or_default()));
    }
    let glob = named.then(|| names(options, pattern)).flatten();
    starts
        .into_iter()
        .map(|start| {
            let start = match base {
                Some(base) => relative(base, &start),
                None => start,
            };
            let mut field = inside(&start);
            if let Some(name) = &glob {
                field.parts.pop();
                field.parts.extend(name.parts.iter().cloned());
            }
            field
        })
        .collect()
}

/// The names that it looks for, if they are fewer than all.
fn names(options: &Options<'_>, pattern: Option<&Field>) -> Option<Field> {
    pattern
        .filter(|_| options.has(&["g", "glob"]))
        .and_then(Field::exact)
        .map(pattern_parts)
        .or_else(|| {
            let expression = !options.has(&["g", "glob", "p", "full-path"]);
            let text = pattern.filter(|_| expression).and_then(Field::exact)?;
            let fixed = options.has(&["F", "fixed-strings"]);
            Some(pattern_parts(&as_glob(text, fixed)?))
        })
        .or_else(|| {
            let extension = options.value(&["e", "extension"])?.exact()?;
            let mut name = pattern_parts("*.");
            name.push_text(extension.trim_start_matches('.'), None);
            Some(name)
        })
}

/// A simple expression as a pattern of the shell: `\.orig$` is `*.orig`. None if it is not simple, or
/// takes every name.
fn as_glob(expression: &str, fixed: bool) -> Option<String> {
    let (start, rest) = match expression.strip_prefix('^') {
        Some(rest) if !fixed => ("", rest),
        _ => ("*", expression),
    };
    let (rest, end) = match rest.strip_suffix('$') {
        Some(rest) if !fixed && !rest.ends_with('\\') => (rest, ""),
        _ => (rest, "*"),
    };
    let mut glob = start.to_owned();
    let mut letters = rest.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '.' if !fixed && letters.next_if_eq(&'*').is_some() => glob.push('*'),
            // A search for `.env` means a literal dot, although it matches any letter.
            '.' if !fixed && glob == "*" && letters.peek().is_some() => glob.push('.'),
            '.' if !fixed => glob.push('?'),
            '\\' if !fixed => glob.push(letters.next().filter(|next| ".-_ +".contains(*next))?),
            '*' | '?' | '[' | ']' | '\\' => return None,
            '+' | '(' | ')' | '{' | '}' | '|' | '^' | '$' if !fixed => return None,
            _ => glob.push(letter),
        }
    }
    glob.push_str(end);
    glob.contains(char::is_alphanumeric).then_some(glob)
}

#[cfg(test)]
mod tests {
    use crate::run::testing::effects;

    #[test]
    fn a_command_is_run_on_what_was_found() {
        for (argv, expected) in [
            (
                ["fd", "-H", "-e", "pyc", "-x", "rm"].as_slice(),
                ["delete remove /shop/**/*.pyc possible"].as_slice(),
            ),
            (
                &["fd", "-g", "*.log", "/var", "-X", "rm", "-f", "{}"],
                &["delete remove /var/**/*.log possible -f"],
            ),
            (
                &["fd", "-Hx", "rm", "-rf", "{//}", ";", "node", "src"],
                &["delete remove /shop/src/**/* possible -r -f"],
            ),
            (&["fd", "--exec=rm", "-r"], &["delete remove /shop/**/* possible -r"]),
            (
                &["fd", "-t", "f", r"\.orig$", "-x", "rm"],
                &["delete remove /shop/**/*.orig possible"],
            ),
            (
                &["fd", "^node_modules$", "-t", "d", "-X", "rm", "-rf"],
                &["delete remove /shop/**/node_modules possible -r -f"],
            ),
            (&["fd", "-H", ".env", "-x", "rm"], &["delete remove /shop/**/*.env* possible"]),
            (&["fd", "old", "-x", "rm"], &["delete remove /shop/**/*old* possible"]),
            (&["fd", ".*", "-x", "rm"], &["delete remove /shop/**/* possible"]),
            (&["fd", "a|b", "-x", "rm"], &["delete remove /shop/**/* possible"]),
            (&["fd", "-t", "x", "rm"], &[]),
            (&["fd", "-tx", "rm"], &[]),
            (&["fd", "rm", "-rf"], &[]),
            (&["fd", "--", "-x", "rm"], &[]),
            (&["fd", "-e", "-x", "rm"], &[]),
        ] {
            assert_eq!(effects(argv), expected, "{argv:?}");
        }
    }
}
