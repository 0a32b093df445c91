//! Loss of work in version control: changes that were never committed, commits that nothing leads
//! to any more, and what others have pushed.

use tenter_shell::{Effect, Field, Kind, Target};

use super::infrastructure::rows::{Row, by_row, tell, tell_of};
use crate::finding::Found;
use crate::guard::{Check, Guard, OptionKind, OptionSpec};
use crate::level::Weight;
use crate::places::Zone;
use crate::sample::Sample;
use crate::scene::Scene;

const DISCARD: Check = Check {
    id: "discard-changes",
    weight: Weight::Doubtful,
    title: "changes that were never committed are thrown away",
    instead: "put the changes aside with `git stash push -u`, or look at `git diff` and undo your own \
              edits one by one; to take back a commit and keep its changes, use `git reset --soft HEAD~1`",
    safe: &["git stash push -u", "git diff", "git reset --soft HEAD~1", "git restore --staged ."],
};

const CLEAN: Check = Check {
    id: "clean-untracked",
    weight: Weight::Doubtful,
    title: "files that were never committed are deleted",
    instead: "list them with `git clean -nd` and delete the ones you made by name, or put them aside \
              with `git stash push -u`",
    safe: &["git clean -nd", "git stash push -u"],
};

const WORKTREE: Check = Check {
    id: "remove-worktree",
    weight: Weight::Doubtful,
    title: "a working tree goes with what was not committed in it",
    instead: "use `git worktree remove` without force: it refuses if something would be lost",
    safe: &["git worktree list", "git worktree remove ../other"],
};

const STASH: Check = Check {
    id: "drop-stash",
    weight: Weight::Doubtful,
    title: "changes that were put aside are lost",
    instead: "look with `git stash show -p`, and take them back with `git stash apply`, which keeps \
              the stash",
    safe: &["git stash list", "git stash show -p", "git stash apply"],
};

const BRANCH: Check = Check {
    id: "delete-branch",
    weight: Weight::Doubtful,
    title: "a branch is deleted even if its commits are nowhere else",
    instead: "use `git branch -d`, which refuses if commits would be lost",
    safe: &["git branch -d topic", "git branch --merged"],
};

const REF: Check = Check {
    id: "delete-ref",
    weight: Weight::Doubtful,
    title: "a tag or another name for commits goes, or a shared branch is moved",
    instead: "make a new branch or tag beside it: `git branch backup`",
    safe: &["git branch backup", "git tag --list"],
};

const RECOVERY: Check = Check {
    id: "lose-recovery",
    weight: Weight::Doubtful,
    title: "what git keeps to undo mistakes goes",
    instead: "leave it to `git gc`, which keeps what is younger than two weeks",
    safe: &["git gc", "git reflog"],
};

const REWRITE: Check = Check {
    id: "rewrite-history",
    weight: Weight::Doubtful,
    title: "all commits are written anew",
    instead: "add a new commit, or use `git revert`; to see what would be rewritten, use a dry run",
    safe: &["git revert HEAD", "git filter-repo --dry-run --path src"],
};

const MOVE: Check = Check {
    id: "move-commits",
    weight: Weight::Minor,
    title: "commits are replayed, or a branch or tag of one's own is moved",
    instead: "",
    safe: &[],
};

const FORCE_SHARED: Check = Check {
    id: "force-push-shared",
    weight: Weight::Grave,
    title: "the history of a shared or unknown branch is overwritten for everyone",
    instead: "push to a branch of your own and open a pull request; to take back a pushed commit, use \
              `git revert`",
    safe: &["git revert HEAD", "git push -u origin topic"],
};

const FORCE: Check = Check {
    id: "force-push",
    weight: Weight::Doubtful,
    title: "the history of a remote branch is overwritten",
    instead: "use `git push --force-with-lease origin <branch>`, which stops if someone else has pushed",
    safe: &["git push --force-with-lease origin topic"],
};

const LEASE_SHARED: Check = Check {
    id: "lease-push-shared",
    weight: Weight::Doubtful,
    title: "the history of a shared branch is overwritten, if nobody else has pushed",
    instead: "push to a branch of your own and open a pull request; to take back a pushed commit, use \
              `git revert`",
    safe: &["git revert HEAD", "git push -u origin topic"],
};

const LEASE: Check = Check {
    id: "lease-push",
    weight: Weight::Minor,
    title: "the history of a branch is overwritten, if nobody else has pushed",
    instead: "",
    safe: &[],
};

