//! Matches conditions on the whole event.

use tenter_model::{Action, ToolCall};
use tenter_shell::Span;

use super::sight::Sight;
use super::{Broad, Word, is_pattern};
use crate::pattern;
use crate::scene::PassageKind;

impl Sight<'_> {
    /// Whether a condition holds; with `open`, doubtful cases count as a match.
    pub(super) fn holds(&self, broad: &Broad, open: bool, span: &mut Option<Span>) -> bool {
        let event = self.scene.event;
        let among = |patterns: &[String], text: Option<&str>| {
            text.is_some_and(|text| {
                patterns.iter().any(|it| it.eq_ignore_ascii_case(text) || globs(it, text))
            })
        };
        match broad {
            Broad::Tool(names) => self.tool_is(names, open),
            Broad::Host(names) => names.iter().any(|name| name == event.host.as_str()),
            Broad::AgentType(names) => among(names, event.agent.kind.as_deref()),
            Broad::PermissionMode(names) => among(names, event.permission_mode.as_deref()),
            Broad::Mcp(patterns) => self.mcp_is(patterns, open),
            Broad::Prompt(words) => self
                .says(words, span, |kind| matches!(kind, PassageKind::Prompt | PassageKind::Task)),
            Broad::Content(words) => self.says(words, span, |kind| {
                use PassageKind::{Input, Output, Read, Written};
                matches!(kind, Written | Read | Output | Input)
            }),
            Broad::Command(words) => {
                if self.scene.command.is_some() {
                    return self.says(words, span, |kind| kind == PassageKind::Command);
                }
                let command = event.tool_call().and_then(ToolCall::command);
                command.is_some_and(|text| {
                    let lower = text.to_ascii_lowercase();
                    words.iter().any(|word| word.find(&text, &lower).is_some())
                })
            }
        }
    }

    fn says(
        &self,
        words: &[Word],
        span: &mut Option<Span>,
        wanted: fn(PassageKind) -> bool,
    ) -> bool {
        for (passage, lower) in self.scene.passages.iter().zip(&self.lower) {
            if !wanted(passage.kind) {
                continue;
            }
            let lower = lower.get_or_init(|| passage.text.to_ascii_lowercase());
            let found = words.iter().find_map(|word| word.find(&passage.text, lower));
            if let Some(found) = found {
                if passage.kind == PassageKind::Command {
                    *span = Some(Span::new(found.start, found.end));
                }
                return true;
            }
        }
        false
    }

    /// Whether the call's tool has one of these names. With `open`, `Edit` also stands for `Write`: some
    /// hosts send every edit as the whole file, and a patch holds several kinds of change.
    pub(super) fn tool_is(&self, names: &[String], open: bool) -> bool {
        let Some(call) = self.scene.event.tool_call() else {
            return false;
        };
        let is = |tool: &str| {
            names.iter().any(|name| name.eq_ignore_ascii_case(tool) || globs(name, tool))
        };
        let changes = |action: &Action<'_>| match action {
            Action::Write { .. } => is("Write") || is("Edit"),
            Action::Edit { .. } => is("Edit"),
            Action::Delete { .. } => is("Delete"),
            _ => false,
        };
        is(call.tool.as_str())
            || call.native_tool.as_deref().is_some_and(is)
            || (open && call.actions.iter().any(changes))
    }

    fn mcp_is(&self, patterns: &[String], open: bool) -> bool {
        let Some(identity) = self.scene.mcp else {
            return false;
        };
        let canonical = self.mcp.get_or_init(|| identity.canonical());
        patterns.iter().any(|wanted| {
            // If the host does not name the server, it may be this one.
            if identity.server.is_none()
                && let Some((_, tool)) = wanted.split_once('/')
            {
                return open && pattern::matches(tool, &identity.tool);
            }
            pattern::matches(wanted, canonical)
        })
    }
}

pub(super) fn globs(wanted: &str, text: &str) -> bool {
    is_pattern(wanted) && pattern::matches(wanted, text)
}
