//! Help of `tenter hook`. The command itself is dispatched before clap: see `crate::hook`.

use tenter_model::HostId;

use super::host_id;
use crate::arguments;

/// Answer one hook call of a host (wire this into the host's configuration)
///
/// Reads the host's JSON on stdin, judges the call by the policy and answers in the host's format. Without
/// a policy file the preset `recommended` applies. Calls without findings get a neutral answer, and the
/// host goes on as if there were no hook.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The host that calls: cursor, claude or codex
    #[arg(value_parser = host_id)]
    host: HostId,
    /// Fail mode of the hook, instead of the policy's `fail`: `open` allows the call, `closed` blocks it,
    /// `ask` asks you, and blocks it where the host cannot ask
    #[arg(long, value_name = "open|closed|ask", value_parser = arguments::fail_mode)]
    on_failure: Option<tenter_hosts::FailMode>,
    #[command(flatten)]
    bridge: BridgeArgs,
}

/// Options shared by `hook` and `run`.
#[derive(Debug, clap::Args)]
pub(crate) struct BridgeArgs {
    #[command(flatten)]
    asks: AskArgs,
    /// Exit code of a deny; the JSON stays the same
    #[arg(long, value_name = "0|2", default_value = "0", value_parser = arguments::deny_exit)]
    pub(crate) deny_exit: u8,
    /// Size limit for stdin
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = arguments::bytes)]
    pub(crate) max_bytes: u64,
}

/// `--cursor-ask` and the like, from the hosts' data.
#[derive(Debug)]
pub(crate) struct AskArgs;

impl clap::Args for AskArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        let options = HostId::ALL.into_iter().filter_map(|id| tenter_hosts::host(id).profile().ask);
        command.args(options.map(|option| {
            clap::Arg::new(option.name)
                .long(option.name)
                .help(option.help)
                .value_name(option.values)
                .default_value(option.default.as_str())
                .value_parser(move |text: &str| arguments::ask_fallback(text, &option))
        }))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for AskArgs {
    /// The hook reads its command line without clap: this is for help and completions.
    fn from_arg_matches(_matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self)
    }

    fn update_from_arg_matches(&mut self, _matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        Ok(())
    }
}
