//! Programs that query structured text: `jq` and similar.
//!
//! Actions: `print` (content is shown or passed on), `list` (the filter is read from a file),
//! `edit-in-place` (the file is replaced by the result).

use super::files::{append, input, inputs, only_shows, put, reshaped};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::Spec;
use crate::value::Field;

pub(super) const PROGRAMS: Programs =
    &[("jq", jq), ("gojq", jq), ("jaq", jq), ("yq", yq), ("xq", yq), ("tomlq", yq)];

/// Some of its options take two values.
fn jq(call: &mut Call<'_, '_>) {
    let mut plain: Vec<Field> = Vec::new();
    let mut all = Stream::empty();
    let mut arguments = call.arguments().iter();
    while let Some(field) = arguments.next() {
        match field.exact() {
            Some("--arg" | "--argjson") => {
                arguments.next();
                all.flow.join(&arguments.next().map(Field::sources).unwrap_or_default());
            }
            Some("--slurpfile" | "--rawfile") => {
                arguments.next();
                if let Some(file) = arguments.next() {
                    let content = input(call, Act::Print, file);
                    append(&mut all, &content);
                }
            }
            // The rest are values for the filter.
            Some("--args" | "--jsonargs") => break,
            _ => plain.push(field.clone()),
        }
    }
    let spec = Spec::new("f:L:", "from-file= indent= library-path= help version");
    let options = crate::options::parse(&plain, &spec);
    if only_shows(&options) || options.has(&["h", "V"]) {
        return;
    }
    if let Some(filter) = options.value(&["f", "from-file"]) {
        input(call, Act::List, filter);
    }
    let skip = usize::from(!options.has(&["f", "from-file"]));
    let files = options.operands.get(skip..).unwrap_or_default();
    let content = if files.is_empty() && options.has(&["n", "null-input"]) {
        Stream::empty()
    } else {
        inputs(call, Act::Print, files, false)
    };
    append(&mut all, &content);
    call.stdout = reshaped(&all);
}

/// Two programs of this name: one like `jq`, the other with subcommands. Both edit with `-i`.
fn yq(call: &mut Call<'_, '_>) {
    let spec = Spec::new(
        "p:o:I:s:f:",
        "input-format= output-format= indent= split-exp= split-exp-file= from-file= \
         expression= front-matter= inplace in-place null-input help version",
    );
    let options = call.options(&spec);
    if only_shows(&options) || options.has(&["h", "V"]) {
        return;
    }
    let mut operands = options.operands.as_slice();
    if let Some(("e" | "eval" | "ea" | "eval-all" | "r" | "read", rest)) =
        operands.split_first().and_then(|(first, rest)| Some((first.exact()?, rest)))
    {
        operands = rest;
    }
    let is_file = |field: &&&Field| {
        [".yml", ".yaml", ".json", ".toml", ".xml"].iter().any(|end| field.suffix().ends_with(end))
    };
    let given = options.has(&["from-file", "expression"])
        || (operands.len() == 1 && operands.first().is_some_and(|field| is_file(&field)));
    let files = operands.get(usize::from(!given)..).unwrap_or_default();
    let mut content = inputs(call, Act::Print, files, false);
    for operand in &options.operands {
        content.flow.join(&operand.flow);
    }
    if options.has(&["i", "inplace", "in-place"]) {
        for file in files {
            put(call, Kind::Overwrite, Act::EditInPlace, file, reshaped(&content));
        }
        call.stdout = Stream::empty();
    } else {
        call.stdout = reshaped(&content);
    }
}

#[cfg(test)]
mod tests {
    use crate::run::testing::effects;

    #[test]
    fn the_filter_is_not_a_file_and_values_are_not_filters() {
        for (argv, expected) in [
            (["jq", ".a", "x.json"].as_slice(), ["read print /shop/x.json certain"].as_slice()),
            (&["jq", "--arg", "a", "b", ".a", "x"], &["read print /shop/x certain"]),
            (
                &["jq", "--rawfile", "k", "/etc/passwd", "-n", "$k"],
                &["read print /etc/passwd certain"],
            ),
            (
                &["jq", "-f", "q.jq", "x"],
                &["read list /shop/q.jq certain", "read print /shop/x certain"],
            ),
            (&["jq", "."], &[]),
            (&["jq", "-n", "--args", "$x", "a", "b"], &[]),
            (&["yq", "e", ".a", "x.yml"], &["read print /shop/x.yml certain"]),
            (&["yq", "x.yml"], &["read print /shop/x.yml certain"]),
            (
                &["yq", "-i", ".a=1", "x.yml"],
                &[
                    "read print /shop/x.yml certain",
                    "overwrite edit-in-place /shop/x.yml certain <[File(\"/shop/x.yml\")]",
                ],
            ),
        ] {
            assert_eq!(effects(argv), expected, "{argv:?}");
        }
    }
}
