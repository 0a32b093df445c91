//! Code forges: GitHub (`gh`, `hub`), GitLab (`glab`), Gitea (`tea`).
//!
//! - `repo-delete`, `repo-archive`, `repo-rename`, `repo-visibility`, `repo-transfer`, `repo-edit`,
//!   `repo-create` (forge): a repository or its settings; `repo-sync` (vcs-refs): a branch is
//!   overwritten by its source.
//! - `release-delete`, `release-edit` (forge), `release` (publish): a release and its files,
//!   `release-upload` (publish): one more file.
//! - `issue`, `issue-close`, `issue-delete`, `pr`, `pr-close`, `pr-delete`, `pr-merge` (forge): `issue` and `pr`
//!   are everything that adds or edits. `admin-merge` (hook-bypass): required checks are skipped.
//! - `secret-set`, `secret-delete`, `variable-set`, `variable-delete` (forge).
//! - `workflow-run`, `workflow-disable`, `workflow-toggle`, `run-cancel`, `run-delete`, `cache-delete` (forge).
//! - `key-add`, `key-delete`, `token-create`, `token-revoke`, `member` (forge): who may do what.
//! - `label`, `label-delete`, `project-delete`, `codespace`, `codespace-delete`, `gist-delete`, `runner-delete`
//!   (forge).
//! - `gist`, `post` (send): files or text go to the forge; `clone`, `download` (receive).
//! - `token` (read): the login token is printed.
//! - `alias` (forge): a command is given a name; `extension` (install).
//! - `api-delete`, `api-write` (forge): the interface is called directly; `api-mutation` by GraphQL.

use std::rc::Rc;

use super::table::{Cli, is_harmless, judge_options};
use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::{Certainty, Kind};
use crate::flow::{Flow, Source, Stream};
use crate::options::{Options, Spec, parse};
use crate::syntax::Dialect;
use crate::target::Target;
use crate::value::Field;
use crate::world::Language;

pub(super) const PROGRAMS: Programs = &[
    ("gh", |call| forge(call, &GH, "github.com")),
    ("glab", |call| forge(call, &GLAB, "gitlab.com")),
    ("hub", hub),
    ("tea", |call| forge(call, &TEA, "gitea")),
];

const GH: Cli = Cli {
    spec: Spec::new(
        "R:b:F:t:T:A:c:n:e:o:",
        "repo= body= body-file= title= notes= notes-file= env= org= user-owner= \
         hostname= json= jq= template= visibility= comment= reason= subject= \
         author-email= match-head-commit= target= branch= description= homepage= app= \
         ref= field= raw-field= codespace= id= owner= key= source= dir= pattern= name= \
         type= team= repos= env-file= discussion-category= notes-start-tag= remote= \
         clone delete-branch admin auto force yes confirm show-token dry-run all web",
    ),
    kind: Kind::Forge,
    harmless: &["dry-run", "version"],
    force: &["yes", "y", "confirm", "force"],
    recursive: &["all"],
    rules: "",
}
.lines(
    "\
repo delete: repo-delete 1
repo archive: repo-archive 1
repo rename: repo-rename 1
repo edit -visibility: repo-visibility 1
repo edit: repo-edit 1
repo create -public: repo-visibility 1
repo create|fork|unarchive|set-default: repo-create 1
repo sync -force: vcs-refs/repo-sync 1
repo clone: receive/clone 1
repo deploy-key add: key-add 1
repo deploy-key delete: key-delete 1
repo autolink create|delete: repo-edit 1
release delete|delete-asset: release-delete 1
release create -draft|d: release-edit 1
release create: publish/release 1
release upload: publish/release-upload 1
release edit: release-edit 1
release download: receive/download 1
issue delete: issue-delete 1
issue close|lock|transfer: issue-close 1
issue create|new|comment|edit|reopen|unlock|pin|unpin|develop: issue 1
pr close|lock: pr-close 1
pr merge: pr-merge 1
pr create|new|comment|edit|review|ready|reopen|unlock|update-branch|revert: pr 1
secret set: secret-set 1
secret delete|remove: secret-delete 1
variable set: variable-set 1
variable delete|remove: variable-delete 1
workflow run: workflow-run 1
workflow disable: workflow-disable 1
workflow enable: workflow-toggle 1
run cancel: run-cancel 1
run delete: run-delete 1
run rerun: workflow-run 1
run download: receive/download 1
cache delete: cache-delete 1
ssh-key|gpg-key add: key-add path1
ssh-key|gpg-key delete: key-delete 1
label delete: label-delete 1
label create|edit|clone: label 1
gist delete: gist-delete 1
project delete|item-delete|field-delete: project-delete 1
codespace|cs delete: codespace-delete --c|codespace
codespace|cs create|edit|stop|rebuild: codespace --c|codespace
extension|extensions|ext install|upgrade|remove: install/extension 1
auth token: secret/token
auth status -show-token|t: secret/token
auth login|logout|refresh|setup-git|switch: token-create
alias set|import|delete: alias 1
config set|clear-cache: repo-edit 1",
);

