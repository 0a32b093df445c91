//! Notebook cells: Python in which lines or whole cells may be for a shell or another language.

use tenter_shell::Language;
use tenter_shell::syntax::Dialect;

/// A parsed cell.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    /// The remaining Python code, with unchanged line count.
    pub python: String,
    pub others: Vec<(String, Language)>,
    /// Files that the cell writes, with content.
    pub written: Vec<(String, String)>,
}

/// Parses a cell; `None` if it is pure Python.
pub(super) fn read(text: &str) -> Option<Cell> {
    let special = |line: &str| {
        let line = line.trim_start();
        line.starts_with(['!', '%']) || assigned(line).is_some()
    };
    if !text.contains(['!', '%']) || !text.lines().any(special) {
        return None;
    }
    let mut cell = Cell::default();
    let mut rest = text;
    // `%%time` and similar magics run the rest of the cell.
    while let Some(magic) = rest.trim_start().strip_prefix("%%") {
        let (line, body) = magic.split_once('\n').unwrap_or((magic, ""));
        let (name, arguments) =
            line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        if !matches!(name, "time" | "timeit" | "capture" | "prun") {
            whole(&mut cell, name, arguments.trim(), body);
            return Some(cell);
        }
        rest = body;
    }
    lines(&mut cell, rest);
    Some(cell)
}

const SHELL: Language = Language::Shell(Dialect::Bash);

/// A cell that is entirely for something else.
fn whole(cell: &mut Cell, name: &str, arguments: &str, body: &str) {
    let program = match name {
        "script" => arguments.split_ascii_whitespace().find(|word| !word.starts_with('-')),
        name => Some(name),
    };
    match program.unwrap_or_default() {
        "writefile" | "file" => {
            let path = arguments.split_ascii_whitespace().find(|word| !word.starts_with('-'));
            let path = path.map(|path| path.trim_matches(['"', '\'']).to_owned());
            cell.written.extend(path.map(|path| (path, body.to_owned())));
        }
        "!" | "sx" | "system" | "shell" => {
            cell.others.push((format!("{arguments}\n{body}"), SHELL));
        }
        name => {
            if let Some(language) = super::language(name) {
                cell.others.push((body.to_owned(), language));
            }
        }
    }
}

fn lines(cell: &mut Cell, text: &str) {
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        let Some(command) = command(assigned(code).unwrap_or(code)) else {
            cell.python.push_str(line);
            cell.python.push('\n');
            continue;
        };
        let mut command = command;
        while let Some(open) = command.strip_suffix('\\') {
            let Some(next) = lines.next() else { break };
            command = format!("{open}{next}");
            cell.python.push('\n');
        }
        cell.python.push('\n');
        cell.others.push((command, SHELL));
    }
}

/// The command in `files = !ls` and `files = %sx ls`.
fn assigned(line: &str) -> Option<&str> {
    let (name, value) = line.split_once('=')?;
    let is_name = name.trim().chars().all(|c| c.is_alphanumeric() || "_, ".contains(c));
    let value = value.trim_start();
    (is_name && !name.trim().is_empty() && value.starts_with(['!', '%'])).then_some(value)
}

/// The shell command of a line.
fn command(line: &str) -> Option<String> {
    if let Some(command) = line.strip_prefix('!') {
        // `!=` does not start a command, nor does the end of a Python line.
        let command = command.trim_start_matches('!');
        return (!command.starts_with('=')).then(|| command.to_owned());
    }
    let magic = line.strip_prefix('%')?;
    let (name, rest) = magic.split_once(char::is_whitespace).unwrap_or((magic, ""));
    match name {
        "sx" | "system" | "sc" => Some(rest.to_owned()),
        "run" => Some(format!("python3 {rest}")),
        "pip" | "conda" | "mamba" | "micromamba" | "uv" | "rm" | "rmdir" | "mv" | "cp"
        | "mkdir" | "ln" | "cat" | "ls" | "less" | "more" => Some(magic.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(text: &str) -> Vec<String> {
        let cell = read(text).unwrap_or_default();
        cell.others.into_iter().map(|(command, _)| command).collect()
    }

    #[test]
    fn commands_are_found_wherever_a_notebook_runs_them() {
        assert_eq!(shell("x = 1\n!ls -l\n  !!id"), ["ls -l", "id"]);
        assert_eq!(shell("files = !ls a\nout = %sx id"), ["ls a", "id"]);
        assert_eq!(
            shell("%system rm x\n%rm -r y\n%pip install z"),
            ["rm x", "rm -r y", "pip install z"]
        );
        assert_eq!(shell("!rm \\\n -r x"), ["rm  -r x"]);
        assert_eq!(shell("%%bash\nrm x\nid"), ["rm x\nid"]);
        assert_eq!(shell("%%time\n%%script bash -e\nrm x"), ["rm x"]);
        assert_eq!(shell("%%!\nrm x"), ["\nrm x"]);
        let written = read("%%writefile -a 'a.sh'\nid\n").unwrap_or_default().written;
        assert_eq!(written, [("a.sh".to_owned(), "id\n".to_owned())]);
    }

    #[test]
    fn python_stays_python() {
        for text in ["x != 1", "print('50%')", "a = 5 % 3\nb = not a", "%matplotlib inline"] {
            assert_eq!(shell(text), [""; 0], "{text}");
        }
        assert_eq!(read("x = 1\n!ls\ny = 2").unwrap_or_default().python, "x = 1\n\ny = 2\n");
    }
}
