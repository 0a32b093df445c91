//! Checks of the guard, with examples.

use crate::guard::{Check, Guard};
use crate::level::Weight::{Doubtful, Grave, Minor};
use crate::sample::Sample::{Edit, Shell, Write};

pub(super) const WIDE: Check = Check {
    id: "wide",
    weight: Grave,
    title: "modes or owners of a system tree or a home change as a whole",
    instead: "change the one file or folder of the project that needs it",
    safe: &["chmod +x run.sh", "chmod -R u+rwX ./build"],
};

pub(super) const SUDOERS: Check = Check {
    id: "sudoers",
    weight: Grave,
    title: "who may become root changes",
    instead: "tell the human which command needs rights, and let them run it",
    safe: &["sudo -l"],
};

pub(super) const VITAL: Check = Check {
    id: "vital",
    weight: Grave,
    title: "rights of the root, of a file that guards the system or of a program of root change",
    instead: "leave the system's own files as they are",
    safe: &["ls -l /etc"],
};

pub(super) const EXPOSED: Check = Check {
    id: "exposed",
    weight: Doubtful,
    title: "a key or a credential can be read by others",
    instead: "keep it private: `chmod 600`, and `chmod 700` for its folder",
    safe: &["chmod 600 ~/.ssh/id_ed25519", "chmod 700 ~/.ssh"],
};

pub(super) const SETUID: Check = Check {
    id: "setuid",
    weight: Doubtful,
    title: "a program runs with the rights of its owner, whoever starts it",
    instead: "run it as the user who needs it",
    safe: &["chmod 755 tool"],
};

pub(super) const CAPABILITIES: Check = Check {
    id: "capabilities",
    weight: Doubtful,
    title: "a program gets rights of root",
    instead: "use a port above 1024, or let the human grant it",
    safe: &["getcap tool"],
};

pub(super) const EVERYBODY: Check = Check {
    id: "world-writable",
    weight: Doubtful,
    title: "everybody on the machine may change a file",
    instead: "give the owner what is needed: `chmod u+rw`, `chmod 755`, `chmod 644`",
    safe: &["chmod u+rw notes.txt", "chmod 755 run.sh", "chmod 644 notes.txt"],
};

pub(super) const GROUP: Check = Check {
    id: "group",
    weight: Doubtful,
    title: "an account joins a group with the rights of root",
    instead: "let the human do it",
    safe: &["id"],
};

pub(super) const LOGIN: Check = Check {
    id: "login",
    weight: Doubtful,
    title: "who may log in by key changes",
    instead: "let the human add the key",
    safe: &["ls ~/.ssh"],
};

pub(super) const SYSTEM: Check = Check {
    id: "system",
    weight: Doubtful,
    title: "modes or owners of a file of the system change",
    instead: "leave the system's files as their packages made them",
    safe: &["ls -l /etc"],
};

pub(super) const WORKSPACE: Check = Check {
    id: "workspace",
    weight: Doubtful,
    title: "modes or owners of everything in the workspace change",
    instead: "change the files that need it; what has to be executable is a few scripts",
    safe: &["chmod +x scripts/run.sh", "chmod -R u+rwX ."],
};

pub(super) const OUTSIDE: Check = Check {
    id: "outside",
    weight: Doubtful,
    title: "modes or owners of a tree outside the workspace or on another machine change",
    instead: "change single files by name",
    safe: &["chmod 600 ~/.ssh/id_ed25519"],
};

pub(super) const UNKNOWN: Check = Check {
    id: "unknown-target",
    weight: Doubtful,
    title: "whose modes or owners change depends on a variable or a program",
    instead: "write the path out; if a variable may be empty, the path may be `/`",
    safe: &["chmod -R u+rwX ./build"],
};

pub(super) const LOCKED: Check = Check {
    id: "locked",
    weight: Doubtful,
    title: "a folder of the workspace can be read no more",
    instead: "keep the owner's rights: `chmod go-rwx`",
    safe: &["chmod go-rwx notes.txt"],
};

pub(super) const ATTRIBUTES: Check = Check {
    id: "attributes",
    weight: Doubtful,
    title: "protection from change is put on or taken off",
    instead: "look with `lsattr`, and leave it to the human",
    safe: &["lsattr notes.txt"],
};

pub(super) const MODE: Check = Check {
    id: "mode",
    weight: Minor,
    title: "the mode or owner of a file changes",
    instead: "change no more than the task asks for",
    safe: &[],
};

const PAGE: &str = "\
Rights are quickly given and hard to take back: after `chmod -R` over a tree nobody knows what they were.

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
