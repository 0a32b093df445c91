//! `out-of-sight`

use tenter_hosts::install::Scope;
use tenter_model::HostId;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, install_command};
use crate::doctor::finding::Findings;

check! {
    /// Claude Code is wired for the project, and is started in a folder below it.
    ///
    /// Claude Code reads `.claude/settings.json` in the folder where it is started and in none above it, so a
    /// session that starts in `shop/src` has none of the hooks of `shop`. The user's own settings count
    /// everywhere.
    CHECK {
        id: "out-of-sight",
        summary: "Claude Code started in this folder does not read the project's hooks",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for host in HostId::ALL {
        if tenter_hosts::host(host).install().only_from_root {
            look_at(host, exam, out);
        }
    }
}

fn look_at(host: HostId, exam: &Exam<'_>, out: &mut Findings) {
    let elsewhere = [Scope::User, Scope::Managed];
    if elsewhere.iter().any(|scope| exam.has_guard(host, *scope)) {
        return;
    }
    let (Some(here), Some(project)) = (&exam.facts.cwd, &exam.places.project) else { return };
    let real = |path: &std::path::Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let of_project = |wired: &&crate::doctor::exam::Wired<'_>| {
        wired.file.host == host && wired.file.scope == Scope::Project
    };
    // Local settings are read from the repository's root; we never write them.
    let Some(wired) = exam.wired.iter().find(of_project).filter(|it| !it.file.read_only) else {
        return;
    };
    if real(here) == real(project) {
        return;
    }
    out.push(
        CHECK
            .found(format!(
                "{} reads it only when it is started in {}",
                host.title(),
                project.display()
            ))
            .in_file(wired.file, wired.found.line)
            .means(format!("a session that starts in {} has no guard", here.display()))
            .fix(install_command(host, Scope::User))
            .kills(host, Scope::Project),
    );
}
