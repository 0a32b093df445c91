//! The `Check` type and the macro that declares one.

use super::exam::Exam;
use super::finding::{Finding, Findings};
use crate::doctor::Severity;

/// One kind of problem that keeps hooks from working.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// In kebab-case; names the problem.
    pub id: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// Default severity of its findings.
    pub severity: Severity,
    /// Whether `--fix` can fix at least some of its findings.
    pub fixable: bool,
    /// Markdown: description, impact, fix.
    pub docs: &'static str,
    pub(crate) look: fn(&Exam<'_>, &mut Findings),
}

impl Check {
    /// Creates a finding of this check.
    pub(crate) fn found(&'static self, message: impl AsRef<str>) -> Finding {
        Finding::new(self, message.as_ref())
    }
}

/// Declares a check; its doc comment is printed on the check's page.
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
