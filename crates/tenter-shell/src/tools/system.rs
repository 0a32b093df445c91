//! The machine itself: power, kernel, accounts, clock. The network is in `interfaces`, programs of
//! macOS and Windows are in `settings`.
//!
//! Actions of [`Kind::System`]: `power-off`, `reboot`, `suspend`, `runlevel`; `load-module`,
//! `unload-module`, `load-kernel`, `kernel-parameter`; `add-account`, `change-account`,
//! `delete-account`, `change-password`; `set-clock`, `disable-protection` (a security module or an
//! audit trail is switched off), `change-protection`, `boot`, `clear-log`, `setting`.
//! Actions of [`Kind::Privilege`]: `join-group` (an account joins a group), `edit-sudoers`.
//! Actions of [`Kind::Process`]: `end-session`.

use super::table::{Cli, Tool};
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

const GROUP_LONG: &str = "gid= root= prefix= system force password= users= new-name=";

const MACHINE: Cli = Cli {
    spec: Spec::new("", ""),
    kind: Kind::System,
    harmless: &["version"],
    force: &["f", "force", "y", "yes"],
    recursive: &[],
    rules: "",
};

pub(super) const TOOLS: &[Tool] = &[
    MACHINE.options("d:", "").harmless(&["version", "h"]).tool("aa-complain|aa-disable", "*: disable-protection @ *"),
    MACHINE.harmless(&["version", "h"]).tool("aa-teardown", ": disable-protection"),
    MACHINE.options("", "gid=").harmless(&["version", "h"]).tool("addgroup", "\
* *: privilege/join-group @2
*: add-account @"),
    MACHINE.options("h:g:G:s:u:k:", "home= shell= uid= gid= ingroup= gecos= conf= group").tool("adduser", "\
* *: privilege/join-group @2
*: add-account @"),
    MACHINE.options("b:D:f:I:L:M:n:o:T:", "").harmless(&["version", "N", "p", "S", "Q", "h"]).tool("apparmor_parser", "\
-R|remove|C|Complain: disable-protection *
*: change-protection @ *"),
    MACHINE.options("a:A:b:d:e:f:F:k:p:r:R:S:w:W:", "").harmless(&["version", "l", "s", "v", "h"]).tool("auditctl", "\
-D|e|d|W: disable-protection
-a|A|R|w|b|f|r: change-protection"),
    MACHINE.options("d:E:I:m:M:R:W:", "lastday= expiredate= inactive= mindays= maxdays= warndays= list").harmless(&["version", "l", "list", "h"]).tool("chage", "*: change-account @"),
    MACHINE.options("c:R:s:", "").harmless(&["version", "h"]).tool("chpasswd", ": change-password"),
    MACHINE.options("s:", "shell=").harmless(&["version", "l", "list-shells", "h", "v"]).tool("chsh", ": change-account 1"),
    MACHINE.harmless(&["version", "h"]).tool("delgroup", "\
* *: change-account @
*: delete-account @"),
    MACHINE.options("", "backup-to= conf= remove-home remove-all-files backup group").harmless(&["version", "h"]).tool("deluser", "\
* *: change-account @
*: delete-account @"),
    MACHINE.options("l:f:F:n:s:", "level= facility= console-level= clear read-clear").harmless(&["version", "h", "V"]).tool("dmesg", "-C|clear|c|read-clear: clear-log"),
    MACHINE.options("A:M:Q:", "add= delete= administrators= members=").harmless(&["version", "h"]).tool("gpasswd", "\
* * -a: privilege/join-group @2
* -add|A|M|administrators|members: privilege/join-group @
*: change-account last"),
    MACHINE.options("g:K:p:R:P:U:", GROUP_LONG).harmless(&["version", "h"]).tool("groupadd", "*: add-account @"),
    MACHINE.options("R:P:", GROUP_LONG).harmless(&["version", "h"]).tool("groupdel", "*: delete-account @"),
    MACHINE.options("g:n:p:R:P:U:", GROUP_LONG).harmless(&["version", "h"]).tool("groupmod", "*: change-account @"),
    MACHINE.options("o:", "output=").harmless(&["version", "h", "V"]).tool("grub-mkconfig|grub2-mkconfig", "-o|output: boot --o"),
    MACHINE.options("", "args= remove-args= update-kernel= set-default= remove-kernel= add-kernel= info=").harmless(&["version", "info", "default-kernel", "default-index"]).tool("grubby", "-args|remove-args|update-kernel|set-default|remove-kernel|add-kernel: boot"),
    MACHINE.options("f:", "date= set systohc hctosys").harmless(&["version", "r", "show"]).tool("hwclock", "-w|systohc|s|hctosys|set|a|adjust: set-clock"),
    MACHINE.harmless(&["version", "V", "h"]).tool("insmod", "*: load-module path@"),
    MACHINE.options("I:H:U:P:L:p:f:", "").harmless(&["version", "h", "V"]).tool("ipmitool", "\
chassis|power power off|soft|cycle|reset|diag: power-off
power off|soft|cycle|reset: power-off
chassis bootdev|bootparam: boot 1"),
    MACHINE.options("u:p:n:o:S:U:t:b::g:D:M:c:F:", "unit= vacuum-size= vacuum-time= vacuum-files= since= until= priority= output= \
         lines= directory= rotate").tool("journalctl", "-vacuum-size|vacuum-time|vacuum-files: delete/clear-log"),
    MACHINE.options("p:t:", "initrd= command-line= append= type=").harmless(&["version", "h", "v"]).tool("kexec", "\
-e|exec|f|force: reboot
-l|load: load-kernel path1
-u|unload: load-kernel"),
    MACHINE.options("H:M:", "").harmless(&["version", "h"]).tool("localectl", "set-locale|set-keymap|set-x11-keymap *: setting @"),
    MACHINE.options("p:H:M:s:n:o:", "property= signal= kill-whom= host= machine=").harmless(&["version", "h"]).tool("loginctl", "\
terminate-session|terminate-user|terminate-seat|kill-session|kill-user: process/end-session *
poweroff|halt: power-off
reboot: reboot
suspend|hibernate: suspend"),
    MACHINE.options("C:d:S:", "config= dirname= set-version= remove dry-run show show-depends showconfig \
         dump-modversions").harmless(&["version", "n", "dry-run", "show", "D", "show-depends", "c", "showconfig", "dump-modversions", "h", "V"]).tool("modprobe", "\
* -r|remove: unload-module @ *
*: load-module @"),
    MACHINE.options("", "disable-validation enable-validation import= delete= reset").harmless(&["version", "l", "list-enrolled", "sb-state", "h"]).tool("mokutil", "-disable-validation|delete|reset|import: boot"),
    MACHINE.harmless(&["version", "h"]).tool("newusers", ": add-account"),
    MACHINE.options("i:n:x:w:R:r:s:", "status all lock unlock delete expire stdin").harmless(&["version", "S", "status", "h"]).tool("passwd", ": change-password 1"),
    MACHINE.tool("pm-hibernate|pm-suspend", ": suspend"),
    MACHINE.harmless(&["version", "V", "h"]).tool("rmmod", "*: unload-module @ *"),
    MACHINE.harmless(&["version", "h"]).tool("semanage", "permissive|dontaudit|boolean|fcontext|port|login|user|import -a|add|m|modify|d|delete|D|deleteall: change-protection @"),
    MACHINE.harmless(&["version", "h"]).tool("setenforce", "\
0|permissive: disable-protection @
*: change-protection @"),
    MACHINE.tool("setsebool", "*: change-protection @ *"),
    MACHINE.options("H:M:p:", "").harmless(&["version", "h"]).tool("timedatectl", "set-time|set-timezone|set-local-rtc|set-ntp: set-clock 1"),
    MACHINE.options("", "install= set= remove= remove-all=").harmless(&["version", "display", "list", "query", "get-selections"]).tool("update-alternatives", "-install|set|remove|remove-all|set-selections|auto|config: setting 1"),
    MACHINE.tool("update-grub|update-grub2", ": boot"),
    MACHINE.options("k:b:", "").tool("update-initramfs", "-d|u|c: boot"),
    MACHINE.options("R:P:", "root= prefix= remove force").harmless(&["version", "h"]).tool("userdel", "*: delete-account @"),
    MACHINE.options("c:d:e:G:g:h:H:k:L:M:m:n:p:s:u:V:w:", "").harmless(&["N"]).tool("pw", "\
useradd|adduser|user* -G: privilege/join-group --G
useradd|adduser|groupadd *: add-account @
user|group add *: add-account @
userdel|groupdel *: delete-account @
user|group del *: delete-account @
usermod|groupmod|lock|unlock *: change-account @
user|group mod *: change-account @"),
    MACHINE.options("f:j:R:", "").harmless(&["version", "a", "A", "c", "e", "l", "L", "n", "N"]).tool("sysrc", "\
* -x: setting @"),
    MACHINE.options("", "value=").tool("mdatp", "\
config real-time-protection|behavior-monitoring|cloud -value=disabled: disable-protection @
config passive-mode -value=enabled: disable-protection @
exclusion file|folder|process|extension add: disable-protection @"),
    MACHINE.tool("falconctl", "unload|uninstall|stop: disable-protection @"),
    MACHINE.tool("sentinelctl", "unload|unprotect|disable|uninstall: disable-protection @"),
    MACHINE.options("", "ttl all predicate= mode= subsystem=").tool("log", "erase: clear-log"),
    MACHINE.options("R:", "").harmless(&["version", "h"]).tool("vigr|vipw", ": change-account"),
    MACHINE.options("f:x:", "file= export=").harmless(&["version", "c", "check", "h", "V", "x", "export"]).tool("visudo", ": privilege/edit-sudoers --f"),
];

/// `shutdown` of Unix and of Windows: `-c` and `/a` call it off, `-k` only warns.
fn shutdown(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("t:", "help poweroff reboot halt show when="));
    if options.has(&["c", "k", "help", "show"]) {
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
    let action = if options.has(&["r", "reboot"]) || words(&["/r", "/g"]) {
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
    if options.has(&["w", "wtmp-only", "help", "version"]) {
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
    call.on_name(S, action, level);
}

/// `name=value` sets, with or without `-w`; `-p` sets what a file says.
fn sysctl(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("r:", "pattern= load=? system write all"));
    for field in &options.operands {
        if field.exact().is_none_or(|text| text.contains('=')) && field.shown().contains('=') {
            call.on_name(S, Act::KernelParameter, field);
        }
    }
    if options.has(&["p", "load", "system"]) {
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
    if options.has(&["h", "help"])
        || (options.has(&["D", "defaults"]) && options.operands.is_empty())
    {
        return;
    }
    let action = if call.name == "useradd" { Act::AddAccount } else { Act::ChangeAccount };
    if let Some(user) = options.operands.first() {
        call.on_name(S, action, user);
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
        call.on_name(S, Act::SetClock, time);
    } else if let Some(time) = options.operands.iter().find(|field| is_time(field)) {
        call.on_name(S, Act::SetClock, time);
    } else if let Some(file) = options.value(&["f", "file"]).filter(|file| !file.is("-")) {
        // BSD has a format there.
        call.read(Act::List, file);
    }
}

/// `0101120024`, `202401011200.30`
fn is_time(field: &crate::value::Field) -> bool {
    field.exact().is_some_and(|text| {
        let (digits, rest) = text.split_once('.').unwrap_or((text, "00"));
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        matches!(digits.len(), 4 | 8 | 10 | 12) && number(digits) && rest.len() == 2 && number(rest)
    })
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

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
}
