//! `calls-unseen`

use tenter_hosts::install::Scope;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// A session has tool calls in its transcript that left no record here.
    ///
    /// The newest transcripts of Claude Code and Codex since they were wired are compared with the record. A
    /// session without a single record means that something keeps our hook from being called: a mod, `--bare`,
    /// hooks that are not approved, a client that was started with other settings. Some calls of a session
    /// without a record may be ones that the host refused before any hook.
    CHECK {
        id: "calls-unseen",
        summary: "tool calls of a session left no record",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for unseen in &exam.facts.unseen {
        let (host, calls, of) = (unseen.host, unseen.calls, unseen.of);
        let finding = CHECK
            .found(format!(
                "{calls} of {of} tool calls left no record, the first is `{}`",
                unseen.tool
            ))
            .of(host, Scope::User)
            .at(&unseen.transcript, 0);
        let fix = "by hand: look for a mod, `--bare` or other settings of that session, then: tenter prove";
        out.push(if calls == of {
            finding
                .means(format!("{} did not call our hook in this session", host.title()))
                .fix(fix)
                .kills(host, Scope::User)
        } else {
            finding
                .severity(Severity::Warning)
                .means("our hook was not called for them, or the host refused them before")
                .fix(fix)
        });
    }
}
