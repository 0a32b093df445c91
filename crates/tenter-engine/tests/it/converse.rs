//! Programs that answer only while their stdin is open.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tenter_engine::runner::{Ended, Job, Runner, Trouble};

fn converse(script: &str, input: &str, timeout: Duration, enough: &dyn Fn(&[u8]) -> bool) -> Ended {
    Runner::supervising(Duration::ZERO, false).converse(
        Job {
            program: OsStr::new("sh"),
            arguments: &[OsString::from("-c"), OsString::from(script)],
            directory: None,
            environment: &[],
            input: Arc::new(input.as_bytes().to_vec()),
            timeout,
        },
        enough,
    )
}

const LONG: Duration = Duration::from_mins(1);

/// Answers half a second after the question, unless its stdin ends before.
const SLOW: &str = r#"
read question
trap 'exit 3' USR1
exec 3<&0
{ while read more; do :; done; kill -USR1 $$; } <&3 &
sleep 0.5
echo "answer to $question"
wait
"#;

#[test]
fn an_input_stays_open_until_enough_is_said() {
    let said = |output: &[u8]| output.ends_with(b"two\n");
    let ended = converse(
        "read a; echo one; sleep 0.3; echo two; cat; echo closed",
        "question\n",
        LONG,
        &said,
    );
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "one\ntwo\nclosed\n");
    assert!(ended.status.unwrap().success());
}

#[test]
fn a_program_that_leaves_with_its_input_answers_only_when_it_is_held() {
    let at_once = Runner::supervising(Duration::ZERO, false).run(Job {
        program: OsStr::new("sh"),
        arguments: &[OsString::from("-c"), OsString::from(SLOW)],
        directory: None,
        environment: &[],
        input: Arc::new(b"why\n".to_vec()),
        timeout: LONG,
    });
    assert_eq!(at_once.stdout, b"", "{at_once:?}");
    let held = converse(SLOW, "why\n", LONG, &|output| output.ends_with(b"why\n"));
    assert_eq!(held.stdout, b"answer to why\n", "{held:?}");
}

#[test]
fn what_is_never_enough_ends_with_the_time() {
    let start = Instant::now();
    let ended = converse("echo on; cat", "", Duration::from_millis(1500), &|_| false);
    assert!(matches!(ended.status, Err(Trouble::TimedOut)), "{ended:?}");
    assert_eq!(ended.stdout, b"on\n");
    assert!(start.elapsed() < Duration::from_mins(1));
}

#[test]
fn a_program_that_closes_its_output_is_not_held() {
    let ended = converse("echo on; exec >&-; while read more; do :; done", "", LONG, &|_| false);
    assert!(ended.status.unwrap().success());
}

#[test]
fn an_input_longer_than_a_pipe_is_written_whole_before_it_ends() {
    let input = "x".repeat(300_000) + "\n";
    let ended = converse("echo first; wc -c", &input, LONG, &|output| output.starts_with(b"first"));
    let counted = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(counted.split_whitespace().last(), Some("300001"), "{counted}");
}
