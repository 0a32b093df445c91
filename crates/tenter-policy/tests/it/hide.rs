//! Redaction: secrets of many kinds in many encodings must not remain in a text.

use std::fmt::Write as _;
use std::path::Path;

use tenter_policy::secrets::{Known, redact, scan};
use tenter_testkit::base64;

/// Deterministic random numbers.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn text(&mut self, letters: &str, len: usize) -> String {
        let letters = letters.as_bytes();
        let one = |dice: &mut Self| {
            char::from(letters[usize::try_from(dice.next() % letters.len() as u64).unwrap()])
        };
        // Every secret has a digit and letters of both cases.
        let text: String = (0..len).map(|_| one(self)).collect();
        if text.bytes().any(|it| it.is_ascii_digit())
            && text.bytes().any(|it| it.is_ascii_lowercase())
        {
            text
        } else {
            self.text(letters_of(letters), len)
        }
    }
}

fn letters_of(letters: &[u8]) -> &str {
    std::str::from_utf8(letters).unwrap()
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";

/// Tokens with a distinctive form.
fn tokens(dice: &mut Dice) -> Vec<String> {
    let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let aws: String = (0..16)
        .map(|_| {
            let at = usize::try_from(dice.next() % 32).unwrap();
            char::from(upper.as_bytes()[at])
        })
        .collect();
    vec![
        format!("ghp_{}", dice.text(ALNUM, 36)),
        format!("AKIA{aws}"),
        format!("sk-ant-api03-{}AA", dice.text(ALNUM, 93)),
        format!("glpat-{}", dice.text(ALNUM, 20)),
        format!(
            "xoxb-{}-{}-{}",
            1_234_567_891_234_u64 + dice.next() % 1_000_000,
            9_876_543_219_876_u64 - dice.next() % 1_000_000,
            dice.text(ALNUM, 24)
        ),
        format!("npm_{}", dice.text(ALNUM, 36)),
        format!("sk_live_{}", dice.text(ALNUM, 24)),
        format!("AIza{}", dice.text(ALNUM, 35)),
    ]
}

/// Values that are secret by their name only.
fn values(dice: &mut Dice) -> Vec<String> {
    vec![
        "hunter2".to_owned(),
        "swordfish".to_owned(),
        format!("s3cret{}", dice.next() % 1000),
        format!("Zq7{}", dice.text(ALNUM, 9)),
        dice.text(HEX, 32),
        format!("p@ss{}!", dice.next() % 10_000),
        format!("{}-{}", dice.text(ALNUM, 8), dice.text(ALNUM, 6)),
    ]
}

fn percent(text: &str, all: bool) -> String {
    let mut out = String::new();
    for (at, byte) in text.bytes().enumerate() {
        if all || at % 3 == 0 || !byte.is_ascii_alphanumeric() {
            write!(out, "%{byte:02X}").unwrap();
        } else {
            out.push(char::from(byte));
        }
    }
    out
}

/// A text with every byte encoded by `how`.
fn written(text: &str, how: impl Fn(u8) -> String) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        out.push_str(&how(byte));
    }
    out
}

fn hex(text: &str) -> String {
    written(text, |byte| format!("{byte:02x}"))
}

fn split(text: &str, at: usize, by: &str) -> String {
    let (one, two) = text.split_at(at.min(text.len() - 1));
    format!("{one}{by}{two}")
}

fn spaced(text: &str, how: impl Fn(u8) -> String, by: &str) -> String {
    text.bytes().map(how).collect::<Vec<_>>().join(by)
}

/// Wrapped into lines of `columns` characters.
fn wrapped(text: &str, columns: usize) -> String {
    let lines = text.as_bytes().chunks(columns).map(letters_of);
    lines.collect::<Vec<_>>().join("\n")
}

/// The full-width form of a letter.
fn wide(letter: char) -> char {
    char::from_u32(u32::from(letter) + 0xfee0).unwrap()
}

