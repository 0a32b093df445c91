//! Library functions that several languages share, beyond what an `Op` says.

use super::fold;
use super::library::{Op, Output};
use super::scan::Scan;
use super::value::{Arguments, Value};
use crate::value::{Field, Part};
use crate::world::Language;

/// A program, and its arguments as one text or a list.
pub(super) fn start_program(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let rest = arguments.list.get(1..).unwrap_or_default();
    let Some(program) = arguments.get(0).cloned() else { return scan.nothing() };
    // What a variable holds was set before.
    if !program.field(span).parts.iter().any(|part| matches!(part, Part::Text { .. })) {
        return scan.nothing();
    }
    let line = match rest {
        [Value::Text(_)] => {
            let list: Vec<Value> = arguments.list.clone();
            fold::join(&list, &Value::text(" ", span), span)
        }
        [] if matches!(program, Value::Text(_)) => program,
        _ => {
            let words = Value::List(arguments.list.clone());
            let all = Arguments { list: vec![words], named: Vec::new(), span };
            return scan.shell(&flattened(&all), Output::Printed);
        }
    };
    // A path of Windows has backslashes, which a shell of Unix takes for escapes.
    let windows = line.exact().is_some_and(|text| {
        let program = text.split(' ').next().unwrap_or_default().to_ascii_lowercase();
        text.contains('\\') || matches!(program.trim_end_matches(".exe"), "cmd" | "powershell")
    });
    if windows {
        let code = line.field(span);
        scan.call.run_code(Language::Cmd, &code);
        return scan.nothing();
    }
    scan.shell(&Arguments { list: vec![line], named: Vec::new(), span }, Output::Printed)
}

/// One list of all words.
fn flattened(arguments: &Arguments) -> Arguments {
    let span = arguments.span;
    let words = arguments.list.iter().flat_map(|value| value.fields(span)).map(Value::Text);
    Arguments { list: vec![Value::List(words.collect())], named: Vec::new(), span }
}

/// Every argument is a word of a command, or a list of words.
pub(super) fn words(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let all = flattened(arguments);
    scan.shell(&all, Output::Printed)
}

/// The same after a context or another thing that is no word.
pub(super) fn words_after(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let list = arguments.list.get(1..).unwrap_or_default().to_vec();
    words(scan, &Arguments { list, named: Vec::new(), span: arguments.span })
}

/// All that is below a folder.
pub(super) fn tree(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    below(scan, arguments, "**")
}

/// Entries of a folder.
pub(super) fn entries(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    below(scan, arguments, "*")
}

fn below(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments, all: &str) -> Value {
    let span = arguments.span;
    let folder = arguments.get(0).cloned().unwrap_or_else(|| scan.nothing());
    let all = super::member::pattern(&Value::text(all, span), span);
    Value::List(vec![fold::path_join(folder, all, span)])
}

/// The folder of a search whose function deletes what it finds.
pub(super) fn walk(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let text = scan.code.text;
    let deletes = ["os.Remove", "unlink(", "rmdir(", "remove("];
    let op =
        if deletes.iter().any(|word| text.contains(word)) { Op::DeleteTree } else { Op::First };
    let list = arguments.list.get(..1).unwrap_or_default().to_vec();
    scan.perform(op, &Arguments { list, named: Vec::new(), span: arguments.span })
}

/// Path, then whether all in it goes too.
pub(super) fn delete_directory(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let told = arguments.get(1).or(arguments.keyword("recursive"));
    let whole = told.is_some_and(|value| match value {
        Value::Name(name) => !matches!(&**name, "false" | "nil" | "False"),
        other => other.is_true(),
    });
    scan.perform(if whole { Op::DeleteTree } else { Op::DeleteDirectory }, arguments)
}

/// Path and flags: `open("x", O_WRONLY | O_APPEND)`.
pub(super) fn open(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let mode = match arguments.get(1) {
        Some(Value::Name(flags)) if flags.contains("APPEND") || flags.contains("Append") => "a",
        Some(Value::Name(flags)) => {
            let writes = ["WRONLY", "RDWR", "TRUNC", "Create", "Truncate", "OpenOrCreate"];
            if writes.iter().any(|word| flags.contains(word)) { "w" } else { "r" }
        }
        Some(Value::Number(1 | 2)) => "w",
        Some(Value::Text(mode)) if mode.exact().is_some() => return scan.open(arguments),
        _ => "r",
    };
    let span = arguments.span;
    let path = arguments.get(0).map_or_else(|| Field::unknown("…", span), |path| path.field(span));
    scan.open_file(path, mode, arguments)
}

/// An open file, then what goes into it.
pub(super) fn write(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let object = |value: &&Value| matches!(value, Value::Object(..));
    let Some(file) = arguments.list.iter().find(object).cloned() else { return scan.nothing() };
    let list = arguments.list.iter().filter(|value| !object(value)).take(1).cloned().collect();
    scan.method(file, "write", &Arguments { list, named: Vec::new(), span: arguments.span })
}

/// What is written stands before the path.
pub(super) fn write_to(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let mut swapped = arguments.clone();
    if swapped.list.len() > 1 {
        swapped.list.swap(0, 1);
    }
    scan.perform(Op::Write, &swapped)
}

/// The address follows the kind of the connection.
pub(super) fn dial(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let list = arguments.list.get(1..).unwrap_or_default().to_vec();
    scan.perform(Op::Connect, &Arguments { list, named: Vec::new(), span: arguments.span })
}

/// All texts in a row.
pub(super) fn concat(scan: &mut Scan<'_, '_, '_, '_>, arguments: &Arguments) -> Value {
    let span = arguments.span;
    let nothing = || Value::text("", span);
    let values = arguments.list.iter().cloned();
    let _ = scan;
    values.reduce(|text, more| text.concat(more, span)).unwrap_or_else(nothing)
}
