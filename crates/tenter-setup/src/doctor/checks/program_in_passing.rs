//! `program-in-passing`

use std::path::Path;

use tenter_hosts::install::Scope;
use tenter_model::HostId;

use crate::command::word;
use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::doctor::programs::{self, State};

check! {
    /// Our hook runs a program from a temporary folder, a build folder or a download.
    ///
    /// It will be gone after the next restart, `cargo clean` or tidying up, and the guard with it. Put the
    /// program where it stays and run `tenter install` from there.
    CHECK {
        id: "program-in-passing",
        summary: "our hook runs a program from a temporary or build folder",
        severity: Severity::Warning,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let entries = exam.entries();
    let mut said: Vec<(&Path, Scope)> = Vec::new();
    for entry in &entries {
        let Some(path) = entry.target.path() else { continue };
        // A missing program is reported by another check.
        if programs::state(path) == State::Missing {
            continue;
        }
        let Some(what) = passing(path) else { continue };
        let (file, scope) = (entry.file, entry.file.scope);
        // A program is reported once for all hosts of a scope.
        if said.contains(&(path, scope)) {
            continue;
        }
        said.push((path, scope));
        let same = entries.iter().filter(|it| it.target.path() == Some(path));
        let mut concerns: Vec<_> = same.map(|it| (it.file.host, it.file.scope)).collect();
        concerns.retain(|(_, other)| *other == scope);
        concerns.dedup();
        let hosts: Vec<&str> = concerns.iter().map(|(host, _)| host.as_str()).collect();
        let approved_by =
            |(host, _): &(HostId, Scope)| tenter_hosts::host(*host).install().approved_by;
        let trust = concerns.iter().find_map(approved_by);
        let trust = trust.map(|option| format!(" {option}")).unwrap_or_default();
        let shown = path.display();
        out.push(
            CHECK
                .found(format!("`{shown}` lies in {what}"))
                .in_file(file, entry.line)
                .means("when it is cleared away, the guard is gone and nothing says so")
                .fix(format!(
                    "mkdir -p ~/.local/bin && cp {} ~/.local/bin/ && ~/.local/bin/tenter install --hosts {} --scope {scope}{trust}",
                    word(path),
                    hosts.join(",")
                ))
                .concerns(concerns),
        );
    }
}

/// Kind of temporary folder that a path is in, if any.
pub fn passing(path: &Path) -> Option<&'static str> {
    let names: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let built = names.iter().zip(names.iter().skip(1)).any(|(outer, inner)| {
        outer == "target" && ["debug", "release", "profiling"].contains(&inner.as_ref())
    });
    let crossed = names.iter().any(|name| name == "target")
        && names
            .iter()
            .rev()
            .nth(1)
            .is_some_and(|name| ["debug", "release"].contains(&name.as_ref()));
    if built || crossed {
        return Some("a build folder");
    }
    let temporary = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/folders"];
    if temporary.iter().any(|folder| path.starts_with(folder)) {
        return Some("a temporary folder");
    }
    let downloaded =
        names.iter().any(|name| ["Downloads", "node_modules"].contains(&name.as_ref()));
    downloaded.then_some("a folder that is cleared out now and then")
}

#[cfg(test)]
mod tests {
    use super::{CHECK, passing};
    use crate::doctor::testing::Scene;
    use std::path::Path;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn places_that_do_not_last_are_told_from_those_that_do() {
        let of = |path: &str| passing(Path::new(path));
        assert_eq!(of("/tmp/x/tenter"), Some("a temporary folder"));
        assert_eq!(of("/home/ana/src/tenterhook/target/release/tenter"), Some("a build folder"));
        assert_eq!(
            of("/home/ana/t/target/x86_64-unknown-linux-musl/debug/tenter"),
            Some("a build folder")
        );
        assert!(of("/home/ana/Downloads/tenter").is_some());
        for lasting in
            ["/usr/local/bin/tenter", "/home/ana/.cargo/bin/tenter", "/opt/target/tenter"]
        {
            assert_eq!(of(lasting), None, "{lasting}");
        }
    }

    #[test]
    fn it_is_said_of_our_hooks() {
        let scene = Scene::new();
        scene.wire_command(HostId::Claude, Scope::User, "/usr/local/bin/tenter hook claude");
        assert!(scene.found(&CHECK).is_empty());
        let program = scene.write("target/debug/tenter*", "\u{7f}ELF\0");
        let command = format!("{} hook claude", program.display());
        scene.wire_command(HostId::Claude, Scope::User, &command);
        assert_eq!(scene.found(&CHECK).len(), 1);
        std::fs::remove_file(program).unwrap();
        assert!(scene.found(&CHECK).is_empty(), "gone already, which is said elsewhere");
    }
}
