//! Compares the hops of a hook call in ARCHITECTURE.md with a trace.
//!
//! The trace comes from callgrind, of a build without inlining: callers, callees and call lines.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::error::{Context, Error, Result};
use crate::process;
use crate::workspace::Workspace;

const PAYLOAD: &str = r#"{"hook_event_name":"beforeShellExecution","conversation_id":"measure",
"generation_id":"1","cursor_version":"1.7.2","workspace_roots":["/srv/shop"],"cwd":"/srv/shop",
"command":"rm -rf ~"}"#;

/// Maximum number of hops.
const MOST: usize = 24;

pub(super) fn check(workspace: &Workspace) -> Result<()> {
    let text = std::fs::read_to_string(workspace.root.join("ARCHITECTURE.md"))
        .context("reading ARCHITECTURE.md")?;
    let hops = listed(&text);
    if hops.is_empty() || hops.len() > MOST {
        let count = hops.len();
        return Err(Error::new(format!(
            "ARCHITECTURE.md lists {count} hops, expected 1 to {MOST}"
        )));
    }
    let binary = workspace.target.join("debug").join("tenter");
    process::run(workspace.cargo().args(["build", "--quiet", "--package", "tenter-cli"]))?;
    let trace = Trace::parse(&record(&binary, &workspace.target)?);
    let mut found = Vec::new();
    if let Some(first) = hops.first() {
        trace.walk(first, &hops, &mut found);
    }
    if found == hops {
        println!("hook path: {} hops, as listed in ARCHITECTURE.md", hops.len());
        return Ok(());
    }
    for hop in hops.iter().filter(|hop| !found.contains(hop)) {
        println!("- `{hop}` is not called by a hop above it");
    }
    println!("the trace:\n  {}", found.join("\n  "));
    Err(Error::new("the hops of the trace are not those in ARCHITECTURE.md"))
}

/// The functions in the table of hops.
fn listed(text: &str) -> Vec<String> {
    let rows = text.lines().skip_while(|line| !line.starts_with("| Hop | Function |"));
    let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| row.split('`').nth(1)).map(str::to_owned).collect()
}

/// Runs one hook call under callgrind, in a home of its own.
fn record(binary: &Path, home: &Path) -> Result<String> {
    let home = home.join("measure");
    if home.exists() {
        std::fs::remove_dir_all(&home).context("removing the home of the last trace")?;
    }
    std::fs::create_dir_all(&home).context("making a home for the trace")?;
    let out = home.join("trace");
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(binary)
        .args(["hook", "cursor"])
        .current_dir(&home)
        .env_clear()
        .env("HOME", &home);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    let output = process::with_input(&mut command, PAYLOAD.as_bytes())?;
    if !String::from_utf8_lossy(&output.stdout).contains("deny") {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::new(format!("the call under valgrind was not denied: {stderr}")));
    }
    std::fs::read_to_string(out).context("reading the trace of valgrind")
}

/// For each function, its callees and the first line of a call.
#[derive(Debug, Default)]
struct Trace {
    calls: BTreeMap<String, Vec<(u64, String)>>,
}

impl Trace {
    /// Parses callgrind's format: a call is a `cfn=` line, a `calls=` line and one that starts with the line
    /// of the call.
    fn parse(text: &str) -> Self {
        let mut trace = Self::default();
        let (mut caller, mut callee, mut is_call) = (String::new(), String::new(), false);
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("fn=") {
                caller = plain(name);
            } else if let Some(name) = line.strip_prefix("cfn=") {
                callee = plain(name);
            } else if line.starts_with("calls=") {
                is_call = true;
            } else if std::mem::take(&mut is_call) {
                let at: u64 =
                    line.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or_default();
                let calls = trace.calls.entry(caller.clone()).or_default();
                match calls.iter_mut().find(|(_, known)| *known == callee) {
                    Some((first, _)) => *first = at.min(*first),
                    None => calls.push((at, callee.clone())),
                }
            }
        }
        for calls in trace.calls.values_mut() {
            calls.sort();
        }
        trace
    }

    /// Appends the hops called by a hop, in the order of the calls.
    fn walk(&self, from: &str, hops: &[String], found: &mut Vec<String>) {
        found.push(from.to_owned());
        for (_, callee) in self.calls.get(from).into_iter().flatten() {
            if hops.contains(callee) && !found.contains(callee) {
                self.walk(callee, hops, found);
            }
        }
    }
}

/// Normalises a function's path: type instead of `impl`, and closures as their function.
fn plain(name: &str) -> String {
    let name = name.split('\'').next().unwrap_or(name).trim_end_matches("::{{closure}}");
    let Some((before, rest)) = name.split_once('<') else { return name.to_owned() };
    let Some((inside, method)) = rest.split_once('>') else { return name.to_owned() };
    let kind = inside.strip_prefix("impl ").unwrap_or(inside);
    let kind = kind.split(" as ").next().unwrap_or(kind);
    // Only complete types: generic functions have brackets elsewhere.
    if before.is_empty() || before.ends_with("::") {
        format!("{kind}{method}")
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_the_names_that_code_gives_them() {
        for (name, expected) in [
            ("tenter::hook::run", "tenter::hook::run"),
            ("tenter::hook::run::{{closure}}", "tenter::hook::run"),
            ("a::recursive'2", "a::recursive"),
            ("<a::Cursor as b::Host>::decode", "a::Cursor::decode"),
            ("a::append::<impl a::Spool>::append", "a::Spool::append"),
        ] {
            assert_eq!(plain(name), expected);
        }
    }

    #[test]
    fn hops_are_followed_in_the_order_of_their_lines() {
        let text = "fn=a\n1 2\ncfn=c\ncalls=1 7\n9 1\ncfn=b\ncalls=1 7\n5 1\nfn=b\ncfn=d\ncalls=2 1\n3 4\n";
        let hops: Vec<String> = ["a", "b", "c"].map(str::to_owned).into();
        let mut found = Vec::new();
        Trace::parse(text).walk("a", &hops, &mut found);
        assert_eq!(found, ["a", "b", "c"]);
    }

    #[test]
    fn the_table_of_hops_is_read() {
        let text =
            "| Hop | Function | Where |\n|---|---|---|\n| 1 | `a::b` | `x.rs` |\n\n| 2 | `c` |";
        assert_eq!(listed(text), ["a::b"]);
    }
}
