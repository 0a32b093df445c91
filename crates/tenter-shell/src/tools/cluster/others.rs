//! Package managers, controllers and stores around a cluster, and clusters themselves.

use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::{Flow, Source};
use crate::options::{Spec, parse};
use crate::target::Target;
use crate::tools::table::{Cli, Tool, is_harmless, judge, on};

const HELM: Cli = Cli {
    spec: Spec::new(
        "n:f:",
        "namespace= kube-context= kubeconfig= kube-apiserver= kube-token= kube-as-user= \
         registry-config= repository-cache= repository-config= values= set= set-string= \
         set-file= set-json= version= repo= timeout= description= history-max= username= \
         password= ca-file= cert-file= key-file= keyring= post-renderer= cascade= force \
         kube-ca-file= output= dry-run=?",
    ),
    kind: Kind::Cluster,
    harmless: &["dry-run", "h"],
    force: &["force", "force-replace", "no-hooks"],
    recursive: &[],
    rules: "",
}
.lines(
    "\
uninstall|delete|del|un: uninstall *
rollback: rollback 1
upgrade: upgrade 1
install: install 1
push: publish/push-chart 1
plugin install: install/plugin 1
plugin uninstall|remove: install/plugin 1
repo add: context 1
repo remove|rm: context 1
registry login: send/login 1",
);

pub(super) fn helm(call: &mut Call<'_, '_>) {
    let rest = call.arguments();
    judge(call, rest, &HELM);
    let options = parse(rest, &HELM.spec);
    let fresh = matches!(options.operand(0), Some("install" | "upgrade"));
    if !fresh || is_harmless(&options, HELM.harmless) {
        return;
    }
    let chart = options.operands.iter().skip(1).find(|chart| {
        ["https://", "http://"].iter().any(|start| chart.prefix().starts_with(start))
    });
    if let Some(chart) = chart {
        let target = Target::Host(chart.shown());
        call.effect_at(Kind::Install, Act::InstallUrl, target, chart.span).sources =
            Flow::of(Source::Network(chart.prefix().into()));
    }
}

const OTHER: Cli = Cli {
    spec: Spec::new(
        "n:f:e:l:p:c:r:s:",
        "namespace= context= kubeconfig= kube-context= server= auth-token= file= \
         environment= selector= name= region= cluster= config-file= profile= state= \
         revision= output= state-values-set= filename= address= token= job= nodegroup= \
         config= cri-socket= set= image= from-backup=",
    ),
    kind: Kind::Cluster,
    harmless: &["dry-run", "dryrun", "h"],
    force: &["f", "force", "y", "yes", "auto-approve", "s", "silent", "confirm", "approve"],
    recursive: &["all", "a", "cascade", "purge"],
    rules: "",
};

/// Effects of each tool on its cluster.
pub(in crate::tools) const TOOLS: &[Tool] = &[
    OTHER.tool(
        "helmfile",
        "\
destroy|delete: uninstall --l|selector
apply|sync: upgrade --l|selector
deps|repos: context",
    ),
    OTHER.tool(
        "argocd",
        "\
app|proj|cluster|repo|appset|repocreds delete|rm|remove: delete *
app sync: sync *
app rollback: rollback *
app create|set|patch|unset|edit|terminate-op|delete-resource|patch-resource: set *
account generate-token: secret/secret
account update-password: grant
admin initial-password: secret/secret
login: context 1",
    ),
    OTHER.tool(
        "flux",
        "\
uninstall: uninstall +r
suspend: suspend *
resume: resume *
delete: delete *
bootstrap|install: install
create: create *
reconcile: sync *",
    ),
    OTHER.tool(
        "istioctl",
        "\
uninstall: uninstall +r
x|experimental uninstall: uninstall +r
install|upgrade: install
operator remove: uninstall",
    ),
    OTHER.tool(
        "velero",
        "\
delete: delete *
backup|restore|schedule|backup-location delete: delete *
restore create: restore *
backup|schedule create: backup *
uninstall: uninstall +r
install: install",
    ),
    OTHER.tool(
        "kind|k3d",
        "\
delete cluster|clusters: delete-cluster * --name
cluster|node delete|rm: delete-cluster *
cluster stop: suspend *
create cluster: create * --name
cluster create: create *
get kubeconfig: secret/secret",
    ),
    OTHER
        .tool(
            "minikube|microk8s|k3s|k0s|rke2",
            "\
delete: delete-cluster --p|profile
reset: delete-cluster
stop: suspend
start: create
kubectl delete: delete *",
        )
        .by(super::kubectl::nested),
    OTHER.tool(
        "eksctl|kops",
        "\
delete cluster: delete-cluster --name|f|config-file *
delete *: delete --name|f|config-file *
create *: create --name|f|config-file *
drain *: drain --name *
scale *: scale --name *
upgrade|update *: upgrade --name *
rolling-update cluster: rollout-restart
export kubeconfig: context",
    ),
    OTHER.tool(
        "kubeadm",
        "\
reset: delete-cluster
init|join: create
upgrade apply: upgrade *
token create: secret/secret",
    ),
    OTHER.one_dash().tool(
        "nomad",
        "\
stop: delete *
job stop|eval|deployments: delete *
job run|dispatch|promote|revert|scale|restart: apply *
run: apply path1
namespace|quota|volume|var|node-pool delete|purge|deregister|detach: delete *
node drain: drain *
system gc: delete
alloc stop: delete *
operator snapshot restore: restore path1",
    ),
    OTHER.tool(
        "skaffold",
        "\
delete: delete
run|dev|deploy|apply: apply",
    ),
];

