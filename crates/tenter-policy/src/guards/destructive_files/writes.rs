//! Checks for overwriting, truncating and writing to protected places.

use tenter_shell::Act;
use tenter_shell::{Kind, PathKind, Ran, Role, Source};

use super::checks::{CUT_OFF, OVERWRITTEN, SHRED, STARTUP, SYSTEM, SYSTEM_WRITE};
use super::{Loss, names};
use crate::finding::Found;
use crate::places::Zone;
use crate::scene::PassageKind;

impl Loss<'_> {
    pub(super) fn overwritten(&self, found: &mut Found<'_>) {
        match self.effect.action {
            Act::Shred if self.whole() && self.zone <= Zone::Repository => {
                return self.deleted(found);
            }
            Act::Shred if self.zone == Zone::Temporary => return,
            Act::Shred => return self.add(found, &SHRED, "destroys beyond recovery:"),
            Act::EditInPlace if self.zone > Zone::System => return,
            _ => {}
        }
        match self.zone {
            _ if self.depends() && names::is_python_startup(&self.name()) => self.startup(found),
            Zone::Root | Zone::SystemTree | Zone::System => self.written(found),
            _ if self.is_hook() => self.startup(found),
            Zone::Repository => self.repository(found, "overwrites"),
            Zone::HomeTree if self.effect.action == Act::Truncate && self.tells_to_empty() => {
                self.add(found, &CUT_OFF, "empties");
            }
            Zone::HomeTree if !self.is_missing() => {
                self.add(found, &OVERWRITTEN, "overwrites");
            }
            Zone::Home | Zone::Workspace if self.effect.action == Act::Truncate => {
                self.add(found, &CUT_OFF, "empties");
            }
            // `find ~ -type f -exec dd if=/dev/zero of={} ;`
            Zone::Home | Zone::Workspace if self.is(Role::BlockCopier) && self.path.has_glob() => {
                self.add(found, &CUT_OFF, "overwrites every file in");
            }
            Zone::Inside | Zone::Personal | Zone::Outside => self.cut_off(found),
            _ => {}
        }
    }

    fn is_missing(&self) -> bool {
        let text = self.path.exact();
        text.and_then(|text| self.scene.world.kind(text)) == Some(PathKind::Missing)
    }

    fn cut_off(&self, found: &mut Found<'_>) {
        let shown = self.path.shown();
        let name = shown.rsplit('/').next().unwrap_or(&shown);
        let work = names::is_work(name);
        if names::is_clutter(name) && !work {
            return;
        }
        let manifest = names::is_manifest(self.in_workspace(&shown).unwrap_or(&shown));
        let (check, does) = match self.effect.action {
            Act::Truncate if self.tells_to_empty() => return self.add(found, &CUT_OFF, "empties"),
            Act::Truncate if work || manifest || self.zone != Zone::Inside => (&CUT_OFF, "empties"),
            // Overwrites a work file with random bytes or zeros.
            Act::Copy if work && self.is(Role::BlockCopier) => (&CUT_OFF, "overwrites"),
            // Writing a complete document is a new version; writing one line or copying another file is not.
            Act::Redirect | Act::Tee
                if manifest && !names::is_prose(name) && !self.is(Role::Concatenates) =>
            {
                (&OVERWRITTEN, "overwrites")
            }
            Act::Redirect
                if manifest && self.is(Role::Concatenates) && !self.effect.sources.is_empty() =>
            {
                (&OVERWRITTEN, "overwrites")
            }
            _ => return,
        };
        // A redirection often creates the file; then nothing is lost.
        if !self.is_missing() {
            self.add(found, check, does);
        }
    }

    /// Whether the program's only purpose is to truncate the file.
    fn tells_to_empty(&self) -> bool {
        let to_zero = || ["0", "-s0", "--size=0"].iter().any(|size| self.says(size));
        self.is(Role::Copies) || self.is(Role::Truncates) && to_zero()
    }

    pub(super) fn written(&self, found: &mut Found<'_>) {
        let starts = names::is_autostart(&self.path.shown());
        if self.effect.action == Act::MakeDirectory || self.effect.action == Act::Touch && !starts {
            return;
        }
        if self.depends() && names::is_python_startup(&self.name()) {
            return self.startup(found);
        }
        let nowhere =
            |source: &Source| matches!(source, Source::File(file) if &**file == "/dev/null");
        let emptied = matches!(self.effect.action, Act::Symlink | Act::Hardlink)
            && self.effect.sources.sources().iter().any(nowhere);
        match self.zone {
            Zone::Root | Zone::SystemTree | Zone::System => {}
            _ if self.is_hook() || self.path.shown().starts_with("$PROFILE") => {
                return self.startup(found);
            }
            Zone::Inside | Zone::Personal | Zone::HomeTree if emptied => {
                return self.add(found, &CUT_OFF, "empties");
            }
            Zone::HomeTree | Zone::Personal => return self.startup(found),
            Zone::Repository if self.effect.kind != Kind::Append => {
                return self.repository(found, "overwrites");
            }
            _ => return,
        }
        let shown = self.path.shown();
        // Into a folder for temporary files, or for manually installed programs.
        let by_hand = ["/usr/local/", "/opt/", "/var/www/", "/var/log/", "/run/", "/var/run/"];
        let temporary = matches!(&*shown, "/tmp" | "/var/tmp" | "/private/tmp");
        // Devices are covered by another guard.
        if temporary
            || self.depends()
            || shown.starts_with("/dev/")
            || (by_hand.iter().any(|folder| shown.starts_with(folder))
                && !self.empties_log(&shown)
                && !names::is_settings_of_bsd(&shown))
        {
            return;
        }
        let cut = self.effect.kind == Kind::Overwrite && self.effect.action != Act::EditInPlace;
        let vital = |text: &str| {
            names::is_vital_file(text)
                || names::is_everyday_program(text)
                || (cut && names::is_vital(text))
        };
        if self.path.exact().is_some_and(vital) {
            self.add(found, &SYSTEM, "overwrites");
        } else {
            self.add(found, &SYSTEM_WRITE, "changes a system file:");
        }
    }

    /// Truncating a system log destroys evidence.
    fn empties_log(&self, shown: &str) -> bool {
        let logs = [
            "auth.log",
            "secure",
            "syslog",
            "system.log",
            "messages",
            "wtmp",
            "btmp",
            "lastlog",
            "kern.log",
        ];
        let name = shown.strip_prefix("/var/log/").unwrap_or_default();
        let audit = name.starts_with("audit/") || name.starts_with("journal/");
        self.effect.kind != Kind::Append && (audit || logs.contains(&name))
    }

    /// Checks lines added to shell start-up files that fetch or decode code, or set a trap.
    fn startup(&self, found: &mut Found<'_>) {
        let shown = self.path.shown();
        if names::is_autostart(&shown) {
            return self.add(found, &STARTUP, "makes a program start by itself:");
        }
        let every_shell = names::is_startup(&self.name());
        let python = names::is_python_startup(&self.name());
        if !every_shell && !python && !self.is_hook() {
            return;
        }
        let risky = |text: &str| {
            [
                "curl ",
                "wget ",
                "nc ",
                "base64",
                "rm -r",
                "alias sudo",
                "alias rm=",
                "alias ssh",
                "/tmp/",
                "/dev/tcp/",
                "/dev/udp/",
                "iex ",
                "Invoke-Expression",
            ]
            .iter()
            .any(|word| text.contains(word))
                || python
                    && ["os.system", "subprocess", "exec(", "socket", "urllib"]
                        .iter()
                        .any(|word| text.contains(word))
                || names::redefines(text)
        };
        let typed = match self.scene.program(self.effect) {
            Some(ran) => {
                let says = |ran: &Ran| ran.argv.iter().any(|field| risky(&field.shown()));
                says(ran) || ran.is(Role::PassesOn) && (self.said(&says) || self.in_heredoc(&risky))
            }
            None => self
                .scene
                .passages
                .iter()
                .any(|passage| passage.kind == PassageKind::Written && risky(&passage.text)),
        };
        if typed {
            let does = if every_shell {
                "changes what every new shell runs:"
            } else if python {
                "changes what every Python runs at its start:"
            } else {
                "makes git fetch, decode or delete from now on:"
            };
            self.add(found, &STARTUP, does);
        }
    }

    fn name(&self) -> String {
        let shown = self.path.shown();
        shown.rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// Whether a program that prints into the file has such an argument: `echo ... | tee -a ~/.bashrc`.
    fn said(&self, says: &dyn Fn(&Ran) -> bool) -> bool {
        const NEAR: usize = 64;
        let prints = |ran: &&Ran| ran.is(Role::Prints);
        let index = self.effect.command.map_or(0, |index| index as usize);
        let before = self.scene.analysis.commands.get(..index).unwrap_or_default();
        before.iter().rev().take(NEAR).filter(prints).any(says)
    }

    /// Whether a heredoc contains such a line: `cat >> ~/.bashrc <<EOF`.
    fn in_heredoc(&self, risky: &dyn Fn(&str) -> bool) -> bool {
        let command = self.scene.command.as_deref().unwrap_or_default();
        let lines = command.split_once("<<").and_then(|(_, rest)| rest.split_once('\n'));
        lines.is_some_and(|(_, lines)| risky(lines))
    }

    /// Whether git runs the file at its next commit, checkout or push.
    fn is_hook(&self) -> bool {
        let shown = self.path.shown();
        ["/.git/hooks/", "/.husky/"].iter().any(|folder| shown.contains(folder))
            && !shown.ends_with(".sample")
    }
}
