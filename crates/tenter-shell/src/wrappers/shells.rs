//! Shells: code in an argument, in a file, on standard input.
//!
//! Actions: `environment-code` (execute: a file named by `BASH_ENV` or `ENV` is run first).

use super::common::{BASH, SH, content, fed, possibly, run, run_stdin};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::expand::{Positional, Variable};
use crate::flow::Stream;
use crate::options::{Options, Spec};
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::{Field, Part};
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[
    ("sh", shell),
    ("bash", shell),
    ("zsh", shell),
    ("dash", shell),
    ("ksh", shell),
    ("ksh93", shell),
    ("mksh", shell),
    ("pdksh", shell),
    ("oksh", shell),
    ("ash", shell),
    ("rbash", shell),
    ("rzsh", shell),
    ("yash", shell),
    ("posh", shell),
    ("osh", shell),
    ("csh", shell),
    ("tcsh", shell),
    ("hush", shell),
    ("fish", fish),
    ("nu", other),
    ("elvish", other),
    ("xonsh", other),
    ("busybox", applet),
    ("toybox", applet),
];

/// The grammar of a shell, if this is one.
pub(crate) fn dialect_of(program: &str) -> Option<Dialect> {
    Some(match program {
        "sh" | "dash" | "ash" | "posh" | "hush" | "yash" => Dialect::Posix,
        "bash" | "rbash" | "ksh" | "ksh93" | "mksh" | "pdksh" | "oksh" | "osh" | "csh" | "tcsh" => {
            Dialect::Bash
        }
        "zsh" | "rzsh" => Dialect::Zsh,
        "fish" => Dialect::Fish,
        _ => return None,
    })
}

/// Language read by a program: `python3.11` is Python.
pub(crate) fn language_of(program: &str) -> Option<Language> {
    let plain = program.trim_end_matches(|last: char| matches!(last, '0'..='9' | '.' | '-'));
    if let Some(dialect) = dialect_of(program).or_else(|| dialect_of(plain)) {
        return Some(Language::Shell(dialect));
    }
    Some(match plain {
        "python" | "pypy" | "ipython" | "pythonw" => Language::Python,
        "node" | "nodejs" | "deno" | "bun" | "tsx" | "ts-node" | "qjs" => Language::JavaScript,
        "perl" | "raku" => Language::Perl,
        "ruby" | "jruby" | "irb" => Language::Ruby,
        "php" => Language::Php,
        "lua" | "luajit" | "texlua" => Language::Lua,
        "osascript" => Language::AppleScript,
        "awk" | "gawk" | "mawk" | "nawk" => Language::Awk,
        "pwsh" | "powershell" => Language::PowerShell,
        "cmd" => Language::Cmd,
        "go" => Language::Go,
        "rustc" | "rust-script" | "cargo" => Language::Rust,
        "tcc" | "cc" => Language::C,
        "swift" => Language::Swift,
        "java" | "groovy" | "scala" | "kotlin" | "kotlinc" | "jshell" => Language::Jvm,
        "csi" | "dotnet" | "fsharpi" | "fsi" => Language::DotNet,
        "julia" => Language::Julia,
        "guile" | "sbcl" | "emacs" | "racket" | "scheme" | "mit-scheme" | "clojure" | "clj"
        | "bb" => Language::Lisp,
        "nim" => Language::Nim,
        "Rscript" | "R" | "tclsh" | "wish" | "expect" | "elixir" | "nu" | "xonsh" | "ocaml"
        | "runghc" => Language::Other,
        _ => return None,
    })
}

/// Language of a file: by its first line, else by its name; shell if neither tells.
pub(crate) fn language_of_file(path: &str, text: &str) -> Language {
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end);
    shebang(text).unwrap_or(match ending {
        Some("py" | "pyw") => Language::Python,
        Some("js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx") => Language::JavaScript,
        Some("pl" | "pm") => Language::Perl,
        Some("rb") => Language::Ruby,
        Some("php") => Language::Php,
        Some("lua") => Language::Lua,
        Some("ps1") => Language::PowerShell,
        Some("bat" | "cmd") => Language::Cmd,
        Some("fish") => Language::Shell(Dialect::Fish),
        Some("zsh") => Language::Shell(Dialect::Zsh),
        Some(ending) => compiled(ending).unwrap_or(BASH),
        None => BASH,
    })
}

