//! `http`, `https` and `xh`: `http [METHOD] URL [ITEM]...`

use super::{Request, file_name, save};
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::Spec;
use crate::value::Field;

const SPEC: Spec = Spec::new(
    "o:a:A:p:P:s:",
    "auth= auth-type= body boundary= bearer= cert= cert-key= check-status chunked \
     ciphers= compress continue default-scheme= download follow form format-options= \
     headers help history-print= ignore-stdin json max-redirects= multipart offline \
     output= pretty= print= proxy= raw= response-charset= response-mime= session= \
     session-read-only= ssl= stream style= timeout= verbose verify= version",
);

pub(super) fn http(call: &mut Call<'_, '_>) {
    let options = call.options(&SPEC);
    if options.has(&["help", "version", "offline"]) {
        return;
    }
    let mut operands = options.operands.iter().copied();
    let mut request = Request::default();
    let Some(mut url) = operands.next() else {
        return;
    };
    if options.operands.len() > 1
        && url.exact().is_some_and(is_method)
        && let Some(next) = operands.next()
    {
        request.method = Some(url.shown());
        url = next;
    }
    for item in operands {
        add_item(call, &mut request, item);
    }
    for value in options.values(&["a", "auth", "bearer"]) {
        request.log_in(value);
    }
    if let Some(raw) = options.value(&["raw"]) {
        request.body = true;
        request.add(raw);
    }
    if !options.has(&["I", "ignore-stdin"]) && !call.stdin.flow.is_empty() {
        request.data.join(&call.stdin.flow.clone());
        request.upload = true;
    }
    let content = request.run(call, url);
    call.stdout = Stream::empty();
    if let Some(file) = options.value(&["o", "output"]) {
        save(call, Kind::Overwrite, file, content);
    } else if options.has(&["d", "download"]) {
        save(call, Kind::Write, &file_name(url, "index.html"), content);
    } else {
        call.stdout = content;
    }
}

fn is_method(text: &str) -> bool {
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    methods.iter().any(|method| method.eq_ignore_ascii_case(text))
}

/// `key=value`, `key:=json`, `key==query`, `Header:value`, `key@file`, `key=@file`, `Header:@file`
fn add_item(call: &mut Call<'_, '_>, request: &mut Request, item: &Field) {
    let text = item.prefix();
    let Some(at) = text.find(['=', ':', '@']) else {
        request.add(item);
        return;
    };
    let rest = text.get(at..).unwrap_or_default();
    let size = ["=@", ":=@", ":@", "@"]
        .iter()
        .find(|start| rest.starts_with(**start))
        .map(|start| start.len());
    if let Some(file) = size.and_then(|size| item.without_prefix(at.saturating_add(size))) {
        request.upload(call, &file);
        return;
    }
    let header = rest.starts_with(':') && !rest.starts_with(":=");
    request.body |= !header && !rest.starts_with("==");
    if header {
        request.header(item);
    } else {
        request.add(item);
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn items_decide_what_is_sent() {
        check(
            r#"
            http h => receive download h certain
            http GET h a==b X:y => receive download h certain
            http h a=b => send http-data h certain; receive download h certain
            http DELETE h => send http-delete h certain; receive download h certain
            http -f POST h f@x => read read /shop/x certain; send upload h certain <[File("/shop/x")]; receive download h certain
            xh h k=@x => read read /shop/x certain; send upload h certain <[File("/shop/x")]; receive download h certain
            http --download h/f => receive download h/f certain; write download /shop/f certain <[Network("h/f")]
            http --offline h a=b =>
            "#,
        );
    }
}
