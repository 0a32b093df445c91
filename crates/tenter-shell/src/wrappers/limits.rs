//! Wrappers that change how a program runs, not what it does: time, priority, repetition, locks,
//! logs.
//!
//! Actions: `log` (overwrite or append: a log of the run is written), `timer` (schedule: a unit is
//! set to run later).

use super::common::{assignment, helps, rest, run, run_as, run_elsewhere, run_in, set};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::{Options, Spec};
use crate::target::Target;
use crate::tools::{self, Device};
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("nohup", plain),
    ("ld.so", loader),
    ("ld-linux.so.2", loader),
    ("ld-linux-x86-64.so.2", loader),
    ("ld-linux-aarch64.so.1", loader),
    ("ld-musl-x86_64.so.1", loader),
    ("ld-musl-aarch64.so.1", loader),
    ("gnohup", plain),
    ("timeout", plain),
    ("gtimeout", plain),
    ("nice", plain),
    ("gnice", plain),
    ("ionice", plain),
    ("chrt", chrt),
    ("taskset", plain),
    ("numactl", plain),
    ("stdbuf", plain),
    ("gstdbuf", plain),
    ("unbuffer", plain),
    ("time", time),
    ("gtime", time),
    ("setsid", plain),
    ("setarch", setarch),
    ("linux32", plain),
    ("i386", plain),
    ("x86_64", plain),
    ("choom", plain),
    ("fakechroot", plain),
    ("ssh-agent", plain),
    ("noglob", plain),
    ("nocorrect", plain),
    ("linux64", plain),
    ("prlimit", plain),
    ("cpulimit", plain),
    ("chpst", chpst),
    ("softlimit", plain),
    ("caffeinate", plain),
    ("systemd-inhibit", plain),
    ("systemd-run", systemd_run),
    ("dbus-run-session", plain),
    ("dbus-launch", plain),
    ("xvfb-run", plain),
    ("catchsegv", plain),
    ("eatmydata", plain),
    ("ccache", plain),
    ("sccache", plain),
    ("distcc", plain),
    ("icecc", plain),
    ("chronic", plain),
    ("retry", plain),
    ("rlwrap", plain),
    ("trickle", plain),
    ("cgexec", plain),
    ("ifne", plain),
    ("lockf", plain),
    ("setlock", plain),
];

/// Options with values and the number of operands before the command.
type Shape = (&'static str, &'static str, usize);

fn shape(name: &str) -> Shape {
    match name {
        "timeout" | "gtimeout" => {
            ("k:s:t:", "kill-after= signal= preserve-status foreground verbose", 1)
        }
        "nice" | "gnice" => ("n:", "adjustment=", 0),
        "ionice" => ("c:n:p:P:u:", "class= classdata= pid= pgid= uid= ignore", 0),
        "taskset" => ("p", "all-tasks pid cpu-list", 1),
        "numactl" => (
            "i:m:N:C:p:P:w:",
            "interleave= weighted-interleave= membind= cpunodebind= physcpubind= \
             preferred= preferred-many= localalloc hardware show",
            0,
        ),
        "stdbuf" | "gstdbuf" => ("i:o:e:", "input= output= error=", 0),
        "prlimit" => ("p:o:", "pid= output=", 0),
        "cpulimit" => ("l:e:p:P:c:", "limit= exe= pid= path= cpu=", 0),
        "softlimit" => ("a:c:d:f:l:m:o:p:r:s:t:", "", 0),
        "caffeinate" => ("t:w:", "", 0),
        "systemd-inhibit" => ("", "what= who= why= mode= list", 0),
        "dbus-run-session" => ("", "config-file= dbus-daemon=", 0),
        "dbus-launch" => ("", "config-file= autolaunch=", 0),
        "xvfb-run" => (
            "e:f:n:s:p:w:",
            "auto-servernum auth-file= error-file= server-args= server-num= wait= \
             xauth-protocol=",
            0,
        ),
        "ccache" => ("d:F:k:M:o:x:X:", "dir= get-config= max-size= max-files= set-config=", 0),
        "retry" => ("t:d:m:n:s:r:u:", "times= delay= tries= max= sleep= until= while=", 0),
        "rlwrap" => ("b:C:f:F:g:H:l:m:M:O:p:P:q:s:S:t:w:W:z:", "", 0),
        "trickle" => ("d:u:w:t:l:n:L:N:", "", 0),
        "cgexec" => ("g:", "", 0),
        "choom" => ("n:p:", "adjust= pid=", 0),
        "ssh-agent" => ("a:E:O:P:t:", "", 0),
        "lockf" => ("t:", "", 1),
        "setlock" => ("", "", 1),
        _ => ("", "", 0),
    }
}

