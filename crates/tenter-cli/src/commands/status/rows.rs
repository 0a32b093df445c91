//! One row of the table: a host and a scope.

use std::path::Path;

use tenter_hosts::install::{Role, Scope, Unread};
use tenter_hosts::{Cap, Way};
use tenter_model::{Decision, Enforcement, HostId};
use tenter_policy::{Level, Policy};
use tenter_setup::codex_trust::{Status, Trust};
use tenter_setup::doctor::{self, Diagnosis, Sign};
use tenter_setup::survey::{Content, HookFile, HostState, Survey};
use tenter_setup::{Places, void};

use super::carriers::carriers;

/// How many of our hooks are installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wired {
    All,
    Some,
    None,
}

impl Wired {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Some => "some",
            Self::None => "none",
        }
    }
}

#[derive(Debug)]
pub(super) struct Row<'s> {
    pub(super) host: HostId,
    pub(super) scope: Scope,
    pub(super) version: Option<String>,
    /// Files with our hooks.
    pub(super) files: Vec<&'s Path>,
    pub(super) wired: Wired,
    pub(super) events: Vec<&'s str>,
    /// Number of events usually installed for this version.
    usual: usize,
    /// Those of them that are missing.
    pub(super) missing: Vec<&'static str>,
    /// `None` if unknown.
    pub(super) trusted: Option<String>,
    /// Whether the host refuses to run our hooks.
    refuses: bool,
    pub(super) fired: Vec<Fired<'s>>,
    pub(super) enforcement: Strength,
    pub(super) silenced: Option<String>,
    /// Why a program of our hooks cannot be run.
    pub(super) lifeless: Option<String>,
    /// Why files cannot be read or parsed.
    pub(super) broken: Vec<String>,
    /// Whether the host ignores a file with our hooks.
    void: bool,
    /// Checks of `tenter doctor` that found the guard not working, with their messages.
    pub(super) dead: Vec<(&'static str, String)>,
    /// Settings in places that we do not read.
    pub(super) unread: Option<&'s Unread>,
    /// Whether Cursor runs the hooks of Claude Code's settings too.
    pub(super) through_claude: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Fired<'s> {
    pub(super) event: &'s str,
    pub(super) at_ms: u64,
    pub(super) wired_as: HostId,
    /// Scopes it may have come through, including this one.
    pub(super) scopes: Vec<Scope>,
}

/// How far a host enforces decisions.
#[derive(Debug, Default)]
pub(super) struct Strength {
    /// Installed events that can block.
    pub(super) events: Vec<Gate>,
}

#[derive(Debug)]
pub(super) struct Gate {
    pub(super) event: &'static str,
    pub(super) deny: Enforcement,
    ask: Ask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    As(Decision),
    Level(Enforcement),
}

impl Gate {
    pub(super) const fn ask_word(&self) -> &'static str {
        match self.ask {
            Ask::As(decision) => decision.as_str(),
            Ask::Level(level) => level.as_str(),
        }
    }
}

/// The rows of a host for the requested scopes.
pub(super) fn of<'s>(
    state: &'s HostState,
    survey: &'s Survey,
    signs: &'s [Sign],
    trust: Option<&Trust>,
    only: Option<Scope>,
    places: &Places,
) -> Vec<Row<'s>> {
    let scopes = Scope::ALL.into_iter().filter(|scope| only.is_none_or(|only| only == *scope));
    scopes
        .filter(|scope| state.in_scope(*scope).next().is_some())
        .map(|scope| row(state, scope, survey, signs, trust, places))
        .collect()
}

