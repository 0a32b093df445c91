//! Justfiles: the code that a recipe runs with its arguments and variables.

use super::build::outside;
use super::common::{SH, run_in};
use crate::call::Call;
use crate::options::{Spec, parse};
use crate::value::{Field, Part, Unknown};
use crate::world::Use;

/// Recipes that need each other, and their number.
const MAX_RECIPES: usize = 256;

#[derive(Debug, Default)]
struct Recipe {
    name: String,
    parameters: Vec<Parameter>,
    needs: Vec<String>,
    body: Vec<String>,
}

#[derive(Clone, Debug)]
struct Parameter {
    name: String,
    default: Option<String>,
    /// `+a` and `*a` take all that is left.
    many: bool,
}

type Values = Vec<(String, String)>;

#[derive(Debug, Default)]
struct Justfile {
    variables: Values,
    recipes: Vec<Recipe>,
}

/// `just --command PROGRAM ARGUMENTS`, `just RECIPE ARGUMENTS`
pub(super) fn just(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let at = arguments.iter().position(|field| matches!(field.exact(), Some("-c" | "--command")));
    let spec = Spec::first("f:d:", "justfile= working-directory= set=");
    if let Some(at) = at {
        let options = parse(arguments.get(..at).unwrap_or_default(), &spec);
        let argv = arguments.get(at.saturating_add(1)..).unwrap_or_default();
        return run_in(call, options.value(&["d", "working-directory"]), argv);
    }
    let options = parse(arguments, &spec);
    let words = arguments.get(options.consumed..).unwrap_or_default();
    let names = ["justfile", "Justfile", ".justfile"].map(|name| Field::text(name, call.span));
    let files: Vec<Field> = match options.value(&["f", "justfile"]) {
        Some(file) => vec![file.clone()],
        None => names.to_vec(),
    };
    for file in &files {
        let path = call.machine.path(file);
        let mut content = call.machine.code_of(&path, Use::Found, call.span);
        if content.is_none() && words.iter().any(outside) {
            content = call.machine.on_disk(&path, Use::Script, call.span);
        }
        let Some(text) = content.and_then(|content| content.text) else { continue };
        for code in Justfile::read(&text).codes(words) {
            let code = Field { span: call.span, ..code };
            call.run_code(SH, &code);
        }
        return;
    }
}

impl Justfile {
    fn read(text: &str) -> Self {
        let mut file = Self::default();
        for line in text.lines() {
            if line.starts_with([' ', '\t']) {
                if let Some(recipe) = file.recipes.last_mut() {
                    recipe.body.push(line.trim_start().to_owned());
                }
            } else if let Some((name, value)) = line.split_once(":=") {
                let name = name.trim().trim_start_matches("export ").trim();
                file.variables.push((name.to_owned(), plain(value)));
            } else if let Some((head, needs)) = header(line)
                && file.recipes.len() < MAX_RECIPES
            {
                file.recipes.push(recipe(head, needs));
            }
        }
        file
    }

    /// The code that these words run.
    fn codes(&self, words: &[Field]) -> Vec<Field> {
        let mut given: Values = Vec::new();
        let mut rest = words;
        while let [first, after @ ..] = rest
            && let Some((name, value)) = first.exact().and_then(|word| word.split_once('='))
            && self.variables.iter().any(|(known, _)| known == name)
        {
            given.push((name.to_owned(), value.to_owned()));
            rest = after;
        }
        given.extend(self.variables.iter().cloned());
        let mut codes = Vec::new();
        if rest.is_empty()
            && let Some(first) = self.recipes.first()
        {
            self.run(first, &mut &[][..], &given, 0, &mut codes);
        }
        while let [name, after @ ..] = rest {
            rest = after;
            if let Some(recipe) = self.find(name.exact().unwrap_or_default()) {
                self.run(recipe, &mut rest, &given, 0, &mut codes);
            }
        }
        codes
    }

    fn find(&self, name: &str) -> Option<&Recipe> {
        self.recipes.iter().find(|recipe| recipe.name == name)
    }

