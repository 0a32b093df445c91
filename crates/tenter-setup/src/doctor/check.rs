//! What a check is.

use super::exam::Exam;
use super::finding::{Finding, Findings};
use crate::doctor::Severity;

/// One reason for which a hook may be dead.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Kebab-case; names the trouble.
    pub id: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Of most of its findings; a finding may differ.
    pub severity: Severity,
    /// Whether `--fix` mends at least some of its findings.
    pub fixable: bool,
    /// Markdown: what it is, why it matters, what to do.
    pub docs: &'static str,
    pub(crate) look: fn(&Exam<'_>, &mut Findings),
}

impl Check {
    /// A finding of this check, to be told more of.
    pub(crate) fn found(&'static self, message: impl AsRef<str>) -> Finding {
        Finding::new(self, message.as_ref())
    }
}

/// Declares a check; its doc comment is what the check's page prints.
macro_rules! check {
    (
        $(#[doc = $doc:literal])+
        $name:ident { $($body:tt)* }
    ) => {
        $(#[doc = $doc])+
        pub(crate) const $name: $crate::doctor::Check = $crate::doctor::Check {
            docs: concat!($($doc, "\n"),+),
            $($body)*
        };
    };
}
pub(crate) use check;
