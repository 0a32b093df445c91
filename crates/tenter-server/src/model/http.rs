//! Minimal HTTP server: one request and one response per connection.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};

use serde_json::Value;

/// Maximum body size; our clients send less.
const LONGEST_BODY: u64 = 64 * 1024 * 1024;
const LONGEST_HEAD: u64 = 64 * 1024;

#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Response {
    kind: &'static str,
    body: String,
}

impl Response {
    pub(super) fn json(value: &Value) -> Self {
        Self { kind: "application/json", body: value.to_string() }
    }

    /// An event stream; each event is named by its `type`.
    pub(super) fn events(events: &[Value]) -> Self {
        let mut body = String::new();
        for event in events {
            let name = event.get("type").and_then(Value::as_str).unwrap_or_default();
            // Writing to a string cannot fail.
            write!(body, "event: {name}\ndata: {event}\n\n").unwrap_or_default();
        }
        Self { kind: "text/event-stream", body }
    }
}

/// Reads a request. `None` when the client sends nothing.
pub(super) fn read(stream: impl Read) -> io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream);
    let mut head = (&mut reader).take(LONGEST_HEAD);
    let mut line = String::new();
    if head.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let (method, path) = (method.to_owned(), path.to_owned());
    let (mut length, mut chunked) = (0, false);
    loop {
        let mut line = String::new();
        if head.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => {
                length = value.parse().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
            }
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            _ => {}
        }
    }
    let body = if chunked { chunks(&mut reader)? } else { exactly(&mut reader, length)? };
    Ok(Some(Request { method, path, body }))
}

fn exactly(reader: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    if length > LONGEST_BODY {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body)?;
    if body.len() as u64 == length { Ok(body) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.take(LONGEST_HEAD).read_line(&mut line)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16)
            .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        if size == 0 {
            return Ok(body);
        }
        if (body.len() as u64).saturating_add(size) > LONGEST_BODY {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        body.extend(exactly(reader, size)?);
        let mut end = String::new();
        reader.take(2).read_line(&mut end)?;
    }
}

pub(super) fn write(mut stream: impl Write, response: &Response) -> io::Result<()> {
    let Response { kind, body } = response;
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(text: &str) -> io::Result<Option<Request>> {
        read(text.as_bytes())
    }

    #[test]
    fn bodies_come_whole_or_in_chunks() {
        let whole = "POST /v1/messages?beta=true HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloxx";
        let whole = request(whole).unwrap().unwrap();
        assert_eq!(
            (whole.method.as_str(), whole.path.as_str()),
            ("POST", "/v1/messages?beta=true")
        );
        assert_eq!(whole.body, b"hello");
        let chunked = "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=1\r\nlo\r\n0\r\n\r\n";
        assert_eq!(request(chunked).unwrap().unwrap().body, b"hello");
        assert!(request("").unwrap().is_none());
    }

    #[test]
    fn what_is_no_request_is_refused_and_nothing_is_believed_about_lengths() {
        for bad in [
            "hello",
            "POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nshort",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffff\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n",
        ] {
            assert!(request(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn events_are_named_by_their_type() {
        let response = Response::events(&[json!({ "type": "a", "x": 1 }), json!({ "type": "b" })]);
        let mut sent = Vec::new();
        write(&mut sent, &response).unwrap();
        let sent = String::from_utf8(sent).unwrap();
        let (head, body) = sent.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}", body.len())), "{head}");
        assert_eq!(
            body,
            "event: a\ndata: {\"type\":\"a\",\"x\":1}\n\nevent: b\ndata: {\"type\":\"b\"}\n\n"
        );
    }
}
