//! Finds the policy files and makes one policy of them, through a cached image.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use tenter_files::{Refused, Whose};
use tenter_policy::Preset;
use tenter_policy::policy::image::{self, Sources};
use tenter_policy::policy::{Layer, LayerText, Policy, Problem, Severity};

use super::folders::{self, Folders};
use crate::error::CommandError;

/// The file of each layer above the project's.
pub(crate) const FILE: &str = "policy.toml";
/// The file at the root of a project, and its twin that is not committed.
pub(crate) const PROJECT_FILES: [&str; 2] = ["tenter.toml", "tenter.local.toml"];

/// The largest policy file. Whoever has more to say has rules that can be told in fewer words.
const LARGEST: u64 = 2 * 1024 * 1024;
/// All policy files of a call together. A project may have one in every folder.
const LARGEST_TOGETHER: usize = 8 * 1024 * 1024;
/// A compiled policy also holds its files.
const LARGEST_IMAGE: u64 = 64 * 1024 * 1024;
/// No project has so many policy files.
const MOST_FILES: usize = 64;

/// A policy, and what went wrong on the way to it without changing it.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) policy: Policy,
    pub(crate) warnings: Vec<String>,
    /// Tells policies apart; none for what holds without any file.
    hash: Option<u64>,
    /// Where it lies compiled.
    image: Option<PathBuf>,
    files: Vec<PolicyFile>,
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
        if let Ok(bytes) = read_image(&self.image) {
            // Without it `replay` can tell less; nothing else needs it.
            drop(folders::replace(&file, &bytes));
        }
    }
}

/// One policy file: its text, or why it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PolicyFile {
    pub(crate) layer: Layer,
    pub(crate) path: PathBuf,
    pub(crate) text: Result<String, String>,
    /// Another user has put it where others can write: it is told and passed over.
    pub(crate) foreign: bool,
}

impl PolicyFile {
    /// A file that counts: it is a policy, or a failure.
    pub(crate) fn new(layer: Layer, path: PathBuf, text: Result<String, String>) -> Self {
        Self { layer, path, text, foreign: false }
    }

