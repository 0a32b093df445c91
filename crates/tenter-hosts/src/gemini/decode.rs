//! Decodes Gemini CLI's payloads: Claude's fields under other event names, and MCP tools in a form of their own.

use std::borrow::Cow;

use tenter_model::{Body, Event, HostId, Json, McpIdentity, Object, Tool, ToolCall};

use crate::claude_shape;
use crate::reader::Reader;
use crate::tools;

pub(super) fn decode<'a>(object: &Object<'a>) -> Event<'a> {
    let mut event = claude_shape::decode(HostId::Gemini, object, call);
    if let Body::Stop(stop) = &mut event.body {
        stop.last_assistant_message = object.text_of("prompt_response");
    }
    event
}

fn call<'a>(reader: &Reader<'_, 'a>) -> ToolCall<'a> {
    let mut call = claude_shape::tool_call(reader);
    let context = reader.object.object("mcp_context");
    let Some(identity) = mcp(context.as_ref(), &call) else { return call };
    let input = reader.object.get("tool_input").map(Json::unpack);
    let mut known = tools::mcp_call(identity, call.native_tool.take(), input);
    known.malformed = known.malformed.or(call.malformed.filter(|_| call.tool == Tool::Mcp));
    known
}

/// The MCP tool of a call: as the context tells it, else from the name `mcp_<server>_<tool>`. Gemini CLI warns of
/// server names with an underscore, so the first one ends the server's.
fn mcp<'a>(context: Option<&Object<'a>>, call: &ToolCall<'a>) -> Option<McpIdentity<'a>> {
    let said = |key| context.and_then(|context| context.str(key));
    let name = call.native_tool.as_deref().unwrap_or_default();
    let parts = name.strip_prefix("mcp_").and_then(|rest| rest.split_once('_'));
    let parts = parts.filter(|(server, _)| !server.is_empty());
    let owned = |text: &str| Cow::Owned(text.to_owned());
    let tool = said("tool_name").or_else(|| parts.map(|(_, tool)| owned(tool)))?;
    Some(McpIdentity {
        server: said("server_name").or_else(|| parts.map(|(server, _)| owned(server))),
        tool,
        plugin: None,
        url: said("url").or_else(|| said("tcp")),
        command: said("command"),
    })
}
