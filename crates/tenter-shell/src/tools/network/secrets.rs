//! Programs that reveal secrets: stores, keys, the environment, the clipboard.
//!
//! Actions: `read-secret` (read: a store prints a secret), `delete-secret` (delete), `print-environment`
//! (environment-dump), `make-key`, `change-key` and `forget-host` (write), `decrypt` (overwrite).

use super::write;
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::{Flow, Source, Stream};
use crate::options::{Options, Spec};
use crate::target::Target;
use crate::tools::files::{decoded, input};
use crate::value::Field;

/// A store prints a secret.
pub(super) fn hand_out(call: &mut Call<'_, '_>, store: &str, name: Option<&Field>) {
    let (target, span) = match name {
        Some(name) => (Target::Name(name.shown()), name.span),
        None => (Target::Name(store.to_owned()), call.span),
    };
    call.effect_at(Kind::Read, Act::ReadSecret, target, span);
    call.stdout = Stream::from(Source::Store(store.into()));
}

/// `store words...` that print, and those that delete.
const STORES: &[(&str, &str, &str)] = &[
    ("bw", "get|export|list", "delete"),
    ("chamber", "read|export|env", "delete"),
    (
        "doppler",
        "secrets",
        "secrets delete|projects delete|configs delete|environments delete|configs tokens revoke",
    ),
    ("gopass", "show|cat|otp|grep|env", "rm|remove|delete"),
    ("keepassxc-cli", "show|clip|export", "rm"),
    ("keyring", "get", "del"),
    ("lpass", "show|export", "rm"),
    (
        "op",
        "read|item get|document get|inject",
        "item delete|document delete|vault delete|user delete|user suspend|group delete|connect server delete",
    ),
    ("pass", "show|grep|otp", "rm|remove|delete"),
    ("secret-tool", "lookup|search", "clear"),
    (
        "security",
        "find-generic-password|find-internet-password|dump-keychain|export|find-key|cms",
        "delete-generic-password|delete-internet-password|delete-keychain|delete-identity|delete-certificate|delete-key",
    ),
];

/// Password managers and secret services.
pub(super) fn store(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "s:a:l:j:G:k:o:c:C:D:p:t:",
        "vault= account= session= address= namespace= field= fields= format= mount= \
         project= config= token= itemid= output= organizationid= path=",
    ));
    if options.has(&["help", "version"]) {
        return;
    }
    let Some((name, prints, deletes)) = STORES.iter().find(|(name, ..)| *name == call.name) else {
        return;
    };
    if let Some(used) = words(&options, deletes) {
        let target =
            options.operands.get(used).map_or(Target::None, |field| Target::Name(field.shown()));
        call.effect(Kind::Delete, Act::DeleteSecret, target);
    } else if let Some(used) = words(&options, prints) {
        // A search in the keychain of macOS shows the secret only if asked to.
        let shows = *name != "security"
            || options.has(&["w", "g", "d"])
            || !options.operand(0).is_some_and(|word| word.starts_with("find-"));
        if shows {
            hand_out(call, name, options.operands.get(used).copied());
        }
    } else if matches!(*name, "pass" | "gopass")
        && options.operands.len() == 1
        && !is_command(&options)
    {
        hand_out(call, name, options.operands.first().copied());
    }
}

/// How many operands the first of `alternatives` that fits takes.
fn words(options: &Options<'_>, alternatives: &str) -> Option<usize> {
    alternatives.split('|').filter(|words| !words.is_empty()).find_map(|words| {
        let count = words.split(' ').count();
        words
            .split(' ')
            .enumerate()
            .all(|(at, word)| options.operand(at) == Some(word))
            .then_some(count)
    })
}

/// `pass NAME` shows; other words are commands of their own.
fn is_command(options: &Options<'_>) -> bool {
    let commands = [
        "ls", "list", "find", "search", "init", "git", "help", "version", "insert", "add", "edit",
        "generate", "cp", "mv", "sync", "setup", "config", "audit", "mounts",
    ];
    options.operand(0).is_some_and(|word| commands.contains(&word))
}

/// Prints what an encrypted file holds, or puts it in its place.
pub(super) fn sops(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "k:p:",
        "output= input-type= output-type= extract= decrypt encrypt in-place kms= pgp= \
         age=",
    ));
    let verb = options.operand(0);
    if !options.has(&["d", "decrypt"]) && verb != Some("decrypt") {
        return;
    }
    let at = usize::from(verb == Some("decrypt"));
    let Some(file) = options.operands.get(at) else {
        return;
    };
    let content = decoded(&input(call, Act::Read, file));
    let output = options.value(&["output"]);
    match output.or_else(|| options.has(&["i", "in-place"]).then_some(*file)) {
        Some(output) => write(call, Kind::Overwrite, Act::Decrypt, output, content),
        None => call.stdout = content,
    }
}

const KEYGEN: Spec = Spec::new("a:b:C:D:E:f:F:I:J:K:M:m:n:N:O:P:R:r:s:t:T:V:w:W:Y:Z:z:", "");

