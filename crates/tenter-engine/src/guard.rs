//! The guard of an engine: a program that judges and records every event, whatever hooks are configured.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenter_hosts::{Cursor, Host};

use crate::CursorEvent;
use crate::config::{Dialect, Hook, HookAction};
use crate::document::Position;
use crate::layer::{Layer, LayerKind};
use crate::matcher::Matcher;

/// Tenterhook's guard, for [`Engine::guarded_by`](crate::Engine::guarded_by): `tenter hook cursor` is run at
/// every event, as the first hook. Policy, rules, handlers and record are those of its user.
///
/// It fails closed: if the program cannot be started, what waits for a permission is blocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    program: PathBuf,
}

impl Guard {
    /// The guard of this `tenter` program.
    pub fn new(tenter: impl Into<PathBuf>) -> Self {
        Self { program: tenter.into() }
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    pub(crate) fn arguments() -> [OsString; 2] {
        ["hook".into(), Cursor.id().as_str().into()]
    }

    /// The guard as a hook of an event.
    pub(crate) fn hook(&self, event: CursorEvent, root: Option<&Path>) -> Hook {
        let layer = Layer {
            kind: LayerKind::Guard,
            file: self.program.clone(),
            directory: root.map(Path::to_owned).unwrap_or_default(),
            project: root.map(Path::to_owned),
        };
        Hook {
            layer: Arc::new(layer),
            position: Position::default(),
            event,
            action: HookAction::Guard(self.clone()),
            matcher: Matcher::new(""),
            timeout: None,
            fail_closed: true,
            // It has a bound of its own.
            loop_limit: None,
            dialect: Dialect::Cursor,
            disabled: None,
        }
    }

    /// Whether a configured hook is this guard already. What comes with the repository does not count, nor
    /// a command that does anything else.
    pub(crate) fn is_in(&self, hook: &Hook) -> bool {
        let HookAction::Command(command) = &hook.action else { return false };
        let program = self.program.to_string_lossy();
        let quoted = [program.to_string(), format!("'{program}'"), format!("\"{program}\"")];
        let plain = |c: char| c.is_ascii_alphanumeric() || " -=".contains(c);
        !hook.layer.kind.needs_trust()
            && quoted.iter().any(|program| {
                let rest = command.strip_prefix(program.as_str());
                let rest = rest.and_then(|rest| rest.strip_prefix(" hook cursor"));
                rest.is_some_and(|rest| {
                    (rest.is_empty() || rest.starts_with(' ')) && rest.chars().all(plain)
                })
            })
    }
}
