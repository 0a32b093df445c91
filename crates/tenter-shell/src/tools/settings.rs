//! Settings of desktops, macOS and Windows.
//!
//! Actions of [`Kind::System`]: `setting`, `disable-protection`, `change-protection`,
//! `delete-backup` (snapshots and backups go), `change-network`, `hostname`, `boot`, `clear-log`,
//! `delete-account`, `change-account`, `change-password`, `add-account`, `suspend`,
//! `load-module`, `unload-module`, `change-firewall`, `disable-firewall`, `registry` (a key or
//! value is set), `registry-delete`, `share`.
//! Others: `join-group` (privilege), `wipe` (device: free space or a journal is erased), `start`
//! and `stop` (service), `run-program` (execute: a program by way of a management interface).

use super::table::{Cli, Tool};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind::{self, Device as D, Privilege, Service, System as S};
use crate::options::Spec;
use crate::target::Target;
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[
    ("bcdedit", bcdedit),
    ("cipher", cipher),
    ("net", net),
    ("netsh", netsh),
    ("wmic", wmic),
    ("nvram", nvram),
    ("pmset", pmset),
];

const SETTING: Cli = Cli {
    spec: Spec::new("", ""),
    kind: Kind::System,
    harmless: &["version"],
    force: &["f", "force", "y", "yes"],
    recursive: &[],
    rules: "",
};

pub(super) const TOOLS: &[Tool] = &[
    SETTING.tool(
        "auditpol",
        "\
/clear: disable-protection
/set|/remove|/restore: change-protection",
    ),
    SETTING
        .options("", "mount= folder= file= device= setBoot nextonly info=?")
        .harmless(&["version", "info"])
        .tool("bless", ": boot --mount"),
    SETTING.tool("bootrec", "/fixmbr|/fixboot|/rebuildbcd|/nt60: boot @"),
    SETTING.tool(
        "csrutil",
        "\
disable: disable-protection
authenticated-root disable: disable-protection @
enable|clear|netboot: change-protection",
    ),
    SETTING.options("f:", "").tool(
        "dconf",
        "\
write|reset: setting 1
load|update: setting 1",
    ),
    SETTING
        .tool(
            "defaults",
            "\
write|delete|import|rename: setting 1
* write|delete|import: setting 1",
        )
        .by(|call, tool| {
            super::trust::defaults(call);
            super::table::by_lines(call, tool);
        }),
    SETTING.tool(
        "fdesetup",
        "\
disable: disable-protection
enable|add|remove|changerecovery|removerecovery: change-protection",
    ),
    SETTING.tool(
        "fsutil",
        "\
usn deletejournal: clear-log last
behavior set: setting 1
file setZeroData: device/wipe last",
    ),
    SETTING.options("", "schemadir=").tool("gsettings", "set|reset|reset-recursively: setting 1"),
    SETTING.options("b:d:", "").tool("kextload", "*: load-module path@"),
    SETTING.options("b:", "").tool("kextunload", ": unload-module path1"),
    SETTING.tool(
        "profiles",
        "\
remove: setting
-R|D: setting",
    ),
    SETTING
        .tool(
            "reg",
            "\
delete: registry-delete 1
save: read/read-secret 1
add|copy|load|unload|restore|import: registry 1",
        )
        .by(super::windows::registry),
    SETTING.tool("setx", "* *: setting @"),
    SETTING
        .options("", "label= type= rule= master-disable global-disable")
        .harmless(&["version", "status", "assess", "a"])
        .tool(
            "spctl",
            "\
-master-disable|global-disable: disable-protection
-add|remove|enable|disable|master-enable|reset-default: change-protection",
        ),
    SETTING
        .options("", "schedule")
        .harmless(&["version", "l", "list"])
        .tool("softwareupdate", "off -schedule: disable-protection"),
    SETTING.tool("tccutil", "reset: change-protection 1"),
    SETTING.options("d:t:p:", "").tool(
        "tmutil",
        "\
delete|deletelocalsnapshots|thinlocalsnapshots|deleteinprogress: delete-backup *
disable|disablelocal|removedestination|addexclusion: disable-protection 1
enable|setdestination|removeexclusion|restore: setting 1",
    ),
    SETTING.tool(
        "vssadmin",
        "\
delete shadows|shadowstorage: delete-backup
create shadow: read/shadow-copy
resize shadowstorage: delete-backup",
    ),
    SETTING.tool(
        "wbadmin",
        "\
delete catalog|systemstatebackup|backup: delete-backup @
disable backup: disable-protection @",
    ),
    SETTING.tool(
        "wevtutil",
        "\
cl|clear-log: clear-log 1
sl|set-log|um|uninstall-manifest: change-protection 1",
    ),
    SETTING.tool("sfltool", "resetbtm|reset: schedule/delete-task"),
    SETTING.options("", "set dns proxy get nwi").tool("scutil", "* -set: hostname 1"),
];