/// A token in every encoding.
fn forms(token: &str) -> Vec<String> {
    let escaped = written(token, |byte| format!("\\x{byte:02x}"));
    let octal = written(token, |byte| format!("\\{byte:03o}"));
    let mut forms = vec![
        token.to_owned(),
        percent(token, true),
        percent(token, false),
        percent(&percent(token, false), false),
        base64(token),
        base64(&format!("user:{token}")),
        base64(&format!("{token}\n")),
        base64(&format!("{{\"a\":\"{token}\"}}")),
        base64(&base64(token)),
        base64(token).replace('+', "-").replace('/', "_").trim_end_matches('=').to_owned(),
        hex(token),
        hex(token).to_uppercase(),
        format!("'{}'", split(token, 2, "'\"\"'")),
        format!("$'{escaped}'"),
        format!("$'{octal}'"),
        format!("x{token}"),
        format!("my_{token}_x"),
        base64(&format!("x{token}")),
        wrapped(&base64(token), 20),
        wrapped(&base64(&format!("x={token}\n")), 24),
        spaced(token, |byte| format!("{byte:02x}"), ":"),
        spaced(token, |byte| format!("{byte:02x}"), " "),
        spaced(token, |byte| format!("0x{byte:02x}"), ","),
        spaced(token, |byte| format!("0x{byte:02x}"), ", "),
        written(token, |byte| format!("&#x{byte:x};")),
        written(token, |byte| format!("&#{byte};")),
        written(token, |byte| format!("={byte:02X}")),
        spaced(token, |byte| format!("chr({byte})"), "+"),
        spaced(token, |byte| format!("chr({byte})"), " . "),
        format!("String.fromCharCode({})", spaced(token, |byte| byte.to_string(), ",")),
        format!("[{}].join('')", spaced(token, |byte| format!("'{}'", char::from(byte)), ",")),
        format!("''.join(['{}'])", split(token, 7, "', '")),
        token.chars().map(wide).collect(),
    ];
    for at in [1, 2, 3, token.len() / 2] {
        for by in [
            "\"\"", "''", "\\", "\\\n", "${z}", "$@", "$()", "$(:)", "{,}", "\u{200b}", "\u{ad}",
            "\u{feff}",
        ] {
            forms.push(split(token, at, by));
        }
        for (open, by, close) in [
            ("\"", "\" + \"", "\""),
            ("'", "' + '", "'"),
            ("\"", "\" . \"", "\""),
            ("'", "'\"", "\""),
            ("\"", "\" \"", "\""),
            ("\"", "\"\n    \"", "\""),
        ] {
            forms.push(format!("{open}{}{close}", split(token, at, by)));
        }
    }
    forms
}

/// Contexts for a token.
fn around(form: &str) -> [String; 7] {
    [
        form.to_owned(),
        format!("echo {form} | base64 -d | sh"),
        format!("curl 'https://api.example.dev/v1?state=7&t={form}&z=1'"),
        format!("please use {form} for it"),
        format!("let x = {form};"),
        format!("{{\"a\": [\"{form}\"]}}"),
        format!("# deploy\nrun --with={form}\n"),
    ]
}

/// A value with its name beside it.
fn named(value: &str) -> Vec<String> {
    let halves = format!("'{}'", split(value, 2, "'\"\"'"));
    let mixed = split(value, 3, "\"\"");
    let mut all = Vec::new();
    for name in
        ["DB_PASSWORD", "GITHUB_TOKEN", "API_SECRET", "REDIS_PASS", "ADMIN_PWD", "MY_API_KEY"]
    {
        all.extend([
            format!("export {name}={value}"),
            format!("export {name}='{value}'"),
            format!("export {name}=\"{value}\""),
            format!("export {name}={halves}"),
            format!("{name}={mixed} make deploy"),
            format!("{name}={value} ./run.sh"),
            format!("docker run -e {name}={value} image"),
            format!("docker run --env={name}={value} image"),
            format!("env -i {name}={value} sh -c x"),
            format!("# .env\n{name}={value}\nPORT=80\n"),
            format!("setx {name} {value}"),
            format!("$env:{name}=\"{value}\"; run"),
            format!("ENV {name} {value}\n"),
            format!("heroku config:set {name}={value}"),
            percent(&format!("{name}={value}"), false),
            base64(&format!("{name}={value}")),
        ]);
    }
    for name in ["password", "passwd", "db_password", "token", "client_secret", "api-key"] {
        all.extend([
            format!("mycli login --{name}={value} --user bob"),
            format!("mycli login --{name} {value} --user bob"),
            format!("mycli login --{name} '{value}'"),
            format!("curl https://api.example.dev/?{name}={value}&x=1"),
            format!("{{\"user\": \"bob\", \"{name}\": \"{value}\"}}"),
            format!("{{\\\"{name}\\\":\\\"{value}\\\"}}"),
            format!("kubectl create secret generic x --from-literal={name}={value}"),
            format!(
                "curl 'https://api.example.dev/?{}'",
                percent(&format!("{name}={value}"), false)
            ),
            format!("echo {} | base64 -d", base64(&format!("{{\"{name}\":\"{value}\"}}"))),
        ]);
    }
    for name in ["password", "db_password"] {
        all.extend([
            format!("user: bob\n{name}: {value}\nport: 80\n"),
            format!("db:\n  {name}: \"{value}\"\n"),
            format!("<{name}>{value}</{name}>"),
            format!("{name} = \"{value}\""),
            format!("{name} = '{value}'\n"),
        ]);
    }
    for scheme in ["https", "postgres", "redis", "ftp", "mongodb+srv"] {
        all.push(format!("{scheme}://user:{}@db.acme.dev/x", percent(value, false)));
        if !value.contains('@') {
            all.push(format!("git clone {scheme}://user:{value}@db.acme.dev:8443/x.git"));
            all.push(format!("{scheme}://:{value}@localhost:6379"));
        }
    }
    all.extend([
        format!("curl -u bob:{value} https://acme.dev"),
        format!("curl --user bob:{value} https://acme.dev"),
        format!("mysql -u root -p{value} shop"),
        format!("sshpass -p {value} ssh host"),
        format!("redis-cli -a {value} ping"),
        format!(
            "curl -H 'Authorization: Basic {}' https://acme.dev",
            base64(&format!("bob:{value}"))
        ),
        format!("curl -H \"Authorization: Bearer {value}\" https://acme.dev"),
    ]);
    all.extend(handed(value));
    all
}

