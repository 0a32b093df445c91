//! Object storage: copies between here and a bucket, and deletions.

use super::aws::is_bucket;
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::options::{Options, Spec};
use crate::tools::copy::is_directory;
use crate::tools::files::below;
use crate::tools::table::{Cli, is_harmless, judge_options, on};
use crate::value::Field;

/// Properties of a copy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Transfer {
    /// Deletes the source.
    pub moves: bool,
    /// Deletes files at the destination that the source lacks.
    pub deletes: bool,
    pub recursive: bool,
}

/// One copy between here and there.
pub(super) fn transfer(
    call: &mut Call<'_, '_>,
    from: &Field,
    to: &Field,
    how: Transfer,
    is_remote: fn(&Field) -> bool,
) {
    match (is_remote(from), is_remote(to)) {
        (false, true) => {
            let content = call.read(Act::Upload, from);
            call.send(Act::Upload, to, content.flow).recursive = how.recursive;
            if how.moves && !from.is("-") {
                call.on_path(Kind::Move, Act::Upload, from).recursive = how.recursive;
            }
        }
        (true, false) => {
            let content = call.receive(Act::Download, from);
            if to.is("-") {
                call.stdout = content;
            } else if !how.recursive && is_directory(call, to) {
                call.write(Kind::Overwrite, Act::Download, &below(to, from), content);
            } else {
                call.write(Kind::Overwrite, Act::Download, to, content).recursive = how.recursive;
            }
        }
        (true, true) => {
            on(call, Kind::Cloud, Act::CopyObjects, to, false).flags(how.recursive, false);
        }
        (false, false) => return,
    }
    if how.moves && is_remote(from) {
        on(call, Kind::Cloud, Act::DeleteObjects, from, false).flags(how.recursive, false);
    }
    if how.deletes {
        if is_remote(to) {
            on(call, Kind::Cloud, Act::DeleteObjects, to, false).flags(true, false);
        } else {
            call.on_path(Kind::Delete, Act::SyncDelete, to).recursive = true;
        }
    }
}

/// Deletes objects or buckets.
pub(super) fn remove(
    call: &mut Call<'_, '_>,
    action: Act,
    operands: &[&Field],
    recursive: bool,
    force: bool,
) {
    for field in operands {
        on(call, Kind::Cloud, action, field, false).flags(recursive, force);
    }
}

/// Several sources and one destination.
fn transfers(
    call: &mut Call<'_, '_>,
    operands: &[&Field],
    how: Transfer,
    is_remote: fn(&Field) -> bool,
) {
    if let Some((to, sources)) = operands.split_last() {
        for from in sources {
            transfer(call, from, to, how, is_remote);
        }
    }
}

const GSUTIL: Spec = Spec::new("o:h:i:u:x:s:b:l:c:", "header=");

pub(super) fn gsutil(call: &mut Call<'_, '_>) {
    let options = call.options(&GSUTIL);
    let operands = options.operands.get(1..).unwrap_or_default();
    let recursive = options.has(&["r", "R"]);
    match options.operand(0).unwrap_or_default() {
        "rm" => remove(call, Act::DeleteObjects, operands, recursive || options.has(&["a"]), false),
        "rb" => remove(call, Act::DeleteBucket, operands, false, options.has(&["f"])),
        "mb" => remove(call, Act::Create, operands, false, false),
        "cp" => transfers(call, operands, Transfer { recursive, ..Transfer::default() }, is_bucket),
        "mv" => transfers(
            call,
            operands,
            Transfer { recursive, moves: true, deletes: false },
            is_bucket,
        ),
        "rsync" if !options.has(&["n"]) => {
            let how = Transfer { recursive, moves: false, deletes: options.has(&["d"]) };
            transfers(call, operands, how, is_bucket);
        }
        "iam" if matches!(options.operand(1), Some("ch" | "set")) => {
            remove(call, Act::Grant, operands.get(1..).unwrap_or_default(), recursive, false);
        }
        "acl" | "defacl" if matches!(options.operand(1), Some("ch" | "set")) => {
            remove(call, Act::Grant, operands.get(1..).unwrap_or_default(), recursive, false);
        }
        "signurl" => remove(call, Act::Expose, operands.get(1..).unwrap_or_default(), false, false),
        "lifecycle" | "versioning" | "retention" | "web" | "cors" | "setmeta" | "rewrite"
            if !matches!(options.operand(1), Some("get")) =>
        {
            remove(
                call,
                Act::Change,
                operands.last().into_iter().copied().collect::<Vec<_>>().as_slice(),
                false,
                false,
            );
        }
        "cat" => {
            if let Some(object) = operands.first() {
                call.stdout = call.receive(Act::Download, object);
            }
        }
        _ => {}
    }
}

