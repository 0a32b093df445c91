//! Details of the hosts' payloads that are easy to get wrong.

use serde_json::{Value, json};
use tenter_hosts::{Payload, host};
use tenter_model::{Action, Body, Event, EventKind, HostId};
use tenter_testkit::{fixtures, fixtures_of};

fn host_id(name: &str) -> HostId {
    name.parse().unwrap()
}

/// Decodes a payload and passes the event to `look`.
fn with_event<T>(id: HostId, payload: &str, look: impl FnOnce(&Event<'_>) -> T) -> T {
    let payload = Payload::from_bytes(payload.as_bytes().to_vec());
    let object = payload.object().unwrap();
    look(&host(id).decode(&object))
}

/// The unified event as JSON.
fn unified(id: HostId, payload: &Value) -> Value {
    with_event(id, &payload.to_string(), |event| {
        serde_json::from_str(&serde_json::to_string(event).unwrap()).unwrap()
    })
}

#[test]
fn every_documented_event_has_a_fixture_and_its_kind() {
    for id in HostId::ALL {
        let seen: Vec<String> =
            fixtures_of(id.as_str()).iter().map(tenter_testkit::Fixture::event).collect();
        for spec in host(id).events() {
            assert!(
                seen.iter().any(|name| name == spec.native),
                "no fixture for {id} {}",
                spec.native
            );
        }
    }
    for fixture in fixtures() {
        let id = host_id(&fixture.host);
        with_event(id, &fixture.text, |event| {
            assert_eq!(event.kind(), host(id).kind(&fixture.event()), "{}", fixture.name);
            assert_eq!(event.native_event, fixture.event(), "{}", fixture.name);
            assert!(event.notes.is_empty(), "{}: {:?}", fixture.name, event.notes);
        });
    }
}

#[test]
fn the_number_of_events_is_the_documented_one() {
    let count = |id| host(id).events().len();
    assert_eq!(count(HostId::Cursor), 21);
    assert_eq!(count(HostId::Claude), 33);
    // Twelve events and `notify`.
    assert_eq!(count(HostId::Codex), 13);
    assert_eq!(count(HostId::Gemini), 11);
    assert_eq!(count(HostId::Qwen), 22);
}

#[test]
fn the_payload_is_kept_to_the_byte() {
    for fixture in fixtures() {
        with_event(host_id(&fixture.host), &fixture.text, |event| {
            assert_eq!(event.native, fixture.text.trim());
            let unified = serde_json::to_string(event).unwrap();
            assert!(unified.contains(&format!("\"_native\":{}", fixture.text.trim())));
        });
    }
    let odd = r#"{ "b" : 1.10, "a":1E400,"hook_event_name":"x" , "a":12345678901234567890123 }"#;
    with_event(HostId::Cursor, odd, |event| {
        assert!(serde_json::to_string(event).unwrap().ends_with(&format!("\"_native\":{odd}}}")));
    });
}

#[test]
fn cursor_documents_inside_strings_are_unpacked() {
    let post = json!({"hook_event_name": "postToolUse", "tool_name": "Shell",
        "tool_input": {"command": "ls"}, "tool_output": "{\"output\":\"a\",\"exitCode\":3}",
        "duration": 5432.118});
    let event = unified(HostId::Cursor, &post);
    assert_eq!(event["tool_response"], json!({"output": "a", "exitCode": 3}));
    assert_eq!(event["exit_code"], json!(3));
    assert_eq!(event["duration_ms"], json!(5432.118));

    let mcp = json!({"hook_event_name": "afterMCPExecution", "tool_name": "run_sql",
        "tool_input": "{\"query\":\"SELECT 1\"}", "result_json": "{\"rows\":[1]}", "duration": 61.5});
    let event = unified(HostId::Cursor, &mcp);
    assert_eq!(event["tool_input"], json!({"query": "SELECT 1"}));
    assert_eq!(event["tool_response"], json!({"rows": [1]}));

    let plain = json!({"hook_event_name": "postToolUse", "tool_name": "Read",
        "tool_input": {"file_path": "/a"}, "tool_output": "just text"});
    assert_eq!(unified(HostId::Cursor, &plain)["tool_response"], json!("just text"));
}

#[test]
fn attachments_have_a_path_in_either_spelling() {
    let payload = json!({"hook_event_name": "beforeSubmitPrompt", "prompt": "p",
        "attachments": [{"type": "file", "file_path": "/a"}, {"type": "rule", "filePath": "/b"}]});
    assert_eq!(
        unified(HostId::Cursor, &payload)["attachments"],
        json!([{"type": "file", "file_path": "/a"}, {"type": "rule", "file_path": "/b"}])
    );
}

#[test]
fn the_mcp_server_is_found_under_every_name() {
    let call = |extra: Value| {
        let mut payload = json!({"hook_event_name": "beforeMCPExecution", "tool_name": "run_sql", "tool_input": "{}"});
        payload.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        unified(HostId::Cursor, &payload)["mcp"].clone()
    };
    assert_eq!(call(json!({"mcp_server_name": "pg"}))["id"], "pg/run_sql");
    assert_eq!(call(json!({"server": "pg"}))["id"], "pg/run_sql");
    assert_eq!(call(json!({"mcp_server_name": "pg", "server": "other"}))["id"], "pg/run_sql");
    assert_eq!(call(json!({}))["id"], "?/run_sql");
    assert_eq!(call(json!({"command": "npx pg-mcp"}))["command"], "npx pg-mcp");
    assert_eq!(call(json!({"url": "http://x"}))["url"], "http://x");
}

#[test]
fn one_mcp_tool_has_one_name_on_every_host() {
    let generic = |id, name: &str, extra: Value| {
        let mut payload = json!({"hook_event_name": if id == HostId::Cursor { "preToolUse" } else { "PreToolUse" },
            "tool_name": name, "tool_input": {"a": 1}});
        payload.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let event = unified(id, &payload);
        assert_eq!(event["tool"], "MCP");
        assert_eq!(event["tool_input"], json!({"a": 1}));
        event["mcp"]["id"].as_str().unwrap().to_owned()
    };
    assert_eq!(generic(HostId::Claude, "mcp__github__create", json!({})), "github/create");
    assert_eq!(generic(HostId::Codex, "mcp__github__create", json!({})), "github/create");
    assert_eq!(
        generic(HostId::Claude, "mcp__plugin_tools_github__create", json!({})),
        "github/create"
    );
    let told = json!({"mcp_server": {"name": "plugin:my_tools:github", "source": "plugin"}});
    assert_eq!(
        generic(HostId::Claude, "mcp__plugin_my_tools_github__create", told),
        "github/create"
    );
    let told = json!({"mcp_server": {"name": "a__b"}});
    assert_eq!(generic(HostId::Claude, "mcp__a__b__c", told), "a__b/c");
    assert_eq!(
        generic(HostId::Codex, "mcp__plugin_evil_github__create", json!({})),
        "plugin_evil_github/create",
        "Codex has no plugin form"
    );
    assert_eq!(
        generic(HostId::Cursor, "MCP:create", json!({"mcp_server_name": "github"})),
        "github/create"
    );
    assert_eq!(generic(HostId::Cursor, "MCP:create", json!({})), "?/create");
}

#[test]
fn an_empty_cwd_is_the_workspace() {
    let payload = json!({"hook_event_name": "beforeShellExecution", "command": "ls", "cwd": "",
        "workspace_roots": ["/home/ana/shop"]});
    assert_eq!(unified(HostId::Cursor, &payload)["cwd"], "/home/ana/shop");
    let payload = json!({"hook_event_name": "beforeShellExecution", "command": "ls", "cwd": ""});
    assert_eq!(unified(HostId::Cursor, &payload).get("cwd"), None);
}

#[test]
fn the_session_is_known_with_and_without_its_own_field() {
    let with = json!({"hook_event_name": "stop", "session_id": "s", "conversation_id": "c"});
    let without = json!({"hook_event_name": "stop", "conversation_id": "c"});
    assert_eq!(unified(HostId::Cursor, &with)["session_id"], "s");
    assert_eq!(unified(HostId::Cursor, &without)["session_id"], "c");
}

#[test]
fn unknown_events_fields_and_values_pass_through() {
    for id in HostId::ALL {
        let payload =
            json!({"hook_event_name": "SomethingNew", "session_id": "s", "new_field": {"x": [1]}});
        let event = unified(id, &payload);
        assert_eq!(event["event"], "Other");
        assert_eq!(event["native_event"], "SomethingNew");
        assert_eq!(event["_native"]["new_field"], json!({"x": [1]}));
    }
    let payload = json!({"hook_event_name": "stop", "status": "some new status"});
    assert_eq!(unified(HostId::Cursor, &payload)["status"], "some new status");
    let payload =
        json!({"hook_event_name": "PreToolUse", "tool_name": "NewTool", "tool_input": {"k": 1}});
    let event = unified(HostId::Claude, &payload);
    assert_eq!(event["tool"], "NewTool");
    assert_eq!(event["tool_input"], json!({"k": 1}));
}

#[test]
fn a_field_of_the_wrong_type_is_noted_and_nothing_else_is_lost() {
    let payload = r#"{"hook_event_name":"beforeShellExecution","command":"ls","cwd":7,"sandbox":"yes",
        "workspace_roots":"not a list"}"#;
    with_event(HostId::Cursor, payload, |event| {
        let fields: Vec<&str> = event.notes.iter().map(|note| note.field.as_ref()).collect();
        assert_eq!(fields, ["workspace_roots", "sandbox", "cwd"]);
        assert_eq!(event.tool_call().unwrap().command().unwrap(), "ls");
    });
    let payload = r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},
        "tool_response":{},"duration_ms":1e999}"#;
    with_event(HostId::Claude, payload, |event| {
        assert_eq!(event.notes.len(), 1);
        assert_eq!(event.notes[0].field, "duration_ms");
    });
}

