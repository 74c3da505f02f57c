//! Watches directories (inotify): one descriptor and one thread for all of them. Events of the kernel are read as they come and kept until
//! JavaScript takes it, so that a busy main thread costs no event. If the kernel's own queue runs over, or ours, that is an event too:
//! `fs.watch` of Node leaves it out.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex};
use std::thread;

use super::error::{c_path, check, of_errno};
use crate::quic::lock;

/// Room for one event with the longest name at least; more are read at a time.
const READ_BYTES: usize = 64 * 1024;
/// Events that wait for JavaScript: some 100,000. Beyond that the kernel's queue fills, and reports its overflow.
const MOST_BYTES: usize = 4 * 1024 * 1024;

const MASK: u32 = libc::IN_ATTRIB
    | libc::IN_CREATE
    | libc::IN_DELETE
    | libc::IN_DELETE_SELF
    | libc::IN_MODIFY
    | libc::IN_MOVED_FROM
    | libc::IN_MOVED_TO
    | libc::IN_MOVE_SELF
    | libc::IN_ONLYDIR
    | libc::IN_EXCL_UNLINK;

#[derive(Default)]
struct Waiting {
    events: Vec<u8>,
    ended: bool,
}

pub struct Watches {
    descriptor: OwnedFd,
    /// Written to when all ends.
    end: OwnedFd,
    waiting: Mutex<Waiting>,
    taken: Condvar,
}

static ALL: LazyLock<Mutex<HashMap<u32, Arc<Watches>>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU32 = AtomicU32::new(1);

pub fn find(id: u32) -> Option<Arc<Watches>> {
    lock(&ALL).get(&id).cloned()
}

/// `wake` is called, on another thread, when there is something to take and was nothing before.
pub fn open(wake: impl Fn() + Send + 'static) -> io::Result<u32> {
    // SAFETY: these calls take no pointers; the descriptors are new, and have no other owner.
    let (descriptor, end) = unsafe {
        let descriptor = OwnedFd::from_raw_fd(check(libc::inotify_init1(libc::IN_CLOEXEC | libc::IN_NONBLOCK))?);
        (descriptor, OwnedFd::from_raw_fd(check(libc::eventfd(0, libc::EFD_CLOEXEC))?))
    };
    let watches = Arc::new(Watches { descriptor, end, waiting: Mutex::default(), taken: Condvar::new() });
    let reader = Arc::clone(&watches);
    thread::Builder::new().name("inotify".to_owned()).spawn(move || reader.read_all(&wake))?;
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    lock(&ALL).insert(id, watches);
    Ok(id)
}

/// No further event comes.
pub fn close(id: u32) {
    let Some(watches) = lock(&ALL).remove(&id) else {
        return;
    };
    lock(&watches.waiting).ended = true;
    watches.taken.notify_all();
    let one = 1u64;
    // SAFETY: eight bytes are read from a number of eight bytes; the descriptor is open.
    unsafe { libc::write(watches.end.as_raw_fd(), (&raw const one).cast(), size_of::<u64>()) };
}

impl Watches {
    /// The number of the watch: the same for a directory that is watched already. `follow`: a link at the end of the path is the user's choice.
    pub fn add(&self, path: &str, follow: bool) -> io::Result<i32> {
        let path = c_path(path)?;
        let mask = if follow { MASK } else { MASK | libc::IN_DONT_FOLLOW };
        // SAFETY: the path outlives the call.
        check(unsafe { libc::inotify_add_watch(self.descriptor.as_raw_fd(), path.as_ptr(), mask) })
    }

    pub fn remove(&self, watch: i32) {
        // SAFETY: it takes no pointers. A watch that went by itself is no failure.
        unsafe { libc::inotify_rm_watch(self.descriptor.as_raw_fd(), watch) };
    }

    /// Whole events, as the kernel lays them out: no more than about `most` bytes, and one at least if there is any.
    pub fn take(&self, most: usize) -> Vec<u8> {
        let mut waiting = lock(&self.waiting);
        let end = whole_events(&waiting.events, most);
        let rest = waiting.events.split_off(end);
        let events = std::mem::replace(&mut waiting.events, rest);
        self.taken.notify_all();
        events
    }

