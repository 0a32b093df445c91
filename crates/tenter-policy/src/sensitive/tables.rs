//! The files and folders that hold secrets.

/// Kind of secret in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A private key.
    Key,
    /// A password store, key chain, browser profile or wallet.
    Store,
    /// A login for a cloud, a forge or an agent's account.
    Account,
    /// A less powerful login, often beside harmless settings.
    Login,
    /// `.env` and similar.
    Environment,
    /// Shell history, which may include passwords.
    History,
    /// Keys and settings of a project: reading them is part of the work, sending them is not.
    Material,
}

/// A secret file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Secret {
    pub(crate) sort: Sort,
    /// For people: `a private SSH key`.
    pub(crate) what: &'static str,
    /// A key rather than settings.
    pub(crate) key: bool,
}

pub(super) const fn secret(sort: Sort, what: &'static str) -> Secret {
    Secret { sort, what, key: matches!(sort, Sort::Key) }
}

/// The last components of a path, and the secret there. A final `**` matches everything below, including the
/// folder.
pub(super) type Known = (&'static [&'static str], Secret);

pub(super) const SSH_KEY: Secret = secret(Sort::Key, "a private SSH key");
pub(super) const KEY: Secret = secret(Sort::Key, "a private key");
pub(super) const GPG: Secret = secret(Sort::Key, "private GnuPG keys");
pub(super) const AWS: Secret = secret(Sort::Account, "AWS credentials");
pub(super) const GCLOUD: Secret = secret(Sort::Account, "Google Cloud credentials");
pub(super) const AZURE: Secret = secret(Sort::Account, "Azure credentials");
pub(super) const AGENT: Secret = secret(Sort::Account, "a coding agent's login");
pub(super) const PASSWORDS: Secret = secret(Sort::Store, "a password store");
pub(super) const KEYCHAIN: Secret = secret(Sort::Store, "a key chain");
pub(super) const BROWSER: Secret = secret(Sort::Store, "a browser profile");
pub(super) const PRIVATE: Secret = secret(Sort::Store, "private messages");
pub(super) const WALLET: Secret = secret(Sort::Store, "a wallet");
pub(super) const SYSTEM: Secret = secret(Sort::Store, "the system's password hashes");
pub(super) const FORGE: Secret = secret(Sort::Account, "a forge's login");
pub(super) const REGISTRY: Secret = secret(Sort::Login, "a registry's login");
pub(super) const LOGIN: Secret = secret(Sort::Login, "a login");
pub(super) const MOUNTED: Secret = secret(Sort::Login, "a container's secrets");
pub(super) const MATERIAL: Secret =
    Secret { sort: Sort::Material, what: "key material", key: true };
pub(super) const STATE: Secret = secret(Sort::Material, "settings with secrets");
pub(super) const DOTENV: Secret = secret(Sort::Environment, "an environment file");
pub(super) const TYPED: Secret = secret(Sort::History, "the shell history");

