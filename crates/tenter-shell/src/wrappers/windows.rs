//! Windows shells and launchers, also when called from a Unix shell.
//!
//! Actions: `run-as`, `install`, `uninstall`, `copy`, `move`, `mirror-delete` (what the source does
//! not have is deleted), and those of code that is run.

use super::common::{fed, joined};
use super::interpreters::{run_script, source};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::dialect;
use crate::effect::Kind;
use crate::flow::{Source, Stream};
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[
    ("powershell", powershell),
    ("pwsh", powershell),
    ("cmd", cmd),
    ("mshta", mshta),
    ("rundll32", mshta),
    ("regsvr32", mshta),
    ("cscript", script_host),
    ("wscript", script_host),
    ("msiexec", msiexec),
    ("robocopy", copies),
    ("xcopy", copies),
    ("runas", runas),
];

/// Options of PowerShell that take a value, in full. They may be cut short.
const WITH_VALUE: &[&str] = &[
    "executionpolicy",
    "ep",
    "windowstyle",
    "version",
    "psconsolefile",
    "inputformat",
    "outputformat",
    "configurationname",
    "workingdirectory",
    "wd",
    "settingsfile",
    "custompipename",
];

fn powershell(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let mut at = 0;
    while let Some(field) = arguments.get(at) {
        let text = field.prefix();
        if !text.starts_with(['-', '/']) || text.len() < 2 || text.contains('\\') {
            break;
        }
        at += 1;
        let name = text.trim_start_matches(['-', '/']).to_ascii_lowercase();
        let rest = arguments.get(at..).unwrap_or_default();
        let short_for = |full: &str| full.starts_with(&name);
        if name == "c" || (name.len() > 2 && short_for("command")) || name == "commandwithargs" {
            return command(call, rest);
        }
        if matches!(name.as_str(), "e" | "ec") || short_for("encodedcommand") {
            return encoded(call, rest);
        }
        if short_for("file") {
            call.keep();
            return run_script(call, Language::PowerShell, rest.first());
        }
        if matches!(name.as_str(), "help" | "h" | "?") {
            return;
        }
        if WITH_VALUE.iter().any(|full| short_for(full)) {
            at += 1;
        }
    }
    let rest = arguments.get(at..).unwrap_or_default();
    match rest.first() {
        // PowerShell 7 takes a file where version 5 takes a command.
        Some(file)
            if call.name == "pwsh" || file.suffix().to_ascii_lowercase().ends_with(".ps1") =>
        {
            run_script(call, Language::PowerShell, Some(file));
        }
        Some(_) => command(call, rest),
        None => run_script(call, Language::PowerShell, None),
    }
}

fn command(call: &mut Call<'_, '_>, words: &[Field]) {
    call.keep();
    if words.first().is_some_and(|word| word.is("-")) || words.is_empty() {
        return run_script(call, Language::PowerShell, None);
    }
    let code = joined(words);
    call.stdout = call.run_code(Language::PowerShell, &code);
}

/// `-EncodedCommand`: base64 of UTF-16.
fn encoded(call: &mut Call<'_, '_>, words: &[Field]) {
    let Some(word) = words.first() else {
        return;
    };
    call.keep();
    let mut code = Stream::unknown(word.sources());
    code.text = word.exact().and_then(dialect::encoded);
    code.flow.add(Source::Decoded);
    call.stdout = call.run_stream(Language::PowerShell, &code, word.span);
}

/// `cmd /c COMMAND`
fn cmd(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let found = arguments.iter().position(|field| {
        let text = field.prefix().to_ascii_lowercase();
        // A Unix shell on Windows writes two slashes.
        matches!(text.trim_start_matches('/'), "c" | "k" | "r") && text.starts_with('/')
    });
    call.keep();
    match found {
        Some(at) => {
            let code = joined(arguments.get(at + 1..).unwrap_or_default());
            if !code.parts.is_empty() {
                call.stdout = call.run_code(Language::Cmd, &code);
            }
        }
        None if fed(&call.stdin) => {
            let code = call.stdin.clone();
            let span = call.span;
            call.stdout = call.run_stream(Language::Cmd, &code, span);
        }
        None => {}
    }
}

