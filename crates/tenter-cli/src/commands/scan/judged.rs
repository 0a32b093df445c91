//! Findings of a scan with the guard's verdict and their trust state.

use std::collections::BTreeMap;
use std::rc::Rc;

use tenter_model::Decision;
use tenter_policy::{Level, Policy, Sample};
use tenter_setup::scan::{Item, Kind, Language, Passage, Report, Severity};
use tenter_shell::syntax::Dialect;

use super::{Seen, stray};
use crate::guard::trust::{Class, Entry};
use crate::guard::{self, LocalMachine, policies};

/// Whether the user has approved it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Trust {
    /// In its present form.
    Trusted,
    /// In its present form, by a baseline.
    Baseline,
    /// In an earlier form.
    Changed,
    Untrusted,
}

impl Trust {
    pub(in super::super) const fn as_str(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Baseline => "baseline",
            Self::Changed => "changed",
            Self::Untrusted => "untrusted",
        }
    }

    pub(in super::super) const fn is_given(self) -> bool {
        matches!(self, Self::Trusted | Self::Baseline)
    }
}

/// The guard's verdict on a piece of code.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Opinion {
    pub(in super::super) decision: Option<Decision>,
    /// Most severe first.
    pub(in super::super) findings: Vec<JudgedFinding>,
}

#[derive(Clone, Debug)]
pub(in super::super) struct JudgedFinding {
    pub(in super::super) rule: String,
    pub(in super::super) level: Level,
    pub(in super::super) what: String,
}

impl Opinion {
    /// Severity for the item. Unverifiable code alone does not count.
    fn severity(&self) -> Severity {
        let told = self.findings.iter().filter(|found| !is_unverified(&found.rule));
        match told.map(|found| found.level).max() {
            Some(Level::Deny) => Severity::Danger,
            Some(Level::Ask) => Severity::Warning,
            _ => Severity::Note,
        }
    }
}

fn is_unverified(rule: &str) -> bool {
    rule.starts_with("unverified/")
}

/// One finding.
#[derive(Clone, Debug)]
pub(in super::super) struct Judged {
    pub(in super::super) item: Item,
    pub(in super::super) severity: Severity,
    pub(in super::super) opinion: Option<Opinion>,
    /// One per script in a known language.
    pub(in super::super) scripts: Vec<Option<Opinion>>,
    pub(in super::super) trust: Trust,
    pub(in super::super) fingerprint: Option<String>,
}

/// Asks the guard about everything, and looks up trust.
pub(in super::super) fn look(report: Report, machine: &LocalMachine, known: &[Entry]) -> Seen {
    let mut judge = Judge::new(machine, &report);
    let mut items = report.items;
    for passage in &report.passages {
        items.extend(judge.passage(passage));
    }
    items.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
    let mut items: Vec<Judged> = items.into_iter().map(|item| judge.item(item)).collect();
    let root = report.root.display().to_string();
    let known: Vec<&Entry> =
        known.iter().filter(|it| it.class == Class::Found && it.root == root).collect();
    for item in &mut items {
        item.trust = trust_of(&known, item);
    }
    Seen {
        root: report.root,
        items,
        skipped: report.skipped,
        files: report.files,
        passages: report.passages.len(),
    }
}

fn trust_of(known: &[&Entry], item: &Judged) -> Trust {
    let place = item.item.place();
    let mut here = known.iter().filter(|entry| entry.place == place).peekable();
    if here.peek().is_none() {
        return Trust::Untrusted;
    }
    let same = item.fingerprint.as_deref();
    if here.any(|entry| Some(entry.fingerprint.as_str()) == same) {
        Trust::Trusted
    } else {
        Trust::Changed
    }
}

/// The guard with the user's policy: the folder's policy must not judge itself.
struct Judge<'m> {
    machine: &'m LocalMachine,
    policy: Policy,
    cwd: Option<String>,
    known: BTreeMap<(Language, Rc<str>), Opinion>,
}

impl<'m> Judge<'m> {
    fn new(machine: &'m LocalMachine, report: &Report) -> Self {
        Self {
            machine,
            policy: policies::load(&machine.folders, &[]).policy,
            cwd: report.root.to_str().map(str::to_owned),
            known: BTreeMap::new(),
        }
    }

    fn item(&mut self, item: Item) -> Judged {
        let opinion =
            item.command.as_ref().map(|it| self.code(it.language, it.text.as_str().into()));
        let scripts: Vec<Option<Opinion>> =
            item.scripts.iter().map(|script| self.script(script.code.as_ref())).collect();
        let said = opinion.iter().chain(scripts.iter().flatten()).map(Opinion::severity).max();
        // Code too long to be judged is suspicious.
        let blind = item.scripts.iter().any(|script| script.problem.is_some());
        let said = said.max(blind.then_some(Severity::Warning));
        let severity = said.map_or(item.severity, |said| said.max(item.severity));
        // Our own hook is only listed.
        let ours = item.kind == Kind::Hook && item.scripts.is_empty() && is_ours(&item);
        Judged {
            severity: if ours { Severity::Note } else { severity },
            fingerprint: item.fingerprint(),
            item,
            opinion,
            scripts,
            trust: Trust::Untrusted,
        }
    }

