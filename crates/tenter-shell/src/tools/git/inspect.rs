//! Read-only subcommands: code they may run, files they write, content they print.
//!
//! - `output` (overwrite): a listing is written to a file.
//! - `vcs-read` (read): the recorded content of a file is printed.
//! - Code given to `grep -O`, `difftool -x` and `mergetool` is run.
//! - `patterns` (read): a list of patterns.

use super::specs::{BLAME, DIFF, DIFFTOOL, GREP};
use super::{Subs, options, perhaps_run, repository};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::{Source, Stream};
use crate::options::parse;
use crate::target::Target;
use crate::value::Field;

pub(super) const SUBS: Subs = &[
    ("blame", blame),
    ("annotate", blame),
    ("cat-file", cat_file),
    ("credential", credential),
    ("diff", diff),
    ("diff-index", diff),
    ("diff-tree", diff),
    ("difftool", difftool),
    ("fast-export", |call, _| call.stdout = Stream::unknown(repository(call))),
    ("grep", grep),
    ("log", log),
    ("ls-files", ls_files),
    ("mergetool", difftool),
    ("rev-parse", rev_parse),
    ("show", cat_file),
    ("status", |call, _| call.stdout = Stream::default()),
    ("whatchanged", diff),
];

/// Without options that select others, it prints the name of every tracked file.
fn ls_files(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let others = ["-o", "--others", "-d", "--deleted", "-i", "--ignored", "-m", "-zo"];
    if !arguments.iter().any(|field| others.iter().any(|option| field.is(option))) {
        call.effect(Kind::Vcs, Act::ListTracked, Target::None);
    }
}

/// Options of `rev-parse` that print the repository's folder.
const GIT_FOLDER: &[&str] = &["--git-dir", "--git-common-dir", "--absolute-git-dir"];

/// `git rev-parse --show-toplevel`: scripts change to this folder before all else.
fn rev_parse(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let root = match arguments {
        [only] if only.is("--show-toplevel") => call.machine.repository_root(),
        [only] if GIT_FOLDER.iter().any(|option| only.is(option)) => {
            // In the root of the work tree, or where that is not known, it is right here.
            let root = call.machine.repository_root();
            Some(root.map_or_else(|| ".git".to_owned(), |root| format!("{root}/.git")))
        }
        _ => None,
    };
    if let Some(root) = root {
        call.stdout = Stream::known(format!("{root}\n"));
    }
}

fn diff(call: &mut Call<'_, '_>, arguments: &[Field]) {
    // Two files of any place, as the program of that name compares them.
    if arguments.iter().any(|field| field.is("--no-index")) {
        for file in arguments.iter().filter(|field| !field.prefix().starts_with('-')) {
            call.read(Act::Print, file);
        }
        return;
    }
    compare(call, arguments, true);
}

/// Without `-p` it prints commits, not what is in the files.
fn log(call: &mut Call<'_, '_>, arguments: &[Field]) {
    compare(call, arguments, false);
}

const PATCHES: &[&str] = &[
    "p",
    "u",
    "patch",
    "U",
    "unified",
    "L",
    "c",
    "cc",
    "m",
    "binary",
    "patch-with-stat",
    "patch-with-raw",
    "remerge-diff",
];

const LISTS: &[&str] = &[
    "stat",
    "numstat",
    "shortstat",
    "dirstat",
    "summary",
    "name-only",
    "name-status",
    "raw",
    "quiet",
    "s",
    "no-patch",
];

fn compare(call: &mut Call<'_, '_>, arguments: &[Field], patches: bool) {
    let Some(options) = options(arguments, &DIFF) else { return };
    let mut content = Stream::unknown(repository(call));
    let prints = options.has(PATCHES) || (patches && !options.has(LISTS));
    if let Some(at) = options.after_dashes.filter(|_| prints) {
        for path in options.operands.iter().skip(at) {
            content.flow.join(&call.read(Act::VcsRead, path).flow);
        }
    }
    output(call, options.value(&["output"]), content);
}

fn output(call: &mut Call<'_, '_>, place: Option<&Field>, content: Stream) {
    match place {
        Some(place) => {
            call.write(Kind::Overwrite, Act::Output, place, content);
            call.stdout = Stream::default();
        }
        None => call.stdout = content,
    }
}

/// `git show main:src/x` prints a file, as does `git cat-file -p main:src/x`.
fn cat_file(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &DIFF) else { return };
    let mut content = Stream::unknown(repository(call));
    for object in &options.operands {
        let Some((revision, path)) = object.prefix().split_once(':') else { continue };
        // `:/text` finds a commit by its message.
        if revision.is_empty() && path.starts_with('/') {
            continue;
        }
        if let Some(path) = object.without_prefix(revision.len() + 1) {
            content.flow.join(&call.read(Act::VcsRead, &path).flow);
        }
    }
    output(call, options.value(&["output"]), content);
}

fn blame(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &BLAME) else {
        return;
    };
    if let Some(path) = options.operands.last() {
        call.stdout = call.read(Act::VcsRead, path);
        call.stdout.text = None;
    }
}

fn grep(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let spec = GREP;
    let options = parse(arguments, &spec);
    for pager in options.values(&["O", "open-files-in-pager"]) {
        perhaps_run(call, &with_file(pager));
    }
    if let Some(list) = options.value(&["f"]) {
        call.read(Act::Patterns, list);
    }
    call.stdout = Stream::unknown(repository(call));
}

fn difftool(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &DIFFTOOL) else {
        return;
    };
    for code in options.values(&["x", "extcmd"]) {
        perhaps_run(call, &with_file(code));
    }
}

/// The command with a file that git puts after it.
fn with_file(command: &Field) -> Field {
    let mut command = command.clone();
    command.push_text(" \"$FILE\"", None);
    command
}

fn credential(call: &mut Call<'_, '_>, arguments: &[Field]) {
    if arguments.first().is_some_and(|field| field.is("fill")) {
        call.effect(Kind::Read, Act::ReadSecret, Target::name("git-credential"));
        call.stdout = Stream::from(Source::Store("git-credential".into()));
    }
}
