//! Recognises files with secrets by their path.
//!
//! A path is examined from its end, so it does not matter in whose home it is. Patterns (`~/.ssh/id_*`,
//! `.e*`) count for everything they may match.

use tenter_shell::name_may_be;

use super::tables::{
    DOTENV, EXAMPLES, FOLDERS, IN_HOME, KEY, MATERIAL, NAMES, PASSWORDS, PLACES, SSH_KEY, STATE,
};
pub(crate) use super::tables::{Secret, Sort};

/// The secret at a path, if any. Patterns in it count for everything they may match.
pub(crate) fn of(path: &str) -> Option<Secret> {
    let name = last(path);
    if name.is_empty() {
        return None;
    }
    let found = by_name(path, name).or_else(|| by_place(path)).or_else(|| by_extension(name));
    let found = found.or_else(|| by_pattern(path, name))?;
    let harmless = matches!(found.sort, Sort::Material | Sort::Environment)
        && parts(path).any(|part| EXAMPLES.iter().any(|known| same(part, known)));
    (!harmless).then_some(found)
}

/// Whether a name suggests a private key, or a service's credentials.
pub(crate) fn is_private(path: &str) -> bool {
    const CREDENTIALS: &[&str] =
        &["credentials.json", "service-account.json", "serviceaccount.json"];
    const WORDS: &[&str] = &["key", "priv", "private", "privkey"];
    let name = last(path);
    match name.rsplit_once('.') {
        Some((_, extension)) if same(extension, "key") || same(extension, "p8") => true,
        Some((stem, extension)) if same(extension, "pem") => {
            WORDS.iter().any(|word| has_word(stem, word))
        }
        _ => CREDENTIALS.iter().any(|known| same(name, known)),
    }
}

/// The secret of a folder as a whole.
pub(crate) fn folder(path: &str) -> Option<Secret> {
    let name = last(path);
    FOLDERS.iter().find(|(known, _)| same(name, known)).map(|(_, secret)| *secret)
}

/// Whether it is a template of the real file.
fn is_template(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "example", "sample", "template", "dist", "tmpl", "tpl", "defaults", "default", "schema",
        "test", "testing", "ci", "md", "enc", "age", "gpg", "vault", "ts", "js", "py", "go", "rs",
        "java", "rb", "php", "d.ts", "html",
    ];
    name.split(['.', '-', '_']).skip(1).any(|part| ENDS.iter().any(|end| same(part, end)))
}

fn by_name(path: &str, name: &str) -> Option<Secret> {
    if in_folder(path, ".ssh") {
        return ssh(path, name);
    }
    if let Some(rest) = strip_start(name, ".env") {
        let is = rest.is_empty() || rest.starts_with(['.', '-', '_', '?', '*', '[']);
        return (is && !is_template(name)).then_some(DOTENV);
    }
    if key_name(name) {
        return (!is_public(name) && !is_template(name)).then_some(SSH_KEY);
    }
    let known = NAMES.iter().find(|(known, _)| same(name, known));
    if let Some((_, secret)) = known {
        return Some(*secret);
    }
    if name.starts_with('.') && is_home(path, name) {
        return IN_HOME.iter().find(|(known, _)| same(name, known)).map(|(_, secret)| *secret);
    }
    if in_folder(path, "ssh") && strip_start(name, "ssh_host_").is_some() {
        return (!is_public(name)).then_some(SSH_KEY);
    }
    None
}

fn by_extension(name: &str) -> Option<Secret> {
    let (stem, extension) = name.rsplit_once('.')?;
    let is = |known: &str| same(extension, known);
    if is("kdbx") || is("kdb") || is("opvault") || is("agilekeychain") || is("keychain-db") {
        return Some(PASSWORDS);
    }
    if is("ppk") {
        return Some(KEY);
    }
    if is("key")
        || is("p12")
        || is("pfx")
        || is("jks")
        || is("keystore")
        || is("keytab")
        || is("p8")
    {
        return (!stem.is_empty() && !has_word(stem, "pub") && !has_word(stem, "public"))
            .then_some(MATERIAL);
    }
    if is("pem") {
        const PUBLIC: &[&str] = &[
            "ca",
            "cert",
            "certs",
            "chain",
            "fullchain",
            "public",
            "pub",
            "bundle",
            "root",
            "cacert",
            "crt",
        ];
        return (!PUBLIC.iter().any(|word| has_word(stem, word))).then_some(MATERIAL);
    }
    if is("env") {
        return (!stem.is_empty() && !is_template(name) && !has_word(stem, "example"))
            .then_some(DOTENV);
    }
    (is("tfvars") || is("tfstate")).then_some(STATE)
}

