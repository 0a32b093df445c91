//! The address of a receiver.

use crate::address::Address;

/// Path of the traces endpoint, below the base URL.
const PATH: &str = "/v1/traces";

/// A validated receiver address.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Receiver {
    pub(super) url: String,
    pub(super) is_encrypted: bool,
}

impl Receiver {
    /// Parses an address. Errors do not repeat the text, since it may hold a password.
    pub(super) fn parse(text: &str, insecure: bool) -> Result<Self, String> {
        let address = Address::parse(text, "--otlp", "use --header for a key")?;
        if text.contains('#') {
            return Err("--otlp must not have a `#`".to_owned());
        }
        if address.is_open() && !insecure {
            return Err(format!(
                "--otlp is plain http to `{}`, so anybody on the way could read it: use \
                 `https://`, or say --insecure",
                address.host
            ));
        }
        // A query may hold a key that some receivers expect there; the path goes before it.
        let (base, query) = text.split_once('?').unwrap_or((text, ""));
        let base = base.trim_end_matches('/');
        let mut url = base.to_owned();
        if !base.ends_with(PATH) {
            url.push_str(PATH);
        }
        if !query.is_empty() {
            url.push('?');
            url.push_str(query);
        }
        Ok(Self { url, is_encrypted: address.is_encrypted })
    }

    /// The address without parts that may contain a key.
    pub(super) fn shown(&self) -> &str {
        self.url.split('?').next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_added_where_it_is_not() {
        for (given, wanted) in [
            ("http://localhost:4318", "http://localhost:4318/v1/traces"),
            ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
            ("https://a.example/otlp", "https://a.example/otlp/v1/traces"),
            ("https://a.example/v1/traces", "https://a.example/v1/traces"),
            ("https://a.example/v1/traces/", "https://a.example/v1/traces"),
            ("https://a.example/?key=k", "https://a.example/v1/traces?key=k"),
        ] {
            assert_eq!(Receiver::parse(given, false).unwrap().url, wanted);
        }
    }

    #[test]
    fn other_addresses_are_refused_without_being_repeated() {
        for text in [
            "secret",
            "ftp://secret/",
            "http://",
            "https://user:secret@a.example/",
            "https://a.example/#secret",
            "https://sec ret/",
        ] {
            let message = Receiver::parse(text, true).unwrap_err();
            assert!(!message.contains("secret"), "{text}: {message}");
        }
        let fault = Receiver::parse("http://collector.example:4318", false).unwrap_err();
        assert!(fault.contains("--insecure"), "{fault}");
        assert!(Receiver::parse("http://collector.example:4318", true).is_ok());
        let shown = Receiver::parse("https://a.example/?key=secret", false).unwrap();
        assert!(!shown.shown().contains("secret"));
    }
}
