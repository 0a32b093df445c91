//! Schema of `sessions --json`, one object per line.

use serde_json::Value;

use crate::commands::schema::parts::Field::Always;
use crate::commands::schema::parts::{document, moment, number, object, or_null, text, usage};

pub(crate) fn schema() -> Value {
    let live = serde_json::json!({
        "type": "boolean",
        "description": "It was heard in the last five minutes and has not said that it ends",
    });
    let fields = [
        Always("id", text("What the host calls the session")),
        Always("host", text("The host that sent its events")),
        Always("first_at", moment("When its first record was made")),
        Always("last_at", moment("When its last record was made")),
        Always("first_record", number("The number of its first record")),
        Always("last_record", number("The number of its last record")),
        Always("records", number("How many records it has")),
        Always("prompts", number("How many of them are prompts")),
        Always("tools", number("How many are calls of tools that were about to happen")),
        Always("denied", number("How many were denied")),
        Always("asked", number("How many a human was asked about")),
        Always("model", or_null(text("The last model that a record names"))),
        Always("cwd", or_null(text("The first folder that a record names"))),
        Always("transcript_path", or_null(text("Where the host says that its transcript is"))),
        Always("live", live),
        Always("usage", object(usage())),
    ];
    document("A session", "What `tenter sessions --json` prints, one object a line", object(fields))
}
