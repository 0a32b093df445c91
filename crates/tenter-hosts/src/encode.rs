//! Encodes a verdict as the host's native answer, following the host's table.
//!
//! Every field left out is reported as a [`Loss`]. The order of keys is fixed, so equal verdicts give equal
//! bytes.

use tenter_model::json::Changed;
use tenter_model::{
    Decision, Enforcement, Event, EventKind, Field, HostId, Loss, LossKind, Verdict,
};

use crate::capability::{Cap, EventSpec, InputWith, Way};
use crate::reply::Reply;

/// The encoded answer, with the losses on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub stdout: String,
    /// Text for the host's stderr. Almost always empty: see [`Answer::stderr_is_free`].
    pub stderr: String,
    pub exit: u8,
    /// The decision sent to the host, after any downgrade.
    pub decision: Option<Decision>,
    pub enforcement: Enforcement,
    pub losses: Vec<Loss>,
}

impl Answer {
    /// Whether the host ignores stderr, so that diagnostics may go there.
    ///
    /// Hosts ignore stderr on exit 0, Gemini CLI only beside a stdout that is not empty, and take it as the
    /// reason on exit 2.
    pub fn stderr_is_free(&self) -> bool {
        self.exit == 0
    }

    /// An answer that has no effect.
    pub fn neutral(stdout: String) -> Self {
        Self {
            stdout,
            stderr: String::new(),
            exit: 0,
            decision: None,
            enforcement: Enforcement::None,
            losses: Vec::new(),
        }
    }

    /// Fallback when no JSON can be produced: the one form that is recorded or documented to block on every
    /// host.
    pub fn blocked(message: &str) -> Self {
        Self {
            stdout: String::new(),
            stderr: non_empty(message).unwrap_or("blocked: the hook failed").to_owned() + "\n",
            exit: 2,
            decision: Some(Decision::Deny),
            enforcement: Enforcement::Hard,
            losses: Vec::new(),
        }
    }
}

/// Replacement for an `ask` that a host would ignore or reject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskFallback {
    /// Deny, and say that approval is needed.
    Deny,
    /// Send the ask anyway, where the host's format has one.
    Ask,
    /// Allow.
    Allow,
}

impl AskFallback {
    pub const ALL: [AskFallback; 3] = [AskFallback::Deny, AskFallback::Ask, AskFallback::Allow];

    pub const fn as_str(self) -> &'static str {
        match self {
            AskFallback::Deny => "deny",
            AskFallback::Ask => "ask",
            AskFallback::Allow => "allow",
        }
    }
}

/// The option that replaces an `ask` of a host.
#[derive(Clone, Copy, Debug)]
pub struct AskOption {
    /// `cursor-ask`
    pub name: &'static str,
    pub help: &'static str,
    /// The names of its values, separated by bars.
    pub values: &'static str,
    pub default: AskFallback,
}

impl AskOption {
    /// The value of this name.
    pub fn value(&self, name: &str) -> Option<AskFallback> {
        let known = self.values.split('|').any(|value| value == name);
        AskFallback::ALL.into_iter().find(|value| known && value.as_str() == name)
    }
}

/// Encoding options from the hook's command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EncodeOptions {
    /// By host; `None` for its default.
    pub asks: [Option<AskFallback>; HostId::COUNT],
    /// Also exit with code 2 on a deny at a gate, beside the JSON.
    pub deny_exit_2: bool,
}

impl EncodeOptions {
    /// Replacement for an ask on a host that cannot ask the user.
    pub fn ask_on(&self, host: HostId) -> AskFallback {
        let default = || crate::host(host).profile().ask.map(|ask| ask.default);
        let given = self.asks.get(host as usize).copied().flatten();
        given.or_else(default).unwrap_or(AskFallback::Deny)
    }

    pub fn set_ask(&mut self, host: HostId, value: AskFallback) {
        if let Some(ask) = self.asks.get_mut(host as usize) {
            let default = crate::host(host).profile().ask.map(|ask| ask.default);
            *ask = Some(value).filter(|value| Some(*value) != default);
        }
    }
}

/// A verdict being encoded: the host's quirks change it, then [`Draft::finish`] writes it.
#[derive(Debug)]
pub struct Draft<'d> {
    pub event: &'d Event<'d>,
    pub spec: &'static EventSpec,
    pub verdict: Verdict,
    /// Upper limit for the enforcement of the decision, where lower than the table's.
    pub level_at_most: Enforcement,
    losses: Vec<Loss>,
}