/// Programs of macOS have words with one dash for subcommands, which an option parser cannot see.
fn dashed(call: &mut Call<'_, '_>) {
    const DASHED: &[(&str, &str, Act)] = &[
        ("dscl", "-delete|-deletepl|delete", Act::DeleteAccount),
        ("dscl", "-passwd|passwd", Act::ChangePassword),
        ("dscl", "-create|-append|-merge|-change|-createpl|create|append", Act::ChangeAccount),
        (
            "networksetup",
            "-set|-remove|-create|-add|-switchto|-delete|-rename|-order",
            Act::ChangeNetwork,
        ),
        ("sysadminctl", "-deleteUser", Act::DeleteAccount),
        ("sysadminctl", "-addUser", Act::AddAccount),
        ("sysadminctl", "-resetPasswordFor|-newPassword", Act::ChangePassword),
        ("systemsetup", "-set", Act::Setting),
        ("dseditgroup", "edit|create|delete", Act::ChangeAccount),
    ];
    let arguments = call.arguments();
    if call.name == "dscl"
        && let Some(hashes) = arguments.iter().find(|field| {
            field.prefix().contains("shadowhash") || field.prefix().contains("ShadowHashData")
        })
    {
        call.on_name(Kind::Read, Act::ReadSecret, hashes);
        return;
    }
    let guest = arguments.iter().position(|field| {
        matches!(field.exact(), Some("-guestAccount" | "-smbGuestAccess" | "-afpGuestAccess"))
    });
    if guest.and_then(|at| arguments.get(at + 1)).is_some_and(|value| value.is("on")) {
        call.effect(S, Act::DisableProtection, Target::name("guest account"));
        return;
    }
    for &(program, starts, action) in DASHED.iter().filter(|(program, ..)| *program == call.name) {
        // `-set...` of networksetup and systemsetup is the start of many words.
        let by_start = matches!(program, "networksetup" | "systemsetup");
        let found = arguments.iter().position(|field| {
            starts.split('|').any(|start| {
                if by_start { field.prefix().starts_with(start) } else { field.is(start) }
            })
        });
        let Some(at) = found else {
            continue;
        };
        match arguments.get(at.saturating_add(1)) {
            Some(field) => call.on_name(S, action, field),
            None => call.effect(S, action, Target::None),
        };
        return;
    }
}

pub(super) const DASHED: Programs = &[
    ("dscl", dashed),
    ("dseditgroup", dashed),
    ("networksetup", dashed),
    ("sysadminctl", dashed),
    ("systemsetup", dashed),
];

/// `nvram name=value`, `nvram -d name`, `nvram -c`; else it prints.
fn nvram(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("d:f:", ""));
    if options.has(&["c"]) {
        call.effect(S, Act::Boot, Target::None);
    }
    if let Some(name) = options.value(&["d", "f"]) {
        call.on_name(S, Act::Boot, name);
    }
    for field in options.operands.iter().filter(|field| field.shown().contains('=')) {
        call.on_name(S, Act::Boot, field);
    }
}

