//! A mount that runs: its FUSE session, and the threads that tell the kernel what is stale and answer who waited.

use std::ffi::OsStr;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use fuser::{BackgroundSession, Config, INodeNo, MountOption, Notifier, Session, SessionACL};

use crate::calls::Calls;
use crate::lock::hold;
use crate::mount::{Mount, Work};
use crate::table::Stale;

/// A call of a program may be slow (a copy of what it writes to): others go on beside it.
const THREADS: usize = 4;
/// How often deadlines and signals are looked at while somebody waits.
const TICK: Duration = Duration::from_millis(20);
/// How often it is looked whether the mount has ended.
const REST: Duration = Duration::from_secs(1);
const SYNC_EVERY: Duration = Duration::from_secs(5);

pub struct Options {
    pub path: String,
    /// For other users as well, as far as the modes allow.
    pub allow_other: bool,
    /// The mount goes when this process ends, however it does.
    pub auto_unmount: bool,
}

pub struct Running {
    pub mount: Arc<Mount>,
    session: Mutex<Option<BackgroundSession>>,
}

impl Running {
    pub fn start(mount: Arc<Mount>, options: &Options) -> io::Result<Self> {
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::FSName("godwit".into()),
            MountOption::Subtype("godwit".into()),
            MountOption::DefaultPermissions,
            MountOption::NoDev,
            MountOption::NoSuid,
        ];
        if options.auto_unmount {
            config.mount_options.push(MountOption::AutoUnmount);
        }
        config.acl = match (options.allow_other, options.auto_unmount) {
            (true, _) => SessionACL::All,
            (false, true) => SessionACL::RootAndOwner,
            (false, false) => SessionACL::Owner,
        };
        config.n_threads = Some(THREADS);
        config.clone_fd = true;
        let (stale, stale_out) = channel();
        let (answers, answers_out) = channel();
        *hold(&mount.stale) = Some(stale);
        *hold(&mount.answers) = Some(answers);
        let session = Session::new(Calls(mount.clone()), &options.path, &config)?.spawn()?;
        let notifier = session.notifier();
        let weak = Arc::downgrade(&mount);
        start("godwit-stale", move || tell_stale(&stale_out, &notifier))?;
        let notifier = session.notifier();
        start("godwit-answers", move || answer(&answers_out, &notifier, &weak))?;
        let weak = Arc::downgrade(&mount);
        start("godwit-sync", move || sync(&weak))?;
        Ok(Running { mount, session: Mutex::new(Some(session)) })
    }

    /// Who waits is answered. The caller has unmounted it; a busy one ends with its last user.
    pub fn close(&self) {
        self.mount.settle();
        self.mount.give_up_all();
        let _ = self.mount.log.sync();
        drop(hold(&self.session).take());
    }
}

fn start(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.into()).spawn(work).map(drop)
}

/// An entry's notice waits for the lock of its directory, so nothing else is done here.
fn tell_stale(notices: &Receiver<Stale>, kernel: &Notifier) {
    for notice in notices {
        // What the kernel does not know needs no notice: it says so.
        let _ = match notice {
            Stale::Attributes(ino) => kernel.inval_inode(INodeNo(ino), -1, 0),
            Stale::Contents(ino) => kernel.inval_inode(INodeNo(ino), 0, 0),
            Stale::Entry(dir, name) => {
                let _ = kernel.inval_inode(INodeNo(dir), -1, 0);
                kernel.inval_entry(INodeNo(dir), OsStr::new(&name))
            }
        };
    }
}

fn answer(work: &Receiver<Work>, kernel: &Notifier, mount: &Weak<Mount>) {
    let mut is_awaited = false;
    loop {
        let next = work.recv_timeout(if is_awaited { TICK } else { REST });
        let Some(mount) = mount.upgrade() else { return };
        match next {
            Ok(Work::Answer(waiters, result, attributes_of)) => {
                if let Some(ino) = attributes_of {
                    let _ = kernel.inval_inode(INodeNo(ino), -1, 0);
                }
                for waiter in waiters {
                    waiter(&mount, result.clone());
                }
            }
            Ok(Work::End) | Err(RecvTimeoutError::Disconnected) => return,
            Ok(Work::Watch) | Err(RecvTimeoutError::Timeout) => {}
        }
        mount.give_up_waiting();
        is_awaited = mount.is_awaited();
    }
}

/// A loss of power takes no more than what was done in the last seconds.
fn sync(mount: &Weak<Mount>) {
    loop {
        thread::sleep(SYNC_EVERY);
        let Some(mount) = mount.upgrade() else { return };
        let _ = mount.log.sync();
    }
}
