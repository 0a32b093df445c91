//! Cmdlets of `PowerShell`: names, aliases and parameters.

use super::words::Word;
use super::{Piped, Shell};
use crate::act::Act;
use crate::effect::{Certainty, Kind};
use crate::flow::Stream;
use crate::span::Span;
use crate::target::Target;
use crate::value::Field;

/// Aliases, in lower case.
const ALIASES: &[(&str, &str)] = &[
    ("rm del erase rd ri rmdir", "remove-item"),
    ("gci ls dir", "get-childitem"),
    ("gi", "get-item"),
    ("gc cat type", "get-content"),
    ("sc", "set-content"),
    ("ac", "add-content"),
    ("clc", "clear-content"),
    ("cp copy cpi", "copy-item"),
    ("mv move mi", "move-item"),
    ("ren rni", "rename-item"),
    ("ni md mkdir", "new-item"),
    ("iwr curl wget", "invoke-webrequest"),
    ("irm", "invoke-restmethod"),
    ("iex", "invoke-expression"),
    ("icm", "invoke-command"),
    ("saps start", "start-process"),
    ("spps kill", "stop-process"),
    ("gps ps", "get-process"),
    ("spsv", "stop-service"),
    ("echo write", "write-output"),
    ("foreach %", "foreach-object"),
    ("where ?", "where-object"),
    ("cd sl chdir", "set-location"),
    ("pushd", "push-location"),
    ("tee", "tee-object"),
    ("sls", "select-string"),
    ("clhy", "clear-history"),
    ("rp", "remove-itemproperty"),
    ("sp", "set-itemproperty"),
    ("gcb", "get-clipboard"),
    ("rv", "remove-variable"),
    ("gwmi", "get-wmiobject"),
    ("gcim", "get-ciminstance"),
    ("iwmi", "invoke-wmimethod"),
    ("icim", "invoke-cimmethod"),
    ("swmi", "set-wmiinstance"),
    ("gcm", "get-command"),
    ("select", "select-object"),
    ("nal sal", "set-alias"),
    ("ipmo", "import-module"),
];

/// Maximum number of programs that one call may mean, beyond the first.
const MAX_CALLED: usize = 7;

/// Parameters of a cmdlet.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub parameters: Vec<(String, Option<Vec<Field>>, Span)>,
    pub values: Vec<Vec<Field>>,
    pub blocks: Vec<usize>,
    pub span: Span,
}

/// Parameters without a value, by the start of their names. All others take one.
const SWITCHES: &[&str] = &[
    // Of other shells.
    "rf",
    "fr",
    "recurse",
    "force",
    "whatif",
    "confirm",
    "verbose",
    "append",
    "nonewline",
    "raw",
    "passthru",
    "usebasicparsing",
    "wait",
    "nonewwindow",
    "directory",
    "file",
    "hidden",
    "asjob",
    "nologo",
    "noprofile",
    "parallel",
    "all",
    "async",
    "useb",
    "full",
    "removedata",
    "removeoem",
    "skipcertificatecheck",
];

impl Said {
    /// Whether a switch was given: `-Recurse`, `-Rec`, `-r`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.parameters.iter().any(|(given, value, _)| {
            let on = value
                .as_ref()
                .and_then(|values| values.first())
                .is_none_or(|value| !value.is("False"));
            on && is_short_for(given, name)
        })
    }

    /// The values of a parameter.
    pub(super) fn values_of(&self, names: &[&str]) -> Vec<Field> {
        let found = self
            .parameters
            .iter()
            .filter(|(given, _, _)| names.iter().any(|name| is_short_for(given, name)));
        found.filter_map(|(_, values, _)| values.clone()).flatten().collect()
    }

    pub(super) fn value_of(&self, names: &[&str]) -> Option<Field> {
        self.values_of(names).into_iter().next()
    }

    /// A parameter, or the value at this place.
    pub(super) fn value_or(&self, names: &[&str], place: usize) -> Vec<Field> {
        let named = self.values_of(names);
        if named.is_empty() { self.values.get(place).cloned().unwrap_or_default() } else { named }
    }
}

