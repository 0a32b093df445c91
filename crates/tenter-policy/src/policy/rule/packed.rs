//! Encoded rules. A hook loads hundreds of rules of which hardly one concerns the call, so each has a short
//! head with its prerequisites, and is decoded only if they are met.

use tenter_shell::{Kind, Target};

use super::on::OUTPUT;
use super::sight::Sight;
use super::{About, Broad, Narrow, Rule, When};
use crate::scene::{PassageKind, Scene};

/// All rules of a policy, as in an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed(Vec<u8>);

/// Size of a head: actions, needs, effects, programs, and the offset of its bytes.
const HEAD: usize = 2 + 2 + 4 + 8 + 4;

/// Prerequisites of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    /// All bits if it concerns events.
    actions: u16,
    needs: u16,
    /// Bits of acceptable effect kinds.
    kinds: u32,
    /// Bits of acceptable programs; two may share one.
    programs: u64,
}

const PATH: u16 = 1;
const HOST: u16 = 1 << 1;
const MCP: u16 = 1 << 2;
const PROMPT: u16 = 1 << 3;
const CONTENT: u16 = 1 << 4;
const COMMAND: u16 = 1 << 5;

impl Packed {
    /// Encodes rules; `None` on an encoding error, which does not occur.
    pub(crate) fn new(rules: &[Rule]) -> Option<Self> {
        let mut heads = Vec::new();
        let mut bodies = Vec::new();
        for rule in rules {
            let head = Head::of(rule);
            heads.extend_from_slice(&head.actions.to_le_bytes());
            heads.extend_from_slice(&head.needs.to_le_bytes());
            heads.extend_from_slice(&head.kinds.to_le_bytes());
            heads.extend_from_slice(&head.programs.to_le_bytes());
            heads.extend_from_slice(&u32::try_from(bodies.len()).ok()?.to_le_bytes());
            bodies.extend_from_slice(&postcard::to_allocvec(rule).ok()?);
        }
        let mut bytes = u32::try_from(rules.len()).ok()?.to_le_bytes().to_vec();
        bytes.append(&mut heads);
        bytes.append(&mut bodies);
        Some(Self(bytes))
    }

