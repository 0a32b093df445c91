//! Settings given on the command line or in variables: the code they make git run, the hooks they
//! switch off, aliases.
//!
//! - `config-command` (execute, vcs): a command from a setting carries the connection, or is a file
//!   outside the places of programs; plain `ssh` with options is `vcs`.
//! - `alias-command` (vcs): an alias that the same command defines is a command of the shell.
//! - `hooks-path` (hook-bypass): hooks are looked for elsewhere.
//! - `tls-off` (hook-bypass): certificates of servers are not looked at.
//! - `hooks-disabled` (hook-bypass): a variable tells a hook manager to do nothing.

use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::expand::Variable;
use crate::options::Options;
use crate::target::Target;
use crate::value::{Field, Part};

/// Settings of this git call.
pub(super) struct Settings {
    /// Names in lower case, with their values.
    config: Vec<(String, Field)>,
    /// Variables that switch hooks off.
    bypass: Vec<(String, Field)>,
    pub work_tree: Option<Field>,
}

/// When git runs the command that a setting holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Network,
    Editor,
    Any,
}

/// Variables that do the same as a setting.
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_SSH_COMMAND", "core.sshcommand"),
    ("GIT_SSH", "core.sshcommand"),
    ("GIT_SSH_VARIANT", "ssh.variant"),
    ("GIT_PROXY_COMMAND", "core.gitproxy"),
    ("GIT_ASKPASS", "core.askpass"),
    ("SSH_ASKPASS", "core.askpass"),
    ("GIT_EDITOR", "core.editor"),
    ("GIT_SEQUENCE_EDITOR", "sequence.editor"),
    ("VISUAL", "core.editor"),
    ("EDITOR", "core.editor"),
    ("GIT_PAGER", "core.pager"),
    ("PAGER", "core.pager"),
    ("GIT_EXTERNAL_DIFF", "diff.external"),
    ("GIT_SSL_NO_VERIFY", "http.sslnoverify"),
];

const NETWORK: &[&str] =
    &["clone", "fetch", "pull", "push", "ls-remote", "submodule", "lfs", "fetch-pack", "send-pack"];

const EDITED: &[&str] = &[
    "commit",
    "rebase",
    "merge",
    "tag",
    "revert",
    "cherry-pick",
    "notes",
    "pull",
    "config",
    "branch",
    "add",
    "am",
];

const HOOKED: &[&str] = &[
    "commit",
    "push",
    "merge",
    "pull",
    "rebase",
    "am",
    "cherry-pick",
    "revert",
    "checkout",
    "switch",
    "clone",
    "worktree",
    "stash",
    "gc",
];

pub(super) fn collect(call: &Call<'_, '_>, globals: &Options<'_>) -> Settings {
    let mut settings = Settings { config: Vec::new(), bypass: Vec::new(), work_tree: None };
    let mut numbered = Vec::new();
    let mut take = |name: &str, value: &Field| settings.variable(name, value, &mut numbered);
    for slot in call.machine.shell.variables.iter().filter(|slot| slot.exported) {
        if let Some(Variable::Scalar(value)) = slot.values.last() {
            take(&slot.name, value);
        }
    }
    for (name, value) in &call.machine.assignments {
        take(name, value);
    }
    for (number, value) in &numbered {
        let key = call
            .machine
            .assignments
            .iter()
            .find(|(name, _)| name.strip_prefix("GIT_CONFIG_KEY_") == Some(number))
            .and_then(|(_, key)| key.exact());
        if let Some(key) = key {
            settings.config.push((key.to_ascii_lowercase(), value.clone()));
        }
    }
    for found in &globals.found {
        match (found.name, &found.value) {
            ("c", Some(value)) => settings.assignment(value),
            ("config-env", Some(value)) => {
                if let Some((key, variable)) = value.exact().and_then(|text| text.split_once('=')) {
                    let value = Field::unknown(&format!("${variable}"), value.span);
                    settings.config.push((key.to_ascii_lowercase(), value));
                }
            }
            _ => {}
        }
    }
    settings
}

impl Settings {
    fn variable(&mut self, name: &str, value: &Field, numbered: &mut Vec<(String, Field)>) {
        if let Some((_, key)) = VARIABLES.iter().find(|(known, _)| *known == name) {
            self.config.push(((*key).to_owned(), value.clone()));
        } else if let Some(number) = name.strip_prefix("GIT_CONFIG_VALUE_") {
            numbered.push((number.to_owned(), value.clone()));
        } else if name == "GIT_CONFIG_PARAMETERS" {
            for text in value.exact().map(split).unwrap_or_default() {
                self.assignment(&Field::text(text, value.span));
            }
        } else if name == "GIT_WORK_TREE" {
            self.work_tree = Some(value.clone());
        } else if switches_hooks_off(name, value) {
            self.bypass.push((name.to_owned(), value.clone()));
        }
    }

