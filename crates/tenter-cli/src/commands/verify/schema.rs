//! Schema of `verify --json`.

use serde_json::{Value, json};
use tenter_audit::verify::Why;

use crate::commands::schema::parts::Field::Always;
use crate::commands::schema::parts::{document, list, moment, number, object, or_null, text, word};

pub(crate) fn schema() -> Value {
    let intact =
        json!({ "type": "boolean", "description": "Nothing is broken, and nothing is missed" });
    let fields = [
        Always("intact", intact),
        Always("records", number("How many lines are records")),
        Always("files", number("How many files they are in")),
        Always("bytes", number("How long the files are together")),
        Always("first", or_null(end())),
        Always("last", or_null(end())),
        Always("cleared", or_null(cleared())),
        Always("gaps", number("How many places there are where a writer was ended")),
        Always("torn", list(torn())),
        Always("lost", number("How many calls left no record, as later records tell")),
        Always("side", number("Records that stood beside the chain first, because it was locked")),
        Always("unfinished", number("Bytes of a last line that is being written")),
        Always("broken", or_null(broken())),
        Always("breaks", number("How many places are broken")),
        Always("incidents", list(incident())),
        Always("last_sign", or_null(moment("When a hook last ran, by the sign that it leaves"))),
        Always("untold", number("Calls without a record that no later record has told of yet")),
        Always(
            "waiting",
            number("Records beside the chain, because another process keeps it locked"),
        ),
        Always("died", number("How many calls died before they answered")),
        Always("anchor", or_null(text("The last record, NUMBER:HASH, as `--anchor` takes it"))),
        Always("noted", number("How many records are noted away from the record")),
        Always("missed", list(missed())),
    ];
    document("What checking the record found", "What `tenter verify --json` prints", object(fields))
}

fn missed() -> Value {
    object([
        Always("anchor", text("A record that was noted elsewhere and is gone, NUMBER:HASH")),
        Always("at", moment("When it was noted; 0 if it was given by `--anchor`")),
        Always(
            "replaced",
            json!({ "type": "boolean", "description": "Another record has its number" }),
        ),
    ])
}

fn end() -> Value {
    object([
        Always("seq", number("The number of the record")),
        Always("at", moment("When it was made")),
        Always("hash", text("Its hash")),
    ])
}

fn cleared() -> Value {
    object([
        Always("through", number("The last record that was cleared away")),
        Always("hash", text("Its hash, which the next one goes on from")),
        Always("records", number("How many were cleared away with it")),
        Always("from", moment("When the first of them was made")),
        Always("to", moment("When the last of them was made")),
    ])
}

fn torn() -> Value {
    object([
        Always("file", text("The file it is in")),
        Always("line", number("The line, counted from 1")),
        Always("bytes", number("How long it is")),
        Always("seq", number("The record that accounts for it")),
    ])
}

fn broken() -> Value {
    let when = |text| or_null(moment(text));
    object([
        Always("seq", number("The number of the first record that does not fit")),
        Always("file", text("The file it is in")),
        Always("line", number("The line, counted from 1")),
        Always("why", word(Why::NAMES)),
        Always("text", text("The same in words")),
        Always("after", when("When the last record before it was made that is in order")),
        Always("before", when("When the first record after it was made that is in order")),
        Always("later", number("How many lines come after it")),
    ])
}

fn incident() -> Value {
    object([Always("at", moment("When it was noticed")), Always("text", text("What was missed"))])
}
