//! Effects of a step, as far as two of them can be the same.

use tenter_audit::record::{Deed, Record};
use tenter_shell::{Kind, Surroundings, analyze};

/// Groups of file effects that replace each other.
const LOSS: u8 = 1;
const CHANGE: u8 = 2;
const READ: u8 = 4;

/// An effect of a call.
#[derive(Clone, Debug)]
pub(super) struct StepEffect {
    /// Groups of a file effect; zero for others.
    class: u8,
    /// Kind and action; empty for file effects, which are compared by group.
    name: (&'static str, &'static str),
    /// The path or other target, if known.
    target: Option<String>,
    /// Bytes of the command that cause it.
    pub(super) span: Option<(u64, u64)>,
}

impl StepEffect {
    fn of_file(class: u8, path: &str) -> Self {
        Self { class, name: ("", ""), target: Some(path.to_owned()), span: None }
    }

    /// Whether another call would do the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (&self.target, &other.target) {
            _ if self.class | other.class == 0 => self.name == other.name,
            (Some(one), Some(other_target)) => {
                self.class & other.class != 0 && overlap(one, other_target)
            }
            _ => false,
        }
    }
}

const fn class(kind: Kind) -> u8 {
    match kind {
        Kind::Delete | Kind::Move => LOSS,
        Kind::Overwrite => LOSS | CHANGE,
        Kind::Write | Kind::Append | Kind::Permission | Kind::Owner => CHANGE,
        Kind::Read => READ,
        _ => 0,
    }
}

/// The effects of a shell command.
pub(super) fn of_command(command: &str, cwd: Option<&str>) -> Vec<StepEffect> {
    let analysis = analyze(command, &Surroundings { cwd, ..Surroundings::default() });
    let effect = |effect: &tenter_shell::Effect| {
        let class = class(effect.kind);
        let name = if class == 0 { (effect.kind.name(), effect.action.name()) } else { ("", "") };
        let path = effect.target.path().map(|path| path.shown().into_owned());
        let span = (effect.span.start.into(), effect.span.end.into());
        StepEffect { class, name, target: path, span: Some(span) }
    };
    analysis.effects.iter().map(effect).collect()
}

/// The effects of file tools.
pub(super) fn of_files(record: &Record<'_>) -> Vec<StepEffect> {
    let effect = |deed: &Deed<'_>| {
        let (class, path) = match deed {
            Deed::Read { path, .. } => (READ, path),
            Deed::Write { path, .. } => (LOSS | CHANGE, path),
            Deed::Edit { path, .. } => (CHANGE, path),
            Deed::Delete { path } => (LOSS, path),
            _ => return None,
        };
        Some(StepEffect::of_file(class, path.as_deref()?))
    };
    record.actions.iter().filter_map(effect).collect()
}

/// Whether one path is the other or lies in it.
fn overlap(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim_end_matches("/*"), other.trim_end_matches("/*"));
    let inside = |path: &str, folder: &str| {
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    // A path below an unknown folder is known by its end.
    let ends = |path: &str, end: &str| {
        path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    inside(one, other) || inside(other, one) || ends(one, other) || ends(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_overlap_where_one_holds_the_other() {
        assert!(overlap("/srv/data", "/srv/data/a.db") && overlap("/srv/data/*", "/srv/data"));
        assert!(overlap("conf/app.yml", "/home/ana/shop/conf/app.yml"));
        assert!(!overlap("/srv/data", "/srv/database"));
        assert!(!overlap("/home/ana/shop/.env", "/home/ana/shop/.env.sample"));
    }

    #[test]
    fn commands_are_the_same_by_what_they_do_and_not_by_their_program() {
        let same = |one: &str, other: &str| {
            let (one, other) = (of_command(one, Some("/w")), of_command(other, Some("/w")));
            one.iter().any(|one| other.iter().any(|it| one.is_same(it)))
        };
        assert!(same("rm -rf /srv/data", "find /srv/data -delete"));
        assert!(same("git push origin main", "cd x && git -C y push"));
        assert!(same("cat .env", "head -3 /w/.env"));
        assert!(!same("git push --force", "git add -A"));
        assert!(!same("git push --force", "git commit -m x"));
        assert!(!same("rm -rf /srv/data", "rm -rf dist"));
        assert!(!same("cat .env", "rm .env"));
    }
}