const REMOTE_SHARED: Check = Check {
    id: "delete-remote-shared",
    weight: Weight::Grave,
    title: "a shared branch is deleted for everyone, or all that is not here",
    instead: "leave shared branches alone; ask the human to delete one in the forge",
    safe: &[],
};

const REMOTE_REF: Check = Check {
    id: "delete-remote-ref",
    weight: Weight::Doubtful,
    title: "a branch or tag is deleted for everyone",
    instead: "leave it to the human or to the forge, which deletes merged branches",
    safe: &[],
};

const REMOTE: Check = Check {
    id: "change-remote",
    weight: Weight::Minor,
    title: "the address of a remote changes, or a remote is forgotten",
    instead: "",
    safe: &[],
};

const CODE: Check = Check {
    id: "code-in-settings",
    weight: Weight::Doubtful,
    title: "git is made to run a command that stands in a setting, a variable or an address",
    instead: "run the command itself, so that it can be judged, and git without the setting",
    safe: &["git fetch origin", "git status"],
};

const SETTING: Check = Check {
    id: "program-setting",
    weight: Weight::Minor,
    title: "git is told to use another editor, pager, ssh or password helper",
    instead: "",
    safe: &[],
};

/// What each action of the working tree, the stash, refs and history means.
const ROWS: &[Row] = &[
    ("reset-hard", &DISCARD, "throws away all uncommitted changes"),
    ("reset-merge", &DISCARD, "throws away uncommitted changes"),
    ("checkout-paths", &DISCARD, "replaces files by recorded ones, with the changes in them"),
    ("restore-paths", &DISCARD, "replaces files by recorded ones, with the changes in them"),
    ("checkout-force", &DISCARD, "checks out over uncommitted changes"),
    ("switch-discard", &DISCARD, "switches branches and throws away uncommitted changes"),
    ("index-to-files", &DISCARD, "replaces files by those of the index"),
    ("submodule-deinit", &DISCARD, "empties submodules with the changes in them"),
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
    ("stash-drop", &STASH, "drops changes that were put aside"),
    ("stash-clear", &STASH, "drops everything that was put aside"),
    ("branch-delete", &BRANCH, "deletes a branch even if it is not merged"),
    ("tag-delete", &REF, "deletes a tag"),
    ("ref-delete", &REF, "deletes a ref"),
    ("repo-sync", &REF, "overwrites a branch by that of another repository"),
    ("reflog-expire", &RECOVERY, "forgets where branches have been"),
    ("reflog-delete", &RECOVERY, "forgets where a branch has been"),
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
const MOVES: &[(&str, &str)] = &[
    ("branch-reset", "moves a branch to another commit"),
    ("branch-overwrite", "renames a branch over another one"),
    ("tag-move", "moves a tag to another commit"),
    ("ref-update", "moves a ref to another commit"),
    ("fetch-force", "overwrites a branch by that of the remote"),
];

pub(super) static GUARD: Guard = Guard {
    id: "destructive-git",
    title: "Loss of work in version control",
    page: "\
Stops what version control cannot bring back: uncommitted changes (`git reset --hard`, `git checkout -- \
file`, `git restore`, `git switch -f`), untracked files (`git clean -f`), stashes, branches that are not \
merged, tags, the reflog, rewritten history, and what others have on the remote. Mercurial, Subversion, \
Jujutsu and Fossil are read too.

A forced push is judged by its branch. To `main`, `master`, `trunk`, `develop`, `release*`, `production` \
and the like, with `--all` or `--mirror`, and where the branch cannot be told, it is denied. On another \
branch it asks; `--force-with-lease` there passes.

Settings that make git run a command (`-c core.sshCommand=...`, `GIT_SSH=...`, an alias that starts with \
`!`, `ext::` addresses) ask, since they hide what runs.

Passes: everything that only looks, dry runs, `git stash`, `git stash pop`, `git branch -d`, \
`git reset --soft`, `git reset HEAD file`, `git restore --staged`, `git checkout -b`, `git rebase`, and \
restoring lock files, build output and anything in a folder for temporary files.

Options: `protected` names further branches that others share, as patterns; `allow` lets branches, refs \
or paths pass.",
    checks: &[
        DISCARD,
        CLEAN,
        WORKTREE,
        STASH,
        BRANCH,
        REF,
        RECOVERY,
        REWRITE,
        MOVE,
        FORCE_SHARED,
        FORCE,
        LEASE_SHARED,
        LEASE,
        REMOTE_SHARED,
        REMOTE_REF,
        REMOTE,
        CODE,
        SETTING,
    ],
    options: &[OptionSpec {
        name: "protected",
        kind: OptionKind::Patterns,
        title: "further branches that nobody overwrites or deletes",
        loosens: false,
    }],
    optional: false,
    blocks: &[
        (Sample::Shell("git reset --hard"), "discard-changes"),
        (Sample::Shell("cd api && git reset -q --hard origin/main"), "discard-changes"),
        (Sample::Shell("git checkout -- src/app.ts"), "discard-changes"),
        (Sample::Shell("git checkout ."), "discard-changes"),
        (Sample::Shell("git restore --worktree --staged ."), "discard-changes"),
        (Sample::Shell("git switch --discard-changes main"), "discard-changes"),
        (Sample::Shell("hg update -C ."), "discard-changes"),
        (Sample::Shell("svn revert -R ."), "discard-changes"),
        (Sample::Shell("git clean -fdx"), "clean-untracked"),
        (Sample::Shell("sudo git clean -d --force"), "clean-untracked"),
        (Sample::Shell("git worktree remove --force ../feature"), "remove-worktree"),
        (Sample::Shell("git stash drop"), "drop-stash"),
        (Sample::Shell("git stash clear"), "drop-stash"),
        (Sample::Shell("git branch -D topic"), "delete-branch"),
        (Sample::Shell("git branch | grep -v main | xargs git branch -D"), "delete-branch"),
        (Sample::Shell("git tag -d v1.2.0"), "delete-ref"),
        (Sample::Shell("git update-ref -d refs/heads/topic"), "delete-ref"),
        (Sample::Shell("git branch -f main HEAD~4"), "delete-ref"),
        (Sample::Shell("git reflog expire --expire=now --all"), "lose-recovery"),
        (Sample::Shell("git gc --prune=now --aggressive"), "lose-recovery"),
        (Sample::Shell("git filter-branch --tree-filter 'rm -f key.txt' HEAD"), "rewrite-history"),
        (Sample::Shell("git filter-repo --path src --force"), "rewrite-history"),
        (Sample::Shell("git rebase main"), "move-commits"),
        (Sample::Shell("git push --force origin main"), "force-push-shared"),
        (Sample::Shell("git push origin +master"), "force-push-shared"),
        (Sample::Shell("git push -f origin HEAD:release/2.1"), "force-push-shared"),
        (Sample::Shell("git push --force"), "force-push-shared"),
        (Sample::Shell("git push -f origin \"$BRANCH\""), "force-push-shared"),
        (Sample::Shell("git push --mirror backup"), "force-push-shared"),
        (Sample::Shell("git push --force --all"), "force-push-shared"),
        (Sample::Shell("git push -f origin topic"), "force-push"),
        (Sample::Shell("git push origin +fix/typo"), "force-push"),
        (Sample::Shell("git push --force-with-lease origin main"), "lease-push-shared"),
        (Sample::Shell("git push --force-with-lease origin topic"), "lease-push"),
        (Sample::Shell("git push origin --delete main"), "delete-remote-shared"),
        (Sample::Shell("git push origin :topic"), "delete-remote-ref"),
        (Sample::Shell("git push --delete origin v1.0.0"), "delete-remote-ref"),
        (Sample::Shell("git remote remove upstream"), "change-remote"),
        (Sample::Shell("GIT_SSH_COMMAND=./helper git fetch"), "code-in-settings"),
        (Sample::Shell("git -c core.sshCommand=./run push origin topic"), "code-in-settings"),
        (Sample::Shell("git -c alias.go='!./run' go"), "code-in-settings"),
        (Sample::Shell("git config core.fsmonitor ./watch.sh"), "code-in-settings"),
        (Sample::Shell("git config --global core.editor vim"), "program-setting"),
    ],
    passes: &[
        Sample::Shell("git status --short"),
        Sample::Shell("git diff HEAD~1 -- src"),
        Sample::Shell("git log --grep='reset --hard'"),
        Sample::Shell("git add -A && git commit -m 'explain git reset --hard'"),
        Sample::Shell("git commit --amend --no-edit"),
        Sample::Shell("git checkout -b topic"),
        Sample::Shell("git checkout main"),
        Sample::Shell("git switch -c topic origin/main"),
        Sample::Shell("git reset --soft HEAD~1"),
        Sample::Shell("git reset HEAD src/app.ts"),
        Sample::Shell("git restore --staged src/app.ts"),
        Sample::Shell("git checkout -- package-lock.json"),
        Sample::Shell("git stash push -m wip && git pull --rebase && git stash pop"),
        Sample::Shell("git branch -d topic"),
        Sample::Shell("git branch -M main"),
        Sample::Shell("git clean -nd"),
        Sample::Shell("git push origin main"),
        Sample::Shell("git push -u origin topic"),
        Sample::Shell("git push --force-with-lease"),
        Sample::Shell("git push --dry-run --force origin main"),
        Sample::Shell("git push --tags"),
        Sample::Shell("git fetch --all --prune"),
        Sample::Shell("git merge --abort"),
        Sample::Shell("git rebase -i HEAD~3"),
        Sample::Shell("git cherry-pick abc1234"),
        Sample::Shell("git revert HEAD"),
        Sample::Shell("git tag -a v1.0.0 -m 'first'"),
        Sample::Shell("git worktree add ../hotfix main"),
        Sample::Shell("git submodule update --init --recursive"),
        Sample::Shell("git gc"),
        Sample::Shell("git reflog"),
        Sample::Shell("GIT_SSH_COMMAND='ssh -i deploy_key' git clone git@github.com:me/shop.git"),
        Sample::Shell("git -c core.pager=cat log -3"),
        Sample::Shell("git config user.email me@example.com"),
        Sample::Shell("git config alias.st status"),
        Sample::Shell("grep -rn 'push --force' docs"),
    ],
    look,
};

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        match effect.kind {
            Kind::VcsWorktree => worktree(scene, found, effect),
            Kind::VcsHistory | Kind::VcsStash => by_row(found, effect, ROWS),
            Kind::VcsRefs => refs(found, effect),
            Kind::VcsRemote => remote(scene, found, effect),
            Kind::Vcs | Kind::Execute => settings(scene, found, effect),
            _ => {}
        }
    }
}

