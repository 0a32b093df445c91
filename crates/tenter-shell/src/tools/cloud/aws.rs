//! `aws service operation --options`.

use super::objects::{self, Transfer};
use super::verbs::{Verb, verb};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::options::{FoundOption, Options, Spec, parse};
use crate::target::Target;
use crate::tools::table::{Cli, judge_options, on};
use crate::value::Field;
use crate::world::Language;

const GLOBALS: Spec = Spec::first(
    "",
    "profile= region= output= query= endpoint-url= ca-bundle= color= cli-read-timeout= \
     cli-connect-timeout= cli-binary-format=",
);

const AWS: Cli = Cli {
    spec: GLOBALS,
    kind: Kind::Cloud,
    harmless: &["dry-run", "generate-cli-skeleton"],
    force: &["force", "skip-final-snapshot", "force-delete-without-recovery", "force-destroy"],
    recursive: &[],
    rules: "",
}.lines("\
secretsmanager get-secret-value|batch-get-secret-value: secret/secret --secret-id|secret-id-list
ssm get-parameter* -with-decryption: secret/secret --name|names|path
sts get-session-token|assume-role*|get-federation-token: secret/secret --role-arn
sts get-caller-identity|decode-authorization-message: none
ecr|ecr-public get-login*|get-authorization-token: secret/secret
codeartifact get-authorization-token|login: secret/secret
rds modify-db-* -no-deletion-protection: disable --db-instance-identifier|db-cluster-identifier
ec2 modify-instance-attribute -no-disable-api-termination: disable --instance-id
s3api put-bucket-versioning -versioning-configuration=Status=Suspended: disable --bucket
rds generate-db-auth-token: secret/secret
eks get-token: secret/secret
kms decrypt|generate-data-key: secret/secret --key-id
kms schedule-key-deletion: delete --key-id
configure export-credentials: secret/secret
configure get: secret/secret 1
configure set|import|sso|add-model: configure 1
sso|sso-oidc login|logout: configure
eks update-kubeconfig: configure --name
iam create-user: grant --user-name
iam create-access-key|create-login-profile|create-service-specific-credential: create-credential --user-name
iam attach-*|put-*|add-*|update-assume-role-policy|create-policy-version|set-default-policy-version: grant --user-name|role-name|group-name|policy-arn
lambda|sns|sqs|kms add-permission|create-grant|put-key-policy: grant --function-name|key-id
s3api put-bucket-policy|put-bucket-acl|put-object-acl|put-public-access-block|delete-public-access-block: grant --bucket
s3api delete-object|delete-objects: delete-objects --bucket
s3api delete-bucket: delete-bucket --bucket
ec2 authorize-security-group-*: expose --group-id|group-name
cloudformation delete-stack|delete-stack-set: delete-project --stack-name|stack-set-name
cloudformation deploy|create-stack|update-stack|execute-change-set: deploy --stack-name
cloudformation package|validate-template|estimate-template-cost|detect-*: none
lambda update-function-code|publish-version: deploy --function-name
lambda invoke-async: invoke --function-name
autoscaling update-auto-scaling-group -desired-capacity=0: scale-to-zero --auto-scaling-group-name
autoscaling update-auto-scaling-group -max-size=0: scale-to-zero --auto-scaling-group-name
route53 change-resource-record-sets: overwrite --hosted-zone-id
ecs update-service -desired-count=0: scale-to-zero --service
ecs update-service|run-task: deploy --service|task-definition
codepipeline|codebuild start-*: deploy --name|project-name
elasticbeanstalk create-application-version|update-environment: deploy
organizations leave-organization|remove-account-from-organization|close-account: delete-project --account-id
dynamodb batch-write-item: change
autoscaling set-desired-capacity|update-auto-scaling-group -desired-capacity=0: scale-to-zero --auto-scaling-group-name
autoscaling update-auto-scaling-group -max-size=0: scale-to-zero --auto-scaling-group-name
ecs update-service -desired-count=0: scale-to-zero --service
rds modify-db-* -backup-retention-period=0: disable --db-instance-identifier|db-cluster-identifier
sns publish: invoke --topic-arn
sqs send-message: invoke --queue-url
events put-events: invoke");

pub(super) fn aws(call: &mut Call<'_, '_>) {
    let globals = call.options(&GLOBALS);
    let rest = call.arguments().get(globals.consumed..).unwrap_or_default();
    let Some(service) = rest.first().and_then(Field::exact) else { return };
    let after = rest.get(1..).unwrap_or_default();
    match service {
        "s3" => s3(call, after),
        "help" => {}
        _ => operation(call, service, rest),
    }
}

/// Options of `aws` and `az` all take values, except some that stand alone; several values may
/// follow one name.
pub(super) fn pairs<'a>(arguments: &'a [Field], alone: &[&str]) -> Options<'a> {
    let mut options = Options::default();
    let mut name = None;
    for field in arguments {
        let text = field.prefix();
        let bare = text.strip_prefix("--").or_else(|| {
            // A negative number is a value.
            text.strip_prefix('-')
                .filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        });
        match (bare, name) {
            (Some(bare), _) => {
                let (found, value) = match bare.split_once('=') {
                    Some((found, _)) if text.starts_with("--") => {
                        (found, field.without_prefix(found.len() + 3))
                    }
                    _ => (bare, None),
                };
                name = (value.is_none() && !alone.contains(&found)).then_some(found);
                options.found.push(FoundOption { name: found, value, span: field.span });
            }
            (None, Some(found)) => {
                let value = Some(field.clone());
                match options.found.last_mut() {
                    Some(last) if last.value.is_none() => last.value = value,
                    _ => options.found.push(FoundOption { name: found, value, span: field.span }),
                }
            }
            (None, None) => options.operands.push(field),
        }
    }
    options.consumed = arguments.len();
    options
}

