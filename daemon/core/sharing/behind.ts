/**
 * Vnodes of which another device has a newer version hidden, as the server has said (rule S4). What is cached of such a file is the last
 * committed version: who opens it asks for a newer one first, and the server pulls that, or says after a while that there is none to be had.
 *
 * Invariants
 * 1. It is known until the answer to a later question says otherwise, and as long as the connection at most.
 * 2. For each call the server is asked once at most.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { RequestId } from '../events.ts';

/** Remembers which vnodes are behind, with the requests whose answers said so. */
export class BehindVnodes {
  /** For each vnode that is behind: the newest request whose answer said so, and the newest fetch among these, which got no newer version. */
  readonly #behind = new Map<Fid, { readonly told: RequestId; readonly fetched: RequestId }>();

  /** An answer about the vnode; `isFetch`: about its present contents. */
  told(fid: Fid, isBehind: boolean, request: RequestId, isFetch = false): void {
    const before = this.#behind.get(fid) ?? { told: 0, fetched: 0 };
    if (isBehind) {
      const fetched = isFetch ? request : before.fetched;
      this.#behind.set(fid, { told: Math.max(before.told, request), fetched });
    } else if (request >= before.told) this.#behind.delete(fid);
  }

  has(fid: Fid): boolean {
    return this.#behind.has(fid);
  }

  /** No fetch since the call began has asked for a newer version. */
  mustAsk(fid: Fid, since: RequestId): boolean {
    const known = this.#behind.get(fid);
    return known !== undefined && known.fetched < since;
  }

  /** The connection has ended: the server says anew which vnodes are behind. */
  clear(): void {
    this.#behind.clear();
  }
}
