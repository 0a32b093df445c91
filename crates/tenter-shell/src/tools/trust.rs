//! What makes a machine trust more, or a program start by itself, and tools that only take credentials out of it.
//!
//! Actions: `trust-root` (another certificate authority is believed), `autostart`, `disable-protection`,
//! `read-secret` (the credentials that a machine keeps in memory or in its registry).

use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::target::Target;
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("AutoSUID.sh", dumper),
    ("GetNPUsers.py", attacker),
    ("GetUserSPNs.py", attacker),
    ("LinEnum.sh", dumper),
    ("Responder.py", attacker),
    ("arecord", records),
    ("aspell", reads),
    ("atexec.py", attacker),
    ("bloodhound-python", attacker),
    ("certctl", certctl),
    ("crackmapexec", attacker),
    ("dcomexec.py", attacker),
    ("ditto", copies),
    ("dsenableroot", enable_root),
    ("esentutl", copies),
    ("hunspell", reads),
    ("ispell", reads),
    ("kickstart", kickstart),
    ("laZagne.py", dumper),
    ("lazagne", dumper),
    ("lazagne.py", dumper),
    ("ldapdomaindump", attacker),
    ("ldapdomaindump.py", attacker),
    ("linpeas", dumper),
    ("linpeas.sh", dumper),
    ("linux-exploit-suggester.sh", dumper),
    ("lse.sh", dumper),
    ("mimikatz", dumper),
    ("mimipenguin", dumper),
    ("mimipenguin.py", dumper),
    ("mimipenguin.sh", dumper),
    ("nanodump", dumper),
    ("netexec", attacker),
    ("ntdsutil", dumper),
    ("ntlmrelayx.py", attacker),
    ("nxc", attacker),
    ("procdump", dump_process),
    ("procdump64", dump_process),
    ("parecord", records),
    ("psexec.py", attacker),
    ("pypykatz", dumper),
    ("rec", records),
    ("secretsdump", dumper),
    ("secretsdump.py", dumper),
    ("smbexec.py", attacker),
    ("socketfilterfw", firewall),
    ("sox", records),
    ("stratus", stratus),
    ("trust", trust),
    ("update-ca-certificates", update_roots),
    ("update-ca-trust", update_roots),
    ("winpeas", dumper),
    ("wmiexec.py", attacker),
];

/// Whether a script of this name does nothing but take credentials: `bash linpeas.sh`.
pub(crate) fn is_dumper(script: &str) -> bool {
    matches!(script.rsplit_once('.'), Some((_, "sh" | "py")))
        && PROGRAMS.iter().any(|(name, _)| *name == script)
}

/// Installers of packages, which bring usual authorities with them.
const INSTALLERS: &[&str] =
    &["apk", "apt", "apt-get", "dnf", "microdnf", "pacman", "yum", "zypper"];

/// Credential dumpers have no other use.
fn dumper(call: &mut Call<'_, '_>) {
    take(call, "credentials of this machine");
}

fn take(call: &mut Call<'_, '_>, what: &'static str) {
    let shows = call
        .arguments()
        .iter()
        .any(|field| matches!(field.exact(), Some("--help" | "-h" | "--version")));
    if !shows {
        call.effect(Kind::Read, Act::ReadSecret, Target::name(what));
    }
}

/// Programs that attack the machines and accounts of a domain.
fn attacker(call: &mut Call<'_, '_>) {
    take(call, "logins and machines of a domain");
}

/// Programs that show the files in their arguments.
fn reads(call: &mut Call<'_, '_>) {
    for file in call.arguments().iter().filter(|field| !field.prefix().starts_with('-')) {
        call.read(Act::Print, file);
    }
}

/// `ditto -c -k FROM TO`, `esentutl /y FROM /d TO`
fn copies(call: &mut Call<'_, '_>) {
    let windows = call.name == "esentutl";
    let option = |field: &&Field| {
        let text = field.prefix();
        text.starts_with('-') || windows && text.starts_with('/') && text.len() <= 4
    };
    let mut files: Vec<&Field> = call.arguments().iter().filter(|field| !option(field)).collect();
    let to = if files.len() > 1 { files.pop() } else { None };
    let mut content = crate::flow::Stream::default();
    for file in files {
        content.flow.join(&call.read(Act::Copy, file).flow);
    }
    if let Some(to) = to {
        call.write(Kind::Write, Act::Copy, to, content);
    }
}

/// `procdump -ma lsass.exe x.dmp`
fn dump_process(call: &mut Call<'_, '_>) {
    if call.arguments().iter().any(|field| field.prefix().to_ascii_lowercase().contains("lsass")) {
        dumper(call);
    }
}

/// `rundll32 comsvcs.dll, MiniDump PID FILE full`
pub(crate) fn minidump(call: &mut Call<'_, '_>) {
    let says = |word: &str| {
        call.arguments().iter().any(|field| field.shown().to_ascii_lowercase().contains(word))
    };
    if says("comsvcs") && says("minidump") {
        dumper(call);
    }
}

fn root(call: &mut Call<'_, '_>, what: Option<&Field>) {
    match what {
        Some(what) => call.on_name(Kind::System, Act::TrustRoot, what),
        None => call.effect(Kind::System, Act::TrustRoot, Target::None),
    };
}

