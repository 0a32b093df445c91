//! Schema of `show --json`, one object per line.

use serde_json::{Value, json};

use crate::commands::schema::parts::Field::{Always, Sometimes};
use crate::commands::schema::parts::{
    document, flag, list, moment, number, object, or_null, text, texts, usage, word,
};

pub(crate) fn schema() -> Value {
    let lines = json!({ "oneOf": [session(), step(), left_out()] });
    document(
        "A session as a story",
        "What `tenter show --json` prints, one object a line: the session, then its steps in order",
        lines,
    )
}

fn session() -> Value {
    let count = |name, what| Always(name, number(what));
    let counts = object([
        count("prompts", "Prompts of the person"),
        count("tools", "Calls of tools"),
        count("denied", "Denied"),
        count("asked", "Asked about"),
        count("failed", "Failed"),
        count("subagents", "Subagents that were started"),
        count("compactions", "How often the context was made shorter"),
    ]);
    object([
        Always("type", json!({ "const": "session" })),
        Always("session", text("What the host calls it")),
        Always("host", text("The host that sent its events")),
        Sometimes("host_version", text("Its version")),
        Sometimes("surface", text("Where it ran: the editor, a terminal, a background agent")),
        Sometimes("model", text("The last model that is named")),
        Sometimes("cwd", text("The first folder that is named")),
        Always("begun", text("When its first record was made, as RFC 3339 has it")),
        Always("ended", text("When its last record was made")),
        Always("records", number("How many records it has")),
        Sometimes("counts", counts),
        Sometimes("tokens", tokens()),
    ])
}

fn tokens() -> Value {
    let cost = || {
        or_null(json!({
            "type": "number", "minimum": 0,
            "description": "Estimated from the prices in prices.json, in dollars; null if a model has no price",
        }))
    };
    let [input, output, read, write] = usage();
    let name = Always("model", text("The model"));
    let model = object([name].into_iter().chain(usage()).chain([Always("cost_usd", cost())]));
    object([
        Always("source", word(&["record", "transcript"])),
        input,
        output,
        read,
        write,
        Always("cost_usd", cost()),
        Sometimes("prices_of", text("The date of the price list")),
        Always("models", list(model)),
        Sometimes("notes", texts("What is not in the numbers")),
    ])
}

const KINDS: &[&str] = &[
    "session_start",
    "session_end",
    "prompt",
    "tool",
    "subagent_start",
    "subagent_stop",
    "compaction",
    "response",
    "thought",
    "stop",
    "notification",
    "other",
];

fn step() -> Value {
    let numbers = |what: &str| json!({ "type": "array", "items": { "type": "integer", "minimum": 1 }, "description": what });
    object([
        Always("type", json!({ "const": "step" })),
        Always("time", text("When its first record was made, as RFC 3339 has it")),
        Always("kind", word(KINDS)),
        Always("turn", or_null(number("From 1; 0 before the first prompt; null if not known"))),
        Always("at", moment("When its first record was made")),
        Always("until", moment("When its last record was made")),
        Always("records", numbers("The numbers of its records")),
        Always("events", texts("The host's own names of their events")),
        Sometimes("agent", agent()),
        Sometimes("tool", text("The unified name of the tool")),
        Sometimes("native_tool", text("The host's name of it, where it is another")),
        Sometimes("subject", text("What the call is about: a command, a path, a URL")),
        Sometimes("more_actions", number("How many further actions of the call are not kept")),
        Sometimes("text", text("A prompt, a task, a message, as far as it is kept")),
        Sometimes("text_bytes", number("The length of a text that is not kept, or not all of it")),
        Sometimes("attachments", texts("Files attached to a prompt")),
        Sometimes("more_attachments", number("How many further files are not kept")),
        Sometimes("detail", text("One word: source, status, trigger, kind of a failure")),
        Sometimes("loop_count", number("How often a stop was refused before")),
        Sometimes("decision", text("What the host was told before it happened")),
        Sometimes("enforcement", text("How far the host holds that")),
        Sometimes("reason", text("What the model was told")),
        Sometimes("decision_after", text("What the host was told after it had happened")),
        Sometimes("findings", list(finding())),
        Sometimes("code", text("What `tenter allow once` takes")),
        Sometimes("allowed_once", flag("A human had allowed it once")),
        Sometimes("rewritten", list(rewrite())),
        Sometimes("edits", list(edit())),
        Sometimes("outcome", word(&["ran", "failed"])),
        Sometimes("duration_ms", number("How long it took")),
        Sometimes("duration_from_records", flag("That is the time between the records")),
        Sometimes("exit_code", json!({ "type": "integer" })),
        Sometimes("error", text("Why it failed")),
        Sometimes("then", then()),
        Sometimes("own_session", text("The session of a subagent")),
        Sometimes("losses", texts("What did not reach the host as it was meant")),
        Sometimes("notes", texts("What was overlooked or went wrong")),
        Sometimes("lost", number("Calls before it that left no record")),
        Sometimes("torn", number("The length of a torn record before it")),
    ])
}

fn agent() -> Value {
    object([
        Sometimes("id", text("What the host calls it")),
        Always("label", text("Its type, with a number where there are several")),
        Always("depth", number("1 for those that the main agent started")),
    ])
}

fn finding() -> Value {
    object([
        Always("rule", text("The rule")),
        Always("level", text("What the policy says to it")),
        Sometimes("what", text("What would happen")),
        Sometimes("instead", text("What to do instead")),
        Sometimes("excepted", text("Why the policy lets it pass all the same")),
    ])
}

fn rewrite() -> Value {
    object([
        Always("field", text("The field of the input")),
        Sometimes("from", text("As the agent wrote it")),
        Sometimes("to", text("As it ran")),
    ])
}

fn edit() -> Value {
    object([
        Sometimes("path", text("The file")),
        Always("added", number("Lines that came")),
        Always("removed", number("Lines that went")),
        Sometimes("lines", texts("Lines that begin with `+`, `-` or a blank")),
        Sometimes("more", number("How many further lines there are")),
        Sometimes("incomplete", flag("Not all of the texts is kept: the numbers may be too low")),
        Sometimes("deleted", flag("The file is deleted")),
        Sometimes("bytes", number("The length of the new content, where nothing else is known")),
    ])
}

fn then() -> Value {
    object([
        Always("what", word(super::chains::WHAT)),
        Sometimes("record", number("The record of the attempt that settled it")),
        Always("denied_again", number("How many more attempts were denied before that")),
        Always("asked", number("How many more a human was asked about, and did not let pass")),
    ])
}

fn left_out() -> Value {
    object([
        Always("type", json!({ "const": "left_out" })),
        Always("records", number("How many records are left out here")),
        Always("denied", number("How many of them were denied")),
        Always("asked", number("How many a human was asked about")),
    ])
}
