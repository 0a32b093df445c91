//! `cargo xtask storm`: fuzzes the release binary in a hostile environment.
//!
//! The libFuzzer targets call pure functions with an empty environment. Here the whole program is started as
//! a host starts it, with payload, policy files, file system, environment and resource limits generated
//! together. Every call must end in time with an answer of ours: dangerous commands are blocked, calls leave
//! a trace, and the guard's settings stay unchanged.

mod call;
mod oracle;
mod random;
mod world;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::args::Args;
use crate::dist;
use crate::error::{Context, Error, Result};
use crate::workspace::Workspace;

use self::call::Call;
use self::random::Random;
use self::world::World;

/// Calls per environment: the first compiles the policy, the others use what it left.
const CALLS: u32 = 3;

/// Number of faults after which a run stops: most have one cause.
const MOST_FAULTS: usize = 20;

pub(crate) fn run(workspace: &Workspace, args: &mut Args) -> Result<()> {
    let seconds = args.number("--seconds", 60)?;
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let seed = args.number("--seed", clock)?;
    let binary = args.value("--binary")?.map(PathBuf::from);
    args.finish()?;
    let binary = match binary {
        Some(binary) => binary,
        None => dist::build(workspace)?.binary,
    };
    weather(&binary, seconds, seed)
}

/// Runs calls for `seconds`; fails with every fault found.
pub(crate) fn weather(binary: &Path, seconds: u64, seed: u64) -> Result<()> {
    let binary = binary.canonicalize().context(format!("finding {}", binary.display()))?;
    let begun = Instant::now();
    let mut tally = Tally::default();
    let mut faults: Vec<String> = Vec::new();
    // Environments are numbered from the seed, so that one can be repeated.
    let mut number = seed;
    while begun.elapsed() < Duration::from_secs(seconds) && faults.len() < MOST_FAULTS {
        let mut random = Random::new(number);
        let world = World::build(&mut random)?;
        for _ in 0..CALLS {
            let call = Call::new(&mut random, &world);
            let before = world.trace();
            let ran = call.run(&binary, &world)?;
            tally.add(&call, &ran);
            if let Some(fault) = oracle::fault(&call, &ran, &world, &before) {
                println!("world {number}: {fault}\n  {}\n  {}", world.summary(), call.summary());
                faults.push(fault);
            }
        }
        world.clear();
        number = number.wrapping_add(1);
    }
    println!("storm: worlds {seed} to {}: {tally}", number.wrapping_sub(1));
    match faults.len() {
        0 => Ok(()),
        count => Err(Error::new(format!(
            "{count} faults; repeat one with `cargo xtask storm --seconds 1 --seed WORLD`"
        ))),
    }
}

/// Counters for the summary.
#[derive(Debug, Default)]
struct Tally {
    calls: u64,
    dangers: u64,
    slowest: Duration,
}

impl Tally {
    fn add(&mut self, call: &Call, ran: &call::Ran) {
        self.calls += 1;
        self.dangers += u64::from(call.danger);
        self.slowest = self.slowest.max(ran.took);
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { calls, dangers, slowest } = self;
        write!(f, "{calls} calls, {dangers} of them dangerous, slowest {} ms", slowest.as_millis())
    }
}
