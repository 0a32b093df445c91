//! The compiled form of a policy, so that a hook need not parse TOML. It is a cache: used only if intact and
//! made by this program from these files.

use serde::{Deserialize, Serialize};
use tenter_model::EventKind;

use super::rule::Packed;
use super::{
    Exception, Fail, Handler, Layer, LayerText, Origin, Policy, Problem, RecordPolicy, Setting,
};
use crate::guards::GUARDS;

const MAGIC: [u8; 8] = *b"tntrpol\n";
/// Format version; changes whenever the encoding changes.
const FORMAT: u32 = 5;
const HEADER: usize = 8 + 4 + 6 * 8;

/// Why an image is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stale {
    /// Not an image, truncated or changed.
    Damaged,
    /// Made by another version.
    Program,
    /// The policy files have changed.
    Sources,
}

/// The policy files, as stored in an image. They are compared byte by byte, which is cheaper than any hash
/// and cannot be fooled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources(Vec<u8>);

impl Sources {
    pub fn new(layers: &[LayerText<'_>]) -> Self {
        let mut order: Vec<&LayerText<'_>> = layers.iter().collect();
        order.sort_by(|one, other| (one.layer, one.path).cmp(&(other.layer, other.path)));
        let mut bytes = Vec::new();
        for layer in order {
            let (is_read, text) = match &layer.text {
                Ok(text) => (1, *text),
                Err(why) => (0, why.as_str()),
            };
            bytes.extend_from_slice(&[layer.layer as u8, is_read]);
            for part in [layer.path, text] {
                bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
                bytes.extend_from_slice(part.as_bytes());
            }
        }
        Self(bytes)
    }

    /// A name for this set of files, for records and file names.
    pub fn name(&self) -> u64 {
        digest(FACTOR, &self.0)
    }
}

/// Content of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    pub policy: Policy,
    /// Name of its set of files.
    pub name: u64,
}

/// A hash of what the encoding depends on besides the files: the version and the names of guards, checks and
/// actions.
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

/// A checksum against accidental damage: detects every change of up to eight bytes in a row, and nearly every
/// other. Anyone who can write the image can forge it.
fn digest(sum: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(sum, |sum, word| step(sum, u64::from_le_bytes(*word)));
    let rest = rest.iter().fold(0, |all, byte| (all << 8) | u64::from(*byte));
    step(step(sum, rest), bytes.len() as u64)
}

/// The part of a policy needed for judging, without rules; the rest is for people.
#[derive(Serialize, Deserialize)]
struct Stored {
    settings: Vec<Setting>,
    exceptions: Vec<Exception>,
    handlers: Vec<Handler>,
    fail: Fail,
    fail_origin: Origin,
    record: RecordPolicy,
    stop_most: u8,
    unattended: bool,
    files: Vec<(Layer, String)>,
    broken: Vec<Problem>,
}

/// Encodes a policy made from these files. Problems, tests and origins of options are left out.
pub fn encode(policy: &Policy, sources: &Sources) -> Vec<u8> {
    // Encoding cannot fail; if it did, an empty image is never used.
    body(policy)
        .map(|(body, stored)| with_header(&body, stored, sources, sources.name()))
        .unwrap_or_default()
}

/// The stored part followed by the rules; and the length of the first.
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
        stop_most: policy.stop_most,
        unattended: policy.unattended,
        files: policy.files,
        broken: policy.broken,
    };
    let mut body = postcard::to_allocvec(&stored).ok()?;
    let length = body.len();
    body.extend_from_slice(rules.bytes());
    Some((body, length))
}

fn with_header(body: &[u8], stored: usize, Sources(files): &Sources, name: u64) -> Vec<u8> {
    let mut bytes =
        Vec::with_capacity(HEADER.saturating_add(files.len()).saturating_add(body.len()));
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT.to_le_bytes());
    let lengths = [files.len() as u64, body.len() as u64, stored as u64];
    for number in [program_hash(), name].into_iter().chain(lengths).chain([digest(name, body)]) {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(files);
    bytes.extend_from_slice(body);
    bytes
}

/// Decodes an image that this program made from these files.
pub fn decode(bytes: &[u8], sources: &Sources) -> Result<Image, Stale> {
    open(bytes, Some(sources))
}

/// Decodes an image that this program made, from any files.
pub fn decode_any(bytes: &[u8]) -> Result<Image, Stale> {
    open(bytes, None)
}

fn open(bytes: &[u8], sources: Option<&Sources>) -> Result<Image, Stale> {
    let (magic, rest) = bytes.split_first_chunk::<8>().ok_or(Stale::Damaged)?;
    let (format, rest) = rest.split_first_chunk::<4>().ok_or(Stale::Damaged)?;
    let mut rest = rest;
    let mut number = || {
        let (number, tail) = rest.split_first_chunk::<8>().ok_or(Stale::Damaged)?;
        rest = tail;
        Ok(u64::from_le_bytes(*number))
    };
    let (program, name) = (number()?, number()?);
    let (files, length, stored, sum) = (number()?, number()?, number()?, number()?);
    if *magic != MAGIC {
        return Err(Stale::Damaged);
    }
    if u32::from_le_bytes(*format) != FORMAT || program != program_hash() {
        return Err(Stale::Program);
    }
    let files = usize::try_from(files).map_err(|_| Stale::Damaged)?;
    let (files, body) = rest.split_at_checked(files).ok_or(Stale::Damaged)?;
    if body.len() as u64 != length || digest(name, body) != sum {
        return Err(Stale::Damaged);
    }
    if sources.is_some_and(|Sources(wanted)| !same(wanted, files)) {
        return Err(Stale::Sources);
    }
    let policy = policy(body, stored).ok_or(Stale::Damaged)?;
    Ok(Image { policy, name })
}

/// Whether two texts are equal. musl's `memcmp` compares byte by byte, at five times the instructions.
fn same(one: &[u8], other: &[u8]) -> bool {
    let ((words, rest), (others, other_rest)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    one.len() == other.len()
        && rest == other_rest
        && words.iter().zip(others).all(|(word, other)| word == other)
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
        stop_most: stored.stop_most,
        unattended: stored.unattended,
        files: stored.files,
        broken: stored.broken,
        problems: Vec::new(),
        tests: Vec::new(),
        given: Vec::new(),
    })
}
