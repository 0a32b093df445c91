//! Puts the bodies of heredocs, which are read after the commands they belong to, into the tree.

use super::ast::{
    ArrayItem, AssignedValue, Command, CommandKind, Index, Operation, Parameter, RedirectKind,
    Script, Word, WordPart,
};
use std::rc::Rc;

pub(super) struct Filler {
    pub(super) bodies: Vec<Word>,
}

impl Filler {
    pub(super) fn script(&mut self, script: &mut Script) {
        for item in &mut script.items {
            for command in &mut item.first.commands {
                self.command(command);
            }
            for (_, pipeline) in &mut item.rest {
                for command in &mut pipeline.commands {
                    self.command(command);
                }
            }
        }
    }

    fn command(&mut self, command: &mut Command) {
        self.kind(&mut command.kind);
        for redirect in &mut command.redirects {
            match &mut redirect.kind {
                RedirectKind::Heredoc { body, .. } => {
                    let number = body.span.start as usize;
                    if let Some(read) = self.bodies.get_mut(number) {
                        *body = std::mem::take(read);
                        self.word(body);
                    }
                }
                RedirectKind::Read(word)
                | RedirectKind::Write { target: word, .. }
                | RedirectKind::Append(word)
                | RedirectKind::ReadWrite(word)
                | RedirectKind::Both { target: word, .. }
                | RedirectKind::Duplicate { target: word, .. }
                | RedirectKind::HereString(word) => self.word(word),
            }
        }
    }

    fn kind(&mut self, kind: &mut CommandKind) {
        match kind {
            CommandKind::Simple(simple) => {
                for assignment in &mut simple.assignments {
                    self.words(assignment.index.as_mut_slice());
                    match &mut assignment.value {
                        AssignedValue::Scalar(word) => self.word(word),
                        AssignedValue::Array(items) => self.array(items),
                    }
                }
                self.words(&mut simple.words);
            }
            CommandKind::Subshell(script) | CommandKind::Group(script) => self.script(script),
            CommandKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.script(condition);
                    self.script(body);
                }
                if let Some(script) = otherwise {
                    self.script(script);
                }
            }
            CommandKind::While { condition, body, .. } => {
                self.script(condition);
                self.script(body);
            }
            CommandKind::For { words, body, .. } => {
                if let Some(words) = words {
                    self.words(words);
                }
                self.script(body);
            }
            CommandKind::ForArithmetic { header, body } => {
                self.words(header);
                self.script(body);
            }
            CommandKind::Case { subject, arms } => {
                self.word(subject);
                for arm in arms {
                    self.words(&mut arm.patterns);
                    self.script(&mut arm.body);
                }
            }
            CommandKind::Function { body, .. } => {
                // There is no other reference yet.
                if let Some(body) = Rc::get_mut(body) {
                    self.command(body);
                }
            }
            CommandKind::Arithmetic(word) => self.word(word),
            CommandKind::Test(words) => self.words(words),
            CommandKind::Coprocess { body, .. } => self.command(body),
        }
    }

    fn array(&mut self, items: &mut [ArrayItem]) {
        for item in items {
            self.words(item.key.as_mut_slice());
            self.word(&mut item.value);
        }
    }

    fn words(&mut self, words: &mut [Word]) {
        for word in words {
            self.word(word);
        }
    }

    fn word(&mut self, word: &mut Word) {
        self.parts(&mut word.parts);
    }

    fn parts(&mut self, parts: &mut [WordPart]) {
        for part in parts {
            match part {
                WordPart::Literal(_) | WordPart::Quoted(_) => {}
                WordPart::DoubleQuoted(parts) => self.parts(parts),
                WordPart::Parameter(parameter) => self.parameter(parameter),
                WordPart::Command { script, .. } | WordPart::Process { script, .. } => {
                    self.script(script);
                }
                WordPart::Arithmetic { expression, .. } => self.word(expression),
                WordPart::Array(items) => self.array(items),
            }
        }
    }

    fn parameter(&mut self, parameter: &mut Parameter) {
        if let Some(Index::Word(word)) = &mut parameter.index {
            self.word(word);
        }
        match &mut parameter.operation {
            Operation::Fallback { word, .. } | Operation::Strip { pattern: word, .. } => {
                self.word(word);
            }
            Operation::Replace { pattern, with, .. } => {
                self.word(pattern);
                self.words(with.as_mut_slice());
            }
            Operation::Substring { offset, length } => {
                self.word(offset);
                self.words(length.as_mut_slice());
            }
            Operation::Case { pattern, .. } => self.words(pattern.as_mut_slice()),
            Operation::None
            | Operation::Length
            | Operation::Keys
            | Operation::NamesWithPrefix
            | Operation::Transform(_) => {}
        }
    }
}
