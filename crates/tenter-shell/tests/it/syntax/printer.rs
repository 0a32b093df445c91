//! Trees on one line. Unquoted text stands as it is, quoted text between `'`; `[...]` is a simple
//! command, and each error is a `!` with the text it is about at the end.

use std::fmt::Write;

use tenter_shell::syntax::Parsed;
use tenter_shell::syntax::ast::*;

pub(crate) fn print(parsed: &Parsed) -> String {
    let mut out = script(&parsed.script);
    for error in &parsed.errors {
        let _ = write!(out, " !{}..{}", error.span.start, error.span.end);
        if error.too_deep {
            out += " deep";
        }
    }
    out
}

pub(crate) fn script(script: &Script) -> String {
    let items: Vec<String> = script
        .items
        .iter()
        .map(|item| {
            let mut out = pipeline(&item.first);
            for (connector, next) in &item.rest {
                out += if *connector == Connector::And { " && " } else { " || " };
                out += &pipeline(next);
            }
            if item.background {
                out += " &";
            }
            out
        })
        .collect();
    items.join("; ")
}

fn pipeline(pipeline: &Pipeline) -> String {
    let mut out = String::new();
    if pipeline.timed {
        out += "time ";
    }
    if pipeline.negated {
        out += "! ";
    }
    for (index, next) in pipeline.commands.iter().enumerate() {
        if index > 0 {
            out += if pipeline.with_errors[index - 1] { " |& " } else { " | " };
        }
        out += &command(next);
    }
    out
}

fn command(command: &Command) -> String {
    let mut out = match &command.kind {
        CommandKind::Simple(simple) => return self::simple(simple, &command.redirects),
        CommandKind::Subshell(body) => format!("(sub {})", script(body)),
        CommandKind::Group(body) => format!("{{{}}}", script(body)),
        CommandKind::If { branches, otherwise } => {
            let mut out = "(if".to_owned();
            for (condition, body) in branches {
                let _ = write!(out, " ({} ? {})", script(condition), script(body));
            }
            if let Some(body) = otherwise {
                let _ = write!(out, " (else {})", script(body));
            }
            out + ")"
        }
        CommandKind::While { condition, body, until } => {
            let name = if *until { "until" } else { "while" };
            format!("({name} {} do {})", script(condition), script(body))
        }
        CommandKind::For { variable, words: list, body, select } => {
            let name = if *select { "select" } else { "for" };
            let list = list.as_ref().map_or(String::new(), |list| format!(" in [{}]", words(list)));
            format!("({name} {variable}{list} do {})", script(body))
        }
        CommandKind::ForArithmetic { header, body } => {
            let header: Vec<String> = header.iter().map(word).collect();
            format!("(for (({})) do {})", header.join(";"), script(body))
        }
        CommandKind::Case { subject, arms } => {
            let arms: Vec<String> = arms
                .iter()
                .map(|arm| {
                    let patterns: Vec<String> = arm.patterns.iter().map(word).collect();
                    format!(" ({} => {})", patterns.join(" | "), script(&arm.body))
                })
                .collect();
            format!("(case {}{})", word(subject), arms.concat())
        }
        CommandKind::Function { name, body } => format!("(fn {name} {})", self::command(body)),
        CommandKind::Arithmetic(expression) => format!("((({})))", word(expression)),
        CommandKind::Test(list) => format!("[[{}]]", words(list)),
        CommandKind::Coprocess { name, body } => {
            format!("(coproc {} {})", name.as_deref().unwrap_or("-"), self::command(body))
        }
    };
    for next in &command.redirects {
        let _ = write!(out, " {}", redirect(next));
    }
    out
}

fn simple(simple: &Simple, redirects: &[Redirect]) -> String {
    let mut out: Vec<String> = simple.assignments.iter().map(assignment).collect();
    out.extend(simple.words.iter().map(word));
    out.extend(redirects.iter().map(redirect));
    format!("[{}]", out.join(" "))
}

fn assignment(assignment: &Assignment) -> String {
    let index =
        assignment.index.as_ref().map_or(String::new(), |index| format!("[{}]", word(index)));
    let sign = if assignment.append { "+=" } else { "=" };
    let value = match &assignment.value {
        AssignedValue::Scalar(value) => word(value),
        AssignedValue::Array(items) => array(items),
    };
    format!("{}{index}{sign}{value}", assignment.name)
}

