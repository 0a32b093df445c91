//! Scripts of a `package.json`: the code they run, with arguments added by the command.

use super::Machine;
use super::program::quote;
use crate::act::Act;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::span::Span;
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::Field;
use crate::world::{Language, Use};

/// Scripts of one file that are followed.
const MAX_SCRIPTS: usize = 32;

/// The requested script, its arguments and its file.
struct Asked<'a> {
    script: Option<&'a str>,
    arguments: &'a [Field],
    folder: Option<&'a Field>,
    /// The program runs several scripts that its words name.
    many: bool,
}

impl Machine<'_> {
    /// `npm run x` after the command or the session wrote a `package.json`: any of its scripts may run. A
    /// script of the project is read only if it gets a path from outside: `npm run clean -- ~`.
    pub(super) fn package_scripts(&mut self, name: &str, argv: &[Field]) {
        let Some(asked) = asked(name, argv) else { return };
        let span = super::span_of(argv);
        let file = match asked.folder.and_then(Field::exact) {
            Some(folder) => format!("{}/package.json", folder.trim_end_matches('/')),
            None => "package.json".to_owned(),
        };
        let path = self.path(&Field::text(file, span));
        let mut content = self.code_of(&path, Use::Found, span);
        if content.is_none() && asked.arguments.iter().any(leads_outside) {
            content = self.on_disk(&path, Use::Script, span);
        }
        let Some(content) = content else { return };
        let Some(text) = content.text else {
            // A file that came with a whole repository does not count.
            let alone = self.files.iter().any(|(name, _)| *name == path.shown());
            if alone && content.flow.from_network().is_some() {
                let effect = self.effect(Kind::Execute, Act::NetworkCode, Target::Path(path), span);
                effect.sources = content.flow;
            }
            return;
        };
        let scripts = scripts_of(&text);
        if let Some((_, code)) = scripts.iter().find(|(name, _)| asked.script == Some(name)) {
            let code = with_arguments(code, asked.arguments, span);
            self.package_script(name, &code);
        }
        if asked.script.is_some() || asked.many {
            for (_, code) in scripts.into_iter().take(MAX_SCRIPTS) {
                let code = Field::text(code, span);
                self.possibly(|machine| machine.package_script(name, &code));
            }
        }
        self.close_script();
    }

    fn package_script(&mut self, name: &str, code: &Field) {
        let language = Language::Shell(Dialect::Posix);
        self.run_code(name, None, language, code, &Stream::default());
    }
}

fn asked<'a>(name: &str, argv: &'a [Field]) -> Option<Asked<'a>> {
    let mut rest = argv.get(1..).unwrap_or_default();
    let mut asked = Asked { script: None, arguments: &[], folder: None, many: false };
    match name {
        "npm" | "pnpm" | "yarn" | "bun" => {}
        "node" => {
            let at = rest.iter().position(|word| word.prefix().starts_with("--run"))?;
            let (script, after) = match rest.get(at)?.prefix().strip_prefix("--run=") {
                Some(script) => (script, at.saturating_add(1)),
                None => (rest.get(at.saturating_add(1))?.exact()?, at.saturating_add(2)),
            };
            asked.script = Some(script);
            asked.arguments = added(rest.get(after..).unwrap_or_default());
            return Some(asked);
        }
        "npx" | "bunx" | "pnpx" | "npm-run-all" | "run-s" | "run-p" | "concurrently" => {
            let runs = |word: &Field| {
                matches!(word.exact(), Some("npm-run-all" | "npm-run-all2" | "run-s" | "run-p"))
            };
            asked.many = argv.iter().any(runs) || name == "concurrently";
            return asked.many.then_some(asked);
        }
        _ => return None,
    }
    let valued = ["--prefix", "--cwd", "--dir", "-C", "-w", "--workspace", "--filter", "-F"];
    let mut words = 0;
    while let [first, after @ ..] = rest {
        let text = first.exact().unwrap_or_default();
        rest = after;
        if valued.contains(&text) {
            if matches!(text, "--prefix" | "--cwd" | "--dir" | "-C") {
                asked.folder = rest.first();
            }
            rest = rest.get(1..).unwrap_or_default();
        } else if text.starts_with('-') && text != "--" {
        } else if words == 0 && matches!(text, "run" | "run-script" | "rum" | "urn") {
            words = 1;
        } else {
            asked.script = Some(match text {
                "t" | "tst" if words == 0 => "test",
                other => other,
            });
            break;
        }
    }
    asked.arguments = added(rest);
    // Whatever it does, a script may be part of it: `npm install` runs some.
    asked.script = asked.script.or(Some(""));
    Some(asked)
}

