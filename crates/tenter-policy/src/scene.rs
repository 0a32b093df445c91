//! One event as the guards see it: everything that would happen is an effect, whichever tool it
//! comes from, and everything that can be read is a passage.

use std::borrow::Cow;

use tenter_model::{Action, Body, Event, EventKind, McpIdentity, ToolCall};
use tenter_shell::{
    Analysis, Certainty, Effect, Field, Flow, Kind, Language, PathTarget, Ran, Span, Target,
    analyze,
};

use crate::places::Places;
use crate::world::World;
use meaning::{Meaning, meanings, quoted};

mod meaning;

pub(crate) use meaning::words;

/// When the event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before something is done: it can still be stopped.
    Before,
    /// After the fact: what came back can be looked at.
    After,
    /// A human has said something.
    Prompt,
    Other,
}

/// A text that goes one way or the other.
#[derive(Clone, Debug)]
pub struct Passage<'s> {
    pub kind: PassageKind,
    pub text: Cow<'s, str>,
    /// The file it belongs to, if any.
    pub path: Option<Cow<'s, str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageKind {
    /// What the human says to the model.
    Prompt,
    /// A command line.
    Command,
    /// What is about to be written into a file.
    Written,
    /// What is about to be read from a file.
    Read,
    /// What a tool has brought back.
    Output,
    /// A URL that is about to be fetched.
    Url,
    /// What a subagent is told.
    Task,
    /// The arguments of an MCP or another tool.
    Input,
}

/// What the guards look at.
#[derive(Debug)]
pub struct Scene<'s> {
    pub event: &'s Event<'s>,
    pub moment: Moment,
    /// Programs, effects and doubts of the command; effects also of the file tools.
    pub analysis: Analysis,
    /// The command that the spans are about.
    pub command: Option<Cow<'s, str>>,
    pub passages: Vec<Passage<'s>>,
    pub mcp: Option<&'s McpIdentity<'s>>,
    /// A URL that is about to be fetched.
    pub url: Option<Cow<'s, str>>,
    pub cwd: Option<&'s str>,
    pub places: Places<'s>,
    pub world: &'s World<'s>,
}

/// A file longer than this is looked at as the host sent it: a copy would double what a call holds.
const LARGE: usize = 1024 * 1024;

impl<'s> Scene<'s> {
    pub fn new(event: &'s Event<'s>, world: &'s World<'s>) -> Self {
        let moment = match event.kind() {
            EventKind::PreToolUse | EventKind::PermissionRequest => Moment::Before,
            EventKind::PostToolUse | EventKind::PostToolUseFailure => Moment::After,
            EventKind::UserPromptSubmit => Moment::Prompt,
            _ => Moment::Other,
        };
        let cwd = event.cwd.as_deref().filter(|cwd| !cwd.is_empty()).or(world.cwd);
        let mut scene = Self {
            event,
            moment,
            analysis: Analysis::default(),
            command: None,
            passages: Vec::new(),
            mcp: None,
            url: None,
            cwd,
            places: Places::new(event, cwd, world),
            world,
        };
        match &event.body {
            Body::UserPromptSubmit { prompt, .. } => {
                scene.passage(PassageKind::Prompt, prompt.get(), None);
            }
            Body::SubagentStart { task: Some(task) } => {
                scene.passage(PassageKind::Task, task.get(), None);
            }
            Body::PreToolUse(call) | Body::PermissionRequest(call) => scene.before(call),
            Body::PostToolUse(result) => {
                scene.mcp = result.call.mcp();
                if let Some(response) = &result.response {
                    scene.passage(PassageKind::Output, response.strings(), None);
                }
            }
            Body::PostToolUseFailure(failure) => {
                scene.mcp = failure.call.mcp();
                if let Some(error) = &failure.error {
                    scene.passage(PassageKind::Output, error.get(), None);
                }
            }
            _ => {}
        }
        scene
    }

    pub fn effects(&self) -> &[Effect] {
        &self.analysis.effects
    }

    /// The program that has this effect, if it is one of a command.
    pub fn program(&self, effect: &Effect) -> Option<&Ran> {
        self.analysis.commands.get(effect.command? as usize)
    }

    /// The words of the command that say it, for messages.
    pub fn words(&self, span: Span) -> &str {
        self.command.as_deref().and_then(|command| command.get(span.range())).unwrap_or_default()
    }

    fn passage(&mut self, kind: PassageKind, text: Cow<'s, str>, path: Option<Cow<'s, str>>) {
        if !text.is_empty() {
            self.passages.push(Passage { kind, text, path });
        }
    }

    fn before(&mut self, call: &'s ToolCall<'s>) {
        for action in &call.actions {
            self.action(action);
        }
        let judged_as_a_whole = call
            .actions
            .iter()
            .any(|action| matches!(action, Action::Mcp(_) | Action::Other { .. }));
        if judged_as_a_whole {
            for (_, value) in &call.input {
                self.passage(PassageKind::Input, value.strings(), None);
            }
            for meaning in meanings(call) {
                self.meaning(meaning);
            }
        }
    }

