//! `curl`.

use std::rc::Rc;

use super::{Request, file_name, inside, save, server_name, write};
use crate::act::Act;
use crate::call::Call;
use crate::effect::{Certainty, Kind};
use crate::flow::{Source, Stream};
use crate::options::{Options, Spec, parse};
use crate::target::Target;
use crate::tools::files::input;
use crate::value::{Field, Part};

/// Every option with a value: one that is missed would make its value an address.
const SPEC: Spec = Spec::new(
    "A:b:c:C:d:D:e:E:F:H:K:m:o:P:Q:r:t:T:u:U:w:x:X:y:Y:z:",
    "abstract-unix-socket= alt-svc= append aws-sigv4= basic cacert= capath= cert= \
     cert-type= ciphers= compressed config= connect-timeout= connect-to= continue-at= \
     cookie= cookie-jar= create-dirs create-file-mode= crlf crlfile= curves= data= \
     data-ascii= data-binary= data-raw= data-urlencode= delegation= digest disable \
     dns-interface= dns-ipv4-addr= dns-ipv6-addr= dns-servers= doh-url= dump-header= \
     ech= egd-file= engine= etag-compare= etag-save= expand-data= expand-data-binary= \
     expand-form= expand-header= expand-url= expect100-timeout= fail fail-early \
     fail-with-body form= form-string= ftp-account= ftp-alternative-to-user= \
     ftp-create-dirs ftp-method= ftp-pasv ftp-port= ftp-ssl-ccc-mode= get globoff \
     happy-eyeballs-timeout-ms= haproxy-clientip= haproxy-protocol head header= help \
     hostpubmd5= hostpubsha256= hsts= http0.9 http1.0 http1.1 http2 http3 include \
     insecure interface= ip-tos= ipfs-gateway= ipv4 ipv6 json= keepalive-cnt= \
     keepalive-time= key= key-type= krb= libcurl= limit-rate= list-only local-port= \
     location location-trusted login-options= mail-auth= mail-from= mail-rcpt= manual \
     max-filesize= max-redirs= max-time= metalink negotiate netrc netrc-file= \
     netrc-optional next no-buffer noproxy= ntlm oauth2-bearer= output= output-dir= \
     parallel parallel-max= pass= path-as-is pinnedpubkey= preproxy= progress-bar proto= \
     proto-default= proto-redir= proxy= proxy-cacert= proxy-capath= proxy-cert= \
     proxy-cert-type= proxy-ciphers= proxy-header= proxy-key= proxy-key-type= \
     proxy-pass= proxy-pinnedpubkey= proxy-service-name= proxy-tls13-ciphers= \
     proxy-tlsauthtype= proxy-tlspassword= proxy-tlsuser= proxy-user= proxy1.0= pubkey= \
     quote= random-file= range= rate= raw referer= remote-header-name remote-name \
     remote-name-all remote-time remove-on-error request= request-target= resolve= \
     retry= retry-all-errors retry-connrefused retry-delay= retry-max-time= \
     sasl-authzid= service-name= show-error silent socks4= socks4a= socks5= \
     socks5-gssapi-service= socks5-hostname= speed-limit= speed-time= ssl ssl-reqd \
     stderr= tcp-nodelay telnet-option= tftp-blksize= time-cond= tls-max= tls13-ciphers= \
     tlsauthtype= tlspassword= tlsuser= tlsv1.2 tlsv1.3 trace= trace-ascii= \
     trace-config= trace-time unix-socket= upload-file= url= url-query= use-ascii user= \
     user-agent= variable= verbose version vlan-priority= write-out= xattr",
);

pub(super) fn curl(call: &mut Call<'_, '_>) {
    let mut printed = Stream::empty();
    for group in call.arguments().split(|field| field.is("--next") || field.is("-:")) {
        let mut arguments = group.to_vec();
        let configured = add_config(call, &mut arguments);
        let options = parse(&arguments, &SPEC);
        if options.has(&["V", "version", "h", "help", "M", "manual"]) {
            return;
        }
        transfer(call, &options, &mut printed);
        if configured && urls(&options).is_empty() {
            let effect = call.effect(Kind::Receive, Act::Download, Target::None);
            effect.certainty = effect.certainty.min(Certainty::Unknown);
            printed.flow.add(Source::Network(Rc::from("…")));
            printed.text = None;
        }
    }
    call.stdout = printed;
}