#[test]
fn a_tool_without_its_input_is_not_taken_for_a_harmless_one() {
    let odd = [
        r#"{"run":"ls"}"#,
        r#"{"command":{"text":"ls"}}"#,
        r#"{"command":null}"#,
        r#"{"command":["ls",7]}"#,
        r#""ls""#,
        "null",
    ];
    for input in odd {
        let payload = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{input}}}"#
        );
        with_event(HostId::Claude, &payload, |event| {
            let actions = &event.tool_call().unwrap().actions;
            assert!(matches!(actions.as_slice(), [Action::Other { .. }]), "{input}: {actions:?}");
            assert_eq!(event.notes.len(), 1, "{input}: {:?}", event.notes);
            assert!(event.tool_call().unwrap().malformed.is_some(), "{input}");
        });
    }
}

#[test]
fn every_spelling_of_a_command_is_one() {
    for (input, commands) in [
        (r#"{"cmd":"ls"}"#, &["ls"][..]),
        (r#"{"Command":"ls"}"#, &["ls"]),
        (r#"{"CommandLine":"ls","Cwd":"/w"}"#, &["ls"]),
        (r#"{"command":["rm","-rf","a b"]}"#, &["rm -rf 'a b'"]),
        (r#"{"commands":["ls","id"]}"#, &["ls", "id"]),
        (r#"{"cmd":"rm x","command":"ls"}"#, &["ls", "rm x"]),
        (r#"{"command":"a","command":"b","command":"c"}"#, &["c", "a", "b"]),
    ] {
        let payload = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"Monitor","tool_input":{input}}}"#
        );
        with_event(HostId::Claude, &payload, |event| {
            let call = event.tool_call().unwrap();
            let found: Vec<_> = call
                .actions
                .iter()
                .map(|action| match action {
                    Action::Shell { command, .. } => command.get().into_owned(),
                    other => format!("{other:?}"),
                })
                .collect();
            assert_eq!(
                (call.tool.as_str(), found.as_slice()),
                ("Bash", &commands.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()[..]),
                "{input}"
            );
            assert_eq!(call.malformed, None, "{input}");
        });
    }
}

#[test]
fn a_payload_that_repeats_its_fields_is_read_in_every_way() {
    let payload = r#"{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/a"},
        "tool_input":{"file_path":"/b"},"toolInput":{"file_path":"/b"}}"#;
    with_event(HostId::Claude, payload, |event| {
        let files: Vec<_> =
            event.tool_call().unwrap().files().map(|it| it.path.to_owned()).collect();
        assert_eq!(files, ["/b", "/a"]);
    });
    let payload = r#"{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":
        {"file_path":"/a","edits":[{"old_string":"","new_string":"x","new_string":"y"}]}}"#;
    with_event(HostId::Claude, payload, |event| {
        let Action::Edit { edits, .. } = &event.tool_call().unwrap().actions[0] else { panic!() };
        assert_eq!(
            edits.iter().map(|it| it.new.get().into_owned()).collect::<Vec<_>>(),
            ["x", "y"]
        );
    });
}

#[test]
fn a_call_under_an_unknown_event_is_a_call() {
    for (id, payload) in [
        (
            HostId::Claude,
            r#"{"hook_event_name":"PreToolUse2","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        ),
        (HostId::Claude, r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#),
        (HostId::Codex, r#"{"type":"x","tool_name":"Bash","tool_input":{"command":"ls"}}"#),
        (HostId::Cursor, r#"{"hook_event_name":"beforeShell","command":"ls"}"#),
        (HostId::Cursor, r#"{"tool_name":"Shell","tool_input":{"command":"ls"}}"#),
    ] {
        with_event(id, payload, |event| {
            let call = event.tool_call().unwrap();
            assert_eq!(call.command().as_deref(), Some("ls"), "{payload}");
            assert!(call.malformed.is_some(), "{payload}");
        });
    }
    let after =
        r#"{"hook_event_name":"New","tool_name":"Bash","tool_input":{},"tool_response":{}}"#;
    with_event(HostId::Claude, after, |event| assert!(event.tool_call().is_none()));
}

#[test]
fn agents_that_start_agents_are_tasks_under_every_name() {
    for tool in [
        "Task",
        "Agent",
        "spawn_agent",
        "collaborationspawn_agent",
        "collaboration.spawn_agent",
        "spawn_subagent",
        "invoke_agent",
    ] {
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": {"message": "say hi", "agent_type": "worker"}});
        let event = unified(HostId::Codex, &payload);
        assert_eq!(event["tool"], "Task", "{tool}");
        assert_eq!(event["tool_input"]["prompt"], "say hi", "{tool}");
    }
}

#[test]
fn input_inside_a_string_is_judged_like_any_other() {
    let payload = json!({"hook_event_name": "preToolUse", "tool_name": "Shell",
        "tool_input": "{\"command\":\"rm -rf /\",\"working_directory\":\"/w\"}"});
    let event = unified(HostId::Cursor, &payload);
    assert_eq!(event["tool_input"], json!({"command": "rm -rf /", "cwd": "/w"}));
}

#[test]
fn of_a_repeated_key_the_last_is_read_and_rewritten() {
    let payload = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"a","command":"b"}}"#;
    with_event(HostId::Claude, payload, |event| {
        let call = event.tool_call().unwrap();
        assert_eq!(call.command().unwrap(), "b");
        let change = tenter_model::ModifiedInput::from_json(r#"{"command":"c"}"#).unwrap();
        assert_eq!(call.native_input_with(&change).unwrap().0, r#"{"command":"c"}"#);
    });
}

#[test]
fn a_search_names_where_it_looks() {
    let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Grep",
        "tool_input": {"pattern": "KEY", "path": "/w/.env"}});
    let event = unified(HostId::Claude, &payload);
    assert_eq!(event["files"], json!([{"path": "/w/.env", "op": "search"}]));
}

#[test]
fn codex_patches_become_the_files_they_touch() {
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n@@\n-1\n+2\n*** Delete File: d\n*** End Patch\n";
    let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "apply_patch",
        "tool_input": {"command": patch}});
    let event = unified(HostId::Codex, &payload);
    assert_eq!(event["tool"], "Edit");
    assert_eq!(event["native_tool"], "apply_patch");
    assert_eq!(
        event["files"],
        json!([{"path": "a", "op": "write"}, {"path": "b", "op": "edit", "moved_to": "c"},
               {"path": "d", "op": "delete"}])
    );
    assert_eq!(event["tool_input"]["patch"], patch);
    assert_eq!(
        event["tool_input"]["changes"][0],
        json!({"op": "write", "file_path": "a", "content": "x\n"})
    );
}

#[test]
fn a_patch_inside_a_codex_shell_command_is_seen() {
    let command =
        "cd src && apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: d\n*** End Patch\nEOF";
    let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}});
    let event = unified(HostId::Codex, &payload);
    assert_eq!(event["tool"], "Bash");
    assert_eq!(event["files"], json!([{"path": "src/d", "op": "delete"}]));
}

