//! Shell dialects.

/// The grammar that the parser follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// bash 5 with its extended patterns; `${ ...; }` of 5.3 is read too.
    #[default]
    Bash,
    /// sh and dash. `[[`, `((`, `function`, `select`, `coproc` and `time` are ordinary words, `&>` is
    /// `&` and then `>`; there are no arrays, no `<(...)`, no extended patterns and no here-strings. A
    /// function's body may be any command. `$'...'` is read as bash does: POSIX has it now, and most
    /// that are called sh know it.
    Posix,
    /// As bash, and: `for x (a b) cmd`, `foreach ... end`, `repeat n cmd`, `{ }` for `then`/`do`
    /// bodies, `() { }`, several function names, function bodies of any kind, `{ } always { }`,
    /// `&|` and `&!`, `>!`, `;|`, `=(...)`, `${(flags)x}`, `$x[1]`, groups and qualifiers in
    /// patterns. Bodies may be empty.
    Zsh,
    /// Blocks end with `end`, `(...)` and `$(...)` are command substitutions, `and`, `or`, `not` join
    /// commands; there are no heredocs, no backquotes, no subshells, no `${...}`.
    Fish,
}

impl Dialect {
    /// Has what bash added to the POSIX grammar.
    pub(super) fn extended(self) -> bool {
        matches!(self, Self::Bash | Self::Zsh)
    }
}
