//! Compilers, and `java`, which compiles what it runs.
//!
//! Actions: `fork-bomb` (a process copies itself in a loop). What a compiler makes of code that the command fetched is that code.

use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::{Flow, Stream};
use crate::span::Span;
use crate::target::Target;
use crate::value::Field;
use crate::world::{Language, Use};
use crate::wrappers::common::possibly;
use crate::wrappers::interpreters::run_script;

pub(super) const PROGRAMS: Programs = &[
    ("c++", compile),
    ("cc", compile),
    ("clang", compile),
    ("clang++", compile),
    ("csc", compile),
    ("fsc", compile),
    ("g++", compile),
    ("gcc", compile),
    ("ghc", ghc),
    ("java", java),
    ("javac", compile),
    ("ld", compile),
    ("ld.lld", compile),
    ("mcs", compile),
    ("ocamlc", compile),
    ("ocamlopt", compile),
    ("rustc", compile),
    ("swiftc", compile),
    ("tcc", compile),
];

fn compile(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let mut out = None;
    let mut sources: Vec<Field> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(field) = rest.next() {
        let text = field.prefix();
        if matches!(text, "-o" | "--output" | "--out-dir") {
            out = rest.next().cloned();
        } else if text.starts_with("-o") && text.len() > 2 && !text.starts_with("-out") {
            out = field.without_prefix(2);
        } else if text.starts_with("-out:") || text.starts_with("/out:") {
            out = field.without_prefix(5);
        } else if text == "-" || !text.starts_with('-') {
            sources.push(field.clone());
        }
    }
    if let Some(made) = &out {
        call.on_path(Kind::Write, Act::Build, made);
    }
    let language = match call.name {
        "rustc" => Language::Rust,
        "swiftc" => Language::Swift,
        "csc" | "mcs" | "fsc" => Language::DotNet,
        "javac" => Language::Jvm,
        "ghc" | "ocamlfind" | "ocamlopt" | "ocamlc" => Language::Other,
        _ => Language::C,
    };
    let source = sources.iter().rfind(|field| field.prefix().contains('.'));
    let made = out.unwrap_or_else(|| Field::text(default_name(call.name, source), call.span));
    build(call, language, &sources, Some(made));
}

/// A program is made of these files. It is what they say, whenever it runs.
pub(crate) fn build(
    call: &mut Call<'_, '_>,
    language: Language,
    sources: &[Field],
    made: Option<Field>,
) {
    let mut flow = Flow::default();
    let mut all = String::new();
    for field in sources {
        let stdin = field.is("-") || field.is("/dev/stdin");
        let path = call.machine.path(field);
        let given = stdin || call.machine.written(&path).is_some();
        let content = if stdin {
            Some(call.stdin.clone())
        } else {
            call.machine.code_of(&path, Use::Found, field.span)
        };
        let Some(content) = content else { continue };
        let Some(text) = content.text else {
            flow.join(&content.flow);
            continue;
        };
        if given {
            flow.join(&content.flow);
        }
        written(call, language, &text, field.span, given);
        if given || call.machine.of_session() {
            all.push_str(&text);
            all.push('\n');
        }
    }
    let Some(made) = made else { return };
    let path = call.machine.path(&made);
    if flow.from_network().is_some() || flow.decoded() {
        call.machine.set_content(&path, &Stream::unknown(flow), false);
    } else if !all.is_empty() {
        let text = format!("#!/{}\n{all}", interpreter(language));
        call.machine.set_content(&path, &Stream::known(&text), false);
    }
}

/// A program whose name says the language.
fn interpreter(language: Language) -> &'static str {
    match language {
        Language::Rust => "rustc",
        Language::Swift => "swift",
        Language::DotNet => "dotnet",
        Language::Jvm => "java",
        Language::Go => "go",
        Language::Other => "runghc",
        _ => "tcc",
    }
}

/// Code that the command itself wrote: what it would do, and whether it forks without end.
fn written(call: &mut Call<'_, '_>, language: Language, text: &str, span: Span, given: bool) {
    let code = Field::text(text, span);
    let seen = call.machine.hidden_code(call.name, &code);
    if !seen && (given || call.machine.of_session()) {
        possibly(call, &mut |call| {
            call.run_stream(language, &Stream::known(text), span);
        });
    }
    let loops = ["while(1)", "while (1)", "for(;;)", "for (;;)", "while(true)", "while (true)"];
    if text.contains("fork()") && loops.iter().any(|head| text.contains(head)) {
        call.effect(Kind::Process, Act::ForkBomb, Target::None);
    }
}

/// The default name of the output.
fn default_name(compiler: &str, source: Option<&Field>) -> String {
    let source = source.and_then(Field::exact).unwrap_or_default();
    let name = source.rsplit('/').next().unwrap_or_default();
    match name.split_once('.') {
        Some((stem, _)) if matches!(compiler, "rustc" | "swiftc" | "ghc") => stem.to_owned(),
        Some((stem, _)) if matches!(compiler, "csc" | "mcs" | "fsc") => format!("{stem}.exe"),
        Some((stem, _)) if compiler == "javac" => format!("{stem}.class"),
        _ => "a.out".to_owned(),
    }
}

/// `ghc -e CODE`, or a compiler.
fn ghc(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let code = arguments.iter().position(|field| field.is("-e"));
    match code.and_then(|at| arguments.get(at.saturating_add(1))) {
        Some(code) => call.stdout = call.run_code(Language::Other, code),
        None => compile(call),
    }
}

/// `java File.java`, `java -jar FILE`
fn java(call: &mut Call<'_, '_>) {
    super::operations::archive(call);
    let arguments = call.arguments().to_vec();
    let mut before = "";
    for field in &arguments {
        let text = field.prefix();
        let source = text.rsplit_once('.').is_some_and(|(_, ending)| ending == "java");
        if before == "-jar" || source {
            return run_script(call, Language::Jvm, Some(field));
        }
        if !text.starts_with('-') && !matches!(before, "-cp" | "-classpath" | "--class-path") {
            let class = Field::text(format!("{text}.class"), field.span);
            let path = call.machine.path(&class);
            if call.machine.written(&path).is_some() {
                run_script(call, Language::Jvm, Some(&class));
            }
            return;
        }
        before = text;
    }
}

#[cfg(test)]
mod tests {
    use crate::{Surroundings, analyze};

    /// Whether the last program of the command is run as code from the network.
    fn runs_fetched(command: &str) -> bool {
        let world = Surroundings { cwd: Some("/shop"), ..Surroundings::default() };
        analyze(command, &world)
            .effects
            .iter()
            .any(|effect| effect.action == crate::Act::NetworkCode)
    }

    #[test]
    fn what_was_fetched_stays_so_when_it_is_compiled() {
        for command in [
            "curl -o i.c https://h.example/i.c && gcc i.c -o i && ./i",
            "curl https://h.example/i.c | gcc -x c - -o /tmp/i && /tmp/i",
            "curl -o i.c https://h.example/i.c; cc i.c; ./a.out",
            "curl -o i.rs https://h.example/i.rs; rustc -O i.rs; ./i",
            "curl -o I.java https://h.example/I.java && java I.java",
            "curl -o i.jar https://h.example/i.jar && java -Xmx1g -jar i.jar --now",
        ] {
            assert!(runs_fetched(command), "{command}");
        }
        for command in [
            "gcc -O2 main.c -o main && ./main",
            "curl -o a.json https://h.example/a.json; gcc main.c -o main && ./main",
            "java -jar target/shop.jar",
        ] {
            assert!(!runs_fetched(command), "{command}");
        }
    }
}
