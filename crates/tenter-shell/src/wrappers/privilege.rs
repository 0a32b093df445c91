//! Programs that run others as another user.
//!
//! Actions: `run-as` (privilege: another user's rights are used; the target is the user), `edit`
//! (write: a file is edited with those rights).

use super::common::{
    BASH, after_dashes, helps, rest, run, run_as, run_elsewhere, run_in, run_rest, run_stdin, set,
    variable,
};
use super::shells;
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::{Options, Spec, parse};
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("sudo", sudo),
    ("sudo-rs", sudo),
    ("dzdo", sudo),
    ("sudoedit", sudoedit),
    ("doas", doas),
    ("su", su),
    ("runuser", runuser),
    ("pkexec", pkexec),
    ("run0", run0),
    ("gosu", as_user),
    ("su-exec", as_user),
    ("setuidgid", as_user),
    ("s6-setuidgid", as_user),
    ("gsudo", plain_root),
    ("setpriv", setpriv),
    ("capsh", capsh),
    ("sg", sg),
    ("newgrp", newgrp),
];

const SUDO: Spec = Spec::first(
    "a:C:c:D:g:h:p:R:r:T:t:U:u:",
    "askpass auth-type= background bell close-from= login-class= chdir= preserve-env=? \
     edit group= set-home help host= login remove-timestamp reset-timestamp list \
     no-update non-interactive preserve-groups prompt= chroot= role= stdin shell type= \
     command-timeout= other-user= user= version validate",
);

fn sudo(call: &mut Call<'_, '_>) {
    let outer = call.machine.assignments.len();
    sudo_command(call);
    call.machine.assignments.truncate(outer);
}

/// Options and assignments may stand in any order before the command.
fn sudo_command(call: &mut Call<'_, '_>) {
    let mut arguments = call.arguments();
    let mut options = Options::default();
    loop {
        let more = parse(arguments, &SUDO);
        options.found.extend(more.found);
        arguments = arguments.get(more.consumed..).unwrap_or_default();
        let Some((name, value)) = arguments.first().and_then(variable) else {
            break;
        };
        set(call, name, value);
        arguments = arguments.get(1..).unwrap_or_default();
    }
    let about = ["l", "list", "v", "validate", "K", "remove-timestamp", "V"];
    if helps(&options) || options.has(&about) {
        return;
    }
    let user = options.value(&["u", "user"]);
    if options.has(&["e", "edit"]) {
        return edit(call, user, arguments);
    }
    if arguments.is_empty() {
        if options.has(&["s", "shell", "i", "login"]) {
            run_as(call, user);
            run_stdin(call, BASH, call.span);
        }
        return;
    }
    run_as(call, user);
    if options.has(&["R", "chroot"]) {
        run_elsewhere(call, arguments);
    } else {
        run_in(call, options.value(&["D", "chdir"]), arguments);
    }
}

fn sudoedit(call: &mut Call<'_, '_>) {
    let options = call.options(&SUDO);
    let files = rest(call, &options, 0);
    edit(call, options.value(&["u", "user"]), files);
}

fn edit(call: &mut Call<'_, '_>, user: Option<&Field>, files: &[Field]) {
    if files.is_empty() {
        return;
    }
    run_as(call, user);
    for file in files {
        call.on_path(Kind::Write, Act::Edit, file);
    }
}

fn doas(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("C:u:a:", ""));
    // With a configuration it only says what would be allowed.
    if options.has(&["C", "L"]) {
        return;
    }
    let argv = rest(call, &options, 0);
    if !argv.is_empty() || options.has(&["s"]) {
        run_as(call, options.value(&["u"]));
    }
    if argv.is_empty() && options.has(&["s"]) {
        run_stdin(call, BASH, call.span);
    }
    run(call, argv);
}

const SU: Spec = Spec::new(
    "c:g:G:s:u:w:C:",
    "command= session-command= fast group= supp-group= login preserve-environment pty \
     no-pty shell= user= whitelist-environment= help version",
);