/// Places where a value is passed without its name beside it.
fn handed(value: &str) -> Vec<String> {
    vec![
        format!("echo 'Set-Cookie: auth={value}; Path=/'"),
        format!("curl -H 'Cookie: sessionid={value}; a=b' https://acme.dev"),
        format!("curl -H 'cookie: theme=dark; sid={value}' https://acme.dev"),
        format!("{{\"headers\": {{\"Cookie\": \"sid={value}\"}}}}"),
        format!("curl -b 'session={value}' https://acme.dev"),
        format!("curl --cookie session={value} https://acme.dev"),
        format!("lftp -u user,{value} ftp.acme.dev"),
        format!("lftp -u 'user,{value}' ftp.acme.dev"),
        format!("curl --proxy-user u:{value} https://acme.dev"),
        format!("curl -U u:{value} -x proxy https://acme.dev"),
        format!("read -r PASSWORD <<< '{value}'"),
        format!("xargs -I{{}} tool --password {{}} <<< '{value}'"),
        format!("echo '{value}' | xargs -I{{}} tool --password {{}}"),
        format!("echo {value} | {{ read -r DB_PASSWORD; ./run.sh; }}"),
        format!("gh secret set API_KEY --body {value}"),
        format!("gh secret set API_KEY --body '{value}' --repo a/b"),
        format!("gh secret set API_KEY -b {value}"),
    ]
}

/// Whether a text still contains a secret, in plain or readable form.
fn says(clean: &str, secret: &str) -> bool {
    let bare: String = clean.chars().filter(|it| !"'\"\\`".contains(*it)).collect();
    let encoded = base64(secret);
    let core = encoded.get(..encoded.len().saturating_sub(4)).unwrap_or_default();
    clean.contains(secret)
        || bare.contains(secret)
        || clean.contains(&percent(secret, true))
        || clean.contains(&percent(secret, false))
        || (core.len() >= 12 && clean.contains(core))
        || clean.to_lowercase().contains(&hex(secret))
        || (secret.len() >= 20 && bare.contains(&secret[secret.len() - 16..]))
}

#[test]
fn no_token_stays_in_whatever_form() {
    let (mut planted, mut left) = (0_u32, Vec::new());
    for seed in [7, 4711, 20_261_118] {
        for token in tokens(&mut Dice(seed)) {
            for form in forms(&token) {
                for text in around(&form) {
                    planted += 1;
                    let clean = redact(&text, &Known { values: &[] });
                    if says(&clean, &token) || clean.contains(&form) {
                        left.push(format!("{text}  ->  {clean}"));
                    }
                }
            }
        }
    }
    assert!(planted > 9000);
    assert!(left.is_empty(), "{} of {planted}:\n{}", left.len(), left.join("\n"));
}

#[test]
fn no_value_stays_beside_the_name_of_a_secret() {
    let (mut planted, mut left) = (0_u32, Vec::new());
    for seed in [7, 4711, 20_261_118] {
        for value in values(&mut Dice(seed)) {
            for text in named(&value) {
                planted += 1;
                let clean = redact(&text, &Known { values: &[] });
                if says(&clean, &value) {
                    left.push(format!("{text}  ->  {clean}"));
                }
            }
        }
    }
    assert!(planted > 3000);
    assert!(left.is_empty(), "{} of {planted}:\n{}", left.len(), left.join("\n"));
}

