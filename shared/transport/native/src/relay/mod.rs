//! The link shaper: a UDP relay with conditions for each direction. What decides is plain (`shaper`, `rate`, `chance`) and runs under
//! any clock; a thread of its own carries it out (`engine`, `clients`), so that no busy JavaScript makes the link slower than it is told to
//! be. `app/lab/shaper/` is what the rest of the laboratory sees.

mod chance;
mod clients;
mod counts;
mod engine;
mod exports;
mod rate;
mod shaper;
mod sockets;
#[cfg(test)]
mod tests;

/// Nanoseconds since the relay was opened.
pub type Nanos = u64;
