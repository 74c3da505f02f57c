//! A folder of files for one target, in memory where the system has such a place.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use crate::delta::failure::{Failure, Outcome};
use crate::delta::files::Piece;

pub struct Bench {
    folder: PathBuf,
}

impl Bench {
    fn new() -> Bench {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = base.join(format!("godwit-fuzz-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the files of a target");
        Bench { folder }
    }

    pub fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().expect("a path in UTF-8").to_owned()
    }

    pub fn write(&self, name: &str, bytes: &[u8]) -> Piece {
        fs::write(self.folder.join(name), bytes).expect("written");
        Piece { path: self.path(name), offset: 0, length: bytes.len() as u64 }
    }

    /// What was made under this name, which is free again afterwards.
    pub fn take(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.folder.join(name);
        let bytes = fs::read(&path).ok()?;
        fs::remove_file(&path).expect("removed");
        Some(bytes)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

thread_local! {
    static BENCH: RefCell<Option<Bench>> = const { RefCell::new(None) };
}

/// Runs it on the one bench of this process.
pub fn on_bench<T>(work: impl FnOnce(&Bench) -> T) -> T {
    BENCH.with(|slot| work(slot.borrow_mut().get_or_insert_with(Bench::new)))
}

/// `None` for what bytes from outside may be refused with; any other failure is a finding.
pub fn refused<T>(outcome: Outcome<T>) -> Option<T> {
    match outcome {
        Ok(value) => Some(value),
        Err(Failure::Damaged(_)) => None,
        Err(other) => panic!("not refused as damaged: {other:?}"),
    }
}

/// The input as some parts of any lengths: so many numbers in front say where it is cut.
pub fn parts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut parts = [&[] as &[u8]; N];
    let (lengths, mut rest) = data.split_at(data.len().min(2 * (N - 1)));
    for (part, length) in parts.iter_mut().zip(lengths.chunks(2)) {
        let wanted = length.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        (*part, rest) = rest.split_at(wanted.min(rest.len()));
    }
    parts[N - 1] = rest;
    parts
}