    /// Judges a script; only certain findings count, since scripts are rarely fully verifiable.
    fn script(&mut self, code: Option<&(Language, Rc<str>)>) -> Option<Opinion> {
        let (language, text) = code?;
        let called = if *language == Language::Shell { with_calls(text) } else { None };
        let mut opinion = self.code(*language, called.unwrap_or_else(|| text.clone()));
        opinion.findings.retain(|found| !is_unverified(&found.rule));
        opinion.decision =
            opinion.findings.iter().map(|found| found.level).max().and_then(Level::decision);
        Some(opinion)
    }

    fn code(&mut self, language: Language, text: Rc<str>) -> Opinion {
        let key = (language, text);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut machine = self.machine.clone();
        machine.language = of(language);
        let event = Sample::Shell(&key.1).event(self.cwd.as_deref());
        let judgement = guard::judgement(&machine, &self.policy, &event);
        let opinion = Opinion {
            decision: judgement.verdict.decision,
            findings: findings(&judgement.findings),
        };
        self.known.insert(key, opinion.clone());
        opinion
    }

    /// Checks a text for hidden content and injected instructions.
    fn passage(&mut self, passage: &Passage) -> Vec<Item> {
        // Instruction files are judged leniently while an agent works; those of a foreign folder are judged
        // like any other text.
        let path = passage.path.with_file_name("text").to_string_lossy().into_owned();
        let event = Sample::Content(&path, &passage.text).event(self.cwd.as_deref());
        let look = |found: &JudgedFinding| {
            let kind = match found.rule.as_str() {
                "prompt-injection/hidden-text" => Kind::HiddenText,
                "prompt-injection/instructions" => Kind::Orders,
                _ => return None,
            };
            let (what, line) = without_line(&found.what);
            let what = what.strip_prefix("reads ").unwrap_or(what);
            Some(Item::of_passage(passage, kind, line, &format!("holds {what}")))
        };
        let judgement = guard::judgement(self.machine, &self.policy, &event);
        let found = findings(&judgement.findings);
        let mut items: Vec<Item> = found.iter().filter_map(look).collect();
        if !items.iter().any(|item| item.kind == Kind::HiddenText)
            && let Some((line, what)) = stray::find(&passage.text)
        {
            let item = Item::of_passage(passage, Kind::HiddenText, line, &format!("holds {what}"));
            items.push(item.grade(Severity::Warning));
        }
        let stopped = stray::in_comments(&passage.text).into_iter().find(|(_, command)| {
            self.code(Language::Shell, (*command).into()).severity() == Severity::Danger
        });
        if let Some((line, _)) = stopped {
            let what = "holds a comment, which is not shown, with a command that the guard stops";
            items.push(Item::of_passage(passage, Kind::Orders, line, what).grade(Severity::Danger));
        }
        items
    }
}

fn findings(found: &[tenter_policy::Finding]) -> Vec<JudgedFinding> {
    let one = |found: &tenter_policy::Finding| JudgedFinding {
        rule: found.rule.to_string(),
        level: found.effective(),
        what: found.what.clone(),
    };
    found.iter().map(one).collect()
}

/// Splits the guard's `(line 7)` from its message.
fn without_line(what: &str) -> (&str, usize) {
    let Some((text, end)) = what.rsplit_once(" (") else { return (what, 1) };
    match end.rsplit_once("line ").and_then(|(_, number)| number.strip_suffix(')')?.parse().ok()) {
        Some(line) => (text, line),
        None => (what, 1),
    }
}

/// A shell script with calls of all its functions, since a mere definition has no effect.
fn with_calls(text: &str) -> Option<Rc<str>> {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-:.".contains(c))
    };
    let defined = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("function ").unwrap_or(line);
        let (name, rest) = line.split_once("()").or_else(|| line.split_once('{'))?;
        let is_function =
            rest.trim_start().starts_with('{') || rest.is_empty() || line.contains("()");
        let name = name.trim();
        (is_function && is_name(name)).then(|| format!("\n({name})"))
    };
    let calls: String = text.lines().filter_map(defined).take(200).collect();
    (!calls.is_empty()).then(|| format!("{text}{calls}\n").into())
}

fn of(language: Language) -> tenter_shell::Language {
    use tenter_shell::Language as Known;
    match language {
        Language::Shell => Known::Shell(Dialect::Bash),
        Language::PowerShell => Known::PowerShell,
        Language::Cmd => Known::Cmd,
        Language::Python => Known::Python,
        Language::JavaScript => Known::JavaScript,
        Language::Ruby => Known::Ruby,
        Language::Perl => Known::Perl,
        Language::Php => Known::Php,
        Language::Lua => Known::Lua,
    }
}

/// Whether it is `tenter hook ...` of this program, or by bare name.
fn is_ours(item: &Item) -> bool {
    let Some(command) = &item.command else { return false };
    let mut words = command.text.split_whitespace();
    let program = words.next().unwrap_or_default().trim_matches(['"', '\'']);
    let own = std::env::current_exe().ok();
    let known = program == "tenter" || own.is_some_and(|own| own.as_os_str() == program);
    let plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_=,.".contains(c));
    known && words.next() == Some("hook") && words.all(plain)
}
