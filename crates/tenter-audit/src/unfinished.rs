//! Detects calls that died before answering.
//!
//! `<state>/open` is a file of slots. A call marks one as taken when it starts, before it reads anything that
//! others have written, and clears it when its record is written. If the call dies, its slot stays taken; the
//! next reader of the record finds that the process is gone, writes a record of kind `unfinished` and clears
//! the slot. A file per call would work too, at eight times the cost: a slot needs no directory entry.
//!
//! After the slots there is room for each call's cause of death and description, written only by a dying
//! call. If no file can be written, an unrecorded call leaves an empty file in `<state>/unrecorded`, whose
//! name contains what a slot would.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenter_files::Whose;

use crate::record::{Kind, Record, VERSION};
use crate::spool::{Entry, Spool, make_private, read_all_at};

/// Event name in records of calls that died.
pub const EVENT: &str = "Unfinished";

const NAME: &str = "open";
/// Size of a slot: one line.
const SLOT: u64 = 128;
const LINE: usize = 64;
const SLOTS: u64 = 1024;
/// Size of the room for a call's end: `#pid cause`, and on the next line a description of the call.
const END: u64 = 512;
/// Folder of empty files for calls that could write nothing, and how many are kept.
const UNRECORDED: &str = "unrecorded";
const MOST_UNRECORDED: usize = 1024;
/// Cause for a call that survived but could not be recorded.
const NO_RECORD: &str = "no record";
/// Maximum number of slots checked for a free one.
const PROBES: u64 = 8;
/// First byte of a taken slot; a free slot starts with another.
const TAKEN: u8 = b'1';
/// Age from which a call counts as over, where processes cannot be listed.
const OVER_MS: u64 = 600_000;
/// Maximum wait for another reader.
const PATIENCE: Duration = Duration::from_secs(1);

/// The slot of a call in progress.
#[derive(Debug)]
pub struct CallMark {
    file: File,
    at: u64,
}

impl CallMark {
    /// Takes a slot for a starting call. `None` if that fails: the answer matters more. `make` is called when
    /// the file is missing, and says whether to create it.
    pub fn begin(
        state: &Path,
        now_ms: u64,
        host: &str,
        make: impl FnOnce() -> bool,
    ) -> Option<Self> {
        let file = open(state, make)?;
        let pid = std::process::id();
        let first = u64::from(pid) % SLOTS;
        let at = (0..PROBES)
            .map(|probe| (first.saturating_add(probe) % SLOTS).saturating_mul(SLOT))
            .find(|at| is_free(&file, *at))?;
        let mut line = [b' '; LINE];
        let text = format!("{} {now_ms} {pid} {host}", char::from(TAKEN));
        for (to, from) in line.iter_mut().zip(text.bytes()) {
            *to = from;
        }
        write_at(&file, &line, at).ok()?;
        // Offset at which the signal handler writes.
        (&file).seek(SeekFrom::Start(end_of(at))).ok()?;
        Some(Self { file, at })
    }

    /// Text before and after the cause of death; `call` is a one-line description of the call.
    pub fn last_words(call: &str) -> (String, String) {
        let most = usize::try_from(END).unwrap_or_default() / 2;
        let call: String = call.chars().filter(|letter| !letter.is_control()).take(most).collect();
        let call = call.get(..call.floor_char_boundary(most)).unwrap_or_default();
        (format!("#{} ", std::process::id()), format!("\n{call}\n"))
    }

    /// Keeps the slot taken, because the call could not be recorded or counted. False if the slot cannot say
    /// so.
    pub fn keep(self, call: &str) -> bool {
        let (before, after) = Self::last_words(call);
        write_at(&self.file, format!("{before}{NO_RECORD}{after}").as_bytes(), end_of(self.at))
            .is_ok()
    }

    /// The file, to which a dying call may write its cause of death.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Clears the slot after the call was recorded.
    pub fn end(self) {
        // A slot that cannot be cleared is reported as a dead call.
        drop(write_at(&self.file, &[b' '; LINE], self.at));
    }
}

