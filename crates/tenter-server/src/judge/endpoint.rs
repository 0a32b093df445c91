//! The server's address.

use crate::address::Address;

/// A validated base URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    base: String,
    pub(super) is_encrypted: bool,
}

impl Endpoint {
    /// Parses an address. Errors do not repeat the text, since it may hold a password.
    pub(super) fn parse(text: &str, allow_insecure: bool) -> Result<Self, String> {
        let address = Address::parse(text, "`endpoint`", "use `key_env` for the key")?;
        if text.contains(['?', '#']) {
            return Err("`endpoint` must end with its path, without `?` and `#`".to_owned());
        }
        if address.is_open() && !allow_insecure {
            return Err(format!(
                "`endpoint` is plain http to `{}`, so anybody on the way could read the key \
                 and change the answer: use `https://`, or set `allow_insecure = true`",
                address.host
            ));
        }
        Ok(Self { base: text.trim_end_matches('/').to_owned(), is_encrypted: address.is_encrypted })
    }

    /// The base URL with `path` appended, unless it already ends with it.
    pub(super) fn join(&self, path: &str) -> String {
        let has_it = self.base.strip_suffix(path).is_some_and(|rest| rest.ends_with('/'));
        if has_it { self.base.clone() } else { format!("{}/{path}", self.base) }
    }

    pub(super) fn ends_with(&self, path: &str) -> bool {
        self.base.ends_with(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(base: &str, path: &str) -> String {
        Endpoint::parse(base, false).unwrap().join(path)
    }

    #[test]
    fn paths_are_joined_once() {
        let whole = "https://a.example/v1/chat/completions";
        for base in ["https://a.example/v1", "https://a.example/v1/", "https://a.example/v1//"] {
            assert_eq!(joined(base, "chat/completions"), whole, "{base}");
        }
        assert_eq!(joined(whole, "chat/completions"), whole);
        assert_eq!(joined(&format!("{whole}/"), "chat/completions"), whole);
        assert_eq!(joined("https://a.example", "x"), "https://a.example/x");
        assert_eq!(joined("https://a.example/xx", "x"), "https://a.example/xx/x");
    }

    #[test]
    fn plain_http_stays_on_this_machine() {
        for host in ["localhost:1", "LOCALHOST", "127.0.0.1:1", "127.9.9.9", "[::1]:8080"] {
            assert!(Endpoint::parse(&format!("http://{host}/v1"), false).is_ok(), "{host}");
        }
        for host in [
            "a.example",
            "10.0.0.1",
            "0.0.0.0",
            "127.0.0.1.a.example",
            "localhost.a.example",
            "[::2]",
            "127.1",
            "2130706433",
        ] {
            assert!(Endpoint::parse(&format!("http://{host}/v1"), false).is_err(), "{host}");
            assert!(Endpoint::parse(&format!("http://{host}/v1"), true).is_ok(), "{host}");
            assert!(Endpoint::parse(&format!("https://{host}/v1"), false).is_ok(), "{host}");
        }
    }

    #[test]
    fn other_addresses_are_refused_without_being_repeated() {
        for text in [
            "",
            "secret",
            "/secret",
            "ftp://secret/",
            "http://",
            "https://user:secret@a.example/",
            "http://127.0.0.1@secret/",
            "https://a.example/?key=secret",
            "https://a.example/#secret",
            "https://sec ret/",
        ] {
            let message = Endpoint::parse(text, true).unwrap_err();
            assert!(!message.contains("secret"), "{text}: {message}");
        }
    }
}
