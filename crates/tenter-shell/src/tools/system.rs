//! The machine itself: power, kernel, accounts, clock. The network is in `interfaces`, programs of
//! macOS and Windows are in `settings`.
//!
//! Actions of [`Kind::System`]: `power-off`, `reboot`, `suspend`, `runlevel`; `load-module`,
//! `unload-module`, `load-kernel`, `kernel-parameter`; `add-account`, `change-account`,
//! `delete-account`, `change-password`; `set-clock`, `disable-protection` (a security module or an
//! audit trail is switched off), `change-protection`, `boot`, `clear-log`, `setting`.
//! Actions of [`Kind::Privilege`]: `join-group` (an account joins a group), `edit-sudoers`.
//! Actions of [`Kind::Process`]: `end-session`.

use super::rules::{Tool, any, judge, listed, named, tool};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind::{self, Privilege, System as S};
use crate::options::Spec;
use crate::target::Target;

pub(super) const PROGRAMS: Programs = &[
    ("date", date),
    ("halt", power),
    ("init", init),
    ("poweroff", power),
    ("reboot", power),
    ("shutdown", shutdown),
    ("sysctl", sysctl),
    ("telinit", init),
    ("useradd", account),
    ("usermod", account),
];

pub(super) const LISTED: Programs = &listed::<{ TOOLS.len() }>(TOOLS, by_table);

fn by_table(call: &mut Call<'_, '_>) {
    judge(call, Kind::System, TOOLS);
}

const GROUP_LONG: &str = "gid= root= prefix= system force password= users= new-name=";

