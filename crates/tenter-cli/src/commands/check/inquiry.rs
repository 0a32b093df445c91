//! The call to check, in one of several forms.

use std::io::Read;

use tenter_hosts::{Payload, detect, host};
use tenter_model::{Event, HostId, Object};
use tenter_policy::Sample;

use super::Args;
use crate::arguments::MAX_BYTES;
use crate::error::CommandError;
use crate::guard::LocalMachine;

/// Maximum size of a file or stdin.
const MOST: u64 = 64 * 1024 * 1024;

#[derive(Debug)]
pub(super) enum Inquiry {
    Shell(String),
    Read(String),
    Write(String, String),
    Fetch(String),
    Mcp(String),
    Prompt(String),
    /// Host, bytes and source.
    Payload(Option<HostId>, Vec<u8>, String),
}

impl Inquiry {
    pub(super) fn of(args: &Args) -> Result<Self, CommandError> {
        Ok(if let Some(file) = &args.payload {
            if file.as_os_str() == "-" {
                Self::Payload(args.host, stdin()?, "stdin".to_owned())
            } else {
                let shown = file.display().to_string();
                let bytes = tenter_files::read_named(file, MAX_BYTES)
                    .map_err(|error| CommandError::usage(format!("{shown}: {error}")))?;
                Self::Payload(args.host, bytes, shown)
            }
        } else if let Some(path) = &args.read {
            Self::Read(path.clone())
        } else if let Some(path) = &args.write {
            Self::Write(path.clone(), String::from_utf8_lossy(&stdin()?).into_owned())
        } else if let Some(url) = &args.fetch {
            Self::Fetch(url.clone())
        } else if let Some(tool) = &args.mcp {
            Self::Mcp(tool.clone())
        } else if let Some(prompt) = &args.prompt {
            Self::Prompt(prompt.clone())
        } else {
            Self::Shell(args.command.join(" "))
        })
    }

    /// Passes the call as an event to `ask`.
    pub(super) fn with_event<T>(
        &self,
        machine: &LocalMachine,
        ask: impl FnOnce(&Event<'_>) -> T,
    ) -> Result<T, CommandError> {
        let cwd = machine.cwd.as_deref();
        let sample = match self {
            Self::Shell(command) => Sample::Shell(command),
            Self::Read(path) => Sample::Read(path),
            Self::Write(path, content) => Sample::Write(path, content),
            Self::Fetch(url) => Sample::Fetch(url),
            Self::Mcp(tool) => Sample::Mcp(tool),
            Self::Prompt(prompt) => Sample::Prompt(prompt),
            Self::Payload(id, bytes, from) => {
                let payload = Payload::from_bytes(bytes.clone());
                let object = payload.object().map_err(|error| {
                    let fault = error.to_string();
                    let fault = fault
                        .strip_prefix("stdin")
                        .map_or(fault.clone(), |rest| format!("{from}{rest}"));
                    CommandError::usage(fault)
                })?;
                return decode(*id, &object).map(|event| ask(&event));
            }
        };
        Ok(ask(&sample.event(cwd)))
    }
}

/// Decodes a host's payload like `tenter hook`.
pub(in super::super) fn decode<'o>(
    id: Option<HostId>,
    object: &Object<'o>,
) -> Result<Event<'o>, CommandError> {
    let id = match id {
        Some(id) => id,
        None => {
            let detection = detect(object);
            detection.host.ok_or_else(|| CommandError::usage(detection.explain()))?
        }
    };
    Ok(host(id).decode(object))
}

fn stdin() -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MOST)
        .read_to_end(&mut bytes)
        .map_err(|error| CommandError::usage(format!("cannot read standard input: {error}")))?;
    Ok(bytes)
}
