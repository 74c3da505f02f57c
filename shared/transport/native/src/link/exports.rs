//! The Link as JavaScript sees it: functions on integer handles. `shared/transport/binding.ts` has their types.
//!
//! Each returns at once; what happens comes as events. A handle nobody knows any more is ignored.

use napi::bindgen_prelude::{AsyncTask, Env, Float64Array, Function, Result, Task, Uint8Array};
use napi_derive::napi;

use std::sync::Arc;

use super::call::{Call, ContentSource, Outgoing};
use super::codes::{ABORT_TOO_LARGE, AbortReason, CloseReason};
use super::dial::{self, Target};
use super::endpoint::{Endpoint, Options, find};
use super::events::EventQueue;
use super::lanes::Taken;
use super::listener;
use super::spool::Spool;
use super::strangers::{Limits, Strangers};
use super::stream_events::refuse_rest;
use super::{receive, send};
use crate::frame::{CLASSES, encode};
use crate::identity::parse_fingerprint;
use crate::io_pool;
use crate::quic::lock;
use crate::tls::Credentials;

#[napi(object)]
pub struct NativeEndpointOptions {
    pub certificate_pem: String,
    pub private_key_pem: String,
    pub spool: String,
    pub max_header_bytes: u32,
    pub partial_from: f64,
    /// One class for all, and turns within it.
    pub uniform: bool,
    /// Left out: whoever connects may do what anybody may.
    pub strangers: Option<NativeStrangers>,
    /// Test only: connect without presenting a certificate.
    pub anonymous: bool,
}

#[napi(object)]
pub struct NativeStrangers {
    pub max_header_bytes: u32,
    pub max_calls: u32,
    pub most: u32,
    pub most_of_address: u32,
    pub at_once: u32,
    pub per_second: u32,
}

#[napi(object)]
pub struct NativeBatch {
    pub numbers: Float64Array,
    pub bytes: Uint8Array,
    /// Nobody wakes for it.
    pub more: bool,
}

#[napi]
pub fn endpoint_open(env: Env, options: NativeEndpointOptions, wake: Function<'_, (), ()>) -> Result<u32> {
    let endpoint = Endpoint::open(Options {
        events: EventQueue::new(wake)?,
        spool: Spool::new(&options.spool),
        max_header: options.max_header_bytes,
        partial_from: (options.partial_from as u64).max(1),
        uniform: options.uniform,
        strangers: options.strangers.map(|strangers| {
            Strangers::new(Limits {
                max_header: strangers.max_header_bytes,
                max_calls: strangers.max_calls.min(u32::from(u16::MAX)) as u16,
                most: strangers.most as usize,
                most_of_address: strangers.most_of_address as usize,
                at_once: strangers.at_once.into(),
                per_second: strangers.per_second.into(),
            })
        }),
        credentials: Credentials { certificate_pem: options.certificate_pem, key_pem: options.private_key_pem },
        anonymous: options.anonymous,
    });
    env.add_env_cleanup_hook(endpoint.id, Endpoint::abandon)?;
    Ok(endpoint.id)
}

/// Some of what happened, of the connection whose turn it is. `spent`: milliseconds that the events of the last call have taken.
#[napi]
pub fn endpoint_take(endpoint: u32, spent: f64) -> NativeBatch {
    let micros = (spent * 1000.0) as i64;
    let Taken { told, more, .. } = find(endpoint).map(|endpoint| endpoint.events.take(micros)).unwrap_or_default();
    NativeBatch { numbers: told.numbers.into(), bytes: told.bytes.into(), more }
}

/// Either an address, or a code of TransportError with a message.
#[napi(object)]
pub struct NativeListening {
    pub host: String,
    pub port: u16,
    pub code: Option<String>,
    pub message: String,
}

pub struct Listen {
    endpoint: u32,
    host: String,
    port: u16,
}

impl Task for Listen {
    type Output = NativeListening;
    type JsValue = NativeListening;

    fn compute(&mut self) -> Result<NativeListening> {
        let closed = || ("address", "the endpoint is shut down".to_owned());
        let answer = find(self.endpoint)
            .ok_or_else(closed)
            .and_then(|endpoint| listener::listen(&endpoint, &self.host, self.port));
        Ok(match answer {
            Ok(bound) => {
                NativeListening { host: bound.ip().to_string(), port: bound.port(), code: None, message: String::new() }
            }
            Err((code, message)) => {
                NativeListening { host: String::new(), port: 0, code: Some(code.to_owned()), message }
            }
        })
    }

    fn resolve(&mut self, _env: Env, output: NativeListening) -> Result<NativeListening> {
        Ok(output)
    }
}

#[napi(ts_return_type = "Promise<NativeListening>")]
pub fn endpoint_listen(endpoint: u32, host: String, port: u16) -> AsyncTask<Listen> {
    AsyncTask::new(Listen { endpoint, host, port })
}

