//! Programs that encode and decode, encrypt and decrypt.
//!
//! Actions: `print` (content is shown or passed on), `decode` (a file is decoded), `encrypt`,
//! `save` (the result goes to a file), `digest`, `key` (a key or certificate is read), `connect` (a
//! raw connection to a host), `read-secret` (a secret key leaves the key ring), `delete-key`,
//! `send-key`, `receive-key`.

use super::files::{
    decoded, filtered, input, inputs, only_shows, put, reshaped, unnamed, written_kind,
};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::{Source, Stream};
use crate::options::{Options, Spec};
use crate::target::Target;
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("base64", base64),
    ("b64decode", b64decode),
    ("b64encode", b64encode),
    ("gbase64", base64),
    ("base32", base64),
    ("basenc", base64),
    ("base58", base64),
    ("xxd", xxd),
    ("uudecode", uudecode),
    ("uuencode", uuencode),
    ("openssl", openssl),
    ("gpg", gpg),
    ("gpg2", gpg),
    ("age", age),
    ("rage", age),
];

fn base64(call: &mut Call<'_, '_>) {
    let spec =
        Spec::new("w:b:o:", "decode ignore-garbage wrap= break= output= input= help version");
    let options = call.options(&spec);
    if only_shows(&options) {
        return;
    }
    let mut files: Vec<&Field> = options.operands.clone();
    files.extend(options.value(&["input"]));
    let decodes = options.has(&["d", "D", "decode"]);
    let content = inputs(call, if decodes { Act::Decode } else { Act::Print }, &files, false);
    let result = coded(call, &content, &options.operands, decodes);
    finish(call, options.value(&["o", "output"]), result);
}

/// BSD's `b64decode -r FILE`
fn b64decode(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("o:", ""));
    let content = inputs(call, Act::Decode, &options.operands, false);
    let result = coded(call, &content, &options.operands, true);
    finish(call, options.value(&["o"]), result);
}

/// `b64encode [-r] [FILE] NAME`
fn b64encode(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("o:", ""));
    let files = match options.operands.as_slice() {
        [file, _] => vec![*file],
        _ => Vec::new(),
    };
    let content = inputs(call, Act::Print, &files, false);
    let result = coded(call, &content, &files, false);
    finish(call, options.value(&["o"]), result);
}

fn xxd(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("c:g:l:s:o:n:R:", "help version"));
    if only_shows(&options) || options.has(&["h", "v"]) {
        return;
    }
    let decodes = options.has(&["r", "revert"]);
    let files: Vec<&Field> = options.operands.iter().take(1).copied().collect();
    let content = inputs(call, if decodes { Act::Decode } else { Act::Print }, &files, false);
    let result = coded(call, &content, &files, decodes);
    finish(call, options.operands.get(1).copied(), result);
}

/// The text before or after coding, where it can be computed.
fn coded(call: &Call<'_, '_>, content: &Stream, files: &[&Field], decodes: bool) -> Stream {
    let mut result = if decodes { decoded(content) } else { reshaped(content) };
    result.text = filtered(call, files, content).text;
    result
}

/// The result is printed, or goes to a file.
fn finish(call: &mut Call<'_, '_>, output: Option<&Field>, result: Stream) {
    match output {
        Some(output) if !output.is("-") => {
            call.stdout = Stream::empty();
            let kind = written_kind(call, output, Kind::Overwrite);
            put(call, kind, Act::Save, output, result);
        }
        _ => call.stdout = result,
    }
}

fn uudecode(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("o:", "output-file= help version"));
    if only_shows(&options) {
        return;
    }
    let content = inputs(call, Act::Decode, &options.operands, false);
    let result = decoded(&content);
    if options.has(&["p"]) {
        call.stdout = result;
        return;
    }
    // Without an option the data says where it goes.
    let anywhere = unnamed(None, "(encoded name)");
    let output = options.value(&["o", "output-file"]).unwrap_or(&anywhere);
    finish(call, Some(output), result);
}

fn uuencode(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("", "help version"));
    if let [file, _] = options.operands.as_slice() {
        let content = input(call, Act::Print, file);
        call.stdout = reshaped(&content);
    }
}

const OPENSSL: Spec = Spec::one_dash(
    "in= out= inkey= key= keyform= inform= outform= kfile= k= K= iv= S= md= pass= \
     passin= passout= bufsize= iter= connect= host= port= servername= cert= CAfile= \
     CApath= rand= writerand= engine= sign= verify= prverify= signature= config= subj= \
     days= newkey= keyout= reqopt= extfile= CA= CAkey= name= inkeyform= peerkey= recip= \
     certfile= algorithm= pkeyopt= proxy= starttls= accept= hmac= mac= macopt= d e a A p \
     P n v x509 pbkdf2 salt nosalt base64 decrypt encrypt derive noout text help",
);

