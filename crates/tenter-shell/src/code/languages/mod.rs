//! One file per language: its syntax, and the effects of its library functions. Everything else in `code/` is
//! shared by all languages and uses the `Definition`.

mod applescript;
mod awk;
mod c;
mod dotnet;
mod go;
mod javascript;
mod julia;
mod jvm;
mod lisp;
mod literals;
mod lua;
mod nim;
mod other;
mod perl;
mod php;
mod python;
mod ruby;
mod rust;
mod swift;
mod vbscript;

use super::lex::{Lexer, TokenKind};
use super::library::{Methods, Op, Table};
use super::scan::Scan;
use super::strings::Style;
use super::value::{Arguments, Value};
use super::{Code, Context};
use crate::call::Call;
use crate::flow::Stream;
use crate::world::Language;

/// Definition of a language.
pub(super) struct Definition {
    pub language: Language,
    pub lexicon: Lexicon,
    pub syntax: Syntax,
    pub library: Library,
    /// Judges the code, for a language with unusual statements.
    pub judge: Option<Judge>,
}

type Judge = fn(&mut Call<'_, '_>, Code<'_>, Context<'_>) -> Stream;

const DEFINITIONS: &[&Definition] = &[
    &python::DEFINITION,
    &javascript::DEFINITION,
    &perl::DEFINITION,
    &ruby::DEFINITION,
    &php::DEFINITION,
    &lua::DEFINITION,
    &awk::DEFINITION,
    &applescript::DEFINITION,
    &go::DEFINITION,
    &rust::DEFINITION,
    &c::DEFINITION,
    &swift::DEFINITION,
    &jvm::DEFINITION,
    &dotnet::DEFINITION,
    &julia::DEFINITION,
    &lisp::DEFINITION,
    &nim::DEFINITION,
    &vbscript::DEFINITION,
    &other::DEFINITION,
];

/// `None` for shells and databases, which are handled elsewhere.
pub(super) fn definition(language: Language) -> Option<&'static Definition> {
    DEFINITIONS.iter().copied().find(|definition| definition.language == language)
}

