//! The image of a policy: as good as its files, or not used.

use proptest::prelude::*;
use tenter_policy::policy::image::{Stale, decode, encode, sources_hash};
use tenter_policy::policy::{Layer, LayerText};
use tenter_policy::{Level, Policy};

use super::load;

const RICH: &str = "extends = ['strict']\n[fail]\nguard = 'closed'\n[guards]\nunverified = { level = 'deny', \
    allow = ['x'] }\n[[rule]]\nid = 'r'\non = ['shell', 'PostToolUse:Edit']\ndecide = 'ask'\nlimit = 3\n\
    expires = 2030-01-01\nreason = 'why'\ntest = [{ shell = 'ls', expect = 'none' }]\nwhen = { prompt = \
    'x', command = { matches = 'a+b' }, cwd = 'x' }\n[[rule]]\nid = 's'\ndecide = 'deny'\nwhen = { program = \
    ['a', 'b'], args = ['-x'], effect = 'delete/x', path = 'p', url = 'u', branch = 'b', via = 'sudo', \
    certain = true }\n[[allow]]\nrule = 'r'\nreason = 'z'\n[[handler]]\nid = 'h'\non = 'any'\nrun = ['x']\n";

/// What judging needs: the rest is for people and not kept.
fn bare(policy: &Policy) -> Policy {
    let mut policy = policy.clone();
    policy.problems.clear();
    policy.tests.clear();
    policy.given.clear();
    policy
}

#[test]
fn an_image_holds_what_the_files_say() {
    let policy = load(&[(Layer::User, RICH), (Layer::Project, "nonsense")]);
    assert_eq!(policy.rules.len(), 2);
    assert_eq!(policy.broken.len(), 1);
    let bytes = encode(&policy, 7);
    let image = decode(&bytes, 7).unwrap();
    assert!(image.rules.is_empty(), "rules are read when they are needed");
    assert_eq!(image.packed.len(), 2);
    assert_eq!(image.rule("s", policy.rules[1].origin).unwrap().level, Level::Deny);
    assert_eq!(encode(&image, 7), bytes);
    assert_eq!(image.unpacked(), bare(&policy));
}

#[test]
fn an_image_of_other_files_is_not_used() {
    let policy = load(&[(Layer::User, RICH)]);
    assert_eq!(decode(&encode(&policy, 7), 8), Err(Stale::Sources));
}

#[test]
fn the_hash_sees_texts_paths_layers_and_errors_but_not_their_order() {
    fn of<'t>(layer: Layer, path: &'t str, text: Result<&'t str, &str>) -> LayerText<'t> {
        LayerText { layer, path, text: text.map_err(str::to_owned) }
    }
    let all = [
        sources_hash(&[]),
        sources_hash(&[of(Layer::User, "a", Ok("x"))]),
        sources_hash(&[of(Layer::User, "a", Ok("y"))]),
        sources_hash(&[of(Layer::User, "b", Ok("x"))]),
        sources_hash(&[of(Layer::Project, "a", Ok("x"))]),
        sources_hash(&[of(Layer::User, "a", Err("x"))]),
        sources_hash(&[of(Layer::User, "ax", Ok(""))]),
        sources_hash(&[of(Layer::User, "a", Ok("x")), of(Layer::User, "b", Ok("x"))]),
    ];
    for (index, one) in all.iter().enumerate() {
        assert!(!all[..index].contains(one), "{index}");
    }
    let (one, other) = (of(Layer::User, "a", Ok("x")), of(Layer::Team, "b", Ok("y")));
    assert_eq!(sources_hash(&[one.clone(), other.clone()]), sources_hash(&[other, one]));
}

#[test]
fn every_cut_and_every_flipped_bit_is_noticed() {
    let bytes = encode(&load(&[(Layer::User, RICH)]), 7);
    for length in 0..bytes.len() {
        assert!(decode(&bytes[..length], 7).is_err(), "cut to {length}");
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(decode(&damaged, 7).is_err(), "bit {bit} of byte {at}");
        }
    }
    let mut longer = bytes;
    longer.push(0);
    assert_eq!(decode(&longer, 7), Err(Stale::Damaged));
}

#[test]
fn another_program_or_format_is_another_image() {
    let bytes = encode(&load(&[(Layer::User, RICH)]), 7);
    for (at, expected) in [(0, Stale::Damaged), (8, Stale::Program), (12, Stale::Program)] {
        let mut other = bytes.clone();
        other[at] ^= 1;
        assert_eq!(decode(&other, 7), Err(expected), "byte {at}");
    }
}

proptest! {
    #[test]
    fn any_bytes_at_all_are_refused_without_a_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        prop_assert!(decode(&bytes, 0).is_err());
    }
}
