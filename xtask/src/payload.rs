//! Payloads for the smoke test and the benchmarks, made from recorded fixtures.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::error::{Context, Error, Result};
use crate::workspace::Workspace;

/// A home without policies where nothing can be written: files block the paths of our folders. Without a home
/// the developer's own would be used.
pub(crate) fn empty_home() -> Result<PathBuf> {
    let home = empty_home_path();
    std::fs::create_dir_all(&home).context("making an empty home")?;
    for folder in [".config", ".local", ".cache"] {
        std::fs::write(home.join(folder), "").context("making an empty home")?;
    }
    Ok(home)
}

pub(crate) fn empty_home_path() -> PathBuf {
    std::env::temp_dir().join("tenter-empty-home")
}

/// Size of a typical payload: a command and its context.
pub(crate) const SMALL: usize = 1024;

/// Size of a large source file in a payload.
pub(crate) const LARGE: usize = 5 * 1024 * 1024;

/// One line of escaped source text: escapes force a parser to copy.
const FILLER: &str = r#"    if (items.get(\"name\") === undefined) { return fallback; }\n"#;

/// A source file of ordinary size.
pub(crate) const FILE: usize = 5 * 1024;

/// A typical command.
const COMMAND: &str = "cd crates/parser && cargo test --workspace --all-features 2>&1 | grep -E 'FAILED|panicked' | tail -n 40";

/// `beforeShellExecution` as Cursor sends it, with an ordinary command, 1 KB in all.
pub(crate) fn small(workspace: &Workspace) -> Result<String> {
    let payload = with(&cursor(workspace, "beforeShellExecution")?, "command", COMMAND)?;
    // Any field that is not judged can be used to reach the size of real sessions.
    grow(&payload, "generation_id", SMALL)
}

/// `beforeReadFile` as Cursor sends it, with a file of 5 KB.
pub(crate) fn file(workspace: &Workspace) -> Result<String> {
    read(workspace, FILE)
}

/// `beforeReadFile` as Cursor sends it, with a file of 5 MB.
pub(crate) fn large(workspace: &Workspace) -> Result<String> {
    read(workspace, LARGE)
}

fn read(workspace: &Workspace, len: usize) -> Result<String> {
    let payload = cursor(workspace, "beforeReadFile")?;
    let payload = with(&payload, "file_path", "/home/ana/shop/src/cart.js")?;
    grow(&with(&payload, "content", "export {};\n")?, "content", len)
}

/// A hook call to trace.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) host: &'static str,
    pub(crate) payload: String,
    /// The user's policy.
    pub(crate) policy: Option<String>,
}

/// Commands of different kinds: what agents run all day, and some that are stopped.
const COMMANDS: &[&str] = &[
    COMMAND,
    "ls -la src && cat README.md | head -50",
    "git status --short; git diff --stat; git log --oneline -5",
    "git add -A && git commit -m \"parser: accept empty input\" && git push origin feature/parser",
    "npm run build 2>&1 | tee build.log",
    "grep -rn 'fn main' --include='*.rs' . | sort | uniq -c",
    "find . -name '*.tmp' -not -path './target/*' -print",
    "for f in src/*.rs; do wc -l \"$f\"; done > lines.txt",
    "python3 -c 'import json, sys; print(json.load(open(\"a.json\"))[\"name\"])'",
    "sed -i 's/foo/bar/' src/lib.rs && mkdir -p out && cp -r assets out/",
    "cat > notes.md <<'EOF'\nfirst\nEOF",
    "curl -sS https://example.com/api/items | jq '.items[] | .id'",
    "rm -rf ~",
    "git push --force origin main",
];

/// Events of which the recorded payloads are traced: those of every turn.
const FREQUENT: &[&str] = &["PreToolUse.", "PostToolUse.", "UserPromptSubmit.", "Stop."];

/// The calls that the order of the image is made from: payloads of every host, and commands.
pub(crate) fn calls(workspace: &Workspace) -> Result<Vec<Call>> {
    let call = |host, payload, policy| Call { host, payload, policy };
    let mut calls = Vec::new();
    for host in ["claude", "codex"] {
        let payloads = recorded(&workspace.fixtures(host))?;
        calls.extend(payloads.into_iter().map(|payload| call(host, payload, None)));
    }
    for event in ["preToolUse", "postToolUse", "beforeSubmitPrompt", "afterFileEdit", "stop"] {
        calls.push(call("cursor", cursor(workspace, event)?, None));
    }
    for command in COMMANDS {
        let payload = with(&cursor(workspace, "beforeShellExecution")?, "command", command)?;
        calls.push(call("cursor", payload, None));
    }
    for payload in [small(workspace)?, file(workspace)?] {
        calls.push(call("cursor", payload.clone(), None));
        calls.push(call("cursor", payload, Some(rules())));
    }
    Ok(calls)
}

