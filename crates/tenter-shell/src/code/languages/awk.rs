//! Awk programs: what they run, read and write.
//!
//! Actions: `write-file`, `append-file`, `read-file`, and those of code that is run.

use super::{Definition, Lexicon};
use crate::act::Act;
use crate::call::Call;
use crate::code::lex::{self, Piece, Token, TokenKind};
use crate::code::{Code, Context};
use crate::effect::Kind;
use crate::flow::{Flow, Stream};
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::{Field, Part, Unknown};
use crate::world::Language;

const SHELL: Language = Language::Shell(Dialect::Posix);

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon { patterns: true, pattern_flags: false, ..Lexicon::BASE },
    judge: Some(judge),
    ..Definition::new(Language::Awk)
};

/// Reads an awk program. `variables` are those that `-v` sets.
fn judge(call: &mut Call<'_, '_>, code: Code<'_>, context: Context<'_>) -> Stream {
    let mut tokens = Vec::new();
    let mut pieces = Vec::new();
    lex::lex(code.text, (0, code.text.len()), &DEFINITION, &mut tokens, &mut pieces);
    let flow = call.stdin.flow.clone();
    let mut awk = Awk {
        call,
        code,
        tokens: &tokens,
        pieces: &pieces,
        variables: context.variables.to_vec(),
        arguments: context.arguments,
        flow,
        printed: Some(String::new()),
        at: 0,
    };
    awk.program();
    let Awk { printed, flow, .. } = awk;
    // Only a program that reads nothing prints what it says, once.
    let once = code.text.trim_start().starts_with("BEGIN")
        && !code.text.contains("for")
        && !code.text.contains("while");
    Stream { text: printed.filter(|_| once), flow, ..Stream::default() }
}

struct Awk<'s, 'a, 'c, 'w> {
    call: &'a mut Call<'c, 'w>,
    code: Code<'s>,
    tokens: &'s [Token<'s>],
    pieces: &'s [Piece],
    variables: Vec<(String, Field)>,
    /// Arguments after the program: `ARGV[1]` and so on.
    arguments: &'s [Field],
    /// Sources of its input.
    flow: Flow,
    printed: Option<String>,
    at: usize,
}

