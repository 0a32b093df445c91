//! Scratch files and shorthand assertions for the rules' tests.

use std::path::{Path, PathBuf};

use tenter_model::HostId;

use crate::{File, Finding, Layer, Options, lint};

/// Writes small files below `root`; a trailing `*` in a name makes the file executable.
#[expect(clippy::disallowed_methods, reason = "tests need files to look at")]
pub(crate) fn lay_texts(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = root.join(name.trim_end_matches('*'));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        #[cfg(unix)]
        if name.ends_with('*') {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

pub(crate) fn lay(root: &Path, names: &[&str]) {
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, "x")).collect();
    lay_texts(root, &files);
}

/// A test machine with project `w`, home `home`, and a folder `bin` as its whole PATH with `python3`, `bash`,
/// `sh`, `node` and `env`.
#[derive(Debug)]
pub(crate) struct Machine {
    folder: tempfile::TempDir,
    pub(crate) options: Options,
}

impl Machine {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        lay_texts(&root, files);
        for program in ["python3", "bash", "sh", "node", "env"] {
            lay_texts(&root, &[(&format!("bin/{program}*"), "\u{7f}ELF\0")]);
        }
        let options = Options {
            home: Some(root.join("home")),
            path: Some(root.join("bin").into_os_string()),
            moved: Vec::new(),
        };
        Self { folder, options }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// A file of this machine by its path below the root, such as `w/.cursor/hooks.json`.
    pub(crate) fn file(&self, name: &str, text: &str) -> File {
        let path = self.root().join(name);
        let (host, layer) = crate::identify(&path, &self.options);
        File::new(path, host.expect("the path tells the host"), layer, text)
    }

    pub(crate) fn lint(&self, files: &[(&str, &str)]) -> Vec<Finding> {
        let files: Vec<File> = files.iter().map(|(name, text)| self.file(name, text)).collect();
        lint(&files, &self.options).findings
    }

    /// `line:column` of every finding of one rule.
    pub(crate) fn places(&self, id: &str, files: &[(&str, &str)]) -> Vec<String> {
        let findings = self.lint(files);
        let of_rule = findings.iter().filter(|finding| finding.rule.id == id);
        of_rule.map(|finding| format!("{}:{}", finding.start.line, finding.start.column)).collect()
    }
}

/// Findings in a project file's text, on a machine without scripts.
pub(crate) fn findings(host: HostId, text: &str) -> Vec<Finding> {
    let name = match host {
        HostId::Cursor => "/w/.cursor/hooks.json",
        HostId::Claude => "/w/.claude/settings.json",
        HostId::Codex => "/w/.codex/hooks.json",
        HostId::Gemini => "/w/.gemini/settings.json",
        HostId::Qwen => "/w/.qwen/settings.json",
    };
    let file = File::new(name, host, Layer::Unknown, text);
    lint(&[file], &Options::default()).findings
}

/// `id line:column` of every finding.
pub(crate) fn ids(host: HostId, text: &str) -> Vec<String> {
    let findings = findings(host, text);
    let name = |finding: &Finding| {
        format!("{} {}:{}", finding.rule.id, finding.start.line, finding.start.column)
    };
    findings.iter().map(name).collect()
}

/// A Cursor file with one event and one entry.
pub(crate) fn cursor(event: &str, entry: &str) -> String {
    format!("{{\"version\": 1, \"hooks\": {{\n\"{event}\": [{entry}]}}}}")
}

/// A Claude Code or Codex file with one group and one handler.
pub(crate) fn grouped(event: &str, matcher: &str, handler: &str) -> String {
    let matcher =
        if matcher.is_empty() { String::new() } else { format!("\"matcher\": {matcher}, ") };
    format!("{{\"hooks\": {{\n\"{event}\": [{{{matcher}\"hooks\": [\n{handler}]}}]}}}}")
}

/// Checks that a text has exactly these findings, each `id line:column`.
pub(crate) fn assert_ids(host: HostId, text: &str, wanted: &[&str]) {
    assert_eq!(ids(host, text), wanted, "{host}: {text}");
}
