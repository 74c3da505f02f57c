/**
 * Flushes: they resolve when what was changed is committed, and what the server had is here (rule F4).
 *
 * A front end that keeps a replica is asked first, for it may not have logged everything that it shows. What it could not log is nowhere on
 * its way: who flushes is told why.
 */
import type { VolumeId } from '../../shared/model/fid.ts';
import type { Clock, Timers } from '../../shared/ports/clock.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { Flushed } from '../core/flush.ts';
import type { AttachedFrontEnd } from './attached-front-end.ts';
import type { CallBroker } from './call-broker.ts';
import { TimeLimit } from './time-limit.ts';

/** What the log had no room for may be taken once it is empty. */
const MOST_ROUNDS = 2;

export interface FlushParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly broker: CallBroker;
  readonly frontEnd: Pick<AttachedFrontEnd, 'current' | 'ask'>;
  /** Resolves when the front end has looked at everything. */
  readonly scan: () => Promise<void>;
  readonly volumes: () => Promise<readonly { readonly id: VolumeId }[]>;
  /** What waits for its delay goes now. */
  readonly hurry: () => void;
}

export class Flushes {
  readonly #parts: FlushParts;
  readonly #limit: TimeLimit;

  constructor(parts: FlushParts) {
    this.#parts = parts;
    this.#limit = new TimeLimit(parts);
  }

  /** Rejects `timed-out`, `removals-held`, and with why something could not be logged. */
  async all(timeoutMs: number | null): Promise<void> {
    const { frontEnd } = this.#parts;
    await this.#limit.within(timeoutMs, async (left) => {
      for (let round = 1; ; round++) {
        await this.#round(left);
        const unlogged = frontEnd.current?.unlogged?.() ?? null;
        if (unlogged === null) return;
        if (round === MOST_ROUNDS) throw unlogged;
      }
    });
    const held = frontEnd.current?.heldRemovals?.() ?? 0;
    if (held > 0) throw new GodwitError('removals-held', `${held} removals wait to be confirmed`);
  }

  async volume(volume: VolumeId, timeoutMs: number | null): Promise<void> {
    const { broker, frontEnd } = this.#parts;
    await this.#limit.within(timeoutMs, async (left) => {
      const what = { op: 'flush', volume, timeoutMs: left() } as const;
      const { head } = await broker.call<Flushed>(what);
      await frontEnd.ask(async (follower) => {
        if (follower?.volume === volume) await follower.reached(head);
      });
    });
  }

  async #round(left: () => number | null): Promise<void> {
    const { scan, hurry, volumes } = this.#parts;
    await scan();
    hurry();
    for (const { id } of await volumes()) await this.volume(id, left());
  }
}
