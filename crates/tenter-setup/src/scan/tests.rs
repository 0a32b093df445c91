//! Tests with small folders.

use std::fs;

use super::*;

fn lay(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn report(files: &[(&str, &str)]) -> Report {
    let scratch = tempfile::tempdir().unwrap();
    lay(scratch.path(), files);
    scan(scratch.path(), Options::default()).unwrap()
}

fn line(item: &Item) -> String {
    let Item { file, line, kind, host, name, severity, .. } = item;
    format!("{file}:{line} {} {host} {name} {}", kind.id(), severity.as_str())
}

fn told(files: &[(&str, &str)]) -> Vec<String> {
    report(files).items.iter().map(line).collect()
}

fn scripts(files: &[(&str, &str)]) -> Vec<String> {
    let report = report(files);
    let scripts = report.items.iter().flat_map(|item| &item.scripts);
    scripts.map(|script| script.path.clone()).collect()
}

fn hook(command: &str) -> String {
    let command = serde_json::Value::from(command);
    format!("{{ \"hooks\": {{ \"stop\": [ {{ \"command\": {command} }} ] }} }}")
}

#[test]
fn of_two_keys_with_one_name_both_are_told() {
    let text = r#"{ "hooks": { "stop": [ { "command": "a" } ] },
      "hooks": { "stop": [] } }"#;
    assert_eq!(
        told(&[(".cursor/hooks.json", text)]),
        [".cursor/hooks.json:1 hook cursor stop warning"]
    );
}

#[test]
fn nested_projects_count_and_dependencies_do_not() {
    let text = hook("x");
    let found = report(&[
        ("a/b/c/.cursor/hooks.json", text.as_str()),
        ("node_modules/a/.cursor/hooks.json", text.as_str()),
        ("target/CACHEDIR.TAG", ""),
        ("target/.cursor/hooks.json", text.as_str()),
        ("sub/target/.cursor/hooks.json", text.as_str()),
    ]);
    let files: Vec<&str> = found.items.iter().map(|item| item.file.as_str()).collect();
    assert_eq!(files, ["a/b/c/.cursor/hooks.json", "sub/target/.cursor/hooks.json"]);
    assert_eq!(found.skipped, ["node_modules", "target"]);
}

#[test]
fn scripts_are_found_wherever_the_command_starts() {
    let with = |command: &str, files: &[&str]| {
        let text = hook(command);
        let mut all = vec![(".cursor/hooks.json", text.as_str())];
        all.extend(files.iter().map(|name| (*name, "echo\n")));
        scripts(&all)
    };
    assert_eq!(with("./a.sh", &["a.sh"]), ["a.sh"]);
    assert_eq!(with("./a.sh", &[".cursor/a.sh"]), [".cursor/a.sh"]);
    assert_eq!(with("cd tools && ./a.sh", &["tools/a.sh"]), ["tools/a.sh"]);
    assert_eq!(with("node tools", &["tools/index.js"]), ["tools/index.js"]);
    assert_eq!(with("make check", &["Makefile"]), ["Makefile"]);
    assert_eq!(with("bash '$HOME/x y.sh'", &["x y.sh"]), ["x y.sh"]);
    assert_eq!(with("curl https://example.com/a.sh", &["a.sh"]), Vec::<String>::new());
}

#[test]
fn scripts_of_scripts_are_found_and_circles_end() {
    let text = hook("./a.sh");
    let found = scripts(&[
        (".cursor/hooks.json", text.as_str()),
        ("a.sh", ". lib/b.sh\ncat README.md\n"),
        ("lib/b.sh", ". ../a.sh\nnode lib/c.js\n"),
        ("lib/c.js", "import x from './d'\n"),
        ("lib/d.ts", "export {}\n"),
        ("README.md", "a.sh"),
    ]);
    assert_eq!(found, ["a.sh", "lib/b.sh", "lib/c.js", "lib/d.ts"]);
}

