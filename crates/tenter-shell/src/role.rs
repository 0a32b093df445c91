//! Roles: what a program is for where its effects do not say it. Guards ask for a role, so that names of
//! programs stand in this crate only.

use std::fmt;

use crate::analysis::{Ran, Via};
use crate::hides;
use crate::value::Field;

macro_rules! roles {
    ($($variant:ident $meaning:literal [$($name:literal)*],)*) => {
        /// What a program is for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Role { $(#[doc = $meaning] $variant,)* }

        impl Role {
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$variant,)*];

            const fn names(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($name),*],)* }
            }
        }
    };
}

roles! {
    Allocates "reserves room for a file" ["fallocate"],
    AsksFirst "asks for confirmation before it changes anything" ["ufw"],
    Awk "runs a script for every line" ["awk" "gawk" "mawk" "nawk"],
    BecomesRoot "runs a command as root" ["sudo" "doas" "su" "pkexec" "run0"],
    BlockCopier "writes blocks over a file or device" ["dd"],
    BuildsProjects "builds a project by its own rules" [
        "make" "gmake" "just" "task" "bazel" "ninja"
    ],
    Concatenates "prints files or its input" ["cat"],
    ContainerEngine "runs containers" ["docker" "podman" "nerdctl"],
    Counts "prints a count or a checksum of what it reads" [
        "wc" "md5sum" "sha1sum" "sha256sum" "shasum" "cksum" "cmp"
    ],
    Copies "copies a file over another" ["cp" "install"],
    Crates "installs crates" ["cargo"],
    DatabaseClient "runs statements in a database" [
        "psql" "mysql" "mariadb" "sqlite3" "mongosh" "mongo" "redis-cli"
    ],
    Debugs "stops and inspects a process" [
        "gdb" "lldb" "strace" "ltrace" "perf" "bpftrace" "rr" "reptyr"
    ],
    DefinesAlias "defines an alias" ["alias"],
    DiskTool "does nothing but work on disks" [
        "fdisk" "cfdisk" "sfdisk" "gdisk" "cgdisk" "sgdisk" "parted" "partprobe" "partx" "blockdev"
        "cryptsetup" "dump" "restore" "debugfs" "kpartx" "addpart" "delpart" "resizepart" "growpart"
        "ntfsresize" "testdisk" "gparted" "xfs_admin"
    ],
    Emulator "reaches only an emulator of a provider on this machine" ["awslocal"],
    Endless "prints the same line without end" ["yes"],
    FeedsLines "runs a command for every line of its input" [
        "xargs" "gxargs" "parallel" "gparallel" "rush"
    ],
    FileDrop "hands a file to everybody who has the code or the address" [
        "croc" "wormhole" "ffsend" "ipfs" "pastebinit" "onionshare-cli"
    ],
    Filters "prints what it reads, or parts of it" [
        "awk" "cat" "cut" "egrep" "grep" "head" "rev" "rg" "sed" "sort" "tail" "tr" "uniq" "xargs"
    ],
    FindsFiles "finds files by tests" ["find"],
    FindsProcesses "prints process numbers or processes" ["pgrep" "pidof" "ps" "tasklist"],
    Gems "installs gems" ["gem" "bundle" "bundler"],
    Git "is git" ["git"],
    GoModules "installs or runs Go modules" ["go"],
    InstallsFile "copies a file and sets owner and mode of the copy" ["install"],
    Interpreter "runs code of a language given as an argument" [
        "python" "node" "perl" "ruby" "php" "lua" "deno" "bun" "osascript" "pwsh" "powershell"
    ],
    StartsAtLogin "starts jobs at every login" ["launchctl"],
    ListsFiles "prints names of files without being asked for them" [
        "locate" "plocate" "mlocate" "mdfind" "fd" "fdfind" "tree" "du"
    ],
    ListsFolder "prints all names in a folder" ["ls" "dir"],
    ListsPorts "prints connections and who listens" ["Get-NetTCPConnection" "netstat" "lsof" "ss"],
    KillsByNumber "ends processes by their number or port" ["kill" "fuser" "kill-port"],
    LocalCluster "runs clusters on this machine" ["kind" "k3d" "minikube"],
    MountsDisks "mounts disks by their number" ["diskutil"],
    NoBuilder "takes `-d` or `-o` for something else than a folder to build into" [
        "[" "cp" "curl" "declare" "du" "echo" "find" "git" "ls" "mkdir" "mv" "printf" "rm" "set"
        "sort" "stat" "tar" "test" "tree" "unzip" "wget"
    ],
    NoOutputOption "takes `-o` for something else than an output file" [
        "grep" "egrep" "fgrep" "rg" "ssh" "ps" "find" "tenter"
    ],
    Npm "installs packages of npm" [
        "npm" "pnpm" "yarn" "yarnpkg" "bun" "ni" "deno" "npx" "bunx" "pnpx"
    ],
    OneFile "deletes one file and refuses folders" ["unlink"],
    OtherMachine "runs a command on other machines" [
        "ssh" "slogin" "autossh" "dbclient" "sshpass" "mosh" "et" "tailscale" "pssh" "parallel-ssh"
        "pdsh" "clush" "dsh" "rsh" "parallel" "ansible" "nsenter"
    ],
    OwnProgram "is this guard" ["tenter"],
    OwnServices "runs services of the user, not of the machine" ["pm2" "supervisorctl" "monit"],
    OwnStorage "copies to storage that the user has set up" ["rclone"],
    Partitions "changes partitions by a script" ["diskpart"],
    PassesOn "writes its standard input somewhere else, unchanged" [
        "cat" "dd" "sponge" "sudo" "tee"
    ],
    PinnedCode "runs code from an address that can be pinned" ["deno" "bun" "nix"],
    Places "puts a file in the place of another" ["ln" "cp" "mv" "cat" "install"],
    Prints "prints its arguments" ["echo" "printf"],
    PrintsNothing "prints nothing, or empties a file" [":" "true" "truncate"],
    Profiles "installs and removes device profiles" ["profiles"],
    Pypi "installs packages of Python" [
        "pip" "pipx" "pip-sync" "pip-compile" "uv" "uvx" "poetry" "pdm" "pipenv" "hatch" "rye"
        "easy_install"
    ],
    RegistryCode "runs packages by their name in a registry" ["dotnet" "dart"],
    RemovesObjects "deletes system objects that are piped to it" [
        "Remove-WmiObject" "Remove-CimInstance"
    ],
    SearchesText "prints lines, or names of files, that match" ["rg" "ag" "ack" "grep" "egrep" "findstr"],
    SecretStore "prints a secret when asked for one" [
        "aws" "gcloud" "az" "vault" "kubectl" "oc" "infisical" "consul" "oci"
    ],
    SetsDefaults "changes settings of macOS" ["defaults"],
    SetsLimits "limits running processes" ["prlimit"],
    SetsSystem "changes settings of a Mac" ["systemsetup"],
    SetsVariables "sets variables for what is started later" ["export" "declare" "typeset" "setx"],
    SetsVariablesForOthers "sets variables for programs that others start" ["export" "setx"],
    Shell "runs shell code" ["sh" "bash" "zsh" "dash" "ksh"],
    Ssh "opens a connection by SSH" ["ssh"],
    SshCopies "copies or runs commands by SSH" ["scp" "sftp" "rsync" "ssh"],
    SystemDownloader "is part of Windows and can download files" ["certutil" "bitsadmin"],
    SystemPackages "installs packages of an operating system" [
        "apt" "apt-get" "aptitude" "dpkg" "yum" "dnf" "dnf5" "microdnf" "zypper" "rpm" "pacman" "yay"
        "paru" "apk" "opkg" "emerge" "brew" "port" "pkg" "snap" "choco" "winget" "scoop"
    ],
    TakesDisks "makes a pool or an array of whole disks" ["zpool" "mdadm"],
    Truncates "sets the size of a file" ["truncate"],
    UnzipsFlat "unpacks without folders with `-j`" ["unzip"],
    UserPackages "installs packages beside those of the system" [
        "brew" "choco" "winget" "scoop" "snap"
    ],
    UserServices "runs services of packages that the user installed" ["brew"],
    Watches "takes what is copied, or what the screen shows" [
        "pbpaste" "screencapture" "scrot" "wl-paste" "xclip" "xsel" "xwd"
    ],
    UsesKeys "works with a key without printing it" ["openssl" "keytool" "ssh-keygen"],
}

