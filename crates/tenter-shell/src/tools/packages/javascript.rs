//! npm, pnpm, yarn, bun and deno.

use super::{Manager, after, install, manage, run, sources};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::{Spec, parse};
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;
use crate::wrappers::runners;

pub(in crate::tools) const PROGRAMS: Programs = &[
    ("npm", npm),
    ("pnpm", pnpm),
    ("yarn", yarn),
    ("yarnpkg", yarn),
    ("bun", bun),
    ("deno", deno),
    ("ni", |call| _ = manage(call, call.arguments(), &NI)),
    ("jsr", |call| _ = manage(call, call.arguments(), &JSR)),
];

const SPEC: Spec = Spec::new(
    "C:w:F:",
    "prefix= registry= tag= otp= workspace= cache= userconfig= globalconfig= loglevel= \
     access= depth= omit= include= only= install-strategy= script-shell= cwd= dir= \
     filter= reporter= cpu= os= libc= before= message= dry-run ignore-scripts global \
     force save-dev strict-ssl store-dir= virtual-store-dir= modules-folder= mutex= scope= \
     provenance config= backend=",
);

/// npm's commands for published packages; the others forward them.
const PUBLISHED: &str = "\
publish: publish path1
stage publish|approve: publish path1
unpublish: unpublish 1
dist-tag|dist-tags add|set|a|rm|del|d|remove: dist-tag 1
owner|author add|rm: owner
access grant|revoke|set|restricted|public: owner 1
team create|destroy|add|rm: owner 1
token create|revoke|delete: token
login|adduser|add-user|logout: login
cache clean|clear|delete: delete/cache-clean
prune: install/uninstall
audit fix: install/upgrade
version *: vcs/tag-create
npm publish: publish
npm unpublish: unpublish 1
npm tag add|remove: dist-tag 1
npm login|logout: login
pm untrusted|trust: install/install-locked";

const fn javascript(packages: &'static str) -> Manager {
    let mut manager = Manager::new(SPEC, packages, PUBLISHED);
    manager.global = &["g", "global"];
    manager.short_git = true;
    manager
}

const NPM: Manager = javascript(
    "\
install|i|in|ins|inst|insta|instal|isnt|isnta|isntal|isntall|add: install
ci|clean-install|ic|install-clean|isntall-clean: locked
install-test|it|install-ci-test|cit|rebuild|rb: locked
uninstall|unlink|remove|rm|r|un: uninstall
update|up|upgrade|udpate: upgrade
link|ln: install-named
audit fix: upgrade",
);

const PNPM: Manager = javascript(
    "\
add: install-named
install|i: install
fetch|rebuild|rb|import|deploy: locked
install-test|it: locked
remove|rm|uninstall|un: uninstall
update|up|upgrade: upgrade
link|ln: install-named
self-update: upgrade
prune: autoremove",
);

const YARN: Manager = javascript(
    "\
global add: install-global
global remove: uninstall
global upgrade: upgrade
add: install-named
install|immutable: locked
remove: uninstall
upgrade|up|upgrade-interactive: upgrade
link: install-named
plugin import: install-named
policies set-version: install-named",
);

const BUN: Manager = javascript(
    "\
add|a: install-named
install|i: install
ci: locked
remove|rm|r: uninstall
update: upgrade
upgrade: upgrade
link: install-named",
);

const NI: Manager = javascript("");

const JSR: Manager = javascript("add|install|i: install-named\nremove|rm|uninstall: uninstall");

/// Options of the whole program, which may stand before the subcommand.
fn verb(arguments: &[Field]) -> Option<&str> {
    let spec = Spec { order: crate::options::Order::First, ..SPEC };
    let options = parse(arguments, &spec);
    arguments.get(options.consumed).and_then(Field::exact)
}

