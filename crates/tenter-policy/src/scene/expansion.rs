//! Skills, commands and agents (Markdown files in which hosts run shell commands without calling hooks), and
//! prompts that attach files.

mod places;

use std::borrow::Cow;

use tenter_model::{ToolCall, json};
use tenter_shell::PathKind;

use super::Scene;

/// Maximum number of bytes read of a file.
const MAX_BYTES: usize = 256 * 1024;
/// Maximum number of commands judged per file; more make it unverified.
const MAX_COMMANDS: usize = 64;
/// Maximum number of attached files judged per prompt.
const MAX_MENTIONS: usize = 64;
/// Maximum number of parent folders searched for skills.
const MAX_PARENTS: usize = 8;

/// Folders of hosts, with subfolders of expanded files: named after the command, or in a folder of that name.
const FOLDERS: &[(&str, &[&str], &[&str])] = &[
    (".claude", &["commands", "agents"], &["skills"]),
    (".cursor", &["commands"], &["skills"]),
    (".codex", &["prompts"], &["skills"]),
    (".agents", &["commands"], &["skills"]),
    (".github", &["prompts"], &["skills"]),
    (".gemini", &["commands"], &["skills"]),
    (".qwen", &["commands"], &["skills"]),
    (".opencode", &["command", "commands"], &["skills"]),
    (".factory", &["commands"], &["skills"]),
];

/// A command or skill called by a prompt or tool, with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Called<'s> {
    name: Cow<'s, str>,
    arguments: Cow<'s, str>,
}

impl<'s> Called<'s> {
    /// `/deploy staging`
    pub(super) fn by_prompt(prompt: &'s str) -> Option<Self> {
        let line = prompt.trim_start().strip_prefix('/')?;
        let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        Self::new(Cow::Borrowed(name), Cow::Borrowed(arguments.trim()))
    }

    /// The call by a tool that is equivalent to such a prompt.
    pub(super) fn by_tool(call: &'s ToolCall<'s>) -> Option<Self> {
        let name = call.native_tool.as_deref()?;
        let skill = name.eq_ignore_ascii_case("skill");
        if !skill && !["SlashCommand", "slash_command"].contains(&name) {
            return None;
        }
        let text = |wanted: &[&str]| {
            let known = |key: &str| wanted.iter().any(|it| it.eq_ignore_ascii_case(key));
            let (_, value) = call.input.iter().find(|(key, _)| known(key))?;
            json::string(value.raw())
        };
        let name = text(&["skill", "command", "name", "skill_name", "skillName"])?;
        let arguments = text(&["args", "arguments"]).unwrap_or_default();
        let (name, more) = match name.split_once(char::is_whitespace) {
            Some((name, more)) => (name.to_owned(), more.to_owned()),
            None => (name.into_owned(), String::new()),
        };
        let arguments = if more.is_empty() { arguments } else { Cow::Owned(more) };
        Self::new(Cow::Owned(name.trim_start_matches('/').to_owned()), arguments)
    }

    fn new(name: Cow<'s, str>, arguments: Cow<'s, str>) -> Option<Self> {
        let plain = |c: char| c.is_alphanumeric() || "-_:./".contains(c);
        let safe = !name.is_empty() && name.len() <= 128 && name.chars().all(plain);
        (safe && !name.contains("..") && !name.starts_with('/')).then_some(Self { name, arguments })
    }

    /// The text with the arguments inserted as the host does.
    fn fill(&self, command: &str, file: &str) -> String {
        if !command.contains('$') {
            return command.to_owned();
        }
        let mut text = command.replace("$ARGUMENTS", &self.arguments);
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let plugin = file.split_once("/skills/").or_else(|| file.split_once("/commands/"));
        for (name, value) in [
            ("CLAUDE_SKILL_DIR", folder),
            ("CLAUDE_PLUGIN_ROOT", plugin.map_or(folder, |(root, _)| root)),
        ] {
            text = text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
        }
        for (index, word) in words(&self.arguments).iter().take(9).enumerate() {
            text = text.replace(&format!("${}", index + 1), word);
        }
        text
    }
}

