//! File names that tell how severe a loss is.

use crate::guards::self_protection::is_everyday;

/// Top-level project folders with hand-written files.
const SOURCES: &[&str] = &[
    ".github",
    "api",
    "app",
    "apps",
    "backend",
    "client",
    "cmd",
    "code",
    "components",
    "config",
    "crates",
    "db",
    "docs",
    "examples",
    "frontend",
    "include",
    "infra",
    "internal",
    "k8s",
    "lib",
    "libs",
    "migrations",
    "modules",
    "packages",
    "pages",
    "pkg",
    "prisma",
    "projects",
    "repos",
    "scripts",
    "server",
    "services",
    "source",
    "sources",
    "spec",
    "specs",
    "sql",
    "src",
    "terraform",
    "test",
    "tests",
    "web",
    "workspace",
];

/// Files that mark a folder as a project.
const MANIFESTS: &[&str] = &[
    ".gitignore",
    "CMakeLists.txt",
    "Cargo.toml",
    "Dockerfile",
    "Gemfile",
    "LICENSE",
    "Makefile",
    "Pipfile",
    "Package.swift",
    "README.md",
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "build.zig",
    "composer.json",
    "deno.json",
    "docker-compose.yml",
    "go.mod",
    "mix.exs",
    "package.json",
    "pom.xml",
    "pubspec.yaml",
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "tsconfig.json",
];

/// Extensions of hand-written files.
const WRITTEN: &[&str] = &[
    "c", "cc", "clj", "cpp", "cs", "css", "dart", "ex", "exs", "go", "h", "hpp", "hs", "html",
    "java", "js", "json", "jsx", "kt", "lua", "m", "md", "ml", "php", "pl", "py", "rb", "rs",
    "scala", "scss", "sh", "sql", "svelte", "swift", "tex", "tf", "toml", "ts", "tsx", "txt",
    "vue", "xml", "yaml", "yml", "zig",
];

/// Extensions of files that tools leave behind.
const CLUTTER: &[&str] = &[
    "a",
    "bak",
    "cache",
    "class",
    "coverage",
    "dSYM",
    "d",
    "dll",
    "dylib",
    "dyn",
    "egg",
    "gcda",
    "gcno",
    "gcov",
    "gz",
    "info",
    "lcov",
    "lock",
    "log",
    "lst",
    "lto",
    "map",
    "o",
    "obj",
    "old",
    "orig",
    "out",
    "pid",
    "prof",
    "profdata",
    "profraw",
    "pyc",
    "pyd",
    "pyo",
    "rej",
    "rlib",
    "rmeta",
    "sl",
    "snap",
    "so",
    "sock",
    "stackdump",
    "swo",
    "swp",
    "temp",
    "tgz",
    "tmp",
    "tsbuildinfo",
    "wasm",
    "whl",
    "zip",
];

/// Whether all extensions that a pattern such as `py[co]` matches are clutter.
fn is_clutter_pattern(ending: &str) -> bool {
    let Some((start, (class, end))) =
        ending.split_once('[').and_then(|(start, rest)| Some((start, rest.split_once(']')?)))
    else {
        return false;
    };
    let every = |letter: u8| {
        CLUTTER.iter().any(|known| {
            let rest = known.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
            rest.is_some_and(|rest| rest.as_bytes() == [letter])
        })
    };
    !class.is_empty() && class.bytes().all(every)
}

pub(super) fn is_source_folder(name: &str) -> bool {
    SOURCES.binary_search(&name).is_ok()
}

/// Whether a manifest is usually written as a whole: a document, or a list with one item per line.
/// Overwriting it is ordinary work.
pub(super) fn is_prose(name: &str) -> bool {
    matches!(
        name,
        ".gitignore"
            | "Dockerfile"
            | "LICENSE"
            | "Makefile"
            | "Pipfile"
            | "README.md"
            | "docker-compose.yml"
            | "requirements.txt"
    )
}

pub(super) fn is_manifest(name: &str) -> bool {
    MANIFESTS.contains(&name)
}

/// Whether a file is disposable: a log, an object file, an editor's backup.
pub(super) fn is_clutter(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    CLUTTER.contains(&ending)
        || is_clutter_pattern(ending)
        || name.ends_with('~')
        || name.starts_with("._")
        || matches!(name, ".DS_Store" | "Thumbs.db" | "desktop.ini" | "nohup.out" | "core")
        || name.contains(".log")
        || name.starts_with("npm-debug")
        || name.ends_with(":Zone.Identifier")
}

