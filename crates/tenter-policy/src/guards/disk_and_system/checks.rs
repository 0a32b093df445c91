//! Checks of the guard, with examples.

use crate::guard::{Check, Guard};
use crate::level::Weight::{Doubtful, Grave, Minor};
use crate::sample::Sample::Shell;

pub(super) const DEVICE: Check = Check {
    id: "device",
    weight: Grave,
    title: "a device is written over",
    instead: "write to an image in a file; the human copies it to a disk",
    safe: &["dd if=/dev/zero of=disk.img bs=1M count=64"],
};

pub(super) const FORMAT: Check = Check {
    id: "format",
    weight: Grave,
    title: "a disk is formatted or erased",
    instead: "make the filesystem in an image file, or leave the disk to the human",
    safe: &["mkfs.ext4 disk.img"],
};

pub(super) const PARTITION: Check = Check {
    id: "partition",
    weight: Grave,
    title: "the partitions of a disk change",
    instead: "list them, and leave changes to the human",
    safe: &["lsblk -f"],
};

pub(super) const VOLUME: Check = Check {
    id: "volume",
    weight: Grave,
    title: "a volume, pool, snapshot or array is destroyed",
    instead: "list the volumes, and leave their removal to the human",
    safe: &["lvs", "zfs list"],
};

pub(super) const BOOT: Check = Check {
    id: "boot",
    weight: Grave,
    title: "how the machine starts changes: boot loader, boot entries, firmware",
    instead: "leave this to the human",
    safe: &[],
};

pub(super) const BACKUP: Check = Check {
    id: "backup",
    weight: Grave,
    title: "backups or snapshots are deleted",
    instead: "list them, and leave their removal to the human",
    safe: &["tmutil listbackups"],
};

pub(super) const FLOOD: Check = Check {
    id: "fork-bomb",
    weight: Grave,
    title: "processes are started without end",
    instead: "bound the loop, and wait for what it starts",
    safe: &["for i in 1 2 3; do sleep 1 & done; wait"],
};

pub(super) const KILL_ALL: Check = Check {
    id: "kill-all",
    weight: Grave,
    title: "every process, or the first, is ended",
    instead: "end the one process by the number you were given when you started it",
    safe: &["kill %1"],
};

pub(super) const VOLUME_CHANGE: Check = Check {
    id: "volume-change",
    weight: Doubtful,
    title: "a volume, a filesystem or its encryption changes",
    instead: "look at its state, and leave changes to the human",
    safe: &["df -h", "lsblk"],
};

pub(super) const DISK_TOOL: Check = Check {
    id: "disk-tool",
    weight: Doubtful,
    title: "a tool that edits disks is pointed at one",
    instead: "use `lsblk` or `blkid` to look",
    safe: &["lsblk -f", "blkid"],
};

pub(super) const MOUNT: Check = Check {
    id: "mount",
    weight: Doubtful,
    title: "a disk is mounted, mounted anew or taken off",
    instead: "list what is mounted",
    safe: &["findmnt", "mount"],
};

pub(super) const POWER: Check = Check {
    id: "power",
    weight: Doubtful,
    title: "the machine goes down, restarts or sleeps",
    instead: "tell the human that a restart is needed",
    safe: &["uptime"],
};

pub(super) const KERNEL: Check = Check {
    id: "kernel",
    weight: Doubtful,
    title: "the kernel, its modules or its parameters change",
    instead: "read the value, and leave changes to the human",
    safe: &["sysctl kernel.hostname", "lsmod"],
};

pub(super) const SERVICE: Check = Check {
    id: "service",
    weight: Doubtful,
    title: "a service that others depend on stops, or is switched off for good",
    instead: "look at its state, or restart it",
    safe: &["systemctl status nginx", "systemctl restart nginx"],
};

pub(super) const STOPPED: Check = Check {
    id: "service-stop",
    weight: Minor,
    title: "a service stops",
    instead: "restart it if it only has to read its settings again",
    safe: &[],
};