/// The payloads of frequent events, recorded from the newest client.
fn recorded(fixtures: &Path) -> Result<Vec<String>> {
    let newest = paths(fixtures)?.into_iter().rfind(|it| it.is_dir());
    let mut files = newest.map_or(Ok(Vec::new()), |folder| paths(&folder))?;
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        FREQUENT.iter().any(|event| name.starts_with(event)) && !name.contains("subagent")
    });
    files
        .iter()
        .map(|it| std::fs::read_to_string(it).context(format!("reading {}", it.display())))
        .collect()
}

/// What is in a folder, sorted.
fn paths(folder: &Path) -> Result<Vec<PathBuf>> {
    let reading = || format!("reading {}", folder.display());
    let entries = std::fs::read_dir(folder).context(reading())?;
    let mut paths: Vec<PathBuf> = entries
        .map(|it| it.map(|it| it.path()))
        .collect::<std::io::Result<_>>()
        .context(reading())?;
    paths.sort();
    Ok(paths)
}

/// A policy with 200 typical rules: programs, arguments, paths, texts.
pub(crate) fn rules() -> String {
    let mut text = String::from("version = 1\nextends = [\"recommended\"]\n");
    for number in 0..50 {
        for (kind, when) in [
            ("program", format!("{{ program = \"deploy-{number}\", args = [\"--prod\"] }}")),
            ("path", format!("{{ effect = \"write\", path = \"services/s{number}/prod/**\" }}")),
            ("url", format!("{{ url = \"*.internal-{number}.example\" }}")),
            ("text", format!("{{ command = \"release-train-{number}\" }}")),
        ] {
            let _ = write!(
                text,
                "\n[[rule]]\nid = \"{kind}-{number}\"\non = \"shell\"\nwhen = {when}\ndecide = \"ask\"\n\
                 reason = \"touches service {number}\"\n"
            );
        }
    }
    text
}

/// The payload with a string replaced.
fn with(payload: &str, key: &str, value: &str) -> Result<String> {
    let mut object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(payload).context("reading a recorded payload")?;
    match object.get_mut(key) {
        Some(known) => *known = value.into(),
        None => return Err(Error::new(format!("the recorded payload has no `{key}`"))),
    }
    serde_json::to_string(&object).context("writing a payload")
}

/// The first recorded Cursor payload of this event.
pub(crate) fn cursor(workspace: &Workspace, event: &str) -> Result<String> {
    let path = workspace.fixtures("cursor").join("examples.jsonl");
    let lines = std::fs::read_to_string(&path).context(format!("reading {}", path.display()))?;
    let wanted = format!("\"hook_event_name\":\"{event}\"");
    let line = lines.lines().find(|line| line.contains(&wanted));
    line.map(str::to_owned)
        .ok_or_else(|| Error::new(format!("{} holds no {event}", workspace.display(&path))))
}

/// Lengthens the string `key` so that the whole payload has `len` bytes.
fn grow(payload: &str, key: &str, len: usize) -> Result<String> {
    let start = format!("\"{key}\":\"");
    let Some((before, after)) = payload.split_once(&start) else {
        return Err(Error::new(format!("the recorded payload has no string `{key}`")));
    };
    let Some(missing) = len.checked_sub(payload.len()) else {
        return Err(Error::new(format!("the recorded payload is longer than {len} bytes")));
    };
    let lines = FILLER.repeat(missing / FILLER.len());
    let blanks = " ".repeat(missing % FILLER.len());
    Ok(format!("{before}{start}{lines}{blanks}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grown_payload_has_the_length_asked_for_and_stays_json() {
        let payload = r#"{"a":1,"content":"x\ny","b":[]}"#;
        for len in [payload.len(), 100, 1000, 12_345] {
            let grown = grow(payload, "content", len).unwrap();
            assert_eq!(grown.len(), len);
            let value: serde_json::Value = serde_json::from_str(&grown).unwrap();
            assert!(value["content"].as_str().unwrap().ends_with("x\ny"));
            assert_eq!(value["a"], 1);
        }
    }

    #[test]
    fn what_cannot_be_grown_is_said() {
        assert!(grow(r#"{"a":1}"#, "content", 100).is_err());
        assert!(grow(r#"{"content":"long enough"}"#, "content", 5).is_err());
    }
}
