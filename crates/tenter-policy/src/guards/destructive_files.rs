//! Guard against losing files: deleting, moving away, truncating or overwriting.
//!
//! The path decides. The system, a home, the workspace and a repository must never be lost as a whole; paths
//! outside the workspace and unknown ones are asked about; build output, caches, temporary files and single
//! files of the workspace are ordinary work.

mod checks;
pub(super) mod names;
mod writes;

use tenter_shell::Act;
use tenter_shell::{Effect, Field, Kind, PathKind, PathTarget, Ran, Role, Target};

use crate::finding::{At, Found};
use crate::guard::Check;
use crate::places::Zone;
use crate::scene::Scene;
use checks::{
    FOLDER, HOME, LOGS, MASS, MIRROR, NULL, OUTSIDE, REMOTE, REPOSITORY, REPOSITORY_FILE, SHRED,
    SOURCES, SYSTEM, SYSTEM_FILE, TRASH, UNKNOWN, WORKSPACE,
};
use names::History;

pub(super) use checks::GUARD;

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        let Target::Path(path) = &effect.target else {
            unplaced(effect, found);
            continue;
        };
        match effect.kind {
            Kind::Delete | Kind::Move | Kind::Overwrite | Kind::Write | Kind::Append => {}
            _ => continue,
        }
        let loss = Loss { scene, effect, path, zone: scene.places.zone(path) };
        if effect.elsewhere {
            loss.elsewhere(found);
            continue;
        }
        match effect.kind {
            Kind::Delete => loss.deleted(found),
            Kind::Move => loss.moved(found),
            Kind::Overwrite => loss.overwritten(found),
            _ => loss.written(found),
        }
    }
}

/// `find` tests that no pattern expresses: they select some files, not all.
const NARROW: &[&str] = &[
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-group",
    "-iregex",
    "-links",
    "-maxdepth",
    "-mmin",
    "-mtime",
    "-newer",
    "-perm",
    "-regex",
    "-samefile",
    "-size",
    "-user",
];

/// Losses without a path.
fn unplaced(effect: &Effect, found: &mut Found<'_>) {
    if effect.kind != Kind::Delete || effect.elsewhere {
        return;
    }
    let subject = effect.target.shown();
    match effect.action {
        Act::ClearLog | Act::ShellHistory => {
            found.add(&LOGS, At::effect(effect, &subject), "deletes a log or history");
        }
        Act::DeleteSecret => {
            let what = format!("deletes a stored secret: {subject}");
            found.add(&OUTSIDE, At::effect(effect, &subject), what);
        }
        Act::EmptyTrash => {
            found.add(&TRASH, At::effect(effect, &subject), "empties the trash");
        }
        _ => {}
    }
}

/// One lost or changed path.
struct Loss<'l> {
    scene: &'l Scene<'l>,
    effect: &'l Effect,
    path: &'l PathTarget,
    zone: Zone,
}

