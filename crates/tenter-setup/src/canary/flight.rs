//! Sends the canaries of one entry, one after the other.

use tenter_hosts::install::Scope;

use super::Reply;
use super::launch::{Landed, Launch, Stage};
use super::payload::CanaryCall;
use super::proof::{Event, ProofLevel, Reason};
use super::{Canary, HARMLESS, SAMPLE, matching, static_checks, token};
use crate::command::Ours;
use crate::edit::FoundHook;
use crate::survey::HookFile;

/// The canaries of one entry.
pub(super) struct Flight<'f> {
    pub(super) file: &'f HookFile,
    pub(super) found: &'f FoundHook,
    pub(super) ours: Option<&'f Ours>,
    pub(super) stage: &'f Stage<'f>,
    pub(super) is_gate: bool,
    /// The file is as `tenter install` wrote it: a matcher in it was requested.
    pub(super) is_chosen: bool,
}

impl Flight<'_> {
    /// Sends them and reports the results.
    pub(super) fn take(&self, reasons: &mut Vec<Reason>) -> Event {
        let (file, found) = (self.file, self.found);
        let mut event = Event {
            event: found.event.clone(),
            matcher: found.matcher.clone(),
            line: found.line,
            gate: self.is_gate,
            fired: false,
            denied: self.is_gate.then_some(false),
            allowed: false,
            sample: None,
        };
        let Some(launch) = Launch::of(file, found, self.stage) else {
            reasons.push(self.red("there is no command to run"));
            return event;
        };
        let subject = matching::subject(file.host, &found.event, found.matcher.as_deref());
        let Some(subject) = subject else {
            let matcher = found.matcher.as_deref().unwrap_or_default();
            if !reasons.iter().any(|reason| reason.level == ProofLevel::Red) {
                reasons.push(self.red(&format!("nothing matches `{matcher}`, so it never runs")));
            }
            return event;
        };
        if !self.is_gate {
            let landed = self.fire(&launch, subject, Canary::Pass);
            event.allowed = landed.reply == Reply::Passed && landed.trouble.is_none();
            event.fired = event.allowed;
            if !event.allowed {
                let why = || self.red(&why(&landed));
                reasons.push(self.cannot_start().unwrap_or_else(why));
            }
            return event;
        }
        let deny = self.fire(&launch, subject, Canary::Deny);
        event.fired = deny.ours;
        event.denied = Some(deny.ours && deny.reply == Reply::Stopped);
        if event.denied != Some(true) {
            reasons.push(self.not_denied(&deny));
            return event;
        }
        let pass = self.fire(&launch, subject, Canary::Pass);
        event.allowed = pass.reply == Reply::Passed;
        if !event.allowed {
            reasons.push(self.red(&format!("a harmless call does not pass: {}", why(&pass))));
        }
        self.last_resorts(&launch, subject, reasons);
        if let Some(short) = launch.on_short_path(self.stage.places) {
            let landed = self.fire(&short, subject, Canary::Deny);
            if landed.reply != Reply::Stopped {
                let text = format!(
                    "{}: it depends on your PATH; a host that is started from the desktop has a \
                     shorter one, and there {}",
                    found.event,
                    why(&landed)
                );
                reasons.push(if file.scope == Scope::Project {
                    let fix = "by hand: link tenter into /usr/local/bin, or also: tenter install --scope user";
                    Reason::amber(text, fix)
                } else {
                    Reason::red(text, self.again())
                });
            }
        }
        let of_tools = static_checks::is_tool_event(file.host, &found.event);
        // The shell is the first subject of an event for tools.
        let subjects = (tenter_hosts::host(file.host).trial().subjects)(&found.event);
        if subject == HARMLESS || of_tools && subjects.first() == Some(&subject) {
            event.sample = Some(self.sample(&launch, subject, reasons));
        } else if of_tools {
            let matcher = found.matcher.as_deref().unwrap_or_default();
            let text = format!("{}: `{matcher}` keeps commands of the shell away", found.event);
            reasons.push(if self.is_chosen {
                Reason::amber(text, format!("{} --matcher '*'", self.again()))
            } else {
                Reason::red(text, self.again())
            });
        }
        event
    }

    fn fire(&self, launch: &Launch, subject: &str, canary: Canary) -> Landed {
        let token = token();
        let call = CanaryCall {
            host: self.file.host,
            event: &self.found.event,
            subject,
            canary,
            token: &token,
            cwd: self.stage.cwd,
        };
        launch.fire(&call, &self.stage.runner)
    }

    fn again(&self) -> String {
        crate::command::install_again(self.file.host, self.file.scope)
    }

    fn red(&self, text: &str) -> Reason {
        Reason::red(format!("{}: {text}", self.found.event), self.again())
    }

    /// Why the program cannot be started at all, if so.
    fn cannot_start(&self) -> Option<Reason> {
        let program = self.ours.map(|ours| ours.program.as_path());
        // A bare program name is looked up by the shell, which reports what is wrong.
        let program = program.filter(|program| program.is_absolute())?;
        let shown = program.display();
        if !program.exists() {
            return Some(self.red(&format!("`{shown}` is not there, so every call passes")));
        }
        (!crate::places::is_program(program)).then(|| {
            let text = format!("`{shown}` cannot be executed, so every call passes");
            let fix = format!("chmod +x {}", crate::command::word(program));
            Reason::red(format!("{}: {text}", self.found.event), fix)
        })
    }

    /// Why a canary that must be denied was not.
    fn not_denied(&self, landed: &Landed) -> Reason {
        if let Some(reason) = self.cannot_start() {
            return reason;
        }
        let text = match (landed.ours, &landed.reply) {
            (true, Reply::Useless(why)) => {
                format!("it denies, and the host does not heed it: {why}")
            }
            (true, _) => "it answers, and the host lets the call pass all the same".to_owned(),
            (false, _) => {
                let command = self.found.command().unwrap_or_default();
                format!("`{command}` does not deny what it must: {}", why(landed))
            }
        };
        self.red(&text)
    }

    /// Checks the fallbacks used when no answer can be given.
    fn last_resorts(&self, launch: &Launch, subject: &str, reasons: &mut Vec<Reason>) {
        // Claude Code ignores exit codes at this event.
        if self.found.event != "PermissionRequest" {
            let exit = self.fire(launch, subject, Canary::Exit);
            if exit.reply != Reply::Stopped {
                reasons.push(self.red(
                    "the shell code around the command hides its exit code, and so every failure",
                ));
            }
        }
        let said = reasons.iter().any(|reason| reason.text.contains("--on-failure"));
        let fail = self.fire(launch, subject, Canary::Fail);
        if fail.reply == Reply::Passed && !said {
            let text =
                format!("{}: the policy lets calls pass when the guard fails", self.found.event);
            reasons.push(Reason::amber(text, "set `guard = \"ask\"` under `[fail]` in the policy"));
        }
    }

    /// The policy's decision on a dangerous command.
    fn sample(&self, launch: &Launch, subject: &str, reasons: &mut Vec<Reason>) -> &'static str {
        let landed = self.fire(launch, subject, Canary::Sample);
        match landed.reply {
            Reply::Stopped => "denied",
            Reply::Asked => "asked",
            Reply::Passed | Reply::Useless(_) => {
                let text = format!("the policy lets `{SAMPLE}` pass");
                let fix = "by hand: see who set it with `tenter explain -- 'rm -rf /'`, then: tenter policy edit";
                reasons.push(Reason::red(text, fix));
                "passed"
            }
        }
    }
}

/// Description of an unexpected result.
fn why(landed: &Landed) -> String {
    match (&landed.trouble, &landed.reply) {
        (Some(trouble), _) => trouble.clone(),
        (None, Reply::Useless(why)) => why.clone(),
        (None, Reply::Stopped) => "it was stopped".to_owned(),
        (None, Reply::Asked) => "it was asked for".to_owned(),
        (None, Reply::Passed) => "the call passes".to_owned(),
    }
}
