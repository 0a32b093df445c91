//! Event, key and tool names of each host, from `tenter-hosts`.

pub(crate) use tenter_hosts::lint::{Keys, Kind, Tested};

use tenter_hosts::host;
use tenter_hosts::lint::Lint;
use tenter_model::HostId;

pub(crate) fn of(id: HostId) -> &'static Lint {
    host(id).lint()
}

/// The events allowed in a host's hook file.
pub(crate) fn event_names(id: HostId) -> impl Iterator<Item = &'static str> + Clone {
    let elsewhere = of(id).not_in_files;
    host(id).events().iter().map(|spec| spec.native).filter(move |name| !elsewhere.contains(name))
}

pub(crate) fn is_event(host: HostId, name: &str) -> bool {
    event_names(host).any(|known| known == name)
}

/// Claude Code's name for an event of a host, used as the common name.
fn shared_name(host: HostId, name: &str) -> Option<&'static str> {
    match of(host).claude_name {
        Some(named) => named(name),
        None => event_names(host).find(|known| *known == name),
    }
}

/// The host's event that is an event of `other` under another name.
pub(crate) fn named_on(host: HostId, other: HostId, name: &str) -> Option<&'static str> {
    let shared = shared_name(other, name)?;
    event_names(host).find(|own| shared_name(host, own) == Some(shared))
}

/// The host's event that is any other host's event under another name.
pub(crate) fn translated(host: HostId, name: &str) -> Option<&'static str> {
    HostId::ALL.into_iter().find_map(|other| named_on(host, other, name))
}

/// The keys of a handler.
pub(crate) fn handler_keys(host: HostId) -> Keys {
    of(host).handler_keys
}

/// The keys of a group.
pub(crate) fn group_keys(host: HostId) -> Keys {
    of(host).group_keys
}

/// Whether a key is a comment for people, which hosts ignore.
pub(crate) fn is_remark(key: &str) -> bool {
    let known = ["comment", "description", "name", "title", "id", "note", "notes"];
    key.starts_with(['$', '_', '/', '#']) || known.contains(&key)
}

/// The handler types that an event of a host runs.
pub(crate) fn handler_types(host: HostId, event: &str) -> &'static [&'static str] {
    (of(host).handler_types)(event)
}

pub(crate) fn tested(host: HostId, event: &str) -> Tested {
    (of(host).tested)(event)
}

/// Tool names that a host sends.
pub(crate) fn tools(host: HostId) -> &'static [&'static str] {
    of(host).tools
}

/// The tool of this host that another host calls `name`; also corrects the case of its own tool names.
pub(crate) fn own_tool(host: HostId, name: &str) -> Option<&'static str> {
    if tools(host).contains(&name) {
        return None;
    }
    let own = of(host).tools_elsewhere.iter().find(|(other, _)| *other == name);
    let own = own.map(|(_, own)| *own);
    own.or_else(|| tools(host).iter().copied().find(|tool| tool.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_its_events() {
        let count = |host| event_names(host).count();
        assert_eq!(count(HostId::Cursor), 21);
        assert_eq!(count(HostId::Claude), 33);
        assert_eq!(count(HostId::Codex), 12);
    }

    #[test]
    fn events_are_translated_between_the_dialects() {
        assert_eq!(translated(HostId::Cursor, "UserPromptSubmit"), Some("beforeSubmitPrompt"));
        assert_eq!(translated(HostId::Claude, "beforeSubmitPrompt"), Some("UserPromptSubmit"));
        assert_eq!(translated(HostId::Codex, "preToolUse"), Some("PreToolUse"));
        assert_eq!(translated(HostId::Claude, "afterFileEdit"), None);
    }

    #[test]
    fn tools_of_other_hosts_are_known_by_their_own_name() {
        assert_eq!(own_tool(HostId::Cursor, "Bash"), Some("Shell"));
        assert_eq!(own_tool(HostId::Claude, "bash"), Some("Bash"));
        assert_eq!(own_tool(HostId::Claude, "Bash"), None);
        assert_eq!(own_tool(HostId::Codex, "frobnicate"), None);
    }

    #[test]
    fn every_event_of_cursor_has_a_known_subject() {
        for event in event_names(HostId::Cursor) {
            let open = ["subagentStart", "subagentStop", "beforeMCPExecution", "afterMCPExecution"];
            assert_eq!(tested(HostId::Cursor, event) == Tested::Open, open.contains(&event));
        }
    }
}
