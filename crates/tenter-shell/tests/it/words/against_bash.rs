//! Our expansion of words equals that of bash.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::puzzles::{self, Puzzle, Random};
use super::shell::{HOME, Shell};
use tenter_shell::value::{Field, Part};
use tenter_shell::{Certainty, Surroundings, analyze};

const BATCHES: u64 = 12;
const PUZZLES: usize = 500;
/// Separates the answers to two puzzles; no puzzle can print it.
const MARK: &str = "\u{1}next\u{1}";

struct Batch {
    puzzles: Vec<Puzzle>,
    bash: Child,
    answers: std::path::PathBuf,
}

#[test]
fn every_word_we_are_sure_of_is_what_bash_makes_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let empty = directory.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let batches: Vec<Batch> =
        (0..BATCHES).map(|number| start(number + 1, directory.path(), &empty)).collect();
    let mut total = 0;
    let (mut exact, mut certain) = (0, 0);
    let mut wrong = Vec::new();
    for mut batch in batches {
        let ours: Vec<_> = batch
            .puzzles
            .iter()
            .map(|puzzle| (ours(puzzle, &empty), followed(puzzle, &empty)))
            .collect();
        assert!(batch.bash.wait().unwrap().success());
        let printed = fs::read_to_string(&batch.answers).unwrap();
        let answers: Vec<&str> = printed.split(MARK).collect();
        assert_eq!(answers.len(), batch.puzzles.len() + 1);
        for ((puzzle, ours), answer) in batch.puzzles.iter().zip(ours).zip(answers) {
            // Without an answer bash found an error in it, such as an index that is not there.
            if answer.is_empty() {
                continue;
            }
            total += 1;
            let theirs: Vec<&str> = answer.split_terminator('\0').skip(1).collect();
            let (expanded, followed) = ours;
            exact += usize::from(expanded.is_some());
            certain += usize::from(followed.is_some());
            for ours in [expanded, followed].into_iter().flatten() {
                if ours != theirs {
                    let Puzzle { setup, words } = puzzle;
                    wrong.push(format!(
                        "{setup}\n{words}\n  ours   {ours:?}\n  theirs {theirs:?}\n"
                    ));
                }
            }
        }
    }
    let shown: String = wrong.iter().take(12).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {exact} are wrong:\n{shown}", wrong.len());
    assert!(total > 5500, "bash could answer only {total}");
    assert!(exact * 10 >= total * 9, "only {exact} of {total} puzzles are computed exactly");
    assert!(certain * 2 >= total, "only {certain} of {total} puzzles are followed exactly");
}

fn start(seed: u64, directory: &Path, empty: &Path) -> Batch {
    let mut random = Random::new(seed);
    let puzzles: Vec<Puzzle> = (0..PUZZLES).map(|_| puzzles::puzzle(&mut random)).collect();
    let script = directory.join(format!("{seed}.sh"));
    let answers = directory.join(format!("{seed}.out"));
    fs::write(&script, script_of(&puzzles)).unwrap();
    let bash = Command::new("bash")
        .arg("--norc")
        .current_dir(empty)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", HOME)
        .env("LC_ALL", "C.UTF-8")
        .stdin(File::open(&script).unwrap())
        .stdout(File::create(&answers).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .expect("bash must be there to compare with");
    Batch { puzzles, bash, answers }
}

fn script_of(puzzles: &[Puzzle]) -> String {
    let mut script = String::new();
    for Puzzle { setup, words } in puzzles {
        // Each in its own subshell, which also reads it: an error in one ends only that one.
        let code = format!("{setup}\nprintf '%s\\0' - {words}").replace('\'', "'\\''");
        script += &format!("(eval '{code}')\nprintf '%s' '{MARK}'\n");
    }
    script
}

/// The words as we see them; none if something is not known.
fn ours(puzzle: &Puzzle, directory: &Path) -> Option<Vec<String>> {
    let mut shell = Shell::new(directory.to_str().unwrap());
    let read = shell.run(&format!("{}\nprintf '%s\\0' - {}\n", puzzle.setup, puzzle.words));
    assert!(read, "{}\n{}", puzzle.setup, puzzle.words);
    let fields = shell.ran.pop().unwrap();
    let known = shell.gave_up.is_empty() && fields.iter().all(is_shown_as_it_is);
    known.then(|| fields[3..].iter().map(Field::shown).collect())
}

/// The words as the whole analysis sees them, where it is certain of them.
fn followed(puzzle: &Puzzle, directory: &Path) -> Option<Vec<String>> {
    let world =
        Surroundings { cwd: directory.to_str(), home: Some(HOME), ..Surroundings::default() };
    // Where the environment is not known to be empty, a variable may be there.
    let script =
        format!("unset a b c l n m r ay\n{}\nprintf '%s\\0' - {}\n", puzzle.setup, puzzle.words);
    let analysis = analyze(&script, &world);
    let mut printed = analysis.commands.iter().filter(|ran| {
        ran.program == "printf" && ran.argv.get(2).is_some_and(|field| field.is("-"))
    });
    let ran = printed.next().filter(|_| analysis.unverified.is_empty())?;
    // More than one reading of the same command: none of them is certain.
    let sure = printed.next().is_none() && ran.certainty == Certainty::Certain;
    (sure && ran.argv.iter().all(|field| field.exact().is_some()))
        .then(|| ran.argv[3..].iter().map(Field::shown).collect())
}

/// A quoted character in `[...]` is shown with a backslash, which bash does not print.
fn is_shown_as_it_is(field: &Field) -> bool {
    field.parts.iter().all(|part| match part {
        Part::Text { .. } => true,
        Part::Glob(pattern) => !pattern.contains('\\'),
        Part::Unknown(_) => false,
    })
}
