//! The last words of a process: the answer it prints when a signal or its deadline ends it.
//!
//! Hosts treat a guard that dies silently as approval. So the failure answer is prepared in advance, while
//! everything still works, and kept in static memory; a signal handler only writes it and exits. Nothing here
//! allocates, locks or formats once the words are set.
//!
//! Faults and the deadline are caught ([`arm`]). Termination signals from others are blocked instead: the
//! call is over before they matter, and the deadline bounds it. `SIGKILL` and `SIGSTOP` cannot be caught.

use std::sync::atomic::{AtomicI32, AtomicU8, AtomicUsize, Ordering};

#[cfg(unix)]
#[path = "unix.rs"]
mod platform;
#[cfg(not(unix))]
#[path = "other.rs"]
mod platform;

pub use platform::{arm, deadline, release};

/// Output and exit code of a dying process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words<'w> {
    /// Goes to stderr: this, then the cause, then `after`. Nothing if both are empty.
    pub before: &'w str,
    pub after: &'w str,
    pub stdout: &'w str,
    pub exit: u8,
}

/// Maximum length: a pipe accepts this much atomically.
const MOST: usize = 2048;

/// Concatenated texts, and the end of each.
struct Slot<const TEXTS: usize> {
    bytes: [AtomicU8; MOST],
    ends: [AtomicUsize; TEXTS],
    number: AtomicI32,
}

impl<const TEXTS: usize> Slot<TEXTS> {
    const fn new() -> Self {
        Self {
            bytes: [const { AtomicU8::new(0) }; MOST],
            ends: [const { AtomicUsize::new(0) }; TEXTS],
            number: AtomicI32::new(0),
        }
    }

    fn fill(&self, texts: [&str; TEXTS], number: i32) {
        let mut at = 0;
        for (text, end) in texts.iter().zip(&self.ends) {
            for (byte, place) in text.bytes().zip(self.bytes.iter().skip(at)) {
                place.store(byte, Ordering::Relaxed);
            }
            at = at.saturating_add(text.len()).min(MOST);
            end.store(at, Ordering::Relaxed);
        }
        self.number.store(number, Ordering::Relaxed);
    }

    fn text(&self, index: usize) -> impl Iterator<Item = u8> {
        let end = |index: usize| self.ends.get(index).map_or(0, |end| end.load(Ordering::Relaxed));
        let start = index.checked_sub(1).map_or(0, end);
        let length = end(index).saturating_sub(start);
        self.bytes.iter().skip(start).take(length).map(|byte| byte.load(Ordering::Relaxed))
    }
}

/// Double buffer: one slot is filled while a handler may read the other.
struct Pair<const TEXTS: usize> {
    slots: [Slot<TEXTS>; 2],
    /// Number of the valid slot, counted from 1; 0 for none.
    current: AtomicUsize,
}

impl<const TEXTS: usize> Pair<TEXTS> {
    const fn new() -> Self {
        Self { slots: [Slot::new(), Slot::new()], current: AtomicUsize::new(0) }
    }

    fn set(&self, texts: [&str; TEXTS], number: i32) {
        let next = if self.current.load(Ordering::Acquire) == 1 { 2 } else { 1 };
        if let Some(slot) = self.slots.get(next - 1) {
            slot.fill(texts, number);
            self.current.store(next, Ordering::Release);
        }
    }

    fn get(&self) -> Option<&Slot<TEXTS>> {
        self.slots.get(self.current.load(Ordering::Acquire).checked_sub(1)?)
    }
}

static WORDS: Pair<3> = Pair::new();
static MARK: Pair<2> = Pair::new();

/// Sets the words from now on. For the main thread of a hook call.
pub fn say(words: &Words<'_>) {
    WORDS.set([words.before, words.after, words.stdout], words.exit.into());
}

/// Call after the answer is written: a later death adds nothing to it and keeps this exit code.
pub fn answered(exit: u8) {
    say(&Words { exit, ..Words::default() });
    forget_mark();
}

/// On death, writes `before`, the cause (`signal 11`, `deadline`, `panic`) and `after` to an open file, in
/// one write. The file must stay open until [`forget_mark`].
pub fn on_death_write(file: i32, before: &str, after: &str) {
    MARK.set([before, after], file);
}

/// Cancels [`on_death_write`].
pub fn forget_mark() {
    MARK.current.store(0, Ordering::Release);
}

/// Cause of death.
#[derive(Clone, Copy, Debug)]
pub struct Cause<'c> {
    /// Short form, for records.
    pub short: &'c str,
    /// Long form, for people: a clause.
    pub long: &'c str,
}

/// Fixed-size text buffer that does not allocate.
struct Line {
    bytes: [u8; MOST],
    length: usize,
}

impl Line {
    fn of(text: impl Iterator<Item = u8>) -> Self {
        let mut line = Self { bytes: [0; MOST], length: 0 };
        for (byte, place) in text.zip(&mut line.bytes) {
            *place = byte;
            line.length += 1;
        }
        line
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// Writes the last words and exits. Called by the panic hook and by the signal handlers.
pub fn leave(cause: Cause<'_>) -> ! {
    if let Some(mark) = MARK.get() {
        let line = Line::of(mark.text(0).chain(cause.short.bytes()).chain(mark.text(1)));
        platform::write(mark.number.load(Ordering::Relaxed), line.bytes());
    }
    // No words set: nobody waits for an answer.
    let Some(words) = WORDS.get() else { platform::exit(2) };
    if words.text(0).next().is_some() {
        let line = Line::of(words.text(0).chain(cause.long.bytes()).chain(words.text(1)));
        platform::write(2, line.bytes());
    }
    let line = Line::of(words.text(2));
    if !line.bytes().is_empty() {
        platform::write(1, line.bytes());
    }
    platform::exit(words.number.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<const TEXTS: usize>(slot: &Slot<TEXTS>, index: usize) -> String {
        String::from_utf8(slot.text(index).collect()).unwrap()
    }

    #[test]
    fn the_last_words_that_were_set_hold() {
        let pair = Pair::<3>::new();
        assert!(pair.get().is_none());
        for round in 0..5 {
            pair.set(["one", "", &format!("three {round}")], round);
            let slot = pair.get().unwrap();
            let texts = [0, 1, 2].map(|index| text(slot, index));
            assert_eq!(texts, ["one", "", &format!("three {round}")]);
            assert_eq!(slot.number.load(Ordering::Relaxed), round);
        }
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let slot = Slot::<2>::new();
        slot.fill(["a", &"b".repeat(3 * MOST)], 0);
        assert_eq!(text(&slot, 0), "a");
        assert_eq!(text(&slot, 1).len(), MOST - 1);
        let line = Line::of(slot.text(1).chain(slot.text(1)));
        assert_eq!(line.bytes().len(), MOST);
    }
}
