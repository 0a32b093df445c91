//! Messages: reason and alternative for the model; the stopped call and how to allow it for the human.

use std::borrow::Cow;
use std::fmt::Write;

use tenter_model::{Decision, McpIdentity, Verdict, text};
use tenter_shell::Span;

use crate::finding::Finding;
use crate::guards;
use crate::level::Level;
use crate::policy::{Layer, Policy};
use crate::scene::{Moment, Scene};
use crate::secrets::{self, Exposed, Known};
use crate::world::Asking;

/// Maximum length of the line for the human, without the way out, and of the clause for the model.
const LINE: usize = 120;
/// Maximum length of a command that is quoted whole.
const WHOLE: usize = 40;
/// Minimum length of a part of a command that names it.
const TELLING: usize = 8;
/// Length to which the name of a call is cut before its effect is.
const NAME: usize = 16;
/// Maximum length of a command that a human is shown before allowing it.
const DESCRIBED: usize = 400;
const DOTS: &str = "...";
/// Maximum number of findings shown as advice; more are only counted.
const SHOWN: usize = 3;

/// Words for what becomes of a call: they open the clause for the model, close it, open the line for the human
/// and follow the name of the call there.
type Ending = (&'static str, &'static str, &'static str, &'static str);

const BLOCKED: Ending =
    ("tenter blocked this: ", " Do not work around this; ask the user.", "tenter blocked ", "");
/// The host cannot ask, so the call is denied.
const NEEDS_OK: Ending = (
    "tenter blocked this, it needs the user's OK: ",
    " Ask the user before you try again.",
    "tenter blocked ",
    ", needs your OK",
);
const PROMPTS: Ending = ("tenter needs your OK: ", "", "tenter needs your OK for ", "");
/// Nothing waits that could be blocked.
const OBJECTS: Ending = ("tenter objects: ", "", "tenter objects to ", "");
const PASSES: Ending = ("tenter would ask about this: ", "", "tenter would ask about ", "");

/// The verdict over a call that is not simply let through.
pub(crate) fn stopped(
    decision: Decision,
    policy: &Policy,
    findings: &[Finding],
    scene: &Scene<'_>,
    code: &str,
) -> Verdict {
    // The caller has found one; the most severe comes first.
    let mut deciding = findings.iter().filter(|found| found.effective().decision().is_some());
    let Some(found) = deciding.next() else { return Verdict::none() };
    let mut others: Vec<&str> =
        deciding.map(|other| other.rule.as_ref()).filter(|rule| *rule != found.rule).collect();
    others.sort_unstable();
    others.dedup();
    let mut asking = scene.world.exceptions.asking();
    let mut answer = decision;
    if decision == Decision::Ask && asking == Asking::PromptsWithoutReason {
        let mut asked = findings.iter().filter(|found| found.effective() == Level::Ask);
        asking = if asked.all(|found| shows_in_dialog(found, scene)) {
            Asking::Prompts
        } else {
            answer = Decision::Deny;
            Asking::Denies
        };
    }
    let (opening, close, names, after) = match (decision, asking) {
        _ if !matches!(scene.moment, Moment::Before | Moment::Prompt) => OBJECTS,
        (Decision::Deny, _) => BLOCKED,
        (_, Asking::Denies) => NEEDS_OK,
        (_, Asking::Prompts | Asking::PromptsWithoutReason) => PROMPTS,
        (_, Asking::Passes) => PASSES,
    };
    let quotable = secrets::quotable(scene.event, scene.command.as_deref());
    let exposed = Exposed::of(&quotable, &Known { values: scene.world.secrets });
    let what = plain(&exposed.hide(&found.what));
    // The user's own words stay whole.
    let (what, most) = if found.by_rule { (what, usize::MAX) } else { (near(&what, scene), LINE) };
    let rules = Rules { first: &found.rule, others: &others };
    let part = part(found, scene, &exposed);
    let (tick, end) = if part.is_empty() { ("", "") } else { ("`", "` ") };
    let mut reason = line(&format!("{opening}{tick}"), &part, end, &what, &rules, most);
    if !found.instead.is_empty() {
        let _ = write!(reason, " Instead: {}.", plain(&exposed.hide(&found.instead)));
    }
    reason.push_str(close);
    let rule = policy.rule(&found.rule, found.origin).filter(|rule| !rule.message.is_empty());
    let what = rule.map_or(what, |rule| plain(&rule.message));
    let [before, name, behind] = call(scene, &found.what, part, &exposed);
    let (opening, after) = (format!("{names}{before}"), format!("{behind}{after}: "));
    let mut message = line(&opening, &name, &after, &what, &rules, most);
    if decision == Decision::Deny || asking == Asking::Denies {
        let _ = write!(message, " Allow it once: tenter allow once {code}.");
    }
    let _ = match found.origin.layer() {
        _ if found.rule == crate::judge::BROKEN => write!(message, " Fix it: tenter policy check."),
        // Your own policy cannot loosen what stands above it.
        Some(layer @ (Layer::Managed | Layer::Team)) => {
            write!(message, " Set by the {layer} policy; ask its maintainers to change it.")
        }
        _ if others.is_empty() && guards::may_be_excepted(&found.rule) => {
            write!(message, " Allow it always: tenter allow rule {}.", found.rule)
        }
        _ => Ok(()),
    };
    beside(findings, found, &mut message);
    Verdict {
        decision: Some(answer),
        reason: Some(reason),
        user_message: Some(message),
        ..Verdict::none()
    }
}

