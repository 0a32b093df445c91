//! Merges rules, exceptions and handlers of all layers.

use super::{Merge, Place};
use crate::guards::GUARDS;
use crate::level::Level;
use crate::policy::problem::unknown;
use crate::policy::rule::On;
use crate::policy::source::{Source, Told};
use crate::policy::{Exception, Layer};

impl Merge<'_> {
    /// A rule from a higher layer stays; one of the same name from a lower layer is added where it is
    /// stricter.
    pub(super) fn rules(&mut self) {
        for source in self.sources {
            for told in &source.rules {
                let rule = &told.value;
                self.misspelt(source, told.at, "rule.on", &rule.on);
                let same = self.policy.rules.iter().filter(|other| {
                    other.id == rule.id && other.origin.layer() < Some(source.layer)
                });
                let above = same.max_by_key(|other| other.level);
                if let Some(above) = above.filter(|above| rule.level <= above.level) {
                    let by = above.origin.layer().map_or("built-in", Layer::as_str);
                    let message = format!(
                        "the rule `{}` of the {by} policy decides {} and stays; this one is not used",
                        rule.id, above.level
                    );
                    self.warn(source, told.at, "rule.id".to_owned(), message);
                } else if rule.level != Level::Off {
                    self.policy.rules.push(rule.clone());
                }
            }
        }
    }

    /// Warns about tool names that look misspelt.
    fn misspelt(&mut self, source: &Source, at: Place, key: &str, on: &On) {
        if let Some((tool, meant)) = on.misspelt() {
            let message = format!("no tool is called `{tool}` here; did you mean `{meant}`?");
            self.warn(source, at, key.to_owned(), message);
        }
    }

    pub(super) fn exceptions(&mut self) {
        for source in self.sources {
            for told in &source.exceptions {
                match self.refused(source, told) {
                    None => self.policy.exceptions.push(told.value.clone()),
                    Some(message) => {
                        self.warn(source, told.at, "allow.rule".to_owned(), message);
                    }
                }
            }
        }
    }

    /// Why an exception is ignored, if it is.
    fn refused(&self, source: &Source, told: &Told<Exception>) -> Option<String> {
        let rule = told.value.rule.as_str();
        if source.layer == Layer::Project {
            let why = "a project policy can only tighten";
            return Some(format!("the exception for `{rule}` is not used: {why}"));
        }
        let (name, check) = rule.split_once('/').unwrap_or((rule, ""));
        let Some(index) = GUARDS.iter().position(|guard| guard.id == name) else {
            return self.refused_rule(source, rule);
        };
        let checks = GUARDS.get(index).map_or(&[][..], |guard| guard.checks);
        let check = checks.iter().position(|it| it.id == check);
        (!self.may_loosen(source.layer, index, check)).then(|| {
            format!(
                "the exception for `{rule}` is not used: `{name}` is set by a policy above the {} policy",
                source.layer
            )
        })
    }

    fn refused_rule(&self, source: &Source, id: &str) -> Option<String> {
        let rules =
            || self.sources.iter().flat_map(|it| it.rules.iter().map(move |rule| (it, rule)));
        let above = rules().find(|(it, rule)| rule.value.id == id && it.layer < source.layer);
        if let Some((above, _)) = above {
            return Some(format!(
                "the exception for `{id}` is not used: the rule is one of the {} policy",
                above.layer
            ));
        }
        if rules().any(|(_, rule)| rule.value.id == id) {
            return None;
        }
        let guards = GUARDS.iter().map(|guard| guard.id);
        let names: Vec<&str> =
            // Compare with the first ones only: comparing each exception with all takes long.
            guards.chain(rules().map(|(_, rule)| rule.value.id.as_str()).take(256)).collect();
        Some(unknown("guard or rule", id, "", &names))
    }

    pub(super) fn handlers(&mut self) {
        for source in self.sources {
            for told in &source.handlers {
                let id = &told.value.id;
                self.misspelt(source, told.at, "handler.on", &told.value.on);
                let same = |it: &&crate::policy::Handler| it.id == *id;
                match self.policy.handlers.iter().find(same).and_then(|it| it.origin.layer()) {
                    None => self.policy.handlers.push(told.value.clone()),
                    Some(layer) => {
                        let message = format!(
                            "the handler `{id}` of the {layer} policy stays; this one is not used"
                        );
                        self.warn(source, told.at, "handler.id".to_owned(), message);
                    }
                }
            }
        }
    }
}
