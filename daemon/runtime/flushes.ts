/**
 * Flushes: they resolve when what was changed is committed, and what the server had is here (rule F4).
 *
 * A front end that keeps a replica is asked first, for it may not have logged everything that it shows. A change that it could not log is not on
 * its way, and a commit that it can't put in place is not here: the error of the flush names it, with the reason.
 */
import type { ErrorStatus, StatusSnapshot } from '../../shared/control/snapshot.ts';
import type { VolumeId } from '../../shared/model/fid.ts';
import type { Clock, Timers } from '../../shared/ports/clock.ts';
import { GodwitError, isErrorCode, NOTES, type ErrorCode } from '../../shared/wire/error-codes.ts';
import type { Flushed } from '../core/log/flush.ts';
import type { AttachedFrontEnd } from './attached-front-end.ts';
import type { CallBroker } from './call-broker.ts';
import type { DiskWatch } from './disk-watch.ts';
import { fromRoot } from '../../shared/util/from-root.ts';
import { TimeLimit } from './time-limit.ts';

/** What the log had no room for may be taken once it is empty. */
const MOST_ROUNDS = 2;

export interface FlushParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly broker: CallBroker;
  readonly frontEnd: Pick<AttachedFrontEnd, 'current' | 'ask'>;
  /** What is not synced just now, and why. */
  readonly status: () => Pick<StatusSnapshot, 'waiting' | 'connected' | 'errors'>;
  /** Resolves when the front end has looked at everything. */
  readonly scan: () => Promise<void>;
  readonly volumes: () => Promise<readonly { readonly id: VolumeId }[]>;
  /** What waits for its delay goes now. */
  readonly hurry: () => void;
  readonly disk: Pick<DiskWatch, 'look'>;
}

/**
 * Serves `flush`: it resolves when all changes made before the call are committed and the replica
 * is up to date (rule F4). It rejects with a GodwitError that names what stands in the way, and
 * after the time limit.
 */
export class Flushes {
  readonly #parts: FlushParts;
  readonly #limit: TimeLimit;

  constructor(parts: FlushParts) {
    this.#parts = parts;
    this.#limit = new TimeLimit(parts);
  }

  /** Rejects `timed-out`, `removals-held`, and with why something could not be logged, sent or put in place. */
  async all(timeoutMs: number | null): Promise<void> {
    const { frontEnd } = this.#parts;
    const rounds = async (left: () => number | null): Promise<void> => {
      for (let round = 1; ; round++) {
        const before = await this.#round(left);
        const unlogged = frontEnd.current?.unlogged?.() ?? null;
        // What was logged by others while this one waited for the server has not been waited for.
        if (unlogged === null && (before === null || round > MOST_ROUNDS)) return;
        // Where the volume may not be written, an empty log is of no help.
        if (unlogged !== null && (round >= MOST_ROUNDS || isRefusal(unlogged))) throw unlogged;
      }
    };
    await this.#limit.within(timeoutMs, rounds).catch((error: unknown) => {
      throw isLate(error) ? this.#late(error) : error;
    });
    const errors = frontEnd.current?.status?.().errors ?? [];
    const held = frontEnd.current?.heldRemovals?.() ?? 0;
    const has = (code: ErrorCode): boolean => errors.some((error) => error.code === code);
    // What vanished with its disk is held as well; the error names the disk.
    if (held > 0 && (has('removals-held') || !has('disk-away'))) {
      const what = held === 1 ? '1 removal waits' : `${held} removals wait`;
      throw new GodwitError('removals-held', `${what} to be confirmed`);
    }
    const [wrong, ...others] = errors.filter(isOfPath);
    if (wrong === undefined) return;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    throw new GodwitError(wrong.code, `${fromRoot(wrong.path ?? '')}: ${wrong.message}${more}`);
  }

  /** The same, with what was not done; or why there is no connection, where more time is of no use. */
  #late({ message }: GodwitError): GodwitError {
    const { waiting = [], connected, errors } = this.#parts.status();
    const refusal = connected ? undefined : errors.find(isOfAll);
    if (refusal !== undefined)
      return new GodwitError(refusal.code, refusal.message, refusal.remedy);
    const [first, ...others] = waiting;
    if (first === undefined) {
      const why = connected
        ? 'the server has not answered'
        : 'there is no connection to the server';
      return new GodwitError('timed-out', `${message} (${why})`);
    }
    const named = first.path === null ? first.reason : `${fromRoot(first.path)}: ${first.reason}`;
    const more = others.length === 0 ? '' : `; and ${others.length} more, see \`godwit status\``;
    return new GodwitError('timed-out', `${message} (${named}${more})`);
  }

  async volume(volume: VolumeId, timeoutMs: number | null): Promise<void> {
    const { broker, frontEnd } = this.#parts;
    await this.#limit.within(timeoutMs, async (left) => {
      const what = { op: 'flush', volume, timeoutMs: left() } as const;
      const { head } = await broker.call<Flushed>(what);
      await frontEnd.ask(async (follower) => {
        const keeps = follower?.volume === volume ? follower : follower?.of?.(volume);
        await keeps?.reached(head, 'says');
      });
    });
  }

  /** Gives what the look of this round could not log; null: all is logged. */
  async #round(left: () => number | null): Promise<GodwitError | null> {
    const { scan, hurry, volumes, disk, frontEnd } = this.#parts;
    // What did not fit may fit now.
    disk.look();
    await scan();
    const unlogged = frontEnd.current?.unlogged?.() ?? null;
    hurry();
    for (const { id } of await volumes()) await this.volume(id, left());
    return unlogged;
  }
}

const isRefusal = ({ code }: GodwitError): boolean =>
  code === 'no-right' || code === 'volume-removed';

const isLate = (error: unknown): error is GodwitError =>
  error instanceof GodwitError && error.code === 'timed-out';

type Coded = ErrorStatus & { readonly code: ErrorCode };

/** Nothing is synced before a person has put that right. */
const isOfAll = (error: ErrorStatus): error is Coded =>
  error.path === null && !NOTES.has(error.code) && isErrorCode(error.code);

/** A file or folder that is not synced, and is not meant to be left out. */
function isOfPath(error: ErrorStatus): error is Coded {
  return error.path !== null && !NOTES.has(error.code) && isErrorCode(error.code);
}
