//! `agent-unsupported`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::unsupported;

check! {
    /// An agent is on `PATH` that this version of tenter cannot guard.
    ///
    /// What it runs is neither judged nor recorded. Where it reads the hook files of a supported agent, these
    /// calls are; nothing else is promised.
    CHECK {
        id: "agent-unsupported",
        summary: "an agent is on this machine that tenter cannot guard",
        severity: Severity::Warning,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for title in unsupported::found(exam.places) {
        out.push(
            CHECK.found(format!("{title} was found and is not protected")).means(
                "tenter does not support it yet: what it runs is neither judged nor recorded",
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_model::HostId;

    #[test]
    fn an_agent_without_support_is_named() {
        let scene = Scene::wired(HostId::Cursor);
        assert!(scene.found(&CHECK).is_empty());
        scene.write("bin/qwen", "no program");
        assert!(scene.found(&CHECK).is_empty());
        scene.write("bin/droid*", "#!/bin/sh\n");
        let [found] = scene.found(&CHECK).try_into().unwrap();
        assert_eq!(found.message, "Factory Droid was found and is not protected");
    }
}
