//! Other version control: the few commands that lose something.
//!
//! - `hg-update-clean`, `hg-revert`, `svn-revert`, `jj-restore`, `fossil-revert` (vcs-worktree):
//!   uncommitted changes go.
//! - `hg-purge`, `svn-cleanup`, `fossil-clean` (vcs-worktree): untracked files go.
//! - `reflog-expire` (vcs-refs): what jj keeps to undo operations goes.
//! - `hg-strip`, `jj-abandon` (vcs-history), `hg-rollback` (vcs-history): commits go.
//! - `svn-delete` (vcs-remote), `svn-rm` (delete): in the repository, or here.
//! - `push`, `push-force` (vcs, vcs-remote), `commit` (vcs), `clone` (receive).
//! - `push-delete` (vcs-remote): deleted bookmarks are deleted there too.
//! - `hooks-removed` (hook-bypass): the hooks that a manager had installed go.

use super::specs::{FOSSIL, HG, JJ, SVN};
use super::{named, on, possible, whole};
use crate::call::Call;
use crate::effect::Kind;
use crate::options::Spec;
use crate::target::Target;
use crate::value::Field;

pub(super) fn hg(call: &mut Call<'_, '_>) {
    let options = call.options(&HG);
    if options.has(&["h", "help", "version", "dry-run", "n"]) {
        return;
    }
    match options.operand(0) {
        Some("update" | "up" | "checkout" | "co" | "goto") if options.has(&["C", "clean"]) => {
            whole(call, Kind::VcsWorktree, "hg-update-clean").force = true;
        }
        Some("revert") => {
            if options.has(&["a", "all"]) {
                whole(call, Kind::VcsWorktree, "hg-revert");
            }
            for path in options.operands.iter().skip(1) {
                call.on_path(Kind::VcsWorktree, "hg-revert", path);
            }
        }
        Some("purge" | "clean") if !options.has(&["p", "print"]) => {
            whole(call, Kind::VcsWorktree, "hg-purge");
        }
        Some("strip" | "prune") => {
            for commit in options.operands.iter().skip(1) {
                named(call, Kind::VcsHistory, "hg-strip", commit);
            }
            for commit in options.values(&["r", "rev"]) {
                named(call, Kind::VcsHistory, "hg-strip", commit);
            }
        }
        Some("rollback") => _ = call.effect(Kind::VcsHistory, "hg-rollback", Target::None),
        Some("push") => {
            let (kind, action) = if options.has(&["f", "force"]) {
                (Kind::VcsRemote, "push-force")
            } else {
                (Kind::Vcs, "push")
            };
            call.effect(kind, action, Target::None);
        }
        Some("commit" | "ci") => _ = call.effect(Kind::Vcs, "commit", Target::None),
        Some("clone") => {
            cloned(call, options.operands.get(1).copied(), options.operands.get(2).copied());
        }
        _ => {}
    }
}

/// Everything in the folder that is made comes from there.
fn cloned(call: &mut Call<'_, '_>, remote: Option<&Field>, place: Option<&Field>) {
    let Some(remote) = remote else { return };
    let content = call.receive("clone", remote);
    let made = super::transport::directory_of(remote, false);
    call.write(Kind::Write, "clone", place.unwrap_or(&made), content).recursive = true;
}

pub(super) fn svn(call: &mut Call<'_, '_>) {
    let options = call.options(&SVN);
    if options.has(&["h", "help", "version", "dry-run"]) {
        return;
    }
    let operands = options.operands.iter().skip(1).copied();
    match options.operand(0) {
        Some("revert") => {
            for path in operands {
                let effect = call.on_path(Kind::VcsWorktree, "svn-revert", path);
                effect.recursive = options.has(&["R", "recursive", "depth"]);
            }
        }
        Some("cleanup") if options.has(&["remove-unversioned", "remove-ignored"]) => {
            whole(call, Kind::VcsWorktree, "svn-cleanup");
        }
        Some("delete" | "del" | "remove" | "rm") => {
            for place in operands {
                if place.prefix().contains("://") {
                    let target = Target::Host(place.shown());
                    call.effect_at(Kind::VcsRemote, "svn-delete", target, place.span);
                } else {
                    let effect = call.on_path(Kind::Delete, "svn-rm", place);
                    effect.recursive = true;
                    effect.force = options.has(&["force"]);
                }
            }
        }
        Some("commit" | "ci") => _ = call.effect(Kind::Vcs, "commit", Target::None),
        Some("checkout" | "co" | "export") => {
            cloned(call, options.operands.get(1).copied(), options.operands.get(2).copied());
        }
        _ => {}
    }
}

pub(super) fn jj(call: &mut Call<'_, '_>) {
    let options = call.options(&JJ);
    if options.has(&["h", "help", "version", "dry-run"]) {
        return;
    }
    match (options.operand(0), options.operand(1)) {
        (Some("abandon"), _) => {
            for commit in options.operands.iter().skip(1) {
                named(call, Kind::VcsHistory, "jj-abandon", commit);
            }
            if options.operands.len() == 1 {
                call.effect(Kind::VcsHistory, "jj-abandon", Target::None);
            }
        }
        (Some("op" | "operation"), Some("abandon")) => {
            call.effect(Kind::VcsRefs, "reflog-expire", Target::None);
        }
        (Some("restore"), _) => possible(whole(call, Kind::VcsWorktree, "jj-restore")),
        (Some("git"), Some("push")) => {
            let deleted = on(&options, "", "deleted");
            let (kind, action) =
                if deleted { (Kind::VcsRemote, "push-delete") } else { (Kind::Vcs, "push") };
            call.effect(kind, action, Target::None);
        }
        (Some("git"), Some("clone")) => {
            if let Some(remote) = options.operands.get(2) {
                call.receive("clone", remote);
            }
        }
        (Some("commit" | "describe" | "squash"), _) => {
            call.effect(Kind::Vcs, "commit", Target::None);
        }
        _ => {}
    }
}

pub(super) fn fossil(call: &mut Call<'_, '_>) {
    let options = call.options(&FOSSIL);
    if options.has(&["h", "help", "n", "dry-run"]) {
        return;
    }
    match options.operand(0) {
        Some("revert") => _ = whole(call, Kind::VcsWorktree, "fossil-revert"),
        Some("clean") => _ = whole(call, Kind::VcsWorktree, "fossil-clean"),
        Some("commit" | "ci") => _ = call.effect(Kind::Vcs, "commit", Target::None),
        Some("push" | "sync") => _ = call.effect(Kind::Vcs, "push", Target::None),
        _ => {}
    }
}

/// Programs that install hooks, and take them away.
pub(super) fn hook_manager(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("c:t:", "config= hook-type= uninstall"));
    let gone = options.operand(0) == Some("uninstall") || options.has(&["uninstall"]);
    if gone && !options.has(&["h", "help"]) {
        let target = Target::name(call.name);
        call.effect(Kind::HookBypass, "hooks-removed", target);
    }
}
