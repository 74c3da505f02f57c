//! How much of a connection's contents may be with the network at a time (`bulk`), how much of that is there (`flight`), and what
//! the two sides tell each other of it (`report`, `incoming`).

mod base;
mod behind;
mod bulk;
mod flight;
mod incoming;
mod paced;
mod phase;
mod piece;
mod rates;
mod report;
mod reported;
mod reports;
mod sample;
mod standing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod world;

pub use flight::{Acknowledged, Flight, Room};
pub use report::LENGTH as REPORT_LENGTH;
