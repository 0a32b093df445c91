//! Merges options and allow lists of guards.

use super::Merge;
use crate::guard::{Guard, OptionKind, OptionSpec};
use crate::guards::GUARDS;
use crate::level::Level;
use crate::policy::source::{Source, Told};
use crate::policy::{Given, Layer, Origin, Value};

/// A value set by a layer.
struct Said<'m> {
    source: &'m Source,
    told: &'m Told<Value>,
}

impl Merge<'_> {
    /// Whether a layer may allow more: no higher layer has set the value, and it is not the project.
    pub(super) fn may_loosen(&self, layer: Layer, guard: usize, check: Option<usize>) -> bool {
        if layer == Layer::Project {
            return false;
        }
        let Some(it) = GUARDS.get(guard) else {
            return false;
        };
        let set = |check: usize| {
            self.above(layer, guard, check).is_some_and(|(level, _)| level > Level::Off)
        };
        let by_option = || {
            let sources = self.sources.iter().filter(|source| source.layer < layer);
            let lines = sources.flat_map(|source| &source.guards).filter(|it| it.guard == guard);
            lines
                .flat_map(|lines| &lines.options)
                .any(|(_, told)| matches!(told.value, Value::Level(level) if level > Level::Off))
        };
        match check {
            Some(check) => !set(check),
            None => !(0..it.checks.len()).any(set) && !by_option(),
        }
    }

    pub(super) fn options(&mut self) {
        for (index, guard) in GUARDS.iter().enumerate() {
            let allow = self.allow(index, guard);
            let mut options = Vec::new();
            let mut origins = Vec::new();
            for (place, spec) in guard.options.iter().enumerate() {
                let value = if spec.name == "allow" {
                    let value = Some(Value::Patterns(allow.clone())).filter(|_| !allow.is_empty());
                    value.map(|value| (value, Origin::BuiltIn))
                } else {
                    self.option(index, place, guard, spec)
                };
                if let Some((value, origin)) = value {
                    options.push((spec.name.to_owned(), value));
                    origins.push(origin);
                }
            }
            if let Some(setting) = self.policy.settings.get_mut(index) {
                setting.allow = allow;
                setting.options = options;
                setting.origins = origins;
            }
        }
    }

    fn given(
        &mut self,
        guard: &Guard,
        name: &str,
        value: &Value,
        source: &Source,
        told: super::Place,
    ) {
        let key = format!("guards.{}.{name}", guard.id);
        let origin = source.origin(told);
        self.policy.given.push(Given { key, value: value.to_string(), origin });
    }

    fn refuse(&mut self, guard: &Guard, name: &str, source: &Source, at: super::Place) {
        let why = if source.layer == Layer::Project {
            "a project policy can only tighten".to_owned()
        } else {
            format!("`{}` is set by a policy above the {} policy", guard.id, source.layer)
        };
        let message = format!("`{name}` is not used: it could let something through, and {why}");
        self.warn(source, at, format!("guards.{}.{name}", guard.id), message);
    }

    fn allow(&mut self, index: usize, guard: &Guard) -> Vec<String> {
        let mut all = Vec::new();
        for source in self.sources {
            let may = self.may_loosen(source.layer, index, None);
            for lines in source.guards.iter().filter(|lines| lines.guard == index) {
                for told in &lines.allow {
                    if !may {
                        self.refuse(guard, "allow", source, told.at);
                        break;
                    }
                    let value = Value::Patterns(vec![told.value.clone()]);
                    self.given(guard, "allow", &value, source, told.at);
                    add(&mut all, &told.value);
                }
            }
        }
        all
    }

    fn option(
        &mut self,
        index: usize,
        place: usize,
        guard: &Guard,
        spec: &OptionSpec,
    ) -> Option<(Value, Origin)> {
        let mut said = Vec::new();
        for source in self.sources {
            for lines in source.guards.iter().filter(|lines| lines.guard == index) {
                let told = lines.options.iter().filter(|(option, _)| *option == place);
                said.extend(told.map(|(_, told)| Said { source, told }));
            }
        }
        let mut value = None;
        let mut origin = Origin::BuiltIn;
        for Said { source, told } in said {
            let may = !spec.loosens || self.may_loosen(source.layer, index, None);
            match joined(value.as_ref(), &told.value, spec, may) {
                Some(new) => {
                    if value.as_ref() != Some(&new) {
                        self.given(guard, spec.name, &told.value, source, told.at);
                        origin = source.origin(told.at);
                    }
                    value = Some(new);
                }
                None => self.refuse(guard, spec.name, source, told.at),
            }
        }
        value.map(|value| (value, origin))
    }
}

