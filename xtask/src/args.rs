//! Minimal option parser for the tasks. Unknown options are errors, so that a mistyped `--check` fails.

use crate::error::{Context, Error, Result};

#[derive(Debug)]
pub(crate) struct Args(Vec<String>);

impl Args {
    pub(crate) fn from_env() -> Self {
        Self(std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect())
    }

    /// No arguments, for a task called by another task.
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }

    /// Takes the first argument when it is not an option.
    pub(crate) fn subcommand(&mut self) -> Option<String> {
        let is_word = self.0.first().is_some_and(|arg| !arg.starts_with('-'));
        is_word.then(|| self.0.remove(0))
    }

    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|arg| arg != name);
        self.0.len() != before
    }

    /// Takes one `--name value` or `--name=value`; call again for further ones.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>> {
        for at in 0..self.0.len() {
            let Some(rest) = self.0.get(at).and_then(|arg| arg.strip_prefix(name)) else {
                continue;
            };
            if let Some(value) = rest.strip_prefix('=') {
                let value = value.to_owned();
                self.0.remove(at);
                return Ok(Some(value));
            }
            if rest.is_empty() {
                if at + 1 >= self.0.len() {
                    return Err(Error::new(format!("`{name}` needs a value")));
                }
                let value = self.0.remove(at + 1);
                self.0.remove(at);
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    pub(crate) fn values(&mut self, name: &str) -> Result<Vec<String>> {
        std::iter::from_fn(|| self.value(name).transpose()).collect()
    }

    pub(crate) fn number<T: std::str::FromStr>(&mut self, name: &str, default: T) -> Result<T>
    where
        T::Err: std::fmt::Display,
    {
        match self.value(name)? {
            Some(text) => text.parse().context(format!("`{name} {text}`")),
            None => Ok(default),
        }
    }

    /// Everything after `--`: a command to run.
    pub(crate) fn command(&mut self) -> Vec<String> {
        let at = self.0.iter().position(|arg| arg == "--").unwrap_or(self.0.len());
        let mut rest = self.0.split_off(at);
        if !rest.is_empty() {
            rest.remove(0);
        }
        rest
    }

    pub(crate) fn finish(&self) -> Result<()> {
        match self.0.first() {
            None => Ok(()),
            Some(arg) => Err(Error::new(format!(
                "`{arg}` is not an option of this task; see `cargo xtask help`"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Args {
        Args(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn options_are_taken_in_any_form_and_order() {
        let mut args = args(&["test", "--only", "fmt", "--list", "--only=clippy"]);
        assert_eq!(args.subcommand().as_deref(), Some("test"));
        assert_eq!(args.values("--only").unwrap(), ["fmt", "clippy"]);
        assert!(args.flag("--list"));
        assert!(!args.flag("--list"));
        args.finish().unwrap();
    }

    #[test]
    fn leftovers_and_missing_values_are_errors() {
        let mut args = args(&["gen", "--chekc", "--runs"]);
        args.subcommand();
        assert_eq!(args.value("--runs").unwrap_err().to_string(), "`--runs` needs a value");
        assert!(args.finish().unwrap_err().to_string().contains("--chekc"));
    }

    #[test]
    fn a_number_that_is_none_names_the_option() {
        let mut args = args(&["--runs", "many"]);
        assert!(args.number("--runs", 1_u32).unwrap_err().to_string().starts_with("`--runs many`"));
    }

    #[test]
    fn a_command_is_left_alone() {
        let mut args = args(&["probe", "--", "tenter", "hook", "cursor"]);
        assert_eq!(args.command(), ["tenter", "hook", "cursor"]);
        args.subcommand();
        args.finish().unwrap();
    }
}
