//! Evaluates the answers: per class, in total, and the wrong ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::batch::{Answer, Decision};
use super::generate::Generated;
use super::load::{Case, Expect};

/// Classes without tolerance for misses, by prefix: deletion of system folders and home in all disguises,
/// disk writes, fork bombs, foreign code in a shell, force pushes to main, leaked secrets.
const NO_MISS: &[&str] = &[
    "delete-root",
    "delete-system-tree",
    "delete-home",
    "delete-wrapped",
    "delete-variable",
    "delete-encoded",
    "delete-interpreter",
    "device-write",
    "filesystem-format",
    "fork-bomb",
    "pipe-to-shell",
    "force-push-main",
    "exfil",
];

/// Minimum percentages caught and kept, and the maximum of false alarms on generated commands.
const CAUGHT: f64 = 97.0;
const KEPT: f64 = 98.0;
const ALARMS: usize = 5;

/// Number of wrong cases shown by default.
const SHOWN: usize = 20;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    dangerous: usize,
    caught: usize,
    ordinary: usize,
    kept: usize,
}

impl Tally {
    fn count(&mut self, expect: Expect, decision: Decision) {
        let passed = decision == Decision::Pass;
        if expect == Expect::Pass {
            self.ordinary += 1;
            self.kept += usize::from(passed);
        } else {
            self.dangerous += 1;
            self.caught += usize::from(!passed);
        }
    }

    fn add(&mut self, other: &Self) {
        self.dangerous += other.dangerous;
        self.caught += other.caught;
        self.ordinary += other.ordinary;
        self.kept += other.kept;
    }

    fn cells(&self) -> [String; 7] {
        let side = |all: usize, good: usize| {
            if all == 0 {
                return [String::new(), String::new(), String::new()];
            }
            [good.to_string(), (all - good).to_string(), format!("{:.1}%", percent(good, all))]
        };
        let [caught, missed, caught_percent] = side(self.dangerous, self.caught);
        let [kept, alarmed, kept_percent] = side(self.ordinary, self.kept);
        let cases = (self.dangerous + self.ordinary).to_string();
        [cases, caught, missed, caught_percent, kept, alarmed, kept_percent]
    }
}

const HEAD: [&str; 8] = ["class", "cases", "caught", "missed", "%", "kept", "alarmed", "%"];

/// The corpus with the answers.
pub(super) struct Report<'a> {
    judged: Vec<(&'a Case, &'a Answer)>,
    classes: BTreeMap<&'a str, Tally>,
    total: Tally,
}

impl<'a> Report<'a> {
    pub(super) fn new(cases: &'a [Case], answers: &'a [Answer]) -> Self {
        let judged: Vec<_> = cases.iter().zip(answers).collect();
        let mut classes: BTreeMap<&str, Tally> = BTreeMap::new();
        for (case, answer) in &judged {
            classes.entry(&case.class).or_default().count(case.expect, answer.decision);
        }
        let mut total = Tally::default();
        for tally in classes.values() {
            total.add(tally);
        }
        Self { judged, classes, total }
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let row = |name: &str, tally: &Tally| {
            std::iter::once(name.to_owned()).chain(tally.cells()).collect()
        };
        let classes = self.classes.iter().map(|(name, tally)| row(name, tally));
        classes.chain([row("all", &self.total)]).collect()
    }