/// Splits arguments like a host: quoted blanks do not separate.
fn words(arguments: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut quote = None;
    let mut open = false;
    for letter in arguments.chars() {
        match (quote, letter) {
            (Some(mark), letter) if mark == letter => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                if !std::mem::replace(&mut open, true) {
                    words.push(String::new());
                }
            }
            (None, letter) if letter.is_whitespace() => open = false,
            (_, letter) => {
                if !std::mem::replace(&mut open, true) {
                    words.push(String::new());
                }
                if let Some(word) = words.last_mut() {
                    word.push(letter);
                }
            }
        }
    }
    words
}

impl Scene<'_> {
    /// Judges the files that would be expanded by this call.
    pub(super) fn expand(&mut self, called: &Called<'_>) {
        for path in self.expanded_files(called) {
            let Some(text) = self.world.facts.read(&path, MAX_BYTES) else { continue };
            if text.len() >= MAX_BYTES {
                self.doubts.push("expands a file that is longer than is read");
            }
            for command in self.within_bounds(commands(&text)) {
                self.code(called.fill(&command, &path).into(), None, self.world.language, true);
            }
            self.mentions(&text);
        }
    }

    /// The same for a file about to be written, or the command that writes it.
    pub(super) fn expands_later(&mut self, text: &str) {
        for command in self.within_bounds(commands(text)) {
            self.code(command.into(), None, self.world.language, true);
        }
    }

    fn within_bounds(&mut self, mut commands: Vec<String>) -> Vec<String> {
        if commands.len() > MAX_COMMANDS {
            commands.truncate(MAX_COMMANDS);
            self.doubts.push("runs more commands by expansion than are followed");
        }
        commands
    }

    /// Existing files where a host would look for the called name.
    fn expanded_files(&self, called: &Called<'_>) -> Vec<String> {
        let mut roots: Vec<&str> = Vec::new();
        let above = self.cwd.into_iter().flat_map(parents).take(MAX_PARENTS);
        let spaces = self.event.workspace_roots.iter().map(AsRef::as_ref);
        for root in above.chain(spaces).chain(self.world.home) {
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        let name = called.name.replace(':', "/");
        let last = name.rsplit('/').next().unwrap_or_default();
        let mut files = Vec::new();
        for root in roots {
            for (folder, flat, nested) in FOLDERS {
                let folder = format!("{}/{folder}", root.trim_end_matches('/'));
                if self.world.kind(&folder) != Some(PathKind::Directory) {
                    continue;
                }
                for kind in *flat {
                    files.push(format!("{folder}/{kind}/{name}.md"));
                    self.below(&format!("{folder}/{kind}"), last, &mut files);
                }
                for kind in *nested {
                    files.push(format!("{folder}/{kind}/{last}/SKILL.md"));
                    self.named_so(&format!("{folder}/{kind}"), last, &mut files);
                }
                if let Some((plugin, called)) = called.name.split_once(':') {
                    self.of_plugin(&folder, plugin, called, &mut files);
                }
            }
        }
        if let Some((_, moved)) = self.world.variables.iter().find(|it| it.0 == "CLAUDE_CONFIG_DIR")
        {
            files.push(format!("{moved}/commands/{name}.md"));
            files.push(format!("{moved}/skills/{last}/SKILL.md"));
        }
        files
    }

    /// Files attached by a text: `@~/.ssh/id_rsa`, `@"a file"`, `@src/a.rs#L3-9`.
    pub(super) fn mentions(&mut self, text: &str) {
        if !text.contains('@') {
            return;
        }
        for path in mentioned(text).take(MAX_MENTIONS) {
            self.mention(&path);
        }
    }
}

fn parents(folder: &str) -> impl Iterator<Item = &str> {
    fn up<'f>(folder: &&'f str) -> Option<&'f str> {
        let (above, _) = folder.trim_end_matches('/').rsplit_once('/')?;
        (!above.is_empty()).then_some(above)
    }
    std::iter::successors(Some(folder), up)
}

/// Whether a host expands the file at this path, running the commands in it.
pub(super) fn is_expanded(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    if !["md", "mdc", "toml"].iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        return false;
    }
    let mut parts = path.split(['/', '\\']);
    while let Some(part) = parts.next() {
        let Some((_, flat, nested)) = FOLDERS.iter().find(|(folder, ..)| *folder == part) else {
            continue;
        };
        let kind = parts.clone().next().unwrap_or_default();
        if flat.contains(&kind) || nested.contains(&kind) {
            return true;
        }
    }
    false
}

