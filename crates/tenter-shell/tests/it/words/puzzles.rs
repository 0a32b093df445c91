//! Random words and what has to be set before them. Harmless by construction: the only programs
//! they name print their arguments or change their input, and no word leads out of its directory.

/// Deterministic random numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

#[derive(Debug)]
pub(crate) struct Puzzle {
    /// One line of assignments.
    pub(crate) setup: String,
    pub(crate) words: String,
}

pub(crate) fn puzzle(random: &mut Random) -> Puzzle {
    let mut setup = String::new();
    for name in ["a", "b", "c"] {
        match random.below(4) {
            0 => {}
            1 => setup += &format!("{name}={}; ", quoted(random)),
            2 => setup += &format!("{name}={}; ", random.pick(VALUES)),
            _ => setup += &format!("{name}={}; ", word(random, 1)),
        }
    }
    if random.one_in(3) {
        // An item that begins with a bracket would be read as its own key.
        let item = |random: &mut Random| word(random, 1).trim_start_matches('[').to_owned();
        let items: Vec<String> = (0..random.below(4)).map(|_| item(random)).collect();
        setup += &format!("l=({}); ", items.join(" "));
        if random.one_in(3) {
            setup += &format!("l[{}]={}; ", 2 + random.below(7), quoted(random));
        }
    }
    if random.one_in(2) {
        let items: Vec<String> = (0..random.below(4)).map(|_| word(random, 1)).collect();
        setup += &format!("set -- {}; ", items.join(" "));
    }
    setup += &format!("n={}; m={}; r={}; ", random.below(20), random.below(5), random.pick(NAMES));
    let words: Vec<String> = (0..=random.below(3)).map(|_| word(random, 3)).collect();
    let words = words.join(" ");
    if random.one_in(4) {
        let separators = random.pick(SEPARATORS);
        // With lists, bash has its own ideas about blanks and others together, and an empty `IFS`
        // joins some by blanks, some not, and leaves marks in others.
        if separators.len() == 3 || !words.contains(['@', '*']) {
            setup += &format!("IFS={separators}; ");
        }
    }
    Puzzle { setup, words }
}

const VALUES: &[&str] = &[
    "''",
    "'a b'",
    "' a  b '",
    "'a:b::c'",
    "':a b:'",
    "'*'",
    "'a*b?'",
    "'[ab]'",
    "'x\\*y'",
    "'one-two.three-four'",
    "'AbCabc'",
    "'it'\\''s'",
    "$'l1\\nl2\\n'",
    "'é ü'",
    "12",
    "-3",
    "0x1f",
    "~",
    "x:~:y",
];
const NAMES: &[&str] = &["a", "b", "l", "1", "@", "'l[0]'", "'l[@]'", "n"];
const SEPARATORS: &[&str] =
    &["':'", "' '", "':;'", "' :'", "''", "','", "$' \\t\\n'", "'b'", "':- '"];
const LETTERS: &[&str] =
    &["a", "b", "c", "X", "y", "1", "2", "-", ".", ",", ":", "=", "@", "%", "+", "_"];
const QUOTED: &[&str] =
    &["a", "b", " ", "  ", "*", "?", "$", "\\", "{x,y}", "~", ":", "\"", "#", "|", ";", "&", "é"];
const DOUBLE: &[&str] =
    &["a", "b ", " ", "*", "?", "{x,y}", "~", "'", "\\$", "\\\"", "\\\\", "\\a", ":", "#", "é"];
const ANSI: &[&str] = &[
    "a", " ", "\\n", "\\t", "\\x41", "\\102", "\\'", "\\\\", "\\u00e9", "\\e", "\\q", "\\cA",
    "\\x{42}",
];

fn letters(random: &mut Random) -> String {
    (0..=random.below(3)).map(|_| random.pick(LETTERS)).collect()
}

fn quoted(random: &mut Random) -> String {
    let text: String = (0..random.below(5)).map(|_| random.pick(QUOTED)).collect();
    format!("'{text}'")
}

fn word(random: &mut Random, depth: usize) -> String {
    let mut text = String::new();
    if depth == 3 && random.one_in(40) {
        // Nothing may stand behind it: the directory itself would match.
        return "~+".to_owned();
    }
    if random.one_in(16) {
        text += random.pick(&["~", "~/a", "~/"]);
        if random.one_in(2) {
            return text;
        }
    }
    for _ in 0..=random.below(4) {
        text += &piece(random, depth);
    }
    text
}

