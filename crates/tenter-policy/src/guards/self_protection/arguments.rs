//! Checks protected paths in arguments of programs not known to be read-only. Not all programs can be known,
//! so a path that no effect covers is asked about.

use tenter_shell::Act;
use tenter_shell::{Effect, Field, Kind, PathTarget, Ran, Source, Target, is_agent, is_known};

use super::{ARGUMENT, is_own_name, places, protects};
use crate::finding::{At, Found};
use crate::places::Zone;
use crate::scene::Scene;

/// Programs that only read their arguments, or open them for the user.
const READERS: &[&str] = &[
    ".",
    ":",
    "[",
    "[[",
    "ack",
    "ag",
    "ajv",
    "alias",
    "b2sum",
    "basename",
    "bat",
    "batcat",
    "cat",
    "cd",
    "check-jsonschema",
    "cksum",
    "cloc",
    "cmp",
    "code",
    "code-insiders",
    "colordiff",
    "column",
    "comm",
    "command",
    "ctags",
    "cursor",
    "cut",
    "declare",
    "delta",
    "df",
    "diff",
    "diff3",
    "difft",
    "dirname",
    "du",
    "echo",
    "egrep",
    "entr",
    "exa",
    "export",
    "eza",
    "false",
    "fd",
    "fdfind",
    "fgrep",
    "file",
    "find",
    "fmt",
    "fold",
    "fswatch",
    "fx",
    "getcap",
    "getfacl",
    "glow",
    "gojq",
    "grep",
    "gron",
    "hash",
    "head",
    "help",
    "hexdump",
    "hexyl",
    "icdiff",
    "inotifywait",
    "jaq",
    "jless",
    "join",
    "jq",
    "jsonlint",
    "la",
    "ldd",
    "less",
    "ll",
    "local",
    "locate",
    "ls",
    "lsattr",
    "lsd",
    "lsof",
    "man",
    "md5sum",
    "mdcat",
    "mktemp",
    "more",
    "most",
    "namei",
    "nl",
    "nm",
    "objdump",
    "od",
    "open",
    "otool",
    "paste",
    "pgrep",
    "popd",
    "printf",
    "ps",
    "pushd",
    "pwd",
    "pygmentize",
    "readelf",
    "readlink",
    "readonly",
    "realpath",
    "rev",
    "rg",
    "scc",
    "set",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shasum",
    "shellcheck",
    "size",
    "source",
    "stat",
    "strings",
    "subl",
    "sum",
    "tac",
    "tail",
    "taplo",
    "tenter",
    "test",
    "tokei",
    "tr",
    "tree",
    "true",
    "type",
    "ugrep",
    "uniq",
    "unset",
    "wc",
    "whereis",
    "which",
    "xdg-open",
    "xmllint",
    "xxd",
    "yamllint",
    "zed",
];

/// Subcommands of git that write to the paths in their arguments.
const GIT: &[&str] = &[
    "archive",
    "bundle",
    "clone",
    "config",
    "format-patch",
    "init",
    "merge-file",
    "submodule",
    "worktree",
];

/// Interpreters that take code as an argument.
const INTERPRETERS: &[&str] = &[
    "ansible", "bun", "deno", "emacs", "ex", "lua", "node", "nvim", "perl", "php", "python",
    "python2", "python3", "ruby", "vi", "vim",
];

/// Programs that write only with one of these arguments.
const WRITES_WITH: &[(&str, &[&str])] = &[
    ("crudini", &["--set", "--del", "--merge"]),
    ("dasel", &["put", "delete", "-w", "--write"]),
    ("json", &["-I", "--in-place"]),
    ("xmlstarlet", &["ed", "edit"]),
];

/// Wrappers whose own options name output files.
const WRAPPERS: &[&str] =
    &["hyperfine", "logsave", "ltrace", "perf", "script", "strace", "valgrind"];

/// Programs that run a command on another machine or in a container.
const ELSEWHERE: &[&str] = &[
    "docker", "kubectl", "lxc", "mosh", "nerdctl", "oc", "podman", "rsh", "ssh", "vagrant", "wsl",
];

/// Words in code that changes files.
const CHANGES: &[&str] = &[
    "chmod",
    "fileinput",
    "filemode",
    "FileHandler",
    "link",
    "move",
    "open",
    "remove",
    "rename",
    "replace",
    "rmdir",
    "rmtree",
    "truncate",
    "unlink",
    "write",
];

/// Maximum number of arguments examined per program.
const MOST: usize = 256;

