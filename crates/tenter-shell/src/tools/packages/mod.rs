//! Package managers: installs, removals, upgrades, sources, and code that runs.
//!
//! Actions of kind install:
//! - `install`, `install-global`: a package by its name, here or for the whole user or machine;
//! - `install-url`, `install-git`, `install-file`: from an address, a repository, a local path;
//! - `install-locked`: what a manifest or lock file names;
//! - `uninstall`, `upgrade`: one package, or with no target all there is to remove or upgrade;
//! - `index`: packages come from another registry than the usual one;
//! - `unchecked`: certificates, signatures or checksums of packages are not looked at;
//! - `repository-add`, `repository-remove`: sources of packages for good.
//!
//! Actions of kind publish: `publish`, `unpublish`, `deprecate`, `dist-tag`, `owner`, `token`.
//! Others: `package-code` and `network-code` (execute), `build-clean`, `cache-clean` (delete),
//! `requirements` (read), `package-source` (receive), `tag-create` (vcs) by `npm version`, `link`
//! (install), `snap-connect`, `flatpak-override` (system), `shell-profile` (write).

pub(super) mod javascript;
pub(super) mod languages;
pub(super) mod python;
pub(crate) mod sources;
pub(crate) mod system;

use std::rc::Rc;

use super::table::{Cli, is_harmless, judge_options};
use crate::act::Act;
use crate::call::Call;
use crate::effect::{Certainty, Effect, Kind};
use crate::flow::{Flow, Source};
use crate::options::{Options, Spec, parse};
use crate::target::Target;
use crate::value::Field;

/// One package manager.
struct Manager {
    /// Lines of `words: deed` for packages; what the words are followed by are packages. The deeds
    /// are `install`, `install-named` (nothing without names), `install-global`, `uninstall`,
    /// `upgrade`, `locked`, `autoremove`.
    packages: &'static str,
    /// Everything else.
    cli: Cli,
    /// Options that install for all.
    global: &'static [&'static str],
    /// `user/name` is a repository.
    short_git: bool,
    /// Options that name a registry, besides those that all have.
    index: &'static [&'static str],
}

impl Manager {
    const fn new(spec: Spec, packages: &'static str, rules: &'static str) -> Self {
        Self {
            packages,
            cli: Cli {
                spec,
                kind: Kind::Publish,
                harmless: &["dry-run", "version"],
                force: &["force", "f", "y", "yes"],
                recursive: &[],
                rules: "",
            }
            .lines(rules),
            global: &[],
            short_git: false,
            index: &[],
        }
    }

    const fn index(mut self, names: &'static [&'static str]) -> Self {
        self.index = names;
        self
    }

    const fn harmless(mut self, names: &'static [&'static str]) -> Self {
        self.cli.harmless = names;
        self
    }
}

/// Judges the arguments by the tables. False if neither knows them.
fn manage(call: &mut Call<'_, '_>, arguments: &[Field], manager: &Manager) -> bool {
    let options = parse(arguments, &manager.cli.spec);
    if is_harmless(&options, manager.cli.harmless) {
        return true;
    }
    let Some((deed, used)) = manager.packages.lines().find_map(|line| {
        let (words, deed) = line.split_once(": ")?;
        let used = words_fit(words, &options)?;
        Some((deed, used))
    }) else {
        return judge_options(call, &options, &manager.cli);
    };
    act(call, &options, manager, deed, used);
    true
}

fn words_fit(words: &str, options: &Options<'_>) -> Option<usize> {
    let mut used = 0;
    for word in words.split(' ') {
        let given = options.operand(used)?;
        used += 1;
        word.split('|').any(|one| one == given || one == "*").then_some(())?;
    }
    Some(used)
}

