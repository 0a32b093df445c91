//! Policies in the documentation are valid, since users start from them.

use super::policy;

/// Pages with policies, or parts of one.
const PAGES: [(&str, &str); 4] = [
    ("README.md", include_str!("../../../../../README.md")),
    ("docs/policy.md", include_str!("../../../../../docs/policy.md")),
    ("docs/record.md", include_str!("../../../../../docs/record.md")),
    ("docs/guards.md", include_str!("../../../../../docs/guards.md")),
];

#[test]
fn every_policy_in_the_documents_loads() {
    for (page, text) in PAGES {
        let blocks = text.split("```toml\n").skip(1);
        let blocks = blocks.map(|block| block.split("```").next().unwrap_or_default());
        // A file of tests is not a policy.
        let policies: Vec<&str> = blocks.filter(|block| !block.starts_with("policy =")).collect();
        assert!(!policies.is_empty(), "{page} has no policy any more");
        for block in policies {
            policy(block);
        }
    }
}
