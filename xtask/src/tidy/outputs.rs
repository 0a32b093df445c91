//! Checks that commands write output files only through the function that protects hook files and settings.
//!
//! Clippy's `disallowed-methods` apply to a whole crate with its tests, which write files all the time; so
//! this searches the code before a file's tests.

use super::Findings;
use super::files::File;

/// Folders of code that handles output options.
const COMMANDS: &[&str] = &["crates/tenter-cli/src/commands/", "crates/tenter-server/src/"];

/// Functions that write a file.
const WRITERS: &[&str] = &[
    "fs::write(",
    "File::create",
    "OpenOptions",
    "fs::copy(",
    "fs::hard_link(",
    "fs::rename(",
    "symlink(",
    "open_private(",
];

/// Files that may use them, and why that is safe.
const EXCUSED: &[(&str, &str)] = &[
    ("crates/tenter-cli/src/commands/scratch.rs", "only in a folder it has made itself"),
    ("crates/tenter-cli/src/commands/show/transcript.rs", "opens to read, without waiting"),
    ("crates/tenter-server/src/model/mod.rs", "a new file of a fixed name"),
];

pub(super) fn check(files: &[File]) -> Findings {
    let commands = files.iter().filter(|file| {
        let excused = EXCUSED.iter().any(|(name, _)| file.name == *name);
        file.extension() == "rs"
            && !excused
            && !file.base().contains("tests")
            && COMMANDS.iter().any(|folder| file.name.starts_with(folder))
    });
    commands.flat_map(|file| of_text(&file.name, &file.text().unwrap_or_default())).collect()
}

fn of_text(name: &str, text: &str) -> Findings {
    let code = (1_usize..).zip(text.lines()).take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    code.filter_map(|(number, line)| {
        let writer = WRITERS.iter().find(|writer| line.contains(*writer))?;
        Some(format!(
            "{name}:{number}: `{writer}` writes past `output_file`, which keeps an output option away from hook files"
        ))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_writes_by_itself_is_found_and_its_tests_are_not() {
        let found = of_text("a.rs", "fn a() {\n    std::fs::write(path, text)\n}\n");
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("a.rs:2: `fs::write(`"), "{found:?}");
        let tests = "output_file::write(path)\n#[cfg(test)]\nmod tests { fs::write(a, b) }\n";
        assert!(of_text("a.rs", tests).is_empty());
    }
}
