//! Scripts and the trees they are read as.

use tenter_shell::syntax::Dialect;

use super::check_trees;

/// Scripts for the test below; bash is asked about them too.
pub(crate) const WORDS_AND_QUOTES: &[(&str, &str)] = &[
    ("echo hi", "[echo hi]"),
    (r#"r""m -rf x"#, r#"[r""m -rf x]"#),
    (r#""r"m"#, r#"["'r'"m]"#),
    (r"r\m", "[r'm']"),
    (r"\rm x", "['r'm x]"),
    ("'rm' x", "['rm' x]"),
    (r#"a''b "" ''"#, r#"[a''b "" '']"#),
    (r#"echo "a b"c'd e'f"#, r#"[echo "'a b'"c'd e'f]"#),
    ("echo a\\\nb", "[echo ab]"),
    ("echo \\\n a", "[echo a]"),
    (r#"echo "a\"b\$c\n\\d\`e""#, r#"[echo "'a''"b''$c\n''\d''`e'"]"#),
    (r"echo 'a\'b", r"[echo 'a\'b]"),
    (
        r"echo $'a\tb' $'\x41\101\u00e9\U1F600' $'\cA\e\q' $'it\'s' $'a\0b'",
        "[echo 'a⇥b' 'AAé😀' '\u{1}\u{1b}\\q' 'it's' 'a']",
    ),
    ("echo $'plain'", "[echo 'plain']"),
    (r#"echo $"a $x""#, r#"[echo "'a '${x}"]"#),
    ("echo \"\\\nx\"", r#"[echo "'x'"]"#),
    ("a#b #c\necho d", "[a#b]; [echo d]"),
    ("echo {a,b} ~/x *.c [a-z]? ~root", "[echo {a,b} ~/x *.c [a-z]? ~root]"),
    ("echo a=b =c", "[echo a=b =c]"),
    (r"echo \", r"[echo \]"),
    (r#"echo $ $% "$" "$ ""#, r#"[echo $ $% "'$'" "'$ '"]"#),
    (r#"echo é\é "é""#, r#"[echo é'é' "'é'"]"#),
    ("echo @(a|b c) +(x)y ?(q) *(z|$(ls)) !(w)", "[echo @(a|b c) +(x)y ?(q) *(z|$([ls])) !(w)]"),
    ("[ -f x ]", "[[ -f x ]]"),
    ("echo a]b[c", "[echo a]b[c]"),
    (r"echo x\@(", "[echo x'@']; (sub ) !8..9 !8..9"),
    (r#"echo "it's" '"'"#, r#"[echo "'it's'" '"']"#),
];

#[test]
fn words_and_quotes_have_these_trees() {
    check_trees(Dialect::Bash, WORDS_AND_QUOTES);
}

/// Scripts for the test below; bash is asked about them too.
pub(crate) const LISTS_AND_PIPELINES: &[(&str, &str)] = &[
    ("a; b", "[a]; [b]"),
    ("a & b", "[a] &; [b]"),
    ("a && b || c &", "[a] && [b] || [c] &"),
    ("a\n\nb\n", "[a]; [b]"),
    ("a |& b | c", "[a] |& [b] | [c]"),
    ("! a", "! [a]"),
    ("! ! a", "[a]"),
    ("time -p a | b", "time [a] | [b]"),
    ("time", "time []"),
    ("!", "! []"),
    ("a &&\n b", "[a] && [b]"),
    ("a |\n# c\n b", "[a] | [b]"),
    ("a &\\\n& b", "[a] && [b]"),
    ("a; # b; c\nd", "[a]; [d]"),
    ("a&b;c", "[a] &; [b]; [c]"),
    ("  a  ;  b  ", "[a]; [b]"),
    ("a\\\n;b", "[a]; [b]"),
];

#[test]
fn lists_and_pipelines_have_these_trees() {
    check_trees(Dialect::Bash, LISTS_AND_PIPELINES);
}

/// Scripts for the test below; bash is asked about them too.
pub(crate) const ASSIGNMENTS_AND_ARRAYS: &[(&str, &str)] = &[
    ("a=1", "[a=1]"),
    ("a=1 b=2 cmd c=3", "[a=1 b=2 cmd c=3]"),
    ("a+=x", "[a+=x]"),
    ("a[1]=x b[$i+1]+=y cmd", "[a[1]=x b[${i}+1]+=y cmd]"),
    ("a=(1 \"b c\" $(ls) [2]=x [k]+=y\n# c\nz)", r#"[a=(1 "'b c'" $([ls]) [2]=x [k]=y z)]"#),
    ("a= cmd", "[a= cmd]"),
    (r#"a=$(ls)/b"c""#, r#"[a=$([ls])/b"'c'"]"#),
    ("export a=1 b=(1 2)", "[export a=1 b=(1 2)]"),
    ("declare -A m=([x]=1)", "[declare -A m=([x]=1)]"),
    ("local x+=(a)", "[local x+=(a)]"),
    ("a[1] cmd", "[a[1] cmd]"),
    ("t[ab]z", "[t[ab]z]"),
    ("a[ 1 + 2 ]=3", "[a[ 1 + 2 ]=3]"),
    ("1a=b", "[1a=b]"),
    ("a-b=c", "[a-b=c]"),
    ("FO\\\nO=bar", "[FOO=bar]"),
    ("a=~/x:~/y", "[a=~/x:~/y]"),
    ("cmd a=1", "[cmd a=1]"),
    ("a=(\n)", "[a=()]"),
    (r#"a="x" >f b=c cmd"#, r#"[a="'x'" b=c cmd >f]"#),
];

#[test]
fn assignments_and_arrays_have_these_trees() {
    check_trees(Dialect::Bash, ASSIGNMENTS_AND_ARRAYS);
}

/// Scripts for the test below; bash is asked about them too.
pub(crate) const REDIRECTIONS: &[(&str, &str)] = &[
    ("a >b 2>&1 <c", "[a >b 2>&1 <c]"),
    ("a >>b 2>>c", "[a >>b 2>>c]"),
    (">b a", "[a >b]"),
    ("a >|b", "[a >|b]"),
    ("a <>b", "[a <>b]"),
    ("a &>b &>>c", "[a &>b &>>c]"),
    ("a >&b", "[a &>b]"),
    ("a >&2", "[a >&2]"),
    ("a 2>&-", "[a 2>&-]"),
    ("a <&3- 4<&-", "[a <&3- 4<&-]"),
    ("a {fd}>b", "[a {fd}>b]"),
    ("a {fd}", "[a {fd}]"),
    ("a <<<b", "[a <<<b]"),
    (r#"a <<<"$x""#, r#"[a <<<"${x}"]"#),
    ("a 2 >b", "[a 2 >b]"),
    (r"a 2\>b", "[a 2'>'b]"),
    ("a>b>c", "[a >b >c]"),
    ("{ a; } >b", "{[a]} >b"),
    ("(a) 2>b", "(sub [a]) 2>b"),
    ("while a; do b; done <c", "(while [a] do [b]) <c"),
    ("f() { a; } >b", "(fn f {[a]} >b)"),
    ("a >&$x", "[a >&${x}]"),
    ("a >&f$x", "[a &>f${x}]"),
    ("a >$(b) <<<`c`", "[a >$([b]) <<<$([c])]"),
    ("a <(b) >(c) --x=<(d)", "[a <([b]) >([c]) --x=<([d])]"),
    ("a 2<(b)", "[a 2<([b])]"),
    (">x", "[>x]"),
    ("a >\\\n>b", "[a >>b]"),
    ("a 12>b", "[a 12>b]"),
];

#[test]
fn redirections_have_these_trees() {
    check_trees(Dialect::Bash, REDIRECTIONS);
}

/// Scripts for the test below; bash is asked about them too.
pub(crate) const HEREDOCS: &[(&str, &str)] = &[
    (
        "a <<E\nx $y $(z) `w` \"q\" 's' \\$n \\q\nE\nb",
        r#"[a <<'x '${y}' '$([z])' '$([w])' "q" 's' ''$n \q⏎']; [b]"#,
    ),
    ("a <<'E'\n$x\nE\nb", "[a <<q'$x⏎']; [b]"),
    ("a <<\"E F\"\n$x\nE F\nb", "[a <<q'$x⏎']; [b]"),
    ("a <<\\E\n$x\nE\nb", "[a <<q'$x⏎']; [b]"),
    ("a <<-E\n\tx\n\t$y\n\tE\nb", "[a <<'x⏎'${y}'⏎']; [b]"),
    ("a <<-'E'\n\t\tx\n\tE\nb", "[a <<q'x⏎']; [b]"),
    ("a <<E | b\nx\nE\nc", "[a <<'x⏎'] | [b]; [c]"),
    ("a <<E && b <<F\nx\nE\ny\nF\nc", "[a <<'x⏎'] && [b <<'y⏎']; [c]"),
    ("a <<E <<F\nx\nE\ny\nF", "[a <<'x⏎' <<'y⏎']"),
    ("a $(b <<E\nx\nE\n) c", "[a $([b <<'x⏎']) c]"),
    ("a \"$(b <<E\nx\nE\n)\"", r#"[a "$([b <<'x⏎'])"]"#),
    ("if a <<E; then\nx\nE\nb; fi", "(if ([a <<'x⏎'] ? [b]))"),
    ("a <<E\nx", "[a <<'x']"),
    ("a <<E", "[a <<]"),
    ("a <<E\nx\\\nE\nE\nb", "[a <<'x''E⏎']; [b]"),
    ("a $(b <<E)\nx\nE\nc", "[a $([b <<'x⏎'])]; [c]"),
    ("a $(b <<E\nx\nE)\nc", "[a $([b <<'x⏎'])]; [c]"),
    ("a <<E; b $(c\nd)\nx\nE\ne", "[a <<'x⏎']; [b $([c]; [d])]; [e]"),
    ("{ a <<E\nx\nE\n}", "{[a <<'x⏎']}"),
    ("a <<E\n$(b <<F\ny\nF\n)\nE\nc", "[a <<$([b <<'y⏎'])'⏎']; [c]"),
    ("a <<\"\"\nx\n\nb", "[a <<q'x⏎']; [b]"),
    ("cat 3<<E\nx\nE", "[cat 3<<'x⏎']"),
    ("f() { a; } <<E\nx\nE", "(fn f {[a]} <<'x⏎')"),
    ("a <<E\n${x:-\"b\"}\nE", r#"[a <<${x Use: "'b'"}'⏎']"#),
    ("while a; do b; done <<E\nx\nE\nc", "(while [a] do [b]) <<'x⏎'; [c]"),
    ("a <<E;b\nx\nE", "[a <<'x⏎']; [b]"),
    ("`a <<E\nx\nE\n` b", "[$([a <<'x⏎']) b]"),
];

#[test]
fn heredocs_have_these_trees() {
    check_trees(Dialect::Bash, HEREDOCS);
}

/// Scripts for the test below; bash is asked about them too.
pub(crate) const EXPANSIONS: &[(&str, &str)] = &[
    (r#"echo $x$y ${x}y "$x" "${x}""#, r#"[echo ${x}${y} ${x}y "${x}" "${x}"]"#),
    (
        "echo $1 ${10} $10 $0 $@ $* $# $? $- $$ $!",
        "[echo ${1} ${10} ${1}0 ${0} ${@} ${*} ${#} ${?} ${-} ${$} ${!}]",
    ),
    (
        "echo ${#x} ${#} ${#@} ${#x[@]} ${##} ${#1} ${#?} ${#-x} ${##x} ${#:-x}",
        "[echo ${x len} ${#} ${@ len} ${x[@] len} ${# len} ${1 len} ${? len} ${# Use x} ${# # x} ${# Use: x}]",
    ),
    (
        "echo ${!x} ${!x@} ${!x*} ${!x[@]} ${!x[1]} ${!1} ${!#} ${!} ${!x:-y}",
        "[echo ${!x} ${x names} ${x names} ${x[@] keys} ${!x[1]} ${!1} ${!#} ${!} ${!x Use: y}]",
    ),
    (
        "echo ${x-a} ${x=a} ${x?a} ${x+a} ${x:-a} ${x:=a} ${x:?a} ${x:+a}",
        "[echo ${x Use a} ${x Assign a} ${x Fail a} ${x Alternative a} ${x Use: a} ${x Assign: a} ${x Fail: a} ${x Alternative: a}]",
    ),
    (
        r#"echo ${x:-a b} ${x:-"a b"} "${x:-a b}" "${x:-"a b"}" "${x:-'a'}" ${x:-'a}'} ${x:-$(ls)} ${x:-${y:-z}}"#,
        r#"[echo ${x Use: a b} ${x Use: "'a b'"} "${x Use: 'a b'}" "${x Use: "'a b'"}" "${x Use: ''a''}" ${x Use: 'a}'} ${x Use: $([ls])} ${x Use: ${y Use: z}}]"#,
    ),
    (
        r#"echo ${x#a} ${x##*/} ${x%.*} ${x%%.*} "${x#'*'}" "${x%"$y"}" ${x#\}}"#,
        r#"[echo ${x # a} ${x ## */} ${x % .*} ${x %% .*} "${x # '*'}" "${x % "${y}"}" ${x # '}'}]"#,
    ),
    (
        r#"echo ${x/a/b} ${x//a/b} ${x/#a/b} ${x/%a/b} ${x/a} ${x////-} ${x/\//-} ${x/"a/b"/c}"#,
        r#"[echo ${x First a by b} ${x All a by b} ${x Start a by b} ${x End a by b} ${x First a by -} ${x All / by -} ${x First '/' by -} ${x First "'a/b'" by c}]"#,
    ),
    (r#"echo "${x//$'\n'/ }""#, r#"[echo "${x All '⏎' by  }"]"#),
    (
        "echo ${x:1} ${x:1:2} ${x: -1} ${x:(-1):$y} ${x:$((1+2))} ${@:2}",
        "[echo ${x from '1' for -} ${x from '1' for '2'} ${x from ' -1' for -} ${x from '(-1)' for ${y}} ${x from $(('1+2')) for -} ${@ from '2' for -}]",
    ),
    (
        "echo ${x^} ${x^^} ${x,} ${x,,a} ${x~} ${x~~}",
        "[echo ${x Upper -} ${x Uppers -} ${x Lower -} ${x Lowers a} ${x Toggle -} ${x Toggles -}]",
    ),
    ("echo ${x@Q} ${x[@]@A}", "[echo ${x @Q} ${x[@] @A}]"),
    (
        r#"echo ${x[1]} ${x[$i]} ${x[@]} ${x[*]} ${x[a b]} ${x["k"]} ${x[y[1]]}"#,
        r#"[echo ${x[1]} ${x[${i}]} ${x[@]} ${x[*]} ${x[a b]} ${x["'k'"]} ${x[y[1]]}]"#,
    ),
    (
        r#"echo $(a; b) `c` "$(d)" "`e`" $( (f) )"#,
        r#"[echo $([a]; [b]) $([c]) "$([d])" "$([e])" $((sub [f]))]"#,
    ),
    (r"echo `a \`b\` \$c \\d`", "[echo $([a $([b]) ${c} 'd'])]"),
    (r#"echo "`a \"b\"`""#, r#"[echo "$([a "'b'"])"]"#),
    (
        r#"echo $((1 + (2))) $[3+4] "$((x))" $((y["k"]+$(z)))"#,
        r#"[echo $(('1 + (2)')) $(('3+4')) "$(('x'))" $(('y[''k'']+'$([z])))]"#,
    ),
    ("echo $((a); b) $((a) | (b))", "[echo $((sub [a]); [b]) $((sub [a]) | (sub [b]))]"),
    (r#"echo ${ a; } "${ b; }c""#, r#"[echo $([a]) "$([b])'c'"]"#),
    (r#"echo "a $(b "c $(d "e")") f""#, r#"[echo "'a '$([b "'c '$([d "'e'"])"])' f'"]"#),
    ("echo $(case x in a) b;; esac)", "[echo $((case x (a => [b])))]"),
    ("echo $(a # )\n)", "[echo $([a])]"),
    ("echo $\\\n(a) $x\\\ny ${x\\\ny}", "[echo $([a]) ${xy} ${xy}]"),
    ("echo $(<f)", "[echo $([<f])]"),
    (r#"echo "$(a)$b`c`""#, r#"[echo "$([a])${b}$([c])"]"#),
    ("$x $y", "[${x} ${y}]"),
    (r#"echo ${x:-(} ")""#, r#"[echo ${x Use: (} "')'"]"#),
    (r#"echo "${x:-a\}b}""#, r#"[echo "${x Use: 'a''}b'}"]"#),
    ("echo $()", "[echo $()]"),
    (r#": "${x:-'}"; b; : "'}"; c"#, r#"[: "${x Use: ''}"; b; : "''}"]; [c]"#),
    (r#": "${x:-'"'}"; b"#, r#"[: "${x Use: ''"''}"]; [b]"#),
    (r#": "${x:-'$y $(a)'}""#, r#"[: "${x Use: '''${y}' '$([a])'''}"]"#),
    (r#": "${x:-\'}"; b"#, r#"[: "${x Use: '\''}"]; [b]"#),
    (r#": "${x:-$'}'}""#, r#"[: "${x Use: '}'}"]"#),
    (": $(( '))' + 1 )); b", "[: $((' ''))'' + 1 '))]; [b]"),
    (r#"echo $(("1)) " ; b ; ":") )"#, r#"[echo $((sub ["'1)) '"]; [b]; ["':'"]))]"#),
    ("echo ${x:(}; b", "[echo ${x from '(' for -}]; [b]"),
    ("(( x = \"$(echo \")\")\" << 2 ))\nb\n2", r#"(((' x = '$([echo "')'"])' << 2 '))); [b]; [2]"#),
    (
        "echo $(( $(case x in a) esac) << 2 ))\nb\n2",
        "[echo $((' '$((case x (a => )))' << 2 '))]; [b]; [2]",
    ),
    (r#"echo "a\qb\\""#, r#"[echo "'a\qb''\'"]"#),
    (
        r#"echo ${x:-<(a)b} "${x#<(a)}" ${x/b/>(c)}"#,
        r#"[echo ${x Use: <([a])b} "${x # <([a])}" ${x First b by >([c])}]"#,
    ),
    (
        r#"echo "${x:-<(a })}" ${x:<(a })}"#,
        r#"[echo "${x Use: '<(a })'}" ${x from '<(a })' for -}]"#,
    ),
    ("echo @(<(a)|b)", "[echo @(<([a])|b)]"),
    ("[[ a =~ (<(b)) ]]", "[[a =~ (<([b]))]]"),
    ("echo ${x\\\n^\\\n}", "[echo ${x Upper -}]"),
];

#[test]
fn expansions_have_these_trees() {
    check_trees(Dialect::Bash, EXPANSIONS);
}

/// Scripts for the test below; bash is asked about them too.
pub(crate) const COMPOUND_COMMANDS: &[(&str, &str)] = &[
    ("if a; then b; elif c; then d; else e; fi", "(if ([a] ? [b]) ([c] ? [d]) (else [e]))"),
    ("if a\nthen\n b\nfi", "(if ([a] ? [b]))"),
    ("while a; do b; done", "(while [a] do [b])"),
    ("until a; do b; done &", "(until [a] do [b]) &"),
    (r#"for x in a "b c" $d; do e; done"#, r#"(for x in [a "'b c'" ${d}] do [e])"#),
    ("for x; do a; done", "(for x do [a])"),
    ("for x do a; done", "(for x do [a])"),
    ("for x\nin a b\ndo c\ndone", "(for x in [a b] do [c])"),
    ("for x in; do a; done", "(for x in [] do [a])"),
    ("for x in a; { b; }", "(for x in [a] do [b])"),
    ("for ((i=0; i<3; i++)); do a; done", "(for (('i=0';' i<3';' i++')) do [a])"),
    ("for ((;;)) { a; }", "(for ((;;)) do [a])"),
    ("select x in a b; do c; done", "(select x in [a b] do [c])"),
    (
        "case $x in a|b) c;; (d) e;& f*) g;;& *) h; esac",
        "(case ${x} (a | b => [c]) (d => [e]) (f* => [g]) (* => [h]))",
    ),
    ("case x in\na)\n;;\nesac", "(case x (a => ))"),
    (r#"case x in "a b") c; d;; esac"#, r#"(case x ("'a b'" => [c]; [d]))"#),
    ("case x in esac", "(case x)"),
    ("case a in @(x|y)) b;; esac", "(case a (@(x|y) => [b]))"),
    ("(a; b)", "(sub [a]; [b])"),
    ("( (a) )", "(sub (sub [a]))"),
    ("{ a; b; }", "{[a]; [b]}"),
    ("{ (a) }", "{(sub [a])}"),
    ("((x = 1))", "((('x = 1')))"),
    ("(( (a) + b ))", "(((' (a) + b ')))"),
    ("((a); b)", "(sub (sub [a]); [b])"),
    ("((a) | b)", "(sub (sub [a]) | [b])"),
    ("( ( a ) )", "(sub (sub [a]))"),
    ("f() { a; }", "(fn f {[a]})"),
    ("f () ( a )", "(fn f (sub [a]))"),
    ("function f { a; }", "(fn f {[a]})"),
    ("function f() { a; }", "(fn f {[a]})"),
    ("function f\n(a)", "(fn f (sub [a]))"),
    ("f() if a; then b; fi", "(fn f (if ([a] ? [b])))"),
    ("a-b() { c; }", "(fn a-b {[c]})"),
    ("coproc a b", "(coproc - [a b])"),
    ("coproc { a; }", "(coproc - {[a]})"),
    ("coproc X { a; }", "(coproc X {[a]})"),
    ("coproc X (a)", "(coproc X (sub [a]))"),
    ("[[ a ]]", "[[a]]"),
    ("[[ -f $x && ! b == c* || ( d < e ) ]]", "[[-f ${x} && ! b == c* || ( d < e )]]"),
    ("[[ a =~ ^(b|c d)+$ ]]", "[[a =~ ^(b|c d)+$]]"),
    ("[[ $x == @(a|b) ]]", "[[${x} == @(a|b)]]"),
    ("[[ a\n]]", "[[a]] !4..5"),
    ("[[ -z $(a) &&\n b ]] && c", "[[-z $([a]) && b]] && [c]"),
    ("if (a) then (b) fi", "(if ((sub [a]) ? (sub [b])))"),
    ("if ! a; then b; fi", "(if (! [a] ? [b]))"),
    ("while a | b; do c; done | d", "(while [a] | [b] do [c]) | [d]"),
    ("echo if then fi { }", "[echo if then fi { }]"),
    ("if if a; then b; fi; then c; fi", "(if ((if ([a] ? [b])) ? [c]))"),
    ("{ a; } && (b) || [[ c ]]", "{[a]} && (sub [b]) || [[c]]"),
    ("if a; then b; fi | c > d", "(if ([a] ? [b])) | [c >d]"),
    ("echo }", "[echo }]"),
    ("{ echo }; }", "{[echo }]}"),
    ("time { a; }", "time {[a]}"),
    ("! (a)", "! (sub [a])"),
    ("!(a)", "! (sub [a])"),
    ("a | { b; }", "[a] | {[b]}"),
    ("i\\\nf a; then b; fi", "(if ([a] ? [b]))"),
];

#[test]
fn compound_commands_have_these_trees() {
    check_trees(Dialect::Bash, COMPOUND_COMMANDS);
}

/// Scripts for the test below; bash is asked about them too.
pub(crate) const BROKEN_SCRIPTS_KEEP_THEIR_COMMANDS: &[(&str, &str)] = &[
    ("a )", "[a] !2..3"),
    ("a; }; b", "[a]; [b] !3..4"),
    ("fi; a", "[a] !0..2"),
    ("a;; b", "[a]; [b] !1..3"),
    ("a | ; b", "[a] | []; [b] !4..5"),
    ("&& a", "[] && [a] !0..1"),
    ("a && && b", "[a] && [] && [b] !5..6"),
    ("if a; then b", "(if ([a] ? [b])) !12..12"),
    ("if a; b; fi; c", "(if ([a]; [b] ? )); [c] !9..11"),
    ("while a; b; done; c", "(while [a]; [b] do ); [c] !12..16"),
    ("for in a; do b; done", "(for in do [a]; [b]) !7..8 !10..12"),
    ("case x in a) b", "(case x (a => [b])) !14..14"),
    ("case x a) b;; esac; c", "(case x (a => [b])); [c] !7..8"),
    ("(a", "(sub [a]) !0..2"),
    ("{ a", "{[a]} !3..3"),
    ("echo (a); b", "[echo]; (sub [a]); [b] !5..6"),
    ("a b(c); d", "[a b]; (sub [c]); [d] !3..4"),
    ("a 'b; c", "[a 'b; c'] !2..7"),
    (r#"a "b; c"#, r#"[a "'b; c'"] !2..7"#),
    ("a $(b; c", "[a $([b]; [c])] !2..8"),
    ("a `b; c", "[a $([b]; [c])] !2..7"),
    ("a ${b", "[a ${b}] !2..5"),
    ("a ${b!c}; d", "[a ${b}]; [d] !2..5"),
    ("a > ; b", "[a >]; [b] !4..5"),
    ("a <", "[a <] !3..3"),
    ("f() a; b", "(fn f [a]); [b] !4..5"),
    ("if a; then b; done; fi; c", "(if ([a] ? [b])); [c] !14..18"),
    ("while a; do if b; then c; done; d", "(while [a] do (if ([b] ? [c]))); [d] !26..30"),
    ("[[ a b ]]; c", "[[a b]]; [c] !5..6"),
    ("[[ a", "[[a]] !0..4"),
    ("a=(b; c", "[a=(b)]; [c] !2..4"),
    ("a[1; b", "[a[1]; [b] !0..1"),
    ("else a", "[a] !0..4"),
    ("a & ; b", "[a] &; [b] !4..5"),
    ("x() { a; ; b; }; c", "(fn x {[a]; [b]}); [c] !9..10"),
    ("done done done; a", "[a] !0..4 !5..9 !10..14"),
    ("a |& | b", "[a] |& [] | [b] !5..6"),
    ("(a))) b", "(sub [a]); [b] !3..4 !4..5"),
    ("case x in a) b;; fi; esac; c", "(case x (a => [b])); [c] !17..19 !17..19 !21..25"),
    ("function { a; }; b", "(fn { [a]); [b] !11..12 !14..15"),
    ("coproc; a", "(coproc - []); [a] !6..7"),
    ("for x in a b do c; done", "(for x in [a b do c] do ) !19..23"),
    ("if a; then fi; b", "(if ([a] ? )); [b] !11..13"),
    ("() a", "(sub ); [a] !0..2 !3..4"),
    (r#"a "$(b" c"#, r#"[a "$([b"' c'"])"] !6..9"#),
    ("a <<; b", "[a <<]; [b] !4..5"),
    ("[[ a && ]] ; b", "[[a &&]]; [b] !8..10"),
    ("[[ ( a ]]; b", "[[( a]]; [b] !7..9"),
    ("${x[1; a", "[${x[1; a]}] !3..8"),
    ("((a; b", "(sub (sub [a]; [b])) !1..6"),
    ("for ((i; a", "(for (('i';' a')) do ) !4..10"),
    (r#"a ${x:-"b"#, r#"[a ${x Use: "'b'"}] !7..9"#),
    ("$[1; a", "[$(('1; a'))] !0..6"),
    ("f() ", "(fn f []) !4..4"),
    ("function", "(fn  []) !8..8"),
    ("! | a", "! [] | [a] !2..3"),
    ("a <<E $(b\nE", "[a $([b]; [E]) <<] !6..11"),
    (r#": "${x:-it's}" b"#, r#"[: "${x Use: 'it's'}" b] !10..11"#),
    (
        ": $(( ${x:-)) }\nb\n: ${y:-(( } ))",
        "[: $((' '${x Use: ')) '}'⏎b⏎: '${y Use: '(( '}' '))] !6..15 !20..29",
    ),
    ("echo ${x[}\nb\necho ]}", "[echo ${x[]}]; [b]; [echo ]}] !8..9"),
    ("[[ a =~ (a${x:-)}) ]]; b", "[[a =~ (a${x Use: )})]]; [b] !10..17"),
    ("((a `b ))` c; d) )", "(sub (sub [a $([b]) c]; [d])) !7..8 !8..9"),
];

#[test]
fn broken_scripts_keep_their_commands_have_these_trees() {
    check_trees(Dialect::Bash, BROKEN_SCRIPTS_KEEP_THEIR_COMMANDS);
}

/// Scripts for the test below; bash is asked about them too.
pub(crate) const LINE_ENDS_AND_ODD_CHARACTERS: &[(&str, &str)] = &[
    ("a\r\nb c\r\n", "[a]; [b c]"),
    ("if a\r\nthen b\r\nfi\r\n", "(if ([a] ? [b]))"),
    ("a <<E\r\nx\r\nE\r\nb\r\n", "[a <<'x␍⏎']; [b]"),
    ("a \\\r\nb\r\n", "[a '␍']; [b]"),
    ("a\r\nb\n", "[a␍]; [b]"),
    ("a\0b c", "[a\0b c]"),
    ("a\u{a0}b", "[a\u{a0}b]"),
    ("\u{feff}a", "[\u{feff}a]"),
    ("a \"\r\n\"\r\nb", r#"[a "'␍⏎'"]; [b]"#),
    ("é=1 a", "[é=1 a]"),
    ("a\u{202e}b", "[a\u{202e}b]"),
    ("a\u{b}b\u{c}c", "[a\u{b}b\u{c}c]"),
];

#[test]
fn line_ends_and_odd_characters_have_these_trees() {
    check_trees(Dialect::Bash, LINE_ENDS_AND_ODD_CHARACTERS);
}
