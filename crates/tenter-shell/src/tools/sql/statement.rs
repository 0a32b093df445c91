//! Effects of one statement.

use super::lex::{Kind as Lexeme, Token};
use crate::act::Act;
use crate::call::Call;
use crate::code::Code;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::span::{Origin, Span};
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;

/// Follows the body of something that is only defined: `;` inside it ends nothing.
#[derive(Debug, Default)]
pub(super) struct Body {
    creates: bool,
    defines: bool,
    open: usize,
}

impl Body {
    /// The token at this place of the statement.
    pub(super) fn see(&mut self, at: usize, token: Token, text: &str) {
        if at == 0 {
            *self = Self { creates: token.is(text, "create"), ..Self::default() };
        }
        if !self.creates {
            return;
        }
        let defining = ["trigger", "function", "procedure", "event", "package"];
        if at < 8 && token.is_any(text, &defining) {
            self.defines = true;
        } else if token.is_any(text, &["begin", "case"]) {
            self.open = self.open.saturating_add(1);
        } else if token.is(text, "end") {
            self.open = self.open.saturating_sub(1);
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.defines && self.open > 0
    }
}

/// A statement that is being read.
struct Statement<'s, 't> {
    code: Code<'t>,
    tokens: &'s [Token],
}

impl Statement<'_, '_> {
    fn is(&self, at: usize, word: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(self.code.text, word))
    }

    fn is_any(&self, at: usize, words: &[&str]) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_any(self.code.text, words))
    }

    fn is_sign(&self, at: usize, sign: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_sign(self.code.text, sign))
    }

    fn find(&self, from: usize, words: &[&str]) -> Option<usize> {
        (from..self.tokens.len()).find(|at| self.is_any(*at, words))
    }

    /// Skips any of these words.
    fn skip(&self, mut at: usize, words: &[&str]) -> usize {
        while self.is_any(at, words) {
            at += 1;
        }
        at
    }

    fn part(&self, start: usize, end: usize) -> Self {
        Self { code: self.code, tokens: self.tokens.get(start..end).unwrap_or_default() }
    }

    /// The name at `at`, such as `a."b"`, the token after it, and where it stands.
    fn name(&self, mut at: usize) -> (String, usize, Span) {
        let start = self.tokens.get(at).map_or(0, |token| token.start);
        let mut end = start;
        let mut name = String::new();
        while let Some(token) = self.tokens.get(at) {
            match token.kind {
                Lexeme::Word | Lexeme::Name | Lexeme::Text => {
                    name.push_str(token.text(self.code.text));
                }
                _ => break,
            }
            end = token.end;
            at += 1;
            if !self.is_sign(at, ".") {
                break;
            }
            name.push('.');
            at += 1;
        }
        (name, at, self.code.span(start, end))
    }

    /// The quoted text at `at` as an argument.
    fn text(&self, at: usize) -> Option<Field> {
        let token = self.tokens.get(at)?;
        if !matches!(token.kind, Lexeme::Text | Lexeme::Name) {
            return None;
        }
        let raw = token.text(self.code.text);
        let text = raw.replace("''", "'");
        Some(self.code.field(&text, token.start, token.end))
    }

    fn whole(&self) -> Span {
        let start = self.tokens.first().map_or(0, |token| token.start);
        let end = self.tokens.last().map_or(start, |token| token.end);
        self.code.span(start, end)
    }
}

pub(super) fn judge(call: &mut Call<'_, '_>, code: Code<'_>, tokens: &[Token], depth: usize) {
    let statement = Statement { code, tokens };
    let Some(first) = tokens.first() else { return };
    if first.kind == Lexeme::Word && first.text(code.text).starts_with('$') {
        call.unverified(crate::Reason::DynamicCode, statement.whole());
    }
    let word = first.text(code.text).to_ascii_lowercase();
    match word.as_str() {
        "explain" => {
            // It is carried out only to be measured.
            let analyze = statement.find(1, &["analyze", "analyse"]).filter(|at| *at < 6);
            if analyze.is_some() {
                let verb =
                    statement.find(1, &["select", "delete", "update", "insert", "with", "merge"]);
                change(call, &statement.part(verb.unwrap_or(tokens.len()), tokens.len()), depth);
            }
        }
        "with" | "if" | "begin" | "while" | "for" | "declare" | "loop" | "else" | "then" => {
            let verbs = [
                "delete", "update", "insert", "merge", "drop", "truncate", "alter", "exec",
                "execute",
            ];
            let mut verb = statement.find(1, &verbs);
            while let Some(at) = verb {
                // Each has what stands before the next one; a query's own verb has all the rest.
                verb = if word == "with" { None } else { statement.find(at + 1, &verbs) };
                change(call, &statement.part(at, verb.unwrap_or(tokens.len())), depth);
            }
            functions(call, &statement);
        }
        "do" => {
            for block in
                tokens.iter().filter(|token| matches!(token.kind, Lexeme::Block | Lexeme::Text))
            {
                let text = block.text(code.text);
                let inner = match code.origin {
                    Origin::Verbatim(base) => {
                        let at = u32::try_from(block.start).unwrap_or(u32::MAX);
                        Code { text, origin: Origin::Verbatim(base.saturating_add(at)) }
                    }
                    Origin::Computed(_) => Code { text, origin: code.origin },
                };
                super::run(call, inner, depth + 1);
            }
        }
        _ => change(call, &statement, depth),
    }
}