/// Known places with several components.
pub(super) const PLACES: &[Known] = &[
    (&[".aws", "credentials"], AWS),
    (&[".aws", "sso", "**"], AWS),
    (&[".aws", "cli", "cache", "**"], AWS),
    (&["gcloud", "credentials.db"], GCLOUD),
    (&["gcloud", "access_tokens.db"], GCLOUD),
    (&["gcloud", "application_default_credentials.json"], GCLOUD),
    (&["gcloud", "legacy_credentials", "**"], GCLOUD),
    (&[".azure", "accessTokens.json"], AZURE),
    (&[".azure", "msal_token_cache.json"], AZURE),
    (&[".azure", "msal_token_cache.bin"], AZURE),
    (&[".azure", "service_principal_entries.json"], AZURE),
    (&[".kube", "config"], secret(Sort::Login, "a cluster's login")),
    (&["kubernetes", "admin.conf"], secret(Sort::Login, "a cluster's login")),
    (&["rancher", "k3s", "k3s.yaml"], secret(Sort::Login, "a cluster's login")),
    (&[".docker", "config.json"], REGISTRY),
    (&["containers", "auth.json"], REGISTRY),
    (&[".cargo", "credentials"], REGISTRY),
    (&[".cargo", "credentials.toml"], REGISTRY),
    (&[".gem", "credentials"], REGISTRY),
    (&[".bundle", "credentials"], REGISTRY),
    (&["pypoetry", "auth.toml"], REGISTRY),
    (&[".composer", "auth.json"], REGISTRY),
    (&["composer", "auth.json"], REGISTRY),
    (&[".m2", "settings.xml"], REGISTRY),
    (&[".m2", "settings-security.xml"], REGISTRY),
    (&[".gradle", "gradle.properties"], REGISTRY),
    (&["gh", "hosts.yml"], FORGE),
    (&["glab-cli", "config.yml"], FORGE),
    (&[".config", "hub"], FORGE),
    (&["git", "credentials"], FORGE),
    (&[".terraform.d", "credentials.tfrc.json"], LOGIN),
    (&["doctl", "config.yaml"], LOGIN),
    (&["hcloud", "cli.toml"], LOGIN),
    (&[".fly", "config.yml"], LOGIN),
    (&["netlify", "config.json"], LOGIN),
    (&["com.vercel.cli", "auth.json"], LOGIN),
    (&["stripe", "config.toml"], LOGIN),
    (&["rclone", "rclone.conf"], LOGIN),
    (&["ngrok", "ngrok.yml"], LOGIN),
    (&[".ngrok2", "ngrok.yml"], LOGIN),
    (&[".kaggle", "kaggle.json"], LOGIN),
    (&["huggingface", "token"], LOGIN),
    (&[".huggingface", "token"], LOGIN),
    (&[".oci", "config"], LOGIN),
    (&[".snowsql", "config"], LOGIN),
    (&[".pulumi", "credentials.json"], LOGIN),
    (&[".config", "op", "**"], PASSWORDS),
    (&["sops", "age", "keys.txt"], KEY),
    (&[".claude", ".credentials.json"], AGENT),
    (&[".codex", "auth.json"], AGENT),
    (&[".cursor", "auth.json"], AGENT),
    (&["cursor", "auth.json"], AGENT),
    (&["opencode", "auth.json"], AGENT),
    (&[".gemini", "oauth_creds.json"], AGENT),
    (&["github-copilot", "hosts.json"], AGENT),
    (&["github-copilot", "apps.json"], AGENT),
    (&[".copilot", "config.json"], AGENT),
    (&["goose", "secrets.yaml"], AGENT),
    (&[".gnupg", "private-keys-v1.d", "**"], GPG),
    (&[".password-store", "**"], PASSWORDS),
    (&["Keychains", "**"], KEYCHAIN),
    (&["keyrings", "**"], KEYCHAIN),
    (&["kwalletd", "**"], KEYCHAIN),
    (&[".mozilla", "firefox", "**"], BROWSER),
    (&["Firefox", "Profiles", "**"], BROWSER),
    (&[".config", "google-chrome", "**"], BROWSER),
    (&[".config", "chromium", "**"], BROWSER),
    (&[".config", "BraveSoftware", "**"], BROWSER),
    (&["Application Support", "Google", "Chrome", "**"], BROWSER),
    (&["Google", "Chrome", "User Data", "**"], BROWSER),
    (&["Application Support", "BraveSoftware", "**"], BROWSER),
    (&["Microsoft", "Edge", "User Data", "**"], BROWSER),
    (&["Library", "Messages", "**"], PRIVATE),
    (&["Library", "Mail", "**"], PRIVATE),
    (&["Library", "Cookies", "**"], BROWSER),
    (&[".thunderbird", "**"], PRIVATE),
    (&[".bitcoin", "**"], WALLET),
    (&[".ethereum", "keystore", "**"], WALLET),
    (&[".electrum", "wallets", "**"], WALLET),
    (&["solana", "id.json"], WALLET),
    (&[".bash_sessions", "**"], TYPED),
    (&[".zsh_sessions", "**"], TYPED),
    (&["group.com.apple.notes", "**"], PRIVATE),
    (&["etc", "shadow"], SYSTEM),
    (&["etc", "shadow-"], SYSTEM),
    (&["etc", "gshadow"], SYSTEM),
    (&["etc", "gshadow-"], SYSTEM),
    (&["etc", "master.passwd"], SYSTEM),
    (&["etc", "security", "opasswd"], SYSTEM),
    (&["System32", "config", "SAM"], SYSTEM),
    (&["System32", "config", "SYSTEM"], SYSTEM),
    (&["System32", "config", "SECURITY"], SYSTEM),
    (&["etc", "krb5.keytab"], KEY),
    (&["etc", "ssl", "private", "**"], KEY),
    (&["etc", "wireguard", "**"], KEY),
    (&["etc", "letsencrypt", "archive", "**"], KEY),
    (&["run", "secrets", "**"], MOUNTED),
    (&["config", "master.key"], MATERIAL),
    (&[".aws", "config"], STATE),
];

