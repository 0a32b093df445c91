//! Checks whether a project already depends on a package.

use super::names::Ecosystem;
use crate::scene::Scene;

/// Maximum number of bytes read of a file.
const LIMIT: usize = 4 * 1024 * 1024;
/// Maximum number of parent folders searched.
const FOLDERS: usize = 12;

/// Whether a manifest or lock file in `cwd` or its parents in the workspace names the package.
pub(super) fn names(
    scene: &Scene<'_>,
    cwd: Option<&str>,
    ecosystem: Ecosystem,
    name: &str,
) -> bool {
    let Some(mut folder) = cwd.or(scene.cwd).map(|cwd| cwd.trim_end_matches('/')) else {
        return false;
    };
    let root = scene.places.roots.iter().map(|root| root.trim_end_matches('/')).find(|root| {
        let below = folder.strip_prefix(root);
        below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    });
    for _ in 0..FOLDERS {
        for file in ecosystem.manifests() {
            let text = scene.world.facts.read(&format!("{folder}/{file}"), LIMIT);
            if text.is_some_and(|text| mentions(&text, name)) {
                return true;
            }
        }
        if root.is_none_or(|root| root == folder) {
            return false;
        }
        let Some((above, _)) = folder.rsplit_once('/') else { return false };
        folder = above;
    }
    false
}

/// Whether the text contains the name as a word, ignoring case and separators.
fn mentions(text: &str, name: &str) -> bool {
    let (text, name) = (text.as_bytes(), name.as_bytes());
    let Some((&first, rest)) = name.split_first() else { return false };
    let first = fold(first);
    let mut before = b' ';
    for (at, &byte) in text.iter().enumerate() {
        let starts = fold(byte) == first && !is_part(before);
        before = byte;
        if !starts {
            continue;
        }
        let end = at + 1 + rest.len();
        let fits = text.get(at + 1..end).is_some_and(|found| {
            found.iter().zip(rest).all(|(one, other)| fold(*one) == fold(*other))
        });
        if fits && !text.get(end).is_some_and(|after| is_part(*after)) {
            return true;
        }
    }
    false
}

fn fold(byte: u8) -> u8 {
    match byte {
        b'_' | b'.' => b'-',
        other => other.to_ascii_lowercase(),
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_as_a_whole_word() {
        assert!(mentions("{\"left-pad\": \"^1\"}", "left-pad"));
        assert!(mentions("Left_Pad==1.0\n", "left-pad"));
        assert!(mentions("node_modules/x\n  left@1:", "left"));
        assert!(mentions("\"@me/left\": 1", "@me/left"));
        assert!(!mentions("\"@me/left\": 1", "left"));
        assert!(!mentions("left-pads right-left", "left"));
        assert!(!mentions("", "left"));
    }
}
