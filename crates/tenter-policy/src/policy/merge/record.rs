//! Merges the settings of the record: the highest layer that sets a value decides.

use super::{Merge, tighter};
use crate::policy::record::{RecordPolicy, SyncMode};
use crate::policy::source::{RecordLines, Secrecy, Source, Told};
use crate::policy::{Given, Layer, Origin};

impl Merge<'_> {
    pub(super) fn record(&mut self) {
        if self.sources.iter().all(|source| source.record == RecordLines::default()) {
            return;
        }
        let level = self.first("level", |lines| lines.level, |it| it.as_str().to_owned());
        let email = self.first("email", |lines| lines.email, |it| it.as_str().to_owned());
        let keep = self.first(
            "keep",
            |lines| lines.keep,
            |days| RecordPolicy { keep_days: days, ..RecordPolicy::default() }.keep(),
        );
        let record = RecordPolicy {
            level: level.unwrap_or_default(),
            email: email.unwrap_or_default(),
            keep_days: keep.unwrap_or(RecordPolicy::default().keep_days),
            sync: self.sync(),
            redact: Vec::new(),
        };
        self.policy.record = record;
        self.redactions();
    }

    /// Applies the secrecy settings of a broken file, since a written record cannot be taken back.
    pub(super) fn keep_secret(&mut self, secrecy: Secrecy, origin: Origin) {
        // If a higher layer decides, the file would have had no effect either.
        let above = |source: &&Source| origin.layer().is_some_and(|layer| source.layer < layer);
        let above: Vec<&RecordLines> =
            self.sources.iter().filter(above).map(|source| &source.record).collect();
        let level = secrecy.level.filter(|_| above.iter().all(|lines| lines.level.is_none()));
        let email = secrecy.email.filter(|_| above.iter().all(|lines| lines.email.is_none()));
        let record = &mut self.policy.record;
        let mut given = Vec::new();
        if let Some(level) = level.filter(|level| *level < record.level) {
            record.level = level;
            given.push(("level", level.as_str().to_owned()));
        }
        if let Some(email) = email.filter(|email| *email > record.email) {
            record.email = email;
            given.push(("email", email.as_str().to_owned()));
        }
        for redaction in secrecy.redact {
            if !record.redact.contains(&redaction) {
                given.push(("redact", redaction.as_str().to_owned()));
                record.redact.push(redaction);
            }
        }
        for (name, value) in given {
            let key = format!("record.{name}");
            self.policy.given.retain(|it| it.key != key || name == "redact");
            self.policy.given.push(Given { key, value, origin });
        }
    }

    fn told(&mut self, name: &str, value: String, source: &Source, at: super::Place) {
        let key = format!("record.{name}");
        self.policy.given.push(Given { key, value, origin: source.origin(at) });
    }

    /// The value of the highest layer that has one; warns about lower ones that differ.
    fn first<T: Copy + PartialEq>(
        &mut self,
        name: &str,
        of: fn(&RecordLines) -> Option<Told<T>>,
        word: fn(T) -> String,
    ) -> Option<T> {
        let mut first: Option<(T, Layer)> = None;
        for source in self.sources {
            let Some(told) = of(&source.record) else {
                continue;
            };
            match first {
                None => {
                    first = Some((told.value, source.layer));
                    self.told(name, word(told.value), source, told.at);
                }
                Some((value, layer)) if value != told.value => {
                    let message =
                        format!("`{name}` stays at {} as the {layer} policy has it", word(value));
                    self.warn(source, told.at, format!("record.{name}"), message);
                }
                Some(_) => {}
            }
        }
        first.map(|(value, _)| value)
    }

    /// The setting of higher layers; `None` if they have none.
    fn sync_above(&self, layer: Option<Layer>) -> Option<(SyncMode, Origin)> {
        let above = |source: &&Source| layer.is_none_or(|layer| source.layer < layer);
        let said = self.sources.iter().filter(above).filter_map(|source| {
            source.record.sync.map(|told| (told.value, source.origin(told.at)))
        });
        said.reduce(tighter)
    }

    fn sync(&mut self) -> SyncMode {
        for source in self.sources {
            let Some(told) = source.record.sync else {
                continue;
            };
            let above = self.sync_above(Some(source.layer));
            if let Some((above, _)) = above.filter(|(above, _)| told.value < *above) {
                let message = format!(
                    "`sync` stays at {}; a {} policy can only tighten",
                    above.as_str(),
                    source.layer
                );
                self.warn(source, told.at, "record.sync".to_owned(), message);
            }
        }
        let Some((value, origin)) = self.sync_above(None) else {
            return SyncMode::default();
        };
        let key = "record.sync".to_owned();
        self.policy.given.push(Given { key, value: value.as_str().to_owned(), origin });
        value
    }

    /// Patterns of all layers are combined.
    fn redactions(&mut self) {
        for source in self.sources {
            for told in &source.record.redact {
                if !self.policy.record.redact.contains(&told.value) {
                    self.policy.record.redact.push(told.value.clone());
                    self.told("redact", told.value.as_str().to_owned(), source, told.at);
                }
            }
        }
    }
}
