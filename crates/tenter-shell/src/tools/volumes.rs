//! Volumes of several disks: LVM, RAID, ZFS, btrfs, encryption.
//!
//! Actions of [`Kind::Device`]: `remove-volume` (a volume, pool, snapshot or array is destroyed),
//! `create-volume`, `change-volume` (resized, renamed, taken apart, set), `rollback`, `format` (a
//! new encrypted volume), `wipe` (signatures or keys are erased), `keys` (keys change), `open` and
//! `close`.

use super::rules::{Tool, judge, listed, tool};
use crate::call::{Call, Programs};
use crate::effect::Kind;

pub(super) const PROGRAMS: Programs = &[("lvm", lvm)];

pub(super) const LISTED: Programs = &listed::<{ TOOLS.len() }>(TOOLS, by_table);

fn by_table(call: &mut Call<'_, '_>) {
    judge(call, Kind::Device, TOOLS);
}

/// `lvm lvremove x` is `lvremove x`.
fn lvm(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    if arguments.first().is_some_and(|field| TOOLS.iter().any(|tool| field.is(tool.name))) {
        call.run(arguments);
    }
}

const LVM_SHORT: &str = "L:l:n:s:S:A:c:C:i:I:m:p:a:M:r:Z:W:u:";
const LVM_LONG: &str = "activate= addtag= alloc= autobackup= cachepool= commandprofile= config= deltag= \
     driverloaded= extents= force help lockopt= longhelp metadataprofile= name= nohints \
     persistent= poolmetadatasize= profile= reportformat= select= size= stripes= test \
     thinpool= type= version virtualsize= wipesignatures= yes zero=";
const LVM_QUIET: &str = "t|test|h|longhelp|?";

const fn lvm_tool(name: &'static str, rules: &'static str) -> Tool {
    tool(name, LVM_SHORT, LVM_LONG, LVM_QUIET, rules)
}

