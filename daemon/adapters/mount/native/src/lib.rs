//! The mount: a table of names and attributes that answers the kernel by itself (`table`, `changes`, `pushes`), the log of what programs
//! did (`log`), files that they write (`files`, `spool`), and the FUSE calls (`calls`). Node imports the log, and says what is new.
//!
//! Nothing that the kernel or Node sends may end in a panic. See `docs/internals/mount.md`.

// The exports are left out of a test build, and then nothing seems used.
#![cfg_attr(test, allow(dead_code))]

mod attributes;
mod calls;
mod calls_files;
mod changes;
#[cfg(not(test))]
mod exports;
mod files;
mod lock;
mod log;
mod mount;
mod node;
mod op;
mod outbox;
mod present;
mod pushes;
mod replies;
mod session;
mod signals;
mod specials;
mod spool;
mod table;
#[cfg(not(test))]
mod table_exports;
#[cfg(test)]
mod tests;
mod volumes;
