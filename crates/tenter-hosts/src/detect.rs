//! Detects the host from the payload alone.
//!
//! Environment variables prove nothing: five hosts set `CLAUDE_PROJECT_DIR`. Nor does the config file that
//! started us: Cursor runs hooks from Claude's settings. So each host lists signals in a payload, with
//! weights. A wrong answer is worse than none: a payload with a marker of an unsupported host is never
//! assigned to a supported one, and a narrow lead decides nothing.

use tenter_model::{HostId, Object};

/// One signal that a payload comes from a host.
#[derive(Clone, Copy)]
pub struct Signal {
    pub weight: u8,
    /// Description of the signal, for the published table.
    pub what: &'static str,
    pub test: fn(&Object<'_>) -> bool,
}

impl std::fmt::Debug for Signal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "+{} {}", self.weight, self.what)
    }
}

/// Minimum score to be detected.
pub const THRESHOLD: u32 = 4;
/// Score from which foreign markers are ignored: the payload names its host.
const CONCLUSIVE: u32 = 20;
/// Minimum lead over the second.
pub const MARGIN: u32 = 2;

/// A marker that rules out every host but a few.
#[derive(Clone, Copy)]
pub struct Foreign {
    /// Description of the marker, for the published table.
    pub what: &'static str,
    pub test: fn(&Object<'_>) -> bool,
    /// The supported hosts that send it.
    pub sent_by: &'static [HostId],
}

impl std::fmt::Debug for Foreign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.what)
    }
}

/// Markers that most hosts never send.
pub const FOREIGN: &[Foreign] = &[
    Foreign {
        what: "`timestamp` (Gemini CLI, Qwen Code, Copilot CLI)",
        test: |o| o.has("timestamp"),
        sent_by: &[HostId::Gemini, HostId::Qwen],
    },
    Foreign {
        what: "`sessionId` or `hookName` (Copilot CLI)",
        test: |o| o.has("sessionId") || o.has("hookName"),
        sent_by: &[],
    },
    Foreign {
        what: "`transcript_path` in `.gemini`",
        test: |o| lies_in(o, &["/.gemini/"]),
        sent_by: &[HostId::Gemini],
    },
    Foreign {
        what: "`transcript_path` in `.qwen`",
        test: |o| lies_in(o, &["/.qwen/"]),
        sent_by: &[HostId::Qwen],
    },
    Foreign {
        what: "`transcript_path` in the home of another host (`.copilot`, `.factory`)",
        test: |o| lies_in(o, &["/.copilot/", "/.factory/"]),
        sent_by: &[],
    },
    Foreign {
        what: "`permission_mode` is `yolo` (Qwen Code)",
        test: |o| o.str("permission_mode").is_some_and(|mode| mode == "yolo"),
        sent_by: &[HostId::Qwen],
    },
    Foreign {
        what: "`permission_mode` of another host (`off`, `auto-low`, `auto-medium`, `auto-high`)",
        test: |o| {
            let mode = o.str("permission_mode").unwrap_or_default();
            ["off", "auto-low", "auto-medium", "auto-high"].contains(&mode.as_ref())
        },
        sent_by: &[],
    },
];

fn lies_in(object: &Object<'_>, folders: &[&str]) -> bool {
    let path = object.str("transcript_path").unwrap_or_default().replace('\\', "/");
    folders.iter().any(|folder| path.contains(folder))
}

/// Result of detection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    pub host: Option<HostId>,
    /// The score of every host, in the order of [`HostId::ALL`].
    pub scores: Vec<(HostId, u32)>,
    /// The marker of an unsupported host, if there is one.
    pub foreign: Option<&'static str>,
}

impl Detection {
    /// Explains why no host was detected, and what to do about it.
    pub fn explain(&self) -> String {
        if let Some(mark) = self.foreign {
            return format!("the payload carries {mark}, a host that is not supported yet");
        }
        let scores: Vec<String> =
            self.scores.iter().map(|(host, score)| format!("{host} {score}")).collect();
        format!(
            "cannot tell which host sent this payload (scores: {}; needed: {THRESHOLD}, ahead by \
             {MARGIN}); pass --host",
            scores.join(", ")
        )
    }
}

/// Detects the host that sent `object`, if possible.
pub fn detect(object: &Object<'_>) -> Detection {
    let scores: Vec<(HostId, u32)> =
        HostId::ALL.into_iter().map(|id| (id, score(id, object))).collect();
    let mark = |(id, score): &(HostId, u32)| {
        let rules_out = |mark: &&Foreign| !mark.sent_by.contains(id) && (mark.test)(object);
        FOREIGN.iter().find(rules_out).filter(|_| *score < CONCLUSIVE)
    };
    let left = || scores.iter().filter(|scored| mark(scored).is_none());
    let best = left().max_by_key(|(_, score)| *score).copied();
    let host = best.filter(|(id, score)| {
        let second = left().filter(|(other, _)| other != id).map(|(_, s)| *s).max();
        *score >= THRESHOLD && *score >= second.unwrap_or(0) + MARGIN
    });
    // The mark explains why the most likely host is not named.
    let likely = scores.iter().max_by_key(|(_, score)| *score).filter(|_| host.is_none());
    let foreign = likely.and_then(mark).map(|mark| mark.what);
    Detection { host: host.map(|(id, _)| id), scores, foreign }
}

fn score(id: HostId, object: &Object<'_>) -> u32 {
    let signals = crate::host(id).profile().signals.iter();
    signals.filter(|signal| (signal.test)(object)).map(|signal| u32::from(signal.weight)).sum()
}

/// The host in whose format a hook has answered, if it is not the unified one.
pub fn spoken(answer: &str) -> Option<HostId> {
    const CURSOR: [&str; 6] = [
        "permission",
        "agent_message",
        "agentMessage",
        "followup_message",
        "updated_input",
        "updated_mcp_tool_output",
    ];
    const CLAUDE: [&str; 5] = [
        "hookSpecificOutput",
        "systemMessage",
        "stopReason",
        "suppressOutput",
        "permissionDecision",
    ];
    let object = Object::parse(answer.trim()).ok()?;
    let has = |keys: &[&str]| keys.iter().any(|key| object.has(key));
    if has(&CURSOR) {
        return Some(HostId::Cursor);
    }
    let decision = object.str("decision");
    if has(&CLAUDE) || decision.is_some_and(|word| matches!(word.as_ref(), "block" | "approve")) {
        return Some(HostId::Claude);
    }
    object.has("continue").then_some(HostId::Cursor)
}