/// File names that suffice wherever they are.
pub(super) const NAMES: &[(&str, Secret)] = &[
    (".netrc", LOGIN),
    ("_netrc", LOGIN),
    (".pgpass", LOGIN),
    ("pgpass.conf", LOGIN),
    (".mylogin.cnf", LOGIN),
    (".pypirc", REGISTRY),
    (".git-credentials", FORGE),
    (".vault-token", LOGIN),
    (".boto", LOGIN),
    (".s3cfg", LOGIN),
    (".dockercfg", REGISTRY),
    (".dockerconfigjson", REGISTRY),
    (".databrickscfg", LOGIN),
    (".terraformrc", LOGIN),
    (".htpasswd", LOGIN),
    ("Login Data", BROWSER),
    ("logins.json", BROWSER),
    ("key4.db", BROWSER),
    ("cookies.sqlite", BROWSER),
    ("wallet.dat", WALLET),
    ("secring.gpg", GPG),
    ("NTDS.dit", SYSTEM),
    ("unattend.xml", SYSTEM),
    ("Cookies.binarycookies", BROWSER),
    ("NoteStore.sqlite", PRIVATE),
    (".bash_history", TYPED),
    (".history", TYPED),
    (".zsh_history", TYPED),
    ("ConsoleHost_history.txt", TYPED),
    (".sh_history", TYPED),
    (".python_history", TYPED),
    (".psql_history", TYPED),
    (".mysql_history", TYPED),
    (".rediscli_history", TYPED),
    (".node_repl_history", TYPED),
    ("fish_history", TYPED),
    ("ConsoleHost_history.txt", TYPED),
    ("terraform.tfvars", STATE),
    ("terraform.tfstate", STATE),
    ("secrets.yml", STATE),
    ("secrets.yaml", STATE),
    ("secrets.json", STATE),
    ("secrets.toml", STATE),
    ("credentials.json", STATE),
    ("service-account.json", STATE),
    ("serviceaccount.json", STATE),
];

/// Settings that contain a login in a home, but not in a project.
pub(super) const IN_HOME: &[(&str, Secret)] =
    &[(".npmrc", REGISTRY), (".yarnrc.yml", REGISTRY), (".my.cnf", LOGIN), (".condarc", REGISTRY)];

/// Folders that are secret when copied, packed or sent as a whole.
pub(super) const FOLDERS: &[(&str, Secret)] = &[
    (".ssh", SSH_KEY),
    (".gnupg", GPG),
    (".aws", AWS),
    (".azure", AZURE),
    ("gcloud", GCLOUD),
    (".kube", LOGIN),
    ("certs", MATERIAL),
    ("secrets", MATERIAL),
    (".secrets", MATERIAL),
    ("credentials", MATERIAL),
    ("private", MATERIAL),
    ("keys", MATERIAL),
];

/// Folders with example keys.
pub(super) const EXAMPLES: &[&str] = &[
    "fixtures",
    "fixture",
    "__fixtures__",
    "testdata",
    "test-data",
    "test_data",
    "examples",
    "example",
    "samples",
    "mocks",
    "__mocks__",
    "node_modules",
    "site-packages",
    "docs",
];