fn is_short_for(given: &str, name: &str) -> bool {
    !given.is_empty() && name.starts_with(given)
}

impl Shell<'_, '_, '_, '_> {
    /// One element of a pipeline: an expression or a command.
    pub(super) fn element(&mut self, input: Piped, first: bool) -> Piped {
        let start = self.at;
        let calls = matches!(self.byte(0), b'&' | b'.')
            && matches!(self.byte(1), b' ' | b'\'' | b'"' | b'$' | b'(' | b'{');
        if calls {
            self.at += 1;
            self.blanks();
            if self.byte(0) == b'{' {
                self.at += 1;
                return self.script(Some(b'}'));
            }
            let names = self.value();
            return self.called(&names, input, start);
        } else if first && self.starts_expression() {
            let unsettled = self.unsettled;
            let value = self.expression();
            self.settle(start, unsettled);
            return self.redirected(value);
        }
        let name = self.value().into_iter().next().unwrap_or_default();
        if name.parts.is_empty() {
            return input;
        }
        self.command(&name, input, start)
    }

    /// `& $x`: whatever it may be is called, one after the other.
    fn called(&mut self, names: &[Field], input: Piped, start: usize) -> Piped {
        let [first, rest @ ..] = names else { return input };
        if first.parts.is_empty() {
            return input;
        }
        let back = self.at;
        let certainty = self.call.machine.certainty;
        if !rest.is_empty() {
            self.call.machine.certainty = certainty.min(Certainty::Possible);
        }
        let mut out = self.command(first, input.clone(), start);
        for name in rest.iter().take(MAX_CALLED) {
            self.at = back;
            let next = self.command(name, input.clone(), start);
            out.stream.flow.join(&next.stream.flow);
            out.stream.text = None;
        }
        self.call.machine.certainty = certainty;
        out
    }

    fn starts_expression(&self) -> bool {
        matches!(
            self.byte(0),
            b'(' | b'\'' | b'"' | b'$' | b'[' | b'@' | b'{' | b'0'..=b'9' | b'-' | b'!'
        )
    }

    /// Steps over redirections and does them.
    fn redirected(&mut self, value: Piped) -> Piped {
        self.blanks();
        let mut value = value;
        while let Some(append) = self.redirection() {
            self.blanks();
            let target = self.value();
            for file in target.iter().filter(|file| !file.is("") && !file.prefix().starts_with('&'))
            {
                self.write_to(file, append, Act::Redirect, value.stream.clone());
            }
            value = Piped { stream: Stream::empty(), paths: Vec::new() };
            self.blanks();
        }
        value
    }

    /// `>`, `>>`, `2>`, `*>`: steps over it, and says whether it appends.
    fn redirection(&mut self) -> Option<bool> {
        let digit = usize::from(matches!(self.byte(0), b'0'..=b'9' | b'*') && self.byte(1) == b'>');
        if self.byte(digit) != b'>' {
            return None;
        }
        let append = self.byte(digit + 1) == b'>';
        self.at += digit + 1 + usize::from(append);
        Some(append)
    }

