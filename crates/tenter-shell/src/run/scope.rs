//! The expander's view of the walker's state.

use std::rc::Rc;

use super::Machine;
use crate::analysis::Reason;
use crate::budget::Budget;
use crate::expand::{Positional, Scope, Variable};
use crate::flow::{Flow, Source, Stream};
use crate::span::{Origin, Span};
use crate::syntax::ast::Script;
use crate::value::{Field, Part, Unknown};
use crate::world::Language;

/// Names that are compared for one unit of work.
pub(super) const SCAN: usize = 16;

fn scalar(text: &str) -> Variable {
    Variable::Scalar(Field::text(text, Span::default()))
}

impl Machine<'_> {
    /// A variable that the script did not set.
    fn given(&self, name: &str) -> Variable {
        if let Some((_, value)) = self.world.variables.iter().find(|(known, _)| *known == name) {
            return scalar(value);
        }
        let fact = match name {
            "HOME" => self.world.home,
            "PWD" => self.shell.cwd.as_deref(),
            "OLDPWD" => self.shell.previous.as_deref(),
            "USER" | "LOGNAME" => self.world.user,
            "IFS" => Some(" \t\n"),
            // Whichever it is, it takes the same options.
            "SHELL" | "BASH" => Some("/bin/bash"),
            "BASH_SOURCE" => return self.source_file(),
            _ => None,
        };
        match fact {
            Some(text) => scalar(text),
            None if self.is_on_windows() && folder_of_windows(name).is_some() => {
                let home = self.world.home.filter(|home| crate::drive::is_windows(home));
                let folder = folder_of_windows(name).unwrap_or_default();
                scalar(&format!("{}{folder}", home.unwrap_or("C:/Users/me")))
            }
            None if self.reading.unset => Variable::Unset,
            None => Variable::Unknown,
        }
    }
}

impl Machine<'_> {
    fn is_on_windows(&self) -> bool {
        [self.world.cwd, self.shell.cwd.as_deref()]
            .into_iter()
            .flatten()
            .any(crate::drive::is_windows)
    }
}

/// Folders of a user that variables of Windows name, below the home.
fn folder_of_windows(name: &str) -> Option<&'static str> {
    Some(match name {
        "TEMP" | "TMP" => "/AppData/Local/Temp",
        "LOCALAPPDATA" => "/AppData/Local",
        "APPDATA" => "/AppData/Roaming",
        "USERPROFILE" => "",
        _ => return None,
    })
}

impl Scope for Machine<'_> {
    fn variable(&mut self, name: &str) -> Variable {
        if name == "PWD" && self.shell.slot(name).is_none() {
            // The directory of now, not that of the start.
            return match self.shell.cwd.as_deref() {
                Some(cwd) => scalar(cwd),
                None => Variable::Unknown,
            };
        }
        self.budget.spend(self.shell.variables.len() / SCAN);
        let Some(slot) = self.shell.slot(name) else {
            return self.given(name);
        };
        let index = match slot.values.len() {
            0 | 1 => 0,
            count => {
                let name = Rc::clone(&slot.name);
                self.reading.pick(&name, count)
            }
        };
        let found = match self.shell.slot(name).and_then(|slot| slot.values.get(index)) {
            Some(Variable::Unknown) | None => self.given(name),
            Some(value) => value.clone(),
        };
        self.budget.spend(found.weight());
        found
    }

    fn assign(&mut self, name: &str, value: Variable) {
        self.budget.spend(self.shell.variables.len() / SCAN);
        self.shell.set(name, value);
    }

    fn positional(&mut self) -> Positional {
        self.budget.spend(self.shell.positional.weight());
        self.shell.positional.clone()
    }

    fn shell_name(&mut self) -> Field {
        match self.shell.slot("0").and_then(|slot| slot.values.first()) {
            Some(Variable::Scalar(field)) => field.clone(),
            _ => Field::unknown("$0", Span::default()),
        }
    }

    fn substitute(&mut self, script: &Script, _span: Span) -> Stream {
        let before = self.fork();
        self.shell.close(1);
        let reading = self.reading.clone();
        let assignments = std::mem::take(&mut self.assignments);
        let chooses = std::mem::replace(&mut self.chooses, true);
        let out = if self.enter_depth() {
            let seen = self.commands.len();
            let mut out = self.script(script, &Stream::default());
            self.depth -= 1;
            // Whatever an unknown program prints comes from that program.
            if out == Stream::default()
                && let Some(ran) = self.commands.get(seen..).and_then(<[_]>::last)
            {
                out.flow.add(Source::Program(ran.program.as_str().into()));
            }
            out
        } else {
            Stream::default()
        };
        self.assignments = assignments;
        self.chooses = chooses;
        let within = std::mem::replace(&mut self.reading, reading);
        self.reading.keep_choices(within);
        self.shell = before;
        out
    }

    fn process(&mut self, script: &Script, output: bool, span: Span) -> Field {
        let path = format!("/dev/fd/{}", 63_usize.saturating_sub(self.processes).max(10));
        self.processes += 1;
        let field = Field::text(path.as_str(), self.map(span));
        let target = self.path(&field);
        if output {
            self.files.retain(|(known, _)| *known != path);
            self.deferred.push(super::Deferred {
                path,
                script: Rc::new(script.clone()),
                origin: self.origin,
                span: self.map(span),
            });
        } else {
            let stream = self.substitute(script, span);
            self.set_content(&target, &stream, false);
        }
        field
    }

    fn home(&mut self, name: Option<&str>) -> Option<String> {
        match name {
            None => match self.variable("HOME") {
                Variable::Scalar(field) => field.exact().map(str::to_owned),
                _ => None,
            },
            Some("root") => Some("/root".to_owned()),
            Some(name) if self.world.user == Some(name) => self.world.home.map(str::to_owned),
            // A guess; what cannot be the name of a user stays as it is.
            Some(name) if is_user_name(name) => Some(format!("/home/{name}")),
            Some(_) => None,
        }
    }

    fn directory(&mut self) -> Option<String> {
        self.shell.cwd.as_deref().map(str::to_owned)
    }

    fn previous_directory(&mut self) -> Option<String> {
        self.shell.previous.as_deref().map(str::to_owned)
    }

    fn names_with_prefix(&mut self, prefix: &str) -> Option<Vec<String>> {
        let mut names: Vec<String> = self
            .shell
            .variables
            .iter()
            .map(|slot| &*slot.name)
            .chain(self.world.variables.iter().map(|(name, _)| *name))
            .filter(|name| name.starts_with(prefix))
            .map(str::to_owned)
            .collect();
        self.budget.spend(names.len() + self.shell.variables.len() / SCAN);
        names.sort();
        names.dedup();
        Some(names)
    }

    fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }

    fn gave_up(&mut self, why: &'static str, span: Span) {
        self.unverified(Reason::CutShort(why), span);
    }

    fn globs(&self) -> bool {
        self.shell.globs
    }

    fn map(&self, span: Span) -> Span {
        self.origin.map(span)
    }

    fn place(&self, at: u32) -> Option<u32> {
        match self.origin {
            Origin::Verbatim(base) => Some(base.saturating_add(at)),
            Origin::Computed(_) => None,
        }
    }
}