/// Language of a source file of a compiled language, or of one that has a compiler.
pub(crate) fn compiled(ending: &str) -> Option<Language> {
    Some(match ending {
        "go" => Language::Go,
        "rs" => Language::Rust,
        "c" | "cc" | "cpp" | "cxx" | "h" | "hpp" | "m" | "mm" => Language::C,
        "swift" => Language::Swift,
        "java" | "kt" | "kts" | "groovy" | "gradle" | "scala" | "sc" | "sbt" => Language::Jvm,
        "cs" | "csx" | "fs" | "fsx" => Language::DotNet,
        "jl" => Language::Julia,
        "el" | "lisp" | "scm" | "rkt" | "clj" => Language::Lisp,
        "nim" | "nims" => Language::Nim,
        "vbs" => Language::VbScript,
        "R" | "r" | "ex" | "exs" | "erl" | "escript" | "hs" | "ml" => Language::Other,
        _ => return None,
    })
}

/// Language of a script's first line.
pub(crate) fn shebang(text: &str) -> Option<Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_ascii_whitespace();
    let base = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let program = base(words.next()?)?;
    if program != "env" {
        return language_of(&program);
    }
    let inner = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    language_of(&base(inner)?)
}

fn language(call: &Call<'_, '_>) -> Language {
    dialect_of(call.name).map_or(BASH, Language::Shell)
}

fn shell(call: &mut Call<'_, '_>) {
    let language = language(call);
    environment_code(call, language);
    prompt_code(call, language);
    let arguments = call.arguments();
    run_arguments(call, language, arguments);
}

/// Judges a shell with these arguments.
pub(super) fn run_arguments(call: &mut Call<'_, '_>, language: Language, arguments: &[Field]) {
    let flags = Flags::read(arguments);
    let operands = arguments.get(flags.consumed..).unwrap_or_default();
    if flags.about || flags.checks {
        return;
    }
    if let Some(file) = flags
        .start_file
        .and_then(|at| arguments.get(at))
        .filter(|_| flags.interactive || (operands.is_empty() && !flags.command))
        && let Some(content) = content(call, file)
    {
        let span = file.span;
        nested(call, None, &[], &mut |call| call.run_stream(language, &content, span));
    }
    match operands.split_first() {
        Some((code, arguments)) if flags.command => run_command(call, language, code, arguments),
        Some((file, arguments)) if !flags.stdin => {
            // The script itself, once more, while this one goes on.
            if file.shown() == "$0" && call.machine.spawning > 0 {
                call.effect(Kind::Process, Act::ForkBomb, Target::None);
            }
            if let Some(content) = content(call, file) {
                let span = file.span;
                call.stdout = nested(call, Some(file), arguments, &mut |call| {
                    call.run_stream(language, &content, span)
                });
            }
        }
        _ if flags.command || !fed(&call.stdin) => {}
        _ => {
            let code = call.stdin.clone();
            let span = call.span;
            call.stdout =
                nested(call, None, operands, &mut |call| call.run_stream(language, &code, span));
        }
    }
}

/// `-c CODE NAME ARGUMENTS`
pub(super) fn run_command(
    call: &mut Call<'_, '_>,
    language: Language,
    code: &Field,
    rest: &[Field],
) {
    let arguments = rest.get(1..).unwrap_or_default();
    if code.prefix().is_empty() && code.has_unknown() {
        // Nothing of the code is known: all that can be listed is the shell.
        call.keep();
    }
    call.stdout = nested(call, rest.first(), arguments, &mut |call| call.run_code(language, code));
}

