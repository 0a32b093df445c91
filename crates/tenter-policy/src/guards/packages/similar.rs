//! Detects typosquats: names that resemble well-known ones.
//!
//! A well-known name is never a typosquat. Other names are compared with all known ones: different
//! separators, reordered words, a meaningless affix, one letter added, missing, wrong or swapped. Short words
//! differ by one letter from many honest ones, so for them only typical typos count.

use super::names::Ecosystem;

/// A well-known name, and the kind of difference.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Similar {
    pub known: &'static str,
    pub how: &'static str,
}

/// The well-known name that `name` resembles; `None` if it is well known itself or resembles none.
pub(super) fn similar(ecosystem: Ecosystem, name: &str) -> Option<Similar> {
    match ecosystem {
        Ecosystem::System => None,
        Ecosystem::Go => module(name),
        Ecosystem::Npm if name.starts_with('@') => scope(name),
        _ => plain(ecosystem, name),
    }
}

fn plain(ecosystem: Ecosystem, name: &str) -> Option<Similar> {
    let name = normal(ecosystem, name);
    if name.len() < 3 || find(ecosystem.known(), &name).is_some() {
        return None;
    }
    let found = ecosystem.known().as_bytes().split(|byte| *byte <= b' ').find_map(|known| {
        if !may_be(known, name.as_bytes()) {
            return None;
        }
        let known = std::str::from_utf8(known).ok()?;
        let how = if same_but_separators(known, &name) {
            "differs only in its separators from"
        } else if swapped_words(known, &name) {
            "swaps the words of"
        } else if slip(known, &name) {
            "is one letter away from"
        } else {
            return None;
        };
        Some(Similar { known, how })
    });
    found.or_else(|| {
        let known = find(ecosystem.known(), without_affix(ecosystem, &name)?)?;
        Some(Similar { known, how: "adds only a prefix or suffix to" })
    })
}

/// Cheap test whether two names are worth comparing.
fn may_be(known: &[u8], name: &[u8]) -> bool {
    let (Some(first), Some(other)) = (known.first(), name.first()) else { return false };
    let difference = known.len().abs_diff(name.len());
    difference <= 3
        && (first == other
            || known.get(1) == Some(other)
            || (difference == 0 && known.contains(&b'-') && name.contains(&b'-')))
}

/// Looks up a name in a sorted list.
fn find(list: &'static str, name: &str) -> Option<&'static str> {
    let (mut from, mut to) = (0, list.len());
    while from < to {
        let middle = from + (to - from) / 2;
        let is_space = |byte: &u8| *byte <= b' ';
        let bytes = list.as_bytes();
        let start =
            bytes.get(from..middle)?.iter().rposition(is_space).map_or(from, |at| from + at + 1);
        let length = bytes.get(start..to)?.iter().position(is_space).unwrap_or(to - start);
        let word = list.get(start..start + length)?;
        match word.cmp(name) {
            std::cmp::Ordering::Equal => return Some(word).filter(|word| !word.is_empty()),
            std::cmp::Ordering::Less => from = start + length + 1,
            std::cmp::Ordering::Greater => to = start,
        }
    }
    None
}

/// The name normalised as in its registry.
fn normal(ecosystem: Ecosystem, name: &str) -> String {
    let mut name = name.to_ascii_lowercase();
    match ecosystem {
        Ecosystem::Pypi => name = name.replace(['_', '.'], "-"),
        Ecosystem::Crates => name = name.replace('_', "-"),
        _ => {}
    }
    name
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'-' | b'_' | b'.')
}

fn same_but_separators(one: &str, other: &str) -> bool {
    let bare = |text: &'_ str| text.bytes().filter(|byte| !is_separator(*byte)).count();
    one.len().abs_diff(other.len()) <= 3
        && one.len() >= 5
        && bare(one) == bare(other)
        && one
            .bytes()
            .filter(|byte| !is_separator(*byte))
            .eq(other.bytes().filter(|byte| !is_separator(*byte)))
}

fn swapped_words(one: &str, other: &str) -> bool {
    if one.len() != other.len() || one.len() < 8 || !one.contains('-') || !other.contains('-') {
        return false;
    }
    let mut ones: Vec<&str> = one.split('-').collect();
    let mut others: Vec<&str> = other.split('-').collect();
    ones.sort_unstable();
    others.sort_unstable();
    ones == others
}

/// Meaningless affixes that typosquats use.
const BEFORE: &[&str] = &["python-", "python3-", "py-", "node-", "js-", "rust-", "ruby-", "npm-"];
const AFTER: &[&str] = &[
    "-python",
    "-python3",
    "-py",
    "-node",
    "-nodejs",
    "-js",
    ".js",
    "js",
    "-rs",
    "-rust",
    "-ruby",
    "-npm",
    "-official",
];

