//! The JSON object that an event's hooks read; values are passed on unchanged.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde::{Deserialize, Deserializer};
use serde_json::value::{RawValue, to_raw_value};

use tenter_hosts::one_line;

/// An event's payload, in its original key order.
#[derive(Clone, Debug, Default)]
pub struct Payload {
    entries: Vec<(String, Box<RawValue>)>,
}

impl Payload {
    /// Parses a JSON object; the error says where it is invalid.
    ///
    /// ```
    /// use tenter_engine::Payload;
    ///
    /// let payload = Payload::parse(r#"{"command": "ls", "duration": 1e400}"#).unwrap();
    /// assert_eq!(payload.text("command").as_deref(), Some("ls"));
    /// assert_eq!(payload.to_json(), r#"{"command":"ls","duration":1e400}"#);
    /// ```
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json.trim_start_matches('\u{feff}'))
    }

    pub fn get(&self, key: &str) -> Option<&RawValue> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_ref())
    }

    /// A string value. A lone surrogate, which JavaScript writes for a cut emoji, becomes U+FFFD, so that a
    /// matcher still sees the rest.
    pub fn text(&self, key: &str) -> Option<String> {
        tenter_model::json::string(self.get(key)?).map(Cow::into_owned)
    }

    /// An integer value.
    pub fn number(&self, key: &str) -> Option<u64> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    /// A value that is a list of strings.
    pub fn texts(&self, key: &str) -> Option<Vec<String>> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(name, _)| name.as_str())
    }

    /// Sets a value, keeping the key's position if it exists.
    pub fn set(&mut self, key: &str, value: &impl Serialize) {
        // Serializing fails only for maps with non-string keys, which do not occur here.
        if let Ok(value) = to_raw_value(value) {
            self.set_raw(key, value);
        }
    }

    /// Sets a value given as JSON.
    pub fn set_raw(&mut self, key: &str, value: Box<RawValue>) {
        let value = one_line(value);
        match self.entries.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.entries.push((key.to_owned(), value)),
        }
    }

    pub fn remove(&mut self, key: &str) {
        self.entries.retain(|(name, _)| name != key);
    }

    pub fn set_if_absent(&mut self, key: &str, value: &impl Serialize) {
        if self.get(key).is_none() {
            self.set(key, value);
        }
    }

    /// Adds all entries of another payload, overwriting existing keys.
    pub fn extend(&mut self, other: Self) {
        for (key, value) in other.entries {
            self.set_raw(&key, value);
        }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The conversation id.
    pub(crate) fn conversation(&self) -> Option<String> {
        self.text("conversation_id").or_else(|| self.text("session_id"))
    }
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.entries.len()))?;
        for (key, value) in &self.entries {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Payload;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Payload, A::Error> {
                let mut payload = Payload::default();
                while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    payload.set_raw(&key, value);
                }
                Ok(payload)
            }
        }

        deserializer.deserialize_map(Entries)
    }
}
