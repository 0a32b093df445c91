//! Generates Codex configurations as people write them.

use tenter_setup::edit::read;
use toml_edit::{Document, Item, Table};

use super::choices::Choices;

/// Events as keys of TOML.
const KEYS: [&str; 5] =
    ["PreToolUse", "Stop", "SessionStart", "\"odd event \u{e4}\\\"\"", "'Other'"];

const OTHERS: [&str; 5] = [
    "'./check.sh'",
    "\"echo tenter hook codex # no comment\"",
    "'''tenter run -- \"x\"'''",
    "\"\"\"\n[[hooks.Stop]] # no header\n\\\"\"\"\"\"",
    "7",
];

const OURS: [&str; 3] = [
    "\"tenter hook codex\"",
    "'/old/tenter hook codex --x'",
    "\"\"\"'/a b/tenter' hook codex\"\"\"",
];

/// Notation of the hooks in a file.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Nothing,
    Blocks,
    Table,
    Dotted,
    Inline,
}

/// A whole file; with hooks of ours only if requested.
pub(crate) fn file(choices: &mut Choices, with_ours: bool) -> String {
    let line_end = choices.one_of(&["\n", "\n", "\r\n"]);
    let mark = if choices.one_in(8) { "\u{feff}" } else { "" };
    let forms =
        [Form::Nothing, Form::Blocks, Form::Blocks, Form::Table, Form::Dotted, Form::Inline];
    let form = choices.one_of(&forms);
    let mut lines = Vec::new();
    for index in 0..choices.below(3) {
        lines.push(format!(
            "key{index} = {}",
            choices.one_of(&["1", "\"a#\"", "[ 1, # x\n 2 ]", "1979-05-27"])
        ));
    }
    let mut events: Vec<&str> = KEYS.to_vec();
    events.retain(|_| choices.one_in(3));
    match form {
        Form::Dotted => {
            for event in &events {
                lines.push(format!("hooks.{event} = {}", list(choices, with_ours)));
            }
        }
        Form::Inline => {
            let fields: Vec<String> = events
                .iter()
                .map(|event| format!("{event} = {}", list(choices, with_ours)))
                .collect();
            lines.push(format!("hooks = {{ {} }}", fields.join(", ")));
        }
        Form::Nothing | Form::Blocks | Form::Table => {}
    }
    let mut tables = tables(choices, form, &events, with_ours);
    if choices.one_in(2) {
        tables.reverse();
    }
    lines.extend(tables);
    let mut text = mark.to_owned();
    for line in lines {
        noise(choices, &mut text);
        text.push_str(&line);
        if choices.one_in(8) {
            text.push_str(&format!(" #{}", choices.note()));
        }
        text.push('\n');
    }
    noise(choices, &mut text);
    if choices.one_in(3) {
        text.truncate(text.trim_end_matches('\n').len());
    }
    text.replace('\n', line_end)
}

/// Tables in any order, each as one text.
fn tables(choices: &mut Choices, form: Form, events: &[&str], with_ours: bool) -> Vec<String> {
    let mut tables = Vec::new();
    if choices.one_in(2) {
        tables.push("[features]\nhooks = true # yes".to_owned());
    }
    if form == Form::Table {
        let mut table = "[hooks]".to_owned();
        for event in events {
            table.push_str(&format!("\n{event} = {}", list(choices, with_ours)));
        }
        tables.push(table);
    }
    if form == Form::Blocks {
        for event in events {
            for _ in 0..choices.below(3) {
                tables.push(block(choices, event, with_ours));
            }
        }
    }
    if form != Form::Inline && choices.one_in(2) {
        let state = "[hooks.state.\"/x/config.toml:stop:0:0\"]\ntrusted_hash = \"sha256:tenter hook codex\"";
        tables.push(state.to_owned());
    }
    if choices.one_in(3) {
        tables
            .push("  [ projects . \"/tenter hook codex\" ]\n  trust_level = 'trusted'".to_owned());
    }
    tables
}

fn block(choices: &mut Choices, event: &str, with_ours: bool) -> String {
    let mut text = format!("[[hooks.{event}]]");
    if choices.one_in(3) {
        text.push_str("\nmatcher = \"Bash\" # m");
    }
    if choices.one_in(6) {
        text.push_str("\ndescription = 'd'");
    }
    if choices.one_in(4) {
        text.push_str(&format!("\nhooks = {}", handlers(choices, with_ours)));
        return text;
    }
    for _ in 0..choices.below(3) {
        noise(choices, &mut text);
        text.push_str(&format!("\n[[hooks.{event}.hooks]]"));
        for (name, value) in handler(choices, with_ours) {
            text.push_str(&format!("\n{name} = {value}"));
            if choices.one_in(9) {
                text.push_str(&format!(" #{}", choices.note()));
            }
        }
        if choices.one_in(9) {
            text.push_str(&format!("\n[hooks.{event}.hooks.env]\nA = 1"));
        }
    }
    text
}

fn list(choices: &mut Choices, with_ours: bool) -> String {
    let mut groups = Vec::new();
    for _ in 0..choices.below(4) {
        let matcher = choices.one_of(&["", "matcher = 'Bash', ", ""]);
        let handlers = handlers(choices, with_ours);
        groups.push(match choices.below(8) {
            6 => format!("{{hooks={handlers},d=1}}"),
            7 => "7".to_owned(),
            _ => format!("{{ {matcher}hooks = {handlers} }}"),
        });
    }
    array(choices, &groups)
}

