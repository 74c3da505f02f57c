//! Why a call failed, in the form of the host calls: a code and a message.

use std::io;

use crate::host::error::describe;

#[derive(Debug)]
pub enum Failure {
    /// What came from outside is no delta, no chunk list, or not for this base.
    Damaged(&'static str),
    /// The file ends before the bytes that were asked for.
    Short {
        path: String,
    },
    Disk {
        error: io::Error,
        call: &'static str,
        path: String,
    },
}

pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// `DAMAGED`, or an errno's name: bytes that are not there are as a file that is not.
    pub fn describe(&self) -> (String, String) {
        match self {
            Failure::Damaged(why) => ("DAMAGED".to_owned(), (*why).to_owned()),
            Failure::Short { path } => ("ENOENT".to_owned(), format!("ENOENT: read past the end of '{path}'")),
            Failure::Disk { error, call, path } => describe(error, call, path),
        }
    }
}

pub trait At<T> {
    /// Adds the call and the file at which it failed.
    fn at(self, call: &'static str, path: &str) -> Outcome<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, call: &'static str, path: &str) -> Outcome<T> {
        self.map_err(|error| Failure::Disk { error, call, path: path.to_owned() })
    }
}
