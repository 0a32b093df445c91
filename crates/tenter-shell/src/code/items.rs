//! Bracketed items: arguments, lists, comprehensions, blocks and maps.

use super::fold;
use super::lex::TokenKind;
use super::scan::Scan;
use super::value::{Arguments, MAX_ITEMS, Value};
use crate::budget::MAX_ROUNDS;

impl Scan<'_, '_, '_, '_> {
    /// Items up to and past `close`.
    pub(super) fn items(&mut self, close: &str) -> Arguments {
        let mut items = Arguments::default();
        let first = self.at.saturating_sub(1);
        while let Some(token) = self.token() {
            let before = self.at;
            if token.kind == TokenKind::Line
                || matches!(token.text, "," | ";") && token.kind == TokenKind::Mark
            {
                self.at += 1;
                continue;
            }
            if self.take_mark(close) {
                break;
            }
            // `#'function`, `'(a b)`
            let quotes = matches!(self.mark_ahead(0), "'" | "`" | "#" | "@");
            if quotes && self.language.syntax.forms {
                self.at += 1;
                continue;
            }
            // `f(words...)`
            if self.is_compiled() && self.take_mark("...") {
                continue;
            }
            self.item(&mut items);
            if self.at == before {
                self.at += 1;
            }
        }
        items.span = self.span_from(first);
        items
    }

    pub(super) fn item(&mut self, items: &mut Arguments) {
        if let Some(key) = self.key() {
            let value = self.assignment();
            if self.language.syntax.labels && items.list.len() < MAX_ITEMS {
                items.list.push(value.clone());
            }
            if items.named.len() < MAX_ITEMS {
                items.named.push((key, value));
            }
            return;
        }
        // `@_`, `@$x`: the list's elements, not the list.
        let spreads = self.language.syntax.sigil_elements
            && self
                .token()
                .is_some_and(|token| token.text.starts_with('@') || token.kind == TokenKind::Words);
        let value = match self.comprehension() {
            Some(value) => value,
            None => self.assignment(),
        };
        // `foreach (list as $x)`
        if self.name_ahead(0) == "as" && self.language.syntax.as_binds {
            let name = if self.mark_ahead(2) == "=>" { 3 } else { 1 };
            let target = self.name_ahead(name);
            self.at += name + 1;
            self.bind(&[target], &value);
        }
        match value {
            Value::List(values) if spreads => {
                let room = MAX_ITEMS.saturating_sub(items.list.len());
                items.list.extend(values.into_iter().take(room));
            }
            value if items.list.len() < MAX_ITEMS => items.list.push(value),
            _ => {}
        }
    }

    /// `name=`, `name:`, `'key' =>`: steps over it.
    fn key(&mut self) -> Option<String> {
        let token = self.token()?;
        let mark = self.mark_ahead(1);
        let named = token.kind == TokenKind::Name;
        let fits = match mark {
            "=" => named,
            ":" => named || token.kind == TokenKind::Text,
            _ => true,
        };
        if !fits || !self.language.syntax.keys.contains(&mark) {
            return None;
        }
        let key = match token.kind {
            TokenKind::Name => token.text.to_owned(),
            _ => self.string(token).exact().unwrap_or_default().to_owned(),
        };
        self.at += 2;
        Some(key)
    }

    /// `f(x) for x in values`, if that is what stands here: bound first, then evaluated for each.
    fn comprehension(&mut self) -> Option<Value> {
        if !self.language.syntax.comprehensions {
            return None;
        }
        let body = self.at;
        let keyword = self.find_for()?;
        if !self.enter() {
            return Some(self.nothing());
        }
        let value = self.comprehension_at(body, keyword);
        self.leave();
        Some(value)
    }

    fn comprehension_at(&mut self, body: usize, keyword: usize) -> Value {
        self.found.branches = true;
        self.at = body + keyword + 1;
        let mut names = Vec::new();
        while let Some(token) = self.token().filter(|token| token.text != "in") {
            if token.kind == TokenKind::Name {
                names.push(token.text);
            }
            self.at += 1;
        }
        self.at += 1;
        let values = self.sum();
        let after = self.at;
        let rounds = match (&values, names.as_slice()) {
            (Value::List(list), [_]) => list.clone(),
            (Value::Text(_), [_]) if values.exact().is_some() => {
                match fold::split(&values, Some(""), self.span_from(body)) {
                    Value::List(list) => list,
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        let mut results = Vec::new();
        if rounds.is_empty()
            || (rounds.len() > MAX_ROUNDS
                && !matches!(rounds.first(), Some(Value::Number(_) | Value::Text(_))))
        {
            self.bind(&names, &values);
            self.at = body;
            let value = self.assignment();
            results.push(value);
        }
        for round in rounds.iter().take(MAX_ITEMS) {
            if results.len() == rounds.len() || self.call.machine.budget.is_spent() {
                break;
            }
            if let [name] = names.as_slice() {
                self.assign(name, round.clone());
            }
            self.at = body;
            let value = self.assignment();
            results.push(value);
        }
        self.at = after;
        while self.name_ahead(0) == "if" {
            self.at += 1;
            let _condition = self.sum();
        }
        Value::List(results)
    }

    /// How far ahead a `for` stands before the item ends.
    fn find_for(&self) -> Option<usize> {
        let mut depth = 0_usize;
        for ahead in 0..200 {
            let token = self.ahead(ahead)?;
            match (token.kind, token.text) {
                (TokenKind::Mark, "(" | "[" | "{") => depth += 1,
                (TokenKind::Mark, ")" | "]" | "}" | ",") if depth == 0 => return None,
                (TokenKind::Mark, ")" | "]" | "}") => depth -= 1,
                (TokenKind::Name, "for") if depth == 0 && ahead > 0 => return Some(ahead),
                _ => {}
            }
        }
        None
    }

    /// A block or map: its entries, and the values of its statements under no name.
    pub(super) fn braces(&mut self) -> Value {
        if !self.enter() {
            return self.nothing();
        }
        self.at += 1;
        if self.take_mark("|") {
            self.block_names();
        }
        let mut entries = Vec::new();
        while let Some(token) = self.token() {
            let before = self.at;
            if self.take_mark("}") {
                break;
            }
            let short = token.kind == TokenKind::Name
                && self.language.syntax.shorthand
                && matches!(self.mark_ahead(1), "," | "}");
            if short {
                self.at += 1;
                let value = self.resolve(token.text);
                entries.push((token.text.to_owned(), value));
            } else if let Some(key) = self.key() {
                let value = self.assignment();
                entries.push((key, value));
            } else {
                self.last = None;
                self.statement();
                entries.extend(self.last.take().map(|value| (String::new(), value)));
            }
            entries.truncate(MAX_ITEMS);
            if self.at == before {
                self.at += 1;
            }
        }
        self.leave();
        Value::Map(entries)
    }

    /// `|a, b|` of a Ruby block, after the first bar.
    pub(super) fn block_names(&mut self) {
        let element = self.element.take();
        let mut first = true;
        while let Some(token) = self.token() {
            self.at += 1;
            if token.kind == TokenKind::Mark && token.text == "|" {
                break;
            }
            if token.kind == TokenKind::Name {
                let value = match &element {
                    Some(element) if first => element.clone(),
                    _ => self.nothing(),
                };
                self.assign(token.text, value);
                first = false;
            }
        }
    }
}
