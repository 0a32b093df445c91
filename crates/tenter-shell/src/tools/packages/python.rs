//! pip and what came after it.

use super::{Manager, after, install, manage, named, run, sources};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::{Spec, parse};
use crate::value::Field;
use crate::world::Language;
use crate::wrappers::runners;

pub(in crate::tools) const PROGRAMS: Programs = &[
    ("pip", pip),
    ("pip2", pip),
    ("pip3", pip),
    ("pipx", pipx),
    ("uv", uv),
    ("poetry", |call| project(call, &POETRY)),
    ("pdm", |call| project(call, &POETRY)),
    ("pipenv", |call| project(call, &POETRY)),
    ("hatch", |call| project(call, &POETRY)),
    ("rye", |call| project(call, &POETRY)),
    ("conda", |call| project(call, &CONDA)),
    ("mamba", |call| project(call, &CONDA)),
    ("micromamba", |call| project(call, &CONDA)),
    ("pixi", |call| project(call, &CONDA)),
    ("easy_install", |call| {
        for package in call.options(&Spec::new("d:i:f:", "")).operands {
            install(call, package, false, false);
        }
    }),
];

const PIP_SPEC: Spec = Spec::new(
    "r:e:c:t:i:f:d:",
    "requirement= editable= constraint= target= index-url= extra-index-url= find-links= \
     prefix= root= platform= python-version= implementation= abi= src= upgrade-strategy= \
     config-settings= global-option= no-binary= only-binary= progress-bar= report= \
     python= log= proxy= retries= timeout= exists-action= trusted-host= allow-insecure-host= cert= \
     client-cert= cache-dir= group= dry-run pre user upgrade index= default-index= \
     extra= package= directory= project= version= tag= optional= color= config-file= \
     with= name= channel= file= path= source=",
);

const PIP: Manager = Manager::new(
    PIP_SPEC,
    "\
install: install-named
uninstall: uninstall
sync: locked",
    "\
download|wheel: receive/package-source *
cache purge|remove: delete/cache-clean",
);

fn pip(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    pip_arguments(call, arguments);
}

fn pip_arguments(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let options = parse(arguments, &PIP_SPEC);
    if let [config, set, words @ ..] = options.operands.as_slice()
        && config.is("config")
        && set.is("set")
    {
        sources::settings(call, words);
        return;
    }
    if !options.has(&["dry-run", "help", "h"]) && options.operand(0) == Some("install") {
        sources::index(call, &options, &["i", "f"]);
        for list in options.values(&["r", "requirement"]) {
            if list.prefix().contains("://") {
                install(call, list, false, false);
                continue;
            }
            call.read(Act::Requirements, list);
            call.on_path(Kind::Install, Act::InstallLocked, list);
        }
        for place in options.values(&["e", "editable"]) {
            install(call, place, false, false);
        }
    }
    manage(call, arguments, &PIP);
}

const PIPX: Manager = Manager::new(
    PIP_SPEC,
    "\
install: install-named
uninstall: uninstall
inject: install-named
uninject: uninstall
upgrade|upgrade-all|reinstall|reinstall-all: upgrade
uninstall-all: autoremove",
    "ensurepath: write/shell-profile",
);

fn pipx(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    match arguments.first().and_then(Field::exact) {
        Some("run") => runners::uvx(call, after(arguments, "run")),
        Some("runpip") => {
            let inner = arguments.get(2..).unwrap_or_default();
            pip_arguments(call, inner);
        }
        _ => _ = manage(call, arguments, &PIPX),
    }
}

const UV: Manager = Manager::new(
    PIP_SPEC,
    "\
add: install-named
remove: uninstall
sync: locked
pip sync: locked
tool install: install-named
tool uninstall: uninstall
tool upgrade: upgrade
python install: install-named
python uninstall: uninstall
python upgrade: upgrade
self update: upgrade",
    "\
publish: publish path*
cache clean|prune: delete/cache-clean
auth login|logout: login",
);

const UV_RUN: Spec = Spec::first(
    "p:m:w:C:",
    "with= with-editable= with-requirements= python= project= directory= package= extra= \
     group= only-group= no-group= no-extra= env-file= module= index= default-index= \
     index-url= extra-index-url= find-links= cache-dir= config-file= color= \
     refresh-package= upgrade-package= reinstall-package= no-binary-package= \
     no-build-package= config-setting= link-mode= resolution= prerelease= exclude-newer= \
     python-platform=",
);

fn uv(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let globals =
        parse(arguments, &Spec::first("", "directory= project= config-file= cache-dir= color="));
    let rest = arguments.get(globals.consumed..).unwrap_or_default();
    let word = |at: usize| rest.get(at).and_then(Field::exact);
    match (word(0), word(1)) {
        (Some("run"), _) => uv_run(call, rest.get(1..).unwrap_or_default()),
        (Some("tool"), Some("run")) => runners::uvx(call, rest.get(2..).unwrap_or_default()),
        (Some("pip"), Some("install" | "uninstall")) => {
            pip_arguments(call, rest.get(1..).unwrap_or_default());
        }
        _ => _ = manage(call, rest, &UV),
    }
}

