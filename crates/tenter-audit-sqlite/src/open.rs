//! Opens the index file: private, migrated, or else read-only.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tenter_audit::store::{Result, Trouble};
use tenter_files::{Refused, Whose};

use crate::stamp::{self, Fits};
use crate::{SqliteStore, is_busy, is_damage, locks, schema};

/// Maximum wait for another reader. A batch takes far less; since anyone who can open the files can keep them
/// locked for ever, the record is read without the index after that.
const PATIENCE: Duration = Duration::from_secs(1);

pub(crate) fn open(path: &Path) -> Result<SqliteStore> {
    if let Some((file, why)) = in_the_way(path) {
        let mut store = in_memory()?;
        store.warning = Some(format!(
            "the index cannot be used, and the whole record is read every time: {}: {why}",
            file.display()
        ));
        return Ok(store);
    }
    let (mut warning, changed) = set_aside_if_changed(path);
    if changed {
        // It cannot be set aside either, and must not be trusted.
        return instead(path, "something else has changed it, or keeps it locked");
    }
    if locks::are_kept(&with_end(path, "-shm"), PATIENCE) {
        return locked(path);
    }
    let mut opened = writable(path);
    if let Err(Fault::Sql(error)) = &opened
        && is_damage(error)
    {
        let aside = set_aside_if_damaged(path).map_err(|why| {
            Trouble(format!("the damaged index {} cannot be set aside: {why}", path.display()))
        })?;
        warning = aside.map(|aside| {
            format!("the index was damaged and is made anew; the old one is {}", aside.display())
        });
        opened = writable(path);
    }
    match opened {
        Ok(connection) => Ok(SqliteStore::new(connection, Some(path), warning)),
        Err(Fault::Newer(form)) => Err(newer(path, form)),
        Err(fault) if fault.is_lock() => locked(path),
        Err(fault) => read_only(path, &fault),
    }
}

/// A non-regular file at one of the database's paths: opening a pipe there would hang.
fn in_the_way(path: &Path) -> Option<(PathBuf, Refused)> {
    ["", "-wal", "-shm", "-journal"].into_iter().find_map(|end| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        let file = PathBuf::from(name);
        let why = Refused::of(&tenter_files::open(&file, Whose::State).err()?)?;
        Some((file, why))
    })
}

pub(crate) fn in_memory() -> Result<SqliteStore> {
    let opened = Connection::open_in_memory().and_then(|mut connection| {
        schema::migrate(&mut connection)?;
        Ok(connection)
    });
    match opened {
        Ok(connection) => Ok(SqliteStore::new(connection, None, None)),
        Err(error) => Err(Trouble(format!("an index in memory: {error}"))),
    }
}

/// Why a file could not be opened.
pub(crate) enum Fault {
    Sql(rusqlite::Error),
    Io(io::Error),
    /// Created by a newer version.
    Newer(i64),
}

