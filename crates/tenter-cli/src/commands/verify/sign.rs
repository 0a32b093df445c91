//! Signs and checks exported files.
//!
//! A signature is plain Ed25519 over the file's bytes, 64 bytes in `FILE.sig`; keys are PEM as written by
//! OpenSSL. So verification does not need our program.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ed25519_compact::{KeyPair, Noise, PublicKey, SecretKey, Seed, Signature};

use tenter_files::Whose;

use crate::error::CommandError;
use crate::output_file;

/// Chunk size for reading.
const CHUNK: usize = 256 * 1024;
/// Maximum size of a key file.
const LONGEST_KEY: u64 = 64 * 1024;

/// Creates a key readable by its owner only, and the public key beside it.
pub(super) fn new_key(path: &Path) -> Result<String, CommandError> {
    let public = beside(path, ".pub");
    let pair = KeyPair::try_from_seed(Seed::new(random()?)).map_err(CommandError::internal)?;
    // The secret key first, since it must not be overwritten.
    output_file::write_new(path, pair.sk.to_pem().as_bytes())?;
    if let Err(why) = output_file::write_new(&public, pair.pk.to_pem().as_bytes()) {
        // Half a pair is useless.
        drop(std::fs::remove_file(path));
        return Err(why);
    }
    Ok(format!(
        "{}: the key, for `tenter verify --sign`; keep it to yourself\n\
         {}: its public half, for `tenter verify --check`; give it away\n",
        path.display(),
        public.display()
    ))
}

/// Signs a file.
pub(super) fn sign(file: &Path, key: &Path) -> Result<String, CommandError> {
    let text = read_key(key)?;
    let secret = SecretKey::from_pem(&text).map_err(|_| wrong_key(key, &text, "PRIVATE"))?;
    let mut state = secret.sign_incremental(Noise::new(random()?));
    each_chunk(file, |chunk| state.absorb(chunk))?;
    let signature = state.sign();
    // The file may have changed meanwhile; such a signature would be useless.
    if !is_signed_by(file, &signature, &secret.public_key())? {
        return Err(CommandError::internal(format!(
            "{} was changed while it was signed",
            file.display()
        )));
    }
    let beside = signature_of(file);
    output_file::write(&beside, signature.as_ref())?;
    Ok(format!("signed: {}\n", beside.display()))
}

/// Checks the signature of a file.
pub(super) fn check(file: &Path, key: &Path) -> Result<String, CommandError> {
    let text = read_key(key)?;
    let public = PublicKey::from_pem(&text).map_err(|_| wrong_key(key, &text, "PUBLIC"))?;
    let beside = signature_of(file);
    let bytes = tenter_files::read(&beside, LONGEST_KEY, Whose::Anyone)
        .map_err(|error| CommandError::internal(format!("{}: {error}", beside.display())))?;
    let signature = Signature::from_slice(&bytes).ok();
    match signature.map(|it| is_signed_by(file, &it, &public)).transpose()? {
        Some(true) => Ok(format!("{} is as it was signed\n", file.display())),
        Some(false) | None => Err(CommandError::failed(format!(
            "{} is not the signature of this file by this key",
            beside.display()
        ))),
    }
}

fn is_signed_by(file: &Path, signature: &Signature, key: &PublicKey) -> Result<bool, CommandError> {
    let Ok(mut state) = key.verify_incremental(signature) else { return Ok(false) };
    each_chunk(file, |chunk| state.absorb(chunk))?;
    Ok(state.verify().is_ok())
}

fn signature_of(file: &Path) -> PathBuf {
    beside(file, ".sig")
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn each_chunk(path: &Path, mut each: impl FnMut(&[u8])) -> Result<(), CommandError> {
    let mut read = || -> io::Result<()> {
        let mut file = tenter_files::open(path, Whose::Anyone)?;
        let mut buffer = vec![0; CHUNK];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => each(buffer.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    };
    read().map_err(|error| CommandError::internal(format!("{}: {error}", path.display())))
}

fn read_key(path: &Path) -> Result<String, CommandError> {
    tenter_files::read_named(path, LONGEST_KEY)
        .and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other))
        .map_err(|error| CommandError::internal(format!("{}: {error}", path.display())))
}

/// Error naming the expected kind of key, and the actual one if recognised.
fn wrong_key(path: &Path, text: &str, wanted: &str) -> CommandError {
    let is = if text.contains("ENCRYPTED PRIVATE KEY") {
        "the key is encrypted, which is not supported"
    } else if text.contains("OPENSSH") {
        "the key has the form of OpenSSH, which is not supported"
    } else if text.contains("BEGIN PUBLIC KEY") && wanted == "PRIVATE" {
        "this is a public key, signing needs the secret one"
    } else if text.contains("BEGIN PRIVATE KEY") && wanted == "PUBLIC" {
        "this is a secret key, checking needs the public one (PATH.pub)"
    } else {
        "this is no Ed25519 key in PEM; `tenter verify --new-key PATH` makes one"
    };
    CommandError::internal(format!("{}: {is}", path.display()))
}

fn random<const N: usize>() -> Result<[u8; N], CommandError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        CommandError::internal(format!("the system has no randomness: {error}"))
    })?;
    Ok(bytes)
}
