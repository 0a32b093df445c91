//! `find`: its own deletions, the commands it runs, and the files concerned.
//!
//! Actions: `find-delete` (`-delete`), `save-list` (what was found is written to a file), `list`
//! (names are read from a file). Programs it runs speak for themselves.

mod format;
mod primaries;

use super::files::{input, inside, pattern_parts, put, unnamed};
use std::rc::Rc;

use crate::act::Act;
use crate::analysis::Reason;
use crate::budget::MAX_VALUE;
use crate::call::{Call, Programs};
use crate::effect::{Certainty, Kind};
use crate::flow::{Flow, Stream};
use crate::span::Span;
use crate::value::{Field, Part};

pub(super) const PROGRAMS: Programs = &[("find", find), ("gfind", find), ("bfs", find)];

/// Maximum number of files listed per action.
const MAX_FOUND: usize = 64;

/// Conditions before an action.
#[derive(Clone, Default)]
struct Tests {
    /// One of these names or paths; none means any.
    rules: Vec<Rule>,
    /// There are tests that cannot be shown as a pattern.
    other: bool,
}

#[derive(Clone)]
enum Rule {
    Name(Field),
    Path(String),
}

enum Action<'a> {
    Delete(Span),
    Run {
        argv: &'a [Field],
        elsewhere: bool,
        asks: bool,
    },
    Write(&'a Field),
    /// The format, if there is one.
    Print(Option<&'a Field>),
}

#[derive(Default)]
struct Search<'a> {
    starts: Vec<Field>,
    actions: Vec<(Action<'a>, Tests)>,
    lists: Vec<&'a Field>,
    least: u32,
    most: Option<u32>,
    /// It shows its version or stumbles over its arguments: nothing happens.
    idle: bool,
}

fn find(call: &mut Call<'_, '_>) {
    let mut search = Search::default();
    let rest = starts(call.arguments(), &mut search.starts);
    expression(rest, &mut search);
    call.stdout = Stream::default();
    if search.idle {
        return;
    }
    for list in std::mem::take(&mut search.lists) {
        input(call, Act::List, list);
        search.starts.push(unnamed(None, "(listed paths)"));
    }
    if search.starts.is_empty() {
        search
            .starts
            .push(Field::text(".", call.argv.first().map(|first| first.span).unwrap_or_default()));
    }
    for start in &mut search.starts {
        if let Some(path) = call.machine.path(start).exact() {
            start.parts = vec![Part::Text { text: path.to_owned(), at: None }];
        }
    }
    let mut printed = Stream::default();
    let mut names = Field { span: call.span, ..Field::default() };
    for (action, tests) in &search.actions {
        if !call.machine.budget.spend(4 * search.starts.len()) {
            call.unverified(Reason::TooMuchWork, call.span);
            break;
        }
        match action {
            Action::Delete(span) => delete(call, &search, tests, *span),
            Action::Run { argv, elsewhere, asks } => {
                let certain = call.machine.certainty;
                if *asks || tests.other || !tests.rules.is_empty() {
                    call.machine.certainty = certain.min(Certainty::Possible);
                }
                let files = found(&search, tests, true);
                let out = run_on(call, argv, &files, *elsewhere);
                printed.flow.join(&out.flow);
                call.machine.certainty = certain;
            }
            Action::Write(file) => {
                put(call, Kind::Overwrite, Act::SaveList, file, Stream::default());
            }
            Action::Print(format) => {
                let files = with_guarded(call, &found(&search, tests, true));
                for file in files.into_iter().take(MAX_FOUND) {
                    format::line(&mut names, file, *format);
                }
            }
        }
    }
    if !names.parts.is_empty() {
        printed.partial = Some(Rc::new(names));
    }
    call.stdout = printed;
}

fn delete(call: &mut Call<'_, '_>, search: &Search<'_>, tests: &Tests, span: Span) {
    for file in found(search, tests, false) {
        let target = call.path(&file);
        let effect = call.effect_at(Kind::Delete, Act::FindDelete, target, file.span.to(span));
        effect.recursive = tests.rules.is_empty() && search.most.is_none_or(|most| most > 1);
        if tests.other {
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
    }
}

/// Takes the options and the places to start from; the rest is the expression.
fn starts<'a>(mut arguments: &'a [Field], starts: &mut Vec<Field>) -> &'a [Field] {
    while let [first, rest @ ..] = arguments {
        match first.exact() {
            Some("-H" | "-L" | "-P" | "-E" | "-X" | "-s" | "-x" | "--") => arguments = rest,
            Some("-D") => arguments = rest.get(1..).unwrap_or_default(),
            // BSD: a place that may look like an option.
            Some("-f") => {
                starts.extend(rest.first().cloned());
                arguments = rest.get(1..).unwrap_or_default();
            }
            Some(option) if option.starts_with("-O") => arguments = rest,
            _ => break,
        }
    }
    while let [first, rest @ ..] = arguments {
        let text = first.prefix();
        if text.starts_with('-') || matches!(first.exact(), Some("(" | ")" | "!" | "," | "")) {
            break;
        }
        starts.push(first.clone());
        arguments = rest;
    }
    arguments
}

