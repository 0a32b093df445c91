//! Orders the release image by use: the functions and constants of a hook call stand beside each other.
//!
//! A page of the image costs a fault when it is first used, and a call uses a thousand functions out of twelve
//! thousand, all over the image. So `cargo xtask dist` has this program called in place of the linker ([`link`]).
//! It links once, traces calls of every host with valgrind, and links again with a linker script that names
//! each section that was used, those of most calls first.
//!
//! Other builds have `crates/tenter-cli/hot.ld`, which `cargo xtask order` writes from the same trace. It has no
//! hashes in its names, so that it fits later builds; constants without a name cannot be in it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::json;

use crate::args::Args;
use crate::error::{Context, Error, Result};
use crate::workspace::Workspace;
use crate::{dist, payload, process, tools};

/// The committed linker script, relative to the workspace.
const COMMITTED: &str = "crates/tenter-cli/hot.ld";

/// Names the folder of the calls to trace, when this program is called as a linker.
pub(crate) const FOLDER: &str = "TENTER_ORDER_FOLDER";

const CALLS: &str = "calls.json";
const SAID: &str = "said";
const EXACT: &str = "exact.ld";
const STABLE: &str = "hot.ld";

pub(crate) fn run(workspace: &Workspace, args: &mut Args) -> Result<()> {
    args.finish()?;
    tools::package("valgrind", "valgrind")?;
    println!("{}", dist::build(workspace)?.description);
    let stable = folder(workspace).join(STABLE);
    let script =
        std::fs::read_to_string(&stable).context(format!("reading {}", stable.display()))?;
    std::fs::write(workspace.root.join(COMMITTED), &script)
        .context(format!("writing {COMMITTED}"))?;
    println!("{COMMITTED}: {} sections", script.matches("*(").count());
    Ok(())
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("dist/order")
}

/// Has a build call this program as the linker of `triple`. Without a tracer it links as usual.
pub(crate) fn prepare(workspace: &Workspace, triple: &str, build: &mut Command) -> Result<()> {
    let folder = folder(workspace);
    std::fs::create_dir_all(&folder).context(format!("making {}", folder.display()))?;
    let calls: Vec<_> = payload::calls(workspace)?
        .into_iter()
        .map(|call| json!({ "host": call.host, "payload": call.payload, "policy": call.policy }))
        .collect();
    let calls = serde_json::to_string(&calls).context("writing the calls to trace")?;
    std::fs::write(folder.join(CALLS), calls).context("writing the calls to trace")?;
    let ourselves = std::env::current_exe().context("finding this program")?;
    let linker = format!("CARGO_TARGET_{}_LINKER", triple.to_uppercase().replace('-', "_"));
    build.env(linker, ourselves).env(FOLDER, &folder);
    Ok(())
}

/// What the linker said about the order when it last linked.
pub(crate) fn said(workspace: &Workspace) -> String {
    std::fs::read_to_string(folder(workspace).join(SAID))
        .unwrap_or_else(|_| "not ordered".to_owned())
}

/// Called by rustc as the linker.
pub(crate) fn link(folder: &OsStr) -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let folder = Path::new(folder);
    let traced = traced(&arguments, folder);
    let said = match &traced {
        Ok(used) => used.to_string(),
        Err(why) => format!("not ordered by a trace: {why}"),
    };
    // Only a remark of the build.
    drop(std::fs::write(folder.join(SAID), said));
    let script = traced.is_ok().then(|| folder.join(EXACT));
    match cc(with_script(&arguments, script.as_deref())).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("starting cc: {error}");
            ExitCode::FAILURE
        }
    }
}

fn cc(arguments: impl IntoIterator<Item = OsString>) -> Command {
    let mut cc = Command::new("cc");
    cc.args(arguments).env_remove(FOLDER);
    cc
}

/// The arguments with another linker script in place of the committed one.
fn with_script(arguments: &[OsString], script: Option<&Path>) -> Vec<OsString> {
    let Some(script) = script else { return arguments.to_vec() };
    let is_other = |argument: &&OsString| !argument.to_string_lossy().starts_with("-Wl,-T,");
    let mut arguments: Vec<OsString> = arguments.iter().filter(is_other).cloned().collect();
    arguments.push(format!("-Wl,-T,{}", script.display()).into());
    arguments
}