/// `certctl rehash`, `certctl trust FILE`
fn certctl(call: &mut Call<'_, '_>) {
    if let [verb, rest @ ..] = call.arguments()
        && matches!(verb.exact(), Some("rehash" | "trust" | "untrust"))
    {
        root(call, rest.last());
    }
}

/// `dsenableroot` gives the account of root a password.
fn enable_root(call: &mut Call<'_, '_>) {
    call.effect(Kind::System, Act::ChangeAccount, Target::name("root"));
}

/// The agent for remote desktops: `kickstart -activate -configure -allowAccessFor -allUsers`.
fn kickstart(call: &mut Call<'_, '_>) {
    let changes = |field: &Field| {
        matches!(field.exact(), Some("-activate" | "-configure" | "-deactivate" | "-uninstall"))
    };
    if let Some(verb) = call.arguments().iter().find(|field| changes(field)) {
        call.on_name(Kind::System, Act::RemoteAccess, verb);
    }
}

/// `rec x.wav`, `sox -d x.wav`; `sox x.wav -d` plays it.
fn records(call: &mut Call<'_, '_>) {
    let [first, rest @ ..] = call.arguments() else { return };
    let shows = matches!(first.exact(), Some("-l" | "-L" | "--help" | "--version" | "-h"));
    let device = call.name != "sox" || first.is("-d") && !rest.is_empty();
    if device && !shows {
        call.effect(Kind::Read, Act::Record, Target::name("what the microphone hears"));
    }
}

/// `stratus detonate TECHNIQUE` attacks the account it is logged in to.
fn stratus(call: &mut Call<'_, '_>) {
    if call.arguments().first().is_some_and(|verb| verb.is("detonate")) {
        dumper(call);
    }
}

/// `trust anchor FILE`
fn trust(call: &mut Call<'_, '_>) {
    if let [verb, rest @ ..] = call.arguments()
        && verb.is("anchor")
    {
        root(call, rest.last());
    }
}

/// Refreshes the authorities; beside an installation these are the distribution's.
fn update_roots(call: &mut Call<'_, '_>) {
    let installs = |program: &String| INSTALLERS.contains(&program.as_str());
    if !call.machine.commands.iter().any(|ran| installs(&ran.program)) {
        root(call, None);
    }
}

/// `security add-trusted-cert FILE`
pub(super) fn keychain(call: &mut Call<'_, '_>) {
    if let [verb, rest @ ..] = call.arguments()
        && matches!(verb.exact(), Some("add-trusted-cert" | "trust-settings-import"))
    {
        root(call, rest.last());
    }
}

/// `certutil -addstore Root FILE`
pub(super) fn store(call: &mut Call<'_, '_>) {
    if call.slash("addstore").is_some() {
        root(call, call.arguments().last());
    }
}

/// `socketfilterfw --setglobalstate off`
fn firewall(call: &mut Call<'_, '_>) {
    let mut before = "";
    for field in call.arguments() {
        let text = field.prefix();
        if text == "off"
            && matches!(before, "--setglobalstate" | "--setblockall" | "--setstealthmode")
        {
            call.effect(Kind::System, Act::DisableProtection, Target::name("application firewall"));
        }
        before = text;
    }
}

/// Settings of macOS that switch a protection off: a part of the domain, the key, and the values.
const PROTECTIONS: &[(&str, &str, &[&str])] = &[
    ("com.apple.alf", "globalstate", &["0"]),
    ("com.apple.loginwindow", "GuestEnabled", &["1", "true", "YES", "TRUE"]),
    ("com.apple.AppleFileServer", "guestAccess", &["1", "true", "YES", "TRUE"]),
    ("com.apple.smb.server", "AllowGuestAccess", &["1", "true", "YES", "TRUE"]),
    ("LaunchServices", "LSQuarantine", &["0", "false", "NO", "FALSE"]),
    ("com.apple.security", "GKAutoRearm", &["0", "false", "NO", "FALSE"]),
    ("SoftwareUpdate", "AutomaticCheckEnabled", &["0", "false", "NO", "FALSE"]),
    ("com.apple.screensaver", "askForPassword", &["0", "false", "NO", "FALSE"]),
];

/// `defaults write DOMAIN KEY -int 0`
pub(super) fn defaults(call: &mut Call<'_, '_>) {
    let words: Vec<&str> = call.arguments().iter().filter_map(Field::exact).collect();
    let Some(at) = words.iter().position(|word| *word == "write") else { return };
    let (Some(domain), Some(key)) = (words.get(at + 1), words.get(at + 2)) else { return };
    let value = words.last().copied().unwrap_or_default();
    if matches!(*key, "LoginHook" | "LogoutHook") && domain.contains("loginwindow") {
        let hook = Field::text(value, call.span);
        call.on_path(Kind::Schedule, Act::Autostart, &hook);
        return;
    }
    let weakens = |(part, name, values): &&(&str, &str, &[&str])| {
        domain.contains(part) && key == name && values.contains(&value)
    };
    if let Some((_, name, _)) = PROTECTIONS.iter().find(weakens) {
        call.effect(Kind::System, Act::DisableProtection, Target::name(*name));
    }
}
