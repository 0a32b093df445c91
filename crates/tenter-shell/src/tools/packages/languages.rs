//! Package managers of other languages, and of editors.

use super::{Manager, after, build_clean, install, manage, named, run, sources};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::{Certainty, Kind};
use crate::expand::Variable;
use crate::options::{Spec, parse};
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;
use crate::wrappers::interpreters::run_script;
use crate::wrappers::runners;

pub(in crate::tools) const PROGRAMS: Programs = &[
    ("cargo", cargo),
    ("go", go),
    ("gem", gem),
    ("bundle", bundle),
    ("bundler", bundle),
    ("composer", composer),
    ("dotnet", dotnet),
    ("nuget", |call| _ = manage(call, call.arguments(), &NUGET)),
    ("cpan", each),
    ("cpanm", each),
    ("luarocks", |call| _ = manage(call, call.arguments(), &OTHERS)),
    ("opam", |call| exec(call, &OTHERS)),
    ("stack", |call| exec(call, &OTHERS)),
    ("cabal", |call| exec(call, &OTHERS)),
    ("dart", |call| _ = manage(call, call.arguments(), &DART)),
    ("flutter", |call| _ = manage(call, call.arguments(), &DART)),
    ("rustup", |call| _ = manage(call, call.arguments(), &RUSTUP)),
    ("pod", |call| _ = manage(call, call.arguments(), &POD)),
    ("code", editor),
    ("code-insiders", editor),
    ("codium", editor),
    ("cursor", editor),
    ("windsurf", editor),
];

const CARGO: Manager = Manager::new(
    Spec::new(
        "p:F:j:Z:",
        "git= branch= tag= rev= path= vers= version= root= registry= index= token= \
         manifest-path= target-dir= target= features= config= color= jobs= package= \
         profile= rename= precise= example= bin= dry-run undo list add= remove=",
    ),
    "\
binstall: install-named
add: install-named
uninstall: uninstall
remove|rm: uninstall
fetch: locked
update: upgrade",
    "\
publish|release: publish --p|package
yank: unpublish 1
owner -a|add|r|remove: owner 1
login|logout: login
clean -doc: delete/build-clean",
);

fn cargo(call: &mut Call<'_, '_>) {
    let all = call.arguments();
    // `cargo +nightly install x`
    let toolchain = all.first().is_some_and(|field| field.prefix().starts_with('+'));
    let arguments = all.get(usize::from(toolchain)..).unwrap_or_default();
    let options = parse(arguments, &CARGO.cli.spec);
    if options.has(&["help", "h", "dry-run", "n", "list"]) {
        return;
    }
    match options.operand(0) {
        Some(verb @ ("install" | "add")) => {
            if verb == "install"
                && let Some(root) = options.value(&["root"])
            {
                let sources = options.values(&["git", "path"]);
                let packages: Vec<&Field> =
                    sources.chain(options.operands.iter().skip(1).copied()).collect();
                for package in packages {
                    built(call, root, "bin/", package);
                }
            }
            if let Some(place) = options.value(&["git"]) {
                let git = Field::text(format!("git+{}", place.shown()), place.span);
                install(call, &git, false, false);
                return;
            }
            if let Some(place) = options.value(&["path"]) {
                call.on_path(Kind::Install, Act::InstallFile, place);
                return;
            }
            if verb == "add" {
                manage(call, arguments, &CARGO);
                return;
            }
            sources::options(call, &options);
            sources::environment(call);
            for name in options.operands.iter().skip(1) {
                install(call, name, true, false);
            }
        }
        // `cargo run -p tenter-cli -- uninstall` is this guard.
        Some("run" | "r") if runs_own(arguments) => {
            let at = arguments.iter().position(|field| field.is("--"));
            let rest = at.and_then(|at| arguments.get(at.saturating_add(1)..)).unwrap_or_default();
            let mut argv = vec![Field::text("tenter", call.span)];
            argv.extend_from_slice(rest);
            call.stdout = call.run(&argv);
        }
        // `cargo script x.rs`, `cargo +nightly -Zscript x.rs`
        Some(_) if cargo_script(arguments).is_some() => {
            run_script(call, Language::Rust, cargo_script(arguments));
        }
        Some("clean") if !options.has(&["doc"]) => {
            let place = options.value(&["target-dir"]).cloned();
            build_clean(call, &place.unwrap_or_else(|| Field::text("target", call.span)));
        }
        _ => _ = manage(call, arguments, &CARGO),
    }
}

