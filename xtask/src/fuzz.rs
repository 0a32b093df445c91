//! `cargo xtask fuzz`: builds and runs the libFuzzer targets.
//!
//! It works with the pinned stable toolchain: coverage instrumentation is part of LLVM and enabled by flags,
//! so neither nightly nor cargo-fuzz is needed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::args::Args;
use crate::error::{Context, Error, Result};
use crate::workspace::Workspace;
use crate::{process, tools};

pub(crate) const MANIFEST: &str = "fuzz/Cargo.toml";

pub(crate) const TARGETS: &[&str] = &[
    "decode_cursor",
    "decode_claude",
    "decode_codex",
    "patch",
    "response",
    "hooks_file",
    "hook_answer",
    "matcher",
    "session_script",
    "lint",
    "shell_parse",
    "shell_expand",
    "shell_effects",
    "policy_file",
    "policy_image",
    "secrets",
    "judge",
    "hook_edit",
    "spool",
];

/// The flags of cargo-fuzz, without the address sanitizer: the crates under test have no `unsafe`.
const FLAGS: &[&str] = &[
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    // Keep comparisons with constant text as calls, which libFuzzer intercepts to learn the text. Measured: a
    // seven-letter word is found at once, without this not in a minute.
    "-Cllvm-args=-max-loads-per-memcmp=0",
];

/// Hangs and excessive allocations are faults like panics.
const OPTIONS: &[&str] = &["-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"];

/// Unified responses that together use every field.
const RESPONSES: &[&str] = &[
    "{}",
    r#"{"decision":"allow"}"#,
    r#"{"decision":"deny","reason":"rm -rf is blocked","user_message":"Blocked."}"#,
    r#"{"decision":"ask","reason":"touches production","additional_context":"see RUNBOOK"}"#,
    r#"{"decision":"allow","modified_input":{"command":"ls","n":[1,2.5e3,null,true]}}"#,
    r#"{"decision":"maybe","extra":1}"#,
];

const HOOKS_FILES: &[&str] = &[
    r#"{"version":1,"hooks":{"beforeShellExecution":[{"command":"./a.sh","matcher":"^rm","timeout":5,"failClosed":true}]}}"#,
    r#"{"version":1,"hooks":{"stop":[{"type":"prompt","prompt":"Done? $ARGUMENTS","model":"m","loop_limit":null}]}}"#,
    r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x","timeout":5}]}]}}"#,
    r#"{"name":"p","hooks":{"hooks":{"preToolUse":[{"command":"x"}]}}}"#,
    "// why\n{\"os\":[\"linux\"],\"hooks\":{\"nope\":[],}}",
];

/// Hooks in every TOML form that Codex accepts.
const TOML_HOOKS: &[&str] = &[
    "[[hooks.Stop]]\nmatcher = \"x\"\n\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = 'tenter hook codex' # a\n",
    "hooks = { Stop = [{ hooks = [{ command = \"a\" }] }], PreToolUse = [] }\n",
    "[hooks]\nStop = [\n  { hooks = [ { command = \"\"\"b\"\"\" }, ] }, # c\n]\n[hooks.state.\"k\"]\ntrusted_hash = \"h\"\n",
    "a.b = 1\r\nhooks.PreToolUse = [{ matcher = 'Bash', hooks = [{ command = \"/t/tenter hook codex\" }] }]\r\n",
];

const HOOK_ANSWERS: &[&str] = &[
    r#"{"permission":"deny","user_message":"no","agent_message":"no","updated_input":{"a":1e999}}"#,
    r#"{"continue":false,"userMessage":"no"}"#,
    r#"{"env":{"A":"b"},"additional_context":"c","followup_message":"d","pluginPaths":["/p"]}"#,
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","updatedInput":{}}}"#,
    r#"{"decision":"block","reason":"go on","systemMessage":"s","continue":false,"stopReason":"r"}"#,
];

const MATCHERS: &[&str] =
    &["*", "Shell|Read", r"^(?!git status)git\b", r"(?<a>x)\k<a>{2,3}", r"[^\]\d-]+?", r"\p{L}"];

const SCRIPTS: &[&str] = &[
    r#"[{"event":"stop","set":{"loop_count":1},"payload":{"status":"completed"},"expect":{"followup":null}}]"#,
    r#"{"events":[{"event":"preToolUse","expect":{"answer":{"permission":"deny"}}}]}"#,
];

/// Text programs with arguments, and their input.
const FILTERS: &[&str] = &[
    "echo -ne a\\x41\\n",
    "printf %05d:%-5s|%q 7 a\\ b",
    "tr a-z A-Z\nabc",
    "tr -d [:digit:]\na1b2",
    "base64 -d\ncm0gLXJmIC8=",
    "xxd -r -p\n726d",
    "cut -d: -f2\na:b:c",
    "sed s/a/b/g\nbanana",
    "awk {print$2}\na b c",
    "head -n 1\na\nb",
    "rev\nmr",
    "seq 1 3 9",
];

