//! Infrastructure as code: declared resources are built, changed or destroyed.
//!
//! Actions of the kind `cloud`:
//! - `destroy`: destroys all managed resources, or those named
//! - `apply`: what is declared is built or changed, `deploy`: the same for an application
//! - `import`, `taint`, `untaint`, `refresh-state`: what the tool believes changes
//! - `state-remove`, `state-move`, `state-push`, `state-replace-provider`, `state-migrate`
//! - `workspace-delete`, `workspace-select`, `force-unlock`, `rollback`, `configure`, `build-image`
//! - `playbook`, `module`: a run on other machines
//!
//! Others: `container/remove-machine`, `container/stop`, `container/start`, `container/restore`,
//! `system/converge`, `read/secret`, `execute/network-code`.

mod machines;

use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::Source;
use crate::options::{FoundOption, Options, Spec, parse};
use crate::target::Target;
use crate::tools::table::{Cli, Tool, is_harmless, judge_options};
use crate::value::Field;

pub(super) const PROGRAMS: Programs = &[
    ("terraform", terraform),
    ("tf", terraform),
    ("tofu", terraform),
    ("terragrunt", terraform),
    ("ansible", machines::ansible),
    ("ansible-playbook", machines::playbook),
    ("ansible-pull", machines::pull),
    ("ansible-vault", machines::vault),
    ("vagrant", machines::vagrant),
    ("salt", machines::salt),
    ("salt-call", machines::salt),
    ("puppet", machines::converge),
    ("chef-client", machines::converge),
    ("chef-solo", machines::converge),
    ("knife", machines::converge),
];

const TERRAFORM: Cli = Cli {
    spec: Spec::one_dash(
        "chdir= var= var-file= target= exclude= out= state= state-out= backup= \
         parallelism= lock-timeout= replace= backend-config= plugin-dir= from-module= \
         generate-config-out= lock=? refresh=? input=? terragrunt-working-dir= \
         working-dir= terragrunt-config= terragrunt-log-level= log-level= \
         terragrunt-include-dir= terragrunt-exclude-dir= queue-include-dir= \
         queue-exclude-dir= config= terragrunt-source= source= terragrunt-parallelism= \
         provider= state-dir=",
    ),
    kind: Kind::Cloud,
    harmless: &["dry-run", "h"],
    force: &["auto-approve", "force", "terragrunt-non-interactive", "non-interactive"],
    recursive: &["all"],
    rules: "",
}
.lines(
    "\
destroy -target: destroy --target
destroy|destroy-all: destroy +r
apply|apply-all -destroy -target: destroy --target
apply|apply-all -destroy: destroy +r
apply|apply-all -target: apply --target
apply|apply-all: apply path1
state rm: state-remove *
state mv: state-move *
state push: state-push path1
state replace-provider: state-replace-provider *
workspace delete: workspace-delete 1
workspace new|select: workspace-select 1
env delete: workspace-delete 1
taint: taint *
untaint: untaint *
import: import *
refresh: refresh-state
force-unlock: force-unlock 1
init -force-copy: state-push
init -migrate-state: state-migrate
login|logout: configure 1",
);

fn terraform(call: &mut Call<'_, '_>) {
    let options = call.options(&TERRAFORM.spec);
    let terragrunt = call.name == "terragrunt";
    let wide = terragrunt && matches!(options.operand(0), Some("run-all"));
    let skip = if terragrunt {
        let is_prefix =
            |field: &&&Field| matches!(field.exact(), Some("run-all" | "run" | "stack" | "exec"));
        options.operands.iter().take_while(is_prefix).count()
    } else {
        0
    };
    let operands = options.operands.get(skip..).unwrap_or_default().to_vec();
    // The command may stand after `--`, with options of its own.
    let after = options.after_dashes.and_then(|at| options.operands.get(at..)).unwrap_or_default();
    let given: Vec<Field> = after.iter().copied().cloned().collect();
    let inner = parse(&given, &TERRAFORM.spec);
    let mut options = Options { operands, ..options };
    options.found.extend(inner.found);
    // `yes | terraform apply` answers the question.
    let answer = call.stdin.text.as_deref().unwrap_or_default().trim();
    let yes = Source::Program("yes".into());
    if answer == "yes" || call.stdin.flow.sources().contains(&yes) {
        options.found.push(FoundOption { name: "auto-approve", value: None, span: call.span });
    }
    // A saved plan is carried out without a question.
    let planned = options.operand(0) == Some("apply") && options.operands.len() > 1;
    let mut cli = TERRAFORM;
    if wide {
        cli.recursive = &["all", "terragrunt-non-interactive", "non-interactive", "auto-approve"];
    }
    if planned && !options.has(&["destroy", "target"]) {
        if let Some(plan) = options.operands.get(1)
            && !is_harmless(&options, cli.harmless)
        {
            call.on_path(Kind::Cloud, Act::Apply, plan).force = true;
        }
        return;
    }
    judge_options(call, &options, &cli);
}

const OTHER: Cli = Cli {
    spec: Spec::new(
        "s:C:c:m:a:o:r:f:n:e:p:",
        "stack= cwd= color= config= config-file= message= app= context= profile= output= \
         outputs-file= role-arn= stack-name= region= stage= function= aws-profile= \
         param= name= env= template-file= s3-bucket= s3-prefix= parameter-overrides= \
         capabilities= require-approval= toolkit-stack-name= target= parallel= verbose=? \
         template= base-dir= config-env= tags= var= var-file= only= except=",
    ),
    kind: Kind::Cloud,
    harmless: &["dry-run", "noop", "h", "preview-only", "dryrun"],
    force: &["y", "yes", "force", "no-prompts", "skip-preview", "non-interactive", "auto-approve"],
    recursive: &["all", "remove"],
    rules: "",
};

