//! The moments at which a change can be interrupted.

use std::fmt;
use std::io;

/// Is told before every change of the disk. Tests end the process there, or have the step fail.
#[derive(Clone, Copy)]
pub struct Steps<'s>(Option<&'s dyn Fn(&'static str) -> io::Result<()>>);

impl<'s> Steps<'s> {
    /// Nobody listens.
    pub const NONE: Steps<'static> = Steps(None);

    pub fn each(listen: &'s dyn Fn(&'static str) -> io::Result<()>) -> Self {
        Self(Some(listen))
    }

    /// The next thing to be done. An error is taken for the failure of that thing.
    pub(super) fn next(self, name: &'static str) -> io::Result<()> {
        self.0.map_or(Ok(()), |listen| listen(name))
    }
}

impl fmt::Debug for Steps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Steps").field(&self.0.is_some()).finish()
    }
}
