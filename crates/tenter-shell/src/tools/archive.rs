//! Programs that pack many files into one and unpack them: `zip`, `7z`, `cpio`, `ar`.
//!
//! Actions: `archive` (files are read into an archive, and it is written), `extract` (files are
//! written from an archive), `list` (only names are read), `archive-delete` (members of an archive
//! are dropped), `archive-remove` (files are deleted after they were archived).

use super::files::{append, inputs, put, reshaped, tree, unnamed, written_kind};
use super::tar::Extraction;
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::Spec;
use crate::syntax::Dialect;
use crate::value::{Field, Part};
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[
    ("zip", zip),
    ("unzip", unzip),
    ("7z", seven_zip),
    ("7za", seven_zip),
    ("7zr", seven_zip),
    ("7zz", seven_zip),
    ("rar", seven_zip),
    ("unrar", seven_zip),
    ("cpio", cpio),
    ("pax", pax),
    ("ar", ar),
];

/// Reads the files that go in, and says which are deleted afterwards.
fn pack(call: &mut Call<'_, '_>, files: &[Field], recursive: bool, removes: bool) -> Stream {
    let mut content = Stream::empty();
    for file in files {
        let one = tree(call, Act::Archive, file, recursive);
        append(&mut content, &one);
    }
    if removes {
        for file in files {
            call.on_path(Kind::Delete, Act::ArchiveRemove, file).recursive = recursive;
        }
    }
    reshaped(&content)
}

/// The files that standard input names.
fn listed(call: &Call<'_, '_>) -> Vec<Field> {
    match &call.stdin.text {
        Some(text) => text
            .split(['\n', '\0'])
            .filter(|line| !line.is_empty())
            .take(256)
            .map(|line| Field::text(line, call.span))
            .collect(),
        None => vec![unnamed(None, "(listed files)")],
    }
}

/// The operation requested of `zip`, whose options are unlike others'.
#[derive(Default)]
struct Zip<'a> {
    files: Vec<&'a Field>,
    test: Option<Field>,
    output: Option<&'a Field>,
    flags: Vec<char>,
    idle: bool,
}

impl<'a> Zip<'a> {
    fn read(arguments: &'a [Field]) -> Self {
        let mut zip = Self::default();
        let mut rest = arguments.iter();
        let mut in_list = false;
        while let Some(field) = rest.next() {
            let text = field.prefix();
            if field.is("-@") {
                zip.flags.push('@');
            } else if text == "-" || !text.starts_with('-') {
                // After `-x` and `-i` stand patterns, up to the next option or `@`.
                if field.is("@") {
                    in_list = false;
                } else if !in_list || zip.files.is_empty() {
                    zip.files.push(field);
                }
                continue;
            }
            in_list = false;
            match text {
                "-TT" | "--unzip-command" => zip.test = rest.next().cloned(),
                "-O" | "--out" | "--output-file" => zip.output = rest.next(),
                "-b"
                | "-n"
                | "-t"
                | "-tt"
                | "-P"
                | "-s"
                | "-sp"
                | "-Z"
                | "-lf"
                | "-UN"
                | "--temp-path"
                | "--suffixes"
                | "--from-date"
                | "--before-date"
                | "--password"
                | "--split-size"
                | "--compression-method"
                | "--logfile-path" => {
                    rest.next();
                }
                "-x" | "-i" | "-R" | "--exclude" | "--include" | "--recurse-patterns" => {
                    in_list = true;
                    zip.flags.extend((text == "-R").then_some('r'));
                }
                "--recurse-paths" => zip.flags.push('r'),
                "--delete" => zip.flags.push('d'),
                "--move" => zip.flags.push('m'),
                "-h" | "--help" | "-h2" | "-L" | "--license" | "-v" | "--version" | "-sf"
                | "--show-files" | "-so" | "--show-options"
                    if text != "-v" || arguments.len() == 1 =>
                {
                    zip.idle = true;
                }
                _ if text.starts_with("--unzip-command=") => {
                    zip.test = field.after("--unzip-command=");
                }
                _ if text.starts_with("--") => {}
                _ => zip.flags.extend(text.chars().skip(1)),
            }
        }
        zip
    }

    fn has(&self, flag: char) -> bool {
        self.flags.contains(&flag)
    }
}

