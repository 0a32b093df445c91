//! Tokens and their cost.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use tenter_audit::record::{Agent, Record, Usage};

use super::desk::{Desk, prompt, record};

/// A session of a host whose transcript is at `path` below the machine's folder.
fn session(desk: &Desk, host: &'static str, path: &str) {
    let path = desk.machine.path(path).display().to_string();
    let record = Record { host: host.into(), transcript_path: Some(path.into()), ..prompt("Go") };
    desk.write(0, &record);
}

/// Writes a price list.
fn price(desk: &Desk) {
    let list = json!({"as_of": "2026-11", "models": {
        "claude-opus-5*": {"input": 5, "output": 25, "cache_read": 0.5, "cache_write": 6.25},
        "claude-haiku-4-5": {"input": 1, "output": 5},
        "gpt-5.2-codex": {"input": 1.75, "output": 14, "cache_read": 0.175},
        "gpt-5.5": {"input": 5, "output": 30, "cache_read": 0.5, "cache_write": 5},
    }});
    desk.machine.write("home/.config/tenterhook/prices.json", &list.to_string());
}

/// The header lines about tokens and cost.
fn said(desk: &Desk, arguments: &str) -> Vec<String> {
    let text = desk.show(arguments);
    let header = text.split("\n\n").next().unwrap().replace("\n          ", " ");
    let about = |line: &&str| line.starts_with("  tokens") || line.starts_with("  cost");
    header.lines().filter(about).map(|line| line.trim().to_owned()).collect()
}

fn answer(id: &str, model: &str, usage: &Value) -> String {
    let message = json!({"id": id, "model": model, "role": "assistant", "usage": usage});
    json!({"type": "assistant", "message": message, "requestId": "r"}).to_string() + "\n"
}

fn usage(input: u64, output: u64, read: u64, write: u64) -> Value {
    json!({
        "input_tokens": input, "output_tokens": output,
        "cache_read_input_tokens": read, "cache_creation_input_tokens": write,
    })
}

#[test]
fn answers_of_claude_code_are_counted_once_each_with_those_of_subagents() {
    let desk = Desk::new();
    price(&desk);
    session(&desk, "claude", "home/.claude/projects/shop/s-1.jsonl");
    let opus = "claude-opus-5-20260801";
    let mut text = String::from("no json, but \"usage\"\n{\"type\":\"user\",\"usage\":{}}\n");
    // One answer on three lines, the first of them incomplete.
    text += &answer("m1", opus, &usage(10, 1, 1_000_000, 100_000));
    text += &answer("m1", opus, &usage(10, 2_000, 1_000_000, 100_000));
    text += &answer("m1", opus, &usage(10, 2_000, 1_000_000, 100_000));
    text += &answer("m2", opus, &usage(90, 3_000, 0, 0));
    text += &answer("m3", "<synthetic>", &usage(7, 7, 7, 7));
    desk.machine.write("home/.claude/projects/shop/s-1.jsonl", &text);
    let below = "home/.claude/projects/shop/s-1/subagents/agent-a1.jsonl";
    desk.machine.write(below, &answer("m9", "claude-haiku-4-5", &usage(1_000_000, 100_000, 0, 0)));
    assert_eq!(
        said(&desk, "last"),
        [
            "tokens  2,100,100 in, of them 1,000,000 from the cache and 100,000 into it; \
         105,000 out (from the transcript)",
            // 0.50 + 0.625 + 0.125 + 0.0005 for Opus, 1 + 0.5 for Haiku.
            "cost    about $2.75 (estimated from your prices of 2026-11)",
        ]
    );
    let tokens = &desk.json("last")[0]["tokens"];
    assert_eq!(tokens["cost_usd"], json!(2.7505));
    assert_eq!(tokens["models"][0]["model"], json!("claude-haiku-4-5"));
    assert_eq!(tokens["prices_of"], json!("2026-11"));
    assert_eq!(said(&desk, "last --no-transcript"), Vec::<String>::new());
    assert_eq!(desk.json("last --no-transcript")[0]["tokens"], Value::Null);
}

#[test]
fn the_last_sum_of_a_codex_transcript_counts() {
    let desk = Desk::new();
    price(&desk);
    let name = "home/.codex/sessions/2026/11/16/rollout-1.jsonl";
    session(&desk, "codex", name);
    // A subagent names its own transcript.
    let own = desk.machine.path("home/.codex/sessions/2026/11/16/rollout-2.jsonl");
    let agent = Agent { id: Some("a1".into()), ..Agent::default() };
    let transcript_path = Some(own.display().to_string().into());
    let started =
        Record { host: "codex".into(), agent, transcript_path, ..record("SubagentStart") };
    desk.write(1, &started);
    let entry =
        |kind: &str, payload: Value| json!({"type": kind, "payload": payload}).to_string() + "\n";
    let total = |input: u64, cached: u64, output: u64| {
        let total =
            json!({"input_tokens": input, "cached_input_tokens": cached, "output_tokens": output});
        entry("event_msg", json!({"type": "token_count", "info": {"total_token_usage": total}}))
    };
    let model = |name: &str| entry("turn_context", json!({"model": name}));
    let empty = entry("event_msg", json!({"type": "token_count", "info": null}));
    let text =
        model("gpt-5.2-codex") + &total(500, 0, 5) + &total(1_000_000, 600_000, 50_000) + &empty;
    desk.machine.write(name, &text);
    assert_eq!(
        said(&desk, "last"),
        [
            "tokens  1,000,000 in, of them 600,000 from the cache; 50,000 out (from the transcript)",
            // 0.4 at 1.75, 0.6 at 0.175, 0.05 at 14.
            "cost    about $1.51 (estimated from your prices of 2026-11)",
        ]
    );
    let child = "home/.codex/sessions/2026/11/16/rollout-2.jsonl";
    desk.machine.write(child, &(model("gpt-9") + &total(100_000, 0, 0)));
    assert_eq!(
        said(&desk, "last"),
        [
            "tokens  1,100,000 in, of them 600,000 from the cache; 50,000 out (from the transcript)",
            "cost    about $1.51 without what has no price: no price is known for `gpt-9` \
         (estimated from your prices of 2026-11)",
        ]
    );
    let meta = entry("session_meta", json!({"id": "2", "forked_from_id": "1"}));
    desk.machine.write(child, &(meta + &total(2_000_000, 0, 0)));
    let said = said(&desk, "last");
    assert!(said[0].starts_with("tokens  1,000,000 in"), "{said:?}");
    assert!(said[0].ends_with("not counted: it has its parent's sums"), "{said:?}");
}

