//! The secret rules, and the types they are made of.

use super::context::CONTEXTS;
use super::providers::TOKENS;
use super::strings::{Strings, size};

/// Description of a rule, for tables and pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    pub id: &'static str,
    pub title: &'static str,
    /// The form of the secret: literal text, `{set count}` for variable parts, `^` at the start of the
    /// secret.
    pub shape: &'static str,
}

/// Randomness required of a token of the right form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// The form is distinctive; only placeholders are excluded.
    Form,
    /// Like `Form`, but for tests, or not always secret.
    Weak,
    /// Ordinary words could have the form, so it must look random.
    Random,
}

/// A token with a distinctive form.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) shape: &'static str,
    pub(super) proof: Proof,
}

/// Construct that begins at one of the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Part of a name such as `api_key`, whose value follows.
    Name,
    /// The word for a password in another language.
    Foreign,
    /// `Bearer` and a token.
    Bearer,
    /// `://`, possibly with a password before the host.
    Url,
    /// `@tcp(` after user and password.
    Dsn,
    /// `PRIVATE KEY` in the first line of a block.
    Pem,
    /// A key file of `PuTTY`.
    Putty,
    /// `-u user:password`, `-ppassword` and similar.
    Flag,
    /// A seed phrase.
    Mnemonic,
    /// The port in a line of `.pgpass`.
    Pgpass,
    /// `ConvertTo-SecureString` and its argument.
    Secure,
    /// `IDENTIFIED BY` with a database user's password.
    Identified,
    /// `sudo -S`, which reads a password.
    Asked,
    /// User and password of Oracle.
    Oracle,
    /// The type of a JSON key.
    Jwk,
    /// A function that takes a user and a password.
    Call,
    /// Cookies.
    Cookie,
}

/// Words that start such a construct, case-insensitive.
const WORDS: &[(&str, Word)] = &[
    ("pass", Word::Name),
    ("pwd", Word::Name),
    ("_pw", Word::Name),
    (" pw", Word::Name),
    ("secret", Word::Name),
    ("token", Word::Name),
    ("key", Word::Name),
    ("auth", Word::Name),
    ("cred", Word::Name),
    ("jwt", Word::Name),
    ("psk", Word::Name),
    ("rootpw", Word::Name),
    ("bindpw", Word::Name),
    ("vops_ext_pat", Word::Name),
    ("vops_pat", Word::Name),
    ("contrase", Word::Foreign),
    ("senha", Word::Foreign),
    ("bearer", Word::Bearer),
    ("://", Word::Url),
    ("@tcp(", Word::Dsn),
    ("private", Word::Pem),
    ("putty", Word::Putty),
    (" -u", Word::Flag),
    (" -p", Word::Flag),
    (" -a ", Word::Flag),
    (" -w ", Word::Flag),
    (" -k ", Word::Flag),
    (" -b ", Word::Flag),
    ("--user", Word::Flag),
    ("y-user", Word::Flag),
    ("--body", Word::Flag),
    ("cookie", Word::Cookie),
    ("phrase", Word::Mnemonic),
    ("mnemonic", Word::Mnemonic),
    (":5432:", Word::Pgpass),
    (":*:", Word::Pgpass),
    ("to-securestring ", Word::Secure),
    ("identified ", Word::Identified),
    ("sudo -s ", Word::Asked),
    ("e:thin:", Word::Oracle),
    ("sqlplus ", Word::Oracle),
    ("\"kty\"", Word::Jwk),
    ("mysqli", Word::Call),
    ("pdo(", Word::Call),
    ("jwt.sign(", Word::Call),
    ("jwt.verify(", Word::Call),
    ("jwt.encode(", Word::Call),
    ("createhmac(", Word::Call),
    ("pymysql.connect(", Word::Call),
    ("mysqldb.connect(", Word::Call),
    ("p.login(", Word::Call),
    ("getconnection(", Word::Call),
];

/// Secrets found by other means than a token's form.
pub(super) const GENERIC: RuleInfo = info("generic", "secret", "a secret name and a random value");
pub(super) const PASSWORD: RuleInfo =
    info("password", "password", "a password's name and a strong value");
pub(super) const URL: RuleInfo =
    info("password-in-url", "password in a URL", "scheme://user:password@host");
pub(super) const PEM: RuleInfo =
    info("private-key", "private key", "-----BEGIN ... PRIVATE KEY----- and some of the key");
pub(super) const PUTTY: RuleInfo =
    info("private-key", "PuTTY private key", "PuTTY-User-Key-File-2 and private lines");