    /// Takes bytes that `new` made.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let packed = Self(bytes.to_vec());
        let (heads, _) = packed.split()?;
        let is_whole = heads.iter().all(|head| packed.body(head).is_some());
        is_whole.then_some(packed)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn len(&self) -> usize {
        self.split().map_or(0, |(heads, _)| heads.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every rule; `None` for one that cannot be decoded.
    pub(crate) fn all(&self) -> impl Iterator<Item = Option<Rule>> {
        let heads = self.split().map_or(&[][..], |(heads, _)| heads);
        heads.iter().map(|head| self.read(head))
    }

    /// The rules that may match; `None` for one that cannot be decoded.
    pub(crate) fn fitting(&self, sight: &Sight<'_>) -> impl Iterator<Item = Option<Rule>> {
        let there = Head::there(sight);
        let heads = self.split().map_or(&[][..], |(heads, _)| heads);
        let may = move |head: &&[u8; HEAD]| Head::from_bytes(head).is_none_or(|it| it.fits(there));
        heads.iter().filter(may).map(|head| self.read(head))
    }

    fn split(&self) -> Option<(&[[u8; HEAD]], &[u8])> {
        if self.0.is_empty() {
            return Some((&[], &[]));
        }
        let (count, rest) = self.0.split_first_chunk::<4>()?;
        let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
        let (heads, bodies) = rest.split_at_checked(count.checked_mul(HEAD)?)?;
        Some((heads.as_chunks::<HEAD>().0, bodies))
    }

    fn body(&self, head: &[u8; HEAD]) -> Option<&[u8]> {
        let (_, bodies) = self.split()?;
        let start = u32::from_le_bytes(*head.last_chunk::<4>()?);
        bodies.get(usize::try_from(start).ok()?..)
    }

    fn read(&self, head: &[u8; HEAD]) -> Option<Rule> {
        // The rest belongs to the next rule.
        postcard::take_from_bytes(self.body(head)?).ok().map(|(rule, _)| rule)
    }
}

impl Head {
    fn of(rule: &Rule) -> Self {
        let When { event, thing, about } = &rule.when;
        let is_event = !rule.on.events.is_empty();
        let mut head = Self {
            actions: if is_event { u16::MAX } else { rule.on.actions },
            needs: 0,
            kinds: 0,
            programs: 0,
        };
        for broad in event {
            head.needs |= match broad {
                Broad::Mcp(_) => MCP,
                Broad::Prompt(_) => PROMPT,
                Broad::Content(_) => CONTENT,
                Broad::Command(_) => COMMAND,
                _ => 0,
            };
        }
        for narrow in thing {
            match narrow {
                Narrow::Program(names) if names.patterns.is_empty() => {
                    head.programs |= names.plain.iter().fold(0, |all, name| all | bit(name));
                }
                Narrow::Effect(names) => {
                    let kinds = names.iter().map(|name| 1_u32.checked_shl(name.kind.into()));
                    head.kinds = kinds.fold(0, |all, kind| all | kind.unwrap_or(u32::MAX));
                }
                // Arguments of a named program may be paths too.
                Narrow::Path(_) if *about == About::Effect => head.needs |= PATH,
                Narrow::Url(_) => head.needs |= HOST,
                _ => {}
            }
        }
        head
    }

    fn from_bytes(bytes: &[u8; HEAD]) -> Option<Self> {
        let (actions, rest) = bytes.split_first_chunk::<2>()?;
        let (needs, rest) = rest.split_first_chunk::<2>()?;
        let (kinds, rest) = rest.split_first_chunk::<4>()?;
        let (programs, _) = rest.split_first_chunk::<8>()?;
        Some(Self {
            actions: u16::from_le_bytes(*actions),
            needs: u16::from_le_bytes(*needs),
            kinds: u32::from_le_bytes(*kinds),
            programs: u64::from_le_bytes(*programs),
        })
    }

    /// The head describing a scene.
    fn there(sight: &Sight<'_>) -> Self {
        let scene = sight.scene;
        let programs = scene.analysis.commands.iter();
        let mut head = Self {
            actions: sight.all,
            needs: texts(scene),
            kinds: 0,
            programs: programs.fold(0, |all, ran| all | bit(&ran.program)),
        };
        for effect in scene.effects() {
            head.kinds |= 1_u32.checked_shl(effect.kind as u32).unwrap_or(u32::MAX);
            head.needs |= match effect.target {
                Target::Path(_) => PATH,
                Target::Host(_) => HOST,
                _ => 0,
            };
            if effect.sources.from_network().is_some() {
                head.needs |= HOST;
            }
        }
        if scene.mcp.is_some() {
            head.needs |= MCP | HOST;
        }
        // A finished call has touched files, which are not effects.
        if sight.tools & OUTPUT != 0 {
            head.needs |= PATH | COMMAND;
        }
        head
    }

    fn fits(self, there: Self) -> bool {
        (self.actions & there.actions != 0 || self.actions == u16::MAX)
            && self.needs & !there.needs == 0
            && (self.kinds == 0 || self.kinds & there.kinds != 0)
            && (self.programs == 0 || self.programs & there.programs != 0)
    }
}

fn texts(scene: &Scene<'_>) -> u16 {
    scene.passages.iter().fold(0, |all, passage| {
        all | match passage.kind {
            PassageKind::Prompt | PassageKind::Task => PROMPT,
            PassageKind::Command => COMMAND,
            PassageKind::Url => HOST,
            PassageKind::Written | PassageKind::Read | PassageKind::Output | PassageKind::Input => {
                CONTENT
            }
        }
    })
}

/// One of 64 bits for a name, ignoring case.
fn bit(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    });
    1 << (hash >> 58)
}

/// Kinds must fit the bits.
const _: () = assert!(Kind::ALL.len() <= 32);