#[test]
fn half_an_edit_does_not_pass_for_the_whole() {
    for input in [
        r#"{"file_path":"/a","edits":[{"before":"a","after":"b"}]}"#,
        r#"{"file_path":"/a","new_string":7}"#,
        r#"{"file_path":7,"content":"x"}"#,
    ] {
        let payload = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{input}}}"#
        );
        with_event(HostId::Claude, &payload, |event| {
            assert!(
                matches!(event.tool_call().unwrap().actions[0], Action::Other { .. }),
                "{input}"
            );
            assert_eq!(event.notes.len(), 1, "{input}");
        });
    }
    for (tool, input) in [
        ("Edit", r#"{"file_path":"/w/.env","code_edit":"x"}"#),
        ("NotebookEdit", r#"{"notebook_path":"/w/.env","edit_mode":"delete","cell_id":"1"}"#),
        ("ApplyPatch", r#"{"file_path":"/w/.env","patch":"@@\n-x\n+y"}"#),
    ] {
        let payload = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{input}}}"#
        );
        with_event(HostId::Claude, &payload, |event| {
            let call = event.tool_call().unwrap();
            let named: Vec<_> = call.files().map(|file| file.path.to_owned()).collect();
            assert_eq!((call.tool.as_str(), named), ("Edit", vec!["/w/.env".to_owned()]), "{tool}");
        });
    }
    let payload = r#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/a","content":"whole","new_string":"part"}}"#;
    with_event(HostId::Claude, payload, |event| {
        let write = Action::Write { path: "/a".into(), content: "whole".into() };
        assert_eq!(event.tool_call().unwrap().actions, [write]);
    });
}

