//! Terminal multiplexers: commands in new windows, and text typed into shells that run already.
//!
//! Actions: `kill-session` (process: a session, window or pane and what runs in it is ended).

use super::common::{SH, after_dashes, joined, possibly, rest, run, run_in, split};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::{Options, Spec, parse};
use crate::target::Target;
use crate::value::{Field, Part};

pub(super) const PROGRAMS: Programs = &[
    ("tmux", tmux),
    ("byobu", tmux),
    ("screen", screen),
    ("zellij", zellij),
    ("abduco", attached),
    ("dtach", attached),
    ("wezterm", wezterm),
    ("kitty", kitty),
    ("kitten", kitty),
    ("xdotool", typed_by_tool),
    ("ydotool", typed_by_tool),
    ("wtype", typed_by_tool),
];

/// Text typed into some shell: it may be run there.
fn typed(call: &mut Call<'_, '_>, text: &Field) {
    if text.exact().is_none_or(|text| !text.trim().is_empty()) {
        possibly(call, &mut |call| {
            call.run_code_elsewhere(super::common::BASH, text);
        });
    }
}

fn tmux(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("c:f:L:S:T:", ""));
    if let Some(code) = options.value(&["c"]) {
        call.stdout = call.run_code(SH, code);
    }
    let words = rest(call, &options, 0).to_vec();
    tmux_commands(call, &words, 0);
}

/// Commands inside commands (`if-shell`, `bind-key`) that are followed.
const MAX_NESTED: usize = 4;

/// One command after the other, separated by `;` as a word or at the end of one.
fn tmux_commands(call: &mut Call<'_, '_>, words: &[Field], depth: usize) {
    let mut command: Vec<Field> = Vec::new();
    for word in words {
        match word.exact().and_then(|text| text.strip_suffix(';')) {
            Some(text) if !text.ends_with('\\') => {
                if !text.is_empty() {
                    command.push(Field::text(text, word.span));
                }
                tmux_command(call, &std::mem::take(&mut command), depth);
            }
            _ => command.push(word.clone()),
        }
    }
    tmux_command(call, &command, depth);
}

/// Full names of the commands that matter; tmux takes any unique beginning.
const TMUX: &[(&str, &str, &str)] = &[
    ("send-keys", "send", "c:N:t:"),
    ("new-session", "new", "c:e:f:F:n:s:t:x:y:"),
    ("new-window", "neww", "c:e:F:n:t:"),
    ("split-window", "splitw", "c:e:F:l:p:t:"),
    ("respawn-pane", "respawnp", "c:e:t:"),
    ("respawn-window", "respawnw", "c:e:t:"),
    ("display-popup", "popup", "b:c:d:e:h:s:S:t:T:w:x:y:"),
    ("run-shell", "run", "c:d:t:"),
    ("if-shell", "if", "t:"),
    ("pipe-pane", "pipep", "t:"),
    ("kill-server", "", ""),
    ("kill-session", "", "t:"),
    ("kill-window", "killw", "t:"),
    ("kill-pane", "killp", "t:"),
    ("bind-key", "bind", "T:N:"),
    ("set-hook", "", "t:"),
    ("confirm-before", "confirm", "c:p:t:"),
];

fn tmux_command(call: &mut Call<'_, '_>, words: &[Field], depth: usize) {
    let Some((name, arguments)) = words.split_first() else {
        return;
    };
    let given = name.exact().unwrap_or_default();
    let known = TMUX
        .iter()
        .find(|(full, alias, _)| *full == given || !alias.is_empty() && *alias == given)
        .or_else(|| TMUX.iter().find(|(full, ..)| given.len() > 3 && full.starts_with(given)));
    let Some((full, _, short)) = known else {
        return;
    };
    let options = parse(arguments, &Spec::first(short, ""));
    let argv = arguments.get(options.consumed..).unwrap_or_default();
    match *full {
        "send-keys" => send_keys(call, &options, argv),
        "run-shell" if options.has(&["C"]) => tmux_text(call, argv.first(), depth),
        "run-shell" | "pipe-pane" => window(call, None, argv),
        "if-shell" => {
            let (condition, commands) = argv.split_at(argv.len().min(1));
            if !options.has(&["F"]) {
                window(call, None, condition);
            }
            possibly(call, &mut |call| {
                for command in commands {
                    tmux_text(call, Some(command), depth);
                }
            });
        }
        "bind-key" | "set-hook" => {
            let command = argv.get(1..).unwrap_or_default();
            possibly(call, &mut |call| match command {
                [one] => tmux_text(call, Some(one), depth),
                many if depth < MAX_NESTED => tmux_commands(call, many, depth.saturating_add(1)),
                _ => {}
            });
        }
        "confirm-before" => possibly(call, &mut |call| tmux_text(call, argv.first(), depth)),
        "kill-server" | "kill-session" | "kill-window" | "kill-pane" => {
            let target = options.value(&["t"]).map_or(Target::None, Call::named);
            call.effect_at(Kind::Process, Act::KillSession, target, name.span);
        }
        _ => {
            let directory = options.value(&["c"]).filter(|_| *full != "display-popup");
            window(call, directory.or(options.value(&["d"])), argv);
        }
    }
}

