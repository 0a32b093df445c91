//! Build tools, as far as the command itself contains code or says what to delete.
//!
//! Actions: `remove` (delete), `copy` and `touch` (overwrite, write), `rename` (move), `cat`
//! (read): what `cmake -E` does itself.

use super::common::{SH, fed, helps, run, run_in, variable};
use super::makefile::{Makefile, shell_calls};
use crate::act::Act;
use crate::analysis::Reason;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::{Options, Spec, parse};
use crate::value::Field;
use crate::world::Use;

pub(super) const PROGRAMS: Programs = &[
    ("make", make),
    ("gmake", make),
    ("bmake", make),
    ("remake", make),
    ("just", super::justfile::just),
    ("cmake", cmake),
];

const MAKE: Spec = Spec::new(
    "C:f:I:j::l::o:W:E:O::",
    "directory= file= makefile= include-dir= jobs=? load-average=? max-load=? old-file= \
     assume-old= new-file= assume-new= what-if= eval= output-sync=? debug=? shuffle=? \
     jobserver-style= just-print dry-run recon question touch ignore-errors keep-going \
     environment-overrides print-data-base print-directory no-builtin-rules silent quiet \
     always-make warn-undefined-variables help version",
);

fn make(call: &mut Call<'_, '_>) {
    let options = call.options(&MAKE);
    if helps(&options) {
        return;
    }
    let before = call.machine.shell.cwd.clone();
    for directory in options.values(&["C", "directory"]) {
        let length = call.machine.shell.cwd.as_deref().map_or(0, str::len);
        if !call.machine.budget.spend(1 + length / 8) {
            call.unverified(Reason::TooMuchWork, directory.span);
            break;
        }
        call.machine.shell.cwd = call.machine.path(directory).exact().map(std::rc::Rc::from);
    }
    make_here(call, &options);
    call.machine.shell.cwd = before;
}

fn make_here(call: &mut Call<'_, '_>, options: &Options<'_>) {
    let mut variables = Vec::new();
    let mut goals = Vec::new();
    for operand in &options.operands {
        match variable(operand) {
            Some((name, value)) => {
                // Code in the value runs wherever it is used.
                run_calls(call, &value);
                variables.push((name.trim_end_matches([':', '?', '+']).to_owned(), value.shown()));
            }
            None => goals.push(operand.shown()),
        }
    }
    let flags = |name: &str| matches!(name, "MAKEFLAGS" | "GNUMAKEFLAGS");
    let given: Vec<Field> = call
        .machine
        .assignments
        .iter()
        .filter(|(name, _)| flags(name))
        .map(|(_, value)| value.clone())
        .collect();
    for value in &given {
        run_calls(call, value);
    }
    for text in options.values(&["E", "eval"]) {
        let content =
            Stream { text: text.exact().map(str::to_owned), ..Stream::unknown(text.sources()) };
        read(call, options, &content, (&variables, &goals), text);
    }
    let named: Vec<Field> = options.values(&["f", "file", "makefile"]).cloned().collect();
    let names = ["GNUmakefile", "makefile", "Makefile"];
    let defaults = names.map(|name| Field::text(name, call.span));
    let files = if named.is_empty() { defaults.as_slice() } else { named.as_slice() };
    for file in files {
        let stdin = matches!(file.exact(), Some("-" | "/dev/stdin" | "/dev/fd/0"));
        let content = if stdin {
            fed(&call.stdin).then(|| call.stdin.clone())
        } else {
            let path = call.machine.path(file);
            let read = call.machine.code_of(&path, Use::Found, file.span);
            match read {
                None if call.arguments().iter().any(outside) => {
                    call.machine.on_disk(&path, Use::Script, file.span)
                }
                read => read,
            }
        };
        if let Some(content) = content {
            read(call, options, &content, (&variables, &goals), file);
        }
    }
}

type Given<'a> = (&'a [(String, String)], &'a [String]);

/// Runs the code of a makefile with this content.
fn read(
    call: &mut Call<'_, '_>,
    options: &Options<'_>,
    content: &Stream,
    given: Given<'_>,
    says: &Field,
) {
    let Some(text) = &content.text else {
        call.stdout = call.run_stream(SH, content, says.span);
        return;
    };
    let (variables, goals) = given;
    let file = Makefile::read(text, variables.to_vec());
    if file.cut {
        let reason = Reason::CutShort("runs a makefile too long to check");
        call.unverified(reason, says.span);
    }
    for code in &file.at_once {
        call.run_code(SH, &file.expand(code, says.span));
    }
    let prints = ["n", "just-print", "dry-run", "recon", "q", "question", "t", "touch"];
    if options.has(&prints) {
        return;
    }
    for mut code in file.recipes(goals, says.span) {
        code.flow = content.flow.clone();
        call.run_code(SH, &code);
    }
}

