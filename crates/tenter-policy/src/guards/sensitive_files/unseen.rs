//! Whether what a program reads of a file of secrets is seen by nobody: counted, cut down to the names, or kept in
//! a variable that is not printed.

use tenter_shell::{Field, Ran, Role, Source};

use crate::scene::Scene;

/// Maximum length of a pipeline that is followed.
const MAX_PIPELINE: usize = 8;

pub(super) fn is_unseen(scene: &Scene<'_>, ran: &Ran, file: &str) -> bool {
    let Some(command) = scene.command.as_deref() else {
        return false;
    };
    let behind = command.get(ran.span.range().end..).unwrap_or_default();
    tenter_shell::is_hidden_by(behind)
        || is_counted(scene, command, ran)
        || is_kept(scene, command, ran, file)
}

/// `grep KEY .env | wc -l`, `cat .env | cut -d= -f1`
fn is_counted(scene: &Scene<'_>, command: &str, ran: &Ran) -> bool {
    let mut ran = ran;
    for _ in 0..MAX_PIPELINE {
        let Some(next) = next_of(scene, command, ran) else {
            return false;
        };
        if next.is(Role::Counts) || next.shows_names_only() {
            return true;
        }
        if !next.is(Role::Filters) {
            return false;
        }
        ran = next;
    }
    false
}

/// The program that reads what this one prints.
fn next_of<'s>(scene: &'s Scene<'_>, command: &str, ran: &Ran) -> Option<&'s Ran> {
    let end = ran.span.range().end;
    let rest = command.get(end..)?.trim_start();
    let rest = ["2>/dev/null", "2> /dev/null"]
        .iter()
        .find_map(|none| rest.strip_prefix(none))
        .unwrap_or(rest);
    let piped = rest.trim_start().strip_prefix('|').filter(|rest| !rest.starts_with(['|', '&']))?;
    let start = command.len().checked_sub(piped.trim_start().len())?;
    scene.analysis.commands.iter().find(|next| next.span.range().start == start)
}

/// `X=$(grep KEY .env)`, where the variable is not printed.
fn is_kept(scene: &Scene<'_>, command: &str, ran: &Ran, file: &str) -> bool {
    let before = command.get(..ran.span.range().start).unwrap_or_default();
    let Some((outside, inside)) = before.rsplit_once("$(") else {
        return false;
    };
    let assigned = outside.trim_end_matches('"').ends_with('=') && !inside.contains([')', '`']);
    let holds = |field: &Field| {
        let is_it = |source: &Source| matches!(source, Source::File(known) if **known == *file);
        field.flow.sources().iter().any(is_it)
    };
    // `${#X}` is its length.
    let length = |field: &Field| {
        command
            .get(field.span.range())
            .is_some_and(|text| text.contains("${#") && text.matches('$').count() == 1)
    };
    let tells = |ran: &Ran| {
        let talks = ran.is(Role::Prints);
        talks && ran.argv.iter().any(|field| holds(field) && !length(field))
    };
    assigned && !scene.analysis.commands.iter().any(tells)
}