/// Whether a pattern matches every file of a hand-written kind: `*.py`.
pub(super) fn is_every_source(name: &str) -> bool {
    name.strip_prefix("*.").is_some_and(|ending| WRITTEN.contains(&ending))
}

/// Severity of losing something in `.git`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum History {
    /// Commits, branches, or all of it.
    Lost,
    /// Settings, submodules, and unknown files.
    Touched,
    /// Locks, hooks, the index, leftovers of a merge or rebase.
    Kept,
}

/// Classifies a path below `.git`.
pub(super) fn history(rest: &str) -> History {
    let mut parts = rest.split('/').filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or_default();
    match first {
        "" | "*" | "**" => History::Lost,
        _ if rest.rsplit('.').next() == Some("lock")
            || first.ends_with("_HEAD")
            || first.ends_with("_MSG") =>
        {
            History::Kept
        }
        "objects" if parts.next() == Some("tmp") => History::Kept,
        "objects" | "refs" | "logs" | "packed-refs" | "HEAD" | "lfs" => History::Lost,
        "hooks" | "info" | "rebase-merge" | "rebase-apply" | "gc.log" | "gc.pid"
        | "COMMIT_EDITMSG" | "description" | "sequencer" | "BISECT_LOG" | "branches"
        | "fsmonitor--daemon" => History::Kept,
        // `.git/{objects,refs}` as one name, and similar patterns.
        name if name.contains("objects") || name.contains("refs") => History::Lost,
        _ => History::Touched,
    }
}

/// Files needed to start the machine, or that grant root.
pub(in super::super) fn is_vital(path: &str) -> bool {
    is_vital_file(path) || in_vital_folder(path)
}

/// Whether a file is in a folder of essential system programs.
fn in_vital_folder(path: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "/bin/",
        "/boot/",
        "/efi/",
        "/lib/",
        "/lib64/",
        "/sbin/",
        "/usr/bin/",
        "/usr/lib64/",
        "/usr/sbin/",
        "/System/",
        "/nix/store/",
    ];
    let path = path.strip_prefix("/private").unwrap_or(path);
    FOLDERS.iter().any(|folder| path.starts_with(folder))
}

/// Single essential files.
pub(in super::super) fn is_vital_file(path: &str) -> bool {
    const FILES: &[&str] = &[
        "/etc/crypttab",
        "/etc/fstab",
        "/etc/group",
        "/etc/gshadow",
        "/etc/ld.so.conf",
        "/etc/ld.so.preload",
        "/etc/machine-id",
        "/etc/pam.conf",
        "/etc/passwd",
        "/etc/shadow",
        "/etc/ssh/sshd_config",
        "/etc/sudoers",
    ];
    FILES.contains(&path.strip_prefix("/private").unwrap_or(path))
}

/// Whether it is a program that everything on the machine calls: `/usr/bin/sudo`, `/bin/sh`.
pub(super) fn is_everyday_program(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(folder, name)| {
        matches!(folder, "/bin" | "/sbin" | "/usr/bin" | "/usr/sbin") && is_everyday(name)
    })
}

/// Whether a file of BSD's `/usr/local` decides what runs, who may be root or who is trusted.
pub(super) fn is_settings_of_bsd(path: &str) -> bool {
    const PLACES: &[&str] = &["etc/sudoers", "etc/rc.d/", "etc/cron", "etc/pam.d/", "share/certs/"];
    path.strip_prefix("/usr/local/")
        .is_some_and(|rest| PLACES.iter().any(|place| rest.starts_with(place)))
}

/// Whether the path is a data folder of a database or another service, in a container too.
pub(super) fn is_data(path: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "/bitnami",
        "/data",
        "/mnt",
        "/srv",
        "/usr/share/elasticsearch",
        "/var/lib/cassandra",
        "/var/lib/clickhouse",
        "/var/lib/elasticsearch",
        "/var/lib/etcd",
        "/var/lib/grafana",
        "/var/lib/influxdb",
        "/var/lib/mongodb",
        "/var/lib/mysql",
        "/var/lib/neo4j",
        "/var/lib/postgresql",
        "/var/lib/rabbitmq",
        "/var/lib/redis",
    ];
    let below = |folder: &str| {
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    FOLDERS.iter().any(|folder| below(folder))
}