/// Runs `inner` as a shell that this one starts: variables set for it hold, its arguments are
/// its own, and functions that hide programs stay behind.
fn nested(
    call: &mut Call<'_, '_>,
    name: Option<&Field>,
    arguments: &[Field],
    inner: &mut dyn FnMut(&mut Call<'_, '_>) -> Stream,
) -> Stream {
    let shell = &mut call.machine.shell;
    let outer = shell.clone();
    call.machine.budget.spend(shell.weight());
    // Exported functions come along and cannot be told from others; hiding `rm` is not for them.
    shell
        .functions
        .retain(|(name, _)| super::find(name).is_none() && crate::tools::find(name).is_none());
    shell.aliases.clear();
    shell.keep_exported(call.machine.world.variables);
    shell.positional = Positional::Known(arguments.to_vec());
    if let Some(name) = name {
        shell.set("0", Variable::Scalar(name.clone()));
    }
    for (name, value) in &call.machine.assignments {
        call.machine.shell.set(name, Variable::Scalar(value.clone()));
    }
    let out = inner(call);
    call.machine.shell = outer;
    out
}

/// `BASH_ENV=FILE bash -c ...` runs the file first.
fn environment_code(call: &mut Call<'_, '_>, language: Language) {
    let wanted = if language == SH { "ENV" } else { "BASH_ENV" };
    let found = call.machine.assignments.iter().rev().find(|(name, _)| name == wanted);
    let Some((_, file)) = found.cloned() else {
        return;
    };
    let path = call.machine.path(&file);
    let content = content(call, &file);
    if content.is_none() && path.exact().is_some() {
        return;
    }
    let effect = call.effect_at(Kind::Execute, Act::EnvironmentCode, Target::Path(path), file.span);
    if let Some(content) = content {
        effect.sources = content.flow.clone();
        let span = file.span;
        nested(call, None, &[], &mut |call| call.run_stream(language, &content, span));
    }
}

/// Prompts are expanded, `PS4` for each command with `-x`, and `PROMPT_COMMAND` is run.
fn prompt_code(call: &mut Call<'_, '_>, language: Language) {
    for (name, value) in call.machine.assignments.clone() {
        let mut code = Field { span: value.span, flow: value.flow.clone(), ..Field::default() };
        let shown = value.shown();
        match name.as_str() {
            "PROMPT_COMMAND" => code = value,
            "PS0" | "PS1" | "PS2" | "PS4" if shown.contains("$(") || shown.contains('`') => {
                code.push_text(": \"", None);
                for part in value.parts {
                    code.push(part);
                }
                code.push_text("\"", None);
            }
            _ => continue,
        }
        call.keep();
        possibly(call, &mut |call| {
            nested(call, None, &[], &mut |call| call.run_code(language, &code));
        });
    }
}

/// The options of a shell, read as bash reads them: letters in any order, `-o` with a word of its
/// own, and `-c` that takes the first operand.
#[expect(clippy::struct_excessive_bools, reason = "each is an option that a shell has")]
#[derive(Default)]
struct Flags {
    command: bool,
    stdin: bool,
    interactive: bool,
    /// `-n`: the code is read, not run.
    checks: bool,
    /// `--help`, `--version` and the like.
    about: bool,
    /// Where `--rcfile` names its file.
    start_file: Option<usize>,
    consumed: usize,
}

impl Flags {
    fn read(arguments: &[Field]) -> Self {
        let mut flags = Self::default();
        while let Some(field) = arguments.get(flags.consumed) {
            let text = field.prefix();
            // `bash $FLAGS -c CODE`: the variable is empty or holds options.
            if may_vanish(field)
                && arguments.get(flags.consumed.saturating_add(1)).is_some_and(is_option)
            {
                flags.consumed = flags.consumed.saturating_add(1);
                continue;
            }
            let Some((sign @ ("-" | "+"), letters)) = text.split_at_checked(1) else {
                break;
            };
            flags.consumed = flags.consumed.saturating_add(1);
            if matches!(text, "-" | "--") {
                break;
            }
            match letters.strip_prefix('-') {
                Some(name) => flags.long(name),
                None => flags.short(letters, sign == "-"),
            }
        }
        flags
    }

