//! A minimal HTTP server: each connection gets one step of a script.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// Behaviour for one connection. The last step of a script repeats.
#[derive(Clone)]
pub(crate) enum Step {
    /// Reads the request, writes these bytes and closes.
    Write(Vec<u8>),
    /// Reads the request and sends nothing for this long.
    Silence(Duration),
    /// Writes the first part, then one byte of a header or body every 50 ms, for ever.
    Trickle(Vec<u8>),
    /// Writes these bytes and leaves most of the request unread, which resets the connection.
    Reset(Vec<u8>),
}

impl Step {
    pub(crate) fn status(status: u16, headers: &[&str], body: &str) -> Self {
        let length = format!("Content-Length: {}", body.len());
        let headers = [&[length.as_str()], headers].concat().join("\r\n");
        Self::Write(format!("HTTP/1.1 {status} X\r\n{headers}\r\n\r\n{body}").into_bytes())
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self::status(200, &["Content-Type: application/json"], &body.to_string())
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Method, path and version.
    pub(crate) line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let value = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "the header {name} came twice");
        value
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub(crate) struct Server {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub(crate) fn start(script: Vec<Step>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        // The thread ends with the test.
        thread::spawn(move || {
            let last = script.last().unwrap().clone();
            let mut script = script.into_iter();
            for stream in listener.incoming().flatten() {
                play(stream, script.next().unwrap_or_else(|| last.clone()), &seen);
            }
        });
        Self { port, requests }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The request, asserting that there was exactly one.
    pub(crate) fn only_request(&self) -> Request {
        let requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests.into_iter().next().unwrap()
    }
}

fn play(mut stream: TcpStream, step: Step, seen: &Mutex<Vec<Request>>) {
    if let Step::Reset(bytes) = step {
        drop(stream.read_exact(&mut [0; 10]));
        drop(stream.write_all(&bytes));
        thread::sleep(Duration::from_millis(100));
        return;
    }
    if let Some(request) = read(&mut stream) {
        seen.lock().unwrap().push(request);
    }
    match step {
        Step::Write(bytes) | Step::Reset(bytes) => drop(stream.write_all(&bytes)),
        Step::Silence(time) => thread::sleep(time),
        Step::Trickle(bytes) => {
            drop(stream.write_all(&bytes));
            while stream.write_all(b"x").is_ok() {
                thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

/// Reads one request; `None` when the client leaves or does not speak HTTP.
fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.extend(byte);
        // The first byte of TLS.
        if head == [0x16] {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?;
    let mut lines = head.lines();
    let line = lines.next()?.to_owned();
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    let headers: Vec<_> = lines.filter_map(header).collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, length)| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(Request { line, headers, body })
}
