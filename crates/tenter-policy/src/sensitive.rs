//! Shared tables: files with secrets, hosts that data may go to, and names of secret variables.

pub(crate) mod hosts;
pub(crate) mod names;
pub(crate) mod paths;
mod tables;
