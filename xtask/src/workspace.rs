//! Facts about this checkout from cargo and rustc, determined once for all tasks.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::error::{Context, Error, Result};
use crate::process;

#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    pub(crate) packages: Vec<Package>,
    /// The target triple of this machine.
    pub(crate) host: String,
    sysroot: PathBuf,
}

#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` for a normal dependency, else `dev` or `build`.
    pub(crate) kind: Option<String>,
}

impl Workspace {
    pub(crate) fn load() -> Result<Self> {
        let mut metadata = Command::new(cargo_program());
        metadata.args(["metadata", "--no-deps", "--format-version", "1"]);
        let metadata: Value = serde_json::from_str(&process::output(&mut metadata)?)
            .context("reading the answer of `cargo metadata`")?;
        let root = text(&metadata, "workspace_root")?;
        let target = text(&metadata, "target_directory")?;
        let packages = list(&metadata, "packages").map(Package::read).collect::<Result<_>>()?;
        let version = process::output(Command::new("rustc").arg("-vV"))?;
        let host = version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .ok_or_else(|| Error::new("`rustc -vV` names no host"))?;
        let sysroot = process::output(Command::new("rustc").args(["--print", "sysroot"]))?;
        Ok(Self {
            root: PathBuf::from(root),
            target: PathBuf::from(target),
            packages,
            host: host.to_owned(),
            sysroot: PathBuf::from(sysroot.trim()),
        })
    }

    /// A cargo command in the workspace root, using the cargo that started us.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = Command::new(cargo_program());
        command.current_dir(&self.root);
        command
    }

    pub(crate) fn has_target(&self, triple: &str) -> bool {
        self.sysroot.join("lib/rustlib").join(triple).join("lib").is_dir()
    }

    /// The architecture in the host's triple.
    pub(crate) fn architecture(&self) -> &str {
        self.host.split('-').next().unwrap_or_default()
    }

    pub(crate) fn fixtures(&self, host: &str) -> PathBuf {
        self.root.join("crates/tenter-hosts/src").join(host).join("fixtures")
    }

    /// A path for messages: relative to the root, with forward slashes.
    pub(crate) fn display(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        path.display().to_string().replace('\\', "/")
    }
}

impl Package {
    fn read(value: &Value) -> Result<Self> {
        let dependencies = list(value, "dependencies").map(|value| {
            let kind = value.get("kind").and_then(Value::as_str).map(str::to_owned);
            Ok(Dependency { name: text(value, "name")?, kind })
        });
        let dependencies = dependencies.collect::<Result<_>>()?;
        Ok(Self { name: text(value, "name")?, dependencies })
    }
}

fn text(value: &Value, key: &str) -> Result<String> {
    let text = value.get(key).and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| Error::new(format!("`cargo metadata` gave no `{key}`")))
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn cargo_program() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// `name` with the system's executable extension.
pub(crate) fn program(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}
