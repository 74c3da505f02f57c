//! Contents encoded against others that they resemble: the `Delta` port (`shared/ports/delta.ts`).
//!
//! `cutter` cuts contents where their bytes say so (FastCDC), `list` writes the cuts down, `make` and `apply` go from contents to a
//! delta and back, `join` puts together what came in two pieces. Files are read and written through buffers of a few
//! megabytes at most, whatever their length; others may change or shorten them meanwhile.

mod apply;
mod cutter;
mod exports;
mod failure;
mod files;
mod join;
mod list;
mod make;
mod varint;

#[cfg(test)]
mod tests;