/// Links with symbols, traces the calls, and writes both linker scripts.
fn traced(arguments: &[OsString], folder: &Path) -> Result<Used> {
    if !process::works("valgrind", &["--version"]) {
        return Err(Error::new("there is no valgrind"));
    }
    let binary = folder.join("traced");
    let map = folder.join("map");
    let mut first = Vec::new();
    let mut is_output = false;
    for argument in arguments {
        if argument != "-Wl,--strip-all" && argument != "-Wl,--strip-debug" {
            first.push(if is_output { binary.clone().into() } else { argument.clone() });
        }
        is_output = argument == "-o";
    }
    first.push(format!("-Wl,-Map={}", map.display()).into());
    process::output(&mut cc(first))?;
    let text = std::fs::read_to_string(&map).context("reading the map of the linker")?;
    let map = Map::parse(&text);
    let calls = std::fs::read(folder.join(CALLS)).context("reading the calls to trace")?;
    let calls: Vec<serde_json::Value> =
        serde_json::from_slice(&calls).context("reading the calls to trace")?;
    let mut used = Used { calls: calls.len(), ..Used::default() };
    let scratch = std::env::temp_dir().join(format!("tenter-order-{}", std::process::id()));
    for call in &calls {
        trace(&binary, call, &scratch, &map, &mut used)?;
    }
    std::fs::remove_dir_all(&scratch).context("removing the traces")?;
    if used.sections.is_empty() {
        return Err(Error::new("the traces name no section of the map"));
    }
    for (name, script) in [(EXACT, used.exact(&map)), (STABLE, used.stable(&map))] {
        std::fs::write(folder.join(name), script).context(format!("writing {name}"))?;
    }
    Ok(used)
}

/// Runs a call twice in a home of its own, the second time under valgrind: the first one creates our files.
fn trace(
    binary: &Path,
    call: &serde_json::Value,
    scratch: &Path,
    map: &Map,
    used: &mut Used,
) -> Result<()> {
    let text = |key: &str| call.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
    let home = scratch.join("home");
    if home.exists() {
        std::fs::remove_dir_all(&home).context("removing the home of the last trace")?;
    }
    let config = home.join(".config/tenterhook");
    std::fs::create_dir_all(&config).context("making a home for the trace")?;
    if !text("policy").is_empty() {
        std::fs::write(config.join("policy.toml"), text("policy")).context("writing a policy")?;
    }
    let log = scratch.join("trace");
    let mut traced = Command::new("valgrind");
    traced.args(["--tool=lackey", "--trace-mem=yes"]);
    traced.arg(format!("--log-file={}", log.display())).arg(binary);
    for command in [&mut Command::new(binary), &mut traced] {
        command.args(["hook", text("host")]).current_dir("/").env_clear().env("HOME", &home);
        process::with_input(command, text("payload").as_bytes())?;
    }
    let log = std::fs::File::open(&log).context("opening the trace of valgrind")?;
    let mut seen = Vec::new();
    let mut is_seen = vec![false; map.0.len()];
    for line in BufReader::new(log).lines() {
        let line = line.context("reading the trace of valgrind")?;
        let Some(at) = address(&line).and_then(|address| map.at(address)) else { continue };
        if let Some(is_seen) = is_seen.get_mut(at).filter(|it| !**it) {
            *is_seen = true;
            seen.push(at);
        }
    }
    for (place, at) in seen.into_iter().enumerate() {
        used.sections.entry(at).or_insert((0, place)).0 += 1;
    }
    Ok(())
}

/// The address of an access: `I  0040a1c2,3` or ` L 1ffeffe7a0,8`.
fn address(line: &str) -> Option<u64> {
    let (kind, rest) = line.split_at_checked(3)?;
    if !matches!(kind.trim(), "I" | "L" | "S" | "M") {
        return None;
    }
    u64::from_str_radix(rest.split_once(',')?.0, 16).ok()
}

/// A section of an object file, as it was linked.
#[derive(Debug, Default)]
struct Section {
    start: u64,
    size: u64,
    name: String,
    /// The member of an archive, or the object file.
    file: String,
}

