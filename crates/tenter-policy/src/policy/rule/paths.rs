//! Matches paths in rules against targets of effects.

use std::borrow::Cow;

use tenter_shell::PathTarget;
use tenter_shell::target::PathPart;

use super::overlap::meets;
use crate::pattern;
use crate::places::Places;

/// Whether the target may match one of the patterns. With `deep`, everything below the target counts too.
pub(super) fn may(
    patterns: &[String],
    target: &PathTarget,
    deep: bool,
    places: &Places<'_>,
) -> bool {
    patterns.iter().any(|pattern| {
        let real = target.real.as_deref().is_some_and(|real| is(pattern, real, deep, places));
        real || match target.exact() {
            Some(path) => is(pattern, path, deep, places),
            None => rooted(pattern, places).iter().any(|pattern| {
                let fold = places.case_insensitive;
                // An unknown part may be anything: only the known parts can indicate a match.
                if target.has_unknown() {
                    return evident(pattern, target) && meets(pattern, &target.parts, deep, fold);
                }
                meets(pattern, &target.parts, deep, fold) || (deep && takes(target, pattern))
            }),
        }
    })
}

/// Whether the known parts indicate a match: the target is in the pattern's folder, or ends with one of its
/// names.
fn evident(pattern: &str, target: &PathTarget) -> bool {
    let base = fixed(pattern).filter(|base| !base.is_empty());
    if let (Some(base), Some(PathPart::Text(prefix))) = (base, target.parts.first())
        && below(prefix.trim_end_matches('/'), base).is_some()
    {
        return true;
    }
    let Some(PathPart::Text(suffix)) = target.parts.last() else {
        return false;
    };
    // The first piece belongs to the unknown part before it.
    let mut names = suffix.split('/').skip(1).filter(|name| !name.is_empty());
    let named = |name: &str| {
        pattern.split(['/', '\\']).any(|piece| piece == name)
            || (!pattern.contains(['/', '\\']) && pattern::matches(pattern, name))
    };
    names.any(named)
}

/// Whether a target with wildcards may be a parent of the pattern's paths.
fn takes(target: &PathTarget, pattern: &str) -> bool {
    let Some(base) = fixed(pattern) else {
        return false;
    };
    let ends = base.char_indices().filter(|(_, letter)| *letter == '/').map(|(at, _)| at);
    ends.chain([base.len()])
        .filter_map(|end| base.get(..end))
        .any(|folder| !folder.is_empty() && target.may_be(folder))
}

/// Whether the target certainly matches one of the patterns, with links resolved.
pub(super) fn must(patterns: &[String], target: &PathTarget, places: &Places<'_>) -> bool {
    let fits = |path: &str| patterns.iter().any(|pattern| is(pattern, path, false, places));
    // The same path on another machine is different.
    if target.elsewhere || target.real.as_deref().is_some_and(|real| !fits(real)) {
        return false;
    }
    match target.exact() {
        Some(path) => fits(path),
        // A star may be empty or not: both must match.
        None => [("", "\u{1}"), ("\u{1}\u{1}", "\u{1}")]
            .iter()
            .all(|(star, one)| filled(&target.parts, star, one).is_some_and(|path| fits(&path))),
    }
}

/// Whether a literal path matches a pattern; allocates only if necessary.
pub(super) fn is(pattern: &str, path: &str, deep: bool, places: &Places<'_>) -> bool {
    if places.case_insensitive {
        let lower = |text: &str| text.to_lowercase();
        let folded = rooted(pattern, places);
        let path = lower(path);
        return folded.iter().any(|pattern| {
            let pattern = lower(pattern);
            pattern::matches(&pattern, &path) || (deep && lies_above(&path, &pattern))
        });
    }
    if anchored(pattern) && !pattern.starts_with('~') {
        let inside = places.roots.iter().any(|root| {
            let rest = below(path, root);
            rest.is_some_and(|rest| pattern::matches(trimmed(pattern), rest))
        });
        if inside || !deep {
            return inside;
        }
    } else if !pattern.starts_with('~') && pattern::matches(pattern, path) {
        return true;
    }
    rooted(pattern, places)
        .iter()
        .any(|pattern| pattern::matches(pattern, path) || (deep && lies_above(path, pattern)))
}

