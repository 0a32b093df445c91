//! Network transfers, and programs that reveal secrets.
//!
//! Actions of [`Kind::Send`]: `upload` (files or standard input), `http-data` (a body given in the
//! arguments), `http-delete` and `http-request` (a request that asks for a change without a body),
//! `request-data` (something unknown or read stands in the address or a header), `credentials` (it
//! stands where a login belongs: an `Authorization` header, a cookie, a user and password),
//! `unix-socket`, `ftp-command`, `proxy`, `socket`, `listen` (for whoever connects), `remote-delete`
//! (files on another machine), `dns` and `icmp` (data in a name that is looked up or in a ping),
//! `mail`, `tunnel` (a way into this machine), `serve` (files for whoever asks).
//! Actions of [`Kind::Receive`]: `download`, `instance-metadata` (credentials of a cloud machine),
//! `socket`, `listen`.
//! Actions of [`Kind::Execute`]: `network-shell` (a shell for whoever is at the other end),
//! `network-program` (another program).
//! Files: `download` (overwrite, write, append), `log` (overwrite), `read`, `read-key`.
//! Secrets are in `secrets`.

mod curl;
mod fetch;
mod ftp;
mod httpie;
mod lookup;
mod mail;
mod secrets;
mod socat;
mod sockets;
mod transfer;
mod wget;

use std::rc::Rc;

use crate::act::Act;
pub(super) use transfer::serve;

use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::{Flow, Source, Stream};
use crate::span::Span;
use crate::value::{Field, Part, Unknown};

use super::files::{input, put, relative, remote, written_kind};

pub(super) const PROGRAMS: Programs = &[
    ("aria2c", fetch::aria2c),
    ("axel", fetch::axel),
    ("bitsadmin", fetch::bitsadmin),
    ("bore", transfer::tunnel),
    ("bw", secrets::store),
    ("certutil", fetch::certutil),
    ("chamber", secrets::store),
    ("chisel", transfer::tunnel),
    ("cloudflared", transfer::tunnel),
    ("croc", transfer::give),
    ("curl", curl::curl),
    ("curlie", curl::curl),
    ("delv", lookup::lookup),
    ("dig", lookup::lookup),
    ("doppler", secrets::store),
    ("drill", lookup::lookup),
    ("elinks", fetch::browse),
    ("fetch", fetch::axel),
    ("ffsend", transfer::give),
    ("frpc", transfer::tunnel),
    ("ftp", ftp::ftp),
    ("getent", secrets::getent),
    ("gopass", secrets::store),
    ("host", lookup::lookup),
    ("hping3", lookup::ping),
    ("http", httpie::http),
    ("https", httpie::http),
    ("devtunnel", transfer::tunnel),
    ("inlets", transfer::tunnel),
    ("ipfs", transfer::give),
    ("kdig", lookup::lookup),
    ("keepassxc-cli", secrets::store),
    ("keyring", secrets::store),
    ("lftp", ftp::ftp),
    ("smbclient", ftp::ftp),
    ("links", fetch::browse),
    ("localtunnel", transfer::tunnel),
    ("logger", transfer::log),
    ("lpass", secrets::store),
    ("lt", transfer::tunnel),
    ("lynx", fetch::browse),
    ("mail", mail::mail),
    ("mailx", mail::mail),
    ("http-server", transfer::serve),
    ("socket", sockets::socket),
    ("live-server", transfer::serve),
    ("mosquitto_pub", transfer::message),
    ("msmtp", mail::sendmail),
    ("serve", transfer::serve),
    ("mutt", mail::mail),
    ("nail", mail::mail),
    ("nc", sockets::nc),
    ("nc.openbsd", sockets::nc),
    ("nc.traditional", sockets::nc),
    ("ncat", sockets::nc),
    ("neomutt", mail::mail),
    ("netcat", sockets::nc),
    ("ngrok", transfer::tunnel),
    // The module of zsh that opens sockets.
    ("ztcp", transfer::tunnel),
    ("nslookup", lookup::lookup),
    ("onionshare-cli", transfer::give),
    ("op", secrets::store),
    ("pass", secrets::store),
    ("pastebinit", transfer::give),
    ("pbcopy", secrets::copy),
    ("pbpaste", secrets::clipboard),
    ("ping", lookup::ping),
    ("ping6", lookup::ping),
    ("printenv", secrets::printenv),
    ("ps", secrets::ps),
    ("rclone", transfer::rclone),
    ("s-nail", mail::mail),
    ("scp", transfer::scp),
    ("secret-tool", secrets::store),
    ("security", |call| {
        super::trust::keychain(call);
        secrets::store(call);
    }),
    ("sendmail", mail::sendmail),
    ("sftp", ftp::ftp),
    ("socat", socat::socat),
    ("sops", secrets::sops),
    ("ssh-add", secrets::ssh_add),
    ("ssh-keygen", secrets::ssh_keygen),
    ("ssmtp", mail::sendmail),
    ("swaks", mail::swaks),
    ("tailscale", transfer::tunnel),
    ("telnet", sockets::telnet),
    ("tftp", ftp::ftp),
    ("w3m", fetch::browse),
    ("websocat", sockets::websocket),
    ("wget", wget::wget),
    ("wget2", wget::wget),
    ("wl-copy", secrets::copy),
    ("wl-paste", secrets::clipboard),
    ("wormhole", transfer::give),
    ("wscat", sockets::websocket),
    ("xclip", secrets::xclip),
    ("youtube-dl", fetch::video),
    ("yt-dlp", fetch::video),
    ("xh", httpie::http),
    ("xhs", httpie::http),
    ("xsel", secrets::xclip),
    ("zrok", transfer::tunnel),
];