/// `gcloud storage ...`. False if it is none of these.
pub(super) fn gcloud_storage(call: &mut Call<'_, '_>, options: &Options<'_>) -> bool {
    let operands = options.operands.get(2..).unwrap_or_default();
    let recursive = options.has(&["r", "R", "recursive"]);
    match options.operand(1).unwrap_or_default() {
        "rm" => remove(call, Act::DeleteObjects, operands, recursive, options.has(&["quiet", "q"])),
        "cp" => transfers(call, operands, Transfer { recursive, ..Transfer::default() }, is_bucket),
        "mv" => transfers(
            call,
            operands,
            Transfer { recursive, moves: true, deletes: false },
            is_bucket,
        ),
        "rsync" => {
            if !options.has(&["dry-run"]) {
                let deletes = options.has(&["delete-unmatched-destination-objects"]);
                transfers(call, operands, Transfer { recursive, moves: false, deletes }, is_bucket);
            }
        }
        "cat" => {
            if let Some(object) = operands.first() {
                call.stdout = call.receive(Act::Download, object);
            }
        }
        "buckets" if options.operand(2) == Some("delete") => {
            let buckets = options.operands.get(3..).unwrap_or_default();
            remove(call, Act::DeleteBucket, buckets, false, options.has(&["quiet", "q"]));
        }
        _ => return false,
    }
    true
}

const S3CMD: Spec = Spec::new(
    "c:m:e:",
    "config= access_key= secret_key= host= host-bucket= exclude= include= rexclude= \
     rinclude= mime-type= add-header= region= storage-class= acl-grant= acl-revoke= \
     credentials-file= profile= endpoint-url= numworkers= log=",
);

pub(super) fn s3cmd(call: &mut Call<'_, '_>) {
    let options = call.options(&S3CMD);
    if is_harmless(&options, &["n", "dry-run"]) {
        return;
    }
    let operands = options.operands.get(1..).unwrap_or_default();
    let recursive = options.has(&["r", "recursive"]);
    let force = options.has(&["f", "force"]);
    let how = Transfer { recursive, moves: false, deletes: options.has(&["delete-removed"]) };
    match options.operand(0).unwrap_or_default() {
        "del" | "rm" => remove(call, Act::DeleteObjects, operands, recursive, force),
        "rb" => remove(call, Act::DeleteBucket, operands, recursive, force),
        "mb" => remove(call, Act::Create, operands, false, false),
        "put" | "get" | "sync" | "cp" => transfers(call, operands, how, is_bucket),
        "mv" => transfers(call, operands, Transfer { moves: true, ..how }, is_bucket),
        "setacl" | "setpolicy" | "delpolicy" | "accesslog" => {
            remove(call, Act::Grant, operands, recursive, false);
        }
        "expire" | "setlifecycle" | "dellifecycle" => {
            remove(call, Act::Change, operands, false, false);
        }
        "signurl" => remove(call, Act::Expose, operands, false, false),
        _ => {}
    }
}

pub(super) fn s5cmd(call: &mut Call<'_, '_>) {
    let options = call.options(&S3CMD);
    if is_harmless(&options, &["dry-run"]) {
        return;
    }
    let operands = options.operands.get(1..).unwrap_or_default();
    let how = Transfer { recursive: false, moves: false, deletes: options.has(&["delete"]) };
    match options.operand(0).unwrap_or_default() {
        "rm" => {
            let wide = operands.iter().any(|field| field.shown().contains('*'));
            remove(call, Act::DeleteObjects, operands, wide, false);
        }
        "rb" => remove(call, Act::DeleteBucket, operands, false, false),
        "cp" | "sync" => transfers(call, operands, how, is_bucket),
        "mv" => transfers(call, operands, Transfer { moves: true, ..how }, is_bucket),
        "cat" => {
            if let Some(object) = operands.first() {
                call.stdout = call.receive(Act::Download, object);
            }
        }
        _ => {}
    }
}