fn judge(call: &mut Call<'_, '_>, manager: &Manager) -> bool {
    let arguments = call.arguments();
    let options = parse(arguments, &SPEC);
    let words = options.operands.as_slice();
    if let [config, set, words @ ..] = words
        && (config.is("config") || config.is("c"))
        && set.is("set")
    {
        sources::settings(call, words);
        return true;
    }
    if let [set, words @ ..] = words
        && set.is("set")
    {
        sources::settings(call, words);
        return true;
    }
    // Without a message nothing is said of the package.
    if let [verb, package, _, ..] = options.operands.as_slice()
        && verb.is("deprecate")
    {
        call.effect_at(Kind::Publish, Act::Deprecate, Call::named(package), package.span);
        return true;
    }
    manage(call, arguments, manager)
}

fn npm(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    match verb(arguments) {
        Some("exec" | "x") => {
            let word = if arguments.iter().any(|field| field.is("exec")) { "exec" } else { "x" };
            runners::npx(call, after(arguments, word));
        }
        Some(word @ ("init" | "create" | "innit")) => initializer(call, after(arguments, word)),
        Some("pkg" | "set-script" | "config" | "c" | "set") => {
            scripts(call);
            judge(call, &NPM);
        }
        Some("explore") => run(call, after(arguments, "--"), &Spec::first("", "")),
        Some(
            "run" | "run-script" | "rum" | "urn" | "test" | "t" | "tst" | "start" | "stop"
            | "restart",
        ) => {}
        Some("version") if arguments.iter().any(|field| field.is("--no-git-tag-version")) => {}
        _ => _ = judge(call, &NPM),
    }
}

/// `npm pkg set scripts.x='...'`: the next `npm run` gives it to a shell.
fn scripts(call: &mut Call<'_, '_>) {
    let arguments = call.arguments().to_vec();
    let mut code_of_scripts = Vec::new();
    for field in &arguments {
        let value = field
            .prefix()
            .split_once('=')
            .filter(|(key, _)| key.starts_with("scripts"))
            .and_then(|(key, _)| field.without_prefix(key.len() + 1));
        call.machine.hidden_code("npm", value.as_ref().unwrap_or(field));
        if let Some(code) = value.as_ref().and_then(Field::exact) {
            code_of_scripts.push(format!("\"x\": {code:?}"));
        }
    }
    // Scripts run later in the same command are judged then.
    if !code_of_scripts.is_empty() {
        let place = Field::text("package.json", call.span);
        let text = format!("{{\"scripts\": {{{}}}}}", code_of_scripts.join(", "));
        let path = call.machine.path(&place);
        call.machine.set_content(&path, &crate::flow::Stream::known(&text), false);
    }
}

/// `npm init vite` runs the package `create-vite`.
fn initializer(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let options = parse(arguments, &Spec::first("w:", "scope= workspace="));
    let Some(name) = arguments.get(options.consumed).filter(|_| !options.has(&["help", "h"]))
    else {
        return;
    };
    runners::announce(call, &[name], runners::From::Registry);
}

/// Programs that projects install and run through their package manager: `yarn prisma ...`.
const BINARIES: &[&str] = &[
    "amplify",
    "cdk",
    "cdktf",
    "changeset",
    "drizzle-kit",
    "firebase",
    "husky",
    "knex",
    "lefthook",
    "lerna",
    "mikro-orm",
    "netlify",
    "nx",
    "prisma",
    "release-it",
    "rimraf",
    "semantic-release",
    "sequelize",
    "sequelize-cli",
    "serverless",
    "shx",
    "sls",
    "sst",
    "supabase",
    "typeorm",
    "vercel",
    "wrangler",
];

/// Runs a program of the project by its bare name. False if it is none of them.
fn binary(call: &mut Call<'_, '_>, arguments: &[Field]) -> bool {
    let is_verb = |field: &Field| verb(arguments).is_some_and(|verb| field.is(verb));
    let Some(at) = arguments.iter().position(is_verb) else { return false };
    let argv = arguments.get(at..).unwrap_or_default();
    let known = argv.first().and_then(Field::exact).is_some_and(|name| BINARIES.contains(&name));
    if known {
        call.stdout = call.run(argv);
    }
    known
}

