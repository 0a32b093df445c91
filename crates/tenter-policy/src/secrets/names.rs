//! Classifies names by the kind of value they announce.

use super::words::{Words, count};

/// Maximum number of bytes examined of a name.
const LONGEST: usize = 48;

/// Words before `pass` for a login.
const ENTERS: &str = "admin auth become bind bot db ftp http key ldap login mail my mysql pg postgres proxy \
    redis require root sftp smtp sql ssh store sudo trust truststore user";
static ENTERS_WORDS: Words<{ count(ENTERS) }> = Words::new(ENTERS);

/// Words before `token` for text units or list positions.
const COUNTED: &str = "bos cancel cancellation close cls completion continuation csrf csrfmiddleware current \
    delta design eos etag expected first idempotency idtoken last lock marker mask max min \
    next num of open pad page peek per prev previous prompt public publishable resume sep \
    special starting state stop sync syntax total unk version xsrf";
static COUNTED_WORDS: Words<{ count(COUNTED) }> = Words::new(COUNTED);

/// Words before `key` for access keys.
const OPENS: &str = "access account accountaccess admin aes api apiaccess app application auth cipher client \
    consumer cookie crypto deploy encrypt encryption fernet function functions hapi hmac \
    ingest ingestion integration jwt license master personal preshared private rest secret \
    secretaccess security server serverless service session shared sharedaccess signing \
    storage subscription token user webhook write xapi";
static OPENS_WORDS: Words<{ count(OPENS) }> = Words::new(OPENS);

/// Words before `key` for indexes, public keys and keyboard keys.
const INDEXES: &str = "alt anon any arrow authorized bucket cache column composite config ctrl data dedup dedupe \
    delete dict don each end enter escape event feature field fingerprint flag foreign form \
    gpg group hash hoc home host hot i18n idempotency idx index item joc join json known list \
    locale lookup map message meta modifier mon mono natural object order partition pgp press \
    primary pub public publishable query range react registry restore routing row s3 setting \
    settings shard shift shortcut site sort ssh state sticky store tab translation trusted tur \
    unique verification verify whis";
static INDEXES_WORDS: Words<{ count(INDEXES) }> = Words::new(INDEXES);

/// Words that may follow the telling word.
const BESIDE: &str = "admin b64 backup base base64 default dev development env eu hex literal live main new old \
    plain plaintext primary prod production qa raw sandbox secondary stage staging stg str \
    string test text uat us val value var";
static BESIDE_WORDS: Words<{ count(BESIDE) }> = Words::new(BESIDE);

/// Kind of value that a name announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Possibly chosen by a person.
    Password,
    /// Made by a machine: tokens, API keys, shared secrets.
    Token,
    /// Not always secret: `key`, `auth`, `tokens`.
    Unsure,
    /// The header `Authorization`.
    Header,
}

/// A name in lower case with separated words.
pub(super) struct Name {
    bytes: [u8; LONGEST + 16],
    len: usize,
}

