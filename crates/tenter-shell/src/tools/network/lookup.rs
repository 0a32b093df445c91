//! Name lookups and pings, which can carry data.

use crate::act::Act;
use crate::call::Call;
use crate::flow::{Flow, Source};
use crate::options::Spec;
use crate::tools::files::input;
use crate::value::{Field, Part};

/// `dig`, `host`, `nslookup` and their like. A plain lookup says nothing; a name made from something
/// read does.
pub(super) fn lookup(call: &mut Call<'_, '_>) {
    for name in call.arguments() {
        if name.prefix().starts_with(['-', '+']) {
            continue;
        }
        let mut data = carried(name);
        if data.is_empty() && is_encoded(name) {
            data.add(Source::Program("an encoder".into()));
        }
        if !data.is_empty() || is_computed(name) {
            call.send(Act::Dns, name, data);
        }
    }
}

/// A variable alone is a name to look up; in front of a domain it is data.
fn carried(name: &Field) -> Flow {
    match name.parts.as_slice() {
        [Part::Unknown(_)] => name.flow.clone(),
        _ => name.sources(),
    }
}

/// Whether a label is no name but encoded data: names have small letters only, and are shorter.
fn is_encoded(name: &Field) -> bool {
    const SHORTEST: usize = 20;
    let Some((label, _)) = name.exact().and_then(|text| text.split_once('.')) else { return false };
    let has = |is: fn(&u8) -> bool| label.as_bytes().iter().any(is);
    label.len() >= SHORTEST
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte))
}

/// Whether a program's output precedes the domain.
fn is_computed(name: &Field) -> bool {
    name.parts.len() > 1
        && name.parts.iter().any(|part| {
            matches!(part, Part::Unknown(unknown) if unknown.name.starts_with("$(") || unknown.name.starts_with('`'))
        })
}

pub(super) fn ping(call: &mut Call<'_, '_>) {
    let options =
        call.options(&Spec::new("c:i:I:l:m:M:p:Q:s:S:t:T:w:W:F:E:d:e:", "file= data= sign="));
    let mut data = Flow::default();
    // The pattern that fills the packets; for hping3 a file.
    for value in options.values(&["p", "e", "sign"]) {
        data.join(&value.sources());
    }
    if call.name == "hping3"
        && let Some(file) = options.value(&["E", "file"])
    {
        let content = input(call, Act::Read, file);
        data.join(&content.flow);
    }
    for host in &options.operands {
        let mut sent = data.clone();
        sent.join(&carried(host));
        if !sent.is_empty() {
            call.send(Act::Icmp, host, sent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::carried;
    use crate::flow::{Flow, Source};
    use crate::tools::table::testing::check;
    use crate::value::{Field, Part, Unknown};

    #[test]
    fn plain_lookups_say_nothing() {
        check(
            r"
            dig +short example.com =>
            dig @1.1.1.1 example.com MX =>
            nslookup example.com =>
            host example.com =>
            ping -c 1 example.com =>
            ",
        );
    }

    #[test]
    fn a_name_made_from_something_read_carries_it() {
        let unknown = |name: &str| Part::Unknown(Unknown { name: name.into(), splits: false });
        let domain = Part::Text { text: ".h".into(), at: None };
        let alone = Field { parts: vec![unknown("$D")], ..Field::default() };
        assert!(carried(&alone).is_empty());
        let part = Field { parts: vec![unknown("$D"), domain], ..Field::default() };
        assert_eq!(carried(&part), Flow::of(Source::Variable("D".into())));
        let read = Field { flow: Flow::of(Source::File("/s".into())), ..alone };
        assert_eq!(carried(&read), Flow::of(Source::File("/s".into())));
    }
}
