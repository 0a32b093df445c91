//! Files changed by a patch.

use super::files::relative;
use crate::call::Call;
use crate::flow::{Source, Stream};
use crate::value::Field;
use crate::world::Use;

/// Files of one patch that are told one by one.
const MAX_FILES: usize = 256;

/// The text of a patch: from the command itself, else from its file.
pub(super) fn text(call: &Call<'_, '_>, changes: &Stream) -> Option<String> {
    if changes.text.is_some() {
        return changes.text.clone();
    }
    let [Source::File(file)] = changes.flow.sources() else { return None };
    call.machine.world.facts.text(file, Use::Patch).map(|found| found.text)
}

/// The files that a patch makes, changes, renames or deletes. Without a number of parts to strip only
/// the last part of a name counts.
pub(super) fn files(text: &str, strip: Option<usize>, base: &Field) -> Vec<Field> {
    let mut files: Vec<Field> = Vec::new();
    for line in text.lines() {
        let marks = ["+++ ", "--- ", "rename to ", "rename from ", "copy to "];
        let Some((mark, name)) =
            marks.iter().find_map(|mark| Some((*mark, line.strip_prefix(mark)?)))
        else {
            continue;
        };
        let name = name.split('\t').next().unwrap_or(name).trim_end().trim_matches('"');
        if name == "/dev/null" || name.is_empty() {
            continue;
        }
        // Git's own lines have no letter in front.
        let strip = if mark.contains(' ') && mark.len() > 4 {
            strip.map(|strip| strip.saturating_sub(1))
        } else {
            strip
        };
        let name = match strip {
            Some(strip) => name.splitn(strip.saturating_add(1), '/').last().unwrap_or(name),
            None => name.rsplit('/').next().unwrap_or(name),
        };
        let file = relative(base, &Field::text(name, base.span));
        if files.len() < MAX_FILES && !files.iter().any(|known| known.shown() == file.shown()) {
            files.push(file);
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;

    #[test]
    fn every_way_to_name_a_file_counts() {
        let text = "diff --git a/x/a b/x/a\n--- a/x/a\n+++ b/x/a\t2026\n@@ -1 +1 @@\n-a\n+b\n\
                    --- a/gone\n+++ /dev/null\nrename from old\nrename to new/name\n";
        let base = Field::text(".", Span::default());
        let names =
            |strip| -> Vec<String> { files(text, strip, &base).iter().map(Field::shown).collect() };
        assert_eq!(names(Some(1)), ["./x/a", "./gone", "./old", "./new/name"]);
        assert_eq!(names(None), ["./a", "./gone", "./old", "./name"]);
    }
}