/// The connection's id; 0 where the endpoint is shut down or the pin is no fingerprint.
#[napi]
pub fn endpoint_connect(endpoint: u32, host: String, port: u16, pin: String) -> u32 {
    let open = find(endpoint).filter(|endpoint| !endpoint.is_closing());
    match (open, parse_fingerprint(&pin)) {
        (Some(endpoint), Some(pin)) => {
            dial::dial(&endpoint, Target { host, port, pin })
        }
        _ => 0,
    }
}

/// An empty content is no content: the frame can't tell them apart, so neither side treats them differently.
fn source(path: Option<String>, offset: f64, length: f64) -> Option<ContentSource> {
    let source = ContentSource { path: path?, offset: offset as u64, length: length as u64 };
    (source.length > 0).then_some(source)
}

/// The call's id. Negative where the connection had ended: the call was never alive and no event comes for it.
#[napi]
pub fn endpoint_request(
    endpoint: u32,
    connection: u32,
    class: u32,
    header: &[u8],
    path: Option<String>,
    offset: f64,
    length: f64,
) -> f64 {
    let Some(endpoint) = find(endpoint) else {
        return -1.0;
    };
    let Some(connection) = endpoint.connection(connection) else {
        return -(endpoint.new_call_id() as f64);
    };
    let class = class.min(u32::from(CLASSES) - 1) as u8;
    let call = Call::new(&connection, false, class);
    if header.len() > endpoint.max_header as usize {
        call.end(AbortReason::TooLarge, 0);
        return call.id as f64;
    }
    let content = source(path, offset, length);
    let head = encode(class, header, content.as_ref().map_or(0, |content| content.length));
    *lock(&call.outgoing) = Some(Outgoing { head, content });
    if connection.take_on(&call) { call.id as f64 } else { -(call.id as f64) }
}

#[napi]
pub fn endpoint_reply(endpoint: u32, call: f64, header: &[u8], path: Option<String>, offset: f64, length: f64) {
    let Some(call) = find_call(endpoint, call).filter(|call| call.inbound) else {
        return;
    };
    if header.len() > call.connection.endpoint.max_header as usize {
        call.fail(AbortReason::TooLarge, 0, ABORT_TOO_LARGE);
        return;
    }
    {
        let mut state = lock(&call.state);
        if state.ended || state.replied {
            return;
        }
        state.replied = true;
        state.unheard = header.len() as u64;
        call.connection.endpoint.events.answered(call.connection.id, state.unheard);
    }
    let whole = lock(&call.intake).whole;
    if !whole {
        refuse_rest(&call);
    }
    let content = source(path, offset, length);
    let head = encode(call.class(), header, content.as_ref().map_or(0, |content| content.length));
    *lock(&call.outgoing) = Some(Outgoing { head, content });
    send::begin(&call);
}

fn find_call(endpoint: u32, call: f64) -> Option<Arc<Call>> {
    find(endpoint)?.call(call as u64)
}

#[napi]
pub fn endpoint_set_class(endpoint: u32, call: f64, class: u32) {
    let Some(call) = find_call(endpoint, call).filter(|call| !call.has_ended()) else {
        return;
    };
    let class = class.min(u32::from(CLASSES) - 1) as u8;
    call.set_class(class);
    // Setting a parameter waits for the worker, so another thread does it.
    let pass = call.connection.endpoint.gate.enter();
    io_pool::submit(move || {
        if let Some(stream) = call.stream() {
            receive::prioritise(&call, stream.raw(), call.class());
        }
        drop(pass);
    });
}

#[napi]
pub fn endpoint_abort(endpoint: u32, call: f64, code: u32) {
    if let Some(call) = find_call(endpoint, call) {
        call.fail(AbortReason::Local, code, u64::from(code));
    }
}

#[napi]
pub fn endpoint_rebind(endpoint: u32, connection: u32) {
    if let Some(connection) = find(endpoint).and_then(|endpoint| endpoint.connection(connection)) {
        dial::rebind(&connection);
    }
}

/// The peer is known: the limits for strangers end.
#[napi]
pub fn endpoint_admit(endpoint: u32, connection: u32) {
    if let Some(connection) = find(endpoint).and_then(|endpoint| endpoint.connection(connection)) {
        connection.admit();
    }
}

/// Contents that leave on it, bytes a second; 0: there is no limit.
#[napi]
pub fn endpoint_limit(endpoint: u32, connection: u32, bytes_per_second: f64) {
    if let Some(connection) = find(endpoint).and_then(|endpoint| endpoint.connection(connection)) {
        connection.pump.set_limit(&connection, bytes_per_second);
    }
}

#[napi]
pub fn endpoint_close_connection(endpoint: u32, connection: u32) {
    if let Some(connection) = find(endpoint).and_then(|endpoint| endpoint.connection(connection)) {
        connection.close(CloseReason::Local, "");
    }
}

/// The last event says that it is done.
#[napi]
pub fn endpoint_shut_down(endpoint: u32) {
    if let Some(endpoint) = find(endpoint) {
        endpoint.shut_down();
    }
}

/// After the last event: nothing refers to the endpoint any more.
#[napi]
pub fn endpoint_forget(endpoint: u32) {
    Endpoint::forget(endpoint);
}
