//! The programs that are compared.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::json;

use crate::commands::scratch::Scratch;
use crate::error::CommandError;

/// A program to start.
pub(super) struct Contender {
    pub(super) key: &'static str,
    pub(super) title: String,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    /// File given as stdin.
    pub(super) input: PathBuf,
    /// Part of the output of a correct run.
    pub(super) answer: &'static str,
    /// Takes tens of milliseconds.
    pub(super) is_slow: bool,
}

const ALLOWED: &str = r#""allow""#;
const DENIED: &str = r#""deny""#;

/// The check that people write by hand, in four languages: stop a recursive deletion.
const BASH: &str = r#"command=$(jq -r .command)
case $command in
  *'rm -rf'*) echo '{"permission":"deny"}' ;;
  *) echo '{"permission":"allow"}' ;;
esac
"#;
const PYTHON: &str = r#"import json, sys
command = json.load(sys.stdin)["command"]
print(json.dumps({"permission": "deny" if "rm -rf" in command else "allow"}, separators=(",", ":")))
"#;
const NODE: &str = r#"const { command } = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify({ permission: command.includes("rm -rf") ? "deny" : "allow" }));
"#;

/// Instructions that end a process without an error.
#[cfg(target_arch = "x86_64")]
const EXIT: Option<(u16, &[u8])> = Some((62, &[0xb8, 0x3c, 0, 0, 0, 0x31, 0xff, 0x0f, 0x05])); // mov eax, 60; xor edi, edi; syscall
#[cfg(target_arch = "aarch64")]
const EXIT: Option<(u16, &[u8])> =
    Some((183, &[0xa8, 0x0b, 0x80, 0xd2, 0, 0, 0x80, 0xd2, 0x01, 0, 0, 0xd4])); // mov x8, 93; mov x0, 0; svc 0
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const EXIT: Option<(u16, &[u8])> = None;

/// An ELF program of one page that only ends: the least that starting any process costs.
fn empty() -> Option<Vec<u8>> {
    const BASE: u64 = 0x40_0000;
    const HEADERS: u64 = 64 + 56;
    let (machine, code) = EXIT.filter(|_| cfg!(target_os = "linux"))?;
    let size = HEADERS.saturating_add(code.len() as u64);
    let mut image = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let short = |values: &[u16]| values.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>();
    let words = |values: &[u32]| values.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>();
    let longs = |values: &[u64]| values.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>();
    image.extend(short(&[2, machine]));
    image.extend(words(&[1]));
    image.extend(longs(&[BASE.saturating_add(HEADERS), 64, 0]));
    image.extend(words(&[0]));
    image.extend(short(&[64, 56, 1, 64, 0, 0]));
    // One segment, readable and executable.
    image.extend(words(&[1, 5]));
    image.extend(longs(&[0, BASE, BASE, size, size, 4096]));
    image.extend(code);
    Some(image)
}

/// The programs that are on this machine, and the names of those that are not.
pub(super) fn all(
    scratch: &Scratch,
    also: &[String],
) -> Result<(Vec<Contender>, Vec<String>), CommandError> {
    let ordinary = payload(scratch, "ordinary", ORDINARY)?;
    let grave = payload(scratch, "grave", "rm -rf ~")?;
    let mut found = Vec::new();
    let mut absent = Vec::new();
    let contender =
        |key, title: &str, program: PathBuf, arguments: &[&str], input: &PathBuf, answer| {
            Contender {
                key,
                title: title.to_owned(),
                program,
                arguments: arguments.iter().map(OsString::from).collect(),
                input: input.clone(),
                answer,
                is_slow: false,
            }
        };
    if let Some(image) = empty() {
        let path = scratch.beside("empty");
        write_program(&path, &image)?;
        found.push(contender("empty", "an empty static program", path, &[], &ordinary, ""));
    }
    match ["/bin/true", "/usr/bin/true"].iter().map(PathBuf::from).find(|path| path.is_file()) {
        Some(path) => found.push(contender("true", "/bin/true", path, &[], &ordinary, "")),
        None => absent.push("/bin/true".to_owned()),
    }
    let own = std::env::current_exe()
        .map_err(|error| CommandError::internal(format!("cannot find this program: {error}")))?;
    let hook = ["hook", "cursor"];
    found.push(contender("hook", "tenter hook, allowed", own.clone(), &hook, &ordinary, ALLOWED));
    found.push(contender("hook-deny", "tenter hook, denied", own, &hook, &grave, DENIED));
    for (key, title, name, needs, script) in [
        ("bash", "the check in bash and jq", "bash", Some("jq"), BASH),
        ("python3", "the check in python3", "python3", None, PYTHON),
        ("node", "the check in node", "node", None, NODE),
    ] {
        let missing = [Some(name), needs].into_iter().flatten().find(|it| find(it).is_none());
        let (Some(program), None) = (find(name).map(|it| real(it, name)), missing) else {
            absent.push(missing.unwrap_or(name).to_owned());
            continue;
        };
        let file = scratch.beside(&format!("check-{key}"));
        scratch.write(&file, script)?;
        let file = file.display().to_string();
        let contender = contender(key, title, program, &[&file], &ordinary, ALLOWED);
        found.push(Contender { is_slow: true, ..contender });
    }
    let claude = scratch.beside("claude.json");
    scratch.write(&claude, &of_claude())?;
    for line in also {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        let program = find(name).ok_or_else(|| {
            CommandError::usage(format!("there is no program `{name}` on PATH, given with --also"))
        })?;
        let words: Vec<&str> = words.collect();
        let contender = contender("also", line, program, &words, &claude, "");
        found.push(Contender { is_slow: true, ..contender });
    }
    Ok((found, absent))
}

