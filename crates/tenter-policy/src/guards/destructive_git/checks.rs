//! Checks of the guard, and the actions each applies to.

use crate::guard::Check;
use crate::guards::rows::Row;
use crate::level::Weight;
use tenter_shell::Act;

pub(super) const DISCARD: Check = Check {
    id: "discard-changes",
    weight: Weight::Doubtful,
    title: "discards uncommitted changes",
    instead: "set the changes aside: `git stash push -u`",
    safe: &["git stash push -u", "git diff", "git reset --soft HEAD~1", "git restore --staged ."],
};

pub(super) const CLEAN: Check = Check {
    id: "clean-untracked",
    weight: Weight::Doubtful,
    title: "deletes untracked files",
    instead: "set them aside: `git stash push -u`",
    safe: &["git clean -nd", "git stash push -u"],
};

pub(super) const WORKTREE: Check = Check {
    id: "remove-worktree",
    weight: Weight::Doubtful,
    title: "removes a work tree with its uncommitted changes",
    instead: "remove it without force: `git worktree remove <path>`",
    safe: &["git worktree list", "git worktree remove ../other"],
};

pub(super) const STASH: Check = Check {
    id: "drop-stash",
    weight: Weight::Doubtful,
    title: "deletes stashed changes",
    instead: "apply them and keep the stash: `git stash apply`",
    safe: &["git stash list", "git stash show -p", "git stash apply"],
};

pub(super) const BRANCH: Check = Check {
    id: "delete-branch",
    weight: Weight::Doubtful,
    title: "deletes a branch even if its commits are nowhere else",
    instead: "delete it only if it is merged: `git branch -d <branch>`",
    safe: &["git branch -d topic", "git branch --merged"],
};

pub(super) const REF: Check = Check {
    id: "delete-ref",
    weight: Weight::Doubtful,
    title: "deletes a tag or ref, or moves a shared branch",
    instead: "keep the old commit on a branch: `git branch backup <commit>`",
    safe: &["git branch backup", "git tag --list"],
};

pub(super) const RECOVERY: Check = Check {
    id: "lose-recovery",
    weight: Weight::Doubtful,
    title: "deletes what git keeps to undo mistakes",
    instead: "let git delete only what is old: `git gc`",
    safe: &["git gc", "git reflog"],
};

pub(super) const REWRITE: Check = Check {
    id: "rewrite-history",
    weight: Weight::Doubtful,
    title: "rewrites the history of the repository",
    instead: "rewrite a copy: `git clone . ../copy`",
    safe: &["git revert HEAD", "git filter-repo --dry-run --path src"],
};

pub(super) const MOVE: Check = Check {
    id: "move-commits",
    weight: Weight::Minor,
    title: "replays commits, or moves a branch or tag of your own",
    instead: "",
    safe: &[],
};

pub(super) const FORCE_SHARED: Check = Check {
    id: "force-push-shared",
    weight: Weight::Grave,
    title: "overwrites a shared or unknown branch for everyone",
    instead: "push to a branch of your own: `git push -u origin <branch>`",
    safe: &["git revert HEAD", "git push -u origin topic"],
};

pub(super) const FORCE: Check = Check {
    id: "force-push",
    weight: Weight::Doubtful,
    title: "overwrites the history of a remote branch",
    instead: "stop if others have pushed: `git push --force-with-lease origin <branch>`",
    safe: &["git push --force-with-lease origin topic"],
};

pub(super) const LEASE_SHARED: Check = Check {
    id: "lease-push-shared",
    weight: Weight::Doubtful,
    title: "overwrites a shared branch unless someone else has pushed",
    instead: "push to a branch of your own: `git push -u origin <branch>`",
    safe: &["git revert HEAD", "git push -u origin topic"],
};

pub(super) const LEASE: Check = Check {
    id: "lease-push",
    weight: Weight::Minor,
    title: "overwrites a remote branch unless someone else has pushed",
    instead: "",
    safe: &[],
};

pub(super) const REMOTE_SHARED: Check = Check {
    id: "delete-remote-shared",
    weight: Weight::Grave,
    title: "deletes a shared remote branch, or all remote refs that are missing here",
    instead: "",
    safe: &[],
};

pub(super) const REMOTE_REF: Check = Check {
    id: "delete-remote-ref",
    weight: Weight::Doubtful,
    title: "deletes a remote branch or tag for everyone",
    instead: "",
    safe: &[],
};

pub(super) const REMOTE: Check = Check {
    id: "change-remote",
    weight: Weight::Minor,
    title: "changes or removes a remote",
    instead: "",
    safe: &[],
};

pub(super) const REDIRECT: Check = Check {
    id: "redirect-remote",
    weight: Weight::Doubtful,
    title: "redirects fetches and pushes from one host to another",
    instead: "change one remote: `git remote set-url origin <url>`",
    safe: &["git remote set-url origin git@github.com:me/shop.git"],
};

