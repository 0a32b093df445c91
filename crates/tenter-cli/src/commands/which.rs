//! Options that select hosts and scopes.

use std::path::PathBuf;

use clap::ValueEnum;
use tenter_hosts::install;
use tenter_model::{HostId, UnknownHost};
use tenter_setup::Places;
use tenter_setup::survey::{Survey, survey};

use crate::error::CommandError;
use crate::places;

/// Hosts, scope and place.
#[derive(Debug, clap::Args)]
pub(crate) struct Which {
    /// Hosts: `auto` (those found on this machine), `all`, or a list such as `cursor,codex`
    #[arg(long, value_name = "auto|all|LIST", default_value = "auto", value_parser = hosts)]
    pub(crate) hosts: Hosts,
    /// Working folder, if not this one
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// File system root, for building images and packages with managed files
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

/// The requested hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hosts {
    Auto,
    Listed(Vec<HostId>),
}

/// Whose configuration, for clap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// The files of this repository
    Project,
    /// Your files
    User,
    /// The administrator's files
    Managed,
}

impl From<Scope> for install::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Project => Self::Project,
            Scope::User => Self::User,
            Scope::Managed => Self::Managed,
        }
    }
}

fn hosts(text: &str) -> Result<Hosts, CommandError> {
    match text {
        "auto" => Ok(Hosts::Auto),
        "all" => Ok(Hosts::Listed(HostId::ALL.to_vec())),
        list => listed(list).map(Hosts::Listed),
    }
}

/// Parses a comma-separated list of hosts.
pub(crate) fn listed(text: &str) -> Result<Vec<HostId>, CommandError> {
    let mut hosts = Vec::new();
    for name in text.split([',', ' ']).filter(|name| !name.is_empty()) {
        let host = name.parse().map_err(|error: UnknownHost| CommandError::usage(error))?;
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    Ok(hosts)
}

impl Which {
    /// The absolute path of the folder.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        let here = std::env::current_dir().ok()?;
        Some(self.cwd.as_ref().map_or_else(|| here.clone(), |cwd| here.join(cwd)))
    }

    /// The places as seen from the folder.
    pub(crate) fn places(&self) -> Result<Places, CommandError> {
        let here = std::env::current_dir().map_err(|error| {
            CommandError::usage(format!("cannot tell the current folder: {error}"))
        })?;
        let cwd = self.cwd.as_ref().map_or_else(|| here.clone(), |cwd| here.join(cwd));
        if !cwd.is_dir() {
            return Err(CommandError::usage(format!("{} is not a folder", cwd.display())));
        }
        let root = self.root.as_ref().map(|root| here.join(root));
        Ok(places::read(&cwd, root.as_deref()))
    }

    /// The selected hosts.
    pub(crate) fn pick(&self, survey: &Survey) -> Vec<HostId> {
        match &self.hosts {
            Hosts::Listed(hosts) => hosts.clone(),
            Hosts::Auto => {
                let here = survey.hosts.iter().filter(|state| state.is_here());
                here.map(|state| state.host).collect()
            }
        }
    }
}

/// Surveys all hosts.
pub(crate) fn look(places: &Places) -> Survey {
    survey(places, &tenter_setup::detect::detect_all(places))
}
