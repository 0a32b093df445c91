//! Finds and runs the tests.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tenter_hosts::Payload;
use tenter_model::Event;
use tenter_policy::policy::case::{Case, CaseFile, Expect, Kind};
use tenter_policy::policy::{Layer, LayerText};
use tenter_policy::scene::Scene;
use tenter_policy::{Judgement, Policy};

use super::super::check::decode;
use super::super::verdict::word;
use crate::error::CommandError;
use crate::guard::{self, JudgeContext, LocalMachine, Trace, policies};

/// Maximum size of a test file and of a payload.
const LARGEST: u64 = 64 * 1024 * 1024;

/// File name suffix of test files.
const ENDING: &str = ".tenter-test.toml";

/// Tests for one policy.
#[derive(Debug)]
pub(super) struct Suite {
    pub(super) name: String,
    policy: Policy,
    cases: Vec<Case>,
    /// Base folder of payload paths.
    folder: PathBuf,
}

/// Result of one test.
#[derive(Debug)]
pub(super) struct CaseResult {
    pub(super) title: String,
    /// File and line.
    pub(super) place: String,
    /// Expected and actual verdict; `None` if it passed.
    pub(super) failure: Option<String>,
    pub(super) took: Duration,
    /// Handlers that were left out.
    pub(super) not_run: Vec<String>,
}

/// The tests of the policies here, each file alone in its layer, and the test files below this folder, which
/// are judged by all of them: a project's tests must not depend on who runs them.
pub(super) fn here(machine: &LocalMachine) -> Result<Vec<Suite>, Vec<String>> {
    let found = policies::find(&machine.folders, &machine.here());
    let policy = policies::compile(&found);
    let mut faults: Vec<String> = policy.broken.iter().map(ToString::to_string).collect();
    let suites = found.iter().filter(|file| !file.foreign).map(|file| {
        let policy = policies::compile(std::slice::from_ref(file));
        let folder = file.path.parent().unwrap_or(Path::new(".")).to_path_buf();
        let cases = policy.tests.clone();
        Suite { name: file.path.display().to_string(), policy, cases, folder }
    });
    let mut suites: Vec<Suite> = suites.filter(|suite| !suite.cases.is_empty()).collect();
    let mut files = Vec::new();
    if let Some(cwd) = &machine.cwd {
        search(Path::new(cwd), 6, &mut files);
    }
    files.sort();
    for file in files {
        match of_case_file(&file, &policy) {
            Ok(suite) => suites.push(suite),
            Err(more) => faults.extend(more),
        }
    }
    if faults.is_empty() { Ok(suites) } else { Err(faults) }
}

/// Test files below a folder, skipping third-party code.
fn search(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Does not follow links: a link to a parent would never end.
        let Ok(kind) = entry.file_type() else { continue };
        let skipped =
            name.starts_with('.') || ["node_modules", "target", "vendor"].contains(&&*name);
        if kind.is_dir() && depth > 0 && !skipped {
            search(&entry.path(), depth - 1, files);
        } else if kind.is_file() && name.ends_with(ENDING) {
            files.push(entry.path());
        }
    }
}

/// The tests of the given policies, each alone, and test files.
pub(super) fn of_files(files: &[PathBuf]) -> Result<Vec<Suite>, Vec<String>> {
    let mut suites = Vec::new();
    let mut faults = Vec::new();
    let standard = Policy::load(&[]);
    for file in files {
        let is_cases = file.to_string_lossy().ends_with(ENDING);
        let suite = if is_cases { of_case_file(file, &standard) } else { of_policy(file) };
        match suite {
            Ok(suite) => suites.push(suite),
            Err(more) => faults.extend(more),
        }
    }
    if faults.is_empty() { Ok(suites) } else { Err(faults) }
}

fn of_policy(file: &Path) -> Result<Suite, Vec<String>> {
    let policy = policies::of_file(file).map_err(|error| vec![error.to_string()])?;
    if !policy.broken.is_empty() {
        return Err(policy.broken.iter().map(ToString::to_string).collect());
    }
    let cases = policy.tests.clone();
    let folder = file.parent().unwrap_or(Path::new(".")).to_path_buf();
    Ok(Suite { name: file.display().to_string(), policy, cases, folder })
}

