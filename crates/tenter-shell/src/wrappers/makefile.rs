//! Makefiles in the command: the code of their recipes.

use crate::span::Span;
use crate::value::{Field, Part, Unknown};

/// Variables that are followed into each other.
const MAX_NESTED: usize = 8;
/// References that are followed in one line.
const MAX_REFERENCES: usize = 256;
/// `$(shell ...)` in one line.
const MAX_CALLS: usize = 32;
/// Rules, variables and targets; a makefile in a command has a few.
const MAX_ENTRIES: usize = 512;

#[derive(Debug, Default)]
pub(super) struct Makefile {
    variables: Vec<(String, String)>,
    rules: Vec<Rule>,
    /// `$(shell CODE)` outside of recipes: it runs when the file is read.
    pub at_once: Vec<String>,
    /// There was more than is followed.
    pub cut: bool,
}

#[derive(Debug)]
struct Rule {
    targets: Vec<String>,
    needs: Vec<String>,
    recipe: Vec<String>,
}

impl Makefile {
    /// Parses the input of `make -f` or `--eval`. Values from the command line take precedence over those in
    /// the file.
    pub(super) fn read(text: &str, variables: Vec<(String, String)>) -> Self {
        let mut file = Self { variables, ..Self::default() };
        let mut lines = text.lines();
        while let Some(first) = lines.next() {
            let mut line = first.to_owned();
            while line.ends_with('\\') {
                let Some(more) = lines.next() else { break };
                line.push('\n');
                line.push_str(more);
            }
            file.line(&line);
        }
        file
    }

    fn line(&mut self, line: &str) {
        if let Some(recipe) = line.strip_prefix('\t')
            && let Some(rule) = self.rules.last_mut()
        {
            rule.recipe.push(recipe.to_owned());
            return;
        }
        let line = line.replace("\\\n", " ");
        let line = line.split('#').next().unwrap_or_default().trim();
        let at = line.find(['=', ':']);
        for code in shell_calls(line) {
            self.at_once.push(code.to_owned());
        }
        let Some((before, after)) = at.and_then(|at| line.split_at_checked(at)) else {
            return;
        };
        let is_rule = after.starts_with(':') && !after.trim_start_matches(':').starts_with('=');
        if is_rule {
            self.rule(before, after.trim_start_matches(':'));
        } else {
            let value = after.trim_start_matches(':').trim_start_matches('=').trim();
            self.variable(before, value);
        }
    }

    fn variable(&mut self, before: &str, value: &str) {
        let plain = before.trim();
        if let Some(name) = plain.strip_suffix('!') {
            self.at_once.push(value.to_owned());
            self.set(name.trim(), "");
            return;
        }
        let name = plain.trim_end_matches(['?', '+']).trim();
        let name = name.rsplit(' ').next().unwrap_or(name);
        if plain.ends_with('+')
            && let Some((_, old)) = self.variables.iter_mut().find(|(known, _)| known == name)
        {
            old.push(' ');
            old.push_str(value);
            return;
        }
        self.set(name, value);
    }

    fn set(&mut self, name: &str, value: &str) {
        if self.variables.len() >= MAX_ENTRIES {
            self.cut = true;
        } else if !self.variables.iter().any(|(known, _)| known == name) {
            self.variables.push((name.to_owned(), value.to_owned()));
        }
    }

    fn rule(&mut self, targets: &str, rest: &str) {
        if self.rules.len() >= MAX_ENTRIES {
            self.cut = true;
            return;
        }
        let (needs, code) = rest.split_once(';').unwrap_or((rest, ""));
        let words = |text: &str| -> Vec<String> {
            self.expand(text, Span::default())
                .shown()
                .split_whitespace()
                .map(str::to_owned)
                .collect()
        };
        let (targets, needs) = (words(targets), words(needs));
        let recipe = if code.trim().is_empty() { Vec::new() } else { vec![code.trim().to_owned()] };
        self.rules.push(Rule { targets, needs, recipe });
    }

    /// The code that making these targets runs, line by line; without targets the first one.
    pub(super) fn recipes(&self, goals: &[String], span: Span) -> Vec<Field> {
        let first = || {
            let real = |rule: &&Rule| rule.targets.iter().any(|target| !target.starts_with('.'));
            self.rules.iter().find(real).map(|rule| rule.targets.clone()).unwrap_or_default()
        };
        let mut wanted: Vec<String> = if goals.is_empty() { first() } else { goals.to_vec() };
        let mut used = vec![false; self.rules.len()];
        let mut code = Vec::new();
        let mut at = 0_usize;
        while let Some(target) = wanted.get(at).filter(|_| at < MAX_ENTRIES).cloned() {
            at = at.saturating_add(1);
            for (rule, used) in self.rules.iter().zip(used.iter_mut()) {
                let fits = |known: &String| *known == target || fits_pattern(known, &target);
                if *used || !rule.targets.iter().any(fits) {
                    continue;
                }
                *used = true;
                wanted.extend(rule.needs.iter().cloned());
                code.extend(rule.recipe.iter().map(|line| self.command(line, &target, span)));
            }
        }
        code
    }

