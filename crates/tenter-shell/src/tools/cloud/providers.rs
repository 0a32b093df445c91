//! Providers whose commands are groups, a verb and names.

use super::aws::pairs;
use super::objects;
use super::verbs::{Verb, verb};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::options::{Options, Spec};
use crate::target::Target;
use crate::tools::table::{Cli, is_harmless, judge_options, on};
use crate::value::Field;
use crate::world::Language;

const GCLOUD: Cli = Cli {
    spec: Spec::new(
        "q",
        "project= account= configuration= format= filter= verbosity= zone= region= \
         billing-project= impersonate-service-account= flags-file= flatten= trace-token= \
         access-token-file= location= member= role= cluster= secret= command= keyring= \
         key= instance= service= version= image= source= machine-type= network= limit= \
         sort-by= page-size= entry-point= runtime= tag= config= allow= source-ranges= \
         rules= iam-account= dataset= topic= database= user= password= quiet recursive \
         async all",
    ),
    kind: Kind::Cloud,
    harmless: &["dry-run", "validate-only", "h"],
    force: &["q", "quiet"],
    recursive: &[],
    rules: "",
}
.lines(
    "\
auth print-access-token|print-identity-token|print-refresh-token: secret/secret 1
auth application-default print-access-token: secret/secret
config config-helper: secret/secret
sql generate-login-token: secret/secret
secrets versions access: secret/secret --secret 1
auth login|revoke|activate-service-account|configure-docker: configure *
auth application-default login|revoke|set-quota-project: configure
config set|unset: configure 1
config configurations *: configure 1
components install|update|remove|restore: install/component *
container clusters get-credentials: configure 1
iam service-accounts keys create: create-credential --iam-account
projects delete: delete-project *
compute firewall-rules create: expose 1
builds submit: deploy
app deploy: deploy *
app versions migrate: deploy *",
);

pub(super) fn gcloud(call: &mut Call<'_, '_>) {
    let options = call.options(&GCLOUD.spec);
    let track = matches!(options.operand(0), Some("alpha" | "beta"));
    let options = if track {
        // The track is a word before the group.
        Options { operands: options.operands.get(1..).unwrap_or_default().to_vec(), ..options }
    } else {
        options
    };
    if is_harmless(&options, GCLOUD.harmless) || options.operand(0) == Some("help") {
        return;
    }
    if options.operand(0) == Some("storage") && objects::gcloud_storage(call, &options) {
        return;
    }
    if options.operand(1) == Some("ssh") {
        if let Some(code) = options.value(&["command"]) {
            call.stdout =
                call.run_code_elsewhere(Language::Shell(crate::syntax::Dialect::Posix), code);
        }
        if let Some(at) = call.arguments().iter().position(|field| field.is("--")) {
            let command = call.arguments().get(at.saturating_add(1)..).unwrap_or_default();
            call.stdout = call.run_elsewhere(command, None);
        }
        return;
    }
    if options.operand(1) == Some("scp") {
        if let [.., from, to] = options.operands.as_slice() {
            copy(call, from, to);
        }
        return;
    }
    if !judge_options(call, &options, &GCLOUD) {
        by_verb(call, &options, GCLOUD.force, &[]);
    }
}

/// `scp` to and from a machine.
fn copy(call: &mut Call<'_, '_>, from: &Field, to: &Field) {
    let is_remote = |field: &Field| field.shown().contains(':');
    let how = objects::Transfer::default();
    if is_remote(from) != is_remote(to) {
        objects::transfer(call, from, to, how, |field| field.shown().contains(':'));
    }
}

/// Finds the verb after the groups and applies it to the names after it.
fn by_verb(call: &mut Call<'_, '_>, options: &Options<'_>, force: &[&str], names: &[&str]) {
    for (index, field) in options.operands.iter().enumerate().skip(1).take(5) {
        let Some(word) = field.exact() else { return };
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if !word.bytes().all(is_word) {
            return;
        }
        let action = match read_verb(word, call.name) {
            Verb::Other => continue,
            Verb::Look => return,
            Verb::Does(action) => action,
        };
        let force = options.has(force);
        let left = options.operands.get(index + 1..).unwrap_or_default();
        let given: Vec<&Field> = if names.is_empty() {
            left.to_vec()
        } else {
            let named = names.iter().find_map(|name| options.value(&[*name]));
            named.or(left.first().copied()).into_iter().collect()
        };
        if given.is_empty() {
            let group = options.operand(index.saturating_sub(1)).unwrap_or_default();
            call.effect(Kind::Cloud, action, Target::name(group)).force = force;
        }
        for field in given {
            on(call, Kind::Cloud, action, field, false).flags(false, force);
        }
        return;
    }
}