/// Policies that together use every table.
const POLICIES: &[&str] = &[
    "version = 1\nextends = [\"strict\"]\n[fail]\nguard = \"closed\"\n[guards]\nsecrets = \"off\"\n",
    "[guards]\nmcp = { default = \"ask\", allow = [\"github/*\"], deny = [\"*/delete_*\"] }\n",
    "[guards.destructive-git]\nlevel = \"deny\"\nchecks = { reset-hard = \"log\" }\n",
    "[[rule]]\nid = \"a\"\non = \"shell\"\nwhen = { program = \"kubectl\", args = [\"apply\"], path = \"prod/**\" }\n\
     decide = \"ask\"\nreason = \"r\"\ninstead = \"i\"\nlimit = 3\nexpires = 2030-01-31\n\
     test = [{ shell = \"kubectl apply -f prod/a.yaml\", expect = \"ask\" }]\n",
    "[[allow]]\nrule = \"destructive-git/reset-hard\"\nreason = \"r\"\n",
    "[[handler]]\nid = \"h\"\non = \"PostToolUse:Edit\"\nrun = [\"prettier\", \"{path}\"]\ntimeout = \"5s\"\n",
];

/// Texts with secret-like strings; concatenated so that this file contains none.
fn secret_seeds() -> Vec<String> {
    let body = "0123456789abcdefABCDEF0123456789abcd";
    [
        "ghp_",
        "export TOKEN=hunter2hunter2\npassword: ",
        "AKIA",
        "https://user:",
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "Authorization: Bearer eyJ",
        "sk_live_",
    ]
    .iter()
    .map(|start| format!("{start}{body}@host\n"))
    .collect()
}

/// Records with correct hashes: a segment with its closing line, and a continuation.
const RECORDS: [&str; 5] = [
    r#"{"v":1,"at":5,"host":"claude","prev":"0000000000000000000000000000000000000000000000000000000000000000","seq":1,"hash":"bf434c9c587eace76dbfcec7b8c3cf0a070fcfd9839e053291551c446153e4b0"}"#,
    r#"{"v":1,"at":6,"kind":"closed","closed":true,"prev":"bf434c9c587eace76dbfcec7b8c3cf0a070fcfd9839e053291551c446153e4b0","seq":2,"hash":"1a8bcdae9e3c930214b08a882929100aef3adba32f799ea88ef3b55495ff8c9a"}"#,
    r#"{"v":1,"at":5,"host":"claude","lost":2,"prev":"1a8bcdae9e3c930214b08a882929100aef3adba32f799ea88ef3b55495ff8c9a","seq":3,"hash":"06f31da12ddaa99d1d7ed09d7a0bd205c7aff1a3495bbfbdc14b333b0f625ba2"}"#,
    r#"{"v":1,"at":9,"kind":"checkpoint","checkpoint":{"through":2,"hash":"1a8bcdae9e3c930214b08a882929100aef3adba32f799ea88ef3b55495ff8c9a","records":2,"from":5,"to":5},"prev":"06f31da12ddaa99d1d7ed09d7a0bd205c7aff1a3495bbfbdc14b333b0f625ba2","seq":4,"hash":"b1d444b5f812afe0b21f653e5beb65d5e46565a083164396aee5aea40cf7275a"}"#,
    // Accounts for four torn bytes after the first.
    r#"{"v":1,"at":5,"host":"claude","gap":{"torn":4},"prev":"bf434c9c587eace76dbfcec7b8c3cf0a070fcfd9839e053291551c446153e4b0","seq":2,"hash":"5f8b6a7141033bb650e77971d70144b0da0ea714b029feeaa653382368a01866"}"#,
];

/// Segments separated by a zero byte: complete, torn, without beginning, without last line feed.
fn spool_seeds() -> Vec<String> {
    let [first, closing, third, checkpoint, after_torn] = RECORDS;
    vec![
        format!("{first}\n{closing}\n\0{third}\n{checkpoint}\n"),
        format!("{first}\n{{\"v\"\n{after_torn}\n"),
        format!("{third}\n{checkpoint}\n{{\"v\":1"),
        format!("{first}\n{third}"),
    ]
}