#[test]
fn an_alias_cannot_be_shadowed() {
    let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "Read",
        "tool_input": {"path": "/etc/shadow", "file_path": null}});
    assert_eq!(
        unified(HostId::Claude, &payload)["tool_input"],
        json!({"file_path": "/etc/shadow"})
    );
}

#[test]
fn patches_are_read_under_every_name() {
    let patch = "*** Begin Patch\n*** Delete File: d\n*** End Patch";
    for (id, event, tool, key) in [
        (HostId::Codex, "PreToolUse", "apply_patch", "command"),
        (HostId::Codex, "PreToolUse", "apply_patch", "input"),
        (HostId::Cursor, "preToolUse", "ApplyPatch", "patch"),
    ] {
        let payload =
            json!({"hook_event_name": event, "tool_name": tool, "tool_input": {key: patch}});
        let event = unified(id, &payload);
        assert_eq!(event["files"], json!([{"path": "d", "op": "delete"}]), "{tool} {key}");
        assert_eq!(event["tool_input"]["patch"], patch, "{tool} {key}");
        assert_eq!(event["tool_input"]["changes"][0]["file_path"], "d", "{tool} {key}");
    }
}

#[test]
fn different_calls_have_different_fingerprints() {
    let print = |payload: &Value| unified(HostId::Claude, payload)["call_fingerprint"].clone();
    let call = |tool: &str, input: Value, cwd: &str| {
        print(
            &json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": cwd, "tool_name": tool,
            "tool_input": input}),
        )
    };
    let edit = json!({"file_path": "/a", "old_string": "x", "new_string": "y"});
    let mut everywhere = edit.clone();
    everywhere["replace_all"] = json!(true);
    let pairs = [
        (
            call("mcp__prod__sql", json!({"q": 1}), "/w"),
            call("mcp__dev__sql", json!({"q": 1}), "/w"),
        ),
        (
            call("Bash", json!({"command": "rm -rf *"}), "/tmp/x"),
            call("Bash", json!({"command": "rm -rf *"}), "/home"),
        ),
        (call("Edit", edit, "/w"), call("Edit", everywhere, "/w")),
        (
            call(
                "NotebookEdit",
                json!({"notebook_path": "/n", "cell_id": "1", "new_source": "x"}),
                "/w",
            ),
            call(
                "NotebookEdit",
                json!({"notebook_path": "/n", "cell_id": "2", "new_source": "x"}),
                "/w",
            ),
        ),
    ];
    for (left, right) in pairs {
        assert_ne!(left, right);
    }
    let big = |digits: &str| {
        let payload = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"mcp__s__t","tool_input":{{"n":{digits}}}}}"#
        );
        with_event(HostId::Claude, &payload, |event| event.fingerprint().unwrap())
    };
    assert_ne!(big("12345678901234567890123"), big("12345678901234567890124"));
}

