//! Session files of Cursor; they are undocumented and hold no token counts.

use std::path::Path;

use crate::sessions::{Sessions, Trace};

pub(super) const SESSIONS: Sessions = Sessions {
    traces: &[
        Trace { folder: "projects", levels: 4, is: is_transcript },
        Trace { folder: "chats", levels: 3, is: is_transcript },
    ],
    of_project: None,
    certain: false,
    transcript: None,
};

fn is_transcript(name: &str) -> bool {
    let ending = Path::new(name).extension();
    ending.is_some_and(|ending| ["jsonl", "txt", "db"].iter().any(|known| ending == *known))
}
