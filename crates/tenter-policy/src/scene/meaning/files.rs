//! Interprets the file operations of a call.

use std::borrow::Cow;

use tenter_shell::Kind;

use super::keys::Role;
use super::vocabulary::VERBS;
use super::{DELETE, FILE, FOLDER, Group, LOOK, Meaning, NO_CONTENT, READ, WRITE, words};

impl<'s> Group<'_, 's> {
    pub(super) fn files(&self, home: Option<&str>) -> Vec<Meaning<'s>> {
        let of_folder = self.tool.has(FOLDER);
        let about_files = self.tool.is_about(FILE) || of_folder;
        let near = |path: &Cow<'s, str>| self.is_here(path, home);
        let one = |role| self.texts(role).find(|path| near(path)).cloned();
        let file =
            |kind, path| Meaning::File { kind, path, recursive: of_folder, guess: !about_files };
        let mut paths: Vec<Cow<'s, str>> =
            self.texts(Role::PATH).filter(|path| near(path)).filter_map(local).collect();
        paths.extend(self.texts(Role::URL).filter_map(from_url));
        let mut meanings = Vec::new();
        if self.has_word(&["move", "rename", "copy"]) {
            // Without a word about files these may be dates, people or places.
            let is_path = |path: &Cow<'s, str>| about_files || path.starts_with(['/', '~', '.']);
            let from = one(Role::FROM.or(Role::PATH)).filter(is_path);
            if let (Some(from), Some(to)) = (from, one(Role::TO).filter(is_path)) {
                let kind = if self.has_word(&["copy"]) { Kind::Read } else { Kind::Move };
                return vec![file(kind, from), file(Kind::Write, to)];
            }
        }
        if self.has_word(DELETE) {
            let folders = self.texts(Role::FOLDER).filter(|path| near(path)).filter_map(local);
            let recursive = of_folder || self.says_recursive();
            let delete =
                |path| Meaning::File { kind: Kind::Delete, path, recursive, guess: !about_files };
            return paths.into_iter().chain(folders).map(delete).collect();
        }
        if of_folder || self.has_word(NO_CONTENT) {
            return meanings;
        }
        let (reads, writes) = (self.has_word(READ), self.has_word(WRITE));
        let content: Vec<&Cow<'s, str>> = self.texts(Role::CONTENT).collect();
        for path in paths {
            let written = writes || (!reads && !content.is_empty());
            if written {
                for content in &content {
                    let content = (*content).clone();
                    meanings.push(Meaning::Written { path: path.clone(), content });
                }
                meanings.push(file(Kind::Write, path));
            } else if reads || self.has_word(LOOK) || self.has(Role::COMMAND) {
                meanings.push(file(Kind::Read, path));
            } else {
                meanings.push(file(Kind::Read, path.clone()));
                meanings.push(Meaning::File {
                    kind: Kind::Write,
                    path,
                    recursive: false,
                    guess: true,
                });
            }
        }
        meanings
    }

    /// Whether the tool's name or the editor's operation contains one of these words.
    fn has_word(&self, list: &[&str]) -> bool {
        let verb = |text: &Cow<'s, str>| {
            VERBS.contains(&text.as_ref())
                && words(text).iter().any(|it| list.contains(&it.as_str()))
        };
        self.tool.has(list) || self.texts(Role::COMMAND).any(verb)
    }

    fn says_recursive(&self) -> bool {
        self.texts(Role::RECURSIVE).any(|said| said == "true")
    }

    /// Whether a path is local. Beside the name of a repository, bucket or machine it is not, unless it leads
    /// to the user's home or the server is a file server.
    fn is_here(&self, path: &str, home: Option<&str>) -> bool {
        let files = self.tool.server.iter().any(|word| FILE.contains(&word.as_str()));
        let of_home = || {
            path.starts_with('~')
                || home.is_some_and(|home| home.len() > 1 && path.starts_with(home))
        };
        files || !self.has(Role::FAR) || of_home()
    }
}

/// A path as a file tool would use it.
fn local<'s>(path: &Cow<'s, str>) -> Option<Cow<'s, str>> {
    if path.starts_with("file:") {
        return from_url(path);
    }
    (!path.contains('\n') && !path.contains("://")).then(|| path.clone())
}

/// `file:///etc/passwd`
fn from_url<'s>(url: &Cow<'s, str>) -> Option<Cow<'s, str>> {
    let path = url.strip_prefix("file:")?;
    let path = path.strip_prefix("//localhost").or(path.strip_prefix("//")).unwrap_or(path);
    Some(Cow::Owned(path.to_owned()))
}
