//! Interpreters of scripting languages: code in an argument, in a file, on standard input.
//!
//! Actions: `serve-files` (send: a directory is offered on the network), `edit-in-place` (files
//! are rewritten), `read-file`, `write-file`, `make-environment` (a virtual environment is made).

use super::common::{SH, content, fed, possibly};
use super::flags::{self, Flags, Given};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::code::{self, Code, Context};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::tools::tar::Extraction;
use crate::value::Field;
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[
    ("python", python),
    ("python2", python),
    ("python2.7", python),
    ("python3", python),
    ("python3.6", python),
    ("python3.7", python),
    ("python3.8", python),
    ("python3.9", python),
    ("python3.10", python),
    ("python3.11", python),
    ("python3.12", python),
    ("python3.13", python),
    ("python3.14", python),
    ("pythonw", python),
    ("py", python),
    ("pypy", python),
    ("pypy3", python),
    ("ipython", python),
    ("ipython3", python),
    ("node", node),
    ("nodejs", node),
    ("ts-node", node),
    ("tsx", node),
    ("qjs", node),
    ("perl", perl),
    ("raku", perl),
    ("ruby", ruby),
    ("jruby", ruby),
    ("irb", ruby),
    ("php", php),
    ("php7.4", php),
    ("php8.1", php),
    ("php8.2", php),
    ("php8.3", php),
    ("php8.4", php),
    ("lua", lua),
    ("lua5.1", lua),
    ("lua5.2", lua),
    ("lua5.3", lua),
    ("lua5.4", lua),
    ("luajit", lua),
    ("texlua", lua),
    ("osascript", osascript),
];

/// Runs code that an argument holds, in the name of this interpreter.
pub(crate) fn run_inline(
    call: &mut Call<'_, '_>,
    language: Language,
    code: &Field,
    context: Context<'_>,
) {
    call.keep();
    if code.exact().is_some_and(reads_as_shell) {
        possibly(call, &mut |call| {
            call.run_code(SH, code);
        });
    }
    let foreign = code.flow.decoded() || code.flow.from_network().is_some();
    call.stdout = match code.exact() {
        Some(text) if !foreign => {
            call.machine.imported(call.name, text, code.span);
            code::judge_in(call, language, Code { text, origin: code.origin() }, context)
        }
        _ => call.run_code(language, code),
    };
}

/// A command line where code of another language should stand: `perl -e 'rm -rf x'`. Whoever
/// writes that means the command.
fn reads_as_shell(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let known = matches!(words.next(), Some("rm" | "sudo" | "git" | "dd" | "mkfs" | "shred"));
    known
        && words.next().is_some_and(|word| {
            word.starts_with(|letter: char| "-/~.".contains(letter) || letter.is_ascii_alphabetic())
                && !word.contains('(')
        })
}

/// A script file, or standard input if there is none: read if this command made it.
pub(crate) fn run_script(call: &mut Call<'_, '_>, language: Language, script: Option<&Field>) {
    let span = script.map_or(call.span, |script| script.span);
    if let Some(content) = source(call, script) {
        call.keep();
        call.stdout = call.run_stream(language, &content, span);
    }
}

/// The code of a script or of standard input, where this command brings it.
pub(super) fn source(call: &mut Call<'_, '_>, script: Option<&Field>) -> Option<Stream> {
    match script {
        Some(script) if !script.is("-") => content(call, script),
        _ => fed(&call.stdin).then(|| call.stdin.clone()),
    }
}

/// Code in options, else a script, else standard input.
pub(super) fn run_given(
    call: &mut Call<'_, '_>,
    language: Language,
    given: &Given<'_>,
    prints: bool,
) {
    let variables = call.machine.assignments.clone();
    if let Some(code) = given.whole_code() {
        let context = Context {
            arguments: given.operands,
            variables: &variables,
            prints,
            ..Context::default()
        };
        run_inline(call, language, &code, context);
    } else if !given.about && !framework(call, given.operands) {
        run_with_arguments(call, language, given.operands, &variables);
    }
}

/// A script or standard input with what it is given.
fn run_with_arguments(
    call: &mut Call<'_, '_>,
    language: Language,
    operands: &[Field],
    variables: &[(String, Field)],
) {
    let Some((script, arguments)) = operands.split_first().filter(|(_, rest)| !rest.is_empty())
    else {
        return run_script(call, language, operands.first());
    };
    let Some(content) = source(call, Some(script)) else { return };
    let foreign = content.flow.decoded() || content.flow.from_network().is_some();
    let (Some(text), false) = (&content.text, foreign) else {
        return run_script(call, language, Some(script));
    };
    // In JavaScript the name of the script is one of them.
    let arguments = if language == Language::JavaScript { operands } else { arguments };
    let code = Code { text, origin: call.machine.origin_of(text, script.span) };
    call.machine.imported(call.name, text, script.span);
    call.keep();
    let context = Context { arguments, variables, ..Context::default() };
    call.stdout = code::judge_in(call, language, code, context);
}

