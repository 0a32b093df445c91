//! The parser accepts exactly what bash accepts.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tenter_shell::syntax::Dialect;

use super::trees;

/// Errors that bash reports only at run time, and one that stops it silently.
const LATER: [&str; 4] =
    ["a ${b!c}; d", "echo ${x[}\nb\necho ]}", "((a `b ))` c; d) )", "[[ a && ]] ; b"];

/// Whether `bash -n`, which runs nothing, has no complaint. Extended patterns are on.
#[expect(clippy::disallowed_methods, reason = "bash is asked what it accepts")]
pub(crate) fn bash_accepts(script: &str, directory: &Path) -> bool {
    let output = Command::new("bash")
        .args(["-O", "extglob", "-n", "-c", "--", script])
        .env_clear()
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .expect("bash must be installed for this test");
    let complaints = String::from_utf8_lossy(&output.stderr);
    // Heredocs that end with the script are only warned about. Errors in `[[` leave status 0.
    output.status.success() && complaints.lines().all(|line| line.contains("warning"))
}

fn compare<'a>(scripts: impl Iterator<Item = &'a str>) -> usize {
    let directory = tempfile::tempdir().expect("an empty directory");
    let mut wrong = String::new();
    let mut accepted = 0;
    for script in scripts {
        let bash = bash_accepts(script, directory.path());
        let errors = super::read(script, Dialect::Bash).errors;
        accepted += usize::from(bash);
        if bash != errors.is_empty() {
            let _ = writeln!(wrong, "{script:?}: bash {bash}, errors {errors:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    accepted
}

#[test]
fn bash_accepts_the_scripts_of_the_tree_tables_that_are_read_without_error() {
    let tables = [
        trees::WORDS_AND_QUOTES,
        trees::LISTS_AND_PIPELINES,
        trees::ASSIGNMENTS_AND_ARRAYS,
        trees::REDIRECTIONS,
        trees::HEREDOCS,
        trees::EXPANSIONS,
        trees::COMPOUND_COMMANDS,
        trees::BROKEN_SCRIPTS_KEEP_THEIR_COMMANDS,
    ];
    let scripts = tables.iter().flat_map(|table| table.iter().map(|(script, _)| *script));
    let accepted = compare(scripts.filter(|script| !LATER.contains(script)));
    assert!(accepted > 150, "only {accepted}");
}

/// Deterministic random numbers.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

const TOKENS: [&str; 66] = [
    "echo",
    "a",
    "b",
    "x=1",
    "y+=2",
    "$x",
    "\"q $y\"",
    "'s'",
    "${x:-d}",
    "`ls`",
    "$(ls)",
    "$((1+2))",
    "{",
    "}",
    "(",
    ")",
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "while",
    "until",
    "do",
    "done",
    "for",
    "in",
    "case",
    "esac",
    "function",
    "f()",
    "select",
    "((",
    "))",
    "&&",
    "||",
    "|",
    "|&",
    ";",
    "&",
    ";;",
    "\n",
    "!",
    "time",
    ">f",
    "<g",
    "2>&1",
    ">&2",
    "&>h",
    "<<<w",
    "<(ls)",
    "declare",
    "a)",
    "-p",
    "# c\n",
    "\\\n",
    "b[1]=2",
    "$'x'",
    "$\"y\"",
    "{a,b}",
    "f",
    "${#x}",
    "\"${x[@]}\"",
    "$[1]",
    "{v}>f",
    "esac)",
];
const TEMPLATES: [&str; 18] = [
    "if a ; then b ; fi",
    "while a ; do b ; done",
    "for i in 1 2 ; do c ; done",
    "case x in a) b ;; esac",
    "f() { a ; }",
    "{ a ; }",
    "( a )",
    "[[ a == b ]]",
    "(( 1 ))",
    "cat <<E \n x \nE\n",
    "a && b",
    "a | b",
    "! a",
    "time a",
    "function g { b ; }",
    "select s in a ; do b ; done",
    "x=(1 2)",
    "[[ -f x && ( a < b ) ]]",
];

/// A few tokens in any order, or whole commands with a few tokens lost, added or exchanged.
fn script(dice: &mut Dice) -> String {
    if dice.roll(3) == 0 {
        let count = 1 + dice.roll(8);
        let tokens: Vec<&str> = (0..count).map(|_| dice.pick(&TOKENS)).collect();
        return tokens.join(" ");
    }
    let between = dice.pick(&[" ; ", " && ", " \n ", " | ", " ", " & "]);
    let count = 1 + dice.roll(3);
    let commands: Vec<&str> = (0..count).map(|_| dice.pick(&TEMPLATES)).collect();
    let joined = commands.join(between);
    let mut tokens: Vec<&str> = joined.split(' ').collect();
    for _ in 0..dice.roll(3) {
        let at = dice.roll(tokens.len());
        match dice.roll(3) {
            0 if tokens.len() > 1 => drop(tokens.remove(at)),
            1 => tokens.insert(at, dice.pick(&TOKENS)),
            _ => tokens[at] = dice.pick(&TOKENS),
        }
    }
    tokens.join(" ")
}

#[test]
fn bash_accepts_the_made_up_scripts_that_are_read_without_error() {
    let mut dice = Dice(4);
    let scripts: Vec<String> = (0..900).map(|_| script(&mut dice)).collect();
    let accepted = compare(scripts.iter().map(String::as_str));
    assert!((200..700).contains(&accepted), "{accepted} of {}", scripts.len());
}