fn su(call: &mut Call<'_, '_>) {
    let options = call.options(&SU);
    if helps(&options) {
        return;
    }
    let mut operands = options.operands.iter().copied().filter(|field| !field.is("-"));
    let user = operands.next();
    let arguments: Vec<Field> = operands.cloned().collect();
    run_as(call, user);
    let shell = options.value(&["s", "shell"]).map(Field::shown);
    let name = shell.as_deref().and_then(|path| path.rsplit('/').next()).unwrap_or("bash");
    let language = shells::language_of(name).unwrap_or(BASH);
    match options.value(&["c", "command", "session-command"]) {
        Some(code) => shells::run_command(call, language, code, &arguments),
        None => shells::run_arguments(call, language, &arguments),
    }
}

fn runuser(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec { order: crate::options::Order::First, ..SU });
    let Some(user) = options.value(&["u", "user"]) else {
        return su(call);
    };
    run_as(call, Some(user));
    let argv = rest(call, &options, 0);
    run(call, argv);
}

fn pkexec(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("u:", "user= disable-internal-agent keep-cwd"));
    let argv = rest(call, &options, 0);
    if !argv.is_empty() && !helps(&options) {
        run_as(call, options.value(&["u", "user"]));
        run(call, argv);
    }
}

fn run0(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first(
        "u:g:D:M:",
        "unit= property= description= slice= slice-inherit user= group= nice= chdir= \
         setenv= background= machine= pty pipe shell-prompt-prefix=",
    ));
    if helps(&options) {
        return;
    }
    run_as(call, options.value(&["u", "user"]));
    let argv = rest(call, &options, 0);
    if argv.is_empty() {
        run_stdin(call, BASH, call.span);
    } else if options.has(&["M", "machine"]) {
        run_elsewhere(call, argv);
    } else {
        run_in(call, options.value(&["D", "chdir"]), argv);
    }
}

/// `gosu USER COMMAND`
fn as_user(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("", ""));
    let argv = rest(call, &options, 1);
    if let Some(user) = options.operands.first().filter(|_| !argv.is_empty()) {
        run_as(call, Some(user));
        run(call, argv);
    }
}

fn plain_root(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("u:i:", "user= integrity="));
    let argv = rest(call, &options, 0);
    if !argv.is_empty() && !helps(&options) {
        run_as(call, options.value(&["u", "user"]));
        run(call, argv);
    }
}

fn setpriv(call: &mut Call<'_, '_>) {
    let spec = Spec::first(
        "",
        "ambient-caps= apparmor-profile= bounding-set= clear-groups dump egid= euid= \
         groups= inh-caps= init-groups keep-groups landlock-access= landlock-rule= \
         list-caps no-new-privs pdeathsig= ptracer= regid= reset-env reuid= rgid= ruid= \
         seccomp-filter= securebits= selinux-label=",
    );
    run_rest(call, &spec, 0);
}

/// The arguments after `--` are for bash.
fn capsh(call: &mut Call<'_, '_>) {
    if let Some(arguments) = after_dashes(call.arguments()) {
        shells::run_arguments(call, BASH, arguments);
    }
}

/// `sg GROUP -c CODE`, `sg GROUP CODE`
fn sg(call: &mut Call<'_, '_>) {
    let words = call.arguments().iter().filter(|field| !field.is("-") && !field.is("-c"));
    if let Some(code) = words.clone().nth(1) {
        call.stdout = call.run_code(super::common::SH, code);
    }
}