/// Notes an unrecorded call by the name of an empty file, which needs no space even on a full disk or at a
/// file size limit. If that fails too, the call leaves no trace.
pub fn leave_name(state: &Path, now_ms: u64, host: &str) {
    let folder = state.join(UNRECORDED);
    let count = std::fs::read_dir(&folder).map_or(0, |names| names.take(MOST_UNRECORDED).count());
    if count < MOST_UNRECORDED && make_private(&folder).is_ok() {
        let file = folder.join(format!("{now_ms} {} {host}", std::process::id()));
        let mut options = OpenOptions::new();
        drop(tenter_files::open_with(&file, options.write(true).create_new(true), Whose::State));
    }
}

/// Offset of the end text for the slot at `at`.
fn end_of(at: u64) -> u64 {
    SLOTS.saturating_mul(SLOT).saturating_add((at / SLOT).saturating_mul(END))
}

fn path(state: &Path) -> PathBuf {
    state.join(NAME)
}

fn open(state: &Path, make: impl FnOnce() -> bool) -> Option<File> {
    let path = path(state);
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match tenter_files::open_with(&path, &mut options, Whose::State) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound && make() => {
            make_private(state).ok()?;
            let file = tenter_files::open_with(&path, options.create(true), Whose::State).ok()?;
            file.set_len(SLOTS.saturating_mul(SLOT)).ok()?;
            Some(file)
        }
        Err(_) => None,
    }
}

fn is_free(file: &File, at: u64) -> bool {
    let mut first = [0];
    read_all_at(file, &mut first, at).is_ok_and(|_| first != [TAKEN])
}

fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, bytes, at);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_write(file, bytes, at).map(drop);
}

/// A call read from a slot.
#[derive(Debug, PartialEq, Eq)]
struct Begun {
    at_ms: u64,
    pid: u32,
    host: String,
    /// Cause of death, if it could still be written.
    cause: Option<String>,
    /// Event, session, call id and tool, as far as known.
    call: Vec<String>,
}

/// Parses a slot; `None` if it is free.
fn read(slot: &[u8]) -> Option<Begun> {
    let (line, cause) = slot.split_at_checked(LINE)?;
    if line.first() != Some(&TAKEN) {
        return None;
    }
    let line = plain(line);
    let (_, words) = line.split_once(' ')?;
    let cause = Some(plain(cause)).filter(|cause| !cause.is_empty());
    Some(Begun { cause, ..named(words)? })
}

/// Parses `<milliseconds> <process> <host>`.
fn named(text: &str) -> Option<Begun> {
    let mut words = text.split(' ');
    Some(Begun {
        at_ms: words.next()?.parse().ok()?,
        pid: words.next()?.parse().ok()?,
        host: words.next().unwrap_or_default().to_owned(),
        cause: None,
        call: Vec::new(),
    })
}

fn plain(bytes: &[u8]) -> String {
    let text: String = bytes
        .iter()
        .take_while(|byte| **byte != 0)
        .filter(|byte| matches!(byte, b' '..=b'~'))
        .map(|byte| char::from(*byte))
        .collect();
    text.trim().to_owned()
}

/// Adds the end text, if this call wrote it.
fn add_end(file: &File, at: u64, begun: &mut Begun) -> io::Result<()> {
    let mut end = vec![0; usize::try_from(END).unwrap_or_default()];
    let length = read_all_at(file, &mut end, end_of(at))?;
    end.truncate(length);
    let mut lines = end.split(|byte| *byte == b'\n').map(plain);
    let first = lines.next().unwrap_or_default();
    if let Some(cause) = first.strip_prefix(&format!("#{} ", begun.pid)) {
        begun.cause = Some(cause.to_owned());
        begun.call = lines.next().unwrap_or_default().split(' ').map(str::to_owned).collect();
    }
    Ok(())
}

