//! `tenter lint` from outside: output, written files, exit code.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tenter_testkit::{Ran, Tenter, Tree};

/// A home with a project, isolated from the real machine except for system folders.
struct World {
    tree: Tree,
}

impl std::ops::Deref for World {
    type Target = Tree;

    fn deref(&self) -> &Tree {
        &self.tree
    }
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let world = Self { tree: Tree::new(&["home/shop/.git"]) };
        for (name, text) in files {
            world.write(name, text);
        }
        world
    }

    /// Runs `tenter lint` in the project.
    fn lint(&self, arguments: &[&str]) -> Ran {
        let all: Vec<&str> = std::iter::once("lint").chain(arguments.iter().copied()).collect();
        let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(&all);
        command
            .current_dir(self.path("home/shop"))
            .env("HOME", self.path("home"))
            .env("USERPROFILE", self.path("home"))
            .env_remove("CODEX_HOME");
        Tenter::finish(command, "")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let all: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
        serde_json::from_str(&self.lint(&all).stdout).unwrap()
    }
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

const CURSOR: &str = "home/shop/.cursor/hooks.json";
const CLEAN: &str =
    "{ \"version\": 1, \"hooks\": { \"stop\": [{ \"command\": \"echo done\" }] } }\n";

const MESSY: &str = r#"{
  // The hooks of the shop; "timeout": 5000 is explained below.
  "hooks" : {
      "PreToolUse":[ {"command":"./hooks/format.sh --all",   "timeout": 5000 /* five seconds */ } ],
    "stop": [
	{ "command": "echo done", "loopLimit": 3 },
      { "prompt": "Is it done?" }
    ],
    "afterFileEdit": [{
      "command": ".cursor/hooks/format.sh", // keep me
      "loop_limit": 2
    }]
  }
}
"#;

const MENDED: &str = r#"{
  // The hooks of the shop; "timeout": 5000 is explained below.
  "version": 1,
  "hooks" : {
      "preToolUse":[ {"command":".cursor/hooks/format.sh --all",   "timeout": 5 /* five seconds */ } ],
    "stop": [
	{ "command": "echo done", "loop_limit": 3 },
      { "type": "prompt", "prompt": "Is it done?" }
    ],
    "afterFileEdit": [{
      "command": ".cursor/hooks/format.sh" // keep me
    }]
  }
}
"#;

const SCRIPT: (&str, &str) = ("home/shop/.cursor/hooks/format.sh*", "#!/bin/sh\nexit 0\n");

#[test]
fn a_finding_shows_place_line_cost_and_fix() {
    let bad = CLEAN.replace("\"echo done\"", "\"echo done\", \"timeout\": 5000");
    let world = World::new(&[(CURSOR, &bad)]);
    let ran = world.lint(&[]);
    let wanted = "warning[timeout-in-milliseconds]: a timeout of 5000 is 83 minutes\n --> \
                  .cursor/hooks.json:1:74\n  1 | ...1, \"hooks\": { \"stop\": [{ \"command\": \"echo done\", \
                  \"timeout\": 5000 }] } }\n    |                                                                ^\n  \
                  cost: a hook that hangs holds the agent up for 83 minutes\n  fix: write 5: the unit is seconds \
                  (--fix does it)\n\n1 warning in 1 file; --fix mends 1\n";
    assert_eq!(ran.stdout, wanted);
    assert_eq!((ran.exit, ran.stderr.as_str()), (1, ""));
}

#[test]
fn clean_files_are_named() {
    let world = World::new(&[(CURSOR, CLEAN)]);
    let ran = world.lint(&[]);
    assert_eq!(ran.stdout, "looked at .cursor/hooks.json\nno findings\n");
    assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""));
    let found = world.json(&[]);
    assert_eq!(found["findings"], serde_json::json!([]));
    assert_eq!(found["files"].as_array().unwrap().len(), 1);
}

#[test]
fn without_files_it_says_where_it_looked() {
    let world = World::new(&[]);
    let ran = world.lint(&[]);
    assert_eq!(ran.exit, 0);
    assert!(ran.stdout.starts_with("no hook files; looked at:\n"), "{}", ran.stdout);
    for place in [".cursor/hooks.json", ".claude/settings.local.json", "home/.codex/hooks.json"] {
        assert!(ran.stdout.contains(place), "{place}");
    }
    assert_eq!(world.json(&[])["files"], serde_json::json!([]));
}

