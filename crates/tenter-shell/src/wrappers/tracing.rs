//! Tracers, debuggers, profilers, supervisors: programs that watch another one run.
//!
//! Actions: `log` (overwrite: what was seen is written), `attach` (process: a running process is
//! traced), `kill` (process: a daemon is stopped).

use super::common::{SH, helps, possibly, rest, run, run_as, run_in};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::{Options, Order, Spec, parse};
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[
    ("strace", strace),
    ("ltrace", strace),
    ("gdb", gdb),
    ("rust-gdb", gdb),
    ("lldb", lldb),
    ("rust-lldb", lldb),
    ("perf", perf),
    ("rr", rr),
    ("hyperfine", hyperfine),
    ("bpftrace", code_option),
    ("dtrace", code_option),
    ("start-stop-daemon", start_stop),
    ("valgrind", plain),
    ("heaptrack", plain),
    ("uftrace", uftrace),
    ("kcov", plain),
    ("bear", plain),
    ("scan-build", plain),
    ("intercept-build", plain),
    ("faketime", plain),
    ("torsocks", plain),
    ("torify", plain),
    ("proxychains", plain),
    ("proxychains4", plain),
    ("tini", plain),
    ("tini-static", plain),
    ("dumb-init", plain),
    ("catatonit", plain),
    ("daemonize", plain),
    ("daemon", plain),
    ("samply", samply),
];

/// Tools that only need their options skipped: short options with values, long ones, operands
/// before the command.
fn plain(call: &mut Call<'_, '_>) {
    let (short, long, skip): (&'static str, &'static str, usize) = match call.name {
        "heaptrack" => ("o:p:", "output= pid=", 0),
        "kcov" => ("", "", 1),
        "bear" => ("", "output= config=", 0),
        "scan-build" => ("o:", "use-cc= use-c++= exclude=", 0),
        "faketime" => ("p:", "exclude-monotonic date-prog=", 1),
        "torsocks" => ("u:p:a:P:", "user= pass= address= port=", 0),
        "proxychains" | "proxychains4" => ("f:", "", 0),
        "tini" | "tini-static" => ("p:e:", "", 0),
        "dumb-init" => ("r:", "rewrite=", 0),
        "daemonize" => ("c:e:o:p:l:u:E:", "", 0),
        "daemon" => (
            "p:P:t:u:o:m:l:s:T:R:n:N:X:D:F:O:L:M:A:r:",
            "name= user= chdir= output= env= pidfile=",
            0,
        ),
        _ => ("", "", 0),
    };
    let options = call.options(&Spec::first(short, long));
    let attaches = call.name == "heaptrack" && options.has(&["p", "pid"]);
    if helps(&options) || attaches {
        return;
    }
    if let Some(user) = options.value(&["u"]).filter(|_| call.name.starts_with("daemon")) {
        run_as(call, Some(user));
    }
    let directory = options.value(&["c"]).filter(|_| call.name == "daemonize");
    let argv = rest(call, &options, skip);
    run_in(call, directory, argv);
}

fn strace(call: &mut Call<'_, '_>) {
    let short = match call.name {
        "strace" => "a:b:e:E:I:o:O:p:P:s:S:u:U:X:",
        _ => "a:A:D:e:F:l:n:o:p:s:u:w:x:X:",
    };
    let options = call.options(&Spec::first(
        short,
        "attach= output= trace= signal= status= fault= inject= trace-path= user= env= \
         string-limit= columns= summary-sort-by= summary-columns= library= indent= \
         config=",
    ));
    if helps(&options) {
        return;
    }
    if let Some(file) = options.value(&["o", "output"]) {
        match file.after("|").or_else(|| file.after("!")) {
            Some(code) => {
                call.run_code(SH, &code);
            }
            None => {
                call.write(Kind::Overwrite, Act::Log, file, Stream::default());
            }
        }
    }
    for process in options.values(&["p", "attach"]) {
        call.effect_at(Kind::Process, Act::Attach, Call::named(process), process.span);
    }
    if let Some(user) = options.value(&["u", "user"]) {
        run_as(call, Some(user));
    }
    let argv = rest(call, &options, 0);
    run(call, argv);
}

const GDB: Spec = Spec {
    short: "",
    long: "args ex= eval-command= iex= init-eval-command= x= command= ix= \
             init-command= p= pid= c= core= d= directory= cd= s= symbols= e= exec= se= \
             b= l= tty= interpreter= batch quiet nx nh help version",
    order: Order::OneDash,
};

/// `gdb -ex 'shell CODE'`, `gdb --args PROGRAM ARGUMENTS`
fn gdb(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let ends = |field: &Field| field.is("--args") || field.is("-args");
    let at = arguments.iter().position(ends).unwrap_or(arguments.len());
    let (before, after) = arguments.split_at(at);
    let options = parse(before, &GDB);
    if helps(&options) {
        return;
    }
    debugger(call, &options, &["ex", "eval-command", "iex", "init-eval-command"], &["p", "pid"]);
    let argv = after.get(1..).unwrap_or_default();
    // Runs when told to later.
    possibly(call, &mut |call| run(call, argv));
}

