//! Awk, Tcl, and languages of which only the names of functions are known.
//!
//! Actions: `read-file`, `edit-in-place` (files are rewritten), `remove`.

use super::common::{self, BASH, SH};
use super::flags::{self, Flags};
use super::interpreters::{run_given, run_inline, run_script, source};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::code::{Code, Context, shapes};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[
    ("awk", awk),
    ("gawk", awk),
    ("mawk", awk),
    ("nawk", awk),
    ("original-awk", awk),
    ("Rscript", other),
    ("R", other),
    ("julia", other),
    ("swift", other),
    ("groovy", other),
    ("groovysh", other),
    ("jshell", other),
    ("jjs", other),
    ("jrunscript", other),
    ("octave", other),
    ("octave-cli", other),
    ("scala", other),
    ("elixir", other),
    ("iex", other),
    ("racket", other),
    ("guile", other),
    ("runghc", other),
    ("ghci", other),
    ("ocaml", other),
    ("scheme", other),
    ("mit-scheme", other),
    ("tcc", other),
    ("sbcl", other),
    ("clojure", other),
    ("clj", other),
    ("bb", other),
    ("runhaskell", other),
    ("utop", other),
    ("csi", other),
    ("fsharpi", other),
    ("dotnet-script", dotnet_script),
    ("rust-script", other),
    ("kotlin", kotlin),
    ("kotlinc", kotlin),
    ("nim", nim),
    ("Add-Type", add_type),
    ("add-type", add_type),
    ("erl", erlang),
    ("tclsh", tcl),
    ("wish", tcl),
    ("expect", tcl),
    ("nu", shell_like),
    ("xonsh", shell_like),
];

const AWK: Flags = Flags {
    attached: "dopD",
    last: "E",
    long: &[
        ("source", 'e'),
        ("file", 'f'),
        ("exec", 'E'),
        ("assign", 'v'),
        ("field-separator", 'F'),
        ("include", 'i'),
        ("load", 'l'),
    ],
    ..Flags::new("e", "FvfWiEl")
};

fn awk(call: &mut Call<'_, '_>) {
    let given = flags::read(call.arguments(), &AWK);
    if given.about || given.has("Vh") && given.operands.is_empty() {
        return;
    }
    call.keep();
    let mut operands = given.operands;
    let mut code = given.whole_code();
    let scripts: Vec<&Field> = given.values('f').chain(given.values('E')).collect();
    if code.is_none() && scripts.is_empty() {
        code = operands.first().cloned();
        operands = operands.get(1..).unwrap_or_default();
    }
    let mut variables: Vec<(String, Field)> =
        given.values('v').filter_map(common::variable).collect();
    let mut files: Vec<&Field> = Vec::new();
    let mut input = Stream::default();
    for operand in operands {
        if let Some(variable) = common::variable(operand) {
            variables.push(variable);
        } else {
            files.push(operand);
            input.flow.join(&call.read(Act::ReadFile, operand).flow);
        }
    }
    if !files.is_empty() {
        call.stdin = input;
    }
    call.stdout = Stream::unknown(call.stdin.flow.clone());
    if let Some(code) = code {
        let context = Context { variables: &variables, arguments: operands, ..Context::default() };
        run_inline(call, Language::Awk, &code, context);
    }
    if files.is_empty()
        && let Some(text) = call.stdin.text.as_deref()
        && let Some(args) = call.arguments().iter().map(Field::exact).collect::<Option<Vec<_>>>()
    {
        call.stdout.text = crate::filters::run("awk", &args, Some(text));
    }
    for script in scripts {
        if let Some(content) = source(call, Some(script)) {
            call.run_stream(Language::Awk, &content, script.span);
        }
    }
    if given.values('i').any(|library| library.is("inplace")) {
        for file in files {
            call.on_path(Kind::Overwrite, Act::EditInPlace, file);
        }
    }
}

