//! Mail: standard input is the text, options name files that go with it.

use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::{Flow, Stream};
use crate::options::{Spec, parse};
use crate::target::Target;
use crate::tools::files::input;
use crate::value::Field;

pub(super) fn mail(call: &mut Call<'_, '_>) {
    let options = parse(
        call.arguments(),
        &Spec::new(
            "a:A:b:c:e:f:F:h:i:q:Q:r:s:S:t:u:H:T:M:",
            "attach= subject= append= alternative= bcc= cc= return-address= help version",
        ),
    );
    if options.has(&["help", "version", "V"]) || options.operands.is_empty() {
        return;
    }
    let mut data = call.stdin.flow.clone();
    for value in options.values(&["s", "subject"]) {
        data.join(&value.sources());
    }
    let recipients = attach(call, &options, &mut data);
    for to in recipients {
        call.send(Act::Mail, &to, data.clone());
    }
    call.stdout = Stream::empty();
}

/// Adds attachments and returns who gets the mail. mutt takes many files after `-a`, up to `--`.
fn attach(
    call: &mut Call<'_, '_>,
    options: &crate::options::Options<'_>,
    data: &mut Flow,
) -> Vec<Field> {
    let mut files: Vec<Field> = options.values(&["a", "attach", "A", "i", "q"]).cloned().collect();
    let mut recipients: Vec<Field> =
        options.operands.iter().map(|field| (*field).clone()).collect();
    if let Some(at) = options.after_dashes
        && !files.is_empty()
        && at <= recipients.len()
    {
        let rest = recipients.split_off(at);
        files.append(&mut recipients);
        recipients = rest;
    }
    for file in files {
        let content = input(call, Act::Read, &file);
        data.join(&content.flow);
    }
    recipients
}

/// `sendmail`, `msmtp`, `ssmtp`: with `-t` the text names who gets it.
pub(super) fn sendmail(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "a:A:B:C:d:f:F:h:L:N:o:O:p:q:r:R:V:X:",
        "file= account= from= host= port=",
    ));
    let asks = call.arguments().iter().any(|field| {
        matches!(field.prefix(), "-bp" | "-bv" | "-bi" | "--version" | "--help" | "-P")
    });
    if asks {
        return;
    }
    let data = call.stdin.flow.clone();
    for to in &options.operands {
        call.send(Act::Mail, to, data.clone());
    }
    if options.operands.is_empty() && options.has(&["t", "read-recipients"]) {
        call.effect(Kind::Send, Act::Mail, Target::None).sources = data;
    }
    call.stdout = Stream::empty();
}

pub(super) fn swaks(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "t:f:s:p:d:h:a:",
        "to= from= server= port= data= body= attach= header= auth-user= auth-password= \
         add-header= helo= quit-after=",
    ));
    if options.has(&["help", "version"]) {
        return;
    }
    let mut data = Flow::default();
    for value in options.values(&["d", "data", "body", "attach"]) {
        match value.after("@") {
            Some(file) => {
                let content = input(call, Act::Read, &file);
                data.join(&content.flow);
            }
            None if value.is("-") => data.join(&call.stdin.flow.clone()),
            // Old versions take the name of a file as it is.
            None if options.values(&["attach"]).any(|file| file == value) => {
                let content = input(call, Act::Read, value);
                data.join(&content.flow);
            }
            None => data.join(&value.sources()),
        }
    }
    if let Some(to) = options.value(&["s", "server"]).or_else(|| options.value(&["t", "to"])) {
        call.send(Act::Mail, to, data);
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::{Source, Stream};
    use crate::run::testing::effects_with;
    use crate::tools::table::testing::check;

    #[test]
    fn mail_carries_files_and_standard_input() {
        check(
            r#"
            mail -s x a@h => send mail a@h certain
            mail -A f -s x a@h => read read /shop/f certain; send mail a@h certain <[File("/shop/f")]
            mutt -s x -a f g -- a@h => read read /shop/f certain; read read /shop/g certain; send mail a@h certain <[File("/shop/f"), File("/shop/g")]
            swaks --to a@h --attach @f => read read /shop/f certain; send mail a@h certain <[File("/shop/f")]
            sendmail -bp =>
            mail =>
            "#,
        );
        let secret = Stream::from(Source::File("/s".into()));
        assert_eq!(
            effects_with(&["sendmail", "a@h"], secret),
            ["send mail a@h certain <[File(\"/s\")]"]
        );
    }
}