fn lldb(call: &mut Call<'_, '_>) {
    let spec = Spec::first(
        "o:O:k:K:s:S:f:n:p:c:a:r::",
        "one-line= one-line-before-file= one-line-on-crash= source= source-before-file= \
         source-on-crash= file= attach-name= attach-pid= core= arch= batch help version",
    );
    let options = call.options(&spec);
    if helps(&options) {
        return;
    }
    let commands = ["o", "O", "one-line", "one-line-before-file", "k", "one-line-on-crash"];
    debugger(call, &options, &commands, &["p", "attach-pid"]);
    let argv = rest(call, &options, 0);
    possibly(call, &mut |call| run(call, argv));
}

/// Common options of debuggers: commands that run code here, and processes to attach to.
fn debugger(call: &mut Call<'_, '_>, options: &Options<'_>, commands: &[&str], pids: &[&str]) {
    for process in options.values(pids) {
        call.effect_at(Kind::Process, Act::Attach, Call::named(process), process.span);
    }
    for command in options.values(commands) {
        for (word, language) in [
            ("shell ", SH),
            ("!", SH),
            ("make ", SH),
            ("platform shell ", SH),
            ("pi ", Language::Python),
            ("py ", Language::Python),
            ("python ", Language::Python),
            ("script ", Language::Python),
        ] {
            if let Some(code) = command.after(word) {
                call.run_code(language, &code);
                break;
            }
        }
        inferior_call(call, command);
    }
}

/// `call system("CODE")`: the traced program runs it.
fn inferior_call(call: &mut Call<'_, '_>, command: &Field) {
    let text = command.prefix();
    let called = text.split_once("system(\"").and_then(|(_, rest)| rest.split_once('"'));
    if let Some((code, _)) = called {
        call.run_code(SH, &Field::text(code, command.span));
    }
}

fn perf(call: &mut Call<'_, '_>) {
    let spec = Spec::first(
        "e:o:F:c:p:t:C:u:m:D:G:r:x:I:j:B:s:M:",
        "event= metrics= output= freq= count= pid= tid= cpu= uid= mmap-pages= delay= cgroup= \
         repeat= field-separator= interval-print= call-graph= max-size= timeout= filter= \
         duration= pre= post=",
    );
    let options = call.options(&spec);
    let runs = ["record", "stat", "trace", "mem", "c2c", "kmem", "lock", "sched", "ftrace"];
    if !options.operand(0).is_some_and(|word| runs.contains(&word)) {
        return;
    }
    let mut skip = 1;
    let mut after = parse(rest(call, &options, skip), &spec);
    // `perf sched record CMD`
    if options.operand(0) != Some("record") && after.operand(0) == Some("record") {
        skip = after.consumed.saturating_add(2);
        after = parse(rest(call, &options, skip), &spec);
    }
    for code in after.values(&["pre", "post"]) {
        call.run_code(SH, code);
    }
    let argv = rest(call, &options, skip.saturating_add(after.consumed));
    run(call, argv);
}

/// `rr record PROGRAM`; without a subcommand it records as well.
fn rr(call: &mut Call<'_, '_>) {
    let spec = Spec::first("v:i:c:o:t:s:", "output-trace-dir= env= num-cores=");
    let options = call.options(&spec);
    let known = ["replay", "ps", "dump", "ls", "pack", "rm", "traceinfo", "help", "sources"];
    if options.operand(0).is_some_and(|word| known.contains(&word)) {
        return;
    }
    let skip = usize::from(options.operand(0) == Some("record"));
    let after = parse(rest(call, &options, skip), &spec);
    let argv = rest(call, &options, skip.saturating_add(after.consumed));
    run(call, argv);
}

fn uftrace(call: &mut Call<'_, '_>) {
    run_subcommand(call, &["record", "live"], "A:C:D:F:N:P:R:d:t:b:f:k:r:Z:");
}

fn samply(call: &mut Call<'_, '_>) {
    run_subcommand(call, &["record"], "r:o:d:p:P:");
}

fn run_subcommand(call: &mut Call<'_, '_>, words: &[&str], short: &'static str) {
    let spec = Spec::first(short, "output= rate= duration= pid= port=");
    let options = call.options(&spec);
    if options.operand(0).is_some_and(|word| words.contains(&word)) {
        let after = parse(rest(call, &options, 1), &spec);
        let argv = rest(call, &options, after.consumed.saturating_add(1));
        run(call, argv);
    }
}

/// Every operand is code.
fn hyperfine(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "w:m:M:r:p:c:s:C:S:P:D:L:n:u:i::",
        "warmup= min-runs= max-runs= runs= prepare= cleanup= setup= conclude= reference= \
         reference-name= shell= parameter-scan= parameter-step-size= parameter-list= \
         command-name= time-unit= style= sort= output= input= export-asciidoc= \
         export-csv= export-json= export-markdown= export-orgmode= \
         min-benchmarking-time= ignore-failure=? show-output",
    ));
    if helps(&options) {
        return;
    }
    let names = ["p", "prepare", "c", "cleanup", "C", "conclude", "s", "setup", "reference"];
    let code: Vec<Field> =
        options.values(&names).chain(options.operands.iter().copied()).cloned().collect();
    for code in &code {
        call.run_code(SH, code);
    }
    call.stdout = Stream::default();
}