pub(super) const FIREWALL: Check = Check {
    id: "firewall",
    weight: Doubtful,
    title: "the rules of the firewall are dropped, switched off or shut traffic out",
    instead: "list the rules, and leave changes to the human",
    safe: &["iptables -L -n", "ufw status"],
};

pub(super) const NETWORK: Check = Check {
    id: "network",
    weight: Doubtful,
    title: "an interface, a route or another part of the network goes or changes",
    instead: "look at the state of the network",
    safe: &["ip addr show", "ip route show"],
};

pub(super) const ACCOUNT: Check = Check {
    id: "account",
    weight: Doubtful,
    title: "an account or a password changes",
    instead: "leave accounts to the human",
    safe: &["id"],
};

pub(super) const CRON: Check = Check {
    id: "schedule",
    weight: Doubtful,
    title: "the table of scheduled jobs is deleted or replaced, or a task is set up",
    instead: "show the table, and tell the human which line to change",
    safe: &["crontab -l"],
};

pub(super) const TASK: Check = Check {
    id: "later",
    weight: Minor,
    title: "something is set to run later",
    instead: "run it now, where it can be seen",
    safe: &[],
};

pub(super) const KILL_HARD: Check = Check {
    id: "kill-hard",
    // Agents do this routinely to servers they started.
    weight: Minor,
    title: "a process is ended by its number, without a chance to finish",
    instead: "try without `-9` first",
    safe: &["kill 12345"],
};

pub(super) const KILL: Check = Check {
    id: "kill",
    weight: Doubtful,
    title: "processes are ended by name",
    instead: "end the process you started yourself, by its number and without `-9`",
    safe: &["kill %1", "kill 12345"],
};

pub(super) const CLOCK: Check = Check {
    id: "clock",
    weight: Doubtful,
    title: "the clock of the machine is set",
    instead: "give the program a time of its own, for instance by an environment variable",
    safe: &["date -u"],
};

pub(super) const REGISTRY: Check = Check {
    id: "registry",
    weight: Doubtful,
    title: "the registry of Windows changes",
    instead: "query the key, and leave changes to the human",
    safe: &["reg query HKCU\\\\Software"],
};

pub(super) const PROTECTION: Check = Check {
    id: "protection",
    weight: Doubtful,
    title: "a setting that protects the machine changes",
    instead: "leave the protections of the machine to the human",
    safe: &[],
};

pub(super) const ESSENTIAL: Check = Check {
    id: "essential",
    weight: Doubtful,
    title: "a package that the system needs is removed",
    instead: "look at what depends on it, and leave its removal to the human",
    safe: &["apt-cache rdepends python3"],
};

pub(super) const KEYS: Check = Check {
    id: "keys",
    weight: Doubtful,
    title: "keys are typed into other programs",
    instead: "run the program directly, where it can be seen what it does",
    safe: &[],
};

pub(super) const LOGS: Check = Check {
    id: "logs",
    weight: Doubtful,
    title: "logs of the machine are deleted",
    instead: "leave records of what was done as they are",
    safe: &["dmesg"],
};

pub(super) const SETTING: Check = Check {
    id: "setting",
    weight: Minor,
    title: "a setting of the machine changes",
    instead: "leave the machine as it is where the task does not ask for it",
    safe: &[],
};

pub(super) const REMOTE: Check = Check {
    id: "remote",
    weight: Doubtful,
    title: "another machine goes down or loses a service, its firewall or an account",
    instead: "look at its state, and let the human decide",
    safe: &["ssh web uptime"],
};

const PAGE: &str = "\
What concerns the machine rather than the project.

**Denied.** Writing over a device (`dd of=/dev/sda`, `> /dev/sdb`), formatting and erasing disks, changing \
partitions, destroying volumes and pools, changing how the machine starts, deleting backups, fork bombs, ending \
every process.