    fn long(&mut self, name: &str) {
        match name {
            "rcfile" | "init-file" => {
                self.start_file = Some(self.consumed);
                self.consumed = self.consumed.saturating_add(1);
            }
            "emulate" => self.consumed = self.consumed.saturating_add(1),
            "help" | "version" | "dump-strings" | "dump-po-strings" => self.about = true,
            "command" => self.command = true,
            "interactive" => self.interactive = true,
            _ => {}
        }
    }

    fn short(&mut self, letters: &str, on: bool) {
        for letter in letters.chars() {
            match letter {
                'c' if on => self.command = true,
                's' if on => self.stdin = true,
                'i' if on => self.interactive = true,
                'n' => self.checks = on,
                'D' if on => self.about = true,
                'o' | 'O' => self.consumed = self.consumed.saturating_add(1),
                _ => {}
            }
        }
    }
}

fn is_option(field: &Field) -> bool {
    field.prefix().starts_with(['-', '+'])
}

/// Nothing of it is known, and it may be no argument at all.
pub(super) fn may_vanish(field: &Field) -> bool {
    matches!(field.parts.as_slice(), [Part::Unknown(unknown)] if unknown.splits)
}

const FISH: Spec = Spec::first(
    "c:C:d:o:D:f:p:",
    "command= init-command= debug= debug-output= debug-stack-frames= features= profile= \
     profile-startup= no-execute no-config interactive login private help version",
);

fn fish(call: &mut Call<'_, '_>) {
    let language = Language::Shell(Dialect::Fish);
    let options: Options<'_> = call.options(&FISH);
    if options.has(&["n", "no-execute", "h", "help", "v", "version"]) {
        return;
    }
    let operands = super::common::rest(call, &options, 0);
    let mut given = false;
    for found in &options.found {
        let Some(code) = &found.value else { continue };
        if matches!(found.name, "c" | "command" | "C" | "init-command") {
            given |= found.name.starts_with('c');
            call.stdout = nested(call, None, operands, &mut |call| call.run_code(language, code));
        }
    }
    if given {
        return;
    }
    match operands.split_first() {
        Some((file, arguments)) => {
            if let Some(content) = content(call, file) {
                let span = file.span;
                call.stdout = nested(call, Some(file), arguments, &mut |call| {
                    call.run_stream(language, &content, span)
                });
            }
        }
        None => run_stdin(call, language, call.span),
    }
}

/// Shells of another kind: a plain command reads the same in all of them.
fn other(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("c:e:m:I:", "commands= execute= config="));
    let code: Vec<Field> = options.values(&["c", "commands", "e", "execute"]).cloned().collect();
    possibly(call, &mut |call| {
        for code in &code {
            call.stdout = call.run_code(BASH, code);
        }
    });
}