/// `-c COMMAND` is split into words and run.
fn code_option(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "c:e:p:o:B:f:I:b:d:i:n:m:P:s:x:D:k:",
        "include= info unsafe usdt-file-activation",
    ));
    if let Some(code) = options.value(&["c"]) {
        call.stdout = call.run_code(SH, code);
    }
}

fn start_stop(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "x:a:p:n:u:g:s:c:r:d:k:R:N:P:I:O:",
        "start stop status exec= startas= pidfile= name= user= group= signal= chuid= \
         chroot= chdir= umask= retry= nicelevel= procsched= iosched= output= \
         make-pidfile remove-pidfile background oknodo test quiet verbose",
    ));
    if options.has(&["t", "test"]) || helps(&options) {
        return;
    }
    let program = options.value(&["a", "startas"]).or(options.value(&["x", "exec"]));
    if options.has(&["K", "stop"]) {
        let named = options.value(&["n", "name", "p", "pidfile"]).or(program);
        let target = named.map_or(Target::None, Call::named);
        call.effect(Kind::Process, Act::Kill, target);
    } else if let Some(program) = program.filter(|_| options.has(&["S", "start"])) {
        if let Some(user) = options.value(&["c", "chuid"]) {
            run_as(call, Some(user));
        }
        let arguments = options.operands.iter().map(|field| (*field).clone());
        let argv: Vec<Field> = std::iter::once(program.clone()).chain(arguments).collect();
        run_in(call, options.value(&["d", "chdir"]), &argv);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    #[test]
    fn tracers_run_their_program() {
        check(&[
            ("strace -f -e trace=file rm x", "strace>rm x"),
            ("strace -fo log -s 99 rm x", "strace>rm x + overwrite log /shop/log"),
            ("strace -o '|rm y' rm x", "strace>rm y | strace>rm x"),
            ("strace -p 12", "strace -p 12 + process attach 12"),
            ("ltrace -e malloc rm x", "ltrace>rm x"),
            ("valgrind --leak-check=full rm x", "valgrind>rm x"),
            ("perf record -g -o d -- rm x", "perf>rm x"),
            ("perf stat -e cycles rm x", "perf>rm x"),
            ("perf sched record rm x", "perf>rm x"),
            ("perf report", "perf report"),
            ("rr record -n rm x", "rr>rm x"),
            ("rr record rm x", "rr>rm x"),
            ("rr replay", "rr replay"),
            ("heaptrack rm x", "heaptrack>rm x"),
            ("kcov --exclude=a out rm x", "kcov>rm x"),
            ("bear --output f -- rm x", "bear>rm x"),
            ("samply record -o f rm x", "samply>rm x"),
        ]);
    }

    #[test]
    fn debuggers_run_code_and_programs() {
        check(&[
            ("gdb -batch -ex 'shell rm x' prog", "gdb>rm x"),
            ("gdb -ex='!rm x'", "gdb>rm x"),
            ("gdb --args rm x", "gdb>rm x"),
            ("gdb -p 12 -ex 'call system(\"rm x\")'", "gdb>rm x + process attach 12"),
            ("gdb -ex bt core", "gdb -ex bt core"),
            ("lldb -o 'platform shell rm x' prog", "lldb>rm x | lldb>prog"),
            ("lldb -b -- rm x", "lldb>rm x"),
        ]);
    }

    #[test]
    fn hyperfine_runs_each_operand_as_code() {
        check(&[
            ("hyperfine 'rm x' 'id; id'", "hyperfine>rm x | hyperfine>id"),
            ("hyperfine -w 3 --prepare 'rm x' id", "hyperfine>rm x | hyperfine>id"),
            ("hyperfine --export-json o -N id", "hyperfine>id"),
            ("bpftrace -e 'BEGIN {}' -c 'rm x'", "bpftrace>rm x"),
            ("dtrace -n x -c 'rm x'", "dtrace>rm x"),
        ]);
    }

    #[test]
    fn supervisors_run_their_program() {
        check(&[
            ("faketime '2 days ago' rm x", "faketime>rm x"),
            ("proxychains4 -q -f c rm x", "proxychains4>rm x"),
            ("torsocks -P 9 rm x", "torsocks>rm x"),
            ("tini -g -- rm x", "tini>rm x"),
            ("dumb-init rm x", "dumb-init>rm x"),
            (
                "daemonize -c /tmp -u bob /bin/rm x",
                "daemonize>/bin/rm x @/tmp + privilege run-as bob",
            ),
            ("start-stop-daemon -S -x /bin/rm -- x", "start-stop-daemon>/bin/rm x"),
            (
                "start-stop-daemon --stop --name n",
                "start-stop-daemon --stop --name n + process kill n",
            ),
            (
                "start-stop-daemon --test --start --exec rm",
                "start-stop-daemon --test --start --exec rm",
            ),
        ]);
    }
}
