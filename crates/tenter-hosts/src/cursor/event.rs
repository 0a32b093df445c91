//! Table of Cursor's 21 events: matcher subject, answer fields, whether it can block.

use std::fmt;

/// Answer class of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Waits for `permission`; a bad answer blocks.
    Permission,
    /// Waits for `continue`.
    Prompt,
    /// Takes context for the model; cannot block.
    Context,
    /// Takes a follow-up message with which the agent goes on.
    Stop,
    /// Takes nothing, or a message to show.
    Observe,
}

/// The text a hook's matcher is tested against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A field of the payload that holds a string.
    Field(&'static str),
    /// `MCP:` and the tool name of an MCP call.
    McpTool,
    /// A fixed word.
    Constant(&'static str),
    /// The matcher is ignored: the hook always runs.
    Ignored,
}

/// A field of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerField {
    Permission,
    Continue,
    UserMessage,
    AgentMessage,
    UpdatedInput,
    UpdatedMcpToolOutput,
    AdditionalContext,
    FollowupMessage,
    Env,
    PluginPaths,
}

impl AnswerField {
    pub const ALL: [Self; 10] = [
        Self::Permission,
        Self::Continue,
        Self::UserMessage,
        Self::AgentMessage,
        Self::UpdatedInput,
        Self::UpdatedMcpToolOutput,
        Self::AdditionalContext,
        Self::FollowupMessage,
        Self::Env,
        Self::PluginPaths,
    ];

    /// Key in the answer.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Continue => "continue",
            Self::UserMessage => "user_message",
            Self::AgentMessage => "agent_message",
            Self::UpdatedInput => "updated_input",
            Self::UpdatedMcpToolOutput => "updated_mcp_tool_output",
            Self::AdditionalContext => "additional_context",
            Self::FollowupMessage => "followup_message",
            Self::Env => "env",
            Self::PluginPaths => "pluginPaths",
        }
    }

    /// Spelling in older documentation and on the other hosts, if different.
    pub const fn alias(self) -> Option<&'static str> {
        match self {
            Self::UserMessage => Some("userMessage"),
            Self::AgentMessage => Some("agentMessage"),
            Self::UpdatedInput => Some("updatedInput"),
            Self::UpdatedMcpToolOutput => Some("updatedMcpToolOutput"),
            Self::AdditionalContext => Some("additionalContext"),
            Self::FollowupMessage => Some("followupMessage"),
            Self::PluginPaths => Some("plugin_paths"),
            Self::Permission | Self::Continue | Self::Env => None,
        }
    }
}

/// Properties of one event.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub name: &'static str,
    pub class: Class,
    pub subject: Subject,
    /// The fields that have an effect.
    pub honoured: &'static [AnswerField],
    /// Fields that the schema accepts and Cursor ignores.
    pub tolerated: &'static [AnswerField],
    /// Permissions that the schema accepts.
    pub permissions: &'static [&'static str],
    /// Whether the agent waits for the hooks.
    pub waits: bool,
    /// The event's name in Claude's settings, if Cursor maps it.
    pub claude: Option<&'static str>,
}

use AnswerField as F;

const ALLOW_DENY: &[&str] = &["allow", "deny"];
const ALLOW_DENY_ASK: &[&str] = &["allow", "deny", "ask"];

const OBSERVE: Spec = Spec {
    name: "",
    class: Class::Observe,
    subject: Subject::Ignored,
    honoured: &[],
    tolerated: &[],
    permissions: &[],
    waits: true,
    claude: None,
};
const PERMISSION: Spec = Spec {
    class: Class::Permission,
    honoured: &[F::Permission, F::UserMessage, F::AgentMessage],
    tolerated: &[F::Continue],
    permissions: ALLOW_DENY_ASK,
    ..OBSERVE
};

macro_rules! events {
    ($($variant:ident => $spec:expr),+ $(,)?) => {
        /// Cursor's hook events.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum CursorEvent { $($variant),+ }

        impl CursorEvent {
            /// Every event, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The properties of this event.
            pub const fn spec(self) -> &'static Spec {
                match self { $(Self::$variant => { const SPEC: Spec = $spec; &SPEC })+ }
            }
        }
    };
}

