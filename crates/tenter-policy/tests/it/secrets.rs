//! The secret scanner, tested with two corpora and random texts.
//!
//! A line of `corpus/secrets/leaks.txt` is a rule, a tab and a text in which that rule must find something; a
//! line of `clean.txt` is a text in which nothing may be found. In both, `\n`, `\r`, `\t`, `\\` and `\~` are
//! escapes, and a bare `~` is removed: it splits tokens, so that other scanners do not report the corpus.

use std::collections::BTreeSet;

use tenter_policy::secrets::{
    Confidence, Known, Leak, RULES, RuleInfo, redact, scan, secret_name, secret_value,
};

const LEAKS: &str = include_str!("../../corpus/secrets/leaks.txt");
const CLEAN: &str = include_str!("../../corpus/secrets/clean.txt");
const NOTHING: Known<'static> = Known { values: &[] };

fn unescape(line: &str) -> String {
    let mut text = String::new();
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match char {
            '~' => {}
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => panic!("a backslash at the end of `{line}`"),
            },
            other => text.push(other),
        }
    }
    text
}

fn found(text: &str) -> Vec<Leak> {
    let leaks = scan(text, &NOTHING, usize::MAX);
    assert_sound(text, &leaks);
    leaks
}

/// Checks that leaks are in order, do not overlap, and split no character.
fn assert_sound(text: &str, leaks: &[Leak]) {
    let mut end = 0;
    for leak in leaks {
        assert!(leak.start >= end && leak.end > leak.start, "{leaks:?} in {text:?}");
        assert!(text.get(leak.start..leak.end).is_some(), "{leak:?} in {text:?}");
        end = leak.end;
    }
}

fn shown(text: &str, leaks: &[Leak]) -> String {
    let all: Vec<String> =
        leaks.iter().map(|leak| format!("{}={}", leak.rule, &text[leak.start..leak.end])).collect();
    all.join(" ")
}

#[test]
fn every_leak_of_the_corpus_is_found_by_its_rule() {
    let mut missed = Vec::new();
    let mut count = 0;
    for line in LEAKS.lines() {
        let (rule, text) = line.split_once('\t').expect("a rule, a tab and a text");
        let text = unescape(text);
        let leaks = found(&text);
        count += 1;
        if !leaks.iter().any(|leak| leak.rule == rule) {
            missed.push(format!("{rule}: {text:?} found: {}", shown(&text, &leaks)));
        }
    }
    assert!(count >= 400, "only {count} leaks");
    assert!(missed.is_empty(), "{} of {count} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn nothing_is_found_in_the_clean_corpus() {
    let mut alarms = Vec::new();
    let mut count = 0;
    for line in CLEAN.lines() {
        let text = unescape(line);
        let leaks = found(&text);
        count += 1;
        if !leaks.is_empty() {
            alarms.push(format!("{text:?} found: {}", shown(&text, &leaks)));
        }
    }
    assert!(count >= 500, "only {count} clean texts");
    assert!(alarms.is_empty(), "{} of {count} alarm:\n{}", alarms.len(), alarms.join("\n"));
}

#[test]
fn a_clean_corpus_stays_clean_when_its_lines_stand_together() {
    let text: String = CLEAN.lines().map(|line| unescape(line) + "\n\n").collect();
    let leaks = found(&text);
    assert!(leaks.is_empty(), "{}", shown(&text, &leaks));
}

/// Deterministic random numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.roll(items.len())]
    }

    fn letters(&mut self, alphabet: &[u8], len: usize) -> String {
        (0..len).map(|_| char::from(*self.pick(alphabet))).collect()
    }
}

const HEX: &[u8] = b"0123456789abcdef";
const LOWER: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ALNUM: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const SLUG: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A random token of a shape; `None` for a shape in words.
fn instance(shape: &str, dice: &mut Dice) -> Option<String> {
    let mut token = String::new();
    let mut rest = shape;
    while let Some((literal, run)) = rest.split_once('{') {
        token.push_str(literal);
        let (run, after) = run.split_once('}')?;
        let (set, count) = run.split_once(' ')?;
        let alphabet = match set {
            "digit" => b"0123456789",
            "hex" | "Hex" => HEX,
            "lower" => LOWER,
            "UPPER" => UPPER,
            "alnum" | "word" => ALNUM,
            "slug" | "token" => SLUG,
            "base64" => BASE64,
            _ => return None,
        };
        let (min, spread) = match count.split_once('-') {
            Some((min, max)) => (min.parse().ok()?, max.parse::<usize>().ok()?),
            None => {
                let min: usize = count.trim_end_matches('+').parse().ok()?;
                (min, min + if count.ends_with('+') { 30 } else { 0 })
            }
        };
        let len = min + dice.roll(spread - min + 1);
        token.push_str(&dice.letters(alphabet, len));
        rest = after;
    }
    token.push_str(rest);
    (rest.len() < shape.len()).then(|| token.replace('^', ""))
}

