//! Programs that print files, parts of them, or something computed from them.
//!
//! Actions: `print` (content is shown or passed on), `search` (lines that match), `digest` (only
//! sums or counts come out), `compare`, `list` (names or patterns are read from a file), `save`
//! (the result goes to a file: `sort -o`).

use std::rc::Rc;

use super::files::{
    filtered, input, inputs, kind_of, only_shows, pattern_parts, put, words, written_kind,
};
use super::readers::{
    AG, BAT, COLUMN, CUT, DIFF, DIGEST, GREP, HEAD, HEXDUMP, ICONV, LESS, PV, RG, Reader, SHUF,
    SORT,
};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::expand::Variable;
use crate::flow::{Flow, Stream};
use crate::options::{Options, Spec};
use crate::syntax::Dialect;
use crate::target::PathTarget;
use crate::value::{Field, Part, Unknown};
use crate::world::{Language, PathKind};

/// Operands of `ls` that are followed.
const MAX_LISTED: usize = 16;

pub(super) const PROGRAMS: Programs = &[
    ("cat", |call| read(call, &Reader::PLAIN)),
    ("pv", |call| {
        read(call, &PV);
        let options = call.options(&Spec::new(PV.short, PV.long));
        if let Some(output) = options.value(&["o", "output"]) {
            let data = std::mem::replace(&mut call.stdout, Stream::empty());
            put(call, Kind::Overwrite, Act::Copy, output, data);
        }
    }),
    ("tac", |call| read(call, &Reader { short: "s:", ..Reader::PLAIN })),
    ("rev", |call| read(call, &Reader::PLAIN)),
    ("nl", |call| read(call, &Reader { short: "b:d:f:h:i:l:n:s:v:w:", ..Reader::PLAIN })),
    ("head", |call| read(call, &HEAD)),
    ("tail", |call| read(call, &HEAD)),
    ("less", |call| read(call, &LESS)),
    ("more", |call| read(call, &Reader { short: "n:", ..Reader::PLAIN })),
    ("most", |call| read(call, &Reader::PLAIN)),
    ("bat", |call| read(call, &BAT)),
    ("batcat", |call| read(call, &BAT)),
    ("strings", |call| read(call, &Reader { short: "n:t:e:T:", ..Reader::PLAIN })),
    ("od", |call| read(call, &Reader { short: "A:j:N:S:t:w::", ..Reader::PLAIN })),
    ("hexdump", |call| read(call, &HEXDUMP)),
    ("hd", |call| read(call, &HEXDUMP)),
    ("cut", |call| read(call, &CUT)),
    ("paste", |call| read(call, &Reader { short: "d:", ..Reader::PLAIN })),
    ("join", |call| read(call, &Reader { short: "1:2:a:v:e:j:o:t:", ..Reader::PLAIN })),
    ("column", |call| read(call, &COLUMN)),
    ("fold", |call| read(call, &Reader { short: "w:", ..Reader::PLAIN })),
    ("fmt", |call| read(call, &Reader { short: "w:p:g:", ..Reader::PLAIN })),
    ("pr", |call| read(call, &Reader { short: "D:e::h:i::l:n::N:o:s::S::w:W:", ..Reader::PLAIN })),
    ("expand", |call| read(call, &Reader { short: "t:", ..Reader::PLAIN })),
    ("unexpand", |call| read(call, &Reader { short: "t:", ..Reader::PLAIN })),
    ("tsort", |call| read(call, &Reader::PLAIN)),
    ("iconv", |call| read(call, &ICONV)),
    ("sort", |call| read(call, &SORT)),
    ("gsort", |call| read(call, &SORT)),
    ("shuf", |call| read(call, &SHUF)),
    ("uniq", |call| in_and_out(call, "f:s:w:")),
    ("grep", |call| read(call, &GREP)),
    ("egrep", |call| read(call, &GREP)),
    ("fgrep", |call| read(call, &GREP)),
    ("ggrep", |call| read(call, &GREP)),
    ("zgrep", |call| read(call, &GREP)),
    ("rg", |call| read(call, &RG)),
    ("ugrep", |call| read(call, &GREP)),
    ("ag", |call| read(call, &AG)),
    ("ack", |call| read(call, &AG)),
    ("diff", |call| read(call, &DIFF)),
    ("colordiff", |call| read(call, &DIFF)),
    ("diff3", |call| read(call, &DIFF)),
    ("sdiff", |call| read(call, &Reader { short: "s:w:o:I:", output: &["o", "output"], ..DIFF })),
    ("cmp", |call| read(call, &Reader { short: "i:n:", action: Act::Compare, ..Reader::PLAIN })),
    ("comm", |call| read(call, &Reader { action: Act::Compare, ..Reader::PLAIN })),
    ("wc", |call| read(call, &Reader { short: "", ..DIGEST })),
    ("sum", |call| read(call, &DIGEST)),
    ("cksum", |call| read(call, &DIGEST)),
    ("b2sum", |call| read(call, &DIGEST)),
    ("b3sum", |call| read(call, &DIGEST)),
    ("md5", |call| read(call, &DIGEST)),
    ("md5sum", |call| read(call, &DIGEST)),
    ("sha1sum", |call| read(call, &DIGEST)),
    ("sha224sum", |call| read(call, &DIGEST)),
    ("sha256sum", |call| read(call, &DIGEST)),
    ("sha384sum", |call| read(call, &DIGEST)),
    ("sha512sum", |call| read(call, &DIGEST)),
    ("shasum", |call| read(call, &DIGEST)),
    ("echo", echo),
    ("printf", echo),
    ("seq", echo),
    ("basename", echo),
    ("dirname", echo),
    ("tr", tr),
    ("ls", names),
    ("dir", names),
    ("vdir", names),
    ("eza", names),
    ("exa", names),
    ("lsd", names),
    ("tree", names),
    ("stat", names),
    ("file", names),
    ("du", names),
    ("df", names),
    ("realpath", names),
    ("readlink", names),
    ("which", names),
    ("cygpath", names),
    ("whereis", names),
    ("mktemp", mktemp),
];

