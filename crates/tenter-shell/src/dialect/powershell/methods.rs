//! Methods of types and objects: downloads, decoders, files, processes.

use super::expression::{as_piped, replaced};
use super::{Piped, Shell};
use crate::act::Act;
use crate::code::decode;
use crate::effect::Kind;
use crate::flow::{Source, Stream};
use crate::span::Span;
use crate::target::Target;
use crate::value::Field;

impl Shell<'_, '_, '_, '_> {
    pub(super) fn method(
        &mut self,
        value: &Piped,
        path: &str,
        name: &str,
        arguments: &[Field],
        span: Span,
    ) -> Piped {
        let missing = Field::unknown("…", span);
        let first = arguments.first().unwrap_or(&missing);
        let second = arguments.get(1).unwrap_or(&missing);
        let path = path.trim_start_matches('[').replace(']', "");
        if let Some(done) = self.web_method(value, &path, name, arguments, span) {
            return done;
        }
        match (path.as_str(), name) {
            ("convert.frombase64string", _) => {
                decoded(first, |text| decode::base64(text).map(latin))
            }
            (_, "getstring") => encoding(&path, first),
            ("environment.getenvironmentvariables", _) => {
                self.call.effect_at(
                    Kind::EnvironmentDump,
                    Act::PrintEnvironment,
                    Target::None,
                    span,
                );
                Piped { stream: Stream::from(Source::Environment), paths: Vec::new() }
            }
            ("environment.getenvironmentvariable", _) => {
                let name = first.exact().unwrap_or_default();
                as_piped(&Field::unknown(&format!("${name}"), span))
            }
            (_, "replace") => {
                let (from, to) =
                    (first.exact().unwrap_or_default(), second.exact().unwrap_or_default());
                combine_text(value, |text| {
                    if from.is_empty() { Some(text.to_owned()) } else { replaced(text, from, to) }
                })
            }
            ("string.join", _) => {
                let separator = first.exact().unwrap_or_default();
                let parts: Option<Vec<&str>> = arguments.iter().skip(1).map(Field::exact).collect();
                parts.map_or_else(Piped::default, |parts| Piped::text(parts.join(separator)))
            }
            (
                _,
                "tostring" | "trim" | "trimend" | "invoke" | "new" | "tolower" | "split"
                | "substring" | "getresponse",
            ) => value.clone(),
            _ => {
                if let Some(done) = self.object_method(&path, name, arguments, span) {
                    return done;
                }
                if let Some(done) = self.file_method(value, &path, name, arguments, span) {
                    return done;
                }
                let mut flow = value.stream.flow.clone();
                for argument in arguments {
                    flow.join(&argument.sources());
                }
                Piped::unknown(flow)
            }
        }
    }

    /// Methods that fetch and send; none if this is not one.
    fn web_method(
        &mut self,
        value: &Piped,
        path: &str,
        name: &str,
        arguments: &[Field],
        span: Span,
    ) -> Option<Piped> {
        let missing = Field::unknown("…", span);
        let first = arguments.first().unwrap_or(&missing);
        let second = arguments.get(1).unwrap_or(&missing);
        Some(match (path, name) {
            (
                _,
                "downloadstring" | "downloaddata" | "getstringasync" | "getbytearrayasync"
                | "openread",
            ) if !path.contains("io.file") => {
                Piped { stream: self.call.receive(Act::Http, first), paths: Vec::new() }
            }
            (_, "downloadfile" | "downloadfileasync") => {
                let content = self.call.receive(Act::Http, first);
                self.call.write(
                    Kind::Overwrite,
                    Act::Download,
                    &super::super::path_field(second),
                    content,
                );
                Piped::default()
            }
            (_, "uploadstring" | "uploaddata" | "uploadvalues") => {
                let data = arguments.last().unwrap_or(&missing).sources();
                self.call.send(Act::Http, first, data);
                Piped::default()
            }
            (_, "uploadfile") => {
                let file = super::super::path_field(arguments.last().unwrap_or(&missing));
                let content = self.call.read(Act::ReadFile, &file);
                self.call.send(Act::Http, first, content.flow);
                Piped::default()
            }
            (
                "net.webrequest.create" | "net.ftpwebrequest.create" | "net.httpwebrequest.create",
                _,
            ) => Piped { stream: as_piped(first).stream, paths: vec![first.clone()] },
            (_, "openread") if path.contains("io.file") => {
                let target = super::super::path_field(first);
                Piped { stream: self.call.read(Act::ReadFile, &target), paths: Vec::new() }
            }
            (_, "getrequeststream" | "getrequeststreamasync" | "postasync" | "putasync") => {
                let mut data = self.held();
                for argument in arguments {
                    data.join(&argument.sources());
                }
                let to = if name.ends_with("tasync") { first.clone() } else { value.field(span) };
                // `ftp://host/$name`: the host is known.
                let known = to.prefix().split_once("://").is_some_and(|(_, it)| it.contains('/'));
                let to = if known { Field::text(to.prefix(), to.span) } else { to };
                self.call.send(Act::Http, &to, data);
                Piped::default()
            }
            _ => return None,
        })
    }

