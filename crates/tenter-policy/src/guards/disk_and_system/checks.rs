//! Checks of the guard, with examples.

use crate::guard::{Check, Guard};
use crate::level::Weight::{Doubtful, Grave, Minor};
use crate::sample::Sample::Shell;

pub(super) const DEVICE: Check = Check {
    id: "device",
    weight: Grave,
    title: "overwrites a device",
    instead: "write to an image file in the workspace",
    safe: &["dd if=/dev/zero of=disk.img bs=1M count=64"],
};

pub(super) const FORMAT: Check = Check {
    id: "format",
    weight: Grave,
    title: "formats or erases a disk",
    instead: "make the filesystem in an image file: `mkfs.ext4 disk.img`",
    safe: &["mkfs.ext4 disk.img"],
};

pub(super) const PARTITION: Check = Check {
    id: "partition",
    weight: Grave,
    title: "changes the partitions of a disk",
    instead: "",
    safe: &[],
};

pub(super) const VOLUME: Check = Check {
    id: "volume",
    weight: Grave,
    title: "destroys a volume, pool, snapshot or array",
    instead: "",
    safe: &[],
};

pub(super) const BOOT: Check = Check {
    id: "boot",
    weight: Grave,
    title: "changes the boot loader, boot entries or firmware",
    instead: "",
    safe: &[],
};

pub(super) const BACKUP: Check = Check {
    id: "backup",
    weight: Grave,
    title: "deletes backups or snapshots",
    instead: "",
    safe: &[],
};

pub(super) const FLOOD: Check = Check {
    id: "fork-bomb",
    weight: Grave,
    title: "starts processes without end",
    instead: "bound the loop: `for i in 1 2 3; do sleep 1 & done; wait`",
    safe: &["for i in 1 2 3; do sleep 1 & done; wait"],
};

pub(super) const KILL_ALL: Check = Check {
    id: "kill-all",
    weight: Grave,
    title: "kills every process, or the first one",
    instead: "stop only the job you started: `kill %1`",
    safe: &["kill %1"],
};

pub(super) const VOLUME_CHANGE: Check = Check {
    id: "volume-change",
    weight: Doubtful,
    title: "changes a volume, a filesystem or its encryption",
    instead: "",
    safe: &[],
};

pub(super) const DISK_TOOL: Check = Check {
    id: "disk-tool",
    weight: Doubtful,
    title: "opens a disk with a tool that edits disks",
    instead: "to look at the disks, use `lsblk -f`",
    safe: &["lsblk -f", "blkid"],
};

pub(super) const MOUNT: Check = Check {
    id: "mount",
    weight: Doubtful,
    title: "mounts, remounts or unmounts a disk",
    instead: "",
    safe: &[],
};

pub(super) const POWER: Check = Check {
    id: "power",
    weight: Doubtful,
    title: "shuts down, restarts or suspends the machine",
    instead: "tell the user that a restart is needed",
    safe: &["uptime"],
};

pub(super) const KERNEL: Check = Check {
    id: "kernel",
    weight: Doubtful,
    title: "changes the kernel, its modules or parameters",
    instead: "",
    safe: &[],
};

pub(super) const SERVICE: Check = Check {
    id: "service",
    weight: Doubtful,
    title: "stops a service that others need, or disables one",
    instead: "restart it if it only has to reload its settings",
    safe: &["systemctl status nginx", "systemctl restart nginx"],
};

pub(super) const STOPPED: Check = Check {
    id: "service-stop",
    weight: Minor,
    title: "stops a service",
    instead: "restart it if it only has to reload its settings",
    safe: &[],
};

pub(super) const FIREWALL: Check = Check {
    id: "firewall",
    weight: Doubtful,
    title: "clears or disables firewall rules, or blocks all traffic",
    instead: "change the one rule that is in the way",
    safe: &["iptables -L -n", "ufw status"],
};

pub(super) const NETWORK: Check = Check {
    id: "network",
    weight: Doubtful,
    title: "changes or removes a network interface or route",
    instead: "",
    safe: &[],
};

pub(super) const ACCOUNT: Check = Check {
    id: "account",
    weight: Doubtful,
    title: "changes an account or password",
    instead: "",
    safe: &[],
};

pub(super) const CRON: Check = Check {
    id: "schedule",
    weight: Doubtful,
    title: "deletes or replaces the crontab, or schedules a task",
    instead: "tell the user which line to change",
    safe: &["crontab -l"],
};

pub(super) const TASK: Check = Check {
    id: "later",
    weight: Minor,
    title: "schedules a command for later",
    instead: "run it now",
    safe: &[],
};

pub(super) const KILL_HARD: Check = Check {
    id: "kill-hard",
    // Agents do this routinely to servers they started.
    weight: Minor,
    title: "force-kills a process by its number",
    instead: "kill it without `-9` first",
    safe: &["kill 12345"],
};

pub(super) const KILL: Check = Check {
    id: "kill",
    weight: Doubtful,
    title: "kills processes by name",
    instead: "kill the process you started, by its number",
    safe: &["kill %1", "kill 12345"],
};

pub(super) const CLOCK: Check = Check {
    id: "clock",
    weight: Doubtful,
    title: "sets the system clock",
    instead: "set the time for one program only",
    safe: &["date -u"],
};

pub(super) const REGISTRY: Check = Check {
    id: "registry",
    weight: Doubtful,
    title: "changes the Windows registry",
    instead: "",
    safe: &[],
};

pub(super) const PROTECTION: Check = Check {
    id: "protection",
    weight: Doubtful,
    title: "changes a setting that protects the machine",
    instead: "",
    safe: &[],
};

pub(super) const CAPTURE: Check = Check {
    id: "capture",
    weight: Doubtful,
    title: "records keys, the screen or the network",
    instead: "",
    safe: &[],
};

pub(super) const ESSENTIAL: Check = Check {
    id: "essential",
    weight: Doubtful,
    title: "removes a package that the system needs",
    instead: "",
    safe: &[],
};

pub(super) const KEYS: Check = Check {
    id: "keys",
    weight: Doubtful,
    title: "types keys into other programs",
    instead: "run the program directly",
    safe: &[],
};

pub(super) const LOGS: Check =
    Check { id: "logs", weight: Doubtful, title: "deletes system logs", instead: "", safe: &[] };

pub(super) const SETTING: Check = Check {
    id: "setting",
    weight: Minor,
    title: "changes a setting of the machine",
    instead: "",
    safe: &[],
};

pub(super) const REMOTE: Check = Check {
    id: "remote",
    weight: Doubtful,
    title: "shuts down another machine, or removes its service, firewall or account",
    instead: "",
    safe: &[],
};

const PAGE: &str = "\
Damage to the machine rather than to the project.

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
        CAPTURE,
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
        (Shell("pktmon start --etw"), "capture"),
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
