//! Tools of the form `tool group verb operands --options`, judged by a table of lines.
//!
//! A line is `words conditions: action target`:
//! - words: what must come first, with alternatives: `volume|volumes rm`; `*` is any word, `get-*` any that starts so. A first
//!   operand such as `apps:destroy` counts as two words.
//! - conditions: `-v|volumes` wants one of these options, `-replicas=0` one with this value, and
//!   `!dry-run` none of them;
//! - action: its name, after the kind and a slash if it is not the kind of the tool:
//!   `publish/push-image`. The kind `secret` is a read whose secret goes to standard output, and
//!   the action `none` is nothing at all;
//! - target: `*` for each operand that is left, `1` for the first of them, `--name|n` for the values
//!   of these options, nothing for none. `path*` and `path1` are operands that name files. `+r` and
//!   `+f` say recursive and force.
//!
//! The first line that fits is the only one that counts. Tables are text because they are long:
//! a table of pointers would be several times their size.

use std::rc::Rc;

use crate::act::Act;
use crate::call::Call;
use crate::effect::{Certainty, Kind};
use crate::flow::{Source, Stream};
use crate::options::{Options, Spec, parse};
use crate::target::Target;
use crate::value::{Field, Part};

/// One tool.
pub(crate) struct Cli {
    /// The options of the tool and of its subcommands that take values.
    pub spec: Spec,
    pub kind: Kind,
    /// Options with which nothing happens. `help` is always one.
    pub harmless: &'static [&'static str],
    /// Options that skip confirmations.
    pub force: &'static [&'static str],
    /// Options that widen the reach.
    pub recursive: &'static [&'static str],
    pub rules: Rules,
}

/// Lines of a table, checked at compile time: an undeclared action stops the build.
#[derive(Clone, Copy)]
pub(crate) struct Rules(&'static str);

impl Rules {
    pub(crate) const NONE: Self = Self("");

    pub(crate) const fn new(lines: &'static str) -> Self {
        crate::act::check_lines(lines);
        Self(lines)
    }
}

/// Maximum number of words a rule compares.
const MAX_WORDS: usize = 8;

/// Judges `arguments` by the table. False if no line fits.
pub(crate) fn judge(call: &mut Call<'_, '_>, arguments: &[Field], cli: &Cli) -> bool {
    let options = parse(arguments, &cli.spec);
    judge_options(call, &options, cli)
}

pub(crate) fn judge_options(call: &mut Call<'_, '_>, options: &Options<'_>, cli: &Cli) -> bool {
    if is_harmless(options, cli.harmless) {
        return true;
    }
    let words = words(options);
    let Some(rule) = cli.rules.0.lines().find_map(|line| fit(line, &words, options)) else {
        return false;
    };
    say(call, options, cli, &rule);
    true
}

/// Whether the options ask for words instead of deeds: `--dry-run=false`, `none` and
/// `--no-dry-run` do not.
pub(crate) fn is_harmless(options: &Options<'_>, names: &[&str]) -> bool {
    let asks = |names: &[&str]| {
        let said = |name: &str| names.contains(&name);
        let last = options
            .found
            .iter()
            .rev()
            .find(|found| said(found.name) || found.name.strip_prefix("no-").is_some_and(said));
        last.filter(|found| said(found.name)).is_some_and(|found| {
            // `--version 1.2` says which one, not "which are you?", and a letter with a value is
            // another program's.
            let which = found.value.is_some() && (found.name == "version" || found.name.len() == 1);
            let value = found.value.as_ref().and_then(Field::exact);
            !which && !matches!(value, Some("false" | "none" | "no" | "0"))
        })
    };
    asks(&["help"]) || asks(names)
}

/// The rules of one program out of many: `("pulumi|esc", "...")`. Empty if it is not there.
pub(crate) fn table(tables: &[(&str, Rules)], program: &str) -> Rules {
    let named = |names: &str| names.split('|').any(|name| name == program);
    tables.iter().find(|(names, _)| named(names)).map_or(Rules::NONE, |(_, rules)| *rules)
}

/// A line that fits.
struct Rule {
    kind: &'static str,
    /// None for the action `none`.
    action: Option<Act>,
    target: &'static str,
    /// Operands that the words used up.
    used: usize,
}

/// The first words, each with the index of the operand it stands in.
fn words<'o>(options: &'o Options<'_>) -> Vec<(&'o str, usize)> {
    let mut words = Vec::with_capacity(MAX_WORDS);
    for (index, field) in options.operands.iter().enumerate().take(MAX_WORDS) {
        let word = field.exact().unwrap_or_default();
        if index == 0 && !word.contains('/') {
            words.extend(word.split(':').map(|piece| (piece, 0)));
        } else {
            words.push((word, index));
        }
    }
    words
}