const TOOLS: &[Tool] = &[
    lvm_tool("lvchange", "*: change-volume 0*"),
    lvm_tool("lvconvert", "*: change-volume 0*"),
    lvm_tool("lvcreate", "*: create-volume 0"),
    lvm_tool("lvextend", "*: change-volume 0"),
    lvm_tool("lvreduce", "*: change-volume 0"),
    lvm_tool("lvremove", "*: remove-volume 0*
-S|select: remove-volume"),
    lvm_tool("lvrename", "*: change-volume 0"),
    lvm_tool("lvresize", "*: change-volume 0"),
    lvm_tool("pvcreate", "* -f|force: format path0*
*: create-volume path0*"),
    lvm_tool("pvmove", "*: change-volume 0"),
    lvm_tool("pvremove", "*: remove-volume path0*"),
    lvm_tool("pvresize", "*: change-volume 0*"),
    lvm_tool("vgcfgrestore", "*: rollback 0"),
    lvm_tool("vgchange", "-a|activate: change-volume 0
*: change-volume 0"),
    lvm_tool("vgcreate", "*: create-volume 0"),
    lvm_tool("vgextend", "*: change-volume 0"),
    lvm_tool("vgmerge", "*: change-volume 0"),
    lvm_tool("vgreduce", "*: change-volume 0"),
    lvm_tool("vgremove", "*: remove-volume 0*
-S|select: remove-volume"),
    lvm_tool("vgrename", "*: change-volume 0"),
    lvm_tool("vgsplit", "*: change-volume 0"),
    tool("btrfs", "i:", "output-format=", "dry-run|h", "subvolume|subvol|subv|sub|su delete|del|d: remove-volume path2*
subvolume|subvol|subv|sub|su create|snapshot|snap|set-default: create-volume path2
device|dev|de remove|delete|rem|del: remove-volume 2*
device|dev|de add|replace: format path2
replace start: format path3
filesystem|fi resize|label|defragment|defrag: change-volume
balance|ba start: change-volume path2
check -repair|init-csum-tree|init-extent-tree|clear-space-cache: change-volume path1
rescue zero-log|fix-device-size|super-recover|chunk-recover|clear-uuid-tree: change-volume path2
quota disable|enable: change-volume path2
property set: change-volume path2
receive: create-volume path1"),
    tool("ceph", "n:c:", "cluster= conf= id= yes-i-really-mean-it yes-i-really-really-mean-it force", "h|v|s|status", "osd purge|destroy|rm|out|down: remove-volume 2*
osd pool delete|rm: remove-volume 3
osd crush remove|rm|unlink: remove-volume 3
fs rm|fail: remove-volume 2
mon remove|rm: remove-volume 2"),
    tool("cryptsetup", "c:h:s:l:o:p:d:S:i:T:t:M:b:", "cipher= hash= key-size= key-file= keyfile-size= key-slot= new-keyfile= offset= \
         skip= size= type= header= header-backup-file= label= subsystem= uuid= pbkdf= \
         pbkdf-memory= iter-time= sector-size= volume-key-file= master-key-file= \
         timeout= tries= align-payload= priority= test-passphrase", "test-passphrase|V|?", "luksFormat: format path1
erase|luksErase: wipe path1
luksKillSlot|luksRemoveKey|luksChangeKey|luksAddKey|luksConvertKey|token: keys path1
reencrypt|luksHeaderRestore|convert|resize|config|repair: change-volume path1
open|luksOpen|plainOpen|create|tcryptOpen|bitlkOpen|luksResume: open path1
close|luksClose|remove|plainClose|luksSuspend: close 1"),
    tool("dmsetup", "c:o:O:S:u:j:m:", "table= uuid= options= columns=", "h", "remove|wipe_table|clear: remove-volume 1
remove_all: remove-volume
create|load|reload|rename|suspend|resume|message|setgeometry: change-volume 1"),
    tool("gluster", "", "mode=", "", "volume|vol delete|stop|reset|remove-brick: remove-volume 2
peer detach: change-volume 2"),
    tool("manage-bde", "", "", "status", "-off|on|lock|unlock|forcerecovery|changekey: change-volume 0"),
    tool("mdadm", "l:n:c:x:b:N:u:e:p:z:m:", "level= raid-devices= chunk= spare-devices= bitmap= name= uuid= metadata= \
         layout= size= array-size= homehost= backup-file= config= update=", "D|detail|E|examine|Q|query|V|h", "-zero-superblock: wipe path0*
* -C|create|B|build: create-volume path0
-S|stop: remove-volume path0*
* -f|fail|r|remove|set-faulty|G|grow|a|add|re-add|replace: change-volume path0"),
    tool("rbd", "p:c:n:m:s:", "pool= cluster= conf= id= name= image= size= snap=", "", "rm|remove: remove-volume 1
snap rm|remove|purge: remove-volume 2
snap rollback|revert: rollback 2
trash rm|remove|purge: remove-volume 2"),
    tool("zfs", "o:t:d:s:S:x:", "", "n|h|?", "destroy: remove-volume 1*
rollback: rollback 1
receive|recv: rollback 1
create|snapshot|snap|clone|bookmark: create-volume 1*
rename|promote|set|inherit|upgrade|unmount|umount|unload-key|change-key|allow|unallow: change-volume 1*"),
    tool("zpool", "o:O:R:t:m:c:d:T:", "", "n|?", "destroy: remove-volume 1
labelclear: wipe path1
create: create-volume 1
import -F|X: rollback 1
add|attach|detach|remove|replace|offline|online|split|clear|export|initialize|reguid|upgrade|set|checkpoint|trim: change-volume 1"),
];

#[cfg(test)]
mod tests {
    use super::super::rules::testing::{check, check_rules};

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

    #[test]
    fn every_line_of_the_table_can_be_read() {
        check_rules(super::TOOLS);
    }
}
