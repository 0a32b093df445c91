//! `tar` in all its spellings.
//!
//! Actions: `archive` (files are read into an archive, and it is written), `extract` (files are
//! written from an archive), `list` (only names are read), `archive-delete` (members of an archive
//! are dropped), `archive-remove` (files are deleted after they were archived), `tar` (an archive
//! on another machine). Programs that it is told to run speak for themselves.

use super::files::{
    append, inputs, inside, only_shows, put, relative, remote, reshaped, tree, unnamed, words,
    written_kind,
};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::expand::Variable;
use crate::flow::Stream;
use crate::options::{Options, Spec};
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;

pub(super) const PROGRAMS: Programs =
    &[("tar", tar), ("gtar", tar), ("bsdtar", tar), ("star", tar), ("ptar", tar), ("jar", tar)];

const SPEC: Spec = Spec::new(
    "b:C:f:F:g:H:I:K:L:N:T:V:X:",
    "absolute-names add-file= after-date= anchored append atime-preserve=? auto-compress \
     backup=? block-number blocking-factor= bzip2 catenate check-links \
     checkpoint-action= checkpoint=? compare compress concatenate create delete \
     dereference diff directory= exclude-from= exclude-ignore= exclude-ignore-recursive= \
     exclude-tag-all= exclude-tag= exclude-tag-under= exclude= extract file= files-from= \
     force-local format= get group-map= group= gzip hole-detection= incremental \
     index-file= info-script= keep-newer-files keep-old-files label= level= list \
     listed-incremental= lzip lzma lzop mode= mtime= multi-volume new-volume-script= \
     newer-mtime= newer= no-recursion no-quote-chars= null occurrence=? one-file-system \
     one-top-level=? overwrite overwrite-dir owner-map= owner= pax-option= quote-chars= \
     quoting-style= record-size= recursive-unlink remove-files rmt-command= rsh-command= \
     set-mtime-command= set-mtime-format= skip-old-files sort= sparse-version= \
     starting-file= strip-components= suffix= tape-length= test-label to-command= \
     to-stdout totals=? transform= unlink-first update use-compress-program= verbose \
     verify volno-file= warning= xattrs-exclude= xattrs-include= xform= xz zstd help \
     version",
);

const SHELL: Language = Language::Shell(Dialect::Posix);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Create,
    Append,
    Extract,
    List,
    Delete,
}

fn tar(call: &mut Call<'_, '_>) {
    let mut arguments = variable(call, "TAR_OPTIONS").as_ref().map(words).unwrap_or_default();
    arguments.extend(spelled_out(call.arguments()));
    let options = crate::options::parse(&arguments, &SPEC);
    call.stdout = Stream::default();
    if only_shows(&options) {
        return;
    }
    let Some(mode) = mode(&options) else {
        return;
    };
    run_hooks(call, &options, mode);
    let dash = Field::text("-", call.span);
    let tape = variable(call, "TAPE");
    let archive = options.value(&["f", "file"]).or(tape.as_ref()).unwrap_or(&dash);
    let far = remote(archive).filter(|_| !options.has(&["force-local"])).map(|(host, _)| host);
    let archive = Archive { file: archive, host: far.as_ref() };
    match mode {
        Mode::Create | Mode::Append => create(call, &options, &archive, mode),
        Mode::Extract => extract(call, &options, &archive),
        Mode::List => {
            archive.read(call, Act::List);
            call.stdout = Stream::default();
        }
        Mode::Delete => {
            let target = call.path(archive.file);
            call.effect_at(Kind::Overwrite, Act::ArchiveDelete, target, archive.file.span);
        }
    }
}

/// The first word may be letters without a dash; their values follow in order.
fn spelled_out(arguments: &[Field]) -> Vec<Field> {
    let Some((first, rest)) = arguments.split_first() else {
        return Vec::new();
    };
    let old = first
        .exact()
        .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let Some(letters) = old else {
        return arguments.to_vec();
    };
    let mut result = Vec::with_capacity(arguments.len() + letters.len());
    let mut rest = rest.iter();
    for letter in letters.chars() {
        let option: String = ['-', letter].iter().collect();
        result.push(Field::text(option, first.span));
        let takes = SPEC.short.split_once(letter).is_some_and(|(_, after)| after.starts_with(':'));
        if takes {
            result.extend(rest.next().cloned());
        }
    }
    result.extend(rest.cloned());
    result
}

