//! Our output of text programs equals that of the real ones.

use std::fs;
use std::process::{Command, Stdio};

use super::puzzles::Random;
use super::shell::Shell;
use tenter_shell::budget::Budget;
use tenter_shell::filters;
use tenter_shell::syntax::{Dialect, parse};

/// Commands we must know the output of.
const KNOWN: &[&str] = &[
    "echo",
    "echo a  'b  c'",
    "echo -n a",
    "echo -e 'a\\tb\\n\\x41\\0101\\u00e9\\101'",
    "echo -ne 'a\\cb' c",
    "echo -en x",
    "echo -nE 'a\\n'",
    "echo -x a",
    "echo - -n",
    "echo -- -n",
    "printf 'a\\x41\\101\\n\\q\\\\'",
    "printf '%s-%s|' a b c",
    "printf '%d %i %u %x %X %o' 12 -3 7 255 255 8",
    "printf '%5d|%-5d|%05d|%+d|% d|%.3d|%#x|%#o' 3 3 3 3 3 3 255 8",
    "printf '%5s|%-5s|%.2s|%5.1s|%c%c' ab ab abc abc xy z",
    "printf '%b|%b' 'a\\tb' '\\0101\\101'",
    "printf 'a%%b'",
    "printf '%q ' 'a b' '' \"it's\" 'a$b' '~x' 'x~' '#a' 'a{b,c}'",
    "printf '%d ' \"'A\" 0x1F 010",
    "printf '%*d|%-*d|%.*s' 4 1 4 2 2 abc",
    "printf -- '%s' -a",
    "printf 'x\\n' a b",
    "printf '%s\\n'",
    "printf '%b' 'a\\cb' c",
    "printf '\\u0041\\U0001F600'",
    "true",
    "echo abc | cat",
    "echo abc | cat -",
    "echo hello | tr a-y b-z",
    "echo hello | tr '[:lower:]' '[:upper:]'",
    "echo 'a1 b2' | tr -d '[:digit:]'",
    "echo aabbcc | tr -s a-c",
    "echo aabbcc | tr -s ab xy",
    "echo 'a:b' | tr : '\\n'",
    "echo abc123 | tr -cd '0-9\\n'",
    "echo abc | tr -c 'a\\n' x",
    "echo abc | tr abc x",
    "echo abc | tr '\\141' z",
    "echo 'a-b' | tr -- - _",
    "echo hello | tr -ds l o",
    "printf 'abc\\ndef' | rev",
    "printf 'a\\nb\\nc\\n' | tac",
    "echo aGVsbG8K | base64 -d",
    "printf 'aGVs\\nbG8K' | base64 --decode",
    "printf 'cm0gLXJmIH4v' | base64 -d",
    "printf cm0 | base64 -d",
    "printf 'a*GV%%sbG8K' | base64 -di",
    "printf hello | base64",
    "printf %080d 7 | base64",
    "printf %080d 7 | base64 -w0",
    "printf '' | base64",
    "printf hello | base32",
    "printf NBSWY3DP | base32 -d",
    "printf hello | xxd -p",
    "printf %040d 7 | xxd -p",
    "printf '68656c 6c6f' | xxd -r -p",
    "echo aGVsbG8K | openssl base64 -d",
    "printf hello | openssl base64",
    "printf aGVsbG8K | openssl enc -base64 -d -A",
    "echo a:b:c | cut -d: -f2",
    "echo a:b:c | cut -d : -f 1,3",
    "echo a:b:c | cut -d: -f2-",
    "printf 'abcdef\\nxyz' | cut -c2-4",
    "printf 'abcdef' | cut -c -2,5-",
    "printf 'a\\tb\\n' | cut -f2",
    "printf 'nothing\\na:b\\n' | cut -d: -f2 -s",
    "seq 12 | head -n 3",
    "seq 12 | head -3",
    "seq 12 | head",
    "seq 12 | head -n -9",
    "seq 12 | head -c 5",
    "seq 12 | tail -n 2",
    "seq 12 | tail -2",
    "seq 12 | tail -n +11",
    "seq 12 | tail -c 3",
    "printf 'b\\na\\nb\\n' | sort",
    "printf 'b\\na\\nb' | sort -u",
    "printf '10\\n9\\n1\\n' | sort -n",
    "printf '10\\n9\\n1\\n' | sort -rn",
    "printf 'a\\na\\nb\\na\\n' | uniq",
    "printf 'a b\\nc\\n' | wc -l",
    "printf 'a b\\nc\\n' | wc -w",
    "printf 'a b\\nc\\n' | wc -c",
    "seq 3 | paste -sd,",
    "seq 4 | paste -s -d '+-'",
    "seq 3 | paste -s",
    "seq 2",
    "seq 2 5",
    "seq 5 -2 1",
    "seq -s , 3",
    "seq -w 8 10",
    "seq 3 1",
    "basename a/b/c.txt",
    "basename a/b/c.txt .txt",
    "basename /",
    "basename a/b/",
    "dirname a/b/c",
    "dirname c",
    "dirname /a",
    "dirname a/b/",
    "echo axbxc | sed s/x/y/",
    "echo axbxc | sed s/x/y/g",
    "echo a/b | sed 's|/|-|'",
    "echo abc | sed -e s/a/1/ -e s/b/2/",
    "seq 5 | sed -n 2,3p",
    "seq 5 | sed '2d;4d'",
    "seq 5 | sed '$d'",
    "seq 3 | sed -n '$p'",
    "printf 'a\\nb' | sed s/b/c/",
    "echo 'a  b c' | awk '{print $2}'",
    "echo 'a b c' | awk '{print $1, $3}'",
    "echo 'a b c' | awk '{print $1 $3}'",
    "echo 'a b c' | awk '{ print $NF }'",
    "echo a:b:c | awk -F: '{print $2 \"-\" $1}'",
    "echo a,b | awk -F, '{print $0}'",
    "echo 'rm -rf' | rev | rev",
    "echo 6d72 | xxd -r -p | rev",
];

