//! Filesystems: made, mounted, repaired.
//!
//! Actions of [`Kind::Device`]: `format` (a new filesystem), `repair-filesystem`,
//! `resize-filesystem`, `tune-filesystem`, `attach` and `detach` (loop devices and images).
//! Actions of [`Kind::System`]: `mount`, `unmount`, `swap`.

use super::table::{Cli, Tool};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::Spec;
use crate::target::Target;

pub(super) const PROGRAMS: Programs = &[
    ("format", format_drive),
    ("mke2fs", mkfs),
    ("mkudffs", mkfs),
    ("mkdosfs", mkfs),
    ("mkexfatfs", mkfs),
    ("mkfs", mkfs),
    ("mkfs.bcachefs", mkfs),
    ("mkfs.btrfs", mkfs),
    ("mkfs.cramfs", mkfs),
    ("mkfs.erofs", mkfs),
    ("mkfs.exfat", mkfs),
    ("mkfs.ext2", mkfs),
    ("mkfs.ext3", mkfs),
    ("mkfs.ext4", mkfs),
    ("mkfs.f2fs", mkfs),
    ("mkfs.fat", mkfs),
    ("mkfs.jfs", mkfs),
    ("mkfs.minix", mkfs),
    ("mkfs.msdos", mkfs),
    ("mkfs.nilfs2", mkfs),
    ("mkfs.ntfs", mkfs),
    ("mkfs.reiserfs", mkfs),
    ("mkfs.udf", mkfs),
    ("mkfs.vfat", mkfs),
    ("mkfs.xfs", mkfs),
    ("mkntfs", mkfs),
    ("mkreiserfs", mkfs),
    ("mkswap", mkfs),
    ("mount", mount),
    ("newfs", mkfs),
    ("newfs_apfs", mkfs),
    ("newfs_hfs", mkfs),
    ("newfs_msdos", mkfs),
];

const FILESYSTEM: Cli = Cli {
    spec: Spec::new("", ""),
    kind: Kind::Device,
    harmless: &["version"],
    force: &["f", "force", "y", "yes"],
    recursive: &["r", "R", "recursive"],
    rules: "",
};

pub(super) const TOOLS: &[Tool] = &[
    FILESYSTEM
        .options("b:B:C:E:I:j:l:L:P:z:", "")
        .harmless(&["version", "n", "V"])
        .tool("e2fsck|fsck.ext2|fsck.ext3|fsck.ext4|fsck.vfat", "*: repair-filesystem path@"),
    FILESYSTEM.tool("e2label", "* *: tune-filesystem path@"),
    FILESYSTEM
        .options("t:C::", "")
        .harmless(&["version", "N", "n"])
        .tool("fsck", "*: repair-filesystem path@ path*"),
    FILESYSTEM.tool(
        "hdiutil",
        "\
attach|mount: attach path1
detach|eject|unmount: detach path1
burn|resize|erasekeys: write-device path1",
    ),
    FILESYSTEM
        .options("o:j:O:b:", "offset= sizelimit= associated= output= sector-size=")
        .harmless(&["version", "a", "all", "l", "list", "j", "associated", "h", "V", "J"])
        .tool(
            "losetup",
            "\
* -d|detach: detach path@ path*
-D|detach-all: detach
* -f|find: attach path@
* *: attach path@2",
        ),
    FILESYSTEM
        .options("S:d:z:", "")
        .harmless(&["version", "P", "h"])
        .tool("resize2fs", "*: resize-filesystem path@"),
    FILESYSTEM.options("U:L:", "").harmless(&["version", "h", "V"]).tool(
        "swapoff",
        "\
*: system/swap path@ path*
-a|all|U|L: system/swap",
    ),
    FILESYSTEM
        .options("U:L:p:o:", "priority= show=?")
        .harmless(&["version", "s", "summary", "show", "h", "V"])
        .tool(
            "swapon",
            "\
*: system/swap path@ path*
-a|all|U|L: system/swap",
        ),
    FILESYSTEM
        .options("c:C:e:E:g:i:I:J:L:m:M:o:O:Q:r:T:u:U:z:", "")
        .harmless(&["version", "l"])
        .tool("tune2fs", "*: tune-filesystem path@"),
    FILESYSTEM
        .options("t:O:N:", "types= test-opts= namespace=")
        .harmless(&["version", "fake", "h", "V"])
        .tool(
            "umount",
            "\
*: system/unmount path@ path*
-a|all: system/unmount",
        ),
    FILESYSTEM
        .options("D:L:R:e:m:t:", "")
        .harmless(&["version", "n", "V"])
        .tool("xfs_growfs", "*: resize-filesystem path@"),
    FILESYSTEM
        .options("c:l:m:o:r:t:", "")
        .harmless(&["version", "n", "V"])
        .tool("xfs_repair", "*: repair-filesystem path@"),
];