fn read(call: &mut Call<'_, '_>, reader: &Reader) {
    let options =
        call.options(&Spec { short: reader.short, long: reader.long, ..Spec::new("", "") });
    if only_shows(&options) {
        call.stdout = Stream::default();
        return;
    }
    let skip = if options.has(reader.given_by) { 0 } else { reader.skip };
    if skip > options.operands.len() {
        call.stdout = Stream::default();
        return;
    }
    let files = options.operands.get(skip..).unwrap_or_default();
    let always = reader.recursive.contains(&"*");
    let recursive = always || options.has(reader.recursive);
    let files = without_jumps(call, files);
    let from_list = reads_lists(call, reader, &options);
    let here = Field::text(".", call.span);
    let piped = call.stdin.text.is_some() || !call.stdin.flow.is_empty();
    let content = if call.name == "shuf" && options.has(&["e", "echo", "i", "input-range"]) {
        Stream::unknown(operand_sources(&files))
    } else if files.is_empty() && recursive && !(always && piped) {
        inputs(call, reader.action, &[&here], true)
    } else {
        inputs(call, reader.action, &files, recursive)
    };
    run_programs(call, reader, &options);
    let quiet = reader.quiet.contains(&"*") || options.has(reader.quiet);
    let plain = call.name == "cat" && options.found.is_empty();
    let mut printed = if plain { content } else { filtered(call, &files, &content) };
    if quiet {
        printed.flow = Flow::default();
    } else {
        printed.flow.join(&from_list);
    }
    if recursive && quiet {
        list_guarded(call, &options, &files, &mut printed);
    }
    match options.value(reader.output) {
        Some(output) => {
            call.stdout = Stream::empty();
            let kind = written_kind(call, output, Kind::Overwrite);
            put(call, kind, Act::Save, output, printed);
        }
        None => call.stdout = printed,
    }
}

/// `grep -rl x ~`: the settings of the guard are among the files whose names are printed.
fn list_guarded(
    call: &Call<'_, '_>,
    options: &Options<'_>,
    files: &[&Field],
    printed: &mut Stream,
) {
    let names = ["l", "files-with-matches", "L", "files-without-match"];
    if !options.has(&names) || !matches!(call.name, "grep" | "egrep" | "fgrep" | "ggrep") {
        return;
    }
    let includes: Vec<Field> =
        options.values(&["include"]).map(|name| pattern_parts(name.prefix())).collect();
    let wanted = |file: &String| {
        let name = format!("/{}", file.rsplit('/').next().unwrap_or_default());
        let fits = |it: &Field| PathTarget::resolve(it, Some("/")).may_be(&name);
        includes.is_empty() || includes.iter().any(fits)
    };
    let mut names = Field { span: call.span, ..Field::default() };
    for file in files {
        let path = call.machine.path(file);
        let Some(folder) = path.real.as_deref().or(path.exact()) else { continue };
        for file in call.machine.world.facts.guarded(folder).iter().filter(|file| wanted(file)) {
            names.push_text(file, None);
            names.push_text("\n", None);
        }
    }
    if !names.parts.is_empty() {
        names.push(Part::Unknown(Unknown { name: "$(grep)".into(), splits: true }));
        names.push_text("\n", None);
        printed.partial = Some(Rc::new(names));
    }
}