/// Writes a record for every dead call and clears its slot. Returns their number.
pub fn adopt(state: &Path, spool: &Spool, now_ms: u64) -> io::Result<u64> {
    let unrecorded = adopt_names(state, spool)?;
    Ok(adopt_slots(state, spool, now_ms)?.saturating_add(unrecorded))
}

/// The same for calls that left only a file name.
fn adopt_names(state: &Path, spool: &Spool) -> io::Result<u64> {
    let Ok(entries) = std::fs::read_dir(state.join(UNRECORDED)) else { return Ok(0) };
    let mut adopted = 0_u64;
    for entry in entries.flatten().take(MOST_UNRECORDED) {
        let name = entry.file_name();
        let Some(mut begun) = named(&name.to_string_lossy()) else { continue };
        // Only the reader that removes the file reports the call.
        if std::fs::remove_file(entry.path()).is_ok() {
            begun.cause = Some(NO_RECORD.to_owned());
            if let Err(error) = spool.note(&begun.record()) {
                leave_name(state, begun.at_ms, &begun.host);
                return Err(error);
            }
            adopted = adopted.saturating_add(1);
        }
    }
    Ok(adopted)
}

fn adopt_slots(state: &Path, spool: &Spool, now_ms: u64) -> io::Result<u64> {
    let mut options = OpenOptions::new();
    let opened =
        tenter_files::open_with(&path(state), options.read(true).write(true), Whose::State);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    if dead(&file, now_ms)?.is_empty() {
        return Ok(0);
    }
    // One reader at a time, so that each death is reported once.
    tenter_files::lock_within(&file, PATIENCE)?;
    let mut adopted = 0_u64;
    for (at, mut begun) in dead(&file, now_ms)? {
        add_end(&file, at, &mut begun)?;
        spool.note(&begun.record())?;
        write_at(&file, &[b' '; LINE * 2], at)?;
        if !begun.call.is_empty() {
            write_at(&file, b" ", end_of(at))?;
        }
        adopted = adopted.saturating_add(1);
    }
    Ok(adopted)
}

/// Number of bytes at the record's end searched for dead calls.
const LOOK: u64 = 4 * 1024 * 1024;

/// The latest dead calls, with start time and description, from the end of the record.
pub fn latest(spool: &Spool) -> io::Result<Vec<(u64, String)>> {
    let mut found = Vec::new();
    let segments = spool.segments()?;
    for segment in segments.iter().skip(segments.len().saturating_sub(2)) {
        for entry in segment.lines(segment.bytes.saturating_sub(LOOK))? {
            let Entry::Line { text, .. } = entry? else { continue };
            if text.contains("\"kind\":\"unfinished\"")
                && let Ok(record) = Record::parse(&text)
                && record.kind == Kind::Unfinished
            {
                found.push((record.at, record.notes.join("; ")));
            }
        }
    }
    Ok(found)
}

/// Calls whose process is gone, with the offsets of their slots.
fn dead(file: &File, now_ms: u64) -> io::Result<Vec<(u64, Begun)>> {
    let mut slots = vec![0; usize::try_from(SLOTS.saturating_mul(SLOT)).unwrap_or_default()];
    let length = read_all_at(file, &mut slots, 0)?;
    slots.truncate(length);
    let mut found = Vec::new();
    for (index, slot) in slots.chunks(usize::try_from(SLOT).unwrap_or(usize::MAX)).enumerate() {
        let Some(begun) = read(slot) else { continue };
        if is_alive(begun.pid, begun.at_ms, now_ms) {
            continue;
        }
        // The call may have ended normally since the slots were read; now that it is gone, read again.
        let at = (index as u64).saturating_mul(SLOT);
        let mut again = vec![0; slot.len()];
        read_all_at(file, &mut again, at)?;
        found.extend(read(&again).filter(|it| it.pid == begun.pid).map(|begun| (at, begun)));
    }
    Ok(found)
}

