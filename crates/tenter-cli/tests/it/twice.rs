//! One call that arrives twice: through the hooks of two hosts, concurrently or in sequence, or as two
//! events. It is judged once, and both get the same answer.

use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenter_testkit::Ran;

use crate::user::User;

const BOTH: [&str; 2] = ["cursor", "claude"];

impl User {
    /// The session memory, by lines.
    fn remembered(&self) -> String {
        fs::read_to_string(self.state("sessions/cursor-c-1")).unwrap_or_default()
    }

    /// A rule that allows a number of pushes.
    fn limit_pushes(&self, limit: usize) {
        let rule = format!(
            "[[rule]]\nid = \"few-pushes\"\non = \"shell\"\nwhen = {{ program = \"git\", args = [\"push\"] }}\n\
             decide = \"deny\"\nlimit = {limit}\nreason = \"enough for one session\"\n"
        );
        self.policy(&rule);
    }

    fn call_as(&self, wired_as: &str, payload: &str) -> Ran {
        let ran = self.run(&["hook", wired_as], payload);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        ran
    }

    /// The answer to Cursor.
    fn permission(&self, wired_as: &str, payload: &str) -> String {
        permission(&self.call_as(wired_as, payload).stdout)
    }

    /// The answers to both copies of a call in sequence.
    fn permissions(&self, payload: &str) -> [String; 2] {
        BOTH.map(|wired_as| self.permission(wired_as, payload))
    }

    /// The answers to two concurrent copies.
    fn at_once(&self, payload: &str) -> [String; 2] {
        let started: [Child; 2] =
            BOTH.map(|wired_as| self.command(&["hook", wired_as]).spawn().unwrap());
        // Both wait for their input, and get it at nearly the same time.
        let pipes = started.map(|mut child| (child.stdin.take().unwrap(), child));
        let running = pipes.map(|(mut pipe, child)| {
            std::io::Write::write_all(&mut pipe, payload.as_bytes()).unwrap();
            child
        });
        running.map(|child| {
            permission(&String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap())
        })
    }

