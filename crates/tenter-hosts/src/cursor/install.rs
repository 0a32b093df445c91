//! Hook files of Cursor: their paths, events and entries.

use std::path::PathBuf;

use serde_json::Value;
use tenter_model::HostId;

use super::version::Version;
use crate::install::{Closing, Described, Install, Roots, Scope, Shape, System, Wire};

pub(super) const INSTALL: Install = Install {
    title: "Cursor",
    programs: &["cursor-agent", "cursor"],
    folder: ".cursor",
    shape: Shape::Entries,
    required: &[("version", "1")],
    // One generic event instead of one per kind of call, so that each call arrives once. Only MCP calls have
    // an additional event: the generic one does not name the server.
    wires: &[
        Wire::gate("preToolUse").by_tool().since([2, 4, 0]),
        Wire::gate("beforeMCPExecution"),
        Wire::gate("beforeSubmitPrompt"),
        Wire::gate("beforeTabFileRead").since([2, 4, 0]),
        Wire::gate("subagentStart").since([2, 4, 0]),
        Wire::record("postToolUse").by_tool().since([2, 4, 0]),
        Wire::record("postToolUseFailure").by_tool().since([2, 4, 0]),
        Wire::record("sessionStart").since([2, 4, 0]),
        Wire::record("sessionEnd").since([2, 4, 0]).within(5),
        Wire::record("subagentStop").since([2, 4, 0]),
        Wire::record("preCompact").since([2, 4, 0]),
        Wire::record("stop"),
    ],
    others: &[
        Wire::gate("beforeShellExecution").twin("preToolUse"),
        Wire::gate("beforeReadFile").twin("preToolUse"),
        Wire::record("afterShellExecution").twin("postToolUse"),
        Wire::record("afterMCPExecution").twin("postToolUse"),
        Wire::record("afterFileEdit").twin("postToolUse"),
        Wire::record("afterTabFileEdit").since([2, 4, 0]),
        Wire::record("afterAgentResponse").since([2, 4, 0]),
        Wire::record("afterAgentThought").since([2, 4, 0]),
    ],
    file: |roots, scope| match scope {
        Scope::Project => Some(roots.project?.join(".cursor/hooks.json")),
        Scope::User => Some(roots.home?.join(".cursor/hooks.json")),
        Scope::Managed => Some(roots.system_path(
            "/etc/cursor/hooks.json",
            "/Library/Application Support/Cursor/hooks.json",
            "C:\\ProgramData\\Cursor\\hooks.json",
        )),
    },
    // One unknown event may void the whole file. A Cursor of unknown version is assumed to be current: it
    // updates itself.
    knows: |wire, version| match (wire.since, version.and_then(Version::parse)) {
        (Some([major, minor, patch]), Some(known @ Version::Ide(..))) => {
            known >= Version::Ide(major, minor, patch)
        }
        _ => true,
    },
    handler: |draft| {
        let mut fields: Vec<(&'static str, Value)> =
            vec![("command", draft.command.into()), ("timeout", draft.wire.timeout.into())];
        if draft.fail_closed && draft.wire.role == crate::install::Role::Gate {
            fields.push(("failClosed", true.into()));
        }
        fields
    },
    closing: Some(Closing { key: "failClosed", word: None, since: "" }),
    also_reads: &[HostId::Claude],
    folder_perhaps_moved_by: &["CURSOR_CONFIG_DIR", "XDG_CONFIG_HOME"],
    trusts_workspaces: &[Scope::Project],
    launchers,
    windows: &["cursor", "code"],
    described: Some(Described::Product("Cursor")),
    voids: |mistake| {
        ["unknown-event", "version-missing"].contains(&mistake.rule) && mistake.is_error
    },
    ..Install::CLAUDE_SHAPED
};

const LINUX: &[&str] =
    &["usr/share/cursor/bin/cursor", "opt/cursor/bin/cursor", "opt/Cursor/bin/cursor"];
const MAC: &[&str] = &[
    "Applications/Cursor.app/Contents/Resources/app/bin/cursor",
    "Applications/Cursor.app/Contents/Resources/app/bin/code",
];
const WINDOWS: &str = "AppData\\Local\\Programs\\cursor\\resources\\app\\bin\\cursor.cmd";

/// The editor's launcher inside its installation.
fn launchers(roots: &Roots<'_>, name: &str) -> Vec<PathBuf> {
    if name != "cursor" {
        return Vec::new();
    }
    match roots.system {
        System::Linux => LINUX.iter().map(|path| roots.root.join(path)).collect(),
        System::Mac => {
            let from = [Some(roots.root), roots.home].into_iter().flatten();
            from.flat_map(|root| MAC.iter().map(|path| root.join(path))).collect()
        }
        System::Windows => roots.home.map(|home| home.join(WINDOWS)).into_iter().collect(),
    }
}
