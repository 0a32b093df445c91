//! `ftp`, `sftp`, `lftp`, `tftp`, `smbclient`: commands in an option, a file or standard input.

use super::save;
use super::transfer::ssh_option;
use crate::act::Act;
use crate::call::Call;
use crate::effect::{Certainty, Kind};
use crate::flow::Stream;
use crate::options::Spec;
use crate::syntax::Dialect;
use crate::target::Target;
use crate::tools::files::input;
use crate::value::Field;
use crate::world::Language;

/// Commands that are followed.
const MAX_COMMANDS: usize = 64;

/// `host:file` rather than a host alone.
fn is_file(field: &Field) -> bool {
    let text = field.prefix();
    !text.contains("://") && text.split_once(':').is_some_and(|(_, file)| !file.is_empty())
}

/// A file comes from there, under its own name or another.
fn fetch(
    call: &mut Call<'_, '_>,
    host: Option<&Field>,
    remote: Option<&Field>,
    local: Option<&Field>,
) {
    let Some(host) = host else { return };
    let content = call.receive(Act::Download, host);
    let named = remote.map(|remote| {
        let shown = remote.shown();
        let base = shown.rsplit(['/', ':']).next().unwrap_or_default();
        Field::text(base, remote.span)
    });
    if let Some(file) = local.cloned().or(named) {
        save(call, Kind::Overwrite, &file, content);
    }
}

pub(super) fn ftp(call: &mut Call<'_, '_>) {
    let spec = match call.name {
        "lftp" => Spec::new("c:e:f:p:u:s:", "help version norc rcfile="),
        "smbclient" => Spec::new("c:U:W:p:D:A:I:m:", "command= user= authentication-file= help"),
        "sftp" => Spec::new("b:B:c:D:F:i:J:l:o:P:R:s:S:X:", ""),
        // The one of busybox has its words in options.
        "tftp" => Spec::new("cr:l:b:", ""),
        _ => Spec::new("N:P:r:s:T:u:o:", ""),
    };
    let options = call.options(&spec);
    if options.has(&["help", "version"]) {
        return;
    }
    if call.name == "sftp" {
        for option in options.values(&["o"]) {
            ssh_option(call, option);
        }
    }
    // A folder to start in looks the same; then there is more to do.
    let told = call.stdin.text.as_deref().is_some_and(|text| !text.is_empty());
    let named = options.operands.first().is_some_and(|from| is_file(from));
    if call.name == "sftp" && named && !told && !options.has(&["b"]) {
        let from = options.operands.first().copied();
        return fetch(call, from, from, options.operands.get(1).copied());
    }
    if call.name == "tftp" && options.has(&["g"]) {
        let (from, local) = (options.value(&["r"]), options.value(&["l"]));
        return fetch(call, options.operands.first().copied(), from, local);
    }
    let here = Field::text("", call.span);
    let host = options.operands.first().copied().unwrap_or(&here).clone();
    let inline = options
        .value(&["c", "e", "command"])
        .filter(|_| matches!(call.name, "lftp" | "smbclient"))
        .cloned();
    let script = options.value(&["b", "f"]).cloned();
    let commands = match (inline, script) {
        (Some(code), _) => match code.exact() {
            Some(text) => Stream::known(text),
            None => Stream::unknown(code.sources()),
        },
        (None, Some(file)) => input(call, Act::Read, &file),
        // `tftp host -c put file`
        (None, None) if call.name == "tftp" && options.has(&["c"]) => {
            let words: Vec<String> =
                options.operands.iter().skip(1).map(|field| field.shown()).collect();
            let words: Vec<&str> = words
                .iter()
                .filter(|word| !word.bytes().all(|b| b.is_ascii_digit()))
                .map(String::as_str)
                .collect();
            Stream::known(words.join(" "))
        }
        (None, None) => call.stdin.clone(),
    };
    match commands.text {
        Some(text) => {
            for line in text.split(['\n', ';']).take(MAX_COMMANDS) {
                command(call, &host, line.trim());
            }
        }
        None if options.operands.is_empty() => {}
        // Commands typed by a person or from an unknown script are unknown.
        None => {
            let effect = call.send(Act::Socket, &host, commands.flow);
            effect.certainty = effect.certainty.min(Certainty::Possible);
            call.stdout = call.receive(Act::Socket, &host);
        }
    }
}

fn command(call: &mut Call<'_, '_>, host: &Field, line: &str) {
    if let Some(code) = line.strip_prefix('!') {
        let code = Field::text(code.trim(), call.span);
        call.run_code(Language::Shell(Dialect::Posix), &code);
        return;
    }
    let mut words = line.split_whitespace();
    let Some(verb) = words.next() else {
        return;
    };
    let flags: Vec<&str> = words.clone().filter(|word| word.starts_with('-')).collect();
    let names: Vec<Field> = words
        .filter(|word| !word.starts_with('-'))
        .map(|word| Field::text(word, call.span))
        .collect();
    let uploads = flags.iter().any(|flag| matches!(*flag, "-R" | "--reverse"));
    match verb {
        "put" | "mput" | "send" | "reput" => upload(call, host, &names),
        "mirror" if uploads => upload(call, host, &names),
        "get" | "mget" | "recv" | "reget" | "pget" | "mirror" => {
            let content = call.receive(Act::Download, host);
            if let Some(file) = names.get(1).or_else(|| names.first()) {
                super::save(call, Kind::Overwrite, &base(file), content);
            }
        }
        "rm" | "mrm" | "delete" | "mdelete" | "rmdir" | "del" => {
            let target = Target::Host(host.shown());
            call.effect(Kind::Send, Act::RemoteDelete, target).recursive = flags.contains(&"-r");
        }
        _ => {}
    }
}

fn upload(call: &mut Call<'_, '_>, host: &Field, names: &[Field]) {
    if let Some(file) = names.first() {
        let content = input(call, Act::Read, file);
        call.send(Act::Upload, host, content.flow);
    }
}

/// A file from elsewhere gets its own name here.
fn base(file: &Field) -> Field {
    let shown = file.shown();
    Field::text(shown.rsplit('/').next().unwrap_or_default(), file.span)
}

#[cfg(test)]
mod tests {
    use crate::flow::Stream;
    use crate::run::testing::{effects, effects_with};

    #[test]
    fn commands_are_read_from_where_they_stand() {
        assert_eq!(
            effects(&["lftp", "-e", "put a; rm -r b; bye", "h"]),
            [
                "read read /shop/a certain",
                "send upload h certain <[File(\"/shop/a\")]",
                "send remote-delete h certain -r"
            ]
        );
        assert_eq!(
            effects_with(&["sftp", "h"], Stream::known("get /x/y\nquit\n")),
            ["receive download h certain", "overwrite download /shop/y certain <[Network(\"h\")]"]
        );
        assert_eq!(
            effects(&["sftp", "-b", "script", "h"]),
            [
                "read read /shop/script certain",
                "send socket h possible <[File(\"/shop/script\")]",
                "receive socket h certain"
            ]
        );
        assert_eq!(
            effects(&["tftp", "h", "-c", "put", "a"]),
            ["read read /shop/a certain", "send upload h certain <[File(\"/shop/a\")]"]
        );
        assert!(effects(&["lftp", "--version"]).is_empty());
    }
}