events! {
    SessionStart => Spec {
        name: "sessionStart",
        class: Class::Context,
        honoured: &[F::Env, F::AdditionalContext],
        tolerated: &[F::Continue, F::UserMessage],
        waits: false,
        claude: Some("SessionStart"),
        ..OBSERVE
    },
    SessionEnd => Spec {
        name: "sessionEnd", waits: false, claude: Some("SessionEnd"), ..OBSERVE
    },
    BeforeSubmitPrompt => Spec {
        name: "beforeSubmitPrompt",
        class: Class::Prompt,
        subject: Subject::Constant("UserPromptSubmit"),
        honoured: &[F::Continue, F::UserMessage],
        claude: Some("UserPromptSubmit"),
        ..OBSERVE
    },
    PreToolUse => Spec {
        name: "preToolUse",
        subject: Subject::Field("tool_name"),
        honoured: &[F::Permission, F::UserMessage, F::AgentMessage, F::UpdatedInput],
        claude: Some("PreToolUse"),
        ..PERMISSION
    },
    PostToolUse => Spec {
        name: "postToolUse",
        class: Class::Context,
        subject: Subject::Field("tool_name"),
        honoured: &[F::AdditionalContext, F::UpdatedMcpToolOutput],
        claude: Some("PostToolUse"),
        ..OBSERVE
    },
    PostToolUseFailure => Spec {
        name: "postToolUseFailure",
        class: Class::Context,
        subject: Subject::Field("tool_name"),
        honoured: &[F::AdditionalContext],
        ..OBSERVE
    },
    BeforeShellExecution => Spec {
        name: "beforeShellExecution", subject: Subject::Field("command"), ..PERMISSION
    },
    AfterShellExecution => Spec {
        name: "afterShellExecution", subject: Subject::Field("command"), ..OBSERVE
    },
    BeforeMcpExecution => Spec {
        name: "beforeMCPExecution", subject: Subject::McpTool, ..PERMISSION
    },
    AfterMcpExecution => Spec {
        name: "afterMCPExecution", subject: Subject::McpTool, ..OBSERVE
    },
    BeforeReadFile => Spec {
        name: "beforeReadFile",
        subject: Subject::Constant("Read"),
        honoured: &[F::Permission, F::UserMessage],
        permissions: ALLOW_DENY,
        ..PERMISSION
    },
    AfterFileEdit => Spec {
        name: "afterFileEdit", subject: Subject::Constant("Write"), ..OBSERVE
    },
    BeforeTabFileRead => Spec {
        name: "beforeTabFileRead",
        subject: Subject::Constant("TabRead"),
        honoured: &[F::Permission],
        permissions: ALLOW_DENY,
        ..PERMISSION
    },
    AfterTabFileEdit => Spec {
        name: "afterTabFileEdit", subject: Subject::Constant("TabWrite"), ..OBSERVE
    },
    SubagentStart => Spec {
        name: "subagentStart",
        subject: Subject::Field("subagent_type"),
        honoured: &[F::Permission, F::UserMessage],
        ..PERMISSION
    },
    SubagentStop => Spec {
        name: "subagentStop",
        class: Class::Stop,
        subject: Subject::Field("subagent_type"),
        honoured: &[F::FollowupMessage],
        claude: Some("SubagentStop"),
        ..OBSERVE
    },
    PreCompact => Spec {
        name: "preCompact", honoured: &[F::UserMessage], claude: Some("PreCompact"), ..OBSERVE
    },
    Stop => Spec {
        name: "stop",
        class: Class::Stop,
        subject: Subject::Constant("Stop"),
        honoured: &[F::FollowupMessage],
        claude: Some("Stop"),
        ..OBSERVE
    },
    AfterAgentResponse => Spec {
        name: "afterAgentResponse", subject: Subject::Constant("AgentResponse"), ..OBSERVE
    },
    AfterAgentThought => Spec {
        name: "afterAgentThought", subject: Subject::Constant("AgentThought"), ..OBSERVE
    },
    WorkspaceOpen => Spec {
        name: "workspaceOpen", honoured: &[F::PluginPaths], ..OBSERVE
    },
}