/// `pmset -g` prints, anything else sets.
fn pmset(call: &mut Call<'_, '_>) {
    match call.arguments().first() {
        Some(field) if field.is("sleepnow") || field.is("displaysleepnow") => {
            call.on_name(S, Act::Suspend, field)
        }
        Some(field) if !field.is("-g") => call.on_name(S, Act::Setting, field),
        _ => return,
    };
}

/// `bcdedit` alone and `/enum` print.
fn bcdedit(call: &mut Call<'_, '_>) {
    let changes = [
        "set",
        "delete",
        "deletevalue",
        "create",
        "copy",
        "import",
        "default",
        "timeout",
        "bootsequence",
        "displayorder",
        "debug",
    ];
    if let Some(change) = changes.iter().find_map(|name| call.slash(name)) {
        call.on_name(S, Act::Boot, change);
    }
}

/// `cipher /w:C:` writes over all free space.
fn cipher(call: &mut Call<'_, '_>) {
    if let Some(wipe) = call.slash("w") {
        call.on_name(D, Act::Wipe, wipe);
    }
}

fn net(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let word = |at: usize| {
        arguments.get(at).and_then(|field| field.exact()).unwrap_or_default().to_ascii_lowercase()
    };
    let (adds, deletes) = (call.slash("add").is_some(), call.slash("delete").is_some());
    let (kind, action) = match (word(0).as_str(), adds, deletes) {
        ("user", true, _) => (S, Act::AddAccount),
        ("user", _, true) => (S, Act::DeleteAccount),
        ("user", ..) if arguments.len() == 3 && call.slash("domain").is_some() => return,
        ("user", ..) if arguments.len() > 2 => (S, Act::ChangePassword),
        ("localgroup" | "group", true, _) => (Privilege, Act::JoinGroup),
        ("localgroup" | "group", _, true) => (S, Act::ChangeAccount),
        ("stop", ..) if arguments.len() > 1 => (Service, Act::Stop),
        ("start", ..) if arguments.len() > 1 => (Service, Act::Start),
        ("use", _, false) if arguments.iter().any(|field| is_admin_share(&field.shown())) => {
            (S, Act::AdminShare)
        }
        ("share", ..) if arguments.len() > 2 => (S, Act::Share),
        ("accounts", ..) if arguments.len() > 1 => (S, Act::Setting),
        _ => return,
    };
    if let Some(name) = arguments.get(1) {
        call.on_name(kind, action, name);
    }
}

/// `\\host\C$`, which only administrators reach.
pub(crate) fn is_admin_share(path: &str) -> bool {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    let shares = ["/ipc$", "/admin$"];
    if shares.iter().any(|share| path.ends_with(share) || path.contains(&format!("{share}/"))) {
        return true;
    }
    // A Unix shell may have taken one of the two slashes.
    let mut parts = path.strip_prefix('/').unwrap_or_default().trim_start_matches('/').split('/');
    let host = parts.next().unwrap_or_default();
    !matches!(host, "" | "?" | ".")
        && parts.next().is_some_and(
            |share| matches!(share.as_bytes(), [letter, b'$'] if letter.is_ascii_alphabetic()),
        )
}

fn netsh(call: &mut Call<'_, '_>) {
    let words: Vec<String> =
        call.arguments().iter().map(|field| field.shown().to_ascii_lowercase()).collect();
    let has = |word: &str| words.iter().any(|known| known == word);
    if has("wlan") && has("key=clear") {
        call.effect(Kind::Read, Act::ReadSecret, Target::name("passwords of wireless networks"));
        return;
    }
    if has("trace") && has("start") && has("capture=yes") {
        call.effect(Kind::Read, Act::Capture, Target::name("network"));
        return;
    }
    let changes = ["set", "add", "delete", "reset", "import"].iter().any(|word| has(word));
    if !changes {
        return;
    }
    if has("helper") && has("add") {
        super::windows::by_proxy(call);
        return;
    }
    let firewall = has("advfirewall") || has("firewall");
    let action = if firewall && (has("off") || has("disable") || has("mode=disable")) {
        Act::DisableFirewall
    } else if firewall {
        Act::ChangeFirewall
    } else {
        Act::ChangeNetwork
    };
    call.effect(S, action, Target::None);
}

