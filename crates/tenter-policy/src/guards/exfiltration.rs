//! Guard against sending secrets and files over the network.

mod examples;

use std::borrow::Cow;

use tenter_shell::Act;
use tenter_shell::{Effect, Kind, PathTarget, Role, Source};

use crate::finding::{At, Found};
use crate::guard::{Check, Guard};
use crate::level::Weight;
use crate::places::Zone;
use crate::scene::Scene;
use crate::sensitive::hosts::{self, Host};
use crate::sensitive::names;
use crate::sensitive::paths::{self, Secret, Sort};

const SECRET_FILE: Check = Check {
    id: "secret-file",
    weight: Weight::Grave,
    title: "sends a file with secrets over the network",
    instead: "send only what was asked for, without keys and credentials",
    safe: &["curl -F file=@dist/report.pdf https://api.example.com/upload"],
};

const SECRET_TO_OWN: Check = Check {
    id: "secret-to-own",
    weight: Weight::Doubtful,
    title: "sends an environment file or a project key over SSH or into a bucket",
    instead: "send the rest, and let the user put the secret there",
    safe: &["rsync -a --exclude .env dist/ host.example:/srv/shop/"],
};

const ENVIRONMENT: Check = Check {
    id: "environment",
    weight: Weight::Grave,
    title: "sends all environment variables over the network",
    instead: "send only the variable that is needed, and no secret",
    safe: &["curl -d \"version=$VERSION\" https://api.example.com/builds"],
};

const SECRET_VALUE: Check = Check {
    id: "secret-value",
    weight: Weight::Grave,
    title: "puts a secret from a variable or store into an address, body or lookup",
    instead: "send it in a header: `curl -H \"Authorization: Bearer $TOKEN\" <url>`",
    safe: &["curl -H \"Authorization: Bearer $TOKEN\" https://api.example.com/me"],
};

const SECRET_TO_SERVICE: Check = Check {
    id: "secret-to-service",
    weight: Weight::Doubtful,
    title: "sends a secret to a service it does not belong to, or outside a header",
    instead: "send it in a header: `curl -H \"Authorization: Bearer $TOKEN\" <url>`",
    safe: &["curl -H \"X-Api-Key: $API_KEY\" https://api.example.com/v1/items"],
};

const LOOKUP: Check = Check {
    id: "lookup",
    weight: Weight::Grave,
    title: "hides data in a DNS lookup or ping",
    instead: "look up the plain name",
    safe: &["dig +short example.com"],
};

const DROP: Check = Check {
    id: "drop",
    weight: Weight::Doubtful,
    title: "uploads something to a public place: a paste bin, request bin, file drop or gist",
    instead: "show it to the user, or write it to a file in the workspace",
    safe: &["cp build.log logs/"],
};

const HOME: Check = Check {
    id: "home",
    weight: Weight::Grave,
    title: "sends a home, one of its main folders or a system folder, with every secret in it",
    instead: "name the files you mean",
    safe: &["tar czf - dist | curl -T - https://files.example.com/shop.tgz"],
};

const TREE: Check = Check {
    id: "tree",
    weight: Weight::Doubtful,
    title: "sends a whole folder",
    instead: "name the files you mean",
    safe: &["tar czf - dist | curl -T - https://files.example.com/shop.tgz"],
};

const OUTSIDE: Check = Check {
    id: "outside",
    weight: Weight::Doubtful,
    title: "sends a file from outside the workspace, or one that is not named",
    instead: "copy the file into the workspace and name it",
    safe: &["curl -F file=@dist/a.tgz https://api.example.com/upload"],
};

const RAW: Check = Check {
    id: "raw",
    weight: Weight::Doubtful,
    title: "sends a file or output over an unencrypted, unauthenticated connection",
    instead: "use scp or HTTPS",
    safe: &["nc -zv db.example.com 5432"],
};

const PUSH: Check = Check {
    id: "push",
    weight: Weight::Doubtful,
    title: "pushes the repository to a host that is not a well-known forge",
    instead: "push to the existing remote: `git push origin HEAD`",
    safe: &["git push origin HEAD"],
};

const COMMIT: Check = Check {
    id: "commit",
    weight: Weight::Doubtful,
    title: "commits a file with secrets",
    instead: "add it to `.gitignore`",
    safe: &["git add .env.example .gitignore"],
};