fn of_case_file(file: &Path, standard: &Policy) -> Result<Suite, Vec<String>> {
    let name = file.display().to_string();
    let text = tenter_files::read_named(file, LARGEST)
        .and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other))
        .map_err(|error| vec![format!("{name}: {error}")])?;
    let read = CaseFile::read(&name, &text);
    let CaseFile { policy, preset, cases } =
        read.map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let folder = file.parent().unwrap_or(Path::new(".")).to_path_buf();
    let policy = match (policy, preset) {
        (Some(path), _) => {
            let path = folder.join(path);
            let shown = path.display().to_string();
            let text = policies::given(&path)
                .map_err(|error| vec![format!("{name}: `policy`: {shown}: {error}")])?;
            let layer = LayerText { layer: Layer::User, path: &shown, text: Ok(&text) };
            Policy::load(&[layer])
        }
        (None, Some(preset)) => Policy::preset(preset),
        (None, None) => standard.clone(),
    };
    if policy.broken.is_empty() {
        return Ok(Suite { name, policy, cases, folder });
    }
    Err(policy.broken.iter().map(ToString::to_string).collect())
}

impl Suite {
    pub(super) fn run(&self, machine: &LocalMachine, handlers: bool) -> Vec<CaseResult> {
        self.cases.iter().map(|case| self.one(case, machine, handlers)).collect()
    }

    fn one(&self, case: &Case, machine: &LocalMachine, handlers: bool) -> CaseResult {
        let mut outcome = CaseResult {
            title: case.title(),
            place: format!("{}:{}", self.name, case.place.line),
            failure: None,
            took: Duration::ZERO,
            not_run: Vec::new(),
        };
        if case.kind != Kind::Payload {
            let event = case.event(machine.cwd.as_deref());
            self.judge(case, &event, machine, handlers, &mut outcome);
            return outcome;
        }
        let file = self.folder.join(&case.text);
        let asked = tenter_files::read_named(&file, LARGEST);
        let asked = asked.map_err(CommandError::usage).and_then(|bytes| {
            let payload = Payload::from_bytes(bytes);
            let object = payload.object().map_err(CommandError::usage)?;
            let id = case.host.as_deref().and_then(|host| host.parse().ok());
            self.judge(case, &decode(id, &object)?, machine, handlers, &mut outcome);
            Ok(())
        });
        if let Err(fault) = asked {
            outcome.failure = Some(format!("{}: {fault}", file.display()));
        }
        outcome
    }

    fn judge(
        &self,
        case: &Case,
        event: &Event<'_>,
        machine: &LocalMachine,
        handlers: bool,
        outcome: &mut CaseResult,
    ) {
        let machine = machine.on_branch(case.branch.clone());
        let start = Instant::now();
        let context = JudgeContext::new(&machine, event, Trace::None);
        let world = context.world();
        let mut scene = Scene::new(event, &world);
        let inquired = guard::inquire(&context, &self.policy, &mut scene, handlers);
        outcome.took = start.elapsed();
        let failure = self.compare(case, &inquired.judgement);
        let failure =
            failure.map(|failure| [&[failure], &*inquired.warnings].concat().join("\n         "));
        outcome.not_run = inquired.not_run;
        outcome.failure = failure.or_else(|| {
            let limit = Duration::from_millis(case.budget_ms?);
            (outcome.took > limit)
                .then(|| format!("took {:?}, more than its budget of {limit:?}", outcome.took))
        });
    }

    /// The difference, as two aligned lines.
    fn compare(&self, case: &Case, judgement: &Judgement) -> Option<String> {
        let decision = judgement.verdict.decision;
        let as_expected = match case.expect {
            Expect::Allow => matches!(word(decision), "allow" | "none"),
            expected => word(decision) == expected.as_str(),
        };
        let names = |rule: &str, wanted: &str| {
            rule.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let by_rule = case
            .rule
            .as_deref()
            .is_none_or(|wanted| judgement.findings.iter().any(|found| names(&found.rule, wanted)));
        if as_expected && by_rule {
            return None;
        }
        let by = case.rule.as_deref().map(|rule| format!(" by {rule}")).unwrap_or_default();
        let mut text =
            format!("expected {}{by}\ngot      {}", case.expect.as_str(), word(decision));
        for found in &judgement.findings {
            let origin = self.policy.says(found.origin);
            let _ = write!(
                text,
                "\n         {} {} ({origin}): {}",
                found.effective(),
                found.rule,
                found.what
            );
        }
        Some(text)
    }
}
