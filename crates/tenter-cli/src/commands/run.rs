//! Help of `tenter run`. The command itself is dispatched before clap: see `crate::run`.

use std::ffi::OsString;
use std::time::Duration;

use tenter_model::HostId;
use tenter_policy::policy::Speaks;

use super::hook::BridgeArgs;
use super::host_id;
use crate::{arguments, wiring};

/// Run a handler in any language as a hook of any host
///
/// The handler gets the unified event as JSON on stdin and prints a unified response: an object with any of
/// `decision` (allow, deny, ask), `reason`, `user_message`, `modified_input` and `additional_context`. With
/// --speaks it is a script written for one host instead. No output means no opinion. Exit 0: the output is the
/// answer. Exit 2: deny, with stderr as the reason. Any other exit code, a crash, a timeout or invalid output
/// is a failure, and --on-failure applies. `tenter schema event` and `tenter schema response` describe both
/// documents.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The calling host [default: detected from the payload]
    #[arg(long, value_name = "cursor|claude|codex", value_parser = host_id)]
    host: Option<HostId>,
    /// The host whose hooks CMD was written for: it gets that host's payloads and answers as there, whichever
    /// host calls
    #[arg(long, value_name = "cursor|claude|codex", value_parser = arguments::speaks)]
    speaks: Option<Speaks>,
    /// Timeout of the call; a handler that ignores SIGTERM gets 2s more
    #[arg(long, value_name = "TIME", default_value = wiring::TIMEOUT, value_parser = arguments::duration)]
    timeout: Duration,
    /// Fail mode of the handler: `open` allows the call, `closed` blocks it, `ask` asks you, and blocks it
    /// where the host cannot ask
    #[arg(long, value_name = "open|closed|ask", default_value = "open", value_parser = arguments::fail_mode)]
    on_failure: tenter_hosts::FailMode,
    #[command(flatten)]
    bridge: BridgeArgs,
    /// The handler and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}
