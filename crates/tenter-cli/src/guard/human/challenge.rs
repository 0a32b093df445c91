//! Challenge: random words to be typed at the terminal.
//!
//! A yes can be piped or typed ahead. These words are random, shown on the controlling terminal after
//! discarding pending input, and must be typed at human speed.

use crate::error::CommandError;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

/// Short words that are easy to type.
const WORDS: &[&str] = &[
    "acorn", "amber", "apple", "arrow", "basil", "beach", "birch", "bread", "brick", "brook",
    "cabin", "cedar", "chalk", "cloud", "clove", "coral", "crane", "daisy", "delta", "ember",
    "fable", "fence", "ferry", "flint", "frost", "glove", "grape", "hazel", "heron", "honey",
    "ivory", "jolly", "kayak", "lemon", "linen", "lilac", "maple", "melon", "mango", "night",
    "north", "ocean", "olive", "onion", "otter", "panda", "pearl", "piano", "plumb", "quilt",
    "raven", "river", "robin", "salad", "sheep", "slate", "spoon", "stone", "sugar", "tiger",
    "tulip", "velvet", "wagon", "zebra",
];

/// Minimum time to read and type two words.
const FASTEST: Duration = Duration::from_millis(700);
/// Timeout.
const SLOWEST: Duration = Duration::from_mins(3);

/// Succeeds once the words were typed at our controlling terminal.
pub(super) fn pass() -> Result<(), CommandError> {
    let no_terminal = |error: std::io::Error| {
        CommandError::internal(format!("cannot ask at the terminal: {error}"))
    };
    let mut terminal = terminal().map_err(no_terminal)?;
    let mut bytes = [0_u8; 2];
    getrandom::fill(&mut bytes)
        .map_err(|error| CommandError::failed(format!("the system has no randomness: {error}")))?;
    let word = |byte: u8| WORDS.get(usize::from(byte % 64)).copied().unwrap_or_default();
    let words = bytes.map(word).join(" ");
    #[cfg(unix)]
    rustix::termios::tcflush(&terminal, rustix::termios::QueueSelector::IFlush)
        .map_err(|error| no_terminal(error.into()))?;
    let begun = Instant::now();
    write!(terminal, "Only a human may do this. Type these words: {words}\n> ")
        .and_then(|()| terminal.flush())
        .map_err(no_terminal)?;
    let mut answer = String::new();
    BufReader::new(&terminal).read_line(&mut answer).map_err(no_terminal)?;
    let took = begun.elapsed();
    let same = answer.split_whitespace().eq(words.split_whitespace());
    match (same, took) {
        (false, _) => Err(CommandError::failed("these are not the words; nothing was changed")),
        (true, took) if took < FASTEST => Err(CommandError::failed(
            "the answer came faster than a human types; nothing was changed",
        )),
        (true, took) if took > SLOWEST => {
            Err(CommandError::failed("the answer came too late; nothing was changed"))
        }
        (true, _) => Ok(()),
    }
}

#[expect(clippy::disallowed_methods, reason = "a terminal is waited for: a human sits at it")]
fn terminal() -> std::io::Result<File> {
    let name = if cfg!(windows) { "CON" } else { "/dev/tty" };
    File::options().read(true).write(true).open(name)
}
