//! Interprets keys of tool inputs, in any spelling.

/// Possible meanings of a value; a key may have several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Role(u32);

impl Role {
    pub(super) const COMMAND: Role = Role(1);
    /// A command that may also be another kind of text.
    pub(super) const SCRIPT: Role = Role(1 << 1);
    pub(super) const ARGUMENTS: Role = Role(1 << 2);
    pub(super) const CODE: Role = Role(1 << 3);
    pub(super) const TYPED: Role = Role(1 << 4);
    pub(super) const QUERY: Role = Role(1 << 5);
    pub(super) const LANGUAGE: Role = Role(1 << 6);
    pub(super) const CWD: Role = Role(1 << 7);
    pub(super) const PATH: Role = Role(1 << 8);
    /// A folder, whose content matters.
    pub(super) const FOLDER: Role = Role(1 << 9);
    pub(super) const FROM: Role = Role(1 << 10);
    pub(super) const TO: Role = Role(1 << 11);
    pub(super) const CONTENT: Role = Role(1 << 12);
    pub(super) const URL: Role = Role(1 << 13);
    /// Names a repository, bucket or other machine: paths beside it are not local.
    pub(super) const FAR: Role = Role(1 << 14);
    /// May contain a tool's arguments as JSON inside a string.
    pub(super) const PACKED: Role = Role(1 << 15);

    /// Indicates that a folder is meant recursively.
    pub(super) const RECURSIVE: Role = Role(1 << 16);

    const NONE: Role = Role(0);

    pub(super) const fn or(self, other: Role) -> Role {
        Role(self.0 | other.0)
    }

    pub(super) const fn is(self, other: Role) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) const fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// Maximum length of a meaningful key, without separators.
const LONGEST: usize = 24;

/// A key in lower case without separators: `file-path`, `filePath` and `FILE_PATH` are equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    letters: [u8; LONGEST],
    length: usize,
}

impl Plain {
    /// `None` for a key that is too long, or contains none of our letters.
    pub(super) fn of(key: &str) -> Option<Self> {
        let mut plain = Self { letters: [0; LONGEST], length: 0 };
        for byte in key.bytes().filter(u8::is_ascii_alphanumeric) {
            *plain.letters.get_mut(plain.length)? = byte.to_ascii_lowercase();
            plain.length += 1;
        }
        (plain.length > 0).then_some(plain)
    }

    pub(super) fn get(&self) -> &str {
        let letters = self.letters.get(..self.length).unwrap_or_default();
        std::str::from_utf8(letters).unwrap_or_default()
    }
}

/// The meaning of a key.
pub(super) fn role(key: &str) -> Role {
    Plain::of(key).map_or(Role::NONE, |plain| role_of(plain.get()))
}

fn role_of(key: &str) -> Role {
    match key {
        "command" | "cmd" | "commands" | "cmds" | "commandline" | "cmdline" | "commandstring"
        | "commandtext" | "shellcommand" | "shellcmd" | "bashcommand" | "bashcmd"
        | "terminalcommand" | "powershellcommand" | "runcommand" | "execcommand"
        | "commandtorun" | "executable" | "program" | "argv" => Role::COMMAND,
        "script" | "shellscript" | "bashscript" | "scripttext" | "scriptcontent" => {
            Role::COMMAND.or(Role::SCRIPT)
        }
        "args" | "arguments" => Role::ARGUMENTS.or(Role::PACKED),
        "code" | "sourcecode" | "snippet" | "codesnippet" | "cell" | "cells" | "cellsource"
        | "cellcode" | "pythoncode" | "jscode" | "expression" | "function" | "pagefunction"
        | "javascript" => Role::CODE,
        "source" => Role::CODE.or(Role::FROM),
        "keys" | "chars" | "keystrokes" => Role::TYPED,
        "input" => Role::TYPED.or(Role::PACKED),
        "text" | "data" => Role::TYPED.or(Role::CONTENT),
        "sql" | "sqlquery" | "query" | "statement" | "queries" | "statements" => Role::QUERY,
        "language" | "lang" | "runtime" | "interpreter" | "shell" | "kernel" => Role::LANGUAGE,
        "cwd" | "workdir" | "workingdirectory" | "workingdir" => Role::CWD,
        "src" | "from" | "oldpath" | "sourcepath" | "frompath" => Role::FROM,
        "destination" | "dest" | "dst" | "to" | "newpath" | "destinationpath" | "target"
        | "targetpath" | "topath" => Role::TO,
        "content" | "contents" | "filetext" | "newtext" | "newstring" | "newstr"
        | "codecontent" | "filecontent" | "newcontent" | "body" => Role::CONTENT,
        "params" | "parameters" | "payload" | "toolinput" | "toolarguments" | "toolargs"
        | "value" => Role::PACKED,
        "owner" | "repo" | "repository" | "repoid" | "projectid" | "bucket" | "branch"
        | "fileid" | "container" | "pod" | "host" | "sandboxid" | "driveid" | "pageid"
        | "method" | "endpoint" => Role::FAR,
        "url" | "uri" | "urls" | "uris" | "link" | "href" => Role::URL,
        "recursive" => Role::RECURSIVE,
        "path" => Role::PATH.or(Role::FROM),
        "directory" | "dir" | "folder" | "root" | "rootpath" | "projectpath" | "projectroot"
        | "workspacepath" | "repopath" | "repositorypath" | "basepath" | "directorypath"
        | "dirpath" | "folderpath" | "rootdir" => Role::FOLDER,
        // The tool's own settings files, and words with the same ending.
        "envfile" | "profile" | "xpath" | "jsonpath" | "keypath" | "classpath" | "pythonpath"
        | "urlpath" | "apipath" | "objectpath" | "logfile" => Role::NONE,
        "file" | "files" | "filename" | "filenames" | "paths" => Role::PATH,
        _ if key.ends_with("path") || key.ends_with("paths") => Role::PATH,
        _ if key.ends_with("file") || key.ends_with("filename") => Role::PATH,
        _ if key.ends_with("url") || key.ends_with("uri") => Role::URL,
        _ => Role::NONE,
    }
}