fn wmic(call: &mut Call<'_, '_>) {
    let words: Vec<String> =
        call.arguments().iter().map(|field| field.shown().to_ascii_lowercase()).collect();
    let has = |word: &str| words.iter().any(|known| known == word);
    let format = words.iter().find_map(|word| word.strip_prefix("/format:"));
    if format.is_some_and(|sheet| sheet.contains(['/', '\\', ':'])) {
        // A style sheet is code.
        super::windows::by_proxy(call);
    } else if words.iter().any(|word| word.contains("msft_mppreference")) && has("call") {
        call.effect(S, Act::DisableProtection, Target::name("Windows Defender"));
    } else if has("shadowcopy") && has("create") {
        call.effect(Kind::Read, Act::ShadowCopy, Target::None);
    } else if has("shadowcopy") && has("delete") {
        call.effect(S, Act::DeleteBackup, Target::None);
    } else if has("process") && has("delete") {
        call.effect(crate::Kind::Process, Act::Kill, Target::None);
    } else if has("process") && has("call") && has("create") {
        if let Some(program) = call.arguments().last() {
            let target = Target::Name(program.shown());
            call.effect_at(crate::Kind::Execute, Act::RunByProxy, target, program.span);
            call.run_code(Language::Cmd, program);
        }
    } else if has("uninstall") {
        call.effect(crate::Kind::Install, Act::Uninstall, Target::None);
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn settings_of_desktops_change() {
        check(
            r"
            defaults write com.apple.dock autohide -bool true => system setting com.apple.dock certain
            defaults -currentHost delete x => system setting x certain
            csrutil disable => system disable-protection  certain
            spctl --master-disable => system disable-protection  certain
            tmutil deletelocalsnapshots 2024-01-01 => system delete-backup 2024-01-01 certain
            tmutil disable => system disable-protection  certain
            networksetup -setdnsservers Wi-Fi 1.1.1.1 => system change-network Wi-Fi certain
            scutil --set HostName x => system hostname x certain
            dscl . -delete /Users/bob => system delete-account /Users/bob certain
            nvram boot-args=-v => system boot boot-args=-v certain
            pmset sleepnow => system suspend sleepnow certain
            gsettings set a b c => system setting a certain
            ",
        );
    }

    #[test]
    fn settings_of_windows_change() {
        check(
            r"
            reg DELETE HKLM\Software /f => system registry-delete HKLM\Software certain
            reg save HKLM\SAM sam => read read-secret HKLM\SAM certain
            reg add HKCU\x /v y => system registry HKCU\x certain
            bcdedit /set {default} recoveryenabled no => system boot /set certain
            vssadmin Delete Shadows /All /Quiet => system delete-backup  certain
            wmic shadowcopy delete => system delete-backup  certain
            wevtutil cl System => system clear-log System certain
            cipher /w:C: => device wipe /w:C: certain
            net user bob secret /add => system add-account bob certain
            net localgroup administrators bob /add => privilege join-group administrators certain
            net stop spooler => service stop spooler certain
            netsh advfirewall set allprofiles state off => system disable-firewall  certain
            ",
        );
    }

    #[test]
    fn questions_do_nothing() {
        check(
            r"
            defaults read com.apple.dock =>
            csrutil status =>
            spctl --status =>
            tmutil listbackups =>
            networksetup -getinfo Wi-Fi =>
            scutil --get HostName =>
            dscl . -list /Users =>
            nvram -p =>
            pmset -g =>
            gsettings get a b =>
            reg query HKLM\Software =>
            bcdedit /enum =>
            vssadmin list shadows =>
            wevtutil qe System =>
            net user =>
            net user bob =>
            netsh interface show interface =>
            cipher /e x =>
            ",
        );
    }
}
