//! Programs of Windows that run, load, fetch or dump for others, and tools that only attackers use.
//!
//! Actions: `run-by-proxy` and `fetch-by-proxy` (a program that is part of Windows or of a development kit runs code or
//! fetches a file although it is for something else), `read-secret` (the memory of a process is written to a file),
//! `capture`, `attack-tool`.

mod attackers;
mod programs;

use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::target::Target;
use crate::value::Field;
use attackers::{attack, is_attacker};
pub(crate) use attackers::{is_attack, is_attack_script};
use programs::off;
pub(super) use programs::{PROGRAMS, registry, service_control};

/// What such a program does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    /// Runs a program, or loads a library, that its arguments name.
    Runs,
    /// Fetches a file from an address or a share.
    Fetches,
    /// Writes the memory of a process or a password store to a file.
    Dumps,
    /// Records the screen, keys or the network.
    Records,
    /// Makes a copy of a disk, in which locked files can be read.
    Copies,
    /// Runs a program at a later time.
    Later,
    /// Loads a driver.
    Drives,
    /// Switches a protection off.
    Loosens,
}
use Does::{Copies, Drives, Dumps, Fetches, Later, Loosens, Records, Runs};

/// With any argument.
const ANY: &str = "";
/// Also without arguments.
const ALONE: &str = "!";
/// With an address, or a file on a share.
const AWAY: &str = "//";

