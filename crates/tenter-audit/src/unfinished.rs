//! Calls that have begun and not ended, so that one that dies is seen.
//!
//! `<state>/open` is a file of slots. A call notes in one of them that it has begun, before it looks at anything that
//! others have written, and clears the slot when its record is there. Where a call dies, its note stays; the next reader
//! of the record finds that the process is gone, writes a record of kind `unfinished` and clears the slot. A file
//! for every call would say the same, at eight times the cost: a slot needs no new name in a folder.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenter_files::Whose;

use crate::record::{Kind, Record, VERSION};
use crate::spool::{Entry, Spool, make_private, read_all_at};

/// The name of the event in records of calls that died.
pub const EVENT: &str = "Unfinished";

const NAME: &str = "open";
/// A slot: one line for the call, and room for what it died of.
const SLOT: u64 = 128;
const LINE: usize = 64;
const SLOTS: u64 = 1024;
/// How many slots are looked at for a free one.
const PROBES: u64 = 8;
/// First byte of a slot in use; a free slot begins with another.
const TAKEN: u8 = b'1';
/// Where nobody says which processes there are, a call that began so long ago is over.
const OVER_MS: u64 = 600_000;
/// How long another reader is waited for that does the same.
const PATIENCE: Duration = Duration::from_secs(5);

/// The note of a call that is under way.
#[derive(Debug)]
pub struct CallMark {
    file: File,
    at: u64,
}

impl CallMark {
    /// Notes that a call has begun. None if that cannot be noted: the answer matters more.
    /// `make` is asked where there is no file, and says whether to make one.
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
        // Leaves the offset behind the line, where the signal handler writes the cause.
        (&file).seek(SeekFrom::Start(at)).ok()?;
        (&file).write_all(&line).ok()?;
        Some(Self { file, at })
    }

    /// The file, to which a dying call may write what it dies of.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Says that the call has left its record.
    pub fn end(self) {
        // A slot that cannot be cleared is reported as a dead call.
        drop(write_at(&self.file, &[b' '; LINE], self.at));
    }
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

/// A call that a slot tells of.
#[derive(Debug, PartialEq, Eq)]
struct Begun {
    at_ms: u64,
    pid: u32,
    host: String,
    /// Cause of death, if it could still be written.
    cause: Option<String>,
}

/// Parses a slot; none if it is free.
fn read(slot: &[u8]) -> Option<Begun> {
    let (line, cause) = slot.split_at_checked(LINE)?;
    if line.first() != Some(&TAKEN) {
        return None;
    }
    let plain = |bytes: &[u8]| {
        let text: String = bytes
            .iter()
            .take_while(|byte| **byte != 0)
            .filter(|byte| matches!(byte, b' '..=b'~'))
            .map(|byte| char::from(*byte))
            .collect();
        text.trim().to_owned()
    };
    let line = plain(line);
    let mut words = line.split(' ').skip(1);
    Some(Begun {
        at_ms: words.next()?.parse().ok()?,
        pid: words.next()?.parse().ok()?,
        host: words.next().unwrap_or_default().to_owned(),
        cause: Some(plain(cause)).filter(|cause| !cause.is_empty()),
    })
}

/// Writes a record of every call that died, and clears its slot. Says how many that were.
pub fn adopt(state: &Path, spool: &Spool, now_ms: u64) -> io::Result<u64> {
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
    // One reader at a time: each death is told once.
    tenter_files::lock_within(&file, PATIENCE)?;
    let mut adopted = 0_u64;
    for (at, begun) in dead(&file, now_ms)? {
        spool.note(&begun.record())?;
        write_at(&file, &[b' '; LINE * 2], at)?;
        adopted = adopted.saturating_add(1);
    }
    Ok(adopted)
}

/// How much of the end of the record is looked through for calls that died.
const LOOK: u64 = 4 * 1024 * 1024;

/// The latest calls that died: when they had begun, and what is known of it. Only the end of the record is read.
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

/// The calls whose process is gone, and where their slots are.
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
        // It may have ended in order since the slots were read. Now that it is gone nothing changes any more.
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
            Some(cause) => format!("died before its record was written: {cause}"),
            None => "died before its record was written: it was killed, or the machine stopped"
                .to_owned(),
        };
        Record {
            v: VERSION,
            at: self.at_ms,
            kind: Kind::Unfinished,
            host: self.host.clone().into(),
            event: EVENT.into(),
            notes: vec![note.into()],
            ..Record::default()
        }
    }
}

/// Whether the process that began a call at this time is still there. A process that was started after it is another.
fn is_alive(pid: u32, at_ms: u64, now_ms: u64) -> bool {
    if !Path::new("/proc/self/stat").exists() {
        return now_ms.saturating_sub(at_ms) < OVER_MS;
    }
    let Some(stat) = of_system(&format!("/proc/{pid}/stat")) else { return false };
    // The name of the program is in brackets and may hold anything.
    let Some((_, rest)) = stat.rsplit_once(") ") else { return false };
    let fields: Vec<&str> = rest.split(' ').collect();
    if fields.first().is_some_and(|state| *state == "Z" || *state == "X") {
        return false;
    }
    let ticks = fields.get(19).and_then(|ticks| ticks.parse::<u64>().ok());
    let started =
        ticks.zip(boot_ms()).map(|(ticks, boot)| boot.saturating_add(ticks.saturating_mul(10)));
    // Both clocks are coarse, and the second may have been set.
    started.is_none_or(|started| started <= at_ms.saturating_add(2_000))
}

/// A file of the system.
fn of_system(path: &str) -> Option<String> {
    tenter_files::read_text(Path::new(path), 1024 * 1024, Whose::Anyone).ok()
}

/// When the machine was started.
fn boot_ms() -> Option<u64> {
    let stat = of_system("/proc/stat")?;
    let line = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
    Some(line.trim().parse::<u64>().ok()?.saturating_mul(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that is gone.
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
    fn a_number_that_another_process_has_by_now_is_no_life() {
        // This process was started long after that call.
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
