//! Containers, images and volumes: docker, podman and those that speak like them.
//!
//! Actions of the kind `container`:
//! - `run`: a container is made from an image and started, `start`, `stop`, `restart`, `pause`,
//!   `kill`: containers change state
//! - `privileged`: a container gets all rights over the host
//! - `mount`, `mount-read-only`: a directory of the host is open to a container
//! - `mount-control-socket`: the socket that commands the container engine is open to a container
//! - `share-namespace`: a container shares processes, network, users or names with the host
//! - `share-device`, `add-capability`, `security-option`: a container gets a right of the host
//! - `remove-container`, `remove-image`, `remove-volume`, `remove-network`, `remove-pod`,
//!   `remove-machine`, `remove-builder`, `remove-service`, `remove-secret`, `remove-context`
//! - `prune`: images and caches that are not in use are removed, `prune-all`: all images that no
//!   container uses, `prune-containers`, `prune-networks`: those that are not in use,
//!   `prune-volumes`: volumes and what they hold, `reset`: everything of the engine is removed
//! - `compose-down`: the containers and networks of a project are removed; with
//!   `remove-volume` and `remove-image` if asked for
//! - `leave-swarm`, `scale`, `change-service`, `change-context`
//! - `copy-in`: files go into a container, `expose-engine`: the engine listens on the network
//!
//! Others: `publish/push-image`, `receive/pull-image`, `receive/build-context`, `send/login`,
//! `write/save-image`, `write/copy-out`, `read/copy-in`, `read/load-image`.

mod compose;
mod other;
mod rights;

use crate::act::Act;
use crate::call::{Call, Programs};
use crate::effect::Kind;
use crate::flow::{Flow, Source, Stream};
use crate::options::{Options, Spec, parse};
use crate::target::Target;
use crate::tools::table::{Cli, is_harmless, judge, on};
use crate::value::Field;
use compose::compose;
use rights::{is_drive, rights};

pub(super) const PROGRAMS: Programs = &[
    ("docker", engine),
    ("podman", engine),
    ("nerdctl", engine),
    ("buildah", engine),
    ("finch", engine),
    ("podman-remote", engine),
    ("docker-compose", compose::program),
    ("podman-compose", compose::program),
    ("skopeo", other::program),
    ("crane", other::program),
    ("ctr", other::program),
    ("crictl", other::program),
    ("colima", other::program),
    ("limactl", other::program),
    ("multipass", other::program),
    ("virsh", other::program),
    ("VBoxManage", other::program),
    ("vboxmanage", other::program),
    ("lxc", other::program),
    ("incus", other::program),
    ("docker-machine", other::program),
    ("qm", other::program),
    ("pct", other::program),
    ("dockerd", other::daemon),
];

const GLOBALS: Spec = Spec::first(
    "c:H:l:a:n:",
    "config= context= host= log-level= tlscacert= tlscert= tlskey= connection= identity= \
     root= runroot= url= storage-driver= storage-opt= cgroup-manager= conmon= hooks-dir= \
     module= namespace= runtime= runtime-flag= ssh= tmpdir= volumepath= imagestore= \
     address= cni-path= cni-netconfpath= data-root= hosts-dir= snapshotter= out= \
     registries-conf=",
);

/// Options of `run`, `create` and `exec` that take values.
const RUN: Spec = Spec::first(
    "a:c:e:h:l:m:p:u:v:w:",
    "add-host= annotation= attach= authfile= blkio-weight= cap-add= cap-drop= \
     cgroup-parent= cgroupns= cidfile= cpu-period= cpu-quota= cpu-shares= cpus= \
     cpuset-cpus= cpuset-mems= detach-keys= device= device-cgroup-rule= dns= dns-option= \
     dns-search= domainname= entrypoint= env= env-file= expose= gpus= group-add= \
     health-cmd= health-interval= health-retries= health-timeout= hostname= ip= ip6= \
     ipc= isolation= label= label-file= link= log-driver= log-opt= mac-address= memory= \
     memory-reservation= memory-swap= mount= name= net= network= network-alias= \
     oom-score-adj= pid= pidfile= pids-limit= platform= pod= publish= pull= requires= \
     restart= runtime= secret= security-opt= shm-size= stop-signal= stop-timeout= \
     storage-opt= subuidname= sysctl= systemd= timeout= tmpfs= tz= ulimit= umask= index= \
     user= userns= uts= volume= volume-driver= volumes-from= workdir= privileged help rm",
);