fn piece(random: &mut Random, depth: usize) -> String {
    match random.below(if depth == 0 { 8 } else { 20 }) {
        0 | 1 => letters(random),
        2 => quoted(random),
        3 => {
            let text: String = (0..random.below(4)).map(|_| random.pick(ANSI)).collect();
            format!("$'{text}'")
        }
        4 => random
            .pick(&["\\a", "\\ ", "\\*", "\\$", "\\\\", "\\'", "\\\"", "\\{", "\\~"])
            .to_owned(),
        5 => random.pick(&["*", "?", "[ab]", "[!a-c]", "[", "]", "[^x]", "[[:alpha:]]"]).to_owned(),
        6 | 7 => random
            .pick(&["$a", "$b", "${c}", "$1", "$2", "$@", "$*", "$#", "${l[@]}", "$n"])
            .to_owned(),
        8..=10 => double_quoted(random, depth - 1),
        11 => braces(random, depth - 1),
        12 => format!("$(({}))", expression(random, depth - 1)),
        13 => substitution(random, depth - 1),
        14 => format!("`{}`", program(random)),
        _ => parameter(random, depth - 1, false),
    }
}

fn double_quoted(random: &mut Random, depth: usize) -> String {
    let mut text = String::from("\"");
    if random.one_in(4) {
        // Next to "$@" bash splits some of what is quoted; so only plain things stand there.
        for _ in 0..=random.below(4) {
            text += random.pick(&["$@", "${l[@]}", "$a", "${c}", "a", " ", "*", "\\$"]);
        }
        return text + "\"";
    }
    for _ in 0..random.below(4) {
        match random.below(if depth == 0 { 4 } else { 8 }) {
            0 | 1 => text += random.pick(DOUBLE),
            2 | 3 => text += random.pick(&["$a", "$b", "${c}", "$1", "$*", "${l[*]}", "${#a}"]),
            4 | 5 => {
                let parameter = parameter(random, depth - 1, true);
                if !parameter.contains('@') || text == "\"" {
                    text += &parameter;
                }
                if parameter.contains('@') {
                    break;
                }
            }
            6 => text += &substitution(random, depth - 1),
            _ => text += &format!("$(({}))", expression(random, depth - 1)),
        }
    }
    text + "\""
}

fn braces(random: &mut Random, depth: usize) -> String {
    match random.below(6) {
        0 => random
            .pick(&[
                "{1..4}",
                "{a..e}",
                "{3..-1}",
                "{01..10..3}",
                "{a..e..2}",
                "{x..x}",
                "{-02..2}",
                "{C..a..7}",
                "{5..1..2}",
                "{1..3..-1}",
                "{a..3}",
                "{1..$n}",
            ])
            .to_owned(),
        1 => random
            .pick(&["{}", "{a}", "{,}", "{a,b", "a,b}", "{{a,b}", "{a,b}}", "{a},b}", "{{},x}"])
            .to_owned(),
        _ => {
            let inner = |random: &mut Random| match random.below(5) {
                0 => String::new(),
                1 if depth > 0 => braces(random, depth - 1),
                2 => piece(random, depth.min(1)),
                _ => letters(random),
            };
            let items: Vec<String> = (0..2 + random.below(2)).map(|_| inner(random)).collect();
            format!("{{{}}}", items.join(","))
        }
    }
}

fn name(random: &mut Random) -> &'static str {
    random.pick(&[
        "a", "a", "b", "c", "u", "1", "2", "l", "l[0]", "l[1]", "l[-1]", "l[n]", "@", "*", "l[@]",
        "l[*]",
    ])
}

fn parameter(random: &mut Random, depth: usize, in_quotes: bool) -> String {
    let name = name(random);
    let scalar = random.pick(&["a", "b", "c", "1"]);
    match random.below(13) {
        0 | 1 => {
            let mark = random.pick(&[":-", "-", ":+", "+"]);
            format!("${{{name}{mark}{}}}", fallback(random, depth, in_quotes))
        }
        2 => {
            let name = random.pick(&["a", "u", "b"]);
            format!(
                "${{{name}{}{}}}",
                random.pick(&[":=", "="]),
                fallback(random, depth, in_quotes)
            )
        }
        3 | 4 => format!("${{{name}{}{}}}", random.pick(&["#", "##", "%", "%%"]), pattern(random)),
        5 | 6 => {
            let mark = random.pick(&["/", "//", "/#", "/%"]);
            let with = random.pick(&["", "/", "/x", "/-y-", "/$b", "/'q r'", "/\"$a\""]);
            format!("${{{name}{mark}{}{with}}}", pattern(random))
        }
        7 => {
            let offset = random.pick(&["0", "1", "2", " -1", " -2", "n", "9", "m-1"]);
            let length = random.pick(&["", "", ":1", ":2", ":m", ":0"]);
            format!("${{{name}:{offset}{length}}}")
        }
        8 => {
            format!("${{{scalar}:{}:{}}}", random.pick(&["0", "1"]), random.pick(&["1", "-1", "2"]))
        }
        9 => format!("${{#{name}}}"),
        10 => {
            let mark = random.pick(&["^", "^^", ",", ",,", "~", "~~"]);
            format!("${{{name}{mark}{}}}", random.pick(&["", "", "[ab]", "?", "b", "[[:upper:]]"]))
        }
        11 => format!("${{{name}@{}}}", random.pick(&["Q", "U", "L", "u", "E"])),
        _ => random
            .pick(&["${!r}", "${!l[@]}", "${!l[*]}", "${#l[@]}", "${#@}", "${#}", "${!r:-z}"])
            .to_owned(),
    }
}

