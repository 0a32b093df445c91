//! Hostile commands that try to run forever, fill the memory or overflow the stack: every one returns within
//! the work limit and reports what it omitted.

#![expect(
    clippy::disallowed_methods,
    reason = "work that is not counted is seen by the clock alone"
)]

use std::thread;
use std::time::{Duration, Instant};

use tenter_shell::budget::{MAX_BYTES, MAX_WORK};
use tenter_shell::{Analysis, Certainty, Kind, Reason, Surroundings, analyze};

/// Opening, inside and closing text.
const NESTED: &[(&str, &str, &str)] = &[
    ("( ", "ls", ")"),
    ("$(", "echo ls", ")"),
    ("$((", "1", "))"),
    ("\"$(", "ls", ")\""),
    ("`\\`", "ls", ""),
    ("{ ", "ls;", "}; "),
    ("${x:-", "rm", "}"),
    ("\"${x:-", "rm", "}\""),
    ("rm ${x:-$(", "ls", ")}"),
    ("if a; then ", "ls;", "fi;"),
    ("case x in *) ", "ls", ";; esac;"),
    ("while a; do ", "ls;", "done;"),
    ("for x in a b; do ", "ls;", "done;"),
    ("f() { ", "ls;", "}; "),
    ("coproc { ", "ls;", "};"),
    ("cat <(", "ls", ")"),
    ("tee >(", "ls", ")"),
    ("{a,", "b", "}"),
    ("a=(", "b", ")"),
    ("! ( ", "ls", ")"),
    ("sudo ", "rm x", ""),
    ("env ", "rm x", ""),
    ("xargs ", "rm", ""),
    ("command ", "rm x", ""),
    ("eval ", "rm x", ""),
    ("bash -c ", "ls", ""),
    ("ssh h ", "ls", ""),
    ("docker run i ", "ls", ""),
    ("npx ", "ls", ""),
    ("watch ", "ls", ""),
    ("busybox ", "ls", ""),
    ("find . -exec ", "rm {} ;", ""),
    ("make -C x ", "all", ""),
    ("\\a=b ", "rm x", ""),
    ("$x ", "rm x", ""),
    ("a && ", "b", ""),
    ("a || ", "b", ""),
    ("a | ", "b", ""),
    ("python -c '", "(", ""),
    ("powershell -c '", "$(", ""),
    ("cmd /c (", "del x", ")"),
    ("$'", "rm -rf ~", "'"),
    ("$'\\''", "rm -rf ~", "'"),
    ("bash -c '", "rm -rf ~", "'"),
    ("bash -c \"", "rm -rf ~", "\""),
    ("eval '", "rm -rf ~", "'"),
    ("eval \"", "rm -rf ~", "\""),
];

/// Openings of which the deepest levels are not followed, for sure.
const TOLD: &[&str] = &[
    "( ",
    "$(",
    "\"$(",
    "{ ",
    "${x:-",
    "if a; then ",
    "case x in *) ",
    "while a; do ",
    "for x in a b; do ",
    "f() { ",
    "sudo ",
    "env ",
    "command ",
    "eval ",
];

