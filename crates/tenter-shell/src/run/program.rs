//! Finds the program that an argument vector runs: function, builtin, wrapper or tool.

use super::preloads::{files_of_setting, language_of_setting};
use super::{Machine, span_of};
use crate::act::Act;
use crate::analysis::Reason;
use crate::call::{Call, Judge};
use crate::effect::{Certainty, Kind};
use crate::expand::Variable;
use crate::flow::{Source, Stream};
use crate::span::Span;
use crate::syntax::Dialect;
use crate::target::PathTarget;
use crate::target::Target;
use crate::value::{Field, Part};
use crate::world::{Language, Transparent};
use crate::{tools, wrappers};

/// Maximum number of programs that a pattern in command position may match.
const MAX_CANDIDATES: usize = 8;
/// Patterns in command position that are tried, and what trying one costs.
const MAX_PATTERNS: usize = 8;
const PATTERN_WORK: usize = 4000;

impl<'w> Machine<'w> {
    /// Runs a program from inside a wrapper.
    pub(crate) fn run_via(&mut self, via: &str, argv: &[Field], stdin: Stream) -> Stream {
        let span = span_of(argv);
        // Code was entered under the name of what runs it.
        let entered =
            self.via.last().is_some_and(|last| &*last.name == via && last.span.contains(span));
        if !entered {
            self.enter(via, span);
        }
        // Another program knows of this shell's functions only what was exported.
        let functions = std::mem::take(&mut self.shell.functions);
        let exported = functions.iter().filter(|(_, function)| function.exported);
        self.shell.functions = exported.cloned().collect();
        let out = self.execute(argv, stdin);
        self.shell.functions = functions;
        if !entered {
            self.leave_via();
        }
        out
    }

    /// The words of a simple command: aliases and unknown programs are seen here.
    pub(super) fn execute_at(&mut self, argv: &[Field], stdin: Stream, span: Span) -> Stream {
        let mut argv = argv.to_vec();
        for field in &mut argv {
            self.without_placeholders(field);
        }
        // `=rm` is where zsh finds `rm`.
        if self.dialect == Dialect::Zsh
            && let Some(first) = argv.first_mut()
            && first.prefix().starts_with('=')
            && let Some(name) = first.without_prefix(1)
        {
            *first = name;
        }
        let alias = argv.first().and_then(Field::exact).and_then(|name| {
            self.shell
                .aliases
                .iter()
                .find(|(known, _)| &**known == name)
                .map(|(_, value)| value.clone())
        });
        if let Some(mut code) = alias
            && self.enter_depth()
        {
            // Scripts do not expand aliases in every shell: both ways are possible.
            let aliases = std::mem::take(&mut self.shell.aliases);
            for field in argv.iter().skip(1) {
                code.push_text(" ", None);
                let quoted = quote(field);
                for part in quoted.parts {
                    code.push(part);
                }
            }
            self.enter("alias", span);
            let input = stdin.clone();
            self.possibly(|machine| machine.code_here(&code, &input));
            self.leave_via();
            self.shell.aliases = aliases;
            self.depth -= 1;
        }
        self.execute(&argv, stdin)
    }

    /// One program with its arguments.
    pub(crate) fn execute(&mut self, argv: &[Field], stdin: Stream) -> Stream {
        let Some(first) = argv.first() else {
            return Stream::empty();
        };
        let weight: usize = argv.iter().map(Field::weight).sum();
        if !self.afford(16 + weight + stdin.weight(), first.span) || !self.enter_depth() {
            return Stream::default();
        }
        // Behind an unknown value a pattern tells nothing.
        let any = matches!(first.parts.first(), Some(Part::Unknown(_)));
        // `[int]$x` of another shell is no pattern.
        let other = self.second && !first.prefix().contains('/');
        let out = if first.has_glob() && !any && !other {
            self.pattern_program(argv, &stdin)
        } else {
            match program_name(first, self.world.case_insensitive) {
                Some(name) => {
                    if is_loud(first) {
                        self.loud(argv, &stdin);
                    }
                    self.named_program(&name, argv, stdin)
                }
                None => self.unknown_program(argv, stdin),
            }
        };
        self.depth -= 1;
        out
    }

    fn named_program(&mut self, name: &str, argv: &[Field], stdin: Stream) -> Stream {
        let outer = self.opened.take();
        let out = self.dispatch(name, argv, stdin);
        self.close_script();
        self.opened = outer;
        out
    }