    /// `name=value`, or a name alone, which is switched on.
    fn assignment(&mut self, field: &Field) {
        let text = field.prefix();
        match text.split_once('=') {
            Some((key, _)) => {
                if let Some(value) = field.without_prefix(key.len() + 1) {
                    self.config.push((key.to_ascii_lowercase(), value));
                }
            }
            None if field.exact().is_some() => {
                self.config.push((text.to_ascii_lowercase(), Field::text("true", field.span)));
            }
            None => {}
        }
    }

    fn get(&self, key: &str) -> Option<&Field> {
        self.config.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value)
    }
}

fn switches_hooks_off(name: &str, value: &Field) -> bool {
    let off = |text: &str| matches!(text, "0" | "false" | "no" | "off");
    match name {
        "HUSKY" | "LEFTHOOK" => value.exact().is_some_and(off),
        "HUSKY_SKIP_HOOKS" | "OVERCOMMIT_DISABLE" | "PRE_COMMIT_ALLOW_NO_CONFIG" => {
            value.exact().is_some_and(|text| !text.is_empty() && !off(text))
        }
        "SKIP" | "LEFTHOOK_EXCLUDE" | "HUSKY_SKIP_INSTALL" => !value.is(""),
        _ => false,
    }
}

/// Reports the effects of the settings on this subcommand.
pub(super) fn apply(call: &mut Call<'_, '_>, name: &str, arguments: &[Field], settings: &Settings) {
    if HOOKED.contains(&name) {
        for (variable, value) in &settings.bypass {
            let target = Target::name(variable.as_str());
            call.effect_at(Kind::HookBypass, Act::HooksDisabled, target, value.span);
        }
        if let Some(place) = settings.get("core.hookspath") {
            call.on_path(Kind::HookBypass, Act::HooksPath, place);
        }
    }
    for (key, value) in &settings.config {
        let untrusting = key == "http.sslnoverify"
            || (key.starts_with("http.") && key.ends_with("sslverify") && is_off(value));
        if untrusting && is_network(name, arguments) {
            call.effect_at(Kind::HookBypass, Act::TlsOff, Target::None, value.span);
        }
        match when(key) {
            Some(When::Network) if is_network(name, arguments) => transport(call, key, value),
            Some(When::Editor) if EDITED.contains(&name) => super::perhaps_run(call, value),
            Some(When::Any) if !switch(value) => {
                if is_file(value) {
                    super::named(call, Kind::Execute, Act::ConfigCommand, value);
                }
                super::perhaps_run(call, value);
            }
            _ => {}
        }
    }
}

fn is_network(name: &str, arguments: &[Field]) -> bool {
    let any = |words: &[&str]| {
        arguments.iter().any(|field| field.exact().is_some_and(|text| words.contains(&text)))
    };
    match name {
        "remote" => any(&["update", "show", "prune", "set-head", "-f"]),
        "archive" => arguments.iter().any(|field| field.prefix().starts_with("--remote")),
        _ => NETWORK.contains(&name),
    }
}

fn transport(call: &mut Call<'_, '_>, key: &str, value: &Field) {
    let text = value.prefix();
    if key.starts_with("credential") {
        // A name stands for one of git's own helpers.
        match value.after("!") {
            Some(code) => drop(call.run_code(super::shell(), &code)),
            None if text.starts_with('/') => drop(call.run_code(super::shell(), value)),
            None => {}
        }
        return;
    }
    let program = text.split([' ', '\t']).next().unwrap_or_default();
    let plain = key == "ssh.variant" || program.rsplit('/').next() == Some("ssh");
    let kind = if plain { Kind::Vcs } else { Kind::Execute };
    super::named(call, kind, Act::ConfigCommand, value).sources = value.sources();
    if key != "ssh.variant" {
        call.run_code(super::shell(), value);
    }
}

/// A value that is a switch and no command.
fn switch(value: &Field) -> bool {
    matches!(value.exact(), Some("" | "true" | "false" | "0" | "1" | "cat" | "less" | "yes" | "no"))
}

/// Whether a command is a file outside the places of programs: a script that somebody left there.
fn is_file(value: &Field) -> bool {
    let program = value.prefix().split([' ', '\t']).next().unwrap_or_default();
    let installed = ["/usr/", "/bin/", "/opt/", "/nix/"];
    program.contains('/') && !installed.iter().any(|place| program.starts_with(place))
}

/// Whether a setting is switched off.
pub(super) fn is_off(value: &Field) -> bool {
    matches!(value.exact(), Some("false" | "0" | "no" | "off" | ""))
}

/// Whether a setting holds a command.
pub(super) fn holds_code(key: &str) -> bool {
    when(key).is_some()
}

