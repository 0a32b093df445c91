//! The common property of all decoders; a fault is a panic.

use serde_json::value::RawValue;
use tenter_hosts::{EncodeOptions, Payload};
use tenter_model::{HostId, Verdict};

/// Any payload decodes without a panic, serializes as valid JSON, and gets the host's neutral answer when
/// there is no verdict.
pub fn round_trip(id: HostId, bytes: &[u8]) {
    let payload = Payload::from_bytes(bytes.to_vec());
    let Ok(object) = payload.object() else { return };
    let host = tenter_hosts::host(id);
    let event = host.decode(&object);
    let json = serde_json::to_string(&event).expect("an event can be written as JSON");
    serde_json::from_str::<&RawValue>(&json).expect("an event is written as valid JSON");
    let answer = host.encode(&event, &Verdict::default(), &EncodeOptions::default());
    let neutral = host.neutral(&event.native_event);
    assert_eq!(answer.stdout, neutral, "no verdict means the neutral answer");
}