/// Files that a tool makes again from another file.
const LOCKS: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "Pipfile.lock",
    "composer.lock",
    "Gemfile.lock",
    "go.sum",
    "flake.lock",
];

fn worktree(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    if effect.action != "worktree-remove"
        && let Target::Path(path) = &effect.target
    {
        let lock = path.exact().and_then(|path| path.rsplit('/').next());
        if lock.is_some_and(|name| LOCKS.contains(&name))
            || matches!(scene.places.zone(path), Zone::Generated | Zone::Temporary)
        {
            return;
        }
    }
    by_row(found, effect, ROWS);
}

fn refs(found: &mut Found<'_>, effect: &Effect) {
    let Some((_, what)) = MOVES.iter().find(|(action, _)| *action == effect.action) else {
        by_row(found, effect, ROWS);
        return;
    };
    let renames = effect.action == "branch-overwrite";
    let shared = is_shared(&effect.target.shown(), found.setting().patterns("protected"));
    // `git branch -M main` names the first branch of a new repository; refs that come through a
    // pipe may be any.
    let unseen = effect.action == "ref-update" && effect.target == Target::None;
    let check = if (shared && !renames) || unseen { &REF } else { &MOVE };
    tell(found, effect, check, what);
}

fn remote(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let (shared, own, what) = match effect.action {
        "push-force" => (&FORCE_SHARED, &FORCE, "overwrites the history of a remote branch"),
        "push-force-with-lease" => {
            (&LEASE_SHARED, &LEASE, "overwrites the history of a remote branch")
        }
        "push-delete" | "svn-delete" => {
            (&REMOTE_SHARED, &REMOTE_REF, "deletes a branch or tag of the remote")
        }
        "push-mirror" => {
            tell(found, effect, &FORCE_SHARED, "makes the remote the same as this repository");
            return;
        }
        "push-prune" => {
            tell(found, effect, &REMOTE_REF, "deletes what the remote has and this one does not");
            return;
        }
        "remote-remove" => return tell(found, effect, &REMOTE, "forgets a remote"),
        "remote-set-url" | "config-url" => {
            return tell(found, effect, &REMOTE, "changes the address of a remote");
        }
        _ => return,
    };
    let branch = branch(scene, effect);
    let known = branch.as_deref().unwrap_or_default();
    let is_git = scene.program(effect).is_none_or(|ran| ran.program.starts_with("git"));
    let overwrites = effect.action == "push-force";
    // A lease on a branch that is not known is the careful way to push to one's own.
    let shared_branch = match &branch {
        Some(branch) => is_shared(branch, found.setting().patterns("protected")),
        None => overwrites && is_git,
    };
    let check = if shared_branch { shared } else { own };
    tell_of(found, effect, check, what, known);
}

