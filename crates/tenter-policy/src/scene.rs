//! An event as the guards see it: everything that would happen is an effect, whichever tool it comes from,
//! and every text is a passage.

use std::borrow::Cow;

use tenter_model::{Action, Body, Event, EventKind, McpIdentity, ToolCall};
use tenter_shell::Act;
use tenter_shell::{
    Analysis, Certainty, Effect, Field, Flow, Kind, Language, PathKind, PathTarget, Ran, Reason,
    Role, Span, Target, Unverified, analyze,
};

use crate::places::Places;
use crate::world::World;
use expansion::Called;
use meaning::{Meaning, meanings, quoted};
use view::View;

mod expansion;
mod meaning;
mod view;
pub(crate) mod written;

pub(crate) use meaning::words;

/// Time of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before the action: it can still be stopped.
    Before,
    /// After the action: its output can be examined.
    After,
    /// A prompt by the user.
    Prompt,
    Other,
}

/// A text passed in either direction.
#[derive(Clone, Debug)]
pub struct Passage<'s> {
    pub kind: PassageKind,
    pub text: Cow<'s, str>,
    /// The file it belongs to, if any.
    pub path: Option<Cow<'s, str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageKind {
    /// The user's prompt.
    Prompt,
    /// A command line.
    Command,
    /// Content about to be written to a file.
    Written,
    /// Content about to be read from a file.
    Read,
    /// Output of a tool.
    Output,
    /// A URL about to be fetched.
    Url,
    /// Task of a subagent.
    Task,
    /// Arguments of an MCP or other tool.
    Input,
}

/// Input of the guards.
#[derive(Debug)]
pub struct Scene<'s> {
    pub event: &'s Event<'s>,
    pub moment: Moment,
    /// Programs, effects and doubts of the command; effects of file tools too.
    pub analysis: Analysis,
    /// The command that the spans refer to.
    pub command: Option<Cow<'s, str>>,
    /// Ranges of texts that may not be commands at all.
    attempts: Vec<std::ops::Range<usize>>,
    pub passages: Vec<Passage<'s>>,
    pub mcp: Option<&'s McpIdentity<'s>>,
    /// URLs about to be fetched.
    pub urls: Vec<Cow<'s, str>>,
    /// Why the call cannot be judged by its content, as clauses.
    pub doubts: Vec<&'static str>,
    pub cwd: Option<&'s str>,
    pub places: Places<'s>,
    pub world: &'s World<'s>,
}

/// Maximum file size to decode; longer content is examined as sent, since a copy would double memory.
const LARGE: usize = 1024 * 1024;

/// Maximum number of files of one patch or tool input, equal to that of effects of a command.
const MAX_ACTIONS: usize = 4096;

/// Maximum length of a folder's path (`PATH_MAX` of Linux), since every path of a command gets it as prefix.
const LONGEST_FOLDER: usize = 4096;

/// Maximum length of a tool's path, that of the longest command; longer ones are asked about.
const LONGEST_PATH: usize = 64 * 1024;