pub(crate) fn run(workspace: &Workspace, args: &mut Args) -> Result<()> {
    let seconds = args.number("--seconds", 60)?;
    let chosen = args.values("--target")?;
    args.finish()?;
    if let Some(unknown) = chosen.iter().find(|name| !TARGETS.contains(&name.as_str())) {
        let all = TARGETS.join(", ");
        return Err(Error::new(format!("no fuzz target `{unknown}`; there are {all}")));
    }
    let chosen: Vec<&str> = chosen.iter().map(String::as_str).collect();
    fuzz(workspace, if chosen.is_empty() { TARGETS } else { &chosen }, seconds, None)
}

/// Builds all targets and runs the chosen ones in turn, each for `seconds`, from `seed` or a seed chosen by
/// libFuzzer.
pub(crate) fn fuzz(
    workspace: &Workspace,
    targets: &[&str],
    seconds: u32,
    seed: Option<u32>,
) -> Result<()> {
    tools::package("c++", "g++")?;
    let programs = build(workspace)?;
    for target in targets {
        let seeds = write_seeds(workspace, target)?;
        let report = run_target(workspace, &programs.join(target), target, &seeds, seconds, seed)?;
        println!("{target}: {report}");
    }
    Ok(())
}

fn build(workspace: &Workspace) -> Result<PathBuf> {
    // A separate target folder: these flags would otherwise trigger rebuilds.
    let target = workspace.target.join("fuzz");
    let mut build = workspace.cargo();
    build.args(["build", "--release", "--bins", "--manifest-path", MANIFEST]);
    build.args(["--target", &workspace.host]).arg("--target-dir").arg(&target);
    build.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"));
    process::run(&mut build)?;
    Ok(target.join(&workspace.host).join("release"))
}

fn run_target(
    workspace: &Workspace,
    program: &Path,
    target: &str,
    seeds: &Path,
    seconds: u32,
    seed: Option<u32>,
) -> Result<Report> {
    let folder = |kind: &str| {
        let folder = workspace.root.join("fuzz").join(kind).join(target);
        std::fs::create_dir_all(&folder).context(format!("making {}", folder.display()))?;
        Ok(folder)
    };
    let corpus = folder("corpus")?;
    let artifacts = folder("artifacts")?;
    let mut fuzz = Command::new(program);
    fuzz.arg(corpus).arg(seeds).stdin(Stdio::null());
    fuzz.args(OPTIONS).arg(format!("-max_total_time={seconds}"));
    fuzz.args(seed.map(|seed| format!("-seed={seed}")));
    fuzz.arg(format!("-artifact_prefix={}/", artifacts.display()));
    let output = fuzz.output().context(format!("starting the fuzz target {target}"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        println!("{}", last_words(&log));
        return Err(Error::new(format!(
            "fuzz target `{target}` found a fault ({}); its input is in {}",
            output.status,
            workspace.display(&artifacts)
        )));
    }
    Report::read(&log)
        .ok_or_else(|| Error::new(format!("fuzz target `{target}` ran without coverage feedback")))
}

/// The part of a log about the fault, without the lines before it.
fn last_words(log: &str) -> String {
    const SHOWN: usize = 30;
    let lines: Vec<&str> = log.lines().collect();
    let is_fault = |line: &&str| line.contains("panicked at") || line.contains("ERROR: ");
    let from = lines.iter().position(is_fault).unwrap_or(lines.len().saturating_sub(SHOWN));
    lines.into_iter().skip(from).take(SHOWN).collect::<Vec<_>>().join("\n")
}

/// Summary of a run, from libFuzzer's output.
#[derive(Debug, PartialEq, Eq)]
struct Report {
    counters: u64,
    runs: u64,
    new_units: u64,
}

impl Report {
    /// `None` when no code was instrumented: such a run is random and must not pass.
    fn read(log: &str) -> Option<Self> {
        let counters = log.lines().find_map(|line| {
            let rest = line.strip_prefix("INFO: Loaded ")?.split_once('(')?.1;
            rest.split_once(" inline 8-bit counters")?.0.parse().ok()
        })?;
        let stat = |name: &str| {
            let line = log.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.and_then(|number| number.trim().parse().ok())
        };
        let runs = stat("stat::number_of_executed_units")?;
        let new_units = stat("stat::new_units_added")?;
        (counters > 0).then_some(Self { counters, runs, new_units })
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { counters, runs, new_units } = self;
        write!(f, "{runs} runs, {new_units} new units, {counters} coverage counters, no fault")
    }
}

/// Writes one file per seed into an emptied folder, so that removed fixtures do not linger.
fn write_seeds(workspace: &Workspace, target: &str) -> Result<PathBuf> {
    let folder = workspace.target.join("fuzz/seeds").join(target);
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(&folder).context(format!("making {}", folder.display()))?;
    let seeds = match target {
        "response" => owned(RESPONSES),
        "hooks_file" | "lint" => owned(HOOKS_FILES),
        "hook_edit" => owned(&[HOOKS_FILES, TOML_HOOKS].concat()),
        "hook_answer" => owned(HOOK_ANSWERS),
        "matcher" => owned(MATCHERS),
        "session_script" => owned(SCRIPTS),
        "shell_parse" | "shell_effects" | "judge" => commands(workspace)?,
        "policy_file" | "policy_image" => owned(POLICIES),
        "secrets" => secret_seeds(),
        "spool" => spool_seeds(),
        "shell_expand" => owned(FILTERS),
        "patch" => {
            payloads(&workspace.fixtures("codex"))?.iter().flat_map(|p| patches(p)).collect()
        }
        decoder => payloads(&workspace.fixtures(decoder.trim_start_matches("decode_")))?,
    };
    if seeds.is_empty() {
        return Err(Error::new(format!("no fixture gives a seed for the fuzz target `{target}`")));
    }
    for (index, seed) in seeds.iter().enumerate() {
        let path = folder.join(format!("{index:03}"));
        std::fs::write(&path, seed).context(format!("writing {}", path.display()))?;
    }
    Ok(folder)
}

fn owned(seeds: &[&str]) -> Vec<String> {
    seeds.iter().map(|seed| (*seed).to_owned()).collect()
}

/// Commands of the shell crate's tests: lines starting with `$ `, joined with the following lines starting
/// with `> `.
fn commands(workspace: &Workspace) -> Result<Vec<String>> {
    let folder = workspace.root.join("crates/tenter-shell/tests/table");
    let reading = || format!("reading {}", folder.display());
    let mut found: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(&folder).context(reading())? {
        let path = entry.context(reading())?.path();
        let text = std::fs::read_to_string(&path).context(format!("reading {}", path.display()))?;
        for line in text.lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                found.push(command.to_owned());
            } else if let (Some(more), Some(last)) = (line.strip_prefix("> "), found.last_mut()) {
                last.push('\n');
                last.push_str(more);
            }
        }
    }
    Ok(found)
}