/// The secret of a file in `.ssh`: any except known harmless ones.
fn ssh(path: &str, name: &str) -> Option<Secret> {
    const HARMLESS: &[&str] = &[
        "config",
        "known_hosts",
        "authorized_keys",
        "environment",
        "rc",
        "allowed_signers",
        "authorized_principals",
    ];
    const TEXTS: &[&str] = &["md", "txt", "sh", "log", "conf", "cfg", "old", "sock"];
    let harmless = |part: &str| HARMLESS.iter().any(|known| strip_start(part, known).is_some());
    if parts(path).skip_while(|part| !same(part, ".ssh")).any(harmless) || is_public(name) {
        return None;
    }
    if !key_name(name)
        && let Some((_, extension)) = name.rsplit_once('.')
        && TEXTS.iter().any(|text| same(extension, text))
    {
        return None;
    }
    Some(SSH_KEY)
}

/// `id_rsa`, `id_ed25519.backup`
fn key_name(name: &str) -> bool {
    const STARTS: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"];
    STARTS.iter().any(|start| {
        strip_start(name, start)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })
}

fn is_public(name: &str) -> bool {
    name.split('.').skip(1).any(|part| same(part, "pub"))
}

fn by_place(path: &str) -> Option<Secret> {
    // Each place begins with a unique component, so most paths need one lookup per component.
    PLACES.iter().find(|(place, _)| lies(path, place)).map(|(_, secret)| *secret)
}

/// Whether the path ends like the place, or is below it.
fn lies(path: &str, place: &[&str]) -> bool {
    let Some((last, before)) = place.split_last() else {
        return false;
    };
    if *last != "**" {
        let mut from_end = path.rsplit(SEPARATORS).filter(|part| !part.is_empty());
        return place
            .iter()
            .rev()
            .all(|wanted| from_end.next().is_some_and(|part| same(part, wanted)));
    }
    let Some((first, rest)) = before.split_first() else {
        return false;
    };
    let mut all = parts(path);
    while let Some(part) = all.next() {
        let mut following = all.clone();
        if same(part, first)
            && rest.iter().all(|wanted| following.next().is_some_and(|part| same(part, wanted)))
        {
            return true;
        }
    }
    false
}

/// Patterns that may match a well-known file: `~/.a*/cred*`, `.e*`, `/etc/shad?w`.
fn by_pattern(path: &str, name: &str) -> Option<Secret> {
    const DOTENVS: &[&str] = &[".env", ".env.local", ".env.production"];
    const KEYS: &[&str] = &["id_rsa", "id_ed25519", "id_ecdsa"];
    if !path.contains(['*', '?', '[']) {
        return None;
    }
    // A search includes names with a leading dot: `*.env*`.
    let searched = name.strip_prefix('*').filter(|rest| rest.starts_with(".env"));
    if searched.is_some_and(|rest| DOTENVS.iter().any(|known| name_may_be(rest, known))) {
        return Some(DOTENV);
    }
    if specific(name) {
        if DOTENVS.iter().any(|known| name_may_be(name, known)) {
            return Some(DOTENV);
        }
        if KEYS.iter().any(|known| name_may_be(name, known)) {
            return Some(SSH_KEY);
        }
        // `.g*` may match anything.
        let said = name.bytes().filter(u8::is_ascii_alphanumeric).count() >= 2;
        let known = NAMES
            .iter()
            .find(|(known, _)| said && known.starts_with('.') && name_may_be(name, known));
        if let Some((_, secret)) = known {
            return Some(*secret);
        }
    }
    // All or much of a secret folder.
    if name.contains('*') && !name.starts_with("*.") {
        let above = path.trim_end_matches(SEPARATORS).strip_suffix(name);
        let above = above.map(|above| above.trim_end_matches(SEPARATORS).trim_end_matches("/**"));
        // `find /etc/shadow -exec cat {} \;` may be about a file.
        let plain = |above: &&str| !above.is_empty() && !above.contains('*');
        let above = above
            .and_then(|above| folder(above).or_else(|| Some(above).filter(plain).and_then(of)));
        if above.is_some() {
            return above;
        }
    }
    let places = PLACES.iter().filter(|(place, _)| place.last() != Some(&"**"));
    for (place, secret) in places.chain(&[(&[".ssh", "id_rsa"] as &[&str], SSH_KEY)]) {
        let mut from_end = path.rsplit(SEPARATORS).filter(|part| !part.is_empty());
        let all = place.iter().rev().all(|wanted| {
            from_end.next().is_some_and(|part| specific(part) && name_may_be(part, wanted))
        });
        if all {
            return Some(*secret);
        }
    }
    None
}

