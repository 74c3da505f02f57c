//! The relay's thread: reads datagrams, gives them to the shaper of their direction, and sends what has arrived. JavaScript changes
//! conditions under the same lock, and wakes the thread.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

use super::Nanos;
use super::clients::Clients;
use super::counts::{Dropped, Size};
use super::shaper::{Conditions, Packet, Shaper};
use super::sockets::{Datagram, any_host, bind, header_bytes, hurry, receive, wait, watch};
use crate::quic::lock;

const LONGEST_DATAGRAM: usize = 65_536;
/// After so many of one socket the others have their turn, and what has arrived is sent.
const BATCH: usize = 64;

pub struct Relay {
    near: UdpSocket,
    target: SocketAddr,
    began: Instant,
    state: Mutex<State>,
    waker: UnixStream,
    thread: Mutex<Option<JoinHandle<()>>>,
}

pub struct State {
    pub up: Shaper<Parcel>,
    pub down: Shaper<Parcel>,
    pub clients: Clients,
    pub moves: u32,
    closing: bool,
}

pub struct Parcel {
    client: u32,
    bytes: Box<[u8]>,
}

pub struct Plan {
    pub listen: SocketAddr,
    pub target: SocketAddr,
    pub seed: u64,
    pub up: Conditions,
    pub down: Conditions,
}

static RELAYS: LazyLock<Mutex<HashMap<u32, Arc<Relay>>>> = LazyLock::new(|| Mutex::new(HashMap::new()));
static NEXT_ID: AtomicU32 = AtomicU32::new(1);

pub fn find(id: u32) -> Option<Arc<Relay>> {
    lock(&RELAYS).get(&id).cloned()
}

/// Its address is free when this returns.
pub fn close(id: u32) {
    let relay = lock(&RELAYS).remove(&id);
    if let Some(relay) = relay {
        relay.change(|state, _| state.closing = true);
        let thread = lock(&relay.thread).take();
        thread.and_then(|thread| thread.join().ok());
    }
}

impl Relay {
    pub fn open(plan: Plan) -> io::Result<(u32, SocketAddr)> {
        let near = bind(plan.listen)?;
        let address = near.local_addr()?;
        let (waker, wakes) = UnixStream::pair()?;
        waker.set_nonblocking(true)?;
        wakes.set_nonblocking(true)?;
        let state = State {
            up: Shaper::new(plan.up, plan.seed, 0),
            // The same seed would lose the same packets both ways.
            down: Shaper::new(plan.down, !plan.seed, 0),
            clients: Clients::new(any_host(plan.target)),
            moves: 0,
            closing: false,
        };
        let relay = Arc::new(Relay {
            near,
            target: plan.target,
            began: Instant::now(),
            state: Mutex::new(state),
            waker,
            thread: Mutex::new(None),
        });
        let theirs = relay.clone();
        let thread = std::thread::Builder::new().name("godwit-link".into()).spawn(move || run(&theirs, wakes))?;
        *lock(&relay.thread) = Some(thread);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        lock(&RELAYS).insert(id, relay);
        Ok((id, address))
    }

    pub fn change<R>(&self, change: impl FnOnce(&mut State, Nanos) -> R) -> R {
        let result = {
            let mut state = lock(&self.state);
            change(&mut state, self.now())
        };
        // A full pipe wakes as well.
        let _ = (&self.waker).write(&[0]);
        result
    }

    pub fn move_clients(&self, host: Option<IpAddr>) -> io::Result<()> {
        self.change(|state, _| {
            state.clients.move_all(host)?;
            state.moves += 1;
            Ok(())
        })
    }

    fn now(&self) -> Nanos {
        self.began.elapsed().as_nanos() as Nanos
    }

    /// Sends what has arrived by those times, up and down.
    fn deliver(&self, state: &mut State, up_to: Nanos, down_to: Nanos) {
        let State { up, down, clients, .. } = state;
        while let Some((_, packet)) = up.take(up_to) {
            let client = clients.get(packet.contents.client);
            let sent =
                client.is_some_and(|client| client.upstream.send_to(&packet.contents.bytes, self.target).is_ok());
            settle(up, &packet, sent);
        }
        while let Some((_, packet)) = down.take(down_to) {
            let client = clients.get(packet.contents.client);
            let sent = client.is_some_and(|client| self.near.send_to(&packet.contents.bytes, client.address).is_ok());
            settle(down, &packet, sent);
        }
    }

