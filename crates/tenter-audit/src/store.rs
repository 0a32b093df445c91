//! Queries about records, and the trait of an index that answers them.
//!
//! A store is an index: it is filled from the spool, knows the position of records, and can be deleted and
//! rebuilt. [`crate::memory::Memory`] is the reference implementation.

use std::fmt;

use crate::record::{Record, Usage};
use crate::spool::Place;

/// Error message of a store.
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

/// A record with its position, to be added to a store.
#[derive(Clone, Debug)]
pub struct Item {
    pub place: Place,
    pub record: Record<'static>,
    /// The line itself, for stores that keep it.
    pub line: String,
}

/// How far a store has read the spool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Segment and offset to continue from.
    pub segment: u64,
    pub offset: u64,
    /// Number of the last record added.
    pub seq: u64,
    pub hash: String,
}

/// Filter for records; all given conditions must hold.
#[derive(Clone, Copy, Default)]
pub struct Query<'q> {
    /// Earliest time, in milliseconds since 1970.
    pub since: Option<u64>,
    /// End of the time range, exclusive.
    pub until: Option<u64>,
    pub host: Option<&'q str>,
    /// The complete id of a session.
    pub session: Option<&'q str>,
    /// The unified name or the host's own, case-insensitive.
    pub event: Option<&'q str>,
    /// The tool's unified name or the host's own, case-insensitive.
    pub tool: Option<&'q str>,
    /// Decision sent to the host: `allow`, `deny`, `ask`, or `none` for no opinion.
    pub decision: Option<&'q str>,
    /// Matches records with a finding of such a rule.
    pub rule: Option<&'q dyn Fn(&str) -> bool>,
    /// Matches records with such a path in [`Record::full_paths`].
    pub path: Option<&'q dyn Fn(&str) -> bool>,
    /// Each of these words must be a prefix of a word in [`searched`], case-insensitive.
    pub text: Option<&'q str>,
    /// Exclusive bounds for the record number.
    pub after: Option<u64>,
    pub before: Option<u64>,
}

impl fmt::Debug for Query<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").field("since", &self.since).finish_non_exhaustive()
    }
}

/// The searchable words of a text: letters and digits in lower case.
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

/// Sort order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    OldestFirst,
    NewestFirst,
}

/// A search result.
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
    /// Number of tool calls, counted before they run.
    pub tools: u64,
    pub denied: u64,
    pub asked: u64,
    /// The first working folder recorded.
    pub cwd: Option<String>,
    /// The last model recorded.
    pub model: Option<String>,
    pub transcript_path: Option<String>,
    pub usage: Usage,
}

/// Filter for sessions.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionQuery<'q> {
    /// With a record since this time.
    pub since: Option<u64>,
    pub host: Option<&'q str>,
    /// Prefix of the id.
    pub prefix: Option<&'q str>,
    pub limit: usize,
}

/// Grouping of `stats`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Host,
    /// A record counts for each rule with a finding.
    Rule,
    Tool,
    Session,
    /// UTC days, as `2026-11-16`.
    Day,
}

/// Counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub records: u64,
    pub denied: u64,
    pub asked: u64,
    /// Allowed once by the user.
    pub allowed_once: u64,
}

/// Counters of records with the same host, rule, tool, session or day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    pub name: String,
    pub count: Count,
    /// Number of records per day of [`Stats::days`].
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
    /// Most frequent first.
    pub groups: Vec<Group>,
    /// Days with records, oldest first.
    pub days: Vec<(String, Count)>,
    pub latency: Vec<Latency>,
    /// Programs (see [`head`]) and how often they ran.
    pub commands: Vec<(String, u64)>,
    pub files: Vec<(String, u64)>,
    /// Time of each host's last record.
    pub last_heard: Vec<(String, u64)>,
    /// Rules whose blocks the user then allowed once: candidates for false alarms.
    pub false_alarms: Vec<(String, u64)>,
    pub lost: u64,
}

/// Name under which a command is counted: its program, and the subcommand if there is one.
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

/// A command without a leading `cd ... &&`, which agents often add.
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
    /// Position to continue reading from; `None` for an empty store.
    fn position(&self) -> Result<Option<Position>>;

    /// Adds records in order and stores the position after them, atomically. Records already present are
    /// skipped.
    fn add(&mut self, items: &[Item], position: &Position) -> Result<()>;

    /// Deletes everything, to be filled again.
    fn clear(&mut self) -> Result<()>;

    /// Deletes the records up to this number, which were pruned.
    fn forget(&mut self, through: u64) -> Result<()>;

    /// The matching calls, at most `limit`; closing lines and checkpoints are never returned.
    fn find(&self, query: &Query<'_>, order: Order, limit: usize) -> Result<Vec<Hit>>;

    /// One record by number, of any kind.
    fn get(&self, seq: u64) -> Result<Option<Hit>>;

    /// Matching sessions, latest first.
    fn sessions(&self, query: &SessionQuery<'_>) -> Result<Vec<Session>>;

    /// Statistics of the records in `since..until`.
    fn stats(&self, since: Option<u64>, until: Option<u64>, by: By) -> Result<Stats>;

    /// Names of the policies in the records, sorted; `None` if not known for all of them.
    fn policies(&self) -> Result<Option<Vec<String>>>;

    /// Past faults of the spool (truncated or replaced), for `verify`.
    fn incidents(&self) -> Result<Vec<(u64, String)>>;

    /// Stores a fault of the spool with its time.
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
