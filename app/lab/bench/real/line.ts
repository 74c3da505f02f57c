/**
 * A line between one laptop and the server, which can be made slow, cut, and given another address while it is used. Two kinds of them: our own
 * relay on this machine, and `tc tbf` between network namespaces.
 */
import type { RateStep } from '../../shaper/conditions.ts';
import type { Place } from '../../../cli/children.ts';

/** Both ways alike. */
export interface LineShape {
  /** With the headers of Ethernet, IP and UDP, 42 for each datagram. */
  readonly bytesPerSecond: number;
  /** How the rate changes from the moment on at which the line is shaped, the first step at 0; left out: never. Not with `tc tbf`. */
  readonly steps?: readonly RateStep[];
  /** What waits before the line at most, in time at that rate. */
  readonly queueMs: number;
  /** For which there is room in the queue at any rate, full frames; left out: 6. */
  readonly leastFrames?: number;
  /** Of the path without a queue. */
  readonly roundTripMs: number;
}

export interface Line {
  /** Where the laptop runs, and where it finds the server. */
  readonly place: Place;
  readonly address: string;
  shape(shape: LineShape): void;
  /** Drops every packet until `restore`; neither end is informed. */
  cut(): void;
  restore(): void;
  /** The laptop has another address from now on. */
  move(): void;
  /** Bytes that have come out at the other end, with headers. */
  arrived(): { readonly up: number; readonly down: number };
  /** What each direction counts. */
  counted(): { readonly up: LineCount; readonly down: LineCount };
}

export interface LineCount {
  /** That have come out at the other end. */
  readonly packets: number;
  /** That the queue before the line had no room for. */
  readonly dropped: number;
}

/** The lines of one run. Who opened it closes it, and nothing of it is left. */
export interface Net {
  /** Where the server runs, and at which host it listens. */
  readonly place: Place;
  readonly host: string;
  /** The next laptop's line to the server at `address`. */
  line(address: string, shape: LineShape): Promise<Line>;
  close(): void;
}

/** A frame of Ethernet as `tc` counts it; a queue has room for some of them at any rate. */
export const FRAME_BYTES = 1514;
const LEAST_FRAMES = 6;
/** Of a frame, what QUIC has for contents: 1,442 of 1,514 bytes. */
const PAYLOAD_SHARE = 0.952;

/** As `tc tbf` has it: bytes with headers. */
export function queueBytes(shape: LineShape): number {
  const { bytesPerSecond, queueMs, leastFrames = LEAST_FRAMES } = shape;
  const asked = Math.round((bytesPerSecond * queueMs) / 1000);
  return Math.max(leastFrames * FRAME_BYTES, asked);
}

/** The least time that contents can take over it, seconds: all in full frames, and nothing else on the line. */
export function limitSeconds(bytes: number, { bytesPerSecond }: LineShape): number {
  return bytes / (PAYLOAD_SHARE * bytesPerSecond);
}
