//! `folder-moved`

use std::path::Path;

use tenter_hosts::install::Scope;
use tenter_model::HostId;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, followed, install_command};
use crate::doctor::finding::Findings;

check! {
    /// A variable moves the folder of a host.
    ///
    /// `CLAUDE_CONFIG_DIR` and `CODEX_HOME` are followed, but only an agent that is started with the same
    /// variable reads the same files: one from a desktop may not be. Where the usual folder is wired and the one
    /// that the variable names is not, an agent started from this shell has no guard; nor has it where the folder
    /// is relative. Whether Cursor's `hooks.json` follows
    /// `CURSOR_CONFIG_DIR` or `XDG_CONFIG_HOME` is not documented: `tenter prove` tells.
    CHECK {
        id: "folder-moved",
        summary: "a variable moves the folder of a host",
        severity: Severity::Note,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let value = |name: &str| exam.places.variables.get(name).filter(|value| !value.is_empty());
    let wired = |host| exam.wired.iter().any(|wired| wired.file.host == host);
    for host in HostId::ALL.into_iter().filter(|host| wired(*host)) {
        let install = tenter_hosts::host(host).install();
        for name in install.folder_perhaps_moved_by {
            let Some(folder) = value(name) else { continue };
            let means = format!(
                "{}'s command line client may read its hooks there and not in ~/{}",
                install.title, install.folder
            );
            // A general variable matters only if the host has a folder there.
            let own = Path::new(folder).join(install.folder.trim_start_matches('.'));
            let finding = if !name.starts_with("XDG_") {
                CHECK
                    .found(format!("{name} is {folder}"))
                    .severity(Severity::Warning)
                    .of(host, None)
                    .fix(format!(
                        "by hand: unset {name}, or see what reaches us: tenter prove --hosts {host}"
                    ))
            } else if own.is_dir() {
                CHECK
                    .found(format!("{name} has a folder of {}'s", install.title))
                    .of(host, None)
                    .at(&own, 0)
                    .fix(format!("tenter prove --hosts {host}"))
            } else {
                continue;
            };
            out.push(finding.means(means));
        }
    }
    for (host, name, file) in exam.moved() {
        let folder = value(name).map(String::as_str).unwrap_or_default();
        out.push(
            CHECK
                .found(format!("{name} is {folder}, and what is wired is {}", file.display()))
                .severity(Severity::Error)
                .of(host, Scope::User)
                .means(format!(
                    "a {} that is started from here reads {folder} and has no guard",
                    host.title()
                ))
                .fix(install_command(host, Scope::User))
                .kills(host, Scope::User),
        );
    }
    relative(exam, out);
    for (host, name) in followed() {
        let install = tenter_hosts::host(host).install();
        let usual = exam.places.home.as_ref().map(|home| home.join(install.folder));
        let is_moved = |folder: &&String| {
            usual.as_deref() != Some(Path::new(folder).join(install.moved_below).as_path())
        };
        let Some(folder) = value(name).filter(is_moved) else { continue };
        if wired(host) && Path::new(folder).is_absolute() {
            out.push(
                CHECK
                    .found(format!("{name} is {folder}"))
                    .of(host, None)
                    .means(format!(
                        "a {} that is started without this variable reads other files",
                        host.title()
                    ))
                    .fix(format!(
                        "wire the usual folder too: env -u {name} tenter install --hosts {host}"
                    )),
            );
        }
    }
}

/// Reports a relative folder: it depends on where the host is started, and none is installed into.
fn relative(exam: &Exam<'_>, out: &mut Findings) {
    for (host, name) in followed() {
        let value = exam.places.variables.get(name).map(String::as_str).unwrap_or_default();
        if value.is_empty() || Path::new(value).is_absolute() || !exam.has_guard(host, Scope::User)
        {
            continue;
        }
        out.push(
            CHECK
                .found(format!("{name} is {value}, which is relative"))
                .severity(Severity::Error)
                .of(host, Scope::User)
                .means(format!(
                    "a {} that is started from here reads {value} below the folder it is started in, and has no guard",
                    host.title()
                ))
                .fix(format!("by hand: unset {name}, or set it to an absolute path"))
                .kills(host, Scope::User),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{CHECK, followed};
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn only_variables_of_wired_hosts_matter() {
        for (host, name) in [
            (HostId::Cursor, "CURSOR_CONFIG_DIR"),
            (HostId::Claude, "CLAUDE_CONFIG_DIR"),
            (HostId::Codex, "CODEX_HOME"),
        ] {
            let mut scene = Scene::new();
            let moved = scene.path("moved").display().to_string();
            scene.places.variables.insert(name.to_owned(), moved);
            assert!(scene.found(&CHECK).is_empty(), "{host} is not wired");
            scene.wire(host, Scope::User, "bin/tenter");
            assert_eq!(scene.found(&CHECK).len(), 1, "{host}");
        }
        let mut scene = Scene::wired(HostId::Claude);
        let usual = scene.path("home/.claude").display().to_string();
        scene.places.variables.insert("CLAUDE_CONFIG_DIR".to_owned(), usual);
        assert!(scene.found(&CHECK).is_empty(), "it is where it always is");
    }

    #[test]
    fn a_relative_folder_leaves_the_host_without_a_guard() {
        for (host, name) in followed() {
            let mut scene = Scene::wired(host);
            scene.places.variables.insert(name.to_owned(), "rel".to_owned());
            let found = scene.found(&CHECK);
            let kills: Vec<_> = found.iter().flat_map(|it| &it.kills).collect();
            assert_eq!(kills, [&(host, Scope::User)], "{found:?}");
        }
    }

    #[test]
    fn a_config_home_matters_if_cursor_has_a_folder_there() {
        let mut scene = Scene::wired(HostId::Cursor);
        let folder = scene.path("config").display().to_string();
        scene.places.variables.insert("XDG_CONFIG_HOME".to_owned(), folder);
        assert!(scene.found(&CHECK).is_empty());
        scene.write("config/cursor/cli-config.json", "{}");
        assert_eq!(scene.found(&CHECK).len(), 1);
    }
}
