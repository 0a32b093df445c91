//! Every mistake in a file is reported with its position.

use tenter_policy::policy::case::CaseFile;
use tenter_policy::policy::{Layer, LayerText, Severity};
use tenter_policy::{Level, Policy, Preset};

use super::load;

#[track_caller]
fn says(text: &str, expected: &[&str]) {
    let policy = load(&[(Layer::User, text)]);
    let said: Vec<String> = policy.broken.iter().map(ToString::to_string).collect();
    assert_eq!(said, expected, "{text}");
    assert!(policy.problems.iter().all(|it| it.severity == Severity::Error));
}

const LEVELS: &str = "known: off, log, ask, deny";

#[test]
fn a_file_that_is_not_toml_says_where() {
    says("version = 1\n[guards\n", &["user.toml:2:8: not TOML: unclosed table, expected `]`"]);
    says(
        "a = 1\na = 2\n[[rule]\nid = 'x'\n",
        &[
            "user.toml:2:1: not TOML: duplicate key",
            "user.toml:3:8: not TOML: unclosed array table, expected `]`",
        ],
    );
}

#[test]
fn unknown_keys_are_named_with_the_nearest() {
    says(
        "[gaurds]\nx = 'ask'\n",
        &["user.toml:1:2: unknown key `gaurds`; did you mean `guards`? known: version, extends, \
           fail, record, stop, guards, rule, allow, handler, test"],
    );
    says(
        "[fail]\nguards = 'ask'\nhandler = 'closd'\n",
        &[
            "user.toml:2:1: unknown key `guards` of `fail`; did you mean `guard`? known: guard, handler, \
             policy, record",
            "user.toml:3:11: unknown fail mode `closd`; did you mean `closed`? known: open, ask, closed",
        ],
    );
    says(
        "[guards.unverified]\nlevels = 'ask'\nchecks = { dinamic-code = 'ask', syntax = 'dney' }\n",
        &[
            "user.toml:2:1: unknown key `levels` of `guards.unverified`; did you mean `level`? known: \
             level, checks, allow",
            &checks_after(
                "user.toml:3:12: unknown check `dinamic-code` of `unverified`; did you mean `dynamic-code`?",
            ),
            &format!("user.toml:3:43: unknown level `dney`; did you mean `deny`? {LEVELS}"),
        ],
    );
}

#[test]
fn a_slip_in_the_first_word_of_a_name_is_enough() {
    let policy =
        load(&[(Layer::User, "[[allow]]\nrule = 'destructive-git/discrd'\nreason = 'x'\n")]);
    let said: Vec<String> = policy.broken.iter().map(ToString::to_string).collect();
    assert!(said[0].contains("did you mean `discard-changes`?"), "{said:?}");
}