    fn dispatch(&mut self, name: &str, argv: &[Field], stdin: Stream) -> Stream {
        let by_path = argv.first().is_some_and(|first| first.prefix().contains('/'));
        // A function may even have the name of a path.
        if by_path
            && let Some(written) = argv.first().and_then(Field::exact)
            && self.shell.function(written).is_some()
            && let Some(out) = self.call_function(written, argv, stdin.clone())
        {
            return out;
        }
        if !by_path {
            if self.shell.function(name).is_some()
                && let Some(out) = self.call_function(name, argv, stdin.clone())
            {
                return out;
            }
            if let Some(out) = self.builtin(name, argv, &stdin) {
                return out;
            }
        }
        self.status = None;
        if by_path && argv.first().is_some_and(|first| self.written(&self.path(first)).is_some()) {
            // Whatever it is called, it is what was just written.
            return self.program(name, argv, stdin);
        }
        if by_path {
            self.run_namesake(name, argv);
        } else {
            self.run_through_path(name, argv);
        }
        if let Some(wrapper) = self.world.transparent.iter().find(|wrapper| wrapper.program == name)
            && let Some(inner) = unwrap_transparent(wrapper, argv)
        {
            return self.run_via(name, inner, stdin);
        }
        if !by_path && !self.files.is_empty() {
            self.run_shadow(name, argv);
        }
        if !self.files.is_empty() {
            self.preloaded(name, argv);
        }
        self.package_scripts(name, argv);
        self.code_in_options(name, argv);
        self.found_files(name, argv);
        self.task_files(name, argv, &stdin);
        self.run_settings(name, argv);
        self.hidden_settings(name, argv);
        self.known_script(name, argv);
        let before = self.effects.len();
        let input = Self::input_to_search(name, &stdin);
        if let Some(judge) = wrappers::find(name) {
            let out = self.wrapper(name, argv, stdin, judge);
            self.mentioned(name, argv, input.as_deref(), before);
            return out;
        }
        if tools::find(name).is_none() {
            if !by_path {
                self.misspelt(name, argv, &stdin);
                self.hidden_reader(name, argv);
                self.hidden_device(name, argv);
                self.hidden_address(argv);
            } else if name.starts_with("git-") {
                self.misspelt(name, argv, &stdin);
            }
            self.hidden_command(name, argv);
            self.hidden_upload(name, argv);
        }
        let out = self.program(name, argv, stdin);
        self.mentioned(name, argv, input.as_deref(), before);
        match name {
            "true" => self.status = Some(true),
            "false" => self.status = Some(false),
            _ => {}
        }
        out
    }

    /// A script that does one thing, whatever runs it: `bash /tmp/linpeas.sh`, `python3 laZagne.py all`.
    fn known_script(&mut self, name: &str, argv: &[Field]) {
        if wrappers::find(name).is_none() {
            return;
        }
        let script = argv.iter().skip(1).position(|field| !field.prefix().starts_with('-'));
        let Some(at) = script.map(|at| at.saturating_add(1)) else { return };
        let call = argv.get(at..).unwrap_or_default();
        let Some(name) = call.first().and_then(|first| program_name(first, false)) else { return };
        if tools::trust::is_dumper(&name) {
            let call = call.to_vec();
            self.possibly(|machine| machine.program(&name, &call, Stream::default()));
        }
    }

    /// Variables set by the command whose value this program runs.
    fn run_settings(&mut self, name: &str, argv: &[Field]) {
        let names: &[&str] = match name {
            "man" => &["PAGER", "MANPAGER", "LESSOPEN"],
            "less" => &["LESSOPEN", "LESSCLOSE", "VISUAL", "EDITOR"],
            "crash" => &["CRASHPAGER", "PAGER"],
            "autoconf" | "autoheader" | "autoreconf" => &["AUTOM4TE", "AUTOCONF", "M4"],
            "sudoreplay" | "mysql" => &["PAGER"],
            "crontab" | "visudo" | "sudoedit" | "vipw" => &["EDITOR", "VISUAL", "SUDO_EDITOR"],
            "rsync" => &["RSYNC_RSH"],
            "psql" => &["PAGER", "PSQL_PAGER", "EDITOR"],
            "systemctl" | "journalctl" => &["PAGER", "SYSTEMD_PAGER", "SYSTEMD_EDITOR"],
            _ => return,
        };
        for variable in names {
            let given = self.assignments.iter().find(|(name, _)| name == variable);
            let set = self.shell.slot(variable).and_then(|slot| slot.values.first());
            let ((Some((_, value)), _) | (None, Some(Variable::Scalar(value)))) = (given, set)
            else {
                continue;
            };
            let code = value.after("|").unwrap_or_else(|| value.clone());
            let language = Language::Shell(Dialect::Posix);
            let index = Some(self.record(name, argv));
            self.possibly(|machine| {
                machine.run_code(name, index, language, &code, &Stream::default())
            });
        }
    }