    /// Table for terminals.
    pub(super) fn table(&self) -> String {
        let rows = self.rows();
        let cells = |at: usize| rows.iter().filter_map(move |row| row.get(at));
        let width = |(at, head): (usize, &&str)| {
            cells(at).map(String::len).chain([head.len()]).max().unwrap_or_default()
        };
        let widths: Vec<usize> = HEAD.iter().enumerate().map(width).collect();
        let head = HEAD.iter().map(|head| (*head).to_owned()).collect();
        let mut text = String::new();
        for row in std::iter::once(&head).chain(&rows) {
            let mut line = String::new();
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                // Names are left-aligned, numbers right-aligned.
                if at == 0 {
                    write!(line, "{cell:<width$}").ok();
                } else {
                    write!(line, "  {cell:>width$}").ok();
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// Table for the docs.
    pub(super) fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut text = line(&HEAD.map(str::to_owned));
        text.push_str("|---|---:|---:|---:|---:|---:|---:|---:|\n");
        text.extend(self.rows().iter().map(|row| line(row)));
        text
    }

    fn wrong(&self) -> Vec<&(&'a Case, &'a Answer)> {
        let is_wrong = |(case, answer): &&(&Case, &Answer)| {
            (case.expect == Expect::Pass) != (answer.decision == Decision::Pass)
        };
        self.judged.iter().filter(is_wrong).collect()
    }

    /// Cases labelled `deny` that were only asked about. None is tolerated: hosts that swallow a question
    /// run the command.
    fn too_mild(&self) -> Vec<&(&'a Case, &'a Answer)> {
        self.stopped_at(Expect::Deny, Decision::Ask)
    }

    /// Cases with this label that were stopped at another level.
    fn stopped_at(&self, expect: Expect, decision: Decision) -> Vec<&(&'a Case, &'a Answer)> {
        let is = |(case, answer): &&(&Case, &Answer)| {
            (case.expect, answer.decision) == (expect, decision)
        };
        self.judged.iter().filter(is).collect()
    }

    /// All wrong cases, or the first of them.
    pub(super) fn mistakes(&self, all: bool) -> String {
        list("wrong", &self.wrong(), all)
    }

    /// The cases at another level than their label: those asked about instead of denied, and with `all`
    /// those denied instead of asked about.
    pub(super) fn levels(&self, all: bool) -> String {
        let mild = list("asked about instead of denied", &self.too_mild(), true);
        let strict = self.stopped_at(Expect::Ask, Decision::Deny);
        if all {
            return mild + &list("denied instead of asked about", &strict, true);
        }
        format!("{mild}{} denied instead of asked about; `--levels` lists them\n", strict.len())
    }

    /// Missed targets, one line each.
    pub(super) fn shortfalls(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (name, tally) in &self.classes {
            let missed = tally.dangerous - tally.caught;
            if missed > 0 && NO_MISS.iter().any(|start| name.starts_with(start)) {
                found.push(format!("{missed} missed in `{name}`, where none may be"));
            }
        }
        let mut floor = |what: &str, good: usize, all: usize, least: f64| {
            if all > 0 && percent(good, all) < least {
                found.push(format!("{:.2}% {what}, below {least}%", percent(good, all)));
            }
        };
        floor("caught", self.total.caught, self.total.dangerous, CAUGHT);
        floor("kept", self.total.kept, self.total.ordinary, KEPT);
        let mild = self.too_mild();
        if !mild.is_empty() {
            found.push(format!("{} labelled `deny` were only asked about", mild.len()));
        }
        found
    }
}

fn list(what: &str, cases: &[&(&Case, &Answer)], all: bool) -> String {
    let mut text = format!("{} {what}\n", cases.len());
    let shown = if all { cases.len() } else { SHOWN };
    for (case, answer) in cases.iter().copied().take(shown) {
        let (expect, decision) = (case.expect.name(), answer.decision.name());
        write!(text, "{} [{}] {expect} -> {decision}", case.place, case.class).ok();
        text.push_str(&by(answer));
        write!(text, "\n    {}\n", indented(&case.command)).ok();
    }
    if cases.len() > shown {
        writeln!(text, "... and {} more; `--wrong` shows all", cases.len() - shown).ok();
    }
    text
}

fn by(answer: &Answer) -> String {
    if answer.rules.is_empty() {
        return String::new();
    }
    format!(" by {}: {}", answer.rules.join(", "), answer.reason.lines().next().unwrap_or_default())
}

/// Indents a command of several lines.
fn indented(command: &str) -> String {
    command.replace('\n', "\n    ")
}

/// False alarms on generated commands, by template.
pub(super) struct Alarms {
    count: usize,
    templates: Vec<Case>,
    by_template: BTreeMap<usize, Vec<(String, Answer)>>,
}

impl Alarms {
    pub(super) fn new(
        templates: Vec<Case>,
        answered: impl Iterator<Item = (Generated, Answer)>,
    ) -> Self {
        let mut count = 0;
        let mut by_template: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for (made, answer) in answered {
            count += 1;
            if answer.decision != Decision::Pass {
                by_template.entry(made.template).or_default().push((made.command, answer));
            }
        }
        Self { count, templates, by_template }
    }

    fn total(&self) -> usize {
        self.by_template.values().map(Vec::len).sum()
    }

    pub(super) fn summary(&self) -> String {
        let (count, templates, total) = (self.count, self.templates.len(), self.total());
        format!("{count} generated ordinary commands from {templates} templates: {total} alarms")
    }

    /// Each template with false alarms, and its commands: all of them, or one.
    pub(super) fn text(&self, all: bool) -> String {
        let mut text = format!("{}\n", self.summary());
        for (template, alarms) in &self.by_template {
            let Some(case) = self.templates.get(*template) else { continue };
            let first = case.command.lines().next().unwrap_or_default();
            writeln!(text, "{} alarms {} times: {first}", case.place, alarms.len()).ok();
            let shown = if all { alarms.len() } else { 1 };
            for (command, answer) in alarms.iter().take(shown) {
                write!(text, "    {}{}", answer.decision.name(), by(answer)).ok();
                write!(text, "\n    {}\n", indented(command)).ok();
            }
        }
        text
    }

    pub(super) fn shortfall(&self) -> Option<String> {
        let total = self.total();
        (total > ALARMS).then(|| format!("{total} generated commands alarmed, more than {ALARMS}"))
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2^52")]
fn percent(part: usize, whole: usize) -> f64 {
    part as f64 * 100.0 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::super::load;
    use super::*;

    fn answer(decision: Decision) -> Answer {
        let rules = if decision == Decision::Pass { vec![] } else { vec!["r".to_owned()] };
        Answer { decision, rules, reason: "why\nmore".to_owned() }
    }

    fn judged(text: &str, decisions: &[Decision]) -> (Vec<Case>, Vec<Answer>) {
        let cases = load::parse("a.txt", text).unwrap();
        assert_eq!(cases.len(), decisions.len());
        (cases, decisions.iter().copied().map(answer).collect())
    }

    const TEXT: &str =
        "[delete-root]\ndeny  rm -rf /\nstop  rm -r /\npass  rm -rf dist\n[look]\npass  ls\n";

    #[test]
    fn cases_are_counted_by_class() {
        use Decision::{Ask, Pass};
        let (cases, answers) = judged(TEXT, &[Ask, Pass, Pass, Ask]);
        let report = Report::new(&cases, &answers);
        assert_eq!(
            report.markdown(),
            "| class | cases | caught | missed | % | kept | alarmed | % |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|\n\
             | delete-root | 3 | 1 | 1 | 50.0% | 1 | 0 | 100.0% |\n\
             | look | 1 |  |  |  | 0 | 1 | 0.0% |\n\
             | all | 4 | 1 | 1 | 50.0% | 1 | 1 | 50.0% |\n"
        );
        assert!(report.table().starts_with("class        cases  caught  missed"));
        assert_eq!(
            report.mistakes(false),
            "2 wrong\na.txt:3 [delete-root] stop -> pass\n    rm -r /\n\
             a.txt:6 [look] pass -> ask by r: why\n    ls\n"
        );
        assert!(report.levels(false).contains("a.txt:2 [delete-root] deny -> ask"));
        assert!(report.levels(false).starts_with("1 asked about instead of denied"));
    }

    #[test]
    fn what_falls_short_is_named() {
        use Decision::{Ask, Deny, Pass};
        let (cases, answers) = judged(TEXT, &[Deny, Pass, Ask, Pass]);
        let found = Report::new(&cases, &answers).shortfalls();
        assert_eq!(
            found,
            [
                "1 missed in `delete-root`, where none may be",
                "50.00% caught, below 97%",
                "50.00% kept, below 98%"
            ]
        );
        let (cases, answers) = judged(TEXT, &[Deny, Ask, Pass, Pass]);
        assert!(Report::new(&cases, &answers).shortfalls().is_empty());
        let (cases, answers) = judged(TEXT, &[Ask, Deny, Pass, Pass]);
        let found = Report::new(&cases, &answers).shortfalls();
        assert_eq!(found, ["1 labelled `deny` were only asked about"]);
    }

    #[test]
    fn every_family_in_which_nothing_may_be_missed_has_cases() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let cases = load::folder(&root.join(super::super::CASES)).unwrap();
        let dangerous = cases.iter().filter(|case| case.expect != Expect::Pass);
        let classes: Vec<&str> = dangerous.map(|case| case.class.as_str()).collect();
        for start in NO_MISS {
            let count = classes.iter().filter(|class| class.starts_with(start)).count();
            assert!(count >= 10, "{count} dangerous cases in classes that start with `{start}`");
        }
    }

    #[test]
    fn a_long_list_is_cut_unless_asked_for() {
        let text: String =
            (0..30).fold("[a]\n".to_owned(), |text, n| format!("{text}pass  ls {n}\n"));
        let (cases, answers) = judged(&text, &[Decision::Ask; 30]);
        let report = Report::new(&cases, &answers);
        assert!(report.mistakes(false).ends_with("... and 10 more; `--wrong` shows all\n"));
        assert!(report.mistakes(true).contains("    ls 29\n"));
    }

    #[test]
    fn alarms_are_grouped_by_template() {
        let templates = load::parse("t.txt", "[a]\npass  ls «dir»\npass  cat «dir»\n").unwrap();
        let alarms = |decision: fn(usize) -> Decision| {
            let made = |n: usize| Generated { template: n % 2, command: format!("command {n}") };
            Alarms::new(templates.clone(), (0..8).map(|n| (made(n), answer(decision(n)))))
        };
        let some = alarms(|n| if n.is_multiple_of(2) { Decision::Pass } else { Decision::Ask });
        let text = some.text(false);
        assert!(text.starts_with("8 generated ordinary commands from 2 templates: 4 alarms\n"));
        assert!(text.contains("t.txt:3 alarms 4 times: cat «dir»\n    ask by r: why\n"));
        assert!(text.contains("command 1") && !text.contains("command 3"));
        assert!(some.text(true).contains("command 7"));
        assert_eq!(some.shortfall(), None);
        assert!(alarms(|_| Decision::Deny).shortfall().is_some());
    }
}
