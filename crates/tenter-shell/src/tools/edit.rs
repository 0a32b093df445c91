//! Programs that make, fill, cut and change files.
//!
//! Actions: `tee` (what passes through is also saved), `truncate` (cut to a size), `grow` (only made
//! longer), `touch` (made or dated), `make-directory`, `make-fifo`, `save` (standard input goes to a
//! file), `patch`, `split` (pieces of a file), `edit-in-place` (a file is changed where it stands),
//! `list` (read for names), `print` (read).

use super::files::{forget, input, inputs, only_shows, put, reshaped, unnamed, written_kind};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::{Options, Spec};
use crate::syntax::Dialect;
use crate::value::{Field, Part};
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[
    ("tee", tee),
    ("sponge", sponge),
    ("truncate", truncate),
    ("fallocate", fallocate),
    ("touch", touch),
    ("mkdir", mkdir),
    ("mkfifo", mkfifo),
    ("patch", patch),
    ("split", split),
    ("gsplit", split),
    ("csplit", csplit),
    ("dos2unix", in_place),
    ("unix2dos", in_place),
    ("sd", sd),
];

fn tee(call: &mut Call<'_, '_>) {
    let spec = Spec::new("", "append ignore-interrupts output-error=? help version");
    let options = call.options(&spec);
    if only_shows(&options) {
        return;
    }
    let content = call.stdin.clone();
    call.stdout = content.clone();
    let append = options.has(&["a", "append"]);
    for file in options.operands.iter().filter(|file| !file.is("-")) {
        let kind = if append { Kind::Append } else { written_kind(call, file, Kind::Overwrite) };
        put(call, kind, Act::Tee, file, content.clone());
    }
}

fn sponge(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("", "help version"));
    if only_shows(&options) {
        return;
    }
    let content = call.stdin.clone();
    match options.operands.first() {
        Some(file) => {
            let kind = if options.has(&["a"]) {
                Kind::Append
            } else {
                written_kind(call, file, Kind::Overwrite)
            };
            call.stdout = Stream::empty();
            put(call, kind, Act::Save, file, content);
        }
        None => call.stdout = content,
    }
}

fn truncate(call: &mut Call<'_, '_>) {
    let spec = Spec::new("s:r:", "no-create io-blocks reference= size= help version");
    let options = call.options(&spec);
    call.stdout = Stream::default();
    if only_shows(&options) {
        return;
    }
    let size = options.value(&["s", "size"]);
    if size.is_none() && !options.has(&["r", "reference"]) {
        return;
    }
    let grows = size.is_some_and(|size| size.prefix().trim_start().starts_with(['+', '>', '%']));
    let empties = size.and_then(Field::exact).is_some_and(|size| {
        let digits = size.trim_matches(|letter: char| letter.is_ascii_alphabetic());
        !digits.is_empty() && digits.bytes().all(|digit| digit == b'0')
    });
    for file in &options.operands {
        if grows {
            call.on_path(Kind::Write, Act::Grow, file);
        } else if empties {
            put(call, Kind::Overwrite, Act::Truncate, file, Stream::empty());
        } else {
            call.on_path(Kind::Overwrite, Act::Truncate, file);
        }
    }
}

/// Without an option for it nothing that is in the file is lost.
fn fallocate(call: &mut Call<'_, '_>) {
    let long = "collapse-range dig-holes insert-range length= keep-size offset= punch-hole \
                verbose zero-range posix write-zeroes help version";
    let options = call.options(&Spec::new("l:o:", long));
    if only_shows(&options) || options.has(&["d", "dig-holes"]) {
        return;
    }
    let names = ["c", "collapse-range", "p", "punch-hole", "z", "zero-range", "w", "write-zeroes"];
    let loses = options.has(&names);
    for file in &options.operands {
        if loses {
            call.on_path(Kind::Overwrite, Act::Truncate, file);
        } else {
            call.on_path(Kind::Write, Act::Grow, file);
        }
    }
}

