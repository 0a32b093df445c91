//! Tests of the conversion from records to spans.

use std::collections::BTreeSet;

use super::*;

/// A record of a session; `more` is JSON after a comma.
fn record(seq: u64, at: u64, event: &str, more: &str) -> Record<'static> {
    let line = format!(
        "{{\"v\":1,\"at\":{at},\"level\":\"standard\",\"host\":\"claude\",\"event\":\"{event}\",\
         \"native_event\":\"{event}\",\"session_id\":\"s-1\",\"us\":{{\"total\":400}}{more},\
         \"seq\":{seq},\"hash\":\"{seq:064x}\"}}"
    );
    Record::parse(&line).unwrap()
}

fn bash(call: &str, command: &str) -> String {
    format!(
        ",\"tool\":\"Bash\",\"call_id\":\"{call}\",\
         \"actions\":[{{\"do\":\"shell\",\"command\":\"{command}\"}}]"
    )
}

fn spans_of(records: &[Record<'_>], from: u64, options: Options) -> Vec<Span> {
    let mut trace = Trace::new("claude", "s-1", options);
    let mut out = Vec::new();
    for record in records {
        trace.take(record, record.seq >= from, &mut out);
    }
    trace.finish(&mut out);
    out
}

fn spans(records: &[Record<'_>]) -> Vec<Span> {
    spans_of(records, 0, Options::default())
}

/// The span tree by name, children in start order, indented by two blanks.
fn tree(spans: &[Span]) -> String {
    fn below(spans: &[Span], parent: Option<SpanId>, depth: usize, text: &mut String) {
        let mut children: Vec<&Span> =
            spans.iter().filter(|span| span.parent_span_id == parent).collect();
        children.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        for span in children {
            for part in ["  ".repeat(depth).as_str(), &span.name, "\n"] {
                text.push_str(part);
            }
            below(spans, Some(span.span_id), depth + 1, text);
        }
    }
    let mut text = String::new();
    below(spans, None, 0, &mut text);
    assert_eq!(text.lines().count(), spans.len(), "a span hangs nowhere:\n{text}");
    let ids: BTreeSet<SpanId> = spans.iter().map(|span| span.span_id).collect();
    assert_eq!(ids.len(), spans.len(), "two spans have the same id:\n{text}");
    for span in spans {
        assert!(span.start <= span.end, "{span:?}");
        let parent = spans.iter().find(|it| Some(it.span_id) == span.parent_span_id);
        if let Some(parent) = parent {
            assert!(parent.start <= span.start && span.end <= parent.end, "{span:?} in {parent:?}");
        }
    }
    text
}

fn named<'s>(spans: &'s [Span], name: &str) -> &'s Span {
    let mut found = spans.iter().filter(|span| span.name == name);
    let first = found.next().unwrap_or_else(|| panic!("no span is called {name}"));
    assert!(found.next().is_none(), "several spans are called {name}");
    first
}

fn said<'s>(span: &'s Span, key: &str) -> Option<&'s Value> {
    let mut found = span.attributes.iter().filter(|it| it.key == key);
    let value = found.next().map(|it| &it.value);
    assert!(found.next().is_none(), "{key} is said twice of {}", span.name);
    value
}

fn text(text: &str) -> Value {
    Value::StringValue(text.to_owned())
}

