//! Services of the machine.
//!
//! Actions of [`Kind::Service`]: `start`, `stop`, `restart`, `enable`, `disable`, `mask`, `kill`,
//! `remove`, `change` (its settings), `reload` (the manager reads its files again).
//! Actions of [`Kind::System`]: `power-off`, `reboot`, `suspend`, `runlevel`.

use super::table::{Cli, Tool};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind::{self, Service as V, System as S};
use crate::options::Spec;
use crate::target::Target;

pub(super) const PROGRAMS: Programs = &[
    ("launchctl", launchctl),
    ("rc-service", service),
    ("service", service),
    ("invoke-rc.d", service),
    ("systemctl", systemctl),
];

const SERVICE: Cli = Cli {
    spec: Spec::new("", ""),
    kind: Kind::Service,
    harmless: &["version"],
    force: &["f", "force", "y", "yes"],
    recursive: &[],
    rules: "",
};

pub(super) const TOOLS: &[Tool] = &[
    SERVICE.options("", "level= add del list").harmless(&["version", "list"]).tool(
        "chkconfig",
        "\
* -del: remove @
* off: disable @
* on|reset: enable @",
    ),
    SERVICE.options("", "system session").tool(
        "initctl",
        "\
stop: stop *
restart|reload|condrestart|force-reload: restart *
start: start *",
    ),
    SERVICE.options("c:g:d:", "").harmless(&["version", "t", "h", "V"]).tool(
        "monit",
        "\
stop|unmonitor: stop 1
start|restart|monitor: restart 1
quit: stop",
    ),
    SERVICE
        .options(
            "i:n:o:e:l:",
            "name= instances= env= cron= output= error= watch=? interpreter= \
         max-memory-restart=",
        )
        .harmless(&["version", "h", "v"])
        .tool(
            "pm2",
            "\
stop: stop *
delete|del: remove *
kill: kill
restart|reload|gracefulReload: restart *
start|resurrect: start *
startup|unstartup|save|cleardump: change
flush: change 1",
        ),
    SERVICE.tool(
        "rc-update",
        "\
del|delete: disable 1
add: enable 1",
    ),
    SERVICE.options("T:W:", "").tool(
        "s6-svc",
        "\
* -d|D|k|x|X|9|t: stop path@
* -u|o|r|a: start path@",
    ),
    SERVICE
        .tool(
            "sc",
            "\
stop: stop 1
delete: remove 1
start: start 1
create: schedule/autostart 1
config|failure|sdset: change 1",
        )
        .by(super::windows::service_control),
    SERVICE
        .options("c:s:u:p:r:", "configuration= serverurl= username= password=")
        .harmless(&["version", "h"])
        .tool(
            "supervisorctl",
            "\
stop: stop *
shutdown: stop
restart|reload|update|reread: restart *
start: start *
remove: remove *
signal: kill 2*",
        ),
    SERVICE.options("w:", "").tool(
        "sv",
        "\
down|d|stop|force-stop|exit|x|shutdown|force-shutdown: stop *
kill|k|term|t|interrupt: kill *
restart|force-restart|reload|force-reload|hup|h: restart *
up|u|start|once|o: start *",
    ),
    SERVICE.harmless(&["version", "n"]).tool(
        "update-rc.d",
        "\
* remove: remove @
* disable: disable @
* enable|defaults: enable @",
    ),
];

const SYSTEMCTL: Spec = Spec::new(
    "t:p:P:H:M:n:o:s:",
    "type= state= property= host= machine= lines= output= signal= kill-whom= kill-who= \
     kill-value= root= image= image-policy= job-mode= what= when= timestamp= \
     preset-mode= drop-in= boot-loader-entry= boot-loader-menu= reboot-argument= \
     message= check-inhibitors= now user system global runtime force no-block no-pager \
     quiet all full failed help version dry-run value wait",
);

