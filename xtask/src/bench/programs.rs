//! The programs that are compared, and their payloads.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Context, Error, Result};
use crate::workspace::{Workspace, program};
use crate::{dist, payload, process, tools};

/// One program to measure.
#[derive(Debug)]
pub(super) struct Program {
    /// Key of its results, also in JSON.
    pub(super) key: &'static str,
    pub(super) what: &'static str,
    pub(super) command: Vec<OsString>,
    /// Expected output of a valid run.
    pub(super) answer: &'static str,
    /// Environment variables; all others are unset.
    pub(super) environment: Vec<(&'static str, OsString)>,
    /// Takes tens of milliseconds: measured less often, and without instruction counts.
    pub(super) is_slow: bool,
}

/// Programs that get the same payload and run alternately.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) payload: String,
    pub(super) programs: Vec<Program>,
}

const ALLOW: &str = "{\"permission\":\"allow\"}";

/// The same for all, independent of the developer's environment.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Builds or finds the programs.
pub(super) fn groups(workspace: &Workspace) -> Result<[Group; 3]> {
    payload::empty_home()?;
    let release = dist::build(workspace)?;
    eprintln!("{}", release.description);
    let built = Built {
        tenter: release.binary,
        reference: dist::build_alike(workspace, "tenter-reference")?,
        home: home(workspace, "home")?,
    };
    let small = Group { payload: payload::small(workspace)?, programs: small(workspace, &built)? };
    let file = Group { payload: payload::file(workspace)?, programs: vec![built.hook_read()] };
    let large = Group { payload: payload::large(workspace)?, programs: large(&built) };
    Ok([small, file, large])
}

/// The hook calls whose instructions are compared with the committed counts.
pub(super) fn guard_groups(workspace: &Workspace) -> Result<[Group; 2]> {
    payload::empty_home()?;
    let tenter = dist::build(workspace)?.binary;
    let built = Built { tenter, reference: PathBuf::new(), home: home(workspace, "home")? };
    let shell = vec![built.hook(), with_rules(workspace, &built)?];
    Ok([
        Group { payload: payload::small(workspace)?, programs: shell },
        Group { payload: payload::file(workspace)?, programs: vec![built.hook_read()] },
    ])
}

struct Built {
    tenter: PathBuf,
    reference: PathBuf,
    /// A home without policies, where a hook call can leave its sign of life as usual.
    home: PathBuf,
}

impl Built {
    fn tenter(&self, key: &'static str, what: &'static str, args: &[&str]) -> Program {
        let mut program = Program::new(key, what, &self.tenter, ALLOW);
        program.command.extend(args.iter().map(OsString::from));
        program.at_home(&self.home)
    }

    fn hook(&self) -> Program {
        self.tenter("hook", "tenter hook cursor", &["hook", "cursor"])
    }

    /// Without record and sign of life, to measure their cost as a difference.
    fn unrecorded(&self) -> Program {
        let mut program = self.tenter(
            "hook-unrecorded",
            "the same where no record can be made",
            &["hook", "cursor"],
        );
        program.environment.retain(|(name, _)| *name != "HOME");
        program.environment.push(("HOME", payload::empty_home_path().into()));
        program
    }

    fn hook_read(&self) -> Program {
        self.tenter("hook-read", "the same, a file of 5 KB", &["hook", "cursor"])
    }

    fn floor(&self) -> PathBuf {
        self.reference.join(program("floor"))
    }

    fn floor_parse(&self) -> PathBuf {
        self.reference.join(program("floor-parse"))
    }
}

impl Program {
    fn new(key: &'static str, what: &'static str, path: &Path, answer: &'static str) -> Self {
        let environment = vec![("HOME", payload::empty_home_path().into()), ("PATH", PATH.into())];
        Self { key, what, command: vec![path.into()], answer, environment, is_slow: false }
    }

    fn at_home(mut self, home: &Path) -> Self {
        self.environment.retain(|(name, _)| *name != "HOME");
        self.environment.push(("HOME", home.into()));
        self
    }

    fn script(key: &'static str, what: &'static str, path: &Path, script: &Path) -> Self {
        let command = vec![path.into(), script.into()];
        Self { command, is_slow: true, ..Self::new(key, what, path, ALLOW) }
    }
}

fn small(workspace: &Workspace, built: &Built) -> Result<Vec<Program>> {
    let scripts = workspace.root.join("xtask/reference");
    let mut run = built.tenter("run", "tenter run -- floor", &["run", "--host", "cursor", "--"]);
    run.command.push(built.floor().into());
    Ok(vec![
        Program::new("true", "/bin/true", &true_program()?, ""),
        Program::new("floor", "reads, prints a constant", &built.floor(), "{}"),
        Program::new("floor-parse", "reads, parses typed", &built.floor_parse(), ALLOW),
        built.hook(),
        built.unrecorded(),
        with_rules(workspace, built)?,
        run,
        Program::script("python3", "handler.py", &python()?, &scripts.join("handler.py")),
        Program::script("node", "handler.mjs", &node(workspace)?, &scripts.join("handler.mjs")),
    ])
}

/// The hook for a user with a policy of many rules; the first run compiles it.
fn with_rules(workspace: &Workspace, built: &Built) -> Result<Program> {
    let home = home(workspace, "home-with-rules")?;
    let policy = home.join(".config/tenterhook/policy.toml");
    std::fs::write(&policy, payload::rules()).context(format!("writing {}", policy.display()))?;
    let program = built.tenter("hook-rules", "the same, 200 rules", &["hook", "cursor"]);
    Ok(program.at_home(&home))
}

/// Creates a home with an empty policy folder.
fn home(workspace: &Workspace, name: &str) -> Result<PathBuf> {
    let home = workspace.target.join("dist").join(name);
    let folder = home.join(".config/tenterhook");
    std::fs::create_dir_all(&folder).context(format!("making {}", folder.display()))?;
    Ok(home)
}

fn large(built: &Built) -> Vec<Program> {
    vec![
        Program::new("floor-large", "reads, prints a constant", &built.floor(), "{}"),
        Program::new("floor-parse-large", "reads, parses typed", &built.floor_parse(), ALLOW),
        built.tenter("hook-large", "tenter hook cursor", &["hook", "cursor"]),
    ]
}

fn true_program() -> Result<PathBuf> {
    let places = ["/bin/true", "/usr/bin/true"];
    let found = places.iter().map(PathBuf::from).find(|path| path.is_file());
    found.ok_or_else(|| Error::new("there is no /bin/true here, the yardstick of the benchmark"))
}

/// The real interpreter: measuring a version manager's shim would flatter us.
fn python() -> Result<PathBuf> {
    tools::package("python3", "python3")?;
    let ask = "import sys; print(sys.executable, sys.version.split()[0], sep='\\n')";
    interpreter(Command::new("python3").args(["-c", ask]))
}

fn node(workspace: &Workspace) -> Result<PathBuf> {
    let node = tools::node(workspace)?.unwrap_or_else(|| PathBuf::from("node"));
    let ask = "console.log(process.execPath + '\\n' + process.version)";
    interpreter(Command::new(node).args(["-e", ask]))
}

/// Asks an interpreter for its path and version, one per line.
fn interpreter(question: &mut Command) -> Result<PathBuf> {
    let answer = process::output(question)?;
    let mut lines = answer.lines();
    let (Some(path), Some(version)) = (lines.next(), lines.next()) else {
        let asked = process::spoken(question);
        return Err(Error::new(format!("`{asked}` did not say where it is")));
    };
    let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    eprintln!("compared with {name} {version}");
    Ok(PathBuf::from(path))
}
