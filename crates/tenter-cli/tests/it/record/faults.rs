//! Record failures: a full disk, unwritable files, killed and concurrent hooks.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::home::Home;

fn call(id: &str) -> String {
    format!(
        r#"{{"session_id":"{id}","cwd":"/srv","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"git status"}},"tool_use_id":"{id}"}}"#
    )
}

const DENIED: &str = r#"{"session_id":"d","cwd":"/srv","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push --force origin main"},"tool_use_id":"d"}"#;

/// Makes the record unwritable, even for root.
fn block(home: &Home) -> impl Fn() {
    let file = home.spool().folder().join("current.jsonl");
    let aside = home.spool().folder().join("aside");
    fs::rename(&file, &aside).unwrap();
    fs::create_dir(&file).unwrap();
    move || {
        fs::remove_dir(&file).unwrap();
        fs::rename(&aside, &file).unwrap();
    }
}

#[test]
fn a_call_that_cannot_be_recorded_is_still_judged_and_counted() {
    let home = Home::new();
    home.hook("claude", &call("a"));
    let unblock = block(&home);
    let denied = home.hook("claude", DENIED);
    assert!(denied.stdout.contains("\"permissionDecision\":\"deny\""), "{denied:?}");
    assert!(denied.stderr.contains("this call leaves no record"), "{denied:?}");
    let passed = home.hook("claude", &call("b"));
    assert_eq!((passed.stdout.as_str(), passed.exit), ("", 0));
    assert!(passed.stderr.contains("(2 lost by now)"), "{passed:?}");
    unblock();
    home.hook("claude", &call("c"));
    home.hook("claude", &call("d"));
    let lost: Vec<Option<u64>> = home.records().iter().map(|it| it["lost"].as_u64()).collect();
    assert_eq!(lost, [None, Some(2), None]);
}

#[test]
fn where_the_policy_insists_on_a_record_nothing_passes_without_one() {
    let home = Home::new();
    home.policy("version = 1\nextends = [\"recommended\"]\n[fail]\nrecord = \"closed\"\n");
    let passed = home.hook("claude", &call("a"));
    assert_eq!((passed.stdout.as_str(), passed.exit), ("", 0));
    let unblock = block(&home);
    let stopped = home.hook("claude", &call("b"));
    assert!(stopped.stdout.contains("\"permissionDecision\":\"deny\""), "{stopped:?}");
    assert!(stopped.stdout.contains("leaves no record"), "{stopped:?}");
    // Nothing waits at the end of a session.
    let ended = home.hook(
        "claude",
        r#"{"session_id":"b","cwd":"/srv","hook_event_name":"SessionEnd","reason":"exit"}"#,
    );
    assert_eq!((ended.stdout.as_str(), ended.exit), ("", 0));
    unblock();
    assert_eq!(home.hook("claude", &call("c")).stdout, "");
    assert_eq!(home.records().last().unwrap()["lost"], 2);
}

/// A small file system in memory, unmounted when dropped.
struct Mount(PathBuf);

impl Mount {
    /// `None`, with a message, if we may not mount.
    fn new(path: &Path, options: &str) -> Option<Self> {
        fs::create_dir_all(path).unwrap();
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(path).output();
        if mount.is_ok_and(|output| output.status.success()) {
            return Some(Self(path.to_owned()));
        }
        // Past the test harness, which would capture it.
        drop(writeln!(std::io::stderr(), "NOT TESTED: only root can mount a small file system"));
        None
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).output());
    }
}

#[test]
fn a_full_disk_loses_no_old_record_and_is_told_when_there_is_room_again() {
    let home = Home::new();
    let Some(_mount) = Mount::new(&home.state(), "size=256k") else { return };
    let filler = home.state().join("filler");
    for round in 0..12_u64 {
        for number in 0..3 {
            home.hook("claude", &call(&format!("{round}-{number}")));
        }
        let before = home.records().len();
        // Nearly full: the line is cut somewhere.
        let mut file = fs::File::create(&filler).unwrap();
        while file.write_all(&[7; 512]).is_ok() {}
        drop(file);
        let mut lost = 0;
        for number in 0..9 {
            let ran = home.hook("claude", &call(&format!("full-{round}-{number}")));
            assert_eq!((ran.stdout.as_str(), ran.exit), ("", 0), "{ran:?}");
            lost += u64::from(ran.stderr.contains("this call leaves no record"));
        }
        assert!(lost > 0, "the disk was not full");
        assert_eq!(home.records().len() as u64, before as u64 + 9 - lost);
        fs::remove_file(&filler).unwrap();
        home.hook("claude", &call("room"));
        // A short line may have fitted in between and reported the earlier ones.
        let records = home.records();
        let told = records.iter().skip(before).filter_map(|it| it["lost"].as_u64());
        assert_eq!(told.sum::<u64>(), lost, "round {round}");
    }
}