fn newgrp(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("c:", "command="));
    match options.value(&["c", "command"]) {
        Some(code) => call.stdout = call.run_code(super::common::SH, code),
        None => run_stdin(call, BASH, call.span),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_with};
    use crate::flow::{Source, Stream};

    #[test]
    fn sudo_is_taken_off_with_its_options() {
        let root = " + privilege run-as root";
        for command in [
            "sudo rm x",
            "sudo -n rm x",
            "sudo -H -E rm x",
            "sudo -nu root rm x",
            "sudo --user=root rm x",
            "sudo -g wheel -p pass -C 3 -T 5 rm x",
            "sudo --preserve-env=A --group wheel -- rm x",
            "sudo A=1 -k B=2 rm x",
            "sudo -i rm x",
            "sudo -s rm x",
            "sudo -S -k rm x",
            "sudo --non-int rm x",
        ] {
            check(&[(command, &format!("sudo>rm x{root}"))]);
        }
        check(&[
            ("sudo -u bob rm x", "sudo>rm x + privilege run-as bob"),
            ("sudo -ubob rm x", "sudo>rm x + privilege run-as bob"),
            ("sudo -D /tmp rm x", "sudo>rm x @/tmp + privilege run-as root"),
            ("sudo -R /mnt rm x", "sudo>rm x @? + privilege run-as root"),
            ("sudo env A=1 bash -c 'rm x'", "sudo>env>bash>rm x + privilege run-as root"),
            (
                "sudo -e /etc/hosts",
                "sudo -e /etc/hosts + privilege run-as root + write edit /etc/hosts",
            ),
            (
                "sudoedit a b",
                "sudoedit a b + privilege run-as root + write edit /shop/a + write edit /shop/b",
            ),
        ]);
    }

    #[test]
    fn sudo_that_runs_nothing_has_no_effect() {
        for command in [
            "sudo -l",
            "sudo -v",
            "sudo -K",
            "sudo -k",
            "sudo --list rm x",
            "sudo --version",
            "sudo -V",
        ] {
            check(&[(command, command)]);
        }
        check(&[("sudo -i", "sudo -i + privilege run-as root")]);
        let network = Stream::from(Source::Network("h".into()));
        check_with(
            &network,
            &[("sudo -s", "sudo -s + privilege run-as root + execute network-code")],
        );
    }

    #[test]
    fn other_users_run_code_and_commands() {
        check(&[
            ("doas -u bob rm x", "doas>rm x + privilege run-as bob"),
            ("doas -n rm x", "doas>rm x + privilege run-as root"),
            ("doas -C /etc/doas.conf rm x", "doas -C /etc/doas.conf rm x"),
            ("su -c 'rm x'", "su>rm x + privilege run-as root"),
            ("su - bob -c 'rm x; id'", "su>rm x | su>id + privilege run-as bob"),
            ("su bob --command='rm x'", "su>rm x + privilege run-as bob"),
            ("su -s /bin/sh bob -c 'rm x'", "su>rm x + privilege run-as bob"),
            ("su -l bob", "su -l bob + privilege run-as bob"),
            ("su bob -- -c 'rm x'", "su>rm x + privilege run-as bob"),
            ("runuser -u bob -- rm x", "runuser>rm x + privilege run-as bob"),
            ("runuser -l bob -c 'rm x'", "runuser>rm x + privilege run-as bob"),
            ("pkexec --user bob rm x", "pkexec>rm x + privilege run-as bob"),
            ("pkexec rm x", "pkexec>rm x + privilege run-as root"),
            ("gosu bob:g rm x", "gosu>rm x + privilege run-as bob:g"),
            ("su-exec bob rm x", "su-exec>rm x + privilege run-as bob"),
            ("run0 -u bob rm x", "run0>rm x + privilege run-as bob"),
            ("setpriv --reuid=1000 --clear-groups rm x", "setpriv>rm x"),
            ("setpriv --reuid 1000 rm x", "setpriv>rm x"),
            ("capsh --drop=all -- -c 'rm x'", "capsh>rm x"),
            ("sg docker -c 'rm x'", "sg>rm x"),
            ("sg docker 'rm x'", "sg>rm x"),
        ]);
    }
}
