//! Install options of a file: an install keeps those that are not given.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use tenter_hosts::install::{Install, Role};

use super::{Events, is_ours};
use crate::edit::FoundHook;
use crate::files::{Entry, Ledger};
use crate::survey::HookFile;

/// Matchers of tool events: for one event, or for all.
pub type Matchers = Vec<(Option<String>, String)>;

/// Options that decide how much of a host is guarded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    pub events: Events,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matchers: Matchers,
    /// Whether calls are allowed when tenter cannot be run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fail_open: bool,
}

/// Options given to one install; `None` if not given.
#[derive(Clone, Debug, Default)]
pub struct Given {
    pub events: Option<Events>,
    pub matchers: Option<Matchers>,
    pub fail_open: Option<bool>,
}

impl Given {
    /// The resulting options, and a note about those kept from an earlier install.
    pub(super) fn over(&self, kept: Choice) -> (Choice, Option<String>) {
        let mut words = Vec::new();
        if self.events.is_none() && kept.events != Events::Usual {
            words.push(format!("--events {}", kept.events));
        }
        if self.matchers.is_none() {
            words.extend(kept.matchers.iter().map(|(event, pattern)| match event {
                Some(event) => format!("--matcher '{event}:{pattern}'"),
                None => format!("--matcher '{pattern}'"),
            }));
        }
        if self.fail_open.is_none() && kept.fail_open {
            words.push("--fail-open".to_owned());
        }
        let choice = Choice {
            events: self.events.clone().unwrap_or(kept.events),
            matchers: self.matchers.clone().unwrap_or(kept.matchers),
            fail_open: self.fail_open.unwrap_or(kept.fail_open),
        };
        let said = (!words.is_empty()).then(|| {
            let mut said = format!("kept from the earlier install: {}", words.join(" "));
            // Writing to a string cannot fail.
            let _ = write!(
                said,
                " (--events usual, --matcher '*' and --fail-closed go back to the defaults)"
            );
            said
        });
        (choice, said)
    }
}

/// The install options of a file: from the ledger, or, for a file installed by an older version, from the
/// file itself, as far as that cannot weaken the guard.
pub fn wired(file: &HookFile, ledger: &Ledger) -> Choice {
    let entry = ledger.entry(&file.path).or_else(|| ledger.named(&file.path));
    if let Some(choice) = entry.and_then(|entry| entry.choice.clone()) {
        return choice;
    }
    let ours: Vec<&FoundHook> = file.hooks().iter().filter(|found| is_ours(found)).collect();
    let install = tenter_hosts::host(file.host).install();
    let untouched = |entry: &Entry| {
        file.text().is_some_and(|text| entry.wrote(text) && entry.written.is_some())
    };
    Choice {
        events: events(install, &ours),
        // A matcher written by somebody else would narrow the guard.
        matchers: if entry.is_some_and(untouched) { matchers(install, &ours) } else { Vec::new() },
        fail_open: false,
    }
}

fn events(install: &Install, ours: &[&FoundHook]) -> Events {
    let wires: Vec<_> = ours.iter().filter_map(|found| install.wire(&found.event)).collect();
    if !wires.is_empty() && wires.iter().all(|wire| wire.role == Role::Gate) {
        return Events::Gates;
    }
    let has = |event: &str| wires.iter().any(|wire| wire.event == event);
    let extra = install.others.iter().any(|wire| wire.twin.is_none() && has(wire.event));
    if extra && install.wires.iter().all(|wire| has(wire.event)) {
        return Events::Named(wires.iter().map(|wire| wire.event.to_owned()).collect());
    }
    // Fewer than usual: written for an older host, so the new ones are added.
    Events::Usual
}

fn matchers(install: &Install, ours: &[&FoundHook]) -> Matchers {
    let by_tool =
        ours.iter().filter(|found| install.wire(&found.event).is_some_and(|it| it.by_tool));
    let named = |found: &&&FoundHook| Some((Some(found.event.clone()), found.matcher.clone()?));
    let all: Matchers = by_tool.clone().filter_map(|found| named(&found)).collect();
    let first = all.first().map(|(_, pattern)| pattern.clone());
    match first {
        Some(same) if all.len() == by_tool.count() && all.iter().all(|(_, it)| *it == same) => {
            vec![(None, same)]
        }
        _ => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(event: &str, matcher: Option<&str>) -> FoundHook {
        let fields = json!({ "type": "command", "command": "/usr/bin/tenter hook claude" });
        let matcher = matcher.map(str::to_owned);
        FoundHook { event: event.to_owned(), group: 0, handler: 0, matcher, fields, line: 1 }
    }

    #[test]
    fn what_is_given_counts_and_the_rest_is_kept_and_said() {
        let kept = Choice {
            events: Events::Gates,
            matchers: vec![(None, "Bash".into())],
            fail_open: true,
        };
        let (choice, said) = Given::default().over(kept.clone());
        assert_eq!(choice, kept);
        let said = said.unwrap();
        for word in ["--events gates", "--matcher 'Bash'", "--fail-open"] {
            assert!(said.contains(word), "{said}");
        }
        let given = Given {
            events: Some(Events::Usual),
            matchers: Some(Vec::new()),
            fail_open: Some(false),
        };
        assert_eq!(given.over(kept), (Choice::default(), None));
    }

    #[test]
    fn an_older_file_tells_its_options() {
        let install = tenter_hosts::host(tenter_model::HostId::Claude).install();
        let gates = [found("PreToolUse", None), found("UserPromptSubmit", None)];
        let gates: Vec<&FoundHook> = gates.iter().collect();
        assert_eq!(events(install, &gates), Events::Gates);
        let usual: Vec<FoundHook> = install.wires.iter().map(|it| found(it.event, None)).collect();
        let mut usual: Vec<&FoundHook> = usual.iter().collect();
        assert_eq!(events(install, &usual), Events::Usual);
        assert_eq!(events(install, usual.get(..4).unwrap()), Events::Usual, "it is completed");
        let more = found("Notification", None);
        usual.push(&more);
        assert!(
            matches!(events(install, &usual), Events::Named(names) if names.len() == usual.len())
        );
        let narrow = [found("PreToolUse", Some("Bash")), found("PostToolUse", Some("Bash"))];
        let narrow: Vec<&FoundHook> = narrow.iter().collect();
        assert_eq!(matchers(install, &narrow), vec![(None, "Bash".to_owned())]);
    }
}