fn row<'s>(
    state: &'s HostState,
    scope: Scope,
    survey: &'s Survey,
    signs: &'s [Sign],
    trust: Option<&Trust>,
    places: &Places,
) -> Row<'s> {
    let files: Vec<&HookFile> =
        state.in_scope(scope).filter(|file| file.ours().next().is_some()).collect();
    let mut events: Vec<&str> = Vec::new();
    for (found, _) in files.iter().flat_map(|file| file.ours()) {
        if !events.contains(&found.event.as_str()) {
            events.push(&found.event);
        }
    }
    let usual = usual(state);
    let missing = missing(state, &usual, &events);
    let wired = match (events.is_empty(), missing.is_empty()) {
        (true, _) => Wired::None,
        (false, true) => Wired::All,
        (false, false) => Wired::Some,
    };
    let programs = files.iter().flat_map(|file| file.ours().map(|(_, ours)| ours.program));
    let lifeless = programs.into_iter().find_map(|program| {
        let why = doctor::lifeless(&program, places)?;
        Some(format!("{} {why}", program.display()))
    });
    let is_here = |sign: &&Sign| wired != Wired::None && sign.host == state.host;
    let fired = signs.iter().filter(is_here).map(|sign| Fired {
        event: &sign.event,
        at_ms: sign.at_ms,
        wired_as: sign.wired_as,
        scopes: carriers(survey, sign),
    });
    let fired = fired.filter(|fired| fired.scopes.contains(&scope));
    let trusted = trust.and_then(|trust| trusted(&files, trust));
    let silenced = state.silenced(scope).filter(|_| wired != Wired::None);
    let mut broken: Vec<String> = state.in_scope(scope).filter_map(broken).collect();
    let void: Vec<String> =
        files.iter().filter_map(|file| void::reason(state, file, places)).collect();
    let is_void = !void.is_empty();
    broken.extend(void);
    Row {
        host: state.host,
        scope,
        version: state.here.version.clone(),
        files: files.iter().map(|file| file.path.as_path()).collect(),
        wired,
        usual: usual.len(),
        missing,
        refuses: trusted.as_ref().is_some_and(|(_, refuses)| *refuses),
        trusted: trusted.map(|(word, _)| word),
        fired: fired.collect(),
        enforcement: strength(state.host, &events),
        events,
        silenced: silenced.map(|switch| format!("{} in {}", switch.what, switch.path.display())),
        lifeless,
        broken,
        void: is_void,
        dead: Vec::new(),
        unread: state.unread.as_ref().filter(|_| scope == Scope::Managed),
        through_claude: is_read_too(state.host, survey, scope),
    }
}

/// Why no hook of a file can run, if so.
fn broken(file: &HookFile) -> Option<String> {
    let path = file.path.display();
    match &file.content {
        Content::Broken(fault) => Some(format!("{path}, {fault}")),
        Content::Unreadable(why) => Some(why.clone()),
        Content::Missing | Content::Hooks { .. } => None,
    }
}

/// Events usually installed for this version of the host.
fn usual(state: &HostState) -> Vec<&'static str> {
    let install = tenter_hosts::host(state.host).install();
    let version = state.here.version.as_deref();
    let known = install.wires.iter().filter(|wire| (install.knows)(wire, version));
    known.map(|wire| wire.event).collect()
}

/// Those that are not installed, directly or by an equivalent event.
fn missing(state: &HostState, usual: &[&'static str], events: &[&str]) -> Vec<&'static str> {
    let install = tenter_hosts::host(state.host).install();
    let stands_in = |event: &str| {
        install.others.iter().any(|it| it.twin == Some(event) && events.contains(&it.event))
    };
    usual.iter().copied().filter(|it| !events.contains(it) && !stands_in(it)).collect()
}

/// Whether our hooks are installed in another host whose user and project files this one reads too.
fn is_read_too(host: HostId, survey: &Survey, scope: Scope) -> bool {
    let also = tenter_hosts::host(host).install().also_reads.iter();
    let states = also.filter_map(|other| survey.host(*other));
    let mut files = states.flat_map(|state| state.in_scope(scope));
    scope != Scope::Managed && files.any(|file| file.ours().next().is_some())
}

/// Codex's approval state of our hooks in these files (the worst), and whether it runs none of them.
fn trusted(files: &[&HookFile], trust: &Trust) -> Option<(String, bool)> {
    let ours = files.iter().flat_map(|file| file.ours().map(move |(found, _)| (file, found)));
    let statuses: Vec<&Status> =
        ours.filter_map(|(file, found)| Some(&trust.of(&file.path, found)?.status)).collect();
    let bad = statuses.iter().filter(|status| status.runs() == Some(false)).count();
    let worst = statuses.iter().min_by_key(|status| match status.runs() {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    })?;
    let word = match worst {
        Status::Managed => "managed",
        Status::Trusted => "trusted",
        Status::Modified => "modified",
        Status::Untrusted => "untrusted",
        Status::Disabled => "disabled",
        Status::Approved | Status::Other(_) => "unknown",
        Status::ProjectUntrusted => "project untrusted",
        Status::Unlisted => "not loaded",
    };
    let some = bad > 0 && bad < statuses.len();
    let words = if some { format!("{bad} of {} {word}", statuses.len()) } else { word.to_owned() };
    Some((words, bad == statuses.len()))
}

fn strength(host: HostId, events: &[&str]) -> Strength {
    let host = tenter_hosts::host(host);
    let install = host.install();
    let wired = install.wires.iter().chain(install.others);
    let gates = wired.filter(|wire| wire.role == Role::Gate && events.contains(&wire.event));
    let gate = |event: &'static str| {
        let spec = host.spec(event);
        Gate { event, deny: spec.deny.level, ask: ask(&spec.ask) }
    };
    Strength { events: gates.map(|wire| gate(wire.event)).collect() }
}

fn ask(cap: &Cap) -> Ask {
    match cap.way {
        Way::As(decision) => Ask::As(decision),
        _ if cap.limit.contains("becomes deny") => Ask::As(Decision::Deny),
        _ => Ask::Level(cap.level),
    }
}

impl Strength {
    /// The host's enforcement of deny and ask, as far as the policy uses them.
    pub(super) fn words(&self, policy: &Policy) -> String {
        // The first gate of every host is the one for tools.
        let Some(gate) = self.events.first() else { return "-".to_owned() };
        let levels = || policy.settings.iter().flat_map(|setting| &setting.levels);
        let says = |level: Level| levels().any(|(set, _)| *set == level);
        if !says(Level::Deny) && !says(Level::Ask) && policy.rules.is_empty() {
            return "none: the policy stops nothing".to_owned();
        }
        if policy.unattended {
            return format!("{}, ask is a deny (nobody to ask)", gate.deny);
        }
        match gate.ask {
            Ask::As(decision) => format!("{}, ask is {}", gate.deny, with_article(decision)),
            Ask::Level(level) => format!("{}, ask {level}", gate.deny),
        }
    }
}

fn with_article(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "an allow",
        Decision::Deny => "a deny",
        Decision::Ask => "an ask",
    }
}