fn fit(line: &'static str, words: &[(&str, usize)], options: &Options<'_>) -> Option<Rule> {
    let (pattern, deed) = line.split_once(": ")?;
    let mut at = 0;
    for token in pattern.split(' ') {
        let holds = if let Some(wanted) = token.strip_prefix('-') {
            wants(wanted, options)
        } else if let Some(excluded) = token.strip_prefix('!') {
            !wants(excluded, options)
        } else {
            let word = words.get(at).map(|(word, _)| *word);
            at += 1;
            word.is_some_and(|word| token.split('|').any(|one| one == word || starts(one, word)))
        };
        if !holds {
            return None;
        }
    }
    let used = match at.checked_sub(1).and_then(|last| words.get(last)) {
        // All pieces of `a:b:c` must be used.
        Some((_, last)) if words.get(at).is_some_and(|(_, next)| next == last) => return None,
        Some((_, last)) => last + 1,
        None => 0,
    };
    let (name, target) = deed.split_once(' ').unwrap_or((deed, ""));
    let (kind, action) = name.split_once('/').unwrap_or(("", name));
    Some(Rule { kind, action: Act::named(action), target, used })
}

/// `attach-*` is any word that starts so.
fn starts(pattern: &str, word: &str) -> bool {
    pattern.strip_suffix('*').is_some_and(|start| word.starts_with(start))
}

fn wants(names: &str, options: &Options<'_>) -> bool {
    let (names, value) = match names.split_once('=') {
        Some((names, value)) => (names, Some(value)),
        None => (names, None),
    };
    options.found.iter().any(|found| {
        names.split('|').any(|name| name == found.name)
            && match (value, found.value.as_ref()) {
                (None, given) => given.is_none_or(|given| !given.is("false")),
                (Some(value), Some(given)) => given.is(value),
                (Some(_), None) => false,
            }
    })
}

fn kind_of(name: &str, default: Kind) -> Kind {
    Kind::ALL.iter().copied().find(|kind| kind.name() == name).unwrap_or(default)
}

fn say(call: &mut Call<'_, '_>, options: &Options<'_>, cli: &Cli, rule: &Rule) {
    let Some(action) = rule.action else { return };
    let secret = rule.kind == "secret";
    let kind = if secret { Kind::Read } else { kind_of(rule.kind, cli.kind) };
    let mut recursive = options.has(cli.recursive);
    let mut force = options.has(cli.force);
    let mut paths = false;
    let mut fields: Vec<&Field> = Vec::new();
    let left = options.operands.get(rule.used..).unwrap_or_default();
    for token in rule.target.split(' ') {
        match token {
            "+r" => recursive = true,
            "+f" => force = true,
            "*" | "path*" => fields.extend_from_slice(left),
            "1" | "path1" => fields.extend(left.first()),
            names => {
                if let Some(names) = names.strip_prefix("--") {
                    fields.extend(
                        options
                            .found
                            .iter()
                            .filter(|found| names.split('|').any(|name| name == found.name))
                            .filter_map(|found| found.value.as_ref()),
                    );
                }
            }
        }
        paths |= token.starts_with("path");
    }
    if secret {
        secret_read(call, action, fields.first().copied());
        return;
    }
    if fields.is_empty() {
        let effect = call.effect(kind, action, Target::None);
        effect.recursive = recursive;
        effect.force = force;
    }
    for field in fields {
        on(call, kind, action, field, paths).flags(recursive, force);
    }
}

/// An effect whose two flags are still to be set.
pub(crate) struct Said<'e>(&'e mut crate::effect::Effect);

impl Said<'_> {
    pub(crate) fn flags(self, recursive: bool, force: bool) {
        self.0.recursive |= recursive;
        self.0.force |= force;
    }
}