const ENGINE: Cli = Cli {
    // `-t` is the time for stop and the type for others, `-s` the signal.
    spec: Spec::new("t:s:o:i:", "time= signal= output= input= filter= format= timeout="),
    kind: Kind::Container,
    harmless: &["dry-run", "check"],
    force: &["f", "force"],
    recursive: &["a", "all"],
    rules: "",
}
.lines(
    "\
rm: remove-container *
container rm|remove: remove-container *
rmi: remove-image *
image rm|remove: remove-image *
volume rm|remove: remove-volume *
network rm|remove: remove-network *
pod rm: remove-pod *
machine rm: remove-machine *
builder|buildx rm: remove-builder *
service rm: remove-service *
stack rm|down|remove: remove-service *
config rm: remove-secret *
secret rm|remove: remove-secret *
context rm|remove: remove-context *
plugin rm|disable|remove: remove-plugin *
plugin install: run *
node rm: remove-node *
manifest rm: remove-image *
manifest push: publish/push-image *
system prune -volumes: prune-volumes +r
system prune -a|all: prune-all +r
system prune: prune-containers
system reset: reset +r
machine reset: reset +r
image prune -a|all: prune-all +r
buildx|builder prune -a|all: prune-all +r
volume prune: prune-volumes +r
container|pod prune: prune-containers
network prune: prune-networks
image|builder|buildx prune: prune
prune: prune
swarm leave: leave-swarm
stop: stop *
container|pod|machine stop: stop *
kill: kill *
container|pod kill: kill *
restart: restart *
container|pod restart: restart *
pause: pause *
container|pod pause: pause *
start: start *
container|pod start: start *
service scale: scale *
service update|rollback: change-service *
node update|demote: change-service *
context use: change-context 1
push: publish/push-image 1
image push: publish/push-image 1
pull: receive/pull-image *
image pull: receive/pull-image *
from: receive/pull-image 1
load -i|input: read/load-image
play|kube kube|play: run path1
kube down: remove-pod path1",
);

fn engine(call: &mut Call<'_, '_>) {
    let globals = call.options(&GLOBALS);
    let rest = call.arguments().get(globals.consumed..).unwrap_or_default();
    let word = |at: usize| rest.get(at).and_then(Field::exact).unwrap_or_default();
    let (name, rest) = match word(0) {
        // The long forms of the old names. `rm` and `prune` mean other things in other groups.
        "container" | "image" | "builder" | "buildx"
            if !matches!(word(1), "rm" | "remove" | "prune" | "ls" | "list" | "inspect") =>
        {
            (word(1), rest.get(2..).unwrap_or_default())
        }
        name => (name, rest.get(1..).unwrap_or_default()),
    };
    match name {
        "run" if call.name == "buildah" => exec(call, rest),
        "run" | "create" => run(call, rest, name == "run"),
        "exec" => exec(call, rest),
        "unshare" => {
            let options = parse(rest, &Spec::first("m:", "mount="));
            call.run(rest.get(options.consumed..).unwrap_or_default());
        }
        "compose" => compose(call, rest),
        "cp" => copy(call, rest),
        "build" | "bud" | "bake" => build(call, rest),
        "save" | "export" => save(call, rest),
        "login" => login(call, rest),
        "inspect" => inspect(call, rest),
        "container" if word(1) == "inspect" => inspect(call, rest),
        _ => {
            let whole = call.arguments().get(globals.consumed..).unwrap_or_default();
            judge(call, whole, &ENGINE);
        }
    }
}

