//! Managers of tool versions and secrets: they set up an environment and run a command in it.
//!
//! Actions: `secrets` (read: a file of secrets is decrypted into the environment),
//! `leave-container` (privilege: the command runs outside of the sandbox).

use super::common::{BASH, SH, after_dashes, helps, rest, run, run_elsewhere, run_in};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::{Spec, parse};
use crate::target::Target;

pub(super) const PROGRAMS: Programs = &[
    ("dotenv", dotenv),
    ("direnv", subcommand),
    ("op", subcommand),
    ("doppler", subcommand),
    ("infisical", subcommand),
    ("aws-vault", subcommand),
    ("saml2aws", subcommand),
    ("chamber", subcommand),
    ("teller", subcommand),
    ("berglas", subcommand),
    ("mise", subcommand),
    ("rtx", subcommand),
    ("asdf", subcommand),
    ("rbenv", subcommand),
    ("pyenv", subcommand),
    ("nodenv", subcommand),
    ("goenv", subcommand),
    ("jenv", subcommand),
    ("nvm", subcommand),
    ("fnm", subcommand),
    ("volta", subcommand),
    ("toolbox", subcommand),
    ("distrobox", subcommand),
    ("guix", subcommand),
    ("sops", sops),
    ("nix-shell", nix_shell),
    ("devbox", devbox),
    ("distrobox-enter", plain),
    ("envdir", plain),
    ("envchain", plain),
    ("summon", plain),
    ("with-contenv", plain),
    ("envuidgid", plain),
    ("s6-envdir", plain),
    ("flatpak-spawn", flatpak_spawn),
];

/// `dotenv -e FILE -- cmd` of Node, `dotenv -f FILE run -- cmd` of Python.
fn dotenv(call: &mut Call<'_, '_>) {
    let spec = Spec::first("e:f:p:v:q:", "file= quote= export= override");
    let options = call.options(&spec);
    let skip = usize::from(options.operand(0) == Some("run"));
    let after = parse(rest(call, &options, skip), &spec);
    let argv = rest(call, &options, skip.saturating_add(after.consumed));
    let about = matches!(options.operand(0), Some("get" | "set" | "unset" | "list"));
    if !about && !helps(&options) {
        run(call, argv);
    }
}

/// `18`, `v20.1`, `lts/iron`, `stable`: which Node it is.
fn is_version(word: &str) -> bool {
    word.trim_start_matches('v').starts_with(|first: char| first.is_ascii_digit())
        || word.starts_with("lts/")
        || matches!(word, "node" | "stable" | "unstable" | "default" | "system" | "iojs")
}

/// A program whose subcommand runs what follows.
struct Sub {
    program: &'static str,
    words: &'static [&'static str],
    short: &'static str,
    long: &'static str,
    /// Operands before the command, unless `--` shows where it starts.
    skip: usize,
    /// Looks for `--` first.
    dashes: bool,
    elsewhere: bool,
}

const NONE: Sub = Sub {
    program: "",
    words: &["exec"],
    short: "",
    long: "",
    skip: 0,
    dashes: false,
    elsewhere: false,
};

