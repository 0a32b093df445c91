//! Pushing, and the remotes themselves.
//!
//! - `push` (vcs): refs go to a remote; (send) to an address that the command names.
//! - `push-force` (vcs-remote): refs of the remote are overwritten; `*` for all branches.
//! - `push-force-with-lease` (vcs-remote): the same, if nobody else pushed meanwhile.
//! - `push-delete`, `push-prune`, `push-mirror` (vcs-remote): refs of the remote are deleted.
//! - `no-verify` (hook-bypass): the hooks of this step do not run.
//! - `remote-remove`, `remote-set-url` (vcs-remote); `remote-add`, `remote` (vcs).
//! - `fetch` (receive): objects come from a host.

use super::specs::{PUSH, REMOTE};
use super::transport::{connect, is_address, other_side};
use super::{Subs, named, on, options, possible, repository, second};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::options::Options;
use crate::target::Target;
use crate::value::Field;

pub(super) const SUBS: Subs =
    &[("push", push), ("send-pack", push), ("remote", remote), ("subtree", subtree)];

/// `git subtree push -P dir remote ref` makes commits of a folder, and pushes them.
fn subtree(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let mut words = arguments.iter();
    let mut rest: Vec<Field> = Vec::new();
    while let Some(word) = words.next() {
        match word.prefix() {
            "-P" | "--prefix" => _ = words.next(),
            text if text.starts_with("--prefix=") || text.starts_with("-P") => {}
            _ => rest.push(word.clone()),
        }
    }
    if let Some((_, rest)) = rest.split_first().filter(|(verb, _)| verb.is("push")) {
        push(call, rest);
    }
}

fn push(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &PUSH) else { return };
    if on(&options, "n", "dry-run") {
        return;
    }
    let remote = options.operands.first().copied().or(options.value(&["repo"]));
    if let Some(found) =
        options.find(&["no-verify", "verify"]).filter(|found| found.name != "verify")
    {
        call.effect_at(Kind::HookBypass, Act::NoVerify, Target::None, found.span);
    }
    other_side(call, remote, options.value(&["receive-pack", "exec"]));
    if let Some(remote) = remote {
        connect(call, remote);
        if is_address(remote) {
            let data = repository(call);
            call.send(Act::Push, remote, data);
        }
    }
    let target = || remote.map_or(Target::None, Call::named);
    if on(&options, "", "mirror") {
        call.effect(Kind::VcsRemote, Act::PushMirror, target()).force = true;
        return;
    }
    if on(&options, "", "prune") {
        possible(call.effect(Kind::VcsRemote, Act::PushPrune, target()));
    }
    match options.operands.get(1..) {
        Some([_, ..]) => {
            let mut specs = options.operands.iter().skip(1).peekable();
            while let Some(spec) = specs.next() {
                // `tag v1` is short for `refs/tags/v1:refs/tags/v1`.
                if !(spec.is("tag") && specs.peek().is_some()) {
                    refspec(call, &options, spec);
                }
            }
        }
        _ => {
            let (kind, action) = plain(&options, None);
            let all = on(&options, "", "all") || on(&options, "", "branches");
            let target = if all { Target::name("*") } else { Target::None };
            let effect = call.effect(kind, action, target);
            effect.force = action == Act::PushForce;
        }
    }
}

/// The effect on refs pushed without a plus sign.
fn plain(options: &Options<'_>, name: Option<&str>) -> (Kind, Act) {
    let lease = on(options, "", "force-with-lease")
        && options.value(&["force-with-lease"]).is_none_or(|value| {
            // A lease for one ref forces that one only.
            let leased = value.prefix().split(':').next().unwrap_or_default();
            name.is_none_or(|name| short(leased) == name) || value.exact().is_none()
        });
    if on(options, "f", "force") {
        (Kind::VcsRemote, Act::PushForce)
    } else if lease {
        (Kind::VcsRemote, Act::PushForceWithLease)
    } else {
        (Kind::Vcs, Act::Push)
    }
}

fn short(name: &str) -> &str {
    name.strip_prefix("refs/heads/").unwrap_or(name)
}

fn refspec(call: &mut Call<'_, '_>, options: &Options<'_>, spec: &Field) {
    let Some(text) = spec.exact() else {
        return unknown_refspec(call, options, spec);
    };
    let bare = text.strip_prefix('+').unwrap_or(text);
    let (source, place) = bare.rsplit_once(':').unwrap_or((bare, bare));
    let place = place.strip_prefix('+').unwrap_or(place);
    let forced = text.starts_with('+') || text.contains(":+");
    let (kind, action) = if on(options, "d", "delete") || (source.is_empty() && !place.is_empty()) {
        (Kind::VcsRemote, Act::PushDelete)
    } else if forced {
        (Kind::VcsRemote, Act::PushForce)
    } else {
        plain(options, Some(short(place)))
    };
    let effect = call.effect_at(kind, action, Target::name(short(place)), spec.span);
    effect.force = action == Act::PushForce;
}

/// Handles a refspec with a known start: `+$branch`, `:$branch`.
fn unknown_refspec(call: &mut Call<'_, '_>, options: &Options<'_>, spec: &Field) {
    let text = spec.prefix();
    let (kind, action) = if on(options, "d", "delete") || text.starts_with(':') {
        (Kind::VcsRemote, Act::PushDelete)
    } else if text.starts_with('+') {
        (Kind::VcsRemote, Act::PushForce)
    } else {
        plain(options, None)
    };
    let name = spec.without_prefix(usize::from(text.starts_with([':', '+'])));
    let name = name.as_ref().unwrap_or(spec);
    let effect = call.effect_at(kind, action, Call::named(name), spec.span);
    effect.force = action == Act::PushForce;
}

fn remote(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some((name, rest)) = second(arguments) else { return };
    let Some(options) = options(rest, &REMOTE) else {
        return;
    };
    let first = options.operands.first().copied();
    let address = options.operands.get(1).copied();
    match (name, first) {
        ("remove" | "rm", Some(remote)) => {
            named(call, Kind::VcsRemote, Act::RemoteRemove, remote);
        }
        ("set-url", Some(remote)) => {
            let (target, span) = match address {
                Some(address) => (Target::Host(address.shown()), address.span),
                None => (Call::named(remote), remote.span),
            };
            call.effect_at(Kind::VcsRemote, Act::RemoteSetUrl, target, span);
        }
        ("add", Some(_)) => {
            if let Some(address) = address {
                let target = Target::Host(address.shown());
                call.effect_at(Kind::Vcs, Act::RemoteAdd, target, address.span);
                if options.has(&["f"]) {
                    connect(call, address);
                    call.receive(Act::Fetch, address);
                }
            }
        }
        ("rename" | "set-head" | "set-branches", Some(remote)) => {
            named(call, Kind::Vcs, Act::Remote, remote);
        }
        ("prune", Some(remote)) if !on(&options, "n", "dry-run") => {
            named(call, Kind::Vcs, Act::Remote, remote);
        }
        ("update", _) => {
            let target = first.map_or(Target::None, |remote| Target::Host(remote.shown()));
            call.effect(Kind::Receive, Act::Fetch, target);
        }
        _ => {}
    }
}
