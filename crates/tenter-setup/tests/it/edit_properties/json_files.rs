//! Generates JSON files as people and programs write them.

use serde_json::Value;
use tenter_hosts::install::Shape;

use super::EVENTS;
use super::choices::Choices;

enum Tree {
    Leaf(&'static str),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

use Tree::{Leaf, List, Object};

fn object<const N: usize>(fields: [(&str, Tree); N]) -> Tree {
    Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Foreign commands, some similar to ours.
const OTHERS: [&str; 6] = [
    r#""./check.sh""#,
    r#""echo tenter hook cursor""#,
    r#""tenter run -- x""#,
    r#""a \"b\" \\ // no comment /* at all""#,
    r#""\u00e4\ud83d\ude00""#,
    "7",
];

const OURS: [&str; 4] = [
    r#""tenter hook cursor""#,
    r#""/old/place/tenter hook claude --on-failure ask""#,
    r#""'/a b/tenter' hook \u0063odex""#,
    r#""C:\\x\\tenter.exe hook cursor""#,
];

/// A whole file; with hooks of ours only if requested.
pub(crate) fn file(choices: &mut Choices, shape: Shape, with_ours: bool) -> String {
    let line_end = choices.one_of(&["\n", "\n", "\r\n"]);
    let mark = if choices.one_in(8) { "\u{feff}" } else { "" };
    let end = choices.one_of(&["\n", "", "\n\n", " "]).replace('\n', line_end);
    if choices.one_in(20) {
        let nothing = ["", "// 1\n", " \n ", "/* 1 */ /* 2 */"];
        return format!("{mark}{}{end}", choices.one_of(&nothing).replace('\n', line_end));
    }
    let root = root(choices, shape, with_ours);
    let unit = choices.one_of(&["  ", "\t", "    ", ""]);
    let is_multi = !choices.one_in(4);
    let is_tight = !is_multi && choices.one_in(2);
    let mut writer = Writer {
        is_noisy: choices.one_in(2),
        choices,
        text: mark.to_owned(),
        line_end,
        unit,
        is_multi,
        is_tight,
    };
    writer.noise(0);
    writer.tree(&root, 0);
    writer.noise(0);
    writer.text + &end
}

fn root(choices: &mut Choices, shape: Shape, with_ours: bool) -> Tree {
    let mut fields: Vec<(String, Tree)> = Vec::new();
    for _ in 0..choices.below(6) {
        let (name, value) = match choices.below(7) {
            0 => ("model", Leaf("\"m\"")),
            1 => ("version", Leaf(choices.one_of(&["1", "1", "2"]))),
            2 => (
                "permissions",
                object([("allow", List(vec![Leaf("\"Bash(ls)\""), Leaf("-1.5e3")]))]),
            ),
            3 => ("note", object([("hooks", List(vec![]))])),
            4 => ("x", Leaf("null")),
            _ => ("hooks", hooks(choices, shape, with_ours)),
        };
        fields.push((name.to_owned(), value));
    }
    Object(fields)
}

fn hooks(choices: &mut Choices, shape: Shape, with_ours: bool) -> Tree {
    let mut events = Vec::new();
    for _ in 0..choices.below(5) {
        let event = choices.one_of(&EVENTS);
        let event = if choices.one_in(9) { "Odd" } else { event };
        let mut list = Vec::new();
        for _ in 0..choices.below(4) {
            list.push(element(choices, shape, with_ours));
        }
        events.push((event.to_owned(), List(list)));
    }
    Object(events)
}

fn element(choices: &mut Choices, shape: Shape, with_ours: bool) -> Tree {
    if choices.one_in(12) {
        return Leaf("\"junk\"");
    }
    if shape == Shape::Entries {
        return handler(choices, true, with_ours);
    }
    let mut group = Vec::new();
    if choices.one_in(2) {
        group.push(("matcher".to_owned(), Leaf(choices.one_of(&["\"Bash\"", "\"*\"", "7"]))));
    }
    let mut handlers = Vec::new();
    for _ in 0..choices.below(4) {
        handlers.push(handler(choices, false, with_ours));
    }
    if !choices.one_in(9) {
        group.push(("hooks".to_owned(), List(handlers)));
    }
    if choices.one_in(6) {
        group.push(("description".to_owned(), Leaf("\"d\"")));
    }
    Object(group)
}

fn handler(choices: &mut Choices, has_matcher: bool, with_ours: bool) -> Tree {
    let is_ours = with_ours && choices.one_in(3);
    let command = if is_ours { choices.one_of(&OURS) } else { choices.one_of(&OTHERS) };
    let mut fields = Vec::new();
    if choices.one_in(2) {
        fields.push(("type", Leaf("\"command\"")));
    }
    fields.push(("command", Leaf(command)));
    if choices.one_in(4) {
        fields.push(("timeout", Leaf("15")));
    }
    if choices.one_in(6) {
        fields.push(("env", object([("A", List(vec![object([])]))])));
    }
    if has_matcher && choices.one_in(3) {
        fields.push(("matcher", Leaf("\"Bash\"")));
    }
    if is_ours && choices.one_in(8) {
        fields.insert(0, ("command", Leaf("\"hidden by the last\"")));
    }
    Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

struct Writer<'c> {
    choices: &'c mut Choices,
    text: String,
    line_end: &'static str,
    unit: &'static str,
    is_multi: bool,
    /// No optional whitespace at all.
    is_tight: bool,
    /// Comments and blanks anywhere.
    is_noisy: bool,
}

impl Writer<'_> {
    fn tree(&mut self, tree: &Tree, depth: usize) {
        match tree {
            Leaf(text) => self.text.push_str(text),
            List(items) => {
                let items: Vec<_> = items.iter().map(|item| (None, item)).collect();
                self.brackets(['[', ']'], &items, depth);
            }
            Object(fields) => {
                let fields: Vec<_> =
                    fields.iter().map(|(name, value)| (Some(name), value)).collect();
                self.brackets(['{', '}'], &fields, depth);
            }
        }
    }

    fn brackets(
        &mut self,
        [open, close]: [char; 2],
        items: &[(Option<&String>, &Tree)],
        depth: usize,
    ) {
        self.text.push(open);
        let is_multi = self.is_multi && !self.choices.one_in(6);
        let padding = if self.choices.one_in(4) { " " } else { "" };
        for (index, (name, value)) in items.iter().enumerate() {
            self.noise(depth + 1);
            match (is_multi, index) {
                (true, _) => self.new_line(depth + 1),
                (false, 0) => self.text.push_str(padding),
                (false, _) if !self.is_tight => self.text.push(' '),
                (false, _) => {}
            }
            if let Some(name) = name {
                self.text.push_str(&Value::from(name.as_str()).to_string());
                self.noise(depth + 1);
                self.text.push_str(if self.is_tight { ":" } else { ": " });
                self.noise(depth + 1);
            }
            self.tree(value, depth + 1);
            self.noise(depth + 1);
            let is_last = index + 1 == items.len();
            if !is_last || self.choices.one_in(8) {
                self.text.push(',');
            }
            if is_multi && self.choices.one_in(10) {
                let note = self.choices.note();
                self.text.push_str(&format!(" //{note}"));
                self.new_line(depth);
            }
        }
        self.noise(depth);
        match (items.is_empty(), is_multi) {
            (true, _) if self.choices.one_in(5) => self.new_line(depth),
            (true, _) => {}
            (false, true) => self.new_line(depth),
            (false, false) => self.text.push_str(padding),
        }
        self.text.push(close);
    }

    fn new_line(&mut self, depth: usize) {
        if self.choices.one_in(16) {
            self.text.push_str(self.line_end);
        }
        self.text.push_str(self.line_end);
        self.text.push_str(&self.unit.repeat(depth));
    }

    /// Sometimes adds a comment or blank where JSON allows it.
    fn noise(&mut self, depth: usize) {
        if !self.is_noisy || !self.choices.one_in(7) {
            return;
        }
        match self.choices.below(5) {
            0 => self.text.push(' '),
            1 => self.new_line(depth),
            2 | 3 => {
                let note = self.choices.note();
                self.text.push_str(&format!("/*{note}*/"));
            }
            _ => {
                let note = self.choices.note();
                self.text.push_str(&format!("//{note}"));
                self.new_line(depth);
            }
        }
    }
}

/// The tokens of a file: brackets, commas, strings, numbers and comments.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let mut escaped = false;
                let end = rest.char_indices().skip(1).find(|(_, character)| {
                    let is_end = *character == '"' && !escaped;
                    escaped = *character == '\\' && !escaped;
                    is_end
                });
                end.map_or(rest.len(), |(at, _)| at + 1)
            }
            '/' if rest.starts_with("//") => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '/' => {
                rest.get(2..).and_then(|inner| inner.find("*/")).map_or(rest.len(), |end| end + 4)
            }
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => rest
                .find(|other: char| other.is_whitespace() || "{}[],:\"/".contains(other))
                .unwrap_or(rest.len()),
        };
        let (word, others) = rest.split_at(length.max(1));
        words.push(word);
        rest = others.trim_start();
    }
    words
}