/// `tail +5` and `less +G` say where to start; `less +!ls` runs a command.
fn without_jumps<'a>(call: &mut Call<'_, '_>, files: &[&'a Field]) -> Vec<&'a Field> {
    let jumps = matches!(call.name, "tail" | "head" | "less" | "more");
    let mut kept = Vec::with_capacity(files.len());
    for file in files {
        if !jumps || !file.prefix().starts_with('+') {
            kept.push(*file);
        } else if let Some(code) = file.after("+!") {
            call.run_code(Language::Shell(Dialect::Posix), &code);
        }
    }
    kept
}

/// Files that hold patterns or the names of other files.
fn reads_lists(call: &mut Call<'_, '_>, reader: &Reader, options: &Options<'_>) -> Flow {
    let mut flow = Flow::default();
    for list in options.values(reader.lists) {
        let content = input(call, Act::List, list);
        // Names from such a list appear in messages.
        flow.join(&content.flow);
    }
    flow
}

/// `rg --pre PROGRAM` and the like.
fn run_programs(call: &mut Call<'_, '_>, reader: &Reader, options: &Options<'_>) {
    for program in options.values(reader.programs) {
        if !matches!(program.exact(), Some("" | "never" | "cat" | "less")) {
            call.run(&words(program));
        }
    }
}

fn operand_sources(fields: &[&Field]) -> Flow {
    let mut flow = Flow::default();
    for field in fields {
        flow.join(&field.sources());
    }
    flow
}

/// Reads the first operand and writes the second.
fn in_and_out(call: &mut Call<'_, '_>, short: &'static str) {
    let options = call.options(&Spec { short, ..Spec::new("", "help version") });
    if only_shows(&options) {
        return;
    }
    let files: Vec<&Field> = options.operands.iter().take(1).copied().collect();
    let content = inputs(call, Act::Print, &files, false);
    let printed = filtered(call, &files, &content);
    match options.operands.get(1) {
        Some(output) if !output.is("-") => {
            let kind = written_kind(call, output, Kind::Overwrite);
            put(call, kind, Act::Save, output, printed);
            call.stdout = Stream::empty();
        }
        _ => call.stdout = printed,
    }
}

/// Prints what its arguments say.
fn echo(call: &mut Call<'_, '_>) {
    let mut arguments = call.arguments();
    let mut variable = None;
    if let [option, name, rest @ ..] = arguments
        && call.name == "printf"
        && option.is("-v")
    {
        variable = name.exact();
        arguments = rest;
    }
    let printed = said(call.name, arguments);
    let Some(variable) = variable else {
        call.stdout = printed;
        return;
    };
    // bash's builtin `printf -v` puts its output in a variable.
    let value = match (printed.text, printed.partial) {
        (Some(text), _) => {
            Variable::Scalar(Field { flow: printed.flow, ..Field::text(text, call.span) })
        }
        (None, Some(field)) => Variable::Scalar((*field).clone()),
        (None, None) => Variable::Unknown,
    };
    call.machine.shell.set(variable, value);
    call.stdout = Stream::empty();
}

fn said(name: &str, arguments: &[Field]) -> Stream {
    let exact: Option<Vec<&str>> = arguments.iter().map(Field::exact).collect();
    let mut flow = Flow::default();
    if let Some(exact) = exact {
        for field in arguments {
            flow.join(&field.flow);
        }
        return Stream { text: crate::filters::run(name, &exact, None), flow, ..Stream::default() };
    }
    match (name, arguments) {
        ("echo", [first, rest @ ..]) if first.is("-n") => Stream::of_fields(rest, ""),
        ("echo", [first, ..]) if !first.prefix().starts_with('-') => {
            Stream::of_fields(arguments, "\n")
        }
        ("printf", [format, one]) if format.is("%s") => {
            Stream::of_fields(std::slice::from_ref(one), "")
        }
        ("printf", [format, one]) if format.is("%s\\n") => {
            Stream::of_fields(std::slice::from_ref(one), "\n")
        }
        _ => {
            for field in arguments {
                flow.join(&field.sources());
            }
            Stream::unknown(flow)
        }
    }
}

