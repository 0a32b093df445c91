//! Output of an export: stdout, or a file that is replaced atomically.

use std::borrow::Cow;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};

use crate::commands::log::text::harmless_json;
use crate::error::CommandError;
use crate::output_file::{self, OutputFile};

pub(super) struct Sink {
    out: Out,
    /// On a terminal, control characters are escaped. Files and pipes get the original bytes.
    is_terminal: bool,
    is_left: bool,
}

enum Out {
    Stdout(BufWriter<Stdout>),
    File(BufWriter<OutputFile>, PathBuf),
}

impl Sink {
    pub(super) fn open(path: Option<&Path>) -> Result<Self, CommandError> {
        let Some(path) = path.filter(|path| !output_file::is_stdout(path)) else {
            let is_terminal = io::stdout().is_terminal();
            let out = Out::Stdout(BufWriter::new(io::stdout()));
            return Ok(Self { out, is_terminal, is_left: false });
        };
        let file = BufWriter::new(OutputFile::begin(path)?);
        Ok(Self { out: Out::File(file, path.to_owned()), is_terminal: false, is_left: false })
    }

    /// Writes a text unchanged.
    pub(super) fn text(&mut self, text: &str) -> Result<(), CommandError> {
        let written = match &mut self.out {
            Out::Stdout(out) => out.write_all(text.as_bytes()),
            Out::File(out, _) => out.write_all(text.as_bytes()),
        };
        written.map_err(|error| {
            self.is_left |= error.kind() == ErrorKind::BrokenPipe;
            match &self.out {
                Out::Stdout(_) => no_stdout(&error),
                Out::File(_, path) => output_file::fault(path, error),
            }
        })
    }

    /// Writes JSON and a line feed.
    pub(super) fn line(&mut self, json: &str) -> Result<(), CommandError> {
        let json = if self.is_terminal { harmless_json(json).into() } else { Cow::Borrowed(json) };
        self.text(&json)?;
        self.text("\n")
    }

    /// Whether the reader has closed the pipe.
    pub(super) fn is_left(&self) -> bool {
        self.is_left
    }

    /// Completes the output; returns the file's path.
    pub(super) fn close(self) -> Result<Option<PathBuf>, CommandError> {
        match self.out {
            Out::Stdout(mut out) => match out.flush() {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(no_stdout(&error)),
                _ => Ok(None),
            },
            Out::File(out, path) => {
                let whole = out.into_inner().map_err(io::IntoInnerError::into_error);
                match whole.and_then(OutputFile::commit) {
                    Ok(()) => Ok(Some(path)),
                    Err(error) => Err(output_file::fault(&path, error)),
                }
            }
        }
    }
}

fn no_stdout(error: &io::Error) -> CommandError {
    CommandError::internal(format!("cannot write to stdout: {error}"))
}