const TOOLS: &[Tool] = &[
    tool("aa-complain", "d:", "", "h", "*: disable-protection 0*"),
    tool("aa-disable", "d:", "", "h", "*: disable-protection 0*"),
    tool("aa-teardown", "", "", "h", ": disable-protection"),
    tool("addgroup", "", "gid=", "h", "* *: privilege/join-group 1
*: add-account 0"),
    tool("adduser", "h:g:G:s:u:k:", "home= shell= uid= gid= ingroup= gecos= conf= group", "", "* *: privilege/join-group 1
*: add-account 0"),
    tool("apparmor_parser", "b:D:f:I:L:M:n:o:T:", "", "N|p|S|Q|h", "-R|remove|C|Complain: disable-protection 0*
*: change-protection 0*"),
    tool("auditctl", "a:A:b:d:e:f:F:k:p:r:R:S:w:W:", "", "l|s|v|h", "-D|e|d|W: disable-protection
-a|A|R|w|b|f|r: change-protection"),
    tool("chage", "d:E:I:m:M:R:W:", "lastday= expiredate= inactive= mindays= maxdays= warndays= list", "l|list|h", "*: change-account 0"),
    tool("chpasswd", "c:R:s:", "", "h", ": change-password"),
    tool("chsh", "s:", "shell=", "l|list-shells|h|v", ": change-account 0"),
    tool("delgroup", "", "", "h", "* *: change-account 0
*: delete-account 0"),
    tool("deluser", "", "backup-to= conf= remove-home remove-all-files backup group", "h", "* *: change-account 0
*: delete-account 0"),
    tool("dmesg", "l:f:F:n:s:", "level= facility= console-level= clear read-clear", "h|V", "-C|clear|c|read-clear: clear-log"),
    tool("gpasswd", "A:M:Q:", "add= delete= administrators= members=", "h", "* * -a: privilege/join-group 1
* -add|A|M|administrators|members: privilege/join-group 0
*: change-account last"),
    tool("groupadd", "g:K:p:R:P:U:", GROUP_LONG, "h", "*: add-account 0"),
    tool("groupdel", "R:P:", GROUP_LONG, "h", "*: delete-account 0"),
    tool("groupmod", "g:n:p:R:P:U:", GROUP_LONG, "h", "*: change-account 0"),
    tool("grub-mkconfig", "o:", "output=", "h|V", "-o|output: boot --o"),
    tool("grub2-mkconfig", "o:", "output=", "h|V", "-o|output: boot --o"),
    tool("grubby", "", "args= remove-args= update-kernel= set-default= remove-kernel= add-kernel= info=", "info|default-kernel|default-index", "-args|remove-args|update-kernel|set-default|remove-kernel|add-kernel: boot"),
    tool("hwclock", "f:", "date= set systohc hctosys", "r|show", "-w|systohc|s|hctosys|set|a|adjust: set-clock"),
    tool("insmod", "", "", "V|h", "*: load-module path0"),
    tool("ipmitool", "I:H:U:P:L:p:f:", "", "h|V", "chassis|power power off|soft|cycle|reset|diag: power-off
power off|soft|cycle|reset: power-off
chassis bootdev|bootparam: boot 2"),
    tool("journalctl", "u:p:n:o:S:U:t:b::g:D:M:c:F:", "unit= vacuum-size= vacuum-time= vacuum-files= since= until= priority= output= \
         lines= directory= rotate", "", "-vacuum-size|vacuum-time|vacuum-files: delete/clear-log"),
    tool("kexec", "p:t:", "initrd= command-line= append= type=", "h|v", "-e|exec|f|force: reboot
-l|load: load-kernel path0
-u|unload: load-kernel"),
    tool("localectl", "H:M:", "", "h", "set-locale|set-keymap|set-x11-keymap *: setting 1"),
    tool("loginctl", "p:H:M:s:n:o:", "property= signal= kill-whom= host= machine=", "h", "terminate-session|terminate-user|terminate-seat|kill-session|kill-user: process/end-session 1*
poweroff|halt: power-off
reboot: reboot
suspend|hibernate: suspend"),
    tool("modprobe", "C:d:S:", "config= dirname= set-version= remove dry-run show show-depends showconfig \
         dump-modversions", "n|dry-run|show|D|show-depends|c|showconfig|dump-modversions|h|V", "* -r|remove: unload-module 0*
*: load-module 0"),
    tool("mokutil", "", "disable-validation enable-validation import= delete= reset", "l|list-enrolled|sb-state|h", "-disable-validation|delete|reset|import: boot"),
    tool("newusers", "", "", "h", ": add-account"),
    tool("passwd", "i:n:x:w:R:r:s:", "status all lock unlock delete expire stdin", "S|status|h", ": change-password 0"),
    tool("pm-hibernate", "", "", "", ": suspend"),
    tool("pm-suspend", "", "", "", ": suspend"),
    tool("rmmod", "", "", "V|h", "*: unload-module 0*"),
    tool("semanage", "", "", "h", "permissive|dontaudit|boolean|fcontext|port|login|user|import -a|add|m|modify|d|delete|D|deleteall: change-protection 0"),
    tool("setenforce", "", "", "h", "0|permissive: disable-protection 0
*: change-protection 0"),
    tool("setsebool", "", "", "", "*: change-protection 0*"),
    tool("timedatectl", "H:M:p:", "", "h", "set-time|set-timezone|set-local-rtc|set-ntp: set-clock 1"),
    tool("update-alternatives", "", "install= set= remove= remove-all=", "display|list|query|get-selections", "-install|set|remove|remove-all|set-selections|auto|config: setting 0"),
    tool("update-grub", "", "", "", ": boot"),
    tool("update-grub2", "", "", "", ": boot"),
    tool("update-initramfs", "k:b:", "", "", "-d|u|c: boot"),
    tool("userdel", "R:P:", "root= prefix= remove force", "h", "*: delete-account 0"),
    tool("vigr", "R:", "", "h", ": change-account"),
    tool("vipw", "R:", "", "h", ": change-account"),
    tool("visudo", "f:x:", "file= export=", "c|check|h|V|x|export", ": privilege/edit-sudoers --f"),
];

/// `shutdown` of Unix and of Windows: `-c` and `/a` call it off, `-k` only warns.
fn shutdown(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("t:", "help poweroff reboot halt show when="));
    if any(&options, "c|k|help|show") {
        return;
    }
    let words = |wanted: &[&str]| {
        call.arguments()
            .iter()
            .any(|field| wanted.contains(&field.shown().to_ascii_lowercase().as_str()))
    };
    let windows = words(&["/s", "/r", "/a", "/p", "/h", "/l", "/g", "/i", "/o", "/sg", "/?"]);
    if words(&["/a", "/i", "/?", "-?"]) {
        return;
    }
    let action = if any(&options, "r|reboot") || words(&["/r", "/g"]) {
        Act::Reboot
    } else if windows && words(&["/h", "/l"]) {
        Act::Suspend
    } else {
        Act::PowerOff
    };
    call.effect(S, action, Target::None);
}

fn power(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("", "wtmp-only help version force reboot halt poweroff"));
    if any(&options, "w|wtmp-only|help|version") {
        return;
    }
    let reboots = options.has(&["reboot"])
        || (call.name == "reboot" && !options.has(&["halt", "p", "poweroff"]));
    let force = options.has(&["f", "force"]);
    call.effect(S, if reboots { Act::Reboot } else { Act::PowerOff }, Target::None).force = force;
}

fn init(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("t:e:", ""));
    let Some(level) = options.operands.first() else {
        return;
    };
    let action = match level.exact() {
        Some("0") => Act::PowerOff,
        Some("6") => Act::Reboot,
        Some("1" | "2" | "3" | "4" | "5" | "s" | "S" | "q" | "Q" | "u" | "U") => Act::Runlevel,
        _ => return,
    };
    named(call, S, action, level);
}

/// `name=value` sets, with or without `-w`; `-p` sets what a file says.
fn sysctl(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("r:", "pattern= load=? system write all"));
    for field in &options.operands {
        if field.exact().is_none_or(|text| text.contains('=')) && field.shown().contains('=') {
            named(call, S, Act::KernelParameter, field);
        }
    }
    if any(&options, "p|load|system") {
        call.effect(S, Act::KernelParameter, Target::None);
    }
}

const ACCOUNT: Spec = Spec::new(
    "b:c:d:e:f:g:G:k:K:l:p:R:P:s:u:v:w:V:W:Z:",
    "append base-dir= comment= home-dir= home= expiredate= inactive= gid= groups= skel= \
     key= login= password= root= prefix= shell= uid= help defaults",
);

/// Joining a group is the part that matters most.
fn account(call: &mut Call<'_, '_>) {
    let options = call.options(&ACCOUNT);
    if any(&options, "h|help") || (options.has(&["D", "defaults"]) && options.operands.is_empty()) {
        return;
    }
    let action = if call.name == "useradd" { Act::AddAccount } else { Act::ChangeAccount };
    if let Some(user) = options.operands.first() {
        named(call, S, action, user);
    }
    if let Some(groups) = options.value(&["G", "groups"]) {
        let span = groups.span;
        for group in groups.shown().split(',') {
            call.effect_at(Privilege, Act::JoinGroup, Target::name(group), span);
        }
    }
}

fn date(call: &mut Call<'_, '_>) {
    let options = call
        .options(&Spec::new("d:f:r:s:I::v:", "date= file= reference= set= iso-8601=? rfc-3339="));
    if let Some(time) = options.value(&["s", "set"]) {
        named(call, S, Act::SetClock, time);
    } else if let Some(file) = options.value(&["f", "file"]).filter(|file| !file.is("-")) {
        // BSD has a format there.
        call.read(Act::List, file);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::testing::{check, check_rules};

    #[test]
    fn power_and_kernel() {
        check(
            r"
            shutdown now => system power-off  certain
            shutdown -r now => system reboot  certain
            shutdown now -r => system reboot  certain
            shutdown /s /t 0 => system power-off  certain
            shutdown /r => system reboot  certain
            reboot => system reboot  certain
            reboot -f => system reboot  certain -f
            halt => system power-off  certain
            poweroff --reboot => system reboot  certain
            init 0 => system power-off 0 certain
            telinit 6 => system reboot 6 certain
            modprobe -r kvm => system unload-module kvm certain
            modprobe kvm nested=1 => system load-module kvm certain
            insmod x.ko => system load-module /shop/x.ko certain
            kexec -l /boot/k --initrd=/i => system load-kernel /boot/k certain
            kexec -e => system reboot  certain
            sysctl -w kernel.panic=1 => system kernel-parameter kernel.panic=1 certain
            sysctl vm.swappiness=0 => system kernel-parameter vm.swappiness=0 certain
            sysctl -p => system kernel-parameter  certain
            dmesg -C => system clear-log  certain
            journalctl --vacuum-time=1d => delete clear-log  certain
            setenforce 0 => system disable-protection 0 certain
            ",
        );
    }

    #[test]
    fn accounts() {
        check(
            r"
            useradd -m -s /bin/sh bob => system add-account bob certain
            usermod -aG sudo,docker bob => system change-account bob certain; privilege join-group sudo certain; privilege join-group docker certain
            adduser bob sudo => privilege join-group sudo certain
            gpasswd -a bob wheel => privilege join-group wheel certain
            userdel -r bob => system delete-account bob certain
            groupdel staff => system delete-account staff certain
            passwd root => system change-password root certain
            chpasswd => system change-password  certain
            visudo => privilege edit-sudoers  certain
            ",
        );
    }

    #[test]
    fn the_clock_is_set() {
        check(
            r"
            timedatectl set-ntp false => system set-clock false certain
            date -s 10:00 => system set-clock 10:00 certain
            ",
        );
    }

    #[test]
    fn questions_do_nothing() {
        check(
            r"
            shutdown -c =>
            shutdown --help =>
            shutdown /a =>
            reboot -w =>
            init =>
            modprobe -n kvm =>
            modprobe --show-depends kvm =>
            sysctl -a =>
            sysctl kernel.panic =>
            dmesg -T =>
            journalctl -u nginx -n 50 =>
            passwd -S root =>
            chage -l bob =>
            visudo -c =>
            timedatectl =>
            date +%s -d tomorrow =>
            ",
        );
    }

    #[test]
    fn every_line_of_the_table_can_be_read() {
        check_rules(super::TOOLS);
    }
}
