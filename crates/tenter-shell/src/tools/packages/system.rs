//! Package managers of operating systems.

use super::{Manager, install, manage, named};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::{Options, Spec, parse};
use crate::target::Target;
use crate::value::Field;
use crate::wrappers::runners;

pub(in crate::tools) const PROGRAMS: Programs = &[
    ("apt", apt),
    ("apt-get", apt),
    ("aptitude", apt),
    ("add-apt-repository", |call| {
        for place in call.options(&Spec::new("S:P:U:", "sourceslist= ppa= uri=")).operands {
            named(call, Act::RepositoryAdd, place);
        }
    }),
    ("apt-key", apt_key),
    ("dpkg", dpkg),
    ("yum-config-manager", |call| {
        for place in call.options(&Spec::new("", "add-repo= setopt=")).values(&["add-repo"]) {
            named(call, Act::RepositoryAdd, place);
        }
    }),
    ("yum", |call| _ = manage(call, call.arguments(), &DNF)),
    ("dnf", |call| _ = manage(call, call.arguments(), &DNF)),
    ("dnf5", |call| _ = manage(call, call.arguments(), &DNF)),
    ("microdnf", |call| _ = manage(call, call.arguments(), &DNF)),
    ("zypper", |call| _ = manage(call, call.arguments(), &DNF)),
    ("rpm", rpm),
    ("pacman", pacman),
    ("yay", pacman),
    ("paru", pacman),
    ("apk", |call| _ = manage(call, call.arguments(), &PLAIN)),
    ("snap", |call| _ = manage(call, call.arguments(), &PLAIN)),
    ("port", |call| _ = manage(call, call.arguments(), &PLAIN)),
    ("pkg", |call| _ = manage(call, call.arguments(), &PLAIN)),
    ("opkg", |call| _ = manage(call, call.arguments(), &PLAIN)),
    ("mas", |call| _ = manage(call, call.arguments(), &PLAIN)),
    ("flatpak", |call| _ = manage(call, call.arguments(), &FLATPAK)),
    ("brew", brew),
    ("choco", |call| _ = manage(call, call.arguments(), &PLAIN)),
    ("winget", winget),
    ("scoop", |call| _ = manage(call, call.arguments(), &PLAIN)),
    ("nix-env", nix_env),
    ("nix-collect-garbage", |call| {
        if !call.arguments().iter().any(|field| field.is("--dry-run")) {
            call.effect(Kind::Install, Act::Uninstall, Target::None);
        }
    }),
    ("emerge", emerge),
];

const APT: Manager = Manager::new(
    Spec::new(
        "c:o:t:a:",
        "option= config-file= target-release= default-release= host-architecture=",
    ),
    "\
install|reinstall|build-dep: install-named
remove|purge: uninstall
upgrade|dist-upgrade|full-upgrade|safe-upgrade: upgrade
autoremove|autopurge: autoremove",
    "\
source: receive/package-source *
edit-sources: install/repository-add
clean|autoclean: delete/cache-clean",
)
.harmless(&[
    "s",
    "simulate",
    "dry-run",
    "just-print",
    "no-act",
    "recon",
    "d",
    "download-only",
    "version",
    "print-uris",
]);

fn apt(call: &mut Call<'_, '_>) {
    manage(call, call.arguments(), &APT);
}

/// `curl https://... | apt-key add -`: whoever has that key is believed from then on.
fn apt_key(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("", "keyring="));
    let piped = options.operand(0) == Some("add") && options.operand(1) == Some("-");
    if let Some(from) = call.stdin.flow.from_network().filter(|_| piped) {
        let target = Target::name(from);
        call.effect(Kind::Install, Act::RepositoryAdd, target);
    }
}

const DNF: Manager = Manager::new(
    Spec::new(
        "c:x:d:e:r:t:",
        "enablerepo= disablerepo= repo= repoid= installroot= setopt= exclude= \
         releasever= repofrompath= root= type= from= add-repo= dry-run",
    ),
    "\
install|in|localinstall|reinstall|groupinstall|swap: install-named
group install: install-named
remove|rm|erase|groupremove: uninstall
group remove: uninstall
autoremove: autoremove
update|up|upgrade|dup|dist-upgrade|distro-sync|patch|upgrade-minimal: upgrade
module install|enable: install-named",
    "\
addrepo|ar: install/repository-add 1
removerepo|rr: install/repository-remove 1
config-manager -add-repo: install/repository-add --add-repo
copr enable: install/repository-add 1
history undo|rollback: install/upgrade
clean: delete/cache-clean",
)
.harmless(&["assumeno", "downloadonly", "dry-run", "D", "version", "download-only"]);