/// Reads the tests and actions, with `-o`, `!` and brackets as far as they decide which tests
/// stand before which action.
fn expression<'a>(mut rest: &'a [Field], search: &mut Search<'a>) {
    // For each open bracket: the tests before it, those of finished alternatives, and whether it
    // is negated.
    let mut open: Vec<(Tests, Vec<Tests>, bool)> = vec![(Tests::default(), Vec::new(), false)];
    let mut now = Tests::default();
    let mut negated = false;
    while let [first, tail @ ..] = rest {
        rest = tail;
        let Some(name) = first.exact() else {
            now.other = true;
            continue;
        };
        match name {
            "(" => {
                open.push((now.clone(), Vec::new(), std::mem::take(&mut negated)));
                continue;
            }
            ")" => {
                if let Some((before, done, not)) = open.pop() {
                    now = if not { before.with_other() } else { either(done, now) };
                }
            }
            "!" | "-not" => {
                negated = !negated;
                continue;
            }
            "-o" | "-or" | "," => {
                let base = open.last().map(|(before, ..)| before.clone()).unwrap_or_default();
                let done = std::mem::replace(&mut now, base);
                if let Some((_, alternatives, _)) = open.last_mut() {
                    alternatives.push(done);
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let Some(length) = command_length(tail, name.starts_with("-exec")) else {
                    search.idle = true;
                    return;
                };
                let argv = tail.get(..length).unwrap_or_default();
                let elsewhere = name.ends_with("dir");
                let asks = name.starts_with("-ok");
                search.actions.push((Action::Run { argv, elsewhere, asks }, now.clone()));
                rest = tail.get(length + 1..).unwrap_or_default();
            }
            _ => rest = primary(first, name, tail, &mut now, negated, search),
        }
        negated = false;
    }
    if search.actions.is_empty() {
        let done = open.pop().map(|(_, done, _)| done).unwrap_or_default();
        search.actions.push((Action::Print(None), either(done, now)));
    }
}

