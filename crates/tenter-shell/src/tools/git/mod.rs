//! git, and basic support of other version control: lost changes, data sent, code run on the way, and
//! disabled checks.
//!
//! Each file lists the actions it uses. Here: `exec-path` (execute), the subcommands of git are taken
//! from another directory.

mod config;
mod history;
mod inspect;
mod other;
mod refs;
mod remote;
mod settings;
// One option a line would be three times as long.
#[rustfmt::skip]
mod specs;
mod transport;
mod worktree;

use std::rc::Rc;

use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::{Certainty, Effect, Kind};
use crate::flow::{Flow, Source, Stream};
use crate::options::{Options, Spec, parse};
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::{Field, Part};
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[
    ("git", git),
    // As most people shorten it.
    ("g", git),
    ("git-lfs", |call| history::lfs(call, call.arguments())),
    ("bfg", |call| history::filter_repo(call, call.arguments())),
    ("git-filter-repo", |call| history::filter_repo(call, call.arguments())),
    ("yadm", git),
    ("hg", other::hg),
    ("sl", other::hg),
    ("svn", other::svn),
    ("jj", other::jj),
    ("fossil", other::fossil),
    ("pre-commit", other::hook_manager),
    ("lefthook", other::hook_manager),
    ("husky", other::hook_manager),
    ("overcommit", other::hook_manager),
];

/// Function that judges one subcommand.
type Sub = fn(&mut Call<'_, '_>, &[Field]);

/// Subcommands of one file.
type Subs = &'static [(&'static str, Sub)];

const TABLES: &[Subs] = &[
    worktree::SUBS,
    refs::SUBS,
    history::SUBS,
    remote::SUBS,
    transport::SUBS,
    config::SUBS,
    inspect::SUBS,
];

const GLOBAL: Spec = Spec::first(
    "C:c:",
    "exec-path=? git-dir= work-tree= namespace= super-prefix= config-env= attr-source= \
     shallow-file=",
);

/// Judges `git` and what behaves like it.
pub(super) fn git(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let globals = parse(arguments, &GLOBAL);
    if globals.has(&["h", "help", "v", "version", "html-path", "man-path", "info-path"]) {
        call.stdout = Stream::default();
        return;
    }
    let directory = call.machine.shell.cwd.clone();
    for field in globals.values(&["C"]) {
        enter(call, field);
    }
    let settings = settings::collect(call, &globals);
    if let Some(tree) = globals.value(&["work-tree"]).or(settings.work_tree.as_ref()) {
        enter(call, tree);
    }
    if let Some(place) = globals.value(&["exec-path"]) {
        call.on_path(Kind::Execute, Act::ExecPath, place);
    }
    let (before, rest) = arguments.split_at(globals.consumed.min(arguments.len()));
    dispatch(call, before, rest, &settings);
    call.machine.shell.cwd = directory;
}

fn dispatch(
    call: &mut Call<'_, '_>,
    globals: &[Field],
    rest: &[Field],
    settings: &settings::Settings,
) {
    let Some((sub, arguments)) = rest.split_first() else { return };
    let Some(name) = sub.exact() else {
        call.unverified(crate::Reason::DynamicProgram, sub.span);
        return;
    };
    if arguments.first().is_some_and(|field| field.is("--help")) {
        call.stdout = Stream::default();
        return;
    }
    let judge = TABLES
        .iter()
        .flat_map(|table| table.iter())
        .find_map(|(known, judge)| (*known == name).then_some(*judge));
    settings::apply(call, name, arguments, settings);
    let Some(judge) = judge else {
        settings::alias(call, name, globals, arguments, settings);
        return;
    };
    let mut implied = settings::implied(name, settings);
    if implied.is_empty() {
        judge(call, arguments);
    } else {
        implied.extend_from_slice(arguments);
        judge(call, &implied);
    }
}

/// Goes to a directory, as `-C` does, until the caller comes back.
fn enter(call: &mut Call<'_, '_>, place: &Field) {
    if !place.is("") {
        call.machine.shell.cwd = call.machine.path(place).folder().map(|path| Rc::from(&*path));
    }
}

