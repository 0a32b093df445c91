//! Prints records as lines, JSON or CSV.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use tenter_audit::Record;

use super::line::Lines;
use super::text;
use crate::commands::Style;
use crate::csv;

pub(super) struct Printer {
    out: BufWriter<Stdout>,
    form: Form,
}

enum Form {
    Lines(Lines),
    /// Control characters are escaped on a terminal.
    Json {
        escaped: bool,
    },
    Csv,
}

impl Printer {
    pub(super) fn new(json: bool, csv: bool) -> Self {
        let out = io::stdout();
        let form = if json {
            Form::Json { escaped: out.is_terminal() }
        } else if csv {
            Form::Csv
        } else {
            Form::Lines(Lines::new(Style::of_stdout(), text::columns()))
        };
        Self { out: BufWriter::new(out), form }
    }

    /// Updates the terminal's width, which may change while following.
    pub(super) fn look_again(&mut self) {
        if let Form::Lines(lines) = &mut self.form {
            lines.set_room(text::columns());
        }
    }

    /// Prints the header.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        match self.form {
            Form::Csv => self.out.write_all(csv::header().as_bytes()),
            Form::Lines(_) | Form::Json { .. } => Ok(()),
        }
    }

    /// Says that there are earlier records.
    pub(super) fn earlier(&mut self) -> io::Result<()> {
        match self.form {
            Form::Lines(_) => {
                let text = "earlier records are left out; `-n` shows more";
                writeln!(self.out, "{}", Style::of_stdout().paint("2", text))
            }
            Form::Csv | Form::Json { .. } => Ok(()),
        }
    }

    /// Prints stored records, aligned with each other.
    pub(super) fn page(&mut self, page: &[String]) -> io::Result<()> {
        if let Form::Json { .. } = self.form {
            return page.iter().try_for_each(|line| self.json(line));
        }
        // Invalid lines are damaged; `verify` reports them.
        let records: Vec<_> = page.iter().filter_map(|line| Record::parse(line).ok()).collect();
        if let Form::Lines(lines) = &mut self.form {
            for record in &records {
                lines.measure(record);
            }
        }
        records.iter().try_for_each(|record| self.record("", record))
    }

    /// Prints one record; `line` is its stored form.
    pub(super) fn record(&mut self, line: &str, record: &Record<'_>) -> io::Result<()> {
        match &mut self.form {
            Form::Lines(lines) => self.out.write_all(lines.line(record).as_bytes()),
            Form::Csv => self.out.write_all(csv::row(record).as_bytes()),
            Form::Json { .. } => self.json(line),
        }
    }

    fn json(&mut self, line: &str) -> io::Result<()> {
        match self.form {
            Form::Json { escaped: true } => {
                self.out.write_all(text::harmless_json(line).as_bytes())?;
            }
            _ => self.out.write_all(line.as_bytes())?,
        }
        self.out.write_all(b"\n")
    }

    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