fn mode(options: &Options<'_>) -> Option<Mode> {
    // The first one counts; a second one is an error.
    options.found.iter().find_map(|found| match found.name {
        "c" | "create" => Some(Mode::Create),
        "r" | "append" | "u" | "update" | "A" | "catenate" | "concatenate" => Some(Mode::Append),
        "x" | "extract" | "get" => Some(Mode::Extract),
        "t" | "list" | "d" | "diff" | "compare" | "test-label" => Some(Mode::List),
        "delete" => Some(Mode::Delete),
        _ => None,
    })
}

/// A variable of the environment: set for this program alone, or in the shell.
fn variable(call: &Call<'_, '_>, name: &str) -> Option<Field> {
    let own = call.machine.assignments.iter().rev().find(|(known, _)| known == name);
    if let Some((_, field)) = own {
        return Some(field.clone()).filter(|field| !field.is(""));
    }
    let slot = call.machine.shell.slot(name)?;
    slot.values.iter().find_map(|value| match value {
        Variable::Scalar(field) if !field.is("") => Some(field.clone()),
        _ => None,
    })
}

/// Runs commands given by options.
fn run_hooks(call: &mut Call<'_, '_>, options: &Options<'_>, mode: Mode) {
    for action in options.values(&["checkpoint-action"]) {
        if let Some(code) = action.after("exec=") {
            call.run_code(SHELL, &code);
        }
    }
    let mut names = vec!["F", "info-script", "new-volume-script", "I", "use-compress-program"];
    names.extend(["rmt-command", "rsh-command"]);
    match mode {
        Mode::Extract => names.push("to-command"),
        Mode::Create | Mode::Append => names.push("set-mtime-command"),
        _ => {}
    }
    for code in options.values(&names) {
        call.run_code(SHELL, code);
    }
}

/// Where the archive is.
struct Archive<'a> {
    file: &'a Field,
    host: Option<&'a Field>,
}

impl Archive<'_> {
    fn read(&self, call: &mut Call<'_, '_>, action: Act) -> Stream {
        match self.host {
            Some(host) => call.receive(Act::Tar, host),
            None => inputs(call, action, &[self.file], false),
        }
    }

    fn write(&self, call: &mut Call<'_, '_>, content: Stream, mode: Mode) {
        if let Some(host) = self.host {
            call.send(Act::Tar, host, content.flow);
        } else if self.file.is("-") {
            call.stdout = content;
        } else {
            let kind = match mode {
                Mode::Append => Kind::Append,
                _ => written_kind(call, self.file, Kind::Overwrite),
            };
            put(call, kind, Act::Archive, self.file, content);
        }
    }
}

fn create(call: &mut Call<'_, '_>, options: &Options<'_>, archive: &Archive<'_>, mode: Mode) {
    let recursive = !options.has(&["no-recursion"]);
    let mut content = Stream::empty();
    let members = members(call, options);
    for member in &members {
        let one = tree(call, Act::Archive, member, recursive);
        append(&mut content, &one);
    }
    if options.has(&["remove-files"]) {
        for member in &members {
            call.on_path(Kind::Delete, Act::ArchiveRemove, member).recursive = recursive;
        }
    }
    archive.write(call, reshaped(&content), mode);
}

/// The files that go in, each from the directory it is taken from.
fn members(call: &mut Call<'_, '_>, options: &Options<'_>) -> Vec<Field> {
    let mut named: Vec<Field> = options.operands.iter().map(|field| (*field).clone()).collect();
    named.extend(options.values(&["add-file"]).cloned());
    for list in options.values(&["T", "files-from"]) {
        let content = inputs(call, Act::List, &[list], false);
        match &content.text {
            Some(text) => named.extend(
                text.split(['\n', '\0'])
                    .filter(|line| !line.is_empty())
                    .take(256)
                    .map(|line| Field::text(line, list.span)),
            ),
            None => named.push(unnamed(None, "(listed files)")),
        }
    }
    for list in options.values(&["X", "exclude-from"]) {
        inputs(call, Act::List, &[list], false);
    }
    let directories: Vec<&Field> = options.values(&["C", "directory"]).take(4).collect();
    if directories.is_empty() {
        return named;
    }
    // Which of several directories a file comes from depends on the order.
    let all = directories
        .iter()
        .flat_map(|directory| named.iter().map(|member| relative(directory, member)));
    all.collect()
}

