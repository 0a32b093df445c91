//! JSON Schema of policy files, for editors. Generated from the same tables that the parser uses.

use std::fmt::Write;

use tenter_model::{EventKind, HostId};
use tenter_shell::Kind;

use super::case::{Expect, KINDS};
use super::rule::ACTIONS;
use super::source::{FAILS, KEYS, RECORD_KEYS, VERSION, fail_modes};
use super::{EmailMode, FailMode, MOST_STOPS, RecordLevel, Speaks, SyncMode};
use crate::guard::{Guard, OptionKind};
use crate::guards::GUARDS;
use crate::level::{Level, Preset};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The complete schema.
pub fn text() -> String {
    pretty(&schema())
}

fn schema() -> String {
    let of = |key: &str| match key {
        "version" => format!("{{\"const\":{VERSION}}}"),
        "extends" => {
            let presets = choice(&Preset::ALL.map(Preset::as_str));
            one_or_more(&presets, "Presets this policy starts from.")
        }
        "fail" => fail(),
        "record" => record(),
        "stop" => stop(),
        "guards" => guards(),
        list => format!("{{\"type\":\"array\",\"items\":{{\"$ref\":\"#/$defs/{list}\"}}}}"),
    };
    let properties: Vec<(String, String)> =
        KEYS.iter().map(|key| ((*key).to_owned(), of(key))).collect();
    let mut schema = object(&properties, &[], "What Tenterhook lets an agent do.");
    let head = format!(
        "{{\"$schema\":{},\"title\":\"Tenterhook policy\",\"$defs\":{},",
        quoted(DIALECT),
        definitions()
    );
    schema.replace_range(..1, &head);
    schema
}

fn definitions() -> String {
    let definitions = [
        ("level", described(&choice(&Level::ALL.map(Level::as_str)), "What a finding leads to.")),
        ("strings", one_or_more("{\"type\":\"string\",\"minLength\":1}", "One text, or several.")),
        ("words", one_or_more(&word(), "Texts to look for; one of them must be there.")),
        ("on", on()),
        ("when", when()),
        ("rule", rule()),
        ("allow", allow()),
        ("handler", handler()),
        ("test", test()),
    ];
    map(definitions.map(|(name, schema)| (name.to_owned(), schema)).as_slice())
}

fn word() -> String {
    let matches = string("A regular expression.");
    let regex = object(&[named("matches", matches)], &["matches"], "Fits a regular expression.");
    format!("{{\"anyOf\":[{{\"type\":\"string\",\"minLength\":1}},{regex}]}}")
}

fn on() -> String {
    let mut names: Vec<&str> = ACTIONS.to_vec();
    names.push("any");
    let events = EventKind::ALL.map(EventKind::as_str);
    names.extend(events);
    let with_tool = format!("^({}):.+$", events.join("|"));
    let name = format!(
        "{{\"anyOf\":[{},{{\"type\":\"string\",\"pattern\":{}}}]}}",
        choice(&names),
        quoted(&with_tool)
    );
    one_or_more(&name, "Which actions or events; an event may name a tool: `PostToolUse:Edit`.")
}

fn when() -> String {
    let strings = |description: &str| reference("strings", description);
    let words = |description: &str| reference("words", description);
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    let effect = format!(
        "{{\"type\":\"string\",\"pattern\":{}}}",
        quoted(&format!("^({})(/.+)?$", kinds.join("|")))
    );
    let properties = [
        named("program", strings("The program that runs, wrappers taken off.")),
        named("args", strings("Words that must all be among its arguments, in any order.")),
        named("effect", one_or_more(&effect, "What would happen: a kind, or `kind/action`.")),
        named("path", strings("Patterns of paths, from the workspace on; `~/` is the home.")),
        named("url", strings("Patterns of hosts; with a slash, of URLs.")),
        named("mcp", strings("Patterns of `server/tool`.")),
        named("prompt", words("What the human says, or a subagent is told.")),
        named("content", words("What is written, read, sent to or returned by a tool.")),
        named("command", words("The text of the command.")),
        named("tool", strings("The tool, by its unified or native name.")),
        named(
            "host",
            one_or_more(&choice(&HostId::ALL.map(HostId::as_str)), "The host that calls."),
        ),
        named("agent_type", strings("The kind of subagent.")),
        named("permission_mode", strings("The host's permission mode, in its own words.")),
        named("branch", strings("The branch that is checked out.")),
        named("cwd", strings("The folder it happens in, or one above it.")),
        named("via", strings("What the program is wrapped in: `sudo`, `ssh`, `xargs`.")),
        named("certain", "{\"const\":true,\"description\":\"Only what happens for sure.\"}".into()),
    ];
    object(&properties, &[], "Conditions; all must hold.")
}

