//! Smoke test of the release binary: a few recorded payloads, and a large one within a memory limit.

use std::path::Path;
use std::process::{Command, Output};

use crate::error::{Context, Error, Result};
use crate::workspace::Workspace;
use crate::{payload, process};

/// Maximum memory as a multiple of the payload.
pub(crate) const MEMORY_FACTOR: usize = 4;

const ALLOW: &str = "{\"permission\":\"allow\"}";

/// A recorded payload, its host, and the expected neutral answer.
struct Case {
    host: &'static str,
    what: &'static str,
    payload: String,
    answer: &'static str,
}

pub(crate) fn check(workspace: &Workspace, binary: &Path) -> Result<()> {
    for case in cases(workspace)? {
        let output = hook(Command::new(binary).args(["hook", case.host]), &case)?;
        println!("hook {} answers {} with `{}`", case.host, case.what, output.trim_end());
    }
    check_guard(workspace, binary)?;
    if cfg!(target_os = "linux") {
        check_memory(workspace, binary)?;
    } else {
        println!("memory under a limit: not checked, Linux only");
    }
    Ok(())
}

fn cases(workspace: &Workspace) -> Result<Vec<Case>> {
    let codex = workspace.fixtures("codex").join("codex-cli-0.166.0/PreToolUse.Bash.json");
    let codex = std::fs::read_to_string(&codex).context(format!("reading {}", codex.display()))?;
    let cursor = |event| payload::cursor(workspace, event);
    Ok(vec![
        Case { host: "codex", what: "PreToolUse", payload: codex, answer: "" },
        Case {
            host: "cursor",
            what: "sessionStart",
            payload: cursor("sessionStart")?,
            answer: "{}",
        },
        Case {
            host: "cursor",
            what: "beforeShellExecution",
            payload: payload::small(workspace)?,
            answer: ALLOW,
        },
    ])
}

/// The recorded command is a force push to main: a release that allows it is broken.
fn check_guard(workspace: &Workspace, binary: &Path) -> Result<()> {
    let payload = payload::cursor(workspace, "beforeShellExecution")?;
    let mut command = Command::new(binary);
    command.args(["hook", "cursor"]).env("HOME", payload::empty_home()?);
    let output = process::with_input(&mut command, payload.as_bytes())?;
    let answer = String::from_utf8_lossy(&output.stdout);
    if !answer.starts_with("{\"permission\":\"deny\"") {
        return Err(Error::new(format!("a forced push to main was answered with `{answer}`")));
    }
    println!("hook cursor denies a forced push to main");
    Ok(())
}

/// Limits the address space, which is stricter than resident memory and needs no tool. The image size is
/// added: it is mapped completely but hardly touched.
fn check_memory(workspace: &Workspace, binary: &Path) -> Result<()> {
    let payload = payload::large(workspace)?;
    let image = std::fs::metadata(binary).context(format!("reading {}", binary.display()))?.len();
    let image = usize::try_from(image).unwrap_or(usize::MAX);
    let kilobytes = payload.len() * MEMORY_FACTOR / 1024 - 1 + image / 1024;
    let script = format!("ulimit -v {kilobytes} && exec \"$0\" hook cursor");
    let mut limited = Command::new("sh");
    limited.arg("-c").arg(script).arg(binary);
    let len = payload.len();
    let case = Case { host: "cursor", what: "a large beforeReadFile", payload, answer: ALLOW };
    hook(&mut limited, &case)?;
    println!(
        "hook cursor answers {len} bytes within {kilobytes} KB of address space, the image included"
    );
    Ok(())
}

fn hook(command: &mut Command, case: &Case) -> Result<String> {
    command.env("HOME", payload::empty_home()?);
    let output = process::with_input(command, case.payload.as_bytes())?;
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() && answer.trim_end() == case.answer {
        return Ok(answer);
    }
    Err(Error::new(wrong(case, &output)))
}

fn wrong(case: &Case, output: &Output) -> String {
    format!(
        "`tenter hook {}` was to answer {} with `{}` and success, but printed `{}` and ended with \
         {}; stderr: {}",
        case.host,
        case.what,
        case.answer,
        String::from_utf8_lossy(&output.stdout).trim_end(),
        output.status,
        String::from_utf8_lossy(&output.stderr).trim_end(),
    )
}