    /// The sources of all variables: what is put into a request may be any of them.
    fn held(&self) -> crate::flow::Flow {
        let mut all = crate::flow::Flow::default();
        for (_, value) in &self.variables {
            all.join(&value.stream.flow);
        }
        all
    }

    /// Methods that touch files and processes; none if this is not one.
    fn file_method(
        &mut self,
        value: &Piped,
        path: &str,
        name: &str,
        arguments: &[Field],
        span: Span,
    ) -> Option<Piped> {
        let missing = Field::unknown("…", span);
        let first = arguments.first().unwrap_or(&missing);
        let second = arguments.get(1).unwrap_or(&missing);
        Some(match (path, name) {
            ("scriptblock.create" | "management.automation.scriptblock.create", _) => {
                let code = as_piped(first).stream;
                self.run_text(&code, span);
                Piped::text(super::expression::BLOCK)
            }
            ("diagnostics.process.start", _) => {
                let words: Vec<Field> = arguments.to_vec();
                super::super::run_native(self.call, &words, Stream::default());
                Piped::default()
            }
            (_, "delete")
                if path.contains("file.")
                    || path.contains("directory.")
                    || !value.paths.is_empty() =>
            {
                let targets =
                    if value.paths.is_empty() { vec![first.clone()] } else { value.paths.clone() };
                let recursive = path.contains("directory") && second.is("True");
                for target in &targets {
                    let target = super::super::path_field(target);
                    self.call.on_path(Kind::Delete, Act::Remove, &target).recursive = recursive;
                }
                Piped::default()
            }
            (_, "copy" | "move") if path.contains("io.file") => {
                let content = self.call.read(Act::Copy, &super::super::path_field(first));
                self.call.write(Kind::Write, Act::Copy, &super::super::path_field(second), content);
                Piped::default()
            }
            (_, "kill" | "terminate" | "closemainwindow") if !value.paths.is_empty() => {
                self.end_processes(&value.paths, span);
                Piped::default()
            }
            (_, "writealltext" | "writeallbytes" | "writealllines" | "appendalltext") => {
                let content = as_piped(second).stream;
                let target = super::super::path_field(first);
                if name.starts_with("append") {
                    self.call.write(Kind::Append, Act::AppendFile, &target, content);
                } else {
                    self.call.write(Kind::Overwrite, Act::WriteFile, &target, content);
                }
                Piped::default()
            }
            (_, "readalltext" | "readallbytes" | "readalllines") => {
                let target = super::super::path_field(first);
                Piped { stream: self.call.read(Act::ReadFile, &target), paths: Vec::new() }
            }
            _ => return None,
        })
    }
}

/// Bytes as one character each, until it is known what they mean.
fn latin(bytes: Vec<u8>) -> String {
    bytes.into_iter().map(char::from).collect()
}

fn decoded(field: &Field, change: impl Fn(&str) -> Option<String>) -> Piped {
    let mut flow = field.sources();
    flow.add(Source::Decoded);
    Piped {
        stream: Stream { text: field.exact().and_then(change), flow, ..Stream::default() },
        paths: Vec::new(),
    }
}

/// `[Text.Encoding]::Unicode.GetString(bytes)`
fn encoding(path: &str, bytes: &Field) -> Piped {
    let raw: Option<Vec<u8>> = bytes.exact().map(|text| {
        text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap_or(b'?')).collect()
    });
    let text = raw
        .map(|raw| if path.contains("unicode") { decode::utf16(&raw) } else { decode::text(raw) });
    Piped { stream: Stream { text, flow: bytes.sources(), ..Stream::default() }, paths: Vec::new() }
}

fn combine_text(value: &Piped, change: impl Fn(&str) -> Option<String>) -> Piped {
    let text = value.stream.text.as_deref().and_then(change);
    Piped {
        stream: Stream { text, flow: value.stream.flow.clone(), ..Stream::default() },
        paths: Vec::new(),
    }
}