fn zip(call: &mut Call<'_, '_>) {
    let zip = Zip::read(call.arguments());
    call.stdout = Stream::default();
    if zip.idle {
        return;
    }
    let dash = Field::text("-", call.span);
    let (archive, files) = match zip.files.split_first() {
        Some((archive, files)) => (*archive, files),
        None => (&dash, [].as_slice()),
    };
    let name = with_extension(archive, ".zip");
    if zip.has('d') {
        call.on_path(Kind::Overwrite, Act::ArchiveDelete, &name);
        return;
    }
    let mut files: Vec<Field> = files.iter().map(|field| (*field).clone()).collect();
    if zip.has('@') {
        files.extend(listed(call));
    }
    if let Some(code) = &zip.test
        && zip.has('T')
    {
        call.run_code(Language::Shell(Dialect::Posix), code);
    }
    let content = pack(call, &files, zip.has('r'), zip.has('m'));
    if archive.is("-") {
        call.stdout = content;
        return;
    }
    let output = zip.output.cloned().unwrap_or(name);
    let kind = written_kind(call, &output, Kind::Write);
    put(call, kind, Act::Archive, &output, content);
}

/// A name without an extension gets one.
fn with_extension(file: &Field, extension: &str) -> Field {
    let mut file = file.clone();
    let bare = match file.parts.last() {
        Some(Part::Text { text, .. }) => {
            !text.rsplit('/').next().is_some_and(|name| name.contains('.'))
        }
        _ => false,
    };
    if bare && !file.is("-") {
        file.push_text(extension, None);
    }
    file
}

fn unzip(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("d:P:O:I:", "help version"));
    call.stdout = Stream::default();
    let Some((archive, members)) = options.operands.split_first() else {
        return;
    };
    if options.has(&["h", "help", "version"]) {
        return;
    }
    // After `-x` stand patterns of what stays in.
    let members = if options.has(&["x"]) { [].as_slice() } else { members };
    let name = with_extension(archive, ".zip");
    let lists = options.has(&["l", "v", "t", "z", "Z"]);
    let action = if lists { Act::List } else { Act::Extract };
    let content = inputs(call, action, &[&name], false);
    if lists {
        return;
    }
    if options.has(&["p", "c"]) {
        call.stdout = reshaped(&content);
        return;
    }
    let here = Field::text(".", call.span);
    let out = Extraction {
        directory: options.value(&["d"]).unwrap_or(&here).clone(),
        content: reshaped(&content),
        force: options.has(&["o"]),
        anywhere: options.has(&[":"]),
    };
    out.write(call, members);
}

/// `7z COMMAND SWITCHES ARCHIVE FILES`; `rar` is alike.
fn seven_zip(call: &mut Call<'_, '_>) {
    let mut operands: Vec<&Field> = Vec::new();
    let mut directory = None;
    let (mut to_stdout, mut removes, mut force, mut switches) = (false, false, false, true);
    for field in call.arguments() {
        let text = field.prefix();
        if !switches || !text.starts_with('-') || text == "-" {
            operands.push(field);
            continue;
        }
        match text {
            "--" => switches = false,
            "-so" => to_stdout = true,
            "-sdel" | "-df" | "-dw" => removes = true,
            "-y" | "-aoa" | "-o+" => force = true,
            "-o-" => {}
            _ => directory = field.after("-o").or(directory),
        }
    }
    call.stdout = Stream::default();
    let [command, archive, files @ ..] = operands.as_slice() else {
        return;
    };
    match command.exact() {
        Some("a" | "u" | "f" | "m") => {
            let files: Vec<Field> = files.iter().map(|field| (*field).clone()).collect();
            let content = pack(call, &files, true, removes || command.is("m"));
            if to_stdout {
                call.stdout = content;
            } else {
                let kind = written_kind(call, archive, Kind::Write);
                put(call, kind, Act::Archive, archive, content);
            }
        }
        Some(name @ ("x" | "e" | "p")) => {
            let content = inputs(call, Act::Extract, &[archive], false);
            if to_stdout || name == "p" {
                call.stdout = reshaped(&content);
                return;
            }
            // `unrar` names the directory last, with a slash.
            let last = files.last().filter(|field| field.suffix().ends_with('/'));
            let here = Field::text(".", call.span);
            let directory = directory.as_ref().or(last.copied()).unwrap_or(&here).clone();
            let content = reshaped(&content);
            let members = if last.is_some() { [].as_slice() } else { files };
            Extraction { directory, content, force, anywhere: false }.write(call, members);
        }
        Some("l" | "t" | "v" | "lb" | "vb") => {
            inputs(call, Act::List, &[archive], false);
        }
        Some("d" | "rn") => {
            call.on_path(Kind::Overwrite, Act::ArchiveDelete, archive);
        }
        _ => {}
    }
}

