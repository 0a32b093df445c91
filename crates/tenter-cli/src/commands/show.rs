//! `tenter show`: a session as a story.

mod chains;
pub(in crate::commands) mod diff;
mod effects;
mod gather;
mod header;
mod json;
mod page;
mod prices;
mod render;
mod schema;
mod step;
mod story;
mod tokens;
mod transcript;

pub(super) use schema::schema;

use std::io::Write;
use std::process::ExitCode;

use tenter_audit::Record;
use tenter_audit::store::{Hit, Order, Query, Session, SessionQuery};

use super::{Style, print};
use crate::error::CommandError;
use crate::guard::LocalMachine;
use crate::reading::Reading;
use gather::Gathered;
use header::{Header, LeftOut};
use page::{Out, Page};
use prices::Prices;
use render::Teller;
use step::{Kind, Limits, Step};
use story::{Counts, Story, WINDOW};

/// Number of records shown of the start and of the end of a long session.
const PART: usize = 300;
/// Maximum number of candidates named for an ambiguous session.
const NAMED: usize = 5;

/// Show one session step by step
///
/// Prompts, tool calls with their results, subagents below the agent that started them, edits as small
/// diffs, rewritten inputs, and what an agent did after a denial. Tokens come from the host's stop events,
/// or from its transcript if it still exists; their cost is estimated if there is a `prices.json` beside your
/// policy.
///
/// A long session is cut in the middle; `--full` shows all of it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Session id, a unique prefix of it, or `last`
    #[arg(value_name = "SESSION", default_value = "last")]
    session: String,

    /// Print one JSON object a line: the session first, then its steps
    #[arg(long)]
    json: bool,

    /// Show all records, texts and diffs in full
    #[arg(long)]
    full: bool,

    /// Do not read the host's transcript to count tokens
    #[arg(long)]
    no_transcript: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let machine = LocalMachine::read();
    let reading = Reading::open(&machine)?;
    let session = match choose(&reading, &args.session)? {
        Chosen::Session(session) => session,
        Chosen::Nothing => {
            let text = super::sessions::none_yet(&reading, &machine)?;
            // JSON output contains no messages.
            return Ok(if args.json { ExitCode::SUCCESS } else { print(&text) });
        }
        Chosen::Unknown => {
            let message = format!("no session begins with `{}`", args.session);
            return Err(CommandError::failed(message).hint("tenter sessions"));
        }
        Chosen::Several(names) => {
            return Err(CommandError::usage(format!(
                "several sessions begin with `{}`: {}",
                args.session,
                names.join(", ")
            )));
        }
    };
    let out = Out::new(std::io::stdout().lock());
    Telling::new(args, &reading, session, Prices::read(&machine.folders)).tell(out)?;
    Ok(ExitCode::SUCCESS)
}

enum Chosen {
    Session(Session),
    /// There is no record.
    Nothing,
    Unknown,
    Several(Vec<String>),
}

/// Finds the session.
fn choose(reading: &Reading, wanted: &str) -> Result<Chosen, CommandError> {
    let find = |prefix: Option<&str>, limit: usize| {
        let query = SessionQuery { prefix, limit, ..SessionQuery::default() };
        reading.store.sessions(&query).map_err(CommandError::internal)
    };
    let last = find(None, 1)?;
    let Some(last) = last.into_iter().next() else { return Ok(Chosen::Nothing) };
    if wanted == "last" {
        return Ok(Chosen::Session(last));
    }
    let mut found = find(Some(wanted), NAMED.saturating_add(1))?;
    // A complete id may be the prefix of others.
    if let Some(place) = found.iter().position(|session| session.id == wanted) {
        return Ok(Chosen::Session(found.swap_remove(place)));
    }
    let mut names: Vec<String> = found.iter().map(|session| session.id.clone()).collect();
    names.dedup();
    match (names.len(), found.into_iter().next()) {
        (0, _) | (_, None) => Ok(Chosen::Unknown),
        (1, Some(session)) => Ok(Chosen::Session(session)),
        (count, _) => {
            names.truncate(NAMED);
            if count > NAMED {
                names.push("\u{2026}".to_owned());
            }
            Ok(Chosen::Several(names))
        }
    }
}

