//! File permissions: modes, owners, access lists, attributes.
//!
//! Actions of [`Kind::Permission`]: `setuid` (runs with its owner's rights), `world-writable`
//! (everybody may write), `remove-access` (nobody, or its owner no more, may read), `mode` (any
//! other mode), `acl` (access lists), `immutable` and `mutable` (protection from change is put on
//! or taken off), `attributes`, `capabilities`, `unquarantine` (the mark of a download is taken
//! off), `context` (security labels).
//! Actions of [`Kind::Owner`]: `owner`, `group`.

use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::{Certainty, Kind};
use crate::options::{Options, Spec};
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("attrib", attrib),
    ("chattr", chattr),
    ("chcon", chcon),
    ("chflags", chflags),
    ("chgrp", chown),
    ("chmod", chmod),
    ("chown", chown),
    ("icacls", icacls),
    ("restorecon", restorecon),
    ("setcap", setcap),
    ("setfacl", setfacl),
    ("setfattr", setfattr),
    ("takeown", takeown),
    ("xattr", xattr),
];

const CHMOD: Spec = Spec::new(
    "",
    "changes dereference help no-dereference no-preserve-root preserve-root quiet \
     recursive reference= silent verbose version",
);

fn chmod(call: &mut Call<'_, '_>) {
    let options = call.options(&CHMOD);
    if options.has(&["help", "version"]) {
        return;
    }
    let dashed = dashed_mode(call.arguments());
    let mut files = options.operands.as_slice();
    let (action, certainty) = if options.has(&["reference"]) {
        (Act::Mode, Certainty::Certain)
    } else if let Some(mode) = dashed {
        (mode_action(mode), Certainty::Certain)
    } else {
        let Some((mode, rest)) = files.split_first() else {
            return;
        };
        files = rest;
        match mode.exact() {
            Some(mode) => (mode_action(mode), Certainty::Certain),
            None => (Act::Mode, Certainty::Possible),
        }
    };
    let recursive = options.has(&["R", "recursive"]);
    for file in files {
        let effect = call.on_path(Kind::Permission, action, file);
        effect.recursive = recursive;
        effect.certainty = effect.certainty.min(certainty);
    }
}

/// A mode that takes rights away may look like an option: `chmod -x file`.
fn dashed_mode(arguments: &[Field]) -> Option<&str> {
    arguments.iter().filter_map(Field::exact).take_while(|text| *text != "--").find(|text| {
        text.strip_prefix('-')
            .is_some_and(|mode| mode.starts_with(|c| "rwxXstugoa01234567".contains(c)))
    })
}

/// The action of a mode: octal or symbolic, as in chmod.
pub(super) fn mode_action(mode: &str) -> Act {
    let digits = mode.trim_start_matches(['+', '=']);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let bits = u32::from_str_radix(digits, 8).unwrap_or(0);
        return if bits & 0o6000 != 0 {
            Act::Setuid
        } else if bits & 0o002 != 0 {
            Act::WorldWritable
        } else if bits & 0o700 == 0 && !mode.starts_with('+') {
            Act::RemoveAccess
        } else {
            Act::Mode
        };
    }
    let actions = mode.split(',').map(clause_action);
    [Act::Setuid, Act::WorldWritable, Act::RemoveAccess]
        .into_iter()
        .find(|wanted| actions.clone().any(|action| action == *wanted))
        .unwrap_or(Act::Mode)
}

/// One clause of a symbolic mode: `u+s`, `go=rw`, `a-x+w`.
fn clause_action(clause: &str) -> Act {
    let who_end = clause.find(['+', '-', '=']).unwrap_or(clause.len());
    let (who, mut rest) = clause.split_at_checked(who_end).unwrap_or((clause, ""));
    let mut found = Act::Mode;
    while let Some(operator) = rest.chars().next() {
        let tail = rest.get(1..).unwrap_or_default();
        let end = tail.find(['+', '-', '=']).unwrap_or(tail.len());
        let (rights, next) = tail.split_at_checked(end).unwrap_or((tail, ""));
        rest = next;
        let owner = who.is_empty() || who.contains(['u', 'a']);
        let gives = operator != '-';
        if gives && rights.contains('s') && !who.eq("o") {
            return Act::Setuid;
        }
        // Without a "who" the umask keeps others out.
        if gives && rights.contains('w') && who.contains(['o', 'a']) {
            found = Act::WorldWritable;
        }
        let takes =
            (operator == '-' && rights.contains('r')) || (operator == '=' && rights.is_empty());
        if takes && owner && found == Act::Mode {
            found = Act::RemoveAccess;
        }
    }
    found
}

const CHOWN: Spec = Spec::new(
    "",
    "changes dereference from= help no-dereference no-preserve-root preserve-root quiet \
     recursive reference= silent verbose version",
);

