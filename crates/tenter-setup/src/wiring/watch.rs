//! One watched file: its metadata, and a fingerprint of its relevant content.

use std::path::{Path, PathBuf};

use tenter_hosts::install::Scope;
use tenter_model::HostId;

use super::{Kind, Record, print};
use crate::Places;
use crate::command;
use crate::detect::Presence;
use crate::files::Ledger;
use crate::survey::survey;

/// Size of a record's fixed part: kind, whether it is a link, number of our entries, five numbers and a
/// fingerprint.
pub(super) const HEAD: usize = 1 + 1 + 2 + 5 * 8 + 8;

/// Metadata of a file: device, inode, size, modification and change time. All zero if it does not exist.
type Look = [u64; 5];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Watched {
    pub(super) kind: Kind,
    pub(super) path: PathBuf,
    pub(super) is_link: bool,
    pub(super) look: Look,
    /// Number of our hooks in it.
    pub(super) ours: u16,
    pub(super) print: [u8; 8],
}

impl Watched {
    pub(super) fn look(kind: Kind, path: PathBuf) -> Self {
        let is_link = path.symlink_metadata().is_ok_and(|about| about.is_symlink());
        // Metadata first: a change while reading is noticed next time.
        let look = look(&path);
        let (ours, print) = print::of(kind, &path);
        Self { kind, path, is_link, look, ours, print }
    }

    /// Record of a missing file.
    pub(super) fn absent(path: PathBuf) -> Self {
        let print = Default::default();
        Self { kind: Kind::Hooks, path, is_link: false, look: Look::default(), ours: 0, print }
    }

    pub(super) fn of(record: &Record<'_>) -> Option<Self> {
        let (kind, rest) = record.head.split_first()?;
        let (is_link, rest) = rest.split_first()?;
        let (ours, rest) = rest.split_first_chunk::<2>()?;
        let (numbers, print) = rest.split_at_checked(5 * 8)?;
        let mut look = Look::default();
        for (number, bytes) in look.iter_mut().zip(numbers.as_chunks::<8>().0) {
            *number = u64::from_le_bytes(*bytes);
        }
        let kind = match kind {
            b'h' => Kind::Hooks,
            b'b' => Kind::Program,
            b'p' => Kind::Policy,
            b'm' => Kind::Mods,
            _ => return None,
        };
        let path = record.path.strip_suffix(&[0])?;
        Some(Self {
            kind,
            path: PathBuf::from(std::str::from_utf8(path).ok()?),
            is_link: *is_link == 1,
            look,
            ours: u16::from_le_bytes(*ours),
            print: print.try_into().ok()?,
        })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        // A path that is not UTF-8 cannot be in a host's file either.
        let Some(path) = self.path.to_str().filter(|path| path.len() < 4096) else { return };
        out.push(match self.kind {
            Kind::Hooks => b'h',
            Kind::Program => b'b',
            Kind::Policy => b'p',
            Kind::Mods => b'm',
        });
        out.push(u8::from(self.is_link));
        out.extend(self.ours.to_le_bytes());
        self.look.iter().for_each(|number| out.extend(number.to_le_bytes()));
        out.extend(self.print);
        let length = u16::try_from(path.len().saturating_add(1)).unwrap_or(u16::MAX);
        out.extend(length.to_le_bytes());
        out.extend(path.as_bytes());
        out.push(0);
    }

    pub(super) const fn is_there(&self) -> bool {
        self.look[1] != 0 || self.look[3] != 0
    }
}

/// Whether a file's metadata matches its record: one system call, no allocation.
#[cfg(unix)]
pub(super) fn looks_same(record: &Record<'_>) -> bool {
    let Ok(path) = std::ffi::CStr::from_bytes_with_nul(record.path) else { return false };
    let now = rustix::fs::stat(path).map_or(Look::default(), |about| of_stat(&about));
    let Some(then) = record.head.get(4..4 + 5 * 8) else { return false };
    then.as_chunks::<8>().0.iter().zip(now).all(|(then, now)| u64::from_le_bytes(*then) == now)
}