/// Names, words of which one must be in an argument (in lower case, separated by `|`), and what then happens. The first
/// line that fits counts.
const ROWS: &[(&str, &str, Does)] = &[
    ("acccheckconsole", ".dll", Runs),
    ("addinutil", "addinroot|pipelineroot", Runs),
    ("adplus", "-pn|-p", Dumps),
    ("adplus", ANY, Runs),
    ("agentexecutor", "-powershell", Runs),
    ("appcert", "setuppath", Runs),
    ("applauncher", ".exe", Runs),
    ("appvlp", ANY, Runs),
    ("aspnet_compiler", "-p", Runs),
    ("at", "/interactive|/every", Later),
    ("atbroker", "start", Runs),
    ("bginfo", ".bgi|//", Runs),
    ("bitsadmin", "addfile|setnotifycmdline", Fetches),
    ("certoc", "loaddll", Runs),
    ("certoc", AWAY, Fetches),
    ("certreq", "http", Fetches),
    ("certutil", "verifyctl", Fetches),
    ("cl_invocation.ps1|cl_loadassembly.ps1|cl_mutexverifiers.ps1", ANY, Runs),
    ("cmdl32", "vpn", Fetches),
    ("cmstp", ".inf|http", Runs),
    ("computerdefaults", ALONE, Runs),
    ("conhost|openconsole", ANY, Runs),
    ("configsecuritypolicy", "http", Fetches),
    ("control", ".cpl:|.exe:|\\|/|.dll", Runs),
    ("coregen", "/l|-l", Runs),
    ("createdump|dump64|dumpminitool|sqldumper", ANY, Dumps),
    ("customshellhost", ALONE, Runs),
    ("datasvcutil", "http", Fetches),
    ("defaultpack", "/c:", Runs),
    ("desktopimgdownldr", "http", Fetches),
    ("devicecredentialdeployment", ALONE, Runs),
    ("devinit", "msi-install", Runs),
    ("devtoolslauncher", "launchfor", Runs),
    ("diantz|makecab|expand|extrac32|replace|print", AWAY, Fetches),
    ("diskshadow", ALONE, Copies),
    ("dism", "defender", Loosens),
    ("dnscmd", "serverlevelplugindll", Runs),
    ("dsdbutil", "ntds", Dumps),
    ("dxcap", "-c", Runs),
    (
        "ecmangen|excel|mspub|msaccess|outlook|powerpnt|visio|winproj|winword|protocolhandler",
        AWAY,
        Fetches,
    ),
    ("msohtmed|msoxmled|xsd|ngen|vslaunchbrowser|imewdbld|gfxdownloadwrapper", AWAY, Fetches),
    ("esentutl", "/vss|//", Fetches),
    ("explorer", ".exe|.dll|.hta|.vbs|.bat", Runs),
    ("extexport", ANY, Runs),
    ("eudcedit|eventvwr|iscsicpl|odbcad32", ALONE, Runs),
    ("findstr", "cpassword", Dumps),
    ("fodhelper|slui|sdclt|wsreset", ALONE, Runs),
    ("fsutil", "symlinkevaluation", Loosens),
    ("fsutil", "trace", Runs),
    ("gpscript", "logon|startup", Runs),
    ("hh", ANY, Runs),
    ("ie4uinit", "basesettings", Runs),
    ("iediagcmd", "/out", Runs),
    ("ieexec", ANY, Runs),
    ("infdefaultinstall", ANY, Runs),
    ("installutil", ANY, Runs),
    ("intellitrace|pixtool", "launch", Runs),
    ("ldifde", "-i", Fetches),
    ("mavinject|mavinject32|mavinject64", ANY, Runs),
    ("mftrace", ".exe", Runs),
    ("microsoft.nodejstools.pressanykey", ANY, Runs),
    ("microsoft.workflow.compiler", ANY, Runs),
    ("mmc", "\\|/", Runs),
    ("mofcomp", ANY, Runs),
    ("mpcmdrun", "downloadfile", Fetches),
    ("mpcmdrun", "removedefinitions", Loosens),
    ("msdeploy", "runcommand", Runs),
    ("msdt", ANY, Runs),
    (
        "msedge|chrome|teams|msedgewebview2|msedge_proxy|mscopilot|mscopilot_proxy",
        "--gpu-launcher|-cmd-prefix|subprocess-path",
        Runs,
    ),
    ("msedge_proxy", ".zip|.exe", Fetches),
    ("msiexec", "transforms=", Runs),
    ("msxsl", ANY, Runs),
    ("nmcap", "capture", Records),
    ("odbcconf", ANY, Runs),
    ("offlinescannershell", ALONE, Runs),
    ("onedrivestandaloneupdater", ALONE, Fetches),
    ("pcalua", "-a", Runs),
    ("pcwrun", ANY, Runs),
    ("pktmon", "start|filter", Records),
    ("pnputil", "-i|add-driver|/a|-a", Drives),
    ("presentationhost", ANY, Runs),
    ("printbrm", "-b|-r", Fetches),
    ("procdump|procdump64", "-md", Runs),
    ("provlaunch", ANY, Runs),
    ("psr", "start", Records),
    ("pubprn.vbs", "script:", Runs),
    ("rasautou", "-d", Runs),
    ("rcsi", ".csx", Runs),
    ("rdrleakdiag", "fullmemdmp", Dumps),
    ("regasm|regsvcs", ANY, Runs),
    ("regini|wscript|cscript", ".txt:|.exe:|.log:|.doc:", Runs),
    ("register-cimprovider", "path", Runs),
    ("remote", "/s", Runs),
    ("rpcping", "ntlm", Dumps),
    ("runexehelper", ANY, Runs),
    ("runonce", "alternateshellstartup", Runs),
    ("runscripthelper", "surfacecheck", Runs),
    ("scriptrunner", "appvscript", Runs),
    ("sdbinst", ".sdb", Runs),
    ("settingsynchost", "loadandrun", Runs),
    ("setupugc", "specialize|audituser", Runs),
    ("sqlps|sqltoolsps", ANY, Runs),
    ("squirrel|update", "--update|--download|--processstart|--createshortcut", Runs),
    ("stordiag", ALONE, Runs),
    ("syncappvpublishingserver|syncappvpublishingserver.vbs", ANY, Runs),
    ("testwindowremoteagent", "start", Fetches),
    ("tracker", "/d", Runs),
    ("ttdinject", "launch", Runs),
    ("tttracer", "dumpfull", Dumps),
    ("tttracer", ANY, Runs),
    ("unregmp2", ANY, Runs),
    ("verclsid", "/c", Runs),
    ("visualuiaverifynative", ALONE, Runs),
    ("vsdiagnostics", "/launch", Runs),
    ("vshadow", "-exec", Runs),
    ("vsiisexelauncher", "-p", Runs),
    ("vsjitdebugger", ANY, Runs),
    ("vsls-agent", "agentextensionpath", Runs),
    ("vslaunchbrowser", ".exe", Runs),
    ("wbadmin", "ntds", Dumps),
    ("wfc", ".xoml", Runs),
    ("winfile", ".exe", Runs),
    ("winrm|winrm.vbs", "invoke", Runs),
    ("wlrmdr", "-u", Runs),
    ("wmic", "datafile", Runs),
    ("wsb", "exec|logoncommand|allow-write", Runs),
    ("wuauclt", "updatedeploymentprovider", Runs),
    ("xbootmgr", "callback|tracecmd", Runs),
    ("xbootmgrsleep", ".exe", Runs),
    ("xwizard", "runwizard", Runs),
];