const GLAB: Cli = Cli {
    spec: Spec::new(
        "R:m:d:t:l:a:s:b:g:F:n:v:k:",
        "repo= message= description= title= label= assignee= source-branch= \
         target-branch= group= scope= name= value= key= notes= ref= notes-file= \
         assets-links= tag-message= hostname= token= branch= dry-run yes force \
         show-token with-tag",
    ),
    kind: Kind::Forge,
    harmless: &["dry-run", "version"],
    force: &["yes", "y", "force"],
    recursive: &[],
    rules: "",
}
.lines(
    "\
repo|project delete: repo-delete 1
repo|project archive -unarchive: repo-create 1
repo|project transfer: repo-transfer 1
repo|project update: repo-edit 1
repo|project create|fork: repo-create 1
repo|project clone: receive/clone 1
repo|project members add|remove: member
release delete: release-delete 1
release create: publish/release 1
release upload: publish/release-upload 1
release download: receive/download 1
mr delete: pr-delete 1
mr close: pr-close 1
mr merge|accept: pr-merge 1
mr create|new|update|note|approve|revoke|reopen|rebase|for|todo: pr 1
issue|incident delete: issue-delete 1
issue|incident close: issue-close 1
issue|incident create|new|update|note|reopen: issue 1
variable delete|remove|rm: variable-delete 1
variable set|create|update: variable-set 1
variable get|export: secret/token 1
schedule delete: workflow-toggle 1
schedule create|run|update: workflow-run 1
ci|pipe|pipeline delete: run-delete 1
ci|pipe|pipeline cancel: run-cancel 1
ci|pipe|pipeline run|retry|trigger: workflow-run 1
ssh-key|gpg-key|deploy-key add: key-add path1
ssh-key|gpg-key|deploy-key delete: key-delete 1
token create|rotate: token-create 1
token revoke: token-revoke 1
label delete: label-delete 1
label create|edit: label 1
snippet create: send/gist path*
snippet delete: gist-delete 1
runner delete|unregister: runner-delete 1
securefile remove: secret-delete 1
auth login|logout: token-create
auth status -show-token|t: secret/token
alias set|delete: alias 1
config set: repo-edit 1",
);

const TEA: Cli = Cli {
    spec: Spec::new("r:l:t:d:", "repo= login= title= description= owner= name= tag= token= url="),
    kind: Kind::Forge,
    harmless: &["version"],
    force: &["yes", "y", "force"],
    recursive: &[],
    rules: "",
}
.lines(
    "\
repos|repo delete|rm: repo-delete --name
repos|repo create|c|fork|migrate: repo-create --name
releases|release|r delete|rm: release-delete 1
releases|release|r create|c: publish/release --tag
pulls|pull|pr merge|m: pr-merge 1
pulls|pull|pr close: pr-close 1
pulls|pull|pr create|c|approve|reject|review: pr 1
issues|issue|i close: issue-close 1
issues|issue|i create|c|edit|reopen: issue 1
branches|branch protect|unprotect: repo-edit 1
actions secrets create: secret-set 1
actions secrets delete: secret-delete 1
webhooks create|delete|update: repo-edit 1
logins|login add|delete: token-create",
);

const HUB: Cli = Cli {
    spec: GH.spec,
    kind: Kind::Forge,
    harmless: &[],
    force: &["y", "yes"],
    recursive: &[],
    rules: "",
}
.lines(
    "\
delete: repo-delete 1
create: repo-create 1
fork: repo-create
release delete: release-delete 1
release create: publish/release 1
release edit: release-edit 1
issue create|update: issue 1
pull-request: pr",
);

