//! Host resources given to a container.

use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::options::Options;
use crate::target::Target;
use crate::tools::table::on;
use crate::value::{Field, Part};

/// Reports options that open the host to the container.
pub(super) fn rights(call: &mut Call<'_, '_>, options: &Options<'_>) {
    call.machine.mounts.clear();
    for found in &options.found {
        let Some(value) = &found.value else {
            if found.name == "privileged" {
                call.effect_at(Kind::Container, Act::Privileged, Target::None, found.span);
            }
            continue;
        };
        let said = match found.name {
            "privileged" if !value.is("false") => {
                call.effect_at(Kind::Container, Act::Privileged, Target::None, found.span);
                continue;
            }
            "v" | "volume" => {
                mount(call, value);
                continue;
            }
            "mount" => {
                mount_option(call, value);
                continue;
            }
            "pid" | "ipc" | "uts" | "userns" | "net" | "network" | "cgroupns"
                if value.is("host") =>
            {
                let target = Target::name(found.name);
                call.effect_at(Kind::Container, Act::ShareNamespace, target, found.span);
                continue;
            }
            "device" => Act::ShareDevice,
            "cap-add" => Act::AddCapability,
            "security-opt" if loosens(value) => Act::SecurityOption,
            _ => continue,
        };
        on(call, Kind::Container, said, value, said == Act::ShareDevice).flags(false, false);
    }
}

fn loosens(value: &Field) -> bool {
    let text = value.prefix();
    text.contains("unconfined")
        || text.contains("disable")
        || text.ends_with("no-new-privileges=false")
}

/// `-v host:inside:options`; a name instead of a path is a volume of the engine.
fn mount(call: &mut Call<'_, '_>, value: &Field) {
    let (host, rest) = cut(value, ':');
    let Some(rest) = rest else { return };
    let text = host.prefix();
    let is_path = text.starts_with(['/', '.', '~', '\\'])
        || matches!(host.parts.first(), Some(Part::Unknown(_)))
        || text.as_bytes().get(1) == Some(&b':');
    if is_path {
        let read_only = rest.split([':', ',']).skip(1).any(|option| option == "ro");
        let inside = rest.split(':').next().unwrap_or_default();
        say_mount(call, &host, inside, read_only);
    }
}

/// Settings of one mount that are looked at.
const MAX_PIECES: usize = 16;

/// `--mount type=bind,source=/x,target=/y,readonly`.
fn mount_option(call: &mut Call<'_, '_>, value: &Field) {
    let shown = value.shown();
    let mut read_only = false;
    let mut bind = false;
    for piece in shown.split(',') {
        match piece {
            "readonly" | "ro" | "readonly=true" | "ro=true" => read_only = true,
            "type=bind" => bind = true,
            _ => {}
        }
    }
    let mut left = bind.then(|| value.clone());
    for _ in 0..MAX_PIECES {
        let Some(field) = left else { return };
        let (piece, rest) = cut_field(&field, ',');
        if let Some(source) = ["source=", "src="].iter().find_map(|name| piece.after(name)) {
            let inside = shown.split(',').find_map(|piece| {
                let names = ["target=", "destination=", "dst="];
                names.iter().find_map(|name| piece.strip_prefix(name))
            });
            say_mount(call, &source, inside.unwrap_or_default(), read_only);
            return;
        }
        left = rest;
    }
}

fn say_mount(call: &mut Call<'_, '_>, host: &Field, inside: &str, read_only: bool) {
    if inside.starts_with('/') {
        let outside = call.machine.path(host).shown().into_owned();
        call.machine.mounts.push((inside.to_owned(), outside));
    }
    let suffix = host.suffix();
    let action = if [".sock", "/docker", "/podman"].iter().any(|end| suffix.ends_with(end))
        && (suffix.contains("docker") || suffix.contains("podman") || suffix.contains("containerd"))
        && suffix.contains("run")
    {
        Act::MountControlSocket
    } else if read_only {
        Act::MountReadOnly
    } else {
        Act::Mount
    };
    call.on_path(Kind::Container, action, host);
}

/// The field up to the first separator in its text, and the text after it.
fn cut(field: &Field, separator: char) -> (Field, Option<String>) {
    let (before, after) = cut_field(field, separator);
    (before, after.map(|rest| rest.shown()))
}

fn cut_field(field: &Field, separator: char) -> (Field, Option<Field>) {
    let mut before = Field { span: field.span, flow: field.flow.clone(), ..Field::default() };
    let mut parts = field.parts.iter();
    while let Some(part) = parts.next() {
        let Part::Text { text, .. } = part else {
            before.push(part.clone());
            continue;
        };
        // `C:\x` is one path.
        let skip = usize::from(separator == ':' && before.parts.is_empty() && is_drive(text)) * 2;
        let found = text.get(skip..).and_then(|rest| rest.find(separator)).map(|at| at + skip);
        let Some(at) = found else {
            before.push(part.clone());
            continue;
        };
        before.push_text(text.get(..at).unwrap_or_default(), None);
        let mut after = Field { span: field.span, flow: field.flow.clone(), ..Field::default() };
        after.push_text(text.get(at + 1..).unwrap_or_default(), None);
        after.parts.extend(parts.cloned());
        return (before, Some(after));
    }
    (before, None)
}

pub(super) fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic())
}