/// Places of `mc` are `alias/bucket`: what does not look like a path is one.
fn is_alias(field: &Field) -> bool {
    let text = field.prefix();
    text.contains('/') && !text.starts_with(['/', '.', '~']) && !text.contains("..")
}

pub(super) fn mc(call: &mut Call<'_, '_>) {
    const MC: Spec =
        Spec::new("C:", "config-dir= older-than= newer-than= attr= exclude= version-id=");
    let options = call.options(&MC);
    if is_harmless(&options, &["dry-run", "fake"]) {
        return;
    }
    let operands = options.operands.get(1..).unwrap_or_default();
    let recursive = options.has(&["r", "recursive"]);
    let force = options.has(&["force", "dangerous"]);
    let how = Transfer { recursive, moves: false, deletes: options.has(&["remove"]) };
    match options.operand(0).unwrap_or_default() {
        "rm" => remove(call, Act::DeleteObjects, operands, recursive, force),
        "rb" => remove(call, Act::DeleteBucket, operands, force, force),
        "cp" => transfers(call, operands, how, is_alias),
        "mirror" => transfers(call, operands, Transfer { recursive: true, ..how }, is_alias),
        "mv" => transfers(call, operands, Transfer { moves: true, ..how }, is_alias),
        "anonymous" | "policy" if options.operand(1) == Some("set") => {
            remove(call, Act::Expose, operands.get(2..).unwrap_or_default(), false, false);
        }
        "admin" if matches!(options.operand(2), Some("remove" | "rm" | "stop" | "disable")) => {
            remove(call, Act::Delete, operands.get(2..).unwrap_or_default(), false, force);
        }
        _ => {}
    }
}

pub(super) fn azcopy(call: &mut Call<'_, '_>) {
    const AZCOPY: Spec = Spec::new(
        "",
        "include-pattern= exclude-pattern= from-to= log-level= recursive=? \
         delete-destination=?",
    );
    let options = call.options(&AZCOPY);
    if is_harmless(&options, &["dry-run"]) {
        return;
    }
    let operands = options.operands.get(1..).unwrap_or_default();
    let recursive = options.has(&["recursive"]);
    let deletes = options.value(&["delete-destination"]).is_some_and(|value| !value.is("false"));
    match options.operand(0).unwrap_or_default() {
        "remove" | "rm" => remove(call, Act::DeleteObjects, operands, recursive, false),
        "copy" | "cp" | "sync" => {
            transfers(call, operands, Transfer { recursive, moves: false, deletes }, is_bucket);
        }
        _ => {}
    }
}

/// Upload commands of other tools: words, then the index of the file operand, or none if an option names it.
const PUTS: &[(&str, &str, Option<usize>)] = &[
    ("b2", "upload-file", Some(2)),
    ("b2", "upload_file", Some(2)),
    ("b2", "file upload", Some(3)),
    ("b2", "sync", Some(1)),
    ("linode-cli", "obj put", Some(2)),
    ("oci", "os object put", None),
    ("oci", "os object bulk-upload", None),
    ("openstack", "object create", Some(3)),
    ("swift", "upload", Some(2)),
    ("wrangler", "r2 object put", None),
];

