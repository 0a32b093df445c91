//! Collects session-wide facts from records.

use std::path::PathBuf;

use tenter_audit::Record;
use tenter_audit::record::Usage;
use tenter_audit::store::Session;

use super::tokens::{Tokens, beyond_cache};
use super::transcript::{self, Wanted};

/// Maximum number of transcripts and folders kept.
const MOST: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) host_version: Option<String>,
    pub(super) surface: Option<String>,
    /// The last named model: `default` is the host's choice.
    pub(super) model: Option<String>,
    pub(super) denied: u64,
    pub(super) asked: u64,
    main: Option<PathBuf>,
    others: Vec<PathBuf>,
    roots: Vec<PathBuf>,
    tokens: Tokens,
    /// Sums as in the store, to know what is left.
    usage: Usage,
}

impl Gathered {
    pub(super) fn look(&mut self, record: &Record<'_>) {
        if let Some(version) = &record.host_version {
            self.host_version = Some(version.to_string());
        }
        if let Some(surface) = &record.surface {
            self.surface = Some(surface.to_string());
        }
        if let Some(model) = record.model.as_deref().filter(|it| !matches!(*it, "default" | "auto"))
        {
            self.model = Some(model.to_owned());
        }
        let told = record.decision.as_deref();
        self.denied = self.denied.saturating_add(u64::from(told == Some("deny")));
        self.asked = self.asked.saturating_add(u64::from(told == Some("ask")));
        let roots = record.workspace_roots.iter().chain(&record.cwd);
        for root in roots.map(|root| PathBuf::from(&**root)) {
            // The file system root is not a workspace.
            if root.parent().is_some() && self.roots.len() < MOST && !self.roots.contains(&root) {
                self.roots.push(root);
            }
        }
        if let Some(path) = record.transcript_path.as_deref().map(PathBuf::from) {
            if record.agent.id.is_none() {
                self.main = Some(path);
            } else if self.others.len() < MOST && !self.others.contains(&path) {
                self.others.push(path);
            }
        }
        if let Some(usage) = record.usage {
            self.usage = add(self.usage, usage);
            if !record.again {
                let model = record.model.as_deref().unwrap_or_default();
                self.tokens.add(model, beyond_cache(usage), 0);
            }
        }
    }

    /// The session's tokens: from its records, else from its transcript. `None` if not looked at. `complete`
    /// if all records were read.
    pub(super) fn tokens(
        &mut self,
        session: &Session,
        home: Option<&str>,
        transcripts: bool,
        complete: bool,
    ) -> Option<Tokens> {
        if !complete {
            let rest = Usage {
                input: session.usage.input.saturating_sub(self.usage.input),
                output: session.usage.output.saturating_sub(self.usage.output),
                cache_read: session.usage.cache_read.saturating_sub(self.usage.cache_read),
                cache_write: session.usage.cache_write.saturating_sub(self.usage.cache_write),
            };
            let model = session.model.as_deref().unwrap_or_default();
            if rest != Usage::default() {
                self.tokens.add(model, beyond_cache(rest), 0);
            }
        }
        if !self.tokens.is_empty() {
            return Some(std::mem::take(&mut self.tokens).sorted());
        }
        if !transcripts {
            return None;
        }
        let mut tokens = Tokens::default();
        if has_tokens(&session.host) {
            let mut folders = std::mem::take(&mut self.roots);
            folders.extend(home.map(PathBuf::from));
            let main = self.main.take();
            let others = std::mem::take(&mut self.others);
            let model = session.model.clone();
            tokens = transcript::read(&Wanted { main, others, folders, model });
            if tokens.is_empty() && tokens.notes.is_empty() {
                tokens.notes.push("the host's transcript is not there".to_owned());
            }
        }
        Some(tokens.sorted())
    }
}

fn add(one: Usage, other: Usage) -> Usage {
    Usage {
        input: one.input.saturating_add(other.input),
        output: one.output.saturating_add(other.output),
        cache_read: one.cache_read.saturating_add(other.cache_read),
        cache_write: one.cache_write.saturating_add(other.cache_write),
    }
}

/// Whether the host's transcripts contain token counts.
fn has_tokens(host: &str) -> bool {
    let host: Option<tenter_model::HostId> = host.parse().ok();
    let sessions = host.map(|host| tenter_hosts::host(host).sessions());
    sessions.and_then(|it| it.transcript).is_some_and(|it| it.has_tokens)
}
