//! Which host sent a payload, judged by the payload alone.
//!
//! Environment variables prove nothing: five hosts set `CLAUDE_PROJECT_DIR`. Nor does the config file
//! that launched us: Cursor runs hooks from Claude's settings. So each host lists what in a payload
//! speaks for it, with a weight. A wrong answer is worse than none: a payload with the mark of a host
//! we do not speak with is never given to one we do, and a narrow lead decides nothing.

use tenter_model::{HostId, Object};

/// One observation that speaks for a host.
#[derive(Clone, Copy)]
pub struct Signal {
    pub weight: u8,
    /// What is looked for, for the published table.
    pub what: &'static str,
    pub test: fn(&Object<'_>) -> bool,
}

impl std::fmt::Debug for Signal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "+{} {}", self.weight, self.what)
    }
}

/// What it takes to be named.
pub const THRESHOLD: u32 = 4;
/// A score that no foreign mark can shake: the payload names its host.
const CONCLUSIVE: u32 = 20;
/// How far the first must be ahead of the second.
pub const MARGIN: u32 = 2;

/// Marks of hosts we do not speak with; one of them ends the matter.
pub const FOREIGN: &[Signal] = &[
    Signal {
        weight: 0,
        what: "`timestamp` (Gemini CLI, Qwen Code, Copilot CLI)",
        test: |o| o.has("timestamp"),
    },
    Signal {
        weight: 0,
        what: "`sessionId` or `hookName` (Copilot CLI)",
        test: |o| o.has("sessionId") || o.has("hookName"),
    },
    Signal {
        weight: 0,
        what: "`transcript_path` in the home of another host (`.gemini`, `.qwen`, `.copilot`, `.factory`)",
        test: |o| {
            let path = o.str("transcript_path").unwrap_or_default().replace('\\', "/");
            ["/.gemini/", "/.qwen/", "/.copilot/", "/.factory/"].iter().any(|d| path.contains(d))
        },
    },
    Signal {
        weight: 0,
        what: "`permission_mode` of another host (`yolo`, `off`, `auto-low`, `auto-medium`, `auto-high`)",
        test: |o| {
            let mode = o.str("permission_mode").unwrap_or_default();
            ["yolo", "off", "auto-low", "auto-medium", "auto-high"].contains(&mode.as_ref())
        },
    },
];

/// The outcome of a detection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    pub host: Option<HostId>,
    /// The score of every host, in the order of [`HostId::ALL`].
    pub scores: Vec<(HostId, u32)>,
    /// The mark of a host we do not speak with, if there was one.
    pub foreign: Option<&'static str>,
}

impl Detection {
    /// Why no host was named, and what to do about it.
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

/// Names the host that sent `object`, or none.
pub fn detect(object: &Object<'_>) -> Detection {
    let scores: Vec<(HostId, u32)> =
        HostId::ALL.into_iter().map(|id| (id, score(id, object))).collect();
    let best = scores.iter().max_by_key(|(_, score)| *score).copied();
    let beyond_doubt = best.is_some_and(|(_, score)| score >= CONCLUSIVE);
    let foreign =
        FOREIGN.iter().find(|mark| !beyond_doubt && (mark.test)(object)).map(|mark| mark.what);
    let host = best.filter(|(id, score)| {
        let second = scores.iter().filter(|(other, _)| other != id).map(|(_, s)| *s).max();
        *score >= THRESHOLD && *score >= second.unwrap_or(0) + MARGIN && foreign.is_none()
    });
    Detection { host: host.map(|(id, _)| id), scores, foreign }
}

fn score(id: HostId, object: &Object<'_>) -> u32 {
    let signals = crate::host(id).profile().signals.iter();
    signals.filter(|signal| (signal.test)(object)).map(|signal| u32::from(signal.weight)).sum()
}
