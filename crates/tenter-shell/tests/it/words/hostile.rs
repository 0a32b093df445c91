//! Hostile words that try to run forever or overflow the stack.

use std::time::{Duration, Instant};

use super::shell::Shell;
use tenter_shell::budget::{MAX_FIELDS, MAX_VALUE};
use tenter_shell::expand;
use tenter_shell::span::Span;
use tenter_shell::syntax::ast::{Text, Word, WordPart};
use tenter_shell::value::Field;

const LONG: usize = 64 * 1024;

fn literal(text: &str) -> Word {
    let text = Text { text: text.to_owned(), at: Some(0) };
    Word { parts: vec![WordPart::Literal(text)], span: Span::new(0, 1) }
}

/// Far more than any of them needs, far less than anything that is not linear takes.
fn is_quick(name: &str, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(30), "{name} took {took:?}");
}

fn filled(unit: &str) -> String {
    unit.repeat(LONG / unit.len())
}

const UNITS: &[&str] = &[
    "{", "}", "{,", "{a,b}", "{a..z}", "{{a,b},", "{1..9}{", "a,", "..", "{a,", "[", "[[", "[[:",
    "[a]", "*", "*a", "?", "@(", "!(", "@(a|", "+(a)", "~", "~:", ":~", "\\", "(", "((", "-", "!",
    "+1", "1+(", "a[", "a=", "a?", "1?1:", "**2", "2**", "{}", "[!]", "é", "{é,", "[é-", "a&&",
    "x,",
];

#[test]
fn long_repetitions_are_read_in_linear_work_and_on_a_small_stack() {
    let all = || {
        for unit in UNITS {
            let text = filled(unit);
            let word = literal(&text);
            is_quick(&format!("fields of {unit}"), || {
                assert!(expand::fields(&word, &mut Shell::new("/")).len() <= MAX_FIELDS);
            });
            is_quick(&format!("value of {unit}"), || {
                let field = expand::single(&word, &mut Shell::new("/"));
                assert!(field.shown().len() >= LONG / 2 || field.has_unknown());
            });
            is_quick(&format!("sum of {unit}"), || {
                expand::arithmetic(&word, &mut Shell::new("/"));
            });
            is_quick(&format!("pattern of {unit}"), || {
                let pattern = expand::pattern(&word, &mut Shell::new("/"));
                expand::pattern_matches(&pattern, &filled("a"));
                expand::pattern_matches(&pattern, &text);
            });
        }
    };
    std::thread::Builder::new().stack_size(1 << 19).spawn(all).unwrap().join().unwrap();
}

#[test]
fn nested_braces_and_groups_do_not_overflow_the_stack() {
    let all = || {
        for (open, close) in [
            ("{a,", "}"),
            ("{{", ",}}"),
            ("@(", ")"),
            ("!(a|", ")"),
            ("(", ")"),
            ("a[", "]"),
            ("-(", ")"),
        ] {
            let text = open.repeat(LONG / 4) + "1" + &close.repeat(LONG / 4);
            let word = literal(&text);
            is_quick(&format!("nested {open}"), || {
                expand::fields(&word, &mut Shell::new("/"));
                expand::arithmetic(&word, &mut Shell::new("/"));
                let pattern = expand::pattern(&word, &mut Shell::new("/"));
                expand::pattern_matches(&pattern, &text);
            });
        }
    };
    std::thread::Builder::new().stack_size(1 << 19).spawn(all).unwrap().join().unwrap();
}

fn run(source: &str) -> Shell {
    let mut shell = Shell::new("/");
    is_quick(source.get(..source.len().min(60)).unwrap_or("…"), || {
        assert!(shell.run(source));
    });
    shell
}

#[test]
fn values_that_double_stop_growing() {
    let shell = run(&("x=aaaaaaaa; ".to_owned() + &"x=$x$x; ".repeat(100) + "echo $x"));
    assert!(shell.gave_up.contains(&"a value becomes too long"));
    assert!(shell.ran[0].iter().all(|field| field.shown().len() <= MAX_VALUE));
    let shell = run(&("x=aaaaaaaa; ".to_owned() + &"x=${x//a/$x}; ".repeat(40) + "echo $x"));
    assert!(shell.ran[0].iter().any(Field::has_unknown));
}

#[test]
fn braces_that_multiply_give_up() {
    let shell = run(&("echo ".to_owned() + &"{a,b}".repeat(500)));
    assert!(shell.gave_up.contains(&"braces make too many words"));
    assert!(shell.ran[0].len() <= MAX_FIELDS + 1);
    let shell = run(
        "echo {1..999999999999} {1..9223372036854775807..1} {-9223372036854775808..9223372036854775807}",
    );
    assert!(shell.gave_up.contains(&"braces make too many words"));
}

#[test]
fn lists_that_grow_give_up() {
    let shell = run(&("set -- a b; ".to_owned() + &"set -- \"$@\" \"$@\"; ".repeat(40)));
    assert!(shell.gave_up.contains(&"a word becomes too many fields"));
}

#[test]
fn variables_that_name_each_other_end() {
    run("x=x; echo $((x)) $((x+x))");
    let mut source = String::new();
    for index in 0..60 {
        source += &format!("x{index}=x{0}+x{0}; ", index + 1);
    }
    let shell = run(&(source + "echo $((x0))"));
    assert!(shell.ran[0].iter().any(Field::has_unknown));
}

#[test]
fn patterns_that_could_go_back_a_lot_do_not() {
    let text = filled("a");
    let mut shell = Shell::new("/");
    for pattern in [
        "*a*a*a*a*a*a*a*b",
        "@(a|aa|aaa)@(a|aa|aaa)b",
        "*(a)*(a)*(a)b",
        "*(*(*(a)))b",
        "!(*a)!(*b)c",
    ] {
        let field = expand::pattern(&literal(pattern), &mut shell);
        is_quick(pattern, || {
            assert_ne!(expand::pattern_matches(&field, &text), Some(true));
        });
    }
    run(&format!("x={text}; echo ${{x//a*b/c}} ${{x%%*b}} ${{x//?a?a/b}} ${{x##*a*a*b}}"));
}
