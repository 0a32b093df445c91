//! Prints what a command would do: `cargo run -p tenter-shell --example effects -- 'COMMAND'`.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use tenter_shell::{Surroundings, analyze};

fn main() {
    let world =
        Surroundings { cwd: Some("/shop"), home: Some("/home/me"), ..Surroundings::default() };
    for command in std::env::args().skip(1) {
        let analysis = analyze(&command, &world);
        println!("{command}");
        for ran in &analysis.commands {
            let argv: Vec<String> = ran.argv.iter().map(tenter_shell::Field::shown).collect();
            let via: Vec<&str> = ran.via.iter().map(|via| &*via.name).collect();
            println!(
                "  runs {argv:?} in {:?} via {via:?} {}",
                ran.cwd.as_deref(),
                ran.certainty.name()
            );
        }
        for effect in &analysis.effects {
            println!(
                "  {} {} {} {}{}{} {:?} {:?}",
                effect.kind.name(),
                effect.action,
                effect.target.shown(),
                effect.certainty.name(),
                if effect.recursive { " recursive" } else { "" },
                if effect.force { " force" } else { "" },
                effect.sources.sources(),
                command.get(effect.span.range()).unwrap_or("?"),
            );
        }
        for unverified in &analysis.unverified {
            println!("  unverified {} {}", unverified.reason.name(), unverified.reason.message());
        }
    }
}
