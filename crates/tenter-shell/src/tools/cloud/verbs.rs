//! Verbs of cloud commands.

use crate::act::Act;

/// Class of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    /// Not a verb: a group or a name.
    Other,
    /// Read-only, or irrelevant.
    Look,
    Does(Act),
}

/// Reads a word such as `delete`, `delete-bucket` or `DeleteInstance`.
pub(super) fn verb(word: &str) -> Verb {
    let word = ["batch-", "bulk-", "admin-", "force-"]
        .iter()
        .find_map(|start| word.strip_prefix(start))
        .unwrap_or(word);
    let head = word.split('-').next().unwrap_or_default();
    let first = head.bytes().next().unwrap_or_default();
    if first.is_ascii_uppercase() {
        let size = head.bytes().skip(1).take_while(u8::is_ascii_lowercase).count() + 1;
        let lower = head.get(..size).unwrap_or_default().to_ascii_lowercase();
        return by_head(&lower);
    }
    if word.ends_with("-iam-policy-binding") || word == "set-iam-policy" {
        return Verb::Does(if head == "remove" { Act::Revoke } else { Act::Grant });
    }
    by_head(head)
}

fn by_head(head: &str) -> Verb {
    let does = match head {
        "delete" | "destroy" | "terminate" | "remove" | "rm" | "del" | "purge" | "wipe"
        | "erase" | "drop" | "deregister" | "unregister" | "abandon" | "release" | "undeploy"
        | "shred" | "clear" => Act::Delete,
        "revoke" | "disassociate" | "detach" | "unset" | "unlink" | "unassign" | "withdraw" => {
            Act::Revoke
        }
        "disable" | "suspend" | "deactivate" => Act::Disable,
        "stop" | "cancel" | "abort" | "shutdown" | "poweroff" | "deallocate" | "halt" | "kill" => {
            Act::Stop
        }
        "reboot" | "restart" => Act::Restart,
        "reset" | "rollback" | "restore" | "rebuild" | "reimage" | "reinstall" | "failover" => {
            Act::Reset
        }
        "create" | "register" | "clone" | "import" | "allocate" | "provision" | "launch"
        | "start" => Act::Create,
        "deploy" | "submit" | "redeploy" => Act::Deploy,
        "authorize" => Act::Expose,
        "grant" => Act::Grant,
        "update" | "modify" | "put" | "set" | "change" | "edit" | "attach" | "associate"
        | "enable" | "replace" | "rotate" | "upgrade" | "resize" | "scale" | "move" | "apply"
        | "patch" | "add" | "assign" | "promote" | "rename" | "tag" | "untag" => Act::Change,
        "list" | "ls" | "describe" | "show" | "get" | "view" | "status" | "search" | "logs"
        | "tail" | "read" | "ssh" | "scp" | "connect" | "wait" | "check" | "query" | "lookup"
        | "what" | "validate" | "help" | "export" | "download" | "head" | "test" | "browse"
        | "print" | "access" | "info" => {
            return Verb::Look;
        }
        _ => return Verb::Other,
    };
    Verb::Does(does)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_read_in_every_spelling() {
        for (word, expected) in [
            ("delete", Verb::Does(Act::Delete)),
            ("delete-bucket", Verb::Does(Act::Delete)),
            ("batch-delete-image", Verb::Does(Act::Delete)),
            ("DeleteInstance", Verb::Does(Act::Delete)),
            ("DescribeInstances", Verb::Look),
            ("describe-instances", Verb::Look),
            ("add-iam-policy-binding", Verb::Does(Act::Grant)),
            ("remove-iam-policy-binding", Verb::Does(Act::Revoke)),
            ("instances", Verb::Other),
            ("deletion", Verb::Other),
            ("", Verb::Other),
        ] {
            assert_eq!(verb(word), expected, "{word}");
        }
    }
}
