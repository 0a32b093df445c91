//! Matches a finding against an exception. A rule matches in doubtful cases, an exception does not: its
//! conditions must hold for everything the finding is about.

use tenter_shell::{Certainty, Effect, Ran};

use super::fit::{is_at, is_effect};
use super::sight::Sight;
use super::{Narrow, When, args, paths, urls};
use crate::finding::Finding;
use crate::scene::Moment;

impl Sight<'_> {
    pub(crate) fn covers(&self, when: &When, finding: &Finding) -> bool {
        if !when.event.iter().all(|broad| self.holds(broad, false, &mut None)) {
            return false;
        }
        let effects = self.effects_of(finding);
        let programs = self.programs_of(finding, &effects);
        let cwds = || programs.iter().map(|ran| ran.cwd.as_deref().or(self.scene.cwd));
        when.thing.iter().all(|condition| match condition {
            Narrow::Program(_) | Narrow::Args(_) | Narrow::Via(_) => {
                !programs.is_empty() && programs.iter().all(|ran| self.is_run(condition, ran))
            }
            Narrow::Cwd(_) | Narrow::Branch(_) => {
                let condition = std::slice::from_ref(condition);
                if programs.is_empty() {
                    self.stands(condition, self.scene.cwd)
                } else {
                    cwds().all(|cwd| self.stands(condition, cwd))
                }
            }
            _ if effects.is_empty() => self.is_beside(condition),
            _ => effects.iter().all(|effect| self.is_done(condition, effect)),
        })
    }

    /// The effects of a finding: those at its position, and of these its subject's.
    fn effects_of(&self, finding: &Finding) -> Vec<&Effect> {
        let effects = self.scene.effects();
        let mut about: Vec<&Effect> = match finding.span {
            None => effects.iter().filter(|effect| effect.command.is_none()).collect(),
            Some(span) => effects.iter().filter(|effect| effect.span == span).collect(),
        };
        if about.is_empty()
            && let Some(span) = finding.span
        {
            let near = |it: &&Effect| span.contains(it.span) || it.span.contains(span);
            about = effects.iter().filter(near).collect();
        }
        let named = |it: &&Effect| {
            it.target.shown() == finding.subject
                || it.target.path().is_some_and(|path| path.written == finding.subject)
        };
        if !finding.subject.is_empty() && about.iter().any(&named) {
            about.retain(named);
        }
        about
    }

    fn programs_of(&self, finding: &Finding, effects: &[&Effect]) -> Vec<&Ran> {
        let ran: Vec<&Ran> =
            effects.iter().filter_map(|effect| self.scene.program(effect)).collect();
        match finding.span {
            Some(span) if ran.is_empty() => {
                let commands = self.scene.analysis.commands.iter();
                commands.filter(|ran| ran.span.contains(span)).collect()
            }
            _ => ran,
        }
    }

    fn is_run(&self, condition: &Narrow, ran: &Ran) -> bool {
        match condition {
            Narrow::Program(names) => self.named(names, &ran.program),
            Narrow::Args(words) => args::exactly(words, &ran.argv),
            Narrow::Via(names) => ran.via.iter().any(|via| self.named(names, &via.name)),
            _ => false,
        }
    }

    fn is_done(&self, condition: &Narrow, effect: &Effect) -> bool {
        match condition {
            Narrow::Effect(names) => names.iter().any(|name| is_effect(name, effect)),
            Narrow::Path(patterns) => {
                let path = effect.target.path();
                path.is_some_and(|path| paths::must(patterns, path, &self.scene.places))
            }
            Narrow::Url(patterns) => is_at(patterns, effect),
            Narrow::Certain => effect.certainty == Certainty::Certain,
            _ => false,
        }
    }

    /// For a finding without effect: the fetched URL, the files of a finished call.
    fn is_beside(&self, condition: &Narrow) -> bool {
        match condition {
            Narrow::Url(patterns) => {
                let urls = &self.scene.urls;
                !urls.is_empty() && urls.iter().all(|url| urls::fits(patterns, url))
            }
            Narrow::Path(patterns) if self.scene.moment == Moment::After => {
                let touched = self.touched();
                !touched.is_empty()
                    && touched.iter().all(|path| paths::must(patterns, path, &self.scene.places))
            }
            _ => false,
        }
    }
}