#[test]
fn an_unknown_event_is_said_once_and_a_prompt_runs_no_program() {
    let rule = |on: &str| {
        format!("[[rule]]\nid = 'a'\non = '{on}'\nwhen = {{ program = 'x' }}\ndecide = 'ask'\n")
    };
    let said = |text: &str| {
        let policy = load(&[(Layer::User, text)]);
        policy.problems.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let unknown = said(&rule("shel"));
    assert!(unknown.len() == 1 && unknown[0].contains("did you mean `shell`?"), "{unknown:?}");
    let prompt = said(&rule("prompt"));
    assert!(prompt.len() == 1 && prompt[0].contains("before a tool runs"), "{prompt:?}");
    assert_eq!(said(&rule("PreToolUse:bash")), Vec::<String>::new());
    assert_eq!(said(&rule("PreToolUse:NotebookEdit")), Vec::<String>::new());
    assert_eq!(
        said(&rule("PreToolUse:Bsh")),
        ["user.toml:1:1: no tool is called `Bsh` here; did you mean `Bash`?"],
        "a warning: the rule counts",
    );
}

#[test]
fn an_unknown_guard_is_named_with_the_nearest() {
    let text = "[guards]\nunverifed = 'ask'\n";
    says(
        text,
        &[&guards_after("user.toml:2:1: unknown guard `unverifed`; did you mean `unverified`?")],
    );
    assert_eq!(load(&[(Layer::User, text)]).broken[0].key, "guards.unverifed");
}

fn guards_after(start: &str) -> String {
    let names: Vec<&str> = tenter_policy::guards::GUARDS.iter().map(|guard| guard.id).collect();
    format!("{start} known: {}", names.join(", "))
}

fn checks_after(start: &str) -> String {
    let checks = tenter_policy::guards::guard("unverified").unwrap().checks;
    let names: Vec<&str> = checks.iter().map(|check| check.id).collect();
    format!("{start} known: {}", names.join(", "))
}

#[test]
fn values_of_the_wrong_kind_are_named() {
    says(
        "version = 2\nextends = ['strickt', 'zzz']\nfail = 1\n[guards]\nunverified = 3\n",
        &[
            "user.toml:1:11: version 2 of the format is not known here; this program reads version 1",
            "user.toml:2:12: unknown preset `strickt`; did you mean `strict`? known: minimal, \
             recommended, strict, ci",
            "user.toml:2:23: unknown preset `zzz`; known: minimal, recommended, strict, ci",
            "user.toml:3:8: `fail` must be a table, not a number",
            "user.toml:5:14: `unverified` must be a level (off, log, ask, deny) or a table, not a number",
        ],
    );
    says(
        "rule = 1\nallow = ''\n[[handler]]\nid = 3\non = 'shell'\nrun = 'x'\ntimeout = '5'\n",
        &[
            "user.toml:1:8: `rule` must be a list of tables: [[rule]], not a number",
            "user.toml:2:9: `allow` must be a list of tables: [[allow]], not a string",
            "user.toml:4:6: `id` must be a string, not a number",
            "user.toml:6:7: `run` must be a list of words such as [\"prettier\", \"--write\", \
             \"{path}\"], not a string",
            "user.toml:7:11: `5` is no duration; write `5s`, `500ms` or `2m`",
        ],
    );
    says("version = 1.5\n", &["user.toml:1:11: `version` must be a number, not a fraction"]);
    says("version = -1\n", &["user.toml:1:11: `version` must be a number from 0 on, not `-1`"]);
}

#[test]
fn a_rule_says_what_it_lacks() {
    says(
        "[[rule]]\n",
        &[
            "user.toml:1:1: `id` is missing; every [[rule]] needs one",
            "user.toml:1:1: [[rule]] has neither `on` nor `when`: it would fit every event",
            "user.toml:1:1: `decide` is missing; one of off, log, ask, deny",
        ],
    );
    says(
        "[[rule]]\nid = 'a b'\non = 'shel'\ndecide = 'block'\nreason = ' '\nlimit = 'x'\nexpires = 1\n",
        &[
            "user.toml:2:6: `a b` cannot be an id: at most 64 letters, digits, `-`, `_` and `.`",
            "user.toml:3:6: unknown event `shel`; did you mean `shell`? known: shell, read, write, edit, \
             delete, search, fetch, mcp, prompt, task, output, any, SessionStart, SessionEnd, \
             UserPromptSubmit, PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure, \
             SubagentStart, SubagentStop, PreCompact, PostCompact, AgentResponse, AgentThought, Stop, \
             Notification, WorkspaceOpen, Other",
            &format!("user.toml:4:10: unknown level `block`; did you mean `deny`? {LEVELS}"),
            "user.toml:5:10: `reason` is empty; say something or leave it out",
            "user.toml:6:9: `limit` must be a number, not a string",
            "user.toml:7:11: `expires` must be a date such as 2026-12-31, not a number",
        ],
    );
    says(
        "[[rule]]\nid = 'a'\non = 'shell'\ndecide = 'ask'\n[[rule]]\nid = 'a'\non = 'any'\n\
         decide = 'ask'\n[[rule]]\nid = 'secrets'\non = 'any'\ndecide = 'ask'\nexpires = 'soon'\n",
        &[
            "user.toml:6:6: the id `a` is taken by line 1; choose another",
            "user.toml:10:6: `secrets` is the name of a guard; choose another id",
            "user.toml:13:11: `soon` is no date; write it as 2026-12-31",
        ],
    );
}

#[test]
fn conditions_are_checked_one_by_one() {
    says(
        "[[rule]]\nid = 'a'\ndecide = 'ask'\n[rule.when]\nprogramm = 'x'\nargs = 'push --force'\neffect = \
         'vcs-hist'\npath = []\nmcp = 'github'\nhost = 'claud'\nprompt = { matches = '(' }\ncertain = \
         false\ncommand = 3\ncwd = ''\n",
        &[
            "user.toml:5:1: unknown key `programm` of `rule.when`; did you mean `program`? known: program, \
             args, effect, path, url, mcp, prompt, content, command, tool, host, agent_type, \
             permission_mode, branch, cwd, via, certain",
            "user.toml:6:8: `args` holds single words; write [\"push\", \"--force\"]",
            "user.toml:7:10: unknown effect `vcs-hist`; did you mean `vcs-history`? known: delete, \
             overwrite, write, append, move, read, permission, owner, device, execute, send, receive, \
             privilege, process, service, system, schedule, install, publish, vcs-history, vcs-worktree, \
             vcs-stash, vcs-refs, vcs-remote, vcs, database, cluster, cloud, container, forge, \
             environment-dump, hook-bypass",
            "user.toml:8:8: `path` is an empty list; it fits nothing",
            "user.toml:9:7: `github` names no tool; write `server/tool`, or `github/*` for all tools of a \
             server",
            "user.toml:10:8: unknown host `claud`; did you mean `claude`? known: cursor, claude, codex, gemini, qwen",
            "user.toml:11:22: `(` is no regular expression: found open group without closing ')'",
            "user.toml:12:11: `certain` can only be true; leave it out otherwise",
            "user.toml:13:11: `command` must be a string or { matches = \"...\" }, not a number",
            "user.toml:14:7: `cwd` is empty; say something or leave it out",
        ],
    );
    says(
        "[[rule]]\nid = 'a'\non = 'PostToolUse:Bash'\ndecide = 'ask'\nwhen = { program = 'x' }\n\
         [[rule]]\nid = 'b'\ndecide = 'ask'\nwhen = {}\n",
        &[
            "user.toml:5:10: `program` can only be told before a tool runs; use `command`, `tool`, `path` or `prompt` here, or another `on`",
            "user.toml:9:8: `when` holds no condition; leave it out or add one",
        ],
    );
}

#[test]
fn an_action_must_be_one_of_its_kind() {
    let rule = |effect: &str| {
        format!("[[rule]]\nid = 'a'\ndecide = 'ask'\nwhen = {{ effect = '{effect}' }}\n")
    };
    says(
        &rule("vcs-stash/stash-dropp"),
        &[
            "user.toml:4:19: unknown action `stash-dropp` of `vcs-stash`; did you mean `stash-drop`? known: \
             stash-clear, stash-drop",
        ],
    );
    // The action exists, but not in this kind.
    says(
        &rule("vcs-stash/reset-hard"),
        &[
            "user.toml:4:19: unknown action `reset-hard` of `vcs-stash`; known: stash-clear, stash-drop",
        ],
    );
    says(&rule("vcs-worktree/reset-hard"), &[]);
    says(&rule("vcs-worktree"), &[]);
}

#[test]
fn an_exception_needs_a_reason_and_a_rule_that_exists() {
    says(
        "[[allow]]\nwhen = { command = 'x' }\n[[allow]]\nrule = 'unverified/sintax'\nreason = 'x'\n\
         [[allow]]\nrule = 'unverifed/syntax'\nreason = 'x'\n",
        &[
            "user.toml:1:1: `rule` is missing; every [[allow]] needs one",
            "user.toml:1:1: `reason` is missing; every [[allow]] needs one",
            "user.toml:2:10: `command` cannot be used in an exception: a comment would be enough to fit it; \
             use `program`, `args` or `path`",
            &checks_after(
                "user.toml:4:8: unknown check `sintax` of `unverified`; did you mean `syntax`?",
            ),
            &guards_after("user.toml:7:8: unknown guard `unverifed`; did you mean `unverified`?"),
        ],
    );
}

#[test]
fn a_test_says_what_happens_and_what_is_expected() {
    let kinds = "shell, read, write, edit, delete, fetch, mcp, prompt, output, payload";
    says(
        "[[test]]\nexpect = 'ask'\n[[test]]\nshell = 'x'\nread = 'y'\nexpect = 'ask'\n[[test]]\nshell = \
         'x'\n[[test]]\nshell = 'x'\nexpect = 'block'\nbudget = 'x'\n",
        &[
            &format!("user.toml:1:1: nothing happens in this test; give one of {kinds}"),
            &format!(
                "user.toml:3:1: more than one thing happens in this test; give one of {kinds}"
            ),
            "user.toml:7:1: `expect` is missing; one of allow, ask, deny, none",
            "user.toml:11:10: unknown answer `block`; known: allow, ask, deny, none",
            "user.toml:12:10: `x` is no duration; write `5ms` or `1s`",
        ],
    );
}

#[test]
fn columns_count_characters() {
    says(
        "extends = ['\u{e9}\u{1f600}', 'zzz']\n",
        &[
            "user.toml:1:12: unknown preset `\u{e9}\u{1f600}`; known: minimal, recommended, strict, ci",
            "user.toml:1:18: unknown preset `zzz`; known: minimal, recommended, strict, ci",
        ],
    );
}

#[test]
fn a_broken_file_is_left_out_and_the_others_hold() {
    let user = "[guards]\nunverified = 'deny'\n";
    let project = "[guards]\nunverified = 'deny'\npii = 'askk'\n[[rule]]\nid = 'x'\non = 'shell'\n\
                   decide = 'deny'\n";
    let alone = load(&[(Layer::User, user)]);
    let both = load(&[(Layer::User, user), (Layer::Project, project)]);
    assert_eq!(both.settings, alone.settings);
    assert_eq!(both.rules, alone.rules);
    assert_eq!(both.broken.len(), 1);
    assert_eq!(both.broken[0].layer, Layer::Project);
    let only = load(&[(Layer::Project, project)]);
    assert_eq!(only.settings, Policy::preset(Preset::Recommended).settings);
}

#[test]
fn a_file_that_cannot_be_read_is_broken() {
    let text = Err("permission denied".to_owned());
    let policy = Policy::load(&[LayerText { layer: Layer::Managed, path: "/etc/p.toml", text }]);
    let said: Vec<String> = policy.broken.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["/etc/p.toml: the file cannot be read: permission denied"]);
}

