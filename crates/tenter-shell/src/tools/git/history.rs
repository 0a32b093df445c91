//! Making commits and making others of them, and the code that runs between them.
//!
//! - `commit`, `commit-all`, `amend`, `merge`, `cherry-pick`, `revert`, `apply-mail` (vcs): commits are made.
//! - `continue` (vcs): an operation that had stopped goes on.
//! - `no-verify` (hook-bypass): the hooks of this step do not run.
//! - `rebase`, `rebase-skip` (vcs-history): commits are rewritten; one of them is left out.
//! - `abort` (vcs-worktree): an operation under way is undone with what was done for it.
//! - `filter-branch`, `filter-repo`, `lfs-migrate` (vcs-history): all of the history is rewritten.
//! - `bisect` (vcs): commits are checked out one after the other.
//! - `lfs-prune`, `lfs-push` (vcs), `lfs-fetch` (receive): copies of large files come and go;
//!   `lfs-prune` (vcs-refs) also those that no server has.
//! - `message`, `patch` (read): a file that a commit is made from.

use super::specs::{AM, COMMIT, FILTER_BRANCH, FILTER_REPO, MERGE, PICK, REBASE};
use super::{Subs, named, on, options, perhaps_run, possible, whole};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::Options;
use crate::target::Target;
use crate::value::Field;

pub(super) const SUBS: Subs = &[
    ("am", am),
    ("bisect", bisect),
    ("cherry-pick", |call, arguments| pick(call, arguments, Act::CherryPick)),
    ("commit", commit),
    ("filter-branch", filter_branch),
    ("filter-repo", filter_repo),
    ("lfs", lfs),
    ("merge", merge),
    ("rebase", rebase),
    ("revert", |call, arguments| pick(call, arguments, Act::Revert)),
];

fn commit(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &COMMIT) else { return };
    if on(&options, "", "dry-run") || options.has(&["short", "porcelain", "long"]) {
        return;
    }
    if let Some(message) = options.value(&["F", "file", "t", "template"]) {
        call.read(Act::Message, message);
    }
    unverified(call, &options, "n");
    let action = if on(&options, "", "amend") {
        Act::Amend
    } else if on(&options, "a", "all") {
        Act::CommitAll
    } else {
        Act::Commit
    };
    call.effect(Kind::Vcs, action, Target::None);
}

/// Whether hooks are switched off: the last of `--no-verify`, its letter and `--verify` counts.
fn unverified(call: &mut Call<'_, '_>, options: &Options<'_>, letter: &str) {
    let last = options.found.iter().rev().find(|found| {
        matches!(found.name, "no-verify" | "verify") || (!letter.is_empty() && found.name == letter)
    });
    if let Some(found) = last.filter(|found| found.name != "verify") {
        call.effect_at(Kind::HookBypass, Act::NoVerify, Target::None, found.span);
    }
}

/// `--abort`, `--continue` and the like; true if that is all there is to it.
fn sequencer(call: &mut Call<'_, '_>, options: &Options<'_>) -> bool {
    if on(options, "", "abort") {
        let effect = whole(call, Kind::VcsWorktree, Act::Abort);
        possible(effect);
    } else if options.has(&["continue", "resolved", "retry"]) {
        call.effect(Kind::Vcs, Act::Continue, Target::None);
    } else if !options.has(&["quit", "show-current-patch", "edit-todo"]) {
        return false;
    }
    true
}

fn merge(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &MERGE) else { return };
    unverified(call, &options, "");
    if sequencer(call, &options) {
        return;
    }
    match options.operands.first() {
        Some(name) => named(call, Kind::Vcs, Act::Merge, name),
        None => call.effect(Kind::Vcs, Act::Merge, Target::None),
    };
}

