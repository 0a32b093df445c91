//! The table language: programs that lines of text can judge.
//!
//! A line is `words conditions: action targets`:
//! - words: what must come first, with alternatives: `volume|volumes rm`; `*` is any word, `get-*` any
//!   that starts so. Case does not count. A first operand such as `apps:destroy` counts as two words.
//! - conditions: `-v|volumes` wants one of these options, `-replicas=0` one with this value, and
//!   `!dry-run` none of them;
//! - action: its name, after the kind and a slash if it is not the kind of the tool:
//!   `publish/push-image`. The kind `secret` is a read whose secret goes to standard output, and
//!   the action `none` is nothing at all;
//! - targets: `1` is the first operand after the words, `2*` each from the second on, `*` each of them,
//!   `last` the last operand of all, `@` the operand that the first `*` of the words stands for (or else
//!   the last word), `@2` that of the second, `--name|n` the values of these options, none is none.
//!   With `path` before it an operand is a file: `path1`, `path*`. `+r` and `+f` set recursive and
//!   force.
//!
//! The first line that fits is the only one that counts. Lines are checked when compiling: a line that
//! cannot be read, an action that is not declared, or one of another kind stops the build. Tables are
//! text because they are long: a table of pointers would be several times their size.

use std::rc::Rc;

use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::{Source, Stream};
use crate::options::{Options, Order, Spec, parse};
use crate::target::Target;
use crate::value::Field;

mod check;

/// Options that mean the same for a program or a family of them.
#[derive(Clone, Copy)]
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
    /// Lines of the language, checked by [`Cli::lines`].
    pub rules: &'static str,
}

impl Cli {
    /// The same with other options that take values.
    pub(crate) const fn options(mut self, short: &'static str, long: &'static str) -> Self {
        (self.spec.short, self.spec.long) = (short, long);
        self
    }

    pub(crate) const fn short(mut self, short: &'static str) -> Self {
        self.spec.short = short;
        self
    }

    /// The same with long options that have one dash.
    pub(crate) const fn one_dash(mut self) -> Self {
        self.spec.order = Order::OneDash;
        self
    }

    pub(crate) const fn harmless(mut self, names: &'static [&'static str]) -> Self {
        self.harmless = names;
        self
    }

    pub(crate) const fn force(mut self, names: &'static [&'static str]) -> Self {
        self.force = names;
        self
    }

    /// The same with the lines that judge it, for a program that a function judges first.
    pub(crate) const fn lines(mut self, lines: &'static str) -> Self {
        check::lines(lines, self.kind);
        self.rules = lines;
        self
    }

    /// A program of this family, by all its names, with the lines that judge it.
    pub(crate) const fn tool(&'static self, names: &'static str, lines: &'static str) -> Tool {
        check::lines(lines, self.kind);
        Tool { names, cli: self, rules: lines, judge: by_lines }
    }
}

/// A program that a table judges: the only place where its name stands.
#[derive(Clone, Copy)]
pub(crate) struct Tool {
    /// Separated by `|`.
    pub names: &'static str,
    pub cli: &'static Cli,
    rules: &'static str,
    pub judge: JudgeTool,
}

/// What judges a call of a tool: its lines, or a function that goes before them.
pub(crate) type JudgeTool = fn(&mut Call<'_, '_>, &Tool);

impl Tool {
    /// The same, judged by a function, which may leave calls to [`by_lines`].
    pub(crate) const fn by(mut self, judge: JudgeTool) -> Self {
        self.judge = judge;
        self
    }

    pub(crate) fn judge_options(&self, call: &mut Call<'_, '_>, options: &Options<'_>) -> bool {
        judge_rules(call, options, self.cli, self.rules)
    }
}

/// Judges a call by the lines of its tool.
pub(crate) fn by_lines(call: &mut Call<'_, '_>, tool: &Tool) {
    let options = call.options(&tool.cli.spec);
    tool.judge_options(call, &options);
}

/// How many names the tools of all tables have.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
pub(crate) const fn count(tables: &[&[Tool]]) -> usize {
    let (mut total, mut table) = (0, 0);
    while table < tables.len() {
        let mut row = 0;
        while row < tables[table].len() {
            let names = tables[table][row].names.as_bytes();
            let mut at = 0;
            total += 1;
            while at < names.len() {
                total += (names[at] == b'|') as usize;
                at += 1;
            }
            row += 1;
        }
        table += 1;
    }
    total
}