/// First, repeated and last text. `§` is the round, `
/// ` the next one.
const REPEATED: &[(&str, &str, &str)] = &[
    ("", "f§(){ f¶;};", "f0"),
    ("", "f§(){ f¶;f¶;};", "f0"),
    ("", "f§(){ f¶ \"$@\" \"$@\";f¶ $@;};", "f0 a b c d e f"),
    ("", "f(){ f \"$@\" $@ x; };f a b c d;", ""),
    ("", "f(){ f|f& };f;", ""),
    ("", "f§()(:);", ""),
    ("", "alias a=b b=a;a x;b;", ""),
    ("", "alias a§=b§;a§;", ""),
    ("", "cat <<E\na\nE\n", ""),
    ("", "cat <<E;", "\n"),
    ("bash <<E\n", "rm $x\n", "E\n"),
    ("bash -c \"", "$x§", "\""),
    ("", "eval \"a '$x'\";", ""),
    ("echo ", "{a,b}", ""),
    ("echo ", "{a,b}{a,b}{a,b}{a,b} ", ""),
    ("", "echo {1..99999};", ""),
    ("x=ab; for i in ", "a ", "; do x=$x$x; done; echo $x"),
    ("x=ls; for i in ", "a ", "; do x=\"$x;$x\"; eval \"$x\"; done"),
    ("for i in a b c d e f g h; do for j in a b c d e f g h; do ", "echo $i $j;", "done;done"),
    ("while read x; do rm $x; done <<E\n", "a\n", "E\n"),
    ("", "a+=(b);", ""),
    ("", "a[§]=b;", ""),
    ("a=(x);", "a=(${a[@]} ${a[@]});", ""),
    ("", "a|", "b"),
    ("", "a&&b||c;", ""),
    ("", "a&", ""),
    ("", "$(echo a)", ""),
    ("a ", ">b§ ", ""),
    ("a ", ">>b ", ""),
    ("a ", "<b ", ""),
    ("a ", "2>&1 ", ""),
    ("a ", "{v§}>b ", ""),
    ("", "exec 4294967295>a {x}>b 4294967295>&-;a >&4294967295 99999999999>a;", ""),
    ("", "a§= ", ""),
    ("", "a§=;", ""),
    ("", "a§= ", "ls"),
    ("a0=x;", "a¶=$a§;", ""),
    ("", "a=$a$a;", ""),
    ("a=x;", "a+=$a;", ""),
    ("export ", "a§= ", ""),
    ("f(){ local ", "a§= ", ";};f;f"),
    ("read ", "a§ ", " <<< 'a b c'"),
    ("", "if a;then x=1;else x=2;fi;y=$x$y;", ""),
    ("", "a&&x§=1;", ""),
    ("", "rm ${x:-$(rm ${y:-$(rm ${z:-b})})};", ""),
    ("if a; then b; ", "elif c; then d§=1;", "fi"),
    ("case $x in ", "a) b;;", " esac"),
    ("", "*a*b;", ""),
    ("", "/?in/?? x;", ""),
    ("", "cd aaaa;", ""),
    ("", "pushd a;(b);", ""),
    ("", "echo a>f§;", ""),
    ("", "echo ./f>f;./f;", ""),
    ("echo aaaaaaaaaaa>f;", "cat f f>g;cat g g>f;", ""),
    ("", "ln -s a§ b§;rm b§/x;", ""),
    ("cat ", "<(a) ", ""),
    ("tee ", ">(a) ", ""),
    ("", "bash <(echo ls);", ""),
    ("echo ", "a ", "| xargs -I{} sh -c 'rm {} {}'"),
    ("find . ", "-exec rm {} \\; ", ""),
    ("rm ", "--recursive ", ""),
    ("rm ", "a ", ""),
    ("rm -", "r", ""),
    ("git ", "-c alias.a§=push ", "a1"),
    ("docker run ", "-v a:b ", "i ls"),
    ("curl ", "-d a http://h ", ""),
    ("sed -i '", "s/a/b/;", "' f"),
    ("echo aa | sed '", "s/a/aa/g;", "'"),
    ("", "printf %99999999d 1;printf %*d 99999999 1;", ""),
    ("", "echo $(seq 9223372036854775807 -1 -9223372036854775808);", ""),
    ("", "yes|head -c 99999999|bash;", ""),
    ("", "echo $((9223372036854775807+1*-9223372036854775808/-1%-1**64<<64>>-1));", ""),
    ("", "a[9223372036854775807]=1;a[-9223372036854775808]=2;a+=(x);echo ${a[-1]};", ""),
    ("", "x=abc;echo ${x:9223372036854775807:-9223372036854775808} ${@:9223372036854775807};", ""),
    ("python -c '", "os.system(\"ls\");", "'"),
    ("python -c 'a0=\"ls\";", "a¶=a§+a§;", "os.system(a9)'"),
    ("python -c '", "(", "'"),
    ("node -e '", "`${", "'"),
    ("perl -e '", "q(", "'"),
    ("ruby -e '", "\"#{", "'"),
    ("julia -e '", "rm(\"$(", "'"),
    ("emacs --batch --eval '", "(let ((a ", "'"),
    ("emacs --batch --eval '", "(setq a (concat a a))", "'"),
    ("swift -e '", "\"\\(", "'"),
    ("gcc -xc - -o x <<'E'\n", "int f(a b) { f(", "\nE\n./x"),
    ("gcc -xc - -o x <<'E'\n", "[a b: (c *)", "\nE\n./x"),
    ("cat >a.go <<'E'\n", "func f§(a b) { f¶(a) }\n", "E\ngo run a.go"),
    ("cat >a.rs <<'E'\n", "fn f§<A: B<C>>(a: &A) -> D<()> { f¶(a) }\n", "E\nrustc a.rs; ./a"),
    ("cat >a.cs <<'E'\n", "for (a b : $\"{c", "\nE\ndotnet run a.cs"),
    ("awk 'BEGIN{", "system(\"ls\");", "}'"),
    ("psql -c '", "drop table a;", "'"),
    ("powershell -c '", "$(", "'"),
    ("powershell -c '$a=\"ls\";", "$a=$a+$a;", "iex $a'"),
    ("powershell -c 'Remove-Item ", "'", "${"),
    ("cmd /c \"", "for %i in (a) do ", "\""),
    ("make -f - <<'E'\n", "a§: a¶ a¶\n\trm x\n", "E\n"),
    ("", "bash -c 'rm x)';", ""),
    ("", "fi;rm x;", ""),
    ("", "echo lsls|bash;", ""),
    ("", "del(", ""),
    ("", "$((\"\" $((a) ) ", ""),
    ("", "é", ""),
    ("", "rm é\u{202e}\u{feff};", ""),
    ("", "rm a\0b;", ""),
    ("", "rm a\r\n", ""),
    ("", "'", ""),
    ("", "\"a ", ""),
    ("", "''", ";rm -rf ~"),
    ("", "\"\"", ";rm -rf ~"),
    ("rm -rf ~;", "''", ""),
    ("", "`", " ;\nrm -rf ~"),
    ("rm -rf ~;", "`", ""),
    ("", "\\`", ";rm -rf ~"),
    ("", "$'", ";rm -rf ~"),
    ("", "$''", ";rm -rf ~"),
    ("", "$\"\"", ";rm -rf ~"),
];

