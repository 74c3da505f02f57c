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
/**
 * What fails has failed for good when nothing else has moved while the daemon gave so many answers, a second apart. A daemon that gets no processor
 * gives none.
 */
export const CERTAIN_ANSWERS = 8;

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
    // Beside something that is wrong the rest goes on by itself.
    const isPassing = state === 'error' && first !== undefined && first.stands !== true;
    return STANDS.has(state) && !isPassing ? this.#say(now) : this.late(now);
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

/** Decides when a flush can only fail: some files have errors, and nothing else has moved while the daemon answered so often. */
export class FlushCertainty {
  #picture = '';
  #answers = 0;
  #failing: readonly ErrorStatus[] = [];

  /** The status has changed. */
  seen({ connected, paused, errors, queues, fetches, unsettled }: Moving): void {
    const { metadata, data } = queues;
    const ofAll = errors.filter(({ code }) => OF_ALL.has(code));
    this.#failing = ofAll.length > 0 ? ofAll : ofFiles(errors);
    const isMoving = !connected || paused || metadata.inFlight + data.inFlight > 0;
    const isOpen = ofAll.length === 0 && isMoving;
    // What is tried again receives something, and comes no further.
    const counts = [metadata.updates, data.updates, data.sentBytes, fetches.running, unsettled];
    const what = ofAll.length > 0 ? [] : counts;
    const picture = JSON.stringify([what, this.#failing.map(({ path }) => path)]);
    if (picture !== this.#picture || isOpen) this.#answers = 0;
    this.#picture = picture;
  }

  /** The daemon was asked, and has answered: once a second at most. */
  answered(snapshot: Moving): void {
    this.seen(snapshot);
    this.#answers += 1;
  }

  /** Something has an error: the daemon is to be asked. */
  get isSuspected(): boolean {
    return this.#failing.length > 0;
  }

  /** What has failed; empty: it is not certain, or nothing has. */
  get failed(): readonly ErrorStatus[] {
    return this.#answers >= CERTAIN_ANSWERS ? this.#failing : [];
  }
}

/** What was so before the flush began is no reason, until the flush has tried it again; on a full disk it tries nothing else meanwhile. */
function ofFiles(errors: readonly ErrorStatus[]): ErrorStatus[] {
  const isFull = errors.some(
    ({ code, path, untried }) => code === 'disk-full' && path === null && untried !== true,
  );
  return errors.filter(({ path, code, untried }) => {
    if (path === null || NOTES.has(code)) return false;
    return untried !== true || (isFull && code === 'disk-full');
  });
}