fn uv_run(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let options = parse(arguments, &UV_RUN);
    if options.has(&["help", "h"]) {
        return;
    }
    let with: Vec<&Field> = options.values(&["with", "w"]).collect();
    runners::announce(call, &with, runners::From::Registry);
    let argv = arguments.get(options.consumed..).unwrap_or_default();
    let python = |more: &[Field]| {
        let mut argv = vec![Field::text("python", call.span)];
        argv.extend_from_slice(more);
        argv
    };
    if let Some(module) = options.find(&["m", "module"]).and_then(|found| found.value.clone()) {
        let mut argv = python(&[Field::text("-m", module.span), module]);
        argv.extend_from_slice(
            options.operands.iter().map(|field| (*field).clone()).collect::<Vec<_>>().as_slice(),
        );
        call.stdout = call.run(&argv);
        return;
    }
    let Some(first) = argv.first() else { return };
    let text = first.prefix();
    if text.contains("://") {
        let code = call.receive(Act::NetworkCode, first);
        call.stdout = call.run_stream(Language::Python, &code, first.span);
    } else if first.is("-") || is_script(first) || options.has(&["s", "script"]) {
        let argv = python(argv);
        call.stdout = call.run(&argv);
    } else {
        call.stdout = call.run(argv);
    }
}

fn is_script(field: &Field) -> bool {
    field.suffix().rsplit_once('.').is_some_and(|(_, ending)| ending == "py")
}

const POETRY: Manager = Manager::new(
    Spec::new(
        "C:P:G:E:p:e:r:",
        "directory= project= group= extras= with= without= only= python= source= \
         editable= requirements= repository= username= password= dry-run",
    ),
    "\
add: install-named
remove|uninstall: uninstall
install: install
sync: locked
update|upgrade: upgrade
self add: install-named
self remove: uninstall
self update: upgrade
plugin add: install-named
tools install: install-named
env remove: uninstall",
    "\
publish: publish
cache clear: delete/cache-clean",
);

const CONDA: Manager = Manager::new(
    Spec::new(
        "n:p:c:f:",
        "name= prefix= channel= file= solver= revision= feature= manifest-path= dry-run \
         yes all environment=",
    ),
    "\
install|add: install-named
create: install-named
remove|uninstall: uninstall
update|upgrade: upgrade
env create|update: locked
global install: install-named
global uninstall|remove: uninstall",
    "\
env remove: install/uninstall --n|name|p|prefix
remove -all: install/uninstall --n|name|p|prefix
clean: delete/cache-clean
upload: publish path*",
);

fn project(call: &mut Call<'_, '_>, manager: &Manager) {
    let arguments = call.arguments();
    let word =
        arguments.iter().find(|field| !field.prefix().starts_with('-')).and_then(Field::exact);
    match word {
        Some("run" | "exec") => {
            let spec = Spec::first(
                "n:p:e:C:P:",
                "name= prefix= cwd= directory= project= env= environment= manifest-path=",
            );
            run(call, after(arguments, word.unwrap_or_default()), &spec);
        }
        // `conda remove -n env --all` removes all of it.
        Some("remove")
            if manager.packages == CONDA.packages
                && arguments.iter().any(|field| field.is("--all")) =>
        {
            let options = parse(arguments, &manager.cli.spec);
            super::super::table::judge_options(call, &options, &manager.cli);
        }
        _ => {
            let options = parse(arguments, &manager.cli.spec);
            let remote = |field: &&Field| field.prefix().contains("://");
            match options.operands.as_slice() {
                // `poetry source add NAME URL`
                [source, add, words @ ..] if source.is("source") && add.is("add") => {
                    for place in words.iter().copied().filter(remote) {
                        named(call, Act::RepositoryAdd, place);
                    }
                }
                // `conda config --add channels URL`
                [config, _, words @ ..] if config.is("config") => {
                    for place in words.iter().copied().filter(remote) {
                        sources::other(call, place);
                    }
                }
                _ => {
                    // A channel without an address is one of the usual place.
                    for place in options.values(&["c", "channel"]).filter(remote) {
                        sources::other(call, place);
                    }
                    manage(call, arguments, manager);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn packages_come_and_go() {
        check(
            "
            pip install left 'right>=2' => install install left certain; install install right>=2 certain
            pip3 install -U --user left => install install left certain
            pip install -r req.txt => read requirements /shop/req.txt certain; install install-locked /shop/req.txt certain
            pip install -e . => install install-file /shop certain
            pip install -i http://h/simple left => install index http://h/simple certain; install install left certain
            pip install git+https://h/x => install install-git git+https://h/x certain <[Network(\"git+https://h/x\")]
            pip install 'x @ https://h/x.whl' => install install-url x @ https://h/x.whl certain <[Network(\"https://h/x.whl\")]
            pip install --dry-run left =>
            pip uninstall -y left => install uninstall left certain -f
            pip list =>
            pip freeze =>
            pipx install left => install install left certain
            pipx run left => execute package-code left certain
            uv add left => install install left certain
            uv pip install left => install install left certain
            uv sync => install install-locked  certain
            uv lock =>
            uv tool run left => execute package-code left certain
            uv run --with left git clean -f => execute package-code left certain; vcs-worktree clean /shop certain -f
            uv run -p 3.12 git clean -f => vcs-worktree clean /shop certain -f
            uv run pytest =>
            poetry add left => install install left certain
            poetry install => install install-locked  certain
            poetry run git clean -f => vcs-worktree clean /shop certain -f
            poetry publish --build => publish publish  certain
            poetry publish --dry-run =>
            conda install -n env left => install install left certain
            conda env remove -n env => install uninstall env certain
            conda remove -n env --all => install uninstall env certain
            conda run -n env git clean -f => vcs-worktree clean /shop certain -f
            uv publish dist/x.whl => publish publish /shop/dist/x.whl certain
            ",
        );
    }
}