#[test]
fn no_file_at_all_is_the_recommended_preset() {
    let mut none = Policy::load(&[]);
    none.given.clear();
    assert_eq!(none, Policy::preset(Preset::Recommended));
    let mut empty = load(&[(Layer::User, "")]);
    assert!(empty.problems.is_empty());
    empty.given.clear();
    empty.files.clear();
    assert_eq!(empty, none);
    assert!(none.settings.iter().flat_map(|it| &it.levels).any(|(level, _)| *level == Level::Ask));
}

#[test]
fn a_file_of_cases_is_read_or_refused() {
    let read = CaseFile::read(
        "a.tenter-test.toml",
        "preset = 'strict'\n[[test]]\nshell = 'ls'\nexpect = 'none'\nbudget = '5ms'\n[[test]]\n\
         payload = 'a.json'\nhost = 'cursor'\nexpect = 'deny'\nrule = 'secrets'\n",
    )
    .unwrap();
    assert_eq!((read.preset, read.policy), (Some(Preset::Strict), None));
    assert_eq!(read.cases[0].budget_ms, Some(5));
    assert_eq!(read.cases[1].title(), "payload a.json");
    assert_eq!(read.cases[1].place.line, 6);
    let refused = CaseFile::read("a", "preset = 'strikt'\npolicy = 'x'\n[guards]\n").unwrap_err();
    let said: Vec<String> = refused.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "a:1:10: unknown preset `strikt`; did you mean `strict`? known: minimal, recommended, strict, ci",
            "a:3:2: unknown key `guards`; known: version, policy, preset, test",
        ]
    );
    let both = CaseFile::read("a", "preset = 'strict'\npolicy = 'x'\n").unwrap_err();
    assert_eq!(
        both[0].to_string(),
        "a:1:10: `policy` and `preset` exclude each other; leave one out"
    );
}