fn extract(call: &mut Call<'_, '_>, options: &Options<'_>, archive: &Archive<'_>) {
    let content = archive.read(call, Act::Extract);
    if options.has(&["O", "to-stdout"]) {
        call.stdout = reshaped(&content);
        return;
    }
    if options.has(&["to-command"]) {
        return;
    }
    let here = Field::text(".", call.span);
    let mut directory = options.value(&["C", "directory"]).unwrap_or(&here).clone();
    if let Some(top) = options.value(&["one-top-level"]) {
        directory = relative(&directory, top);
    }
    let replaces = ["U", "unlink-first", "overwrite", "recursive-unlink"];
    let out = Extraction {
        directory,
        content: reshaped(&content),
        force: options.has(&replaces),
        anywhere: options.has(&["P", "absolute-names"]),
    };
    out.write(call, &options.operands);
}

/// Files that come out of an archive.
pub(crate) struct Extraction {
    pub directory: Field,
    pub content: Stream,
    /// Replaces existing files without asking.
    pub force: bool,
    /// Names in the archive may lead out of the directory.
    pub anywhere: bool,
}

impl Extraction {
    pub(crate) fn write(&self, call: &mut Call<'_, '_>, members: &[&Field]) {
        // All that is later read below the directory may come from here.
        let path = call.machine.path(&self.directory);
        let mut below = call.machine.content(&path);
        below.flow.join(&self.content.flow);
        call.machine.set_content(&path, &reshaped(&below), false);
        let named: Vec<Field> = if self.anywhere {
            vec![unnamed(None, "(archived names)")]
        } else if members.is_empty() {
            vec![inside(&self.directory)]
        } else {
            members.iter().map(|member| relative(&self.directory, member)).collect()
        };
        for file in &named {
            let path = call.machine.path(file);
            call.machine.set_content(&path, &self.content, false);
            let effect = call.effect_at(Kind::Write, Act::Extract, Target::Path(path), file.span);
            effect.recursive = true;
            effect.force = self.force;
            effect.sources = self.content.flow.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::run::testing::{check, effects};

    #[test]
    fn every_spelling_of_create_reads_its_members() {
        let expected = [
            "read archive /shop/src certain -r",
            "overwrite archive /shop/a.tgz certain <[File(\"/shop/src\")]",
        ];
        for argv in [
            ["tar", "czf", "a.tgz", "src"].as_slice(),
            &["tar", "-czf", "a.tgz", "src"],
            &["tar", "-c", "-z", "-f", "a.tgz", "src"],
            &["tar", "cfz", "a.tgz", "src"],
            &["tar", "--create", "--file=a.tgz", "src"],
            &["tar", "--cr", "--file", "a.tgz", "src"],
            &["tar", "cfC", "a.tgz", "/shop", "src"],
        ] {
            assert_eq!(effects(argv), expected, "{argv:?}");
        }
    }

    #[test]
    fn archives_are_written_sent_and_taken_apart() {
        check(&[
            (
                &["tar", "cf", "-", "-C", "/home/me", ".ssh"],
                &["read archive /home/me/.ssh certain -r"],
            ),
            (
                &["tar", "-cf", "host:/x", "k"],
                &["read archive /shop/k certain -r", "send tar host certain <[File(\"/shop/k\")]"],
            ),
            (
                &["tar", "--force-local", "-cf", "h:x", "k"],
                &[
                    "read archive /shop/k certain -r",
                    "overwrite archive /shop/h:x certain <[File(\"/shop/k\")]",
                ],
            ),
            (
                &["tar", "xzf", "a.tgz", "-C", "/"],
                &[
                    "read extract /shop/a.tgz certain",
                    "write extract /**/* possible -r <[File(\"/shop/a.tgz\")]",
                ],
            ),
            (
                &["tar", "-x", "--overwrite", "-f", "a", "b/c"],
                &[
                    "read extract /shop/a certain",
                    "write extract /shop/b/c certain -r -f <[File(\"/shop/a\")]",
                ],
            ),
            (&["tar", "tf", "a"], &["read list /shop/a certain"]),
            (&["tar", "--delete", "-f", "a", "x"], &["overwrite archive-delete /shop/a certain"]),
            (
                &["tar", "-cf", "a", "--remove-files", "d"],
                &[
                    "read archive /shop/d certain -r",
                    "delete archive-remove /shop/d certain -r",
                    "overwrite archive /shop/a certain <[File(\"/shop/d\")]",
                ],
            ),
            (&["tar", "--help"], &[]),
            (&["tar", "--version"], &[]),
        ]);
    }
}
