//! Helpers for tools that work on files.
//!
//! Actions: `proc-environ` (the environment of a process is read from `/proc`), `write-device` (a
//! device file is written).

use crate::act::Act;
use crate::analysis::Reason;
use crate::budget::MAX_VALUE;
use crate::call::Call;
use crate::effect::{Certainty, Effect, Kind};
use crate::flow::{Source, Stream};
use crate::options::Options;
use crate::target::{PathPart, PathTarget, Target};
use crate::value::{Field, Part};
use crate::world::PathKind;

/// `--help` or `--version` was given: the program does nothing else.
pub(super) fn only_shows(options: &Options<'_>) -> bool {
    options.has(&["help", "version"])
}

/// A file that is read, with what is known of its content.
pub(super) fn input(call: &mut Call<'_, '_>, action: Act, field: &Field) -> Stream {
    tree(call, action, field, false)
}

/// A file or a whole tree that is read.
pub(super) fn tree(call: &mut Call<'_, '_>, action: Act, field: &Field, recursive: bool) -> Stream {
    match field.exact() {
        Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") => return call.stdin.clone(),
        Some("/dev/null") => return Stream::empty(),
        Some("/dev/zero" | "/dev/full" | "/dev/random" | "/dev/urandom" | "") => {
            return Stream::default();
        }
        Some(path) if path.starts_with("/proc/") && path.ends_with("/environ") => {
            call.on_path(Kind::EnvironmentDump, Act::ProcEnviron, field);
            return Stream::from(Source::Environment);
        }
        _ => {}
    }
    if gave_up(call) {
        return Stream::default();
    }
    let path = call.machine.path(field);
    if let Some(number) = descriptor(field) {
        let open = call.machine.shell.descriptor(number).map(|open| open.stream.clone());
        return call.machine.written(&path).cloned().or(open).unwrap_or_default();
    }
    let content = call.machine.content(&path);
    let written = call.machine.written(&path).map(|stream| stream.flow.clone());
    let effect = call.effect_at(Kind::Read, action, Target::Path(path), field.span);
    effect.recursive = recursive;
    // A copy or a link carries what it was made from.
    effect.sources = written.unwrap_or_default();
    content
}

/// Says so when there is no work left for another file.
fn gave_up(call: &mut Call<'_, '_>) -> bool {
    let spent = !call.machine.budget.spend(1);
    if spent {
        call.unverified(Reason::TooMuchWork, call.span);
    }
    spent
}

/// The files one after the other, or standard input if there are none.
pub(super) fn inputs(
    call: &mut Call<'_, '_>,
    action: Act,
    fields: &[&Field],
    recursive: bool,
) -> Stream {
    if fields.is_empty() {
        return call.stdin.clone();
    }
    let mut all = Stream::empty();
    for field in fields {
        let one = tree(call, action, field, recursive);
        append(&mut all, &one);
    }
    all
}

/// The number in `/dev/fd/63`: a pipe from or to other code, or what the shell opened.
fn descriptor(field: &Field) -> Option<u32> {
    let name = field.exact()?;
    let number = name.strip_prefix("/dev/fd/").or_else(|| name.strip_prefix("/proc/self/fd/"))?;
    number.parse().ok()
}

/// Puts one stream after another.
pub(super) fn append(stream: &mut Stream, more: &Stream) {
    if stream.text.as_deref() == Some("") && stream.flow.is_empty() {
        *stream = more.clone();
        return;
    }
    stream.flow.join(&more.flow);
    stream.partial = None;
    stream.text = match (stream.text.take(), &more.text) {
        (Some(text), Some(more)) if text.len() + more.len() <= MAX_VALUE => Some(text + more),
        _ => None,
    };
}

/// The output of a program is computed for at most this many files.
const MAX_COMPUTED: usize = 16;

/// Output of a harmless text program: exact where it can be computed. `files` are the arguments that name the
/// input.
pub(super) fn filtered(call: &Call<'_, '_>, files: &[&Field], content: &Stream) -> Stream {
    let mut result = reshaped(content);
    // Some of the lines, in some order: what is known of them stays known.
    if matches!(
        call.name,
        "cat" | "tac" | "sort" | "uniq" | "head" | "tail" | "grep" | "egrep" | "fgrep" | "rg"
    ) {
        result.partial.clone_from(&content.partial);
    }
    let Some(text) = content.text.as_deref() else {
        return result;
    };
    let most = if matches!(call.name, "cat" | "sort" | "sed") { MAX_COMPUTED } else { 1 };
    if files.len() > most {
        return result;
    }
    let arguments: Option<Vec<&str>> = call
        .arguments()
        .iter()
        .filter(|field| !files.iter().any(|file| std::ptr::eq(*file, *field)))
        .map(Field::exact)
        .collect();
    result.text = arguments.and_then(|args| crate::filters::run(call.name, &args, Some(text)));
    result
}

/// The same data in another form: its origin is known, its text is not.
pub(super) fn reshaped(stream: &Stream) -> Stream {
    Stream::unknown(stream.flow.clone())
}

