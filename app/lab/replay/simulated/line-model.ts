/**
 * A model of the transport on a line, for the simulated path: the overhead of a packet, the queue before the bottleneck, and the
 * acknowledgements that go back. Each figure is from the relay's counters in real runs, beside the contents that were moved; nothing is fitted to the time
 * that a run took.
 *
 * How they were counted: `godwit replay read --link 1MiB/s --json` has under `byLaptop` the bytes and packets that came out of each direction of the
 * relay (42 bytes of Ethernet, IP and UDP counted for each datagram), under `classes` the contents. read4 and write4 are four files of 1 MiB.
 * Single runs, load 6 to 18, 42 bytes included:
 *
 * | run | there | contents | back |
 * | --- | --- | --- | --- |
 * | read at 1024 KiB/s | 11,798 packets: 17,755,654 | 16,786,262 | 3,862: 307,003 |
 * | write at 1024 KiB/s | 11,874: 17,867,157 | 16,782,272 | 3,969: 280,582 |
 * | read4 at 256 KiB/s | 3,010: 4,458,943 | 4,196,912 | 2,782: 219,586 |
 * | write4 at 256 KiB/s | 3,017: 4,482,346 | 4,196,767 | 2,812: 196,065 |
 * | read4 at 64 KiB/s | 3,381: 4,534,990 | 4,196,904 | 3,256: 254,850 |
 * | write4 at 64 KiB/s | 3,358: 4,535,478 | 4,195,568 | 3,249: 226,746 |
 *
 * The queue before the line dropped none of these but 15 packets of read4 at 256 KiB/s, and at 64 KiB/s 22 and 17. Acknowledgements may be 4 ms late
 * where packets are 1.4 ms apart, so that every third one has one; the runs at 256 and 64 KiB/s, whose packets are further apart, were with
 * 1 ms. Both ways at once at 1024 KiB/s (read-write) 97,448 and 106,537 bytes more came out than of one of them alone. Where packets of contents
 * leave every 26 ms or sooner, acknowledgements wait for them: at 256 KiB/s 6.6 and 7.3 % more than the contents came out then, at 64 KiB/s 7.3 and 8.8 %.
 */
import { BURST_BYTES } from '../../../../shared/model/line-burst.ts';
import type { PathConditions } from '../../simulator/net/pipe.ts';

/** Where a direction of a line leads. */
export type LinkEnd = 'server' | 'laptop';

/** A frame of Ethernet. */
const FRAME_BYTES = 1514;
/**
 * Of a frame of contents, what is not contents: 42 of Ethernet, IP and UDP; of QUIC 40 towards a laptop, and 49 towards a server, whose id is
 * in each packet to it (`around` in shared/transport/native/src/link/window/flight.rs). So 1,432 and 1,423 bytes are contents.
 */
const AROUND_BYTES: Readonly<Record<LinkEnd, number>> = { server: 91, laptop: 82 };
/** Beside full frames, for what is sent again and in packets that are not full: 0, 0.1, 0.5, 0.4 % in the runs with frames of 1,514 bytes. */
const MORE_SHARE = 0.004;
/**
 * Packets are smaller on a slow line, and after a loss: the two runs at 64 KiB/s, where some were lost at the start, had 1,341 and 1,351 bytes on
 * average, what it carries in 20.5 ms, and as many bytes as packets of 20.2 ms take.
 */
const PIECE_SECONDS = 0.0202;
/** As the transport has it. */
const LEAST_PIECE_BYTES = 800;
/** A datagram with an acknowledgement alone: 78.3 to 78.9 bytes, and 69.6 to 70.1. */
const ACKNOWLEDGEMENT_BYTES: Readonly<Record<LinkEnd, number>> = { server: 78.5, laptop: 69.8 };
/** Where packets come faster than acknowledgements are sent one is for three of them: 33 and 33 for 100, and 92 to 96. */
const FAST_PACKET_MS = 2;
const FAST_SHARE = 0.33;
const SLOW_SHARE = 0.94;
/** On a line that is busy that way too, so many for a packet: the others are in packets that go there anyway, for which they wait so long at most. */
const ALONG_MS = 26;
const ALONG_SHARE = 0.12;
const BESIDE_SHARE = 0.55;
/** The bulk window lets so much stand in the queue, and one packet. */
const WINDOW_MS = 25;

export interface LinkDirection {
  /** With headers. */
  readonly bytesPerSecond: number;
  readonly roundTripMs: number;
  /** What the line's own queue holds. */
  readonly queueMs: number;
  readonly towards: LinkEnd;
  /** The bulk window keeps that queue short; left out: it does. */
  readonly hasWindow?: boolean;
}

/**
 * Gives the conditions of a simulated path that does as our transport does on such a line. Rates
 * are bytes a second, times are milliseconds.
 */
export function pathOf({
  bytesPerSecond,
  roundTripMs,
  queueMs,
  towards,
  hasWindow = true,
}: LinkDirection): Omit<PathConditions, 'jitterMs' | 'loss'> {
  const piece = Math.max(LEAST_PIECE_BYTES, Math.floor(PIECE_SECONDS * bytesPerSecond));
  const frame = Math.min(FRAME_BYTES, piece);
  const around = AROUND_BYTES[towards];
  const packetMs = bytesPerSecond === 0 ? 0 : (frame / bytesPerSecond) * 1000;
  const share = packetMs < FAST_PACKET_MS ? FAST_SHARE : SLOW_SHARE;
  const beside = packetMs <= ALONG_MS ? ALONG_SHARE : BESIDE_SHARE;
  return {
    bytesPerSecond,
    burstBytes: BURST_BYTES,
    delayMs: roundTripMs / 2,
    queueMs: (hasWindow ? Math.min(WINDOW_MS, queueMs) : queueMs) + packetMs,
    packetBytes: frame - around,
    overheadBytes: around + Math.round(MORE_SHARE * frame),
    acknowledgementBytes: Math.round(share * ACKNOWLEDGEMENT_BYTES[towards]),
    acknowledgementShare: beside / share,
  };
}
