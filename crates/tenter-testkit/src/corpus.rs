//! The corpus of labelled commands; its format is described in `crates/tenter-policy/corpus`.

use std::fs;
use std::path::Path;

/// One labelled command.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name of its file, without extension.
    pub file: String,
    pub class: String,
    /// `deny`, `ask`, `stop` (either) or `pass`.
    pub expect: String,
    pub cwd: String,
    pub command: String,
}

/// Working directory of cases that name none.
const CWD: &str = "/home/me/shop";

/// All cases, in file order.
pub fn corpus() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tenter-policy/corpus/commands");
    let entries = fs::read_dir(folder).expect("the corpus is here");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        read(&name, &fs::read_to_string(&file).expect("a file of the corpus"), &mut cases);
    }
    cases
}

fn read(file: &str, text: &str, cases: &mut Vec<Case>) {
    let (mut class, mut cwd) = (String::new(), CWD.to_owned());
    for (index, line) in text.lines().enumerate() {
        if let Some(more) = line.strip_prefix("  | ").or((line == "  |").then_some("")) {
            let command = &mut cases.last_mut().expect("a command to go on with").command;
            command.push('\n');
            command.push_str(more);
        } else if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (class, cwd) = (name.to_owned(), CWD.to_owned());
        } else if let Some(folder) = line.strip_prefix("cwd ") {
            folder.trim().clone_into(&mut cwd);
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            let (expect, command) =
                line.split_once(' ').unwrap_or_else(|| panic!("{file}:{}: {line}", index + 1));
            cases.push(Case {
                file: file.to_owned(),
                class: class.clone(),
                expect: expect.to_owned(),
                cwd: cwd.clone(),
                command: command.trim_start().to_owned(),
            });
        }
    }
}
