//! Programs that delete files.
//!
//! Actions: `remove` (deleted), `remove-empty-directory` (only if it is empty), `shred` (overwritten
//! so that it cannot be restored, then perhaps deleted), `trash` (moved to the trash, where it can be
//! restored), `empty-trash` (what was in the trash is deleted).

use super::files::{Device, device, forget, only_shows, pattern_parts};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::{Certainty, Kind};
use crate::options::{Options, Spec};
use crate::target::Target;
use crate::value::{Field, Part};

pub(super) const PROGRAMS: Programs = &[
    ("rm", rm),
    ("grm", rm),
    ("rmdir", rmdir),
    ("unlink", unlink),
    ("shred", shred),
    ("gshred", shred),
    ("srm", wipe),
    ("wipe", wipe),
    ("scrub", shred),
    ("rimraf", rimraf),
    ("del-cli", rimraf),
    ("trash", trash),
    ("trash-cli", trash),
    ("trash-put", trash),
    ("rmtrash", trash),
    ("gtrash", trash),
    ("trash-rm", trash_empty),
    ("trash-empty", trash_empty),
    ("gio", gio),
];

const RM: Spec = Spec::new(
    "",
    "recursive force interactive=? one-file-system no-preserve-root preserve-root=? \
     verbose dir help version",
);