/// A script that takes a whole cluster off this machine.
pub(super) fn uninstaller(call: &mut Call<'_, '_>) {
    call.effect(Kind::Cluster, Act::DeleteCluster, Target::None).recursive = true;
}

/// `kubectx name` and `kubens name` switch; alone they list.
pub(super) fn context(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("d:", ""));
    let gone = options.value(&["d"]);
    if let Some(name) = gone.or(options.operands.first().copied()) {
        on(call, Kind::Cluster, Act::Context, name, false).flags(false, false);
    }
}

const STORE: Cli = Cli {
    spec: Spec::new(
        "n:m:",
        "address= namespace= mount= field= format= versions= path= token= http-addr= \
         ca-file= datacenter= endpoints= cacert= cert= key= user= command-timeout= \
         dial-timeout= policy= ttl= version=",
    ),
    kind: Kind::Cluster,
    harmless: &["h", "output-curl-string", "output-policy"],
    force: &["force", "f"],
    recursive: &["recurse", "prefix", "from-key"],
    rules: "",
};

/// Stores of settings and secrets.
pub(in crate::tools) const STORES: &[Tool] = &[
    STORE.one_dash().tool(
        "vault|bao",
        "\
delete: key-delete *
kv delete|destroy: key-delete *
kv metadata delete: key-delete * +r
kv get: secret/secret *
kv put|patch|undelete|rollback: key-write 1
read: secret/secret *
write: key-write 1
secrets disable: key-delete * +r
auth disable: key-delete * +r
audit disable: key-delete *
policy delete: key-delete *
policy write: grant 1
token create: secret/secret
token revoke: key-delete *
lease revoke: key-delete *
operator seal|step-down: suspend
namespace delete: key-delete * +r
operator init|generate-root|rekey|rotate: secret/secret
operator raft snapshot restore: restore path1
unwrap: secret/secret *
login: context",
    ),
    STORE.one_dash().tool(
        "consul",
        "\
kv delete: key-delete *
kv put|import: key-write 1
snapshot restore: restore path1
leave: suspend
force-leave: suspend *
acl token|policy|role delete: key-delete
config delete: key-delete
services deregister: key-delete *
maint: suspend",
    ),
    STORE.tool(
        "etcdctl",
        "\
del: key-delete *
rm|rmdir: key-delete *
put|set: key-write 1
member remove: delete-node *
snapshot restore: restore path1
auth disable: grant
user|role delete|revoke-role|revoke-permission: key-delete *
user|role grant-role|grant-permission|add: grant *
get: secret/secret 1
lease revoke: key-delete *
defrag|compact|compaction: set",
    ),
];

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn releases_and_clusters_change() {
        check(
            "
            helm uninstall web -n prod => cluster uninstall web certain
            helm -n prod delete a b => cluster uninstall a certain; cluster uninstall b certain
            helm rollback web 1 => cluster rollback web certain
            helm upgrade --install web ./chart --set a=b --force => cluster upgrade web certain -f
            helm upgrade web c --dry-run =>
            helm list =>
            helm template web . =>
            helm uninstall web --dry-run =>
            helmfile -e prod destroy => cluster uninstall  certain
            argocd app delete web --cascade -y => cluster delete web certain -r -f
            argocd app get web =>
            flux uninstall -s => cluster uninstall  certain -r -f
            velero backup delete b --confirm => cluster delete b certain -f
            kind delete cluster --name dev => cluster delete-cluster dev certain
            kind get clusters =>
            k3d cluster delete dev => cluster delete-cluster dev certain
            minikube delete --all => cluster delete-cluster  certain -r
            minikube status =>
            eksctl delete cluster --name prod => cluster delete-cluster prod certain
            kubeadm reset -f => cluster delete-cluster  certain -f
            nomad job stop -purge web => cluster delete web certain -r
            kubectx prod => cluster context prod certain
            kubectx =>
            ",
        );
    }

    #[test]
    fn stores_lose_and_show() {
        check(
            "
            vault kv get -field=password secret/db => read secret secret/db certain
            vault read -format json aws/creds/x => read secret aws/creds/x certain
            vault kv delete secret/db => cluster key-delete secret/db certain
            vault kv list secret =>
            vault status =>
            vault secrets disable aws => cluster key-delete aws certain -r
            consul kv delete -recurse app => cluster key-delete app certain -r
            consul kv get app =>
            etcdctl del --prefix / => cluster key-delete / certain -r
            etcdctl --endpoints h:1 member list =>
            ",
        );
    }
}
