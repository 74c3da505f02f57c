//! Listening: a UDP port on which others begin connections.

use std::ffi::c_void;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs, UdpSocket};
use std::sync::{Arc, Weak};
use std::time::Instant;

use super::codes::CloseReason;
use super::connection::Connection;
use super::connection_events::connection_callback;
use super::endpoint::Endpoint;
use super::handles::ConnectionHandle;
use super::trust::Trust;
use crate::address::QuicAddress;
use crate::quic::{
    self, CONNECTION_REFUSED, HQUIC, INTERNAL_ERROR, QUIC_LISTENER_EVENT, SUCCESS, Status, guarded, lock, quic,
};
use crate::tls::alpn;
use msquic::ffi::{
    QUIC_LISTENER_EVENT_TYPE_QUIC_LISTENER_EVENT_NEW_CONNECTION as NEW_CONNECTION, QUIC_PARAM_LISTENER_LOCAL_ADDRESS,
};

/// An open listener; dropping it closes it and waits for its callbacks, so never drop one on JavaScript's thread. When the
/// process ends, the registration stops it, and it stays open.
pub struct Listener {
    raw: HQUIC,
    context: *const Weak<Endpoint>,
}
// SAFETY: handles of MsQuic may be used from any thread; the context is only read.
unsafe impl Send for Listener {}
unsafe impl Sync for Listener {}

impl Drop for Listener {
    fn drop(&mut self) {
        // SAFETY: closed only here; after the close no callback uses the context.
        quic::while_staying(|| unsafe {
            quic!(ListenerClose(self.raw));
            drop(Box::from_raw(self.context.cast_mut()));
        });
    }
}

/// A code of TransportError and a message.
pub type Refused = (&'static str, String);

/// Begins to accept connections and returns the address. May look a name up: not for JavaScript's thread.
pub fn listen(endpoint: &Arc<Endpoint>, host: &str, port: u16) -> Result<SocketAddr, Refused> {
    let unknown = |why: String| ("address", format!("{host} is not an address of this machine: {why}"));
    let address = (host, port)
        .to_socket_addrs()
        .map_err(|error| unknown(error.to_string()))?
        .next()
        .ok_or_else(|| unknown("no address".into()))?;
    endpoint.server_configuration().map_err(|why| ("identity", why))?;
    probe(address)?;
    let quic_address = QuicAddress::new(address);
    // What comes of it is looked at outside: a listener that is dropped waits for the same lock.
    let started = quic::while_staying(|| {
        let listener = open(endpoint)?;
        // SAFETY: the listener is open; both buffers outlive the call.
        let status = unsafe { quic!(ListenerStart(listener.raw, &alpn(), 1, quic_address.as_ptr())) };
        Ok((listener, status))
    });
    let failed = |status: Status| ("address", format!("status {status}"));
    let (listener, status) = started.ok_or_else(shut_down)?.map_err(failed)?;
    match status {
        quic::ADDRESS_IN_USE | quic::ALPN_IN_USE => return Err(in_use(address)),
        status if quic::failed(status) => return Err(unknown(format!("status {status}"))),
        _ => {}
    }
    let bound = local_address(&listener).unwrap_or(address);
    if endpoint.is_closing() {
        return Err(shut_down());
    }
    lock(&endpoint.listeners).push(listener);
    Ok(bound)
}

fn shut_down() -> Refused {
    ("address", "the endpoint is shut down".into())
}

fn in_use(address: SocketAddr) -> Refused {
    ("port-in-use", format!("{address} is in use"))
}

/// MsQuic binds with SO_REUSEPORT, so that two programs could share a port and steal each other's packets. A plain
/// socket can't be bound to a port that anybody has.
fn probe(address: SocketAddr) -> Result<(), Refused> {
    match UdpSocket::bind(address) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => Err(in_use(address)),
        Err(error) => Err(("address", format!("{address}: {error}"))),
    }
}

fn open(endpoint: &Arc<Endpoint>) -> Result<Listener, Status> {
    let registration = quic::registration()?;
    let context = Box::into_raw(Box::new(Arc::downgrade(endpoint)));
    let mut raw: HQUIC = std::ptr::null_mut();
    // SAFETY: the context lives until the listener is closed.
    let status = unsafe { quic!(ListenerOpen(registration, Some(listener_callback), context.cast(), &mut raw)) };
    if quic::failed(status) {
        // SAFETY: MsQuic did not take the context.
        drop(unsafe { Box::from_raw(context) });
        return Err(status);
    }
    Ok(Listener { raw, context })
}

fn local_address(listener: &Listener) -> Option<SocketAddr> {
    let mut address = QuicAddress::zeroed();
    let mut length = QuicAddress::SIZE;
    // SAFETY: the buffer is as long as `length` says; a listener's parameters are answered on the spot.
    let status =
        unsafe { quic!(GetParam(listener.raw, QUIC_PARAM_LISTENER_LOCAL_ADDRESS, &mut length, address.as_mut_ptr(),)) };
    if quic::failed(status) { None } else { address.to_socket() }
}

/// # Safety
/// Called by MsQuic only, with the context given to ListenerOpen.
unsafe extern "C" fn listener_callback(
    _listener: HQUIC,
    context: *mut c_void,
    event: *mut QUIC_LISTENER_EVENT,
) -> Status {
    guarded(INTERNAL_ERROR, || {
        // SAFETY: the context lives until the listener is closed, which waits for callbacks.
        let (endpoint, event) = unsafe { ((*context.cast::<Weak<Endpoint>>()).upgrade(), &*event) };
        if event.Type != NEW_CONNECTION {
            return SUCCESS;
        }
        // SAFETY: the type says which member of the union is filled in.
        let (raw, address) = unsafe {
            let offered = &event.__bindgen_anon_1.NEW_CONNECTION;
            let address = offered.Info.as_ref().and_then(|about| QuicAddress::read(about.RemoteAddress));
            (offered.Connection, address)
        };
        match endpoint.filter(|endpoint| !endpoint.is_closing()) {
            Some(endpoint) => accept(&endpoint, raw, address),
            None => CONNECTION_REFUSED,
        }
    })
}

/// On failure MsQuic refuses the connection and keeps the handle.
fn accept(endpoint: &Arc<Endpoint>, raw: HQUIC, address: Option<SocketAddr>) -> Status {
    let ip = address.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |address| address.ip());
    let now = Instant::now();
    if endpoint.strangers.as_ref().is_some_and(|strangers| !strangers.may_begin(ip, now)) {
        return CONNECTION_REFUSED;
    }
    let Ok(configuration) = endpoint.server_configuration() else {
        return CONNECTION_REFUSED;
    };
    // SAFETY: the connection is offered to us in this callback; the configuration is open.
    let status = unsafe { quic!(ConnectionSetConfiguration(raw, configuration.handle())) };
    if quic::failed(status) {
        return status;
    }
    let connection = Connection::new(endpoint, true, Trust::anyone());
    let context = Arc::into_raw(connection.clone());
    let callback = connection_callback as unsafe extern "C" fn(_, _, _) -> _ as *mut c_void;
    // SAFETY: from here on the connection is ours; the context is a counted reference, given back by the handle.
    unsafe { quic!(SetCallbackHandler(raw, callback, context.cast_mut().cast())) };
    connection.adopt(ConnectionHandle::new(raw, context));
    if let Some(strangers) = &endpoint.strangers {
        for gone in strangers.begins(connection.id, ip, now) {
            if let Some(gone) = endpoint.connection(gone) {
                gone.close(CloseReason::Local, "another stranger came");
            }
        }
    }
    SUCCESS
}