fn is_user_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '_')
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.'))
}

/// Unknown parts of code get a variable each, so that the rest of the code can still be read.
pub(crate) const PLACEHOLDER: &str = "__tenter_";

impl Machine<'_> {
    /// The code as text, with a variable in place of each part that is not known: `${name}` for
    /// shells, a plain name in other languages.
    pub(super) fn with_placeholders(&mut self, language: Language, code: &Field) -> String {
        let plain = crate::code::is_script(language);
        let mut text = String::new();
        let sources = code.sources();
        for part in &code.parts {
            match part {
                Part::Text { text: known, .. } => text.push_str(known),
                Part::Glob(pattern) => text.push_str(pattern),
                Part::Unknown(unknown) => {
                    self.placeholders += 1;
                    let name = format!("{PLACEHOLDER}{}", self.placeholders);
                    let (open, close) = if plain { ("", "_") } else { ("${", "}") };
                    text.extend([open, &name, close]);
                    let mut value = Field::unknown(&unknown.name, code.span);
                    value.flow = sources.clone();
                    self.budget.spend(4 + self.shell.variables.len() / SCAN);
                    self.shell.set(&name, Variable::Scalar(value));
                }
            }
        }
        text
    }

    /// A placeholder inside quotes was taken for text; it is still unknown.
    pub(crate) fn without_placeholders(&self, field: &mut Field) {
        let hides =
            |part: &Part| matches!(part, Part::Text { text, .. } if text.contains(PLACEHOLDER));
        if self.placeholders == 0 || !field.parts.iter().any(hides) {
            return;
        }
        let mut flow = Flow::default();
        let mut parts = Vec::new();
        for part in std::mem::take(&mut field.parts) {
            let Part::Text { text, at } = part else {
                parts.push(part);
                continue;
            };
            let mut rest = text.as_str();
            while let Some((before, tail)) = rest.split_once(PLACEHOLDER) {
                let after = tail.trim_start_matches(|letter: char| letter.is_ascii_digit());
                let number = tail.strip_suffix(after).unwrap_or_default();
                let (before, after) = match before.strip_suffix("${") {
                    Some(before) => (before, after.strip_prefix('}').unwrap_or(after)),
                    None => (before, after.strip_prefix('_').unwrap_or(after)),
                };
                if !before.is_empty() {
                    parts.push(Part::Text { text: before.to_owned(), at: None });
                }
                let slot = self.shell.slot(&format!("{PLACEHOLDER}{number}"));
                match slot.and_then(|slot| slot.values.first()) {
                    Some(Variable::Scalar(value)) => {
                        parts.extend(value.parts.iter().cloned());
                        flow.join(&value.flow);
                    }
                    _ => parts.push(Part::Unknown(Unknown { name: "…".into(), splits: false })),
                }
                rest = after;
            }
            if !rest.is_empty() {
                let at = if rest.len() == text.len() { at } else { None };
                parts.push(Part::Text { text: rest.to_owned(), at });
            }
        }
        field.parts = parts;
        field.flow.join(&flow);
    }
}

/// Content of a variable that the caller did not pass in.
pub(super) fn environment() -> Stream {
    Stream::from(Source::Environment)
}