impl Section {
    fn is_code(&self) -> bool {
        self.name.starts_with(".text")
    }

    /// Constants that the linker merges with equal ones; there is one such section for many objects.
    fn is_merged(&self) -> bool {
        [".rodata.cst", ".rodata.str"].iter().any(|start| self.name.starts_with(start))
    }

    /// The statement of a linker script that takes it in.
    fn statement(&self) -> String {
        if self.name != ".text" && self.name != ".rodata" {
            return format!("*({})", self.name);
        }
        match self
            .file
            .rsplit_once('/')
            .map_or(self.file.as_str(), |(_, name)| name)
            .split_once('(')
        {
            Some((archive, member)) => {
                format!("*{archive}:{}({})", member.trim_end_matches(')'), self.name)
            }
            None => format!("*{}({})", self.file.rsplit('/').next().unwrap_or("?"), self.name),
        }
    }

    /// The statement for later builds, without the hash. `None` for constants that have only a number.
    fn stable_statement(&self) -> Option<String> {
        if self.name.contains(".Lanon.") {
            return None;
        }
        Some(match self.name.rsplit_once("17h") {
            Some((path, hash)) if hash.len() >= 17 => format!("*({path}17h*)"),
            _ => self.statement(),
        })
    }
}

/// The linked sections of code and constants, by address.
#[derive(Debug)]
struct Map(Vec<Section>);

impl Map {
    /// Parses a linker map: ` .text.name  0xaddress  0xsize file`, where a long name has a line to itself.
    fn parse(text: &str) -> Self {
        let mut sections = Vec::new();
        let mut name = "";
        for line in text.lines().filter_map(|line| line.strip_prefix(' ')) {
            let rest = if line.starts_with('.') {
                let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
                name = first;
                rest
            } else {
                line
            };
            let mut words = rest.split_whitespace();
            let mut number = || {
                u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok().filter(|it| *it > 0)
            };
            let (Some(start), Some(size)) = (number(), number()) else {
                if !rest.trim().is_empty() {
                    name = "";
                }
                continue;
            };
            if name.starts_with(".text") || name.starts_with(".rodata") {
                let file = words.collect::<Vec<_>>().join(" ");
                sections.push(Section { start, size, name: name.to_owned(), file });
            }
            name = "";
        }
        sections.sort_by_key(|section| section.start);
        Self(sections)
    }

    fn at(&self, address: u64) -> Option<usize> {
        let at = self.0.partition_point(|section| section.start <= address).checked_sub(1)?;
        let section = self.0.get(at)?;
        (address < section.start.saturating_add(section.size)).then_some(at)
    }

    /// Bytes of all sections that a statement takes in.
    fn bytes(&self, statement: &str) -> u64 {
        let name = statement.trim_start_matches("*(").trim_end_matches(')');
        let fits = |section: &&Section| match name.strip_suffix('*') {
            Some(start) => section.name.starts_with(start),
            None => section.name == name,
        };
        self.0.iter().filter(fits).map(|section| section.size).sum()
    }
}

/// The used sections, each with the number of calls that used it and its place in the first of them.
#[derive(Debug, Default)]
struct Used {
    calls: usize,
    sections: BTreeMap<usize, (usize, usize)>,
}

impl std::fmt::Display for Used {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ordered by {} sections that {} calls use", self.sections.len(), self.calls)
    }
}

impl Used {
    /// Those of most calls first.
    fn sorted<'m>(&self, map: &'m Map) -> Vec<&'m Section> {
        let mut all: Vec<_> = self.sections.iter().collect();
        all.sort_by_key(|(at, (calls, place))| (std::cmp::Reverse(*calls), *place, **at));
        all.into_iter().filter_map(|(at, _)| map.0.get(*at)).collect()
    }

    fn exact(&self, map: &Map) -> String {
        let all = self.sorted(map);
        script(all.into_iter().map(|section| (section, section.statement())))
    }

    /// For later builds. A name that many instances of a generic function share would bring all of them in, so
    /// it is left out.
    fn stable(&self, map: &Map) -> String {
        const TOLERATED: u64 = 4096;
        let mut bytes: BTreeMap<String, u64> = BTreeMap::new();
        for section in self.sorted(map) {
            if let Some(statement) = section.stable_statement() {
                *bytes.entry(statement).or_default() += section.size;
            }
        }
        let mut statements: Vec<(&Section, String)> = Vec::new();
        for section in self.sorted(map) {
            let Some(statement) = section.stable_statement() else { continue };
            let used = bytes.remove(&statement);
            if used.is_some_and(|used| map.bytes(&statement) <= used.saturating_add(TOLERATED)) {
                statements.push((section, statement));
            }
        }
        script(statements.into_iter())
    }
}

