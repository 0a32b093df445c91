//! Queries about records, and the trait of an index that answers them.
//!
//! A store is an index: it is filled from the spool, says where records stand, and can be thrown away
//! and made again. [`crate::memory::Memory`] is the plainest one, and the model that others are
//! compared with.

use std::fmt;

use crate::record::{Record, Usage};
use crate::spool::Place;

/// Why a store cannot answer.
#[derive(Debug)]
pub struct Trouble(pub String);

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Trouble {}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

pub type Result<T> = std::result::Result<T, Trouble>;

/// A record on its way into a store.
#[derive(Clone, Debug)]
pub struct Item {
    pub place: Place,
    pub record: Record<'static>,
    /// The line itself, for stores that keep it.
    pub line: String,
}

/// How far a store has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The file that is read next, and where.
    pub segment: u64,
    pub offset: u64,
    /// The last record taken in.
    pub seq: u64,
    pub hash: String,
}

/// Which records are wanted. Everything that is given must hold.
#[derive(Clone, Copy, Default)]
pub struct Query<'q> {
    /// Milliseconds since 1970; not before.
    pub since: Option<u64>,
    /// Before, and not at.
    pub until: Option<u64>,
    pub host: Option<&'q str>,
    /// The whole id of a session.
    pub session: Option<&'q str>,
    /// The unified or the host's own name, in any case.
    pub event: Option<&'q str>,
    /// The unified name of a tool or the host's own, in any case.
    pub tool: Option<&'q str>,
    /// Decision sent to the host: `allow`, `deny`, `ask`, or `none` for no opinion.
    pub decision: Option<&'q str>,
    /// Some finding is of such a rule.
    pub rule: Option<&'q dyn Fn(&str) -> bool>,
    /// Some path of [`Record::full_paths`] is such a path.
    pub path: Option<&'q dyn Fn(&str) -> bool>,
    /// All these words are in what [`words`] gives, each at the beginning of a word there, in any case.
    pub text: Option<&'q str>,
    /// Numbered above, and below.
    pub after: Option<u64>,
    pub before: Option<u64>,
}

impl fmt::Debug for Query<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").field("since", &self.since).finish_non_exhaustive()
    }
}

/// The words of a text as they are searched: letters and digits in lower case.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = text.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Searchable text of a record: commands, paths, prompts, URLs, tools, rules and reasons.
pub fn searched(record: &Record<'_>) -> String {
    let mut text = record.subject().into_owned();
    let more = record.findings.iter().flat_map(|found| [Some(&found.rule), found.what.as_ref()]);
    for part in more.flatten() {
        text.push(' ');
        text.push_str(part);
    }
    text
}

/// Which end comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    OldestFirst,
    NewestFirst,
}

/// A record that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    pub seq: u64,
    pub place: Place,
}

/// Summary of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    pub host: String,
    pub id: String,
    pub first_at: u64,
    pub last_at: u64,
    pub first_seq: u64,
    pub last_seq: u64,
    pub records: u64,
    pub prompts: u64,
    /// Calls of tools that were about to happen.
    pub tools: u64,
    pub denied: u64,
    pub asked: u64,
    /// The first folder that a record names.
    pub cwd: Option<String>,
    /// The last model that a record names.
    pub model: Option<String>,
    pub transcript_path: Option<String>,
    pub usage: Usage,
}

/// Which sessions are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionQuery<'q> {
    /// With a record not before.
    pub since: Option<u64>,
    pub host: Option<&'q str>,
    /// The beginning of the id.
    pub prefix: Option<&'q str>,
    pub limit: usize,
}

/// Grouping of `stats`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Host,
    /// A record counts for each rule that it has a finding of.
    Rule,
    Tool,
    Session,
    /// Days of UTC, as `2026-11-16`.
    Day,
}

/// How many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub records: u64,
    pub denied: u64,
    pub asked: u64,
    /// A human has allowed it once.
    pub allowed_once: u64,
}

/// Records that share a host, a rule, a tool, a session or a day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    pub name: String,
    pub count: Count,
    /// How many records on each day of [`Stats::days`].
    pub days: Vec<u64>,
}