const PLAIN: Manager = Manager::new(
    Spec::new(
        "t:X:p:s:v:q:",
        "virtual= repository= root= channel= source= version= id= name= query= moniker= \
         arch= params= scope= location= dry-run simulate what-if noop classic",
    ),
    "\
install|add: install-named
uninstall|remove|delete|del|rm: uninstall
upgrade|update|refresh|selfupdate: upgrade
autoremove: autoremove
import: install-named",
    "\
bucket add: install/repository-add *
source add: install/repository-add *
bucket rm: install/repository-remove 1
cache rm: delete/cache-clean
connect: system/snap-connect *",
)
.harmless(&["s", "simulate", "dry-run", "n", "noop", "what-if", "version"])
.index(&["X", "repository", "source", "s"]);

fn winget(call: &mut Call<'_, '_>) {
    let options = call.options(&PLAIN.cli.spec);
    let action = match options.operand(0) {
        Some("install" | "add") => Some(Act::Install),
        Some("uninstall" | "remove" | "rm") => Some(Act::Uninstall),
        Some("upgrade" | "update") => Some(Act::Upgrade),
        _ => None,
    };
    if let Some(name) = options.value(&["id", "name", "query", "q", "moniker"])
        && let Some(action) = action
    {
        named(call, action, name);
    } else {
        manage(call, call.arguments(), &PLAIN);
    }
}

const FLATPAK: Manager = Manager::new(
    Spec::new("", "arch= installation= command= branch="),
    "\
install: install-named
uninstall|remove: uninstall
update|upgrade: upgrade",
    "\
remote-add: install/repository-add *
remote-delete: install/repository-remove *
override: system/flatpak-override 1",
);

const BREW: Manager = Manager::new(
    Spec::new("", "appdir= cc= file= formula cask dry-run"),
    "\
install|reinstall: install-named
cask install: install-named
uninstall|remove|rm: uninstall
upgrade: upgrade
autoremove: autoremove
bundle install: locked",
    "\
untap: install/repository-remove *
services stop|kill: service/stop *
services start|run: service/start *
services restart: service/restart *
cleanup: delete/cache-clean
link|unlink|pin|unpin: install/link *",
)
.harmless(&["dry-run", "n", "version"]);

fn brew(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let options = parse(arguments, &BREW.cli.spec);
    if options.operands.len() == 1 && options.operand(0) == Some("bundle") {
        call.effect(Kind::Install, Act::InstallLocked, Target::None);
        return;
    }
    match options.operands.as_slice() {
        [verb, place, ..] if verb.is("tap") => _ = named(call, Act::RepositoryAdd, place),
        _ => _ = manage(call, arguments, &BREW),
    }
}

/// The operands are installed or removed, as options say.
fn each(call: &mut Call<'_, '_>, options: &Options<'_>, action: Act) {
    for package in &options.operands {
        if action == Act::Install {
            install(call, package, false, false);
        } else {
            named(call, action, package).force = options.has(&["force", "nodeps", "noconfirm"]);
        }
    }
}

fn dpkg(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "D:",
        "install unpack remove purge configure root= admindir= instdir= force-all no-act \
         dry-run simulate list status",
    ));
    if options.has(&["no-act", "dry-run", "simulate", "help", "version"]) {
        return;
    }
    if options.has(&["i", "install", "unpack"]) {
        for package in &options.operands {
            call.on_path(Kind::Install, Act::InstallFile, package);
        }
    } else if options.has(&["r", "remove", "P", "purge"]) {
        each(call, &options, Act::Uninstall);
    }
}

fn rpm(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "E:D:f:p:",
        "root= dbpath= prefix= import install upgrade freshen erase query verify test \
         nodeps force checksig",
    ));
    if options.has(&["test", "help", "version", "q", "query", "V", "verify", "K", "checksig"]) {
        return;
    }
    if options.has(&["e", "erase"]) {
        each(call, &options, Act::Uninstall);
    } else if options.has(&["i", "install", "U", "upgrade", "F", "freshen"]) {
        each(call, &options, Act::Install);
    } else if options.has(&["import"]) {
        for key in &options.operands {
            named(call, Act::RepositoryAdd, key);
        }
    }
}

