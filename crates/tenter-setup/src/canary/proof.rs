//! Proves the hooks of one file: static checks, then canaries.

use std::path::PathBuf;

use serde::Serialize;
use tenter_files::Whose;
use tenter_hosts::install::Scope;
use tenter_model::HostId;

use super::flight::Flight;
use super::launch::Stage;
use super::static_checks;
use crate::edit::{Format, FoundHook};
use crate::files::{LARGEST, Ledger};
use crate::survey::{Content, HookFile, HostState};
use crate::{command, void};

/// Severity of a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum ProofLevel {
    #[serde(rename = "none")]
    Green,
    #[serde(rename = "warning")]
    Amber,
    #[serde(rename = "error")]
    Red,
}

/// A problem, and its fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The check of `tenter doctor` that reports the same; `not-proved` where only a canary can tell.
    pub id: &'static str,
    pub level: ProofLevel,
    pub text: String,
    /// The fix; empty if there is none.
    pub fix: String,
    /// Whether only the user's approval in the host is missing.
    #[serde(skip)]
    pub awaits_approval: bool,
}

const NOT_PROVED: &str = "not-proved";

impl Reason {
    pub fn red(text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::of(ProofLevel::Red, text.into(), fix.into())
    }

    pub fn amber(text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::of(ProofLevel::Amber, text.into(), fix.into())
    }

    fn of(level: ProofLevel, text: String, fix: String) -> Self {
        Self { id: NOT_PROVED, level, text, fix, awaits_approval: false }
    }
}

/// Canary results of one entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    pub event: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    pub line: usize,
    /// Whether the event can block.
    pub gate: bool,
    /// Whether the canary's token came back, so our hook ran.
    pub fired: bool,
    /// `None` for events that cannot block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied: Option<bool>,
    pub allowed: bool,
    /// The policy's decision on a catastrophic command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<&'static str>,
}

/// Result for one file.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    #[serde(serialize_with = "as_text")]
    pub host: HostId,
    #[serde(serialize_with = "as_text")]
    pub scope: Scope,
    pub file: PathBuf,
    pub wired: bool,
    pub events: Vec<Event>,
    pub reasons: Vec<Reason>,
}

