//! Renders JSON for insertion, formatted like its neighbours.

use serde_json::Value;

use super::Hook;
use super::page::Place;
use tenter_hosts::install::Shape;

/// A value whose keys keep their order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Scalar(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

/// Formatting of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ink<'p> {
    /// Indentation of the value's first line; `None` for a single line.
    pub(super) indent: Option<&'p str>,
    pub(super) place: &'p Place,
    /// Blanks inside the braces of a single-line object.
    pub(super) padded: bool,
}

impl From<&Value> for Node {
    fn from(value: &Value) -> Self {
        match value {
            Value::Array(items) => Node::List(items.iter().map(Node::from).collect()),
            Value::Object(fields) => Node::Object(
                fields.iter().map(|(name, value)| (name.clone(), Node::from(value))).collect(),
            ),
            scalar => Node::Scalar(scalar.to_string()),
        }
    }
}

/// The keys of a handler; includes the matcher where there are no groups.
pub(super) fn keys(hook: &Hook, shape: Shape) -> Vec<(String, Node)> {
    let mut keys: Vec<(String, Node)> =
        hook.fields.iter().map(|(name, value)| (name.clone(), Node::from(value))).collect();
    if shape == Shape::Entries {
        keys.extend(matcher(hook));
    }
    keys
}

/// The element of an event's list for a hook.
pub(super) fn element(hook: &Hook, shape: Shape) -> Node {
    let handler = Node::Object(keys(hook, shape));
    match shape {
        Shape::Entries => handler,
        Shape::Groups => {
            let mut group: Vec<(String, Node)> = matcher(hook).into_iter().collect();
            group.push(("hooks".to_owned(), Node::List(vec![handler])));
            Node::Object(group)
        }
    }
}

fn matcher(hook: &Hook) -> Option<(String, Node)> {
    let matcher = hook.matcher.as_deref()?;
    Some(("matcher".to_owned(), Node::from(&Value::from(matcher))))
}

/// A JSON string.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

impl Ink<'_> {
    pub(super) fn property(&self, name: &str, value: &Node) -> String {
        let mut text = format!("{}:{}", quoted(name), self.place.colon);
        self.write(value, self.indent.unwrap_or_default(), &mut text);
        text
    }

    pub(super) fn value(&self, value: &Node) -> String {
        let mut text = String::new();
        self.write(value, self.indent.unwrap_or_default(), &mut text);
        text
    }

    fn write(&self, node: &Node, indent: &str, text: &mut String) {
        match node {
            Node::Scalar(scalar) => text.push_str(scalar),
            Node::List(items) => {
                let items = items.iter().map(|item| (None, item));
                self.bracketed(['[', ']'], items.collect(), indent, text);
            }
            Node::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| (Some(name.as_str()), value));
                self.bracketed(['{', '}'], fields.collect(), indent, text);
            }
        }
    }

    fn bracketed(
        &self,
        [open, close]: [char; 2],
        items: Vec<(Option<&str>, &Node)>,
        indent: &str,
        text: &mut String,
    ) {
        let inner = format!("{indent}{}", self.place.unit);
        let padding = if self.padded && open == '{' { " " } else { "" };
        let is_bare = items.is_empty();
        text.push(open);
        for (index, (name, item)) in items.into_iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            match self.indent {
                Some(_) => text.extend([self.place.line_end, &inner]),
                None if index > 0 => text.push_str(self.place.gap),
                None => text.push_str(padding),
            }
            if let Some(name) = name {
                text.extend([&quoted(name), ":", self.place.colon]);
            }
            self.write(item, &inner, text);
        }
        match self.indent {
            _ if is_bare => {}
            Some(_) => text.extend([self.place.line_end, indent]),
            None => text.push_str(padding),
        }
        text.push(close);
    }
}