fn change(call: &mut Call<'_, '_>, statement: &Statement<'_, '_>, depth: usize) {
    let text = statement.code.text;
    let Some(first) = statement.tokens.first() else { return };
    if first.kind != Lexeme::Word {
        return;
    }
    match first.text(text).to_ascii_lowercase().as_str() {
        "drop" => drop_object(call, statement),
        "truncate" => names(
            call,
            statement,
            statement.skip(1, &["table", "only", "if", "exists"]),
            Act::Truncate,
            false,
        ),
        "delete" => delete(call, statement),
        "update" => update(call, statement),
        "alter" => alter(call, statement),
        "create" => create(call, statement),
        "insert" | "replace" | "merge" | "upsert" => {
            let at = statement
                .skip(1, &["or", "ignore", "replace", "abort", "into", "low_priority", "delayed"]);
            one(call, statement, at, Act::Insert);
        }
        "grant" => rights(call, statement, "to", Act::Grant),
        "revoke" => rights(call, statement, "from", Act::Revoke),
        "copy" => copy(call, statement.code, statement.tokens.get(1..).unwrap_or_default(), false),
        "load" if statement.is(1, "data") || statement.is(1, "xml") => {
            if let Some(at) = statement.find(1, &["infile"])
                && let Some(file) = statement.text(at + 1)
            {
                call.read(Act::Import, &file);
            }
            let at = statement.find(1, &["table"]).map_or(statement.tokens.len(), |at| at + 1);
            one(call, statement, at, Act::Insert);
        }
        "exec" | "execute" => execute(call, statement, depth),
        "restore" => say(call, statement, Act::Restore),
        "kill" => say(call, statement, Act::Terminate),
        "shutdown" => say(call, statement, Act::Shutdown),
        "purge" | "reset"
            if statement.is_any(1, &["binary", "master", "logs", "replica", "slave"]) =>
        {
            say(call, statement, Act::DeleteLogs);
        }
        "detach" if statement.is_any(1, &["table", "view", "dictionary"]) => {
            one(call, statement, 2, Act::DropObject);
        }
        "set" if statement.is_any(1, &["global", "persist"]) => {
            say(call, statement, Act::Configure);
        }
        "install" => {
            let (name, _, span) =
                statement.name(statement.skip(1, &["plugin", "component", "force"]));
            call.effect_at(Kind::Install, Act::Extension, Target::Name(name), span);
        }
        _ => functions(call, statement),
    }
}

fn say(call: &mut Call<'_, '_>, statement: &Statement<'_, '_>, action: Act) {
    call.effect_at(Kind::Database, action, Target::None, statement.whole());
}

fn one(call: &mut Call<'_, '_>, statement: &Statement<'_, '_>, at: usize, action: Act) {
    let (name, _, span) = statement.name(at);
    if name.is_empty() {
        return;
    }
    call.effect_at(Kind::Database, action, Target::Name(name), span);
}

/// A list of names, each one effect.
fn names(
    call: &mut Call<'_, '_>,
    statement: &Statement<'_, '_>,
    mut at: usize,
    action: Act,
    recursive: bool,
) {
    loop {
        let (name, next, span) = statement.name(at);
        if name.is_empty() {
            return;
        }
        call.effect_at(Kind::Database, action, Target::Name(name), span).recursive = recursive;
        if !statement.is_sign(next, ",") {
            return;
        }
        at = next + 1;
    }
}