/// Checks one program. It is asked for its name: for most of these no judge says what they do.
pub(super) fn look(scene: &Scene<'_>, at: usize, ran: &Ran, found: &mut Found<'_>) {
    let program = ran.program.as_str();
    let by = |names: &[&str]| ran.via.iter().any(|via| names.contains(&&*via.name));
    if by(ELSEWHERE) {
        return;
    }
    if by(WRAPPERS) {
        wraps(scene, at, ran, found);
    }
    let words = || ran.argv.iter().skip(1).filter_map(Field::exact);
    let is_idle = WRITES_WITH
        .iter()
        .any(|(name, with)| *name == program && !words().any(|word| with.contains(&word)));
    if READERS.contains(&program) || is_agent(program) || is_idle {
        return;
    }
    let word = |at: usize| ran.argv.get(at).and_then(Field::exact).unwrap_or_default();
    if program == "git" && !ran.argv.iter().any(|it| it.exact().is_some_and(|it| GIT.contains(&it)))
    {
        return;
    }
    let known = is_known(program);
    let given = Given { scene, at, ran, known, code: INTERPRETERS.contains(&program) };
    for field in ran.argv.iter().skip(1).take(MOST) {
        if let Some(text) = field.exact()
            && let Some((holder, path)) = given.holder(text)
        {
            let what = format!("lets {program} change the settings of {holder}: {path}");
            found.add(&ARGUMENT, At::span(ran.span, &path), what);
            return;
        }
    }
    if program == "cargo" && word(1) == "install" {
        builds_own(scene, ran, found);
    }
    if matches!(program, "docker" | "podman" | "nerdctl") && word(1) == "cp" {
        copies_out(scene, ran, found);
    }
}

/// Checks a wrapper's own arguments: `valgrind --log-file=$HOME/.claude/settings.json ls`.
fn wraps(scene: &Scene<'_>, at: usize, ran: &Ran, found: &mut Found<'_>) {
    let Some(first) = ran.via.iter().find(|via| WRAPPERS.contains(&&*via.name)) else { return };
    let command = scene.command.as_deref().unwrap_or_default();
    let given = Given { scene, at, ran, known: true, code: false };
    let words = command.split_ascii_whitespace().map(|word| word.trim_matches(['"', '\'', ';']));
    let is_own = |word: &&str| ran.argv.iter().any(|field| field.exact() == Some(word));
    let mut words = words.take(MOST).filter(|word| !is_own(word));
    if let Some((holder, path)) = words.find_map(|word| given.holder(word)) {
        let program = &first.name;
        let what = format!("gives {path}, settings of {holder}, to {program}, which may change it");
        found.add(&ARGUMENT, At::span(ran.span, &path), what);
    }
}

/// Arguments of one program.
struct Given<'g, 's> {
    scene: &'g Scene<'s>,
    at: usize,
    ran: &'g Ran,
    /// The shell crate knows the program, and its effects tell what it does.
    known: bool,
    /// Its arguments may be code.
    code: bool,
}

impl Given<'_, '_> {
    /// The owner of settings named by an argument that no effect covers.
    fn holder(&self, text: &str) -> Option<(&'static str, String)> {
        if !text.contains(['/', '.', '\\']) || text.ends_with(":ro") || text.contains("readonly") {
            return None;
        }
        if text.contains([' ', '\n', '"', '\'']) {
            return self.in_text(text);
        }
        let value = text.split_once('=').map_or("", |(_, value)| value);
        let parts = value.split([',', ':']).chain(text.split(','));
        let inner = parts.map(|part| part.split_once('=').map_or(part, |(_, value)| value));
        let first = text.split(':').next().unwrap_or_default();
        [text, value, first].into_iter().chain(inner).find_map(|path| self.leads(path))
    }