/// A file goes to a bucket by one of [`PUTS`]. False if it does not.
pub(in crate::tools) fn put(call: &mut Call<'_, '_>) -> bool {
    const PUT: Spec = Spec::new(
        "f:b:",
        "file= src-dir= bucket-name= namespace-name= name= content-type= object-name= profile= \
         cluster= auth= user= key= region=",
    );
    let options = call.options(&PUT);
    let fits = |words: &str| {
        words.split(' ').enumerate().all(|(at, word)| options.operand(at) == Some(word))
    };
    let Some((name, _, at)) =
        PUTS.iter().find(|(name, words, _)| *name == call.name && fits(words))
    else {
        return false;
    };
    let file = match at {
        Some(at) => options.operands.get(*at).copied(),
        None => options.value(&["file", "f", "src-dir"]),
    };
    let Some(file) = file.filter(|file| !file.prefix().contains("://")) else {
        return false;
    };
    let content = call.read(Act::Upload, file);
    let place = Field::text(*name, call.span);
    call.send(Act::Upload, &place, content.flow);
    true
}

const BQ: Cli = Cli {
    spec: Spec::new(
        "n:d:",
        "project_id= dataset_id= location= format= expiration= destination_table= \
         job_id=",
    ),
    kind: Kind::Database,
    harmless: &["dry_run"],
    force: &["f", "force"],
    recursive: &["r", "recursive"],
    rules: "",
}
.lines(
    "\
rm -d|dataset: drop-database *
rm: drop-table *
load|insert|mk|update|cp|undelete: change-data 1
extract: export 1
cancel: change-data 1",
);

/// Tables and datasets; `bq query` holds code.
pub(super) fn bq(call: &mut Call<'_, '_>) {
    let mut options = call.options(&BQ.spec);
    let rm = Spec::new("", "project_id= location= dataset_id=");
    // Here `-d` says that it is a dataset; elsewhere it names one.
    if options.operand(0) == Some("rm") {
        options = call.options(&rm);
    }
    if options.operand(0) == Some("query") {
        if !is_harmless(&options, BQ.harmless) {
            crate::tools::sql::operands(call, options.operands.get(1..).unwrap_or_default());
        }
        return;
    }
    judge_options(call, &options, &BQ);
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn objects_and_buckets_go() {
        check(
            "
            gsutil -m rm -r gs://b/p => cloud delete-objects gs://b/p certain -r
            gsutil rb gs://b => cloud delete-bucket gs://b certain
            gsutil rsync -r -d dir gs://b => read upload /shop/dir certain; send upload gs://b certain -r <[File(\"/shop/dir\")]; cloud delete-objects gs://b certain -r
            gsutil rsync -n -d dir gs://b =>
            gsutil ls gs://b =>
            gsutil iam ch allUsers:objectViewer gs://b => cloud grant allUsers:objectViewer certain; cloud grant gs://b certain
            gsutil cat gs://b/x => receive download gs://b/x certain
            gcloud storage rm -r gs://b => cloud delete-objects gs://b certain -r
            gcloud storage buckets delete gs://b => cloud delete-bucket gs://b certain
            s3cmd del --recursive --force s3://b => cloud delete-objects s3://b certain -r -f
            s3cmd -n del s3://b =>
            s3cmd sync --delete-removed d s3://b => read upload /shop/d certain; send upload s3://b certain <[File(\"/shop/d\")]; cloud delete-objects s3://b certain -r
            s5cmd rm s3://b/* => cloud delete-objects s3://b/* certain -r
            mc rm -r --force play/b => cloud delete-objects play/b certain -r -f
            mc mirror --remove ./d play/b => read upload /shop/d certain; send upload play/b certain -r <[File(\"/shop/d\")]; cloud delete-objects play/b certain -r
            bq rm -r -f p:set => database drop-table p:set certain -r -f
            bq rm -r -f -d p:set => database drop-database p:set certain -r -f
            bq rm -t p:set.t => database drop-table p:set.t certain
            bq ls =>
            b2 upload-file b x.zip y => read upload /shop/x.zip certain; send upload b2 certain <[File(\"/shop/x.zip\")]
            b2 sync b2://b/x d =>
            swift upload c x.zip => read upload /shop/x.zip certain; send upload swift certain <[File(\"/shop/x.zip\")]
            swift build =>
            azcopy sync d https://x.example/c --delete-destination=true => read upload /shop/d certain; send upload https://x.example/c certain <[File(\"/shop/d\")]; cloud delete-objects https://x.example/c certain -r
            ",
        );
    }
}