/// An effect on what an operand names: a thing by its name, or a file.
pub(crate) fn on<'e>(
    call: &'e mut Call<'_, '_>,
    kind: Kind,
    action: Act,
    field: &Field,
    path: bool,
) -> Said<'e> {
    if path {
        return Said(call.on_path(kind, action, field));
    }
    let effect = call.effect_at(kind, action, Call::named(field), field.span);
    if field.exact().is_none() {
        effect.certainty = effect.certainty.min(Certainty::Possible);
        // `$(docker ps -q)` is as many as there are.
        effect.recursive |= is_listing(field);
    }
    Said(effect)
}

/// Whether a field is what a command prints, so that it may stand for many things.
fn is_listing(field: &Field) -> bool {
    field.parts.iter().any(|part| {
        matches!(part, Part::Unknown(unknown) if unknown.splits && unknown.name.starts_with("$("))
    })
}

/// A secret store is asked, and answers on standard output.
pub(crate) fn secret_read(call: &mut Call<'_, '_>, action: Act, field: Option<&Field>) {
    let name = field.map_or_else(String::new, Field::shown);
    let store = if name.is_empty() { call.name.to_owned() } else { [call.name, &name].join(" ") };
    let span = field.map_or(call.span, |field| field.span);
    call.effect_at(Kind::Read, action, Target::name(name), span);
    call.stdout = Stream::from(Source::Store(Rc::from(store)));
}

/// Judges a command by its words, for the tests of a table: one line per effect.
#[cfg(test)]
pub(crate) mod testing {
    use crate::run::testing::effects;

    /// Checks `command => effects`, one per line, effects separated by `; `, nothing for none.
    /// Words are separated by blanks; single quotes keep them together.
    pub(crate) fn check(table: &str) {
        for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (command, expected) = line.split_once(" =>").expect("a line has an arrow");
            let words = split(command);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            assert_eq!(effects(&words).join("; "), expected.trim(), "{command}");
        }
    }

    fn split(command: &str) -> Vec<String> {
        let mut words = vec![];
        let mut word: Option<String> = None;
        let mut quoted = false;
        for character in command.chars() {
            match character {
                '\'' => {
                    quoted = !quoted;
                    word.get_or_insert_default();
                }
                ' ' if !quoted => words.extend(word.take()),
                other => word.get_or_insert_default().push(other),
            }
        }
        words.extend(word);
        words
    }

    /// Every table must be readable, and for programs that are known.
    pub(crate) fn check_tables(tables: &[(&str, super::Rules)], programs: crate::call::Programs) {
        for (names, rules) in tables {
            check_rules(*rules);
            for name in names.split('|') {
                let known = programs.iter().any(|(program, _)| *program == name);
                assert!(known, "no program {name}");
            }
        }
    }

    /// Every line of a table must be readable.
    pub(crate) fn check_rules(rules: super::Rules) {
        check_lines(rules.0);
    }

    pub(super) fn check_lines(lines: &str) {
        for line in lines.lines() {
            let (pattern, deed) =
                line.split_once(": ").unwrap_or_else(|| panic!("no colon: {line}"));
            assert!(!pattern.is_empty() && !pattern.contains("  "), "{line}");
            let mut tokens = deed.split(' ');
            let name = tokens.next().unwrap_or_default();
            let (kind, action) = name.split_once('/').unwrap_or(("secret", name));
            let known = crate::Kind::ALL.iter().any(|known| known.name() == kind);
            assert!(known || kind == "secret", "unknown kind: {line}");
            let plain =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(!action.is_empty() && action.bytes().all(plain), "bad action: {line}");
            for token in tokens {
                let known = ["+r", "+f", "*", "1", "path*", "path1"].contains(&token);
                assert!(known || token.starts_with("--"), "bad target: {line}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::check_lines;

    #[test]
    #[should_panic(expected = "unknown kind")]
    fn a_line_with_an_unknown_kind_is_found() {
        check_lines("a b: nothing/at-all");
    }

    #[test]
    #[should_panic(expected = "bad target")]
    fn a_line_with_a_bad_target_is_found() {
        check_lines("a b: act all");
    }
}
