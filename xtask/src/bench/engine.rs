//! Benchmarks of the engine as a library: a separate program measures, this module evaluates.

use std::time::Duration;

use serde_json::Value;

use super::report::Row;
use super::stats::{Sample, Summary};
use crate::error::{Context, Error, Result};
use crate::process;
use crate::workspace::{Workspace, program};

/// Measurements, by the names that the program prints.
const MEASURED: &[(&str, &str)] = &[
    ("engine-bare", "sh -c of a small hook"),
    ("engine-fire", "the same hook, fired"),
    ("engine-eight", "8 hooks of 50 ms at a time"),
    ("engine-load", "7 layers, 200 entries"),
    ("engine-load-each", "7 layers, 200 entries each"),
    ("engine-still", "a hook of 50 ms"),
    ("engine-reloading", "the same while reloading"),
];

/// Builds the measuring program like any user of the engine, and runs it.
pub(super) fn measure(workspace: &Workspace, runs: usize) -> Result<Vec<(&'static str, Row)>> {
    let mut build = workspace.cargo();
    build.args(["build", "--locked", "--release", "--package", "tenter-engine"]);
    process::run(build.args(["--example", "engine_bench"]))?;
    let path = workspace.target.join("release/examples").join(program("engine_bench"));
    let printed = process::output(std::process::Command::new(path).arg(runs.to_string()))?;
    let printed = serde_json::from_str(&printed).context("reading what engine_bench printed")?;
    MEASURED.iter().map(|(key, what)| Ok((*key, row(key, what, &printed)?))).collect()
}

pub(super) fn row(key: &str, what: &'static str, printed: &Value) -> Result<Row> {
    let times = printed.get(key).and_then(Value::as_array);
    let times = times.ok_or_else(|| Error::new(format!("`{key}` was not measured")))?;
    let sample = |time: &Value| {
        let wall = Duration::try_from_secs_f64(time.as_f64()? / 1e6).ok()?;
        Some(Sample { wall, cpu: None })
    };
    let samples: Option<Vec<Sample>> = times.iter().map(sample).collect();
    let samples = samples.filter(|samples| !samples.is_empty());
    let samples = samples.ok_or_else(|| Error::new(format!("`{key}` has no usable times")))?;
    let time = Summary::of(&samples);
    Ok(Row { what, payload: 0, time, instructions: None, peak_memory: None })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn printed_microseconds_become_a_row() {
        let printed = json!({ "engine-fire": [3000.0, 1000.0, 2000.0] });
        let row = row("engine-fire", "", &printed).unwrap();
        assert_eq!(row.time.runs, 3);
        assert!((row.time.median - 2000.0).abs() < 0.01);
        assert!((row.time.p95 - 3000.0).abs() < 0.01);
    }

    #[test]
    fn what_was_not_printed_is_an_error() {
        assert!(row("engine-fire", "", &json!({})).is_err());
        assert!(row("engine-fire", "", &json!({ "engine-fire": [] })).is_err());
        assert!(row("engine-fire", "", &json!({ "engine-fire": [-1.0] })).is_err());
    }
}