/// Options with values of the many programs that make filesystems.
const MKFS: Spec = Spec::new(
    "t:b:C:d:D:e:E:g:G:i:I:J:L:m:M:o:O:p:r:s:S:T:U:z:l:R:a:A:",
    "type= label= uuid= sectorsize= nodesize= data= metadata= features= rootdir= \
     pagesize= cluster-size=",
);

/// The FAT family has letters of its own: `-F 32`, `-n NAME`.
const FAT: Spec =
    Spec::new("b:D:f:F:g:h:i:l:m:M:n:r:R:s:S:", "codepage= mbr=? offset= variant= help");

fn mkfs(call: &mut Call<'_, '_>) {
    let fat = matches!(call.name, "mkfs.fat" | "mkfs.vfat" | "mkdosfs" | "mkfs.msdos");
    let options = call.options(if fat { &FAT } else { &MKFS });
    // It makes `mkfs` itself talk when there is something to format.
    let version = options.has(&["V"]) && (call.name != "mkfs" || options.operands.is_empty());
    if version || options.has(&["help", "version", "dry-run"]) {
        return;
    }
    // Dry runs: `-N` for xfs, `-n` for the others.
    if !fat && options.has(&[if call.name == "mkfs.xfs" { "N" } else { "n" }]) {
        return;
    }
    let force = !fat && options.has(&["f", "F", "force"]);
    let several = call.name == "mkfs.btrfs";
    for field in options.operands.iter().take(if several { usize::MAX } else { 1 }) {
        call.on_path(Kind::Device, Act::Format, field).force = force;
    }
}

/// `mount` with nothing to mount lists what is mounted.
fn mount(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "t:o:L:U:O:T:N:",
        "all types= options= label= uuid= source= target= fstab= test-opts= namespace= \
         bind fake help version",
    ));
    if options.has(&["f", "fake", "h", "help", "V", "version"]) {
        return;
    }
    if options.has(&["bind", "B", "rbind", "R"])
        && options.operands.first().is_some_and(|from| from.is("/"))
    {
        call.effect(Kind::Container, Act::Privileged, Target::name("/"));
    }
    if let Some(place) = options.value(&["target"]).or_else(|| options.operands.last().copied()) {
        call.on_path(Kind::System, Act::Mount, place);
    } else if options.has(&["a", "all"]) {
        call.effect(Kind::System, Act::Mount, Target::None);
    }
}

/// `format C:` of Windows; anything without a drive is another program.
fn format_drive(call: &mut Call<'_, '_>) {
    let drive = call.arguments().iter().find(|field| {
        matches!(field.exact().map(str::as_bytes), Some([letter, b':']) if letter.is_ascii_alphabetic())
    });
    if let Some(drive) = drive {
        let force = call.arguments().iter().any(|field| field.prefix().eq_ignore_ascii_case("/y"));
        call.effect_at(Kind::Device, Act::Format, Target::Name(drive.shown()), drive.span).force =
            force;
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn filesystems_are_made_and_mounted() {
        check(
            r"
            mkfs.ext4 -L data -m 5 /dev/sda1 => device format /dev/sda1 certain
            mkfs -t ext4 -F /dev/sdb => device format /dev/sdb certain -f
            mkfs.vfat -F 32 -n BOOT disk.img => device format /shop/disk.img certain
            mkfs.btrfs /dev/sda /dev/sdb => device format /dev/sda certain; device format /dev/sdb certain
            mkfs.ext4 disk.img => device format /shop/disk.img certain
            mkswap /swapfile => device format /swapfile certain
            fsck -y /dev/sda1 => device repair-filesystem /dev/sda1 certain -f
            format D: /q /y => device format D: certain -f
            mount -o remount,rw / => system mount / certain
            mount /dev/sda1 mnt => system mount /shop/mnt certain
            umount -l /data => system unmount /data certain
            swapoff -a => system swap  certain
            losetup -f x.img => device attach /shop/x.img certain -f
            ",
        );
    }

    #[test]
    fn listings_and_rehearsals_do_nothing() {
        check(
            r"
            mkfs.ext4 =>
            mkfs.ext4 -n /dev/sda1 =>
            mkfs --help /dev/sda =>
            fsck -n /dev/sda1 =>
            tune2fs -l /dev/sda1 =>
            format disk --help =>
            mount =>
            mount -t ext4 =>
            swapon --show =>
            losetup -a =>
            ",
        );
    }
}