#[cfg(unix)]
fn of_stat(about: &rustix::fs::Stat) -> Look {
    let time = |seconds: i64, parts: u64| {
        seconds.cast_unsigned().wrapping_mul(1_000_000_000).wrapping_add(parts)
    };
    #[expect(clippy::useless_conversion, reason = "the types differ from system to system")]
    [
        u64::try_from(about.st_dev).unwrap_or(u64::MAX),
        u64::from(about.st_ino),
        u64::try_from(about.st_size).unwrap_or(u64::MAX),
        time(i64::from(about.st_mtime), u64::try_from(about.st_mtime_nsec).unwrap_or(0)),
        time(i64::from(about.st_ctime), u64::try_from(about.st_ctime_nsec).unwrap_or(0)),
    ]
}

#[cfg(unix)]
fn look(path: &Path) -> Look {
    rustix::fs::stat(path).map_or(Look::default(), |about| of_stat(&about))
}

#[cfg(not(unix))]
pub(super) fn looks_same(record: &Record<'_>) -> bool {
    Watched::of(record).is_some_and(|it| it.look == look(&it.path))
}

#[cfg(not(unix))]
fn look(path: &Path) -> Look {
    let Ok(about) = std::fs::metadata(path) else { return Look::default() };
    let time = about.modified().ok().and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
    let time = time.map_or(1, |it| u64::try_from(it.as_nanos()).unwrap_or(u64::MAX));
    [0, 0, about.len(), time, 0]
}

/// The files to watch: those of installed hosts, those that can disable hooks, programs, and policies.
pub(super) fn list(places: &Places, ledger: &Ledger) -> Vec<(Kind, PathBuf)> {
    let presence: Vec<(HostId, Presence)> =
        HostId::ALL.into_iter().map(|host| (host, Presence::default())).collect();
    let survey = survey(places, &presence);
    let mut hooks: Vec<PathBuf> = Vec::new();
    let mut programs: Vec<PathBuf> = Vec::new();
    let mut mods: Vec<PathBuf> = Vec::new();
    for host in &survey.hosts {
        let wired: Vec<Scope> =
            host.files.iter().filter(|it| it.ours().next().is_some()).map(|it| it.scope).collect();
        if wired.is_empty() {
            continue;
        }
        let user = host.files.iter().find(|it| it.scope == Scope::User);
        if let Some(folder) = user.and_then(|it| it.path.parent()) {
            let install = tenter_hosts::host(host.host).install();
            hooks.extend(install.read_in_home.iter().map(|name| folder.join(name)));
            mods.extend(install.mods.map(|it| folder.join(it.folder)));
        }
        for file in &host.files {
            // A project's files matter where its own hooks are installed; managed ones change only by root.
            let counts = match file.scope {
                Scope::Project => wired.contains(&Scope::Project),
                Scope::User => true,
                Scope::Managed => file.path.exists(),
            };
            if counts {
                hooks.push(file.path.clone());
            }
            programs.extend(file.ours().map(|(_, ours)| ours.program));
        }
    }
    for entry in ledger.entries().iter().filter(|entry| !entry.hooks.is_empty() && !entry.leaving) {
        hooks.push(entry.path.clone());
        let found = entry.hooks.iter().map(crate::edit::Hook::as_found);
        programs.extend(found.filter_map(|found| Some(command::ours(&found)?.program)));
    }
    // A name that PATH resolves has no place to watch.
    programs.retain(|program| program.is_absolute());
    let mut policies: Vec<PathBuf> = super::policies(places).collect();
    // The user's policy may be created at any time; the others are the administrator's.
    let own = policies.first().cloned();
    policies.retain(|path| Some(path) == own.as_ref() || path.exists());
    let mut list: Vec<(Kind, PathBuf)> = Vec::new();
    let all = (hooks.into_iter().map(|path| (Kind::Hooks, path)))
        .chain(programs.into_iter().filter(|it| it.is_absolute()).map(|it| (Kind::Program, it)))
        .chain(policies.into_iter().map(|path| (Kind::Policy, path)))
        .chain(mods.into_iter().map(|path| (Kind::Mods, path)));
    for (kind, path) in all {
        let real = path.canonicalize().ok();
        let known = |known: &PathBuf| {
            *known == path || (real.is_some() && known.canonicalize().ok() == real)
        };
        if !list.iter().any(|(_, it)| known(it)) {
            list.push((kind, path));
        }
    }
    list
}