fn pnpm(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    match verb(arguments) {
        _ if binary(call, arguments) => {}
        Some("dlx") => runners::dlx(call, after(arguments, "dlx")),
        Some("exec") => {
            let spec = Spec::first("c", "shell-mode resume-from= parallel recursive");
            run(call, after(arguments, "exec"), &spec);
        }
        Some("create") => initializer(call, after(arguments, "create")),
        Some("run" | "run-script" | "test" | "t" | "start") => {}
        Some("store") => {
            if arguments.iter().any(|field| field.is("prune")) {
                call.effect(Kind::Delete, Act::CacheClean, Target::None);
            }
        }
        _ => _ = judge(call, &PNPM),
    }
}

fn yarn(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    match verb(arguments) {
        _ if binary(call, arguments) => {}
        None if arguments
            .iter()
            .any(|field| field.is("--version") || field.is("-v") || field.is("--help")) => {}
        None => _ = call.effect(Kind::Install, Act::InstallLocked, Target::None),
        Some("dlx") => runners::dlx(call, after(arguments, "dlx")),
        Some("exec") => match after(arguments, "exec") {
            // A shell gets it.
            [code] if code.prefix().contains(' ') => {
                call.stdout = call.run_code(Language::Shell(Dialect::Posix), code);
            }
            argv => run(call, argv, &Spec::first("", "")),
        },
        Some("create") => initializer(call, after(arguments, "create")),
        Some("workspace") => {
            let inner = after(arguments, "workspace");
            manage(call, inner.get(1..).unwrap_or_default(), &YARN);
        }
        Some("run") => _ = binary(call, after(arguments, "run")),
        Some("test" | "start" | "node") => {}
        _ => _ = judge(call, &YARN),
    }
}

fn bun(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let options =
        parse(arguments, &Spec::first("e:p:r:c:", "eval= print= preload= cwd= config= env-file="));
    if let Some(code) = options.value(&["e", "eval", "p", "print"]) {
        call.stdout = call.run_code(Language::JavaScript, code);
        return;
    }
    match verb(arguments) {
        _ if binary(call, arguments) => {}
        Some("x") => runners::bunx(call, after(arguments, "x")),
        Some("create" | "c") => {
            initializer(call, after(arguments, verb(arguments).unwrap_or_default()));
        }
        Some("run") if after(arguments, "run").first().is_some_and(|field| field.is("-")) => {
            stdin_code(call);
        }
        Some("-") => stdin_code(call),
        Some(text) if text.contains("://") => {
            if let Some(script) = arguments.iter().find(|field| is_address(field)) {
                deno_script(call, script);
            }
        }
        Some("run") => {
            // What follows the script is for it.
            let rest = after(arguments, "run");
            let script = rest.iter().find(|field| !field.prefix().starts_with('-'));
            if let Some(script) = script.filter(|field| is_address(field)) {
                deno_script(call, script);
            }
        }
        Some("test" | "build") => {}
        _ => _ = judge(call, &BUN),
    }
}

fn stdin_code(call: &mut Call<'_, '_>) {
    let code = call.stdin.clone();
    let span = call.span;
    call.stdout = call.run_stream(Language::JavaScript, &code, span);
}

const DENO_RUN: Spec = Spec::first(
    "c:L:I:W:",
    "config= import-map= lock=? cert= location= seed= env-file=? log-level= ext= \
     preload= conditions=",
);

const DENO: Manager = Manager::new(
    Spec::new("n:c:L:", "name= root= config= import-map= cert= dry-run token= log-level="),
    "\
add|i: install-named
remove|rm|uninstall: uninstall
outdated: locked
upgrade: upgrade
cache: install-named",
    "\
publish: publish
deploy: publish
jupyter -install: install/install
clean: delete/cache-clean",
);