fn touch(call: &mut Call<'_, '_>) {
    let spec =
        Spec::new("d:r:t:A:", "date= reference= time= no-create no-dereference help version");
    let options = call.options(&spec);
    call.stdout = Stream::default();
    if only_shows(&options) {
        return;
    }
    for file in options.operands.iter().filter(|file| !file.is("-")) {
        call.on_path(Kind::Write, Act::Touch, file);
    }
}

const MAKE: Spec = Spec::new("m:", "mode= parents verbose context=? help version");

fn mkdir(call: &mut Call<'_, '_>) {
    make(call, Act::MakeDirectory);
}

fn mkfifo(call: &mut Call<'_, '_>) {
    make(call, Act::MakeFifo);
}

fn make(call: &mut Call<'_, '_>, action: Act) {
    let options = call.options(&MAKE);
    call.stdout = Stream::default();
    if only_shows(&options) {
        return;
    }
    for file in &options.operands {
        call.on_path(Kind::Write, action, file);
    }
}

const PATCH: Spec = Spec::new(
    "p:i:o:d:B:D:F:r:V:x:Y:z:g:",
    "strip= input= output= directory= prefix= ifdef= fuzz= reject-file= version-control= \
     debug= basename-prefix= suffix= get= quoting-style= read-only= reject-format= \
     dry-run reverse forward batch force backup merge=? help version",
);

fn patch(call: &mut Call<'_, '_>) {
    let options = call.options(&PATCH);
    if only_shows(&options) || options.has(&["v"]) {
        return;
    }
    let given: Vec<&Field> =
        options.value(&["i", "input"]).or(options.operands.get(1).copied()).into_iter().collect();
    let changes = inputs(call, Act::Print, &given, false);
    call.stdout = Stream::default();
    if options.has(&["dry-run", "C", "check"]) {
        return;
    }
    let directory = options.value(&["d", "directory"]);
    let force = options.has(&["f", "force"]);
    for file in patched(&options, &changes, directory, call) {
        if let Some(effect) = put(call, Kind::Overwrite, Act::Patch, &file, reshaped(&changes)) {
            effect.force = force;
        }
    }
}

/// The files that get changed: the one named, or those that the text of the patch names.
fn patched(
    options: &Options<'_>,
    changes: &Stream,
    directory: Option<&Field>,
    call: &Call<'_, '_>,
) -> Vec<Field> {
    if let Some(file) = options.value(&["o", "output"]).or(options.operands.first().copied()) {
        return vec![file.clone()];
    }
    let here = Field::text(".", call.span);
    let base = directory.unwrap_or(&here);
    let Some(text) = super::patches::text(call, changes) else {
        // In a folder of the system any of its files may be meant.
        if directory.is_some_and(|folder| folder.prefix().starts_with('/')) {
            return vec![super::files::inside(base)];
        }
        return vec![unnamed(Some(base), "(patched files)")];
    };
    let strip = options.value(&["p", "strip"]).and_then(|field| field.exact()?.parse().ok());
    super::patches::files(&text, strip, base)
}

fn split(call: &mut Call<'_, '_>) {
    let spec = Spec::new(
        "a:b:C:l:n:t:",
        "additional-suffix= bytes= filter= hex-suffixes=? line-bytes= lines= number= \
         numeric-suffixes=? separator= suffix-length= unbuffered verbose \
         elide-empty-files help version",
    );
    let options = call.options(&spec);
    call.stdout = Stream::default();
    if only_shows(&options) {
        return;
    }
    let files: Vec<&Field> = options.operands.iter().take(1).copied().collect();
    let content = inputs(call, Act::Print, &files, false);
    if let Some(code) = options.value(&["filter"]) {
        call.stdin = reshaped(&content);
        call.stdout = call.run_code(Language::Shell(Dialect::Posix), code);
        return;
    }
    pieces(call, options.operands.get(1).copied(), "x", &content);
}