#[test]
fn the_fingerprint_follows_what_is_said_and_run_but_not_the_layout() {
    let print = |hooks: &str, script: &str| {
        let report = report(&[(".cursor/hooks.json", hooks), ("a.sh", script)]);
        report.items.first().unwrap().fingerprint().unwrap()
    };
    let text = hook("./a.sh");
    let first = print(&text, "echo\n");
    assert_eq!(first, print(&text, "echo\n"));
    assert_eq!(first, print(&text.replace(": ", ":\n\t"), "echo\n"));
    assert_ne!(first, print(&text, "echo \n"));
    assert_ne!(first, print(&text.replace("./a.sh", "./a.sh 1"), "echo\n"));
    assert_ne!(
        first,
        print(&text.replace("{ \"command\"", "{ \"failClosed\": true, \"command\""), "echo\n")
    );
}

#[test]
fn git_is_followed_to_its_hooks() {
    let found = told(&[
        (".git/config", "[core]\n\thooksPath = tools/hooks/\n[alias]\n\tx = !sh\n\ty = log\n"),
        ("tools/hooks/pre-commit", "echo\n"),
        ("tools/hooks/README", "x"),
        ("sub/.git", "gitdir: ../own"),
        ("own/HEAD", "ref: x"),
        ("mod/.git", "gitdir: ../.git/modules/mod"),
        (".git/modules/mod/HEAD", "ref: x"),
        (".gitmodules", "[submodule \"a\"]\n\turl = ext::sh -c x\n\tpath = a\n"),
    ]);
    assert_eq!(
        found,
        [
            ".git/config:2 git-config git core.hookspath warning",
            ".git/config:4 git-config git alias.x warning",
            ".gitmodules:2 git-config git submodule.a.url warning",
            "sub/.git:1 git-config git gitdir warning",
            "tools/hooks/pre-commit:1 git-hook git pre-commit warning",
        ]
    );
}

