//! `tenter mcp`: the MCP servers that agents use.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};
use tenter_audit::record::{Deed, Record};
use tenter_audit::store::Query;
use tenter_engine::diagnostic::printable;
use tenter_model::Decision;
use tenter_policy::secrets::{Known, redact};
use tenter_policy::{Policy, Sample};
use tenter_setup::scan;

use super::schema::parts::Field::Always;
use super::schema::parts::{
    document, list, moment, number, object as fields, or_null, text, texts, word as one_of,
};
use super::sessions::none_yet;
use super::verdict::word;
use crate::clock::{When, long_ago};
use crate::error::CommandError;
use crate::guard::{self, LocalMachine, policies};
use crate::reading::{Reading, warn};
use crate::table::Table;

/// List the MCP servers that agents use, and what the policy says to their tools
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List servers of the record and of the hosts' files: tools, calls, stops, where they are
    /// configured, how they are reached, and the policy's answer
    List {
        /// Count only calls not before: `90s`, `30m`, `2h`, `7d`, `2w` ago, or a date
        #[arg(long, value_name = "TIME", value_parser = When::parse, default_value = "30d")]
        since: When,
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
}

/// A server as the record and the files of the hosts know it.
#[derive(Debug, Default)]
struct Server {
    tools: BTreeMap<String, u64>,
    hosts: Vec<String>,
    calls: u64,
    stopped: u64,
    last_at: Option<u64>,
    /// Its command or address.
    reached: Option<String>,
    /// Places of its configuration, as `~/.cursor/mcp.json:3`.
    configured: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let What::List { since, json } = &args.what;
    let machine = LocalMachine::read();
    let reading = Reading::open(&machine)?;
    let mut servers = servers(&reading, since.moment(machine.now_ms))?;
    let warnings = configured(&machine, &mut servers);
    let policy = policies::load(&machine.folders, &machine.here()).policy;
    for warning in &warnings {
        warn(warning);
    }
    if *json {
        let rows: Vec<Value> =
            servers.iter().map(|(name, server)| object(name, server, &machine, &policy)).collect();
        return Ok(super::print(&format!("{:#}", Value::Array(rows))));
    }
    if servers.is_empty() {
        let none = none_yet(&reading, &machine)?;
        let text = "no MCP server is configured here, and no call of one is recorded; --since looks further back";
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
        "configured in",
        "reached by",
    ]);
    for (name, server) in &servers {
        let row = [
            name.clone(),
            server.tools.len().to_string(),
            server.calls.to_string(),
            server.stopped.to_string(),
            server.last_at.map_or_else(|| "-".to_owned(), |at| long_ago(at, machine.now)),
            word(strictest(name, server, &machine, &policy)).to_owned(),
            Some(server.configured.join(", "))
                .filter(|it| !it.is_empty())
                .unwrap_or_else(|| "not found".to_owned()),
            server.reached.clone().unwrap_or_else(|| "unknown".to_owned()),
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
        known.last_at = known.last_at.max(Some(record.at));
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

/// Adds the servers configured in the home and in the work folder; returns why files could not be read.
fn configured(machine: &LocalMachine, servers: &mut BTreeMap<String, Server>) -> Vec<String> {
    let mut warnings = Vec::new();
    let secrets = machine.secrets();
    let clean = |text: &str| redact(text, &Known { values: &secrets }).into_owned();
    let home = machine.variable("HOME").map(|home| ("~", Path::new(home)));
    let project = machine.cwd.as_deref().map(|cwd| (".", Path::new(cwd)));
    let same = home.zip(project).is_some_and(|((_, home), (_, project))| home == project);
    for (shown, root) in home.into_iter().chain(project.filter(|_| !same)) {
        for item in scan::mcp_servers(root) {
            let place = format!("{shown}/{}:{}", item.file, item.line);
            if item.kind == scan::Kind::Unreadable {
                warnings.push(format!("{place}: {}", item.what));
                continue;
            }
            let server = servers.entry(item.name.clone()).or_default();
            server.configured.push(place);
            let reached = item.command.map(|it| it.text).or(item.url);
            server.reached = reached.as_deref().map(clean).or_else(|| server.reached.take());
        }
    }
    warnings
}

/// The strictest answer of the policy to the tools that were used, or its answer to any other tool.
fn strictest(
    name: &str,
    server: &Server,
    machine: &LocalMachine,
    policy: &Policy,
) -> Option<Decision> {
    let ask = |tool: &str| answer(name, tool, machine, policy);
    if server.tools.is_empty() {
        return ask("tool");
    }
    server.tools.keys().filter_map(|tool| ask(tool)).max()
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
        "configured_in": server.configured,
        "reached_by": server.reached,
        "tools": server.tools.iter().map(tool).collect::<Vec<_>>(),
    })
}

/// Schema of `mcp list --json`.
pub(crate) fn schema() -> Value {
    let tool = fields([
        Always("tool", text("Its name")),
        Always("calls", number("How often it was called")),
        Always("policy", one_of(&["allow", "ask", "deny", "none"])),
    ]);
    let server = fields([
        Always("server", text("Its name")),
        Always("hosts", texts("Hosts that called it")),
        Always("calls", number("How often its tools were called")),
        Always("stopped", number("How many of these calls were denied or asked about")),
        Always("last_ms", or_null(moment("Its last call"))),
        Always("configured_in", texts("Files and lines that configure it")),
        Always("reached_by", or_null(text("Its command or address, without secrets"))),
        Always("tools", list(tool)),
    ]);
    document("MCP servers", "Output of `tenter mcp list --json`", list(server))
}
