//! Running processes.
//!
//! Actions of [`Kind::Process`]: `kill` (one process or those of a name), `kill-group`,
//! `kill-init` (process 1), `kill-all` (every process that can be reached), `signal` (a signal
//! that ends nothing by itself), `priority`, `fork-bomb`.

use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Source;
use crate::options::{Spec, parse};
use crate::target::Target;
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("%0", itself),
    ("fuser", fuser),
    ("kill", kill),
    ("killall", by_name),
    ("killall5", killall5),
    ("pkill", by_name),
    ("renice", renice),
    ("skill", by_name),
    ("snice", renice),
    ("taskkill", taskkill),
    ("tskill", by_name),
    ("xkill", xkill),
];

/// The effect of a signal; `None` if it only tests.
fn signal_action(signal: Option<&str>) -> Option<(Act, bool)> {
    let name = signal.unwrap_or("TERM").to_ascii_uppercase();
    Some(match name.trim_start_matches("SIG") {
        "0" | "EXIT" => return None,
        "9" | "KILL" => (Act::Kill, true),
        "HUP" | "1" | "USR1" | "10" | "USR2" | "12" | "CONT" | "18" | "WINCH" | "28" | "CHLD"
        | "17" | "URG" | "23" => (Act::Signal, false),
        _ => (Act::Kill, false),
    })
}

fn kill(call: &mut Call<'_, '_>) {
    let mut signal: Option<String> = None;
    let mut targets: Vec<&Field> = Vec::new();
    let mut arguments = call.arguments().iter();
    let mut dashes = false;
    while let Some(field) = arguments.next() {
        let text = field.prefix();
        match text {
            _ if dashes => targets.push(field),
            "--" if field.is("--") => dashes = true,
            "-l" | "-L" | "--list" | "--table" | "-h" | "--help" | "-V" | "--version" | "-p"
            | "--pid" => return,
            "-s" | "-n" | "--signal" | "-q" | "--queue" | "--timeout" => {
                let value = arguments.next().map(Field::shown);
                if !matches!(text, "-q" | "--queue" | "--timeout") {
                    signal = value;
                }
            }
            _ if text.starts_with("--signal=") => {
                signal = text.strip_prefix("--signal=").map(str::to_owned);
            }
            "-a" | "--all" | "-v" | "--verbose" => {}
            // The first word with a dash is the signal; later ones are process groups.
            _ if text.len() > 1
                && text.starts_with('-')
                && signal.is_none()
                && targets.is_empty() =>
            {
                let name = text.trim_start_matches('-');
                // `-sKILL` and `-n9` have the value attached.
                let attached = name
                    .strip_prefix(['s', 'n'])
                    .filter(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()));
                signal = Some(attached.unwrap_or(name).to_owned());
            }
            _ => targets.push(field),
        }
    }
    let Some((action, force)) = signal_action(signal.as_deref()) else {
        return;
    };
    for target in targets {
        let action = match target.exact() {
            Some("-1") => Act::KillAll,
            Some("1") => Act::KillInit,
            Some(text) if action == Act::Kill && (text.starts_with('-') || text == "0") => {
                Act::KillGroup
            }
            _ => action,
        };
        call.on_name(Kind::Process, action, target).force = force;
    }
}

const PKILL: Spec = Spec::new(
    "s:g:G:P:t:u:U:F:O:",
    "signal= pidfile= pgroup= group= parent= session= terminal= euid= uid= older= ns= \
     nslist= count echo exact full help ignore-case logpidfile newest oldest inverse \
     runstates= cgroup= env= version",
);
const KILLALL: Spec = Spec::new(
    "s:o:y:u:n:Z:t:c:",
    "signal= older-than= younger-than= user= ns= context= list exact ignore-case \
     interactive process-group quiet regexp verbose wait help version",
);

/// `pkill` and `killall`: everything that has a name, a user or a terminal.
fn by_name(call: &mut Call<'_, '_>) {
    let is_signal = |field: &&Field| field.exact().and_then(dashed_signal).is_some();
    // `tskill NAME /a`
    let is_switch = |field: &&Field| call.name == "tskill" && field.prefix().starts_with('/');
    let words = call.arguments().iter().filter(|field| !is_signal(field) && !is_switch(field));
    let rest: Vec<Field> = words.cloned().collect();
    let options = parse(&rest, if call.name == "killall" { &KILLALL } else { &PKILL });
    if options.has(&["l", "list", "L", "help", "V", "version"]) {
        return;
    }
    // For pkill `-s` is a session, for killall a signal.
    let signal = options
        .value(if call.name == "killall" { &["s", "signal"] } else { &["signal"] })
        .and_then(Field::exact)
        .or_else(|| call.arguments().iter().filter_map(Field::exact).find_map(dashed_signal));
    let Some((action, force)) = signal_action(signal) else {
        return;
    };
    // killall and pkill take the signal as an option; what is left names processes.
    let named_by = [
        "u", "U", "user", "euid", "uid", "t", "terminal", "P", "parent", "g", "G", "group", "F",
        "pidfile",
    ];
    if options.operands.is_empty() {
        // The children of a shell, or of one process that is no system's own, are its own.
        let own = |field: &Field| field.exact().is_none_or(|number| number.len() > 1);
        if options.value(&["P", "parent"]).is_some_and(own) {
            return;
        }
        if let Some(value) = options.value(&named_by) {
            call.on_name(Kind::Process, action, value).force = force;
        }
        return;
    }
    for operand in &options.operands {
        call.on_name(Kind::Process, action, operand).force = force;
    }
}

