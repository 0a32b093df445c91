//! Help of `tenter hook`. The command itself is dispatched before clap: see `crate::hook`.

use super::host_id;
use crate::arguments;

/// Answer one hook call of a host (wire this into the host's configuration)
///
/// Reads the host's JSON on stdin, judges it by the policy and answers in the host's own dialect. Without any
/// policy file the preset `recommended` holds; what is not found to be dangerous is answered neutrally, and the
/// host goes on as if there were no hook.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The host that calls: cursor, claude or codex
    #[arg(value_parser = host_id)]
    host: tenter_model::HostId,
    /// What happens when the hook itself fails, instead of what the policy's `fail` says: `open` lets the
    /// action go on, `closed` stops it, `ask` asks the human and stops it where the host cannot ask
    #[arg(long, value_name = "open|closed|ask", value_parser = arguments::fail_mode)]
    on_failure: Option<tenter_hosts::FailMode>,
    #[command(flatten)]
    bridge: BridgeArgs,
}

/// Options shared by `hook` and `run`.
#[derive(Debug, clap::Args)]
pub(crate) struct BridgeArgs {
    /// What becomes of an `ask` that Cursor would swallow
    #[arg(long, value_name = "deny|ask|allow", default_value = "deny", value_parser = arguments::ask_fallback)]
    pub(crate) cursor_ask: tenter_hosts::AskFallback,
    /// What becomes of an `ask` on Claude Code
    #[arg(long, value_name = "deny|ask|allow", default_value = "ask", value_parser = arguments::ask_fallback)]
    pub(crate) claude_ask: tenter_hosts::AskFallback,
    /// What becomes of an `ask` on Codex, which has no word for it
    #[arg(long, value_name = "deny|allow", default_value = "deny", value_parser = arguments::codex_ask_fallback)]
    pub(crate) codex_ask: tenter_hosts::AskFallback,
    /// The exit code of a deny; the JSON is the same
    #[arg(long, value_name = "0|2", default_value = "0", value_parser = arguments::deny_exit)]
    pub(crate) deny_exit: u8,
    /// The most that is read from stdin
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = arguments::bytes)]
    pub(crate) max_bytes: u64,
}
