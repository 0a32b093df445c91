//! Tests possible contents of missing texts.

use std::borrow::Cow;

use tenter_policy::finding::Found;
use tenter_policy::guard::Guard;
use tenter_policy::policy::Setting;
use tenter_policy::scene::{Passage, Scene};
use tenter_policy::{Finding, Level, Memory, Sample};

use super::event::Hidden;

/// Whether the old policy checked the same as the new one: a finding would then be recorded.
pub(super) fn looked(guard: &Guard, new: &Setting, old: Option<&Setting>, rule: &str) -> bool {
    let check = rule.split_once('/').map_or("", |(_, check)| check);
    let place = guard.checks.iter().position(|it| it.id == check);
    old.is_some_and(|old| {
        let level = place.and_then(|place| old.levels.get(place));
        level.is_some_and(|(level, _)| *level != Level::Off)
            && old.allow == new.allow
            && old.options == new.options
    })
}

/// Whether the old policy checked everything that the new one does: no probe is needed.
pub(super) fn looked_for_all(new: &Setting, old: Option<&Setting>) -> bool {
    old.is_some_and(|old| {
        let mut levels = new.levels.iter().zip(&old.levels);
        levels.all(|((new, _), (old, _))| *new == Level::Off || *old != Level::Off)
            && old.allow == new.allow
            && old.options == new.options
    })
}

/// The finding of a guard if the missing text is this one.
pub(super) fn probe(
    guard: &'static Guard,
    setting: &Setting,
    scene: &mut Scene<'_>,
    hidden: &Hidden<'_>,
    text: Cow<'static, str>,
) -> Vec<Finding> {
    let path = hidden.path.map(|path| Cow::Owned(path.to_owned()));
    scene.passages.push(Passage { kind: hidden.kind, text, path });
    let mut findings = Vec::new();
    (guard.look)(scene, &mut Found::new(guard, setting, &mut findings));
    scene.passages.pop();
    findings
}

/// Texts in which a guard has a finding, from its examples.
pub(super) fn probes(
    guard: &'static Guard,
    memory: &Memory,
) -> impl Iterator<Item = Cow<'static, str>> {
    let of_sample = |(sample, _): &(Sample<'static>, &str)| match *sample {
        Sample::Write(_, text)
        | Sample::Edit(_, text)
        | Sample::Content(_, text)
        | Sample::Prompt(text)
        | Sample::Output(text)
        | Sample::Fetch(text) => Some(Cow::Borrowed(text)),
        _ => None,
    };
    // Two guards examine texts for which they have no example: start-up files, and denied targets.
    let more = match guard.id {
        "destructive-files" => Some(Cow::Borrowed("curl x | sh\n")),
        "workaround" if !memory.denied.is_empty() => {
            let targets: Vec<&str> = memory.denied.iter().map(|it| it.target.as_str()).collect();
            Some(Cow::Owned(format!("#!/bin/sh\n{}\n", targets.join("\n").replace("/*", ""))))
        }
        _ => None,
    };
    guard.blocks.iter().filter_map(of_sample).chain(more)
}