    fn command(&mut self, name: &Field, input: Piped, start: usize) -> Piped {
        let unsettled = self.unsettled;
        let mut said = Said::default();
        let mut argv = vec![name.clone()];
        let mut outputs: Vec<(Field, bool)> = Vec::new();
        let mut pending: Option<usize> = None;
        loop {
            self.blanks();
            if let Some(append) = self.redirection() {
                self.blanks();
                let target = self.value();
                outputs.extend(
                    target
                        .into_iter()
                        .filter(|file| !file.is("") && !file.prefix().starts_with('&'))
                        .map(|file| (file, append)),
                );
                continue;
            }
            if self.at_end() {
                break;
            }
            let before = self.at;
            match self.word() {
                Word::Parameter(given, value, span) => {
                    argv.push(self.code.field(
                        self.code.text.get(before..self.at).unwrap_or_default(),
                        before,
                        self.at,
                    ));
                    pending = value.is_none().then_some(said.parameters.len());
                    let switch = given != "verb"
                        && SWITCHES.iter().any(|switch| is_short_for(&given, switch));
                    if switch {
                        pending = None;
                    }
                    said.parameters.push((given, value.map(|value| vec![value]), span));
                }
                Word::Splat(table, span) => {
                    pending = None;
                    for (name, values) in table {
                        argv.push(Field::text(format!("-{name}"), span));
                        argv.extend(values.iter().cloned());
                        said.parameters.push((name, Some(values), span));
                    }
                }
                Word::Values(values) => {
                    argv.extend(values.iter().cloned());
                    match pending.take().and_then(|at| said.parameters.get_mut(at)) {
                        Some((_, slot, _)) => *slot = Some(values),
                        None => said.values.push(values),
                    }
                }
                Word::Block(block) => {
                    argv.push(self.code.field(
                        self.code.text.get(before..self.at).unwrap_or_default(),
                        before,
                        self.at,
                    ));
                    said.blocks.push(block);
                    pending = None;
                }
            }
            if self.at == before {
                self.at += 1;
            }
            if argv.len() > 256 {
                break;
            }
        }
        said.span = self.span(start);
        let end = self.at;
        let out = self.named_command(&argv, &said, input);
        self.settle_call(&argv, start, unsettled == self.unsettled && end == self.at);
        for (file, append) in &outputs {
            self.write_to(file, *append, Act::Redirect, out.stream.clone());
        }
        if outputs.is_empty() { out } else { Piped { stream: Stream::empty(), paths: Vec::new() } }
    }

    /// What cannot be told of a call here is not known to another shell either.
    fn settle_call(&mut self, argv: &[Field], start: usize, settled: bool) {
        if argv.iter().any(|word| word.exact().is_none() && !word.has_glob()) {
            self.unsettled += usize::from(argv.first().is_none_or(|word| word.exact().is_none()));
        } else if settled {
            self.settled(start);
        }
    }

    pub(super) fn write_to(&mut self, file: &Field, append: bool, action: Act, content: Stream) {
        if file.exact().is_some_and(|name| name.eq_ignore_ascii_case("nul") || name == "/dev/null")
        {
            return;
        }
        let kind = if append { Kind::Append } else { Kind::Overwrite };
        self.call.write(kind, action, &super::super::path_field(file), content);
    }

    fn named_command(&mut self, argv: &[Field], said: &Said, input: Piped) -> Piped {
        let Some(first) = argv.first() else {
            return input;
        };
        let Some(name) = first.exact() else {
            // `& $program`: which one is not known.
            let out = super::super::run_native(self.call, argv, input.stream);
            return Piped { stream: out, paths: Vec::new() };
        };
        if name == super::expression::BLOCK {
            return Piped::unknown(input.stream.flow);
        }
        let lower = name.to_ascii_lowercase();
        let lower = lower.strip_suffix(".exe").map_or(lower.clone(), str::to_owned);
        // A name that the script gave to something else.
        let given = self.get(&format!("alias:{lower}")).and_then(|it| it.stream.text.clone());
        let lower = given.map_or(lower, |name| name.to_ascii_lowercase());
        let cmdlet = if name.to_ascii_lowercase().ends_with(".exe") {
            lower.as_str()
        } else {
            canonical(&lower, said)
        };
        // `C:\my-tools\x.exe` is a path. The code of `Add-Type` is read as that of an interpreter.
        if !cmdlet.contains('-') || cmdlet.contains(['/', '\\']) || cmdlet == "add-type" {
            let out = super::super::run_native(self.call, argv, input.stream);
            return Piped { stream: out, paths: Vec::new() };
        }
        let outer = super::super::begin(self.call, name, argv);
        let certainty = self.call.machine.certainty;
        if said.has("whatif") && said.parameters.iter().any(|(given, _, _)| given.starts_with("wh"))
        {
            self.call.index = outer;
            return Piped::default();
        }
        let out = self.cmdlet(cmdlet, said, input);
        self.call.machine.certainty = certainty;
        self.call.index = outer;
        out
    }