/// Whether a relative pattern contains a slash and so is relative to the workspace.
fn anchored(pattern: &str) -> bool {
    let inner = pattern.contains(['/', '\\']);
    inner && !pattern.starts_with(['/', '\\']) && !drive(pattern) && !pattern.starts_with("**")
}

fn drive(pattern: &str) -> bool {
    matches!(pattern.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn trimmed(pattern: &str) -> &str {
    pattern.strip_prefix("./").unwrap_or(pattern)
}

/// The path relative to a folder; empty for the folder itself.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(folder.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// The absolute pattern for each workspace root; unchanged if it may begin anywhere.
fn rooted<'p>(pattern: &'p str, places: &Places<'_>) -> Vec<Cow<'p, str>> {
    if let Some(rest) = pattern.strip_prefix('~') {
        let home = places.home.map(|home| home.trim_end_matches('/'));
        return home.map(|home| Cow::Owned(format!("{home}{rest}"))).into_iter().collect();
    }
    if !anchored(pattern) {
        return vec![Cow::Borrowed(pattern)];
    }
    let join = |root: &&str| format!("{}/{}", root.trim_end_matches('/'), trimmed(pattern));
    places.roots.iter().map(|root| Cow::Owned(join(root))).collect()
}

/// Whether the pattern's literal prefix is the path or below it.
fn lies_above(path: &str, pattern: &str) -> bool {
    fixed(pattern).is_some_and(|base| below(base, path).is_some())
}

/// The folder that contains all matches of an absolute pattern.
fn fixed(pattern: &str) -> Option<&str> {
    if !pattern.starts_with('/') {
        return None;
    }
    match pattern.find(['*', '?', '[', '{']) {
        Some(sign) => pattern.get(..sign)?.rsplit_once('/').map(|(base, _)| base),
        None => Some(pattern),
    }
}

/// The path with its wildcards replaced; `None` if a part is unknown.
fn filled(parts: &[PathPart], star: &str, one: &str) -> Option<String> {
    let mut path = String::new();
    for part in parts {
        match part {
            PathPart::Text(text) => path.push_str(text),
            // `.*` may match `..`.
            PathPart::Glob(_) if path.ends_with("/.") || path.ends_with("/..") => return None,
            PathPart::Glob(glob) if glob == "*" => path.push_str(star),
            PathPart::Glob(glob) if glob == "?" || glob.starts_with('[') => path.push_str(one),
            PathPart::Glob(_) | PathPart::Unknown(_) => return None,
        }
    }
    // Two adjacent stars match slashes.
    let crossing = parts.windows(2).any(|pair| {
        matches!(pair, [PathPart::Glob(one), PathPart::Glob(two)] if one == "*" && two == "*")
    });
    (!crossing).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "/home/me/shop";

    fn places() -> Places<'static> {
        Places {
            home: Some("/home/me"),
            cwd: Some(ROOT),
            roots: vec![ROOT],
            own: &[],
            case_insensitive: false,
        }
    }

    /// Parses `*`, `?` and `$x` like a shell.
    fn target(text: &str) -> PathTarget {
        let mut path = PathTarget::absolute("/");
        path.parts.clear();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '*' | '?' => 1,
                '$' => 2,
                _ => rest.find(['*', '?', '$']).unwrap_or(rest.len()),
            };
            let (piece, tail) = rest.split_at(length);
            path.parts.push(match first {
                '*' | '?' => PathPart::Glob(piece.to_owned()),
                '$' => PathPart::Unknown(piece.to_owned()),
                _ => PathPart::Text(piece.to_owned()),
            });
            rest = tail;
        }
        path
    }

    fn one(pattern: &str) -> Vec<String> {
        vec![pattern.to_owned()]
    }

    #[test]
    fn a_pattern_is_about_the_workspace_the_home_or_the_root() {
        let cases = [
            ("prod/**", "/home/me/shop/prod/a.yaml", true),
            ("./prod/**", "/home/me/shop/prod/a.yaml", true),
            ("prod/**", "/home/me/other/prod/a.yaml", false),
            ("prod/**", "/home/me/shop/x/prod/a.yaml", false),
            ("**/prod/**", "/home/me/other/prod/a.yaml", true),
            ("*.pem", "/etc/ssl/key.pem", true),
            ("*.pem", "/etc/ssl/key.pem/x", false),
            ("~/.ssh/**", "/home/me/.ssh/id", true),
            ("~/.ssh/**", "/home/you/.ssh/id", false),
            ("~/.ssh/**", "/srv/home/me/.ssh/id", false),
            ("/etc/*", "/etc/passwd", true),
            ("/etc/*", "/etc/ssh/config", false),
            ("src/*.rs", "/home/me/shop/src/*", true),
            ("src/*.rs", "/home/me/shop/src/*.rs", true),
            ("src/*.rs", "/home/me/shop/src/*.py", false),
            ("src/**", "/home/me/shop/*", false),
            ("src/**", "/home/me/shop/*/a", true),
            ("prod/**", "/home/me/shop/prod/$x", true),
            ("prod/**", "/home/me/shop/$x", false),
            ("prod/**", "$x", false),
            ("prod/**", "$x/prod/a", true),
            ("prod/**", "$x/dev/a", false),
            ("*.pem", "$x/key.pem", true),
            ("*.pem", "$x.pem", false),
            ("{a,b}/x", "/home/me/shop/a/*", true),
        ];
        for (pattern, path, expected) in cases {
            let found = may(&one(pattern), &target(path), false, &places());
            assert_eq!(found, expected, "{pattern}: {path}");
        }
    }

    #[test]
    fn what_is_done_to_a_folder_is_done_to_what_is_in_it() {
        let cases = [
            ("prod/**", "/home/me/shop", true),
            ("prod/**", "/home/me/shop/prod", true),
            ("prod/x.txt", "/home/me/shop/prod", true),
            ("prod/**", "/home/me/shop/dev", false),
            ("prod/**", "/home/me/sho", false),
            ("prod/**", "/", true),
            ("prod/**", "/home/*", true),
            ("prod/**", "/home/me/shop/*", true),
            ("prod/**", "/home/me/shop/d*", false),
            ("*.pem", "/home/me/shop", false),
        ];
        for (pattern, path, expected) in cases {
            let found = may(&one(pattern), &target(path), true, &places());
            assert_eq!(found, expected, "{pattern}: {path}");
            if !path.ends_with("prod") {
                assert!(!may(&one(pattern), &target(path), false, &places()), "{pattern}: {path}");
            }
        }
    }

    #[test]
    fn links_count_for_rules_and_against_exceptions() {
        let mut path = PathTarget::absolute("/home/me/shop/build/x");
        path.real = Some("/etc/passwd".into());
        assert!(may(&one("/etc/**"), &path, false, &places()));
        assert!(!must(&one("build/**"), &path, &places()));
        path.real = Some("/home/me/shop/build/y".into());
        assert!(must(&one("build/**"), &path, &places()));
        path.elsewhere = true;
        assert!(!must(&one("build/**"), &path, &places()));
    }

    #[test]
    fn an_exception_needs_certainty() {
        let cases = [
            ("build/**", "/home/me/shop/build/x", true),
            ("build/**", "/home/me/shop/build/*", true),
            ("build/**", "/home/me/shop/build/$x", false),
            ("build/**", "/home/me/shop/build/.*", false),
            ("build/**", "/home/me/shop/*", false),
            ("build/**", "/home/me/shop/build/**", false),
            ("build/?", "/home/me/shop/build/?", true),
            ("build/?", "/home/me/shop/build/*", false),
            ("build/x*", "/home/me/shop/build/x*", true),
            ("build/x", "/home/me/shop/build/*", false),
            ("*", "$x", false),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(
                must(&one(pattern), &target(path), &places()),
                expected,
                "{pattern}: {path}"
            );
        }
    }

    #[test]
    fn capitals_do_not_matter_where_the_system_ignores_them() {
        let mut places = places();
        assert!(!may(&one("prod/**"), &target("/home/me/shop/PROD/a"), false, &places));
        places.case_insensitive = true;
        assert!(may(&one("prod/**"), &target("/home/me/shop/PROD/a"), false, &places));
        assert!(may(&one("prod/**"), &target("/home/me/shop/PROD/*"), false, &places));
    }
}