fn systemctl(call: &mut Call<'_, '_>) {
    let options = call.options(&SYSTEMCTL);
    if options.has(&["help", "h", "version", "dry-run"]) {
        return;
    }
    let Some(command) = options.operand(0) else {
        return;
    };
    let (kind, action) = match command {
        "stop" | "freeze" => (V, Act::Stop),
        "disable" | "preset" | "preset-all" => (V, Act::Disable),
        "mask" => (V, Act::Mask),
        "kill" => (V, Act::Kill),
        "restart"
        | "try-restart"
        | "reload-or-restart"
        | "try-reload-or-restart"
        | "reload"
        | "condrestart" => (V, Act::Restart),
        "start" | "thaw" => (V, Act::Start),
        "enable" | "reenable" | "unmask" | "link" | "add-wants" | "add-requires" => {
            (V, Act::Enable)
        }
        "edit" | "set-property" | "revert" | "clean" | "bind" | "mount-image" => (V, Act::Change),
        "daemon-reload" | "daemon-reexec" => (V, Act::Reload),
        "poweroff" | "halt" | "exit" => (S, Act::PowerOff),
        "reboot" | "kexec" | "soft-reboot" => (S, Act::Reboot),
        "suspend" | "hibernate" | "hybrid-sleep" | "suspend-then-hibernate" | "sleep" => {
            (S, Act::Suspend)
        }
        "isolate" | "rescue" | "emergency" | "default" | "set-default" | "switch-root" => {
            (S, Act::Runlevel)
        }
        "set-environment" | "unset-environment" | "import-environment" => (S, Act::Setting),
        _ => return,
    };
    let force = options.has(&["f", "force"]);
    let units = options.operands.get(1..).unwrap_or_default();
    if units.is_empty() {
        call.effect(kind, action, Target::None).force = force;
    }
    for unit in units {
        call.on_name(kind, action, unit).force = force;
        // A unit that is not installed.
        if action == Act::Enable && unit.prefix().contains('/') {
            call.on_path(Kind::Schedule, Act::Autostart, unit);
        }
        if options.has(&["now"]) && matches!(command, "disable" | "mask") {
            call.on_name(V, Act::Stop, unit);
        }
        if options.has(&["now"]) && command == "enable" {
            call.on_name(V, Act::Start, unit);
        }
    }
}

/// `service NAME ACTION`; what is no common action is taken for one that tells.
fn service(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("", ""));
    let [name, action, ..] = options.operands.as_slice() else {
        return;
    };
    let action = match action.exact() {
        Some("stop" | "force-stop" | "zap") => Act::Stop,
        Some(
            "restart" | "reload" | "force-reload" | "condrestart" | "try-restart" | "force-restart",
        ) => Act::Restart,
        Some("start") => Act::Start,
        _ => return,
    };
    call.on_name(V, action, name);
}

fn launchctl(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::first("", ""));
    let action = match options.operand(0) {
        Some("unload" | "bootout" | "stop") => Act::Stop,
        Some("kill") => Act::Kill,
        Some("remove") => Act::Remove,
        Some("disable") => Act::Disable,
        Some("enable") => Act::Enable,
        Some("load" | "bootstrap" | "start" | "submit") => Act::Start,
        Some("kickstart") => Act::Restart,
        Some("reboot") => {
            call.effect(S, Act::Reboot, Target::None);
            return;
        }
        Some("setenv" | "unsetenv" | "config" | "limit") if options.operands.len() > 2 => {
            Act::Change
        }
        _ => return,
    };
    match options.operands.last() {
        Some(name) if options.operands.len() > 1 => call.on_name(V, action, name),
        _ => call.effect(V, action, Target::None),
    };
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn services_change_state() {
        check(
            r"
            systemctl stop nginx redis => service stop nginx certain; service stop redis certain
            systemctl --user -t service restart x => service restart x certain
            systemctl disable --now ssh => service disable ssh certain; service stop ssh certain
            systemctl -H host mask x => service mask x certain
            systemctl daemon-reload => service reload  certain
            systemctl reboot -f => system reboot  certain -f
            systemctl isolate rescue.target => system runlevel rescue.target certain
            service nginx stop => service stop nginx certain
            rc-service nginx restart => service restart nginx certain
            launchctl unload -w /a.plist => service stop /a.plist certain
            launchctl bootout gui/501 x => service stop x certain
            supervisorctl stop all => service stop all certain
            pm2 delete all => service remove all certain
            pm2 kill => service kill  certain
            sv down x => service stop x certain
            initctl stop x => service stop x certain
            s6-svc -d /run/x => service stop /run/x certain
            update-rc.d -f x remove => service remove x certain -f
            sc delete x => service remove x certain
            ",
        );
    }

    #[test]
    fn questions_do_nothing() {
        check(
            r"
            systemctl =>
            systemctl status nginx =>
            systemctl list-units --state failed =>
            systemctl is-active stop =>
            systemctl show -p stop nginx =>
            systemctl cat x =>
            service --status-all =>
            service nginx status =>
            launchctl list =>
            supervisorctl status =>
            pm2 logs =>
            pm2 ls =>
            sv status x =>
            sc query =>
            chkconfig --list =>
            ",
        );
    }
}
