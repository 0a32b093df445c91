//! Which MCP tools may be called.

use crate::finding::Found;
use crate::guard::Guard;
use crate::scene::Scene;

pub(super) static GUARD: Guard = Guard {
    id: "mcp",
    title: "Which MCP tools may be called",
    page: "",
    checks: &[],
    options: &[],
    optional: false,
    blocks: &[],
    passes: &[],
    look,
};

fn look(_scene: &Scene<'_>, _found: &mut Found<'_>) {}
