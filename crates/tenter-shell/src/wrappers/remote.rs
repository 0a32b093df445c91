//! Commands for other machines.
//!
//! Actions: `ssh` (send: standard input, or data inside the command, goes to the host), `log`
//! (append: a log of the connection is written).

use std::rc::Rc;

use super::common::{SH, fed, helps, joined, possibly, rest, run, run_elsewhere};
use super::shells::may_vanish;
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::{Source, Stream};
use crate::options::{Options, Spec, parse};
use crate::span::Span;
use crate::target::Target;
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("ssh", ssh),
    ("slogin", ssh),
    ("autossh", ssh),
    ("dbclient", ssh),
    ("sshpass", sshpass),
    ("mosh", mosh),
    ("et", et),
    ("tailscale", subcommand),
    ("docker-machine", subcommand),
    ("multipass", subcommand),
    ("limactl", subcommand),
    ("colima", subcommand),
    ("lima", lima),
    ("wsl", wsl),
    ("pssh", many),
    ("parallel-ssh", many),
    ("pdsh", many),
    ("clush", many),
    ("dsh", many),
    ("rsh", many),
];

const SSH: Spec = Spec::first("B:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:", "");
const AUTOSSH: Spec = Spec::first("M:B:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:", "");

/// Options may stand before and after the host; the rest is code for the other side.
fn ssh(call: &mut Call<'_, '_>) {
    let spec = if call.name == "autossh" { AUTOSSH } else { SSH };
    let mut options = call.options(&spec);
    let host = options.operands.first().copied().cloned();
    let after = parse(rest(call, &options, 1), &spec);
    let words = rest(call, &options, after.consumed.saturating_add(1));
    options.found.extend(after.found);
    if let Some(file) = options.value(&["E"]) {
        call.write(Kind::Append, Act::Log, file, Stream::default());
    }
    let Some(host) = host.filter(|_| !options.has(&["G", "Q", "V", "O"])) else {
        return;
    };
    call.stdout = from_host(&host, Stream::default());
    // `-L` and `-D` lead out of this machine, not into it.
    if options.has(&["R", "w"]) {
        call.effect_at(Kind::Send, Act::Tunnel, Target::Host(host.shown()), host.span);
    }
    let set = local_code(call, &options);
    if options.has(&["n", "f"]) {
        call.stdin = Stream::default();
    }
    match (words.is_empty(), set) {
        (true, Some(code)) => remote_code(call, &host, &code),
        (true, None) if !options.has(&["N", "W"]) => remote_stdin(call, &host),
        (true, None) => sends(call, &host, None),
        _ => {
            remote_code(call, &host, &joined(words));
            // `ssh $OPTIONS HOST COMMAND`
            if may_vanish(&host)
                && let Some((host, words)) =
                    words.split_first().filter(|(_, words)| !words.is_empty())
            {
                possibly(call, &mut |call| remote_code(call, host, &joined(words)));
            }
        }
    }
}

/// `-o ProxyCommand=CODE` and the like run here. Returns `RemoteCommand`, which runs there.
fn local_code(call: &mut Call<'_, '_>, options: &Options<'_>) -> Option<Field> {
    let mut remote = None;
    for option in options.values(&["o"]) {
        let text = option.prefix();
        let Some(end) = text.find(['=', ' ', '\t']) else {
            continue;
        };
        let name = text.get(..end).unwrap_or_default().to_ascii_lowercase();
        let after = text.get(end..).unwrap_or_default();
        let blank = after.len().saturating_sub(after.trim_start_matches(['=', ' ', '\t']).len());
        let Some(code) = option.without_prefix(end.saturating_add(blank)) else {
            continue;
        };
        match name.as_str() {
            "proxycommand" | "localcommand" | "knownhostscommand" if !code.is("none") => {
                let stdin = std::mem::take(&mut call.stdin);
                call.run_code(SH, &code);
                call.stdin = stdin;
            }
            "remotecommand" if !code.is("none") => remote = Some(code),
            _ => {}
        }
    }
    remote
}

/// Reports data sent to the host: standard input and data inside the command.
fn sends(call: &mut Call<'_, '_>, host: &Field, code: Option<&Field>) {
    let mut data = call.stdin.flow.clone();
    if let Some(code) = code {
        data.join(&code.sources());
    }
    if !data.is_empty() {
        call.send(Act::Ssh, host, data);
    }
}

fn from_host(host: &Field, inner: Stream) -> Stream {
    let mut out = inner;
    out.flow.add(Source::Network(Rc::from(host.shown())));
    out
}

