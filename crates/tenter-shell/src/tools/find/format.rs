//! Output of `find -printf`.

use crate::value::{Field, Part, Unknown};

/// Adds one line: the name alone, or what the format says.
pub(super) fn line(all: &mut Field, file: Field, format: Option<&Field>) {
    let Some(format) = format.and_then(Field::exact) else {
        file.parts.into_iter().for_each(|part| all.push(part));
        all.push_text("\n", None);
        return;
    };
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '%' => match letters.find(|next| !next.is_ascii_digit() && !"-#.+ ".contains(*next)) {
                Some('%') => all.push_text("%", None),
                Some('p' | 'P') => file.parts.iter().for_each(|part| all.push(part.clone())),
                // Dates have a letter more.
                Some('A' | 'B' | 'C' | 'T') => {
                    letters.next();
                    unknown(all);
                }
                _ => unknown(all),
            },
            '\\' => match letters.next() {
                Some('t') => all.push_text("\t", None),
                Some('n' | '0') | None => all.push_text("\n", None),
                Some(other) => all.push_text(other.encode_utf8(&mut [0; 4]), None),
            },
            other => all.push_text(other.encode_utf8(&mut [0; 4]), None),
        }
    }
}

fn unknown(all: &mut Field) {
    all.push(Part::Unknown(Unknown { name: "…".into(), splits: false }));
}
