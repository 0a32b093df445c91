//! This program itself: what its commands write, send and run.
//!
//! Actions: `own-output` (a command of ours writes a file that an option names), `own-fix` (hook
//! files are repaired), `own-key` (a key is made), `own-export` (the record is sent to a collector).
//! Which commands an agent may not run at all is for a policy.

use super::files::{only_shows, put};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::{Spec, parse};
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[("tenter", tenter)];

/// Options of all commands that take a value, so that no value is taken for an option.
const SPEC: Spec = Spec::new(
    "o:n:",
    "output= write-baseline= junit= new-key= sign= check= otlp= header= format= since= until= \
     host= hosts= session= scope= events= matcher= binary= preset= cwd= root= policy= payload= \
     baseline= fail-on= older-than= real= client= shell= count= by= rule= path= command= tool= \
     decision= event= timeout= on-failure= deny-exit= max-bytes= cursor-ask= claude-ask= \
     codex-ask= read= write= fetch= mcp= prompt= set= project= home= enterprise= team= plugin= \
     layer= cursor-version= generation= run-mode= merge= user-email= max-new-blocks= examples= \
     import=? fix dry-run json help version",
);

const OUTPUTS: &[&str] = &["o", "output", "write-baseline", "junit"];

fn tenter(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let verb = arguments.first().and_then(Field::exact).unwrap_or_default();
    // Behind these stands a program, or text that is only looked at.
    if matches!(verb, "run" | "mcp") {
        let at = arguments.iter().position(|field| field.is("--"));
        let argv = at.and_then(|at| arguments.get(at.saturating_add(1)..)).unwrap_or_default();
        call.stdout = call.run(argv);
        return;
    }
    if matches!(verb, "check" | "explain" | "help" | "hook") {
        return;
    }
    let options = parse(arguments, &SPEC);
    if only_shows(&options) || options.has(&["h"]) {
        return;
    }
    for file in options.values(OUTPUTS) {
        put(call, Kind::Overwrite, Act::OwnOutput, file, Stream::default());
    }
    for key in options.values(&["new-key"]) {
        for ending in ["", ".pub"] {
            let mut file = key.clone();
            file.push_text(ending, None);
            put(call, Kind::Write, Act::OwnKey, &file, Stream::default());
        }
    }
    if options.has(&["sign"])
        && let Some(file) = options.operands.get(1)
    {
        let mut signature = (*file).clone();
        signature.push_text(".sig", None);
        put(call, Kind::Overwrite, Act::OwnOutput, &signature, Stream::default());
    }
    if verb == "lint" && options.has(&["fix"]) {
        for file in options.operands.iter().skip(1) {
            put(call, Kind::Overwrite, Act::OwnFix, file, Stream::default());
        }
    }
    for receiver in options.values(&["otlp"]) {
        call.send(Act::OwnExport, receiver, crate::flow::Flow::default());
    }
}

#[cfg(test)]
mod tests {
    use crate::run::testing::check;

    #[test]
    fn what_our_commands_write_is_an_effect() {
        check(&[
            (&["tenter", "export", "-o", "x"], &["overwrite own-output /shop/x certain"]),
            (
                &["/opt/bin/tenter", "export", "--format", "csv", "--output=/a/b"],
                &["overwrite own-output /a/b certain"],
            ),
            (
                &["tenter", "scan", ".", "--write-baseline", "b.json"],
                &["overwrite own-output /shop/b.json certain"],
            ),
            (&["tenter", "test", "--junit=r.xml"], &["overwrite own-output /shop/r.xml certain"]),
            (
                &["tenter", "verify", "--new-key", "k"],
                &["write own-key /shop/k certain", "write own-key /shop/k.pub certain"],
            ),
            (
                &["tenter", "verify", "--sign", "k", "e.jsonl"],
                &["overwrite own-output /shop/e.jsonl.sig certain"],
            ),
            (&["tenter", "lint", "--fix", "h.json"], &["overwrite own-fix /shop/h.json certain"]),
            (
                &["tenter", "run", "--timeout", "5s", "--", "rm", "x"],
                &["delete remove /shop/x certain"],
            ),
            (&["tenter", "export", "--otlp", "https://h"], &["send own-export https://h certain"]),
            (&["tenter", "check", "--write", "x"], &[]),
            (&["tenter", "log", "-n", "5"], &[]),
            (&["tenter", "export", "--help", "-o", "x"], &[]),
        ]);
    }
}