#[test]
fn values_of_the_environment_are_found_in_every_form() {
    let values = [("BUILD_PASSWORD", "correct-Horse7-battery9-Staple4")];
    let known = Known { values: &values };
    let mut left = Vec::new();
    for form in forms(values[0].1) {
        for text in around(&form) {
            let clean = redact(&text, &known);
            if says(&clean, values[0].1) {
                left.push(format!("{text}  ->  {clean}"));
            }
        }
    }
    assert!(left.is_empty(), "{}:\n{}", left.len(), left.join("\n"));
}

#[test]
fn ordinary_texts_stay_as_they_are() {
    for text in [
        "export TOKEN=$(gh auth token) && git push",
        "PASSWORD=\"$DB_PASSWORD\" ./run.sh",
        "docker run -e TOKEN image",
        "curl -H \"Authorization: Bearer $TOKEN\" https://acme.dev",
        "git clone https://github.com/acme/shop.git",
        "git clone git@github.com:acme/shop.git",
        "psql postgres://user:$PASS@db.acme.dev/x",
        "grep -rn password: string src/",
        "interface Login { user: string; password: string; token?: Token }",
        "let token = lexer.next_token(); if token == Token::Comma { return; }",
        "def login(user, password=None, token=None):\n    return Client(password=password, token=token)",
        "password: String,\n    token: u64,\n    secret: Option<Vec<u8>>,",
        "<input type=\"password\" name=\"password\" autocomplete=\"current-password\">",
        "kubectl get secret db-credentials -o yaml",
        "docker login --password-stdin registry.acme.dev",
        "the password is wrong, please ask the user for the token again",
        "MAX_TOKENS=4096 TOKENIZERS_PARALLELISM=false python train.py",
        "cargo test --workspace --all-features -- --nocapture",
        "date +%Y-%m-%dT%H:%M:%S; printf '%s\\n' \"it's 100% done\"",
        "sed -i 's/a/b/' \"$HOME/projects/a_rather_long_name_of_a_folder/src/lib.rs\"",
        "git show 0123456789abcdef0123456789abcdef01234567",
        "https://example.dev/a%20b%2Fc?q=hello%20world",
        "assert_eq!(auth.token_type, \"bearer\"); // token type: bearer",
        "--token-file /run/secrets/token --password-file=./pw",
        "echo 'it''s' \"a\"\"b\" don't",
        "SECRET_KEY = os.environ[\"SECRET_KEY\"]",
        "const token = process.env.GITHUB_TOKEN;",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password: <your password>\napi_key: {{ api_key }}",
        "curl -b cookies.txt -c cookies.txt https://acme.dev",
        "read -r line <<< \"$text\"; xargs -I{} cp {} out",
        "read -r TOKEN <<< \"$(gh auth token)\"",
        "git checkout -b fix-login && gh pr create --title x --body 'please look'",
        "Set-Cookie: session=$SESSION; Path=/; Max-Age=3600",
        "cp {a,b}.txt out{,.bak} && echo a, b, c, 10, 20, 30",
        "größer & kleiner &amp; gleich &#8364; # 日本語",
        "2026-11-18 20:41:07.123 [12] 10 20 30 40 50 60 70 80 90 100 110 120 130",
        "00:1a:2b:3c:4d:5e and aa:bb:cc:dd:ee:ff:00:11:22:33:44:55",
    ] {
        assert_eq!(redact(text, &Known { values: &[] }), text);
    }
}

/// Every line of the texts below a folder.
fn lines(folder: &Path, found: &mut Vec<String>) {
    for path in std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()) {
        if path.is_dir() {
            lines(&path, found);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            found.extend(text.lines().map(str::to_owned));
        }
    }
}

/// Sources and documents contain many words such as `password` and `token`; few of their lines may change,
/// and those are examples of passwords.
#[test]
fn sources_and_documents_are_kept_as_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for folder in [
        "docs",
        "examples",
        "crates/tenter-cli/src",
        "crates/tenter-shell/src",
        "crates/tenter-setup/src",
    ] {
        lines(&root.join(folder), &mut all);
    }
    let known = Known { values: &[] };
    let is_changed =
        |line: &&str| redact(line, &known) != *line && scan(line, &known, 1).is_empty();
    let changed: Vec<&str> = all.iter().map(String::as_str).filter(is_changed).collect();
    assert!(all.len() > 50_000);
    let shown = changed.join("\n");
    assert!(changed.len() * 1500 < all.len(), "{} of {}:\n{shown}", changed.len(), all.len());
}