pub(super) const JWK: RuleInfo =
    info("private-key", "private key in JSON", "\"kty\" and a private part, \"d\" or \"k\"");
pub(super) const BEARER: RuleInfo =
    info("bearer-token", "bearer token", "Authorization: Bearer and a random value");
pub(super) const BASIC: RuleInfo =
    info("basic-auth", "user and password", "Authorization: Basic, curl -u user:password");
pub(super) const SEED: RuleInfo = info("seed-phrase", "seed phrase", "mnemonic and 12 to 24 words");
pub(super) const AWS_SECRET: RuleInfo =
    info("aws-secret-key", "AWS secret key", "{base64 40} beside an access key");
pub(super) const ENVIRONMENT: RuleInfo = info(
    "environment-value",
    "value of a secret environment variable",
    "the exact value of a variable with a secret name",
);

const OTHERS: &[RuleInfo] =
    &[AWS_SECRET, PEM, PUTTY, JWK, URL, BEARER, BASIC, PASSWORD, GENERIC, SEED, ENVIRONMENT];
const COUNT: usize = TOKENS.len() + CONTEXTS.len() + OTHERS.len();

/// Every rule, for the table in the docs. An id may have several shapes.
pub const RULES: &[RuleInfo] = &all();

/// Number of forms in the first pass: tokens, then words.
pub(super) const FORMS: usize = TOKENS.len() + WORDS.len();
pub(super) const SHAPES: [&str; FORMS] = shapes();
const LABELS: [&str; TOKENS.len() * 2] = labels();
static FORM: Strings<FORMS, { size(&SHAPES) }> = Strings::new(&SHAPES);
static LABEL: Strings<{ LABELS.len() }, { size(&LABELS) }> = Strings::new(&LABELS);
static WORD: [Word; WORDS.len()] = words();
static PROOF: [Proof; TOKENS.len()] = proofs();

/// The form to be tried at an anchor.
pub(super) enum Form {
    Token { index: usize, shape: &'static [u8], proof: Proof },
    Word { text: &'static [u8], word: Word },
}

/// The form with this index.
pub(super) fn form(index: usize) -> Form {
    let text = FORM.bytes(index);
    match PROOF.get(index) {
        Some(proof) => Form::Token { index, shape: text, proof: *proof },
        None => {
            let word = WORD.get(index.saturating_sub(PROOF.len())).copied();
            Form::Word { text, word: word.unwrap_or(Word::Name) }
        }
    }
}

/// Id and title of a token.
pub(super) fn label(index: usize) -> (&'static str, &'static str) {
    let at = index.saturating_mul(2);
    (LABEL.get(at), LABEL.get(at.saturating_add(1)))
}

const fn info(id: &'static str, title: &'static str, shape: &'static str) -> RuleInfo {
    RuleInfo { id, title, shape }
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn shapes() -> [&'static str; FORMS] {
    let mut shapes = [""; FORMS];
    let mut at = 0;
    while at < FORMS {
        shapes[at] = if at < TOKENS.len() { TOKENS[at].shape } else { WORDS[at - TOKENS.len()].0 };
        at += 1;
    }
    shapes
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn labels() -> [&'static str; TOKENS.len() * 2] {
    let mut labels = [""; TOKENS.len() * 2];
    let mut at = 0;
    while at < TOKENS.len() {
        labels[at * 2] = TOKENS[at].id;
        labels[at * 2 + 1] = TOKENS[at].title;
        at += 1;
    }
    labels
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn words() -> [Word; WORDS.len()] {
    let mut words = [Word::Name; WORDS.len()];
    let mut at = 0;
    while at < WORDS.len() {
        words[at] = WORDS[at].1;
        at += 1;
    }
    words
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
const fn proofs() -> [Proof; TOKENS.len()] {
    let mut proofs = [Proof::Form; TOKENS.len()];
    let mut at = 0;
    while at < TOKENS.len() {
        proofs[at] = TOKENS[at].proof;
        at += 1;
    }
    proofs
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
#[expect(clippy::large_stack_arrays, reason = "evaluated when compiling")]
const fn all() -> [RuleInfo; COUNT] {
    let mut table = [GENERIC; COUNT];
    let mut at = 0;
    while at < COUNT {
        table[at] = if at < TOKENS.len() {
            let token = TOKENS[at];
            info(token.id, token.title, token.shape)
        } else if at < TOKENS.len() + CONTEXTS.len() {
            let context = CONTEXTS[at - TOKENS.len()];
            info(context.id, context.title, context.shown)
        } else {
            OTHERS[at - TOKENS.len() - CONTEXTS.len()]
        };
        at += 1;
    }
    table
}