fn drop_object(call: &mut Call<'_, '_>, statement: &Statement<'_, '_>) {
    if statement.is_any(1, &["temporary", "temp"]) {
        return;
    }
    let kind = statement.skip(1, &["materialized", "foreign", "external", "unique", "public"]);
    let Some(token) = statement.tokens.get(kind) else { return };
    let action = match token.text(statement.code.text).to_ascii_lowercase().as_str() {
        "database" | "keyspace" | "catalog" => Act::DropDatabase,
        "schema" | "owned" => Act::DropSchema,
        "table" => Act::DropTable,
        "view" => Act::DropView,
        "index" => Act::DropIndex,
        "user" | "role" | "login" | "group" => Act::DropUser,
        "function" | "procedure" | "trigger" | "sequence" | "type" | "extension" | "policy"
        | "rule" | "domain" | "aggregate" | "event" | "server" | "publication" | "subscription"
        | "stage" | "warehouse" | "stream" | "task" | "tablespace" | "macro" | "dictionary"
        | "cast" | "operator" => Act::DropObject,
        _ => return,
    };
    let at = statement.skip(kind + 1, &["if", "exists", "concurrently", "by"]);
    names(call, statement, at, action, statement.find(at, &["cascade"]).is_some());
}

/// Whether a condition leaves rows out.
fn is_limited(statement: &Statement<'_, '_>) -> bool {
    let Some(at) = statement.find(1, &["where"]) else {
        return statement.find(1, &["limit", "join", "top"]).is_some();
    };
    let rest = statement.tokens.get(at + 1..).unwrap_or_default();
    let text = statement.code.text;
    let always = match rest {
        [only] => only.is(text, "true") || only.is(text, "1"),
        [left, sign, right] => {
            sign.is_sign(text, "=")
                && left.kind == right.kind
                && left.text(text) == right.text(text)
        }
        _ => false,
    };
    !always
}

fn delete(call: &mut Call<'_, '_>, statement: &Statement<'_, '_>) {
    let from = if statement.is(1, "from") {
        Some(1)
    } else {
        statement.find(1, &["from"]).filter(|at| *at < 6)
    };
    let at = match from {
        Some(at) => statement.skip(at + 1, &["only"]),
        // `DELETE t WHERE` of some dialects; `ON DELETE CASCADE` is none of it.
        None if statement.find(1, &["where"]).is_some()
            && !statement.is_any(1, &["cascade", "set", "no", "restrict"]) =>
        {
            1
        }
        None => return,
    };
    one(call, statement, at, if is_limited(statement) { Act::DeleteRows } else { Act::DeleteAll });
}

fn update(call: &mut Call<'_, '_>, statement: &Statement<'_, '_>) {
    let at = statement.skip(1, &["only", "or", "ignore", "low_priority"]);
    if statement.find(at, &["set"]).is_none_or(|set| set == at) {
        return;
    }
    one(call, statement, at, if is_limited(statement) { Act::UpdateRows } else { Act::UpdateAll });
}

fn alter(call: &mut Call<'_, '_>, statement: &Statement<'_, '_>) {
    let text = statement.code.text;
    let kind = statement.skip(1, &["foreign", "materialized"]);
    let at = statement.skip(kind + 1, &["if", "exists", "only"]);
    if statement.is_any(kind, &["user", "role", "login"]) {
        return one(call, statement, at, Act::Grant);
    }
    if statement.is_any(kind, &["system"]) {
        return say(call, statement, Act::Configure);
    }
    if !statement.is(kind, "table") {
        return one(call, statement, at, Act::Alter);
    }
    let drops = statement.find(at, &["drop"]).is_some_and(|drop| {
        let kept = [
            "constraint",
            "index",
            "key",
            "primary",
            "foreign",
            "partition",
            "default",
            "not",
            "check",
            "identity",
        ];
        // `ALTER COLUMN x DROP DEFAULT` drops no column.
        !statement.is_any(drop + 1, &kept)
    });
    let action = if drops {
        Act::DropColumn
    } else if statement.find(at, &["drop"]).is_some_and(|drop| statement.is(drop + 1, "partition"))
    {
        Act::DeleteRows
    } else if statement.tokens.get(at + 1).is_some_and(|token| token.is(text, "delete")) {
        // ClickHouse deletes rows so.
        if is_limited(statement) { Act::DeleteRows } else { Act::DeleteAll }
    } else {
        Act::Alter
    };
    one(call, statement, at, action);
}

fn create(call: &mut Call<'_, '_>, statement: &Statement<'_, '_>) {
    let kind = statement.skip(
        1,
        &[
            "or",
            "replace",
            "temporary",
            "temp",
            "unlogged",
            "unique",
            "materialized",
            "external",
            "foreign",
            "constraint",
            "recursive",
            "global",
            "local",
            "virtual",
            "definer",
            "transient",
        ],
    );
    let action = if statement.is_any(kind, &["user", "role", "login"]) {
        Act::CreateUser
    } else {
        Act::Create
    };
    let at = statement.skip(kind + 1, &["if", "not", "exists", "concurrently"]);
    one(call, statement, at, action);
}