/// Text before a long value, its content, its end, text repeated after it, and last text.
const LONG: &[(&str, &str, &str, &str, &str)] = &[
    ("x=", "a", ";", "a|b;", ""),
    ("x=", "a", ";", "rm $x;", ""),
    ("x='", "a ", "';", "rm $x;", ""),
    ("x='", "*a", "';", "rm $x;", ""),
    ("x=\"", "$q", "\";", "bash -c \"$x\";", ""),
    ("x=", "a", ";", "y=$(echo $x);", ""),
    ("x=", "a", ";y=$(", "echo $x;", ")"),
    ("x=", "a", ";{ ", "echo $x;", "}|bash"),
    ("x=", "a", ";", "echo $x >>f;", ""),
    ("x=", "a", ";b ", "${x//a/b}", ""),
    ("x=", "a", ";b ", "${x%%*b}", ""),
    ("x=", "a", ";b ", "${x^^}", ""),
    ("x='", ":;", "';", "eval $x;", ""),
    ("x='", ")", "';", "eval $x;", ""),
    ("a=(", "x ", ");", "a+=(b);", ""),
    ("a=(", "x ", ");", "b ${a[1]};", ""),
    ("a=(", "x ", ");b ", "$a", ""),
    ("a=(", "x ", ");", "a|b;", ""),
    ("set -- ", "x ", ";", "f $1;", ""),
    ("set -- ", "x ", ";f(){ :; };", "f \"$@\";", ""),
    ("exec 5<<<", "x", ";", "a|b;", ""),
    ("echo ", "x", "", "|rev", ""),
    ("echo ", "x", "", "|tr x y", ""),
    ("echo ", "x", "", "|sed s/x/xx/g", ""),
    ("alias a='", "b ", "';", "a|c;", ""),
    ("cd ", "a", ";", "rm a;", ""),
    (">", "a", ";cat *", "a", "b"),
    ("case ", "a", " in *", "a", "b) c;; esac"),
    ("find ", "a ", "", "-exec rm {} \\; ", ""),
    ("", "ab", ";", "echo ababababab|bash;", ""),
];

fn repeated((before, piece, after): (&str, &str, &str), size: usize) -> String {
    let mut text = before.to_owned();
    for round in 0.. {
        let next = piece.replace('§', &round.to_string()).replace('¶', &(round + 1).to_string());
        if text.len() + next.len() + after.len() > size {
            break;
        }
        text.push_str(&next);
    }
    text + after
}

fn nested((open, inner, close): (&str, &str, &str), size: usize) -> String {
    let times = (size - inner.len()) / (open.len() + close.len());
    open.repeat(times) + inner + &close.repeat(times)
}

fn long(
    (before, fill, between, piece, after): (&str, &str, &str, &str, &str),
    size: usize,
) -> String {
    let value = repeated((before, fill, between), size / 2);
    repeated((&value, piece, after), size)
}

/// `code` inside ever more quotes, up to `size` bytes.
fn wrapped(before: &str, after: &str, size: usize) -> String {
    let mut code = "rm x".to_owned();
    loop {
        let next = format!("{before}'{}'{after}", code.replace('\'', "'\\''"));
        if next.len() > size {
            return code;
        }
        code = next;
    }
}