/// Cheap test whether a text may contain commands that are run by expansion.
pub(super) fn may_expand(text: &str) -> bool {
    ["!`", "```!", "!{", "hooks:"].iter().any(|mark| text.contains(mark))
}

/// The commands that a host runs when it expands this text: between `` !` `` and `` ` ``, in blocks that
/// begin with `` ```! ``, in `!{` and `}`, and as hooks in its front matter.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let text = text.trim_start_matches('\u{feff}');
    if text.starts_with("---") {
        hooks(text, &mut found);
    }
    braces(text, &mut found);
    let mut block: Option<String> = None;
    for line in text.lines() {
        if let Some(mut code) = block.take() {
            if line.trim_start().starts_with("```") {
                found.push(code);
            } else {
                code.push_str(line);
                code.push('\n');
                block = Some(code);
            }
            continue;
        }
        if let Some(rest) = line.trim_start().strip_prefix("```")
            && let Some(same_line) = rest.trim_start().strip_prefix('!')
        {
            block = Some(format!("{same_line}\n"));
            continue;
        }
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("!`") {
            let (command, behind) = after.split_once('`').unwrap_or((after, ""));
            if !command.trim().is_empty() {
                found.push(command.to_owned());
            }
            rest = behind;
        }
    }
    // An unclosed block may be closed by a later edit.
    found.extend(block);
    found
}

