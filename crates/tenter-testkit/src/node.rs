//! Finds a Node.js for the TypeScript examples.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Node.js that runs TypeScript directly: `TENTER_TEST_NODE`, else the one on `PATH`, else the one that
/// `cargo xtask test` keeps in the target folder of `binary`.
pub fn node(binary: &str) -> PathBuf {
    if let Some(chosen) = std::env::var_os("TENTER_TEST_NODE").map(PathBuf::from) {
        let shown = chosen.display();
        assert!(runs_typescript(&chosen), "TENTER_TEST_NODE names no node 22.18 or newer: {shown}");
        return chosen;
    }
    let kept = Path::new(binary)
        .ancestors()
        .filter_map(|folder| fs::read_dir(folder.join("tools/node_modules")).ok())
        .flatten()
        .filter_map(|package| Some(package.ok()?.path().join("bin/node")));
    std::iter::once(PathBuf::from("node"))
        .chain(kept)
        .find(|node| runs_typescript(node))
        .expect("no node 22.18 or newer is here: `cargo xtask test` installs one")
}

fn runs_typescript(node: &Path) -> bool {
    let Ok(output) = Command::new(node).arg("--version").output() else { return false };
    let version = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = version.trim_start_matches('v').split('.');
    let mut number = || numbers.next()?.parse::<u32>().ok();
    (number(), number()) >= (Some(22), Some(18))
}