/// The configuration of a container includes its environment, unless only another part is requested.
fn inspect(call: &mut Call<'_, '_>, rest: &[Field]) {
    let options = parse(rest, &Spec::new("f:", "format= type= size"));
    let shows = options.value(&["f", "format"]).is_none_or(|part| {
        let part = part.shown();
        part.contains("Env") || part.contains("json .}") || part.contains("Config}")
    });
    if shows && !is_harmless(&options, &[]) {
        call.stdout = Stream::from(Source::Environment);
    }
}

/// `docker run [options] image [command]`.
fn run(call: &mut Call<'_, '_>, rest: &[Field], starts: bool) {
    let options = parse(rest, &RUN);
    if is_harmless(&options, &[]) {
        return;
    }
    rights(call, &options);
    let Some((image, command)) = options.operands.split_first() else { return };
    if starts {
        on(call, Kind::Container, Act::Run, image, false).flags(false, false);
        inner(call, &options, Some(image), command);
    }
}

/// `docker exec [options] container command`.
fn exec(call: &mut Call<'_, '_>, rest: &[Field]) {
    let options = parse(rest, &RUN);
    rights(call, &options);
    if let Some((_, command)) = options.operands.split_first() {
        inner(call, &options, None, command);
    }
}

/// The program that a well-known image runs with the words after it.
fn program_of(image: &str) -> Option<&'static str> {
    let name = image.split('@').next().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    Some(match name.split(':').next().unwrap_or_default() {
        "terraform" => "terraform",
        "opentofu" => "tofu",
        "kubectl" => "kubectl",
        "helm" => "helm",
        "aws-cli" => "aws",
        "curl" => "curl",
        "git" => "git",
        "rclone" => "rclone",
        _ => return None,
    })
}

/// Runs the command inside.
fn inner(
    call: &mut Call<'_, '_>,
    options: &Options<'_>,
    image: Option<&Field>,
    command: &[&Field],
) {
    let mut argv: Vec<Field> = Vec::with_capacity(command.len() + 1);
    if let Some(entry) = options.value(&["entrypoint"]).filter(|entry| !entry.is("")) {
        argv.push(entry.clone());
    } else if let Some(program) = image.and_then(|image| program_of(image.prefix())) {
        argv.push(Field::text(program, call.span));
    } else if command.first().is_none_or(|first| first.prefix().starts_with('-')) {
        // Options for whatever the image runs.
        return;
    }
    argv.extend(command.iter().copied().cloned());
    let directory = options.value(&["w", "workdir"]).and_then(Field::exact);
    call.stdout = call.run_elsewhere(&argv, directory);
}

/// `docker cp container:path local` and the other way round.
fn copy(call: &mut Call<'_, '_>, rest: &[Field]) {
    let options = parse(rest, &Spec::new("", ""));
    if is_harmless(&options, &["dry-run"]) {
        return;
    }
    if let [from, to] = options.operands.as_slice() {
        copy_between(call, Kind::Container, from, to);
    }
}

