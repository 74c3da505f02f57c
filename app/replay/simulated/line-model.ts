/**
 * What the transport makes of a line, for the simulated path: so much is around a packet, so much may stand before the bottleneck, and so
 * much goes back for it. Each figure is from the relay's counters in real runs (packets and bytes that came out of it, 42 bytes of headers
 * counted for each datagram), beside the contents that were moved; nothing is fitted to the time that a run took.
 *
 * | real run | packets and bytes with contents | contents | back |
 * | --- | --- | --- | --- |
 * | Read at 1024 KiB/s | 11,969: 17,932,852 | 16,786,262 | 9,860: 776,835 |
 * | Write at 1024 KiB/s | 11,943: 17,923,326 | 16,782,284 | 10,795: 750,864 |
 * | Read at 256 KiB/s | 17,965,787 | 16,786,262 | 892,143 |
 * | Grep at 64 KiB/s, 258 fetches | 2,498: 2,409,787 | 2,206,974 | 2,522: 228,765 |
 * | Read beside Write at 256 KiB/s | 18,415,820 each way | 16,789,700 each way | among these |
 * | Read beside Write at 1024 KiB/s, six runs | 18.06 to 18.60 million each way | 16,789,700 each way | among these |
 */
import type { PathConditions } from '../../sim/net/pipe.ts';

/** A frame of 1,514 bytes carries 1,442 of contents. */
const FRAME_BYTES = 1514;
const AROUND_BYTES = 72;
/** Of what is sent, what is sent again, taken for lost, or in packets that are not full: 1.7 % more bytes than full frames have. */
const MORE_SHARE = 0.017;
/** Packets are smaller on a slow line: as much as it carries in 16 ms, and no less than this. */
const PIECE_SECONDS = 0.016;
const LEAST_PIECE_BYTES = 800;
/** A datagram with an acknowledgement alone; where packets come faster than acknowledgements may wait, it is for more than one of them. */
const ACKNOWLEDGEMENT_BYTES = 76;
const FAST_PACKET_MS = 2;
const FAST_SHARE = 0.85;
/** On a line that is busy that way too, so much of it: the others are in packets that go there anyway. */
const BESIDE_SHARE = 0.58;
/** The bulk window lets so much stand in the queue, and one packet. */
const WINDOW_MS = 25;

/** Of one direction; `queueMs`: what the line's own queue holds. */
export function pathOf(
  bytesPerSecond: number,
  roundTripMs: number,
  queueMs: number,
): Omit<PathConditions, 'jitterMs' | 'loss'> {
  const piece = Math.max(LEAST_PIECE_BYTES, Math.floor(PIECE_SECONDS * bytesPerSecond));
  const frame = Math.min(FRAME_BYTES, piece);
  const packetMs = bytesPerSecond === 0 ? 0 : (frame / bytesPerSecond) * 1000;
  const share = packetMs < FAST_PACKET_MS ? FAST_SHARE : 1;
  return {
    bytesPerSecond,
    delayMs: roundTripMs / 2,
    queueMs: Math.min(WINDOW_MS, queueMs) + packetMs,
    packetBytes: frame - AROUND_BYTES,
    overheadBytes: AROUND_BYTES + Math.round(MORE_SHARE * frame),
    acknowledgementBytes: Math.round(share * ACKNOWLEDGEMENT_BYTES),
    acknowledgementShare: BESIDE_SHARE,
  };
}
