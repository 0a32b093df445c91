//! Subcommands that change or lose files of the work tree, and the stash.
//!
//! - `reset-hard`, `reset-merge` (vcs-worktree): uncommitted changes are thrown away.
//! - `reset-commits` (vcs-history): the branch moves to another commit.
//! - `reset`, `unstage` (vcs): branch and index move, files stay.
//! - `checkout-paths`, `restore-paths` (vcs-worktree): files are overwritten with the committed version.
//! - `checkout-force`, `switch-discard` (vcs-worktree): a branch is checked out over changes.
//! - `checkout-patch` (vcs-worktree): changes are discarded hunk by hunk.
//! - `branch-reset` (vcs-refs): an existing branch would be moved.
//! - `switch`, `branch-create` (vcs): another branch is checked out; a branch is made.
//! - `clean`, `clean-ignored` (vcs-worktree): untracked files are deleted; ignored ones too.
//! - `stash-drop`, `stash-clear` (vcs-stash); `stash-push`, `stash-apply`, `stash-pop` (vcs).
//! - `git-rm` (delete), `untrack` (vcs): tracked files are deleted, or only forgotten.
//! - `git-mv` (move, overwrite): tracked files are moved, over others with force.
//! - `worktree-remove`, `worktree-add` (vcs-worktree with force, otherwise vcs), `worktree` (vcs).
//! - `index-to-files` (vcs-worktree): files are replaced by those of the index.
//! - `add`, `add-all`, `add-ignored` (vcs): files are staged.
//! - `apply-patch` (write): a patch changes files.
//! - `pathspec-file`, `patch` (read): a list of files, a patch.

use super::specs::{
    ADD, APPLY, CHECKOUT, CHECKOUT_INDEX, CLEAN, MV, READ_TREE, RESET, RESTORE, RM, SWITCH,
    WORKTREE,
};
use super::{Subs, here, named, on, options, pathspec, possible, second, whole};
use crate::act::Act;
use crate::call::Call;
use crate::effect::{Certainty, Kind};
use crate::flow::Stream;
use crate::options::Options;
use crate::value::Field;
use crate::world::PathKind;

pub(super) const SUBS: Subs = &[
    ("add", add),
    ("stage", add),
    ("apply", apply),
    ("checkout", checkout),
    ("checkout-index", checkout_index),
    ("clean", clean),
    ("mv", mv),
    ("read-tree", read_tree),
    ("reset", reset),
    ("restore", restore),
    ("rm", rm),
    ("stash", stash),
    ("switch", switch),
    ("worktree", worktree),
];

fn reset(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &RESET) else { return };
    let modes = ["hard", "merge", "keep", "soft", "mixed"];
    let mode = options.found.iter().rev().find(|found| modes.contains(&found.name));
    let lost = match mode.map(|found| found.name) {
        Some("hard") => Some(Act::ResetHard),
        Some("merge") => Some(Act::ResetMerge),
        _ => None,
    };
    if let Some(action) = lost {
        whole(call, Kind::VcsWorktree, action).force = true;
    }
    let commit = options.operands.first().filter(|_| options.after_dashes != Some(0));
    match commit {
        Some(commit) if lost.is_some() || mode.is_some_and(|found| found.name == "keep") => {
            if !commit.is("HEAD") && !commit.is("@") {
                possible(named(call, Kind::VcsHistory, Act::ResetCommits, commit));
            }
        }
        _ if lost.is_some() => {}
        Some(commit) if options.operands.len() == 1 && !is_path(call, commit) => {
            named(call, Kind::Vcs, Act::Reset, commit);
        }
        _ => whole(call, Kind::Vcs, Act::Unstage).recursive = false,
    }
}

