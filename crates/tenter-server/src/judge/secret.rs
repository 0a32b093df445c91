//! Strings that must not be shown.

use std::fmt;

/// A key, or the value of a header, which may be one.
pub(super) struct Secret(String);

impl Secret {
    pub(super) fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, for use in a request only.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with the secret replaced by stars.
    pub(super) fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "***") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let secret = Secret::new("hunter2");
        assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "*** Some(***)");
        assert_eq!(secret.redact("key hunter2, hunter"), "key ***, hunter");
        assert_eq!(Secret::new("").redact("abc"), "abc");
    }
}
