//! Guard against losing work in version control: uncommitted changes, unreachable commits, and pushed
//! history.

mod checks;
mod disposable;
mod samples;
mod settings;

use checks::{
    BRANCH, CLEAN, CODE, DISCARD, FORCE, FORCE_SHARED, LEASE, LEASE_SHARED, MOVE, MOVES, RECOVERY,
    REDIRECT, REF, REMOTE, REMOTE_REF, REMOTE_SHARED, REWRITE, ROWS, SETTING, STASH, WORKTREE,
};
use settings::settings;
use tenter_shell::Act;
use tenter_shell::{Effect, Kind, PathTarget, Ran, Role, Target};

use super::rows::{by_row, tell, tell_of};
use crate::finding::Found;
use crate::guard::{Guard, OptionKind, OptionSpec};
use crate::places::Zone;
use crate::scene::Scene;

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
        REDIRECT,
        CODE,
        SETTING,
    ],
    options: &[OptionSpec {
        name: "protected",
        kind: OptionKind::Patterns,
        title: "further branches that must not be overwritten or deleted",
        loosens: false,
    }],
    optional: false,
    blocks: samples::BLOCKS,
    passes: samples::PASSES,
    look,
};

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        let local = matches!(
            effect.kind,
            Kind::VcsWorktree | Kind::VcsHistory | Kind::VcsStash | Kind::VcsRefs
        );
        if local
            && let Some(ran) = scene.program(effect)
            && disposable::is_disposable(scene, effect, ran)
        {
            continue;
        }
        match effect.kind {
            Kind::VcsWorktree => worktree(scene, found, effect),
            Kind::VcsHistory | Kind::VcsStash => by_row(found, effect, ROWS),
            Kind::VcsRefs => refs(scene, found, effect),
            Kind::VcsRemote => remote(scene, found, effect),
            Kind::Vcs | Kind::Execute => settings(scene, found, effect),
            Kind::Delete if effect.action == Act::GitRm => remove(found, effect),
            _ => {}
        }
    }
}

/// Lock files that tools regenerate.
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
    // One that the same command added holds nobody's work.
    let added = |other: &Effect| {
        other.action == Act::WorktreeAdd
            && other.span.start < effect.span.start
            && other.target.shown() == effect.target.shown()
    };
    if effect.action == Act::WorktreeRemove && scene.effects().iter().any(added) {
        return;
    }
    // `-f --detach` takes no branch from another.
    let detached = |ran: &Ran| ran.argv.iter().any(|field| field.is("--detach"));
    if effect.action == Act::WorktreeAdd && scene.program(effect).is_some_and(detached) {
        return;
    }
    // Paths outside the workspace.
    let elsewhere = matches!(
        effect.action,
        Act::WorktreeAdd | Act::WorktreeRemove | Act::SubmoduleDeinit | Act::SubmoduleUpdate
    );
    if !elsewhere && let Target::Path(path) = &effect.target {
        let lock = path.exact().and_then(|path| path.rsplit('/').next());
        if lock.is_some_and(|name| LOCKS.contains(&name))
            || matches!(scene.places.zone(path), Zone::Generated | Zone::Temporary)
        {
            return;
        }
    }
    by_row(found, effect, ROWS);
}

/// `git rm` itself refuses to lose changes, unless forced.
fn remove(found: &mut Found<'_>, effect: &Effect) {
    let many = effect.recursive || effect.target.path().is_some_and(PathTarget::has_glob);
    if effect.force && many {
        tell(found, effect, &DISCARD, "deletes tracked files and your edits in them");
    }
}

/// Whether the same command sets the tag anew: `git tag -d v1 && git tag -a v1 -m v1`.
fn is_set_anew(scene: &Scene<'_>, effect: &Effect) -> bool {
    let name = effect.target.shown();
    let sets = |ran: &Ran| {
        let has = |word: &str| ran.argv.iter().any(|field| field.is(word));
        ran.is(Role::Git)
            && ran.span.start > effect.span.start
            && has("tag")
            && has(&name)
            && !has("-d")
            && !has("--delete")
            && !has("-v")
    };
    effect.action == Act::TagDelete && scene.analysis.commands.iter().any(sets)
}

fn refs(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    if is_set_anew(scene, effect) {
        return;
    }
    // Remote-tracking refs come back with the next fetch.
    if effect.action == Act::RefDelete && effect.target.shown().starts_with("refs/remotes/") {
        return;
    }
    let Some((_, what)) = MOVES.iter().find(|(action, _)| *action == effect.action) else {
        by_row(found, effect, ROWS);
        return;
    };
    let renames = effect.action == Act::BranchOverwrite;
    let shown = effect.target.shown();
    // `+refs/heads/*:refs/heads/*` overwrites all branches.
    let every = effect.action == Act::FetchForce && matches!(&*shown, "*" | "refs/*");
    let shared = every || is_shared(&shown, found.setting().patterns("protected"));
    // `git branch -M main` names the first branch of a new repository; refs from a pipe are unknown.
    let unseen = effect.action == Act::RefUpdate && effect.target == Target::None;
    let check = if (shared && !renames) || unseen { &REF } else { &MOVE };
    tell(found, effect, check, what);
}

/// Whether it pushes from a clone that the same command made of a repository that it made, too.
fn is_own_pair(scene: &Scene<'_>, effect: &Effect) -> bool {
    let plain = |text: &str| text.replace(['$', '(', ')'], "");
    let Some(ran) = scene.program(effect) else { return false };
    let cwd = ran.cwd.as_deref().map(plain).unwrap_or_default();
    let same =
        |one: &Effect, other: &Effect| plain(&one.target.shown()) == plain(&other.target.shown());
    let effects = || scene.effects().iter();
    let made = |from: &Effect| {
        effects().any(|init| {
            init.action == Act::Init && init.span.start < from.span.start && same(init, from)
        })
    };
    let clones = || effects().filter(|other| other.action == Act::Clone);
    let from = clones().any(|clone| clone.kind == Kind::Receive && made(clone));
    let only = clones().filter(|clone| clone.kind == Kind::Receive).count() == 1;
    let here = clones().any(|to| to.kind == Kind::Write && plain(&to.target.shown()) == cwd);
    from && only && here && ran.argv.iter().any(|field| field.is("origin"))
}