fn forge(call: &mut Call<'_, '_>, cli: &Cli, host: &str) {
    let arguments = call.arguments();
    let word = |at: usize| arguments.get(at).and_then(Field::exact);
    match (word(0), word(1)) {
        (Some("api"), _) => {
            api(call, arguments.get(1..).unwrap_or_default(), host);
            call.stdout.flow.add(Source::Network(Rc::from(host)));
            return;
        }
        (Some("gist" | "snippet"), Some("view")) => {
            call.stdout = Stream::from(Source::Network(Rc::from(host)));
            return;
        }
        (Some("gist" | "snippet"), Some("create" | "new" | "edit")) => {
            return gist(call, arguments.get(2..).unwrap_or_default(), host);
        }
        _ => {}
    }
    let options = parse(arguments, &cli.spec);
    if is_harmless(&options, &["h", "version", "dry-run"]) {
        call.stdout = Stream::default();
        return;
    }
    fetched(call, arguments, host);
    if !judge_options(call, &options, cli) {
        return;
    }
    // An alias may be code of the shell.
    if let (Some("alias"), Some("set"), Some(code)) =
        (options.operand(0), options.operand(1), options.operands.get(3))
        && let Some(code) =
            code.after("!").or_else(|| options.has(&["s", "shell"]).then(|| Field::clone(code)))
    {
        let certainty = call.machine.certainty;
        call.machine.certainty = certainty.min(Certainty::Possible);
        call.run_code(Language::Shell(Dialect::Posix), &code);
        call.machine.certainty = certainty;
    }
    let admin = options.find(&["admin"]).filter(|_| options.operand(1) == Some("merge"));
    if let Some(found) = admin {
        call.effect_at(Kind::HookBypass, Act::AdminMerge, Target::None, found.span);
    }
    post(call, &options, host);
}

/// `gh repo clone a/b`, `gh release download -p x.sh`: what is made here comes from there.
fn fetched(call: &mut Call<'_, '_>, arguments: &[Field], host: &str) {
    let spec =
        Spec::new("A:D:O:R:p:u:", "archive= dir= output= pattern= repo= upstream-remote-name=");
    let options = parse(arguments, &spec);
    let content = Stream::from(Source::Network(Rc::from(host)));
    match (options.operand(0), options.operand(1)) {
        (Some("repo"), Some("clone")) => {
            let Some(remote) = options.operands.get(2) else { return };
            let shown = remote.shown();
            let content = Stream::from(Source::Network(Rc::from(shown.as_str())));
            let last = shown.trim_end_matches(".git").rsplit(['/', ':']).next();
            let made = Field::text(last.unwrap_or_default(), remote.span);
            let place = options.operands.get(3).map_or(made, |place| Field::clone(place));
            call.write(Kind::Write, Act::Clone, &place, content).recursive = true;
        }
        (Some("release"), Some("download")) => {
            let output = options.value(&["O", "output"]);
            if output.is_some_and(|output| output.is("-")) {
                call.stdout = content;
                return;
            }
            for file in output.into_iter().chain(options.values(&["p", "pattern"])) {
                let folder = options.value(&["D", "dir"]).filter(|_| output.is_none());
                let mut place = folder.cloned().unwrap_or_else(|| Field::text("", file.span));
                if folder.is_some() {
                    place.push_text("/", None);
                }
                file.parts.iter().for_each(|part| place.push(part.clone()));
                call.write(Kind::Write, Act::Download, &place, content.clone());
            }
        }
        _ => {}
    }
}

/// Text and files that go to the forge with the command, where they are more than literal text.
fn post(call: &mut Call<'_, '_>, options: &Options<'_>, host: &str) {
    let mut flow = Flow::default();
    for field in options.values(&["b", "body", "t", "title", "n", "notes", "comment", "m", "d"]) {
        flow.join(&field.flow);
    }
    for field in options.values(&["F", "body-file", "notes-file", "env-file"]) {
        flow.join(&call.read(Act::Post, field).flow);
    }
    if options.operand(0) == Some("release")
        && matches!(options.operand(1), Some("create" | "upload"))
    {
        for field in options.operands.iter().skip(3) {
            // A label may stand after the name: `file#label`.
            flow.join(&call.read(Act::Post, field).flow);
        }
    }
    if options.operand(1) == Some("set") && !options.has(&["b", "body"]) {
        flow.join(&call.stdin.flow);
    }
    if !flow.is_empty() {
        call.effect(Kind::Send, Act::Post, Target::Host(host.to_owned())).sources = flow;
    }
}

fn gist(call: &mut Call<'_, '_>, arguments: &[Field], host: &str) {
    let options = parse(arguments, &Spec::new("d:f:a:r:", "desc= filename= add= remove="));
    if options.has(&["h", "help"]) {
        return;
    }
    let mut flow = Flow::default();
    for file in options.operands.iter().copied().chain(options.values(&["a", "add"])) {
        flow.join(&call.read(Act::Gist, file).flow);
    }
    if options.operands.is_empty() {
        flow.join(&call.stdin.flow);
    }
    call.effect(Kind::Send, Act::Gist, Target::Host(host.to_owned())).sources = flow;
}

const API: Spec = Spec::new(
    "X:f:F:H:q:t:p:",
    "method= field= raw-field= header= input= jq= template= preview= hostname= cache= \
     form=",
);

