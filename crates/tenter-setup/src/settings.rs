//! Parses a settings file of any format.

use serde_json::{Map, Number, Value};
use tenter_engine::document::Source;
use toml_edit::{DocumentMut, Item, TableLike};

use crate::edit::Format;

/// The content of a file; `None` if it cannot be parsed.
pub(crate) fn read(text: &str, format: Format) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}');
    match format {
        Format::Json => Some(Source::new("", text).parse().ok()?.value.into()),
        Format::Toml => Some(of_table(text.parse::<DocumentMut>().ok()?.as_table())),
    }
}

fn of_table(table: &dyn TableLike) -> Value {
    let fields = table.iter().map(|(key, item)| (key.to_owned(), of_item(item)));
    Value::Object(fields.collect::<Map<String, Value>>())
}

fn of_item(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Table(table) => of_table(table),
        Item::ArrayOfTables(tables) => {
            Value::Array(tables.iter().map(|table| of_table(table)).collect())
        }
        Item::Value(value) => of_value(value),
    }
}

fn of_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::String(text.value().clone()),
        toml_edit::Value::Integer(number) => Value::Number((*number.value()).into()),
        toml_edit::Value::Float(number) => {
            Number::from_f64(*number.value()).map_or(Value::Null, Value::Number)
        }
        toml_edit::Value::Boolean(flag) => Value::Bool(*flag.value()),
        toml_edit::Value::Datetime(time) => Value::String(time.value().to_string()),
        toml_edit::Value::Array(list) => Value::Array(list.iter().map(of_value).collect()),
        toml_edit::Value::InlineTable(table) => of_table(table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_give_the_same_value() {
        let json = "\u{feff}{ // said\n \"a\": {\"b\": [1, true, \"x\"]}, \"l\": [{\"k\": 1}], }";
        let toml = "a.b = [1, true, \"x\"]\n[[l]]\nk = 1\n";
        let value = read(json, Format::Json);
        assert!(value.is_some());
        assert_eq!(value, read(toml, Format::Toml));
        assert_eq!(read("{", Format::Json), None);
        assert_eq!(read("a = ", Format::Toml), None);
    }
}