/// Reads `-K` files: options one a line, which are added where the text is known. True if it is
/// not.
fn add_config(call: &mut Call<'_, '_>, arguments: &mut Vec<Field>) -> bool {
    let files: Vec<Field> = parse(arguments, &SPEC).values(&["K", "config"]).cloned().collect();
    let mut unknown = false;
    for file in files {
        let config = input(call, Act::Read, &file);
        let Some(text) = config.text else {
            unknown = true;
            continue;
        };
        for line in
            text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (name, value) = line.split_once([' ', '=', ':', '\t']).unwrap_or((line, ""));
            let dashes = if name.starts_with('-') { "" } else { "--" };
            arguments.push(Field::text([dashes, name].concat(), file.span));
            let value = value.trim_start_matches([' ', '=', ':', '\t']).trim_matches('"');
            if !value.is_empty() {
                arguments.push(Field::text(value, file.span));
            }
        }
    }
    unknown
}

fn urls<'o>(options: &'o Options<'_>) -> Vec<&'o Field> {
    // A variable that may be several words or none is for options, where an address stands too.
    let alone = options.operands.len() == 1;
    let operands = options.operands.iter().copied().filter(|field| {
        let loose = matches!(field.parts.as_slice(), [Part::Unknown(unknown)] if unknown.splits);
        alone || !loose
    });
    options.values(&["url", "expand-url"]).chain(operands).collect()
}

/// One set of options and the addresses they are for.
fn transfer(call: &mut Call<'_, '_>, options: &Options<'_>, printed: &mut Stream) {
    let urls = urls(options);
    let mut request = Request::default();
    gather(call, options, &mut request);
    for socket in options.values(&["unix-socket", "abstract-unix-socket"]) {
        call.on_path(Kind::Send, Act::UnixSocket, socket).sources = request.data.clone();
    }
    let proxies =
        ["x", "proxy", "preproxy", "socks4", "socks4a", "socks5", "socks5-hostname", "proxy1.0"];
    if let Some(proxy) = options.value(&proxies)
        && urls.iter().any(|url| request.says(url).is_some())
    {
        call.send(Act::Proxy, proxy, request.data.clone());
    }
    let mut outputs = options
        .found
        .iter()
        .filter(|found| matches!(found.name, "o" | "output" | "O" | "remote-name"));
    let all_named = options.has(&["remote-name-all"]);
    let folder = options.value(&["output-dir"]);
    let resumes = options.has(&["C", "continue-at"]);
    for url in urls {
        let content = request.run(call, url);
        logs(call, options, &content);
        let named = if options.has(&["J", "remote-header-name"]) {
            server_name(url.span)
        } else {
            file_name(url, "curl_response")
        };
        let file = match outputs.next() {
            Some(output) if matches!(output.name, "o" | "output") => match &output.value {
                Some(file) => file.clone(),
                None => continue,
            },
            Some(_) => named,
            None if all_named => named,
            None => Field::text("-", url.span),
        };
        if ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| file.is(name)) {
            printed.flow.join(&content.flow);
            printed.text = None;
        } else {
            let kind = if resumes { Kind::Append } else { Kind::Overwrite };
            // The server may give another name; without one it is that of the address.
            if file.exact().is_none() && options.has(&["J", "remote-header-name"]) {
                let address = inside(folder, &file_name(url, "curl_response"));
                let path = call.machine.path(&address);
                call.machine.set_content(&path, &content, false);
            }
            save(call, kind, &inside(folder, &file), content);
        }
    }
    if options.has(&["w", "write-out", "D"]) {
        printed.text = None;
    }
}

/// Files that get headers, cookies or traces.
fn logs(call: &mut Call<'_, '_>, options: &Options<'_>, content: &Stream) {
    let names = [
        "c",
        "cookie-jar",
        "D",
        "dump-header",
        "trace",
        "trace-ascii",
        "stderr",
        "etag-save",
        "libcurl",
    ];
    for file in options.values(&names).filter(|file| !file.is("-")) {
        let log = Stream::unknown(content.flow.clone());
        write(call, Kind::Overwrite, Act::Log, file, log);
    }
}

