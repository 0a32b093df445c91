//! Parses Cursor's `hooks.json`.

use std::sync::Arc;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::fields::Complaints;
use super::{Dialect, Hook, HookAction};
use crate::diagnostic::Diagnostic;
use crate::document::Source;
use crate::layer::{Layer, LayerKind, OS};
use crate::matcher::Matcher;
use crate::settings::Generation;
use crate::{Class, CursorEvent};

const TOP_LEVEL: &[&str] = &["version", "hooks"];
const ENTRY: &[&str] =
    &["command", "type", "prompt", "model", "timeout", "failClosed", "loop_limit", "matcher"];
const SYSTEMS: &[&str] = &["linux", "macos", "windows"];

pub(super) struct Reader<'s> {
    layer: Arc<Layer>,
    generation: Generation,
    complaints: Complaints<'s>,
    hooks: Vec<Hook>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s Source, layer: Arc<Layer>, generation: Generation) -> Self {
        Self { layer, generation, complaints: Complaints::new(source), hooks: Vec::new() }
    }

    /// Reads a complete `hooks.json`.
    pub(super) fn read(mut self, file: &Object<'_>) -> (Vec<Hook>, Vec<Diagnostic>) {
        self.file(file);
        self.finish()
    }

    /// Reads only the map from event name to entries.
    pub(super) fn read_events(mut self, events: &Object<'_>) -> (Vec<Hook>, Vec<Diagnostic>) {
        self.events(events);
        self.finish()
    }

    fn finish(self) -> (Vec<Hook>, Vec<Diagnostic>) {
        (self.hooks, self.complaints.found)
    }

    fn is_team(&self) -> bool {
        self.layer.kind == LayerKind::Team
    }

    fn file(&mut self, file: &Object<'_>) {
        let mut version = None;
        let mut hooks = None;
        let mut elsewhere = None;
        for (name, property) in self.complaints.properties(file) {
            match name {
                "version" => version = Some(&property.value),
                "hooks" => hooks = Some(&property.value),
                "$schema" => {}
                "os" if self.is_team() => elsewhere = self.other_system(&property.value),
                _ if CursorEvent::named(name).is_some() => self.complaints.error(
                    &property.name,
                    format!("`{name}` stands outside of `hooks`: it does not run"),
                    "move it into `hooks`",
                ),
                _ => self.complaints.unknown_key(property, TOP_LEVEL, "a hooks file"),
            }
        }
        self.version(version, file);
        let first = self.hooks.len();
        match hooks {
            Some(Value::Object(events)) => self.events(events),
            Some(other) => self.complaints.error(
                other,
                "`hooks` must be an object from event to list: no hook of this file runs",
                "",
            ),
            None => {
                self.complaints.error(file, "there is no `hooks`: no hook of this file runs", "");
            }
        }
        for hook in self.hooks.iter_mut().skip(first) {
            if hook.disabled.is_none() {
                hook.disabled.clone_from(&elsewhere);
            }
        }
    }

    fn version(&mut self, version: Option<&Value<'_>>, file: &Object<'_>) {
        match version {
            Some(Value::NumberLit(number)) if number.value == "1" => {}
            Some(other) => {
                self.complaints.warning(other, "`version` should be 1", "write \"version\": 1");
            }
            // Plugins omit `version`.
            None if self.layer.kind == LayerKind::Plugin => {}
            None if self.generation < Generation::G3 => {}
            None => self.complaints.warning(
                file,
                "there is no `version`, which newer Cursors require",
                "add \"version\": 1",
            ),
        }
    }

    fn events(&mut self, events: &Object<'_>) {
        for (name, property) in self.complaints.properties(events) {
            let known = CursorEvent::named(name).filter(|event| {
                *event != CursorEvent::WorkspaceOpen || self.generation > Generation::G1
            });
            match (known, &property.value) {
                (None, _) => self.unknown_event(property),
                (Some(event), Value::Array(entries)) => self.entries(event, entries),
                (Some(_), other) => self.complaints.error(
                    other,
                    format!("`{name}` must be a list: none of it runs"),
                    "wrap it in [ ]",
                ),
            }
        }
    }

    fn unknown_event(&mut self, property: &ObjectProp<'_>) {
        let name = property.name.as_str();
        let help = match CursorEvent::nearest(name) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`tenter fire --list` names the events".to_owned(),
        };
        self.complaints.error(
            &property.name,
            format!(
                "unknown event `{name}`: its hooks do not run, and some Cursors then drop the whole file"
            ),
            help,
        );
    }

    fn entries(&mut self, event: CursorEvent, entries: &Array<'_>) {
        for entry in &entries.elements {
            match entry {
                Value::Object(entry) => self.entry(event, entry),
                other => self.complaints.error(
                    other,
                    "a hook must be an object: this one does not run",
                    r#"write { "command": "..." }"#,
                ),
            }
        }
    }

    fn entry(&mut self, event: CursorEvent, entry: &Object<'_>) {
        let properties = self.complaints.properties(entry);
        let find = |name: &str| properties.iter().find(|(key, _)| *key == name).map(|(_, p)| *p);
        let is_team = self.is_team();
        for (name, property) in &properties {
            if *name == "hooks" {
                self.complaints.error(
                    &property.name,
                    "this is a group as Claude Code has them: in Cursor's file it does not run",
                    "put `command` and `matcher` side by side in the entry",
                );
                return;
            }
            let is_known = ENTRY.contains(name) || (is_team && *name == "os");
            if !is_known {
                self.complaints.unknown_key(property, ENTRY, "a hook");
            }
        }
        let Some(action) = self.action(entry, &find) else { return };
        let matcher = find("matcher").map_or(Matcher::all(), |property| self.matcher(property));
        let timeout = find("timeout").and_then(|p| self.complaints.timeout(&p.value));
        let fail_closed =
            find("failClosed").and_then(|p| self.complaints.boolean("failClosed", &p.value));
        let loop_limit = match find("loop_limit") {
            Some(property) => self.loop_limit(event, property),
            None => Some(Hook::LOOP_LIMIT),
        };
        let disabled = find("os").filter(|_| is_team).and_then(|p| self.other_system(&p.value));
        self.hooks.push(Hook {
            layer: Arc::clone(&self.layer),
            position: self.complaints.source.position(entry.range.start),
            event,
            action,
            matcher,
            timeout,
            fail_closed: fail_closed.unwrap_or(false),
            loop_limit,
            dialect: Dialect::Cursor,
            disabled,
        });
    }

    fn action<'v, 'a: 'v>(
        &mut self,
        entry: &Object<'_>,
        find: &impl Fn(&str) -> Option<&'v ObjectProp<'a>>,
    ) -> Option<HookAction> {
        let kind = match find("type").map(|property| &property.value) {
            None => "command",
            Some(value) => self.complaints.string("type", value).unwrap_or_default(),
        };
        match kind {
            "command" | "prompt" => {}
            _ => {
                let at = find("type").map_or(entry.range, |property| property.value.range());
                let text = format!("unknown hook type `{kind}`: the hook does not run");
                self.complaints.error(&at, text, "use command or prompt");
                return None;
            }
        }
        let text = find(kind).and_then(|p| self.complaints.string(kind, &p.value));
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
            let help = if kind == "command" && find("prompt").is_some() {
                r#"a prompt needs "type": "prompt" beside it"#
            } else {
                ""
            };
            let text = format!("a {kind} hook without `{kind}` does not run");
            self.complaints.error(entry, text, help);
            return None;
        };
        if kind == "command" {
            return Some(HookAction::Command(text.to_owned()));
        }
        let model = find("model").and_then(|p| self.complaints.string("model", &p.value));
        Some(HookAction::Prompt { prompt: text.to_owned(), model: model.map(str::to_owned) })
    }

    fn matcher(&mut self, property: &ObjectProp<'_>) -> Matcher {
        let Value::StringLit(text) = &property.value else {
            self.complaints.warning(
                &property.value,
                "`matcher` must be a string: the hook runs for every such event",
                "",
            );
            return Matcher::all();
        };
        let matcher = Matcher::new(&text.value);
        if let Some(fault) = matcher.fault() {
            let text = format!("this is no regular expression ({fault}): the hook runs every time");
            self.complaints.warning(&property.value, text, "");
        }
        matcher
    }

    fn loop_limit(&mut self, event: CursorEvent, property: &ObjectProp<'_>) -> Option<u64> {
        if event.spec().class != Class::Stop {
            self.complaints.warning(
                &property.name,
                format!("`loop_limit` means nothing at {event}"),
                "it is for stop and subagentStop",
            );
        }
        match &property.value {
            Value::NullKeyword(_) => None,
            Value::NumberLit(number) => number.value.parse().ok().or_else(|| {
                let text = "`loop_limit` must be a whole number or null: 5 is used";
                self.complaints.warning(&property.value, text, "");
                Some(Hook::LOOP_LIMIT)
            }),
            other => {
                let text = "`loop_limit` must be a whole number or null: 5 is used";
                self.complaints.warning(other, text, "");
                Some(Hook::LOOP_LIMIT)
            }
        }
    }

    /// Reason why a team hook does not apply to this operating system, if so.
    fn other_system(&mut self, value: &Value<'_>) -> Option<String> {
        let names: Vec<&Value<'_>> = match value {
            Value::Array(list) => list.elements.iter().collect(),
            other => vec![other],
        };
        let mut wanted = Vec::new();
        for name in names {
            match name {
                Value::StringLit(text) if SYSTEMS.contains(&text.value.as_ref()) => {
                    wanted.push(text.value.clone().into_owned());
                }
                other => self.complaints.warning(
                    other,
                    "this names no system: it is ignored",
                    "use linux, macos or windows",
                ),
            }
        }
        let here = wanted.is_empty() || wanted.iter().any(|name| name == OS);
        (!here).then(|| format!("only for {}", wanted.join(", ")))
    }
}