fn when(key: &str) -> Option<When> {
    match key {
        "core.sshcommand" | "ssh.variant" | "core.gitproxy" | "core.askpass"
        | "credential.helper" => return Some(When::Network),
        "core.editor" | "sequence.editor" => return Some(When::Editor),
        "core.pager"
        | "core.fsmonitor"
        | "diff.external"
        | "gpg.program"
        | "interactive.difffilter"
        | "core.alternaterefscommand"
        | "uploadpack.packobjectshook"
        | "sendemail.tocmd"
        | "sendemail.cccmd"
        | "sendemail.sendmailcmd" => {
            return Some(When::Any);
        }
        _ => {}
    }
    let (section, _) = key.split_once('.')?;
    let (_, last) = key.rsplit_once('.')?;
    match (section, last) {
        ("credential", "helper") | ("remote", "uploadpack" | "receivepack" | "vcs") => {
            Some(When::Network)
        }
        ("pager", _)
        | ("filter", "clean" | "smudge" | "process")
        | ("diff", "command" | "textconv")
        | ("merge", "driver")
        | (
            "difftool" | "mergetool" | "browser" | "man" | "guitool" | "trailer",
            "cmd" | "command",
        )
        | ("gpg", "program") => Some(When::Any),
        _ => None,
    }
}

/// Options that a setting stands for.
pub(super) fn implied(name: &str, settings: &Settings) -> Vec<Field> {
    let mut fields = Vec::new();
    for (key, value) in &settings.config {
        let truth = matches!(value.exact(), Some("true" | "1" | "yes" | "on"));
        let option = match (name, key.as_str()) {
            ("gc", "gc.pruneexpire") => format!("--prune={}", value.shown()),
            ("clean", "clean.requireforce") if !truth => "--force".to_owned(),
            ("fetch" | "pull", "fetch.prune") if truth => "--prune".to_owned(),
            ("push", key) if truth && key.starts_with("remote.") && key.ends_with(".mirror") => {
                "--mirror".to_owned()
            }
            ("push", key)
                if key.starts_with("remote.")
                    && key.rsplit('.').next() == Some("push")
                    && value.prefix().starts_with('+') =>
            {
                "--force".to_owned()
            }
            _ => continue,
        };
        fields.push(Field::text(option, value.span));
    }
    fields
}

/// Follows an alias that the same command defines.
pub(super) fn alias(
    call: &mut Call<'_, '_>,
    name: &str,
    globals: &[Field],
    arguments: &[Field],
    settings: &Settings,
) {
    let lower = name.to_ascii_lowercase();
    let value = settings.config.iter().rev().find_map(|(key, value)| {
        let rest = key.strip_prefix("alias.")?;
        (rest == lower || rest.strip_suffix(".command") == Some(&lower)).then_some(value)
    });
    let Some(value) = value else { return };
    if let Some(code) = value.after("!") {
        super::named(call, Kind::Vcs, Act::AliasCommand, &code);
        call.run_code(super::shell(), &with_arguments(code, arguments));
        return;
    }
    let Some(text) = value.exact() else {
        call.run_code(super::shell(), value);
        return;
    };
    let words = split(text);
    // An alias does not lead to itself.
    if words.first().is_none_or(|word| word == name) {
        return;
    }
    let mut argv = vec![Field::text("git", call.span)];
    argv.extend_from_slice(globals);
    argv.extend(words.into_iter().map(|word| Field::text(word, value.span)));
    argv.extend_from_slice(arguments);
    call.run(&argv);
}

/// The code of an alias with the quoted arguments. Unknown parts become an unknown variable.
fn with_arguments(mut code: Field, arguments: &[Field]) -> Field {
    for argument in arguments {
        code.push_text(" ", None);
        for part in &argument.parts {
            match part {
                Part::Text { text, .. } => {
                    code.push_text("'", None);
                    code.push_text(&text.replace('\'', r"'\''"), None);
                    code.push_text("'", None);
                }
                Part::Glob(pattern) => code.push_text(pattern, None),
                Part::Unknown(unknown) => {
                    let name = unknown.name.strip_prefix('$').unwrap_or_default();
                    let plain = name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphabetic());
                    let name = if plain && !name.is_empty() { name } else { "_" };
                    code.push_text(&format!("\"${name}\""), None);
                }
            }
        }
    }
    code
}

/// Words as git splits an alias: quotes and backslashes, no expansion.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut open = false;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(mark), letter) if mark == letter => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                open = true;
            }
            (None | Some('"'), '\\') => {
                word.extend(letters.next());
                open = true;
            }
            (None, letter) if letter.is_ascii_whitespace() => {
                if open {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (_, letter) => {
                word.push(letter);
                open = true;
            }
        }
    }
    if open {
        words.push(word);
    }
    words
}
