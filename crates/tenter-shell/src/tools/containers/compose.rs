//! Projects of several containers: `docker compose` and `docker-compose`.

use super::{build, copy, exec};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::{Source, Stream};
use crate::options::{Spec, parse};
use crate::target::Target;
use crate::tools::table::{Cli, is_harmless, judge};
use crate::value::Field;

pub(super) fn program(call: &mut Call<'_, '_>) {
    let rest = call.arguments();
    compose(call, rest);
}

const COMPOSE_GLOBALS: Spec = Spec::first(
    "f:p:H:c:",
    "file= project-name= profile= env-file= project-directory= parallel= ansi= progress= \
     context= host= log-level= tlscacert= tlscert= tlskey=",
);

pub(super) const COMPOSE: Cli = Cli {
    spec: Spec::new("t:s:", "timeout= signal= rmi= scale= index= volumes pull="),
    kind: Kind::Container,
    harmless: &["dry-run"],
    force: &["f", "force"],
    recursive: &[],
    rules: "",
}
.lines(
    "\
rm: remove-container *
stop: stop *
kill: kill *
restart: restart *
pause: pause *
up|start: start *
push: publish/push-image *
pull: receive/pull-image *
scale: scale *
publish: publish/push-image *",
);

pub(super) fn compose(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let globals = parse(arguments, &COMPOSE_GLOBALS);
    if globals.has(&["dry-run"]) {
        return;
    }
    let rest = arguments.get(globals.consumed..).unwrap_or_default();
    let after = rest.get(1..).unwrap_or_default();
    match rest.first().and_then(Field::exact).unwrap_or_default() {
        "run" | "exec" => exec(call, after),
        "cp" => copy(call, after),
        "build" => build(call, after),
        "down" => compose_down(call, after),
        // All variables are filled in, unless only names are asked for.
        "config" => {
            let names = parse(after, &Spec::new("", "services volumes images profiles hash="));
            if !names.has(&["services", "volumes", "images", "profiles", "hash", "q", "quiet"]) {
                call.stdout = Stream::from(Source::Environment);
            }
        }
        // Here `-s` stops them first; elsewhere it is a signal.
        "rm" => {
            judge(call, rest, &Cli { spec: Spec::new("", ""), ..COMPOSE });
            let options = parse(after, &Spec::new("", ""));
            if let Some(found) = options.find(&["v"]) {
                let span = found.span;
                call.effect_at(Kind::Container, Act::RemoveVolume, Target::None, span).recursive =
                    true;
            }
        }
        _ => {
            judge(call, rest, &COMPOSE);
        }
    }
}

fn compose_down(call: &mut Call<'_, '_>, rest: &[Field]) {
    let options = parse(rest, &COMPOSE.spec);
    if is_harmless(&options, &["dry-run"]) {
        return;
    }
    call.effect(Kind::Container, Act::ComposeDown, Target::None);
    if let Some(found) = options.find(&["v", "volumes"])
        && !found.value.as_ref().is_some_and(|value| value.is("false"))
    {
        call.effect_at(Kind::Container, Act::RemoveVolume, Target::None, found.span).recursive =
            true;
    }
    if let Some(found) = options.find(&["rmi"]) {
        call.effect_at(Kind::Container, Act::RemoveImage, Target::None, found.span).recursive =
            true;
    }
}
