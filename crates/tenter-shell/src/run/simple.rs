//! Simple commands: assignments, words, and the resulting program.

use std::rc::Rc;

use super::Machine;
use super::scope::SCAN;
use super::walk::plain;
use crate::budget::MAX_VALUE;
use crate::effect::Certainty;
use crate::expand::{self, Variable};
use crate::flow::{Flow, Stream};
use crate::span::Span;
use crate::syntax::ast::{
    ArrayItem, AssignedValue, Assignment, Fd, Redirect, RedirectKind, Simple, Word, WordPart,
};
use crate::value::{Field, Part};

/// Maximum number of readings of a command whose variables have several values.
const MAX_READINGS: usize = 8;

/// Start of the names by which alternatives are kept apart from variables.
const CHOICE: &str = "||";

/// The choice of variable values in this reading.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    number: usize,
    /// Variables met so far: name, the value taken, how many there are.
    met: Vec<(Rc<str>, usize, usize)>,
    /// Variables not passed in count as unset: for `${x:-rm}`.
    pub unset: bool,
}

impl Reading {
    /// The value to take of a variable that has `count` of them.
    pub(super) fn pick(&mut self, name: &Rc<str>, count: usize) -> usize {
        if let Some((_, taken, _)) = self.met.iter().find(|(known, ..)| known == name) {
            return *taken;
        }
        let before = self.ways();
        let taken = (self.number / before.max(1)) % count.max(1);
        self.met.push((Rc::clone(name), taken, count));
        taken
    }

    /// A few dozen variables have more ways than there are numbers.
    fn ways(&self) -> usize {
        self.met.iter().fold(1, |ways, (_, _, count)| ways.saturating_mul(*count))
    }

    /// What another reading chose of alternatives stays chosen; of its variables only these.
    pub(super) fn keep_choices(&mut self, from: Self) {
        let is_choice = |(name, ..): &(Rc<str>, usize, usize)| name.starts_with(CHOICE);
        let known = self.met.len();
        let new = from.met.into_iter().skip(known);
        self.met.extend(new.filter(is_choice));
    }

    fn readings(&self) -> usize {
        self.ways().min(MAX_READINGS)
    }
}

