//! To be written.

use crate::call::Programs;

pub(super) const PROGRAMS: Programs = &[];
