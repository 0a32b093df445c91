//! Where an export goes: stdout, or a file that is whole or not there.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::commands::log::text::harmless_json;

pub(super) struct Sink {
    out: BufWriter<Box<dyn Write>>,
    /// On a terminal: what would act on it is escaped. Files and pipes get the bytes as they are.
    is_terminal: bool,
    file: Option<Target>,
    is_left: bool,
}

/// A file on its way.
struct Target {
    path: PathBuf,
    /// What is written first, to take the place of the file at the end; none for what is no plain file.
    draft: Option<PathBuf>,
}

impl Sink {
    pub(super) fn open(path: Option<&Path>) -> Result<Self, String> {
        let Some(path) = path else {
            let out = BufWriter::new(Box::new(io::stdout()) as Box<dyn Write>);
            let is_terminal = io::stdout().is_terminal();
            return Ok(Self { out, is_terminal, file: None, is_left: false });
        };
        let fault = |error: io::Error| format!("cannot write to {}: {error}", path.display());
        // A pipe or a device is written to as it is.
        let is_plain = std::fs::metadata(path).map_or(true, |it| it.is_file());
        let draft = is_plain.then(|| {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".{}.part", std::process::id()));
            PathBuf::from(name)
        });
        let mut options = OpenOptions::new();
        options.write(true);
        if draft.is_some() {
            options.create_new(true);
        }
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file: File = options.open(draft.as_deref().unwrap_or(path)).map_err(fault)?;
        let out = BufWriter::new(Box::new(file) as Box<dyn Write>);
        let file = Some(Target { path: path.to_owned(), draft });
        Ok(Self { out, is_terminal: false, file, is_left: false })
    }

    /// Writes a text as it is.
    pub(super) fn text(&mut self, text: &str) -> Result<(), String> {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.is_left |= error.kind() == ErrorKind::BrokenPipe;
            self.fault(&error)
        })
    }

    /// Writes JSON and a line feed.
    pub(super) fn line(&mut self, json: &str) -> Result<(), String> {
        let json = if self.is_terminal { harmless_json(json).into() } else { Cow::Borrowed(json) };
        self.text(&json)?;
        self.text("\n")
    }

    /// Whether nobody reads any more.
    pub(super) fn is_left(&self) -> bool {
        self.is_left
    }

    /// Puts everything where it belongs, and says which file that is.
    pub(super) fn close(mut self) -> Result<Option<PathBuf>, String> {
        match self.out.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(None),
            Err(error) => return Err(self.fault(&error)),
            Ok(()) => {}
        }
        let Some(Target { path, draft }) = self.file.take() else { return Ok(None) };
        if let Some(draft) = draft
            && let Err(error) = std::fs::rename(&draft, &path)
        {
            drop(std::fs::remove_file(&draft));
            return Err(format!("cannot write to {}: {error}", path.display()));
        }
        Ok(Some(path))
    }

    fn fault(&self, error: &io::Error) -> String {
        match &self.file {
            Some(file) => format!("cannot write to {}: {error}", file.path.display()),
            None => format!("cannot write to stdout: {error}"),
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        // Half an export is none.
        if let Some(Target { draft: Some(draft), .. }) = &self.file {
            drop(std::fs::remove_file(draft));
        }
    }
}
