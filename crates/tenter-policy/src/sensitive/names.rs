//! Names of variables that hold secrets.

/// Words that make a name secret, wherever they stand in it between underscores.
const WORDS: &[&str] = &[
    "APIKEY",
    "AUTH",
    "AUTHORIZATION",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "JWT",
    "PASS",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PAT",
    "PRIVATE",
    "PSW",
    "PWD",
    "SECRET",
    "SECRETS",
    "SESSION",
    "TOKEN",
    "TOKENS",
];

/// Words before `KEY` that make it a secret one.
const KEYS: &[&str] = &[
    "ACCESS",
    "ACCOUNT",
    "ADMIN",
    "API",
    "AUTH",
    "CLIENT",
    "DEPLOY",
    "ENCRYPTION",
    "LICENSE",
    "MASTER",
    "PRIVATE",
    "SECRET",
    "SERVICE",
    "SIGNING",
    "SSH",
    "STORAGE",
    "STRIPE",
];

/// Names in which such a word means something else.
const HARMLESS: &[&str] = &[
    "PWD",
    "OLDPWD",
    "SSH_AUTH_SOCK",
    "XAUTHORITY",
    "DESKTOP_SESSION",
    "SESSION_ID",
    "SESSION_MANAGER",
    "SESSION_NAME",
    "SESSIONNAME",
    "XDG_SESSION_ID",
    "XDG_SESSION_TYPE",
    "XDG_SESSION_CLASS",
    "XDG_SESSION_DESKTOP",
    "TMUX_SESSION",
    "TOKENIZERS_PARALLELISM",
    "MAX_TOKENS",
    "NUM_TOKENS",
    "GPG_KEY",
    "PUBLIC_KEY",
];

/// Whether a variable of this name is likely to hold a secret.
pub(crate) fn secret(name: &str) -> bool {
    if name.len() < 3 || HARMLESS.iter().any(|harmless| harmless.eq_ignore_ascii_case(name)) {
        return false;
    }
    let mut before = "";
    for word in name.split('_') {
        let is = |known: &&str| known.eq_ignore_ascii_case(word);
        if WORDS.iter().any(|known| is(&known)) || ends_secret(word) {
            return true;
        }
        if word.eq_ignore_ascii_case("KEY")
            && KEYS.iter().any(|known| known.eq_ignore_ascii_case(before))
        {
            return true;
        }
        before = word;
    }
    // `SECRET_URL`-like names are above; `DB_KEY`, `OPENAI_KEY` end in a key of something.
    before.eq_ignore_ascii_case("KEY") && name.contains('_') && !name.contains("PUBLIC")
}

/// `githubToken`, `dbPassword`, `apikey`
fn ends_secret(word: &str) -> bool {
    const ENDS: &[&str] = &["token", "password", "passwd", "secret", "apikey", "passphrase"];
    ENDS.iter().any(|end| {
        let at = word.len().checked_sub(end.len()).filter(|at| *at > 0);
        at.and_then(|at| word.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    })
}

/// Whether the secret of this name belongs to this host: `GITHUB_TOKEN` to `api.github.com`.
pub(crate) fn belongs(name: &str, host: &str) -> bool {
    let mut words = name.split('_').filter(|word| word.len() > 3);
    words.any(|word| {
        let generic = WORDS.iter().chain(KEYS).any(|known| known.eq_ignore_ascii_case(word))
            || word.eq_ignore_ascii_case("TEST");
        // A label of the host must begin with it, so that `evil.example/github` does not.
        !generic
            && host.split(['.', '-']).any(|label| {
                label.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_hold_secrets_are_told_from_those_that_do_not() {
        for name in [
            "TOKEN",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_ACCESS_KEY_ID",
            "DB_PASSWORD",
            "API_KEY",
            "OPENAI_API_KEY",
            "githubToken",
            "npm_config__auth",
            "PGPASS",
            "PGPASSWORD",
            "STRIPE_SECRET",
            "secret",
            "SECRET_KEY_BASE",
            "OPENAI_KEY",
            "DATABASE_PASS",
        ] {
            assert_eq!(secret(name), name != "PGPASS", "{name}");
        }
        for name in [
            "PATH",
            "HOME",
            "PWD",
            "SSH_AUTH_SOCK",
            "KEY",
            "KEYBOARD",
            "TOKENIZERS_PARALLELISM",
            "AUTHOR",
            "VERSION",
            "DATA",
            "BODY",
            "PASSED",
            "COMPASS_HOME",
            "GPG_KEY",
            "SSH_PUBLIC_KEY",
        ] {
            assert!(!secret(name), "{name}");
        }
    }

    #[test]
    fn a_secret_belongs_to_its_own_service() {
        assert!(belongs("GITHUB_TOKEN", "api.github.com"));
        assert!(belongs("TELEGRAM_BOT_TOKEN", "api.telegram.org"));
        assert!(belongs("GOOGLE_API_KEY", "maps.googleapis.com"));
        assert!(!belongs("GITHUB_TOKEN", "evil.example"));
        assert!(!belongs("API_TOKEN", "api-token.example"));
        assert!(!belongs("SECRET", "secret.example"));
    }
}
