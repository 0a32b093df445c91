//! Builds the rows of the proof: every installed file, and every detected host without one.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde::Serialize;
use tenter_hosts::install::Scope;
use tenter_model::HostId;
use tenter_setup::Places;
use tenter_setup::canary::{self, Event, Proof, ProofLevel, Reason, Stage};
use tenter_setup::codex_trust::{self, Status, Trust};
use tenter_setup::doctor::{self, Diagnosis, Exam, Facts, Finding, Selection, Severity};
use tenter_setup::edit::FoundHook;
use tenter_setup::survey::{HookFile, HostState, Survey};
use tenter_setup::{command, void};

use super::super::doctor::gather;
use super::super::protection::{self, Protection};
use super::real::{self, Driven};
use super::{Real, Wanted};
use crate::error::CommandError;
use crate::guard::seen::{self, SignOfLife};

/// One row: a file of a host.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a key of its own for who reads the JSON"
)]
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    #[serde(serialize_with = "as_text")]
    pub(super) host: HostId,
    /// `None` for a host without our hooks.
    pub(super) scope: Option<&'static str>,
    pub(super) wired: bool,
    /// Whether the canary's token came back at every gate.
    pub(super) fired: bool,
    pub(super) denied: bool,
    pub(super) allowed: bool,
    pub(super) real_client: &'static str,
    pub(super) state: Protection,
    /// Whether the exit code depends on it: not for a host without our hooks that was not named.
    #[serde(skip)]
    pub(super) counts: bool,
    /// The most severe reason; empty if there is none.
    pub(super) reason: String,
    pub(super) fix: String,
    pub(super) file: Option<PathBuf>,
    /// Milliseconds since 1970: the last real call.
    pub(super) last_seen_ms: Option<u64>,
    /// Result of the real client, or why it was not driven.
    pub(super) real_client_note: String,
    pub(super) reasons: Vec<Reason>,
    pub(super) events: Vec<Event>,
}

fn as_text<S: serde::Serializer>(host: &HostId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(host)
}

pub(super) fn collect(
    wanted: &Wanted,
    survey: &Survey,
    places: &Places,
) -> Result<Vec<Row>, CommandError> {
    let survey = &with_clients(survey, wanted);
    let facts = gather::facts(wanted.cwd.as_deref(), places, survey)?;
    let selection = Selection {
        hosts: wanted.hosts.clone().unwrap_or_default(),
        scopes: wanted.scope.into_iter().collect(),
    };
    let diagnosis = doctor::diagnose(&Exam::new(places, survey, &facts), &selection);
    let fallback = PathBuf::from(std::path::MAIN_SEPARATOR_STR);
    let cwd = places.project.as_ref().or(places.home.as_ref()).unwrap_or(&fallback);
    let signs = places.state.as_deref().map(seen::all).unwrap_or_default();
    let stage = Stage::new(places, cwd);
    let is_wanted = |host| wanted.hosts.as_ref().is_none_or(|hosts| hosts.contains(&host));
    let mut rows = Vec::new();
    for state in survey.hosts.iter().filter(|state| is_wanted(state.host)) {
        let before = rows.len();
        let (stage, signs, diagnosis) = (&stage, signs.as_slice(), &diagnosis);
        let prover = Prover { wanted, state, stage, facts: &facts, signs, diagnosis };
        rows.extend(prover.rows());
        let missing: Vec<Row> = prover.missing(&rows);
        rows.extend(missing);
        if rows.len() == before {
            rows.extend(unwired(state, wanted));
        }
    }
    agree(&mut rows, &diagnosis);
    for row in &mut rows {
        row.settle();
        let reasons = row.reasons.iter_mut().map(|reason| &mut reason.fix);
        for fix in reasons.chain([&mut row.fix]) {
            *fix = command::printed(fix, &facts.running, places);
        }
    }
    Ok(rows)
}

