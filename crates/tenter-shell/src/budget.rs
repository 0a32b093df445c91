//! Limits, counted in work and never in time, so that the same text always gets the same result.

/// Maximum length of a command; the rest is not read.
pub const MAX_BYTES: usize = 64 * 1024;
/// Maximum nesting of compound commands, substitutions and quotes in one parse.
pub const MAX_NESTING: usize = 48;
/// Maximum nesting of code: `bash -c "eval ..."`, functions that call functions.
pub const MAX_CALLS: usize = 16;
/// Maximum number of fields per word.
pub const MAX_FIELDS: usize = 256;
/// Maximum number of loop rounds followed one by one.
pub const MAX_ROUNDS: usize = 32;
/// Maximum number of rounds over literal items, in all loops of a command together.
pub const MAX_LITERAL: usize = 256;
/// Maximum number of words that become arguments; those beyond [`MAX_LITERAL`] must be plain names.
pub const MAX_WORDS: usize = 4096;
/// Maximum length of a computed value.
pub const MAX_VALUE: usize = 64 * 1024;
/// Total work: bytes read, nodes created, fields expanded, programs judged.
pub const MAX_WORK: u64 = 600_000;

/// Remaining work.
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
    /// A separate budget for a part that must not use up the rest.
    pub fn of(limit: u64) -> Self {
        Self { used: 0, limit }
    }

    /// Spends `units`; false if they are not available, and always from then on.
    pub fn spend(&mut self, units: usize) -> bool {
        // Refused work is not done, so it does not count.
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