/// The branch that is pushed; none if it cannot be told.
fn branch(scene: &Scene<'_>, effect: &Effect) -> Option<String> {
    let name = effect.target.shown();
    let current = || {
        let folder = scene.program(effect).and_then(|ran| ran.cwd.as_deref()).or(scene.cwd)?;
        scene.world.facts.branch(folder)
    };
    match &*name {
        "" | "HEAD" | "@" => current(),
        name if name.contains("branch --show-current") || name.contains("--abbrev-ref") => {
            current()
        }
        // Everything is pushed, and the shared branches with it.
        "*" => Some("main".to_owned()),
        name if name.contains(['$', '(', '*', '?', '[', '`']) => None,
        name => Some(name.to_owned()),
    }
}

/// Branches that more than one person builds on.
const SHARED: &[&str] = &[
    "main",
    "master",
    "trunk",
    "mainline",
    "default",
    "develop",
    "development",
    "production",
    "prod",
    "staging",
    "stable",
];

fn is_shared(branch: &str, further: &[String]) -> bool {
    let name = branch.strip_prefix("refs/heads/").unwrap_or(branch);
    SHARED.iter().any(|shared| shared.eq_ignore_ascii_case(name))
        || name.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("release"))
        || further.iter().any(|pattern| crate::pattern::matches(pattern, name))
}

