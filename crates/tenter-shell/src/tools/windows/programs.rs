//! Programs of Windows that a line of the table cannot judge.

use super::attackers::attack;
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::target::Target;
use crate::tools::table::{self, Tool};
use crate::value::Field;
use crate::world::Language;

pub(crate) const PROGRAMS: Programs = &[
    ("psexec", remote),
    ("psexec64", remote),
    ("paexec", remote),
    ("sysmon", sysmon),
    ("sysmon64", sysmon),
    ("fltmc", filters),
    ("appcmd", web_server),
    ("vaultcmd", vault),
    ("setspn", names_of_services),
    ("logman", traces),
    ("forfiles", for_files),
    ("sdelete", wipe),
    ("sdelete64", wipe),
    ("secedit", policy),
    ("assoc", associations),
    ("ftype", associations),
];

/// `psexec \\MACHINE -s COMMAND`: runs it elsewhere, or as the system.
fn remote(call: &mut Call<'_, '_>) {
    const WITH_VALUE: &[&str] = &["-u", "-p", "-n", "-r", "-w", "-a", "-i"];
    let arguments = call.arguments();
    let mut at = 0;
    while let Some(field) = arguments.get(at) {
        let text = field.prefix().to_ascii_lowercase();
        let number = arguments
            .get(at + 1)
            .is_some_and(|next| next.prefix().bytes().all(|byte| byte.is_ascii_digit()));
        if WITH_VALUE.contains(&text.as_str()) && (text != "-i" || number) {
            at += 2;
        } else if text.starts_with(['-', '/', '\\']) {
            at += 1;
        } else {
            break;
        }
    }
    let command = arguments.get(at..).unwrap_or_default();
    if command.is_empty() {
        return;
    }
    call.keep();
    if let Some(program) = command.first() {
        call.on_name(Kind::Execute, Act::RunByProxy, program);
    }
    let shell = call.machine.leave(None);
    call.run(command);
    call.machine.shell = shell;
}

pub(super) fn off(call: &mut Call<'_, '_>, what: &'static str) {
    call.effect(Kind::System, Act::DisableProtection, Target::name(what));
}

/// `sysmon -u`
fn sysmon(call: &mut Call<'_, '_>) {
    if call.slash("u").is_some() {
        off(call, "Sysmon");
    }
}

/// `fltmc unload DRIVER`
fn filters(call: &mut Call<'_, '_>) {
    if let [verb, driver, ..] = call.arguments()
        && verb.shown().eq_ignore_ascii_case("unload")
    {
        call.on_name(Kind::System, Act::DisableProtection, driver);
    }
}

/// `appcmd list apppool /@text:*` prints passwords; `install module` loads code into the server.
fn web_server(call: &mut Call<'_, '_>) {
    let said = call
        .arguments()
        .iter()
        .map(Field::shown)
        .collect::<Vec<_>>()
        .join(" ")
        .to_ascii_lowercase();
    if said.contains("list")
        && (said.contains("/@t") || said.contains("/text:") || said.contains("/config"))
    {
        call.effect(Kind::Read, Act::ReadSecret, Target::name("passwords of the web server"));
    } else if said.contains("install module") {
        call.effect(Kind::Schedule, Act::Autostart, Target::name("a module of the web server"));
    } else if said.contains("dontlog:true") {
        off(call, "the log of the web server");
    }
}

/// `vaultcmd /listcreds:...`
fn vault(call: &mut Call<'_, '_>) {
    if call.slash("listcreds").is_some() {
        call.effect(Kind::Read, Act::ReadSecret, Target::name("Windows credentials"));
    }
}

/// `setspn -T DOMAIN -Q */*` lists every account whose password can be guessed offline.
fn names_of_services(call: &mut Call<'_, '_>) {
    if call.arguments().iter().any(|field| field.shown() == "*/*") {
        attack(call, "setspn");
    }
}