fn tr(call: &mut Call<'_, '_>) {
    call.stdout = filtered(call, &[], &call.stdin);
}

/// Prints names and facts, no content.
fn names(call: &mut Call<'_, '_>) {
    call.stdout = match call.name {
        "which" => crate::run::located(call.arguments()),
        "ls" => one_of(call).unwrap_or_else(|| listed(call)),
        "realpath" | "readlink" | "cygpath" => {
            let named = |field: &&Field| !field.prefix().starts_with('-');
            let files: Vec<Field> = call.arguments().iter().filter(named).cloned().collect();
            Stream::of_fields(&files, "\n")
        }
        _ => Stream::default(),
    };
}

/// `$(ls /usr/bin/perl /opt/bin/perl | head -1)`: the same program, wherever it is.
fn one_of(call: &Call<'_, '_>) -> Option<Stream> {
    let files = call.arguments().iter().filter(|field| !field.prefix().starts_with('-'));
    let paths: Vec<&str> = files.map(Field::exact).collect::<Option<_>>()?;
    let name = |path: &str| path.rsplit_once("/bin/").map(|(_, name)| name.to_owned());
    let first = paths.first().copied()?;
    let same = name(first).is_some() && paths.iter().all(|path| name(path) == name(first));
    same.then(|| Stream::known(format!("{first}\n")))
}

/// `ls -d x`, `ls *.log`: files are listed by the names that were given.
fn listed(call: &Call<'_, '_>) -> Stream {
    let options =
        call.options(&Spec::new("I:w:T:", "directory ignore= width= format= sort= time="));
    let themselves = options.has(&["d", "directory"]);
    let mut names = Field { span: call.span, ..Field::default() };
    for field in options.operands.iter().take(MAX_LISTED) {
        let pattern = field.parts.iter().any(|part| matches!(part, Part::Glob(_)));
        let is_file = || kind_of(call, field) == Some(PathKind::File);
        if options.has(&["l", "g", "o", "s", "i"]) || !(themselves || pattern || is_file()) {
            return Stream::default();
        }
        for guarded in call.machine.guarded_by(&call.machine.path(field)) {
            names.push_text(&guarded, None);
            names.push_text("\n", None);
        }
        field.parts.iter().for_each(|part| names.push(part.clone()));
        names.push_text("\n", None);
    }
    if names.parts.is_empty() {
        return Stream::default();
    }
    Stream { partial: Some(Rc::new(names)), ..Stream::default() }
}

/// It makes a file or folder of a new name and prints the name: the start of it is known.
fn mktemp(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("p:t:", "tmpdir=? suffix= directory dry-run quiet"));
    let folder = options.value(&["p", "tmpdir"]).map_or_else(|| "/tmp".to_owned(), Field::shown);
    let template = options.operand(0).unwrap_or("tmp.");
    // The letters that are replaced stand together, three or more.
    let end = template.find(&"X".repeat(3)).unwrap_or(template.len());
    let known = template.get(..end).unwrap_or_default();
    let mut name = Field { span: call.span, ..Field::default() };
    if !known.contains('/') {
        name.push_text(&folder, None);
        name.push_text("/", None);
    }
    name.push_text(known, None);
    name.push(Part::Unknown(Unknown { name: "$(mktemp)".into(), splits: false }));
    name.push_text("\n", None);
    call.stdout = Stream { partial: Some(Rc::new(name)), ..Stream::default() };
}

#[cfg(test)]
mod tests {
    use crate::flow::{Flow, Source, Stream};
    use crate::run::Machine;
    use crate::run::testing::check;
    use crate::span::Span;
    use crate::value::Field;
    use crate::world::Surroundings;

    /// The output when a secret is the input.
    fn flow(argv: &[&str]) -> Flow {
        let world = Surroundings { cwd: Some("/shop"), ..Surroundings::default() };
        let argv: Vec<Field> =
            argv.iter().map(|word| Field::text(*word, Span::default())).collect();
        Machine::new(&world, "").execute(&argv, Stream::from(Source::Stdin)).flow
    }

