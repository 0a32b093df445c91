//! `cargo xtask dist`: builds the release binary.
//!
//! On Linux it is linked statically, because a hook is started for every tool call and a process without
//! dynamic loader starts in a third of the time.

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::error::{Context, Error, Result};
use crate::workspace::{Workspace, program};
use crate::{order, process, tools};

/// The largest image we ship. Growth is a decision: raise this in the change that needs it, and say
/// there what it buys. The engine, the linter and JavaScript's regular expressions bought 1.4 MB, what
/// is known of a thousand programs and nine languages 1.9 MB, set-up with its editors of JSON and TOML,
/// its doctor, its proof and its scanner 1.4 MB, the database of the index 1.2 MB and the eight commands that read the record
/// 2.2 MB, scripts read when they run, trees looked into, presence and `harden` 0.7 MB, compiled languages, what attack
/// tools and programs of Windows do, and two more hosts 0.9 MB; with [`FIXED`] and the order of the image what a call
/// does not use is not read, and a start costs the same as before. The commands in opt-level "s" would save 0.9 MB and
/// cost a call 8% more instructions.
pub(crate) const SIZE_BUDGET: u64 = 29 * 512 * 1024;

/// A position-independent image writes each of its 12 thousand pointers at every start: 0.28 ms of
/// 0.87, measured. Stack, heap and maps are still at random places.
const FIXED: &str = "-Crelocation-model=static";

/// Detecting hardware hashing costs more than hashing one record in software: in a virtual machine each CPUID
/// is a trap of 10 microseconds, and the whole line takes 4.
const HASHED: &str = "--cfg=sha2_backend=\"soft\"";

/// A panic aborts, so nothing unwinds: the tables for it are 0.8 MB that nobody reads.
const NO_TABLES: &str = "-Cforce-unwind-tables=no";

/// Build settings for this machine.
#[derive(Debug)]
struct Plan {
    triple: Option<String>,
    flags: Vec<String>,
    is_static: bool,
    name: &'static str,
}

/// The built binary, with remarks.
#[derive(Debug)]
pub(crate) struct Release {
    pub(crate) binary: PathBuf,
    pub(crate) description: String,
}

pub(crate) fn run(workspace: &Workspace, args: &mut Args) -> Result<()> {
    args.finish()?;
    println!("{}", build(workspace)?.description);
    Ok(())
}

/// Builds, inspects and copies the binary.
pub(crate) fn build(workspace: &Workspace) -> Result<Release> {
    let plan = plan(workspace);
    let folder = build_with(workspace, &plan, "tenter-cli")?;
    let image = read(&folder.join(program("tenter")))?;
    let proof = if plan.is_static { prove_static(&image)? } else { "linked as the system does" };
    let size = image.len() as u64;
    check_size(size)?;
    check_paths(workspace, &image)?;
    let binary = path(workspace);
    copy(&folder.join(program("tenter")), &binary)?;
    let name = workspace.display(&binary);
    let server = build_server(workspace)?;
    let order = order::said(workspace);
    let description = format!("{name}: {size} bytes, {}, {proof}, {order}\n{server}", plan.name);
    Ok(Release { binary, description })
}

/// Builds `tenter-server` separately. It is not a hook, so its start time matters little, and its TLS is C,
/// which a static build would need another compiler for.
fn build_server(workspace: &Workspace) -> Result<String> {
    let plan =
        Plan { triple: None, flags: remap(workspace), is_static: false, name: "linked as usual" };
    let folder = build_with(workspace, &plan, "tenter-server")?;
    let built = folder.join(program("tenter-server"));
    let image = read(&built)?;
    check_paths(workspace, &image)?;
    let binary = path(workspace).with_file_name(program("tenter-server"));
    copy(&built, &binary)?;
    Ok(format!("{}: {} bytes, {}", workspace.display(&binary), image.len(), plan.name))
}

/// Builds another package with the release settings; returns the folder of its programs.
pub(crate) fn build_alike(workspace: &Workspace, package: &str) -> Result<PathBuf> {
    build_with(workspace, &plan(workspace), package)
}

/// Path of the built binary.
pub(crate) fn path(workspace: &Workspace) -> PathBuf {
    workspace.target.join("dist").join(program("tenter"))
}

pub(crate) fn check_size(size: u64) -> Result<()> {
    if size <= SIZE_BUDGET {
        return Ok(());
    }
    Err(Error::new(format!(
        "the release binary has {size} bytes, over the budget of {SIZE_BUDGET}; find what grew \
         with `cargo tree -p tenter-cli -e normal`, or raise the budget and say why"
    )))
}

fn plan(workspace: &Workspace) -> Plan {
    let mut flags = remap(workspace);
    if !cfg!(target_os = "linux") {
        return Plan { triple: None, flags, is_static: false, name: "release" };
    }
    flags.push(FIXED.to_owned());
    flags.push(HASHED.to_owned());
    flags.push(NO_TABLES.to_owned());
    if let Some(triple) = tools::musl(workspace) {
        match tools::target(workspace, &triple) {
            Ok(()) => {
                return Plan { triple: Some(triple), flags, is_static: true, name: "static musl" };
            }
            Err(why) => eprintln!("{triple} cannot be had, falling back to static glibc: {why}"),
        }
    }
    let flags = flags.into_iter().chain(["-Ctarget-feature=+crt-static".to_owned()]).collect();
    // An explicit target keeps the flags away from build scripts and macros, which must be dynamic.
    let triple = Some(workspace.host.clone());
    Plan { triple, flags, is_static: true, name: "static glibc" }
}

