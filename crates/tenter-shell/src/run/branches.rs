//! Branches and loops: what may run, how often, and the shell state afterwards.

use super::Machine;
use super::state::Shell;
use super::walk::{Printed, plain};
use crate::act::Act;
use crate::analysis::Reason;
use crate::budget::MAX_ROUNDS;
use crate::effect::{Certainty, Kind};
use crate::expand::{self, Positional, TOO_MANY_FIELDS, TOO_MANY_WORDS, Variable};
use crate::flow::{Flow, Stream};
use crate::span::Span;
use crate::syntax::ast::{Arm, ArmEnd, Command, CommandKind, Script, Word};
use crate::target::Target;
use crate::value::{Field, Part, is_tame};

/// Number of concurrent processes that exhausts a machine.
const FAR: u64 = 10_000;

impl Machine<'_> {
    pub(super) fn branches(
        &mut self,
        branches: &[(Script, Script)],
        otherwise: Option<&Script>,
        stdin: &Stream,
        span: Span,
    ) -> Stream {
        let mut flow = Flow::default();
        let mut outputs = Vec::new();
        let mut ends: Option<Shell> = None;
        let mut decided = None;
        let outer = self.certainty;
        for (condition, body) in branches {
            self.script(condition, stdin);
            if decided.is_none() && self.status == Some(true) {
                decided = Some(());
            } else {
                self.certainty = outer.min(Certainty::Possible);
            }
            let before = self.fork();
            let out = self.script(body, stdin);
            flow.join(&out.flow);
            outputs.push(out);
            self.certainty = outer.min(Certainty::Possible);
            let after = std::mem::replace(&mut self.shell, before);
            match &mut ends {
                Some(ends) => ends.join(&after),
                None => ends = Some(after),
            }
        }
        if let Some(script) = otherwise {
            let out = self.script(script, stdin);
            flow.join(&out.flow);
            outputs.push(out);
        }
        if let Some(ends) = ends {
            self.shell.join(&ends);
        }
        self.certainty = outer;
        self.status = None;
        self.choose(outputs, span).map_or_else(|| Stream::unknown(flow), |(_, chosen)| chosen)
    }

    pub(super) fn repeat(
        &mut self,
        condition: &Script,
        body: &Script,
        until: bool,
        stdin: &Stream,
        span: Span,
    ) -> Stream {
        let mut printed = Printed::default();
        // `while read x` over known text: line by line.
        if let Some(text) = &stdin.text
            && reads(condition)
        {
            for (round, line) in text.lines().enumerate() {
                if !self.follows_round(round) {
                    if text.lines().skip(round).all(is_tame) {
                        break;
                    }
                    self.unverified(Reason::CutShort("runs a loop too long to check"), span);
                    break;
                }
                let line =
                    Stream { text: Some(line.to_owned()), flow: stdin.flow.clone(), partial: None };
                self.script(condition, &line);
                let out = self.script(body, &line);
                printed.add(out);
            }
            self.status = None;
            return printed.stream();
        }
        self.script(condition, stdin);
        let endless = self.status == Some(!until);
        if endless && spawns_without_end(body) {
            self.effect(Kind::Process, Act::ForkBomb, Target::None, span);
        }
        let certainty = self.certainty;
        if !endless {
            self.certainty = certainty.min(Certainty::Possible);
        }
        let before = self.fork();
        // The second round sees what the first one left behind.
        for _ in 0..2 {
            let out = self.script(body, stdin);
            printed.add(out);
            self.script(condition, stdin);
        }
        self.shell.join(&before);
        self.certainty = certainty;
        self.status = None;
        Stream::unknown(printed.stream().flow)
    }

    /// Whether loops in loops have had as many rounds as are followed; what is left of them is doubtful.
    fn turns_too_often(&mut self, round: usize) -> bool {
        self.nested_rounds += usize::from(self.loops > 1);
        self.loops > 1 && round > 0 && self.nested_rounds > crate::budget::MAX_LITERAL
    }

    pub(super) fn each(
        &mut self,
        variable: &str,
        words: Option<&[Word]>,
        body: &Script,
        stdin: &Stream,
        span: Span,
    ) -> Stream {
        let items = match words {
            Some(words) => {
                let mut items = Vec::new();
                for word in words {
                    items.extend(expand::fields(word, self));
                }
                items
            }
            None => match &self.shell.positional {
                Positional::Known(items) => items.clone(),
                Positional::Unknown => vec![Field::unknown("$@", span)],
            },
        };
        if words.is_some_and(|words| self.counts_far(words)) && spawns_without_end(body) {
            self.effect(Kind::Process, Act::ForkBomb, Target::None, span);
        }
        let items = self.few_numbers(items, variable, span);
        let mut printed = Printed::default();
        let rounds = items.len();
        self.loops += 1;
        for (round, item) in items.iter().enumerate() {
            if self.turns_too_often(round) {
                self.unverified(Reason::CutShort("runs a loop too long to check"), span);
                break;
            }
            if !self.follows_round(round) {
                let mut rest = items.iter().skip(round);
                if rest.all(|item| item.exact().is_some_and(is_tame)) {
                    break;
                }
                self.unverified(Reason::CutShort("runs a loop too long to check"), span);
                break;
            }
            if !self.afford(8, span) {
                break;
            }
            let sure = item.exact().is_some();
            self.shell.set(variable, Variable::Scalar(item.clone()));
            let out = if sure {
                self.script(body, stdin)
            } else {
                self.possibly(|machine| machine.script(body, stdin))
            };
            printed.add(out);
        }
        self.loops -= 1;
        self.status = (rounds == 0).then_some(true);
        printed.stream()
    }

    pub(super) fn case(&mut self, subject: &Word, arms: &[Arm], stdin: &Stream) -> Stream {
        let subject = expand::single(subject, self);
        if arms.iter().all(|arm| arm.then == ArmEnd::Stop) {
            return self.one_arm(&subject, arms, stdin);
        }
        let mut flow = Flow::default();
        // Whether `;&` of the arm before leads here: surely, perhaps.
        let (mut falls, mut may_fall) = (false, false);
        for arm in arms {
            let fits = match self.arm_fits(arm, &subject) {
                _ if falls => Some(true),
                Some(false) if may_fall => None,
                fits => fits,
            };
            match fits {
                Some(true) => {
                    let out = self.script(&arm.body, stdin);
                    if arm.then == ArmEnd::Stop {
                        flow.join(&out.flow);
                        let flow = if flow.is_empty() { out.flow } else { flow };
                        return Stream { text: out.text, partial: out.partial, flow };
                    }
                    flow.join(&out.flow);
                }
                Some(false) => {}
                None => {
                    let out = self.possibly(|machine| machine.script(&arm.body, stdin));
                    flow.join(&out.flow);
                }
            }
            let next = arm.then == ArmEnd::Next;
            falls = next && fits == Some(true);
            may_fall = next && fits.is_none();
        }
        self.status = None;
        Stream::unknown(flow)
    }

    /// A `case` without fallthrough: each arm begins in the state before, and at most one is taken.
    fn one_arm(&mut self, subject: &Field, arms: &[Arm], stdin: &Stream) -> Stream {
        let mut flow = Flow::default();
        let mut outputs = Vec::new();
        let mut ends: Option<Shell> = None;
        let outer = self.certainty;
        for arm in arms {
            let Some(sure) = (match self.arm_fits(arm, subject) {
                Some(false) => None,
                fits => Some(fits.is_some()),
            }) else {
                continue;
            };
            let alone = sure && ends.is_none();
            if !alone {
                self.certainty = outer.min(Certainty::Possible);
            }
            let before = (!sure).then(|| self.fork());
            let out = self.script(&arm.body, stdin);
            self.certainty = outer;
            if alone {
                return out;
            }
            flow.join(&out.flow);
            outputs.push(out);
            let Some(before) = before else {
                break;
            };
            let after = std::mem::replace(&mut self.shell, before);
            match &mut ends {
                Some(ends) => ends.join(&after),
                None => ends = Some(after),
            }
        }
        if let Some(ends) = ends {
            self.shell.join(&ends);
        }
        self.status = None;
        self.choose(outputs, subject.span)
            .map_or_else(|| Stream::unknown(flow), |(_, chosen)| chosen)
    }

    /// Whether a row of numbers goes on for long: `{1..100000}`, `$(seq 1000000)`.
    fn counts_far(&self, words: &[Word]) -> bool {
        words.iter().any(|word| {
            // Code inside code stands elsewhere in the command.
            let text = self.source.get(self.origin.map(word.span).range()).unwrap_or_default();
            let far = |digits: &str| digits.parse::<u64>().is_ok_and(|number| number >= FAR);
            (text.contains("..") || text.contains("seq "))
                && text.split(|letter: char| !letter.is_ascii_digit()).any(far)
        })
    }

    /// A long number range: follows the first values, and one unknown for the rest.
    fn few_numbers(&mut self, mut items: Vec<Field>, variable: &str, span: Span) -> Vec<Field> {
        let number = |item: &Field| {
            let text = item.exact().unwrap_or_default();
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if items.len() > MAX_ROUNDS && items.iter().all(number) {
            items.truncate(MAX_ROUNDS - 1);
            items.push(Field::unknown(&format!("${variable}"), span));
            self.unverified.retain(|doubt| {
                let row =
                    matches!(doubt.reason, Reason::CutShort(TOO_MANY_FIELDS | TOO_MANY_WORDS));
                !(row && span.contains(doubt.span))
            });
        }
        items
    }

    /// Whether one of the arm's patterns matches; none if that cannot be told.
    fn arm_fits(&mut self, arm: &Arm, subject: &Field) -> Option<bool> {
        let mut fits = Some(false);
        for pattern in &arm.patterns {
            let pattern = expand::pattern(pattern, self);
            if matches!(pattern.parts.as_slice(), [Part::Glob(glob)] if glob == "*") {
                return Some(true);
            }
            match subject.exact().and_then(|text| expand::pattern_matches(&pattern, text)) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => fits = None,
            }
        }
        fits
    }

    /// Variables that a loop sets in a way that is not followed are unknown inside it.
    pub(super) fn forget_assigned(&mut self) {
        for slot in &mut self.shell.variables {
            if let [Variable::Scalar(field)] = slot.values.as_slice()
                && field.exact().is_some_and(|text| text.parse::<i64>().is_ok())
            {
                slot.values = vec![Variable::Unknown];
            }
        }
    }
}

