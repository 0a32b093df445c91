//! Schema of `prune --json`.

use serde_json::{Value, json};

use crate::commands::schema::parts::Field::Always;
use crate::commands::schema::parts::{document, moment, number, object, or_null};

pub(crate) fn schema() -> Value {
    let dry_run = json!({ "type": "boolean", "description": "Nothing was cleared away" });
    let gone = object([
        Always("files", number("How many files go")),
        Always("records", number("How many records")),
        Always("bytes", number("How long the files are together")),
        Always("from", moment("When the first of these records was made")),
        Always("to", moment("When the last of them was made")),
        Always("through", number("The number of the last of them")),
    ]);
    let stays = object([
        Always("files", number("How many files stay")),
        Always("bytes", number("How long they are together")),
        Always("first", or_null(number("The number of the first record that stays"))),
        Always("from", or_null(moment("When it was made"))),
    ]);
    let fields = [
        Always("dry_run", dry_run),
        Always("before", moment("Files whose last record is older go")),
        Always("gone", or_null(gone)),
        Always("checkpoint", or_null(number("The number of the record that tells of it"))),
        Always("stays", stays),
        Always("index", number("Bytes of the index now")),
        Always("index_before", number("Bytes of the index before")),
        Always(
            "swept",
            number("Files of sessions that are over, and of indexes set aside, that went"),
        ),
        Always("policies", number("Policies that went, since no record mentions them any more")),
    ];
    document("What was cleared away", "What `tenter prune --json` prints", object(fields))
}