fn cpio(call: &mut Call<'_, '_>) {
    let spec = Spec::new(
        "C:D:E:F:H:I:M:O:R:",
        "io-size= directory= pattern-file= file= format= message= owner= rsh-command= \
         create extract list pass-through make-directories unconditional to-stdout \
         no-absolute-filenames absolute-filenames help version",
    );
    let options = call.options(&spec);
    call.stdout = Stream::default();
    if options.has(&["help", "version"]) {
        return;
    }
    let here = Field::text(".", call.span);
    let base = options.value(&["D", "directory"]).unwrap_or(&here);
    let force = options.has(&["u", "unconditional"]);
    if options.has(&["o", "create", "p", "pass-through"]) {
        let content = pack(call, &listed(call), false, false);
        if let Some(place) =
            options.operands.first().filter(|_| options.has(&["p", "pass-through"]))
        {
            let directory = (*place).clone();
            Extraction { directory, content, force, anywhere: false }.write(call, &[]);
        } else if let Some(output) = options.value(&["F", "O", "file"]) {
            let kind = written_kind(call, output, Kind::Overwrite);
            put(call, kind, Act::Archive, output, content);
        } else {
            call.stdout = content;
        }
    } else if options.has(&["i", "extract", "t", "list"]) {
        let from: Vec<&Field> = options.value(&["F", "I", "file"]).into_iter().collect();
        let lists = options.has(&["t", "list"]);
        let content = inputs(call, if lists { Act::List } else { Act::Extract }, &from, false);
        if options.has(&["to-stdout"]) {
            call.stdout = reshaped(&content);
        } else if !lists {
            let out = Extraction {
                directory: base.clone(),
                content: reshaped(&content),
                force,
                anywhere: !options.has(&["no-absolute-filenames"])
                    && options.has(&["absolute-filenames"]),
            };
            out.write(call, &[]);
        }
    }
}

/// `-r` reads an archive, `-w` writes one, both copy.
fn pax(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("b:E:f:o:p:s:x:B:G:T:U:", ""));
    call.stdout = Stream::default();
    let (reads, writes) = (options.has(&["r"]), options.has(&["w"]));
    let archive = options.value(&["f"]);
    let files: Vec<Field> = options.operands.iter().map(|field| (*field).clone()).collect();
    let here = Field::text(".", call.span);
    if writes {
        let (members, place) = match files.split_last() {
            Some((place, members)) if reads => (members.to_vec(), Some(place.clone())),
            Some(_) => (files, None),
            None => (listed(call), None),
        };
        let content = pack(call, &members, true, false);
        match (place, archive) {
            (Some(directory), _) => {
                Extraction { directory, content, force: false, anywhere: false }.write(call, &[]);
            }
            (None, Some(archive)) => {
                put(call, Kind::Overwrite, Act::Archive, archive, content);
            }
            (None, None) => call.stdout = content,
        }
    } else {
        let from: Vec<&Field> = archive.into_iter().collect();
        let content = inputs(call, if reads { Act::Extract } else { Act::List }, &from, false);
        if reads {
            let content = reshaped(&content);
            let out = Extraction { directory: here, content, force: false, anywhere: false };
            out.write(call, &options.operands);
        }
    }
}

