//! Copies to and from other machines, and ways into this one.

use super::{is_remote, save};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::Flow;
use crate::options::{Spec, parse};
use crate::syntax::Dialect;
use crate::target::Target;
use crate::tools::copy::is_directory;
use crate::tools::files::{below, input, on_this_machine, remote};
use crate::value::Field;
use crate::world::Language;

pub(super) fn scp(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("c:D:F:i:J:l:o:P:S:X:", ""));
    for option in options.values(&["o"]) {
        ssh_option(call, option);
    }
    if let Some(program) = options.value(&["S"]) {
        call.run(std::slice::from_ref(program));
    }
    let other_port = options.has(&["P"]);
    let place = |field: &&Field| match on_this_machine(call, field).filter(|_| !other_port) {
        Some(here) => here,
        None => (*field).clone(),
    };
    let operands: Vec<Field> = options.operands.iter().map(place).collect();
    let Some((to, from)) = operands.split_last() else {
        return;
    };
    let recursive = options.has(&["r"]);
    let mut data = Flow::default();
    let into = from.len() > 1 || is_directory(call, to);
    for source in from {
        let content = if is_remote(source) {
            call.receive(Act::Download, source)
        } else {
            input(call, Act::Read, source)
        };
        data.join(&content.flow);
        if !is_remote(to) {
            let path = remote(source).map(|(_, path)| path);
            let mut place = to.clone();
            if into {
                place = below(to, path.as_ref().unwrap_or(source));
            }
            save(call, Kind::Overwrite, &place, content);
            if recursive {
                call.machine.last_is_tree();
            }
        }
    }
    if is_remote(to) && !from.is_empty() {
        call.send(Act::Upload, to, data).recursive = recursive;
    }
}

/// Options of ssh that run a command here.
pub(super) fn ssh_option(call: &mut Call<'_, '_>, option: &Field) {
    let text = option.prefix();
    let Some(at) = text.find(['=', ' ']) else {
        return;
    };
    let name = text.get(..at).unwrap_or_default().to_ascii_lowercase();
    if matches!(name.as_str(), "proxycommand" | "localcommand" | "knownhostscommand")
        && let Some(command) = option.without_prefix(at.saturating_add(1))
        && !command.is("none")
    {
        call.run_code(Language::Shell(Dialect::Posix), &command);
    }
}

const RCLONE: Spec = Spec::new(
    "P",
    "config= filter= filter-from= include= exclude= exclude-from= include-from= \
     files-from= transfers= checkers= bwlimit= log-file= log-level= max-age= min-age= \
     max-size= min-size= backup-dir= suffix= retries= drive-shared-with-me stats= \
     user-agent= rc-addr= addr= user= pass= max-delete= max-depth= dry-run progress",
);

pub(super) fn rclone(call: &mut Call<'_, '_>) {
    let options = call.options(&RCLONE);
    if options.has(&["n", "dry-run", "h", "help", "version"]) {
        return;
    }
    let Some((command, operands)) = options.operands.split_first() else {
        return;
    };
    let Some(command) = command.exact() else {
        return;
    };
    match (command, operands) {
        ("copy" | "sync" | "move" | "copyto" | "moveto" | "bisync", [from, to, ..]) => {
            let content = if is_remote(from) {
                call.receive(Act::Download, from)
            } else {
                input(call, Act::Read, from)
            };
            let mirrors = command.contains("sync");
            let moves = command.starts_with("move");
            if is_remote(to) {
                call.send(Act::Upload, to, content.flow).recursive = true;
                if mirrors {
                    let target = Target::Host(to.shown());
                    call.effect_at(Kind::Send, Act::RemoteDelete, target, to.span);
                }
            } else {
                if mirrors {
                    call.on_path(Kind::Delete, Act::Mirror, to).recursive = true;
                }
                save(call, Kind::Overwrite, to, content);
            }
            if moves && is_remote(from) {
                call.on_name(Kind::Cloud, Act::DeleteObjects, from);
            } else if moves {
                call.on_path(Kind::Move, Act::Upload, from).recursive = true;
            }
        }
        ("delete" | "deletefile" | "purge" | "rmdir" | "rmdirs" | "cleanup", [place, ..]) => {
            if is_remote(place) {
                call.on_name(Kind::Cloud, Act::DeleteObjects, place);
            } else {
                call.on_path(Kind::Delete, Act::Delete, place).recursive = command != "deletefile";
            }
        }
        ("rcat", [to, ..]) => {
            let data = call.stdin.flow.clone();
            call.send(Act::Upload, to, data);
        }
        ("cat", [from, ..]) if is_remote(from) => call.stdout = call.receive(Act::Download, from),
        ("cat", [from, ..]) => call.stdout = input(call, Act::Read, from),
        ("copyurl", [url, to, ..]) => {
            let content = call.receive(Act::Download, url);
            save(call, Kind::Overwrite, to, content);
        }
        ("serve", [_, place, ..]) => {
            let content = input(call, Act::Read, place);
            call.effect(Kind::Send, Act::ServeFiles, Target::None).sources = content.flow;
        }
        ("config", [what, ..]) if what.is("show") || what.is("dump") => {
            super::secrets::hand_out(call, "rclone", None);
        }
        _ => {}
    }
}

