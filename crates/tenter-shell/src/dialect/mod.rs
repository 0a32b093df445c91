//! Shells that are not of the Bourne family: PowerShell and cmd.exe.

mod cmd;
mod powershell;
mod recognise;
mod shape;
#[cfg(test)]
mod testing;

pub(crate) use cmd::judge as cmd;
pub(crate) use powershell::{encoded, judge as powershell};
pub(crate) use recognise::{has_arguments, is_no_program, recognise};

use crate::budget::{Budget, MAX_VALUE};
use crate::call::Call;
use crate::flow::Stream;
use crate::value::{Field, Part};
use crate::world::Language;

/// Maximum nesting of code in one dialect.
const MAX_DEPTH: usize = 60;

/// Appends the value of a variable. Variables that double each other must not fill the memory: a value that
/// becomes too long is unknown.
fn append(field: &mut Field, value: Field, budget: &mut Budget) {
    let size = |field: &Field| -> usize {
        let text = |part: &Part| if let Part::Text { text, .. } = part { text.len() } else { 1 };
        field.parts.iter().map(text).sum()
    };
    let added = size(&value);
    field.flow.join(&value.flow);
    if !budget.spend(1 + added / 16) || size(field).saturating_add(added) > MAX_VALUE {
        field.parts = Field::unknown("…", field.span).parts;
        return;
    }
    for part in value.parts {
        field.push(part);
    }
}

/// A variable of the environment, in small letters: what is known of it, or what Windows sets.
fn setting(world: &crate::world::Surroundings<'_>, name: &str) -> Option<String> {
    let known = world.variables.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    if let Some((_, value)) = known {
        return Some((*value).to_owned());
    }
    let home = world.home.filter(|home| crate::drive::is_windows(home)).unwrap_or("C:/Users/me");
    Some(match name {
        "userprofile" | "home" | "homepath" => return world.home.map(str::to_owned),
        "temp" | "tmp" => format!("{home}/AppData/Local/Temp"),
        "localappdata" => format!("{home}/AppData/Local"),
        "appdata" => format!("{home}/AppData/Roaming"),
        "username" => home.rsplit(['/', '\\']).next().unwrap_or_default().to_owned(),
        "programfiles" => "C:/Program Files".to_owned(),
        "programdata" | "allusersprofile" => "C:/ProgramData".to_owned(),
        "public" => "C:/Users/Public".to_owned(),
        "systemroot" | "windir" => "C:/Windows".to_owned(),
        "comspec" => "C:/Windows/System32/cmd.exe".to_owned(),
        "systemdrive" | "homedrive" => "C:".to_owned(),
        _ => return None,
    })
}

/// Replaces backslashes by slashes, so that paths can be compared.
fn path_field(field: &Field) -> Field {
    let mut field = field.clone();
    for part in &mut field.parts {
        if let Part::Text { text, at } = part
            && text.contains('\\')
        {
            *text = text.replace('\\', "/");
            *at = None;
        }
    }
    field
}

/// Runs a program that is not part of the shell.
fn run_native(call: &mut Call<'_, '_>, argv: &[Field], stdin: Stream) -> Stream {
    call.ran_other = true;
    let Some((first, rest)) = argv.split_first() else {
        return Stream::empty();
    };
    let mut program = path_field(first);
    // Names of programs are no patterns here.
    if program.has_glob() {
        program = Field::text(program.shown(), first.span);
    }
    let ending = program.suffix().rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let language = match ending.as_deref() {
        Some("bat" | "cmd") => Some(Language::Cmd),
        Some("ps1") => Some(Language::PowerShell),
        _ => None,
    };
    // A script that was written just now.
    if let Some(language) = language {
        let path = call.machine.path(&program);
        if let Some(content) = call.machine.code_of(&path, crate::world::Use::Script, first.span) {
            let index = call.machine.record(&program.shown(), argv);
            let via = program.shown();
            return call.machine.run_stream(&via, language, &content, first.span, Some(index));
        }
    }
    let slashes = |part: &Part| matches!(part, Part::Text { text, .. } if text.contains('\\'));
    if !first.parts.iter().any(slashes) && !first.has_glob() {
        return call.machine.execute(argv, stdin);
    }
    let mut argv = vec![program];
    argv.extend_from_slice(rest);
    call.machine.execute(&argv, stdin)
}

/// Lists a command of the shell itself, and lets the effects that follow belong to it.
fn begin(call: &mut Call<'_, '_>, name: &str, argv: &[Field]) -> Option<u32> {
    call.ran_other = true;
    let index = call.machine.record(name, argv);
    call.index.replace(index)
}