/// Commands whose output we must not claim to know.
const UNKNOWN: &[(&str, &[&str], Option<&str>)] = &[
    ("cat", &["/etc/passwd"], Some("")),
    ("cat", &["-n"], Some("a")),
    ("cat", &[], None),
    ("head", &["-n", "1", "file"], Some("a")),
    ("tr", &["a"], Some("a")),
    ("tr", &["[a*3]", "b"], Some("a")),
    ("tr", &["--what", "a"], Some("a")),
    ("base64", &["-d"], Some("!!!!")),
    ("base64", &["-d"], Some("/////w==")),
    ("base64", &["-d", "file"], Some("YQ==")),
    ("printf", &["-v", "x", "a"], None),
    ("printf", &["%(%F)T"], None),
    ("printf", &["%d", "x1"], None),
    ("printf", &["%.2f", "1"], None),
    ("printf", &["\\xff"], None),
    ("printf", &[], None),
    ("sed", &["s/a.c/x/"], Some("abc")),
    ("sed", &["s/a/b/e"], Some("abc")),
    ("sed", &["-i", "s/a/b/"], Some("abc")),
    ("sed", &["w out"], Some("abc")),
    ("sed", &["s/a/&&/"], Some("abc")),
    ("awk", &["{system($1)}"], Some("a")),
    ("awk", &["{print $1 > \"f\"}"], Some("a")),
    ("awk", &["{print toupper($1)}"], Some("a")),
    ("sort", &[], Some("B\na\n")),
    ("sort", &["-R"], Some("b\na\n")),
    ("uniq", &["-c"], Some("a\n")),
    ("xxd", &[], Some("a")),
    ("xxd", &["-r"], Some("a")),
    ("openssl", &["enc", "-aes-256-cbc", "-d"], Some("a")),
    ("seq", &["1.5"], None),
    ("curl", &["example.com"], Some("")),
];

/// The outputs of the real programs.
fn real(commands: &[String]) -> Vec<String> {
    const MARK: &str = "\u{1}next\u{1}";
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("script");
    let text: String =
        commands.iter().flat_map(|command| [command, "\nprintf '", MARK, "'\n"]).collect();
    fs::write(&script, text).unwrap();
    let output = Command::new("bash")
        .arg("--norc")
        .arg(&script)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .expect("bash must be there to compare with");
    let printed = String::from_utf8_lossy(&output.stdout);
    let outputs: Vec<String> = printed.split(MARK).map(str::to_owned).collect();
    assert_eq!(outputs.len(), commands.len() + 1);
    outputs
}