const SUBCOMMANDS: &[Sub] = &[
    Sub { program: "direnv", skip: 1, ..NONE },
    Sub {
        program: "op",
        words: &["run"],
        long: "env-file= account= config= session= environment=",
        dashes: true,
        ..NONE
    },
    Sub {
        program: "doppler",
        words: &["run"],
        short: "p:c:t:",
        long: "project= config= token= command= mount= mount-format= mount-template= \
             name-transformer= fallback= passphrase= scope= only-secrets=",
        dashes: true,
        ..NONE
    },
    Sub {
        program: "infisical",
        words: &["run"],
        short: "e:t:c:",
        long: "env= path= projectId= command= token= tags= domain=",
        dashes: true,
        ..NONE
    },
    Sub {
        program: "aws-vault",
        short: "d:t:",
        long: "duration= mfa-token= region= prompt= backend=",
        skip: 1,
        dashes: true,
        ..NONE
    },
    Sub {
        program: "saml2aws",
        short: "a:p:",
        long: "exec-profile= profile= idp-account=",
        dashes: true,
        ..NONE
    },
    Sub { program: "chamber", short: "b:r:", skip: 1, dashes: true, ..NONE },
    Sub { program: "teller", words: &["run"], short: "c:", dashes: true, ..NONE },
    Sub { program: "berglas", dashes: true, ..NONE },
    Sub {
        program: "mise",
        words: &["exec", "x"],
        short: "c:j:C:E:",
        long: "command= jobs= cd= env=",
        dashes: true,
        ..NONE
    },
    Sub {
        program: "rtx",
        words: &["exec", "x"],
        short: "c:j:C:",
        long: "command= jobs= cd=",
        dashes: true,
        ..NONE
    },
    Sub { program: "asdf", ..NONE },
    Sub { program: "rbenv", ..NONE },
    Sub { program: "pyenv", ..NONE },
    Sub { program: "nodenv", ..NONE },
    Sub { program: "goenv", ..NONE },
    Sub { program: "jenv", ..NONE },
    Sub { program: "nvm", skip: 1, ..NONE },
    Sub { program: "fnm", long: "using= fnm-dir= log-level=", ..NONE },
    Sub { program: "volta", words: &["run"], long: "node= npm= yarn= pnpm= env=", ..NONE },
    Sub {
        program: "toolbox",
        words: &["run"],
        short: "c:d:r:",
        long: "container= distro= release=",
        elsewhere: true,
        ..NONE
    },
    Sub {
        program: "distrobox",
        words: &["enter"],
        short: "n:a:",
        long: "name= additional-flags=",
        dashes: true,
        elsewhere: true,
        skip: 1,
    },
    Sub { program: "guix", words: &["shell", "environment"], dashes: true, skip: 99, ..NONE },
];

fn subcommand(call: &mut Call<'_, '_>) {
    let Some(sub) = SUBCOMMANDS.iter().find(|sub| sub.program == call.name) else {
        return;
    };
    let spec = Spec::first(sub.short, sub.long);
    let before = call.options(&spec);
    if !before.operand(0).is_some_and(|word| sub.words.contains(&word)) {
        return;
    }
    let arguments = rest(call, &before, 1);
    let options = parse(arguments, &spec);
    if helps(&options) {
        return;
    }
    // Elsewhere `-c` is something else.
    let short = matches!(sub.program, "mise" | "rtx");
    let names: &[&str] = if short { &["c", "command"] } else { &["command"] };
    if let Some(code) = options.value(names) {
        call.stdout = call.run_code(SH, code);
        return;
    }
    let found = if sub.dashes { after_dashes(arguments) } else { None };
    let argv = found.unwrap_or_else(|| {
        // A file may name the version instead.
        let named = sub.program != "nvm" || options.operand(0).is_none_or(is_version);
        let skip = if named { sub.skip } else { 0 };
        arguments.get(options.consumed.saturating_add(skip)..).unwrap_or_default()
    });
    if sub.elsewhere {
        run_elsewhere(call, argv);
    } else {
        run_in(call, before.value(&["C", "cd"]).or(options.value(&["C", "cd"])), argv);
    }
}

/// `sops exec-env FILE CODE`
fn sops(call: &mut Call<'_, '_>) {
    let spec = Spec::new("", "user= filename= background no-fifo pristine same-process");
    let options = call.options(&spec);
    if let (Some("exec-env" | "exec-file"), Some(file), Some(code)) =
        (options.operand(0), options.operands.get(1), options.operands.get(2))
    {
        call.on_path(Kind::Read, Act::Secrets, file);
        call.stdout = call.run_code(SH, code);
    }
}

fn nix_shell(call: &mut Call<'_, '_>) {
    let spec = Spec::new("A:I:E:i:j:", "run= command= attr= expr= keep= arg= argstr= option=");
    let options = call.options(&spec);
    if let Some(code) = options.value(&["run", "command"]) {
        call.stdout = call.run_code(BASH, code);
    }
}

