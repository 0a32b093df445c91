use crate::flow::Stream;
use crate::run::{Machine, testing};
use crate::span::Span;
use crate::value::Field;
use crate::world::{FileFacts, PathKind, Surroundings};

/// Effects of a command whose words are separated by blanks; `_` inside a word stands for one.
fn effects(command: &str) -> Vec<String> {
    let words: Vec<String> = command.split(' ').map(|word| word.replace('_', " ")).collect();
    testing::effects(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn check(table: &[(&str, &[&str])]) {
    for (command, expected) in table {
        assert_eq!(effects(command), *expected, "{command}");
    }
}

#[test]
fn reset_loses_files_only_when_it_touches_them() {
    let hard: &[&str] = &["vcs-worktree reset-hard /shop certain -r -f"];
    check(&[
        ("git reset --hard", hard),
        ("git reset -q --hard HEAD", hard),
        ("git reset --ha", hard),
        ("git -- reset --hard", hard),
        (
            "git reset --hard origin/main",
            &[
                "vcs-worktree reset-hard /shop certain -r -f",
                "vcs-history reset-commits origin/main possible",
            ],
        ),
        ("git reset --mer", &["vcs-worktree reset-merge /shop certain -r -f"]),
        ("git reset --keep HEAD~2", &["vcs-history reset-commits HEAD~2 possible"]),
        ("git reset --soft HEAD~1", &["vcs reset HEAD~1 certain"]),
        ("git reset", &["vcs unstage /shop certain"]),
        ("git reset HEAD -- a.txt", &["vcs unstage /shop certain"]),
        ("git reset -- --hard", &["vcs unstage /shop certain"]),
        ("git reset --hard -h", &[]),
        ("git reset --help --hard", &[]),
        ("git --help reset --hard", &[]),
    ]);
}

#[test]
fn global_options_do_not_hide_the_subcommand() {
    let elsewhere: &[&str] = &["vcs-worktree reset-hard /repo/sub certain -r -f"];
    check(&[
        ("git -C /repo -C sub reset --hard", elsewhere),
        ("git -C/repo/sub reset --hard", elsewhere),
        ("git --work-tree=/repo/sub reset --hard", elsewhere),
        ("git --work-tree /repo/sub --git-dir /x reset --hard", elsewhere),
        (
            "git -c a.b=c --no-pager -P reset --hard",
            &["vcs-worktree reset-hard /shop certain -r -f"],
        ),
        ("git -c reset --hard", &[]),
        ("git", &[]),
        ("git frobnicate --hard", &[]),
    ]);
}

#[test]
fn checkout_tells_branches_from_files() {
    let switch: &[&str] = &["vcs switch main certain"];
    check(&[
        ("git checkout main", switch),
        ("git checkout -q --conflict merge main", switch),
        ("git checkout --recurse-submodules main", switch),
        ("git checkout -U3 main", switch),
        ("git checkout v1.2", &["vcs switch v1.2 certain"]),
        ("git checkout 2.x", &["vcs switch 2.x certain"]),
        ("git checkout -", &["vcs switch - certain"]),
        ("git checkout -b topic main", &["vcs branch-create topic certain"]),
        ("git checkout -qbtopic", &["vcs branch-create topic certain"]),
        ("git checkout -B topic", &["vcs-refs branch-reset topic possible -f"]),
        ("git checkout .", &["vcs-worktree checkout-paths /shop certain -r"]),
        ("git checkout -- .", &["vcs-worktree checkout-paths /shop certain -r"]),
        ("git checkout -- -f", &["vcs-worktree checkout-paths /shop/-f certain"]),
        ("git checkout --ours -- src/a.rs", &["vcs resolve src/a.rs certain"]),
        ("git checkout --theirs .", &["vcs-worktree checkout-paths /shop certain -r"]),
        (
            "git checkout HEAD a b",
            &[
                "vcs-worktree checkout-paths /shop/a certain",
                "vcs-worktree checkout-paths /shop/b certain",
            ],
        ),
        ("git checkout src/x.rs", &["vcs-worktree checkout-paths /shop/src/x.rs possible"]),
        ("git checkout -- *.rs", &["vcs-worktree checkout-paths /shop/*.rs possible"]),
        ("git checkout -- s/[ab].rs", &["vcs-worktree checkout-paths /shop/s/* possible"]),
        (
            "git checkout main --pathspec-from-f=list",
            &[
                "read pathspec-file /shop/list certain",
                "vcs-worktree checkout-paths /shop possible -r",
            ],
        ),
        ("git checkout -f", &["vcs-worktree checkout-force /shop certain -r -f"]),
        (
            "git checkout main --forc",
            &["vcs-worktree checkout-force /shop certain -r -f", "vcs switch main certain"],
        ),
        ("git checkout -f --no-force main", switch),
        ("git checkout -f -- a", &["vcs-worktree checkout-paths /shop/a certain"]),
        ("git checkout -p", &["vcs-worktree checkout-patch /shop possible -r"]),
    ]);
}

#[test]
fn what_is_on_disk_decides_between_branch_and_file() {
    struct Disk;
    impl FileFacts for Disk {
        fn kind(&self, path: &str) -> Option<PathKind> {
            Some(if path == "/shop/docs" { PathKind::Directory } else { PathKind::Missing })
        }
    }
    let world = Surroundings { cwd: Some("/shop"), facts: &Disk, ..Surroundings::default() };
    let judge = |word: &str| -> Vec<String> {
        let mut machine = Machine::new(&world, "");
        let argv = ["git", "checkout", word].map(|word| Field::text(word, Span::default()));
        machine.execute(&argv, Stream::default());
        machine.finish().effects.iter().map(testing::line).collect()
    };
    assert_eq!(judge("docs"), ["vcs-worktree checkout-paths /shop/docs certain"]);
    assert_eq!(judge("main.rs"), ["vcs switch main.rs certain"]);
}

#[test]
fn switch_restore_and_clean_follow_their_own_grammar() {
    let discard: &[&str] =
        &["vcs-worktree switch-discard /shop certain -r -f", "vcs switch main certain"];
    let cleaned: &[&str] = &["vcs-worktree clean /shop certain -r -f"];
    let file: &[&str] = &["vcs-worktree restore-paths /shop/f certain"];
    let unstage: &[&str] = &["vcs unstage /shop certain"];
    check(&[
        ("git switch main", &["vcs switch main certain"]),
        ("git switch -qf main", discard),
        ("git switch --discard-ch main", discard),
        ("git switch -- -f", &["vcs switch -f certain"]),
        ("git switch -c topic", &["vcs branch-create topic certain"]),
        ("git switch -Ctopic", &["vcs-refs branch-reset topic possible -f"]),
        ("git restore f", file),
        ("git restore --source HEAD f", file),
        ("git restore -sHEAD f", file),
        ("git restore -SW f", file),
        ("git restore -s --staged f", file),
        ("git restore --staged f", unstage),
        ("git restore -qS f", unstage),
        ("git restore --no-staged f", &[]),
        ("git restore -W --no-worktree f", &[]),
        ("git restore", &[]),
        ("git restore f --help", &[]),
        ("git restore :/", &["vcs-worktree restore-paths :/ certain -r"]),
        ("git clean -fd", cleaned),
        ("git clean -d --forc", cleaned),
        ("git clean --no-force -fd", cleaned),
        ("git clean -f", &["vcs-worktree clean /shop certain -f"]),
        ("git clean -xdf", &["vcs-worktree clean-ignored /shop certain -r -f"]),
        ("git clean -f -e -n sub/", &["vcs-worktree clean /shop/sub certain -r -f"]),
        ("git clean -fdn", &[]),
        ("git clean --dry-r -f", &[]),
        ("git clean -f --no-force", &[]),
        ("git clean -d", &[]),
        ("git -c clean.requireForce=false clean -d", cleaned),
        ("git clean -id", &["vcs-worktree clean /shop possible -r -f"]),
    ]);
}

#[test]
fn stash_branch_and_tag_lose_refs() {
    let deleted: &[&str] = &["vcs-refs branch-delete topic certain -f"];
    check(&[
        ("git stash", &["vcs stash-push  certain"]),
        ("git stash -m drop", &["vcs stash-push  certain"]),
        ("git stash list", &[]),
        ("git stash pop", &["vcs stash-pop  certain"]),
        ("git stash drop stash@{1}", &["vcs-stash stash-drop stash@{1} certain"]),
        ("git stash drop", &["vcs-stash stash-drop  certain"]),
        ("git stash clear", &["vcs-stash stash-clear  certain"]),
        ("git branch -D topic", deleted),
        ("git branch -Dv topic", deleted),
        ("git branch --del --forc topic", deleted),
        ("git branch topic -d -f", deleted),
        ("git branch -d topic", &["vcs branch-delete-merged topic certain"]),
        ("git branch -dr origin/topic", &["vcs branch-delete-merged origin/topic certain"]),
        ("git branch -M a b", &["vcs-refs branch-overwrite b possible -f"]),
        ("git branch -f main HEAD~2", &["vcs-refs branch-reset main possible -f"]),
        ("git branch topic", &["vcs branch-create topic certain"]),
        ("git branch --contains -D", &[]),
        ("git branch -a --list x", &[]),
        ("git tag -d v1 v2", &["vcs-refs tag-delete v1 certain", "vcs-refs tag-delete v2 certain"]),
        ("git tag --del v1", &["vcs-refs tag-delete v1 certain"]),
        ("git tag -fm msg v1", &["vcs-refs tag-move v1 possible -f"]),
        ("git tag -m -d v1", &["vcs tag-create v1 certain"]),
    ]);
}

#[test]
fn objects_and_reflogs_go_at_once_only_when_told_so() {
    let pruned: &[&str] = &["vcs-refs prune-objects /shop certain -r"];
    let collected: &[&str] = &["vcs gc  certain"];
    check(&[
        ("git gc", collected),
        ("git gc --aggressive --prune", collected),
        ("git gc --prune=2.weeks.ago", collected),
        ("git gc --p=now", pruned),
        ("git gc --prune=0", pruned),
        ("git -c gc.pruneExpire=now gc", pruned),
        ("git -c gc.pruneExpire=now gc --no-prune", collected),
        ("git prune", pruned),
        ("git prune --exp=all", pruned),
        ("git prune -n", &[]),
        ("git reflog expire --expire-=now --a", &["vcs-refs reflog-expire  certain"]),
        ("git reflog expire --all", &["vcs reflog-expire  certain"]),
        ("git reflog expire -n --expire=now --all", &[]),
        ("git reflog show expire", &[]),
        ("git reflog delete HEAD@{1}", &["vcs-refs reflog-delete HEAD@{1} certain"]),
        ("git update-ref -d refs/heads/x", &["vcs-refs ref-delete refs/heads/x certain"]),
        ("git update-ref -m -d refs/heads/x abc", &["vcs-refs ref-update refs/heads/x possible"]),
        ("git symbolic-ref HEAD", &[]),
        ("git replace a b", &["vcs-history replace a certain"]),
    ]);
    let stdin = Stream::known("delete refs/heads/x\n");
    assert_eq!(
        testing::effects_with(&["git", "update-ref", "--stdin"], stdin),
        ["vcs-refs ref-delete  certain"]
    );
}

#[test]
fn push_says_which_refs_of_the_remote_are_lost() {
    let forced: &[&str] = &["vcs-remote push-force main certain -f"];
    let deleted: &[&str] = &["vcs-remote push-delete old certain"];
    let plain: &[&str] = &["vcs push main certain"];
    let leased: &[&str] = &["vcs-remote push-force-with-lease main certain"];
    check(&[
        ("git push", &["vcs push  certain"]),
        ("git push origin main", plain),
        ("git subtree push -P d origin +main", forced),
        ("git subtree push --prefix=d origin main", plain),
        ("git subtree split --prefix d", &[]),
        ("git push -u origin HEAD:refs/heads/main", plain),
        ("git push -o --force origin main", plain),
        ("git push -- --force", &["vcs push  certain"]),
        ("git push --force", &["vcs-remote push-force  certain -f"]),
        ("git push -fu origin main", forced),
        ("git push origin main --forc", forced),
        ("git push origin +main", forced),
        ("git push origin x:+refs/heads/main", forced),
        ("git push --force --force-with-lease origin main", forced),
        ("git push --force-with-lease origin +main", forced),
        ("git push --force-with-lease origin main", leased),
        ("git push --force-w=main:abc origin main", leased),
        ("git push --force-with-lease=other origin main", plain),
        ("git push --force --no-force origin main", plain),
        ("git push --force-if-includes origin main", plain),
        ("git push origin :old", deleted),
        ("git push origin -d old", deleted),
        ("git push --del origin refs/heads/old", deleted),
        ("git push --mir origin", &["vcs-remote push-mirror origin certain -f"]),
        (
            "git push --prune origin",
            &["vcs-remote push-prune origin possible", "vcs push  certain"],
        ),
        ("git push -nf origin main", &[]),
        ("git push --dry-run --force", &[]),
        (
            "git push --no-verify origin main",
            &["hook-bypass no-verify  certain", "vcs push main certain"],
        ),
        (
            "git push https://host/x.git main",
            &["send push https://host/x.git certain <[File(\"/shop\")]", "vcs push main certain"],
        ),
    ]);
}

#[test]
fn fetching_and_cloning_receive() {
    check(&[
        ("git fetch origin", &["receive fetch origin certain"]),
        ("git fetch -p", &["receive fetch  certain", "vcs fetch-prune  certain"]),
        ("git fetch --prune", &["receive fetch  certain", "vcs fetch-prune  certain"]),
        ("git fetch origin +refs/heads/*:refs/remotes/origin/*", &["receive fetch origin certain"]),
        (
            "git fetch -f origin x:refs/heads/main",
            &["receive fetch origin certain", "vcs-refs fetch-force main possible -f"],
        ),
        ("git pull --rebase=false", &["receive fetch  certain", "vcs pull  certain"]),
        ("git pull -r origin main", &["receive fetch origin certain", "vcs pull-rebase  certain"]),
        (
            "git clone --depth 1 https://h/a/b.git",
            &[
                "receive clone https://h/a/b.git certain",
                "write clone /shop/b certain -r <[Network(\"https://h/a/b.git\")]",
            ],
        ),
        (
            "git clone -c core.hooksPath=x h:b.git d",
            &[
                "receive clone h:b.git certain",
                "hook-bypass hooks-path /shop/x certain",
                "write clone /shop/d certain -r <[Network(\"h:b.git\")]",
            ],
        ),
        (
            "git ls-remote ext::sh_-c",
            &["execute ext-transport ext::sh -c certain", "receive ls-remote ext::sh -c certain"],
        ),
        ("git remote -v", &[]),
        ("git remote set-url origin h:x", &["vcs-remote remote-set-url h:x certain"]),
        ("git remote -v update", &["receive fetch  certain"]),
        ("git remote rm origin", &["vcs-remote remote-remove origin certain"]),
        ("git submodule status", &[]),
        ("git submodule deinit -f lib", &["vcs-worktree submodule-deinit /shop/lib certain -r -f"]),
        (
            "git archive -o out.tar HEAD",
            &["write archive /shop/out.tar certain <[File(\"/shop\")]"],
        ),
    ]);
}

#[test]
fn history_is_told_from_commits() {
    check(&[
        ("git commit -m rm_-rf_/", &["vcs commit  certain"]),
        ("git commit -am --amend", &["vcs commit-all  certain"]),
        ("git commit --amend --no-edit", &["vcs amend  certain"]),
        ("git commit -nm x", &["hook-bypass no-verify  certain", "vcs commit  certain"]),
        ("git commit --no-veri -m x", &["hook-bypass no-verify  certain", "vcs commit  certain"]),
        ("git commit --no-verify --verify -m x", &["vcs commit  certain"]),
        ("git commit -m -n", &["vcs commit  certain"]),
        ("git commit --dry-run -n", &[]),
        ("git merge topic", &["vcs merge topic certain"]),
        ("git merge --abor", &["vcs-worktree abort /shop possible -r"]),
        ("git rebase -i HEAD~3", &["vcs-history rebase HEAD~3 certain"]),
        ("git rebase --abort", &["vcs-worktree abort /shop possible -r"]),
        ("git rebase --continue", &["vcs continue  certain"]),
        ("git cherry-pick -x abc", &["vcs cherry-pick abc certain"]),
        ("git filter-branch -f -- --all", &["vcs-history filter-branch  certain -f"]),
        ("git filter-repo --force --path x", &["vcs-history filter-repo /shop certain -r -f"]),
        ("git filter-repo --dry-run --force", &[]),
        ("git rm -r --cached d", &["vcs untrack /shop/d certain -r"]),
        ("git rm -rf d", &["delete git-rm /shop/d certain -r -f"]),
        ("git rm -n d", &[]),
        ("git mv a b", &["move git-mv /shop/a certain"]),
        ("git worktree remove -f /tmp/x", &["vcs-worktree worktree-remove /tmp/x certain -r -f"]),
        ("git worktree remove -- -f", &["vcs worktree-remove /shop/-f certain -r"]),
        ("git worktree list", &[]),
        ("git add -A", &["vcs add-all /shop certain -r"]),
        (
            "git bisect run git reset --hard",
            &["vcs bisect  certain", "vcs-worktree reset-hard /shop certain -r -f"],
        ),
        ("git submodule foreach git clean -f", &["vcs-worktree clean /shop certain -f"]),
    ]);
}

#[test]
fn looking_changes_nothing() {
    check(&[
        ("git status -s", &[]),
        ("git log --oneline -10", &[]),
        ("git log --grep reset --author --output", &[]),
        ("git diff HEAD~1", &[]),
        ("git diff --output=p.txt", &["overwrite output /shop/p.txt certain <[File(\"/shop\")]"]),
        ("git show HEAD:.env", &["read vcs-read /shop/.env certain"]),
        ("git show :/fix", &[]),
        ("git grep -h reset", &[]),
        ("git config user.name", &[]),
        ("git config --get core.hooksPath x", &[]),
        ("git config -l", &[]),
        ("git help reset", &[]),
        ("git rev-parse HEAD", &[]),
    ]);
}

#[test]
fn settings_that_matter_are_named() {
    check(&[
        ("git config user.name me", &["vcs config user.name certain"]),
        ("git config --global alias.st status", &["vcs config-global alias.st certain"]),
        (
            "git config alias.x !rm_-rf_/",
            &["delete remove / possible -r -f", "vcs config-code alias.x certain"],
        ),
        (
            "git config core.pager rm_-rf_/",
            &["delete remove / possible -r -f", "vcs config-code core.pager certain"],
        ),
        ("git config set core.editor ./x", &["vcs config-code core.editor certain"]),
        ("git config core.hooksPath /dev/null", &["hook-bypass hooks-path /dev/null certain"]),
        ("git config --unset core.hooksPath", &["hook-bypass hooks-path  certain"]),
        (
            "git config credential.helper store",
            &["vcs config-credentials credential.helper certain"],
        ),
        ("git config url.evil.insteadOf https://h/", &["vcs-remote config-url https://h/ certain"]),
        (
            "git -c core.hooksPath=/dev/null commit -m x",
            &["hook-bypass hooks-path /dev/null certain", "vcs commit  certain"],
        ),
        ("git -c core.hooksPath=/dev/null log", &[]),
        (
            "git -ccore.sshCommand=./x fetch",
            &["execute config-command ./x certain", "receive fetch  certain"],
        ),
        ("git -c core.sshCommand=./x log", &[]),
        (
            "git -c core.sshCommand=ssh_-i_k fetch",
            &["vcs config-command ssh -i k certain", "receive fetch  certain"],
        ),
        ("git -c alias.wipe=reset_--hard wipe", &["vcs-worktree reset-hard /shop certain -r -f"]),
        ("git -c alias.a=b -c alias.b=clean a -f", &["vcs-worktree clean /shop certain -f"]),
        ("git -c alias.a=a a", &[]),
        (
            "git -c alias.reset=status reset --hard",
            &["vcs-worktree reset-hard /shop certain -r -f"],
        ),
    ]);
}

#[test]
fn code_in_options_and_settings_is_run() {
    let cleaned = "vcs-worktree clean /shop certain -f";
    let perhaps = "vcs-worktree clean /shop possible -f";
    check(&[
        ("git rebase -x git_clean_-f main", &["vcs-history rebase main certain", cleaned]),
        ("git submodule foreach git_clean_-f", &[cleaned]),
        ("git -c alias.x=!git_clean x -f", &["vcs alias-command git clean certain", cleaned]),
        (
            "git -c alias.x=!git_clean_-f;_: x it's",
            &["vcs alias-command git clean -f; : certain", cleaned],
        ),
        ("git -c core.fsmonitor=git_clean_-f status", &[perhaps]),
        ("git -c core.fsmonitor=true status", &[]),
        ("git -c core.editor=git_clean_-f log", &[]),
        ("git -c core.editor=git_clean_-f commit", &[perhaps, "vcs commit  certain"]),
        ("git -c credential.helper=!git_clean_-f fetch", &[cleaned, "receive fetch  certain"]),
        ("git -c credential.helper=store fetch", &["receive fetch  certain"]),
        (
            "git difftool -x git_reset_--hard_-- HEAD",
            &["vcs-worktree reset-hard /shop possible -r -f"],
        ),
        ("git grep -Ogit_rm_-f x", &["delete git-rm $FILE possible -f"]),
        (
            "git filter-branch --tree-filter git_clean_-f HEAD",
            &["vcs-history filter-branch  certain", "vcs-worktree clean $PWD possible -f"],
        ),
        (
            "git clone -u git_clean_-f h:x",
            &[
                "receive clone h:x certain",
                "vcs-worktree clean $PWD possible -f",
                "write clone /shop/x certain -r <[Network(\"h:x\")]",
            ],
        ),
    ]);
}

fn with_variables(variables: &[(&str, &str)], command: &[&str]) -> Vec<String> {
    let world = Surroundings { cwd: Some("/shop"), ..Surroundings::default() };
    let mut machine = Machine::new(&world, "");
    machine.assignments = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Field::text(*value, Span::default())))
        .collect();
    let argv: Vec<Field> = command.iter().map(|word| Field::text(*word, Span::default())).collect();
    machine.execute(&argv, Stream::default());
    machine.finish().effects.iter().map(testing::line).collect()
}

