//! GNU parallel and its kind: one piece of code for each input.
//!
//! Actions: `items` (read: the file that the inputs come from).

use super::common::{BASH, helps, joined, pieces, rest, run_words};
use super::xargs::{is_endless, replaced};
use crate::act::Act;
use crate::analysis::Reason;
use crate::budget::{MAX_LITERAL, MAX_WORDS};
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::{Options, Spec};
use crate::span::Span;
use crate::target::Target;
use crate::value::{Field, Part, is_tame};

pub(super) const PROGRAMS: Programs =
    &[("parallel", parallel), ("gparallel", parallel), ("sem", sem), ("rush", rush)];

const PARALLEL: Spec = Spec::first(
    "a:A:C:d:D:E:I:i::j:J:L:l::M:N:n:P:p:S:s:T:U:W:",
    "arg-file= arg-file-sep= arg-sep= basefile= bf= block= block-size= colsep= \
     compress-program= cat dry-run dryrun delay= delimiter= env= filter= halt= \
     halt-on-error= hostgroups joblog= jobs= load= limit= max-args= max-chars= \
     max-lines= max-procs= max-replace-args= memfree= memsuspend= nice= pipe pipe-part \
     pipepart plus profile= quote recend= recstart= replace=? results= res= retries= \
     return= rpl= seqreplace= shellquote shuf semaphorename= semaphoretimeout= \
     slotreplace= spreadstdin sshdelay= sshlogin= sshloginfile= slf= tagstring= tmpdir= \
     tempdir= tmpl= tmux tollef timeout= transferfile= tf= trc= trim= ungroup wd= \
     workdir= xapply",
);

fn parallel(call: &mut Call<'_, '_>) {
    let options = call.options(&PARALLEL);
    let about =
        ["V", "citation", "dry-run", "dryrun", "shellquote", "number-of-cores", "record-env"];
    if helps(&options) || options.has(&about) {
        return;
    }
    let jobs = options.value(&["j", "jobs", "P", "max-procs"]).and_then(Field::exact);
    if jobs == Some("0") && is_endless(call) {
        call.effect(Kind::Process, Act::ForkBomb, Target::None);
    }
    let words = rest(call, &options, 0);
    let end = words.iter().position(is_source).unwrap_or(words.len());
    let given = end < words.len();
    let (words, sources) = words.split_at(end);
    let pipes = options.has(&["pipe", "spreadstdin", "pipepart", "pipe-part"]);
    let inputs = if pipes { Vec::new() } else { inputs(call, &options, sources, given) };
    let elsewhere = options.has(&["S", "sshlogin", "slf", "sshloginfile"]);
    let marker = match options.value(&["I"]) {
        Some(given) => given.shown(),
        None => "{}".to_owned(),
    };
    if pipes || options.has(&["semaphore"]) {
        return run_template(call, &joined(words), elsewhere);
    }
    call.stdin = Stream::empty();
    let mut template =
        if options.has(&["q", "quote"]) { quoted_words(words) } else { joined(words) };
    if template.parts.is_empty() {
        // The inputs themselves are the commands.
        for input in inputs.first().into_iter().flatten() {
            run_template(call, input, elsewhere);
        }
        return;
    }
    if !has_marker(&template, &marker) {
        template.push_text(" ", None);
        template.push_text(&marker, None);
    }
    for row in rows(&inputs) {
        let code = instance(&template, &marker, &row);
        run_template(call, &code, elsewhere);
        if let [item] = row.as_slice() {
            let argv: Vec<Field> = words.iter().map(|word| replaced(word, &marker, item)).collect();
            run_words(call, &argv);
        }
    }
}

fn run_template(call: &mut Call<'_, '_>, code: &Field, elsewhere: bool) {
    if code.parts.is_empty() {
        return;
    }
    call.stdout =
        if elsewhere { call.run_code_elsewhere(BASH, code) } else { call.run_code(BASH, code) };
}

/// `:::` and its variants.
fn is_source(field: &Field) -> bool {
    matches!(field.exact(), Some(":::" | ":::+" | "::::" | "::::+" | "--"))
}