#[test]
fn what_a_host_says_at_its_stop_comes_before_its_transcript() {
    let desk = Desk::new();
    price(&desk);
    session(&desk, "cursor", "home/t.jsonl");
    desk.machine.write("home/t.jsonl", &answer("m", "claude-opus-5", &usage(9, 9, 9, 9)));
    let usage = Usage { input: 9120, output: 811, cache_read: 8000, cache_write: 400 };
    let stop = |model: &'static str| Record {
        host: "cursor".into(),
        usage: Some(usage),
        model: Some(model.into()),
        ..record("Stop")
    };
    desk.write(1, &stop("default"));
    assert_eq!(
        said(&desk, "last"),
        [
            "tokens  9,120 in, of them 8,000 from the cache and 400 into it; 811 out",
            "cost    no price is known for `default`",
        ]
    );
    desk.write(2, &stop("gpt-5.5"));
    let tokens = &desk.json("last")[0]["tokens"];
    assert_eq!((&tokens["source"], &tokens["input"]), (&json!("record"), &json!(1440)));
    assert_eq!(tokens["cost_usd"], Value::Null, "one model has no price");
    assert_eq!(tokens["models"][1]["cost_usd"], json!(0.03393));
}

#[test]
fn without_a_price_list_no_cost_is_said_and_a_broken_one_is_named() {
    let desk = Desk::new();
    session(&desk, "claude", "home/.claude/s.jsonl");
    desk.machine.write("home/.claude/s.jsonl", &answer("m", "claude-opus-5", &usage(9, 9, 0, 0)));
    let tokens = "tokens  9 in; 9 out (from the transcript)";
    assert_eq!(said(&desk, "last"), [tokens]);
    let json = &desk.json("last")[0]["tokens"];
    assert_eq!((&json["cost_usd"], &json["prices_of"]), (&Value::Null, &Value::Null));
    desk.machine.write("home/.config/tenterhook/prices.json", "{\"models\": 1}");
    let said = said(&desk, "last");
    assert!(
        said[0].starts_with(tokens) && said[0].contains("`prices.json`: invalid type"),
        "{said:?}"
    );
}

type Lay<'l> = &'l dyn Fn(&Desk);

#[test]
fn a_transcript_that_cannot_be_read_is_said_and_is_no_error() {
    let text = answer("m", "claude-opus-5", &usage(9, 9, 9, 9));
    let home = "home/.claude/s.jsonl";
    let unknown = |why: &str| vec![format!("tokens  not known: {why}")];
    let outside: Lay<'_> = &|desk| {
        desk.machine.write("root/s.jsonl", &text);
        desk.machine.write("home/.claude/x", "");
        symlink(desk.machine.path("root/s.jsonl"), desk.machine.path(home)).unwrap();
    };
    let pipe: Lay<'_> = &|desk| {
        desk.machine.write("home/.claude/x", "");
        let made = std::process::Command::new("mkfifo").arg(desk.machine.path(home)).status();
        assert!(made.unwrap().success());
    };
    let folder: Lay<'_> = &|desk| drop(desk.machine.write("home/.claude/s.jsonl/x", ""));
    let strange: Lay<'_> =
        &|desk| drop(desk.machine.write(home, "\u{0}\u{1}{\"usage\"\n[]\n\n\"usage\""));
    let missing: Lay<'_> = &|_| {};
    for (lay, why) in [
        (outside, "the transcript is not read: it lies outside home and workspace"),
        (pipe, "the transcript is not read: it is no regular file"),
        (folder, "the transcript is not read: it is no regular file"),
        (strange, "the transcript has no tokens in a form that is known"),
        (missing, "the host's transcript is not there"),
    ] {
        let desk = Desk::new();
        session(&desk, "claude", home);
        lay(&desk);
        assert_eq!(said(&desk, "last"), unknown(why));
    }
}

#[test]
fn of_a_huge_transcript_the_end_is_read() {
    use std::io::{Seek, SeekFrom, Write};

    let desk = Desk::new();
    let name = "home/.claude/s.jsonl";
    session(&desk, "claude", name);
    desk.machine.write(name, &answer("m1", "claude-opus-5", &usage(1, 1, 1, 1)));
    let path = desk.machine.path(name);
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    // A sparse file, which takes no disk space.
    file.seek(SeekFrom::Start(70 * 1024 * 1024)).unwrap();
    file.write_all(b"\n").unwrap();
    file.write_all(answer("m2", "claude-opus-5", &usage(2_000, 5, 0, 0)).as_bytes()).unwrap();
    let said = said(&desk, "last");
    assert!(said[0].starts_with("tokens  2,000 in; 5 out (from the transcript)"), "{said:?}");
    assert!(
        said[0].ends_with("the transcript has 70 MB: only the last 64 are counted"),
        "{said:?}"
    );
}
