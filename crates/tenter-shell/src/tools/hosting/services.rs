//! Services around an application, each spoken to through a program of its own: backups, pipelines, alarms, search,
//! switches, caches, schedulers. Their commands are all in a table.

use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::Spec;
use crate::tools::subcommand::{Cli, judge, table};

pub(in crate::tools) const PROGRAMS: Programs = &[
    ("airflow", by_table),
    ("algolia", by_table),
    ("amtool", by_table),
    ("apigeecli", by_table),
    ("argo", by_table),
    ("b2", by_table),
    ("barman", by_table),
    ("bk", by_table),
    ("borg", by_table),
    ("borgmatic", by_table),
    ("boundary", by_table),
    ("bup", by_table),
    ("circleci", by_table),
    ("curator_cli", by_table),
    ("dagster", by_table),
    ("databricks", by_table),
    ("deck", by_table),
    ("drone", by_table),
    ("duplicacy", by_table),
    ("duplicity", by_table),
    ("fastly", by_table),
    ("flagsmith", by_table),
    ("grafanactl", by_table),
    ("infisical", by_table),
    ("jenkins-cli", by_table),
    ("kopia", by_table),
    ("launchdarkly", by_table),
    ("launchdarkly-cli", by_table),
    ("ldcli", by_table),
    ("newrelic", by_table),
    ("octo", by_table),
    ("octopus", by_table),
    ("opensearch-cli", by_table),
    ("pd", by_table),
    ("pgbackrest", by_table),
    ("prefect", by_table),
    ("pulsar-admin", by_table),
    ("rancher", by_table),
    ("rdiff-backup", by_option),
    ("resend", by_table),
    ("restic", by_table),
    ("rustic", by_table),
    ("sendgrid", by_table),
    ("spin", by_table),
    ("splunk", by_table),
    ("tarsnap", by_option),
    ("tkn", by_table),
    ("travis", by_table),
    ("twilio", by_table),
    ("typesense", by_table),
    ("varnishadm", by_table),
    ("wal-g", by_table),
    ("waypoint", by_table),
];

const SERVICE: Cli = Cli {
    spec: Spec::new(
        "p:c:n:s:u:",
        "repo= repository-file= password-file= password-command= password= option= cache-dir= host= tag= path= \
         keep-last= keep-hourly= keep-daily= keep-weekly= keep-monthly= keep-yearly= keep-within= keep-tag= group-by= \
         prefix= glob-archives= archive= config= config-file= stanza= set= log-level= storage= token= api-key= \
         apikey= application-id= service-id= service-name= version= key= url= domain-name= backend-name= flag= project= \
         environment= access-token= base-uri= user= auth= server= index= guid= name= accountId= account-id= \
         applicationId= output= profile= format= ids= id= select-tag= kong-addr= konnect-token= konnect-control-plane-name= \
         namespace= context= kubeconfig= org= organization= cluster= space= filter_list= filter-list= dag-id= dag_id= \
         exec-date= start-date= end-date= target= env= alertmanager.url= author= comment= duration= region= proxy= addr= \
         projectId= type= secret= snapshot-id= older-than= retain= retention=",
    ),
    kind: Kind::Cloud,
    harmless: &["h", "dry-run", "dry", "check", "simulate", "what-if"],
    force: &["y", "yes", "f", "force", "auto-approve", "confirm", "delete", "prune"],
    recursive: &["R", "recursive", "all", "a"],
    rules: "",
};