fn is_comment(word: &str) -> bool {
    word.starts_with('/')
}

pub(crate) fn comments(text: &str) -> Vec<String> {
    words(text).into_iter().filter(|word| is_comment(word)).map(str::to_owned).collect()
}

/// The keys of the root in order, with the tokens of their values.
fn keys(text: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = words(text).into_iter().filter(|word| !is_comment(word)).collect();
    let mut keys: Vec<(String, String)> = Vec::new();
    let mut depth = 0;
    for (index, word) in words.iter().enumerate() {
        let before = depth;
        match *word {
            "{" | "[" => depth += 1,
            "}" | "]" => depth -= 1,
            _ => {}
        }
        if before == 1 && words.get(index + 1) == Some(&":") {
            keys.push(((*word).to_owned(), String::new()));
        } else if (depth, *word) != (1, ",")
            && (depth, *word) != (0, "}")
            && let Some((_, value)) = keys.last_mut()
        {
            value.push_str(word);
        }
    }
    keys
}

pub(crate) fn rest(text: &str, required: &[(&str, &str)]) -> String {
    let is_required = |name: &str, value: &str| {
        required
            .iter()
            .any(|(key, wanted)| name == format!("\"{key}\"") && value == format!(":{wanted}"))
    };
    let keys = keys(text).into_iter();
    let others = keys.filter(|(name, value)| name != "\"hooks\"" && !is_required(name, value));
    others.map(|(name, value)| name + &value + "\n").collect()
}

