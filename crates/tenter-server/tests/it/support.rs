//! A scripted model server, and the binary run against it.

mod run;
mod server;

pub(crate) use run::{Judge, Ran};
pub(crate) use server::{Server, Step};