/// One test, option or simple action; returns what follows it.
fn primary<'a>(
    field: &'a Field,
    name: &str,
    tail: &'a [Field],
    now: &mut Tests,
    negated: bool,
    search: &mut Search<'a>,
) -> &'a [Field] {
    let value = tail.first();
    let text = value.and_then(Field::exact);
    let number = text.and_then(|text| text.parse().ok());
    match name {
        "-delete" => search.actions.push((Action::Delete(field.span), now.clone())),
        // Without quotes: `-name *.log`.
        "-name" | "-iname" if !negated && value.is_some_and(is_pattern) => {
            let pattern = value.cloned().unwrap_or_default();
            now.require(Rule::Name(Field { flow: Flow::default(), ..pattern }));
        }
        "-name" | "-iname" if negated || text.is_none() => now.other = true,
        "-name" | "-iname" => {
            let text = text.unwrap_or_default();
            let lower = (name == "-iname").then(|| text.to_lowercase());
            now.require(Rule::Name(pattern_parts(lower.as_deref().unwrap_or(text))));
        }
        "-path" | "-wholename" | "-ipath" | "-iwholename" if negated || text.is_none() => {
            now.other = true;
        }
        "-path" | "-wholename" | "-ipath" | "-iwholename" => {
            now.require(Rule::Path(text.unwrap_or_default().to_owned()));
        }
        "-mindepth" => search.least = number.unwrap_or(0),
        "-maxdepth" => search.most = number,
        "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
            search.actions.extend(value.map(|file| (Action::Write(file), now.clone())));
        }
        "-files0-from" => search.lists.extend(value),
        "-help" | "--help" | "-version" | "--version" => search.idle = true,
        "-print" | "-print0" | "-printf" | "-ls" => {
            let format = value.filter(|_| name == "-printf");
            search.actions.push((Action::Print(format), now.clone()));
        }
        "-depth"
        | "-d"
        | "-xdev"
        | "-mount"
        | "-follow"
        | "-noleaf"
        | "-daystart"
        | "-warn"
        | "-nowarn"
        | "-a"
        | "-and"
        | "-true"
        | "-quit"
        | "-ignore_readdir_race"
        | "-noignore_readdir_race"
        | "-regextype"
        | "-prune" => {}
        _ => now.other = true,
    }
    let values = match name {
        "-fprintf" => 2,
        _ if primaries::takes_value(name) => 1,
        // BSD gives it a number.
        "-depth" if number.is_some() => 1,
        _ => 0,
    };
    tail.get(values..).unwrap_or_default()
}

/// Whether a word is a pattern that the shell may not have expanded.
fn is_pattern(field: &Field) -> bool {
    field.has_glob() && !field.has_unknown() && !field.prefix().contains('/')
}

/// How many fields up to the `;` or, after `{}`, the `+` that ends a command.
fn command_length(tail: &[Field], plus: bool) -> Option<usize> {
    let mut last_is_file = false;
    for (index, field) in tail.iter().enumerate() {
        if field.is(";") || (plus && last_is_file && field.is("+")) {
            return (index > 0).then_some(index);
        }
        last_is_file = field.is("{}");
    }
    None
}

impl Tests {
    /// Both must hold: the first pattern is enough to show where it leads.
    fn require(&mut self, rule: Rule) {
        if self.rules.is_empty() {
            self.rules.push(rule);
        } else {
            self.other = true;
        }
    }

    fn with_other(mut self) -> Self {
        self.other = true;
        self
    }
}

/// The tests of a bracket: one of its alternatives.
fn either(mut done: Vec<Tests>, last: Tests) -> Tests {
    done.push(last);
    let other = done.iter().any(|tests| tests.other);
    let open = done.iter().any(|tests| tests.rules.is_empty());
    let rules: Vec<Rule> = done.into_iter().flat_map(|tests| tests.rules).take(MAX_FOUND).collect();
    if open {
        Tests { rules: Vec::new(), other: other || !rules.is_empty() }
    } else {
        Tests { rules, other }
    }
}

/// Runs the command on what was found; a word around the name of a file takes one at a time.
fn run_on(call: &mut Call<'_, '_>, argv: &[Field], files: &[Field], elsewhere: bool) -> Stream {
    let all = with_guarded(call, files);
    let embeds = argv.iter().any(|word| word.prefix().contains("{}") && !word.is("{}"));
    if !embeds || all.len() == files.len() {
        return run(call, argv, &all, elsewhere);
    }
    if let Some(first) = all.first() {
        run(call, argv, std::slice::from_ref(first), elsewhere);
    }
    run(call, argv, files, elsewhere)
}

/// The same with the settings of the guard that are among them: a pattern for files of any name does
/// not say that it means them.
pub(super) fn with_guarded(call: &Call<'_, '_>, files: &[Field]) -> Vec<Field> {
    let guarded = files.iter().flat_map(|file| {
        let names = call.machine.guarded_by(&call.machine.path(file));
        names.into_iter().map(|name| Field::text(name, file.span))
    });
    guarded.chain(files.iter().cloned()).collect()
}