/// The options of a subcommand; none if it only prints its usage.
fn options<'a>(arguments: &'a [Field], spec: &Spec) -> Option<Options<'a>> {
    let options = parse(arguments, spec);
    (!options.has(&["h", "help"])).then_some(options)
}

/// Whether a switch is on: the last of `-x`, `--long` and `--no-long` counts. A prefix that fits
/// several options counts too: what it means depends on the version of git.
fn on(options: &Options<'_>, short: &str, long: &str) -> bool {
    let fits = |name: &str| name == long || (name.len() > 2 && long.starts_with(name));
    options
        .found
        .iter()
        .rev()
        .find_map(|found| match found.name.strip_prefix("no-") {
            Some(name) if fits(name) => Some(false),
            _ => ((!short.is_empty() && found.name == short) || fits(found.name)).then_some(true),
        })
        .unwrap_or(false)
}

fn shell() -> Language {
    Language::Shell(Dialect::Posix)
}

/// The directory git works in.
fn here(call: &Call<'_, '_>) -> Target {
    call.path(&Field::text(".", call.span))
}

/// The repository's content as a data source.
fn repository(call: &Call<'_, '_>) -> Flow {
    Flow::of(Source::File(Rc::from(&*here(call).shown())))
}

/// An effect on everything below the directory git works in.
fn whole<'e>(call: &'e mut Call<'_, '_>, kind: Kind, action: Act) -> &'e mut Effect {
    let target = here(call);
    let effect = call.effect(kind, action, target);
    effect.recursive = true;
    effect
}

/// An effect on something with a name: a branch, a commit, a setting.
fn named<'e>(call: &'e mut Call<'_, '_>, kind: Kind, action: Act, field: &Field) -> &'e mut Effect {
    let effect = call.effect_at(kind, action, Call::named(field), field.span);
    if field.exact().is_none() {
        possible(effect);
    }
    effect
}

fn possible(effect: &mut Effect) {
    effect.certainty = effect.certainty.min(Certainty::Possible);
}

/// An effect on the files of a pathspec, in which git itself reads patterns.
fn pathspec<'e>(
    call: &'e mut Call<'_, '_>,
    kind: Kind,
    action: Act,
    field: &Field,
) -> &'e mut Effect {
    let text = field.prefix();
    if text.starts_with(':') {
        let effect = named(call, kind, action, field);
        effect.recursive = true;
        return effect;
    }
    let tree = text == "." || text == ".." || text.ends_with('/');
    let target = match field.exact() {
        Some(text) if text.contains(['*', '?', '[']) => call.path(&patterned(text, field)),
        _ => call.path(field),
    };
    let effect = call.effect_at(kind, action, target, field.span);
    effect.recursive = tree;
    effect
}

/// The field with the patterns of its text as patterns.
fn patterned(text: &str, field: &Field) -> Field {
    let mut pattern = Field { parts: Vec::new(), span: field.span, flow: field.flow.clone() };
    // A bracket expression, and everything after it, is not interpreted.
    let (read, rest) = text.split_once('[').map_or((text, None), |(read, rest)| (read, Some(rest)));
    for piece in read.split_inclusive(['*', '?']) {
        let plain = piece.trim_end_matches(['*', '?']);
        pattern.push_text(plain, None);
        match piece.get(plain.len()..) {
            Some("") | None => {}
            Some(glob) => pattern.push(Part::Glob(glob.into())),
        }
    }
    if rest.is_some() {
        pattern.push(Part::Glob("*".into()));
    }
    pattern
}

/// Runs code of which it is not sure that git gets to it.
fn perhaps_run(call: &mut Call<'_, '_>, code: &Field) {
    let certainty = call.machine.certainty;
    call.machine.certainty = certainty.min(Certainty::Possible);
    call.run_code(shell(), code);
    call.machine.certainty = certainty;
}

/// The words of a subcommand of a subcommand: `git stash drop`, with its arguments.
fn second(arguments: &[Field]) -> Option<(&str, &[Field])> {
    let at = arguments.iter().position(|field| !field.prefix().starts_with('-'))?;
    let name = arguments.get(at)?.exact()?;
    Some((name, arguments.get(at + 1..).unwrap_or_default()))
}

#[cfg(test)]
mod tests;