#[test]
fn what_only_scripts_of_hosts_have_needs_their_host() {
    let head = "[[handler]]\nid = 'h'\non = 'shell'\nrun = ['x']\n";
    let words = "it is for scripts that were written for a host";
    says(
        &format!("{head}event = 'stop'\nmatcher = 'Bash'\ncwd = '/w'\n"),
        &[
            &format!("user.toml:5:9: `event` needs `speaks`: {words}"),
            &format!("user.toml:6:11: `matcher` needs `speaks`: {words}"),
            &format!("user.toml:7:7: `cwd` needs `speaks`: {words}"),
        ],
    );
    says(
        &format!("{head}speaks = 'emacs'\nfail = 'clsed'\n"),
        &[
            "user.toml:5:10: unknown language `emacs`; known: cursor, claude, codex",
            "user.toml:6:8: unknown fail mode `clsed`; did you mean `closed`? known: open, ask, closed",
        ],
    );
}

#[test]
fn the_words_of_other_tools_are_understood() {
    for (word, meant) in [("block", "deny"), ("warn", "log"), ("prompt", "ask"), ("allow", "off")] {
        let expected =
            format!("user.toml:2:11: unknown level `{word}`; did you mean `{meant}`? {LEVELS}");
        says(&format!("[guards]\nsecrets = '{word}'\n"), &[&expected]);
    }
}
