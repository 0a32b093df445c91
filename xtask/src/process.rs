//! Runs other programs and reports their failures.

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::error::{Context, Error, Result};

/// Runs a command in our terminal and fails unless it succeeds. The command is printed on stderr, since
/// stdout may be piped.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = spoken(command);
    eprintln!("$ {line}");
    let status = command.status().context(format!("starting `{line}`"))?;
    if status.success() { Ok(()) } else { Err(Error::new(format!("`{line}` failed: {status}"))) }
}

/// Runs a command and returns its stdout; a failure quotes the end of stderr.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = spoken(command);
    let output = command.stdin(Stdio::null()).output().context(format!("starting `{line}`"))?;
    if !output.status.success() {
        let tail = tail(&output.stderr);
        return Err(Error::new(format!("`{line}` failed: {}{tail}", output.status)));
    }
    String::from_utf8(output.stdout).context(format!("`{line}` printed something but UTF-8"))
}

/// Runs a command with `input` on stdin, as a coding agent would.
pub(crate) fn with_input(command: &mut Command, input: &[u8]) -> Result<Output> {
    let line = spoken(command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context(format!("starting `{line}`"))?;
    // A child may close its stdin early; only its answer is judged.
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input).ok();
    }
    child.wait_with_output().context(format!("waiting for `{line}`"))
}

/// Whether the program runs: a shim without a program behind it counts as missing.
pub(crate) fn works(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The command as a user would type it, without folders of programs.
pub(crate) fn spoken(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let program = program.file_stem().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// The line with `error` in stderr, or else the last lines.
fn tail(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if let Some(line) = lines.iter().find(|line| line.to_lowercase().starts_with("error")) {
        return format!("; {}", line.trim_end());
    }
    let last = lines.get(lines.len().saturating_sub(5)..).unwrap_or_default();
    std::iter::once("").chain(last.iter().copied()).collect::<Vec<_>>().join("\n  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_quotes_the_line_that_matters() {
        let stderr = b"info: syncing\nerror: no such target\nstack backtrace:\n  0: main\n";
        assert_eq!(tail(stderr), "; error: no such target");
        assert_eq!(tail(b"a\n\nb\n"), "\n  a\n  b");
        assert_eq!(tail(b""), "");
    }
}
