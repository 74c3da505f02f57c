//! Spare copies: a private copy of a file that is there in case the file changes, and its original, which the machine has in memory.
//!
//! Who reads a spare copy gets the bytes of the original as long as that is the inode it was, untouched, and open to write for
//! nobody when it was opened; and from the first piece on that was read when it was not any more, those of the copy. Both have the same bytes up
//! to then. So the copy need not stay in memory, and sending a file costs no second one there.
//!
//! What is known of originals is in memory alone, bounded, and may be forgotten: then the copy is read.

use std::collections::VecDeque;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::Mutex;

use super::files::is_open_to_write;
use crate::quic::lock;

/// More than are copied and sent at a time.
const MOST: usize = 64;

/// Identifies an inode and its state: equal values mean that it was not changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Identity {
    pub fn of(file: &File) -> io::Result<Identity> {
        Ok(Identity::from(&file.metadata()?))
    }

    /// The same bytes in the same inode, as far as that is known after it was renamed.
    fn has_bytes_of(&self, other: &Identity) -> bool {
        Identity { changed: other.changed, ..*self } == *other
    }
}

impl From<&Metadata> for Identity {
    fn from(facts: &Metadata) -> Identity {
        Identity {
            device: facts.dev(),
            inode: facts.ino(),
            size: facts.size(),
            modified: (facts.mtime(), facts.mtime_nsec()),
            changed: (facts.ctime(), facts.ctime_nsec()),
        }
    }
}

struct Spare {
    copy: Identity,
    path: PathBuf,
    original: Identity,
}

static SPARES: Mutex<VecDeque<Spare>> = Mutex::new(VecDeque::new());

/// `copy` has the bytes of `original`, which was `before` when the copying began.
pub fn note(copy: &File, original: &File, before: Identity) {
    let facts = || Some((Identity::of(copy).ok()?, Identity::of(original).ok()?, path_of(original)?));
    let Some((copy, after, path)) = facts() else { return };
    if before != after {
        return;
    }
    let mut spares = lock(&SPARES);
    spares.truncate(MOST - 1);
    spares.push_front(Spare { copy, path, original: after });
}

#[cfg(target_os = "linux")]
fn path_of(file: &File) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

#[cfg(not(target_os = "linux"))]
fn path_of(_file: &File) -> Option<PathBuf> {
    None
}

struct Original {
    file: File,
    identity: Identity,
}

impl Original {
    /// Another file may stand there, or a FIFO: neither is waited for, nor read.
    fn open(copy: &Identity) -> Option<Original> {
        let (path, identity) = {
            let spares = lock(&SPARES);
            let spare = spares.iter().find(|spare| spare.copy.has_bytes_of(copy))?;
            (spare.path.clone(), spare.original)
        };
        let flags = libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_NOFOLLOW;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
        let original = Original { file, identity };
        // A process that has it open already may have mapped it, and then no timestamp shows a write.
        (original.is_untouched() && is_open_to_write(&original.file) == Some(false)).then_some(original)
    }

    fn is_untouched(&self) -> bool {
        Identity::of(&self.file).is_ok_and(|now| now == self.identity)
    }

    /// False: it is not what it was, and what was read counts for nothing.
    fn read(&self, bytes: &mut [u8], offset: u64) -> bool {
        self.file.read_exact_at(bytes, offset).is_ok() && self.is_untouched()
    }
}

/// Contents that are read from place to place.
pub struct Contents {
    file: File,
    original: Option<Original>,
}

impl Contents {
    pub fn open(path: &str) -> io::Result<Contents> {
        File::open(path).map(Contents::of)
    }

    pub fn of(file: File) -> Contents {
        let original = Identity::of(&file).ok().and_then(|copy| Original::open(&copy));
        Contents { file, original }
    }