/// `devbox run -- cmd args`, `devbox run 'code'`
fn devbox(call: &mut Call<'_, '_>) {
    let spec = Spec::first("c:e:", "config= env= env-file= environment=");
    let options = call.options(&spec);
    if options.operand(0) != Some("run") {
        return;
    }
    let after = parse(rest(call, &options, 1), &spec);
    let argv = rest(call, &options, after.consumed.saturating_add(1));
    if let [code] = argv {
        call.stdout = call.run_code(SH, code);
    } else {
        run(call, argv);
    }
}

fn plain(call: &mut Call<'_, '_>) {
    let (short, long, skip): (&'static str, &'static str, usize) = match call.name {
        "envdir" | "s6-envdir" | "envuidgid" | "envchain" => ("", "", 1),
        "summon" => ("D:e:f:p:", "environment= provider= yaml= up", 0),
        "distrobox-enter" => ("n:a:", "name= additional-flags=", 1),
        _ => ("", "", 0),
    };
    let options = call.options(&Spec::first(short, long));
    if call.name == "distrobox-enter" {
        let argv = after_dashes(call.arguments()).unwrap_or_default();
        return run_elsewhere(call, argv);
    }
    let about =
        helps(&options) || call.name == "envchain" && options.has(&["s", "set", "l", "list"]);
    if !about {
        let argv = rest(call, &options, skip);
        run(call, argv);
    }
}

/// Inside a sandbox: with `--host` the command runs outside of it.
fn flatpak_spawn(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("", "directory= env= forward-fd= unset-env="));
    if options.has(&["host"]) {
        call.effect(Kind::Privilege, Act::LeaveContainer, Target::None);
    }
    let argv = rest(call, &options, 0);
    run_in(call, options.value(&["directory"]), argv);
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    #[test]
    fn managers_of_versions_and_secrets_are_taken_off() {
        check(&[
            ("dotenv -e .env -- rm x", "dotenv>rm x"),
            ("dotenv -f .env run -- rm x", "dotenv>rm x"),
            ("dotenv list", "dotenv list"),
            ("direnv exec . rm x", "direnv>rm x"),
            ("direnv allow", "direnv allow"),
            ("op run --env-file .env -- rm x", "op>rm x"),
            ("op item list", "op item list"),
            ("doppler run --command='rm x'", "doppler>rm x"),
            ("doppler run -p a -c dev -- rm x", "doppler>rm x"),
            ("aws-vault exec -d 1h prod -- rm x", "aws-vault>rm x"),
            ("aws-vault exec prod rm x", "aws-vault>rm x"),
            ("mise x node@20 -- rm x", "mise>rm x"),
            ("mise exec -c 'rm x'", "mise>rm x"),
            ("mise -C sub exec -- rm x", "mise>rm x @/shop/sub"),
            ("mise install", "mise install"),
            ("rbenv exec rm x -- y", "rbenv>rm x -- y"),
            ("nvm exec 20 rm x", "nvm>rm x"),
            ("fnm exec --using 20 rm x", "fnm>rm x"),
            ("volta run --node 20 rm x", "volta>rm x"),
            ("distrobox enter box -- rm x", "distrobox>rm x @?"),
            ("nix-shell -p jq --run 'rm x'", "nix-shell>rm x"),
            ("devbox run 'rm x'", "devbox>rm x"),
            ("devbox run -- rm x", "devbox>rm x"),
            ("envdir /etc/env rm x", "envdir>rm x"),
            ("arch -x86_64 rm x", "arch>rm x"),
            ("arch -arch arm64 -e A=1 rm x", "arch>rm x"),
            ("arch", "arch"),
            ("sops exec-env s.yaml 'rm x'", "sops>rm x + read secrets /shop/s.yaml"),
            ("guix shell git -- rm x", "guix>rm x"),
            ("guix shell git", "guix shell git"),
        ]);
    }
}
