//! Secrets planted into every field of payloads of several hosts must not appear below the state or cache
//! folder, raw or in readable form.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tenter_testkit::base64;

use super::home::Home;

/// Deterministic random numbers.
struct Dice(u64);

impl Dice {
    fn letters(&mut self, count: usize) -> String {
        let letters = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";
        let mut text: String = (1..count)
            .map(|_| {
                self.0 ^= self.0 << 13;
                self.0 ^= self.0 >> 7;
                self.0 ^= self.0 << 17;
                let at = usize::try_from(self.0 % letters.len() as u64).unwrap();
                char::from(letters.get(at).copied().unwrap())
            })
            .collect();
        text.push('7');
        text
    }
}

fn hex(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        write!(out, "{byte:02x}").unwrap();
    }
    out
}

fn percent(text: &str) -> String {
    let mut out = String::new();
    for (at, byte) in text.bytes().enumerate() {
        if at % 4 == 1 || !byte.is_ascii_alphanumeric() {
            write!(out, "%{byte:02X}").unwrap();
        } else {
            out.push(char::from(byte));
        }
    }
    out
}

/// A secret, and the texts that reveal it.
fn planted(dice: &mut Dice) -> Vec<(String, Vec<String>)> {
    let tokens = [
        format!("ghp_{}", dice.letters(36)),
        format!("glpat-{}", dice.letters(20)),
        format!("sk-ant-api03-{}AA", dice.letters(93)),
        format!("npm_{}", dice.letters(36)),
    ];
    let values = [format!("hunter{}", dice.letters(3)), dice.letters(14)];
    let of_token = |token: &String| {
        let (start, rest) = token.split_at(2);
        vec![
            format!("echo {token}"),
            format!("echo {start}\"\"{rest} | sh"),
            format!("echo '{start}'\"{rest}\""),
            format!("python3 -c 'x = \"{start}\" + \"{rest}\"'"),
            format!("echo {} | base64 -d", base64(token)),
            format!("curl https://a.dev/?q={}", percent(token)),
            format!("echo {} | xxd -r -p", hex(token)),
        ]
    };
    let of_value = |value: &String| {
        vec![
            format!("export DB_PASSWORD={value}"),
            format!("API_TOKEN='{value}' make deploy"),
            format!("docker run -e MYSQL_PASSWORD={value} mysql"),
            format!("cli --password={value} --user bob"),
            format!("cli --password {value} --user bob"),
            format!("git clone https://bob:{value}@git.acme.dev/x.git"),
            format!("curl -u bob:{value} https://acme.dev"),
            format!(
                "curl -H 'Authorization: Basic {}' https://acme.dev",
                base64(&format!("bob:{value}"))
            ),
            format!("curl https://acme.dev/?{}", percent(&format!("password={value}"))),
        ]
    };
    let mut all: Vec<(String, Vec<String>)> =
        tokens.iter().map(|token| (token.clone(), of_token(token))).collect();
    all.extend(values.iter().map(|value| (value.clone(), of_value(value))));
    all
}

