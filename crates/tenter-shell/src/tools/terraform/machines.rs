//! Tools that bring other machines into a declared state, or run something on all of them.

use super::named;
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::options::Spec;
use crate::syntax::Dialect;
use crate::target::Target;
use crate::tools::table::{Cli, is_harmless, judge, secret_read};
use crate::value::Field;
use crate::world::Language;

const SHELL: Language = Language::Shell(Dialect::Posix);

const ANSIBLE: Spec = Spec::new(
    "m:a:i:e:f:l:u:M:t:c:T:B:P:",
    "module-name= args= inventory= extra-vars= forks= limit= user= module-path= tree= \
     connection= timeout= background= poll= become-user= become-method= private-key= \
     key-file= vault-id= vault-password-file= ssh-common-args= tags= skip-tags= \
     start-at-task= become-password-file= playbook-dir=",
);

const ONLY_LOOKS: &[&str] =
    &["C", "check", "syntax-check", "list-hosts", "list-tasks", "list-tags", "h"];

/// `ansible hosts -m module -a arguments`.
pub(super) fn ansible(call: &mut Call<'_, '_>) {
    let options = call.options(&ANSIBLE);
    if is_harmless(&options, ONLY_LOOKS) {
        return;
    }
    let module = options.value(&["m", "module-name"]);
    let name = module.and_then(|module| module.exact()).unwrap_or("command");
    match name.rsplit('.').next().unwrap_or_default() {
        "shell" | "command" | "raw" | "win_shell" => {
            if let Some(code) = options.value(&["a", "args"]) {
                call.stdout = call.run_code_elsewhere(SHELL, code);
            }
        }
        "ping" | "setup" | "debug" | "stat" | "gather_facts" | "win_ping" | "assert" => {}
        _ => {
            let given = options.value(&["a", "args"]).map(Field::shown).unwrap_or_default();
            let action = if given.contains("state=absent") {
                Act::Destroy
            } else if given.contains("state=stopped") {
                Act::Stop
            } else if matches!(name, "reboot" | "shutdown") {
                Act::Restart
            } else {
                Act::Module
            };
            call.effect(Kind::Cloud, action, named(module));
        }
    }
}

pub(super) fn playbook(call: &mut Call<'_, '_>) {
    let options = call.options(&ANSIBLE);
    if !is_harmless(&options, ONLY_LOOKS) {
        for file in &options.operands {
            call.on_path(Kind::Cloud, Act::Playbook, file);
        }
    }
}

/// Fetches a playbook and runs it on this machine.
pub(super) fn pull(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("U:d:i:e:C:o", "url= directory= inventory= checkout="));
    if let Some(url) = options.value(&["U", "url"])
        && !is_harmless(&options, &["check"])
    {
        let code = call.receive(Act::Clone, url);
        call.effect_at(Kind::Execute, Act::NetworkCode, named(Some(url)), url.span).sources =
            code.flow;
    }
}

pub(super) fn vault(call: &mut Call<'_, '_>) {
    let options = call.options(&ANSIBLE);
    match options.operand(0) {
        Some("view") => {
            let field = options.operands.get(1).copied();
            secret_read(call, Act::Secret, field);
        }
        Some("decrypt" | "encrypt" | "rekey" | "edit") => {
            for file in options.operands.iter().skip(1) {
                call.on_path(Kind::Write, Act::Encryption, file);
            }
        }
        _ => {}
    }
}

const VAGRANT: Cli = Cli {
    spec: Spec::new("c:", "command= provider= box-version= provision-with="),
    kind: Kind::Container,
    harmless: &["h", "dry-run"],
    force: &["f", "force"],
    recursive: &["all", "a"],
    rules: "",
}
.lines(
    "\
destroy: remove-machine *
box remove: remove-image *
box add: receive/pull-image 1
snapshot delete: remove-volume *
snapshot restore|pop: restore *
halt|suspend: stop *
up|reload|provision|resume: start *
plugin install: install/plugin *
plugin uninstall: install/plugin *
cloud publish: publish/push-image *",
);