impl Begun {
    fn record(&self) -> Record<'static> {
        let note = match &self.cause {
            Some(cause) if cause == NO_RECORD => {
                "left no record: no file could be written, and the call not counted".to_owned()
            }
            Some(cause) => format!("died before its record was written: {cause}"),
            None => "died before its record was written: it was killed, or the machine stopped"
                .to_owned(),
        };
        let word = |index: usize| {
            let word = self.call.get(index).filter(|word| !word.is_empty() && *word != "-");
            word.map(|word| word.clone().into())
        };
        Record {
            v: VERSION,
            at: self.at_ms,
            kind: Kind::Unfinished,
            host: self.host.clone().into(),
            event: EVENT.into(),
            native_event: word(0).unwrap_or_default(),
            session_id: word(1),
            call_id: word(2),
            native_tool: word(3),
            notes: vec![note.into()],
            ..Record::default()
        }
    }
}

/// Whether the process that started a call at this time still runs. A process started later is another one.
fn is_alive(pid: u32, at_ms: u64, now_ms: u64) -> bool {
    if !Path::new("/proc/self/stat").exists() {
        return now_ms.saturating_sub(at_ms) < OVER_MS;
    }
    let Some(stat) = of_system(&format!("/proc/{pid}/stat")) else { return false };
    // The program name is in parentheses and may contain anything.
    let Some((_, rest)) = stat.rsplit_once(") ") else { return false };
    let fields: Vec<&str> = rest.split(' ').collect();
    if fields.first().is_some_and(|state| *state == "Z" || *state == "X") {
        return false;
    }
    let ticks = fields.get(19).and_then(|ticks| ticks.parse::<u64>().ok());
    let started =
        ticks.zip(boot_ms()).map(|(ticks, boot)| boot.saturating_add(ticks.saturating_mul(10)));
    // Both clocks are coarse, and the second may have been adjusted.
    started.is_none_or(|started| started <= at_ms.saturating_add(2_000))
}

/// Content of a file in `/proc`.
fn of_system(path: &str) -> Option<String> {
    tenter_files::read_text(Path::new(path), 1024 * 1024, Whose::Anyone).ok()
}