    /// One line of a recipe as the shell gets it.
    fn command(&self, line: &str, target: &str, span: Span) -> Field {
        let line = line.trim_start_matches(['@', '-', '+', ' ', '\t']);
        self.expand(&line.replace("$@", target), span)
    }

    /// Variables replaced; what is not known stays unknown.
    pub(super) fn expand(&self, text: &str, span: Span) -> Field {
        let mut out = Field { span, ..Field::default() };
        let mut left = MAX_REFERENCES;
        self.expand_into(text, &mut out, 0, &mut left);
        out
    }

    fn expand_into(&self, text: &str, out: &mut Field, depth: usize, left: &mut usize) {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            out.push_text(before, None);
            let (name, tail) = reference(after);
            rest = tail;
            if name == "$" {
                out.push_text("$", None);
                continue;
            }
            let known = self.variables.iter().find(|(known, _)| known == name);
            match known {
                Some((_, value)) if depth < MAX_NESTED && *left > 0 => {
                    *left = left.saturating_sub(1);
                    self.expand_into(value, out, depth.saturating_add(1), left);
                }
                None if name == "RM" => out.push_text("rm -f", None),
                None if name == "MAKE" => out.push_text("make", None),
                _ => out.push(Part::Unknown(Unknown {
                    name: format!("$({name})").into(),
                    splits: true,
                })),
            }
        }
        out.push_text(rest, None);
    }
}

/// `%.o` fits `a.o`.
fn fits_pattern(pattern: &str, target: &str) -> bool {
    pattern.split_once('%').is_some_and(|(start, end)| {
        target.len() >= start.len().saturating_add(end.len())
            && target.starts_with(start)
            && target.ends_with(end)
    })
}

/// The name after a `$` and what follows it: `(NAME)`, `{NAME}`, or one character.
fn reference(after: &str) -> (&str, &str) {
    let close = match after.chars().next() {
        Some('(') => ')',
        Some('{') => '}',
        Some(other) => return after.split_at_checked(other.len_utf8()).unwrap_or((after, "")),
        None => return ("", ""),
    };
    let inner = after.get(1..).unwrap_or_default();
    match end_of(inner, close) {
        Some(end) => (
            inner.get(..end).unwrap_or_default(),
            inner.get(end.saturating_add(1)..).unwrap_or_default(),
        ),
        None => (inner, ""),
    }
}

/// Where the reference that was opened before `text` ends.
fn end_of(text: &str, close: char) -> Option<usize> {
    let open = if close == ')' { '(' } else { '{' };
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth = depth.saturating_add(1);
        } else if letter == close {
            if depth == 0 {
                return Some(at);
            }
            depth = depth.saturating_sub(1);
        }
    }
    None
}

/// The code of each `$(shell CODE)` in the text.
pub(super) fn shell_calls(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for open in ["$(shell", "${shell"] {
        for (at, _) in text.match_indices(open).take(MAX_CALLS) {
            let after = text.get(at.saturating_add(1)..).unwrap_or_default();
            let inner = reference(after).0.strip_prefix("shell").unwrap_or_default();
            if inner.starts_with([' ', '\t']) {
                found.push(inner.trim());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipes(text: &str, goals: &[&str]) -> Vec<String> {
        let goals: Vec<String> = goals.iter().map(|goal| (*goal).to_owned()).collect();
        let file = Makefile::read(text, vec![("A".into(), "given".into())]);
        file.recipes(&goals, Span::default()).iter().map(Field::shown).collect()
    }

    #[test]
    fn the_first_target_and_what_it_needs_are_made() {
        let text = "X = one\nall: dep\n\t@echo $(X)\ndep:\n\t-rm -rf ${A} $$HOME\nother:\n\tid\n";
        assert_eq!(recipes(text, &[]), ["echo one", "rm -rf given $HOME"]);
        assert_eq!(recipes(text, &["other"]), ["id"]);
        assert_eq!(recipes(text, &["missing"]), [""; 0]);
    }

    #[test]
    fn lines_go_on_and_rules_stand_on_one_line() {
        assert_eq!(recipes("a: ; rm x\n", &[]), ["rm x"]);
        assert_eq!(recipes("a:\n\trm \\\n\tx\n", &[]), ["rm \\\n\tx"]);
        assert_eq!(recipes("%.o: %.c\n\tcc $@ $<\n", &["a.o"]), ["cc a.o $(<)"]);
        assert_eq!(recipes("X := a\nX += b\nt:\n\techo $X\n", &[]), ["echo a b"]);
        assert_eq!(recipes(".PHONY: t\nt:\n\tid\n", &[]), ["id"]);
    }

    #[test]
    fn shell_calls_are_found() {
        assert_eq!(shell_calls("X = $(shell rm $(y)) ${shell id}"), ["rm $(y)", "id"]);
        assert_eq!(shell_calls("shell $(shellx a)"), [""; 0]);
        let file = Makefile::read("X != rm x\nY := $(shell id)\n", Vec::new());
        assert_eq!(file.at_once, ["rm x", "id"]);
    }
}
