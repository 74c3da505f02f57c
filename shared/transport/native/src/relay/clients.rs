//! Who sends through the relay: each client by its address, with a socket of its own towards the server, so that the server tells them
//! apart as it would without the relay.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};

use super::Nanos;
use super::sockets::bind;

/// Each costs a socket, and a process may have some thousand. One too many takes the place of the one silent for longest.
const MOST_CLIENTS: usize = 512;

pub struct Client {
    pub address: SocketAddr,
    pub upstream: UdpSocket,
    /// Where it was before its address changed. Nobody reads it: what still comes there is lost without a word, as in a network that was left.
    _left: Option<UdpSocket>,
    heard: Nanos,
}

pub struct Clients {
    by_id: BTreeMap<u32, Client>,
    ids: HashMap<SocketAddr, u32>,
    next_id: u32,
    host: IpAddr,
    /// Changes with the sockets.
    pub generation: u64,
}

impl Clients {
    /// `host` is where their sockets towards the server are bound.
    pub fn new(host: IpAddr) -> Clients {
        Clients { by_id: BTreeMap::new(), ids: HashMap::new(), next_id: 0, host, generation: 0 }
    }

    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    pub fn get(&self, id: u32) -> Option<&Client> {
        self.by_id.get(&id)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &Client)> {
        self.by_id.iter().map(|(&id, client)| (id, client))
    }

    /// The client of that address; one that was not heard of before gets a socket.
    pub fn heard_from(&mut self, address: SocketAddr, now: Nanos) -> io::Result<u32> {
        if let Some(&id) = self.ids.get(&address)
            && let Some(client) = self.by_id.get_mut(&id)
        {
            client.heard = now;
            return Ok(id);
        }
        let upstream = bind(SocketAddr::new(self.host, 0))?;
        while self.by_id.len() >= MOST_CLIENTS {
            self.forget_most_silent();
        }
        let id = self.next_id;
        self.next_id = id.wrapping_add(1);
        self.by_id.insert(id, Client { address, upstream, _left: None, heard: now });
        self.ids.insert(address, id);
        self.generation += 1;
        Ok(id)
    }

    fn forget_most_silent(&mut self) {
        let Some(id) = self.by_id.iter().min_by_key(|(_, client)| client.heard).map(|(&id, _)| id) else {
            return;
        };
        if let Some(client) = self.by_id.remove(&id) {
            self.ids.remove(&client.address);
        }
        self.generation += 1;
    }

    /// From now on the server sees them all at other addresses: other ports, and where a host is given, that host.
    pub fn move_all(&mut self, host: Option<IpAddr>) -> io::Result<()> {
        let host = host.unwrap_or(self.host);
        // All or none of them.
        let sockets: Vec<UdpSocket> =
            (0..self.by_id.len()).map(|_| bind(SocketAddr::new(host, 0))).collect::<io::Result<_>>()?;
        if sockets.is_empty() {
            bind(SocketAddr::new(host, 0))?;
        }
        self.host = host;
        for (client, socket) in self.by_id.values_mut().zip(sockets) {
            client._left = Some(std::mem::replace(&mut client.upstream, socket));
        }
        self.generation += 1;
        Ok(())
    }
}
