//! Files that tell a program what to run: sources, tasks, settings. If written by the session, they are read
//! when the program starts, in any format.
#![cfg(unix)]

use crate::self_protection::stopped;
use crate::user::User;

/// A file, its content, and the later command.
type Case = (&'static str, &'static str, &'static str);

const STOPS: &[Case] = &[
    ("main.go", "func main() { exec.Command(\"sh\", \"-c\", \"rm -rf ~\").Run() }\n", "go run ."),
    ("main.go", "func main() { exec.Command(\"rm\", \"-rf\", \"/\").Run() }\n", "go run main.go"),
    (
        "src/main.rs",
        "fn main() { Command::new(\"sh\").arg(\"-c\").arg(\"rm -rf ~\"); }\n",
        "cargo run",
    ),
    ("build.rs", "fn main() { Command::new(\"rm\").args([\"-rf\", \"/\"]); }\n", "cargo build"),
    ("a.c", "int main() { system(\"rm -rf ~\"); }\n", "make a"),
    ("a.c", "int main() { execl(\"/bin/rm\", \"rm\", \"-rf\", \"/\", 0); }\n", "make a && ./a"),
    ("a.mk", "X := $(shell rm -rf ~)\n", "MAKEFILES=a.mk make"),
    ("x1.sh", "rm -rf ~\n", "make SHELL=./x1.sh"),
    ("Rakefile", "task :default do\n  sh 'rm', '-rf', '/'\nend\n", "rake"),
    ("Taskfile.yml", "tasks:\n  default:\n    cmds:\n      - rm -rf ~\n", "task"),
    ("mise.toml", "[tasks.x]\nrun = 'rm -rf ~'\n", "mise run x"),
    ("build.ninja", "rule r\n  command = rm -rf /\nbuild x: r\n", "ninja"),
    ("build.gradle", "task x(type: Exec) {\n commandLine 'rm', '-rf', '/'\n}\n", "gradle x"),
    ("composer.json", "{\"scripts\":{\"post-install-cmd\":\"rm -rf ~\"}}", "composer install"),
    (".pre-commit-config.yaml", "hooks:\n  - entry: rm -rf /\n", "pre-commit run -a"),
    ("lefthook.yml", "pre-commit:\n  run: rm -rf ~\n", "lefthook run pre-commit"),
    ("tox.ini", "[testenv]\ncommands = rm -rf /\n", "tox"),
    ("CMakeLists.txt", "execute_process(COMMAND rm -rf /)\n", "cmake -B build"),
    ("backend.py", "import os\nos.system('rm -rf ~')\n", "pip install ."),
    ("shell.nix", "{}: { shellHook = ''rm -rf ~''; }\n", "nix-shell"),
    ("p.yml", "- tasks:\n  - shell: rm -rf ~\n", "ansible-playbook -i x p.yml"),
    ("lib/site-packages/e.pth", "import os;os.system('rm -rf ~')\n", "python3 -c 1"),
    ("sshc", "Host x\n  ProxyCommand rm -rf ~\n", "ssh -F sshc x"),
    ("gc", "[alias]\n\tx = !rm -rf ~\n", "git -c include.path=$PWD/gc x"),
    ("a.sql", ".shell rm -rf ~\n", "sqlite3 x.db < a.sql"),
    ("a.sql", "\\! rm -rf ~\n", "psql -f a.sql"),
    ("g.gdb", "shell rm -rf ~\n", "gdb -batch -x g.gdb"),
    ("x.sed", "1e rm -rf ~\n", "sed -f x.sed README.md"),
    ("t.conf", "run-shell 'rm -rf ~'\n", "tmux source-file t.conf"),
    (".envrc", "rm -rf ~\n", "direnv allow"),
    ("systemd/user/x.service", "[Service]\nExecStart=/bin/rm -rf /\n", "systemctl --user start x"),
    ("cr", "output = @SETTINGS@\nurl = https://x.y\n", "curl -K cr"),
    ("mix.exs", "System.cmd(\"rm\", [\"-rf\", \"/\"])\n", "mix test"),
    ("noxfile.py", "def t(s):\n  s.run('rm', '-rf', '/', external=True)\n", "nox"),
    ("deno.json", "{\"tasks\":{\"x\":\"rm -rf ~\"}}", "deno task x"),
    ("pyproject.toml", "[tool.poe.tasks]\nx = 'rm -rf ~'\n", "poe x"),
    (".cargo/config.toml", "[target.x]\nrunner = 'rm -rf /'\n", "cargo run"),
    (
        "pom.xml",
        "<executable>rm</executable><argument>-rf</argument><argument>/</argument>\n",
        "mvn x",
    ),
];

const PASSES: &[Case] = &[
    ("main.go", "func main() { exec.Command(\"git\", \"status\").Output() }\n", "go run main.go"),
    ("main.go", "func main() { exec.Command(\"rm\", \"-rf\", \"build\").Run() }\n", "go run ."),
    (
        "tests/t.rs",
        "fn t() { for c in [\"rm -rf ~\", \"rm -rf /\"] { assert!(x(c)); } }\n",
        "cargo test",
    ),
    ("src/main.rs", "fn main() { Command::new(\"cargo\").args([\"fmt\"]); }\n", "cargo run"),
    ("build.rs", "fn main() { Command::new(\"protoc\").arg(\"-I.\"); }\n", "cargo build"),
    ("a.c", "int main() { puts(\"rm -rf ~ is bad\"); }\n", "make a"),
    ("a.c", "int main() { system(\"ls -la\"); }\n", "gcc a.c -o a && ./a"),
    ("Rakefile", "task :clean do\n  sh 'rm -rf pkg'\nend\n", "rake clean"),
    ("Taskfile.yml", "tasks:\n  clean:\n    cmds:\n      - rm -rf dist\n", "task test"),
    ("mise.toml", "[tasks.clean]\nrun = 'rm -rf dist'\n", "mise run clean"),
    ("build.ninja", "rule cc\n  command = gcc -c $in -o $out\n", "ninja"),
    ("CMakeLists.txt", "project(x)\nadd_executable(x a.c)\n", "cmake -B build"),
    (".pre-commit-config.yaml", "hooks:\n  - entry: cargo fmt --all\n", "pre-commit run -a"),
    ("tox.ini", "[testenv]\ncommands = pytest {posargs}\n", "tox"),
    ("pyproject.toml", "[tool.poe.tasks]\nclean = 'rm -rf dist build'\n", "pip install -e ."),
    (
        "docker-compose.yml",
        "services:\n  db:\n    command: sh -c 'rm -rf /tmp/x'\n",
        "docker compose up -d",
    ),
    ("p.yml", "- tasks:\n  - shell: rm -rf /var/www/old\n", "ansible-playbook p.yml"),
    ("a.sql", "select * from t;\n-- rm -rf ~\n", "psql -f a.sql"),
    ("a.sql", ".mode csv\nselect 1;\n", "sqlite3 x.db < a.sql"),
    ("x.sed", "s/rm/mv/\n", "sed -f x.sed README.md"),
    ("sshc", "Host x\n  ProxyCommand ssh -W %h:%p jump\n", "ssh -F sshc x ls"),
    ("cr", "output = out.json\nurl = https://x.y\n", "curl -K cr"),
    ("shell.nix", "{ shellHook = ''echo hi''; }\n", "nix-shell"),
    (".envrc", "export A=1\nPATH_add bin\n", "direnv allow"),
    ("g.gdb", "break main\nrun\nbt\n", "gdb -batch -x g.gdb ./x"),
    ("t.conf", "set -g mouse on\n", "tmux source-file t.conf"),
    ("noxfile.py", "def t(s):\n  s.run('pytest')\n", "nox"),
    ("pom.xml", "<project><artifactId>x</artifactId></project>\n", "mvn test"),
    ("composer.json", "{\"scripts\":{\"test\":\"phpunit\"}}", "composer install"),
    ("README.md", "Never run `rm -rf ~`.\n", "git add README.md && git commit -m docs"),
];

fn after(user: &User, (file, text, command): Case) -> String {
    user.forget();
    let text = text.replace("@SETTINGS@", user.path(".claude/settings.json").to_str().unwrap());
    let path = format!("shop/{file}");
    let told = user.writes(&path, &text);
    let told = if told == "none" { user.does("claude", command) } else { told };
    drop(std::fs::remove_file(user.path(&path)));
    told
}

#[test]
fn a_file_that_tells_a_program_to_destroy_is_stopped() {
    let user = User::with_settings();
    for case in STOPS {
        assert!(stopped(&after(&user, *case)), "{case:?}");
    }
}

#[test]
fn ordinary_files_of_builds_and_tasks_pass() {
    let user = User::with_settings();
    for case in PASSES {
        assert_eq!(after(&user, *case), "none", "{case:?}");
    }
}