impl Name {
    /// `apiKey`, `API-KEY` and `api.key` become `api_key`. A long name is truncated at the start.
    pub(super) fn of(name: &[u8]) -> Self {
        let name = name.get(name.len().saturating_sub(LONGEST)..).unwrap_or_default();
        let mut folded = Self { bytes: [0; LONGEST + 16], len: 0 };
        let mut before = b'_';
        let mut rest = name;
        while let [byte, after @ ..] = rest {
            rest = after;
            if byte.is_ascii_alphanumeric() {
                let camel = byte.is_ascii_uppercase()
                    && (before.is_ascii_lowercase()
                        || (before.is_ascii_uppercase()
                            && after.first().is_some_and(u8::is_ascii_lowercase)));
                if camel {
                    folded.push(b'_');
                }
                folded.push(byte.to_ascii_lowercase());
            } else if before != b'_' {
                folded.push(b'_');
            }
            before = if byte.is_ascii_alphanumeric() { *byte } else { b'_' };
        }
        folded
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len = self.len.saturating_add(1);
        }
    }

    fn text(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// The words from last to first.
    fn words(&self) -> impl Iterator<Item = &[u8]> {
        self.text().rsplit(|byte| *byte == b'_').filter(|word| !word.is_empty())
    }

    /// Letters and digits only.
    pub(super) fn squashed(&self) -> Name {
        let mut squashed = Self { bytes: [0; LONGEST + 16], len: 0 };
        for byte in self.text().iter().filter(|byte| **byte != b'_') {
            squashed.push(*byte);
        }
        squashed
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.text()
    }

    /// Whether it names a function that looks a secret up.
    pub(super) fn looks_up(&self) -> bool {
        self.words().last().is_some_and(|word| {
            matches!(
                word,
                b"get"
                    | b"fetch"
                    | b"load"
                    | b"read"
                    | b"find"
                    | b"lookup"
                    | b"require"
                    | b"has"
                    | b"is"
                    | b"parse"
                    | b"check"
                    | b"resolve"
                    | b"env"
                    | b"getenv"
                    | b"validate"
            )
        })
    }

    /// Whether a user and a password may follow it.
    pub(super) fn pairs(&self) -> bool {
        let last = self.words().next().unwrap_or_default();
        last.ends_with(b"auth") || matches!(last, b"credential" | b"credentials")
    }

    pub(super) fn sort(&self) -> Option<Sort> {
        let mut words = self.words().skip_while(|word| beside(word));
        let last = words.next()?;
        let before = words.next().unwrap_or_default();
        match last {
            b"authorization" => Some(Sort::Header),
            b"pass" | b"pw" | b"rootpw" | b"bindpw" | b"passwort" | b"pword" | b"pswd" => {
                (!matches!(before, b"by" | b"boarding" | b"render" | b"first" | b"second"))
                    .then_some(Sort::Password)
            }
            b"bypass" | b"compass" => None,
            b"passe" => (before == b"de").then_some(Sort::Password),
            b"pat" => matches!(before, b"ext" | b"devops").then_some(Sort::Token),
            b"jwt" | b"bearer" => Some(Sort::Token),
            b"credential" | b"credentials" | b"cred" | b"creds" | b"psk" => Some(Sort::Password),
            b"tokens" if COUNTED_WORDS.has(before) => None,
            b"auth" | b"secrets" | b"tokens" | b"keys" | b"passwords" => Some(Sort::Unsure),
            _ => compound(last, before),
        }
    }
}

/// Compounds such as `dbpassword`, `accesstoken` and `apikey`, and plain words.
fn compound(last: &[u8], before: &[u8]) -> Option<Sort> {
    let ends = |word: &[u8]| last.ends_with(word);
    if ends(b"password") || ends(b"passwd") || ends(b"passphrase") || ends(b"passcode") {
        return (!matches!(before, b"no" | b"forgot" | b"reset" | b"without"))
            .then_some(Sort::Password);
    }
    if ends(b"pwd") || last.strip_suffix(b"pass").is_some_and(|stem| ENTERS_WORDS.has(stem)) {
        return Some(Sort::Password);
    }
    if ends(b"secret") {
        return (before != b"public").then_some(Sort::Token);
    }
    if let Some(stem) = last.strip_suffix(b"token") {
        let stem = if stem.is_empty() { before } else { stem };
        return (!COUNTED_WORDS.has(stem)).then_some(Sort::Token);
    }
    let stem = last.strip_suffix(b"key")?;
    let stem = if stem.is_empty() { before } else { stem };
    if OPENS_WORDS.has(stem) {
        Some(Sort::Token)
    } else {
        (!INDEXES_WORDS.has(stem)).then_some(Sort::Unsure)
    }
}

/// Whether a word may follow the telling word.
fn beside(word: &[u8]) -> bool {
    let number = match word {
        [b'v', rest @ ..] => !rest.is_empty() && rest.iter().all(u8::is_ascii_digit),
        _ => word.iter().all(u8::is_ascii_digit),
    };
    number || BESIDE_WORDS.has(word)
}

/// Whether a variable of this name is likely to contain a secret.
pub fn secret_name(name: &str) -> bool {
    if name.eq_ignore_ascii_case("pwd") || name.eq_ignore_ascii_case("oldpwd") {
        return false;
    }
    let folded = Name::of(name.as_bytes());
    let squashed = folded.squashed();
    let text = squashed.as_bytes();
    folded.sort().is_some() || holds_address(text)
}

/// Whether a URL by this name commonly contains a password.
fn holds_address(squashed: &[u8]) -> bool {
    let address =
        [b"url".as_slice(), b"uri", b"dsn"].iter().find_map(|end| squashed.strip_suffix(*end));
    let secret = |name: &[u8]| {
        [
            b"database".as_slice(),
            b"db",
            b"redis",
            b"mongo",
            b"mongodb",
            b"postgres",
            b"postgresql",
            b"pg",
            b"mysql",
            b"amqp",
            b"rabbitmq",
            b"broker",
            b"webhook",
            b"clickhouse",
            b"smtp",
            b"sql",
            b"elasticsearch",
        ]
        .iter()
        .any(|end| name.ends_with(end))
    };
    address.is_some_and(secret)
        || squashed.ends_with(b"connectionstring")
        || squashed.ends_with(b"webhook")
}