/// Scripts that are command lines of their own: `php artisan`, `python manage.py`.
fn framework(call: &mut Call<'_, '_>, operands: &[Field]) -> bool {
    let script = operands.first().and_then(Field::exact).unwrap_or_default();
    let name = script.rsplit('/').next().unwrap_or_default();
    let known = matches!(name, "artisan" | "console" | "manage.py" | "rails" | "rake" | "composer");
    if known {
        call.stdout = call.run(operands);
    }
    known
}

const PYTHON: Flags =
    Flags { last: "cm", long: &[("check-hash-based-pycs", 'X')], ..Flags::new("c", "mWXQ") };

fn python(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    // The launcher of Windows takes a version first.
    let versioned = arguments.first().is_some_and(|first| first.prefix().starts_with("-3"));
    let skip = usize::from(call.name == "py" && versioned);
    let given = flags::read(arguments.get(skip..).unwrap_or_default(), &PYTHON);
    if let Some(module) = given.values('m').next() {
        return python_module(call, module, given.operands);
    }
    if !(given.code.is_empty() && given.has("Vh")) {
        run_given(call, Language::Python, &given, false);
    }
}

/// `python -m MODULE`
fn python_module(call: &mut Call<'_, '_>, module: &Field, rest: &[Field]) {
    let mut operands = rest.iter().filter(|field| !field.prefix().starts_with('-'));
    match module.exact().unwrap_or_default() {
        "http.server" | "SimpleHTTPServer" | "pyftpdlib" => {
            let option = rest.iter().position(|field| field.is("-d") || field.is("--directory"));
            let place = option.and_then(|at| rest.get(at + 1)).cloned();
            serve(call, place, module);
        }
        "venv" | "virtualenv" => {
            call.keep();
            if let Some(place) = operands.next() {
                let clear = rest.iter().any(|field| field.is("--clear"));
                call.on_path(Kind::Write, Act::MakeEnvironment, place).force = clear;
            }
        }
        "timeit" => {
            if let Some(code) = operands.next_back() {
                run_inline(call, Language::Python, code, Context::default());
            }
        }
        "json.tool" => {
            call.keep();
            if let Some(input) = operands.next() {
                let content = call.read(Act::ReadFile, input);
                if let Some(output) = operands.next() {
                    call.write(Kind::Overwrite, Act::WriteFile, output, content);
                }
            }
        }
        "zipfile" | "tarfile" => python_archive(call, rest),
        "IPython" => {
            let given = flags::read(rest, &PYTHON);
            run_given(call, Language::Python, &given, false);
        }
        name => {
            let program = name.split('.').next().unwrap_or(name).replace('_', "-");
            let program = match program.as_str() {
                "django" => "django-admin",
                "awscli" => "aws",
                other => other,
            };
            if crate::tools::find(program).is_some() || super::find(program).is_some() {
                let mut argv = vec![Field::text(program, module.span)];
                argv.extend_from_slice(rest);
                call.stdout = call.run(&argv);
            }
        }
    }
}

/// `python -m zipfile -e ARCHIVE DIRECTORY`
fn python_archive(call: &mut Call<'_, '_>, rest: &[Field]) {
    call.keep();
    let Some((option, files)) = rest.split_first() else { return };
    match (option.exact(), files) {
        (Some("-e" | "--extract"), [archive, files @ ..]) => {
            let content = Stream::unknown(call.read(Act::Extract, archive).flow);
            let here = Field::text(".", archive.span);
            let directory = files.first().unwrap_or(&here).clone();
            Extraction { directory, content, force: true, anywhere: false }.write(call, &[]);
        }
        (Some("-c" | "--create"), [archive, files @ ..]) => {
            let mut content = Stream::default();
            for file in files {
                content.flow.join(&call.read(Act::Archive, file).flow);
            }
            call.write(Kind::Overwrite, Act::Archive, archive, content);
        }
        _ => {}
    }
}

/// A directory is offered on the network.
fn serve(call: &mut Call<'_, '_>, place: Option<Field>, said: &Field) {
    call.keep();
    let place = place.unwrap_or_else(|| Field::text(".", said.span));
    let target = call.path(&place);
    call.effect_at(Kind::Send, Act::ServeFiles, target, said.span);
}

const NODE: Flags = Flags {
    long: &[
        ("eval", 'e'),
        ("print", 'p'),
        ("require", 'r'),
        ("import", 'r'),
        ("loader", 'r'),
        ("experimental-loader", 'r'),
        ("conditions", 'C'),
        ("tsconfig", 'C'),
        ("project", 'C'),
        ("compiler-options", 'C'),
    ],
    ..Flags::new("ep", "rC")
};