#[test]
fn agents_that_nobody_knows_are_read_as_those_that_are() {
    let found = told(&[
        (
            ".kimi/settings.json",
            r#"{ "hooks": { "Stop": [ { "hooks": [ { "command": "x" } ] } ] } }"#,
        ),
        (".tool/mcp.json", r#"{ "mcpServers": { "a": { "command": "x" } } }"#),
        (".tool/settings.json", r#"{ "theme": "dark" }"#),
        (".storybook/settings.json", "not json"),
    ]);
    assert_eq!(
        found,
        [
            ".kimi/settings.json:1 hook other Stop warning",
            ".tool/mcp.json:1 mcp-server other a warning"
        ]
    );
}

#[test]
fn skills_and_agents_are_read_to_the_end_of_their_head() {
    let found = told(&[
        (
            ".claude/agents/a.md",
            "---   \r\nname: a\r\npermissionMode: bypassPermissions\r\nmcpServers:\r\n  x:\r\n    command: y\r\nhooks: {Stop: [{hooks: [{type: command, command: ./z.sh}]}]}\r\n---\r\ntext\r\n",
        ),
        (".claude/commands/b.md", "a !`ls`\n```!\nwho\nami\n```\n`code!` and `x`\n"),
        ("docs/SKILL.md", "no head: !`x`\n"),
    ]);
    assert_eq!(
        found,
        [
            ".claude/agents/a.md:3 permission claude permissionMode danger",
            ".claude/agents/a.md:4 mcp-server claude mcpServers warning",
            ".claude/agents/a.md:7 hook claude Stop warning",
            ".claude/commands/b.md:1 instruction claude b.md warning",
            ".claude/commands/b.md:2 instruction claude b.md warning",
            "docs/SKILL.md:1 instruction any SKILL.md warning",
        ]
    );
}

#[test]
fn variables_count_by_what_they_do() {
    let found = told(&[
        (".gemini/.env", "GOOGLE_GEMINI_BASE_URL=https://x.example\nDEBUG=1\n"),
        (".env", "OPENAI_API_KEY=sk\nexport OPENAI_BASE_URL='https://x.example'\nPATH=x\n"),
        (
            ".mcp.json",
            r#"{ "mcpServers": { "a": { "command": "x", "env": { "HTTPS_PROXY": "${HTTPS_PROXY}", "BASH_ENV": "./x" } } } }"#,
        ),
    ]);
    assert_eq!(
        found,
        [
            ".env:2 redirect gemini OPENAI_BASE_URL danger",
            ".gemini/.env:1 redirect gemini GOOGLE_GEMINI_BASE_URL danger",
            ".mcp.json:1 mcp-server claude a warning",
            ".mcp.json:1 environment claude a.env.BASH_ENV warning",
        ]
    );
}

#[test]
fn a_file_that_moves_the_policy_or_the_settings_is_a_danger() {
    let graves = |file: &str, text: &str| -> Vec<String> {
        let found = report(&[(file, text)]).items;
        let grave = found.into_iter().filter(|it| it.severity == Severity::Danger);
        grave.map(|it| format!("{} {}", it.kind.id(), it.name)).collect()
    };
    let settings =
        r#"{ "env": { "HOME": "$HOME", "CLAUDE_CONFIG_DIR": "~/.claude", "TZ": "UTC" } }"#;
    for file in [".claude/settings.json", ".claude/settings.local.json", ".factory/settings.json"] {
        let both = ["environment env.HOME", "environment env.CLAUDE_CONFIG_DIR"];
        assert_eq!(graves(file, settings), both, "{file}: nothing is filled in there");
    }
    let set = "[shell_environment_policy]\nset = { XDG_CONFIG_HOME = \"/proc/self/cwd/.cfg\" }\n";
    let name = "environment shell_environment_policy.set.XDG_CONFIG_HOME";
    assert_eq!(graves(".codex/config.toml", set), [name]);
    let mise = "[env]\nCODEX_HOME = \"{{config_root}}/.codex\"\nTENTER_OFF = \"1\"\n";
    let both = ["environment env.CODEX_HOME", "switched-off env.TENTER_OFF"];
    assert_eq!(graves("mise.toml", mise), both);
    assert_eq!(
        graves(".env", "CURSOR_CONFIG_DIR=.x\nDEBUG=1\n"),
        ["environment CURSOR_CONFIG_DIR"]
    );
    let terminal = r#"{ "terminal.integrated.env.linux": { "XDG_STATE_HOME": "${workspaceFolder}/s" },
      "claudeCode.environmentVariables": [ { "name": "XDG_CACHE_HOME", "value": "c" } ] }"#;
    let cache = "environment claudeCode.environmentVariables.XDG_CACHE_HOME";
    let state = "environment terminal.integrated.env.linux.XDG_STATE_HOME";
    assert_eq!(graves(".vscode/settings.json", terminal), [state, cache]);
    let tasks = r#"{ "options": { "env": { "HOME": "${workspaceFolder}" } }, "tasks": [
      { "label": "a", "command": "claude", "linux": { "options": { "env": { "CODEX_HOME": "x" } } } },
      { "label": "b", "command": "x", "options": { "env": { "PATH": "x", "HOME": "${env:HOME}" } } } ] }"#;
    let both = ["environment options.env.HOME", "environment options.env.CODEX_HOME"];
    assert_eq!(graves(".vscode/tasks.json", tasks), both);
    let container = r#"{ "containerEnv": { "CLAUDE_CONFIG_DIR": "/workspace/.claude", "PATH": "x" },
      "remoteEnv": { "HOME": "${containerWorkspaceFolder}" } }"#;
    let both = ["environment containerEnv.CLAUDE_CONFIG_DIR", "environment remoteEnv.HOME"];
    assert_eq!(graves(".devcontainer/devcontainer.json", container), both);
}

