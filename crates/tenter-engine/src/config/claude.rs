//! Parses Claude Code's settings files, as far as Cursor runs their hooks.

use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp, Value};

use super::fields::Complaints;
use super::{Dialect, Hook, HookAction};
use crate::CursorEvent;
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::Source;
use crate::layer::Layer;
use crate::matcher::Matcher;

/// Keys that would change how a handler runs and are not supported: such a handler is skipped.
const NOT_UNDERSTOOD: &[(&str, &str)] = &[
    ("if", "Cursor does not know `if`"),
    ("async", "Cursor does not run hooks in the background"),
    ("asyncRewake", "Cursor does not run hooks in the background"),
    ("args", "Cursor does not know commands with `args`"),
    ("shell", "Cursor does not let a hook choose its shell"),
];

pub(super) struct Reader<'s> {
    layer: Arc<Layer>,
    complaints: Complaints<'s>,
    hooks: Vec<Hook>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s Source, layer: Arc<Layer>) -> Self {
        Self { layer, complaints: Complaints::new(source), hooks: Vec::new() }
    }

    /// Reads a settings file; keys other than `hooks` belong to Claude and are ignored.
    pub(super) fn read(mut self, settings: &Object<'_>) -> (Vec<Hook>, Vec<Diagnostic>) {
        self.settings(settings);
        (self.hooks, self.complaints.found)
    }

    fn settings(&mut self, settings: &Object<'_>) {
        let properties = self.complaints.properties(settings);
        let find = |name: &str| properties.iter().find(|(key, _)| *key == name).map(|(_, p)| *p);
        let disabled = find("disableAllHooks").is_some_and(
            |property| matches!(&property.value, Value::BooleanLit(flag) if flag.value),
        );
        match find("hooks").map(|property| &property.value) {
            None => {}
            Some(Value::Object(events)) => self.events(events),
            Some(other) => self.complaints.error(other, "`hooks` must be an object", ""),
        }
        if disabled {
            for hook in &mut self.hooks {
                hook.disabled = Some("`disableAllHooks` is set in this file".to_owned());
            }
        }
    }

    fn events(&mut self, events: &Object<'_>) {
        for (name, property) in self.complaints.properties(events) {
            let Some(event) = CursorEvent::of_claude(name) else {
                self.complaints.add(
                    Severity::Note,
                    &property.name,
                    format!("Cursor does not run Claude's `{name}` hooks"),
                    "",
                );
                continue;
            };
            let Value::Array(groups) = &property.value else {
                self.complaints.error(&property.value, format!("`{name}` must be a list"), "");
                continue;
            };
            for group in &groups.elements {
                match group {
                    Value::Object(group) => self.group(event, group),
                    other => self.complaints.error(other, "a group must be an object", ""),
                }
            }
        }
    }

    fn group(&mut self, event: CursorEvent, group: &Object<'_>) {
        let properties = self.complaints.properties(group);
        let find = |name: &str| properties.iter().find(|(key, _)| *key == name).map(|(_, p)| *p);
        let matcher = match find("matcher").map(|property| &property.value) {
            None => Matcher::all(),
            Some(Value::StringLit(text)) => Matcher::new(&text.value),
            Some(other) => {
                self.complaints.warning(other, "`matcher` must be a string: all match", "");
                Matcher::all()
            }
        };
        match find("hooks").map(|property| &property.value) {
            Some(Value::Array(handlers)) => {
                for handler in &handlers.elements {
                    match handler {
                        Value::Object(handler) => self.handler(event, &matcher, handler),
                        other => self.complaints.error(other, "a handler must be an object", ""),
                    }
                }
            }
            _ => self.complaints.error(
                group,
                "a group without `hooks` does not run",
                r#"write { "matcher": "...", "hooks": [{ "type": "command", "command": "..." }] }"#,
            ),
        }
    }

    fn handler(&mut self, event: CursorEvent, matcher: &Matcher, handler: &Object<'_>) {
        let properties = self.complaints.properties(handler);
        let find = |name: &str| properties.iter().find(|(key, _)| *key == name).map(|(_, p)| *p);
        let foreign = NOT_UNDERSTOOD.iter().find_map(|(key, why)| {
            let property = find(key)?;
            let off = matches!(&property.value, Value::BooleanLit(flag) if !flag.value);
            (!off).then_some((property, *why))
        });
        if let Some((property, why)) = foreign {
            let text = format!("{why}: the handler is skipped");
            self.complaints.warning(&property.name, text, "");
            return;
        }
        let Some(action) = self.action(handler, &find) else { return };
        let timeout = find("timeout").and_then(|p| self.complaints.timeout(&p.value));
        self.hooks.push(Hook {
            layer: Arc::clone(&self.layer),
            position: self.complaints.source.position(handler.range.start),
            event,
            action,
            matcher: matcher.clone(),
            timeout,
            fail_closed: false,
            loop_limit: None,
            dialect: Dialect::Claude,
            disabled: None,
        });
    }

    fn action<'v, 'a: 'v>(
        &mut self,
        handler: &Object<'_>,
        find: &impl Fn(&str) -> Option<&'v ObjectProp<'a>>,
    ) -> Option<HookAction> {
        let mut text = |name: &str| {
            find(name).and_then(|p| self.complaints.string(name, &p.value)).map(str::to_owned)
        };
        let kind = text("type");
        let action = match kind.as_deref() {
            Some("command") => text("command").map(HookAction::Command),
            Some("prompt") => {
                let model = text("model");
                text("prompt").map(|prompt| HookAction::Prompt { prompt, model })
            }
            other => {
                let kind = other.unwrap_or("(none)");
                let text = format!("Cursor does not run handlers of type `{kind}`");
                self.complaints.warning(handler, text, "");
                return None;
            }
        };
        if action.is_none() {
            let kind = kind.unwrap_or_default();
            let text = format!("a {kind} handler without `{kind}` does not run");
            self.complaints.error(handler, text, "");
        }
        action
    }
}
