//! Finds the policy files and makes one policy of them, through a cached image.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use tenter_policy::Preset;
use tenter_policy::policy::image::{self, Sources};
use tenter_policy::policy::{Layer, LayerText, Policy};

use super::folders::{self, Folders};

/// The file of each layer above the project's.
pub(crate) const FILE: &str = "policy.toml";
/// The file at the root of a project, and its twin that is not committed.
pub(crate) const PROJECT_FILES: [&str; 2] = ["tenter.toml", "tenter.local.toml"];

/// A policy, and what went wrong on the way to it without changing it.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) policy: Policy,
    pub(crate) warnings: Vec<String>,
    /// Tells policies apart; none for what holds without any file.
    hash: Option<u64>,
    /// Where it lies compiled.
    image: Option<PathBuf>,
    files: Vec<Found>,
}

impl Loaded {
    /// What records call the policy.
    pub(crate) fn name(&self) -> String {
        match self.hash {
            Some(hash) => format!("{hash:016x}"),
            None => Preset::Recommended.as_str().to_owned(),
        }
    }

    /// The policy as it lies compiled, for whoever judges records by it later.
    pub(crate) fn compiled(&self) -> Option<Compiled> {
        Some(Compiled { hash: self.hash?, image: self.image.clone()? })
    }
}

/// A compiled policy on its way to where records can find it.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    hash: u64,
    image: PathBuf,
}

impl Compiled {
    /// Keeps the policy by the name that records give it.
    pub(crate) fn keep(&self, folders: &Folders) {
        let Some(file) = kept_at(folders, self.hash).filter(|file| !file.exists()) else { return };
        if let Ok(bytes) = std::fs::read(&self.image) {
            // Without it `replay` can tell less; nothing else needs it.
            drop(folders::replace(&file, &bytes));
        }
    }
}

/// One policy file: its text, or why it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) layer: Layer,
    pub(crate) path: PathBuf,
    pub(crate) text: Result<String, String>,
}

/// The policy for work in these folders.
pub(crate) fn load(folders: &Folders, places: &[&str]) -> Loaded {
    of(folders, find(folders, places))
}

/// The policy for work in these folders, unless it is the one that holds here. Hosts do not always start a hook
/// where they work, and most folders have no file of their own.
pub(crate) fn load_elsewhere(folders: &Folders, here: &Loaded, places: &[&str]) -> Option<Loaded> {
    let own = projects(places);
    let (above, same) = here.files.split_at(here.files.partition_point(is_above));
    (own != same).then(|| of(folders, [above, &own].concat()))
}

fn is_above(file: &Found) -> bool {
    file.layer != Layer::Project
}

fn of(folders: &Folders, files: Vec<Found>) -> Loaded {
    if files.is_empty() {
        let policy = Policy::preset(Preset::Recommended);
        return Loaded { policy, warnings: Vec::new(), hash: None, image: None, files };
    }
    let names = names(&files);
    let layers = layers(&files, &names);
    let sources = Sources::new(&layers);
    let cached = folders.cache.as_ref().map(|cache| cache.join(image_name(&names)));
    let bytes = cached.as_ref().and_then(|file| std::fs::read(file).ok());
    if let Some(image) = bytes.and_then(|bytes| image::decode(&bytes, &sources).ok()) {
        let (policy, hash) = (image.policy, Some(image.name));
        return Loaded { policy, warnings: Vec::new(), hash, image: cached, files };
    }
    let policy = Policy::load(&layers);
    let mut warnings = Vec::new();
    if let Some(file) = &cached
        && let Err(error) = folders::replace(file, &image::encode(&policy, &sources))
    {
        warnings.push(format!(
            "the policy is compiled at every call: cannot write {}: {error}",
            file.display()
        ));
    }
    Loaded { policy, warnings, hash: Some(sources.name()), image: cached, files }
}

/// The policy that records call so, if it was kept.
pub(crate) fn kept(folders: &Folders, name: &str) -> Option<Policy> {
    let hash = u64::from_str_radix(name, 16).ok()?;
    let image = image::decode_any(&std::fs::read(kept_at(folders, hash)?).ok()?).ok()?;
    (image.name == hash).then_some(image.policy)
}

const KEPT: &str = "policies";

fn kept_at(folders: &Folders, hash: u64) -> Option<PathBuf> {
    Some(folders.state.as_ref()?.join(KEPT).join(format!("{hash:016x}.image")))
}

/// All policies that were kept, by the names that records give them.
pub(crate) fn all_kept(state: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(state.join(KEPT)) else { return Vec::new() };
    let named = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".image")?.to_owned();
        u64::from_str_radix(&name, 16).ok().map(|_| (name, path))
    };
    entries.flatten().filter_map(|entry| named(entry.path())).collect()
}

/// The policy with everything in it that an image leaves out: tests, warnings, places.
pub(crate) fn compile(found: &[Found]) -> Policy {
    Policy::load(&layers(found, &names(found)))
}

fn names(found: &[Found]) -> Vec<String> {
    found.iter().map(|file| file.path.display().to_string()).collect()
}

fn layers<'f>(found: &'f [Found], names: &'f [String]) -> Vec<LayerText<'f>> {
    let layer = |(file, path): (&'f Found, &'f String)| LayerText {
        layer: file.layer,
        path,
        text: file.text.as_deref().map_err(Clone::clone),
    };
    found.iter().zip(names).map(layer).collect()
}

/// One image for each set of files.
fn image_name(names: &[String]) -> String {
    let mut hash = DefaultHasher::new();
    names.hash(&mut hash);
    format!("policy-{:016x}.image", hash.finish())
}

/// All policy files there are, from the top layer down.
pub(crate) fn find(folders: &Folders, places: &[&str]) -> Vec<Found> {
    let mut found = Vec::new();
    found.extend(read(Layer::Managed, folders.managed.join(FILE)));
    if let Some(config) = &folders.config {
        found.extend(read(Layer::Team, config.join("team").join(FILE)));
        found.extend(read(Layer::User, config.join(FILE)));
    }
    found.extend(projects(places));
    found
}

/// The files of these folders and of all above them.
fn projects(places: &[&str]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut looked: Vec<&OsStr> = Vec::new();
    for place in places {
        for folder in Path::new(place).ancestors().filter(|folder| folder.is_absolute()) {
            // Whoever has looked here has looked above, too.
            if looked.contains(&folder.as_os_str()) {
                break;
            }
            looked.push(folder.as_os_str());
            let files = PROJECT_FILES.map(|name| read(Layer::Project, folder.join(name)));
            found.extend(files.into_iter().flatten());
        }
    }
    found
}

fn read(layer: Layer, path: PathBuf) -> Option<Found> {
    let text = match std::fs::read(&path) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}")),
        Err(error) if folders::missing(&error) => return None,
        Err(error) => Err(error.to_string()),
    };
    Some(Found { layer, path, text })
}

/// The layers for a policy given by hand: that file alone, as the user's.
pub(crate) fn of_file(path: &Path) -> Result<Policy, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let name = path.display().to_string();
    Ok(Policy::load(&[LayerText { layer: Layer::User, path: &name, text: Ok(&text) }]))
}

/// Whether a text is a policy that can be used; where not, what is wrong with it.
pub(crate) fn of_text(path: &Path, text: &str) -> Result<(), String> {
    let name = path.display().to_string();
    let policy = Policy::load(&[LayerText { layer: Layer::User, path: &name, text: Ok(text) }]);
    match policy.broken.first() {
        None => Ok(()),
        Some(fault) => Err(fault.to_string()),
    }
}