fn act(call: &mut Call<'_, '_>, options: &Options<'_>, manager: &Manager, deed: &str, used: usize) {
    let names = options.operands.get(used..).unwrap_or_default();
    let force = options.has(manager.cli.force);
    if !matches!(deed, "uninstall" | "autoremove") {
        sources::options(call, options);
        sources::index(call, options, manager.index);
        sources::environment(call);
    }
    match deed {
        "locked" => _ = call.effect(Kind::Install, Act::InstallLocked, Target::None),
        "install" if names.is_empty() => {
            call.effect(Kind::Install, Act::InstallLocked, Target::None);
        }
        "install" | "install-named" | "install-global" => {
            let global = deed == "install-global" || options.has(manager.global);
            for name in names {
                install(call, name, global, manager.short_git);
            }
        }
        "autoremove" if names.is_empty() => {
            call.effect(Kind::Install, Act::Uninstall, Target::None);
        }
        "upgrade" if names.is_empty() => {
            call.effect(Kind::Install, Act::Upgrade, Target::None);
        }
        _ => {
            let action = if deed == "upgrade" { Act::Upgrade } else { Act::Uninstall };
            for name in names {
                named(call, action, name).force = force;
            }
        }
    }
}

fn named<'e>(call: &'e mut Call<'_, '_>, action: Act, name: &Field) -> &'e mut Effect {
    let effect = call.effect_at(Kind::Install, action, Call::named(name), name.span);
    if name.exact().is_none() {
        effect.certainty = effect.certainty.min(Certainty::Possible);
    }
    effect
}

/// One package is installed, from wherever its name says.
fn install(call: &mut Call<'_, '_>, package: &Field, global: bool, short_git: bool) {
    let text = package.prefix();
    // `name @ https://...`, as Python has it.
    let text = text.split_once(" @ ").map_or(text, |(_, address)| address);
    match origin(text, short_git) {
        Some(Act::InstallFile) => {
            let path = ["file:", "link:"].iter().find_map(|prefix| package.after(prefix));
            call.on_path(Kind::Install, Act::InstallFile, path.as_ref().unwrap_or(package));
        }
        Some(action) => {
            let source = Source::Network(Rc::from(text));
            let target = Target::Host(package.shown());
            call.effect_at(Kind::Install, action, target, package.span).sources = Flow::of(source);
        }
        None => {
            named(call, if global { Act::InstallGlobal } else { Act::Install }, package);
        }
    }
}

const ARCHIVES: &[&str] = &[
    ".tgz",
    ".tar.gz",
    ".whl",
    ".deb",
    ".rpm",
    ".apk",
    ".gem",
    ".zip",
    ".snap",
    ".vsix",
    ".pkg.tar.zst",
];

/// The action for a package that is not a plain name.
fn origin(text: &str, short_git: bool) -> Option<Act> {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.starts_with(prefix));
    let bare = text.split('#').next().unwrap_or(text);
    if starts(&["git+", "git@", "git:", "github:", "gitlab:", "bitbucket:", "gist:", "ssh:"])
        || bare.rsplit_once('.').is_some_and(|(_, ending)| ending == "git")
    {
        Some(Act::InstallGit)
    } else if text.contains("://") {
        Some(Act::InstallUrl)
    } else if starts(&["./", "../", "/", "~/", "file:", "link:"])
        || matches!(text, "." | "..")
        || text.starts_with(".[")
        || text.ends_with('/')
        || ARCHIVES.iter().any(|end| text.ends_with(end))
    {
        Some(Act::InstallFile)
    } else if short_git && text.contains('/') && !starts(&["@", "npm:", "jsr:"]) {
        Some(Act::InstallGit)
    } else {
        None
    }
}

/// The arguments after the first that is this word.
fn after<'a>(arguments: &'a [Field], word: &str) -> &'a [Field] {
    let at = arguments.iter().position(|field| field.is(word));
    at.and_then(|at| arguments.get(at + 1..)).unwrap_or_default()
}

/// Runs the command after the options: `poetry run pytest`.
fn run(call: &mut Call<'_, '_>, arguments: &[Field], spec: &Spec) {
    let options = parse(arguments, spec);
    if options.has(&["h", "help"]) {
        return;
    }
    let argv = arguments.get(options.consumed..).unwrap_or_default();
    if !argv.is_empty() {
        call.stdout = call.run(argv);
    }
}

/// Products of a build are deleted.
fn build_clean(call: &mut Call<'_, '_>, place: &Field) {
    let effect = call.on_path(Kind::Delete, Act::BuildClean, place);
    effect.recursive = true;
}
