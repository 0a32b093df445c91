//! Queues: commands that run later.
//!
//! Actions: `at` (schedule: code is set to run at a time; the target is the time), `queue`
//! (schedule: a command is put in a queue), `remove-job` (schedule: a job is taken out again).

use super::common::{SH, helps, joined, rest, run, run_in};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::Spec;
use crate::target::Target;

pub(super) const PROGRAMS: Programs =
    &[("at", at), ("batch", at), ("atrm", atrm), ("nq", nq), ("tsp", spooler), ("pueue", pueue)];

fn at(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("f:q:t:c:r:d:", ""));
    if options.has(&["l", "V", "c"]) {
        return;
    }
    if options.has(&["r", "d"]) {
        call.effect(Kind::Schedule, Act::RemoveJob, Target::None);
        return;
    }
    let time = match options.value(&["t"]) {
        Some(time) => time.shown(),
        None => joined(&options.operands.iter().map(|field| (*field).clone()).collect::<Vec<_>>())
            .shown(),
    };
    call.effect(Kind::Schedule, Act::At, Target::Name(time));
    match options.value(&["f"]) {
        Some(file) => {
            let path = call.machine.path(file);
            if let Some(code) = call.machine.code_of(&path, crate::world::Use::Script, file.span) {
                call.stdout = call.run_stream(SH, &code, file.span);
            } else if file.is("/dev/stdin") || file.is("-") {
                super::common::run_stdin(call, SH, call.span);
            }
        }
        None => super::common::run_stdin(call, SH, call.span),
    }
}

fn atrm(call: &mut Call<'_, '_>) {
    for job in call.arguments() {
        call.effect_at(Kind::Schedule, Act::RemoveJob, Call::named(job), job.span);
    }
}

fn nq(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("", ""));
    let argv = rest(call, &options, 0);
    if !options.has(&["t", "w"]) && !argv.is_empty() {
        call.effect(Kind::Schedule, Act::Queue, Target::None);
        run(call, argv);
    }
}

/// Task spooler.
fn spooler(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("D:W:L:N:O:S:U:o::i::s::t::c::p::r::w::k::u::", ""));
    let argv = rest(call, &options, 0);
    let about =
        ["K", "C", "l", "h", "V", "S", "t", "c", "p", "o", "i", "s", "r", "w", "k", "u", "U"];
    if !argv.is_empty() && !options.has(&about) {
        call.effect(Kind::Schedule, Act::Queue, Target::None);
        run(call, argv);
    }
}

/// `pueue add -- CODE`
fn pueue(call: &mut Call<'_, '_>) {
    let spec = Spec::first(
        "w:d:g:a:o:l:c:p:",
        "working-directory= delay= group= after= priority= label= config= profile=",
    );
    let options = call.options(&spec);
    if options.operand(0) != Some("add") {
        return;
    }
    let after = crate::options::parse(rest(call, &options, 1), &spec);
    let words = rest(call, &options, after.consumed.saturating_add(1));
    if words.is_empty() || helps(&after) {
        return;
    }
    call.effect(Kind::Schedule, Act::Queue, Target::None);
    if after.has(&["e", "escape"]) {
        run_in(call, after.value(&["w", "working-directory"]), words);
    } else {
        call.stdout = call.run_code(SH, &joined(words));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_with};
    use crate::flow::{Source, Stream};

    #[test]
    fn at_runs_what_it_reads() {
        check_with(
            &Stream::known("rm x\n"),
            &[
                ("at now + 1 minute", "at>rm x + schedule at now + 1 minute"),
                ("at -q b -t 2401010000", "at>rm x + schedule at 2401010000"),
                ("batch", "batch>rm x + schedule at"),
                ("at -l", "at -l"),
            ],
        );
        check_with(
            &Stream::from(Source::Network("h".into())),
            &[("at midnight", "at midnight + schedule at midnight + execute network-code")],
        );
        check(&[
            ("at -f job.sh noon", "at -f job.sh noon + schedule at noon"),
            ("atrm 3", "atrm 3 + schedule remove-job 3"),
            ("at -r 3", "at -r 3 + schedule remove-job"),
        ]);
    }

    #[test]
    fn queues_run_what_they_get() {
        check(&[
            ("nq rm x", "nq>rm x + schedule queue"),
            ("nq -w", "nq -w"),
            ("tsp -L name rm x", "tsp>rm x + schedule queue"),
            ("tsp -C", "tsp -C"),
            ("pueue add -- 'rm x; id'", "pueue>rm x | pueue>id + schedule queue"),
            ("pueue add -g a rm x", "pueue>rm x + schedule queue"),
            ("pueue status", "pueue status"),
        ]);
    }
}
