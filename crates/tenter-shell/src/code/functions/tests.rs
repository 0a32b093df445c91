use crate::run::testing::effects;

fn python(code: &str) -> Vec<String> {
    effects(&["python3", "-c", code])
}

fn node(code: &str) -> Vec<String> {
    effects(&["node", "-e", code])
}

#[test]
fn a_body_is_read_with_what_each_call_gives() {
    let found = python(
        "import shutil\ndef clean(path, keep=None):\n    shutil.rmtree(path)\nclean('dist')\nclean(path='/etc')",
    );
    assert_eq!(found, ["delete remove /shop/dist certain -r", "delete remove /etc certain -r"]);
    let found = node("const rm = d => require('fs').rmSync(d, {recursive: true}); rm('dist')");
    assert_eq!(found, ["delete remove /shop/dist certain -r"]);
    let found = python("import os\ndef where():\n    return '/etc'\nos.remove(where())");
    assert_eq!(found, ["delete remove /etc certain"]);
}

#[test]
fn defaults_and_the_rest_are_bound() {
    let found = python("import shutil\ndef f(a, d='/etc'):\n  shutil.rmtree(d)\nf(1)");
    assert_eq!(found, ["delete remove /etc certain -r"]);
    let found = python("import shutil\ndef f(*, d):\n  shutil.rmtree(d)\nf(d='/etc')");
    assert_eq!(found, ["delete remove /etc certain -r"]);
}

#[test]
fn a_body_that_may_get_anything_is_read_with_nothing_known() {
    for code in [
        "import shutil\ndef f(d):\n    shutil.rmtree(d)",
        "import shutil\ndef f(d):\n    shutil.rmtree(d)\nf('dist')\npool.submit(f, x)",
    ] {
        assert_eq!(python(code).last().map(String::as_str), Some("delete remove d possible -r"));
    }
}

#[test]
fn one_that_calls_itself_ends() {
    let found = python("import os\ndef f(n):\n    os.remove('/etc/x')\n    f(n - 1)\nf(3)");
    assert_eq!(found, ["delete remove /etc/x certain"]);
}

#[test]
fn one_that_calls_itself_with_something_else_is_read_again() {
    let found = python(
        "import shutil\ndef f(d, n):\n  if n:\n    shutil.rmtree(d)\n  else:\n    f('/etc', 1)\nf('dist', 0)",
    );
    assert_eq!(found, ["delete remove /shop/dist possible -r", "delete remove /etc possible -r"]);
}

#[test]
fn what_a_body_assigns_is_its_own() {
    for (body, gone) in [
        ("d = 'dist'", "/etc"),
        ("for d in ['dist']: print(d)", "/etc"),
        ("global d; d = 'dist'", "/shop/dist"),
    ] {
        let code =
            format!("import shutil\nd = '/etc'\ndef f():\n    {body}\nf()\nshutil.rmtree(d)");
        assert_eq!(python(&code), [format!("delete remove {gone} certain -r")], "{body}");
    }
    let found = node(
        "let d = '/etc'; const f = () => { const d = 'dist'; return d }; f(); fs.rmSync(d, {recursive: true})",
    );
    assert_eq!(found, ["delete remove /etc certain -r"]);
}

#[test]
fn a_comma_between_brackets_does_not_assign() {
    let found = python("import shutil\nd = '/etc'\nshutil.rmtree(d, ignore_errors=True)");
    assert_eq!(found, ["delete remove /etc certain -r -f"]);
}