/// A command of tmux inside a string.
fn tmux_text(call: &mut Call<'_, '_>, text: Option<&Field>, depth: usize) {
    let Some(field) = text.filter(|_| depth < MAX_NESTED) else {
        return;
    };
    let words: Vec<Field> = match field.exact() {
        Some(text) => split(text).into_iter().map(|word| Field::text(word, field.span)).collect(),
        None => return,
    };
    tmux_commands(call, &words, depth.saturating_add(1));
}

/// One word is code, more are a program with its arguments.
fn window(call: &mut Call<'_, '_>, directory: Option<&Field>, argv: &[Field]) {
    let before = call.machine.shell.cwd.clone();
    if let Some(directory) = directory {
        call.machine.shell.cwd = call.machine.path(directory).exact().map(std::rc::Rc::from);
    }
    match argv {
        [] => {}
        [code] => call.stdout = call.run_code(SH, code),
        _ => run(call, argv),
    }
    call.machine.shell.cwd = before;
}

/// Keys by name, everything else as text, with nothing in between.
fn send_keys(call: &mut Call<'_, '_>, options: &Options<'_>, keys: &[Field]) {
    if options.has(&["X", "H", "M"]) {
        return;
    }
    let mut text =
        Field { span: keys.first().map(|key| key.span).unwrap_or_default(), ..Field::default() };
    for key in keys {
        text.span = text.span.to(key.span);
        text.flow.join(&key.flow);
        let named = key.exact().filter(|_| !options.has(&["l"])).and_then(key_text);
        match named {
            Some(typed) => text.push_text(typed, None),
            None => key.parts.iter().for_each(|part| match part {
                Part::Glob(pattern) => text.push_text(pattern, None),
                other => text.push(other.clone()),
            }),
        }
    }
    typed(call, &text);
}

/// The text that a named key types; control keys end the line.
fn key_text(name: &str) -> Option<&'static str> {
    match name {
        "Space" => Some(" "),
        "Tab" => Some("\t"),
        "Enter" | "KPEnter" | "C-m" | "C-j" | "C-c" | "C-d" | "C-u" | "^C" | "^M" => Some("\n"),
        "Escape" | "BSpace" | "Up" | "Down" | "Left" | "Right" | "Home" | "End" | "PageUp"
        | "PageDown" | "PPage" | "NPage" | "DC" | "IC" | "BTab" | "C-l" | "C-a" | "C-e" | "C-z" => {
            Some("")
        }
        _ => None,
    }
}

fn screen(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("S:p:t:c:e:h:s:T:", ""));
    let words = rest(call, &options, 0);
    // `-ls`, `-list`, `-wipe`
    let lists = call
        .arguments()
        .iter()
        .any(|field| matches!(field.exact(), Some("-ls" | "-list" | "-wipe")));
    if lists {
        return;
    }
    if options.has(&["X"]) {
        return screen_command(call, words);
    }
    // With these the operand is a session.
    if !options.has(&["r", "R", "x"]) {
        run(call, words);
    }
}

