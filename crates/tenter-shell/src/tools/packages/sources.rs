//! Package sources and whether they are verified: options, settings and variables.
//!
//! - `index`: another registry;
//! - `unchecked`: certificates, signatures or checksums are not looked at.

use super::named;
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::expand::Variable;
use crate::options::Options;
use crate::target::Target;
use crate::value::Field;

/// Options whose values are addresses of registries.
const REGISTRIES: &[&str] =
    &["registry", "index-url", "extra-index-url", "find-links", "index", "default-index"];

/// Flags that switch checks off.
const UNCHECKED: &[&str] = &[
    "allow-unauthenticated",
    "force-yes",
    "allow-untrusted",
    "nogpgcheck",
    "no-gpg-checks",
    "no-gpg-check",
    "nosignature",
    "ignore-checksums",
    "dangerous",
    "allow-empty-checksums",
    "no-verify-ssl",
    "insecure",
];

/// Packages come from another registry: options that say so.
pub(crate) fn index(call: &mut Call<'_, '_>, options: &Options<'_>, names: &[&str]) {
    for address in options.values(names) {
        other(call, address);
    }
}

/// The same for options that all programs of one kind have; also those that switch checks off.
pub(crate) fn options(call: &mut Call<'_, '_>, options: &Options<'_>) {
    index(call, options, REGISTRIES);
    checks(call, options);
}

/// Options that switch checks off.
pub(crate) fn checks(call: &mut Call<'_, '_>, options: &Options<'_>) {
    for found in &options.found {
        let value = found.value.as_ref();
        match found.name {
            "trusted-host" | "allow-insecure-host" => {
                if let Some(host) = value {
                    named(call, Act::Unchecked, host);
                }
            }
            "strict-ssl" if value.is_some_and(|value| value.is("false")) => {
                call.effect_at(Kind::Install, Act::Unchecked, Target::name(found.name), found.span);
            }
            "option" | "o" if value.is_some_and(unsigned) => {
                call.effect_at(Kind::Install, Act::Unchecked, Target::name(found.name), found.span);
            }
            name if UNCHECKED.contains(&name) && value.is_none_or(|value| !value.is("false")) => {
                call.effect_at(Kind::Install, Act::Unchecked, Target::name(name), found.span);
            }
            _ => {}
        }
    }
}

/// `-o APT::Get::AllowUnauthenticated=true` and its kin.
fn unsigned(setting: &Field) -> bool {
    let text = setting.prefix().to_ascii_lowercase();
    let Some((name, value)) = text.split_once('=') else { return false };
    let on = matches!(value, "true" | "1" | "yes");
    match name.rsplit("::").next().unwrap_or_default() {
        "allowunauthenticated" | "allowinsecurerepositories" | "allowdowngradetoinsecure" => on,
        "verify-peer" | "verify-host" => !on,
        _ => false,
    }
}

pub(super) fn other(call: &mut Call<'_, '_>, address: &Field) {
    let target = Target::Host(address.shown());
    call.effect_at(Kind::Install, Act::Index, target, address.span);
}

/// `config set KEY VALUE`, with the words before the key taken off. Also `KEY=VALUE`.
pub(crate) fn settings(call: &mut Call<'_, '_>, words: &[&Field]) {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.prefix();
        match text.split_once('=') {
            Some((key, _)) => {
                if let Some(value) = word.without_prefix(key.len() + 1) {
                    setting(call, key, &value);
                }
            }
            None => {
                let Some(value) = words.next() else { return };
                setting(call, text, value);
            }
        }
    }
}

/// One setting of a package manager: a registry, or a check that is switched off.
fn setting(call: &mut Call<'_, '_>, key: &str, value: &Field) {
    let name = key.rsplit(['.', ':']).next().unwrap_or(key);
    match name {
        "registry" | "npmRegistryServer" | "index-url" | "extra-index-url" | "find-links"
        | "GOPROXY" => other(call, value),
        "trusted-host" | "GOINSECURE" | "GONOSUMDB" | "GONOSUMCHECK" => {
            named(call, Act::Unchecked, value);
        }
        "strict-ssl" | "enableStrictSsl" | "GOSUMDB" if value.is("false") || value.is("off") => {
            call.effect_at(Kind::Install, Act::Unchecked, Target::name(name), value.span);
        }
        _ => {}
    }
}

/// Variables of the environment that say it, set for this program or exported before.
pub(crate) fn environment(call: &mut Call<'_, '_>) {
    if call.machine.assignments.is_empty() && call.machine.shell.variables.is_empty() {
        return;
    }
    let set = call.machine.assignments.iter().filter_map(|(name, value)| {
        let key = variable(name)?;
        Some((key, value.clone()))
    });
    let exported = call.machine.shell.variables.iter().filter(|slot| slot.exported);
    let exported = exported.filter_map(|slot| {
        let key = variable(&slot.name)?;
        match slot.values.first() {
            Some(Variable::Scalar(value)) => Some((key, value.clone())),
            _ => None,
        }
    });
    let mut said: Vec<(&'static str, Field)> = set.collect();
    for (key, value) in exported {
        if !said.iter().any(|(known, _)| *known == key) {
            said.push((key, value));
        }
    }
    for (key, value) in said {
        setting(call, key, &value);
    }
}

/// The setting that a variable stands for.
fn variable(name: &str) -> Option<&'static str> {
    Some(match name {
        "PIP_INDEX_URL" | "UV_INDEX_URL" | "UV_DEFAULT_INDEX" => "index-url",
        "PIP_EXTRA_INDEX_URL" | "UV_EXTRA_INDEX_URL" | "UV_INDEX" => "extra-index-url",
        "PIP_FIND_LINKS" | "UV_FIND_LINKS" => "find-links",
        "PIP_TRUSTED_HOST" | "UV_INSECURE_HOST" => "trusted-host",
        "NPM_CONFIG_REGISTRY"
        | "npm_config_registry"
        | "YARN_REGISTRY"
        | "YARN_NPM_REGISTRY_SERVER"
        | "BUN_CONFIG_REGISTRY" => "registry",
        "NPM_CONFIG_STRICT_SSL" | "npm_config_strict_ssl" => "strict-ssl",
        "GOPROXY" => "GOPROXY",
        "GOINSECURE" => "GOINSECURE",
        "GONOSUMDB" | "GONOSUMCHECK" => "GONOSUMDB",
        "GOSUMDB" => "GOSUMDB",
        _ => return None,
    })
}
