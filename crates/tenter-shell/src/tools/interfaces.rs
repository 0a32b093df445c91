//! Network interfaces, routes and the firewall.
//!
//! Actions of [`Kind::System`]: `flush-firewall` (all rules go), `disable-firewall`,
//! `change-firewall`, `delete-route`, `add-route`, `interface-down`, `interface-up`,
//! `delete-interface`, `change-network`, `hostname`.

use super::table::{Cli, Tool};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind::{self, System as S};
use crate::options::Spec;
use crate::target::Target;
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("firewall-cmd", firewall_cmd),
    ("hostname", hostname),
    ("ifconfig", ifconfig),
    ("ip", ip),
    ("ip6tables", iptables),
    ("ip6tables-legacy", iptables),
    ("ip6tables-nft", iptables),
    ("iptables", iptables),
    ("iptables-legacy", iptables),
    ("iptables-nft", iptables),
    ("ebtables", iptables),
    ("arptables", iptables),
    ("iptables-restore", restore),
    ("ip6tables-restore", restore),
];

const INTERFACE: Cli = Cli {
    spec: Spec::new("", ""),
    kind: Kind::System,
    harmless: &["version"],
    force: &["f", "force", "y", "yes"],
    recursive: &[],
    rules: "",
};

pub(super) const TOOLS: &[Tool] = &[
    INTERFACE.options("H:M:", "host= machine=").harmless(&["version", "h"]).tool("hostnamectl", "\
set-hostname|hostname *: hostname @
set-icon-name|set-chassis|set-deployment|set-location *: setting @"),
    INTERFACE.options("i:", "interfaces=").harmless(&["version", "n", "no-act", "h", "V"]).tool("ifdown", "\
*: interface-down @ *
-a|all: interface-down"),
    INTERFACE.options("i:", "interfaces=").harmless(&["version", "n", "no-act", "h", "V"]).tool("ifup", "*: interface-up @ *"),
    INTERFACE.options("", "exist quiet").harmless(&["version", "h"]).tool("ipset", "\
destroy|flush|-X|F|x: flush-firewall 1
add|create|del|swap|rename|restore|-A|D|N: change-firewall 1"),
    INTERFACE.options("f:I:D:", "file= includepath= define= check").harmless(&["version", "c", "check", "h", "v"]).tool("nft", "\
flush ruleset: flush-firewall
flush|delete|destroy|reset *: change-firewall last
add|insert|replace|create|rename *: change-firewall 1
-f|file: change-firewall --f"),
    INTERFACE.options("f:m:g:c:e:w:", "fields= mode= get-values= colors= wait=").harmless(&["version", "h", "v"]).tool("nmcli", "\
connection|con|conn|c delete|del: delete-interface *
connection|con|conn|c down: interface-down *
connection|con|conn|c up: interface-up *
connection|con|conn|c modify|mod|add|edit|clone|import|reload: change-network 1
device|dev|d disconnect|delete|down: interface-down *
device|dev|d connect|up|modify|mod|set|reapply: change-network 1
device|dev|d wifi|w connect|hotspot: change-network 1
networking|n off: interface-down
networking|n on: interface-up
radio|r * off: interface-down @
general|g hostname *: hostname @"),
    INTERFACE.options("a:D:F:f:i:K:k:o:p:s:S:t:T:x:I:", "").harmless(&["version", "n", "s"]).tool("pfctl", "\
-F: flush-firewall --F
-d: disable-firewall
-f: flush-firewall --f
-e|E|a|t|k|K: change-firewall"),
    INTERFACE.options("i:p:t:c:", "interface=").harmless(&["version", "h"]).tool("resolvectl", "\
dns|domain|default-route|llmnr|mdns|dnssec|dnsovertls|nta * *: change-network @
revert *: change-network @"),
    INTERFACE.harmless(&["version", "h"]).tool("rfkill", "\
block: interface-down 1
unblock: interface-up 1"),
    INTERFACE.options("A:", "").harmless(&["version", "h", "V"]).tool("route", "\
del|delete|flush|-f: delete-route 1
add|change: add-route 1"),
    INTERFACE.options("n:b:", "").harmless(&["version", "h", "V"]).tool("tc", "qdisc|class|filter|action|chain add|del|delete|replace|change|link|flush: change-network 2"),
    INTERFACE.options("", "dry-run force").harmless(&["version", "dry-run"]).tool("ufw", "\
reset: flush-firewall
disable: disable-firewall
logging off: disable-protection
enable|reload|default|logging|allow|deny|reject|limit|delete|insert|prepend|route|rule: change-firewall last"),
    INTERFACE.tool("wg-quick", "\
down: interface-down 1
up: interface-up 1"),
];

/// Options that match packets have values; those that name what to do leave the chain an operand.
const IPTABLES: Spec = Spec::new(
    "t:p:s:d:i:o:j:g:m:c:w::W:",
    "table= protocol= source= destination= in-interface= out-interface= jump= goto= \
     match= dport= sport= state= ctstate= comment= to-destination= to-source= list \
     list-rules flush delete-chain delete policy append insert replace new-chain \
     rename-chain zero check help version src= dst=",
);

fn iptables(call: &mut Call<'_, '_>) {
    let options = call.options(&IPTABLES);
    if options.has(&["L", "list", "S", "list-rules", "C", "check", "help", "V", "version", "h"]) {
        return;
    }
    let action = if options.has(&["F", "flush", "X", "delete-chain"]) {
        Act::FlushFirewall
    } else if options.has(&[
        "D",
        "delete",
        "P",
        "policy",
        "A",
        "append",
        "I",
        "insert",
        "R",
        "replace",
        "N",
        "new-chain",
        "E",
        "rename-chain",
        "Z",
        "zero",
    ]) {
        Act::ChangeFirewall
    } else {
        return;
    };
    match options.operands.first() {
        Some(chain) => call.on_name(S, action, chain),
        None => call.effect(S, action, Target::None),
    };
}

fn restore(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("T:w::W:M:", "test table= noflush"));
    if !options.has(&["t", "test", "h", "help", "V", "version"]) {
        let rules = match options.operands.first() {
            Some(file) => call.read(Act::Read, file),
            None => call.stdin.clone(),
        };
        let action =
            if options.has(&["n", "noflush"]) { Act::ChangeFirewall } else { Act::FlushFirewall };
        call.effect(S, action, Target::None).sources = rules.flow;
    }
}

fn firewall_cmd(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("", ""));
    let changes = [
        "add-",
        "remove-",
        "set-",
        "change-",
        "new-",
        "delete-",
        "load-",
        "panic-",
        "complete-reload",
        "runtime-to",
    ];
    let change = options
        .found
        .iter()
        .find(|found| changes.iter().any(|start| found.name.starts_with(start)));
    if let Some(change) = change {
        let target =
            change.value.as_ref().map_or(Target::None, |value| Target::Name(value.shown()));
        call.effect_at(S, Act::ChangeFirewall, target, change.span);
    }
}

/// `ip [options] object command ...`; objects and commands may be cut short.
fn ip(call: &mut Call<'_, '_>) {
    let mut words: Vec<&Field> = Vec::new();
    let mut arguments = call.arguments().iter();
    while let Some(field) = arguments.next() {
        match field.prefix() {
            "-n" | "-netns" | "-f" | "-family" | "-b" | "-batch" | "-l" | "-loops" | "-rc"
            | "-rcvbuf"
                if words.is_empty() =>
            {
                arguments.next();
            }
            option if option.starts_with('-') && words.is_empty() => {}
            _ => words.push(field),
        }
    }
    let word = |at: usize| words.get(at).and_then(|field| field.exact()).unwrap_or_default();
    let (object, command) = (word(0), word(1));
    let is = |full: &str, word: &str| !word.is_empty() && full.starts_with(word);
    if is("netns", object) && is("exec", command) && object.len() > 3 {
        let rest = call
            .arguments()
            .iter()
            .position(|field| words.get(3).is_some_and(|first| std::ptr::eq(*first, field)));
        if let Some(program) = rest.and_then(|at| call.arguments().get(at..)) {
            call.run(program);
        }
        return;
    }
    let after = |name: &str| {
        words
            .iter()
            .position(|field| field.is(name))
            .and_then(|at| words.get(at.saturating_add(1)).copied())
    };
    let interface = after("dev").or_else(|| words.get(2).copied());
    let says = |name: &str| words.iter().skip(2).any(|field| field.is(name));
    let deletes =
        command.len() > 1 && (is("delete", command) || is("flush", command)) || command == "d";
    let adds = ["add", "change", "replace", "append", "set"]
        .iter()
        .any(|full| is(full, command) && command.len() > 1);
    let (action, target) = if is("link", object) {
        let action = if deletes {
            Act::DeleteInterface
        } else if says("down") {
            Act::InterfaceDown
        } else if says("up") {
            Act::InterfaceUp
        } else if adds {
            Act::ChangeNetwork
        } else {
            return;
        };
        (action, interface)
    } else if is("route", object) && deletes {
        (Act::DeleteRoute, words.get(2).copied())
    } else if is("route", object) && adds {
        (Act::AddRoute, words.get(2).copied())
    } else if ["address", "rule", "neighbour", "netns", "tunnel", "xfrm"]
        .iter()
        .any(|full| is(full, object))
        && (deletes || adds)
    {
        (Act::ChangeNetwork, interface)
    } else {
        return;
    };
    match target {
        Some(field) => call.on_name(S, action, field),
        None => call.effect(S, action, Target::None),
    };
}

/// `ifconfig eth0 down`; with no more than an interface it prints.
fn ifconfig(call: &mut Call<'_, '_>) {
    let words: Vec<&Field> = call
        .arguments()
        .iter()
        .filter(|field| !matches!(field.prefix(), "-a" | "-s" | "-v" | "-l"))
        .collect();
    let [interface, rest @ ..] = words.as_slice() else {
        return;
    };
    let action =
        if rest.iter().any(|field| field.is("down") || field.is("delete") || field.is("destroy")) {
            Act::InterfaceDown
        } else if rest.iter().any(|field| field.is("up")) {
            Act::InterfaceUp
        } else if rest.is_empty() || interface.prefix().starts_with('-') {
            return;
        } else {
            Act::ChangeNetwork
        };
    call.on_name(S, action, interface);
}

/// `hostname` prints; with a name it sets.
fn hostname(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("F:", "file= help version fqdn ip-address short"));
    if let Some(name) = options.operands.first() {
        call.on_name(S, Act::Hostname, name);
    } else if let Some(file) = options.value(&["F", "file"]) {
        call.on_name(S, Act::Hostname, file);
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn the_network_changes() {
        check(
            r"
            iptables -F => system flush-firewall  certain
            iptables -t nat -F PREROUTING => system flush-firewall PREROUTING certain
            iptables -P INPUT ACCEPT => system change-firewall INPUT certain
            nft flush ruleset => system flush-firewall  certain
            ufw --force reset => system flush-firewall  certain -f
            ufw disable => system disable-firewall  certain
            firewall-cmd --permanent --add-port=80/tcp => system change-firewall 80/tcp certain
            ip link set eth0 down => system interface-down eth0 certain
            ip link set dev eth0 up => system interface-up eth0 certain
            ip -n x l del br0 => system delete-interface br0 certain
            ip route flush table main => system delete-route table certain
            ip r del default => system delete-route default certain
            ip -4 route add default via 10.0.0.1 => system add-route default certain
            ip addr flush dev eth0 => system change-network eth0 certain
            ifconfig eth0 down => system interface-down eth0 certain
            route del default => system delete-route default certain
            nmcli con delete home => system delete-interface home certain
            nmcli networking off => system interface-down  certain
            hostname web1 => system hostname web1 certain
            hostnamectl set-hostname web1 => system hostname web1 certain
            ",
        );
    }

    #[test]
    fn questions_do_nothing() {
        check(
            r"
            iptables -L -n =>
            iptables -t nat -S =>
            iptables -C INPUT -j DROP =>
            iptables-restore --test =>
            nft list ruleset =>
            nft -c -f x =>
            ufw status verbose =>
            ufw disabled =>
            ufw --dry-run disable =>
            firewall-cmd --list-all =>
            ip a =>
            ip link show eth0 =>
            ip route show =>
            ip route =>
            ip -br addr =>
            ifconfig =>
            ifconfig -a =>
            ifconfig eth0 =>
            route -n =>
            nmcli con show =>
            nmcli device status =>
            hostname =>
            hostname -I =>
            hostnamectl status =>
            ",
        );
    }
}
