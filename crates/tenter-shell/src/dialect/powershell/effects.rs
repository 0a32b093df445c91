//! Effects of cmdlets.
//!
//! Actions: `remove`, `truncate`, `write-file`, `append-file`, `redirect`, `read-file`, `copy`,
//! `move`, `make-directory`, `http`, `download`, `print-environment`, `empty-trash`, `kill`,
//! `start`, `stop`, `restart`, `change` and `remove` (services), `power-off`, `reboot`,
//! `execution-policy` (scripts may run that could not), `disable-protection` (a virus scanner is
//! told to look away), `change-firewall`, `change-network`, `add-account`, `change-account`,
//! `delete-account`, `join-group`, `registry`, `registry-delete`, `clear-log`, `remote-access`,
//! `format`, `clear-disk`, `partition`, `scheduled-task`, `remove-job`, `acl`, `attributes`,
//! `install`, `uninstall`, `publish`, `mail`, `archive`, `delete` (at a cloud), `remove-machine`,
//! `stop-vm`, `history` (what was typed is forgotten).

use super::super::path_field;
use super::cmdlets::Said;
use super::expression::{as_piped, network};
use super::{Piped, Shell};
use crate::act::Act;
use crate::effect::Kind;
use crate::flow::{Flow, Source, Stream};
use crate::target::Target;
use crate::value::{Field, Part};

