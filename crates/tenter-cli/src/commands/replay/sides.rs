//! The policies that are compared.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use tenter_policy::policy::{Layer, Unseen};
use tenter_policy::{Policy, Preset};

use crate::error::CommandError;
use crate::guard::{LocalMachine, policies};

/// A policy, with its variants for unknown parts.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) policy: Policy,
    /// Name of the policy in records.
    pub(super) id: String,
    worst: [OnceCell<Option<Policy>>; COMBINATIONS],
    best: [OnceCell<Option<Policy>>; COMBINATIONS],
}

/// Number of combinations of unknown prompt, content and command.
const COMBINATIONS: usize = 8;

fn place(unseen: Unseen) -> usize {
    usize::from(unseen.prompt) | usize::from(unseen.content) << 1 | usize::from(unseen.command) << 2
}

impl Side {
    pub(super) fn new(policy: Policy, id: String) -> Self {
        let empty = || [const { OnceCell::new() }; COMBINATIONS];
        Self { policy: policy.unpacked(), id, worst: empty(), best: empty() }
    }

    /// See [`Policy::at_worst`]; `None` if equal to the policy.
    pub(super) fn at_worst(&self, unseen: Unseen) -> Option<&Policy> {
        let made = || owned(self.policy.at_worst(unseen));
        self.worst.get(place(unseen))?.get_or_init(made).as_ref()
    }

    /// See [`Policy::at_best`].
    pub(super) fn at_best(&self, unseen: Unseen) -> &Policy {
        let made = || owned(self.policy.at_best(unseen));
        let best = self.best.get(place(unseen)).and_then(|it| it.get_or_init(made).as_ref());
        best.unwrap_or(&self.policy)
    }
}

fn owned(policy: std::borrow::Cow<'_, Policy>) -> Option<Policy> {
    match policy {
        std::borrow::Cow::Owned(policy) => Some(policy),
        std::borrow::Cow::Borrowed(_) => None,
    }
}

/// All policies of a replay.
pub(super) struct Sides<'m> {
    machine: &'m LocalMachine,
    /// The policy given on the command line, with those above its layer.
    given: Option<Rc<Side>>,
    /// Present policies by folders.
    here: HashMap<Vec<String>, Rc<Side>>,
    /// Old policies by name.
    then: HashMap<String, Option<Rc<Side>>>,
}

/// Maximum number kept.
const MOST: usize = 512;

impl<'m> Sides<'m> {
    pub(super) fn new(
        machine: &'m LocalMachine,
        file: Option<&Path>,
    ) -> Result<Self, CommandError> {
        let mut given = None;
        if let Some(file) = file {
            let alone = policies::of_file(file)?;
            if let Some(fault) = alone.broken.first() {
                return Err(CommandError::usage(fault));
            }
            let file = policies::named_file(file);
            let policy = if file.layer == Layer::Project {
                // A project only tightens what the user's policies say.
                let mut files = policies::find(&machine.folders, &[]);
                files.push(file);
                policies::compile(&files)
            } else {
                alone
            };
            given = Some(Rc::new(Side::new(policy, String::new())));
        }
        Ok(Self { machine, given, here: HashMap::new(), then: HashMap::new() })
    }

    /// The policy to judge by in these folders.
    pub(super) fn new_at(&mut self, places: &[&str]) -> Rc<Side> {
        match &self.given {
            Some(given) => Rc::clone(given),
            None => self.holds(places),
        }
    }

    /// The present policy of these folders.
    fn holds(&mut self, places: &[&str]) -> Rc<Side> {
        let key: Vec<String> = places.iter().map(|place| (*place).to_owned()).collect();
        if let Some(known) = self.here.get(&key) {
            return Rc::clone(known);
        }
        let loaded = policies::load(&self.machine.folders, places);
        let id = loaded.name();
        let side = Rc::new(Side::new(loaded.policy, id));
        if self.here.len() >= MOST {
            self.here.clear();
        }
        self.here.insert(key, Rc::clone(&side));
        side
    }

    /// The old policy, if it is the present one or was kept.
    pub(super) fn old(&mut self, id: &str, places: &[&str], new: &Rc<Side>) -> Option<Rc<Side>> {
        if id.is_empty() || id == new.id {
            return Some(Rc::clone(new)).filter(|_| !id.is_empty());
        }
        if let Some(Some(known)) = self.then.get(id) {
            return Some(Rc::clone(known));
        }
        let here = self.holds(places);
        // A failed lookup is cached; another folder may still have it.
        let found = if here.id == id {
            Some(here)
        } else if self.then.contains_key(id) {
            None
        } else {
            self.kept(id)
        };
        if self.then.len() >= MOST {
            self.then.clear();
        }
        self.then.insert(id.to_owned(), found.clone());
        found
    }

    fn kept(&self, id: &str) -> Option<Rc<Side>> {
        if id == Preset::Recommended.as_str() {
            return Some(Rc::new(Side::new(Policy::preset(Preset::Recommended), id.to_owned())));
        }
        let policy = policies::kept(&self.machine.folders, id)?;
        Some(Rc::new(Side::new(policy, id.to_owned())))
    }
}