/// Whether a pattern is specific enough that a match is no accident.
fn specific(pattern: &str) -> bool {
    if !pattern.contains(['*', '?', '[']) {
        return true;
    }
    // An extension alone only tells the kind of file.
    if pattern.starts_with("*.") {
        return false;
    }
    // One of several letters counts as a letter; a negated class does not count.
    let mut letters = 0_usize;
    let mut rest = pattern.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'*' | b'?' => {}
            b'[' => {
                let negated = matches!(rest.clone().next(), Some(b'^' | b'!'));
                letters += usize::from(!negated);
                rest.find(|byte| *byte == b']');
            }
            _ => letters += 1,
        }
    }
    letters >= 2 || (!pattern.contains('*') && letters >= 1)
}

/// Windows paths use backslashes.
const SEPARATORS: &[char] = &['/', '\\'];

fn parts(path: &str) -> impl Iterator<Item = &str> + Clone {
    path.split(SEPARATORS).filter(|part| !part.is_empty())
}

fn last(path: &str) -> &str {
    path.rsplit(SEPARATORS).find(|part| !part.is_empty()).unwrap_or_default()
}

fn in_folder(path: &str, folder: &str) -> bool {
    let mut from_end = path.rsplit(SEPARATORS).filter(|part| !part.is_empty());
    from_end.next();
    from_end.any(|part| same(part, folder))
}

/// Whether a file is directly in a home: `/home/x/.npmrc`, `~/.npmrc`, `$HOME/.npmrc`.
fn is_home(path: &str, name: &str) -> bool {
    let folder = path.trim_end_matches(SEPARATORS);
    let folder = folder.strip_suffix(name).unwrap_or_default().trim_end_matches(SEPARATORS);
    if matches!(folder, "/root" | "~" | "$HOME" | "/var/root") {
        return true;
    }
    let mut from_end = folder.rsplit(SEPARATORS);
    let user = from_end.next().unwrap_or_default();
    let homes = from_end.next().unwrap_or_default();
    !user.is_empty() && (same(homes, "home") || same(homes, "Users"))
}

/// Compares ignoring case: some systems do.
fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

