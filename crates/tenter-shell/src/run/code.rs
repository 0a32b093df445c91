//! Code inside code: strings and streams that are run.

use std::rc::Rc;

use super::redirect::is_stream_path;
use super::scope::PLACEHOLDER;
use super::{BEFORE, Machine};
use crate::act::Act;
use crate::analysis::Reason;
use crate::budget::MAX_BYTES;
use crate::call::Call;
use crate::code::Code;
use crate::dialect;
use crate::effect::{Certainty, Kind};
use crate::expand::{Positional, Variable};
use crate::flow::{Flow, Source, Stream};
use crate::span::{Origin, Span};
use crate::syntax::{self, Dialect};
use crate::target::{PathTarget, Target};
use crate::value::{Field, Part};
use crate::world::{Language, Use};

impl Machine<'_> {
    /// Code given as an argument, run by another program.
    pub(crate) fn run_code(
        &mut self,
        via: &str,
        index: Option<u32>,
        language: Language,
        code: &Field,
        stdin: &Stream,
    ) -> Stream {
        self.enter(via, code.span);
        let before = self.fork();
        self.shell.traps.clear();
        let out = match code.exact() {
            Some(text) => {
                let code_text = Code { text, origin: code.origin() };
                let out = self.text(language, code_text, stdin, index);
                self.mark_if_foreign(code, index);
                out
            }
            None => self.partly_known(language, code, stdin, index),
        };
        self.run_traps();
        self.shell = before;
        self.leave_via();
        out
    }

    /// Runs code in this shell (`eval`, `trap`): its settings persist.
    pub(super) fn code_here(&mut self, code: &Field, stdin: &Stream) -> Stream {
        let language = Language::Shell(self.dialect);
        match code.exact() {
            Some(text) => {
                let out = self.text(language, Code { text, origin: code.origin() }, stdin, None);
                self.mark_if_foreign(code, None);
                out
            }
            None => self.partly_known(language, code, stdin, None),
        }
    }

    /// Known code that was decoded or downloaded is still code from elsewhere.
    fn mark_if_foreign(&mut self, code: &Field, index: Option<u32>) {
        if code.flow.decoded() || code.flow.from_network().is_some() {
            let effect =
                self.effect(Kind::Execute, execute_action(&code.flow), Target::None, code.span);
            effect.sources = code.flow.clone();
            effect.command = index;
        }
    }

    /// Partly unknown code: analyses the known parts.
    fn partly_known(
        &mut self,
        language: Language,
        code: &Field,
        stdin: &Stream,
        index: Option<u32>,
    ) -> Stream {
        let sources = code.sources();
        let blind = !code
            .parts
            .iter()
            .any(|part| matches!(part, Part::Text { text, .. } if !text.trim().is_empty()));
        let foreign = sources.from_network().is_some() || sources.decoded();
        let text = if blind { String::new() } else { self.with_placeholders(language, code) };
        let readable = match language {
            Language::Shell(_) => true,
            _ => {
                let _enough = self.budget.spend(text.len());
                crate::code::takes_values(language, &text)
            }
        };
        if blind || foreign || !readable {
            self.unverified(Reason::DynamicCode, code.span);
            let action = if foreign { execute_action(&sources) } else { Act::DynamicCode };
            let certainty = if foreign { Certainty::Certain } else { Certainty::Unknown };
            let effect = self.effect(Kind::Execute, action, Target::Name(code.shown()), code.span);
            effect.certainty = effect.certainty.min(certainty);
            effect.sources = sources.clone();
            effect.command = index;
        }
        if blind {
            let via = self.via.last().map_or_else(|| Rc::from("code"), |via| Rc::clone(&via.name));
            self.run_sources(&via, language, &sources, code.span);
            return Stream::unknown(sources);
        }
        let known = Code { text: &text, origin: Origin::Computed(code.span) };
        let mut out = self.text(language, known, stdin, index);
        if out.text.as_deref().is_some_and(|text| text.contains(PLACEHOLDER)) {
            out.text = None;
        }
        out
    }

    /// Code from a stream: known text is read, anything else is an effect.
    pub(crate) fn run_stream(
        &mut self,
        via: &str,
        language: Language,
        code: &Stream,
        span: Span,
        command: Option<u32>,
    ) -> Stream {
        self.code_from_stream(via, language, code, span, command, false)
    }

    /// The same; `here` for `source`, which runs it in this shell.
    pub(super) fn code_from_stream(
        &mut self,
        via: &str,
        language: Language,
        code: &Stream,
        span: Span,
        command: Option<u32>,
        here: bool,
    ) -> Stream {
        let foreign = code.flow.from_network().is_some() || code.flow.decoded();
        if code.text.is_none() && code.partial.is_none() || foreign {
            let action = execute_action(&code.flow);
            let effect = self.effect(Kind::Execute, action, Target::Name(via.to_string()), span);
            effect.sources = code.flow.clone();
            effect.command = command;
            if code.text.is_none() {
                self.unverified(Reason::DynamicCode, span);
                self.run_sources(via, language, &code.flow, span);
            }
        }
        self.enter(via, span);
        let before = (!here).then(|| self.fork());
        if !here {
            self.shell.traps.clear();
        }
        let out = match (&code.text, &code.partial) {
            (Some(text), _) => {
                self.imported(via, text, span);
                let origin = match self.opened {
                    Some(_) => Origin::Computed(span),
                    None => self.origin_of(text, span),
                };
                self.text(language, Code { text, origin }, &Stream::default(), command)
            }
            (None, Some(field)) => {
                let mut field = Field::clone(field);
                // A script that was there is taken as it is; what was added to it is read.
                let before = |part: &Part| matches!(part, Part::Unknown(it) if &*it.name == BEFORE);
                if field.parts.first().is_some_and(before) {
                    field.parts.remove(0);
                }
                match field.exact().map(str::to_owned) {
                    Some(text) => {
                        let origin = self.origin_of(&text, span);
                        let code = Code { text: &text, origin };
                        self.text(language, code, &Stream::default(), command)
                    }
                    None => self.partly_known(language, &field, &Stream::default(), command),
                }
            }
            (None, None) => Stream::unknown(code.flow.clone()),
        };
        if let Some(before) = before {
            self.run_traps();
            self.shell = before;
        }
        self.leave_via();
        out
    }

    /// Where text that went through a stream stands in the command, if it stands there verbatim
    /// exactly once.
    pub(crate) fn origin_of(&mut self, text: &str, span: Span) -> Origin {
        let text = text.trim_end_matches('\n');
        if text.len() < 4 || !self.budget.spend(self.source.len() / 64) {
            return Origin::Computed(span);
        }
        let mut places = self.source.match_indices(text);
        match (places.next(), places.next()) {
            (Some((at, _)), None) => Origin::Verbatim(u32::try_from(at).unwrap_or(u32::MAX)),
            _ => Origin::Computed(span),
        }
    }

    /// Judges code in any language.
    pub(super) fn text(
        &mut self,
        language: Language,
        code: Code<'_>,
        stdin: &Stream,
        index: Option<u32>,
    ) -> Stream {
        let whole = code.span(0, code.text.len());
        if !self.enter_depth() {
            self.unverified(Reason::TooDeep, whole);
            return Stream::default();
        }
        let assignments = std::mem::take(&mut self.assignments);
        let out = match language {
            Language::Shell(dialect) => self.shell_text(dialect, code, stdin),
            _ => self.foreign_text(language, code, stdin, index, whole),
        };
        self.assignments = assignments;
        self.depth -= 1;
        out
    }

    fn shell_text(&mut self, dialect: Dialect, code: Code<'_>, stdin: &Stream) -> Stream {
        let mut text = code.text;
        if text.len() > MAX_BYTES {
            let end = text.floor_char_boundary(MAX_BYTES);
            self.unverified(Reason::TooLong, code.span(end, text.len()));
            text = text.get(..end).unwrap_or_default();
        }
        let mut dialect = dialect;
        let mut parsed = syntax::parse(text, dialect, &mut self.budget);
        if dialect == Dialect::Posix && !parsed.errors.is_empty() {
            // Where sh is bash this is no error.
            let more = syntax::parse(text, Dialect::Bash, &mut self.budget);
            if more.errors.is_empty() {
                (parsed, dialect) = (more, Dialect::Bash);
            }
        }
        let origin = std::mem::replace(&mut self.origin, code.origin);
        let outer = std::mem::replace(&mut self.dialect, dialect);
        let out = self.script(&parsed.script, stdin);
        for error in &parsed.errors {
            let reason =
                if error.too_deep { Reason::TooDeep } else { Reason::Syntax(error.message) };
            let span = self.origin.map(error.span);
            self.unverified(reason, span);
        }
        if let Some(first) = parsed.errors.iter().map(|error| error.span.start).min() {
            self.salvage(text, first as usize);
        }
        self.origin = origin;
        self.dialect = outer;
        out
    }

    fn foreign_text(
        &mut self,
        language: Language,
        code: Code<'_>,
        stdin: &Stream,
        index: Option<u32>,
        span: Span,
    ) -> Stream {
        let name = self.via.last().map_or_else(|| Rc::from("code"), |via| Rc::clone(&via.name));
        let mut call = Call {
            machine: self,
            name: &name,
            argv: &[],
            span,
            stdin: stdin.clone(),
            stdout: Stream::default(),
            index,
            ran_other: false,
        };
        match language {
            Language::PowerShell => dialect::powershell(&mut call, code),
            Language::Cmd => dialect::cmd(&mut call, code),
            Language::Sql => {
                crate::tools::sql::sql(&mut call, code);
                Stream::default()
            }
            _ => crate::code::judge(&mut call, language, code),
        }
    }

    /// A program that is named by its path and was made by an earlier part of the command.
    pub(super) fn run_written(&mut self, argv: &[Field], index: u32) -> Option<Stream> {
        let program = argv.first()?;
        let named_by_path = program.prefix().contains('/') || program.suffix().contains('/');
        // Windows looks in the current directory first.
        let of_windows = [".exe", ".bat", ".cmd"].iter().any(|end| program.suffix().ends_with(end));
        if !named_by_path && !of_windows {
            return None;
        }
        let path = self.path(program);
        // A program of the system is known by its name, or is no text.
        let known = || {
            let name = program.prefix().rsplit('/').next().unwrap_or_default();
            crate::tools::find(name).is_some() || is_installed(&path)
        };
        let content = match self.written(&path) {
            Some(content) => content.clone(),
            None if known() => return None,
            None => self.on_disk(&path, Use::Script, program.span)?,
        };
        if let Some(original) = copied_program(&content) {
            let mut call = vec![Field::text(original, program.span)];
            call.extend_from_slice(argv.get(1..).unwrap_or_default());
            return Some(self.execute(&call, Stream::default()));
        }
        Some(self.run_as_program(argv, &path, &content, index))
    }

    /// Runs the code in a file as the program that `argv` names.
    pub(super) fn run_as_program(
        &mut self,
        argv: &[Field],
        path: &PathTarget,
        content: &Stream,
        index: u32,
    ) -> Stream {
        let language = content.text.as_deref().map_or(Language::Shell(Dialect::Bash), |text| {
            crate::wrappers::shells::language_of_file(&path.shown(), text)
        });
        let span = argv.first().map(|program| program.span).unwrap_or_default();
        let positional = Positional::Known(argv.get(1..).unwrap_or_default().to_vec());
        let before = std::mem::replace(&mut self.shell.positional, positional);
        let slot = self.shell.slot("0").cloned();
        if let Some(program) = argv.first() {
            self.shell.set("0", Variable::Scalar(program.clone()));
        }
        let name = path_name(path);
        let out = self.run_stream(&name, language, content, span, Some(index));
        self.shell.variables.retain(|known| &*known.name != "0");
        self.shell.variables.extend(slot);
        self.shell.positional = before;
        out
    }
}