/// Contexts for a token, `@` for the token.
const PLACES: [&str; 14] = [
    "@",
    "export VALUE=@",
    "value: @\nother: 1\n",
    "{\"value\": \"@\", \"other\": [1, 2]}",
    "const value = '@';",
    "let v = \"@\".to_owned();",
    "please call it with @ and show me the answer",
    "curl -H \"X-Thing: @\" https://api.acme.dev/v1",
    "2024-05-01 10:00:00 INFO sent @ to worker 3",
    "<thing>@</thing>",
    "run(`@`)",
    "a,b\n1,@\n",
    "\"cmd\": \"do it\\n@\\nnow\"",
    "tool --thing=@ --verbose",
];

/// The rules with a distinctive form: neither context nor described in words.
fn tokens() -> Vec<&'static RuleInfo> {
    let first_context =
        RULES.iter().position(|rule| rule.id == "aws-secret-key").expect("the first context");
    RULES[..first_context].iter().collect()
}

#[test]
fn random_tokens_of_every_form_are_found_wherever_they_stand() {
    let mut dice = Dice(0x5EED_0001);
    let mut bad = Vec::new();
    // A smaller number suffices without optimisation.
    let rounds = if cfg!(debug_assertions) { 100 } else { 2000 };
    let tokens = tokens();
    assert!(tokens.len() > 250, "only {} forms", tokens.len());
    for rule in tokens {
        let mut missed = 0;
        let mut example = String::new();
        for _ in 0..rounds {
            let token = instance(rule.shape, &mut dice).expect("a form that can be made");
            let text = dice.pick(&PLACES).replace('@', &token);
            let start = text.find(&token).unwrap();
            let leaks = found(&text);
            let hit = |leak: &Leak| leak.start < start + token.len() && leak.end > start;
            if !leaks.iter().any(hit) {
                missed += 1;
                example = text;
            }
        }
        // A random token may contain a telling word or little variety.
        if missed > rounds / 100 + 1 {
            bad.push(format!("{} {}: {missed} of {rounds}, {example:?}", rule.id, rule.shape));
        }
    }
    assert!(bad.is_empty(), "{} forms:\n{}", bad.len(), bad.join("\n"));
}