impl<'s> Awk<'s, '_, '_, '_> {
    fn program(&mut self) {
        while let Some(token) = self.token() {
            let before = self.at;
            match (token.kind, token.text) {
                (TokenKind::Name, "system") if self.mark(1) == "(" => {
                    self.at += 2;
                    let command = self.text(&[")"]);
                    self.run(&command);
                }
                (TokenKind::Name, "print" | "printf") => self.print(token.text == "print"),
                (TokenKind::Name, "getline") => self.getline(),
                (TokenKind::Name, name) if self.mark(1) == "=" && !is_keyword(name) => {
                    self.at += 2;
                    let value = self.text(&[";", "\n", "}", ")", ","]);
                    self.set(name, value);
                }
                (TokenKind::Text, _) => self.pipe_from(),
                (TokenKind::Name, name) if !is_keyword(name) && self.mark(1) == "|" => {
                    self.pipe_from();
                }
                _ => {}
            }
            if self.at == before {
                self.at += 1;
            }
        }
    }

    fn token(&self) -> Option<Token<'s>> {
        self.tokens.get(self.at).copied()
    }

    fn mark(&self, ahead: usize) -> &'s str {
        match self.tokens.get(self.at.saturating_add(ahead)) {
            Some(token) if token.kind == TokenKind::Mark => token.text,
            _ => "",
        }
    }

    fn set(&mut self, name: &str, value: Field) {
        self.variables.retain(|(known, _)| known != name);
        if self.variables.len() < 64 {
            self.variables.push((name.to_owned(), value));
        }
    }

    /// Strings and other values up to one of the ends, as one text.
    fn text(&mut self, ends: &[&str]) -> Field {
        let first = self.token();
        let mut field = Field::default();
        let mut depth = 0_usize;
        let mut last = first;
        while let Some(token) = self.token() {
            let ending = ends.contains(&token.text) && token.kind != TokenKind::Text;
            if depth == 0 && ending || token.kind == TokenKind::Line {
                break;
            }
            last = Some(token);
            self.at += 1;
            match (token.kind, token.text) {
                (TokenKind::Text, _) => self.string(token, &mut field),
                (TokenKind::Mark, "(" | "[") => depth += 1,
                (TokenKind::Mark, ")" | "]") => depth = depth.saturating_sub(1),
                (TokenKind::Mark, "$") => self.column(&mut field),
                (TokenKind::Name, "ARGV") if self.mark(0) == "[" => self.argument(&mut field),
                (TokenKind::Name, name) => self.name(name, &mut field),
                (TokenKind::Number, number) => field.push_text(number, None),
                (TokenKind::Pattern | TokenKind::Mark, _) => self.unknown("…", &mut field),
                _ => {}
            }
            if field.parts.len() > 64 {
                break;
            }
        }
        if let (Some(first), Some(last)) = (first, last) {
            field.span = self.code.span(first.start, last.end.max(first.start));
        }
        self.call.machine.without_placeholders(&mut field);
        field
    }

    fn string(&self, token: Token<'s>, field: &mut Field) {
        let pieces = self.pieces.get(token.pieces.0..token.pieces.1).unwrap_or_default();
        for piece in pieces {
            if let Piece::Text(text) = piece {
                let place = self.code.field(text, token.start + 1, token.end.saturating_sub(1));
                match place.parts.into_iter().next() {
                    Some(part) => field.push(part),
                    None => field.push_text(text, None),
                }
            }
        }
    }

    /// `$1`, `$NF`, `$(x)`: part of the input.
    fn column(&mut self, field: &mut Field) {
        if self
            .token()
            .is_some_and(|token| matches!(token.kind, TokenKind::Number | TokenKind::Name))
        {
            self.at += 1;
        }
        self.unknown("…", field);
    }

    /// `[1]` after `ARGV`
    fn argument(&mut self, field: &mut Field) {
        self.at += 1;
        let index = self.token().and_then(|token| token.text.parse::<usize>().ok());
        while self.token().is_some_and(|token| token.text != "]") {
            self.at += 1;
        }
        self.at += 1;
        let given = index.and_then(|index| self.arguments.get(index.checked_sub(1)?));
        match given {
            Some(value) => value.parts.iter().for_each(|part| field.push(part.clone())),
            None => self.unknown("ARGV", field),
        }
    }

    fn name(&mut self, name: &str, field: &mut Field) {
        let known = self
            .variables
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.clone());
        match known {
            Some(value) => {
                field.flow.join(&value.flow);
                for part in value.parts {
                    field.push(part);
                }
            }
            None if is_keyword(name) => {}
            None => self.unknown(name, field),
        }
    }

    fn unknown(&self, name: &str, field: &mut Field) {
        field.flow.join(&self.flow);
        field.push(Part::Unknown(Unknown { name: name.into(), splits: false }));
    }

    /// gawk's connections: `/inet/tcp/0/host/port`. What comes through one and runs is a shell for whoever is there.
    fn connects(&mut self, place: &Field) -> bool {
        let Some(rest) = ["/inet/", "/inet4/", "/inet6/"]
            .iter()
            .find_map(|start| place.prefix().strip_prefix(start))
        else {
            return false;
        };
        let mut parts = rest.split('/').skip(2);
        let host = parts.next().filter(|host| !host.is_empty() && *host != "0");
        let port = parts.next().unwrap_or_default();
        let host = Field::text(format!("{}:{port}", host.unwrap_or("0.0.0.0")), place.span);
        let received = self.call.receive(Act::Connect, &host);
        let runs = |line: &str| line.contains("getline") && line.contains('|');
        let pipes =
            self.code.text.split("getline").count() > 2 || self.code.text.contains("system(");
        if pipes && runs(self.code.text) {
            let target = Target::Host(host.shown());
            let effect = self.call.effect_at(Kind::Execute, Act::NetworkShell, target, place.span);
            effect.sources = received.flow.clone();
        }
        self.flow.join(&received.flow);
        true
    }

    fn run(&mut self, command: &Field) {
        if self.connects(command) {
            return;
        }
        let left = command.suffix().trim_end().ends_with('&');
        if left && crate::code::spawn::is_endless(self.code.text) {
            self.call.effect_at(Kind::Process, Act::ForkBomb, Target::None, command.span);
        }
        let out = self.call.run_code(SHELL, command);
        self.flow.join(&out.flow);
        self.printed = None;
    }

    /// `print a, b > "file"`, `print a | "command"`
    fn print(&mut self, line: bool) {
        self.at += 1;
        let text = self.text(&[";", "}", ">", ">>", "|"]);
        let mark = self.mark(0);
        if !matches!(mark, ">" | ">>" | "|") {
            let whole = if text.parts.is_empty() { None } else { text.exact() };
            self.printed = match (self.printed.take(), whole) {
                (Some(before), Some(text)) => Some(before + text + if line { "\n" } else { "" }),
                _ => None,
            };
            return;
        }
        self.at += 1;
        if self.mark(0) == "&" {
            self.at += 1;
        }
        let target = self.text(&[";", "}"]);
        let mut flow = text.sources();
        flow.join(&self.flow);
        let content = Stream {
            // Without anything to print it is the line that was read.
            text: text.exact().filter(|_| !text.parts.is_empty()).map(|text| format!("{text}\n")),
            flow,
            ..Stream::default()
        };
        match mark {
            "|" => {
                let stdin = std::mem::replace(&mut self.call.stdin, content);
                self.run(&target);
                self.call.stdin = stdin;
            }
            _ if target.is("/dev/stderr") || target.is("/dev/stdout") => {}
            ">" => _ = self.call.write(Kind::Overwrite, Act::WriteFile, &target, content),
            _ => _ = self.call.write(Kind::Append, Act::AppendFile, &target, content),
        }
    }

    /// `"command" | getline`
    fn pipe_from(&mut self) {
        let start = self.at;
        let command = self.text(&[
            ";", "}", "|", ")", ",", ">", "<", "=", "~", "==", "&&", "||", "{", "]", ":", "?", "in",
        ]);
        if self.mark(0) != "|" {
            self.at = self.at.max(start + 1);
            return;
        }
        self.at += 1;
        if self.mark(0) == "&" {
            self.at += 1;
        }
        if self.token().is_some_and(|token| token.text == "getline") {
            self.at += 1;
            if self.connects(&command) {
                return;
            }
            let out = self.call.run_code(SHELL, &command);
            self.flow.join(&out.flow);
            self.printed = None;
        }
    }

    /// `getline line < "file"`
    fn getline(&mut self) {
        self.at += 1;
        if self.token().is_some_and(|token| token.kind == TokenKind::Name) {
            self.at += 1;
        }
        if self.mark(0) == "<" {
            self.at += 1;
            let file = self.text(&[";", "}", ")", ">", "&&", "||"]);
            let content = self.call.read(Act::ReadFile, &file);
            self.flow.join(&content.flow);
        }
    }
}

fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "BEGIN"
            | "END"
            | "if"
            | "else"
            | "while"
            | "for"
            | "do"
            | "in"
            | "next"
            | "exit"
            | "function"
            | "return"
            | "delete"
            | "print"
            | "printf"
            | "getline"
            | "sprintf"
    )
}