fn read_verb(word: &str, program: &str) -> Verb {
    match word.rsplit_once('-') {
        // `ibmcloud resource service-instance-delete`, `openstack server-group-delete`.
        Some((_, last)) if program == "ibmcloud" => verb(last),
        _ => verb(word),
    }
}

const AZ: Cli = Cli {
    spec: Spec::new("", ""),
    kind: Kind::Cloud,
    harmless: &["dryrun", "dry-run", "what-if", "h"],
    force: &["y", "yes", "force"],
    recursive: &[],
    rules: "",
}.lines("\
account get-access-token: secret/secret --resource
keyvault secret show|download|backup: secret/secret --name|n|id
keyvault key|certificate download|backup: secret/secret --name|n|id
storage account keys list: secret/secret --account-name|n|name
storage account show-connection-string|generate-sas: secret/secret --name|n|account-name
storage blob|container|share generate-sas: secret/secret --name|n
acr credential show: secret/secret --name|n
cosmosdb keys list: secret/secret --name|n
redis list-keys: secret/secret --name|n
webapp deployment list-publishing-*: secret/secret --name|n
ad sp|app create-for-rbac|credential: create-credential --name|n|id
account set|clear: configure --subscription|s|name|n
login|logout: configure
configure -defaults|d|scope: configure
config set|unset: configure 1
aks|acr get-credentials|login: configure --name|n
group delete: delete-project --name|n|g|resource-group
deployment group create -mode=Complete: destroy --resource-group|g
deployment group|sub|mg|tenant create: deploy --name|n
deployment group|sub|mg|tenant what-if|validate: none
webapp up|deploy: deploy --name|n
webapp|functionapp deployment source: deploy --name|n
functionapp deploy: deploy --name|n
role assignment create: grant --assignee|assignee-object-id
role assignment delete: revoke --assignee|ids
network nsg rule create|update: expose --nsg-name|name|n
keyvault set-policy: grant --name|n
rest -method|m=delete: delete --uri|url|u
rest -method|m=DELETE: delete --uri|url|u
rest -method|m: change --uri|url|u
rest: none
extension add|remove|update: install/component --name|n
storage blob|container|file|directory|share delete|delete-batch: delete-objects --name|n|source|s|container-name|c|share-name");

const AZ_ALONE: &[&str] = &[
    "y",
    "yes",
    "no-wait",
    "debug",
    "verbose",
    "force",
    "only-show-errors",
    "dryrun",
    "what-if",
    "help",
    "h",
    "overwrite",
    "recursive",
];

pub(super) fn az(call: &mut Call<'_, '_>) {
    let options = pairs(call.arguments(), AZ_ALONE);
    if is_harmless(&options, AZ.harmless) {
        return;
    }
    match (options.operand(0), options.operand(1), options.operand(2)) {
        (Some("storage"), Some("blob" | "file"), Some("upload" | "upload-batch")) => {
            let content = options
                .value(&["file", "f", "source"])
                .or(options.value(&["s"]))
                .map(|file| call.read(Act::Upload, file));
            let flow = content.unwrap_or_default().flow;
            let place = options
                .value(&["container-name", "c", "destination", "d", "share-name"])
                .cloned()
                .unwrap_or_default();
            call.send(Act::Upload, &place, flow);
        }
        (Some("storage"), Some("blob" | "file"), Some("download" | "download-batch")) => {
            let place =
                options.value(&["container-name", "c", "source", "s", "share-name"]).cloned();
            let content = call.receive(Act::Download, &place.unwrap_or_default());
            if let Some(file) = options.value(&["file", "f", "dest", "destination", "d"]) {
                call.write(Kind::Overwrite, Act::Download, file, content);
            }
        }
        (Some("vm"), Some("run-command"), Some("invoke" | "create")) => {
            for code in options.values(&["scripts", "script"]) {
                call.run_code_elsewhere(Language::Shell(crate::syntax::Dialect::Posix), code);
            }
        }
        _ => {
            if !judge_options(call, &options, &AZ) {
                let names = ["name", "n", "ids", "id", "resource-group", "g"];
                by_verb(call, &options, AZ.force, &names);
            }
        }
    }
}

const OTHER: Spec = Spec::new(
    "t:o:c:u:g:r:p:q:",
    "access-token= context= output= format= region= profile= config= config-file= \
     project= zone= namespace= compartment-id= query= auth= token= api-key= json \
     no-headers text force yes",
);

pub(super) fn other(call: &mut Call<'_, '_>) {
    let options = call.options(&OTHER);
    let harmless = ["dry-run", "h", "dryrun", "generate-full-command-json-input"];
    if is_harmless(&options, &harmless) || options.operand(0) == Some("help") {
        return;
    }
    if (call.name == "stripe" && stripe(call, &options)) || objects::put(call) {
        return;
    }
    let by_option = matches!(call.name, "oci" | "aliyun");
    if by_option {
        // Their names are values of options such as `--instance-id`.
        let options = pairs(call.arguments(), &["force", "yes", "f", "all"]);
        let name = options.found.iter().find(|found| {
            let name = found.name.to_ascii_lowercase();
            name.ends_with("id") && !name.contains("compartment") && !name.contains("region")
        });
        let names: Vec<&str> = name.iter().map(|found| found.name).collect();
        by_verb(
            call,
            &options,
            &["force", "yes"],
            if names.is_empty() { &["name"] } else { &names },
        );
        return;
    }
    by_verb(call, &options, &["f", "force", "y", "yes", "assume-yes"], &[]);
}

/// Requests by hand, and money: without `--live` it is only play money.
fn stripe(call: &mut Call<'_, '_>, options: &Options<'_>) -> bool {
    let first = options.operand(0).unwrap_or_default();
    let action = match (first, options.operand(1)) {
        ("delete", _) => Act::Delete,
        ("post", _) | (_, Some("create" | "confirm" | "capture" | "cancel" | "pay" | "update")) => {
            Act::Pay
        }
        _ => return false,
    };
    if action == Act::Pay && !options.has(&["live"]) {
        return false;
    }
    let target = options.operands.get(1).map_or(Target::None, |field| Call::named(field));
    call.effect(Kind::Cloud, action, target);
    true
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn resources_go_and_change() {
        check(
            "
            gcloud compute instances delete vm1 vm2 --zone z -q => cloud delete vm1 certain -f; cloud delete vm2 certain -f
            gcloud --project p beta run services delete web => cloud delete web certain
            gcloud beta compute instances delete web => cloud delete web certain
            gcloud projects delete p => cloud delete-project p certain
            gcloud projects add-iam-policy-binding p --member=allUsers --role=r => cloud grant p certain
            gcloud app deploy => cloud deploy  certain
            gcloud run deploy web --image x => cloud deploy web certain
            gcloud config set project p => cloud configure project certain
            az group delete --name g --yes => cloud delete-project g certain -f
            az vm delete -g rg -n vm -y => cloud delete vm certain -f
            az storage blob delete --name b => cloud delete-objects b certain
            az keyvault purge --name v => cloud delete v certain
            az role assignment create --assignee me --role Owner => cloud grant me certain
            az rest --method delete --url /x => cloud delete /x certain
            doctl compute droplet delete 123 -f => cloud delete 123 certain -f
            hcloud server delete web => cloud delete web certain
            linode-cli linodes delete 1 => cloud delete 1 certain
            oci compute instance terminate --instance-id i --force => cloud delete i certain -f
            aliyun ecs DeleteInstance --InstanceId i => cloud delete i certain
            ibmcloud resource service-instance-delete x -f => cloud delete x certain -f
            scw instance server terminate x => cloud delete x certain
            ",
        );
    }

    #[test]
    fn what_only_looks_has_no_effect() {
        check(
            "
            gcloud compute instances list --filter delete =>
            gcloud sql instances describe db =>
            gcloud help projects delete =>
            gcloud projects delete --help =>
            gcloud deploy releases list =>
            gcloud --version =>
            az group show --name g =>
            az vm list -o table =>
            az tag list =>
            az group delete -h =>
            az deployment group what-if -g x =>
            doctl compute droplet list =>
            oci os object list --prefix delete =>
            gcloud auth list =>
            ",
        );
    }

    #[test]
    fn secrets_and_files() {
        check(
            "
            gcloud auth print-access-token => read secret  certain
            gcloud secrets versions access latest --secret=db => read secret db certain
            az keyvault secret show --name x --vault-name v => read secret x certain
            az account get-access-token => read secret  certain
            az storage blob upload --file f -c box -n x => read upload /shop/f certain; send upload box certain <[File(\"/shop/f\")]
            gcloud compute scp f vm:/tmp => read upload /shop/f certain; send upload vm:/tmp certain <[File(\"/shop/f\")]
            ",
        );
    }
}
