//! `tenter lint`: finds mistakes in hook files of a project, a user or the system.

mod executable;
mod gather;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use tenter_lint::render::{self, Style, View};
use tenter_lint::{File, Mended, Options};
use tenter_model::HostId;
use tenter_setup::files;

use super::host_id;
use crate::error::CommandError;
use crate::table::Table;

/// Check the hook files of Cursor, Claude Code, Codex, Gemini CLI and Qwen Code for mistakes
///
/// Without a path, looks at the files of the project around you, of your home folder and of the system. Every
/// finding says where it is, what it costs on that host and what to do. Exit 0: no findings; 1: findings; 2: wrong
/// use; 3: something could not be read or written. docs/lint.md explains every rule.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A hook file, or a folder with projects in it
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Fix what is safe to fix; layout and comments stay
    #[arg(long)]
    fix: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Only this host's files; also the host of files with another name
    #[arg(long, value_name = "cursor|claude|codex", value_parser = host_id)]
    host: Option<HostId>,
    /// Print the rules instead
    #[arg(long, conflicts_with_all = ["paths", "fix", "host"])]
    list_rules: bool,
    /// With --list-rules: the page that is in docs/lint.md
    #[arg(long, requires = "list_rules")]
    markdown: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, with the line and a caret
    Human,
    /// One object
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    if args.list_rules {
        let text = if args.markdown { render::markdown() } else { rules_table() };
        return Ok(super::print(&text));
    }
    let cwd = std::env::current_dir()
        .map_err(|error| CommandError::internal(format!("the working folder is gone: {error}")))?;
    let options = options();
    let gathered = gather::gather(&args.paths, args.host, &cwd, &options)?;
    let mut files = gathered.files;
    let mut view = View { cwd, ..View::default() };
    let mut failures = Vec::new();
    if args.fix {
        (files, view.mended, failures) = mend(&files, &options);
        view.notes.extend(approvals(&files, &view.mended));
    }
    view.report = tenter_lint::lint(&files, &options);
    view.files = files.into_iter().map(|file| file.path).collect();
    let text = match args.format {
        Format::Json => format!("{:#}", render::json(&view)),
        Format::Sarif => format!("{:#}", render::sarif(&view, env!("CARGO_PKG_VERSION"))),
        Format::Human if view.files.is_empty() => nothing_found(&view, &gathered.looked),
        Format::Human => render::human(&view, style()),
    };
    let printed = super::print(&text);
    if printed != ExitCode::SUCCESS {
        return Ok(printed);
    }
    if !failures.is_empty() {
        return Err(CommandError::internal(failures.join("\ntenter lint: ")));
    }
    Ok(ExitCode::from(u8::from(!view.report.is_clean())))
}

/// Writes the fixes. Returns the new files, the fixes, and the errors.
fn mend(files: &[File], options: &Options) -> (Vec<File>, Vec<Mended>, Vec<String>) {
    let fixed = tenter_lint::fix(files, options);
    let mut mended = fixed.mended;
    let mut failures = Vec::new();
    let mut result = Vec::new();
    for (before, after) in files.iter().zip(fixed.files) {
        if before.text == after.text {
            result.push(after);
            continue;
        }
        match files::replace(&before.path, &before.text, &after.text) {
            Ok(()) => result.push(after),
            Err(trouble) => {
                let path = shown(&before.path);
                failures
                    .push(format!("cannot write `{path}`: {}", render::visible(&trouble.reason)));
                mended.retain(|mended| mended.file != before.path);
                result.push(before.clone());
            }
        }
    }
    for (script, done) in fixed.executable {
        match executable::make_executable(&script) {
            Ok(()) => mended.push(done),
            Err(error) => failures.push(format!("cannot change `{}`: {error}", shown(&script))),
        }
    }
    (result, mended, failures)
}

/// Notes that Codex hooks must be approved again after a change.
fn approvals(files: &[File], mended: &[Mended]) -> Vec<(PathBuf, String)> {
    let changed = |file: &&File| {
        tenter_setup::codex_trust::asks(file.host)
            && mended.iter().any(|mended| mended.file == file.path)
    };
    let note = "Codex runs changed hooks only once you have approved them again with `/hooks`";
    files.iter().filter(changed).map(|file| (file.path.clone(), note.to_owned())).collect()
}

fn options() -> Options {
    let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let folder =
        |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let moved = Options::moved(folder);
    Options { home: folder(home), path: std::env::var_os("PATH"), moved }
}

fn style() -> Style {
    if super::wants_colour() { Style::Colour } else { Style::Plain }
}

fn shown(path: &Path) -> String {
    render::visible(&path.display().to_string())
}

fn nothing_found(view: &View, looked: &[PathBuf]) -> String {
    let mut text = String::from("no hook files; looked at:\n");
    for path in looked {
        text.push_str("  ");
        text.push_str(&view.shown(path));
        text.push('\n');
    }
    for (path, note) in &view.notes {
        text.push_str("note: ");
        text.push_str(&view.shown(path));
        text.push_str(": ");
        text.push_str(note);
        text.push('\n');
    }
    text
}

fn rules_table() -> String {
    let mut table = Table::compact(&["rule", "severity", "hosts", "--fix", "what"]);
    for row in render::table_rows() {
        table.row(row.into());
    }
    table.render()
}
