//! Chroots, namespaces, sandboxes.
//!
//! Actions: `leave-container` (privilege: the namespaces of another process are entered), `run-as`
//! (privilege: another user's rights are used).

use super::common::{BASH, helps, rest, run, run_elsewhere, run_in, run_rest, run_stdin};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::{Spec, parse};
use crate::target::Target;
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("machinectl", machinectl),
    ("chroot", chroot),
    ("systemd-nspawn", nspawn),
    ("unshare", unshare),
    ("nsenter", nsenter),
    ("fakeroot", fakeroot),
    ("firejail", firejail),
    ("bwrap", bwrap),
    ("proot", proot),
];

fn machinectl(call: &mut Call<'_, '_>) {
    let spec = Spec::first(
        "E:M:H:p:n:o:",
        "uid= setenv= machine= host= property= lines= output= kill-whom= signal=",
    );
    let options = call.options(&spec);
    if options.operand(0) != Some("shell") {
        return;
    }
    let after = parse(rest(call, &options, 1), &spec);
    let Some((machine, argv)) = after.operands.split_first() else {
        return;
    };
    let argv: Vec<Field> = argv.iter().map(|field| (*field).clone()).collect();
    let (user, host) = machine.prefix().split_once('@').unwrap_or(("root", machine.prefix()));
    let target = Target::name(if user.is_empty() { "root" } else { user });
    call.effect_at(Kind::Privilege, Act::RunAs, target, machine.span);
    if host == ".host" { run(call, &argv) } else { run_elsewhere(call, &argv) }
}

fn chroot(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("u:g:G:n", "groups= userspec= skip-chdir"));
    let Some(root) = options.operands.first() else {
        return;
    };
    let argv = rest(call, &options, 1);
    if argv.is_empty() {
        return run_stdin(call, BASH, call.span);
    }
    if root.is("/") {
        return run_in(call, Some(root), argv);
    }
    let outside = call.machine.path(root).shown().into_owned();
    call.machine.mounts = vec![("/".to_owned(), outside)];
    call.stdout = call.run_elsewhere(argv, Some("/"));
}

fn nspawn(call: &mut Call<'_, '_>) {
    let spec = Spec::first(
        "D:M:u:i:E:S:p:x:j:",
        "directory= machine= user= image= setenv= slice= property= bind= bind-ro= tmpfs= \
         chdir= template= capability= port= overlay= private-users=? network-interface= \
         network-bridge= console= settings=",
    );
    let options = call.options(&spec);
    let argv = rest(call, &options, 0);
    run_elsewhere(call, argv);
}

fn unshare(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first(
        "R:w:S:G:l:",
        "mount=? uts=? ipc=? net=? pid=? user=? cgroup=? time=? fork map-user= \
         map-group= map-users= map-groups= map-root-user map-current-user map-auto \
         mount-proc=? mount-binfmt=? load-interp= propagation= setgroups= kill-child=? \
         keep-caps root= wd= setuid= setgid= monotonic= boottime=",
    ));
    let argv = rest(call, &options, 0);
    if helps(&options) {
    } else if argv.is_empty() {
        run_stdin(call, BASH, call.span);
    } else if options.has(&["R", "root"]) {
        run_elsewhere(call, argv);
    } else {
        run_in(call, options.value(&["w", "wd"]), argv);
    }
}

fn nsenter(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first(
        "t:S:G:N:W:r::w::m::u::i::n::p::C::U::T::",
        "all target= mount=? uts=? ipc=? net=? net-socket= pid=? user=? user-parent \
         cgroup=? time=? setuid= setgid= preserve-credentials keep-caps root=? wd=? \
         wdns= env no-fork join-cgroup follow-context",
    ));
    if helps(&options) {
        return;
    }
    if let Some(target) = options.value(&["t", "target"]) {
        call.effect_at(
            Kind::Privilege,
            Act::LeaveContainer,
            Target::Name(target.shown()),
            target.span,
        );
    }
    let argv = rest(call, &options, 0);
    if argv.is_empty() {
        run_stdin(call, BASH, call.span);
    }
    run_elsewhere(call, argv);
}

