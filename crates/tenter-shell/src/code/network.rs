//! Network functions: what code sends and receives.
//!
//! Actions: `http` (a request), `connect` (a connection is opened), `socket` (data goes through
//! it), `lookup` (a name that holds data is asked for), `mail`, `network-shell`.

use std::rc::Rc;

use super::expr::missing;
use super::library::Op;
use super::scan::{Scan, Sent};
use super::value::{Arguments, Thing, Value};
use crate::act::Act;
use crate::effect::Kind;
use crate::flow::{Flow, Source, Stream};
use crate::target::Target;
use crate::value::Field;

impl Scan<'_, '_, '_, '_> {
    pub(super) fn network(&mut self, op: Op, arguments: &Arguments) -> Value {
        let span = arguments.span;
        match op {
            Op::Get(at) => self.request(arguments, usize::from(at), false),
            Op::Post(at) => self.request(arguments, usize::from(at), true),
            Op::Fetch => self.request(arguments, 0, false),
            Op::Download => {
                let content = self.request(arguments, 0, false).stream(span);
                let to = arguments
                    .get(1)
                    .or(arguments.option("filename"))
                    .or(arguments.option("destfile"));
                match to.map(|value| value.field(span)) {
                    Some(file) => {
                        _ = self.call.write(Kind::Overwrite, Act::Download, &file, content);
                    }
                    None => _ = self.call.effect_at(Kind::Write, Act::Download, Target::None, span),
                }
                Value::unknown("…", span)
            }
            Op::Connect => {
                let host = address(arguments);
                self.connect(host)
            }
            Op::Socket => Value::Object(Thing::Socket, Box::new(Value::unknown("…", span))),
            Op::Client => {
                let base = arguments.get(0).cloned().unwrap_or_else(|| Value::text("", span));
                if super::acts::is_address(base.field(span).prefix()) {
                    let _response = self.request(arguments, 0, false);
                }
                Value::Object(Thing::Client, Box::new(base))
            }
            Op::Lookup => {
                let host =
                    arguments.get(0).map_or_else(|| missing(arguments), |value| value.field(span));
                let data = host.sources();
                if !data.is_empty() {
                    self.found.sends.push(Sent { action: Act::Lookup, host, data });
                }
                Value::unknown("…", span)
            }
            Op::CurlOption => self.curl_option(arguments),
            Op::Upload => {
                let place = arguments.get(1).or(arguments.option("Bucket"));
                let host = place.map_or_else(|| missing(arguments), |value| value.field(span));
                let data = self.read(arguments).flow();
                self.found.sends.push(Sent { action: Act::Upload, host, data });
                Value::unknown("…", span)
            }
            _ => {
                let to =
                    arguments.get(0).map_or_else(|| missing(arguments), |value| value.field(span));
                let data = arguments.flow();
                self.found.sends.push(Sent { action: Act::Mail, host: to, data });
                Value::unknown("…", span)
            }
        }
    }

    /// A request to the address at this argument; with a body, data goes out.
    fn request(&mut self, arguments: &Arguments, at: usize, sends: bool) -> Value {
        let span = arguments.span;
        let url = match arguments.get(at) {
            Some(Value::Map(entries)) => entries
                .iter()
                .find(|(key, _)| matches!(key.as_str(), "url" | "hostname" | "host"))
                .map(|(_, value)| value.field(span)),
            // A request that was built before: address, then body.
            Some(Value::List(parts)) => parts.first().map(|value| value.field(span)),
            Some(value) => Some(value.field(span)),
            None => arguments.option("url").map(|value| value.field(span)),
        };
        let url = url.unwrap_or_else(|| missing(arguments));
        let method = arguments.option("method").or(arguments.option("type")).or(match at {
            1 => arguments.get(0),
            _ => None,
        });
        let writes = method.and_then(Value::exact).is_some_and(|method| {
            matches!(method.to_ascii_uppercase().as_str(), "POST" | "PUT" | "PATCH" | "DELETE")
        });
        let body = ["data", "body", "json", "files", "content", "form", "params"]
            .iter()
            .any(|name| arguments.option(name).is_some())
            || (at == 0 && arguments.get(1).is_some_and(|value| matches!(value, Value::Text(_))));
        let carried = url.sources();
        if sends || writes || body {
            let mut data = arguments.flow();
            data.join(&carried);
            self.found.sends.push(Sent { action: Act::Http, host: url.clone(), data });
        } else if !carried.is_empty() {
            self.found.sends.push(Sent { action: Act::Http, host: url.clone(), data: carried });
        }
        if sends || writes {
            return Value::unknown_from(Flow::of(Source::Network(Rc::from(url.shown()))), span);
        }
        let stream = self.call.receive(Act::Http, &url);
        // Callbacks of this call get the response.
        Value::from_stream(stream, span)
    }

    fn connect(&mut self, host: Field) -> Value {
        self.call.receive(Act::Connect, &host);
        let value = Value::Text(host.clone());
        self.found.host = Some(host);
        Value::Object(Thing::Socket, Box::new(value))
    }

    pub(super) fn socket_method(
        &mut self,
        value: &Value,
        name: &str,
        arguments: &Arguments,
    ) -> Value {
        let span = arguments.span;
        match name {
            "connect" | "connect_ex" => {
                let host = address(arguments);
                self.connect(host)
            }
            "send" | "sendall" | "sendto" | "write" | "puts" | "print" | "end" | "sendfile" => {
                let host = match (name, &self.found.host) {
                    ("sendto", _) | (_, None) => arguments
                        .list
                        .last()
                        .map_or_else(|| missing(arguments), |value| value.field(span)),
                    (_, Some(host)) => host.clone(),
                };
                self.found.sends.push(Sent { action: Act::Socket, host, data: arguments.flow() });
                Value::unknown("…", span)
            }
            "fileno" | "close" | "setTimeout" | "setEncoding" | "on" | "once" | "pipe" => {
                value.clone()
            }
            _ => match &self.found.host {
                Some(host) => {
                    let source = Source::Network(Rc::from(host.shown()));
                    Value::unknown_from(Flow::of(source), span)
                }
                None => value.clone(),
            },
        }
    }

