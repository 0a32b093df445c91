//! Kinds of findings, with severity and advice.

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Runs only on request, or changes little.
    Note,
    /// Runs or is obeyed automatically.
    Warning,
    /// Disables protection, or does what the guard would block.
    Danger,
}

impl Severity {
    pub const ALL: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Danger];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Danger => "danger",
        }
    }
}

macro_rules! kinds {
    ($($name:ident $id:literal $severity:ident $title:literal, $fix:literal;)*) => {
        /// Kind of a finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind { $(#[doc = $title] $name,)* }

        impl Kind {
            pub const ALL: &'static [Kind] = &[$(Kind::$name,)*];

            /// Stable machine-readable name.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// Short description.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }

            /// Default severity.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// Advice.
            pub const fn fix(self) -> &'static str {
                match self { $(Self::$name => $fix,)* }
            }
        }
    };
}

kinds! {
    Hook "hook" Warning "a command that an agent runs by itself",
        "read the command and its scripts; take the entry out if it should not run";
    PluginCode "plugin-code" Warning "code that an agent loads into itself",
        "read the file; take it out if it should not run";
    AgentCommand "agent-command" Warning "a setting by which an agent runs a command",
        "read the command; take the setting out if it should not run";
    Environment "environment" Warning "an environment variable that loads code or changes what programs do",
        "take it out, or set it yourself where you know what it does";
    Redirect "redirect" Danger "a setting that sends what the agent says to another server",
        "take it out unless the server is yours";
    Permission "permission" Warning "a grant that lets the agent act without asking",
        "take it out, and grant in your own settings what you want to grant";
    SwitchedOff "switched-off" Danger "a setting that switches hooks or other protection off",
        "take it out; nothing guards the agent otherwise";
    McpServer "mcp-server" Warning "a server whose program is started and whose tools are offered to the agent",
        "look at what it starts or where it leads; take it out if you do not need it";
    Plugin "plugin" Warning "a plugin or a place that plugins come from",
        "look at the plugin before it is enabled";
    Instruction "instruction" Warning "instructions that run commands when they are used",
        "read the commands; take them out if they should not run";
    EditorTask "editor-task" Warning "a task that an editor runs when the folder is opened",
        "take the `folderOpen` out, or open the folder without trusting it";
    EditorSetting "editor-setting" Warning "a setting of an editor that runs a program or takes a question away",
        "take it out, or open the folder without trusting it";
    Container "container" Note "a command of a development container",
        "read the command before the container is built";
    FolderScript "folder-script" Warning "a script that runs when a shell or an editor enters the folder",
        "read it before you allow it";
    GitHook "git-hook" Note "a script that git runs",
        "read it before you commit, or work with `--no-verify`";
    GitConfig "git-config" Warning "a setting of the repository by which git runs a program",
        "take it out with `git config --unset`";
    PackageScript "package-script" Note "a script that runs when packages are installed",
        "read it before you install, or install with `--ignore-scripts`";
    PolicyHandler "policy-handler" Warning "a program that the folder's own policy runs on events",
        "read it; it runs only once `tenter trust` was told so";
    HiddenText "hidden-text" Danger "characters in instructions for agents that cannot be seen",
        "look at the file in an editor that shows them, and take them out";
    Orders "orders" Warning "instructions that try to turn the agent against you",
        "read the text; take it out if it is not what you want the agent to do";
    LeadsOut "leads-out" Warning "a link that leads out of the folder",
        "look where it leads; it was not followed";
    Unreadable "unreadable" Warning "something that could not be looked at",
        "look at it yourself: an agent may read what this program cannot";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_an_id_of_its_own_and_says_what_to_do() {
        let mut ids: Vec<&str> = Kind::ALL.iter().map(|kind| kind.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), Kind::ALL.len());
        for kind in Kind::ALL {
            assert!(!kind.fix().is_empty() && !kind.title().ends_with('.'), "{}", kind.id());
        }
    }
}