fn checkout(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &CHECKOUT) else { return };
    let created = options.value(&["b", "B", "orphan"]);
    if on(&options, "f", "force") {
        let paths = options.after_dashes.is_some_and(|at| at < options.operands.len());
        if !paths {
            whole(call, Kind::VcsWorktree, Act::CheckoutForce).force = true;
        }
    }
    if let Some(name) = created {
        make_branch(call, options.has(&["B"]), name);
        return;
    }
    if on(&options, "p", "patch") {
        possible(whole(call, Kind::VcsWorktree, Act::CheckoutPatch));
        return;
    }
    if options.has(&["pathspec-from-file"]) {
        from_file(call, &options, Act::CheckoutPaths);
        return;
    }
    let resolves = options.has(&["ours", "theirs"]);
    for path in checked_out_paths(call, &options) {
        // One side of a conflict in a file is chosen; of a whole tree that is too much.
        if resolves && !matches!(path.exact(), None | Some("." | ".." | "/" | ":/")) {
            named(call, Kind::Vcs, Act::Resolve, path);
            continue;
        }
        let certain = options.after_dashes.is_some() || options.operands.len() > 1;
        let kind =
            call.machine.path(path).exact().and_then(|path| call.machine.world.facts.kind(path));
        let clear = certain || kind.is_some() || path.prefix().starts_with('.');
        let effect = pathspec(call, Kind::VcsWorktree, Act::CheckoutPaths, path);
        if !clear {
            possible(effect);
        }
    }
    if let [branch] = options.operands.as_slice()
        && options.after_dashes != Some(0)
        && !is_path(call, branch)
    {
        named(call, Kind::Vcs, Act::Switch, branch);
    }
}

/// Which operands are files: those after `--`, those after a commit, or one that looks like it.
fn checked_out_paths<'a>(call: &Call<'_, '_>, options: &Options<'a>) -> Vec<&'a Field> {
    if let Some(at) = options.after_dashes {
        return options.operands.get(at..).unwrap_or_default().to_vec();
    }
    match options.operands.as_slice() {
        [] => Vec::new(),
        [first, rest @ ..] if !is_path(call, first) => rest.to_vec(),
        all => all.to_vec(),
    }
}

/// Whether a word that may be a branch or a file is a file.
fn is_path(call: &Call<'_, '_>, field: &Field) -> bool {
    if field.has_glob() {
        return true;
    }
    let Some(text) = field.exact() else { return false };
    if matches!(text, "." | "..")
        || text.starts_with(['/', '.', '~', ':'])
        || text.ends_with('/')
        || text.contains(['*', '?'])
    {
        return true;
    }
    let path = call.machine.path(field);
    match path.exact().and_then(|path| call.machine.world.facts.kind(path)) {
        Some(PathKind::Missing) => false,
        Some(_) => true,
        None => has_extension(text),
    }
}

/// `main.rs`, but not `v1.2`, `2.x` or `release-1.0.rc1`.
fn has_extension(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let letters = extension.bytes().all(|byte| byte.is_ascii_lowercase());
    !stem.is_empty()
        && letters
        && (1..=5).contains(&extension.len())
        && extension != "x"
        && !stem.ends_with(|letter: char| letter.is_ascii_digit())
}

fn make_branch(call: &mut Call<'_, '_>, moves: bool, name: &Field) {
    if moves {
        let effect = named(call, Kind::VcsRefs, Act::BranchReset, name);
        possible(effect);
        effect.force = true;
    } else {
        named(call, Kind::Vcs, Act::BranchCreate, name);
    }
}

fn from_file(call: &mut Call<'_, '_>, options: &Options<'_>, action: Act) {
    if let Some(list) = options.value(&["pathspec-from-file"]) {
        call.read(Act::PathspecFile, list);
    }
    possible(whole(call, Kind::VcsWorktree, action));
}

fn switch(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &SWITCH) else { return };
    if on(&options, "f", "force") || on(&options, "", "discard-changes") {
        whole(call, Kind::VcsWorktree, Act::SwitchDiscard).force = true;
    }
    if let Some(name) = options.value(&["c", "C", "create", "force-create", "orphan"]) {
        make_branch(call, options.has(&["C", "force-create"]), name);
    } else if let Some(branch) = options.operands.first() {
        named(call, Kind::Vcs, Act::Switch, branch);
    }
}