fn chown(call: &mut Call<'_, '_>) {
    let options = call.options(&CHOWN);
    if options.has(&["help", "version"]) {
        return;
    }
    let skip = usize::from(!options.has(&["reference"]));
    let action = if call.name == "chgrp" { Act::Group } else { Act::Owner };
    let recursive = options.has(&["R", "recursive"]);
    for file in options.operands.iter().skip(skip) {
        call.on_path(Kind::Owner, action, file).recursive = recursive;
    }
}

/// Every operand from `skip` on gets its permissions changed.
fn on_operands(call: &mut Call<'_, '_>, action: Act, options: &Options<'_>, skip: usize) {
    let recursive = options.has(&["R", "r", "recursive"]);
    for file in options.operands.iter().skip(skip) {
        call.on_path(Kind::Permission, action, file).recursive = recursive;
    }
}

const SETFACL: Spec = Spec::new(
    "m:x:M:X:",
    "modify= modify-file= set= set-file= remove= remove-file= remove-all remove-default \
     restore= test recursive help version",
);

fn setfacl(call: &mut Call<'_, '_>) {
    let options = call.options(&SETFACL);
    if options.has(&["help", "version", "test", "v", "h"]) {
        return;
    }
    if let Some(file) = options.value(&["restore"]) {
        call.read(Act::Read, file);
    }
    on_operands(call, Act::Acl, &options, 0);
}

/// `chattr [-RVf] [-v version] [-p project] +i|-i|=i file...`
fn chattr(call: &mut Call<'_, '_>) {
    let mut recursive = false;
    let mut action = None;
    let mut files = Vec::new();
    let mut arguments = call.arguments().iter();
    while let Some(field) = arguments.next() {
        match field.prefix() {
            "-v" | "-p" => {
                arguments.next();
            }
            flags
                if flags.len() > 1
                    && flags
                        .strip_prefix('-')
                        .is_some_and(|rest| rest.bytes().all(|b| b"RVf".contains(&b))) =>
            {
                recursive |= flags.contains('R');
            }
            change
                if change.len() > 1 && change.starts_with(['+', '-', '=']) && files.is_empty() =>
            {
                let protects = change.contains(['i', 'a']);
                action = Some(match (protects, change.starts_with('-')) {
                    (true, false) => Act::Immutable,
                    (true, true) => Act::Mutable,
                    (false, _) => action.unwrap_or(Act::Attributes),
                });
            }
            _ => files.push(field),
        }
    }
    let Some(action) = action else {
        return;
    };
    for file in files {
        call.on_path(Kind::Permission, action, file).recursive = recursive;
    }
}

fn chflags(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("", ""));
    let action = match options.operand(0) {
        Some(flags) if flags.contains("nouchg") || flags.contains("noschg") => Act::Mutable,
        Some(flags) if flags.contains("chg") || flags.contains("append") => Act::Immutable,
        _ => Act::Attributes,
    };
    on_operands(call, action, &options, 1);
}

const CHCON: Spec =
    Spec::new("u:r:t:l:", "user= role= type= range= reference= recursive verbose help version");

fn chcon(call: &mut Call<'_, '_>) {
    let options = call.options(&CHCON);
    if options.has(&["help", "version"]) {
        return;
    }
    let partial = options.has(&["u", "r", "t", "l", "user", "role", "type", "range", "reference"]);
    let recursive = options.has(&["R", "recursive"]);
    for file in options.operands.iter().skip(usize::from(!partial)) {
        call.on_path(Kind::Permission, Act::Context, file).recursive = recursive;
    }
}

fn restorecon(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("e:f:o:T:", ""));
    if !options.has(&["n"]) {
        on_operands(call, Act::Context, &options, 0);
    }
}

/// `setcap caps file [caps file]...`, `setcap -r file...`
fn setcap(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("n:", ""));
    if options.has(&["v", "h", "help"]) {
        return;
    }
    if options.has(&["r"]) {
        on_operands(call, Act::Capabilities, &options, 0);
        return;
    }
    for pair in options.operands.chunks(2) {
        if let [_, file] = pair {
            call.on_path(Kind::Permission, Act::Capabilities, file);
        }
    }
}

fn setfattr(call: &mut Call<'_, '_>) {
    let options =
        call.options(&Spec::new("n:v:x:", "name= value= remove= restore= no-dereference"));
    if options.has(&["n", "name", "x", "remove"]) {
        on_operands(call, Act::Attributes, &options, 0);
    }
}

/// macOS: `xattr -d name file...`, `-w name value file...`, `-c file...`; the rest lists or prints.
fn xattr(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("", ""));
    let skip = if options.has(&["c"]) {
        0
    } else if options.has(&["d"]) {
        1
    } else if options.has(&["w"]) {
        2
    } else {
        return;
    };
    let takes_off = !options.has(&["w"])
        && (options.has(&["c"])
            || options.operand(0).is_some_and(|name| name == "com.apple.quarantine"));
    on_operands(call, if takes_off { Act::Unquarantine } else { Act::Attributes }, &options, skip);
}

