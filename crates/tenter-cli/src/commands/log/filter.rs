//! Filter options for records.

use tenter_audit::memory;
use tenter_audit::record::Record;
use tenter_audit::store::{Query, SessionQuery, words};
use tenter_model::HostId;
use tenter_policy::pattern::{self, Matcher};

use super::{End, internal, label};
use crate::clock::When;
use crate::commands::host_id;
use crate::error::CommandError;
use crate::reading::Reading;

/// Maximum number of candidates named for an ambiguous session.
const CANDIDATES: usize = 8;

/// All given conditions must hold.
#[derive(Debug, clap::Args)]
#[group(id = "Filter", multiple = true)]
pub(super) struct Filter {
    /// Not before: `90s`, `30m`, `2h`, `7d`, `2w` ago, `today`, `2026-11-16` or `2026-11-16T13:48`
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    since: Option<When>,
    /// Before, in the same words
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    until: Option<When>,
    /// Only calls of this host
    #[arg(long, value_name = "HOST", value_parser = host_id)]
    host: Option<HostId>,
    /// Only this session: its id, or a beginning that no other has
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only this event: `PreToolUse`, `pre` as the lines have it, or the host's own name
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// Only calls of this tool: `Bash`, `Read`, `Edit`, `MCP`, or the host's own name
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// Only where the host was told this
    #[arg(long, value_name = "DECISION", value_parser = ["allow", "deny", "ask", "none"])]
    decision: Option<String>,
    /// Only where this rule found something: a guard, `guard/check`, a rule's id, or a pattern
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// Only calls on files like this: `src/**`, `*.env`
    #[arg(long, value_name = "GLOB", value_parser = at_home)]
    path: Option<String>,
    /// Only with all these words, each the beginning of one in the command, path, prompt or rule
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    command: Option<String>,
}

type Fits<'f> = Box<dyn Fn(&str) -> bool + 'f>;

/// The filter with resolved ids and compiled patterns.
pub(super) struct Wanted<'f> {
    since: Option<u64>,
    until: Option<u64>,
    host: Option<&'static str>,
    session: Option<String>,
    event: Option<String>,
    tool: Option<String>,
    decision: Option<String>,
    rule: Option<Fits<'f>>,
    path: Option<Fits<'f>>,
    text: Option<String>,
}

impl Filter {
    pub(super) fn wanted(&self, reading: &Reading, now_ms: u64) -> Result<Wanted<'_>, End> {
        let session = match &self.session {
            Some(prefix) => Some(whole_session(reading, prefix, self.host)?),
            None => None,
        };
        if let Some(text) = self.command.as_deref().filter(|text| words(text).next().is_none()) {
            return Err(
                CommandError::usage(format!("there is no word in `{text}` to look for")).into()
            );
        }
        let rule = self.rule.clone().map(|wanted| -> Fits<'_> {
            Box::new(move |rule| {
                let guard = rule.split_once('/').map(|(guard, _)| guard);
                guard.is_some_and(|guard| pattern::matches_whole(&wanted, guard))
                    || pattern::matches_whole(&wanted, rule)
            })
        });
        // It is matched against every path.
        let path = self.path.as_deref().map(Matcher::new);
        let path = path.map(|glob| -> Fits<'_> { Box::new(move |path| glob.matches(path)) });
        Ok(Wanted {
            since: self.since.map(|it| it.moment(now_ms)),
            until: self.until.map(|it| it.moment(now_ms)),
            host: self.host.map(HostId::as_str),
            session,
            event: self.event.as_deref().map(|it| label::event_called(it).to_owned()),
            tool: self.tool.clone(),
            decision: self.decision.clone(),
            rule,
            path,
            text: self.command.clone(),
        })
    }
}

impl Wanted<'_> {
    pub(super) fn query(&self) -> Query<'_> {
        Query {
            since: self.since,
            until: self.until,
            host: self.host,
            session: self.session.as_deref(),
            event: self.event.as_deref(),
            tool: self.tool.as_deref(),
            decision: self.decision.as_deref(),
            rule: self.rule.as_deref(),
            path: self.path.as_deref(),
            text: self.text.as_deref(),
            after: None,
            before: None,
        }
    }
}

/// A path pattern with `~` expanded, as paths are recorded.
#[expect(clippy::unnecessary_wraps, reason = "clap wants a result")]
fn at_home(glob: &str) -> Result<String, CommandError> {
    let home = std::env::var("HOME").ok().filter(|home| home.len() > 1);
    Ok(match (glob.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => format!("{}/{rest}", home.trim_end_matches('/')),
        _ => glob.to_owned(),
    })
}

/// Whether a record that is not indexed yet matches.
pub(super) fn fits(query: &Query<'_>, record: &Record<'_>) -> bool {
    record.kind.is_of_call() && memory::fits(query, record)
}

/// The complete id of the session with this prefix.
fn whole_session(reading: &Reading, prefix: &str, host: Option<HostId>) -> Result<String, End> {
    let query = SessionQuery {
        prefix: Some(prefix),
        host: host.map(HostId::as_str),
        limit: CANDIDATES.saturating_add(1),
        ..SessionQuery::default()
    };
    let found = reading.store.sessions(&query).map_err(internal)?;
    let mut ids: Vec<&str> = found.iter().map(|session| session.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    match ids.as_slice() {
        [] => Err(CommandError::usage(format!("no session begins with `{prefix}`"))
            .hint("tenter sessions")
            .into()),
        [one] => Ok((*one).to_owned()),
        // A complete id may be the prefix of others.
        several if several.contains(&prefix) => Ok(prefix.to_owned()),
        several => {
            let named = several.iter().take(CANDIDATES).copied().collect::<Vec<_>>().join(", ");
            let more = if several.len() > CANDIDATES { " and more" } else { "" };
            Err(CommandError::usage(format!(
                "more than one session begins with `{prefix}`: {named}{more}"
            ))
            .into())
        }
    }
}
