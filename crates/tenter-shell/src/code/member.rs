//! Resolves names, members and methods.

use super::compiled;
use super::fold;
use super::languages::Surrounding;
use super::library::Op;
use super::scan::Scan;
use super::value::{Arguments, Thing, Value};
use crate::expand::Variable;
use crate::flow::{Flow, Source};
use crate::run::PLACEHOLDER;
use crate::span::Span;
use crate::value::{Field, Part};

/// Maximum length of a function's full name.
const MAX_PATH: usize = 128;

impl Scan<'_, '_, '_, '_> {
    /// The value of a bare name.
    pub(super) fn resolve(&mut self, name: &str) -> Value {
        if let Some(value) = self.element_owner(name).or_else(|| self.variable(name)) {
            return value.clone();
        }
        let span = self.span_from(self.at.saturating_sub(1));
        if let Some(value) = self.special(name, span) {
            return value;
        }
        if name.contains(PLACEHOLDER) {
            let mut field = Field::text(name, span);
            self.call.machine.without_placeholders(&mut field);
            return Value::Text(field);
        }
        if name.starts_with(['$', '@']) && !self.language.lexicon.dollar_is_letter {
            return Value::unknown(name.trim_start_matches(['$', '@']), span);
        }
        if let Some(path) = self.opened(name)
            && self.language.find(name).is_none()
        {
            return Value::Name(path.into());
        }
        Value::Name(name.into())
    }

    /// `$x[0]` is an element of `@x`, `$x{a}` of `%x`.
    fn element_owner(&self, name: &str) -> Option<&Value> {
        let bare = name.strip_prefix('$').filter(|_| self.language.syntax.sigil_elements)?;
        let before = self.tokens.get(self.at.checked_sub(1)?)?;
        let next = self.token().filter(|next| next.start == before.end)?;
        match next.text {
            "[" => self.variable(&format!("@{bare}")),
            "{" => self.variable(bare),
            _ => None,
        }
    }

    /// Names that the language gives to the environment, arguments and streams.
    fn special(&self, path: &str, span: Span) -> Option<Value> {
        let known = self.language.library.surroundings;
        let (_, surrounding) = known.iter().find(|(names, _)| names.contains(&path))?;
        Some(match surrounding {
            Surrounding::Environment => {
                let all = Value::unknown_from(Flow::of(Source::Environment), span);
                Value::Object(Thing::Environment, Box::new(all))
            }
            Surrounding::Stdin => {
                let text = Value::from_stream(self.call.stdin.clone(), span);
                Value::Object(Thing::Stdin, Box::new(text))
            }
            Surrounding::Home => match self.call.machine.world.home {
                Some(home) => Value::text(home, span),
                None => Value::unknown("$HOME", span),
            },
            Surrounding::Text(text) => Value::text(*text, span),
            Surrounding::Arguments(first) => {
                let first = first.iter().map(|text| Value::text(*text, span));
                Value::List(first.chain(self.arguments.iter().cloned().map(Value::Text)).collect())
            }
        })
    }

    /// `value.name`
    pub(super) fn member(&mut self, value: Value, name: &str, span: Span) -> Value {
        let Value::Name(path) = &value else {
            return self.attribute(value, name, span);
        };
        if path.len() > MAX_PATH {
            return Value::unknown("…", span);
        }
        // `__import__('a.b')` gives `a`, but is remembered as `a.b`.
        if self.language.library.import_is_whole
            && path.rsplit_once('.').is_some_and(|(_, last)| last == name)
        {
            return value;
        }
        let path = self.language.plain(&format!("{path}.{name}"));
        if let Some(value) = self.variable(&path) {
            return value.clone();
        }
        self.special(&path, span).unwrap_or_else(|| Value::Name(path.into()))
    }

