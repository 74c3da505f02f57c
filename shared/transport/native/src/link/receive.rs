//! Receiving, the part that runs inside MsQuic's callback: take the frame apart and decide where the content goes.
//!
//! Small contents are copied into memory and written in one go when they are whole: one job for a small file.
//! Larger ones are left in MsQuic's buffers; the I/O pool writes them to the spool from there and only then gives
//! the buffers back, which is what holds the peer back when our disk is slower than the network.

use std::sync::Arc;

use super::call::Call;
use super::codes::{ABORT_PROTOCOL, ABORT_TOO_LARGE, AbortReason, priority};
use super::connection::Memory;
use super::inbox::Room;
use super::intake;
use super::spool::SpoolFile;
use crate::frame::{ContentMeter, FrameError, FrameParser, Head};
use crate::quic::{HQUIC, PENDING, QUIC_BUFFER, SUCCESS, Status, lock, quic};
use msquic::ffi::{QUIC_PARAM_STREAM_PRIORITY, QUIC_RECEIVE_FLAGS_QUIC_RECEIVE_FLAG_FIN as FIN};

/// Contents up to this size are gathered in memory.
const SMALL: u64 = 64 * 1024;

pub enum Stage {
    /// `room` from when its length is known.
    Head {
        parser: FrameParser,
        room: Option<Room>,
    },
    /// A head without content, held until FIN shows that the frame is whole.
    Bare(Head, Option<Room>),
    Memory {
        bytes: Vec<u8>,
        budget: Memory,
    },
    /// `None` while a job has the file, and before the first byte.
    Spool(Option<SpoolFile>),
    /// Whole, given up, or unwanted.
    Done,
}

impl Stage {
    pub fn into_file(self) -> Option<SpoolFile> {
        match self {
            Stage::Spool(file) => file,
            _ => None,
        }
    }
}

pub struct Intake {
    pub stage: Stage,
    meter: ContentMeter,
    /// Every byte of a well-formed frame has come.
    pub whole: bool,
    /// A job on the I/O pool has the content, or its last received bytes.
    pub busy: bool,
    /// The call has ended meanwhile: that job hands over what it has, then tells this end.
    pub parting: Option<Parting>,
}

#[derive(Clone, Copy)]
pub struct Parting {
    pub reason: AbortReason,
    pub code: u32,
}

impl Intake {
    pub fn new(max_header: u32) -> Intake {
        let stage = Stage::Head { parser: FrameParser::new(max_header), room: None };
        Intake { stage, meter: ContentMeter::default(), whole: false, busy: false, parting: None }
    }
}

/// A piece of MsQuic's receive buffer.
pub struct Piece {
    start: *const u8,
    length: usize,
}
// SAFETY: the memory stays valid and unchanged until the receive is completed, by whichever thread.
unsafe impl Send for Piece {}

