//! Cmdlets that find or make something other cmdlets act on: commands, aliases, processes, types.

use super::super::path_field;
use super::cmdlets::Said;
use super::expression::as_piped;
use super::{Piped, Shell};
use crate::act::Act;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::span::Span;
use crate::target::Target;
use crate::value::Field;
use crate::world::{Language, Use};

impl Shell<'_, '_, '_, '_> {
    pub(super) fn object(&mut self, cmdlet: &str, said: &Said, input: Piped) -> Piped {
        match cmdlet {
            // Whichever is there is what the value calls.
            "get-command" => {
                let paths = said.value_or(&["name"], 0);
                Piped { stream: Stream::default(), paths }
            }
            "set-alias" | "new-alias" => {
                let name = said.value_or(&["name"], 0).into_iter().next();
                let value = said.value_or(&["value"], 1).into_iter().next();
                if let (Some(name), Some(value)) = (name, value) {
                    self.set(&format!("alias:{}", name.shown()), as_piped(&value));
                }
                Piped { stream: Stream::empty(), paths: Vec::new() }
            }
            "import-module" => {
                for file in said.value_or(&["name", "path"], 0) {
                    self.run_file(Language::PowerShell, &file);
                }
                self.other(cmdlet, said, input)
            }
            "add-type" => {
                let source = said.value_or(&["typedefinition", "memberdefinition"], 0);
                for code in &source {
                    let code = as_piped(code).stream;
                    if code.flow.from_network().is_some() {
                        self.call.run_stream(Language::Other, &code, said.span);
                    }
                }
                for file in said.values_of(&["path", "literalpath", "assemblyname"]) {
                    self.run_file(Language::Other, &file);
                }
                self.other(cmdlet, said, input)
            }
            "get-ciminstance" | "get-wmiobject" => {
                let class = said.value_or(&["classname", "class"], 0).into_iter().next();
                if !class.is_some_and(|class| class.shown().eq_ignore_ascii_case("win32_process")) {
                    return self.other(cmdlet, said, input);
                }
                let filter = said.value_of(&["filter", "query"]).map(|it| it.shown());
                let name = filter.and_then(|it| it.split(['\'', '"']).nth(1).map(str::to_owned));
                let name = Field::text(name.unwrap_or_else(|| "*".to_owned()), said.span);
                Piped { stream: Stream::default(), paths: vec![name] }
            }
            "invoke-cimmethod" | "invoke-wmimethod" | "remove-ciminstance" | "remove-wmiobject" => {
                let method = said.value_or(&["methodname", "name"], 0).into_iter().next();
                let ends = cmdlet.starts_with("remove")
                    || method.is_some_and(|it| it.shown().eq_ignore_ascii_case("terminate"));
                if !ends || input.paths.is_empty() {
                    return self.other(cmdlet, said, input);
                }
                self.end_processes(&input.paths, said.span);
                Piped::default()
            }
            "format-hex" => {
                let mut out = input.stream;
                for file in said.value_or(&["path", "literalpath"], 0) {
                    out.flow.join(&self.call.read(Act::ReadFile, &path_field(&file)).flow);
                }
                out.text = None;
                Piped { stream: out, paths: Vec::new() }
            }
            "invoke-sqlcmd" => {
                for code in said.value_or(&["query"], 0) {
                    self.call.run_code(Language::Sql, &code);
                }
                for file in said.values_of(&["inputfile"]) {
                    self.call.read(Act::Import, &path_field(&file));
                }
                Piped::default()
            }
            // Whoever listens on a port was started for the work.
            "get-nettcpconnection" => {
                Piped { stream: Stream::default(), paths: vec![Field::unknown("$!", said.span)] }
            }
            _ => self.other(cmdlet, said, input),
        }
    }

    /// A file that this command made is code that is run now.
    fn run_file(&mut self, language: Language, file: &Field) {
        let path = self.call.machine.path(&path_field(file));
        if let Some(content) = self.call.machine.code_of(&path, Use::Script, file.span) {
            self.call.run_stream(language, &content, file.span);
        }
    }

    /// Processes that are told to end, by their names.
    pub(super) fn end_processes(&mut self, names: &[Field], span: Span) {
        for name in names {
            let target = Target::Name(name.shown());
            self.call.effect_at(Kind::Process, Act::Kill, target, span).force = true;
        }
    }
}
