//! Parses one policy file: every value with its position, or all mistakes.

mod cases;
mod guards;
mod handlers;
pub(super) mod reader;
mod record;
mod rules;
mod values;
mod when;

use toml::Spanned;
use toml::de::DeTable;

use super::case::{Case, CaseFile};
use super::exception::Exception;
use super::handler::Handler;
use super::problem::{Place, Problem, Severity};
use super::rule::Rule;
use super::{FailMode, Layer, LayerText, MOST_STOPS, Origin, Spot};
use crate::level::Preset;
use reader::Reader;

pub use guards::GuardLines;
pub(super) use record::KEYS as RECORD_KEYS;
pub use record::{RecordLines, Secrecy};

/// A value with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told<T> {
    pub value: T,
    pub at: Place,
}

/// A valid file.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub layer: Layer,
    pub file: String,
    /// Index in [`super::Policy::files`].
    pub index: u16,
    pub extends: Vec<Told<Preset>>,
    pub fail: [Option<Told<FailMode>>; 4],
    pub record: RecordLines,
    /// `stop.most`.
    pub stop_most: Option<Told<u8>>,
    pub guards: Vec<GuardLines>,
    pub rules: Vec<Told<Rule>>,
    pub exceptions: Vec<Told<Exception>>,
    pub handlers: Vec<Told<Handler>>,
    pub tests: Vec<Case>,
}

/// Things that can fail, in the order of [`Source::fail`].
pub const FAILS: [&str; 4] = ["guard", "handler", "policy", "record"];

/// Top-level keys.
pub const KEYS: &[&str] =
    &["version", "extends", "fail", "record", "stop", "guards", "rule", "allow", "handler", "test"];

/// The supported format version.
pub const VERSION: u64 = 1;

impl Source {
    /// Number of tables that may concern every call.
    pub(super) fn tables(&self) -> usize {
        let some = self.rules.len().saturating_add(self.exceptions.len());
        some.saturating_add(self.handlers.len())
    }

    /// Rejects the file with a message.
    pub(super) fn refuse(self, message: String) -> Broken {
        let problem = Problem {
            severity: Severity::Error,
            layer: self.layer,
            file: self.file.clone(),
            line: 0,
            column: 0,
            key: String::new(),
            message,
        };
        let problems = vec![problem];
        let secrecy = Secrecy::of_lines(self, &problems);
        Broken { problems, secrecy }
    }

    pub(super) fn origin(&self, place: Place) -> Origin {
        Origin::File(self.layer, Spot { file: self.index, line: place.line })
    }
}

/// An invalid file.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    pub problems: Vec<Problem>,
    pub secrecy: Secrecy,
}

/// Parses one file; `index` is its position among all files.
pub fn parse(layer: &LayerText<'_>, index: u16, with_tests: bool) -> Result<Source, Broken> {
    let text = match &layer.text {
        Ok(text) => text,
        Err(error) => {
            let mut reader = Reader::new(layer, "");
            reader.problem(Place::default(), "", format!("the file cannot be read: {error}"));
            let secrecy = Secrecy::of_unreadable(layer.layer, None);
            return Err(Broken { problems: reader.problems, secrecy });
        }
    };
    let mut reader = Reader::new(layer, text);
    reader.with_tests = with_tests;
    let Some(document) = document(&mut reader, text) else {
        let secrecy = Secrecy::of_unreadable(layer.layer, Some(text));
        return Err(Broken { problems: finished(&mut reader), secrecy });
    };
    let source = read(&mut reader, document.get_ref(), index);
    if reader.problems.is_empty() {
        return Ok(source);
    }
    let problems = finished(&mut reader);
    let secrecy = Secrecy::of_lines(source, &problems);
    Err(Broken { problems, secrecy })
}

/// Parses a file of tests only.
pub(super) fn parse_cases(file: &str, text: &str) -> Result<CaseFile, Vec<Problem>> {
    let layer = LayerText { layer: Layer::User, path: file, text: Ok(text) };
    let mut reader = Reader::new(&layer, text);
    let document = document(&mut reader, text).ok_or_else(|| finished(&mut reader))?;
    let root = document.get_ref();
    reader.known(root, "", &["version", "policy", "preset", "test"]);
    version(&mut reader, root);
    let policy = root.get("policy").and_then(|node| reader.words(node, "policy"));
    let names = Preset::ALL.map(Preset::as_str);
    let preset =
        root.get("preset").and_then(|node| reader.choice(node, "preset", "preset", &names));
    if let (Some(_), Some(preset)) = (&policy, &preset) {
        let message = "`policy` and `preset` exclude each other; leave one out".to_owned();
        reader.problem(preset.at, "preset", message);
    }
    let mut cases = Vec::new();
    for (table, place) in reader.tables(root, "test") {
        cases.extend(cases::read(&mut reader, table, place, "test"));
    }
    if !reader.problems.is_empty() {
        return Err(finished(&mut reader));
    }
    let preset = preset.and_then(|preset| Preset::ALL.get(preset.value).copied());
    Ok(CaseFile { policy: policy.map(|policy| policy.value), preset, cases })
}

