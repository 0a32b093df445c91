//! The targets, and the table that compares them with the measurements.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::stats::Summary;
use crate::smoke::MEMORY_FACTOR;

/// All measurements of one program.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) what: &'static str,
    pub(super) payload: usize,
    pub(super) time: Summary,
    pub(super) instructions: Option<u64>,
    pub(super) peak_memory: Option<u64>,
}

/// In order of measurement, which is also the table's order.
#[derive(Debug, Default)]
pub(super) struct Results(pub(super) Vec<(&'static str, Row)>);

/// Unit of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// One measurement over another of the same run.
    Ratio,
    /// Absolute time, where hooks sleep or the target is absolute.
    Milliseconds,
    /// Instructions in user space.
    Minstr,
}

impl Unit {
    fn suffix(self) -> &'static str {
        match self {
            Self::Ratio => "x",
            Self::Milliseconds => " ms",
            Self::Minstr => " Minstr",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    AtMost,
    Below,
    AtLeast,
    /// For information, without a target.
    None,
}

/// A target and the measured value.
#[derive(Debug)]
pub(super) struct Target {
    what: &'static str,
    /// `None` when a part could not be measured.
    measured: Option<f64>,
    unit: Unit,
    bound: Bound,
    limit: f64,
}

impl Target {
    /// A target that could not be measured is not met.
    pub(super) fn is_met(&self) -> bool {
        match (self.bound, self.measured) {
            (Bound::None, _) => true,
            (_, None) => false,
            (Bound::AtMost, Some(measured)) => measured <= self.limit,
            (Bound::Below, Some(measured)) => measured < self.limit,
            (Bound::AtLeast, Some(measured)) => measured >= self.limit,
        }
    }

    fn wanted(&self) -> String {
        let (limit, unit) = (self.limit, self.unit.suffix());
        match self.bound {
            Bound::AtMost => format!("at most {limit}{unit}"),
            Bound::Below => format!("below {limit}{unit}"),
            Bound::AtLeast => format!("at least {limit}{unit}"),
            Bound::None => "-".to_owned(),
        }
    }

    fn mark(&self) -> &'static str {
        match (self.bound, self.measured.is_some(), self.is_met()) {
            (Bound::None, ..) => "for information",
            (_, false, _) => "NOT MEASURED",
            (_, _, true) => "pass",
            (_, _, false) => "MISSED",
        }
    }
}

impl Results {
    fn row(&self, key: &str) -> Option<&Row> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, row)| row)
    }

    fn median(&self, key: &str) -> Option<f64> {
        self.row(key).map(|row| row.time.median)
    }

    fn ratio(&self, over: &str, under: &str) -> Option<f64> {
        Some(self.median(over)? / self.median(under)?)
    }

    /// Peak memory of the hook on the large payload, as a multiple of the payload.
    #[expect(clippy::cast_precision_loss, reason = "megabytes are exact in an f64")]
    fn memory(&self) -> Option<f64> {
        let row = self.row("hook-large")?;
        Some(row.peak_memory? as f64 / row.payload as f64)
    }

    /// Overhead of `tenter run` over its handler, as a multiple of the process `unit`.
    fn added(&self, unit: &str) -> Option<f64> {
        Some((self.median("run")? - self.median("floor")?) / self.median(unit)?)
    }

    fn milliseconds(&self, key: &str) -> Option<f64> {
        Some(self.median(key)? / 1e3)
    }

    /// All targets.
    pub(super) fn targets(&self) -> Vec<Target> {
        let mut targets = self.bridge();
        targets.extend(self.engine());
        targets.extend(self.shell());
        targets.extend(self.guard());
        targets
    }

    /// Targets of the bridge: medians of wall time, compared within one run.
    #[expect(clippy::cast_precision_loss, reason = "the factor is a single digit")]
    fn bridge(&self) -> Vec<Target> {
        let target = |what, measured, bound, limit| Target {
            what,
            measured,
            unit: Unit::Ratio,
            bound,
            limit,
        };
        vec![
            target("hook / true, 1 KB", self.ratio("hook", "true"), Bound::AtMost, 1.0),
            target("hook / floor, 1 KB", self.ratio("hook", "floor"), Bound::None, 0.0),
            target("hook / floor-parse, 1 KB", self.ratio("hook", "floor-parse"), Bound::None, 0.0),
            target("node / hook, 1 KB", self.ratio("node", "hook"), Bound::AtLeast, 30.0),
            target("python3 / hook, 1 KB", self.ratio("python3", "hook"), Bound::AtLeast, 20.0),
            target(
                "hook / floor-parse, 5 MB",
                self.ratio("hook-large", "floor-parse-large"),
                Bound::AtMost,
                3.0,
            ),
            target(
                "peak memory / payload, 5 MB",
                self.memory(),
                Bound::Below,
                MEMORY_FACTOR as f64,
            ),
            target("(run - handler) / true", self.added("true"), Bound::AtMost, 1.0),
            target("(run - handler) / floor", self.added("floor"), Bound::None, 0.0),
        ]
    }

    /// Targets of the engine.
    fn engine(&self) -> [Target; 5] {
        let ratio = |what, over, under, limit| Target {
            what,
            measured: self.ratio(over, under),
            unit: Unit::Ratio,
            bound: Bound::Below,
            limit,
        };
        let time = |what, key, bound, limit| Target {
            what,
            measured: self.milliseconds(key),
            unit: Unit::Milliseconds,
            bound,
            limit,
        };
        [
            ratio("fire / sh -c, one hook", "engine-fire", "engine-bare", 1.15),
            time("8 hooks of 50 ms", "engine-eight", Bound::Below, 80.0),
            time("load 7 layers, 200 entries", "engine-load", Bound::Below, 5.0),
            time("load 7 layers, 200 each", "engine-load-each", Bound::None, 0.0),
            // A blocking reload would add its own milliseconds to each event.
            ratio("event while reloading", "engine-reloading", "engine-still", 1.15),
        ]
    }

    /// Targets of analysing a command.
    fn shell(&self) -> Vec<Target> {
        let linear = |over, under| {
            // A text sixteen times as long should take sixteen times as long.
            self.ratio(over, under).map(|ratio| ratio / 16.0)
        };
        let target =
            |what, measured, unit, bound, limit| Target { what, measured, unit, bound, limit };
        vec![
            target(
                "140 bytes to effects",
                self.milliseconds("shell-typical"),
                Unit::Milliseconds,
                Bound::AtMost,
                0.06,
            ),
            target(
                "140 bytes to effects",
                self.minstr("shell-typical"),
                Unit::Minstr,
                Bound::AtMost,
                0.25,
            ),
            target(
                "64 KB / 16 x 4 KB",
                linear("shell-64k", "shell-4k"),
                Unit::Ratio,
                Bound::AtMost,
                1.5,
            ),
            target(
                "instructions / committed",
                self.worst(super::shell::MEASURED.iter().map(|(key, _, count)| (*key, *count))),
                Unit::Ratio,
                Bound::AtMost,
                1.05,
            ),
        ]
    }

    /// Targets of the guard, with all guards on.
    fn guard(&self) -> Vec<Target> {
        let target =
            |what, measured, unit, bound, limit| Target { what, measured, unit, bound, limit };
        let more = |key, than| Some(self.milliseconds(key)? - self.milliseconds(than)?);
        let added = || more("hook-rules", "hook");
        // Includes the sign of life, so it is slightly more than the record alone.
        let recorded = || more("hook", "hook-unrecorded");
        vec![
            target("one command judged", self.minstr("hook"), Unit::Minstr, Bound::AtMost, 0.8),
            target("200 rules more", added(), Unit::Milliseconds, Bound::AtMost, 0.2),
            target("the record", recorded(), Unit::Milliseconds, Bound::AtMost, 0.15),
            target(
                "a file of 5 KB / a command",
                self.ratio("hook-read", "hook"),
                Unit::Ratio,
                Bound::AtMost,
                1.3,
            ),
            target(
                "1 MB scanned for secrets",
                self.milliseconds("clean-1m"),
                Unit::Milliseconds,
                Bound::Below,
                6.0,
            ),
            target(
                "hook calls / committed",
                self.worst(super::guard::COMMITTED.iter().copied()),
                Unit::Ratio,
                Bound::AtMost,
                super::guard::DRIFT,
            ),
        ]
    }

    #[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
    fn minstr(&self, key: &str) -> Option<f64> {
        Some(self.row(key)?.instructions? as f64 / 1e6)
    }

    /// The worst ratio of measured to committed counts.
    #[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
    fn worst(&self, committed: impl Iterator<Item = (&'static str, u64)>) -> Option<f64> {
        let ratios = committed
            .map(|(key, committed)| Some(self.row(key)?.instructions? as f64 / committed as f64));
        ratios.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
    }

    pub(super) fn print(&self, targets: &[Target]) {
        println!(
            "\n{:<18} {:<26} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}",
            "program", "what it does", "runs", "median", "p95", "min", "cpu", "Minstr", "peak MB"
        );
        for (key, row) in &self.0 {
            println!("{}", line(key, row));
        }
        println!("times in ms; cpu = median of user and system time\n");
        for target in targets {
            let unit = target.unit.suffix();
            let measured =
                target.measured.map_or("-".to_owned(), |found| format!("{found:.2}{unit}"));
            println!(
                "{:<28} {measured:>9}   {:<15} {}",
                target.what,
                target.wanted(),
                target.mark()
            );
        }
    }

    pub(super) fn json(&self, targets: &[Target]) -> Value {
        let programs: BTreeMap<_, _> =
            self.0.iter().map(|(key, row)| (key, row_json(row))).collect();
        let targets: Vec<_> = targets
            .iter()
            .map(|target| {
                json!({
                    "target": target.what,
                    "measured": target.measured,
                    "unit": target.unit.suffix().trim(),
                    "wanted": target.wanted(),
                    "result": target.mark(),
                })
            })
            .collect();
        json!({ "programs": programs, "targets": targets })
    }
}

