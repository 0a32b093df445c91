//! Branches, tags, reflogs, notes and the objects only reachable by them.
//!
//! - `branch-delete` (vcs-refs): also if not merged; `branch-delete-merged` (vcs) only if merged.
//! - `branch-overwrite` (vcs-refs): another branch takes its name; `branch-rename` (vcs).
//! - `branch-reset` (vcs-refs): an existing branch would be moved; `branch-create` (vcs).
//! - `tag-delete`, `tag-move` (vcs-refs); `tag-create` (vcs).
//! - `ref-delete`, `ref-update` (vcs-refs): refs are deleted or moved by name.
//! - `reflog-expire`, `reflog-delete` (vcs-refs; vcs with the usual delays).
//! - `prune-objects` (vcs-refs): unreachable objects go at once; `gc` (vcs) with the usual delays.
//! - `replace` (vcs-history): one object stands for another.
//! - `notes` (vcs): notes change.

use super::specs::{BRANCH, GC, PRUNE, REFLOG, REPLACE, SYMBOLIC_REF, TAG, UPDATE_REF};
use super::{Subs, named, on, options, possible, second, whole};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::options::Options;
use crate::target::Target;
use crate::value::Field;

pub(super) const SUBS: Subs = &[
    ("branch", branch),
    ("fast-import", fast_import),
    ("gc", gc),
    ("maintenance", |call, arguments| {
        if arguments.first().is_some_and(|field| field.is("run")) {
            call.effect(Kind::Vcs, Act::Gc, Target::None);
        }
    }),
    ("notes", notes),
    ("prune", prune),
    ("reflog", reflog),
    ("repack", gc),
    ("replace", replace),
    ("symbolic-ref", symbolic_ref),
    ("tag", tag),
    ("update-ref", update_ref),
];

fn branch(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &BRANCH) else { return };
    let force = on(&options, "f", "force");
    if options.has(&["d", "D", "delete"]) {
        let lost = force || options.has(&["D"]);
        let (kind, action) = if lost {
            (Kind::VcsRefs, Act::BranchDelete)
        } else {
            (Kind::Vcs, Act::BranchDeleteMerged)
        };
        for name in &options.operands {
            named(call, kind, action, name).force = lost;
        }
        return;
    }
    if options.has(&["m", "M", "c", "C", "move", "copy"]) {
        let Some(name) = options.operands.last() else { return };
        if force || options.has(&["M", "C"]) {
            let effect = named(call, Kind::VcsRefs, Act::BranchOverwrite, name);
            possible(effect);
            effect.force = true;
        } else {
            named(call, Kind::Vcs, Act::BranchRename, name);
        }
        return;
    }
    let lists = options.has(&[
        "l",
        "list",
        "a",
        "all",
        "r",
        "remotes",
        "contains",
        "no-contains",
        "merged",
        "no-merged",
        "points-at",
        "show-current",
        "format",
        "sort",
        "column",
    ]);
    let Some(name) = options.operands.first().filter(|_| !lists) else { return };
    if force {
        let effect = named(call, Kind::VcsRefs, Act::BranchReset, name);
        possible(effect);
        effect.force = true;
    } else if !options.has(&["u", "set-upstream-to", "unset-upstream", "edit-description"]) {
        named(call, Kind::Vcs, Act::BranchCreate, name);
    }
}

fn tag(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &TAG) else { return };
    if options.has(&["d", "delete"]) {
        for name in &options.operands {
            named(call, Kind::VcsRefs, Act::TagDelete, name);
        }
        return;
    }
    let lists = options.has(&[
        "l",
        "list",
        "n",
        "v",
        "verify",
        "contains",
        "no-contains",
        "merged",
        "no-merged",
        "points-at",
        "sort",
        "format",
        "column",
    ]);
    let Some(name) = options.operands.first().filter(|_| !lists) else { return };
    if on(&options, "f", "force") {
        let effect = named(call, Kind::VcsRefs, Act::TagMove, name);
        possible(effect);
        effect.force = true;
    } else {
        named(call, Kind::Vcs, Act::TagCreate, name);
    }
}

