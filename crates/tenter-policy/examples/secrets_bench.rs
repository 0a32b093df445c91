//! Benchmark of the secret scanner: `cargo run --release -p tenter-policy --example secrets_bench`.
//!
//! Without an argument: microseconds of each scan, as JSON, for `cargo xtask bench`. With the name of a text:
//! scans it once, so that callgrind can count instructions (`valgrind --tool=callgrind
//! --toggle-collect='*scan*'`); `none` builds the texts without scanning.
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use std::time::Instant;

use tenter_policy::secrets::{Known, scan};

const TEXTS: [&str; 8] = [
    "clean-5k",
    "clean-1m",
    "dense-1m",
    "known-1m",
    "base64-1m",
    "secrets-5k",
    "secrets-1m",
    "words-1m",
];

/// Typical text: code, configuration and prose, with words that trigger the scanner's second look.
const CLEAN: &str = r#"
use std::collections::BTreeMap;

/// Reads the lines of a report and adds up what each project has spent, in cents.
pub fn totals(lines: &[Line], year: i32) -> Result<BTreeMap<String, i64>, Error> {
    let mut totals = BTreeMap::new();
    for (number, line) in lines.iter().enumerate() {
        let project = line.project.as_deref().ok_or(Error::Missing { number, field: "project" })?;
        if line.date.year() != year || line.state == State::Draft {
            continue;
        }
        *totals.entry(project.to_owned()).or_insert(0) += line.amount.round().to_cents();
    }
    Ok(totals)
}

export async function login(form: LoginForm): Promise<User> {
  const password = form.elements.namedItem("password") as HTMLInputElement;
  const response = await fetch(`${base}/login`, { method: "POST", body: JSON.stringify(form) });
  if (!response.ok) throw new Error(`login failed: ${response.status}`);
  return (await response.json()) as User;
}

services:
  web:
    image: ghcr.io/acme/web@sha256:9b2f7f4dc2d6f3e4a1b0c9d8e7f6a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4
    environment:
      DATABASE_URL: ${DATABASE_URL}
      LOG_LEVEL: info
    ports: ["8080:8080"]
    volumes: ["./data:/var/lib/web", "cache:/srv/cache"]

The build takes about four minutes on a laptop. Most of it is spent in the linker, so the second
run is much faster. If the cache is cold, expect the whole of it; its key is the hash of the lock
file. See https://docs.acme.dev/build#cache for the details, and ask in the channel before you
change anything: three teams depend on the order in which the steps run.

@media (max-width: 640px) { .card { padding: 0.5rem 1rem; border: 1px solid var(--line-color); } }
for f in $(git ls-files '*.rs'); do rustfmt --check "$f" || echo "$f: needs formatting"; done
"#;

/// Code that handles secrets: a suspicious name in every line.
const DENSE: &str = r#"
    let token = headers.get("authorization").ok_or(Error::Missing("authorization"))?;
    let token = token.strip_prefix("Bearer ").unwrap_or(token);
    let key = store.signing_key(token.key_id())?;
    config.password = env::var("DB_PASSWORD").unwrap_or_default();
    return { accessToken: response.access_token, secret: await vault.read("kv/app") };
"#;

fn main() {
    let wanted = std::env::args().nth(1);
    if let Some(name) = wanted {
        let text = text(&name);
        let values = values(&name);
        if name != "none" {
            println!("{name}: {} leaks", leaks(&text, &values));
        }
        return;
    }
    let rows: Vec<String> =
        TEXTS.iter().map(|name| format!("\"{name}\":{:?}", times(name))).collect();
    println!("{{{}}}", rows.join(","));
}

/// Durations of several scans, in microseconds.
fn times(name: &str) -> Vec<f64> {
    let (text, values) = (text(name), values(name));
    let time = |_| {
        let start = Instant::now();
        std::hint::black_box(leaks(std::hint::black_box(&text), &values));
        start.elapsed().as_secs_f64() * 1e6
    };
    (0..if text.len() > 100_000 { 15 } else { 500 }).map(time).collect()
}

fn leaks(text: &str, values: &[(&str, &str)]) -> usize {
    scan(text, &Known { values }, 1000).len()
}

fn values(name: &str) -> Vec<(&'static str, &'static str)> {
    let known = [
        ("A_TOKEN", "q8Zr2LmX0vTn5KdY7wBc"),
        ("B_TOKEN", "Hq4-fPz9_xWm2-Vt7s"),
        ("C_PASSWORD", "bluu-Kestrel-71!"),
        ("D_KEY", "0f3a9c5be27d41868c20"),
    ];
    if name == "known-1m" { known.repeat(5) } else { Vec::new() }
}

fn text(name: &str) -> String {
    let megabyte = 1 << 20;
    match name {
        "clean-5k" => repeated(CLEAN, 5 * 1024),
        "dense-1m" => repeated(DENSE, megabyte),
        "base64-1m" => base64(megabyte),
        "secrets-5k" => repeated(&with_secrets(), 5 * 1024),
        "secrets-1m" => repeated(&with_secrets(), megabyte),
        "words-1m" => repeated("token=token=token=password: key key=key:", megabyte),
        _ => repeated(CLEAN, megabyte),
    }
}

fn repeated(text: &str, len: usize) -> String {
    let mut all = text.repeat(len / text.len() + 1);
    all.truncate(all.floor_char_boundary(len));
    all
}

/// A text with one secret per kilobyte, assembled at run time so that no scanner reports this file.
fn with_secrets() -> String {
    let token = ["gh", "p_", "q8Zr2LmX0vTn5KdY7wBcHq4fPz9xWm2Vt7sA"].concat();
    let half = CLEAN.len() / 2;
    let (first, second) = CLEAN.split_at(CLEAN.floor_char_boundary(half));
    format!("{first}\nGITHUB_TOKEN={token}\n{second}\npassword = \"{}\"\n", "kX9$vQ2!mZ8r")
}

/// Text without words, such as an embedded image.
fn base64(len: usize) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 1_u64;
    let letters = std::iter::repeat_with(|| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let index = usize::try_from(state >> 58).unwrap_or(0);
        alphabet.get(index).copied().map_or('A', char::from)
    });
    letters.take(len).collect()
}
