//! `AppleScript`: what it runs, deletes and types.
//!
//! Actions: `remove`, `empty-trash`, `type-keys` (keys are pressed in other programs), `write-file`,
//! `power` (the machine sleeps, restarts or shuts down), and those of code that is run.

use super::{Definition, Lexicon};
use crate::act::Act;
use crate::call::Call;
use crate::code::lex::{self, Piece, Token, TokenKind};
use crate::code::{Code, Context};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::{Field, Part, Unknown};
use crate::world::Language;

pub(super) static DEFINITION: Definition = Definition {
    lexicon: Lexicon {
        comments: &[("--[[", "]]"), ("--", "\n"), ("(*", "*)"), ("#", "\n")],
        ..Lexicon::BASE
    },
    judge: Some(judge),
    ..Definition::new(Language::AppleScript)
};

/// Files of programs that a script asks the Finder for by name.
const PRIVATE: &[&str] =
    &["Cookies.binarycookies", "NoteStore.sqlite", "login.keychain-db", "Login Data"];

fn judge(call: &mut Call<'_, '_>, code: Code<'_>, _: Context<'_>) -> Stream {
    let mut tokens = Vec::new();
    let mut pieces = Vec::new();
    lex::lex(code.text, (0, code.text.len()), &DEFINITION, &mut tokens, &mut pieces);
    let whole = code.span(0, code.text.len());
    if code.text.contains("display dialog") && code.text.contains("with hidden answer") {
        let target = Target::name("a password that is typed into a dialog");
        call.effect_at(Kind::Read, Act::Record, target, whole);
    }
    if code.text.contains("duplicate") || code.text.contains("copy") {
        for file in PRIVATE.iter().filter(|file| code.text.contains(*file)) {
            let file = Field::text(*file, whole);
            let effect = call.on_path(Kind::Read, Act::HandOver, &file);
            effect.certainty = effect.certainty.min(crate::effect::Certainty::Possible);
        }
    }
    let mut script =
        Script { call, code, tokens: &tokens, pieces: &pieces, variables: Vec::new(), at: 0 };
    let mut out = Stream::default();
    while script.at < tokens.len() {
        script.step(&mut out);
    }
    out
}

struct Script<'s, 'a, 'c, 'w> {
    call: &'a mut Call<'c, 'w>,
    code: Code<'s>,
    tokens: &'s [Token<'s>],
    pieces: &'s [Piece],
    variables: Vec<(&'s str, Field)>,
    at: usize,
}

