//! Plain connections: netcat, telnet, web sockets.

use super::network_program;
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::{Flow, Source, Stream};
use crate::options::{Options, Spec};
use crate::span::Span;
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;

/// The many versions of netcat, read together; letters that only one of them has do no harm.
const NC: Spec = Spec::new(
    "e:c:g:G:i:I:m:M:o:O:p:P:q:s:T:V:w:W:x:X:",
    "exec= sh-exec= lua-exec= source= source-port= wait= idle-timeout= output= hex-dump= \
     proxy= proxy-type= proxy-auth= max-conns= delay= allow= deny= ssl-cert= ssl-key= \
     ssl-trustfile= listen keep-open udp send-only recv-only help version ssl zero \
     unixsock",
);

pub(super) fn nc(call: &mut Call<'_, '_>) {
    let options = call.options(&NC);
    if options.has(&["h", "help", "version"]) {
        return;
    }
    call.stdout = Stream::empty();
    let listens = options.has(&["l", "listen"]);
    let Some(peer) = peer(call, &options, listens) else {
        return;
    };
    // Only asks whether a port is open.
    if options.has(&["z", "zero"]) {
        return;
    }
    let action = if listens { Act::Listen } else { Act::Socket };
    let source = Source::Network(peer.shown().into());
    let program = options.value(&["e", "exec", "c", "sh-exec", "lua-exec"]).cloned();
    if let Some(program) = program {
        let shell = options.has(&["c", "sh-exec"]);
        network_program(call, &program, Flow::of(source.clone()));
        call.stdin = Stream::from(source);
        let out = run_command(call, &program, shell);
        call.send(action, &peer, out.flow);
        return;
    }
    let silent = options.has(&["d", "recv-only"]) || call.stdin.text.as_deref() == Some("");
    let data = call.stdin.flow.clone();
    if !silent && (!listens || !data.is_empty()) {
        call.send(action, &peer, data);
        flushes(call);
    }
    if !options.has(&["send-only"]) {
        call.stdout = call.receive(action, &peer);
    }
}

/// `socket -p PROGRAM HOST PORT`, `socket -sp PROGRAM PORT`
pub(super) fn socket(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("p:B:", ""));
    let Some(peer) = options.operands.first().copied() else { return };
    let source = Source::Network(peer.shown().into());
    if let Some(program) = options.value(&["p"]).cloned() {
        network_program(call, &program, Flow::of(source));
        return;
    }
    let action = if options.has(&["s"]) { Act::Listen } else { Act::Socket };
    let data = call.stdin.flow.clone();
    call.send(action, peer, data);
    call.stdout = call.receive(action, peer);
}

/// Redis and memcached understand plain lines.
fn flushes(call: &mut Call<'_, '_>) {
    let words = ["flushall", "flushdb", "flush_all"];
    let text = call.stdin.text.as_deref().unwrap_or_default();
    if text.lines().any(|line| words.iter().any(|word| word.eq_ignore_ascii_case(line.trim()))) {
        call.effect(Kind::Database, Act::Flush, Target::None);
    }
}

/// The other end: `host:port`, or `:port` for who listens.
fn peer(call: &Call<'_, '_>, options: &Options<'_>, listens: bool) -> Option<Field> {
    let span = options.operands.first().map_or(call.span, |field| field.span);
    let mut operands = options.operands.iter();
    let mut address = Field { span, ..Field::default() };
    if listens {
        let port = options.operands.last().copied().or_else(|| options.value(&["p"]))?;
        address.push_text(":", None);
        add(&mut address, port);
        return Some(address);
    }
    add(&mut address, operands.next()?);
    if let Some(port) = operands.next() {
        address.push_text(":", None);
        add(&mut address, port);
    }
    Some(address)
}

fn add(field: &mut Field, more: &Field) {
    for part in &more.parts {
        field.push(part.clone());
    }
    field.flow.join(&more.flow);
}