fn screen_command(call: &mut Call<'_, '_>, words: &[Field]) {
    let Some((name, arguments)) = words.split_first() else {
        return;
    };
    match name.exact().unwrap_or_default() {
        "stuff" | "paste" => {
            if let Some(text) = arguments.first() {
                let typed_text = match text.exact() {
                    Some(known) => {
                        let plain =
                            known.replace("\\n", "\n").replace("^M", "\n").replace("\\015", "\n");
                        Field { flow: text.flow.clone(), ..Field::text(plain, text.span) }
                    }
                    None => text.clone(),
                };
                typed(call, &typed_text);
            }
        }
        "screen" | "exec" => {
            let plain = |field: &&Field| !field.prefix().starts_with(['.', '!', '|', ':']);
            let argv: Vec<Field> =
                arguments.iter().skip_while(|field| !plain(field)).cloned().collect();
            run(call, &argv);
        }
        "quit" | "kill" => {
            call.effect(Kind::Process, Act::KillSession, Target::None);
        }
        _ => {}
    }
}

fn zellij(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let words: Vec<&str> = arguments.iter().filter_map(Field::exact).take(3).collect();
    let text = arguments.get(2).filter(|_| arguments.len() > 2);
    match words.as_slice() {
        ["run" | "r", ..] | ["action" | "ac", "new-pane" | "new-tab", ..] => {
            let options = parse(arguments, &Spec::new("n:d:", "cwd= name="));
            let argv = after_dashes(arguments).unwrap_or_default();
            run_in(call, options.value(&["cwd"]), argv);
        }
        ["action" | "ac", "write-chars", ..] => {
            if let Some(text) = text {
                typed(call, text);
            }
        }
        [
            "kill-session"
            | "kill-all-sessions"
            | "k"
            | "ka"
            | "delete-session"
            | "delete-all-sessions",
            ..,
        ] => {
            let target = arguments.get(1).map_or(Target::None, Call::named);
            call.effect(Kind::Process, Act::KillSession, target);
        }
        _ => {}
    }
}

/// `abduco -A NAME COMMAND`, `dtach -n SOCKET COMMAND`
fn attached(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let makes = |field: &Field| matches!(field.exact(), Some("-A" | "-c" | "-n" | "-N"));
    let Some(at) = arguments.iter().position(makes) else {
        return;
    };
    // dtach has its options after the socket.
    let after = arguments.get(at.saturating_add(1)..).unwrap_or_default();
    let spec = Spec::first("e:r:", "");
    let before = parse(after, &spec);
    let words = after.get(before.consumed.saturating_add(1)..).unwrap_or_default();
    let options = parse(words, &spec);
    run(call, words.get(options.consumed..).unwrap_or_default());
}

fn wezterm(call: &mut Call<'_, '_>) {
    let spec = Spec::first(
        "",
        "pane-id= window-id= cwd= domain-name= workspace= class= percent= cells= config=",
    );
    let options = call.options(&spec);
    let first = options.operand(0).unwrap_or_default();
    let mut words = rest(call, &options, 1);
    let mut name = first;
    if first == "cli" {
        let inner = parse(words, &spec);
        name = words.get(inner.consumed).and_then(Field::exact).unwrap_or_default();
        words = words.get(inner.consumed.saturating_add(1)..).unwrap_or_default();
    }
    let inner = parse(words, &spec);
    let argv = words.get(inner.consumed..).unwrap_or_default();
    match name {
        "send-text" => {
            if let Some(text) = argv.first() {
                typed(call, text);
            }
        }
        "start" | "spawn" | "split-pane" => run_in(call, inner.value(&["cwd"]), argv),
        _ => {}
    }
}

/// `kitty @ send-text TEXT`, `kitty @ launch COMMAND`, `kitty COMMAND`
fn kitty(call: &mut Call<'_, '_>) {
    let spec = Spec::first(
        "m:c:o:d:T:t:",
        "match= match-tab= type= title= tab-title= cwd= env= location= to= password= \
         config= override= directory= class= name= listen-on= session= hold detach var= \
         stdin-source= next-to= bias= color= os-window-title=",
    );
    let options = call.options(&spec);
    let mut words = rest(call, &options, 0);
    if words.first().is_some_and(|word| word.is("@") || word.is("+kitten") || word.is("ssh")) {
        words = words.get(1..).unwrap_or_default();
    } else if call.name == "kitty" {
        return run_in(call, options.value(&["d", "directory"]), words);
    }
    let inner = parse(words, &spec);
    let name = inner.operand(0).unwrap_or_default();
    let after = words.get(inner.consumed.saturating_add(1)..).unwrap_or_default();
    let inner = parse(after, &spec);
    let argv = after.get(inner.consumed..).unwrap_or_default();
    match name {
        "send-text" if !argv.is_empty() => {
            let text = joined(argv);
            let text = match text.exact() {
                Some(known) => {
                    Field::text(known.replace("\\n", "\n").replace("\\r", "\n"), text.span)
                }
                None => text,
            };
            typed(call, &text);
        }
        "launch" | "new-window" | "run" => run_in(call, inner.value(&["cwd"]), argv),
        _ => {}
    }
}

