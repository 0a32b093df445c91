//! `tenter schema`: the unified documents as JSON Schema.

pub(super) mod parts;

use std::process::ExitCode;

use clap::ValueEnum;

/// Print the JSON Schema of a document
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    document: Document,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Document {
    /// Input of a handler on stdin
    Event,
    /// Output of a handler on stdout
    Response,
    /// Output of `tenter matrix --json`
    Matrix,
    /// Output of `tenter fire --json` and `tenter serve`
    Outcome,
    /// Output of `tenter explain --json`
    Explain,
    /// Output of `tenter check --json`
    Check,
    /// Policy file
    Policy,
    /// One line of the record, and of `tenter log --json`
    Record,
    /// Output of `tenter sessions --json`, line by line
    Sessions,
    /// Output of `tenter show --json`, line by line
    Show,
    /// Output of `tenter stats --json`
    Stats,
    /// Output of `tenter replay --json`
    Replay,
    /// Output of `tenter verify --json`
    Verify,
    /// Output of `tenter prune --json`
    Prune,
    /// Output of `tenter bench --json`
    Bench,
    /// Output of `tenter mcp list --json`
    Mcp,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let schema = match args.document {
        Document::Event => tenter_model::schema::event(),
        Document::Response => tenter_model::schema::response(),
        Document::Matrix => tenter_hosts::matrix::schema(),
        Document::Outcome => tenter_engine::report_schema::outcome(),
        Document::Explain => super::explain::schema(),
        Document::Check => super::check::schema(),
        Document::Record => tenter_audit::schema::record(),
        Document::Sessions => super::sessions::schema(),
        Document::Show => super::show::schema(),
        Document::Stats => super::stats::schema(),
        Document::Replay => super::replay::schema(),
        Document::Verify => super::verify::schema(),
        Document::Prune => super::prune::schema(),
        Document::Bench => super::bench::schema(),
        Document::Mcp => super::mcp::schema(),
        Document::Policy => return super::print(&tenter_policy::policy::schema::text()),
    };
    super::print(&format!("{schema:#}"))
}
