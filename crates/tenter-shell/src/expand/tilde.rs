//! Tildes: homes and directories.

use super::build::Style;
use super::word::Expander;

impl Expander<'_> {
    /// Unquoted text at the start of a word, or anywhere in an assigned value. `first` and `last`
    /// say whether it stands at the start and at the end of the word.
    pub(super) fn with_tildes(&mut self, text: &str, at: Option<u32>, first: bool, last: bool) {
        let colons = self.out.style() == Style::Single;
        let mut rest = text;
        let mut counts = first;
        loop {
            let offset = text.len() - rest.len();
            let place = at.map(|at| at.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX)));
            if counts && rest.starts_with('~') {
                let end = rest.find(['/', ':']);
                // `~"name"` is not a tilde: the name goes on after this text and is quoted.
                if let Some(name) = rest.get(1..end.unwrap_or(rest.len()))
                    && (end.is_some() || last)
                {
                    if !colons && !last && !rest.contains('/') {
                        // `~:$x`: bash takes what follows the colon as it is written.
                        return self.out.unknown(rest, false);
                    }
                    self.tilde(name);
                    rest = rest.get(1 + name.len()..).unwrap_or_default();
                    counts = false;
                    continue;
                }
            }
            // `~$USER`: some shells take it for a home, and `eval` makes every shell do so.
            if counts && first && !last && rest == "~" {
                return self.out.unknown(rest, false);
            }
            let colon = rest.find(":~").filter(|_| colons);
            let Some((head, tail)) = colon.and_then(|colon| rest.split_at_checked(colon + 1))
            else {
                return self.out.active(rest, place, true);
            };
            self.out.active(head, place, true);
            rest = tail;
            counts = true;
        }
    }

    fn tilde(&mut self, name: &str) {
        let path = match name {
            "" => self.scope.home(None),
            "+" => self.scope.directory(),
            "-" => self.scope.previous_directory(),
            name => self.scope.home(Some(name)),
        };
        match path {
            Some(path) => self.out.quoted(&path, None),
            None => self.out.unknown(&format!("~{name}"), false),
        }
    }
}