fn restore(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &RESTORE) else { return };
    let said = options.has(&["S", "W", "staged", "worktree", "no-staged", "no-worktree"]);
    let worktree = on(&options, "W", "worktree") || !said;
    if !worktree {
        if on(&options, "S", "staged") && !options.operands.is_empty() {
            whole(call, Kind::Vcs, Act::Unstage).recursive = false;
        }
        return;
    }
    if on(&options, "p", "patch") {
        possible(whole(call, Kind::VcsWorktree, Act::CheckoutPatch));
        return;
    }
    if options.has(&["pathspec-from-file"]) {
        from_file(call, &options, Act::RestorePaths);
        return;
    }
    for path in &options.operands {
        pathspec(call, Kind::VcsWorktree, Act::RestorePaths, path);
    }
}

fn clean(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &CLEAN) else { return };
    let asks = on(&options, "i", "interactive");
    if on(&options, "n", "dry-run") || !(on(&options, "f", "force") || asks) {
        return;
    }
    let action = if options.has(&["x", "X"]) { Act::CleanIgnored } else { Act::Clean };
    let certainty = if asks { Certainty::Possible } else { Certainty::Certain };
    if options.operands.is_empty() {
        let effect = whole(call, Kind::VcsWorktree, action);
        effect.recursive = options.has(&["d"]);
        effect.force = true;
        effect.certainty = effect.certainty.min(certainty);
    }
    for path in &options.operands {
        let effect = pathspec(call, Kind::VcsWorktree, action, path);
        effect.recursive |= options.has(&["d"]);
        effect.force = true;
        effect.certainty = effect.certainty.min(certainty);
    }
}

fn stash(call: &mut Call<'_, '_>, arguments: &[Field]) {
    if arguments.iter().any(|field| field.is("-h") || field.is("--help")) {
        return;
    }
    // An option in front makes it `push`.
    let (name, rest) = match arguments.split_first() {
        Some((first, rest)) if !first.prefix().starts_with('-') => {
            (first.exact().unwrap_or(""), rest)
        }
        _ => ("push", arguments),
    };
    let entry = rest.iter().find(|field| !field.prefix().starts_with('-'));
    let (kind, action) = match name {
        "drop" => (Kind::VcsStash, Act::StashDrop),
        "clear" => (Kind::VcsStash, Act::StashClear),
        "pop" => (Kind::Vcs, Act::StashPop),
        "apply" | "branch" => (Kind::Vcs, Act::StashApply),
        "push" | "save" => (Kind::Vcs, Act::StashPush),
        _ => return,
    };
    match entry {
        Some(entry) if action == Act::StashDrop => named(call, kind, action, entry),
        _ => call.effect(kind, action, crate::Target::None),
    };
}

fn rm(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &RM) else { return };
    if on(&options, "n", "dry-run") {
        return;
    }
    let cached = on(&options, "", "cached");
    let (kind, action) =
        if cached { (Kind::Vcs, Act::Untrack) } else { (Kind::Delete, Act::GitRm) };
    for path in &options.operands {
        let effect = pathspec(call, kind, action, path);
        effect.recursive = options.has(&["r"]);
        effect.force = on(&options, "f", "force");
    }
    if options.has(&["pathspec-from-file"]) {
        possible(whole(call, kind, action));
    }
}

fn mv(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &MV) else {
        return;
    };
    if on(&options, "n", "dry-run") {
        return;
    }
    let Some((place, sources)) = options.operands.split_last() else { return };
    for source in sources {
        call.on_path(Kind::Move, Act::GitMv, source);
    }
    if on(&options, "f", "force") && !sources.is_empty() {
        possible(call.on_path(Kind::Overwrite, Act::GitMv, place));
    }
}