    /// Commands that other commands are given to.
    pub(super) fn indirect(&mut self, cmdlet: &str, said: &Said, input: Piped) -> Piped {
        match cmdlet {
            "foreach-object" => {
                let mut out = Piped::unknown(input.stream.flow.clone());
                for block in &said.blocks {
                    out = self.block_for(*block, &input);
                }
                // `Get-Process x | % Kill`
                let member = said.value_or(&["membername"], 0).into_iter().next();
                if member.is_some_and(|it| it.shown().eq_ignore_ascii_case("kill")) {
                    self.end_processes(&input.paths, said.span);
                }
                out
            }
            "where-object" => {
                for block in &said.blocks {
                    self.block_for(*block, &input);
                }
                input
            }
            "invoke-command" => {
                let away = !said.values_of(&["computername", "session", "hostname"]).is_empty();
                let shell = away.then(|| self.call.machine.leave(None));
                let mut out = Piped::default();
                for block in &said.blocks {
                    out = self.block_for(*block, &Piped::default());
                }
                if let Some(shell) = shell {
                    self.call.machine.shell = shell;
                }
                out
            }
            "start-process" => self.start_process(said),
            _ => {
                let code = said.value_or(&["command"], 0).into_iter().next();
                let code =
                    code.map_or(input.stream, |code| super::expression::as_piped(&code).stream);
                self.run_text(&code, said.span)
            }
        }
    }

    /// Text that becomes code.
    pub(super) fn run_text(&mut self, code: &Stream, span: Span) -> Piped {
        let index = self.call.index;
        let language = crate::world::Language::PowerShell;
        let out = self.call.machine.run_stream("iex", language, code, span, index);
        Piped { stream: out, paths: Vec::new() }
    }

    fn start_process(&mut self, said: &Said) -> Piped {
        let mut argv = said.value_or(&["filepath"], 0);
        // A program that was made here is found here.
        if let Some(first) = argv.first_mut() {
            let path = self.call.machine.path(&super::super::path_field(first));
            if self.call.machine.written(&path).is_some() {
                *first = Field::text(path.shown(), first.span);
            }
        }
        if said
            .value_of(&["verb"])
            .is_some_and(|verb| verb.exact().is_some_and(|verb| verb.eq_ignore_ascii_case("runas")))
        {
            self.call.effect_at(
                Kind::Privilege,
                Act::RunAs,
                Target::name("administrator"),
                said.span,
            );
        }
        for argument in said.value_or(&["argumentlist", "args"], 1) {
            match argument.exact() {
                Some(text) => argv.extend(
                    text.split_whitespace()
                        .map(|word| Field::text(word.trim_matches('"'), argument.span)),
                ),
                None => argv.push(argument),
            }
        }
        let out = super::super::run_native(self.call, &argv, Stream::default());
        let passes = said.parameters.iter().any(|(given, ..)| given.starts_with("passt"));
        let paths = if passes { vec![Field::unknown("$!", said.span)] } else { Vec::new() };
        Piped { stream: out, paths }
    }
}

/// The canonical name of a cmdlet.
fn canonical<'n>(name: &'n str, said: &Said) -> &'n str {
    let found = ALIASES.iter().find(|(aliases, _)| aliases.split(' ').any(|alias| alias == name));
    match found {
        // The programs of these names have options that the aliases do not.
        Some(_)
            if matches!(name, "curl" | "wget")
                && said.parameters.iter().any(|(given, _, _)| {
                    ![
                        "uri",
                        "outfile",
                        "usebasicparsing",
                        "method",
                        "body",
                        "headers",
                        "infile",
                        "useragent",
                    ]
                    .iter()
                    .any(|known| is_short_for(given, known) && given.len() > 1)
                }) =>
        {
            name
        }
        Some(_)
            if name == "sc"
                && said.values.first().and_then(|values| values.first()).is_some_and(|value| {
                    value.exact().is_some_and(|word| {
                        matches!(word, "delete" | "stop" | "start" | "config" | "create" | "query")
                    })
                }) =>
        {
            name
        }
        Some((_, cmdlet)) => cmdlet,
        None => name,
    }
}