    pub fn read_exact_at(&mut self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        if self.original.as_ref().is_some_and(|original| original.read(bytes, offset)) {
            return Ok(());
        }
        self.original = None;
        self.file.read_exact_at(bytes, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::copy::copy_file;
    use crate::host::files::set_mtime;
    use std::fs;

    /// A file and its spare copy; the bytes of the copy are others, so that it shows which of the two is read.
    struct Pair {
        folder: PathBuf,
    }

    impl Pair {
        fn new(name: &str) -> Pair {
            let folder = std::env::temp_dir().join(format!("godwit-spare-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).unwrap();
            let pair = Pair { folder };
            fs::write(pair.at("original"), "original").unwrap();
            copy_file(&pair.at("original"), &pair.at("copy"), false, true).unwrap();
            let facts = fs::metadata(pair.at("copy")).unwrap();
            fs::write(pair.at("copy"), "the copy").unwrap();
            set_mtime(&pair.at("copy"), facts.mtime() * 1_000_000_000 + facts.mtime_nsec()).unwrap();
            pair
        }

        fn at(&self, name: &str) -> String {
            self.folder.join(name).to_str().unwrap().to_owned()
        }

        fn open(&self) -> Contents {
            Contents::open(&self.at("copy")).unwrap()
        }
    }

    impl Drop for Pair {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }

    fn read(contents: &mut Contents, from: u64, length: usize) -> String {
        let mut bytes = vec![0; length];
        contents.read_exact_at(&mut bytes, from).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn the_original_is_read_as_long_as_it_is_untouched() {
        let pair = Pair::new("untouched");
        assert_eq!(read(&mut pair.open(), 0, 8), "original");
        fs::rename(pair.at("copy"), pair.at("moved")).unwrap();
        let mut moved = Contents::open(&pair.at("moved")).unwrap();
        assert_eq!(read(&mut moved, 3, 5), "ginal");
    }

    #[test]
    fn the_copy_is_read_from_where_the_original_changed() {
        for change in ["written", "shortened", "removed", "renamed"] {
            let pair = Pair::new(change);
            let mut contents = pair.open();
            assert_eq!(read(&mut contents, 0, 4), "orig");
            let original = pair.at("original");
            match change {
                "written" => fs::write(&original, "altered!").unwrap(),
                "shortened" => OpenOptions::new().write(true).open(&original).unwrap().set_len(5).unwrap(),
                "removed" => fs::remove_file(&original).unwrap(),
                _ => fs::rename(&original, pair.at("elsewhere")).unwrap(),
            }
            assert_eq!(read(&mut contents, 4, 4), "copy", "{change}");
            assert_eq!(read(&mut pair.open(), 0, 8), "the copy", "{change}");
        }
    }

    #[test]
    fn what_stands_in_the_place_of_the_original_is_not_read() {
        let pair = Pair::new("replaced");
        fs::write(pair.at("other"), "another!").unwrap();
        fs::rename(pair.at("other"), pair.at("original")).unwrap();
        assert_eq!(read(&mut pair.open(), 0, 8), "the copy");
    }

    #[test]
    fn an_original_that_somebody_has_open_to_write_is_not_read() {
        let pair = Pair::new("open");
        let writer = OpenOptions::new().write(true).open(pair.at("original")).unwrap();
        assert_eq!(read(&mut pair.open(), 0, 8), "the copy");
        drop(writer);
        assert_eq!(read(&mut pair.open(), 0, 8), "original");
    }

    #[test]
    fn a_copy_that_was_written_since_is_read_itself() {
        let pair = Pair::new("own");
        fs::write(pair.at("copy"), "written!").unwrap();
        assert_eq!(read(&mut pair.open(), 0, 8), "written!");
    }

    #[test]
    fn a_copy_that_is_not_spare_has_no_original() {
        let pair = Pair::new("plain");
        copy_file(&pair.at("original"), &pair.at("plain"), false, false).unwrap();
        let facts = fs::metadata(pair.at("plain")).unwrap();
        fs::write(pair.at("plain"), "no spare").unwrap();
        set_mtime(&pair.at("plain"), facts.mtime() * 1_000_000_000 + facts.mtime_nsec()).unwrap();
        let mut contents = Contents::open(&pair.at("plain")).unwrap();
        assert_eq!(read(&mut contents, 0, 8), "no spare");
    }
}