/// Settings, variables and addresses that make git run something.
fn settings(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let (check, what) = match (effect.kind, effect.action) {
        (Kind::Execute, "config-command") => (&CODE, "makes git run a command for the connection"),
        (Kind::Execute, "exec-path") => (&CODE, "takes the parts of git from another folder"),
        (Kind::Execute, "ext-transport") => (&CODE, "runs a command that stands in an address"),
        (Kind::Execute, "template-hooks") => (&CODE, "takes hooks from a folder"),
        (Kind::Vcs, "alias-command") => (&CODE, "hides a command in an alias"),
        (Kind::Vcs, "remote-add") if effect.target.shown().starts_with("ext::") => {
            (&CODE, "gives a remote a command as its address")
        }
        (Kind::Vcs, "config-command") if is_hidden(scene, effect) => {
            (&CODE, "makes git use another program for the connection")
        }
        (Kind::Vcs, "config-command" | "config-credentials") => {
            (&SETTING, "tells git how to connect")
        }
        (Kind::Vcs, "config-code") => match stored(scene, effect) {
            Some(check) => (check, "makes git run a command from now on"),
            None => return,
        },
        _ => return,
    };
    tell(found, effect, check, what);
}

/// Whether a setting comes through the variables that only programs use.
fn is_hidden(scene: &Scene<'_>, effect: &Effect) -> bool {
    scene.program(effect).is_some_and(|ran| {
        ran.assignments
            .iter()
            .any(|(name, _)| name.starts_with("GIT_CONFIG_") || name == "GIT_SSH_VARIANT")
    })
}

/// What a setting that is kept means: none if its value only switches something.
fn stored(scene: &Scene<'_>, effect: &Effect) -> Option<&'static Check> {
    let key = effect.target.shown();
    let value = scene.program(effect).and_then(|ran| {
        ran.argv.iter().enumerate().find_map(|(at, field)| {
            let text = field.shown();
            match text.strip_prefix(&*key)? {
                "" => ran.argv.get(at + 1).map(Field::shown),
                rest => rest.strip_prefix('=').map(str::to_owned),
            }
        })
    });
    let value = value.unwrap_or_default();
    let lower = key.to_ascii_lowercase();
    if matches!(value.as_str(), "true" | "false" | "0" | "1" | "") {
        return None;
    }
    let hides = lower.starts_with("alias.")
        || matches!(&*lower, "core.fsmonitor" | "core.gitproxy" | "core.askpass")
        || matches!(&*lower, "core.alternaterefscommand" | "uploadpack.packobjectshook")
        || lower.starts_with("remote.")
        || (lower == "core.sshcommand" && !value.starts_with("ssh"))
        || value.starts_with(['.', '/', '!'])
        || value.contains([';', '|', '&', '$', '`']);
    Some(if hides { &CODE } else { &SETTING })
}