/// Whether an address is this machine. Behind another port is mostly a container or a virtual machine.
pub(crate) fn is_here(host: &Field) -> bool {
    let Some(text) = host.exact() else { return false };
    let text = text.strip_prefix("ssh://").unwrap_or(text);
    let name = text.rsplit('@').next().unwrap_or(text).trim_end_matches('/');
    matches!(name, "localhost" | "::1" | "[::1]" | "0.0.0.0" | "ip6-localhost")
        || name.starts_with("127.") && name.split('.').count() == 4
        || name.ends_with(".localhost")
}

/// Code that a shell on another machine runs.
pub(crate) fn remote_code(call: &mut Call<'_, '_>, host: &Field, code: &Field) {
    if is_here(host) && !call.argv.iter().any(|field| field.prefix().starts_with("-p")) {
        let home = call.machine.world.home.map(Rc::from);
        let before = std::mem::replace(&mut call.machine.shell.cwd, home);
        call.stdout = call.run_code(SH, code);
        call.machine.shell.cwd = before;
        return;
    }
    sends(call, host, Some(code));
    let out = call.run_code_elsewhere(SH, code);
    call.stdout = from_host(host, out);
}

/// A shell on another machine reads standard input.
fn remote_stdin(call: &mut Call<'_, '_>, host: &Field) {
    sends(call, host, None);
    if !fed(&call.stdin) {
        return;
    }
    let code = call.stdin.clone();
    let span: Span = call.span;
    let shell = call.machine.leave(None);
    let out = call.run_stream(SH, &code, span);
    call.machine.shell = shell;
    call.stdout = from_host(host, out);
}

fn sshpass(call: &mut Call<'_, '_>) {
    super::common::run_rest(call, &Spec::first("p:f:d:P:", ""), 0);
}

fn mosh(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first(
        "p:",
        "client= server= predict= family= port= bind-server= ssh= \
         experimental-remote-ip=",
    ));
    if let Some(code) = options.value(&["ssh"]) {
        call.run_code(SH, code);
    }
    let mut argv = rest(call, &options, 1);
    if argv.first().is_some_and(|first| first.is("--")) {
        argv = argv.get(1..).unwrap_or_default();
    }
    run_elsewhere(call, argv);
}

/// Eternal terminal: `et HOST -c CODE`.
fn et(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "c:p:t:r:u:",
        "command= port= tunnel= reversetunnel= username= jumphost= ssh-option=",
    ));
    if let (Some(host), Some(code)) = (options.operands.first(), options.value(&["c", "command"])) {
        remote_code(call, host, code);
    }
}

/// `tailscale ssh HOST COMMAND`, `multipass exec VM -- COMMAND` and others of that shape.
fn subcommand(call: &mut Call<'_, '_>) {
    let spec = Spec::first("d:p:", "workdir= working-directory= shell= socket= profile=");
    let options = call.options(&spec);
    let shell = matches!(call.name, "tailscale" | "docker-machine");
    let wanted = match call.name {
        "multipass" => "exec",
        "limactl" => "shell",
        _ => "ssh",
    };
    if options.operand(0) != Some(wanted) {
        return;
    }
    let after = parse(rest(call, &options, 1), &spec);
    let host = after.operands.first().copied().cloned();
    // colima has only one machine.
    let skip = if call.name == "colima" { 1 } else { 2 };
    let mut argv = rest(call, &options, after.consumed.saturating_add(skip));
    if argv.first().is_some_and(|first| first.is("--")) {
        argv = argv.get(1..).unwrap_or_default();
    }
    match host {
        Some(host) if shell && !argv.is_empty() => remote_code(call, &host, &joined(argv)),
        _ => run_elsewhere(call, argv),
    }
}

fn lima(call: &mut Call<'_, '_>) {
    let argv = call.arguments();
    run_elsewhere(call, argv);
}

/// `wsl -d DISTRO -- COMMAND`, `wsl -e COMMAND`
fn wsl(call: &mut Call<'_, '_>) {
    let options = call
        .options(&Spec::first("d:u:", "distribution= user= cd= exec shell-type= distribution-id="));
    let about =
        ["l", "list", "status", "shutdown", "t", "terminate", "update", "install", "unregister"];
    if options.has(&["unregister"])
        && let Some(name) = options.operands.first()
    {
        call.effect_at(Kind::Container, Act::RemoveMachine, Call::named(name), name.span);
    }
    if options.has(&about) || helps(&options) {
        return;
    }
    let argv = rest(call, &options, 0);
    if options.has(&["e", "exec"]) {
        run(call, argv);
    } else if !argv.is_empty() {
        // Its own words: `wsl bash -c "..."` keeps what stood in quotes together.
        let quoted: Vec<Field> = argv.iter().map(crate::run::quote).collect();
        let plain = argv.iter().all(|field| !field.prefix().contains([' ', '\'', '"']));
        call.stdout =
            call.run_code(super::common::BASH, &joined(if plain { argv } else { &quoted }));
    }
}