    /// A file that the command wrote into a folder of programs, or into any with another `PATH`, is
    /// run by its name alone.
    fn run_shadow(&mut self, name: &str, argv: &[Field]) {
        let moved = self.shell.slot("PATH").is_some();
        let shadow = |path: &str| {
            path.rsplit_once('/').is_some_and(|(folder, last)| {
                last == name && (moved || folder.ends_with("/bin") || folder.ends_with("/sbin"))
            })
        };
        let Some((path, _)) = self.files.iter().find(|(path, _)| shadow(path)) else {
            return;
        };
        let mut call = vec![Field::text(path.as_str(), span_of(argv))];
        call.extend_from_slice(argv.get(1..).unwrap_or_default());
        let index = self.record(name, argv);
        self.possibly(|machine| machine.run_written(&call, index));
    }

    /// `GIT RESET --HARD`: where case does not count the program runs, and whoever writes it so means
    /// the rest in small letters too.
    fn loud(&mut self, argv: &[Field], stdin: &Stream) {
        let quiet: Vec<Field> = argv
            .iter()
            .map(|field| match field.exact().filter(|_| is_loud(field)) {
                Some(text) => Field {
                    flow: field.flow.clone(),
                    ..Field::text(text.to_lowercase(), field.span)
                },
                None => field.clone(),
            })
            .collect();
        let Some(name) = quiet.first().and_then(|first| program_name(first, false)) else { return };
        if tools::find(&name).is_some() || wrappers::find(&name).is_some() {
            self.possibly(|machine| machine.named_program(&name, &quiet, stdin.clone()));
        }
    }

    /// A name that no program has may still lead to one: in other letters on another system, after
    /// what was meant as an assignment, or through the shell's own handler.
    fn misspelt(&mut self, name: &str, argv: &[Field], stdin: &Stream) {
        let rest = argv.get(1..).unwrap_or_default();
        let lower = name.to_lowercase();
        let lower = lower.strip_suffix(".exe").unwrap_or(&lower);
        if lower != name && (tools::find(lower).is_some() || wrappers::find(lower).is_some()) {
            self.possibly(|machine| machine.named_program(lower, argv, stdin.clone()));
        } else if name.contains('\0') {
            // Shells drop it from a script that they read.
            let plain = name.replace('\0', "");
            self.possibly(|machine| machine.named_program(&plain, argv, stdin.clone()));
        } else if let Some(sub) = name.strip_prefix("git-") {
            // A part of git, by the name that its file has.
            let span = span_of(argv);
            let mut call = vec![Field::text("git", span), Field::text(sub, span)];
            call.extend_from_slice(rest);
            self.possibly(|machine| machine.named_program("git", &call, stdin.clone()));
        } else if name.contains('=') && !rest.is_empty() {
            self.possibly(|machine| machine.execute(rest, stdin.clone()));
        }
        for handler in ["command_not_found_handle", "command_not_found_handler"] {
            if self.shell.function(handler).is_some() {
                let mut call = vec![Field::text(handler, span_of(argv))];
                call.extend_from_slice(argv);
                self.possibly(|machine| machine.call_function(handler, &call, stdin.clone()));
            }
        }
    }

    /// A wrapper is a program of its own only if nothing ran inside it.
    fn wrapper(&mut self, name: &str, argv: &[Field], stdin: Stream, judge: Judge) -> Stream {
        let before = self.effects.len();
        let mut call = self.call(name, argv, stdin, None);
        tools::windows::judge(&mut call);
        judge(&mut call);
        let alone = !call.ran_other && call.index.is_none();
        if alone {
            call.keep();
            // `op run -- x` is a wrapper, `op read` a program like others.
            if let Some(tool) = tools::find(name) {
                tool(&mut call);
            }
        }
        let (out, index) = (std::mem::take(&mut call.stdout), call.index);
        if alone {
            for effect in self.effects.iter_mut().skip(before) {
                effect.command = effect.command.or(index);
            }
        }
        out
    }

