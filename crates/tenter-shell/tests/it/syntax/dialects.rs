//! Differences between shells.

use tenter_shell::syntax::Dialect;

use super::check_trees;

#[test]
fn what_dash_does_not_have_is_read_as_dash_reads_it() {
    check_trees(
        Dialect::Posix,
        &[
            ("[[ a ]]", "[[[ a ]]]"),
            ("((a))", "(sub (sub [a]))"),
            ("a &> b", "[a] &; [>b]"),
            ("a <<< b", "[a <<<b] !4..5"),
            ("echo $'a'", "[echo 'a']"),
            ("function f { a; }", "[function f { a] !16..17"),
            ("a=(b c); d", "[a=]; (sub [b c]); [d] !2..3"),
            ("a <(b)", "[a <]; (sub [b]) !3..4"),
            ("a |& b", "[a] | [] &; [b] !3..4"),
            ("f() echo b", "(fn f [echo b])"),
            ("a {fd}>b", "[a {fd} >b]"),
            ("time a", "[time a]"),
            ("select x in a; do b; done", "[select x in a]; [b] !15..17 !21..25"),
            ("a >&f", "[a >&f]"),
            ("x[1]=2 a", "[x[1]=2 a]"),
            ("a+=b c", "[a+=b c]"),
            ("! a", "! [a]"),
            ("if a; then b; fi", "(if ([a] ? [b]))"),
            ("echo $((1+2)) ${x#y} ${x/a/b}", "[echo $(('1+2')) ${x # y} ${x First a by b}]"),
            ("echo @(a)", "[echo @]; (sub [a]) !6..7"),
            ("case x in a) b;& c) d;; esac", "(case x (a => [b]; [] &; [c]; [d])) !15..16 !18..19"),
            ("! ! a", "[a] !3..4"),
        ],
    );
}

#[test]
fn short_forms_and_patterns_of_zsh() {
    check_trees(
        Dialect::Zsh,
        &[
            ("for x (a b) echo $x; c", "(for x in [a b] do [echo ${x}]); [c]"),
            ("for x in a b; { echo $x }", "(for x in [a b] do [echo ${x}])"),
            ("foreach x (a b) c; d; end; e", "(for x in [a b] do [c]; [d]); [e]"),
            ("repeat 3 a; b", "(for  in [3] do [a]); [b]"),
            ("repeat 3 { a }; b", "(for  in [3] do [a]); [b]"),
            (
                "if [[ -f a ]] { b } elif (( 1 )) { c } else { d }; e",
                "(if ([[-f a]] ? [b]) ((((' 1 '))) ? [c]) (else [d])); [e]",
            ),
            ("while (( i )) { a }", "(while (((' i '))) do [a])"),
            ("ls *(.) **/*(N) (a|b)* c(d)", "[ls *(.) **/*(N) (a|b)* c(d)]"),
            ("f() a; b", "(fn f [a]); [b]"),
            ("() { a }", "{{[a]}}"),
            ("f g() { a }; b", "(fn f {[a]}); [b]"),
            ("function f g { a }", "(fn f {[a]})"),
            ("{ a } always { b }", "{[a]; [b]}"),
            ("a &| b", "[a] &; [b]"),
            ("a &!\nb", "[a] &; [b]"),
            ("echo ${(f)x} ${(s:,:)x[1]} $x[1] $#x", "[echo ${x @(} ${x[1] @(} ${x[1]} ${x len}]"),
            ("echo ${${x}%.c} ${$(a)[1]}", "[echo ${- @(}${x} ${- @(}$([a])]"),
            ("echo ${x:h} ${x:1:2}", "[echo ${x @h} ${x from '1' for '2'}]"),
            ("cat =(a) >! b >>! c", "[cat <([a]) >|b >>c]"),
            ("case x { a) b ;; c) d ;| e) f;; }", "(case x (a => [b]) (c => [d]) (e => [f]))"),
            ("echo =ls", "[echo =ls]"),
            ("[[ a == (b|c) ]] && d", "[[a == (b|c)]] && [d]"),
            ("if a; then; fi", "(if ([a] ? ))"),
            ("{ }", "{}"),
            (r#"echo $(a) `b` "$c" <(d)"#, r#"[echo $([a]) $([b]) "${c}" <([d])]"#),
            ("a; }; b", "[a]; [b] !3..4"),
        ],
    );
}

#[test]
fn blocks_and_substitutions_of_fish() {
    check_trees(
        Dialect::Fish,
        &[
            (
                r#"set x (a | b)[1]; and rm $x; or echo "no $x (y)""#,
                r#"[set x $([a] | [b])] && [rm ${x}] || [echo "'no '${x}' (y)'"]"#,
            ),
            (
                "if test a; and b\n c\nelse if d; e\nelse\n f\nend >g",
                "(if ([test a] && [b] ? [c]) ([d] ? [e]) (else [f])) >g",
            ),
            ("for f in *.c; mv $f $f.o; end", "(for f in [*.c] do [mv ${f} ${f}.o])"),
            ("while a; b; end; c", "(while [a] do [b]); [c]"),
            ("begin; a; end | b &", "{[a]} | [b] &"),
            (
                r#"switch $x; case a "b"; c; case "*"; d; end"#,
                r#"(case ${x} (a | "'b'" => [c]) ("'*'" => [d]))"#,
            ),
            (r#"function f -d "x y"; a $argv[1]; end; f"#, "(fn f {[a ${argv[1]}]}); [f]"),
            ("not a; ! b", "! [a]; ! [b]"),
            ("a 2>| b; a &| b; a &> b", "[a] |& [b]; [a] |& [b]; [a &>b]"),
            (
                r#"echo 'it\'s' a\ b \x41\n "$(a)" {a,b}"#,
                r#"[echo 'it'''s' a' 'b 'A''⏎' "$([a])" {a,b}]"#,
            ),
            ("a 2>&1 >>b <c >?d", "[a 2>&1 >>b <c >d]"),
            ("FOO=bar a $$x", "[FOO=bar a ${!x}]"),
            (r#"echo "a\"b\$c\nd" 'a\nb'"#, r#"[echo "'a''"b''$c\nd'" 'a\nb']"#),
            ("a && b || c", "[a] && [b] || [c]"),
            ("a # b\nc", "[a]; [c]"),
            ("a; end; b", "[a]; [b] !3..6"),
            ("begin; a", "{[a]} !8..8"),
            ("echo (a; b", "[echo $([a]; [b])] !5..10"),
            ("if a; b; case; end; c", "(if ([a] ? [b])); [c] !9..13"),
            ("(a) b", "[$([a]) b]"),
            (r#"a """#, r#"[a ""]"#),
            ("{ a; }; b", "{[a]}; [b]"),
        ],
    );
}