#[test]
fn codex_notify_is_a_finished_turn() {
    let notify = fixtures_of("codex").into_iter().find(|f| f.name.contains("notify")).unwrap();
    with_event(HostId::Codex, &notify.text, |event| {
        assert_eq!(event.kind(), EventKind::Stop);
        let Body::Stop(info) = &event.body else { panic!("not a stop") };
        assert_eq!(info.last_assistant_message.as_ref().unwrap().get(), "All done.");
        assert_eq!(event.session_id.as_deref(), Some("01a1e13a-e4da-7130-9272-6f9dc5c2d90f"));
    });
}

#[test]
fn megabytes_of_content_are_not_copied() {
    let content = "line \\\"quoted\\\"\\n".repeat(300_000);
    let payload =
        format!(r#"{{"hook_event_name":"beforeReadFile","file_path":"/a","content":"{content}"}}"#);
    with_event(HostId::Cursor, &payload, |event| {
        let [Action::Read { content: Some(text), .. }] =
            event.tool_call().unwrap().actions.as_slice()
        else {
            panic!("not a read")
        };
        assert!(matches!(text, tenter_model::Text::Escaped(_)));
        assert_eq!(text.get(), "line \"quoted\"\n".repeat(300_000));
    });
}

#[test]
fn deep_nesting_neither_overflows_nor_hides_the_event() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for (id, event) in [
        (HostId::Cursor, "preToolUse"),
        (HostId::Claude, "PreToolUse"),
        (HostId::Codex, "PreToolUse"),
    ] {
        let payload = format!(
            r#"{{"hook_event_name":"{event}","tool_name":"Bash","tool_input":{{"command":"ls","x":{deep}}},"y":{deep}}}"#
        );
        with_event(id, &payload, |event| {
            assert_eq!(event.tool_call().unwrap().command().unwrap(), "ls");
            assert!(event.fingerprint().is_some());
            assert!(serde_json::to_string(event).is_ok());
        });
    }
}