    fn meaning(&mut self, meaning: Meaning<'s>) {
        match meaning {
            Meaning::Code { text, language, cwd } => {
                let language = language.unwrap_or(self.world.language);
                match cwd {
                    Some(Cow::Owned(cwd)) if matches!(language, Language::Shell(_)) => {
                        let text = format!("cd {} && {{ {text}\n}}", quoted(&cwd));
                        self.code(text.into(), None, language);
                    }
                    Some(Cow::Borrowed(cwd)) => self.code(text, Some(cwd), language),
                    _ => self.code(text, None, language),
                }
            }
            Meaning::File { kind, action, path, recursive } => {
                self.file(kind, action, &path);
                if let Some(effect) = self.analysis.effects.last_mut() {
                    effect.recursive = recursive;
                }
            }
            Meaning::Written { path, content } => {
                self.passage(PassageKind::Written, content, Some(path));
            }
            Meaning::Fetch { url } => self.fetch(url),
        }
    }

    fn fetch(&mut self, url: Cow<'s, str>) {
        self.passage(PassageKind::Url, url.clone(), None);
        self.url = Some(url);
    }

    fn action(&mut self, action: &'s Action<'s>) {
        match action {
            Action::Shell { command, cwd } => {
                self.code(command.get(), cwd.as_deref(), self.world.language);
            }
            Action::Read { path, content } => {
                self.file(Kind::Read, "read-tool", path);
                if let Some(content) = content {
                    self.passage(
                        PassageKind::Read,
                        content.get_or_sent(LARGE),
                        Some(Cow::Borrowed(path)),
                    );
                }
            }
            Action::Search { path, .. } => self.search(path.as_deref()),
            Action::Write { path, content } => {
                self.file(Kind::Write, "write-tool", path);
                self.passage(
                    PassageKind::Written,
                    content.get_or_sent(LARGE),
                    Some(Cow::Borrowed(path)),
                );
            }
            Action::Edit { path, edits, moved_to } => {
                self.file(Kind::Write, "edit-tool", path);
                for edit in edits {
                    self.passage(
                        PassageKind::Written,
                        edit.new.get_or_sent(LARGE),
                        Some(Cow::Borrowed(path)),
                    );
                }
                if let Some(to) = moved_to {
                    self.file(Kind::Move, "edit-tool", path);
                    self.file(Kind::Write, "edit-tool", to);
                }
            }
            Action::Delete { path } => self.file(Kind::Delete, "delete-tool", path),
            Action::Fetch { url } => self.fetch(url.get()),
            Action::Mcp(identity) => self.mcp = Some(identity),
            Action::Task { prompt: Some(prompt), .. } => {
                self.passage(PassageKind::Task, prompt.get(), None);
            }
            Action::Task { .. } | Action::Other { .. } => {}
        }
    }

    /// A search shows lines of what it goes through, a list only names.
    fn search(&mut self, path: Option<&str>) {
        let call = self.event.tool_call();
        let lists = call.and_then(|call| call.native_tool.as_deref());
        let action = match lists {
            Some("LS" | "Glob") => "list-tool",
            _ => "search-tool",
        };
        if let Some(path) = path {
            self.file(Kind::Read, action, path);
        }
        let given = |key: &str| {
            let input = call.into_iter().flat_map(|call| &call.input);
            let value = input.filter(|(known, _)| known == key).map(|(_, value)| value).next()?;
            tenter_model::json::string(value.raw()).map(Cow::into_owned)
        };
        // Only the files of these names, line by line.
        if given("output_mode").as_deref() == Some("content")
            && let Some(names) = given("glob")
        {
            let within = path.map(|path| format!("{}/", path.trim_end_matches('/')));
            self.file(Kind::Read, action, &format!("{}{names}", within.unwrap_or_default()));
        }
    }

    fn code(&mut self, command: Cow<'s, str>, cwd: Option<&'s str>, language: Language) {
        let cwd = cwd.filter(|cwd| !cwd.is_empty()).or(self.cwd);
        self.cwd = cwd;
        let world = tenter_shell::World {
            cwd,
            home: self.world.home,
            user: self.world.user,
            variables: self.world.variables,
            language,
            case_insensitive: self.world.case_insensitive,
            facts: self.world.facts,
            ..tenter_shell::World::default()
        };
        let analysis = analyze(&command, &world);
        // Code whose language nobody says is read in two; the spans are about the last reading.
        let mut before = std::mem::replace(&mut self.analysis, analysis);
        for effect in &mut before.effects {
            effect.command = None;
        }
        self.analysis.effects.append(&mut before.effects);
        if self.command.as_ref() != Some(&command) {
            self.passage(PassageKind::Command, command.clone(), None);
        }
        self.command = Some(command);
    }

    /// A file tool as an effect, so that guards need not know the tools.
    fn file(&mut self, kind: Kind, action: &'static str, path: &str) {
        let path = match (path.strip_prefix("~/"), self.world.home) {
            (Some(rest), Some(home)) => Cow::Owned(format!("{home}/{rest}")),
            _ => Cow::Borrowed(path),
        };
        let field = Field::text(path.as_ref(), Span::default());
        let mut target = PathTarget::resolve(&field, self.cwd);
        if let Some(exact) = target.exact() {
            let real = self.world.facts.real_path(exact);
            target.real = real.filter(|real| *real != exact);
        }
        self.analysis.effects.push(Effect {
            kind,
            action,
            target: Target::Path(target),
            certainty: Certainty::Certain,
            recursive: false,
            force: false,
            elsewhere: false,
            sources: Flow::default(),
            span: Span::default(),
            command: None,
        });
    }
}
