//! The sign of life of every hook call, as read by `status`, `doctor` and `prove`.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::TempDir;
use tenter_testkit::{Ran, Tenter};

const SHELL: &str =
    r#"{"hook_event_name":"beforeShellExecution","cursor_version":"3.21.16","command":"ls"}"#;
const HOME: &str =
    r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf ~"}}"#;

fn hook(home: &Path, host: &str, payload: &str) -> Ran {
    let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(&["hook", host]);
    command.env("HOME", home).current_dir("/");
    Tenter::finish(command, payload)
}

fn signs(home: &TempDir) -> PathBuf {
    home.path().join(".local/state/tenterhook/seen")
}

/// The words of a sign after its time, which is now.
fn sign(home: &TempDir, name: &str) -> String {
    let text = fs::read_to_string(signs(home).join(name)).unwrap();
    let (at, words) = text.strip_suffix('\n').unwrap().split_once(' ').unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let ago = now.checked_sub(at.parse().unwrap()).unwrap();
    assert!(ago < 60_000, "{ago} ms ago");
    words.trim_end().to_owned()
}

#[test]
fn every_call_leaves_a_sign_whatever_its_event_and_its_answer() {
    let home = tempfile::tempdir().unwrap();
    for (host, payload, name, words) in [
        ("cursor", SHELL, "cursor.beforeShellExecution", "3.21.16 none cursor"),
        ("claude", HOME, "claude.PreToolUse", "- deny claude"),
        ("codex", r#"{"hook_event_name":"brandNew"}"#, "codex.brandNew", "- none codex"),
        ("codex", r#"{"hook_event_name":"../up now"}"#, "codex._._up_now", "- none codex"),
        ("cursor", "{}", "cursor.-", "- none cursor"),
        // Cursor runs the hooks in Claude's settings.
        ("claude", SHELL, "cursor.beforeShellExecution@claude", "3.21.16 none claude"),
        ("cursor", SHELL, "cursor.beforeShellExecution", "3.21.16 none cursor"),
        // Truncated: it fired nevertheless, and this event cannot ask.
        ("cursor", r#"{"hook_event_name":"preToolUse","x":"#, "cursor.preToolUse", "- deny cursor"),
    ] {
        hook(home.path(), host, payload);
        assert_eq!(sign(&home, name), words, "{payload}");
    }
    assert_eq!(fs::read_dir(signs(&home)).unwrap().count(), 7);
    for path in [signs(&home), signs(&home).join("claude.PreToolUse")] {
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o077;
        assert_eq!(mode, 0, "{} is for its owner only", path.display());
    }
}

#[test]
fn a_shorter_sign_covers_a_longer_one() {
    let home = tempfile::tempdir().unwrap();
    let long = "7".repeat(200);
    hook(home.path(), "cursor", &SHELL.replace("3.21.16", &long));
    assert_eq!(
        sign(&home, "cursor.beforeShellExecution"),
        format!("{} none cursor", "7".repeat(24))
    );
    hook(home.path(), "cursor", SHELL);
    assert_eq!(sign(&home, "cursor.beforeShellExecution"), "3.21.16 none cursor");
}

#[test]
fn a_sign_that_cannot_be_left_is_no_trouble() {
    let answered = |ran: &Ran| {
        assert_eq!((ran.stdout.trim_end(), ran.exit), (r#"{"permission":"allow"}"#, 0));
    };
    let allowed = |ran: &Ran| {
        answered(ran);
        assert_eq!(ran.stderr, "");
    };
    // A missing record is reported, and nothing else.
    let unrecorded = |ran: &Ran| {
        answered(ran);
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
        assert!(ran.stderr.starts_with("tenter: this call leaves no record: "), "{ran:?}");
    };
    // A file in place of the folder, a folder in place of the file, an unwritable home.
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(signs(&home).parent().unwrap()).unwrap();
    fs::write(signs(&home), "").unwrap();
    allowed(&hook(home.path(), "cursor", SHELL));
    fs::remove_file(signs(&home)).unwrap();
    let sign = signs(&home).join("cursor.beforeShellExecution");
    fs::create_dir_all(&sign).unwrap();
    let ran = hook(home.path(), "cursor", SHELL);
    answered(&ran);
    let said = format!(
        "tenter: this call leaves no sign of life in {}: it is a folder, not a file\n",
        sign.display()
    );
    assert_eq!(ran.stderr, said, "what lies in the way is named");
    let barred = tempfile::tempdir().unwrap();
    fs::write(barred.path().join(".local"), "").unwrap();
    unrecorded(&hook(barred.path(), "cursor", SHELL));
    // File size limit 0: every write fails as on a full disk.
    let full = tempfile::tempdir().unwrap();
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" hook cursor";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_tenter")]).env("HOME", full.path());
    shell.current_dir(full.path());
    shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    unrecorded(&Tenter::finish(shell, SHELL));
    let left = fs::read(signs(&full).join("cursor.beforeShellExecution")).unwrap();
    assert_eq!(left, b"", "the disk was full");
}

#[test]
fn what_is_no_version_is_not_written_down() {
    let home = tempfile::tempdir().unwrap();
    hook(home.path(), "cursor", &SHELL.replace("3.21.16", "anything"));
    assert_eq!(sign(&home, "cursor.beforeShellExecution"), "- none cursor");
}