const TUNNEL: Check = Check {
    id: "tunnel",
    weight: Weight::Doubtful,
    title: "opens this machine to the network, or serves a private folder",
    instead: "serve one folder of the project: `python3 -m http.server 8000 --directory dist`",
    safe: &["python3 -m http.server 8000 --directory dist"],
};

const AFTER_SECRET: Check = Check {
    id: "send-after-secret",
    weight: Weight::Doubtful,
    title: "sends data over the network after a secret was read in this session",
    instead: "tell the user what would be sent and where",
    safe: &["git status"],
};

pub(super) static GUARD: Guard = Guard {
    id: "exfiltration",
    title: "Secrets and files that leave for the network",
    page: "\
Data that is sent is traced to its source: through pipes, variables, copies, archives,
encodings and code. Files that hold secrets, the whole environment, secret variables in an address or a
body, and data hidden in lookups are denied. A login is none of that: a token in an `Authorization`
header, `-u` or a cookie passes.

Asked about: whole folders, files from outside of the workspace, paste bins and request bins, bare
connections, pushes to unusual places, tunnels into this machine, an environment file for a server of
one's own, secrets under version control, and anything that is sent after a secret was read in the same session.

Left alone: requests to this machine and to private networks, request bodies from the workspace, what
the build made, uploads of releases and artefacts, copies to servers by SSH, pushes to remotes.

Option: `allow` names hosts (`backup.example`, `*.corp.example`).",
    checks: &[
        SECRET_FILE, SECRET_TO_OWN, ENVIRONMENT, SECRET_VALUE, SECRET_TO_SERVICE, LOOKUP, DROP, HOME, TREE,
        OUTSIDE, RAW, PUSH, TUNNEL, AFTER_SECRET,
    ],
    options: &[],
    optional: false,
    blocks: examples::BLOCKS,
    passes: examples::PASSES,
    look,
};

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        match effect.kind {
            Kind::Send => sends(scene, effect, found),
            Kind::Vcs if matches!(effect.action, Act::Add | Act::AddIgnored) => {
                commits(effect, found);
            }
            Kind::Vcs | Kind::VcsRemote
                if matches!(effect.action, Act::RemoteAdd | Act::RemoteSetUrl) =>
            {
                new_remote(scene, effect, found);
            }
            _ => {}
        }
    }
    let told = |url: &&Cow<'_, str>| url.contains('?') && hosts::of(url) != Host::Local;
    for url in scene.urls.iter().filter(|_| scene.world.memory.secret_read).filter(told) {
        let host = hosts::name(url);
        found.add(&AFTER_SECRET, At::subject(host), after_secret(host));
    }
}

/// Channel by which data leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// To a machine or bucket with a login of the user's.
    Own,
    /// In credentials: a header, a user and password.
    Login,
    /// In a DNS name or a ping.
    Lookup,
    /// A raw connection.
    Raw,
    /// A request or mail.
    Request,
}

/// One transfer.
struct Sending<'e> {
    effect: &'e Effect,
    address: String,
    host: Host,
    way: Way,
}

impl Sending<'_> {
    /// Host name, for messages and for `allow`.
    fn name(&self) -> &str {
        let name = hosts::name(&self.address);
        if name.is_empty() { &self.address } else { name }
    }

    fn to(&self) -> String {
        match self.name() {
            "" => "anyone on the network".to_owned(),
            name if name.starts_with(':') => "anyone who connects".to_owned(),
            name => name.to_owned(),
        }
    }

    fn add(&self, check: &Check, what: String, found: &mut Found<'_>) {
        found.add(check, At::effect(self.effect, self.name()), what);
    }

    fn carries(&self) -> bool {
        !self.effect.sources.is_empty()
            || matches!(
                self.effect.action,
                Act::Upload | Act::HttpData | Act::Http | Act::Mail | Act::Gist | Act::Post
            )
    }
}

fn sends(scene: &Scene<'_>, effect: &Effect, found: &mut Found<'_>) {
    let address = effect.target.shown().into_owned();
    let host = host_of(scene, effect, &address);
    let way = way_of(scene, effect, &address);
    let sending = Sending { effect, address, host, way };
    match effect.action {
        Act::Tunnel if host != Host::Local || !scene.is(effect, Role::Ssh) => {
            sending.add(&TUNNEL, "opens this machine to the network".to_owned(), found);
            return;
        }
        Act::ServeFiles => return serves(scene, &sending, found),
        Act::Push => return pushes(&sending, found),
        Act::Tunnel | Act::Login | Act::SendKey | Act::UnixSocket => return,
        _ if host == Host::Local => return,
        _ => {}
    }
    let mut said = false;
    for source in effect.sources.sources() {
        said |= leaves(scene, &sending, source, found);
    }
    if said || way == Way::Login {
        return;
    }
    if host == Host::Drop && sending.carries() {
        let what = format!("uploads data to {}, where anyone can read it", sending.to());
        sending.add(&DROP, what, found);
    } else if scene.world.memory.secret_read && sending.carries() && host != Host::Near {
        sending.add(&AFTER_SECRET, after_secret(&sending.to()), found);
    }
}

