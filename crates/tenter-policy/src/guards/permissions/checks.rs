//! Checks of the guard, with examples.

use crate::guard::{Check, Guard};
use crate::level::Weight::{Doubtful, Grave, Minor};
use crate::sample::Sample::{Edit, Shell, Write};

pub(super) const WIDE: Check = Check {
    id: "wide",
    weight: Grave,
    title: "changes modes or owners of a whole system or home folder",
    instead: "change only the file that needs it: `chmod +x <file>`",
    safe: &["chmod +x run.sh", "chmod -R u+rwX ./build"],
};

pub(super) const SUDOERS: Check = Check {
    id: "sudoers",
    weight: Grave,
    title: "changes who may become root",
    instead: "tell the user which command needs root",
    safe: &["sudo -l"],
};

pub(super) const VITAL: Check = Check {
    id: "vital",
    weight: Grave,
    title: "changes rights of the root folder, a security file or a root program",
    instead: "",
    safe: &[],
};

pub(super) const EXPOSED: Check = Check {
    id: "exposed",
    weight: Doubtful,
    title: "makes a key or credential readable by others",
    instead: "keep it private: `chmod 600 <file>`",
    safe: &["chmod 600 ~/.ssh/id_ed25519", "chmod 700 ~/.ssh"],
};

pub(super) const SETUID: Check = Check {
    id: "setuid",
    weight: Doubtful,
    title: "lets anyone run a program with its owner's rights",
    instead: "make it executable only: `chmod 755 <file>`",
    safe: &["chmod 755 tool"],
};

pub(super) const CAPABILITIES: Check = Check {
    id: "capabilities",
    weight: Doubtful,
    title: "gives a program root capabilities",
    instead: "for a port below 1024, use one above",
    safe: &["getcap tool"],
};

pub(super) const EVERYBODY: Check = Check {
    id: "world-writable",
    weight: Doubtful,
    title: "lets every user change a file",
    instead: "let only the owner write: `chmod u+rw <file>`",
    safe: &["chmod u+rw notes.txt", "chmod 755 run.sh", "chmod 644 notes.txt"],
};

pub(super) const GROUP: Check = Check {
    id: "group",
    weight: Doubtful,
    title: "adds an account to a group with root rights",
    instead: "",
    safe: &[],
};

pub(super) const LOGIN: Check = Check {
    id: "login",
    weight: Doubtful,
    title: "changes which keys may log in",
    instead: "tell the user which key to add",
    safe: &["ls ~/.ssh"],
};

pub(super) const SYSTEM: Check = Check {
    id: "system",
    weight: Doubtful,
    title: "changes mode or owner of a system file",
    instead: "",
    safe: &[],
};

pub(super) const WORKSPACE: Check = Check {
    id: "workspace",
    weight: Doubtful,
    title: "changes modes or owners of the whole workspace",
    instead: "change only the files that need it: `chmod +x <file>`",
    safe: &["chmod +x scripts/run.sh", "chmod -R u+rwX ."],
};

pub(super) const OUTSIDE: Check = Check {
    id: "outside",
    weight: Doubtful,
    title: "changes modes or owners of a folder outside the workspace or on another machine",
    instead: "change single files by name",
    safe: &["chmod 600 ~/.ssh/id_ed25519"],
};

pub(super) const UNKNOWN: Check = Check {
    id: "unknown-target",
    weight: Doubtful,
    title: "changes modes or owners of a path that depends on a variable or program",
    instead: "write the path out; an empty variable can make it `/`",
    safe: &["chmod -R u+rwX ./build"],
};

pub(super) const LOCKED: Check = Check {
    id: "locked",
    weight: Doubtful,
    title: "makes a folder of the workspace unreadable",
    instead: "keep the owner's rights: `chmod go-rwx <path>`",
    safe: &["chmod go-rwx notes.txt"],
};

pub(super) const ATTRIBUTES: Check = Check {
    id: "attributes",
    weight: Doubtful,
    title: "sets or removes write protection",
    instead: "",
    safe: &[],
};

pub(super) const MODE: Check = Check {
    id: "mode",
    weight: Minor,
    title: "changes mode or owner of a file",
    instead: "",
    safe: &[],
};

const PAGE: &str = "\
Rights are quickly given and hard to take back: after `chmod -R` over a tree the old ones are lost.

**Denied.** Modes, owners or access lists of the root, a system tree or a home as a whole; any change of who may \
become root (`/etc/sudoers`, `visudo`), the rights of \
`/etc/passwd` and its like, programs that lend the rights of root.

