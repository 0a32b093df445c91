//! Parses Cursor's two version schemes.

/// `3.21.16` in the editor, `2026.09.23-86fc751` in the CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    Ide(u32, u32, u32),
    Cli(u32, u32, u32),
}

impl Version {
    pub fn parse(text: &str) -> Option<Self> {
        let numbers = text.split(['-', '+']).next()?;
        let mut parts = numbers.split('.').map(|part| part.parse::<u32>().ok());
        let first = parts.next()??;
        let second = parts.next()??;
        let third = parts.next().unwrap_or(Some(0))?;
        // The editor's major version stays far below 2000.
        Some(if first >= 2000 {
            Version::Cli(first, second, third)
        } else {
            Version::Ide(first, second, third)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_editor_from_the_command_line() {
        assert_eq!(Version::parse("3.21.16"), Some(Version::Ide(3, 21, 16)));
        assert_eq!(Version::parse("2026.09.23-86fc751"), Some(Version::Cli(2026, 9, 23)));
        assert_eq!(Version::parse("0.46"), Some(Version::Ide(0, 46, 0)));
        for odd in ["nightly", "2", "2.x", "2.4.x", ""] {
            assert_eq!(Version::parse(odd), None, "{odd}");
        }
        assert!(Version::Ide(2, 4, 20) < Version::Ide(2, 4, 21));
    }
}
