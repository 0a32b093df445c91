//! Tools for operations: backups, DNS and networks, mail, certificates, pipelines, feature flags and
//! monitors.
//!
//! Actions: those of the kind `cloud` (see [`super::hosting`] and [`super::cloud`]), and
//! `database/delete-backup`, `database/delete-data`, `database/delete-queue`, `service/stop`.

use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::options::{Spec, parse};
use crate::target::Target;
use crate::tools::table::{Cli, Tool, by_lines};
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[("nsupdate", records)];

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

/// Commands that lose backups, per program.
pub(super) const BACKUPS: &[Tool] = &[
    BACKUP.tool(
        "restic|rustic|autorestic",
        "\
forget|prune: delete-backup *
key remove|passwd: cloud/revoke *
unlock -remove-all: cloud/reset
rewrite -forget: delete-backup *
repair snapshots -forget: delete-backup *",
    ),
    BACKUP.tool(
        "borg|borgmatic",
        "\
delete|prune|recreate|compact: delete-backup *
break-lock: cloud/reset *",
    ),
    BACKUP.tool(
        "duplicity",
        "\
remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full|cleanup: delete-backup *",
    ),
    BACKUP.one_dash().tool("duplicacy", "prune: delete-backup"),
    BACKUP.tool(
        "rdiff-backup",
        "\
-remove-older-than: delete-backup *
remove increments: delete-backup *",
    ),
    BACKUP.tool(
        "kopia",
        "\
snapshot|snap delete|expire: delete-backup *
content|blob delete: delete-backup *
maintenance run -safety=none: delete-backup",
    ),
    BACKUP.tool(
        "pgbackrest",
        "\
stanza-delete|expire: delete-backup --stanza
stop: service/stop --stanza",
    ),
    BACKUP.harmless(&["h", "dry-run"]).tool("barman", "delete: delete-backup *"),
    BACKUP.tool("wal-g|wal-e", "delete: delete-backup *"),
    BACKUP.tool(
        "proxmox-backup-client",
        "\
forget|prune: delete-backup *
snapshot forget|remove: delete-backup *",
    ),
    BACKUP.harmless(&["h", "dry-run"]).tool("snapper", "delete|remove|rm|cleanup: delete-backup *"),
    BACKUP
        .harmless(&["h", "dry-run"])
        .tool("timeshift", "-delete|delete-all: delete-backup --snapshot"),
    BACKUP.tool("tarsnap", "-d|nuke: delete-backup"),
    BACKUP.tool("bup", "rm|gc|prune-older: delete-backup *"),
];

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

const JENKINS: Tool = SERVICE.tool(
    "jenkins-cli|jenkins-cli.jar",
    "\
delete-*: delete *
shutdown|safe-shutdown|quiet-down|stop-builds|clear-queue: stop *
restart|safe-restart|reload-configuration: restart
disable-*|offline-node|disconnect-node: disable *
groovy|groovysh: invoke *",
);

