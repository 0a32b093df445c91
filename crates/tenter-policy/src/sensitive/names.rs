//! The service that a secret variable belongs to, by its name.

/// Services by their name in variables, with prefixes of their hosts.
const SERVICES: &[(&str, &[&str])] = &[
    ("ANTHROPIC", &["anthropic"]),
    ("AWS", &["amazonaws", "aws"]),
    ("AZURE", &["azure", "windows", "microsoft", "microsoftonline"]),
    ("CF", &["cloudflare"]),
    ("CLOUDFLARE", &["cloudflare"]),
    ("DIGITALOCEAN", &["digitalocean"]),
    ("DOCKER", &["docker"]),
    ("GCP", &["google", "googleapis"]),
    ("GEMINI", &["google", "googleapis"]),
    ("GH", &["github", "githubusercontent", "ghcr"]),
    ("GITHUB", &["github", "githubusercontent", "ghcr"]),
    ("GITLAB", &["gitlab"]),
    ("GOOGLE", &["google", "googleapis"]),
    ("HEROKU", &["heroku"]),
    ("HF", &["huggingface"]),
    ("HUGGINGFACE", &["huggingface"]),
    ("MISTRAL", &["mistral"]),
    ("NPM", &["npm", "npmjs", "registry"]),
    ("OPENAI", &["openai"]),
    ("PYPI", &["pypi"]),
    ("SENDGRID", &["sendgrid"]),
    ("SENTRY", &["sentry"]),
    ("SLACK", &["slack"]),
    ("STRIPE", &["stripe"]),
    ("TELEGRAM", &["telegram"]),
    ("TG", &["telegram"]),
    ("TWILIO", &["twilio"]),
    ("VERCEL", &["vercel"]),
];

/// Words that mark a secret without naming a service.
const GENERAL: &[&str] = &[
    "ACCESS",
    "ADMIN",
    "APIKEY",
    "AUTH",
    "BEARER",
    "CLIENT",
    "CREDENTIALS",
    "DATABASE",
    "DEPLOY",
    "LOGIN",
    "MASTER",
    "PASS",
    "PASSWD",
    "PASSWORD",
    "PRIVATE",
    "SECRET",
    "SERVICE",
    "SESSION",
    "SIGNING",
    "TEST",
    "TOKEN",
    "USER",
];

/// Whether the secret of this name belongs to this host: `GITHUB_TOKEN` to `api.github.com`.
pub(crate) fn belongs(name: &str, host: &str) -> bool {
    if let Some(starts) = service(name) {
        return starts.iter().any(|start| begins(host, start));
    }
    let mut words = name.split('_').filter(|word| word.len() > 3);
    words.any(|word| {
        !GENERAL.iter().any(|known| known.eq_ignore_ascii_case(word)) && begins(host, word)
    })
}

/// Whether it is the secret of a known service, and the host is not that service's.
pub(crate) fn is_foreign(name: &str, host: &str) -> bool {
    service(name).is_some_and(|starts| !starts.iter().any(|start| begins(host, start)))
}

fn service(name: &str) -> Option<&'static [&'static str]> {
    name.split('_').find_map(|word| {
        let known = SERVICES.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
        known.map(|(_, starts)| *starts)
    })
}

/// Whether a label of the host has this prefix.
fn begins(host: &str, start: &str) -> bool {
    host.split(['.', '-'])
        .any(|label| label.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_belongs_to_its_own_service() {
        for (name, host) in [
            ("GITHUB_TOKEN", "api.github.com"),
            ("GH_TOKEN", "ghcr.io"),
            ("TELEGRAM_BOT_TOKEN", "api.telegram.org"),
            ("GOOGLE_API_KEY", "maps.googleapis.com"),
            ("OPENWEATHER_KEY", "api.openweathermap.org"),
        ] {
            assert!(belongs(name, host), "{name} {host}");
            assert!(!is_foreign(name, host), "{name} {host}");
        }
        assert!(!belongs("GITHUB_TOKEN", "evil.example"));
        assert!(!belongs("API_TOKEN", "api-token.example"));
        assert!(!belongs("SECRET", "secret.example"));
    }

    #[test]
    fn the_secret_of_a_known_service_is_foreign_elsewhere() {
        assert!(is_foreign("GITHUB_TOKEN", "evil.example"));
        assert!(is_foreign("AWS_SECRET_ACCESS_KEY", "evil.example"));
        assert!(!is_foreign("TOKEN", "evil.example"));
        assert!(!is_foreign("SHOP_TOKEN", "api.example.com"));
    }
}
