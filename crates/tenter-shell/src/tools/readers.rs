//! Argument syntax of programs that print files.

use crate::act::Act;

/// Argument syntax of a program that reads files.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    pub action: Act,
    pub short: &'static str,
    pub long: &'static str,
    /// Operands before the files: a pattern or a filter.
    pub skip: usize,
    /// Options that stand for that operand.
    pub given_by: &'static [&'static str],
    /// Options whose value is a file that is read for names or patterns.
    pub lists: &'static [&'static str],
    /// Options whose value is the file that gets the output.
    pub output: &'static [&'static str],
    /// Options that make it print no content; a star means always.
    pub quiet: &'static [&'static str],
    /// Options that make it read whole directories; a star means always.
    pub recursive: &'static [&'static str],
    /// Options whose value is a program that it runs.
    pub programs: &'static [&'static str],
}

impl Reader {
    pub(super) const PLAIN: Self = Self {
        action: Act::Print,
        short: "",
        long: "help version",
        skip: 0,
        given_by: &[],
        lists: &[],
        output: &[],
        quiet: &[],
        recursive: &[],
        programs: &[],
    };
}

pub(super) const PV: Reader = Reader {
    short: "D:i:w:H:N:u:x:L:B:m:X:R:P:d:s:F:o:",
    long: "output= size= delay-start= interval= width= height= name= format= rate-limit= buffer-size= \
           last-written= skip-errors remote= pidfile= watchfd= average-rate-window= help version",
    ..Reader::PLAIN
};

pub(super) const HEAD: Reader = Reader {
    short: "n:c:s:",
    long: "bytes= lines= pid= sleep-interval= max-unchanged-stats= follow=? help \
             version",
    ..Reader::PLAIN
};

pub(super) const LESS: Reader = Reader {
    short: "b:h:j:k:o:O:p:P:t:T:x:y:z:#:D:",
    long: "log-file= LOG-FILE= pattern= lesskey-file= tag= prompt= help version",
    lists: &["k", "lesskey-file"],
    output: &["o", "O", "log-file", "LOG-FILE"],
    ..Reader::PLAIN
};

pub(super) const BAT: Reader = Reader {
    short: "l:H:m:r:",
    long: "language= highlight-line= map-syntax= line-range= theme= style= tabs= wrap= \
             pager= file-name= terminal-width= color= paging= decorations= italic-text= \
             diff-context= ignored-suffix= help version",
    programs: &["pager"],
    ..Reader::PLAIN
};

pub(super) const HEXDUMP: Reader = Reader { short: "e:f:n:s:L::", lists: &["f"], ..Reader::PLAIN };

pub(super) const CUT: Reader = Reader {
    short: "b:c:d:f:",
    long: "bytes= characters= delimiter= fields= output-delimiter= complement \
             only-delimited zero-terminated help version",
    ..Reader::PLAIN
};

pub(super) const COLUMN: Reader =
    Reader { short: "c:d:E:H:i:l:m:n:N:o:O:p:r:R:s:T:W:", ..Reader::PLAIN };

pub(super) const ICONV: Reader = Reader {
    short: "f:t:o:",
    long: "from-code= to-code= output= help version",
    output: &["o", "output"],
    ..Reader::PLAIN
};

pub(super) const SORT: Reader = Reader {
    short: "k:o:S:t:T:",
    long: "key= output= buffer-size= field-separator= temporary-directory= \
             compress-program= parallel= batch-size= files0-from= random-source= sort= \
             reverse unique numeric-sort help version",
    lists: &["files0-from"],
    output: &["o", "output"],
    programs: &["compress-program"],
    ..Reader::PLAIN
};

pub(super) const SHUF: Reader = Reader {
    short: "i:n:o:",
    long: "input-range= head-count= output= random-source= echo repeat help version",
    output: &["o", "output"],
    ..Reader::PLAIN
};

pub(super) const GREP: Reader = Reader {
    action: Act::Search,
    short: "e:f:m:A:B:C:d:D:",
    long: "regexp= file= max-count= after-context= before-context= context= \
             binary-files= devices= directories= exclude= exclude-from= exclude-dir= \
             include= label= color=? colour=? group-separator= recursive \
             dereference-recursive quiet silent count files-with-matches \
             files-without-match invert-match ignore-case help version",
    skip: 1,
    given_by: &["e", "regexp", "f", "file"],
    lists: &["f", "file", "exclude-from"],
    quiet: &[
        "q",
        "quiet",
        "silent",
        "c",
        "count",
        "l",
        "files-with-matches",
        "L",
        "files-without-match",
    ],
    recursive: &["r", "R", "recursive", "dereference-recursive"],
    ..Reader::PLAIN
};

pub(super) const RG: Reader = Reader {
    action: Act::Search,
    short: "e:f:g:t:T:m:A:B:C:d:E:j:M:r:",
    long: "regexp= file= glob= iglob= type= type-not= type-add= type-clear= max-count= \
             after-context= before-context= context= color= colors= encoding= engine= \
             max-columns= max-depth= max-filesize= path-separator= pre= pre-glob= \
             regex-size-limit= dfa-size-limit= replace= sort= sortr= threads= \
             ignore-file= context-separator= field-context-separator= \
             field-match-separator= hostname-bin= hyperlink-format= generate= files \
             type-list quiet count count-matches files-with-matches files-without-match \
             help version",
    given_by: &["e", "regexp", "f", "file", "files", "type-list"],
    lists: &["f", "file"],
    quiet: &[
        "q",
        "quiet",
        "c",
        "count",
        "count-matches",
        "l",
        "files-with-matches",
        "files-without-match",
        "files",
        "type-list",
    ],
    recursive: &["*"],
    programs: &["pre", "hostname-bin"],
    ..GREP
};

pub(super) const AG: Reader = Reader {
    action: Act::Search,
    short: "A:B:C:G:m:p:W:",
    long: "after= before= context= depth= file-search-regex= ignore= ignore-dir= \
             max-count= pager= path-to-ignore= width= workers= type= output= \
             files-with-matches files-without-matches count help version",
    given_by: &[],
    lists: &["p", "path-to-ignore"],
    quiet: &["c", "count", "l", "files-with-matches", "L", "files-without-matches", "g", "f"],
    recursive: &["*"],
    programs: &["pager"],
    ..GREP
};

pub(super) const DIFF: Reader = Reader {
    action: Act::Compare,
    short: "C:D:F:I:L:S:U:W:x:X:",
    long: "label= from-file= to-file= exclude= exclude-from= ignore-matching-lines= \
             context=? unified=? width= starting-file= show-function-line= color=? \
             palette= tabsize= horizon-lines= ifdef= output= diff-program= recursive \
             brief report-identical-files help version",
    lists: &["X", "exclude-from", "from-file", "to-file"],
    quiet: &["q", "brief"],
    recursive: &["r", "recursive"],
    programs: &["diff-program"],
    ..Reader::PLAIN
};

pub(super) const DIGEST: Reader = Reader {
    action: Act::Digest,
    short: "a:l:",
    long: "algorithm= length= files0-from= help version",
    lists: &["files0-from"],
    quiet: &["*"],
    ..Reader::PLAIN
};