/// Whether the name of a file ends so.
fn is_source(field: &Field, ending: &str) -> bool {
    field.suffix().rsplit_once('.').is_some_and(|(_, found)| found == ending)
}

/// The source file that cargo runs as a script.
fn cargo_script(arguments: &[Field]) -> Option<&Field> {
    let words = |word: &str| arguments.iter().any(|field| field.is(word));
    let file = arguments.iter().find(|field| is_source(field, "rs"))?;
    let first = arguments.iter().find(|field| !field.prefix().starts_with(['-', '+']));
    let named = first.is_some_and(|first| first.is("script") || std::ptr::eq(first, file));
    (named || words("-Zscript")).then_some(file)
}

/// The program of a package is put into `folder` below `root`; as a rule it has the name of the package.
fn built(call: &mut Call<'_, '_>, root: &Field, folder: &str, package: &Field) {
    let (Some(root_path), Some(text)) = (root.exact(), package.exact()) else { return };
    let text = text.split('@').next().unwrap_or_default().trim_end_matches('/');
    let name = text.rsplit('/').next().unwrap_or_default().trim_end_matches(".git");
    if !matches!(name, "" | "." | ".." | "...") {
        let place = format!("{}/{folder}{name}", root_path.trim_end_matches('/'));
        call.on_path(Kind::Write, Act::Install, &Field::text(place, root.span));
    }
}

/// Whether the package or the program that is run is this guard's, or the first argument of
/// whatever is run is a command of its own by which it stands aside.
fn runs_own(arguments: &[Field]) -> bool {
    let (mut before, mut rest) = ("", arguments.iter());
    rest.any(|field| {
        let text = field.prefix();
        let own = |name: &str| name.starts_with("tenter");
        let found = matches!(before, "-p" | "--package" | "--bin") && own(text)
            || text.strip_prefix("--package=").is_some_and(own)
            || text.strip_prefix("--bin=").is_some_and(own)
            || text.strip_prefix("-p").is_some_and(own)
            || (text.starts_with("--manifest-path") || before == "--manifest-path")
                && text.contains("tenter");
        before = text;
        found
    })
}

const GO: Spec = Spec::one_dash(
    "C= o= p= exec= toolexec= ldflags= gcflags= asmflags= tags= mod= modfile= overlay= \
     pkgdir= vettool= run= bench= count= timeout= coverprofile= cpuprofile= buildmode= \
     covermode= coverpkg= modcacherw modcache n cache testcache fuzzcache u x v a i t d e f m c w \
     race msan asan cover json work short failfast trimpath benchmem benchtime= cpu= parallel= \
     shuffle= skip= list= fuzz= fuzztime= memprofile= blockprofile= trace= outputdir=",
);