#[test]
fn random_secrets_behind_a_telling_name_are_found() {
    let mut dice = Dice(0x5EED_0002);
    let names =
        ["API_KEY", "client_secret", "accessToken", "auth_token", "SECRET_KEY", "jwtSecret"];
    let links =
        ["@=#", "@: #", "\"@\": \"#\"", "@ = '#'", "@ := \"#\"", "--@ #", "@=\"#\"", "'@' => '#'"];
    let mut missed = Vec::new();
    for _ in 0..5000 {
        let len = 24 + dice.roll(30);
        let alphabet = *dice.pick(&[HEX, LOWER, ALNUM, SLUG]);
        let value = dice.letters(alphabet, len);
        let name = *dice.pick(&names);
        let text = dice.pick(&links).replace('@', name).replace('#', &value);
        if found(&text).is_empty() {
            missed.push(text);
        }
    }
    assert!(missed.len() <= 50, "{} of 5000:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn random_passwords_behind_their_name_are_found() {
    let mut dice = Dice(0x5EED_0003);
    let symbols = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!#%*+?@^";
    let links = [
        "DB_PASSWORD=#",
        "password: \"#\"",
        "password = '#'",
        "{\"password\":\"#\"}",
        "my password is #",
        "--password #",
        "passwd: #",
    ];
    let mut missed = Vec::new();
    for _ in 0..5000 {
        let len = 12 + dice.roll(12);
        let value = dice.letters(symbols, len);
        let text = dice.pick(&links).replace('#', &value);
        if found(&text).is_empty() {
            missed.push(text);
        }
    }
    assert!(missed.len() <= 100, "{} of 5000:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn random_text_without_a_telling_name_is_clean() {
    let mut dice = Dice(0x5EED_0004);
    let places = [
        "commit @",
        "integrity sha512-@",
        "id: @",
        "checksum = \"@\"",
        "<img src=\"data:image/png;base64,@\">",
        "etag: \"@\"",
        "let x = \"@\";",
        "@",
        "build @ finished",
        "{\"hash\": \"@\", \"n\": 1}",
        "https://acme.dev/files/@/view",
        "digest: sha256:@",
        "ref: @",
        "version @ of the file",
    ];
    let words =
        ["user", "account", "parser", "next", "page", "count", "Service", "Manager", "get", "Http"];
    let mut alarms = Vec::new();
    for _ in 0..20_000 {
        let thing = match dice.roll(5) {
            0 => dice.letters(HEX, 40),
            1 => dice.letters(HEX, 64),
            2 => {
                let len = 20 + dice.roll(200);
                dice.letters(BASE64, len)
            }
            3 => [8, 4, 4, 4, 12].map(|len| dice.letters(HEX, len)).join("-"),
            _ => (0..=dice.roll(4)).map(|_| *dice.pick(&words)).collect::<Vec<_>>().join("_"),
        };
        let text = dice.pick(&places).replace('@', &thing);
        let leaks = found(&text);
        if !leaks.is_empty() {
            alarms.push(format!("{text} {}", shown(&text, &leaks)));
        }
    }
    assert!(alarms.len() <= 100, "{} of 20000:\n{}", alarms.len(), alarms.join("\n"));
}

#[test]
fn any_text_is_safe() {
    let mut dice = Dice(0x5EED_0005);
    let pieces = [
        "password",
        "=",
        ":",
        "\"",
        "'",
        "`",
        "\\",
        "\n",
        "\r\n",
        " ",
        "token",
        "key",
        "://",
        "@",
        "é",
        "漢字",
        "🙂",
        "-----BEGIN",
        " PRIVATE KEY-----",
        "-----END",
        "ghp_",
        "AKIA",
        "eyJ",
        ".",
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        "Authorization",
        "Basic ",
        "Bearer ",
        "\u{0}",
        "\u{7f}",
        "curl -u ",
        " -p",
        "mnemonic",
        "PuTTY-User-Key-File-2",
        "Private-Lines:",
        "aB3dE5fG7hJ9kL1mN",
        "0123456789",
        "value",
        "|",
        ",",
        ";",
        "&",
        "%3D",
        "=\"",
        "secret: ",
    ];
    for _ in 0..20_000 {
        let text: String = (0..dice.roll(24)).map(|_| *dice.pick(&pieces)).collect();
        found(&text);
        let clean = redact(&text, &NOTHING);
        // Redaction removes at least what the guard finds.
        assert!(clean != text || found(&text).is_empty(), "{text}");
        // Redaction is also safe for any prefix.
        let cut = text.floor_char_boundary(dice.roll(text.len() + 1));
        found(&text[cut..]);
        found(&text[..cut]);
    }
}

#[test]
fn long_texts_take_a_time_that_grows_with_their_length_only() {
    // An unbounded step would take minutes on these.
    for piece in [
        "token=",
        "key key=key:",
        "password: ",
        "-----BEGIN PRIVATE KEY-----",
        "://",
        "a:b@",
        "PuTTY-User-Key-File-2",
        "key=\"",
        "secret: |\n",
        "eyJ",
        "eyJa.",
        "mnemonic: abc ",
        "\"",
        "=",
        "\n",
        "-",
        " -u -p -a ",
        "token is ",
        "auth auth",
        "pass",
        "é",
        "ghp_aB3dE5fG7hJ9",
        "key-key-key.",
        "hvs.",
        "A",
        "AKIA",
        "value:",
        "password\",",
    ] {
        let text = piece.repeat((256 << 10) / piece.len());
        found(&text);
    }
}

#[test]
fn at_most_as_many_leaks_are_found_as_are_wanted() {
    let token = ["gh", "p_", "q8Zr2LmX0vTn5KdY7wBcHq4fPz9xWm2Vt7sA "].concat();
    let text = token.repeat(5);
    assert_eq!(scan(&text, &NOTHING, 0).len(), 0);
    assert_eq!(scan(&text, &NOTHING, 2).len(), 2);
    assert_eq!(scan(&text, &NOTHING, 9).len(), 5);
}

#[test]
fn a_leak_says_what_it_is_and_where() {
    let token = ["gh", "p_", "q8Zr2LmX0vTn5KdY7wBcHq4fPz9xWm2Vt7sA"].concat();
    let text = format!("first é\nGITHUB_TOKEN={token}\n");
    let leaks = found(&text);
    assert_eq!(leaks.len(), 1);
    let leak = &leaks[0];
    assert_eq!((leak.rule, leak.confidence), ("github-token", Confidence::High));
    assert_eq!(leak.title, "GitHub personal access token");
    assert_eq!(&text[leak.start..leak.end], token);
    assert_eq!(leak.name, None);
}

#[test]
fn a_test_key_is_less_certain_than_a_live_one() {
    let body = "q8Zr2LmX0vTn5KdY7wBcHq4f";
    let live = found(&["sk_", "live_", body].concat());
    let test = found(&["sk_", "test_", body].concat());
    assert_eq!(live[0].confidence, Confidence::High);
    assert_eq!(test[0].confidence, Confidence::Medium);
}

#[test]
fn secrets_are_replaced_by_the_name_of_their_rule() {
    let token = ["gh", "p_", "q8Zr2LmX0vTn5KdY7wBcHq4fPz9xWm2Vt7sA"].concat();
    let text = format!("use {token}, password = \"kX9$vQ2!mZ8r\" and nothing else");
    assert_eq!(
        redact(&text, &NOTHING),
        "use [github-token], password = \"[password]\" and nothing else"
    );
    assert!(matches!(redact("plain", &NOTHING), std::borrow::Cow::Borrowed("plain")));
}

#[test]
fn values_of_the_environment_are_found_exactly() {
    let values = [
        ("DB_PASSWORD", "correct horse"),
        ("APP_TOKEN", "zz-top-77"),
        ("LONG", "zz-top-77-and-more"),
    ];
    let known = Known { values: &values };
    let text = "run with correct horse, zz-top-77 or zz-top-77-and-more, not Correct Horse";
    let leaks = scan(text, &known, 10);
    assert_sound(text, &leaks);
    let names: Vec<_> = leaks.iter().map(|leak| (leak.rule, leak.name.as_deref())).collect();
    assert_eq!(
        names,
        [
            ("environment-value", Some("DB_PASSWORD")),
            ("environment-value", Some("APP_TOKEN")),
            ("environment-value", Some("LONG")),
        ]
    );
    assert_eq!(
        redact(text, &known),
        "run with [environment-value], [environment-value] or [environment-value], not Correct Horse"
    );
    assert!(scan(text, &NOTHING, 10).is_empty());
}

#[test]
fn a_value_of_the_environment_takes_precedence_and_needs_no_form() {
    let token = ["gh", "p_", "q8Zr2LmX0vTn5KdY7wBcHq4fPz9xWm2Vt7sA"].concat();
    let values = [("GITHUB_TOKEN", token.as_str())];
    let text = format!("token={token}");
    let leaks = scan(&text, &Known { values: &values }, 10);
    assert_eq!(leaks.len(), 1);
    assert_eq!(leaks[0].name.as_deref(), Some("GITHUB_TOKEN"));
}

#[test]
fn many_and_odd_values_of_the_environment_are_found_too() {
    let mut dice = Dice(0x5EED_0006);
    let owned: Vec<(String, String)> =
        (0..200).map(|n| (format!("V{n}"), format!("é{}", dice.letters(SLUG, 9)))).collect();
    let mut values: Vec<(&str, &str)> =
        owned.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    values.extend([("EMPTY", ""), ("SHORT", "ab"), ("THREE", "é1")]);
    let known = Known { values: &values };
    for (name, value) in &owned {
        let text = format!("漢{value}é and AKIA token=\"x\"");
        let leaks = scan(&text, &known, usize::MAX);
        assert_sound(&text, &leaks);
        let named = leaks.iter().any(|leak| leak.name.as_deref() == Some(name));
        assert!(named, "{name}={value}: {leaks:?}");
    }
    let all: Vec<&str> = owned.iter().map(|(_, value)| value.as_str()).collect();
    let all = all.join(" ");
    assert_eq!(scan(&all, &known, usize::MAX).len(), 200);
    assert_eq!(scan(&all, &known, 150).len(), 150);
}

#[test]
fn names_of_variables_tell_secrets_from_settings() {
    let secret = "AWS_SECRET_ACCESS_KEY GITHUB_TOKEN DB_PASSWORD OPENAI_API_KEY PGPASSWORD MYSQL_PWD SECRET_KEY_BASE \
        NPM_TOKEN JWT_SECRET STRIPE_SECRET_KEY SMTP_PASS apiKey clientSecret DATABASE_URL REDIS_URL SLACK_WEBHOOK_URL \
        AZURE_STORAGE_CONNECTION_STRING VAULT_TOKEN HF_TOKEN API_KEY_PROD ENCRYPTION_KEY NPM_CONFIG__AUTH MONGODB_URI \
        AWS_SESSION_TOKEN GPG_PASSPHRASE CLOUDFLARE_API_TOKEN SENTRY_AUTH_TOKEN DJANGO_SECRET_KEY";
    let plain = "PATH HOME PWD OLDPWD SSH_AUTH_SOCK XAUTHORITY KEYBOARD TOKENIZERS_PARALLELISM GPG_KEY KEYTIMEOUT \
        GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL AWS_ACCESS_KEY_ID AWS_PROFILE MAX_TOKENS PUBLIC_KEY SSH_PUBLIC_KEY TOKEN_URL \
        PASSWORD_FILE SECRET_NAME KEY_ID API_URL BASE_URL LANG EDITOR PASSENGER_ROOT AUTHOR COMPASS SECRETS_DIR \
        POSTGRES_PASSWORD_FILE NEXT_PAGE_TOKEN CACHE_KEY PRIMARY_KEY HISTFILE KEYMAP";
    let wrong: Vec<&str> = secret.split_whitespace().filter(|name| !secret_name(name)).collect();
    assert!(wrong.is_empty(), "not secret: {wrong:?}");
    let wrong: Vec<&str> = plain.split_whitespace().filter(|name| secret_name(name)).collect();
    assert!(wrong.is_empty(), "secret: {wrong:?}");
}

#[test]
fn values_worth_looking_for_are_those_that_would_not_appear_by_chance() {
    for value in [
        "q8Zr2LmX0vTn5KdY7wBc",
        "kX9$vQ2!",
        "9f86d081884c7d65",
        "postgres://app:q8Zr2LmX@db.acme.io/app",
        "550e8400-e29b-41d4-a716-446655440000",
        "Hq4-fPz9_xWm2",
    ] {
        assert!(secret_value(value), "{value}");
    }
    for value in [
        "",
        "true",
        "1",
        "12345678",
        "password",
        "changeme",
        "production",
        "/usr/bin:/bin",
        "/run/secrets/db",
        "~/.ssh/id",
        "https://acme.io/api",
        "postgres://localhost/app",
        "development",
        "x-x-x-x-x-x-x",
        "localhost",
        "none",
        "abc",
        "postgres",
        "enabled-by-default",
        "${TOKEN}",
    ] {
        assert!(!secret_value(value), "{value}");
    }
}

#[test]
fn the_table_of_rules_is_fit_to_print() {
    let ids: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert!(ids.len() >= 150, "only {}", ids.len());
    let mut seen = BTreeSet::new();
    for rule in RULES {
        let kebab = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
        assert!(rule.id.chars().all(kebab), "{rule:?}");
        assert!(!rule.title.is_empty() && !rule.title.ends_with('.'), "{rule:?}");
        assert!(!rule.shape.is_empty() && !rule.shape.contains('|'), "{rule:?}");
        assert!(seen.insert((rule.id, rule.title, rule.shape)), "twice: {rule:?}");
    }
    for id in [
        "github-token",
        "aws-access-key",
        "private-key",
        "password-in-url",
        "generic",
        "environment-value",
    ] {
        assert!(ids.contains(id), "{id}");
    }
}

#[test]
fn every_rule_with_a_form_has_a_case_in_the_corpus() {
    let cases: BTreeSet<&str> = LEAKS.lines().filter_map(|line| line.split('\t').next()).collect();
    let missing: Vec<&str> = RULES
        .iter()
        .map(|rule| rule.id)
        .filter(|id| !cases.contains(id) && *id != "environment-value")
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
