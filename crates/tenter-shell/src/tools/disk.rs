//! Disks and partitions. Filesystems are in `filesystems`, volumes of several disks in `volumes`.
//!
//! Actions of [`Kind::Device`]: `write-device` (bytes are written over a device), `partition` (the
//! partition table), `wipe` (signatures, labels or all blocks are erased), `discard`,
//! `repair-filesystem`, `install-bootloader`, `flash` (firmware).
//! Actions of [`Kind::System`]: `mount`, `unmount`, `boot-entry`.
//! Others: `copy` (overwrite or append by dd), `read` (what it reads).

use super::files::{input, put};
use super::table::{Cli, Tool};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::{Certainty, Kind};
use crate::flow::Stream;
use crate::options::Spec;
use crate::value::Field;

/// Class of a device path, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::enum_variant_names, reason = "a bare `None` would read as an Option's")]
pub(crate) enum Device {
    NotADevice,
    /// Writing to it loses nothing, reading from it tells nothing: `/dev/null`, a terminal.
    Harmless,
    /// Disks, partitions, volumes.
    Storage,
    /// Memory, ports, and whatever else is in `/dev`.
    Other,
}

/// Classifies a path, which must be absolute and plain.
pub(crate) fn device(path: &str) -> Device {
    if path.starts_with("\\\\.\\") {
        let drive = path.to_ascii_lowercase();
        return if drive.contains("physicaldrive") || drive.ends_with(':') {
            Device::Storage
        } else {
            Device::Other
        };
    }
    // Files that reach into the kernel.
    if path == "/proc/sysrq-trigger" || path.starts_with("/proc/sys/") || path.starts_with("/sys/")
    {
        return Device::Other;
    }
    let Some(name) = path.strip_prefix("/dev/") else {
        return Device::NotADevice;
    };
    // Directories of ordinary files.
    if name.starts_with("shm/") || name.starts_with("mqueue/") {
        return Device::NotADevice;
    }
    let harmless = [
        "null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "console",
        "ptmx",
    ];
    let harmless_folders = ["fd/", "pts/", "tcp/", "udp/"];
    if harmless.contains(&name) || harmless_folders.iter().any(|folder| name.starts_with(folder)) {
        return Device::Harmless;
    }
    let folders =
        ["disk/", "mapper/", "md/", "block/", "zvol/", "cciss/", "ida/", "rbd/", "drbd/", "by-"];
    let drives = [
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "loop", "md", "dm-", "disk", "rdisk", "ram",
        "zram", "nbd", "pmem", "sr", "st", "nst", "fd", "ada", "da", "bcache", "rbd", "mtd", "ubi",
        "zd", "dasd", "cdrom", "dvd", "root",
    ];
    if folders.iter().any(|folder| name.starts_with(folder))
        || drives.iter().any(|drive| drive_name(name, drive))
    {
        return Device::Storage;
    }
    // A logical volume has its group as a folder; other folders hold other things.
    let others =
        ["bus/", "input/", "snd/", "dri/", "net/", "vfio/", "char/", "cpu/", "usb/", "serial/"];
    if name.contains('/') && !others.iter().any(|folder| name.starts_with(folder)) {
        return Device::Storage;
    }
    Device::Other
}

/// `sda1` is a drive `sd`; `shutter` is none.
fn drive_name(name: &str, drive: &str) -> bool {
    name.strip_prefix(drive).is_some_and(|rest| {
        let lettered = matches!(drive, "sd" | "hd" | "vd" | "xvd");
        let letters = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_lowercase()).len();
        let tail = rest.get(if lettered { letters } else { 0 }..).unwrap_or_default();
        (!lettered || letters <= 3)
            && tail.bytes().all(|b| b.is_ascii_digit() || b"pnsc".contains(&b))
    })
}

pub(super) const PROGRAMS: Programs = &[
    ("cfdisk", partition_editor),
    ("dc3dd", dd),
    ("cgdisk", partition_editor),
    ("dcfldd", dd),
    ("dd", dd),
    ("sg_dd", dd),
    ("sgp_dd", dd),
    ("ddrescue", ddrescue),
    ("fdisk", partition_editor),
    ("gdisk", partition_editor),
    ("hdparm", hdparm),
    ("parted", parted),
    ("qemu-img", qemu_img),
];

