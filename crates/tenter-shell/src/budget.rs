//! Bounds are counted in work, never in time, so that the same text always gets the same answer.

/// A command longer than this is not read to its end.
pub const MAX_BYTES: usize = 64 * 1024;
/// Compound commands, substitutions and quotes inside each other, in one parse.
pub const MAX_NESTING: usize = 48;
/// Code inside code: `bash -c "eval ..."`, functions that call functions.
pub const MAX_CALLS: usize = 16;
/// Fields that one word may become.
pub const MAX_FIELDS: usize = 256;
/// Rounds of a loop that are looked at one by one.
pub const MAX_ROUNDS: usize = 32;
/// Length of one computed value.
pub const MAX_VALUE: usize = 64 * 1024;
/// Everything together: bytes read, nodes made, fields expanded, programs judged.
pub const MAX_WORK: u64 = 600_000;

/// What may still be done.
#[derive(Clone, Debug)]
pub struct Budget {
    used: u64,
    limit: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { used: 0, limit: MAX_WORK }
    }
}

impl Budget {
    /// Work for a part that must not use up the rest.
    pub fn of(limit: u64) -> Self {
        Self { used: 0, limit }
    }

    /// Spends `units`; false when they are no longer there, and from then on always.
    pub fn spend(&mut self, units: usize) -> bool {
        // What is refused is not done, so it does not count.
        if !self.is_spent() {
            self.used = self.used.saturating_add(units as u64);
        }
        !self.is_spent()
    }

    pub fn is_spent(&self) -> bool {
        self.used > self.limit
    }

    pub fn used(&self) -> u64 {
        self.used
    }
}