fn pacman(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "b:r:",
        "sync remove upgrade query sysupgrade refresh search info print dbpath= root= \
         config= cachedir= noconfirm overwrite= ignore= clean nodeps list groups \
         downloadonly",
    ));
    if options.has(&["Q", "query", "help", "h", "version", "V", "p", "print", "T", "F", "D"]) {
        return;
    }
    if options.has(&["R", "remove"]) {
        each(call, &options, Act::Uninstall);
    } else if options.has(&["U", "upgrade"]) {
        each(call, &options, Act::Install);
    } else if options.has(&["S", "sync"]) || (call.name != "pacman" && options.found.is_empty()) {
        if options.has(&[
            "s",
            "search",
            "i",
            "info",
            "l",
            "list",
            "g",
            "groups",
            "w",
            "downloadonly",
        ]) {
            return;
        }
        if options.has(&["c", "clean"]) {
            call.effect(Kind::Delete, Act::CacheClean, Target::None);
            return;
        }
        if options.has(&["u", "sysupgrade"]) {
            call.effect(Kind::Install, Act::Upgrade, Target::None);
        }
        each(call, &options, Act::Install);
    }
}

fn nix_env(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "f:p:I:",
        "install uninstall upgrade attr from-expression file= profile= set= \
         delete-generations dry-run query rollback",
    ));
    if options.has(&["dry-run", "help", "q", "query"]) {
        return;
    }
    if options.has(&["e", "uninstall", "delete-generations"]) {
        each(call, &options, Act::Uninstall);
    } else if options.has(&["i", "install"]) {
        each(call, &options, Act::Install);
    } else if options.has(&["u", "upgrade"]) {
        call.effect(Kind::Install, Act::Upgrade, Target::None);
    }
}

const NIX: Manager = Manager::new(
    Spec::new("f:I:", "file= profile= expr= override-input= option= out-link= dry-run"),
    "\
profile install|add: install-named
profile remove: uninstall
profile upgrade: upgrade
flake update: locked",
    "\
profile rollback|wipe-history: install/uninstall
store delete|gc: install/uninstall *
registry add: install/repository-add 1",
);

pub(crate) fn nix(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let options = parse(
        arguments,
        &Spec::new("I:f:c", "file= expr= override-input= command include= profile= inputs-from="),
    );
    if options.has(&["help", "h", "dry-run", "version"]) {
        return;
    }
    match options.operand(0) {
        Some("run") => {
            if let Some(package) = options.operands.get(1).filter(|package| is_remote(package)) {
                runners::announce(call, &[package], runners::From::Registry);
            }
        }
        Some("shell" | "develop") => {
            let at = arguments.iter().position(|field| field.is("-c") || field.is("--command"));
            if let Some(argv) = at.and_then(|at| arguments.get(at + 1..)) {
                call.stdout = call.run(argv);
            }
        }
        _ => _ = manage(call, arguments, &NIX),
    }
}

/// A flake from elsewhere rather than the one in this directory.
fn is_remote(field: &Field) -> bool {
    let text = field.prefix();
    !text.is_empty() && !text.starts_with(['.', '/', '-'])
}

fn emerge(call: &mut Call<'_, '_>) {
    let options =
        call.options(&Spec::new("", "unmerge depclean pretend search sync update jobs=? deselect"));
    if options.has(&["p", "pretend", "s", "search", "S", "h", "help", "version", "V", "sync"]) {
        return;
    }
    let remove = options.has(&["C", "unmerge", "c", "depclean", "W", "deselect"]);
    each(call, &options, if remove { Act::Uninstall } else { Act::Install });
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn packages_come_and_go() {
        check(
            "
            apt-get -y -o A::B=c install curl => install install curl certain
            apt install ./x.deb => install install-file /shop/x.deb certain
            apt-get install -s curl =>
            apt remove -y curl => install uninstall curl certain -f
            apt-get autoremove => install uninstall  certain
            apt update =>
            apt search curl =>
            apt upgrade => install upgrade  certain
            dpkg -i x.deb => install install-file /shop/x.deb certain
            dpkg -l curl =>
            dpkg --purge curl => install uninstall curl certain
            dnf install -y curl => install install curl certain
            yum remove curl => install uninstall curl certain
            rpm -qa =>
            rpm -Uvh https://h/x.rpm => install install-url https://h/x.rpm certain <[Network(\"https://h/x.rpm\")]
            rpm -e curl => install uninstall curl certain
            pacman -Syu curl => install upgrade  certain; install install curl certain
            pacman -Ss curl =>
            pacman -Rns curl => install uninstall curl certain
            apk add --virtual .deps gcc => install install gcc certain
            brew install --cask x => install install x certain
            brew list =>
            brew uninstall x => install uninstall x certain
            brew tap me/x => install repository-add me/x certain
            brew tap =>
            snap install code --classic => install install code certain
            choco install git -y => install install git certain
            winget uninstall x => install uninstall x certain
            nix-env -iA nixpkgs.hello => install install nixpkgs.hello certain
            nix run nixpkgs#hello => execute package-code nixpkgs#hello certain
            nix develop -c git clean -f => vcs-worktree clean /shop certain -f
            nix build =>
            emerge -C curl => install uninstall curl certain
            ",
        );
    }
}