/// Token syntax.
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches that have nothing to do with each other"
)]
pub(super) struct Lexicon {
    /// Start and end of comments.
    pub comments: &'static [(&'static str, &'static str)],
    /// `#` stands inside words too, and opens a comment only at the start of one.
    pub hash_in_words: bool,
    pub single: Style,
    pub double: Style,
    pub backtick: Backtick,
    /// `/x/` is a regular expression.
    pub patterns: bool,
    /// Letters right after a pattern belong to it.
    pub pattern_flags: bool,
    /// After a name and a space, but not before one, an argument starts: `puts %w[a b]`.
    pub spaced_arguments: bool,
    /// Start of a here document.
    pub here_document: Option<&'static str>,
    /// Strings that no other language has.
    pub string: fn(&mut Lexer<'_, '_>) -> Option<TokenKind>,
    /// Prefixes of variable names.
    pub sigils: &'static [u8],
    /// Characters that may follow a sigil instead of a name: `$0`.
    pub special_variables: &'static [u8],
    /// `$` is a letter.
    pub dollar_is_letter: bool,
    /// Lisp: `delete-file`
    pub hyphens: bool,
    /// `save!`, `empty?`, `let*`
    pub name_endings: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backtick {
    Nothing,
    /// A string that the shell runs.
    Command,
    /// A string with `${x}` in it.
    Template,
    /// A string that another function runs.
    Text,
}

impl Lexicon {
    pub(super) const BASE: Self = Self {
        comments: &[("#", "\n")],
        hash_in_words: false,
        single: Style::PLAIN,
        double: Style::PLAIN,
        backtick: Backtick::Nothing,
        patterns: false,
        pattern_flags: true,
        spaced_arguments: false,
        here_document: None,
        string: |_| None,
        sigils: b"",
        special_variables: b"",
        dollar_is_letter: false,
        hyphens: false,
        name_endings: false,
    };
}

/// Syntax of statements and expressions.
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches that have nothing to do with each other"
)]
pub(super) struct Syntax {
    pub blocks: Blocks,
    /// How a compiled language declares names. `None` for scripting languages.
    pub declares: Option<Declares>,
    /// `(type)value`
    pub casts: bool,
    /// `[receiver part: value part: value]`
    pub messages: bool,
    /// `f(label: value)` is `f(value)`.
    pub labels: bool,
    /// `(function value value)`
    pub forms: bool,
    /// A tree that only a variable names is not reported: programs clean up what they are given.
    pub known_trees: bool,
    /// Methods of a path that give a path below it.
    pub joining: &'static [&'static str],
    /// A statement that starts with this word: true if it was read, false if it is an expression, `None` if
    /// the word has no special meaning.
    pub keyword: fn(&mut Scan<'_, '_, '_, '_>, &str) -> Option<bool>,
    /// An expression that starts with this word, which comes next.
    pub primary: for<'s> fn(&mut Scan<'s, '_, '_, '_>, &'s str) -> Option<Value>,
    /// Default variable of loops and functions.
    pub topic: Option<&'static str>,
    /// A condition may stand behind its statement, and needs no bracket.
    pub trailing_conditions: bool,
    /// `a, b = values`
    pub tuples: bool,
    /// `name: type = value`
    pub annotations: bool,
    pub conditional: Conditional,
    /// `and`, `or`
    pub word_logic: bool,
    /// Operators that join texts, besides `+`.
    pub joins: &'static [&'static str],
    /// `x` repeats a text.
    pub repeat_word: bool,
    /// `/` joins paths.
    pub slash_joins: bool,
    /// `|x|` names the parameters of a block.
    pub bars: bool,
    /// `"a" "b"` is one string.
    pub adjacent_strings: bool,
    /// Words that start a function without a name.
    pub function_words: &'static [&'static str],
    /// `x => value`
    pub arrows: bool,
    /// `{ a, b }` is a map.
    pub shorthand: bool,
    /// Separators between a name and its value inside brackets.
    pub keys: &'static [&'static str],
    /// `f(x) for x in values`
    pub comprehensions: bool,
    /// `values as $x`
    pub as_binds: bool,
    /// `$x[0]` is an element of `@x`, `$x{a}` of a map, and both keep their brackets in a row.
    pub sigil_elements: bool,
    /// `"${x}"` is `$x`.
    pub bare_names_in_strings: bool,
    /// Member operators.
    pub members: &'static [&'static str],
    /// Operators that continue the expression of the previous line.
    pub chains: &'static [&'static str],
    /// A name is called by what stands before it, without an argument.
    pub everything_is_a_call: bool,
    pub bare_calls: BareCalls,
    /// Functions that are called by their name alone.
    pub alone: fn(Op) -> bool,
    /// Marks that start an argument without a parenthesis.
    pub argument_marks: &'static [&'static str],
    /// The same if a space stands before them and, but for a bracket, none behind.
    pub spaced_argument_marks: &'static [&'static str],
    /// Arguments need no commas.
    pub no_commas: bool,
    /// `print F "text"`
    pub handles: bool,
    /// Marks around names that a list is assigned to.
    pub list_targets: &'static [(&'static str, &'static str)],
    /// `a // b` is `b` if `a` is not defined.
    pub defined_or: bool,
    /// `thing->name` without parentheses is a call.
    pub arrow_calls: bool,
    /// Text that is called is the name of a function.
    pub callable_texts: bool,
    pub functions: Functions,
}

/// Position of the name in a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declares {
    /// `char *path = "x"`
    TypeFirst,
    /// `path string = "x"`, `path: String = "x"`
    NameFirst,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocks {
    Braces,
    Indented,
    /// From a word to `end`.
    Words,
}

/// Syntax of the conditional operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conditional {
    None,
    /// `c ? a : b`
    Mark,
    /// `a if c else b`
    Words,
}

/// Functions called without parentheses.
#[derive(Clone, Copy, Debug)]
pub(super) enum BareCalls {
    /// None; a string right behind a name is a template.
    Templates,
    Named(&'static [&'static str]),
    BeforeText,
    /// Those that are statements: `echo`, `include`.
    Statements,
    All,
}

