//! `socat ADDRESS ADDRESS`: data goes both ways, or from the first to the second with `-u`.

use super::network_program;
use super::sockets::{piece, run_command};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::{Flow, Source, Stream};
use crate::options::{Order, Spec};
use crate::tools::files::input;
use crate::value::Field;

const SPEC: Spec = Spec { short: "b:d::l:L:r:R:t:T:W:", long: "", order: Order::Anywhere };

/// One end.
enum End {
    Standard,
    /// `host:port`, or `:port` for one that listens.
    Network(Field, bool),
    File(Field),
    /// A command; true if it goes through a shell.
    Program(Field, bool),
    Other,
}

pub(super) fn socat(call: &mut Call<'_, '_>) {
    let options = call.options(&SPEC);
    if options.has(&["h", "?", "V"]) {
        return;
    }
    let [first, second] = options.operands.as_slice() else {
        return;
    };
    call.stdout = Stream::empty();
    let forward = !options.has(&["U"]);
    let backward = !options.has(&["u"]);
    // `a!!b` is two ends: one to read from, one to write to.
    let (first_in, first_out) = ends(call, first);
    let (second_in, second_out) = ends(call, second);
    let both = forward && backward;
    if forward {
        flow(call, &first_in, &second_out, both);
    }
    if backward {
        flow(call, &second_in, &first_out, both);
    }
}

fn ends(call: &Call<'_, '_>, field: &Field) -> (End, End) {
    match field.exact().and_then(|text| text.split_once("!!")) {
        Some((from, to)) => {
            (end(call, &piece(from, field.span)), end(call, &piece(to, field.span)))
        }
        None => (end(call, field), end(call, field)),
    }
}

fn end(call: &Call<'_, '_>, field: &Field) -> End {
    let text = field.prefix();
    if text == "-" && field.exact().is_some() {
        return End::Standard;
    }
    let Some((name, _)) = text.split_once([':', ',']) else {
        return match text.to_ascii_uppercase().as_str() {
            "STDIO" | "STDIN" | "STDOUT" => End::Standard,
            "SHELL" => End::Program(piece("sh", field.span), true),
            _ if text.contains('/') => End::File(field.clone()),
            _ => End::Other,
        };
    };
    if name.contains('/') {
        return End::File(without_options(field));
    }
    let name = name.to_ascii_uppercase();
    let Some(rest) = field.without_prefix(name.len().saturating_add(1)) else {
        return End::Other;
    };
    let listens = name.contains("LISTEN") || name.contains("RECV");
    let network = [
        "TCP", "UDP", "SCTP", "DCCP", "OPENSSL", "SSL", "SOCKS", "PROXY", "IP", "VSOCK", "UDPLITE",
    ];
    match name.as_str() {
        "EXEC" => End::Program(unquoted(&rest), false),
        "SYSTEM" | "SHELL" => End::Program(unquoted(&rest), true),
        "OPEN" | "FILE" | "GOPEN" | "CREATE" | "CREAT" | "PIPE" | "FIFO" => {
            End::File(in_folder(&rest))
        }
        "STDIO" | "STDIN" | "STDOUT" => End::Standard,
        "FD" => match descriptor(&rest).and_then(|at| call.machine.shell.connection(at)) {
            Some(address) => End::Network(piece(address, field.span), false),
            None => End::Standard,
        },
        _ if network.iter().any(|start| name.starts_with(start)) => {
            let mut address = without_options(&rest);
            if listens {
                let mut port = piece(":", field.span);
                for part in address.parts.drain(..) {
                    port.push(part);
                }
                address = port;
            }
            End::Network(address, listens)
        }
        _ => End::Other,
    }
}

/// The number of a descriptor, as C reads it.
fn descriptor(field: &Field) -> Option<u32> {
    let text = field.exact()?.split(',').next()?;
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if text.starts_with('0') => u32::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    }
}

/// The part before the first unquoted comma.
fn without_options(field: &Field) -> Field {
    match field.exact() {
        Some(text) => piece(text.split(',').next().unwrap_or_default(), field.span),
        None => field.clone(),
    }
}

/// A file, in the directory that an option names.
fn in_folder(field: &Field) -> Field {
    let Some(text) = field.exact() else {
        return field.clone();
    };
    let mut words = text.split(',');
    let name = words.next().unwrap_or_default();
    let folder =
        words.find_map(|word| word.strip_prefix("chdir=").or_else(|| word.strip_prefix("cd=")));
    match folder {
        Some(folder) if !name.starts_with('/') => piece(&[folder, "/", name].concat(), field.span),
        _ => piece(name, field.span),
    }
}

