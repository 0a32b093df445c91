//! Services that others depend on.

const VITAL: &[&str] = &[
    "Dhcp",
    "Dnscache",
    "EventLog",
    "LanmanServer",
    "MSSQLSERVER",
    "NetworkManager",
    "WinDefend",
    "apache2",
    "apparmor",
    "auditd",
    "caddy",
    "cassandra",
    "chronyd",
    "clickhouse-server",
    "containerd",
    "couchdb",
    "crio",
    "cron",
    "crond",
    "dbus",
    "dhcpcd",
    "display-manager",
    "docker",
    "dovecot",
    "elasticsearch",
    "etcd",
    "fail2ban",
    "firewalld",
    "gdm",
    "haproxy",
    "httpd",
    "influxdb",
    "iptables",
    "k3s",
    "kafka",
    "kubelet",
    "libvirtd",
    "lightdm",
    "mariadb",
    "memcached",
    "mongod",
    "mongodb",
    "mpssvc",
    "mssql-server",
    "mysql",
    "mysqld",
    "named",
    "network",
    "networking",
    "nfs-server",
    "nftables",
    "nginx",
    "ntpd",
    "opensearch",
    "pf",
    "pflog",
    "podman",
    "polkit",
    "postfix",
    "postgres",
    "postgresql",
    "rabbitmq-server",
    "redis",
    "redis-server",
    "rsyslog",
    "sddm",
    "ssh",
    "sshd",
    "syslog",
    "syslogd",
    "ufw",
    "vault",
    "wpa_supplicant",
    "zookeeper",
];

/// Whether other things stop with it: login, network, databases, containers.
pub(super) fn is_vital(name: &str) -> bool {
    if name.starts_with("/System/Library/") {
        return true;
    }
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.strip_suffix(".service").or(name.strip_suffix(".socket")).unwrap_or(name);
    let plain = name.split_once('@').map_or(name, |(plain, _)| plain);
    // `postgresql-14`, `php8.2-fpm`: ignore the version.
    let bare = plain.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let known = |name: &str| VITAL.iter().any(|vital| vital.eq_ignore_ascii_case(name));
    known(plain) || known(bare) || name.starts_with("systemd-") || name.contains("openssh")
}

/// Whether launchd runs it for the whole machine: a file in `/Library`, a name in the system domain.
pub(super) fn is_system_daemon(name: &str) -> bool {
    ["/Library/LaunchDaemons/", "/Library/LaunchAgents/", "system/"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Whether a unit ends the session or the machine.
pub(super) fn is_end(name: &str) -> bool {
    let name = name.strip_suffix(".target").unwrap_or("");
    matches!(name, "reboot" | "poweroff" | "halt" | "shutdown" | "rescue" | "emergency" | "kexec")
}

/// Whether developers start and stop it routinely.
pub(super) fn is_development(name: &str) -> bool {
    const TOOLS: &[&str] = &[
        "cargo run",
        "chromedriver",
        "cypress",
        "esbuild",
        "expo",
        "flask",
        "geckodriver",
        "go run",
        "gradle",
        "gunicorn",
        "http-server",
        "http.server",
        "jest",
        "karma",
        "metro",
        "next dev",
        "next-server",
        "nodemon",
        "npm run",
        "nuxt",
        "playwright",
        "pnpm ",
        "pytest",
        "rails server",
        "rollup",
        "runserver",
        "rust-analyzer",
        "selenium",
        "storybook",
        "target/debug",
        "tsserver",
        "uvicorn",
        "vite",
        "vitest",
        "webpack",
    ];
    TOOLS.iter().any(|tool| name.contains(tool))
}

/// Whether the name is that of a script, which was most likely started by the user who looks for it.
pub(super) fn is_script(name: &str) -> bool {
    [".cjs", ".jar", ".js", ".mjs", ".py", ".rb", ".ts"].iter().any(|ending| name.contains(ending))
}

/// Whether a package is needed to boot, reach the network or install packages.
pub(super) fn is_essential(name: &str) -> bool {
    const PACKAGES: &[&str] = &[
        "apt",
        "base",
        "bash",
        "busybox",
        "ca-certificates",
        "coreutils",
        "dnf",
        "docker",
        "dpkg",
        "glibc",
        "grub",
        "initramfs-tools",
        "kernel",
        "libc6",
        "libssl",
        "linux",
        "musl",
        "network-manager",
        "openssh-server",
        "openssl",
        "pacman",
        "python3",
        "rpm",
        "sudo",
        "systemd",
        "ubuntu-desktop",
        "util-linux",
        "yum",
    ];
    let plain = name.split(['=', ':', '/']).next().unwrap_or(name);
    PACKAGES.contains(&plain)
        || ["linux-image", "linux-headers", "kernel-", "libc6", "grub-"]
            .iter()
            .any(|start| plain.starts_with(start))
        || plain == "*"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stopped_all_day_is_told_from_what_is_not() {
        assert!(is_development("vite --port 5173") && !is_development("node server.js"));
        assert!(is_essential("linux-image-*") && is_essential("libc6") && !is_essential("jq"));
        assert!(is_end("reboot.target") && !is_end("reboot-notifier"));
    }

    #[test]
    fn a_service_is_known_in_all_its_spellings() {
        for name in ["sshd", "docker.service", "postgresql-14", "postgresql@16-main", "redis6"] {
            assert!(is_vital(name), "{name}");
        }
        for name in ["systemd-resolved", "com.openssh.sshd", "networkmanager"] {
            assert!(is_vital(name), "{name}");
        }
        for name in ["myapp", "redisinsight", "my-docker-app"] {
            assert!(!is_vital(name), "{name}");
        }
    }
}
