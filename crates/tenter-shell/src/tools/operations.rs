//! What keeps services going: backups, names and networks, mail, certificates, pipelines, flags and
//! monitors.
//!
//! Actions: those of the kind `cloud` (see [`super::hosting`] and [`super::cloud`]), and
//! `database/delete-backup`, `database/delete-data`, `database/delete-queue`, `service/stop`.

use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::{Order, Spec, parse};
use crate::target::Target;
use crate::tools::subcommand::{Cli, judge, table};
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("restic", backup),
    ("rustic", backup),
    ("autorestic", backup),
    ("borg", backup),
    ("borgmatic", backup),
    ("duplicity", backup),
    ("duplicacy", backup),
    ("rdiff-backup", backup),
    ("kopia", backup),
    ("pgbackrest", backup),
    ("barman", backup),
    ("wal-g", backup),
    ("wal-e", backup),
    ("proxmox-backup-client", backup),
    ("snapper", backup),
    ("timeshift", backup),
    ("tarsnap", backup),
    ("bup", backup),
    ("fastly", service),
    ("akamai", service),
    ("dnscontrol", service),
    ("octodns-sync", service),
    ("pdnsutil", service),
    ("rndc", service),
    ("knotc", service),
    ("nsupdate", records),
    ("nginx", service),
    ("caddy", service),
    ("apachectl", service),
    ("apache2ctl", service),
    ("httpd", service),
    ("varnishadm", service),
    ("ipvsadm", service),
    ("kong", service),
    ("ldcli", service),
    ("dog", service),
    ("amtool", service),
    ("grafana-cli", service),
    ("splunk", service),
    ("jenkins-cli", service),
    ("jenkins-cli.jar", service),
    ("drone", service),
    ("woodpecker-cli", service),
    ("travis", service),
    ("buildkite-agent", service),
    ("argo", service),
    ("gitlab-ctl", service),
    ("gitlab-runner", service),
    ("postsuper", service),
    ("exim", service),
    ("exim4", service),
    ("doveadm", service),
    ("certbot", service),
    ("acme.sh", service),
    ("step", service),
    ("easyrsa", service),
    ("keytool", service),
    ("kamal", service),
    ("talosctl", service),
    ("k0sctl", service),
    ("rke", service),
    ("prlctl", service),
    ("machinectl", service),
    ("lxc-destroy", service),
    ("jf", service),
    ("jfrog", service),
    ("celery", service),
    ("airflow", service),
    ("superset", service),
    ("nodetool", service),
    ("pulsar-admin", service),
    ("zkCli.sh", service),
    ("temporal", service),
    ("twilio", service),
    ("infisical", service),
    ("credstash", service),
];

const BACKUP: Cli = Cli {
    spec: Spec::new(
        "r:p:o:c:l:H:a:P:t:",
        "repo= repository= repository-file= password-file= password-command= option= cacert= \
         limit-upload= limit-download= keep-last= keep-hourly= keep-daily= keep-weekly= \
         keep-monthly= keep-yearly= keep-within= keep-tag= host= tag= path= group-by= \
         max-unused= config= location= stanza= repo1-path= pg1-path= config-file= \
         retention-full= rsh= remote-path= lock-wait= prefix= glob-archives= snapshot= \
         older-than= keep= storage=",
    ),
    kind: Kind::Database,
    harmless: &["h", "n", "dry-run", "dryrun", "test"],
    force: &["f", "force", "y", "yes", "confirm"],
    recursive: &["prune", "all", "delete-all"],
    rules: "",
};

/// How each of these programs loses what was put away.
const BACKUPS: &[(&str, &str)] = &[
    (
        "restic|rustic|autorestic",
        "\
forget|prune: delete-backup *
key remove|passwd: cloud/revoke *
unlock -remove-all: cloud/reset
rewrite -forget: delete-backup *
repair snapshots -forget: delete-backup *",
    ),
    (
        "borg|borgmatic",
        "\
delete|prune|recreate|compact: delete-backup *
break-lock: cloud/reset *",
    ),
    (
        "duplicity",
        "\
remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full|cleanup: delete-backup *",
    ),
    ("duplicacy", "prune: delete-backup"),
    (
        "rdiff-backup",
        "\
-remove-older-than: delete-backup *
remove increments: delete-backup *",
    ),
    (
        "kopia",
        "\
snapshot|snap delete|expire: delete-backup *
content|blob delete: delete-backup *
maintenance run -safety=none: delete-backup",
    ),
    (
        "pgbackrest",
        "\
stanza-delete|expire: delete-backup --stanza
stop: service/stop --stanza",
    ),
    ("barman", "delete: delete-backup *"),
    ("wal-g|wal-e", "delete: delete-backup *"),
    (
        "proxmox-backup-client",
        "\
forget|prune: delete-backup *
snapshot forget|remove: delete-backup *",
    ),
    ("snapper", "delete|remove|rm|cleanup: delete-backup *"),
    ("timeshift", "-delete|delete-all: delete-backup --snapshot"),
    ("tarsnap", "-d|nuke: delete-backup"),
    ("bup", "rm|gc|prune-older: delete-backup *"),
];

