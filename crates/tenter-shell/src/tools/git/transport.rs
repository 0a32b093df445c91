//! Fetching, cloning and serving repositories, apart from pushing.
//!
//! - `fetch`, `clone`, `ls-remote` (receive): objects or refs come from a host.
//! - `clone` (write): the directory that is made; (read) the one it is made of, if that lies here.
//! - `fetch-prune` (vcs): tracking refs go; `fetch-prune-tags` (vcs-refs): tags go.
//! - `fetch-force` (vcs-refs): local branches are overwritten by those of the remote.
//! - `pull`, `pull-rebase` (vcs): and merged, or rebased on.
//! - `submodule-update` (receive; vcs-worktree with force), `submodule-deinit` (vcs-worktree),
//!   `submodule-add` (vcs).
//! - `archive`, `bundle` (write): the repository is packed into a file.
//! - `patches` (write, send): commits are written or mailed as patches.
//! - `no-verify` (hook-bypass): the hooks of this step do not run.
//! - `init` (vcs): a repository is made, with the hooks of a template if one is given.
//! - `git-daemon` (service): repositories are served.
//! - `config-command` (execute): another program than git answers on the other side.
//! - `ext-transport` (execute): the address is a command; `template-hooks` (execute): hooks are taken
//!   from a directory.

use super::specs::{
    ARCHIVE, BUNDLE, CLONE, FETCH, INIT, LS_REMOTE, PATCHES, PULL, SUBMODULE, SUBMODULE_ADD,
    SUBMODULE_DEINIT, SUBMODULE_UPDATE,
};
use super::{Subs, named, on, options, parse, possible, repository, second, whole};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::Options;
use crate::span::Span;
use crate::target::Target;
use crate::value::Field;

pub(super) const SUBS: Subs = &[
    ("archive", archive),
    ("bundle", bundle),
    ("clone", clone),
    ("daemon", |call, _| _ = call.effect(Kind::Service, Act::GitDaemon, Target::None)),
    ("fetch", fetch),
    ("format-patch", format_patch),
    ("imap-send", |call, _| {
        let sources = call.stdin.flow.clone();
        call.effect(Kind::Send, Act::Patches, Target::None).sources = sources;
    }),
    ("init", init),
    ("ls-remote", ls_remote),
    ("pull", pull),
    ("send-email", send_email),
    ("submodule", submodule),
];

/// A remote as a host: runs the code of `ext::` addresses.
pub(super) fn connect(call: &mut Call<'_, '_>, remote: &Field) {
    let Some(code) = remote.after("ext::") else { return };
    let Some(text) = code.exact() else {
        call.run_code(super::shell(), &code);
        return;
    };
    // Blanks end a word unless a percent sign is in front; %S and the like stand for services.
    let mut argv: Vec<Field> = Vec::new();
    let mut word = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '%' => word.extend(letters.next()),
            ' ' => argv.push(Field::text(std::mem::take(&mut word), code.span)),
            _ => word.push(letter),
        }
    }
    argv.push(Field::text(word, code.span));
    argv.retain(|field| !field.is(""));
    call.effect_at(Kind::Execute, Act::ExtTransport, Call::named(remote), remote.span);
    call.run(&argv);
}

/// An address rather than the name of a remote.
pub(super) fn is_address(field: &Field) -> bool {
    let text = field.prefix();
    text.contains("://") || text.contains("::") || (text.contains(':') && !text.starts_with('/'))
}

fn receive(call: &mut Call<'_, '_>, action: Act, remote: Option<&Field>) {
    match remote {
        Some(remote) => {
            connect(call, remote);
            call.receive(action, remote);
        }
        None => _ = call.effect(Kind::Receive, action, Target::None),
    }
}

/// `--upload-pack=CMD` runs at the other side, which is this one for a local path.
pub(super) fn other_side(call: &mut Call<'_, '_>, remote: Option<&Field>, code: Option<&Field>) {
    let Some(code) = code else { return };
    let program = code.prefix().rsplit('/').next().unwrap_or_default();
    if !program.starts_with("git") {
        super::named(call, Kind::Execute, Act::ConfigCommand, code).sources = code.sources();
    }
    if remote.is_some_and(is_address) {
        call.run_code_elsewhere(super::shell(), code);
    } else {
        super::perhaps_run(call, code);
    }
}

