//! Guard of disks and the machine: devices, filesystems, boot, power, kernel, services, network, accounts,
//! schedules and processes.

mod checks;
mod services;

use tenter_shell::Act;
use tenter_shell::{Certainty, Effect, Field, Kind, Ran, Role, Target};

use crate::finding::{At, Found};
use crate::guard::Check;
use crate::places::Zone;
use crate::scene::Scene;
use checks::{
    ACCOUNT, BACKUP, BOOT, CAPTURE, CLOCK, CRON, DEVICE, DISK_TOOL, ESSENTIAL, FIREWALL, FLOOD,
    FORMAT, KERNEL, KEYS, KILL, KILL_ALL, KILL_HARD, LOGS, MOUNT, NETWORK, PARTITION, POWER,
    PROTECTION, REGISTRY, REMOTE, SERVICE, SETTING, STOPPED, TASK, VOLUME, VOLUME_CHANGE,
};

pub(super) use checks::GUARD;

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        let at = System { scene, effect };
        let said = match effect.kind {
            Kind::Device => at.device(),
            Kind::System => at.system(),
            Kind::Service => at.service(),
            Kind::Process => at.process(),
            Kind::Schedule => Some(at.schedule()),
            Kind::Write | Kind::Overwrite | Kind::Append => at.written().or_else(|| at.shared()),
            Kind::Install if effect.action == Act::Uninstall => at.uninstalled(),
            Kind::Read if effect.action == Act::Capture => Some((&CAPTURE, "records")),
            Kind::Read if effect.action == Act::ShadowCopy => {
                Some((&PROTECTION, "copies the disk so that locked files can be read"))
            }
            Kind::Read | Kind::Move => at.shared(),
            _ => continue,
        };
        if let Some((check, does)) = said {
            at.add(found, check, does);
        }
    }
    for ran in &scene.analysis.commands {
        if deletes_shadows(scene, ran) {
            let at = At { certainty: ran.certainty, ..At::span(ran.span, "") };
            found.add(&BACKUP, at, "deletes Windows backups");
        }
        if let Some(service) = init_script(ran) {
            let at = At { certainty: ran.certainty, ..At::span(ran.span, service) };
            found.add(&SERVICE, at, format!("stops the service {service}"));
        }
        if let Some(device) = disk_tool(ran) {
            let at = At { certainty: ran.certainty, ..At::span(ran.span, device) };
            found.add(&DISK_TOOL, at, format!("works on the disk {device} with {ran}"));
        }
    }
}

/// Whether it happens on another machine, rather than in a container on this one.
pub(super) fn is_remote(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Some(ran) = scene.program(effect).filter(|_| effect.elsewhere) else {
        return false;
    };
    ran.via.iter().any(|via| via.is(Role::OtherMachine))
}

/// The disk argument of a pure disk tool.
fn disk_tool(ran: &Ran) -> Option<&str> {
    let mut arguments = ran.argv.iter().skip(1).map(Field::prefix);
    let disk = arguments.find(|text| text.starts_with("/dev/") && !is_quiet(text))?;
    ran.is(Role::DiskTool).then_some(disk)
}

/// `Get-WmiObject Win32_ShadowCopy | Remove-WmiObject`
fn deletes_shadows(scene: &Scene<'_>, ran: &Ran) -> bool {
    ran.is(Role::RemovesObjects)
        && scene.analysis.commands.iter().any(|other| {
            let shadow = |field: &Field| field.shown().to_ascii_lowercase().contains("shadowcopy");
            other.argv.iter().any(shadow)
        })
}

/// The service in `/etc/init.d/nginx stop`, if others depend on it.
fn init_script(ran: &Ran) -> Option<&str> {
    let mut words = ran.argv.iter();
    let name = words.next()?.exact()?.strip_prefix("/etc/")?;
    let name = name.strip_prefix("init.d/").or_else(|| name.strip_prefix("rc.d/"))?;
    (words.next()?.is("stop") && services::is_vital(name)).then_some(name)
}

