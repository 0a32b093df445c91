use proptest::prelude::*;

use super::*;

fn check(lines: &str) {
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [pattern, sign @ ("=" | "!"), texts @ ..] = words.as_slice() else {
            panic!("{line}");
        };
        assert!(!texts.is_empty(), "{line}");
        for text in texts {
            assert_eq!(matches(pattern, text), *sign == "=", "`{pattern}` and `{text}`");
            let read_once = Matcher::new(pattern).matches(text);
            assert_eq!(read_once, *sign == "=", "`{pattern}` and `{text}`, read once");
        }
    }
}

#[test]
fn signs_stand_for_what_they_say() {
    check(
        "
        /a/*.rs = /a/b.rs /a/.rs
        /a/*.rs ! /a/b/c.rs /a/b.rs/x /x/a/b.rs
        /a/** = /a/b /a/b/c /a /a/
        /a/** ! /ab /b/a/c
        /a/**/z = /a/z /a/b/z /a/b/c/z
        /a/**/z ! /a/bz /a/zz
        **/z = z a/z /a/b/z
        **/z ! az a/bz
        a**z = az abz a/b/z
        a?c = abc
        a?c ! ac a/c abbc
        [a-cx]1 = a1 c1 x1
        [a-cx]1 ! d1 -1 /1 1
        [!a-c]1 = d1 é1
        [!a-c]1 ! a1 /1 1
        []-]1 = ]1 -1
        [*] = *
        [*] ! a
        {main,release/*} = main release/1
        {main,release/*} ! release release/1/2 mainx
        a{b,{c,d}e}f = abf acef adef
        a{b,{c,d}e}f ! acf abef af
        {x} = x
        a{,b} = a ab
        a{b,c = a{b,c
        a}b = a}b
        [ab = [ab
        *[ab = x[ab
        {src,lib/**}/x = src/x lib/x lib/a/x
        src/{a,b/**} = src/a src/b src/b/c
        ",
    );
}

#[test]
fn a_pattern_without_a_slash_is_a_name_anywhere() {
    check(
        "
        *.pem = key.pem /home/me/key.pem a/key.pem C:\\keys\\key.pem
        *.pem ! /home/me/key.pem/x key.pem.txt
        id_rsa = id_rsa /home/me/.ssh/id_rsa
        id_rsa ! /home/me/my_id_rsa id_rsa.pub
        delete_* = github/delete_repo delete_all
        left = left
        left ! @evil/left
        @me/* = @me/left
        * = a /a/b
        ",
    );
}

#[test]
fn a_pattern_that_is_not_rooted_fits_any_folder_of_an_absolute_path() {
    check(
        "
        tests/fixtures/** = /home/me/shop/tests/fixtures/a/b tests/fixtures/a D:\\x\\tests\\fixtures\\a
        tests/fixtures/** ! /home/me/shop/mytests/fixtures/a /home/me/tests/fixture
        github/* = github/search
        github/* ! evil/github/search github/a/b
        /tests/* ! /home/tests/a
        C:/keys/* = C:\\keys\\a
        C:\\keys\\** = C:/keys/a/b
        src/x.rs = /w/src/x.rs src/x.rs
        src/x.rs ! /w/asrc/x.rs w/src/x.rs
        ",
    );
    assert!(matches_whole("npx -y *", "npx -y thing") && matches_whole("a/*", "a/b"));
    assert!(!matches_whole("thing", "/tmp/thing") && !matches_whole("a/*", "/x/a/b"));
    assert!(!matches("", "a"));
    assert!(!matches("", "/a/"));
    assert!(matches("", ""));
}

#[test]
fn hostile_patterns_take_no_longer_than_others() {
    let text = "a".repeat(20_000);
    assert!(!matches(&"*a".repeat(40), &format!("{text}b")));
    assert!(!matches(&format!("{}b", "**a".repeat(40)), &format!("{text}/")));
    assert!(matches(&format!("{}*b*", "{a,aa,*}".repeat(20)), &format!("{text}b{text}")));
    assert!(!matches(&"{".repeat(5_000), &text));
    assert!(matches(&format!("{}?", "{a,".repeat(2_000) + &"}".repeat(2_000)), "é"));
}

/// The alternatives of a pattern, expanded. Braces in generated patterns are balanced.
fn alternatives(pattern: &str) -> Vec<String> {
    let Some((before, after)) = pattern.split_once('}') else {
        return vec![pattern.to_owned()];
    };
    let (start, inside) = before.rsplit_once('{').unwrap();
    inside.split(',').flat_map(|one| alternatives(&format!("{start}{one}{after}"))).collect()
}

/// Naive backtracking matcher. `before` is the previous character.
fn naive(pattern: &[char], text: &[char], before: Option<char>) -> bool {
    let folder = matches!(before, None | Some('/'));
    match pattern {
        [] => text.is_empty(),
        ['/', '*', '*'] if before.is_some() && text.is_empty() => true,
        ['*', '*', '/', rest @ ..] if folder => {
            let begins = |at: &usize| *at == 0 || text[at - 1] == '/';
            (0..=text.len()).filter(begins).any(|at| naive(rest, &text[at..], Some('/')))
        }
        ['*', '*', rest @ ..] => (0..=text.len()).any(|at| naive(rest, &text[at..], Some('*'))),
        ['*', rest @ ..] => (0..=text.len())
            .take_while(|at| !text[..*at].contains(&'/'))
            .any(|at| naive(rest, &text[at..], Some('*'))),
        ['?', rest @ ..] => {
            text.first().is_some_and(|one| *one != '/') && naive(rest, &text[1..], Some('?'))
        }
        [one, rest @ ..] => text.first() == Some(one) && naive(rest, &text[1..], Some(*one)),
    }
}

fn expected(pattern: &str, text: &str) -> bool {
    let rooted = pattern.starts_with('/');
    let floats = !rooted && (text.starts_with('/') || !pattern.contains('/'));
    let letters: Vec<char> = text.chars().collect();
    let starts = (0..=letters.len()).filter(|at| *at == 0 || (floats && letters[at - 1] == '/'));
    let patterns: Vec<Vec<char>> =
        alternatives(pattern).iter().map(|one| one.chars().collect()).collect();
    starts.into_iter().any(|at| patterns.iter().any(|pattern| naive(pattern, &letters[at..], None)))
}

proptest! {
    // About a fifth of the patterns of the first test are rejected.
    #![proptest_config(ProptestConfig { max_global_rejects: 100_000, ..ProptestConfig::with_cases(4_000) })]

    #[test]
    fn the_matcher_agrees_with_one_that_tries_everything(
        pattern in "(a|b|/|\\?|\\*|\\*\\*/|/\\*\\*|/\\*\\*/|\\{a,b\\*\\}|\\{b,a\\{a,\\?b\\}\\}){1,7}",
        text in "[ab/]{0,9}",
    ) {
        // Three stars are equivalent to two, and stars of an alternative do not join those after it; the
        // naive matcher handles neither.
        prop_assume!(!pattern.contains("***") && !pattern.contains("}*"));
        prop_assert_eq!(matches(&pattern, &text), expected(&pattern, &text), "{} {}", pattern, text);
    }

    #[test]
    fn a_pattern_that_is_read_once_says_the_same_of_every_text(
        pattern in "(a|b|/|\\\\|\\?|\\*|\\*\\*/|/\\*\\*|/\\*\\*/|\\[ab\\]|\\{a,b\\*\\}|@){1,6}",
        texts in proptest::collection::vec("[ab/@\\\\]{0,9}", 1..5),
    ) {
        let matcher = Matcher::new(&pattern);
        for text in &texts {
            prop_assert_eq!(matcher.matches(text), matches(&pattern, text), "{} {}", pattern, text);
        }
    }

    #[test]
    fn any_pattern_and_text_can_be_tried(pattern in "\\PC{0,30}", text in "\\PC{0,30}") {
        let once = Matcher::new(&pattern).matches(&text);
        prop_assert_eq!(once, matches(&pattern, &text));
        prop_assert!(matches("**", &text));
    }

    #[test]
    fn a_text_matches_itself(text in "[a-z0-9./@_\\-é]{1,20}") {
        prop_assert!(matches(&text, &text));
    }
}
