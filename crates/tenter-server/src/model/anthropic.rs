//! Anthropic's Messages API, streamed or not.

use serde_json::{Value, json};

use super::http::Response;
use super::script::{Report, Script, Turn, pick};

const SHELLS: &[&str] = &["Bash", "PowerShell"];

pub(super) fn answer(request: &Value, script: &Script, report: &mut Report) -> Response {
    let list =
        |key: &str| request.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let names: Vec<&str> =
        list("tools").iter().filter_map(|tool| tool.get("name")?.as_str()).collect();
    let shell = pick(SHELLS, &names);
    let results: Vec<&Value> = list("messages")
        .iter()
        .filter_map(|message| message.get("content")?.as_array())
        .flatten()
        .filter(|block| block.get("type").is_some_and(|kind| kind == "tool_result"))
        .collect();
    let turn = script.turn(&results, shell.is_some(), report);
    let (block, start, delta, stop) = match turn {
        Turn::Run(command) => {
            let input = json!({ "command": command, "description": "canary" });
            let id = format!("toolu_{:024}", results.len());
            let tool = |input: &Value| json!({ "type": "tool_use", "id": id, "name": shell, "input": input });
            let delta = json!({ "type": "input_json_delta", "partial_json": input.to_string() });
            (tool(&input), tool(&json!({})), delta, "tool_use")
        }
        Turn::Say(text) => {
            let block = |text: &str| json!({ "type": "text", "text": text });
            (block(text), block(""), json!({ "type": "text_delta", "text": text }), "end_turn")
        }
    };
    let usage = json!({ "input_tokens": 1, "output_tokens": 1,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0 });
    let message = |content: Value, stop: Option<&str>| {
        json!({ "id": format!("msg_{}", results.len()), "type": "message", "role": "assistant",
            "model": request.get("model"), "content": content, "stop_reason": stop,
            "stop_sequence": null, "usage": usage })
    };
    if request.get("stream") != Some(&Value::Bool(true)) {
        return Response::json(&message(json!([block]), Some(stop)));
    }
    Response::events(&[
        json!({ "type": "message_start", "message": message(json!([]), None) }),
        json!({ "type": "content_block_start", "index": 0, "content_block": start }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "usage": usage,
            "delta": { "stop_reason": stop, "stop_sequence": null } }),
        json!({ "type": "message_stop" }),
    ])
}