**Asked.** Disk tools pointed at a disk even if they only list, mounts of disks, shutdown and reboot, kernel \
modules and parameters, services that others depend on (login, network, databases, containers), anything \
disabled or masked, firewall, interfaces and routes, accounts, the crontab, the registry, `pkill`, `killall` and \
`kill -9`, the same on another machine over ssh.

**Left alone.** Images in files of the workspace, listings and dry runs, `systemctl status`, `start` and \
`restart`, a service of your own, `kill` of a process you started. Smaller changes are only recorded.";

pub(in super::super) static GUARD: Guard = Guard {
    id: "disk-and-system",
    title: "Damage to disks and to the machine",
    page: PAGE,
    checks: &[
        DEVICE,
        FORMAT,
        PARTITION,
        VOLUME,
        BOOT,
        BACKUP,
        FLOOD,
        KILL_ALL,
        VOLUME_CHANGE,
        DISK_TOOL,
        MOUNT,
        POWER,
        KERNEL,
        SERVICE,
        STOPPED,
        FIREWALL,
        NETWORK,
        ACCOUNT,
        CRON,
        TASK,
        KILL,
        KILL_HARD,
        CLOCK,
        REGISTRY,
        PROTECTION,
        ESSENTIAL,
        KEYS,
        LOGS,
        SETTING,
        REMOTE,
    ],
    options: &[],
    optional: false,
    blocks: &[
        (Shell("dd if=/dev/zero of=/dev/sda bs=1M"), "device"),
        (Shell("cat image.iso > /dev/nvme0n1"), "device"),
        (Shell("shred -n1 /dev/sdb"), "device"),
        (Shell("echo b > /proc/sysrq-trigger"), "device"),
        (Shell("python3 -c 'open(\"/dev/sda\", \"wb\").write(b\"x\")'"), "device"),
        (Shell("sudo mkfs.ext4 -F /dev/sdb1"), "format"),
        (Shell("wipefs -a /dev/sdb"), "format"),
        (Shell("blkdiscard /dev/nvme0n1"), "format"),
        (Shell("diskutil eraseDisk JHFS+ x disk2"), "format"),
        (Shell("cmd /c \"format D: /q /y\""), "format"),
        (Shell("parted -s /dev/sda mklabel gpt"), "partition"),
        (Shell("sgdisk -n 1:0:0 /dev/sda"), "partition"),
        (Shell("lvremove -f vg0/data"), "volume"),
        (Shell("zpool destroy tank"), "volume"),
        (Shell("grub-install /dev/sda"), "boot"),
        (Shell("bcdedit /set recoveryenabled no"), "boot"),
        (Shell("vssadmin delete shadows /all /quiet"), "backup"),
        (Shell("tmutil deletelocalsnapshots /"), "backup"),
        (Shell(":(){ :|:& };:"), "fork-bomb"),
        (Shell("while true; do ./work & done"), "fork-bomb"),
        (Shell("perl -e 'fork while fork'"), "fork-bomb"),
        (Shell("kill -9 -1"), "kill-all"),
        (Shell("sudo kill -9 1"), "kill-all"),
        (Shell("cryptsetup luksAddKey /dev/sda1"), "volume-change"),
        (Shell("resize2fs /dev/sda1 10G"), "volume-change"),
        (Shell("fdisk /dev/sda"), "disk-tool"),
        (Shell("sudo parted /dev/sda print"), "disk-tool"),
        (Shell("blockdev --setro /dev/sda"), "disk-tool"),
        (Shell("mount /dev/sdb1 /mnt"), "mount"),
        (Shell("mount -o remount,rw /"), "mount"),
        (Shell("umount -a"), "mount"),
        (Shell("sudo reboot"), "power"),
        (Shell("systemctl poweroff"), "power"),
        (Shell("python3 -c 'import os; os.system(\"shutdown -h now\")'"), "power"),
        (Shell("sysctl -w kernel.panic=1"), "kernel"),
        (Shell("insmod evil.ko"), "kernel"),
        (Shell("echo 0 > /proc/sys/kernel/randomize_va_space"), "kernel"),
        (Shell("systemctl stop sshd"), "service"),
        (Shell("systemctl disable --now nginx"), "service"),
        (Shell("service postgresql stop"), "service"),
        (Shell("systemctl stop myapp"), "service-stop"),
        (Shell("iptables -F"), "firewall"),
        (Shell("sudo ufw disable"), "firewall"),
        (Shell("iptables -P INPUT DROP"), "firewall"),
        (Shell("ip link set eth0 down"), "network"),
        (Shell("ip route del default"), "network"),
        (Shell("userdel -r bob"), "account"),
        (Shell("passwd root"), "account"),
        (Shell("crontab -r"), "schedule"),
        (Shell("echo '* * * * * x' | crontab -"), "schedule"),
        (Shell("echo 'make' | at midnight"), "later"),
        (Shell("kill -9 1234"), "kill-hard"),
        (Shell("pkill -f 'node server.js'"), "kill"),
        (Shell("killall nginx"), "kill"),
        (Shell("pgrep node | xargs kill"), "kill"),
        (Shell("date -s '2020-01-01'"), "clock"),
        (Shell("reg delete HKLM\\\\Software\\\\X /f"), "registry"),
        (Shell("sudo profiles remove -all"), "protection"),
        (Shell("tccutil reset All"), "protection"),
        (Shell("sudo apt-get purge -y linux-image-generic"), "essential"),
        (Shell("dnf remove systemd"), "essential"),
        (Shell("osascript -e 'tell application \"Terminal\" to keystroke \"x\"'"), "keys"),
        (Shell("dmesg -C"), "logs"),
        (Shell("hostnamectl set-hostname box"), "setting"),
        (Shell("ssh web sudo reboot"), "remote"),
        (Shell("ssh web sudo systemctl stop nginx"), "remote"),
    ],
    passes: &[
        Shell("dd if=/dev/zero of=disk.img bs=1M count=10"),
        Shell("dd if=/dev/sda of=backup.img skip=1"),
        Shell("mkfs.ext4 disk.img"),
        Shell("fdisk -l"),
        Shell("fdisk /tmp/test.img"),
        Shell("lsblk && df -h && blkid"),
        Shell("echo hi > /dev/null 2>&1"),
        Shell("echo AT > /dev/ttyUSB0"),
        Shell("mount -a"),
        Shell("mount | grep sda"),
        Shell("lvremove --test vg0/data"),
        Shell("shutdown -c"),
        Shell("man shutdown"),
        Shell("systemctl status nginx"),
        Shell("systemctl restart nginx"),
        Shell("systemctl --user stop app"),
        Shell("sudo systemctl enable --now myapp"),
        Shell("journalctl -u nginx --since today"),
        Shell("iptables -L -n"),
        Shell("ip route show"),
        Shell("ip link set eth0 up"),
        Shell("crontab -l"),
        Shell("npm run dev & sleep 5; kill $!"),
        Shell("kill 12345"),
        Shell("kill -9 $(lsof -ti:3000)"),
        Shell("lsof -ti:3000 | xargs kill -9"),
        Shell("pgrep -f node"),
        Shell("pkill -f 'vite --port 5173'"),
        Shell("apt-get remove -y cowsay"),
        Shell("for i in 1 2 3; do sleep $i & done; wait"),
        Shell("while true; do sleep 1; done"),
        Shell("docker exec web kill -9 17"),
        Shell("git commit -m 'reboot the design'"),
        Shell("grep -r 'shutdown -h now' docs"),
        Shell("sysctl kernel.hostname"),
        Shell("passwd -S"),
        Shell("reg query HKLM\\\\Software"),
    ],
    look: super::look,
};
