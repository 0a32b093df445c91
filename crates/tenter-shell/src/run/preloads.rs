//! Variables that make a program load files before its own work: `NODE_OPTIONS`, `LD_PRELOAD`.

use crate::syntax::Dialect;
use crate::value::Field;
use crate::world::Language;

/// Maximum number of files looked at in one variable.
const MAX_FILES: usize = 8;

/// The language of files that a variable makes this program load first.
pub(super) fn language_of_setting(name: &str, program: &str) -> Option<Language> {
    Some(match name {
        "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" => Language::Other,
        "BASH_ENV" if program == "bash" => Language::Shell(Dialect::Bash),
        "ENV" if matches!(program, "sh" | "dash" | "ksh") => Language::Shell(Dialect::Posix),
        "NODE_OPTIONS" => Language::JavaScript,
        "PYTHONSTARTUP" if program.starts_with("python") => Language::Python,
        "RUBYOPT" => Language::Ruby,
        _ => return None,
    })
}

/// The files in such a variable: a path, several of them, or options that take one.
pub(super) fn files_of_setting(value: &Field) -> Vec<Field> {
    let Some(text) = value.exact() else { return Vec::new() };
    let mut files = Vec::new();
    for word in text.split([' ', ':']).filter(|word| !word.is_empty()).take(MAX_FILES) {
        let options = ["--require=", "--import=", "--loader=", "-r"];
        let file = options.iter().find_map(|option| word.strip_prefix(option)).unwrap_or(word);
        if !file.is_empty() && !file.starts_with('-') {
            files.push(Field::text(file, value.span));
            files.push(Field::text(format!("{file}.rb"), value.span));
        }
    }
    files
}