/// Number of rounds; override by the environment variable.
fn rounds(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn a_hook_that_is_killed_leaves_no_answer_without_a_record() {
    let home = Home::new();
    let started = std::time::Instant::now();
    for _ in 0..10 {
        home.hook("claude", &call("first"));
    }
    // Half of the hooks end by themselves, on a machine of any speed.
    let longest = u64::try_from(started.elapsed().as_micros() / 5).unwrap().max(1);
    let (mut answered, mut killed) = (BTreeSet::new(), 0);
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    for round in 0..rounds("TENTER_TEST_KILLS", 150) {
        // Any pseudo-random sequence will do; a fixed one makes failures repeatable.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let id = format!("k{round}");
        let mut child = home.command(&["hook", "cursor"]).spawn().unwrap();
        let payload = format!(
            r#"{{"hook_event_name":"beforeShellExecution","conversation_id":"{id}","cursor_version":"3.21.16","workspace_roots":["/srv"],"command":"git status","cwd":"/srv"}}"#
        );
        // It may have exited; then there is no answer either.
        drop(child.stdin.take().unwrap().write_all(payload.as_bytes()));
        std::thread::sleep(Duration::from_micros(seed % longest));
        drop(child.kill());
        let mut answer = String::new();
        child.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
        killed += usize::from(child.wait().unwrap().code().is_none());
        if answer.contains("permission") {
            answered.insert(id);
        }
    }
    home.hook("claude", &call("last"));
    let kept: BTreeSet<String> =
        home.records().iter().map(|it| it["session_id"].as_str().unwrap().to_owned()).collect();
    let missing: Vec<&String> = answered.difference(&kept).collect();
    assert_eq!(missing, Vec::<&String>::new());
    println!("{killed} killed, {} answered, {} records", answered.len(), kept.len());
    assert!(killed > 10 && answered.len() > 10, "{killed} killed, {} answered", answered.len());
    assert!(kept.contains("last"));
}

#[test]
fn parallel_hooks_lose_nothing_while_others_read() {
    let home = Home::new();
    let (processes, calls) = (rounds("TENTER_TEST_PROCESSES", 16), rounds("TENTER_TEST_CALLS", 12));
    let running = std::sync::atomic::AtomicBool::new(true);
    std::thread::scope(|scope| {
        let hooks: Vec<_> = (0..processes)
            .map(|process| {
                let home = &home;
                scope.spawn(move || {
                    for number in 0..calls {
                        let ran = home.hook("claude", &call(&format!("{process}-{number}")));
                        assert_eq!(
                            (ran.stdout.as_str(), ran.stderr.as_str(), ran.exit),
                            ("", "", 0)
                        );
                    }
                })
            })
            .collect();
        for words in [["log", "--json"], ["stats", "--json"], ["sessions", "--json"]] {
            let (home, running) = (&home, &running);
            scope.spawn(move || {
                while running.load(std::sync::atomic::Ordering::Relaxed) {
                    let output = home.command(&words).output().unwrap();
                    let said = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "{words:?}: {said}");
                }
            });
        }
        for hook in hooks {
            hook.join().unwrap();
        }
        running.store(false, std::sync::atomic::Ordering::Relaxed);
    });
    let mut kept: Vec<String> =
        home.records().iter().map(|it| it["session_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kept.len(), processes * calls);
    kept.sort_unstable();
    kept.dedup();
    assert_eq!(kept.len(), processes * calls, "nothing twice");
    let verified = home.command(&["verify"]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    let listed = home.command(&["log", "--json", "-n", "1000000"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed.lines().count(), processes * calls, "the index has every record once");
}