impl<'d> Draft<'d> {
    pub fn new(event: &'d Event<'d>, spec: &'static EventSpec, verdict: &Verdict) -> Self {
        let mut verdict = verdict.clone();
        // Blank text counts as absent: Codex rejects a blank reason, and elsewhere it is useless.
        for text in
            [&mut verdict.reason, &mut verdict.user_message, &mut verdict.additional_context]
        {
            if text.as_deref().is_some_and(|text| non_empty(text).is_none()) {
                *text = None;
            }
        }
        let level_at_most = Enforcement::Hard;
        let mut draft = Self { event, spec, verdict, level_at_most, losses: Vec::new() };
        draft.settle_reason();
        draft
    }

    /// Replaces the decision by a safer or weaker one and records the loss.
    pub fn downgrade(&mut self, to: Decision, why: &str, instead: &str) {
        let why = match self.verdict.decision.replace(to) {
            Some(from) => format!("`{from}` becomes `{to}`: {why}"),
            None => why.to_owned(),
        };
        self.lose(Field::Decision, LossKind::Downgraded, &why, instead);
    }

    /// Turns an ask that the host would not show into a deny that explains itself.
    pub fn deny_for_approval(&mut self, why: &str, instead: &str) {
        let given = self.verdict.reason.clone();
        let asked = given.as_deref().unwrap_or("a hook asks for it");
        let host = self.event.host.title();
        // The guard knows what becomes of an ask, and says so itself.
        let is_said = asked.starts_with("tenter blocked ");
        if matches!(self.spec.reason.way, Way::Text { .. }) && !is_said {
            self.verdict.reason = Some(format!(
                "{asked}\n\nBlocked: needs the user's OK, which {host} does not ask for here. Ask the \
                 user before you try again."
            ));
        }
        if self.verdict.user_message.is_none() {
            self.verdict.user_message = Some(format!("Blocked, needs your OK: {asked}"));
        }
        self.downgrade(Decision::Deny, why, instead);
    }

    /// Records that a field does not arrive as intended.
    pub fn lose(&mut self, field: Field, kind: LossKind, why: &str, instead: &str) {
        let same = self
            .losses
            .iter_mut()
            .find(|loss| loss.kind == kind && loss.why == why && loss.instead == instead);
        match same {
            Some(loss) if loss.fields.contains(&field) => {}
            Some(loss) => loss.fields.push(field),
            None => self.losses.push(Loss {
                fields: vec![field],
                kind,
                why: why.to_owned(),
                instead: instead.to_owned(),
            }),
        }
    }

    /// Removes a field from the answer and records why.
    pub fn drop_field(&mut self, field: Field, why: &str, instead: &str) {
        let there = match field {
            Field::Decision => self.verdict.decision.take().is_some(),
            Field::Reason => self.verdict.reason.take().is_some(),
            Field::UserMessage => self.verdict.user_message.take().is_some(),
            Field::ModifiedInput => self.verdict.modified_input.take().is_some(),
            Field::AdditionalContext => self.verdict.additional_context.take().is_some(),
        };
        if there {
            self.lose(field, LossKind::Dropped, why, instead);
        }
    }

    /// Writes the answer.
    pub fn finish(mut self, options: &EncodeOptions) -> Answer {
        let mut reply = Reply::new(self.spec.native);
        if let Some((path, json)) = self.spec.base {
            reply.set(path, json);
        }
        self.settle_decision(options.ask_on(self.event.host));
        let input = self.native_input();
        let mut level = self.write_decision(input.is_some(), &mut reply);
        if self.verdict.decision.is_some_and(|d| self.spec.decision(d).way == Way::Exit2) {
            return self.finish_by_exit();
        }
        let told = self.verdict.reason.clone().or_else(|| self.verdict.user_message.clone());
        level = level.max(self.write_texts(&mut reply));
        if let (Some(input), Way::Input { path, .. }) = (input, self.spec.modified_input.way) {
            reply.set(path, &input);
            level = level.max(self.spec.modified_input.level);
        }
        self.into_answer(&reply, told, level, options)
    }

