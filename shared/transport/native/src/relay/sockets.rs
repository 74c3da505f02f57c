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
    set(&socket, libc::SO_RCVBUF, BUFFER_BYTES);
    set(&socket, libc::SO_SNDBUF, BUFFER_BYTES);
    #[cfg(target_os = "linux")]
    set(&socket, libc::SO_TIMESTAMPNS, 1);
    Ok(socket)
}

/// A smaller buffer, or no timestamps, is no failure.
fn set(socket: &UdpSocket, option: libc::c_int, value: libc::c_int) {
    let length = size_of_val(&value) as libc::socklen_t;
    // SAFETY: the descriptor is open, and the value is an int of ours.
    unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, option, (&raw const value).cast(), length) };
}

pub struct Datagram {
    pub length: usize,
    pub from: SocketAddr,
    /// How long it has waited in the socket: what comes while this thread is kept from running came when it came.
    pub waited: Nanos,
}

/// None: there is nothing more.
#[cfg(not(target_os = "linux"))]
pub fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> Option<Datagram> {
    let (length, from) = socket.recv_from(buffer).ok()?;
    Some(Datagram { length, from, waited: 0 })
}

/// None: there is nothing more.
#[cfg(target_os = "linux")]
pub fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> Option<Datagram> {
    let mut contents = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let mut control = [0u64; 8];
    // SAFETY: zeros are an empty header and an empty address; all that the header points to outlives the call.
    unsafe {
        let mut from: libc::sockaddr_storage = std::mem::zeroed();
        let mut header: libc::msghdr = std::mem::zeroed();
        header.msg_name = (&raw mut from).cast();
        header.msg_namelen = size_of_val(&from) as libc::socklen_t;
        header.msg_iov = &mut contents;
        header.msg_iovlen = 1;
        header.msg_control = control.as_mut_ptr().cast();
        header.msg_controllen = size_of_val(&control);
        let length = usize::try_from(libc::recvmsg(socket.as_raw_fd(), &mut header, 0)).ok()?;
        Some(Datagram { length, from: socket_address(&from)?, waited: waited(&header) })
    }
}

/// # Safety
/// The header was filled by `recvmsg`, and its control bytes are still there.
#[cfg(target_os = "linux")]
unsafe fn waited(header: &libc::msghdr) -> Nanos {
    // SAFETY: as the caller says; the message is read where its kind says what it holds.
    unsafe {
        let message = libc::CMSG_FIRSTHDR(header);
        if message.is_null() || (*message).cmsg_type != libc::SCM_TIMESTAMPNS {
            return 0;
        }
        let came: libc::timespec = std::ptr::read_unaligned(libc::CMSG_DATA(message).cast());
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        libc::clock_gettime(libc::CLOCK_REALTIME, &mut now);
        let waited = (now.tv_sec - came.tv_sec) * 1_000_000_000 + (now.tv_nsec - came.tv_nsec);
        // Somebody may have set the clock in between.
        Nanos::try_from(waited).ok().filter(|&waited| waited < LONGEST_WAIT).unwrap_or(0)
    }
}

/// A longer one is a clock that was set.
#[cfg(target_os = "linux")]
const LONGEST_WAIT: Nanos = 1_000_000_000;

/// # Safety
/// The storage holds an address of the family it names, or zeros.
#[cfg(target_os = "linux")]
unsafe fn socket_address(storage: &libc::sockaddr_storage) -> Option<SocketAddr> {
    // SAFETY: the family says which of the two it is.
    unsafe {
        match libc::c_int::from(storage.ss_family) {
            libc::AF_INET => {
                let address = &*(&raw const *storage).cast::<libc::sockaddr_in>();
                let host = std::net::Ipv4Addr::from(u32::from_be(address.sin_addr.s_addr));
                Some(SocketAddr::new(IpAddr::V4(host), u16::from_be(address.sin_port)))
            }
            libc::AF_INET6 => {
                let address = &*(&raw const *storage).cast::<libc::sockaddr_in6>();
                let host = std::net::Ipv6Addr::from(address.sin6_addr.s6_addr);
                let port = u16::from_be(address.sin6_port);
                // A link-local host is one on its interface only.
                Some(std::net::SocketAddrV6::new(host, port, 0, address.sin6_scope_id).into())
            }
            _ => None,
        }
    }
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
        const LOWEST: libc::sched_param = libc::sched_param { sched_priority: 1 };
        // SAFETY: all concern this thread alone (0), and a refusal changes nothing.
        unsafe {
            libc::prctl(libc::PR_SET_TIMERSLACK, SLACK_NANOS);
            if libc::sched_setscheduler(0, libc::SCHED_RR, &LOWEST) != 0 {
                libc::setpriority(libc::PRIO_PROCESS, libc::gettid() as libc::id_t, NICENESS);
            }
        }
    }
}
