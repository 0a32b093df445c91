//! Volumes of several disks: LVM, RAID, ZFS, btrfs, encryption.
//!
//! Actions of [`Kind::Device`]: `remove-volume` (a volume, pool, snapshot or array is destroyed),
//! `create-volume`, `change-volume` (resized, renamed, taken apart, set), `rollback`, `format` (a
//! new encrypted volume), `wipe` (signatures or keys are erased), `keys` (keys change), `open` and
//! `close`.

use super::table::{Cli, Tool};
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::Spec;

pub(super) const PROGRAMS: Programs = &[("lvm", lvm)];

/// `lvm lvremove x` is `lvremove x`.
fn lvm(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    if arguments.first().is_some_and(|field| {
        TOOLS.iter().any(|tool| tool.names.split('|').any(|name| field.is(name)))
    }) {
        call.run(arguments);
    }
}

const VOLUME: Cli = Cli {
    spec: Spec::new("", ""),
    kind: Kind::Device,
    harmless: &["version"],
    force: &["f", "force", "y", "yes"],
    recursive: &["r", "R", "recursive"],
    rules: "",
};

const LVM: Cli = VOLUME
    .options(
        "L:l:n:s:S:A:c:C:i:I:m:p:a:M:r:Z:W:u:",
        "activate= addtag= alloc= autobackup= cachepool= commandprofile= config= deltag= \
     driverloaded= extents= force help lockopt= longhelp metadataprofile= name= nohints \
     persistent= poolmetadatasize= profile= reportformat= select= size= stripes= test \
     thinpool= type= version virtualsize= wipesignatures= yes zero=",
    )
    .harmless(&["version", "t", "test", "h", "longhelp", "?"]);