/// One call for every field that can contain a text.
fn payloads(text: &str) -> Vec<(&'static str, String)> {
    let said = serde_json::to_string(text).unwrap();
    // As a name, without slashes.
    let name = serde_json::to_string(&text.replace('/', "_")).unwrap();
    let claude = |event: &str, more: &str| {
        ("claude", format!(r#"{{"session_id":"s","cwd":"/w","hook_event_name":"{event}",{more}}}"#))
    };
    let tool = |tool: &str, input: &str| {
        claude(
            "PreToolUse",
            &format!(r#""tool_name":"{tool}","tool_input":{input},"tool_use_id":"1""#),
        )
    };
    vec![
        tool("Bash", &format!(r#"{{"command":{said},"description":{said}}}"#)),
        tool("Write", &format!(r#"{{"file_path":"/w/a","content":{said}}}"#)),
        tool("Edit", &format!(r#"{{"file_path":"/w/a","old_string":"x","new_string":{said}}}"#)),
        tool("mcp__x__y", &format!(r#"{{"deep":[{{"a":{said}}}]}}"#)),
        tool("Unheard", &format!(r#"{{"command":{said}}}"#)),
        tool("WebFetch", &format!(r#"{{"url":"https://a.dev/","prompt":{said}}}"#)),
        tool("Read", &format!(r#"{{"file_path":{name}}}"#)),
        claude("UserPromptSubmit", &format!(r#""prompt":{said}"#)),
        claude("Notification", &format!(r#""message":{said}"#)),
        claude(
            "PostToolUse",
            &format!(
                r#""tool_name":"Bash","tool_input":{{"command":"x"}},"tool_response":{{"stdout":{said}}},"tool_use_id":"1""#
            ),
        ),
        (
            "cursor",
            format!(
                r#"{{"hook_event_name":"beforeShellExecution","conversation_id":{name},"cursor_version":"3.21.16","workspace_roots":["/w"],"command":{said},"cwd":""}}"#
            ),
        ),
        (
            "codex",
            format!(
                r#"{{"session_id":"s2","turn_id":"t","cwd":"/w","hook_event_name":"PreToolUse","model":"gpt-5.5","permission_mode":"default","tool_name":"Bash","tool_input":{{"command":{said}}},"tool_use_id":"c"}}"#
            ),
        ),
        // A denied call is stored for `tenter allow`.
        tool(
            "Bash",
            &serde_json::json!({ "command": format!("{text}; git push --force origin main") })
                .to_string(),
        ),
    ]
}

/// Every file below a folder with name and content.
fn bytes_below(folder: &Path, all: &mut Vec<(String, String)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            bytes_below(&path, all);
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            all.push((path.display().to_string(), text));
        }
    }
}

/// The readable forms of a secret in a text.
fn held(text: &str, secret: &str) -> bool {
    let encoded = base64(secret);
    let bare: String = text.chars().filter(|it| !"'\"\\`+ ".contains(*it)).collect();
    let core = encoded.get(..encoded.len().saturating_sub(4)).unwrap_or_default();
    text.contains(secret)
        || (secret.len() > 20 && bare.contains(secret.get(secret.len() - 18..).unwrap()))
        || text.contains(&percent(secret))
        || (core.len() >= 12 && text.contains(core))
        || text.to_lowercase().contains(&hex(secret))
}

#[test]
fn no_planted_secret_reaches_the_disk() {
    let seeds: u64 = std::env::var("TENTER_TEST_SEEDS").map_or(1, |seeds| seeds.parse().unwrap());
    let (mut count, mut left) = (0_u32, Vec::new());
    for seed in 1..=seeds {
        for level in ["minimal", "standard", "full"] {
            let home = Home::new();
            home.policy(&format!("version = 1\n[record]\nlevel = \"{level}\"\n"));
            let mut secrets = Vec::new();
            // Each level puts other forms into other fields; over a few seeds, all into all.
            for (at, (secret, texts)) in
                planted(&mut Dice(seed * 7919 + 17)).into_iter().enumerate()
            {
                for (nth, text) in texts.iter().enumerate() {
                    for (field, (host, payload)) in payloads(text).into_iter().enumerate() {
                        let turn = u64::try_from(at + nth * 3 + field).unwrap() + seed;
                        if turn.is_multiple_of(5) {
                            home.hook(host, &payload);
                            count += 1;
                        }
                    }
                }
                secrets.push(secret);
            }
            // Readers create an index, and exports.
            let mut all = Vec::new();
            for words in [
                ["log", "--json", "-n", "all"].as_slice(),
                &["export", "--format", "jsonl"],
                &["stats"],
            ] {
                all.push((words.join(" "), home.run(words).stdout));
            }
            bytes_below(&home.0.path().join(".local"), &mut all);
            bytes_below(&home.0.path().join(".cache"), &mut all);
            for secret in &secrets {
                for (name, text) in &all {
                    if held(text, secret) {
                        let line = text.lines().find(|line| held(line, secret)).unwrap_or_default();
                        let line: String = line.chars().take(700).collect();
                        left.push(format!("{level}: {secret} in {name}: {line}"));
                    }
                }
            }
        }
    }
    assert!(count > 300, "{count}");
    assert!(left.is_empty(), "{} of {count} calls:\n{}", left.len(), left.join("\n"));
}