const ALONE: &[&str] = &[
    "debug",
    "no-verify-ssl",
    "no-paginate",
    "no-sign-request",
    "no-cli-pager",
    "no-cli-auto-prompt",
    "dry-run",
    "no-dry-run",
    "force",
    "with-decryption",
    "skip-final-snapshot",
    "no-deletion-protection",
    "no-disable-api-termination",
    "apply-immediately",
];

fn operation(call: &mut Call<'_, '_>, service: &str, rest: &[Field]) {
    let options = pairs(rest, ALONE);
    let name = options.operand(1).unwrap_or_default();
    if options.operands.iter().any(|field| field.is("help")) {
        return;
    }
    // Files named by parameters are read and sent.
    for file in rest.iter().filter_map(|field| field.after("file://").or(field.after("fileb://"))) {
        call.on_path(Kind::Read, Act::Read, &file);
    }
    match (service, name) {
        ("s3api", "put-object" | "upload-part" | "get-object") => {
            object(call, name, &options);
            return;
        }
        ("lambda", "invoke") => {
            invoke(call, &options);
            return;
        }
        ("ecs", "execute-command") => {
            if let Some(code) = options.value(&["command"]) {
                call.stdout =
                    call.run_code_elsewhere(Language::Shell(crate::syntax::Dialect::Posix), code);
            }
            return;
        }
        ("ssm", "send-command") => {
            let target =
                options.value(&["instance-ids", "targets"]).map_or(Target::None, Call::named);
            call.effect(Kind::Cloud, Act::Invoke, target);
            let commands =
                options.value(&["parameters"]).and_then(|field| field.after("commands="));
            if let Some(code) = commands {
                // A list of them, as JSON.
                let inner = code.exact().and_then(|text| text.strip_prefix("[\""));
                let inner = inner.and_then(|text| text.strip_suffix("\"]"));
                let code = inner.map_or(code.clone(), |text| {
                    Field::text(text.replace("\",\"", "\n").replace("\\\"", "\""), code.span)
                });
                call.run_code_elsewhere(Language::Shell(crate::syntax::Dialect::Posix), &code);
            }
            return;
        }
        ("configure", "get")
            if !options
                .operand(2)
                .is_some_and(|key| key.contains("secret") || key.contains("token")) =>
        {
            return;
        }
        _ => {}
    }
    let Verb::Does(mut action) = verb(name) else {
        judge_options(call, &options, &AWS);
        return;
    };
    if judge_options(call, &options, &AWS) {
        return;
    }
    if action == Act::Expose && service != "ec2" {
        action = Act::Change;
    }
    let force = options.has(AWS.force);
    let Some(option) = target(name, &options) else {
        call.effect(Kind::Cloud, action, Target::name(service)).force = force;
        return;
    };
    for field in options.values(&[option]) {
        on(call, Kind::Cloud, action, field, false).flags(false, force);
    }
}