    /// What to say of a file that does not count.
    pub(crate) fn passed_over(&self) -> Option<String> {
        let why = self.text.as_ref().err().filter(|_| self.foreign)?;
        Some(format!("the policy {} is not used: {why}", self.path.display()))
    }
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

fn is_above(file: &PolicyFile) -> bool {
    file.layer != Layer::Project
}

fn of(folders: &Folders, files: Vec<PolicyFile>) -> Loaded {
    let mut warnings: Vec<String> = files.iter().filter_map(PolicyFile::passed_over).collect();
    if files.iter().all(|file| file.foreign) {
        let policy = Policy::preset(Preset::Recommended);
        return Loaded { policy, warnings, hash: None, image: None, files };
    }
    let names = names(&files);
    let layers = layers(&files, &names);
    let sources = Sources::new(&layers);
    let cached = folders.cache.as_ref().map(|cache| cache.join(image_name(&names)));
    let bytes = cached.as_ref().and_then(|file| read_image(file).ok());
    if let Some(image) = bytes.and_then(|bytes| image::decode(&bytes, &sources).ok()) {
        let (policy, hash) = (image.policy, Some(image.name));
        return Loaded { policy, warnings, hash, image: cached, files };
    }
    let policy = Policy::without_tests(&layers);
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
    let image = image::decode_any(&read_image(&kept_at(folders, hash)?).ok()?).ok()?;
    (image.name == hash).then_some(image.policy)
}

const KEPT: &str = "policies";

fn kept_at(folders: &Folders, hash: u64) -> Option<PathBuf> {
    Some(folders.state.as_ref()?.join(KEPT).join(format!("{hash:016x}.image")))
}

/// A compiled policy as it lies in our folders.
pub(crate) fn read_image(file: &Path) -> std::io::Result<Vec<u8>> {
    tenter_files::read(file, LARGEST_IMAGE, Whose::State)
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
pub(crate) fn compile(found: &[PolicyFile]) -> Policy {
    let mut policy = Policy::load(&layers(found, &names(found)));
    let told = |file: &PolicyFile| {
        Some(Problem {
            severity: Severity::Warning,
            layer: file.layer,
            file: file.path.display().to_string(),
            line: 0,
            column: 0,
            key: String::new(),
            message: file.passed_over()?,
        })
    };
    policy.problems.extend(found.iter().filter_map(told));
    policy
}

fn names(found: &[PolicyFile]) -> Vec<String> {
    counting(found).map(|file| file.path.display().to_string()).collect()
}

fn counting(found: &[PolicyFile]) -> impl Iterator<Item = &PolicyFile> {
    found.iter().filter(|file| !file.foreign)
}

fn layers<'f>(found: &'f [PolicyFile], names: &'f [String]) -> Vec<LayerText<'f>> {
    let layer = |(file, path): (&'f PolicyFile, &'f String)| LayerText {
        layer: file.layer,
        path,
        text: file.text.as_deref().map_err(Clone::clone),
    };
    counting(found).zip(names).map(layer).collect()
}

/// One image for each set of files.
fn image_name(names: &[String]) -> String {
    let mut hash = DefaultHasher::new();
    names.hash(&mut hash);
    format!("policy-{:016x}.image", hash.finish())
}

/// All policy files there are, from the top layer down.
pub(crate) fn find(folders: &Folders, places: &[&str]) -> Vec<PolicyFile> {
    let mut found = Vec::new();
    let settings = Whose::Settings;
    found.extend(read(Layer::Managed, folders.managed.join(FILE), settings));
    if let Some(config) = &folders.config {
        found.extend(read(Layer::Team, config.join("team").join(FILE), settings));
        found.extend(read(Layer::User, config.join(FILE), settings));
    }
    found.extend(projects(places));
    found
}

/// Folders that are searched for one event, and the longest name of one (`PATH_MAX` of Linux).
const MOST_FOLDERS: usize = 4096;
const LONGEST_FOLDER: usize = 4096;

/// The files of these folders and of all above them.
fn projects(places: &[&str]) -> Vec<PolicyFile> {
    let mut found = Vec::new();
    let mut looked: BTreeSet<&OsStr> = BTreeSet::new();
    let mut bytes = 0_usize;
    for place in places {
        let project = Whose::Project(Path::new(place));
        let folders = Path::new(place).ancestors().filter(|folder| folder.is_absolute());
        // There is no folder with a longer name; there are those above it.
        let there = folders.skip_while(|folder| folder.as_os_str().len() >= LONGEST_FOLDER);
        for folder in there {
            // Whoever has looked here has looked above, too.
            if !looked.insert(folder.as_os_str()) {
                break;
            }
            let failed = |why: String| PolicyFile::new(Layer::Project, folder.into(), Err(why));
            if looked.len() > MOST_FOLDERS {
                let text = format!("not searched: more than {MOST_FOLDERS} folders for one call");
                found.push(failed(text));
                return found;
            }
            for name in PROJECT_FILES {
                let Some(file) = read(Layer::Project, folder.join(name), project) else { continue };
                bytes = bytes.saturating_add(file.text.as_ref().map_or(0, String::len));
                if bytes > LARGEST_TOGETHER || found.len() >= MOST_FILES {
                    let most = LARGEST_TOGETHER >> 20;
                    found.push(failed(format!(
                        "the project has more than {MOST_FILES} policy files, or {most} MiB of them"
                    )));
                    return found;
                }
                found.push(file);
            }
        }
    }
    found
}

fn read(layer: Layer, path: PathBuf, whose: Whose<'_>) -> Option<PolicyFile> {
    let (text, foreign) = match tenter_files::read_text(&path, LARGEST, whose) {
        Ok(text) => (Ok(text), false),
        Err(error) if folders::missing(&error) => return None,
        Err(error) => {
            let is_others = matches!(Refused::of(&error), Some(Refused::Owner(_)));
            (Err(error.to_string()), is_others && layer == Layer::Project)
        }
    };
    Some(PolicyFile { layer, path, text, foreign })
}

/// The text of a policy file of the user's own.
pub(crate) fn own(path: &Path) -> std::io::Result<String> {
    tenter_files::read_text(path, LARGEST, Whose::Settings)
}

/// A policy file that the user has named: anybody's.
pub(crate) fn given(path: &Path) -> std::io::Result<String> {
    let bytes = tenter_files::read_named(path, LARGEST)?;
    String::from_utf8(bytes).map_err(std::io::Error::other)
}

/// The layers for a policy given by hand: that file alone, as the user's.
pub(crate) fn of_file(path: &Path) -> Result<Policy, CommandError> {
    let text =
        given(path).map_err(|error| CommandError::usage(format!("{}: {error}", path.display())))?;
    let name = path.display().to_string();
    Ok(Policy::load(&[LayerText { layer: Layer::User, path: &name, text: Ok(&text) }]))
}

/// Whether a text is a policy that can be used; where not, what is wrong with it.
pub(crate) fn of_text(path: &Path, text: &str) -> Result<(), CommandError> {
    let name = path.display().to_string();
    let policy = Policy::load(&[LayerText { layer: Layer::User, path: &name, text: Ok(text) }]);
    match policy.broken.first() {
        None => Ok(()),
        Some(fault) => Err(CommandError::failed(fault)),
    }
}
