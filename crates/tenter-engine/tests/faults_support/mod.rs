//! What the fault suite is made of: the faulty hooks, and what they may not leave behind.

pub(crate) mod leftovers;
pub(crate) mod plan;