pub(super) fn vagrant(call: &mut Call<'_, '_>) {
    let options = call.options(&VAGRANT.spec);
    if options.operand(0) == Some("ssh") {
        if let Some(code) = options.value(&["c", "command"]) {
            call.stdout = call.run_code_elsewhere(SHELL, code);
        }
        if let Some(at) = call.arguments().iter().position(|field| field.is("--")) {
            let command = call.arguments().get(at.saturating_add(1)..).unwrap_or_default();
            call.stdout = call.run_elsewhere(command, None);
        }
        return;
    }
    let rest = call.arguments();
    judge(call, rest, &VAGRANT);
}

/// `salt '*' cmd.run 'code'`; `salt-call` has no hosts.
pub(super) fn salt(call: &mut Call<'_, '_>) {
    let spec = Spec::new("c:t:b:l:", "config-dir= timeout= batch-size= out= log-level= output=");
    let options = call.options(&spec);
    let first = usize::from(call.name == "salt");
    let tested =
        options.operands.iter().any(|field| field.is("test=True") || field.is("test=true"));
    let Some(function) = options.operand(first) else { return };
    if tested || is_harmless(&options, &[]) {
        return;
    }
    match function {
        "cmd.run" | "cmd.shell" | "cmd.run_all" | "cmd.run_stdout" => {
            if let Some(code) = options.operands.get(first + 1) {
                call.stdout = call.run_code_elsewhere(SHELL, code);
            }
        }
        name if name.starts_with("test.")
            || name.starts_with("grains.")
            || name.starts_with("pillar.") => {}
        name => {
            let stops = ["system.", "service.stop", "pkg.remove", "pkg.purge", "file.remove"];
            let action = if stops.iter().any(|start| name.starts_with(start)) {
                Act::Stop
            } else {
                Act::Module
            };
            call.effect(Kind::Cloud, action, Target::name(name));
        }
    }
}

const CONVERGE: Cli = Cli {
    spec: Spec::new("c:r:o:j:e:", "config= environment= runlist= modulepath= execute="),
    kind: Kind::System,
    harmless: &["noop", "why-run", "W", "h"],
    force: &["y", "yes"],
    recursive: &["purge"],
    rules: "",
}
.lines(
    "\
apply: converge path*
agent: converge
resource: none
node|client|environment|role|cookbook|data delete|bulk: cloud/delete *
node purge|deactivate|clean: cloud/delete *
data bag delete: cloud/delete *
ssh: none
upload: cloud/deploy *",
);

pub(super) fn converge(call: &mut Call<'_, '_>) {
    let rest = call.arguments();
    if call.name.starts_with("chef") {
        if !is_harmless(&call.options(&CONVERGE.spec), CONVERGE.harmless) {
            call.effect(Kind::System, Act::Converge, Target::None);
        }
        return;
    }
    judge(call, rest, &CONVERGE);
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn other_machines_are_reached() {
        check(
            "
            ansible-playbook -i hosts site.yml -e a=b => cloud playbook /shop/site.yml certain
            ansible-playbook --check site.yml =>
            ansible-playbook --syntax-check site.yml =>
            ansible all -m ping =>
            ansible all -m ansible.builtin.service -a name=x => cloud module ansible.builtin.service certain
            ansible-pull -U https://example.com/x.git => receive clone https://example.com/x.git certain; execute network-code https://example.com/x.git certain <[Network(\"https://example.com/x.git\")]
            ansible-vault view x.yml => read secret x.yml certain
            salt * state.apply => cloud module state.apply certain
            salt * state.apply test=True =>
            salt * test.ping =>
            puppet apply site.pp => system converge /shop/site.pp certain
            puppet apply --noop site.pp =>
            knife node delete web -y => cloud delete web certain -f
            ",
        );
    }
}
