//! `hooks-disabled`

use tenter_hosts::install::Off;

use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, bool_of, name_at, property};
use crate::rule::{Check, rule};

rule! {
    /// `disableAllHooks` switched on, or Gemini CLI's `hooksConfig.enabled` off, often left over from a search
    /// for a fault.
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
        summary: "the switch that turns all hooks off is set",
        severity: Severity::Warning,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let Some(top) = model.top else { return };
    // The first switch of a host is its general one.
    let Some(switch) = model.install().switches.first() else { return };
    let Off::Is(off) = switch.off else { return };
    let (object, key) = match switch.key.split_once('.') {
        Some((outer, key)) => (property(top, outer).and_then(|outer| outer.value.as_object()), key),
        None => (Some(top), switch.key),
    };
    if let Some(object) = object
        && bool_of(object, key) == Some(off)
        && let Some(property) = property(object, key)
    {
        out.add(&RULE, name_at(property), format!("`{}` switches every hook off", switch.key))
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
        let gemini = |value: bool| format!("{{\"hooksConfig\": {{\n\"enabled\": {value}}}}}");
        assert_ids(HostId::Gemini, &gemini(false), &["hooks-disabled 2:1"]);
        assert_ids(HostId::Gemini, &gemini(true), &[]);
    }
}
