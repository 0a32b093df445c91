//! Password stores in the arguments of any program, system files in its output options, and both in code of languages
//! that nobody follows: `mutt -F /etc/shadow`, `csvtool trim t x -o /etc/cron.d/job`.
//!
//! Whether such a program reads or writes the file is unknown: the effects are only possible. Only places that no
//! ordinary command names are searched for, so a program need not be known.

mod tables;

use super::Machine;
use super::commands::{in_settings, in_source};
use crate::act::Act;
use crate::effect::{Certainty, Kind};
use crate::flow::Stream;
use crate::span::Span;
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;
use crate::{tools, wrappers};

pub(super) use tables::OUTSIDE;
use tables::{
    BUILDERS, DECIDING, DOCUMENTS, EDITORS, ESCAPES, INSTRUCTED, LIBRARIES, OUTPUTS, READING,
    STORES, SYSTEM, WRITERS, WRITES_AFTER, WRITES_BEFORE,
};

/// Maximum number of arguments examined, and of bytes in a text.
const MAX_WORDS: usize = 32;
const MAX_TEXT: usize = 16 * 1024;

impl Machine<'_> {
    /// The start of the input, for programs that may be told there what to do.
    pub(super) fn input_to_search(name: &str, stdin: &Stream) -> Option<String> {
        let text = stdin.text.as_deref().filter(|_| !is_judged(name) || is_told(name))?;
        text.get(..text.floor_char_boundary(MAX_TEXT)).map(str::to_owned)
    }

    /// Examines the arguments of a program that was judged; `before` is the number of effects until then.
    pub(super) fn mentioned(
        &mut self,
        name: &str,
        argv: &[Field],
        input: Option<&str>,
        before: usize,
    ) {
        let path = |field: &Field| field.prefix().contains(['/', '\\']);
        if input.is_none() && self.files.is_empty() && !argv.iter().skip(1).any(path) {
            return;
        }
        let unknown = !is_judged(name);
        self.mentioned_stores(name, argv, before, unknown);
        self.mentioned_outputs(name, argv, before, unknown);
        self.libraries(name, argv);
        let talks = super::hidden::only_talks(name);
        let instructed = INSTRUCTED.contains(&name);
        let span = super::span_of(argv);
        if let Some(text) = input.filter(|_| (unknown || instructed) && !talks) {
            self.text_mentions(text, span);
        }
        if instructed {
            for field in argv.iter().skip(1).take(MAX_WORDS) {
                self.text_mentions(field.prefix(), field.span);
            }
        }
        if unknown && !talks || BUILDERS.contains(&name) {
            self.handed_files(name, argv);
        }
        if let Some((_, marks)) = ESCAPES.iter().find(|(names, _)| names.contains(&name))
            && let Some(text) = input
        {
            self.escapes(name, marks, text, span);
        }
    }

    /// `!command` in the input of an interactive program.
    fn escapes(&mut self, name: &str, marks: &[&str], text: &str, span: Span) {
        let language = Language::Shell(Dialect::Posix);
        for line in text.lines().take(MAX_WORDS) {
            let line = line.trim();
            let Some(code) = marks.iter().find_map(|mark| line.strip_prefix(mark)) else {
                continue;
            };
            let code =
                Field::text(code.trim_end_matches(')').trim_start_matches(['`', '\'', ' ']), span);
            self.possibly(|machine| {
                machine.run_code(name, None, language, &code, &Stream::default())
            });
        }
    }

    fn mentioned_stores(&mut self, name: &str, argv: &[Field], before: usize, unknown: bool) {
        if !argv.iter().skip(1).any(|field| names_store(field.prefix())) {
            return;
        }
        let wraps = wrappers::find(name).is_some();
        let reading =
            READING.iter().find(|(program, _)| *program == name).map(|(_, options)| *options);
        let shows = EDITORS.contains(&name) || matches!(name, "man" | "expect");
        let operands = (!wraps || shows) && !OUTSIDE.contains(&name) && name != "file";
        let mut last = "";
        for field in argv.iter().skip(1).take(MAX_WORDS) {
            let text = field.prefix();
            let said = last;
            last = text;
            let pattern = matches!(said, "-p" | "-e" | "-S");
            if !names_store(text) || pattern || super::hidden::is_prose(said) {
                continue;
            }
            let file = reading.is_some_and(|options| {
                options.contains(&said) || options.iter().any(|option| is_attached(text, option))
            });
            if !file && !operands {
                continue;
            }
            match path_in(field) {
                Some(path) => self.possible_read(&path, before),
                None if unknown && !super::hidden::only_talks(name) => {
                    self.text_mentions(text, field.span);
                }
                None => {}
            }
        }
    }

    /// A read of the file, unless something else is already known of it.
    fn possible_read(&mut self, file: &Field, before: usize) {
        let path = self.path(file);
        let known = |effect: &crate::effect::Effect| effect.target.path() == Some(&path);
        if !self.effects.iter().skip(before).any(known) {
            let effect = self.effect(Kind::Read, Act::HandOver, Target::Path(path), file.span);
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
    }

    fn mentioned_outputs(&mut self, name: &str, argv: &[Field], before: usize, unknown: bool) {
        if EDITORS.contains(&name) {
            return self.edited(argv, before);
        }
        let system = |text: &str| SYSTEM.iter().any(|start| text.contains(start));
        if !argv.iter().skip(1).any(|field| system(field.prefix())) {
            return;
        }
        let own = WRITERS.iter().find(|(program, _)| *program == name).map(|(_, options)| *options);
        if own.is_none() && wrappers::find(name).is_some() {
            return;
        }
        let mut said = "";
        for (at, field) in argv.iter().enumerate().skip(1).take(MAX_WORDS) {
            let text = field.prefix();
            let (option, value) = match text.split_once('=').filter(|_| text.starts_with('-')) {
                Some((option, _)) => (option, field.without_prefix(option.len().saturating_add(1))),
                None => (said, Some(field.clone())),
            };
            said = text;
            let starts =
                |field: &Field| SYSTEM.iter().any(|start| field.prefix().starts_with(start));
            let rule = matches!(option, "--xform" | "--transform") && name == "tar";
            if rule
                && let Some(to) = last_of_rule(value.as_ref().map_or("", |value| value.prefix()))
            {
                let to = Field::text(to, field.span);
                if starts(&to) {
                    self.possible_write(&to, before);
                }
            }
            let Some(value) = value.filter(starts) else { continue };
            let word = option.trim_start_matches('-');
            let long = option.starts_with('-')
                && word.len() > 2
                && OUTPUTS.iter().any(|start| word.starts_with(start));
            let short = unknown
                && (matches!(option, "-o" | "-O" | "-w" | "-W")
                    || option.starts_with("-o") && option.len() == 3);
            let told = own.is_some_and(|options| {
                options.contains(&option)
                    || options.contains(&"*") && at.saturating_add(1) == argv.len()
            });
            if long || short || told {
                self.possible_write(&value, before);
            }
        }
    }

    /// `ssh-keygen -D /tmp/x.so`
    fn libraries(&mut self, name: &str, argv: &[Field]) {
        let Some((_, options)) = LIBRARIES.iter().find(|(program, _)| *program == name) else {
            return;
        };
        let mut said = "";
        for field in argv.iter().skip(1).take(MAX_WORDS) {
            let text = field.prefix();
            let told =
                options.contains(&said) || options.iter().any(|option| is_attached(text, option));
            said = text;
            if told && let Some(file) = path_in(field) {
                let path = self.path(&file);
                self.effect(Kind::Execute, Act::LoadLibrary, Target::Path(path), field.span);
            }
        }
    }

    /// Files of the system that somebody is to edit: `sudo vim /etc/sudoers`.
    fn edited(&mut self, argv: &[Field], before: usize) {
        // With options it may only show them, or its commands say what it does.
        if argv.iter().skip(1).any(|field| field.prefix().starts_with(['-', '+'])) {
            return;
        }
        for field in argv.iter().skip(1).take(MAX_WORDS) {
            let text = field.prefix();
            if SYSTEM.iter().any(|start| text.starts_with(start)) || text.starts_with("/var/log/") {
                self.possible_write(field, before);
            }
        }
    }

    fn possible_write(&mut self, file: &Field, before: usize) {
        let path = self.path(file);
        let known = |effect: &crate::effect::Effect| {
            effect.target.path() == Some(&path) && effect.kind != Kind::Read
        };
        if !self.effects.iter().skip(before).any(known) {
            let effect = self.effect(Kind::Write, Act::Output, Target::Path(path), file.span);
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
    }

    /// Stores and deciding files in code, between quotes, brackets or after a redirection.
    pub(crate) fn text_mentions(&mut self, text: &str, span: Span) {
        let text = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default();
        let slashes;
        let text = if text.contains("c:\\etc") {
            slashes = text.replace('\\', "/");
            &slashes
        } else {
            text
        };
        for store in STORES {
            let Some(at) = text.find(store) else { continue };
            let start = start_of_path(text, at);
            let before = text.get(..start).unwrap_or_default();
            let opened = before.ends_with(['"', '\'', '`', '(', '{', '<', '=', '@', ':'])
                || before.ends_with("type c")
                || command_word(before);
            if opened {
                let path = Field::text(word_at(text, start).replace('\\', "/"), span);
                self.possible_read(&path, self.effects.len());
            }
        }
        for place in DECIDING {
            for (at, _) in text.match_indices(place).take(4) {
                let path = word_at(text, at);
                let before = text.get(..at).unwrap_or_default().trim_end_matches(['"', '\'']);
                let after = text.get(at.saturating_add(path.len())..).unwrap_or_default();
                let after = after.trim_start_matches(['\\', '"', '\'']);
                let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
                if (line.starts_with("get ")
                    && after.trim_start_matches(' ').lines().next().unwrap_or_default().is_empty())
                    || WRITES_BEFORE.iter().any(|words| before.ends_with(words))
                    || WRITES_AFTER.iter().any(|words| after.starts_with(words))
                {
                    self.possible_write(&Field::text(path, span), self.effects.len());
                }
            }
        }
    }

    /// Files that this command wrote and hands to a program that may run what is in them.
    fn handed_files(&mut self, name: &str, argv: &[Field]) {
        if self.files.is_empty() {
            return;
        }
        for field in argv.iter().skip(1).take(MAX_WORDS) {
            let Some(file) = path_in(field) else { continue };
            let path = self.path(&file);
            let Some(content) = self.written(&path).cloned() else { continue };
            let Some(text) = content.text.as_deref() else { continue };
            let shown = path.shown().into_owned();
            let ending = shown.rsplit_once('.').map_or("", |(_, ending)| ending);
            if DOCUMENTS.contains(&ending) && !BUILDERS.contains(&name) || text.len() > MAX_TEXT {
                continue;
            }
            self.text_mentions(text, field.span);
            if crate::code::shapes::is_network_shell(text) {
                let target = Target::Host(String::new());
                self.effect(Kind::Execute, Act::NetworkShell, target, field.span);
            }
            let codes = if super::taskfiles::is_source(&shown) {
                in_source(text)
            } else {
                in_settings(text)
            };
            let language = Language::Shell(Dialect::Posix);
            for code in codes.into_iter().take(8) {
                let code = Field::text(code, field.span);
                self.possibly(|machine| {
                    machine.run_code(name, None, language, &code, &Stream::default())
                });
            }
        }
    }
}

fn is_judged(name: &str) -> bool {
    tools::find(name).is_some() || wrappers::find(name).is_some()
}

/// Whether a program takes instructions from its input.
fn is_told(name: &str) -> bool {
    INSTRUCTED.contains(&name) || ESCAPES.iter().any(|(names, _)| names.contains(&name))
}

fn names_store(text: &str) -> bool {
    // Each of them has a separator: most words need one look.
    text.contains(['/', '\\']) && STORES.iter().any(|store| text.contains(store))
}

/// `-f/etc/shadow`, `--file=/etc/shadow` for the option.
fn is_attached(text: &str, option: &str) -> bool {
    text.strip_prefix(option).is_some_and(|rest| rest.starts_with(['/', '=', '~']))
}

/// The path that an argument is: alone, or behind an option, `@` or `name=`.
fn path_in(field: &Field) -> Option<Field> {
    let text = field.exact()?;
    let mut start = 0;
    if text.starts_with('-') {
        start = text.find(['/', '~', '@', '='])?;
    } else if let Some(at) = text.find('=').filter(|at| {
        text.get(..*at).is_some_and(|name| {
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        })
    }) {
        start = at;
    }
    let rest = text.get(start..)?;
    let rest = rest.trim_start_matches(['=', '@', '<']);
    let rest = rest.strip_prefix("file://").or_else(|| rest.strip_prefix("man:")).unwrap_or(rest);
    let rest = rest.trim_end_matches(':');
    let plain = !rest.is_empty()
        && !rest.contains(['\n', '"', '\'', '(', '{', ';'])
        && !rest.starts_with('-');
    (plain && !rest.contains("  ") && (rest.starts_with(['/', '~']) || !rest.contains(' ')))
        .then(|| Field { flow: field.flow.clone(), ..Field::text(rest, field.span) })
}

/// Where the path around a place in a text starts.
fn start_of_path(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let path = |letter: char| {
        letter.is_alphanumeric() || matches!(letter, '/' | '.' | '_' | '-' | '~' | '\\')
    };
    before.len()
        - before.chars().rev().take_while(|letter| path(*letter)).map(char::len_utf8).sum::<usize>()
}

/// The path that starts at a place in a text.
fn word_at(text: &str, start: usize) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    let end = rest
        .find(['"', '\'', '`', ')', '}', '>', ' ', '\n', ',', ';', '|', '@'])
        .unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default().trim_end_matches('\\')
}

/// Whether a line has nothing but the command of an interactive program before a place: `:e `, `/open `.
fn command_word(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let word = line.trim();
    line.ends_with(' ')
        && word.split(' ').count() <= 2
        && word.split(' ').next_back().is_some_and(|word| {
            matches!(
                word.trim_start_matches([':', '/', '.', '\\']),
                "e" | "r"
                    | "open"
                    | "edit"
                    | "read"
                    | "view"
                    | "cat"
                    | "Include"
                    | "include"
                    | "import"
            )
        })
}

/// What `s@FROM@TO@` puts in.
fn last_of_rule(rule: &str) -> Option<&str> {
    let mark = rule.strip_prefix('s')?.chars().next()?;
    rule.split(mark).nth(2)
}