/// What each of these services does.
const TABLES: &[(&str, &str)] = &[
    (
        "restic|rustic",
        "\
forget: delete-backup *
prune: delete-backup
rewrite -forget: delete-backup *
key remove|passwd: revoke *
unlock -remove-all: reset
repair|migrate|rebuild-index|recover: change
restore|backup|snapshots|ls|find|stats|check|diff|dump|mount|cat|copy|init|tag|cache|version|list: none",
    ),
    (
        "borg|borgmatic",
        "\
delete: delete-backup *
prune: delete-backup *
compact: delete-backup *
recreate: overwrite *
key change-passphrase|import: rotate *
break-lock: reset *
config: change *
create: none",
    ),
    (
        "kopia",
        "\
snapshot delete|expire: delete-backup *
snap delete|expire: delete-backup *
manifest|blob|content|index delete|rm|gc: delete-backup *
maintenance run: delete-backup
repository change-password: rotate
repository disconnect: disable
policy delete|remove: revoke *
server shutdown: stop",
    ),
    ("pgbackrest", "stanza-delete|expire: delete-backup --stanza\nstop: stop --stanza\nrestore: restore --stanza"),
    ("barman", "delete: delete-backup *\nrecover|restore: restore *\ncron|backup|check: none"),
    ("wal-g", "delete: delete-backup *\nst rm: delete-backup *\nbackup-fetch: restore *"),
    ("duplicacy", "prune: delete-backup\nrestore: restore"),
    (
        "duplicity",
        "\
remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full: delete-backup *
cleanup: delete-backup *
restore: restore *",
    ),
    ("bup", "rm|gc|prune-older: delete-backup *"),
    (
        "fastly",
        "\
purge -all: reset
purge: reset *
service delete: delete-project --service-id|service-name
acl|backend|dictionary|domain|healthcheck|vcl|logging|kv-store|config-store|secret-store|object-storage delete: delete --name|key
* delete: delete --name
* * delete: delete --name
service-version activate: deploy
compute publish|deploy: deploy",
    ),
    (
        "deck",
        "\
gateway reset: destroy
reset: destroy
gateway sync: apply
sync: apply
gateway diff|dump|ping|validate: none",
    ),
    ("apigeecli", "* delete|undeploy: delete --name|n\n* * delete: delete --name|n\n* deploy|import|create: deploy"),
    (
        "circleci",
        "\
context delete: delete *
context remove-secret: revoke *
context store-secret: change *
orb unlist: revoke *
orb publish: publish/publish *
runner resource-class|token|instance delete: revoke *
namespace delete-alias: delete *
policy push: change *",
    ),
    (
        "jenkins-cli",
        "\
delete-*: delete *
remove-job-from-view|disable-plugin|disable-job|disconnect-node|offline-node: disable *
safe-restart|restart|reload-configuration: restart
safe-shutdown|shutdown|quiet-down: stop
update-*|create-*|install-plugin: change *
groovy|groovysh: invoke *
build|console|get-*|list-*|who-am-i|help|version: none",
    ),
    ("travis", "cancel|disable: disable *\nenv unset|clear: revoke *\nenv set: change *\ncache -delete: delete"),
    ("drone", "repo rm|disable: disable *\n* rm|remove: delete *\nsecret|orgsecret add|update: change *\nbuild kill|stop: stop *"),
    ("tkn", "* delete: delete *\n* cancel: stop *"),
    ("argo", "delete: delete *\ncron delete: delete *\ntemplate|cluster-template delete: delete *\nterminate|stop: stop *"),
    ("bk", "* delete|remove: delete *\nbuild cancel: stop *\nagent stop: stop *"),
    ("spin", "application|app|pipeline|pipelines|pipeline-template delete: delete *\n* delete: delete *"),
    ("octo|octopus", "* delete: delete *\ndelete-*: delete *\nrelease deploy: deploy\ndeploy-release|create-release: deploy"),
    (
        "newrelic",
        "\
* delete: delete --guid|name
* * delete: delete --guid|name|applicationId
* * * delete: delete --guid|name",
    ),
    (
        "pd",
        "\
* delete|remove: delete --ids|id
* * delete|remove: delete --ids|id
* disable: disable --ids|id",
    ),
    (
        "splunk",
        "\
clean: delete-data *
remove|delete: delete *
disable: disable *
stop|offline: stop *
restart: restart *
edit|add|set: change *",
    ),
    (
        "algolia",
        "\
indices|index delete|clear: delete-data *
objects|synonyms|rules|records delete|clear: delete-data *
apikeys|apikey delete: revoke *
settings|rules|synonyms|objects import: overwrite *
* delete: delete *",
    ),
    ("typesense|opensearch-cli", "* delete: delete-data *\ncurl delete: delete-data *"),
    ("curator_cli", "delete-indices|delete_indices|delete-snapshots|delete_snapshots: delete-data\nclose: disable"),
    (
        "ldcli|launchdarkly|launchdarkly-cli",
        "\
flags|flag delete|archive: delete --flag|key
* delete|remove: delete --flag|key|project|environment
flags toggle-on|toggle-off|update: change --flag",
    ),
    ("flagsmith", "* delete: delete *"),
    (
        "grafanactl",
        "resources delete: delete *\nresources push: overwrite *",
    ),
    ("amtool", "silence expire: change *\nsilence add: disable *"),
    ("twilio", "api: none\n* remove|delete: delete *\n* * remove|delete: delete *\n* * * remove|delete: delete *"),
    ("sendgrid|resend", "* delete|remove: delete *\n* * delete|remove: delete *"),
    (
        "databricks",
        "\
fs|dbfs rm: delete-objects *
workspace delete|rm: delete *
clusters|cluster-policies permanent-delete|delete: delete *
bundle destroy: destroy
secrets delete-*|delete: revoke *
* delete|delete-*: delete *
bundle deploy: deploy",
    ),
    (
        "airflow",
        "\
db reset: database/drop-database +r
db clean: database/delete-data
dags delete: delete-data *
connections|variables|users|pools|roles delete: revoke *
tasks clear: reset *
tasks run|test: none",
    ),
    ("prefect", "server database reset: database/drop-database\n* delete|rm: delete *\n* * delete: delete *"),
    ("dagster", "run wipe: delete-data\nasset wipe: delete-data *\nrun delete: delete *"),
    (
        "pulsar-admin",
        "\
topics|persistent delete|delete-partitioned-topic|truncate: database/delete-topic *
topics|namespaces clear-backlog|skip-all: database/delete-data *
tenants|namespaces|clusters|subscriptions|functions|sinks|sources|schemas delete: database/delete-data *",
    ),
    ("rancher", "clusters|cluster delete|rm: delete-project *\nprojects|namespaces|nodes delete: delete *\n* delete: delete *"),
    ("b2", "delete-bucket|delete-file-version|delete-key|hide-file: delete-objects *\nrm: delete-objects *\nbucket|file|key delete|hide: delete-objects *\nsync -delete: delete-objects *"),
    ("boundary", "* delete: delete --id"),
    ("waypoint", "destroy: destroy\nproject destroy: delete-project *\n* delete: delete *\nserver uninstall: delete-project"),
    ("infisical", "secrets delete: revoke *\nsecrets folders delete: delete *\nsecrets set: change *"),
    ("varnishadm", "ban|ban.url: reset *\nstop: stop\nvcl.discard|vcl.use: change *"),
];