impl CursorEvent {
    /// Name in `hooks.json` and in the payload.
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// The event of this exact name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.name() == name)
    }

    /// The event that Cursor fires for a name in Claude's settings.
    pub fn of_claude(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.spec().claude == Some(name))
    }

    /// Parses a name; the error suggests the nearest one.
    pub fn parse(name: &str) -> Result<Self, UnknownEvent> {
        Self::named(name)
            .ok_or_else(|| UnknownEvent { name: name.to_owned(), meant: Self::nearest(name) })
    }

    /// The event with the most similar name, if any is similar.
    pub fn nearest(name: &str) -> Option<Self> {
        if let Some(event) = Self::of_claude(name) {
            return Some(event);
        }
        nearest(name, Self::ALL.iter().map(|event| event.name())).and_then(Self::named)
    }

    /// Whether a hook of this event can block the agent's action.
    pub fn can_block(self) -> bool {
        matches!(self.spec().class, Class::Permission | Class::Prompt)
    }
}

impl fmt::Display for CursorEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEvent {
    name: String,
    /// The most similar event.
    pub meant: Option<CursorEvent>,
}

impl fmt::Display for UnknownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown event `{}`", self.name)?;
        match self.meant {
            Some(meant) => write!(f, "; did you mean `{meant}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownEvent {}

/// The candidate most similar to `word`, ignoring case, if any is similar.
pub fn nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    const ENOUGH: f64 = 0.6;
    // A prefix of this length counts as similar, like a typo.
    const BEGINNING: usize = 5;
    let word = word.to_lowercase();
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        let begins = word.len() >= BEGINNING && name.starts_with(&word);
        strsim::normalized_damerau_levenshtein(&word, &name).max(if begins { ENOUGH } else { 0.0 })
    };
    candidates
        .map(|name| (likeness(name), name))
        .filter(|(score, _)| *score >= ENOUGH)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_21_events_and_each_is_found_by_its_name() {
        assert_eq!(CursorEvent::ALL.len(), 21);
        for event in CursorEvent::ALL {
            assert_eq!(CursorEvent::named(event.name()), Some(*event));
        }
        assert_eq!(CursorEvent::named("PreToolUse"), None, "names are exact");
    }

    #[test]
    fn six_events_wait_for_a_permission() {
        let waiting: Vec<&str> = CursorEvent::ALL
            .iter()
            .filter(|event| event.spec().class == Class::Permission)
            .map(|event| event.name())
            .collect();
        assert_eq!(
            waiting,
            [
                "preToolUse",
                "beforeShellExecution",
                "beforeMCPExecution",
                "beforeReadFile",
                "beforeTabFileRead",
                "subagentStart"
            ]
        );
    }

    #[test]
    fn a_slip_finds_the_event_that_was_meant() {
        let meant = |name| CursorEvent::nearest(name).map(CursorEvent::name);
        assert_eq!(meant("beforeShellExec"), Some("beforeShellExecution"));
        assert_eq!(meant("PreToolUse"), Some("preToolUse"));
        assert_eq!(meant("UserPromptSubmit"), Some("beforeSubmitPrompt"));
        assert_eq!(meant("beforeMcpExecution"), Some("beforeMCPExecution"));
        assert_eq!(meant("beforeShell"), Some("beforeShellExecution"));
        assert_eq!(meant("onSave"), None);
    }

    #[test]
    fn names_agree_with_the_bridge() {
        let bridge = crate::host(tenter_model::HostId::Cursor).events();
        let ours: Vec<&str> = CursorEvent::ALL.iter().map(|event| event.name()).collect();
        let theirs: Vec<&str> = bridge.iter().map(|spec| spec.native).collect();
        assert_eq!(ours, theirs);
    }
}