/// `GRANT ... TO name`, `REVOKE ... FROM name`.
fn rights(call: &mut Call<'_, '_>, statement: &Statement<'_, '_>, word: &str, action: Act) {
    match statement.find(1, &[word]) {
        Some(at) => names(
            call,
            statement,
            statement.skip(at + 1, &["group", "role", "user"]),
            action,
            false,
        ),
        None => say(call, statement, action),
    }
}

/// `COPY t TO|FROM 'file' | PROGRAM 'command' | STDOUT`. `here`: by the client, in this directory.
pub(super) fn copy(call: &mut Call<'_, '_>, code: Code<'_>, tokens: &[Token], here: bool) {
    let statement = Statement { code, tokens };
    // A query in parentheses may hold the same words.
    let mut depth = 0_usize;
    let mut direction = None;
    for (at, token) in tokens.iter().enumerate() {
        if token.is_sign(code.text, "(") {
            depth += 1;
        } else if token.is_sign(code.text, ")") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && token.is_any(code.text, &["to", "from"]) {
            direction = Some(at);
            break;
        }
    }
    let Some(at) = direction else { return };
    let into = statement.is(at, "from");
    if statement.is(at + 1, "program") {
        if let Some(command) = statement.text(at + 2) {
            let shell = Language::Shell(Dialect::Posix);
            if here {
                call.run_code(shell, &command);
            } else {
                call.run_code_elsewhere(shell, &command);
            }
        }
    } else if let Some(file) =
        statement.text(at + 1).or_else(|| here.then(|| bare(&statement, at + 1)).flatten())
    {
        if into {
            call.read(Act::Import, &file);
        } else {
            call.write(Kind::Overwrite, Act::Export, &file, Stream::default());
        }
    }
    if into {
        one(call, &statement, 0, Act::Insert);
    }
}

/// A file name without quotes, which only the client takes.
fn bare(statement: &Statement<'_, '_>, at: usize) -> Option<Field> {
    let token = statement.tokens.get(at)?;
    let text = statement.code.text.get(token.start..)?;
    let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
    let name = text.get(..end)?;
    (!matches!(name.to_ascii_lowercase().as_str(), "stdin" | "stdout" | "pstdin" | "pstdout"))
        .then(|| statement.code.field(name, token.start, token.start + end))
}

/// `EXEC xp_cmdshell 'command'`, `EXECUTE IMMEDIATE 'statement'`.
fn execute(call: &mut Call<'_, '_>, statement: &Statement<'_, '_>, depth: usize) {
    if let Some(at) = statement.find(1, &["xp_cmdshell"]) {
        if let Some(command) = (at + 1..statement.tokens.len()).find_map(|at| statement.text(at)) {
            call.run_code_elsewhere(Language::Cmd, &command);
        }
        return;
    }
    if let Some(inner) = (1..4).find_map(|at| statement.text(at))
        && let Some(text) = inner.exact()
    {
        super::run(call, Code { text, origin: inner.origin() }, depth + 1);
    }
}

/// Functions of a query that reach outside of it.
fn functions(call: &mut Call<'_, '_>, statement: &Statement<'_, '_>) {
    let text = statement.code.text;
    for (at, token) in statement.tokens.iter().enumerate() {
        if token.kind != Lexeme::Word {
            continue;
        }
        if token.is_any(text, &["outfile", "dumpfile"])
            && let Some(file) = statement.text(at + 1)
        {
            call.write(Kind::Overwrite, Act::Export, &file, Stream::default());
        }
        if !statement.is_sign(at + 1, "(") {
            continue;
        }
        if token.is_any(
            text,
            &["pg_read_file", "pg_read_binary_file", "load_file", "readfile", "lo_import"],
        ) && let Some(file) = statement.text(at + 2)
        {
            call.read(Act::Import, &file);
        } else if token.is_any(text, &["pg_terminate_backend", "pg_cancel_backend"]) {
            call.effect_at(Kind::Database, Act::Terminate, Target::None, statement.whole());
        } else if token.is_any(text, &["writefile", "lo_export"])
            && let Some(file) = (at + 2..at + 6).find_map(|at| statement.text(at))
        {
            call.write(Kind::Overwrite, Act::Export, &file, Stream::default());
        }
    }
}