fn go(call: &mut Call<'_, '_>) {
    let options = call.options(&GO);
    if options.has(&["n", "h", "help"]) {
        return;
    }
    for code in options.values(&["exec", "toolexec", "vettool"]) {
        let certainty = call.machine.certainty;
        call.machine.certainty = certainty.min(Certainty::Possible);
        call.run_code(Language::Shell(crate::syntax::Dialect::Posix), code);
        call.machine.certainty = certainty;
    }
    let rest = options.operands.get(1..).unwrap_or_default();
    if let Some(made) = options.value(&["o"]).filter(|_| options.operand(0) == Some("build")) {
        call.on_path(Kind::Write, Act::Build, made);
    }
    if options.operand(0) == Some("build")
        && let Some(source) = rest.iter().find(|field| is_source(field, "go"))
    {
        let stem = source.exact().and_then(|text| text.strip_suffix(".go"));
        let made = options.value(&["o"]).cloned();
        let made = made.or_else(|| stem.map(|stem| Field::text(stem, source.span)));
        let sources: Vec<Field> = rest.iter().map(|field| (*field).clone()).collect();
        crate::tools::compile::build(call, Language::Go, &sources, made);
    }
    match options.operand(0) {
        Some("env") if options.has(&["w"]) => sources::settings(call, rest),
        Some("install" | "get") => {
            sources::environment(call);
            let folder = variable(call, "GOBIN");
            for package in rest {
                if let Some(folder) = &folder {
                    built(call, folder, "", package);
                }
                // A local package is built, not fetched.
                if is_module(package) {
                    named(call, Act::Install, package);
                }
            }
        }
        Some("run") => match rest.first() {
            Some(package) if is_module(package) => {
                runners::announce(call, &[package], runners::From::Registry);
            }
            Some(_) => {
                for script in rest {
                    if !is_source(script, "go") && !script.is("-") {
                        break;
                    }
                    run_script(call, Language::Go, Some(script));
                }
            }
            None => {}
        },
        Some("clean") if options.has(&["modcache", "cache", "fuzzcache"]) => {
            call.effect(Kind::Delete, Act::CacheClean, Target::None);
        }
        Some("mod") if rest.first().is_some_and(|word| word.is("download")) => {
            call.effect(Kind::Install, Act::InstallLocked, Target::None);
        }
        _ => {}
    }
}

/// The value of a variable that is set for this program, or exported before.
fn variable(call: &Call<'_, '_>, name: &str) -> Option<Field> {
    let assigned = call.machine.assignments.iter().rev().find(|(known, _)| known == name);
    if let Some((_, value)) = assigned {
        return Some(value.clone());
    }
    let slot = call.machine.shell.slot(name).filter(|slot| slot.exported)?;
    match slot.values.first() {
        Some(Variable::Scalar(value)) => Some(value.clone()),
        _ => None,
    }
}

/// `example.com/x/y@v1` rather than `./cmd/y`.
fn is_module(field: &Field) -> bool {
    let text = field.prefix();
    let host = text.split('/').next().unwrap_or_default();
    let source = text.rsplit_once('.').is_some_and(|(_, ending)| ending == "go");
    !text.starts_with('.') && !source && host.contains('.')
}

const GEM: Manager = Manager::new(
    Spec::new(
        "v:i:n:s:P:k:",
        "version= install-dir= bindir= source= platform= host= key= otp= dry-run add= \
         remove=",
    ),
    "\
install|i: install-named
uninstall: uninstall
update: upgrade
cleanup: autoremove",
    "\
push: publish path1
yank: unpublish 1
owner -a|add|r|remove: owner 1
signin|signout: token
sources -a|add: install/repository-add --a|add
sources -r|remove: install/repository-remove --r|remove",
)
.index(&["source", "s"]);

fn gem(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    if arguments.first().is_some_and(|field| field.is("exec")) {
        runners::uvx(call, after(arguments, "exec"));
        return;
    }
    manage(call, arguments, &GEM);
}

const BUNDLE: Manager = Manager::new(
    Spec::new(
        "g:s:v:",
        "gemfile= path= jobs= group= source= version= git= github= branch= without= dry-run",
    ),
    "\
install|i: locked
add: install-named
remove: uninstall
update: upgrade",
    "clean: delete/cache-clean",
)
.index(&["source", "s"]);

