//! `kubectl` and its other names.

use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::options::{Options, Spec, parse};
use crate::target::Target;
use crate::tools::containers::copy_between;
use crate::tools::table::{Cli, Tool, by_lines, is_harmless, judge_options, on, secret_read};
use crate::value::Field;

const GLOBALS: Spec = Spec::first(
    "n:s:v:",
    "as= as-group= as-uid= cache-dir= certificate-authority= client-certificate= \
     client-key= cluster= context= kubeconfig= log-flush-frequency= namespace= password= \
     profile= profile-output= request-timeout= server= tls-server-name= token= user= \
     username= loglevel= config= vmodule=",
);

/// Options after the subcommand.
const OPTIONS: Spec = Spec::new(
    "n:s:v:f:l:o:c:k:p:L:",
    "as= as-group= as-uid= cache-dir= certificate-authority= client-certificate= \
     client-key= cluster= context= kubeconfig= namespace= password= server= \
     tls-server-name= token= user= username= request-timeout= all all-namespaces \
     annotations= container= copy-to= current-replicas= env= expose field-manager= \
     field-selector= filename= force force-conflicts from-env-file= from-file= \
     from-literal= grace-period= group= image= image-pull-policy= kustomize= labels= \
     limits= max= min= output= overrides= patch= patch-file= pod-selector= port= \
     profile= raw=? replicas= requests= resource-version= restart= role= clusterrole= \
     selector= serviceaccount= sort-by= subresource= target= template= timeout= \
     to-revision= type= verb= resource= resource-name= retries= address= \
     skip-wait-for-delete-timeout= dry-run=? cascade=? wait=? now raw-output",
);

