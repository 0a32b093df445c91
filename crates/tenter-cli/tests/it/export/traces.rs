//! Decodes and checks traces as another program would.

use std::collections::{BTreeMap, BTreeSet};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span;
use serde_json::Value;

use super::scratch::{HOUR, Scratch, line};

const AT: u64 = 1_790_000_000_000;

/// The spans of requests, one request per line, all known to the official types.
pub(crate) fn read(lines: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    for line in lines.lines() {
        let ours: Value = serde_json::from_str(line).unwrap();
        let request: ExportTraceServiceRequest = serde_json::from_value(ours.clone()).unwrap();
        let theirs = serde_json::to_value(&request).unwrap();
        is_part(&ours, &theirs, "");
        for resource in request.resource_spans {
            let names = resource.resource.as_ref().unwrap().attributes.iter();
            assert!(names.clone().any(|it| it.key == "service.name"));
            assert_eq!(resource.schema_url, tenter_audit::otel::SCHEMA_URL);
            for scope in resource.scope_spans {
                assert_eq!(scope.scope.unwrap().name, "tenterhook");
                assert_eq!(scope.schema_url, tenter_audit::otel::SCHEMA_URL);
                spans.extend(scope.spans);
            }
        }
    }
    spans
}

/// Checks that everything survived decoding: an unknown name would be missing.
fn is_part(ours: &Value, theirs: &Value, place: &str) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for (key, value) in ours {
                let place = format!("{place}.{key}");
                assert!(theirs.contains_key(key), "{place} is not known");
                is_part(value, &theirs[key], &place);
            }
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            assert_eq!(ours.len(), theirs.len(), "{place}");
            ours.iter().zip(theirs).for_each(|(ours, theirs)| is_part(ours, theirs, place));
        }
        (ours, theirs) => assert_eq!(ours, theirs, "{place}"),
    }
}

/// Checks invariants of an export's spans: ids, times, one root per trace, existing parents.
pub(crate) fn check(spans: &[Span]) {
    let mut known: BTreeMap<(&[u8], &[u8]), &Span> = BTreeMap::new();
    for span in spans {
        assert_eq!((span.trace_id.len(), span.span_id.len()), (16, 8), "{span:?}");
        assert!(span.trace_id.iter().any(|it| *it != 0) && span.span_id.iter().any(|it| *it != 0));
        assert!(span.start_time_unix_nano > 0, "{span:?}");
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano, "{span:?}");
        assert_eq!(span.kind, 1, "{span:?}");
        let mut keys = BTreeSet::new();
        for attribute in &span.attributes {
            assert!(keys.insert(&attribute.key), "{} is said twice: {span:?}", attribute.key);
            assert!(attribute.value.as_ref().is_some_and(|it| it.value.is_some()), "{span:?}");
        }
        let twice = known.insert((&span.trace_id, &span.span_id), span);
        assert!(twice.is_none(), "{span:?} and {twice:?}");
    }
    let mut roots = BTreeSet::new();
    for span in spans {
        if span.parent_span_id.is_empty() {
            assert!(roots.insert(&span.trace_id), "a second root: {span:?}");
            continue;
        }
        let parent = known.get(&(span.trace_id.as_slice(), span.parent_span_id.as_slice()));
        assert!(parent.is_some(), "no parent of {span:?}");
        let parent = parent.unwrap();
        assert!(parent.start_time_unix_nano <= span.start_time_unix_nano, "{span:?} {parent:?}");
        assert!(parent.end_time_unix_nano >= span.end_time_unix_nano, "{span:?} {parent:?}");
    }
    let traces: BTreeSet<&Vec<u8>> = spans.iter().map(|span| &span.trace_id).collect();
    assert_eq!(traces, roots);
}

fn said<'s>(span: &'s Span, key: &str) -> Option<&'s Any> {
    let found = span.attributes.iter().find(|it| it.key == key)?;
    found.value.as_ref()?.value.as_ref()
}

