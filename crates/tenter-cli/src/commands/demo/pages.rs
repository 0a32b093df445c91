//! Pages of 80 by 24, at reading speed on a terminal.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::time::Duration;

use tenter_hosts::trial::Reply;
use tenter_model::HostId;

use super::stage::Seen;
use crate::commands::Style;
use crate::error::CommandError;

/// Columns of a page.
const WIDTH: usize = 78;
/// Time to read one word.
const WORD: Duration = Duration::from_millis(170);

pub(super) struct Pages {
    host: &'static str,
    paced: bool,
    number: usize,
}

impl Pages {
    pub(super) fn new(host: &'static str, now: bool) -> Self {
        let paced = !now && std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
        Self { host, paced, number: 0 }
    }

    pub(super) fn show(&mut self, title: &str, text: &str) -> Result<(), CommandError> {
        self.number = self.number.saturating_add(1);
        let head = format!("{}. {title}", self.number);
        let style = Style::of_stdout();
        let right = self.host;
        let gap = WIDTH.saturating_sub(head.chars().count()).saturating_sub(right.chars().count());
        let page = format!(
            "{}{}{right}\n{}\n{}\n",
            style.paint("1", &head),
            " ".repeat(gap),
            "─".repeat(WIDTH),
            coloured(text, style),
        );
        let mut stdout = std::io::stdout().lock();
        let written = stdout.write_all(page.as_bytes()).and_then(|()| stdout.flush());
        written
            .map_err(|error| CommandError::failed(format!("cannot write to stdout: {error}")))?;
        if self.paced {
            let words = u32::try_from(text.split_whitespace().count()).unwrap_or(60);
            wait(WORD.saturating_mul(words));
        }
        Ok(())
    }
}

/// Returns early when Enter is pressed.
#[cfg(unix)]
fn wait(time: Duration) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = std::io::stdin();
    let timeout = Timespec { tv_sec: i64::try_from(time.as_secs()).unwrap_or(5), tv_nsec: 0 };
    let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
    if matches!(poll(&mut ready, Some(&timeout)), Ok(1..)) {
        drop(stdin.read_line(&mut String::new()));
    }
}

#[cfg(not(unix))]
fn wait(time: Duration) {
    std::thread::sleep(time);
}

fn coloured(text: &str, style: Style) -> String {
    let words = [
        ("BLOCKED", "1;31"),
        ("ASKS YOU", "1;33"),
        ("passes", "32"),
        ("sent back", "1;33"),
        ("may stop", "32"),
    ];
    let mut done = text.to_owned();
    for (word, code) in words {
        done = done.replace(word, &style.paint(code, word));
    }
    done
}

/// The effect of an answer on the call, and the time it took.
pub(super) fn outcome(host: HostId, seen: &Seen) -> String {
    let word = match &seen.reply {
        Reply::Stopped => "BLOCKED".to_owned(),
        Reply::Asked => "ASKS YOU".to_owned(),
        Reply::Passed => "passes".to_owned(),
        Reply::Useless(why) => format!("no effect on {}: {why}", host.title()),
    };
    format!("{word}, decided in {}", seen.took)
}

/// Breaks a text into indented lines, without the last line break.
pub(super) fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = String::from(indent);
    let mut column = indent.chars().count();
    let start = column;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > start && column.saturating_add(length).saturating_add(1) > WIDTH {
            let _ = write!(lines, "\n{indent}");
            column = start;
        }
        if column > start {
            lines.push(' ');
            column = column.saturating_add(1);
        }
        lines.push_str(word);
        column = column.saturating_add(length);
    }
    lines
}

/// One row of a bar chart.
pub(super) fn bar(number: usize, most: usize) -> String {
    const LENGTH: usize = 50;
    let cells = number.saturating_mul(LENGTH).div_ceil(most.max(1));
    "█".repeat(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_long_words_stay_whole() {
        let text = wrapped(&"word ".repeat(40), "    ");
        assert!(
            text.lines().all(|line| line.chars().count() <= WIDTH && line.starts_with("    w"))
        );
        let long = "x".repeat(200);
        assert_eq!(wrapped(&long, "  "), format!("  {long}"));
    }

    #[test]
    fn a_bar_is_empty_only_for_nothing() {
        assert_eq!(bar(0, 10), "");
        assert_eq!(bar(1, 1000).chars().count(), 1);
        assert_eq!(bar(10, 10).chars().count(), 50);
    }
}