fn update_ref(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &UPDATE_REF) else {
        return;
    };
    if on(&options, "", "stdin") {
        let deletes = call
            .stdin
            .text
            .as_deref()
            .map(|text| text.split(['\n', '\0']).any(|line| line.starts_with("delete ")));
        let action = if deletes == Some(true) { Act::RefDelete } else { Act::RefUpdate };
        let sources = call.stdin.flow.clone();
        let effect = call.effect(Kind::VcsRefs, action, Target::None);
        effect.sources = sources;
        if deletes != Some(true) {
            possible(effect);
        }
        return;
    }
    let Some(name) = options.operands.first() else { return };
    if options.has(&["d", "delete"]) {
        named(call, Kind::VcsRefs, Act::RefDelete, name);
    } else {
        possible(named(call, Kind::VcsRefs, Act::RefUpdate, name));
    }
}

fn symbolic_ref(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &SYMBOLIC_REF) else {
        return;
    };
    let Some(name) = options.operands.first() else { return };
    if on(&options, "d", "delete") {
        named(call, Kind::VcsRefs, Act::RefDelete, name);
    } else if options.operands.len() > 1 {
        possible(named(call, Kind::VcsRefs, Act::RefUpdate, name));
    }
}

/// Whether a date means that nothing is too young to go.
fn is_now(date: &Field) -> bool {
    date.exact().is_none_or(|text| {
        matches!(text, "now" | "all")
            || text.starts_with("0.")
            || text.contains("second")
            || text.trim_matches('0').is_empty()
    })
}

fn reflog(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some((name, rest)) = arguments.split_first() else { return };
    let Some(options) = options(rest, &REFLOG) else { return };
    if on(&options, "n", "dry-run") {
        return;
    }
    match name.exact() {
        Some("expire") => {
            let lost = options.values(&["expire", "expire-unreachable"]).any(is_now);
            let kind = if lost { Kind::VcsRefs } else { Kind::Vcs };
            match options.operands.first() {
                Some(name) => named(call, kind, Act::ReflogExpire, name),
                None => call.effect(kind, Act::ReflogExpire, Target::None),
            };
        }
        Some("delete") => {
            for name in &options.operands {
                named(call, Kind::VcsRefs, Act::ReflogDelete, name);
            }
        }
        _ => {}
    }
}

fn gc(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &GC) else { return };
    let last = options.found.iter().rev().find(|found| {
        matches!(found.name, "prune" | "no-prune" | "cruft-expiration" | "unpack-unreachable")
    });
    let now = last.and_then(|found| found.value.as_ref()).is_some_and(is_now);
    prunes(call, now);
}

fn prunes(call: &mut Call<'_, '_>, now: bool) {
    if now {
        whole(call, Kind::VcsRefs, Act::PruneObjects);
    } else {
        call.effect(Kind::Vcs, Act::Gc, Target::None);
    }
}

fn prune(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &PRUNE) else {
        return;
    };
    if !on(&options, "n", "dry-run") {
        let now = options.value(&["expire"]).is_none_or(is_now);
        prunes(call, now);
    }
}

fn replace(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &REPLACE) else {
        return;
    };
    if options.has(&["l", "list"]) {
        return;
    }
    replaces(call, &options);
}

fn replaces(call: &mut Call<'_, '_>, options: &Options<'_>) {
    let deletes = on(options, "d", "delete");
    let Some(name) = options.operands.first() else { return };
    if deletes {
        named(call, Kind::VcsRefs, Act::RefDelete, name);
    } else {
        named(call, Kind::VcsHistory, Act::Replace, name);
    }
}

fn notes(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some((name, rest)) = second(arguments) else { return };
    let dry = rest.iter().any(|field| field.is("-n") || field.is("--dry-run"));
    if matches!(name, "add" | "append" | "copy" | "edit" | "merge" | "remove" | "prune") && !dry {
        call.effect(Kind::Vcs, Act::Notes, Target::None);
    }
}

fn fast_import(call: &mut Call<'_, '_>, arguments: &[Field]) {
    if arguments.iter().any(|field| field.is("--force")) {
        let sources = call.stdin.flow.clone();
        let effect = call.effect(Kind::VcsRefs, Act::RefUpdate, Target::None);
        effect.force = true;
        effect.sources = sources;
    }
}
