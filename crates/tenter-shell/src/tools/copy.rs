//! Programs that copy, move and link files on this machine.
//!
//! Actions: `move` (a file goes elsewhere, and arrives there), `rename` (the same for many names by a
//! rule), `move-to-null` (a file is moved onto `/dev/null` and is gone), `copy`, `copy-attributes`
//! (all but the content), `truncate` (a file is made empty), `install`, `make-directory`,
//! `set-user-id` (a program gets the rights of its owner), `change-owner`, `symlink`, `hardlink`.

use super::files::{
    below, forget, inputs, kind_of, only_shows, put, relative, words, written_kind,
};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::{Certainty, Kind};
use crate::flow::Stream;
use crate::options::{Options, Spec};
use crate::target::Target;
use crate::value::Field;
use crate::world::{Language, PathKind};

pub(super) const PROGRAMS: Programs = &[
    ("mv", mv),
    ("gmv", mv),
    ("cp", cp),
    ("gcp", cp),
    // Of Windows, where the words of a command do not show that.
    ("copy", cp),
    ("install", install),
    ("ginstall", install),
    ("ln", ln),
    ("gln", ln),
    ("link", link),
    ("rename", rename),
    ("prename", rename),
    ("file-rename", rename),
    ("perl-rename", rename),
];

/// Sources and destination of a copy.
struct Transfer<'a> {
    sources: Vec<&'a Field>,
    place: Field,
    /// Whether `place` is a directory; `None` if unknown.
    into: Option<bool>,
}

const TRANSFER: &[&str] = &["t", "target-directory"];
const AS_FILE: &[&str] = &["T", "no-target-directory"];

fn transfer<'a>(call: &Call<'_, '_>, options: &Options<'a>) -> Option<Transfer<'a>> {
    if let Some(place) = options.value(TRANSFER) {
        let place = place.clone();
        return Some(Transfer { sources: options.operands.clone(), place, into: Some(true) });
    }
    let (place, sources) = options.operands.split_last()?;
    if sources.is_empty() {
        return None;
    }
    let into = if options.has(AS_FILE) {
        Some(false)
    } else if sources.len() > 1
        || sources.iter().any(|source| source.has_glob())
        || is_directory(call, place)
    {
        Some(true)
    } else {
        match kind_of(call, place) {
            Some(PathKind::Directory) => Some(true),
            Some(_) => Some(false),
            None => None,
        }
    };
    Some(Transfer { sources: sources.to_vec(), place: (*place).clone(), into })
}