fn without_affix(ecosystem: Ecosystem, name: &str) -> Option<&str> {
    let bare = BEFORE
        .iter()
        .find_map(|start| name.strip_prefix(start))
        .or_else(|| AFTER.iter().find_map(|end| name.strip_suffix(end)))?;
    // A package for another language is a different package: `node-requests` is not `requests`.
    let own = match ecosystem {
        Ecosystem::Npm => name.contains("js") || name.contains("node") || name.contains("npm"),
        Ecosystem::Pypi => name.contains("py"),
        Ecosystem::Crates => name.contains("rust") || name.contains("-rs"),
        Ecosystem::Gems => name.contains("ruby"),
        Ecosystem::Go | Ecosystem::System => false,
    };
    (bare.len() >= 5 && (own || name.contains("official"))).then_some(bare)
}

/// Position of the difference of two names of similar length.
struct Difference<'n> {
    /// Number of equal leading and trailing bytes.
    start: usize,
    end: usize,
    lost: &'n [u8],
    gained: &'n [u8],
}

fn difference<'n>(known: &'n str, name: &'n str) -> Option<Difference<'n>> {
    let (one, other) = (known.as_bytes(), name.as_bytes());
    if one.len().abs_diff(other.len()) > 1 || one == other {
        return None;
    }
    let start = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let left = one.len().min(other.len()).saturating_sub(start);
    let backwards = one.iter().rev().zip(other.iter().rev()).take(left);
    let end = backwards.take_while(|(one, other)| one == other).count();
    let middle = |text: &'n [u8]| text.get(start..text.len().checked_sub(end)?);
    Some(Difference { start, end, lost: middle(one)?, gained: middle(other)? })
}

/// Whether the names differ by one letter added, missing or wrong, or two swapped.
fn one_letter_away(known: &str, name: &str) -> bool {
    difference(known, name).is_some_and(|it| match (it.lost, it.gained) {
        ([], [_]) | ([_], [] | [_]) => true,
        ([one, two], [three, four]) => one == four && two == three,
        _ => false,
    })
}

/// Whether that is more likely a typo or a typosquat than another honest name.
fn slip(known: &str, name: &str) -> bool {
    let Some(Difference { start, end, lost, gained }) = difference(known, name) else {
        return false;
    };
    let known = known.as_bytes();
    // The word of the known name that differs: `loader` in `css-loader`.
    let before = known.iter().take(start).rposition(|byte| is_separator(*byte));
    let from = before.map_or(0, |at| at + 1);
    let word = known.iter().skip(from).take_while(|byte| !is_separator(**byte)).count();
    let doubled = |byte: u8| {
        let left = start.checked_sub(1).and_then(|at| known.get(at));
        left == Some(&byte) || known.get(start) == Some(&byte)
    };
    let twice = |byte: u8| start.checked_sub(1).and_then(|at| known.get(at)) == Some(&byte);
    let first = start == 0;
    let says_nothing = |byte: u8| byte.is_ascii_digit() || is_separator(byte);
    match (lost, gained) {
        ([], [extra]) if says_nothing(*extra) => false,
        // Typos rarely omit the first letter: `unicorn` is not one of `gunicorn`.
        ([], [extra]) if first => word >= 4 && doubled(*extra),
        ([], [extra]) => word >= 6 || (word >= 3 && doubled(*extra)),
        ([gone], []) if says_nothing(*gone) => false,
        // Without its first or last letter a short word is often an honest one.
        ([_], []) if first => word >= 9,
        ([gone], []) => {
            let vowel = start > from && end > 0 && is_vowel(*gone);
            word >= 6 || (word == 5 && (vowel || twice(*gone)))
        }
        ([right], [wrong]) if looks_like(*right, *wrong) => word >= 4,
        ([right], [wrong]) if says_nothing(*right) || says_nothing(*wrong) => false,
        (_, [_]) if first => false,
        ([right], [wrong]) => word >= 6 || (word == 5 && start > from && near(*right, *wrong)),
        ([one, two], [three, four]) => {
            let long = word >= 5 || (word == 4 && known.len() >= 8);
            one == four && two == three && long && !is_separator(*one) && !is_separator(*two)
        }
        _ => false,
    }
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u')
}

/// Whether a digit looks like a letter.
fn looks_like(one: u8, other: u8) -> bool {
    matches!(
        (one, other),
        (b'o', b'0') | (b'l' | b'i', b'1') | (b'e', b'3') | (b's', b'5') | (b'a', b'4')
    )
}