/// Whether a dialog with the path and the change says what the finding says. It does for a finding about the
/// file itself, such as `reads an environment file: .env`; what is in the content is easily overlooked there.
fn shows_in_dialog(found: &Finding, scene: &Scene<'_>) -> bool {
    let touched = |path: &str| {
        path.rsplit(['/', '\\']).next().is_some_and(|name| found.subject.ends_with(name))
    };
    let mut files = scene.event.tool_call().into_iter().flat_map(|call| call.actions.iter());
    let is_about_file =
        found.what.strip_suffix(&found.subject).is_some_and(|it| it.ends_with(": "));
    found.by_rule
        || is_about_file && files.any(|it| it.file().is_some_and(|file| touched(file.path)))
}

/// The rules of a verdict.
struct Rules<'r> {
    first: &'r str,
    others: &'r [&'r str],
}

/// `<opening><name><after><what> (<rules>).`, with the name and the effect cut so that all is at most `most`
/// characters long. Rules that do not fit are counted.
fn line(
    opening: &str,
    name: &str,
    after: &str,
    what: &str,
    rules: &Rules<'_>,
    most: usize,
) -> String {
    let length = |text: &str| text.chars().count();
    let all = [&[rules.first], rules.others].concat().join(", ");
    let whole = format!("{opening}{name}{after}{what} ({all}).");
    if length(&whole) <= most {
        return whole;
    }
    let rules = match rules.others.len() {
        0 => rules.first.to_owned(),
        more => format!("{}, +{more} more", rules.first),
    };
    let fixed = length(opening) + length(after) + length(&rules) + " ().".len();
    let room = most.saturating_sub(fixed);
    let name = cut(name, room.saturating_sub(length(what)).max(NAME));
    let what = cut_middle(what, room.saturating_sub(length(&name)));
    format!("{opening}{name}{after}{what} ({rules}).")
}

/// Mentions a broken policy file even where another finding decides.
fn beside(findings: &[Finding], shown: &Finding, message: &mut String) {
    let broken = |found: &&Finding| found.rule == crate::judge::BROKEN;
    let told = shown.rule == crate::judge::BROKEN;
    for found in findings.iter().filter(broken).take(usize::from(!told)) {
        let _ = write!(message, " {}.", capital(&plain(&found.what)));
    }
}

/// Advice for the model about a text it is about to read.
pub(crate) fn advice(findings: &[&Finding]) -> String {
    let mut text = String::from("tenter:");
    let (shown, more) = findings.split_at_checked(SHOWN).unwrap_or((findings, &[]));
    for (index, found) in shown.iter().enumerate() {
        let separator = if index == 0 { " this call" } else { ";" };
        let _ = write!(text, "{separator} {} ({})", plain(&found.what), found.rule);
    }
    if !more.is_empty() {
        let _ = write!(text, ", +{} more", more.len());
    }
    text.push('.');
    if let Some(found) = shown.iter().find(|found| !found.instead.is_empty()) {
        let _ = write!(text, " {}.", capital(&plain(&found.instead)));
    }
    text
}

/// The program and arguments that a finding is about; empty if they are the whole command, or tell nothing.
fn part(found: &Finding, scene: &Scene<'_>, exposed: &Exposed<'_>) -> String {
    let Some(span) = found.span else { return String::new() };
    // Code and queries contain no programs: a name or number alone is not informative.
    if scene.analysis.commands.is_empty() {
        return String::new();
    }
    let words = scene.words(around(span, scene)).trim();
    let is_all = scene.command.as_deref().is_some_and(|command| command.trim() == words);
    let is_said = found.what.contains(&format!("`{words}`"));
    let clean = exposed.hide(words);
    // Do not quote text that is only a secret.
    let is_secret = clean != words && clean.starts_with('[') && clean.ends_with(']');
    if words.is_empty() || is_all || is_said || is_secret {
        return String::new();
    }
    excerpt(&clean, scene, LINE)
}

