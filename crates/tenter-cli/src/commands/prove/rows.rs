//! The rows of the proof: every file that is wired, and every host that is here and is not.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde::Serialize;
use tenter_hosts::install::Scope;
use tenter_model::HostId;
use tenter_setup::Places;
use tenter_setup::canary::{self, Event, Level, Proof, Reason, Stage};
use tenter_setup::codex_trust::{self, Status, Trust};
use tenter_setup::edit::Found;
use tenter_setup::files::Ledger;
use tenter_setup::survey::{Content, HookFile, HostState, Survey};
use tenter_setup::void;

use super::real::{self, Driven};
use super::{Real, Wanted};
use crate::guard::seen::{self, Seen};

/// One line of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Green,
    Amber,
    Red,
    /// The host is here and nobody has wired it.
    Unwired,
}

/// What is said of one file of a host.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a key of its own for who reads the JSON"
)]
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    #[serde(serialize_with = "as_text")]
    pub(super) host: HostId,
    /// Missing for a host that is not wired anywhere.
    pub(super) scope: Option<&'static str>,
    pub(super) wired: bool,
    /// The canary's token came back at every gate.
    pub(super) fired: bool,
    pub(super) denied: bool,
    pub(super) allowed: bool,
    pub(super) real_client: &'static str,
    pub(super) state: State,
    /// The gravest of the reasons; empty when all is green.
    pub(super) reason: String,
    pub(super) fix: String,
    pub(super) file: Option<PathBuf>,
    /// Milliseconds since 1970: when a session last reached the hook.
    pub(super) last_seen_ms: Option<u64>,
    /// What came of the real client, or why it was not driven.
    pub(super) real_client_note: String,
    pub(super) reasons: Vec<Reason>,
    pub(super) events: Vec<Event>,
}

fn as_text<S: serde::Serializer>(host: &HostId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(host)
}

pub(super) fn collect(wanted: &Wanted, survey: &Survey, places: &Places) -> Vec<Row> {
    let fallback = PathBuf::from(std::path::MAIN_SEPARATOR_STR);
    let cwd = places.project.as_ref().or(places.home.as_ref()).unwrap_or(&fallback);
    let ledger = tenter_setup::files::ledger(places).unwrap_or_default();
    let signs = places.state.as_deref().map(seen::all).unwrap_or_default();
    let stage = Stage::new(places, cwd);
    let is_wanted = |host| wanted.hosts.as_ref().is_none_or(|hosts| hosts.contains(&host));
    let mut rows = Vec::new();
    for state in survey.hosts.iter().filter(|state| is_wanted(state.host)) {
        let before = rows.len();
        let mut state = state.clone();
        if let Some((_, client)) = wanted.clients.iter().find(|(host, _)| *host == state.host) {
            // Whose version is not asked for here.
            state.here.version = None;
            state.here.program = Some(client.clone());
        }
        let state = &state;
        let prover = Prover { wanted, state, stage: &stage, ledger: &ledger, signs: &signs };
        rows.extend(prover.rows());
        if rows.len() == before {
            rows.extend(unwired(state, wanted));
        }
    }
    rows
}

/// A host without a hook of ours. Who names it wants to hear that it is not guarded.
fn unwired(state: &HostState, wanted: &Wanted) -> Option<Row> {
    let named = wanted.hosts.is_some();
    if !named && !state.is_here() {
        return None;
    }
    let scope = wanted.scope.unwrap_or(Scope::User);
    let again = format!("tenter install --hosts {} --scope {scope}", state.host);
    let broken = state.in_scope(scope).find_map(|file| match &file.content {
        Content::Broken(fault) => Some(format!("{}, {fault}", file.path.display())),
        Content::Unreadable(why) => Some(why.clone()),
        Content::Missing | Content::Hooks { .. } => None,
    });
    let (reason, fix) = match broken {
        Some(why) => {
            (format!("not wired, and cannot be: {why}"), format!("mend it, then: {again}"))
        }
        None => ("not wired".to_owned(), again),
    };
    Some(Row {
        host: state.host,
        scope: wanted.scope.map(Scope::as_str),
        wired: false,
        fired: false,
        denied: false,
        allowed: false,
        real_client: "skipped",
        state: if named { State::Red } else { State::Unwired },
        reason,
        fix,
        file: None,
        last_seen_ms: None,
        real_client_note: String::new(),
        reasons: Vec::new(),
        events: Vec::new(),
    })
}

/// All that is needed to prove the files of one host.
struct Prover<'p> {
    wanted: &'p Wanted,
    state: &'p HostState,
    stage: &'p Stage<'p>,
    ledger: &'p Ledger,
    signs: &'p [Seen],
}