    fn program(&mut self, name: &str, argv: &[Field], stdin: Stream) -> Stream {
        let index = self.record(name, argv);
        self.note_stdin(index, &stdin);
        if let Some(out) = self.run_written(argv, index) {
            return out;
        }
        let judge = tools::find(name);
        let mut call = self.call(name, argv, stdin, Some(index));
        if let Some(judge) = judge {
            judge(&mut call);
        }
        tools::windows::judge(&mut call);
        std::mem::take(&mut call.stdout)
    }

    /// `LD_PRELOAD=FILE program`, `NODE_OPTIONS='-r FILE' node`: the file, if the command made it, is
    /// code that the program runs.
    fn preloaded(&mut self, program: &str, argv: &[Field]) {
        let mut set = self.assignments.clone();
        // Shells look themselves at what is set for them alone.
        set.retain(|(name, _)| !matches!(name.as_str(), "BASH_ENV" | "ENV"));
        for slot in self.shell.variables.iter().filter(|slot| slot.exported) {
            if let Some(Variable::Scalar(value)) = slot.values.first() {
                set.push((slot.name.to_string(), value.clone()));
            }
        }
        for (name, value) in set {
            let Some(language) = language_of_setting(&name, program) else { continue };
            for file in files_of_setting(&value) {
                let path = self.path(&file);
                let Some(content) = self.written(&path).cloned() else { continue };
                let index = self.record(program, argv);
                let target = Target::Path(path);
                let effect = self.effect(Kind::Execute, Act::EnvironmentCode, target, file.span);
                effect.sources = content.flow.clone();
                effect.command = Some(index);
                // A library is no text.
                if language != Language::Other {
                    self.possibly(|machine| {
                        machine.run_stream(program, language, &content, file.span, Some(index))
                    });
                }
            }
        }
    }

    fn call<'c>(
        &'c mut self,
        name: &'c str,
        argv: &'c [Field],
        stdin: Stream,
        index: Option<u32>,
    ) -> Call<'c, 'w> {
        let mut flow = stdin.flow.clone();
        for field in argv {
            flow.join(&field.flow);
        }
        Call {
            machine: self,
            name,
            argv,
            span: span_of(argv),
            stdin,
            stdout: Stream::unknown(flow),
            index,
            ran_other: false,
        }
    }

    /// `/bin/r?` may be any program whose name fits.
    fn pattern_program(&mut self, argv: &[Field], stdin: &Stream) -> Stream {
        let Some((first, rest)) = argv.split_first() else {
            return Stream::empty();
        };
        self.unverified(Reason::DynamicProgram, first.span);
        self.dynamic(first, Act::DynamicProgram, first.span);
        if self.patterns >= MAX_PATTERNS || !self.afford(PATTERN_WORK, first.span) {
            return Stream::unknown(stdin.flow.clone());
        }
        self.patterns += 1;
        let names = candidates(first);
        let certainty = self.certainty;
        self.certainty = certainty.min(Certainty::Possible);
        let mut flow = stdin.flow.clone();
        for name in names {
            let mut argv = vec![Field::text(name, first.span)];
            argv.extend_from_slice(rest);
            let out = self.named_program(name, &argv, stdin.clone());
            flow.join(&out.flow);
        }
        self.certainty = certainty;
        Stream::unknown(flow)
    }

    /// The program is not known. `$SUDO rm x` still runs `rm x` if the variable is empty or a
    /// wrapper.
    fn unknown_program(&mut self, argv: &[Field], stdin: Stream) -> Stream {
        let Some((first, rest)) = argv.split_first() else {
            return Stream::empty();
        };
        let index = self.record(&first.shown(), argv);
        self.unverified(Reason::DynamicProgram, first.span);
        let only_variables =
            first.flow.sources().iter().all(|source| matches!(source, Source::Variable(_)));
        let action = if only_variables {
            Act::DynamicProgram
        } else {
            super::code::execute_action(&first.flow)
        };
        self.dynamic(first, action, first.span).command = Some(index);
        let mut flow = stdin.flow.clone();
        flow.join(&first.flow);
        let vanishes = matches!(first.parts.as_slice(), [Part::Unknown(unknown)] if unknown.splits);
        let starts_program =
            rest.first().and_then(Field::exact).is_some_and(|word| !word.starts_with('-'));
        // A script that was written has a value for it, which nobody sees here.
        let written = self.running_script().is_some();
        if written && only_variables && rest.first().is_some_and(|word| removes(word.prefix())) {
            let mut call = vec![Field::text("rm", first.span)];
            call.extend_from_slice(rest);
            self.possibly(|machine| machine.execute(&call, Stream::default()));
        }
        if vanishes && starts_program {
            let out = self.possibly(|machine| machine.execute(rest, stdin));
            flow.join(&out.flow);
        }
        Stream::unknown(flow)
    }
}

