//! Shell state that changes while a script runs.

use std::rc::Rc;

use crate::expand::{Positional, Variable};
use crate::flow::Stream;
use crate::span::Origin;
use crate::syntax::ast::Command;
use crate::value::Field;

/// Maximum number of values of a variable after branches; more are unknown.
const MAX_ALTERNATIVES: usize = 4;
/// Maximum number of parts of a value.
const MAX_PARTS: usize = 64;

/// Initial environment of a shell's programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Environment {
    Inherited,
    /// Inside `env -i`.
    Emptied,
}

#[derive(Clone, Debug)]
pub(crate) struct Shell {
    /// None when a `cd` led to an unknown place.
    pub cwd: Option<Rc<str>>,
    pub previous: Option<Rc<str>>,
    pub stack: Vec<Option<Rc<str>>>,
    pub variables: Vec<Slot>,
    /// Other names for variables: `declare -n other=name`.
    pub references: Vec<(Rc<str>, Rc<str>)>,
    pub functions: Vec<(Rc<str>, Function)>,
    pub aliases: Vec<(Rc<str>, Field)>,
    pub positional: Positional,
    /// Code for when the shell ends.
    pub traps: Vec<(Field, Origin)>,
    /// Open descriptors, 0 to 2 only if `exec` changed them, and what can be read from them.
    pub descriptors: Vec<Descriptor>,
    /// This shell runs on another machine or in a container.
    pub elsewhere: bool,
    /// Inside a container or chroot: paths there, and their host paths.
    pub mounts: Vec<(String, String)>,
    /// `set -f` switches patterns off.
    pub globs: bool,
    /// `set -a` exports what is set from then on.
    pub exports: bool,
    pub environment: Environment,
}

#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub name: Rc<str>,
    /// More than one where branches disagree.
    pub values: Vec<Variable>,
    pub exported: bool,
    pub readonly: bool,
}

/// A function and how spans inside it lead back to the command.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub body: Rc<Command>,
    pub origin: Origin,
    /// `export -f`: shells that are started from this one know it.
    pub exported: bool,
}

impl Shell {
    pub(crate) fn new(cwd: Option<&str>) -> Self {
        Self {
            cwd: cwd
                .map(|cwd| crate::drive::usual(cwd, false).map_or_else(|| cwd.into(), Rc::from)),
            previous: None,
            stack: Vec::new(),
            variables: Vec::new(),
            references: Vec::new(),
            functions: Vec::new(),
            aliases: Vec::new(),
            positional: Positional::Known(Vec::new()),
            traps: Vec::new(),
            descriptors: Vec::new(),
            elsewhere: false,
            mounts: Vec::new(),
            globs: true,
            exports: false,
            environment: Environment::Inherited,
        }
    }

    /// The variable that a name stands for.
    fn meant(&self, name: &str) -> Option<Rc<str>> {
        let mut meant: Option<&Rc<str>> = None;
        // A chain that leads back to itself ends somewhere.
        for _ in 0..8 {
            let name = meant.map_or(name, |meant| meant);
            match self.references.iter().rev().find(|(other, _)| &**other == name) {
                Some((_, next)) => meant = Some(next),
                None => break,
            }
        }
        meant.cloned()
    }

    /// From now on `other` is another name for the variable.
    pub(crate) fn refer(&mut self, other: &str, variable: &str) {
        self.references.retain(|(known, _)| &**known != other);
        if other != variable {
            self.references.push((other.into(), variable.into()));
        }
    }

    pub(crate) fn slot(&self, name: &str) -> Option<&Slot> {
        let meant = self.meant(name);
        let name = meant.as_deref().unwrap_or(name);
        self.variables.iter().rev().find(|slot| &*slot.name == name)
    }

    pub(crate) fn set(&mut self, name: &str, value: Variable) {
        let meant = self.meant(name);
        let name = meant.as_deref().unwrap_or(name);
        // A value that doubles with every round is not worth following.
        let value = match value {
            Variable::Scalar(field) if field.parts.len() > MAX_PARTS => {
                let name = format!("${name}");
                Variable::Scalar(Field { flow: field.flow, ..Field::unknown(&name, field.span) })
            }
            other => other,
        };
        match self.variables.iter_mut().rev().find(|slot| &*slot.name == name) {
            // The shell refuses, and what comes after sees the old value.
            Some(slot) if slot.readonly => {}
            Some(slot) => {
                slot.values.clear();
                slot.values.push(value);
            }
            None => self.variables.push(Slot {
                name: name.into(),
                values: vec![value],
                exported: self.exports,
                readonly: false,
            }),
        }
    }

    /// The value of a variable of the environment, by a name in any letters, if it is one text or made of some.
    pub(crate) fn exported(&self, name: &str) -> Option<&Field> {
        let named = |slot: &&Slot| slot.exported && slot.name.eq_ignore_ascii_case(name);
        match self.variables.iter().rev().find(named)?.values.as_slice() {
            [Variable::Scalar(field)] => Some(field),
            _ => None,
        }
    }

    /// Sets a variable of the environment.
    pub(crate) fn export(&mut self, name: &str, value: Field) {
        self.set(name, Variable::Scalar(value));
        self.mark(name, true, false);
    }

    /// Applies `export` and `readonly` to a variable.
    pub(crate) fn mark(&mut self, name: &str, exported: bool, readonly: bool) {
        if let Some(slot) = self.variables.iter_mut().rev().find(|slot| &*slot.name == name) {
            slot.exported |= exported;
            slot.readonly |= readonly;
        }
    }