/// Copies between here and a container or pod, told apart by the colon.
pub(super) fn copy_between(call: &mut Call<'_, '_>, kind: Kind, from: &Field, to: &Field) {
    let has_colon = |field: &Field| {
        let text = field.shown();
        text.contains(':') && !text.starts_with(['/', '.'])
    };
    let is_plain = |field: &Field| has_colon(field) && !is_drive(&field.shown());
    // One side is a container: `c:/x` is one if nothing else can be.
    let drives = is_plain(from) || is_plain(to);
    let is_inside = |field: &Field| if drives { is_plain(field) } else { has_colon(field) };
    if is_inside(to) && !is_inside(from) {
        let content = call.read(Act::CopyIn, from);
        let effect = call.effect_at(kind, Act::CopyIn, Call::named(to), to.span);
        effect.sources = content.flow;
    } else if is_inside(from) && to.is("-") {
        call.stdout = Stream::unknown(from.sources());
    } else if is_inside(from) && !is_inside(to) {
        let path = from.shown();
        let name = path.rsplit(['/', ':']).next().unwrap_or_default();
        // A folder gets what is copied under its own name.
        let into = super::copy::is_directory(call, to) && !matches!(name, "" | ".");
        let place =
            if into { super::files::below(to, &Field::text(name, to.span)) } else { to.clone() };
        let content = Stream::unknown(Flow::default());
        call.write(Kind::Write, Act::CopyOut, &place, content).recursive = true;
    }
}

fn build(call: &mut Call<'_, '_>, rest: &[Field]) {
    const BUILD: Spec = Spec::new(
        "t:f:o:c:m:",
        "tag= file= output= build-arg= target= platform= secret= ssh= cache-from= \
         cache-to= label= network= progress= build-context= builder= iidfile= \
         metadata-file= add-host= isolation= memory= shm-size= ulimit= set= push",
    );
    let options = parse(rest, &BUILD);
    if is_harmless(&options, &["print", "check"]) {
        return;
    }
    let registry = options
        .value(&["o", "output"])
        .is_some_and(|output| output.prefix().contains("type=registry"));
    if registry
        || options
            .find(&["push"])
            .is_some_and(|found| !found.value.as_ref().is_some_and(|value| value.is("false")))
    {
        let target = options.value(&["t", "tag"]).map_or(Target::None, Call::named);
        call.effect(Kind::Publish, Act::PushImage, target);
    }
    for context in &options.operands {
        let text = context.prefix();
        if text.contains("://") || text.starts_with("git@") || text.starts_with("github.com/") {
            call.receive(Act::BuildContext, context);
        }
    }
}

fn save(call: &mut Call<'_, '_>, rest: &[Field]) {
    let options = parse(rest, &Spec::new("o:", "output= format="));
    if let Some(file) = options.value(&["o", "output"]) {
        call.write(Kind::Overwrite, Act::SaveImage, file, Stream::default());
    }
}

fn login(call: &mut Call<'_, '_>, rest: &[Field]) {
    let options = parse(rest, &Spec::new("p:u:", "password= username= authfile= cert-dir="));
    let mut flow = options.value(&["p", "password"]).map(Field::sources).unwrap_or_default();
    if options.has(&["password-stdin"]) {
        flow.join(&call.stdin.flow);
    }
    let default = Field::text("docker.io", call.span);
    call.send(Act::Login, options.operands.first().unwrap_or(&&default), flow);
}

#[cfg(test)]
mod tests {
    use crate::run::testing::effects;
    use crate::tools::table::testing::check;

    #[test]
    fn containers_images_and_volumes_are_removed() {
        check(
            "
            docker rm -f web db => container remove-container web certain -f; container remove-container db certain -f
            docker --context prod container rm web => container remove-container web certain
            docker -H tcp://h:1 volume rm data => container remove-volume data certain
            podman rm --all => container remove-container  certain -r
            docker image rm -f img => container remove-image img certain -f
            docker rmi img => container remove-image img certain
            docker volume prune -f => container prune-volumes  certain -r -f
            docker system prune -af => container prune-all  certain -r -f
            docker system prune --volumes => container prune-volumes  certain -r
            docker system prune => container prune-containers  certain
            docker container prune -f => container prune-containers  certain -f
            docker network prune => container prune-networks  certain
            docker builder prune => container prune  certain
            docker image prune => container prune  certain
            docker buildx prune --all => container prune-all  certain -r
            docker network rm a => container remove-network a certain
            docker swarm leave --force => container leave-swarm  certain -f
            podman system reset -f => container reset  certain -r -f
            docker stop -t 3 web => container stop web certain
            docker ps -a =>
            docker images =>
            docker volume ls =>
            docker inspect rm =>
            docker logs -f web =>
            docker rm --help =>
            docker build -t x . =>
            docker tag a b =>
            crane delete r/i:1 => publish delete-image r/i:1 certain
            skopeo copy docker://a docker://r/b => publish push-image docker://r/b certain
            skopeo copy docker://a dir:x =>
            crictl rmi x => container remove-image x certain
            ",
        );
    }

