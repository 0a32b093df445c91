//! Translates the native hook JSON of each host to and from the unified event and verdict.
//!
//! A host is one folder. It decodes ([`Host::decode`]) and encodes ([`Host::encode`]) in memory only;
//! [`author`] is the one module here that reads stdin and writes stdout.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

#[cfg(all(feature = "invented-host", not(debug_assertions)))]
compile_error!("the invented host is for tests and must not ship");

pub mod author;
mod bridge;
mod capability;
pub mod claude;
mod claude_shape;
pub mod codex;
pub mod cursor;
mod detect;
mod encode;
mod fail;
pub mod gemini;
mod host;
pub mod install;
#[cfg(feature = "invented-host")]
mod invented;
pub mod lint;
pub mod matrix;
mod one_line;
mod payload;
pub mod qwen;
mod reader;
mod reply;
pub mod sessions;
pub mod takeover;
mod tool_input;
mod tools;
pub mod trial;

pub use bridge::{Bridge, Decoded, Handled, Outcome};
pub use capability::{Cap, Confidence, EventSpec, InputWith, Way};
pub use claude::Claude;
pub use codex::Codex;
pub use cursor::Cursor;
pub use detect::{Detection, FOREIGN, MARGIN, Signal, THRESHOLD, detect, spoken};
pub use encode::{Answer, AskFallback, AskOption, Draft, EncodeOptions};
pub use gemini::Gemini;
pub use host::{Exits, Host, Profile};
pub use one_line::one_line;
pub use payload::{Payload, PayloadError, sniff_event_name};
pub use qwen::Qwen;
pub use tenter_model as model;
pub use tenter_model::FailMode;

use tenter_model::HostId;

/// The host with this id. Hosts are registered here and nowhere else.
pub fn host(id: HostId) -> &'static dyn Host {
    match id {
        HostId::Cursor => &Cursor,
        HostId::Claude => &Claude,
        HostId::Codex => &Codex,
        HostId::Gemini => &Gemini,
        HostId::Qwen => &Qwen,
        #[cfg(feature = "invented-host")]
        HostId::Invented => &invented::Invented,
    }
}
