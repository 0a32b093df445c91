//! Table-driven judges: words and options with their effects.
//!
//! A rule is a line `words conditions: action target`:
//! - words: the first operands, with alternatives: `route|r flush|del`; `*` is any operand;
//! - conditions: `-a|all` wants one of these options, `!n|test` none of them;
//! - action: its name, after a kind and a slash if it is not the kind of the table;
//! - target: `2` is the operand at this place (the first is 0), `2*` each from there on, `last` the
//!   last, `path2` and `path2*` are files, `--name` the value of an option, nothing is none.
//!
//! The first line that fits is what happens; no line is "nothing".

use crate::act::Act;
use crate::call::{Call, Judge};
use crate::effect::{Certainty, Effect, Kind};
use crate::options::{Options, Spec};
use crate::target::Target;
use crate::value::Field;

/// One program and what makes it do something. Options as in [`Spec`].
pub(super) struct Tool {
    pub name: &'static str,
    pub short: &'static str,
    pub long: &'static str,
    /// Options with which nothing happens, apart by `|`. `help` and `version` always are.
    pub quiet: &'static str,
    pub rules: &'static str,
}

pub(super) const fn tool(
    name: &'static str,
    short: &'static str,
    long: &'static str,
    quiet: &'static str,
    rules: &'static str,
) -> Tool {
    crate::act::check_lines(rules);
    Tool { name, short, long, quiet, rules }
}

/// The names of a table with the one function that judges them.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated when compiling; a wrong index stops the build"
)]
pub(super) const fn listed<const N: usize>(
    tools: &'static [Tool],
    judge: Judge,
) -> [(&'static str, Judge); N] {
    let mut names = [("", judge); N];
    let mut at = 0;
    while at < N {
        names[at].0 = tools[at].name;
        at += 1;
    }
    names
}

/// Judges a call by the table's line for it.
pub(super) fn judge(call: &mut Call<'_, '_>, kind: Kind, tools: &'static [Tool]) {
    let Some(tool) = tools.iter().find(|tool| tool.name == call.name) else {
        return;
    };
    let options = call.options(&Spec::new(tool.short, tool.long));
    if options.has(&["help", "version"]) || any(&options, tool.quiet) {
        return;
    }
    let rule = tool.rules.lines().find_map(|line| {
        let (pattern, deed) = line.split_once(": ")?;
        fits(pattern, &options).then_some(deed)
    });
    if let Some(deed) = rule {
        apply(call, kind, deed, &options);
    }
}

/// Whether one of the options, apart by `|`, was given.
pub(super) fn any(options: &Options<'_>, names: &str) -> bool {
    !names.is_empty()
        && options.found.iter().any(|found| names.split('|').any(|name| name == found.name))
}

/// Case does not count in words: Windows has none.
fn fits(pattern: &str, options: &Options<'_>) -> bool {
    let mut operands = options.operands.iter();
    pattern.split_ascii_whitespace().all(|token| {
        if let Some(names) = token.strip_prefix('!') {
            return !any(options, names);
        }
        if let Some(names) = token.strip_prefix('-') {
            return any(options, names);
        }
        operands.next().is_some_and(|field| {
            let is = |text: &str| token.split('|').any(|word| word.eq_ignore_ascii_case(text));
            token == "*" || field.exact().is_some_and(is)
        })
    })
}

fn apply(call: &mut Call<'_, '_>, kind: Kind, deed: &'static str, options: &Options<'_>) {
    let (name, target) = deed.split_once(' ').unwrap_or((deed, ""));
    let (kind, action) = match name.split_once('/') {
        Some((other, action)) => (kind_of(other).unwrap_or(kind), action),
        None => (kind, name),
    };
    let Some(action) = Act::named(action) else { return };
    let given = |names: &str| {
        let is = |name: &str| names.split('|').any(|wanted| wanted == name);
        options.found.iter().any(|found| found.value.is_none() && is(found.name))
    };
    let force = given("f|force|y|yes");
    // For other kinds `-r` means something else: "remove", "reload".
    let recursive = kind == Kind::Device && given("r|R|recursive");
    let fields = fields_of(target, options);
    if fields.is_empty() {
        call.effect(kind, action, Target::None).force = force;
    }
    for field in fields {
        let effect = if target.starts_with("path") {
            call.on_path(kind, action, field)
        } else {
            named(call, kind, action, field)
        };
        effect.force = force;
        effect.recursive = recursive;
    }
}

fn fields_of<'o>(target: &str, options: &'o Options<'_>) -> Vec<&'o Field> {
    let place = target.trim_start_matches("path");
    if let Some(name) = place.strip_prefix("--") {
        return options.value(&[name]).into_iter().collect();
    }
    if place == "last" {
        return options.operands.last().copied().into_iter().collect();
    }
    let count = if place.ends_with('*') { usize::MAX } else { 1 };
    match place.trim_end_matches('*').parse() {
        Ok(at) => options.operands.iter().copied().skip(at).take(count).collect(),
        Err(_) => Vec::new(),
    }
}

fn kind_of(name: &str) -> Option<Kind> {
    Kind::ALL.iter().copied().find(|kind| kind.name() == name)
}

/// An effect on something with a name, said by the argument that names it.
pub(super) fn named<'s>(
    call: &'s mut Call<'_, '_>,
    kind: Kind,
    action: Act,
    field: &Field,
) -> &'s mut Effect {
    let effect = call.effect_at(kind, action, Target::Name(field.shown()), field.span);
    if field.exact().is_none() {
        effect.certainty = effect.certainty.min(Certainty::Possible);
    }
    effect
}

