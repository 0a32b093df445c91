//! `tenter harden`: protection by root, and exact restoration.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Command, Stdio};

use tenter_setup::harden::{harden, read, undo};
use tenter_testkit::{Ran, Tenter};

use crate::common::Machine;

/// A machine with its own program, which can be hardened without affecting other tests.
struct Own(Machine);

impl Own {
    fn new() -> Self {
        let own = Self(Machine::new());
        fs::copy(env!("CARGO_BIN_EXE_tenter"), own.0.path("bin/tenter")).unwrap();
        own.0.write("home/.config/tenterhook/policy.toml", "version = 1\n");
        let ran = own.run("install --hosts claude --yes");
        assert_eq!(ran.exit, 0, "{ran:?}");
        own
    }

    fn run(&self, line: &str) -> Ran {
        let plain = self.0.command(line);
        let mut command = Command::new(self.0.path("bin/tenter"));
        command.args(plain.get_args()).current_dir(self.0.path("repo")).env_clear();
        command.env("HOME", self.0.path("home")).env("PATH", "/usr/bin:/bin");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Tenter::finish(command, "")
    }

    fn harden(&self, more: &str) -> Ran {
        self.run(&format!("harden --root {} {more}", self.0.path("root").display()))
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // Leave no immutable files behind, whatever a test did.
        let path = self.0.top();
        drop(Command::new("chattr").args(["-R", "-i"]).arg(path).output());
    }
}

const FILES: [&str; 3] =
    ["home/.claude/settings.json", "home/.config/tenterhook/policy.toml", "bin/tenter"];

#[test]
fn hardened_files_stay_and_come_back_exactly() {
    let own = Own::new();
    fs::set_permissions(own.0.path(FILES[0]), fs::Permissions::from_mode(0o640)).unwrap();
    let look = |name: &str| {
        let about = fs::metadata(own.0.path(name)).unwrap();
        (about.uid(), about.gid(), about.mode(), about.len())
    };
    let before = FILES.map(look);
    let ran = own.harden("--dry-run");
    assert_eq!((ran.exit, FILES.map(look)), (0, before), "{ran:?}");
    for name in FILES {
        assert!(ran.stderr.contains(name), "{name}: {ran:?}");
    }
    if !rustix::process::geteuid().is_root() {
        let ran = own.harden("--yes");
        assert!(ran.stderr.contains("only root can do this"), "{ran:?}");
        assert_eq!(FILES.map(look), before);
        return;
    }
    let ran = own.harden("--yes");
    assert_eq!(ran.exit, 0, "{ran:?}");
    let immutable = ran.stderr.matches(": immutable").count() == FILES.len();
    assert!(immutable || ran.stderr.contains("knows no immutable files"), "{ran:?}");
    for name in FILES {
        let about = fs::metadata(own.0.path(name)).unwrap();
        assert_eq!((about.uid(), about.mode() & 0o022), (0, 0), "{name}");
        if immutable {
            let path = own.0.path(name);
            assert!(fs::write(&path, "{}").is_err(), "{name}: written");
            assert!(fs::remove_file(&path).is_err(), "{name}: removed");
            assert!(fs::rename(&path, own.0.path("elsewhere")).is_err(), "{name}: renamed");
        }
    }
    if immutable {
        for line in ["uninstall --yes", "install --hosts claude --events gates --yes"] {
            let ran = own.run(line);
            assert_eq!(ran.exit, 1, "{line}: {ran:?}");
            assert!(ran.stderr.contains("sudo tenter harden --undo"), "{line}: {ran:?}");
        }
    }
    let root = own.0.path("root");
    let ran = own.run(&format!("status --root {}", root.display()));
    assert!(ran.stdout.contains("hardened: 3 files"), "{ran:?}");
    // A second run has nothing to do.
    let again = own.harden("--yes");
    assert_eq!(again.exit, 0, "{again:?}");
    let ran = own.harden("--undo --yes");
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert_eq!(FILES.map(look), before);
    for name in FILES {
        assert!(!tenter_setup::harden::is_immutable(&own.0.path(name)), "{name}");
    }
    assert!(!own.0.path("root/var/lib/tenterhook/hardened.json").exists());
    assert!(own.harden("--undo --yes").stdout.contains("nothing is hardened"));
    assert_eq!(own.run("uninstall --yes").exit, 0);
}

#[test]
fn owner_and_attributes_are_kept_and_another_file_is_left_alone() {
    if !rustix::process::geteuid().is_root() {
        // Without root the test above shows the refusal.
        return;
    }
    let own = Own::new();
    let path = own.0.path("home/mine.toml");
    fs::write(&path, "version = 1\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::chown(&path, Some(12345), Some(54321)).unwrap();
    let mut places = tenter_setup::Places {
        system: tenter_hosts::install::System::HERE,
        root: own.0.path("root"),
        home: None,
        project: None,
        variables: std::collections::BTreeMap::new(),
        path: None,
        state: None,
        now: 0,
    };
    places.home = Some(own.0.path("home"));
    assert!(harden(&path, 777, &places).unwrap_err().to_string().contains("another user"));
    harden(&path, 12345, &places).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().uid(), 0);
    let known = read(&places).unwrap();
    assert_eq!((known.len(), known[0].user, known[0].mode), (1, 12345, 0o600));
    undo(&known[0], &places).unwrap();
    let about = fs::metadata(&path).unwrap();
    assert_eq!((about.uid(), about.gid(), about.mode() & 0o7777), (12345, 54321, 0o600));
    // A replacement file is not given away.
    harden(&path, 12345, &places).unwrap();
    let known = read(&places).unwrap();
    assert!(Command::new("chattr").arg("-i").arg(&path).status().is_ok());
    fs::write(own.0.path("home/new"), "x").unwrap();
    fs::rename(own.0.path("home/new"), &path).unwrap();
    assert!(undo(&known[0], &places).unwrap().contains("left alone"));
    assert_eq!(fs::metadata(&path).unwrap().uid(), 0);
    // A link, or a file with two names, is not hardened.
    fs::hard_link(&path, own.0.path("home/second")).unwrap();
    assert!(harden(&path, 0, &places).unwrap_err().to_string().contains("several names"));
}