fn csplit(call: &mut Call<'_, '_>) {
    let spec = Spec::new("b:f:n:", "suffix-format= prefix= digits= keep-files quiet help version");
    let options = call.options(&spec);
    call.stdout = Stream::default();
    if only_shows(&options) {
        return;
    }
    let Some(file) = options.operands.first() else {
        return;
    };
    let content = input(call, Act::Print, file);
    pieces(call, options.value(&["f", "prefix"]), "xx", &content);
}

/// Files that begin with a prefix.
fn pieces(call: &mut Call<'_, '_>, prefix: Option<&Field>, otherwise: &str, content: &Stream) {
    let mut name = prefix.cloned().unwrap_or_else(|| Field::text(otherwise, call.span));
    name.parts.push(Part::Glob("*".into()));
    put(call, Kind::Write, Act::Split, &name, reshaped(content));
}

/// Every operand is changed where it stands.
fn in_place(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("c:n:", "convmode= newfile help version"));
    if only_shows(&options) || options.has(&["i", "info"]) {
        return;
    }
    for file in &options.operands {
        forget(call, file);
        call.on_path(Kind::Overwrite, Act::EditInPlace, file);
    }
}

/// `sd before after files`
fn sd(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("n:f:", "max-replacements= flags= preview"));
    if only_shows(&options) || options.has(&["h", "V"]) {
        return;
    }
    let files = options.operands.get(2..).unwrap_or_default();
    let content = inputs(call, Act::Print, files, false);
    call.stdout = reshaped(&content);
    if options.has(&["p", "preview"]) {
        return;
    }
    for file in files {
        put(call, Kind::Overwrite, Act::EditInPlace, file, reshaped(&content));
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::{Source, Stream};
    use crate::run::testing::{check, effects_with};

    #[test]
    fn tee_saves_what_passes() {
        check(&[
            (&["tee", "a"], &["overwrite tee /shop/a certain"]),
            (&["tee", "-a", "a"], &["append tee /shop/a certain"]),
            (&["tee", "/dev/stderr"], &[]),
            (&["tee", "/dev/sda"], &["device write-device /dev/sda certain"]),
            (&["tee", "--help"], &[]),
        ]);
        let out = effects_with(&["tee", "a"], Stream::from(Source::Network("h".into())));
        assert_eq!(out, ["overwrite tee /shop/a certain <[Network(\"h\")]"]);
    }

    #[test]
    fn sizes_cut_or_grow() {
        check(&[
            (&["truncate", "-s0", "a"], &["overwrite truncate /shop/a certain"]),
            (&["truncate", "--size", "1K", "a"], &["overwrite truncate /shop/a certain"]),
            (&["truncate", "-s", "+1K", "a"], &["write grow /shop/a certain"]),
            (&["truncate", "a"], &[]),
        ]);
    }

    #[test]
    fn new_files_and_directories_are_writes() {
        check(&[
            (&["touch", "-d", "yesterday", "a"], &["write touch /shop/a certain"]),
            (&["mkdir", "-pm", "700", "a/b"], &["write make-directory /shop/a/b certain"]),
            (&["mkfifo", "p"], &["write make-fifo /shop/p certain"]),
            (
                &["split", "-b", "1M", "a", "out."],
                &[
                    "read print /shop/a certain",
                    "write split /shop/out.* possible <[File(\"/shop/a\")]",
                ],
            ),
            (&["dos2unix", "a"], &["overwrite edit-in-place /shop/a certain"]),
        ]);
    }

    #[test]
    fn a_patch_changes_what_it_names() {
        let text = "--- a/src/x\n+++ b/src/x\n@@ -1 +1 @@\n-a\n+b\n";
        let found = effects_with(&["patch", "-p1"], Stream::known(text));
        assert_eq!(found, ["overwrite patch /shop/src/x certain"]);
        let found = effects_with(&["patch", "-p1", "--dry-run"], Stream::known(text));
        assert!(found.is_empty(), "{found:?}");
        check(&[(
            &["patch", "-d", "/x", "-i", "p.diff"],
            &[
                "read print /shop/p.diff certain",
                "overwrite patch /x/**/* possible <[File(\"/shop/p.diff\")]",
            ],
        )]);
    }
}