fn openssl(call: &mut Call<'_, '_>) {
    let Some((command, rest)) = call.arguments().split_first() else {
        return;
    };
    let options = crate::options::parse(rest, &OPENSSL);
    let Some(command) = command.exact() else {
        return;
    };
    if options.has(&["help"]) {
        return;
    }
    match command {
        "s_client" => {
            connect(call, &options);
            return;
        }
        "version" | "list" | "help" | "ciphers" | "speed" | "rand" | "errstr" | "prime" => {
            call.stdout = Stream::default();
        }
        "dgst" | "md5" | "sha1" | "sha224" | "sha256" | "sha384" | "sha512" => {
            inputs(call, Act::Digest, &options.operands, false);
            call.stdout = Stream::default();
            read_keys(call, &options);
        }
        _ => {
            let files: Vec<&Field> = options.value(&["in"]).into_iter().collect();
            let decrypts = options.has(&["d", "decrypt", "verifyrecover"]);
            let action = if decrypts { Act::Decode } else { Act::Print };
            let reads = !matches!(command, "req" | "genrsa" | "genpkey" | "ecparam" | "dhparam");
            let content = if reads || !files.is_empty() {
                inputs(call, action, &files, false)
            } else {
                Stream::default()
            };
            call.stdout = if decrypts { decoded(&content) } else { reshaped(&content) };
            if decrypts
                && matches!(command, "base64" | "enc")
                && let Some(text) = &content.text
                && (command == "base64" || options.has(&["base64", "a"]))
            {
                call.stdout.text = crate::filters::run("base64", &["-d"], Some(text));
            }
            read_keys(call, &options);
        }
    }
    if let Some(output) = options.value(&["out"]) {
        let result = std::mem::take(&mut call.stdout);
        finish(call, Some(output), result);
    }
    if let Some(output) = options.value(&["keyout"]) {
        put(call, Kind::Overwrite, Act::Save, output, Stream::default());
    }
}

fn read_keys(call: &mut Call<'_, '_>, options: &Options<'_>) {
    for file in options.values(&["inkey", "kfile", "sign", "verify", "CAkey", "signature"]) {
        input(call, Act::Key, file);
    }
    for pass in options.values(&["pass", "passin", "passout"]) {
        if let Some(file) = pass.after("file:") {
            input(call, Act::Key, &file);
        }
    }
}

/// Standard input goes to the host, its answers come out.
fn connect(call: &mut Call<'_, '_>, options: &Options<'_>) {
    let Some(host) = options.value(&["connect", "host"]).or(options.operands.first().copied())
    else {
        return;
    };
    let data = call.stdin.flow.clone();
    let sends = !data.is_empty() || call.stdin.text.as_deref().is_some_and(|text| !text.is_empty());
    if sends {
        call.send(Act::Connect, host, data);
    }
    call.stdout = call.receive(Act::Connect, host);
}

const GPG: Spec = Spec::new(
    "o:r:R:u:N:z:",
    "output= recipient= hidden-recipient= local-user= homedir= passphrase= \
     passphrase-file= passphrase-fd= cipher-algo= digest-algo= compress-algo= keyserver= \
     keyring= secret-keyring= status-fd= logger-fd= pinentry-mode= trust-model= options= \
     default-key= command-fd= s2k-mode= s2k-count= s2k-digest-algo= s2k-cipher-algo= \
     set-filename= batch decrypt decrypt-files encrypt encrypt-files symmetric sign \
     clear-sign clearsign detach-sign verify export export-secret-keys \
     export-secret-subkeys export-ssh-key import list-keys list-secret-keys delete-keys \
     delete-secret-keys delete-secret-and-public-key send-keys recv-keys receive-keys \
     yes armor quiet help version",
);

fn gpg(call: &mut Call<'_, '_>) {
    let options = call.options(&GPG);
    if only_shows(&options) {
        return;
    }
    let output = options.value(&["o", "output"]);
    let mut written = output.cloned();
    let result = if options.has(&["export-secret-keys", "export-secret-subkeys"]) {
        call.effect(Kind::Read, Act::ReadSecret, Target::name("gpg"));
        Stream::from(Source::Store("gpg".into()))
    } else if options.has(&["delete-secret-keys", "delete-secret-and-public-key", "delete-keys"]) {
        let force = options.has(&["yes"]);
        let action = if options.has(&["delete-keys"]) { Act::DeleteKey } else { Act::DeleteSecret };
        for key in &options.operands {
            call.effect_at(Kind::Delete, action, Call::named(key), key.span).force = force;
        }
        Stream::default()
    } else if options.has(&["send-keys"]) {
        call.effect(Kind::Send, Act::SendKey, keyserver(&options));
        Stream::default()
    } else if options.has(&["recv-keys", "receive-keys"]) {
        call.effect(Kind::Receive, Act::ReceiveKey, keyserver(&options));
        Stream::default()
    } else if options.has(&["d", "decrypt", "decrypt-files"]) {
        let content = inputs(call, Act::Decode, &options.operands, false);
        decoded(&content)
    } else if options.has(&["c", "e", "s", "symmetric", "encrypt", "encrypt-files", "sign"]) {
        let content = inputs(call, Act::Encrypt, &options.operands, false);
        // A file is encrypted next to itself.
        if let (None, [file]) = (output, options.operands.as_slice()) {
            let mut beside = (*file).clone();
            beside.push_text(if options.has(&["a", "armor"]) { ".asc" } else { ".gpg" }, None);
            written = Some(beside);
        }
        reshaped(&content)
    } else {
        Stream::default()
    };
    finish(call, written.as_ref(), result);
}