/// Adds every error of `tenter doctor` to a row, preferably of its host, so that the two never disagree.
fn agree(rows: &mut [Row], diagnosis: &Diagnosis) {
    for finding in diagnosis.findings.iter().filter(|it| it.severity == Severity::Error) {
        let (id, fix) = (finding.check.id, &finding.fix);
        let told = |row: &Row| {
            row.reasons
                .iter()
                .any(|it| it.id == id && it.fix == *fix && it.level == ProofLevel::Red)
        };
        if id == "nothing-wired" || rows.iter().any(told) {
            continue;
        }
        let of_host = |row: &Row| finding.host.is_none_or(|host| host == row.host);
        let at = rows.iter().position(|row| row.wired && of_host(row));
        let at = at.or_else(|| rows.iter().position(|row| row.wired));
        let Some(row) = at.and_then(|at| rows.get_mut(at)) else { continue };
        add(&mut row.reasons, finding);
    }
}

impl Row {
    /// Sets the state by the reasons.
    fn settle(&mut self) {
        self.reasons.sort_by_key(|reason| std::cmp::Reverse(reason.level));
        if let Some(first) = self.reasons.first() {
            (self.reason, self.fix) = (first.text.clone(), first.fix.clone());
        }
        let errors = || self.reasons.iter().filter(|reason| reason.level == ProofLevel::Red);
        self.state = match errors().find(|reason| !reason.awaits_approval) {
            Some(reason) => Protection::No(reason.text.clone()),
            None if errors().next().is_some() => Protection::waiting(self.host),
            None if self.wired => Protection::Protected,
            None => Protection::No(self.reason.clone()),
        };
    }
}

/// The survey with the named clients, whose versions are not queried.
fn with_clients(survey: &Survey, wanted: &Wanted) -> Survey {
    let mut survey = survey.clone();
    for state in &mut survey.hosts {
        if let Some((_, client)) = wanted.clients.iter().find(|(host, _)| *host == state.host) {
            state.here.version = None;
            state.here.program = Some(client.clone());
        }
    }
    survey
}

/// A host without our hooks. Naming it explicitly makes that an error.
fn unwired(state: &HostState, wanted: &Wanted) -> Option<Row> {
    let named = wanted.hosts.is_some();
    if !named && !state.is_here() {
        return None;
    }
    let scope = wanted.scope.unwrap_or(Scope::User);
    let (reason, fix) = protection::unwired(state, scope);
    Some(Row {
        host: state.host,
        scope: wanted.scope.map(Scope::as_str),
        wired: false,
        fired: false,
        denied: false,
        allowed: false,
        real_client: "skipped",
        state: Protection::No(reason.clone()),
        counts: named,
        reason,
        fix,
        file: None,
        last_seen_ms: None,
        real_client_note: String::new(),
        reasons: Vec::new(),
        events: Vec::new(),
    })
}

/// Data for proving the files of one host.
struct Prover<'p> {
    wanted: &'p Wanted,
    state: &'p HostState,
    stage: &'p Stage<'p>,
    facts: &'p Facts,
    signs: &'p [SignOfLife],
    diagnosis: &'p Diagnosis,
}

