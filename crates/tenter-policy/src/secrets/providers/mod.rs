//! Tokens with a distinctive form, by provider.

mod ai;
mod cloud;
mod code;
mod money;
mod talk;
mod watch;
mod work;

use super::rules::{Proof, Token};

const LEN: usize = ai::TOKENS.len()
    + cloud::TOKENS.len()
    + code::TOKENS.len()
    + money::TOKENS.len()
    + talk::TOKENS.len()
    + watch::TOKENS.len()
    + work::TOKENS.len();

/// Every token, grouped by service.
pub(super) const TOKENS: &[Token; LEN] = &all();

const fn token(id: &'static str, title: &'static str, shape: &'static str) -> Token {
    Token { id, title, shape, proof: Proof::Form }
}

/// A token whose form ordinary words could have.
const fn random(id: &'static str, title: &'static str, shape: &'static str) -> Token {
    Token { id, title, shape, proof: Proof::Random }
}

/// A token for tests, or not always secret.
const fn weak(id: &'static str, title: &'static str, shape: &'static str) -> Token {
    Token { id, title, shape, proof: Proof::Weak }
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
#[expect(clippy::large_stack_arrays, reason = "evaluated when compiling")]
const fn all() -> [Token; LEN] {
    let groups: [&[Token]; 7] = [
        ai::TOKENS,
        cloud::TOKENS,
        code::TOKENS,
        money::TOKENS,
        talk::TOKENS,
        watch::TOKENS,
        work::TOKENS,
    ];
    let mut table = [token("", "", ""); LEN];
    let mut len = 0;
    let mut group = 0;
    while group < groups.len() {
        let mut at = 0;
        while at < groups[group].len() {
            table[len] = groups[group][at];
            len += 1;
            at += 1;
        }
        group += 1;
    }
    table
}
