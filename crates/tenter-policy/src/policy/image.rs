//! A policy as bytes, so that a hook need not read TOML. The bytes are a cache: they are used only
//! if they are whole and were made by this program from these files.

use std::hash::{DefaultHasher, Hash, Hasher};

use tenter_model::EventKind;

use super::{LayerText, Policy};
use crate::guards::GUARDS;

const MAGIC: [u8; 8] = *b"tntrpol\n";
/// Changes whenever the bytes of a policy mean something else.
const FORMAT: u32 = 1;
const HEADER: usize = 8 + 4 + 8 + 8 + 8 + 8;

/// Why an image is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stale {
    /// It is no image, or cut off, or some of it has changed.
    Damaged,
    /// Another version of the program made it.
    Program,
    /// The policy files have changed.
    Sources,
}

impl Stale {
    pub const fn as_str(self) -> &'static str {
        match self {
            Stale::Damaged => "the image is damaged",
            Stale::Program => "another version made the image",
            Stale::Sources => "the policy files have changed",
        }
    }
}

/// A number that changes when a file is added, removed, moved or changed.
pub fn sources_hash(layers: &[LayerText<'_>]) -> u64 {
    let mut order: Vec<&LayerText<'_>> = layers.iter().collect();
    order.sort_by(|one, other| (one.layer, one.path).cmp(&(other.layer, other.path)));
    let mut hasher = DefaultHasher::new();
    hasher.write_usize(order.len());
    for layer in order {
        layer.layer.hash(&mut hasher);
        layer.path.hash(&mut hasher);
        layer.text.hash(&mut hasher);
    }
    hasher.finish()
}

/// What the bytes depend on besides the files: the version and the names that places stand for.
fn program_hash() -> u64 {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    for guard in GUARDS {
        guard.id.hash(&mut hasher);
        hasher.write_usize(guard.checks.len());
        for check in guard.checks {
            check.id.hash(&mut hasher);
            hasher.write_u8(check.weight as u8);
        }
        hasher.write_usize(guard.options.len());
        guard.options.iter().for_each(|option| option.name.hash(&mut hasher));
    }
    hasher.write_usize(tenter_shell::Kind::ALL.len());
    hasher.write_usize(EventKind::ALL.len());
    hasher.finish()
}

/// Notices every change that touches no more than eight bytes in a row, and nearly every other.
fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks::<8>();
    let step = |sum: u64, word: u64| (sum.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let sum = words.iter().fold(FACTOR, |sum, word| step(sum, u64::from_le_bytes(*word)));
    let rest = rest.iter().fold(0, |all, byte| (all << 8) | u64::from(*byte));
    step(step(sum, rest), bytes.len() as u64)
}

/// The bytes of a policy that was made from the files with this hash. Problems, tests and origins
/// of options stay behind; they are for people.
pub fn encode(policy: &Policy, sources: u64) -> Vec<u8> {
    let bare =
        Policy { problems: Vec::new(), tests: Vec::new(), given: Vec::new(), ..policy.clone() };
    // Nothing in a policy can fail to be written; were it to, an empty image is one nobody uses.
    let Ok(body) = postcard::to_allocvec(&bare) else {
        return Vec::new();
    };
    let mut bytes = Vec::with_capacity(HEADER.saturating_add(body.len()));
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT.to_le_bytes());
    for number in [program_hash(), sources, body.len() as u64, checksum(&body)] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&body);
    bytes
}

/// The policy in an image, if it was made by this program from the files with this hash.
pub fn decode(bytes: &[u8], sources: u64) -> Result<Policy, Stale> {
    let (magic, rest) = bytes.split_first_chunk::<8>().ok_or(Stale::Damaged)?;
    let (format, rest) = rest.split_first_chunk::<4>().ok_or(Stale::Damaged)?;
    let mut rest = rest;
    let mut number = || {
        let (number, tail) = rest.split_first_chunk::<8>().ok_or(Stale::Damaged)?;
        rest = tail;
        Ok(u64::from_le_bytes(*number))
    };
    let (program, from, length, sum) = (number()?, number()?, number()?, number()?);
    if *magic != MAGIC {
        return Err(Stale::Damaged);
    }
    if u32::from_le_bytes(*format) != FORMAT || program != program_hash() {
        return Err(Stale::Program);
    }
    if from != sources {
        return Err(Stale::Sources);
    }
    if rest.len() as u64 != length || checksum(rest) != sum {
        return Err(Stale::Damaged);
    }
    let policy: Policy = postcard::from_bytes(rest).map_err(|_| Stale::Damaged)?;
    let whole = policy.settings.len() == GUARDS.len()
        && GUARDS
            .iter()
            .zip(&policy.settings)
            .all(|(guard, setting)| guard.checks.len() == setting.levels.len());
    if whole { Ok(policy) } else { Err(Stale::Damaged) }
}
