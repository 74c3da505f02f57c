/** What ends a pause by itself: a time, or another network. It is kept beside that syncing is paused, which the daemon's core knows. */
import { z } from 'zod';

/**
 * The end is kept on two clocks: the machine's own, which nobody sets and which counts through suspend, for as long as the machine runs; and the
 * wall's, for after a restart of the machine.
 */
export const timedEnd = z.strictObject({
  /** Milliseconds since 1970. */
  until: z.number(),
  /** How long it was to last, in milliseconds; 0: it was ended before its time. */
  forMs: z.number().min(0),
  /** Which start of the machine `due` counts from; null: the system can't tell. */
  boot: z.string().nullable(),
  due: z.number(),
});

/** The network that is to be left. */
export const networkEnd = z.strictObject({ leaves: z.string().min(1) });

export type TimedEnd = Readonly<z.output<typeof timedEnd>>;
export type NetworkEnd = Readonly<z.output<typeof networkEnd>>;

/** One that is over: what can't be read is taken for it. */
export const OVER: TimedEnd = { until: 0, forMs: 0, boot: null, due: 0 };

/** Where one kind of end is kept. It is durable when a call returns. */
export interface KeptEnd<T> {
  /** null: there is none. */
  load(): T | null;
  /** Throws GodwitError `disk-full`, `disk-failing`, `folder-unusable`; then nothing has changed. */
  save(end: T): void;
  /** Throws likewise. */
  remove(): void;
}

export interface PauseEnds {
  readonly byTime: KeptEnd<TimedEnd>;
  readonly byNetwork: KeptEnd<NetworkEnd>;
}
