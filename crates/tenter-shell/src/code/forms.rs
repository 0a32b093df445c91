//! Forms of Lisp: `(function value value)`.

use super::scan::Scan;
use super::value::{Arguments, Value};

impl Scan<'_, '_, '_, '_> {
    /// `(function value value)`
    pub(super) fn form(&mut self) -> Value {
        if !self.enter() {
            return self.nothing();
        }
        let first = self.at;
        self.at += 1;
        let head = self.name_ahead(0);
        let value = match head {
            "let" | "let*" | "when-let" | "if-let" | "when-let*" | "if-let*" => {
                self.at += 1;
                self.bindings();
                self.rest_of_form()
            }
            "setq" | "defvar" | "defconst" | "setq-local" | "define" | "def" | "defcustom" => {
                self.at += 1;
                while !self.name_ahead(0).is_empty() {
                    let name = self.name_ahead(0);
                    self.at += 1;
                    let value = self.primary();
                    self.assign(name, value);
                }
                self.rest_of_form()
            }
            "dolist" | "cl-loop" | "for" | "doseq" => {
                self.at += 1;
                self.found.branches = true;
                if matches!(self.mark_ahead(0), "(" | "[") {
                    let close = if self.is_mark("(") { ")" } else { "]" };
                    self.at += 1;
                    let name = self.name_ahead(0);
                    self.at += usize::from(!name.is_empty());
                    let value = self.primary();
                    let span = self.span_from(first);
                    self.assign(name, value.element(span));
                    self.take_mark(close);
                }
                self.rest_of_form()
            }
            "mapc" | "mapcar" | "seq-do" | "seq-map" | "run!" | "for-each" => {
                self.at += 1;
                self.over_list()
            }
            "defun" | "defmacro" | "defsubst" | "lambda" | "defn" | "fn" => {
                self.found.branches = true;
                self.at += 1 + usize::from(!self.name_ahead(1).is_empty());
                if matches!(self.mark_ahead(0), "(" | "[") {
                    self.skip_group();
                }
                self.rest_of_form()
            }
            "" => {
                let mut inner = self.items(")");
                match inner.list.len() {
                    1 => inner.list.pop().unwrap_or_else(|| self.nothing()),
                    _ => Value::List(inner.list),
                }
            }
            _ => {
                self.at += 1;
                let mut path = head.to_owned();
                // `uiop:run-program`, `shell/sh`
                while matches!(self.mark_ahead(0), ":" | "::" | "/")
                    && !self.name_ahead(1).is_empty()
                {
                    path = format!("{path}.{}", self.name_ahead(1));
                    self.at += 2;
                }
                let mut arguments = self.items(")");
                arguments.span = self.span_from(first);
                self.invoke(Value::Name(path.into()), &arguments)
            }
        };
        self.leave();
        value
    }

    /// `(mapc function list)`, after the name: the function is read with an element of the list.
    fn over_list(&mut self) -> Value {
        while matches!(self.mark_ahead(0), "#" | "'") {
            self.at += 1;
        }
        let function = self.at;
        let form = self.is_mark("(");
        let end = if form { self.past_group(self.at) } else { Some(self.at + 1) };
        let Some(end) = end else { return self.rest_of_form() };
        self.at = end;
        while matches!(self.mark_ahead(0), "#" | "'" | "`") {
            self.at += 1;
        }
        let value = self.primary();
        let after = self.at;
        let span = self.span_from(function);
        let element = value.element(span);
        self.at = function;
        if form {
            // `(lambda (name) ...)`
            let name = if self.name_ahead(1) == "lambda" { self.name_ahead(3) } else { "" };
            self.assign(name, element);
            self.primary();
        } else {
            let name = Value::Name(self.name_ahead(0).into());
            self.invoke(name, &Arguments { list: vec![element], named: Vec::new(), span });
        }
        self.at = after;
        self.rest_of_form()
    }

    /// The value of the last form up to the closing bracket.
    fn rest_of_form(&mut self) -> Value {
        let mut inner = self.items(")");
        inner.list.pop().unwrap_or_else(|| self.nothing())
    }

    /// `((name value) (name value))`, `[name value]`
    fn bindings(&mut self) {
        let vector = self.is_mark("[");
        if !vector && !self.is_mark("(") {
            return;
        }
        let Some(end) = self.past_group(self.at) else { return };
        self.at += 1;
        while self.at + 1 < end {
            let before = self.at;
            let parenthesis = !vector && self.take_mark("(");
            let name = self.name_ahead(0);
            if !name.is_empty() {
                self.at += 1;
                if parenthesis || vector {
                    self.skip_lines();
                    let value = self.primary();
                    self.assign(name, value);
                }
            }
            if parenthesis {
                self.take_mark(")");
            }
            if self.at == before {
                self.at += 1;
            }
        }
        self.at = end;
    }
}
