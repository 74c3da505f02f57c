//! Connecting: look the name up, then try its addresses one after the other until one answers.
//!
//! It runs on a thread of its own: a look-up takes as long as it takes.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use super::codes::CloseReason;
use super::connection::Connection;
use super::connection_events::connection_callback;
use super::endpoint::Endpoint;
use super::handles::ConnectionHandle;
use super::trust::Trust;
use crate::address::{QuicAddress, wildcard};
use crate::identity::Fingerprint;
use crate::io_pool;
use crate::quic::{self, HQUIC, lock, quic};
use msquic::ffi::{QUIC_PARAM_CONN_LOCAL_ADDRESS, QUIC_PARAM_CONN_REMOTE_ADDRESS};

pub struct Target {
    pub host: String,
    pub port: u16,
    pub pin: Fingerprint,
}

/// Begins to connect and returns the connection's id at once.
pub fn dial(endpoint: &Arc<Endpoint>, target: Target) -> u32 {
    let connection = Connection::new(endpoint, false, Trust::pinned(target.pin));
    let id = connection.id;
    io_pool::apart(move || {
        if let Err(why) = connection.endpoint.client_configuration() {
            connection.note_ending(CloseReason::Failed, &why);
        }
        look_up(&connection, &target);
    });
    id
}

fn look_up(connection: &Arc<Connection>, target: &Target) {
    match resolve(&target.host, target.port) {
        Ok(addresses) => {
            *lock(&connection.addresses) = addresses;
            advance(connection);
        }
        Err(why) => {
            connection.note_ending(CloseReason::Unreachable, &why);
            connection.finish();
        }
    }
}

/// The addresses of a host, the best last.
fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, String> {
    let found = (host, port).to_socket_addrs().map_err(|error| format!("{host}: {error}"))?;
    let mut addresses: Vec<SocketAddr> = found.collect();
    addresses.reverse();
    Ok(addresses)
}

/// Starts with the next address, or finishes where there is none.
fn advance(connection: &Arc<Connection>) {
    loop {
        let next = if connection.is_ending() { None } else { lock(&connection.addresses).pop() };
        let Some(address) = next else {
            connection.note_ending(CloseReason::Unreachable, "no address answers");
            connection.finish();
            return;
        };
        match start(connection, address) {
            Ok(()) => break,
            Err(why) if lock(&connection.addresses).is_empty() => {
                connection.note_ending(CloseReason::Unreachable, &why);
            }
            Err(_) => {}
        }
    }
    // A close that came while there was no handle found nothing to shut.
    if connection.is_ending() {
        connection.close(CloseReason::Local, "");
    }
}

fn start(connection: &Arc<Connection>, address: SocketAddr) -> Result<(), String> {
    let configuration = connection.endpoint.client_configuration()?;
    let registration = quic::registration().map_err(|status| format!("MsQuic: status {status}"))?;
    let context = Arc::into_raw(connection.clone());
    let mut raw: HQUIC = std::ptr::null_mut();
    // SAFETY: the context is a counted reference, given back by ConnectionHandle.
    let status =
        unsafe { quic!(ConnectionOpen(registration, Some(connection_callback), context.cast_mut().cast(), &mut raw,)) };
    if quic::failed(status) {
        // SAFETY: MsQuic did not take the context.
        drop(unsafe { Arc::from_raw(context) });
        return Err(format!("status {status}"));
    }
    // Held to the end of this function: a close may come at any moment and make the connection let go of it.
    let handle = connection.adopt(ConnectionHandle::new(raw, context));
    let raw = handle.raw();
    let remote = QuicAddress::new(address);
    // SAFETY: `handle` keeps it open; the buffers outlive the calls. This thread may wait.
    let status = unsafe {
        quic!(SetParam(raw, QUIC_PARAM_CONN_REMOTE_ADDRESS, QuicAddress::SIZE, remote.as_ptr()));
        quic!(ConnectionStart(raw, configuration.handle(), 0, std::ptr::null(), address.port()))
    };
    if quic::failed(status) { Err(format!("{address}: status {status}")) } else { Ok(()) }
}

/// An address did not answer: true when another one is being tried. Inside the callback that ends the attempt.
pub fn try_next(connection: &Arc<Connection>) -> bool {
    if connection.inbound || connection.is_open() || lock(&connection.addresses).is_empty() {
        return false;
    }
    if !connection.forgive_unreachable() {
        return false;
    }
    let connection = connection.clone();
    io_pool::apart(move || advance(&connection));
    true
}

/// Moves a client's connection to whatever address the machine has now. Waits for the worker.
pub fn rebind(connection: &Arc<Connection>) {
    let connection = connection.clone();
    io_pool::apart(move || {
        let Some(handle) = connection.handle().filter(|_| !connection.inbound) else {
            return;
        };
        let mut remote = QuicAddress::zeroed();
        let mut length = QuicAddress::SIZE;
        // SAFETY: `handle` keeps it open; the buffers outlive the calls.
        unsafe {
            quic!(GetParam(handle.raw(), QUIC_PARAM_CONN_REMOTE_ADDRESS, &mut length, remote.as_mut_ptr(),));
            if let Some(remote) = remote.to_socket() {
                let local = QuicAddress::new(wildcard(remote));
                quic!(SetParam(handle.raw(), QUIC_PARAM_CONN_LOCAL_ADDRESS, QuicAddress::SIZE, local.as_ptr(),));
                connection.pump.path_changed();
            }
        }
    });
}
