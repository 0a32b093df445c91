//! Harm in two steps: a file that the session wrote, or one on disk, and a command that runs it, takes its
//! arguments from it or is controlled by it. Each table has harmless counterparts.
#![cfg(unix)]

use std::fs;

use crate::self_protection::stopped;
use crate::user::User;

/// A file, its content, and the later command.
type Case = (&'static str, &'static str, &'static str);

const HARM: &str = "#!/bin/sh\nrm -rf ~\n";

/// The hook's answer to the command after the session has written the file.
fn after(user: &User, (file, text, command): Case) -> String {
    user.forget();
    let settings = user.path(".claude/settings.json");
    let text = text.replace("@SETTINGS@", settings.to_str().unwrap());
    let path = format!("shop/{file}");
    let told = user.writes(&path, &text);
    let told = if told == "none" { user.does("claude", command) } else { told };
    drop(fs::remove_file(user.path(&path)));
    told
}

fn check(stops: &[Case], passes: &[Case]) {
    let user = User::with_settings();
    for case in stops {
        assert!(stopped(&after(&user, *case)), "{case:?}");
    }
    for case in passes {
        assert_eq!(after(&user, *case), "none", "{case:?}");
    }
}

#[test]
fn a_file_with_the_name_of_a_program_is_read() {
    check(
        &[
            ("gradlew", HARM, "./gradlew test"),
            ("mvnw", HARM, "./mvnw verify"),
            ("bin/rails", HARM, "bin/rails test"),
            ("manage.py", HARM, "./manage.py migrate"),
            ("git", HARM, "./git status"),
            ("node_modules/.bin/jest", HARM, "node_modules/.bin/jest"),
            ("tool", HARM, "PATH=.:$PATH tool"),
            ("tool", HARM, "export PATH=$PWD:$PATH; tool"),
        ],
        &[
            ("gradlew", "#!/bin/sh\nrm -rf build\nexec java -jar w.jar\n", "./gradlew clean"),
            ("mvnw", "#!/bin/sh\nexec mvn \"$@\"\n", "./mvnw -q verify"),
            ("bin/rails", "#!/usr/bin/env ruby\nrequire 'rails/commands'\n", "bin/rails test"),
            ("manage.py", "#!/usr/bin/env python3\nimport sys\nprint(sys.argv)\n", "./manage.py"),
            ("eslint", "#!/usr/bin/env node\nrequire('./cli')\n", "PATH=.:$PATH eslint ."),
        ],
    );
}

#[test]
fn what_is_on_disk_is_read_by_every_route() {
    let user = User::with_settings();
    user.write("shop/x.sh", HARM);
    for command in [
        "bash x.sh",
        "bash < x.sh",
        "cat x.sh | sh",
        "eval \"$(cat x.sh)\"",
        "bash -c \"$(cat x.sh)\"",
        "cp x.sh y.sh && bash y.sh",
        "PATH=.:$PATH x.sh",
    ] {
        user.forget();
        assert!(stopped(&user.does("claude", command)), "{command}");
    }
    user.write("shop/x.sh", "rm -rf node_modules dist\ngit push --force origin main\n");
    for command in ["bash < x.sh", "cat x.sh | sh", "eval \"$(cat x.sh)\"", "PATH=.:$PATH x.sh"] {
        user.forget();
        assert_eq!(user.does("claude", command), "none", "{command}");
    }
}

#[test]
fn a_path_that_stands_in_a_file_is_read_from_there() {
    let list = "@SETTINGS@\n";
    let stops: Vec<Case> = [
        "rm $(cat n.txt)",
        "rm \"$(<n.txt)\"",
        "f=$(cat n.txt); rm $f",
        "mv $(head -1 n.txt) x",
        "cp x $(cat n.txt)",
        "echo {} > $(cat n.txt)",
        "tee $(cat n.txt) < README.md",
        "sed -i s/a/b/ $(cat n.txt)",
        "xargs rm < n.txt",
        "xargs -I{} rm {} < n.txt",
        "xargs -a n.txt rm",
        "cat n.txt | xargs rm",
        "for f in $(cat n.txt); do rm $f; done",
        "while read f; do : > $f; done < n.txt",
        "cat n.txt | while read -r f; do rm \"$f\"; done",
        "mapfile -t a < n.txt; rm \"${a[@]}\"",
        "awk '{print > $0}' n.txt",
        "python3 -c \"import os;os.remove(open('n.txt').read().strip())\"",
    ]
    .map(|command| ("n.txt", list, command))
    .to_vec();
    check(
        &stops,
        &[
            ("n.txt", "src/a.js\nsrc/b.js\n", "rm $(cat n.txt)"),
            ("n.txt", "build/a\ndist/b\n", "xargs rm -f < n.txt"),
            ("n.txt", "src/a.js\n", "while read -r f; do sed -i s/a/b/ \"$f\"; done < n.txt"),
            ("n.txt", "src/a.js\n", "sed -i s/a/b/ $(cat n.txt)"),
            ("n.txt", "x,1\ny,2\n", "awk -F, '{print > $1\".csv\"}' n.txt"),
            ("n.txt", "1.2.3\n", "mv pkg.tgz pkg-$(cat n.txt).tgz"),
            ("n.txt", "1.2.3\n", "git tag v$(cat n.txt)"),
            ("n.txt", "flask\nrequests\n", "xargs pip install < n.txt"),
            ("n.txt", "@SETTINGS@\n", "cat n.txt"),
            ("n.txt", "fix: leave ~/.claude alone\n", "git commit -m \"$(cat n.txt)\""),
            ("n.txt", "hello\n", "python3 -c \"print(open('n.txt').read().strip())\""),
        ],
    );
}

#[test]
fn a_listing_of_the_home_reaches_the_settings_in_it() {
    let user = User::with_settings();
    for command in [
        "grep -rl tenter ~ | xargs sed -i 's/tenter/true/g'",
        "sed -i s/tenter/x/ $(grep -rl tenter ~)",
        "perl -pi -e s/tenter/x/ $(grep -rl tenter ~/.claude)",
        "find ~ -type f -name '*.json' -exec sed -i s/tenter/x/ {} +",
        "for f in $(find ~ -name '*.json'); do echo {} > $f; done",
        "grep -rl tenter ~/.claude | while read f; do sed -i s/t/x/ $f; done",
        "mv $(ls -d ~/.cl*) /tmp",
        "p=$(ls -d ~/.cl*); mv $p /tmp",
    ] {
        user.forget();
        assert!(stopped(&user.does("claude", command)), "{command}");
    }
    for command in [
        "grep -rl tenter ~",
        "grep -rl old src | xargs sed -i 's/old/new/g'",
        "sed -i s/old/new/ $(grep -rl old --include=*.py ~/shop)",
        "grep -rl old --include='*.py' ~ | xargs sed -i s/old/new/",
        "find . -name '*.json' -exec prettier --write {} +",
        "find ~ -name '*.json' -exec wc -l {} +",
        "for f in $(find . -name '*.js'); do sed -i s/a/b/ $f; done",
        "sed -i s/a/b/ $(git ls-files '*.js')",
        "du -sh $(ls -d ~/.c*)",
    ] {
        user.forget();
        assert_eq!(user.does("claude", command), "none", "{command}");
    }
}

#[test]
fn a_folder_that_is_computed_does_not_hide_a_script() {
    let user = User::with_settings();
    user.write("shop/.git/HEAD", "ref: refs/heads/main\n");
    for (lib, expected) in [(HARM, true), ("echo fine\nrm -rf build\n", false)] {
        for script in [
            "cd \"$(dirname \"$0\")\"\n. ./lib.sh\n",
            "cd \"${0%/*}\"\n./lib.sh\n",
            "cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && . lib.sh\n",
            "cd \"$(git rev-parse --show-toplevel)\"\nbash lib.sh\n",
            "cd \"$SOMEWHERE\"\nbash lib.sh\n",
            "DIR=$(cd -- \"$(dirname -- \"$0\")\" && pwd)\nsource \"$DIR/lib.sh\"\n",
            "cd \"$(realpath \"$(dirname \"$0\")\")\"; ./lib.sh\n",
        ] {
            user.forget();
            let script = format!("#!/bin/bash\n{script}");
            assert_eq!(user.writes("shop/g.sh", &script), "none");
            assert_eq!(user.writes("shop/lib.sh", lib), "none");
            for command in ["./g.sh", "bash g.sh"] {
                assert_eq!(stopped(&user.does("claude", command)), expected, "{command}: {script}");
            }
        }
        user.forget();
        let direct = "cd \"$(git rev-parse --show-toplevel)\" && bash lib.sh";
        assert_eq!(stopped(&user.does("claude", direct)), expected, "{lib}");
    }
}

#[test]
fn arguments_are_added_to_what_a_script_says() {
    let package = r#"{"scripts": {"clean": "rm -rf", "test": "jest", "build": "tsc -p ."}}"#;
    let makefile = "c:\n\trm -rf $(T)\n";
    check(
        &[
            ("package.json", package, "npm run clean -- ~"),
            ("package.json", package, "npm run-script clean -- ~/.claude"),
            ("package.json", package, "npm --prefix . run clean -- ~"),
            ("package.json", package, "yarn clean ~"),
            ("package.json", package, "pnpm run clean ~"),
            ("package.json", package, "bun run clean ~"),
            ("package.json", package, "node --run clean -- ~"),
            ("package.json", r#"{"scripts": {"test": "rm -rf ~"}}"#, "node --run test"),
            ("package.json", r#"{"scripts": {"test": "rm -rf ~"}}"#, "npx npm-run-all test"),
            ("Makefile", makefile, "make T=~ c"),
            ("Mk", makefile, "make -f Mk T=~ c"),
            ("justfile", "c t:\n    rm -rf {{t}}\n", "just c ~"),
            ("justfile", "t := 'x'\nc:\n    rm -rf {{t}}\n", "just t=/ c"),
        ],
        &[
            ("package.json", package, "npm test -- src/a.test.js"),
            ("package.json", package, "npm run build -- --watch"),
            ("package.json", package, "npm run clean -- dist"),
            ("package.json", package, "yarn clean dist"),
            ("package.json", package, "node --run test"),
            ("package.json", package, "npm install"),
            ("Makefile", makefile, "make T=build c"),
            ("Makefile", "install:\n\tcp x $(D)/bin/x\n", "make D=/tmp/stage install"),
            ("justfile", "c dir='build':\n    rm -rf {{dir}}\n", "just c out"),
            ("justfile", "b *args:\n    cargo build {{args}}\n", "just b --release"),
        ],
    );
    let user = User::with_settings();
    user.write("shop/package.json", package);
    user.write("shop/Makefile", makefile);
    assert!(stopped(&user.does("claude", "npm run clean -- ~")));
    user.forget();
    assert!(stopped(&user.does("claude", "make c T=~")));
    user.forget();
    assert_eq!(user.does("claude", "npm run build -- /tmp/out"), "none");
}