/// Whether a program that is not known is given the options of `rm -rf`.
fn removes(options: &str) -> bool {
    let letters = options.strip_prefix('-').unwrap_or_default();
    letters.contains(['r', 'R']) && letters.contains('f') && letters.len() <= 4
}

/// `rm` for `/bin/rm`, `rm.exe`, `$BIN/rm` and, where case does not count, `RM`; none if the name
/// itself is not known.
fn program_name(field: &Field, case_insensitive: bool) -> Option<String> {
    let base = match field.exact() {
        Some(text) if is_path_of_windows(text) => text.rsplit(['/', '\\']).next().unwrap_or(text),
        Some(text) => text.rsplit('/').next().unwrap_or(text),
        None => field.suffix().rsplit_once('/').map(|(_, base)| base)?,
    };
    let base = match base.split_at_checked(base.len().saturating_sub(4)) {
        Some((name, end)) if end.eq_ignore_ascii_case(".exe") => {
            let lower = name.to_ascii_lowercase();
            let known = |name: &str| tools::find(name).is_some() || wrappers::find(name).is_some();
            // Windows runs `RegSvr32.EXE` by any letters.
            if lower != name && !known(name) {
                return Some(lower);
            }
            name
        }
        _ => base,
    };
    // Names that are written with capitals, such as `Rscript`, are known that way.
    let shouted = case_insensitive && !base.bytes().any(|byte| byte.is_ascii_lowercase());
    Some(if shouted { base.to_lowercase() } else { base.to_owned() })
}

/// Whether a program is named by a path as only Windows writes it: `C:\x.exe`, `\\host\share\x`, `.\x`.
fn is_path_of_windows(text: &str) -> bool {
    crate::drive::is_windows(text) || text.starts_with(".\\") || text.starts_with("..\\")
}

/// Whether the letters of a word are all capitals.
fn is_loud(field: &Field) -> bool {
    let text = field.prefix();
    text.bytes().any(|byte| byte.is_ascii_uppercase())
        && !text.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Programs that the pattern in `field` may match.
fn candidates(field: &Field) -> Vec<&'static str> {
    let path = PathTarget::resolve(field, Some("/"));
    let by_path = field.prefix().contains('/');
    let folders: &[&str] = if by_path {
        &["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/"]
    } else {
        &["/"]
    };
    let mut full = String::new();
    let mut may_be = |name: &&'static str| {
        folders.iter().any(|folder| {
            full.clear();
            full.push_str(folder);
            full.push_str(name);
            path.may_be(&full)
        })
    };
    wrappers::names()
        .chain(tools::names())
        .filter(|name| may_be(name))
        .take(MAX_CANDIDATES)
        .collect()
}

/// The command inside a wrapper that the user declared.
fn unwrap_transparent<'a>(wrapper: &Transparent<'_>, argv: &'a [Field]) -> Option<&'a [Field]> {
    let mut rest = argv.get(1..)?;
    for word in wrapper.subcommand {
        let (first, tail) = rest.split_first()?;
        if !first.is(word) {
            return None;
        }
        rest = tail;
    }
    while let Some((first, tail)) = rest.split_first() {
        let text = first.prefix();
        if first.is("--") {
            rest = tail;
            break;
        }
        if !text.starts_with('-') {
            break;
        }
        let takes = wrapper.options_with_value.contains(&text);
        rest = if takes { tail.get(1..).unwrap_or_default() } else { tail };
    }
    (!rest.is_empty()).then_some(rest)
}

/// A field as a word of code that comes to the same field.
pub(crate) fn quote(field: &Field) -> Field {
    let mut quoted = Field { span: field.span, flow: field.flow.clone(), ..Field::default() };
    for part in &field.parts {
        match part {
            Part::Text { text, .. } => {
                quoted.push_text("'", None);
                quoted.push_text(&text.replace('\'', "'\\''"), None);
                quoted.push_text("'", None);
            }
            other => quoted.push(other.clone()),
        }
    }
    quoted
}
