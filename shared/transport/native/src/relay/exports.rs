//! The relay as JavaScript sees it: functions on integer handles. `shared/transport/binding.ts` has their types. A handle nobody knows
//! any more is ignored.

use std::io;
use std::net::{IpAddr, SocketAddr};

use napi::bindgen_prelude::{Env, Float64Array, Result};
use napi_derive::napi;

use super::Nanos;
use super::counts::Size;
use super::engine::{self, Plan, Relay, find};
use super::rate::{Rate, Step};
use super::shaper::{Bound, Conditions, Shaper};
use crate::host::error::{Code, fail, of_errno};

/// Of one direction. Times are in nanoseconds; what is negative is left out.
#[napi(object)]
pub struct NativeConditions {
    /// When each step begins; empty: no limit.
    pub step_times: Float64Array,
    /// Bytes a second.
    pub step_rates: Float64Array,
    pub burst: f64,
    /// Either this or the other.
    pub queue_bytes: f64,
    pub queue_time: f64,
    pub delay: f64,
    pub jitter: f64,
    pub loss: f64,
    pub outages_from: Float64Array,
    pub outages_until: Float64Array,
}

impl From<NativeConditions> for Conditions {
    fn from(native: NativeConditions) -> Conditions {
        let steps = native.step_times.iter().zip(native.step_rates.iter());
        let steps: Vec<Step> =
            steps.map(|(&from, &rate)| Step { from: from as Nanos, bytes_per_second: rate as u64 }).collect();
        let outages = native.outages_from.iter().zip(native.outages_until.iter());
        Conditions {
            rate: (!steps.is_empty()).then(|| Rate::new(steps)),
            burst: native.burst as u64,
            queue: match native.queue_bytes >= 0.0 {
                true => Bound::Bytes(native.queue_bytes as u64),
                false => Bound::Time(native.queue_time as Nanos),
            },
            delay: native.delay as Nanos,
            jitter: native.jitter as Nanos,
            loss: native.loss,
            outages: outages.map(|(&from, &until)| (from as Nanos, until as Nanos)).collect(),
        }
    }
}

#[napi(object)]
pub struct NativeRelay {
    pub id: u32,
    pub host: String,
    pub port: u16,
}

/// Hosts are IP addresses.
#[napi(object)]
pub struct NativeRelayOptions {
    pub listen_host: String,
    pub listen_port: u16,
    pub target_host: String,
    pub target_port: u16,
    pub seed: f64,
    pub up: NativeConditions,
    pub down: NativeConditions,
}

/// A code of the system where it can't listen there.
#[napi]
pub fn relay_open(env: Env, options: NativeRelayOptions) -> Result<NativeRelay, Code> {
    let NativeRelayOptions { listen_host, listen_port, target_host, target_port, seed, up, down } = options;
    let name = format!("{listen_host}:{listen_port}");
    let opened = parse(&listen_host).and_then(|listen| {
        let target = SocketAddr::new(parse(&target_host)?, target_port);
        let listen = SocketAddr::new(listen, listen_port);
        Relay::open(Plan { listen, target, seed: seed as u64, up: up.into(), down: down.into() })
    });
    let (id, address) = opened.map_err(|error| fail(&error, "bind", &name))?;
    let hooked = env.add_env_cleanup_hook(id, engine::close);
    hooked.map_err(|error| napi::Error::new(Code(error.status.as_ref().to_owned()), error.reason.clone()))?;
    Ok(NativeRelay { id, host: address.ip().to_string(), port: address.port() })
}

fn parse(host: &str) -> io::Result<IpAddr> {
    host.parse().map_err(|_| of_errno(libc::EINVAL))
}

/// Either direction's conditions; the other's stay.
#[napi]
pub fn relay_change(relay: u32, up: Option<NativeConditions>, down: Option<NativeConditions>) {
    if let Some(relay) = find(relay) {
        relay.change(|state, now| {
            if let Some(up) = up {
                state.up.change(now, up.into());
            }
            if let Some(down) = down {
                state.down.change(now, down.into());
            }
        });
    }
}

#[napi]
pub fn relay_cut(relay: u32, up: bool, down: bool) {
    if let Some(relay) = find(relay) {
        relay.change(|state, now| {
            state.up.cut(now, up);
            state.down.cut(now, down);
        });
    }
}

/// A code of the system where the host is none of this machine; then nothing has changed.
#[napi]
pub fn relay_move(relay: u32, host: Option<String>) -> Result<(), Code> {
    let Some(relay) = find(relay) else {
        return Ok(());
    };
    let moved = host.as_deref().map(parse).transpose().and_then(|host| relay.move_clients(host));
    moved.map_err(|error| fail(&error, "bind", host.as_deref().unwrap_or("any")))
}

#[napi(object)]
pub struct NativeRelayStatistics {
    /// Packets, bytes and payload: offered, arrived, dropped (queue, loss, outage, unsent), waiting, flying.
    pub up: Float64Array,
    pub down: Float64Array,
    pub clients: u32,
    pub moves: u32,
}

#[napi]
pub fn relay_statistics(relay: u32) -> Option<NativeRelayStatistics> {
    let relay = find(relay)?;
    Some(relay.change(|state, now| {
        state.up.look(now);
        state.down.look(now);
        NativeRelayStatistics {
            up: state.up.counts.numbers().into(),
            down: state.down.counts.numbers().into(),
            clients: state.clients.len() as u32,
            moves: state.moves,
        }
    }))
}

/// Its address is free when this returns.
#[napi]
pub fn relay_close(relay: u32) {
    engine::close(relay);
}

/// What a direction does with packets (headers counted in their sizes) that come at those times, in order: when each arrives, and -1 where it
/// does not.
#[napi]
pub fn relay_shape(conditions: NativeConditions, seed: f64, times: Float64Array, sizes: Float64Array) -> Float64Array {
    const END: Nanos = Nanos::MAX / 4;
    let mut shaper = Shaper::new(conditions.into(), seed as u64, 0);
    for (index, (&time, &size)) in times.iter().zip(sizes.iter()).enumerate() {
        shaper.offer(time as Nanos, Size { payload: size as u64, counted: size as u64 }, index);
    }
    let mut arrivals = vec![-1.0; times.len()];
    while let Some((at, packet)) = shaper.take(END) {
        arrivals[packet.contents] = at as f64;
    }
    arrivals.into()
}
