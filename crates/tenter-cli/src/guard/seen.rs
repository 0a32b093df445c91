//! Signs of life: when each event of each host last reached `tenter hook`.
//!
//! A hook that never runs looks exactly like one that approved. So every call leaves a sign, which `status`,
//! `doctor` and `prove` read. A sign is a small file, `<state>/seen/<host>.<event>`, with one line of fixed
//! length: milliseconds since 1970, the host's version or `-`, the decision and the host on the hook's
//! command line. It is overwritten in place, so a full disk affects neither the answer nor the previous sign.
//! Signs of Claude's hooks run by Cursor have their own names, `cursor.preToolUse@claude`, so that one path
//! does not hide the other.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tenter_model::{Decision, HostId};

use super::folders;

const FOLDER: &str = "seen";
/// Maximum length of an event's name or version; the rest is cut.
const LONGEST_EVENT: usize = 64;
const LONGEST_VERSION: usize = 24;
/// Fixed length of a sign, so that a new one overwrites the old one.
const LENGTH: usize = 64;
/// Maximum size of a sign file.
const MOST: u64 = 4096;

/// The last call of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SignOfLife {
    /// The host that sent the payload.
    pub(crate) host: HostId,
    /// The host's name for the event; `-` if missing.
    pub(crate) event: String,
    pub(crate) at_ms: u64,
    /// The host's version, if sent.
    pub(crate) version: Option<String>,
    /// The decision.
    pub(crate) decision: Option<Decision>,
    /// The host on the command line: another one where Cursor runs Claude's hooks.
    pub(crate) wired_as: HostId,
}

/// Leaves the sign of a call. Errors are ignored, since the answer matters more, but an obstacle is reported.
pub(crate) fn leave(state: &Path, seen: &SignOfLife) -> Option<String> {
    let mut line = String::with_capacity(LENGTH);
    // Versions begin with a digit; other values are untrusted.
    let is_version = |text: &&str| text.starts_with(|letter: char| letter.is_ascii_digit());
    let version = seen.version.as_deref().filter(is_version).unwrap_or_default();
    let decision = seen.decision.map_or("none", Decision::as_str);
    line.push_str(&seen.at_ms.to_string());
    line.push(' ');
    push_plain(&mut line, version, LONGEST_VERSION);
    for word in [decision, seen.wired_as.as_str()] {
        line.push(' ');
        line.push_str(word);
    }
    while line.len() < LENGTH.saturating_sub(1) {
        line.push(' ');
    }
    line.push('\n');
    let mut name = String::with_capacity(LENGTH);
    name.push_str(seen.host.as_str());
    name.push('.');
    push_plain(&mut name, &seen.event, LONGEST_EVENT);
    if seen.wired_as != seen.host {
        name.push('@');
        name.push_str(seen.wired_as.as_str());
    }
    let mut path = PathBuf::with_capacity(state.as_os_str().len().saturating_add(80));
    path.extend([state, Path::new(FOLDER), Path::new(&name)]);
    let mut written = write(&path, &line);
    if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        && folders::make_private(&state.join(FOLDER)).is_ok()
    {
        written = write(&path, &line);
    }
    let refused = tenter_files::Refused::of(&written.err()?)?;
    Some(format!("this call leaves no sign of life in {}: {refused}", path.display()))
}

fn write(path: &Path, line: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    folders::open_private(path, &mut options)?.write_all(line.as_bytes())
}

/// Appends a text as a word that is safe in file names; `-` if empty.
fn push_plain(out: &mut String, text: &str, longest: usize) {
    if text.is_empty() {
        out.push('-');
    }
    // A leading dot would hide the file, or leave the folder.
    out.extend(text.bytes().take(longest).enumerate().map(|(at, byte)| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'+' => char::from(byte),
        b'.' if at > 0 => '.',
        _ => '_',
    }));
}

