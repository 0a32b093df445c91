//! Cmdlets and objects by which `PowerShell` reaches the machine: WMI, COM, history, functions made for attacks.
//!
//! Actions: `autostart`, `install`, `disable-protection`, `history`, `shadow-copy`, `delete-backup`, `attack-tool`,
//! `run-by-proxy`, `admin-share`, `type-keys`, `registry`, `capture`.

use super::super::path_field;
use super::cmdlets::Said;
use super::{Piped, Shell};
use crate::act::Act;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::span::Span;
use crate::target::Target;
use crate::tools::{settings, windows};
use crate::value::Field;
use crate::world::Language;

/// Classes of WMI that run something when an event comes.
const EVENTS: &[&str] = &[
    "__eventfilter",
    "commandlineeventconsumer",
    "activescripteventconsumer",
    "__filtertoconsumerbinding",
];

impl Shell<'_, '_, '_, '_> {
    /// Cmdlets whose effect depends on what they are given; none if this is not one.
    pub(super) fn administer(&mut self, cmdlet: &str, said: &Said) -> Option<Piped> {
        if windows::is_attack(cmdlet) {
            let target = Target::name(cmdlet);
            self.call.effect_at(Kind::Execute, Act::AttackTool, target, said.span);
            return Some(Piped::default());
        }
        match cmdlet {
            "import-module" => self.import(said),
            "new-psdrive" => {
                let root = said.value_or(&["root"], 2).into_iter().next()?;
                settings::is_admin_share(&root.shown()).then(|| {
                    self.call.on_name(Kind::System, Act::AdminShare, &root);
                    Piped::default()
                })
            }
            "new-ciminstance" | "set-ciminstance" | "set-wmiinstance" => {
                let class = said.value_or(&["classname", "class"], 0).into_iter().next()?;
                let lower = class.shown().to_ascii_lowercase();
                EVENTS.contains(&lower.as_str()).then(|| {
                    self.call.on_name(Kind::Schedule, Act::Autostart, &class);
                    Piped::default()
                })
            }
            "invoke-cimmethod" | "invoke-wmimethod" => self.management(said),
            "new-object" => self.new_object(said),
            "add-type" => {
                let named = said.values_of(&["typedefinition", "memberdefinition"]);
                for source in named.iter().chain(said.values.iter().flatten()) {
                    self.call.tells(&source.shown());
                }
                None
            }
            "get-wmiobject" | "get-ciminstance" => {
                let class = said.value_or(&["classname", "class", "list"], 0).into_iter().next()?;
                let shadow = class.shown().eq_ignore_ascii_case("win32_shadowcopy");
                shadow.then(|| Piped::text("[win32_shadowcopy]"))
            }
            "get-psreadlineoption" => Some(self.history(said.span)),
            _ => self.unprotect(cmdlet, said),
        }
    }

    /// Cmdlets that switch something off that protects, or read what is protected.
    fn unprotect(&mut self, cmdlet: &str, said: &Said) -> Option<Piped> {
        let named = said.parameters.iter().filter_map(|(_, values, _)| values.as_ref()).flatten();
        let mut words = said.values.iter().flatten().chain(named);
        let mut says =
            |part: &str| words.any(|field| field.shown().to_ascii_lowercase().contains(part));
        let what = match cmdlet {
            "set-psreadlineoption" => {
                let style = said.value_of(&["historysavestyle"]);
                let nothing =
                    style.is_some_and(|style| style.shown().eq_ignore_ascii_case("savenothing"));
                let handler =
                    said.parameters.iter().any(|(given, ..)| given.starts_with("addtohistoryh"));
                (nothing || handler).then_some("the history of commands")
            }
            "disable-windowsoptionalfeature" | "uninstall-windowsfeature" => {
                says("defender").then_some("Windows Defender")
            }
            "set-webconfigurationproperty" => {
                says("httplogging").then_some("the log of the web server")
            }
            "get-adcomputer" | "get-adobject" if says("admpwd") => {
                let target = Target::name("passwords of administrators");
                self.call.effect_at(Kind::Read, Act::ReadSecret, target, said.span);
                return Some(Piped::default());
            }
            _ => None,
        }?;
        self.call.effect_at(Kind::System, Act::DisableProtection, Target::name(what), said.span);
        Some(Piped::default())
    }

    /// A module that is loaded, by the name of its file.
    fn import(&mut self, said: &Said) -> Option<Piped> {
        const RUNNERS: &[&str] =
            &["cl_loadassembly", "cl_invocation", "cl_mutexverifiers", "utilityfunctions"];
        let script = said.value_or(&["name", "path"], 0).into_iter().next()?;
        let name = script.shown().to_ascii_lowercase();
        let act = if windows::is_attack_script(&name) {
            Act::AttackTool
        } else if RUNNERS.iter().any(|runner| name.contains(runner)) {
            Act::RunByProxy
        } else {
            return None;
        };
        self.call.on_name(Kind::Execute, act, &script);
        Some(Piped::default())
    }

    /// The options of the line editor, of which only the file with the history matters.
    fn history(&self, span: Span) -> Piped {
        const FILE: &str =
            "AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt";
        let home = self.call.machine.world.home.unwrap_or("C:/Users/me");
        let path = Field::text(format!("{home}/{FILE}"), span);
        Piped { stream: Stream::default(), paths: vec![path] }
    }