pub(crate) fn is_forgotten(text: &str, required: &[(&str, &str)]) -> bool {
    let keys = keys(text);
    let has = |name: &str| keys.iter().any(|(key, _)| *key == format!("\"{name}\""));
    let lacks =
        required.iter().any(|(name, _)| !has(name)) || (!required.is_empty() && !has("hooks"));
    let is_nothing = !text.contains('{');
    lacks || is_nothing || text.contains("[]") || text.contains("{}")
}

/// A file after reformatting, or after somebody moved things and added comments.
pub(crate) fn reformatted(choices: &mut Choices, text: &str) -> String {
    let line_end = choices.one_of(&["\n", "\r\n"]);
    if choices.one_in(3)
        && let Ok(mut value) = serde_json::from_str::<Value>(text)
    {
        if let Some(events) = value.get_mut("hooks").and_then(Value::as_object_mut) {
            for list in events.values_mut().filter_map(Value::as_array_mut) {
                list.reverse();
            }
        }
        return format!("{value:#}\n").replace('\n', line_end);
    }
    let mut formatted = String::new();
    let mut depth: usize = 0;
    let is_multi = choices.one_in(2);
    let mut after_line_comment = false;
    for word in words(text) {
        depth = depth.saturating_sub(usize::from(word == "}" || word == "]"));
        if after_line_comment || (is_multi && !",:".contains(word)) {
            formatted.push_str(line_end);
            formatted.push_str(&"   ".repeat(depth));
        } else if choices.one_in(5) {
            formatted.push(' ');
        }
        if choices.one_in(12) {
            formatted.push_str(&format!("/*new{}*/", choices.note()));
        }
        formatted.push_str(word);
        after_line_comment = word.starts_with("//");
        depth += usize::from(word == "{" || word == "[");
    }
    formatted + line_end
}
