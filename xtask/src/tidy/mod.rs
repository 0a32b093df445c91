//! `cargo xtask tidy`: the rules of this repository that no compiler enforces.
//!
//! One file per kind of rule. Each checks everything and returns all findings, so that one run shows the
//! whole list.

mod dependencies;
pub(crate) mod files;
mod guards;
pub(crate) mod hosts;
mod layout;
mod licences;
pub(crate) mod lines;
mod outputs;
mod text;

use crate::args::Args;
use crate::error::{Error, Result};
use crate::workspace::Workspace;

/// Findings, one line each, with the fix.
type Findings = Vec<String>;

pub(crate) fn run(workspace: &Workspace, args: &mut Args) -> Result<()> {
    args.finish()?;
    check(workspace)
}

pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let files = files::list(workspace)?;
    let mut findings = lines::check(&files);
    findings.extend(text::check(&files));
    findings.extend(outputs::check(&files));
    findings.extend(hosts::check(&files));
    findings.extend(guards::check(&files));
    findings.extend(layout::check(workspace, &files));
    findings.extend(dependencies::check(workspace)?);
    findings.extend(licences::check(workspace)?);
    for finding in &findings {
        println!("- {finding}");
    }
    match findings.len() {
        0 => Ok(()),
        count => Err(Error::new(format!("tidy found {count} thing(s) to put right, listed above"))),
    }
}