/// The same data after a decoder.
pub(super) fn decoded(stream: &Stream) -> Stream {
    let mut flow = stream.flow.clone();
    flow.add(Source::Decoded);
    Stream::unknown(flow)
}

/// Reports a file written with this content. Terminals and `/dev/null` discard it, `/dev/stdout` prints it,
/// other devices are devices.
pub(super) fn put<'e>(
    call: &'e mut Call<'_, '_>,
    kind: Kind,
    action: Act,
    field: &Field,
    content: Stream,
) -> Option<&'e mut Effect> {
    match field.exact() {
        Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1") => {
            call.stdout = content;
            return None;
        }
        Some("") => return None,
        _ => {}
    }
    if gave_up(call) {
        return None;
    }
    if let Some(number) = descriptor(field) {
        if let Some(address) = call.machine.shell.connection(number).map(str::to_owned) {
            call.send(Act::Socket, &Field::text(address, field.span), content.flow);
            return None;
        }
        let path = call.machine.path(field);
        call.machine.set_content(&path, &content, false);
        return None;
    }
    match device(&call.machine.path(field)) {
        Device::No => Some(call.write(kind, action, field, content)),
        Device::Harmless => None,
        Device::Real => Some(call.write(Kind::Device, Act::WriteDevice, field, content)),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Device {
    No,
    /// Written data is displayed or discarded.
    Harmless,
    Real,
}

/// Whether a path is a device file, by where it stands.
pub(super) fn device(path: &PathTarget) -> Device {
    let Some(PathPart::Text(text)) = path.parts.first() else {
        return Device::No;
    };
    match super::disk::device(text) {
        super::disk::Device::NotADevice => Device::No,
        super::disk::Device::Harmless => Device::Harmless,
        super::disk::Device::Storage | super::disk::Device::Other => Device::Real,
    }
}

/// The kind of a write to a path: `otherwise` if nothing is known about it.
pub(super) fn written_kind(call: &Call<'_, '_>, field: &Field, otherwise: Kind) -> Kind {
    match kind_of(call, field) {
        Some(PathKind::Missing) => Kind::Write,
        Some(PathKind::File) => Kind::Overwrite,
        _ => otherwise,
    }
}

pub(super) fn kind_of(call: &Call<'_, '_>, field: &Field) -> Option<PathKind> {
    let path = call.machine.path(field);
    call.machine.world.facts.kind(path.exact()?)
}

/// A file that was there is gone: later parts of the command find nothing in it.
pub(super) fn forget(call: &mut Call<'_, '_>, field: &Field) {
    if call.machine.certainty != Certainty::Certain || gave_up(call) {
        return;
    }
    let path = call.machine.path(field);
    if path.exact().is_some() && call.machine.written(&path).is_some() {
        call.machine.set_content(&path, &Stream::empty(), false);
    }
}

/// The file of that name in a directory: `copy into /tmp` of `a/b` is `/tmp/b`.
pub(super) fn below(directory: &Field, file: &Field) -> Field {
    let mut field = joined(directory);
    for part in base_name(file) {
        field.push(part);
    }
    field.span = file.span;
    field
}

/// Any path inside a directory, the directory not included.
pub(super) fn inside(directory: &Field) -> Field {
    let mut field = joined(directory);
    field.parts.push(Part::Glob("**/".into()));
    field.parts.push(Part::Glob("*".into()));
    field
}

/// A path that is relative to a directory.
pub(super) fn relative(directory: &Field, path: &Field) -> Field {
    if path.prefix().starts_with('/') || matches!(path.parts.first(), Some(Part::Unknown(_))) {
        return path.clone();
    }
    let mut field = joined(directory);
    for part in &path.parts {
        field.push(part.clone());
    }
    field.span = path.span;
    field
}

/// The directory with a slash at its end.
fn joined(directory: &Field) -> Field {
    let mut field = directory.clone();
    if !field.suffix().ends_with('/') {
        field.push_text("/", None);
    }
    field
}

/// The parts after the last slash.
fn base_name(field: &Field) -> Vec<Part> {
    let mut parts = Vec::new();
    for (index, part) in field.parts.iter().rev().enumerate() {
        let Part::Text { text, .. } = part else {
            parts.push(part.clone());
            continue;
        };
        let text = if index == 0 { text.trim_end_matches('/') } else { text };
        let (found, name) = match text.rsplit_once('/') {
            Some((_, name)) => (true, name),
            None => (false, text),
        };
        if !name.is_empty() {
            parts.push(Part::Text { text: name.to_owned(), at: None });
        }
        if found {
            break;
        }
    }
    parts.reverse();
    parts
}

/// The parts of a pattern that a program, not the shell, matches: `*.pyc`.
pub(super) fn pattern_parts(pattern: &str) -> Field {
    let mut field = Field::default();
    let mut rest = pattern.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '*' | '?' => field.parts.push(Part::Glob(letter.to_string())),
            '[' => match rest.as_str().split_once(']') {
                Some((class, after)) if !class.is_empty() => {
                    field.parts.push(Part::Glob(format!("[{class}]")));
                    rest = after.chars();
                }
                _ => field.push_text("[", None),
            },
            '\\' => {
                let next = rest.next().unwrap_or('\\');
                field.push_text(next.encode_utf8(&mut [0; 4]), None);
            }
            _ => field.push_text(letter.encode_utf8(&mut [0; 4]), None),
        }
    }
    field
}

