/** A change of the server's epoch that is under way, or done and not yet acted on; and vnodes that others may have given back. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { ReplyOf } from '../../../shared/wire/rpcs.ts';
import type { RequestId } from '../events.ts';
import type { EpochChange } from './lost-volume.ts';

/** The Hello whose answer named a new epoch, and that answer. */
interface EpochHello {
  readonly request: RequestId;
  readonly reply: ReplyOf<'Hello'>;
}

/**
 * Holds the change of epoch in progress, its accepted Hello, and the vnodes of blocked updates to
 * look at.
 */
export class RecoveryState {
  #change: EpochChange | null = null;
  #done: EpochHello | null = null;
  readonly #blockedOn = new Set<Fid>();

  /** The server has begun a new epoch, and its state is being read (epoch-change.ts). */
  get change(): EpochChange | null {
    return this.#change;
  }

  begin(change: EpochChange): void {
    this.#change = change;
  }

  abandon(): void {
    this.#change = null;
  }

  /** It is done: the answer to our Hello counts now. */
  complete({ request, reply }: EpochHello): void {
    this.#done = { request, reply };
  }

  takeDone(): EpochHello | null {
    const done = this.#done;
    this.#done = null;
    return done;
  }

  /** Something blocked is about this vnode, and the base may have learned of it (given-by-others.ts). */
  noteBlocked(fid: Fid): void {
    this.#blockedOn.add(fid);
  }

  blockedOn(): Fid[] {
    return [...this.#blockedOn];
  }

  lookedAtBlocked(): void {
    this.#blockedOn.clear();
  }
}
