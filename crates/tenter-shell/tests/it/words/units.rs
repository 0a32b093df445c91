//! Properties that bash cannot show: parts, positions, flows, and unknown values.

use super::shell::Shell;
use tenter_shell::budget::{Budget, MAX_WORK};
use tenter_shell::expand::{self, Scope, Variable};
use tenter_shell::flow::Source;
use tenter_shell::span::Span;
use tenter_shell::syntax::ast::{Text, Word, WordPart};
use tenter_shell::value::{Field, Part};

/// Runs a text in which `x` and `y` may be anything; the fields of its last command.
fn run(source: &str) -> (Vec<Field>, Shell) {
    let mut shell = Shell::new("/shop");
    shell.assign("x", Variable::Unknown);
    shell.assign("y", Variable::Unknown);
    assert!(shell.run(source), "{source}");
    (shell.ran.pop().unwrap(), shell)
}

/// Parts as one line: `text`, `*glob*`, `<unknown>`, `<unknown...>` if it splits.
fn parts(field: &Field) -> String {
    let shown = field.parts.iter().map(|part| match part {
        Part::Text { text, .. } => format!("`{text}`"),
        Part::Glob(glob) => format!("glob({glob})"),
        Part::Unknown(unknown) if unknown.splits => format!("<{}...>", unknown.name),
        Part::Unknown(unknown) => format!("<{}>", unknown.name),
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn check(table: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (source, expected) in table {
        let (fields, _) = run(source);
        let found: Vec<String> = fields[1..].iter().map(parts).collect();
        let found = found.join(", ");
        if found != *expected {
            wrong += &format!("{source}\n  found    {found}\n  expected {expected}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_not_known_keeps_what_is_known_around_it() {
    check(&[
        ("echo $x", "<$x...>"),
        ("echo \"$x\"", "<$x>"),
        ("echo a$x.b", "`a` <$x...> `.b`"),
        ("echo \"a $x b\"", "`a ` <$x> ` b`"),
        ("z=$x; echo $z \"$z\"", "<$x...>, <$x>"),
        ("z=a$x; echo ${z}b", "`a` <$x...> `b`"),
        ("echo $(unheard) \"$(unheard)\"", "<$(…)...>, <$(…)>"),
        ("echo $((x + 1)) $((1 || x)) $((0 && x))", "<$((…))...>, `1`, `0`"),
        ("echo $? $$ $! $-", "<$?...>, <$$...>, <$!...>, <$-...>"),
        ("echo ~ ~/a ~bob/a", "`/home/puzzle`, `/home/puzzle/a`, <~bob> `/a`"),
        ("echo ~- ~+", "<~->, `/shop`"),
        ("echo <(unheard)", "<<(…)>"),
    ]);
}

#[test]
fn operations_on_what_is_not_known_say_so() {
    check(&[
        ("echo ${x:-rm} ${u:-rm} ${u-rm}", "<${x:-rm}...>, `rm`, `rm`"),
        ("echo \"${x:=rm}\" ${x+a}", "<${x:=rm}>, <${x+a}...>"),
        ("echo ${x:?} ${u:?}", "<${x:?}...>, <${u:?}...>"),
        ("echo ${x#a} ${x%%b*} ${x/a/b}", "<${x#a}...>, <${x%%b*}...>, <${x/…}...>"),
        (
            "echo ${x:1} ${x^^} ${x@Q} ${#x} ${!x}",
            "<${x:…}...>, <${x^}...>, <${x@…}...>, <${#x}...>, <${!x}...>",
        ),
        ("echo \"${x[@]}\" \"${x[*]}\"", "<${x[@]}...>, <${x[*]}>"),
        ("z=a; echo ${z:$y}", "<${z:…}...>"),
        ("z=a$x; echo ${z:-b} ${z:+b} ${z-b}", "`a` <$x...>, `b`, `a` <$x...>"),
        ("z=$x; echo ${z:-b} ${z-b} ${z+b}", "<${z:-b}...>, <$x...>, `b`"),
        ("z=abc; echo ${z#$x} ${z/b/$x} ${z/q/$x}", "<${z#…}...>, <${z/…}...>, `abc`"),
        ("l=(a b); echo ${l[$x]} ${l[0]}", "<${l[…]}...>, `a`"),
        ("z=abc; echo ${z/b/&}", "<${z/…}...>"),
        ("set -- a; echo ${1##*( )}", "<${1##*( )}...>"),
    ]);
}

#[test]
fn a_list_of_unknown_length_has_no_length() {
    check(&[
        ("set -- a \"$x\"; echo $# $2", "`2`, <$x...>"),
        ("set -- a $x b; echo $# $1 $2", "<$#...>, `a`, <$2...>"),
        ("set -- a $x b; echo \"$@\"", "`a`, <$x>, `b`"),
        (
            "l=(a $x b); echo ${#l[@]} ${l[2]} ${l[@]:1}",
            "<${#l[@]}...>, <${l[…]}...>, <${l[@]:…}...>",
        ),
    ]);
}

#[test]
fn patterns_are_told_from_text() {
    check(&[
        ("echo *.txt a?b", "glob(*) `.txt`, `a` glob(?) `b`"),
        ("echo '*' \"*\" \\* \"$u*\"", "`*`, `*`, `*`, `*`"),
        (
            "echo [ab]c [!a-c] [ab a] [[:alpha:]]x",
            "glob([ab]) `c`, glob([!a-c]), `[ab`, `a]`, glob([[:alpha:]]) `x`",
        ),
        ("echo [a/b] [\"a\"b] [a\\]b]", "`[a/b]`, glob([ab]), glob([a\\]b])"),
        ("z='a*b'; echo $z \"$z\"", "`a` glob(*) `b`, `a*b`"),
        ("z='\\*'; echo $z", "`\\*`"),
        ("z=*; echo $z ${z}", "glob(*), glob(*)"),
        ("echo @(a|b)c !(x) a+(b|@(c))", "glob(@(a|b)) `c`, glob(!(x)), `a` glob(+(b|@(c)))"),
        ("echo [ $x ]", "`[`, <$x...>, `]`"),
        ("echo **/a {*,?}b", "glob(*) glob(*) `/a`, glob(*) `b`, glob(?) `b`"),
    ]);
    let mut shell = Shell::new("/");
    shell.no_globs = true;
    assert!(shell.run("z=?; echo * $z"));
    assert_eq!(shell.ran[0][1..].iter().map(parts).collect::<Vec<_>>(), ["`*`", "`?`"]);
}

#[test]
fn lists_next_to_text_and_each_other() {
    check(&[
        ("set -- 'a b' c; echo x\"$@\"y", "`xa b`, `cy`"),
        ("set --; echo \"$@\" x\"$@\" \"$*\"", "`x`, "),
        ("set -- 'a b' c; echo ${u:-$@} ${u:-\"$@\"}", "`a`, `b`, `c`, `a b`, `c`"),
        ("set -- a b c; echo ${@:2} ${@: -1} ${@:1:2}", "`b`, `c`, `c`, `a`, `b`"),
        (
            "l=(a b c); l[7]=d; echo ${!l[@]} ${l[@]:2} ${#l[@]}",
            "`0`, `1`, `2`, `7`, `c`, `d`, `4`",
        ),
        ("abc=1; abd=2; echo ${!ab@}", "`abc`, `abd`"),
        ("r=l; l=(a b); echo ${!r} ${l[-1]} ${l[1-1]}", "`a`, `b`, `a`"),
    ]);
}

#[test]
fn braces_work_on_text_alone() {
    check(&[
        ("z='{a,b}'; echo $z ${z}", "`{a,b}`, `{a,b}`"),
        ("echo '{a,b}' \"{a,b}\" \\{a,b}", "`{a,b}`, `{a,b}`, `{a,b}`"),
        ("echo {a,\"b c\",$x}", "`a`, `b c`, <$x...>"),
        ("echo {} {a} a{}b {,}", "`{}`, `{a}`, `a{}b`"),
        ("echo {1..3}{a,b}", "`1a`, `1b`, `2a`, `2b`, `3a`, `3b`"),
        ("echo --{no-,}edit={x,y}", "`--no-edit=x`, `--no-edit=y`, `--edit=x`, `--edit=y`"),
        ("echo {1..$x}", "`{1..` <$x...> `}`"),
        ("echo ~{,/a}", "`/home/puzzle`, `/home/puzzle/a`"),
        ("ab=1; ac=2; a=3; echo $a{b,c} ${a}{b,c}", "`1`, `2`, `3b`, `3c`"),
    ]);
}

#[test]
fn what_a_fallback_would_run_is_seen_even_if_it_may_not_happen() {
    assert_eq!(run("echo ${x:-$(unheard)}").1.substituted, 1);
    assert_eq!(run("echo ${x#$(unheard)}").1.substituted, 1);
    assert_eq!(run("z=1; echo ${z:-$(unheard)}").1.substituted, 0);
    assert_eq!(run("z=1; echo ${z:+$(unheard)}").1.substituted, 1);
}

#[test]
fn text_keeps_the_place_it_was_written_at() {
    let at = |source: &str| match run(source).0.last().unwrap().parts.as_slice() {
        [Part::Text { at, text }] => {
            at.map(|at| source.get(at as usize..at as usize + text.len()).unwrap().to_owned())
        }
        parts => panic!("{source}: {parts:?}"),
    };
    assert_eq!(at("echo 'rm -rf /'").as_deref(), Some("rm -rf /"));
    assert_eq!(at("echo \"rm -rf /\"").as_deref(), Some("rm -rf /"));
    assert_eq!(at("z='rm -rf /'; echo \"$z\"").as_deref(), Some("rm -rf /"));
    assert_eq!(at("z='aa bb'; echo $z").as_deref(), Some("bb"));
    assert_eq!(at("echo {aa,bb}").as_deref(), Some("bb"));
    assert_eq!(at("echo r''m"), None);
    assert_eq!(at("echo $(echo rm)"), None);
    assert_eq!(at("z=abc; echo ${z#a}"), None);
}

#[test]
fn what_flowed_into_a_value_flows_on() {
    let flows = |source: &str| run(source).0.last().unwrap().sources().sources().to_vec();
    let network = Source::Network("host".into());
    assert_eq!(flows("echo $(unheard)"), std::slice::from_ref(&network));
    assert_eq!(flows("z=$(unheard); echo \"a${z}b\""), std::slice::from_ref(&network));
    assert_eq!(flows("z=$(unheard); echo ${z#a}"), [network.clone(), Source::Variable("z".into())]);
    assert_eq!(flows("l=($(unheard)); echo ${l[0]}").first(), Some(&network));
    assert_eq!(flows("z=$(unheard); echo $z b"), []);
    assert_eq!(flows("echo $x"), [Source::Variable("x".into())]);
    assert_eq!(flows("echo ${x:-b}"), [Source::Variable("x".into())]);
    assert_eq!(flows("z=a; echo ${z:-$x}"), []);
    assert_eq!(
        flows("echo ${x:-$y}"),
        [Source::Variable("y".into()), Source::Variable("x".into())]
    );
}

#[test]
fn assignments_in_words_are_made() {
    check(&[
        ("echo ${u:=a} $u", "`a`, `a`"),
        ("echo $((n = 5)) $((n++)) $n", "`5`, `5`, `6`"),
        ("n=1; echo $((1 ? n : n++)) $((0 && n++)) $n", "`1`, `0`, `1`"),
        ("n=1; echo $((x ? n++ : 0)) $n", "<$((…))...>, <$n...>"),
        ("echo $((n = x)) $n", "<$((…))...>, <$n...>"),
        ("l=(1 2); echo $((l[1] += 3)) ${l[1]}", "`5`, `5`"),
    ]);
}

fn literal(text: &str) -> Word {
    let text = Text { text: text.to_owned(), at: None };
    Word { parts: vec![WordPart::Literal(text)], span: Span::default() }
}

#[test]
fn patterns_match_as_in_case() {
    let mut shell = Shell::new("/");
    for (pattern, yes, no) in [
        ("a*c", &["ac", "abc", "a*c"][..], &["ab", "bac", ""][..]),
        ("?", &["a", "é"], &["", "ab"]),
        ("[a-c]x", &["ax", "cx"], &["dx", "a", "-x"]),
        ("[!a]", &["b", "]"], &["a", ""]),
        ("[]a]", &["]", "a"], &["b"]),
        ("[a-]", &["-", "a"], &["b"]),
        ("[[:digit:]x]", &["7", "x"], &["y", ":"]),
        ("@(a|b*)", &["a", "b", "bc"], &["c", "ab"]),
        ("?(a)b", &["b", "ab"], &["aab"]),
        ("*(ab)", &["", "abab"], &["aba"]),
        ("+(a|b)c", &["ac", "abc"], &["c"]),
        ("!(a|b)", &["c", "", "ab"], &["a", "b"]),
        ("!(*.txt)", &["a.c"], &["a.txt"]),
        ("[", &["["], &["a"]),
    ] {
        let field = expand::pattern(&literal(pattern), &mut shell);
        for text in yes {
            assert_eq!(expand::pattern_matches(&field, text), Some(true), "{pattern} {text}");
        }
        for text in no {
            assert_eq!(expand::pattern_matches(&field, text), Some(false), "{pattern} {text}");
        }
    }
}

#[test]
fn a_pattern_with_something_unknown_can_still_fail_for_sure() {
    let (fields, _) = run("echo a$x*");
    assert_eq!(expand::pattern_matches(&fields[1], "b"), Some(false));
    assert_eq!(expand::pattern_matches(&fields[1], "ab"), None);
}

#[test]
fn arithmetic_is_that_of_bash() {
    let mut shell = Shell::new("/");
    for (expression, value) in [
        ("", Some(0)),
        ("1 + 2 * 3", Some(7)),
        ("-2 ** 2", Some(4)),
        ("2 ** 3 ** 2", Some(512)),
        ("(1, 2)", Some(2)),
        ("16#ff + 0x10 + 010 + 2#11", Some(255 + 16 + 8 + 3)),
        ("64#_", Some(63)),
        ("1 ? 2 : 3 / 0", Some(2)),
        ("9223372036854775807 + 1", Some(i64::MIN)),
        ("~5", Some(-6)),
        ("!0 + !7", Some(1)),
        ("5 / 0", None),
        ("2 ** -1", None),
        ("1 +", None),
        ("08", None),
        ("(1", None),
        ("1 2", None),
        ("1 << 64", None),
        ("7 - -3", Some(10)),
        ("1 < 2 == 1", Some(1)),
        ("6 & 3 | 8 ^ 1", Some(11)),
    ] {
        assert_eq!(expand::arithmetic(&literal(expression), &mut shell), value, "{expression}");
    }
}

#[test]
fn without_budget_nothing_is_claimed() {
    let mut shell = Shell::new("/");
    assert!(shell.budget.spend(usize::try_from(MAX_WORK).unwrap()));
    let fields = expand::fields(&literal("rm"), &mut shell);
    assert!(fields.iter().all(Field::has_unknown));
    assert_eq!(shell.gave_up, ["too much work"]);
    shell.budget = Budget::default();
    assert!(expand::fields(&literal("rm"), &mut shell)[0].is("rm"));
}