fn deno(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let Some(word) = arguments.iter().find(|field| !field.prefix().starts_with('-')) else {
        return;
    };
    let rest = |name: &str| after(arguments, name);
    match word.exact() {
        Some("eval") => {
            let options = parse(rest("eval"), &DENO_RUN);
            if let Some(code) = options.operands.first() {
                call.stdout = call.run_code(Language::JavaScript, code);
            }
        }
        Some(name @ ("run" | "serve" | "x")) => {
            let options = parse(rest(name), &DENO_RUN);
            if let Some(script) = options.operands.first().copied() {
                deno_script(call, script);
            }
        }
        Some("install") => {
            let options = parse(rest("install"), &DENO.cli.spec);
            if options.operands.is_empty() {
                call.effect(Kind::Install, Act::InstallLocked, Target::None);
            }
            for package in &options.operands {
                install(call, package, options.has(&["g", "global"]), false);
            }
        }
        Some(text) if text.contains("://") => deno_script(call, word),
        _ => _ = manage(call, arguments, &DENO),
    }
}

fn is_address(field: &Field) -> bool {
    field.prefix().contains("://")
}

fn deno_script(call: &mut Call<'_, '_>, script: &Field) {
    let text = script.prefix();
    if text.starts_with("npm:") || text.starts_with("jsr:") {
        runners::announce(call, &[script], runners::From::Registry);
    } else if text.contains("://") {
        let code = call.receive(Act::NetworkCode, script);
        call.run_stream(Language::JavaScript, &code, script.span);
    } else if script.is("-") {
        stdin_code(call);
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn packages_come_and_go() {
        check(
            "
            npm install => install install-locked  certain
            npm ci => install install-locked  certain
            npm i -D left right@2 => install install left certain; install install right@2 certain
            npm --prefix sub install left => install install left certain
            npm install -g left => install install-global left certain
            npm i me/repo => install install-git me/repo certain <[Network(\"me/repo\")]
            npm i https://h/x.tgz => install install-url https://h/x.tgz certain <[Network(\"https://h/x.tgz\")]
            npm i @me/x ./y => install install @me/x certain; install install-file /shop/y certain
            npm i --registry http://h left => install index http://h certain; install install left certain
            npm install --dry-run left =>
            npm rm left => install uninstall left certain
            npm run install =>
            npm test -- publish =>
            npm list =>
            npm exec -- git clean -f => execute package-code git possible; vcs-worktree clean /shop certain -f
            npm init vite@latest app => execute package-code vite@latest certain
            npm init -y =>
            pnpm add left => install install left certain
            pnpm dlx left => execute package-code left certain
            pnpm exec git clean -f => vcs-worktree clean /shop certain -f
            yarn => install install-locked  certain
            yarn --version =>
            yarn build =>
            yarn global add left => install install-global left certain
            bun add left => install install left certain
            bun run build =>
            bun x left => execute package-code left possible
            ",
        );
    }

    #[test]
    fn packages_are_published_and_withdrawn() {
        check(
            "
            npm publish => publish publish  certain
            npm publish --dry-run =>
            npm unpublish left@1 --force => publish unpublish left@1 certain -f
            npm unpublishh left =>
            npm deprecate left 'use right' => publish deprecate left certain
            npm deprecate =>
            npm dist-tag add left@1 latest => publish dist-tag left@1 certain
            npm dist-tag ls left =>
            npm owner ls left =>
            npm token create => publish token  certain
            pnpm publish => publish publish  certain
            yarn npm publish => publish publish  certain
            yarn npm unpublish left => publish unpublish left certain
            yarn npm info left =>
            deno publish --dry-run =>
            deno publish => publish publish  certain
            ",
        );
    }

    #[test]
    fn deno_runs_code_from_the_network() {
        check(
            "
            deno run main.ts =>
            deno run -A https://h/x.ts => receive network-code https://h/x.ts certain; execute network-code deno certain <[Network(\"https://h/x.ts\")]
            deno run npm:left => execute package-code npm:left certain
            deno task build =>
            deno install => install install-locked  certain
            deno add jsr:@a/b => install install jsr:@a/b certain
            ",
        );
    }
}
