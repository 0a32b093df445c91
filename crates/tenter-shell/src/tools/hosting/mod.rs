//! Hosting providers: applications, their settings, data and domains.
//!
//! Actions of the kind `cloud`:
//! - `delete-project`: an application goes with all it holds
//! - `delete`: a part of it goes, `delete-data`: a database, volume or bucket
//! - `revoke`: a setting, variable, domain, certificate or member is taken away
//! - `stop`, `restart`, `scale`, `scale-to-zero`, `maintenance`: it runs differently
//! - `rollback`, `promote`, `deploy`: another version runs
//! - `change`, `create`, `grant`, `rotate`, `configure`, `disable`
//! - `rename`: it is reached by another name, `overwrite`: its settings are replaced by others
//!
//! Others: `database/...` where a database is named, `read/secret`, `publish/...`.

mod platforms;

pub(super) use platforms::TOOLS;

use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::{Spec, parse};
use crate::syntax::Dialect;
use crate::tools::table::{Cli, judge_options};
use crate::world::Language;

pub(super) const PROGRAMS: Programs =
    &[("heroku", heroku), ("fly", fly), ("flyctl", fly), ("wrangler", platforms::wrangler)];

const HEROKU: Cli = Cli {
    spec: Spec::new(
        "a:r:c:t:p:s:",
        "app= remote= confirm= team= pipeline= space= as= size= type= json",
    ),
    kind: Kind::Cloud,
    harmless: &["h"],
    force: &["confirm", "c", "force", "f"],
    recursive: &[],
    rules: "",
}
.lines(
    "\
apps destroy|delete: delete-project * --app|a
destroy: delete-project * --app|a
apps leave: revoke * --app|a
leave: revoke --app|a
apps rename: rename *
rename: rename *
apps transfer: grant *
addons destroy: delete-data *
addons detach: revoke *
addons create|upgrade|downgrade|attach: change *
access remove: revoke *
access add|update: grant *
clients|authorizations destroy|revoke: revoke *
clients rotate|update: rotate *
authorizations create|rotate: create-credential *
certs remove: revoke *
certs add|update|auto: change *
config unset|remove: revoke *
unset: revoke *
config set|edit: change *
config: secret/secret --app|a
config get: secret/secret *
container rm: delete *
container push|release: deploy *
domains remove|clear: revoke *
domains add|update: change *
drains remove: revoke *
features|labs disable: disable *
features|labs enable: change *
keys remove|clear: revoke *
keys add: grant *
maintenance on: maintenance --app|a
maintenance off: change --app|a
members remove: revoke *
members add|set: grant *
orgs|teams|spaces destroy: delete-project *
pg reset: database/drop-database *
pg copy|push|restore: database/restore *
pg promote|upgrade|unfollow: database/change *
pg credentials destroy: revoke *
pg credentials rotate: rotate *
pg kill|killall|kill-all: stop *
pg backups delete: database/delete-backup *
pg backups restore: database/restore *
pg backups unschedule: database/change *
pipelines destroy|delete: delete-project *
pipelines remove: revoke *
pipelines promote: promote
pipelines transfer: grant *
ps kill|stop: stop *
kill|stop: stop *
ps restart: restart *
restart: restart *
ps scale: scale *
scale: scale *
redis destroy|reset: database/drop-database *
releases rollback: rollback *
rollback: rollback *
repo reset|purge_cache|gc: delete --app|a
reviewapps disable: change
sharing remove: revoke *
sharing add|transfer: grant *
spaces vpn|peering|trusted-ips: change *
webhooks remove: revoke *
auth token: secret/secret
auth login|logout|revoke: configure
login|logout: configure
git remote: configure
buildpacks set|add|remove|clear: change *
stack set: change *
slugs download: none",
);

fn heroku(call: &mut Call<'_, '_>) {
    let rest = call.arguments();
    // A one-off machine runs the command given.
    let first = parse(rest, &Spec::first("a:r:s:e:", "app= remote= size= env= type="));
    if matches!(first.operand(0), Some("run" | "run:detached" | "run:inside")) {
        let after = rest.get(first.consumed + 1..).unwrap_or_default();
        let inner = parse(after, &Spec::first("a:r:s:e:", "app= remote= size= env= type="));
        let command = after.get(inner.consumed..).unwrap_or_default();
        // Options may stand behind it, too.
        let command = match command {
            [code, option, ..]
                if code.prefix().contains(' ') && option.prefix().starts_with('-') =>
            {
                command.get(..1).unwrap_or_default()
            }
            _ => command,
        };
        call.stdout = match command {
            [code] => call.run_code_elsewhere(Language::Shell(Dialect::Bash), code),
            argv => call.run_elsewhere(argv, None),
        };
        return;
    }
    let options = parse(rest, &HEROKU.spec);
    if matches!(options.operand(0), Some("pg:psql" | "psql")) {
        for code in options.values(&["c", "command"]) {
            crate::tools::sql::field(call, code);
        }
        return;
    }
    judge_options(call, &options, &HEROKU);
}

