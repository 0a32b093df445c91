//! Runs the built binary in its own folders and environment.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A home with a configuration, and a project folder.
pub(crate) struct Judge {
    folder: PathBuf,
    variables: Vec<(String, String)>,
}

/// Output and exit code of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: i32,
    pub(crate) took: Duration,
}

impl Judge {
    /// Without any configuration.
    pub(crate) fn unconfigured() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tenter-judge-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(folder.join("config/tenter")).unwrap();
        fs::create_dir_all(folder.join("project")).unwrap();
        Self { folder, variables: Vec::new() }
    }

    /// With this text as the user's configuration.
    pub(crate) fn with_text(text: &str) -> Self {
        let judge = Self::unconfigured();
        judge.write("config/tenterhook/judge.toml", text);
        judge
    }

    /// With a local server, the model `small` and `more` lines.
    pub(crate) fn with(api: &str, port: u16, more: &str) -> Self {
        let path = if api == "openai" { "/v1" } else { "" };
        Self::with_text(&format!(
            "api = \"{api}\"\nendpoint = \"http://127.0.0.1:{port}{path}\"\nmodel = \"small\"\n{more}"
        ))
    }

    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tenter-server"));
        command.args(arguments).current_dir(self.folder.join("project")).env_clear();
        // Windows cannot open sockets without it.
        command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
        command.env("HOME", self.folder.join("home"));
        command.env("APPDATA", self.folder.join("config"));
        command.env("XDG_CONFIG_HOME", self.folder.join("config"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    pub(crate) fn run_with(&self, arguments: &[&str], stdin: &str) -> Ran {
        let started = Instant::now();
        let mut child = self.start(arguments);
        // It may exit before it has read everything.
        drop(child.stdin.take().unwrap().write_all(stdin.as_bytes()));
        Self::finish(child, started)
    }

    pub(crate) fn finish(child: Child, started: Instant) -> Ran {
        let output = child.wait_with_output().unwrap();
        Ran {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            exit: output.status.code().unwrap_or(-1),
            took: started.elapsed(),
        }
    }

    /// Asks a standard question.
    pub(crate) fn run(&self) -> Ran {
        self.run_with(&["judge"], r#"{"prompt":"May it?","model":null,"other":[1]}"#)
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

impl Ran {
    #[track_caller]
    pub(crate) fn says(&self, stdout: &str) {
        let whole = (self.stdout.as_str(), self.stderr.as_str(), self.exit);
        assert_eq!(whole, (format!("{stdout}\n").as_str(), "", 0));
    }

    /// Checks a failure: empty stdout, one line on stderr that contains `wanted`.
    #[track_caller]
    pub(crate) fn fails(&self, exit: i32, wanted: &str) {
        assert_eq!((self.stdout.as_str(), self.exit), ("", exit), "{self:?}");
        assert!(self.stderr.starts_with("tenter-server judge: "), "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        assert!(self.stderr.contains(wanted), "wanted `{wanted}` in {self:?}");
    }
}
