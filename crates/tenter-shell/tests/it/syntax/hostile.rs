//! Hostile texts: the parser must return with little stack and bounded work.

use std::thread;

use proptest::prelude::*;
use tenter_shell::budget::{Budget, MAX_BYTES};
use tenter_shell::syntax::{Dialect, SyntaxError, parse};

use super::printer;

const ALL: [Dialect; 4] = [Dialect::Bash, Dialect::Posix, Dialect::Zsh, Dialect::Fish];

/// Reads with a stack of 512 KB, also when built without optimisation, and gives back the errors
/// and the work.
fn read_on_small_stack(source: String, dialect: Dialect) -> (Vec<SyntaxError>, u64) {
    thread::Builder::new()
        .stack_size(512 * 1024)
        .spawn(move || {
            let mut budget = Budget::default();
            let parsed = parse(&source, dialect, &mut budget);
            (parsed.errors, budget.used())
        })
        .expect("a thread starts")
        .join()
        .expect("the reader comes back")
}

/// An odd number of pieces, so that quotes do not pair off.
fn filled(piece: &str) -> String {
    piece.repeat((MAX_BYTES / piece.len() - 1) | 1)
}

#[test]
fn sixty_four_kilobytes_of_openings_end_in_an_error() {
    let pieces = [
        "(",
        "((",
        "$(",
        "$((",
        "{ ",
        "`",
        "\"$(",
        "\"${x:-",
        "${x:-",
        "${x#",
        "${x[",
        "$[",
        "[[ ",
        "[[ ( ",
        "if ",
        "while ",
        "case x in a) ",
        "case x in ",
        "for x in a; do ",
        "<(",
        ">(",
        "@(",
        "a=(",
        "a[",
        "a[$(",
        "a=([$(",
        "\"",
        "'",
        "$'",
        "f() ",
        "function f { ",
        "coproc f { ",
        "select x in a; do ",
        "for ((",
        "`\\`",
        "x=${x:-$(",
        "if x; then ",
        "until x; do :; done <(",
        "declare a=(",
        "${x/",
        "${x:",
        "\"$((",
        "! (",
        "time {\n",
        "begin; ",
        "switch x; case ",
        "((a) ",
        "$((a) ",
        "\"`",
        "<<a $(",
        "{a,",
        "f(){ ",
    ];
    for dialect in ALL {
        for piece in pieces {
            let (errors, work) = read_on_small_stack(filled(piece), dialect);
            let bash = dialect == Dialect::Bash && !["{a,", "begin; "].contains(&piece);
            assert!(!bash || !errors.is_empty(), "{piece:?} in {dialect:?}");
            assert!(work < 4 * MAX_BYTES as u64, "{piece:?} in {dialect:?} took {work}");
        }
    }
}

#[test]
fn sixty_four_kilobytes_of_anything_come_back() {
    let pieces = [
        ")",
        "}",
        "fi ",
        ";;",
        ";",
        "&",
        "|",
        "<<a\n",
        "<<a <<b ",
        "<<a",
        "\\",
        "\\\n",
        "#",
        "\n",
        "\r\n",
        "\0",
        "é",
        "$",
        "a ",
        "a;",
        "a|",
        "a&&",
        "a=1 ",
        "a[;",
        "a[1]=",
        ">a ",
        ">",
        "2>&",
        "{a}>",
        "!",
        "! ",
        "time ",
        "$x",
        "\"\"",
        "''",
        "a[ ' ];",
        "((a # '\n) )",
        "$(a)",
        "`a`",
        "(a)",
        "a b c\n",
        "]]",
        "esac ",
        "end;",
        "else ",
        "<<'a'\n",
        "((1))",
        "((a) )",
        "<<-\ta\n\ta\n",
        "[[ a ]];",
        "\u{202e}",
        "\u{feff}",
        "$((1))",
        "a()",
        "a() { :; };",
        "\"((\" (( ",
    ];
    for dialect in ALL {
        for piece in pieces {
            let (_, work) = read_on_small_stack(filled(piece), dialect);
            assert!(work < 24 * MAX_BYTES as u64, "{piece:?} in {dialect:?} took {work}");
        }
    }
}

#[test]
fn work_grows_with_the_length_and_not_faster() {
    for piece in ["(", "((a) ", "$((", "`\\`", "a[;", "<<a\n", "\"$(", "x=${x:-$("] {
        let work = |times: usize| read_on_small_stack(piece.repeat(times), Dialect::Bash).1;
        let (short, long) = (work(1_000), work(8_000));
        assert!(long <= short * 9, "{piece:?}: {short} for 1000, {long} for 8000");
    }
}

