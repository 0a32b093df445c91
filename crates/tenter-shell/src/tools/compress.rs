//! Programs that compress single files and undo it.
//!
//! Actions: `compress` and `decompress` (the file is read; without `-k` it is replaced by the
//! result, which moves it away), `print` (read to be printed).

use super::files::{decoded, inputs, only_shows, put, reshaped, tree, written_kind};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::Spec;
use crate::value::{Field, Part};

pub(super) const PROGRAMS: Programs = &[
    ("gzip", |call| compress(call, &GZIP, false, false)),
    ("pigz", |call| compress(call, &GZIP, false, false)),
    ("gunzip", |call| compress(call, &GZIP, true, false)),
    ("unpigz", |call| compress(call, &GZIP, true, false)),
    ("zcat", |call| compress(call, &GZIP, true, true)),
    ("gzcat", |call| compress(call, &GZIP, true, true)),
    ("zless", |call| compress(call, &GZIP, true, true)),
    ("zmore", |call| compress(call, &GZIP, true, true)),
    ("compress", |call| compress(call, &COMPRESS, false, false)),
    ("uncompress", |call| compress(call, &COMPRESS, true, false)),
    ("bzip2", |call| compress(call, &BZIP2, false, false)),
    ("pbzip2", |call| compress(call, &BZIP2, false, false)),
    ("bunzip2", |call| compress(call, &BZIP2, true, false)),
    ("bzcat", |call| compress(call, &BZIP2, true, true)),
    ("xz", |call| compress(call, &XZ, false, false)),
    ("unxz", |call| compress(call, &XZ, true, false)),
    ("xzcat", |call| compress(call, &XZ, true, true)),
    ("lzma", |call| compress(call, &LZMA, false, false)),
    ("unlzma", |call| compress(call, &LZMA, true, false)),
    ("lzcat", |call| compress(call, &LZMA, true, true)),
    ("lzip", |call| compress(call, &LZIP, false, false)),
    ("lzop", |call| compress(call, &LZOP, false, false)),
    ("zstd", |call| compress(call, &ZSTD, false, false)),
    ("zstdmt", |call| compress(call, &ZSTD, false, false)),
    ("unzstd", |call| compress(call, &ZSTD, true, false)),
    ("zstdcat", |call| compress(call, &ZSTD, true, true)),
    ("lz4", |call| compress(call, &LZ4, false, false)),
    ("unlz4", |call| compress(call, &LZ4, true, false)),
    ("lz4cat", |call| compress(call, &LZ4, true, true)),
    ("brotli", |call| compress(call, &BROTLI, false, false)),
];

struct Format {
    suffix: &'static str,
    short: &'static str,
    long: &'static str,
    /// The file stays unless an option says otherwise.
    keeps: bool,
    /// The second operand is where the result goes.
    second_is_output: bool,
}

const GZIP: Format = Format {
    suffix: ".gz",
    short: "S:b:p:",
    long: "suffix= blocksize= processes= decompress uncompress stdout to-stdout keep \
             test list force recursive help version",
    keeps: false,
    second_is_output: false,
};
const COMPRESS: Format = Format { suffix: ".Z", short: "b:", ..GZIP };
const BZIP2: Format = Format { suffix: ".bz2", short: "", ..GZIP };
const XZ: Format = Format {
    suffix: ".xz",
    short: "S:F:C:T:M:",
    long: "suffix= format= check= threads= memlimit= block-size= files=? decompress \
             uncompress stdout to-stdout keep test list force help version",
    ..GZIP
};
const LZMA: Format = Format { suffix: ".lzma", ..XZ };
const LZIP: Format = Format { suffix: ".lz", short: "b:m:o:s:S:", ..GZIP };
const LZOP: Format = Format { suffix: ".lzo", short: "o:S:p:", keeps: true, ..GZIP };
const ZSTD: Format = Format {
    suffix: ".zst",
    short: "o:D:T:M:",
    long: "output-dir-flat= output-dir-mirror= filelist= threads= memory= train rm \
             decompress uncompress stdout keep test list force help version",
    keeps: true,
    second_is_output: false,
};
const LZ4: Format =
    Format { suffix: ".lz4", short: "", keeps: true, second_is_output: true, ..GZIP };
const BROTLI: Format = Format {
    suffix: ".br",
    short: "o:q:w:S:D:",
    long: "output= quality= lgwin= suffix= dictionary= decompress stdout keep rm test \
             force help version",
    keeps: true,
    second_is_output: false,
};