impl Machine<'_> {
    /// One of several outputs, by the alternative that this reading follows: `$(which bash || which sh)`. What
    /// it comes from is all of them.
    pub(super) fn choose(
        &mut self,
        mut outputs: Vec<Stream>,
        span: Span,
    ) -> Option<(usize, Stream)> {
        outputs.dedup_by(|one, other| one.text == other.text && one.partial == other.partial);
        if !self.chooses || outputs.len() < 2 {
            return None;
        }
        let name: Rc<str> = format!("{CHOICE}{}", span.start).into();
        let taken = self.reading.pick(&name, outputs.len().min(MAX_READINGS));
        let mut flow = Flow::default();
        for output in &outputs {
            flow.join(&output.flow);
        }
        let chosen = outputs.into_iter().nth(taken)?;
        Some((taken, Stream { flow, ..chosen }))
    }

    pub(super) fn simple(
        &mut self,
        simple: &Simple,
        redirects: &[Redirect],
        stdin: &Stream,
        span: Span,
    ) -> Stream {
        let outer = std::mem::take(&mut self.reading);
        let certainty = self.certainty;
        let mut number = 0;
        let mut readings = 1;
        let mut printed: Option<Stream> = None;
        let mut unset = false;
        loop {
            self.reading = Reading { number, met: Vec::new(), unset };
            if number > 0 || unset {
                self.certainty = certainty.min(Certainty::Possible);
            }
            let before = (number > 0 || unset).then(|| self.fork());
            let (out, undecided) = self.read_once(simple, redirects, stdin.clone(), span);
            if let Some(before) = before {
                self.shell.join(&before);
            }
            printed = Some(match printed {
                None => out,
                Some(first) if first == out => first,
                Some(first) => either(first, &out),
            });
            readings = self.reading.readings().max(readings);
            number += 1;
            if number >= readings {
                // Once more for `${x:-y}` of a variable that may not be set.
                if undecided && !unset && !self.rereading {
                    unset = true;
                    self.rereading = true;
                    number = 0;
                    readings = 1;
                    continue;
                }
                break;
            }
        }
        if unset {
            self.rereading = false;
        }
        self.certainty = certainty;
        self.reading = outer;
        printed.unwrap_or_default()
    }

    /// One reading. Also tells whether a fallback was left open.
    fn read_once(
        &mut self,
        simple: &Simple,
        redirects: &[Redirect],
        stdin: Stream,
        span: Span,
    ) -> (Stream, bool) {
        let deferred = self.deferred.len();
        let mut argv: Vec<Field> = Vec::with_capacity(simple.words.len());
        let mut declares = false;
        for (index, word) in simple.words.iter().enumerate() {
            if index == 0 {
                declares = plain(word).is_some_and(is_declaration);
            }
            if declares
                && index > 0
                && let Some(field) = self.declared(word)
            {
                argv.push(field);
                continue;
            }
            argv.extend(expand::fields(word, self));
        }
        let mut undecided = argv.iter().any(is_undecided);
        // Several values: none of them is certain.
        if self.reading.readings() > 1 {
            self.certainty = self.certainty.min(Certainty::Possible);
        }
        let (effects, commands) = (self.effects.len(), self.commands.len());

        let reopens = matches!(argv.as_slice(), [only] if only.is("exec"));
        let given = if reopens { stdin.clone() } else { Stream::default() };
        let mut io = self.redirect(redirects, stdin);
        if reopens {
            self.keep_open(&io, &given);
        }
        let stdin = std::mem::take(&mut io.stdin);
        let opened = effects..self.effects.len();
        if argv.is_empty() {
            self.status = Some(true);
            for assignment in &simple.assignments {
                if !self.afford(self.shell.variables.len() / SCAN, span) {
                    break;
                }
                undecided |= self.assign_one(assignment);
                // The shell runs it before every prompt.
                self.hidden_prompt(&assignment.name);
            }
            // `x=$(false)` has the status of the substitution, which is not followed.
            // `$(<file)` is what the file holds.
            let reads = matches!(
                redirects,
                [Redirect { kind: RedirectKind::Read(_), fd: Fd::Default | Fd::Number(0), .. }]
            );
            let out = if reads { stdin } else { Stream::empty() };
            let out = self.deliver(&io, out);
            self.run_deferred(deferred, &Flow::default());
            return (out, undecided);
        }
        let before = self.prefix_assignments(&simple.assignments);
        let out = self.execute_at(&argv, stdin, span);
        self.assignments.clear();
        for (name, slot) in before.into_iter().rev() {
            self.shell.variables.retain(|known| known.name != name);
            self.shell.variables.extend(slot);
        }
        let closing = self.effects.len();
        let printed = out.flow.clone();
        let out = self.deliver(&io, out);
        let closed = self.effects.len();
        // Descriptors opened by `exec` stay open.
        if !reopens {
            self.run_deferred(deferred, &printed);
        }
        // Redirections belong to the program they stand with, not to one that it runs.
        let beside = self.commands.get(commands).is_some_and(|ran| ran.via.len() == self.via.len());
        if beside {
            let owner = u32::try_from(commands).ok();
            for range in [opened, closing..closed] {
                for effect in self.effects.get_mut(range).unwrap_or_default() {
                    effect.command = effect.command.or(owner);
                }
            }
        }
        (out, undecided)
    }

    /// `NAME=value` in the arguments of `export` and its kin is not split.
    fn declared(&mut self, word: &Word) -> Option<Field> {
        let Some(WordPart::Literal(first)) = word.parts.first() else {
            return None;
        };
        let (name, rest) = first.text.split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        if name.is_empty() || !name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
        {
            return None;
        }
        // Braces make several assignments of one word.
        if rest.contains('{') && rest.contains(',') {
            return None;
        }
        if let Some(WordPart::Array(items)) = word.parts.get(1) {
            let value = self.array(items);
            self.shell.set(name, value);
            return Some(Field::text(name, self.origin.map(word.span)));
        }
        let mut field = expand::single(word, self);
        // A tilde after the equals sign is the home directory.
        if rest.starts_with('~')
            && let Some(home) = self.world.home
            && let Some(Part::Text { text, at }) = field.parts.first_mut()
            && let Some((before, after)) = text.split_once("=~")
            && (after.is_empty() || after.starts_with('/'))
        {
            *text = format!("{before}={home}{after}");
            *at = None;
        }
        Some(field)
    }

    fn assign_one(&mut self, assignment: &Assignment) -> bool {
        let value = self.assigned_value(assignment);
        let undecided = matches!(&value, Variable::Scalar(field) if is_undecided(field));
        // The other reading of the same assignment adds to this one.
        self.shell.set(&assignment.name, value);
        undecided
    }

    fn assigned_value(&mut self, assignment: &Assignment) -> Variable {
        let new = match &assignment.value {
            AssignedValue::Array(items) => {
                let Variable::Array(mut items) = self.array(items) else {
                    return Variable::Unknown;
                };
                if assignment.append
                    && let Some(Variable::Array(mut old)) = self.value_of(&assignment.name)
                {
                    let start = old.len();
                    if !self.budget.spend(start + items.len()) {
                        return Variable::Unknown;
                    }
                    for (index, (key, _)) in items.iter_mut().enumerate() {
                        *key = (start + index).to_string();
                    }
                    old.append(&mut items);
                    return Variable::Array(old);
                }
                return Variable::Array(items);
            }
            AssignedValue::Scalar(word) => expand::single(word, self),
        };
        if let Some(index) = &assignment.index {
            return self.assign_element(assignment, index, new);
        }
        if !assignment.append {
            return Variable::Scalar(new);
        }
        match self.value_of(&assignment.name) {
            Some(Variable::Scalar(mut old)) => {
                append(&mut old, new);
                Variable::Scalar(old)
            }
            Some(Variable::Unset) | None if self.shell.slot(&assignment.name).is_some() => {
                Variable::Scalar(new)
            }
            Some(Variable::Array(mut items)) => {
                match items.first_mut() {
                    Some((_, first)) => append(first, new),
                    None => items.push(("0".into(), new)),
                }
                Variable::Array(items)
            }
            _ => {
                let mut old = Field::unknown(&format!("${}", assignment.name), new.span);
                append(&mut old, new);
                Variable::Scalar(old)
            }
        }
    }

    fn assign_element(&mut self, assignment: &Assignment, index: &Word, new: Field) -> Variable {
        let key = match expand::arithmetic(index, self) {
            Some(number) => Some(number.to_string()),
            None => expand::single(index, self).exact().map(str::to_owned),
        };
        let Some(key) = key else {
            return Variable::Unknown;
        };
        let mut items = match self.value_of(&assignment.name) {
            Some(Variable::Array(items)) => items,
            Some(Variable::Scalar(first)) => vec![("0".to_owned(), first)],
            _ => Vec::new(),
        };
        self.budget.spend(items.len() / SCAN);
        match items.iter_mut().find(|(known, _)| *known == key) {
            Some((_, value)) if assignment.append => append(value, new),
            Some((_, value)) => *value = new,
            None => items.push((key, new)),
        }
        Variable::Array(items)
    }

    fn array(&mut self, items: &[ArrayItem]) -> Variable {
        let mut values: Vec<(String, Field)> = Vec::new();
        for item in items {
            match &item.key {
                None => {
                    for field in expand::fields(&item.value, self) {
                        values.push((values.len().to_string(), field));
                    }
                }
                Some(key) => {
                    let key = expand::single(key, self);
                    let value = expand::single(&item.value, self);
                    match key.exact() {
                        Some(key) => values.push((key.to_owned(), value)),
                        None => return Variable::Unknown,
                    }
                }
            }
            if !self.budget.spend(1) {
                return Variable::Unknown;
            }
        }
        Variable::Array(values)
    }

    pub(super) fn value_of(&mut self, name: &str) -> Option<Variable> {
        let found = self.shell.slot(name).and_then(|slot| slot.values.first()).cloned();
        self.budget.spend(found.as_ref().map_or(0, Variable::weight));
        found
    }

    /// Sets the assignments before a program for that program only; returns the old values.
    fn prefix_assignments(
        &mut self,
        assignments: &[Assignment],
    ) -> Vec<(Rc<str>, Option<super::state::Slot>)> {
        let mut before = Vec::with_capacity(assignments.len());
        for assignment in assignments {
            // Looked for when it is set, when it is taken away and when it is put back.
            if !self.afford(3 * (self.shell.variables.len() / SCAN), self.last_span()) {
                break;
            }
            let value = self.assigned_value(assignment);
            let name: Rc<str> = assignment.name.as_str().into();
            before.push((Rc::clone(&name), self.shell.slot(&name).cloned()));
            if let Variable::Scalar(field) = &value {
                self.assignments.push((assignment.name.clone(), field.clone()));
            }
            self.shell.set(&name, value);
        }
        before
    }
}

fn is_declaration(name: &str) -> bool {
    matches!(name, "export" | "declare" | "typeset" | "local" | "readonly")
}

/// Whether the field depends on `${x:-y}` of a variable that may or may not be set.
fn is_undecided(field: &Field) -> bool {
    field
        .parts
        .iter()
        .any(|part| matches!(part, Part::Unknown(unknown) if unknown.name.starts_with("${")))
}

fn append(field: &mut Field, more: Field) {
    field.span = field.span.to(more.span);
    field.flow.join(&more.flow);
    for part in more.parts {
        field.push(part);
    }
    // A loop that doubles a value must not double it for ever.
    if field.exact().is_some_and(|text| text.len() > MAX_VALUE) {
        *field = Field { flow: field.flow.clone(), ..Field::unknown("$long", field.span) };
    }
}

/// One of two outputs.
fn either(first: Stream, second: &Stream) -> Stream {
    let mut flow: Flow = first.flow;
    flow.join(&second.flow);
    Stream::unknown(flow)
}