fn plain(call: &mut Call<'_, '_>) {
    let (short, long, skip) = shape(call.name);
    let options = call.options(&Spec::first(short, long));
    // These act on a process that runs already.
    let on_process = matches!(call.name, "ionice" | "taskset" | "prlimit" | "cpulimit" | "choom")
        && options.has(&["p", "P", "u", "pid", "pgid", "uid"]);
    // Old versions of busybox take the time as an option.
    let skip = if options.has(&["t"]) && call.name == "timeout" { 0 } else { skip };
    if !on_process && !helps(&options) {
        let argv = rest(call, &options, skip);
        run(call, argv);
    }
}

/// `chrt [OPTIONS] [PRIORITY] COMMAND`
fn chrt(call: &mut Call<'_, '_>) {
    let options = call
        .options(&Spec::first("T:P:D:", "sched-runtime= sched-period= sched-deadline= pid max"));
    if options.has(&["p", "pid", "m", "max"]) || helps(&options) {
        return;
    }
    let argv = rest(call, &options, numbers(&options));
    run(call, argv);
}

/// One if the first operand is a number.
pub(super) fn numbers(options: &Options<'_>) -> usize {
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    usize::from(options.operand(0).is_some_and(number))
}

fn time(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("f:o:", "format= output= append"));
    if let Some(file) = options.value(&["o", "output"]) {
        log(call, file, options.has(&["a", "append"]));
    }
    let argv = rest(call, &options, 0);
    run(call, argv);
}

/// The dynamic loader, called as a program: `ld.so [OPTIONS] PROGRAM`.
fn loader(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first(
        "",
        "library-path= preload= audit= argv0= inhibit-rpath= glibc-hwcaps-prepend= \
         glibc-hwcaps-mask= inhibit-cache list verify list-tunables list-diagnostics",
    ));
    if !helps(&options) && !options.has(&["list", "verify"]) {
        run(call, rest(call, &options, 0));
    }
}

pub(super) fn log(call: &mut Call<'_, '_>, file: &Field, append: bool) {
    if file.exact().is_some_and(|path| tools::device(path) == Device::Harmless) {
        return;
    }
    let kind = if append { Kind::Append } else { Kind::Overwrite };
    call.write(kind, Act::Log, file, Stream::default());
}

/// `setarch [ARCHITECTURE] [OPTIONS] COMMAND`
fn setarch(call: &mut Call<'_, '_>) {
    let spec = Spec::first("", "");
    let options = call.options(&spec);
    if options.consumed > 0 {
        let argv = rest(call, &options, 0);
        return run(call, argv);
    }
    let after = call.arguments().get(1..).unwrap_or_default();
    let options = crate::options::parse(after, &spec);
    run(call, after.get(options.consumed..).unwrap_or_default());
}

fn chpst(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("u:U:b:e:/:C:n:l:L:m:d:o:p:f:c:r:t:", ""));
    if let Some(user) = options.value(&["u"]) {
        run_as(call, Some(user));
    }
    let argv = rest(call, &options, 0);
    if options.has(&["/"]) {
        run_elsewhere(call, argv);
    } else {
        run_in(call, options.value(&["C"]), argv);
    }
}

const SYSTEMD_RUN: Spec = Spec::first(
    "u:p:E:H:M:",
    "user system unit= property= description= slice= slice-inherit service-type= uid= \
     gid= nice= working-directory= setenv= machine= host= on-active= on-boot= \
     on-startup= on-unit-active= on-unit-inactive= on-calendar= on-clock-change \
     on-timezone-change path-property= socket-property= timer-property= background= \
     json= scope remain-after-exit send-sighup no-block wait same-dir pty pipe quiet \
     collect shell",
);

