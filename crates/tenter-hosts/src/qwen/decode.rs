//! Qwen Code's payloads.

use tenter_model::{Event, HostId, Object};

use crate::claude_shape;

pub(super) fn decode<'a>(object: &Object<'a>) -> Event<'a> {
    claude_shape::decode(HostId::Qwen, object, claude_shape::tool_call)
}