    fn read_all(&self, wake: &impl Fn()) {
        let mut buffer = vec![0u8; READ_BYTES];
        while self.await_event() {
            let Ok(length) = read(self.descriptor.as_raw_fd(), &mut buffer) else {
                continue;
            };
            let mut waiting = lock(&self.waiting);
            while waiting.events.len() >= MOST_BYTES && !waiting.ended {
                waiting = self.taken.wait(waiting).unwrap_or_else(std::sync::PoisonError::into_inner);
            }
            if waiting.ended {
                return;
            }
            let was_empty = waiting.events.is_empty();
            waiting.events.extend_from_slice(&buffer[..length]);
            drop(waiting);
            if was_empty {
                wake();
            }
        }
    }

    /// False: it has ended.
    fn await_event(&self) -> bool {
        let poll = |descriptor: RawFd| libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
        let mut both = [poll(self.descriptor.as_raw_fd()), poll(self.end.as_raw_fd())];
        // SAFETY: the array outlives the call, and has as many entries as is said.
        let result = unsafe { libc::poll(both.as_mut_ptr(), both.len() as libc::nfds_t, -1) };
        let ended = both[1].revents != 0 || lock(&self.waiting).ended;
        (result >= 0 || io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)) && !ended
    }
}

fn read(descriptor: RawFd, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the buffer is ours, and as long as is said.
    let length = unsafe { libc::read(descriptor, buffer.as_mut_ptr().cast(), buffer.len()) };
    usize::try_from(length).map_err(|_| io::Error::last_os_error())
}

/// The length of the whole events at the beginning that fit into `most`; of the first in any case.
fn whole_events(events: &[u8], most: usize) -> usize {
    let header = size_of::<libc::inotify_event>();
    let mut end = 0;
    while end + header <= events.len() {
        // The last field of the header.
        let length: [u8; 4] = events[end + header - 4..end + header].try_into().unwrap_or_default();
        let next = end + header + u32::from_ne_bytes(length) as usize;
        if next > events.len() || (end > 0 && next > most) {
            break;
        }
        end = next;
    }
    end
}

/// What callers of the numbers of a closed set of watches get.
pub fn gone() -> io::Error {
    of_errno(libc::EBADF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn events_are_taken_whole() {
        let header = size_of::<libc::inotify_event>();
        let event = |length: u32| {
            let mut bytes = vec![0u8; header + length as usize];
            bytes[header - 4..header].copy_from_slice(&length.to_ne_bytes());
            bytes
        };
        let events = [event(16), event(0), event(32)].concat();
        assert_eq!(whole_events(&events, 0), header + 16);
        assert_eq!(whole_events(&events, 2 * header + 16), 2 * header + 16);
        assert_eq!(whole_events(&events, 10_000), events.len());
        assert_eq!(whole_events(&events[..header + 20], 10_000), header + 16);
        assert_eq!(whole_events(&[], 10), 0);
    }

    #[test]
    fn what_happens_in_a_directory_is_told_until_the_end() {
        let folder = std::env::temp_dir().join(format!("godwit-inotify-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let (tell, told) = channel();
        let id = open(move || {
            let _ = tell.send(());
        })
        .expect("inotify");
        let watches = find(id).expect("it is open");
        let path = folder.to_str().expect("a name");
        let number = watches.add(path, false).expect("a watch");
        assert_eq!(watches.add(path, false).expect("the same"), number);
        fs::write(folder.join("name"), "x").expect("a file");
        told.recv_timeout(Duration::from_secs(30)).expect("a wake-up");
        let events = watches.take(READ_BYTES);
        assert!(events.windows(4).any(|bytes| bytes == b"name"));
        assert_eq!(watches.add("/nowhere", false).expect_err("nothing there").raw_os_error(), Some(libc::ENOENT));
        close(id);
        assert!(find(id).is_none());
        // The thread has ended: the waiting caller is released.
        while told.recv_timeout(Duration::from_secs(30)).is_ok() {}
        fs::remove_dir_all(&folder).expect("removed");
    }
}
