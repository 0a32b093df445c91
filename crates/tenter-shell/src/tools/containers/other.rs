//! Registries, lower layers and machines: tools that have fewer words than docker.

use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::options::{Spec, parse};
use crate::tools::table::{Cli, judge, on};
use crate::value::Field;

pub(super) const OTHER: Cli = Cli {
    spec: Spec::new(
        "n:r:",
        "namespace= address= runtime-endpoint= image-endpoint= timeout= project= \
         profile=",
    ),
    kind: Kind::Container,
    harmless: &["dry-run"],
    force: &["f", "force"],
    recursive: &["a", "all"],
    rules: "",
}
.lines(
    "\
undefine|destroy|unregistervm: remove-machine *
closemedium: remove-volume *
shutdown|suspend: stop *
purge: reset
vol-delete|pool-delete|snapshot-delete: remove-volume *
net-destroy|net-undefine: remove-network *
delete: remove-machine *
rm: remove-container *
rmi: remove-image *
rmp: remove-pod *
stop: stop *
stopp: stop *
kill: kill *
copy|push|cp: publish/push-image *
pull: receive/pull-image *
c|container|containers rm|delete|del|remove: remove-container *
i|image|images rm|delete|del|remove: remove-image *
t|task|tasks rm|delete|del|remove|kill: kill *
namespace|ns rm|remove|delete: reset *
storage delete: remove-volume *
storage volume delete: remove-volume *
network delete: remove-network *
project delete: reset *
profile delete: remove-context *
snapshot delete: remove-volume *
factory-reset: reset +r
i|image|images push: publish/push-image *
i|image|images pull: receive/pull-image *
image|images prune: prune",
);

/// The engine itself: who may command it.
pub(super) fn daemon(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("H:l:D:g:", "host= log-level= data-root= config-file="));
    for address in options.values(&["H", "host"]) {
        if address.prefix().starts_with("tcp:") {
            on(call, Kind::Container, Act::ExposeEngine, address, false).flags(false, false);
        }
    }
}

/// `qm guest exec 100 -- ls`, `ctr task exec --exec-id x web ls`
fn inside(call: &mut Call<'_, '_>) -> bool {
    let rest = call.arguments();
    let Some(at) = rest.iter().take(4).position(|field| field.is("exec")) else { return false };
    let after = rest.get(at.saturating_add(1)..).unwrap_or_default();
    let options = parse(after, &Spec::first("t", "exec-id= cwd= user= fifo-dir= timeout="));
    let command = after.get(options.consumed.saturating_add(1)..).unwrap_or_default();
    let command = match command {
        [first, rest @ ..] if first.is("--") => rest,
        all => all,
    };
    call.stdout = call.run_elsewhere(command, None);
    true
}

pub(super) fn program(call: &mut Call<'_, '_>) {
    if matches!(call.name, "lxc" | "incus" | "crictl") {
        let rest = call.arguments();
        let options = parse(rest, &Spec::first("", "project= runtime-endpoint= timeout="));
        if options.operand(0) == Some("exec") {
            let after = rest.get(options.consumed + 1..).unwrap_or_default();
            return exec_in(call, after);
        }
    }
    if matches!(call.name, "ctr" | "pct" | "qm") && inside(call) {
        return;
    }
    let rest = call.arguments();
    // `skopeo delete` and `crane delete` remove from a registry.
    if call.name == "skopeo" {
        let options = parse(rest, &Spec::new("f:", "src-creds= dest-creds= authfile= format="));
        if matches!(options.operand(0), Some("copy" | "sync")) {
            // The last one is where it goes; only some places are registries.
            let to = options.operands.last().filter(|to| to.prefix().starts_with("docker://"));
            if let Some(to) = to {
                on(call, Kind::Publish, Act::PushImage, to, false).flags(false, false);
            }
            return;
        }
    }
    if matches!(call.name, "skopeo" | "crane") {
        let options = parse(rest, &OTHER.spec);
        if options.operand(0) == Some("delete") {
            for image in options.operands.iter().skip(1) {
                on(call, Kind::Publish, Act::DeleteImage, image, false).flags(false, false);
            }
            return;
        }
    }
    judge(call, rest, &OTHER);
}

/// `lxc exec name -- command`.
fn exec_in(call: &mut Call<'_, '_>, rest: &[Field]) {
    let command = match rest.iter().position(|field| field.is("--")) {
        Some(at) => rest.get(at + 1..),
        None => {
            let options = parse(rest, &Spec::first("", "cwd= env= user= group= timeout="));
            rest.get(options.consumed + 1..)
        }
    };
    call.stdout = call.run_elsewhere(command.unwrap_or_default(), None);
}