/// `busybox rm -rf x` is `rm -rf x`.
fn applet(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    if arguments.first().is_some_and(|first| !first.prefix().starts_with('-')) {
        run(call, arguments);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_text, check_with};
    use super::*;
    use crate::flow::Source;

    #[test]
    fn code_in_an_argument_is_run() {
        check(&[
            ("bash -c 'rm x'", "bash>rm x"),
            ("bash -lc 'rm x'", "bash>rm x"),
            ("sh -ec 'rm x; id'", "sh>rm x | sh>id"),
            ("bash -xeuo pipefail -c 'rm x'", "bash>rm x"),
            ("bash -o pipefail +x -O extglob -c 'rm x'", "bash>rm x"),
            ("bash -c -- 'rm x'", "bash>rm x"),
            ("bash -c -e 'rm x'", "bash>rm x"),
            ("bash --norc --rcfile y -c 'rm x' name", "bash>rm x"),
            ("zsh -fc 'rm x'", "zsh>rm x"),
            ("fish -c 'rm x' -C id", "fish>rm x | fish>id"),
            ("fish --command='rm x'", "fish>rm x"),
            ("busybox sh -c 'rm x'", "busybox>sh>rm x"),
            ("toybox rm x", "toybox>rm x"),
            ("nu -c 'rm x'", "nu>rm x"),
        ]);
    }

    #[test]
    fn what_only_looks_at_code_runs_nothing() {
        check(&[
            ("bash -n script.sh", "bash -n script.sh"),
            ("bash -nc 'rm x'", "bash -nc rm x"),
            ("bash --version", "bash --version"),
            ("bash script.sh -c 'rm x'", "bash script.sh -c rm x"),
            ("bash -- -c 'rm x'", "bash -- -c rm x"),
            ("fish -n x.fish", "fish -n x.fish"),
            ("busybox --list", "busybox --list"),
            ("bash", "bash"),
        ]);
    }

    #[test]
    fn code_on_standard_input_is_run() {
        check_with(
            &Stream::known("rm x"),
            &[
                ("bash", "bash>rm x"),
                ("bash -s a b", "bash>rm x"),
                ("bash -e -", "bash>rm x"),
                ("sh /dev/stdin", "sh>rm x"),
                ("fish", "fish>rm x"),
                ("bash -c id", "bash>id"),
                ("bash script", "bash script"),
            ],
        );
        let network = Stream::from(Source::Network("h".into()));
        check_with(
            &network,
            &[
                ("bash", "bash + execute network-code"),
                ("sh -s -- -y", "sh -s -- -y + execute network-code"),
            ],
        );
        check_with(&Stream::from(Source::Stdin), &[("bash", "bash")]);
    }

    #[test]
    fn the_shell_inside_has_its_own_arguments_and_variables() {
        check_text(&[
            ("bash -c 'rm \"$1\"' _ x", "bash>rm x"),
            ("bash -c 'rm $0' x", "bash>rm x"),
            ("sh -c 'rm \"$@\"' sh x y", "sh>rm x y"),
            ("A=x bash -c 'rm $A'", "bash>rm x"),
            ("env A=x sh -c 'rm $A'", "env>sh>rm x"),
            ("bash $FLAGS -c 'rm x'", "bash>rm x"),
            ("rm() { :; }; bash -c 'rm x'", "bash>rm x"),
            ("f() { rm x; }; export -f f; bash -c f", "export -f f | bash>f>rm x"),
            ("bash -c \"rm $X/y\"", "bash>rm $X/y"),
            ("bash -c \"$X\"", "bash -c $X + execute dynamic-code"),
            (
                "echo a b | xargs -n1 sh -c 'rm \"$1\"' _",
                "echo a b | xargs>sh>rm a | xargs>sh>rm b",
            ),
        ]);
    }

    #[test]
    fn a_script_that_the_command_wrote_is_run() {
        check_text(&[
            ("echo rm x > s; sh s", "echo rm x | sh>rm x"),
            ("echo 'rm $1' > s; sh ./s x", "echo rm $1 | sh>rm x"),
            ("bash <(echo rm x)", "echo rm x | bash>rm x"),
            ("exec 3<<<'rm x'; bash /dev/fd/3", "bash>rm x"),
            ("sh existing.sh", "sh existing.sh"),
            (
                "echo rm x > s; BASH_ENV=s bash -c id",
                "echo rm x | bash>rm x | bash>id + execute environment-code",
            ),
            ("BASH_ENV=/etc/x bash -c id", "bash>id"),
        ]);
    }

    #[test]
    fn interpreters_are_known_by_name_and_first_line() {
        assert_eq!(language_of("python3.11"), Some(Language::Python));
        assert_eq!(language_of("ksh93"), Some(BASH));
        assert_eq!(language_of("bash"), Some(BASH));
        assert_eq!(language_of("make"), None);
        assert_eq!(shebang("#!/bin/sh\nx"), Some(SH));
        assert_eq!(shebang("#!/usr/bin/env -S A=1 node --x\n"), Some(Language::JavaScript));
        assert_eq!(shebang("#! /usr/bin/python3"), Some(Language::Python));
        assert_eq!(shebang("echo"), None);
    }
}