/// The files that pass, as paths with patterns. For a command that is run on each, a tree without
/// tests is all that is in it; for `-delete` it is the tree.
fn found(search: &Search<'_>, tests: &Tests, each: bool) -> Vec<Field> {
    let mut files = Vec::new();
    for start in &search.starts {
        if search.most == Some(0) {
            files.push(start.clone());
        } else if tests.rules.is_empty() || files.len() >= MAX_FOUND {
            files.push(match (tests.other, search.least > 0) {
                (false, false) if each => whole(start),
                (false, false) => start.clone(),
                _ if search.most == Some(1) => children(start, &pattern_parts("*")),
                _ => inside(start),
            });
        } else {
            files.extend(tests.rules.iter().map(|rule| match rule {
                Rule::Name(pattern) if search.most == Some(1) => children(start, pattern),
                Rule::Name(pattern) => deep(start, pattern),
                Rule::Path(pattern) => by_path(start, pattern),
            }));
        }
    }
    files
}

/// A directory and all that is in it.
fn whole(start: &Field) -> Field {
    let mut field = start.clone();
    let all = if start.suffix().ends_with('/') { "**/*" } else { "/**/*" };
    field.parts.push(Part::Glob(all.into()));
    field
}

fn children(start: &Field, pattern: &Field) -> Field {
    let mut field = start.clone();
    if !field.suffix().ends_with('/') {
        field.push_text("/", None);
    }
    for part in &pattern.parts {
        field.push(part.clone());
    }
    field
}

/// A pattern at any depth.
fn deep(start: &Field, pattern: &Field) -> Field {
    let mut all = Field { parts: vec![Part::Glob("**/".into())], ..Field::default() };
    all.parts.extend(pattern.parts.iter().cloned());
    children(start, &all)
}

/// In a path a star also stands for slashes.
fn by_path(start: &Field, pattern: &str) -> Field {
    let written = start.exact().unwrap_or_default();
    let rest = pattern
        .strip_prefix("./")
        .or_else(|| pattern.strip_prefix(written).and_then(|rest| rest.strip_prefix('/')))
        .or_else(|| pattern.strip_prefix("*/"));
    let Some(rest) = rest else {
        return inside(start);
    };
    let mut parts = pattern_parts(rest);
    for part in &mut parts.parts {
        if let Part::Glob(glob) = part
            && glob == "*"
        {
            "**".clone_into(glob);
        }
    }
    if pattern.starts_with("*/") { deep(start, &parts) } else { children(start, &parts) }
}

/// Runs a command with `{}` replaced by what was found.
pub(super) fn run(
    call: &mut Call<'_, '_>,
    template: &[Field],
    files: &[Field],
    elsewhere: bool,
) -> Stream {
    let holes = template.iter().filter(|field| field.is("{}")).count();
    if !call.machine.budget.spend(holes.saturating_mul(files.len())) {
        call.unverified(Reason::TooMuchWork, call.span);
        return Stream::default();
    }
    let mut argv: Vec<Field> = Vec::with_capacity(template.len());
    for field in template {
        match field.exact() {
            Some("{}") => {
                argv.extend(files.iter().map(|file| Field { span: field.span, ..file.clone() }));
            }
            Some(text) if text.contains("{}") => argv.push(embedded(field, text, files)),
            _ => argv.push(field.clone()),
        }
    }
    if !elsewhere {
        return call.run(&argv);
    }
    let cwd = call.machine.shell.cwd.take();
    let out = call.run(&argv);
    call.machine.shell.cwd = cwd;
    out
}

fn embedded(field: &Field, text: &str, files: &[Field]) -> Field {
    let unknown = Field::unknown("{}", field.span);
    // A long name in many places would be far longer than any argument.
    let fits = |file: &Field| {
        let holes = text.matches("{}").count();
        holes.saturating_mul(file.prefix().len() + file.parts.len()) <= MAX_VALUE
    };
    let file = match files {
        [one] if fits(one) => one,
        _ => &unknown,
    };
    let mut result = Field { span: field.span, flow: field.flow.clone(), ..Field::default() };
    for (index, piece) in text.split("{}").enumerate() {
        if index > 0 {
            for part in &file.parts {
                result.push(part.clone());
            }
        }
        result.push_text(piece, None);
    }
    result
}

#[cfg(test)]
mod tests {
    use crate::run::testing::check;

