//! Builtin commands of cmd.exe.
//!
//! Actions: `remove`, `remove-empty-directory`, `redirect`, `read-file`, `copy`, `move`,
//! `make-directory`, `link`, `print-environment`.

use super::super::{begin, path_field, run_native};
use super::Shell;
use crate::act::Act;
use crate::effect::Kind;
use crate::flow::{Flow, Source, Stream};
use crate::span::Origin;
use crate::target::Target;
use crate::value::{Field, Part};

/// `/s`, `/f/q`, `/a:h`; a path such as `/home/me`, which a variable may hold, is none.
fn is_switch(field: &Field) -> bool {
    let Some(text) = field.prefix().strip_prefix('/') else {
        return false;
    };
    let path = text.split_once('/').is_some_and(|(first, _)| first.len() > 1);
    !path
}

impl Shell<'_, '_, '_, '_> {
    /// One command with its words.
    pub(super) fn run(&mut self, words: &[Field], stdin: &Stream, start: usize) -> Stream {
        let Some(first) = words.first() else {
            return stdin.clone();
        };
        let shown = first.prefix().to_owned();
        // `del/f/q x`: switches may follow without a blank.
        let (name, glued) = match shown.split_once('/') {
            Some((name, rest)) if !name.is_empty() && !name.contains(['\\', ':']) => {
                (name, Some(format!("/{rest}")))
            }
            _ => (shown.as_str(), None),
        };
        let lower = name.to_ascii_lowercase();
        let mut words = words.to_vec();
        if let Some(glued) = glued {
            let alone = Field::text(name, first.span);
            words.splice(..1, [alone, Field::text(glued, first.span)]);
        }
        let rest: Vec<Field> = words.get(1..).unwrap_or_default().to_vec();
        match lower.as_str() {
            "call" | "start" => return self.start(&lower, &rest, stdin),
            "set" => return self.set(&rest),
            "echo" | "echo." => {
                return echo(&rest);
            }
            "timeout" | "setlocal" | "endlocal" | "exit" | "goto" | "pause" | "cls" | "title"
            | "color" | "ver" => {
                return Stream::empty();
            }
            _ => {}
        }
        let internal = matches!(
            lower.as_str(),
            "del"
                | "erase"
                | "rd"
                | "rmdir"
                | "copy"
                | "move"
                | "ren"
                | "rename"
                | "type"
                | "md"
                | "mkdir"
                | "mklink"
                | "cd"
                | "chdir"
                | "pushd"
                | "dir"
        );
        if !internal {
            let program = name.to_ascii_lowercase();
            if let Some(first) = words.first_mut()
                && first.exact().is_some()
            {
                *first = Field {
                    parts: vec![Part::Text { text: program, at: None }],
                    span: first.span,
                    flow: first.flow.clone(),
                };
            }
            return run_native(self.call, &words, stdin.clone());
        }
        let outer = begin(self.call, &lower, &words);
        let out = self.internal(&lower, &rest, stdin, start);
        self.call.index = outer;
        out
    }

