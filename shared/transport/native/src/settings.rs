//! The transport settings of every connection, each with its reason.

use msquic::ffi::{QUIC_PARAM_CONN_SETTINGS, QUIC_SETTINGS, QUIC_SETTINGS__bindgen_ty_1__bindgen_ty_1 as IsSet};

use crate::quic::{self, HQUIC, quic};

/// A laptop may be without a network for a while and go on; measured from the first unacknowledged byte.
const DISCONNECT_TIMEOUT_MS: u32 = 45_000;
/// Nothing heard at all: longer than the disconnect time-out, so that an idle link dies of this and a busy one
/// of that.
const IDLE_TIMEOUT_MS: u64 = 60_000;
const HANDSHAKE_IDLE_TIMEOUT_MS: u64 = 10_000;
/// Until a round trip is known: a handshake is asked for again after three of them, so after 0.3, 0.9 and 2.1 s. A laptop whose line is back
/// should not wait for longer, and on a slow line that is a packet or two too many.
const INITIAL_RTT_MS: u32 = 100;
/// Keeps address translations on the way alive and notices a dead path. Client only: one side is enough.
const KEEP_ALIVE_MS: u32 = 10_000;
/// 25 ms, the default, costs 20 to 40 ms of extra round trip on slow links; 0 breaks the handshake. With 1, nearly every packet has one of its own
/// at a megabyte a second, where they are 1.4 ms apart: that is a hundredth of the line.
///
/// An acknowledgement goes along with what is sent in this time. Where that comes in fast it may be later (link/ack_delay.rs).
pub const MAX_ACK_DELAY_MS: u32 = 2;
/// RPCs under way that the peer began. A stream over the limit waits silently, whatever its priority, so the
/// limit is far above what either program has in flight.
const PEER_STREAMS: u16 = 4096;
/// Unread bytes of all streams of a connection. Many times a stream's window, so that streams whose spool is
/// slow can't keep the urgent ones waiting.
const CONNECTION_WINDOW: u32 = 128 * 1024 * 1024;
/// Where a stream's window begins (a power of two); MsQuic enlarges it as the path needs.
const STREAM_WINDOW: u32 = 1024 * 1024;
/// A resumed session shows that a peer has a ticket, not that it has the key: whoever read the ticket would be the device. Without 0-RTT, with
/// which a request could be replayed, a full handshake takes no round trip more.
const NO_RESUMPTION: u8 = 0;

/// `peer_streams`: left out, as many as anybody may have.
pub fn settings(server: bool, peer_streams: Option<u16>) -> QUIC_SETTINGS {
    // SAFETY: QUIC_SETTINGS is plain data; all zeros mean "nothing set".
    let mut settings: QUIC_SETTINGS = unsafe { std::mem::zeroed() };
    // SAFETY: the bit field and the flag word of the union are views of the same eight bytes.
    let set = unsafe { &mut settings.__bindgen_anon_1.IsSet };
    set.set_DisconnectTimeoutMs(1);
    set.set_IdleTimeoutMs(1);
    set.set_HandshakeIdleTimeoutMs(1);
    set.set_MaxAckDelayMs(1);
    set.set_InitialRttMs(1);
    set.set_PeerBidiStreamCount(1);
    set.set_PeerUnidiStreamCount(1);
    set.set_ConnFlowControlWindow(1);
    set.set_StreamRecvWindowDefault(1);
    set.set_SendBufferingEnabled(1);
    set.set_NetStatsEventEnabled(1);
    set.set_DatagramReceiveEnabled(1);
    set.set_CongestionControlAlgorithm(1);
    if server {
        set.set_ServerResumptionLevel(1);
    } else {
        set.set_KeepAliveIntervalMs(1);
    }
    settings.DisconnectTimeoutMs = DISCONNECT_TIMEOUT_MS;
    settings.IdleTimeoutMs = IDLE_TIMEOUT_MS;
    settings.HandshakeIdleTimeoutMs = HANDSHAKE_IDLE_TIMEOUT_MS;
    settings.MaxAckDelayMs = MAX_ACK_DELAY_MS;
    settings.InitialRttMs = INITIAL_RTT_MS;
    settings.PeerBidiStreamCount = peer_streams.unwrap_or(PEER_STREAMS);
    settings.PeerUnidiStreamCount = 0;
    settings.ConnFlowControlWindow = CONNECTION_WINDOW;
    settings.StreamRecvWindowDefault = STREAM_WINDOW;
    settings.KeepAliveIntervalMs = KEEP_ALIVE_MS;
    // Cubic: with the bulk window on top it beat BBR.
    settings.CongestionControlAlgorithm = 0;
    // Off: the completion of a send then means that the peer has acknowledged it.
    settings.set_SendBufferingEnabled(0);
    settings.set_ServerResumptionLevel(NO_RESUMPTION);
    // What the bulk windows tell each other is of no use late.
    settings.set_DatagramReceiveEnabled(1);
    // SAFETY: as above.
    unsafe { settings.__bindgen_anon_2.__bindgen_anon_1.set_NetStatsEventEnabled(1) };
    settings
}

/// The peer may begin as many calls as anybody. It waits for the connection's worker: hold no lock, and be on a thread that may.
pub fn allow_streams(connection: HQUIC) {
    change(connection, |set, settings| {
        set.set_PeerBidiStreamCount(1);
        settings.PeerBidiStreamCount = PEER_STREAMS;
    });
}

/// Changes what `made` sets of a connection under way. Where it is refused, all stays as it was. In callbacks of the connection or its
/// streams a parameter is taken on the spot; elsewhere this waits for the worker.
pub fn change(connection: HQUIC, made: impl FnOnce(&mut IsSet, &mut QUIC_SETTINGS)) {
    // SAFETY: QUIC_SETTINGS is plain data; all zeros mean "nothing set".
    let mut settings: QUIC_SETTINGS = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    let mut set: IsSet = unsafe { std::mem::zeroed() };
    made(&mut set, &mut settings);
    settings.__bindgen_anon_1.IsSet = set;
    let length = size_of::<QUIC_SETTINGS>() as u32;
    // SAFETY: the buffer is as long as `length` says.
    let status = unsafe { quic!(SetParam(connection, QUIC_PARAM_CONN_SETTINGS, length, (&raw const settings).cast())) };
    debug_assert!(!quic::failed(status));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_gives_no_ticket_and_resumes_no_session() {
        let settings = settings(true, None);
        assert_eq!(settings.ServerResumptionLevel(), NO_RESUMPTION);
        // SAFETY: the bit field and the flag word of the union are views of the same eight bytes.
        assert_eq!(unsafe { settings.__bindgen_anon_1.IsSet.ServerResumptionLevel() }, 1);
    }
}