/// The file as TOML; `None` on syntax errors.
fn document<'t>(reader: &mut Reader<'_>, text: &'t str) -> Option<Spanned<DeTable<'t>>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        if reader.is_hopeless() {
            break;
        }
        let place = reader.place(error.span().map_or(0, |span| span.start));
        reader.problem(place, "", format!("not TOML: {}", error.message()));
    }
    // Errors caused by error recovery are not reported.
    errors.is_empty().then_some(document)
}

fn finished(reader: &mut Reader<'_>) -> Vec<Problem> {
    let mut problems = std::mem::take(&mut reader.problems);
    problems.sort_by_key(|problem| (problem.line, problem.column));
    problems
}

fn version(reader: &mut Reader<'_>, root: &DeTable<'_>) {
    if let Some(node) = root.get("version")
        && let Some(version) = reader.number(node, "version")
        && version.value != VERSION
    {
        let message = format!(
            "version {} of the format is not known here; this program reads version {VERSION}",
            version.value
        );
        reader.problem(version.at, "version", message);
    }
}

fn read(reader: &mut Reader<'_>, root: &DeTable<'_>, index: u16) -> Source {
    reader.known(root, "", KEYS);
    version(reader, root);
    let mut source = Source {
        layer: reader.layer,
        file: reader.file.to_owned(),
        index,
        extends: extends(reader, root),
        fail: fail(reader, root),
        record: record::read(reader, root),
        stop_most: stop_most(reader, root),
        guards: guards::read(reader, root),
        rules: Vec::new(),
        exceptions: Vec::new(),
        handlers: Vec::new(),
        tests: Vec::new(),
    };
    rules::read(reader, root, &mut source);
    handlers::read(reader, root, &mut source);
    let tests = if reader.with_tests { reader.tables(root, "test") } else { Vec::new() };
    for (table, place) in tests {
        source.tests.extend(cases::read(reader, table, place, "test"));
    }
    source
}

fn extends(reader: &mut Reader<'_>, root: &DeTable<'_>) -> Vec<Told<Preset>> {
    let Some(node) = root.get("extends") else {
        return Vec::new();
    };
    let names: Vec<&str> = Preset::ALL.iter().map(|preset| preset.as_str()).collect();
    let mut presets = Vec::new();
    for text in reader.texts(node, "extends") {
        match Preset::from_name(&text.value) {
            Some(value) => presets.push(Told { value, at: text.at }),
            None => {
                let message = super::problem::unknown("preset", &text.value, "", &names);
                reader.problem(text.at, "extends", message);
            }
        }
    }
    presets
}

fn fail(reader: &mut Reader<'_>, root: &DeTable<'_>) -> [Option<Told<FailMode>>; 4] {
    let table = root.get("fail").and_then(|node| reader.table(node, "fail"));
    let Some(table) = table else {
        return [None; 4];
    };
    reader.known(table, "fail", &FAILS);
    FAILS.map(|key| {
        let node = table.get(key)?;
        let modes = fail_modes(key);
        let names: Vec<&str> = modes.iter().map(|mode| mode.as_str()).collect();
        let choice = reader.choice(node, &reader::join("fail", key), "fail mode", &names)?;
        let value = modes.get(choice.value).copied()?;
        Some(Told { value, at: choice.at })
    })
}

/// How often a stop may be answered with "go on"; never without end.
fn stop_most(reader: &mut Reader<'_>, root: &DeTable<'_>) -> Option<Told<u8>> {
    let table = reader.table(root.get("stop")?, "stop")?;
    reader.known(table, "stop", &["most"]);
    let told = reader.number(table.get("most")?, "stop.most")?;
    let value = u8::try_from(told.value).ok().filter(|most| *most <= MOST_STOPS);
    if value.is_none() {
        let message =
            format!("`most` must be a number from 0 to {MOST_STOPS}: every loop of stops ends");
        reader.problem(told.at, "stop.most", message);
    }
    Some(Told { value: value?, at: told.at })
}

/// Allowed fail modes. A missing record is nothing to ask about at each call.
pub(super) fn fail_modes(key: &str) -> &'static [FailMode] {
    if key == "record" { &[FailMode::Open, FailMode::Closed] } else { &FailMode::ALL }
}