/// Boot time of the machine.
fn boot_ms() -> Option<u64> {
    let stat = of_system("/proc/stat")?;
    let line = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
    Some(line.trim().parse::<u64>().ok()?.saturating_mul(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Id of a process that has exited.
    fn gone() -> u32 {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        pid
    }

    fn plant(state: &Path, slot: u64, text: &str) {
        let file = open(state, || true).unwrap();
        write_at(&file, format!("{text:<64}").as_bytes(), slot * SLOT).unwrap();
    }

    fn kinds(spool: &Spool) -> Vec<(Kind, String)> {
        let mut found = Vec::new();
        for segment in spool.segments().unwrap() {
            for entry in segment.lines(0).unwrap() {
                let item = crate::ingest::item(entry.unwrap()).unwrap();
                found.push((item.record.kind, item.record.notes.join(" ")));
            }
        }
        found
    }

    #[test]
    fn a_call_that_ends_leaves_nothing_and_one_that_is_alive_is_left_alone() {
        let state = tempfile::tempdir().unwrap();
        let spool = Spool::of_state(state.path());
        CallMark::begin(state.path(), 5, "claude", || true).unwrap().end();
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = since.unwrap().as_secs() * 1000;
        let mark = CallMark::begin(state.path(), now, "claude", || true).unwrap();
        assert_eq!(adopt(state.path(), &spool, now).unwrap(), 0);
        mark.end();
        assert_eq!(adopt(state.path(), &spool, now).unwrap(), 0);
        assert!(kinds(&spool).is_empty());
    }

    #[test]
    fn a_call_that_died_is_told_once_with_what_it_died_of() {
        let state = tempfile::tempdir().unwrap();
        let spool = Spool::of_state(state.path());
        plant(state.path(), 3, &format!("1 1700000000000 {} claude", gone()));
        plant(state.path(), 9, &format!("1 1700000000001 {} cursor", gone()));
        let file = open(state.path(), || true).unwrap();
        write_at(&file, b"signal 11\n", 3 * SLOT + 64).unwrap();
        let adopted: u64 = std::thread::scope(|scope| {
            let one = || scope.spawn(|| adopt(state.path(), &spool, 1_700_000_000_100).unwrap());
            let all: Vec<_> = (0..4).map(|_| one()).collect();
            all.into_iter().map(|it| it.join().unwrap()).sum()
        });
        assert_eq!(adopted, 2);
        assert_eq!(adopt(state.path(), &spool, 1_700_000_000_100).unwrap(), 0);
        let found = kinds(&spool);
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[0],
            (Kind::Unfinished, "died before its record was written: signal 11".to_owned())
        );
        assert!(found[1].1.contains("killed"));
    }

    #[test]
    fn a_death_says_which_call_it_was_unless_that_was_another_one() {
        let state = tempfile::tempdir().unwrap();
        let spool = Spool::of_state(state.path());
        let (one, other) = (gone(), gone());
        for (slot, pid) in [(3, one), (9, other)] {
            plant(state.path(), slot, &format!("1 1700000000000 {pid} claude"));
            let file = open(state.path(), || true).unwrap();
            let end = format!("#{one} deadline\nPreToolUse s1 - mcp__db__run\n");
            write_at(&file, end.as_bytes(), end_of(slot * SLOT)).unwrap();
        }
        assert_eq!(adopt(state.path(), &spool, 1_700_000_000_100).unwrap(), 2);
        let mut records = Vec::new();
        for segment in spool.segments().unwrap() {
            for entry in segment.lines(0).unwrap() {
                records.push(crate::ingest::item(entry.unwrap()).unwrap().record);
            }
        }
        assert_eq!(records[0].native_event, "PreToolUse");
        assert_eq!(records[0].session_id.as_deref(), Some("s1"));
        assert_eq!(records[0].call_id, None);
        assert_eq!(records[0].native_tool.as_deref(), Some("mcp__db__run"));
        assert!(records[0].notes[0].ends_with("deadline"));
        assert_eq!(records[1].session_id, None);
    }

    #[test]
    fn a_call_without_a_record_is_told_by_its_mark_or_by_a_name() {
        let state = tempfile::tempdir().unwrap();
        let spool = Spool::of_state(state.path());
        plant(state.path(), 3, &format!("1 1700000000000 {} claude", gone()));
        let mark = CallMark { file: open(state.path(), || true).unwrap(), at: 3 * SLOT };
        // It belongs to this process, which is alive.
        assert!(mark.keep("PreToolUse s1 t1 Bash"));
        leave_name(state.path(), 1_700_000_000_005, "cursor");
        assert_eq!(adopt(state.path(), &spool, 1_700_000_000_100).unwrap(), 2);
        assert_eq!(adopt(state.path(), &spool, 1_700_000_000_100).unwrap(), 0);
        assert!(kinds(&spool)[0].1.starts_with("left no record"));
    }

    #[test]
    fn a_number_that_another_process_has_by_now_is_no_life() {
        // This process started long after that call.
        assert!(!is_alive(std::process::id(), 1_000, 2_000));
    }

    #[test]
    fn whatever_stands_in_the_way_costs_nothing() {
        assert!(CallMark::begin(Path::new("/dev/null/state"), 5, "claude", || true).is_none());
        let state = tempfile::tempdir().unwrap();
        std::fs::create_dir(path(state.path())).unwrap();
        assert!(CallMark::begin(state.path(), 5, "claude", || true).is_none());
        assert_eq!(read(&[0; 128]), None);
        assert_eq!(read(b"1 x y"), None);
    }

    #[test]
    fn slots_of_the_dead_are_not_taken() {
        let state = tempfile::tempdir().unwrap();
        let first = u64::from(std::process::id()) % SLOTS;
        plant(state.path(), first, &format!("1 1700000000000 {} claude", gone()));
        let mark = CallMark::begin(state.path(), 5, "claude", || true).unwrap();
        assert_eq!(mark.at, (first + 1) % SLOTS * SLOT);
    }
}
