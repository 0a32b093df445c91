//! Generates ordinary commands from templates with slots. The same seed gives the same commands on any
//! machine.

use std::collections::HashSet;

use super::load::{self, Case};
use super::words;
use crate::error::{Error, Result};

/// Templates, one command per line in the corpus format. A slot is `«name»`; with a digit after the name it
/// has the same value wherever it occurs in the command.
const TEMPLATES: &str = include_str!("templates.txt");

/// Maximum nesting of slots in words; more is a cycle.
const DEEPEST: usize = 8;

/// Number of draws after which a template counts as exhausted.
const PATIENCE: usize = 20;

/// A command and the template it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Generated {
    pub(super) template: usize,
    pub(super) command: String,
}

pub(super) fn templates() -> Result<Vec<Case>> {
    load::parse("templates.txt", TEMPLATES)
}

/// `count` distinct commands. Templates take turns; an exhausted one is skipped.
pub(super) fn generate(templates: &[Case], seed: u64, count: usize) -> Result<Vec<Generated>> {
    let mut random = Random(seed);
    let mut seen = HashSet::new();
    let mut all = Vec::with_capacity(count);
    let mut is_spent = vec![false; templates.len()];
    while all.len() < count {
        let before = all.len();
        for (template, (case, is_spent)) in templates.iter().zip(&mut is_spent).enumerate() {
            if all.len() == count || *is_spent {
                continue;
            }
            match fresh(&case.command, &mut random, &seen)? {
                Some(command) => {
                    seen.insert(command.clone());
                    all.push(Generated { template, command });
                }
                None => *is_spent = true,
            }
        }
        if all.len() == before {
            return Err(Error::new(format!("the templates give no more than {before} commands")));
        }
    }
    Ok(all)
}

fn fresh(template: &str, random: &mut Random, seen: &HashSet<String>) -> Result<Option<String>> {
    for _ in 0..PATIENCE {
        let command = Filler::new(random).fill(template, DEEPEST)?;
        if !seen.contains(&command) {
            return Ok(Some(command));
        }
    }
    Ok(None)
}

/// Fills the slots of one command.
struct Filler<'a> {
    random: &'a mut Random,
    /// Values of the slots with a digit.
    kept: Vec<(&'a str, String)>,
}

impl<'a> Filler<'a> {
    fn new(random: &'a mut Random) -> Self {
        Self { random, kept: Vec::new() }
    }

    /// Replaces every slot of the text by a word.
    fn fill(&mut self, text: &'a str, depth: usize) -> Result<String> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('«') {
            let Some((slot, after)) = after.split_once('»') else {
                return Err(Error::new(format!("a slot is not closed in `{text}`")));
            };
            filled.push_str(before);
            let depth = depth.checked_sub(1);
            let depth = depth.ok_or_else(|| Error::new(format!("`«{slot}»` contains itself")))?;
            filled.push_str(&self.slot(slot, depth)?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn slot(&mut self, slot: &'a str, depth: usize) -> Result<String> {
        let name = slot.trim_end_matches(|c: char| c.is_ascii_digit());
        if name == slot {
            return self.word(name, depth);
        }
        if let Some((_, word)) = self.kept.iter().find(|(kept, _)| *kept == slot) {
            return Ok(word.clone());
        }
        let word = self.word(name, depth)?;
        self.kept.push((slot, word.clone()));
        Ok(word)
    }

    fn word(&mut self, slot: &str, depth: usize) -> Result<String> {
        match slot {
            "small" => Ok((self.random.below(20) + 1).to_string()),
            "number" => Ok((self.random.below(9_900) + 100).to_string()),
            "commit" => Ok(self.hex(7)),
            "digest" => Ok(self.hex(40)),
            _ => {
                let unknown = || Error::new(format!("no words for the slot `«{slot}»`"));
                let words = words::list(slot).ok_or_else(unknown)?;
                let word = words.get(self.random.below(words.len())).ok_or_else(unknown)?;
                self.fill(word, depth)
            }
        }
    }

    fn hex(&mut self, digits: usize) -> String {
        let mut digit = || char::from_digit(u32::try_from(self.random.below(16)).ok()?, 16);
        (0..digits).filter_map(|_| digit()).collect()
    }
}

/// `SplitMix64`: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 if `end` is 0. The bias of the remainder does not matter here.
    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        let drawn = self.next().checked_rem(end).unwrap_or_default();
        usize::try_from(drawn).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    const COUNT: usize = 20_000;

    fn all(seed: u64) -> Vec<Generated> {
        generate(&templates().unwrap(), seed, COUNT).unwrap()
    }

    #[test]
    fn the_same_seed_gives_the_same_commands() {
        let (one, again, other) = (all(1), all(1), all(2));
        assert_eq!(one, again);
        let same = one.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert!(same < COUNT / 20, "{same} commands do not depend on the seed");
    }

    #[test]
    fn the_commands_are_distinct_and_of_many_templates() {
        let templates = templates().unwrap();
        assert!(templates.len() >= 250, "{} templates", templates.len());
        let all = all(1);
        let distinct: HashSet<&str> = all.iter().map(|it| it.command.as_str()).collect();
        assert_eq!(distinct.len(), COUNT);
        let mut uses = HashMap::new();
        for it in &all {
            *uses.entry(it.template).or_insert(0_usize) += 1;
        }
        assert_eq!(uses.len(), templates.len(), "every template is used");
        let most = uses.values().max().copied().unwrap_or_default();
        assert!(most <= COUNT / 100, "one template made {most} commands");
    }

    #[test]
    fn no_slot_is_left_empty_or_open() {
        for (name, words) in words::LISTS {
            assert!(words.len() > 1, "`{name}` leaves no choice");
            assert!(words.iter().all(|word| !word.trim().is_empty()), "`{name}` has a blank word");
        }
        for it in all(3) {
            assert!(!it.command.contains(['«', '»']), "{}", it.command);
        }
    }

    #[test]
    fn every_list_of_words_has_a_slot() {
        let texts = words::LISTS.iter().flat_map(|(_, words)| words.iter().copied());
        let texts: Vec<&str> = texts.chain([TEMPLATES]).collect();
        for (name, _) in words::LISTS {
            let uses = |text: &&str| {
                (0..10).any(|n| text.contains(&format!("«{name}{n}»")))
                    || text.contains(&format!("«{name}»"))
            };
            assert!(texts.iter().any(uses), "nothing uses `«{name}»`");
        }
    }

    #[test]
    fn a_slot_with_a_digit_repeats_itself() {
        let mut random = Random(1);
        let mut differing = 0;
        for _ in 0..50 {
            let command =
                Filler::new(&mut random).fill("«stem1» «stem1» «stem2»", DEEPEST).unwrap();
            let words: Vec<&str> = command.split(' ').collect();
            assert_eq!(words[0], words[1]);
            differing += usize::from(words[0] != words[2]);
        }
        assert!(differing > 25, "{differing} of 50 differ");
    }

    #[test]
    fn faults_of_a_template_are_named() {
        let fault = |text| Filler::new(&mut Random(1)).fill(text, DEEPEST).unwrap_err().to_string();
        assert_eq!(fault("ls «nothing»"), "no words for the slot `«nothing»`");
        assert_eq!(fault("ls «dir"), "a slot is not closed in `ls «dir`");
    }

    #[test]
    fn too_few_templates_are_an_error() {
        let one = load::parse("t", "[a]\npass  ls\n").unwrap();
        let error = generate(&one, 1, 2).unwrap_err().to_string();
        assert_eq!(error, "the templates give no more than 1 commands");
    }
}
