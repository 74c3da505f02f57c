/**
 * The server's statuses of vnodes, as far as we know them. A status is as of the commit that wrote it, and of two
 * the later one is right; so answers may come in any order.
 */
import type { Fid } from '../../../shared/model/fid.ts';
import type { CommitNumber, VnodeStatus } from '../../../shared/model/vnode.ts';
import type { Outbox } from '../effects.ts';

export class AttributeCache {
  readonly #out: Outbox;
  #statuses = new Map<Fid, VnodeStatus>();
  /** Our own last commit of a vnode, where the status does not carry its number (writeback/settle.ts): what is older is old. */
  readonly #floors = new Map<Fid, CommitNumber>();

  readonly #lacking = new Set<Fid>();

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
    if (status.commit < (this.#floors.get(status.fid) ?? 0)) {
      this.#lacking.add(status.fid);
      return false;
    }
    this.set(status);
    return true;
  }

  /** A change of others was passed over: until an answer tells of both, no promise makes the status the present one. */
  lacksOthers(fid: Fid): boolean {
    return this.#lacking.has(fid);
  }

  /** The server may have lost our commits (rule I1): what it says now is right, however old. */
  beginEpoch(): void {
    this.#floors.clear();
    this.#lacking.clear();
  }

  /** It has changes of others that our own later commit was put over: only an answer after that commit can tell of both. */
  isPassedOver(status: VnodeStatus): boolean {
    const known = this.#statuses.get(status.fid);
    if (known === undefined || known.commit >= status.commit) return false;
    return status.commit < (this.#floors.get(status.fid) ?? 0);
  }

  /** A status that we made ourselves with this commit, without being sure of the rest of it. */
  setOurs(status: VnodeStatus, commit: CommitNumber): void {
    const lacks = this.#lacking.has(status.fid);
    this.set(status);
    this.#floors.set(status.fid, commit);
    if (lacks) this.#lacking.add(status.fid);
  }

  set(status: VnodeStatus): void {
    this.#floors.delete(status.fid);
    this.#lacking.delete(status.fid);
    this.#statuses.set(status.fid, status);
    this.#out.put('status', status.fid, status);
  }

  forget(fid: Fid): void {
    this.#floors.delete(fid);
    this.#lacking.delete(fid);
    if (this.#statuses.delete(fid)) this.#out.drop('status', fid);
  }
}