fn worktree(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some((name, rest)) = second(arguments) else { return };
    let spec = WORKTREE;
    let Some(options) = options(rest, &spec) else { return };
    let place = options.operands.first();
    let force = on(&options, "f", "force");
    match (name, place) {
        ("remove", Some(place)) => {
            let kind = if force { Kind::VcsWorktree } else { Kind::Vcs };
            let effect = call.on_path(kind, Act::WorktreeRemove, place);
            effect.recursive = true;
            effect.force = force;
        }
        ("add", Some(place)) => {
            // By force it takes a branch or a folder that another working tree has.
            let kind = if force { Kind::VcsWorktree } else { Kind::Vcs };
            call.on_path(kind, Act::WorktreeAdd, place).force = force;
            if let Some(branch) = options.value(&["B"]) {
                make_branch(call, true, branch);
            }
        }
        ("move", Some(place)) => {
            call.on_path(Kind::Vcs, Act::Worktree, place);
        }
        ("prune", _) if !on(&options, "n", "dry-run") => {
            let target = here(call);
            call.effect(Kind::Vcs, Act::Worktree, target);
        }
        _ => {}
    }
}

fn read_tree(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &READ_TREE) else {
        return;
    };
    if on(&options, "", "reset") && options.has(&["u"]) && !on(&options, "n", "dry-run") {
        whole(call, Kind::VcsWorktree, Act::IndexToFiles).force = true;
    }
}

fn checkout_index(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &CHECKOUT_INDEX) else {
        return;
    };
    if !on(&options, "f", "force") || options.has(&["prefix"]) {
        return;
    }
    if on(&options, "a", "all") || options.has(&["stdin"]) {
        whole(call, Kind::VcsWorktree, Act::IndexToFiles).force = true;
    }
    for path in &options.operands {
        pathspec(call, Kind::VcsWorktree, Act::IndexToFiles, path);
    }
}

fn add(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &ADD) else { return };
    if on(&options, "n", "dry-run") {
        return;
    }
    let everything = on(&options, "A", "all")
        || on(&options, "u", "update")
        || options.operands.iter().any(|path| path.is(".") || path.is(":/") || path.is("*"));
    if on(&options, "f", "force") {
        for path in &options.operands {
            pathspec(call, Kind::Vcs, Act::AddIgnored, path);
        }
    } else if everything {
        whole(call, Kind::Vcs, Act::AddAll);
    } else {
        for path in &options.operands {
            pathspec(call, Kind::Vcs, Act::Add, path);
        }
    }
}

fn apply(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &APPLY) else { return };
    let mut changes: Vec<Stream> = Vec::new();
    for patch in &options.operands {
        changes.push(call.read(Act::Patch, patch));
    }
    if changes.is_empty() {
        changes.push(call.stdin.clone());
    }
    let shows = options.has(&["check", "stat", "numstat", "summary"]) && !options.has(&["apply"]);
    if !shows && !options.has(&["cached"]) {
        let strip = options.value(&["p"]).and_then(|field| field.exact()?.parse().ok());
        let base = options.value(&["directory"]).cloned();
        if let Some(base) = base
            .clone()
            .filter(|base| options.has(&["unsafe-paths"]) && base.prefix().starts_with('/'))
        {
            call.on_path(Kind::Overwrite, Act::ApplyPatch, &crate::tools::files::inside(&base));
        }
        patched(call, &changes, strip.unwrap_or(1), base);
        for pattern in options.values(&["include"]) {
            pathspec(call, Kind::Write, Act::ApplyPatch, pattern);
        }
        possible(whole(call, Kind::Write, Act::ApplyPatch));
    }
}

/// The files that patches change, where their text is known.
pub(super) fn patched(
    call: &mut Call<'_, '_>,
    changes: &[Stream],
    strip: usize,
    base: Option<Field>,
) {
    let base = base.unwrap_or_else(|| Field::text(".", call.span));
    for change in changes {
        let Some(text) = crate::tools::patches::text(call, change) else { continue };
        for file in crate::tools::patches::files(&text, Some(strip), &base) {
            call.on_path(Kind::Write, Act::ApplyPatch, &file);
        }
    }
}