**Asked.** Files that everybody may write (`chmod 777`, `a+w`), programs that lend the rights of their owner \
(`u+s`, `setcap`), files of the system, all of the workspace, trees outside it, a path that depends on an \
unknown variable, protection put on or taken off (`chattr`), accounts that join `sudo` or `docker`, keys that may \
log in.

**Left alone.** `chmod +x script`, `chmod 644 file`, `chown` of single files, keys made private \
(`chmod 600 ~/.ssh/id`), what makes the workspace one's own again (`chown -R \"$USER\" .`, `chmod -R u+rwX .`), \
temporary files and build output.";

pub(in super::super) static GUARD: Guard = Guard {
    id: "permissions",
    title: "Rights that are given away or lost",
    page: PAGE,
    checks: &[
        WIDE,
        SUDOERS,
        VITAL,
        SETUID,
        CAPABILITIES,
        EVERYBODY,
        GROUP,
        LOGIN,
        EXPOSED,
        SYSTEM,
        WORKSPACE,
        OUTSIDE,
        UNKNOWN,
        LOCKED,
        ATTRIBUTES,
        MODE,
    ],
    options: &[],
    optional: false,
    blocks: &[
        (Shell("chmod -R 777 /"), "wide"),
        (Shell("sudo chown -R me:me /usr"), "wide"),
        (Shell("chmod -R 000 ~"), "wide"),
        (Shell("find / -exec chmod 000 {} +"), "wide"),
        (Shell("cd / && chmod -R 755 ."), "wide"),
        (Shell("echo 'me ALL=(ALL) NOPASSWD: ALL' | sudo tee /etc/sudoers.d/me"), "sudoers"),
        (Shell("visudo"), "sudoers"),
        (Write("/etc/sudoers", "me ALL=(ALL) ALL"), "sudoers"),
        (Edit("/etc/sudoers.d/me", "me ALL=(ALL) ALL"), "sudoers"),
        (Shell("chmod u+s /bin/bash"), "vital"),
        (Shell("sudo chmod 777 /"), "vital"),
        (Shell("sudo chmod 644 /etc/shadow"), "vital"),
        (Shell("sudo chmod 4755 ./tool"), "vital"),
        (Shell("chmod u+s tool"), "setuid"),
        (Shell("chmod 4755 tool"), "setuid"),
        (Shell("sudo setcap cap_net_raw+ep ./tool"), "capabilities"),
        (Shell("chmod 777 run.sh"), "world-writable"),
        (Shell("chmod -R a+w src"), "world-writable"),
        (Shell("python3 -c 'import os; os.chmod(\"data\", 0o777)'"), "world-writable"),
        (Shell("sudo usermod -aG docker me"), "group"),
        (Shell("cat key.pub >> ~/.ssh/authorized_keys"), "login"),
        (Shell("chmod 644 ~/.ssh/id_ed25519"), "exposed"),
        (Shell("chmod -R 755 ~/.ssh"), "exposed"),
        (Shell("chmod 644 /etc/hosts"), "system"),
        (Shell("chown bob /etc/hosts"), "system"),
        (Shell("chmod -R 755 ."), "workspace"),
        (Shell("sudo chown -R root:root ."), "workspace"),
        (Shell("chown -R www:www /data/site"), "outside"),
        (Shell("ssh web sudo chmod -R 777 /var"), "outside"),
        (Shell("chmod -R 777 \"$DIR\"/*"), "unknown-target"),
        (Shell("chmod -R 000 notes"), "locked"),
        (Shell("sudo chattr -i config.toml"), "attributes"),
        (Shell("chmod 600 notes.txt"), "mode"),
    ],
    passes: &[
        Shell("chmod +x run.sh"),
        Shell("chmod 644 a.txt b.txt"),
        Shell("chmod 755 scripts/*.sh"),
        Shell("chmod -R 755 scripts"),
        Shell("chown me:me notes.txt"),
        Shell("sudo chown -R \"$USER\" ."),
        Shell("sudo chown -R me:me node_modules"),
        Shell("chmod -R u+rwX ."),
        Shell("chmod 600 ~/.ssh/id_ed25519"),
        Shell("chmod 700 ~/.ssh"),
        Shell("chmod 644 ~/.ssh/id_ed25519.pub"),
        Shell("chmod 777 /tmp/shared"),
        Shell("sudo chmod +x /usr/local/bin/tool"),
        Shell("chmod --help"),
        Shell("find . -name '*.sh' -exec chmod +x {} +"),
        Shell("getfacl data"),
        Shell("umask 022"),
        Shell("git update-index --chmod=+x run.sh"),
        Shell("echo 'chmod -R 777 /' >> notes.md"),
        Shell("cat /etc/sudoers.d/README"),
    ],
    look: super::look,
};