/// Programs that hand a file to whoever has the code or the address.
pub(super) fn give(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("f:t:i:a:p:b:", "code= text= relay= pass= ports= host="));
    if options.has(&["help", "version"]) {
        return;
    }
    let name = call.name;
    let (sends, skip) = match name {
        "croc" | "wormhole" => {
            (options.operand(0).is_some_and(|word| matches!(word, "send" | "tx")), 1)
        }
        "ffsend" => {
            (options.operand(0).is_some_and(|word| matches!(word, "upload" | "up" | "u")), 1)
        }
        "ipfs" => (options.operand(0) == Some("add"), 1),
        "tailscale" => (true, 2),
        _ => (!options.has(&["receive"]), 0),
    };
    let receives = options
        .operand(0)
        .is_some_and(|word| matches!(word, "receive" | "recv" | "rx" | "download" | "get"));
    if !sends {
        if receives {
            let target = Target::Host(name.to_owned());
            call.effect(Kind::Receive, Act::Download, target);
        }
        return;
    }
    let mut data = options.value(&["text", "t"]).map(Field::sources).unwrap_or_default();
    for file in options.operands.iter().skip(skip).copied().chain(options.value(&["i"])) {
        let content = input(call, Act::Read, file);
        data.join(&content.flow);
    }
    if options.operands.len() <= skip {
        data.join(&call.stdin.flow.clone());
    }
    let target = Target::Host(name.to_owned());
    call.effect(Kind::Send, Act::Upload, target).sources = data;
}

/// `serve FOLDER`: whoever asks gets what is in it.
pub(in crate::tools) fn serve(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        if call.name == "httpd" { "p:h:c:u:r:" } else { "p:l:c:a:t:" },
        "port= listen= config= host= mount= cors help version ssl-cert= ssl-key= proxy=",
    ));
    if options.has(&["help", "version", "v"]) || options.has(&["h"]) && call.name != "httpd" {
        return;
    }
    let here = Field::text(".", call.span);
    let folder = options.value(&["h"]).or(options.operands.first().copied());
    call.on_path(Kind::Send, Act::ServeFiles, folder.unwrap_or(&here));
}

/// `logger -n HOST -f FILE`: the log of another machine.
pub(super) fn log(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "f:n:p:P:t:u:S:i",
        "file= server= port= priority= tag= socket= size= id=? udp tcp help version",
    ));
    let Some(host) = options.value(&["n", "server"]) else {
        if let Some(file) = options.value(&["f", "file"]) {
            call.read(Act::Print, file);
        }
        return;
    };
    let mut data = Flow::default();
    for text in &options.operands {
        data.join(&text.sources());
    }
    match options.value(&["f", "file"]) {
        Some(file) => data.join(&input(call, Act::Read, file).flow),
        None if options.operands.is_empty() => data.join(&call.stdin.flow.clone()),
        None => {}
    }
    call.send(Act::Socket, host, data);
}

