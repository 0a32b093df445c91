//! Finds the configuration file.
//!
//! Never in the current folder: that is the project's, and a repository that could choose the judge's server
//! would receive every prompt, and the key.

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::failure::Failure;

const VARIABLE: &str = "TENTER_JUDGE_CONFIG";

/// Maximum size of a configuration; a wrong path may lead to something large.
const LIMIT: u64 = 64 * 1024;

/// Reads a variable of the environment.
pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The file to use and its text.
pub(super) fn find(
    named: Option<&Path>,
    environment: Environment<'_>,
) -> Result<(PathBuf, String), Failure> {
    if let Some(path) = named {
        return existing(path, "--config");
    }
    if let Some(path) = path_in(environment, VARIABLE) {
        if !path.is_absolute() {
            let path = path.display();
            let why = "it would be looked for in the project";
            return Err(Failure::usage(format!(
                "`{VARIABLE}` is `{path}`, which is not an absolute path: {why}"
            )));
        }
        return existing(&path, VARIABLE);
    }
    let places = usual(environment);
    for path in &places {
        if let Some(text) = read(path)? {
            return Ok((path.clone(), text));
        }
    }
    let place = places.first().map(|path| format!(" to `{}`", path.display())).unwrap_or_default();
    Err(Failure::usage(format!(
        "there is no configuration, and no server is assumed; write one{place}, such as these \
         lines for a local server: `api = \"openai\"` `endpoint = \"http://127.0.0.1:11434/v1\"` \
         `model = \"NAME\"`"
    )))
}

fn existing(path: &Path, named_by: &str) -> Result<(PathBuf, String), Failure> {
    match read(path)? {
        Some(text) => Ok((path.to_owned(), text)),
        None => {
            let path = path.display();
            Err(Failure::usage(format!("`{named_by}` names `{path}`, which does not exist")))
        }
    }
}

/// `None` when the file does not exist. Anything but a regular file is refused, as it might never end.
fn read(path: &Path) -> Result<Option<String>, Failure> {
    let wrong = |what: &str| {
        Failure::usage(format!("cannot use the configuration `{}`: {what}", path.display()))
    };
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(wrong("it is not a file")),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(&error.to_string())),
    }
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LIMIT + 1).read_to_string(&mut text));
    match read {
        Ok(_) if text.len() as u64 > LIMIT => Err(wrong("it has more than 64 KiB")),
        Ok(_) => Ok(Some(text)),
        Err(error) => Err(wrong(&error.to_string())),
    }
}

fn path_in(environment: Environment<'_>, name: &str) -> Option<PathBuf> {
    environment(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Paths of the user's and the system's file. A relative folder would be the project's, so it is skipped.
fn usual(environment: Environment<'_>) -> Vec<PathBuf> {
    let absolute = |name: &str| path_in(environment, name).filter(|path| path.is_absolute());
    #[cfg(not(windows))]
    let folders = {
        let home = || absolute("HOME").map(|home| home.join(".config"));
        [absolute("XDG_CONFIG_HOME").or_else(home), Some(PathBuf::from("/etc"))]
    };
    #[cfg(windows)]
    let folders = [absolute("APPDATA"), absolute("ProgramData")];
    folders
        .into_iter()
        .flatten()
        .map(|folder| folder.join("tenterhook").join("judge.toml"))
        .collect()
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    fn places(variables: &[(&str, &str)]) -> Vec<String> {
        let environment = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        };
        usual(&environment).iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn the_user_comes_before_the_system() {
        let home = ("HOME", "/home/a");
        let both = ["/x/tenterhook/judge.toml", "/etc/tenterhook/judge.toml"];
        assert_eq!(places(&[("XDG_CONFIG_HOME", "/x"), home]), both);
        let both = ["/home/a/.config/tenterhook/judge.toml", "/etc/tenterhook/judge.toml"];
        assert_eq!(places(&[home]), both);
        assert_eq!(places(&[("XDG_CONFIG_HOME", ""), home]), both);
    }

    #[test]
    fn a_relative_folder_is_the_projects_and_does_not_count() {
        let system = ["/etc/tenterhook/judge.toml"];
        assert_eq!(places(&[]), system);
        assert_eq!(places(&[("HOME", "."), ("XDG_CONFIG_HOME", "config")]), system);
        let environment = |_: &str| Some(OsString::from("judge.toml"));
        let failure = find(None, &environment).unwrap_err();
        assert!(format!("{failure:?}").contains("not an absolute path"), "{failure:?}");
    }
}