#[test]
fn what_is_nested_too_deep_says_so_and_what_follows_the_backquotes_is_read() {
    let deep = format!("ls; echo {}", "$(".repeat(1000));
    let parsed = super::read(&deep, Dialect::Bash);
    assert!(parsed.errors.iter().any(|error| error.too_deep));
    assert!(printer::print(&parsed).starts_with("[ls]; [echo $("));
    let behind = format!("`{}`; rm x", "( ".repeat(1000));
    let parsed = super::read(&behind, Dialect::Bash);
    assert!(printer::script(&parsed.script).ends_with("; [rm x]"));
}

#[test]
fn forty_levels_are_not_too_deep() {
    let nested = format!("{}ls{}", "$(".repeat(40), ")".repeat(40));
    assert_eq!(super::read(&nested, Dialect::Bash).errors, []);
}

#[test]
fn what_closes_as_it_should_but_nests_too_deep_is_tried_once() {
    for (open, close) in
        [("$((1+", "))"), ("\"$((1+", "))\""), ("${x:$((", "))}"), ("$(((1)+", "))")]
    {
        let nested = |times: usize| format!(": {}1{}", open.repeat(times), close.repeat(times));
        let (errors, work) = read_on_small_stack(nested(100), Dialect::Bash);
        assert!(errors.iter().any(|error| error.too_deep), "{open:?}");
        assert!(work < 100_000, "{open:?}: {work}");
    }
}

#[test]
fn a_spent_budget_stops_the_reading() {
    let mut budget = Budget::default();
    while budget.spend(1_000_000) {}
    let parsed = parse("rm x", Dialect::Bash, &mut budget);
    assert!(parsed.script.items.is_empty());
    assert_eq!(parsed.errors.len(), 1);
}

/// Pieces that shells give a meaning to, and a few that they do not.
fn shellish(most: usize) -> impl Strategy<Value = String> {
    const PIECES: [&str; 72] = [
        " ",
        "\n",
        "\t",
        ";",
        "&",
        "|",
        "<",
        ">",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "$",
        "`",
        "\"",
        "'",
        "\\",
        "#",
        "=",
        "!",
        "*",
        "?",
        "@",
        "+",
        "-",
        "~",
        "/",
        ":",
        ",",
        ".",
        "a",
        "b",
        "1",
        "x=",
        "$(",
        "${",
        "$((",
        "))",
        "$'",
        "<<a\n",
        "\na\n",
        "<<'a'\n",
        "<(",
        "if ",
        "then ",
        "fi",
        "for x in ",
        "do ",
        "done",
        "case x in ",
        ";;",
        "esac",
        "while ",
        "[[ ",
        " ]]",
        "f()",
        "{ ",
        "; }",
        "\\\n",
        "&&",
        "||",
        "2>&1",
        "\r\n",
        "\0",
        "é",
        "\u{202e}",
        "end",
        "begin ",
        "\"$x\"",
        "echo ",
    ];
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..most)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, max_global_rejects: 50_000, ..ProptestConfig::default() })]

    #[test]
    fn any_shellish_text_comes_back_with_spans_that_fit(source in shellish(40), which in 0..4_usize) {
        let parsed = super::read(&source, ALL[which]);
        super::places::check(&source, &parsed);
    }

    #[test]
    fn any_text_comes_back_with_spans_that_fit(source in "\\PC{0,60}", which in 0..4_usize) {
        let parsed = super::read(&source, ALL[which]);
        super::places::check(&source, &parsed);
    }

    #[test]
    fn a_command_on_a_line_of_its_own_is_found_behind_any_line_that_is_read_without_error(
        source in shellish(7),
    ) {
        let first = super::read(&source, Dialect::Bash);
        // A heredoc takes the next line for itself, even when its sign is broken over two.
        let heredoc = source.replace("\\\n", "").contains("<<");
        prop_assume!(first.errors.is_empty() && !heredoc && !source.ends_with('\\'));
        // One line end of another kind would change how all of them are read.
        let of_windows = source.contains('\r')
            && source.matches('\n').count() == source.matches("\r\n").count();
        let end = if of_windows { "\r\n" } else { "\n" };
        let both = super::read(&format!("{source}{end}found it"), Dialect::Bash);
        prop_assert!(printer::script(&both.script).ends_with("[found it]"), "{}", printer::print(&both));
    }
}