/// Combines a value with one from a lower layer; `None` if the latter is ignored. `may` says whether it
/// counts even if it allows more.
fn joined(above: Option<&Value>, below: &Value, spec: &OptionSpec, may: bool) -> Option<Value> {
    match (spec.kind, above, below) {
        (OptionKind::Patterns, above, Value::Patterns(more)) if may => {
            let mut all = match above {
                Some(Value::Patterns(patterns)) => patterns.clone(),
                _ => Vec::new(),
            };
            for pattern in more {
                add(&mut all, pattern);
            }
            Some(Value::Patterns(all))
        }
        // A stricter value counts from any layer.
        (OptionKind::Level, Some(Value::Level(above)), Value::Level(below)) => {
            (below >= above).then_some(Value::Level(*below))
        }
        (OptionKind::Switch, Some(Value::Switch(above)), Value::Switch(below)) => {
            // A switch that loosens is stricter when off.
            let tight = if spec.loosens { *above && *below } else { *above || *below };
            (tight == *below).then_some(Value::Switch(tight))
        }
        (OptionKind::Number, Some(above), below) => (above == below).then(|| below.clone()),
        (_, None, below) if may => Some(below.clone()),
        (OptionKind::Switch, None, Value::Switch(false)) => Some(Value::Switch(false)),
        _ => None,
    }
}

fn add(all: &mut Vec<String>, pattern: &str) {
    if !all.iter().any(|known| known == pattern) {
        all.push(pattern.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joins(
        kind: OptionKind,
        loosens: bool,
        above: Option<&Value>,
        below: &Value,
        may: bool,
    ) -> Option<Value> {
        let spec = OptionSpec { name: "x", kind, title: "", loosens };
        joined(above, below, &spec, may)
    }

    fn list(words: &str) -> Value {
        Value::Patterns(words.split(' ').map(str::to_owned).collect())
    }

    #[test]
    fn lists_grow_unless_they_let_something_through() {
        let kind = OptionKind::Patterns;
        assert_eq!(joins(kind, false, None, &list("a"), true), Some(list("a")));
        assert_eq!(joins(kind, false, Some(&list("a b")), &list("b c"), true), Some(list("a b c")));
        assert_eq!(joins(kind, true, Some(&list("a")), &list("b"), false), None);
        assert_eq!(joins(kind, true, None, &list("b"), false), None);
    }

    #[test]
    fn levels_and_switches_tighten_from_anywhere() {
        let level = |above: Option<Level>, below: Level, may: bool| {
            joins(
                OptionKind::Level,
                true,
                above.map(Value::Level).as_ref(),
                &Value::Level(below),
                may,
            )
        };
        assert_eq!(level(Some(Level::Log), Level::Deny, false), Some(Value::Level(Level::Deny)));
        assert_eq!(level(Some(Level::Ask), Level::Log, true), None);
        assert_eq!(level(None, Level::Off, false), None);
        assert_eq!(level(None, Level::Off, true), Some(Value::Level(Level::Off)));
        let switch = |loosens: bool, above: Option<bool>, below: bool, may: bool| {
            let value = joins(
                OptionKind::Switch,
                loosens,
                above.map(Value::Switch).as_ref(),
                &Value::Switch(below),
                may,
            );
            value.map(|value| value == Value::Switch(true))
        };
        // A switch that tightens when on.
        assert_eq!(switch(false, Some(true), false, true), None);
        assert_eq!(switch(false, Some(false), true, true), Some(true));
        // A switch that loosens when on.
        assert_eq!(switch(true, Some(false), true, true), None);
        assert_eq!(switch(true, Some(true), false, false), Some(false));
        assert_eq!(switch(true, None, true, false), None);
        assert_eq!(switch(true, None, true, true), Some(true));
    }

    #[test]
    fn the_first_number_from_the_top_holds() {
        let number = |above: Option<u64>, below: u64, may: bool| {
            joins(
                OptionKind::Number,
                true,
                above.map(Value::Number).as_ref(),
                &Value::Number(below),
                may,
            )
        };
        assert_eq!(number(None, 3, true), Some(Value::Number(3)));
        assert_eq!(number(None, 3, false), None);
        assert_eq!(number(Some(2), 3, true), None);
        assert_eq!(number(Some(3), 3, true), Some(Value::Number(3)));
    }
}