impl Fault {
    /// Whether another process has locked the files.
    fn is_lock(&self) -> bool {
        match self {
            Fault::Sql(error) => is_busy(error),
            Fault::Io(error) => error.kind() == io::ErrorKind::WouldBlock,
            Fault::Newer(_) => false,
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Fault::Sql(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Fault::Io(error)
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::Sql(error) => error.fmt(f),
            Fault::Io(error) => error.fmt(f),
            Fault::Newer(form) => write!(f, "of form {form}"),
        }
    }
}

fn newer(path: &Path, form: i64) -> Trouble {
    let path = path.display();
    let ours = schema::newest();
    Trouble(format!(
        "the index {path} was made by a newer tenter (its form is {form}, this one knows {ours}): use \
         that one, or remove the file, it is made anew from the record"
    ))
}

fn writable(path: &Path) -> std::result::Result<Connection, Fault> {
    make_private(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let form = schema::version(&connection)?;
    if form > schema::newest() {
        return Err(Fault::Newer(form));
    }
    if form < schema::newest() {
        // One reader at a time creates or migrates the tables.
        let _lock = lock(path)?;
        if schema::version(&connection)? == 0 {
            // Return space to the file system when records are pruned.
            connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
        }
        schema::migrate(&mut connection)?;
        stamp::leave(path)?;
    }
    // The main file is changed in `checkpoint` only.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Zero deleted content in pages that are written anyway.
    connection.pragma_update(None, "secure_delete", "FAST")?;
    connection.pragma_update(None, "journal_size_limit", 32 * 1024 * 1024)?;
    settings(&connection)?;
    // The first reliable check that a file or its folder is writable.
    if connection.is_readonly("main")? {
        return Err(Fault::Io(io::Error::from(io::ErrorKind::PermissionDenied)));
    }
    Ok(connection)
}

fn settings(connection: &Connection) -> rusqlite::Result<()> {
    // Negative means KiB.
    connection.pragma_update(None, "cache_size", -65_536)?;
    connection.pragma_update(None, "temp_store", "MEMORY")
}

/// Opens an index that cannot be written: records added before can still be read. If there is none, it is
/// built in memory.
fn read_only(path: &Path, fault: &Fault) -> Result<SqliteStore> {
    let shown = path.display();
    let opened = [false, true].into_iter().find_map(|without| as_it_is(path, without).ok());
    let form = opened.as_ref().and_then(|connection| schema::version(connection).ok());
    match (opened, form.unwrap_or_default()) {
        (_, form) if form > schema::newest() => Err(newer(path, form)),
        (Some(connection), form) if form == schema::newest() => {
            let warning = format!(
                "the index {shown} cannot be written ({fault}): what came since is not shown"
            );
            Ok(SqliteStore::new(connection, Some(path), Some(warning)))
        }
        _ => instead(path, &fault.to_string()),
    }
}

/// An index in memory, when another process has locked the file.
fn locked(path: &Path) -> Result<SqliteStore> {
    let mut store = in_memory()?;
    store.warning = Some(locked_message(path));
    Ok(store)
}

pub(crate) fn locked_message(path: &Path) -> String {
    format!("the index {} is locked by another process: the whole record is read", path.display())
}

/// An index in memory, when the file is unusable.
fn instead(path: &Path, why: &str) -> Result<SqliteStore> {
    let mut store = in_memory()?;
    let shown = path.display();
    store.warning = Some(format!(
        "the index {shown} cannot be made ({why}): the whole record is read every time"
    ));
    Ok(store)
}

/// Checkpoints the log into the main file, as far as no reader blocks it, and updates the stamp. Skipping
/// this loses nothing: the log holds the data.
pub(crate) fn checkpoint(
    connection: &Connection,
    path: &Path,
    patience: Duration,
) -> std::result::Result<(), Fault> {
    let _lock = lock_within(path, patience)?;
    if log_size(path) == 0 {
        return Ok(());
    }
    // Do not wait for readers; the next writer checkpoints the rest.
    connection.busy_timeout(Duration::ZERO)?;
    let copied = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    let left = stamp::leave(path);
    connection.busy_timeout(PATIENCE)?;
    copied?;
    Ok(left?)
}

/// Size of the log.
pub(crate) fn log_size(path: &Path) -> u64 {
    std::fs::metadata(with_end(path, "-wal")).map_or(0, |found| found.len())
}

/// Sets aside a file that something else changed. Returns a warning, and whether such a file is still there.
fn set_aside_if_changed(path: &Path) -> (Option<String>, bool) {
    // First without the lock, so that a process holding it costs no time: a file that matches is not being
    // changed.
    if matches!(stamp::fits(path), Ok(Fits::Yes)) {
        return (None, false);
    }
    // There may be no lock on a full disk.
    let lock = lock(path);
    let fits = match stamp::fits(path) {
        Ok(Fits::Yes) | Err(_) => return (None, false),
        Ok(fits) => fits,
    };
    if fits == Fits::Unknown && newer_form(path) {
        // That process may know why there is none.
        return (None, false);
    }
    match lock.and_then(|_lock| rename(path)) {
        Ok(aside) => {
            let why = match fits {
                Fits::Unknown => "was left by another version of this program",
                Fits::Yes | Fits::No => "was changed or damaged",
            };
            let aside = aside.display();
            (Some(format!("the index {why} and is made anew; the old one is {aside}")), false)
        }
        Err(_) => (None, true),
    }
}

fn newer_form(path: &Path) -> bool {
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .and_then(|connection| schema::version(&connection))
        .is_ok_and(|form| form > schema::newest())
}

/// Opens read-only. On a full disk the companion files cannot be created; then it is opened without them.
fn as_it_is(path: &Path, without_files: bool) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if without_files {
        Connection::open_with_flags(address(path), flags | OpenFlags::SQLITE_OPEN_URI)?
    } else {
        Connection::open_with_flags(path, flags)?
    };
    connection.busy_timeout(PATIENCE)?;
    settings(&connection)?;
    // Opening alone reads nothing.
    connection.query_row("SELECT count(*) FROM meta", [], |_| Ok(()))?;
    Ok(connection)
}

/// The path as an URI that declares the file immutable.
fn address(path: &Path) -> String {
    let mut address = String::from("file:");
    for letter in path.to_string_lossy().chars() {
        match letter {
            '?' => address.push_str("%3f"),
            '#' => address.push_str("%23"),
            '%' => address.push_str("%25"),
            '\\' if cfg!(windows) => address.push('/'),
            letter => address.push(letter),
        }
    }
    address + "?immutable=1"
}

/// Creates the file, if missing, readable by its owner only. `SQLite` gives its companion files the same
/// permissions.
fn make_private(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    if path.exists() {
        return Ok(());
    }
    private(path).map(drop)
}

fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    tenter_files::open_with(path, &mut options, Whose::State)
}

/// Excludes other readers from creating or setting aside the file, until dropped.
fn lock(path: &Path) -> io::Result<File> {
    lock_within(path, PATIENCE)
}

fn lock_within(path: &Path, patience: Duration) -> io::Result<File> {
    let file = private(&path.with_extension("lock"))?;
    tenter_files::lock_within(&file, patience)
        .map_err(|_| io::Error::new(io::ErrorKind::WouldBlock, "another process keeps its lock"))?;
    Ok(file)
}

/// Sets a damaged file aside, unless another reader was quicker.
fn set_aside_if_damaged(path: &Path) -> io::Result<Option<PathBuf>> {
    let _lock = lock(path)?;
    let version = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .and_then(|connection| schema::version(&connection));
    match version {
        Err(error) if is_damage(&error) => rename(path).map(Some),
        _ => Ok(None),
    }
}

/// Sets a damaged file aside.
pub(crate) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let _lock = lock(path)?;
    rename(path)
}

fn rename(path: &Path) -> io::Result<PathBuf> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let aside = with_end(path, &format!(".broken-{now}"));
    std::fs::rename(path, &aside)?;
    for end in ["-wal", "-shm"] {
        // They do not always exist, and are useless without the file.
        drop(std::fs::remove_file(with_end(path, end)));
    }
    stamp::forget(path);
    Ok(aside)
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}