pub(super) fn ssh_keygen(call: &mut Call<'_, '_>) {
    let options = call.options(&KEYGEN);
    let home = call.machine.world.home.unwrap_or("~");
    if options.has(&["R"]) {
        let known = Field::text([home, "/.ssh/known_hosts"].concat(), call.span);
        let file = options.value(&["f"]).cloned().unwrap_or(known);
        call.on_path(Kind::Write, Act::ForgetHost, &file);
    } else if options.has(&["y", "e"]) {
        if let Some(file) = options.value(&["f"]) {
            input(call, Act::ReadKey, file);
        }
        call.stdout = Stream::default();
    } else if options.has(&["l", "F", "B", "L", "Q", "H", "Y", "A", "k", "D", "M"]) {
    } else if let Some(file) = options.value(&["f"]) {
        let changes = options.has(&["p", "c"]);
        let action = if changes { Act::ChangeKey } else { Act::MakeKey };
        call.on_path(Kind::Write, action, file);
    } else {
        call.effect(Kind::Write, Act::MakeKey, Target::None);
    }
}

/// Keys leave the agent, one or all of them.
pub(super) fn ssh_add(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("E:e:H:h:S:s:T:t:", ""));
    if options.has(&["D"]) {
        call.effect(Kind::Delete, Act::DeleteSecret, Target::name("ssh-agent"));
    } else if options.has(&["d"]) {
        for key in &options.operands {
            call.effect_at(Kind::Delete, Act::DeleteSecret, Call::named(key), key.span);
        }
    }
}

/// All of the environment, or some variables of it.
pub(super) fn printenv(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("", "null help version"));
    if options.has(&["help", "version"]) {
        return;
    }
    if options.operands.is_empty() {
        call.effect(Kind::EnvironmentDump, Act::PrintEnvironment, Target::None);
        call.stdout = Stream::from(Source::Environment);
        return;
    }
    let mut flow = Flow::default();
    for name in &options.operands {
        flow.add(Source::Variable(name.shown().into()));
    }
    call.stdout = Stream::unknown(flow);
}

/// `ps auxe` shows the environment of every process. With a dash the letter says which processes.
pub(super) fn ps(call: &mut Call<'_, '_>) {
    let letters = |field: &Field| {
        let text = field.prefix();
        text.contains('e') && text.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    // Behind an option a word may be its value: `ps -o pid,etime -C node`.
    if call.arguments().first().is_some_and(letters)
        || call.arguments().iter().any(|it| it.is("-E"))
    {
        call.stdout = Stream::from(Source::Environment);
    }
}

/// `getent shadow` prints what only root may read.
pub(super) fn getent(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("s:i", "service="));
    if let Some(name @ ("shadow" | "gshadow")) = options.operand(0) {
        let file = Field::text(["/etc/", name].concat(), call.span);
        call.stdout = input(call, Act::Print, &file);
    }
}

pub(super) fn clipboard(call: &mut Call<'_, '_>) {
    call.stdout = Stream::from(Source::Store("clipboard".into()));
}

/// Copied text is not printed.
pub(super) fn copy(call: &mut Call<'_, '_>) {
    call.stdout = Stream::empty();
}

pub(super) fn xclip(call: &mut Call<'_, '_>) {
    let letters = |field: &Field| {
        let text = field.prefix();
        let long = text.starts_with("--") || text.starts_with("-sel");
        matches!(text, "--output" | "-out")
            || (!long && text.starts_with('-') && text.contains('o'))
    };
    // `xsel` prints unless it is told to take something.
    let takes = ["-i", "--input", "-bi", "-ib", "-a", "-c", "-k", "-d", "-bc", "-x"];
    let prints = call.name == "xsel"
        && !call.arguments().iter().any(|field| takes.iter().any(|letter| field.is(letter)))
        && call.stdin == Stream::default();
    if prints || call.arguments().iter().any(letters) {
        clipboard(call);
    } else {
        copy(call);
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn stores_hand_out_and_delete() {
        check(
            r"
            pass show a/b => read read-secret a/b certain
            pass a/b => read read-secret a/b certain
            pass ls =>
            pass rm a => delete delete-secret a certain
            security find-generic-password -s x -w => read read-secret security certain
            security find-generic-password -s x =>
            security dump-keychain => read read-secret security certain
            security list-keychains =>
            secret-tool lookup a b => read read-secret a certain
            bw get password x => read read-secret password certain
            printenv => environment-dump print-environment  certain
            printenv PATH =>
            keepassxc-cli show -s v.kdbx shop => read read-secret shop certain
            getent shadow root => read print /etc/shadow certain
            getent passwd root =>
            ",
        );
    }

    #[test]
    fn keys_are_made_and_files_decrypted() {
        check(
            r"
            ssh-keygen -t ed25519 -f k -N x => write make-key /shop/k certain
            ssh-keygen -R h => write forget-host /home/me/.ssh/known_hosts certain
            ssh-keygen -p -f k => write change-key /shop/k certain
            ssh-keygen -lf k =>
            ssh-add -D => delete delete-secret ssh-agent certain
            ssh-add -l =>
            ssh-keygen -y -f k => read read-key /shop/k certain
            xclip -o =>
            pbcopy =>
            ",
        );
    }
}