fn fetch(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &FETCH) else { return };
    let remote = options.operands.first().copied();
    receive(call, Act::Fetch, remote);
    other_side(call, remote, options.value(&["upload-pack"]));
    if on(&options, "", "dry-run") {
        return;
    }
    // `--prune` is an option of its own, no short form of `--prune-tags`.
    if options.has(&["P", "prune-tags"]) {
        possible(call.effect(Kind::VcsRefs, Act::FetchPruneTags, Target::None));
    } else if on(&options, "p", "prune") {
        call.effect(Kind::Vcs, Act::FetchPrune, Target::None);
    }
    forced(call, &options);
}

/// Refspecs that overwrite local branches.
fn forced(call: &mut Call<'_, '_>, options: &Options<'_>) {
    let force = on(options, "f", "force");
    for spec in options.operands.iter().skip(1) {
        let text = spec.prefix();
        let Some((_, place)) = text.split_once(':') else { continue };
        if (force || text.starts_with('+'))
            && !place.starts_with("refs/remotes/")
            && !place.is_empty()
        {
            let target = Target::name(place.strip_prefix("refs/heads/").unwrap_or(place));
            let effect = call.effect_at(Kind::VcsRefs, Act::FetchForce, target, spec.span);
            possible(effect);
            effect.force = true;
        }
    }
}

fn pull(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &PULL) else { return };
    let remote = options.operands.first().copied();
    receive(call, Act::Fetch, remote);
    other_side(call, remote, options.value(&["upload-pack"]));
    if on(&options, "", "dry-run") {
        return;
    }
    if let Some(found) =
        options.find(&["no-verify", "verify"]).filter(|found| found.name != "verify")
    {
        call.effect_at(Kind::HookBypass, Act::NoVerify, Target::None, found.span);
    }
    let rebase = on(&options, "r", "rebase")
        && !options.value(&["r", "rebase"]).is_some_and(|value| value.is("false"));
    let action = if rebase { Act::PullRebase } else { Act::Pull };
    call.effect(Kind::Vcs, action, Target::None);
    forced(call, &options);
}

fn ls_remote(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &LS_REMOTE) else {
        return;
    };
    let remote = options.operands.first().copied();
    receive(call, Act::LsRemote, remote);
    other_side(call, remote, options.value(&["upload-pack", "exec"]));
}

fn clone(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &CLONE) else { return };
    let Some(remote) = options.operands.first().copied() else { return };
    // A setting may send an address elsewhere.
    let moved = call.arguments().iter().any(|field| field.prefix().starts_with("url."));
    let here = local(remote).filter(|_| !moved && options.value(&["c", "config"]).is_none());
    let content = match here {
        Some(folder) => {
            call.on_path(Kind::Read, Act::Clone, &folder).recursive = true;
            let folder = call.machine.path(&folder);
            call.machine.content(&folder)
        }
        None => {
            receive(call, Act::Clone, Some(remote));
            Stream::from(crate::Source::Network(remote.shown().into()))
        }
    };
    other_side(call, Some(remote), options.value(&["u", "upload-pack"]));
    for setting in options.values(&["c", "config"]) {
        super::config::given(call, setting);
    }
    if let Some(template) = options.value(&["template"]).filter(|field| !field.is("")) {
        call.on_path(Kind::Execute, Act::TemplateHooks, template);
    }
    let place = match options.operands.get(1) {
        Some(place) => (*place).clone(),
        None => directory_of(remote, on(&options, "", "bare") || on(&options, "", "mirror")),
    };
    call.write(Kind::Write, Act::Clone, &place, content).recursive = true;
}

/// The folder that is cloned, where it lies on this machine.
fn local(remote: &Field) -> Option<Field> {
    remote.exact()?;
    let folder = crate::tools::network::local_path(remote);
    folder.or_else(|| (!is_address(remote)).then(|| remote.clone()))
}

/// The directory that a clone makes: the last part of the address without `.git`.
pub(super) fn directory_of(remote: &Field, bare: bool) -> Field {
    let Some(text) = remote.exact() else { return Field::unknown("$clone", remote.span) };
    let text = text.trim_end_matches('/').trim_end_matches("/.git");
    let last = text.rsplit(['/', ':']).next().unwrap_or(text);
    let last = last.strip_suffix(".git").unwrap_or(last);
    let name = if bare { format!("{last}.git") } else { last.to_owned() };
    Field::text(name, remote.span)
}

