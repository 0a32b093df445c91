//! bash prints the functions it knows in its own layout. If it read a script as the reader did, the
//! print has the same tree.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tenter_shell::syntax::Dialect;

use super::accepted::{Dice, bash_accepts};
use super::printer;

/// The script as bash prints it as the body of a function. It is only defined, never called, and
/// no program could be found if it were.
#[expect(clippy::disallowed_methods, reason = "bash is asked how it read a script")]
fn printed(script: &str, directory: &Path) -> Option<String> {
    let definition = format!("PATH=\nprinted() {{\n{script}\n}}\ndeclare -f printed");
    let output = Command::new("bash")
        .args(["-O", "extglob", "-c", "--", &definition])
        .env_clear()
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .expect("bash must be installed for this test");
    let text = String::from_utf8(output.stdout).ok()?;
    let body = text.strip_prefix("printed () \n{ \n")?.strip_suffix("\n}\n")?;
    Some(body.to_owned())
}

/// Scripts where quotes, braces and parentheses open, close and hide each other.
fn tangle(dice: &mut Dice) -> String {
    const PIECES: [&str; 70] = [
        "a", "a", " ", " ", "\"", "'", "$", "(", ")", "{", "}", "[", "]", ":", "/", "#", "%", "@",
        "!", "*", ";", "-", "=", "+", "?", ",", "^", "|", "&", "${x", "${x:", "${x[", "${#", "${!",
        "${x/", "${x#", "\"${x", "}\"", "$(", "$((", "))", "\"$(", ")\"", "; b ", "\n", "a=(",
        "x[", "`a`", "@(", "|b", "$x", "'a b'", "\"c d\"", "\\\n", "x:-", "$[", "[b]=", "&& ",
        ">f ", "<(", "\"${x:-", "\"$((", "}\"; b", "\\}", "\\\"", "'}'", "\\'", "<<<", "; (a) ",
        "{ a; }",
    ];
    let count = 2 + dice.roll(12);
    let pieces: Vec<&str> = (0..count).map(|_| dice.pick(&PIECES)).collect();
    ["echo ", &pieces.concat()].concat()
}

#[test]
fn tangled_scripts_have_the_tree_of_what_bash_prints_of_them() {
    let directory = tempfile::tempdir().expect("an empty directory");
    let mut dice = Dice(7);
    let mut wrong = String::new();
    let mut compared = 0;
    for _ in 0..4000 {
        let script = tangle(&mut dice);
        let parsed = super::read(&script, Dialect::Bash);
        if !parsed.errors.is_empty() || !bash_accepts(&script, directory.path()) {
            continue;
        }
        let Some(print) = printed(&script, directory.path()) else {
            continue;
        };
        compared += 1;
        let ours = printer::print(&parsed);
        let theirs = printer::print(&super::read(&print, Dialect::Bash));
        // Lines that are continued are joined in the print.
        if ours.replace("''", "") != theirs.replace("''", "") {
            let _ = writeln!(wrong, "{script:?}\n  ours   {ours}\n  theirs {theirs}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(compared > 250, "only {compared}");
}