const OTHER: Flags = Flags {
    attached: "J",
    long: &[("eval", 'e'), ("print", 'e'), ("load", 'L'), ("rpc-eval", 'L')],
    ..Flags::new("eEc", "pLt")
};

fn other(call: &mut Call<'_, '_>) {
    let flags = match call.name {
        "R" | "Rscript" => Flags { code: "e", values: "fg", ..OTHER },
        "julia" | "elixir" | "iex" | "racket" | "guile" | "sbcl" => OTHER,
        _ => Flags { code: "e", values: "m", ..OTHER },
    };
    let given = flags::read(call.arguments(), &flags);
    let language = super::shells::language_of(call.name).unwrap_or(Language::Other);
    run_given(call, language, &given, false);
}

const KOTLIN: Flags = Flags {
    long: &[("script", 's'), ("classpath", 'c'), ("cp", 'c'), ("e", 'e'), ("expression", 'e')],
    one_dash: true,
    ..Flags::new("e", "cd")
};

/// `kotlin x.main.kts`, `kotlinc -script x.kts`
fn kotlin(call: &mut Call<'_, '_>) {
    let given = flags::read(call.arguments(), &KOTLIN);
    let script = given.operands.first();
    if !given.code.is_empty() {
        run_given(call, Language::Jvm, &given, false);
    } else if given.has("s") || script.is_some_and(is_script) {
        run_script(call, Language::Jvm, script);
    } else if let Some(script) = script {
        run_later(call, Language::Jvm, script);
    }
}

fn is_script(file: &Field) -> bool {
    file.suffix().rsplit_once('.').is_some_and(|(_, ending)| ending == "kts")
}

/// What a compiler makes of a file runs later, if at all.
fn run_later(call: &mut Call<'_, '_>, language: Language, script: &Field) {
    common::possibly(call, &mut |call| run_script(call, language, Some(script)));
}

/// `nim r x.nim`, `nim c -r x.nim`, `nim e x.nims`
fn nim(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let mut files = arguments.iter().filter(|field| !field.prefix().starts_with('-'));
    let verb = files.next().and_then(Field::exact).unwrap_or_default();
    let code = arguments.iter().find_map(|field| {
        field.prefix().starts_with("--eval:").then(|| field.without_prefix(7)).flatten()
    });
    if let Some(code) = code {
        return run_inline(call, Language::Nim, &code, Context::default());
    }
    let Some(file) = files.next() else { return };
    let runs = matches!(verb, "r" | "e")
        || arguments.iter().any(|field| field.is("-r") || field.is("--run"));
    if runs {
        run_script(call, Language::Nim, Some(file));
    } else if matches!(verb, "c" | "cpp" | "compile" | "cc" | "objc") {
        run_later(call, Language::Nim, file);
    }
}

/// `dotnet-script x.csx`, `dotnet script eval CODE`
fn dotnet_script(call: &mut Call<'_, '_>) {
    let mut rest = call.arguments().iter().filter(|field| !field.prefix().starts_with('-'));
    match rest.next() {
        Some(verb) if verb.is("eval") => {
            if let Some(code) = rest.next() {
                run_inline(call, Language::DotNet, code, Context::default());
            }
        }
        file => run_script(call, Language::DotNet, file),
    }
}

/// `Add-Type 'code'`, `Add-Type -TypeDefinition 'code'`, `Add-Type -Path x.cs`
fn add_type(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let named = |names: &[&str]| {
        let at = arguments.iter().position(|field| {
            let text = field.prefix().to_ascii_lowercase();
            names.contains(&text.as_str())
        })?;
        arguments.get(at + 1)
    };
    if let Some(path) = named(&["-path", "-literalpath"]) {
        return run_script(call, Language::DotNet, Some(path));
    }
    let code = named(&["-typedefinition", "-typedef", "-memberdefinition", "-member"]);
    let code = code.or(arguments.first().filter(|first| !first.prefix().starts_with('-')));
    if let Some(code) = code {
        run_inline(call, Language::DotNet, code, Context::default());
    }
}