/// How functions of the code are handled.
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches that have nothing to do with each other"
)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Functions {
    /// Their bodies are read at each call. If not, where they stand.
    pub followed: bool,
    /// They may be called before they are defined.
    pub hoisted: bool,
    /// Name of the list of all arguments.
    pub arguments: Option<&'static str>,
    /// Names of parameters start with a sigil; others among them are types.
    pub sigils: bool,
    pub own: Scope,
    /// Without `return` the last statement is the value.
    pub last_is_value: bool,
    /// A call needs no parentheses if an argument follows.
    pub bare: bool,
    /// `&f;` and `f;` are calls, `\&f` is the function itself.
    pub ampersand: bool,
    /// `thing->f(x)` and `Thing::f(x)` may call any of them.
    pub any_is_method: bool,
    /// Names of the receiver, if it is the first in the argument list.
    pub itself: &'static [&'static str],
}

/// Names local to a body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope {
    Assigned,
    /// The same, but none that starts with a sigil.
    AssignedBare,
    /// Those behind these words.
    Declared(&'static [&'static str]),
}

impl Syntax {
    pub(super) const BASE: Self = Self {
        blocks: Blocks::Braces,
        declares: None,
        casts: false,
        messages: false,
        labels: false,
        forms: false,
        known_trees: false,
        joining: &[],
        keyword: |_, _| None,
        primary: |_, _| None,
        topic: None,
        trailing_conditions: false,
        tuples: true,
        annotations: false,
        conditional: Conditional::Mark,
        word_logic: true,
        joins: &[],
        repeat_word: false,
        slash_joins: false,
        bars: false,
        adjacent_strings: false,
        function_words: &["function", "sub", "proc"],
        arrows: false,
        shorthand: false,
        keys: &[":", "=>"],
        comprehensions: false,
        as_binds: false,
        sigil_elements: false,
        bare_names_in_strings: false,
        members: &[".", "?.", "->", "::"],
        chains: &[],
        everything_is_a_call: false,
        bare_calls: BareCalls::All,
        alone: |_| false,
        argument_marks: &[],
        spaced_argument_marks: &[],
        no_commas: false,
        handles: false,
        list_targets: &[],
        defined_or: false,
        arrow_calls: false,
        callable_texts: false,
        functions: Functions {
            followed: false,
            hoisted: false,
            arguments: None,
            sigils: false,
            own: Scope::Assigned,
            last_is_value: false,
            bare: false,
            ampersand: false,
            any_is_method: false,
            itself: &[],
        },
    };
}

/// Library functions of the language and their effects.
pub(super) struct Library {
    pub functions: Table,
    /// Methods of paths, files and other things that are not modules.
    pub methods: Methods,
    /// Names of the environment, arguments and streams.
    pub surroundings: &'static [(&'static [&'static str], Surrounding)],
    /// Prefixes of names without meaning.
    pub prefixes: &'static [&'static str],
    /// Normalises a name.
    pub simplify: fn(&str) -> String,
    /// Case of names makes no difference.
    pub any_case: bool,
    /// Another name under which a function is listed: module and function.
    pub alias: for<'n> fn(&'n str, &'n str) -> (&'n str, &'n str),
    /// Handles calls that no table can express.
    pub invoke: fn(&mut Scan<'_, '_, '_, '_>, &str, &Arguments) -> Option<Value>,
    /// Handles such methods.
    pub method: fn(&mut Scan<'_, '_, '_, '_>, &Value, &str, &Arguments) -> Option<Value>,
    /// Several arguments of a function that runs text are a program and its arguments.
    pub words_run: bool,
    /// An import by the whole name of a module inside another gives the inner one.
    pub import_is_whole: bool,
    /// Words in code that drives git through a library.
    pub repository: &'static [&'static str],
}

/// An environment object that a name refers to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Surrounding {
    Environment,
    Stdin,
    Text(&'static str),
    /// The home folder.
    Home,
    /// The arguments of the script, after these.
    Arguments(&'static [&'static str]),
}

impl Library {
    pub(super) const BASE: Self = Self {
        functions: &[],
        methods: &[],
        surroundings: &[],
        prefixes: &[],
        simplify: str::to_owned,
        any_case: false,
        alias: |module, function| (module, function),
        invoke: |_, _, _| None,
        method: |_, _, _, _| None,
        words_run: false,
        import_is_whole: false,
        repository: &[],
    };
}

impl Definition {
    pub(super) const fn new(language: Language) -> Self {
        Self {
            language,
            lexicon: Lexicon::BASE,
            syntax: Syntax::BASE,
            library: Library::BASE,
            judge: None,
        }
    }
}