fn array(items: &[ArrayItem]) -> String {
    let items: Vec<String> = items
        .iter()
        .map(|item| match &item.key {
            Some(key) => format!("[{}]={}", word(key), word(&item.value)),
            None => word(&item.value),
        })
        .collect();
    format!("({})", items.join(" "))
}

fn redirect(redirect: &Redirect) -> String {
    let fd = match &redirect.fd {
        Fd::Default => String::new(),
        Fd::Number(number) => number.to_string(),
        Fd::Variable(name) => format!("{{{name}}}"),
    };
    let (sign, target) = match &redirect.kind {
        RedirectKind::Read(target) => ("<", target),
        RedirectKind::Write { target, clobber: false } => (">", target),
        RedirectKind::Write { target, clobber: true } => (">|", target),
        RedirectKind::Append(target) => (">>", target),
        RedirectKind::ReadWrite(target) => ("<>", target),
        RedirectKind::Both { target, append: false } => ("&>", target),
        RedirectKind::Both { target, append: true } => ("&>>", target),
        RedirectKind::Duplicate { target, output: true } => (">&", target),
        RedirectKind::Duplicate { target, output: false } => ("<&", target),
        RedirectKind::Heredoc { body, quoted: false } => ("<<", body),
        RedirectKind::Heredoc { body, quoted: true } => ("<<q", body),
        RedirectKind::HereString(target) => ("<<<", target),
    };
    format!("{fd}{sign}{}", word(target))
}

fn words(list: &[Word]) -> String {
    list.iter().map(word).collect::<Vec<_>>().join(" ")
}

pub(crate) fn word(word: &Word) -> String {
    word.parts.iter().map(part).collect()
}

fn part(part: &WordPart) -> String {
    match part {
        WordPart::Literal(text) => visible(&text.text),
        WordPart::Quoted(text) => format!("'{}'", visible(&text.text)),
        WordPart::DoubleQuoted(parts) => {
            format!("\"{}\"", parts.iter().map(self::part).collect::<String>())
        }
        WordPart::Parameter(parameter) => self::parameter(parameter),
        WordPart::Command { script: body, .. } => format!("$({})", script(body)),
        WordPart::Arithmetic { expression, .. } => format!("$(({}))", word(expression)),
        WordPart::Process { script: body, output, .. } => {
            format!("{}({})", if *output { '>' } else { '<' }, script(body))
        }
        WordPart::Array(items) => array(items),
    }
}

fn visible(text: &str) -> String {
    text.replace('\r', "␍").replace('\n', "⏎").replace('\t', "⇥")
}

fn parameter(parameter: &Parameter) -> String {
    let name = match &parameter.name {
        ParameterName::Variable(name) => name.clone(),
        ParameterName::Positional(number) => number.to_string(),
        ParameterName::Special(sign) => sign.to_string(),
    };
    let index = match &parameter.index {
        None => String::new(),
        Some(Index::At) => "[@]".to_owned(),
        Some(Index::Star) => "[*]".to_owned(),
        Some(Index::Word(index)) => format!("[{}]", word(index)),
    };
    let optional = |word: &Option<Word>| word.as_ref().map_or("-".to_owned(), self::word);
    let operation = match &parameter.operation {
        Operation::None => String::new(),
        Operation::Length => " len".to_owned(),
        Operation::Keys => " keys".to_owned(),
        Operation::NamesWithPrefix => " names".to_owned(),
        Operation::Fallback { kind, colon, word } => {
            format!(" {kind:?}{} {}", if *colon { ":" } else { "" }, self::word(word))
        }
        Operation::Strip { suffix, longest, pattern } => {
            let sign = if *suffix { "%" } else { "#" };
            format!(" {} {}", sign.repeat(1 + usize::from(*longest)), word(pattern))
        }
        Operation::Replace { pattern, with, which } => {
            format!(" {which:?} {} by {}", word(pattern), optional(with))
        }
        Operation::Substring { offset, length } => {
            format!(" from {} for {}", word(offset), optional(length))
        }
        Operation::Case { change, all, pattern } => {
            format!(" {change:?}{} {}", if *all { "s" } else { "" }, optional(pattern))
        }
        Operation::Transform(letter) => format!(" @{letter}"),
    };
    let sign = if parameter.indirect { "!" } else { "" };
    format!("${{{sign}{name}{index}{operation}}}")
}