/// Programs that run the script or address in their argument.
fn mshta(call: &mut Call<'_, '_>) {
    call.keep();
    crate::tools::trust::minidump(call);
    let mut told = false;
    for field in call.arguments() {
        let text = field.prefix().to_ascii_lowercase();
        let address = text.strip_prefix("/i:").unwrap_or(&text);
        if ["http://", "https://", "\\\\"].iter().any(|start| address.starts_with(start)) {
            let place = field.after("/i:").unwrap_or_else(|| field.clone());
            let content = call.receive(Act::Http, &place);
            call.run_stream(Language::Other, &content, field.span);
            told = true;
        } else if address.starts_with("javascript:") || address.starts_with("vbscript:") {
            let length = address.find(':').map_or(0, |colon| colon + 1);
            let code = field.without_prefix(length).unwrap_or_default();
            let language =
                if address.starts_with('j') { Language::JavaScript } else { Language::VbScript };
            call.run_code(language, &code);
        }
    }
    if !told {
        crate::tools::windows::library(call);
    }
}

/// `cscript file.js`, `wscript file.vbs`
fn script_host(call: &mut Call<'_, '_>) {
    let file = call.arguments().iter().find(|field| !field.prefix().starts_with('/'));
    let Some(file) = file else {
        return;
    };
    // Scripts of Windows that run what their arguments or the environment name.
    let hosts = ["pubprn.vbs", "syncappvpublishingserver.vbs", "manage-bde.wsf"];
    let name = file.suffix().to_ascii_lowercase();
    let says = |word: &str| call.arguments().iter().any(|field| field.shown().contains(word));
    if hosts.iter().any(|host| name.ends_with(host))
        && (says("script:") || name.strip_suffix(".wsf").is_some())
        || name.ends_with("winrm.vbs") && says("invoke")
    {
        call.keep();
        crate::tools::windows::by_proxy(call);
    }
    let javascript = file.suffix().to_ascii_lowercase().ends_with(".js");
    let language = if javascript { Language::JavaScript } else { Language::VbScript };
    if let Some(content) = source(call, Some(file)) {
        call.keep();
        call.stdout = call.run_stream(language, &content, file.span);
    }
}

fn msiexec(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    for (at, field) in arguments.iter().enumerate() {
        let (action, network) = match field.prefix().to_ascii_lowercase().as_str() {
            "/i" | "/package" | "-i" | "/a" => (Act::Install, true),
            "/x" | "/uninstall" | "-x" => (Act::Uninstall, false),
            "/y" | "-y" | "/z" | "-z" => {
                call.keep();
                crate::tools::windows::by_proxy(call);
                return;
            }
            _ => continue,
        };
        let Some(package) = arguments.get(at + 1) else {
            continue;
        };
        call.keep();
        if network && package.prefix().starts_with("http") {
            call.receive(Act::Http, package);
        } else if network {
            // One that the command fetched is code from there.
            let path = call.machine.path(package);
            if let Some(content) = call.machine.written(&path).cloned() {
                call.run_stream(Language::Other, &content, package.span);
            }
        }
        call.effect_at(Kind::Install, action, Target::Name(package.shown()), package.span);
    }
}

/// `robocopy SOURCE TARGET /mir`, `xcopy SOURCE TARGET`
fn copies(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let has = |name: &str| {
        arguments
            .iter()
            .any(|field| field.exact().is_some_and(|text| text.eq_ignore_ascii_case(name)))
    };
    let mut operands = arguments.iter().filter(|field| !field.prefix().starts_with('/'));
    let (Some(from), Some(to)) = (operands.next(), operands.next()) else {
        return;
    };
    call.keep();
    if has("/l") {
        return;
    }
    let content = call.read(Act::Copy, from);
    if has("/move") || has("/mov") {
        call.on_path(Kind::Move, Act::Move, from).recursive = true;
    }
    call.write(Kind::Write, Act::Copy, to, content).recursive = true;
    if has("/mir") || has("/purge") {
        call.on_path(Kind::Delete, Act::MirrorDelete, to).recursive = true;
    }
}

/// `runas /user:NAME COMMAND`
fn runas(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let user = arguments.iter().find_map(|field| field.after("/user:"));
    let target = user.as_ref().map_or(Target::None, |user| Target::Name(user.shown()));
    let span = user.map_or(call.span, |user| user.span);
    call.effect_at(Kind::Privilege, Act::RunAs, target, span);
    if let Some(code) = arguments.iter().find(|field| !field.prefix().starts_with('/')) {
        call.stdout = call.run_code(Language::Cmd, code);
    }
}
