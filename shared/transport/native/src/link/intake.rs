//! Receiving, the part that runs on the I/O pool: write, hash, deliver.
//!
//! At most one job has a call's file (`busy`): while MsQuic's buffers are with a job, no further receive comes for that
//! stream. A job that finds its call ended drops the file, which removes it; unless the end waits for this job
//! (`parting`): then it writes what it has, hands the file over and tells the end.

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

/// A small content in memory: whole, or all that will come of it.
pub fn store(call: &Arc<Call>, bytes: Vec<u8>, budget: Memory) {
    let call = call.clone();
    let pass = call.connection.endpoint.gate.enter();
    submit(move || {
        if is_unwanted(&call) {
            settle(&call, None);
        } else {
            let written = call.connection.endpoint.spool.create(call.inbound).and_then(|mut file| {
                file.write(&bytes)?;
                Ok(file)
            });
            conclude_with(&call, written);
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
        let written = if is_unwanted(&call) { Ok(file) } else { append(&call, file, &pieces).map(Some) };
        let last = match written {
            Ok(Some(file)) if fin => Some(Ok(file)),
            Ok(file) => {
                settle(&call, file);
                None
            }
            Err(error) => Some(Err(error)),
        };
        // SAFETY: the receive is pending since the callback that made this job, and `stream` keeps its handle open.
        unsafe { quic!(StreamReceiveComplete(stream.raw(), total)) };
        if let Some(last) = last {
            conclude_with(&call, last);
        }
        drop(pass);
    });
}

fn append(call: &Arc<Call>, file: Option<SpoolFile>, pieces: &[Piece]) -> io::Result<SpoolFile> {
    let mut file = match file {
        Some(file) => file,
        // What was asked for is read next, what was sent to us is put away.
        None => call.connection.endpoint.spool.create(call.inbound)?,
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

/// FIN came after the last byte had been written.
pub fn conclude(call: &Arc<Call>, file: SpoolFile) {
    let call = call.clone();
    let pass = call.connection.endpoint.gate.enter();
    submit(move || {
        conclude_with(&call, Ok(file));
        drop(pass);
    });
}

/// The call has ended, and nobody waits for what came of its content.
fn is_unwanted(call: &Arc<Call>) -> bool {
    let intake = lock(&call.intake);
    intake.parting.is_none() && call.has_ended()
}

/// A job is done with a part of the content. The next one goes on with the file, unless the call has ended meanwhile.
pub fn settle(call: &Arc<Call>, file: Option<SpoolFile>) {
    let (parting, unwanted) = {
        let mut intake = lock(&call.intake);
        intake.busy = false;
        let parting = intake.parting.take();
        match &mut intake.stage {
            Stage::Spool(slot) if parting.is_none() && !call.has_ended() => {
                *slot = file;
                return;
            }
            _ => (parting, file),
        }
    };
    match parting {
        Some(parting) => call.part_late(unwanted, parting),
        None => drop(unwanted),
    }
}

/// A job has written all that there is of the content, or could not.
fn conclude_with(call: &Arc<Call>, written: io::Result<SpoolFile>) {
    let mut intake = lock(&call.intake);
    intake.busy = false;
    match (written, intake.parting.take()) {
        (Ok(file), None) => {
            // Before the lock is given back: an end in between would lose what is whole.
            let unwanted = call.deliver(file);
            drop(intake);
            drop(unwanted);
            call.retire();
        }
        (Err(_), None) => {
            drop(intake);
            call.fail(AbortReason::Spool, 0, ABORT_SPOOL);
        }
        (written, Some(parting)) => {
            let whole = intake.whole;
            drop(intake);
            call.part_late(beginning(written, whole), parting);
        }
    }
}

/// What has come, as a part: one byte at least is missing, so that there is something left to send.
fn beginning(written: io::Result<SpoolFile>, whole: bool) -> Option<SpoolFile> {
    let mut file = written.ok()?;
    if whole {
        file.shorten().ok()?;
    }
    Some(file)
}

/// The rest of a content is not wanted, nor what has come of it.
pub fn give_up(call: &Arc<Call>) {
    let stage = std::mem::replace(&mut lock(&call.intake).stage, Stage::Done);
    discard(call, stage.into_file());
}

/// Removing a large file takes its time, so the pool does it.
pub fn discard(call: &Arc<Call>, file: Option<SpoolFile>) {
    if let Some(file) = file {
        let pass = call.connection.endpoint.gate.enter();
        submit(move || drop((file, pass)));
    }
}
