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
    ("LinEnum.sh", dumper),
    ("aspell", reads),
    ("ditto", copies),
    ("esentutl", copies),
    ("hunspell", reads),
    ("ispell", reads),
    ("lazagne", dumper),
    ("lazagne.py", dumper),
    ("linpeas", dumper),
    ("linpeas.sh", dumper),
    ("mimikatz", dumper),
    ("nanodump", dumper),
    ("ntdsutil", dumper),
    ("procdump", dump_process),
    ("procdump64", dump_process),
    ("pypykatz", dumper),
    ("secretsdump", dumper),
    ("secretsdump.py", dumper),
    ("socketfilterfw", firewall),
    ("trust", trust),
    ("update-ca-certificates", update_roots),
    ("update-ca-trust", update_roots),
    ("winpeas", dumper),
];

/// Installers of packages, which bring usual authorities with them.
const INSTALLERS: &[&str] =
    &["apk", "apt", "apt-get", "dnf", "microdnf", "pacman", "yum", "zypper"];

/// Credential dumpers have no other use.
fn dumper(call: &mut Call<'_, '_>) {
    let shows = call
        .arguments()
        .iter()
        .any(|field| matches!(field.exact(), Some("--help" | "-h" | "--version")));
    if !shows {
        call.effect(Kind::Read, Act::ReadSecret, Target::name("credentials of this machine"));
    }
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
    let weakens = |(part, name, values): &&(&str, &str, &[&str])| {
        domain.contains(part) && key == name && values.contains(&value)
    };
    if let Some((_, name, _)) = PROTECTIONS.iter().find(weakens) {
        call.effect(Kind::System, Act::DisableProtection, Target::name(*name));
    }
}
