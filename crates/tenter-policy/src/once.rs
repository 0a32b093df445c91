//! The code with which the user allows one call.

use tenter_model::hash::PartsHash;
use tenter_model::{Action, Body};

use crate::scene::Scene;

/// Without letters that look like digits.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A short hash of exactly this call in this folder: eight characters, `K3F9-2QXA`.
pub(crate) fn code(scene: &Scene<'_>) -> String {
    let mut hash = PartsHash::default();
    let mut part = |text: &str| hash.part(text);
    part(scene.cwd.unwrap_or_default());
    if let Some(call) = scene.event.tool_call() {
        part(call.tool.as_str());
        for action in &call.actions {
            match action {
                Action::Shell { command, .. } => part(&command.get()),
                other => part(&format!("{other:?}")),
            }
        }
        for (key, value) in &call.input {
            part(key);
            part(value.get());
        }
    }
    if let Body::UserPromptSubmit { prompt, .. } = &scene.event.body {
        part(&prompt.get());
    }
    let bits = hash.first::<5>().iter().fold(0u64, |bits, byte| (bits << 8) | u64::from(*byte));
    let letter = |index: u32| {
        let at = usize::try_from((bits >> (35 - 5 * index)) & 31).unwrap_or_default();
        ALPHABET.get(at).map_or('0', |letter| char::from(*letter))
    };
    let letters: String = (0..8).map(letter).collect();
    let (left, right) = letters.split_at_checked(4).unwrap_or((&letters, ""));
    format!("{left}-{right}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sample, World};

    fn code_of(command: &str, cwd: &str) -> String {
        let event = Sample::Shell(command).event(Some(cwd));
        code(&Scene::new(&event, &World::default()))
    }

    #[test]
    fn a_code_is_bound_to_command_and_folder() {
        let code = code_of("rm -rf /", "/a");
        assert_eq!(code, code_of("rm -rf /", "/a"));
        assert_ne!(code, code_of("rm -rf / ", "/a"));
        assert_ne!(code, code_of("rm -rf /", "/b"));
        assert_eq!(code.len(), 9);
    }
}
