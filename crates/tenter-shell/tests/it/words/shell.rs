//! A shell that can do just enough to expand words: assignments, arrays, `set --`, and
//! substitutions of text programs.

use tenter_shell::budget::Budget;
use tenter_shell::expand::{self, Positional, Scope, Variable};
use tenter_shell::filters;
use tenter_shell::flow::{Source, Stream};
use tenter_shell::span::Span;
use tenter_shell::syntax::ast::{
    AssignedValue, Assignment, Command, CommandKind, Script, Simple, Word,
};
use tenter_shell::syntax::{Dialect, parse};
use tenter_shell::value::{Field, Part};

pub(crate) const HOME: &str = "/home/puzzle";

#[derive(Default)]
pub(crate) struct Shell {
    pub(crate) variables: Vec<(String, Variable)>,
    pub(crate) arguments: Vec<Field>,
    pub(crate) directory: String,
    pub(crate) budget: Budget,
    pub(crate) gave_up: Vec<&'static str>,
    /// How often a substitution was asked for.
    pub(crate) substituted: usize,
    /// `set -f`
    pub(crate) no_globs: bool,
    /// The arguments of every command that is no assignment and no `set`.
    pub(crate) ran: Vec<Vec<Field>>,
}

impl Shell {
    pub(crate) fn new(directory: &str) -> Self {
        Self { directory: directory.to_owned(), ..Self::default() }
    }

    /// Reads and runs a text; false if it could not be read.
    pub(crate) fn run(&mut self, source: &str) -> bool {
        let parsed = parse(source, Dialect::Bash, &mut Budget::default());
        if !parsed.errors.is_empty() {
            return false;
        }
        for simple in simples(&parsed.script).into_iter().flatten() {
            self.simple(simple);
        }
        true
    }

    fn simple(&mut self, simple: &Simple) {
        for assignment in &simple.assignments {
            self.assignment(assignment);
        }
        if simple.words.is_empty() {
            return;
        }
        let fields = self.fields(&simple.words);
        match fields.first().and_then(Field::exact) {
            Some("set") if fields.get(1).is_some_and(|field| field.is("--")) => {
                self.arguments = fields[2..].iter().map(unmatched).collect();
            }
            _ => self.ran.push(fields),
        }
    }

    pub(crate) fn fields(&mut self, words: &[Word]) -> Vec<Field> {
        words.iter().flat_map(|word| expand::fields(word, self)).collect()
    }

    fn assignment(&mut self, assignment: &Assignment) {
        let value = match &assignment.value {
            AssignedValue::Scalar(word) => {
                let mut value = expand::single(word, self);
                if assignment.append
                    && let Variable::Scalar(mut old) = self.variable(&assignment.name)
                {
                    value.parts.drain(..).for_each(|part| old.push(part));
                    value = old;
                }
                match &assignment.index {
                    None => Variable::Scalar(value),
                    Some(index) => {
                        let key = expand::arithmetic(index, self).unwrap().to_string();
                        let mut items = match self.variable(&assignment.name) {
                            Variable::Array(items) => items,
                            _ => Vec::new(),
                        };
                        items.retain(|(name, _)| *name != key);
                        items.push((key, value));
                        items.sort_by_key(|(name, _)| name.parse::<u32>().unwrap());
                        Variable::Array(items)
                    }
                }
            }
            AssignedValue::Array(items) => {
                let words: Vec<Word> = items.iter().map(|item| item.value.clone()).collect();
                let fields = self.fields(&words);
                let keys = (0..).map(|index: usize| index.to_string());
                Variable::Array(keys.zip(fields.iter().map(unmatched)).collect())
            }
        };
        self.assign(&assignment.name, value);
    }

    /// Output of pipelines of text programs.
    pub(crate) fn output(&mut self, script: &Script) -> Option<String> {
        let mut printed = String::new();
        for pipeline in simples(script) {
            let mut stream = Some(String::new());
            for simple in pipeline {
                let fields = self.fields(&simple.words);
                let words: Option<Vec<&str>> = fields.iter().map(Field::exact).collect();
                let words = words?;
                let (program, args) = words.split_first()?;
                stream = filters::run(program, args, stream.as_deref());
            }
            printed.push_str(&stream?);
        }
        Some(printed)
    }
}

/// In an empty directory a pattern stays what it is, and is text from then on.
fn unmatched(field: &Field) -> Field {
    let mut text = Field { parts: Vec::new(), ..field.clone() };
    for part in &field.parts {
        match part {
            Part::Glob(pattern) => text.push_text(&unquoted(pattern), None),
            part => text.push(part.clone()),
        }
    }
    text
}

/// The pattern without the backslashes that stand for quotes.
fn unquoted(pattern: &str) -> String {
    let mut text = String::new();
    let mut chars = pattern.chars();
    while let Some(ch) = chars.next() {
        text.extend(if ch == '\\' { chars.next() } else { Some(ch) });
    }
    text
}

/// The simple commands of every pipeline.
fn simples(script: &Script) -> Vec<Vec<&Simple>> {
    fn simple(command: &Command) -> &Simple {
        match &command.kind {
            CommandKind::Simple(simple) => simple,
            other => panic!("not simple: {other:?}"),
        }
    }
    script.items.iter().map(|item| item.first.commands.iter().map(simple).collect()).collect()
}

impl Scope for Shell {
    fn variable(&mut self, name: &str) -> Variable {
        match self.variables.iter().find(|(known, _)| known == name) {
            Some((_, value)) => value.clone(),
            None => Variable::Unset,
        }
    }

    fn assign(&mut self, name: &str, value: Variable) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value));
    }

    fn positional(&mut self) -> Positional {
        Positional::Known(self.arguments.clone())
    }

    fn shell_name(&mut self) -> Field {
        Field::text("bash", Span::default())
    }

    fn substitute(&mut self, script: &Script, _: Span) -> Stream {
        self.substituted += 1;
        // A subshell: what is set there stays there.
        let variables = self.variables.clone();
        let output = self.output(script);
        self.variables = variables;
        output.map_or_else(|| Stream::from(Source::Network("host".into())), Stream::known)
    }

    fn process(&mut self, _: &Script, _: bool, _: Span) -> Field {
        Field::unknown("<(…)", Span::default())
    }

    fn home(&mut self, name: Option<&str>) -> Option<String> {
        name.is_none().then(|| HOME.to_owned())
    }

    fn directory(&mut self) -> Option<String> {
        Some(self.directory.clone())
    }

    fn previous_directory(&mut self) -> Option<String> {
        None
    }

    fn names_with_prefix(&mut self, prefix: &str) -> Option<Vec<String>> {
        let mut names: Vec<String> = self.variables.iter().map(|(name, _)| name.clone()).collect();
        names.retain(|name| name.starts_with(prefix));
        names.sort();
        Some(names)
    }

    fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }

    fn gave_up(&mut self, why: &'static str, _: Span) {
        self.gave_up.push(why);
    }

    fn globs(&self) -> bool {
        !self.no_globs
    }

    fn map(&self, span: Span) -> Span {
        span
    }

    fn place(&self, at: u32) -> Option<u32> {
        Some(at)
    }
}