/// Commands that take a service away from its users, per program.
pub(super) const SERVICES: &[Tool] = &[
    SERVICE.short("s:t:").tool("fastly", "\
purge -all|a: delete-data --service-id
purge: none
* delete: delete * --service-id
* * delete: delete * --service-id"),
    SERVICE.tool("akamai", "\
purge delete|invalidate: delete-data *
* delete|deactivate: delete *
dns remove-*|delete-*|rm-*: delete *"),
    SERVICE.tool("dnscontrol", "push: overwrite"),
    SERVICE.tool("octodns-sync", "-doit: overwrite"),
    SERVICE.tool("pdnsutil", "\
delete-*: delete *
zone|rrset delete: delete *
clear-zone: delete *"),
    SERVICE.tool("rndc", "\
delzone: delete *
stop|halt: service/stop
freeze: disable *"),
    SERVICE.tool("knotc", "zone-purge|zone-unset: delete *\nstop: service/stop"),
    SERVICE.tool("nginx", "-s=stop: service/stop\n-s=quit: service/stop"),
    SERVICE.tool("caddy", "stop: service/stop"),
    SERVICE.tool("apachectl|apache2ctl", "stop|graceful-stop: service/stop"),
    SERVICE.short("k:").tool("httpd", "-k=stop: service/stop").by(httpd),
    SERVICE.tool("varnishadm", "\
ban|ban.url: delete-data *
stop: stop
vcl.discard: delete *"),
    SERVICE.short("s:t:").tool("ipvsadm", "-C|clear: delete-data\n-D|delete-service: delete"),
    SERVICE.tool("kong", "\
stop|quit: stop
migrations reset: delete-data +r"),
    SERVICE.tool("ldcli", "\
* delete: delete --flag|project|environment
* delete-*: delete --flag|project|environment
flags archive|toggle-off: disable --flag"),
    SERVICE.tool("dog", "\
* delete|delete_*: delete *
monitor mute|mute_all: disable *
downtime post: disable *
host mute: disable *"),
    SERVICE.tool("amtool", "silence add: disable *"),
    SERVICE.tool("grafana-cli", "\
admin reset-admin-password: rotate
plugins uninstall|remove: delete *"),
    SERVICE.tool("splunk", "\
clean: delete-data *
remove: delete *
stop|offline: stop
disable: disable *"),
    JENKINS,
    SERVICE.tool("drone|woodpecker-cli", "\
repo|repository disable|rm|remove|delete: delete *
secret|cron|user|org|build|orgsecret|registry|template rm|remove|delete|purge: delete *"),
    SERVICE.short("s:t:").tool("travis", "\
env unset|clear: revoke *
cache -d|delete: delete-data
disable: disable
cancel: stop *
settings: none"),
    SERVICE.tool("buildkite-agent", "stop: stop\nlock release: revoke *"),
    SERVICE.tool("argo", "\
delete: delete *
stop|terminate|suspend: stop *
cron|archive|template|cluster-template delete: delete *"),
    SERVICE.tool("gitlab-ctl", "\
cleanse|remove-accounts: delete-data +r
uninstall: delete-project
stop|graceful-kill|kill: stop *
restart: restart *"),
    SERVICE.tool("gitlab-runner", "unregister: delete --name|n\nstop|uninstall: stop"),
    SERVICE.harmless(&[]).tool("postsuper", "-d: delete-data --d\n-h: none"),
    SERVICE.one_dash().tool("exim|exim4", "-Mrm|Mg: delete-data *"),
    SERVICE.tool("doveadm", "\
expunge|fts: delete-data *
mailbox delete: delete-data *
user|auth delete: delete *
stop: service/stop"),
    SERVICE.tool("certbot", "delete: delete --cert-name\nrevoke: revoke --cert-path|cert-name"),
    SERVICE.short("d:").tool("acme.sh", "-remove: delete --d|domain\n-revoke: revoke --d|domain\n-deactivate-account: revoke"),
    SERVICE.tool("step", "ca revoke: revoke *\nca provisioner remove: revoke *\nssh rekey: rotate *"),
    SERVICE.tool("easyrsa", "revoke*: revoke *"),
    SERVICE.one_dash().tool("keytool", "-delete: revoke --alias"),
    SERVICE.tool("kamal", "\
remove: delete-project
app|accessory|proxy|registry remove: delete *
app|accessory|proxy stop: stop *
rollback: rollback *
app maintenance: maintenance"),
    SERVICE.tool("talosctl", "reset|wipe: delete --n|nodes\nshutdown|reboot: stop --n|nodes"),
    SERVICE.tool("k0sctl|rke", "reset|remove: delete-project"),
    SERVICE.tool("prlctl", "delete|destroy: container/remove-machine *\nsnapshot-delete: container/remove-volume *").by(prlctl),
    SERVICE.tool("machinectl", "remove: container/remove-machine *\nterminate|poweroff: container/stop *"),
    SERVICE.tool("lxc-destroy", "-n|name: container/remove-machine --n|name\n*: container/remove-machine"),
    SERVICE.tool("jf|jfrog", "\
rt del|delete|rdel|repo-delete|gd|group-delete|udel|users-delete|ptdel: delete *
rt bdi|build-discard: delete *"),
    SERVICE.tool("celery", "purge: database/delete-queue\ncontrol shutdown: stop\namqp queue.delete|queue.purge: database/delete-queue *"),
    SERVICE.tool("airflow", "\
db reset: database/reset
db clean|downgrade: database/delete-data
dags|pools|connections|variables|users|roles delete|remove: delete *
tasks clear: delete-data *"),
    SERVICE.tool("superset", "db downgrade: database/reset"),
    SERVICE.tool("nodetool", "\
decommission|removenode|assassinate|drain|stopdaemon: stop *
clearsnapshot: database/delete-backup *
truncatehints|disablebinary|disablegossip|disableautocompaction: disable *"),
    SERVICE.short("s:t:").tool("pulsar-admin", "\
topics|namespaces|tenants|clusters|functions|sources|sinks|persistent delete|delete-*|terminate|skip-all|clear-backlog|unload: database/delete-topic *"),
    SERVICE.one_dash().tool("zkCli.sh", "deleteall|rmr|delete: database/delete-data *"),
    SERVICE.tool("temporal", "\
workflow terminate|delete|reset|cancel: stop --workflow-id|w
batch terminate: stop
schedule delete: delete *
namespace delete: delete-project *
operator namespace delete: delete-project *
operator cluster remove: delete *"),
    SERVICE.tool("twilio", "\
* * * remove: delete --sid
phone-numbers|profiles|profile remove: delete *"),
    SERVICE.tool("infisical", "\
secrets delete: revoke *
secrets set: change
secrets folders delete: delete *
secrets get: secret/secret *
secrets: secret/secret
export: secret/secret"),
    SERVICE.tool("credstash", "delete: revoke *\nget|getall: secret/secret *"),
];

/// Busybox has a server of this name, too, which is given a folder.
fn httpd(call: &mut Call<'_, '_>, tool: &Tool) {
    if call.options(&Spec::new("p:h:c:u:r:", "")).has(&["h"]) {
        super::network::serve(call);
    } else {
        by_lines(call, tool);
    }
}

/// `prlctl exec MACHINE command` runs the command in the machine.
fn prlctl(call: &mut Call<'_, '_>, tool: &Tool) {
    if let [exec, _, command @ ..] = call.arguments()
        && exec.is("exec")
    {
        call.stdout = call.run_elsewhere(command, None);
        return;
    }
    by_lines(call, tool);
}

/// `java -jar jenkins-cli.jar delete-job x`.
pub(super) fn archive(call: &mut Call<'_, '_>) {
    let arguments = call.arguments();
    let Some(at) = arguments.iter().position(|field| field.is("-jar")) else { return };
    let rest = arguments.get(at.saturating_add(1)..).unwrap_or_default();
    let Some((jar, rest)) = rest.split_first() else { return };
    let name = jar.suffix().rsplit('/').next().unwrap_or_default();
    if name == "jenkins-cli.jar" {
        JENKINS.judge_options(call, &parse(rest, &JENKINS.cli.spec));
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
    use crate::flow::Stream;
    use crate::run::testing::effects_with;
    use crate::tools::table::testing::check;

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
            nginx -s stop => service stop  certain
            nginx -s reload =>
            nginx -t =>
            caddy run =>
            httpd -k stop => service stop  certain
            httpd -k start =>
            httpd -h . -p 80 => send serve-files /shop certain
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
