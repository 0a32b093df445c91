//! Files that are opened, to be read or written later.

use super::acts::Writing;
use super::expr::missing;
use super::scan::Scan;
use super::value::{Arguments, Thing, Value};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::value::Field;

impl Scan<'_, '_, '_, '_> {
    /// `open(path, mode)`, in any language.
    pub(super) fn open(&mut self, arguments: &Arguments) -> Value {
        let span = arguments.span;
        let path = arguments.get(0).map_or_else(|| missing(arguments), |value| value.field(span));
        if path.exact() == Some("-") {
            return Value::from_stream(self.call.stdin.clone(), span);
        }
        let mode = arguments.option("mode").or(arguments.get(1)).and_then(Value::exact);
        let mode = mode.unwrap_or_else(|| self.flagged(arguments)).to_owned();
        self.open_file(path, &mode, arguments)
    }

    /// `os.open(path, os.O_WRONLY)`: the flags are numbers.
    pub(super) fn flagged(&self, arguments: &Arguments) -> &'static str {
        let writes = arguments.get(1).is_some()
            && ["O_WRONLY", "O_RDWR"].iter().any(|flag| self.code.text.contains(flag));
        if writes { "w" } else { "r" }
    }

    pub(super) fn open_file(&mut self, path: Field, mode: &str, arguments: &Arguments) -> Value {
        let span = arguments.span;
        let kind = if mode.starts_with('w') || mode.starts_with('>') && !mode.starts_with(">>") {
            Kind::Overwrite
        } else if mode.starts_with('a') || mode.starts_with(">>") {
            Kind::Append
        } else if mode.starts_with('x') || mode.contains('+') {
            Kind::Write
        } else {
            let list = vec![Value::Text(path)];
            let text = self.read(&Arguments { list, named: Vec::new(), span });
            return Value::Object(Thing::Reader, Box::new(text));
        };
        let index = i64::try_from(self.writing.len()).unwrap_or(i64::MAX);
        let content = Stream::empty();
        self.writing.push(Writing { file: path, kind, content, said: false, command: false });
        Value::Object(Thing::Writer, Box::new(Value::Number(index)))
    }
}