#[test]
fn a_session_is_a_tree_of_turns_tools_and_decisions() {
    let records = [
        record(1, 1000, "SessionStart", ",\"detail\":\"startup\""),
        record(2, 2000, "UserPromptSubmit", ",\"prompt\":\"go\",\"model\":\"claude-x\""),
        record(3, 3000, "PreToolUse", &bash("c1", "ls")),
        record(4, 3100, "PreToolUse", &bash("c2", "rm -rf /")),
        record(5, 3900, "PostToolUse", &bash("c1", "ls")),
        record(6, 4000, "Stop", ",\"detail\":\"completed\",\"usage\":{\"input\":5,\"output\":7}"),
        record(7, 5000, "Notification", ""),
        record(8, 6000, "UserPromptSubmit", ",\"prompt\":\"more\""),
        record(9, 6500, "PreToolUse", &bash("c3", "ls")),
        record(10, 7000, "SessionEnd", ",\"detail\":\"exit\""),
    ];
    let spans = spans(&records);
    assert_eq!(
        tree(&spans),
        "session claude
  decision SessionStart
  invoke_agent Claude Code
    decision UserPromptSubmit
    execute_tool Bash
      decision PreToolUse
      decision PostToolUse
    execute_tool Bash
      decision PreToolUse
    decision Stop
  decision Notification
  invoke_agent Claude Code
    decision UserPromptSubmit
    execute_tool Bash
      decision PreToolUse
  decision SessionEnd
"
    );
    let root = named(&spans, "session claude");
    assert_eq!((root.start, root.end), (999_600_000, 7_000_000_000));
    assert_eq!(said(root, "tenterhook.session.end"), Some(&text("exit")));
    assert_eq!(said(root, "tenterhook.calls"), Some(&Value::IntValue("3".to_owned())));
    let first = spans.iter().find(|it| said(it, "gen_ai.usage.output_tokens").is_some()).unwrap();
    assert_eq!(said(first, "gen_ai.request.model"), Some(&text("claude-x")));
    assert_eq!(said(first, "gen_ai.provider.name"), Some(&text("anthropic")));
    // No content, unless requested.
    let all = serde_json::to_string(&spans).unwrap();
    assert!(!all.contains("rm -rf") && !all.contains("\"go\""), "{all}");
    let with = spans_of(&records, 0, Options { content: true });
    let all = serde_json::to_string(&with).unwrap();
    assert!(all.contains("rm -rf") && all.contains("\\\"content\\\":\\\"go\\\""), "{all}");
    assert_eq!(tree(&with), tree(&spans));
}

#[test]
fn a_failed_tool_is_an_error_and_a_denied_one_is_not() {
    let denied = format!("{},\"decision\":\"deny\"", bash("c1", "rm"));
    let failed = format!("{},\"detail\":\"timeout\",\"error\":\"slow\"", bash("c2", "sleep"));
    let exit = format!("{},\"exit_code\":2,\"duration_ms\":1500", bash("c3", "grep"));
    let spans = spans(&[
        record(1, 1000, "PreToolUse", &denied),
        record(2, 2000, "PostToolUseFailure", &failed),
        record(3, 9000, "PostToolUse", &exit),
    ]);
    let tool = |id: &str| {
        let wanted = text(id);
        spans.iter().find(|it| said(it, "gen_ai.tool.call.id") == Some(&wanted)).unwrap()
    };
    assert_eq!(tool("c1").status, None);
    assert_eq!(said(tool("c1"), "tenterhook.decision"), Some(&text("deny")));
    assert_eq!(said(tool("c1"), "tenterhook.incomplete"), None);
    assert_eq!(tool("c2").status, Some(Status { code: 2, message: String::new() }));
    assert_eq!(said(tool("c2"), "error.type"), Some(&text("timeout")));
    assert_eq!(said(tool("c3"), "process.exit.code"), Some(&Value::IntValue("2".to_owned())));
    assert_eq!(said(tool("c3"), "error.type"), Some(&text("2")));
    // No record before the call, but the host reports the duration.
    assert_eq!(tool("c3").start, 9_000_000_000 - 1_500_000_000 - 400_000);
    tree(&spans);
}