fn bundle(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    match arguments.iter().find(|field| !field.prefix().starts_with('-')).and_then(Field::exact) {
        Some(word @ ("exec" | "e")) => {
            run(call, after(arguments, word), &Spec::first("", "gemfile= keep-file-descriptors"));
        }
        None if arguments.is_empty() => {
            call.effect(Kind::Install, Act::InstallLocked, Target::None);
        }
        Some("add") => {
            let options = parse(arguments, &BUNDLE.cli.spec);
            let address = options.value(&["git"]).map(Field::shown);
            let short = options.value(&["github"]).map(|name| format!("github:{}", name.shown()));
            if let Some(place) = address.map(|address| format!("git+{address}")).or(short) {
                install(call, &Field::text(place, call.span), false, false);
            } else {
                manage(call, arguments, &BUNDLE);
            }
        }
        _ => _ = manage(call, arguments, &BUNDLE),
    }
}

const COMPOSER: Manager = Manager::new(
    Spec::new("d:", "working-dir= repository= stability= dry-run"),
    "\
global require: install-global
global remove: uninstall
global update: upgrade
require|req|r: install-named
remove|rm|uninstall: uninstall
install|i: locked
create-project: install-named
update|u|upgrade: upgrade
self-update|selfupdate: upgrade",
    "\
config repositories: install/index
clear-cache|clearcache|cc: delete/cache-clean",
);

fn composer(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    if arguments.first().is_some_and(|field| field.is("exec")) {
        run(call, after(arguments, "exec"), &Spec::first("d:", "working-dir="));
    } else {
        manage(call, arguments, &COMPOSER);
    }
}

const DOTNET: Manager = Manager::new(
    Spec::new(
        "v:f:s:k:g",
        "version= framework= source= api-key= tool-path= package-directory= \
         configuration= add-source=",
    ),
    "\
add package: install-named
add * package: install-named
tool install|update: install-named
tool uninstall: uninstall
workload install|update: install-named
workload uninstall: uninstall
new install: install-named
new uninstall: uninstall
restore: locked
tool restore: locked",
    "\
nuget push: publish path1
nuget delete: unpublish 1
nuget add source: install/repository-add 1
nuget remove source: install/repository-remove 1
nuget locals: delete/cache-clean",
)
.index(&["source", "s", "add-source"]);

fn dotnet(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    if arguments.first().is_some_and(|field| field.is("ef")) {
        // It is a program of its own.
        let mut argv = vec![Field::text("dotnet-ef", call.span)];
        argv.extend_from_slice(after(arguments, "ef"));
        call.stdout = call.run(&argv);
    } else if arguments.first().is_some_and(|field| field.is("script")) {
        let mut argv = vec![Field::text("dotnet-script", call.span)];
        argv.extend_from_slice(after(arguments, "script"));
        call.stdout = call.run(&argv);
    } else if let Some(script) = dotnet_file(arguments) {
        run_script(call, Language::DotNet, Some(script));
    } else {
        manage(call, arguments, &DOTNET);
    }
}

/// `dotnet fsi x.fsx`, `dotnet run x.cs`, `dotnet x.cs`
fn dotnet_file(arguments: &[Field]) -> Option<&Field> {
    let verb = arguments.first()?;
    let runs = verb.is("fsi") || verb.is("run") || is_source(verb, "cs");
    let endings = ["fsx", "fs", "cs", "csx"];
    let named = |field: &&Field| endings.iter().any(|ending| is_source(field, ending));
    arguments.iter().find(named).filter(|_| runs)
}

const NUGET: Manager = Manager::new(
    Spec::one_dash("Source= ApiKey= Version= OutputDirectory= ConfigFile="),
    "\
install: install
restore: locked
update: upgrade",
    "\
push: publish path1
delete: unpublish 1
sources add: install/repository-add
setapikey: token",
);

const OTHERS: Manager = Manager::new(
    Spec::new("y", "tree= server= root= switch= resolver= api-key= dry-run installdir="),
    "\
install|reinstall: install
remove|uninstall: uninstall
upgrade: upgrade
pin add: install-named
update: locked",
    "\
upload: publish path*
repository add: install/repository-add 1
switch remove: install/uninstall 1",
);

fn exec(call: &mut Call<'_, '_>, manager: &Manager) {
    let arguments = call.arguments();
    if arguments.first().is_some_and(|field| field.is("exec")) {
        run(call, after(arguments, "exec"), &Spec::first("", "switch= package="));
    } else {
        manage(call, arguments, manager);
    }
}

