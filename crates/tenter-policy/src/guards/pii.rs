//! Personal data in texts.

use crate::finding::Found;
use crate::guard::Guard;
use crate::scene::Scene;

pub(super) static GUARD: Guard = Guard {
    id: "pii",
    title: "Personal data in texts",
    page: "",
    checks: &[],
    options: &[],
    optional: false,
    blocks: &[],
    passes: &[],
    look,
};

fn look(_scene: &Scene<'_>, _found: &mut Found<'_>) {}
