//! The log of operations: a file that only grows, until Node has taken up all that is in it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Mutex;

use crate::lock::hold;

pub struct OpLog {
    path: String,
    file: Mutex<File>,
}

impl OpLog {
    /// A new log, whose first operation has a number above `seq`. What was there is replaced.
    pub fn begin(path: &str, seq: u64) -> io::Result<Self> {
        Ok(OpLog { path: path.to_owned(), file: Mutex::new(fresh(path, seq)?) })
    }

    /// In one write for all: after an end in it there is a beginning of them.
    pub fn append(&self, lines: &[String]) -> io::Result<()> {
        let mut text = lines.join("\n");
        text.push('\n');
        hold(&self.file).write_all(text.as_bytes())
    }

    pub fn sync(&self) -> io::Result<()> {
        let file = hold(&self.file).try_clone()?;
        file.sync_data()
    }

    /// Nothing in it is wanted any more.
    pub fn rotate(&self, seq: u64) -> io::Result<()> {
        let mut file = hold(&self.file);
        *file = fresh(&self.path, seq)?;
        Ok(())
    }
}

/// Written beside the old one, so that there is always a whole one.
fn fresh(path: &str, seq: u64) -> io::Result<File> {
    let beside = format!("{path}.new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    file.write_all(format!("{{\"base\":{seq}}}\n").as_bytes())?;
    file.sync_data()?;
    std::fs::rename(&beside, path)?;
    OpenOptions::new().append(true).open(path)
}
