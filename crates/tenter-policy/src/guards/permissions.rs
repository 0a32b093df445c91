//! Guard of permissions: modes, owners, access lists, rights of other users.

mod checks;

use tenter_shell::Act;
use tenter_shell::{Effect, Field, Kind, PathTarget, Role, Target};

use super::destructive_files::names;
use crate::finding::{At, Found};
use crate::guard::Check;
use crate::places::Zone;
use crate::scene::Scene;
use checks::{
    ATTRIBUTES, CAPABILITIES, EVERYBODY, EXPOSED, GROUP, LOCKED, LOGIN, MODE, OUTSIDE, SETUID,
    SUDOERS, SYSTEM, UNKNOWN, VITAL, WIDE, WORKSPACE,
};

pub(super) use checks::GUARD;

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        match effect.kind {
            Kind::Permission | Kind::Owner => {
                if let Target::Path(path) = &effect.target {
                    let zone = scene.places.zone(path);
                    if zone != Zone::Nothing {
                        Change { scene, effect, path, zone }.judge(found);
                    }
                }
            }
            Kind::Privilege if !effect.elsewhere => privilege(effect, found),
            Kind::Write | Kind::Append | Kind::Overwrite if !effect.elsewhere => {
                granted(effect, found);
            }
            _ => {}
        }
    }
}

fn privilege(effect: &Effect, found: &mut Found<'_>) {
    let subject = effect.target.shown();
    let at = At::effect(effect, &subject);
    match effect.action {
        Act::EditSudoers => found.add(&SUDOERS, at, "changes who may become root"),
        Act::JoinGroup => {
            let mut groups = subject.split(',');
            let powerful = |name: &str| {
                const GROUPS: &[&str] = &[
                    "root",
                    "sudo",
                    "wheel",
                    "admin",
                    "docker",
                    "lxd",
                    "libvirt",
                    "disk",
                    "shadow",
                    "kvm",
                    "adm",
                    "administrators",
                ];
                GROUPS.iter().any(|group| group.eq_ignore_ascii_case(name.trim()))
            };
            if groups.any(powerful) {
                found.add(&GROUP, at, format!("adds an account to the group {subject}"));
            }
        }
        _ => {}
    }
}

/// Checks files that grant rights to listed users.
fn granted(effect: &Effect, found: &mut Found<'_>) {
    let Target::Path(path) = &effect.target else {
        return;
    };
    let real = path.real.as_deref().unwrap_or_default();
    let shown = path.shown();
    let is = |test: fn(&str) -> bool| test(&shown) || test(real);
    if is(|path| path == "/etc/sudoers" || path.starts_with("/etc/sudoers.d/")) {
        let what = format!("changes who may become root: {shown}");
        found.add(&SUDOERS, At::effect(effect, &shown), what);
    } else if is(|path| path.ends_with("/.ssh/authorized_keys")) {
        let what = format!("changes who may log in: {shown}");
        found.add(&LOGIN, At::effect(effect, &shown), what);
    }
}

/// One change of permissions.
struct Change<'c> {
    scene: &'c Scene<'c>,
    effect: &'c Effect,
    path: &'c PathTarget,
    zone: Zone,
}