#[test]
fn several_events_about_one_call_are_one_tool() {
    let print = |events: &str, seq, at| {
        let more = ",\"tool\":\"Bash\",\"turn_id\":\"t\",\"fingerprint\":\"ab\",\
             \"actions\":[{\"do\":\"shell\",\"command\":\"ls\"}]";
        let mut record = record(seq, at, "PreToolUse", more);
        record.native_event = events.to_owned().into();
        if events.starts_with("after") {
            record.event = "PostToolUse".into();
        }
        record
    };
    let mut first = record(1, 1000, "PreToolUse", &bash("c1", "ls"));
    first.turn_id = Some("t".into());
    let spans = spans(&[
        first,
        print("beforeShellExecution", 2, 1001),
        print("afterShellExecution", 3, 1500),
        // The same command once more, without an id this time.
        print("beforeShellExecution", 4, 2000),
        print("afterShellExecution", 5, 2500),
    ]);
    assert_eq!(
        tree(&spans),
        "session claude
  invoke_agent Claude Code
    execute_tool Bash
      decision PreToolUse
      decision PreToolUse
      decision PostToolUse
    execute_tool Bash
      decision PreToolUse
      decision PostToolUse
"
    );
}

#[test]
fn agents_hang_below_their_turn_and_tools_below_their_agent() {
    let agent = |more: &str| format!(",\"agent\":{{\"id\":\"a1\",\"type\":\"Explore\"}}{more}");
    let nested = ",\"agent\":{\"id\":\"a2\",\"type\":\"Plan\",\"parent\":\"a1\"}";
    let foreign = ",\"agent\":{\"id\":\"a3\",\"type\":\"Other\",\"parent\":\"another-session\"}";
    let spans = spans(&[
        record(1, 1000, "UserPromptSubmit", ""),
        record(2, 2000, "SubagentStart", &agent("")),
        record(3, 3000, "PreToolUse", &agent(&bash("c1", "ls"))),
        record(4, 3500, "SubagentStart", nested),
        record(5, 3600, "SubagentStop", nested),
        record(6, 4000, "SubagentStop", &agent("")),
        record(7, 5000, "SubagentStart", foreign),
    ]);
    assert_eq!(
        tree(&spans),
        "session claude
  invoke_agent Claude Code
    decision UserPromptSubmit
    invoke_agent Explore
      decision SubagentStart
      execute_tool Bash
        decision PreToolUse
      invoke_agent Plan
        decision SubagentStart
        decision SubagentStop
      decision SubagentStop
    invoke_agent Other
      decision SubagentStart
"
    );
    let other = TraceId::of_session("claude", "another-session");
    let link = Link { trace_id: other, span_id: SpanId::of_session(&other) };
    assert_eq!(named(&spans, "invoke_agent Other").links, [link]);
    assert!(named(&spans, "invoke_agent Explore").links.is_empty());
}

#[test]
fn a_part_of_a_session_has_the_ids_that_the_whole_has() {
    let records = [
        record(1, 1000, "UserPromptSubmit", ""),
        record(2, 2000, "PreToolUse", &bash("c1", "ls")),
        record(3, 3000, "Stop", ""),
        record(4, 4000, "UserPromptSubmit", ""),
        record(5, 5000, "PreToolUse", &bash("c2", "ls")),
        record(6, 6000, "PostToolUse", &bash("c2", "ls")),
    ];
    let whole = spans(&records);
    let part = spans_of(&records, 6, Options::default());
    assert_eq!(
        tree(&part),
        "session claude
  invoke_agent Claude Code
    execute_tool Bash
      decision PostToolUse
"
    );
    assert!(part.iter().all(|span| whole.contains(span)), "{part:#?}");
}