    pub(super) fn client_method(
        &mut self,
        base: &Value,
        name: &str,
        arguments: &Arguments,
    ) -> Value {
        let span = arguments.span;
        let based = base.exact() != Some("");
        match name {
            "get" | "head" | "stream" if !based || !arguments.list.is_empty() => {
                self.client_request(base, arguments, 0, false)
            }
            "request" if matches!(arguments.list.as_slice(), [Value::List(_)]) => {
                // A request that was built before: method, address, headers, body.
                let list = arguments.get(0).map(Value::items).unwrap_or_default();
                let arguments = Arguments { list, ..arguments.clone() };
                self.client_method(base, name, &arguments)
            }
            "post" | "put" | "patch" | "delete" | "post_form" => {
                self.client_request(base, arguments, 0, true)
            }
            "request" => {
                let writes = arguments
                    .get(0)
                    .and_then(Value::exact)
                    .is_some_and(|method| method != "GET" && method != "HEAD");
                self.client_request(base, arguments, 1, writes)
            }
            "sendmail" | "send_message" | "storbinary" | "storlines" | "send" | "write" => {
                let host = base.field(span);
                self.found.sends.push(Sent { action: Act::Http, host, data: arguments.flow() });
                Value::unknown("…", span)
            }
            _ => {
                let mut flow = base.flow();
                flow.join(&arguments.flow());
                if let Some(host) = base.exact().filter(|host| !host.is_empty()) {
                    flow.add(Source::Network(Rc::from(host)));
                }
                Value::unknown_from(flow, span)
            }
        }
    }

    /// A request of a client that may have a base address.
    fn client_request(
        &mut self,
        base: &Value,
        arguments: &Arguments,
        at: usize,
        sends: bool,
    ) -> Value {
        let mut list = arguments.list.clone();
        let absolute = arguments
            .get(at)
            .is_some_and(|url| super::acts::is_address(url.field(arguments.span).prefix()));
        if !absolute && base.exact() != Some("") {
            let path =
                arguments.get(at).cloned().unwrap_or_else(|| Value::text("", arguments.span));
            let whole = base.clone().concat(path, arguments.span);
            if let Some(slot) = list.get_mut(at) {
                *slot = whole;
            }
        }
        let arguments = Arguments { list, named: arguments.named.clone(), span: arguments.span };
        self.request(&arguments, at, sends)
    }

    /// `curl_setopt($c, CURLOPT_POSTFIELDS, $data)`
    fn curl_option(&mut self, arguments: &Arguments) -> Value {
        let span = arguments.span;
        let client = match arguments.get(0) {
            Some(Value::Object(_, base)) => base.field(span),
            _ => missing(arguments),
        };
        let value = arguments.get(2);
        match arguments.get(1) {
            Some(Value::Name(name)) if name.ends_with("_URL") => {
                let url = value.map_or_else(|| missing(arguments), |value| value.field(span));
                self.call.receive(Act::Http, &url);
                self.found.host = Some(url);
            }
            Some(Value::Name(name)) if name.contains("POSTFIELDS") || name.contains("INFILE") => {
                let host = match &self.found.host {
                    Some(host) if client.exact().is_none_or(str::is_empty) => host.clone(),
                    _ => client,
                };
                let data = value.map(Value::flow).unwrap_or_default();
                self.found.sends.push(Sent { action: Act::Http, host, data });
            }
            _ => {}
        }
        Value::unknown("…", span)
    }

    /// Reports effects that only show at the end: data sent, and shells given to a connection.
    pub(super) fn finish(&mut self) -> Stream {
        self.start_noticed();
        self.flush();
        for sent in std::mem::take(&mut self.found.sends) {
            let mut data = sent.data;
            data.join(&self.found.reads);
            self.call.send(sent.action, &sent.host, data);
        }
        if let Some(host) = self.found.host.take()
            && self.found.shell
        {
            let shown = host.shown();
            let source = Source::Network(Rc::from(shown.as_str()));
            let effect = self.call.effect_at(
                Kind::Execute,
                Act::NetworkShell,
                Target::Host(shown),
                host.span,
            );
            effect.sources = Flow::of(source);
        }
        let mut out = std::mem::take(&mut self.out);
        if self.found.branches {
            out.text = None;
        }
        out
    }
}

/// Host and port from arguments in any order: `(("h", 1),)`, `(1, "h")`, `PeerAddr => "h:1"`.
fn address(arguments: &Arguments) -> Field {
    let span = arguments.span;
    let mut values = Vec::new();
    for value in &arguments.list {
        match value {
            Value::List(inner) => values.extend(inner.iter().cloned()),
            Value::Map(_) => {}
            other => values.push(other.clone()),
        }
    }
    for name in ["PeerAddr", "PeerHost", "host", "hostname", "PeerPort", "port"] {
        values.extend(arguments.option(name).cloned());
    }
    let is_port = |value: &Value| value.number().is_some();
    let host = values
        .iter()
        .find(|value| matches!(value, Value::Text(_)) && !is_port(value))
        .or_else(|| values.iter().find(|value| !is_port(value)));
    let port = values.iter().find_map(Value::number);
    let mut field = host.map_or_else(|| missing(arguments), |value| value.field(span));
    if let Some(port) = port {
        field.push_text(&format!(":{port}"), None);
    }
    field
}
