//! Hook for tests, called before every disk operation.

use std::fmt;
use std::io;

/// Called before every disk operation. Tests end the process there, or make the operation fail.
#[derive(Clone, Copy)]
pub struct Steps<'s>(Option<&'s dyn Fn(&'static str) -> io::Result<()>>);

impl<'s> Steps<'s> {
    /// No observer.
    pub const NONE: Steps<'static> = Steps(None);

    pub fn each(listen: &'s dyn Fn(&'static str) -> io::Result<()>) -> Self {
        Self(Some(listen))
    }

    /// Announces the next operation. An error is treated as its failure.
    pub(super) fn next(self, name: &'static str) -> io::Result<()> {
        self.0.map_or(Ok(()), |listen| listen(name))
    }
}

impl fmt::Debug for Steps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Steps").field(&self.0.is_some()).finish()
    }
}
