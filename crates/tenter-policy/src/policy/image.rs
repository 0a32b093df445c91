//! A policy as bytes, so that a hook need not read TOML. The bytes are a cache: they are used only
//! if they are whole and were made by this program from these files.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use tenter_model::EventKind;

use super::rule::Packed;
use super::{Exception, Fail, Handler, Layer, LayerText, Origin, Policy, Problem, Record, Setting};
use crate::guards::GUARDS;

const MAGIC: [u8; 8] = *b"tntrpol\n";
/// Changes whenever the bytes of a policy mean something else.
const FORMAT: u32 = 3;
const HEADER: usize = 8 + 4 + 5 * 8;

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
    let mut sum = digest(FACTOR, env!("CARGO_PKG_VERSION").as_bytes());
    for guard in GUARDS {
        sum = digest(sum, guard.id.as_bytes());
        for check in guard.checks {
            sum = step(digest(sum, check.id.as_bytes()), check.weight as u64);
        }
        for option in guard.options {
            sum = digest(sum, option.name.as_bytes());
        }
    }
    step(step(sum, tenter_shell::Kind::ALL.len() as u64), EventKind::ALL.len() as u64)
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

fn step(sum: u64, word: u64) -> u64 {
    (sum.rotate_left(5) ^ word).wrapping_mul(FACTOR)
}

/// Notices every change that touches no more than eight bytes in a row, and nearly every other. It
/// is for accidents: whoever can write the image can write anything into it.
fn digest(sum: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(sum, |sum, word| step(sum, u64::from_le_bytes(*word)));
    let rest = rest.iter().fold(0, |all, byte| (all << 8) | u64::from(*byte));
    step(step(sum, rest), bytes.len() as u64)
}

/// What judging needs besides the rules; the rest of a policy is for people.
#[derive(Serialize, Deserialize)]
struct Stored {
    settings: Vec<Setting>,
    exceptions: Vec<Exception>,
    handlers: Vec<Handler>,
    fail: Fail,
    fail_origin: Origin,
    record: Record,
    unattended: bool,
    files: Vec<(Layer, String)>,
    broken: Vec<Problem>,
}

/// The bytes of a policy that was made from the files with this hash. Problems, tests and origins
/// of options stay behind.
pub fn encode(policy: &Policy, sources: u64) -> Vec<u8> {
    // Nothing in a policy can fail to be written; were it to, an empty image is one nobody uses.
    body(policy).map(|(body, stored)| with_header(&body, stored, sources)).unwrap_or_default()
}

/// The stored part and behind it the rules; and how long the first is.
fn body(policy: &Policy) -> Option<(Vec<u8>, usize)> {
    let policy = policy.clone().unpacked();
    let rules = Packed::new(&policy.rules)?;
    let stored = Stored {
        settings: policy.settings,
        exceptions: policy.exceptions,
        handlers: policy.handlers,
        fail: policy.fail,
        fail_origin: policy.fail_origin,
        record: policy.record,
        unattended: policy.unattended,
        files: policy.files,
        broken: policy.broken,
    };
    let mut body = postcard::to_allocvec(&stored).ok()?;
    let length = body.len();
    body.extend_from_slice(rules.bytes());
    Some((body, length))
}

fn with_header(body: &[u8], stored: usize, sources: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER.saturating_add(body.len()));
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT.to_le_bytes());
    let numbers = [program_hash(), sources, body.len() as u64, stored as u64, digest(FACTOR, body)];
    for number in numbers {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(body);
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
    let (program, from, length) = (number()?, number()?, number()?);
    let (stored, sum) = (number()?, number()?);
    if *magic != MAGIC {
        return Err(Stale::Damaged);
    }
    if u32::from_le_bytes(*format) != FORMAT || program != program_hash() {
        return Err(Stale::Program);
    }
    if from != sources {
        return Err(Stale::Sources);
    }
    if rest.len() as u64 != length || digest(FACTOR, rest) != sum {
        return Err(Stale::Damaged);
    }
    policy(rest, stored).ok_or(Stale::Damaged)
}

fn policy(body: &[u8], stored: u64) -> Option<Policy> {
    let (stored, rules) = body.split_at_checked(usize::try_from(stored).ok()?)?;
    let (stored, rest): (Stored, _) = postcard::take_from_bytes(stored).ok()?;
    let mut settings = GUARDS.iter().zip(&stored.settings);
    let whole = rest.is_empty()
        && stored.settings.len() == GUARDS.len()
        && settings.all(|(guard, setting)| guard.checks.len() == setting.levels.len());
    if !whole {
        return None;
    }
    Some(Policy {
        settings: stored.settings,
        rules: Vec::new(),
        packed: Packed::from_bytes(rules)?,
        exceptions: stored.exceptions,
        handlers: stored.handlers,
        fail: stored.fail,
        fail_origin: stored.fail_origin,
        record: stored.record,
        unattended: stored.unattended,
        files: stored.files,
        broken: stored.broken,
        problems: Vec::new(),
        tests: Vec::new(),
        given: Vec::new(),
    })
}
