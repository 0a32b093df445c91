//! Tools for operations: backups, DNS and networks, mail, certificates, pipelines, feature flags and
//! monitors.
//!
//! Actions: those of the kind `cloud` (see [`super::hosting`] and [`super::cloud`]), and
//! `database/delete-backup`, `database/delete-data`, `database/delete-queue`, `service/stop`.

use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::{Order, Spec, parse};
use crate::target::Target;
use crate::tools::subcommand::{Cli, Rules, judge, table};
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
    rules: Rules::new(""),
};

/// Commands that lose backups, per program.
const BACKUPS: &[(&str, Rules)] = &[
    (
        "restic|rustic|autorestic",
        Rules::new(
            "\
forget|prune: delete-backup *
key remove|passwd: cloud/revoke *
unlock -remove-all: cloud/reset
rewrite -forget: delete-backup *
repair snapshots -forget: delete-backup *",
        ),
    ),
    (
        "borg|borgmatic",
        Rules::new(
            "\
delete|prune|recreate|compact: delete-backup *
break-lock: cloud/reset *",
        ),
    ),
    (
        "duplicity",
        Rules::new(
            "\
remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full|cleanup: delete-backup *",
        ),
    ),
    ("duplicacy", Rules::new("prune: delete-backup")),
    (
        "rdiff-backup",
        Rules::new(
            "\
-remove-older-than: delete-backup *
remove increments: delete-backup *",
        ),
    ),
    (
        "kopia",
        Rules::new(
            "\
snapshot|snap delete|expire: delete-backup *
content|blob delete: delete-backup *
maintenance run -safety=none: delete-backup",
        ),
    ),
    (
        "pgbackrest",
        Rules::new(
            "\
stanza-delete|expire: delete-backup --stanza
stop: service/stop --stanza",
        ),
    ),
    ("barman", Rules::new("delete: delete-backup *")),
    ("wal-g|wal-e", Rules::new("delete: delete-backup *")),
    (
        "proxmox-backup-client",
        Rules::new(
            "\
forget|prune: delete-backup *
snapshot forget|remove: delete-backup *",
        ),
    ),
    ("snapper", Rules::new("delete|remove|rm|cleanup: delete-backup *")),
    ("timeshift", Rules::new("-delete|delete-all: delete-backup --snapshot")),
    ("tarsnap", Rules::new("-d|nuke: delete-backup")),
    ("bup", Rules::new("rm|gc|prune-older: delete-backup *")),
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
    rules: Rules::new(""),
};

