//! `file-unreadable`

use crate::Severity;
use crate::finding::Findings;
use crate::model::FileModel;
use crate::rule::{Check, rule};

rule! {
    /// A hook file that cannot be read, or is not UTF-8 text.
    ///
    /// PowerShell 5 writes UTF-16 when output is redirected to a file, a file of another user may be
    /// locked, and a link may lead nowhere. The host then has no hooks from it. Folders, pipes,
    /// devices and files of more than 16 MiB are not judged.
    ///
    /// Bad:
    /// ```text
    /// echo '{ "version": 1 }' > .cursor/hooks.json      (PowerShell 5: UTF-16)
    /// ```
    /// Good:
    /// ```text
    /// '{ "version": 1 }' | Out-File -Encoding utf8 .cursor/hooks.json
    /// ```
    RULE {
        id: "file-unreadable",
        summary: "the file cannot be read as UTF-8 text",
        severity: Severity::Error,
        cost: "no hook of this file runs",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    if let Some(reason) = &model.file.unreadable {
        out.add(&RULE, 0..0, format!("the file {reason}"))
            .fix("put a file of UTF-8 text there that the user who runs the agent can read");
    }
}

#[cfg(test)]
mod tests {
    use crate::{File, Options, lint};

    #[test]
    fn bytes_that_are_no_text_are_said_once() {
        let scratch = tempfile::tempdir().unwrap();
        crate::testing::lay_texts(scratch.path(), &[(".cursor/hooks.json", "{}")]);
        let path = scratch.path().join(".cursor/hooks.json");
        let mut file = File::read(&path, None, &Options::default()).unwrap();
        file.unreadable = Some("is not UTF-8 text (byte 1)".to_owned());
        file.text = String::new();
        let findings = lint(&[file.clone()], &Options::default()).findings;
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].rule.id, "file-unreadable");
        file.unreadable = None;
        file.text = "{\"version\": 1}".to_owned();
        assert!(lint(&[file], &Options::default()).is_clean());
    }
}