#[test]
fn what_a_shell_sets_on_entering_counts_and_the_usual_place_does_not() {
    let names = |text: &str| -> Vec<String> {
        let found = report(&[(".envrc", text)]).items;
        let grave = found.into_iter().filter(|it| it.severity == Severity::Danger);
        grave.map(|it| it.name).collect()
    };
    for text in [
        "export HOME=$PWD/.home",
        "use nix; export A=1 HOME=\"$PWD/a b\"",
        "[ -d x ] && HOME=$(mktemp -d)",
        "if true; then export HOME='$HOME'; fi",
        "declare -x HOME+=/x # mine",
        "export \\\n  HOME=x",
    ] {
        assert_eq!(names(text), ["HOME"], "{text}");
    }
    for text in [
        "export XDG_CONFIG_HOME=\"${XDG_CONFIG_HOME:-$HOME/.config}\"",
        "export CODEX_HOME=$HOME/.codex HOME=\"$HOME\"",
        "HOME=/tmp/x make check",
        "# export HOME=x",
        "(HOME=x; make)",
        "echo 'export HOME=x'",
        "export APP_HOME=$PWD JAVA_HOME=/usr/lib/jvm",
    ] {
        assert_eq!(names(text), Vec::<String>::new(), "{text}");
    }
    // The usual folder of a container, and variables that only a server sees.
    let usual = r#"{ "containerEnv": { "CLAUDE_CONFIG_DIR": "/home/node/.claude", "NODE_OPTIONS": "-x" },
      "remoteEnv": { "HOME": "/root" } }"#;
    let server = r#"{ "mcpServers": { "a": { "command": "x", "env": { "HOME": "/tmp" } } } }"#;
    assert_eq!(
        told(&[(".devcontainer/devcontainer.json", usual), (".mcp.json", server)]),
        [
            ".devcontainer/devcontainer.json:1 environment devcontainer containerEnv.NODE_OPTIONS note",
            ".mcp.json:1 mcp-server claude a warning",
            ".mcp.json:1 environment claude a.env.HOME warning",
        ]
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_and_only_there() {
    use std::os::unix::fs::symlink;
    let scratch = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let root = scratch.path();
    let text = hook("./a.sh");
    lay(root, &[("shared/hooks.json", text.as_str()), ("shared/a.sh", "echo\n"), ("x/y", "")]);
    lay(
        outside.path(),
        &[("hooks.json", text.as_str()), ("a.sh", "echo\n"), ("hooks/pre-push", "")],
    );
    symlink("shared", root.join(".cursor")).unwrap();
    symlink(outside.path(), root.join("x/.cursor")).unwrap();
    symlink(outside.path(), root.join(".git")).unwrap();
    symlink(outside.path().join("a.sh"), root.join("a.sh")).unwrap();
    symlink(".", root.join("x/.claude")).unwrap();
    let found = scan(root, Options::default()).unwrap();
    let told: Vec<String> = found.items.iter().map(line).collect();
    assert_eq!(
        told,
        [
            ".cursor/hooks.json:1 hook cursor stop warning",
            ".git:1 leads-out any  warning",
            "x/.claude:1 leads-out any  warning",
            "x/.cursor:1 leads-out any  warning",
        ]
    );
    let scripts: Vec<&str> =
        found.items[0].scripts.iter().map(|script| script.path.as_str()).collect();
    assert_eq!(scripts, ["shared/a.sh"], "what lies outside is not read");
}

#[test]
fn a_file_is_no_folder() {
    let scratch = tempfile::tempdir().unwrap();
    fs::write(scratch.path().join("x"), "").unwrap();
    assert!(scan(&scratch.path().join("x"), Options::default()).is_err());
    assert!(scan(&scratch.path().join("y"), Options::default()).is_err());
}

#[test]
fn many_things_are_cut_and_the_cut_is_told() {
    let entry = "{ \"command\": \"x\" },";
    let text = format!("{{ \"hooks\": {{ \"stop\": [ {} ] }} }}", entry.repeat(6_000));
    let found = report(&[(".cursor/hooks.json", &text)]);
    assert_eq!(found.items.len(), 5_001);
    assert!(found.items.iter().any(|item| item.kind == Kind::Unreadable));
}

#[test]
fn what_instructions_take_in_is_read_once_and_only_below_the_folder() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().join("repo");
    fs::write(scratch.path().join("outside.md"), "outside").unwrap();
    lay(
        &root,
        &[
            (
                "CLAUDE.md",
                "Follow @docs/rules.md, and (@./docs/more.md). Ask @ana or @../outside.md",
            ),
            ("docs/rules.md", "see @more.md and @deep/AGENTS.md"),
            ("docs/more.md", "back to @../CLAUDE.md"),
            ("docs/deep/AGENTS.md", "the end"),
            ("docs/unread.md", "nobody takes this in"),
        ],
    );
    let report = scan(&root, Options::default()).unwrap();
    let mut read: Vec<&str> = report.passages.iter().map(|it| it.file.as_str()).collect();
    read.sort_unstable();
    assert_eq!(read, ["CLAUDE.md", "docs/deep/AGENTS.md", "docs/more.md", "docs/rules.md"]);
}

