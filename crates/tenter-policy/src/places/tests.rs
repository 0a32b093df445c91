use tenter_shell::{Effect, Kind, Target, analyze};

use super::*;

fn places() -> Places<'static> {
    Places {
        home: Some("/home/me"),
        cwd: Some("/home/me/shop"),
        roots: vec!["/home/me/shop"],
        own: &[],
        case_insensitive: false,
    }
}

/// The path that `rm -rf WORD` would delete.
fn target(word: &str, cwd: Option<&str>) -> PathTarget {
    let world = tenter_shell::Surroundings { cwd, home: Some("/home/me"), ..Default::default() };
    let analysis = analyze(&format!("rm -rf {word}"), &world);
    let deletes = |effect: &Effect| effect.kind == Kind::Delete;
    let effect = analysis.effects.into_iter().find(deletes);
    match effect.map(|effect| effect.target) {
        Some(Target::Path(path)) => path,
        other => panic!("{word}: {other:?}"),
    }
}

fn check(places: &Places<'_>, table: &[(&str, Zone)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(word, wanted)| {
            let zone = places.zone(&target(word, places.cwd));
            (zone != *wanted).then(|| format!("{word}: {zone:?}, not {wanted:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_machine_has_trees_and_what_is_in_them() {
    check(
        &places(),
        &[
            ("/", Zone::Root),
            ("//", Zone::Root),
            ("/../..", Zone::Root),
            ("/*", Zone::Root),
            ("/.*", Zone::Root),
            ("'/'*", Zone::Root),
            ("/etc", Zone::SystemTree),
            ("/etc/", Zone::SystemTree),
            ("/usr/../etc", Zone::SystemTree),
            ("/etc/*", Zone::SystemTree),
            ("/et?", Zone::SystemTree),
            ("/et[c]", Zone::SystemTree),
            ("/e*", Zone::SystemTree),
            ("/us*/*", Zone::SystemTree),
            ("/usr/bin", Zone::SystemTree),
            ("/usr/local", Zone::SystemTree),
            ("/private/etc", Zone::SystemTree),
            ("/System", Zone::SystemTree),
            ("/tmp", Zone::SystemTree),
            ("/etc/nginx", Zone::System),
            ("/etc/foo?", Zone::System),
            ("/usr/lib/x86*", Zone::SystemTree),
            ("/usr/lib/q*", Zone::System),
            ("/Applications/Safari.app", Zone::System),
            ("/dev/sda", Zone::System),
            ("/dev/null", Zone::Nothing),
            ("/var/lib/apt/lists/*", Zone::Generated),
            ("/data", Zone::Outside),
            ("/some/path", Zone::Outside),
            ("/mnt/backup", Zone::Outside),
            ("/srv/app/node_modules", Zone::Generated),
            ("/srv/app/.git", Zone::Repository),
        ],
    );
}

#[test]
fn a_home_is_whoever_owns_it() {
    check(
        &places(),
        &[
            ("~", Zone::Home),
            ("~/", Zone::Home),
            ("~/*", Zone::Home),
            ("~/.*", Zone::Home),
            ("~/.[!.]*", Zone::Home),
            ("\"$HOME\"", Zone::Home),
            ("/home", Zone::Home),
            ("/home/*", Zone::Home),
            ("/home/$USER", Zone::Home),
            ("/home/$(whoami)", Zone::Home),
            ("/home/anna", Zone::Home),
            ("/Users/anna/*", Zone::Home),
            ("/root", Zone::Home),
            ("~anna", Zone::Home),
            ("~/.ssh", Zone::HomeTree),
            ("~/Documents", Zone::HomeTree),
            ("~/.ssh/id_rsa", Zone::Personal),
            ("~/notes.txt", Zone::Personal),
            ("~/*.txt", Zone::Personal),
            ("~anna/x", Zone::Personal),
            ("~/other/.git", Zone::Repository),
            ("~/other/node_modules", Zone::Generated),
            ("~/other/dist", Zone::Generated),
            ("~/dist", Zone::Personal),
            ("~/.cache/pip", Zone::Generated),
            ("~/Library/Caches/x", Zone::Generated),
            ("~/.cargo/registry", Zone::Generated),
        ],
    );
}

#[test]
fn the_workspace_is_where_work_is_done() {
    check(
        &places(),
        &[
            (".", Zone::Workspace),
            ("./", Zone::Workspace),
            ("*", Zone::Workspace),
            ("./*", Zone::Workspace),
            ("*/", Zone::Workspace),
            ("*/*", Zone::Workspace),
            ("*.*", Zone::Workspace),
            (".*", Zone::Workspace),
            ("**", Zone::Workspace),
            ("../shop", Zone::Workspace),
            ("src/..", Zone::Workspace),
            ("/home/me/shop", Zone::Workspace),
            ("/home/me/sh*p", Zone::Workspace),
            ("..", Zone::Home),
            ("../*", Zone::Home),
            ("src", Zone::Inside),
            ("src/*", Zone::Inside),
            ("*.log", Zone::Inside),
            ("a-$X", Zone::Inside),
            ("build", Zone::Generated),
            ("build/*", Zone::Generated),
            ("build/$X", Zone::Generated),
            ("packages/*/node_modules", Zone::Generated),
            ("**/__pycache__", Zone::Generated),
            (".git", Zone::Repository),
            (".gi?", Zone::Repository),
            (".git/hooks", Zone::Repository),
            ("sub/.git", Zone::Repository),
            ("node_modules/a/.git", Zone::Generated),
            (".gitignore", Zone::Inside),
        ],
    );
}

#[test]
fn an_unknown_part_counts_as_the_worst_it_may_be() {
    check(
        &places(),
        &[
            ("$X", Zone::Unknown),
            ("\"$X/\"*", Zone::Root),
            ("$X/*", Zone::Root),
            ("$TMPDIR/*", Zone::Root),
            ("$BUILD_DIR/*", Zone::Root),
            ("/$X", Zone::Root),
            ("$X/foo", Zone::Outside),
            ("$X/etc", Zone::SystemTree),
            ("$X/node_modules", Zone::Generated),
            ("$X/.git", Zone::Repository),
            ("./$X", Zone::Workspace),
            ("~/$X", Zone::Home),
            ("/usr/$X", Zone::SystemTree),
            ("/tmp/$X", Zone::Temporary),
            ("$TMPDIR", Zone::Temporary),
            ("$TMPDIR/x", Zone::Temporary),
            ("$TMPDIR/../x", Zone::Unknown),
            ("$HERE/../dist", Zone::Generated),
            ("$HERE/../src", Zone::Unknown),
            ("$TEMPLATE_DIR", Zone::Unknown),
            ("\"$(mktemp -d)\"", Zone::Temporary),
            ("$BUILD_DIR", Zone::Generated),
            ("$TARGET", Zone::Unknown),
            ("./${OUT:-dist}", Zone::Generated),
            ("./${OUT:-x}", Zone::Workspace),
        ],
    );
}

#[test]
fn temporary_folders_are_not_what_is_in_them() {
    check(
        &places(),
        &[
            ("/tmp/x", Zone::Temporary),
            ("/tmp/x/*", Zone::Temporary),
            ("/tmp/*", Zone::Outside),
            ("/tmp/a*", Zone::Temporary),
            ("/tmp/**/a*", Zone::Temporary),
            ("/etc/**/a*", Zone::System),
            ("/tmp/../etc", Zone::SystemTree),
            ("/tmp-x/a", Zone::Outside),
            ("/var/folders/ab/cd/T/x", Zone::Temporary),
            ("/private/tmp/x", Zone::Temporary),
        ],
    );
}

#[test]
fn windows_is_known_in_all_its_spellings() {
    check(
        &places(),
        &[
            ("'C:/'", Zone::Root),
            ("/mnt/c", Zone::Root),
            ("/mnt/c/*", Zone::Root),
            ("'C:/Windows'", Zone::SystemTree),
            ("'C:\\Windows\\System32'", Zone::SystemTree),
            ("C:\\Windows", Zone::SystemTree),
            ("C:\\Users\\me", Zone::Home),
            ("/c/windows", Zone::SystemTree),
            ("/mnt/c/Program\\ Files", Zone::SystemTree),
            ("'C:\\Program Files\\x'", Zone::System),
            ("'C:/Users'", Zone::Home),
            ("'c:/users/anna'", Zone::Home),
            ("/mnt/c/Users/anna", Zone::Home),
            ("'C:\\Users\\anna\\Documents'", Zone::HomeTree),
            ("'C:/Users/anna/x.txt'", Zone::Personal),
            ("'C:/Users/anna/AppData/Local/Temp/x'", Zone::Temporary),
            ("'D:/data'", Zone::Outside),
        ],
    );
}

#[test]
fn a_workspace_on_windows_is_a_workspace() {
    let places = Places {
        home: Some("C:\\Users\\me"),
        cwd: Some("C:\\Users\\me\\shop"),
        roots: vec!["C:\\Users\\me\\shop"],
        own: &[],
        case_insensitive: true,
    };
    check(
        &places,
        &[
            (".", Zone::Workspace),
            ("*", Zone::Workspace),
            ("src", Zone::Inside),
            ("build", Zone::Generated),
            ("'c:/users/ME/shop'", Zone::Workspace),
            ("'C:/Users/me'", Zone::Home),
        ],
    );
}

#[test]
fn case_counts_only_where_the_system_says_so() {
    let mut places = places();
    check(&places, &[("/ETC", Zone::Outside), ("~/SHOP", Zone::Personal)]);
    places.case_insensitive = true;
    check(&places, &[("/ETC", Zone::SystemTree), ("~/SHOP", Zone::Workspace)]);
}

#[test]
fn a_wide_workspace_does_not_swallow_what_is_in_it() {
    let home = Places { cwd: Some("/home/me"), roots: vec!["/home/me"], ..places() };
    check(
        &home,
        &[
            ("a.txt", Zone::Inside),
            (".ssh", Zone::HomeTree),
            ("**/node_modules", Zone::Generated),
            ("**/notes", Zone::Personal),
            ("*", Zone::Home),
            (".", Zone::Home),
            ("/etc", Zone::SystemTree),
        ],
    );
    let root = Places { cwd: Some("/"), roots: vec!["/"], ..places() };
    check(
        &root,
        &[
            ("a.txt", Zone::Inside),
            ("etc", Zone::SystemTree),
            ("/some/path", Zone::Outside),
            ("/home/anna/x", Zone::Personal),
            ("*", Zone::Root),
        ],
    );
    let scratch = Places { cwd: Some("/tmp"), roots: vec!["/tmp"], ..places() };
    check(&scratch, &[("a.txt", Zone::Inside), ("/tmp/a.txt", Zone::Temporary)]);
    let system = Places { cwd: Some("/usr/src/app"), roots: vec!["/usr/src/app"], ..places() };
    check(&system, &[("a.txt", Zone::Inside), (".", Zone::Workspace), ("..", Zone::SystemTree)]);
}

#[test]
fn without_a_known_folder_a_relative_path_is_in_the_workspace() {
    let nowhere = Places { cwd: None, roots: Vec::new(), ..places() };
    check(
        &nowhere,
        &[
            ("a.txt", Zone::Inside),
            ("build", Zone::Generated),
            (".git", Zone::Repository),
            ("*", Zone::Workspace),
            (".", Zone::Workspace),
        ],
    );
}

#[test]
fn where_a_link_leads_counts() {
    let mut path = target("link", Some("/home/me/shop"));
    path.real = Some("/etc".into());
    assert_eq!(places().zone(&path), Zone::SystemTree);
    assert!(places().reaches(&path, "/etc/passwd"));
}

#[test]
fn a_path_reaches_what_is_below_it() {
    let reaches =
        |word: &str, other: &str| places().reaches(&target(word, Some("/home/me/shop")), other);
    for word in ["~", "~/.config", "~/.config/tenterhook", "~/.c*", "~/*", "/home", "/", "/*"] {
        assert!(reaches(word, "/home/me/.config/tenterhook/policy.toml"), "{word}");
    }
    assert!(reaches("$X/.claude/settings.json", "/home/me/.claude/settings.json"));
    for word in ["~/.cache", "src", "*", "$X", "./$X", "~/.config/other", "~/.config/t/x"] {
        assert!(!reaches(word, "/home/me/.config/tenterhook/policy.toml"), "{word}");
    }
}

#[test]
fn the_tables_are_sorted() {
    for table in [tables::MADE_AGAIN, tables::MADE_IN_PROJECT] {
        assert!(table.is_sorted());
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(512))]

    /// Losing everything in a folder is as severe as losing the folder, whatever its name; only folders for
    /// temporary files are more severe than their content.
    #[test]
    fn all_of_a_folder_counts_as_the_folder(path in "(/|~|\\.\\./|)([a-zé./ ]|etc|usr|home|tmp|\\.git){0,6}") {
        let folder = format!("'{}'", path.replacen('~', "", 1));
        let word = if path.starts_with('~') { format!("~/{folder}") } else { folder };
        if word != "''" {
            let one = places().zone(&target(&word, Some("/home/me/shop")));
            let all = places().zone(&target(&format!("{word}/*"), Some("/home/me/shop")));
            let temporary = one == Zone::SystemTree && all == Zone::Outside;
            proptest::prop_assert!(one == all || temporary, "{}: {:?}, all of it {:?}", word, one, all);
        }
    }
}

#[test]
fn a_drive_is_the_same_place_in_every_form() {
    let places = Places {
        home: Some("C:\\Users\\me"),
        cwd: Some("D:\\code\\shop"),
        roots: vec!["D:\\code\\shop"],
        own: &[],
        case_insensitive: true,
    };
    check(
        &places,
        &[
            ("a.txt", Zone::Inside),
            ("'src\\a.txt'", Zone::Inside),
            ("D:/code/shop/a.txt", Zone::Inside),
            ("'d:\\CODE\\shop\\a.txt'", Zone::Inside),
            ("/d/code/shop/a.txt", Zone::Inside),
            ("/mnt/d/code/shop/a.txt", Zone::Inside),
            ("/cygdrive/d/code/shop/a.txt", Zone::Inside),
            ("/d/code/shop/dist", Zone::Generated),
            ("/d/code/shop", Zone::Workspace),
            ("..", Zone::Workspace),
            ("../..", Zone::Root),
            ("../../../..", Zone::Root),
            ("../other", Zone::Outside),
            ("/d/code/other", Zone::Outside),
            ("/d/tmp/x", Zone::Temporary),
            ("'D:/Program Files/x'", Zone::Outside),
            ("'C:/Program Files/x'", Zone::System),
            ("/c/Users/me/AppData/Local/Temp/x", Zone::Temporary),
            ("/c/Users/me", Zone::Home),
            ("/d", Zone::Root),
            ("D:/", Zone::Root),
        ],
    );
}
