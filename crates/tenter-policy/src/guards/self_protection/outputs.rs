//! Checks output options of arbitrary programs: compilers, converters, bundlers. Not all programs can be
//! known, but nearly all name these options alike.

use tenter_shell::{Field, PathTarget, Ran, Role};

use super::{FOLDER, SETTINGS, places, protects, startup};
use crate::finding::{At, Found};
use crate::scene::Scene;

/// Options whose value is an output file or folder.
const OPTIONS: &[&str] = &[
    "-o",
    "-out",
    "--out",
    "--output",
    "--outfile",
    "--outFile",
    "--out-file",
    "--output-file",
    "--outdir",
    "--outDir",
    "--out-dir",
    "--output-dir",
    "--output-directory",
    "--output-path",
    "--out-path",
    "--dest",
    "--destination",
    "--pack-destination",
    "--target",
    "--prefix",
    "--dump",
    "--export",
    "--save",
    "--save-to",
    "--write",
    "--write-to",
    "--report",
    "--report-file",
];

/// Checks the output options of one program.
pub(super) fn look(scene: &Scene<'_>, ran: &Ran, found: &mut Found<'_>) {
    if ran.is(Role::NoOutputOption) {
        return;
    }
    let mut before = "";
    for field in ran.argv.iter().skip(1) {
        let text = field.prefix();
        if OPTIONS.contains(&before) {
            said(scene, ran, field, found);
        } else if let Some((name, _)) =
            text.split_once('=').filter(|(name, _)| OPTIONS.contains(name))
        {
            attached(scene, ran, field, name.len().saturating_add(1), found);
        } else if text.starts_with("-o/") || text.starts_with("-o~/") || text.starts_with("-o.") {
            attached(scene, ran, field, 2, found);
        }
        before = text;
    }
}

fn attached(scene: &Scene<'_>, ran: &Ran, field: &Field, from: usize, found: &mut Found<'_>) {
    let Some(value) = field.exact().and_then(|text| text.get(from..)) else { return };
    said(scene, ran, &Field::text(value, field.span), found);
}

fn said(scene: &Scene<'_>, ran: &Ran, value: &Field, found: &mut Found<'_>) {
    // Not every shell expands `--out=~/x`, but it is meant so.
    let home = scene.world.home;
    let from_home = value.exact().and_then(|text| text.strip_prefix("~/")).zip(home);
    let expanded = from_home.map(|(rest, home)| Field::text(format!("{home}/{rest}"), value.span));
    let value = expanded.as_ref().unwrap_or(value);
    let mut path = PathTarget::resolve(value, ran.cwd.as_deref().or(scene.cwd));
    let shown = path.shown().into_owned();
    if let Some(exact) = path.exact().filter(|exact| exact.contains("/.") || exact.contains("bin/"))
    {
        path.real = scene.world.facts.real_path(exact).filter(|real| real != exact);
    }
    if let Some(holder) = protects(scene, &path, false) {
        let what = format!("overwrites the settings of {holder}: {shown}");
        found.add(&SETTINGS, At::span(ran.span, &shown), what);
    } else if let Some((holder, _)) = places::below(&shown).next() {
        let what = format!("writes into a folder with settings of {holder}: {shown}");
        found.add(&FOLDER, At::span(ran.span, &shown), what);
    } else if !is_written(scene, &shown) {
        startup::shim(scene, At::span(ran.span, &shown), &shown, found);
    }
}

/// Whether an effect says that this file is written.
fn is_written(scene: &Scene<'_>, shown: &str) -> bool {
    scene
        .effects()
        .iter()
        .any(|effect| effect.target.path().is_some_and(|path| path.shown() == shown))
}