/// Whether a path is where the system and its packages keep their programs.
pub(super) fn is_installed(path: &PathTarget) -> bool {
    let folders =
        ["/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/lib", "/proc/", "/dev/"];
    path.exact().is_none_or(|path| folders.iter().any(|folder| path.starts_with(folder)))
}

/// The installed program that a file is a copy of: `cp /bin/rm /tmp/ok`.
fn copied_program(content: &Stream) -> Option<String> {
    let [Source::File(path)] = content.flow.sources() else { return None };
    let (folder, name) = path.rsplit_once('/').filter(|_| content.text.is_none())?;
    let installed =
        matches!(folder, "/bin" | "/sbin" | "/usr/bin" | "/usr/sbin" | "/usr/local/bin");
    let known = crate::tools::find(name).is_some() || crate::wrappers::find(name).is_some();
    (installed && known).then(|| path.to_string())
}

fn path_name(path: &PathTarget) -> Rc<str> {
    let shown = path.shown();
    let name =
        if is_stream_path(&shown) { &shown } else { shown.rsplit('/').next().unwrap_or(&shown) };
    Rc::from(name)
}

/// The action of executing such data.
pub(super) fn execute_action(flow: &Flow) -> Act {
    if flow.from_network().is_some() {
        Act::NetworkCode
    } else if flow.decoded() {
        Act::DecodedCode
    } else {
        match flow.sources().first() {
            Some(Source::File(_)) => Act::FileCode,
            Some(Source::Stdin) | None => Act::StdinCode,
            Some(_) => Act::UnknownCode,
        }
    }
}
