//! Reading of compiled languages: declarations with types, casts, messages. Their blocks are read in
//! a row, and functions at their calls.

use super::fold;
use super::languages::Declares;
use super::lex::TokenKind;
use super::library::Op;
use super::scan::Scan;
use super::value::{Arguments, Value};

/// Maximum number of tokens between the start of a declaration and its name or body.
const MAX_AHEAD: usize = 24;
/// Maximum number of tokens of a list of parameters.
const MAX_HEAD: usize = 128;
/// Maximum number of parameters of a function.
const MAX_PARAMETERS: usize = 16;

/// Methods and properties that give the text or path itself.
const SAME: &[&str] = &[
    "FullName",
    "ToString",
    "absoluteString",
    "absoluteURL",
    "absolutePath",
    "as_os_str",
    "as_path",
    "as_ref",
    "as_str",
    "borrow",
    "c_str",
    "clone",
    "cstring",
    "data",
    "display",
    "encode",
    "expect",
    "fileSystemRepresentation",
    "generic_string",
    "getAbsolutePath",
    "getPath",
    "get",
    "into",
    "into_os_string",
    "into_string",
    "native",
    "normalize",
    "orElse",
    "path",
    "pathString",
    "relativePath",
    "standardizedFileURL",
    "str",
    "string",
    "stringByStandardizingPath",
    "to_owned",
    "to_path_buf",
    "to_str",
    "to_string",
    "to_string_lossy",
    "toAbsolutePath",
    "toFile",
    "toPath",
    "toRealPath",
    "toString",
    "toUri",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "utf8String",
    "value",
    "UTF8String",
    "uppercaseString",
    "sorted",
    "stream",
    "parallel",
    "toList",
    "walkTopDown",
    "walkBottomUp",
];

/// Words of a type, or before one, that are no function.
fn is_statement_word(word: &str) -> bool {
    matches!(
        word,
        "return"
            | "new"
            | "else"
            | "await"
            | "throw"
            | "delete"
            | "case"
            | "if"
            | "while"
            | "for"
            | "switch"
            | "catch"
            | "sizeof"
            | "using"
            | "defer"
            | "go"
            | "foreach"
            | "lock"
            | "in"
            | "is"
            | "as"
            | "try"
            | "yield"
            | "co_await"
            | "and"
            | "or"
            | "not"
            | "do"
            | "when"
            | "match"
            | "unsafe"
            | "guard"
            | "synchronized"
            | "print"
    )
}

pub(super) fn is_same(name: &str) -> bool {
    SAME.contains(&name)
}