/// Adjacent keys on the keyboard.
fn near(one: u8, other: u8) -> bool {
    const ROWS: &[&[u8]] = &[b"qwertyuiop", b"asdfghjkl", b"zxcvbnm"];
    let at = |key: u8| {
        ROWS.iter().enumerate().find_map(|(row, keys)| {
            keys.iter().position(|known| *known == key).map(|column| (row, column))
        })
    };
    matches!((at(one), at(other)), (Some(one), Some(other))
        if one.0.abs_diff(other.0) <= 1 && one.1.abs_diff(other.1) <= 1)
}

/// Well-known npm scopes.
const SCOPES: &str = "\
    @actions @ai-sdk @algolia @angular @ant-design @anthropic-ai @apollo @astrojs @auth0 @aws-cdk \
    @aws-sdk @azure @babel @biomejs @capacitor @chakra-ui @changesets @clerk @cloudflare @commitlint \
    @cypress @datadog @discordjs @dnd-kit @docusaurus @electron @elastic @emotion @esbuild \
    @eslint @expo @faker-js @fastify @firebase @floating-ui @fortawesome @fullcalendar @google-cloud \
    @graphql-codegen @graphql-tools @grpc @hapi @headlessui @heroicons @hookform @huggingface \
    @ionic @istanbuljs @jest @jridgewell @langchain @lezer @lit @mantine @mapbox @mdx-js @microsoft \
    @modelcontextprotocol @mui @mswjs @nestjs @next @nextui-org @ngrx @node-rs @nodelib @npmcli @nrwl \
    @nuxt @nx @octokit @openai @opentelemetry @parcel @pinia @playwright @pmmmwh @popperjs @prisma \
    @protobufjs @radix-ui @react-aria @react-email @react-native @react-navigation @react-pdf \
    @react-spring @react-three @redux-saga @reduxjs @reown @rollup @remix-run @sentry @shopify \
    @sindresorhus @sinonjs @slack @solana @storybook @stripe @supabase @svelte @sveltejs @svgr @swc \
    @tailwindcss @tanstack @tauri-apps @tensorflow @testing-library @tiptap @trpc @tsconfig \
    @turf @types @typescript-eslint @ungap @uiw @upstash @vercel @vitejs @vitest @vue @vueuse \
    @walletconnect @webassemblyjs @wordpress @xstate";

/// `@tpyes/node` for `@types/node`: the owner of a scope owns everything in it.
fn scope(name: &str) -> Option<Similar> {
    let scope = name.split('/').next()?;
    let known = || SCOPES.split_ascii_whitespace();
    if known().any(|known| known == scope) {
        return None;
    }
    let how = "has a scope one letter away from";
    let bare = |scope: &'_ str| scope.get(1..).unwrap_or_default().to_owned();
    known()
        .find(|known| {
            slip(known.get(1..).unwrap_or_default(), &bare(scope))
                || same_but_separators(known, scope)
        })
        .map(|known| Similar { known, how })
}

/// `github.com/gin-gonics/gin`: the owner of the host or account owns the module.
fn module(path: &str) -> Option<Similar> {
    let known = || Ecosystem::Go.known().split_ascii_whitespace();
    let host = path.split('/').next()?;
    let hosts = || known().filter_map(|known| known.split('/').next());
    if !hosts().any(|known| known == host) {
        let known = hosts().find(|known| one_letter_away(known, host))?;
        return Some(Similar { known, how: "has a host one letter away from" });
    }
    let (owner, name) = owner_and_name(path)?;
    if known().filter_map(owner_and_name).any(|(known, _)| known.eq_ignore_ascii_case(owner)) {
        return None;
    }
    known()
        .find(|known| {
            owner_and_name(known).is_some_and(|(known_owner, known_name)| {
                known_name == name
                    && (one_letter_away(known_owner, owner)
                        || same_but_separators(known_owner, owner))
            })
        })
        .map(|known| Similar { known, how: "has an owner one letter away from" })
}

fn owner_and_name(path: &str) -> Option<(&str, &str)> {
    let mut parts = path.split('/').skip(1);
    Some((parts.next()?, parts.next()?))
}

#[cfg(test)]
mod tests {
    use super::Ecosystem::{Crates, Gems, Go, Npm, Pypi};
    use super::*;