/// Whether a device stores no data.
fn is_quiet(path: &str) -> bool {
    const QUIET: &[&str] = &[
        "/dev/null",
        "/dev/zero",
        "/dev/tty",
        "/dev/pts",
        "/dev/std",
        "/dev/fd/",
        "/dev/cu.",
        "/dev/ttyUSB",
        "/dev/ttyACM",
        "/dev/ttyS",
        "/dev/snd",
        "/dev/dsp",
        "/dev/input",
        "/dev/uinput",
        "/dev/video",
        "/dev/i2c",
        "/dev/spidev",
        "/dev/gpio",
        "/dev/serial",
        "/dev/usb",
        "/dev/lp",
        "/dev/dri",
        "/dev/log",
        "/dev/kmsg",
        "/dev/net",
        "/dev/shm",
    ];
    QUIET.iter().any(|start| path.starts_with(start))
}

/// A check and its message.
type Doing = (&'static Check, &'static str);
type Said = Option<Doing>;

/// One effect on the machine.
struct System<'s> {
    scene: &'s Scene<'s>,
    effect: &'s Effect,
}

impl System<'_> {
    fn add(&self, found: &mut Found<'_>, check: &'static Check, does: &str) {
        let subject = self.effect.target.shown();
        // A container shares its host's disks, if any, and processes.
        let shared = self.effect.kind == Kind::Device || self.effect.action == Act::ForkBomb;
        let elsewhere = self.effect.elsewhere && !shared;
        let check = match elsewhere {
            false => check,
            // Actions that are only logged here need not exist on this machine.
            true if check.weight == crate::Weight::Minor => return,
            true if is_remote(self.scene, self.effect) => &REMOTE,
            true => return,
        };
        // The name of a recursive function or of a listing is not informative, nor is a number that means all.
        let all = matches!(self.effect.action, Act::KillAll | Act::KillInit);
        let named = subject.contains(|letter: char| letter.is_alphanumeric() || letter == '/')
            && !all
            && !subject.starts_with("$(");
        let what =
            if named { format!("{does} {subject}") } else { does.trim_end_matches(':').to_owned() };
        found.add(check, At::effect(self.effect, &subject), what);
    }

    fn program(&self) -> Option<&Ran> {
        self.scene.program(self.effect)
    }

    fn says(&self, test: impl Fn(&str) -> bool) -> bool {
        self.program().is_some_and(|ran| ran.argv.iter().any(|field| test(field.prefix())))
    }

    fn is(&self, role: Role) -> bool {
        self.scene.is(self.effect, role)
    }

    fn device(&self) -> Said {
        let shown = self.effect.target.shown();
        if let Target::Path(path) = &self.effect.target {
            if is_quiet(&shown) {
                return None;
            }
            // An image in a file is a file.
            let device = shown.starts_with("/dev/") || shown.starts_with("\\\\.\\");
            let reaches = shown.starts_with("/proc/") || shown.starts_with("/sys/");
            if reaches {
                return Some(kernel_file(&shown));
            }
            let zone = self.scene.places.zone(path);
            if zone == Zone::Unknown {
                return Some((&VOLUME_CHANGE, "changes an unknown disk:"));
            }
            let own = zone > Zone::Outside;
            // A disk tool's script is in a file; its effect is not.
            if self.is(Role::Partitions) {
                return Some((&PARTITION, "changes partitions as listed in"));
            }
            if !device && own && self.effect.action != Act::RemoveVolume {
                return None;
            }
            if !device && matches!(self.effect.action, Act::Format | Act::WriteDevice) {
                return Some((&VOLUME_CHANGE, "creates a filesystem on"));
            }
        }
        Some(match self.effect.action {
            Act::WriteDevice | Act::Shred => (&DEVICE, "overwrites the device"),
            Act::Format => (&FORMAT, "formats"),
            Act::Wipe | Act::Discard | Act::ClearDisk => (&FORMAT, "erases"),
            Act::Partition if self.effect.certainty == Certainty::Certain => {
                (&PARTITION, "changes the partitions of")
            }
            Act::Partition => (&DISK_TOOL, "may change the partitions of"),
            Act::InstallBootloader => (&BOOT, "writes a boot loader to"),
            Act::Flash => (&BOOT, "writes firmware"),
            Act::RemoveVolume => (&VOLUME, "destroys the volume"),
            Act::Rollback => (&VOLUME_CHANGE, "rolls back the volume"),
            Act::CreateVolume if self.takes_disks() => (&FORMAT, "creates a volume on disks:"),
            Act::Detach if self.effect.target == Target::None => (&MOUNT, "detaches every image"),
            Act::CreateVolume | Act::Attach | Act::Detach => {
                (&SETTING, "creates or attaches a volume:")
            }
            Act::DeleteKey => (&FORMAT, "destroys a key of"),
            Act::Keys => (&VOLUME_CHANGE, "changes the keys of"),
            Act::Open | Act::Close => (&VOLUME_CHANGE, "opens or closes the encrypted volume"),
            _ => (&VOLUME_CHANGE, "changes the volume or filesystem"),
        })
    }

    /// Creating a pool or an array overwrites the disks.
    fn takes_disks(&self) -> bool {
        self.is(Role::TakesDisks)
            && self.says(|text| text.starts_with("/dev/sd") || text.starts_with("/dev/nvme"))
    }

    /// A file on another machine's share for administrators: `\\host\C$\x`.
    fn shared(&self) -> Said {
        let path = self.effect.target.path()?.shown().replace('\\', "/");
        if path.to_ascii_lowercase().contains("/harddiskvolumeshadowcopy") {
            return Some((&PROTECTION, "reads locked files from a copy of the disk:"));
        }
        let mut parts = path.strip_prefix('/')?.trim_start_matches('/').split('/').skip(1);
        let share = parts.next()?.strip_suffix('$')?;
        let hidden = share.len() == 1
            || share.eq_ignore_ascii_case("admin")
            || share.eq_ignore_ascii_case("ipc");
        hidden.then_some((&REMOTE, "reaches into the administrator's share"))
    }

    /// A write to a device file, by any program.
    fn written(&self) -> Said {
        if self.is(Role::BlockCopier) && self.fills_unknown() {
            return Some((&DISK_TOOL, "fills an unknown file:"));
        }
        let text = self.effect.target.path()?.exact()?;
        let device = text.strip_prefix("/dev/")?;
        let storage =
            ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "dm-", "md", "mem"];
        let drive = storage.iter().any(|start| device.starts_with(start));
        (drive && !is_quiet(text)).then_some((&DEVICE, "overwrites the device"))
    }

    /// `dd if=/dev/zero of="$DISK"`: without end, or to a variable named like a disk.
    fn fills_unknown(&self) -> bool {
        let Some(path) = self.effect.target.path() else { return false };
        let shown = path.shown();
        let name = shown.rsplit('/').next().unwrap_or_default();
        let filled = self.says(|text| {
            matches!(text, "if=/dev/zero" | "if=/dev/urandom" | "if=/dev/random" | "if=/dev/full")
        });
        let lower = name.to_ascii_lowercase();
        let disk = ["disk", "dev", "drive", "lsblk"].iter().any(|word| lower.contains(word));
        // A limited number of bytes creates a file of that size.
        let ends = self.says(|text| text.starts_with("count="));
        path.exact().is_none() && name.starts_with('$') && filled && (disk || !ends)
    }

    fn system(&self) -> Said {
        Some(match self.effect.action {
            Act::Mount => return Some(self.mount()),
            Act::Unmount => return Some(self.unmount()),
            Act::Power => (&POWER, "shuts down or restarts the machine"),
            Act::PowerOff => (&POWER, "shuts down the machine"),
            Act::Reboot => (&POWER, "restarts the machine"),
            Act::Suspend => (&POWER, "suspends the machine"),
            Act::Runlevel => (&POWER, "changes the runlevel to"),
            Act::LoadModule => (&KERNEL, "loads a kernel module:"),
            Act::UnloadModule => (&KERNEL, "unloads the kernel module"),
            Act::LoadKernel => (&KERNEL, "loads another kernel"),
            Act::KernelParameter => (&KERNEL, "changes the kernel parameter"),
            Act::AddAccount => (&ACCOUNT, "adds the account"),
            Act::ChangeAccount => (&ACCOUNT, "changes the account"),
            Act::DeleteAccount => (&ACCOUNT, "deletes the account"),
            Act::ChangePassword => (&ACCOUNT, "changes the password of"),
            Act::SetClock => (&CLOCK, "sets the clock to"),
            Act::Boot | Act::BootEntry => (&BOOT, "changes how the machine boots:"),
            Act::ClearLog => (&LOGS, "deletes a log"),
            Act::DeleteBackup => (&BACKUP, "deletes backups"),
            // It asks for confirmation.
            Act::FlushFirewall
                if self.is(Role::AsksFirst)
                    && !self.effect.force
                    && !self.scene.runs(Role::Endless) =>
            {
                (&SETTING, "resets the firewall")
            }
            Act::FlushFirewall => (&FIREWALL, "clears the firewall rules"),
            Act::DisableFirewall => (&FIREWALL, "disables the firewall"),
            Act::ChangeFirewall => return Some(self.firewall()),
            Act::DeleteRoute => (&NETWORK, "deletes the route"),
            Act::InterfaceDown => (&NETWORK, "disables the network interface"),
            Act::DeleteInterface => (&NETWORK, "deletes the network interface"),
            Act::ChangeNetwork | Act::Share | Act::RemoteAccess => {
                (&NETWORK, "changes the network:")
            }
            Act::AdminShare => (&REMOTE, "opens the administrator's share"),
            Act::RegistryDelete => (&REGISTRY, "deletes from the registry:"),
            Act::Registry => (&REGISTRY, "changes the registry:"),
            Act::Swap => (&KERNEL, "changes swap space:"),
            Act::ChangeProtection => (&PROTECTION, "changes a system protection:"),
            Act::ExecutionPolicy if !self.says(|text| text.eq_ignore_ascii_case("Process")) => {
                (&PROTECTION, "allows every script to run:")
            }
            Act::Setting if self.guards() => (&PROTECTION, "changes a system protection:"),
            Act::Hostname | Act::Setting => (&SETTING, "changes a system setting:"),
            _ => return None,
        })
    }

    /// Whether a setting protects access or accounts.
    fn guards(&self) -> bool {
        let all = self.says(|text| text == "-g" || text == "NSGlobalDomain");
        self.is(Role::Profiles)
            || self.is(Role::SetsSystem) && self.says(|text| text.contains("emote"))
            || self.is(Role::SetsDefaults) && all && self.says(|text| text == "delete")
            || self.is(Role::SetsDefaults) && self.says(|text| text == "LSQuarantine")
    }

    fn mount(&self) -> Doing {
        let disk = |text: &str| text.starts_with("/dev/") && !text.starts_with("/dev/loop");
        let again = |text: &str| text.split(',').any(|option| option == "remount");
        let (disk, again) = (self.says(disk), self.says(again));
        let hides = self
            .effect
            .target
            .path()
            .and_then(|path| path.exact())
            .is_some_and(|path| path.starts_with("/proc/") || names_of_programs(path))
            || self.effect.target.shown().starts_with("/proc/");
        if hides {
            (&MOUNT, "covers with something else:")
        } else if again {
            (&MOUNT, "remounts with other rights:")
        } else if disk || self.is(Role::MountsDisks) {
            (&MOUNT, "mounts a disk at")
        } else {
            (&SETTING, "mounts a filesystem at")
        }
    }

    fn unmount(&self) -> Doing {
        let wide = match &self.effect.target {
            Target::Path(path) => {
                let zone = self.scene.places.zone(path);
                let usual = ["/mnt", "/media", "/Volumes", "/run/media"];
                let shown = path.shown();
                zone <= Zone::Workspace && !usual.iter().any(|folder| shown.starts_with(folder))
            }
            Target::None => true,
            _ => false,
        };
        (if wide { &MOUNT } else { &SETTING }, "unmounts")
    }

    fn firewall(&self) -> Doing {
        let shuts = |text: &str| {
            matches!(text, "DROP" | "REJECT" | "deny" | "reject" | "drop" | "--panic-on")
        };
        let opens = |text: &str| {
            matches!(text, "-P" | "--policy" | "default" | "any" | "table" | "False" | "$false")
                || text.contains("trusted")
                || ["dir=in", "inbound", "enable=yes"]
                    .iter()
                    .any(|word| text.eq_ignore_ascii_case(word))
        };
        // Locks out users logged in by ssh.
        let locks_out =
            |text: &str| matches!(text, "--remove-service=ssh" | "--remove-port=22/tcp");
        if self.says(shuts) || self.says(locks_out) {
            (&FIREWALL, "blocks traffic:")
        } else if self.says(opens) {
            (&FIREWALL, "changes the firewall's default:")
        } else {
            (&SETTING, "changes a firewall rule:")
        }
    }

    fn service(&self) -> Said {
        let name = self.effect.target.shown();
        let user = self.says(|text| text == "--user");
        let own = user || self.is(Role::OwnServices);
        Some(match self.effect.action {
            Act::Disable | Act::Mask | Act::Remove if own => (&STOPPED, "disables the service"),
            Act::Disable => (&SERVICE, "disables the service"),
            Act::Mask => (&SERVICE, "masks the service"),
            Act::Remove => (&SERVICE, "removes the service"),
            Act::Start if services::is_end(&name) => {
                (&POWER, "shuts down or restarts the machine with")
            }
            // Jobs loaded there run at every login.
            Act::Start if self.is(Role::StartsAtLogin) => {
                (&CRON, "schedules a program for every login:")
            }
            // Homebrew services belong to the user.
            Act::Stop | Act::Kill
                if (services::is_vital(&name) || services::is_system_daemon(&name))
                    && !self.is(Role::UserServices) =>
            {
                (&SERVICE, "stops the service")
            }
            Act::Stop | Act::Kill => (&STOPPED, "stops the service"),
            _ => return None,
        })
    }

    fn process(&self) -> Said {
        let name = self.effect.target.shown();
        Some(match self.effect.action {
            Act::ForkBomb => (&FLOOD, "starts processes without end"),
            Act::KillAll => (&KILL_ALL, "kills every process you own"),
            Act::TypeKeys => (&KEYS, "types into other programs"),
            Act::KillInit => (&KILL_ALL, "kills the machine's first process"),
            Act::EndSession => (&KILL, "ends a login session:"),
            Act::Kill | Act::KillGroup => return self.kill(&name),
            _ => return None,
        })
    }

    fn kill(&self, name: &str) -> Said {
        // The last process started by this shell or code.
        if name == "$!" {
            return None;
        }
        let by_name = !self.is(Role::KillsByNumber) && !self.is_number_unknown(name);
        // `$!`, `$PID`, `%1`, the listener on a port: started by this shell itself.
        if name.starts_with(['%', '$']) && !by_name {
            // `ps -p "$P"` looks at one that is known.
            let looks = |ran: &Ran| ran.argv.iter().any(|field| field.is("-p"));
            let mut all = self.scene.analysis.commands.iter();
            let searched = all.any(|ran| ran.is(Role::FindsProcesses) && !looks(ran));
            let told = name.starts_with("$(") && !self.looks_for_own() && !is_listener(name);
            return (searched && told).then_some((&KILL, "kills processes found by name"));
        }
        // All processes of an account, or all processes.
        if by_name && (name == "." || name == ".*" || self.is_account(name)) {
            return Some((&KILL_ALL, "kills every process of"));
        }
        // A loop over lines: `for /f ... in ('tasklist') do taskkill /PID %a`.
        if !by_name && name == "…" && !self.scene.runs(Role::KillsByNumber) {
            let found = self.scene.runs(Role::FindsProcesses);
            return found.then_some((&KILL, "kills processes found by name"));
        }
        let by_port = name == "…" && self.scene.runs(Role::ListsPorts);
        if by_name && (services::is_development(name) || by_port) {
            return None;
        }
        let port = name.contains("/tcp") || name.contains("/udp");
        if by_name && !is_number(name) {
            return Some((&KILL, "kills every process that matches"));
        }
        let check = if is_number(name) { &KILL_HARD } else { &KILL };
        (self.effect.force && !port).then_some((check, "force-kills process"))
    }

    /// Whether a process is given by its number, and the number is not known: `taskkill /PID %P%`.
    fn is_number_unknown(&self, name: &str) -> bool {
        let option = |field: &Field| {
            let text = field.prefix().trim_start_matches(['/', '-']);
            text.len() < field.prefix().len() && text.eq_ignore_ascii_case("pid")
        };
        name.starts_with(['$', '%', '…'])
            && self.program().is_some_and(|ran| ran.argv.iter().any(option))
    }

    /// Whether processes are selected by user and not by name: `pkill -u bob`.
    fn is_account(&self, name: &str) -> bool {
        let Some(ran) = self.program() else { return false };
        let words = ran.argv.windows(2);
        words
            .into_iter()
            .any(|pair| matches!(pair, [flag, user] if flag.is("-u") && user.shown() == name))
    }

    /// Whether the killed processes were selected by the name of a development tool: `ps aux | grep vite |
    /// awk '{print $2}' | xargs kill`.
    fn looks_for_own(&self) -> bool {
        let roles = [Role::SearchesText, Role::FindsProcesses, Role::Awk];
        let picks = |ran: &&Ran| roles.iter().any(|role| ran.is(*role));
        let words = self.scene.analysis.commands.iter().filter(picks).flat_map(|ran| &ran.argv);
        let plain = |word: &tenter_shell::Field| word.shown().replace(['[', ']'], "");
        words
            .skip(1)
            .map(plain)
            .any(|word| services::is_development(&word) || services::is_script(&word))
    }

    /// Uninstalling an essential system package.
    fn uninstalled(&self) -> Said {
        let name = self.effect.target.shown();
        services::is_essential(&name).then_some((&ESSENTIAL, "removes a package the system needs:"))
    }

    /// Whether a timer has no end: `--on-calendar '*:0/5'`, `--on-unit-active 60`.
    fn recurs(&self) -> bool {
        let when = self.effect.target.shown();
        when.contains(['*', '/'])
            || ["minutely", "hourly", "daily", "weekly", "monthly"].contains(&&*when)
            || when.starts_with("every ")
    }

    fn schedule(&self) -> Doing {
        match self.effect.action {
            Act::DeleteCrontab => (&CRON, "deletes the whole crontab"),
            Act::InstallCrontab => (&CRON, "replaces the whole crontab"),
            Act::DeleteTask | Act::RemoveJob => (&CRON, "deletes the scheduled task"),
            Act::Autostart => (&CRON, "makes a program start by itself:"),
            Act::Timer if self.recurs() => (&CRON, "schedules a command again and again:"),
            Act::CreateTask | Act::ChangeTask | Act::ScheduledTask => {
                (&CRON, "schedules a command:")
            }
            _ => (&TASK, "schedules a command:"),
        }
    }
}

/// Whether the path is one file in a folder of system programs.
fn names_of_programs(path: &str) -> bool {
    ["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/"]
        .iter()
        .any(|folder| path.strip_prefix(folder).is_some_and(|name| !name.is_empty()))
}

/// Whether a process is looked for by the port that it listens on: `$(lsof -ti:3000)`.
fn is_listener(name: &str) -> bool {
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| Role::ListsPorts.is_of(word))
}

/// Whether a path is an interface to the kernel.
fn kernel_file(path: &str) -> Doing {
    let vital = path == "/proc/sysrq-trigger" || path.starts_with("/sys/block/");
    if vital {
        (&DEVICE, "triggers a kernel action through")
    } else {
        (&KERNEL, "changes the kernel through")
    }
}

fn is_number(name: &str) -> bool {
    name.chars().all(|letter| letter.is_ascii_digit())
}