/// Every recorded payload below `folder`: a `.json` file is one, a `.jsonl` file has one per line.
fn payloads(folder: &Path) -> Result<Vec<String>> {
    let reading = || format!("reading {}", folder.display());
    let entries = std::fs::read_dir(folder).context(reading())?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry.context(reading())?.path())).collect::<Result<_>>()?;
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let read = || std::fs::read_to_string(&path).context(format!("reading {}", path.display()));
        match path.extension().and_then(std::ffi::OsStr::to_str) {
            _ if path.is_dir() => found.extend(payloads(&path)?),
            Some("jsonl") => found.extend(read()?.lines().map(str::to_owned)),
            // The host's reactions to our answers are not payloads.
            Some("json") if path.file_stem().is_some_and(|stem| stem == "outcomes") => {}
            Some("json") => found.push(read()?),
            _ => {}
        }
    }
    found.retain(|payload| !payload.trim().is_empty());
    Ok(found)
}

/// The patch texts inside a payload.
fn patches(payload: &str) -> Vec<String> {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) if text.contains("*** Begin Patch") => found.push(text.clone()),
            Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
            Value::Object(fields) => fields.values().for_each(|value| collect(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    if let Ok(value) = serde_json::from_str(payload) {
        collect(&value, &mut found);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_instrumentation_is_no_run() {
        let log = "INFO: Loaded 1 modules   (8123 inline 8-bit counters): 8123 [0x1, 0x2), \n\
                   #2\tINITED cov: 5\n\
                   stat::number_of_executed_units: 3842829\n\
                   stat::new_units_added:          6251\n";
        let report = Report { counters: 8123, runs: 3_842_829, new_units: 6251 };
        assert_eq!(Report::read(log), Some(report));
        let bare = log.replace("8123 inline 8-bit counters", "0 inline 8-bit counters");
        assert_eq!(Report::read(&bare), None);
        assert_eq!(Report::read("stat::number_of_executed_units: 1"), None);
    }

    #[test]
    fn the_log_of_a_fault_starts_with_the_panic() {
        let log = "#1 NEW\n#2 NEW\nthread '<unnamed>' panicked at src/lib.rs:1:\nplanted\n";
        assert_eq!(last_words(log), "thread '<unnamed>' panicked at src/lib.rs:1:\nplanted");
        assert_eq!(last_words("killed\n"), "killed");
    }

    #[test]
    fn patches_are_found_wherever_they_are() {
        let payload = r#"{"tool_input":{"command":"*** Begin Patch\n*** End Patch\n"},"a":["x"]}"#;
        assert_eq!(patches(payload), ["*** Begin Patch\n*** End Patch\n"]);
        assert!(patches("not json").is_empty());
    }
}
