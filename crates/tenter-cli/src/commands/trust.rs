//! `tenter trust`: approves what a folder runs.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tenter_engine::diagnostic::printable;
use tenter_policy::policy::Handler;
use tenter_setup::scan::{Item, Kind, Options, scan};

use super::scan::{Judged, Seen, Trust, list, look, machine};
use super::{Style, fit};
use crate::error::CommandError;
use crate::guard::trust::{self, Class, Entry};
use crate::guard::{LocalMachine, human, policies};

/// Trust what a folder makes agents run, in its current state
///
/// Shows what `tenter scan` finds and the handlers of the folder's policy, and asks. Trust covers the
/// folder, every definition and the content of every script; a change needs your trust again. Policy
/// handlers run only when trusted. Needs you at a terminal.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder [default: this one]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// List trusted and untrusted items, and change nothing
    #[arg(long, conflicts_with = "forget")]
    list: bool,
    /// Revoke the trust in this folder
    #[arg(long)]
    forget: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let folder = args.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let done = Folder::look(&folder).and_then(|folder| {
        if args.list {
            return Ok(folder.list());
        }
        if args.forget {
            return folder.forget();
        }
        let mut ask = |text: &str, question: &str| {
            human::present()?;
            drop(std::io::stderr().write_all(fit::for_stderr(text).as_bytes()));
            Ok(human::agree(question)? && human::may_loosen().map(|()| true)?)
        };
        folder.trust(&mut ask)
    });
    Ok(super::print(&fit::for_stdout(&done?)))
}

/// A folder's state when it was shown: approval applies to that, not to later changes.
#[derive(Debug)]
struct Folder {
    machine: LocalMachine,
    seen: Seen,
    /// Handlers of the policies here, with fingerprints and trust state.
    handlers: Vec<(Handler, Result<String, String>, bool)>,
}

impl Folder {
    fn look(folder: &Path) -> Result<Self, CommandError> {
        let machine = machine(folder)?;
        Self::seen_by(machine, folder)
    }

    fn seen_by(machine: LocalMachine, folder: &Path) -> Result<Self, CommandError> {
        let report = scan(folder, Options::default())
            .map_err(|error| CommandError::usage(format!("{}: {error}", folder.display())))?;
        let seen = look(report, &machine, &trust::all(&machine.folders));
        let policy = policies::load(&machine.folders, &machine.here()).policy;
        let of_project = policy.handlers.into_iter().filter(|handler| handler.project);
        let handlers = of_project
            .map(|handler| {
                let hash =
                    trust::fingerprint(&handler, &machine).map_err(|error| error.to_string());
                let known = trust::is_trusted(&handler, &machine);
                (handler, hash, known)
            })
            .collect();
        Ok(Self { machine, seen, handlers })
    }

    fn root(&self) -> String {
        self.seen.root.display().to_string()
    }

    fn handler_line(handler: &Handler, known: bool) -> String {
        let state = if known { "trusted" } else { "not trusted" };
        let run = handler.run.join(" ");
        format!("{state:12} handler {}: {}\n", printable(&handler.id), printable(&run))
    }

    /// Whether the scan found the handler too: then it is shown and counted as that item.
    fn is_item(handler: &Handler, items: &[&Judged]) -> bool {
        let is_it = |item: &Item| item.kind == Kind::PolicyHandler && item.name == handler.id;
        items.iter().any(|judged| is_it(&judged.item))
    }

    /// Lists everything with its state.
    fn list(&self) -> String {
        let mut text = String::new();
        let items: Vec<&Judged> = self.seen.items.iter().collect();
        let alone = self.handlers.iter().filter(|(it, ..)| !Self::is_item(it, &items));
        for (handler, _, known) in alone {
            text.push_str(&Self::handler_line(handler, *known));
        }
        for judged in &self.seen.items {
            let state = match judged.trust {
                Trust::Trusted | Trust::Baseline => "trusted",
                Trust::Changed => "changed",
                Trust::Untrusted => "not trusted",
            };
            let item = &judged.item;
            let place = printable(&item.file).replace('\n', "\\u{a}");
            let name = printable(&item.name).replace('\n', "\\u{a}");
            let _ = writeln!(
                text,
                "{state:12} {place}:{} {} {} {name}",
                item.line,
                item.host,
                item.kind.id()
            );
        }
        if text.is_empty() {
            text.push_str(NOTHING);
        }
        text
    }

    fn forget(&self) -> Result<String, CommandError> {
        let root = self.root();
        let old: Vec<&str> =
            self.handlers.iter().filter_map(|(_, hash, _)| hash.as_deref().ok()).collect();
        trust::change(&self.machine.folders, |entries| {
            entries.retain(|it| {
                let unnamed = it.root.is_empty() && old.contains(&it.fingerprint.as_str());
                it.root != root && !unnamed
            });
        })?;
        Ok("nothing of this folder is trusted any more\n".to_owned())
    }