const KUBECTL: Cli = Cli {
    spec: OPTIONS,
    kind: Kind::Cluster,
    harmless: &["dry-run"],
    force: &["force", "now"],
    recursive: &["all", "A", "all-namespaces"],
    rules: "",
}.lines("\
drain: drain *
cordon: cordon *
uncordon: uncordon *
taint: taint *
scale -replicas=0: scale-to-zero *
scale: scale *
autoscale: scale *
rollout restart: rollout-restart *
rollout undo: rollout-undo *
rollout pause: rollout-pause *
rollout resume: rollout-resume *
rollout cancel|retry|latest: rollout-restart *
patch: patch *
edit: edit *
label|annotate: label *
set env|image|resources|selector|subject|serviceaccount|volume|volumes|data|probe|triggers !list: set *
create token: secret/secret 1
create clusterrolebinding|rolebinding: grant 1
expose|new-app|new-project|import-image: create *
adm policy: grant *
policy: grant *
adm drain: drain *
adm cordon: cordon *
certificate approve|deny: grant *
port-forward: port-forward 1
proxy: port-forward
attach: attach 1
rsh: attach 1
config view -raw|flatten: secret/secret
config use-context|use|set-context|set-cluster|set-credentials|set|unset|rename-context: context 1
config delete-context|delete-cluster|delete-user: context *
project|login|logout: context 1
whoami -t|show-token: secret/secret
serviceaccounts get-token|create-kubeconfig: secret/secret 1
extract: secret/secret 1
start-build|rollback|tag: set *");

/// `microk8s kubectl ...`, `k3s kubectl ...`, `minikube kubectl -- ...`.
pub(super) fn nested(call: &mut Call<'_, '_>, tool: &Tool) {
    let rest = call.arguments();
    let options = parse(rest, &Spec::first("p:", "profile= data-dir="));
    let after = rest.get(options.consumed + 1..).unwrap_or_default();
    match options.operand(0) {
        Some("kubectl") => {
            let after = match after.split_first() {
                Some((first, rest)) if first.is("--") => rest,
                _ => after,
            };
            command(call, after);
        }
        Some("ctr" | "crictl" | "helm") => {
            let argv: Vec<Field> = options.operands.iter().map(|field| (*field).clone()).collect();
            call.stdout = call.run(&argv);
        }
        _ => by_lines(call, tool),
    }
}

pub(super) fn kubectl(call: &mut Call<'_, '_>) {
    let rest = call.arguments();
    command(call, rest);
}

fn command(call: &mut Call<'_, '_>, arguments: &[Field]) {
    let globals = parse(arguments, &GLOBALS);
    let rest = arguments.get(globals.consumed..).unwrap_or_default();
    let after = rest.get(1..).unwrap_or_default();
    match rest.first().and_then(Field::exact).unwrap_or_default() {
        "exec" => exec(call, after),
        "rsh" if parse(after, &OPTIONS).operands.len() > 1 => exec(call, after),
        "delete" => delete(call, after),
        name @ ("apply" | "create" | "replace") if has_manifest(after) => {
            manifest(call, name, after);
        }
        name @ ("run" | "debug") => run(call, name, after),
        "cp" => {
            let options = parse(after, &OPTIONS);
            if let [from, to] = options.operands.as_slice()
                && !is_harmless(&options, &[])
            {
                copy_between(call, Kind::Cluster, from, to);
            }
        }
        "get" => get(call, after),
        name => {
            let resources;
            let mut options = parse(rest, &OPTIONS);
            if let Some((used, found)) = named_resources(&options) {
                resources = found;
                options.operands.truncate(used);
                options.operands.extend(&resources);
            }
            if !judge_options(call, &options, &KUBECTL)
                && let "create" | "apply" | "replace" = name
                && let Some(what) = options.operands.get(1)
            {
                on(call, Kind::Cluster, Act::Create, what, false).flags(false, false);
            }
        }
    }
}

/// The part before `--`, and the command after it.
fn split_dashes(rest: &[Field]) -> (&[Field], Option<&[Field]>) {
    match rest.iter().position(|field| field.is("--")) {
        Some(at) => (rest.get(..at).unwrap_or_default(), rest.get(at + 1..)),
        None => (rest, None),
    }
}

fn exec(call: &mut Call<'_, '_>, rest: &[Field]) {
    let (before, command) = split_dashes(rest);
    if let Some(command) = command {
        call.stdout = call.run_elsewhere(command, None);
        return;
    }
    // The old form: everything after the pod.
    let options = parse(before, &OPTIONS);
    if let Some(first) = options.operands.get(1)
        && let Some(at) = before.iter().position(|field| std::ptr::eq(field, *first))
    {
        call.stdout = call.run_elsewhere(before.get(at..).unwrap_or_default(), None);
    }
}

fn run(call: &mut Call<'_, '_>, name: &str, rest: &[Field]) {
    let (before, command) = split_dashes(rest);
    let options = parse(before, &OPTIONS);
    if is_harmless(&options, &["dry-run"]) {
        return;
    }
    let action = if name == "run" { Act::Run } else { Act::Debug };
    match options.operands.first() {
        Some(what) => {
            on(call, Kind::Cluster, action, what, false).flags(false, options.has(&["privileged"]));
        }
        None => return,
    }
    // The whole pod may be written in one option.
    let grants = |text: &str| {
        let plain: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        ["\"privileged\":true", "\"hostPID\":true", "\"hostNetwork\":true", "\"hostPath\""]
            .iter()
            .any(|right| plain.contains(right))
    };
    if options.value(&["overrides"]).is_some_and(|field| grants(&field.shown())) {
        call.effect(Kind::Container, Act::Privileged, Target::None);
    }
    let of_node = options.operands.first().is_some_and(|what| what.prefix().starts_with("node/"));
    if let Some(command) = command {
        if name == "debug" && of_node {
            // There the whole node lies.
            call.machine.mounts.push(("/host".to_owned(), "/".to_owned()));
        }
        call.stdout = call.run_elsewhere(command, None);
    }
}

fn has_manifest(rest: &[Field]) -> bool {
    let (before, _) = split_dashes(rest);
    let options = parse(before, &OPTIONS);
    options.has(&["f", "filename", "k", "kustomize"])
}

/// `apply -f file`: from a file, from the network or from standard input.
fn manifest(call: &mut Call<'_, '_>, name: &str, rest: &[Field]) {
    let options = parse(rest, &OPTIONS);
    let action = match name {
        "apply" if matches!(options.operand(0), Some("view-last-applied")) => return,
        "apply" => Act::Apply,
        "create" => Act::Create,
        _ => Act::Replace,
    };
    if is_harmless(&options, &["dry-run"]) {
        return;
    }
    let force = options.has(&["force"]);
    for file in options.values(&["f", "filename", "k", "kustomize"]) {
        from_manifest(call, action, file, force, options.has(&["prune"]));
    }
}

fn from_manifest(call: &mut Call<'_, '_>, action: Act, file: &Field, force: bool, recursive: bool) {
    let content = if file.is("-") {
        Some(call.stdin.clone())
    } else if file.prefix().contains("://") {
        Some(call.receive(Act::Manifest, file))
    } else {
        None
    };
    let effect = match content {
        Some(Stream { flow, .. }) => {
            let effect = call.effect_at(Kind::Cluster, action, Call::named(file), file.span);
            effect.sources = flow;
            effect
        }
        None => call.on_path(Kind::Cluster, action, file),
    };
    effect.force = force;
    effect.recursive = recursive;
}

/// `delete TYPE NAME...`, `delete TYPE/NAME...`, `delete -f file`, `delete TYPE --all`.
fn delete(call: &mut Call<'_, '_>, rest: &[Field]) {
    let options = parse(rest, &OPTIONS);
    if is_harmless(&options, &["dry-run"]) {
        return;
    }
    let force = options.has(&["force", "now"])
        || options.value(&["grace-period"]).is_some_and(|value| value.is("0"));
    let wide = options.has(&["all", "A", "all-namespaces", "l", "selector", "field-selector"]);
    for file in options.values(&["f", "filename", "k", "kustomize"]) {
        from_manifest(call, Act::Delete, file, force, false);
    }
    if let Some(path) = options.value(&["raw"]) {
        on(call, Kind::Cluster, Act::Delete, path, false).flags(false, force);
    }
    let Some((first, names)) = options.operands.split_first() else {
        if !options.has(&["f", "filename", "k", "kustomize", "raw"]) {
            call.effect(Kind::Cluster, Act::Delete, Target::None).force = force;
        }
        return;
    };
    if first.prefix().contains('/') {
        for field in &options.operands {
            let kind = field.prefix().split('/').next().unwrap_or_default();
            on(call, Kind::Cluster, delete_action(kind), field, false).flags(wide, force);
        }
        return;
    }
    let action = delete_action(first.prefix());
    if names.is_empty() {
        on(call, Kind::Cluster, action, first, false).flags(wide, force);
    }
    for name in names {
        let target = resource(first, name);
        on(call, Kind::Cluster, action, &target, false).flags(wide, force);
    }
}

/// `TYPE/NAME`.
fn resource(kind: &Field, name: &Field) -> Field {
    let mut target = kind.clone();
    target.push_text("/", None);
    name.parts.iter().cloned().for_each(|part| target.push(part));
    target.span = name.span;
    target
}

/// The resources of `scale TYPE NAME...` and similar, and the number of words before them.
fn named_resources(options: &Options<'_>) -> Option<(usize, Vec<Field>)> {
    let used = match options.operand(0)? {
        "scale" | "autoscale" | "patch" | "edit" | "label" | "annotate" | "taint" => 1,
        "rollout" | "set" => 2,
        _ => return None,
    };
    let taint = options.operand(0) == Some("taint");
    // `a=b`, `a:NoSchedule` and `a-` are what they are to get or to lose.
    let mut words = options
        .operands
        .get(used..)?
        .iter()
        .filter(|field| !field.prefix().contains('=') && !field.suffix().ends_with('-'))
        .filter(|field| !(taint && field.prefix().contains(':')));
    let first = *words.next()?;
    let mut found: Vec<Field> = if first.prefix().contains('/') {
        words.map(|field| (*field).clone()).collect()
    } else {
        words.map(|name| resource(first, name)).collect()
    };
    if found.is_empty() || first.prefix().contains('/') {
        found.insert(0, first.clone());
    }
    Some((used, found))
}

fn delete_action(what: &str) -> Act {
    let one = |what: &str| match what.split('.').next().unwrap_or_default() {
        "ns" | "namespace" | "namespaces" | "project" | "projects" => Act::DeleteNamespace,
        "no" | "node" | "nodes" => Act::DeleteNode,
        "pv"
        | "pvc"
        | "persistentvolume"
        | "persistentvolumes"
        | "persistentvolumeclaim"
        | "persistentvolumeclaims" => Act::DeleteVolume,
        "crd" | "crds" | "customresourcedefinition" | "customresourcedefinitions" => {
            Act::DeleteDefinition
        }
        _ => Act::Delete,
    };
    what.split(',').map(one).find(|action| *action != Act::Delete).unwrap_or(Act::Delete)
}

/// Reports only reads of secrets.
fn get(call: &mut Call<'_, '_>, rest: &[Field]) {
    let options = parse(rest, &OPTIONS);
    let is_secret = |text: &str| {
        let kind = text.split('/').next().unwrap_or_default();
        kind.split(',').any(|one| matches!(one, "secret" | "secrets"))
    };
    let secret = options.operands.iter().any(|field| is_secret(field.prefix()));
    if secret && shows_content(&options) {
        secret_read(
            call,
            Act::Secret,
            options.operands.get(1).or(options.operands.first()).copied(),
        );
    } else if options.value(&["raw"]).is_some_and(|path| path.prefix().contains("/secrets")) {
        secret_read(call, Act::Secret, options.value(&["raw"]));
    } else {
        call.stdout = Stream::default();
    }
}

fn shows_content(options: &Options<'_>) -> bool {
    options.value(&["o", "output"]).is_some_and(|format| {
        let format = format.prefix();
        // `-o=yaml` leaves the sign of a short option's value in place.
        !matches!(format.trim_start_matches('='), "name" | "wide")
    }) || options.has(&["template"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::{effects, effects_with};
    use crate::tools::table::testing::check;

    #[test]
    fn resources_are_deleted() {
        check(
            "
            kubectl delete pod web => cluster delete pod/web certain
            kubectl -n prod delete pod/web svc/db --force --grace-period=0 => cluster delete pod/web certain -f; cluster delete svc/db certain -f
            kubectl --context prod delete ns staging => cluster delete-namespace ns/staging certain
            k delete pods --all -A => cluster delete pods certain -r
            kubectl delete pvc data --grace-period 0 => cluster delete-volume pvc/data certain -f
            kubectl delete -f app.yaml => cluster delete /shop/app.yaml certain
            kubectl delete node n1 => cluster delete-node node/n1 certain
            kubectl delete crd x.example => cluster delete-definition crd/x.example certain
            kubectl delete pods -l app=web => cluster delete pods certain -r
            microk8s kubectl delete pod web => cluster delete pod/web certain
            minikube kubectl -- delete pod web => cluster delete pod/web certain
            kubectl delete ns x --dry-run=client =>
            kubectl delete ns x --dry-run=none => cluster delete-namespace ns/x certain
            kubectl delete --help =>
            kubectl help delete =>
            ",
        );
    }

    #[test]
    fn what_only_looks_has_no_effect() {
        check(
            "
            kubectl get pods -A =>
            kubectl get secrets =>
            kubectl get secrets -o name =>
            kubectl describe secret x =>
            kubectl logs -f delete =>
            kubectl top nodes =>
            kubectl diff -f x.yaml =>
            kubectl explain pods =>
            kubectl rollout status deploy/x =>
            kubectl rollout history deploy/x =>
            kubectl auth can-i delete pods =>
            kubectl config view =>
            kubectl config get-contexts =>
            kubectl set env deploy/x --list =>
            kubectl apply -f x.yaml --dry-run=server =>
            oc status =>
            ",
        );
    }

    #[test]
    fn resources_change() {
        check(
            "
            kubectl apply -f https://example.com/a.yaml => receive manifest https://example.com/a.yaml certain; cluster apply https://example.com/a.yaml certain <[Network(\"https://example.com/a.yaml\")]
            kubectl apply -f a.yaml --force => cluster apply /shop/a.yaml certain -f
            kubectl replace --force -f a.yaml => cluster replace /shop/a.yaml certain -f
            kubectl apply -k overlays/prod => cluster apply /shop/overlays/prod certain
            kubectl create namespace x => cluster create namespace certain
            kubectl create clusterrolebinding x --clusterrole=cluster-admin --user=me => cluster grant x certain
            kubectl drain n1 --ignore-daemonsets --force => cluster drain n1 certain -f
            kubectl cordon n1 => cluster cordon n1 certain
            kubectl scale deploy/web --replicas=0 => cluster scale-to-zero deploy/web certain
            kubectl scale --replicas 3 deploy/web => cluster scale deploy/web certain
            kubectl scale --replicas 0 deploy web db => cluster scale-to-zero deploy/web certain; cluster scale-to-zero deploy/db certain
            kubectl label node n1 a=b c- => cluster label node/n1 certain
            kubectl rollout undo deploy/web => cluster rollout-undo deploy/web certain
            kubectl config use-context prod => cluster context prod certain
            kubectl port-forward svc/db 5432 => cluster port-forward svc/db certain
            oc adm policy add-role-to-user admin me => cluster grant add-role-to-user certain; cluster grant admin certain; cluster grant me certain
            kubectl debug node/n1 -it --image=busybox => cluster debug node/n1 certain
            ",
        );
    }

    #[test]
    fn what_runs_in_a_pod_is_judged() {
        check(
            "
            kubectl exec -it web -c main -- docker rm x => container remove-container x certain
            kubectl -n a exec web docker rm x => container remove-container x certain
            kubectl run t --rm -it --image=busybox -- docker rm x => cluster run t certain; container remove-container x certain
            kubectl exec web -- env A=b ls =>
            ",
        );
    }

    #[test]
    fn secrets_and_files_flow() {
        check(
            "
            kubectl get secret db -o yaml => read secret db certain
            kubectl get secret/db -o jsonpath={.data} => read secret secret/db certain
            kubectl config view --raw => read secret  certain
            kubectl create token deployer => read secret deployer certain
            kubectl cp web:/etc/x ./x => write copy-out /shop/x certain -r
            ",
        );
        assert_eq!(
            effects(&["kubectl", "cp", "/etc/passwd", "ns/web:/tmp/x"]).last().map(String::as_str),
            Some("cluster copy-in ns/web:/tmp/x certain <[File(\"/etc/passwd\")]")
        );
        let stdin = Stream::from(crate::Source::Network("h".into()));
        assert_eq!(
            effects_with(&["kubectl", "apply", "-f", "-"], stdin),
            ["cluster apply - certain <[Network(\"h\")]"]
        );
    }
}
