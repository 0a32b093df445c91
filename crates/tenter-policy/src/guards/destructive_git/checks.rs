//! Checks of the guard, and the actions each applies to.

use crate::guard::Check;
use crate::guards::rows::Row;
use crate::level::Weight;
use tenter_shell::Act;

pub(super) const DISCARD: Check = Check {
    id: "discard-changes",
    weight: Weight::Doubtful,
    title: "changes that were never committed are thrown away",
    instead: "put the changes aside with `git stash push -u`, or look at `git diff` and undo your own \
              edits one by one; to take back a commit and keep its changes, use `git reset --soft HEAD~1`",
    safe: &["git stash push -u", "git diff", "git reset --soft HEAD~1", "git restore --staged ."],
};

pub(super) const CLEAN: Check = Check {
    id: "clean-untracked",
    weight: Weight::Doubtful,
    title: "files that were never committed are deleted",
    instead: "list them with `git clean -nd` and delete the ones you made by name, or put them aside \
              with `git stash push -u`",
    safe: &["git clean -nd", "git stash push -u"],
};

pub(super) const WORKTREE: Check = Check {
    id: "remove-worktree",
    weight: Weight::Doubtful,
    title: "a working tree goes with what was not committed in it",
    instead: "use `git worktree remove` without force: it refuses if something would be lost",
    safe: &["git worktree list", "git worktree remove ../other"],
};

pub(super) const STASH: Check = Check {
    id: "drop-stash",
    weight: Weight::Doubtful,
    title: "changes that were put aside are lost",
    instead: "look with `git stash show -p`, and take them back with `git stash apply`, which keeps \
              the stash",
    safe: &["git stash list", "git stash show -p", "git stash apply"],
};

pub(super) const BRANCH: Check = Check {
    id: "delete-branch",
    weight: Weight::Doubtful,
    title: "a branch is deleted even if its commits are nowhere else",
    instead: "use `git branch -d`, which refuses if commits would be lost",
    safe: &["git branch -d topic", "git branch --merged"],
};

pub(super) const REF: Check = Check {
    id: "delete-ref",
    weight: Weight::Doubtful,
    title: "a tag or another name for commits goes, or a shared branch is moved",
    instead: "make a new branch or tag beside it: `git branch backup`",
    safe: &["git branch backup", "git tag --list"],
};

pub(super) const RECOVERY: Check = Check {
    id: "lose-recovery",
    weight: Weight::Doubtful,
    title: "what git keeps to undo mistakes goes",
    instead: "leave it to `git gc`, which keeps what is younger than two weeks",
    safe: &["git gc", "git reflog"],
};

pub(super) const REWRITE: Check = Check {
    id: "rewrite-history",
    weight: Weight::Doubtful,
    title: "all commits are written anew",
    instead: "add a new commit, or use `git revert`; to see what would be rewritten, use a dry run",
    safe: &["git revert HEAD", "git filter-repo --dry-run --path src"],
};

pub(super) const MOVE: Check = Check {
    id: "move-commits",
    weight: Weight::Minor,
    title: "commits are replayed, or a branch or tag of one's own is moved",
    instead: "",
    safe: &[],
};

pub(super) const FORCE_SHARED: Check = Check {
    id: "force-push-shared",
    weight: Weight::Grave,
    title: "the history of a shared or unknown branch is overwritten for everyone",
    instead: "push to a branch of your own and open a pull request; to take back a pushed commit, use \
              `git revert`",
    safe: &["git revert HEAD", "git push -u origin topic"],
};

pub(super) const FORCE: Check = Check {
    id: "force-push",
    weight: Weight::Doubtful,
    title: "the history of a remote branch is overwritten",
    instead: "use `git push --force-with-lease origin <branch>`, which stops if someone else has pushed",
    safe: &["git push --force-with-lease origin topic"],
};

pub(super) const LEASE_SHARED: Check = Check {
    id: "lease-push-shared",
    weight: Weight::Doubtful,
    title: "the history of a shared branch is overwritten, if nobody else has pushed",
    instead: "push to a branch of your own and open a pull request; to take back a pushed commit, use \
              `git revert`",
    safe: &["git revert HEAD", "git push -u origin topic"],
};

pub(super) const LEASE: Check = Check {
    id: "lease-push",
    weight: Weight::Minor,
    title: "the history of a branch is overwritten, if nobody else has pushed",
    instead: "",
    safe: &[],
};

pub(super) const REMOTE_SHARED: Check = Check {
    id: "delete-remote-shared",
    weight: Weight::Grave,
    title: "a shared branch is deleted for everyone, or all that is not here",
    instead: "leave shared branches alone; ask the human to delete one in the forge",
    safe: &[],
};

pub(super) const REMOTE_REF: Check = Check {
    id: "delete-remote-ref",
    weight: Weight::Doubtful,
    title: "a branch or tag is deleted for everyone",
    instead: "leave it to the human or to the forge, which deletes merged branches",
    safe: &[],
};

pub(super) const REMOTE: Check = Check {
    id: "change-remote",
    weight: Weight::Minor,
    title: "the address of a remote changes, or a remote is forgotten",
    instead: "",
    safe: &[],
};