impl Piece {
    /// # Safety
    /// Only before the receive is completed, and while the stream's handle is open.
    pub unsafe fn bytes(&self) -> &[u8] {
        // SAFETY: as promised by the caller.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

/// What to do once the intake is unlocked.
enum Next {
    Nothing,
    Write(Option<SpoolFile>, Vec<Piece>),
    Store(Vec<u8>, Memory),
    Fail(AbortReason, u64),
    /// The header has no room yet: so many bytes were taken, and the stream is left alone until it is enabled again.
    Wait(u64),
}

const PROTOCOL: Next = Next::Fail(AbortReason::Protocol, ABORT_PROTOCOL);

/// The RECEIVE event. `buffers` are MsQuic's, `total` their length; where less is taken, it becomes that.
pub fn on_receive(call: &Arc<Call>, stream: HQUIC, buffers: &[QUIC_BUFFER], total: &mut u64, flags: u32) -> Status {
    let fin = flags & FIN != 0;
    let (head, next) = take(call, buffers, fin);
    if let Some(class) = head.filter(|_| call.inbound) {
        prioritise(call, stream, class);
    }
    match next {
        Next::Nothing => SUCCESS,
        Next::Wait(taken) => {
            *total = taken;
            SUCCESS
        }
        Next::Fail(reason, wire_code) => {
            call.fail(reason, 0, wire_code);
            SUCCESS
        }
        Next::Store(bytes, budget) => {
            intake::store(call, bytes, budget);
            SUCCESS
        }
        Next::Write(file, pieces) => match call.stream() {
            Some(handle) => {
                intake::write(call, handle, file, pieces, *total, fin);
                PENDING
            }
            None => {
                intake::settle(call, file);
                SUCCESS
            }
        },
    }
}

/// FIN that came alone, after all bytes had been taken.
pub fn on_peer_finished(call: &Arc<Call>) {
    let next = {
        let mut intake = lock(&call.intake);
        if intake.whole || call.has_ended() { Next::Nothing } else { finish(call, &mut intake) }
    };
    match next {
        Next::Fail(reason, wire_code) => call.fail(reason, 0, wire_code),
        Next::Store(bytes, budget) => intake::store(call, bytes, budget),
        Next::Write(Some(file), _) => intake::conclude(call, file),
        Next::Write(None, _) => intake::settle(call, None),
        Next::Nothing | Next::Wait(_) => {}
    }
}

/// Feeds the buffers to the intake. Returns the class if the head became whole, and what to do.
fn take(call: &Arc<Call>, buffers: &[QUIC_BUFFER], fin: bool) -> (Option<u8>, Next) {
    let mut intake = lock(&call.intake);
    if call.has_ended() {
        return (None, Next::Nothing);
    }
    let mut class = None;
    let mut content: Vec<Piece> = Vec::new();
    let mut before = 0;
    for buffer in buffers {
        let mut piece = Piece { start: buffer.Buffer, length: buffer.Length as usize };
        if let Stage::Head { parser, room } = &mut intake.stage {
            parser.limit(call.connection.max_header());
            // SAFETY: inside the callback the buffers are valid.
            let pushed = unsafe { push(call, parser, room, piece.bytes()) };
            match pushed {
                Ok((taken, Pushed::Waits)) => return (class, Next::Wait(before + taken as u64)),
                Err(FrameError::Malformed) => return (class, PROTOCOL),
                Err(FrameError::TooLarge) => {
                    return (class, Next::Fail(AbortReason::TooLarge, ABORT_TOO_LARGE));
                }
                Ok((taken, Pushed::Went(head))) => {
                    let room = room.take_if(|_| head.is_some());
                    // SAFETY: `taken` is at most the length.
                    piece.start = unsafe { piece.start.add(taken) };
                    piece.length -= taken;
                    if let Some(head) = head {
                        if head.content_length > 0 && call.connection.is_stranger() {
                            return (class, Next::Fail(AbortReason::TooLarge, ABORT_TOO_LARGE));
                        }
                        class = Some(head.class);
                        begin_content(call, &mut intake, head, room);
                    }
                }
            }
        }
        if piece.length > 0 {
            content.push(piece);
        }
        before += u64::from(buffer.Length);
    }
    let next = take_content(call, &mut intake, content, fin);
    (class, next)
}

enum Pushed {
    Went(Option<Head>),
    /// The header has no room.
    Waits,
}

/// Feeds bytes to the parser, those of the header only where it has room.
fn push(
    call: &Arc<Call>,
    parser: &mut FrameParser,
    room: &mut Option<Room>,
    bytes: &[u8],
) -> Result<(usize, Pushed), FrameError> {
    let (of_prefix, told) = parser.push_prefix(bytes)?;
    if let Some((class, length)) = told
        && room.is_none()
    {
        *room = call.connection.inbox.reserve(call, class, length);
        if room.is_none() {
            return Ok((of_prefix, Pushed::Waits));
        }
    }
    let (taken, head) = parser.push(&bytes[of_prefix..])?;
    Ok((of_prefix + taken, Pushed::Went(head)))
}

fn begin_content(call: &Arc<Call>, intake: &mut Intake, head: Head, room: Option<Room>) {
    if call.inbound {
        call.class.store(head.class, std::sync::atomic::Ordering::Release);
    }
    intake.meter = ContentMeter::new(head.content_length);
    if head.content_length == 0 {
        intake.stage = Stage::Bare(head, room);
        return;
    }
    intake.stage = match call.connection.reserve_memory(head.content_length, SMALL) {
        Some(budget) => Stage::Memory { bytes: Vec::with_capacity(head.content_length as usize), budget },
        None => Stage::Spool(None),
    };
    call.announce(&head, room);
}

fn take_content(call: &Arc<Call>, intake: &mut Intake, pieces: Vec<Piece>, fin: bool) -> Next {
    let length: u64 = pieces.iter().map(|piece| piece.length as u64).sum();
    let in_head = matches!(intake.stage, Stage::Head { .. });
    if (fin && in_head) || intake.meter.take(length, fin).is_err() {
        return PROTOCOL;
    }
    match &mut intake.stage {
        Stage::Memory { bytes, .. } => {
            for piece in &pieces {
                // SAFETY: inside the callback the buffers are valid.
                bytes.extend_from_slice(unsafe { piece.bytes() });
            }
        }
        Stage::Spool(file) if length > 0 => {
            let file = file.take();
            intake.whole = fin;
            intake.busy = true;
            return Next::Write(file, pieces);
        }
        _ => {}
    }
    if fin { finish(call, intake) } else { Next::Nothing }
}

/// FIN is here and no job has the file.
fn finish(call: &Arc<Call>, intake: &mut Intake) -> Next {
    if intake.meter.take(0, true).is_err() {
        return PROTOCOL;
    }
    match std::mem::replace(&mut intake.stage, Stage::Done) {
        Stage::Head { .. } => PROTOCOL,
        Stage::Bare(head, room) => {
            intake.whole = true;
            call.announce(&head, room);
            Next::Nothing
        }
        Stage::Memory { bytes, budget } => {
            intake.whole = true;
            intake.busy = true;
            Next::Store(bytes, budget)
        }
        Stage::Spool(file) => {
            intake.whole = true;
            intake.busy = true;
            Next::Write(file, Vec::new())
        }
        Stage::Done => Next::Nothing,
    }
}

/// Sets a stream's priority. Inside a callback of its connection only: there it doesn't wait.
pub fn prioritise(call: &Call, stream: HQUIC, class: u8) {
    if call.connection.endpoint.uniform {
        return;
    }
    let value = priority(class);
    // SAFETY: the stream is open during its own callback; the value is a u16, as the parameter wants.
    unsafe {
        quic!(SetParam(stream, QUIC_PARAM_STREAM_PRIORITY, size_of::<u16>() as u32, (&raw const value).cast(),));
    }
}
