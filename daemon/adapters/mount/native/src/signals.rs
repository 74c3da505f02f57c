//! Whether a program that waits for an answer has been told to stop: the answer then comes at once, and is EINTR.
//!
//! The crate that speaks FUSE hands no interrupt of the kernel on, so who waits is looked at: what a signal was sent to says its entry in `/proc`.

use std::fs;

/// These end no wait: they stop and continue a program, or tell it something on the way.
const PASSING: u64 = bit(libc::SIGCONT)
    | bit(libc::SIGSTOP)
    | bit(libc::SIGTSTP)
    | bit(libc::SIGTTIN)
    | bit(libc::SIGTTOU)
    | bit(libc::SIGCHLD)
    | bit(libc::SIGURG)
    | bit(libc::SIGWINCH)
    | bit(libc::SIGPROF);

const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// Of a thread, by its number. False where nothing is known of it.
pub fn is_called_off(thread: u32) -> bool {
    fs::read_to_string(format!("/proc/{thread}/status")).is_ok_and(|status| ends_wait(&status))
}

/// A signal was sent to it, or to its process, that it neither blocks nor ignores.
fn ends_wait(status: &str) -> bool {
    let mask = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    };
    let sent = mask("SigPnd") | mask("ShdPnd");
    sent & !(mask("SigBlk") | mask("SigIgn") | PASSING) != 0
}

#[cfg(test)]
mod tests {
    use super::ends_wait;

    fn status(own: u64, shared: u64, blocked: u64, ignored: u64) -> String {
        format!(
            "Name:\tcat\nSigPnd:\t{own:016x}\nShdPnd:\t{shared:016x}\nSigBlk:\t{blocked:016x}\nSigIgn:\t{ignored:016x}\n"
        )
    }

    #[test]
    fn a_signal_that_is_sent_and_neither_blocked_nor_ignored_ends_a_wait() {
        let (interrupt, kill, stop) = (2, 0x100, 0x80000);
        assert!(!ends_wait(&status(0, 0, 0, 0)));
        assert!(ends_wait(&status(kill, 0, 0, 0)));
        assert!(ends_wait(&status(0, interrupt, 0, 0)));
        assert!(!ends_wait(&status(0, interrupt, interrupt, 0)));
        assert!(!ends_wait(&status(interrupt, 0, 0, interrupt)));
        assert!(!ends_wait(&status(0, stop, 0, 0)));
        assert!(!ends_wait("nothing"));
    }
}
