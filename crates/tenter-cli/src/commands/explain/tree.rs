//! Prints the analysis as a tree: the command, its programs, and their effects.

use tenter_engine::diagnostic::printable;
use tenter_model::text::counted;
use tenter_policy::scene::Scene;
use tenter_shell::{Analysis, Certainty, Effect, Field, Kind, Ran, Via};

use super::super::Style;
use super::super::log::text::cut;
use super::json::source_name;
use super::source;

/// Maximum number of effects shown per program.
const MAX_SHOWN: usize = 60;

/// A line of the tree with its children.
struct Node {
    text: String,
    below: Vec<Node>,
}

pub(super) fn render(command: &str, scene: &Scene<'_>, style: Style) -> String {
    let analysis = &scene.analysis;
    let mut text = source::render(command, analysis, style);
    text.push('\n');
    let nodes = nodes(command, scene, style);
    for (index, node) in nodes.iter().enumerate() {
        draw(&mut text, node, "", index + 1 == nodes.len(), style);
    }
    if analysis.commands.is_empty() && analysis.effects.is_empty() {
        text.push_str("nothing runs\n");
    }
    for oddity in &analysis.oddities {
        let line = format!("odd character at byte {}: {}", oddity.span.start, oddity.name);
        text.push_str(&style.paint("1;33", &line));
        text.push('\n');
    }
    for unverified in &analysis.unverified {
        let where_ = command.get(unverified.span.range()).unwrap_or_default();
        let line = format!("unverified: {}", unverified.reason.message());
        text.push_str(&style.paint("1;33", &line));
        if !where_.is_empty() && unverified.span.range().len() < command.len() {
            text.push_str(": ");
            text.push_str(&cut(&printable(where_), 80));
        }
        text.push('\n');
    }
    if !analysis.commands.is_empty() {
        text.push('\n');
        text.push_str(&style.paint("2", &summary(analysis)));
        text.push('\n');
    }
    text
}

fn summary(analysis: &Analysis) -> String {
    let count = |wanted: Certainty| {
        analysis.effects.iter().filter(|effect| effect.certainty == wanted).count()
    };
    let programs = analysis.commands.len();
    let mut parts = vec![counted(programs, "program")];
    for (certainty, name) in [
        (Certainty::Certain, "certain"),
        (Certainty::Possible, "possible"),
        (Certainty::Unknown, "unknown"),
    ] {
        if count(certainty) > 0 {
            parts.push(format!("{} {name}", count(certainty)));
        }
    }
    if analysis.effects.is_empty() {
        parts.push("no effects".to_owned());
    }
    parts.push(format!("{} units of work", analysis.work));
    parts.join(", ")
}

/// Builds the tree: programs below their wrappers, effects below their programs.
fn nodes(command: &str, scene: &Scene<'_>, style: Style) -> Vec<Node> {
    let analysis = &scene.analysis;
    let mut roots: Vec<Node> = Vec::new();
    let mut path: Vec<&Via> = Vec::new();
    // A wrapper's own effects are shown below its first occurrence.
    let mut loose: Vec<(usize, &Effect)> = analysis
        .effects
        .iter()
        .enumerate()
        .filter(|(_, effect)| effect.command.is_none())
        .collect();
    let mut own = |via: &Via| {
        let mut node = Node { text: style.paint("35", &printable(&via.name)), below: Vec::new() };
        loose.retain(|(number, effect)| {
            let said_by = command.get(effect.span.range()).unwrap_or_default();
            let is_own = said_by.rsplit('/').next() == Some(&*via.name);
            if is_own {
                node.below
                    .push(Node { text: effect_line(number + 1, effect, style), below: Vec::new() });
            }
            !is_own
        });
        node
    };
    for (index, ran) in analysis.commands.iter().enumerate() {
        let shared = path.iter().zip(&ran.via).take_while(|(open, via)| **open == *via).count();
        let index32 = u32::try_from(index).unwrap_or(u32::MAX);
        let leaf =
            Node { text: program(ran, scene.cwd, style), below: effects(analysis, index32, style) };
        insert(&mut roots, &ran.via, shared, leaf, &mut own);
        path = ran.via.iter().collect();
    }
    roots.extend(loose.into_iter().map(|(number, effect)| Node {
        text: effect_line(number + 1, effect, style),
        below: Vec::new(),
    }));
    roots
}

/// Inserts a program below its wrappers; the first `open` of them exist already.
fn insert(
    level: &mut Vec<Node>,
    via: &[Via],
    open: usize,
    leaf: Node,
    wrapper: &mut dyn FnMut(&Via) -> Node,
) {
    let Some((outer, inner)) = via.split_first() else {
        level.push(leaf);
        return;
    };
    if open == 0 {
        level.push(wrapper(outer));
    }
    if let Some(last) = level.last_mut() {
        insert(&mut last.below, inner, open.saturating_sub(1), leaf, wrapper);
    }
}