impl Role {
    /// `python3.12` has the roles of `python`; the case of letters does not count.
    pub fn is_of(self, program: &str) -> bool {
        let has = |name: &str| self.names().iter().any(|known| known.eq_ignore_ascii_case(name));
        let is_version = |last: char| last.is_ascii_digit() || last == '.';
        has(program) || program.ends_with(is_version) && has(program.trim_end_matches(is_version))
    }
}

impl Via {
    pub fn is(&self, role: Role) -> bool {
        role.is_of(&self.name)
    }
}

/// The plain name of the program, for messages.
impl fmt::Display for Ran {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.program)
    }
}

impl Ran {
    /// Whether the program has this role.
    pub fn is(&self, role: Role) -> bool {
        role.is_of(&self.program)
    }

    /// Whether this is its plain name.
    pub fn is_named(&self, name: &str) -> bool {
        self.program == name
    }

    /// Whether it is a coding agent that can run hooks.
    pub fn is_agent(&self) -> bool {
        crate::is_agent(&self.program)
    }

    /// Whether one of its arguments is exactly this word.
    pub fn says(&self, word: &str) -> bool {
        self.argv.iter().any(|field| field.is(word))
    }

    /// Whether it prints only the names of the settings in a file, not their values:
    /// `cut -d= -f1 .env`, `grep -c . .env`.
    pub fn shows_names_only(&self) -> bool {
        let has = |wanted: &[&str]| wanted.iter().any(|word| self.says(word));
        match self.program.as_str() {
            "cut" => has(&["-d=", "-d"]) && has(&["-f1"]),
            "grep" | "egrep" | "rg" => {
                has(&["--quiet", "--count", "--files-with-matches"])
                    || self.argv.iter().skip(1).filter_map(Field::exact).any(is_quiet)
                    || self.prints_names()
                    || hides::is_harmless_search(self)
            }
            "Select-String" | "select-string" | "sls" => {
                let words = self.argv.iter().skip(1).filter_map(Field::exact);
                words.map(str::to_ascii_lowercase).any(|word| word.starts_with("-q"))
            }
            "awk" | "gawk" | "mawk" => self.prints_first(),
            "sed" | "perl" => self.argv.iter().filter_map(Field::exact).any(hides_values),
            _ => false,
        }
    }

