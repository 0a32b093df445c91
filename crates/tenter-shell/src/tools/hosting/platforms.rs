//! Platforms whose commands are all in a table.

use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::options::{Spec, parse};
use crate::tools::table::{Cli, Tool, by_lines, judge};

const PLATFORM: Cli = Cli {
    spec: Spec::new(
        "t:S:A:n:o:p:m:s:c:e:d:",
        "token= scope= local-config= global-config= cwd= config= env= project= site= \
         site-id= auth= dir= message= alias= context= filter= from= to= name= account= \
         only= except= project-ref= db-url= service= environment= org= regions= target= \
         meta= build-env= team= functions= project-id=",
    ),
    kind: Kind::Cloud,
    harmless: &["h", "dry-run", "dry"],
    force: &["y", "yes", "f", "force", "skip-confirmation", "no-confirm"],
    recursive: &["r", "recursive", "all-collections", "all"],
    rules: "",
};

/// Effects of each platform's commands.
pub(in crate::tools) const TOOLS: &[Tool] = &[
    PLATFORM.tool("vercel|vc|now", VERCEL).by(vercel),
    PLATFORM.tool("netlify|ntl", NETLIFY),
    PLATFORM.tool("supabase", SUPABASE),
    PLATFORM.tool("firebase", FIREBASE),
    PLATFORM.tool("railway", RAILWAY).by(railway),
    PLATFORM.tool("render", RAILWAY),
    PLATFORM.tool(
        "surge",
        "\
teardown: delete-project *
list|whoami|login|logout|plus|ssl|token: none
*: deploy *",
    ),
    PLATFORM.tool(
        "cf",
        "\
delete|d: delete-project *
delete-org|delete-space: delete-project * +r
delete-service|ds: delete-data *
delete-*: delete *
unbind-*|unset-*|unmap-*: revoke *
stop|sp: stop *
restart|rs|restage|rg: restart *
rollback|cancel-deployment: rollback *
scale: scale *
push|p: deploy *
set-*|bind-*|map-*: change *",
    ),
    PLATFORM.tool(
        "dokku",
        "\
apps destroy: delete-project *
apps rename: rename *
config unset|clear: revoke *
config show|export|get: secret/secret *
domains remove|clear|reset: revoke *
ps stop: stop *
ps restart|rebuild: restart *
ps scale: scale *
postgres|mysql|mariadb|redis|mongo destroy: delete-data *
postgres|mysql|mariadb|redis|mongo unlink: revoke *
storage unmount: revoke *
certs remove: revoke *
cleanup: delete",
    ),
    PLATFORM.tool(
        "eb",
        "\
terminate: delete-project *
deploy|create|clone: deploy *
swap: promote *
restore|abort: rollback *
setenv|scale|config|upgrade: change *",
    ),
    PLATFORM.tool(
        "appwrite",
        "\
projects|databases|functions|storage|users|teams delete*: delete
deploy|push: deploy",
    ),
    PLATFORM.tool("neonctl|neon|pscale|turso|convex", DATABASES),
    PLATFORM.tool(
        "deployctl",
        "\
deploy: deploy
projects|deployments delete|rm: delete-project *",
    ),
];

const VERCEL: &str = "\
remove|rm: delete-project *
project|projects remove|rm: delete-project *
env remove|rm: revoke *
env add|update: change 1
env pull: secret/secret
domain|domains remove|rm: revoke *
domain|domains add|transfer-in|buy|move: change *
dns remove|rm: revoke *
dns add|import: change *
secret|secrets remove|rm: revoke *
alias remove|rm: revoke *
alias set: promote *
cert|certs remove|rm: revoke *
team|teams rm|remove: delete-project *
blob del|delete|delete-store: delete-data *
rollback: rollback *
promote: promote *
redeploy: deploy *
deploy -prod: deploy +f
deploy: deploy
integration|integration-resource remove|rm|disconnect: delete-data *
login|logout|switch|link: configure
list|ls|inspect|logs|whoami|dev|build|init|pull|help|bisect|curl: none
project|projects|env|domain|domains|dns|alias|certs|teams|git|integration|target|telemetry|cache: none";

