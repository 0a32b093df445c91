//! Classifies hosts: this machine, common services, public drop sites.

/// Class of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// This machine or a private network.
    Local,
    /// A name without a dot: a container, a machine on the network, an alias.
    Near,
    /// A code forge or a cloud bucket.
    Usual,
    /// Anyone can upload and download: paste bins, request bins, file drops, tunnels.
    Drop,
    /// An IP address outside private networks.
    Numeric,
    Other,
    /// Depends on a variable.
    Unknown,
}

/// Services that accept anything from anybody.
const DROPS: &[&str] = &[
    "0x0.st",
    "anonfiles.com",
    "beeceptor.com",
    "bin.sh",
    "bashupload.com",
    "burpcollaborator.net",
    "bore.pub",
    "canarytokens.com",
    "catbox.moe",
    "controlc.com",
    "defuse.ca",
    "dnslog.cn",
    "dpaste.com",
    "dpaste.org",
    "envs.sh",
    "file.io",
    "filebin.net",
    "fileditch.com",
    "free.beeceptor.com",
    "ghostbin.com",
    "gofile.io",
    "hastebin.com",
    "hookb.in",
    "hookbin.com",
    "interact.sh",
    "interactsh.com",
    "ix.io",
    "justpaste.it",
    "keep.sh",
    "localhost.run",
    "loca.lt",
    "localtunnel.me",
    "litterbox.catbox.moe",
    "mockbin.org",
    "ngrok-free.app",
    "ngrok-free.dev",
    "ngrok.app",
    "ngrok.dev",
    "ngrok.io",
    "oast.fun",
    "oast.live",
    "oast.me",
    "oast.online",
    "oast.pro",
    "oast.site",
    "oastify.com",
    "p.ip.fi",
    "paste.ee",
    "paste.rs",
    "paste.sh",
    "pastebin.com",
    "pastie.org",
    "pipedream.net",
    "pixeldrain.com",
    "postb.in",
    "privatebin.net",
    "ptsv2.com",
    "ptsv3.com",
    "requestbin.com",
    "requestbin.net",
    "requestcatcher.com",
    "rentry.co",
    "send.cm",
    "serveo.net",
    "sprunge.us",
    "temp.sh",
    "termbin.com",
    "tmpfiles.org",
    "transfer.sh",
    "trycloudflare.com",
    "uguu.se",
    "upload.ee",
    "webhook.cool",
    "webhook.site",
    "wormhole.app",
    "wetransfer.com",
    "x0.at",
    "termbin.net",
    "typedwebhook.tools",
    "rbndr.us",
    "1u.ms",
    "hastebin.skyra.pw",
    "clbin.com",
];

/// Common services with a project's own data.
const USUAL: &[&str] = &[
    "bitbucket.org",
    "codeberg.org",
    "dev.azure.com",
    "ghcr.io",
    "github.com",
    "gitlab.com",
    "npmjs.org",
    "pypi.org",
    "sr.ht",
    "visualstudio.com",
];

/// The host of an address, without scheme, user, port and path: `a.b` of `https://u@a.b:80/c`, of
/// `me@a.b:/tmp` and of `a.b:80`.
pub(crate) fn name(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    match rest.strip_prefix('[') {
        Some(number) => number.split(']').next().unwrap_or_default(),
        None if rest.matches(':').count() > 1 => rest,
        None => rest.split(':').next().unwrap_or_default(),
    }
}

/// Whether everybody in a chat reads what is posted to the address.
pub(crate) fn is_chat(address: &str) -> bool {
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    let discord = path.contains("/api/webhooks/") && within(name(address), "discord.com");
    let telegram = within(name(address), "api.telegram.org") && path.contains("/send");
    discord || telegram || within(name(address), "hooks.slack.com")
}

/// The class of an address's host.
pub(crate) fn of(address: &str) -> Host {
    if let Some((scheme, _)) = address.split_once("://")
        && matches!(scheme, "s3" | "gs" | "az" | "abfs" | "oss" | "b2" | "swift")
    {
        return Host::Usual;
    }
    let host = name(address).trim_end_matches('.');
    if host.starts_with('$') && !host.contains('.') || address.is_empty() {
        return Host::Unknown;
    }
    if host.is_empty() || is_local(host) {
        return Host::Local;
    }
    if is_near(host) {
        return Host::Near;
    }
    if DROPS.iter().any(|known| within(host, known)) {
        return Host::Drop;
    }
    if USUAL.iter().any(|known| within(host, known)) {
        return Host::Usual;
    }
    if host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        || host.starts_with("0x")
        || host.contains(':')
    {
        return Host::Numeric;
    }
    Host::Other
}

fn within(host: &str, domain: &str) -> bool {
    let Some(at) = host.len().checked_sub(domain.len()) else {
        return false;
    };
    let same = host.get(at..).is_some_and(|tail| tail.eq_ignore_ascii_case(domain));
    same && (at == 0 || host.as_bytes().get(at.saturating_sub(1)) == Some(&b'.'))
}

fn is_local(host: &str) -> bool {
    const ENDS: &[&str] = &["localhost", "local", "internal", "lan", "localdomain"];
    if matches!(host, "::1" | "0.0.0.0" | "::") || host.starts_with("127.") {
        return true;
    }
    if host.starts_with("10.") || host.starts_with("192.168.") || is_private_172(host) {
        return host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    }
    ENDS.iter().any(|end| within(host, end)) && host != "metadata.google.internal"
}

/// Whether a name without dot is of a private network; a bare number is an IP address.
fn is_near(host: &str) -> bool {
    !host.contains(['.', ':', '$'])
        && !host.starts_with("0x")
        && !host.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_private_172(host: &str) -> bool {
    let second = host.strip_prefix("172.").and_then(|rest| rest.split('.').next());
    second.and_then(|number| number.parse::<u8>().ok()).is_some_and(|it| (16..32).contains(&it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found_in_addresses() {
        for (address, expected) in [
            ("https://u:p@a.b:80/c@d", "a.b"),
            ("me@a.b:/tmp", "a.b"),
            ("a.b:4444", "a.b"),
            ("https://[::1]:80/", "::1"),
            ("fd00::1", "fd00::1"),
            ("https://$HOST/x", "$HOST"),
            ("", ""),
        ] {
            assert_eq!(name(address), expected, "{address}");
        }
    }

    #[test]
    fn hosts_are_known_by_what_they_are() {
        for (address, expected) in [
            ("http://localhost:3000/x", Host::Local),
            ("http://api:8080", Host::Near),
            ("127.0.0.1:80", Host::Local),
            ("http://172.20.1.2/", Host::Local),
            ("http://172.40.1.2/", Host::Numeric),
            ("http://10.evil.example/", Host::Other),
            ("203.0.113.9:4444", Host::Numeric),
            ("https://webhook.site/abc", Host::Drop),
            ("https://x.ngrok.io", Host::Drop),
            ("https://notwebhook.site/abc", Host::Other),
            ("git@github.com:a/b", Host::Usual),
            ("s3://bucket/x", Host::Usual),
            ("$URL", Host::Unknown),
            ("https://$H/x", Host::Unknown),
            ("https://$H.evil.example/x", Host::Other),
            ("evil.example", Host::Other),
        ] {
            assert_eq!(of(address), expected, "{address}");
        }
    }
}
