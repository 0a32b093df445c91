//! Short hand-written events: for examples of guards, tests of policies and the command line.

use std::borrow::Cow;

use tenter_model::{
    Action, Agent, Body, Edit, Event, HostId, Json, McpIdentity, Tool, ToolCall, ToolResult,
};

/// An event in short form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample<'s> {
    Shell(&'s str),
    Read(&'s str),
    /// A file and its new content.
    Write(&'s str, &'s str),
    /// A file and the replacement text.
    Edit(&'s str, &'s str),
    Delete(&'s str),
    Fetch(&'s str),
    /// `server/tool`.
    Mcp(&'s str),
    Prompt(&'s str),
    /// Output of a tool.
    Output(&'s str),
    /// A file about to be read, with its content.
    Content(&'s str, &'s str),
    /// A command on a host that can type into it without calling a hook.
    Terminal(&'s str),
    /// A tool, and why its call is unreadable.
    Malformed(&'s str, &'static str),
}

impl<'s> Sample<'s> {
    /// The event as a host would send it.
    pub fn event(self, cwd: Option<&'s str>) -> Event<'s> {
        let text = |text: &'s str| Cow::Borrowed(text);
        let body = match self {
            Sample::Prompt(prompt) => {
                Body::UserPromptSubmit { prompt: prompt.into(), attachments: Vec::new() }
            }
            Sample::Output(output) => Body::PostToolUse(ToolResult {
                call: call(Tool::Bash, Action::Shell { command: "true".into(), cwd: None }),
                response: Json::from_text(output),
                exit_code: None,
                duration_ms: None,
            }),
            Sample::Shell(command) => {
                let cwd = cwd.map(text);
                before(Tool::Bash, Action::Shell { command: command.into(), cwd })
            }
            Sample::Terminal(command) => {
                let command = command.into();
                let mut call = call(Tool::Bash, Action::Shell { command, cwd: cwd.map(text) });
                call.unhooked_input = true;
                Body::PreToolUse(call)
            }
            Sample::Malformed(tool, why) => {
                let mut call = call(Tool::Native(text(tool)), Action::Other { name: text(tool) });
                call.malformed = Some(why);
                Body::PreToolUse(call)
            }
            Sample::Read(path) => {
                before(Tool::Read, Action::Read { path: text(path), content: None })
            }
            Sample::Content(path, content) => {
                let content = Some(content.into());
                before(Tool::Read, Action::Read { path: text(path), content })
            }
            Sample::Write(path, content) => {
                before(Tool::Write, Action::Write { path: text(path), content: content.into() })
            }
            Sample::Edit(path, new) => {
                let edits = vec![Edit { old: "".into(), new: new.into(), replace_all: false }];
                before(Tool::Edit, Action::Edit { path: text(path), edits, moved_to: None })
            }
            Sample::Delete(path) => before(Tool::Delete, Action::Delete { path: text(path) }),
            Sample::Fetch(url) => before(Tool::Fetch, Action::Fetch { url: url.into() }),
            Sample::Mcp(name) => {
                let (server, tool) = name.split_once('/').unwrap_or(("", name));
                let server = Some(text(server)).filter(|server| !server.is_empty());
                let identity = McpIdentity { server, tool: text(tool), ..McpIdentity::default() };
                before(Tool::Mcp, Action::Mcp(identity))
            }
        };
        Event {
            host: HostId::Claude,
            host_version: None,
            native_event: Cow::Borrowed(body.kind().as_str()),
            surface: None,
            session_id: None,
            turn_id: None,
            call_id: None,
            agent: Agent::default(),
            cwd: cwd.map(text),
            workspace_roots: Vec::new(),
            model: None,
            transcript_path: None,
            permission_mode: None,
            user: None,
            usage: None,
            body,
            native: "{}",
            notes: Vec::new(),
        }
    }
}

fn call<'s>(tool: Tool<'s>, action: Action<'s>) -> ToolCall<'s> {
    let mut call = ToolCall::new(tool);
    // Handlers read the input.
    let input: Vec<(&'static str, Cow<'_, str>)> = match &action {
        Action::Shell { command, .. } => vec![("command", command.get())],
        Action::Read { path, .. } | Action::Delete { path } => vec![("file_path", path.clone())],
        Action::Write { path, content } => {
            vec![("file_path", path.clone()), ("content", content.get())]
        }
        Action::Fetch { url } => vec![("url", url.get())],
        _ => Vec::new(),
    };
    call.input = input
        .into_iter()
        .filter_map(|(key, value)| Some((Cow::Borrowed(key), Json::from_text(&value)?)))
        .collect();
    call.actions.push(action);
    call
}

fn before<'s>(tool: Tool<'s>, action: Action<'s>) -> Body<'s> {
    Body::PreToolUse(call(tool, action))
}
