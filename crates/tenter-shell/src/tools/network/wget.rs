//! `wget`.

use std::rc::Rc;

use super::{Request, file_name, inside, save, server_name, write};
use crate::act::Act;
use crate::call::Call;
use crate::effect::{Certainty, Kind};
use crate::flow::{Source, Stream};
use crate::options::{Options, Spec};
use crate::target::Target;
use crate::tools::files::input;
use crate::value::Field;

const SPEC: Spec = Spec::new(
    "o:a:e:i:B:t:O:T:w:Q:P:U:D:A:R:I:X:l:n::",
    "accept= accept-regex= adjust-extension append-output= ask-password \
     auth-no-challenge background backups=? base= bind-address= body-data= body-file= \
     ca-certificate= ca-directory= certificate= certificate-type= ciphers= compression= \
     config= connect-timeout= content-disposition continue convert-links crl-file= \
     cut-dirs= debug default-page= delete-after directory-prefix= dns-servers= \
     dns-timeout= domains= exclude-directories= exclude-domains= execute= follow-ftp \
     follow-tags= force-directories force-html ftp-password= ftp-user= header= help \
     hsts-file= http-password= http-user= https-only ignore-tags= include-directories= \
     inet4-only inet6-only input-file= keep-session-cookies level= limit-rate= \
     load-cookies= local-encoding= max-redirect= method= mirror no-check-certificate \
     no-clobber no-config no-directories no-host-directories no-parent no-verbose \
     output-document= output-file= page-requisites passive-ftp password= pinnedpubkey= \
     post-data= post-file= prefer-family= private-key= private-key-type= progress= \
     protocol-directories proxy-password= proxy-user= quiet quota= random-file= \
     random-wait read-timeout= recursive referer= regex-type= reject= reject-regex= \
     rejected-log= relative remote-encoding= report-speed= restrict-file-names= \
     retry-connrefused retry-on-http-error= save-cookies= save-headers secure-protocol= \
     server-response show-progress span-hosts spider start-pos= timeout= timestamping \
     tries= trust-server-names unlink use-askpass= user= user-agent= verbose version \
     wait= waitretry= warc-file=",
);

pub(super) fn wget(call: &mut Call<'_, '_>) {
    let options = call.options(&SPEC);
    if options.has(&["help", "h", "version", "V"]) {
        return;
    }
    call.stdout = Stream::empty();
    let mut request = Request::default();
    gather(call, &options, &mut request);
    if let Some(program) = options.value(&["use-askpass"]) {
        call.run(std::slice::from_ref(program));
    }
    if let Some(list) = options.value(&["i", "input-file"]) {
        let listed = input(call, Act::Read, list);
        match listed.text {
            Some(text) => {
                for url in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
                    fetch(call, &options, &request, &Field::text(url, list.span));
                }
            }
            None => {
                let effect = call.effect_at(Kind::Receive, Act::Download, Target::None, list.span);
                effect.certainty = effect.certainty.min(Certainty::Unknown);
                if options.value(&["O", "output-document"]).is_some_and(|file| file.is("-")) {
                    call.stdout = Stream::from(Source::Network(Rc::from(list.shown())));
                }
            }
        }
    }
    for url in &options.operands {
        fetch(call, &options, &request, url);
    }
}

fn gather(call: &mut Call<'_, '_>, options: &Options<'_>, request: &mut Request) {
    for found in &options.found {
        let Some(value) = &found.value else {
            continue;
        };
        match found.name {
            "post-file" | "body-file" => request.upload(call, value),
            "post-data" | "body-data" => {
                request.body = true;
                request.add(value);
            }
            "header" => request.header(value),
            "U" | "user-agent" | "referer" => request.add(value),
            "user" | "password" | "http-user" | "http-password" | "ftp-user" | "ftp-password"
            | "proxy-user" | "proxy-password" => request.log_in(value),
            "load-cookies" => {
                let content = input(call, Act::Read, value);
                request.data.join(&content.flow);
            }
            "certificate" | "private-key" => {
                input(call, Act::ReadKey, value);
            }
            "method" => request.method = Some(value.shown()),
            "e" | "execute" => setting(call, request, value),
            _ => {}
        }
    }
}

/// A line of `.wgetrc`: dashes, underscores and case do not count.
fn setting(call: &mut Call<'_, '_>, request: &mut Request, line: &Field) {
    let text = line.prefix();
    let Some(at) = text.find('=') else {
        return;
    };
    let name: String = text
        .chars()
        .take_while(|c| *c != '=')
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let Some(value) = line.without_prefix(at.saturating_add(1)) else {
        return;
    };
    match name.as_str() {
        "postfile" | "bodyfile" => request.upload(call, &value),
        "postdata" | "bodydata" => {
            request.body = true;
            request.add(&value);
        }
        "header" => request.header(&value),
        "useragent" => request.add(&value),
        _ => {}
    }
}

fn fetch(call: &mut Call<'_, '_>, options: &Options<'_>, request: &Request, url: &Field) {
    let content = request.run(call, url);
    for log in options.values(&["o", "output-file", "a", "append-output", "save-cookies"]) {
        let log_content = Stream::unknown(content.flow.clone());
        write(call, Kind::Overwrite, Act::Log, log, log_content);
    }
    if options.has(&["spider", "delete-after"]) {
        return;
    }
    let folder = options.value(&["P", "directory-prefix"]);
    if let Some(file) = options.value(&["O", "output-document"]) {
        save(call, Kind::Overwrite, file, content);
    } else if options.has(&["r", "recursive", "m", "mirror", "p", "page-requisites"]) {
        let here = Field::text(".", url.span);
        let folder = folder.unwrap_or(&here);
        let effect = call.on_path(Kind::Write, Act::Download, folder);
        effect.sources = content.flow;
        effect.recursive = true;
    } else {
        let name = if options.has(&["content-disposition"]) {
            server_name(url.span)
        } else {
            file_name(url, "index.html")
        };
        // A file that is there already is kept: the new one gets another name.
        save(call, Kind::Write, &inside(folder, &name), content);
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn downloads_are_saved_or_printed() {
        check(
            r#"
            wget https://h/x.sh => receive download https://h/x.sh certain; write download /shop/x.sh certain <[Network("https://h/x.sh")]
            wget -qO- https://h/x => receive download https://h/x certain
            wget --output-doc=- h => receive download h certain
            wget -nv -P /tmp h/x => receive download h/x certain; write download /tmp/x certain <[Network("h/x")]
            wget -O f h => receive download h certain; overwrite download /shop/f certain <[Network("h")]
            wget --user-agent --help -O- h => receive download h certain
            wget -r h => receive download h certain; write download /shop certain -r <[Network("h")]
            wget --spider h => receive download h certain
            wget --version =>
            "#,
        );
    }

    #[test]
    fn what_is_sent_is_said() {
        check(
            r#"
            wget --post-f=.env -O- h => read read /shop/.env certain; send upload h certain <[File("/shop/.env")]; receive download h certain
            wget --post-data a -O- h => send http-data h certain; receive download h certain
            wget --method=DELETE -qO- h => send http-delete h certain; receive download h certain
            wget -e post_file=.env -O- h => read read /shop/.env certain; send upload h certain <[File("/shop/.env")]; receive download h certain
            wget -i list => read read /shop/list certain; receive download  unknown
            "#,
        );
    }
}
