//! The `Rule` type and the macro that declares one.

use tenter_engine::diagnostic::Severity;
use tenter_model::HostId;

use crate::finding::Findings;
use crate::model::FileModel;

/// One kind of mistake that is checked for.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// In kebab-case; names the mistake.
    pub id: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// Default severity of its findings.
    pub severity: Severity,
    /// Cost on every host; empty if the mistake exists only on hosts that define a cost of their own.
    pub cost: &'static str,
    /// Whether `--fix` can fix at least some of its findings.
    pub fixable: bool,
    /// Markdown: description, reason, a bad and a good example.
    pub docs: &'static str,
    pub(crate) check: Check,
}

/// The check: of one file, or of one file among all.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    File(fn(&FileModel<'_>, &mut Findings<'_>)),
    Set(fn(&[FileModel<'_>], usize, &mut Findings<'_>)),
}

impl Rule {
    /// Cost on a host; empty where the mistake does not exist.
    pub fn cost_on(&self, host: HostId) -> &'static str {
        tenter_hosts::host(host).lint().cost(self.id).unwrap_or(self.cost)
    }

    /// Whether this mistake exists on the host.
    pub fn applies_to(&self, host: HostId) -> bool {
        !self.cost_on(host).is_empty()
    }
}

/// Declares a rule; its doc comment is printed on the rule's page.
macro_rules! rule {
    (
        $(#[doc = $doc:literal])+
        $name:ident { $($body:tt)* }
    ) => {
        $(#[doc = $doc])+
        pub(crate) const $name: $crate::rule::Rule = $crate::rule::Rule {
            docs: concat!($($doc, "\n"),+),
            $($body)*
        };
    };
}
pub(crate) use rule;