pub(super) const REDIRECT: Check = Check {
    id: "redirect-remote",
    weight: Weight::Doubtful,
    title: "what is fetched from or pushed to one host goes to another",
    instead: "change the address of the one remote: `git remote set-url origin <url>`",
    safe: &["git remote set-url origin git@github.com:me/shop.git"],
};

pub(super) const CODE: Check = Check {
    id: "code-in-settings",
    weight: Weight::Doubtful,
    title: "git is made to run a command that stands in a setting, a variable or an address",
    instead: "run the command itself, so that it can be judged, and git without the setting",
    safe: &["git fetch origin", "git status"],
};

pub(super) const SETTING: Check = Check {
    id: "program-setting",
    weight: Weight::Minor,
    title: "git is told to use another editor, pager, ssh or password helper",
    instead: "",
    safe: &[],
};

/// Check and text for actions on work tree, stash, refs and history.
pub(super) const ROWS: &[Row] = &[
    (Act::ResetHard, &DISCARD, "throws away all uncommitted changes"),
    (Act::ResetMerge, &DISCARD, "throws away uncommitted changes"),
    (Act::CheckoutPaths, &DISCARD, "replaces files by recorded ones, with the changes in them"),
    (Act::RestorePaths, &DISCARD, "replaces files by recorded ones, with the changes in them"),
    (Act::CheckoutForce, &DISCARD, "checks out over uncommitted changes"),
    (Act::SwitchDiscard, &DISCARD, "switches branches and throws away uncommitted changes"),
    (Act::IndexToFiles, &DISCARD, "replaces files by those of the index"),
    (Act::SubmoduleDeinit, &DISCARD, "empties submodules with the changes in them"),
    (Act::SubmoduleUpdate, &DISCARD, "checks out submodules over the changes in them"),
    (Act::HgUpdateClean, &DISCARD, "throws away uncommitted changes"),
    (Act::HgRevert, &DISCARD, "throws away uncommitted changes"),
    (Act::SvnRevert, &DISCARD, "throws away uncommitted changes"),
    (Act::JjRestore, &DISCARD, "throws away changes of the working copy"),
    (Act::FossilRevert, &DISCARD, "throws away uncommitted changes"),
    (Act::Clean, &CLEAN, "deletes untracked files"),
    (Act::CleanIgnored, &CLEAN, "deletes untracked and ignored files"),
    (Act::HgPurge, &CLEAN, "deletes untracked files"),
    (Act::SvnCleanup, &CLEAN, "deletes unversioned files"),
    (Act::FossilClean, &CLEAN, "deletes untracked files"),
    (Act::WorktreeRemove, &WORKTREE, "removes a working tree with all changes in it"),
    (Act::WorktreeAdd, &WORKTREE, "takes a branch or a folder that another working tree has"),
    (Act::StashDrop, &STASH, "drops changes that were put aside"),
    (Act::StashClear, &STASH, "drops everything that was put aside"),
    (Act::BranchDelete, &BRANCH, "deletes a branch even if it is not merged"),
    (Act::TagDelete, &REF, "deletes a tag"),
    (Act::RefDelete, &REF, "deletes a ref"),
    (Act::RepoSync, &REF, "overwrites a branch by that of another repository"),
    (Act::ReflogExpire, &RECOVERY, "forgets where branches have been"),
    (Act::ReflogDelete, &RECOVERY, "forgets where a branch has been"),
    (Act::LfsPrune, &RECOVERY, "deletes large files that no server may have"),
    (Act::PruneObjects, &RECOVERY, "deletes commits that nothing leads to"),
    (Act::FilterBranch, &REWRITE, "rewrites the history"),
    (Act::FilterRepo, &REWRITE, "rewrites the history"),
    (Act::LfsMigrate, &REWRITE, "rewrites the history"),
    (Act::HgStrip, &REWRITE, "removes commits"),
    (Act::HgRollback, &REWRITE, "removes the last commit"),
    (Act::JjAbandon, &REWRITE, "abandons commits"),
    (Act::Rebase, &MOVE, "replays commits"),
    (Act::RebaseSkip, &MOVE, "leaves a commit out"),
    (Act::ResetCommits, &MOVE, "moves the branch to another commit"),
    (Act::Replace, &MOVE, "lets one commit stand for another"),
    (Act::Abort, &MOVE, "undoes a merge or rebase under way"),
    (Act::CheckoutPatch, &MOVE, "throws away changes piece by piece"),
    (Act::SubmoduleUpdate, &MOVE, "checks submodules out over changes"),
    (Act::FetchPruneTags, &MOVE, "deletes tags that the remote does not have"),
];

/// Actions that move a ref: more severe on a shared branch.
pub(super) const MOVES: &[(Act, &str)] = &[
    (Act::BranchReset, "moves a branch to another commit"),
    (Act::BranchOverwrite, "renames a branch over another one"),
    (Act::TagMove, "moves a tag to another commit"),
    (Act::RefUpdate, "moves a ref to another commit"),
    (Act::FetchForce, "overwrites a branch by that of the remote"),
];