    fn run(
        &self,
        recipe: &Recipe,
        words: &mut &[Field],
        given: &Values,
        depth: usize,
        codes: &mut Vec<Field>,
    ) {
        if depth > 8 || codes.len() > MAX_RECIPES {
            return;
        }
        let mut values: Values = Vec::new();
        for parameter in &recipe.parameters {
            let count = if parameter.many { words.len() } else { 1.min(words.len()) };
            let (taken, after) = words.split_at(count);
            *words = after;
            let value = if taken.is_empty() {
                parameter.default.clone().unwrap_or_default()
            } else {
                taken.iter().map(Field::shown).collect::<Vec<_>>().join(" ")
            };
            values.push((parameter.name.clone(), value));
        }
        values.extend(given.iter().cloned());
        for need in &recipe.needs {
            if let Some(needed) = self.find(need) {
                self.run(needed, &mut &[][..], given, depth.saturating_add(1), codes);
            }
        }
        if recipe.body.first().is_some_and(|line| line.starts_with("#!")) {
            codes.push(filled(&recipe.body.join("\n"), &values));
        } else {
            let lines = recipe.body.iter().map(|line| line.trim_start_matches(['@', '-']));
            codes.extend(lines.map(|line| filled(line, &values)));
        }
    }
}

/// `name a b='c' *d: need`, parted at the colon.
fn header(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches('@');
    if !line.starts_with(|first: char| first.is_alphabetic() || first == '_') {
        return None;
    }
    let mut quote = None;
    let at = line.char_indices().find(|(_, letter)| {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(*letter),
            (Some(open), letter) if open == *letter => quote = None,
            (None, ':') => return true,
            _ => {}
        }
        false
    });
    let (head, rest) = line.split_at_checked(at?.0)?;
    Some((head, rest.get(1..)?))
}

fn recipe(head: &str, needs: &str) -> Recipe {
    let mut words = head.split_ascii_whitespace();
    let name = words.next().unwrap_or_default().to_owned();
    let parameters = words.map(|word| {
        let many = word.starts_with(['*', '+']);
        let word = word.trim_start_matches(['*', '+', '$']);
        let (name, default) = match word.split_once('=') {
            Some((name, value)) => (name, Some(plain(value))),
            None => (word, None),
        };
        Parameter { name: name.to_owned(), default, many }
    });
    let parameters = parameters.collect();
    let needs = needs.split('#').next().unwrap_or_default().split_ascii_whitespace();
    let needs = needs.map(|need| need.trim_matches(['(', ')']).to_owned()).collect();
    Recipe { name, parameters, needs, body: Vec::new() }
}

/// A string without its quotes.
fn plain(value: &str) -> String {
    value.trim().trim_matches(['\'', '"']).to_owned()
}

/// `{{name}}` and `$name` replaced.
fn filled(line: &str, values: &Values) -> Field {
    let mut out = Field::default();
    let value = |name: &str| values.iter().find(|(known, _)| known == name).map(|(_, it)| it);
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_text(&exported(before, values), None);
        let (name, tail) = after.split_once("}}").unwrap_or((after, ""));
        rest = tail;
        match value(name.trim()) {
            Some(value) => out.push_text(value, None),
            None => out.push(Part::Unknown(Unknown {
                name: format!("{{{{{}}}}}", name.trim()).into(),
                splits: true,
            })),
        }
    }
    out.push_text(&exported(rest, values), None);
    out
}

fn exported(text: &str, values: &Values) -> String {
    let mut text = text.to_owned();
    for (name, value) in values.iter().filter(|(name, _)| text_has(&text, name)).collect::<Vec<_>>()
    {
        text = text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
    }
    text
}

fn text_has(text: &str, name: &str) -> bool {
    !name.is_empty() && text.contains('$') && text.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;

    fn codes(text: &str, words: &str) -> Vec<String> {
        let words: Vec<Field> =
            words.split_ascii_whitespace().map(|word| Field::text(word, Span::default())).collect();
        Justfile::read(text).codes(&words).iter().map(Field::shown).collect()
    }

    #[test]
    fn recipes_get_arguments_and_variables() {
        for (text, words, expected) in [
            ("c t:\n    rm {{t}}\n", "c x", "rm x"),
            ("c *t:\n    rm {{ t }}\n", "c x y", "rm x y"),
            ("c t='z':\n    rm {{t}}\n", "c", "rm z"),
            ("c $t='z':\n    rm $t ${t}\n", "c", "rm z z"),
            ("t := 'x'\nc:\n    @rm {{t}}\n", "t=y c", "rm y"),
            ("a: b\n    one\nb:\n    two\n", "", "two;one"),
            ("a:\n    one\nb:\n    two\n", "b a", "two;one"),
            ("a:\n    #!/bin/sh\n    one\n    two\n", "a", "#!/bin/sh\none\ntwo"),
            ("a:\n    rm {{other()}}\n", "a", "rm {{other()}}"),
        ] {
            assert_eq!(codes(text, words).join(";"), expected, "{text}");
        }
    }
}
