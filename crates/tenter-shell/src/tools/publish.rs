//! Programs whose work is to publish. Package managers that also publish have it with their
//! packages.
//!
//! - `publish` (publish): a package, an extension or a release is made public;
//! - `unpublish` (publish): it is withdrawn.

use super::table::{Cli, Tool};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::Spec;
use crate::target::Target;

pub(super) const PROGRAMS: Programs = &[
    ("goreleaser", goreleaser),
    ("semantic-release", whole),
    ("release-it", whole),
    ("np", whole),
    ("mvn", maven),
    ("mvnw", maven),
    ("gradle", gradle),
    ("gradlew", gradle),
    ("sbt", gradle),
];

const TABLE: Cli = Cli {
    spec: Spec::new(
        "r:u:p:s:i:c:t:",
        "repository= repository-url= username= password= sign-with= identity= \
         config-file= pat= packagePath= target= dist-tag= tag= access= comment= \
         registry=",
    ),
    kind: Kind::Publish,
    harmless: &["dry-run", "version", "dryRun"],
    force: &["yes", "y", "force", "f", "skip-existing"],
    recursive: &[],
    rules: "",
};

pub(super) const TOOLS: &[Tool] = &[
    TABLE.tool("twine", "upload: publish path*"),
    TABLE.tool("vsce|ovsx", "publish: publish\nunpublish: unpublish 1"),
    TABLE.tool("flit|wasm-pack|changeset", "publish: publish"),
    TABLE.tool("maturin", "upload: publish path*\npublish: publish"),
    TABLE.tool("lerna", "publish: publish\nversion -yes: publish"),
    TABLE.tool("nx", "release publish: publish\nrelease: publish"),
];

fn whole(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("d", "dry-run preview ci"));
    if !options.has(&["dry-run", "d", "preview", "help", "h", "version", "v"]) {
        call.effect(Kind::Publish, Act::Publish, Target::None);
    }
}

fn goreleaser(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("f:p:", "config= skip= parallelism= timeout= snapshot"));
    let skips = options.values(&["skip"]).any(|value| {
        value.exact().is_some_and(|text| text.split(',').any(|step| step == "publish"))
    });
    if options.operand(0) == Some("release")
        && !skips
        && !options.has(&["snapshot", "help", "h", "skip-publish"])
    {
        call.effect(Kind::Publish, Act::Publish, Target::None);
    }
}

fn maven(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "D:P:f:s:l:t:T:pl:",
        "file= settings= projects= define= activate-profiles=",
    ));
    let goal = |goal: &str| {
        matches!(goal, "deploy" | "release:perform" | "nexus-staging:release")
            || goal.ends_with(":deploy")
            || goal.ends_with("deploy-file")
    };
    if options.operands.iter().any(|field| field.exact().is_some_and(goal))
        && !options.has(&["help", "h"])
    {
        call.effect(Kind::Publish, Act::Publish, Target::None);
    }
}

fn gradle(call: &mut Call<'_, '_>) {
    let options =
        call.options(&Spec::new("P:p:b:c:x:I:", "dry-run project-dir= exclude-task= build-file="));
    if options.has(&["dry-run", "m", "help", "h"]) {
        return;
    }
    let task = |text: &str| {
        let task = text.rsplit([':', '/']).next().unwrap_or(text);
        task.starts_with("publish") && !task.ends_with("ToMavenLocal") && task != "publishLocal"
    };
    if options.operands.iter().any(|field| field.exact().is_some_and(task)) {
        call.effect(Kind::Publish, Act::Publish, Target::None);
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn publishing_is_told_from_building() {
        check(
            "
            twine upload -r testpypi dist/x.whl => publish publish /shop/dist/x.whl certain
            twine check dist/x.whl =>
            vsce publish minor => publish publish  certain
            vsce package =>
            vsce unpublish me.x => publish unpublish me.x certain
            maturin publish => publish publish  certain
            maturin build --release =>
            lerna publish --yes => publish publish  certain -f
            lerna run build =>
            changeset publish => publish publish  certain
            changeset version =>
            goreleaser release --clean => publish publish  certain
            goreleaser release --snapshot =>
            goreleaser release --skip=publish,sign =>
            goreleaser check =>
            semantic-release --dry-run =>
            semantic-release => publish publish  certain
            mvn -q deploy => publish publish  certain
            mvn -DskipTests package =>
            gradle :lib:publish => publish publish  certain
            gradle publishToMavenLocal =>
            gradlew build =>
            ",
        );
    }
}
