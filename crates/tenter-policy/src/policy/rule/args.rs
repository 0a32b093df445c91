//! Matches arguments of programs, in any order and spelling.

use tenter_shell::Field;

use crate::pattern;

/// Whether every wanted word is among the arguments.
pub(super) fn given(wanted: &[String], argv: &[Field]) -> bool {
    let args = argv.get(1..).unwrap_or_default();
    wanted.iter().all(|word| has(word, args) || bundled(word, argv))
}

/// `tar xzf` is `tar -x -z -f`.
fn bundled(word: &str, argv: &[Field]) -> bool {
    let [program, first, ..] = argv else { return false };
    let name = program.exact().and_then(|path| path.rsplit('/').next());
    let flags = first.exact().filter(|text| text.bytes().all(|byte| byte.is_ascii_alphabetic()));
    match (name, flags, cluster(word)) {
        (Some("tar" | "gtar" | "bsdtar"), Some(flags), Some(letters)) => {
            letters.chars().all(|letter| flags.contains(letter))
        }
        _ => false,
    }
}

/// Whether the arguments are exactly these words.
pub(super) fn exactly(wanted: &[String], argv: &[Field]) -> bool {
    let args = argv.get(1..).unwrap_or_default();
    if !wanted.iter().all(|word| has(word, args)) {
        return false;
    }
    let mut value_of: Option<&str> = None;
    args.iter().all(|arg| {
        let Some(text) = arg.exact() else {
            return false;
        };
        // For `--to=x`, the `x` of `--to x` belongs to the option.
        if value_of.take() == Some(text) {
            return true;
        }
        value_of = wanted.iter().find_map(|word| {
            let (name, value) = word.split_once('=')?;
            (name == text).then_some(value)
        });
        value_of.is_some() || wanted.iter().any(|word| covers(word, text, wanted))
    })
}

/// Whether an argument is covered by this word, or all its letters by several.
fn covers(word: &str, text: &str, wanted: &[String]) -> bool {
    if has(word, &[Field::text(text, tenter_shell::Span::default())]) && cluster(text).is_none() {
        return true;
    }
    let said = |letter: char| {
        wanted.iter().filter_map(|word| cluster(word)).any(|letters| letters.contains(letter))
    };
    word == text || cluster(text).is_some_and(|letters| letters.chars().all(said))
}

fn has(word: &str, args: &[Field]) -> bool {
    if word.starts_with("--") {
        return long(word, args);
    }
    if args.iter().any(|arg| arg.is(word)) {
        return true;
    }
    if let Some(letters) = cluster(word) {
        let flags = |letter: char| {
            args.iter().filter_map(|arg| cluster(arg.prefix())).any(|flags| flags.contains(letter))
        };
        return letters.chars().all(flags);
    }
    super::is_pattern(word)
        && args.iter().filter_map(Field::exact).any(|text| pattern::matches(word, text))
}

/// `--force` is also `--force=x`; `--to=x` is also `--to x`.
fn long(word: &str, args: &[Field]) -> bool {
    let begins = |text: &str| text.strip_prefix(word).is_some_and(|rest| rest.starts_with('='));
    if args.iter().any(|arg| arg.is(word) || begins(arg.prefix())) {
        return true;
    }
    let Some((name, value)) = word.split_once('=') else {
        return false;
    };
    args.windows(2).any(|pair| matches!(pair, [one, two] if one.is(name) && two.is(value)))
}

/// The letters of combinable short flags, `rf` of `-rf`. A longer word after one dash is a name, as in `find
/// -delete`.
fn cluster(word: &str) -> Option<&str> {
    const MOST: usize = 4;
    let letters = word.strip_prefix('-')?;
    let short = !letters.is_empty() && letters.len() <= MOST;
    (short && letters.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(command: &str) -> Vec<Field> {
        command.split(' ').map(|word| Field::text(word, tenter_shell::Span::default())).collect()
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn every_word_must_be_there_in_any_order_and_spelling() {
        let cases = [
            ("apply", "kubectl apply -f x", true),
            ("apply", "kubectl delete", false),
            ("apply", "apply", false),
            ("x apply", "kubectl apply -f x", true),
            ("-rf", "rm -rf x", true),
            ("-rf", "rm -fr x", true),
            ("-rf", "rm -r -f x", true),
            ("-rf", "rm -Rf x", false),
            ("-rf", "rm -r x", false),
            ("-r", "rm -rf x", true),
            ("-rf", "rm --rf x", false),
            ("-delete", "find . -d -e -l -t", false),
            ("-delete", "find . -delete", true),
            ("--force", "git push --force", true),
            ("--force", "git push --force=yes", true),
            ("--force", "git push --force-with-lease", false),
            ("--to=x", "tool --to=x", true),
            ("--to=x", "tool --to x", true),
            ("--to=x", "tool --to y x", false),
            ("prod-*", "tool prod-eu", true),
            ("prod-*", "tool dev-eu", false),
            ("-x -z", "tar xzf a.tgz", true),
            ("-c", "/usr/bin/tar xzf a.tgz", false),
            ("-x", "zip xzf a.tgz", false),
            ("-x", "tar a.x", false),
        ];
        for (wanted, command, expected) in cases {
            assert_eq!(given(&words(wanted), &fields(command)), expected, "{wanted}: {command}");
        }
    }

    #[test]
    fn exactly_these_and_no_others() {
        let cases = [
            ("push --force origin feature", "git push origin feature --force", true),
            ("push --force origin feature", "git push origin feature main --force", false),
            ("push --force origin feature", "git push origin feature", false),
            ("-rf build", "rm -r -f build", true),
            ("-rf build", "rm -rf build /", false),
            ("-rf build", "rm -rfv build", false),
            ("-r build", "rm -rf build", false),
            ("--to=x go", "tool go --to x", true),
            ("--to=x go", "tool go --to y", false),
            ("build*", "rm build1", true),
        ];
        for (wanted, command, expected) in cases {
            assert_eq!(exactly(&words(wanted), &fields(command)), expected, "{wanted}: {command}");
        }
        let mut unknown = fields("rm build x");
        unknown[2] = Field::unknown("$x", tenter_shell::Span::default());
        assert!(!exactly(&words("build"), &unknown));
    }
}