fn fallback(random: &mut Random, depth: usize, in_quotes: bool) -> String {
    if in_quotes {
        return match random.below(4) {
            0 => "a b".to_owned(),
            1 => "\"a  b\"".to_owned(),
            2 => "$b".to_owned(),
            _ => "x".to_owned(),
        };
    }
    match random.below(6) {
        0 => "a b".to_owned(),
        1 => "'a b' c".to_owned(),
        2 => "~".to_owned(),
        3 => " a ".to_owned(),
        _ => {
            let text = word(random, depth.min(1));
            // A brace would end it, and a list inside is joined before it is split.
            if text.contains(['{', '}', '@', '*']) { "z".to_owned() } else { text }
        }
    }
}

fn pattern(random: &mut Random) -> String {
    let text = |random: &mut Random| {
        random
            .pick(&[
                "a",
                "b",
                "*",
                "?",
                "-",
                ".",
                "[ab]",
                "[!a]",
                "'*'",
                "\\*",
                "$b",
                "\"$c\"",
                ":",
                "e",
                "o",
                "[a-m]",
                "[[:space:]]",
                " ",
                "é",
            ])
            .to_owned()
    };
    (0..=random.below(3)).map(|_| text(random)).collect()
}

fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.one_in(4) {
        return random
            .pick(&[
                "1", "7", "n", "m", "$n", "${m}", "u", "0x1F", "010", "2#101", "36#z", "l[7]",
                "${#a}", "n++", "--m",
            ])
            .to_owned();
    }
    let left = expression(random, depth - 1);
    let right = expression(random, depth - 1);
    match random.below(9) {
        0 | 1 => {
            let operator = random.pick(&[
                "+", "-", "*", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||",
            ]);
            format!("{left} {operator} {right}")
        }
        2 => format!("({left})*({right})"),
        3 => format!("{left} / {}", random.pick(&["3", "7", "-2", "(m+1)"])),
        4 => format!("{left} % 5"),
        5 => format!("{left} ? {right} : 9"),
        6 => format!("{} {left}", random.pick(&["-", "!", "~", "+"])),
        7 => format!(
            "{} {} {left}",
            random.pick(&["n", "m", "v"]),
            random.pick(&["=", "+=", "-=", "*=", "|="])
        ),
        _ => format!("{left} {} {}", random.pick(&["<<", ">>", "**"]), random.below(5)),
    }
}

fn substitution(random: &mut Random, depth: usize) -> String {
    if depth > 0 && random.one_in(2) {
        let word = word(random, depth - 1);
        return format!(
            "$({} {word})",
            random.pick(&["echo", "echo -n", "echo -e", "printf %s", "printf '<%s>'"])
        );
    }
    format!("$({})", program(random))
}

/// Without backquotes, quotes or backslashes that mean something else inside backquotes.
fn program(random: &mut Random) -> String {
    random
        .pick(&[
            "echo a b",
            "echo",
            "echo -n",
            "printf %s rm",
            "printf %03d,%x 7 255",
            "echo abc | rev",
            "echo abc | tr a-c x-z",
            "echo aabbc | tr -s ab",
            "echo a1b2 | tr -d 0-9",
            "echo aGkK | base64 -d",
            "echo hi there | base64",
            "printf %s, x y z",
            "seq 3",
            "seq 5 -2 1",
            "echo a:b:c | cut -d: -f2",
            "printf %5s a",
            "printf %-5s a",
            "printf %.2s abcdef",
            "basename x/y.c .c",
            "dirname x/y",
            "echo ABC | tr A-Z a-z",
            "echo one two | cut -c 2-4",
            "seq 4 | head -n 2",
            "seq 4 | tail -n 1",
            "seq 3 | tac",
            "echo aXbX | sed s/X/y/",
            "echo aXbX | sed s/X/y/g",
            "seq 5 | sed -n 2,3p",
            "true",
            "echo x y z | awk {print\\$2}",
            "echo 7a6b | tr -cd 0-9",
            "printf %c%c ab cd",
            "echo 6162 | xxd -r -p",
            "echo ab | xxd -p",
            "seq 3 | paste -sd+",
            "echo MFRGG=== | base32 -d",
            "printf %b a,b",
        ])
        .to_owned()
}