/// `ar rcs lib.a x.o`: letters first, with or without a dash.
fn ar(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    call.stdout = Stream::default();
    let mut operands = arguments.iter().filter(|field| !field.prefix().starts_with("--"));
    let Some(letters) = operands.next().and_then(Field::exact) else {
        return;
    };
    let letters = letters.trim_start_matches('-');
    // With `a`, `b` or `i` the name of a member comes before the archive.
    if letters.contains(['a', 'b', 'i']) {
        operands.next();
    }
    let Some(archive) = operands.next() else {
        return;
    };
    let files: Vec<Field> = operands.cloned().collect();
    match letters.chars().find(|letter| matches!(letter, 'd' | 'm' | 'p' | 'q' | 'r' | 't' | 'x')) {
        Some('r' | 'q') => {
            let content = pack(call, &files, false, false);
            let kind = written_kind(call, archive, Kind::Write);
            put(call, kind, Act::Archive, archive, content);
        }
        Some('d') => {
            call.on_path(Kind::Overwrite, Act::ArchiveDelete, archive);
        }
        Some(letter @ ('x' | 'p' | 't')) => {
            let action = if letter == 't' { Act::List } else { Act::Extract };
            let content = reshaped(&inputs(call, action, &[archive], false));
            if letter == 'p' {
                call.stdout = content;
            } else if letter == 'x' {
                let directory = Field::text(".", call.span);
                let members: Vec<&Field> = files.iter().collect();
                Extraction { directory, content, force: true, anywhere: false }
                    .write(call, &members);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Stream;
    use crate::run::testing::{check, effects_with};

    #[test]
    fn packing_reads_files_and_writes_an_archive() {
        check(&[
            (
                &["zip", "-qr", "a", "src", "-x", "*.git*"],
                &[
                    "read archive /shop/src certain -r",
                    "write archive /shop/a.zip certain <[File(\"/shop/src\")]",
                ],
            ),
            (
                &["zip", "-m", "a.zip", "x"],
                &[
                    "read archive /shop/x certain",
                    "delete archive-remove /shop/x certain",
                    "write archive /shop/a.zip certain <[File(\"/shop/x\")]",
                ],
            ),
            (&["zip", "-r", "-", "x"], &["read archive /shop/x certain -r"]),
            (&["zip", "-d", "a.zip", "x"], &["overwrite archive-delete /shop/a.zip certain"]),
            (
                &["7z", "a", "-sdel", "a.7z", "x"],
                &[
                    "read archive /shop/x certain -r",
                    "delete archive-remove /shop/x certain -r",
                    "write archive /shop/a.7z certain <[File(\"/shop/x\")]",
                ],
            ),
            (
                &["ar", "rcs", "l.a", "x.o"],
                &[
                    "read archive /shop/x.o certain",
                    "write archive /shop/l.a certain <[File(\"/shop/x.o\")]",
                ],
            ),
        ]);
        let named = effects_with(&["cpio", "-o", "-F", "c"], Stream::known("/etc/shadow\n"));
        assert_eq!(
            named,
            [
                "read archive /etc/shadow certain",
                "overwrite archive /shop/c certain <[File(\"/etc/shadow\")]"
            ]
        );
        let named = effects_with(&["zip", "a", "-@"], Stream::known("k\n"));
        assert_eq!(named.first().map(String::as_str), Some("read archive /shop/k certain"));
    }

    #[test]
    fn unpacking_writes_below_a_directory() {
        check(&[
            (
                &["unzip", "-oq", "a", "-d", "/opt"],
                &[
                    "read extract /shop/a.zip certain",
                    "write extract /opt/**/* possible -r -f <[File(\"/shop/a.zip\")]",
                ],
            ),
            (&["unzip", "-l", "a.zip"], &["read list /shop/a.zip certain"]),
            (&["unzip", "-p", "a.zip"], &["read extract /shop/a.zip certain"]),
            (
                &["7z", "x", "a.7z", "-o/opt", "-y"],
                &[
                    "read extract /shop/a.7z certain",
                    "write extract /opt/**/* possible -r -f <[File(\"/shop/a.7z\")]",
                ],
            ),
            (&["7z", "l", "a.7z"], &["read list /shop/a.7z certain"]),
            (
                &["ar", "x", "l.a", "x.o"],
                &[
                    "read extract /shop/l.a certain",
                    "write extract /shop/x.o certain -r -f <[File(\"/shop/l.a\")]",
                ],
            ),
            (&["cpio", "-it"], &[]),
            (&["cpio", "-id"], &["write extract /shop/**/* possible -r"]),
        ]);
    }
}