fn handlers(choices: &mut Choices, with_ours: bool) -> String {
    let mut handlers = Vec::new();
    for _ in 0..choices.below(3) {
        let fields: Vec<String> = handler(choices, with_ours)
            .into_iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        handlers.push(format!("{{ {} }}", fields.join(", ")));
    }
    array(choices, &handlers)
}

fn array(choices: &mut Choices, items: &[String]) -> String {
    match choices.below(5) {
        0 => format!("[{}]", items.join(",")),
        1 => format!("[ {} ]", items.join(", ")),
        2 => format!("[\n  {}\n]", items.join(",\n  ")),
        3 => format!("[ #{}\n\t{}]", choices.note(), items.join(", ")),
        _ if items.is_empty() => "[\n]".to_owned(),
        _ => format!("[\n  {}, # end{}\n]", items.join(",\n  "), choices.note()),
    }
}

fn handler(choices: &mut Choices, with_ours: bool) -> Vec<(&'static str, &'static str)> {
    let is_ours = with_ours && choices.one_in(3);
    let command = if is_ours { choices.one_of(&OURS) } else { choices.one_of(&OTHERS) };
    let mut fields = vec![("command", command)];
    if choices.one_in(2) {
        fields.insert(0, ("type", "'command'"));
    }
    if choices.one_in(3) {
        fields.push(("timeout", "15"));
    }
    if choices.one_in(9) {
        fields.push(("a.b", "true"));
    }
    fields
}

/// Sometimes adds an empty line or a comment.
fn noise(choices: &mut Choices, text: &mut String) {
    match choices.below(6) {
        0 | 1 => text.push('\n'),
        2 if choices.one_in(2) => text.push_str(&format!("\n\n# note{}\n", choices.note())),
        _ => {}
    }
    if !text.is_empty() && !text.ends_with(['\n', '\u{feff}']) {
        text.push('\n');
    }
}

pub(crate) fn comments(text: &str) -> Vec<String> {
    let mut comments = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['#', '"', '\'']) {
        rest = &rest[at..];
        let quote = rest.chars().next().unwrap();
        let triple = String::from(quote).repeat(3);
        let length = if quote == '#' {
            let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
            comments.push(rest[..end].to_owned());
            end
        } else if rest.starts_with(&triple) {
            let end = (3..rest.len()).find(|end| {
                let is_end = rest.get(*end..).is_some_and(|tail| tail.starts_with(&triple));
                is_end
                    && (quote == '\'' || is_free(rest, *end))
                    && !rest[*end + 3..].starts_with(quote)
            });
            end.map_or(rest.len(), |end| end + 3)
        } else {
            let mut ends = rest.match_indices(quote).skip(1).map(|(at, _)| at);
            ends.find(|end| quote == '\'' || is_free(rest, *end)).map_or(rest.len(), |end| end + 1)
        };
        rest = &rest[length..];
    }
    comments
}

/// Whether the text at this position is not escaped by a backslash.
fn is_free(text: &str, at: usize) -> bool {
    text[..at].chars().rev().take_while(|character| *character == '\\').count() % 2 == 0
}

pub(crate) fn rest(text: &str) -> String {
    let parsed = Document::parse(text).unwrap();
    let mut told = Vec::new();
    for (name, item) in parsed.iter() {
        if name == "hooks" {
            let state = item.get("state").map(plain);
            told.push(format!("state {state:?}"));
        } else {
            told.push(format!("{name} {}", plain(item)));
        }
    }
    told.retain(|told| told != "state None");
    told.sort();
    told.join("\n")
}

/// A value without surrounding blanks and comments.
fn plain(item: &Item) -> String {
    let table = |table: &Table| {
        let fields = table.iter().map(|(name, item)| format!("{name}={}", plain(item)));
        fields.collect::<Vec<_>>().join(";")
    };
    match item {
        Item::None => String::new(),
        Item::Value(value) => value.clone().decorated("", "").to_string(),
        Item::Table(inner) => format!("[{}]", table(inner)),
        Item::ArrayOfTables(tables) => tables.iter().map(table).collect::<Vec<_>>().join("|"),
    }
}

pub(crate) fn is_forgotten(text: &str) -> bool {
    let body = text.trim_start_matches('\u{feff}');
    let is_inline = body.lines().any(|line| line.starts_with("hooks = {"));
    is_inline && body.contains("[]")
}

/// A file after somebody added comments or a handler.
pub(crate) fn reformatted(choices: &mut Choices, text: &str) -> String {
    let mut changed = String::new();
    if choices.one_in(3) {
        changed = format!("{text}\n[[hooks.Stop.hooks]]\ncommand = 'mine'\n");
    } else {
        for line in text.split_inclusive('\n') {
            if choices.one_in(8) {
                changed.push_str(&format!("# new{}\n", choices.note()));
            }
            changed.push_str(line);
        }
    }
    // A comment may have landed inside a string, and a handler needs a group before it.
    if read(&changed, &super::CODEX).is_ok() { changed } else { text.to_owned() }
}
