//! UDP sockets that don't block, and waiting for them to the microsecond.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;

use super::Nanos;

/// What arrives while the thread is kept from running waits here instead of being lost. The system may give less.
const BUFFER_BYTES: libc::c_int = 8 * 1024 * 1024;

pub fn bind(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(address)?;
    socket.set_nonblocking(true)?;
    for option in [libc::SO_RCVBUF, libc::SO_SNDBUF] {
        let size = BUFFER_BYTES;
        // SAFETY: the descriptor is open, and the value is an int of ours. A smaller buffer is no failure.
        unsafe {
            let length = size_of_val(&size) as libc::socklen_t;
            libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, (&raw const size).cast(), length);
        }
    }
    Ok(socket)
}

/// Any port of any interface that speaks as `target` does.
pub fn any_host(target: SocketAddr) -> IpAddr {
    crate::address::wildcard(target).ip()
}

/// What each datagram costs on an Ethernet link, as `tc` counts it: 14 bytes of Ethernet, 20 or 40 of IP, 8 of UDP.
pub fn header_bytes(peer: SocketAddr) -> u64 {
    if peer.ip().to_canonical().is_ipv4() { 14 + 20 + 8 } else { 14 + 40 + 8 }
}

pub fn watch(socket: &impl AsRawFd) -> libc::pollfd {
    libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLIN, revents: 0 }
}

/// Until one can be read or the time is over; with no time, until one can be read.
pub fn wait(watched: &mut [libc::pollfd], most: Option<Nanos>) {
    let count = watched.len() as libc::nfds_t;
    #[cfg(target_os = "linux")]
    {
        const SECOND: Nanos = 1_000_000_000;
        let time = most.map(|most| libc::timespec {
            tv_sec: (most / SECOND) as libc::time_t,
            tv_nsec: (most % SECOND) as libc::c_long,
        });
        let time = time.as_ref().map_or(std::ptr::null(), |time| time as *const libc::timespec);
        // SAFETY: the array and the time are ours and outlive the call. Who is interrupted looks again.
        unsafe { libc::ppoll(watched.as_mut_ptr(), count, time, std::ptr::null()) };
    }
    #[cfg(not(target_os = "linux"))]
    {
        let time = most.map_or(-1, |most| most.div_ceil(1_000_000).min(60_000) as libc::c_int);
        // SAFETY: as above.
        unsafe { libc::poll(watched.as_mut_ptr(), count, time) };
    }
}

/// A relay that runs late is a slower link than it was told to be. Where the system allows it, this thread goes before others,
/// and its waits end when they should.
pub fn hurry() {
    #[cfg(target_os = "linux")]
    {
        const NICENESS: libc::c_int = -15;
        const SLACK_NANOS: libc::c_ulong = 1000;
        // SAFETY: both concern this thread alone, and a refusal changes nothing.
        unsafe {
            libc::setpriority(libc::PRIO_PROCESS, libc::gettid() as libc::id_t, NICENESS);
            libc::prctl(libc::PR_SET_TIMERSLACK, SLACK_NANOS);
        }
    }
}

/// Readable, or broken in a way that reading tells.
pub fn is_ready(watched: &libc::pollfd) -> bool {
    watched.revents != 0
}
