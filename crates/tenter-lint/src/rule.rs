//! What a rule is.

use tenter_engine::diagnostic::Severity;
use tenter_model::HostId;

use crate::finding::Findings;
use crate::model::FileModel;

/// One mistake that is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Kebab-case; names the mistake.
    pub id: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Of most of its findings; a finding may differ.
    pub severity: Severity,
    pub cost: Cost,
    /// Whether `--fix` mends at least some of its findings.
    pub fixable: bool,
    /// Markdown: what it is, why, a bad and a good example.
    pub docs: &'static str,
    pub(crate) check: Check,
}

/// How a rule looks: at one file, or at one among all.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    File(fn(&FileModel<'_>, &mut Findings<'_>)),
    Set(fn(&[FileModel<'_>], usize, &mut Findings<'_>)),
}

/// What a mistake costs on each host; empty where the host does not know this mistake.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub cursor: &'static str,
    pub claude: &'static str,
    pub codex: &'static str,
}

impl Cost {
    pub(crate) const NONE: Self = Self { cursor: "", claude: "", codex: "" };

    /// The same everywhere.
    pub(crate) const fn all(text: &'static str) -> Self {
        Self { cursor: text, claude: text, codex: text }
    }

    pub(crate) const fn cursor(text: &'static str) -> Self {
        Self { cursor: text, ..Self::NONE }
    }

    pub(crate) const fn claude(text: &'static str) -> Self {
        Self { claude: text, ..Self::NONE }
    }

    pub const fn on(&self, host: HostId) -> &'static str {
        match host {
            HostId::Cursor => self.cursor,
            HostId::Claude => self.claude,
            HostId::Codex => self.codex,
        }
    }
}

impl Rule {
    /// True when this mistake exists on that host.
    pub fn applies_to(&self, host: HostId) -> bool {
        !self.cost.on(host).is_empty()
    }
}

/// Declares a rule; its doc comment is what the rule's page prints.
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
