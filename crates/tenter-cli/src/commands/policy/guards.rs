//! Prints guards and presets, as text and as documentation.

use std::fmt::Write;

use tenter_policy::guard::{Guard, OptionKind};
use tenter_policy::guards::{GUARDS, guard};
use tenter_policy::{Preset, Sample, Weight};

use crate::error::CommandError;
use crate::table::Table;

pub(super) fn list(only: Option<&str>, markdown: bool) -> Result<String, CommandError> {
    if let Some(id) = only {
        let Some(guard) = guard(id) else {
            let known: Vec<&str> = GUARDS.iter().map(|guard| guard.id).collect();
            return Err(CommandError::usage(format!(
                "no guard `{id}`; there are {}",
                known.join(", ")
            )));
        };
        return Ok(page(guard));
    }
    if !markdown {
        let mut table = Table::compact(&["guard", "checks", "what"]);
        for guard in GUARDS {
            let state =
                if guard.optional { " (off; a level under [guards] switches it on)" } else { "" };
            let checks = guard.checks.len().to_string();
            table.row(vec![guard.id.to_owned(), checks, format!("{}{state}", guard.title)]);
        }
        return Ok(table.render());
    }
    let mut text = String::from(
        "# Guards\n\n<!-- Printed by `tenter policy guards --markdown`; written by `cargo xtask gen`. -->\n\n\
         Every guard knows one kind of danger. A check is one thing it looks for; its weight and the preset make its\n\
         level ([presets](policy.md#levels-and-presets)). In a policy: `[guards]`, `<guard> = \"ask\"`, or\n\
         `<guard> = { level = \"ask\", checks = { <check> = \"deny\" }, allow = [...] }`; `allow` names the paths, hosts,\n\
         packages or tools that are let through.\n",
    );
    for guard in GUARDS {
        text.push('\n');
        text.push_str(&page(guard));
    }
    Ok(text)
}

fn page(guard: &Guard) -> String {
    let mut text = format!("## {}\n\n{}.\n", guard.id, guard.title);
    if guard.optional {
        text.push_str("Off in every preset; a policy switches it on.\n");
    }
    let _ = write!(
        text,
        "\n{}\n\n| Check | Weight | What | Instead |\n|---|---|---|---|\n",
        guard.page.trim()
    );
    for check in guard.checks {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            check.id,
            check.weight.as_str(),
            cell(check.title),
            cell(check.instead)
        );
    }
    if !guard.options.is_empty() {
        text.push_str("\n| Option | Takes | What |\n|---|---|---|\n");
        for option in guard.options {
            let takes = match option.kind {
                OptionKind::Patterns => "patterns",
                OptionKind::Level => "a level",
                OptionKind::Number => "a number",
                OptionKind::Switch => "true or false",
            };
            let _ = writeln!(text, "| `{}` | {takes} | {} |", option.name, cell(option.title));
        }
    }
    samples(&mut text, "Found", guard.blocks.iter().map(|(sample, check)| (sample, *check)));
    samples(&mut text, "Let through", guard.passes.iter().map(|sample| (sample, "")));
    text
}

fn samples<'g>(
    text: &mut String,
    title: &str,
    samples: impl Iterator<Item = (&'g Sample<'static>, &'g str)>,
) {
    const SHOWN: usize = 12;
    let _ = write!(text, "\n{title}:\n\n```text\n");
    for (sample, check) in samples.take(SHOWN) {
        let (kind, said) = shown(sample);
        let check = if check.is_empty() { String::new() } else { format!("   # {check}") };
        let _ = writeln!(
            text,
            "{kind}{}{check}",
            said.escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\"")
        );
    }
    text.push_str("```\n");
}

fn shown(sample: &Sample<'_>) -> (&'static str, String) {
    match sample {
        Sample::Shell(command) => ("", (*command).to_owned()),
        Sample::Read(path) => ("read ", (*path).to_owned()),
        Sample::Content(path, content) => ("read ", format!("{path}: {content}")),
        Sample::Write(path, content) => ("write ", format!("{path}: {content}")),
        Sample::Edit(path, new) => ("edit ", format!("{path}: {new}")),
        Sample::Delete(path) => ("delete ", (*path).to_owned()),
        Sample::Fetch(url) => ("fetch ", (*url).to_owned()),
        Sample::Mcp(tool) => ("mcp ", (*tool).to_owned()),
        Sample::Prompt(prompt) => ("prompt ", (*prompt).to_owned()),
        Sample::Output(output) => ("output ", (*output).to_owned()),
        Sample::Terminal(command) => ("in a terminal of Codex: ", (*command).to_owned()),
        Sample::Malformed(tool, why) => ("a call that ", format!("{why}: {tool}")),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

pub(super) fn presets(markdown: bool) -> String {
    const WEIGHTS: [Weight; 3] = [Weight::Grave, Weight::Doubtful, Weight::Minor];
    let row = |preset: Preset| WEIGHTS.map(|weight| preset.level(weight).as_str());
    if !markdown {
        let mut table = Table::compact(&["preset", "grave", "doubtful", "minor", "what"]);
        for preset in Preset::ALL {
            let [grave, doubtful, minor] = row(preset).map(str::to_owned);
            table.row(vec![
                preset.to_string(),
                grave,
                doubtful,
                minor,
                preset.meaning().to_owned(),
            ]);
        }
        return table.render();
    }
    let mut text = String::from("| Preset | Grave | Doubtful | Minor | |\n|---|---|---|---|---|\n");
    for preset in Preset::ALL {
        let [grave, doubtful, minor] = row(preset);
        let _ = writeln!(
            text,
            "| `{preset}` | {grave} | {doubtful} | {minor} | {} |",
            preset.meaning()
        );
    }
    text
}