fn node(call: &mut Call<'_, '_>) {
    let mut given = flags::read(call.arguments(), &NODE);
    let prints = given.has("p") || given.code.iter().any(|(letter, _)| *letter == 'p');
    if given.has("vhc") && given.code.is_empty() {
        return;
    }
    // `node -r ./file`: a module that runs first.
    for module in given.values('r') {
        let inline = module.prefix().strip_prefix("data:text/javascript,");
        if let Some(code) = inline {
            let code = Field::text(code, module.span);
            run_inline(call, Language::JavaScript, &code, Context::default());
        } else if let Some(content) = source(call, Some(module)) {
            call.run_stream(Language::JavaScript, &content, module.span);
        }
    }
    let watches = given.operands.first().is_some_and(|first| first.is("watch"));
    if watches && matches!(call.name, "tsx" | "ts-node") {
        given.operands = given.operands.get(1..).unwrap_or_default();
    }
    run_given(call, Language::JavaScript, &given, prints);
}

const PERL: Flags = Flags { attached: "iMmFCDxV", ..Flags::new("eE", "I") };

fn perl(call: &mut Call<'_, '_>) {
    let given = flags::read(call.arguments(), &PERL);
    if given.has("vc") && given.code.is_empty() {
        return;
    }
    let modules: Vec<String> = given
        .values('M')
        .chain(given.values('m'))
        .filter_map(Field::exact)
        .map(|module| {
            let name = module.split('=').next().unwrap_or(module);
            name.trim_start_matches('-').replace("::", ".")
        })
        .collect();
    filter(call, Language::Perl, &given, &modules);
}

const RUBY: Flags = Flags { attached: "iFTKEWx", ..Flags::new("e", "rICX") };

fn ruby(call: &mut Call<'_, '_>) {
    let given = flags::read(call.arguments(), &RUBY);
    if given.has("v") && given.code.is_empty() && given.operands.is_empty() {
        return;
    }
    let before = call.machine.shell.cwd.clone();
    if let Some(place) = given.values('C').next() {
        call.machine.shell.cwd = call.machine.path(place).exact().map(Into::into);
    }
    filter(call, Language::Ruby, &given, &[]);
    call.machine.shell.cwd = before;
}

/// Perl and Ruby: with `-n` or `-p` the operands are files that go through the code, with `-i`
/// they are rewritten.
fn filter(call: &mut Call<'_, '_>, language: Language, given: &Given<'_>, modules: &[String]) {
    let Some(code) = given.whole_code() else {
        return run_given(call, language, given, false);
    };
    let variables = call.machine.assignments.clone();
    call.keep();
    let loops = given.has("npi");
    if loops && !given.operands.is_empty() {
        let mut input = Stream::default();
        for file in given.operands {
            input.flow.join(&call.read(Act::ReadFile, file).flow);
        }
        call.stdin = input;
    }
    let arguments = if loops { &[] } else { given.operands };
    let context = Context { arguments, variables: &variables, modules, prints: false };
    run_inline(call, language, &code, context);
    if given.has("i") {
        for file in given.operands {
            call.on_path(Kind::Overwrite, Act::EditInPlace, file);
        }
        call.stdout = Stream::empty();
    } else if loops {
        call.stdout.text = None;
        call.stdout.flow.join(&call.stdin.flow);
    }
}

const PHP: Flags = Flags {
    long: &[("run", 'r'), ("file", 'f'), ("define", 'd'), ("server", 'S'), ("docroot", 't')],
    ..Flags::new("rBRE", "fdcztSgF")
};

fn php(call: &mut Call<'_, '_>) {
    let given = flags::read(call.arguments(), &PHP);
    if given.has("vilm") && given.code.is_empty() {
        return;
    }
    if let Some(address) = given.values('S').next() {
        return serve(call, given.values('t').next().cloned(), address);
    }
    if !given.code.is_empty() {
        return run_given(call, Language::Php, &given, false);
    }
    if framework(call, given.operands) || given.about {
        return;
    }
    let script = given.values('f').next().or(given.operands.first());
    let span = script.map_or(call.span, |script| script.span);
    let Some(mut code) = source(call, script) else {
        return;
    };
    call.keep();
    if let Some(text) = &code.text {
        // Text outside the tags is printed, not run.
        let Some((_, inside)) = text.split_once("<?") else {
            call.stdout = code;
            return;
        };
        let inside = inside.strip_prefix("php").or(inside.strip_prefix('=')).unwrap_or(inside);
        code.text = Some(inside.replace("?>", ";"));
    }
    call.stdout = call.run_stream(Language::Php, &code, span);
}

const LUA: Flags = Flags::new("e", "l");

fn lua(call: &mut Call<'_, '_>) {
    let given = flags::read(call.arguments(), &LUA);
    if !(given.has("v") && given.code.is_empty()) {
        run_given(call, Language::Lua, &given, false);
    }
}

const OSASCRIPT: Flags = Flags::new("e", "ls");

fn osascript(call: &mut Call<'_, '_>) {
    let given = flags::read(call.arguments(), &OSASCRIPT);
    let javascript = given.values('l').any(|language| language.is("JavaScript"));
    let language = if javascript { Language::JavaScript } else { Language::AppleScript };
    run_given(call, language, &given, false);
}