    fn event(&self, name: &str, more: &Value) -> String {
        let mut payload = json!({
            "hook_event_name": name, "conversation_id": "c-1", "generation_id": "g-1",
            "cursor_version": "2026.09.23-86fc751", "workspace_roots": [self.shop()],
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload.to_string()
    }

    /// The generic event about a command, which has an id.
    fn generic(&self, command: &str, id: &str) -> String {
        let input = json!({ "command": command, "cwd": self.shop(), "timeout": 30_000 });
        let more = json!({ "tool_name": "Shell", "tool_input": input, "tool_use_id": id });
        self.event("preToolUse", &more)
    }

    /// The specific event about a command, which has none.
    fn specific(&self, command: &str) -> String {
        self.event("beforeShellExecution", &json!({ "command": command, "cwd": self.shop() }))
    }

    /// Allows the call of this answer once, as a human would at a terminal.
    fn allow(&self, answer: &str) {
        let code = answer.split("allow once ").nth(1).unwrap().get(..9).unwrap();
        fs::create_dir_all(self.state("once")).unwrap();
        fs::write(self.state("once").join(code), u64::MAX.to_string()).unwrap();
    }
}

fn permission(stdout: &str) -> String {
    let answer: Value = serde_json::from_str(stdout).unwrap();
    answer["permission"].as_str().unwrap().to_owned()
}

const HOME: &str = "rm -rf ~";
const PUSH: &str = "git push origin feature-x";

#[test]
fn what_is_allowed_once_is_allowed_to_both_copies_and_to_no_other_call() {
    let user = User::new();
    let denied = user.call_as("cursor", &user.generic(HOME, "call-0"));
    assert_eq!(permission(&denied.stdout), "deny");
    user.allow(&denied.stdout);
    assert_eq!(user.permissions(&user.generic(HOME, "call-1")), ["allow", "allow"]);
    assert_eq!(user.permissions(&user.generic(HOME, "call-2")), ["deny", "deny"]);
}

#[test]
fn what_is_allowed_in_one_folder_is_not_allowed_in_another_under_the_same_id() {
    let user = User::new();
    let denied = user.call_as("cursor", &user.generic(HOME, "call-0"));
    user.allow(&denied.stdout);
    let here = user.generic(HOME, "call-1");
    let shop = user.shop().to_str().unwrap().to_owned();
    assert_eq!(user.permission("cursor", &here), "allow");
    assert_eq!(user.permission("cursor", &here.replace(&shop, "/usr/lib")), "deny");
}

#[test]
fn copies_that_come_at_once_are_allowed_together_and_nothing_else_is() {
    let user = User::new();
    let denied = user.call_as("cursor", &user.generic(HOME, "call"));
    for round in 0..20 {
        user.allow(&denied.stdout);
        let allowed = user.at_once(&user.generic(HOME, &format!("call-{round}")));
        assert_eq!(allowed, ["allow", "allow"], "round {round}");
        let again = user.at_once(&user.generic(HOME, &format!("again-{round}")));
        assert_eq!(again, ["deny", "deny"], "round {round}");
    }
}

#[test]
fn both_copies_of_a_denied_call_are_denied_and_one_says_why() {
    let user = User::new();
    let payload = user.generic(HOME, "call-1");
    let told = BOTH.map(|wired_as| user.call_as(wired_as, &payload).stdout);
    let answer: Value = serde_json::from_str(&told[0]).unwrap();
    assert!(answer["user_message"].is_string() && answer["agent_message"].is_string(), "{answer}");
    // Cursor joins the texts of all hooks that deny.
    let wanted = json!({ "permission": "deny", "agent_message": "the same call, stopped for the reason given" });
    assert_eq!(serde_json::from_str::<Value>(&told[1]).unwrap(), wanted);
    let records = user.run(&["log", "--json"], "").stdout;
    assert_eq!(records.lines().count(), 1, "{records}");
    for wired_as in BOTH {
        assert!(
            user.state("seen")
                .join(if wired_as == "cursor" {
                    "cursor.preToolUse"
                } else {
                    "cursor.preToolUse@claude"
                })
                .exists()
        );
    }
    assert!(!told[0].contains("workaround/"), "{}", told[0]);
    let retried = user.call_as("cursor", &user.generic(HOME, "call-2")).stdout;
    assert!(retried.contains("workaround/"), "a retry is judged anew: {retried}");
}

#[test]
fn a_call_is_counted_once_however_often_it_comes() {
    let user = User::new();
    user.limit_pushes(2);
    for (id, told) in [("call-1", "allow"), ("call-2", "allow"), ("call-3", "deny")] {
        assert_eq!(user.permissions(&user.generic(PUSH, id)), [told, told], "{id}");
        assert_eq!(user.permissions(&user.generic(PUSH, id)), [told, told], "{id} again");
    }
}

#[test]
fn copies_that_come_at_once_are_counted_once() {
    let user = User::new();
    user.limit_pushes(1000);
    for round in 0..20 {
        user.at_once(&user.generic(PUSH, &format!("call-{round}")));
    }
    let remembered = user.remembered();
    let counted = remembered.lines().filter(|line| line.starts_with("counted\t")).count();
    assert_eq!(counted, 20, "{remembered}");
}

#[test]
fn another_id_another_command_or_another_session_is_another_call() {
    let user = User::new();
    user.limit_pushes(1);
    assert_eq!(user.permissions(&user.generic(PUSH, "call-1")), ["allow", "allow"]);
    assert_eq!(user.permission("claude", &user.generic(PUSH, "call-2")), "deny");
    let other = format!("{PUSH} --force-with-lease");
    assert_eq!(user.permission("claude", &user.generic(&other, "call-1")), "deny");
    let elsewhere = user.generic(PUSH, "call-1").replace("\"c-1\"", "\"c-2\"");
    assert_eq!(user.permission("cursor", &elsewhere), "allow", "a count of its own");
    assert!(user.state("sessions/cursor-c-2").exists());
}

#[test]
fn without_an_id_only_the_other_wirings_copy_is_the_same_call() {
    let user = User::new();
    user.limit_pushes(2);
    let payload = user.specific(PUSH);
    assert_eq!(user.permissions(&payload), ["allow", "allow"], "counted once");
    assert_eq!(user.permission("cursor", &payload), "allow", "tried again: counted twice");
    assert_eq!(user.permission("cursor", &payload), "deny");
}

#[test]
fn a_copy_that_comes_late_is_a_call_of_its_own() {
    let user = User::new();
    user.limit_pushes(1);
    let payload = user.generic(PUSH, "call-1");
    assert_eq!(user.permission("cursor", &payload), "allow");
    let file = user.state("sessions/cursor-c-1");
    let later = |by: u64| {
        let line = |line: &str| match line.strip_prefix("judged\t") {
            Some(rest) => {
                let (at, rest) = rest.split_once('\t').unwrap();
                format!("judged\t{}\t{rest}\n", at.parse::<u64>().unwrap() - by)
            }
            None => format!("{line}\n"),
        };
        fs::write(&file, user.remembered().lines().map(line).collect::<String>()).unwrap();
    };
    later(8_000);
    assert_eq!(user.permission("claude", &payload), "allow", "eight seconds");
    later(3_000);
    assert_eq!(user.permission("claude", &payload), "deny", "eleven seconds");
    let judged = user.remembered().lines().filter(|line| line.starts_with("judged\t")).count();
    assert_eq!(judged, 1, "what is past is cleared away");
}

#[test]
fn two_events_about_one_call_count_as_one() {
    let user = User::new();
    user.limit_pushes(1);
    let (generic, specific) = (user.generic(PUSH, "call-1"), user.specific(PUSH));
    assert_eq!(user.permission("claude", &generic), "allow");
    assert_eq!(user.permission("cursor", &specific), "allow", "the same call");
    assert_eq!(user.permission("cursor", &user.generic(PUSH, "call-2")), "deny");
}

#[test]
fn a_call_denied_under_one_event_is_no_workaround_under_the_other() {
    let user = User::new();
    let generic = user.call_as("claude", &user.generic(HOME, "call-1")).stdout;
    let specific = user.call_as("cursor", &user.specific(HOME)).stdout;
    for told in [&generic, &specific] {
        assert_eq!(permission(told), "deny");
        assert!(!told.contains("workaround/"), "{told}");
    }
    let remembered = user.remembered();
    let mut lines: Vec<_> =
        remembered.lines().filter(|line| line.starts_with("denied\t")).collect();
    assert!(!lines.is_empty());
    let before = lines.len();
    lines.dedup();
    assert_eq!(lines.len(), before, "remembered once: {remembered}");
    let other = user.call_as("cursor", &user.specific("find ~ -delete")).stdout;
    assert!(other.contains("workaround/"), "another route still is one: {other}");
}

#[test]
fn what_is_allowed_once_is_allowed_to_both_events_of_the_call() {
    let user = User::new();
    let denied = user.call_as("cursor", &user.generic(HOME, "call-0"));
    user.allow(&denied.stdout);
    assert_eq!(user.permission("cursor", &user.generic(HOME, "call-1")), "allow");
    assert_eq!(user.permissions(&user.specific(HOME)), ["allow", "allow"]);
    assert_eq!(user.permission("cursor", &user.generic(HOME, "call-2")), "deny");
    let elsewhere = user.event("beforeShellExecution", &json!({ "command": HOME, "cwd": "/srv" }));
    assert_eq!(user.permission("cursor", &elsewhere), "deny", "in that folder only");
}

#[test]
fn a_call_that_hangs_with_the_lock_does_not_hang_the_next() {
    let user = User::new();
    assert_eq!(user.permission("cursor", &user.generic(HOME, "call-1")), "deny");
    let lock =
        fs::File::options().write(true).open(user.state("sessions/cursor-c-1.lock")).unwrap();
    lock.lock().unwrap();
    let begun = Instant::now();
    let told = user.call_as("cursor", &user.generic(HOME, "call-2")).stdout;
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(200), "it waits: {took:?}");
    assert!(took < Duration::from_mins(1), "not for long: {took:?}");
    assert!(permission(&told) == "deny" && told.contains("workaround/"), "{told}");
}

#[test]
fn a_damaged_line_is_passed_over() {
    let user = User::new();
    user.limit_pushes(1);
    let payload = user.generic(PUSH, "call-1");
    assert_eq!(user.permission("cursor", &payload), "allow");
    let file = user.state("sessions/cursor-c-1");
    let torn = user.remembered().replace("\"wired_as\"", "\"wired");
    fs::write(&file, format!("judged\njudged\tsoon\t{{}}\n{torn}judged\t99")).unwrap();
    assert_eq!(user.permission("claude", &payload), "deny", "the count is still known");
}

#[test]
fn calls_that_leave_nothing_leave_nothing_about_themselves() {
    let user = User::new();
    assert_eq!(user.permissions(&user.generic("git status", "call-1")), ["allow", "allow"]);
    assert!(!user.state("sessions").exists());
}

#[test]
fn a_handler_runs_once_and_speaks_once_however_many_files_name_it() {
    let user = User::new();
    user.policy(
        "[[handler]]\nid = \"count\"\non = \"shell\"\nrun = [\"sh\", \"-c\", \"cat >/dev/null; echo x >> ../ran; \
         echo '{\\\"decision\\\":\\\"deny\\\",\\\"reason\\\":\\\"not today\\\"}'\"]\n",
    );
    let payload = user.generic("make", "call-1");
    let told = BOTH.map(|wired_as| user.call_as(wired_as, &payload).stdout);
    assert_eq!(told.map(|answer| answer.matches("not today").count() > 0), [true, false]);
    assert_eq!(fs::read_to_string(user.path("ran")).unwrap(), "x\n");
    assert_eq!(user.run(&["log", "--json"], "").stdout.lines().count(), 1);
    // Another call is another call.
    user.call_as("cursor", &user.generic("make", "call-2"));
    assert_eq!(fs::read_to_string(user.path("ran")).unwrap(), "x\nx\n");
}