    fn write_decision(&mut self, has_input: bool, reply: &mut Reply) -> Enforcement {
        let Some(decision) = self.verdict.decision else {
            return Enforcement::None;
        };
        let cap = *self.spec.decision(decision);
        match cap.way {
            Way::Set { path, json } => reply.set(path, json),
            Way::WithInput { path, json } if has_input => {
                reply.set(path, json);
                return Enforcement::None;
            }
            _ => {}
        }
        if !cap.why.is_empty() {
            self.lose(Field::Decision, LossKind::Downgraded, cap.why, cap.instead);
        }
        cap.level.min(self.level_at_most)
    }

    fn write_texts(&mut self, reply: &mut Reply) -> Enforcement {
        let texts = [
            (Field::UserMessage, self.verdict.user_message.take()),
            (Field::Reason, self.verdict.reason.take()),
            (Field::AdditionalContext, self.verdict.additional_context.take()),
        ];
        // Text without a path of its own waits until the others are placed.
        let (placed, waiting): (Vec<_>, Vec<_>) = texts
            .into_iter()
            .partition(|(field, _)| !matches!(self.spec.field(*field).way, Way::Instead { .. }));
        let mut level = Enforcement::None;
        for (field, text) in placed.into_iter().chain(waiting) {
            if let Some(text) = text
                && self.place_text(field, &text, reply)
            {
                level = level.max(self.spec.field(field).level);
            }
        }
        level
    }

    fn into_answer(
        self,
        reply: &Reply,
        told: Option<String>,
        level: Enforcement,
        options: &EncodeOptions,
    ) -> Answer {
        let denied = self.verdict.decision == Some(Decision::Deny) && self.spec.gate;
        let exit2 = denied && options.deny_exit_2;
        let stdout = if reply.is_empty() {
            crate::host(self.event.host).profile().empty_answer.to_owned()
        } else {
            reply.to_json()
        };
        // On exit 2 stderr is the reason, and Codex lets the action go on without one.
        let told = told.unwrap_or_else(|| DENIED_WITHOUT_REASON.to_owned());
        let stderr = if exit2 { Answer::blocked(&told).stderr } else { String::new() };
        Answer {
            stdout,
            stderr,
            exit: if exit2 { 2 } else { 0 },
            decision: self.verdict.decision,
            enforcement: level,
            losses: self.losses,
        }
    }

    /// Gives a reason without a decision its meaning: at a stop it says how to go on, elsewhere it is
    /// context for the model, where the event takes context.
    fn settle_reason(&mut self) {
        if self.verdict.decision.is_some() || self.verdict.reason.is_none() {
            return;
        }
        let spec = self.spec;
        let is_stop = matches!(spec.kind, EventKind::Stop | EventKind::SubagentStop);
        if is_stop && spec.deny.way != Way::Nowhere {
            self.verdict.decision = Some(Decision::Deny);
        } else if matches!(spec.reason.way, Way::Text { when: [_, ..], .. } | Way::Instead { .. })
            && matches!(spec.additional_context.way, Way::Text { when: [], .. })
            && spec.additional_context.why.is_empty()
            && let Some(reason) = self.verdict.reason.take()
        {
            self.lose(
                Field::Reason,
                LossKind::Downgraded,
                "without a decision it is told to the model as context",
                "return it as `additional_context`, or with a decision",
            );
            self.verdict.additional_context = Some(match self.verdict.additional_context.take() {
                Some(context) => format!("{reason}\n\n{context}"),
                None => reason,
            });
        }
    }

    /// Converts the decision to one that this event can express, or to none.
    fn settle_decision(&mut self, on_ask: AskFallback) {
        let Some(decision) = self.verdict.decision else {
            return;
        };
        let cap = *self.spec.decision(decision);
        match cap.way {
            Way::As(_) if decision == Decision::Ask && on_ask == AskFallback::Allow => {
                self.downgrade(Decision::Allow, cap.why, "allowed on request");
            }
            Way::As(Decision::Deny) if decision == Decision::Ask && self.spec.gate => {
                self.deny_for_approval(cap.why, cap.instead);
            }
            // The replacement has its own explanation.
            Way::As(other) if !self.spec.decision(other).why.is_empty() => {
                self.verdict.decision = Some(other);
            }
            Way::As(other) => self.downgrade(other, cap.why, cap.instead),
            Way::Nowhere => self.drop_field(Field::Decision, cap.why, cap.instead),
            _ => {}
        }
        // Every host ignores or rejects a deny without a reason.
        if self.verdict.decision == Some(Decision::Deny)
            && self.verdict.reason.is_none()
            && matches!(self.spec.reason.way, Way::Text { .. })
        {
            let text = match self.spec.kind {
                EventKind::Stop | EventKind::SubagentStop => GO_ON_WITHOUT_REASON,
                _ => DENIED_WITHOUT_REASON,
            };
            // The user's message is the best reason available.
            let told = self.verdict.user_message.clone();
            self.verdict.reason = Some(told.unwrap_or_else(|| text.to_owned()));
        }
    }