/// Runs what a connection is given to: through a shell, or as a program and its words.
pub(super) fn run_command(call: &mut Call<'_, '_>, command: &Field, shell: bool) -> Stream {
    match command.exact() {
        Some(text) if !shell => {
            let argv: Vec<Field> =
                text.split_whitespace().map(|word| Field::text(word, command.span)).collect();
            call.run(&argv)
        }
        _ => call.run_code(Language::Shell(Dialect::Posix), command),
    }
}

/// A connection that takes standard input and prints what comes back.
fn connect(call: &mut Call<'_, '_>, host: &Field) {
    let data = call.stdin.flow.clone();
    if call.stdin.text.as_deref() != Some("") {
        call.send(Act::Socket, host, data);
    }
    call.stdout = call.receive(Act::Socket, host);
}

pub(super) fn telnet(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("b:e:l:n:S:X:", ""));
    if let [host, rest @ ..] = options.operands.as_slice() {
        let mut address = (*host).clone();
        if let Some(port) = rest.first() {
            address.push_text(":", None);
            add(&mut address, port);
        }
        connect(call, &address);
    }
}

pub(super) fn websocket(call: &mut Call<'_, '_>) {
    let options =
        call.options(&Spec::new("c:x:H:s:o:P:p:", "connect= execute= header= listen= exec="));
    let url = options.value(&["c", "connect"]).or_else(|| {
        options
            .operands
            .iter()
            .copied()
            .find(|field| field.prefix().starts_with("ws") && field.prefix().contains("://"))
    });
    if let Some(url) = url {
        let mut sent = call.stdin.flow.clone();
        for value in options.values(&["x", "execute", "H", "header"]) {
            sent.join(&value.sources());
        }
        call.send(Act::Socket, url, sent);
        call.stdout = call.receive(Act::Socket, url);
    }
}

/// A field for something that an argument says only in part.
pub(super) fn piece(text: &str, span: Span) -> Field {
    Field::text(text, span)
}

#[cfg(test)]
mod tests {
    use crate::flow::{Source, Stream};
    use crate::run::testing::effects_with;
    use crate::tools::table::testing::check;

    #[test]
    fn connections_send_and_receive() {
        check(
            r"
            nc h 80 => send socket h:80 certain; receive socket h:80 certain
            nc -w 3 -p 1 h 80 => send socket h:80 certain; receive socket h:80 certain
            nc -z h 1-100 =>
            nc -zv h 22 =>
            nc -l 4444 => receive listen :4444 certain
            nc -lvnp 4444 => receive listen :4444 certain
            nc -h =>
            telnet h 25 => send socket h:25 certain; receive socket h:25 certain
            websocat ws://h/x => send socket ws://h/x certain; receive socket ws://h/x certain
            ",
        );
        let secret = Stream::from(Source::File("/s".into()));
        assert_eq!(
            effects_with(&["nc", "-N", "h", "1"], secret.clone()).first().map(String::as_str),
            Some("send socket h:1 certain <[File(\"/s\")]")
        );
        assert_eq!(
            effects_with(&["nc", "-l", "1"], secret).first().map(String::as_str),
            Some("send listen :1 certain <[File(\"/s\")]")
        );
        assert_eq!(
            effects_with(&["nc", "h", "1"], Stream::empty()),
            ["receive socket h:1 certain"]
        );
    }

    #[test]
    fn programs_are_run_for_the_other_end() {
        check(
            r#"
            nc -e /bin/cat h 1 => execute network-program /bin/cat certain <[Network("h:1")]; send socket h:1 certain <[Network("h:1")]
            "#,
        );
        for words in [
            &["nc", "-e", "/bin/sh", "h", "1"][..],
            &["ncat", "--listen", "--exec=/bin/bash", "1"],
            &["nc", "h", "1", "-c", "env -u X sh"],
        ] {
            let said = effects_with(words, Stream::default());
            assert!(said.iter().any(|line| line.starts_with("execute network-shell ")), "{said:?}");
        }
    }
}