fn rule() -> String {
    let properties = [
        named("id", string("The name of the rule.")),
        named("on", reference("on", "")),
        named("when", reference("when", "")),
        named("decide", reference("level", "What it leads to.")),
        named("reason", string("Why, said to the model.")),
        named("message", string("What to tell the human.")),
        named("instead", string("What to do instead.")),
        named(
            "limit",
            described("{\"type\":\"integer\",\"minimum\":0}", "So many pass in a session first."),
        ),
        named("expires", string("The last day on which it holds: 2026-12-31.")),
        named("test", "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/test\"}}".into()),
    ];
    object(&properties, &["id", "decide"], "A rule of your own.")
}

fn allow() -> String {
    let properties = [
        named("rule", string("A guard, `guard/check`, or the id of a rule.")),
        named("when", reference("when", "")),
        named("reason", string("Why this may pass.")),
        named("expires", string("The last day on which it holds: 2026-12-31.")),
    ];
    object(&properties, &["rule", "reason"], "Something that may pass although it is found.")
}

fn handler() -> String {
    let run = "{\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"string\"}}";
    let properties = [
        named("id", string("The name of the handler.")),
        named("on", reference("on", "")),
        named("when", reference("when", "")),
        named("run", described(run, "The program and its arguments.")),
        named("timeout", string("How long it may take: `5s`, `500ms`.")),
        named(
            "fail",
            described(&choice(&FailMode::ALL.map(FailMode::as_str)), "What its failure means."),
        ),
        named(
            "speaks",
            described(
                &choice(&Speaks::ALL.map(Speaks::as_str)),
                "The host it was written for: it reads that host's payloads and answers in its words.",
            ),
        ),
        named("event", string("The event it waits for, by that host's name.")),
        named("matcher", string("That host's matcher.")),
        named("cwd", string("The folder it runs in.")),
    ];
    object(&properties, &["id", "run"], "A program that is run on events.")
}

fn test() -> String {
    let mut properties: Vec<(String, String)> = KINDS
        .iter()
        .map(|(name, _)| named(name, string("What happens; one of these keys.")))
        .collect();
    properties.extend([
        named("content", string("What is written or read.")),
        named("cwd", string("The folder it happens in.")),
        named("branch", string("The branch that is checked out.")),
        named("host", choice(&HostId::ALL.map(HostId::as_str))),
        named("agent_type", string("The kind of subagent.")),
        named("permission_mode", string("The host's permission mode.")),
        named("expect", choice(&Expect::ALL.map(|(name, _)| name))),
        named("rule", string("What must be among the findings.")),
        named("budget", string("How long it may take: `5ms`.")),
    ]);
    object(&properties, &["expect"], "An event, and what must come of it.")
}

fn fail() -> String {
    let modes = |name: &str| {
        let names: Vec<&str> = fail_modes(name).iter().map(|mode| mode.as_str()).collect();
        choice(&names)
    };
    let properties: Vec<(String, String)> =
        FAILS.iter().map(|name| named(name, modes(name))).collect();
    object(&properties, &[], "What a failure of the guard itself means.")
}

fn stop() -> String {
    let most = format!("{{\"type\":\"integer\",\"minimum\":0,\"maximum\":{MOST_STOPS}}}");
    let most = described(&most, "How often in a row an agent that stops may be told to go on.");
    object(&[named("most", most)], &[], "What bounds an agent that is told to go on.")
}