/// `xdotool type TEXT`, `ydotool type TEXT`, `wtype TEXT`
fn typed_by_tool(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let at = match call.name {
        "wtype" => Some(0),
        _ => arguments.iter().position(|field| field.is("type")).map(|at| at.saturating_add(1)),
    };
    let Some(words) = at.and_then(|at| arguments.get(at..)) else {
        return;
    };
    let spec = Spec::first("M:m:k:P:p:s:d:H:", "delay= window= args= terminator= file= key-delay=");
    let options = parse(words, &spec);
    if let Some(text) = options.operands.first() {
        typed(call, text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, judged};
    use crate::effect::Certainty;
    use crate::flow::Stream;

    #[test]
    fn tmux_runs_code_and_programs() {
        check(&[
            ("tmux new-session -d -s a 'rm x'", "tmux>rm x"),
            ("tmux new -d -s a rm x", "tmux>rm x"),
            ("tmux -L sock new-window -c /tmp -n a 'rm x'", "tmux>rm x @/tmp"),
            ("tmux splitw -h -l 20 rm x", "tmux>rm x"),
            ("tmux run-shell 'rm x'", "tmux>rm x"),
            ("tmux run -b 'rm x'", "tmux>rm x"),
            ("tmux if-shell true \"run-shell 'rm x'\"", "tmux>true | tmux>rm x"),
            ("tmux pipe-pane -o -t a 'cat >> f'", "tmux>cat"),
            ("tmux new -d ';' send-keys 'rm x' Enter", "tmux>rm x @?"),
            ("tmux bind x run-shell 'rm x'", "tmux>rm x"),
            ("tmux kill-session -t a", "tmux kill-session -t a + process kill-session a"),
            ("tmux ls", "tmux ls"),
            ("tmux attach -t a", "tmux attach -t a"),
            ("tmux new -d -s a", "tmux new -d -s a"),
            ("tmux capture-pane -p", "tmux capture-pane -p"),
        ]);
    }

    #[test]
    fn keys_are_typed_without_blanks_between_them() {
        check(&[
            ("tmux send-keys -t a 'rm x' Enter", "tmux>rm x @?"),
            ("tmux send-keys -t a rm Space x C-m", "tmux>rm x @?"),
            ("tmux send -l 'rm x'", "tmux>rm x @?"),
            ("tmux send-keys -t a C-c", "tmux send-keys -t a C-c"),
            ("tmux send-keys -X copy-mode", "tmux send-keys -X copy-mode"),
        ]);
        let analysis = judged("tmux send-keys -t a 'rm x' Enter", Stream::default());
        assert_eq!(analysis.commands.first().map(|ran| ran.certainty), Some(Certainty::Possible));
    }

    #[test]
    fn other_multiplexers_are_known() {
        check(&[
            ("screen -dmS name rm x", "screen>rm x"),
            ("screen -S name -p 0 -X stuff 'rm x\\n'", "screen>rm x @?"),
            ("screen -S name -X screen rm x", "screen>rm x"),
            ("screen -S name -X quit", "screen -S name -X quit + process kill-session"),
            ("screen -ls", "screen -ls"),
            ("screen -r name", "screen -r name"),
            ("zellij run --cwd /tmp -- rm x", "zellij>rm x @/tmp"),
            ("zellij action write-chars 'rm x'", "zellij>rm x @?"),
            ("zellij ls", "zellij ls"),
            ("abduco -c name rm x", "abduco>rm x"),
            ("dtach -A sock -z rm x", "dtach>rm x"),
            ("wezterm cli send-text --pane-id 1 'rm x'", "wezterm>rm x @?"),
            ("wezterm start -- rm x", "wezterm>rm x"),
            ("kitty @ send-text -m a 'rm x'", "kitty>rm x @?"),
            ("kitty @ launch --type=tab rm x", "kitty>rm x"),
            ("xdotool type --delay 5 'rm x'", "xdotool>rm x @?"),
            ("xdotool key Return", "xdotool key Return"),
        ]);
    }
}
