//! The tree of a shell script. It owns its text, so that a function defined in an `eval` can
//! outlive the string it was read from.

use std::rc::Rc;

use crate::span::Span;

/// Commands one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    pub items: Vec<Item>,
}

/// `pipeline && pipeline || pipeline`, ended by `;`, a new line or `&`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub first: Pipeline,
    pub rest: Vec<(Connector, Pipeline)>,
    pub background: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connector {
    And,
    Or,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    pub negated: bool,
    /// Preceded by the reserved word `time`.
    pub timed: bool,
    pub commands: Vec<Command>,
    /// For each `|` between the commands: whether it was `|&`.
    pub with_errors: Vec<bool>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub kind: CommandKind,
    pub redirects: Vec<Redirect>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    Simple(Simple),
    Subshell(Script),
    Group(Script),
    If {
        /// `if` and `elif`: the condition and what follows `then`.
        branches: Vec<(Script, Script)>,
        otherwise: Option<Script>,
    },
    While {
        condition: Script,
        body: Script,
        until: bool,
    },
    /// `for x in words`, `select x in words`; no words means `"$@"`.
    For {
        variable: String,
        words: Option<Vec<Word>>,
        body: Script,
        select: bool,
    },
    /// `for ((a; b; c))`: the three expressions as words (quotes do not count inside).
    ForArithmetic {
        header: Vec<Word>,
        body: Script,
    },
    Case {
        subject: Word,
        arms: Vec<Arm>,
    },
    Function {
        name: String,
        body: Rc<Command>,
    },
    /// `(( expression ))`
    Arithmetic(Word),
    /// `[[ expression ]]`: its words, operators included.
    Test(Vec<Word>),
    Coprocess {
        name: Option<String>,
        body: Box<Command>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    pub patterns: Vec<Word>,
    pub body: Script,
    pub then: ArmEnd,
}

/// Continuation after an arm of `case`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArmEnd {
    /// `;;`
    Stop,
    /// `;&`: the next arm runs, whatever its pattern.
    Next,
    /// `;;&`, or `;|` in zsh: the next patterns are tried.
    Try,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
}

/// `name=value`, `name[index]+=value`, `name=(a b c)`; before a command or alone. In the arguments
/// of `export`, `declare`, `local`, `readonly` and `typeset` a scalar assignment is an ordinary
/// word; an array there is kept as the word's `Array` part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub index: Option<Word>,
    pub append: bool,
    pub value: AssignedValue,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssignedValue {
    Scalar(Word),
    Array(Vec<ArrayItem>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayItem {
    pub key: Option<Word>,
    pub value: Word,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    pub fd: Fd,
    pub kind: RedirectKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fd {
    /// None was written: 0 or 1, as the operator says.
    Default,
    Number(u32),
    /// `{name}>file`
    Variable(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read(Word),
    /// `>` and, with `clobber`, `>|`
    Write { target: Word, clobber: bool },
    /// `>>`
    Append(Word),
    /// `<>`
    ReadWrite(Word),
    /// `&>`, `>&file` and, with `append`, `&>>`
    Both { target: Word, append: bool },
    /// `<&word` (`output` false), `>&word` (`output` true), where the word is a number, `-`, or
    /// only known later
    Duplicate { target: Word, output: bool },
    /// `<<` and `<<-`. The body of a quoted delimiter is one `SingleQuoted` part; any other is
    /// parsed as inside double quotes.
    Heredoc { body: Word, quoted: bool },
    /// `<<<`
    HereString(Word),
}

/// One word before expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    pub parts: Vec<WordPart>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordPart {
    /// Unquoted text: braces, tildes and globs in it still count.
    Literal(Text),
    /// Text in which nothing counts: single quotes, `$'...'` (decoded), a backslashed character,
    /// the plain text inside double quotes.
    Quoted(Text),
    /// `"..."`; its parts are `Quoted` text and expansions. Never holds `Literal`.
    DoubleQuoted(Vec<WordPart>),
    Parameter(Box<Parameter>),
    /// `$(...)`, backquotes, and `${ ...; }`
    Command {
        script: Script,
        span: Span,
    },
    /// `$((...))` and `$[...]`: the expression, parsed as inside double quotes.
    Arithmetic {
        expression: Word,
        span: Span,
    },
    /// `<(...)` and, with `output`, `>(...)`
    Process {
        script: Script,
        output: bool,
        span: Span,
    },
    /// `(a b c)` after `name=` in an argument of a declaration builtin.
    Array(Vec<ArrayItem>),
}

/// Text with the place it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// The byte of the source at which exactly this text stands; none when it was decoded.
    pub at: Option<u32>,
}

/// `$name`, `${name...}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub name: ParameterName,
    pub index: Option<Index>,
    /// `${!name}`
    pub indirect: bool,
    pub operation: Operation,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterName {
    Variable(String),
    Positional(u32),
    /// One of `@ * # ? - $ ! 0`
    Special(char),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index {
    /// `[@]`
    At,
    /// `[*]`
    Star,
    Word(Word),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    None,
    /// `${#name}`
    Length,
    /// `${!name[@]}`
    Keys,
    /// `${!prefix@}` and `${!prefix*}`
    NamesWithPrefix,
    /// `${name:-word}` and its kin; `colon` also counts an empty value as unset.
    Fallback {
        kind: Fallback,
        colon: bool,
        word: Word,
    },
    /// `${name#pattern}`, `##`, `%`, `%%`
    Strip {
        suffix: bool,
        longest: bool,
        pattern: Word,
    },
    /// `${name/pattern/with}`
    Replace {
        pattern: Word,
        with: Option<Word>,
        which: Which,
    },
    /// `${name:offset:length}`
    Substring {
        offset: Word,
        length: Option<Word>,
    },
    /// `${name^}`, `^^`, `,`, `,,`, `~`, `~~`
    Case {
        change: CaseChange,
        all: bool,
        pattern: Option<Word>,
    },
    /// `${name@Q}` and its kin
    Transform(char),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// `-`
    Use,
    /// `=`
    Assign,
    /// `?`
    Fail,
    /// `+`
    Alternative,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    First,
    All,
    Start,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseChange {
    Upper,
    Lower,
    Toggle,
}