/// `mosquitto_pub -h HOST -f FILE`
pub(super) fn message(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "A:f:h:i:I:k:L:m:M:p:P:q:t:u:V:",
        "file= message= host= port= topic= username= pw= cafile= cert= key= id= url=",
    ));
    let mut data = Flow::default();
    if let Some(file) = options.value(&["f", "file"]) {
        data.join(&input(call, Act::Read, file).flow);
    }
    if let Some(text) = options.value(&["m", "message"]) {
        data.join(&text.sources());
    }
    if options.has(&["s", "l"]) {
        data.join(&call.stdin.flow.clone());
    }
    let host = options.value(&["h", "host", "L", "url"]);
    let target = Target::Host(host.map_or_else(|| "localhost".to_owned(), Field::shown));
    call.effect(Kind::Send, Act::Upload, target).sources = data;
}

/// Programs that open a way from outside into this machine.
pub(super) fn tunnel(call: &mut Call<'_, '_>) {
    let options = parse(
        call.arguments(),
        &Spec::new(
            "p:h:s:l:c:t:",
            "port= subdomain= host= url= config= authtoken= region= log= local-host= to= \
             name= token= hostname=",
        ),
    );
    if options.has(&["help", "version"]) {
        return;
    }
    let first = options.operand(0).unwrap_or_default();
    let second = options.operand(1).unwrap_or_default();
    if call.name == "tailscale" && first == "file" && second == "cp" {
        return give(call);
    }
    if call.name == "tailscale" && matches!(first, "down" | "logout") {
        call.effect(Kind::System, Act::InterfaceDown, Target::name("tailscale"));
        return;
    }
    if call.name == "cloudflared" && first == "tunnel" && matches!(second, "delete" | "cleanup") {
        for tunnel in options.operands.iter().skip(2) {
            call.effect_at(Kind::Cloud, Act::Delete, Call::named(tunnel), tunnel.span);
        }
        return;
    }
    let opens = match call.name {
        "ngrok" => matches!(first, "http" | "tcp" | "tls" | "start"),
        "cloudflared" => {
            first == "tunnel" && (second == "run" || options.has(&["url", "hello-world", "token"]))
                || first == "access"
        }
        "tailscale" => {
            matches!(first, "funnel" | "serve")
                && !matches!(second, "status" | "reset" | "off" | "")
        }
        "bore" => first == "local",
        "chisel" | "inlets" => matches!(first, "client" | "server" | "http" | "tcp"),
        "zrok" => matches!(first, "share" | "access"),
        "devtunnel" => matches!(first, "host" | "port"),
        _ => true,
    };
    if opens {
        let port =
            options.value(&["p", "port", "url"]).or_else(|| options.operands.get(1).copied());
        let target = port.map_or(Target::None, |port| Target::Host(port.shown()));
        call.effect(Kind::Send, Act::Tunnel, target);
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn copies_go_one_way_or_the_other() {
        check(
            r#"
            scp -P 22 a h:/b => read read /shop/a certain; send upload h:/b certain <[File("/shop/a")]
            scp -r d u@h: => read read /shop/d certain; send upload u@h: certain -r <[File("/shop/d")]
            scp h:/b . => receive download h:/b certain; overwrite download /shop/b certain <[Network("h:/b")]
            rclone copy d r:b => read read /shop/d certain; send upload r:b certain -r <[File("/shop/d")]
            rclone sync r:b d => receive download r:b certain; delete mirror /shop/d certain -r; overwrite download /shop/d certain <[Network("r:b")]
            rclone purge r:b => cloud delete-objects r:b certain
            rclone delete d => delete delete /shop/d certain -r
            rclone --dry-run sync a r:b =>
            rclone ls r:b =>
            tailscale file cp x h: => read read /shop/x certain; read read /shop/h: certain; send upload tailscale certain <[File("/shop/x"), File("/shop/h:")]
            croc send x => read read /shop/x certain; send upload croc certain <[File("/shop/x")]
            wormhole send --code a x => read read /shop/x certain; send upload wormhole certain <[File("/shop/x")]
            wormhole receive 1-a => receive download wormhole certain
            "#,
        );
    }

    #[test]
    fn tunnels_let_others_in() {
        check(
            r"
            ngrok http 80 => send tunnel 80 certain
            ngrok config check =>
            cloudflared tunnel --url http://localhost:80 => send tunnel http://localhost:80 certain
            cloudflared tunnel list =>
            lt --port 80 => send tunnel 80 certain
            tailscale status =>
            tailscale file get . =>
            ",
        );
    }
}