/// Checks that other cells or lines cover already.
const SAID: &[&str] = &[
    "switched-off",
    "file-broken",
    "file-void",
    "codex-untrusted",
    "program-missing",
    "program-not-executable",
];

impl Row<'_> {
    /// Adds the findings for this host and scope.
    pub(super) fn take(&mut self, diagnosis: &Diagnosis) {
        let guard = (self.host, self.scope);
        for finding in diagnosis.findings.iter().filter(|it| it.kills.contains(&guard)) {
            let is_known = self.dead.iter().any(|(check, _)| *check == finding.check.id);
            if !is_known && (self.wired != Wired::None || self.is_expected(diagnosis)) {
                let place = finding.place.as_ref().map(|place| match place.line {
                    0 => format!("{}: ", place.file.display()),
                    line => format!("{}:{line}: ", place.file.display()),
                });
                let why = format!("{}{}", place.unwrap_or_default(), finding.message);
                self.dead.push((finding.check.id, why));
            }
        }
    }

    /// Whether our hooks should be here.
    fn is_expected(&self, diagnosis: &Diagnosis) -> bool {
        diagnosis.guards.iter().any(|it| (it.host, it.scope) == (self.host, self.scope))
    }

    /// Whether nothing of ours is installed, and nothing should be.
    pub(super) fn is_empty(&self) -> bool {
        self.wired == Wired::None && self.dead.is_empty()
    }

    /// Findings that make the guard dead and are not shown elsewhere.
    pub(super) fn unsaid(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let rest = self.dead.iter().filter(|(check, _)| !SAID.contains(check));
        rest.map(|(check, why)| (*check, why.as_str()))
    }

    /// The latest call that may have come through here.
    pub(super) fn latest(&self) -> Option<&Fired<'_>> {
        self.fired.iter().max_by_key(|fired| fired.at_ms)
    }

    pub(super) fn wired_words(&self) -> String {
        match self.wired {
            Wired::None if self.dead.is_empty() => "none".to_owned(),
            Wired::None if self.broken.is_empty() => "no longer".to_owned(),
            Wired::None => "not readable".to_owned(),
            Wired::All => format!("all {}", self.events.len()),
            Wired::Some => {
                let there = self.usual.saturating_sub(self.missing.len());
                format!("{there} of {}", self.usual)
            }
        }
    }

    /// How far the host enforces decisions, if it calls us at all.
    pub(super) fn enforcement_words(&self, policy: &Policy) -> String {
        if self.silenced.is_some() {
            "none: switched off".to_owned()
        } else if self.void {
            "none: not loaded".to_owned()
        } else if self.refuses {
            "none: not trusted".to_owned()
        } else if self.lifeless.is_some() {
            "none: cannot be run".to_owned()
        } else if let Some((check, _)) = self.dead.first() {
            format!("none: {check}")
        } else {
            self.enforcement.words(policy)
        }
    }
}