/// Whether a file contains work or collected data, by its extension.
pub(super) fn is_work(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let often_output = matches!(ending, "txt" | "md" | "json" | "xml" | "html" | "yml" | "yaml");
    let data = matches!(ending, "db" | "sqlite" | "sqlite3" | "parquet");
    let lock = matches!(
        name,
        "Cargo.lock"
            | "Gemfile.lock"
            | "go.sum"
            | "package-lock.json"
            | "pnpm-lock.yaml"
            | "poetry.lock"
            | "uv.lock"
            | "yarn.lock"
    );
    data || lock || (WRITTEN.contains(&ending) && !often_output)
}

/// Whether the file is run by every new shell.
pub(super) fn is_startup(name: &str) -> bool {
    matches!(
        name,
        ".bash_aliases"
            | ".bash_login"
            | ".bash_profile"
            | ".bashrc"
            | ".profile"
            | ".xinitrc"
            | ".xprofile"
            | ".zlogin"
            | ".zprofile"
            | ".zshenv"
            | ".zshrc"
            | "config.fish"
            | ".shrc"
            | ".cshrc"
            | ".kshrc"
            | "Microsoft.PowerShell_profile.ps1"
            | "profile.ps1"
    ) || name.starts_with("$PROFILE")
}

/// Whether every Python that starts runs the file.
pub(super) fn is_python_startup(name: &str) -> bool {
    matches!(name, "sitecustomize.py" | "usercustomize.py")
        || matches!(name.rsplit_once('.'), Some((_, "pth")))
}

/// Whether what lies in the folder starts by itself when somebody logs in.
pub(super) fn is_autostart(path: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "/Library/LaunchAgents/",
        "/Library/LaunchDaemons/",
        "/Library/StartupItems/",
        "/Library/Preferences/ByHost/com.apple.loginwindow",
        "/Library/Preferences/com.apple.loginwindow",
        "/.config/autostart/",
        "/.config/systemd/user/",
        "/Start Menu/Programs/Startup/",
        "/Start Menu/Programs/StartUp/",
        "/Microsoft/AddIns/",
        "/Microsoft/Addins/",
        "/Microsoft/Excel/XLSTART/",
        "/Microsoft/Word/STARTUP/",
    ];
    FOLDERS.iter().any(|folder| path.contains(folder))
}

/// Whether a line makes an alias of a usual command that runs another: `alias ls=rm`.
pub(super) fn redefines(text: &str) -> bool {
    const USUAL: &[&str] =
        &["cat", "cd", "cp", "find", "git", "grep", "ls", "mv", "ps", "rm", "ssh", "su", "sudo"];
    text.split("alias ").skip(1).any(|alias| {
        let Some((name, value)) = alias.split_once('=') else { return false };
        let value = value.trim_start_matches(['"', '\'', '\\']);
        let first = value.split([' ', '"', '\'', '\n']).next().unwrap_or_default();
        let kept = [
            "command",
            "colordiff",
            "bat",
            "eza",
            "exa",
            "lsd",
            "rg",
            "fd",
            "nocorrect",
            "hub",
            "trash",
        ];
        USUAL.contains(&name.trim()) && first != name.trim() && !kept.contains(&first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_that_is_searched_by_halves_is_sorted() {
        assert!(SOURCES.is_sorted());
    }

    #[test]
    fn what_tools_leave_behind_is_told_from_what_people_write() {
        for name in [
            "a.o",
            "*.pyc",
            "*.py[co]",
            "*.[oa]",
            "*.wasm",
            "x.log.1",
            "notes~",
            ".DS_Store",
            "*.tmp",
        ] {
            assert!(is_clutter(name), "{name}");
        }
        for name in
            ["a.py", "notes", "*.ts", "*.p[yo]", "*.[^o]", "*.py[co", "core.rs", "Cargo.toml"]
        {
            assert!(!is_clutter(name), "{name}");
        }
        assert!(is_every_source("*.py") && !is_every_source("test_*.py"));
    }

    #[test]
    fn only_some_of_a_repository_is_history() {
        for rest in ["", "objects", "objects/aa", "refs/heads", "{objects,refs}", "packed-refs"] {
            assert!(history(rest) == History::Lost, "{rest}");
        }
        assert!(history("index") == History::Touched);
        for rest in ["index.lock", "hooks/pre-commit", "MERGE_HEAD", "refs/heads/main.lock"] {
            assert!(history(rest) == History::Kept, "{rest}");
        }
        for rest in ["config", "modules/x"] {
            assert!(history(rest) == History::Touched, "{rest}");
        }
    }
}
