//! `tenter mcp`: the MCP servers that agents use.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};
use tenter_audit::record::{Deed, Record};
use tenter_audit::store::Query;
use tenter_engine::diagnostic::printable;
use tenter_model::Decision;
use tenter_policy::{Policy, Sample};

use super::sessions::none_yet;
use super::verdict::word;
use crate::clock::{When, long_ago};
use crate::error::CommandError;
use crate::guard::{self, LocalMachine, policies};
use crate::reading::Reading;
use crate::table::Table;

/// List the MCP servers that agents use, and what the policy says to their tools
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List servers by the record: tools, calls, stops, how they are reached, and the policy's answer
    List {
        /// Only calls not before: `90s`, `30m`, `2h`, `7d`, `2w` ago, or a date
        #[arg(long, value_name = "TIME", value_parser = When::parse, default_value = "30d")]
        since: When,
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
}

/// A server as the record knows it.
#[derive(Debug, Default)]
struct Server {
    tools: BTreeMap<String, u64>,
    hosts: Vec<String>,
    calls: u64,
    stopped: u64,
    last_at: u64,
    /// Its command or address, where the host says it.
    reached: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let What::List { since, json } = &args.what;
    let machine = LocalMachine::read();
    let reading = Reading::open(&machine)?;
    let servers = servers(&reading, since.moment(machine.now_ms))?;
    let policy = policies::load(&machine.folders, &machine.here()).policy;
    if *json {
        let rows: Vec<Value> =
            servers.iter().map(|(name, server)| object(name, server, &machine, &policy)).collect();
        return Ok(super::print(&format!("{:#}", Value::Array(rows))));
    }
    if servers.is_empty() {
        let none = none_yet(&reading, &machine)?;
        let text = "no call of an MCP server is recorded; --since looks further back";
        let any = reading.store.find(&Query::default(), tenter_audit::store::Order::NewestFirst, 1);
        let any = any.map_err(CommandError::internal)?;
        return Ok(super::print(if any.is_empty() { &none } else { text }));
    }
    let mut table = Table::compact(&[
        "server",
        "tools",
        "calls",
        "stopped",
        "last call",
        "policy",
        "reached by",
    ]);
    for (name, server) in &servers {
        let row = [
            name.clone(),
            server.tools.len().to_string(),
            server.calls.to_string(),
            server.stopped.to_string(),
            long_ago(server.last_at, machine.now),
            word(strictest(name, server, &machine, &policy)).to_owned(),
            server.reached.clone().unwrap_or_else(|| "not said by the host".to_owned()),
        ];
        table.row(row.map(|cell| printable(&cell).into_owned()).into());
    }
    Ok(super::print(&table.render()))
}

/// The servers with calls since a time, by name.
fn servers(reading: &Reading, since: u64) -> Result<BTreeMap<String, Server>, CommandError> {
    let mut servers: BTreeMap<String, Server> = BTreeMap::new();
    let query = Query { since: Some(since), tool: Some("MCP"), ..Query::default() };
    reading.each(&query, |record| {
        count(&mut servers, &record);
        Ok(())
    })?;
    Ok(servers)
}

fn count(servers: &mut BTreeMap<String, Server>, record: &Record<'_>) {
    // A call is also recorded after it, and its copies are the same call.
    let is_call = matches!(&*record.event, "PreToolUse" | "PermissionRequest") && !record.again;
    for deed in &record.actions {
        let Deed::Mcp { server, tool, command, url, .. } = deed else { continue };
        let name = server.as_deref().filter(|name| !name.is_empty()).unwrap_or("unknown");
        let known = servers.entry(name.to_owned()).or_default();
        let stops = matches!(record.decision.as_deref(), Some("deny" | "ask"));
        known.calls = known.calls.saturating_add(u64::from(is_call));
        known.stopped = known.stopped.saturating_add(u64::from(is_call && stops));
        known.last_at = known.last_at.max(record.at);
        let tool = tool.as_deref().unwrap_or_default().to_owned();
        let calls = known.tools.entry(tool).or_default();
        *calls = calls.saturating_add(u64::from(is_call));
        if !known.hosts.iter().any(|host| *host == record.host) {
            known.hosts.push(record.host.to_string());
        }
        let reached = command.as_deref().or(url.as_deref()).map(str::to_owned);
        known.reached = reached.or_else(|| known.reached.take());
    }
}

/// The strictest answer of the policy to the tools that were used.
fn strictest(
    name: &str,
    server: &Server,
    machine: &LocalMachine,
    policy: &Policy,
) -> Option<Decision> {
    server.tools.keys().filter_map(|tool| answer(name, tool, machine, policy)).max()
}

fn answer(server: &str, tool: &str, machine: &LocalMachine, policy: &Policy) -> Option<Decision> {
    let name = format!("{server}/{tool}");
    let event = Sample::Mcp(&name);
    guard::judgement(machine, policy, &event.event(machine.cwd.as_deref())).verdict.decision
}

fn object(name: &str, server: &Server, machine: &LocalMachine, policy: &Policy) -> Value {
    let tool = |(tool, calls): (&String, &u64)| {
        let decision = word(answer(name, tool, machine, policy));
        json!({ "tool": tool, "calls": calls, "policy": decision })
    };
    json!({
        "server": name,
        "hosts": server.hosts,
        "calls": server.calls,
        "stopped": server.stopped,
        "last_ms": server.last_at,
        "reached_by": server.reached,
        "tools": server.tools.iter().map(tool).collect::<Vec<_>>(),
    })
}