    #[test]
    fn names_that_pass_for_another_are_told() {
        let cases = [
            (Npm, "loadsh", "lodash"),
            (Npm, "lodahs", "lodash"),
            (Npm, "lodashs", "lodash"),
            (Npm, "crossenv", "cross-env"),
            (Npm, "cross_env", "cross-env"),
            (Npm, "expres", "express"),
            (Npm, "reqct", "react"),
            (Npm, "cros-env", "cross-env"),
            (Npm, "zodd", "zod"),
            (Npm, "expresss", "express"),
            (Npm, "mongose", "mongoose"),
            (Npm, "raect", "react"),
            (Npm, "axois", "axios"),
            (Npm, "ax1os", "axios"),
            (Npm, "discordjs", "discord.js"),
            (Npm, "dom-react", "react-dom"),
            (Npm, "express-js", "express"),
            (Npm, "typescirpt", "typescript"),
            (Npm, "electorn", "electron"),
            (Npm, "@tpyes/node", "@types"),
            (Npm, "@typescript_eslint/parser", "@typescript-eslint"),
            (Pypi, "reqeusts", "requests"),
            (Pypi, "requestss", "requests"),
            (Pypi, "reqests", "requests"),
            (Pypi, "python-requests", "requests"),
            (Pypi, "Djnago", "django"),
            (Pypi, "nump", ""),
            (Pypi, "pandsa", "pandas"),
            (Pypi, "beautifulsuop4", "beautifulsoup4"),
            (Pypi, "dateutil-python", "python-dateutil"),
            (Pypi, "colourama", "colorama"),
            (Pypi, "jeIlyfish", "jellyfish"),
            (Pypi, "urlib3", "urllib3"),
            (Pypi, "tensrflow", "tensorflow"),
            (Crates, "rustdecimal", "rust-decimal"),
            (Crates, "serde-jsno", "serde-json"),
            (Crates, "tokoi", "tokio"),
            (Crates, "reqwset", "reqwest"),
            (Gems, "rials", "rails"),
            (Gems, "nokogirl", "nokogiri"),
            (Gems, "rest_client", "rest-client"),
            (Gems, "atlas-client", ""),
            (Go, "github.com/gin-gonics/gin", "github.com/gin-gonic/gin"),
            (Go, "githab.com/gin-gonic/gin", "github.com"),
            (Go, "github.com/siruspen/logrus", "github.com/sirupsen/logrus"),
        ];
        for (ecosystem, name, expected) in cases {
            let found = similar(ecosystem, name);
            assert_eq!(found.map_or("", |found| found.known), expected, "{name}");
        }
    }

    #[test]
    fn honest_names_are_left_alone() {
        let honest: &[(Ecosystem, &str)] = &[
            (
                Npm,
                "react preact request lodash lodash-es colors color express vue vuex vite vitest \
                 redux rxjs left-pad my-own-thing react-native-foo css-loader scss-loader jest jets \
                 ts-node tsx eslint tslint chalk chai mocha next nuxt svelte koa hapi zod joi yup @me/lodash \
                 @acme/types @types/node react-table-v7 webpack5 moment2",
            ),
            (
                Pypi,
                "requests numpy numba scipy pandas panda3d polars django flask fastapi httpx \
                 http3 boto boto3 botocore psycopg psycopg2 psycopg2-binary jinja2 pytest pytest-foo \
                 Flask_SQLAlchemy ruamel.yaml colour colorama my-package pyfoo types-foo llama-index",
            ),
            (Crates, "serde serde_json serde-json tokio tracing time chrono toml tonic my_crate"),
            (Gems, "rails rake rack rspec puma pumas sinatra my_gem"),
            (
                Go,
                "github.com/gin-gonic/gin github.com/me/gin golang.org/x/tools example.com/x/y \
                 github.com/spf13/cobra/doc github.com/Sirupsen/logrus",
            ),
        ];
        for (ecosystem, names) in honest {
            for name in names.split_ascii_whitespace() {
                assert_eq!(similar(*ecosystem, name), None, "{name}");
            }
        }
    }

    #[test]
    fn every_name_of_a_list_is_found_in_it() {
        for ecosystem in [Npm, Pypi, Crates, Gems, Go] {
            for name in ecosystem.known().split_ascii_whitespace() {
                assert_eq!(find(ecosystem.known(), name), Some(name));
                assert_eq!(find(ecosystem.known(), &format!("{name}!")), None);
            }
        }
    }

    #[test]
    fn any_name_can_be_compared() {
        for name in ["", "-", "--", "@", "@/", "é", "éé-éé", "/", "a/", &"x".repeat(5_000)] {
            for ecosystem in [Npm, Pypi, Crates, Gems, Go] {
                let _ = similar(ecosystem, name);
            }
        }
    }
}
