/** What the server is asked about vnodes (validation.ts): what is to be asked at the end of a step, what is under way, directories in pages. */
import type { Fid } from '../../../shared/model/fid.ts';
import type { CommitNumber } from '../../../shared/model/vnode.ts';
import type { RequestId } from '../events.ts';
import { textOf, type WaitKey } from '../waits/wait-key.ts';

/** A directory being read page by page. */
export interface DirectoryLoad {
  /** Of the first page: what it is as of, and its request. null: not there yet. */
  first: { readonly at: CommitNumber; readonly request: RequestId } | null;
  readonly entries: Map<string, Fid>;
}

/** Gathers the vnodes to ask about in one message, and tracks those in flight. */
export class VnodeQuestions {
  readonly #wanted = new Set<Fid>();
  readonly #asked = new Set<Fid>();
  readonly #loads = new Map<Fid, DirectoryLoad>();
  readonly #ways = new Set<string>();

  /** It is to be asked about at the end of this step. */
  want(fid: Fid): void {
    this.#wanted.add(fid);
  }

  /** What is to be asked about, once, in the order in which it was wanted. */
  takeWanted(): Fid[] {
    const wanted = [...this.#wanted];
    this.#wanted.clear();
    return wanted;
  }

  isAsked(fid: Fid): boolean {
    return this.#asked.has(fid);
  }

  asked(fid: Fid): void {
    this.#asked.add(fid);
  }

  answered(fid: Fid): void {
    this.#asked.delete(fid);
  }

  /** null: it is being read already. */
  beginLoad(dir: Fid): DirectoryLoad | null {
    if (this.#loads.has(dir)) return null;
    const load = { first: null, entries: new Map<string, Fid>() };
    this.#loads.set(dir, load);
    return load;
  }

  load(dir: Fid): DirectoryLoad | undefined {
    return this.#loads.get(dir);
  }

  endLoad(dir: Fid): void {
    this.#loads.delete(dir);
  }

  /** False: this way down is being asked for already (sharing/lookup.ts). */
  beginWay(key: WaitKey): boolean {
    const text = textOf(key);
    if (this.#ways.has(text)) return false;
    this.#ways.add(text);
    return true;
  }

  endWay(key: WaitKey): void {
    this.#ways.delete(textOf(key));
  }

  /** The connection has ended. */
  reset(): void {
    this.#ways.clear();
    this.#loads.clear();
    this.#asked.clear();
    this.#wanted.clear();
  }

  /** How many vnodes are asked about or are to be, and how many directories are being read. */
  get count(): { readonly vnodes: number; readonly directories: number } {
    return { vnodes: this.#wanted.size + this.#asked.size, directories: this.#loads.size };
  }
}
