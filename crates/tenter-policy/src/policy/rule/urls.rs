//! Matches hosts and URLs in rules.

use crate::pattern;

/// Whether a URL or host matches one of the patterns. A pattern with a slash is matched against the whole
/// URL, others against the host.
pub(super) fn fits(patterns: &[String], text: &str) -> bool {
    let host = host(text);
    patterns.iter().any(|pattern| {
        if !pattern.contains('/') {
            return pattern::matches(&pattern.to_ascii_lowercase(), &host);
        }
        let bare = text.split_once("://").map_or(text, |(_, rest)| rest);
        pattern::matches(pattern, if pattern.contains("://") { text } else { bare })
    })
}

/// The host of `https://user@host:80/path`, of `user@host:path` or of a bare host.
pub(super) fn host(text: &str) -> String {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        // Several colons mean an IPv6 address without brackets.
        None if host.matches(':').count() > 1 => host,
        None => host.split(':').next().unwrap_or_default(),
    };
    host.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_found_in_every_spelling() {
        let cases = [
            ("https://API.example.com/v1?x=1", "api.example.com"),
            ("http://me:pw@example.com.:8080", "example.com"),
            ("https://example.com@evil.org/", "evil.org"),
            ("git@github.com:a/b.git", "github.com"),
            ("example.com", "example.com"),
            ("http://[::1]:80/", "::1"),
            ("fe80::1", "fe80::1"),
            ("https://example.com\\@evil.org", "example.com"),
        ];
        for (text, expected) in cases {
            assert_eq!(host(text), expected, "{text}");
        }
    }

    #[test]
    fn patterns_are_about_hosts_unless_they_hold_a_slash() {
        let cases = [
            ("example.com", "https://example.com/a/b", true),
            ("example.com", "https://www.example.com/", false),
            ("*.Example.com", "https://www.example.com/", true),
            ("*.example.com", "https://example.com.evil.org/", false),
            ("example.com/api/**", "https://example.com/api/v1", true),
            ("example.com/api/**", "https://example.com/web", false),
            ("http://**", "http://example.com/x", true),
            ("http://**", "https://example.com/x", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(fits(&[pattern.to_owned()], text), expected, "{pattern}: {text}");
        }
    }
}