    /// Quoted paths in code or in option texts: `'src=x dest=/home/me/.claude/settings.json'`.
    fn in_text(&self, text: &str) -> Option<(&'static str, String)> {
        if self.known && (!self.code || !CHANGES.iter().any(|word| text.contains(word))) {
            return None;
        }
        let mut before = ' ';
        let mut rest = text;
        while let Some(at) = rest.find(['"', '\'', '=', ' ', '\n', '(', ')', ',']) {
            let (token, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
            if matches!(before, '"' | '\'' | '=')
                && let Some(found) = self.leads(token)
            {
                return Some(found);
            }
            before = tail.chars().next().unwrap_or(' ');
            rest = tail.get(before.len_utf8()..).unwrap_or_default();
        }
        (before == '=').then(|| self.leads(rest)).flatten()
    }

    fn leads(&self, path: &str) -> Option<(&'static str, String)> {
        if path.len() < 5 || path.len() > 4096 || path.contains("://") {
            return None;
        }
        let home = self.scene.world.home.unwrap_or("~").trim_end_matches('/');
        let from_home = path.strip_prefix("~/").or_else(|| path.strip_prefix("$HOME/"));
        let path = from_home.map_or(path.to_owned(), |rest| format!("{home}/{rest}"));
        let field = Field::text(path, self.ran.span);
        let mut target = PathTarget::resolve(&field, self.ran.cwd.as_deref().or(self.scene.cwd));
        let shown = target.shown().trim_end_matches('/').to_owned();
        if let Some(exact) = target.exact().filter(|it| it.contains("/.") || it.contains("bin/")) {
            target.real = self.scene.world.facts.real_path(exact).filter(|real| real != exact);
        }
        let holder = protects(self.scene, &target, false).or_else(|| self.folder(&shown))?;
        let temporary = self.scene.places.zone(&target) == Zone::Temporary;
        let is_folder = protects(self.scene, &target, false).is_none();
        (!temporary && !self.is_accounted(&shown, is_folder)).then_some((holder, shown))
    }

    /// A settings folder in the home; those of projects are passed to linters and formatters.
    fn folder(&self, path: &str) -> Option<&'static str> {
        let home = self.scene.world.home?.trim_end_matches('/');
        let rest = path.strip_prefix(home)?.strip_prefix("/.")?;
        let is_near = !rest.is_empty() && !rest.starts_with("github");
        places::below(path).next().map(|(holder, _)| holder).filter(|_| is_near)
    }

    /// Whether an effect covers a path; for an unknown program only its own effects count.
    fn is_accounted(&self, path: &str, is_folder: bool) -> bool {
        let own = u32::try_from(self.at).ok();
        // Opening a folder does not tell the purpose.
        let says = |effect: &&Effect| match effect.kind {
            Kind::Container => false,
            Kind::Read => !(is_folder && self.code),
            _ => true,
        };
        let about = |effect: &&Effect| self.known || effect.command == own;
        let names = |other: &str| {
            let other =
                other.trim_end_matches("/**/*").trim_end_matches("/*").trim_end_matches('/');
            other == path || other.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
        };
        self.scene.effects().iter().filter(about).filter(says).any(|effect| {
            let target = effect.target.path().is_some_and(|it| names(&it.shown()));
            let of = |source: &Source| matches!(source, Source::File(file) if names(file));
            target || effect.sources.sources().iter().any(of)
        })
    }
}

/// `docker cp box:/tenter ~/.local/bin/`
fn copies_out(scene: &Scene<'_>, ran: &Ran, found: &mut Found<'_>) {
    let mut operands =
        ran.argv.iter().skip(2).filter_map(Field::exact).filter(|it| !it.starts_with("--"));
    let (Some(source), Some(place)) = (operands.next(), operands.next_back()) else { return };
    let Some(name) = source.split_once(':').and_then(|(_, path)| path.rsplit('/').next()) else {
        return;
    };
    let path = format!("{}/{name}", place.trim_end_matches('/'));
    let target = PathTarget::resolve(&Field::text(path, ran.span), ran.cwd.as_deref());
    if let Some(holder) = protects(scene, &target, false) {
        let shown = target.shown();
        let what = format!("overwrites the settings of {holder}: {shown}");
        found.add(&ARGUMENT, At::span(ran.span, &shown), what);
    }
}

/// Checks `cargo install --path . --root ~/.local` of a package with our name.
fn builds_own(scene: &Scene<'_>, ran: &Ran, found: &mut Found<'_>) {
    let words = || ran.argv.iter().skip(2).map(Field::prefix);
    let joined = words().find_map(|word| word.strip_prefix("--path="));
    let Some(path) = joined.or_else(|| words().skip_while(|word| *word != "--path").nth(1)) else {
        return;
    };
    let manifest = PathTarget::resolve(
        &Field::text(format!("{path}/Cargo.toml"), ran.span),
        ran.cwd.as_deref(),
    );
    let text = manifest
        .exact()
        .and_then(|path| scene.world.facts.read(path, 64 * 1024))
        .unwrap_or_default();
    let named = |line: &str| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "name").then(|| value.trim().trim_matches('"').to_owned())
    };
    if let Some(name) = text.lines().filter_map(named).find(|name| is_own_name(name)) {
        let what = format!("installs a program named like tenter: {name}");
        found.add(&ARGUMENT, At::span(ran.span, &name), what);
    }
}

/// Checks `npm i -g --prefix ~/.local tenter`: a package that provides another program of our name.
pub(super) fn installs(effect: &Effect, found: &mut Found<'_>) {
    if let (Kind::Install, Target::Name(name)) = (effect.kind, &effect.target)
        && effect.action != Act::Uninstall
        && is_own_name(name.split('@').next().unwrap_or(name))
    {
        let what = format!("installs a program named like tenter: {name}");
        found.add(&ARGUMENT, At::effect(effect, name), what);
    }
}
