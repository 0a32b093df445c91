//! The image of a policy is equivalent to its files, or not used.

use proptest::prelude::*;
use tenter_policy::policy::image::{Sources, Stale, decode, decode_any, encode};
use tenter_policy::policy::{Layer, LayerText};
use tenter_policy::{Level, Policy};

use super::load;

const RICH: &str = "extends = ['strict']\n[fail]\nguard = 'closed'\n[guards]\nunverified = { level = 'deny', \
    allow = ['x'] }\n[[rule]]\nid = 'r'\non = ['shell', 'PostToolUse:Edit']\ndecide = 'ask'\nlimit = 3\n\
    expires = 2030-01-01\nreason = 'why'\ntest = [{ shell = 'ls', expect = 'none' }]\nwhen = { prompt = \
    'x', command = { matches = 'a+b' }, cwd = 'x' }\n[[rule]]\nid = 's'\ndecide = 'deny'\nwhen = { program = \
    ['a', 'b'], args = ['-x'], effect = 'delete/remove', path = 'p', url = 'u', branch = 'b', via = 'sudo', \
    certain = true }\n[[allow]]\nrule = 'r'\nreason = 'z'\n[[handler]]\nid = 'h'\non = 'any'\nrun = ['x']\n";

/// The parts needed for judging.
fn bare(policy: &Policy) -> Policy {
    let mut policy = policy.clone();
    policy.problems.clear();
    policy.tests.clear();
    policy.given.clear();
    policy
}

fn of<'t>(layer: Layer, path: &'t str, text: Result<&'t str, &str>) -> LayerText<'t> {
    LayerText { layer, path, text: text.map_err(str::to_owned) }
}

fn sources() -> Sources {
    Sources::new(&[of(Layer::User, "/u/policy.toml", Ok(RICH))])
}

#[test]
fn an_image_holds_what_the_files_say() {
    let policy = load(&[(Layer::User, RICH), (Layer::Project, "nonsense")]);
    assert_eq!(policy.rules.len(), 2);
    assert_eq!(policy.broken.len(), 1);
    let bytes = encode(&policy, &sources());
    let image = decode(&bytes, &sources()).unwrap();
    assert_eq!(image.name, sources().name());
    assert_eq!(decode_any(&bytes).unwrap(), image);
    let image = image.policy;
    assert!(image.rules.is_empty(), "rules are read when they are needed");
    assert_eq!(image.packed.len(), 2);
    assert_eq!(image.rule("s", policy.rules[1].origin).unwrap().level, Level::Deny);
    assert_eq!(encode(&image, &sources()), bytes);
    assert_eq!(image.unpacked(), bare(&policy));
}

#[test]
fn an_image_of_other_files_is_not_used() {
    let bytes = encode(&load(&[(Layer::User, RICH)]), &sources());
    let changed = RICH.replace("strict", "stricT");
    let others = [
        vec![],
        vec![of(Layer::User, "/u/policy.toml", Ok(&changed))],
        vec![of(Layer::User, "/u/policy.toml", Err(RICH))],
        vec![of(Layer::Team, "/u/policy.toml", Ok(RICH))],
        vec![of(Layer::User, "/v/policy.toml", Ok(RICH))],
        vec![of(Layer::User, "/u/policy.toml", Ok(RICH)), of(Layer::Project, "/p", Ok(""))],
    ];
    for other in others {
        assert_eq!(decode(&bytes, &Sources::new(&other)), Err(Stale::Sources), "{other:?}");
    }
}

#[test]
fn a_name_sees_texts_paths_layers_and_errors_but_not_their_order() {
    let name = |layers: &[LayerText<'_>]| Sources::new(layers).name();
    let all = [
        name(&[]),
        name(&[of(Layer::User, "a", Ok("x"))]),
        name(&[of(Layer::User, "a", Ok("y"))]),
        name(&[of(Layer::User, "b", Ok("x"))]),
        name(&[of(Layer::Project, "a", Ok("x"))]),
        name(&[of(Layer::User, "a", Err("x"))]),
        name(&[of(Layer::User, "ax", Ok(""))]),
        name(&[of(Layer::User, "a", Ok("x")), of(Layer::User, "b", Ok("x"))]),
    ];
    for (index, one) in all.iter().enumerate() {
        assert!(!all[..index].contains(one), "{index}");
    }
    let (one, other) = (of(Layer::User, "a", Ok("x")), of(Layer::Team, "b", Ok("y")));
    assert_eq!(name(&[one.clone(), other.clone()]), name(&[other, one]));
}

#[test]
fn every_cut_and_every_flipped_bit_is_noticed() {
    let bytes = encode(&load(&[(Layer::User, RICH)]), &sources());
    for length in 0..bytes.len() {
        assert!(decode(&bytes[..length], &sources()).is_err(), "cut to {length}");
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(decode(&damaged, &sources()).is_err(), "bit {bit} of byte {at}");
        }
    }
    let mut longer = bytes;
    longer.push(0);
    assert_eq!(decode(&longer, &sources()), Err(Stale::Damaged));
}

#[test]
fn another_program_or_format_is_another_image() {
    let bytes = encode(&load(&[(Layer::User, RICH)]), &sources());
    for (at, expected) in [(0, Stale::Damaged), (8, Stale::Program), (12, Stale::Program)] {
        let mut other = bytes.clone();
        other[at] ^= 1;
        assert_eq!(decode(&other, &sources()), Err(expected), "byte {at}");
    }
}

proptest! {
    #[test]
    fn any_bytes_at_all_are_refused_without_a_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        prop_assert!(decode_any(&bytes).is_err());
    }
}
