//! Wrappers that run code again and again, under a lock or with a log.
//!
//! Actions: `log` (overwrite or append: a log of the run is written).

use super::common::{BASH, SH, helps, joined, rest, run, run_words};
use super::limits::{log, numbers};
use crate::call::{Call, Programs};
use crate::flow::Stream;
use crate::options::{Order, Spec};
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("mispipe", mispipe),
    ("concurrently", concurrently),
    ("watch", watch),
    ("viddy", watch),
    ("watchexec", watchexec),
    ("entr", entr),
    ("nodemon", nodemon),
    ("flock", flock),
    ("script", script),
];

/// `mispipe CODE CODE`
fn mispipe(call: &mut Call<'_, '_>) {
    for code in call.arguments() {
        call.stdout = call.run_code(SH, code);
    }
}

/// `concurrently CODE CODE`
fn concurrently(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "n:c:p:s:m:l:t:",
        "names= prefix-colors= prefix= success= max-processes= prefix-length= hide= \
         timestamp-format= restart-tries= restart-after= default-input-target= \
         name-separator= kill-signal= kill-timeout=",
    ));
    if helps(&options) {
        return;
    }
    // `npm:dev:*` names scripts of the project.
    let script = |code: &&&Field| {
        ["npm:", "pnpm:", "yarn:", "bun:", "node:", "deno:"]
            .iter()
            .any(|manager| code.prefix().starts_with(manager))
    };
    for code in options.operands.iter().filter(|code| !script(code)) {
        call.stdout = call.run_code(SH, code);
    }
}

fn watch(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first(
        "n:q:s:",
        "interval= equexit= differences=? shotsdir= exec beep color no-color errexit \
         follow chgexit precise no-title no-wrap no-rerun",
    ));
    if helps(&options) {
        return;
    }
    let argv = rest(call, &options, 0);
    if options.has(&["x", "exec"]) {
        run(call, argv);
    } else if !argv.is_empty() {
        call.stdout = call.run_code(SH, &joined(argv));
        run_words(call, argv);
    }
}

fn watchexec(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first(
        "w:W:F:e:f:j:i:d:s:o:E:S:k:",
        "watch= watch-non-recursive= watch-file= exts= filter= filter-file= filter-prog= \
         ignore= ignore-file= debounce= signal= stop-signal= stop-timeout= map-signal= \
         on-busy-update= delay-run= shell= workdir= env= emit-events-to= project-origin= \
         wrap-process= fs-events= color= restart clear=? postpone no-vcs-ignore notify=?",
    ));
    if helps(&options) {
        return;
    }
    let argv = rest(call, &options, 0);
    let direct =
        options.has(&["n"]) || options.value(&["shell"]).is_some_and(|shell| shell.is("none"));
    if direct {
        run(call, argv);
    } else if !argv.is_empty() {
        call.stdout = call.run_code(BASH, &joined(argv));
    }
}

/// Standard input is a list of files to watch, and goes to nobody.
fn entr(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("", ""));
    let argv = rest(call, &options, 0);
    call.stdin = Stream::default();
    match argv.first() {
        Some(code) if options.has(&["s"]) => call.stdout = call.run_code(BASH, code),
        _ => run(call, argv),
    }
}

fn nodemon(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "x:e:w:i:d:C:",
        "exec= ext= watch= ignore= delay= config= cwd= signal= spawn",
    ));
    if let Some(code) = options.value(&["x", "exec"]) {
        call.stdout = call.run_code(SH, code);
    }
}

/// `flock FILE COMMAND`, `flock FILE -c CODE`, `flock DESCRIPTOR`
fn flock(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first(
        "w:E:",
        "timeout= wait= conflict-exit-code= shared exclusive unlock nonblock close \
         no-fork",
    ));
    let argv = rest(call, &options, 1);
    match argv {
        [flag, code, ..] if flag.is("-c") || flag.is("--command") => {
            call.stdout = call.run_code(SH, code);
        }
        _ => run(call, argv),
    }
}

/// `script -c CODE [FILE]` on Linux, `script [FILE [COMMAND]]` on BSD and macOS.
fn script(call: &mut Call<'_, '_>) {
    let spec = Spec::new(
        "c:I:O:B:T:m:o:E:t::",
        "command= log-in= log-out= log-io= log-timing= logging-format= output-limit= \
         echo= timing=? append flush quiet return force",
    );
    let options = call.options(&spec);
    let append = options.has(&["a", "append"]);
    for file in options.values(&["I", "O", "B", "log-in", "log-out", "log-io"]) {
        log(call, file, append);
    }
    if let Some(code) = options.value(&["c", "command"]) {
        if let Some(file) = options.operands.first() {
            log(call, file, append);
        }
        call.stdout = call.run_code(BASH, code);
        return;
    }
    let options = call.options(&Spec { order: Order::First, ..spec });
    // On BSD the interval is a word of its own.
    let skip = if options.has(&["t"]) { numbers(&options) } else { 0 };
    let words = rest(call, &options, skip);
    let Some((file, mut argv)) = words.split_first() else {
        return;
    };
    if argv.first().is_some_and(|first| first.is("--")) {
        argv = argv.get(1..).unwrap_or_default();
    }
    log(call, file, append);
    run(call, argv);
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    #[test]
    fn watchers_run_words_or_code() {
        check(&[
            ("watch rm x", "watch>rm x"),
            ("watch -n 1 -d 'rm x; id'", "watch>rm x | watch>id"),
            ("watch -n1 -x rm 'x;id'", "watch>rm x;id"),
            ("watch --interval=1 rm x", "watch>rm x"),
            ("watch sh -c 'rm x'", "watch>sh>rm | watch>sh>rm x"),
            ("watchexec -e rs -w src -- rm x", "watchexec>rm x"),
            ("watchexec --exts rs 'rm x; id'", "watchexec>rm x | watchexec>id"),
            ("watchexec -n rm 'x;id'", "watchexec>rm x;id"),
            ("entr -r rm x", "entr>rm x"),
            ("entr -s 'rm x; id'", "entr>rm x | entr>id"),
            ("nodemon --exec 'rm x' app.js", "nodemon>rm x"),
            ("nodemon app.js", "nodemon app.js"),
            ("concurrently -n a,b 'rm x' id", "concurrently>rm x | concurrently>id"),
        ]);
    }
}
