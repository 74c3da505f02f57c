/** How what is logged goes to the server: a setting of the daemon, durable in its database. */
import { milliseconds, type Duration } from './time.ts';

/**
 * `async`: programs go on at once; metadata and data proceed side by side. `logging`: they go on at once too, and each volume's
 * updates are sent in the order of the log, all in one class. `sync`: as `async`, and a program that closes what it wrote through the
 * port waits until it is committed.
 */
export const WRITEBACK_POLICIES = ['async', 'logging', 'sync'] as const;
export type WritebackPolicy = (typeof WRITEBACK_POLICIES)[number];

export interface WritebackSettings {
  readonly policy: WritebackPolicy;
  /** A store is sent when its file was not written for so long. */
  readonly delay: Duration;
  /** Bytes of queued contents from which on no write begins; null: the default of the program. */
  readonly dirtyLimit: number | null;
}

export const DEFAULT_WRITEBACK: WritebackSettings = {
  policy: 'async',
  delay: milliseconds(0),
  dirtyLimit: null,
};

/** What is left out stays as it is. */
export interface WritebackChange {
  readonly policy?: WritebackPolicy;
  readonly delayMs?: number;
  readonly dirtyLimit?: number | null;
}