/// `icacls path /grant ...`; without a change it prints.
fn icacls(call: &mut Call<'_, '_>) {
    let changes =
        ["grant", "deny", "remove", "remove:g", "remove:d", "inheritance", "reset", "restore"];
    let owner = call.slash("setowner").is_some();
    let Some(path) = call.arguments().first() else {
        return;
    };
    // After `C:\` a shell of Unix takes the blank for a part of the name.
    let glued = path.shown().contains(" /grant");
    if !owner && !glued && !changes.iter().any(|name| call.slash(name).is_some()) {
        return;
    }
    let recursive = call.slash("t").is_some();
    let open = call.arguments().iter().any(|field| {
        let text = field.shown().to_ascii_lowercase();
        text.starts_with("everyone:") && text.contains(['f', 'm', 'w'])
    });
    let effect = match (owner, open) {
        (true, _) => call.on_path(Kind::Owner, Act::Owner, path),
        (false, true) => call.on_path(Kind::Permission, Act::WorldWritable, path),
        (false, false) => call.on_path(Kind::Permission, Act::Acl, path),
    };
    effect.recursive = recursive;
}

fn takeown(call: &mut Call<'_, '_>) {
    let recursive = call.slash("r").is_some();
    if let Some(path) = call.after_slash("f") {
        call.on_path(Kind::Owner, Act::Owner, path).recursive = recursive;
    }
}

/// `attrib +h -r file`; without a sign it prints.
fn attrib(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    if !arguments.iter().any(|field| field.prefix().starts_with(['+', '-'])) {
        return;
    }
    let recursive = call.slash("s").is_some();
    for file in arguments.iter().filter(|field| !field.prefix().starts_with(['+', '-', '/'])) {
        call.on_path(Kind::Permission, Act::Attributes, file).recursive = recursive;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::table::testing::check;

    #[test]
    fn modes_are_told_apart() {
        for (mode, action) in [
            ("755", "mode"),
            ("4755", "setuid"),
            ("2755", "setuid"),
            ("777", "world-writable"),
            ("0666", "world-writable"),
            ("1777", "world-writable"),
            ("000", "remove-access"),
            ("0", "remove-access"),
            ("077", "world-writable"),
            ("+x", "mode"),
            ("+w", "mode"),
            ("u+x,g-w", "mode"),
            ("a+w", "world-writable"),
            ("ugo+rwx", "world-writable"),
            ("o=rw", "world-writable"),
            ("o-w", "mode"),
            ("go-rwx", "mode"),
            ("u+s", "setuid"),
            ("g=rxs", "setuid"),
            ("u-s", "mode"),
            ("u+x+s", "setuid"),
            ("a-rwx", "remove-access"),
            ("a=", "remove-access"),
            ("u-w", "mode"),
            ("o+t", "mode"),
            ("strange", "mode"),
        ] {
            assert_eq!(mode_action(mode).name(), action, "{mode}");
        }
    }

    #[test]
    fn chmod_changes_every_file_it_names() {
        check(
            r"
            chmod -R 777 a /b => permission world-writable /shop/a certain -r; permission world-writable /b certain -r
            chmod 644 --rec x => permission mode /shop/x certain -r
            chmod -x run.sh => permission mode /shop/run.sh certain
            chmod -r -R secret => permission remove-access /shop/secret certain -r
            chmod --reference=a b => permission mode /shop/b certain
            chmod --reference --help /b => permission mode /b certain
            ",
        );
    }

    #[test]
    fn owners_and_groups_change() {
        check(
            r"
            chown -R me:me /usr => owner owner /usr certain -r
            chown --from=a b f => owner owner /shop/f certain
            chown -hR --reference=/r / => owner owner / certain -r
            chgrp staff f g => owner group /shop/f certain; owner group /shop/g certain
            takeown /F x /R => owner owner /shop/x certain -r
            ",
        );
    }

    #[test]
    fn attributes_and_lists_change() {
        check(
            r"
            setfacl -m u:a:rwx -R d => permission acl /shop/d certain -r
            setfacl -b f => permission acl /shop/f certain
            chattr -i /etc/passwd => permission mutable /etc/passwd certain
            chattr -R +i d => permission immutable /shop/d certain -r
            chattr +C d => permission attributes /shop/d certain
            chcon -t bin_t f => permission context /shop/f certain
            chcon a:b:c f => permission context /shop/f certain
            setcap cap_net_raw+ep f => permission capabilities /shop/f certain
            xattr -d com.apple.quarantine f => permission unquarantine /shop/f certain
            xattr -w k v f => permission attributes /shop/f certain
            chflags nouchg f => permission mutable /shop/f certain
            icacls C:\x /grant Everyone:F /T => permission world-writable C:/x certain -r
            attrib +h f => permission attributes /shop/f certain
            ",
        );
    }

    #[test]
    fn questions_and_incomplete_commands_do_nothing() {
        check(
            r"
            chmod --help =>
            chmod -R /var =>
            chmod --version 777 x =>
            chown root =>
            setfacl --test -m u:a:r f =>
            chattr f =>
            restorecon -n f =>
            setcap -v x f =>
            xattr -l f =>
            xattr -p name f =>
            icacls x =>
            attrib x =>
            ",
        );
    }
}