fn as_text<S: serde::Serializer>(
    value: &impl std::fmt::Display,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

impl Proof {
    pub fn level(&self) -> ProofLevel {
        self.reasons.iter().map(|reason| reason.level).max().unwrap_or(ProofLevel::Green)
    }

    fn all(&self, holds: impl Fn(&Event) -> bool) -> bool {
        let mut gates = self.events.iter().filter(|event| event.gate).peekable();
        gates.peek().is_some() && gates.all(holds)
    }

    /// Whether our hook ran at every gate.
    pub fn fired(&self) -> bool {
        self.all(|event| event.fired)
    }

    pub fn denied(&self) -> bool {
        self.all(|event| event.denied == Some(true))
    }

    pub fn allowed(&self) -> bool {
        self.all(|event| event.allowed)
    }
}

/// Proves one file of a host; `None` for a file without our hooks. `distrust` says why the host does not
/// trust an entry.
pub fn prove(
    file: &HookFile,
    state: &HostState,
    stage: &Stage<'_>,
    ledger: &Ledger,
    distrust: &dyn Fn(&HookFile, &FoundHook) -> Option<Reason>,
) -> Option<Proof> {
    let again = command::install_again(file.host, file.scope);
    let mut proof = Proof {
        host: file.host,
        scope: file.scope,
        file: file.path.clone(),
        wired: false,
        events: Vec::new(),
        reasons: Vec::new(),
    };
    let known = ledger.entry(&file.path).or_else(|| ledger.named(&file.path));
    let written = known.is_some();
    let place = file.path.display();
    let entries = entries(file);
    let reason = match &file.content {
        Content::Missing if written => {
            Reason::red(format!("{place} was wired and is no longer there"), again)
        }
        Content::Unreadable(why) if written => {
            let fix = format!("{} && {again}", command::make_room(&file.path));
            Reason::red(format!("{place} cannot be read: {why}"), fix)
        }
        Content::Broken(fault) if written || mentions_in_file(file) => {
            let text = format!("{place} cannot be parsed, and so no hook in it runs: {fault}");
            Reason::red(text, format!("by hand: mend it there, then: {again}"))
        }
        Content::Hooks { .. } if entries.is_empty() && written => {
            let text = format!("{place} was wired, and nothing of tenter is left in it");
            Reason::red(text, again)
        }
        Content::Hooks { .. } if !entries.is_empty() => {
            proof.wired = true;
            judge(&mut proof, file, state, stage, ledger, &entries, distrust);
            return Some(proof);
        }
        _ => return None,
    };
    proof.reasons.push(reason);
    Some(proof)
}

/// The hooks of a file that run tenter, directly or in some other form.
pub fn entries(file: &HookFile) -> Vec<&FoundHook> {
    let ours: Vec<&FoundHook> = file.ours().map(|(found, _)| found).collect();
    // A command that only mentions tenter counts if no other runs it: it may be our altered entry.
    let is_lost = |found: &FoundHook| {
        mentions_us(found.command()) && !ours.iter().any(|it| it.event == found.event)
    };
    let is_ours = |found: &&FoundHook| command::ours(found).is_some() || is_lost(found);
    file.hooks().iter().filter(is_ours).collect()
}

/// Whether a command is not exactly ours but mentions tenter.
fn mentions_us(command: Option<&str>) -> bool {
    command.is_some_and(|command| command.contains("tenter") && command.contains(" hook "))
}

fn mentions_in_file(file: &HookFile) -> bool {
    let text = tenter_files::start(&file.path, LARGEST, Whose::Anyone).unwrap_or_default();
    mentions_us(Some(&String::from_utf8_lossy(&text)))
}

fn judge(
    proof: &mut Proof,
    file: &HookFile,
    state: &HostState,
    stage: &Stage<'_>,
    ledger: &Ledger,
    entries: &[&FoundHook],
    distrust: &dyn Fn(&HookFile, &FoundHook) -> Option<Reason>,
) {
    let install = tenter_hosts::host(file.host).install();
    if let Some(switch) = state.silenced(file.scope) {
        let text = format!("{} in {} turns these hooks off", switch.what, switch.path.display());
        proof.reasons.push(Reason::red(text, switch.fix.clone()));
    }
    let version = state.here.version.as_deref();
    proof.reasons.extend(static_checks::void(file, version, stage.places));
    for new in void::too_new(state, file).into_iter().filter(|new| new.voids) {
        let (what, fix) = new.told(state, file);
        proof.reasons.push(Reason::red(format!("{what}; the whole file may be dropped"), fix));
    }
    // A mistake in the host's configuration also affects the files beside it.
    let beside = state.in_scope(file.scope).filter(|it| it.path != file.path);
    for other in beside.filter(|it| it.format == Format::Toml) {
        if let Content::Broken(fault) = &other.content {
            let text =
                format!("{}, {fault}; {} does not start", other.path.display(), install.title);
            proof.reasons.push(Reason::red(text, "by hand: mend it there"));
        }
        proof.reasons.extend(static_checks::void(other, version, stage.places));
    }
    proof.reasons.extend(static_checks::gates(file, install, state, entries));
    let is_chosen = file.text().is_some_and(|text| ledger.is_untouched(&file.path, text));
    for found in entries {
        let ours = command::ours(found);
        let mut reasons = static_checks::entry(file, found, ours.as_ref(), stage.places);
        reasons.extend(distrust(file, found));
        let is_gate = static_checks::is_gate(file.host, &found.event);
        let flight = Flight { file, found, ours: ours.as_ref(), stage, is_gate, is_chosen };
        proof.events.push(flight.take(&mut reasons));
        if !is_gate {
            // Problems of record-only events are warnings.
            for reason in &mut reasons {
                reason.level = reason.level.min(ProofLevel::Amber);
            }
        }
        for reason in reasons {
            add(&mut proof.reasons, reason);
        }
    }
    // The fix of an error fixes this too.
    let fixes: Vec<String> = proof
        .reasons
        .iter()
        .filter(|it| it.level == ProofLevel::Red)
        .map(|it| it.fix.clone())
        .collect();
    proof.reasons.retain(|reason| reason.level == ProofLevel::Red || !fixes.contains(&reason.fix));
    proof.reasons.sort_by_key(|reason| std::cmp::Reverse(reason.level));
}

/// Adds a reason once: most problems affect several events.
fn add(reasons: &mut Vec<Reason>, reason: Reason) {
    let bare = |reason: &Reason| {
        let text = reason.text.as_str();
        text.split_once(": ").map_or(text, |(_, rest)| rest).to_owned()
    };
    let known = reasons.iter().any(|known| {
        known.level >= reason.level && known.fix == reason.fix && bare(known) == bare(&reason)
    });
    if !known {
        reasons.push(reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Places;
    use crate::detect::Presence;
    use crate::files::{self, Change};
    use crate::survey;
    use tenter_hosts::install::System;

    fn places(folder: &std::path::Path) -> Places {
        Places {
            system: System::HERE,
            root: folder.join("root"),
            home: Some(folder.to_owned()),
            project: Some(folder.join("shop")),
            variables: std::collections::BTreeMap::new(),
            path: None,
            state: Some(folder.join("state")),
            now: 1_700_000_000,
        }
    }

    /// The message about Claude Code's user file.
    fn said(places: &Places) -> Option<Proof> {
        let presence = [(HostId::Claude, Presence::default())];
        let survey = survey::survey(places, &presence);
        let state = survey.host(HostId::Claude).unwrap();
        let file = state.in_scope(Scope::User).find(|file| !file.read_only).unwrap();
        let stage = Stage::new(places, places.home.as_deref().unwrap());
        let ledger = files::ledger(places).unwrap();
        prove(file, state, &stage, &ledger, &|_, _| None)
    }

    #[test]
    fn what_we_wrote_and_somebody_took_out_is_missed() {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path());
        let path = folder.path().join(".claude/settings.json");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = |command: &str| {
            let handler = serde_json::json!({ "type": "command", "command": command });
            serde_json::json!({ "hooks": { "PreToolUse": [{ "hooks": [handler] }] } }).to_string()
        };
        std::fs::write(&path, text("true")).unwrap();
        assert!(said(&places).is_none(), "a file of others is none of ours");
        let change = Change {
            path: path.clone(),
            before: Some(text("true")),
            after: Some(text("/no/where/tenter hook claude")),
        };
        files::apply(&[change], &|_, _| Ok(()), &places).unwrap();
        assert!(said(&places).unwrap().wired);
        let red = |what: &str| {
            let proof = said(&places).unwrap();
            assert_eq!((proof.level(), proof.wired), (ProofLevel::Red, false), "{proof:?}");
            assert!(proof.reasons[0].text.contains(what), "{proof:?}");
        };
        std::fs::write(&path, text("true")).unwrap();
        red("nothing of tenter is left in it");
        std::fs::write(&path, "{").unwrap();
        red("cannot be parsed");
        std::fs::remove_file(&path).unwrap();
        red("is no longer there");
    }
}