#[test]
fn files_of_every_layer_are_found_by_themselves() {
    let world = World::new(&[
        (CURSOR, CLEAN),
        ("home/shop/.claude/settings.json", "{}"),
        ("home/shop/.claude/settings.local.json", "{}"),
        ("home/shop/.codex/hooks.json", "{}"),
        ("home/.cursor/hooks.json", "{ \"version\": 1, \"hooks\": {} }"),
        ("home/.claude/settings.json", "{}"),
        ("home/.codex/hooks.json", "{}"),
        ("home/.codex/config.toml", "[hooks]\n"),
        ("home/shop/.codex/config.toml", "model = \"gpt-5\"\n"),
        ("home/shop/src/x.rs", ""),
    ]);
    let found = world.json(&[]);
    assert_eq!(found["files"].as_array().unwrap().len(), 8, "{found:#}");
    let only = world.json(&["--host", "codex"]);
    assert_eq!(only["files"].as_array().unwrap().len(), 3, "that of the shop speaks of no hooks");
}

#[test]
fn a_path_may_be_a_file_or_a_folder() {
    let world = World::new(&[
        (CURSOR, "{}"),
        ("home/shop/web/.claude/settings.json", "{\"hooks\": []}"),
        ("home/shop/mine.json", "{\"hooks\": {\"preToolUse\": []}}"),
        ("home/shop/other.json", "{\"hooks\": {}}"),
        (
            "home/shop/.codex/config.toml",
            "model = \"gpt-5\" # mine\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = 1\n",
        ),
    ]);
    let ids = |arguments: &[&str]| -> Vec<String> {
        let found = world.json(arguments);
        let findings = found["findings"].as_array().unwrap();
        findings.iter().map(|finding| finding["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&["."]), ["version-missing", "wrong-type", "wrong-type"]);
    assert_eq!(ids(&[".cursor"]), ["version-missing", "wrong-type"], "its project is meant");
    assert_eq!(ids(&["web"]), ["wrong-type"]);
    assert_eq!(ids(&["mine.json"]), ["version-missing"], "told from its shape");
    assert_eq!(ids(&["other.json", "--host", "claude"]), Vec::<String>::new());
    let ran = world.lint(&["other.json"]);
    assert_eq!(ran.exit, 2);
    assert!(ran.stderr.contains("--host"), "{}", ran.stderr);
    let toml = world.lint(&[".codex/config.toml"]);
    assert_eq!(toml.exit, 1);
    let place = ".codex/config.toml:6:11";
    assert!(toml.stdout.contains(place), "{}", toml.stdout);
    assert!(toml.stdout.contains("Codex cannot read its configuration"), "{}", toml.stdout);
}

#[test]
fn mistakes_in_the_call_exit_with_2() {
    let world = World::new(&[]);
    for arguments in [
        vec!["no-such-file.json"],
        vec!["--format", "xml"],
        vec!["--host", "emacs"],
        vec!["--markdown"],
        vec!["--list-rules", "--fix"],
    ] {
        assert_eq!(world.lint(&arguments).exit, 2, "{arguments:?}");
    }
}

#[test]
fn fixing_keeps_layout_and_comments_to_the_byte() {
    let world = World::new(&[(CURSOR, MESSY), SCRIPT]);
    let ran = world.lint(&["--fix"]);
    assert_eq!(world.read(CURSOR), MENDED);
    assert!(ran.stdout.contains("fixed[unknown-event]: .cursor/hooks.json:4:"), "{}", ran.stdout);
    assert_eq!(ran.exit, 1, "the comments are still there");
    assert_eq!(ran.stdout.matches("\n --> ").count(), 1, "{}", ran.stdout);
    let again = world.lint(&["--fix"]);
    assert_eq!(world.read(CURSOR), MENDED, "nothing more to do");
    assert!(!again.stdout.contains("fixed["));
}

#[test]
fn fixing_keeps_carriage_returns_and_a_byte_order_mark() {
    let dos = format!("\u{feff}{}", MESSY.replace('\n', "\r\n"));
    let world = World::new(&[(CURSOR, &dos), SCRIPT]);
    world.lint(&["--fix"]);
    assert_eq!(world.read(CURSOR), format!("\u{feff}{}", MENDED.replace('\n', "\r\n")));
}

#[test]
fn everything_fixed_exits_with_0_and_says_what_was_done() {
    let bad = CLEAN.replace("\"echo done\"", "\"echo done\", \"timeout\": 5000");
    let world = World::new(&[(CURSOR, &bad)]);
    let found = world.json(&["--fix"]);
    assert_eq!(found["fixed"][0]["id"], "timeout-in-milliseconds");
    assert_eq!(found["findings"], serde_json::json!([]));
    assert_eq!(world.lint(&["--fix"]).exit, 0);
    assert_eq!(world.read(CURSOR), bad.replace("5000", "5"));
}

#[test]
fn a_changed_hook_of_codex_must_be_approved_again() {
    let codex = "home/shop/.codex/hooks.json";
    let text = r#"{ "version": 1, "hooks": { "Stop": [] } }"#;
    let world = World::new(&[(codex, text)]);
    let ran = world.lint(&["--fix"]);
    assert_eq!(world.read(codex), r#"{ "hooks": { "Stop": [] } }"#);
    assert!(ran.stdout.contains("approved them again with `/hooks`"), "{}", ran.stdout);
    assert!(!world.lint(&["--fix"]).stdout.contains("approved"), "nothing was changed this time");
}

#[test]
fn a_clean_file_is_not_touched() {
    let world = World::new(&[(CURSOR, CLEAN)]);
    let before = fs::metadata(world.path(CURSOR)).unwrap().modified().unwrap();
    world.lint(&["--fix"]);
    assert_eq!(fs::metadata(world.path(CURSOR)).unwrap().modified().unwrap(), before);
    assert_eq!(
        fs::read_dir(world.path("home/shop/.cursor")).unwrap().count(),
        1,
        "nothing left over"
    );
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new(&[("home/dotfiles/hooks.json", "{ \"hooks\": {} }")]);
    set_mode(&world.path("home/dotfiles/hooks.json"), 0o640);
    fs::create_dir_all(world.path("home/shop/.cursor")).unwrap();
    std::os::unix::fs::symlink(world.path("home/dotfiles/hooks.json"), world.path(CURSOR)).unwrap();
    assert_eq!(world.lint(&["--fix"]).exit, 0);
    assert!(fs::symlink_metadata(world.path(CURSOR)).unwrap().is_symlink());
    let target = world.path("home/dotfiles/hooks.json");
    assert_eq!(fs::read_to_string(&target).unwrap(), "{ \"version\": 1, \"hooks\": {} }");
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn a_script_of_the_project_gets_its_bit() {
    use std::os::unix::fs::PermissionsExt;
    let script = "home/shop/tools/x.sh";
    let text = CLEAN.replace("echo done", "./tools/x.sh");
    let world = World::new(&[(CURSOR, &text), (script, "#!/bin/sh\n")]);
    set_mode(&world.path(script), 0o640);
    assert_eq!(world.lint(&[]).exit, 1);
    let ran = world.lint(&["--fix"]);
    assert_eq!(ran.exit, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains("fixed[script-not-executable]"));
    let mode = fs::metadata(world.path(script)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750, "for those who may read it");
    assert_eq!(world.read(CURSOR), text, "the hook file itself had nothing wrong");
}

/// Write permission was removed; root must respect that too.
#[cfg(unix)]
#[test]
fn a_folder_that_takes_no_files_is_said() {
    let text = "{ \"hooks\": {} }";
    let world = World::new(&[(CURSOR, text)]);
    let folder = world.path("home/shop/.cursor");
    set_mode(&folder, 0o555);
    let ran = world.lint(&["--fix"]);
    set_mode(&folder, 0o755);
    assert_eq!(ran.exit, 3, "{}", ran.stdout);
    assert!(ran.stderr.contains("cannot write"), "{}", ran.stderr);
    assert!(ran.stdout.contains("version-missing"), "it is still a finding");
    assert_eq!(world.read(CURSOR), text);
}

#[test]
fn broken_text_is_a_finding_and_stays() {
    let cases =
        [("{\n  \"version\": 1\n  \"hooks\": {}\n}", "json-syntax", 2), ("", "json-syntax", 1)];
    for (text, id, line) in cases {
        let world = World::new(&[(CURSOR, text)]);
        let found = world.json(&["--fix"]);
        assert_eq!(found["findings"][0]["id"], id);
        assert_eq!(found["findings"][0]["line"], line);
        assert_eq!(world.read(CURSOR), text);
    }
    let world = World::new(&[(CURSOR, "")]);
    fs::write(world.path(CURSOR), [0xff, 0xfe, b'{', 0, b'}', 0]).unwrap();
    assert_eq!(world.json(&["--fix"])["findings"][0]["id"], "file-unreadable");
    let garbage: Vec<u8> =
        (0..4096_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(world.path("home/shop/garbage.json"), garbage).unwrap();
    assert_eq!(world.lint(&["garbage.json"]).exit, 1);
}

/// Replaces a hook file.
#[cfg(unix)]
type Put<'a> = &'a dyn Fn(&Path);

/// Opening a pipe waits for a writer, and `/dev/zero` never ends.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_a_finding_and_is_not_opened() {
    let link = |to: &'static str| move |path: &Path| std::os::unix::fs::symlink(to, path).unwrap();
    let pipe = |path: &Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    };
    // Its projects would be linted if it were searched.
    let folder = |path: &Path| {
        fs::create_dir_all(path.join(".cursor")).unwrap();
        fs::write(path.join(".cursor/hooks.json"), "{}").unwrap();
    };
    let cases: [(&str, Put<'_>); 4] = [
        ("is a link that leads nowhere", &link("nowhere")),
        ("is a pipe or a device", &link("/dev/zero")),
        ("is a pipe or a device", &pipe),
        ("is a folder", &folder),
    ];
    for (said, put) in cases {
        let world = World::new(&[("home/shop/.cursor/x", "")]);
        put(&world.path("home/shop/.cursor").join("hooks.json"));
        for arguments in [&[][..], &["."], &[".cursor"], &[".cursor/hooks.json"], &["--fix"]] {
            let found = world.json(arguments);
            let findings = found["findings"].as_array().unwrap();
            assert_eq!(findings.len(), 1, "{said} {arguments:?}: {found}");
            assert_eq!(findings[0]["id"], "file-unreadable");
            assert!(findings[0]["message"].as_str().unwrap().contains(said), "{found}");
        }
        assert_eq!(world.lint(&["."]).exit, 1);
    }
}

#[test]
fn a_file_without_end_is_not_read_to_it() {
    let world = World::new(&[(CURSOR, "{}")]);
    let file = fs::OpenOptions::new().write(true).open(world.path(CURSOR)).unwrap();
    file.set_len(16 * 1024 * 1024 + 1).unwrap();
    let found = world.json(&[]);
    assert_eq!(found["findings"][0]["message"], "the file is larger than 16 MiB");
}

#[test]
fn names_do_not_steer_the_terminal() {
    let world = World::new(&[]);
    let ran = world.lint(&["no\u{1b}[31m"]);
    assert_eq!(ran.exit, 2);
    assert_eq!(ran.stderr, "tenter lint: there is no file or folder `no\\u{1b}[31m`\n");
    #[cfg(unix)]
    {
        let world = World::new(&[("home/shop/a\u{1b}[31m/.cursor/hooks.json", "{}")]);
        let ran = world.lint(&["."]);
        assert_eq!(ran.exit, 1);
        assert!(ran.stdout.contains(" --> a\\u{1b}[31m/.cursor/hooks.json:"), "{}", ran.stdout);
        assert!(!ran.stdout.contains('\u{1b}'));
        let shared = world.lint(&["a\u{1b}[31m/.cursor", "none\u{7}"]);
        assert!(!shared.stderr.contains(['\u{1b}', '\u{7}']), "{}", shared.stderr);
    }
}

#[test]
fn a_large_file_is_judged_and_mended() {
    let words = "word ".repeat(200);
    let entry = format!(r#"{{ "command": "echo {words}", "timeout": 30000, "loop_limit": 3 }}"#);
    let entries = vec![entry.as_str(); 5 * 1024 * 1024 / entry.len()].join(",");
    // A single line, so that columns run into the millions.
    let text = format!("{{\"version\":1,\"hooks\":{{\"afterFileEdit\":[{entries}]}}}}");
    let world = World::new(&[(CURSOR, &text)]);
    let start = std::time::Instant::now();
    let ran = world.lint(&["--fix"]);
    assert!(start.elapsed().as_secs() < 120, "took {:?}", start.elapsed());
    assert_eq!(ran.exit, 1, "the same command over and over is still a finding");
    let mended = world.read(CURSOR);
    assert!(!mended.contains("loop_limit") && !mended.contains("30000"));
    let entry = format!(r#"[{{ "command": "echo {words}", "timeout": 30 }},"#);
    assert!(mended.contains(&entry));
}

#[test]
fn a_script_wired_twice_is_seen_across_files() {
    let claude = r#"{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "echo done" }] }] } }"#;
    let world = World::new(&[(CURSOR, CLEAN), ("home/.claude/settings.json", claude)]);
    let found = world.json(&[]);
    assert_eq!(found["findings"][0]["id"], "fires-twice");
    assert_eq!(found["findings"].as_array().unwrap().len(), 1);
}

#[test]
fn json_has_every_field() {
    let world = World::new(&[(CURSOR, MESSY), SCRIPT]);
    let found = world.json(&[]);
    assert_eq!(found["version"], 1);
    for finding in found["findings"].as_array().unwrap() {
        for key in ["id", "severity", "host", "file", "message", "cost", "fix"] {
            assert!(finding[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {finding}");
        }
        assert!(finding["line"].is_u64() && finding["column"].is_u64());
        assert!(finding["fixable"].is_boolean());
        assert_eq!(finding["host"], "cursor");
    }
}

#[test]
fn sarif_has_what_the_standard_requires() {
    let world = World::new(&[(CURSOR, MESSY), SCRIPT, ("home/.cursor/hooks.json", "{}")]);
    let ran = world.lint(&["--format", "sarif"]);
    assert_eq!(ran.exit, 1);
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    let schema = serde_json::json!({
        "type": "object",
        "required": ["version", "runs"],
        "properties": {
            "version": { "const": "2.1.0" },
            "runs": { "type": "array", "minItems": 1, "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "columnKind": { "enum": ["utf16CodeUnits", "unicodeCodePoints"] },
                    "tool": { "type": "object", "required": ["driver"], "properties": {
                        "driver": { "type": "object", "required": ["name", "rules"], "properties": {
                            "rules": { "type": "array", "uniqueItems": true, "items": {
                                "required": ["id", "shortDescription"],
                                "properties": {
                                    "shortDescription": { "required": ["text"] },
                                    "fullDescription": { "required": ["text"] },
                                    "help": { "required": ["text"] },
                                    "defaultConfiguration": { "$ref": "#/$defs/level" },
                                },
                            }},
                        }},
                    }},
                    "results": { "type": "array", "items": { "$ref": "#/$defs/result" } },
                },
            }},
        },
        "$defs": {
            "level": { "properties": { "level": { "enum": ["none", "note", "warning", "error"] } } },
            "result": {
                "required": ["ruleId", "ruleIndex", "level", "message", "locations"],
                "allOf": [{ "$ref": "#/$defs/level" }],
                "properties": {
                    "message": { "required": ["text"] },
                    "locations": { "minItems": 1, "items": {
                        "required": ["physicalLocation"],
                        "properties": { "physicalLocation": {
                            "required": ["artifactLocation", "region"],
                            "properties": {
                                "artifactLocation": { "required": ["uri"] },
                                "region": {
                                    "required": ["startLine", "startColumn", "endLine", "endColumn"],
                                    "additionalProperties": { "type": "integer", "minimum": 1 },
                                },
                            },
                        }},
                    }},
                },
            },
        },
    });
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&log), "{:?}", validator.iter_errors(&log).next());
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let uri = |index: usize| {
        let results = run["results"].as_array().unwrap();
        let at = if index == 0 { 0 } else { results.len() - 1 };
        let place = &results[at]["locations"][0]["physicalLocation"]["artifactLocation"];
        place["uri"].as_str().unwrap().to_owned()
    };
    assert_eq!(uri(0), ".cursor/hooks.json", "relative below the working folder");
    assert!(uri(1).starts_with("file:///") && uri(1).ends_with("home/.cursor/hooks.json"));
}

#[test]
fn the_rules_are_listed() {
    let world = World::new(&[]);
    let table = world.lint(&["--list-rules"]);
    assert!(table.stdout.contains("unknown-event") && table.stdout.contains("fires-twice"));
    let page = world.lint(&["--list-rules", "--markdown"]);
    assert!(page.stdout.starts_with("# Lint rules\n"));
    assert_eq!((table.exit, page.exit), (0, 0));
}

/// Users copy the README's examples.
#[test]
fn our_own_examples_are_clean() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = fs::read_to_string(readme).unwrap();
    let blocks: Vec<&str> = text
        .split("```json\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .filter(|block| block.contains("\"hooks\""))
        .collect();
    assert!(blocks.len() >= 2);
    for block in blocks {
        let name = if block.contains("\"preToolUse\"") {
            CURSOR
        } else {
            "home/shop/.claude/settings.json"
        };
        let world = World::new(&[("opt/tenter*", "\0"), ("opt/guard.sh*", "#!/bin/sh\n")]);
        let opt = world.path("opt").display().to_string();
        world.write(name, &block.replace("/opt", &opt));
        let found = world.json(&[]);
        let ids: Vec<&str> = found["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|it| it["id"].as_str())
            .collect();
        let wanted: &[&str] = if name == CURSOR && !block.contains("failClosed") {
            &["fail-open-guard"]
        } else {
            &[]
        };
        assert_eq!(ids, wanted, "{block}");
    }
}