fn ours(command: &str) -> Option<String> {
    let parsed = parse(command, Dialect::Bash, &mut Budget::default());
    assert!(parsed.errors.is_empty(), "{command}");
    Shell::new("/").output(&parsed.script)
}

#[test]
fn programs_print_what_the_real_ones_print() {
    let commands: Vec<String> = KNOWN.iter().map(|command| (*command).to_owned()).collect();
    let mut wrong = String::new();
    for (command, theirs) in commands.iter().zip(real(&commands)) {
        let ours = ours(command);
        if ours.as_ref() != Some(&theirs) {
            wrong += &format!("{command}\n  ours   {ours:?}\n  theirs {theirs:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_not_understood_has_no_output() {
    for (program, args, stdin) in UNKNOWN {
        assert_eq!(filters::run(program, args, *stdin), None, "{program} {args:?}");
    }
}

#[test]
fn random_formats_and_sets_do_what_the_real_ones_do() {
    let mut random = Random::new(7);
    let commands: Vec<String> = (0..1500).map(|_| command(&mut random)).collect();
    let mut known = 0;
    let mut wrong = Vec::new();
    for (command, theirs) in commands.iter().zip(real(&commands)) {
        let Some(ours) = ours(command) else { continue };
        known += 1;
        if ours != theirs {
            wrong.push(format!("{command}\n  ours   {ours:?}\n  theirs {theirs:?}\n"));
        }
    }
    let shown: String = wrong.iter().take(12).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {known} are wrong:\n{shown}", wrong.len());
    assert!(known > 1000, "only {known} are known");
}

fn some(random: &mut Random, most: usize, from: &[&str]) -> String {
    (0..=random.below(most)).map(|_| random.pick(from)).collect()
}

fn command(random: &mut Random) -> String {
    const ARGS: &[&str] =
        &["a", "'b c'", "12", "-7", "''", "0x1f", "'\\t\\101'", "abcdef", "017", "\"'Z\"", "é"];
    const FORMAT: &[&str] = &[
        "%s", "%d", "%5s", "%-6s", "%.2s", "%x", "%04d", "%+d", "%b", "%q", "%c", "%%", "a", " ",
        "\\n", "\\x42", "\\103", "\\\\", "|", "%3d", "%-3d|", "%.3d", "%#X", "%o", "\\e", "\\0",
        "\\'", "\\\"",
    ];
    const ESCAPES: &[&str] = &[
        "a", " ", "\\n", "\\t", "\\x4", "\\x41b", "\\0101", "\\101", "\\q", "\\\\", "\\c", "\\e",
        "\\u41", "\\",
    ];
    const SET: &[&str] =
        &["a-f", "b", "0-9", "[:upper:]", "x", "A-Z", "\\n", "[:space:]", "z", "_", "\\141"];
    let args: Vec<&str> = (0..random.below(4)).map(|_| random.pick(ARGS)).collect();
    let args = args.join(" ");
    match random.below(6) {
        0 | 1 => {
            let format = some(random, 4, FORMAT).replace('\'', "'\\''");
            format!("printf '{format}' {args}")
        }
        2 => format!(
            "echo {} '{}'",
            random.pick(&["", "-e", "-n", "-en", "-E", "-nx"]),
            some(random, 5, ESCAPES)
        ),
        3 => {
            let flags = random.pick(&["", "", "-s", "-c"]);
            format!(
                "echo 'abC xx 009 Zz_' | tr {flags} '{}' '{}'",
                some(random, 2, SET),
                some(random, 2, SET)
            )
        }
        4 => format!(
            "echo 'abC xx 009 Zz_' | tr {} '{}'",
            random.pick(&["-d", "-s", "-cd", "-cs"]),
            some(random, 2, SET)
        ),
        _ => {
            let list =
                some(random, 1, &["1", "2-3", "4-", "-2"]).replace("12", "1,2").replace("--", "-");
            format!("printf 'a:b:c:d\\nplain\\n::x' | cut -d: -f'{list}'")
        }
    }
}