    /// Where there may be more: when the last one came.
    fn receive_up(&self, state: &mut State, buffer: &mut [u8]) -> Option<Nanos> {
        let mut now = 0;
        for _ in 0..BATCH {
            let Datagram { length, from, waited } = receive(&self.near, buffer)?;
            now = self.now().saturating_sub(waited);
            let size = size_of_datagram(length, from);
            match state.clients.heard_from(from, now) {
                Ok(client) => state.up.offer(now, size, Parcel { client, bytes: buffer[..length].into() }),
                Err(_) => {
                    state.up.counts.offered.add(size);
                    state.up.counts.dropped(Dropped::Unsent, size);
                }
            }
        }
        Some(now)
    }

    /// As above, of one client.
    fn receive_down(&self, state: &mut State, client: u32, buffer: &mut [u8]) -> Option<Nanos> {
        let mut now = 0;
        for _ in 0..BATCH {
            let upstream = &state.clients.get(client)?.upstream;
            let Datagram { length, from, waited } = receive(upstream, buffer)?;
            now = self.now().saturating_sub(waited);
            // The server, and nobody else, speaks to its clients.
            if from == self.target {
                let parcel = Parcel { client, bytes: buffer[..length].into() };
                state.down.offer(now, size_of_datagram(length, from), parcel);
            }
        }
        Some(now)
    }
}

fn settle(shaper: &mut Shaper<Parcel>, packet: &Packet<Parcel>, sent: bool) {
    match sent {
        true => shaper.counts.arrived.add(packet.size),
        false => shaper.counts.dropped(Dropped::Unsent, packet.size),
    }
}

fn size_of_datagram(length: usize, peer: SocketAddr) -> Size {
    Size { payload: length as u64, counted: length as u64 + header_bytes(peer) }
}

/// The sockets that are waited for: who wakes us, the clients' side, then one for each client.
struct Watched {
    sockets: Vec<libc::pollfd>,
    clients: Vec<u32>,
    generation: Option<u64>,
}

impl Watched {
    /// Clients for whom something has come.
    fn ready(&self) -> impl Iterator<Item = u32> {
        let sockets = self.sockets.iter().skip(self.sockets.len() - self.clients.len());
        sockets.zip(&self.clients).filter(|(socket, _)| socket.revents != 0).map(|(_, &client)| client)
    }

    fn follow(&mut self, relay: &Relay, clients: &Clients, wakes: &UnixStream) {
        if self.generation == Some(clients.generation) {
            return;
        }
        self.generation = Some(clients.generation);
        self.sockets = vec![watch(wakes), watch(&relay.near)];
        self.sockets.extend(clients.iter().map(|(_, client)| watch(&client.upstream)));
        self.clients = clients.iter().map(|(id, _)| id).collect();
    }
}

fn run(relay: &Relay, mut wakes: UnixStream) {
    hurry();
    let mut buffer = vec![0; LONGEST_DATAGRAM];
    let mut watched = Watched { sockets: Vec::new(), clients: Vec::new(), generation: None };
    loop {
        let next = {
            let mut state = lock(&relay.state);
            if state.closing {
                return;
            }
            // Nothing is sent for a time of which something may still be unread.
            let now = relay.now();
            let up_to = relay.receive_up(&mut state, &mut buffer).unwrap_or(now);
            let down_to =
                watched.ready().filter_map(|client| relay.receive_down(&mut state, client, &mut buffer)).min();
            relay.deliver(&mut state, up_to, down_to.unwrap_or(now));
            watched.follow(relay, &state.clients, &wakes);
            [state.up.next(), state.down.next()].into_iter().flatten().min()
        };
        wait(&mut watched.sockets, next.map(|next| next.saturating_sub(relay.now())));
        while wakes.read(&mut buffer).is_ok_and(|read| read == buffer.len()) {}
    }
}