#[test]
fn a_long_session_is_given_away_as_it_goes() {
    let mut trace = Trace::new("claude", "s-1", Options::default());
    let mut out = Vec::new();
    let mut before_the_end = 0;
    for number in 0..2000_u64 {
        let call = bash(&format!("c{number}"), "ls");
        trace.take(&record(number * 2, number * 10 + 5, "PreToolUse", &call), true, &mut out);
        trace.take(&record(number * 2 + 1, number * 10 + 9, "PostToolUse", &call), true, &mut out);
        before_the_end = out.iter().filter(|span| span.name == "execute_tool Bash").count();
    }
    assert!(before_the_end > 1400, "{before_the_end}");
    // A further record about an exported call does not make a second span.
    trace.take(&record(9000, 90_000, "PostToolUse", &bash("c0", "ls")), true, &mut out);
    trace.finish(&mut out);
    assert_eq!(out.iter().filter(|span| span.name == "execute_tool Bash").count(), 2000);
    let ids: BTreeSet<SpanId> = out.iter().map(|span| span.span_id).collect();
    assert_eq!(ids.len(), out.len());
    assert!(out.iter().all(|it| it.parent_span_id.is_none_or(|parent| ids.contains(&parent))));
}

#[test]
fn ids_are_hashes_that_anybody_can_compute() {
    let trace = TraceId::of_session("claude", "s-1");
    let whole = tenter_model::hash::sha256(b"tenterhook trace\0claude\0s-1\0");
    assert_eq!(trace.to_string(), whole.get(..32).unwrap());
    let whole =
        tenter_model::hash::sha256(format!("tenterhook span\0{trace}\0tool\0c1\0").as_bytes());
    assert_eq!(SpanId::of(&trace, "tool", "c1").to_string(), whole.get(..16).unwrap());
    assert_ne!(TraceId::of_session("a", "bc"), TraceId::of_session("ab", "c"));
    let lonely = alone(&record(1, 1, "Notification", ""), Options::default());
    assert_eq!(lonely.parent_span_id, None);
}

#[test]
fn requests_are_cut_where_they_grow_too_large() {
    let span = |text: &str| {
        let mut span = alone(&record(1, 1, "Stop", ""), Options::default());
        span.attributes.push(Attribute::text("x", text));
        span
    };
    let mut batch = Batch::new("1.2.3");
    assert_eq!(batch.finish().unwrap(), None);
    let full = (0..600).filter_map(|_| batch.push(&span("")).unwrap()).collect::<Vec<_>>();
    assert_eq!(full.len(), 1);
    let parsed: serde_json::Value = serde_json::from_str(&full[0]).unwrap();
    let spans = &parsed["resourceSpans"][0]["scopeSpans"][0]["spans"];
    assert_eq!(spans.as_array().unwrap().len(), 512);
    assert!(!full[0].contains('\n'));
    assert!(batch.finish().unwrap().is_some());
    let large = "y".repeat(700_000);
    assert_eq!(batch.push(&span(&large)).unwrap(), None);
    assert!(batch.push(&span(&large)).unwrap().is_some());
}

#[test]
fn an_agent_that_ends_without_its_name_is_the_last_of_its_kind() {
    let agent = |id: &str, kind: &str| format!(",\"agent\":{{{id}\"type\":\"{kind}\"}}");
    let named = |id: &str| format!("\"id\":\"{id}\",");
    let spans = spans(&[
        record(1, 1_000, "UserPromptSubmit", ""),
        record(2, 2_000, "SubagentStart", &agent(&named("a"), "explore")),
        record(3, 3_000, "SubagentStart", &agent(&named("b"), "shell")),
        record(4, 4_000, "SubagentStop", &agent("", "explore")),
        record(5, 5_000, "SubagentStop", &agent("", "shell")),
    ]);
    let agents: Vec<&Span> = spans
        .iter()
        .filter(|span| span.attributes.iter().any(|it| it.key == "gen_ai.agent.id"))
        .collect();
    assert_eq!(agents.len(), 2, "{}", tree(&spans));
    for agent in agents {
        assert!(!agent.attributes.iter().any(|it| it.key == "tenterhook.incomplete"), "{agent:?}");
        let below = spans.iter().filter(|span| span.parent_span_id == Some(agent.span_id)).count();
        assert_eq!(below, 2, "{agent:?}");
    }
}