#[test]
fn a_chain_of_texts_ends_and_takes_no_stack() {
    let names: Vec<(String, String)> =
        (0..5_000).map(|at| (format!("t/{at}.md"), format!("@{}.md", at + 1))).collect();
    let mut files: Vec<(&str, &str)> =
        names.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    files.push(("AGENTS.md", "@t/0.md"));
    assert_eq!(report(&files).passages.len(), 5_001);
}

#[test]
fn package_managers_load_code_of_the_folder() {
    let yarn = "nodeLinker: node-modules\nplugins:\n  - ./p.cjs\n  - path: .yarn/q.cjs\n    spec: x\n\nyarnPath: .yarn/y.cjs\n";
    assert_eq!(
        told(&[
            (".pnpmfile.cjs", "module.exports = {}"),
            (".yarnrc.yml", yarn),
            (".yarn/y.cjs", "1"),
            ("old/.yarnrc", "lastUpdateCheck 1\nyarn-path \"./y.js\"\n"),
            ("bunfig.toml", "preload = [\"./x.ts\"]\n[test]\npreload = \"./y.ts\"\n"),
            (".openhands/setup.sh", "pip install -e .\n"),
        ]),
        [
            ".openhands/setup.sh:1 agent-command openhands setup.sh warning",
            ".pnpmfile.cjs:1 package-script pnpm .pnpmfile.cjs warning",
            ".yarnrc.yml:3 package-script yarn plugins note",
            ".yarnrc.yml:4 package-script yarn plugins note",
            ".yarnrc.yml:7 package-script yarn yarnPath note",
            "bunfig.toml:1 package-script bun preload note",
            "bunfig.toml:3 package-script bun preload note",
            "old/.yarnrc:2 package-script yarn yarn-path note",
        ]
    );
}

#[test]
fn a_task_brings_along_what_it_depends_on() {
    let tasks = r#"{ "tasks": [
      { "label": "top", "dependsOn": ["deep", "npm: build"], "runOptions": { "runOn": "folderOpen" } },
      { "label": "deep", "dependsOn": "deepest", "linux": { "command": "x" } },
      { "label": "deepest", "command": "y", "dependsOn": ["top"] },
      { "type": "npm", "script": "build" },
      { "label": "other", "command": "z" } ] }"#;
    let package = r#"{ "scripts": { "build": "node tools/evil.js" } }"#;
    let files = [(".vscode/tasks.json", tasks), ("package.json", package), ("tools/evil.js", "1")];
    assert_eq!(
        told(&files),
        [
            ".vscode/tasks.json:2 editor-task vscode top warning",
            ".vscode/tasks.json:3 editor-task vscode deep warning",
            ".vscode/tasks.json:4 editor-task vscode deepest warning",
            ".vscode/tasks.json:5 editor-task vscode npm: build warning",
        ]
    );
    assert_eq!(scripts(&files), ["package.json#build", "tools/evil.js"]);
}

#[test]
fn the_helper_of_a_server_is_a_command() {
    let text =
        r#"{ "mcpServers": { "a": { "url": "https://x.example", "headersHelper": "./h.sh" } } }"#;
    assert_eq!(
        told(&[(".mcp.json", text), ("h.sh", "id")]),
        [
            ".mcp.json:1 mcp-server claude a warning",
            ".mcp.json:1 agent-command claude a.headersHelper warning",
        ]
    );
}

#[test]
fn scripts_of_packages_lead_to_files_and_to_each_other() {
    let package = r#"{ "scripts": { "check": "node a.js && npm run more", "precheck": "node before.js",
      "postcheck": "sh after.sh", "more": "npm run check; sh b.sh", "unused": "node c.js" } }"#;
    let found = scripts(&[
        (".cursor/hooks.json", &hook("npm run check")),
        ("package.json", package),
        ("a.js", "require('./lib')"),
        ("lib.js", "1"),
        ("before.js", "1"),
        ("after.sh", "id"),
        ("b.sh", "id"),
        ("c.js", "1"),
    ]);
    assert_eq!(
        found,
        [
            "package.json#precheck",
            "before.js",
            "package.json#check",
            "a.js",
            "lib.js",
            "package.json#more",
            "b.sh",
            "package.json#postcheck",
            "after.sh",
        ]
    );
}