/// The option that names the target of an operation such as `delete-db-instance`: preferably one with the
/// matching noun, else one that looks like a name, else the first.
fn target<'a>(operation: &str, options: &Options<'a>) -> Option<&'a str> {
    let operation = operation.strip_prefix("batch-").unwrap_or(operation);
    let noun = operation.split_once('-').map_or("", |(_, noun)| noun);
    let noun = noun.strip_suffix('s').unwrap_or(noun);
    let score = |name: &str| {
        if GLOBALS.long.split(' ').any(|global| global.trim_end_matches('=') == name) {
            0
        } else if !noun.is_empty() && name.starts_with(noun) {
            3
        } else if ["name", "id", "ids", "identifier", "arn", "url", "bucket", "key"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            2
        } else {
            1
        }
    };
    let mut best: Option<(u8, &str)> = None;
    for found in &options.found {
        let points = score(found.name);
        if found.value.is_some() && points > best.map_or(0, |(points, _)| points) {
            best = Some((points, found.name));
        }
    }
    best.map(|(_, name)| name)
}

/// `lambda invoke --function-name f file`: the answer goes to the file.
fn invoke(call: &mut Call<'_, '_>, options: &Options<'_>) {
    if options.value(&["invocation-type"]).is_some_and(|kind| kind.is("DryRun")) {
        return;
    }
    if let Some(function) = options.values(&["function-name"]).next() {
        on(call, Kind::Cloud, Act::Invoke, function, false).flags(false, false);
    }
    // Second to the value of an option, if it stands last.
    let repeated = match options.found.as_slice() {
        [.., before, last] if before.name == last.name => last.value.as_ref(),
        _ => None,
    };
    if let Some(file) = options.operands.get(2).copied().or(repeated) {
        call.write(Kind::Overwrite, Act::Download, file, crate::flow::Stream::default());
    }
}

/// `s3api put-object --bucket b --key k --body file` and `get-object ... file`.
fn object(call: &mut Call<'_, '_>, name: &str, options: &Options<'_>) {
    let Some(bucket) = options.value(&["bucket"]) else { return };
    if name == "get-object" {
        let content = call.receive(Act::Download, bucket);
        let file = options.operands.get(2).copied().or_else(|| {
            // The file may stand after an option's value.
            options.found.iter().rev().find_map(|found| found.value.as_ref())
        });
        if let Some(file) = file {
            call.write(Kind::Overwrite, Act::Download, file, content);
        }
        return;
    }
    let content = options.value(&["body"]).map(|body| call.read(Act::Upload, body));
    call.send(Act::Upload, bucket, content.unwrap_or_default().flow);
}

const S3: Spec = Spec::new(
    "",
    "profile= region= output= query= endpoint-url= ca-bundle= color= acl= cache-control= \
     content-disposition= content-encoding= content-language= content-type= exclude= \
     include= expires= expires-in= grants= sse=? sse-kms-key-id= sse-c=? sse-c-key= \
     storage-class= website-redirect= page-size= source-region= metadata= \
     metadata-directive= copy-props= request-payer=? expected-size= checksum-algorithm= \
     cli-read-timeout= cli-connect-timeout= delete recursive quiet dryrun force",
);

fn s3(call: &mut Call<'_, '_>, rest: &[Field]) {
    let options = parse(rest, &S3);
    if options.has(&["dryrun", "help"]) || options.operands.iter().any(|field| field.is("help")) {
        return;
    }
    let recursive = options.has(&["recursive"]);
    let operands = options.operands.get(1..).unwrap_or_default();
    match (options.operand(0), operands) {
        (Some("rm"), operands) => {
            objects::remove(call, Act::DeleteObjects, operands, recursive, false);
        }
        (Some("rb"), operands) => {
            let force = options.has(&["force"]);
            objects::remove(call, Act::DeleteBucket, operands, force, force);
        }
        (Some("mb"), [bucket, ..]) => {
            on(call, Kind::Cloud, Act::Create, bucket, false).flags(false, false);
        }
        (Some(name @ ("cp" | "mv" | "sync")), [from, to]) => {
            if let Some(acl) =
                options.value(&["acl"]).filter(|acl| acl.prefix().starts_with("public"))
            {
                call.effect_at(Kind::Cloud, Act::Expose, Call::named(to), acl.span);
            }
            let how = Transfer {
                moves: name == "mv",
                deletes: name == "sync" && options.has(&["delete"]),
                recursive: recursive || name == "sync",
            };
            objects::transfer(call, from, to, how, is_bucket);
        }
        (Some("presign"), [object, ..]) => {
            on(call, Kind::Cloud, Act::Expose, object, false).flags(false, false);
        }
        (Some("website"), [bucket, ..]) => {
            on(call, Kind::Cloud, Act::Change, bucket, false).flags(false, false);
        }
        _ => {}
    }
}

