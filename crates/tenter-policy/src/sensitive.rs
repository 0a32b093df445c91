//! Shared knowledge of what must stay where it is: files that hold secrets, the hosts that data may
//! go to, and names of variables that sound secret.

pub(crate) mod hosts;
pub(crate) mod names;
pub(crate) mod paths;
mod tables;
