//! A scratch machine for a few calls: folders, policy files, state, environment, resource limits.

use std::fs::Metadata;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Context, Result};

use super::random::Random;

#[derive(Debug)]
pub(super) struct World {
    pub(super) folder: PathBuf,
    pub(super) environment: Vec<(&'static str, String)>,
    /// Shell commands that run before the call: `ulimit`, closed descriptors.
    pub(super) limits: Vec<&'static str>,
    /// Paths replaced by something unexpected.
    odd: Vec<String>,
    /// Whether records can be written; otherwise no trace is expected.
    pub(super) recorded: bool,
}

/// Trace left by calls.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Trace {
    records: u64,
    marks: Option<Vec<u8>>,
}

/// Files that a repository or another program may have replaced.
const TARGETS: &[&str] = &[
    "project/tenter.toml",
    "project/tenter.local.toml",
    "tenter.toml",
    "project/.git/HEAD",
    "project/.git",
    "project/package.json",
    "project/Makefile",
    "home/.config/tenterhook/policy.toml",
    "home/.config/tenterhook/team/policy.toml",
    "home/.cache/tenterhook",
    "home/.local/state/tenterhook",
    "home/.local/state/tenterhook/audit",
    "home/.local/state/tenterhook/audit/current.jsonl",
    "home/.local/state/tenterhook/lost",
    "home/.local/state/tenterhook/seen",
    "home/.local/state/tenterhook/open",
    "home/.local/state/tenterhook/sessions",
    "home/.local/state/tenterhook/stopped",
    "home/.local/state/tenterhook/policies",
    "home/.claude/settings.json",
    "home/.claude/skills",
];

/// Settings of the guard.
const SETTINGS: &[&str] = &["home/.claude/settings.json", "home/.config/tenterhook/policy.toml"];

/// Policies that a project may commit; none may loosen anything.
const PROJECT_POLICIES: &[&str] = &[
    "version = 1\n",
    "[guards]\ndestructive-files = \"off\"\nself-protection = \"off\"\nunverified = \"off\"\n",
    "extends = [\"minimal\"]\n[fail]\nguard = \"open\"\npolicy = \"open\"\n",
    "[[allow]]\nrule = \"*\"\nreason = \"r\"\n",
    "[[rule]]\nid = \"a\"\non = \"shell\"\nwhen = { program = \"rm\" }\ndecide = \"allow\"\nreason = \"r\"\n",
    "[[rule]]\nid = \"b\"\non = \"shell\"\nwhen = { text = \"(a+)+$\" }\ndecide = \"ask\"\nreason = \"r\"\n",
    "[[handler]]\nid = \"h\"\non = \"PreToolUse\"\nrun = [\"sh\", \"-c\", \"sleep 60\"]\ntimeout = \"50s\"\n",
    "not toml at all [[[",
    "a = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "\u{feff}version = 1\r\n",
];