pub(super) const CODE: Check = Check {
    id: "code-in-settings",
    weight: Weight::Doubtful,
    title: "makes git run a command from a setting, variable or address",
    instead: "run the command itself, and git without the setting",
    safe: &["git fetch origin", "git status"],
};

pub(super) const SETTING: Check = Check {
    id: "program-setting",
    weight: Weight::Minor,
    title: "sets git's editor, pager, ssh or password helper",
    instead: "",
    safe: &[],
};

/// Check and text for actions on work tree, stash, refs and history.
pub(super) const ROWS: &[Row] = &[
    (Act::ResetHard, &DISCARD, "discards your uncommitted changes"),
    (Act::ResetMerge, &DISCARD, "discards your uncommitted changes"),
    (Act::CheckoutPaths, &DISCARD, "overwrites your uncommitted edits with the committed version"),
    (Act::RestorePaths, &DISCARD, "overwrites your uncommitted edits with the committed version"),
    (Act::CheckoutForce, &DISCARD, "overwrites your uncommitted edits"),
    (Act::SwitchDiscard, &DISCARD, "switches branches and discards your uncommitted changes"),
    (Act::IndexToFiles, &DISCARD, "overwrites files with the staged version"),
    (Act::SubmoduleDeinit, &DISCARD, "deletes submodules and your edits in them"),
    (Act::SubmoduleUpdate, &DISCARD, "overwrites your edits in submodules"),
    (Act::HgUpdateClean, &DISCARD, "discards your uncommitted changes"),
    (Act::HgRevert, &DISCARD, "discards your uncommitted changes"),
    (Act::SvnRevert, &DISCARD, "discards your uncommitted changes"),
    (Act::JjRestore, &DISCARD, "discards your uncommitted changes"),
    (Act::FossilRevert, &DISCARD, "discards your uncommitted changes"),
    (Act::Clean, &CLEAN, "deletes untracked files"),
    (Act::CleanIgnored, &CLEAN, "deletes untracked and ignored files"),
    (Act::HgPurge, &CLEAN, "deletes untracked files"),
    (Act::SvnCleanup, &CLEAN, "deletes unversioned files"),
    (Act::FossilClean, &CLEAN, "deletes untracked files"),
    (Act::WorktreeRemove, &WORKTREE, "removes a work tree and your edits in it"),
    (Act::WorktreeAdd, &WORKTREE, "takes a branch or folder from another work tree"),
    (Act::StashDrop, &STASH, "deletes stashed changes"),
    (Act::StashClear, &STASH, "deletes every stash"),
    (Act::BranchDelete, &BRANCH, "deletes a branch without a merge check"),
    (Act::TagDelete, &REF, "deletes a tag"),
    (Act::RefDelete, &REF, "deletes a ref"),
    (Act::RepoSync, &REF, "overwrites a branch with another repository's"),
    (Act::ReflogExpire, &RECOVERY, "deletes the reflog of branches"),
    (Act::ReflogDelete, &RECOVERY, "deletes reflog entries"),
    (Act::LfsPrune, &RECOVERY, "deletes LFS files that may be on no server"),
    (Act::PruneObjects, &RECOVERY, "deletes unreachable commits"),
    (Act::FilterBranch, &REWRITE, "rewrites the git history"),
    (Act::FilterRepo, &REWRITE, "rewrites the git history"),
    (Act::LfsMigrate, &REWRITE, "rewrites the git history"),
    (Act::HgStrip, &REWRITE, "removes commits"),
    (Act::HgRollback, &REWRITE, "removes the last commit"),
    (Act::JjAbandon, &REWRITE, "abandons commits"),
    (Act::Rebase, &MOVE, "replays commits"),
    (Act::RebaseSkip, &MOVE, "skips a commit"),
    (Act::ResetCommits, &MOVE, "moves the branch to another commit"),
    (Act::Replace, &MOVE, "replaces one commit with another"),
    (Act::Abort, &MOVE, "aborts a merge or rebase"),
    (Act::CheckoutPatch, &MOVE, "discards changes piece by piece"),
    (Act::SubmoduleUpdate, &MOVE, "overwrites edits in submodules"),
    (Act::FetchPruneTags, &MOVE, "deletes tags missing on the remote"),
];

/// Actions that move a ref: more severe on a shared branch.
pub(super) const MOVES: &[(Act, &str)] = &[
    (Act::BranchReset, "moves a branch to another commit"),
    (Act::BranchOverwrite, "renames a branch over another one"),
    (Act::TagMove, "moves a tag to another commit"),
    (Act::RefUpdate, "moves a ref to another commit"),
    (Act::FetchForce, "overwrites a branch with the remote's"),
];
