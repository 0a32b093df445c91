//! Checks lines of the table language when the crate is compiled.
#![expect(
    clippy::indexing_slicing,
    reason = "evaluated when compiling; a wrong index stops the build"
)]

use crate::act::{Act, order};
use crate::effect::Kind;

/// Stops the build if a line cannot be read, or its action is not declared, or cannot be of its kind.
/// `kind` is that of lines that name none.
pub(super) const fn lines(text: &str, kind: Kind) {
    let bytes = text.as_bytes();
    let (mut begin, mut at) = (0, 0);
    while at <= bytes.len() {
        if at == bytes.len() || bytes[at] == b'\n' {
            if at > 0 {
                line(part(bytes, begin, at), kind);
            }
            begin = at + 1;
        }
        at += 1;
    }
}

const fn line(line: &[u8], kind: Kind) {
    let mut at = 0;
    while at + 1 < line.len() && !(line[at] == b':' && line[at + 1] == b' ') {
        assert!(line[at] != b' ' || (at > 0 && line[at + 1] != b' '), "a blank too many");
        at += 1;
    }
    assert!(at + 2 < line.len(), "a line of a table has no colon");
    let mut begin = at + 2;
    at = begin;
    let mut named = false;
    while at <= line.len() {
        if at == line.len() || line[at] == b' ' {
            let token = part(line, begin, at);
            if named {
                assert!(is_target(token), "a line of a table has a bad target");
            } else {
                action(token, kind);
                named = true;
            }
            begin = at + 1;
        }
        at += 1;
    }
}

const fn action(token: &[u8], kind: Kind) {
    if is(token, b"none") {
        return;
    }
    let mut slash = 0;
    while slash < token.len() && token[slash] != b'/' {
        slash += 1;
    }
    let mut name = token;
    let mut kind = Some(kind);
    if slash < token.len() {
        name = part(token, slash + 1, token.len());
        let before = part(token, 0, slash);
        kind = if is(before, b"secret") { Some(Kind::Read) } else { Kind::find(before) };
    }
    assert!(kind.is_some(), "a line of a table has an unknown kind");
    let act = Act::find(name);
    assert!(act.is_some(), "a line of a table has an action that is not in the registry");
    if let (Some(act), Some(kind)) = (act, kind) {
        assert!(act.is_of(kind), "a line of a table has an action that is not of its kind");
    }
}

const fn is_target(token: &[u8]) -> bool {
    if is(token, b"+r") || is(token, b"+f") || starts(token, b"--") {
        return true;
    }
    let place = if starts(token, b"path") { part(token, 4, token.len()) } else { token };
    match place {
        b"*" | b"@" | b"@2" | b"last" => true,
        [digit] | [digit, b'*'] => digit.is_ascii_digit() && *digit != b'0',
        _ => false,
    }
}

const fn part(bytes: &[u8], from: usize, to: usize) -> &[u8] {
    bytes.split_at(from).1.split_at(to - from).0
}

const fn starts(text: &[u8], start: &[u8]) -> bool {
    text.len() >= start.len() && is(part(text, 0, start.len()), start)
}

const fn is(one: &[u8], other: &[u8]) -> bool {
    order(one, other) == 0
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::Kind;

    #[test]
    fn a_line_that_can_be_read_passes() {
        lines("a|b * -c|d !e: delete path1 --f|g +r\nx: cloud/stop 2*\n: none", Kind::Cloud);
    }

    #[test]
    #[should_panic(expected = "unknown kind")]
    fn a_line_with_an_unknown_kind_is_found() {
        lines("a b: nothing/stop", Kind::Cloud);
    }

    #[test]
    #[should_panic(expected = "bad target")]
    fn a_line_with_a_bad_target_is_found() {
        lines("a b: stop all", Kind::Cloud);
    }

    #[test]
    #[should_panic(expected = "not of its kind")]
    fn a_line_with_an_action_of_another_kind_is_found() {
        lines("a b: reset-hard", Kind::Cloud);
    }

    #[test]
    #[should_panic(expected = "not in the registry")]
    fn a_line_with_an_undeclared_action_is_found() {
        lines("a b: stopp", Kind::Cloud);
    }

    #[test]
    #[should_panic(expected = "no colon")]
    fn a_line_without_a_colon_is_found() {
        lines("a b\nc: stop", Kind::Cloud);
    }
}