fn keyserver(options: &Options<'_>) -> Target {
    let host = options.value(&["keyserver"]).map_or_else(|| "keyserver".to_owned(), Field::shown);
    Target::Host(host)
}

fn age(call: &mut Call<'_, '_>) {
    let spec = Spec::new(
        "r:R:i:o:j:",
        "recipient= recipients-file= identity= output= decrypt help version",
    );
    let options = call.options(&spec);
    if only_shows(&options) {
        return;
    }
    for key in options.values(&["i", "identity"]) {
        input(call, Act::Key, key);
    }
    let result = if options.has(&["d", "decrypt"]) {
        let content = inputs(call, Act::Decode, &options.operands, false);
        decoded(&content)
    } else {
        let content = inputs(call, Act::Encrypt, &options.operands, false);
        reshaped(&content)
    };
    finish(call, options.value(&["o", "output"]), result);
}

#[cfg(test)]
mod tests {
    use crate::flow::{Source, Stream};
    use crate::run::Machine;
    use crate::run::testing::effects;
    use crate::span::Span;
    use crate::value::Field;
    use crate::world::Surroundings;

    fn printed(argv: &[&str]) -> Stream {
        let world = Surroundings { cwd: Some("/shop"), ..Surroundings::default() };
        let argv: Vec<Field> =
            argv.iter().map(|word| Field::text(*word, Span::default())).collect();
        Machine::new(&world, "").execute(&argv, Stream::from(Source::Stdin))
    }

    #[test]
    fn what_was_decoded_says_so() {
        for (argv, expected) in [
            (["base64", "-d"].as_slice(), true),
            (&["base64", "-di"], true),
            (&["base64", "--dec"], true),
            (&["base64", "-D"], true),
            (&["base32", "-d"], true),
            (&["xxd", "-r", "-p"], true),
            (&["xxd", "-rp"], true),
            (&["openssl", "enc", "-base64", "-d"], true),
            (&["openssl", "base64", "-d"], true),
            (&["gpg", "-d"], true),
            (&["gpg", "--batch", "--passphrase", "x", "--decrypt"], true),
            (&["age", "-d", "-i", "key"], true),
            (&["base64"], false),
            (&["base64", "-i"], false),
            (&["base64", "-w", "0"], false),
            (&["xxd", "-p"], false),
            (&["openssl", "base64"], false),
            (&["openssl", "enc", "-aes-256-cbc", "-k", "d"], false),
        ] {
            let flow = printed(argv).flow;
            assert_eq!(flow.decoded(), expected, "{argv:?}");
            assert!(flow.sources().contains(&Source::Stdin), "{argv:?}");
        }
    }

    #[test]
    fn files_are_read_and_written() {
        for (argv, expected) in [
            (["base64", "k"].as_slice(), ["read print /shop/k certain"].as_slice()),
            (&["xxd", "-g", "1", "k"], &["read print /shop/k certain"]),
            (
                &["openssl", "enc", "-d", "-in", "a", "-out", "b"],
                &[
                    "read decode /shop/a certain",
                    "overwrite save /shop/b certain <[File(\"/shop/a\"), Decoded]",
                ],
            ),
            (&["openssl", "dgst", "-sha256", "a"], &["read digest /shop/a certain"]),
            (&["openssl", "rand", "-hex", "16"], &[]),
            (&["openssl", "version"], &[]),
            (
                &["gpg", "-c", "a"],
                &[
                    "read encrypt /shop/a certain",
                    "overwrite save /shop/a.gpg certain <[File(\"/shop/a\")]",
                ],
            ),
            (&["gpg", "--export-secret-keys", "-a"], &["read read-secret gpg certain"]),
            (&["gpg", "--list-keys"], &[]),
            (&["gpg", "--delete-secret-keys", "K"], &["delete delete-secret K certain"]),
        ] {
            assert_eq!(effects(argv), expected, "{argv:?}");
        }
    }
}