/// Arguments passed on, without the separating `--`.
fn added(words: &[Field]) -> &[Field] {
    match words {
        [first, rest @ ..] if first.is("--") => rest,
        _ => words,
    }
}

/// Whether an argument is a path that a project has no business with.
pub(crate) fn leads_outside(field: &Field) -> bool {
    let text = field.prefix();
    let value = text.split_once('=').map_or(text, |(_, value)| value);
    value.starts_with(['/', '~', '$']) || value.starts_with("..")
}

fn with_arguments(code: &str, arguments: &[Field], span: Span) -> Field {
    let mut whole = Field::text(code, span);
    for argument in arguments {
        whole.push_text(" ", None);
        whole.flow.join(&argument.flow);
        for part in quote(argument).parts {
            whole.push(part);
        }
    }
    whole
}

/// Names and values of the object `scripts` in a text of JSON.
fn scripts_of(text: &str) -> Vec<(String, String)> {
    let Some((_, rest)) = text.split_once("\"scripts\"") else { return Vec::new() };
    let mut scripts = Vec::new();
    let mut string: Option<String> = None;
    let mut name = String::new();
    let mut is_value = false;
    let mut letters = rest.trim_start().trim_start_matches(':').chars();
    while let Some(letter) = letters.next() {
        match (&mut string, letter) {
            (Some(_), '"') => {
                let done = string.take().unwrap_or_default();
                if std::mem::take(&mut is_value) {
                    scripts.push((std::mem::take(&mut name), done));
                } else {
                    name = done;
                }
            }
            (Some(text), '\\') => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                other => text.extend(other),
            },
            (Some(text), letter) => text.push(letter),
            (None, '"') => string = Some(String::new()),
            (None, ':') => is_value = true,
            (None, '}') => break,
            (None, _) => {}
        }
    }
    scripts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_the_values_of_their_object() {
        let text = r#"{"name": "x", "scripts": {"a": "echo \"b: c\"", "d":"e"}, "f": "g"}"#;
        let pair = |name: &str, code: &str| (name.to_owned(), code.to_owned());
        assert_eq!(scripts_of(text), [pair("a", "echo \"b: c\""), pair("d", "e")]);
        assert!(scripts_of("{}").is_empty());
    }

    #[test]
    fn the_script_and_what_it_is_given_are_found() {
        let words = |line: &str| -> Vec<Field> {
            line.split(' ').map(|word| Field::text(word, Span::default())).collect()
        };
        for (line, script, given) in [
            ("npm run a -- b", Some("a"), "b"),
            ("npm run -s a b", Some("a"), "b"),
            ("npm --prefix web run a", Some("a"), ""),
            ("npm t -- -x", Some("test"), "-x"),
            ("yarn a b", Some("a"), "b"),
            ("pnpm -C web run a b", Some("a"), "b"),
            ("node --run a -- b", Some("a"), "b"),
            ("npm install", Some("install"), ""),
        ] {
            let argv = words(line);
            let name = argv[0].shown();
            let asked = asked(&name, &argv).unwrap();
            let shown: Vec<String> = asked.arguments.iter().map(Field::shown).collect();
            assert_eq!((asked.script, shown.join(" ").as_str()), (script, given), "{line}");
        }
        assert!(asked("node", &words("node a.js")).is_none());
        assert!(asked("npx", &words("npx tsc")).is_none());
    }
}