/// The latest signs by host and event. Invalid files are skipped.
pub(crate) fn all(state: &Path) -> Vec<SignOfLife> {
    let Ok(entries) = std::fs::read_dir(state.join(FOLDER)) else { return Vec::new() };
    let sign = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        read(&name, &folders::read_private(&entry.path(), MOST).ok()?)
    };
    let mut all: Vec<SignOfLife> = entries.flatten().filter_map(sign).collect();
    let key = |seen: &SignOfLife| (seen.host, seen.event.clone(), seen.wired_as);
    all.sort_by_key(key);
    all
}

fn read(name: &str, text: &str) -> Option<SignOfLife> {
    let (host, event) = name.split_once('.')?;
    let event = event.split_once('@').map_or(event, |(event, _)| event);
    let mut words = text.lines().next()?.split_ascii_whitespace();
    let at_ms = words.next()?.parse().ok()?;
    let version = words.next().filter(|version| *version != "-").map(str::to_owned);
    let decision = match words.next()? {
        "none" => None,
        word => Some(Decision::ALL.into_iter().find(|decision| decision.as_str() == word)?),
    };
    Some(SignOfLife {
        host: host.parse().ok()?,
        event: event.to_owned(),
        at_ms,
        version,
        decision,
        wired_as: words.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(event: &str, version: Option<&str>) -> SignOfLife {
        SignOfLife {
            host: HostId::Cursor,
            event: event.to_owned(),
            at_ms: 1_700_000_000_123,
            version: version.map(str::to_owned),
            decision: Some(Decision::Deny),
            wired_as: HostId::Claude,
        }
    }

    #[test]
    fn a_sign_can_be_read_again_and_the_later_one_counts() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(all(state.path()), []);
        leave(state.path(), &seen("preToolUse", Some("3.4.5-with-a-long-tail-of-words")));
        let later =
            SignOfLife { at_ms: 1_700_000_000_124, decision: None, ..seen("preToolUse", None) };
        leave(state.path(), &later);
        leave(state.path(), &seen("stop", Some("3.4.5")));
        assert_eq!(all(state.path()), [later, seen("stop", Some("3.4.5"))]);
    }

    #[test]
    fn the_second_copy_of_a_call_does_not_cover_the_first() {
        let state = tempfile::tempdir().unwrap();
        let own = SignOfLife { wired_as: HostId::Cursor, ..seen("stop", None) };
        let second = SignOfLife { at_ms: own.at_ms + 5, ..seen("stop", None) };
        leave(state.path(), &own);
        leave(state.path(), &second);
        assert_eq!(all(state.path()), [own, second]);
    }

    #[test]
    fn an_event_of_any_name_stays_in_the_folder() {
        let state = tempfile::tempdir().unwrap();
        for (event, name) in [
            ("", "-"),
            ("../../x", "_._.._x"),
            ("a b\n", "a_b_"),
            (&"x".repeat(99), &"x".repeat(64)),
        ] {
            leave(state.path(), &seen(event, None));
            let found = all(state.path());
            assert!(found.iter().any(|seen| seen.event == name), "{event}: {found:?}");
        }
        assert_eq!(
            std::fs::read_dir(state.path()).unwrap().count(),
            1,
            "nothing beside the folder"
        );
    }

    #[test]
    fn what_is_no_sign_is_passed_over() {
        let state = tempfile::tempdir().unwrap();
        leave(state.path(), &seen("stop", None));
        for (name, text) in [
            ("cursor.empty", ""),
            ("cursor.cut", "1700000000123 1.0 al"),
            ("cursor.words", "soon 1.0 allow cursor"),
            ("vim.stop", "1700000000123 1.0 allow cursor"),
            ("cursor", "1700000000123 1.0 allow cursor"),
        ] {
            std::fs::write(state.path().join(FOLDER).join(name), text).unwrap();
        }
        assert_eq!(all(state.path()), [seen("stop", None)]);
    }

    #[test]
    fn a_state_that_cannot_be_written_is_no_trouble() {
        leave(Path::new("/dev/null/state"), &seen("stop", None));
        assert_eq!(all(Path::new("/dev/null/state")), []);
    }
}