impl<'s> Scan<'s, '_, '_, '_> {
    pub(super) fn is_compiled(&self) -> bool {
        self.language.syntax.declares.is_some()
    }

    fn mark_at(&self, at: usize) -> &'s str {
        match self.tokens.get(at).filter(|_| at < self.limit) {
            Some(token) if token.kind == TokenKind::Mark => token.text,
            _ => "",
        }
    }

    fn name_at(&self, at: usize) -> &'s str {
        match self.tokens.get(at).filter(|_| at < self.limit) {
            Some(token) if token.kind == TokenKind::Name => token.text,
            _ => "",
        }
    }

    /// A statement that starts with a keyword. Conditions and bodies follow as statements of their own.
    pub(super) fn compiled_keyword(&mut self, word: &str) -> bool {
        if let Some(read) = (self.language.syntax.keyword)(self, word) {
            return read;
        }
        if let Some((name, parameters)) = self.function_at(self.at) {
            self.found.branches = true;
            self.at = parameters;
            if !self.define(name, 0) {
                self.skip_group();
            }
            return true;
        }
        if matches!(self.mark_ahead(1), "." | "=" | ":=" | "::" | "+=") {
            return false;
        }
        match word {
            "for" | "foreach" => {
                self.found.branches = true;
                self.at += 1;
                self.compiled_loop();
            }
            "if" | "else" | "while" | "switch" | "guard" | "when" | "match" | "unless" | "elif"
            | "catch" | "do" | "try" | "loop" | "repeat" | "case" => {
                self.found.branches = true;
                self.at += 1;
            }
            "unsafe" | "defer" | "go" | "move" | "mut" | "val" | "lateinit" | "override"
            | "pub" | "internal" | "protected" | "final" | "lazy" | "ref" | "out" | "using"
            | "open" | "use" | "import" | "package" | "namespace" | "@" => self.at += 1,
            _ => return false,
        }
        true
    }

    /// `for x in values`, `for (T x : values)`, `for _, x := range values`
    fn compiled_loop(&mut self) {
        let parenthesis = usize::from(self.is_mark("("));
        let mut names: Vec<&str> = Vec::new();
        for ahead in parenthesis..MAX_AHEAD {
            let (name, mark) = (self.name_ahead(ahead), self.mark_ahead(ahead));
            let ranges = matches!(mark, "=" | ":=") && self.name_ahead(ahead + 1) == "range";
            if name == "in" || mark == ":" && parenthesis == 1 || ranges {
                self.at += ahead + 1 + usize::from(ranges);
                let value = self.expression();
                let span = self.span_from(self.at.saturating_sub(1));
                // The key comes first in Go, the type elsewhere.
                if let Some(name) = names.last() {
                    let element = value.element(span);
                    self.assign(name, element);
                }
                return;
            }
            if matches!(mark, ";" | "{" | ")") || self.ahead(ahead).is_none() {
                return;
            }
            if !name.is_empty() {
                names.push(name);
            }
        }
    }

    /// A function that is defined at this token: its name, and the token its parameters start at.
    fn function_at(&self, at: usize) -> Option<(&'s str, usize)> {
        let word = self.name_at(at);
        if word.is_empty() {
            return None;
        }
        let mut name = at;
        if matches!(word, "fn" | "func" | "fun" | "def" | "function" | "sub") {
            name = at + 1;
            // `func (receiver *Type) name(...)`
            if self.mark_at(name) == "(" {
                name = self.past_short_group(name)?;
            }
        } else {
            if self.language.syntax.declares != Some(Declares::TypeFirst) || is_statement_word(word)
            {
                return None;
            }
            // `static const char *name(...) {`
            let mut types = 0_usize;
            while self.mark_at(name + 1) != "(" {
                let next = name + 1;
                if !self.name_at(next).is_empty() {
                    types += 1;
                } else if !matches!(self.mark_at(next), "*" | "&" | "::" | "." | "<" | ">" | "?")
                    || next > at + MAX_AHEAD
                {
                    return None;
                }
                name = next;
            }
            if types == 0 || is_statement_word(self.name_at(name)) {
                return None;
            }
        }
        let text = self.name_at(name);
        let mut parameters = name + 1;
        if self.mark_at(parameters) == "<" {
            let ends = |at: &usize| {
                matches!(self.mark_at(*at), ">" | ">>" | ">>>") && self.mark_at(*at + 1) == "("
            };
            parameters = (parameters..parameters + MAX_AHEAD).find(ends)? + 1;
        }
        if text.is_empty() || self.mark_at(parameters) != "(" {
            return None;
        }
        let after = self.past_short_group(parameters)?;
        self.opens_body(after)?;
        Some((text, parameters))
    }

    /// The token after the bracket that closes the one at `open`, if it is near.
    fn past_short_group(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in open..open + MAX_HEAD {
            match self.mark_at(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }

    /// The bracket that opens the body of a function, behind its parameters.
    pub(super) fn opens_body(&self, after: usize) -> Option<usize> {
        let mut at = after;
        while at < after + MAX_AHEAD {
            match self.tokens.get(at).filter(|_| at < self.limit)?.text {
                "{" => return Some(at),
                ";" | "}" | "=" | ")" | "," | "." => return None,
                // `-> Result<()>`
                "(" | "[" => at = self.past_short_group(at)?,
                _ => at += 1,
            }
        }
        None
    }

    /// Remembers all functions, since they may be called before they are defined.
    pub(super) fn hoist_compiled(&mut self) {
        let mut at = 0;
        while at < self.limit && !self.call.machine.budget.is_spent() {
            if let Some((name, parameters)) = self.function_at(at) {
                self.at = parameters;
                self.define_here(name, 0);
                at = parameters;
            }
            at += 1;
        }
        self.at = 0;
    }

    /// Names of the parameters, whose bracket comes next.
    pub(super) fn declared_parameters(&mut self, declares: Declares) -> Vec<(&'s str, bool)> {
        let Some(end) = self.past_group(self.at - 1) else { return Vec::new() };
        let mut names = Vec::new();
        let mut part: Vec<&'s str> = Vec::new();
        let mut depth = 0_usize;
        let mut typed = false;
        let mut rest = false;
        for at in self.at..end {
            let Some(token) = self.tokens.get(at) else { break };
            match (token.kind, token.text) {
                (TokenKind::Mark, "(" | "[" | "{" | "<") => depth += 1,
                (TokenKind::Mark, ")" | "]" | "}" | ">" | ",") if depth == 0 => {
                    let first = declares == Declares::NameFirst || typed;
                    let name = if first { part.first() } else { part.last() };
                    if names.len() < MAX_PARAMETERS {
                        names.extend(name.map(|name| (*name, rest)));
                    }
                    part.clear();
                    typed = false;
                    rest = false;
                }
                (TokenKind::Mark, ")" | "]" | "}" | ">") => depth = depth.saturating_sub(1),
                (TokenKind::Mark, ":") if depth == 0 => typed = true,
                (_, "..." | "params" | "vararg") => rest = true,
                (TokenKind::Name, "mut" | "val" | "var" | "inout" | "final" | "_") => {}
                (TokenKind::Name, name) if depth == 0 => {
                    // Swift: a label and then the name.
                    if self.language.syntax.labels && !typed {
                        part.clear();
                    }
                    part.push(name);
                }
                _ => {}
            }
        }
        self.at = end;
        names
    }

    /// A declaration with a type: its name, and the token its value starts at.
    pub(super) fn declared(&self) -> Option<(&'s str, usize)> {
        let declares = self.language.syntax.declares?;
        if self.name_ahead(0).is_empty()
            || matches!(self.mark_ahead(1), "." | "(" | "=" | ":=" | ",")
        {
            return None;
        }
        let (mut first, mut last, mut before_type) = (None, None, None);
        let mut brackets = 0_usize;
        for ahead in 0..MAX_AHEAD {
            let token = self.ahead(ahead)?;
            match (token.kind, token.text) {
                (TokenKind::Mark, "=") => {
                    let name = match declares {
                        _ if before_type.is_some() => before_type,
                        Declares::NameFirst => first,
                        Declares::TypeFirst => last,
                    };
                    let name = name.filter(|_| ahead > 1)?;
                    return Some((name, self.at + ahead + 1));
                }
                (TokenKind::Mark, "[") => brackets += 1,
                (TokenKind::Mark, "]") => brackets = brackets.saturating_sub(1),
                (TokenKind::Mark, ":") => before_type = before_type.or(last),
                (TokenKind::Mark, "*" | "&" | "::" | "<" | ">" | "?" | "'" | "," | "&&") => {}
                (TokenKind::Mark, ".") => last = None,
                (TokenKind::Name, name) if brackets == 0 => {
                    // `type.member = value` is no declaration.
                    let member = self.at.checked_add(ahead).and_then(|at| at.checked_sub(1));
                    let dotted = ahead > 0 && member.is_some_and(|at| self.mark_at(at) == ".");
                    last = (!dotted).then_some(name);
                    first = first.or(Some(name));
                }
                (TokenKind::Name | TokenKind::Number, _) if brackets > 0 => {}
                _ => return None,
            }
        }
        None
    }

    /// `words[1] = value`: the list with the value in it.
    pub(super) fn set_element(&mut self) -> Option<Value> {
        let name = self.name_ahead(0);
        let index = self.ahead(2).filter(|token| token.kind == TokenKind::Number)?;
        let marks = [self.mark_ahead(1), self.mark_ahead(3), self.mark_ahead(4)];
        let index = index.text.parse::<usize>().ok().filter(|index| *index < 64)?;
        if !self.is_compiled() || name.is_empty() || marks != ["[", "]", "="] {
            return None;
        }
        self.at += 5;
        let value = self.assignment();
        let mut list = match self.variable(name) {
            Some(Value::List(list)) => list.clone(),
            _ => Vec::new(),
        };
        if list.len() <= index {
            list.resize(index + 1, Value::text("", crate::span::Span::default()));
        }
        if let Some(slot) = list.get_mut(index) {
            *slot = value.clone();
        }
        self.assign(name, Value::List(list));
        Some(value)
    }

    /// Whether the parenthesis here is a cast: `(char *)path`.
    pub(super) fn is_cast(&self) -> bool {
        if !self.language.syntax.casts || self.name_ahead(1).is_empty() {
            return false;
        }
        let before = self.at.checked_sub(1).map_or("", |at| self.name_at(at));
        if matches!(before, "if" | "while" | "for" | "switch" | "catch" | "foreach" | "sizeof") {
            return false;
        }
        for ahead in 1..8 {
            match (self.name_ahead(ahead), self.mark_ahead(ahead)) {
                ("", ")") => {
                    let next = self.ahead(ahead + 1).map(|next| next.kind);
                    let follows =
                        matches!(next, Some(TokenKind::Name | TokenKind::Text | TokenKind::Number));
                    return follows || self.mark_ahead(ahead + 1) == "(";
                }
                ("", "*" | "&" | "." | "::" | "<" | ">" | "[" | "]" | "?") => {}
                ("", _) => return false,
                _ => {}
            }
        }
        false
    }

    /// Values in braces: a list, unless they have names.
    pub(super) fn listed_braces(&mut self) -> Value {
        match self.braces() {
            Value::Map(entries) if entries.iter().all(|(name, _)| name.is_empty()) => {
                Value::List(entries.into_iter().map(|(_, value)| value).collect())
            }
            value => value,
        }
    }

    /// `[]string{"a", "b"}`, after the brackets.
    pub(super) fn typed_list(&mut self) -> Value {
        while !self.name_ahead(0).is_empty() || matches!(self.mark_ahead(0), "." | "*") {
            self.at += 1;
        }
        if self.is_mark("{") {
            return self.listed_braces();
        }
        // `[]byte("text")`
        if self.take_mark("(") {
            let inner = self.items(")");
            return inner.list.into_iter().next().unwrap_or_else(|| self.nothing());
        }
        self.nothing()
    }

    /// `[receiver name]`, `[receiver name: value more: value]`
    pub(super) fn message(&mut self) -> Value {
        if !self.enter() {
            return self.nothing();
        }
        let first = self.at;
        self.at += 1;
        let receiver = self.primary();
        let name = self.name_ahead(0);
        let mut list = Vec::new();
        while let Some(token) = self.token() {
            let before = self.at;
            if self.take_mark("]") {
                break;
            }
            if token.kind == TokenKind::Name && self.mark_ahead(1) == ":" {
                self.at += 2;
                list.push(self.expression());
            } else {
                self.at += 1;
            }
            if self.at == before {
                self.at += 1;
            }
        }
        let arguments = Arguments { list, named: Vec::new(), span: self.span_from(first) };
        self.leave();
        match receiver {
            Value::Name(path) => {
                let callee = Value::Name(format!("{path}.{name}").into());
                self.invoke(callee, &arguments)
            }
            value => self.method(value, name, &arguments),
        }
    }

    /// Methods that compiled languages share.
    pub(super) fn compiled_method(
        &mut self,
        value: &Value,
        name: &str,
        arguments: &Arguments,
    ) -> Option<Value> {
        if !self.is_compiled() || !matches!(value, Value::Text(_) | Value::Any(_) | Value::List(_))
        {
            return None;
        }
        let span = arguments.span;
        let first = || arguments.get(0).cloned();
        if self.language.syntax.joining.contains(&name) && !matches!(value, Value::List(_)) {
            return Some(fold::path_join(value.clone(), first()?, span));
        }
        match name {
            "stringByAppendingString" | "appending" | "plus" | "concat" => {
                Some(value.clone().concat(first()?, span))
            }
            "stringByExpandingTildeInPath" | "expandingTildeInPath" => Some(self.perform(
                Op::Expand,
                &Arguments { list: vec![value.clone()], named: Vec::new(), span },
            )),
            // Of an entry of a folder.
            "Name" | "getName" | "file_name" | "getFileName" if value.field(span).has_glob() => {
                Some(super::member::pattern(&Value::text("*", span), span))
            }
            _ if is_same(name) => Some(value.clone()),
            "map" | "filter" | "iter" | "into_iter" | "filter_map" | "collect" | "toArray"
            | "mapNotNull"
                if matches!(value, Value::List(_)) =>
            {
                Some(value.clone())
            }
            _ => None,
        }
    }

    /// A property of a process that will be started: `task.arguments = [...]`.
    pub(super) fn notice_member(&mut self, name: &str, value: &Value) {
        if !self.is_compiled() {
            return;
        }
        match name {
            "executableURL" | "launchPath" | "FileName" => {
                self.start_noticed();
                self.found.program = Some(value.clone());
            }
            "arguments" | "Arguments" => self.found.words = Some(value.clone()),
            _ => {}
        }
    }

    /// Starts the program whose properties were set.
    pub(super) fn start_noticed(&mut self) {
        let words = self.found.words.take();
        let Some(program) = self.found.program.take() else { return };
        let list = std::iter::once(program).chain(words).collect();
        let span = self.code.span(0, self.code.text.len());
        super::calls::start_program(self, &Arguments { list, named: Vec::new(), span });
    }
}