/// Effects of each tool.
pub(super) const TOOLS: &[Tool] = &[
    OTHER.tool(
        "pulumi",
        "\
destroy|down: destroy --target|stack|s
up|update: apply --stack|s
stack rm: workspace-delete * --stack|s +r
stack select|init|rename: workspace-select *
stack import: state-push
stack export -show-secrets: secret/secret
config -show-secrets: secret/secret
config set|set-all|rm|rm-all: configure 1
state delete|unprotect|rename|repair|edit|move|upgrade: state-remove *
cancel: force-unlock *
refresh: refresh-state
import: import
login|logout: configure 1
env|esc rm: delete *",
    ),
    CDK.tool(
        "cdk|cdktf",
        "\
destroy: destroy *
deploy|watch -auto-approve|f|force: apply *
deploy|watch: deploy *
bootstrap: apply *
rollback: rollback *
import: import *
gc: destroy",
    )
    .by(cdk),
    OTHER.tool(
        "sam",
        "\
delete: destroy --stack-name
deploy|sync: deploy --stack-name
remote invoke: invoke 1",
    ),
    OTHER.tool(
        "serverless|sls|sst",
        "\
remove: destroy --stage|s
deploy function: deploy --function|f
deploy list: none
deploy: deploy --stage|s
rollback: rollback
invoke local: none
invoke: invoke --function|f
secret remove: delete *
unlock: force-unlock
refresh: refresh-state
state remove: state-remove *",
    ),
    OTHER.tool(
        "amplify",
        "\
delete: destroy +r
push|publish: deploy
remove: apply *
env remove: workspace-delete *",
    ),
    OTHER.tool(
        "copilot",
        "\
app|env|svc|job|pipeline|task|secret delete: destroy --name|n *
deploy: deploy --name|n
svc|job|env|pipeline deploy: deploy --name|n",
    ),
    OTHER.tool(
        "chalice",
        "\
delete: destroy --stage
deploy: deploy --stage",
    ),
    OTHER.tool(
        "zappa",
        "\
undeploy: destroy *
deploy|update: deploy *
rollback: rollback *",
    ),
    OTHER.one_dash().tool("packer", "build: build-image path*"),
    OTHER.tool(
        "azd",
        "\
down: destroy --environment|e
up|deploy|provision: deploy --environment|e
env set|select|new: configure 1",
    ),
];

const CDK: Cli = OTHER.short("a:c:o:r:i:p:").force(&["f", "force", "auto-approve"]);

/// `cdk deploy --require-approval never` asks nobody.
fn cdk(call: &mut Call<'_, '_>, tool: &Tool) {
    let mut options = call.options(&tool.cli.spec);
    if options.operand(0) == Some("deploy")
        && options.value(&["require-approval"]).is_some_and(|value| value.is("never"))
    {
        options.found.push(FoundOption { name: "auto-approve", value: None, span: call.span });
    }
    tool.judge_options(call, &options);
}

/// The target of an effect that an option names.
fn named(field: Option<&Field>) -> Target {
    field.map_or(Target::None, Call::named)
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn infrastructure_goes_and_comes() {
        check(
            "
            terraform destroy -auto-approve => cloud destroy  certain -r -f
            terraform -chdir=prod destroy => cloud destroy  certain -r
            terraform destroy -target aws_x.y -auto-approve => cloud destroy aws_x.y certain -f
            terraform apply -destroy => cloud destroy  certain -r
            tofu apply -var a=b -auto-approve => cloud apply  certain -f
            terraform apply --auto-approve => cloud apply  certain -f
            terraform apply plan.out => cloud apply /shop/plan.out certain -f
            terraform state rm module.x => cloud state-remove module.x certain
            terraform workspace delete -force dev => cloud workspace-delete dev certain -f
            terraform force-unlock -force ID => cloud force-unlock ID certain -f
            terragrunt run-all destroy --terragrunt-non-interactive => cloud destroy  certain -r -f
            terragrunt run --all -- destroy -auto-approve => cloud destroy  certain -r -f
            pulumi destroy --yes -s prod => cloud destroy prod certain -f
            pulumi -C dir up -y => cloud apply  certain -f
            pulumi stack rm prod --force => cloud workspace-delete prod certain -r -f
            cdk destroy --force MyStack => cloud destroy MyStack certain -f
            cdk deploy --require-approval never => cloud apply  certain -f
            sam delete --no-prompts --stack-name x => cloud destroy x certain -f
            serverless remove --stage prod => cloud destroy prod certain
            packer build x.pkr.hcl => cloud build-image /shop/x.pkr.hcl certain
            ",
        );
    }

    #[test]
    fn what_only_plans_has_no_effect() {
        check(
            "
            terraform plan -destroy =>
            terraform validate =>
            terraform fmt -recursive =>
            terraform show =>
            terraform output -json =>
            terraform init =>
            terraform state list =>
            terraform state rm -dry-run x =>
            terraform workspace list =>
            terraform destroy -help =>
            terraform -help destroy =>
            terragrunt run-all plan =>
            pulumi preview =>
            pulumi config get destroy =>
            cdk diff =>
            cdk synth =>
            sam build =>
            sls info =>
            ",
        );
    }
}
