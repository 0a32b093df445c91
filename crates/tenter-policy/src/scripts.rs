//! What counts of the files on disk that a command runs, and of texts that may be no commands.
//!
//! A file that the session has written is judged like the command itself: to write a script in one
//! call and run it in the next is the commonest way round a guard. A file of the project is somebody's
//! work and runs every day; there only what the policy denies outright, is certain, and harms the
//! machine, the home or this guard, or gives secrets away, is stopped. Programs are full of what only their run can tell, so
//! what cannot be told of a script is no finding.

use tenter_shell::{Certainty, Script};

use crate::finding::Finding;
use crate::level::{Level, Weight};
use crate::scene::Scene;

/// Guards that also count in a file which the session has not written, or which may not be run at all.
const ALWAYS: &[&str] =
    &["self-protection/", "destructive-files/", "disk-and-system/", "exfiltration/"];

/// Drops what does not count, and says in the rest which file does it.
pub(crate) fn settle(scene: &Scene<'_>, findings: &mut Vec<Finding>) {
    findings.retain(|found| counts_as_attempt(scene, found));
    let scripts = &scene.analysis.scripts;
    if scripts.is_empty() {
        return;
    }
    findings.retain_mut(|found| {
        let Some(script) = script_of(scripts, found) else { return true };
        let counts = counts(found, script);
        if counts {
            let name = script.path.rsplit('/').next().unwrap_or(&script.path);
            found.what = format!("runs {name}, which {}", found.what);
        }
        counts
    });
}

/// Of a text that may be no command only what is denied, grave and certain.
fn counts_as_attempt(scene: &Scene<'_>, found: &Finding) -> bool {
    let is_attempt = found.span.is_some_and(|span| scene.is_attempt(span));
    !is_attempt
        || found.level == Level::Deny
            && found.weight == Weight::Grave
            && found.certainty == Certainty::Certain
            && !found.rule.starts_with("unverified/")
}

fn script_of<'s>(scripts: &'s [Script], found: &Finding) -> Option<&'s Script> {
    match found.script {
        Some(at) => scripts.get(usize::from(at)),
        // What is known by its words alone: all that a script does is said with those that name it.
        None => scripts.iter().find(|script| Some(script.span) == found.span),
    }
}

fn counts(found: &Finding, script: &Script) -> bool {
    if script.of_session {
        let vague = found.certainty == Certainty::Unknown || found.rule.starts_with("unverified/");
        if script.is_near {
            let harms = ALWAYS.iter().any(|guard| found.rule.starts_with(guard));
            return !vague && harms && found.level == Level::Deny;
        }
        return !vague || found.rule == "unverified/unreadable";
    }
    found.level == Level::Deny
        && found.certainty == Certainty::Certain
        // Servers of the project fork in loops.
        && found.rule != "disk-and-system/fork-bomb"
        && (found.by_rule || ALWAYS.iter().any(|guard| found.rule.starts_with(guard)))
}