/// `logman update trace NAME --p PROVIDER`, `logman stop`
fn traces(call: &mut Call<'_, '_>) {
    let Some(verb) = call.arguments().first().map(|verb| verb.shown().to_ascii_lowercase()) else {
        return;
    };
    if matches!(verb.as_str(), "stop" | "delete" | "update") {
        off(call, "a log");
    }
}

/// `forfiles /c COMMAND`
fn for_files(call: &mut Call<'_, '_>) {
    if let Some(code) = call.after_slash("c") {
        call.keep();
        call.run_code(Language::Cmd, code);
        // Windows' own folder, searched for one program: the search is a pretext.
        let folder = call.after_slash("p").map(|folder| folder.shown().to_ascii_lowercase());
        if folder.is_some_and(|folder| folder.contains("windows")) {
            call.on_name(Kind::Execute, Act::RunByProxy, code);
        }
    }
}

/// `sdelete FILE`: nobody gets it back.
fn wipe(call: &mut Call<'_, '_>) {
    for file in call.arguments().iter().filter(|field| !field.prefix().starts_with(['-', '/'])) {
        call.on_path(Kind::Delete, Act::Remove, file).force = true;
    }
}

/// `secedit /configure`, `secedit /import`
fn policy(call: &mut Call<'_, '_>) {
    if call.slash("configure").is_some() || call.slash("import").is_some() {
        call.effect(Kind::System, Act::ChangeProtection, Target::name("security policy"));
    }
}

/// `assoc .hta=txtfile`
fn associations(call: &mut Call<'_, '_>) {
    if let Some(change) = call.arguments().iter().find(|field| field.shown().contains('=')) {
        call.on_name(Kind::System, Act::Registry, change);
    }
}

/// `reg export HKLM\SAM FILE`, `reg query HKLM /f password`; the table judges the rest.
pub(crate) fn registry(call: &mut Call<'_, '_>, tool: &Tool) {
    let words: Vec<String> =
        call.arguments().iter().map(|field| field.shown().to_ascii_lowercase()).collect();
    let has = |word: &str| words.iter().any(|known| known == word);
    // A Unix shell takes the backslash away.
    let root =
        words.get(1).map(|key| key.replace("hkey_local_machine", "hklm")).unwrap_or_default();
    let root = root.replace(['\\', '"'], "");
    let hive = ["hklmsam", "hklmsecurity", "hklmsystem"].contains(&root.as_str());
    let searched = call.after_slash("f").map(|what| what.shown().to_ascii_lowercase());
    let secret = searched.is_some_and(|what| what.contains("passw") || what.contains("cpassword"));
    let sessions = words.iter().any(|word| word.contains("simontatham"));
    if has("export") && hive || has("query") && (secret || sessions) {
        call.effect(Kind::Read, Act::ReadSecret, Target::name("credentials in the registry"));
        return;
    }
    table::by_lines(call, tool);
}

/// `sc [\\HOST] config NAME binPath= PROGRAM`; the table judges the rest.
pub(crate) fn service_control(call: &mut Call<'_, '_>, tool: &Tool) {
    let words: Vec<String> =
        call.arguments().iter().map(|field| field.shown().to_ascii_lowercase()).collect();
    let host = usize::from(words.first().is_some_and(|word| word.starts_with('\\')));
    let verb = words.get(host).map_or("", String::as_str);
    let starts = |option: &str| words.iter().any(|word| word.starts_with(option));
    let name = call.arguments().get(host + 1);
    let disabled = words
        .windows(2)
        .any(|pair| matches!(pair, [option, value] if option == "start=" && value == "disabled"))
        || starts("start=disabled");
    let (kind, act) = match verb {
        "create" => (Kind::Schedule, Act::Autostart),
        "config" | "failure" if starts("binpath=") || starts("command=") => {
            (Kind::Schedule, Act::Autostart)
        }
        "config" if disabled => (Kind::Service, Act::Disable),
        "sdset" => (Kind::System, Act::ChangeProtection),
        _ => return table::by_lines(call, tool),
    };
    match name {
        Some(name) => call.on_name(kind, act, name),
        None => call.effect(kind, act, Target::None),
    };
}