fn line(key: &str, row: &Row) -> String {
    let ms = |micros: f64| format!("{:.3}", micros / 1e3);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    format!(
        "{key:<18} {:<26} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}",
        row.what,
        row.time.runs,
        ms(row.time.median),
        ms(row.time.p95),
        ms(row.time.min),
        or_dash(row.time.cpu_median.map(ms)),
        or_dash(row.instructions.map(|count| in_millions(count, 3))),
        or_dash(row.peak_memory.map(|bytes| in_millions(bytes, 1))),
    )
}

#[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
fn in_millions(count: u64, digits: usize) -> String {
    format!("{:.digits$}", count as f64 / 1e6)
}

fn row_json(row: &Row) -> Value {
    json!({
        "payload_bytes": row.payload,
        "runs": row.time.runs,
        "median_us": row.time.median,
        "p95_us": row.time.p95,
        "min_us": row.time.min,
        "cpu_median_us": row.time.cpu_median,
        "instructions": row.instructions,
        "peak_memory_bytes": row.peak_memory,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(medians: &[(&'static str, f64)]) -> Results {
        let row = |median| Row {
            what: "",
            payload: 1_000_000,
            time: Summary { runs: 1, median, p95: median, min: median, cpu_median: None },
            instructions: None,
            peak_memory: Some(3_000_000),
        };
        Results(medians.iter().map(|(key, median)| (*key, row(*median))).collect())
    }

    fn met(results: &Results) -> Vec<bool> {
        results.targets().iter().map(Target::is_met).collect()
    }

    #[test]
    fn good_figures_meet_every_target() {
        let good = results(&[
            ("true", 1000.0),
            ("floor", 450.0),
            ("floor-parse", 480.0),
            ("hook", 500.0),
            ("run", 1400.0),
            ("python3", 20_000.0),
            ("node", 40_000.0),
            ("floor-parse-large", 10_000.0),
            ("hook-large", 11_000.0),
            ("engine-bare", 2000.0),
            ("engine-fire", 2200.0),
            ("engine-eight", 65_000.0),
            ("engine-load", 3000.0),
            ("engine-still", 52_000.0),
            ("engine-reloading", 53_000.0),
            ("shell-typical", 40.0),
            ("shell-4k", 600.0),
            ("shell-64k", 10_000.0),
            ("hook-unrecorded", 400.0),
            ("hook-rules", 600.0),
            ("hook-read", 500.0),
            ("clean-1m", 3000.0),
        ]);
        // Instructions are not in the sample; an unmeasured target is not met.
        let mut all = [true; 24];
        for unmeasured in [15, 17, 18, 23] {
            all[unmeasured] = false;
        }
        assert_eq!(met(&good), all);
    }

    #[test]
    fn each_target_can_be_missed() {
        let bad = results(&[
            ("true", 500.0),
            ("floor", 300.0),
            ("floor-parse", 300.0),
            ("hook", 550.0),
            ("run", 900.0),
            ("python3", 8000.0),
            ("node", 12_000.0),
            ("floor-parse-large", 10_000.0),
            ("hook-large", 31_000.0),
            ("engine-bare", 2000.0),
            ("engine-fire", 2300.0),
            ("engine-eight", 80_000.0),
            ("engine-load", 5000.0),
            ("engine-still", 52_000.0),
            ("engine-reloading", 60_000.0),
            ("shell-typical", 61.0),
            ("shell-4k", 600.0),
            ("shell-64k", 15_000.0),
            ("hook-unrecorded", 350.0),
            ("hook-rules", 800.0),
            ("hook-read", 800.0),
            ("clean-1m", 6000.0),
        ]);
        // Some are for information; memory is equal in both samples.
        let (bridge, engine) = (bad.bridge(), bad.engine());
        let met = |targets: &[Target]| targets.iter().map(Target::is_met).collect::<Vec<_>>();
        assert_eq!(met(&bridge), [false, true, true, false, false, false, true, false, true]);
        assert_eq!(met(&engine), [false, false, false, true, false]);
        assert_eq!(met(&bad.shell()), [false; 4]);
        assert_eq!(met(&bad.guard()), [false; 6]);
    }

    #[test]
    fn what_was_not_measured_was_not_met() {
        let nothing = Results::default();
        let targets = nothing.targets();
        assert!(targets.iter().all(|target| target.is_met() == (target.bound == Bound::None)));
        assert_eq!(targets[0].mark(), "NOT MEASURED");
    }
}