fn strip_start<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(start.len())?;
    same(head, start).then_some(rest)
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(['.', '-', '_']).any(|part| same(part, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sort(path: &str) -> Option<Sort> {
        of(path).map(|secret| secret.sort)
    }

    #[test]
    fn secrets_are_known_by_their_place_and_name() {
        for (path, expected) in [
            ("/home/me/.ssh/id_rsa", Sort::Key),
            ("/home/me/.ssh/work", Sort::Key),
            ("/home/me/.ssh/id_ed25519.backup", Sort::Key),
            ("/srv/id_rsa", Sort::Key),
            ("/home/me/.SSH/ID_RSA", Sort::Key),
            ("C:\\Users\\me\\.ssh\\id_rsa", Sort::Key),
            ("/etc/ssh/ssh_host_rsa_key", Sort::Key),
            ("/etc/shadow", Sort::Store),
            ("/home/me/.aws/credentials", Sort::Account),
            ("/var/lib/x/.aws/credentials", Sort::Account),
            ("/home/me/.aws/sso/cache/a.json", Sort::Account),
            ("/home/me/.config/gh/hosts.yml", Sort::Account),
            ("/home/me/.claude/.credentials.json", Sort::Account),
            ("/home/me/.netrc", Sort::Login),
            ("/home/me/.npmrc", Sort::Login),
            ("/Users/me/Library/Keychains/login.keychain-db", Sort::Store),
            ("/home/me/.password-store/mail.gpg", Sort::Store),
            ("/home/me/.gnupg/private-keys-v1.d/a.key", Sort::Key),
            ("/home/me/.mozilla/firefox/a.default/logins.json", Sort::Store),
            ("/shop/.env", Sort::Environment),
            ("/shop/.env.local", Sort::Environment),
            ("/shop/config/prod.env", Sort::Environment),
            ("/home/me/.bash_history", Sort::History),
            ("/shop/certs/server.key", Sort::Material),
            ("/shop/deploy.pem", Sort::Material),
            ("/shop/terraform.tfvars", Sort::Material),
        ] {
            assert_eq!(sort(path), Some(expected), "{path}");
        }
    }

    #[test]
    fn what_only_looks_like_a_secret_is_none() {
        for path in [
            "/home/me/.ssh/id_ed25519.pub",
            "/home/me/.ssh/id_ed25519.pub.backup",
            "/home/me/.ssh/config",
            "/home/me/.ssh/config.d/work",
            "/home/me/.ssh/known_hosts",
            "/home/me/.ssh/authorized_keys.d/work",
            "/home/me/.ssh/README.md",
            "/home/me/.ssh/notes.txt",
            "/home/me/.gnupg/gpg.conf",
            "/shop/.npmrc",
            "/shop/.env.example",
            "/shop/.env.sample",
            "/shop/.env.test",
            "/shop/.env.production.example",
            "/shop/.envrc",
            "/shop/environment.ts",
            "/shop/test/fixtures/server.key",
            "/shop/certs/ca.pem",
            "/shop/public.pem",
            "/shop/docs/credentials.md",
            "/shop/src/id_rsa_parser.rs",
            "/shop/package.json",
            "/",
            "",
            "/etc/passwd",
            "/shop/keys.rs",
            "/shop/env",
            "/shop/src/.environment",
        ] {
            assert_eq!(sort(path), None, "{path}");
        }
    }

    #[test]
    fn patterns_count_for_what_they_may_match() {
        for path in [
            "/home/me/.ssh/*",
            "/home/me/.ssh/id_*",
            "/home/*/.ssh/id_rsa",
            "/home/*/.aws/credentials",
            "/home/me/.aws/credential?",
            "/home/me/.a*/cred*",
            "/shop/.e*",
            "/shop/.en[v]",
            "/shop/.env*",
            "/shop/**/*.env*",
            "/shop/.env?",
            "/shop/.???",
            "/shop/**/*.pem",
            "/etc/shad?w",
            "/e?c/sh*w",
            "/home/me/.n*rc",
            "/shop/id_*",
            "/shop/certs/*",
            "/home/me/.aws/*",
            "/home/me/.kube/c*",
        ] {
            assert!(of(path).is_some(), "{path}");
        }
        for path in [
            "/shop/*",
            "/shop/**/*.rs",
            "/shop/**/*.environment*",
            "/shop/*.json",
            "/shop/src/*",
            "/shop/.*",
            "/shop/.g*",
            "/shop/*.md",
            "/shop/.github/*",
            "/etc/*.conf",
            "/shop/e*",
            "/shop/src/**/config*",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
    }

    #[test]
    fn folders_are_secret_as_a_whole() {
        assert!(folder("/home/me/.ssh").is_some());
        assert!(folder("/home/me/.ssh/").is_some());
        assert!(folder("/shop/certs").is_some());
        assert!(folder("/shop/src").is_none());
    }
}
