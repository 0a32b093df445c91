//! `git config`, and settings that other subcommands write.
//!
//! - `config`, `config-global` (vcs): a setting is written, for this repository or for the user.
//! - `config-file` (write): a file is written that is named.
//! - `config-code` (vcs): a setting that makes git run a command later, or read further settings or
//!   hooks.
//! - `config-credentials` (vcs): who is asked for passwords, and where they are kept.
//! - `hooks-path` (hook-bypass): hooks are looked for elsewhere from now on.
//! - `tls-off` (hook-bypass): certificates of servers are no longer looked at.
//! - `config-url` (vcs-remote): addresses are replaced by others.

use super::specs::CONFIG;
use super::{Subs, named, options};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::options::Options;
use crate::target::Target;
use crate::value::Field;

pub(super) const SUBS: Subs = &[("config", config)];

fn config(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let Some(options) = options(arguments, &CONFIG) else { return };
    if options.has(&[
        "get",
        "get-all",
        "get-regexp",
        "get-urlmatch",
        "list",
        "l",
        "get-color",
        "get-colorbool",
    ]) {
        return;
    }
    let mut operands = options.operands.as_slice();
    let mut unset = options.has(&["unset", "unset-all", "remove-section", "rename-section"]);
    let mut set = options.has(&["add", "replace-all"]);
    match operands.first().and_then(|field| field.exact()) {
        Some("list" | "get" | "edit") => return,
        Some("set") => set = true,
        Some("unset" | "remove-section" | "rename-section") => unset = true,
        _ => {
            return write(call, &options, operands, unset || operands.len() > 1 || set);
        }
    }
    operands = operands.get(1..).unwrap_or_default();
    write(call, &options, operands, unset || (set && operands.len() > 1));
}

fn write(call: &mut Call<'_, '_>, options: &Options<'_>, operands: &[&Field], writes: bool) {
    let Some(key) = operands.first().filter(|_| writes) else { return };
    if let Some(file) = options.value(&["f", "file"]) {
        call.on_path(Kind::Write, Act::ConfigFile, file);
    }
    let action = if options.has(&["global", "system"]) { Act::ConfigGlobal } else { Act::Config };
    setting(call, key, operands.get(1).copied(), action);
}

/// `name=value` given to `git clone`.
pub(super) fn given(call: &mut Call<'_, '_>, field: &Field) {
    let Some((name, _)) = field.prefix().split_once('=') else { return };
    let value = field.without_prefix(name.len() + 1);
    let key = Field::text(name, field.span);
    setting(call, &key, value.as_ref(), Act::Config);
}

fn setting(call: &mut Call<'_, '_>, key: &Field, value: Option<&Field>, action: Act) {
    let lower = key.prefix().to_ascii_lowercase();
    let command =
        lower.starts_with("alias.") && value.is_some_and(|value| value.prefix().starts_with('!'));
    let last = lower.rsplit('.').next().unwrap_or_default();
    let address = matches!(last, "insteadof" | "pushinsteadof")
        || (lower.starts_with("remote.") && matches!(last, "url" | "pushurl"));
    if lower == "core.hookspath" || key.exact() == Some("core") {
        match value {
            Some(value) => _ = call.on_path(Kind::HookBypass, Act::HooksPath, value),
            None => _ = call.effect_at(Kind::HookBypass, Act::HooksPath, Target::None, key.span),
        }
    } else if last == "sslverify" && value.is_some_and(super::settings::is_off) {
        call.effect_at(Kind::HookBypass, Act::TlsOff, Target::None, key.span);
    } else if address {
        let target = Target::Host(value.unwrap_or(key).shown());
        call.effect_at(Kind::VcsRemote, Act::ConfigUrl, target, key.span);
    } else if lower.starts_with("credential.") {
        named(call, Kind::Vcs, Act::ConfigCredentials, key);
    } else if value.is_some()
        && (command
            || super::settings::holds_code(&lower)
            || matches!(lower.as_str(), "include.path" | "init.templatedir")
            || lower.starts_with("includeif."))
    {
        if let Some(value) = value {
            call.machine.hidden_code("git", value);
        }
        let effect = named(call, Kind::Vcs, Act::ConfigCode, key);
        effect.sources = value.map(Field::sources).unwrap_or_default();
    } else {
        named(call, Kind::Vcs, action, key);
    }
}