/// A linker script that puts sections of code and of constants before all others.
fn script<'m>(statements: impl Iterator<Item = (&'m Section, String)>) -> String {
    let (mut code, mut constants, mut merged) = (String::new(), String::new(), String::new());
    for (section, statement) in statements {
        let line = format!("    {statement}\n");
        if section.is_code() {
            code.push_str(&line);
        } else if !section.is_merged() {
            constants.push_str(&line);
        } else if !merged.contains(&line) {
            merged.push_str(&line);
        }
    }
    format!(
        "/* What a hook call uses, the most frequent first. Written by `cargo xtask order`. */\n\
         SECTIONS\n{{\n  .text.hook : ALIGN(4096)\n  {{\n{code}  }}\n}}\nINSERT BEFORE .text;\n\
         SECTIONS\n{{\n  .rodata.hook : ALIGN(4096)\n  {{\n{constants}{merged}  }}\n}}\nINSERT BEFORE .rodata;\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
Discarded input sections

 .text.gone     0x0000000000000000       0x10 /deps/a.o

Linker script and memory map

 .text.one      0x0000000000401000       0x20 /deps/a.o
 .text._ZN3two17h0123456789abcdefE
                0x0000000000401020       0x30 /deps/a.o
 .text._ZN3two17hfedcba9876543210E
                0x0000000000401050     0x2000 /deps/a.o
 .text          0x0000000000403050       0x10 /lib/libc.a(memcpy.lo)
 *fill*         0x0000000000403060        0x8
 .rodata..Lanon.0123.4
                0x0000000000404000        0x8 /deps/a.o
 .rodata.cst16  0x0000000000404010       0x10 /deps/a.o
                                         0x20 (size before relaxing)
";

    #[test]
    fn a_map_tells_which_section_an_address_is_in() {
        let map = Map::parse(TEXT);
        let name = |address| map.at(address).map(|at| map.0[at].name.as_str());
        assert_eq!(map.0.len(), 6);
        assert_eq!(name(0x40_1000), Some(".text.one"));
        assert_eq!(name(0x40_104f), Some(".text._ZN3two17h0123456789abcdefE"));
        assert_eq!(name(0x40_3064), None);
        assert_eq!(name(0x40_4007), Some(".rodata..Lanon.0123.4"));
        assert_eq!(name(0x10), None);
        assert_eq!(map.0[3].statement(), "*libc.a:memcpy.lo(.text)");
    }

    #[test]
    fn sections_of_more_calls_come_first_and_names_lose_their_hash() {
        let map = Map::parse(TEXT);
        let sections = [(0, (1, 0)), (1, (2, 1)), (4, (2, 0)), (5, (1, 3))].into();
        let used = Used { calls: 2, sections };
        let exact = used.exact(&map);
        let at = |text: &str| exact.find(text).unwrap_or(usize::MAX);
        assert!(at("_ZN3two17h0123456789abcdefE") < at("(.text.one)"), "{exact}");
        assert!(at("Lanon.0123.4") < at(".rodata.cst16"), "{exact}");
        let stable = used.stable(&map);
        assert!(stable.contains("*(.text.one)"), "{stable}");
        assert!(!stable.contains("two17h"), "another instance of it is too large: {stable}");
        assert!(!stable.contains("Lanon"), "{stable}");
    }

    #[test]
    fn addresses_are_read_from_a_trace() {
        assert_eq!(address("I  0040a1c2,3"), Some(0x40_a1c2));
        assert_eq!(address(" L 1ffeffe7a0,8"), Some(0x1f_feff_e7a0));
        assert_eq!(address("==12== Lackey, an example tool"), None);
        assert_eq!(address(""), None);
    }
}
