//! Other version control: the few commands that lose changes.
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
use crate::act::Act;
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
            whole(call, Kind::VcsWorktree, Act::HgUpdateClean).force = true;
        }
        Some("revert") => {
            if options.has(&["a", "all"]) {
                whole(call, Kind::VcsWorktree, Act::HgRevert);
            }
            for path in options.operands.iter().skip(1) {
                call.on_path(Kind::VcsWorktree, Act::HgRevert, path);
            }
        }
        Some("purge" | "clean") if !options.has(&["p", "print"]) => {
            whole(call, Kind::VcsWorktree, Act::HgPurge);
        }
        Some("strip" | "prune") => {
            for commit in options.operands.iter().skip(1) {
                named(call, Kind::VcsHistory, Act::HgStrip, commit);
            }
            for commit in options.values(&["r", "rev"]) {
                named(call, Kind::VcsHistory, Act::HgStrip, commit);
            }
        }
        Some("rollback") => _ = call.effect(Kind::VcsHistory, Act::HgRollback, Target::None),
        Some("push") => {
            let (kind, action) = if options.has(&["f", "force"]) {
                (Kind::VcsRemote, Act::PushForce)
            } else {
                (Kind::Vcs, Act::Push)
            };
            call.effect(kind, action, Target::None);
        }
        Some("commit" | "ci") => _ = call.effect(Kind::Vcs, Act::Commit, Target::None),
        Some("clone") => {
            cloned(call, options.operands.get(1).copied(), options.operands.get(2).copied());
        }
        _ => {}
    }
}

/// Everything in the folder that is made comes from there.
fn cloned(call: &mut Call<'_, '_>, remote: Option<&Field>, place: Option<&Field>) {
    let Some(remote) = remote else { return };
    let content = call.receive(Act::Clone, remote);
    let made = super::transport::directory_of(remote, false);
    call.write(Kind::Write, Act::Clone, place.unwrap_or(&made), content).recursive = true;
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
                let effect = call.on_path(Kind::VcsWorktree, Act::SvnRevert, path);
                effect.recursive = options.has(&["R", "recursive", "depth"]);
            }
        }
        Some("cleanup") if options.has(&["remove-unversioned", "remove-ignored"]) => {
            whole(call, Kind::VcsWorktree, Act::SvnCleanup);
        }
        Some("delete" | "del" | "remove" | "rm") => {
            for place in operands {
                if place.prefix().contains("://") {
                    let target = Target::Host(place.shown());
                    call.effect_at(Kind::VcsRemote, Act::SvnDelete, target, place.span);
                } else {
                    let effect = call.on_path(Kind::Delete, Act::SvnRm, place);
                    effect.recursive = true;
                    effect.force = options.has(&["force"]);
                }
            }
        }
        Some("commit" | "ci") => _ = call.effect(Kind::Vcs, Act::Commit, Target::None),
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
                named(call, Kind::VcsHistory, Act::JjAbandon, commit);
            }
            if options.operands.len() == 1 {
                call.effect(Kind::VcsHistory, Act::JjAbandon, Target::None);
            }
        }
        (Some("op" | "operation"), Some("abandon")) => {
            call.effect(Kind::VcsRefs, Act::ReflogExpire, Target::None);
        }
        (Some("restore"), _) => possible(whole(call, Kind::VcsWorktree, Act::JjRestore)),
        (Some("git"), Some("push")) => {
            let deleted = on(&options, "", "deleted");
            let (kind, action) =
                if deleted { (Kind::VcsRemote, Act::PushDelete) } else { (Kind::Vcs, Act::Push) };
            call.effect(kind, action, Target::None);
        }
        (Some("git"), Some("clone")) => {
            if let Some(remote) = options.operands.get(2) {
                call.receive(Act::Clone, remote);
            }
        }
        (Some("commit" | "describe" | "squash"), _) => {
            call.effect(Kind::Vcs, Act::Commit, Target::None);
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
        Some("revert") => _ = whole(call, Kind::VcsWorktree, Act::FossilRevert),
        Some("clean") => _ = whole(call, Kind::VcsWorktree, Act::FossilClean),
        Some("commit" | "ci") => _ = call.effect(Kind::Vcs, Act::Commit, Target::None),
        Some("push" | "sync") => _ = call.effect(Kind::Vcs, Act::Push, Target::None),
        _ => {}
    }
}

/// Programs that install hooks, and take them away.
pub(super) fn hook_manager(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("c:t:", "config= hook-type= uninstall"));
    let gone = options.operand(0) == Some("uninstall") || options.has(&["uninstall"]);
    if gone && !options.has(&["h", "help"]) {
        let target = Target::name(call.name);
        call.effect(Kind::HookBypass, Act::HooksRemoved, target);
    }
}