/// One list of inputs for each source. A source that is not known has one input nobody knows.
fn inputs(
    call: &mut Call<'_, '_>,
    options: &Options<'_>,
    sources: &[Field],
    given: bool,
) -> Vec<Vec<Field>> {
    let mut lists: Vec<Vec<Field>> = Vec::new();
    for file in options.values(&["a", "arg-file"]) {
        let content = call.read(Act::Items, file);
        lists.push(lines(&content, options, file.span));
    }
    let mut from_files = false;
    for field in sources {
        match field.exact() {
            Some(":::" | ":::+" | "--") => {
                from_files = false;
                lists.push(Vec::new());
            }
            Some("::::" | "::::+") => {
                from_files = true;
                lists.push(Vec::new());
            }
            _ => {
                let more = if from_files {
                    let content = call.read(Act::Items, field);
                    lines(&content, options, field.span)
                } else {
                    vec![field.clone()]
                };
                if let Some(list) = lists.last_mut() {
                    list.extend(more);
                }
            }
        }
    }
    if !given && lists.is_empty() {
        let stdin = call.stdin.clone();
        lists.push(lines(&stdin, options, call.span));
    }
    for list in &mut lists {
        let tame = |item: &Field| item.exact().is_some_and(is_tame);
        if list.len() > MAX_WORDS || !list.iter().skip(MAX_LITERAL).all(tame) {
            call.unverified(Reason::CutShort("has too many inputs to check"), call.span);
        }
        list.truncate(MAX_LITERAL);
    }
    lists
}

fn lines(content: &Stream, options: &Options<'_>, span: Span) -> Vec<Field> {
    if let (None, Some(known)) = (&content.text, &content.partial) {
        return pieces(known, false);
    }
    let Some(text) = &content.text else {
        return vec![Field { flow: content.flow.clone(), ..Field::unknown("{}", span) }];
    };
    let end = if options.has(&["0", "null"]) { '\0' } else { '\n' };
    text.split(end)
        .filter(|line| !line.is_empty())
        .take(MAX_WORDS + 1)
        .map(|line| Field { flow: content.flow.clone(), ..Field::text(line, span) })
        .collect()
}

/// Every combination of one input from each source, within bounds.
fn rows(lists: &[Vec<Field>]) -> Vec<Vec<&Field>> {
    let mut rows: Vec<Vec<&Field>> = vec![Vec::new()];
    for list in lists {
        rows = rows
            .iter()
            .flat_map(|row| {
                list.iter().map(move |item| row.iter().copied().chain([item]).collect())
            })
            .take(MAX_LITERAL)
            .collect();
    }
    rows
}

/// Replacement strings of GNU parallel other than `{}`.
const MARKERS: &[&str] = &["{.}", "{/}", "{//}", "{/.}", "{#}", "{%}", "{1", "{2", "{3", "{-1"];

fn has_marker(template: &Field, marker: &str) -> bool {
    template.parts.iter().any(|part| {
        matches!(part, Part::Text { text, .. }
            if text.contains(marker) || MARKERS.iter().any(|marker| text.contains(marker)))
    })
}

/// The code for one row of inputs. Inputs are quoted, so that they stay one word each.
fn instance(template: &Field, marker: &str, row: &[&Field]) -> Field {
    let mut all = Field::default();
    for (index, item) in row.iter().enumerate() {
        if index > 0 {
            all.push_text(" ", None);
        }
        let word = quoted(item);
        all.flow.join(&word.flow);
        word.parts.into_iter().for_each(|part| all.push(part));
    }
    let mut code = replaced(template, marker, &all);
    let any = |code: &Field, text: &str| {
        code.parts
            .iter()
            .any(|part| matches!(part, Part::Text { text: known, .. } if known.contains(text)))
    };
    for (index, item) in row.iter().enumerate() {
        let number = index.saturating_add(1);
        for (operation, mark) in ["", ".", "/", "//", "/."].iter().flat_map(|operation| {
            [
                (*operation, format!("{{{number}{operation}}}")),
                (*operation, format!("{{{operation}}}")),
            ]
        }) {
            if any(&code, &mark) {
                code = replaced(&code, &mark, &quoted(&changed(item, operation)));
            }
        }
    }
    for mark in ["{#}", "{%}"] {
        code = replaced(&code, mark, &Field::text("1", code.span));
    }
    code
}

/// `{.}` is the input without its extension, `{/}` without its directory, and so on.
fn changed(item: &Field, operation: &str) -> Field {
    let Some(text) = item.exact() else {
        return item.clone();
    };
    let base = |text: &str| text.rsplit('/').next().unwrap_or(text).to_owned();
    let stem = |text: &str| match text.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => stem.to_owned(),
        _ => text.to_owned(),
    };
    let new = match operation {
        "." => stem(text),
        "/" => base(text),
        "//" => text.rsplit_once('/').map_or(".", |(directory, _)| directory).to_owned(),
        "/." => stem(&base(text)),
        _ => return item.clone(),
    };
    Field { flow: item.flow.clone(), ..Field::text(new, item.span) }
}