    /// `Invoke-CimMethod -ClassName Win32_Process -MethodName Create -Arguments @{CommandLine='x'}`
    fn management(&mut self, said: &Said) -> Option<Piped> {
        let class = said.value_or(&["classname", "class", "cimclass"], 0).into_iter().next()?;
        let method = said.value_or(&["methodname", "name"], 1).into_iter().next();
        let method = method.map(|method| method.shown().to_ascii_lowercase()).unwrap_or_default();
        let arguments = said.value_or(&["arguments", "argumentlist"], 2);
        match (class.shown().to_ascii_lowercase().as_str(), method.as_str()) {
            ("win32_shadowcopy", _) => {
                self.call.effect_at(Kind::Read, Act::ShadowCopy, Target::None, said.span);
            }
            (_, "create") => {
                self.call.effect_at(
                    Kind::Execute,
                    Act::RunByProxy,
                    Target::name("a process"),
                    said.span,
                );
                let table = self.table.take().unwrap_or_default();
                let line = table
                    .into_iter()
                    .find(|(name, _)| name == "commandline")
                    .map(|(_, values)| values);
                for code in line.unwrap_or(arguments) {
                    self.call.run_code(Language::Cmd, &code);
                }
            }
            ("win32_product", "install") => {
                self.call.effect_at(
                    Kind::Execute,
                    Act::RunByProxy,
                    Target::name("an installer"),
                    said.span,
                );
            }
            ("ps_scheduledtask", _) => {
                self.call.effect_at(
                    Kind::Schedule,
                    Act::ScheduledTask,
                    Target::name("a task"),
                    said.span,
                );
            }
            ("msft_mppreference", _) => {
                self.call.effect_at(
                    Kind::System,
                    Act::DisableProtection,
                    Target::name("Windows Defender"),
                    said.span,
                );
            }
            _ => return None,
        }
        Some(Piped::default())
    }

    /// `New-Object -ComObject WScript.Shell`: its name stands for it.
    fn new_object(&mut self, said: &Said) -> Option<Piped> {
        let Some(com) = said.value_of(&["comobject"]) else {
            let class = said.value_or(&["typename"], 0).into_iter().next()?;
            self.call.tells(&class.shown());
            // `\\.\C:` is the disk below all files.
            if said.values.iter().flatten().any(|field| field.shown().starts_with("\\\\.\\")) {
                self.call.effect_at(Kind::Read, Act::ShadowCopy, Target::None, said.span);
            }
            return None;
        };
        let name = com.exact()?.to_ascii_lowercase();
        if name == "outlook.application" {
            self.call.effect_at(Kind::Execute, Act::RunByProxy, Target::name("Outlook"), said.span);
        }
        Some(Piped::text(format!("[{name}]")))
    }

    /// A variable of the environment by which a library is loaded into every program of .NET.
    pub(super) fn setting(&mut self, name: &str, span: Span) {
        const LOADERS: &[&str] = &[
            "cor_profiler",
            "coreclr_profiler",
            "cor_profiler_path",
            "coreclr_profiler_path",
            "dotnet_startup_hooks",
        ];
        let lower = name.to_ascii_lowercase();
        if LOADERS.contains(&lower.as_str()) {
            self.call.effect_at(Kind::Schedule, Act::Autostart, Target::name(&lower), span);
        }
    }

    /// Methods of objects that run programs, type keys or start something later; none if this is not one.
    pub(super) fn object_method(
        &mut self,
        path: &str,
        name: &str,
        arguments: &[Field],
        span: Span,
    ) -> Option<Piped> {
        let first = arguments.first();
        match (path, name) {
            (_, "executeshellcommand" | "shellexecute")
            | ("wscript.shell.run" | "wscript.shell.exec", _) => {
                self.call.effect_at(
                    Kind::Execute,
                    Act::RunByProxy,
                    Target::name("a COM object"),
                    span,
                );
                if let Some(code) = first {
                    self.call.run_code(Language::Cmd, code);
                }
            }
            ("wscript.shell.sendkeys", _) => {
                self.call.effect_at(Kind::Process, Act::TypeKeys, Target::None, span);
            }
            ("wscript.shell.regwrite", _) => {
                self.call.on_name(Kind::System, Act::Registry, first?);
            }
            ("wscript.shell.createshortcut", _) => {
                let target = path_field(first?);
                self.call.write(
                    Kind::Write,
                    Act::WriteFile,
                    &target,
                    Stream::unknown(crate::flow::Flow::default()),
                );
            }
            ("win32_shadowcopy.create", _) => {
                self.call.effect_at(Kind::Read, Act::ShadowCopy, Target::None, span);
            }
            ("win32_shadowcopy.delete", _) => {
                self.call.effect_at(Kind::System, Act::DeleteBackup, Target::None, span);
            }
            (_, "promptforcredential") => {
                self.call.effect_at(Kind::Read, Act::Capture, Target::name("a password"), span);
            }
            (_, "registerxll" | "addins.add") => {
                self.call.effect_at(
                    Kind::Execute,
                    Act::RunByProxy,
                    Target::name("an add-in"),
                    span,
                );
            }
            (_, "setenvironmentvariable") => {
                self.setting(&first?.shown(), span);
                return None;
            }
            (_, "send")
                if arguments.len() > 2 && arguments.iter().any(|it| !it.sources().is_empty()) =>
            {
                let mut data = crate::flow::Flow::default();
                for argument in arguments {
                    data.join(&argument.sources());
                }
                self.call.send(Act::Http, first?, data);
            }
            (_, "executeexcel4macro") => {
                self.call.effect_at(Kind::Execute, Act::RunByProxy, Target::name("a macro"), span);
            }
            (_, "copyfromscreen") => {
                self.call.effect_at(Kind::Read, Act::Capture, Target::name("screen"), span);
            }
            (_, "gettype" | "getfield" | "getprocaddress") => {
                self.call.tells(&first?.shown());
                return None;
            }
            _ => return None,
        }
        Some(Piped::default())
    }
}