const DISK: Cli = Cli {
    spec: Spec::new("", ""),
    kind: Kind::Device,
    harmless: &["version"],
    force: &["f", "force", "y", "yes"],
    recursive: &["r", "R", "recursive"],
    rules: "",
};

pub(super) const TOOLS: &[Tool] = &[
    DISK.options("", "source= target= erase noprompt noverify").harmless(&["version", "h"]).tool("asr", "\
restore -target: wipe --target
restore|partition|adjust: partition last"),
    DISK.options("b:c:d:e:i:o:p:t:", "").tool("badblocks", "\
* -w: wipe path@
* -n: write-device path@"),
    DISK.options("o:l:p:", "offset= length= step=").harmless(&["version", "h", "V"]).tool("blkdiscard", "*: discard path@"),
    DISK.options("", "bmap= nobmap no-verify psplash-pipe=").harmless(&["version", "h"]).tool("bmaptool", "copy|cp: write-device last"),
    DISK.harmless(&["version", "scanbus"]).tool("cdrecord", "*: write-device"),
    // Without a script it does what it is told on standard input.
    DISK.tool("diskpart", "\
/s *: partition path@
*: system/setting @
: partition"),
    DISK.tool("diskutil", "\
eraseDisk|eraseVolume|eraseOptical|reformat|secureErase|zeroDisk|randomDisk: wipe last
partitionDisk|splitPartition|mergePartitions|addPartition|resizeVolume: partition 1
apfs|ap deleteContainer|deleteVolume|deleteVolumeGroup|deleteSnapshot|eraseVolume: wipe 1
apfs|ap create|createContainer|addVolume|resizeContainer: partition 1
coreStorage|cs delete|deleteVolume: wipe 1
appleRAID|ar delete|create|remove: partition 1
repairVolume|repairDisk: repair-filesystem 1
unmount|unmountDisk|umount|umountDisk|eject: system/unmount 1
mount|mountDisk: system/mount 1"),
    DISK.options("b:d:e:L:l:o:p:n:t:", "bootnum= disk= loader= label= part= bootorder=").harmless(&["version", "V"]).tool("efibootmgr", "\
-B|delete-bootnum: system/boot-entry --b
-c|create|o|bootorder|O|a|active|A|inactive|n|N|D: system/boot-entry"),
    DISK.options("s:", "slot=").harmless(&["version", "h"]).tool("fastboot", "\
erase|format|flash|flashall|flashing|update|oem: wipe 1
-w: wipe"),
    DISK.harmless(&["version", "h", "V"]).tool("flash_erase|flash_eraseall", "*: wipe path@"),
    DISK.harmless(&["version", "h", "V"]).tool("flashcp", "*: flash last"),
    DISK.options("p:w:r:v:l:i:c:o:", "programmer= write= read= verify= chip=").harmless(&["version", "h", "R", "L"]).tool("flashrom", "-w|write|E|erase: flash"),
    DISK.options("d:", "target= boot-directory= efi-directory= bootloader-id= directory=").harmless(&["version", "V"]).tool("grub-install", "\
*: install-bootloader path@
-efi-directory|target: install-bootloader"),
    DISK.options("d:", "target= boot-directory= efi-directory= directory=").harmless(&["version", "V"]).tool("grub2-install", "*: install-bootloader path@"),
    DISK.options("f:", "").tool("mt", "erase|weof: wipe --f"),
    DISK.options("o:O:", "output= overwrite= restore-image save-image metadata").harmless(&["version", "h", "V"]).tool("ntfsclone", "\
-O: wipe --O
-overwrite: wipe --overwrite"),
    DISK.options("s:o:O:L:", "source= output= overwrite= logfile=").harmless(&["version", "h", "v"]).tool("partclone.restore", "\
-o: wipe --o
-O: wipe --O
-output: wipe --output
-overwrite: wipe --overwrite"),
    DISK.options("s:b:", "start= blockalignmultiplier=").harmless(&["version"]).tool("nandwrite", "*: flash path@"),
    DISK.options("m:p:r:l:P:", "method= prng= rounds= logfile= exclude= verify=").harmless(&["version", "h", "V"]).tool("nwipe", "\
*: wipe path@ path*
-autonuke: wipe"),
    DISK.options("n:s:l:a:t:", "namespace-id= ses= lbaf= sanact= data= output-format=").harmless(&["version", "h"]).tool("nvme", "\
format|sanitize|write-zeroes|delete-ns|zns: wipe path1
write|write-uncor|create-ns|attach-ns|detach-ns|reset|subsystem-reset: write-device path1
fw-commit|fw-activate|fw-download: flash path1"),
    DISK.options("s:x:Q:S:f:e:O:", "sub-page-size= vid-hdr-offset= flash-image= erase-counter=").harmless(&["version", "h", "V"]).tool("ubiformat", "*: wipe path@"),
    DISK.options("N:X:Y:o:O:w:W:", "append backup-file= label= label-nested= output= wipe= wipe-partitions= partno=").harmless(&["version", "l", "list", "d", "dump", "J", "json", "F", "list-free", "s", "show-size", "g", "show-geometry", "V", "verify", "T", "list-types", "n", "no-act", "h", "v"]).tool("sfdisk", "\
* -delete: wipe path@
*: partition path@"),
    DISK.options("", "block crypto fail overwrite count= quick").harmless(&["version", "h", "V"]).tool("sg_sanitize", "*: wipe path@"),
    DISK.tool("sg_format", "*: wipe path@ path*"),
    DISK.options("a:A:b:c:d:i:j:l:m:n:N:r:R:S:t:T:u:U:", "backup= info= load-backup= delete= new= typecode= change-name= set-alignment= \
         attributes= partition-guid= disk-guid= replicate= largest-new=").harmless(&["version", "P", "pretend"]).tool("sgdisk", "\
* -Z|zap-all|z|zap|o|clear: wipe path@
* -d|delete|n|new|N|largest-new|t|typecode|g|mbrtogpt|G|randomize-guids|l|load-backup|s|sort|c|change-name|A|attributes|e|move-second-header|r|transpose|u|partition-guid|U|disk-guid|m|gpttombr|h|hybrid: partition path@
* -R|replicate: partition --R"),
    DISK.options("o:t:O:p", "offset= types= output= backup=?").harmless(&["version", "n", "no-act", "h", "V"]).tool("wipefs", "* -a|all|o|offset: wipe path@ path*"),
    DISK.harmless(&["version", "scanbus", "checkdrive"]).tool("wodim", "*: write-device"),
];

fn dd(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let options = call.options(&Spec::new("", ""));
    if options.has(&["help", "version"]) {
        return;
    }
    let last = |name: &str| arguments.iter().rev().find_map(|field| field.after(name));
    let says = |name: &str, word: &str| {
        last(name)
            .and_then(|field| field.exact().map(|text| text.split(',').any(|item| item == word)))
            == Some(true)
    };
    let mut data = match last("if=") {
        Some(file) => input(call, Act::Read, &file),
        None => call.stdin.clone(),
    };
    // Only a copy of all of it has the same text.
    let whole = arguments.iter().all(|field| {
        ["if=", "of=", "bs=", "status=", "ibs=", "obs="]
            .iter()
            .any(|known| field.prefix().starts_with(known))
    });
    if !whole {
        data.text = None;
    }
    // A relative of it that only erases.
    if let Some(device) = last("wipe=").or_else(|| last("hwipe=")) {
        call.on_path(Kind::Device, Act::Wipe, &device);
        return;
    }
    let appends = says("oflag=", "append") && says("conv=", "notrunc");
    match last("of=") {
        Some(output) => {
            call.stdout = Stream::empty();
            let kind = if appends { Kind::Append } else { Kind::Overwrite };
            put(call, kind, Act::Copy, &output, data);
        }
        None => call.stdout = data,
    }
}

/// An image that is written to a device.
fn qemu_img(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("f:O:o:B:F:l:S:m:r:T:t:", "object= image-opts"));
    match options.operands.first().and_then(|word| word.exact()) {
        Some("convert") => {
            if let [_, from, .., to] = options.operands.as_slice() {
                let data = input(call, Act::Read, from);
                put(call, Kind::Overwrite, Act::Copy, to, data);
            }
        }
        Some("dd") => dd(call),
        _ => {}
    }
}

/// `ddrescue from to [map]`
fn ddrescue(call: &mut Call<'_, '_>) {
    let options =
        call.options(&Spec::new("a:b:B:c:e:E:H:i:I:K:l:L:m:o:O:P:Q:r:s:T:x:X:Z:", "size= map="));
    if let [from, to, ..] = options.operands.as_slice()
        && !options.has(&["h", "help", "V", "version"])
    {
        let data = input(call, Act::Read, from);
        put(call, Kind::Overwrite, Act::Copy, to, data);
    }
}

/// `fdisk` and its kin do nothing themselves until they are told to by what is typed or piped in.
fn partition_editor(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "b:C:H:S:t:o:",
        "sector-size= cylinders= heads= sectors= type= output=",
    ));
    if options.has(&[
        "l",
        "list",
        "s",
        "getsz",
        "x",
        "list-details",
        "h",
        "help",
        "V",
        "v",
        "version",
        "d",
        "P",
        "D",
    ]) {
        return;
    }
    let told = !call.stdin.flow.is_empty()
        || call.stdin.text.as_ref().is_some_and(|text| !text.is_empty());
    // `-w` says when to wipe; older versions know it as a flag.
    let is_word = |field: &&&Field| ["auto", "always", "never"].iter().any(|word| field.is(word));
    for field in options.operands.iter().filter(|field| !is_word(field)) {
        let effect = call.on_path(Kind::Device, Act::Partition, field);
        if !told {
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
    }
}

fn parted(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("a:", "align= script machine list help version fix"));
    if options.has(&["l", "list", "h", "help", "v", "version"]) {
        return;
    }
    let changes = [
        "mklabel",
        "mktable",
        "mkpart",
        "mkpartfs",
        "mkfs",
        "rm",
        "resizepart",
        "resize",
        "name",
        "set",
        "toggle",
        "disk_set",
        "disk_toggle",
        "rescue",
        "move",
        "cp",
        "type",
    ];
    let Some((disk, commands)) = options.operands.split_first() else {
        return;
    };
    let change =
        commands.iter().any(|word| word.exact().is_none_or(|word| changes.contains(&word)));
    if change {
        call.on_path(Kind::Device, Act::Partition, disk);
    } else if commands.is_empty() {
        let effect = call.on_path(Kind::Device, Act::Partition, disk);
        effect.certainty = effect.certainty.min(Certainty::Possible);
    }
}

/// Settings of a drive are no matter; erasing one is.
fn hdparm(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "",
        "security-erase= security-erase-enhanced= security-set-pass= security-disable= \
         user-master=",
    ));
    let wipes = options.has(&[
        "security-erase",
        "security-erase-enhanced",
        "trim-sector-ranges",
        "trim-sector-ranges-stdin",
        "sanitize-block-erase",
        "sanitize-crypto-scramble",
        "sanitize-overwrite",
    ]);
    let writes = options.has(&[
        "write-sector",
        "repair-sector",
        "make-bad-sector",
        "dco-restore",
        "fwdownload",
        "security-set-pass",
    ]);
    if wipes || writes {
        let action = if wipes { Act::Wipe } else { Act::WriteDevice };
        for field in options.operands.iter().filter(|field| field.prefix().starts_with('/')) {
            call.on_path(Kind::Device, action, field);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::table::testing::check;

    #[test]
    fn devices_go_by_their_names() {
        for path in [
            "/dev/sda",
            "/dev/sdaa12",
            "/dev/nvme0n1p2",
            "/dev/vdb",
            "/dev/mmcblk0p1",
            "/dev/mapper/vg-x",
        ] {
            assert_eq!(device(path), Device::Storage, "{path}");
        }
        for path in [
            "/dev/disk/by-id/x",
            "/dev/disk2s1",
            "/dev/rdisk3",
            "/dev/loop0",
            "/dev/md127",
            "/dev/dm-0",
        ] {
            assert_eq!(device(path), Device::Storage, "{path}");
        }
        for path in
            ["/dev/vg0/root", "\\\\.\\PhysicalDrive0", "/dev/pmem0", "/dev/sr0", "/dev/xvda1"]
        {
            assert_eq!(device(path), Device::Storage, "{path}");
        }
        for path in ["/dev/null", "/dev/zero", "/dev/tty", "/dev/fd/3", "/dev/pts/0", "/dev/stderr"]
        {
            assert_eq!(device(path), Device::Harmless, "{path}");
        }
        for path in [
            "/dev/mem",
            "/dev/kmem",
            "/dev/port",
            "/dev/ttyUSB0",
            "/dev/snd/x",
            "/dev/watchdog",
            "/dev/kvm",
        ] {
            assert_eq!(device(path), Device::Other, "{path}");
        }
        for path in ["/developer/sda", "/dev/shm/x", "dev/sda", "/home/dev/sda", "/dev"] {
            assert_eq!(device(path), Device::NotADevice, "{path}");
        }
    }

    #[test]
    fn dd_takes_its_operands_in_any_order() {
        check(
            r#"
            dd if=/dev/zero of=/dev/sda => device write-device /dev/sda certain
            dd bs=4M of=/dev/nvme0n1 conv=notrunc if=x.img => read read /shop/x.img certain; device write-device /dev/nvme0n1 certain <[File("/shop/x.img")]
            dd if=a of=b => read read /shop/a certain; overwrite copy /shop/b certain <[File("/shop/a")]
            dd if=/dev/urandom of=../b count=1 => overwrite copy /b certain
            dd of=log oflag=append conv=notrunc,sync => append copy /shop/log certain
            dd if=/dev/sda of=/dev/null => read read /dev/sda certain
            dd if=/dev/zero =>
            dd --help of=/dev/sda =>
            "#,
        );
    }

    #[test]
    fn making_and_breaking_filesystems() {
        check(
            r"
            fdisk /dev/sda => device partition /dev/sda possible
            fdisk -w always /dev/sda => device partition /dev/sda possible
            fdisk -w /dev/sda => device partition /dev/sda possible
            parted -s /dev/sda mklabel gpt => device partition /dev/sda certain
            parted -a optimal /dev/sda rm 1 => device partition /dev/sda certain
            parted /dev/sda => device partition /dev/sda possible
            sfdisk /dev/sda => device partition /dev/sda certain
            sgdisk -Z /dev/sda => device wipe /dev/sda certain
            sgdisk -p -d 1 /dev/sda => device partition /dev/sda certain
            wipefs -a /dev/sda => device wipe /dev/sda certain
            blkdiscard -f /dev/nvme0n1 => device discard /dev/nvme0n1 certain -f
            nvme format /dev/nvme0 -s 1 => device wipe /dev/nvme0 certain
            hdparm --user-master u --security-erase p /dev/sda => device wipe /dev/sda certain
            badblocks -wsv /dev/sdb => device wipe /dev/sdb certain
            grub-install /dev/sda => device install-bootloader /dev/sda certain
            diskutil eraseDisk JHFS+ X disk2 => device wipe disk2 certain
            diskutil apfs deleteVolume disk1s3 => device wipe disk1s3 certain
            flashrom -p internal -w bios.bin => device flash  certain
            efibootmgr -b 0003 -B => system boot-entry 0003 certain
            ",
        );
    }

    #[test]
    fn listings_and_rehearsals_do_nothing() {
        check(
            r"
            fdisk -l =>
            fdisk -l /dev/sda =>
            parted -l =>
            parted /dev/sda print =>
            parted /dev/sda unit s print free =>
            sfdisk -d /dev/sda =>
            sgdisk -p /dev/sda =>
            sgdisk --pretend -Z /dev/sda =>
            wipefs /dev/sda =>
            wipefs -n -a /dev/sda =>
            hdparm -I /dev/sda =>
            nvme list =>
            badblocks -sv /dev/sda =>
            diskutil list =>
            diskutil info disk0 =>
            flashrom -r dump.bin =>
            efibootmgr -v =>
            ",
        );
    }
}