/// Percentiles in microseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latency {
    pub host: String,
    /// A field of [`crate::record::Timings`].
    pub phase: &'static str,
    pub count: u64,
    pub p50: u64,
    pub p95: u64,
    pub p99: u64,
}

/// Figures of `stats`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub total: Count,
    /// The most frequent first.
    pub groups: Vec<Group>,
    /// The days that have records, oldest first.
    pub days: Vec<(String, Count)>,
    pub latency: Vec<Latency>,
    /// The first words of commands (see [`head`]) and how often they ran.
    pub commands: Vec<(String, u64)>,
    pub files: Vec<(String, u64)>,
    /// When each host was last heard of, over all time.
    pub last_heard: Vec<(String, u64)>,
    /// Rules whose stops a human then allowed once: candidates for a false alarm.
    pub false_alarms: Vec<(String, u64)>,
    pub lost: u64,
}

/// Name a command is counted under: its program, and the subcommand if it has one.
pub fn head(command: &str) -> String {
    let command = after_folder(command);
    let mut words = command.split_whitespace().skip_while(|word| word.contains('='));
    let program = words.next().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or_default();
    let sub = words.next().filter(|word| {
        word.len() <= 24
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
            && word.starts_with(|letter: char| letter.is_ascii_lowercase())
    });
    match sub {
        Some(sub) => format!("{program} {sub}"),
        None => program.to_owned(),
    }
}

/// A command without the `cd ... &&` that agents put before most of theirs.
fn after_folder(command: &str) -> &str {
    let mut rest = command.trim_start();
    while let Some(folder) = rest.strip_prefix("cd ") {
        let ends = ["&&", ";", "\n"].into_iter().filter_map(|it| folder.split_once(it));
        let next = ends.max_by_key(|(_, after)| after.len()).map(|(_, after)| after.trim_start());
        match next.filter(|next| !next.is_empty()) {
            Some(next) => rest = next,
            None => break,
        }
    }
    rest
}

/// An index over the record.
pub trait Store {
    /// Where to go on reading; none if nothing was taken in yet.
    fn position(&self) -> Result<Option<Position>>;

    /// Takes in records in their order and notes the position after them: all of it or nothing. Records
    /// that are in already are passed over.
    fn add(&mut self, items: &[Item], position: &Position) -> Result<()>;

    /// Forgets everything, to be filled again.
    fn clear(&mut self) -> Result<()>;

    /// Forgets the records up to this one, which have been cleared away.
    fn forget(&mut self, through: u64) -> Result<()>;

    /// The records that fit, at most `limit` of them. Only calls: closings and checkpoints are not found.
    fn find(&self, query: &Query<'_>, order: Order, limit: usize) -> Result<Vec<Hit>>;

    /// One record by its number, whatever its kind.
    fn get(&self, seq: u64) -> Result<Option<Hit>>;

    /// Sessions, the latest first.
    fn sessions(&self, query: &SessionQuery<'_>) -> Result<Vec<Session>>;

    /// Figures about records in `since..until`.
    fn stats(&self, since: Option<u64>, until: Option<u64>, by: By) -> Result<Stats>;

    /// Names of the policies in the records, sorted. None if that is not known of all
    /// of them.
    fn policies(&self) -> Result<Option<Vec<String>>>;

    /// Past faults of the spool, cut off or replaced, for `verify`.
    fn incidents(&self) -> Result<Vec<(u64, String)>>;

    /// Notes that at this time something was wrong with the spool.
    fn note_incident(&mut self, at: u64, what: &str) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::head;

    #[test]
    fn a_command_counts_under_what_it_runs() {
        for (command, wanted) in [
            ("git push --force origin main", "git push"),
            ("RUST_LOG=1 /usr/bin/cargo test -p shop", "cargo test"),
            ("cd /srv/shop && npm test", "npm test"),
            ("cd a; cd b\n  ls -la; rm x && y", "ls"),
            ("cd \"/srv/my shop\" && FOO=1 make", "make"),
            ("cd /srv", "cd"),
            ("cd /srv &&", "cd"),
            ("cdrecord x", "cdrecord x"),
            ("", ""),
        ] {
            assert_eq!(head(command), wanted, "{command}");
        }
    }
}
