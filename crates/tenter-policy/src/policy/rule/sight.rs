//! A scene with data precomputed for matching many rules.

use std::cell::OnceCell;

use tenter_model::{Action, Tool, ToolCall};
use tenter_shell::Act;
use tenter_shell::{Certainty, Effect, Field, Kind, PathTarget, Span};

use super::on::{
    ANY, DELETE, EDIT, EventOn, FETCH, MCP, OTHER, OUTPUT, On, PROMPT, READ, SEARCH, SHELL, TASK,
    WRITE,
};
use crate::scene::{Moment, Scene};

/// A match of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) span: Option<Span>,
    pub(crate) subject: String,
    pub(crate) certainty: Certainty,
}

impl Default for Hit {
    fn default() -> Self {
        Self { span: None, subject: String::new(), certainty: Certainty::Certain }
    }
}

/// A scene, prepared for many rules.
#[derive(Debug)]
pub(crate) struct Sight<'s> {
    pub(super) scene: &'s Scene<'s>,
    /// Actions of the event's tools, as bits of [`On`].
    pub(super) tools: u16,
    /// The same including the effects of a command.
    pub(super) all: u16,
    /// Bits of each effect.
    pub(super) effects: Vec<u16>,
    /// Bits of each program.
    pub(super) commands: Vec<u16>,
    pub(super) mcp: OnceCell<String>,
    /// The texts in lower case, in the order of the passages.
    pub(super) lower: Vec<OnceCell<String>>,
    touched: OnceCell<Vec<PathTarget>>,
}

impl<'s> Sight<'s> {
    pub(crate) fn new(scene: &'s Scene<'s>) -> Self {
        let tools = tools(scene);
        let effects: Vec<u16> = scene.effects().iter().map(effect_bits).collect();
        let mut commands = vec![SHELL; scene.analysis.commands.len()];
        for (effect, bits) in scene.effects().iter().zip(&effects) {
            let command = effect.command.and_then(|index| commands.get_mut(index as usize));
            if let Some(command) = command {
                *command |= bits;
            }
        }
        let all = effects.iter().fold(tools, |all, bits| all | bits);
        Self {
            scene,
            tools,
            all,
            effects,
            commands,
            mcp: OnceCell::new(),
            lower: vec![OnceCell::new(); scene.passages.len()],
            touched: OnceCell::new(),
        }
    }

    /// The actions relevant for a rule; `None` if it concerns other events.
    pub(crate) fn concerns(&self, on: &On) -> Option<u16> {
        if on.actions & self.all != 0 {
            return Some(on.actions);
        }
        let event = self.scene.event.kind() as u8;
        let fits = |on: &EventOn| {
            on.event == event
                && (on.tool.is_empty() || self.tool_is(std::slice::from_ref(&on.tool), true))
        };
        on.events.iter().any(fits).then_some(ANY)
    }

    /// Files touched by a finished call.
    pub(super) fn touched(&self) -> &[PathTarget] {
        self.touched.get_or_init(|| {
            let call = self.scene.event.tool_call();
            let files = call.into_iter().flat_map(ToolCall::files);
            let names = files.flat_map(|file| [Some(file.path), file.moved_to]).flatten();
            names
                .map(|path| {
                    PathTarget::resolve(&Field::text(path, Span::default()), self.scene.cwd)
                })
                .collect()
        })
    }
}

/// Actions of this event's tools.
fn tools(scene: &Scene<'_>) -> u16 {
    match scene.moment {
        Moment::Prompt => return PROMPT,
        Moment::After => return OUTPUT,
        Moment::Other => return 0,
        Moment::Before => {}
    }
    let Some(call) = scene.event.tool_call() else {
        return 0;
    };
    let bits = call.actions.iter().fold(0, |bits, action| {
        bits | match action {
            Action::Shell { .. } => SHELL,
            Action::Read { .. } => READ,
            Action::Write { .. } => WRITE | EDIT,
            Action::Edit { .. } => EDIT,
            Action::Delete { .. } => DELETE,
            Action::Search { .. } => SEARCH,
            Action::Fetch { .. } => FETCH,
            Action::Mcp(_) => MCP,
            Action::Task { .. } => TASK,
            Action::Other { .. } => OTHER,
        }
    });
    match (bits, &call.tool) {
        (0, Tool::Bash) => SHELL,
        (0, _) => OTHER,
        (bits, _) => bits,
    }
}

/// The action of an effect: a file read by a command is `read`.
fn effect_bits(effect: &Effect) -> u16 {
    if effect.command.is_none() && effect.span.is_empty() {
        return match effect.action {
            Act::ReadTool => READ,
            Act::SearchTool | Act::ListTool => SEARCH,
            Act::WriteTool => WRITE | EDIT,
            Act::EditTool => EDIT,
            Act::DeleteTool => DELETE,
            _ => OTHER,
        };
    }
    SHELL
        | match effect.kind {
            Kind::Read => READ,
            Kind::Write | Kind::Overwrite | Kind::Append => WRITE | EDIT,
            Kind::Delete | Kind::Move => DELETE,
            Kind::Receive | Kind::Send => FETCH,
            _ => 0,
        }
}