/// An ordinary command of an agent.
const ORDINARY: &str = "cd crates/parser && cargo test --workspace --all-features 2>&1 | grep -E 'FAILED|panicked' | tail -n 40";

/// A payload of Cursor with 1 KB, as a file.
fn payload(scratch: &Scratch, name: &str, command: &str) -> Result<PathBuf, CommandError> {
    const SIZE: usize = 1024;
    let build = |filler: &str| {
        json!({
            "hook_event_name": "beforeShellExecution",
            "conversation_id": "7d9f6f0e-5a55-4f8e-9d0b-2f7a3c1e8b44",
            "generation_id": "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9",
            "cursor_version": "3.21.16",
            "workspace_roots": [scratch.project()],
            "cwd": scratch.project(),
            "command": command,
            "note": filler,
        })
        .to_string()
    };
    let filler = " ".repeat(SIZE.saturating_sub(build("").len()));
    let path = scratch.beside(&format!("{name}.json"));
    scratch.write(&path, &build(&filler))?;
    Ok(path)
}

fn of_claude() -> String {
    json!({
        "session_id": "7d9f6f0e-5a55-4f8e-9d0b-2f7a3c1e8b44", "cwd": "/", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": ORDINARY }, "tool_use_id": "toolu_1",
    })
    .to_string()
}

/// The first program of this name on PATH, or the path itself.
fn find(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&folders).map(|folder| folder.join(name));
    let mut candidates = on_path.filter(|path| path.is_absolute());
    if name.contains('/') {
        return PathBuf::from(name).canonicalize().ok();
    }
    candidates.find(|path| tenter_setup::places::is_program(path))
}

/// The interpreter behind the shim of a version manager, which would only flatter us.
fn real(program: PathBuf, name: &str) -> PathBuf {
    let question = match name {
        "python3" => ["-c", "import sys; print(sys.executable)"],
        "node" => ["-e", "console.log(process.execPath)"],
        _ => return program,
    };
    let answer = std::process::Command::new(&program).args(question).output();
    let said = answer.ok().and_then(|it| String::from_utf8(it.stdout).ok()).unwrap_or_default();
    Some(PathBuf::from(said.trim())).filter(|path| path.is_file()).unwrap_or(program)
}

fn write_program(path: &std::path::Path, image: &[u8]) -> Result<(), CommandError> {
    let written = std::fs::write(path, image);
    #[cfg(unix)]
    let written = written.and_then(|()| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))
    });
    written
        .map_err(|error| CommandError::failed(format!("cannot write {}: {error}", path.display())))
}

#[cfg(all(test, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;

    #[test]
    fn the_empty_program_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty");
        let image = empty().unwrap();
        assert!(image.len() < 200);
        write_program(&path, &image).unwrap();
        // Another test may be forking while the file is open for writing.
        let run = || std::process::Command::new(&path).status();
        let status = std::iter::repeat_with(run).take(100).find_map(Result::ok).unwrap();
        assert_eq!(status.code(), Some(0));
    }
}
