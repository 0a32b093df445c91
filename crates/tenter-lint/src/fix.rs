//! Applies safe fixes repeatedly until none is left.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::edit::{Edit, apply, clash, is_broken};
use crate::{File, Finding, Options, Repair, Report, lint};

/// Maximum number of rounds: a fix may reveal another mistake, but more rounds mean that two rules disagree.
const ROUNDS: usize = 10;
/// Maximum number of fixes per round tried one by one when they do not work together.
const SINGLE_TRIES: usize = 50;

/// A fix that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    pub rule: &'static str,
    pub file: PathBuf,
    pub line: usize,
    pub message: String,
}

/// Result of fixing; the caller writes the files.
#[derive(Clone, Debug, Default)]
pub struct Fixed {
    /// The files with their new texts, in the given order.
    pub files: Vec<File>,
    /// Scripts that need their executable bit, each once.
    pub executable: Vec<(PathBuf, Mended)>,
    /// Fixes in texts.
    pub mended: Vec<Mended>,
}

/// Fixes the texts. A fix is kept only if the file still parses and the finding is gone.
pub fn fix(files: &[File], options: &Options) -> Fixed {
    let mut fixed = Fixed { files: files.to_vec(), ..Fixed::default() };
    for _ in 0..ROUNDS {
        let report = lint(&fixed.files, options);
        let mut changed = false;
        for index in 0..fixed.files.len() {
            changed |= mend_file(&mut fixed, index, &report, options);
        }
        if !changed {
            fixed.executable = to_make_executable(&report);
            break;
        }
    }
    fixed
}

fn to_make_executable(report: &Report) -> Vec<(PathBuf, Mended)> {
    let mut seen = BTreeSet::new();
    let scripts = report.findings.iter().filter_map(|finding| match &finding.repair {
        Some(Repair::MakeExecutable(path)) => Some((path.clone(), mended(finding))),
        _ => None,
    });
    scripts.filter(|(path, _)| seen.insert(path.clone())).collect()
}

fn mended(finding: &Finding) -> Mended {
    Mended {
        rule: finding.rule.id,
        file: finding.file.clone(),
        line: finding.start.line,
        message: finding.message.clone(),
    }
}

/// One round on one file: all fixes at once, or one by one if that fails.
fn mend_file(fixed: &mut Fixed, index: usize, report: &Report, options: &Options) -> bool {
    let Some(file) = fixed.files.get(index) else { return false };
    let repairs: Vec<(&Finding, &[Edit])> = report
        .findings
        .iter()
        .filter(|finding| finding.file == file.path)
        .filter_map(|finding| match &finding.repair {
            Some(Repair::Edits(edits)) => Some((finding, edits.as_slice())),
            _ => None,
        })
        .collect();
    let chosen = apart(&repairs);
    if chosen.is_empty() {
        return false;
    }
    if let Some(text) = tried(&fixed.files, index, &chosen, report, options) {
        return keep(fixed, index, text, &chosen);
    }
    let single = chosen.iter().take(SINGLE_TRIES).find_map(|repair| {
        let text = tried(&fixed.files, index, std::slice::from_ref(repair), report, options)?;
        Some((text, *repair))
    });
    single.is_some_and(|(text, repair)| keep(fixed, index, text, &[repair]))
}

fn keep(fixed: &mut Fixed, index: usize, text: String, repairs: &[(&Finding, &[Edit])]) -> bool {
    let Some(file) = fixed.files.get_mut(index) else { return false };
    file.text = text;
    fixed.mended.extend(repairs.iter().map(|(finding, _)| mended(finding)));
    true
}

/// Drops fixes that overlap an earlier one. Findings are in text order, but an edit may reach back, so each
/// is compared with a few predecessors.
fn apart<'f>(repairs: &[(&'f Finding, &'f [Edit])]) -> Vec<(&'f Finding, &'f [Edit])> {
    const BEHIND: usize = 16;
    let mut chosen: Vec<(&Finding, &[Edit])> = Vec::new();
    for (finding, edits) in repairs {
        let near = chosen.iter().rev().take(BEHIND);
        if !near.into_iter().any(|(_, other)| clash(edits, other)) {
            chosen.push((finding, edits));
        }
    }
    chosen
}

/// The text after these fixes, if it still parses and all their findings are gone.
fn tried(
    files: &[File],
    index: usize,
    repairs: &[(&Finding, &[Edit])],
    before: &Report,
    options: &Options,
) -> Option<String> {
    let file = files.get(index)?;
    let edits: Vec<Edit> = repairs.iter().flat_map(|(_, edits)| edits.iter().cloned()).collect();
    let text = apply(&file.text, &edits).filter(|text| !is_broken(text))?;
    let mut changed = files.to_vec();
    changed.get_mut(index)?.text.clone_from(&text);
    let after = lint(&changed, options);
    let count = |report: &Report, id: &str| {
        let here = |finding: &&Finding| finding.rule.id == id && finding.file == file.path;
        report.findings.iter().filter(here).count()
    };
    let ids: BTreeSet<&str> = repairs.iter().map(|(finding, _)| finding.rule.id).collect();
    let gone = ids.iter().all(|id| {
        let mended = repairs.iter().filter(|(finding, _)| finding.rule.id == *id).count();
        count(&after, id) + mended <= count(before, id)
    });
    gone.then_some(text)
}
