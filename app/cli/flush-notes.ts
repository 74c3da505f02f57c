/** What `godwit flush --wait` says where no person watches a progress bar: why it waits, once for each reason; and when it is certain that waiting is in vain. */
import type { ErrorStatus, StatusSnapshot } from '../../shared/control/snapshot.ts';
import type { DaemonState } from '../../shared/model/daemon-state.ts';
import { OF_SESSION } from '../../shared/control/session-refusal.ts';
import { NOTES } from '../../shared/wire/error-codes.ts';
import { brief } from './printable.ts';
import { waitingText } from './status-lines.ts';

/** States in which a flush may wait without end, so that the reason is printed at once. */
const STANDS: ReadonlySet<DaemonState> = new Set(['paused', 'offline', 'error']);

/** In other states a reason is printed when it has lasted so long, in milliseconds. */
export const LONG_MS = 5000;
/** Nor is a flush silent for longer than this: where something moves, the reason changes all the time. */
export const SILENT_MS = 10_000;
/** What fails has failed for good when nothing else has moved for so long: the daemon tries it again sooner. */
export const CERTAIN_MS = 8000;

type Seen = Pick<StatusSnapshot, 'state' | 'summary' | 'waiting'>;

/** Decides which reasons of waiting are printed. Times are of one clock, in milliseconds. */
export class FlushNotes {
  #said = '';
  #why = '';
  #since = 0;
  #spoke: number | null = null;

  /** The status has changed. Gives the reason to print now; null: none. */
  seen({ state, summary, waiting = [] }: Seen, now: number): string | null {
    // A reason with a path is the error of the flush itself already.
    const [first] = state === 'error' ? waiting.filter(({ path }) => path === null) : waiting;
    const isOfFlush = state === 'error' && first === undefined;
    const why = isOfFlush ? '' : first === undefined ? brief(summary) : waitingText(first);
    if (why !== this.#why) [this.#why, this.#since] = [why, now];
    this.#spoke ??= now;
    return STANDS.has(state) ? this.#say(now) : this.late(now);
  }

  /** Time has passed. The same. */
  late(now: number): string | null {
    const isLong = now - this.#since >= LONG_MS || now - (this.#spoke ?? now) >= SILENT_MS;
    return isLong ? this.#say(now) : null;
  }

  #say(now: number): string | null {
    if (this.#why === '' || this.#why === this.#said) return null;
    [this.#said, this.#spoke] = [this.#why, now];
    return this.#why;
  }
}

type Moving = Pick<
  StatusSnapshot,
  'connected' | 'paused' | 'errors' | 'queues' | 'fetches' | 'unsettled'
>;

/** Errors of all of it that only a person ends: nothing is looked at, or sent, meanwhile. */
const OF_ALL: ReadonlySet<string> = new Set(['folder-moved', ...OF_SESSION]);

/** Decides when a flush can only fail: some files have errors, and nothing else has moved for `CERTAIN_MS`. Times as above. */
export class FlushCertainty {
  #picture = '';
  #since = 0;
  #failing: readonly ErrorStatus[] = [];

  seen({ connected, paused, errors, queues, fetches, unsettled }: Moving, now: number): void {
    const { metadata, data } = queues;
    const ofAll = errors.filter(({ code }) => OF_ALL.has(code));
    const ofFiles = errors.filter(({ path, code }) => path !== null && !NOTES.has(code));
    this.#failing = ofAll.length > 0 ? ofAll : ofFiles;
    const isMoving = !connected || paused || metadata.inFlight + data.inFlight > 0;
    const isOpen = ofAll.length === 0 && isMoving;
    // What is tried again receives something, and comes no further.
    const counts = [metadata.updates, data.updates, data.sentBytes, fetches.running, unsettled];
    const what = ofAll.length > 0 ? [] : counts;
    const picture = JSON.stringify([what, this.#failing.map(({ path }) => path)]);
    if (picture === this.#picture && !isOpen && this.#failing.length > 0) return;
    [this.#picture, this.#since] = [picture, now];
  }

  /** What has failed; empty: it is not certain, or nothing has. */
  failed(now: number): readonly ErrorStatus[] {
    return now - this.#since >= CERTAIN_MS ? this.#failing : [];
  }
}