    #[test]
    fn rights_over_the_host_are_told() {
        check(
            "
            docker run --rm -it alpine => container run alpine certain
            docker run --privileged=false nginx => container run nginx certain
            docker run --name a --privileged nginx => container privileged  certain; container run nginx certain
            docker run -v /:/host nginx => container mount / certain; container run nginx certain
            docker run -v data:/var/lib nginx => container run nginx certain
            docker run -v.:/w:ro nginx => container mount-read-only /shop certain; container run nginx certain
            docker run -v /var/run/docker.sock:/s nginx => container mount-control-socket /var/run/docker.sock certain; container run nginx certain
            docker run --mount type=bind,source=/etc,target=/e,readonly n => container mount-read-only /etc certain; container run n certain
            docker run --mount type=volume,source=data,target=/e n => container run n certain
            docker create --pid=host --cap-add SYS_ADMIN n => container share-namespace pid certain; container add-capability SYS_ADMIN certain
            docker run --device /dev/sda n => container share-device /dev/sda certain; container run n certain
            docker run --security-opt seccomp=unconfined n => container security-option seccomp=unconfined certain; container run n certain
            docker run --security-opt no-new-privileges n => container run n certain
            ",
        );
    }

    #[test]
    fn what_runs_inside_is_judged() {
        check(
            "
            docker exec -it -w /app web docker rm x => container remove-container x certain
            docker exec web ls =>
            docker compose -f a.yml exec -T db docker rm x => container remove-container x certain
            docker-compose run --rm -e A=b app docker rm x => container remove-container x certain
            docker run --entrypoint docker img rm x => container run img certain; container remove-container x certain
            docker run img --rm x => container run img certain
            podman unshare docker rm x => container remove-container x certain
            lxc exec box -- docker rm x => container remove-container x certain
            ",
        );
    }

    #[test]
    fn a_project_goes_down_with_what_is_asked_for() {
        check(
            "
            docker compose down => container compose-down  certain
            docker compose -p x down -t 3 -v => container compose-down  certain; container remove-volume  certain -r
            docker-compose down --volumes --rmi all => container compose-down  certain; container remove-volume  certain -r; container remove-image  certain -r
            docker compose --dry-run down -v =>
            docker compose up -d => container start  certain
            docker compose logs -f =>
            docker compose rm -f web => container remove-container web certain -f
            ",
        );
    }

    #[test]
    fn data_goes_in_and_out() {
        assert_eq!(
            effects(&["docker", "cp", "c:/x", "/etc/passwd"]),
            ["write copy-out /etc/passwd certain -r"]
        );
        assert_eq!(
            effects(&["docker", "cp", "/etc/passwd", "web:/tmp"]),
            [
                "read copy-in /etc/passwd certain",
                "container copy-in web:/tmp certain <[File(\"/etc/passwd\")]"
            ]
        );
        check(
            "
            docker cp web:/etc/x . => write copy-out /shop/x certain -r
            docker push r.example/x:1 => publish push-image r.example/x:1 certain
            docker buildx build --push -t r/x . => publish push-image r/x certain
            docker build https://example.com/r.git => receive build-context https://example.com/r.git certain
            docker pull x => receive pull-image x certain
            docker save -o x.tar img => overwrite save-image /shop/x.tar certain
            docker login -u me -p word r.example => send login r.example certain
            ",
        );
    }
}
