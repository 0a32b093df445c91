//! Finds the policy files and loads them, using a cached image.

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

/// File name of a policy above the project's.
pub(crate) const FILE: &str = "policy.toml";
/// File names of a project's policy, and of its uncommitted companion.
pub(crate) const PROJECT_FILES: [&str; 2] = ["tenter.toml", "tenter.local.toml"];

/// Maximum size of a policy file.
const LARGEST: u64 = 2 * 1024 * 1024;
/// Maximum total size of all policy files of a call. A project may have one in every folder.
const LARGEST_TOGETHER: usize = 8 * 1024 * 1024;
/// Maximum size of a compiled policy, which includes its files.
const LARGEST_IMAGE: u64 = 64 * 1024 * 1024;
/// Maximum number of policy files.
const MOST_FILES: usize = 64;

/// A policy, with errors that did not change it.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) policy: Policy,
    pub(crate) warnings: Vec<String>,
    /// Hash of its files; `None` without any file.
    hash: Option<u64>,
    /// Path of the compiled form.
    image: Option<PathBuf>,
    files: Vec<PolicyFile>,
}

impl Loaded {
    /// Name of the policy in records.
    pub(crate) fn name(&self) -> String {
        match self.hash {
            Some(hash) => format!("{hash:016x}"),
            None => Preset::Recommended.as_str().to_owned(),
        }
    }

    /// The compiled policy, to be kept for judging records later.
    pub(crate) fn compiled(&self) -> Option<Compiled> {
        Some(Compiled { hash: self.hash?, image: self.image.clone()? })
    }
}

/// A compiled policy to be kept for records.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    hash: u64,
    image: PathBuf,
}

impl Compiled {
    /// Stores the policy under its name in records.
    pub(crate) fn keep(&self, folders: &Folders) {
        let Some(file) = kept_at(folders, self.hash).filter(|file| !file.exists()) else { return };
        if let Ok(bytes) = read_image(&self.image) {
            // Only `replay` uses it, and can do without.
            drop(folders::replace(&file, &bytes));
        }
    }
}

/// One policy file: its text, or why it is unreadable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PolicyFile {
    pub(crate) layer: Layer,
    pub(crate) path: PathBuf,
    pub(crate) text: Result<String, String>,
    /// Owned by another user in a place that others can write to: reported and ignored.
    pub(crate) foreign: bool,
}

impl PolicyFile {
    /// A file that counts: a policy, or an error.
    pub(crate) fn new(layer: Layer, path: PathBuf, text: Result<String, String>) -> Self {
        Self { layer, path, text, foreign: false }
    }

    /// The warning for an ignored file.
    pub(crate) fn passed_over(&self) -> Option<String> {
        let why = self.text.as_ref().err().filter(|_| self.foreign)?;
        Some(format!("the policy {} is not used: {why}", self.path.display()))
    }
}

/// The policy for these work folders.
pub(crate) fn load(folders: &Folders, places: &[&str]) -> Loaded {
    of(folders, find(folders, places))
}

/// The policy for these work folders, unless it is the current one. Hosts may start a hook elsewhere than
/// they work, and most folders have no policy file.
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

/// A kept policy, by its name in records.
pub(crate) fn kept(folders: &Folders, name: &str) -> Option<Policy> {
    let hash = u64::from_str_radix(name, 16).ok()?;
    let image = image::decode_any(&read_image(&kept_at(folders, hash)?).ok()?).ok()?;
    (image.name == hash).then_some(image.policy)
}

const KEPT: &str = "policies";

fn kept_at(folders: &Folders, hash: u64) -> Option<PathBuf> {
    Some(folders.state.as_ref()?.join(KEPT).join(format!("{hash:016x}.image")))
}

/// Reads a compiled policy.
pub(crate) fn read_image(file: &Path) -> std::io::Result<Vec<u8>> {
    tenter_files::read(file, LARGEST_IMAGE, Whose::State)
}

/// All kept policies by name.
pub(crate) fn all_kept(state: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(state.join(KEPT)) else { return Vec::new() };
    let named = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".image")?.to_owned();
        u64::from_str_radix(&name, 16).ok().map(|_| (name, path))
    };
    entries.flatten().filter_map(|entry| named(entry.path())).collect()
}

/// The policy with everything that an image omits: tests, warnings, positions.
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

/// One image per set of files.
fn image_name(names: &[String]) -> String {
    let mut hash = DefaultHasher::new();
    names.hash(&mut hash);
    format!("policy-{:016x}.image", hash.finish())
}

/// All policy files, from the top layer down.
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

/// Maximum number of folders searched per event, and length of a path (`PATH_MAX` of Linux).
const MOST_FOLDERS: usize = 4096;
const LONGEST_FOLDER: usize = 4096;

/// The policy files of these folders and all their parents.
fn projects(places: &[&str]) -> Vec<PolicyFile> {
    let mut found = Vec::new();
    let mut looked: BTreeSet<&OsStr> = BTreeSet::new();
    let mut bytes = 0_usize;
    for place in places {
        let project = Whose::Project(Path::new(place));
        let folders = Path::new(place).ancestors().filter(|folder| folder.is_absolute());
        // Longer paths cannot exist; their parents may.
        let there = folders.skip_while(|folder| folder.as_os_str().len() >= LONGEST_FOLDER);
        for folder in there {
            // Parents of a searched folder were searched too.
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

/// Reads one of the user's own policy files.
pub(crate) fn own(path: &Path) -> std::io::Result<String> {
    tenter_files::read_text(path, LARGEST, Whose::Settings)
}

/// Reads a policy file named by the user, of any owner.
pub(crate) fn given(path: &Path) -> std::io::Result<String> {
    let bytes = tenter_files::read_named(path, LARGEST)?;
    String::from_utf8(bytes).map_err(std::io::Error::other)
}

/// A policy file named by the user; a project's is known by its name.
pub(crate) fn named_file(path: &Path) -> PolicyFile {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let layer = if PROJECT_FILES.contains(&name.as_ref()) { Layer::Project } else { Layer::User };
    PolicyFile::new(layer, path.to_owned(), given(path).map_err(|error| error.to_string()))
}

/// Loads a policy from one named file, alone in its layer.
pub(crate) fn of_file(path: &Path) -> Result<Policy, CommandError> {
    let file = named_file(path);
    match &file.text {
        Ok(_) => Ok(compile(&[file])),
        Err(why) => Err(CommandError::usage(format!("{}: {why}", path.display()))),
    }
}

/// Checks that a text is a valid policy; returns the mistakes.
pub(crate) fn of_text(path: &Path, text: &str) -> Result<(), CommandError> {
    let name = path.display().to_string();
    let policy = Policy::load(&[LayerText { layer: Layer::User, path: &name, text: Ok(text) }]);
    match policy.broken.first() {
        None => Ok(()),
        Some(fault) => Err(CommandError::failed(fault)),
    }
}