fn rm(call: &mut Call<'_, '_>) {
    let options = call.options(&RM);
    if only_shows(&options) {
        return;
    }
    let recursive = options.has(&["r", "R", "recursive"]);
    let last = options.find(&["f", "force", "i", "I", "interactive"]);
    let force = last.is_some_and(|found| matches!(found.name, "f" | "force"));
    let asks = !force
        && last.is_some_and(|found| {
            !found.value.as_ref().is_some_and(|when| when.is("never") || when.is("no"))
        });
    let hidden = flags_may_hide(&options);
    for (index, field) in options.operands.iter().enumerate() {
        if field.is("") {
            continue;
        }
        let refused = is_dot(field);
        forget(call, field);
        let effect = call.on_path(Kind::Delete, Act::Remove, field);
        effect.recursive = recursive;
        effect.force = force;
        if asks || refused {
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
        if recursive && let Some(meant) = meant_home(call, field) {
            let effect = call.on_path(Kind::Delete, Act::Remove, &meant);
            effect.recursive = true;
            effect.force = force;
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
        if !recursive && hidden.is_some_and(|first| first < index) && !splits(field) {
            let effect = call.on_path(Kind::Delete, Act::Remove, field);
            effect.recursive = true;
            effect.force = true;
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
    }
}

/// `rm -rf "~"`, and a `~` out of a variable: the shell takes it for a name, but whoever wrote it
/// means home, and one more round of reading makes it that.
fn meant_home(call: &Call<'_, '_>, field: &Field) -> Option<Field> {
    let rest = field.after("~")?;
    if !(rest.is("") || rest.prefix().starts_with('/')) {
        return None;
    }
    let mut meant = Field::text(call.machine.world.home?, field.span);
    rest.parts.iter().for_each(|part| meant.push(part.clone()));
    Some(meant)
}

/// `rm $flags /x`: the first unquoted unknown argument may hold options for those after it.
fn flags_may_hide(options: &Options<'_>) -> Option<usize> {
    let before = options.after_dashes.unwrap_or(options.operands.len());
    options.operands.iter().take(before).position(|field| splits(field))
}

fn splits(field: &Field) -> bool {
    matches!(field.parts.as_slice(), [Part::Unknown(unknown)] if unknown.splits)
}

/// Most versions of `rm` refuse to delete these.
fn is_dot(field: &Field) -> bool {
    field.exact().is_some_and(|path| {
        let path = path.trim_end_matches('/');
        matches!(path.rsplit('/').next(), Some("." | ".."))
    })
}

fn rmdir(call: &mut Call<'_, '_>) {
    let spec = Spec::new("", "ignore-fail-on-non-empty parents verbose help version");
    let options = call.options(&spec);
    if only_shows(&options) {
        return;
    }
    for field in &options.operands {
        call.on_path(Kind::Delete, Act::RemoveEmptyDirectory, field);
    }
}

fn unlink(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("", "help version"));
    if only_shows(&options) {
        return;
    }
    for field in &options.operands {
        forget(call, field);
        call.on_path(Kind::Delete, Act::Remove, field);
    }
}

fn shred(call: &mut Call<'_, '_>) {
    let spec = Spec::new(
        "n:s:p:D:X:b:",
        "force iterations= random-source= size= remove=? verbose exact zero pattern= \
         blocksize= help version",
    );
    let options = call.options(&spec);
    if only_shows(&options) {
        return;
    }
    let remove = options.has(&["u", "remove"]);
    let force = options.has(&["f", "force"]);
    for field in &options.operands {
        if field.is("-") {
            continue;
        }
        let kind = match device(&call.machine.path(field)) {
            Device::Real => Kind::Device,
            _ => Kind::Overwrite,
        };
        call.on_path(kind, Act::Shred, field).force = force;
        if remove {
            call.on_path(Kind::Delete, Act::Shred, field).force = force;
        }
        forget(call, field);
    }
}

fn wipe(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("S:l:o:n:x:p:Q:", "help version"));
    if only_shows(&options) || options.has(&["h"]) {
        return;
    }
    let recursive = options.has(&["r", "R", "recursive"]);
    let force = options.has(&["f", "force"]);
    for field in &options.operands {
        let kind = match device(&call.machine.path(field)) {
            Device::Real => Kind::Device,
            _ => Kind::Delete,
        };
        let effect = call.on_path(kind, Act::Shred, field);
        effect.recursive = recursive;
        effect.force = force;
    }
}

/// The npm packages: always recursive, never asking, with patterns of their own.
fn rimraf(call: &mut Call<'_, '_>) {
    let spec = Spec::new(
        "",
        "impl= tmp= max-retries= retry-delay= backoff= cwd= glob=? no-glob dry-run \
         interactive help version",
    );
    let options = call.options(&spec);
    if only_shows(&options) || options.has(&["h", "dry-run"]) {
        return;
    }
    let asks = options.has(&["i", "interactive"]);
    for field in &options.operands {
        let mut target = (*field).clone();
        if let Some(text) = field.exact()
            && text.contains(['*', '?', '['])
        {
            target.parts = pattern_parts(text).parts;
        }
        let effect = call.on_path(Kind::Delete, Act::Remove, &target);
        effect.recursive = true;
        effect.force = !asks;
        if asks {
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
    }
}

fn trash(call: &mut Call<'_, '_>) {
    let spec = Spec::new("", "trash-dir= home-fallback help version");
    let options = call.options(&spec);
    if only_shows(&options) {
        return;
    }
    for field in &options.operands {
        call.on_path(Kind::Move, Act::Trash, field);
    }
}

fn trash_empty(call: &mut Call<'_, '_>) {
    let spec = Spec::new("", "trash-dir= dry-run force help version");
    let options = call.options(&spec);
    if only_shows(&options) || options.has(&["dry-run", "h"]) {
        return;
    }
    call.effect(Kind::Delete, Act::EmptyTrash, Target::name("trash"));
}

fn gio(call: &mut Call<'_, '_>) {
    let Some((command, rest)) = call.arguments().split_first() else {
        return;
    };
    let options = crate::options::parse(rest, &Spec::new("", "force empty list help"));
    if options.has(&["help", "h"]) {
        return;
    }
    let force = options.has(&["f", "force"]);
    match command.exact() {
        Some("trash") if options.has(&["empty"]) => {
            call.effect(Kind::Delete, Act::EmptyTrash, Target::name("trash"));
        }
        Some("trash") if !options.has(&["list", "restore"]) => {
            for field in &options.operands {
                call.on_path(Kind::Move, Act::Trash, field).force = force;
            }
        }
        Some("remove") => {
            for field in &options.operands {
                call.on_path(Kind::Delete, Act::Remove, field).force = force;
            }
        }
        Some(name @ ("copy" | "move")) => {
            let mut argv =
                vec![Field::text(if name == "copy" { "cp" } else { "mv" }, command.span)];
            argv.extend_from_slice(rest);
            call.run(&argv);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Stream;
    use crate::run::Machine;
    use crate::run::testing::{check, line};
    use crate::span::Span;
    use crate::value::{Field, Part, Unknown};
    use crate::world::Surroundings;

    #[test]
    fn rm_deletes_what_it_names() {
        check(&[
            (&["rm", "-rf", "node_modules"], &["delete remove /shop/node_modules certain -r -f"]),
            (
                &["rm", "a", "b"],
                &["delete remove /shop/a certain", "delete remove /shop/b certain"],
            ),
            (&["rm", "x", "-fr"], &["delete remove /shop/x certain -r -f"]),
            (&["rm", "--rec", "--for", "/"], &["delete remove / certain -r -f"]),
            (&["rm", "--no-preserve-root", "-R", "/etc"], &["delete remove /etc certain -r"]),
            (&["rm", "--", "-rf"], &["delete remove /shop/-rf certain"]),
            (&["rm", "-f", "-i", "x"], &["delete remove /shop/x possible"]),
            (&["rm", "-i", "-f", "x"], &["delete remove /shop/x certain -f"]),
            (&["rm", "--interactive=never", "x"], &["delete remove /shop/x certain"]),
            (&["rm", "-rf", "."], &["delete remove /shop possible -r -f"]),
            (&["unlink", "x"], &["delete remove /shop/x certain"]),
        ]);
    }

    #[test]
    fn asking_for_help_deletes_nothing() {
        check(&[
            (&["rm", "-rf", "x", "--help"], &[]),
            (&["rm", "--ver"], &[]),
            (&["rm", "-rf"], &[]),
            (&["rm", "-rf", ""], &[]),
            (&["rimraf", "--dry-run", "x"], &[]),
            (&["gio", "trash", "--list"], &[]),
        ]);
    }

    #[test]
    fn other_ways_to_delete_are_told_apart() {
        check(&[
            (&["rmdir", "-p", "a/b"], &["delete remove-empty-directory /shop/a/b certain"]),
            (&["shred", "-n", "3", "key"], &["overwrite shred /shop/key certain"]),
            (
                &["shred", "-uvzf", "key"],
                &["overwrite shred /shop/key certain -f", "delete shred /shop/key certain -f"],
            ),
            (&["shred", "/dev/sda"], &["device shred /dev/sda certain"]),
            (&["srm", "-rf", "d"], &["delete shred /shop/d certain -r -f"]),
            (&["rimraf", "dist/*"], &["delete remove /shop/dist/* possible -r -f"]),
            (&["trash-put", "x"], &["move trash /shop/x certain"]),
            (&["gio", "trash", "x"], &["move trash /shop/x certain"]),
            (&["gio", "trash", "--empty"], &["delete empty-trash trash certain"]),
            (&["gio", "remove", "-f", "x"], &["delete remove /shop/x certain -f"]),
        ]);
    }

    #[test]
    fn an_unknown_word_may_hold_options() {
        let world = Surroundings { cwd: Some("/shop"), ..Surroundings::default() };
        let shown = |quoted: bool| -> Vec<String> {
            let unknown = Part::Unknown(Unknown { name: "$x".into(), splits: !quoted });
            let argv = [
                Field::text("rm", Span::default()),
                Field { parts: vec![unknown], ..Field::default() },
                Field::text("/etc", Span::default()),
            ];
            let mut machine = Machine::new(&world, "");
            machine.execute(&argv, Stream::default());
            machine.finish().effects.iter().map(line).collect()
        };
        let certain = ["delete remove $x possible", "delete remove /etc certain"];
        assert_eq!(shown(true), certain);
        assert_eq!(shown(false), [&certain[..], &["delete remove /etc possible -r -f"]].concat());
    }
}
