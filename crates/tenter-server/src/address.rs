//! Validates server addresses.

use std::net::IpAddr;

use ureq::http::Uri;

/// Parsed server address.
#[derive(Debug)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) is_encrypted: bool,
}

impl Address {
    /// Parses an address. Errors do not repeat the text, since it may hold a password; `name` is what the
    /// user calls the address, `instead` where a key belongs.
    pub(crate) fn parse(text: &str, name: &str, instead: &str) -> Result<Self, String> {
        let uri: Uri = text.parse().map_err(|error| format!("{name} is no URL: {error}"))?;
        let is_encrypted = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(format!("{name} must begin with `https://` or `http://`")),
        };
        let host = uri.host().unwrap_or_default().to_owned();
        if host.is_empty() {
            return Err(format!("{name} names no host"));
        }
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(format!("{name} holds a user name; {instead}"));
        }
        Ok(Self { host, is_encrypted })
    }

    /// Whether data is sent unencrypted to another machine.
    pub(crate) fn is_open(&self) -> bool {
        !self.is_encrypted && !is_loopback(&self.host)
    }
}

/// Whether the host is a loopback address. Names are not resolved: one that leads to this machine today may
/// lead elsewhere tomorrow.
fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || bare.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}