    /// A property of something that is not a module.
    pub(super) fn attribute(&mut self, value: Value, name: &str, span: Span) -> Value {
        match &value {
            Value::Object(Thing::Environment, _) => self.environment(name, span),
            Value::Object(Thing::Stdin | Thing::Socket | Thing::Client, _) => value,
            Value::Map(entries) => match entries.iter().rev().find(|(key, _)| key == name) {
                Some((_, value)) => value.clone(),
                None => Value::unknown_from(value.flow(), span),
            },
            Value::Text(field) if name == "parent" && field.exact().is_some() => {
                value.map_text(&|text| {
                    text.trim_end_matches('/').rsplit_once('/').map(|(parent, _)| parent.to_owned())
                })
            }
            _ if name == "d_name" => pattern(&Value::text("*", span), span),
            Value::Text(_) if self.is_compiled() && compiled::is_same(name) => value,
            Value::Text(_) if matches!(name, "buffer" | "text" | "content" | "body" | "data") => {
                value
            }
            _ => Value::unknown_from(value.flow(), span),
        }
    }

    /// `value[key]`
    pub(super) fn indexed(&mut self, value: Value, key: &Value, span: Span) -> Value {
        let text = key.exact().map(str::to_owned);
        match (&value, key) {
            (Value::Object(Thing::Environment, _), _) => match text {
                Some(name) => self.environment(&name, span),
                None => Value::unknown("…", span),
            },
            (Value::Name(path), _) => {
                if &**path == "Dir" {
                    let arguments = Arguments { list: vec![key.clone()], named: Vec::new(), span };
                    return self.perform(Op::Glob, &arguments);
                }
                match text {
                    Some(name) => self.member(value, &name, span),
                    None => Value::unknown("…", span),
                }
            }
            (Value::Map(_), _) if text.is_some() => {
                self.attribute(value, &text.unwrap_or_default(), span)
            }
            (Value::List(values), Value::Number(index)) => {
                let size = i64::try_from(values.len()).unwrap_or(i64::MAX);
                let index = if *index < 0 { size.saturating_add(*index) } else { *index };
                let item = usize::try_from(index).ok().and_then(|index| values.get(index));
                item.cloned().unwrap_or_else(|| Value::unknown_from(value.flow(), span))
            }
            (Value::List(_), _) if self.language.syntax.sigil_elements => value,
            (Value::Text(field), Value::Number(index)) if field.exact().is_some() => {
                let letter = usize::try_from(*index)
                    .ok()
                    .and_then(|index| field.prefix().chars().nth(index));
                letter.map_or_else(|| Value::unknown("…", span), |letter| Value::text(letter, span))
            }
            _ => Value::unknown_from(value.flow(), span),
        }
    }

    /// The value of an environment variable.
    pub(super) fn environment(&mut self, name: &str, span: Span) -> Value {
        if matches!(name, "copy" | "items" | "keys" | "values" | "to_h") {
            return Value::unknown_from(Flow::of(Source::Environment), span);
        }
        let given = self.variables_given.iter().rev().find(|(known, _)| known == name);
        if let Some((_, field)) = given {
            return Value::Text(field.clone());
        }
        if let Some(slot) = self.call.machine.shell.slot(name)
            && let [Variable::Scalar(field)] = slot.values.as_slice()
            && slot.exported
        {
            return Value::Text(field.clone());
        }
        let world = self.call.machine.world;
        let known =
            world.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        let is_home = name == "HOME" || name == "USERPROFILE" && self.is_compiled();
        let known = known.or(if is_home { world.home } else { None });
        match known {
            Some(text) => Value::text(text, span),
            None => Value::unknown(&format!("${name}"), span),
        }
    }