/// Data sent by a request, from its options.
#[derive(Default)]
struct Request {
    data: Flow,
    /// Credentials.
    login: Flow,
    upload: bool,
    body: bool,
    /// As given; none is "GET, or what the body asks for".
    method: Option<String>,
}

impl Request {
    /// Something in the arguments is sent: a header, a body, credentials.
    fn add(&mut self, field: &Field) {
        self.data.join(&field.sources());
    }

    /// A user, a password, a cookie.
    fn log_in(&mut self, field: &Field) {
        self.login.join(&field.sources());
    }

    /// A header: a login or anything else.
    fn header(&mut self, field: &Field) {
        if is_login_header(field.prefix()) { self.log_in(field) } else { self.add(field) }
    }

    /// A file's content is sent.
    fn upload(&mut self, call: &mut Call<'_, '_>, file: &Field) {
        let content = input(call, Act::Read, file);
        self.data.join(&content.flow);
        self.upload = true;
    }

    /// The action of this request, and the data sent to this address.
    fn says(&self, url: &Field) -> Option<(Act, Flow)> {
        let mut data = self.data.clone();
        data.join(&address_flow(url));
        let method = self.method.as_deref().unwrap_or_default().to_ascii_uppercase();
        let action = if self.upload {
            Act::Upload
        } else if self.body {
            Act::HttpData
        } else if method == "DELETE" {
            Act::HttpDelete
        } else if !matches!(method.as_str(), "" | "GET" | "HEAD" | "OPTIONS" | "PROPFIND") {
            Act::HttpRequest
        } else if !data.is_empty() {
            Act::RequestData
        } else {
            return None;
        };
        Some((action, data))
    }

    /// Reports data sent and received, and returns the latter.
    fn run(&self, call: &mut Call<'_, '_>, url: &Field) -> Stream {
        if let Some(path) = local_path(url) {
            return input(call, Act::Read, &path);
        }
        if let Some((action, data)) = self.says(url) {
            call.send(action, url, data);
        }
        if !self.login.is_empty() {
            call.send(Act::Credentials, url, self.login.clone());
        }
        download(call, url)
    }
}

