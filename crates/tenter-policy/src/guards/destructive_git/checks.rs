//! What is looked for, and which action means which.

use crate::guard::Check;
use crate::guards::rows::Row;
use crate::level::Weight;

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

/// What each action of the working tree, the stash, refs and history means.
pub(super) const ROWS: &[Row] = &[
    ("reset-hard", &DISCARD, "throws away all uncommitted changes"),
    ("reset-merge", &DISCARD, "throws away uncommitted changes"),
    ("checkout-paths", &DISCARD, "replaces files by recorded ones, with the changes in them"),
    ("restore-paths", &DISCARD, "replaces files by recorded ones, with the changes in them"),
    ("checkout-force", &DISCARD, "checks out over uncommitted changes"),
    ("switch-discard", &DISCARD, "switches branches and throws away uncommitted changes"),
    ("index-to-files", &DISCARD, "replaces files by those of the index"),
    ("submodule-deinit", &DISCARD, "empties submodules with the changes in them"),
    ("submodule-update", &DISCARD, "checks out submodules over the changes in them"),
    ("hg-update-clean", &DISCARD, "throws away uncommitted changes"),
    ("hg-revert", &DISCARD, "throws away uncommitted changes"),
    ("svn-revert", &DISCARD, "throws away uncommitted changes"),
    ("jj-restore", &DISCARD, "throws away changes of the working copy"),
    ("fossil-revert", &DISCARD, "throws away uncommitted changes"),
    ("clean", &CLEAN, "deletes untracked files"),
    ("clean-ignored", &CLEAN, "deletes untracked and ignored files"),
    ("hg-purge", &CLEAN, "deletes untracked files"),
    ("svn-cleanup", &CLEAN, "deletes unversioned files"),
    ("fossil-clean", &CLEAN, "deletes untracked files"),
    ("worktree-remove", &WORKTREE, "removes a working tree with all changes in it"),
    ("worktree-add", &WORKTREE, "takes a branch or a folder that another working tree has"),
    ("stash-drop", &STASH, "drops changes that were put aside"),
    ("stash-clear", &STASH, "drops everything that was put aside"),
    ("branch-delete", &BRANCH, "deletes a branch even if it is not merged"),
    ("tag-delete", &REF, "deletes a tag"),
    ("ref-delete", &REF, "deletes a ref"),
    ("repo-sync", &REF, "overwrites a branch by that of another repository"),
    ("reflog-expire", &RECOVERY, "forgets where branches have been"),
    ("reflog-delete", &RECOVERY, "forgets where a branch has been"),
    ("lfs-prune", &RECOVERY, "deletes large files that no server may have"),
    ("prune-objects", &RECOVERY, "deletes commits that nothing leads to"),
    ("filter-branch", &REWRITE, "rewrites the history"),
    ("filter-repo", &REWRITE, "rewrites the history"),
    ("lfs-migrate", &REWRITE, "rewrites the history"),
    ("hg-strip", &REWRITE, "removes commits"),
    ("hg-rollback", &REWRITE, "removes the last commit"),
    ("jj-abandon", &REWRITE, "abandons commits"),
    ("rebase", &MOVE, "replays commits"),
    ("rebase-skip", &MOVE, "leaves a commit out"),
    ("reset-commits", &MOVE, "moves the branch to another commit"),
    ("replace", &MOVE, "lets one commit stand for another"),
    ("abort", &MOVE, "undoes a merge or rebase under way"),
    ("checkout-patch", &MOVE, "throws away changes piece by piece"),
    ("submodule-update", &MOVE, "checks submodules out over changes"),
    ("fetch-prune-tags", &MOVE, "deletes tags that the remote does not have"),
];

/// Actions that move a ref: worse on a branch that others share.
pub(super) const MOVES: &[(&str, &str)] = &[
    ("branch-reset", "moves a branch to another commit"),
    ("branch-overwrite", "renames a branch over another one"),
    ("tag-move", "moves a tag to another commit"),
    ("ref-update", "moves a ref to another commit"),
    ("fetch-force", "overwrites a branch by that of the remote"),
];