fn init(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &INIT) else {
        return;
    };
    if let Some(template) = options.value(&["template"]).filter(|field| !field.is("")) {
        call.on_path(Kind::Execute, Act::TemplateHooks, template);
    }
    match options.operands.first() {
        Some(place) => _ = call.on_path(Kind::Vcs, Act::Init, place),
        None => whole(call, Kind::Vcs, Act::Init).recursive = false,
    }
}

fn submodule(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some((name, rest)) = second(arguments) else { return };
    match name {
        "foreach" => {
            let inner = parse(rest, &SUBMODULE);
            match rest.get(inner.consumed..).unwrap_or_default() {
                [] => {}
                [code] => drop(call.run_code(super::shell(), code)),
                argv => drop(call.run(argv)),
            }
        }
        "update" => {
            let spec = SUBMODULE_UPDATE;
            let Some(options) = options(rest, &spec) else { return };
            call.effect(Kind::Receive, Act::SubmoduleUpdate, Target::None);
            if on(&options, "f", "force") {
                possible(whole(call, Kind::VcsWorktree, Act::SubmoduleUpdate));
            }
        }
        "deinit" => {
            let Some(options) = options(rest, &SUBMODULE_DEINIT) else { return };
            let force = on(&options, "f", "force");
            for path in &options.operands {
                let effect = call.on_path(Kind::VcsWorktree, Act::SubmoduleDeinit, path);
                effect.recursive = true;
                effect.force = force;
            }
            if on(&options, "", "all") || options.operands.is_empty() {
                whole(call, Kind::VcsWorktree, Act::SubmoduleDeinit).force = force;
            }
        }
        "add" => {
            let spec = SUBMODULE_ADD;
            let Some(options) = options(rest, &spec) else { return };
            if let Some(remote) = options.operands.first() {
                receive(call, Act::Clone, Some(remote));
                named(call, Kind::Vcs, Act::SubmoduleAdd, remote);
            }
        }
        _ => {}
    }
}

fn archive(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &ARCHIVE) else {
        return;
    };
    if on(&options, "l", "list") {
        return;
    }
    let mut flow = repository(call);
    if let Some(remote) = options.value(&["remote"]) {
        connect(call, remote);
        flow = call.receive(Act::Fetch, remote).flow;
        other_side(call, Some(remote), options.value(&["exec"]));
    }
    for file in options.values(&["add-file"]) {
        flow.join(&call.read(Act::Archive, file).flow);
    }
    packed(call, options.value(&["o", "output"]), Act::Archive, Stream::unknown(flow));
}

/// Content goes to a file, or to standard output.
fn packed(call: &mut Call<'_, '_>, place: Option<&Field>, action: Act, content: Stream) {
    match place.filter(|place| !place.is("-")) {
        Some(place) => {
            call.write(Kind::Write, action, place, content);
            call.stdout = Stream::default();
        }
        None => call.stdout = content,
    }
}

fn bundle(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(("create", rest)) = second(arguments) else { return };
    let Some(options) = options(rest, &BUNDLE) else {
        return;
    };
    let content = Stream::unknown(repository(call));
    if let Some(place) = options.operands.first() {
        packed(call, Some(place), Act::Bundle, content);
    }
}

fn format_patch(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &PATCHES) else { return };
    let content = Stream::unknown(repository(call));
    if options.has(&["stdout"]) {
        call.stdout = content;
        return;
    }
    call.stdout = Stream::default();
    match options.value(&["o", "output-directory", "output"]) {
        Some(place) => _ = call.write(Kind::Write, Act::Patches, place, content),
        None => _ = whole(call, Kind::Write, Act::Patches),
    }
}

fn send_email(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &PATCHES) else { return };
    if options.has(&["dry-run", "dump-aliases"]) {
        return;
    }
    let mut flow = repository(call);
    for file in &options.operands {
        flow.join(&call.read(Act::Patches, file).flow);
    }
    for code in options.values(&["sendmail-cmd", "to-cmd", "cc-cmd", "header-cmd"]) {
        call.run_code(super::shell(), code);
    }
    let (target, span): (Target, Span) = match options.value(&["to", "smtp-server"]) {
        Some(to) => (Target::Host(to.shown()), to.span),
        None => (Target::None, call.span),
    };
    call.effect_at(Kind::Send, Act::Patches, target, span).sources = flow;
}
