//! Windows paths in one form, `D:/code`, whichever shell wrote them.

/// Whether a path names a drive: `D:\code`, `d:/code`, `D:`.
pub(crate) fn names_drive(path: &str) -> bool {
    match path.as_bytes() {
        [letter, b':'] | [letter, b':', b'/' | b'\\', ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Whether an absolute path is one of Windows, on a drive or a share.
pub(crate) fn is_windows(path: &str) -> bool {
    names_drive(path) && path.len() > 2 || path.starts_with("\\\\")
}

/// The start of a path in its usual form; `None` if it has that already.
///
/// `/d/code` (Git Bash), `/mnt/d/code` (WSL), `/cygdrive/d/code` and `/d:/code` (editors) are on drive D if the
/// work is on a drive: elsewhere these are ordinary folders.
pub(crate) fn usual(path: &str, windows: bool) -> Option<String> {
    if names_drive(path) {
        let (letter, rest) = path.split_at_checked(1)?;
        let done = letter.bytes().all(|letter| letter.is_ascii_uppercase()) && !rest.contains('\\');
        return (!done).then(|| letter.to_ascii_uppercase() + &rest.replace('\\', "/"));
    }
    if !windows {
        return None;
    }
    let rest = ["/mnt/", "/cygdrive/", "/"].iter().find_map(|start| {
        let rest = path.strip_prefix(start)?;
        let bytes = rest.as_bytes();
        let end = if bytes.get(1) == Some(&b':') { 2 } else { 1 };
        let is_drive = bytes.first().is_some_and(u8::is_ascii_alphabetic)
            && matches!(bytes.get(end), None | Some(b'/' | b'\\'));
        is_drive.then(|| (rest.get(..1).unwrap_or_default(), rest.get(end..).unwrap_or_default()))
    });
    match rest {
        Some((letter, rest)) => {
            let slash = if rest.is_empty() { "/" } else { "" };
            Some(format!("{}:{}{slash}", letter.to_ascii_uppercase(), rest.replace('\\', "/")))
        }
        None => path.contains('\\').then(|| path.replace('\\', "/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_has_one_form() {
        for (path, wanted) in [
            ("D:\\code\\shop", "D:/code/shop"),
            ("d:/code", "D:/code"),
            ("/d/code", "D:/code"),
            ("/D/Work", "D:/Work"),
            ("/mnt/d/code", "D:/code"),
            ("/cygdrive/d/code", "D:/code"),
            ("/d:/code", "D:/code"),
            ("/d", "D:/"),
            ("/d/", "D:/"),
            ("src\\a.ts", "src/a.ts"),
        ] {
            assert_eq!(usual(path, true).as_deref(), Some(wanted), "{path}");
        }
        for path in ["D:/code", "/tmp/x", "/dev/null", "/mnt/data", "src/a.ts", "/usr"] {
            assert_eq!(usual(path, true), None, "{path}");
        }
        assert_eq!(usual("/d/code", false), None);
        assert_eq!(usual("a\\ b", false), None);
        assert_eq!(usual("C:\\x", false).as_deref(), Some("C:/x"));
    }
}