const NETLIFY: &str = "\
sites delete: delete-project * --site-id|site
env unset: revoke *
env clone -to|t: overwrite --to|t
env set|import: change *
env get: secret/secret 1
env list -plain|json: secret/secret
deploy -prod|p|prod-if-unlocked: deploy --site|s
deploy: deploy --site|s
blobs|blob delete: delete-data *
functions invoke: invoke *
login|logout|unlink|link|switch: configure
addons delete: delete-data *
db|dev:exec: none
api deleteSite: delete-project";

const SUPABASE: &str = "\
db reset -linked|db-url: database/drop-database +r
db reset: database/drop-database
db push: database/change
db dump: none
migration repair|squash|down: database/change *
migration up: database/change
projects delete: delete-project *
branches delete: delete-data *
functions delete: delete *
functions deploy: deploy *
secrets unset: revoke *
secrets set: change
storage rm: delete-data *
stop -no-backup: delete-data
domains|vanity-subdomains|ssl-enforcement|network-restrictions delete|update: change
orgs delete: delete-project *
config push: change";

const FIREBASE: &str = "\
projects delete: delete-project *
firestore databases delete: database/drop-database *
firestore delete: database/delete-data *
hosting disable: stop
hosting sites delete: delete *
hosting channel delete: delete *
hosting channel deploy: deploy *
hosting clone: deploy *
functions delete: delete *
functions secrets destroy: revoke *
functions secrets access: secret/secret *
functions config unset: revoke *
functions config set: change
functions config get: secret/secret
remoteconfig rollback: rollback
database remove|set|update|push: database/delete-data *
database get: none
auth import: change path1
auth export: write/export path1
apps delete: delete *
ext uninstall: delete *
ext install|update|configure: change *
appdistribution testers remove: revoke *
deploy: deploy --only
login|logout|use: configure";

const RAILWAY: &str = "\
delete|down: delete-project
up|deploy|redeploy: deploy --service|s
service|services delete: delete *
services|deploys restart|cancel: restart *
volume delete: delete-data
environment|env delete|remove: delete *
variables|variable -set: change
variables|variable delete: revoke *
variables|variable: secret/secret
domain delete: revoke *
deploys create: deploy *
restart: restart
login|logout|link|unlink: configure";

const DATABASES: &str = "\
projects|project delete: delete-project *
database|databases|db|branch|branches|role|roles|backup delete|destroy|rm: database/drop-database *
branch|branches reset|restore: database/restore *
group|groups destroy|delete: delete-project *
password|token|service-token delete: revoke *
org delete: delete-project *
deploy-request deploy|revert: database/change *
deploy: deploy
env remove: revoke *
import: database/change
connection-string: secret/secret
db tokens create: secret/secret *";

/// `railway run` runs a command here, with the settings of there.
fn railway(call: &mut Call<'_, '_>, tool: &Tool) {
    let rest = call.arguments();
    if parse(rest, &tool.cli.spec).operand(0) == Some("run") {
        let first = parse(rest, &Spec::first("", ""));
        let after = rest.get(first.consumed + 1..).unwrap_or_default();
        let inner = parse(after, &Spec::first("s:e:p:", "service= environment= project="));
        call.stdout = call.run(after.get(inner.consumed..).unwrap_or_default());
        return;
    }
    by_lines(call, tool);
}

/// Alone, `vercel` deploys.
fn vercel(call: &mut Call<'_, '_>, tool: &Tool) {
    let options = call.options(&tool.cli.spec);
    if !options.operands.is_empty() {
        tool.judge_options(call, &options);
    } else if !options.has(&["help", "h", "version", "v"]) {
        let force = options.has(&["prod", "y", "yes"]);
        call.effect(Kind::Cloud, Act::Deploy, crate::target::Target::None).force = force;
    }
}