fn record() -> String {
    let patterns = "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"minLength\":1}}";
    let of = |key: &str| match key {
        "level" => described(
            &choice(&RecordLevel::ALL.map(RecordLevel::as_str)),
            "How much of a call is written down.",
        ),
        "email" => described(
            &choice(&EmailMode::ALL.map(EmailMode::as_str)),
            "What becomes of the user's mail address.",
        ),
        "sync" => described(
            &choice(&SyncMode::ALL.map(SyncMode::as_str)),
            "Which records must have reached the disk before the answer is given.",
        ),
        "keep" => described(
            "{\"type\":\"string\",\"pattern\":\"^([0-9]+[dw]|forever)$\"}",
            "How long records are kept: `90d`, `12w`, `forever`.",
        ),
        _ => described(patterns, "Regular expressions; what they fit is not written down."),
    };
    let properties: Vec<(String, String)> =
        RECORD_KEYS.iter().map(|key| named(key, of(key))).collect();
    object(&properties, &[], "How calls are recorded. Not in a project's file.")
}

fn guards() -> String {
    let properties: Vec<(String, String)> =
        GUARDS.iter().map(|it| named(it.id, guard(it))).collect();
    object(&properties, &[], "A level for each guard, or more about it.")
}

fn guard(guard: &Guard) -> String {
    let checks: Vec<(String, String)> =
        guard.checks.iter().map(|it| named(it.id, reference("level", it.title))).collect();
    let mut properties = vec![
        named("level", reference("level", "")),
        named("checks", object(&checks, &[], "A level for each check.")),
        named("allow", reference("strings", "What is never found.")),
    ];
    for option in guard.options.iter().filter(|option| option.name != "allow") {
        let schema = match option.kind {
            OptionKind::Patterns => reference("strings", option.title),
            OptionKind::Level => reference("level", option.title),
            OptionKind::Number => described("{\"type\":\"integer\",\"minimum\":0}", option.title),
            OptionKind::Switch => described("{\"type\":\"boolean\"}", option.title),
        };
        properties.push(named(option.name, schema));
    }
    let table = object(&properties, &[], guard.title);
    format!(
        "{{\"description\":{},\"anyOf\":[{},{table}]}}",
        quoted(guard.title),
        reference("level", "")
    )
}

fn named(name: &str, schema: String) -> (String, String) {
    (name.to_owned(), schema)
}

fn string(description: &str) -> String {
    described("{\"type\":\"string\",\"minLength\":1}", description)
}

fn reference(name: &str, description: &str) -> String {
    described(&format!("{{\"$ref\":\"#/$defs/{name}\"}}"), description)
}

/// The schema with a description.
fn described(schema: &str, description: &str) -> String {
    match schema.strip_prefix('{') {
        Some(rest) if !description.is_empty() => {
            format!("{{\"description\":{},{rest}", quoted(description))
        }
        _ => schema.to_owned(),
    }
}

fn one_or_more(schema: &str, description: &str) -> String {
    let either = format!(
        "{{\"anyOf\":[{schema},{{\"type\":\"array\",\"minItems\":1,\"items\":{schema}}}]}}"
    );
    described(&either, description)
}

fn choice(names: &[&str]) -> String {
    format!("{{\"enum\":{}}}", list(names))
}

fn list(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    format!("[{}]", names.join(","))
}

fn map(entries: &[(String, String)]) -> String {
    let entries: Vec<String> =
        entries.iter().map(|(name, schema)| format!("{}:{schema}", quoted(name))).collect();
    format!("{{{}}}", entries.join(","))
}

fn object(properties: &[(String, String)], required: &[&str], description: &str) -> String {
    format!(
        "{{\"description\":{},\"type\":\"object\",\"properties\":{},\"required\":{},\
         \"additionalProperties\":false}}",
        quoted(description),
        map(properties),
        list(required)
    )
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// The JSON pretty-printed.
fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len().saturating_mul(2));
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let mut letters = json.chars().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(letter) = letters.next() {
        if quoted {
            out.push(letter);
            (escaped, quoted) = match letter {
                '\\' => (!escaped, true),
                '"' => (false, escaped),
                _ => (false, true),
            };
            continue;
        }
        match letter {
            '{' | '[' => {
                out.push(letter);
                if let Some(end) = letters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    depth = depth.saturating_add(1);
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(letter);
            }
            ',' => {
                out.push(letter);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            other => {
                quoted = other == '"';
                out.push(other);
            }
        }
    }
    out
}