fn systemd_run(call: &mut Call<'_, '_>) {
    let options = call.options(&SYSTEMD_RUN);
    let argv = rest(call, &options, 0);
    if argv.is_empty() || helps(&options) {
        return;
    }
    if let Some(when) = options.found.iter().find(|found| found.name.starts_with("on-")) {
        let shown = when.value.as_ref().map_or_else(|| when.name.to_owned(), Field::shown);
        let again = when.name.starts_with("on-unit-");
        let shown = if again { format!("every {shown}") } else { shown };
        call.effect_at(Kind::Schedule, Act::Timer, Target::Name(shown), when.span);
    }
    if !options.has(&["user"]) || options.has(&["uid"]) {
        run_as(call, options.value(&["uid"]));
    }
    let outer = call.machine.assignments.len();
    for value in options.values(&["E", "setenv"]) {
        if let Some((name, value)) = assignment(value) {
            set(call, name, value);
        }
    }
    if options.has(&["H", "M", "host", "machine"]) {
        run_elsewhere(call, argv);
    } else {
        run_in(call, options.value(&["working-directory"]), argv);
    }
    call.machine.assignments.truncate(outer);
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    #[test]
    fn limits_are_taken_off_with_their_options() {
        check(&[
            ("nohup rm x", "nohup>rm x"),
            ("noglob rm x", "noglob>rm x"),
            ("choom -n 5 -- rm x", "choom>rm x"),
            ("choom -p 12", "choom -p 12"),
            ("ssh-agent -t 5 rm x", "ssh-agent>rm x"),
            ("ssh-agent -s", "ssh-agent -s"),
            ("timeout 5 rm x", "timeout>rm x"),
            ("timeout -k 5 -s KILL 10 rm x", "timeout>rm x"),
            ("timeout --signal=9 --foreground 1m rm -rf x", "timeout>rm -rf x"),
            ("timeout --help", "timeout --help"),
            ("timeout -t 5 rm x", "timeout>rm x"),
            ("timeout 5 -- rm x", "timeout>rm x"),
            ("nice rm x", "nice>rm x"),
            ("nice -n 10 rm x", "nice>rm x"),
            ("nice -10 rm x", "nice>rm x"),
            ("nice --adjustment 5 rm x", "nice>rm x"),
            ("ionice -c3 rm x", "ionice>rm x"),
            ("ionice -c 2 -n 7 rm x", "ionice>rm x"),
            ("ionice -p 12", "ionice -p 12"),
            ("chrt -f 99 rm x", "chrt>rm x"),
            ("chrt --batch rm x", "chrt>rm x"),
            ("chrt -p 12", "chrt -p 12"),
            ("taskset -c 0,1 rm x", "taskset>rm x"),
            ("taskset 0x3 rm x", "taskset>rm x"),
            ("taskset -pc 0 12", "taskset -pc 0 12"),
            ("numactl -N 0 -m 0 rm x", "numactl>rm x"),
            ("stdbuf -oL -e 0 rm x", "stdbuf>rm x"),
            ("setsid -f rm x", "setsid>rm x"),
            ("setarch x86_64 -R rm x", "setarch>rm x"),
            ("setarch -R rm x", "setarch>rm x"),
            ("prlimit --nofile=100 rm x", "prlimit>rm x"),
            ("cpulimit -l 50 -- rm x", "cpulimit>rm x"),
            ("caffeinate -t 5 rm x", "caffeinate>rm x"),
            ("xvfb-run -a -s '-screen 0' rm x", "xvfb-run>rm x"),
            ("ccache rm x", "ccache>rm x"),
            ("ccache -M 5G", "ccache -M 5G"),
            ("retry -t 3 -- rm x", "retry>rm x"),
            ("chpst -u bob -C /tmp rm x", "chpst>rm x @/tmp + privilege run-as bob"),
            ("systemd-inhibit --what sleep rm x", "systemd-inhibit>rm x"),
        ]);
    }

    #[test]
    fn time_and_script_write_their_logs() {
        check(&[
            ("time rm x", "time>rm x"),
            ("time -p rm x", "time>rm x"),
            ("time -f %e -o log rm x", "time>rm x + overwrite log /shop/log"),
            ("script -qc 'rm x' log", "script>rm x + overwrite log /shop/log"),
            ("script -a log -c 'rm x'", "script>rm x + append log /shop/log"),
            ("script -q /dev/null rm x", "script>rm x"),
            ("ld.so --preload l.so /bin/rm x", "ld.so>/bin/rm x"),
            ("ld.so --list /bin/rm", "ld.so --list /bin/rm"),
            ("script -t 0 log rm x", "script>rm x + overwrite log /shop/log"),
            ("script", "script"),
        ]);
    }

    #[test]
    fn locks_and_units_run_commands() {
        check(&[
            ("flock /tmp/l rm x", "flock>rm x"),
            ("flock -n -w 5 /tmp/l -c 'rm x'", "flock>rm x"),
            ("flock --timeout 5 /tmp/l rm x", "flock>rm x"),
            ("flock 9", "flock 9"),
            ("systemd-run --user -p A=1 rm x", "systemd-run>rm x"),
            ("systemd-run rm x", "systemd-run>rm x + privilege run-as root"),
            ("systemd-run --user --on-active=60 rm x", "systemd-run>rm x + schedule timer 60"),
            ("systemd-run --user --working-directory /tmp rm x", "systemd-run>rm x @/tmp"),
        ]);
    }
}