/// `-9`, `-KILL`, `-SIGHUP`.
fn dashed_signal(text: &str) -> Option<&str> {
    let name = text.strip_prefix('-')?;
    let number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let upper = name.len() > 2
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (number || upper).then_some(name)
}

fn killall5(call: &mut Call<'_, '_>) {
    call.effect(Kind::Process, Act::KillAll, Target::None);
}

/// In a batch file `%0` is the file itself: `%0|%0` doubles it without end.
fn itself(call: &mut Call<'_, '_>) {
    call.effect(Kind::Process, Act::ForkBomb, Target::None);
}

fn xkill(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    if !arguments.iter().any(|field| field.prefix().starts_with("-v") || field.is("-help")) {
        call.effect(Kind::Process, Act::Kill, Target::None);
    }
}

/// `fuser` tells who uses a file; with `-k` it kills them.
fn fuser(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("n:", "namespace= kill"));
    if !options.has(&["k", "kill"]) {
        return;
    }
    for operand in &options.operands {
        let signal = operand.prefix().starts_with('-');
        if !signal {
            call.on_name(Kind::Process, Act::Kill, operand).force = true;
        }
    }
}

fn renice(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("n:", "priority= relative= pid user pgrp help version"));
    if options.has(&["h", "help", "V", "version"]) {
        return;
    }
    let skip = usize::from(!options.has(&["n", "priority", "relative"]));
    for operand in options.operands.iter().skip(skip) {
        call.on_name(Kind::Process, Act::Priority, operand);
    }
}

/// `taskkill /F /IM name`, `taskkill /PID 1`
fn taskkill(call: &mut Call<'_, '_>) {
    let force = call.slash("f").is_some();
    let arguments = call.arguments();
    for (at, field) in arguments.iter().enumerate() {
        let option = field.prefix().to_ascii_lowercase().replace("//", "/");
        if matches!(option.as_str(), "/im" | "/pid" | "-im" | "-pid" | "/fi" | "-fi")
            && let Some(target) = arguments.get(at.saturating_add(1))
        {
            let own = match option.trim_start_matches(['/', '-']) {
                "pid" => is_of_pid_file(target),
                "fi" => is_own_window(target, call.machine.source),
                _ => false,
            };
            if own {
                let own = Target::name("$!");
                call.effect_at(Kind::Process, Act::Kill, own, target.span).force = force;
                continue;
            }
            call.on_name(Kind::Process, Act::Kill, target).force = force;
        }
    }
}

/// Whether a number that is not known comes from the file in which a server keeps its own.
fn is_of_pid_file(number: &Field) -> bool {
    let keeps = |source: &Source| matches!(source, Source::File(path) if path.ends_with(".pid"));
    number.exact().is_none() && number.sources().sources().iter().any(keeps)
}

/// `WINDOWTITLE eq x*`, where the command itself starts a window of this title.
fn is_own_window(filter: &Field, command: &str) -> bool {
    let text = filter.shown().to_ascii_lowercase();
    let title =
        text.strip_prefix("windowtitle eq ").map(|title| title.trim().trim_end_matches('*'));
    title.is_some_and(|title| {
        title.len() > 2 && command.to_ascii_lowercase().contains(&format!("start \"{title}"))
    })
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn signals_end_processes() {
        check(
            r"
            kill 1234 => process kill 1234 certain
            kill -9 12 13 => process kill 12 certain -f; process kill 13 certain -f
            kill -s KILL 12 => process kill 12 certain -f
            kill -sKILL 12 => process kill 12 certain -f
            kill -SIGKILL -1 => process kill-all -1 certain -f
            kill -9 -- -1 => process kill-all -1 certain -f
            kill -n 9 1 => process kill-init 1 certain -f
            kill -TERM -44 => process kill-group -44 certain
            kill -HUP 12 => process signal 12 certain
            kill %1 => process kill %1 certain
            pkill -f server.js => process kill server.js certain
            pkill -P 4711 =>
            pkill -P 1 => process kill 1 certain
            pkill -9 -u bob => process kill bob certain -f
            pkill --signal HUP nginx => process signal nginx certain
            killall -KILL a b => process kill a certain -f; process kill b certain -f
            fuser -k 80/tcp => process kill 80/tcp certain -f
            renice -n 5 -p 12 => process priority 12 certain
            renice 5 12 => process priority 12 certain
            taskkill /F /IM node.exe => process kill node.exe certain -f
            ",
        );
    }

    #[test]
    fn questions_do_nothing() {
        check(
            r"
            kill -0 12 =>
            kill -s 0 12 =>
            kill -l =>
            kill -L 9 =>
            pkill -0 nginx =>
            killall -l =>
            fuser 80/tcp =>
            renice --help =>
            taskkill /? =>
            ",
        );
    }
}