/// Libraries of Windows with entries that a person calls to open a window or a setting.
const LIBRARIES: &[&str] = &[
    "user32",
    "printui",
    "sysdm.cpl",
    "inetcpl.cpl",
    "powrprof",
    "netplwiz",
    "shwebsvc",
    "van",
    "dsquery",
    "tcpmonui",
    "mobsync",
    "devmgr.dll",
    "newdev",
];

/// Judges programs by [`ROWS`] and by the names of attack tools; says whether one did.
pub(crate) fn judge(call: &mut Call<'_, '_>) -> bool {
    let name = call.name.to_ascii_lowercase();
    // `23 Akagi64.exe`
    if let Some(tool) = name.split(' ').find(|word| is_attacker(word)) {
        attack(call, tool);
        return true;
    }
    let program = call.argv.first().map(Field::shown).unwrap_or_default();
    if is_attack_script(&program) {
        attack(call, &name);
        return true;
    }
    let script =
        call.arguments().iter().map(|field| field.shown().to_ascii_lowercase()).find(|text| {
            text.strip_suffix(".py").is_some()
                && text.rsplit(['/', '\\']).next().is_some_and(is_attacker)
        });
    if let Some(script) = script {
        attack(call, &script);
        return true;
    }
    // One that passes for a process of Windows, from another folder.
    let plain = program.replace('\\', "/").to_ascii_lowercase();
    let pretends = matches!(
        name.as_str(),
        "csrss" | "lsass" | "services" | "smss" | "svchost" | "wininit" | "winlogon"
    ) && crate::drive::names_drive(&plain)
        && !plain.contains(":/windows/sys");
    if pretends {
        by_proxy(call);
        return true;
    }
    // A program on another machine's share, or one that is hidden beside a file.
    if is_share(&program)
        || is_stream(&program)
        || call.arguments().iter().any(|field| is_stream(&field.shown()))
    {
        by_proxy(call);
        return true;
    }
    let Some(&(_, _, does)) = ROWS
        .iter()
        .find(|(names, when, _)| names.split('|').any(|known| known == name) && fits(call, when))
    else {
        return false;
    };
    report(call, does);
    true
}

fn fits(call: &Call<'_, '_>, when: &str) -> bool {
    let arguments = call.arguments();
    match when {
        ALONE => true,
        ANY => arguments
            .iter()
            .any(|field| !matches!(field.prefix(), "/?" | "-?" | "/help" | "--help")),
        _ => arguments.iter().any(|field| {
            let text = field.shown().to_ascii_lowercase();
            when.split('|').any(|word| match word {
                "//" => is_away(&text),
                // An option, in any of its spellings.
                _ if word.starts_with(['-', '/']) && word.len() == 2 => {
                    text.get(1..) == word.get(1..) && text.starts_with(['-', '/'])
                }
                _ => text.contains(word),
            })
        }),
    }
}

/// Whether an argument is an address or a file on another machine's share.
fn is_away(text: &str) -> bool {
    let text = text.split_once(['=', '"']).map_or(text, |(_, value)| value);
    text.contains("://") || is_share(text)
}