const DART: Manager = Manager::new(
    Spec::new("C:", "directory= dry-run source= git-url="),
    "\
pub add: install-named
pub remove: uninstall
pub get: locked
pub upgrade: upgrade
pub global activate: install-global
pub global deactivate: uninstall
upgrade: upgrade",
    "\
pub publish|lish: publish
pub cache clean: delete/cache-clean
pub token add|remove: token",
);

const RUSTUP: Manager = Manager::new(
    Spec::new("", "toolchain= profile= component= target="),
    "\
toolchain install|add|update: install-named
toolchain uninstall|remove: uninstall
component|target add|install: install-named
component|target remove|uninstall: uninstall
install: install-named
uninstall: uninstall
update|upgrade: upgrade
self uninstall: uninstall
self update: upgrade",
    "",
);

const POD: Manager = Manager::new(
    Spec::new("", ""),
    "install: locked\nupdate: upgrade",
    "trunk push: publish path1\ntrunk delete|deprecate: unpublish 1",
);

/// Every operand is a package.
fn each(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("l:L:M:", "local-lib= mirror= installdeps"));
    if options.has(&["h", "help", "version", "look", "info"]) {
        return;
    }
    for package in options.operands {
        install(call, package, false, false);
    }
}

fn editor(call: &mut Call<'_, '_>) {
    if call.arguments().first().is_some_and(|word| word.is("tunnel") || word.is("serve-web")) {
        call.effect(Kind::Send, Act::Tunnel, Target::None);
    }
    let options = call.options(&Spec::new(
        "",
        "install-extension= uninstall-extension= extensions-dir= user-data-dir= profile=",
    ));
    for extension in options.values(&["install-extension"]) {
        install(call, extension, false, false);
    }
    for extension in options.values(&["uninstall-extension"]) {
        named(call, Act::Uninstall, extension);
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn packages_come_and_go() {
        check(
            "
            cargo build --release =>
            cargo test -p x =>
            cargo run -- install x =>
            cargo install ripgrep --version 14.0.0 => install install-global ripgrep certain
            cargo +nightly install x => install install-global x certain
            cargo install --git https://h/x => install install-git git+https://h/x certain <[Network(\"git+https://h/x\")]
            cargo install --path . => install install-file /shop certain
            cargo install --list =>
            cargo install --root /r git => write install /r/bin/git certain; install install-global git certain
            cargo install --root /r --path ./ls/ => write install /r/bin/ls certain; install install-file /shop/ls certain
            cargo add serde -F derive => install install serde certain
            cargo clean => delete build-clean /shop/target certain -r
            cargo publish --dry-run =>
            cargo publish -p x => publish publish x certain
            cargo yank --vers 1.0.0 x => publish unpublish x certain
            go build ./... =>
            go install ./cmd/x =>
            go install h.com/x@latest => install install h.com/x@latest certain
            go run main.go =>
            go run h.com/x@latest => execute package-code h.com/x@latest certain
            go clean -modcache => delete cache-clean  certain
            go test ./... =>
            gem install rails -v 7 => install install rails certain
            gem push x.gem => publish publish /shop/x.gem certain
            gem yank x -v 1 => publish unpublish x certain
            gem list =>
            bundle => install install-locked  certain
            bundle exec git clean -f => vcs-worktree clean /shop certain -f
            bundle exec rake =>
            composer require a/b => install install a/b certain
            composer install => install install-locked  certain
            dotnet ef database drop -f => database drop-database  certain -f
            dotnet add app package x => install install x certain
            dotnet nuget push x.nupkg -k key => publish publish /shop/x.nupkg certain
            dotnet build =>
            cpanm Moose => install install Moose certain
            code --install-extension a.b => install install a.b certain
            code . =>
            opam exec -- git clean -f => vcs-worktree clean /shop certain -f
            rustup toolchain install nightly => install install nightly certain
            ",
        );
    }
}