fn fakeroot(call: &mut Call<'_, '_>) {
    run_rest(call, &Spec::first("l:s:i:b:f:", "lib= faked= fd-base= unknown-is-real"), 0);
}

/// All options of firejail have their values attached.
fn firejail(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("", ""));
    let about = ["list", "tree", "top", "shutdown", "join", "ls", "get", "put", "cat"];
    if !helps(&options) && !options.has(&about) {
        let argv = rest(call, &options, 0);
        run(call, argv);
    }
}

/// How many values an option of bwrap takes.
fn bwrap_values(option: &str) -> usize {
    match option {
        "--overlay" => 3,
        "--bind" | "--bind-try" | "--dev-bind" | "--dev-bind-try" | "--ro-bind"
        | "--ro-bind-try" | "--bind-fd" | "--ro-bind-fd" | "--setenv" | "--symlink" | "--file"
        | "--bind-data" | "--ro-bind-data" | "--chmod" => 2,
        "--unshare-all"
        | "--share-net"
        | "--unshare-user"
        | "--unshare-user-try"
        | "--unshare-ipc"
        | "--unshare-pid"
        | "--unshare-net"
        | "--unshare-uts"
        | "--unshare-cgroup"
        | "--unshare-cgroup-try"
        | "--disable-userns"
        | "--assert-userns-disabled"
        | "--clearenv"
        | "--new-session"
        | "--die-with-parent"
        | "--as-pid-1"
        | "--help"
        | "--version" => 0,
        _ => 1,
    }
}

fn bwrap(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let mut at = 0_usize;
    let mut directory = None;
    while let Some(field) = arguments.get(at) {
        let option = field.prefix();
        if !option.starts_with("--") {
            break;
        }
        at = at.saturating_add(1);
        if option == "--" {
            break;
        }
        if option == "--chdir" {
            directory = arguments.get(at);
        }
        at = at.saturating_add(bwrap_values(option));
    }
    run_in(call, directory, arguments.get(at..).unwrap_or_default());
}

fn proot(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first(
        "r:b:m:q:w:v:k:i:R:S:",
        "rootfs= bind= mount= qemu= pwd= cwd= kernel-release= change-id= verbose=",
    ));
    let argv = rest(call, &options, 0);
    if options.has(&["r", "R", "S", "rootfs"]) {
        run_elsewhere(call, argv);
    } else {
        run_in(call, options.value(&["w", "pwd", "cwd"]), argv);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    #[test]
    fn other_roots_and_namespaces_are_entered() {
        check(&[
            ("chroot /mnt rm x", "chroot>rm x @/"),
            ("chroot --userspec=a:b /mnt rm x", "chroot>rm x @/"),
            ("chroot / rm x", "chroot>rm x @/"),
            ("unshare -rm rm x", "unshare>rm x"),
            ("unshare --mount=f --map-user 0 -f rm x", "unshare>rm x"),
            ("nsenter -t 1 -m -u rm x", "nsenter>rm x @? + privilege leave-container 1"),
            ("nsenter --target 1 -a -- rm x", "nsenter>rm x @? + privilege leave-container 1"),
            (
                "machinectl shell bob@box /bin/rm x",
                "machinectl>/bin/rm x @? + privilege run-as bob",
            ),
            ("machinectl list", "machinectl list"),
            ("fakeroot -- rm x", "fakeroot>rm x"),
            ("firejail --net=none rm x", "firejail>rm x"),
            ("bwrap --ro-bind / / --dev /dev --unshare-all --chdir /tmp rm x", "bwrap>rm x @/tmp"),
            ("bwrap --bind a b -- rm x", "bwrap>rm x"),
            ("proot -b a:b rm x", "proot>rm x"),
        ]);
    }
}