#[test]
fn generic_and_specific_cursor_events_share_a_fingerprint() {
    let base = json!({"conversation_id": "c", "generation_id": "g", "cursor_version": "3.21.16"});
    let print = |extra: Value| {
        let mut payload = base.clone();
        payload.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        unified(HostId::Cursor, &payload)["call_fingerprint"].as_str().unwrap().to_owned()
    };
    let shell =
        print(json!({"hook_event_name": "beforeShellExecution", "command": "ls -l", "cwd": "/x"}));
    let generic = |name: &str, input: Value| {
        print(
            json!({"hook_event_name": name, "tool_name": "Shell", "tool_input": input, "tool_use_id": "t"}),
        )
    };
    assert_eq!(shell, generic("preToolUse", json!({"command": "ls -l", "cwd": "", "timeout": 3})));
    assert_eq!(shell, generic("postToolUse", json!({"command": "ls -l"})));
    assert_eq!(
        shell,
        print(json!({"hook_event_name": "afterShellExecution", "command": "ls -l", "output": ""}))
    );
    assert_ne!(shell, generic("preToolUse", json!({"command": "ls -la"})));

    let read =
        print(json!({"hook_event_name": "beforeReadFile", "file_path": "/a", "content": "x"}));
    let pre = print(
        json!({"hook_event_name": "preToolUse", "tool_name": "Read", "tool_input": {"file_path": "/a"}}),
    );
    assert_eq!(read, pre);

    let mcp = print(
        json!({"hook_event_name": "beforeMCPExecution", "tool_name": "t", "mcp_server_name": "s",
        "tool_input": "{\"b\": [1, {\"d\":2,\"c\":3}],  \"a\":1}"}),
    );
    let pre = print(json!({"hook_event_name": "preToolUse", "tool_name": "MCP:t",
        "tool_input": {"a": 1, "b": [1, {"c": 3, "d": 2}]}}));
    assert_eq!(mcp, pre);

    let edit = print(json!({"hook_event_name": "afterFileEdit", "file_path": "/a",
        "edits": [{"old_string": "", "new_string": "x"}]}));
    let post = print(json!({"hook_event_name": "postToolUse", "tool_name": "Write",
        "tool_input": {"file_path": "/a", "content": "x"}}));
    assert_eq!(edit, post);
    let write = |content: &str| {
        print(json!({"hook_event_name": "preToolUse", "tool_name": "Write",
            "tool_input": {"file_path": "/a", "content": content}}))
    };
    assert_ne!(write("harmless"), write("harmful"), "two writes to one file are two calls");
}
