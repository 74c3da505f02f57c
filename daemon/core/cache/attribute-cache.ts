/**
 * The server's statuses of vnodes, as far as we know them. A status is as of the commit that wrote it, and of two
 * the later one is right; so answers may come in any order.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Outbox } from '../effects.ts';

export class AttributeCache {
  readonly #out: Outbox;
  #statuses = new Map<Fid, VnodeStatus>();

  constructor(out: Outbox) {
    this.#out = out;
  }

  load(rows: ReadonlyMap<string, VnodeStatus>): void {
    this.#statuses = new Map(rows as ReadonlyMap<Fid, VnodeStatus>);
  }

  get(fid: Fid): VnodeStatus | undefined {
    return this.#statuses.get(fid);
  }

  all(): IterableIterator<VnodeStatus> {
    return this.#statuses.values();
  }

  /** Takes what the server said unless we know something newer. True: taken. */
  learn(status: VnodeStatus): boolean {
    const known = this.#statuses.get(status.fid);
    if (known !== undefined && known.commit >= status.commit) return false;
    this.set(status);
    return true;
  }

  set(status: VnodeStatus): void {
    this.#statuses.set(status.fid, status);
    this.#out.put('status', status.fid, status);
  }

  forget(fid: Fid): void {
    if (this.#statuses.delete(fid)) this.#out.drop('status', fid);
  }
}