const FLY: Cli = Cli {
    spec: Spec::new(
        "a:c:t:o:r:C:u:g:",
        "app= config= access-token= org= region= count= image= command= user= machine= \
         process-group= dockerfile= strategy= env= build-arg= vm-size= name= select= \
         size= signal= timeout=",
    ),
    kind: Kind::Cloud,
    harmless: &["h", "build-only"],
    force: &["y", "yes", "force", "f"],
    recursive: &[],
    rules: "",
}
.lines(
    "\
apps|app destroy|delete|remove: delete-project *
destroy: delete-project *
apps|app suspend: stop *
apps|app restart: restart *
apps|app move: change *
suspend: stop *
volumes|volume|vol destroy|delete|rm: delete-data *
volumes|volume|vol snapshots: none
postgres|pg|mpg destroy: delete-data *
postgres|pg detach: revoke *
postgres|pg restart|failover: restart *
redis|mysql|storage|extensions destroy|delete: delete-data *
ext|extensions * destroy|delete: delete-data *
machine|machines|m destroy|rm|remove|delete: delete *
machine|machines|m kill|stop|suspend|cordon: stop *
machine|machines|m restart: restart *
machine|machines|m update|clone|run|start: change *
secrets unset|remove: revoke *
secrets set|import|deploy: change
ips|ip release: revoke *
ips|ip allocate*: change
certs|certificates remove|delete: revoke *
dns|domains|wireguard|tokens|token remove|delete|revoke: revoke *
tokens|token create: secret/secret
auth token: secret/secret
auth login|logout: configure
orgs delete: delete-project *
orgs remove: revoke *
orgs invite: grant *
scale count 0: scale-to-zero --app|a
scale count|vm|memory: scale *
deploy|launch: deploy --app|a
releases rollback: rollback
destroy-pipeline|dp|destroy-team|dt: delete --p|pipeline|n|team-name
expose-pipeline|ep: expose --p|pipeline
pause-pipeline|pp|pause-job|pj|abort-build|ab: stop --p|pipeline|j",
);

fn fly(call: &mut Call<'_, '_>) {
    let rest = call.arguments();
    let options = parse(rest, &FLY.spec);
    let inner = match (options.operand(0), options.operand(1)) {
        (Some("ssh"), Some("console")) => options.value(&["C", "command"]),
        (Some("machine" | "machines" | "m"), Some("exec")) => options.operands.get(3).copied(),
        _ => None,
    };
    if let Some(code) = inner {
        call.stdout = call.run_code_elsewhere(Language::Shell(Dialect::Posix), code);
        return;
    }
    judge_options(call, &options, &FLY);
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn heroku_has_colons_or_blanks() {
        check(
            "
            heroku apps:destroy web --confirm web => cloud delete-project web certain -f
            heroku apps destroy -a web => cloud delete-project web certain
            heroku destroy --app web => cloud delete-project web certain
            heroku pg:reset DATABASE -a web => database drop-database DATABASE certain
            heroku ps:kill web.1 => cloud stop web.1 certain
            heroku config:unset KEY => cloud revoke KEY certain
            heroku config -a web => read secret web certain
            heroku pg:backups:delete b1 => database delete-backup b1 certain
            heroku pg:backups =>
            heroku maintenance:on => cloud maintenance  certain
            heroku maintenance =>
            heroku ps =>
            heroku apps =>
            heroku apps:info web =>
            heroku logs --tail =>
            heroku apps:destroy --help =>
            heroku run -a web docker rm x => container remove-container x certain
            ",
        );
    }

    #[test]
    fn fly_takes_down_and_up() {
        check(
            "
            fly apps destroy web --yes => cloud delete-project web certain -f
            flyctl volumes destroy vol_1 => cloud delete-data vol_1 certain
            fly postgres destroy => cloud delete-data  certain
            fly secrets unset A B -a web => cloud revoke A certain; cloud revoke B certain
            fly scale count 0 -a web => cloud scale-to-zero web certain
            fly scale count 2 => cloud scale 2 certain
            fly deploy => cloud deploy  certain
            fly m kill 1 => cloud stop 1 certain
            fly apps list =>
            fly apps create x =>
            fly volumess destroy =>
            fly secrets list =>
            fly status =>
            ",
        );
    }
}