    /// Whether only the part before `=` is printed: `grep -oE '^[A-Z_]+'`.
    fn prints_names(&self) -> bool {
        let mut words = self.argv.iter().skip(1).filter_map(Field::exact);
        let part = |word: &str| word == "--only-matching" || is_short(word, 'o');
        let shown = words.clone().any(part);
        let pattern = words.find(|word| !word.starts_with('-')).unwrap_or_default();
        let name = pattern.strip_prefix('^').map(|name| name.trim_end_matches('='));
        let class = name.map(|name| name.trim_end_matches(['*', '+', '\\']));
        let letters = class.and_then(|class| class.strip_prefix('[')?.strip_suffix(']'));
        shown
            && letters.is_some_and(|letters| {
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
                letters == "^=" || letters.bytes().all(plain)
            })
    }

    /// Whether a script of awk prints first fields and literal text only.
    fn prints_first(&self) -> bool {
        let mut words = self.argv.iter().skip(1).filter_map(Field::exact);
        let splits = words.clone().any(|word| matches!(word, "-F=" | "="));
        let script = words.find(|word| word.contains("print"));
        splits && script.is_some_and(hides::awk_shows_names)
    }

    /// The option that keeps it from checking the certificate of a server.
    pub fn insecure_option(&self) -> Option<&Field> {
        let is_curl = self.program == "curl";
        if !is_curl && self.program != "wget" {
            return None;
        }
        let off = |field: &&Field| {
            let text = field.prefix();
            let plain = |letter: char| "sSfLvijIgO#".contains(letter);
            let letters = text.strip_prefix('-').unwrap_or_default();
            matches!(text, "--insecure" | "--no-check-certificate")
                || is_curl && letters.trim_start_matches(plain).starts_with('k')
        };
        self.argv.iter().skip(1).find(off)
    }
}

/// `-oE`
fn is_short(word: &str, letter: char) -> bool {
    word.strip_prefix('-').is_some_and(|flags| !flags.starts_with('-') && flags.contains(letter))
}

/// Whether a script of sed or perl removes the values: `s/=.*/=<hidden>/`, `s/^([^=]+)=.*/\1=***/`.
fn hides_values(script: &str) -> bool {
    let mut parts = script.strip_prefix('s').unwrap_or_default().chars();
    let Some(mark) = parts.next().filter(|mark| !mark.is_alphanumeric()) else { return false };
    let mut fields = parts.as_str().split(mark);
    let (Some(what), Some(by)) = (fields.next(), fields.next()) else { return false };
    hides::hides(what, by)
}

/// Whether grep only says whether or how often it found something.
fn is_quiet(word: &str) -> bool {
    ['q', 'c', 'l'].iter().any(|flag| is_short(word, *flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_found_by_name_without_version_and_case() {
        assert!(Role::Interpreter.is_of("python3.12"));
        assert!(Role::ListsPorts.is_of("get-nettcpconnection"));
        assert!(Role::LocalCluster.is_of("k3d"));
        assert!(!Role::Interpreter.is_of("pythonic"));
        assert!(!Role::Git.is_of("git-lfs"));
    }

    #[test]
    fn every_role_has_programs_each_once() {
        for role in Role::ALL {
            let names = role.names();
            assert!(!names.is_empty(), "{role:?}");
            for (at, name) in names.iter().enumerate() {
                assert!(!names.iter().skip(at + 1).any(|other| other == name), "{role:?} {name}");
            }
        }
    }
}