impl<'s> Scene<'s> {
    pub fn new(event: &'s Event<'s>, world: &'s World<'s>) -> Self {
        let moment = match event.kind() {
            EventKind::PreToolUse | EventKind::PermissionRequest => Moment::Before,
            EventKind::PostToolUse | EventKind::PostToolUseFailure => Moment::After,
            EventKind::UserPromptSubmit => Moment::Prompt,
            _ => Moment::Other,
        };
        let given = event.cwd.as_deref().filter(|cwd| !cwd.is_empty());
        let cwd = given.filter(|cwd| cwd.len() <= LONGEST_FOLDER).or(world.cwd);
        let mut scene = Self {
            event,
            moment,
            analysis: Analysis::default(),
            command: None,
            attempts: Vec::new(),
            passages: Vec::new(),
            mcp: None,
            urls: Vec::new(),
            doubts: Vec::new(),
            cwd,
            places: Places::new(event, cwd, world),
            world,
        };
        match &event.body {
            Body::UserPromptSubmit { prompt, attachments } => {
                let prompt = prompt.get();
                if let Some(called) = Called::by_prompt(&prompt) {
                    scene.expand(&called);
                }
                scene.mentions(&prompt);
                for attached in attachments {
                    scene.mention(&attached.file_path);
                }
                scene.passage(PassageKind::Prompt, prompt, None);
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
        if world.facts.exhausted() {
            scene.give_up();
        }
        if given.is_some_and(|cwd| cwd.len() > LONGEST_FOLDER) {
            scene.doubt(Reason::TooLong);
        }
        scene
    }

    /// Notes that not all files of this call were examined. False if already noted.
    pub fn give_up(&mut self) -> bool {
        self.doubt(Reason::TooManyFiles)
    }

    fn doubt(&mut self, reason: Reason) -> bool {
        let doubt = Unverified { reason, span: Span::default() };
        let is_news = !self.analysis.unverified.contains(&doubt);
        if is_news {
            self.analysis.unverified.push(doubt);
        }
        is_news
    }

    pub fn effects(&self) -> &[Effect] {
        &self.analysis.effects
    }

    /// The program of an effect, if it is one of a command.
    pub fn program(&self, effect: &Effect) -> Option<&Ran> {
        self.analysis.commands.get(effect.command? as usize)
    }

    /// Whether the program of an effect has this role.
    pub fn is(&self, effect: &Effect, role: Role) -> bool {
        self.program(effect).is_some_and(|ran| ran.is(role))
    }

    /// Whether some program of the command has this role.
    pub fn runs(&self, role: Role) -> bool {
        self.analysis.commands.iter().any(|ran| ran.is(role))
    }

    /// The words of the command at a span, for messages.
    pub fn words(&self, span: Span) -> &str {
        self.command.as_deref().and_then(|command| command.get(span.range())).unwrap_or_default()
    }

    fn passage(&mut self, kind: PassageKind, text: Cow<'s, str>, path: Option<Cow<'s, str>>) {
        if !text.is_empty() {
            self.passages.push(Passage { kind, text, path });
        }
    }

    fn before(&mut self, call: &'s ToolCall<'s>) {
        self.doubts.extend(call.malformed);
        for action in call.actions.iter().take(MAX_ACTIONS) {
            self.action(action);
        }
        if call.actions.len() > MAX_ACTIONS {
            self.doubt(Reason::TooMuchWork);
        }
        let judged_as_a_whole = call
            .actions
            .iter()
            .any(|action| matches!(action, Action::Mcp(_) | Action::Other { .. }));
        if judged_as_a_whole {
            self.inputs(call);
            let carried = meanings(call, self.world.home);
            if carried.cut {
                self.doubts.push("has input nested too deeply to check");
            }
            if carried.too_many {
                self.doubts.push("has too many input values to check");
            }
            if carried.meanings.len() > MAX_ACTIONS {
                self.doubt(Reason::TooMuchWork);
            }
            for meaning in carried.meanings.into_iter().take(MAX_ACTIONS) {
                self.meaning(meaning);
            }
            if let Some(called) = Called::by_tool(call) {
                self.expand(&called);
            }
        }
        self.expanded_later();
    }

    /// Adds all texts of a call that is judged as a whole.
    fn inputs(&mut self, call: &'s ToolCall<'s>) {
        // Limit above which texts are searched as one: each costs every guard a look.
        const MOST: usize = 64;
        let values = || call.input.iter().chain(&call.shadowed).map(|(_, value)| value.strings());
        if call.input.len() + call.shadowed.len() <= MOST {
            values().for_each(|text| self.passage(PassageKind::Input, text, None));
        } else {
            let texts: Vec<Cow<'s, str>> = values().collect();
            self.passage(PassageKind::Input, texts.join("\n").into(), None);
        }
    }

    /// Adds files of skills and commands that this call writes: hosts run commands inside them automatically.
    fn expanded_later(&mut self) {
        let mut texts: Vec<Cow<'s, str>> = Vec::new();
        for passage in &self.passages {
            let path = passage.path.as_deref().filter(|_| passage.kind == PassageKind::Written);
            if path.is_some_and(expansion::is_expanded) {
                texts.push(passage.text.clone());
            }
        }
        let writes = |effect: &Effect| {
            matches!(effect.kind, Kind::Write | Kind::Append | Kind::Overwrite)
                && effect.command.is_some()
                && effect.target.path().is_some_and(|path| expansion::is_expanded(&path.shown()))
        };
        if let Some(command) = &self.command
            && expansion::may_expand(command)
            && self.effects().iter().any(writes)
        {
            texts.push(command.clone());
        }
        for text in texts {
            self.expands_later(&text);
        }
    }

    /// Adds a file attached to a prompt.
    fn mention(&mut self, path: &str) {
        let action = if path.ends_with('/') { Act::ListTool } else { Act::ReadTool };
        self.file(Kind::Read, action, path);
    }

    fn meaning(&mut self, meaning: Meaning<'s>) {
        match meaning {
            Meaning::Code { text, language, cwd, sure } => {
                let language = language.unwrap_or(self.world.language);
                match cwd {
                    Some(Cow::Owned(cwd)) if matches!(language, Language::Shell(_)) => {
                        let text = format!("cd {} && {{ {text}\n}}", quoted(&cwd));
                        self.code(text.into(), None, language, sure);
                    }
                    Some(Cow::Borrowed(cwd)) => self.code(text, Some(cwd), language, sure),
                    _ => self.code(text, None, language, sure),
                }
            }
            Meaning::File { kind, path, recursive, guess } => {
                if guess && !self.is_likely(kind, &path) {
                    return;
                }
                let known = self.analysis.effects.len();
                self.file(kind, Act::McpTool, &path);
                if let Some(effect) = self.analysis.effects.get_mut(known) {
                    effect.recursive = recursive;
                }
            }
            Meaning::Written { path, content } => {
                self.passage(PassageKind::Written, content, Some(path));
            }
            Meaning::Fetch { url } => self.fetch(url),
            Meaning::Guess { text, language } => self.attempt(&text, language),
        }
    }

    /// Analyses a text that may not be a command: see [`crate::scripts`].
    fn attempt(&mut self, text: &str, language: Language) {
        let view = View { world: self.world };
        let mut analysis = analyze(text, &self.shell_world(&view, self.cwd, language));
        if analysis.effects.is_empty() && analysis.commands.is_empty() {
            return;
        }
        analysis.unverified.clear();
        let known = self.command.get_or_insert_default().to_mut();
        known.push('\n');
        let from = known.len();
        known.push_str(text);
        self.attempts.push(from..known.len());
        self.analysis.append(analysis, from);
    }

    fn shell_world<'w>(
        &self,
        view: &'w View<'s>,
        cwd: Option<&'w str>,
        language: Language,
    ) -> tenter_shell::Surroundings<'w>
    where
        's: 'w,
    {
        tenter_shell::Surroundings {
            cwd,
            home: self.world.home,
            user: self.world.user,
            variables: self.world.variables,
            language,
            case_insensitive: self.world.case_insensitive,
            facts: view,
            ..tenter_shell::Surroundings::default()
        }
    }

    /// Whether a span is in a text that may not be a command.
    pub(crate) fn is_attempt(&self, span: Span) -> bool {
        let range = span.range();
        self.attempts.iter().any(|text| text.start <= range.start && range.end <= text.end)
    }

    /// Whether a value that only its key calls a path is a local file that would be changed: paths of web
    /// pages or APIs are not.
    fn is_likely(&self, kind: Kind, path: &str) -> bool {
        if kind == Kind::Read {
            return true;
        }
        let whole =
            PathTarget::resolve(&Field::text(self.at_home(path), Span::default()), self.cwd);
        let found = whole.exact().and_then(|exact| self.world.kind(exact));
        match kind {
            Kind::Delete => matches!(found, Some(PathKind::File | PathKind::Directory)),
            _ => matches!(found, Some(PathKind::File | PathKind::Missing | PathKind::Device)),
        }
    }

    fn at_home<'p>(&self, path: &'p str) -> Cow<'p, str> {
        match (path.strip_prefix("~/"), self.world.home) {
            (Some(rest), Some(home)) => Cow::Owned(format!("{home}/{rest}")),
            _ => Cow::Borrowed(path),
        }
    }

    fn fetch(&mut self, url: Cow<'s, str>) {
        self.passage(PassageKind::Url, url.clone(), None);
        self.urls.push(url);
    }

    fn action(&mut self, action: &'s Action<'s>) {
        match action {
            Action::Shell { command, cwd } => {
                self.code(command.get(), cwd.as_deref(), self.world.language, true);
            }
            Action::Read { path, content } => {
                self.file(Kind::Read, Act::ReadTool, path);
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
                self.file(Kind::Write, Act::WriteTool, path);
                self.passage(
                    PassageKind::Written,
                    content.get_or_sent(LARGE),
                    Some(Cow::Borrowed(path)),
                );
            }
            Action::Edit { path, edits, moved_to } => {
                self.file(Kind::Write, Act::EditTool, path);
                for edit in edits {
                    self.passage(
                        PassageKind::Written,
                        edit.new.get_or_sent(LARGE),
                        Some(Cow::Borrowed(path)),
                    );
                }
                if let Some(to) = moved_to {
                    self.file(Kind::Move, Act::EditTool, path);
                    self.file(Kind::Write, Act::EditTool, to);
                }
            }
            Action::Delete { path } => self.file(Kind::Delete, Act::DeleteTool, path),
            Action::Fetch { url } => self.fetch(url.get()),
            Action::Mcp(identity) => self.mcp = Some(identity),
            Action::Task { prompt: Some(prompt), .. } => {
                self.passage(PassageKind::Task, prompt.get(), None);
            }
            Action::Task { .. } | Action::Other { .. } => {}
        }
    }

    /// A search shows lines of the files searched, a list only names.
    fn search(&mut self, path: Option<&str>) {
        let call = self.event.tool_call();
        let lists = call.and_then(|call| call.native_tool.as_deref());
        let action = match lists {
            Some("LS" | "Glob") => Act::ListTool,
            _ => Act::SearchTool,
        };
        if let Some(path) = path {
            self.file(Kind::Read, action, path);
        }
        let given = |key: &str| {
            let input = call.into_iter().flat_map(|call| &call.input);
            let value = input.filter(|(known, _)| known == key).map(|(_, value)| value).next()?;
            tenter_model::json::string(value.raw()).map(Cow::into_owned)
        };
        // The lines of the files with these names.
        if given("output_mode").as_deref() == Some("content")
            && let Some(names) = given("glob")
        {
            let within = path.map(|path| format!("{}/", path.trim_end_matches('/')));
            self.file(Kind::Read, action, &format!("{}{names}", within.unwrap_or_default()));
        }
    }

    /// Adds the effects of a command or code. With `sure` false the code may never run, and only certain
    /// effects count.
    fn code(
        &mut self,
        command: Cow<'s, str>,
        cwd: Option<&'s str>,
        language: Language,
        sure: bool,
    ) {
        let given = cwd.filter(|cwd| !cwd.is_empty());
        let cwd = given.filter(|cwd| cwd.len() <= LONGEST_FOLDER).or(self.cwd);
        let is_too_long = given.is_some_and(|cwd| cwd.len() > LONGEST_FOLDER);
        self.cwd = cwd;
        let view = View { world: self.world };
        let world = self.shell_world(&view, cwd, language);
        let mut analysis = analyze(&command, &world);
        if !sure {
            analysis.unverified.clear();
        }
        if is_too_long {
            self.doubt(Reason::TooLong);
        }
        // Code of unknown language is analysed in two; several texts are concatenated, so that all spans
        // refer to one command.
        match &mut self.command {
            None => {
                analysis.effects.append(&mut self.analysis.effects);
                analysis.unverified.append(&mut self.analysis.unverified);
                self.analysis = analysis;
                self.command = Some(command.clone());
            }
            Some(known) if *known == command || known.ends_with(&format!("\n{command}")) => {
                self.analysis.append(analysis, known.len().saturating_sub(command.len()));
                return;
            }
            Some(known) => {
                let known = known.to_mut();
                known.push('\n');
                self.analysis.append(analysis, known.len());
                known.push_str(&command);
            }
        }
        self.passage(PassageKind::Command, command, None);
    }

    /// Adds a file tool as an effect, so that guards need not know the tools.
    fn file(&mut self, kind: Kind, action: Act, path: &str) {
        // Too long for any system call, and what the tool would do with it is unknown.
        if path.len() > LONGEST_PATH {
            self.doubt(Reason::TooLong);
            return;
        }
        let field = Field::text(self.at_home(path), Span::default());
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
            script: None,
        });
    }
}