fn program(ran: &Ran, here: Option<&str>, style: Style) -> String {
    let mut words: Vec<String> = Vec::new();
    for (name, value) in &ran.assignments {
        words.push(style.paint("2", &format!("{name}={}", quoted(value))));
    }
    for (index, field) in ran.argv.iter().enumerate() {
        let word = cut(&quoted(field), 120).into_owned();
        words.push(match index {
            0 => style.paint("1;36", &word),
            _ if field.exact().is_none() => style.paint("33", &word),
            _ => word,
        });
    }
    let mut line = words.join(" ");
    let cwd = ran.cwd.as_deref();
    if cwd != here {
        let place = cwd.unwrap_or("an unknown folder");
        line.push_str(&style.paint("2", &format!("   in {}", printable(place))));
    }
    if ran.certainty != Certainty::Certain {
        line.push_str(&style.paint("2", "   perhaps"));
    }
    line
}

fn effects(analysis: &Analysis, command: u32, style: Style) -> Vec<Node> {
    let own =
        analysis.effects.iter().enumerate().filter(|(_, effect)| effect.command == Some(command));
    let mut nodes: Vec<Node> = own
        .clone()
        .take(MAX_SHOWN)
        .map(|(number, effect)| Node {
            text: effect_line(number + 1, effect, style),
            below: Vec::new(),
        })
        .collect();
    let more = own.count().saturating_sub(MAX_SHOWN);
    if more > 0 {
        nodes.push(Node { text: format!("and {more} more"), below: Vec::new() });
    }
    nodes
}

fn effect_line(number: usize, effect: &Effect, style: Style) -> String {
    let dot = match effect.certainty {
        Certainty::Certain => "\u{25cf}",
        Certainty::Possible => "\u{25cb}",
        Certainty::Unknown => "?",
    };
    let colour = colour(effect.kind);
    let name = effect.kind.name();
    let mut line = style.paint(colour, &format!("{dot} {name}"));
    let target = effect.target.shown();
    if !target.is_empty() {
        line.push(' ');
        line.push_str(&style.paint("1", &cut(&printable(&target), 160)));
    }
    if let Some(real) = effect.target.path().and_then(|path| path.real.as_deref()) {
        line.push_str(" (really ");
        line.push_str(&printable(real));
        line.push(')');
    }
    let mut notes = Vec::new();
    if effect.action.name() != name {
        notes.push(effect.action.name().to_owned());
    }
    if effect.recursive {
        notes.push("recursive".to_owned());
    }
    if effect.force {
        notes.push("forced".to_owned());
    }
    if effect.elsewhere {
        notes.push("elsewhere".to_owned());
    }
    for source in effect.sources.sources() {
        notes.push(match source_name(source) {
            (kind, Some(name)) => format!("from {kind} {}", cut(&printable(name), 80)),
            (kind, None) => format!("from {kind}"),
        });
    }
    notes.push(effect.certainty.name().to_owned());
    line.push_str(&style.paint("2", &format!("  {} [{number}]", notes.join(", "))));
    line
}

fn colour(kind: Kind) -> &'static str {
    match kind {
        Kind::Read | Kind::Receive | Kind::Write | Kind::Append => "32",
        Kind::Delete
        | Kind::Overwrite
        | Kind::Device
        | Kind::Execute
        | Kind::Send
        | Kind::VcsHistory
        | Kind::VcsWorktree
        | Kind::VcsStash
        | Kind::VcsRefs
        | Kind::VcsRemote => "1;31",
        _ => "33",
    }
}

/// A field quoted for a shell.
fn quoted(field: &Field) -> String {
    let shown = field.shown();
    let plain = |letter: char| {
        letter.is_alphanumeric()
            || matches!(
                letter,
                '-' | '_' | '.' | '/' | ':' | '=' | ',' | '+' | '@' | '%' | '~' | '^'
            )
    };
    let text = if field.exact().is_none() || (!shown.is_empty() && shown.chars().all(plain)) {
        shown
    } else {
        format!("'{}'", shown.replace('\'', "'\\''"))
    };
    printable(&text).replace('\n', "\u{21b5}")
}

fn draw(text: &mut String, node: &Node, indent: &str, last: bool, style: Style) {
    let (branch, below) =
        if last { ("\u{2514}\u{2500} ", "   ") } else { ("\u{251c}\u{2500} ", "\u{2502}  ") };
    text.push_str(&style.paint("2", &format!("{indent}{branch}")));
    text.push_str(&node.text);
    text.push('\n');
    let indent = format!("{indent}{below}");
    for (index, child) in node.below.iter().enumerate() {
        draw(text, child, &indent, index + 1 == node.below.len(), style);
    }
}
