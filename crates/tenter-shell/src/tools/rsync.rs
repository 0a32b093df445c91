//! `rsync`: between two places on this machine, or to and from another.
//!
//! Actions: `rsync` (files are copied, sent or received), `mirror-delete` (what the source does not
//! have is deleted at the destination), `remove-source` (files are deleted after they were copied).

use super::files::{
    append, inputs, on_this_machine, only_shows, put, remote, tree, unnamed, words,
};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::{Flow, Stream};
use crate::options::{Options, Spec};
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[("rsync", rsync)];

const SPEC: Spec = Spec::new(
    "e:f:B:T:M:@:",
    "address= backup-dir= block-size= bwlimit= cc= checksum-choice= checksum-seed= \
     chmod= chown= compare-dest= compress-choice= compress-level= config= contimeout= \
     copy-as= copy-dest= debug= dparam= early-input= exclude-from= exclude= files-from= \
     filter= groupmap= iconv= include-from= include= info= link-dest= log-file-format= \
     log-file= max-alloc= max-delete= max-size= min-size= modify-window= \
     only-write-batch= out-format= outbuf= partial-dir= password-file= port= protocol= \
     read-batch= remote-option= rsh= rsync-path= skip-compress= sockopts= stderr= \
     stop-after= stop-at= suffix= temp-dir= timeout= usermap= write-batch= zc= zl= \
     dry-run help version",
);

fn rsync(call: &mut Call<'_, '_>) {
    let options = call.options(&SPEC);
    call.stdout = Stream::default();
    let shows = only_shows(&options) || options.has(&["V", "server", "daemon", "list-only"]);
    let place = |field: &&Field| match on_this_machine(call, field) {
        Some(here) => here,
        None => (*field).clone(),
    };
    let operands: Vec<Field> = options.operands.iter().map(place).collect();
    let operands: Vec<&Field> = operands.iter().collect();
    let Some((place, sources)) = operands.split_last() else {
        return;
    };
    if shows || sources.is_empty() {
        return;
    }
    let far = operands.iter().find_map(|field| endpoint(field));
    if let Some(host) = &far {
        run_transport(call, &options, host);
    }
    if options.has(&["n", "dry-run"]) {
        return;
    }
    let content = gather(call, &options, sources);
    match endpoint(place) {
        Some(host) => {
            call.send(Act::Rsync, &host, content.flow);
            if deletes(&options) {
                let target = Target::Host(place.shown());
                call.effect_at(Kind::Delete, Act::MirrorDelete, target, place.span).recursive =
                    true;
            }
        }
        None => {
            put(call, Kind::Write, Act::Rsync, place, content);
            if deletes(&options) {
                call.on_path(Kind::Delete, Act::MirrorDelete, place).recursive = true;
            }
        }
    }
    if options.has(&["remove-source-files", "remove-sent-files"]) {
        for source in sources.iter().filter(|field| endpoint(field).is_none()) {
            call.on_path(Kind::Delete, Act::RemoveSource, source).recursive = true;
        }
    }
}

/// The copied data: local files and files from other machines.
fn gather(call: &mut Call<'_, '_>, options: &Options<'_>, sources: &[&Field]) -> Stream {
    // `-a` is `-r` and more; the last word on it counts.
    let recursive = options
        .find(&["r", "a", "recursive", "archive", "no-recursive", "no-r"])
        .is_some_and(|found| !found.name.starts_with("no-"));
    let mut content = Stream::empty();
    for source in sources {
        let one = match endpoint(source) {
            Some(host) => call.receive(Act::Rsync, &host),
            None => tree(call, Act::Rsync, source, recursive),
        };
        append(&mut content, &one);
    }
    for list in options.values(&["files-from"]) {
        let list = inputs(call, Act::List, &[list], false);
        if list.text.is_none() {
            let start = sources.first().copied();
            let listed = tree(call, Act::Rsync, &unnamed(start, "(listed files)"), false);
            append(&mut content, &listed);
        }
    }
    for list in options.values(&["exclude-from", "include-from", "password-file", "early-input"]) {
        inputs(call, Act::List, &[list], false);
    }
    content
}