    fn start(&mut self, name: &str, rest: &[Field], stdin: &Stream) -> Stream {
        let mut rest = rest;
        if name == "start" {
            // A title in quotes and switches come first.
            while let Some(first) = rest.first() {
                let text = first.prefix();
                let title = text.is_empty() || (rest.len() > 1 && text.contains(' '));
                if !(text.starts_with('/') || title) {
                    break;
                }
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        if rest.is_empty() {
            return Stream::empty();
        }
        self.run(rest, stdin, self.at)
    }

    /// `set NAME=value`
    fn set(&mut self, rest: &[Field]) -> Stream {
        let Some(first) = rest.first() else {
            let span = self.call.span;
            self.call.effect_at(Kind::EnvironmentDump, Act::PrintEnvironment, Target::None, span);
            return Stream::from(Source::Environment);
        };
        if first.is("/p") || first.is("/P") {
            // Whatever is typed in.
            if let Some((name, _)) = rest.get(1).and_then(|word| word.prefix().split_once('=')) {
                let value = Field::unknown(&format!("${name}"), first.span);
                self.variables.push((name.to_owned(), value));
            }
            return Stream::empty();
        }
        if let Some((name, _)) = first.prefix().split_once('=') {
            let name = name.to_owned();
            let hooks =
                ["dotnet_startup_hooks", "cor_profiler", "cor_profiler_path", "coreclr_profiler"];
            if hooks.contains(&name.to_ascii_lowercase().as_str()) {
                self.call.effect_at(
                    Kind::Schedule,
                    Act::Autostart,
                    Target::Name(name.clone()),
                    first.span,
                );
            }
            let mut value = first.without_prefix(name.len() + 1).unwrap_or_default();
            for word in rest.iter().skip(1) {
                value.push_text(" ", None);
                word.parts.iter().for_each(|part| value.push(part.clone()));
            }
            self.variables.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
            if self.code.origin == Origin::Verbatim(0) {
                // Programs that are started from here see it.
                self.call.machine.shell.export(&name, value.clone());
            }
            self.variables.push((name, value));
        }
        Stream::empty()
    }

    fn internal(&mut self, name: &str, rest: &[Field], stdin: &Stream, start: usize) -> Stream {
        let span = self.code.span(start, self.at);
        let has = |letter: &str| {
            rest.iter().any(|field| {
                let text = field.prefix().to_ascii_lowercase();
                text.starts_with('/')
                    && text.split('/').any(|switch| switch.split(':').next() == Some(letter))
            })
        };
        let operands: Vec<Field> =
            rest.iter().filter(|field| !is_switch(field)).map(path_field).collect();
        match name {
            "del" | "erase" | "rd" | "rmdir" => {
                let directory = matches!(name, "rd" | "rmdir");
                let action =
                    if directory && !has("s") { Act::RemoveEmptyDirectory } else { Act::Remove };
                for target in &operands {
                    let effect = self.call.on_path(Kind::Delete, action, target);
                    effect.recursive = has("s");
                    effect.force = has("q") || has("f");
                }
            }
            "copy" | "move" | "ren" | "rename" => self.transfer(name, &operands),
            "type" => {
                let mut out = Stream::default();
                for file in &operands {
                    if file.exact().is_some_and(|name| name.eq_ignore_ascii_case("nul")) {
                        out = Stream::empty();
                        continue;
                    }
                    let content = self.call.read(Act::ReadFile, file);
                    out.flow.join(&content.flow);
                    if operands.len() == 1 {
                        out.text = content.text;
                    }
                }
                return out;
            }
            "md" | "mkdir" => {
                for place in &operands {
                    self.call.on_path(Kind::Write, Act::MakeDirectory, place);
                }
            }
            "mklink" => {
                if let Some(place) = operands.first() {
                    self.call.on_path(Kind::Write, Act::Link, place);
                }
            }
            "cd" | "chdir" | "pushd" => {
                if let Some(place) = operands.first() {
                    let path = self.call.machine.path(place);
                    self.call.machine.shell.cwd = path.exact().map(Into::into);
                }
            }
            _ => {
                let _ = (stdin, span);
                return Stream::unknown(Flow::default());
            }
        }
        Stream::empty()
    }

    fn transfer(&mut self, name: &str, operands: &[Field]) {
        let Some((from, to)) = operands.split_first() else {
            return;
        };
        let content = if name == "copy" {
            self.call.read(Act::Copy, from)
        } else {
            let path = self.call.machine.path(from);
            let content = self.call.machine.content(&path);
            self.call.effect_at(Kind::Move, Act::Move, Target::Path(path), from.span);
            content
        };
        if let Some(to) = to.last() {
            let action = if name == "copy" { Act::Copy } else { Act::Move };
            self.call.write(Kind::Write, action, to, content);
        }
    }
}

fn echo(words: &[Field]) -> Stream {
    let mut flow = Flow::default();
    for word in words {
        flow.join(&word.sources());
    }
    let texts: Option<Vec<&str>> = words.iter().map(Field::exact).collect();
    match texts {
        Some(texts) if texts.len() == 1 && matches!(texts.first(), Some(&("off" | "on"))) => {
            Stream::empty()
        }
        texts => {
            Stream { text: texts.map(|texts| texts.join(" ") + "\r\n"), flow, ..Stream::default() }
        }
    }
}
