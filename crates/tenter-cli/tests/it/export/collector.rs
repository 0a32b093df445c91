//! Sending: with a stub for `tenter-server`, with the real one and a receiver, and manually with a real
//! collector and Google's parser.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::scratch::{HOUR, Scratch, line};
use super::traces;

const AT: u64 = 1_790_000_000_000;
const TENTER: &str = env!("CARGO_BIN_EXE_tenter");

/// Writes a program.
fn program(path: &Path, script: &str) {
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A `tenter` with a stub server that stores its input in `got`.
fn with_server(scratch: &Scratch, answer: &str) -> String {
    let folder = scratch.path("programs");
    fs::create_dir_all(&folder).unwrap();
    let tenter = folder.join("tenter");
    if !tenter.exists() {
        fs::hard_link(TENTER, &tenter).or_else(|_| fs::copy(TENTER, &tenter).map(drop)).unwrap();
    }
    let got = scratch.path("got");
    let got = got.display();
    program(
        &folder.join("tenter-server"),
        &format!(
            "#!/bin/sh\necho \"$*\" >> {got}.arguments\necho \"$OTEL_EXPORTER_OTLP_TRACES_HEADERS\" >> \
             {got}.headers\ncat >> {got}\n{answer}\n"
        ),
    );
    tenter.display().to_string()
}

fn take(scratch: &Scratch, name: &str) -> String {
    let path = scratch.path(name);
    let text = fs::read_to_string(&path).unwrap_or_default();
    drop(fs::remove_file(path));
    text
}

const TAKEN: &str = r#"echo '{"requests":1,"rejected":0}'"#;

#[test]
fn traces_go_to_the_program_that_may_use_the_network() {
    let scratch = Scratch::new();
    scratch.append(&line("claude", "s", AT, "Stop", ""));
    let tenter = with_server(&scratch, TAKEN);
    let url = "http://localhost:4318";
    let ran = scratch.run_as(&tenter, &format!("export --otlp {url}"), &[]);
    assert_eq!((ran.stdout.as_str(), ran.exit), ("sent 2 spans of 1 session\n", 0), "{ran:?}");
    assert_eq!(take(&scratch, "got.arguments"), format!("export --otlp {url}\n"));
    assert_eq!(take(&scratch, "got.headers"), "\n");
    assert_eq!(take(&scratch, "got"), scratch.run("export --format otlp-json").stdout);

    // A key is never an argument of another process.
    let line = format!("export --otlp {url} --insecure --header x-key=a=b, --header Y=2");
    let own = [("OTEL_EXPORTER_OTLP_HEADERS", "z=1")];
    assert_eq!(scratch.run_as(&tenter, &line, &own).exit, 0);
    assert_eq!(take(&scratch, "got.arguments"), format!("export --otlp {url} --insecure\n"));
    assert_eq!(take(&scratch, "got.headers"), "z=1,x-key=a%3db%2c,Y=2\n");
}

#[test]
fn what_the_receiver_says_is_told() {
    let scratch = Scratch::new();
    scratch.append(&line("claude", "s", AT, "Stop", ""));
    for (answer, exit, stderr) in [
        (
            r#"echo '{"requests":1,"rejected":2,"message":"too old"}'"#,
            1,
            "refused 2 of the spans: too old",
        ),
        (
            "echo 'tenter-server export: nothing listens' >&2; exit 1",
            1,
            "tenter export: nothing listens",
        ),
        ("echo 'tenter-server export: use https' >&2; exit 2", 2, "tenter export: use https"),
        ("exit 7", 3, "failed: it said nothing"),
        ("echo yes", 3, "printed no JSON"),
    ] {
        let tenter = with_server(&scratch, answer);
        let ran = scratch.run_as(&tenter, "export --otlp http://localhost", &[]);
        assert_eq!(ran.exit, exit, "{answer}: {ran:?}");
        assert!(ran.stderr.contains(stderr), "{answer}: {ran:?}");
    }
    fs::remove_file(scratch.path("programs/tenter-server")).unwrap();
    let tenter = scratch.path("programs/tenter").display().to_string();
    let ran = scratch.run_as(&tenter, "export --otlp http://localhost", &[]);
    assert_eq!(ran.exit, 3, "{ran:?}");
    assert!(ran.stderr.contains("cannot be started"), "{ran:?}");
}

#[test]
fn a_session_is_sent_once_when_it_has_come_to_rest() {
    let scratch = Scratch::new();
    let now = u64::try_from(
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis(),
    )
    .unwrap();
    scratch.append(&line("claude", "old", now - 2 * HOUR, "Stop", ""));
    scratch.append(&line("claude", "busy", now - 1000, "Stop", ""));
    let tenter = with_server(&scratch, TAKEN);
    let send = |url: &str| {
        let ran = scratch.run_as(&tenter, &format!("export --otlp {url} --resume"), &[]);
        assert_eq!(ran.exit, 0, "{ran:?}");
        ran.stdout
    };
    assert_eq!(send("http://localhost:1/"), "sent 2 spans of 1 session\n");
    assert_eq!(send("http://localhost:1"), "sent 0 spans of 0 sessions\n");
    assert_eq!(send("http://localhost:1/v1/traces"), "sent 0 spans of 0 sessions\n");
    // Another receiver has received nothing yet.
    assert_eq!(send("http://localhost:2"), "sent 2 spans of 1 session\n");
    take(&scratch, "got");
    scratch.append(&line("claude", "old", now - 2 * HOUR + 1, "Stop", ""));
    scratch.append(&line("codex", "", now - 2 * HOUR + 1, "Notification", ""));
    assert_eq!(send("http://localhost:1"), "sent 3 spans of 1 session\n");
    let spans = traces::read(&take(&scratch, "got"));
    let mut names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["decision Notification", "decision Stop", "session claude"]);
    // Undelivered spans are sent again.
    scratch.append(&line("claude", "old", now - 2 * HOUR + 2, "Stop", ""));
    with_server(&scratch, "exit 1");
    assert_eq!(scratch.run_as(&tenter, "export --otlp http://localhost:1 --resume", &[]).exit, 1);
    with_server(&scratch, TAKEN);
    assert_eq!(send("http://localhost:1"), "sent 2 spans of 1 session\n");
    let marks = scratch.path("home/.local/state/tenterhook/exported.json");
    assert_eq!(fs::metadata(marks).unwrap().permissions().mode() & 0o777, 0o600);
}

