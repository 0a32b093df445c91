//! OpenAI's Responses API, streamed.

use serde_json::{Value, json};

use super::http::Response;
use super::script::{Report, Script, Turn, pick};

const SHELLS: &[&str] = &["exec_command", "shell_command", "shell", CODE];
/// Newer models are offered a single tool, in which JavaScript calls the others.
const CODE: &str = "exec";

/// A tool offered by the client.
#[derive(Debug)]
struct Tool<'r> {
    name: &'r str,
    /// The group that contains the tool.
    space: Option<&'r str>,
}

fn offered(request: &Value) -> Vec<Tool<'_>> {
    let mut tools = Vec::new();
    let own = request.get("tools").and_then(Value::as_array).into_iter().flatten();
    let later = request
        .get("input")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|item| item.get("type").is_some_and(|kind| kind == "additional_tools"))
        .filter_map(|item| item.get("tools")?.as_array())
        .flatten();
    for tool in own.chain(later) {
        match tool.get("tools").and_then(Value::as_array) {
            Some(inner) => {
                let space = tool.get("name").and_then(Value::as_str);
                let named = inner.iter().filter_map(|tool| tool.get("name")?.as_str());
                tools.extend(named.map(|name| Tool { name, space }));
            }
            None => {
                let name = tool.get("name").or_else(|| tool.get("type"));
                let name = name.and_then(Value::as_str);
                tools.extend(name.map(|name| Tool { name, space: None }));
            }
        }
    }
    tools
}

pub(super) fn answer(request: &Value, script: &Script, report: &mut Report) -> Response {
    let tools = offered(request);
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    let shell = pick(SHELLS, &names);
    let results: Vec<&Value> = request
        .get("input")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|item| {
            let kind = item.get("type").and_then(Value::as_str);
            kind.is_some_and(|kind| kind.ends_with("_output"))
        })
        .collect();
    let number = results.len();
    let item = match (script.turn(&results, shell.is_some(), report), shell) {
        (Turn::Run(command), Some(CODE)) => {
            let call = json!({ "cmd": command });
            let code =
                format!("const r = await tools.exec_command({call}); text(JSON.stringify(r));");
            json!({ "type": "custom_tool_call", "id": format!("ctc_{number}"),
                "call_id": format!("call_{number}"), "name": CODE, "input": code })
        }
        (Turn::Run(command), Some(name)) => {
            let arguments = match name {
                "exec_command" => json!({ "cmd": command }),
                "shell" => json!({ "command": ["bash", "-c", command] }),
                _ => json!({ "command": command }),
            };
            json!({ "type": "function_call", "id": format!("fc_{number}"),
                "call_id": format!("call_{number}"), "name": name,
                "arguments": arguments.to_string() })
        }
        (Turn::Run(text) | Turn::Say(text), _) => {
            json!({ "type": "message", "id": format!("msg_{number}"), "role": "assistant",
                "content": [{ "type": "output_text", "text": text, "annotations": [] }] })
        }
    };
    let space = tools.iter().find(|tool| Some(tool.name) == shell).and_then(|tool| tool.space);
    let space = space.filter(|space| *space != "functions" && item.get("name").is_some());
    let item = match space {
        Some(space) => with(item, "namespace", space),
        None => item,
    };
    stream(&item, number)
}

/// The object with one more field.
fn with(mut object: Value, key: &str, text: &str) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.insert(key.to_owned(), text.into());
    }
    object
}

fn stream(item: &Value, number: usize) -> Response {
    let id = format!("resp_{number}");
    let added = with(item.clone(), "status", "in_progress");
    let added = json!({ "type": "response.output_item.added", "output_index": 0, "item": added });
    let item = with(item.clone(), "status", "completed");
    let usage = json!({ "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1,
        "output_tokens_details": null, "total_tokens": 2 });
    Response::events(&[
        json!({ "type": "response.created", "response": { "id": id, "status": "in_progress" } }),
        added,
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": id, "object": "response",
            "status": "completed", "output": [item], "usage": usage } }),
    ])
}