/// Commands that take a service away from its users, per program.
const SERVICES: &[(&str, Rules)] = &[
    (
        "fastly",
        Rules::new(
            "\
purge -all|a: delete-data --service-id
purge: none
* delete: delete * --service-id
* * delete: delete * --service-id",
        ),
    ),
    (
        "akamai",
        Rules::new(
            "\
purge delete|invalidate: delete-data *
* delete|deactivate: delete *
dns remove-*|delete-*|rm-*: delete *",
        ),
    ),
    ("dnscontrol", Rules::new("push: overwrite")),
    ("octodns-sync", Rules::new("-doit: overwrite")),
    (
        "pdnsutil",
        Rules::new(
            "\
delete-*: delete *
zone|rrset delete: delete *
clear-zone: delete *",
        ),
    ),
    (
        "rndc",
        Rules::new(
            "\
delzone: delete *
stop|halt: service/stop
freeze: disable *",
        ),
    ),
    ("knotc", Rules::new("zone-purge|zone-unset: delete *\nstop: service/stop")),
    ("nginx", Rules::new("-s=stop: stop\n-s=quit: stop")),
    ("caddy", Rules::new("stop: stop")),
    ("apachectl|apache2ctl", Rules::new("stop|graceful-stop: stop")),
    ("httpd", Rules::new("-k=stop: stop")),
    (
        "varnishadm",
        Rules::new(
            "\
ban|ban.url: delete-data *
stop: stop
vcl.discard: delete *",
        ),
    ),
    ("ipvsadm", Rules::new("-C|clear: delete-data\n-D|delete-service: delete")),
    (
        "kong",
        Rules::new(
            "\
stop|quit: stop
migrations reset: delete-data +r",
        ),
    ),
    (
        "ldcli",
        Rules::new(
            "\
* delete: delete --flag|project|environment
* delete-*: delete --flag|project|environment
flags archive|toggle-off: disable --flag",
        ),
    ),
    (
        "dog",
        Rules::new(
            "\
* delete|delete_*: delete *
monitor mute|mute_all: disable *
downtime post: disable *
host mute: disable *",
        ),
    ),
    ("amtool", Rules::new("silence add: disable *")),
    (
        "grafana-cli",
        Rules::new(
            "\
admin reset-admin-password: rotate
plugins uninstall|remove: delete *",
        ),
    ),
    (
        "splunk",
        Rules::new(
            "\
clean: delete-data *
remove: delete *
stop|offline: stop
disable: disable *",
        ),
    ),
    (
        "jenkins-cli|jenkins-cli.jar",
        Rules::new(
            "\
delete-*: delete *
shutdown|safe-shutdown|quiet-down|stop-builds|clear-queue: stop *
restart|safe-restart|reload-configuration: restart
disable-*|offline-node|disconnect-node: disable *
groovy|groovysh: invoke *",
        ),
    ),
    (
        "drone|woodpecker-cli",
        Rules::new(
            "\
repo|repository disable|rm|remove|delete: delete *
secret|cron|user|org|build|orgsecret|registry|template rm|remove|delete|purge: delete *",
        ),
    ),
    (
        "travis",
        Rules::new(
            "\
env unset|clear: revoke *
cache -d|delete: delete-data
disable: disable
cancel: stop *
settings: none",
        ),
    ),
    ("buildkite-agent", Rules::new("stop: stop\nlock release: revoke *")),
    (
        "argo",
        Rules::new(
            "\
delete: delete *
stop|terminate|suspend: stop *
cron|archive|template|cluster-template delete: delete *",
        ),
    ),
    (
        "gitlab-ctl",
        Rules::new(
            "\
cleanse|remove-accounts: delete-data +r
uninstall: delete-project
stop|graceful-kill|kill: stop *
restart: restart *",
        ),
    ),
    ("gitlab-runner", Rules::new("unregister: delete --name|n\nstop|uninstall: stop")),
    ("postsuper", Rules::new("-d: delete-data --d\n-h: none")),
    ("exim|exim4", Rules::new("-Mrm|Mg: delete-data *")),
    (
        "doveadm",
        Rules::new(
            "\
expunge|fts: delete-data *
mailbox delete: delete-data *
user|auth delete: delete *
stop: service/stop",
        ),
    ),
    ("certbot", Rules::new("delete: delete --cert-name\nrevoke: revoke --cert-path|cert-name")),
    (
        "acme.sh",
        Rules::new(
            "-remove: delete --d|domain\n-revoke: revoke --d|domain\n-deactivate-account: revoke",
        ),
    ),
    (
        "step",
        Rules::new("ca revoke: revoke *\nca provisioner remove: revoke *\nssh rekey: rotate *"),
    ),
    ("easyrsa", Rules::new("revoke*: revoke *")),
    ("keytool", Rules::new("-delete: revoke --alias")),
    (
        "kamal",
        Rules::new(
            "\
remove: delete-project
app|accessory|proxy|registry remove: delete *
app|accessory|proxy stop: stop *
rollback: rollback *
app maintenance: maintenance",
        ),
    ),
    ("talosctl", Rules::new("reset|wipe: delete --n|nodes\nshutdown|reboot: stop --n|nodes")),
    ("k0sctl|rke", Rules::new("reset|remove: delete-project")),
    (
        "prlctl",
        Rules::new(
            "delete|destroy: container/remove-machine *\nsnapshot-delete: container/remove-volume *",
        ),
    ),
    (
        "machinectl",
        Rules::new("remove: container/remove-machine *\nterminate|poweroff: container/stop *"),
    ),
    (
        "lxc-destroy",
        Rules::new("-n|name: container/remove-machine --n|name\n*: container/remove-machine"),
    ),
    (
        "jf|jfrog",
        Rules::new(
            "\
rt del|delete|rdel|repo-delete|gd|group-delete|udel|users-delete|ptdel: delete *
rt bdi|build-discard: delete *",
        ),
    ),
    (
        "celery",
        Rules::new(
            "purge: database/delete-queue\ncontrol shutdown: stop\namqp queue.delete|queue.purge: database/delete-queue *",
        ),
    ),
    (
        "airflow",
        Rules::new(
            "\
db reset: database/reset
db clean|downgrade: database/delete-data
dags|pools|connections|variables|users|roles delete|remove: delete *
tasks clear: delete-data *",
        ),
    ),
    ("superset", Rules::new("db downgrade: database/reset")),
    (
        "nodetool",
        Rules::new(
            "\
decommission|removenode|assassinate|drain|stopdaemon: stop *
clearsnapshot: database/delete-backup *
truncatehints|disablebinary|disablegossip|disableautocompaction: disable *",
        ),
    ),
    (
        "pulsar-admin",
        Rules::new(
            "\
topics|namespaces|tenants|clusters|functions|sources|sinks|persistent delete|delete-*|terminate|skip-all|clear-backlog|unload: database/delete-topic *",
        ),
    ),
    ("zkCli.sh", Rules::new("deleteall|rmr|delete: database/delete-data *")),
    (
        "temporal",
        Rules::new(
            "\
workflow terminate|delete|reset|cancel: stop --workflow-id|w
batch terminate: stop
schedule delete: delete *
namespace delete: delete-project *
operator namespace delete: delete-project *
operator cluster remove: delete *",
        ),
    ),
    (
        "twilio",
        Rules::new(
            "\
* * * remove: delete --sid
phone-numbers|profiles|profile remove: delete *",
        ),
    ),
    (
        "infisical",
        Rules::new(
            "\
secrets delete: revoke *
secrets set: change
secrets folders delete: delete *
secrets get: secret/secret *
secrets: secret/secret
export: secret/secret",
        ),
    ),
    ("credstash", Rules::new("delete: revoke *\nget|getall: secret/secret *")),
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
        call.effect(Kind::VcsHistory, Act::FilterRepo, Target::None);
    }
}

/// Changes of names come as lines of standard input or of a file.
fn records(call: &mut Call<'_, '_>) {
    let options = parse(call.arguments(), &Spec::new("k:y:t:r:u:p:", "key= timeout= retries="));
    let content = match options.operands.first() {
        Some(file) => call.read(Act::Records, file),
        None => call.stdin.clone(),
    };
    let deletes = |line: &str| {
        let mut words = line.split_whitespace().filter(|word| *word != "update");
        matches!(words.next(), Some("delete" | "del"))
    };
    if content.text.as_deref().is_some_and(|text| text.lines().any(deletes)) {
        let target =
            options.operands.first().map_or(Target::None, |file: &&Field| Call::named(file));
        call.effect(Kind::Cloud, Act::Delete, target);
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
