//! A home with its own record.

use std::path::PathBuf;

use tempfile::TempDir;
use tenter_audit::Spool;
use tenter_testkit::{Ran, Tenter};

pub(crate) const HOUR: u64 = 3_600_000;

pub(crate) struct Scratch(TempDir);

/// The JSON of a record; `more` is JSON after a comma. An empty session name means no session.
pub(crate) fn line(host: &str, session: &str, at: u64, event: &str, more: &str) -> String {
    let session = match session {
        "" => String::new(),
        id => format!(",\"session_id\":\"{id}\""),
    };
    format!(
        "{{\"v\":1,\"at\":{at},\"level\":\"standard\",\"host\":\"{host}\",\"event\":\"{event}\",\
         \"native_event\":\"{event}\"{session},\"us\":{{\"total\":350}}{more}}}"
    )
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let scratch = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir(scratch.path("home")).unwrap();
        scratch
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn spool(&self) -> Spool {
        Spool::of_state(&self.path("home/.local/state/tenterhook"))
    }

    pub(crate) fn append(&self, line: &str) {
        self.spool().append(line.to_owned(), false).unwrap();
    }

    /// Content of the current segment.
    pub(crate) fn stored(&self) -> String {
        std::fs::read_to_string(self.spool().folder().join("current.jsonl")).unwrap()
    }

    pub(crate) fn run(&self, line: &str) -> Ran {
        self.run_as(env!("CARGO_BIN_EXE_tenter"), line, &[])
    }

    pub(crate) fn run_as(&self, program: &str, line: &str, variables: &[(&str, &str)]) -> Ran {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = Tenter::new(program).command(&words);
        command.env("HOME", self.path("home")).env("TZ", "UTC").current_dir("/");
        for name in ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied());
        Tenter::finish(command, "")
    }
}
