//! Receiving, the part that runs on the I/O pool: write, hash, deliver.
//!
//! At most one job has a call's file: while MsQuic's buffers are with a job, no further receive comes for that
//! stream. A job that finds its call ended drops the file, which removes it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::call::Call;
use super::codes::{ABORT_SPOOL, AbortReason};
use super::connection::Memory;
use super::handles::StreamHandle;
use super::receive::{Piece, Stage};
use super::send;
use super::spool::SpoolFile;
use crate::io_pool::submit;
use crate::quic::{lock, quic};

fn spool_failed(call: &Arc<Call>) {
    call.fail(AbortReason::Spool, 0, ABORT_SPOOL);
}

/// A small content, whole in memory.
pub fn store(call: &Arc<Call>, bytes: Vec<u8>, budget: Memory) {
    let call = call.clone();
    let pass = call.connection.endpoint.gate.enter();
    submit(move || {
        if !call.has_ended() {
            let written = call.connection.endpoint.spool.create().and_then(|mut file| {
                file.write(&bytes)?;
                Ok(file)
            });
            match written {
                Ok(file) => call.deliver(file),
                Err(_) => spool_failed(&call),
            }
        }
        drop((budget, pass));
    });
}

/// Some of a large content, still in MsQuic's buffers. `total` is what to give back, the frame's head included.
pub fn write(
    call: &Arc<Call>,
    stream: Arc<StreamHandle>,
    file: Option<SpoolFile>,
    pieces: Vec<Piece>,
    total: u64,
    fin: bool,
) {
    let call = call.clone();
    let pass = call.connection.endpoint.gate.enter();
    submit(move || {
        let written = if call.has_ended() { Ok(None) } else { append(&call, file, &pieces).map(Some) };
        let finished = match written {
            Ok(Some(file)) if fin => Some(file),
            Ok(Some(file)) => {
                put_back(&call, file);
                None
            }
            Ok(None) => None,
            Err(_) => {
                spool_failed(&call);
                None
            }
        };
        // SAFETY: the receive is pending since the callback that made this job, and `stream` keeps its handle open.
        unsafe { quic!(StreamReceiveComplete(stream.raw(), total)) };
        if let Some(file) = finished {
            call.deliver(file);
        }
        drop(pass);
    });
}

fn append(call: &Arc<Call>, file: Option<SpoolFile>, pieces: &[Piece]) -> io::Result<SpoolFile> {
    let mut file = match file {
        Some(file) => file,
        None => call.connection.endpoint.spool.create()?,
    };
    let before = file.length;
    for piece in pieces {
        // SAFETY: the receive is not completed yet, and the job holds the stream's handle.
        file.write(unsafe { piece.bytes() })?;
    }
    call.received.fetch_add(file.length - before, Ordering::Relaxed);
    send::tell_progress(call);
    Ok(file)
}

/// The next job goes on with the file, unless the call has ended meanwhile.
fn put_back(call: &Arc<Call>, file: SpoolFile) {
    let unwanted = {
        let mut intake = lock(&call.intake);
        match &mut intake.stage {
            Stage::Spool(slot) if !call.has_ended() => slot.replace(file),
            _ => Some(file),
        }
    };
    drop(unwanted);
}

/// FIN came after the last byte had been written.
pub fn conclude(call: &Arc<Call>, file: SpoolFile) {
    let call = call.clone();
    let pass = call.connection.endpoint.gate.enter();
    submit(move || {
        call.deliver(file);
        drop(pass);
    });
}

/// Gives up what has come of a content. Removing a large file takes its time, so the pool does it.
pub fn discard(call: &Arc<Call>) {
    let stage = std::mem::replace(&mut lock(&call.intake).stage, Stage::Done);
    if let Stage::Spool(Some(file)) = stage {
        let pass = call.connection.endpoint.gate.enter();
        submit(move || drop((file, pass)));
    }
}
