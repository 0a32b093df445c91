//! The scratch home of a demo, and calls of the real hook in it.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use tenter_audit::record::{FindingRecord, Record, Str};
use tenter_audit::{Spool, ingest};
use tenter_engine::diagnostic::printable;
use tenter_engine::runner::{Ended, Job, Runner};
use tenter_hosts::trial::{Output, Reply, TrialCall};
use tenter_model::{Decision, EventKind, HostId};

use crate::commands::scratch::Scratch;
use crate::error::CommandError;
use crate::guard::folders::Folders;
use crate::guard::once;

/// The handler that keeps the agent at work.
pub(super) const GOAL: &str = "\
[[handler]]
id = \"tests-pass\"
on = \"Stop\"
run = [\"sh\", \"../goal.sh\"]
";

/// Stands for a test run: fails until the agent has mended the file.
const TESTS: &str = r#"grep -q 'retries: 3' src/pay.js && exit 0
echo '{"decision":"deny","reason":"1 of 24 tests fails: pay.js retries once, expected 3"}'
"#;

const BROKEN: &str = "export const options = { retries: 1 };\n";
const MENDED: &str = "export const options = { retries: 3 };\n";

const PATIENCE: Duration = Duration::from_secs(30);

/// Lifetime of the exception that the demo makes.
const ALLOWED_SECONDS: u64 = 600;

pub(super) struct Stage {
    scratch: Scratch,
    program: PathBuf,
    runner: Runner,
    environment: Vec<(String, Option<OsString>)>,
    calls: Cell<u32>,
    has_shell: bool,
}

/// Result of one hook call.
pub(super) struct Seen {
    pub(super) reply: Reply,
    /// Rule and text of each finding that stopped the call.
    pub(super) findings: Vec<(String, String)>,
    pub(super) instead: Option<String>,
    pub(super) reason: Option<String>,
    /// Code to allow the call once.
    pub(super) code: Option<String>,
    /// Time inside the hook.
    pub(super) took: String,
}

impl Stage {
    pub(super) fn new() -> Result<Self, CommandError> {
        let scratch = Scratch::new("demo")?;
        let program = std::env::current_exe().map_err(|error| {
            CommandError::internal(format!("cannot find this program: {error}"))
        })?;
        let mut environment = scratch.environment(None);
        for name in ["APPDATA", "LOCALAPPDATA"] {
            environment.push((name.to_owned(), Some(scratch.home().into())));
        }
        environment.push(("COLUMNS".to_owned(), Some("76".into())));
        let has_shell = cfg!(unix);
        scratch.write(&scratch.project().join("src/pay.js"), BROKEN)?;
        scratch.write(&scratch.project().join(".env"), "PAYMENT_KEY=made-up-for-the-demo\n")?;
        scratch.write(&scratch.beside("goal.sh"), TESTS)?;
        let stage = Self {
            scratch,
            program,
            runner: Runner::supervising(Duration::ZERO, true),
            environment,
            calls: Cell::new(0),
            has_shell,
        };
        stage.refuse_foreign_home()?;
        let config = stage.folders().config.unwrap_or_else(|| stage.scratch.home());
        let goal = if has_shell { GOAL } else { "" };
        let policy = format!("version = 1\nextends = [\"recommended\"]\n\n{goal}");
        stage.scratch.write(&config.join(crate::guard::policies::FILE), &policy)?;
        Ok(stage)
    }

    /// A hook does not believe in a home inside somebody's project: it would write to the user's own record.
    fn refuse_foreign_home(&self) -> Result<(), CommandError> {
        let home = self.scratch.home();
        if crate::guard::folders::is_believed(&home, &self.scratch.project()) {
            return Ok(());
        }
        let why =
            format!("the folder for temporary files lies inside a project: {}", home.display());
        Err(CommandError::failed(why).hint("TMPDIR=/tmp tenter demo"))
    }

    fn folders(&self) -> Folders {
        let value = |name: &str| self.environment.iter().rfind(|(known, _)| known == name);
        Folders::of(|name| {
            let (_, value) = value(name)?;
            value.clone()?.into_string().ok()
        })
    }

    fn run(&self, arguments: &[&str], input: String) -> Ended {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        self.runner.run(Job {
            program: self.program.as_os_str(),
            arguments: &arguments,
            directory: Some(&self.scratch.project()),
            environment: &self.environment,
            input: input.into_bytes().into(),
            timeout: PATIENCE,
        })
    }

    /// The output of a command that only reads.
    pub(super) fn tenter(&self, arguments: &[&str]) -> Result<String, CommandError> {
        let ended = self.run(arguments, String::new());
        let text = String::from_utf8_lossy(&ended.stdout);
        if text.trim().is_empty() {
            let why = String::from_utf8_lossy(&ended.stderr).into_owned();
            let name = arguments.join(" ");
            return Err(CommandError::failed(format!(
                "`tenter {name}` said nothing: {}",
                printable(&why)
            )));
        }
        Ok(self.short(&text))
    }

    /// A shell command that the agent wants to run.
    pub(super) fn shell(&self, host: HostId, command: &str) -> Result<Seen, CommandError> {
        let trial = tenter_hosts::host(host).trial();
        let subject = (trial.subjects)(trial.shell_event).first().copied().unwrap_or("Bash");
        self.call(host, trial.shell_event, subject, command)
    }

    /// The agent wants to stop.
    pub(super) fn stop(&self, host: HostId) -> Result<Seen, CommandError> {
        let this = tenter_hosts::host(host);
        let mut wires = this.install().wires.iter().map(|wire| wire.event);
        let event = wires.find(|event| this.kind(event) == EventKind::Stop).unwrap_or("Stop");
        self.call(host, event, "", "")
    }

    fn call(
        &self,
        host: HostId,
        event: &str,
        subject: &str,
        command: &str,
    ) -> Result<Seen, CommandError> {
        self.calls.set(self.calls.get().saturating_add(1));
        let this = tenter_hosts::host(host);
        let project = self.scratch.project();
        let payload = (this.trial().payload)(&TrialCall {
            event,
            subject,
            command,
            session: &format!("demo-{host}"),
            id: &format!("call-{}", self.calls.get()),
            turn: "1",
            cwd: &project,
        });
        let ended = self.run(&["hook", host.as_str()], payload);
        let status = ended.status.map_err(|trouble| {
            CommandError::failed(format!("the hook could not be started: {trouble:?}"))
        })?;
        let output = Output { exit: status.code(), stdout: &ended.stdout, stderr: &ended.stderr };
        self.seen(&this.conclude(event, &output)).ok_or_else(|| {
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            CommandError::failed(format!("the hook left no record: {}", printable(&said)))
        })
    }

    /// The last record, as the page shows it.
    fn seen(&self, reply: &Reply) -> Option<Seen> {
        self.each(|record| {
            let weighty = |it: &&FindingRecord<'_>| it.level != "log" && it.excepted.is_none();
            let stops: Vec<&FindingRecord<'_>> = record.findings.iter().filter(weighty).collect();
            let text = |it: &Option<Str<'_>>| it.as_ref().map(ToString::to_string);
            Seen {
                reply: reply.clone(),
                findings: stops
                    .iter()
                    .map(|it| (it.rule.to_string(), text(&it.what).unwrap_or_default()))
                    .collect(),
                instead: stops.iter().find_map(|it| text(&it.instead)),
                reason: record.verdict.reason.as_ref().and_then(|it| it.text().map(str::to_owned)),
                code: text(&record.code),
                took: length(record.us.total),
            }
        })
        .pop()
    }

    fn each<T>(&self, mut map: impl FnMut(&Record<'_>) -> T) -> Vec<T> {
        let Some(state) = self.folders().state else { return Vec::new() };
        let segments = Spool::of_state(&state).segments().unwrap_or_default();
        let lines = segments.iter().flat_map(|segment| segment.lines(0)).flatten().flatten();
        lines.filter_map(ingest::item).map(|item| map(&item.record)).collect()
    }

    /// The decision of each call so far: `deny`, `ask`, `back` for an agent that may not stop yet, or nothing.
    pub(super) fn decisions(&self) -> Vec<String> {
        self.each(|record| {
            let stop = record.event == EventKind::Stop.as_str();
            let decision = record.decision.as_deref().unwrap_or_default();
            if stop && decision == Decision::Deny.as_str() {
                "back".to_owned()
            } else {
                decision.to_owned()
            }
        })
    }

    pub(super) fn median(&self) -> String {
        let mut times = self.each(|record| record.us.total);
        times.sort_unstable();
        length(times.get(times.len() / 2).copied().unwrap_or_default())
    }

    pub(super) fn has_goal(&self) -> bool {
        self.has_shell
    }

    /// The agent repairs what the tests complain about.
    pub(super) fn mend(&self) -> Result<(), CommandError> {
        self.scratch.write(&self.scratch.project().join("src/pay.js"), MENDED)
    }

    /// Allows a call as `tenter allow once` does after a human has agreed.
    pub(super) fn allow(&self, code: &str) -> Result<(), CommandError> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = now.map(|since| since.as_secs()).unwrap_or_default();
        once::allow(&self.folders(), code, now.saturating_add(ALLOWED_SECONDS))
    }

    /// Writes the scratch home as `~`.
    pub(super) fn short(&self, text: &str) -> String {
        text.replace(&self.scratch.home().display().to_string(), "~")
            .replace(&self.scratch.project().display().to_string(), "~/shop")
    }
}

/// `0.4 ms`
fn length(us: u64) -> String {
    format!("{}.{} ms", us / 1000, us % 1000 / 100)
}