fn backup(call: &mut Call<'_, '_>) {
    let rest = call.arguments();
    let mut cli = Cli { rules: table(BACKUPS, call.name), ..BACKUP };
    match call.name {
        // There `-n` is a number or a name.
        "duplicacy" => cli.spec.order = Order::OneDash,
        "snapper" | "barman" | "timeshift" => cli.harmless = &["h", "dry-run"],
        _ => {}
    }
    judge(call, rest, &cli);
}

const SERVICE: Cli = Cli {
    spec: Spec::new(
        "s:t:c:d:p:u:n:A:m:i:",
        "service-id= token= config= name= zone= project= environment= flag= access-token= \
         host= port= user= username= password= server= id= cert-name= cert-path= domain= \
         alertmanager.url= comment= author= duration= env= path= namespace= address= \
         workflow-id= query= reason= app= broker= alias= keystore= storepass= admin-url= \
         destination= machine-readable nodes= cpcode= topic=",
    ),
    kind: Kind::Cloud,
    harmless: &["h", "dry-run", "dryrun"],
    force: &["f", "force", "y", "yes", "non-interactive", "batch"],
    recursive: &["all", "a", "everything", "purge"],
    rules: "",
};

/// How each of these programs takes something away from those who rely on it.
const SERVICES: &[(&str, &str)] = &[
    (
        "fastly",
        "\
purge -all|a: delete-data --service-id
purge: none
* delete: delete * --service-id
* * delete: delete * --service-id",
    ),
    (
        "akamai",
        "\
purge delete|invalidate: delete-data *
* delete|deactivate: delete *
dns remove-*|delete-*|rm-*: delete *",
    ),
    ("dnscontrol", "push: overwrite"),
    ("octodns-sync", "-doit: overwrite"),
    (
        "pdnsutil",
        "\
delete-*: delete *
zone|rrset delete: delete *
clear-zone: delete *",
    ),
    (
        "rndc",
        "\
delzone: delete *
stop|halt: service/stop
freeze: disable *",
    ),
    ("knotc", "zone-purge|zone-unset: delete *\nstop: service/stop"),
    ("nginx", "-s=stop: stop\n-s=quit: stop"),
    ("caddy", "stop: stop"),
    ("apachectl|apache2ctl", "stop|graceful-stop: stop"),
    ("httpd", "-k=stop: stop"),
    (
        "varnishadm",
        "\
ban|ban.url: delete-data *
stop: stop
vcl.discard: delete *",
    ),
    ("ipvsadm", "-C|clear: delete-data\n-D|delete-service: delete"),
    (
        "kong",
        "\
stop|quit: stop
migrations reset: delete-data +r",
    ),
    (
        "ldcli",
        "\
* delete: delete --flag|project|environment
* delete-*: delete --flag|project|environment
flags archive|toggle-off: disable --flag",
    ),
    (
        "dog",
        "\
* delete|delete_*: delete *
monitor mute|mute_all: disable *
downtime post: disable *
host mute: disable *",
    ),
    ("amtool", "silence add: disable *"),
    (
        "grafana-cli",
        "\
admin reset-admin-password: rotate
plugins uninstall|remove: delete *",
    ),
    (
        "splunk",
        "\
clean: delete-data *
remove: delete *
stop|offline: stop
disable: disable *",
    ),
    (
        "jenkins-cli|jenkins-cli.jar",
        "\
delete-*: delete *
shutdown|safe-shutdown|quiet-down|stop-builds|clear-queue: stop *
restart|safe-restart|reload-configuration: restart
disable-*|offline-node|disconnect-node: disable *
groovy|groovysh: invoke *",
    ),
    (
        "drone|woodpecker-cli",
        "\
repo|repository disable|rm|remove|delete: delete *
secret|cron|user|org|build|orgsecret|registry|template rm|remove|delete|purge: delete *",
    ),
    (
        "travis",
        "\
env unset|clear: revoke *
cache -d|delete: delete-data
disable: disable
cancel: stop *
settings: none",
    ),
    ("buildkite-agent", "stop: stop\nlock release: revoke *"),
    (
        "argo",
        "\
delete: delete *
stop|terminate|suspend: stop *
cron|archive|template|cluster-template delete: delete *",
    ),
    (
        "gitlab-ctl",
        "\
cleanse|remove-accounts: delete-data +r
uninstall: delete-project
stop|graceful-kill|kill: stop *
restart: restart *",
    ),
    ("gitlab-runner", "unregister: delete --name|n\nstop|uninstall: stop"),
    ("postsuper", "-d: delete-data --d\n-h: none"),
    ("exim|exim4", "-Mrm|Mg: delete-data *"),
    (
        "doveadm",
        "\
expunge|fts: delete-data *
mailbox delete: delete-data *
user|auth delete: delete *
stop: service/stop",
    ),
    ("certbot", "delete: delete --cert-name\nrevoke: revoke --cert-path|cert-name"),
    (
        "acme.sh",
        "-remove: delete --d|domain\n-revoke: revoke --d|domain\n-deactivate-account: revoke",
    ),
    ("step", "ca revoke: revoke *\nca provisioner remove: revoke *\nssh rekey: rotate *"),
    ("easyrsa", "revoke*: revoke *"),
    ("keytool", "-delete: revoke --alias"),
    (
        "kamal",
        "\
remove: delete-project
app|accessory|proxy|registry remove: delete *
app|accessory|proxy stop: stop *
rollback: rollback *
app maintenance: maintenance",
    ),
    ("talosctl", "reset|wipe: delete --n|nodes\nshutdown|reboot: stop --n|nodes"),
    ("k0sctl|rke", "reset|remove: delete-project"),
    (
        "prlctl",
        "delete|destroy: container/remove-machine *\nsnapshot-delete: container/remove-volume *",
    ),
    ("machinectl", "remove: container/remove-machine *\nterminate|poweroff: container/stop *"),
    ("lxc-destroy", "-n|name: container/remove-machine --n|name\n*: container/remove-machine"),
    (
        "jf|jfrog",
        "\
rt del|delete|rdel|repo-delete|gd|group-delete|udel|users-delete|ptdel: delete *
rt bdi|build-discard: delete *",
    ),
    (
        "celery",
        "purge: database/delete-queue\ncontrol shutdown: stop\namqp queue.delete|queue.purge: database/delete-queue *",
    ),
    (
        "airflow",
        "\
db reset: database/reset
db clean|downgrade: database/delete-data
dags|pools|connections|variables|users|roles delete|remove: delete *
tasks clear: delete-data *",
    ),
    ("superset", "db downgrade: database/reset"),
    (
        "nodetool",
        "\
decommission|removenode|assassinate|drain|stopdaemon: stop *
clearsnapshot: database/delete-backup *
truncatehints|disablebinary|disablegossip|disableautocompaction: disable *",
    ),
    (
        "pulsar-admin",
        "\
topics|namespaces|tenants|clusters|functions|sources|sinks|persistent delete|delete-*|terminate|skip-all|clear-backlog|unload: database/delete-topic *",
    ),
    ("zkCli.sh", "deleteall|rmr|delete: database/delete-data *"),
    (
        "temporal",
        "\
workflow terminate|delete|reset|cancel: stop --workflow-id|w
batch terminate: stop
schedule delete: delete *
namespace delete: delete-project *
operator namespace delete: delete-project *
operator cluster remove: delete *",
    ),
    (
        "twilio",
        "\
* * * remove: delete --sid
phone-numbers|profiles|profile remove: delete *",
    ),
    (
        "infisical",
        "\
secrets delete: revoke *
secrets set: change
secrets folders delete: delete *
secrets get: secret/secret *
secrets: secret/secret
export: secret/secret",
    ),
    ("credstash", "delete: revoke *\nget|getall: secret/secret *"),
];