    /// The host's complete input with the changes, if this event accepts one with this decision.
    fn native_input(&mut self) -> Option<String> {
        let changes = self.verdict.modified_input.take()?;
        let cap = self.spec.modified_input;
        let Way::Input { with, .. } = cap.way else {
            self.lose(Field::ModifiedInput, LossKind::Dropped, cap.why, cap.instead);
            return None;
        };
        let fits = match (self.verdict.decision, with) {
            (Some(Decision::Deny), _) => Err(("the call is denied", "")),
            (Some(Decision::Allow), _) | (_, InputWith::Any) | (None, InputWith::AllowAdded) => {
                Ok(())
            }
            _ => Err((
                "the host takes new input only with an allow",
                "return decision \"allow\" with it",
            )),
        };
        if let Err((why, instead)) = fits {
            self.lose(Field::ModifiedInput, LossKind::Dropped, why, instead);
            return None;
        }
        let call = self.event.tool_call()?;
        match call.native_input_with(&changes) {
            Ok((input, changed)) => {
                if changed != Changed::default() {
                    let why = "half surrogates and values nested too deep were replaced in it";
                    self.lose(Field::ModifiedInput, LossKind::Downgraded, why, "");
                }
                if with == InputWith::AllowAdded {
                    self.verdict.decision = Some(Decision::Allow);
                }
                Some(input)
            }
            Err(error) => {
                self.lose(Field::ModifiedInput, LossKind::Dropped, &error.to_string(), "");
                None
            }
        }
    }

    /// Writes one text where the table says; false if it has no place.
    fn place_text(&mut self, field: Field, text: &str, reply: &mut Reply) -> bool {
        let cap: Cap = *self.spec.field(field);
        let fits = |when: &[Decision]| {
            when.is_empty() || self.verdict.decision.is_some_and(|d| when.contains(&d))
        };
        match cap.way {
            Way::Text { path, when } if fits(when) => {
                reply.text(path, text);
                if !cap.why.is_empty() {
                    self.lose(field, LossKind::Downgraded, cap.why, cap.instead);
                }
                true
            }
            Way::Instead { path, when } if fits(when) && !reply.has(path) => {
                reply.text(path, text);
                self.lose(field, LossKind::Downgraded, cap.why, cap.instead);
                true
            }
            // Already contained in the text of another field.
            Way::Instead { path, when } if fits(when) && reply.says(path, text) => true,
            Way::Text { when, .. } => {
                let needed: Vec<&str> = when.iter().map(|d| d.as_str()).collect();
                let why = format!("it goes only with decision {} here", needed.join(" or "));
                self.lose(field, LossKind::Dropped, &why, "");
                false
            }
            Way::Instead { .. } => {
                self.lose(field, LossKind::Dropped, "this event has no place for it", cap.instead);
                false
            }
            _ => {
                self.lose(field, LossKind::Dropped, cap.why, cap.instead);
                false
            }
        }
    }

    /// The answer of an event that honours only the exit code.
    fn finish_by_exit(mut self) -> Answer {
        for field in [Field::UserMessage, Field::AdditionalContext] {
            self.drop_field(field, "this event reads only the exit code and stderr", "");
        }
        let reason = self.verdict.reason.take().unwrap_or_default();
        let mut answer = Answer::blocked(non_empty(&reason).unwrap_or(DENIED_WITHOUT_REASON));
        // Empty stdout and a reason that mentions a missing file would look like a hook that could not start.
        if !crate::host(self.event.host).profile().json_outweighs_exit {
            answer.stdout.push_str("{}");
        }
        answer.enforcement = self.spec.deny.level;
        answer.losses = self.losses;
        answer
    }
}

const DENIED_WITHOUT_REASON: &str = "Blocked by a hook that gave no reason.";
const GO_ON_WITHOUT_REASON: &str = "A hook asks you to go on; it gave no reason.";

fn non_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.trim().is_empty())
}