fn judge(text: &str) -> Analysis {
    let world =
        Surroundings { cwd: Some("/shop"), home: Some("/home/me"), ..Surroundings::default() };
    analyze(text, &world)
}

/// Runs with 1 MB of stack, also when built without optimisation.
fn on_small_stack(run: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let run = thread::Builder::new().stack_size(1 << 20).spawn_scoped(scope, run);
        run.expect("a thread starts").join().expect("the judge comes back");
    });
}

/// Checks invariants of every result.
fn check(name: &str, text: &str) -> Analysis {
    let start = Instant::now();
    let analysis = judge(text);
    // Far more than any of them needs, far less than anything that is not counted takes.
    let took = start.elapsed();
    assert!(took < Duration::from_mins(1), "{name} took {took:?}");
    let work = analysis.work;
    assert!(work <= MAX_WORK + MAX_WORK / 25 + 16 * text.len() as u64, "{name} took {work}");
    assert!(analysis.commands.len() <= 4096, "{name}");
    assert!(analysis.effects.len() <= 4096, "{name}");
    assert!(analysis.unverified.len() <= 64, "{name}");
    assert!(analysis.oddities.len() <= 32, "{name}");
    let cut = work > MAX_WORK || text.len() > MAX_BYTES;
    assert!(!cut || !analysis.unverified.is_empty(), "{name} says nothing of what it left out");
    for span in analysis.effects.iter().map(|effect| effect.span) {
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{name}: {span:?}");
    }
    for span in analysis.commands.iter().map(|ran| ran.span) {
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{name}: {span:?}");
    }
    analysis
}

#[test]
fn anything_inside_itself_comes_back() {
    on_small_stack(|| {
        for &shape in NESTED {
            let analysis = check(&format!("{shape:?}"), &nested(shape, MAX_BYTES));
            if TOLD.contains(&shape.0) {
                assert!(!analysis.unverified.is_empty(), "{shape:?}");
            }
        }
    });
}

#[test]
fn code_in_quotes_in_quotes_comes_back() {
    on_small_stack(|| {
        for (before, after) in [
            ("bash -c ", ""),
            ("eval ", ""),
            ("ssh h ", ""),
            ("trap ", " EXIT"),
            ("env -S ", ""),
            ("bash <<< ", ""),
            ("echo ", " | bash"),
            ("xargs sh -c ", ""),
            ("find . -exec sh -c ", " \\;"),
        ] {
            check(before, &wrapped(before, after, MAX_BYTES));
        }
    });
}

#[test]
fn functions_of_code_that_call_each_other_come_back() {
    use std::fmt::Write as _;
    let deep = format!("{}0{}", "(".repeat(19), ")".repeat(19));
    let mut python = String::from("python3 - <<'E'\n");
    let mut node = String::from("node - <<'E'\n");
    let mut perl = String::from("perl - <<'E'\n");
    let mut php = String::from("php <<'E'\n<?php\n");
    for index in 0..60 {
        let next = index + 1;
        let _ = writeln!(
            python,
            "def f{index}(x):\n    [[f{next}([[x]]), f{next}([{deep}])], f{next}(f{next}(x))]"
        );
        let _ = writeln!(
            node,
            "const f{index} = x => {{ if (x) {{ f{next}([f{next}(x), {deep}]); f{next}(x) }} }};"
        );
        let _ = writeln!(
            perl,
            "sub f{index} {{ my ($x) = @_; map {{ f{next}($_, {deep}) }} @_; sub {{ f{next}(shift) }}->(f{next}($x)); &f{next} }}"
        );
        let _ = writeln!(
            php,
            "function f{index}($x) {{ array_map('f{next}', [{deep}]); $g = fn($y) => f{next}(f{next}($y)); $g($x); }}"
        );
    }
    python.push_str("f0(1)\nf0(f0(2))\nE\n");
    node.push_str("f0(1); f0(f0(2));\nE\n");
    perl.push_str("f0(1); f0(f0(2)); f0($_) for 1..3;\nE\n");
    php.push_str("f0(1); f0(f0(2));\nE\n");
    on_small_stack(|| {
        check("python", &python);
        check("node", &node);
        check("perl", &perl);
        check("php", &php);
    });
}

#[test]
fn code_behind_more_than_is_read_is_not_taken_for_read() {
    let behind = "import shutil\nshutil.rmtree('/etc')\nE\n";
    on_small_stack(|| {
        for many in [
            "def f():f()\n",
            "def f():\n  f()\n\n\n\n\n\n\n\n\n",
            "os.fork()\n",
            "os.kill(x, 9)\n",
            "os.system('ls')\n",
            "while True: Thread()\n",
        ] {
            let many = many.repeat((MAX_BYTES - 200) / many.len());
            let analysis = check(&many, &format!("python3 - <<'E'\nimport os\n{many}{behind}"));
            let seen = analysis.effects.iter().any(|effect| effect.kind == Kind::Delete);
            assert!(seen || !analysis.unverified.is_empty(), "{many}");
        }
    });
}