/// The command of an address: up to a comma, without its quotes and backslashes.
fn unquoted(field: &Field) -> Field {
    let Some(text) = field.exact() else {
        return field.clone();
    };
    let mut command = String::new();
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', _) => command.extend(letters.next()),
            (',', None) => break,
            ('"' | '\'', None) => quote = Some(letter),
            (_, Some(open)) if open == letter => quote = None,
            _ => command.push(letter),
        }
    }
    piece(&command, field.span)
}

/// Passes one end's data to the other; `both` means bidirectional.
fn flow(call: &mut Call<'_, '_>, from: &End, to: &End, both: bool) {
    let data = match from {
        End::Standard => call.stdin.clone(),
        End::Network(host, listens) => {
            let peer = Stream::from(Source::Network(host.shown().into()));
            if !matches!(to, End::Program(..)) {
                call.receive(if *listens { Act::Listen } else { Act::Socket }, host);
            }
            peer
        }
        End::File(file) => input(call, Act::Read, file),
        End::Program(command, shell) => match to {
            // Said once, when the other end gives it what it reads.
            End::Network(host, _) if both => {
                let peer = Flow::of(Source::Network(host.shown().into()));
                network_program(call, command, peer.clone());
                call.stdin = Stream::unknown(peer);
                run_command(call, command, *shell)
            }
            _ => run_command(call, command, *shell),
        },
        End::Other => Stream::default(),
    };
    match to {
        End::Standard => call.stdout = data,
        // Nothing in particular for whoever connects.
        End::Network(_, true) if matches!(from, End::Standard) && data.flow.is_empty() => {}
        End::Network(host, listens) => {
            call.send(if *listens { Act::Listen } else { Act::Socket }, host, data.flow);
        }
        End::File(file) => {
            // The other direction of a file that is read; opening it does not cut it off.
            if !matches!(from, End::Standard) || !data.flow.is_empty() {
                super::write(call, Kind::Write, Act::Write, file, data);
            }
        }
        End::Program(command, shell) => {
            if let End::Network(host, _) = from {
                network_program(call, command, Flow::of(Source::Network(host.shown().into())));
            }
            call.stdin = data;
            run_command(call, command, *shell);
        }
        End::Other => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::run::testing::effects;
    use crate::tools::table::testing::check;

    #[test]
    fn files_go_where_the_other_end_is() {
        check(
            r#"
            socat -u OPEN:key TCP:h:1 => read read /shop/key certain; send socket h:1 certain <[File("/shop/key")]
            socat -u OPEN:key,chdir=src TCP:h:1 => read read /shop/src/key certain; send socket h:1 certain <[File("/shop/src/key")]
            socat -u ./key TCP4:h:1,retry=2 => read read /shop/key certain; send socket h:1 certain <[File("/shop/key")]
            socat -U STDOUT TCP:h:1 => receive socket h:1 certain
            socat -u EXEC:id TCP:h:1 => send socket h:1 certain
            socat TCP-LISTEN:1 STDOUT => receive listen :1 certain
            socat - TCP:h:80 => send socket h:80 certain; receive socket h:80 certain
            socat -u TCP-LISTEN:1,fork CREATE:f => receive listen :1 certain; write write /shop/f certain <[Network(":1")]
            socat TCP-LISTEN:80,fork TCP:h:80 => receive listen :80 certain; send socket h:80 certain <[Network(":80")]; receive socket h:80 certain; send listen :80 certain <[Network("h:80")]
            socat -V =>
            "#,
        );
    }

    #[test]
    fn a_program_at_a_connection_is_a_shell_for_it() {
        for (first, second, expected) in [
            ("TCP-LISTEN:1", "EXEC:/bin/sh", "execute network-shell /bin/sh certain"),
            ("TCP:h:1", "EXEC:'bash -li',pty,stderr", "execute network-shell bash -li certain"),
            ("TCP-LISTEN:1", "SHELL", "execute network-shell sh certain"),
            ("TCP:h:1", "SYSTEM:id", "execute network-program id certain"),
            ("UDP-LISTEN:1", "EXEC:rm\\ -rf\\ x", "execute network-program rm -rf x certain"),
        ] {
            for words in [["socat", first, second], ["socat", second, first]] {
                let said = effects(&words);
                assert!(said.iter().any(|line| line.starts_with(expected)), "{words:?}: {said:?}");
            }
        }
    }
}