fn service(call: &mut Call<'_, '_>) {
    let rest = call.arguments();
    if call.name == "prlctl"
        && let [exec, _, command @ ..] = rest
        && exec.is("exec")
    {
        call.stdout = call.run_elsewhere(command, None);
        return;
    }
    let mut cli = Cli { rules: table(SERVICES, call.name), ..SERVICE };
    match call.name {
        "postsuper" => cli.harmless = &[],
        "keytool" | "zkCli.sh" | "exim" | "exim4" => cli.spec.order = Order::OneDash,
        // There it is a flag.
        "acme.sh" => cli.spec.short = "d:",
        "pulsar-admin" | "fastly" | "ipvsadm" | "travis" => cli.spec.short = "s:t:",
        _ => {}
    }
    judge(call, rest, &cli);
}

/// `java -jar jenkins-cli.jar delete-job x`.
pub(super) fn archive(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let Some(at) = arguments.iter().position(|field| field.is("-jar")) else { return };
    let rest = arguments.get(at.saturating_add(1)..).unwrap_or_default();
    let Some((jar, rest)) = rest.split_first() else { return };
    let name = jar.suffix().rsplit('/').next().unwrap_or_default();
    if name == "jenkins-cli.jar" {
        judge(call, rest, &Cli { rules: table(SERVICES, "jenkins-cli.jar"), ..SERVICE });
    } else if name.starts_with("bfg") && !rest.iter().any(|field| field.is("--help")) {
        call.effect(Kind::VcsHistory, "filter-repo", Target::None);
    }
}

