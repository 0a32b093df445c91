//! Building blocks of schemas.

use serde_json::{Map, Value, json};

/// A required or optional field.
pub(in crate::commands) enum Field {
    Always(&'static str, Value),
    Sometimes(&'static str, Value),
}

pub(in crate::commands) fn object(fields: impl IntoIterator<Item = Field>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let (name, value) = match field {
            Field::Always(name, value) => {
                required.push(name);
                (name, value)
            }
            Field::Sometimes(name, value) => (name, value),
        };
        properties.insert(name.to_owned(), value);
    }
    json!({
        "type": "object", "properties": properties, "required": required,
        "additionalProperties": false,
    })
}

/// The schema of a document.
pub(in crate::commands) fn document(title: &str, description: &str, mut schema: Value) -> Value {
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        fields.insert("title".into(), title.into());
        fields.insert("description".into(), description.into());
    }
    schema
}

pub(in crate::commands) fn number(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

pub(in crate::commands) fn moment(description: &str) -> Value {
    number(&format!("{description}, in milliseconds since 1970"))
}

pub(in crate::commands) fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

pub(in crate::commands) fn word(words: &[&str]) -> Value {
    json!({ "enum": words })
}

/// A flag that is present only when true.
pub(in crate::commands) fn flag(description: &str) -> Value {
    json!({ "const": true, "description": description })
}

pub(in crate::commands) fn list(items: Value) -> Value {
    let mut schema = json!({ "type": "array" });
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("items".to_owned(), items);
    }
    schema
}

pub(in crate::commands) fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}

/// The same, or null.
pub(in crate::commands) fn or_null(mut schema: Value) -> Value {
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind, "null"]);
    }
    schema
}

/// The four token counters.
pub(in crate::commands) fn usage() -> [Field; 4] {
    [
        Field::Always("input", number("Tokens that were sent")),
        Field::Always("output", number("Tokens that came back")),
        Field::Always("cache_read", number("Tokens read from the host's cache")),
        Field::Always("cache_write", number("Tokens written to it")),
    ]
}
