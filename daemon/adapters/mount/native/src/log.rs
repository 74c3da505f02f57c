//! The log of operations: a file that only grows, until Node has taken up all that is in it.
//!
//! Invariant: it holds whole lines in their order. What the disk refused is kept, and goes before what comes later.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Mutex;

use crate::lock::hold;

pub struct OpLog {
    path: String,
    written: Mutex<Written>,
}

struct Written {
    file: File,
    /// Bytes of whole lines.
    length: u64,
    /// Lines that the disk did not take yet.
    behind: Vec<u8>,
}

impl Written {
    fn begin(path: &str, seq: u64) -> io::Result<Self> {
        let file = fresh(path, seq)?;
        let length = file.metadata()?.len();
        Ok(Written { file, length, behind: Vec::new() })
    }

    fn catch_up(&mut self) -> io::Result<()> {
        if self.behind.is_empty() {
            return Ok(());
        }
        // A part of a line would end what is read of the log after a crash.
        if self.file.metadata()?.len() != self.length {
            self.file.set_len(self.length)?;
        }
        self.file.write_all(&self.behind)?;
        self.length += self.behind.len() as u64;
        self.behind.clear();
        Ok(())
    }
}

impl OpLog {
    /// A new log, whose first operation has a number above `seq`. What was there is replaced.
    pub fn begin(path: &str, seq: u64) -> io::Result<Self> {
        Ok(OpLog { path: path.to_owned(), written: Mutex::new(Written::begin(path, seq)?) })
    }

    /// In one write for all: after an end in it there is a beginning of them. What fails is written with the next ones.
    pub fn append(&self, lines: &[String]) -> io::Result<()> {
        let mut written = hold(&self.written);
        for line in lines {
            written.behind.extend_from_slice(line.as_bytes());
            written.behind.push(b'\n');
        }
        written.catch_up()
    }

    /// Writes what the disk did not take before.
    pub fn catch_up(&self) -> io::Result<()> {
        hold(&self.written).catch_up()
    }

    /// All that was appended is on the disk then.
    pub fn sync(&self) -> io::Result<()> {
        let mut written = hold(&self.written);
        written.catch_up()?;
        let file = written.file.try_clone()?;
        drop(written);
        file.sync_data()
    }

    /// Nothing in it is wanted any more.
    pub fn rotate(&self, seq: u64) -> io::Result<()> {
        *hold(&self.written) = Written::begin(&self.path, seq)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_disk_refused_is_written_before_what_comes_later() {
        let folder = std::env::temp_dir().join(format!("godwit-mount-log-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("log").to_string_lossy().into_owned();
        let log = OpLog::begin(&path, 0).unwrap();
        log.append(&["one".into()]).unwrap();
        // A file that takes no writes stands for a full disk, and half a line for what was begun there.
        let good = std::mem::replace(&mut hold(&log.written).file, File::open(&path).unwrap());
        assert!(log.append(&["two".into()]).is_err());
        assert!(log.sync().is_err());
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"tw").unwrap();
        assert!(log.catch_up().is_err());
        hold(&log.written).file = good;
        log.append(&["three".into()]).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"base\":0}\none\ntwo\nthree\n");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