pub(super) fn is_bucket(field: &Field) -> bool {
    field.prefix().contains("://") || field.prefix().starts_with("s3:")
}

#[cfg(test)]
mod tests {
    use crate::run::testing::effects;
    use crate::tools::table::testing::check;

    #[test]
    fn operations_say_what_they_do() {
        check(
            "
            aws ec2 terminate-instances --instance-ids i-1 i-2 => cloud delete i-1 certain; cloud delete i-2 certain
            aws ec2 terminate-instances --dry-run --no-dry-run --instance-ids i-1 => cloud delete i-1 certain
            aws --profile prod --region eu-1 rds delete-db-instance --skip-final-snapshot --db-instance-identifier db => cloud delete db certain -f
            aws ecs delete-service --cluster c --service web => cloud delete web certain
            aws cloudformation delete-stack --stack-name s => cloud delete-project s certain
            aws ecr batch-delete-image --repository-name r --image-ids x => cloud delete x certain
            aws kms schedule-key-deletion --key-id k => cloud delete k certain
            aws iam create-access-key --user-name me => cloud create-credential me certain
            aws iam attach-user-policy --user-name me --policy-arn a => cloud grant me certain; cloud grant a certain
            aws iam delete-user-policy --user-name me --policy-name p => cloud delete me certain
            aws ec2 authorize-security-group-ingress --group-id g --cidr 0.0.0.0/0 => cloud expose g certain
            aws s3api put-bucket-policy --bucket b --policy file://p => read read /shop/p certain; cloud grant b certain
            aws s3api delete-bucket --bucket b => cloud delete-bucket b certain
            aws lambda update-function-code --function-name f => cloud deploy f certain
            aws configure set region eu-1 => cloud configure region certain
            aws ec2 stop-instances --instance-ids=i-1 => cloud stop i-1 certain
            aws s3control delete-job => cloud delete s3control certain
            ",
        );
    }

    #[test]
    fn what_only_looks_has_no_effect() {
        check(
            "
            aws ec2 describe-instances --query delete =>
            aws s3 ls s3://b --recursive =>
            aws ec2 terminate-instances --instance-ids i-1 --dry-run =>
            aws s3 rm s3://b --recursive --dryrun =>
            aws ec2 terminate-instances help =>
            aws iam list-users =>
            aws ssm get-parameter --name x =>
            aws --version =>
            aws =>
            ",
        );
    }

    #[test]
    fn secrets_are_shown() {
        check(
            "
            aws secretsmanager get-secret-value --secret-id db => read secret db certain
            aws ssm get-parameter --with-decryption --name /db/password => read secret /db/password certain
            aws sts get-session-token => read secret  certain
            aws configure get aws_secret_access_key => read secret aws_secret_access_key certain
            aws configure get region =>
            ",
        );
    }

    #[test]
    fn buckets_lose_and_files_travel() {
        check(
            "
            aws s3 rm --recursive s3://b/p => cloud delete-objects s3://b/p certain -r
            aws s3 rb s3://b --force => cloud delete-bucket s3://b certain -r -f
            aws s3 cp s3://b/x . => receive download s3://b/x certain; overwrite download /shop/x certain <[Network(\"s3://b/x\")]
            aws s3 sync s3://a s3://b --delete => cloud copy-objects s3://b certain -r; cloud delete-objects s3://b certain -r
            aws s3 mv s3://a/x s3://b/x => cloud copy-objects s3://b/x certain; cloud delete-objects s3://a/x certain
            aws s3 sync s3://a dir --delete => receive download s3://a certain; overwrite download /shop/dir certain -r <[Network(\"s3://a\")]; delete sync-delete /shop/dir certain -r
            ",
        );
        assert_eq!(
            effects(&["aws", "s3", "cp", "/etc/passwd", "s3://b/x", "--acl", "public-read"]),
            [
                "cloud expose s3://b/x certain",
                "read upload /etc/passwd certain",
                "send upload s3://b/x certain <[File(\"/etc/passwd\")]",
            ]
        );
        assert_eq!(
            effects(&["aws", "s3api", "put-object", "--bucket", "b", "--key", "k", "--body", "f"]),
            ["read upload /shop/f certain", "send upload b certain <[File(\"/shop/f\")]"]
        );
    }
}