/// A session being printed.
struct Telling<'t> {
    args: &'t Args,
    reading: &'t Reading,
    session: Session,
    page: Page,
    gathered: Gathered,
    home: Option<String>,
    prices: Result<Option<Prices>, String>,
}

impl<'t> Telling<'t> {
    fn new(
        args: &'t Args,
        reading: &'t Reading,
        session: Session,
        prices: Result<Option<Prices>, String>,
    ) -> Self {
        let home = std::env::var("HOME").ok().filter(|home| !home.is_empty());
        let page = Page {
            style: if args.json { Style::Plain } else { Style::of_stdout() },
            width: usize::from(crate::table::width()).clamp(60, 200),
            digits: session.last_seq.to_string().len(),
            full: args.full,
            cwd: session.cwd.clone(),
            home: home.clone(),
        };
        Self { args, reading, session, page, gathered: Gathered::default(), home, prices }
    }

    fn query(&self) -> Query<'_> {
        Query { session: Some(&self.session.id), ..Query::default() }
    }

    fn tell<W: Write>(mut self, out: Out<W>) -> Result<(), CommandError> {
        let records = usize::try_from(self.session.records).unwrap_or(usize::MAX);
        if self.args.full && records > WINDOW {
            return self.stream(out);
        }
        let long = self.args.full || self.args.json;
        let limits = if long { Limits::FULL } else { Limits::SHORT };
        let mut story = Story::new(limits);
        let parted = !self.args.full && records > PART.saturating_mul(2);
        let (head, tail) = if parted {
            (self.hits(Order::OldestFirst, PART)?, self.hits(Order::NewestFirst, PART)?)
        } else {
            (self.hits(Order::OldestFirst, WINDOW)?, Vec::new())
        };
        let shown = head.len().saturating_add(tail.len());
        self.take(&head, &mut story)?;
        if parted {
            story.leave_out();
            self.take(&tail, &mut story)?;
        }
        let left_out = parted.then(|| LeftOut {
            records: self.session.records.saturating_sub(shown as u64),
            denied: self.session.denied.saturating_sub(self.gathered.denied),
            asked: self.session.asked.saturating_sub(self.gathered.asked),
        });
        let mut counts = Counts::default();
        story.steps().for_each(|step| counts.add(step));
        self.write(out, story, left_out, counts)
    }

    /// The session's first or last records, in order.
    fn hits(&self, order: Order, limit: usize) -> Result<Vec<Hit>, CommandError> {
        let found = self.reading.store.find(&self.query(), order, limit);
        let mut hits = found.map_err(CommandError::internal)?;
        if order == Order::NewestFirst {
            hits.reverse();
        }
        Ok(hits)
    }

    fn take(&mut self, hits: &[Hit], story: &mut Story) -> Result<(), CommandError> {
        for hit in hits {
            // A record pruned meanwhile is skipped.
            let Some(record) = self.reading.record(*hit)? else { continue };
            self.gathered.look(&record);
            story.push(&record);
        }
        Ok(())
    }

    /// Prints a story held in memory.
    fn write<W: Write>(
        mut self,
        mut out: Out<W>,
        mut story: Story,
        left_out: Option<LeftOut>,
        counts: Counts,
    ) -> Result<(), CommandError> {
        let complete = left_out.is_none();
        self.head(&mut out, complete.then_some(counts), complete)?;
        let mut teller = Teller::default();
        loop {
            if let Some(left_out) = left_out.filter(|_| story.gap() == Some(0)) {
                self.gap(&mut out, &mut teller, left_out)?;
                story.close_gap();
            }
            let Some(step) = story.pop() else { break };
            if !self.step(&mut out, &mut teller, step)? {
                break;
            }
        }
        self.end(&mut out, &teller);
        out.finish()
            .map_err(|error| CommandError::internal(format!("cannot write to stdout: {error}")))
    }

    /// Prints a story too long for memory.
    fn stream<W: Write>(mut self, mut out: Out<W>) -> Result<(), CommandError> {
        for order in [Order::OldestFirst, Order::NewestFirst] {
            for hit in self.hits(order, PART)? {
                if let Some(record) = self.reading.record(hit)? {
                    self.gathered.look(&record);
                }
            }
        }
        self.head(&mut out, None, false)?;
        let mut story = Story::new(Limits::FULL);
        let mut teller = Teller::default();
        let mut each = |record: Record<'static>| -> Result<(), CommandError> {
            story.push(&record);
            if let Some(step) = story.pop_excess() {
                self.step(&mut out, &mut teller, step)?;
            }
            Ok(())
        };
        self.reading.each(&self.query(), &mut each)?;
        while let Some(step) = story.pop() {
            if !self.step(&mut out, &mut teller, step)? {
                break;
            }
        }
        self.end(&mut out, &teller);
        out.finish()
            .map_err(|error| CommandError::internal(format!("cannot write to stdout: {error}")))
    }

    fn head<W: Write>(
        &mut self,
        out: &mut Out<W>,
        counts: Option<Counts>,
        complete: bool,
    ) -> Result<(), CommandError> {
        let transcripts = !self.args.no_transcript;
        let mut tokens =
            self.gathered.tokens(&self.session, self.home.as_deref(), transcripts, complete);
        if let Some(tokens) = &mut tokens {
            match &self.prices {
                Ok(prices) => tokens.prices.clone_from(prices),
                Err(why) => tokens.notes.push(why.clone()),
            }
        }
        let header = Header {
            session: &self.session,
            gathered: &self.gathered,
            counts,
            tokens: tokens.as_ref(),
        };
        if self.args.json {
            out.line(&json::session(&header)?);
            return Ok(());
        }
        for line in header.lines(&self.page) {
            out.line(&line);
        }
        out.line("");
        Ok(())
    }

    /// Prints a step. False if the reader is gone.
    fn step<W: Write>(
        &self,
        out: &mut Out<W>,
        teller: &mut Teller,
        mut step: Step,
    ) -> Result<bool, CommandError> {
        step.own_session = self.session_of(&step);
        if self.args.json {
            return Ok(out.line(&json::step(&step)?));
        }
        Ok(teller.tell(&self.page, &step).iter().all(|line| out.line(line)))
    }

    /// The session of a subagent, on hosts that give it one.
    fn session_of(&self, step: &Step) -> Option<String> {
        let id = step.agent.as_ref()?.id.as_deref()?;
        if step.kind != Kind::SubagentStart || id == self.session.id {
            return None;
        }
        let query = SessionQuery { prefix: Some(id), limit: 1, ..SessionQuery::default() };
        let found = self.reading.store.sessions(&query).ok()?;
        found.into_iter().map(|session| session.id).find(|found| found == id)
    }

    fn gap<W: Write>(
        &self,
        out: &mut Out<W>,
        teller: &mut Teller,
        left_out: LeftOut,
    ) -> Result<(), CommandError> {
        if self.args.json {
            out.line(&json::left_out(left_out)?);
            return Ok(());
        }
        for line in teller.left_out(&self.page, left_out) {
            out.line(&line);
        }
        Ok(())
    }

    fn end<W: Write>(&self, out: &mut Out<W>, teller: &Teller) {
        if teller.hidden > 0 && !self.args.json {
            let events = if teller.hidden == 1 { "event is" } else { "events are" };
            let text = format!("{} other {events} not shown; --full shows all", teller.hidden);
            out.line("");
            out.line(&self.page.ink("2", &text));
        }
    }
}
