//! Attributes of a span in OTLP/JSON.

use serde::Serialize;

/// Attribute with key and value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attribute {
    pub key: &'static str,
    pub value: Value,
}

/// Value. Integers are strings in JSON, since they have 64 bits.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Value {
    StringValue(String),
    IntValue(String),
    DoubleValue(f64),
    BoolValue(bool),
    ArrayValue { values: Vec<Value> },
}

impl Attribute {
    pub fn text(key: &'static str, text: &str) -> Self {
        Self { key, value: Value::StringValue(text.to_owned()) }
    }
}

/// List of attributes; unknown values are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes(pub(super) Vec<Attribute>);

impl Attributes {
    pub(super) fn text(&mut self, key: &'static str, text: &str) {
        if !text.is_empty() {
            self.0.push(Attribute::text(key, text));
        }
    }

    pub(super) fn maybe(&mut self, key: &'static str, text: Option<&str>) {
        self.text(key, text.unwrap_or_default());
    }

    pub(super) fn whole(&mut self, key: &'static str, number: u64) {
        // OTLP integers are signed.
        let number = number.min(i64::MAX.unsigned_abs());
        self.0.push(Attribute { key, value: Value::IntValue(number.to_string()) });
    }

    /// Adds a number unless it is zero.
    pub(super) fn count(&mut self, key: &'static str, number: u64) {
        if number > 0 {
            self.whole(key, number);
        }
    }

    pub(super) fn number(&mut self, key: &'static str, number: Option<&serde_json::Number>) {
        let Some(number) = number else { return };
        let value = match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::IntValue(whole.to_string()),
            (None, Some(other)) => Value::DoubleValue(other),
            (None, None) => return,
        };
        self.0.push(Attribute { key, value });
    }

    pub(super) fn flag(&mut self, key: &'static str, is_so: bool) {
        if is_so {
            self.0.push(Attribute { key, value: Value::BoolValue(true) });
        }
    }

    pub(super) fn texts<'t>(&mut self, key: &'static str, texts: impl Iterator<Item = &'t str>) {
        let values: Vec<Value> = texts.map(|it| Value::StringValue(it.to_owned())).collect();
        if !values.is_empty() {
            self.0.push(Attribute { key, value: Value::ArrayValue { values } });
        }
    }
}
