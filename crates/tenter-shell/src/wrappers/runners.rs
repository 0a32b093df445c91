//! Programs that fetch a package if needed, and run it.
//!
//! - `package-code` (execute): code of a package is run; possible where an installed one comes
//!   first.

use std::rc::Rc;

use super::common::SH;
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::{Certainty, Kind};
use crate::flow::{Flow, Source};
use crate::options::{Options, Spec, parse};
use crate::tools::packages::{sources, system};
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("npx", |call| npx(call, call.arguments())),
    ("bunx", |call| bunx(call, call.arguments())),
    ("pnpx", |call| dlx(call, call.arguments())),
    ("uvx", |call| uvx(call, call.arguments())),
    ("nix", system::nix),
];

/// Source of a package's code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// Only installed packages.
    Here,
    /// Installed packages, else the registry.
    Either,
    Registry,
}

/// `npx` and `npm exec`.
pub(crate) fn npx(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let spec =
        Spec::first("p:c:w:", "package= call= workspace= registry= userconfig= cache= loglevel=");
    let options = parse(arguments, &spec);
    let from = if options.has(&["no-install", "no"]) { From::Here } else { From::Either };
    let packages: Vec<&Field> = options.values(&["p", "package"]).collect();
    run(call, &options, &packages, arguments, from);
}

/// `bunx` and `bun x`.
pub(crate) fn bunx(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let options = parse(arguments, &Spec::first("p:", "package="));
    let from = if options.has(&["no-install"]) { From::Here } else { From::Either };
    let packages: Vec<&Field> = options.values(&["p", "package"]).collect();
    run(call, &options, &packages, arguments, from);
}

/// `pnpm dlx` and `yarn dlx`.
pub(crate) fn dlx(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let options = parse(arguments, &Spec::first("p:C:c", "package= dir= allow-build="));
    let packages: Vec<&Field> = options.values(&["p", "package"]).collect();
    run(call, &options, &packages, arguments, From::Registry);
}

/// `uvx` and `uv tool run`; `pipx run` has `--spec` for `--from`.
pub(crate) fn uvx(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let spec = Spec::first(
        "p:w:i:f:c:b:",
        "from= spec= with= with-editable= with-requirements= python= index= index-url= \
         default-index= extra-index-url= find-links= constraints= overrides= env-file= \
         directory= project= cache-dir= config-file= color= pip-args=",
    );
    let options = parse(arguments, &spec);
    let packages: Vec<&Field> = options.values(&["from", "spec", "with", "w"]).collect();
    run(call, &options, &packages, arguments, From::Registry);
}

fn run(
    call: &mut Call<'_, '_>,
    options: &Options<'_>,
    packages: &[&Field],
    arguments: &[Field],
    from: From,
) {
    if options.has(&["h", "help", "version", "v"]) {
        return;
    }
    let argv = arguments.get(options.consumed..).unwrap_or_default();
    if let Some(code) = options.value(&["c", "call"]) {
        call.keep();
        announce(call, packages, from);
        call.stdout = call.run_code(SH, code);
        return;
    }
    let Some((program, rest)) = argv.split_first() else { return };
    call.keep();
    if from != From::Here {
        sources::options(call, options);
        sources::index(call, options, &["i", "f"]);
        sources::environment(call);
    }
    // `--with` only adds to what runs.
    if options.has(&["package", "p", "from", "spec"]) {
        announce(call, packages, from);
    } else {
        announce(call, &[program], from);
    }
    let mut argv = vec![named(program)];
    argv.extend_from_slice(rest);
    call.stdout = call.run(&argv);
}

/// Reports that a package's code runs.
pub(crate) fn announce(call: &mut Call<'_, '_>, packages: &[&Field], from: From) {
    if from == From::Here {
        return;
    }
    for package in packages {
        let effect =
            call.effect_at(Kind::Execute, Act::PackageCode, Call::named(package), package.span);
        let text = package.prefix();
        let address = text.contains("://") || text.contains("github:") || text.starts_with("git");
        if address && text.contains([':', '/']) {
            effect.sources = Flow::of(Source::Network(Rc::from(&*package.shown())));
        } else if from == From::Either || package.exact().is_none() {
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
    }
}

/// The program that a package brings, by its name: `tool` for `@scope/tool@1.2`.
fn named(package: &Field) -> Field {
    let Some(text) = package.exact() else { return package.clone() };
    let last = text.rsplit('/').next().unwrap_or(text);
    let name = last.split(['@', '=', '#', '[']).next().unwrap_or(last);
    let name = name.strip_suffix(".git").unwrap_or(name);
    if name.is_empty() || name == text {
        return package.clone();
    }
    Field::text(name, package.span)
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn a_package_is_fetched_and_run() {
        check(
            "
            npx -y some-tool --fix => execute package-code some-tool possible
            npx --no-install some-tool =>
            npx --help =>
            npx @me/some@2 x => execute package-code @me/some@2 possible
            npx -p rimraf -c 'true' => execute package-code rimraf possible
            npx https://h/x.tgz => execute package-code https://h/x.tgz certain <[Network(\"https://h/x.tgz\")]
            npx git reset --hard => execute package-code git possible; vcs-worktree reset-hard /shop certain -r -f
            bunx tool => execute package-code tool possible
            pnpx tool => execute package-code tool certain
            uvx --from x==1 --with y tool => execute package-code x==1 certain; execute package-code y certain
            uvx ruff@latest check => execute package-code ruff@latest certain
            ",
        );
    }
}