/// Cmdlets that have one effect, on the value of a parameter or on the first value.
const SIMPLE: &[(&str, Kind, Act, &[&str])] = &[
    ("stop-process", Kind::Process, Act::Kill, &["name", "id", "inputobject"]),
    ("stop-service", Kind::Service, Act::Stop, &["name"]),
    ("suspend-service", Kind::Service, Act::Stop, &["name"]),
    ("restart-service", Kind::Service, Act::Restart, &["name"]),
    ("start-service", Kind::Service, Act::Start, &["name"]),
    ("set-service", Kind::Service, Act::Change, &["name"]),
    ("new-service", Kind::Schedule, Act::Autostart, &["name"]),
    ("import-certificate", Kind::System, Act::TrustRoot, &["filepath"]),
    ("remove-service", Kind::Service, Act::Remove, &["name"]),
    ("stop-computer", Kind::System, Act::PowerOff, &["computername"]),
    ("restart-computer", Kind::System, Act::Reboot, &["computername"]),
    ("set-executionpolicy", Kind::System, Act::ExecutionPolicy, &["executionpolicy"]),
    ("set-mppreference", Kind::System, Act::DisableProtection, &[]),
    ("add-mppreference", Kind::System, Act::DisableProtection, &[]),
    ("remove-mppreference", Kind::System, Act::DisableProtection, &[]),
    ("set-netfirewallprofile", Kind::System, Act::ChangeFirewall, &["profile", "name"]),
    ("new-netfirewallrule", Kind::System, Act::ChangeFirewall, &["displayname", "name"]),
    ("remove-netfirewallrule", Kind::System, Act::ChangeFirewall, &["displayname", "name"]),
    ("disable-netfirewallrule", Kind::System, Act::ChangeFirewall, &["displayname", "name"]),
    ("disable-netadapter", Kind::System, Act::ChangeNetwork, &["name"]),
    ("new-localuser", Kind::System, Act::AddAccount, &["name"]),
    ("remove-localuser", Kind::System, Act::DeleteAccount, &["name"]),
    ("set-localuser", Kind::System, Act::ChangeAccount, &["name"]),
    ("disable-localuser", Kind::System, Act::DeleteAccount, &["name"]),
    ("add-localgroupmember", Kind::Privilege, Act::JoinGroup, &["member", "group"]),
    ("enable-psremoting", Kind::System, Act::RemoteAccess, &[]),
    ("clear-eventlog", Kind::System, Act::ClearLog, &["logname"]),
    ("remove-eventlog", Kind::System, Act::ClearLog, &["logname"]),
    ("clear-history", Kind::Delete, Act::ShellHistory, &[]),
    ("disable-computerrestore", Kind::System, Act::DisableProtection, &["drive"]),
    ("format-volume", Kind::Device, Act::Format, &["driveletter", "filesystemlabel", "path"]),
    ("clear-disk", Kind::Device, Act::ClearDisk, &["number"]),
    ("initialize-disk", Kind::Device, Act::Partition, &["number"]),
    ("remove-partition", Kind::Device, Act::Partition, &["driveletter", "disknumber"]),
    ("resize-partition", Kind::Device, Act::Partition, &["driveletter", "disknumber"]),
    ("new-partition", Kind::Device, Act::Partition, &["disknumber"]),
    ("set-disk", Kind::Device, Act::Partition, &["number"]),
    ("remove-virtualdisk", Kind::Device, Act::ClearDisk, &["friendlyname"]),
    ("remove-storagepool", Kind::Device, Act::ClearDisk, &["friendlyname"]),
    ("reset-physicaldisk", Kind::Device, Act::ClearDisk, &["friendlyname"]),
    ("register-scheduledtask", Kind::Schedule, Act::ScheduledTask, &["taskname"]),
    ("register-scheduledjob", Kind::Schedule, Act::ScheduledTask, &["name"]),
    ("unregister-scheduledtask", Kind::Schedule, Act::RemoveJob, &["taskname"]),
    ("disable-scheduledtask", Kind::Schedule, Act::RemoveJob, &["taskname"]),
    ("clear-recyclebin", Kind::Delete, Act::EmptyTrash, &["driveletter"]),
    ("install-module", Kind::Install, Act::Install, &["name"]),
    ("install-package", Kind::Install, Act::Install, &["name"]),
    ("install-script", Kind::Install, Act::Install, &["name"]),
    ("add-appxpackage", Kind::Install, Act::Install, &["path"]),
    ("install-windowsfeature", Kind::Install, Act::Install, &["name"]),
    ("enable-windowsoptionalfeature", Kind::Install, Act::Install, &["featurename"]),
    ("uninstall-module", Kind::Install, Act::Uninstall, &["name"]),
    ("uninstall-package", Kind::Install, Act::Uninstall, &["name"]),
    ("remove-appxpackage", Kind::Install, Act::Uninstall, &["package"]),
    ("publish-module", Kind::Publish, Act::Publish, &["name", "path"]),
    ("publish-script", Kind::Publish, Act::Publish, &["path"]),
    ("remove-vm", Kind::Container, Act::RemoveMachine, &["name"]),
    ("remove-vmsnapshot", Kind::Container, Act::RemoveMachine, &["vmname"]),
    ("stop-vm", Kind::Container, Act::Stop, &["name"]),
    ("remove-aduser", Kind::System, Act::DeleteAccount, &["identity"]),
    ("remove-adgroupmember", Kind::System, Act::ChangeAccount, &["identity"]),
    ("set-date", Kind::System, Act::SetClock, &["date"]),
    ("new-smbshare", Kind::System, Act::Share, &["name"]),
    ("remove-smbshare", Kind::System, Act::Share, &["name"]),
    ("remove-fileshare", Kind::System, Act::Share, &["name"]),
    ("add-dnsclientnrptrule", Kind::System, Act::ChangeNetwork, &["namespace"]),
    ("new-netqospolicy", Kind::System, Act::ChangeNetwork, &["name"]),
    ("new-neteventsession", Kind::Read, Act::Capture, &["name"]),
    ("add-neteventpacketcaptureprovider", Kind::Read, Act::Capture, &["sessionname"]),
    ("install-transportagent", Kind::Schedule, Act::Autostart, &["name"]),
    ("new-webglobalmodule", Kind::Schedule, Act::Autostart, &["name"]),
    ("set-servicebinarypath", Kind::Schedule, Act::Autostart, &["name"]),
    ("export-pfxcertificate", Kind::Read, Act::ReadSecret, &["cert"]),
    ("new-aduser", Kind::System, Act::AddAccount, &["name"]),
    ("set-adaccountpassword", Kind::System, Act::ChangePassword, &["identity"]),
    ("add-adgroupmember", Kind::Privilege, Act::JoinGroup, &["identity"]),
    ("rename-localuser", Kind::System, Act::ChangeAccount, &["name"]),
    ("enable-localuser", Kind::System, Act::ChangeAccount, &["name"]),
    ("remove-adcomputer", Kind::System, Act::DeleteAccount, &["identity"]),
];