    /// Calls any value.
    pub(super) fn invoke(&mut self, callee: Value, arguments: &Arguments) -> Value {
        let _enough = self.call.machine.budget.spend(8);
        match callee {
            Value::Name(path) => match self.call_local(&path, arguments) {
                Some(value) => value,
                None => self.invoke_name(&path, arguments),
            },
            Value::Text(field)
                if self.language.syntax.callable_texts && field.exact().is_some() =>
            {
                self.invoke_name(field.exact().unwrap_or_default(), arguments)
            }
            Value::Any(choices) => {
                let mut last = self.nothing();
                for choice in choices.into_iter().take(4) {
                    if matches!(choice, Value::Name(_)) {
                        last = self.invoke(choice, arguments);
                    }
                }
                last
            }
            other => {
                let mut flow = other.flow();
                flow.join(&arguments.flow());
                Value::unknown_from(flow, arguments.span)
            }
        }
    }

    fn invoke_name(&mut self, path: &str, arguments: &Arguments) -> Value {
        let path = self.language.plain(path);
        // A function of the code, by its name as text.
        if let Some(Value::Name(local)) = self.variable(&path).cloned()
            && let Some(value) = self.call_local(&local, arguments)
        {
            return value;
        }
        if let (Some(name), Some(Value::Map(map))) =
            (path.strip_prefix("Object."), arguments.get(0))
            && let Some(entries) = fold::entries(map, name, arguments.span)
        {
            return entries;
        }
        if let Some(op) = self.language.find(&path) {
            return self.perform(op, arguments);
        }
        if let Some(value) = (self.language.library.invoke)(self, &path, arguments) {
            return value;
        }
        let Some((owner, function)) = path.rsplit_once('.').filter(|(owner, _)| !owner.is_empty())
        else {
            self.hand_on(arguments);
            return Value::unknown_from(arguments.flow(), arguments.span);
        };
        if matches!(function, "call" | "apply" | "bind") && self.language.find(owner).is_some() {
            let list = arguments.list.get(1..).unwrap_or_default().to_vec();
            let list = match (function, list.as_slice()) {
                ("apply", [Value::List(values)]) => values.clone(),
                _ => list,
            };
            let arguments =
                Arguments { list, named: arguments.named.clone(), span: arguments.span };
            return self.invoke_name(owner, &arguments);
        }
        let result = self.call_method(function, arguments);
        self.hand_on(arguments);
        self.database_method(function, arguments);
        result.unwrap_or_else(|| Value::unknown_from(arguments.flow(), arguments.span))
    }

    /// `value.name(arguments)`
    pub(super) fn method(&mut self, value: Value, name: &str, arguments: &Arguments) -> Value {
        let _enough = self.call.machine.budget.spend(8);
        let span = arguments.span;
        if let Some(same) = self.compiled_method(&value, name, arguments) {
            return same;
        }
        // It may be one of the code's own, or not.
        if let Some(result) = self.call_method(name, arguments)
            && self.language.syntax.functions.any_is_method
            && !matches!(value, Value::Object(..))
        {
            return result;
        }
        match &value {
            Value::Map(map) if arguments.list.is_empty() => {
                if let Some(entries) = fold::entries(map, name, span) {
                    return entries;
                }
            }
            Value::Object(thing, inner) => {
                let inner = inner.as_ref().clone();
                return self.object_method(*thing, &value, inner, name, arguments);
            }
            Value::Map(_) => {
                if let method @ Value::Name(_) = self.attribute(value.clone(), name, span) {
                    return self.invoke(method, arguments);
                }
            }
            _ => {}
        }
        if matches!(name, "forEach" | "each" | "map" | "then")
            && let Some(function @ Value::Name(_)) = arguments.get(0).cloned()
        {
            let element = if name == "then" { value.clone() } else { value.element(span) };
            let arguments = Arguments { list: vec![element], named: Vec::new(), span };
            return self.invoke(function, &arguments);
        }
        if let Some(folded) = fold::method(&value, name, arguments) {
            return folded;
        }
        // Functions that are known whatever they belong to.
        if let Some(
            op @ (Op::Shell(_)
            | Op::Program(_)
            | Op::Remove
            | Op::Delete
            | Op::DeleteTree
            | Op::Own(_)
            | Op::Upload),
        ) = self.language.find(&format!("?.{name}"))
        {
            return self.perform(op, arguments);
        }
        if name == "push" && self.is_repository() {
            return self.git_push(arguments);
        }
        self.path_method(value, name, arguments)
    }

