//! `tenter matrix`: support of each answer field, per host.

use std::process::ExitCode;

use tenter_hosts::matrix;
use tenter_model::HostId;

use super::host_id;
use crate::table::Table;

/// Show how each host treats each field of an answer, event by event
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only this host
    #[arg(long, value_name = "cursor|claude|codex", value_parser = host_id)]
    host: Option<HostId>,
    /// Print JSON (see `tenter schema matrix`)
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the page that is in docs/matrix.md
    #[arg(long)]
    markdown: bool,
    /// With --markdown: one line per unified event
    #[arg(long, requires = "markdown")]
    summary: bool,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    if args.json {
        return super::print(&format!("{:#}", matrix::to_json(args.host)));
    }
    if args.markdown {
        let page =
            if args.summary { matrix::summary_markdown() } else { matrix::to_markdown(args.host) };
        return super::print(&page);
    }
    let hosts = HostId::ALL.into_iter().filter(|id| args.host.is_none_or(|only| only == *id));
    let mut page = String::new();
    for id in hosts {
        page.push_str(&render(id));
    }
    page.push_str(
        "hard: the host does it   prompt: it asks you   advisory: text only   -: dropped, with a \
         warning\nR recorded   D documented   C reported by users   ? assumed\n\
         Fields, versions and notes: tenter matrix --markdown, or --json\n",
    );
    super::print(&page)
}

/// Column headings for a terminal.
const HEADER: &[&str] =
    &["event", "allow", "deny", "ask", "reason", "message", "rewrite", "context"];

fn render(id: HostId) -> String {
    let mut table = Table::compact(HEADER);
    for spec in tenter_hosts::host(id).events() {
        let mut row = vec![spec.native.to_owned()];
        row.extend(matrix::cells(spec).into_iter().map(matrix::short_cell));
        table.row(row);
    }
    format!("{}\n{}\n", id.title(), table.render())
}