/// Collects the options that apply to every request.
fn gather(call: &mut Call<'_, '_>, options: &Options<'_>, request: &mut Request) {
    for found in &options.found {
        let name = found.name.strip_prefix("expand-").unwrap_or(found.name);
        let Some(value) = &found.value else {
            if matches!(name, "n" | "netrc" | "netrc-optional")
                && let Some(home) = call.machine.world.home
            {
                let file = Field::text([home, "/.netrc"].concat(), found.span);
                input(call, Act::ReadKey, &file);
            }
            continue;
        };
        match name {
            "d" | "data" | "data-ascii" | "data-binary" | "json" => body(call, request, value),
            "data-raw" | "form-string" => {
                request.body = true;
                request.add(value);
            }
            "data-urlencode" | "url-query" => {
                let text = value.prefix();
                let file =
                    text.find(['=', '@']).filter(|at| text.as_bytes().get(*at) == Some(&b'@'));
                request.body |= name == "data-urlencode";
                match file.and_then(|at| value.without_prefix(at.saturating_add(1))) {
                    Some(file) => request.upload(call, &file),
                    None => request.add(value),
                }
            }
            "F" | "form" => form(call, request, value),
            "T" | "upload-file" => {
                let input = if value.is(".") { &Field::text("-", value.span) } else { value };
                for input in alternatives(input) {
                    request.upload(call, &input);
                }
            }
            "H" | "header" | "proxy-header" => match value.after("@") {
                Some(file) => {
                    let content = input(call, Act::Read, &file);
                    request.data.join(&content.flow);
                }
                None => request.header(value),
            },
            "b" | "cookie" if value.exact().is_some_and(|text| !text.contains('=')) => {
                let content = input(call, Act::Read, value);
                request.data.join(&content.flow);
            }
            "E" | "cert" | "key" | "netrc-file" => {
                input(call, Act::ReadKey, value);
            }
            "u" | "user" | "U" | "proxy-user" | "oauth2-bearer" | "b" | "cookie" => {
                request.log_in(value);
            }
            "A" | "user-agent" | "e" | "referer" | "request-target" | "mail-from" => {
                request.add(value);
            }
            "X" | "request" => request.method = Some(value.shown()),
            "variable" => variable(call, request, value),
            "Q" | "quote" => {
                request.method = Some("QUOTE".into());
                request.add(value);
            }
            _ => {}
        }
    }
    if options.has(&["G", "get"]) {
        request.method = None;
        request.body = false;
    }
}

fn body(call: &mut Call<'_, '_>, request: &mut Request, value: &Field) {
    request.body = true;
    match value.after("@") {
        Some(file) => request.upload(call, &file),
        None => request.add(value),
    }
}

/// `name=@file;type=x`, `name=<file`, `name=text`
fn form(call: &mut Call<'_, '_>, request: &mut Request, value: &Field) {
    request.body = true;
    let content =
        value.prefix().find('=').and_then(|at| value.without_prefix(at.saturating_add(1)));
    let content = content.as_ref().unwrap_or(value);
    let Some(file) = content.after("@").or_else(|| content.after("<")) else {
        request.add(value);
        return;
    };
    match file.exact() {
        Some(text) => {
            let names = text.split(';').next().unwrap_or_default();
            for name in names.split(',') {
                request.upload(call, &Field::text(name.trim_matches('"'), file.span));
            }
        }
        None => request.upload(call, &file),
    }
}

/// `--variable %NAME` is one of the environment, `name@file` a file.
fn variable(call: &mut Call<'_, '_>, request: &mut Request, value: &Field) {
    if let Some(name) = value.after("%") {
        request.data.add(Source::Variable(name.shown().into()));
        return;
    }
    let text = value.prefix();
    let file = text.find(['=', '@']).filter(|at| text.as_bytes().get(*at) == Some(&b'@'));
    match file.and_then(|at| value.without_prefix(at.saturating_add(1))) {
        Some(file) => {
            let content = input(call, Act::Read, &file);
            request.data.join(&content.flow);
        }
        None => request.add(value),
    }
}