/// Whether the real `tenter-server` was built; a test of the whole workspace builds it.
fn is_server_built() -> bool {
    let is_built = Path::new(TENTER).with_file_name("tenter-server").exists();
    if !is_built {
        drop(writeln!(std::io::stderr(), "left out: tenter-server is not built"));
    }
    is_built
}

/// Accepts one request and answers like a receiver.
fn receive(listener: &TcpListener) -> (String, String) {
    let (stream, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let answer =
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    reader.get_mut().write_all(answer).unwrap();
    (head, String::from_utf8(body).unwrap())
}

#[test]
fn traces_arrive_at_a_receiver() {
    if !is_server_built() {
        return;
    }
    let scratch = Scratch::new();
    for number in 0..700 {
        scratch.append(&line("claude", "s", AT + number, "Stop", ""));
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/otlp", listener.local_addr().unwrap());
    let (sender, got) = mpsc::channel();
    std::thread::spawn(move || while sender.send(receive(&listener)).is_ok() {});
    let ran = scratch.run(&format!("export --otlp {url} --header x-key=k"));
    assert_eq!((ran.stdout.as_str(), ran.exit), ("sent 701 spans of 1 session\n", 0), "{ran:?}");
    let mut bodies = String::new();
    for _ in 0..2 {
        let (head, body) = got.recv_timeout(Duration::from_secs(5)).unwrap();
        assert!(head.starts_with("POST /otlp/v1/traces HTTP/1.1"), "{head}");
        assert!(head.contains("x-key: k") && head.contains("application/json"), "{head}");
        bodies.push_str(&body);
    }
    let spans = traces::read(&bodies);
    traces::check(&spans);
    assert_eq!(spans.len(), 701);
}

/// Google's parser for protobuf JSON rejects unknown names. `pip install opentelemetry-proto`, then `cargo
/// test -p tenter-cli --test it export:: -- --ignored`.
#[test]
#[ignore = "needs python3 with opentelemetry-proto"]
fn the_official_python_package_reads_it_too() {
    let scratch = Scratch::new();
    scratch.append(&line("claude", "s", AT, "UserPromptSubmit", r#","prompt":"go""#));
    let bash = r#","tool":"Bash","call_id":"c","exit_code":1,"duration_ms":1.5,"findings":[{"rule":"a/b","level":"log"}]"#;
    scratch.append(&line("claude", "s", AT + 1, "PostToolUse", bash));
    let agent = r#","agent":{"id":"a","type":"Explore","parent":"other"}"#;
    scratch.append(&line("claude", "s", AT + 2, "SubagentStart", agent));
    let lines = scratch.run("export --format otlp-json --content").stdout;
    let script = "
import base64, json, sys
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
count = 0
for line in sys.stdin:
    document = json.loads(line)
    # OTLP writes ids in hexadecimal digits, where protobufs otherwise have base64.
    for resource in document['resourceSpans']:
        for scope in resource['scopeSpans']:
            for span in scope['spans'] + [it for span in scope['spans'] for it in span.get('links', [])]:
                for key in ('traceId', 'spanId', 'parentSpanId'):
                    if key in span:
                        span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
    request = json_format.ParseDict(document, ExportTraceServiceRequest())
    count += len(request.resource_spans[0].scope_spans[0].spans)
print(count)
";
    let mut child = Command::new("python3")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let spans = traces::read(&lines);
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), spans.len().to_string());
    assert_eq!(spans.len(), 7);
}

/// A third-party collector: `pip install rotel`, then `TENTER_ROTEL=.../rotel/rotel-agent cargo test -p
/// tenter-cli -p tenter-server --test it export:: -- --ignored`.
#[test]
#[ignore = "needs the collector rotel in TENTER_ROTEL and a built tenter-server"]
fn a_real_collector_takes_it() {
    assert!(is_server_built());
    let collector = std::env::var_os("TENTER_ROTEL").unwrap();
    let port = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (http, grpc) = (format!("127.0.0.1:{}", port()), format!("127.0.0.1:{}", port()));
    let scratch = Scratch::new();
    for number in 0..300 {
        scratch.append(&line("claude", "s", AT + number, "Stop", r#","turn_id":"t""#));
    }
    let log = fs::File::create(scratch.path("log")).unwrap();
    let mut child = Command::new(collector)
        .args(["start", "--exporter", "blackhole", "--debug-log", "traces"])
        .args(["--debug-log-verbosity", "detailed"])
        .args(["--otlp-http-endpoint", &http, "--otlp-grpc-endpoint", &grpc])
        .current_dir(scratch.path(""))
        .stdout(log)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let is_up = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        std::net::TcpStream::connect(&http).is_ok()
    });
    let ran = scratch.run(&format!("export --otlp http://{http}"));
    let names = || {
        let log = fs::read_to_string(scratch.path("log")).unwrap();
        log.lines().filter(|line| line.trim_start().starts_with("Name ")).count()
    };
    let all = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        names() == 302
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_up, "the collector does not listen");
    assert_eq!((ran.stdout.as_str(), ran.exit), ("sent 302 spans of 1 session\n", 0), "{ran:?}");
    assert!(all, "{} spans have arrived", names());
}