/// Panic messages quote source paths; these flags remove the builder's folders and make the build independent
/// of its folder.
fn remap(workspace: &Workspace) -> Vec<String> {
    let mut flags = vec![format!("--remap-path-prefix={}=.", workspace.root.display())];
    if let Some(home) = cargo_home() {
        flags.push(format!("--remap-path-prefix={}=cargo", home.display()));
    }
    flags
}

fn cargo_home() -> Option<PathBuf> {
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}

fn build_with(workspace: &Workspace, plan: &Plan, package: &str) -> Result<PathBuf> {
    let mut build = workspace.cargo();
    build.args(["build", "--locked", "--release", "--package", package]);
    build.env("CARGO_ENCODED_RUSTFLAGS", plan.flags.join("\u{1f}"));
    let mut folder = workspace.target.clone();
    if let Some(triple) = &plan.triple {
        build.args(["--target", triple]);
        folder.push(triple);
        if package == "tenter-cli" {
            order::prepare(workspace, triple, &mut build)?;
        }
    }
    process::run(&mut build)?;
    Ok(folder.join("release"))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).context(format!("reading {}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).context(format!("making {}", folder.display()))?;
    }
    // A running binary cannot be overwritten, but it can be replaced.
    std::fs::remove_file(to).ok();
    std::fs::copy(from, to).map(drop).context(format!("copying to {}", to.display()))
}

/// Fails if the image contains folders of the build machine.
fn check_paths(workspace: &Workspace, image: &[u8]) -> Result<()> {
    let folders = [Some(workspace.root.clone()), cargo_home()];
    for folder in folders.into_iter().flatten() {
        let folder = folder.display().to_string();
        if image.windows(folder.len()).any(|window| window == folder.as_bytes()) {
            return Err(Error::new(format!("the release binary contains the path {folder}")));
        }
    }
    Ok(())
}

/// A program without interpreter entry is static.
fn prove_static(image: &[u8]) -> Result<&'static str> {
    match has_interpreter(image) {
        Some(false) => Ok("no PT_INTERP in its program headers: static"),
        Some(true) => Err(Error::new("the release binary asks for a dynamic loader (PT_INTERP)")),
        None => Err(Error::new("the release binary is no 64-bit little-endian ELF file")),
    }
}

/// Looks for a `PT_INTERP` program header; `None` if this is not an ELF file we can parse.
fn has_interpreter(image: &[u8]) -> Option<bool> {
    const ELF64_LITTLE_ENDIAN: &[u8] = b"\x7fELF\x02\x01";
    const PT_INTERP: u64 = 3;
    if !image.starts_with(ELF64_LITTLE_ENDIAN) {
        return None;
    }
    // Offsets of e_phoff, e_phentsize and e_phnum in the ELF header.
    let table = number(image, 0x20, 8)?;
    let entry = number(image, 0x36, 2)?;
    let count = number(image, 0x38, 2)?;
    let mut found = false;
    for index in 0..count {
        let offset = entry.checked_mul(index)?.checked_add(table)?;
        found |= number(image, usize::try_from(offset).ok()?, 4)? == PT_INTERP;
    }
    Some(found)
}

fn number(image: &[u8], offset: usize, len: usize) -> Option<u64> {
    let bytes = image.get(offset..offset.checked_add(len)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ELF header followed by program headers of the given types.
    fn elf(types: &[u8]) -> Vec<u8> {
        let mut image = vec![0; 64];
        image[..6].copy_from_slice(b"\x7fELF\x02\x01");
        image[0x20] = 64;
        image[0x36] = 56;
        image[0x38] = u8::try_from(types.len()).unwrap();
        for kind in types {
            let mut header = vec![0; 56];
            header[0] = *kind;
            image.extend(header);
        }
        image
    }

    #[test]
    fn an_interpreter_is_found_among_the_headers() {
        assert_eq!(has_interpreter(&elf(&[6, 3, 1])), Some(true));
        assert_eq!(has_interpreter(&elf(&[6, 1, 2])), Some(false));
        assert_eq!(has_interpreter(&elf(&[])), Some(false));
    }

    #[test]
    fn a_broken_or_foreign_file_is_not_called_static() {
        assert_eq!(has_interpreter(b"MZ"), None);
        let mut cut = elf(&[6, 1]);
        cut.truncate(100);
        assert_eq!(has_interpreter(&cut), None);
    }

    #[test]
    fn the_budget_includes_its_limit() {
        check_size(SIZE_BUDGET).unwrap();
        assert!(check_size(SIZE_BUDGET + 1).unwrap_err().to_string().contains("over the budget"));
    }
}