    /// The variables visible to a child process: one that is not exported only if it was in the environment
    /// before, which is unknown.
    pub(crate) fn keep_exported(&mut self, given: &[(&str, &str)]) {
        for slot in &mut self.variables {
            let inherited = matches!(&*slot.name, "HOME" | "PATH" | "PWD" | "USER" | "IFS" | "0")
                || slot.name.starts_with(super::scope::PLACEHOLDER)
                || given.iter().any(|(name, _)| **name == *slot.name);
            if !slot.exported && !inherited {
                slot.add(&Variable::Unset);
            }
        }
    }

    /// Unknown code ran here: every variable may have changed.
    pub(crate) fn doubt_variables(&mut self) {
        for slot in self.variables.iter_mut().filter(|slot| !slot.readonly) {
            slot.add(&Variable::Unknown);
        }
    }

    pub(crate) fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().rev().find(|(known, _)| &**known == name).map(|(_, found)| found)
    }

    /// Approximate cost of a copy.
    pub(crate) fn weight(&self) -> usize {
        let values = self.variables.iter().flat_map(|slot| &slot.values);
        let streams = self.descriptors.iter().map(|open| &open.stream);
        4 + self.variables.len()
            + self.references.len()
            + self.functions.len()
            + self.stack.len()
            + self.mounts.len()
            + values.map(Variable::weight).sum::<usize>()
            + self.aliases.iter().map(|(_, value)| value.weight()).sum::<usize>()
            + self.positional.weight()
            + streams.map(Stream::weight).sum::<usize>()
    }

    /// The state after two branches: what they agree on stays, the rest is either.
    pub(crate) fn join(&mut self, other: &Self) {
        if self.cwd != other.cwd {
            self.cwd = None;
        }
        // Both grew from the same list, so the same name mostly stands in the same place.
        for (place, theirs) in other.variables.iter().enumerate() {
            let place = position(&self.variables, &theirs.name, place);
            match place.and_then(|place| self.variables.get_mut(place)) {
                Some(ours) => {
                    for value in &theirs.values {
                        ours.add(value);
                    }
                }
                // It was set on their way only; on ours it is what it was before.
                None => {
                    let mut slot = theirs.clone();
                    slot.add(&Variable::Unknown);
                    self.variables.push(slot);
                }
            }
        }
        for (place, ours) in self.variables.iter_mut().enumerate() {
            // Set on our way only; on theirs it is what it was before.
            if position(&other.variables, &ours.name, place).is_none() {
                ours.add(&Variable::Unknown);
            }
        }
        let added = self.functions.len();
        for (place, (name, theirs)) in other.functions.iter().enumerate() {
            let same = |(known, ours): &(Rc<str>, Function)| {
                known == name && Rc::ptr_eq(&ours.body, &theirs.body)
            };
            let place = place + (self.functions.len() - added);
            let there = self.functions.get(place).is_some_and(same);
            if !there && !self.functions.iter().any(same) {
                self.functions.insert(0, (name.clone(), theirs.clone()));
            }
        }
        for alias in &other.aliases {
            if !self.aliases.contains(alias) {
                self.aliases.push(alias.clone());
            }
        }
        for reference in &other.references {
            if !self.references.contains(reference) {
                self.references.push(reference.clone());
            }
        }
        if self.positional != other.positional {
            self.positional = Positional::Unknown;
        }
        self.globs |= other.globs;
    }
}

/// Where the variable stands in the list, most likely at `place`.
fn position(variables: &[Slot], name: &str, place: usize) -> Option<usize> {
    if variables.get(place).is_some_and(|slot| &*slot.name == name) {
        return Some(place);
    }
    variables.iter().rposition(|slot| &*slot.name == name)
}

impl Slot {
    fn add(&mut self, value: &Variable) {
        if self.values.contains(value) {
            return;
        }
        if self.values.len() >= MAX_ALTERNATIVES {
            self.values = vec![Variable::Unknown];
        } else {
            self.values.push(value.clone());
        }
    }
}

/// An open descriptor of the shell: what can be read from it and where it writes.
#[derive(Clone, Debug)]
pub(crate) struct Descriptor {
    pub number: u32,
    pub stream: Stream,
    pub sink: Sink,
}

#[derive(Clone, Debug)]
pub(crate) enum Sink {
    None,
    Network(String),
    File(Field),
}

impl Shell {
    pub(crate) fn descriptor(&self, number: u32) -> Option<&Descriptor> {
        self.descriptors.iter().rev().find(|open| open.number == number)
    }

    pub(crate) fn open(&mut self, descriptor: Descriptor) {
        self.descriptors.retain(|open| open.number != descriptor.number);
        self.descriptors.push(descriptor);
    }

    pub(crate) fn close(&mut self, number: u32) -> Option<Descriptor> {
        let at = self.descriptors.iter().position(|open| open.number == number)?;
        Some(self.descriptors.remove(at))
    }

    /// The address that a descriptor is connected to.
    pub(crate) fn connection(&self, number: u32) -> Option<&str> {
        match &self.descriptor(number)?.sink {
            Sink::Network(address) => Some(address),
            Sink::None | Sink::File(_) => None,
        }
    }

    /// Where a descriptor writes to, keeping what it reads.
    pub(crate) fn sink(&mut self, number: u32, sink: Sink) {
        match self.descriptors.iter_mut().find(|open| open.number == number) {
            Some(open) => open.sink = sink,
            None => self.descriptors.push(Descriptor { number, stream: Stream::default(), sink }),
        }
    }

    /// The number that `{name}>` gets: bash starts at ten.
    pub(crate) fn free_descriptor(&self) -> u32 {
        self.descriptors
            .iter()
            .map(|open| open.number)
            .max()
            .map_or(10, |last| last.max(9).saturating_add(1))
    }
}
