//! Terminal windows that start with a command.

use super::common::{BASH, after_dashes, run};
use crate::call::{Call, Programs};
use crate::options::{Order, Spec};
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("xterm", terminal),
    ("uxterm", terminal),
    ("urxvt", terminal),
    ("st", terminal),
    ("alacritty", terminal),
    ("konsole", terminal),
    ("foot", foot),
    ("ghostty", terminal),
    ("terminator", terminal),
    ("x-terminal-emulator", terminal),
    ("gnome-terminal", terminal),
    ("xfce4-terminal", terminal),
    ("lxterminal", terminal),
    ("mate-terminal", terminal),
    ("tilix", terminal),
    ("cool-retro-term", terminal),
];

/// `-e COMMAND ARGUMENTS`, `-e CODE`, `-- COMMAND ARGUMENTS`, `--command=CODE`
fn terminal(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let starts = |field: &Field| matches!(field.exact(), Some("-e" | "-x" | "--execute"));
    if let Some(at) = arguments.iter().position(starts) {
        return match arguments.get(at.saturating_add(1)..).unwrap_or_default() {
            [code] => call.stdout = call.run_code(BASH, code),
            argv => run(call, argv),
        };
    }
    if let Some(argv) = after_dashes(arguments) {
        return run(call, argv);
    }
    let code = arguments.iter().find_map(|field| field.after("--command="));
    if let Some(code) = code {
        call.stdout = call.run_code(BASH, &code);
    }
}

/// The operands are the command.
fn foot(call: &mut Call<'_, '_>) {
    let spec = Spec {
        order: Order::First,
        ..Spec::new(
            "c:o:f:t:T:a:w:W:D:s:l:p:",
            "config= override= font= term= title= app-id= working-directory= server=",
        )
    };
    super::common::run_rest(call, &spec, 0);
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    #[test]
    fn terminals_run_their_command() {
        check(&[
            ("xterm -T title -e rm x", "xterm>rm x"),
            ("xterm -e 'rm x; id'", "xterm>rm x | xterm>id"),
            ("gnome-terminal -- rm x", "gnome-terminal>rm x"),
            ("xfce4-terminal --command='rm x'", "xfce4-terminal>rm x"),
            ("foot -T t rm x", "foot>rm x"),
            ("xterm", "xterm"),
        ]);
    }
}