/// Whether the condition of a loop is `read ...`.
fn reads(condition: &Script) -> bool {
    let [item] = condition.items.as_slice() else {
        return false;
    };
    let [Command { kind: CommandKind::Simple(simple), redirects, .. }] =
        item.first.commands.as_slice()
    else {
        return false;
    };
    redirects.is_empty() && simple.words.first().is_some_and(|word| plain(word) == Some("read"))
}

/// An endless loop that starts things in the background: nothing waits, pauses or ends it.
pub(super) fn spawns_without_end(body: &Script) -> bool {
    left_running(body).is_some_and(Left::any)
}

/// Processes started in a loop round and not waited for.
#[derive(Clone, Copy, Default)]
struct Left {
    running: bool,
    /// Started by a subshell, for which nobody can wait.
    alone: bool,
}

impl Left {
    fn any(self) -> bool {
        self.running || self.alone
    }
}

/// None if the script pauses, may end the loop, or does something that is not followed here.
fn left_running(script: &Script) -> Option<Left> {
    let mut left = Left::default();
    for item in &script.items {
        if item.background {
            left.running = true;
            continue;
        }
        let pipelines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, rest)| rest));
        for command in pipelines.flat_map(|pipeline| &pipeline.commands) {
            match &command.kind {
                CommandKind::Simple(simple) => {
                    match simple.words.first().and_then(plain).unwrap_or_default() {
                        "break" | "exit" | "return" | "sleep" | "read" => return None,
                        "wait" => left.running = false,
                        _ => {}
                    }
                }
                CommandKind::Group(inner) => {
                    let inner = left_running(inner)?;
                    left.running |= inner.running;
                    left.alone |= inner.alone;
                }
                CommandKind::Subshell(inner) => left.alone |= left_running(inner)?.any(),
                CommandKind::Arithmetic(_) | CommandKind::Test(_) => {}
                _ => return None,
            }
        }
    }
    Some(left)
}