impl Change<'_> {
    fn add(&self, found: &mut Found<'_>, check: &Check, does: &str) {
        let subject = self.path.shown();
        found.add(check, At::effect(self.effect, &subject), format!("{does} {subject}"));
    }

    fn judge(&self, found: &mut Found<'_>) {
        let whole = self.effect.recursive || self.scene.places.takes_all(self.path);
        let wide = matches!(self.zone, Zone::Root | Zone::SystemTree | Zone::Home);
        if self.effect.elsewhere {
            if wide && whole {
                self.add(found, &OUTSIDE, "changes rights, on another machine, of everything in");
            }
            return;
        }
        if self.scene.places.depends(self.path) && self.zone <= Zone::Unknown {
            if whole && (wide || self.zone == Zone::Unknown && self.grants()) {
                self.add(found, &UNKNOWN, "changes the rights of an unknown path:");
            }
            return;
        }
        if wide && whole {
            return self.add(found, &WIDE, "changes the rights of everything in");
        }
        let kept = self.effect.kind == Kind::Owner && !self.is_own();
        if self.zone == Zone::HomeTree && kept {
            return self.add(found, &OUTSIDE, "changes the owner of");
        }
        if wide && (kept || self.effect.action == Act::RemoveAccess) {
            return self.add(found, &WIDE, "removes the rights on");
        }
        if self.vital(found) || self.special(found) {
            return;
        }
        match self.zone {
            Zone::Root | Zone::SystemTree | Zone::System if !self.is_by_hand() => {
                self.add(found, &SYSTEM, "changes the rights of");
            }
            Zone::HomeTree | Zone::Personal if self.exposes() => {
                self.add(found, &EXPOSED, "makes readable by others:");
            }
            Zone::Workspace | Zone::Repository if self.effect.recursive && !self.is_own() => {
                self.add(found, &WORKSPACE, "changes the rights of everything in");
            }
            Zone::HomeTree | Zone::Personal | Zone::Outside if whole && !self.is_key_folder() => {
                self.add(
                    found,
                    &OUTSIDE,
                    "changes rights, outside the workspace, of everything in",
                );
            }
            Zone::Inside if whole && self.effect.action == Act::RemoveAccess => {
                self.add(found, &LOCKED, "removes the rights on everything in");
            }
            Zone::Inside | Zone::Repository | Zone::Personal | Zone::Outside => {
                self.add(found, &MODE, "changes the rights of");
            }
            _ => {}
        }
    }

    /// Checks essential system files, and the root folder.
    fn vital(&self, found: &mut Found<'_>) -> bool {
        let shown = self.path.shown();
        let lends = self.lends();
        let file = names::is_vital_file(&shown);
        let program = self.zone == Zone::System && names::is_vital(&shown);
        let closed = self.operands().any(|field| field.is("-x") || field.is("a-x"));
        let open = self.effect.action == Act::WorldWritable && !self.is_sticky();
        if file || (self.zone == Zone::Root && open) || (program && (lends || open || closed)) {
            self.add(found, &VITAL, "changes the rights of");
        } else if lends && self.is_root() {
            self.add(found, &VITAL, "gives root's rights to");
        } else {
            return false;
        }
        true
    }

    /// Whether a program gets its owner's rights; setgid on a folder does not count.
    fn lends(&self) -> bool {
        let group = |field: &Field| {
            let text = field.prefix();
            text == "g+s" || (text.len() == 4 && text.starts_with('2'))
        };
        matches!(self.effect.action, Act::Setuid | Act::SetUserId | Act::Capabilities)
            && !self.operands().any(group)
    }

    /// Whether it runs as root.
    fn is_root(&self) -> bool {
        self.scene
            .program(self.effect)
            .is_some_and(|ran| ran.via.iter().any(|via| via.is(Role::BecomesRoot)))
            && self.effect.action != Act::Capabilities
    }

    /// Checks that apply wherever the file is.
    fn special(&self, found: &mut Found<'_>) -> bool {
        let own = matches!(self.zone, Zone::Temporary | Zone::Generated);
        match self.effect.action {
            Act::Setuid | Act::SetUserId => {
                self.add(found, &SETUID, "gives its owner's rights to every user of");
            }
            Act::Capabilities => self.add(found, &CAPABILITIES, "gives root capabilities to"),
            // With the sticky bit only owners can delete in it.
            Act::WorldWritable if own || self.is_sticky() => return true,
            Act::WorldWritable => self.add(found, &EVERYBODY, "makes writable by every user:"),
            Act::Immutable | Act::Mutable if !own => {
                self.add(found, &ATTRIBUTES, "changes the write protection of");
            }
            _ => return false,
        }
        true
    }

    /// Whether the new permissions grant more than they revoke.
    fn grants(&self) -> bool {
        matches!(self.effect.action, Act::WorldWritable | Act::Setuid | Act::Owner)
    }

    /// Whether the file was installed manually: `chmod +x /usr/local/bin/tool`.
    fn is_by_hand(&self) -> bool {
        let shown = self.path.shown();
        let folders = ["/usr/local/", "/opt/", "/var/www/", "/srv/"];
        // `install` sets the owner of its copy; existing files are not touched.
        (self.effect.action == Act::Mode || self.scene.is(self.effect, Role::InstallsFile))
            && folders.iter().any(|folder| shown.starts_with(folder))
    }

    fn is_key_folder(&self) -> bool {
        let shown = self.path.shown();
        self.effect.kind == Kind::Permission
            && (shown.contains("/.ssh") || shown.contains("/.gnupg"))
    }

    /// Whether others could read a key afterwards.
    fn exposes(&self) -> bool {
        let shown = self.path.shown();
        let secret = ["/.ssh", "/.gnupg", "/.aws", "/.kube", "/.netrc", "/.docker", "/.azure"];
        let public = [".pub", "/known_hosts", "/config", "/authorized_keys"];
        let opens = |field: &Field| {
            let text = field.prefix();
            let octal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            (octal && text.len() > 2 && !text.ends_with("00"))
                || ["a+", "o+", "g+", "+r", "go+", "a=", "o="]
                    .iter()
                    .any(|who| text.starts_with(who))
        };
        self.effect.kind == Kind::Permission
            && secret.iter().any(|folder| shown.contains(folder))
            && !public.iter().any(|end| shown.ends_with(end))
            && self.operands().any(opens)
    }

    fn operands(&self) -> impl Iterator<Item = &Field> {
        let argv = self.scene.program(self.effect).map_or(&[][..], |ran| ran.argv.as_slice());
        argv.iter().skip(1).filter(|field| !field.prefix().starts_with("--"))
    }

    fn is_sticky(&self) -> bool {
        self.operands().any(|field| field.is("1777") || field.is("+t") || field.is("a+rwxt"))
    }

    /// Whether the change makes files more private to the user.
    fn is_own(&self) -> bool {
        let user = self.scene.world.user;
        self.operands().any(|field| {
            let text = field.shown();
            match self.effect.kind {
                Kind::Owner => {
                    let owner = text.split([':', '.']).next().unwrap_or_default();
                    Some(owner) == user
                        || ["$USER", "$(id", "$(whoami", "$UID", "$LOGNAME", "$(…"]
                            .iter()
                            .any(|own| text.starts_with(own))
                }
                _ => ["u+", "g+", "+X", "go-", "o-", "g-", "a+r", "+r"]
                    .iter()
                    .any(|start| text.starts_with(start)),
            }
        })
    }
}
