//! What we say a word comes to is what bash makes of it.

mod support;

use std::fs;
use std::process::{Command, Stdio};

use support::puzzles::{Puzzle, Random, puzzle};
use support::shell::{HOME, Shell};

const BATCHES: u64 = 12;
const PUZZLES: usize = 500;
/// Stands between the answers to two puzzles; no puzzle can print it.
const MARK: &str = "\u{1}next\u{1}";

#[test]
fn every_word_we_are_sure_of_is_what_bash_makes_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let empty = directory.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let mut exact = 0;
    let mut wrong = Vec::new();
    for batch in 0..BATCHES {
        let mut random = Random::new(batch + 1);
        let puzzles: Vec<Puzzle> = (0..PUZZLES).map(|_| puzzle(&mut random)).collect();
        let script = std::path::PathBuf::from("/tmp/em_puzzles.sh");
        fs::write(&script, script_of(&puzzles)).unwrap();
        let output = Command::new("bash")
            .arg("--norc")
            .arg(&script)
            .current_dir(&empty)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", HOME)
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .output()
            .expect("bash must be there to compare with");
        let printed = String::from_utf8_lossy(&output.stdout);
        let answers: Vec<&str> = printed.split(MARK).collect();
        assert_eq!(answers.len(), puzzles.len() + 1, "{}", String::from_utf8_lossy(&output.stderr));
        for (puzzle, answer) in puzzles.iter().zip(answers) {
            let Some(ours) = ours(puzzle, empty.to_str().unwrap()) else { continue };
            exact += 1;
            let theirs: Vec<&str> = answer.split_terminator('\0').collect();
            if ours != theirs {
                wrong.push(format!(
                    "{}\n{}\n  ours   {ours:?}\n  theirs {theirs:?}\n",
                    puzzle.setup, puzzle.words
                ));
            }
        }
    }
    let shown: String = wrong.iter().take(12).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {exact} are wrong:\n{shown}", wrong.len());
    let all = usize::try_from(BATCHES).unwrap() * PUZZLES;
    assert!(exact * 10 >= all * 8, "only {exact} of {all} puzzles are computed exactly");
}

fn script_of(puzzles: &[Puzzle]) -> String {
    let mut script = String::new();
    for Puzzle { setup, words } in puzzles {
        script += "unset a b c l n m r u v IFS; set --\n";
        script += &format!("{setup}\n printf '%s\\0' - {words}\n IFS=; printf '%s' '{MARK}'\n");
    }
    script
}

/// The words as we see them; none if something is not known.
fn ours(puzzle: &Puzzle, directory: &str) -> Option<Vec<String>> {
    let mut shell = Shell::new(directory);
    shell.run(&format!("{}\nprintf '%s\\0' - {}\n", puzzle.setup, puzzle.words));
    let fields = shell.ran.pop().unwrap();
    let known = shell.gave_up.is_empty() && !fields.iter().any(|field| field.has_unknown());
    known.then(|| fields[2..].iter().map(|field| field.shown()).collect())
}
