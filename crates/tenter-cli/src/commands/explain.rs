//! `tenter explain`: what a command line would really do.

mod facts;
mod json;
mod source;
mod tree;

use std::io::Read;
use std::process::ExitCode;

use tenter_shell::budget::MAX_BYTES;
use tenter_shell::syntax::Dialect;
use tenter_shell::{Language, World, analyze};

pub(crate) use json::schema;

/// Show what a command line would really do, without running it
///
/// Words are expanded as a shell would, wrappers are taken off, code inside code is read. The tree shows which
/// programs run with which arguments in which directory, and what each would delete, overwrite, send, install or
/// execute. A full dot is certain, a hollow one depends on a branch, a pattern or a variable. docs/explain.md tells
/// what every effect means.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    /// The command, after `--`; several words are joined by blanks
    #[arg(value_name = "COMMAND", last = true, required_unless_present_any = ["stdin", "effects"])]
    command: Vec<String>,
    /// Read the command from standard input
    #[arg(long, conflicts_with = "command")]
    stdin: bool,
    /// The folder it would run in [default: this one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// The shell that would run it
    #[arg(long, value_name = "SHELL", default_value = "bash", value_parser = shell)]
    shell: Language,
    /// Print one JSON object; `tenter schema explain` describes it
    #[arg(long)]
    json: bool,
    /// Print what every kind of effect means instead
    #[arg(long, conflicts_with_all = ["command", "stdin", "cwd", "json"])]
    effects: bool,
    /// With --effects: as the table in docs/explain.md
    #[arg(long, requires = "effects")]
    markdown: bool,
}

fn shell(name: &str) -> Result<Language, String> {
    Ok(match name {
        "bash" => Language::Shell(Dialect::Bash),
        "sh" => Language::Shell(Dialect::Posix),
        "zsh" => Language::Shell(Dialect::Zsh),
        "fish" => Language::Shell(Dialect::Fish),
        "powershell" => Language::PowerShell,
        "cmd" => Language::Cmd,
        _ => return Err("not one of bash, sh, zsh, fish, powershell, cmd".to_owned()),
    })
}

/// Variables whose values are no secret and that commands often name.
const VARIABLES: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "PATH",
    "TMPDIR",
    "TEMP",
    "TMP",
    "LANG",
    "HOSTNAME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
];

pub(crate) fn run(args: &Args) -> ExitCode {
    if args.effects {
        return super::print(&kinds(args.markdown));
    }
    let command = if args.stdin {
        match from_stdin() {
            Ok(command) => command,
            Err(fault) => return super::usage_error("explain", &fault),
        }
    } else {
        args.command.join(" ")
    };
    let cwd = match &args.cwd {
        Some(cwd) => match std::path::absolute(cwd) {
            Ok(path) => Some(path.to_string_lossy().into_owned()),
            Err(error) => return super::usage_error("explain", &format!("--cwd: {error}")),
        },
        None => std::env::current_dir().ok().map(|path| path.to_string_lossy().into_owned()),
    };
    let given: Vec<(&str, String)> = VARIABLES
        .iter()
        .filter_map(|name| std::env::var(name).ok().map(|value| (*name, value)))
        .collect();
    let variables: Vec<(&str, &str)> =
        given.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let value =
        |wanted: &str| variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    let world = World {
        cwd: cwd.as_deref(),
        home: value("HOME"),
        user: value("USER"),
        variables: &variables,
        language: args.shell,
        case_insensitive: cfg!(any(windows, target_os = "macos")),
        facts: &facts::Files,
        ..World::default()
    };
    let analysis = analyze(&command, &world);
    if args.json {
        return super::print(&format!("{:#}", json::report(&command, &world, &analysis)));
    }
    super::print(&tree::render(&command, &world, &analysis, style()))
}

/// Reads one byte more than is judged, so that a longer command is known to be longer.
fn from_stdin() -> Result<String, String> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_mul(16);
    std::io::stdin()
        .lock()
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot read the command: {error}"))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned())
}

/// Escape sequences, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Colour,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colour => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}

fn style() -> Style {
    if super::wants_colour() { Style::Colour } else { Style::Plain }
}

/// Every kind of effect with its meaning.
fn kinds(markdown: bool) -> String {
    let mut text = String::new();
    if markdown {
        text.push_str("| Kind | It happens when |\n|---|---|\n");
    }
    for kind in tenter_shell::Kind::ALL {
        let line = if markdown {
            format!("| `{}` | {} |\n", kind.name(), kind.meaning())
        } else {
            format!("{:17} {}\n", kind.name(), kind.meaning())
        };
        text.push_str(&line);
    }
    text
}