fn compress(call: &mut Call<'_, '_>, format: &Format, undoes: bool, prints: bool) {
    let options =
        call.options(&Spec { short: format.short, long: format.long, ..Spec::new("", "") });
    if only_shows(&options) || options.has(&["V", "h"]) {
        return;
    }
    let undoes = undoes || options.has(&["d", "decompress", "uncompress"]);
    let result = |content: &Stream| if undoes { decoded(content) } else { reshaped(content) };
    if options.has(&["t", "test", "l", "list"]) {
        inputs(call, Act::Print, &options.operands, false);
        call.stdout = Stream::default();
        return;
    }
    let mut files = options.operands.as_slice();
    let mut output = options.value(&["o", "output"]);
    if let [one, second] = files
        && format.second_is_output
    {
        output = Some(second);
        files = std::slice::from_ref(one);
    }
    let to_stdout = prints || options.has(&["c", "stdout", "to-stdout"]);
    let from_stdin = files.is_empty() || matches!(files, [file] if file.is("-"));
    if output.is_none() && (to_stdout || from_stdin) {
        let content = inputs(call, Act::Print, files, false);
        call.stdout = result(&content);
        return;
    }
    call.stdout = Stream::default();
    let action = if undoes { Act::Decompress } else { Act::Compress };
    let recursive = options.has(&["r", "recursive"]);
    let removes =
        options.has(&["rm"]) || (!format.keeps && output.is_none() && !options.has(&["k", "keep"]));
    let suffix = options.value(&["S", "suffix"]).and_then(Field::exact).unwrap_or(format.suffix);
    let force = options.has(&["f", "force"]);
    for file in files {
        let content = tree(call, action, file, recursive);
        if removes {
            call.on_path(Kind::Move, action, file).recursive = recursive;
        }
        let beside = if undoes { without(file, suffix) } else { with(file, suffix) };
        let target = output.unwrap_or(&beside);
        let kind = written_kind(call, target, Kind::Write);
        if let Some(effect) = put(call, kind, action, target, result(&content)) {
            effect.force = force;
        }
    }
}

fn with(file: &Field, suffix: &str) -> Field {
    let mut file = file.clone();
    file.push_text(suffix, None);
    file
}

fn without(file: &Field, suffix: &str) -> Field {
    let mut file = file.clone();
    if let Some(Part::Text { text, .. }) = file.parts.last_mut() {
        if let Some(length) = text.strip_suffix(suffix).map(str::len) {
            text.truncate(length);
        } else if text.ends_with("gz") || text.ends_with("xz") {
            // `.tgz` becomes `.tar`.
            text.truncate(text.len().saturating_sub(2));
            text.push_str("ar");
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use crate::flow::{Source, Stream};
    use crate::run::Machine;
    use crate::run::testing::effects;
    use crate::span::Span;
    use crate::value::Field;
    use crate::world::Surroundings;

    #[test]
    fn a_file_is_replaced_unless_it_is_kept() {
        for (argv, expected) in [
            (
                ["gzip", "-9", "a"].as_slice(),
                [
                    "read compress /shop/a certain",
                    "move compress /shop/a certain",
                    "write compress /shop/a.gz certain <[File(\"/shop/a\")]",
                ]
                .as_slice(),
            ),
            (
                &["xz", "-k", "a"],
                &[
                    "read compress /shop/a certain",
                    "write compress /shop/a.xz certain <[File(\"/shop/a\")]",
                ],
            ),
            (
                &["zstd", "-T0", "a", "-o", "b"],
                &[
                    "read compress /shop/a certain",
                    "write compress /shop/b certain <[File(\"/shop/a\")]",
                ],
            ),
            (
                &["gunzip", "a.gz"],
                &[
                    "read decompress /shop/a.gz certain",
                    "move decompress /shop/a.gz certain",
                    "write decompress /shop/a certain <[File(\"/shop/a.gz\"), Decoded]",
                ],
            ),
            (&["gzip", "-c", "a"], &["read print /shop/a certain"]),
            (&["gzip", "-l", "a.gz"], &["read print /shop/a.gz certain"]),
            (&["gzip"], &[]),
            (&["gzip", "--version"], &[]),
        ] {
            assert_eq!(effects(argv), expected, "{argv:?}");
        }
    }

    #[test]
    fn what_was_unpacked_says_so() {
        let world = Surroundings::default();
        for (argv, expected) in [
            (["gunzip"].as_slice(), true),
            (&["gzip", "-dc"], true),
            (&["zcat"], true),
            (&["xz", "--decompress", "--stdout"], true),
            (&["gzip"], false),
        ] {
            let argv: Vec<Field> =
                argv.iter().map(|word| Field::text(*word, Span::default())).collect();
            let out = Machine::new(&world, "").execute(&argv, Stream::from(Source::Stdin));
            assert_eq!(out.flow.decoded(), expected, "{argv:?}");
        }
    }
}