fn am(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &AM) else { return };
    unverified(call, &options, "n");
    if sequencer(call, &options) {
        return;
    }
    let mut changes: Vec<Stream> = Vec::new();
    for mail in &options.operands {
        changes.push(call.read(Act::Patch, mail));
    }
    if changes.is_empty() {
        changes.push(call.stdin.clone());
    }
    super::worktree::patched(call, &changes, 1, None);
    call.effect(Kind::Vcs, Act::ApplyMail, Target::None);
}

fn pick(call: &mut Call<'_, '_>, arguments: &[Field], action: Act) {
    let Some(options) = options(arguments, &PICK) else { return };
    if sequencer(call, &options) {
        return;
    }
    for name in &options.operands {
        named(call, Kind::Vcs, action, name);
    }
}

fn rebase(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &REBASE) else { return };
    unverified(call, &options, "");
    if sequencer(call, &options) {
        return;
    }
    if options.has(&["skip"]) {
        call.effect(Kind::VcsHistory, Act::RebaseSkip, Target::None);
        return;
    }
    let onto = options.operands.first().copied().or(options.value(&["onto"]));
    match onto {
        Some(name) => named(call, Kind::VcsHistory, Act::Rebase, name),
        None => call.effect(Kind::VcsHistory, Act::Rebase, Target::None),
    };
    for code in options.values(&["x", "exec"]) {
        call.run_code(super::shell(), code);
    }
}

const FILTERS: &[&str] = &[
    "setup",
    "env-filter",
    "tree-filter",
    "index-filter",
    "parent-filter",
    "msg-filter",
    "commit-filter",
    "tag-name-filter",
];

fn filter_branch(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &FILTER_BRANCH) else { return };
    let force = on(&options, "f", "force");
    // Without a filter too: grafts and replaced commits become part of it.
    call.effect(Kind::VcsHistory, Act::FilterBranch, Target::None).force = force;
    // They run in a checkout of their own.
    for code in options.values(FILTERS) {
        call.run_code_elsewhere(super::shell(), code);
    }
}

pub(super) fn filter_repo(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &FILTER_REPO) else {
        return;
    };
    if options.has(&["dry-run", "analyze", "version"]) {
        return;
    }
    let force = on(&options, "f", "force");
    whole(call, Kind::VcsHistory, Act::FilterRepo).force = force;
}

fn bisect(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some((name, rest)) = arguments.split_first() else { return };
    match name.exact() {
        Some("run") => {
            call.effect(Kind::Vcs, Act::Bisect, Target::None);
            call.run(rest);
        }
        Some("start" | "good" | "bad" | "new" | "old" | "skip" | "next" | "reset" | "replay") => {
            call.effect(Kind::Vcs, Act::Bisect, Target::None);
        }
        Some("visualize" | "view") => {
            if let Some(viewer) = rest.first().filter(|field| !field.prefix().starts_with('-')) {
                perhaps_run(call, viewer);
            }
        }
        _ => {}
    }
}

pub(super) fn lfs(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some((name, rest)) = arguments.split_first() else { return };
    let dry = |field: &Field| field.is("--dry-run") || field.is("-d") || field.is("--help");
    if rest.iter().any(dry) {
        return;
    }
    match name.exact() {
        Some("migrate")
            if rest.first().is_some_and(|field| field.is("import") || field.is("export")) =>
        {
            whole(call, Kind::VcsHistory, Act::LfsMigrate);
        }
        Some("prune") => {
            let force = rest.iter().any(|field| field.is("--force") || field.is("-f"));
            let kind = if force { Kind::VcsRefs } else { Kind::Vcs };
            call.effect(kind, Act::LfsPrune, Target::None).force = force;
        }
        Some("push") => _ = call.effect(Kind::Vcs, Act::LfsPush, Target::None),
        Some("pull" | "fetch" | "clone") => {
            let host = rest.iter().find(|field| !field.prefix().starts_with('-'));
            let target = host.map_or(Target::None, |host| Target::Host(host.shown()));
            call.effect(Kind::Receive, Act::LfsFetch, target);
        }
        _ => {}
    }
}