const ERLANG: Flags = Flags { long: &[("eval", 'e')], one_dash: true, ..Flags::new("e", "") };

fn erlang(call: &mut Call<'_, '_>) {
    // Options have any number of values: only the code matters.
    let mut rest = call.arguments();
    while !rest.is_empty() {
        let given = flags::read(rest, &ERLANG);
        if let Some(code) = given.whole_code() {
            run_inline(call, Language::Other, &code, Context::default());
        }
        rest = given.operands.get(1..).unwrap_or_default();
    }
}

const TCL: Flags = Flags::new("c", "f");

/// Tcl and expect run programs with `exec` and `spawn`.
fn tcl(call: &mut Call<'_, '_>) {
    let given = flags::read(call.arguments(), &TCL);
    let file = given.values('f').next().or(given.operands.first());
    let code = given.whole_code().or_else(|| {
        let text = source(call, file)?.text?;
        Some(Field::text(text, call.span))
    });
    let Some(code) = code else {
        return run_script(call, Language::Other, file);
    };
    call.keep();
    let Some(text) = code.exact() else {
        call.run_code(Language::Other, &code);
        return;
    };
    let source = Code { text, origin: code.origin() };
    if shapes::is_network_shell(text) {
        call.effect(Kind::Execute, Act::NetworkShell, Target::Host(String::new()));
    }
    for (start, end) in tcl_commands(text) {
        tcl_command(call, &source, start, end);
    }
}

fn tcl_command(call: &mut Call<'_, '_>, source: &Code<'_>, start: usize, end: usize) {
    let line = source.text.get(start..end).unwrap_or_default();
    let (word, mut rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word {
        "exec" | "spawn" | "system" => {
            for flag in ["-noecho", "-ignorestderr", "-keepnewline", "--"] {
                rest = rest.trim_start();
                rest = rest.strip_prefix(flag).unwrap_or(rest).trim_start();
            }
            let whole = rest.len();
            rest = rest.trim_start_matches('"');
            let at = end - whole + (whole - rest.len());
            rest = rest.trim_end_matches('"');
            let command = source.field(rest, at, at + rest.len());
            call.run_code(SH, &command);
        }
        "file" => {
            let mut words = rest.split_whitespace();
            if words.next() != Some("delete") {
                return;
            }
            let force = rest.contains("-force");
            for path in words.filter(|word| !word.starts_with('-')) {
                let field = Field::text(path, source.span(start, end));
                let effect = call.on_path(Kind::Delete, Act::Remove, &field);
                effect.recursive = force;
                effect.force = force;
            }
        }
        _ => {}
    }
}

/// Where commands of a Tcl script stand: between line ends, semicolons and brackets.
fn tcl_commands(text: &str) -> Vec<(usize, usize)> {
    let mut commands = Vec::new();
    let mut start = 0;
    let mut quoted = false;
    let ends = text.bytes().enumerate().chain(std::iter::once((text.len(), b'\n')));
    for (at, byte) in ends {
        quoted ^= byte == b'"';
        let ends =
            matches!(byte, b'[' | b']') || matches!(byte, b'\n' | b';' | b'{' | b'}') && !quoted;
        if ends || at == text.len() {
            let line = text.get(start..at).unwrap_or_default();
            let first = start + (line.len() - line.trim_start().len());
            let length = line.trim().len();
            if length > 0 {
                commands.push((first, first + length));
            }
            start = at + 1;
        }
    }
    commands
}

const SHELL_LIKE: Flags = Flags { long: &[("commands", 'c')], ..Flags::new("c", "") };

/// Shells of their own kind, whose commands look alike.
fn shell_like(call: &mut Call<'_, '_>) {
    let given = flags::read(call.arguments(), &SHELL_LIKE);
    if let Some(code) = given.whole_code() {
        call.stdout = call.run_code(BASH, &code);
    }
}