fn api(call: &mut Call<'_, '_>, arguments: &[Field], host: &str) {
    let options = parse(arguments, &API);
    let Some(place) = options.operands.first().copied() else { return };
    if options.has(&["h", "help"]) {
        return;
    }
    let host = options.value(&["hostname"]).map_or_else(|| host.to_owned(), Field::shown);
    let fields = ["f", "F", "field", "raw-field", "input", "form"];
    let mut flow = Flow::default();
    for field in options.values(&fields) {
        flow.join(&field.flow);
        let file = field
            .prefix()
            .split_once("=@")
            .and_then(|(name, _)| field.without_prefix(name.len() + 2));
        if let Some(file) = file {
            flow.join(&call.read(Act::Post, &file).flow);
        }
    }
    if let Some(file) = options.value(&["input"]) {
        flow.join(&call.read(Act::Post, file).flow);
    }
    if !flow.is_empty() {
        call.effect(Kind::Send, Act::Post, Target::Host(host)).sources = flow;
    }
    let method = match options.value(&["X", "method"]) {
        Some(method) => method.shown().to_ascii_uppercase(),
        None if options.has(&fields) => "POST".to_owned(),
        None => "GET".to_owned(),
    };
    let action = if place.is("graphql") {
        let mutates = options.values(&fields).any(|field| {
            field.exact().is_none_or(|text| {
                text.trim_start_matches("query=").trim_start().starts_with("mutation")
            })
        });
        if !mutates {
            return;
        }
        Act::ApiMutation
    } else {
        match method.as_str() {
            "GET" | "HEAD" => return,
            "DELETE" => Act::ApiDelete,
            _ => Act::ApiWrite,
        }
    };
    call.effect_at(Kind::Forge, action, Call::named(place), place.span);
}

/// `hub` is git with more subcommands.
fn hub(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let first = arguments.first().and_then(Field::exact);
    match first {
        Some("api") => api(call, arguments.get(1..).unwrap_or_default(), "github.com"),
        Some("gist") => gist(call, arguments.get(2..).unwrap_or_default(), "github.com"),
        Some("delete" | "create" | "fork" | "release" | "issue" | "pull-request") => {
            forge(call, &HUB, "github.com");
        }
        _ => super::git::git(call),
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn repositories_and_releases_are_lost() {
        check(
            "
            gh repo delete me/x --yes => forge repo-delete me/x certain -f
            gh repo delete => forge repo-delete  certain
            gh repo archive me/x => forge repo-archive me/x certain
            gh repo edit --visibility public => forge repo-visibility  certain
            gh repo edit me/x -d text => forge repo-edit me/x certain
            gh repo deletee me/x =>
            gh repo view me/x =>
            gh repo delete --help =>
            gh release delete -R me/x v1 --cleanup-tag => forge release-delete v1 certain
            gh release view v1 =>
            gh release create v1 -n text => publish release v1 certain
            gh secret delete TOKEN --org me => forge secret-delete TOKEN certain
            gh secret list =>
            gh secret set TOKEN -b x => forge secret-set TOKEN certain
            gh pr merge 5 --squash --admin => forge pr-merge 5 certain; hook-bypass admin-merge  certain
            gh pr list --json number =>
            gh pr create --title 'rm -rf /' --body x => forge pr  certain
            gh auth status =>
            gh auth token => read token  certain
            gh extension install me/gh-x => install extension me/gh-x certain
            glab mr merge 3 => forge pr-merge 3 certain
            glab repo delete g/x -y => forge repo-delete g/x certain -f
            glab issue list =>
            tea repos rm --name x => forge repo-delete x certain
            hub push -f origin main => vcs-remote push-force main certain -f
            hub delete me/x => forge repo-delete me/x certain
            ",
        );
    }

    #[test]
    fn what_leaves_for_the_forge_is_sent() {
        check(
            "
            gh gist create -d text notes.md => read gist /shop/notes.md certain; send gist github.com certain <[File(\"/shop/notes.md\")]
            gh issue create -t x -F /etc/passwd => forge issue  certain; read post /etc/passwd certain; send post github.com certain <[File(\"/etc/passwd\")]
            gh release upload v1 a.zip => publish release-upload v1 certain; read post /shop/a.zip certain; send post github.com certain <[File(\"/shop/a.zip\")]
            ",
        );
    }

    #[test]
    fn the_interface_is_judged_by_its_method() {
        check(
            "
            gh api repos/me/x =>
            gh api -X delete repos/me/x => forge api-delete repos/me/x certain
            gh api --method=PATCH repos/me/x -f private=true => forge api-write repos/me/x certain
            gh api repos/me/x/issues -f title=t => forge api-write repos/me/x/issues certain
            gh api -X GET search/issues -f q=x =>
            gh api graphql -f 'query=query { viewer { login } }' =>
            gh api graphql -f 'query=mutation { deleteRef }' => forge api-mutation graphql certain
            gh api repos/me/x -F body=@key => read post /shop/key certain; send post github.com certain <[File(\"/shop/key\")]; forge api-write repos/me/x certain
            ",
        );
    }
}