/// An argument that the program itself splits at blanks outside of quotes, and runs.
pub(super) fn words(text: &Field) -> Vec<Field> {
    let Some(exact) = text.exact() else {
        return vec![text.clone()];
    };
    let mut words: Vec<String> = Vec::new();
    let (mut quote, mut inside) = (None, false);
    for letter in exact.chars() {
        if quote.is_none() && letter.is_ascii_whitespace() {
            inside = false;
            continue;
        }
        if !inside {
            words.push(String::new());
            inside = true;
        }
        if quote == Some(letter) {
            quote = None;
        } else if quote.is_none() && matches!(letter, '\'' | '"') {
            quote = Some(letter);
        } else if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    words
        .into_iter()
        .map(|word| Field { flow: text.flow.clone(), ..Field::text(word, text.span) })
        .collect()
}

/// A path nobody can name, inside a directory or anywhere.
pub(super) fn unnamed(directory: Option<&Field>, name: &str) -> Field {
    let unknown = Field::unknown(name, directory.map(|field| field.span).unwrap_or_default());
    match directory {
        Some(directory) => {
            let mut field = joined(directory);
            field.parts.extend(unknown.parts);
            field
        }
        None => unknown,
    }
}

/// `localhost:path` as a path on this machine, from the home directory.
pub(super) fn on_this_machine(call: &Call<'_, '_>, field: &Field) -> Option<Field> {
    let (host, path) = remote(field)?;
    let home = call.machine.world.home?;
    if !crate::wrappers::remote::is_here(&host) || path.prefix().starts_with(':') {
        return None;
    }
    let path = path.after("~/").unwrap_or(path);
    Some(relative(&Field::text(format!("{home}/"), field.span), &path))
}

/// `host:path` or `host::module`: the host, and what stands after the colon.
pub(super) fn remote(field: &Field) -> Option<(Field, Field)> {
    let mut host = Field { span: field.span, ..Field::default() };
    for (index, part) in field.parts.iter().enumerate() {
        let Part::Text { text, .. } = part else {
            host.push(part.clone());
            continue;
        };
        let at = text.find([':', '/'])?;
        if !text.get(at..).is_some_and(|rest| rest.starts_with(':')) {
            return None;
        }
        host.push_text(text.get(..at).unwrap_or_default(), None);
        if host.parts.is_empty() {
            return None;
        }
        let mut path = Field { span: field.span, flow: field.flow.clone(), ..Field::default() };
        path.push_text(text.get(at + 1..).unwrap_or_default(), None);
        for part in field.parts.iter().skip(index + 1) {
            path.push(part.clone());
        }
        return Some((host, path));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;

    fn text(text: &str) -> Field {
        Field::text(text, Span::default())
    }

    #[test]
    fn a_file_keeps_its_name_in_another_directory() {
        for (directory, file, expected) in
            [("/tmp", "a/b", "/tmp/b"), ("/tmp/", "a/b/", "/tmp/b"), (".", "b", "./b")]
        {
            assert_eq!(below(&text(directory), &text(file)).shown(), expected);
        }
        let mut glob = text("/x/");
        glob.parts.push(Part::Glob("*".into()));
        assert_eq!(below(&text("/tmp"), &glob).shown(), "/tmp/*");
    }

    #[test]
    fn a_remote_path_has_its_colon_before_any_slash() {
        for (field, host) in [
            ("host:/x", Some("host")),
            ("me@host:x", Some("me@host")),
            ("host::module/x", Some("host")),
            ("./a:b", None),
            ("/a:b", None),
            ("plain", None),
            (":x", None),
        ] {
            assert_eq!(
                remote(&text(field)).map(|(host, _)| host.shown()).as_deref(),
                host,
                "{field}"
            );
        }
        let mut unknown = Field::unknown("$h", Span::default());
        unknown.push_text(":/x", None);
        assert_eq!(remote(&unknown).map(|(host, _)| host.shown()).as_deref(), Some("$h"));
    }

    #[test]
    fn a_pattern_is_cut_at_its_wildcards() {
        let parts = pattern_parts("a*[xy]?.c\\*");
        assert_eq!(parts.shown(), "a*[xy]?.c*");
        assert_eq!(parts.parts.len(), 5);
        assert_eq!(pattern_parts("a[b").parts.len(), 1);
    }

    #[test]
    fn devices_are_known_by_their_place() {
        for (path, expected) in [
            ("/dev/sda", Device::Real),
            ("/dev/disk/by-id/x", Device::Real),
            ("/dev/null", Device::Harmless),
            ("/dev/tty", Device::Harmless),
            ("/dev/shm/x", Device::No),
            ("/devel/x", Device::No),
        ] {
            assert!(device(&PathTarget::absolute(path)) == expected, "{path}");
        }
    }
}
