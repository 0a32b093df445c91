//! Actions: the finer names inside the kinds of effects, declared in `registry`.
//!
//! Judges and tables emit them, guards match them, policies name them (`vcs-worktree/reset-hard`). A name
//! that is not in this list does not compile, and a policy that uses one is rejected.

use std::fmt;

use crate::effect::Kind;

macro_rules! acts {
    ($($variant:ident $name:literal [$($kind:ident)*] $meaning:literal,)*) => {
        /// Action of an effect, inside its [`Kind`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Act { $(#[doc = $meaning] $variant,)* }

        pub(super) const ROWS: &[(&str, u32)] = &[$(($name, 0 $(| 1 << Kind::$kind as u32)*),)*];

        impl Act {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// One-line description, verb first, for tables and people.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

mod registry;

pub use registry::Act;
use registry::ROWS;

impl Act {
    /// Name in policies.
    #[expect(clippy::indexing_slicing, reason = "there is a row for each variant")]
    pub const fn name(self) -> &'static str {
        ROWS[self as usize].0
    }

    /// Whether effects of this kind can have this action.
    #[expect(clippy::indexing_slicing, reason = "there is a row for each variant")]
    pub const fn is_of(self, kind: Kind) -> bool {
        ROWS[self as usize].1 & (1 << kind as u32) != 0
    }

    /// The action with this name.
    pub const fn named(name: &str) -> Option<Self> {
        Self::find(name.as_bytes())
    }

    #[expect(clippy::indexing_slicing, reason = "the search stays between its two ends")]
    pub(crate) const fn find(name: &[u8]) -> Option<Self> {
        let (mut low, mut high) = (0, ROWS.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match order(ROWS[middle].0.as_bytes(), name) {
                0 => return Some(Self::ALL[middle]),
                1 => high = middle,
                _ => low = middle + 1,
            }
        }
        None
    }
}

/// Zero if they are equal, 1 if the first comes later, -1 if it comes earlier.
#[expect(clippy::indexing_slicing, reason = "both are checked to be as long")]
pub(crate) const fn order(one: &[u8], other: &[u8]) -> i8 {
    let mut at = 0;
    loop {
        match (at < one.len(), at < other.len()) {
            (false, false) => return 0,
            (true, false) => return 1,
            (false, true) => return -1,
            (true, true) if one[at] > other[at] => return 1,
            (true, true) if one[at] < other[at] => return -1,
            (true, true) => at += 1,
        }
    }
}

/// Stops the build if the rows are not sorted.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const _: () = {
    let mut at = 1;
    while at < ROWS.len() {
        assert!(order(ROWS[at - 1].0.as_bytes(), ROWS[at].0.as_bytes()) < 0, "rows are not sorted");
        at += 1;
    }
};

impl fmt::Display for Act {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