const WRANGLER: Cli = Cli {
    spec: Spec::new(
        "c:e:n:m:",
        "config= env= name= namespace-id= binding= command= file= message= path= \
         project-name= compatibility-date= var= define= branch= remote local prefix= \
         cwd= tag=",
    ),
    kind: Kind::Cloud,
    harmless: &["h", "dry-run"],
    force: &["y", "yes", "force", "skip-confirmation"],
    recursive: &[],
    rules: "",
}.lines("\
delete: delete-project * --name
d1 delete: database/drop-database *
d1 migrations apply: database/change *
d1 time-travel restore: database/restore *
d1 export: none
kv namespace delete: delete-data --namespace-id|binding
kv key delete: delete-data *
kv bulk delete: delete-data path1 +r
kv key|bulk put: change *
r2 bucket delete: delete-data *
r2 object delete: delete-data *
r2 object put: change *
secret delete: revoke *
secret put|bulk: change *
pages secret delete: revoke *
pages project delete: delete-project *
pages deployment delete: delete *
pages deploy|publish: deploy path1
deploy|publish: deploy
versions upload|deploy: deploy
rollback: rollback *
queues|hyperdrive|vectorize|workflows|pipelines|dispatch-namespace|mtls-certificate|cert delete: delete-data *
queues purge: delete-data *
triggers deploy: deploy
login|logout: configure");

pub(super) fn wrangler(call: &mut Call<'_, '_>) {
    let rest = call.arguments();
    let options = parse(rest, &WRANGLER.spec);
    if options.operand(0) == Some("d1") && options.operand(1) == Some("execute") {
        for code in options.values(&["command"]) {
            crate::tools::sql::field(call, code);
        }
        for file in options.values(&["file"]) {
            crate::tools::sql::file(call, file);
        }
        return;
    }
    crate::tools::cloud::objects::put(call);
    judge(call, rest, &WRANGLER);
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn platforms_lose_projects_and_settings() {
        check(
            "
            vercel rm web --yes => cloud delete-project web certain -f
            vercel project rm web => cloud delete-project web certain
            vercel env rm KEY production => cloud revoke KEY certain; cloud revoke production certain
            vercel domains rm example.com => cloud revoke example.com certain
            vercel --prod => cloud deploy  certain -f
            vercel deploy => cloud deploy  certain
            vercel rollback => cloud rollback  certain
            vercel rmm =>
            vercel env rmm X =>
            vercel env ls =>
            vercel ls =>
            vercel --version =>
            netlify sites:delete --force => cloud delete-project  certain -f
            netlify sites:delete:extra =>
            netlify env:unset KEY => cloud revoke KEY certain
            netlify env:clone --to x => cloud overwrite x certain
            netlify env:clone =>
            netlify deploy --prod => cloud deploy  certain
            netlify sites:list =>
            netlify status =>
            supabase db reset => database drop-database  certain
            supabase db reset --linked => database drop-database  certain -r
            supabase start =>
            firebase projects:list =>
            firebase firestore:delete --all-collections -f => database delete-data  certain -r -f
            firebase functions:delete f => cloud delete f certain
            firebase hosting:disable -f => cloud stop  certain -f
            firebase deploy --only hosting => cloud deploy hosting certain
            railway run -s web docker rm x => container remove-container x certain
            railway down -y => cloud delete-project  certain -f
            surge teardown x.example => cloud delete-project x.example certain
            surge list =>
            cf delete web -f => cloud delete-project web certain -f
            cf apps =>
            dokku apps:destroy web => cloud delete-project web certain
            wrangler delete --name w => cloud delete-project w certain
            wrangler kv key delete --binding B k => cloud delete-data k certain
            wrangler r2 bucket delete b => cloud delete-data b certain
            wrangler deploy --dry-run =>
            wrangler deploy => cloud deploy  certain
            wrangler dev =>
            neonctl branches delete b => database drop-database b certain
            ",
        );
    }
}
