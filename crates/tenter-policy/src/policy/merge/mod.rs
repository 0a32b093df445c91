//! Merges all layers. The highest layer that sets a value is the floor; lower layers count only where they
//! are stricter. The default is `recommended`, which a project cannot loosen either.

mod lists;
mod options;
mod record;

use super::problem::{Place, Problem, Severity};
use super::setting::preset_level;
use super::source::{self, FAILS, GuardLines, Source};
use super::{FailMode, Given, Layer, LayerText, Origin, Policy, Spot};
use crate::guards::GUARDS;
use crate::level::{Level, Preset};

/// Maximum number of tables in all files together: the cost of merging is quadratic.
const MOST_TABLES: usize = 2 * source::reader::MOST_TABLES;

pub(super) fn load(layers: &[LayerText<'_>], with_tests: bool) -> Policy {
    // The order of the caller does not matter.
    let mut order: Vec<&LayerText<'_>> = layers.iter().collect();
    order.sort_by(|one, other| (one.layer, one.path).cmp(&(other.layer, other.path)));
    order.dedup_by(|one, other| {
        one.layer == other.layer && one.path == other.path && one.text == other.text
    });
    let mut policy = Policy::preset(Preset::Recommended);
    let (mut sources, mut secrecy) = (Vec::new(), Vec::new());
    let mut tables = 0_usize;
    for layer in order {
        let index = u16::try_from(policy.files.len()).unwrap_or(u16::MAX);
        policy.files.push((layer.layer, layer.path.to_owned()));
        let parsed = source::parse(layer, index, with_tests).and_then(|source| {
            tables = tables.saturating_add(source.tables());
            if tables > MOST_TABLES { Err(source.refuse(too_many())) } else { Ok(source) }
        });
        match parsed {
            Ok(source) => sources.push(source),
            Err(broken) => {
                let line = broken.problems.first().map_or(0, |problem| problem.line);
                secrecy
                    .push((broken.secrecy, Origin::File(layer.layer, Spot { file: index, line })));
                policy.broken.extend_from_slice(&broken.problems);
                policy.problems.extend(broken.problems);
            }
        }
    }
    let mut merge = Merge { sources: &sources, policy };
    merge.levels();
    merge.fail();
    merge.record();
    merge.stop();
    for (secrecy, origin) in secrecy {
        merge.keep_secret(secrecy, origin);
    }
    merge.options();
    merge.rules();
    merge.exceptions();
    merge.handlers();
    for source in &sources {
        merge.policy.tests.extend_from_slice(&source.tests);
    }
    let place =
        |problem: &Problem| (problem.layer, problem.file.clone(), problem.line, problem.column);
    merge.policy.problems.sort_by_key(place);
    let ci = |source: &Source| source.extends.iter().any(|preset| preset.value == Preset::Ci);
    if sources.iter().any(ci) {
        merge.policy.leave_unattended();
    }
    merge.policy
}

fn too_many() -> String {
    format!(
        "with this file there are more than {MOST_TABLES} [[rule]], [[allow]] and [[handler]] tables"
    )
}

struct Merge<'m> {
    sources: &'m [Source],
    policy: Policy,
}

impl<'m> Merge<'m> {
    fn of(&self, layer: Layer) -> impl Iterator<Item = &'m Source> + use<'m> {
        self.sources.iter().filter(move |source| source.layer == layer)
    }

    fn warn(&mut self, source: &Source, place: Place, key: String, message: String) {
        self.policy.problems.push(Problem {
            severity: Severity::Warning,
            layer: source.layer,
            file: source.file.clone(),
            line: place.line,
            column: place.column,
            key,
            message,
        });
    }

    /// A layer's level for a check: the strictest of its lines, else of its presets.
    fn said(&self, layer: Layer, guard: usize, check: usize) -> Option<(Level, Origin)> {
        let lines = self.of(layer).flat_map(|source| {
            let of_guard = source.guards.iter().filter(move |lines| lines.guard == guard);
            of_guard.filter_map(move |lines| {
                line_level(lines, check).map(|(level, at)| (level, source.origin(at)))
            })
        });
        lines.reduce(tighter).or_else(|| self.preset(layer, guard, check))
    }

    fn preset(&self, layer: Layer, guard: usize, check: usize) -> Option<(Level, Origin)> {
        let guard = GUARDS.get(guard)?;
        let check = guard.checks.get(check)?;
        let presets = self.of(layer).flat_map(|source| &source.extends);
        presets
            .map(|preset| {
                let level = preset_level(guard, check, preset.value);
                (level, Origin::Preset(preset.value, layer))
            })
            .reduce(tighter)
    }

    /// The combined level of higher layers; `None` if they set none.
    fn above(&self, layer: Layer, guard: usize, check: usize) -> Option<(Level, Origin)> {
        let layers = Layer::ALL.into_iter().filter(|other| *other < layer);
        layers.filter_map(|other| self.said(other, guard, check)).reduce(tighter)
    }

    /// The same with `recommended` as default, for a project.
    fn floor(&self, layer: Layer, guard: usize, check: usize) -> Option<(Level, Origin)> {
        let above = self.above(layer, guard, check);
        if layer != Layer::Project {
            return above;
        }
        let at = self.policy.settings.get(guard).and_then(|setting| setting.levels.get(check));
        above.or(at.copied())
    }

