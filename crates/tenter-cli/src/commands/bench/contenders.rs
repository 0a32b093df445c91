//! The programs that are compared.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tenter_hosts::trial::{Reply, TrialCall};
use tenter_model::HostId;

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
    /// Effect of its answer, as the host reads it; `None` if any output will do.
    pub(super) reply: Option<Reply>,
    /// Takes tens of milliseconds.
    pub(super) is_slow: bool,
}

/// The check that people write by hand, in three languages: stop a recursive deletion.
const BASH: &str = "\
command=$(jq -r '.command // .tool_input.command')
case $command in
  *'rm -rf'*) echo 'not that' >&2; exit 2 ;;
esac
";
const PYTHON: &str = r#"import json, sys
event = json.load(sys.stdin)
if "rm -rf" in (event.get("command") or event["tool_input"]["command"]):
    sys.exit("not that")
"#;
const NODE: &str = r#"const event = JSON.parse(require("fs").readFileSync(0, "utf8"));
if ((event.command ?? event.tool_input.command).includes("rm -rf")) {
  console.error("not that");
  process.exit(2);
}
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
    host: HostId,
    also: &[String],
) -> Result<(Vec<Contender>, Vec<String>), CommandError> {
    let ordinary = payload(scratch, host, "ordinary", ORDINARY)?;
    let grave = payload(scratch, host, "grave", "rm -rf ~")?;
    let mut found = Vec::new();
    let mut absent = Vec::new();
    let contender = |key, title: &str, program: &Path, arguments: &[&str]| Contender {
        key,
        title: title.to_owned(),
        program: program.to_owned(),
        arguments: arguments.iter().map(OsString::from).collect(),
        input: ordinary.clone(),
        reply: None,
        is_slow: false,
    };
    if let Some(image) = empty() {
        let path = scratch.beside("empty");
        write_program(scratch, &path, &image)?;
        found.push(contender("empty", "an empty static program", &path, &[]));
    }
    match ["/bin/true", "/usr/bin/true"].iter().map(Path::new).find(|path| path.is_file()) {
        Some(path) => found.push(contender("true", "/bin/true", path, &[])),
        None => absent.push("/bin/true".to_owned()),
    }
    let own = std::env::current_exe()
        .map_err(|error| CommandError::internal(format!("cannot find this program: {error}")))?;
    let hook = ["hook", host.as_str()];
    let allowed = contender("hook", "tenter hook, allowed", &own, &hook);
    found.push(Contender { reply: Some(Reply::Passed), ..allowed });
    let denied = contender("hook-deny", "tenter hook, denied", &own, &hook);
    found.push(Contender { reply: Some(Reply::Stopped), input: grave, ..denied });
    for (key, name, needs, script) in [
        ("bash", "bash", Some("jq"), BASH),
        ("python3", "python3", None, PYTHON),
        ("node", "node", None, NODE),
    ] {
        let missing = [Some(name), needs].into_iter().flatten().find(|it| find(it).is_none());
        let (Some(program), None) = (find(name).map(|it| real(it, name)), missing) else {
            absent.push(missing.unwrap_or(name).to_owned());
            continue;
        };
        let file = scratch.beside(&format!("check-{key}"));
        scratch.write(&file, script)?;
        let title = format!(
            "the check in {}",
            needs.map_or(name.to_owned(), |it| format!("{name} and {it}"))
        );
        let contender = contender(key, &title, &program, &[&file.display().to_string()]);
        found.push(Contender { is_slow: true, ..contender });
    }
    for line in also {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        let program = find(name).ok_or_else(|| {
            CommandError::usage(format!("there is no program `{name}` on PATH, given with --also"))
        })?;
        let words: Vec<&str> = words.collect();
        found.push(Contender { is_slow: true, ..contender("also", line, &program, &words) });
    }
    Ok((found, absent))
}

/// An ordinary command of an agent.
const ORDINARY: &str = "cd crates/parser && cargo test --workspace --all-features 2>&1 | grep -E 'FAILED|panicked' | tail -n 40";

/// A payload of the host with 1 KB, as a file.
fn payload(
    scratch: &Scratch,
    host: HostId,
    name: &str,
    command: &str,
) -> Result<PathBuf, CommandError> {
    const SIZE: usize = 1024;
    let trial = tenter_hosts::host(host).trial();
    let subject = (trial.subjects)(trial.shell_event).first().copied().unwrap_or("Bash");
    let text = (trial.payload)(&TrialCall {
        event: trial.shell_event,
        subject,
        command,
        session: "7d9f6f0e-5a55-4f8e-9d0b-2f7a3c1e8b44",
        id: "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9",
        turn: "1",
        cwd: &scratch.project(),
    });
    // A field that no host sends, up to the size of real payloads.
    let text = text.trim_end().strip_suffix('}').unwrap_or(&text);
    let filler = " ".repeat(SIZE.saturating_sub(text.len().saturating_add(12)));
    let path = scratch.beside(&format!("{name}.json"));
    scratch.write(&path, format!("{text},\"filler\":\"{filler}\"}}"))?;
    Ok(path)
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

fn write_program(scratch: &Scratch, path: &Path, image: &[u8]) -> Result<(), CommandError> {
    scratch.write(path, image)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).map_err(
            |error| {
                CommandError::failed(format!("cannot make {} a program: {error}", path.display()))
            },
        )?;
    }
    Ok(())
}

#[cfg(all(test, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;

    #[test]
    fn the_empty_program_runs() {
        let scratch = Scratch::new("empty").unwrap();
        let path = scratch.beside("empty");
        let image = empty().unwrap();
        assert!(image.len() < 200);
        write_program(&scratch, &path, &image).unwrap();
        // Another test may be forking while the file is open for writing.
        let run = || std::process::Command::new(&path).status();
        let status = std::iter::repeat_with(run).take(100).find_map(Result::ok).unwrap();
        assert_eq!(status.code(), Some(0));
    }
}