fn after_secret(host: &str) -> String {
    format!("sends data to {host} after a secret was read in this session")
}

fn host_of(scene: &Scene<'_>, effect: &Effect, address: &str) -> Host {
    match () {
        () if scene.is(effect, Role::FileDrop) => Host::Drop,
        () if scene.is(effect, Role::OwnStorage) => Host::Usual,
        () if effect.action == Act::Listen || address.starts_with(':') => Host::Unknown,
        () => match hosts::of(address) {
            // An SSH alias is an arbitrary machine, and so is an address pattern for mail.
            Host::Near if is_ssh(scene, effect) || effect.action == Act::Mail => Host::Other,
            host => host,
        },
    }
}

fn way_of(scene: &Scene<'_>, effect: &Effect, address: &str) -> Way {
    match effect.action {
        Act::Credentials => Way::Login,
        Act::Dns | Act::Icmp | Act::Lookup => Way::Lookup,
        Act::Gist => Way::Request,
        _ if is_ssh(scene, effect) => Way::Own,
        _ if scene.is(effect, Role::OwnStorage) || is_bucket(address) => Way::Own,
        Act::Socket | Act::Listen | Act::Connect => Way::Raw,
        _ => Way::Request,
    }
}

fn is_ssh(scene: &Scene<'_>, effect: &Effect) -> bool {
    matches!(effect.action, Act::Ssh | Act::Rsync) || scene.is(effect, Role::SshCopies)
}

fn is_bucket(address: &str) -> bool {
    !address.starts_with("http") && hosts::of(address) == Host::Usual && address.contains("://")
}

/// Checks one transferred item; true if it was reported.
fn leaves(
    scene: &Scene<'_>,
    sending: &Sending<'_>,
    source: &Source,
    found: &mut Found<'_>,
) -> bool {
    match source {
        Source::File(file) => file_leaves(scene, sending, file, found),
        Source::Environment => {
            let what = format!("sends all environment variables to {}", sending.to());
            sending.add(&ENVIRONMENT, what, found);
            true
        }
        Source::Variable(name)
            if crate::secrets::secret_name(name) || name.to_uppercase().ends_with("SSH_KEY") =>
        {
            value_leaves(sending, name, &format!("the secret in ${name}"), found)
        }
        Source::Store(store) => {
            value_leaves(sending, store, &format!("a secret from {store}"), found)
        }
        Source::Program(program) => output_leaves(sending, program, found),
        Source::Variable(_) | Source::Network(_) | Source::Decoded | Source::Stdin => false,
    }
}

fn file_leaves(
    scene: &Scene<'_>,
    sending: &Sending<'_>,
    file: &str,
    found: &mut Found<'_>,
) -> bool {
    let to = sending.to();
    if let Some(secret) = paths::of(file).or_else(|| paths::folder(file)) {
        // A token stored in a file is meant for logging in.
        if sending.way == Way::Login && !matches!(secret.sort, Sort::Key | Sort::Store) {
            return false;
        }
        let check = secret_check(sending, secret);
        sending.add(check, format!("sends {} to {to}: {file}", secret.what), found);
        return true;
    }
    if sending.host == Host::Near || sending.way == Way::Login {
        return false;
    }
    if sending.way == Way::Lookup {
        sending.add(&LOOKUP, format!("hides {file} in DNS lookups of {to}"), found);
        return true;
    }
    if hosts::is_chat(&sending.address) {
        sending.add(&OUTSIDE, format!("sends {file} to a chat at {to}"), found);
        return true;
    }
    let path = PathTarget::absolute(file);
    let zone =
        if tenter_shell::is_absolute(file) { scene.places.zone(&path) } else { Zone::Unknown };
    if matches!(zone, Zone::Generated | Zone::Nothing) {
        return false;
    }
    let tree = is_tree(scene, sending, file)
        || zone == Zone::Workspace && sending.effect.action != Act::Patches;
    let wide = matches!(zone, Zone::Root | Zone::SystemTree | Zone::Home | Zone::HomeTree);
    let scratch = tree && scene.words(sending.effect.span).contains(":/tmp");
    if wide && sending.way != Way::Own {
        sending.add(&HOME, format!("sends everything in {file} to {to}"), found);
        return true;
    }
    if wide || scratch && zone != Zone::Temporary || tree && sending.way != Way::Own {
        sending.add(&TREE, format!("sends everything in {file} to {to}"), found);
        return true;
    }
    if sending.way == Way::Own && !file.starts_with('(') && !file.contains("/(") {
        return false;
    }
    let private = matches!(
        zone,
        Zone::System | Zone::Personal | Zone::Outside | Zone::Unknown | Zone::Repository
    );
    if private || file.contains("/(") {
        sending.add(&OUTSIDE, format!("sends {file} to {to}"), found);
        return true;
    }
    if sending.way == Way::Raw {
        sending.add(&RAW, format!("sends {file} over an unencrypted connection to {to}"), found);
        return true;
    }
    false
}