#[test]
fn code_behind_many_functions_is_not_taken_for_read() {
    on_small_stack(|| {
        for (program, many) in [
            ("perl - <<'E'\n", "sub f {f()}\n"),
            ("perl - <<'E'\n", "sub {f()};\n"),
            ("perl - <<'E'\n", "sub f {}\n"),
            ("perl - <<'E'\n", "f;\n"),
            ("perl - <<'E'\n", "sub f { sub {\n"),
            ("perl - <<'E'\n", "push @a, 1;\n"),
            ("perl - <<'E'\n", "map { map {\n"),
            ("perl - <<'E'\n", "unlink $_ for 1;\n"),
            ("perl - <<'E'\n", "my (\n"),
            ("perl - <<'E'\n", "$x[0],"),
            ("php <<'E'\n<?php\n", "function f() {f();}\n"),
            ("php <<'E'\n<?php\n", "$f = fn($x) => fn($y) =>\n"),
            ("php <<'E'\n<?php\n", "$f = function($x) {\n"),
            ("php <<'E'\n<?php\n", "f(function() {}, 'f');\n"),
            ("php <<'E'\n<?php\n", "[$a, $b] ="),
        ] {
            let flood = many.repeat((MAX_BYTES - 200) / many.len());
            let analysis = check(many, &format!("{program}{flood}unlink('/etc/x');\nE\n"));
            let seen = analysis.effects.iter().any(|effect| effect.kind == Kind::Delete);
            assert!(seen || !analysis.unverified.is_empty(), "{many}");
        }
    });
}

#[test]
fn anything_again_and_again_comes_back() {
    on_small_stack(|| {
        for &shape in REPEATED {
            check(&format!("{shape:?}"), &repeated(shape, MAX_BYTES / 4));
        }
    });
}

#[test]
fn long_values_used_again_and_again_come_back() {
    on_small_stack(|| {
        for &shape in LONG {
            check(&format!("{shape:?}"), &long(shape, MAX_BYTES / 4));
        }
    });
}

#[test]
fn the_same_text_gets_the_same_answer() {
    on_small_stack(|| {
        let texts = NESTED.iter().map(|&shape| nested(shape, 2048));
        let texts = texts.chain(REPEATED.iter().map(|&shape| repeated(shape, 2048)));
        for text in texts.chain(LONG.iter().map(|&shape| long(shape, 2048))) {
            assert_eq!(judge(&text), judge(&text), "{text}");
        }
    });
}

#[test]
fn a_megabyte_is_cut_and_says_so() {
    on_small_stack(|| {
        for piece in ["rm x;", "(", "a|", "é", "x=$x$x;", "\0"] {
            let analysis = check(piece, &piece.repeat((1 << 20) / piece.len()));
            let too_long = analysis.unverified.iter().any(|entry| entry.reason == Reason::TooLong);
            assert!(too_long, "{piece:?}");
        }
    });
}

#[test]
fn what_stands_before_the_flood_is_seen() {
    on_small_stack(|| {
        for &shape in REPEATED {
            let text = format!("rm -rf /srv/first\n{}", repeated(shape, 4096));
            let analysis = check(&format!("{shape:?}"), &text);
            let seen = |kind: Kind| analysis.effects.iter().any(|effect| effect.kind == kind);
            assert!(seen(Kind::Delete), "{shape:?}");
        }
    });
}

#[test]
fn many_variables_with_several_values_are_never_certain() {
    on_small_stack(|| {
        let branches = repeated(("", "if a;then x§=1;else x§=2;fi;", ""), 4000);
        let text = repeated((&format!("{branches}rm "), "$x§ ", ""), 5000);
        let analysis = check("branches", &text);
        let deleted = analysis.effects.iter().filter(|effect| effect.kind == Kind::Delete);
        assert!(deleted.clone().count() > 64);
        assert!(deleted.clone().all(|effect| effect.certainty < Certainty::Certain));
    });
}

#[test]
fn short_commands_cost_little() {
    on_small_stack(|| {
        let one = judge("git status").work;
        let many = check("statuses", &"git status; ".repeat(400)).work;
        assert!(many <= 440 * one, "{one} for one, {many} for 400");
    });
}