/// `X='$(shell CODE)'`
fn run_calls(call: &mut Call<'_, '_>, value: &Field) {
    for code in shell_calls(value.prefix()) {
        call.run_code(SH, &Field { flow: value.flow.clone(), ..Field::text(code, value.span) });
    }
}

/// Whether an argument gives a recipe a path that a project has no business with.
pub(super) fn outside(field: &Field) -> bool {
    crate::run::leads_outside(field)
}

fn cmake(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let Some((first, rest)) = arguments.split_first() else {
        return;
    };
    if first.is("-E")
        && let Some((tool, rest)) = rest.split_first()
    {
        cmake_tool(call, tool.exact().unwrap_or_default(), rest);
    }
}

fn cmake_tool(call: &mut Call<'_, '_>, tool: &str, arguments: &[Field]) {
    let options = parse(arguments, &Spec::new("", ""));
    let operands: Vec<Field> = options.operands.iter().map(|field| (*field).clone()).collect();
    let force = options.has(&["f"]);
    match tool {
        "rm" | "remove" | "remove_directory" => {
            let recursive = tool == "remove_directory" || options.has(&["r", "R"]);
            for file in &operands {
                let effect = call.on_path(Kind::Delete, Act::Remove, file);
                effect.recursive = recursive;
                effect.force = force;
            }
        }
        "copy"
        | "copy_if_different"
        | "copy_if_newer"
        | "copy_directory"
        | "copy_directory_if_different" => {
            if let Some((target, sources)) = operands.split_last() {
                let mut content = Stream::default();
                for source in sources {
                    content.flow.join(&call.read(Act::Copy, source).flow);
                }
                let recursive = tool.starts_with("copy_directory");
                call.write(Kind::Overwrite, Act::Copy, target, content).recursive = recursive;
            }
        }
        "rename" => {
            if let [from, to] = operands.as_slice() {
                let content = call.machine.content(&call.machine.path(from));
                call.on_path(Kind::Move, Act::Rename, from);
                call.write(Kind::Overwrite, Act::Rename, to, content);
            }
        }
        "touch" | "make_directory" => {
            for file in &operands {
                call.on_path(Kind::Write, Act::Touch, file);
            }
        }
        "cat" => {
            let mut out = Stream::default();
            for file in &operands {
                out = call.read(Act::Print, file);
            }
            call.stdout = out;
        }
        _ => cmake_wrapper(call, tool, arguments),
    }
}

/// `cmake -E env A=1 COMMAND`, `cmake -E chdir DIRECTORY COMMAND`, `cmake -E time COMMAND`
fn cmake_wrapper(call: &mut Call<'_, '_>, tool: &str, arguments: &[Field]) {
    match tool {
        "env" => {
            let skips =
                |field: &&Field| field.prefix().starts_with("--") || variable(field).is_some();
            let argv: Vec<Field> = arguments.iter().skip_while(skips).cloned().collect();
            run(call, &argv);
        }
        "chdir" => {
            if let Some((directory, argv)) = arguments.split_first() {
                run_in(call, Some(directory), argv);
            }
        }
        "time" => run(call, arguments),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_with, judged};
    use crate::flow::{Source, Stream};

    #[test]
    fn recipes_given_in_the_command_are_run() {
        check_with(
            &Stream::known("all:\n\t@rm x\nother:\n\tid\n"),
            &[
                ("make -f -", "make>rm x"),
                ("make -sf - other", "make>id"),
                ("make --file=/dev/stdin -C sub", "make>rm x @/shop/sub"),
                ("make -nf -", "make -nf -"),
                ("make", "make"),
            ],
        );
        check_with(&Stream::known("t:\n\trm $(X)"), &[("make -f - X=y", "make>rm y")]);
        check_with(
            &Stream::from(Source::Network("h".into())),
            &[("make -f -", "make -f - + execute network-code")],
        );
        check(&[
            ("make --eval='x:;rm x' x", "make>rm x"),
            ("make --eval='$(shell rm x)'", "make>rm x"),
            ("make X='$(shell rm x)'", "make>rm x"),
            ("make -j4 all X=1", "make -j4 all X=1"),
            ("make clean", "make clean"),
            ("env MAKEFLAGS='--eval=$(shell rm x)' make", "env>make>rm x"),
        ]);
    }

    #[test]
    fn cmake_and_just_run_and_remove() {
        check(&[
            ("just --command rm x", "just>rm x"),
            ("just build", "just build"),
            ("cmake -E env A=1 rm x", "cmake>rm x"),
            ("cmake -E chdir /tmp rm x", "cmake>rm x @/tmp"),
            ("cmake -E rm -rf x", "cmake -E rm -rf x + delete remove /shop/x"),
            (
                "cmake -E rename a b",
                "cmake -E rename a b + move rename /shop/a + overwrite rename /shop/b",
            ),
            ("cmake --build . --target clean", "cmake --build . --target clean"),
        ]);
        let analysis = judged("cmake -E rm -rf x", Stream::default());
        assert!(analysis.effects.iter().all(|effect| effect.recursive && effect.force));
    }
}
