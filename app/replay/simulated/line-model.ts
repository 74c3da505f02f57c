/**
 * What the transport makes of a line, for the simulated path: so much is around a packet, so much may stand before the bottleneck, and so
 * much goes back for it. Measured on the real one over the relay, which counts 42 bytes of headers for each datagram.
 */
import type { PathConditions } from '../../sim/net/pipe.ts';

/** A frame of 1,514 bytes carries 1,442 of contents. */
const FRAME_BYTES = 1514;
const AROUND_BYTES = 72;
/** Packets are smaller on a slow line: as much as it carries in 16 ms, and no less than this. */
const PIECE_SECONDS = 0.016;
const LEAST_PIECE_BYTES = 800;
/** A datagram with an acknowledgement alone, for nearly each packet. */
const ACKNOWLEDGEMENT_BYTES = 75;
/** The bulk window lets so much stand in the queue, and one packet. */
const WINDOW_MS = 25;

/** Of one direction; `queueMs`: what the line's own queue holds. */
export function pathOf(
  bytesPerSecond: number,
  roundTripMs: number,
  queueMs: number,
): Pick<
  PathConditions,
  | 'bytesPerSecond'
  | 'delayMs'
  | 'queueMs'
  | 'packetBytes'
  | 'overheadBytes'
  | 'acknowledgementBytes'
> {
  const piece = Math.max(LEAST_PIECE_BYTES, Math.floor(PIECE_SECONDS * bytesPerSecond));
  const frame = Math.min(FRAME_BYTES, piece);
  const packetMs = bytesPerSecond === 0 ? 0 : (frame / bytesPerSecond) * 1000;
  return {
    bytesPerSecond,
    delayMs: roundTripMs / 2,
    queueMs: Math.min(WINDOW_MS, queueMs) + packetMs,
    packetBytes: frame - AROUND_BYTES,
    overheadBytes: AROUND_BYTES,
    acknowledgementBytes: ACKNOWLEDGEMENT_BYTES,
  };
}