/// Extends a span to informative text: the command that it is part of, the commands that it spans, or the
/// whole word.
fn around(span: Span, scene: &Scene<'_>) -> Span {
    let commands = || scene.analysis.commands.iter().map(|ran| ran.span);
    let size = |command: &Span| command.end.saturating_sub(command.start);
    if let Some(command) = commands().filter(|command| command.contains(span)).min_by_key(size) {
        return command;
    }
    let holds = |command: &Span, at| command.start <= at && at <= command.end;
    let first = commands().filter(|command| holds(command, span.start)).min_by_key(size);
    let last = commands().filter(|command| holds(command, span.end)).min_by_key(size);
    let text = scene.command.as_deref().unwrap_or_default();
    let before = text.get(..span.range().start).unwrap_or_default();
    let blank = before.rfind(char::is_whitespace).map_or(0, |at| at.saturating_add(1));
    let word = u32::try_from(blank).unwrap_or(span.start);
    let start = first.map_or(word, |command| command.start);
    Span { start: start.min(span.start), end: last.map_or(span.end, |last| last.end.max(span.end)) }
}

/// The call's name, between what stands before and behind it: ``["`", "rm -rf ~", "`"]``. A short command is
/// named whole, a long one by the part that a finding is about.
fn call(scene: &Scene<'_>, what: &str, part: String, exposed: &Exposed<'_>) -> [String; 3] {
    let named = |before: &str, name: String, behind: &str| {
        [format!("{before}`"), name, format!("`{behind}")]
    };
    let nameless = |what: &str| [what.to_owned(), String::new(), String::new()];
    let tool = |mcp: &McpIdentity<'_>| excerpt(&exposed.hide(&mcp.canonical()), scene, LINE);
    if let Some(command) = &scene.command {
        let behind = scene.mcp.map_or(String::new(), |mcp| format!(" by `{}`", tool(mcp)));
        let is_short = command.chars().nth(WHOLE).is_none();
        let name = if is_short || part.len() < TELLING {
            excerpt(&exposed.hide(command), scene, LINE)
        } else {
            part
        };
        return named("", name, &behind);
    }
    if let Some(mcp) = scene.mcp {
        return named("the tool ", tool(mcp), "");
    }
    if let Some(url) = scene.urls.first() {
        return named("the fetch of ", excerpt(url, scene, LINE), "");
    }
    let file = scene.event.tool_call().and_then(|call| call.files().next());
    match file {
        // The message names the file already.
        Some(file) if what.contains(file.path) => nameless(&format!("this {}", file.op.as_str())),
        Some(file) => {
            named(&format!("the {} of ", file.op.as_str()), excerpt(file.path, scene, LINE), "")
        }
        None if scene.event.tool_call().is_some() => nameless("this call"),
        None => nameless("this prompt"),
    }
}

/// The call, and why it was stopped, for a human who may allow it.
pub fn describe(scene: &Scene<'_>, findings: &[Finding]) -> (String, String) {
    let quotable = secrets::quotable(scene.event, scene.command.as_deref());
    let exposed = Exposed::of(&quotable, &Known { values: scene.world.secrets });
    let whole = |command: &Cow<'_, str>| excerpt(&exposed.hide(command), scene, DESCRIBED);
    let named = || call(scene, "", String::new(), &exposed).concat();
    let stopping = findings.iter().filter(|found| found.effective().decision().is_some());
    let why: Vec<String> = stopping
        .take(SHOWN)
        .map(|found| format!("{} ({})", plain(&exposed.hide(&found.what)), found.rule))
        .collect();
    (scene.command.as_ref().map_or_else(named, whole), why.join("; "))
}

/// The start of a text on one line, without secrets and terminal controls.
fn excerpt(text: &str, scene: &Scene<'_>, most: usize) -> String {
    // Long enough to recognise a secret that the cut would split.
    let start = text::first_chars(text, most * 8);
    let clean = secrets::redact(start, &Known { values: scene.world.secrets });
    cut(&plain(&clean), most)
}

/// Names paths of the working folder and of the home in their short form.
fn near(what: &str, scene: &Scene<'_>) -> String {
    let folder = |path: Option<&str>| path.map(str::to_owned).filter(|path| path.len() > 1);
    let mut text = what.to_owned();
    if let Some(cwd) = folder(scene.cwd) {
        if let Some(start) = text.strip_suffix(&format!(": `{cwd}`")) {
            text.truncate(start.len());
        }
        text = text.replace(&format!(" {cwd}/"), " ").replace(&format!("`{cwd}/"), "`");
    }
    if let Some(home) = folder(scene.world.home) {
        text = text.replace(&format!(" {home}/"), " ~/").replace(&format!("`{home}/"), "`~/");
        if let Some(start) = text.strip_suffix(&format!(" {home}")) {
            text = format!("{start} ~");
        }
    }
    text
}

/// Cuts a text at its end.
fn cut(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(DOTS.len())).chain(DOTS.chars()).collect()
}

/// Cuts a text in its middle, since effects end with the thing concerned.
fn cut_middle(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(DOTS.len());
    let end = kept / 3;
    let start = text.chars().take(kept.saturating_sub(end)).chain(DOTS.chars());
    start.chain(text.chars().skip(length.saturating_sub(end))).collect()
}

/// Replaces control and invisible characters, so that a message cannot control the terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\t' => ' ',
            character if character.is_control() || text::is_hidden(character) => '\u{fffd}',
            character => character,
        })
        .collect()
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests;