/// `\\host\share\\file`
fn is_share(text: &str) -> bool {
    let share = text.strip_prefix("\\\\").or_else(|| text.strip_prefix("//"));
    share.is_some_and(|rest| {
        rest.starts_with(|first: char| first.is_ascii_alphanumeric()) && rest.contains(['\\', '/'])
    })
}

/// `C:\folder\file.txt:other.exe`
fn is_stream(text: &str) -> bool {
    let text = text.trim_start_matches(['"', '\'', '/', '-']);
    let text = text
        .strip_prefix("D:")
        .or_else(|| text.strip_prefix("E:"))
        .filter(|rest| crate::drive::is_windows(rest))
        .unwrap_or(text);
    if !crate::drive::is_windows(text) || text.starts_with("\\\\") {
        return false;
    }
    let name = text.get(2..).unwrap_or_default().rsplit(['\\', '/']).next().unwrap_or_default();
    name.split_once(':').is_some_and(|(file, stream)| {
        file.contains('.') && stream.starts_with(|first: char| first.is_ascii_alphabetic())
    })
}

fn report(call: &mut Call<'_, '_>, does: Does) {
    let arguments = call.arguments();
    let away = arguments.iter().find(|field| is_away(&field.shown()));
    match does {
        Runs => {
            if let Some(away) = away {
                call.receive(Act::Http, away);
            }
            by_proxy(call);
        }
        Fetches => {
            let from =
                away.or(arguments.last()).map_or(Target::None, |field| Target::Host(field.shown()));
            call.effect(Kind::Receive, Act::FetchByProxy, from);
        }
        Dumps => {
            _ = call.effect(Kind::Read, Act::ReadSecret, Target::name("the memory of a process"));
        }
        Records => _ = call.effect(Kind::Read, Act::Capture, Target::None),
        Loosens => off(call, "a protection of Windows"),
        Later => _ = call.effect(Kind::Schedule, Act::ScheduledTask, Target::None),
        Drives => _ = call.effect(Kind::System, Act::LoadModule, Target::None),
        Copies => _ = call.effect(Kind::Read, Act::ShadowCopy, Target::None),
    }
}

/// What a program that is for something else runs.
pub(crate) fn by_proxy(call: &mut Call<'_, '_>) {
    let named = call.arguments().iter().rev().find(|field| !field.prefix().starts_with(['-', '/']));
    match named {
        Some(named) => _ = call.on_name(Kind::Execute, Act::RunByProxy, named),
        None => _ = call.effect(Kind::Execute, Act::RunByProxy, Target::None),
    }
}

/// `rundll32 LIBRARY,ENTRY`, `regsvr32 LIBRARY`, `mshta FILE`: what is left of the calls when addresses and code are done.
pub(crate) fn library(call: &mut Call<'_, '_>) {
    let said = call
        .arguments()
        .iter()
        .map(Field::shown)
        .collect::<Vec<_>>()
        .join(" ")
        .to_ascii_lowercase();
    if said.is_empty() || matches!(said.as_str(), "/?" | "-?") {
        return;
    }
    if call.name == "rundll32" {
        let library = said.split([',', ' ']).next().unwrap_or_default();
        let name = library.trim_matches('"').rsplit(['/', '\\']).next().unwrap_or_default();
        let plain = name.strip_suffix(".dll").unwrap_or(name);
        let opens = plain == "shell32"
            && said.contains("control_rundll")
            && !said
                .split_once("control_rundll")
                .is_some_and(|(_, rest)| rest.contains(['\\', '/', ':']) || rest.contains(".dll"));
        if LIBRARIES.contains(&plain) || LIBRARIES.contains(&name) || opens {
            return;
        }
    }
    let named = call.arguments().iter().find(|field| !field.prefix().starts_with(['-', '/']));
    match named {
        Some(named) => _ = call.on_name(Kind::Execute, Act::RunByProxy, named),
        None => _ = call.effect(Kind::Execute, Act::RunByProxy, Target::None),
    }
}