    fn levels(&mut self) {
        let mut merged = Vec::new();
        for (guard, it) in GUARDS.iter().enumerate() {
            let levels = (0..it.checks.len()).map(|check| {
                let floor = self.floor(Layer::Project, guard, check);
                let project = self.said(Layer::Project, guard, check);
                floor.into_iter().chain(project).reduce(tighter)
            });
            merged.push(levels.map(|it| it.unwrap_or((Level::Ask, Origin::BuiltIn))).collect());
        }
        self.looser_lines();
        for (setting, levels) in self.policy.settings.iter_mut().zip(merged) {
            setting.levels = levels;
        }
    }

    /// Warns about lines that loosen something and tighten nothing: they are ignored.
    fn looser_lines(&mut self) {
        for source in self.sources {
            for lines in &source.guards {
                let Some(guard) = GUARDS.get(lines.guard) else {
                    continue;
                };
                let (mut looser, mut tightens) = (None, false);
                for check in 0..guard.checks.len() {
                    let floor = self.floor(source.layer, lines.guard, check);
                    if let (Some((level, at)), Some((floor, origin))) =
                        (line_level(lines, check), floor)
                    {
                        tightens |= level > floor;
                        if level < floor {
                            looser = looser.or(Some((at, floor, origin)));
                        }
                    }
                }
                if let Some((at, floor, origin)) = looser.filter(|_| !tightens) {
                    let by = match origin.layer() {
                        Some(layer) => format!("the {layer} policy"),
                        None => "the recommended preset".to_owned(),
                    };
                    let message = format!(
                        "`{}` stays at {floor} as {by} has it; a {} policy can only tighten",
                        guard.id, source.layer
                    );
                    self.warn(source, at, format!("guards.{}", guard.id), message);
                }
            }
        }
    }

    /// The combined fail mode of higher layers and the program.
    fn mode_above(&self, layer: Layer, index: usize) -> Option<(FailMode, Origin)> {
        let said = |layer: Layer| {
            let told = self.of(layer).filter_map(|source| {
                let told = source.fail.get(index).copied().flatten()?;
                Some((told.value, source.origin(told.at)))
            });
            told.reduce(tighter)
        };
        let layers = Layer::ALL.into_iter().filter(|other| *other < layer);
        let above = layers.filter_map(said).reduce(tighter);
        let default = super::Fail::default().modes().get(index).map(|it| (*it, Origin::BuiltIn));
        if layer == Layer::Project { above.or(default) } else { above }
    }

    fn fail(&mut self) {
        let mut modes = self.policy.fail.modes();
        for (index, (mode, name)) in modes.iter_mut().zip(FAILS).enumerate() {
            let mut merged = self.mode_above(Layer::Project, index);
            for source in self.sources {
                let Some(told) = source.fail.get(index).copied().flatten() else {
                    continue;
                };
                let above = self.mode_above(source.layer, index);
                if let Some((above, _)) = above.filter(|(above, _)| told.value < *above) {
                    let message = format!(
                        "`{name}` stays at {}; a {} policy can only tighten",
                        above.as_str(),
                        source.layer
                    );
                    self.warn(source, told.at, format!("fail.{name}"), message);
                } else if source.layer == Layer::Project {
                    let it = (told.value, source.origin(told.at));
                    merged = merged.map(|merged| tighter(merged, it));
                }
            }
            let (value, origin) = merged.unwrap_or((*mode, Origin::BuiltIn));
            *mode = value;
            if name == "policy" {
                self.policy.fail_origin = origin;
            }
            let key = format!("fail.{name}");
            self.policy.given.push(Given { key, value: value.as_str().to_owned(), origin });
        }
        let [guard, handler, policy, record] = modes;
        self.policy.fail = super::Fail { guard, handler, policy, record };
    }

    /// The highest layer that bounds the stops decides; lower ones may only go below it.
    fn stop(&mut self) {
        for source in self.sources {
            let Some(told) = source.stop_most else { continue };
            let given = self.policy.given.iter().any(|given| given.key == "stop.most");
            let most = self.policy.stop_most;
            if told.value > most && (given || source.layer == Layer::Project) {
                let message =
                    format!("`most` stays at {most}; a {} policy can only lower it", source.layer);
                self.warn(source, told.at, "stop.most".to_owned(), message);
                continue;
            }
            self.policy.stop_most = told.value;
            self.policy.given.retain(|given| given.key != "stop.most");
            self.policy.given.push(Given {
                key: "stop.most".to_owned(),
                value: told.value.to_string(),
                origin: source.origin(told.at),
            });
        }
    }
}

/// The stricter of two; ties go to the higher layer.
fn tighter<T: PartialOrd + Copy>(one: (T, Origin), other: (T, Origin)) -> (T, Origin) {
    if other.0 > one.0 { other } else { one }
}

/// The level that lines set for a check.
fn line_level(lines: &GuardLines, check: usize) -> Option<(Level, Place)> {
    let of_check = lines.checks.iter().find(|(index, _)| *index == check);
    of_check.map(|(_, told)| *told).or(lines.level).map(|told| (told.value, told.at))
}
