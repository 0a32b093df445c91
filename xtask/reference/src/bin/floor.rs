//! Lower bound of a hook's cost: reads all input, prints a constant.
//!
//! The constant is also a unified response without decision, so that this program serves as the trivial
//! handler of `tenter run`.

use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    io::stdout().lock().write_all(b"{}\n")
}
