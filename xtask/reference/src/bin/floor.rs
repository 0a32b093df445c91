//! The least a hook can do: read all it is sent, print a constant.
//!
//! The constant is also a unified response without an opinion, so that this program serves as the
//! trivial handler of `tenter run`.

use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    io::stdout().lock().write_all(b"{}\n")
}