fn remote(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    if effect.action == Act::PushForce && is_own_pair(scene, effect) {
        return;
    }
    let (shared, own, what) = match effect.action {
        Act::PushForce => (&FORCE_SHARED, &FORCE, "force-pushes over a remote branch"),
        Act::PushForceWithLease => (&LEASE_SHARED, &LEASE, "force-pushes over a remote branch"),
        Act::PushDelete | Act::SvnDelete => {
            (&REMOTE_SHARED, &REMOTE_REF, "deletes a remote branch or tag")
        }
        Act::PushMirror => {
            tell(found, effect, &FORCE_SHARED, "overwrites the remote with this repository");
            return;
        }
        Act::PushPrune => {
            tell(found, effect, &REMOTE_REF, "deletes remote refs that are missing here");
            return;
        }
        Act::RemoteRemove => return tell(found, effect, &REMOTE, "removes a remote"),
        Act::ConfigUrl if redirects(scene, effect) => {
            return tell(found, effect, &REDIRECT, "redirects one host to another");
        }
        Act::RemoteSetUrl | Act::ConfigUrl => {
            return tell(found, effect, &REMOTE, "changes a remote's URL");
        }
        _ => return,
    };
    let branch = branch(scene, effect);
    let known = branch.as_deref().unwrap_or_default();
    let is_git = scene.program(effect).is_none_or(|ran| ran.is(Role::Git));
    let overwrites = effect.action == Act::PushForce;
    // `--force-with-lease` on an unknown branch is the careful way to push to one's own.
    let shared_branch = match &branch {
        Some(branch) => is_shared(branch, found.setting().patterns("protected")),
        None => overwrites && is_git,
    };
    let check = if shared_branch { shared } else { own };
    tell_of(found, effect, check, what, known);
}

/// Whether `url.<new>.insteadOf <old>` points to another host.
fn redirects(scene: &Scene<'_>, effect: &Effect) -> bool {
    let old = effect.target.shown();
    scene.program(effect).is_some_and(|ran| {
        ran.argv.iter().any(|field| {
            let text = field.shown();
            let new = text.strip_prefix("url.").and_then(|rest| rest.rsplit_once('.'));
            new.is_some_and(|(new, _)| host(new) != host(&old))
        })
    })
}

/// The host of `https://user@host/path`, `git@host:path` or `host:`.
fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let place = rest.split(['/', ':']).next().unwrap_or_default();
    // A password may contain a colon.
    let place = match rest.split('/').next().and_then(|start| start.rsplit_once('@')) {
        Some((_, after)) => after.split(':').next().unwrap_or_default(),
        None => place,
    };
    if matches!(place, "gh" | "github") { "github.com" } else { place }
}

/// The pushed branch; `None` if unknown.
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
        // Pushes everything, including shared branches.
        "*" => Some("main".to_owned()),
        name if name.contains(['$', '(', '*', '?', '[', '`']) => None,
        name => Some(name.to_owned()),
    }
}

/// Branch names that several people usually share.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Facts, Level, Policy, Preset, Sample, World, judge};

    struct On(&'static str);

    impl tenter_shell::FileFacts for On {}

    impl Facts for On {
        fn branch(&self, _folder: &str) -> Option<String> {
            Some(self.0.to_owned())
        }
    }

    fn level(command: &str, branch: &'static str) -> Option<Level> {
        let facts = On(branch);
        let world = World { cwd: Some("/home/me/shop"), facts: &facts, ..World::default() };
        let event = Sample::Shell(command).event(Some("/home/me/shop"));
        let judgement = judge(&Policy::preset(Preset::Recommended), &event, &world);
        judgement.findings.iter().map(|finding| finding.level).max()
    }

    #[test]
    fn a_forced_push_without_a_name_is_judged_by_the_branch_that_is_checked_out() {
        for command in ["git push -f", "git push -f origin HEAD", "git push origin +HEAD"] {
            assert_eq!(level(command, "main"), Some(Level::Deny), "{command}");
            assert_eq!(level(command, "release/2"), Some(Level::Deny), "{command}");
            assert_eq!(level(command, "fix/typo"), Some(Level::Ask), "{command}");
        }
        assert_eq!(level("git push --force-with-lease", "main"), Some(Level::Ask));
        assert_eq!(level("git push --force-with-lease", "fix/typo"), Some(Level::Log));
        assert_eq!(level("git push --force --all", "fix/typo"), Some(Level::Deny));
    }

    #[test]
    fn names_of_shared_branches_are_whole_names() {
        for shared in ["main", "Master", "refs/heads/trunk", "release-1.2", "releases/3"] {
            assert!(is_shared(shared, &[]), "{shared}");
        }
        for own in ["maintenance", "feature/main", "mastering", "fix-release", "prod-fix", ""] {
            assert!(!is_shared(own, &[]), "{own}");
        }
        assert!(is_shared("team/x", &["team/*".to_owned()]));
    }

    #[test]
    fn hosts_are_compared_whichever_way_they_are_written() {
        for address in ["https://github.com/", "git@github.com:", "ssh://git@github.com/x", "gh:"] {
            assert_eq!(host(address), "github.com", "{address}");
        }
        assert_eq!(host("https://me:word@other.example/x"), "other.example");
    }
}