    /// Whether the code uses a git library; elsewhere `push` is a list method.
    fn is_repository(&self) -> bool {
        self.language.library.repository.iter().any(|word| self.code.text.contains(word))
    }

    /// `repo.git.push('-f', 'origin', 'main')`, `remote.push(force=True)`
    fn git_push(&mut self, arguments: &Arguments) -> Value {
        let span = arguments.span;
        let mut words = vec![Field::text("git", span), Field::text("push", span)];
        if arguments.is_set("force") || arguments.is_set("f") {
            words.push(Field::text("--force", span));
        }
        words.extend(Value::List(arguments.list.clone()).fields(span));
        Value::from_stream(self.call.run(&words), span)
    }

    /// Methods of paths. Text that is not a path has none of these names.
    fn path_method(&mut self, value: Value, name: &str, arguments: &Arguments) -> Value {
        if let Some((op, on_it)) = self.language.find_method(name, arguments) {
            let mut arguments = arguments.clone();
            if on_it {
                arguments.list.insert(0, value);
            }
            return self.perform(op, &arguments);
        }
        if let Some(value) = (self.language.library.method)(self, &value, name, arguments) {
            return value;
        }
        self.database_method(name, arguments);
        let mut flow = value.flow();
        flow.join(&arguments.flow());
        Value::unknown_from(flow, arguments.span)
    }

    fn object_method(
        &mut self,
        thing: Thing,
        value: &Value,
        inner: Value,
        name: &str,
        arguments: &Arguments,
    ) -> Value {
        let span = arguments.span;
        match thing {
            Thing::Environment => match (name, arguments.get(0).and_then(Value::exact)) {
                ("get" | "fetch" | "pop", Some(key)) => {
                    let key = key.to_owned();
                    self.environment(&key, span)
                }
                _ => value.clone(),
            },
            Thing::Stdin | Thing::Reader => inner,
            Thing::Writer => {
                self.write_more(&inner, arguments);
                value.clone()
            }
            Thing::Socket => self.socket_method(value, name, arguments),
            Thing::Client => self.client_method(&inner, name, arguments),
        }
    }
}

/// The files matching a pattern, or several.
pub(super) fn matches(value: &Value, span: Span) -> Value {
    let all = |values: &[Value]| values.iter().map(|value| matches(value, span)).collect();
    match value {
        Value::List(values) => Value::List(all(values)),
        Value::Any(values) => Value::Any(all(values)),
        value => match pattern(value, span) {
            // Without a sign of a pattern it is that name, if it is there.
            found if found.exact().is_some() => Value::List(vec![found]),
            found => found,
        },
    }
}

/// Text as a pattern of file names.
pub(super) fn pattern(value: &Value, span: Span) -> Value {
    let Some(text) = value.exact() else {
        return value.clone();
    };
    let mut field = Field { span, flow: value.flow(), ..Field::default() };
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '*' | '?' => 1,
            '[' => rest.find(']').map_or(0, |close| close + 1),
            _ => 0,
        };
        if length > 0 && field.parts.len() < 64 {
            field.parts.push(Part::Glob(rest.get(..length).unwrap_or_default().to_owned()));
            rest = rest.get(length..).unwrap_or_default();
        } else {
            let plain =
                rest.find(['*', '?', '[']).filter(|found| *found > 0 && field.parts.len() < 64);
            let plain = plain.unwrap_or(
                if field.parts.len() < 64 && length == 0 && !matches!(letter, '[') {
                    rest.len()
                } else {
                    letter.len_utf8()
                },
            );
            field.push_text(rest.get(..plain).unwrap_or_default(), None);
            rest = rest.get(plain..).unwrap_or_default();
        }
    }
    Value::Text(field)
}
