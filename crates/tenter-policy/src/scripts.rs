//! Decides which findings count in scripts on disk that a command runs, and in texts that may not be
//! commands.
//!
//! A file written by the session is judged like the command itself: writing a script in one call and running
//! it in the next is the most common way round a guard. A file of the project is part of ordinary work; there
//! only findings count that the policy denies, that are certain, and that harm the machine, the home or this
//! guard, or leak secrets. Unverifiable parts of a script are not findings.

use tenter_shell::{Certainty, Script};

use crate::finding::Finding;
use crate::level::{Level, Weight};
use crate::scene::Scene;

/// Guards that count even in project files and in texts that may not be run.
const ALWAYS: &[&str] =
    &["self-protection/", "destructive-files/", "disk-and-system/", "exfiltration/"];

/// Drops findings that do not count, and names the file in the others.
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

/// For a text that may not be a command: only denied, grave and certain findings count.
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
        // Otherwise by position: all effects of a script are at the words that name it.
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
