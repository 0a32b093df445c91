//! Names that come from elsewhere: imports, and values that are taken apart.

use super::lex::TokenKind;
use super::scan::Scan;
use super::value::Value;

impl Scan<'_, '_, '_, '_> {
    pub(super) fn python_import(&mut self) {
        self.at += 1;
        while let Some(path) = self.dotted() {
            if self.name_ahead(0) == "as" {
                let alias = self.name_ahead(1);
                self.at += 2;
                self.assign(alias, Value::Name(path.into()));
            }
            if !self.take_mark(",") {
                break;
            }
        }
    }

    fn dotted(&mut self) -> Option<String> {
        let first = self.name_ahead(0);
        if first.is_empty() {
            return None;
        }
        self.at += 1;
        let mut path = first.to_owned();
        while self.is_mark(".") && !self.name_ahead(1).is_empty() {
            path.push('.');
            path.push_str(self.name_ahead(1));
            self.at += 2;
        }
        Some(path)
    }

    pub(super) fn python_from(&mut self) {
        self.at += 1;
        let Some(module) = self.dotted() else {
            return;
        };
        if self.name_ahead(0) != "import" {
            return;
        }
        self.at += 1;
        if self.take_mark("*") {
            self.open_module(&module);
            return;
        }
        let parenthesis = self.take_mark("(");
        loop {
            if parenthesis {
                self.skip_lines();
            }
            let name = self.name_ahead(0);
            if name.is_empty() {
                break;
            }
            self.at += 1;
            let mut alias = name;
            if self.name_ahead(0) == "as" {
                alias = self.name_ahead(1);
                self.at += 2;
            }
            self.assign(alias, Value::Name(format!("{module}.{name}").into()));
            if !self.take_mark(",") {
                break;
            }
        }
    }

    /// `import a, {b as c} from 'm'`, `import * as d from 'm'`
    pub(super) fn js_import(&mut self) {
        self.at += 1;
        let mut names: Vec<(&str, &str)> = Vec::new();
        while let Some(token) = self.token() {
            match token.kind {
                TokenKind::Name if token.text == "from" => {}
                TokenKind::Name if self.name_ahead(1) == "as" => {
                    names.push((token.text, self.name_ahead(2)));
                    self.at += 2;
                }
                TokenKind::Name => names.push((token.text, token.text)),
                TokenKind::Mark if token.text == "*" && self.name_ahead(1) == "as" => {
                    names.push(("*", self.name_ahead(2)));
                    self.at += 2;
                }
                TokenKind::Mark if matches!(token.text, "{" | "}" | ",") => {}
                TokenKind::Line => {}
                _ => break,
            }
            self.at += 1;
        }
        let braces = |name: &str| name != "*";
        let value = self.primary();
        let module = value.exact().unwrap_or_default();
        let module = super::names::plain(self.language, module);
        for (name, alias) in names {
            // `import fs from 'fs'` names the module itself.
            let whole = !braces(name)
                || name == alias
                    && name != "$"
                    && super::names::find(self.language, &format!("{module}.{name}")).is_none();
            let path = if whole { module.clone() } else { format!("{module}.{name}") };
            self.assign(alias, Value::Name(path.into()));
        }
    }

    /// `const {a, b: c} = value`, `const [a, b] = value`
    pub(super) fn destructure(&mut self) {
        let mut names: Vec<(&str, &str)> = Vec::new();
        let by_name = self.is_mark("{");
        self.at += 1;
        while let Some(token) = self.token() {
            self.at += 1;
            match token.kind {
                TokenKind::Mark if matches!(token.text, "}" | "]") => break,
                TokenKind::Name if self.is_mark(":") && !self.name_ahead(1).is_empty() => {
                    names.push((token.text, self.name_ahead(1)));
                    self.at += 2;
                }
                TokenKind::Name => names.push((token.text, token.text)),
                _ => {}
            }
        }
        if !self.take_mark("=") {
            return;
        }
        let value = self.assignment();
        let span = self.span_from(self.at);
        for (index, (name, alias)) in names.into_iter().enumerate() {
            let item = match &value {
                Value::List(values) if !by_name => values.get(index).cloned(),
                _ => None,
            };
            let item = item.unwrap_or_else(|| self.member(value.clone(), name, span));
            self.assign(alias, item);
        }
    }

    /// `use Module qw(names);` opens the module.
    pub(super) fn perl_use(&mut self) {
        self.at += 1;
        let mut path = String::new();
        while let Some(token) = self.token() {
            if token.kind == TokenKind::Line || token.text == ";" {
                break;
            }
            match token.kind {
                TokenKind::Name if path.is_empty() || path.ends_with('.') => {
                    path.push_str(token.text);
                }
                TokenKind::Mark if token.text == "::" => path.push('.'),
                _ => {}
            }
            self.at += 1;
        }
        self.open_module(&path);
    }
}