/// The commands in `!{...}`, as in prompts of Gemini CLI and similar hosts.
fn braces(text: &str, found: &mut Vec<String>) {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("!{") {
        let mut depth = 1_usize;
        let end = after.find(|letter: char| {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let (command, behind) = after.split_at(end.unwrap_or(after.len()));
        if !command.trim().is_empty() {
            found.push(command.to_owned());
        }
        rest = behind;
    }
}

/// The commands of hooks in the front matter.
fn hooks(text: &str, found: &mut Vec<String>) {
    let head = text.lines().skip(1).take_while(|line| line.trim_end() != "---");
    let mut inside = false;
    let mut scalar: Option<(usize, String)> = None;
    for line in head {
        let indent = line.len() - line.trim_start().len();
        if let Some((depth, code)) = &mut scalar {
            if indent > *depth || line.trim().is_empty() {
                code.push_str(line.trim_start());
                code.push('\n');
                continue;
            }
            found.extend(scalar.take().map(|(_, code)| code));
        }
        if indent == 0 && !line.trim_start().starts_with('-') {
            inside = line.starts_with("hooks:");
        }
        let mut rest = line;
        while inside && let Some((_, after)) = rest.split_once("command") {
            rest = after;
            let value = after.trim_start_matches(['"', '\'']).trim_start();
            let Some(value) = value.strip_prefix(':').map(str::trim) else { continue };
            if value.starts_with(['|', '>']) {
                scalar = Some((indent, String::new()));
            } else if let Some(value) = unquoted(value) {
                found.push(value);
            }
        }
    }
    found.extend(scalar.map(|(_, code)| code));
}

/// A YAML or JSON value up to its end.
fn unquoted(value: &str) -> Option<String> {
    let text = match value.chars().next()? {
        '"' => {
            let mut text = String::new();
            let mut letters = value.chars().skip(1);
            while let Some(letter) = letters.next().filter(|letter| *letter != '"') {
                text.push(if letter == '\\' { letters.next().unwrap_or(' ') } else { letter });
            }
            text
        }
        '\'' => value.get(1..)?.split('\'').next().unwrap_or_default().to_owned(),
        _ => value.trim_end_matches([',', '}', ']']).to_owned(),
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

/// The paths that a text mentions with `@`, without names of people and packages.
fn mentioned(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = text;
    let mut before = ' ';
    std::iter::from_fn(move || {
        loop {
            let at = rest.find('@')?;
            before = rest.get(..at)?.chars().next_back().unwrap_or(before);
            let starts = before.is_whitespace() || "\"'`([{<,:;=".contains(before);
            rest = rest.get(at + 1..)?;
            before = '@';
            if starts && let Some(path) = mention(rest) {
                return Some(path);
            }
        }
    })
}

fn mention(text: &str) -> Option<Cow<'_, str>> {
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            let path = inside.split(quote).next()?;
            return Some(Cow::Borrowed(without_range(path)));
        }
    }
    let mut escaped = false;
    let end = text.find(|letter: char| {
        let ends = letter.is_whitespace() && !escaped || "\"'`)]}>|".contains(letter);
        escaped = letter == '\\' && !escaped;
        ends
    });
    let path = text.get(..end.unwrap_or(text.len()))?.trim_end_matches([',', ';', ':', '!', '?']);
    let path = without_range(path.strip_suffix('.').unwrap_or(path));
    let looks = path.contains('/') || path.contains('.') || path.starts_with('~');
    let path =
        if path.contains("\\ ") { Cow::Owned(path.replace("\\ ", " ")) } else { path.into() };
    (looks && path.len() > 1).then_some(path)
}

/// `a.rs#L3-9` and `a.rs:3-9` without the lines.
fn without_range(path: &str) -> &str {
    let Some((start, lines)) = path.rsplit_once(['#', ':']) else { return path };
    let lines = lines.trim_start_matches('L');
    let is_range =
        !lines.is_empty() && lines.chars().all(|c| c.is_ascii_digit() || "-L".contains(c));
    if is_range && !start.is_empty() { start } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_text_blocks_and_hooks() {
        let text = "---\nname: x\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: \"rm \\\"a\\\"\"\n        - command: |\n            rm b\n            id\n        - { type: command, command: 'rm c' }\ncommand: not a hook\n---\nsee !`git status` and !`rm d`\n```!\nrm e\n```\n```bash\nrm not-run\n```\n!`open";
        assert_eq!(
            commands(text),
            ["rm \"a\"", "rm b\nid\n", "rm c", "git status", "rm d", "\nrm e\n", "open"]
        );
        assert_eq!(commands("plain `code` and wow! `rm x`"), [""; 0]);
        assert_eq!(
            commands("prompt = \"see !{rm a} and !{f() { id; }}\""),
            ["rm a", "f() { id; }"]
        );
    }

    #[test]
    fn arguments_are_put_where_the_host_puts_them() {
        let called = Called::by_prompt("/x 'rm -rf ~' b").unwrap();
        assert_eq!(called.fill("bash -c \"$1\" $2", "/h/s/SKILL.md"), "bash -c \"rm -rf ~\" b");
        assert_eq!(called.fill("sh ${CLAUDE_SKILL_DIR}/r.sh", "/h/s/SKILL.md"), "sh /h/s/r.sh");
        assert_eq!(words("a \"b c\"d ''"), ["a", "b cd", ""]);
    }

    #[test]
    fn mentions_are_paths_and_nothing_else() {
        let found = |text| mentioned(text).map(Cow::into_owned).collect::<Vec<_>>();
        assert_eq!(found("look at @~/.ssh/id_rsa, please"), ["~/.ssh/id_rsa"]);
        assert_eq!(found("@.env"), [".env"]);
        assert_eq!(
            found("(@\"my file.txt\") @src/a.rs#L3-9 @b.rs:7."),
            ["my file.txt", "src/a.rs", "b.rs"]
        );
        assert_eq!(found("@a\\ b/c.txt"), ["a b/c.txt"]);
        assert_eq!(found("mail me@example.com, ask @ana, see @"), [""; 0]);
    }

    #[test]
    fn places_of_files_that_are_expanded() {
        for path in [
            "/s/.claude/commands/a.md",
            "/s/.claude/commands/b/a.md",
            "/h/.claude/skills/x/SKILL.md",
            ".claude/agents/x.md",
            "/h/.codex/prompts/a.md",
            "/s/.cursor/commands/a.md",
        ] {
            assert!(is_expanded(path), "{path}");
        }
        for path in ["/s/docs/commands/a.md", "/s/.claude/CLAUDE.md", "/s/.claude/commands/a.txt"] {
            assert!(!is_expanded(path), "{path}");
        }
    }
}
