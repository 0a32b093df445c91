//! `tenter-server export` through the built binary, against a receiver that decodes requests with the
//! official protobuf types.

use std::net::TcpListener;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use serde_json::{Value, json};

use crate::support::{Judge, Ran, Server, Step};

const REQUEST: &str = r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"tenterhook"}}]},"scopeSpans":[{"scope":{"name":"tenterhook"},"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"a","kind":1,"startTimeUnixNano":"1544712660000000000","endTimeUnixNano":"1544712661000000000","attributes":[{"key":"n","value":{"intValue":"9007199254740993"}}]}]}]}]}"#;

/// A receiver's response, built from the official type.
fn taken(rejected_spans: i64, error_message: &str) -> Step {
    let partial_success = (rejected_spans > 0).then(|| ExportTracePartialSuccess {
        rejected_spans,
        error_message: error_message.to_owned(),
    });
    Step::json(&serde_json::to_value(ExportTraceServiceResponse { partial_success }).unwrap())
}

fn run_with(port: u16, more: &[&str], variables: &[(&str, &str)], stdin: &str) -> Ran {
    let url = format!("http://127.0.0.1:{port}");
    let mut home = Judge::unconfigured();
    for (name, value) in variables {
        home = home.variable(name, value);
    }
    let arguments = [&["export", "--otlp", url.as_str()], more].concat();
    home.run_with(&arguments, stdin)
}

fn run(script: Vec<Step>, stdin: &str) -> (Server, Ran) {
    let server = Server::start(script);
    let ran = run_with(server.port, &[], &[], stdin);
    (server, ran)
}

#[track_caller]
fn fails(ran: &Ran, exit: i32, wanted: &str) {
    assert_eq!((ran.stdout.as_str(), ran.exit), ("", exit), "{ran:?}");
    assert!(ran.stderr.starts_with("tenter-server export: "), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    assert!(ran.stderr.contains(wanted), "wanted `{wanted}` in {ran:?}");
}

#[test]
fn every_line_is_a_request() {
    let (server, ran) = run(vec![taken(0, "")], &format!("{REQUEST}\n\n{REQUEST}"));
    ran.says(r#"{"requests":2,"rejected":0}"#);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert_eq!(request.line, "POST /v1/traces HTTP/1.1");
        assert_eq!(request.header("content-type"), Some("application/json"));
        let body: ExportTraceServiceRequest = serde_json::from_value(request.json()).unwrap();
        let span = &body.resource_spans[0].scope_spans[0].spans[0];
        assert_eq!((span.trace_id.len(), span.span_id.len()), (16, 8));
        assert_eq!(span.start_time_unix_nano, 1_544_712_660_000_000_000);
    }
}

#[test]
fn headers_come_from_the_environment_and_arguments() {
    let server = Server::start(vec![taken(0, "")]);
    let variables = [("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20k,x-a=1")];
    let ran = run_with(server.port, &["--header", "X-A=2"], &variables, REQUEST);
    ran.says(r#"{"requests":1,"rejected":0}"#);
    let request = server.only_request();
    assert_eq!(request.header("authorization"), Some("Bearer k"));
    assert_eq!(request.header("x-a"), Some("2"));
}

#[test]
fn a_busy_receiver_is_asked_again() {
    for status in [429, 502, 503, 504] {
        let busy = Step::status(status, &["Retry-After: 1"], "");
        let (server, ran) = run(vec![busy, taken(0, "")], REQUEST);
        ran.says(r#"{"requests":1,"rejected":0}"#);
        assert!(ran.took >= Duration::from_secs(1), "{status}: {ran:?}");
        assert_eq!(server.requests().len(), 2, "{status}");
    }
}

#[test]
fn a_connection_that_breaks_is_tried_again() {
    let (server, ran) = run(vec![Step::Write(Vec::new()), taken(0, "")], REQUEST);
    ran.says(r#"{"requests":1,"rejected":0}"#);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn what_is_refused_is_not_sent_again() {
    for status in [400, 401, 404, 413, 500] {
        let body = json!({ "code": 3, "message": "no\u{1b}[31m such\nthing" }).to_string();
        let (server, ran) = run(vec![Step::status(status, &[], &body)], REQUEST);
        fails(&ran, 1, &format!("refuses it (HTTP {status}): no[31m such thing"));
        assert_eq!(server.requests().len(), 1, "{status}");
    }
    // A redirect could leak the key.
    let (_server, ran) =
        run(vec![Step::status(307, &["Location: http://localhost:1/"], "")], REQUEST);
    fails(&ran, 1, "HTTP 307");
}

#[test]
fn patience_has_an_end() {
    let server = Server::start(vec![Step::status(503, &["Retry-After: 100"], "later")]);
    let ran = run_with(server.port, &["--timeout", "2"], &[], REQUEST);
    fails(&ran, 1, "is busy (HTTP 503): later, and 2 s are over");
    let server = Server::start(vec![Step::Silence(Duration::from_mins(2))]);
    let ran = run_with(server.port, &["--timeout", "1"], &[], REQUEST);
    fails(&ran, 1, "in 1 s");
    assert!(ran.took < Duration::from_mins(1), "{ran:?}");
}

#[test]
fn spans_that_are_not_taken_are_counted() {
    let script = vec![taken(3, "too\u{1b}[1m old"), taken(4, "still too old")];
    let (_server, ran) = run(script, &format!("{REQUEST}\n{REQUEST}\n"));
    assert_eq!(ran.exit, 0, "{ran:?}");
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(said, json!({ "requests": 2, "rejected": 7, "message": "still too old" }));
}

#[test]
fn what_was_delivered_before_a_failure_is_said() {
    let script = vec![taken(0, ""), Step::status(400, &[], "bad")];
    let (_server, ran) = run(script, &format!("{REQUEST}\n{REQUEST}\n"));
    fails(&ran, 1, "(1 requests before it were delivered)");
}

#[test]
fn nobody_there_is_said_at_once() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let ran = run_with(free, &[], &[], REQUEST);
    fails(&ran, 1, "nothing listens at `http://127.0.0.1:");
    assert!(ran.took < Duration::from_mins(1), "{ran:?}");
}

#[test]
fn wrong_arguments_are_refused_before_anything_is_sent() {
    let home = Judge::unconfigured();
    for (arguments, wanted) in [
        (vec!["export", "--otlp", "http://192.0.2.1:4318"], "--insecure"),
        (vec!["export", "--otlp", "gopher://x"], "must begin with"),
        (vec!["export", "--otlp", "https://u:p@x/"], "user name"),
        (vec!["export", "--otlp", "https://x", "--header", "none"], "NAME=VALUE"),
        (vec!["export"], "required arguments"),
    ] {
        fails(&home.run_with(&arguments, ""), 2, wanted);
    }
    let server = Server::start(vec![taken(0, "")]);
    run_with(server.port, &[], &[], "").says(r#"{"requests":0,"rejected":0}"#);
    assert!(server.requests().is_empty());
}
