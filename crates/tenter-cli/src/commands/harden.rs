//! `tenter harden`: makes hook files, policy and program immutable for their user.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tenter_engine::diagnostic::printable;
use tenter_files::Whose;
use tenter_setup::harden::{self, Hardened, Standing};
use tenter_setup::{Places, doctor};

use super::which::{self, Which};
use crate::error::CommandError;
use crate::guard::human;

/// Give hook files, policy and program to root and make them immutable, or undo that (as root)
///
/// Any program you run can change your files; hardened files need root. The hook files with tenter's
/// entries, the policies and the program are given to root and, where the file system supports it (`chattr
/// +i`), cannot be changed, replaced or removed until `tenter harden --undo` restores owner, mode and
/// attributes. Hosts cannot write these files either, so settings you change in them are not saved
/// meanwhile. You can still rename the folder above a hardened file; hooks installed with `--scope managed`
/// do not have that gap.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// User whose files to harden [default: the user who called sudo]
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Restore every file's owner, mode and attributes
    #[arg(long)]
    undo: bool,
    /// Show the changes, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let mut places = args.which.places()?;
    let user = account(args.user.as_deref(), &mut places)?;
    if args.undo {
        return undo(args, &places);
    }
    let program = std::env::current_exe().map_err(CommandError::failed)?;
    let known = harden::read(&places).map_err(CommandError::failed)?;
    let is_new = |path: &PathBuf| {
        !known.iter().any(|it| it.path == *path && harden::standing(it) == Standing::Immutable)
    };
    let wanted: Vec<PathBuf> = harden::wanted(&which::look(&places), &places, &program)
        .into_iter()
        .filter(is_new)
        .collect();
    if wanted.is_empty() {
        return Ok(super::print("nothing to harden: all of it is, or nothing is wired"));
    }
    let list: Vec<String> = wanted.iter().map(|path| format!("  {}", path.display())).collect();
    say(&format!("To be made root's and immutable:\n{}", list.join("\n")));
    if args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    needs_root()?;
    human::no_agent()?;
    agreed(args, "Harden them?")?;
    let mut failed = false;
    for path in wanted {
        let line = match harden::harden(&path, user, &places) {
            Ok(Standing::Immutable) => format!("{}: immutable", path.display()),
            Ok(_) => format!(
                "{}: root's; this file system knows no immutable files, so the owner of the folder can still replace it",
                path.display()
            ),
            Err(fault) => {
                failed = true;
                format!("not hardened: {fault}")
            }
        };
        say(&line);
    }
    Ok(ExitCode::from(u8::from(failed)))
}

fn undo(args: &Args, places: &Places) -> Result<ExitCode, CommandError> {
    let known = harden::read(places).map_err(CommandError::failed)?;
    if known.is_empty() {
        return Ok(super::print("nothing is hardened"));
    }
    let list: Vec<String> = known.iter().map(line).collect();
    say(&format!("To be brought back:\n{}", list.join("\n")));
    if args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    needs_root()?;
    human::no_agent()?;
    agreed(args, "Undo it?")?;
    human::may_loosen()?;
    let mut failed = false;
    for before in &known {
        let undone = harden::undo(before, places);
        failed |= undone.is_err();
        say(&undone.unwrap_or_else(|fault| format!("not undone: {fault}")));
    }
    Ok(ExitCode::from(u8::from(failed)))
}

fn line(it: &Hardened) -> String {
    let Hardened { path, user, group, mode, .. } = it;
    format!("  {} (owner {user}:{group}, mode {mode:o})", path.display())
}

fn needs_root() -> Result<(), CommandError> {
    if doctor::user() == Some(0) {
        return Ok(());
    }
    Err(CommandError::failed("only root can do this; run it with sudo"))
}

fn agreed(args: &Args, question: &str) -> Result<(), CommandError> {
    if args.yes {
        return Ok(());
    }
    if !human::has_terminal() {
        return Err(CommandError::failed("there is no terminal to ask on (--yes does it unasked)"));
    }
    if human::agree(question)? { Ok(()) } else { Err(CommandError::failed("nothing was changed")) }
}

/// User id of the account; under sudo its home is used.
fn account(name: Option<&str>, places: &mut Places) -> Result<u32, CommandError> {
    let sudo = std::env::var("SUDO_USER").ok();
    let Some(name) = name.or(sudo.as_deref()) else { return Ok(doctor::user().unwrap_or(0)) };
    let users = tenter_files::read_text(Path::new("/etc/passwd"), 16 << 20, Whose::Settings)
        .map_err(CommandError::failed)?;
    let fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let mut own = fields.filter(|fields| fields.first() == Some(&name));
    let fields = own
        .next()
        .ok_or_else(|| CommandError::failed(format!("there is no user `{name}` here")))?;
    let home = fields
        .get(5)
        .ok_or_else(|| CommandError::failed(format!("`{name}` has no home folder")))?;
    places.home = Some(PathBuf::from(home));
    places.variables.remove("XDG_CONFIG_HOME");
    let number = fields.get(2).and_then(|number| number.parse().ok());
    number.ok_or_else(|| CommandError::failed(format!("`{name}` has no number")))
}

fn say(text: &str) {
    let text: Vec<String> = text.lines().map(|line| printable(line).into_owned()).collect();
    // Ignore write errors: there is nowhere else to report them.
    drop(writeln!(std::io::stderr(), "{}", text.join("\n")));
}
