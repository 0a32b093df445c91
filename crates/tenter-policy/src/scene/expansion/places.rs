//! Finds expanded files whose path does not contain their name.

use super::Scene;

/// Maximum number of folders and file heads examined per name.
const MAX_FOLDERS: usize = 64;
/// Number of bytes read to find a file's name.
const HEAD: usize = 2048;

impl Scene<'_> {
    /// `/c2` for `commands/sub/c2.md`.
    pub(super) fn below(&self, folder: &str, name: &str, files: &mut Vec<String>) {
        for below in self.names_in(folder).iter().filter(|below| !below.contains('.')) {
            files.push(format!("{folder}/{below}/{name}.md"));
        }
    }

    /// Skills whose front matter sets another name than that of their folder.
    pub(super) fn named_so(&self, folder: &str, name: &str, files: &mut Vec<String>) {
        for below in self.names_in(folder).iter().filter(|below| *below != name) {
            let file = format!("{folder}/{below}/SKILL.md");
            let Some(head) = self.world.facts.read(&file, HEAD) else { continue };
            let named =
                head.lines().skip(1).take_while(|line| line.trim_end() != "---").any(|line| {
                    let value = line.strip_prefix("name:").map(str::trim);
                    value.is_some_and(|value| value.trim_matches(['"', '\'']) == name)
                });
            if named {
                files.push(file);
            }
        }
    }

    /// `/plugin:name` in `plugins/cache/MARKET/plugin/VERSION`.
    pub(super) fn of_plugin(
        &self,
        folder: &str,
        plugin: &str,
        name: &str,
        files: &mut Vec<String>,
    ) {
        let last = name.rsplit([':', '/']).next().unwrap_or(name);
        let cache = format!("{folder}/plugins/cache");
        for market in self.names_in(&cache) {
            let place = format!("{cache}/{market}/{plugin}");
            for version in self.names_in(&place) {
                files.push(format!("{place}/{version}/skills/{last}/SKILL.md"));
                files.push(format!("{place}/{version}/commands/{last}.md"));
            }
        }
    }

    fn names_in(&self, folder: &str) -> Vec<String> {
        let listing = self.world.facts.list(folder).filter(|listing| !listing.archive);
        let mut names = listing.map(|listing| listing.names).unwrap_or_default();
        names.sort_unstable();
        names.truncate(MAX_FOLDERS);
        names
    }
}