    /// Shows new items, asks, and stores the approval of what was shown.
    fn trust(&self, ask: &mut Ask<'_>) -> Result<String, CommandError> {
        let new: Vec<&Judged> =
            self.seen.items.iter().filter(|item| !item.trust.is_given()).collect();
        let unknown: Vec<_> = self.handlers.iter().filter(|(.., known)| !known).collect();
        if new.is_empty() && unknown.is_empty() {
            let all = self.seen.items.len() + self.handlers.len();
            let text = if all == 0 { NOTHING } else { "everything here is trusted already\n" };
            return Ok(text.to_owned());
        }
        let entries = self.entries(&new, &unknown);
        let mut text = list(&new, Style::Plain);
        let alone = unknown.iter().filter(|(it, ..)| !Self::is_item(it, &new));
        let mut shown = new.len();
        for (handler, hash, _) in alone {
            shown += 1;
            text.push_str(&Self::handler_line(handler, false));
            if let Err(why) = hash {
                let _ = writeln!(text, "             {}", printable(why));
            }
        }
        let twins = unknown.iter().filter(|(it, hash, _)| hash.is_ok() && Self::is_item(it, &new));
        let offered = entries.len().saturating_sub(twins.count());
        let left = shown.saturating_sub(offered);
        if left > 0 {
            let _ = writeln!(text, "{left} of {shown} cannot be trusted, since it cannot be read");
        }
        if entries.is_empty() {
            return Err(CommandError::failed(format!("nothing can be trusted here\n{text}")));
        }
        let question = match (offered, left) {
            (1, 0) => "Trust it from now on, as it is?".to_owned(),
            (_, 0) => format!("Trust all {offered} from now on, as they are?"),
            _ => format!("Trust the other {offered} from now on, as they are?"),
        };
        match ask(&text, &question) {
            Ok(true) => {}
            Ok(false) => return Err(CommandError::failed("not trusted".to_owned())),
            Err(why) => return Err(why),
        }
        trust::change(&self.machine.folders, |known| {
            known.retain(|old| !entries.iter().any(|new| is_same(old, new)));
            known.extend(entries);
        })?;
        Ok("trusted; a change to any of them must be looked at again\n".to_owned())
    }

    fn entries(
        &self,
        new: &[&Judged],
        unknown: &[&(Handler, Result<String, String>, bool)],
    ) -> Vec<Entry> {
        let entry = |fingerprint: &str, class: Class, place: String| Entry {
            fingerprint: fingerprint.to_owned(),
            class,
            root: self.root(),
            place,
            at: self.machine.now,
        };
        let found = new.iter().filter_map(|it| {
            Some(entry(it.fingerprint.as_deref()?, Class::Found, it.item.place()))
        });
        let handlers = unknown.iter().filter_map(|(handler, hash, _)| {
            Some(entry(hash.as_deref().ok()?, Class::Handler, handler.id.clone()))
        });
        found.chain(handlers).collect()
    }
}

type Ask<'a> = dyn FnMut(&str, &str) -> Result<bool, CommandError> + 'a;

const NOTHING: &str = "there is nothing here that would need trust\n";

