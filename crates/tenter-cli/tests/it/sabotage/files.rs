//! Sabotage of the hook file.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::json;

use super::machine::Machine;
use super::{ALL, Claude, Codex, Gemini, by_hand, pasted, try_all};

/// Replaces the file by something else.
fn instead(machine: &Machine, make: impl FnOnce(&std::path::Path)) {
    let file = machine.file();
    fs::remove_file(&file).unwrap();
    make(&file);
}

#[test]
fn what_it_says() {
    try_all(&[
        by_hand("broken", ALL, "file-broken", |it| it.text(|text| text.replacen(':', "", 1))),
        by_hand("cut off", &[Claude], "file-broken", |it| {
            it.text(|text| text.get(..text.len() / 2).unwrap().to_owned());
        }),
        by_hand("a list", ALL, "file-broken", |it| it.text(|_| "[]\n".to_owned())),
        pasted("a trailing comma", &[Gemini], "file-void", |it| {
            it.text(|text| format!("{},\n}}\n", text.trim_end().trim_end_matches('}').trim_end()));
        }),
        by_hand("hooks switched off", &[Gemini], "switched-off", |it| {
            it.json(|all| all["hooksConfig"] = json!({ "enabled": false }));
        }),
        by_hand("our hook switched off by its command", &[Gemini], "switched-off", |it| {
            let line = it.line();
            it.json(|all| all["hooksConfig"] = json!({ "disabled": ["other", line] }));
        }),
        by_hand("a text", &[Codex], "file-broken", |it| it.text(|_| "\"x\"\n".to_owned())),
        pasted("empty", ALL, "entry-gone", |it| it.text(|_| String::new())),
        pasted("an empty object", ALL, "entry-gone", |it| it.text(|_| "{}\n".to_owned())),
        by_hand("a mark of its bytes", &[Codex], "file-void", |it| {
            it.text(|text| format!("\u{feff}{text}"));
        }),
        by_hand("UTF-16", &[Claude], "file-broken", |it| {
            fs::write(it.file(), b"\xff\xfe{\0}\0").unwrap();
        }),
        pasted("hooks twice, the last one empty", &[Claude], "entry-gone", |it| {
            it.text(|text| {
                let end = text.rfind('}').unwrap();
                format!("{}, \"hooks\": {{}}}}\n", text.get(..end).unwrap().trim_end())
            });
        }),
    ]);
}

/// A copy of a hook in a wrong place voids all hooks.
#[test]
fn hooks_out_of_place() {
    try_all(&[
        by_hand("a copy under another key", &[Claude], "file-void", |it| {
            it.json(|all| all["_hooks"] = json!({ "PreToolUse": all["hooks"]["PreToolUse"] }));
        }),
        by_hand("an event by its name alone", &[Claude], "file-void", |it| {
            it.json(|all| all["x"] = json!({ "PermissionRequest": 1 }));
        }),
        by_hand("a list in the form of hooks", &[Claude], "file-void", |it| {
            it.json(|all| all["y"] = all["hooks"]["PreToolUse"].clone());
        }),
        by_hand("an event beside hooks", &[Claude], "file-void", |it| {
            it.json(|all| all["PreToolUse"] = all["hooks"]["PreToolUse"].clone());
        }),
    ]);
}

/// Claude Code ignores it and calls our hooks.
#[test]
fn an_event_that_is_no_list_costs_only_itself() {
    for value in [json!("x"), json!({}), json!(1)] {
        let machine = Machine::healthy(Claude);
        machine.json(|all| all["hooks"]["Stop"] = value.clone());
        let (doctor, prove) = (machine.doctor(), machine.prove());
        assert_eq!((doctor.exit, prove.exit), (0, 0), "{value}: {}\n{}", doctor.text, prove.text);
    }
    let machine = Machine::healthy(Claude);
    machine.json(|all| all["hooks"]["PermissionRequest"] = json!("x"));
    assert_eq!((machine.doctor().exit, machine.prove().exit), (1, 1));
}

/// An error that the printed command cannot fix remains an error after it.
#[test]
fn an_install_beside_a_misplaced_hook_is_not_well() {
    for rename in ["Hooks", "settings"] {
        let machine = Machine::healthy(Claude);
        machine.json(|all| {
            let hooks = all["hooks"].take();
            *all = match rename {
                "Hooks" => json!({ "Hooks": hooks }),
                _ => json!({ "settings": { "hooks": hooks } }),
            };
        });
        machine.paste("tenter install --hosts claude --scope user --yes");
        for report in [machine.doctor(), machine.prove()] {
            let void = report.ids.iter().any(|id| id == "file-void");
            assert!(report.exit == 1 && void, "{rename}: {report:?}");
        }
    }
}

#[test]
fn what_it_is() {
    try_all(&[
        pasted("gone", ALL, "entry-gone", |it| instead(it, |_| ())),
        pasted("a link to nothing", ALL, "entry-gone", |it| {
            let nothing = it.path("home/nothing.json");
            instead(it, |file| symlink(nothing, file).unwrap());
        }),
        pasted("a link into no folder", ALL, "file-broken", |it| {
            instead(it, |file| symlink("/no/such/folder/x.json", file).unwrap());
        }),
        pasted("a link to itself", &[Claude], "file-broken", |it| {
            instead(it, |file| symlink(file, file).unwrap());
        }),
        pasted("a link to another file", ALL, "entry-gone", |it| {
            it.write("home/other.json", "{}\n");
            let other = it.path("home/other.json");
            instead(it, |file| symlink(other, file).unwrap());
        }),
        pasted("a folder", ALL, "file-broken", |it| {
            instead(it, |file| fs::create_dir(file).unwrap());
        }),
        pasted("a pipe", ALL, "file-broken", |it| {
            instead(it, |file| {
                assert!(Command::new("mkfifo").arg(file).status().unwrap().success());
            });
        }),
        pasted("a folder of the host that leads nowhere", &[Claude], "file-broken", |it| {
            let (folder, none) = (it.path("home/.claude"), it.path("home/none"));
            fs::remove_dir_all(&folder).unwrap();
            symlink(none, folder).unwrap();
        }),
        pasted("a folder of the host that is gone", &[Claude], "entry-gone", |it| {
            fs::remove_dir_all(it.file().parent().unwrap()).unwrap();
        }),
    ]);
}