impl Loss<'_> {
    fn add(&self, found: &mut Found<'_>, check: &Check, does: &str) {
        let subject = self.path.shown();
        let what = match does.strip_suffix(" an unknown path:") {
            Some(does) if subject.ends_with("$(stdin)") => format!("{does} the paths in its input"),
            _ => format!("{does} {subject}"),
        };
        found.add(check, At::effect(self.effect, &subject), what);
    }

    /// Whether a whole tree is affected, not a single file.
    fn whole(&self) -> bool {
        self.effect.recursive || self.takes_all()
    }

    fn takes_all(&self) -> bool {
        self.scene.places.takes_all(self.path)
    }

    /// Whether the path depends on an unknown value.
    fn depends(&self) -> bool {
        self.scene.places.depends(self.path)
    }

    fn is(&self, role: Role) -> bool {
        self.scene.is(self.effect, role)
    }

    fn says(&self, word: &str) -> bool {
        self.scene.program(self.effect).is_some_and(|ran| ran.says(word))
    }

    /// Losses on another machine or in a container.
    fn elsewhere(&self, found: &mut Found<'_>) {
        if !matches!(self.effect.kind, Kind::Delete | Kind::Move) || self.depends() {
            return;
        }
        let shown = self.path.shown();
        let machine = super::disk_and_system::is_remote(self.scene, self.effect);
        let wide = matches!(self.zone, Zone::Root | Zone::SystemTree | Zone::Home) && self.whole();
        let outside = machine && self.effect.recursive && self.zone < Zone::Unknown;
        let vital = machine && self.zone == Zone::System && names::is_vital(&shown);
        // A container can be recreated from its image, the data it stores cannot.
        let data = self.whole() && names::is_data(&shown);
        if wide && machine {
            self.add(found, &SYSTEM, "deletes remotely everything in");
        } else if wide || outside || vital || data {
            self.add(found, &REMOTE, "deletes remotely:");
        }
    }

    fn deleted(&self, found: &mut Found<'_>) {
        match self.effect.action {
            // Git can restore what it deletes, unless forced (`destructive-git`); or the folder is empty.
            Act::GitRm | Act::RemoveEmptyDirectory => return,
            Act::Shred if self.zone == Zone::Temporary => return,
            Act::Shred if self.zone > Zone::Repository || !self.whole() => {
                return self.add(found, &SHRED, "destroys beyond recovery:");
            }
            Act::MoveToNull if self.zone > Zone::HomeTree => {
                return self.add(found, &NULL, "destroys by moving to nowhere:");
            }
            Act::EmptyTrash => return self.add(found, &TRASH, "empties the trash"),
            Act::ClearLog | Act::ShellHistory => {
                return self.add(found, &LOGS, "deletes a log or history:");
            }
            Act::MirrorDelete if (Zone::HomeTree..Zone::Generated).contains(&self.zone) => {
                return self.add(found, &MIRROR, "deletes files missing from the source in");
            }
            _ => {}
        }
        let whole = self.whole() || self.effect.action == Act::MoveToNull;
        let wide = self.zone <= Zone::Workspace && self.zone != Zone::System;
        if wide && self.is(Role::OneFile) && !self.path.has_glob() {
            // The program refuses folders.
            return;
        }
        if self.depends() && self.zone <= Zone::Unknown {
            if whole && let Some(check) = self.takes_listed() {
                self.add(found, check, "deletes everything listed in");
            } else if whole {
                self.add(found, &UNKNOWN, "deletes an unknown path:");
            } else if self.lists_tracked() {
                self.add(found, &MASS, "deletes every file tracked by git:");
            } else if self.is_anywhere_below() || self.lists_everything() {
                self.add(found, &UNKNOWN, "deletes files anywhere in");
            }
            return;
        }
        match self.zone {
            Zone::Root | Zone::SystemTree if whole => {
                self.add(found, &SYSTEM, "deletes everything in");
            }
            Zone::Root | Zone::SystemTree | Zone::System if self.takes_libraries() => {
                self.add(found, &SYSTEM, "deletes every library below");
            }
            Zone::Root | Zone::SystemTree => self.add(found, &SYSTEM_FILE, "deletes"),
            Zone::System => self.system_file(found, "deletes"),
            Zone::Home if whole => self.add(found, &HOME, "deletes everything in"),
            Zone::HomeTree if self.effect.recursive || whole && !self.takes_all() => {
                self.add(found, &HOME, "deletes all of");
            }
            Zone::Workspace => self.workspace(found),
            Zone::Repository => self.repository(found, "deletes"),
            Zone::Home | Zone::HomeTree | Zone::Personal | Zone::Outside => self.outside(found),
            Zone::Unknown if whole => self.add(found, &UNKNOWN, "deletes an unknown path:"),
            Zone::Inside => self.inside(found),
            // The machine does not work without it.
            Zone::Nothing if !self.depends() => self.add(found, &SYSTEM_FILE, "deletes"),
            Zone::Unknown | Zone::Generated | Zone::Temporary | Zone::Nothing => {}
        }
    }

    /// `find /usr -name '*.so*' -delete`
    fn takes_libraries(&self) -> bool {
        let shown = self.path.shown();
        let name = shown.rsplit('/').next().unwrap_or_default();
        self.path.has_glob()
            && name.starts_with('*')
            && [".so", ".dylib", ".dll", ".ko"].iter().any(|end| name.contains(end))
    }

    /// Whether an unknown file in a known folder is meant: `os.walk("/etc")`, `rm "/etc/$NAME"`.
    fn is_anywhere_below(&self) -> bool {
        let deep = self.path.has_glob() && self.path.shown().contains("**");
        match self.zone {
            Zone::SystemTree | Zone::System => true,
            Zone::Root | Zone::Home | Zone::HomeTree | Zone::Personal | Zone::Outside => deep,
            _ => false,
        }
    }

    fn system_file(&self, found: &mut Found<'_>, does: &str) {
        let vital = names::is_vital(&self.path.shown());
        self.add(found, if vital { &SYSTEM } else { &SYSTEM_FILE }, does);
    }

    fn workspace(&self, found: &mut Found<'_>) {
        let deep = self.path.has_glob() && self.path.shown().contains("**");
        if deep && (self.searches(&["-empty"]) || self.takes_links()) {
            return;
        }
        let some = deep && self.searches(NARROW);
        let gone = self.effect.action == Act::MoveToNull;
        if (self.effect.recursive || deep || gone) && !some {
            self.add(found, &WORKSPACE, "deletes the whole workspace");
        } else if self.whole() {
            self.add(found, &MASS, "deletes many files:");
        }
    }

    /// The `find` that selects the files: the program itself, or the last one before it.
    fn search(&self) -> Option<&Ran> {
        // A pattern typed in the command was not produced by `find`.
        if self.scene.words(self.effect.span).contains("**") {
            return None;
        }
        let upto = self.effect.command.map_or(0, |index| (index as usize).saturating_add(1));
        let before = self.scene.analysis.commands.get(..upto).unwrap_or_default();
        before.iter().rfind(|ran| ran.is(Role::FindsFiles))
    }

    /// Whether that `find` has one of these tests.
    fn searches(&self, tests: &[&str]) -> bool {
        let given = |word: &Field| tests.iter().any(|test| word.is(test));
        self.search().is_some_and(|ran| ran.argv.iter().any(given))
    }

    /// Whether only links are deleted: `find . -xtype l -delete`.
    fn takes_links(&self) -> bool {
        let Some(search) = self.search() else { return false };
        let negates = |field: &Field| field.is("!") || field.is("-not");
        let of_links = |words: &[Field]| match words {
            [before, test, kind] => {
                !negates(before) && (test.is("-type") || test.is("-xtype")) && kind.is("l")
            }
            _ => false,
        };
        let turned =
            |words: &[Field]| matches!(words, [not, group] if negates(not) && group.is("("));
        let or = |field: &Field| field.is("-o") || field.is("-or") || field.is(",");
        search.argv.windows(3).any(of_links)
            && !search.argv.windows(2).any(turned)
            && !search.argv.iter().any(or)
    }

    /// `locate / | xargs rm`, `rg --files / | xargs rm`
    fn lists_everything(&self) -> bool {
        self.path.shown().contains("$(stdin)")
            && self.scene.analysis.commands.iter().any(|ran| {
                let outside = |field: &Field| field.prefix().starts_with(['/', '~']);
                let temporary = |field: &Field| {
                    let path = field.prefix();
                    path.starts_with("/tmp/") || path.starts_with("/var/tmp/")
                };
                let option = || ran.argv.iter().any(|field| names_files(field.prefix()));
                let lists = ran.is(Role::ListsFiles) || ran.is(Role::SearchesText) && option();
                lists && ran.argv.iter().skip(1).any(|field| outside(field) && !temporary(field))
            })
    }

    /// The check for `ls /etc | xargs -I{} rm -rf /etc/{}`: a folder is deleted by the names in it.
    fn takes_listed(&self) -> Option<&'static Check> {
        let index = self.effect.command? as usize;
        let before = self.scene.analysis.commands.get(index.checked_sub(1)?)?;
        let shown = self.path.shown();
        let folder = shown.strip_suffix("/$(stdin)").filter(|_| before.is(Role::ListsFolder))?;
        match self.scene.places.zone(&PathTarget::absolute(folder)) {
            Zone::Root | Zone::SystemTree => Some(&SYSTEM),
            Zone::Home => Some(&HOME),
            _ => None,
        }
    }

    /// `git ls-files | xargs rm`
    fn lists_tracked(&self) -> bool {
        let shown = self.path.shown();
        // `for f in $(git ls-files)`, `while read f`
        (shown.contains("$(stdin)") || shown.starts_with('$') && !shown.contains('/'))
            && self.scene.effects().iter().any(|other| other.action == Act::ListTracked)
    }

    fn repository(&self, found: &mut Found<'_>, does: &str) {
        let shown = self.path.shown();
        let Some((folder, rest)) = split_repository(&shown) else {
            return;
        };
        match names::history(rest) {
            // A single branch's folder is not the whole history.
            History::Lost if self.effect.kind != Kind::Delete && rest.is_empty() => {
                self.add(found, &REPOSITORY_FILE, does);
            }
            History::Touched if rest == "index" && self.effect.kind == Kind::Delete => {}
            History::Lost if self.is_own(folder) => self.add(found, &REPOSITORY, does),
            History::Lost | History::Touched => self.add(found, &REPOSITORY_FILE, does),
            History::Kept => {}
        }
    }

    /// Whether the repository in `folder` is the workspace's own.
    fn is_own(&self, folder: &str) -> bool {
        let places = &self.scene.places;
        // `find . -name .git` includes the workspace's own repository.
        let folder = folder.trim_end_matches("/**");
        let own = |root: &str| {
            let rest = root.trim_end_matches('/').strip_prefix(folder);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        folder == "$PWD" || places.cwd.is_some_and(own) || places.roots.iter().any(|root| own(root))
    }

    fn outside(&self, found: &mut Found<'_>) {
        let shown = self.path.shown();
        let name = shown.rsplit('/').next().unwrap_or(&shown);
        let clutter = !self.whole() && names::is_clutter(name);
        if !clutter && !self.in_repository() {
            self.add(found, &OUTSIDE, "deletes outside the workspace:");
        }
    }

    /// Whether the path is in the repository around the working directory.
    fn in_repository(&self) -> bool {
        let (Some(text), Some(cwd)) = (self.path.exact(), self.scene.places.cwd) else {
            return false;
        };
        if self.zone != Zone::Personal && self.zone != Zone::Outside {
            return false;
        }
        let mut above = cwd.trim_end_matches('/');
        while let Some((folder, _)) = above.rsplit_once('/') {
            above = folder;
            let holds = text.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'));
            if above.is_empty() || Some(above) == self.scene.places.home {
                return false;
            }
            if holds {
                let marker = self.scene.world.kind(&format!("{above}/.git"));
                return matches!(marker, Some(PathKind::Directory | PathKind::File));
            }
        }
        false
    }

    fn inside(&self, found: &mut Found<'_>) {
        let shown = self.path.shown();
        let rest = self.in_workspace(&shown).unwrap_or(&shown);
        let name = rest.rsplit('/').next().unwrap_or(rest);
        let folder = rest.trim_end_matches("/*").trim_end_matches("/**");
        if names::is_source_folder(folder) && !self.is_rebuilt(folder) {
            return self.add(found, &SOURCES, "deletes the source folder");
        }
        if names::is_manifest(rest) {
            return self.add(found, &SOURCES, "deletes a file the project needs:");
        }
        if names::is_clutter(name) {
            return;
        }
        let deep = self.path.has_glob() && rest.contains("**");
        if names::is_every_source(name) || (deep && name.starts_with('*')) {
            if !self.searches(&["-empty"]) {
                self.add(found, &MASS, "deletes many files:");
            }
        } else if self.effect.recursive {
            self.add(found, &FOLDER, "deletes the folder");
        }
    }

    /// Whether a later part of the command recreates the folder: `rm -rf lib && babel src -d lib`.
    fn is_rebuilt(&self, folder: &str) -> bool {
        let after = self.effect.command.map_or(0, |index| (index as usize).saturating_add(1));
        let options = ["-d", "-o", "--out-dir", "--outDir", "--outdir", "--dist", "--output"];
        let builds = |ran: &Ran| {
            !ran.is(Role::NoBuilder)
                && ran.argv.windows(2).any(|pair| match pair {
                    [option, place] => {
                        let text = place.exact().unwrap_or_default();
                        let (name, value) = text
                            .split_once('=')
                            .unwrap_or((option.exact().unwrap_or_default(), text));
                        let value = value.trim_start_matches("./").trim_end_matches('/');
                        options.contains(&name) && value == folder
                    }
                    _ => false,
                })
        };
        self.scene.analysis.commands.iter().skip(after).any(builds)
    }

    /// The path relative to the workspace root.
    fn in_workspace<'t>(&self, text: &'t str) -> Option<&'t str> {
        let places = &self.scene.places;
        let below = |root: &str| text.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/');
        places.roots.iter().find_map(|root| below(root)).or_else(|| below("$PWD"))
    }

    fn moved(&self, found: &mut Found<'_>) {
        if self.effect.action == Act::Compress && !self.effect.recursive {
            return;
        }
        if self.depends() && self.zone <= Zone::Unknown {
            if self.takes_all() && self.zone == Zone::Root {
                self.add(found, &UNKNOWN, "moves an unknown path:");
            }
            return;
        }
        match self.zone {
            Zone::Root | Zone::SystemTree => self.add(found, &SYSTEM, "moves"),
            Zone::System => self.system_file(found, "moves"),
            Zone::Nothing => self.add(found, &SYSTEM_FILE, "moves"),
            Zone::Home => self.add(found, &HOME, "moves"),
            Zone::Workspace if !self.stays() => {
                self.add(found, &OUTSIDE, "moves out of the workspace:");
            }
            Zone::Repository => self.repository(found, "moves"),
            Zone::HomeTree => self.add(found, &OUTSIDE, "moves"),
            _ => {}
        }
    }

    /// Whether a moved file stays in the workspace.
    fn stays(&self) -> bool {
        let arrives =
            |other: &&Effect| other.kind == Kind::Write && other.command == self.effect.command;
        let mut arrivals = self.scene.effects().iter().filter(arrives).peekable();
        self.takes_all()
            && arrivals.peek().is_some()
            && arrivals.all(|other| {
                let path = other.target.path();
                path.is_some_and(|path| {
                    matches!(
                        self.scene.places.zone(path),
                        Zone::Inside | Zone::Generated | Zone::Workspace
                    )
                })
            })
    }
}

/// Whether an option of a search program prints file names: `-l`, `-rl`, `--files`.
fn names_files(option: &str) -> bool {
    let short = option.strip_prefix('-').filter(|flags| !flags.starts_with('-'));
    matches!(option, "--files" | "--files-with-matches" | "--files-without-match")
        || short.is_some_and(|flags| {
            flags.len() < 8
                && flags.contains(['l', 'L'])
                && flags.bytes().all(|flag| flag.is_ascii_alphabetic())
        })
}

/// Splits a path into the repository's folder and the part below `.git`.
fn split_repository(path: &str) -> Option<(&str, &str)> {
    for name in ["/.git", "/.hg", "/.svn", "/.jj"] {
        let found = path.match_indices(name).find_map(|(at, _)| {
            let rest = path.get(at.saturating_add(name.len())..)?;
            (rest.is_empty() || rest.starts_with('/')).then_some((path.get(..at)?, rest))
        });
        if let Some((folder, rest)) = found {
            return Some((folder, rest.trim_start_matches('/')));
        }
    }
    // A pattern that may match `.git`, or the target of links.
    Some((path.rsplit_once('/')?.0, ""))
}