fn is_same(one: &Entry, other: &Entry) -> bool {
    (&one.fingerprint, &one.root, &one.place) == (&other.fingerprint, &other.root, &other.place)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const HOOKS: &str = "{ \"hooks\": { \"stop\": [ { \"command\": \"./a.sh\" } ] } }";
    const POLICY: &str = "[[handler]]\nid = \"h\"\non = \"shell\"\nrun = [\"sh\", \"a.sh\"]\n";

    /// A folder with a hook and a handler, and a user with own state.
    struct Case {
        scratch: tempfile::TempDir,
    }

    impl Case {
        fn new() -> Self {
            let case = Self { scratch: tempfile::tempdir().unwrap() };
            case.write("repo/.cursor/hooks.json", HOOKS);
            case.write("repo/a.sh", "echo\n");
            case.write("repo/tenter.toml", POLICY);
            case
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.scratch.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn look(&self) -> Folder {
            self.look_at(&self.scratch.path().join("repo"))
        }

        /// Like [`Folder::look`], with test folders for the user.
        fn look_at(&self, repo: &Path) -> Folder {
            let mut machine = machine(repo).unwrap();
            let home = self.scratch.path().join("home").display().to_string();
            machine.folders =
                crate::guard::folders::Folders::of(|name| (name == "HOME").then(|| home.clone()));
            Folder::seen_by(machine, repo).unwrap()
        }

        fn trust(&self, folder: &Folder, answer: bool) -> Result<String, CommandError> {
            let _ = self;
            folder.trust(&mut |_, _| Ok(answer))
        }

        fn states(&self) -> Vec<&'static str> {
            let folder = self.look();
            let handlers = folder
                .handlers
                .iter()
                .map(|(.., known)| if *known { "trusted" } else { "untrusted" });
            folder.seen.items.iter().map(|it| it.trust.as_str()).chain(handlers).collect()
        }
    }

    #[test]
    fn trust_is_given_to_what_is_there_and_lost_with_one_byte() {
        let case = Case::new();
        assert_eq!(case.states(), ["untrusted"; 3]);
        case.trust(&case.look(), true).unwrap();
        assert_eq!(case.states(), ["trusted"; 3]);
        assert_eq!(
            case.trust(&case.look(), false).unwrap(),
            "everything here is trusted already\n"
        );
        case.write("repo/a.sh", "echo \n");
        assert_eq!(case.states(), ["changed", "changed", "untrusted"]);
        case.write("repo/a.sh", "echo\n");
        assert_eq!(case.states(), ["trusted"; 3], "back to what was looked at");
        case.write("repo/.cursor/hooks.json", &HOOKS.replace("./a.sh", "./a.sh -v"));
        assert_eq!(case.states(), ["changed", "trusted", "trusted"]);
    }

    #[test]
    fn a_no_and_an_agent_change_nothing() {
        let case = Case::new();
        assert!(case.trust(&case.look(), false).is_err());
        let refused =
            case.look().trust(&mut |_, _| Err(CommandError::failed("an agent is asking")));
        assert_eq!(refused.unwrap_err().to_string(), "an agent is asking");
        assert_eq!(case.states(), ["untrusted"; 3]);
    }

    #[test]
    fn what_was_shown_is_trusted_and_not_what_lies_there_at_the_answer() {
        let case = Case::new();
        let folder = case.look();
        let asked = folder.trust(&mut |text, question| {
            assert!(text.contains("$ ./a.sh\n") && text.contains("$ sh a.sh\n"), "{text}");
            assert_eq!(text.matches("handler h").count(), 1, "{text}");
            assert_eq!(question, "Trust all 2 from now on, as they are?");
            case.write("repo/a.sh", "rm -rf ~\n");
            Ok(true)
        });
        asked.unwrap();
        assert_eq!(case.states(), ["changed", "changed", "untrusted"]);
        case.write("repo/a.sh", "echo\n");
        assert_eq!(case.states(), ["trusted"; 3]);
    }

    #[test]
    fn what_is_forgotten_is_not_trusted_and_other_folders_are_left_alone() {
        let case = Case::new();
        case.write("other/.cursor/hooks.json", HOOKS);
        case.trust(&case.look(), true).unwrap();
        let other = case.look_at(&case.scratch.path().join("other"));
        assert_eq!(other.seen.items[0].trust, Trust::Untrusted, "trust is bound to the folder");
        case.trust(&other, true).unwrap();
        assert_eq!(case.look().forget().unwrap(), "nothing of this folder is trusted any more\n");
        assert_eq!(case.states(), ["untrusted"; 3]);
        let other = case.look_at(&case.scratch.path().join("other"));
        assert_eq!(other.seen.items[0].trust, Trust::Trusted);
    }

    #[test]
    fn a_handler_that_was_trusted_before_still_is_and_can_be_forgotten() {
        let case = Case::new();
        let hash = case.look().handlers[0].1.clone().unwrap();
        case.write("home/.local/state/tenterhook/trusted", &format!("{hash}\n"));
        assert_eq!(case.states(), ["untrusted", "untrusted", "trusted"]);
        case.trust(&case.look(), true).unwrap();
        assert_eq!(case.states(), ["trusted"; 3], "the old line is kept");
        case.look().forget().unwrap();
        assert_eq!(case.states(), ["untrusted"; 3]);
    }

    #[test]
    fn two_who_trust_at_once_both_do() {
        let case = Case::new();
        case.write("other/.cursor/hooks.json", HOOKS);
        let (one, other) = (case.look(), case.look_at(&case.scratch.path().join("other")));
        one.trust(&mut |_, _| {
            other.trust(&mut |_, _| Ok(true)).unwrap();
            Ok(true)
        })
        .unwrap();
        assert_eq!(case.states(), ["trusted"; 3]);
        let other = case.look_at(&case.scratch.path().join("other"));
        assert_eq!(other.seen.items[0].trust, Trust::Trusted);
    }

    #[test]
    fn what_is_offered_is_what_was_listed() {
        let case = Case::new();
        case.write("repo/AGENTS.md", &"x".repeat(5 * 1024 * 1024));
        let asked = case.look().trust(&mut |text, question| {
            assert!(
                text.ends_with("1 of 3 cannot be trusted, since it cannot be read\n"),
                "{text}"
            );
            assert_eq!(question, "Trust the other 2 from now on, as they are?");
            Ok(true)
        });
        asked.unwrap();
        assert_eq!(case.look().list().lines().count(), 3, "{}", case.look().list());
    }

    #[test]
    fn what_cannot_be_read_cannot_be_trusted() {
        let case = Case::new();
        case.write("repo/CLAUDE.md/x", "a folder where a file should be");
        case.write("repo/AGENTS.md", &"x".repeat(5 * 1024 * 1024));
        case.trust(&case.look(), true).unwrap();
        assert_eq!(case.states(), ["trusted", "untrusted", "trusted", "trusted"]);
        let again = case.trust(&case.look(), true).unwrap_err();
        assert!(again.to_string().starts_with("nothing can be trusted here"), "{again}");
    }
}
