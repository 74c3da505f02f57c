/**
 * Recordings of what the front ends of a daemon do. A daemon is given what makes them when it starts, or runs without.
 *
 * The recorder sends how many records have arrived, and gets those that follow (shared/control/recording.ts).
 */
import type { RecordedPart } from '../control/recording.ts';
import type { Clock, Timers } from './clock.ts';
import type { FileSystem } from './file-system.ts';
import type { Log } from './log.ts';

/** Who does what is recorded. */
export interface Actor {
  /** 0: the daemon itself. */
  readonly pid: number;
  readonly program?: string;
}

export interface Recordings {
  /** Begins one. Throws `try-again` where there are too many, and `no-laboratory` where nothing is recorded. */
  begin(): RecordedPart;
  /** What follows the first `received` records. Rejects `not-found`, `not-running`, `bad-message`. */
  next(recording: number, received: number, waitMs: number): Promise<RecordedPart>;
  /** Ends it, and gives all that is left. */
  end(recording: number, received: number): RecordedPart;
  /** The same port; operations through it are recorded while a recording runs. */
  over(fileSystem: FileSystem, actor: Actor): FileSystem;
  /** Ends all recordings. Waiting calls are answered. */
  close(): void;
}

export interface RecordingParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  /** What this machine is called, as far as it is known. */
  readonly client: () => string | undefined;
}

/** What a module that a daemon is started with exports as `makeRecordings`. */
export type MakeRecordings = (parts: RecordingParts) => Recordings;