impl Prover<'_> {
    fn rows(&self) -> Vec<Row> {
        let is_wanted =
            |file: &&HookFile| self.wanted.scope.is_none_or(|scope| scope == file.scope);
        let trust = match self.state.host {
            HostId::Codex => codex_trust::look(self.state, self.stage.places, self.stage.cwd),
            HostId::Cursor | HostId::Claude => Trust::default(),
        };
        let places = self.stage.places;
        let distrust = |file: &HookFile, found: &Found| {
            distrust(&trust, file, found, places)
                .filter(|reason| !reason.text.ends_with(UNLOADED) || !self.is_unread(file))
        };
        let files = self.state.files.iter().filter(is_wanted);
        files
            .filter_map(|file| {
                let proof = canary::prove(file, self.state, self.stage, self.ledger, &distrust)?;
                Some(self.row(file, proof))
            })
            .collect()
    }

    /// Why Codex has not loaded a file is said with what keeps it from it.
    fn is_unread(&self, file: &HookFile) -> bool {
        void::is_unread(self.state, file, self.stage.places)
    }

    fn row(&self, file: &HookFile, mut proof: Proof) -> Row {
        let driven = self.drive(file, &proof);
        if let Driven::Ran { .. } = &driven {
            proof.reasons.push(Reason::red(
                driven.note(),
                format!("tenter doctor, then tenter prove --hosts {}", file.host),
            ));
        }
        if matches!(driven, Driven::Unavailable(_)) && self.wanted.real == Real::Always {
            proof.reasons.push(Reason::red(driven.note(), "leave out --real always"));
        }
        if matches!(driven, Driven::Blocked { .. }) {
            // Whatever its files leave open, it did trust the hooks.
            proof.reasons.retain(|reason| !reason.text.contains(UNVERIFIED));
        }
        proof.reasons.extend(self.out_of_sight(file).filter(|_| proof.wired));
        let last_seen_ms = self.last_seen();
        let since = changed_ms(&file.path);
        let is_seen = last_seen_ms.is_some_and(|at| since.is_none_or(|since| at >= since));
        if proof.level() == Level::Green && !is_seen && !matches!(driven, Driven::Blocked { .. }) {
            proof.reasons.push(never_seen(file, last_seen_ms.is_some()));
        }
        proof.reasons.sort_by_key(|reason| std::cmp::Reverse(reason.level));
        let first = proof.reasons.first().cloned();
        Row {
            host: proof.host,
            scope: Some(proof.scope.as_str()),
            wired: proof.wired,
            fired: proof.fired(),
            denied: proof.denied(),
            allowed: proof.allowed(),
            real_client: driven.as_str(),
            state: match proof.level() {
                Level::Green => State::Green,
                Level::Amber => State::Amber,
                Level::Red => State::Red,
            },
            reason: first.as_ref().map(|reason| reason.text.clone()).unwrap_or_default(),
            fix: first.map(|reason| reason.fix).unwrap_or_default(),
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
        real::drive(file, self.state, self.stage)
    }

    /// Claude Code looks for the settings of a project in the folder where it is started, and nowhere above it.
    fn out_of_sight(&self, file: &HookFile) -> Option<Reason> {
        let of_project = file.host == HostId::Claude && file.scope == Scope::Project;
        let (here, project) = (self.wanted.cwd.as_ref()?, self.stage.places.project.as_ref()?);
        (of_project && here != project).then(|| {
            let text = format!(
                "Claude Code reads it only when it is started in {}, and not in {}",
                project.display(),
                here.display()
            );
            Reason::amber(text, "tenter install --hosts claude --scope user guards every folder")
        })
    }

    fn last_seen(&self) -> Option<u64> {
        let host = self.state.host;
        let own = self.signs.iter().filter(|sign| sign.host == host && sign.wired_as == host);
        own.map(|sign| sign.at_ms).max()
    }
}

/// That it works is not yet that it is used.
fn never_seen(file: &HookFile, before: bool) -> Reason {
    let title = tenter_hosts::host(file.host).install().title;
    let since = if before { " since the file was changed" } else { "" };
    let trusted = match (file.host, file.scope) {
        (HostId::Cursor, Scope::Project) => ", in a workspace that is trusted",
        _ => "",
    };
    Reason::amber(
        format!("it works, but no session of {title} has reached it{since}"),
        format!("use {title} once{trusted}, then look again"),
    )
}

const UNLOADED: &str = "Codex has not loaded it";
const UNVERIFIED: &str = "whether Codex trusts it is not known";

/// Why Codex does not run a hook.
fn distrust(trust: &Trust, file: &HookFile, found: &Found, places: &Places) -> Option<Reason> {
    let listed = trust.of(&file.path, found)?;
    let text = format!("{}: Codex does not trust it: it is {}", found.event, listed.status);
    match (listed.status.runs(), &listed.status) {
        (Some(true), _) => None,
        (Some(false), Status::ProjectUntrusted) => {
            let fix = "start `codex` in the project, trust the folder, then approve the hooks";
            Some(Reason::red(text, fix))
        }
        (Some(false), Status::Unlisted) => {
            let text = format!("{}: {UNLOADED}", found.event);
            Some(Reason::red(text, codex_trust::unlisted_hint(&file.path, file.scope, places)))
        }
        (Some(false), Status::Disabled) => {
            let text = format!("{}: Codex does not run it: it is {}", found.event, listed.status);
            let fix = "start `codex`, type /hooks, go to each of the events and press space";
            Some(Reason::red(text, fix))
        }
        (Some(false), _) => {
            let fix = "start `codex`, type /hooks and approve it; or tenter install --trust-codex";
            Some(Reason::red(text, fix))
        }
        (None, _) => {
            let text =
                format!("{}: whether Codex trusts it is not known: {}", found.event, listed.status);
            Some(Reason::amber(text, "start `codex` and look at /hooks"))
        }
    }
}

/// When a file was last changed, in milliseconds since 1970.
fn changed_ms(path: &Path) -> Option<u64> {
    let time = std::fs::metadata(path).ok()?.modified().ok()?;
    let since: Duration = time.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}
