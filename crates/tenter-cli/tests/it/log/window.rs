//! Following in a window that is resized.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::json;

use super::{NOON, append, command, shell};
use crate::common::Machine;

#[test]
fn a_follower_keeps_to_the_window_as_it_is_now() {
    let machine = Machine::with(&[]);
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let resize = |columns: u16| {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&ours, size).unwrap();
    };
    resize(100);
    let long =
        "echo one two three four five six seven eight nine ten eleven twelve thirteen fourteen";
    let call = |number: u64| append(&machine, &shell(NOON + number, long, &json!({})));
    call(1);
    let mut follower = command(&machine, &["-f"])
        .stdin(Stdio::null())
        .stdout(Stdio::from(theirs))
        .env("NO_COLOR", "1")
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(File::from(ours.try_clone().unwrap())).lines();
    let mut next = || lines.next().unwrap().unwrap().trim_end().chars().count();
    assert_eq!(next(), "2026-11-16".len());
    assert_eq!(next(), 100);
    for columns in [60, 80, 45] {
        resize(columns);
        // It polls often, but not continuously.
        std::thread::sleep(std::time::Duration::from_millis(400));
        call(2);
        assert_eq!(next(), usize::from(columns));
    }
    follower.kill().unwrap();
    follower.wait().unwrap();
}