/// `Authorization: ...`, `X-Api-Key: ...`, `Cookie: ...`
fn is_login_header(header: &str) -> bool {
    let Some((name, _)) = header.split_once(':') else {
        return false;
    };
    let name = name.trim().to_ascii_lowercase();
    ["auth", "token", "key", "cookie", "secret", "password"].iter().any(|word| name.contains(word))
}

/// Reports a download from an address.
fn download(call: &mut Call<'_, '_>, url: &Field) -> Stream {
    let metadata = is_metadata(host(&url.shown()));
    let action = if metadata { Act::InstanceMetadata } else { Act::Download };
    let mut stream = call.receive(action, url);
    if metadata {
        stream.flow.add(Source::Store("instance-metadata".into()));
    }
    stream
}

/// The path of a `file:` address.
pub(super) fn local_path(url: &Field) -> Option<Field> {
    ["file://localhost/", "file:///", "file:/"].iter().find_map(|start| {
        let bytes = start.len().checked_sub(1)?;
        url.prefix().starts_with(start).then(|| url.without_prefix(bytes)).flatten()
    })
}

/// The host of an address, without user, port and path.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    match rest.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => rest.split(':').next().unwrap_or_default(),
    }
}

/// The services that give a cloud machine its credentials.
fn is_metadata(host: &str) -> bool {
    matches!(
        host,
        "169.254.169.254"
            | "2852039166"
            | "0xA9FEA9FE"
            | "0xa9fea9fe"
            | "fd00:ec2::254"
            | "169.254.170.2"
            | "100.100.100.200"
            | "metadata.google.internal"
            | "metadata"
            | "metadata.azure.internal"
    )
}

/// The data in an address. A variable that is the whole host is the destination, not data.
fn address_flow(url: &Field) -> Flow {
    let mut before = String::new();
    let mut carried = Field { flow: url.flow.clone(), ..Field::default() };
    let mut addresses = 0;
    for (at, part) in url.parts.iter().enumerate() {
        match part {
            Part::Text { text, .. } | Part::Glob(text) => before.push_str(text),
            Part::Unknown(unknown) => {
                let next = url.parts.get(at.saturating_add(1));
                let ends = match next {
                    None => true,
                    Some(Part::Text { text, .. }) => text.starts_with(['/', ':', '?']),
                    Some(_) => false,
                };
                if ends && (before.is_empty() || before.ends_with("://")) {
                    addresses += 1;
                } else {
                    carried.parts.push(part.clone());
                }
                before.push_str(&unknown.name);
            }
        }
    }
    if addresses > 0 && carried.parts.is_empty() { Flow::default() } else { carried.sources() }
}

/// The name under which a download is saved: the last piece of the path, or `otherwise`.
fn file_name(url: &Field, otherwise: &str) -> Field {
    let shown = url.shown();
    let rest = shown.split_once("://").map_or(&*shown, |(_, rest)| rest);
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let name = match path.rsplit_once('/') {
        Some((_, name)) if !name.is_empty() => name,
        _ => otherwise,
    };
    let tail = url.suffix();
    if url.exact().is_some() || tail.contains('/') {
        return Field::text(name, url.span);
    }
    server_name(url.span)
}

/// A name in the current directory that only the server knows.
fn server_name(span: Span) -> Field {
    let unknown = Unknown { name: Rc::from("{name}"), splits: false };
    Field {
        parts: vec![Part::Text { text: "./".into(), at: None }, Part::Unknown(unknown)],
        span,
        flow: Flow::default(),
    }
}

/// `name` in the directory `folder`.
fn inside(folder: Option<&Field>, name: &Field) -> Field {
    folder.map_or_else(|| name.clone(), |folder| relative(folder, name))
}

/// Saves received data.
fn save(call: &mut Call<'_, '_>, kind: Kind, file: &Field, content: Stream) {
    write(call, kind, Act::Download, file, content);
}