fn secret_check(sending: &Sending<'_>, secret: Secret) -> &'static Check {
    let of_project = matches!(secret.sort, Sort::Environment | Sort::Material);
    match sending.way {
        Way::Lookup => &LOOKUP,
        Way::Own if of_project => &SECRET_TO_OWN,
        _ if of_project && sending.host == Host::Near => &SECRET_TO_OWN,
        _ => &SECRET_FILE,
    }
}

/// Whether a path is a folder that is sent completely.
fn is_tree(scene: &Scene<'_>, sending: &Sending<'_>, file: &str) -> bool {
    sending.effect.recursive
        || scene.effects().iter().any(|other| {
            other.kind == Kind::Read
                && other.recursive
                && other.target.path().is_some_and(|path| path.shown() == file)
        })
}

fn value_leaves(sending: &Sending<'_>, name: &str, value: &str, found: &mut Found<'_>) -> bool {
    let to = sending.to();
    let host = hosts::name(&sending.address);
    let check = match (sending.way, sending.host) {
        (Way::Lookup, _) => &LOOKUP,
        (_, Host::Drop) | (Way::Raw, Host::Other | Host::Numeric | Host::Unknown) => &SECRET_VALUE,
        (Way::Login, Host::Other | Host::Numeric) if names::is_foreign(name, host) => {
            &SECRET_TO_SERVICE
        }
        // That is its purpose.
        (Way::Login, _) | (_, Host::Near) => return false,
        _ if names::belongs(name, host) || is_login_page(&sending.address) => return false,
        (Way::Own, _) | (_, Host::Usual) => &SECRET_TO_SERVICE,
        _ if host.starts_with("api.") || host.starts_with("auth.") || host.contains(".api.") => {
            &SECRET_TO_SERVICE
        }
        _ => &SECRET_VALUE,
    };
    sending.add(check, format!("sends {value} to {to}"), found);
    true
}

/// Whether the address is a token endpoint, which expects a secret in the body.
fn is_login_page(address: &str) -> bool {
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = path.split_once('/').map_or("", |(_, path)| path);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    path.split('/').any(|part| {
        matches!(
            part,
            "oauth" | "oauth2" | "token" | "login" | "auth" | "session" | "sessions" | "signin"
        )
    })
}

fn output_leaves(sending: &Sending<'_>, program: &str, found: &mut Found<'_>) -> bool {
    let to = sending.to();
    match sending.way {
        Way::Lookup => {
            // The whole name may be computed; data is prepended to a domain.
            let hides = !hosts::name(&sending.address).trim_end_matches('.').ends_with(')');
            if hides {
                sending.add(
                    &LOOKUP,
                    format!("hides the output of {program} in DNS lookups of {to}"),
                    found,
                );
            }
            hides
        }
        _ if matches!(program, "sh" | "bash" | "zsh" | "dash" | "history" | "fc" | "xclip") => {
            sending.add(&RAW, format!("sends the output of {program} to {to}"), found);
            true
        }
        Way::Raw if matches!(sending.host, Host::Other | Host::Numeric | Host::Unknown) => {
            sending.add(
                &RAW,
                format!("sends the output of {program} over an unencrypted connection to {to}"),
                found,
            );
            true
        }
        _ => false,
    }
}

fn serves(scene: &Scene<'_>, sending: &Sending<'_>, found: &mut Found<'_>) {
    let private = sending.effect.target.path().is_some_and(|path| {
        let zone = scene.places.zone(path);
        let shown = path.shown();
        matches!(zone, Zone::Root | Zone::SystemTree | Zone::System | Zone::Home | Zone::HomeTree)
            || paths::of(&shown).or_else(|| paths::folder(&shown)).is_some()
    });
    if private {
        let what = format!("serves {} to the network", sending.address);
        sending.add(&TUNNEL, what, found);
    }
    for source in sending.effect.sources.sources() {
        leaves(scene, sending, source, found);
    }
}

fn pushes(sending: &Sending<'_>, found: &mut Found<'_>) {
    let odd = matches!(sending.host, Host::Other | Host::Numeric | Host::Drop | Host::Unknown);
    if odd && !is_own_forge(&sending.address) {
        let what = format!("pushes the repository to {}, not a well-known forge", sending.to());
        sending.add(&PUSH, what, found);
    }
}

/// Whether it is a forge with SSH login: `git@gitlab.corp.example:team/shop.git`.
fn is_own_forge(address: &str) -> bool {
    let label = hosts::name(address).split('.').next().unwrap_or_default();
    let by_key = address.starts_with("git@") || address.starts_with("ssh://");
    by_key && (label.starts_with("git") || matches!(label, "bitbucket" | "code" | "scm"))
}

/// Committed secrets leave with the next push, permanently.
fn commits(effect: &Effect, found: &mut Found<'_>) {
    let Some(path) = effect.target.path().filter(|path| !path.has_glob()) else {
        return;
    };
    let shown = path.shown();
    // Only explicit paths count: folders have an ignore file.
    let counts = |secret: &Secret| match secret.sort {
        Sort::Material => secret.key,
        Sort::History => false,
        _ => true,
    };
    if let Some(secret) = paths::of(&shown).filter(counts) {
        let what = format!("commits {}: {shown}", secret.what);
        found.add(&COMMIT, At::effect(effect, &shown), what);
    }
}

/// A remote that is added or changed and pushed to in the same command.
fn new_remote(scene: &Scene<'_>, effect: &Effect, found: &mut Found<'_>) {
    let address = effect.target.shown();
    let odd = matches!(hosts::of(&address), Host::Other | Host::Numeric | Host::Drop)
        && (address.contains("://") || address.contains('@'))
        && !is_own_forge(&address);
    let pushed =
        scene.effects().iter().any(|other| other.kind == Kind::Vcs && other.action == Act::Push);
    if odd && pushed {
        let host = hosts::name(&address);
        let what = format!("pushes the repository to {host}, not a well-known forge");
        found.add(&PUSH, At::effect(effect, host), what);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Level, Memo, Memory, Policy, Preset, Sample, World, judge};

    fn rules(sample: Sample<'_>, memory: &Memory) -> Vec<String> {
        let world = World {
            home: Some("/home/me"),
            cwd: Some("/home/me/shop"),
            memory,
            ..World::default()
        };
        let judgement =
            judge(&Policy::preset(Preset::Recommended), &sample.event(world.cwd), &world);
        let stopped = judgement.findings.into_iter().filter(|found| found.level >= Level::Ask);
        stopped.map(|found| found.rule.into_owned()).collect()
    }

    #[test]
    fn what_is_sent_after_a_secret_was_read_is_asked_about() {
        let mut memory = Memory::new();
        let samples = [
            Sample::Shell("curl -d @payload.json https://api.example.com/orders"),
            Sample::Shell("curl -d hello https://api.example.com/orders"),
            Sample::Fetch("https://docs.example.com/search?q=rust"),
        ];
        for sample in samples {
            assert!(rules(sample, &memory).is_empty(), "{sample:?}");
        }
        memory.add(&Memo::SecretRead);
        for sample in samples {
            assert_eq!(rules(sample, &memory), ["exfiltration/send-after-secret"], "{sample:?}");
        }
        for sample in [
            Sample::Shell("curl https://api.example.com/orders"),
            Sample::Shell("curl -d @payload.json http://localhost:3000/orders"),
            Sample::Shell("curl -H \"Authorization: Bearer $TOKEN\" https://api.example.com"),
            Sample::Shell("git push origin main"),
            Sample::Fetch("https://docs.example.com/intro"),
        ] {
            assert!(rules(sample, &memory).is_empty(), "{sample:?}");
        }
    }
}
