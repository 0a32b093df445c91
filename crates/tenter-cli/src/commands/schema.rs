//! `tenter schema`: the unified documents as JSON Schema.

pub(super) mod parts;

use std::process::ExitCode;

use clap::ValueEnum;

/// Print the JSON Schema of a document: what a handler reads and prints, the matrix, an outcome, an explanation, a policy file, a record, a replay, what readers of the record print
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    document: Document,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Document {
    /// What a handler reads on stdin
    Event,
    /// What a handler may print on stdout
    Response,
    /// What `tenter matrix --json` prints
    Matrix,
    /// What `tenter fire --json` prints and `tenter serve` answers
    Outcome,
    /// What `tenter explain --json` prints
    Explain,
    /// What `tenter check --json` prints
    Check,
    /// What a policy file may hold
    Policy,
    /// What one line of the record holds, and `tenter log --json` prints
    Record,
    /// What `tenter sessions --json` prints, line by line
    Sessions,
    /// What `tenter show --json` prints, line by line
    Show,
    /// What `tenter stats --json` prints
    Stats,
    /// What `tenter replay --json` prints
    Replay,
    /// What `tenter verify --json` prints
    Verify,
    /// What `tenter prune --json` prints
    Prune,
    /// What `tenter bench --json` prints
    Bench,
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
        Document::Policy => return super::print(&tenter_policy::policy::schema::text()),
    };
    super::print(&format!("{schema:#}"))
}