/// Writes to a file, or prints where it is called `-`.
fn write(call: &mut Call<'_, '_>, kind: Kind, action: Act, file: &Field, content: Stream) {
    if file.is("-") {
        call.stdout = content;
        return;
    }
    let kind = if kind == Kind::Overwrite { written_kind(call, file, kind) } else { kind };
    put(call, kind, action, file, content);
}

/// Whether an operand of `scp` and its like names something on another machine.
fn is_remote(field: &Field) -> bool {
    let text = field.prefix();
    if text.starts_with("scp://") || text.starts_with("sftp://") {
        return true;
    }
    // `C:\x` is a drive.
    let drive =
        matches!(text.as_bytes(), [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic());
    !drive && remote(field).is_some()
}

/// Whether a command line starts a shell or an interpreter.
fn starts_shell(command: &str) -> bool {
    command.split_whitespace().any(|word| {
        let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = name.strip_suffix(".exe").unwrap_or(name);
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        matches!(
            plain,
            "sh" | "bash"
                | "dash"
                | "zsh"
                | "ksh"
                | "ash"
                | "csh"
                | "tcsh"
                | "fish"
                | "busybox"
                | "cmd"
                | "powershell"
                | "pwsh"
                | "python"
                | "perl"
                | "ruby"
                | "node"
                | "php"
                | "lua"
                | "tclsh"
                | "login"
                | "su"
        )
    })
}

/// A program is run for whoever is at the other end.
fn network_program(call: &mut Call<'_, '_>, command: &Field, peer: Flow) {
    let shown = command.shown();
    let shell = command.exact().is_none() || starts_shell(&shown);
    let action = if shell { Act::NetworkShell } else { Act::NetworkProgram };
    let target = crate::Target::Name(shown);
    call.effect_at(Kind::Execute, action, target, command.span).sources = peer;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_addresses() {
        for (url, expected) in [
            ("https://a.b/c", "a.b"),
            ("http://u:p@a.b:80/c@d", "a.b"),
            ("a.b", "a.b"),
            ("a.b:80?x", "a.b"),
            ("http://[fd00:ec2::254]/x", "fd00:ec2::254"),
            ("", ""),
        ] {
            assert_eq!(host(url), expected, "{url}");
        }
    }

    fn pieces(parts: &[&str]) -> Field {
        let mut field = Field::default();
        for part in parts {
            match part.strip_prefix('$') {
                Some(_) => {
                    field.push(Part::Unknown(Unknown { name: Rc::from(*part), splits: false }));
                }
                None => field.push_text(part, None),
            }
        }
        field
    }

    #[test]
    fn a_variable_in_an_address_is_data_unless_it_is_the_host() {
        for parts in [
            &["$URL"][..],
            &["https://", "$HOST", "/x"],
            &["$BASE", "/path"],
            &["http://", "$H", ":80"],
        ] {
            assert!(address_flow(&pieces(parts)).is_empty(), "{parts:?}");
        }
        for parts in [
            &["https://h/?k=", "$KEY"][..],
            &["https://", "$KEY", ".evil.example"],
            &["$BASE", "/?k=", "$KEY"],
        ] {
            assert!(!address_flow(&pieces(parts)).is_empty(), "{parts:?}");
        }
    }

    #[test]
    fn downloads_are_saved_under_the_last_piece_of_the_path() {
        let named = |parts: &[&str]| file_name(&pieces(parts), "index.html").shown();
        assert_eq!(named(&["https://h/a/b.sh?x=/y"]), "b.sh");
        assert_eq!(named(&["https://h"]), "index.html");
        assert_eq!(named(&["https://h/"]), "index.html");
        assert_eq!(named(&["$U", "/x.sh"]), "x.sh");
        assert_eq!(named(&["https://h/", "$F"]), "./{name}");
    }
}