/// An integer attribute, if present.
pub(crate) fn whole(span: &Span, key: &str) -> Option<i64> {
    let value = said(span, key)?;
    let number = if let Any::IntValue(number) = value { Some(*number) } else { None };
    assert!(number.is_some(), "{key} is {value:?}");
    number
}

/// A string attribute, if present.
fn text<'s>(span: &'s Span, key: &str) -> Option<&'s str> {
    let value = said(span, key)?;
    let text = if let Any::StringValue(text) = value { Some(text.as_str()) } else { None };
    assert!(text.is_some(), "{key} is {value:?}");
    text
}

fn bash(call: &str, more: &str) -> String {
    format!(
        r#","turn_id":"t1","tool":"Bash","call_id":"{call}","actions":[{{"do":"shell","command":"cat .env"}}]{more}"#
    )
}

/// A session whose second half comes later.
fn half(scratch: &Scratch) {
    for (at, event, more) in [
        (0, "SessionStart", r#","host_version":"2.1.325","user":"sha256:ab12""#.to_owned()),
        (
            1000,
            "UserPromptSubmit",
            r#","turn_id":"t1","prompt":"read it","model":"claude-x""#.to_owned(),
        ),
        (
            2000,
            "PreToolUse",
            bash(
                "c1",
                r#","decision":"deny","enforcement":"hard","policy":"p1","findings":[{"rule":"secret-files/env","level":"deny"}]"#,
            ),
        ),
        (3000, "PreToolUse", bash("c2", "")),
    ] {
        scratch.append(&line("claude", "s-one", AT + at, event, &more));
    }
}

fn rest(scratch: &Scratch) {
    for (at, event, more) in [
        (HOUR, "PostToolUse", bash("c2", r#","exit_code":1,"duration_ms":40"#)),
        (
            HOUR + 1000,
            "Stop",
            r#","turn_id":"t1","usage":{"input":10,"output":3,"cache_read":2,"cache_write":1}"#
                .to_owned(),
        ),
        (HOUR + 2000, "SessionEnd", String::new()),
    ] {
        scratch.append(&line("claude", "s-one", AT + at, event, &more));
    }
}

#[test]
fn a_trace_says_what_happened_in_the_words_of_the_conventions() {
    let scratch = Scratch::new();
    half(&scratch);
    rest(&scratch);
    let ran = scratch.run("export --format otlp-json");
    assert_eq!((ran.stderr.as_str(), ran.exit, ran.stdout.lines().count()), ("", 0, 1));
    assert!(!ran.stdout.contains(".env\"") && !ran.stdout.contains("read it"), "{}", ran.stdout);
    let spans = read(&ran.stdout);
    check(&spans);
    let named = |name: &'static str| spans.iter().filter(move |it| it.name == name);
    assert_eq!(spans.len(), 7 + 2 + 1 + 1);

    let root = named("session claude").next().unwrap();
    assert_eq!(text(root, "gen_ai.conversation.id"), Some("s-one"));
    assert_eq!(text(root, "user.hash"), Some("ab12"));
    assert_eq!(whole(root, "tenterhook.denied"), Some(1));

    let turn = named("invoke_agent Claude Code").next().unwrap();
    assert_eq!(turn.parent_span_id, root.span_id);
    for (key, value) in [
        ("gen_ai.operation.name", "invoke_agent"),
        ("gen_ai.provider.name", "anthropic"),
        ("gen_ai.agent.name", "Claude Code"),
        ("gen_ai.request.model", "claude-x"),
        ("tenterhook.turn.id", "t1"),
    ] {
        assert_eq!(text(turn, key), Some(value), "{key}");
    }
    assert_eq!(whole(turn, "gen_ai.usage.input_tokens"), Some(10));
    assert_eq!(whole(turn, "gen_ai.usage.cache_creation.input_tokens"), Some(1));

    let tool =
        |id| named("execute_tool Bash").find(|it| text(it, "gen_ai.tool.call.id") == Some(id));
    let (denied, failed) = (tool("c1").unwrap(), tool("c2").unwrap());
    assert_eq!((denied.status.as_ref(), text(denied, "tenterhook.decision")), (None, Some("deny")));
    assert_eq!(failed.status.as_ref().unwrap().code, 2);
    assert_eq!(whole(failed, "process.exit.code"), Some(1));
    assert_eq!(failed.end_time_unix_nano, (AT + HOUR) * 1_000_000);

    let decision = spans.iter().find(|it| it.parent_span_id == denied.span_id).unwrap();
    assert_eq!(decision.name, "decision PreToolUse");
    assert_eq!(text(decision, "tenterhook.enforcement"), Some("hard"));
    assert_eq!(text(decision, "tenterhook.policy"), Some("p1"));
    assert_eq!(whole(decision, "tenterhook.record.id"), Some(3));
    let Some(Any::ArrayValue(rules)) = said(decision, "tenterhook.rules") else { panic!() };
    assert_eq!(rules.values.len(), 1);

    let with = scratch.run("export --format otlp-json --content").stdout;
    check(&read(&with));
    assert!(with.contains("cat .env") && with.contains("read it"), "{with}");
    let ids = |spans: &[Span]| -> BTreeSet<Vec<u8>> {
        spans.iter().map(|span| span.span_id.clone()).collect()
    };
    assert_eq!(ids(&read(&with)), ids(&spans));
}

#[test]
fn exports_of_separate_processes_join() {
    let scratch = Scratch::new();
    half(&scratch);
    let early = read(&scratch.run("export --format otlp-json").stdout);
    check(&early);
    rest(&scratch);
    let late = read(&scratch.run("export --format otlp-json --since 2026-09-21T15:00:00Z").stdout);
    check(&late);
    let whole = read(&scratch.run("export --format otlp-json").stdout);
    check(&whole);
    assert_eq!(whole, read(&scratch.run("export --format otlp-json").stdout));

    // Later copies of a span replace earlier ones.
    let mut joined: BTreeMap<Vec<u8>, Span> = BTreeMap::new();
    for span in early.iter().chain(&late) {
        joined.insert(span.span_id.clone(), span.clone());
    }
    let expected: BTreeMap<Vec<u8>, Span> =
        whole.iter().map(|span| (span.span_id.clone(), span.clone())).collect();
    assert_eq!(joined, expected);
    // Only changed spans are sent again: the session, the turn and the unfinished tool call.
    let again = late.iter().filter(|span| early.iter().any(|it| it.span_id == span.span_id));
    let mut again: Vec<&str> = again.map(|span| span.name.as_str()).collect();
    again.sort_unstable();
    assert_eq!(again, ["execute_tool Bash", "invoke_agent Claude Code", "session claude"]);
}

#[test]
fn a_record_of_no_session_is_a_trace_of_its_own() {
    let scratch = Scratch::new();
    scratch.append(&line("codex", "", AT, "Notification", ""));
    scratch.append(&line("claude", "s", AT, "Stop", ""));
    scratch.append(&line("claude", "", AT, "Notification", ""));
    let spans = read(&scratch.run("export --format otlp-json").stdout);
    check(&spans);
    assert_eq!(spans.iter().filter(|it| it.name == "decision Notification").count(), 2);
    let spans = read(&scratch.run("export --format otlp-json --host codex").stdout);
    assert_eq!(spans.len(), 1);
    assert!(spans[0].parent_span_id.is_empty());
    let spans = read(&scratch.run("export --format otlp-json --session s").stdout);
    assert!(spans.iter().all(|it| it.name != "decision Notification"));
}

#[test]
fn many_spans_are_several_requests() {
    let scratch = Scratch::new();
    for number in 0..1200 {
        scratch.append(&line(
            "claude",
            "s",
            AT + number,
            "PreToolUse",
            &bash(&format!("c{number}"), ""),
        ));
    }
    let ran = scratch.run("export --format otlp-json");
    assert!(ran.stdout.lines().count() >= 5, "{}", ran.stdout.lines().count());
    let spans = read(&ran.stdout);
    assert_eq!(spans.len(), 2 * 1200 + 1 + 1);
    check(&spans);
}
