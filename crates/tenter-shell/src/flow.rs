//! Data sources: where a value, a stream or a written file may come from.

use std::rc::Rc;

use crate::value::Field;

/// One source of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Received from this host or address.
    Network(Rc<str>),
    /// Read from this file.
    File(Rc<str>),
    /// All of the environment (`env`, `printenv`, `export -p`).
    Environment,
    /// A variable whose value is not known here.
    Variable(Rc<str>),
    /// Went through a decoder or a decryptor.
    Decoded,
    /// Typed or piped in by the caller.
    Stdin,
    /// A secret store, keychain, clipboard or metadata service was asked.
    Store(Rc<str>),
    /// The output of a program that is not modelled.
    Program(Rc<str>),
}

/// All sources of some data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow(Vec<Source>);

/// Maximum number of sources tracked.
const MAX_SOURCES: usize = 64;

impl Flow {
    pub fn of(source: Source) -> Self {
        Self(vec![source])
    }

    pub fn add(&mut self, source: Source) {
        if self.0.contains(&source) {
            return;
        }
        if self.0.len() < MAX_SOURCES {
            self.0.push(source);
        } else if let Some(last) = self.0.last_mut() {
            // There is more than is listed.
            *last = Source::Program("\u{2026}".into());
        }
    }

    pub fn join(&mut self, other: &Self) {
        for source in &other.0 {
            self.add(source.clone());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn sources(&self) -> &[Source] {
        &self.0
    }

    pub fn from_network(&self) -> Option<&str> {
        self.0.iter().find_map(|source| match source {
            Source::Network(host) => Some(&**host),
            _ => None,
        })
    }

    pub fn decoded(&self) -> bool {
        self.0.contains(&Source::Decoded)
    }
}

/// Content of a pipe or file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// The exact text, where it is known.
    pub text: Option<String>,
    /// Partly known text.
    pub partial: Option<Rc<Field>>,
    pub flow: Flow,
}

impl Stream {
    /// Nothing at all, and that is known.
    pub fn empty() -> Self {
        Self { text: Some(String::new()), ..Self::default() }
    }

    pub fn known(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// These fields joined by blanks: exact if they are.
    pub fn of_fields(fields: &[Field], end: &str) -> Self {
        let mut whole = Field::default();
        for (index, field) in fields.iter().enumerate() {
            if index > 0 {
                whole.push_text(" ", None);
            }
            whole.span = if index == 0 { field.span } else { whole.span.to(field.span) };
            whole.flow.join(&field.flow);
            for part in &field.parts {
                whole.push(part.clone());
            }
        }
        whole.push_text(end, None);
        let text = whole.exact().map(str::to_owned);
        let flow = if text.is_some() { whole.flow.clone() } else { whole.sources() };
        let partial = if text.is_none() { Some(Rc::new(whole)) } else { None };
        Self { text, partial, flow }
    }

    /// Roughly what it costs to copy this, in units of work.
    pub fn weight(&self) -> usize {
        1 + self.text.as_ref().map_or(0, |text| text.len() / 64)
    }

    /// Unknown text from a known place.
    pub fn from(source: Source) -> Self {
        Self { flow: Flow::of(source), ..Self::default() }
    }

    pub fn unknown(flow: Flow) -> Self {
        Self { flow, ..Self::default() }
    }
}