    #[test]
    fn delete_reaches_what_the_tests_before_it_leave() {
        check(&[
            (&["find", "-delete"], &["delete find-delete /shop certain -r"]),
            (&["find", "/", "-delete"], &["delete find-delete / certain -r"]),
            (
                &["find", "-L", "a", "b", "-depth", "-delete"],
                &["delete find-delete /shop/a certain -r", "delete find-delete /shop/b certain -r"],
            ),
            (
                &["find", ".", "-name", "*.pyc", "-delete"],
                &["delete find-delete /shop/**/*.pyc possible"],
            ),
            (
                &["find", "/", "-name", "--help", "-delete"],
                &["delete find-delete /**/--help possible"],
            ),
            (
                &["find", "/var", "-mtime", "+7", "-delete"],
                &["delete find-delete /var/**/* possible -r"],
            ),
            (
                &["find", "x", "-maxdepth", "1", "-name", "*.o", "-delete"],
                &["delete find-delete /shop/x/*.o possible"],
            ),
            (&["find", "x", "-maxdepth", "0", "-delete"], &["delete find-delete /shop/x certain"]),
            (
                &["find", "x", "-mindepth", "1", "-delete"],
                &["delete find-delete /shop/x/**/* possible -r"],
            ),
            (
                &["find", ".", "(", "-name", "a", "-o", "-name", "b", ")", "-delete"],
                &[
                    "delete find-delete /shop/**/a possible",
                    "delete find-delete /shop/**/b possible",
                ],
            ),
            (
                &["find", ".", "-name", "a", "-o", "-name", "b", "-delete"],
                &["delete find-delete /shop/**/b possible"],
            ),
            (
                &["find", ".", "!", "-name", "a", "-delete"],
                &["delete find-delete /shop/**/* possible -r"],
            ),
            (
                &["find", ".", "-path", "./t/*", "-delete"],
                &["delete find-delete /shop/t/** possible"],
            ),
            (
                &["find", ".", "-path", "*/t/*", "-delete"],
                &["delete find-delete /shop/**/t/** possible"],
            ),
        ]);
    }

    #[test]
    fn words_that_look_like_actions_are_values() {
        check(&[
            (&["find", ".", "-name", "-delete"], &[]),
            (&["find", ".", "-gid", "-delete", "-print"], &[]),
            (&["find", ".", "-exec", "echo", "-delete", ";", "-print"], &[]),
            (&["find", ".", "-exec", "echo", "-delete", "{}", "+", "-print"], &[]),
            (&["find", ".", "-exec", "rm", "-rf", "/x", "{}"], &[]),
            (&["find", ".", "-name", "x", "-print"], &[]),
            (&["find", "--version", "-delete"], &[]),
        ]);
    }

    #[test]
    fn a_command_is_run_on_what_was_found() {
        check(&[
            (
                &["find", "/", "-exec", "rm", "-rf", "{}", "+"],
                &["delete remove /**/* possible -r -f"],
            ),
            (
                &["find", ".", "-type", "f", "-exec", "rm", "{}", ";"],
                &["delete remove /shop/**/* possible"],
            ),
            (
                &["find", ".", "-name", "*.tmp", "-execdir", "rm", "-f", "{}", "+"],
                &["delete remove /shop/**/*.tmp possible -f"],
            ),
            (
                &["find", "/tmp", "-exec", "rm", "-rf", "/x", "{}", ";"],
                &["delete remove /x certain -r -f", "delete remove /tmp/**/* possible -r -f"],
            ),
            (&["find", ".", "-ok", "rm", "-r", "/x", ";"], &["delete remove /x possible -r"]),
            (&["find", "a", "-execdir", "rm", "x", ";"], &["delete remove $PWD/x possible"]),
        ]);
    }

    #[test]
    fn lists_are_written_where_it_says() {
        check(&[
            (&["find", ".", "-fprint", "out"], &["overwrite save-list /shop/out certain"]),
            (
                &["find", ".", "-fprintf", "out", "%p", "-delete"],
                &["overwrite save-list /shop/out certain", "delete find-delete /shop certain -r"],
            ),
        ]);
    }
}
