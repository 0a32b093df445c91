//! Reads a TOML file with errors that name a line.

use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::failure::Failure;
use crate::text;

/// The fields of a configuration file.
pub(super) struct Fields<'a> {
    file: &'a Path,
    text: &'a str,
    all: Vec<Field<'a>>,
}

struct Field<'a> {
    name: String,
    /// Position of the key.
    span: Range<usize>,
    value: DeValue<'a>,
}

impl<'a> Fields<'a> {
    /// Splits the file into fields and rejects keys that are not in `known`.
    pub(super) fn parse(file: &'a Path, text: &'a str, known: &[&str]) -> Result<Self, Failure> {
        let mut fields = Self { file, text, all: Vec::new() };
        let (table, errors) = DeTable::parse_recoverable(text);
        let at = |error: &toml::de::Error| error.span().unwrap_or_default();
        // The first error in the file; others often only follow from it.
        if let Some(error) = errors.iter().min_by_key(|error| at(error).start) {
            return Err(fields.at(&at(error), &format!("not TOML: {}", error.message())));
        }
        for (name, value) in table.into_inner() {
            let span = name.span();
            let name = name.into_inner().into_owned();
            if !known.contains(&name.as_str()) {
                let nearest = text::nearest(&name, known).unwrap_or_default();
                let message = format!("unknown key `{name}`; the nearest known key is `{nearest}`");
                return Err(fields.at(&span, &message));
            }
            fields.all.push(Field { name, span, value: value.into_inner() });
        }
        Ok(fields)
    }

    pub(super) fn string(&self, name: &str) -> Result<Option<&str>, Failure> {
        self.value(name, "a string", DeValue::as_str)
    }

    /// A required string.
    pub(super) fn required(&self, name: &str) -> Result<&str, Failure> {
        self.string(name)?.ok_or_else(|| {
            Failure::usage(format!("`{}` has no `{name}`: add it", self.file.display()))
        })
    }

    pub(super) fn bool(&self, name: &str) -> Result<Option<bool>, Failure> {
        self.value(name, "`true` or `false`", DeValue::as_bool)
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, Failure> {
        self.value(name, "a number", |value| match value {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        })
    }

    /// The strings of a table.
    pub(super) fn strings(&self, name: &str) -> Result<Vec<(&str, &str)>, Failure> {
        let pairs = self.value(name, "a table of strings", |value| {
            let mut pairs = Vec::new();
            for (name, value) in value.as_table()? {
                pairs.push((name.get_ref().as_ref(), value.get_ref().as_str()?));
            }
            Some(pairs)
        })?;
        Ok(pairs.unwrap_or_default())
    }

    /// An error about a field, with its line if it is in the file.
    pub(super) fn fault(&self, name: &str, message: &str) -> Failure {
        let field = self.all.iter().find(|field| field.name == name);
        self.at(&field.map(|field| field.span.clone()).unwrap_or_default(), message)
    }

    fn value<'s, T>(
        &'s self,
        name: &str,
        wanted: &str,
        read: impl FnOnce(&'s DeValue<'a>) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        let Some(field) = self.all.iter().find(|field| field.name == name) else {
            return Ok(None);
        };
        let value = read(&field.value);
        value.map(Some).ok_or_else(|| self.at(&field.span, &format!("`{name}` must be {wanted}")))
    }

    fn at(&self, span: &Range<usize>, message: &str) -> Failure {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = 1 + before.matches('\n').count();
        Failure::usage(format!("{}:{line}: {message}", self.file.display()))
    }
}