/// The same code on many machines.
fn many(call: &mut Call<'_, '_>) {
    let (short, skip) = match call.name {
        "pssh" | "parallel-ssh" => ("H:h:l:p:t:o:e:O:x:X:g:", 0),
        "pdsh" => ("w:x:l:t:u:f:R:g:X:", 0),
        "clush" => ("w:x:g:X:l:o:t:u:f:q:m:", 0),
        "dsh" => ("m:g:f:r:n:F:o:", 0),
        _ => ("l:", 1),
    };
    let options = call.options(&Spec::first(
        short,
        "host= hosts= user= par= timeout= options= askpass outdir= errdir=",
    ));
    let unknown = Field::unknown("$hosts", call.span);
    let host = options.value(&["H", "w", "m", "host"]).or(options.operands.first().copied());
    let host = host.unwrap_or(&unknown).clone();
    let words = rest(call, &options, skip);
    if !words.is_empty() {
        remote_code(call, &host, &joined(words));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_with, judged};
    use crate::flow::{Source, Stream};

    #[test]
    fn the_rest_after_the_host_runs_there() {
        check(&[
            ("ssh host rm x", "ssh>rm x @?"),
            ("ssh -i key -p 22 -o A=b me@host rm -rf x", "ssh>rm -rf x @?"),
            ("ssh host -p 22 -t rm x", "ssh>rm x @?"),
            ("ssh -tt host 'rm x; id'", "ssh>rm x @? | ssh>id @?"),
            ("ssh -J jump host -- rm x", "ssh>rm x @?"),
            ("ssh host 'sudo rm x'", "ssh>sudo>rm x @? + privilege run-as root"),
            ("ssh host", "ssh host"),
            ("ssh -N -L 1:b:2 host", "ssh -N -L 1:b:2 host"),
            ("ssh -N -R 1:b:2 host", "ssh -N -R 1:b:2 host + send tunnel host"),
            ("ssh -V", "ssh -V"),
            ("ssh -G host rm x", "ssh -G host rm x"),
            ("autossh -M 0 host rm x", "autossh>rm x @?"),
            ("sshpass -p secret ssh host rm x", "sshpass>ssh>rm x @?"),
            ("mosh host -- rm x", "mosh>rm x @?"),
            ("tailscale ssh me@host rm x", "tailscale>rm x @?"),
            ("tailscale status", "tailscale status"),
            ("multipass exec vm -- rm x", "multipass>rm x @?"),
            ("limactl shell vm rm x", "limactl>rm x @?"),
            ("colima ssh -- rm x", "colima>rm x @?"),
            ("pdsh -w a,b rm x", "pdsh>rm x @?"),
            ("et host -c 'rm x'", "et>rm x @?"),
            ("wsl -d U -e rm x", "wsl>rm x"),
            ("wsl --shutdown", "wsl --shutdown"),
        ]);
    }

    #[test]
    fn options_may_hold_code_for_this_side() {
        check(&[
            ("ssh -o ProxyCommand='rm x' host", "ssh>rm x"),
            ("ssh -oproxycommand='rm x' host id", "ssh>rm x | ssh>id @?"),
            ("ssh -o 'ProxyCommand rm x' host", "ssh>rm x"),
            ("ssh -o RemoteCommand='rm x' host", "ssh>rm x @?"),
            ("ssh -o ProxyCommand=none host", "ssh -o ProxyCommand=none host"),
        ]);
    }

    #[test]
    fn standard_input_goes_to_the_host() {
        check_with(
            &Stream::known("rm x"),
            &[("ssh host", "ssh>rm x @?"), ("ssh host bash -s", "ssh>bash>rm x @?")],
        );
        let file = Stream::from(Source::File("/s".into()));
        check_with(
            &file.clone(),
            &[
                ("ssh host 'cat > y'", "ssh>cat @? + send ssh host"),
                ("ssh -n host id", "ssh>id @?"),
                ("ssh host", "ssh host + send ssh host + execute file-code"),
            ],
        );
        let analysis = judged("ssh host id", file);
        let sent = analysis.effects.iter().find(|effect| effect.action == crate::Act::Ssh);
        assert_eq!(
            sent.map(|effect| effect.sources.sources()),
            Some(&[Source::File("/s".into())][..])
        );
    }
}
