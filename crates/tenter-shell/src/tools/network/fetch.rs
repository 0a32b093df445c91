//! Other programs that download.

use super::{download, file_name, inside, local_path, save};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::{Source, Stream};
use crate::options::Spec;
use crate::syntax::Dialect;
use crate::tools::files::{input, unnamed};
use crate::value::Field;
use crate::world::Language;

pub(super) fn aria2c(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "d:o:l:i:j:x:s:k:m:t:U:T:S:M:O:p:u:",
        "dir= out= log= input-file= header= torrent-file= on-download-complete= \
         on-download-start= on-download-error= on-bt-download-complete= dry-run help version",
    ));
    if options.has(&["h", "help", "v", "version", "dry-run"]) {
        return;
    }
    let hooks = [
        "on-download-complete",
        "on-download-start",
        "on-download-error",
        "on-bt-download-complete",
    ];
    for program in options.values(&hooks) {
        call.run(std::slice::from_ref(program));
    }
    let folder = options.value(&["d", "dir"]);
    if let Some(list) = options.value(&["i", "input-file"]) {
        input(call, Act::Read, list);
    }
    for url in &options.operands {
        let content = download(call, url);
        let name =
            options.value(&["o", "out"]).cloned().unwrap_or_else(|| file_name(url, "index.html"));
        save(call, Kind::Write, &inside(folder, &name), content);
    }
}

/// `yt-dlp` runs a command for each file.
pub(super) fn video(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "o:P:f:S:a:r:N:u:p:I:t:x",
        "exec= exec-before-download= output= paths= format= batch-file= cookies= config-locations= \
         proxy= simulate help version",
    ));
    if options.has(&["h", "help", "version", "s", "simulate"]) {
        return;
    }
    for url in &options.operands {
        let content = download(call, url);
        let mut target = unnamed(None, "FILE");
        target.span = url.span;
        save(call, Kind::Write, &target, content);
    }
    for code in options.values(&["exec", "exec-before-download"]) {
        call.run_code(Language::Shell(Dialect::Posix), code);
    }
}

/// `axel` and `fetch` of FreeBSD.
pub(super) fn axel(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "o:n:s:S:H:U:T:N:B:c:f:h:i:w:",
        "output= num-connections= max-speed= header=",
    ));
    for url in &options.operands {
        let content = download(call, url);
        let name =
            options.value(&["o", "output"]).cloned().unwrap_or_else(|| file_name(url, "default"));
        save(call, Kind::Write, &name, content);
    }
}

/// Text browsers print a page when asked to dump it; else a person sees it.
pub(super) fn browse(call: &mut Call<'_, '_>) {
    for url in call.arguments().iter().filter(|field| !field.prefix().starts_with('-')) {
        let text = url.prefix();
        let page = match local_path(url) {
            Some(path) => input(call, Act::Read, &path),
            None if text.starts_with('/') => input(call, Act::Read, url),
            None if text.contains("://") || text.contains('.') => download(call, url),
            None => continue,
        };
        call.stdout = page;
    }
}

/// `certutil -urlcache -f URL FILE`, `certutil -decode FROM TO`
pub(super) fn certutil(call: &mut Call<'_, '_>) {
    crate::tools::trust::store(call);
    let decodes = call.slash("decode").or_else(|| call.slash("decodehex")).is_some();
    let encodes = call.slash("encode").or_else(|| call.slash("encodehex")).is_some();
    let names: Vec<&Field> =
        call.arguments().iter().filter(|field| !field.prefix().starts_with(['-', '/'])).collect();
    match names.as_slice() {
        [from, to, ..] if decodes => {
            let mut content = input(call, Act::Read, from);
            content.flow.add(Source::Decoded);
            save(call, Kind::Overwrite, to, Stream::unknown(content.flow));
        }
        [from, to, ..] if encodes => {
            let content = input(call, Act::Read, from);
            save(call, Kind::Overwrite, to, Stream::unknown(content.flow));
        }
        [url, rest @ ..] if call.slash("urlcache").is_some() || call.slash("url").is_some() => {
            let content = download(call, url);
            if let Some(file) = rest.first() {
                save(call, Kind::Overwrite, file, content);
            }
        }
        _ => {}
    }
}

/// `bitsadmin /transfer NAME [/download ...] URL FILE`
pub(super) fn bitsadmin(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let Some(at) = arguments.iter().position(|field| field.prefix().contains("://")) else {
        return;
    };
    let (Some(url), Some(file)) = (arguments.get(at), arguments.get(at.saturating_add(1))) else {
        return;
    };
    if call.slash("upload").is_some() {
        let content = input(call, Act::Read, file);
        call.send(Act::Upload, url, content.flow);
    } else {
        let content = download(call, url);
        save(call, Kind::Overwrite, file, content);
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn downloads_are_saved() {
        check(
            r#"
            aria2c -x 4 -d /tmp h/x => receive download h/x certain; write download /tmp/x certain <[Network("h/x")]
            aria2c --dry-run h/x =>
            axel -o f h/x => receive download h/x certain; write download /shop/f certain <[Network("h/x")]
            lynx -dump https://h => receive download https://h certain
            certutil -urlcache -split -f http://h/x y => receive download http://h/x certain; overwrite download /shop/y certain <[Network("http://h/x")]
            certutil -decode a b => read read /shop/a certain; overwrite download /shop/b certain <[File("/shop/a"), Decoded]
            certutil -hashfile x SHA256 =>
            bitsadmin /transfer j http://h/x C:\y => receive download http://h/x certain; overwrite download C:/y certain <[Network("http://h/x")]
            "#,
        );
    }
}