impl<'s> Script<'s, '_, '_, '_> {
    fn word(&self, ahead: usize) -> &'s str {
        match self.tokens.get(self.at.saturating_add(ahead)) {
            Some(token) if token.kind == TokenKind::Name => token.text,
            _ => "",
        }
    }

    /// Whether the words follow here, in any case.
    fn says(&self, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(ahead, word)| self.word(ahead).eq_ignore_ascii_case(word))
    }

    fn step(&mut self, out: &mut Stream) {
        if self.says(&["do", "shell", "script"]) {
            self.at += 3;
            let start = self.at;
            let command = self.text();
            if self.rest_of_line(start).contains("administrator privileges") {
                let span = command.span;
                self.call.effect_at(Kind::Privilege, Act::RunAs, Target::name("root"), span);
            }
            let printed = self.call.run_code(Language::Shell(Dialect::Posix), &command);
            out.flow.join(&printed.flow);
        } else if self.says(&["do", "script"]) {
            self.at += 2;
            let command = self.text();
            self.call.run_code(Language::Shell(Dialect::Bash), &command);
        } else if self.says(&["run", "script"]) {
            self.at += 2;
            let code = self.text();
            self.call.run_code(Language::AppleScript, &code);
        } else if self.says(&["set"]) && self.word(2) == "to" {
            let name = self.word(1);
            self.at += 3;
            if self.says(&["do", "shell", "script"]) {
                return;
            }
            let value = self.text();
            self.variables.retain(|(known, _)| *known != name);
            self.variables.push((name, value));
        } else if self.says(&["delete"]) || self.says(&["move"]) {
            self.delete();
        } else if self.says(&["empty", "trash"]) || self.says(&["empty", "the", "trash"]) {
            self.at += 2;
            let span = self.span(self.at);
            self.call.effect_at(Kind::Delete, Act::EmptyTrash, Target::name("trash"), span);
        } else if self.says(&["keystroke"]) || self.says(&["key", "code"]) {
            let span = self.span(self.at);
            self.at += 1;
            self.call.effect_at(Kind::Process, Act::TypeKeys, Target::None, span);
        } else if self.says(&["shut", "down"]) || (self.says(&["restart"]) && self.at > 0) {
            let span = self.span(self.at);
            self.at += 1;
            self.call.effect_at(Kind::System, Act::Power, Target::None, span);
        } else {
            self.at += 1;
        }
    }

    fn span(&self, at: usize) -> crate::span::Span {
        match self.tokens.get(at.min(self.tokens.len().saturating_sub(1))) {
            Some(token) => self.code.span(token.start, token.end),
            None => self.code.span(0, self.code.text.len()),
        }
    }

    fn rest_of_line(&self, token: usize) -> &'s str {
        let start = self.tokens.get(token).map_or(self.code.text.len(), |token| token.start);
        let rest = self.code.text.get(start..).unwrap_or_default();
        rest.split('\n').next().unwrap_or_default()
    }

    /// `delete POSIX file "/x"`, `move folder "x" to trash`
    fn delete(&mut self) {
        let moves = self.says(&["move"]);
        let start = self.at;
        self.at += 1;
        let line = self.rest_of_line(start);
        if moves && !line.contains("trash") {
            return;
        }
        // The deleted item precedes the next keyword.
        while self.tokens.get(self.at).is_some_and(|token| token.kind == TokenKind::Name)
            && !self.known(self.word(0))
        {
            self.at += 1;
        }
        let file = self.below_home(start);
        let (kind, action) =
            if moves { (Kind::Move, Act::Trash) } else { (Kind::Delete, Act::Remove) };
        if file.parts.is_empty() {
            let span = self.span(start);
            self.call.effect_at(kind, action, Target::name("what the script names"), span);
        } else {
            self.call.on_path(kind, action, &file);
        }
    }

    /// The item that is deleted: a path, or a name that is said to be in the home folder.
    fn below_home(&mut self, start: usize) -> Field {
        let line = self.rest_of_line(start);
        let file = self.text();
        let home = self.call.machine.world.home;
        let of = |words: &[&str]| words.iter().any(|word| line.contains(word));
        let folder = if of(&["of desktop", "path to desktop"]) {
            "/Desktop"
        } else if of(&["path to documents"]) {
            "/Documents"
        } else if of(&["path to downloads"]) {
            "/Downloads"
        } else if of(&["of home", "path to home", "home folder"]) {
            ""
        } else {
            return file;
        };
        let Some(home) = home else { return file };
        let name = file.exact().map(|name| format!("/{}", name.trim_matches('/')));
        Field::text(format!("{home}{folder}{}", name.unwrap_or_default()), file.span)
    }

    fn known(&self, name: &str) -> bool {
        self.variables.iter().any(|(known, _)| *known == name)
    }

    /// Strings joined by `&`.
    fn text(&mut self) -> Field {
        let mut field = Field::default();
        let first = self.at;
        while let Some(token) = self.tokens.get(self.at).copied() {
            match token.kind {
                TokenKind::Text => {
                    let pieces =
                        self.pieces.get(token.pieces.0..token.pieces.1).unwrap_or_default();
                    for piece in pieces {
                        if let Piece::Text(text) = piece {
                            let place =
                                self.code.field(text, token.start + 1, token.end.saturating_sub(1));
                            for part in place.parts {
                                field.push(part);
                            }
                        }
                    }
                }
                TokenKind::Name => {
                    let value = self
                        .variables
                        .iter()
                        .find(|(known, _)| *known == token.text)
                        .map(|(_, value)| value.clone());
                    match value {
                        Some(value) => value.parts.into_iter().for_each(|part| field.push(part)),
                        // `quoted form of x` has more than one word.
                        None if matches!(token.text, "quoted" | "form" | "of" | "the") => {}
                        None => field.push(Part::Unknown(Unknown {
                            name: token.text.into(),
                            splits: false,
                        })),
                    }
                    if matches!(token.text, "quoted" | "form" | "of" | "the") {
                        self.at += 1;
                        continue;
                    }
                }
                TokenKind::Mark if matches!(token.text, "(" | ")") => {
                    self.at += 1;
                    continue;
                }
                _ => break,
            }
            self.at += 1;
            let joins = self.tokens.get(self.at).is_some_and(|token| token.text == "&");
            if !joins {
                break;
            }
            self.at += 1;
        }
        field.span = self.span(first);
        self.call.machine.without_placeholders(&mut field);
        field
    }
}
