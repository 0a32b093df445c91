//! `hooks-disabled`

use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, bool_of, name_at, property};
use crate::rule::{Check, rule};

rule! {
    /// `disableAllHooks` switched on, often left over from a search for a fault.
    ///
    /// Bad:
    /// ```json
    /// { "disableAllHooks": true, "hooks": { "Stop": [] } }
    /// ```
    /// Good:
    /// ```json
    /// { "hooks": { "Stop": [] } }
    /// ```
    RULE {
        id: "hooks-disabled",
        summary: "`disableAllHooks` is on",
        severity: Severity::Warning,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let Some(top) = model.top else { return };
    if bool_of(top, "disableAllHooks") == Some(true)
        && let Some(property) = property(top, "disableAllHooks")
    {
        out.add(&RULE, name_at(property), "`disableAllHooks` switches every hook off")
            .fix("remove it when hooks are to run");
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::assert_ids;
    use tenter_model::HostId;

    #[test]
    fn only_true_switches_off() {
        assert_ids(HostId::Claude, "{\n\"disableAllHooks\": true}", &["hooks-disabled 2:1"]);
        assert_ids(HostId::Claude, "{\"disableAllHooks\": false}", &[]);
    }
}