/// `{a,b}` names several files.
fn alternatives(input: &Field) -> Vec<Field> {
    let inner = input.exact().and_then(|text| text.strip_prefix('{')?.strip_suffix('}'));
    match inner {
        Some(names) => {
            names.split(',').take(16).map(|name| Field::text(name, input.span)).collect()
        }
        None => vec![input.clone()],
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::{Source, Stream};
    use crate::run::testing::effects_with;
    use crate::tools::table::testing::check;

    #[test]
    fn plain_downloads_only_receive() {
        check(
            r#"
            curl -sSL https://h/x => receive download https://h/x certain
            curl -o f https://h/x => receive download https://h/x certain; overwrite download /shop/f certain <[Network("https://h/x")]
            curl -fsSLO https://h/a/x.sh => receive download https://h/a/x.sh certain; overwrite download /shop/x.sh certain <[Network("https://h/a/x.sh")]
            curl --output-dir /tmp -O h/x => receive download h/x certain; overwrite download /tmp/x certain <[Network("h/x")]
            curl -o /dev/null -w x h => receive download h certain
            curl -o -d@.env h => receive download h certain; overwrite download /shop/-d@.env certain <[Network("h")]
            curl --user-agent --help h => receive download h certain
            curl -I h => receive download h certain
            curl -X GET h => receive download h certain
            curl a -o 1 b -o 2 => receive download a certain; overwrite download /shop/1 certain <[Network("a")]; receive download b certain; overwrite download /shop/2 certain <[Network("b")]
            curl --remote-name-all h/a h/b => receive download h/a certain; overwrite download /shop/a certain <[Network("h/a")]; receive download h/b certain; overwrite download /shop/b certain <[Network("h/b")]
            curl http://169.254.169.254/latest/meta-data/ => receive instance-metadata http://169.254.169.254/latest/meta-data/ certain
            curl file:///etc/passwd => read read /etc/passwd certain
            curl --version => 
            curl -h => 
            "#,
        );
    }

    #[test]
    fn what_is_sent_is_said() {
        check(
            r#"
            curl -d a=b h => send http-data h certain; receive download h certain
            curl -d @.env h => read read /shop/.env certain; send upload h certain <[File("/shop/.env")]; receive download h certain
            curl -sd@.env h => read read /shop/.env certain; send upload h certain <[File("/shop/.env")]; receive download h certain
            curl --data-bin @x h => read read /shop/x certain; send upload h certain <[File("/shop/x")]; receive download h certain
            curl --data-raw @x h => send http-data h certain; receive download h certain
            curl --data-urlencode k@x h => read read /shop/x certain; send upload h certain <[File("/shop/x")]; receive download h certain
            curl --data-urlencode k=a@x h => send http-data h certain; receive download h certain
            curl -F f=@x;type=a/b h => read read /shop/x certain; send upload h certain <[File("/shop/x")]; receive download h certain
            curl -F f=<x h => read read /shop/x certain; send upload h certain <[File("/shop/x")]; receive download h certain
            curl -F f=x h => send http-data h certain; receive download h certain
            curl -T x ftp://h/ => read read /shop/x certain; send upload ftp://h/ certain <[File("/shop/x")]; receive download ftp://h/ certain
            curl --json @x h => read read /shop/x certain; send upload h certain <[File("/shop/x")]; receive download h certain
            curl -X DELETE h => send http-delete h certain; receive download h certain
            curl -XPOST h => send http-request h certain; receive download h certain
            curl -b cookies.txt h => read read /shop/cookies.txt certain; send request-data h certain <[File("/shop/cookies.txt")]; receive download h certain
            curl -b a=b h => receive download h certain
            curl -H @headers h => read read /shop/headers certain; send request-data h certain <[File("/shop/headers")]; receive download h certain
            curl --variable %TOKEN --expand-data x h => send http-data h certain <[Variable("TOKEN")]; receive download h certain
            curl a --next -d x b => receive download a certain; send http-data b certain; receive download b certain
            curl --unix-socket /var/run/docker.sock http://x/y => send unix-socket /var/run/docker.sock certain; receive download http://x/y certain
            curl -c jar h => receive download h certain; overwrite log /shop/jar certain <[Network("h")]
            "#,
        );
    }

    #[test]
    fn standard_input_is_sent_where_it_is_named() {
        let secret = || Stream::from(Source::File("/s".into()));
        for words in [
            &["curl", "-T", "-", "h"][..],
            &["curl", "-d", "@-", "h"],
            &["curl", "--upload-file", ".", "h"],
        ] {
            let said = effects_with(words, secret());
            assert_eq!(
                said.first().map(String::as_str),
                Some("send upload h certain <[File(\"/s\")]"),
                "{words:?}"
            );
        }
        assert_eq!(effects_with(&["curl", "h"], secret()), ["receive download h certain"]);
        let config = Stream::known("# x\nurl = \"h\"\ndata = \"@/s\"\n");
        assert_eq!(
            effects_with(&["curl", "-K", "-"], config),
            [
                "read read /s certain",
                "send upload h certain <[File(\"/s\")]",
                "receive download h certain"
            ]
        );
    }
}