impl Shell<'_, '_, '_, '_> {
    pub(super) fn cmdlet(&mut self, cmdlet: &str, said: &Said, input: Piped) -> Piped {
        match cmdlet {
            "remove-item" => self.remove(said, &input),
            "clear-content" | "clear-item" => {
                for file in Self::paths(said, &input, &["path", "literalpath"]) {
                    self.call.write(Kind::Overwrite, Act::Truncate, &file, Stream::empty());
                }
                Piped::default()
            }
            "set-content" | "add-content" | "out-file" | "tee-object" | "export-csv"
            | "export-clixml" => self.write(cmdlet, said, input),
            "copy-item" | "move-item" | "rename-item" => self.transfer(cmdlet, said, &input),
            "new-item" => self.new_item(said),
            "get-content" | "select-string" | "import-csv" | "import-clixml" => {
                self.read(cmdlet, said, input)
            }
            "get-childitem" | "get-item" | "resolve-path" => self.list(cmdlet, said, input),
            "invoke-webrequest" | "invoke-restmethod" => self.request(said, &input),
            "start-bitstransfer" => self.transfer_files(said),
            "foreach-object" | "where-object" | "invoke-command" | "start-process"
            | "invoke-expression" => self.indirect(cmdlet, said, input),
            "write-output" | "write-host" => Self::say(said, input),
            "get-process" => Self::processes(said),
            "get-command"
            | "set-alias"
            | "new-alias"
            | "import-module"
            | "add-type"
            | "get-ciminstance"
            | "get-wmiobject"
            | "invoke-cimmethod"
            | "invoke-wmimethod"
            | "remove-ciminstance"
            | "remove-wmiobject"
            | "format-hex"
            | "invoke-sqlcmd"
            | "get-nettcpconnection" => self.object(cmdlet, said, input),
            "join-path" => self.join_path(said),
            "out-string" | "sort-object" | "select-object" | "out-host" | "out-default"
            | "convertto-json" => {
                let mut out = input;
                if cmdlet == "convertto-json" || cmdlet == "select-object" {
                    out.stream.text = None;
                }
                out
            }
            "out-null" => Piped { stream: Stream::empty(), paths: Vec::new() },
            "set-location" | "push-location" => {
                let place = said.value_or(&["path", "literalpath"], 0).into_iter().next();
                let path = place.map(|place| self.call.machine.path(&path_field(&place)));
                self.call.machine.shell.cwd = path.and_then(|path| path.exact().map(Into::into));
                Piped::default()
            }
            "get-clipboard" => Piped::unknown(Flow::of(Source::Store("clipboard".into()))),
            "set-acl" => self.on_first(Kind::Permission, Act::Acl, said, &input),
            "remove-itemproperty"
            | "set-itemproperty"
            | "new-itemproperty"
            | "clear-itemproperty" => self.registry(said),
            "expand-archive" | "compress-archive" => self.archive(said),
            "send-mailmessage" => {
                let to = said.value_of(&["to"]).unwrap_or_default();
                let mut data = input.stream.flow;
                said.parameters
                    .iter()
                    .filter_map(|(_, values, _)| values.as_ref())
                    .flatten()
                    .for_each(|value| data.join(&value.sources()));
                for file in said.values_of(&["attachments"]) {
                    data.join(&self.call.read(Act::ReadFile, &path_field(&file)).flow);
                }
                self.call.send(Act::Mail, &to, data);
                Piped::default()
            }
            _ => self.simple(cmdlet, said, input),
        }
    }

