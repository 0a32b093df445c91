//! Files, commands and addresses that are opened, to be read or written later.

use super::acts::{Writing, is_address};
use super::expr::missing;
use super::names::{Op, Output};
use super::scan::Scan;
use super::value::{Arguments, Thing, Value};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::value::Field;
use crate::world::Language;

impl Scan<'_, '_, '_, '_> {
    /// `open(path, mode)`, in any language.
    pub(super) fn open(&mut self, arguments: &Arguments) -> Value {
        if self.language == Language::Perl {
            return self.perl_open(arguments);
        }
        let span = arguments.span;
        let path = arguments.get(0).map_or_else(|| missing(arguments), |value| value.field(span));
        if self.language == Language::Ruby && path.prefix().starts_with('|') {
            let command = path.without_prefix(1).unwrap_or_else(|| missing(arguments));
            let list = vec![Value::Text(command)];
            return self.shell(&Arguments { list, named: Vec::new(), span }, Output::Returned);
        }
        if is_address(path.prefix()) && matches!(self.language, Language::Php | Language::Ruby) {
            return self.network(Op::Get(0), arguments);
        }
        if path.prefix().starts_with("php://") || path.exact() == Some("-") {
            return Value::from_stream(self.call.stdin.clone(), span);
        }
        let mode = arguments.option("mode").or(arguments.get(1)).and_then(Value::exact);
        let mode = mode.unwrap_or_else(|| self.flagged(arguments)).to_owned();
        self.open_file(path, &mode, arguments)
    }

    /// `os.open(path, os.O_WRONLY)`: the flags are numbers.
    fn flagged(&self, arguments: &Arguments) -> &'static str {
        let writes = arguments.get(1).is_some()
            && ["O_WRONLY", "O_RDWR"].iter().any(|flag| self.code.text.contains(flag));
        if writes { "w" } else { "r" }
    }

    fn open_file(&mut self, path: Field, mode: &str, arguments: &Arguments) -> Value {
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

    /// `open(F, "<file")`, `open(F, '>', $file)`, `open(F, "cmd |")`, `open(F, '-|', @cmd)`
    fn perl_open(&mut self, arguments: &Arguments) -> Value {
        let span = arguments.span;
        let mode = arguments.get(1).map_or_else(|| missing(arguments), |value| value.field(span));
        let rest = arguments.list.get(2..).unwrap_or_default();
        let handle = Self::opened_as(arguments).unwrap_or_default();
        let text = mode.prefix().trim_start().to_owned();
        let command = if rest.is_empty() {
            let piped = mode.suffix().trim_end().ends_with('|');
            text.starts_with('|')
                .then(|| mode.without_prefix(mode.prefix().find('|').unwrap_or(0) + 1))
                .flatten()
                .or_else(|| piped.then(|| without_bar(&mode)))
        } else {
            None
        };
        let value = if let Some(command) = command.clone().filter(|_| text.starts_with('|')) {
            // What is printed to the handle later is its input.
            let index = i64::try_from(self.writing.len()).unwrap_or(i64::MAX);
            let content = Stream::empty();
            let kind = Kind::Write;
            self.writing.push(Writing { file: command, kind, content, said: false, command: true });
            Value::Object(Thing::Writer, Box::new(Value::Number(index)))
        } else if let Some(command) = command {
            let list = vec![Value::Text(command)];
            self.shell(&Arguments { list, named: Vec::new(), span }, Output::Returned)
        } else if text.contains('|') && !rest.is_empty() {
            self.shell(
                &Arguments { list: rest.to_vec(), named: Vec::new(), span },
                Output::Returned,
            )
        } else if let Some(path) = rest.first() {
            let path = path.field(span);
            self.open_file(path, text.trim_start_matches('+'), arguments)
        } else if text.contains('&') {
            // A descriptor put in place of another.
            self.found.shell = true;
            self.nothing()
        } else {
            let marks =
                mode.prefix().len() - mode.prefix().trim_start_matches(['<', '>', '+', ' ']).len();
            let path = mode.without_prefix(marks).unwrap_or_else(|| missing(arguments));
            self.open_file(path, &text, arguments)
        };
        if !handle.is_empty() {
            self.assign(&handle, value.clone());
        }
        value
    }

    fn opened_as(arguments: &Arguments) -> Option<String> {
        match arguments.get(0)? {
            Value::Name(name) => Some(name.to_string()),
            Value::Text(field) => match field.parts.as_slice() {
                [crate::value::Part::Unknown(unknown)] => Some(format!("${}", unknown.name)),
                _ => None,
            },
            _ => None,
        }
    }

    /// `sysopen(F, $file, O_WRONLY)`
    pub(super) fn system_open(&mut self, arguments: &Arguments) -> Value {
        let list = arguments.list.get(1..).unwrap_or_default().to_vec();
        let after = Arguments { list, named: Vec::new(), span: arguments.span };
        let path = after.get(0).map_or_else(|| missing(&after), |path| path.field(after.span));
        let value = self.open_file(path, self.flagged(&after), &after);
        if let Some(handle) = Self::opened_as(arguments) {
            self.assign(&handle, value.clone());
        }
        value
    }
}

fn without_bar(field: &Field) -> Field {
    let mut field = field.clone();
    if let Some(crate::value::Part::Text { text, .. }) = field.parts.last_mut() {
        let length = text.trim_end().trim_end_matches('|').len();
        text.truncate(length);
    }
    field
}