/// Whether it is a directory, by its spelling or because it is well known.
pub(super) fn is_directory(call: &Call<'_, '_>, field: &Field) -> bool {
    let end = field.suffix();
    if end.ends_with('/')
        || end.ends_with("/.")
        || end.ends_with("/..")
        || end == "."
        || end == ".."
        || end.ends_with("/bin")
        || end.ends_with("/sbin")
    {
        return true;
    }
    let path = call.machine.path(field);
    let Some(path) = path.exact() else {
        return false;
    };
    let known = [
        "/",
        "/tmp",
        "/var/tmp",
        "/etc",
        "/usr",
        "/usr/bin",
        "/usr/local/bin",
        "/bin",
        "/opt",
        "/dev/shm",
    ];
    let world = call.machine.world;
    let around = |place: Option<&str>| {
        place
            .and_then(|place| place.strip_prefix(path))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    known.contains(&path) || around(world.home) || around(world.cwd)
}

/// Whether it forces its way, and how sure it is to arrive: the last of these options counts.
fn caution(options: &Options<'_>) -> (bool, Certainty) {
    match options.find(&["f", "force", "i", "interactive", "n", "no-clobber"]) {
        None => (false, Certainty::Certain),
        Some(found) if matches!(found.name, "f" | "force") => (true, Certainty::Certain),
        Some(_) => (false, Certainty::Possible),
    }
}

/// Something comes to its new place.
fn arrive(
    call: &mut Call<'_, '_>,
    action: Act,
    transfer: &Transfer<'_>,
    source: &Field,
    content: &Stream,
    sure: (bool, Certainty),
    tree: bool,
) {
    let (force, certainty) = sure;
    let mut target = match transfer.into {
        Some(true) => below(&transfer.place, source),
        _ => transfer.place.clone(),
    };
    target.span = transfer.place.span;
    let kind = written_kind(call, &target, Kind::Write);
    if let Some(effect) = put(call, kind, action, &target, content.clone()) {
        effect.recursive = tree;
        effect.force = force;
        effect.certainty = effect.certainty.min(certainty);
    }
    if transfer.into.is_none() && !call.machine.budget.is_spent() {
        let path = call.machine.path(&below(&transfer.place, source));
        call.machine.set_content(&path, content, false);
    }
}

const MV: Spec = Spec::new(
    "t:S:",
    "backup=? context=? debug exchange force interactive no-clobber no-copy \
     no-target-directory strip-trailing-slashes suffix= target-directory= update=? \
     verbose help version",
);

fn mv(call: &mut Call<'_, '_>) {
    let options = call.options(&MV);
    call.stdout = Stream::default();
    if only_shows(&options) {
        return;
    }
    let Some(transfer) = transfer(call, &options) else {
        return;
    };
    let (force, certainty) = caution(&options);
    for source in &transfer.sources {
        if transfer.place.is("/dev/null") {
            let effect = call.on_path(Kind::Delete, Act::MoveToNull, source);
            effect.force = force;
            if transfer.into == Some(true) {
                // It is no directory: only some systems get that far.
                effect.certainty = effect.certainty.min(Certainty::Possible);
            }
            forget(call, source);
            continue;
        }
        let path = call.machine.path(source);
        let content = call.machine.content(&path);
        let recursive = kind_of(call, source) == Some(PathKind::Directory);
        forget(call, source);
        let effect = call.effect_at(Kind::Move, Act::Move, Target::Path(path), source.span);
        effect.recursive = recursive;
        effect.force = force;
        effect.certainty = effect.certainty.min(certainty);
        arrive(call, Act::Move, &transfer, source, &content, (force, certainty), recursive);
    }
}

const CP: Spec = Spec::new(
    "t:S:",
    "archive attributes-only backup=? context=? copy-contents debug dereference force \
     interactive keep-directory-symlink link no-clobber no-dereference no-preserve= \
     no-target-directory one-file-system parents preserve=? recursive reflink=? \
     remove-destination sparse= strip-trailing-slashes suffix= symbolic-link \
     target-directory= update=? verbose help version",
);

fn cp(call: &mut Call<'_, '_>) {
    let options = call.options(&CP);
    call.stdout = Stream::default();
    if only_shows(&options) {
        return;
    }
    let Some(transfer) = transfer(call, &options) else {
        return;
    };
    let recursive = options.has(&["r", "R", "a", "recursive", "archive"]);
    let (force, certainty) = caution(&options);
    let force = force || options.has(&["remove-destination"]);
    let link = options.has(&["l", "link", "s", "symbolic-link"]);
    let bare = options.has(&["attributes-only"]);
    for source in &transfer.sources {
        if bare {
            let mut target = transfer.place.clone();
            if transfer.into == Some(true) {
                target = below(&transfer.place, source);
            }
            call.on_path(Kind::Write, Act::CopyAttributes, &target);
            continue;
        }
        let content = if link {
            let path = call.machine.path(source);
            call.machine.content(&path)
        } else {
            inputs(call, Act::Copy, &[source], recursive)
        };
        if source.is("/dev/null") {
            put(call, Kind::Overwrite, Act::Truncate, &transfer.place, content);
            continue;
        }
        let tree = recursive && kind_of(call, source) != Some(PathKind::File);
        let hard = options.has(&["l", "link"]);
        let action = if hard { Act::Hardlink } else { Act::Copy };
        arrive(call, action, &transfer, source, &content, (force, certainty), tree);
    }
}

const INSTALL: Spec = Spec::new(
    "g:m:o:S:t:",
    "backup=? compare context=? debug directory group= mode= no-target-directory owner= \
     preserve-context preserve-timestamps strip strip-program= suffix= target-directory= \
     verbose help version",
);

fn install(call: &mut Call<'_, '_>) {
    let options = call.options(&INSTALL);
    call.stdout = Stream::default();
    if only_shows(&options) {
        return;
    }
    if options.has(&["d", "directory"]) {
        for field in &options.operands {
            call.on_path(Kind::Write, Act::MakeDirectory, field);
        }
        return;
    }
    let Some(transfer) = transfer(call, &options) else {
        return;
    };
    let sets_user = options.value(&["m", "mode"]).is_some_and(sets_user_id);
    let owner = options.has(&["o", "owner", "g", "group"]);
    for source in &transfer.sources {
        let content = inputs(call, Act::Copy, &[source], false);
        arrive(call, Act::Install, &transfer, source, &content, (false, Certainty::Certain), false);
        let mut target = transfer.place.clone();
        if transfer.into == Some(true) {
            target = below(&transfer.place, source);
        }
        if sets_user {
            call.on_path(Kind::Permission, Act::SetUserId, &target);
        }
        if owner {
            call.on_path(Kind::Owner, Act::ChangeOwner, &target);
        }
    }
    if let Some(program) = options.value(&["strip-program"])
        && options.has(&["s", "strip"])
    {
        let mut argv = words(program);
        argv.push(transfer.place.clone());
        call.run(&argv);
    }
}

/// Whether a mode as of `chmod` lets a program run as its owner or group.
fn sets_user_id(mode: &Field) -> bool {
    mode.exact().is_some_and(|mode| match u32::from_str_radix(mode, 8) {
        Ok(bits) => bits & 0o6000 != 0,
        Err(_) => mode.split(',').any(|part| part.contains(['+', '=']) && part.contains('s')),
    })
}

const LN: Spec = Spec::new(
    "t:S:",
    "backup=? directory force interactive logical no-dereference no-target-directory \
     physical relative suffix= symbolic target-directory= verbose help version",
);

fn ln(call: &mut Call<'_, '_>) {
    let options = call.options(&LN);
    call.stdout = Stream::default();
    if only_shows(&options) {
        return;
    }
    let transfer = match options.operands.as_slice() {
        [only] if !options.has(TRANSFER) => Some(Transfer {
            sources: vec![only],
            place: Field::text(".", only.span),
            into: Some(true),
        }),
        _ => transfer(call, &options),
    };
    let Some(transfer) = transfer else {
        return;
    };
    let symbolic = options.has(&["s", "symbolic"]);
    let force = options.has(&["f", "force"]);
    let from_link = symbolic && !options.has(&["r", "relative"]);
    for source in &transfer.sources {
        // A symbolic link is followed from where it stands.
        let leads_to = if from_link {
            match transfer.into {
                Some(true) => relative(&transfer.place, source),
                _ => relative(&parent(&transfer.place), source),
            }
        } else {
            (*source).clone()
        };
        let path = call.machine.path(&leads_to);
        let content = call.machine.content(&path);
        let action = if symbolic { Act::Symlink } else { Act::Hardlink };
        // Below a link to a folder stands what is in that folder.
        let tree = symbolic && kind_of(call, &leads_to) == Some(PathKind::Directory);
        arrive(call, action, &transfer, source, &content, (force, Certainty::Certain), tree);
        if symbolic && transfer.into != Some(true) {
            let place = call.machine.path(&transfer.place);
            call.machine.link(&place, &path);
        }
    }
}

fn parent(field: &Field) -> Field {
    let text = field.exact().and_then(|path| path.trim_end_matches('/').rsplit_once('/'));
    match text {
        Some(("", _)) => Field::text("/", field.span),
        Some((parent, _)) => Field::text(parent, field.span),
        None => Field::text(".", field.span),
    }
}

fn link(call: &mut Call<'_, '_>) {
    let [source, place] = call.arguments() else {
        return;
    };
    let path = call.machine.path(source);
    let content = call.machine.content(&path);
    call.stdout = Stream::default();
    put(call, Kind::Write, Act::Hardlink, place, content);
}

/// Two programs of this name: one takes `from to files`, the other a Perl expression and files.
fn rename(call: &mut Call<'_, '_>) {
    let spec = Spec::new(
        "e:E:",
        "no-act nono just-print dry-run verbose symlink no-overwrite interactive force \
         all last null help version man",
    );
    let options = call.options(&spec);
    call.stdout = Stream::default();
    if only_shows(&options) || options.has(&["n", "no-act", "nono", "just-print", "dry-run", "h"]) {
        return;
    }
    let given: Vec<&Field> = options.values(&["e", "E"]).collect();
    let first = options.operands.first();
    let perl = first.filter(|field| is_perl_rule(field.prefix()));
    let skip = match (given.is_empty(), perl) {
        (false, _) => 0,
        (true, Some(_)) => 1,
        (true, None) => 2,
    };
    for code in given.into_iter().chain(perl.copied()) {
        call.run_code(Language::Perl, code);
    }
    let force = options.has(&["f", "force"]);
    for field in options.operands.iter().skip(skip) {
        let path = call.machine.path(field);
        let effect = call.effect_at(Kind::Move, Act::Rename, Target::Path(path), field.span);
        effect.force = force;
    }
}

fn is_perl_rule(text: &str) -> bool {
    let rest = ["s", "y", "tr"].iter().find_map(|name| text.strip_prefix(name));
    rest.and_then(|rest| rest.chars().next())
        .is_some_and(|next| next.is_ascii_punctuation() && !matches!(next, '.' | '-' | '_'))
}

#[cfg(test)]
mod tests {
    use crate::flow::Stream;
    use crate::run::Machine;
    use crate::run::testing::{check, line};
    use crate::span::Span;
    use crate::value::Field;
    use crate::world::{FileFacts, PathKind, Surroundings};

    #[test]
    fn moving_takes_from_one_place_and_writes_another() {
        check(&[
            (
                &["mv", "a", "b"],
                &["move move /shop/a certain", "write move /shop/b certain <[File(\"/shop/a\")]"],
            ),
            (
                &["mv", "-f", "x/a", "b/"],
                &[
                    "move move /shop/x/a certain -f",
                    "write move /shop/b/a certain -f <[File(\"/shop/x/a\")]",
                ],
            ),
            (
                &["mv", "-t", "/tmp", "a"],
                &["move move /shop/a certain", "write move /tmp/a certain <[File(\"/shop/a\")]"],
            ),
            (
                &["mv", "a", "/tmp"],
                &["move move /shop/a certain", "write move /tmp/a certain <[File(\"/shop/a\")]"],
            ),
            (&["mv", "-fv", "a", "/dev/null"], &["delete move-to-null /shop/a certain -f"]),
            (&["mv", "/dev/null"], &[]),
            (&["mv", "a", "b", "--help"], &[]),
        ]);
    }

    #[test]
    fn copying_reads_and_writes() {
        check(&[
            (
                &["cp", "-r", "/etc/ssl", "x"],
                &[
                    "read copy /etc/ssl certain -r",
                    "write copy /shop/x certain -r <[File(\"/etc/ssl\")]",
                ],
            ),
            (&["cp", "/dev/null", "log"], &["overwrite truncate /shop/log certain"]),
            (&["cp", "/dev/zero", "/dev/sda"], &["device write-device /dev/sda certain"]),
            (&["cp", "--attributes-only", "a", "b"], &["write copy-attributes /shop/b certain"]),
            (&["cp", "only"], &[]),
            (
                &["install", "-m", "4755", "sh", "/usr/bin/x"],
                &[
                    "read copy /shop/sh certain",
                    "write install /usr/bin/x certain <[File(\"/shop/sh\")]",
                    "permission set-user-id /usr/bin/x certain",
                ],
            ),
            (&["install", "-d", "/opt/x"], &["write make-directory /opt/x certain"]),
        ]);
    }

    #[test]
    fn a_link_carries_what_it_leads_to() {
        check(&[
            (
                &["ln", "-sf", "/etc/passwd", "x"],
                &["write symlink /shop/x certain -f <[File(\"/etc/passwd\")]"],
            ),
            (
                &["ln", "-s", "../b", "d/x"],
                &["write symlink /shop/d/x certain <[File(\"/shop/b\")]"],
            ),
            (&["ln", "-s", "/a/b"], &["write symlink /shop/b certain <[File(\"/a/b\")]"]),
            (&["link", "a", "b"], &["write hardlink /shop/b certain <[File(\"/shop/a\")]"]),
        ]);
    }

    #[test]
    fn renaming_by_rule_moves_the_files_named() {
        check(&[
            (&["rename", ".a", ".b", "x.a"], &["move rename /shop/x.a certain"]),
            (&["rename", "s/a/b/", "x.a"], &["move rename /shop/x.a certain"]),
            (&["rename", "-n", "s/a/b/", "x.a"], &[]),
        ]);
    }

    /// `/shop/d` is a directory, `/shop/f` a file, nothing else exists.
    struct Disk;

    impl FileFacts for Disk {
        fn kind(&self, path: &str) -> Option<PathKind> {
            Some(match path {
                "/shop/d" => PathKind::Directory,
                "/shop/f" => PathKind::File,
                _ => PathKind::Missing,
            })
        }
    }

    #[test]
    fn facts_tell_directories_from_files_and_new_from_old() {
        let world = Surroundings { cwd: Some("/shop"), facts: &Disk, ..Surroundings::default() };
        for (argv, expected) in [
            (["cp", "x", "d"], "write copy /shop/d/x certain"),
            (["cp", "x", "f"], "overwrite copy /shop/f certain"),
            (["cp", "x", "new"], "write copy /shop/new certain"),
            (["mv", "d", "new"], "write move /shop/new certain"),
        ] {
            let mut machine = Machine::new(&world, "");
            let argv = argv.map(|word| Field::text(word, Span::default()));
            machine.execute(&argv, Stream::default());
            let lines: Vec<String> = machine.finish().effects.iter().map(line).collect();
            assert!(lines.iter().any(|line| line.starts_with(expected)), "{lines:?}");
        }
    }
}