impl Prover<'_> {
    fn rows(&self) -> Vec<Row> {
        let is_wanted =
            |file: &&HookFile| self.wanted.scope.is_none_or(|scope| scope == file.scope);
        let trust = self.facts.codex.clone().filter(|_| codex_trust::asks(self.state.host));
        let trust = trust.unwrap_or_default();
        let places = self.stage.places;
        let distrust = |file: &HookFile, found: &FoundHook| {
            distrust(&trust, file, found, places)
                .filter(|reason| !reason.text.ends_with(UNLOADED) || !self.is_unread(file))
        };
        let files = self.state.files.iter().filter(is_wanted);
        files
            .filter_map(|file| {
                let proof =
                    canary::prove(file, self.state, self.stage, &self.facts.ledger, &distrust)?;
                Some(self.row(file, proof))
            })
            .collect()
    }

    /// Why Codex has not loaded a file is reported with its cause.
    fn is_unread(&self, file: &HookFile) -> bool {
        void::is_unread(self.state, file, self.stage.places)
    }

    fn row(&self, file: &HookFile, mut proof: Proof) -> Row {
        for reason in &mut proof.reasons {
            let running = &self.facts.running;
            reason.fix = command::printed(&reason.fix, running, self.stage.places);
        }
        for finding in self.errors(file.host, file.scope) {
            add(&mut proof.reasons, finding);
        }
        let driven = self.drive(file, &proof);
        if let Driven::Ran { .. } = &driven {
            proof.reasons.push(Reason::red(
                driven.note(),
                format!("tenter doctor; tenter prove --hosts {}", file.host),
            ));
        }
        if matches!(driven, Driven::Unavailable(_)) && self.wanted.real == Real::Always {
            proof.reasons.push(Reason::red(driven.note(), "leave out --real always"));
        }
        if matches!(driven, Driven::Blocked { .. }) {
            // It did trust the hooks, whatever its files leave open.
            proof.reasons.retain(|reason| !reason.text.contains(UNVERIFIED));
        }
        let last_seen_ms = self.last_seen();
        let since = changed_ms(&file.path);
        let is_seen = last_seen_ms.is_some_and(|at| since.is_none_or(|since| at >= since));
        if proof.level() == ProofLevel::Green
            && !is_seen
            && !matches!(driven, Driven::Blocked { .. })
        {
            proof.reasons.push(never_seen(file, last_seen_ms.is_some()));
        }
        Row {
            host: proof.host,
            scope: Some(proof.scope.as_str()),
            wired: proof.wired,
            fired: proof.fired(),
            denied: proof.denied(),
            allowed: proof.allowed(),
            real_client: driven.as_str(),
            state: Protection::Protected,
            counts: true,
            reason: String::new(),
            fix: String::new(),
            file: Some(proof.file),
            last_seen_ms,
            real_client_note: driven.note(),
            reasons: proof.reasons,
            events: proof.events,
        }
    }

    fn drive(&self, file: &HookFile, proof: &Proof) -> Driven {
        if self.wanted.real == Real::Never {
            return Driven::Skipped("not asked for");
        }
        if !proof.wired {
            return Driven::Skipped("there is nothing of ours in the file");
        }
        match real::drive(file, self.state, self.stage) {
            // The user's own files have errors: reporting success would mislead.
            Driven::Blocked { client } if proof.level() == ProofLevel::Red => {
                Driven::Isolated { client }
            }
            driven => driven,
        }
    }

    /// The errors of `tenter doctor` about a guard, or about all.
    fn errors(&self, host: HostId, scope: Scope) -> impl Iterator<Item = &Finding> {
        let concerns = move |finding: &&Finding| {
            let about = match (finding.host, finding.scope) {
                (None, _) => finding.check.id != "nothing-wired",
                (Some(of), None) => of == host,
                (Some(of), Some(at)) => (of, at) == (host, scope),
            };
            finding.severity == Severity::Error && (about || finding.kills.contains(&(host, scope)))
        };
        self.diagnosis.findings.iter().filter(concerns)
    }

    /// Guards that should exist but have no file left to prove.
    fn missing(&self, rows: &[Row]) -> Vec<Row> {
        let host = self.state.host;
        let has = |scope: Scope| {
            rows.iter().any(|row| row.host == host && row.scope == Some(scope.as_str()))
        };
        let dead = self.diagnosis.guards.iter().filter(|guard| guard.host == host);
        let dead = dead.filter(|guard| !guard.dead.is_empty() && !has(guard.scope));
        let row = |guard: &doctor::Guard| {
            let mut row =
                unwired(self.state, &Wanted { hosts: Some(vec![host]), ..self.wanted.clone() })?;
            row.scope = Some(guard.scope.as_str());
            for finding in self.errors(host, guard.scope) {
                add(&mut row.reasons, finding);
            }
            (!row.reasons.is_empty()).then_some(row)
        };
        dead.filter_map(row).collect()
    }

    fn last_seen(&self) -> Option<u64> {
        let host = self.state.host;
        let own = self.signs.iter().filter(|sign| sign.host == host && sign.wired_as == host);
        own.map(|sign| sign.at_ms).max()
    }
}

