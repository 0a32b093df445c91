//! Inspects a program or script file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tenter_files::Whose;

/// Result of inspecting a file that a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    Missing,
    Folder,
    File { executable: bool, head: Head },
}

/// Start of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// `#!` with its interpreter.
    Shebang { interpreter: Interpreter, carriage_return: bool },
    /// Text without a shebang.
    Text,
    /// A compiled program, an empty file, or an unreadable one.
    Other,
}

/// Interpreter of a shebang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Interpreter {
    Path(PathBuf),
    /// Looked up on PATH by `env`.
    Program(String),
    /// In a form that is not supported here.
    Unclear,
}

/// Looks at a file.
pub(crate) fn inspect(path: &Path) -> Script {
    let Ok(metadata) = path.metadata() else { return Script::Missing };
    if metadata.is_dir() {
        return Script::Folder;
    }
    // Reading a pipe or a device could block for ever.
    let head = if metadata.is_file() { head_of(path) } else { Head::Other };
    Script::File { executable: is_executable(&metadata), head }
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

/// On Windows the file name extension decides.
#[cfg(not(unix))]
fn is_executable(_metadata: &std::fs::Metadata) -> bool {
    true
}

fn head_of(path: &Path) -> Head {
    const ENOUGH: u64 = 512;
    let bytes = tenter_files::start(path, ENOUGH, Whose::Anyone).unwrap_or_default();
    if bytes.is_empty() {
        return Head::Other;
    }
    if let Some(rest) = bytes.strip_prefix(b"#!") {
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        return shebang(&String::from_utf8_lossy(line));
    }
    if bytes.contains(&0) { Head::Other } else { Head::Text }
}

fn shebang(line: &str) -> Head {
    let carriage_return = line.ends_with('\r');
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_env = Path::new(first).file_name().is_some_and(|name| name == "env");
    let interpreter = if is_env {
        let plain = |word: &&str| !word.contains('=') && *word != "-S";
        match words.find(plain) {
            Some(program) if !program.starts_with('-') => Interpreter::Program(program.to_owned()),
            _ => Interpreter::Unclear,
        }
    } else if first.starts_with('/') {
        Interpreter::Path(PathBuf::from(first))
    } else {
        Interpreter::Unclear
    };
    Head::Shebang { interpreter, carriage_return }
}

/// Looks up a program like a shell. Without a PATH every program counts as found.
pub(crate) fn on_path(program: &str, path: Option<&OsStr>) -> bool {
    let Some(path) = path else { return true };
    let endings: &[&str] =
        if cfg!(windows) { &["", ".exe", ".cmd", ".bat", ".ps1"] } else { &[""] };
    std::env::split_paths(path).any(|folder| {
        endings.iter().any(|ending| {
            let file = folder.join(format!("{program}{ending}"));
            file.metadata().is_ok_and(|metadata| metadata.is_file() && is_executable(&metadata))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lay_texts;

    #[test]
    fn a_shebang_names_what_must_be_there() {
        let of = |line: &str| match shebang(line) {
            Head::Shebang { interpreter, carriage_return } => (interpreter, carriage_return),
            other => panic!("{other:?}"),
        };
        let program = |name: &str| Interpreter::Program(name.to_owned());
        assert_eq!(of("/bin/bash -e"), (Interpreter::Path("/bin/bash".into()), false));
        assert_eq!(of(" /usr/bin/env python3\r"), (program("python3"), true));
        assert_eq!(of("/usr/bin/env -S A=1 node --x"), (program("node"), false));
        assert_eq!(of("/usr/bin/env -i sh"), (Interpreter::Unclear, false));
        assert_eq!(of(""), (Interpreter::Unclear, false));
    }

    #[test]
    fn files_are_told_apart_by_how_they_begin() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        lay_texts(root, &[("a.sh*", "#!/bin/sh\n"), ("b.py", "print(1)\n"), ("c*", "\u{7f}ELF\0")]);
        let head = |name: &str| match inspect(&root.join(name)) {
            Script::File { head, .. } => head,
            other => panic!("{other:?}"),
        };
        assert!(matches!(head("a.sh"), Head::Shebang { .. }));
        assert_eq!(head("b.py"), Head::Text);
        assert_eq!(head("c"), Head::Other);
        assert_eq!(inspect(&root.join("none")), Script::Missing);
        assert_eq!(inspect(root), Script::Folder);
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_found_on_the_path_only_if_they_can_run() {
        let scratch = tempfile::tempdir().unwrap();
        lay_texts(scratch.path(), &[("runs*", "x"), ("does-not", "x")]);
        let path = Some(scratch.path().as_os_str());
        assert!(on_path("runs", path));
        assert!(!on_path("does-not", path));
        assert!(!on_path("absent", path));
        assert!(on_path("absent", None), "without a PATH nothing is claimed");
    }
}