fn by_table(call: &mut Call<'_, '_>) {
    let rest = call.arguments();
    let mut cli = Cli { rules: table(TABLES, call.name), ..SERVICE };
    // Elsewhere `-r` is "recursive".
    if matches!(call.name, "restic" | "rustic") {
        cli.spec.short = "r:p:o:";
    }
    judge(call, rest, &cli);
}

/// Programs whose deeds are options.
fn by_option(call: &mut Call<'_, '_>) {
    let rules = match call.name {
        "tarsnap" => "-d|nuke: delete-backup --f",
        _ => "-remove-older-than: delete-backup *\nremove: delete-backup *",
    };
    let spec = Spec::new("f:", "f= remove-older-than= keyfile= cachedir=");
    let cli = Cli { rules, spec, force: &[], ..SERVICE };
    let rest = call.arguments();
    judge(call, rest, &cli);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::subcommand::testing::{check, check_tables};

    #[test]
    fn the_tables_are_readable() {
        check_tables(TABLES, PROGRAMS);
    }

    #[test]
    fn services_lose_backups_data_and_settings() {
        check(
            "
            restic -r /srv/repo forget --keep-last 1 --prune => cloud delete-backup  certain -f
            restic forget --keep-daily 7 --dry-run =>
            restic snapshots =>
            restic backup src =>
            restic key remove 5 => cloud revoke 5 certain
            borg delete /repo::old => cloud delete-backup /repo::old certain
            borg list /repo =>
            kopia snapshot delete k1 => cloud delete-backup k1 certain
            kopia snapshot list =>
            pgbackrest --stanza=main stanza-delete => cloud delete-backup main certain
            pgbackrest info =>
            duplicity remove-older-than 30D file:///b => cloud delete-backup 30D certain; cloud delete-backup file:///b certain
            tarsnap -d -f old => cloud delete-backup old certain
            tarsnap -c -f new src =>
            fastly service delete --service-id x => cloud delete-project x certain
            fastly purge --all => cloud reset  certain -r
            fastly service list =>
            deck gateway reset --force => cloud destroy  certain -f
            deck gateway diff =>
            circleci context delete github org ctx => cloud delete github certain; cloud delete org certain; cloud delete ctx certain
            circleci config validate =>
            jenkins-cli delete-job web => cloud delete web certain
            jenkins-cli list-jobs =>
            newrelic apm application delete --applicationId 1 => cloud delete 1 certain
            newrelic entity search --name web =>
            pd service delete --ids P1 => cloud delete P1 certain
            splunk clean eventdata -index main => cloud delete-data eventdata certain; cloud delete-data main certain
            splunk search errors =>
            algolia indices delete products -y => cloud delete-data products certain -f
            algolia indices list =>
            ldcli flags delete --flag new-cart => cloud delete new-cart certain
            ldcli flags list =>
            databricks fs rm -r dbfs:/data => cloud delete-objects dbfs:/data certain
            databricks fs ls dbfs:/data =>
            airflow db reset -y => database drop-database  certain -r -f
            airflow dags list =>
            infisical secrets delete KEY => cloud revoke KEY certain
            infisical run -- docker rm x => container remove-container x certain
            ",
        );
    }
}