/// Adds a finding of `tenter doctor`; if a canary found the same, only its id.
fn add(reasons: &mut Vec<Reason>, finding: &Finding) {
    if reasons.iter().any(|reason| reason.id == finding.check.id && reason.fix == finding.fix) {
        return;
    }
    let fresh = Reason::red("", "").id;
    let same = |reason: &&mut Reason| {
        reason.level == ProofLevel::Red && reason.id == fresh && reason.fix == finding.fix
    };
    if let Some(known) = reasons.iter_mut().find(same) {
        known.id = finding.check.id;
        return;
    }
    let place = finding.place.as_ref().map(|place| format!("{}: ", place.file.display()));
    let text = format!("{}{}", place.unwrap_or_default(), finding.message);
    reasons.push(Reason {
        id: finding.check.id,
        awaits_approval: finding.awaits_approval,
        ..Reason::red(text, finding.fix.clone())
    });
}

/// Working is not yet being used.
fn never_seen(file: &HookFile, before: bool) -> Reason {
    let install = tenter_hosts::host(file.host).install();
    let title = install.title;
    let since = if before { " since the file was changed" } else { "" };
    let trusted = if install.trusts_workspaces.contains(&file.scope) {
        ", in a workspace that is trusted"
    } else {
        ""
    };
    Reason::amber(
        format!("it works, but no session of {title} has reached it{since}"),
        format!("use {title} once{trusted}, then look again"),
    )
}

const UNLOADED: &str = "Codex has not loaded it";
const UNVERIFIED: &str = "whether Codex trusts it is not known";

/// Why Codex does not run a hook.
fn distrust(trust: &Trust, file: &HookFile, found: &FoundHook, places: &Places) -> Option<Reason> {
    let listed = trust.of(&file.path, found)?;
    let awaits_approval = listed.status.wants_approval();
    let text = format!("{}: Codex does not trust it: it is {}", found.event, listed.status);
    match (listed.status.runs(), &listed.status) {
        (Some(true), _) => None,
        (Some(false), Status::ProjectUntrusted) => {
            let fix =
                "by hand: start `codex` in the project, trust the folder, then approve the hooks";
            Some(Reason { awaits_approval, ..Reason::red(text, fix) })
        }
        (Some(false), Status::Unlisted) => {
            let text = format!("{}: {UNLOADED}", found.event);
            let hint = codex_trust::unlisted_hint(&file.path, file.scope, places);
            Some(Reason::red(text, format!("by hand: {hint}")))
        }
        (Some(false), Status::Disabled) => {
            let text = format!("{}: Codex does not run it: it is {}", found.event, listed.status);
            let fix =
                "by hand: start `codex`, type /hooks, go to each of the events and press space";
            Some(Reason::red(text, fix))
        }
        (Some(false), _) => {
            let fix = command::approve_again(file.host, file.scope, places);
            Some(Reason { awaits_approval, ..Reason::red(text, fix) })
        }
        (None, _) => {
            let text =
                format!("{}: whether Codex trusts it is not known: {}", found.event, listed.status);
            Some(Reason::amber(text, "start `codex` and look at /hooks"))
        }
    }
}

/// Modification time of a file, in milliseconds since 1970.
fn changed_ms(path: &Path) -> Option<u64> {
    let time = std::fs::metadata(path).ok()?.modified().ok()?;
    let since: Duration = time.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}