    /// Whatever has no arm of its own.
    pub(super) fn other(&mut self, cmdlet: &str, said: &Said, input: Piped) -> Piped {
        self.simple(cmdlet, said, input)
    }

    /// What `Write-Output` prints.
    fn say(said: &Said, input: Piped) -> Piped {
        let values: Vec<Field> = said.values.iter().flatten().cloned().collect();
        match values.as_slice() {
            [] => input,
            [one] => as_piped(one),
            many => {
                let text: Option<Vec<&str>> = many.iter().map(Field::exact).collect();
                let mut flow = Flow::default();
                for field in many {
                    flow.join(&field.sources());
                }
                Piped {
                    stream: Stream {
                        text: text.map(|words| words.join("\n")),
                        flow,
                        ..Stream::default()
                    },
                    paths: Vec::new(),
                }
            }
        }
    }

    /// `Get-Process node`: names of processes; a star without one.
    fn processes(said: &Said) -> Piped {
        let named = said.value_or(&["name", "id"], 0);
        let all = || vec![Field::text("*", said.span)];
        let paths = if named.is_empty() { all() } else { named };
        Piped { stream: Stream::default(), paths }
    }

    /// `Join-Path folder name`
    fn join_path(&mut self, said: &Said) -> Piped {
        let parts = [said.value_or(&["path"], 0), said.value_or(&["childpath"], 1)].concat();
        let mut whole = Field { span: said.span, ..Field::default() };
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                whole.push_text("/", None);
            }
            super::super::append(&mut whole, part.clone(), &mut self.call.machine.budget);
        }
        Piped { stream: as_piped(&whole).stream, paths: vec![whole] }
    }

    fn simple(&mut self, cmdlet: &str, said: &Said, input: Piped) -> Piped {
        if let Some(out) = self.administer(cmdlet, said) {
            return out;
        }
        let found = SIMPLE.iter().find(|(name, ..)| *name == cmdlet);
        let Some(&(_, kind, action, names)) = found else {
            // Cmdlets of clouds: `Remove-AzResourceGroup`, `Remove-EC2Instance`.
            if let Some(noun) = cmdlet.strip_prefix("remove-").or(cmdlet.strip_prefix("clear-"))
                && ["az", "ec2", "s3", "rds", "aws", "gce", "mg"]
                    .iter()
                    .any(|cloud| noun.starts_with(cloud))
            {
                let target = said.value_or(&["name", "resourcegroupname", "bucketname"], 0);
                let target =
                    target.first().map_or(Target::None, |field| Target::Name(field.shown()));
                let bucket = noun.ends_with("bucket");
                let action = if bucket { Act::DeleteBucket } else { Act::Delete };
                self.call.effect_at(Kind::Cloud, action, target, said.span).force =
                    said.has(if bucket { "deletebucketcontent" } else { "force" });
            }
            // `Measure-Command { ... }`: whatever a block is given to may run it.
            for block in &said.blocks {
                self.block_for(*block, &input);
            }
            return Piped::unknown(input.stream.flow);
        };
        let mut targets = said.values_of(names);
        if targets.is_empty() && !names.is_empty() {
            targets = said.values.first().cloned().unwrap_or_default();
        }
        if targets.is_empty() && cmdlet == "stop-process" {
            // `Get-Process node | Stop-Process`
            targets = input.paths;
        }
        if targets.is_empty() {
            let effect = self.call.effect_at(kind, action, Target::None, said.span);
            effect.force = said.has("force");
        }
        let by_number = cmdlet == "stop-process" && !said.values_of(&["id"]).is_empty();
        for target in targets {
            let unknown = by_number && target.has_unknown();
            let name = if unknown { "$!".to_owned() } else { target.shown() };
            let effect = self.call.effect_at(kind, action, Target::Name(name), said.span);
            effect.force = said.has("force");
        }
        Piped::default()
    }

    /// Files that a cmdlet is given, by parameter, by place or through the pipe.
    fn paths(said: &Said, input: &Piped, names: &[&str]) -> Vec<Field> {
        let mut paths = said.value_or(names, 0);
        if paths.is_empty() {
            paths.clone_from(&input.paths);
            if paths.is_empty() && input.stream.text.is_none() && !said.span.is_empty() {
                paths.push(input.field(said.span));
            } else if let Some(text) =
                input.stream.text.as_deref().filter(|text| !text.is_empty() && paths.is_empty())
            {
                paths.extend(text.lines().map(|line| Field::text(line, said.span)));
            }
        }
        paths.iter().map(path_field).collect()
    }

    fn on_first(&mut self, kind: Kind, action: Act, said: &Said, input: &Piped) -> Piped {
        for path in Self::paths(said, input, &["path", "literalpath"]) {
            self.call.on_path(kind, action, &path);
        }
        Piped::default()
    }

    fn remove(&mut self, said: &Said, input: &Piped) -> Piped {
        // `-rf` is not PowerShell, but what is meant is clear.
        let unix =
            said.parameters.iter().any(|(given, _, _)| matches!(given.as_str(), "rf" | "fr"));
        let (recursive, force) = (said.has("recurse") || unix, said.has("force") || unix);
        for path in Self::paths(said, input, &["path", "literalpath"]) {
            match drive(&path).as_str() {
                "env" | "variable" | "function" | "alias" | "cert" => {}
                "hklm" | "hkcu" | "hkcr" | "hku" | "registry" => {
                    let target = Target::Name(path.shown());
                    let effect =
                        self.call.effect_at(Kind::System, Act::RegistryDelete, target, path.span);
                    effect.recursive = recursive;
                    effect.force = force;
                }
                _ => {
                    let effect = self.call.on_path(Kind::Delete, Act::Remove, &path);
                    effect.recursive = recursive;
                    effect.force = force;
                }
            }
        }
        Piped::default()
    }

    fn write(&mut self, cmdlet: &str, said: &Said, input: Piped) -> Piped {
        let files = said.value_or(&["path", "literalpath", "filepath"], 0);
        let value = said
            .value_or(&["value", "inputobject"], if cmdlet.ends_with("-content") { 1 } else { 9 });
        let content = match value.as_slice() {
            [] => input.stream.clone(),
            [one] => as_piped(one).stream,
            many => {
                let mut flow = Flow::default();
                for field in many {
                    flow.join(&field.sources());
                }
                Stream::unknown(flow)
            }
        };
        let append = cmdlet == "add-content" || said.has("append");
        let stream = said.value_of(&["stream"]);
        for mut file in files {
            if let Some(stream) = &stream {
                file.push_text(&format!(":{}", stream.shown()), None);
            }
            self.write_to(
                &file,
                append,
                if append { Act::AppendFile } else { Act::WriteFile },
                content.clone(),
            );
        }
        if cmdlet == "tee-object" {
            input
        } else {
            Piped { stream: Stream::empty(), paths: Vec::new() }
        }
    }

    fn transfer(&mut self, cmdlet: &str, said: &Said, input: &Piped) -> Piped {
        let named = !said.values_of(&["path", "literalpath"]).is_empty();
        let sources = Self::paths(said, input, &["path", "literalpath"]);
        let to = said.value_or(&["destination", "newname"], usize::from(!named));
        let to = to.first().map(path_field);
        for source in &sources {
            let content = if cmdlet == "copy-item" {
                self.call.read(Act::Copy, source)
            } else {
                let path = self.call.machine.path(source);
                let content = self.call.machine.content(&path);
                self.call.effect_at(Kind::Move, Act::Move, Target::Path(path), source.span);
                content
            };
            if let Some(to) = &to {
                let action = if cmdlet == "copy-item" { Act::Copy } else { Act::Move };
                self.call.write(Kind::Write, action, to, content).force = said.has("force");
            }
        }
        Piped::default()
    }

    fn new_item(&mut self, said: &Said) -> Piped {
        let kind = said
            .value_of(&["itemtype", "type"])
            .and_then(|kind| kind.exact().map(str::to_ascii_lowercase));
        let content =
            said.value_of(&["value"]).map_or_else(Stream::empty, |value| as_piped(&value).stream);
        for path in said.value_or(&["path", "name"], 0) {
            let path = path_field(&path);
            match (drive(&path).as_str(), kind.as_deref()) {
                ("hklm" | "hkcu" | "registry", _) => {
                    self.call.effect_at(
                        Kind::System,
                        Act::Registry,
                        Target::Name(path.shown()),
                        path.span,
                    );
                }
                (_, Some("file")) => {
                    _ = self.call.write(Kind::Write, Act::WriteFile, &path, content.clone());
                }
                (_, Some("symboliclink" | "hardlink" | "junction")) => {
                    _ = self.call.on_path(Kind::Write, Act::Link, &path);
                }
                // What has an ending is a file.
                (_, None)
                    if !said.values_of(&["value"]).is_empty()
                        || path
                            .suffix()
                            .rsplit('/')
                            .next()
                            .is_some_and(|name| name.contains('.')) =>
                {
                    _ = self.call.write(Kind::Write, Act::WriteFile, &path, content.clone());
                }
                _ => _ = self.call.on_path(Kind::Write, Act::MakeDirectory, &path),
            }
        }
        Piped::default()
    }

    fn read(&mut self, cmdlet: &str, said: &Said, input: Piped) -> Piped {
        let place = usize::from(cmdlet == "select-string");
        let mut files = said.value_or(&["path", "literalpath"], place);
        if files.is_empty() {
            files.clone_from(&input.paths);
        }
        let mut out = Stream::default();
        for file in &files {
            let content = self.call.read(Act::ReadFile, &path_field(file));
            out.flow.join(&content.flow);
            if files.len() == 1 && cmdlet == "get-content" {
                out.text = content.text;
            }
        }
        // The number of a process that was started for the work.
        let number = |file: &Field| {
            let name = file.shown().to_ascii_lowercase();
            name.rsplit('.').next() == Some("pid") || name.ends_with("pid.txt")
        };
        if cmdlet == "get-content" && out.text.is_none() && files.iter().any(number) {
            let field = Field { flow: out.flow.clone(), ..Field::unknown("$!", said.span) };
            return Piped { stream: out, paths: vec![field] };
        }
        if files.is_empty() {
            out = input.stream;
        }
        Piped { stream: out, paths: Vec::new() }
    }

    fn list(&mut self, cmdlet: &str, said: &Said, input: Piped) -> Piped {
        let mut places = said.value_or(&["path", "literalpath"], 0);
        if places.is_empty() {
            places = input.paths;
        }
        if places.iter().any(|place| drive(place) == "env") {
            let all =
                places.iter().any(|place| matches!(place.exact(), Some(text) if text.len() <= 5));
            if all {
                self.call.effect_at(
                    Kind::EnvironmentDump,
                    Act::PrintEnvironment,
                    Target::None,
                    said.span,
                );
            }
            return Piped::unknown(Flow::of(Source::Environment));
        }
        if places.is_empty() {
            places.push(Field::text(".", said.span));
        }
        let filter = said.value_or(&["filter", "include"], 1).into_iter().next();
        let paths = places.iter().map(|place| {
            let mut path = path_field(place);
            if cmdlet == "get-childitem" && !path.has_glob() {
                let slash = if path.suffix().ends_with('/') { "" } else { "/" };
                path.push_text(slash, None);
                if said.has("recurse")
                    && said.parameters.iter().any(|(given, _, _)| given.starts_with('r'))
                {
                    path.parts.push(Part::Glob("**".to_owned()));
                    path.push_text("/", None);
                }
                match filter.clone().map(|filter| path_field(&filter)) {
                    Some(filter) => filter.parts.into_iter().for_each(|part| path.push(part)),
                    None => path.parts.push(Part::Glob("*".to_owned())),
                }
            }
            path
        });
        Piped { stream: Stream::default(), paths: paths.collect() }
    }

    fn request(&mut self, said: &Said, input: &Piped) -> Piped {
        let uri = said.value_or(&["uri"], 0).into_iter().next().unwrap_or_default();
        let method = said
            .value_of(&["method"])
            .and_then(|method| method.exact().map(str::to_ascii_lowercase));
        let body = said.value_of(&["body", "form"]);
        let file = said.value_of(&["infile"]);
        let writes = method.as_deref().is_some_and(|method| !matches!(method, "get" | "head"));
        let carried = uri.sources();
        if writes || body.is_some() || file.is_some() || !carried.is_empty() {
            let mut data = carried;
            if writes {
                // Piped input is the body.
                data.join(&input.stream.flow);
            }
            if let Some(body) = &body {
                data.join(&body.sources());
            }
            if let Some(file) = &file {
                data.join(&self.call.read(Act::ReadFile, &path_field(file)).flow);
            }
            self.call.send(Act::Http, &uri, data);
            if writes {
                return Piped::unknown(Flow::of(network(&uri.shown())));
            }
        }
        let content = self.call.receive(Act::Http, &uri);
        if let Some(file) = said.value_of(&["outfile"]) {
            self.call.write(Kind::Overwrite, Act::Download, &path_field(&file), content);
            return Piped { stream: Stream::empty(), paths: Vec::new() };
        }
        Piped { stream: content, paths: Vec::new() }
    }

    fn transfer_files(&mut self, said: &Said) -> Piped {
        let source = said.value_or(&["source"], 0).into_iter().next().unwrap_or_default();
        let to = said.value_or(&["destination"], 1).into_iter().next();
        let upload = said
            .value_of(&["transfertype"])
            .is_some_and(|kind| kind.prefix().to_ascii_lowercase().starts_with("upload"));
        if upload {
            let content = self.call.read(Act::ReadFile, &path_field(&source));
            let to = to.unwrap_or_default();
            self.call.send(Act::Http, &to, content.flow);
        } else {
            let content = self.call.receive(Act::Http, &source);
            if let Some(to) = to {
                self.call.write(Kind::Overwrite, Act::Download, &path_field(&to), content);
            }
        }
        Piped::default()
    }

    fn registry(&mut self, said: &Said) -> Piped {
        for path in said.value_or(&["path", "literalpath"], 0) {
            if drive(&path).starts_with("hk") || drive(&path) == "registry" {
                self.call.effect_at(
                    Kind::System,
                    Act::Registry,
                    Target::Name(path.shown()),
                    path.span,
                );
            } else {
                self.call.on_path(Kind::Permission, Act::Attributes, &path_field(&path));
            }
        }
        Piped::default()
    }

    fn archive(&mut self, said: &Said) -> Piped {
        let sources = said.value_or(&["path", "literalpath"], 0);
        let to = said.value_or(&["destinationpath"], 1).into_iter().next();
        let mut content = Stream::default();
        for source in &sources {
            content.flow.join(&self.call.read(Act::ReadFile, &path_field(source)).flow);
        }
        if let Some(to) = to {
            self.call.write(Kind::Write, Act::Archive, &path_field(&to), content).force =
                said.has("force");
        }
        Piped::default()
    }
}

/// The name of a path's drive, if longer than a letter.
fn drive(path: &Field) -> String {
    let text = path.prefix();
    match text.split_once(':') {
        Some((drive, _)) if drive.len() > 1 => drive.to_ascii_lowercase(),
        _ => String::new(),
    }
}