/// Changes of names come as lines of standard input or of a file.
fn records(call: &mut Call<'_, '_>) {
    let options = parse(call.arguments(), &Spec::new("k:y:t:r:u:p:", "key= timeout= retries="));
    let content = match options.operands.first() {
        Some(file) => call.read("records", file),
        None => call.stdin.clone(),
    };
    let deletes = |line: &str| {
        let mut words = line.split_whitespace().filter(|word| *word != "update");
        matches!(words.next(), Some("delete" | "del"))
    };
    if content.text.as_deref().is_some_and(|text| text.lines().any(deletes)) {
        let target =
            options.operands.first().map_or(Target::None, |file: &&Field| Call::named(file));
        call.effect(Kind::Cloud, "delete", target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Stream;
    use crate::run::testing::effects_with;
    use crate::tools::subcommand::testing::{check, check_tables};

    #[test]
    fn the_tables_are_readable() {
        check_tables(BACKUPS, PROGRAMS);
        check_tables(SERVICES, PROGRAMS);
    }

    #[test]
    fn backups_go() {
        check(
            "
            restic -r /srv/b forget 1a2b --prune => database delete-backup 1a2b certain -r
            restic forget --keep-last 3 --dry-run =>
            restic -r /srv/b snapshots =>
            restic backup src =>
            restic restore latest --target out =>
            borg delete /srv/b::monday => database delete-backup /srv/b::monday certain
            borg prune -n --keep-daily 7 /srv/b =>
            borg list /srv/b =>
            duplicity remove-older-than 1M --force file:///b => database delete-backup 1M certain -f; database delete-backup file:///b certain -f
            duplicity collection-status file:///b =>
            pgbackrest --stanza=main stanza-delete => database delete-backup main certain
            pgbackrest info =>
            wal-g backup-list =>
            wal-g delete retain 5 --confirm => database delete-backup retain certain -f; database delete-backup 5 certain -f
            snapper -c root delete 4 => database delete-backup 4 certain
            timeshift --delete-all => database delete-backup  certain -r
            timeshift --list =>
            tarsnap -d -f old => database delete-backup  certain -f
            tarsnap -c -f new src =>
            ",
        );
    }

    #[test]
    fn services_stop_and_lose() {
        check(
            "
            nginx -s stop => cloud stop  certain
            nginx -s reload =>
            nginx -t =>
            caddy run =>
            dnscontrol preview =>
            dnscontrol push => cloud overwrite  certain
            fastly purge --all --service-id s => cloud delete-data s certain -r
            fastly purge --key k =>
            fastly service delete --service-id s => cloud delete s certain
            fastly service list =>
            java -jar jenkins-cli.jar -s http://j delete-job web => cloud delete web certain
            java -jar app.jar delete-job web =>
            java -version =>
            certbot renew =>
            certbot delete --cert-name a.example => cloud delete a.example certain
            keytool -delete -alias a -keystore k => cloud revoke a certain
            keytool -list -keystore k =>
            postsuper -d ALL => cloud delete-data ALL certain
            celery -A app worker =>
            celery -A app purge -f => database delete-queue  certain -f
            airflow db reset -y => database reset  certain -f
            airflow dags list =>
            infisical secrets => read secret  certain
            infisical run -- npm start =>
            ",
        );
    }

    #[test]
    fn names_are_deleted_by_lines() {
        let lines = Stream::known("server ns.example\nupdate delete a.example A\nsend\n");
        assert_eq!(effects_with(&["nsupdate"], lines), ["cloud delete  certain"]);
        let lines = Stream::known("update add a.example 60 A 192.0.2.1\nsend\n");
        assert!(effects_with(&["nsupdate"], lines).is_empty());
    }
}