pub(super) const TOOLS: &[Tool] = &[
    LVM.tool("lvchange|lvconvert|pvresize", "*: change-volume @ *"),
    LVM.tool("lvcreate|vgcreate", "*: create-volume @"),
    LVM.tool("lvextend|lvreduce|lvrename|lvresize|pvmove|vgextend|vgmerge|vgreduce|vgrename|vgsplit", "*: change-volume @"),
    LVM.tool("lvremove|vgremove", "\
*: remove-volume @ *
-S|select: remove-volume"),
    LVM.tool("pvcreate", "\
* -f|force: format path@ path*
*: create-volume path@ path*"),
    LVM.tool("pvremove", "*: remove-volume path@ path*"),
    LVM.tool("vgcfgrestore", "*: rollback @"),
    LVM.tool("vgchange", "\
-a|activate: change-volume 1
*: change-volume @"),
    VOLUME.options("i:", "output-format=").harmless(&["version", "dry-run", "h"]).tool("btrfs", "\
subvolume|subvol|subv|sub|su delete|del|d: remove-volume path*
subvolume|subvol|subv|sub|su create|snapshot|snap|set-default: create-volume path1
device|dev|de remove|delete|rem|del: remove-volume *
device|dev|de add|replace: format path1
replace start: format path2
filesystem|fi resize|label|defragment|defrag: change-volume
balance|ba start: change-volume path1
check -repair|init-csum-tree|init-extent-tree|clear-space-cache: change-volume path1
rescue zero-log|fix-device-size|super-recover|chunk-recover|clear-uuid-tree: change-volume path1
quota disable|enable: change-volume path1
property set: change-volume path1
receive: create-volume path1"),
    VOLUME.options("n:c:", "cluster= conf= id= yes-i-really-mean-it yes-i-really-really-mean-it force").harmless(&["version", "h", "v", "s", "status"]).tool("ceph", "\
osd purge|destroy|rm|out|down: remove-volume *
osd pool delete|rm: remove-volume 1
osd crush remove|rm|unlink: remove-volume 1
fs rm|fail: remove-volume 1
mon remove|rm: remove-volume 1"),
    VOLUME.options("c:h:s:l:o:p:d:S:i:T:t:M:b:", "cipher= hash= key-size= key-file= keyfile-size= key-slot= new-keyfile= \
         offset= skip= size= type= header= header-backup-file= label= subsystem= uuid= \
         pbkdf= pbkdf-memory= iter-time= sector-size= volume-key-file= \
         master-key-file= timeout= tries= align-payload= priority= test-passphrase").harmless(&["version", "test-passphrase", "V", "?"]).tool("cryptsetup", "\
luksFormat: format path1
erase|luksErase: wipe path1
luksKillSlot|luksRemoveKey: delete-key path1
luksChangeKey|luksAddKey|luksConvertKey|token: keys path1
reencrypt|luksHeaderRestore|convert|resize|config|repair: change-volume path1
open|luksOpen|plainOpen|create|tcryptOpen|bitlkOpen|luksResume: open path1
close|luksClose|remove|plainClose|luksSuspend: close 1"),
    VOLUME.options("c:o:O:S:u:j:m:", "table= uuid= options= columns=").harmless(&["version", "h"]).tool("dmsetup", "\
remove|wipe_table|clear: remove-volume 1
remove_all: remove-volume
create|load|reload|rename|suspend|resume|message|setgeometry: change-volume 1"),
    VOLUME.options("", "mode=").tool("gluster", "\
volume|vol delete|stop|reset|remove-brick: remove-volume 1
peer detach: change-volume 1"),
    VOLUME.harmless(&["version", "status"]).tool("manage-bde", "-off|on|lock|unlock|forcerecovery|changekey: change-volume 1"),
    VOLUME.options("l:n:c:x:b:N:u:e:p:z:m:", "level= raid-devices= chunk= spare-devices= bitmap= name= uuid= metadata= \
         layout= size= array-size= homehost= backup-file= config= update=").harmless(&["version", "D", "detail", "E", "examine", "Q", "query", "V", "h"]).tool("mdadm", "\
-zero-superblock: wipe path*
* -C|create|B|build: create-volume path@
-S|stop: remove-volume path*
* -f|fail|r|remove|set-faulty|G|grow|a|add|re-add|replace: change-volume path@"),
    VOLUME.options("p:c:n:m:s:", "pool= cluster= conf= id= name= image= size= snap=").tool("rbd", "\
rm|remove: remove-volume 1
snap rm|remove|purge: remove-volume 1
snap rollback|revert: rollback 1
trash rm|remove|purge: remove-volume 1"),
    VOLUME.options("o:t:d:s:S:x:", "").harmless(&["version", "n", "h", "?"]).tool("zfs", "\
destroy: remove-volume *
rollback: rollback 1
receive|recv: rollback 1
create|snapshot|snap|clone|bookmark: create-volume *
rename|promote|set|inherit|upgrade|unmount|umount|unload-key|change-key|allow|unallow: change-volume *"),
    VOLUME.options("o:O:R:t:m:c:d:T:", "").harmless(&["version", "n", "?"]).tool("zpool", "\
destroy: remove-volume 1
labelclear: wipe path1
create: create-volume 1
import -F|X: rollback 1
add|attach|detach|remove|replace|offline|online|split|clear|export|initialize|reguid|upgrade|set|checkpoint|trim: change-volume 1"),
];

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn volumes_are_made_changed_and_destroyed() {
        check(
            r"
            lvremove -f /dev/vg0/a vg0/b => device remove-volume /dev/vg0/a certain -f; device remove-volume vg0/b certain -f
            lvm vgremove vg0 => device remove-volume vg0 certain
            lvcreate -L 10G -n data vg0 => device create-volume vg0 certain
            pvcreate /dev/sdb => device create-volume /dev/sdb certain
            pvcreate -ff /dev/sdb => device format /dev/sdb certain -f
            zpool destroy -f tank => device remove-volume tank certain -f
            zfs destroy -r tank/a@s => device remove-volume tank/a@s certain -r
            zfs rollback tank/a@s => device rollback tank/a@s certain
            btrfs subvolume delete /mnt/x => device remove-volume /mnt/x certain
            cryptsetup -c aes luksFormat /dev/sda1 => device format /dev/sda1 certain
            cryptsetup luksErase /dev/sda1 => device wipe /dev/sda1 certain
            cryptsetup luksKillSlot /dev/sda3 0 => device delete-key /dev/sda3 certain
            cryptsetup open /dev/sda1 x => device open /dev/sda1 certain
            mdadm --zero-superblock /dev/sda => device wipe /dev/sda certain
            mdadm --create /dev/md0 --level=1 -n 2 /dev/sda /dev/sdb => device create-volume /dev/md0 certain
            dmsetup remove_all => device remove-volume  certain
            rbd rm pool/x => device remove-volume pool/x certain
            ",
        );
    }

    #[test]
    fn questions_do_nothing() {
        check(
            r"
            lvremove --test vg/a =>
            lvremove --longhelp vg/a =>
            lvremove --reportformat json =>
            lvs =>
            lvm pvs =>
            zpool status =>
            zpool create -n tank /dev/sda =>
            zfs list -r tank =>
            zfs destroy -n tank/a =>
            btrfs subvolume list / =>
            btrfs fi show =>
            cryptsetup luksDump /dev/sda1 =>
            cryptsetup status x =>
            mdadm --detail /dev/md0 =>
            dmsetup ls =>
            ",
        );
    }
}
