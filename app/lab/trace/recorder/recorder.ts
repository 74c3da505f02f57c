/**
 * Recordings of what the daemon's front ends do, for `godwit trace record`. Off until somebody begins one; no contents are in them.
 *
 * Invariants
 * 1. A record is kept until its reader has said that it arrived, or has gone.
 * 2. A recording keeps so many records at most; those beyond are counted, and the count stands where they are missing.
 * 3. A recording whose reader asks for nothing any more ends.
 */
import type { RecordedPart } from '../../../../shared/control/recording.ts';
import {
  elapsed,
  milliseconds,
  type Duration,
  type Instant,
} from '../../../../shared/model/time.ts';
import type { TimerHandle } from '../../../../shared/ports/clock.ts';
import type { FileSystem } from '../../../../shared/ports/file-system.ts';
import type {
  Actor,
  MakeRecordings,
  RecordingParts,
  Recordings,
} from '../../../../shared/ports/recordings.ts';
import type { TraceRecord } from '../record.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { RecordingFileSystem, type Listener, type UntimedRecord } from './recording-file-system.ts';

/** Each may hold its share of memory: some 6 MB. */
const MAX_RECORDINGS = 4;
const MAX_KEPT = 20_000;
/** Of one answer, some 1.5 MB. */
const MAX_PART = 5000;
/** Records are handed over when so much time has passed since the first of them: four answers a second are enough. */
const GATHERING = milliseconds(250);
/** A reader that has asked for nothing for so long has gone. */
const GONE_AFTER = milliseconds(60_000);

interface Recording {
  readonly number: number;
  readonly began: Instant;
  /** The number of the first that is kept. */
  first: number;
  kept: TraceRecord[];
  /** Operations since the last that is kept. */
  missed: number;
  /** Resolves the call that waits. */
  wake: (() => void) | null;
  timer: TimerHandle | null;
}

/** A daemon is started with this module. */
export const makeRecordings: MakeRecordings = (parts) => new Recorder(parts);

/** Records the calls of front ends for each reader that asks, with bounded memory. */
export class Recorder implements Listener, Recordings {
  readonly #parts: RecordingParts;
  readonly #recordings = new Map<number, Recording>();
  #last = 0;
  #isClosed = false;

  constructor(parts: RecordingParts) {
    this.#parts = parts;
  }

  get isOn(): boolean {
    return this.#recordings.size > 0 && !this.#isClosed;
  }

  /** The same port; what is done through it is recorded while somebody records. */
  over(fileSystem: FileSystem, actor: Actor): FileSystem {
    return new RecordingFileSystem(fileSystem, actor, this);
  }

  /** What is done is done now. */
  note({ pid, program }: Actor, told: UntimedRecord): void {
    if (this.#isClosed) return;
    const now = this.#parts.clock.now();
    const client = this.#parts.client();
    for (const recording of this.#recordings.values()) {
      const at = Math.round(elapsed(recording.began, now) * 1000);
      this.#keep(recording, { at, client, pid, program, ...told });
    }
  }

  /** Begins one. Throws `try-again` where there are too many. */
  begin(): RecordedPart<TraceRecord> {
    if (this.#recordings.size >= MAX_RECORDINGS || this.#isClosed) {
      throw new GodwitError('try-again', `the daemon makes ${MAX_RECORDINGS} recordings at once`);
    }
    const recording: Recording = {
      ...{ number: (this.#last += 1), began: this.#parts.clock.now(), first: 0, kept: [] },
      ...{ missed: 0, wake: null, timer: null },
    };
    this.#recordings.set(recording.number, recording);
    this.#parts.log.info('a recording of file accesses begins', { recording: recording.number });
    this.#awaitReader(recording);
    return partOf(recording, MAX_PART);
  }

  /**
   * What follows the first `received` records: when there is something and it is gathered, or after `waitMs`. Rejects `not-found` where there is no such
   * recording (any more), `not-running` if the daemon ends and all records were delivered, and `bad-message` if there were never so many.
   */
  async next(number: number, received: number, waitMs: number): Promise<RecordedPart<TraceRecord>> {
    const recording = this.#acknowledged(number, received);
    if (recording.kept.length < MAX_PART && waitMs > 0 && !this.#isClosed) {
      await this.#more(recording, milliseconds(waitMs));
    }
    if (this.#isClosed && recording.kept.length === 0) {
      throw new GodwitError('not-running', 'the daemon ends');
    }
    if (this.#recordings.has(number)) this.#awaitReader(recording);
    return partOf(recording, MAX_PART);
  }

  /** Ends it, and gives all that is left. */
  end(number: number, received: number): RecordedPart<TraceRecord> {
    const recording = this.#acknowledged(number, received);
    this.#drop(recording);
    recordMissed(recording);
    return partOf(recording, recording.kept.length);
  }

  /** Ends all recordings. Waiting calls are answered, and what was recorded can still be fetched. */
  close(): void {
    this.#isClosed = true;
    for (const recording of this.#recordings.values()) {
      recording.timer?.cancel();
      recording.wake?.();
      recordMissed(recording);
    }
  }

  #acknowledged(number: number, received: number): Recording {
    const recording = this.#recordings.get(number);
    if (recording === undefined) {
      throw new GodwitError('not-found', `there is no recording ${number} any more`);
    }
    const count = received - recording.first;
    if (count < 0 || count > recording.kept.length) {
      throw new GodwitError('bad-message', `record ${received} was not the next one`);
    }
    recording.kept.splice(0, count);
    recording.first = received;
    // Another call of the same reader: the one before is not waited for any more.
    recording.wake?.();
    return recording;
  }

  #keep(recording: Recording, record: TraceRecord): void {
    if (recording.kept.length + 2 > MAX_KEPT) {
      recording.missed += 1;
      return;
    }
    recordMissed(recording, record.at);
    recording.kept.push(record);
    if (recording.wake === null) return;
    if (recording.kept.length === 1) this.#after(recording, GATHERING, recording.wake);
    else if (recording.kept.length >= MAX_PART) recording.wake();
  }

  async #more(recording: Recording, wait: Duration): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    recording.wake = resolve;
    this.#after(recording, recording.kept.length === 0 ? wait : GATHERING, resolve);
    await promise;
    if (recording.wake === resolve) recording.wake = null;
  }

  #awaitReader(recording: Recording): void {
    if (recording.wake !== null || this.#isClosed) return;
    this.#after(recording, GONE_AFTER, () => {
      this.#parts.log.warn('a recording of file accesses has lost its reader', {
        recording: recording.number,
      });
      this.#drop(recording);
    });
  }

  #after(recording: Recording, delay: Duration, run: () => void): void {
    recording.timer?.cancel();
    recording.timer = this.#parts.timers.start(delay, run);
  }

  #drop(recording: Recording): void {
    this.#recordings.delete(recording.number);
    recording.timer?.cancel();
    recording.wake?.();
  }
}

function recordMissed(recording: Recording, at = recording.kept.at(-1)?.at ?? 0): void {
  if (recording.missed === 0) return;
  recording.kept.push({ at, pid: 0, op: 'gap', length: recording.missed });
  recording.missed = 0;
}

const partOf = ({ number, first, kept }: Recording, most: number): RecordedPart<TraceRecord> => ({
  ...{ recording: number, first, records: kept.slice(0, most) },
});