/// The tools of all tables, each under all its names.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
pub(crate) const fn named<const N: usize>(
    tables: &[&'static [Tool]],
) -> [(&'static str, &'static Tool); N] {
    let mut all = [("", &tables[0][0]); N];
    let (mut place, mut table) = (0, 0);
    while table < tables.len() {
        let mut row = 0;
        while row < tables[table].len() {
            let tool = &tables[table][row];
            let mut names = tool.names;
            let mut at = 0;
            while at <= names.len() {
                if at == names.len() || names.as_bytes()[at] == b'|' {
                    let (name, rest) = names.split_at(at);
                    all[place] = (name, tool);
                    place += 1;
                    if rest.is_empty() {
                        break;
                    }
                    (names, at) = (rest.split_at(1).1, 0);
                } else {
                    at += 1;
                }
            }
            row += 1;
        }
        table += 1;
    }
    all
}

/// Maximum number of words a line compares.
const MAX_WORDS: usize = 8;

/// Judges `arguments` by the table. False if no line fits.
pub(crate) fn judge(call: &mut Call<'_, '_>, arguments: &[Field], cli: &Cli) -> bool {
    let options = parse(arguments, &cli.spec);
    judge_options(call, &options, cli)
}

pub(crate) fn judge_options(call: &mut Call<'_, '_>, options: &Options<'_>, cli: &Cli) -> bool {
    judge_rules(call, options, cli, cli.rules)
}

fn judge_rules(
    call: &mut Call<'_, '_>,
    options: &Options<'_>,
    cli: &Cli,
    rules: &'static str,
) -> bool {
    if is_harmless(options, cli.harmless) {
        return true;
    }
    let words = words(options);
    let Some(rule) = rules.lines().find_map(|line| fit(line, &words, options)) else {
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

/// A line that fits.
struct Rule {
    kind: &'static str,
    /// None for the action `none`.
    action: Option<Act>,
    target: &'static str,
    /// Operands that the words used up.
    used: usize,
    /// Places of the operands that `@` and `@2` mean.
    any: [usize; 2],
}

/// The first words, each with the index of the operand it stands in.
fn words<'o>(options: &'o Options<'_>) -> Vec<(&'o str, usize)> {
    let mut words = Vec::with_capacity(MAX_WORDS);
    for (index, field) in options.operands.iter().enumerate().take(MAX_WORDS) {
        let word = field.exact().unwrap_or_default();
        let pieces = word.split(':').all(|piece| !piece.is_empty());
        if index == 0 && pieces && !word.contains('/') {
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
    let mut any = [None; 2];
    for token in pattern.split_ascii_whitespace() {
        let holds = if let Some(wanted) = token.strip_prefix('-') {
            wants(wanted, options)
        } else if let Some(excluded) = token.strip_prefix('!') {
            !wants(excluded, options)
        } else {
            let (word, index) = words.get(at)?;
            at += 1;
            if token == "*"
                && let Some(free) = any.iter_mut().find(|place| place.is_none())
            {
                *free = Some(*index);
            }
            token == "*" || token.split('|').any(|one| is_word(one, word))
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
    let any = any.map(|place| place.unwrap_or(used.saturating_sub(1)));
    Some(Rule { kind, action: Act::named(action), target, used, any })
}

/// `attach-*` is any word that starts so.
fn is_word(pattern: &str, word: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => {
            word.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start))
        }
        None => pattern.eq_ignore_ascii_case(word),
    }
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

fn say(call: &mut Call<'_, '_>, options: &Options<'_>, cli: &Cli, rule: &Rule) {
    let Some(action) = rule.action else { return };
    let kind = match rule.kind {
        "" => cli.kind,
        "secret" => Kind::Read,
        name => Kind::named(name).unwrap_or(cli.kind),
    };
    // A letter with a value is another program's.
    let given = |names: &[&str]| {
        options.found.iter().any(|found| {
            names.contains(&found.name) && (found.name.len() > 1 || found.value.is_none())
        })
    };
    let mut recursive = given(cli.recursive);
    let mut force = given(cli.force);
    let mut paths = false;
    let mut fields: Vec<&Field> = Vec::new();
    for token in rule.target.split(' ') {
        match token {
            "+r" => recursive = true,
            "+f" => force = true,
            names => {
                if let Some(names) = names.strip_prefix("--") {
                    fields.extend(values(names, options));
                } else {
                    fields.extend_from_slice(operands(token, rule, options));
                }
            }
        }
        paths |= token.starts_with("path");
    }
    if rule.kind == "secret" {
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

/// The values of options with one of these names.
fn values<'o>(names: &str, options: &'o Options<'_>) -> impl Iterator<Item = &'o Field> {
    options
        .found
        .iter()
        .filter(move |found| names.split('|').any(|name| name == found.name))
        .filter_map(|found| found.value.as_ref())
}

/// The operands that one target means.
fn operands<'o, 'a>(token: &str, rule: &Rule, options: &'o Options<'a>) -> &'o [&'a Field] {
    let place = token.strip_prefix("path").unwrap_or(token);
    let all = options.operands.as_slice();
    let (from, count) = match place {
        "" => return &[],
        "@" => (rule.any[0], 1),
        "@2" => (rule.any[1], 1),
        "last" => (all.len().saturating_sub(1), 1),
        "*" => (rule.used, all.len()),
        _ => {
            let count = if place.ends_with('*') { all.len() } else { 1 };
            let at: usize = place.trim_end_matches('*').parse().unwrap_or(1);
            (rule.used + at - 1, count)
        }
    };
    let rest = all.get(from..).unwrap_or_default();
    rest.get(..count.min(rest.len())).unwrap_or_default()
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
    Said(call.on_name(kind, action, field))
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
}