    #[test]
    fn readers_read_their_operands() {
        check(&[
            (&["cat", "a", "/b"], &["read print /shop/a certain", "read print /b certain"]),
            (&["cat", "-n", "--", "-x"], &["read print /shop/-x certain"]),
            (&["cat", "-"], &[]),
            (&["cat", "/dev/null"], &[]),
            (
                &["cat", "/proc/self/environ"],
                &["environment-dump proc-environ /proc/self/environ certain"],
            ),
            (&["head", "-n", "5", "a"], &["read print /shop/a certain"]),
            (&["tail", "+5", "a"], &["read print /shop/a certain"]),
            (&["less", "-p", "/etc/shadow", "a"], &["read print /shop/a certain"]),
            (&["less", "-k", "/etc/shadow"], &["read list /etc/shadow certain"]),
            (&["od", "-A", "x", "a"], &["read print /shop/a certain"]),
            (&["cut", "-d", ":", "-f1", "/etc/passwd"], &["read print /etc/passwd certain"]),
            (&["wc", "-l", "a"], &["read digest /shop/a certain"]),
            (
                &["diff", "-r", "a", "b"],
                &["read compare /shop/a certain -r", "read compare /shop/b certain -r"],
            ),
        ]);
    }

    #[test]
    fn a_pattern_is_not_a_file() {
        check(&[
            (&["grep", "-n", "rm -rf /", "a"], &["read search /shop/a certain"]),
            (&["grep", "-rn", "x"], &["read search /shop certain -r"]),
            (&["grep", "-e", "x", "a"], &["read search /shop/a certain"]),
            (
                &["grep", "-f", "list", "a"],
                &["read list /shop/list certain", "read search /shop/a certain"],
            ),
            (
                &["grep", "--exclude-from", ".env", "x", "a"],
                &["read list /shop/.env certain", "read search /shop/a certain"],
            ),
            (&["grep", "x"], &[]),
            (&["rg", "x"], &["read search /shop certain -r"]),
            (&["rg", "-g", "*.rs", "x", "src"], &["read search /shop/src certain -r"]),
            (&["rg", "--files", "src"], &["read search /shop/src certain -r"]),
        ]);
    }

    #[test]
    fn some_readers_write() {
        check(&[
            (
                &["sort", "a", "-o", "b"],
                &[
                    "read print /shop/a certain",
                    "overwrite save /shop/b certain <[File(\"/shop/a\")]",
                ],
            ),
            (
                &["uniq", "-f", "1", "a", "b"],
                &[
                    "read print /shop/a certain",
                    "overwrite save /shop/b certain <[File(\"/shop/a\")]",
                ],
            ),
            (&["ls", "-la", "/etc"], &[]),
            (&["stat", ".env"], &[]),
            (&["echo", "rm", "-rf", "/"], &[]),
            (&["sort", "--version"], &[]),
        ]);
    }

    #[test]
    fn what_echo_says_is_known_as_far_as_its_arguments_are() {
        let stream = |fields: &[Field]| super::said("echo", fields);
        let text = Field::text("a", Span::default());
        let unknown = Field::unknown("$x", Span::default());
        assert_eq!(stream(std::slice::from_ref(&text)).text.as_deref(), Some("a\n"));
        let mixed = stream(&[text, unknown]);
        assert_eq!(mixed.text, None);
        assert_eq!(mixed.partial.map(|field| field.shown()).as_deref(), Some("a $x\n"));
        assert_eq!(mixed.flow, Flow::of(Source::Variable("x".into())));
    }

    #[test]
    fn content_passes_through_but_digests_and_names_do_not() {
        for argv in [["cat"].as_slice(), &["grep", "x"], &["sort"], &["tr", "a", "b"], &["rg", "x"]]
        {
            assert_eq!(flow(argv), Flow::of(Source::Stdin), "{argv:?}");
        }
        let file = Flow::of(Source::File("/shop/k".into()));
        for argv in [["cat", "k"].as_slice(), &["strings", "-n", "4", "k"], &["grep", "x", "k"]] {
            assert_eq!(flow(argv), file, "{argv:?}");
        }
        for argv in
            [["sha256sum", "k"].as_slice(), &["wc"], &["grep", "-c", "x", "k"], &["ls", "k"]]
        {
            assert!(flow(argv).is_empty(), "{argv:?}");
        }
    }
}