fn deletes(options: &Options<'_>) -> bool {
    options.found.iter().any(|found| found.name == "del" || found.name.starts_with("delete"))
}

/// The host of `host:path`, `host::module` or `rsync://host/path`.
fn endpoint(field: &Field) -> Option<Field> {
    if let Some(rest) = field.after("rsync://") {
        let host = rest.prefix().split('/').next().unwrap_or_default().to_owned();
        return Some(if host.is_empty() { rest } else { Field::text(host, field.span) });
    }
    remote(field).map(|(host, _)| host)
}

/// The program that connects, and what is run at the other end.
fn run_transport(call: &mut Call<'_, '_>, options: &Options<'_>, host: &Field) {
    if let Some(shell) = options.value(&["e", "rsh"]) {
        let mut argv = words(shell);
        let plain = argv.first().is_some_and(|program| program.is("ssh"))
            && !argv.iter().any(|word| word.prefix().starts_with("-o") || word.is("-F"));
        if !plain {
            argv.push(host.clone());
            call.run_with(&argv, Stream::unknown(Flow::default()));
        }
    }
    if let Some(code) = options.value(&["rsync-path"])
        && code.exact().is_none_or(|code| code.contains([' ', ';', '&', '|']))
    {
        call.run_code_elsewhere(Language::Shell(Dialect::Posix), code);
    }
}

#[cfg(test)]
mod tests {
    use crate::run::testing::{check, effects};

    #[test]
    fn a_local_mirror_deletes_at_its_destination() {
        check(&[
            (
                &["rsync", "-a", "a/", "b/"],
                &[
                    "read rsync /shop/a certain -r",
                    "write rsync /shop/b certain <[File(\"/shop/a\")]",
                ],
            ),
            (
                &["rsync", "--delete-after", "a/", "/", "--exclude", "x"],
                &[
                    "read rsync /shop/a certain",
                    "write rsync / certain <[File(\"/shop/a\")]",
                    "delete mirror-delete / certain -r",
                ],
            ),
            (
                &["rsync", "-r", "--remove-source-files", "a", "b"],
                &[
                    "read rsync /shop/a certain -r",
                    "write rsync /shop/b certain <[File(\"/shop/a\")]",
                    "delete remove-source /shop/a certain -r",
                ],
            ),
        ]);
    }

    #[test]
    fn a_remote_end_sends_or_receives() {
        check(&[
            (
                &["rsync", "-az", "-e", "ssh -p 22", "a", "me@host:/x"],
                &[
                    "read rsync /shop/a certain -r",
                    "send rsync me@host certain <[File(\"/shop/a\")]",
                ],
            ),
            (
                &["rsync", "rsync://mirror/x", "b"],
                &[
                    "receive rsync mirror certain",
                    "write rsync /shop/b certain <[Network(\"mirror\")]",
                ],
            ),
        ]);
    }

    #[test]
    fn a_dry_run_changes_nothing() {
        check(&[
            (&["rsync", "-avn", "--delete", "a/", "/"], &[]),
            (&["rsync", "--dry-run", "--delete", "a/", "/"], &[]),
            (&["rsync", "host:/x"], &[]),
        ]);
    }

    #[test]
    fn the_transport_is_a_program_that_runs() {
        let found = effects(&["rsync", "-ae", "rm -rf /x", "a", "host:/y"]);
        assert!(found.contains(&"delete remove /x certain -r -f".to_owned()), "{found:?}");
        let local = effects(&["rsync", "-ae", "rm -rf /x", "a", "b"]);
        assert!(!local.iter().any(|line| line.starts_with("delete")), "{local:?}");
    }
}
