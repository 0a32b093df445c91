//! `tenter-server model` as a client sees it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A running model with a folder of its own.
struct Model {
    child: Child,
    folder: PathBuf,
    port: u16,
}

impl Model {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let script = json!({ "commands": ["first", "second"], "last": "over", "token": "00ff" });
        std::fs::write(folder.join("script"), script.to_string()).unwrap();
        let port_file = folder.join("port");
        drop(std::fs::remove_file(&port_file));
        let child = Command::new(env!("CARGO_BIN_EXE_tenter-server"))
            .arg("model")
            .args([Path::new("--script"), &folder.join("script")])
            .args([Path::new("--port-file"), &port_file])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while !port_file.exists() {
            assert!(start.elapsed() < Duration::from_secs(20), "the model says where it is");
            std::thread::sleep(Duration::from_millis(10));
        }
        let said: Value = serde_json::from_slice(&std::fs::read(port_file).unwrap()).unwrap();
        let port = said.get("port").and_then(Value::as_u64).unwrap().try_into().unwrap();
        Self { child, folder, port }
    }

    fn post(&self, path: &str, body: &Value) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let body = body.to_string();
        let head = format!("POST {path} HTTP/1.1\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        answer
    }

    /// Stops the model by removing its port file, and returns its report.
    fn end(mut self) -> Value {
        std::fs::remove_file(self.folder.join("port")).unwrap();
        let mut said = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(self.child.wait().unwrap().success());
        serde_json::from_str(&said).unwrap()
    }
}

/// The event of this type in a stream.
fn event(stream: &str, kind: &str) -> Value {
    let found = stream.split(&format!("event: {kind}\ndata: ")).nth(1).unwrap_or_default();
    serde_json::from_str(found.lines().next().unwrap_or_default()).unwrap()
}

#[test]
fn anthropics_messages_are_played() {
    let model = Model::new("anthropic");
    let ask = |results: &[&str]| {
        let results: Vec<Value> =
            results.iter().map(|text| json!({ "type": "tool_result", "content": text })).collect();
        let request = json!({ "model": "m", "stream": true, "tools": [{ "name": "Bash" }],
            "messages": [{ "role": "user", "content": results }] });
        model.post("/v1/messages?beta=true", &request)
    };
    let first = ask(&[]);
    assert_eq!(event(&first, "content_block_start")["content_block"]["name"], "Bash");
    let input = event(&first, "content_block_delta")["delta"]["partial_json"].to_string();
    assert!(input.contains("first"), "{input}");
    assert_eq!(event(&first, "message_delta")["delta"]["stop_reason"], "tool_use");
    let input = ask(&["denied: 00ff"]);
    assert!(event(&input, "content_block_delta").to_string().contains("second"));
    let last = ask(&["denied: 00ff", "ran"]);
    assert_eq!(event(&last, "content_block_delta")["delta"]["text"], "over");
    // A side request, without tools and stream.
    let side = model.post("/v1/messages", &json!({ "messages": [] }));
    assert!(side.contains("\"text\":\"over\"") && side.contains("end_turn"), "{side}");
    let report = model.end();
    let expected = json!({ "requests": 4, "played": 2, "told_token": true, "without_shell": true });
    assert_eq!(report, expected);
}

#[test]
fn openais_responses_are_played_with_every_kind_of_shell() {
    let model = Model::new("openai");
    let ask = |tools: Value, results: usize| {
        let output = json!({ "type": "function_call_output", "output": "ran" });
        let request = json!({ "tools": tools, "input": vec![output; results] });
        event(&model.post("/v1/responses", &request), "response.output_item.done")["item"].clone()
    };
    let plain = ask(json!([{ "type": "function", "name": "exec_command" }]), 0);
    assert_eq!((&plain["type"], &plain["name"]), (&json!("function_call"), &json!("exec_command")));
    assert_eq!(plain["arguments"], r#"{"cmd":"first"}"#);
    let list = ask(json!([{ "name": "shell" }]), 1);
    assert_eq!(list["arguments"], r#"{"command":["bash","-c","second"]}"#);
    let spaced = ask(json!([{ "name": "unix", "tools": [{ "name": "shell_command" }] }]), 0);
    assert_eq!(spaced["namespace"], "unix");
    let code = ask(json!([{ "type": "custom", "name": "exec" }]), 0);
    assert_eq!(code["type"], "custom_tool_call");
    assert!(code["input"].as_str().unwrap().contains(r#"tools.exec_command({"cmd":"first"})"#));
    let last = ask(json!([{ "name": "shell" }]), 2);
    assert_eq!(last["content"][0]["text"], "over");
    let report = model.end();
    assert_eq!((&report["requests"], &report["told_token"]), (&json!(5), &json!(false)));
}

#[test]
fn a_script_that_is_none_is_refused() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused");
    std::fs::create_dir_all(&folder).unwrap();
    for (text, said) in [("{", "the script is wrong"), (r#"{"commands": []}"#, "missing field")] {
        std::fs::write(folder.join("script"), text).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_tenter-server"))
            .args(["model", "--port-file", "port", "--script"])
            .arg(folder.join("script"))
            .current_dir(&folder)
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr.contains(said), "{stderr}");
        assert!(!folder.join("port").exists());
    }
}