/// The argument that says `/name`, as programs of Windows have their options; also `-name` and
/// `/name:value`.
pub(super) fn slash<'c>(call: &Call<'c, '_>, name: &str) -> Option<&'c Field> {
    call.arguments().iter().find(|field| {
        let text = field.prefix();
        let Some(option) = text.strip_prefix('/').or_else(|| text.strip_prefix('-')) else {
            return false;
        };
        option.split(':').next().is_some_and(|option| option.eq_ignore_ascii_case(name))
    })
}

/// The argument after `/name`.
pub(super) fn after_slash<'c>(call: &Call<'c, '_>, name: &str) -> Option<&'c Field> {
    let option = slash(call, name)?;
    let at = call.arguments().iter().position(|field| std::ptr::eq(field, option))?;
    call.arguments().get(at.saturating_add(1))
}

#[cfg(test)]
pub(super) mod testing {
    use super::{Tool, kind_of};
    use crate::run::testing::effects;

    /// Checks `command => effects`, one per line, effects apart by `; `, nothing for none. Words
    /// are apart by blanks.
    pub(in crate::tools) fn check(table: &str) {
        for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (command, expected) = line.split_once("=>").expect("a line has an arrow");
            let words: Vec<&str> = command.split_whitespace().collect();
            assert_eq!(effects(&words).join("; "), expected.trim(), "{command}");
        }
    }

    /// Every line of a table must be readable, and every tool must have one and stand once.
    pub(in crate::tools) fn check_rules(tools: &[Tool]) {
        for tool in tools {
            assert!(tool.rules.lines().count() > 0, "{}", tool.name);
            let same = tools.iter().filter(|other| other.name == tool.name).count();
            assert_eq!(same, 1, "{}", tool.name);
            for line in tool.rules.lines() {
                let (pattern, deed) = line.split_once(": ").expect("a rule has a colon");
                assert!(!pattern.contains("  "), "{line}");
                let (name, target) = deed.split_once(' ').unwrap_or((deed, ""));
                if let Some((kind, _)) = name.split_once('/') {
                    assert!(kind_of(kind).is_some(), "{line}");
                }
                let place = target.trim_start_matches("path").trim_end_matches('*');
                let known = place.is_empty()
                    || place == "last"
                    || place.starts_with("--")
                    || place.parse::<usize>().is_ok();
                assert!(known, "{line}");
            }
        }
    }
}