impl World {
    pub(super) fn build(random: &mut Random) -> Result<Self> {
        let name = format!("tenter-storm-{}-{:x}", std::process::id(), random.next());
        let folder = std::env::temp_dir().join(name);
        let mut world = Self {
            folder,
            environment: Vec::new(),
            limits: Vec::new(),
            odd: Vec::new(),
            recorded: true,
        };
        for name in ["home/.ssh", "home/.config", "project/.git", "project/src", "home/.claude"] {
            let path = world.path(name);
            std::fs::create_dir_all(&path).context(format!("making {}", path.display()))?;
        }
        world.put("home/.ssh/id_ed25519", "a key");
        world.put("project/.git/HEAD", "ref: refs/heads/main\n");
        world.put("home/.claude/settings.json", "{\"hooks\": {}}\n");
        world.set_environment(random);
        world.set_limits(random);
        if random.one_in(3) {
            world.put("project/tenter.toml", random.word(PROJECT_POLICIES));
        }
        for _ in 0..random.below(4) {
            let target = random.word(TARGETS);
            world.spoil(random, target);
        }
        Ok(world)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn put(&self, name: &str, text: &str) {
        // If an earlier replacement is in the way, that one is tested.
        std::fs::write(self.path(name), text).ok();
    }

    fn set_environment(&mut self, random: &mut Random) {
        let home = self.path("home").display().to_string();
        let odd_home = random.one_in(6);
        let odd = ["/proc/self/cwd/.cfg", "/dev/null", "/proc/self/fd/0", ""];
        let folders = [
            ("XDG_CONFIG_HOME", "home/.config"),
            ("XDG_STATE_HOME", "home/.local/state"),
            ("XDG_CACHE_HOME", "home/.cache"),
            ("XDG_DATA_HOME", "home/.local/share"),
        ];
        if odd_home {
            let odd = random.word(&["", "/proc/self/cwd", "relative", "/nonexistent", "/dev/null"]);
            // An empty value stands for an unset variable.
            if !odd.is_empty() {
                self.environment.push(("HOME", odd.to_owned()));
            }
            // The user's real home would be used instead, which no storm may touch.
            for (name, folder) in folders {
                self.environment.push((name, self.path(folder).display().to_string()));
            }
            self.recorded = false;
        } else {
            self.environment.push(("HOME", home));
            for (name, _) in folders {
                if random.one_in(15) {
                    self.environment.push((name, random.word(&odd).to_owned()));
                    self.recorded = false;
                }
            }
        }
        if random.one_in(10) {
            self.environment.push(("GITHUB_TOKEN", "A1b2".repeat(random.below(20_000))));
        }
        if random.one_in(20) {
            self.environment.push(("PWD", "x/".repeat(random.below(40_000))));
        }
        self.environment.push(("PATH", "/usr/bin:/bin".to_owned()));
    }

    fn set_limits(&mut self, random: &mut Random) {
        // Tight enough to break an allocation or a deep recursion, loose enough for the program to start.
        for (limit, odds) in [
            ("ulimit -s 64", 4),
            ("ulimit -v 60000", 12),
            ("ulimit -f 0", 12),
            ("ulimit -n 4", 12),
            ("exec 2>&-", 12),
            ("umask 777", 20),
        ] {
            // The environment is on the stack: one that fills it prevents the start.
            let is_full = self.environment.iter().any(|(_, value)| value.len() > 16_000);
            if random.one_in(odds) && !(is_full && limit.starts_with("ulimit -s")) {
                self.limits.push(limit);
                self.recorded &= limit.starts_with("ulimit -s") || limit.starts_with("exec");
            }
        }
    }

    /// Replaces a file by something unexpected.
    fn spoil(&mut self, random: &mut Random, target: &str) {
        let path = self.path(target);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).ok();
        }
        remove(&path);
        let trick = random.below(12);
        let made = match trick {
            0 => fifo(&path),
            1 => symlink("/dev/ptmx", &path).is_ok(),
            2 => symlink("/dev/zero", &path).is_ok(),
            3 => symlink(&path, &path).is_ok(),
            4 => symlink("/nonexistent/below", &path).is_ok(),
            5 => std::fs::create_dir(&path).is_ok(),
            6 => UnixListener::bind(&path).is_ok(),
            7 => std::fs::write(&path, noise(random)).is_ok(),
            8 => std::fs::write(&path, "a=1\n".repeat(random.below(300_000))).is_ok(),
            9 => std::fs::write(&path, "[".repeat(random.below(200_000))).is_ok(),
            10 => symlink("/proc/self/mem", &path).is_ok(),
            _ => std::fs::write(&path, b"").is_ok() && lock_away(&path),
        };
        if made {
            self.odd.push(format!("{target} (trick {trick})"));
            self.recorded &= !target.contains("/state/");
        }
    }

    /// Size of the records, and the opening marks: one of them changes with every call that leaves a trace.
    pub(super) fn trace(&self) -> Trace {
        let state = self.path("home/.local/state/tenterhook");
        let files = std::fs::read_dir(state.join("audit")).into_iter().flatten().flatten();
        let plain = files.filter_map(|entry| entry.metadata().ok().filter(Metadata::is_file));
        let marks = state.join("open");
        let has_marks = marks.symlink_metadata().is_ok_and(|found| found.is_file());
        Trace {
            records: plain.map(|found| found.len()).sum(),
            marks: has_marks.then(|| std::fs::read(marks).ok()).flatten(),
        }
    }

    /// The settings that no call may change; `None` if replaced.
    pub(super) fn settings(&self) -> Vec<Option<Vec<u8>>> {
        let read = |name: &&str| {
            let path = self.path(name);
            let plain = path.symlink_metadata().is_ok_and(|found| found.is_file());
            plain.then(|| std::fs::read(&path).ok()).flatten()
        };
        SETTINGS.iter().map(read).collect()
    }

    pub(super) fn summary(&self) -> String {
        let short = |(name, value): &(&str, String)| {
            format!("{name}={}", value.chars().take(40).collect::<String>())
        };
        let environment: Vec<String> = self.environment.iter().map(short).collect();
        format!(
            "odd: {}; limits: {}; environment: {}",
            self.odd.join(", "),
            self.limits.join(", "),
            environment.join(" ")
        )
    }

    pub(super) fn clear(&self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

fn remove(path: &Path) {
    if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        std::fs::remove_dir_all(path).ok();
    } else {
        std::fs::remove_file(path).ok();
    }
}

fn fifo(path: &Path) -> bool {
    Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success())
}

fn lock_away(path: &Path) -> bool {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).is_ok()
}

fn noise(random: &mut Random) -> Vec<u8> {
    let length = random.below(5000);
    (0..length).map(|_| u8::try_from(random.below(256)).unwrap_or_default()).collect()
}
