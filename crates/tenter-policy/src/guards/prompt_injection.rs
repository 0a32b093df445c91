//! Texts that try to give the model orders.

use crate::finding::Found;
use crate::guard::Guard;
use crate::scene::Scene;

pub(super) static GUARD: Guard = Guard {
    id: "prompt-injection",
    title: "Texts that try to give the model orders",
    page: "",
    checks: &[],
    options: &[],
    optional: false,
    blocks: &[],
    passes: &[],
    look,
};

fn look(_scene: &Scene<'_>, _found: &mut Found<'_>) {}