/// A field as one word of code.
fn quoted(field: &Field) -> Field {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./+=:,@%".contains(&byte);
    if field.exact().is_some_and(|text| !text.is_empty() && text.bytes().all(plain)) {
        return field.clone();
    }
    let mut word = Field { span: field.span, flow: field.flow.clone(), ..Field::default() };
    for part in &field.parts {
        match part {
            Part::Text { text, .. } => {
                word.push_text("'", None);
                word.push_text(&text.replace('\'', "'\\''"), None);
                word.push_text("'", None);
            }
            Part::Glob(pattern) => word.push_text(pattern, None),
            Part::Unknown(_) => {
                word.push_text("\"", None);
                word.push(part.clone());
                word.push_text("\"", None);
            }
        }
    }
    word
}

fn quoted_words(words: &[Field]) -> Field {
    let words: Vec<Field> = words.iter().map(quoted).collect();
    joined(&words)
}

/// `sem` is `parallel --semaphore`: the words are the command.
fn sem(call: &mut Call<'_, '_>) {
    let options = call.options(&PARALLEL);
    if !helps(&options) {
        let code = joined(rest(call, &options, 0));
        run_template(call, &code, false);
    }
}

fn rush(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "d:D:e:i:j:n:N:r:R:t:T:v:C:",
        "field-delimiter= record-delimiter= infile= jobs= nrecords= retries= \
         retry-interval= timeout= trim= assign= succ-cmd-file= dry-run",
    ));
    if options.has(&["dry-run"]) || helps(&options) {
        return;
    }
    let Some(template) = options.operands.first().copied().cloned() else {
        return;
    };
    let input = match options.value(&["i", "infile"]) {
        Some(file) => call.read(Act::Items, file),
        None => std::mem::replace(&mut call.stdin, Stream::empty()),
    };
    for item in lines(&input, &options, call.span).into_iter().take(MAX_LITERAL) {
        let code = replaced(&template, "{}", &item);
        run_template(call, &code, false);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_with};
    use crate::flow::{Source, Stream};

    #[test]
    fn each_input_makes_a_command() {
        check(&[
            ("parallel rm ::: a 'b c'", "parallel>rm a | parallel>rm b c"),
            ("parallel -j 4 rm {} /t/{/} ::: x/a", "parallel>rm x/a /t/a"),
            ("parallel 'rm {.}.o; id' ::: a.c", "parallel>rm a.o | parallel>id"),
            ("parallel rm {1} {2} ::: a ::: b c", "parallel>rm a b | parallel>rm a c"),
            ("parallel --colsep , --tmpdir /t rm ::: a", "parallel>rm a"),
            ("parallel -S host rm ::: a", "parallel>rm a @?"),
            ("parallel ::: 'rm a' id", "parallel>rm a | parallel>id"),
            ("parallel -I% rm %/x ::: a", "parallel>rm a/x"),
            ("parallel -j2 sh -c 'rm {}' -- a", "parallel>sh>rm | parallel>sh>rm a"),
            ("parallel --dry-run rm ::: a", "parallel --dry-run rm ::: a"),
            ("parallel --version", "parallel --version"),
            ("sem -j 2 rm x", "sem>rm x"),
            ("sem --wait", "sem --wait"),
        ]);
    }

    #[test]
    fn inputs_come_from_standard_input() {
        check_with(
            &Stream::known("a\nb c\n"),
            &[
                ("parallel rm", "parallel>rm a | parallel>rm b c"),
                ("parallel --pipe cat", "parallel>cat"),
                ("rush 'rm {}'", "rush>rm a | rush>rm b c"),
            ],
        );
        check_with(&Stream::known("rm a\nid"), &[("parallel", "parallel>rm a | parallel>id")]);
        check_with(
            &Stream::from(Source::File("/l".into())),
            &[
                ("parallel -0 rm -rf", "parallel>rm -rf {}"),
                ("parallel bash -c 'rm {}'", "parallel>bash>rm | parallel>bash>rm {}"),
            ],
        );
        check_with(
            &Stream::from(Source::Network("h".into())),
            &[("parallel", "parallel + execute network-code")],
        );
    }
}