#[test]
fn variables_do_what_settings_do() {
    let fetched =
        ["execute config-command ./x certain".to_owned(), "receive fetch  certain".to_owned()];
    let fetch = ["git", "fetch"];
    assert_eq!(with_variables(&[("GIT_SSH_COMMAND", "./x")], &fetch), fetched);
    assert_eq!(
        with_variables(&[("GIT_CONFIG_PARAMETERS", "'core.sshCommand=./x'")], &fetch),
        fetched
    );
    let numbered = [
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.sshCommand"),
        ("GIT_CONFIG_VALUE_0", "./x"),
    ];
    assert_eq!(with_variables(&numbered, &fetch), fetched);
    assert_eq!(
        with_variables(&[("GIT_SSH_COMMAND", "./x")], &["git", "archive", "HEAD"]),
        Vec::<String>::new()
    );
    assert_eq!(
        with_variables(&[("HUSKY", "0")], &["git", "commit", "-m", "x"]),
        ["hook-bypass hooks-disabled HUSKY certain", "vcs commit  certain"]
    );
    assert_eq!(with_variables(&[("HUSKY", "1")], &["git", "push"]), ["vcs push  certain"]);
    assert_eq!(
        with_variables(&[("GIT_WORK_TREE", "/other")], &["git", "clean", "-f"]),
        ["vcs-worktree clean /other certain -f"]
    );
}

#[test]
fn other_version_control_has_its_own_losses() {
    check(&[
        ("hg update -C tip", &["vcs-worktree hg-update-clean /shop certain -r -f"]),
        ("hg update tip", &[]),
        ("hg strip -r 5", &["vcs-history hg-strip 5 certain"]),
        ("hg purge", &["vcs-worktree hg-purge /shop certain -r"]),
        ("svn revert -R .", &["vcs-worktree svn-revert /shop certain -r"]),
        ("svn rm svn://h/trunk -m x", &["vcs-remote svn-delete svn://h/trunk certain"]),
        ("jj abandon xyz", &["vcs-history jj-abandon xyz certain"]),
        ("jj log -r abandon", &[]),
    ]);
}
